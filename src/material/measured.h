/* Measured stretching stiffness: converts ARCSim's 24 numbers to a fabric's table.
 *
 * Wang, O'Brien, Ramamoorthi 2011 fit four stiffness numbers to photographs of stretched swatches:
 * near zero strain, and at a principal stretch of 1 + 1/6 for each of five pull directions. Values
 * in between are interpolated in angle and stretch. That costs an eigenvector and an arc tangent
 * per element, so the result is sampled once over Guu, Gvv and |Guv| (c is even in Guv). */
#ifndef VO_MATERIAL_MEASURED_H
#define VO_MATERIAL_MEASURED_H

#include "material/fabric.h"

enum { VO_MEASURED_ANGLES = 5, VO_MEASURED_ROWS = 1 + VO_MEASURED_ANGLES };

/* Row 0: zero strain, any direction. Rows 1..5: direction of the larger principal stretch at 0,
 * 22.5, 45, 67.5 and 90 degrees from U, at a stretch of 1 + 1/6. In N/m, with ARCSim's energy
 * density k0 Guu^2 + 2 k1 Guu Gvv + k2 Gvv^2 + 2 k3 Guv^2. */
typedef struct vo_measured {
    double k[VO_MEASURED_ROWS][4];
} vo_measured;

/* Returns c at strain G by direct evaluation. */
vo_stiffness vo_measured_stiffness(const vo_measured *measured, vo_sym2 strain);

/* Fills `table` [VO_STRETCH_TABLE]. */
void vo_measured_tabulate(const vo_measured *measured, vo_stiffness_sample *table);

/* Returns true if all rows are equal, so that no table is needed. */
bool vo_measured_is_linear(const vo_measured *measured);

#endif

/* Couplings C between layers of cloth (linalg/couplings.h) in the form used by the two-level
 * iteration, and the coarse level of A + C.
 *
 * Two layers in stiff contact can move together freely. A alone treats contacts as contacts with
 * fixed objects, so the coarse matrix must include the couplings: Zt (A + C) Z. Its pattern changes
 * with every contact and is analysed in every solve; it has so few rows that this costs less than
 * an iteration. It reduces the iterations for a wrung towel to a third.
 *
 * For the iteration C is packed like the blocks between tiles (linalg/row_tiles.h), H C H^t, and H
 * C Z like the coarse level's own sums (linalg/coarse.h).
 *
 * All memory is from an arena that grows to the largest solve. */
#ifndef VO_LINALG_COUPLED_H
#define VO_LINALG_COUPLED_H

#include "linalg/coarse.h"
#include "linalg/couplings.h"

typedef struct vo_coupled {
    vo_arena arena;
    const vo_couplings *couplings; /* C; NULL: none in this solve */
    float *block;                  /* [block_count][VO_PACKED] H C H^t, in the rows of C */
    int sum_count;
    int *sum_start;           /* [row_count + 1] into the sums of a row */
    int *sum_aggregate;       /* [sum_count] */
    int *block_of;            /* [sum_count] block of the coarse matrix that a sum is added to */
    float *sum;               /* [sum_count][VO_PACKED] C Z, and then H C Z */
    vo_block_pattern pattern; /* of the coarse matrix; without transpose[] */
    int *target;              /* [blocks of E] index of each block of E in the coarse matrix */
    vo_block_matrix e;
    vo_block_factor factor;
} vo_coupled;

/* Packs C and sets the coarse level's solver to that of A + C, or none if it would be too large.
 * Requires G, H, the free rows and the coarse level's own matrix. Fails only if memory is
 * exhausted. */
vo_result vo_coupled_prepare(vo_coupled *coupled, const vo_couplings *c, const vo_row_tiles *tiles,
                             vo_coarse *coarse);

/* Computes H C H^t and C Z in rows [begin, end). */
VO_DECLARE_KERNEL(void, vo_coupled_pack, const vo_coupled *coupled, const vo_row_tiles *tiles,
                  const vo_coarse *coarse, int begin, int end);

#endif

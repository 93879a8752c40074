/* Couplings C between layers of cloth (linalg/couplings.h) as the two-level iteration reads them,
 * and the coarse level of A + C.
 *
 * Two layers in stiff contact are free to move together. A alone does not know: to it, contact is
 * with something that stands still. So the coarse matrix must have the couplings: Zt (A + C) Z. Its
 * pattern changes with every contact, and it is analysed anew in every solve; it has so few rows
 * that this costs less than an iteration. With it a wrung towel needs a third of the iterations.
 *
 * For the iteration C is packed like the blocks between ranges (linalg/ranges.h), H C H^t, and
 * H C Z like the coarse level's own sums (linalg/coarse.h).
 *
 * Everything is in an arena that grows to the largest solve there ever was. */
#ifndef VO_LINALG_COUPLED_H
#define VO_LINALG_COUPLED_H

#include "linalg/coarse.h"
#include "linalg/couplings.h"

typedef struct vo_coupled {
    vo_arena arena;
    const vo_couplings *given; /* C; NULL: no couplings in this solve */
    float *block;              /* [block_count][VO_PACKED] H C H^t, in the rows of C */
    int sum_count;
    int *sum_start;     /* [row_count + 1] into the sums of a row */
    int *sum_aggregate; /* [sum_count] */
    int *block_of;      /* [sum_count] the block of the coarse matrix that a sum is added to */
    float *sum;         /* [sum_count][VO_PACKED] C Z, and then H C Z */
    vo_block_pattern pattern; /* of the coarse matrix; no mirror[] */
    int *place;               /* [blocks of E] where in it the blocks of E alone are */
    vo_block_matrix e;
    vo_block_factor factor;
} vo_coupled;

/* Packs C, once G, H and the free rows are there, and makes the coarse level's solver of A + C, or
 * none where that would be too large. Fails for memory alone. `coarse` has its own matrix already.
 */
vo_result vo_coupled_prepare(vo_coupled *coupled, const vo_couplings *c, const vo_ranges *ranges,
                             vo_coarse *coarse);

/* H C H^t and C Z in rows [begin, end). */
VO_DECLARE_KERNEL(void, vo_coupled_pack, const vo_coupled *coupled, const vo_ranges *ranges,
                  const vo_coarse *coarse, int begin, int end);

#endif

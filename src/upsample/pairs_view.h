/* Sequences of training pairs as pairs of their own, without copying frames. */
#ifndef VO_UPSAMPLE_PAIRS_VIEW_H
#define VO_UPSAMPLE_PAIRS_VIEW_H

#include "upsample/pairs.h"

/* Sets *view to `count` sequences from `first` on. Arrays are those of `pairs`, except first_frame:
 * the view must not be destroyed or appended to, but closed, before the pairs are. VO_BAD_ARGUMENT
 * if the sequences do not exist. */
vo_result vo_upsample_pairs_view(const vo_upsample_pairs *pairs, int first, int count,
                                 vo_upsample_pairs *view);
void vo_upsample_pairs_close_view(vo_upsample_pairs *view);

#endif

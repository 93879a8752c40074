/* Clips that are specified for one side, or half a loop, and completed by mirroring. */
#ifndef VO_CHARACTER_CLIP_SYMMETRY_H
#define VO_CHARACTER_CLIP_SYMMETRY_H

#include "character/clip.h"

typedef enum vo_clip_symmetry {
    VO_SYMMETRY_NONE,
    VO_SYMMETRY_MIRROR,   /* right = left */
    VO_SYMMETRY_ALTERNATE /* right = left half a loop later; the middle repeats mirrored */
} vo_clip_symmetry;

/* Returns true for channels of the right side. */
bool vo_channel_is_right(int channel);
/* Returns true if mirroring changes the sign: lateral and twisting channels of the middle of the
 * body. */
bool vo_channel_is_mirrored(int channel);
/* Returns true for the root and for bones in the middle. */
bool vo_channel_is_middle(int channel);

/* Completes the channels and steps of the right side from the left and, for alternating symmetry,
 * the second half of the loop in the middle. Call vo_curve_finish afterwards. Returns VO_OK or
 * VO_NO_MEMORY. */
vo_result vo_clip_complete(vo_clip *clip, vo_clip_symmetry symmetry);

#endif

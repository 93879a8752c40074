/* Clips of which one side, or half a loop, is written and the rest is its mirror image. */
#ifndef VO_SCENE_CLIP_SYMMETRY_H
#define VO_SCENE_CLIP_SYMMETRY_H

#include "scene/clip.h"

typedef enum vo_clip_symmetry {
    VO_SYMMETRY_NONE,
    VO_SYMMETRY_MIRROR,   /* the right does what the left does */
    VO_SYMMETRY_ALTERNATE /* the right does it half a loop later, and so does the middle */
} vo_clip_symmetry;

/* True if the channel is one of the right side's. */
bool vo_channel_is_right(int channel);
/* True if a mirror changes the channel's sign: sideways and twisting in the middle of the body. */
bool vo_channel_is_odd(int channel);
/* True of the root and of bones in the middle. */
bool vo_channel_is_middle(int channel);

/* Fills in the channels and steps of the right side from the left, and the second half of a loop in
 * the middle. Curves are not finished yet. VO_NO_MEMORY or VO_OK. */
vo_result vo_clip_complete(vo_clip *clip, vo_clip_symmetry symmetry);

#endif

/* Detects the cuts of a camera in an imported file.
 *
 * The formats do not store cuts, only keys, usually one per frame. A cut is a large change of the
 * pose from one key to the next, or a change of keys with constant (stepped) interpolation.
 *
 *      keys    o  o  o  o                 from: the old shot's last key
 *                       |  sweep          to:   the new shot's first
 *                          o  o  o
 *
 * The search compares the file's own keys instead of samples, because at another frame rate a
 * sample may lie inside the sweep. The span between two keys at most 0.1 s apart is a cut if the
 * camera moves by more than 0.5 m or rotates by more than 20 degrees, ten times as fast as in both
 * neighbouring spans. Even a fast pan takes several frames of similar speed. Longer spans are never
 * sweeps; there only stepped keys are cuts. The key `cuts` of the scene file replaces detection. */
#ifndef VO_SCENE_CAMERA_CUTS_H
#define VO_SCENE_CAMERA_CUTS_H

#include "character/import/import.h"

/* Times of the clip in s. Poses between `from` and `to` are interpolation across the cut and belong
 * to no shot; for stepped keys the two times are nearly equal. */
typedef struct vo_camera_cut {
    double from, to;
    double time; /* begin of the new shot */
    bool held;   /* the old shot ends just before `from`; otherwise at it */
} vo_camera_cut;

typedef struct vo_camera_cuts {
    vo_context *ctx;
    int count, capacity;
    vo_camera_cut *cut; /* [count], ascending times */
} vo_camera_cuts;

/* Detects the cuts of a camera. `joint` is scratch space for the character's joints. Fails only
 * without memory; vo_camera_cuts_free must be called in any case. */
vo_result vo_camera_cuts_find(const vo_character *character, int camera, const vo_joint_clip *clip,
                              vo_affine *joint, vo_camera_cuts *out);
/* Creates cuts at given times, ascending and within the clip; a sweep around a time is removed. */
vo_result vo_camera_cuts_create(const vo_character *character, int camera,
                                const vo_joint_clip *clip, int count, const double *time,
                                vo_camera_cuts *out);
void vo_camera_cuts_free(vo_camera_cuts *cuts);

#endif

/* Where the camera of another program's file cuts.
 *
 * No such file has a mark for it. What it has are keys, most often one a frame, and a cut is that
 * the camera is elsewhere from one key to the next; or keys that are held until the next one.
 *
 *      keys    o  o  o  o                 from: the old shot's last key
 *                       |  sweep          to:   the new shot's first
 *                          o  o  o
 *
 * So it is looked for between the file's own keys and not between samples: at another frame rate a
 * sample may lie in the middle of the sweep. Two keys within a tenth of a second are a cut if the
 * camera goes half a metre or turns by 20 degrees between them, ten times as fast as from the key
 * before and to the key after. A pan, however fast, takes more than one frame, and the frames
 * beside its fastest are nearly as fast. Longer spans are no sweeps: there only keys that are held
 * cut. Who knows better says where the cuts are. */
#ifndef VO_SCENE_CAMERA_CUTS_H
#define VO_SCENE_CAMERA_CUTS_H

#include "scene/import.h"

/* Times of the clip, s. Between `from` and `to`, which are nearly the same where keys are held, the
 * camera is nowhere that anybody meant. */
typedef struct vo_camera_cut {
    double from, to;
    double time; /* when the new shot begins */
    bool held;   /* the old shot ends just before `from`; otherwise at it */
} vo_camera_cut;

typedef struct vo_camera_cuts {
    vo_context *ctx;
    int count, capacity;
    vo_camera_cut *cut; /* [count], in the order of time */
} vo_camera_cuts;

/* `joint` has room for the character's joints. Fail without memory alone; what is found is freed in
 * any case by vo_camera_cuts_free. */
vo_result vo_camera_cuts_find(const vo_character *character, int camera, const vo_joint_clip *clip,
                              vo_affine *joint, vo_camera_cuts *out);
/* At given times, ascending and within the clip: what sweep there is around each is cut out. */
vo_result vo_camera_cuts_take(const vo_character *character, int camera, const vo_joint_clip *clip,
                              int count, const double *time, vo_camera_cuts *out);
void vo_camera_cuts_free(vo_camera_cuts *cuts);

#endif

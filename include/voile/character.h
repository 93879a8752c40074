/* Voile: characters, bodies that move among cloth.
 *
 * A character is a body (a mannequin made by Voile, or a file) and a motion (a file, or one that
 * the body's own file has). At the start of a simulation it is in its rest pose, in which garments
 * are put on; until time 0 it blends into the motion (vo_scene_def.preroll). docs/importing.md
 * tells which files are read, docs/motions.md what Voile's own motions are. */
#ifndef VOILE_CHARACTER_H
#define VOILE_CHARACTER_H

#include <voile/base.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sizes of a mannequin. In square brackets what vo_mannequin_def_default sets. */
typedef struct vo_mannequin_def {
    double height; /* [1.75] m, 0.5 to 3 */
    double build;  /* [0] -1 slim, 0 average, 1 heavy; anything between */
    double figure; /* [0] -1 male, 0 neither, 1 female; anything between */
    double shoulders, chest, waist, hips, limbs; /* [1] factors on widths, 0.7 to 1.5 */
    int faces; /* [20000] about, 1,000 to 200,000; below 6,000 without fingers */
} vo_mannequin_def;

VO_API vo_mannequin_def vo_mannequin_def_default(void);

/* Which axis of a file points up. */
typedef enum vo_up_axis { VO_UP_FILE, VO_UP_X, VO_UP_Y, VO_UP_Z } vo_up_axis;

/* What a motion does after its end. */
typedef enum vo_motion_end {
    VO_END_FILE, /* a clip of Voile's what its file says, others as the next */
    VO_END_HOLD, /* the last pose is held */
    VO_END_LOOP, /* it begins again; one that does not end as it began jumps */
} vo_motion_end;

typedef struct vo_motion_def {
    const char *file;   /* [NULL] Voile's own (.json) for the mannequin; .bvh, .fbx, .gltf, .glb or
                           .dae for any skeleton, carried over by the names of the bones; .pc2 for a
                           body from an OBJ file. NULL: what the body's own file has */
    const char *clip;   /* [NULL] name of one of the clips of a file; NULL: the first */
    double start;       /* [0] s, of the motion, at time 0; not negative */
    double speed;       /* [1] s of the motion in a second; not negative */
    vo_motion_end end;  /* [VO_END_FILE] */
    double fps;         /* [0] 1/s, of .pc2 files and sequences; 0: the scene's frames */
    double units;       /* [0] m in a unit of length of the file; 0: as it says */
    vo_up_axis up_axis; /* [VO_UP_FILE] */
} vo_motion_def;

VO_API vo_motion_def vo_motion_def_default(void);

#ifdef __cplusplus
}
#endif
#endif

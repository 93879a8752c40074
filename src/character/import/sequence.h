/* Body as a sequence of meshes: one OBJ file per frame, or a PC2 cache for one OBJ file.
 *
 * All frames have the same nodes and faces. Between frames each node follows a Catmull-Rom spline
 * (Catmull and Rom 1974), so that velocities are continuous, as contact requires; before the first
 * and after the last frame the body is at rest. */
#ifndef VO_CHARACTER_IMPORT_SEQUENCE_H
#define VO_CHARACTER_IMPORT_SEQUENCE_H

#include "character/import/import.h"

enum { VO_SEQUENCE_MAX_FRAMES = 100000 };

typedef struct vo_mesh_sequence {
    vo_context *ctx;
    int node_count, face_count, frame_count;
    int (*face)[3];     /* [face_count] */
    vo_vec3 **frame;    /* [frame_count][node_count] m */
    double start, step; /* s, time of the first frame and interval */
    int frame_capacity;
} vo_mesh_sequence;

/* Loads the files of `pattern`, which contains one %d, %4d or %04d, for first, first + 1, ... If
 * `first` is -1 it is 0, or 1 if no file has number 0. Ends at the first missing file or after
 * `last` (-1: no limit). Frame `first` is at time 0. `options` (may be NULL) provides unit and up
 * axis, which OBJ files do not specify. */
vo_result vo_sequence_load_obj(vo_context *ctx, const char *pattern, int first, int last,
                               double fps, const vo_import_options *options, vo_mesh_sequence *out);

/* Loads files by name, at least one. */
vo_result vo_sequence_load_files(vo_context *ctx, int count, const char *const *paths, double fps,
                                 const vo_import_options *options, vo_mesh_sequence *out);

/* Loads an OBJ file with the positions of a PC2 cache. The start of the cache is in frames; frame 0
 * is at time 0. */
vo_result vo_sequence_load_pc2(vo_context *ctx, const char *obj, const char *pc2, double fps,
                               const vo_import_options *options, vo_mesh_sequence *out);

void vo_sequence_free(vo_mesh_sequence *sequence); /* a cleared one is allowed */

/* Computes positions and, unless `v` is NULL, velocities at a time, s. */
void vo_sequence_at(const vo_mesh_sequence *sequence, double time, vo_vec3 *x, vo_vec3 *v);

static inline double vo_sequence_end(const vo_mesh_sequence *s) {
    return s->start + s->step * (s->frame_count - 1);
}

#endif

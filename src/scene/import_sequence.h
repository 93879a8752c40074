/* A body as a sequence of meshes: an OBJ file a frame, or a PC2 cache on one OBJ.
 *
 * All frames have the same nodes and faces. Between frames each node follows the cubic curve with
 * central differences as its velocities (Catmull and Rom 1974), so that velocities are continuous,
 * which contact needs; before the first and after the last frame the body stands still. */
#ifndef VO_SCENE_IMPORT_SEQUENCE_H
#define VO_SCENE_IMPORT_SEQUENCE_H

#include "scene/import.h"

enum { VO_SEQUENCE_MAX_FRAMES = 100000 };

typedef struct vo_mesh_sequence {
    vo_context *ctx;
    int node_count, face_count, frame_count;
    int (*face)[3];     /* [face_count] */
    vo_vec3 **frame;    /* [frame_count][node_count] m */
    double start, step; /* s, of the first frame and from one to the next */
    int frame_capacity;
} vo_mesh_sequence;

/* The files that `pattern` names for first, first + 1, ...: it holds one %d, %4d or %04d; -1 as the
 * first is 0, or 1 where there is none of number 0. Reading ends at the first number without a
 * file, or after `last` (-1: none). Frame `first` is at time 0. `options` (may be NULL) gives units
 * and up_axis; OBJ states none. */
vo_result vo_sequence_load_obj(vo_context *ctx, const char *pattern, int first, int last,
                               double fps, const vo_import_options *options, vo_mesh_sequence *out);

/* The same for files by name, at least one. */
vo_result vo_sequence_load_files(vo_context *ctx, int count, const char *const *paths, double fps,
                                 const vo_import_options *options, vo_mesh_sequence *out);

/* The points of the cache in the place of the OBJ's. Its start is in frames, frame 0 at time 0. */
vo_result vo_sequence_load_pc2(vo_context *ctx, const char *obj, const char *pc2, double fps,
                               const vo_import_options *options, vo_mesh_sequence *out);

void vo_sequence_free(vo_mesh_sequence *sequence); /* a cleared one is allowed */

/* Positions and, unless `v` is NULL, velocities at a time. */
void vo_sequence_at(const vo_mesh_sequence *sequence, double time, vo_vec3 *x, vo_vec3 *v);

static inline double vo_sequence_end(const vo_mesh_sequence *s) {
    return s->start + s->step * (s->frame_count - 1);
}

#endif

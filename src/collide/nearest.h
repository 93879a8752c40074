/* The point of all obstacles that is nearest to a point, for the sizing field.
 *
 * Each obstacle has one tree over its faces. That of a rigid one is as the scene has it and never
 * refitted: motions turn, shift and scale, so the question is carried into the obstacle's own frame
 * instead. Nodes of it that had to yield (collide/response.h) are asked where their motion would
 * have them: what depends on the answer is how fine a mesh is, not what it passes through. Bodies
 * that bend are refitted to where they are. */
#ifndef VO_COLLIDE_NEAREST_H
#define VO_COLLIDE_NEAREST_H

#include "core/context.h"
#include "math/quat.h"
#include "mesh/mesh.h"
#include "spatial/bvh.h"

typedef struct vo_nearest_part {
    const vo_mesh *mesh; /* not owned */
    const vo_vec3 *x;    /* its nodes: the mesh's own, or where it was bent to */
    vo_box *box;         /* [face_count] for refitting; NULL until it bends */
    vo_bvh tree;         /* over its faces */
    bool present;
    vo_transform pose, inverse; /* from its own frame to the world, and back */
    vo_box around;              /* in the world, larger by what rounding may take off */
} vo_nearest_part;

typedef struct vo_nearest {
    vo_context *ctx;
    int part_count;
    vo_nearest_part *part;
} vo_nearest;

/* The meshes must outlive it. Nothing is present at first. */
vo_result vo_nearest_create(vo_context *ctx, int count, const vo_mesh *const *meshes,
                            vo_nearest *out);
void vo_nearest_free(vo_nearest *nearest);

/* A part is there from now on, as its mesh is but for the pose; or with its nodes at `x`, which is
 * not copied. Only the first bending of a part allocates. */
void vo_nearest_place(vo_nearest *nearest, int part, vo_transform pose);
vo_result vo_nearest_bend(vo_nearest *nearest, int part, const vo_vec3 *x);
/* It is not there. */
void vo_nearest_remove(vo_nearest *nearest, int part);

/* For each of `count` points the nearest one of the present obstacles; NaN where none is as near as
 * `range`. In parallel; allocates nothing. */
void vo_nearest_find(const vo_nearest *nearest, int count, const vo_vec3 *x, double range,
                     vo_vec3 *near);

#endif

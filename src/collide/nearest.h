/* The point of all obstacles that is nearest to a point, for the sizing field.
 *
 * Each obstacle has one tree, over its faces as the scene has them, which is never refitted:
 * motions turn, shift and scale, so the question is carried into the obstacle's own frame instead.
 * Nodes of an obstacle that had to yield (collide/response.h) are asked where their motion would
 * have them: what depends on the answer is how fine a mesh is, not what it passes through. */
#ifndef VO_COLLIDE_NEAREST_H
#define VO_COLLIDE_NEAREST_H

#include "core/context.h"
#include "math/quat.h"
#include "mesh/mesh.h"
#include "spatial/bvh.h"

typedef struct vo_nearest_part {
    const vo_mesh *mesh; /* at rest; not owned */
    vo_bvh tree;         /* over its faces */
    vo_transform pose;   /* set by the caller, as is the next */
    bool present;
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

/* For each of `count` points the nearest one of the present obstacles; NaN where none is as near as
 * `range`. In parallel; allocates nothing. */
void vo_nearest_find(const vo_nearest *nearest, int count, const vo_vec3 *x, double range,
                     vo_vec3 *near);

#endif

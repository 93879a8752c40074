/* Nearest point on the obstacles, for the sizing field.
 *
 * Each obstacle has a BVH over its faces. The BVH of a rigid obstacle is built in its own frame and
 * never refitted; query points are transformed into that frame. Nodes that the fail-safe has moved
 * back (collide/response.h) are queried at the positions of their motion: the result controls mesh
 * resolution, not collisions. Deforming bodies are refitted to their current positions. */
#ifndef VO_COLLIDE_NEAREST_H
#define VO_COLLIDE_NEAREST_H

#include "core/context.h"
#include "math/quat.h"
#include "mesh/mesh.h"
#include "spatial/bvh.h"

typedef struct vo_nearest_part {
    const vo_mesh *mesh; /* not owned */
    const vo_vec3 *x;    /* node positions: those of the mesh, or the deformed ones */
    vo_box *box;         /* [face_count + 1] for refitting; NULL until it deforms */
    vo_bvh tree;         /* BVH over its faces */
    bool present;
    vo_transform pose, inverse; /* from its own frame to the world, and its inverse */
    vo_box bounds;              /* world-space bounds, rounded outward */
} vo_nearest_part;

typedef struct vo_nearest {
    vo_context *ctx;
    int part_count;
    vo_nearest_part *part;
} vo_nearest;

/* Creates the query object; the meshes must outlive it. All parts are absent at first. */
vo_result vo_nearest_create(vo_context *ctx, int count, const vo_mesh *const *meshes,
                            vo_nearest *out);
void vo_nearest_free(vo_nearest *nearest);

/* Make a part present: with the positions of its mesh and a pose, or with node positions `x`, which
 * are not copied. Only the first vo_nearest_set_positions of a part allocates. */
void vo_nearest_set_pose(vo_nearest *nearest, int part, vo_transform pose);
vo_result vo_nearest_set_positions(vo_nearest *nearest, int part, const vo_vec3 *x);
/* Makes a part absent. */
void vo_nearest_remove(vo_nearest *nearest, int part);

/* Writes the nearest point on the present obstacles for each of `count` points; NaN if none is
 * within `range` (m). In parallel; allocates nothing. */
void vo_nearest_find(const vo_nearest *nearest, int count, const vo_vec3 *x, double range,
                     vo_vec3 *nearest_point);

#endif

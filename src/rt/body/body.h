/* Collision bodies: shapes and closed triangle meshes, posed by the host.
 *
 *   setters (body_input.c)      any time; inputs of the next world step
 *   begin_step, advance         once per world step, once per minor step (body_pose.c)
 *   queries (body_query.c)      const, from any thread
 *
 * The shell of a mesh is the set of points at distance `offset` from its surface, outside.
 * Distances from it are distances from the surface minus the offset; it is rounded at convex edges
 * and has no self-intersections in concave ones, unlike a mesh whose vertices are moved along their
 * normals.
 *
 * All queries are in world space and refer to the pose at time fraction s of the current world step
 * (vo_rt_body_advance). Distances refer to the shell: the surface moved outwards by the body's
 * offset (Simnett et al. 2010, 7). Bodies are exactly as posed; queries never change them. */
#ifndef VO_RT_BODY_BODY_H
#define VO_RT_BODY_BODY_H

#include "rt/base/vec.h"

/* Nearest point of the shell. */
typedef struct vo_rt_surface_point {
    vo_rt_vec3 point;    /* m, on the shell */
    vo_rt_vec3 normal;   /* unit, outward */
    float distance;      /* m, signed distance of the query point from the shell; negative inside */
    vo_rt_vec3 velocity; /* m/s, of the surface there */
    int32_t feature; /* triangle in the order of the tree, or shape; a hint for the next query */
    int32_t shape;   /* shape of a compound, 0 for a mesh */
} vo_rt_surface_point;

/* The struct behind vo_rt_body is defined in body/body_private.h. */

/* Initialises a body at the pose of its definition. `message` receives the messages of this call
 * and of the setters (vo_rt_body_set_transform, ...); it must outlive the body and may be NULL. On
 * failure nothing needs to be freed. */
vo_result vo_rt_body_init(vo_rt_body *body, const vo_allocator *allocator,
                          const vo_rt_body_def *def, vo_rt_message *message);
void vo_rt_body_free(vo_rt_body *body, const vo_allocator *allocator);
size_t vo_rt_body_size(void); /* bytes of the struct */

/* Makes the pose set by the host the target of a world step of `duration` seconds that starts at
 * the current pose; a teleported or newly enabled body starts at its target. Skins the vertices of
 * the target and refits the tree to them, once per world step. */
void vo_rt_body_begin_step(vo_rt_body *body, float duration);
/* Moves the body to fraction s of the step (0 start, 1 end). Rotations are interpolated by
 * normalised linear interpolation, vertices linearly, and so are the boxes of the tree: they
 * contain the interpolated vertices. Velocities of later queries describe the motion from the
 * previous fraction to this one. Nothing is rebuilt or allocated; at s = 1 nothing is computed. */
void vo_rt_body_advance(vo_rt_body *body, float s);

/* Bounds of the shell at the pose set by the host, by balls: cheap, up to twice as large. */
void vo_rt_body_estimate_bounds(const vo_rt_body *body, vo_rt_vec3 *min, vo_rt_vec3 *max);
/* Bounds of the shell at the end of the step. */
void vo_rt_body_get_target_bounds(const vo_rt_body *body, vo_rt_vec3 *min, vo_rt_vec3 *max);
/* Bounds of the shell at the current pose. */
void vo_rt_body_get_bounds(const vo_rt_body *body, vo_rt_vec3 *min, vo_rt_vec3 *max);

/* Finds the nearest point of the shell if its signed distance is below `radius` (also if the point
 * is anywhere inside). `hint` is a feature from an earlier query, or -1. `use_shapes` selects the
 * shapes of a body that has a mesh as well. Returns false if the point is farther away. */
bool vo_rt_body_find_nearest(const vo_rt_body *body, bool use_shapes, vo_rt_vec3 x, float radius,
                             int32_t hint, vo_rt_surface_point *out);
/* First intersection of the segment a-b with the shell, entering from outside; *t in 0 to 1. */
bool vo_rt_body_cast(const vo_rt_body *body, bool use_shapes, vo_rt_vec3 a, vo_rt_vec3 b, float *t,
                     vo_rt_surface_point *out);
/* Last exit of the ray from x in unit direction d out of the shell, at most `length` away; false if
 * x is outside or the ray does not leave the body (Simnett et al. 2010, 7.1). */
bool vo_rt_body_find_exit(const vo_rt_body *body, bool use_shapes, vo_rt_vec3 x, vo_rt_vec3 d,
                          float length, vo_rt_surface_point *out);
/* True if x is inside the surface itself, without the offset. */
bool vo_rt_body_contains(const vo_rt_body *body, bool use_shapes, vo_rt_vec3 x);

/* State between two world steps for snapshots: pose, inputs, reaction. Returns the bytes, which
 * depend on the definition only; writes if `data` is not NULL. */
size_t vo_rt_body_save(const vo_rt_body *body, void *data);
/* `data` has been validated by size and checksum. */
void vo_rt_body_restore(vo_rt_body *body, const void *data);
/* Removes the motion: the current pose is start and end of the step. */
void vo_rt_body_set_still(vo_rt_body *body);
/* Subtracts `offset` from all positions, between two world steps. */
void vo_rt_body_shift_origin(vo_rt_body *body, vo_rt_vec3 offset);

#endif

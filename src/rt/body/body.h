/* Collision bodies: shapes and closed triangle meshes, posed by the host.
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
    int32_t feature;     /* shape or triangle; a hint for the next query near by, -1: none */
    int32_t shape;       /* shape of a compound, 0 for a mesh */
} vo_rt_surface_point;

/* The struct behind vo_rt_body is defined in body/body_private.h. */

vo_result vo_rt_body_init(vo_rt_body *body, const vo_allocator *allocator,
                          const vo_rt_body_def *def, vo_rt_message *message);
void vo_rt_body_free(vo_rt_body *body, const vo_allocator *allocator);
size_t vo_rt_body_size(void); /* bytes of the struct */

/* Makes the pose set by the host the target of a world step of `duration` seconds. */
void vo_rt_body_begin_step(vo_rt_body *body, float duration);
/* Moves the body to fraction s of the step (0 start, 1 end): skinning, refit of the tree,
 * velocities. Cost for a mesh: linear in its vertices and triangles; nothing is rebuilt or
 * allocated. */
void vo_rt_body_advance(vo_rt_body *body, float s);

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

/* State for snapshots: pose, target pose, velocities. Returns bytes; writes if `data` is not NULL.
 */
size_t vo_rt_body_save(const vo_rt_body *body, void *data);
/* `data` has been validated by size and checksum. */
void vo_rt_body_restore(vo_rt_body *body, const void *data);

#endif

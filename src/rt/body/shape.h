/* Analytic collision shapes in their own frame, and their poses. */
#ifndef VO_RT_BODY_SHAPE_H
#define VO_RT_BODY_SHAPE_H

#include "rt/body/surface.h"

struct vo_rt_surface_kernels;

/* Rotation, uniform scale, translation: x -> position + scale (rotation x). */
typedef struct vo_rt_pose {
    vo_rt_vec3 position;
    vo_rt_quat rotation;
    float scale;
} vo_rt_pose;

/* A shape of a body. The poses are written by body_pose.c. */
typedef struct vo_rt_body_shape {
    vo_rt_shape def;              /* without the points */
    vo_rt_pose start, end;        /* of the world step */
    vo_rt_pose previous, current; /* at the last two calls of vo_rt_body_advance */
    vo_rt_vec3 min, max;          /* m, bounds of the shell at `previous` and `current` */
    vo_rt_surface hull;           /* VO_RT_HULL: its faces and their boxes */
    vo_rt_surface_pose hull_pose;
    vo_rt_vec3 local_min, local_max; /* m, bounds in the shape's frame; infinite for planes */
    vo_rt_vec3 ball;                 /* m, centre of a ball around the shape, in the bone's frame */
    float ball_radius;
} vo_rt_body_shape;

/* Validates the numbers of a shape; messages name the member, prefixed by shapes[index]. */
vo_result vo_rt_shape_check(const vo_rt_shape *shape, int index, int bone_count,
                            vo_rt_message *message);
/* Initialises a shape from a valid definition: bounds and, for hulls, the surface. */
vo_result vo_rt_body_shape_init(vo_rt_body_shape *shape, const vo_allocator *allocator,
                                const struct vo_rt_surface_kernels *kernels, const vo_rt_shape *def,
                                int index, vo_rt_message *message);
void vo_rt_body_shape_free(vo_rt_body_shape *shape, const vo_allocator *allocator);

/* Signed distance of a point in the shape's frame from its surface; *normal is the outward unit
 * gradient. Points farther than `bound` from the surface may receive any distance above it. */
float vo_rt_shape_distance(const struct vo_rt_surface_kernels *kernels,
                           const vo_rt_body_shape *shape, vo_rt_vec3 x, float bound,
                           vo_rt_vec3 *normal);
/* First point of the segment a-b in the shape's frame whose distance from the surface is `level`,
 * reached from the outside. */
bool vo_rt_shape_cast(const struct vo_rt_surface_kernels *kernels, const vo_rt_body_shape *shape,
                      vo_rt_vec3 a, vo_rt_vec3 b, float level, float *t);

vo_rt_pose vo_rt_pose_from_transform(vo_rt_transform t);
/* Nearest rotation and mean scale of a matrix; a singular one gives scale 0 and no rotation. */
vo_rt_pose vo_rt_pose_from_matrix(const vo_rt_matrix *matrix);
/* Applies `inner`, then `outer`. */
vo_rt_pose vo_rt_pose_multiply(vo_rt_pose outer, vo_rt_pose inner);
/* Linear position and scale, normalised linear rotation by the shorter arc. */
vo_rt_pose vo_rt_pose_interpolate(vo_rt_pose a, vo_rt_pose b, float s);

static inline vo_rt_vec3 vo_rt_pose_apply(vo_rt_pose t, vo_rt_vec3 p) {
    return f3_add_scaled(t.position, t.scale, fq_rotate(t.rotation, p));
}
/* The scale must not be 0. */
static inline vo_rt_vec3 vo_rt_pose_apply_inverse(vo_rt_pose t, vo_rt_vec3 p) {
    return f3_scale(1 / t.scale, fq_rotate(fq_conjugate(t.rotation), f3_sub(p, t.position)));
}

#endif

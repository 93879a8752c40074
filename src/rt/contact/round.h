/* Contacts with bodies that consist of spheres, capsules and tapered capsules only, as distant
 * characters do: all vertices are tested against all shapes, eight vertices at a time.
 *
 * A coarse mesh needs more than its vertices: a leg passes between vertices that are 10 cm apart.
 * The middles of long edges therefore collide as well. They may sink below the shell by the sagitta
 * of the edge, so that a mesh that fits around a limb is not widened. */
#ifndef VO_RT_CONTACT_ROUND_H
#define VO_RT_CONTACT_ROUND_H

#include "rt/contact/contact_private.h"

/* A round shape in world space, with the radii of its shell: spheres of radius + slope * s along
 * the axis, for s from 0 to length. */
typedef struct vo_rt_round {
    vo_rt_vec3 origin, axis;              /* at the start of the move */
    vo_rt_vec3 end_origin, end_axis;      /* at its end */
    float length, radius, slope, tangent; /* m; tangent: of the half angle of the cone */
    float offset;                         /* m, of the shell */
    vo_rt_quat turn; /* of the move: x at its start is at shift + turn x at its end */
    vo_rt_vec3 shift;
    const vo_rt_body *body;
    int part, slot;
    int32_t index;
} vo_rt_round;

/* The two nearest shells of eight points at the start of the move; shape -1: none. */
typedef struct vo_rt_round_near {
    float distance[2][8]; /* m */
    int32_t shape[2][8];
} vo_rt_round_near;

/* Kernels (round_kernel.c). */
typedef struct vo_rt_round_kernels {
    /* For the points half way between vertices a[k] and b[k]. */
    void (*find_nearest)(const vo_rt_round *shape, int count, const vo_rt_vec4 *position,
                         const int32_t a[8], const int32_t b[8], vo_rt_round_near *out);
    /* Bits of the vertices that are inside a surface at the end of the move. */
    unsigned (*find_inside)(const vo_rt_round *shape, int count, const vo_rt_vec4 *position,
                            const int32_t slot[8]);
} vo_rt_round_kernels;
extern const vo_rt_round_kernels vo_rt_round_kernels_base, vo_rt_round_kernels_avx2;

/* Implementations of vo_rt_contact_find and vo_rt_contact_verify. False: some body near the cloth
 * is not round, or there are too many shapes; nothing has been done. */
bool vo_rt_contact_find_round(vo_rt_contact_set *set, const vo_rt_front *front,
                              const vo_rt_contact_bodies *bodies, float thickness, float friction,
                              float dt);
bool vo_rt_contact_verify_round(vo_rt_contact_set *set, vo_rt_front *front,
                                const vo_rt_contact_bodies *bodies, float dt);

#endif

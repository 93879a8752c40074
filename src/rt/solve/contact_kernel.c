/* Contacts with moving planes and Coulomb friction, eight vertices at a time. */
#include "math/simd_float.h"

#include "rt/solve/kernels.h"

VO_INLINE vo_v8 load_vectors(const float v[3][VO_RT_LANES]) {
    return (vo_v8){f8_load(v[0]), f8_load(v[1]), f8_load(v[2])};
}

/* Displacement by friction: reduces the tangential part of `slip`, the displacement relative to the
 * surface, by at most `limit`. */
VO_INLINE vo_v8 apply_friction(vo_v8 slip, vo_v8 normal, vo_f8 limit) {
    vo_v8 tangential = v8_add_scaled(slip, -v8_dot(slip, normal), normal);
    vo_f8 length2 = v8_dot(tangential, tangential);
    vo_m8 slides = length2 > limit * limit;
    vo_f8 s = limit / f8_sqrt(f8_select(slides, length2, f8_set(1)));
    return v8_scale(-f8_select(slides, s, f8_set(1)), tangential);
}

/* Impulses are sums of displacements times mass / h. */
VO_INLINE void add_impulses(vo_rt_contact_group *g, vo_f8 depth, vo_v8 move, vo_f8 mass_over_h) {
    f8_store(g->impulse, f8_load(g->impulse) + depth * mass_over_h);
    f8_store(g->force[0], f8_load(g->force[0]) + mass_over_h * move.x);
    f8_store(g->force[1], f8_load(g->force[1]) + mass_over_h * move.y);
    f8_store(g->force[2], f8_load(g->force[2]) + mass_over_h * move.z);
}

VO_INLINE void project_group(vo_rt_front *front, vo_rt_contact_group *g, float time, float h) {
    const vo_f8 zero = f8_set(0);
    vo_f8 w, unused;
    vo_v8 x = v8_gather(front->position, g->vertex, &w), normal = load_vectors(g->normal);
    vo_v8 velocity = load_vectors(g->velocity);
    vo_v8 plane = v8_add_scaled(load_vectors(g->point), f8_set(time), velocity);
    vo_f8 depth = -v8_dot(normal, v8_sub(x, plane));
    vo_m8 touches = (depth > zero) & (w > zero);
    if (!m8_any(touches)) return;
    depth = f8_mask(touches, depth);
    vo_v8 motion = v8_sub(x, v8_gather(front->velocity, g->vertex, &unused));
    vo_v8 slip = v8_add_scaled(motion, f8_set(-h), velocity);
    vo_v8 move = apply_friction(slip, normal, f8_load(g->friction) * depth);
    move = v8_add_scaled(move, depth, normal);
    move = (vo_v8){f8_mask(touches, move.x), f8_mask(touches, move.y), f8_mask(touches, move.z)};
    v8_scatter(front->position, g->vertex, v8_add(x, move), w);
    add_impulses(g, depth, move, f8_divide(f8_set(1), w * f8_set(h), 0));
}

void VO_KERNEL(vo_rt_project_contact_groups)(vo_rt_front *front, vo_rt_contact_group *groups,
                                             int count, float time, float h) {
    for (int i = 0; i < count; i++) project_group(front, &groups[i], time, h);
}

/* Projection of split edges, eight at a time, and prolongation to their midpoints. */
#include "math/simd_float.h"

#include "rt/solve/kernels.h"
#include "rt/solve/levels.h"

#include <string.h>

/* Smallest product of length (m) and inverse mass (1/kg) that is divided by. */
static const float LEAST = 1e-20f;

/* Moves vertices by s d and adds this to their displacements. */
VO_INLINE void move_vertices(vo_rt_levels *levels, vo_rt_front *front, const int32_t *vertex,
                             vo_v8 x, vo_f8 w, vo_f8 s, vo_v8 d) {
    vo_f8 unused;
    vo_v8 shift = v8_gather(levels->shift, vertex, &unused);
    v8_scatter(front->position, vertex, v8_add_scaled(x, s, d), w);
    v8_scatter(levels->shift, vertex, v8_add_scaled(shift, s, d), f8_set(0));
}

VO_INLINE void project_group(vo_rt_levels *levels, vo_rt_front *front, const vo_rt_split_group *g) {
    const vo_f8 zero = f8_set(0);
    vo_f8 ua, ub; /* inverse masses of the leaves: 0 if prescribed */
    vo_v8 a = v8_gather(front->position, g->a, &ua), b = v8_gather(front->position, g->b, &ub);
    vo_v8 d = v8_sub(b, a);
    vo_f8 rest = f8_load(g->rest), length2 = v8_dot(d, d);
    vo_m8 is_long = length2 > rest * rest;
    if (!m8_any(is_long)) return;
    vo_f8 wa = f8_mask(ua > zero, f8_load(g->wa)), wb = f8_mask(ub > zero, f8_load(g->wb));
    vo_f8 length = f8_sqrt(length2);
    vo_f8 s = f8_mask(is_long, f8_divide(length - rest, length * (wa + wb), LEAST));
    move_vertices(levels, front, g->a, a, ua, s * wa, d);
    move_vertices(levels, front, g->b, b, ub, -(s * wb), d);
}

/* Midpoints move by the mean displacement of the ends. */
VO_INLINE void move_middles(vo_rt_levels *levels, vo_rt_front *front, const vo_rt_split_group *g) {
    const vo_f8 zero = f8_set(0);
    vo_f8 unused, w;
    vo_v8 sum =
        v8_add(v8_gather(levels->shift, g->a, &unused), v8_gather(levels->shift, g->b, &unused));
    if (!m8_any((sum.x != zero) | (sum.y != zero) | (sum.z != zero))) return;
    vo_v8 x = v8_gather(front->position, g->middle, &w);
    vo_v8 mean = v8_scale(f8_mask(w > zero, f8_set(0.5f)), sum);
    v8_scatter(levels->shift, g->middle, mean, zero);
    v8_scatter(front->position, g->middle, v8_add(x, mean), w);
}

void VO_KERNEL(vo_rt_project_levels)(vo_rt_levels *levels, vo_rt_front *front) {
    memset(levels->shift, 0, (size_t)front->vertex_end * sizeof *levels->shift);
    for (int level = 0; level <= VO_RT_MAX_LEVEL; level++) {
        vo_rt_split_group *group = levels->group + levels->begin[level];
        int count = levels->begin[level + 1] - levels->begin[level];
        VO_RT_FOR_GROUPS(i, count) project_group(levels, front, &group[i]);
        for (int i = 0; i < count; i++) move_middles(levels, front, &group[i]);
    }
}

/* Height of the midpoints above the middle of the ends. */
VO_INLINE vo_v8 find_height(vo_v8 a, vo_v8 middle, vo_v8 b) {
    return v8_add_scaled(middle, f8_set(-0.5f), v8_add(a, b));
}

VO_INLINE vo_v8 find_start(const vo_rt_front *front, const vo_rt_split_group *g) {
    vo_f8 unused;
    return find_height(v8_gather(front->velocity, g->a, &unused),
                       v8_gather(front->velocity, g->middle, &unused),
                       v8_gather(front->velocity, g->b, &unused));
}

/* Moves the height s towards 0 as implicit Euler does at the end of the interval: by the fraction
 * r / (1 + r), r = k t^2 W. Strips of half the length have 16 r, of which the fraction
 * 1 / (1 + 16 r) acts at their level; this one adds the rest. */
VO_INLINE void bend_group(vo_rt_levels *levels, vo_rt_front *front, const vo_rt_split_group *g,
                          const vo_rt_bend_pass *pass) {
    const vo_f8 zero = f8_set(0), one = f8_set(1);
    vo_f8 ua, um, ub;
    vo_v8 a = v8_gather(front->position, g->a, &ua), b = v8_gather(front->position, g->b, &ub);
    vo_v8 middle = v8_gather(front->position, g->middle, &um);
    vo_f8 wa = f8_mask(ua > zero, f8_load(g->bend_wa)), wb = f8_mask(ub > zero, f8_load(g->bend_wb));
    vo_f8 wm = f8_mask(um > zero, f8_load(g->bend_wm)), w = wm + f8_set(0.25f) * (wa + wb);
    vo_v8 s = find_height(a, middle, b), motion = v8_sub(s, find_start(front, g));
    s = v8_add_scaled(s, f8_set(pass->lookahead), motion);
    vo_f8 r = f8_set(pass->stiffness) * f8_load(g->bend) * w, finer = f8_set(16) * r;
    r = r * (finer / (one + finer));
    vo_f8 lambda = f8_set(pass->scale) * f8_divide(r, (one + r) * w, LEAST);
    vo_f8 half = f8_set(0.5f) * lambda;
    move_vertices(levels, front, g->middle, middle, um, -(lambda * wm), s);
    move_vertices(levels, front, g->a, a, ua, half * wa, s);
    move_vertices(levels, front, g->b, b, ub, half * wb, s);
}

void VO_KERNEL(vo_rt_bend_levels)(vo_rt_levels *levels, vo_rt_front *front,
                                  const vo_rt_bend_pass *pass) {
    memset(levels->shift, 0, (size_t)front->vertex_end * sizeof *levels->shift);
    for (int level = 0; level <= VO_RT_MAX_LEVEL; level++) {
        vo_rt_split_group *group = levels->group + levels->begin[level];
        int count = levels->begin[level + 1] - levels->begin[level];
        for (int i = 0; i < count; i++) move_middles(levels, front, &group[i]);
        VO_RT_FOR_GROUPS(i, count) bend_group(levels, front, &group[i], pass);
    }
}

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

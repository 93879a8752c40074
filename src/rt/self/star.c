/* Triangles around the vertices: vertices whose neighbourhood cannot collide with itself. */
#include "rt/self/self_private.h"

#include <float.h>

/* Smallest cosine of a smooth star, and of a calm one at the query. */
static const float SMOOTH_COSINE = 0.6f, CALM_COSINE = 0.35f;

typedef struct corners {
    vo_rt_vec3 ab, ac;
} corners;

static float height_of(corners c, float area) {
    float longest2 = f_max(f3_length2(c.ab), f3_length2(c.ac));
    longest2 = f_max(longest2, f3_length2(f3_sub(c.ac, c.ab)));
    return longest2 > 0 ? area / sqrtf(longest2) : 0;
}

static corners find_corners(const vo_rt_vec4 *x, const int32_t v[3]) {
    vo_rt_vec3 a = f4_xyz(x[v[0]]);
    return (corners){f3_sub(f4_xyz(x[v[1]]), a), f3_sub(f4_xyz(x[v[2]]), a)};
}

/* With edges u and w that move linearly, the area vector is (1-s)^2 u0 x w0 + 2 s (1-s) (u0 x w1 +
 * u1 x w0) / 2 + s^2 u1 x w1. */
static vo_rt_self_path measure_face(const vo_rt_self_set *set, const vo_rt_vec4 *d,
                                    const vo_rt_self_face *f) {
    corners start = find_corners(set->x, f->vertex), turn = find_corners(d, f->vertex);
    corners end = {f3_add(start.ab, turn.ab), f3_add(start.ac, turn.ac)};
    vo_rt_vec3 first = f3_cross(start.ab, start.ac), last = f3_cross(end.ab, end.ac);
    vo_rt_vec3 mixed = f3_add(f3_cross(start.ab, end.ac), f3_cross(end.ab, start.ac));
    float length0 = f3_length(first), length1 = f3_length(last);
    if (!(length0 > 1e-12f) || !(length1 > 1e-12f)) return (vo_rt_self_path){0};
    float inverse0 = 1 / length0, inverse1 = 1 / length1;
    return (vo_rt_self_path){.normal = {f3_scale(inverse0, first),
                                        f3_scale(0.5f * sqrtf(inverse0 * inverse1), mixed),
                                        f3_scale(inverse1, last)},
                             .height = f_min(height_of(start, length0), height_of(end, length1))};
}

static void add_face(vo_rt_self_set *set, const vo_rt_vec4 *d, int face) {
    const vo_rt_self_face *f = &set->face[face];
    vo_rt_self_path p = measure_face(set, d, f);
    for (int k = 0; k < 3; k++) {
        vo_rt_self_star *s = &set->star[f->vertex[k]];
        s->normal = f3_add(s->normal, f3_add(p.normal[0], p.normal[2]));
        s->height = f_min(s->height, p.height);
    }
    set->path[face] = p;
}

/* Smallest cosine between the mean normals of its vertices and the coefficients of a face. */
static void compare_face(vo_rt_self_set *set, int face) {
    const vo_rt_self_path *p = &set->path[face];
    for (int k = 0; k < 3; k++) {
        vo_rt_self_star *s = &set->star[set->face[face].vertex[k]];
        for (int i = 0; i < 3; i++) s->cosine = f_min(s->cosine, f3_dot(s->normal, p->normal[i]));
    }
}

void vo_rt_self_measure_stars(vo_rt_self_set *set, const vo_rt_vec4 *displacement) {
    for (int v = 0; v < set->cloth_vertex_count; v++)
        set->star[v] = (vo_rt_self_star){.height = FLT_MAX, .cosine = 1};
    for (int i = 0; i < set->cloth_face_count; i++) add_face(set, displacement, i);
    for (int v = 0; v < set->cloth_vertex_count; v++)
        set->star[v].normal = f3_normalize(set->star[v].normal);
    for (int i = 0; i < set->cloth_face_count; i++) compare_face(set, i);
}

void vo_rt_self_find_calm(vo_rt_self_set *set) {
    for (int v = 0; v < set->cloth_vertex_count; v++) {
        const vo_rt_self_star *s = &set->star[v];
        set->flags[v] &= (uint8_t) ~(VO_RT_SELF_SMOOTH | VO_RT_SELF_CALM);
        if (!(s->height > 0)) continue;
        if (s->cosine >= SMOOTH_COSINE) set->flags[v] |= VO_RT_SELF_SMOOTH;
        if (s->cosine >= CALM_COSINE && !(set->flags[v] & VO_RT_SELF_BORDER))
            set->flags[v] |= VO_RT_SELF_CALM;
    }
}

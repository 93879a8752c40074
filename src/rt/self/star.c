/* Triangles around the vertices: vertices whose neighbourhood cannot collide with itself. */
#include "rt/self/self_private.h"

#include <float.h>

/* Smallest cosine of a smooth star, and of a calm one at the query. */
static const float SMOOTH_COSINE = 0.6f, CALM_COSINE = 0.35f;

/* A face on its path: area vectors at the start and at the end, and the mixed one between them. */
typedef struct face_path {
    vo_rt_vec3 area[3]; /* m^2, Bernstein coefficients: start, mixed, end */
    float inverse[3];   /* 1 / length of each; of the mixed one: their geometric mean */
    vo_rt_vec3 normal;  /* unit, at the start; zero if the face is degenerate */
    vo_rt_vec3 turned;  /* unit, at the end */
    float height;       /* m, smallest */
} face_path;

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
static face_path measure_face(const vo_rt_self_set *set, const vo_rt_vec4 *d,
                              const vo_rt_self_face *f) {
    corners start = find_corners(set->x, f->vertex), turn = find_corners(d, f->vertex);
    corners end = {f3_add(start.ab, turn.ab), f3_add(start.ac, turn.ac)};
    face_path p = {.area = {f3_cross(start.ab, start.ac),
                            f3_add(f3_cross(start.ab, end.ac), f3_cross(end.ab, start.ac)),
                            f3_cross(end.ab, end.ac)}};
    p.area[1] = f3_scale(0.5f, p.area[1]);
    float length0 = f3_length(p.area[0]), length1 = f3_length(p.area[2]);
    if (!(length0 > 1e-12f) || !(length1 > 1e-12f)) return (face_path){0};
    p.inverse[0] = 1 / length0;
    p.inverse[2] = 1 / length1;
    p.inverse[1] = sqrtf(p.inverse[0] * p.inverse[2]);
    p.normal = f3_scale(p.inverse[0], p.area[0]);
    p.turned = f3_scale(p.inverse[2], p.area[2]);
    p.height = f_min(height_of(start, length0), height_of(end, length1));
    return p;
}

static void add_face(vo_rt_self_set *set, const vo_rt_vec4 *d, int face) {
    const vo_rt_self_face *f = &set->face[face];
    face_path p = measure_face(set, d, f);
    for (int k = 0; k < 3; k++) {
        vo_rt_self_star *s = &set->star[f->vertex[k]];
        s->normal = f3_add(s->normal, f3_add(p.normal, p.turned));
        s->height = f_min(s->height, p.height);
    }
    set->face_normal[face] = p.normal;
}

/* Smallest cosine between the mean normals of its vertices and the coefficients of a face. */
static void compare_face(vo_rt_self_set *set, const vo_rt_vec4 *d, const vo_rt_self_face *f) {
    face_path p = measure_face(set, d, f);
    for (int k = 0; k < 3; k++) {
        vo_rt_self_star *s = &set->star[f->vertex[k]];
        for (int i = 0; i < 3; i++)
            s->cosine = f_min(s->cosine, p.inverse[i] * f3_dot(s->normal, p.area[i]));
    }
}

void vo_rt_self_measure_stars(vo_rt_self_set *set, const vo_rt_vec4 *displacement) {
    for (int v = 0; v < set->cloth_vertex_count; v++)
        set->star[v] = (vo_rt_self_star){.height = FLT_MAX, .cosine = 1};
    for (int i = 0; i < set->cloth_face_count; i++) add_face(set, displacement, i);
    for (int v = 0; v < set->cloth_vertex_count; v++)
        set->star[v].normal = f3_normalize(set->star[v].normal);
    for (int i = 0; i < set->cloth_face_count; i++) compare_face(set, displacement, &set->face[i]);
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

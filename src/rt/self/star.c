/* Triangles around the vertices: vertices whose neighbourhood cannot collide with itself. */
#include "rt/self/self_private.h"

#include <float.h>

/* Smallest cosine between the normals of a smooth star and their mean. */
static const float LEAST_COSINE = 0.6f;
/* Largest shear of a calm star, as a fraction of its height, and its smallest clearance. */
static const float MAX_SHEAR = 0.18f, LEAST_CLEARANCE = 0.3f;

typedef struct face_shape {
    vo_rt_vec3 normal; /* unit; zero if the face is degenerate */
    float height;      /* m, smallest */
} face_shape;

static face_shape measure_face(const vo_rt_self_set *set, const vo_rt_self_face *f) {
    vo_rt_vec3 a = f4_xyz(set->x[f->vertex[0]]), b = f4_xyz(set->x[f->vertex[1]]);
    vo_rt_vec3 c = f4_xyz(set->x[f->vertex[2]]);
    vo_rt_vec3 ab = f3_sub(b, a), ac = f3_sub(c, a), bc = f3_sub(c, b), n = f3_cross(ab, ac);
    float longest2 = f_max(f3_length2(ab), f_max(f3_length2(ac), f3_length2(bc)));
    float area = f3_length(n);
    if (!(area > 1e-12f) || !(longest2 > 0)) return (face_shape){{0, 0, 0}, 0};
    return (face_shape){f3_scale(1 / area, n), area / sqrtf(longest2)};
}

static void add_face(vo_rt_self_set *set, const vo_rt_self_face *f) {
    face_shape shape = measure_face(set, f);
    for (int k = 0; k < 3; k++) {
        vo_rt_self_star *s = &set->star[f->vertex[k]];
        s->normal = f3_add(s->normal, shape.normal);
        s->height = f_min(s->height, shape.height);
    }
    set->face_normal[f - set->face] = shape.normal;
}

void vo_rt_self_measure_shear(vo_rt_self_set *set) {
    for (int v = 0; v < set->vertex_count; v++) set->star[v].shear = 0;
    for (int i = 0; i < set->face_count; i++) {
        const int32_t *v = set->face[i].vertex;
        vo_rt_vec3 a = f4_xyz(set->drift[v[0]]), b = f4_xyz(set->drift[v[1]]);
        vo_rt_vec3 c = f4_xyz(set->drift[v[2]]);
        float shear2 = f_max(f3_length2(f3_sub(a, b)),
                             f_max(f3_length2(f3_sub(b, c)), f3_length2(f3_sub(c, a))));
        for (int k = 0; k < 3; k++) set->star[v[k]].shear = f_max(set->star[v[k]].shear, shear2);
    }
    for (int v = 0; v < set->vertex_count; v++) set->star[v].shear = sqrtf(set->star[v].shear);
}

static void classify(vo_rt_self_set *set, int v) {
    vo_rt_self_star *s = &set->star[v];
    if (!(s->cosine >= LEAST_COSINE) || !(s->height > 0)) return;
    set->flags[v] |= VO_RT_SELF_SMOOTH;
    float shear = s->shear / s->height;
    if (!(set->flags[v] & VO_RT_SELF_BORDER) && shear <= MAX_SHEAR &&
        (s->cosine - 2 * shear) * (1 - 2 * shear) >= LEAST_CLEARANCE)
        set->flags[v] |= VO_RT_SELF_CALM;
}

void vo_rt_self_measure_stars(vo_rt_self_set *set) {
    for (int v = 0; v < set->vertex_count; v++)
        set->star[v] = (vo_rt_self_star){.height = FLT_MAX, .cosine = 1};
    for (int v = 0; v < set->vertex_count; v++)
        set->flags[v] &= (uint8_t) ~(VO_RT_SELF_SMOOTH | VO_RT_SELF_CALM | VO_RT_SELF_TANGLED);
    for (int i = 0; i < set->face_count; i++) add_face(set, &set->face[i]);
    for (int v = 0; v < set->vertex_count; v++)
        set->star[v].normal = f3_normalize(set->star[v].normal);
    for (int i = 0; i < set->face_count; i++)
        for (int k = 0; k < 3; k++) {
            vo_rt_self_star *s = &set->star[set->face[i].vertex[k]];
            s->cosine = f_min(s->cosine, f3_dot(s->normal, set->face_normal[i]));
        }
    vo_rt_self_measure_shear(set);
    for (int v = 0; v < set->vertex_count; v++) classify(set, v);
}

/* Displacements that are free of collisions: half of the distance of each pair of features, and of
 * the height of the triangles around calm vertices. */
#include "rt/self/self_private.h"

static float along(const vo_rt_vec4 *displacement, int vertex, vo_rt_vec3 n) {
    return f3_dot(n, f4_xyz(displacement[vertex]));
}

void vo_rt_self_measure_sides(const vo_rt_vec4 *displacement, const vo_rt_self_pair *p, float *a,
                              float *b) {
    *a = INFINITY;
    *b = -INFINITY;
    for (int k = 0; k < 4; k++) {
        float d = along(displacement, p->vertex[k], p->normal);
        if (k < p->count_a)
            *a = f_min(*a, d);
        else
            *b = f_max(*b, d);
    }
}

float vo_rt_self_approach(const vo_rt_vec4 *displacement, const vo_rt_self_pair *p) {
    float a, b;
    vo_rt_self_measure_sides(displacement, p, &a, &b);
    return b - a;
}

/* Distance between features of a calm star that share no vertex: the projected star is embedded,
 * and they are separated by a whole triangle, so by its projected height. */
static float star_clearance(const vo_rt_self_set *set, int v) {
    const vo_rt_self_star *s = &set->star[v];
    if (!(set->flags[v] & VO_RT_SELF_CALM)) return INFINITY;
    return f_max(s->cosine * s->height - set->gap, 0);
}

static void bound_by_stars(vo_rt_self_set *set) {
    for (int i = 0; i < set->cloth_face_count; i++) {
        const int32_t *v = set->face[i].vertex;
        float least = f_min(star_clearance(set, v[0]),
                            f_min(star_clearance(set, v[1]), star_clearance(set, v[2])));
        least = f_min(least, vo_rt_self_flat_clearance(set, i));
        for (int k = 0; k < 3; k++)
            set->bound[v[k]] = f_min(set->bound[v[k]], VO_RT_SELF_USE * least);
    }
}

/* Pairs that are not listed are R apart from the predicted path. */
static void bound_by_search(vo_rt_self_set *set, const vo_rt_vec4 *displacement) {
    for (int v = 0; v < set->cloth_vertex_count; v++) {
        float away = f3_distance(f4_xyz(displacement[v]), f4_xyz(set->drift[v]));
        float left = set->is_full ? 0 : VO_RT_SELF_RANGE * set->high[v].w - away;
        set->bound[v] = f_max(left, 0);
    }
}

static void bound_by_pair(vo_rt_self_set *set, const vo_rt_vec4 *displacement,
                          const vo_rt_self_pair *p) {
    float approach = f_max(vo_rt_self_approach(displacement, p), 0);
    /* A body does not move any further: the cloth may use the whole distance. */
    float use = vo_rt_self_has_obstacle(set, p) ? 2 * VO_RT_SELF_USE : VO_RT_SELF_USE;
    float bound = use * f_max(vo_rt_self_clearance(set, p) - approach, 0);
    for (int k = 0; k < 4; k++) {
        int v = p->vertex[k];
        if (v < set->cloth_vertex_count) set->bound[v] = f_min(set->bound[v], bound);
    }
}

void vo_rt_self_find_bounds(vo_rt_self_set *set, const vo_rt_vec4 *displacement) {
    bound_by_search(set, displacement);
    bound_by_stars(set);
    for (int i = 0; i < set->pair_count; i++)
        if (!vo_rt_self_is_exempt(set, &set->pair[i]))
            bound_by_pair(set, displacement, &set->pair[i]);
}

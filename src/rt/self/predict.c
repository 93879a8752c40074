/* Predicted displacements without collisions of the anchors, and bounds. */
#include "rt/self/self_private.h"

/* Part of its distance by which the anchors of a pair may approach. */
static const float MAX_APPROACH = 0.5f;
/* Limit that the scaling of all displacements enforces. */
static const float HARD_APPROACH = 0.7f;
/* Shear of a calm star, as a fraction of its height, that the scaling enforces. */
static const float HARD_SHEAR = 0.22f;
/* Adjustment of P beyond the slack, as a fraction of the radius, that reduces bounds; larger ones
 * need a new search. */
static const float MAX_EXCESS = 0.3f;
enum { PASSES = 8 };

static float along(const vo_rt_self_set *set, int vertex, vo_rt_vec3 n) {
    return f3_dot(n, f4_xyz(set->drift[vertex]));
}

/* Smallest displacement of side A and largest of side B along the normal. */
static void measure_sides(const vo_rt_self_set *set, const vo_rt_self_pair *p, float *a, float *b) {
    *a = INFINITY;
    *b = -INFINITY;
    for (int k = 0; k < 4; k++) {
        float d = along(set, p->vertex[k], p->normal);
        if (k < p->count_a)
            *a = f_min(*a, d);
        else
            *b = f_max(*b, d);
    }
}

float vo_rt_self_approach(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    float a, b;
    measure_sides(set, p, &a, &b);
    return b - a;
}

static float clearance(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    return f_max(p->distance - set->gap, 0);
}

static void shift_along(vo_rt_self_set *set, int v, vo_rt_vec3 n, float distance) {
    if (set->flags[v] & VO_RT_SELF_FIXED) return;
    set->drift[v] = f4_make(f3_add_scaled(f4_xyz(set->drift[v]), distance, n), 0);
}

/* Both sides share the excess of the approach equally; true if there was any. */
static bool separate(vo_rt_self_set *set, const vo_rt_self_pair *p) {
    float a, b;
    measure_sides(set, p, &a, &b);
    float excess = b - a - MAX_APPROACH * clearance(set, p);
    if (!(excess > 0)) return false;
    float low = a + 0.5f * excess, high = b - 0.5f * excess;
    for (int k = 0; k < 4; k++) {
        float d = along(set, p->vertex[k], p->normal);
        if (k < p->count_a ? d < low : d > high)
            shift_along(set, p->vertex[k], p->normal, (k < p->count_a ? low : high) - d);
    }
    return true;
}

/* Scale of all displacements with which every pair and star keeps its distance. */
static float find_scale(const vo_rt_self_set *set) {
    float scale = 1;
    for (int i = 0; i < set->pair_count; i++) {
        const vo_rt_self_pair *p = &set->pair[i];
        float approach = vo_rt_self_approach(set, p), limit = HARD_APPROACH * clearance(set, p);
        if (scale * approach > limit && !vo_rt_self_is_exempt(set, p)) scale = limit / approach;
    }
    for (int v = 0; v < set->vertex_count; v++) {
        const vo_rt_self_star *s = &set->star[v];
        if ((set->flags[v] & VO_RT_SELF_CALM) && scale * s->shear > HARD_SHEAR * s->height)
            scale = HARD_SHEAR * s->height / s->shear;
    }
    return scale;
}

void vo_rt_self_limit_drift(vo_rt_self_set *set) {
    vo_rt_self_measure_shear(set);
    float scale = find_scale(set);
    set->drift_scale = scale;
    if (scale == 1) return;
    set->shift = f3_scale(scale, set->shift);
    for (int v = 0; v < set->vertex_count; v++) {
        set->drift[v] = f4_make(f3_scale(scale, f4_xyz(set->drift[v])), 0);
        set->star[v].shear *= scale;
    }
}

/* Adjustment of a displacement beyond the slack of the search, m. */
static float excess_of(const vo_rt_self_set *set, int v) {
    float change = f3_distance(f4_xyz(set->drift[v]), set->wanted[v]);
    return f_max(change - VO_RT_SELF_SLACK * set->radius[v], 0);
}

void vo_rt_self_undo_adjustment(vo_rt_self_set *set) {
    for (int v = 0; v < set->vertex_count; v++) set->drift[v] = f4_make(set->wanted[v], 0);
}

bool vo_rt_self_predict(vo_rt_self_set *set) {
    bool changed = true;
    if (set->is_static) return true;
    for (int v = 0; v < set->vertex_count; v++) set->wanted[v] = f4_xyz(set->drift[v]);
    for (int pass = 0; pass < PASSES && changed; pass++) {
        changed = false;
        for (int i = 0; i < set->pair_count; i++)
            if (!vo_rt_self_is_exempt(set, &set->pair[i])) changed |= separate(set, &set->pair[i]);
        if (changed) vo_rt_self_project_predictions(set);
    }
    for (int v = 0; v < set->vertex_count; v++)
        if (excess_of(set, v) > MAX_EXCESS * set->radius[v]) return false;
    return true;
}

/* --- Bounds ----------------------------------------------------------------------------------- */

/* Distance between features of a calm star that share no vertex: projected height. */
static float star_clearance(const vo_rt_self_set *set, int v) {
    const vo_rt_self_star *s = &set->star[v];
    if (!(set->flags[v] & VO_RT_SELF_CALM)) return INFINITY;
    float tilt = 2 * s->shear / s->height;
    return f_max((s->cosine - tilt) * (s->height - 2 * s->shear) - set->gap, 0);
}

void vo_rt_self_init_bounds(vo_rt_self_set *set) {
    for (int v = 0; v < set->vertex_count; v++) set->bound[v] = 2 * VO_RT_SELF_USE * set->radius[v];
}

void vo_rt_self_bound_by_drift(vo_rt_self_set *set) {
    for (int v = 0; v < set->vertex_count && !set->is_static; v++) {
        float left = set->radius[v] - excess_of(set, v);
        set->bound[v] = f_min(set->bound[v], 2 * VO_RT_SELF_USE * f_max(left, 0));
    }
}

void vo_rt_self_bound_by_stars(vo_rt_self_set *set) {
    for (int i = 0; i < set->face_count; i++) {
        const int32_t *v = set->face[i].vertex;
        float least = f_min(star_clearance(set, v[0]),
                            f_min(star_clearance(set, v[1]), star_clearance(set, v[2])));
        for (int k = 0; k < 3; k++)
            set->bound[v[k]] = f_min(set->bound[v[k]], VO_RT_SELF_USE * least);
    }
}

void vo_rt_self_bound_by_pair(vo_rt_self_set *set, const vo_rt_self_pair *p) {
    float approach = f_max(vo_rt_self_approach(set, p), 0);
    float bound = VO_RT_SELF_USE * f_max(clearance(set, p) - approach, 0);
    for (int k = 0; k < 4; k++) set->bound[p->vertex[k]] = f_min(set->bound[p->vertex[k]], bound);
}

/* Continuous collision detection over a list of pairs. Most pairs are excluded by one separating
 * direction for the whole step; only the others need a CCD query (ccd.c). */
#include "collide/impact.h"

#include "collide/arrays.h"
#include "collide/dense_region.h"
#include "collide/distance.h"
#include "collide/pair_cache/pair.h"
#include "core/memory.h"
#include "core/parallel.h"

#include <voile/collide.h>

#define NO_IMPACT          2.0 /* later than any time of impact */
#define MAX_DISTANCE_RATIO 2.5 /* times the smallest distance: pairs beyond it are left out */
#define ROUNDING           (8 * 0x1p-53)

enum {
    FIND_GRAIN = 128,
    MAX_QUERY_STEPS = 256, /* features that rotate closely around each other are an impact after
                              this many steps */
};

/* The four points at both ends of the step. */
typedef struct motion {
    vo_feature_kind kind;
    vo_vec3 start[4], end[4];
} motion;

/* Closest points as weights with the signs of vo_impact. */
typedef struct closest {
    double weight[4];
    vo_vec3 offset; /* from the second feature to the first */
    double distance;
} closest;

static closest closest_points(vo_feature_kind kind, const vo_vec3 x[4]) {
    if (kind == VO_NODE_FACE) {
        vo_face_point c = vo_distance_vertex_face(x[0], x[1], x[2], x[3]);
        return (closest){
            {1, -c.weight[0], -c.weight[1], -c.weight[2]}, v3_negate(c.offset), sqrt(c.squared)};
    }
    vo_edge_pair c = vo_distance_edge_edge(x[0], x[1], x[2], x[3]);
    return (closest){{1 - c.s, c.s, c.t - 1, -c.t}, v3_negate(c.offset), sqrt(c.squared)};
}

/* ---- time of impact ------------------------------------------------------------------------- */

/* Returns the CCD parameters for min_distance and trigger_distance of impact.h. */
static vo_ccd_def query_def(double distance, double thickness) {
    double min_gap = vo_max(thickness, VO_MIN_THICKNESS) / 50;
    return (vo_ccd_def){.thickness = vo_min(0.88 * distance, min_gap / 10),
                        .min_gap_ratio = vo_min(0.1, 0.4 * min_gap / distance),
                        .max_steps = MAX_QUERY_STEPS};
}

static bool query_ccd(const vo_ccd_def *def, vo_feature_kind kind, const vo_vec3 *start,
                      const vo_vec3 *end, double *time) {
    return kind == VO_NODE_FACE ? vo_ccd_vertex_face(def, start, end, time)
                                : vo_ccd_edge_edge(def, start, end, time);
}

/* Returns true if the plane perpendicular to the shortest connection at x0 separates the features
 * at both ends and therefore, since heights are linear in time, during the whole step. */
static bool is_separated(const motion *m, const closest *c, const vo_ccd_def *def) {
    double clearance = def->thickness + def->min_gap_ratio * (c->distance - def->thickness);
    double limit =
        clearance * c->distance * (1 + 4 * ROUNDING); /* the direction has length `distance` */
    return vo_pair_min_height(m->kind, c->offset, m->end) > limit &&
           vo_pair_min_height(m->kind, c->offset, m->start) > limit;
}

static bool same_point(vo_vec3 a, vo_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static bool is_at_rest(const motion *m) {
    for (int i = 0; i < 4; i++)
        if (!same_point(m->start[i], m->end[i])) return false;
    return true;
}

static vo_impact_time impact_time(const motion *m, double thickness) {
    vo_impact_time out = {.time = NO_IMPACT};
    if (is_at_rest(m)) return out;
    closest c = closest_points(m->kind, m->start);
    if (!(c.distance > 0)) return out;
    out.distance = c.distance;
    vo_ccd_def def = query_def(c.distance, thickness);
    double time, ignored;
    if (is_separated(m, &c, &def)) return out;
    if (!query_ccd(&def, m->kind, m->start, m->end, &time)) return out;
    bool touches = time == 0 && query_ccd(&def, m->kind, m->start, m->start, &ignored);
    if (!touches) out.time = time;
    return out;
}

/* ---- impact data ---------------------------------------------------------------------------- */

/* Returns the unit normal of the closest features towards the first feature; for interior closest
 * points from the cross product, which stays accurate at tiny distances. */
static vo_vec3 contact_normal(vo_feature_kind kind, const vo_vec3 x[4], const closest *c) {
    bool inside = true;
    for (int i = 0; i < 4; i++) inside = inside && c->weight[i] != 0;
    vo_vec3 n = c->offset;
    if (inside && kind == VO_NODE_FACE)
        n = v3_cross(v3_sub(x[2], x[1]), v3_sub(x[3], x[1]));
    else if (inside)
        n = v3_cross(v3_sub(x[1], x[0]), v3_sub(x[3], x[2]));
    if (!(v3_length2(n) > 0)) n = c->offset;
    n = v3_normalize(n);
    return v3_dot(n, c->offset) < 0 ? v3_negate(n) : n;
}

/* Returns the target distance: the thickness (at most `max_thickness`), or the initial separation
 * if that is less: the distance at x0, and the height along the normal, which is smaller for
 * features that approach from the side. At least twice the trigger distance, so that a satisfied
 * impact is not detected again. Tiny gaps grow. */
static double target_distance(double distance, double height, double thickness,
                              double max_thickness) {
    double min_gap = vo_max(thickness, VO_MIN_THICKNESS) / 50;
    double initial = vo_min(distance, vo_max(height, 2 * min_gap));
    return vo_max(vo_min(initial, max_thickness), vo_min(1.9 * distance, 2 * min_gap));
}

static vo_impact make_impact(const vo_surface *s, const vo_feature_pair *pair, const motion *m,
                             double time, double thickness) {
    vo_vec3 x[4];
    for (int i = 0; i < 4; i++) x[i] = v3_lerp(m->start[i], m->end[i], time);
    closest c = closest_points(m->kind, x);
    vo_impact out = {.pair = *pair, .normal = contact_normal(m->kind, x, &c)};
    for (int i = 0; i < 4; i++) out.weight[i] = c.weight[i];
    const int order[4] = {0, 1, 2, 3};
    double height = v3_dot(out.normal, vo_weighted_sum(c.weight, order, m->start));
    closest start = closest_points(m->kind, m->start);
    out.start_direction = v3_normalize(start.offset);
    out.start_distance = start.distance;
    double max_thickness = vo_pair_thickness(s, pair->node, vo_max(thickness, VO_MIN_THICKNESS));
    out.target_distance = target_distance(start.distance, height, thickness, max_thickness);
    return out;
}

/* ---- all pairs ------------------------------------------------------------------------------ */

typedef struct search {
    const vo_surface *surface;
    const vo_feature_pair *pairs;
    double thickness;
    vo_impact_list *out;
} search;

static motion motion_of(const vo_surface *s, const vo_feature_pair *pair) {
    motion m = {.kind = pair->kind};
    for (int i = 0; i < 4; i++) {
        m.start[i] = s->x0[pair->node[i]];
        m.end[i] = s->x1[pair->node[i]];
    }
    return m;
}

static void find_range(void *arg, int begin, int end, int chunk) {
    const search *s = arg;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        motion m = motion_of(s->surface, &s->pairs[i]);
        s->out->time[i] = impact_time(&m, s->thickness);
    }
}

/* Records the smallest start distance of each node's collisions and marks the nodes of all impacts.
 * Only movable nodes are considered: otherwise one corner of a floor would affect everything on
 * it. */
static void record_nearest(const search *s, int count, unsigned char *marks) {
    for (int i = 0; i < count; i++) {
        if (s->out->time[i].time == NO_IMPACT) continue;
        s->out->found_count++;
        for (int k = 0; k < 4; k++) {
            int node = s->pairs[i].node[k];
            if (!(s->surface->inverse_mass[node] > 0)) continue;
            s->out->nearest[node] = vo_min(s->out->nearest[node], s->out->time[i].distance);
            marks[node] = 1;
        }
    }
}

/* Returns true if a pair is among the nearest of one of its movable nodes, or has no movable
 * node. */
static bool is_among_nearest(const search *s, int i) {
    bool any = false;
    for (int k = 0; k < 4; k++) {
        int node = s->pairs[i].node[k];
        if (!(s->surface->inverse_mass[node] > 0)) continue;
        if (s->out->time[i].distance <= MAX_DISTANCE_RATIO * s->out->nearest[node]) return true;
        any = true;
    }
    return !any;
}

/* Creates the impacts of the selected pairs, up to the budget. */
static vo_result collect(const search *s, bool all, int count) {
    vo_impact_list *out = s->out;
    int budget = vo_pair_budget(VO_MAX_NODE_IMPACTS, out->node_count);
    for (int i = 0; i < count && !out->over_budget; i++) {
        double time = out->time[i].time;
        if (time == NO_IMPACT || !(all || is_among_nearest(s, i))) continue;
        out->over_budget = out->count == budget;
        if (out->over_budget) continue;
        if (!vo_reserve(out->ctx, &out->impact, &out->capacity, out->count + 1))
            return vo_fail_memory(out->ctx, "impacts");
        motion m = motion_of(s->surface, &s->pairs[i]);
        out->impact[out->count++] = make_impact(s->surface, &s->pairs[i], &m, time, s->thickness);
    }
    return VO_OK;
}

/* Resets `nearest` for the next search. */
static void reset_nearest(const search *s, int count) {
    for (int i = 0; i < count; i++)
        if (s->out->time[i].time != NO_IMPACT)
            for (int k = 0; k < 4; k++) s->out->nearest[s->pairs[i].node[k]] = INFINITY;
}

vo_result vo_impacts_find(const vo_surface *surface, double thickness, bool all, int count,
                          const vo_feature_pair *pairs, vo_impact_list *out, unsigned char *marks) {
    search s = {surface, pairs, thickness, out};
    out->count = out->found_count = 0;
    out->over_budget = false;
    if (!vo_reserve(out->ctx, &out->time, &out->time_capacity, count))
        return vo_fail_memory(out->ctx, "continuous collision");
    vo_parallel_for(out->ctx, count, FIND_GRAIN, find_range, &s);
    record_nearest(&s, count, marks);
    vo_result result = collect(&s, all, count);
    reset_nearest(&s, count);
    return result;
}

vo_result vo_impact_list_create(vo_context *ctx, int node_count, vo_impact_list *out) {
    *out = (vo_impact_list){.ctx = ctx, .node_count = node_count};
    out->nearest = vo_new_array(ctx, double, node_count);
    if (!out->nearest && node_count > 0) return vo_fail_memory(ctx, "impacts");
    for (int i = 0; i < node_count; i++) out->nearest[i] = INFINITY;
    return VO_OK;
}

void vo_impact_list_free(vo_impact_list *list) {
    if (!list->ctx) return;
    vo_free_array(list->ctx, list->impact, list->capacity);
    vo_free_array(list->ctx, list->time, list->time_capacity);
    vo_free_array(list->ctx, list->nearest, list->node_count);
    *list = (vo_impact_list){0};
}

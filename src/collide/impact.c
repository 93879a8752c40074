/* Continuous collision over a list of pairs. Most pairs are cleared by one direction that keeps
 * them apart all the way; only the others are worth a query (ccd.c). */
#include "collide/impact.h"

#include "collide/arrays.h"
#include "collide/candidates_pair.h"
#include "collide/clump.h"
#include "collide/distance.h"
#include "core/memory.h"
#include "core/parallel.h"

#include <voile/collide.h>

#define NO_IMPACT 2.0 /* later than any time */
#define FAR       2.5 /* times the smallest distance: pairs that are left out */
#define ROUNDING  (8 * 0x1p-53)

enum {
    FIND_GRAIN = 128,
    MAX_QUERY_STEPS = 256, /* parts that circle each other closely count as an impact by then */
};

/* The four points at both ends of the step. */
typedef struct motion {
    vo_feature_kind kind;
    vo_vec3 start[4], end[4];
} motion;

/* Closest points, as weights with the signs of vo_impact. */
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

/* ---- is it an impact? ----------------------------------------------------------------------- */

/* `kept` and `alarm` of impact.h, as thickness and approach of a query. */
static vo_ccd_def query_def(double distance, double thickness) {
    double least = vo_max(thickness, VO_LEAST_THICKNESS) / 50;
    return (vo_ccd_def){.thickness = vo_min(0.88 * distance, least / 10),
                        .approach = vo_min(0.1, 0.4 * least / distance),
                        .max_steps = MAX_QUERY_STEPS};
}

static bool ask(const vo_ccd_def *def, vo_feature_kind kind, const vo_vec3 *start,
                const vo_vec3 *end, double *time) {
    return kind == VO_NODE_FACE ? vo_ccd_vertex_face(def, start, end, time)
                                : vo_ccd_edge_edge(def, start, end, time);
}

/* Whether the plane across the shortest connection at x0 keeps the features apart at both ends, so
 * that it does so all the way: heights are linear in time. */
static bool stays_clear(const motion *m, const closest *c, const vo_ccd_def *def) {
    double keep = def->thickness + def->approach * (c->distance - def->thickness);
    double low = keep * c->distance * (1 + 4 * ROUNDING); /* the direction has that length */
    return vo_pair_lowest(m->kind, c->offset, m->end) > low &&
           vo_pair_lowest(m->kind, c->offset, m->start) > low;
}

static bool same_point(vo_vec3 a, vo_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static bool rests(const motion *m) {
    for (int i = 0; i < 4; i++)
        if (!same_point(m->start[i], m->end[i])) return false;
    return true;
}

static vo_impact_time impact_time(const motion *m, double thickness) {
    vo_impact_time out = {.time = NO_IMPACT};
    if (rests(m)) return out;
    closest c = closest_points(m->kind, m->start);
    if (!(c.distance > 0)) return out;
    out.distance = c.distance;
    vo_ccd_def def = query_def(c.distance, thickness);
    double time, ignored;
    if (stays_clear(m, &c, &def)) return out;
    if (!ask(&def, m->kind, m->start, m->end, &time)) return out;
    bool touches = time == 0 && ask(&def, m->kind, m->start, m->start, &ignored);
    if (!touches) out.time = time;
    return out;
}

/* ---- what is it like? ----------------------------------------------------------------------- */

/* Across the features that are closest, which holds its direction when they are very close; towards
 * the first feature. */
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

/* The thickness (at most `most`), or what there was: the distance at x0, and the height above each
 * other, which is less for features that come from the side. At least twice the alarm, so that an
 * impact that has reached its goal is none. Gaps that are hardly any grow. */
static double separation(double distance, double height, double thickness, double most) {
    double least = vo_max(thickness, VO_LEAST_THICKNESS) / 50;
    double had = vo_min(distance, vo_max(height, 2 * least));
    return vo_max(vo_min(had, most), vo_min(1.9 * distance, 2 * least));
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
    out.apart = v3_normalize(start.offset);
    out.distance = start.distance;
    double most = vo_pair_thickness(s, pair->node, vo_max(thickness, VO_LEAST_THICKNESS));
    out.goal = separation(start.distance, height, thickness, most);
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

/* Notes the smallest distance that each node collides over, and marks the nodes of all impacts. Of
 * the nodes only those count that can be moved: one corner of a floor would mark all that lies on
 * it. */
static void note_nearest(const search *s, int count, unsigned char *marks) {
    for (int i = 0; i < count; i++) {
        if (s->out->time[i].time == NO_IMPACT) continue;
        s->out->found++;
        for (int k = 0; k < 4; k++) {
            int node = s->pairs[i].node[k];
            if (!(s->surface->inverse_mass[node] > 0)) continue;
            s->out->nearest[node] = vo_min(s->out->nearest[node], s->out->time[i].distance);
            marks[node] = 1;
        }
    }
}

/* Whether a pair is among the nearest of one of its nodes, or has none that can be moved. */
static bool matters(const search *s, int i) {
    bool any = false;
    for (int k = 0; k < 4; k++) {
        int node = s->pairs[i].node[k];
        if (!(s->surface->inverse_mass[node] > 0)) continue;
        if (s->out->time[i].distance <= FAR * s->out->nearest[node]) return true;
        any = true;
    }
    return !any;
}

/* Makes the impacts of the pairs that are not left out, as far as there may be so many. */
static vo_result collect(const search *s, bool all, int count) {
    vo_impact_list *out = s->out;
    int most = vo_clump_bound(VO_IMPACTS, out->node_count);
    for (int i = 0; i < count && !out->crowded; i++) {
        double time = out->time[i].time;
        if (time == NO_IMPACT || !(all || matters(s, i))) continue;
        out->crowded = out->count == most;
        if (out->crowded) continue;
        if (!vo_reserve(out->ctx, &out->impact, &out->capacity, out->count + 1))
            return vo_fail_memory(out->ctx, "impacts");
        motion m = motion_of(s->surface, &s->pairs[i]);
        out->impact[out->count++] = make_impact(s->surface, &s->pairs[i], &m, time, s->thickness);
    }
    return VO_OK;
}

/* Makes `nearest` ready for the next search. */
static void forget_nearest(const search *s, int count) {
    for (int i = 0; i < count; i++)
        if (s->out->time[i].time != NO_IMPACT)
            for (int k = 0; k < 4; k++) s->out->nearest[s->pairs[i].node[k]] = INFINITY;
}

vo_result vo_impacts_find(const vo_surface *surface, double thickness, bool all, int count,
                          const vo_feature_pair *pairs, vo_impact_list *out, unsigned char *marks) {
    search s = {surface, pairs, thickness, out};
    out->count = out->found = 0;
    out->crowded = false;
    if (!vo_reserve(out->ctx, &out->time, &out->time_capacity, count))
        return vo_fail_memory(out->ctx, "continuous collision");
    vo_parallel_for(out->ctx, count, FIND_GRAIN, find_range, &s);
    note_nearest(&s, count, marks);
    vo_result result = collect(&s, all, count);
    forget_nearest(&s, count);
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

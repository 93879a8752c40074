/* Continuous collision over a list of pairs. Most pairs are cleared by one direction that keeps
 * them apart all the way; only the others are worth a query (ccd.c). */
#include "collide/impact.h"

#include "collide/distance.h"
#include "core/memory.h"
#include "core/parallel.h"

#include <voile/collide.h>

#define NO_IMPACT 2.0 /* later than any time */
#define ROUNDING  (8 * 0x1p-53)

enum {
    FIND_GRAIN = 128,
    MAX_QUERY_STEPS = 256, /* parts that circle each other closely count as an impact by then */
};

static const double smallest_thickness = 1e-6; /* m; the rules need one that is not 0 */

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
    double least = vo_max(thickness, smallest_thickness) / 50;
    return (vo_ccd_def){.thickness = vo_min(0.8 * distance, least / 10),
                        .approach = vo_min(0.1, 0.4 * least / distance),
                        .max_steps = MAX_QUERY_STEPS};
}

static bool ask(const vo_ccd_def *def, vo_feature_kind kind, const vo_vec3 *start,
                const vo_vec3 *end, double *time) {
    return kind == VO_NODE_FACE ? vo_ccd_vertex_face(def, start, end, time)
                                : vo_ccd_edge_edge(def, start, end, time);
}

/* Smallest of n.(a - b) over the points a of the first feature and b of the second, lowered by what
 * may have been rounded (as in ccd.c, where the bounds are derived). */
static double smallest_height(vo_feature_kind kind, const vo_vec3 x[4], vo_vec3 n) {
    double low = INFINITY;
    int split = kind == VO_NODE_FACE ? 1 : 2;
    for (int i = 0; i < split; i++)
        for (int j = split; j < 4; j++) {
            vo_vec3 q = v3_sub(x[i], x[j]);
            double a = n.x * q.x, b = n.y * q.y, c = n.z * q.z;
            low = vo_min(low, a + b + c - ROUNDING * (fabs(a) + fabs(b) + fabs(c)));
        }
    return low;
}

/* Whether the plane across the shortest connection at x0 keeps the features apart at both ends, so
 * that it does so all the way: heights are linear in time. */
static bool stays_clear(const motion *m, const closest *c, const vo_ccd_def *def) {
    double keep = def->thickness + def->approach * (c->distance - def->thickness);
    double low = keep * c->distance * (1 + 4 * ROUNDING); /* the direction has that length */
    return smallest_height(m->kind, m->end, c->offset) > low &&
           smallest_height(m->kind, m->start, c->offset) > low;
}

static bool same_point(vo_vec3 a, vo_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static bool rests(const motion *m) {
    for (int i = 0; i < 4; i++)
        if (!same_point(m->start[i], m->end[i])) return false;
    return true;
}

/* The time of impact, or NO_IMPACT. */
static double impact_time(const motion *m, double thickness) {
    if (rests(m)) return NO_IMPACT;
    closest c = closest_points(m->kind, m->start);
    if (!(c.distance > 0)) return NO_IMPACT;
    vo_ccd_def def = query_def(c.distance, thickness);
    double time, ignored;
    if (stays_clear(m, &c, &def)) return NO_IMPACT;
    if (!ask(&def, m->kind, m->start, m->end, &time)) return NO_IMPACT;
    bool touches = time == 0 && ask(&def, m->kind, m->start, m->start, &ignored);
    return touches ? NO_IMPACT : time;
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

static vo_vec3 combine(const double weight[4], const vo_vec3 x[4]) {
    vo_vec3 sum = v3_zero();
    for (int i = 0; i < 4; i++) sum = v3_add_scaled(sum, weight[i], x[i]);
    return sum;
}

/* The thickness, or what there was: the distance at x0, and the height above each other, which is
 * less for features that come from the side. At least twice the alarm, so that an impact that has
 * reached its goal is none. Gaps that are hardly any grow. */
static double separation(double distance, double height, double thickness) {
    double h = vo_max(thickness, smallest_thickness), least = h / 50;
    double had = vo_min(distance, vo_max(height, 2 * least));
    return vo_max(vo_min(had, h), vo_min(1.5 * distance, 2 * least));
}

static vo_impact make_impact(const vo_feature_pair *pair, const motion *m, double time,
                             double thickness) {
    vo_vec3 x[4];
    for (int i = 0; i < 4; i++) x[i] = v3_lerp(m->start[i], m->end[i], time);
    closest c = closest_points(m->kind, x);
    vo_impact out = {.pair = *pair, .normal = contact_normal(m->kind, x, &c)};
    for (int i = 0; i < 4; i++) out.weight[i] = c.weight[i];
    double height = v3_dot(out.normal, combine(c.weight, m->start));
    double distance = closest_points(m->kind, m->start).distance;
    out.goal = separation(distance, height, thickness);
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

vo_result vo_impacts_find(const vo_surface *surface, double thickness, int count,
                          const vo_feature_pair *pairs, vo_impact_list *out) {
    vo_context *ctx = surface->ctx;
    out->count = 0;
    if (!vo_reserve(ctx, &out->time, &out->time_capacity, count))
        return vo_fail_memory(ctx, "continuous collision");
    search s = {surface, pairs, thickness, out};
    vo_parallel_for(ctx, count, FIND_GRAIN, find_range, &s);
    for (int i = 0; i < count; i++) {
        if (out->time[i] == NO_IMPACT) continue;
        if (!vo_reserve(ctx, &out->impact, &out->capacity, out->count + 1))
            return vo_fail_memory(ctx, "impacts");
        motion m = motion_of(surface, &pairs[i]);
        out->impact[out->count++] = make_impact(&pairs[i], &m, out->time[i], thickness);
    }
    return VO_OK;
}

void vo_impact_list_free(vo_context *ctx, vo_impact_list *list) {
    vo_free_array(ctx, list->impact, list->capacity);
    vo_free_array(ctx, list->time, list->time_capacity);
    *list = (vo_impact_list){0};
}

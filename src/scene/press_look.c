/* What a node sees along its normal. */
#include "core/parallel.h"
#include "scene/press_private.h"

enum { HITS = 24, STACK = 64 };

/* Between these, weights go from nothing to all: cosines of a face's angle to the line; of the
 * node's faces' to its normal; how much strangers have moved in parts of their distance. */
#define EDGE_ON  0.1
#define FACING   0.4
#define CRUMPLED 0.2
#define SMOOTH   0.5
#define AT_HOME  0.6
#define STRANGE  1.0

#define CLEAR 0.005 /* of the body's diagonal: a node so deep behind a surface is not behind it */

/* A face on the line. */
typedef struct hit {
    double s;         /* m along the normal */
    double facing;    /* cosine between its normal and the way to the node: > 0 faces it */
    double weight[3]; /* of its corners */
    int face;
    bool leaves; /* beyond is outside of it, along the line */
} hit;

typedef struct line {
    vo_vec3 from, along, inverse;
    bool down[3];     /* the line goes towards smaller values of this axis */
    double low, high; /* of s */
    int node;         /* its faces are left out */
} line;

static double inverse_of(double x) { return 1 / (fabs(x) < 1e-30 ? 1e-30 : x); }

static line make_line(vo_vec3 from, vo_vec3 along, double low, double high, int node) {
    vo_vec3 inverse = v3(inverse_of(along.x), inverse_of(along.y), inverse_of(along.z));
    return (line){from, along, inverse, {inverse.x < 0, inverse.y < 0, inverse.z < 0},
                  low,  high,  node};
}

/* Slabs: where the line enters the box along each axis, and where it leaves. */
static bool meets_box(const line *l, const vo_bvh_node *box) {
    const float *near_x = l->down[0] ? box->max : box->min;
    const float *far_x = l->down[0] ? box->min : box->max;
    const float *near_y = l->down[1] ? box->max : box->min;
    const float *far_y = l->down[1] ? box->min : box->max;
    const float *near_z = l->down[2] ? box->max : box->min;
    const float *far_z = l->down[2] ? box->min : box->max;
    double in_x = ((double)near_x[0] - l->from.x) * l->inverse.x;
    double in_y = ((double)near_y[1] - l->from.y) * l->inverse.y;
    double in_z = ((double)near_z[2] - l->from.z) * l->inverse.z;
    double out_x = ((double)far_x[0] - l->from.x) * l->inverse.x;
    double out_y = ((double)far_y[1] - l->from.y) * l->inverse.y;
    double out_z = ((double)far_z[2] - l->from.z) * l->inverse.z;
    double in = vo_max(vo_max(l->low, in_x), vo_max(in_y, in_z));
    return in <= vo_min(vo_min(l->high, out_x), vo_min(out_y, out_z));
}

static vo_vec3 mix(const vo_vec3 *x, const int face[3], const double weight[3]) {
    vo_vec3 sum = v3_scale(weight[0], x[face[0]]);
    return v3_add_scaled(v3_add_scaled(sum, weight[1], x[face[1]]), weight[2], x[face[2]]);
}

/* Six times the volume that the line spans with an edge: on which side of it the edge passes. The
 * same bits with the other sign from the other face. */
static double side_of(const line *l, const vo_vec3 *x, int a, int b) {
    if (a > b) return -side_of(l, x, b, a);
    double side = v3_dot(l->along, v3_cross(v3_sub(x[a], l->from), v3_sub(x[b], l->from)));
    return side != 0 ? side : 1e-300;
}

/* Edges all on one side (Woop, Benthin and Wald 2013): between faces with a common edge no line
 * slips through, and none meets both. */
static bool meets_face(const line *l, const vo_vec3 *x, const int face[3], hit *out) {
    if (face[0] == l->node || face[1] == l->node || face[2] == l->node) return false;
    double u = side_of(l, x, face[1], face[2]), v = side_of(l, x, face[2], face[0]);
    if ((u > 0) != (v > 0)) return false;
    double w = side_of(l, x, face[0], face[1]), sum = u + v + w;
    if ((u > 0) != (w > 0)) return false;
    out->weight[0] = u / sum;
    out->weight[1] = v / sum;
    out->weight[2] = w / sum;
    out->s = v3_dot(l->along, v3_sub(mix(x, face, out->weight), l->from));
    out->leaves = u > 0;
    return out->s >= l->low && out->s <= l->high;
}

/* All faces on the line, in the order of the tree; HITS at most. */
static int find_hits(const vo_press *press, const line *l, const vo_vec3 *x, const vo_vec3 *normal,
                     hit hits[HITS]) {
    const vo_bvh_node *nodes = press->tree.nodes;
    int stack[STACK], depth = 0, count = 0;
    if (meets_box(l, &nodes[0])) stack[depth++] = 0;
    while (depth > 0 && count < HITS) {
        int at = stack[--depth];
        if (nodes[at].leaves > 1) {
            if (meets_box(l, &nodes[nodes[at].link])) stack[depth++] = nodes[at].link;
            if (meets_box(l, &nodes[at + 1])) stack[depth++] = at + 1;
            continue;
        }
        hit *h = &hits[count];
        h->face = nodes[at].link;
        if (!meets_face(l, x, press->face[h->face], h)) continue;
        h->facing = -v3_dot(mix(normal, press->face[h->face], h->weight), l->along);
        count++;
    }
    return count;
}

/* How far p has moved as seen from a node that turns with its surface, in parts of its distance;
 * as the weight of a stranger. */
static double moved_by(const vo_press *press, int n, vo_vec3 p, vo_vec3 rest_p) {
    vo_vec3 v = v3_sub(p, press->base[n]), rest = v3_sub(rest_p, press->rest[n]);
    double away = v3_length(v), by = v3_distance(v, q_rotate(press->turn[0][n], rest));
    return away > 0 ? vo_press_ramp(by / away, AT_HOME, STRANGE) : 1;
}

/* How much a node and a point of a face have moved against each other, as both see it. */
static double strangeness(const vo_press *press, int n, const hit *h, vo_vec3 rest_q) {
    const int *face = press->face[h->face];
    double here = moved_by(press, n, mix(press->base, face, h->weight), rest_q), there = 0;
    if (!(here > 0)) return 0;
    for (int k = 0; k < 3; k++)
        there += h->weight[k] * moved_by(press, face[k], press->base[n], press->rest[n]);
    return vo_min(here, there);
}

/* A wish and how much it counts. What lies so near along the surface that a fold of half a turn
 * would not be `gap` wide cannot be asked to make that much room. */
typedef struct claim {
    double weight;
    double wish; /* m */
} claim;

static claim claim_of(const vo_press *press, int n, const hit *h, double gap) {
    claim c = {vo_press_ramp(h->facing, EDGE_ON, FACING), 0};
    if (!(c.weight > 0)) return c;
    vo_vec3 rest_q = mix(press->rest, press->face[h->face], h->weight);
    c.weight *= strangeness(press, n, h, rest_q);
    double room = vo_min(gap, 2 / VO_PI * v3_distance(rest_q, press->rest[n]));
    c.wish = vo_max(0.5 * (room - h->s), 0);
    return c;
}

/* The normal of the faces around a node as they are. */
static vo_vec3 way_out(const vo_press *press, const vo_vec3 *x, int n) {
    vo_vec3 sum = v3_zero();
    for (int i = press->corner_start[n]; i < press->corner_start[n + 1]; i++) {
        const int *f = press->face[press->corner[i]];
        sum = v3_add(sum, v3_cross(v3_sub(x[f[1]], x[f[0]]), v3_sub(x[f[2]], x[f[0]])));
    }
    return v3_normalize(sum);
}

/* How many parts of the body a node lies in, besides its own: those that a line leaves on its way
 * out, less those it enters. */
static int parts_around(const vo_press *press, int n, vo_vec3 out) {
    line l = make_line(press->moved[n], out, 0, INFINITY, n);
    hit hits[HITS];
    int count = find_hits(press, &l, press->moved, press->normal, hits), sum = 0;
    for (int i = 0; i < count; i++) sum += hits[i].leaves ? 1 : -1;
    return vo_max_int(sum, 0);
}

/* The nearest inside first. */
static void sort_inwards(hit *hits, int count) {
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && hits[k].s > hits[k - 1].s; k--) {
            hit swap = hits[k];
            hits[k] = hits[k - 1];
            hits[k - 1] = swap;
        }
}

/* Inwards, the parts that the node lies in are left one after the other. Where the line enters
 * another on the way, what it leaves later says nothing about the node. */
static double wish_inwards(const vo_press *press, int n, double gap, vo_vec3 out, hit *hits,
                           int count) {
    double clear = 1, sum = 0;
    int inside = -1; /* not yet asked */
    sort_inwards(hits, count);
    for (int i = 0; i < count && clear > 0; i++) {
        const hit *h = &hits[i];
        if (h->s >= 0) continue;
        claim c = claim_of(press, n, h, gap);
        if (c.weight > 0 && inside < 0) inside = parts_around(press, n, out);
        if (inside == 0) return 0;
        double enters = vo_press_ramp(-h->facing, EDGE_ON, FACING);
        clear *= 1 - enters * vo_press_ramp(-h->s, 0, CLEAR * press->size);
        sum += clear * c.weight * c.wish;
        if (inside == 1) clear *= 1 - c.weight; /* the last one is left */
        if (c.weight > 0.5) inside = vo_max_int(inside - 1, 1);
    }
    return sum;
}

static double wish_outwards(const vo_press *press, int n, double gap, const hit *hits, int count) {
    double most = 0;
    for (int i = 0; i < count; i++) {
        if (hits[i].s < 0) continue;
        claim c = claim_of(press, n, &hits[i], gap);
        most = vo_max(most, c.weight * c.wish);
    }
    return most;
}

double vo_press_look(const vo_press *press, int node, double in, double gap) {
    hit hits[HITS];
    line l = make_line(press->moved[node], press->normal[node], -in, gap, node);
    int count = find_hits(press, &l, press->moved, press->normal, hits);
    if (count == 0) return 0;
    vo_vec3 out = way_out(press, press->moved, node);
    double smooth = vo_press_ramp(v3_dot(out, l.along), CRUMPLED, SMOOTH);
    if (!(smooth > 0)) return 0;
    double outwards = wish_outwards(press, node, gap, hits, count);
    return smooth * vo_max(outwards, wish_inwards(press, node, gap, out, hits, count));
}

double vo_press_thickness(const vo_press *press, int node) {
    hit hits[HITS];
    line l = make_line(press->rest[node], press->rest_normal[node], -INFINITY, 0, node);
    int count = find_hits(press, &l, press->rest, press->rest_normal, hits);
    double least = INFINITY;
    for (int i = 0; i < count; i++)
        if (hits[i].facing > EDGE_ON) least = vo_min(least, -hits[i].s);
    return least;
}

static void box_faces(void *arg, int begin, int end, int chunk) {
    vo_press *press = arg;
    const vo_vec3 *x = press->moved;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        const int *f = press->face[i];
        press->box[i] = box_triangle(x[f[0]], x[f[1]], x[f[2]]);
    }
}

void vo_press_refit(vo_press *press) {
    vo_parallel_for(press->ctx, press->face_count, VO_PRESS_GRAIN, box_faces, press);
    vo_bvh_refit(press->ctx, &press->tree, press->box);
}

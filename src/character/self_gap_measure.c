/* Requested depth of a node: intersections of its normal with the body. */
#include "character/self_gap_private.h"
#include "core/parallel.h"

enum { HITS = 24, STACK = 64 };

/* Limits between which weights rise from 0 to 1: cosine between face normal and line; cosine
 * between the node's faces and its normal; motion relative to the distance (motion weight). */
#define EDGE_ON  0.1
#define FACING   0.4
#define CRUMPLED 0.2
#define SMOOTH   0.5
#define AT_HOME  0.6
#define STRANGE  1.0

#define MAX_INSIDE_DEPTH                                                                          \
    0.005 /* relative to the diagonal of the body: nodes deeper than this below a surface are not \
             considered inside it */

/* Intersection of a face with the line. */
typedef struct hit {
    double s;         /* m along the normal */
    double facing;    /* cosine between its normal and the direction to the node; > 0: it faces the
                         node */
    double weight[3]; /* barycentric coordinates */
    int face;
    bool leaves; /* the line leaves the body there */
} hit;

typedef struct line {
    vo_vec3 from, along, inverse;
    bool down[3];     /* the line runs towards smaller values of this axis */
    double low, high; /* range of s */
    int node;         /* its faces are skipped */
} line;

static double inverse_of(double x) { return 1 / (fabs(x) < 1e-30 ? 1e-30 : x); }

static line make_line(vo_vec3 from, vo_vec3 along, double low, double high, int node) {
    vo_vec3 inverse = v3(inverse_of(along.x), inverse_of(along.y), inverse_of(along.z));
    return (line){from, along, inverse, {inverse.x < 0, inverse.y < 0, inverse.z < 0},
                  low,  high,  node};
}

/* Slab test of the line against a box. */
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

static vo_vec3 interpolate_face(const vo_vec3 *x, const int face[3], const double weight[3]) {
    vo_vec3 sum = v3_scale(weight[0], x[face[0]]);
    return v3_add_scaled(v3_add_scaled(sum, weight[1], x[face[1]]), weight[2], x[face[2]]);
}

/* Six times the signed volume of the line and an edge: the side on which the edge passes. The
 * neighbouring face gets the same bits with the opposite sign. */
static double edge_side(const line *l, const vo_vec3 *x, int a, int b) {
    if (a > b) return -edge_side(l, x, b, a);
    double side = v3_dot(l->along, v3_cross(v3_sub(x[a], l->from), v3_sub(x[b], l->from)));
    return side != 0 ? side : 1e-300;
}

/* Watertight intersection (Woop, Benthin and Wald 2013): all edges on one side. A line cannot pass
 * between faces with a common edge, nor hit both. */
static bool meets_face(const line *l, const vo_vec3 *x, const int face[3], hit *out) {
    if (face[0] == l->node || face[1] == l->node || face[2] == l->node) return false;
    double u = edge_side(l, x, face[1], face[2]), v = edge_side(l, x, face[2], face[0]);
    if ((u > 0) != (v > 0)) return false;
    double w = edge_side(l, x, face[0], face[1]), sum = u + v + w;
    if ((u > 0) != (w > 0)) return false;
    out->weight[0] = u / sum;
    out->weight[1] = v / sum;
    out->weight[2] = w / sum;
    out->s = v3_dot(l->along, v3_sub(interpolate_face(x, face, out->weight), l->from));
    out->leaves = u > 0;
    return out->s >= l->low && out->s <= l->high;
}

/* Finds all faces on the line, in the order of the tree, at most HITS. */
static int find_hits(const vo_self_gap *self_gap, const line *l, const vo_vec3 *x,
                     const vo_vec3 *normal, hit hits[HITS]) {
    const vo_bvh_node *nodes = self_gap->tree.nodes;
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
        if (!meets_face(l, x, self_gap->face[h->face], h)) continue;
        h->facing = -v3_dot(interpolate_face(normal, self_gap->face[h->face], h->weight), l->along);
        count++;
    }
    return count;
}

/* Returns the motion of p in the frame that rotates with the surface of a node, relative to its
 * distance, mapped to a weight. */
static double relative_motion(const vo_self_gap *self_gap, int n, vo_vec3 p, vo_vec3 rest_p) {
    vo_vec3 v = v3_sub(p, self_gap->base[n]), rest = v3_sub(rest_p, self_gap->rest[n]);
    double away = v3_length(v), by = v3_distance(v, q_rotate(self_gap->turn[0][n], rest));
    return away > 0 ? vo_self_gap_ramp(by / away, AT_HOME, STRANGE) : 1;
}

/* Returns the mutual motion weight of a node and a point of a face. */
static double motion_weight(const vo_self_gap *self_gap, int n, const hit *h, vo_vec3 rest_q) {
    const int *face = self_gap->face[h->face];
    double here = relative_motion(self_gap, n, interpolate_face(self_gap->base, face, h->weight),
                                  rest_q),
           there = 0;
    if (!(here > 0)) return 0;
    for (int k = 0; k < 3; k++)
        there +=
            h->weight[k] * relative_motion(self_gap, face[k], self_gap->base[n], self_gap->rest[n]);
    return vo_min(here, there);
}

/* Requested depth and its weight. Points so near along the surface that a fold of half a turn would
 * be narrower than `gap` request less. */
typedef struct depth_request {
    double weight;
    double depth; /* m */
} depth_request;

static depth_request claim_of(const vo_self_gap *self_gap, int n, const hit *h, double gap) {
    depth_request c = {vo_self_gap_ramp(h->facing, EDGE_ON, FACING), 0};
    if (!(c.weight > 0)) return c;
    vo_vec3 rest_q = interpolate_face(self_gap->rest, self_gap->face[h->face], h->weight);
    c.weight *= motion_weight(self_gap, n, h, rest_q);
    double room = vo_min(gap, 2 / VO_PI * v3_distance(rest_q, self_gap->rest[n]));
    c.depth = vo_max(0.5 * (room - h->s), 0);
    return c;
}

/* Returns the normal of the faces around a node in the current pose. */
static vo_vec3 outward_normal(const vo_self_gap *self_gap, const vo_vec3 *x, int n) {
    vo_vec3 sum = v3_zero();
    for (int i = self_gap->corner_start[n]; i < self_gap->corner_start[n + 1]; i++) {
        const int *f = self_gap->face[self_gap->corner[i]];
        sum = v3_add(sum, v3_cross(v3_sub(x[f[1]], x[f[0]]), v3_sub(x[f[2]], x[f[0]])));
    }
    return v3_normalize(sum);
}

/* Returns the number of other parts of the body that contain the node: exits along the outward line
 * minus entries. */
static int count_containing_parts(const vo_self_gap *self_gap, int n, vo_vec3 out) {
    line l = make_line(self_gap->moved[n], out, 0, INFINITY, n);
    hit hits[HITS];
    int count = find_hits(self_gap, &l, self_gap->moved, self_gap->normal, hits), sum = 0;
    for (int i = 0; i < count; i++) sum += hits[i].leaves ? 1 : -1;
    return vo_max_int(sum, 0);
}

/* Sorts intersections by distance inwards. */
static void sort_inwards(hit *hits, int count) {
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && hits[k].s > hits[k - 1].s; k--) {
            hit swap = hits[k];
            hits[k] = hits[k - 1];
            hits[k - 1] = swap;
        }
}

/* Inward direction: processes the parts that contain the node in the order in which the line leaves
 * them. After the line enters another part, later exits do not concern the node. */
static double request_inwards(const vo_self_gap *self_gap, int n, double gap, vo_vec3 out,
                              hit *hits, int count) {
    double clear = 1, sum = 0;
    int inside = -1; /* not computed yet */
    sort_inwards(hits, count);
    for (int i = 0; i < count && clear > 0; i++) {
        const hit *h = &hits[i];
        if (h->s >= 0) continue;
        depth_request c = claim_of(self_gap, n, h, gap);
        if (c.weight > 0 && inside < 0) inside = count_containing_parts(self_gap, n, out);
        if (inside == 0) return 0;
        double enters = vo_self_gap_ramp(-h->facing, EDGE_ON, FACING);
        clear *= 1 - enters * vo_self_gap_ramp(-h->s, 0, MAX_INSIDE_DEPTH * self_gap->size);
        sum += clear * c.weight * c.depth;
        if (inside == 1) clear *= 1 - c.weight; /* the line leaves the last one */
        if (c.weight > 0.5) inside = vo_max_int(inside - 1, 1);
    }
    return sum;
}

static double request_outwards(const vo_self_gap *self_gap, int n, double gap, const hit *hits,
                               int count) {
    double most = 0;
    for (int i = 0; i < count; i++) {
        if (hits[i].s < 0) continue;
        depth_request c = claim_of(self_gap, n, &hits[i], gap);
        most = vo_max(most, c.weight * c.depth);
    }
    return most;
}

double vo_self_gap_node_depth(const vo_self_gap *self_gap, int node, double in, double gap) {
    hit hits[HITS];
    line l = make_line(self_gap->moved[node], self_gap->normal[node], -in, gap, node);
    int count = find_hits(self_gap, &l, self_gap->moved, self_gap->normal, hits);
    if (count == 0) return 0;
    vo_vec3 out = outward_normal(self_gap, self_gap->moved, node);
    double smooth = vo_self_gap_ramp(v3_dot(out, l.along), CRUMPLED, SMOOTH);
    if (!(smooth > 0)) return 0;
    double outwards = request_outwards(self_gap, node, gap, hits, count);
    return smooth * vo_max(outwards, request_inwards(self_gap, node, gap, out, hits, count));
}

double vo_self_gap_thickness(const vo_self_gap *self_gap, int node) {
    hit hits[HITS];
    line l = make_line(self_gap->rest[node], self_gap->rest_normal[node], -INFINITY, 0, node);
    int count = find_hits(self_gap, &l, self_gap->rest, self_gap->rest_normal, hits);
    double least = INFINITY;
    for (int i = 0; i < count; i++)
        if (hits[i].facing > EDGE_ON) least = vo_min(least, -hits[i].s);
    return least;
}

static void box_faces(void *arg, int begin, int end, int chunk) {
    vo_self_gap *self_gap = arg;
    const vo_vec3 *x = self_gap->moved;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        const int *f = self_gap->face[i];
        self_gap->box[i] = box_triangle(x[f[0]], x[f[1]], x[f[2]]);
    }
}

void vo_self_gap_refit(vo_self_gap *self_gap) {
    vo_parallel_for(self_gap->ctx, self_gap->face_count, VO_SELF_GAP_GRAIN, box_faces, self_gap);
    vo_bvh_refit(self_gap->ctx, &self_gap->tree, self_gap->box);
}

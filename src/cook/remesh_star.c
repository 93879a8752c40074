/* The star of a node that a collapse removes, and the validity and cost of the collapse. */
#include "cook/remesh.h"

#include <math.h>

#define MIN_SHAPE     0.2  /* height relative to the longest side of new faces; 0.87: equilateral */
#define MIN_FAN       1e-3 /* twice the area of fan triangles, relative to their squared sides */
#define MIN_COSINE    0.3  /* between normals of replaced faces in the world */
#define MAX_DEVIATION 0.1  /* of a curve from its chord, relative to the chord */
#define TURN_WEIGHT   6.0
#define CURVE_WEIGHT  10.0
enum { MAX_DEGREE = 11 };

bool vo_remesh_is_edge(const vo_remesh *r, int a, int b) {
    for (int c = r->first_corner[a]; c >= 0; c = r->next_corner[c])
        for (int k = 0; k < 3; k++)
            if (r->face[c / 3][k] == b) return true;
    return false;
}

static int degree_of(const vo_remesh *r, int node) {
    int degree = 0;
    for (int c = r->first_corner[node]; c >= 0; c = r->next_corner[c]) degree++;
    return degree;
}

/* Corner of the star whose face has `from` behind the node; -1 if there is none. */
static int find_corner(const vo_remesh *r, int node, int from) {
    int c = r->first_corner[node];
    while (c >= 0 && r->face[c / 3][(c + 1) % 3] != from) c = r->next_corner[c];
    return c;
}

/* (c + 1) % 3 above is the next corner of the face because 3 f is a multiple of 3. */
static void add_spoke(const vo_remesh *r, vo_remesh_sector *s, int i, int corner, int step) {
    int f = corner / 3, k = (corner + step) % 3;
    s->node[i] = r->face[f][k];
    s->vert[i] = r->vert[f][k];
    s->u[i] = r->mesh->vert_u[s->vert[i]];
}

/* Walks around the node from `start` until `end`, or back to the start if end is -1. */
static bool walk_sector(const vo_remesh *r, int node, int start, int end, vo_remesh_sector *s) {
    s->count = 0;
    s->is_closed = end < 0;
    for (int at = start;;) {
        int corner = find_corner(r, node, at);
        if (corner < 0) return s->count == 0 && end >= 0;
        if (s->count == VO_REMESH_MAX_STAR) return false;
        if (s->count == 0) add_spoke(r, s, 0, corner, 1);
        add_spoke(r, s, s->count + 1, corner, 2);
        s->face[s->count++] = corner / 3;
        s->centre = r->mesh->vert_u[r->vert[corner / 3][corner % 3]];
        at = s->node[s->count];
        if (at == end || at == start) return at == (end < 0 ? start : end);
    }
}

static bool has_distinct_nodes(const vo_remesh_sector *s) {
    int n = s->count + !s->is_closed;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (s->node[i] == s->node[k]) return false;
    return true;
}

/* True for fan triangles (target, node[i], node[i + 1]) of the remaining polygon. */
static bool is_kept(const vo_remesh_sector *s, int i) {
    return s->node[i] != s->node[s->target] && s->node[i + 1] != s->node[s->target];
}

static double fan_area(vo_vec2 a, vo_vec2 b, vo_vec2 c) {
    return v2_cross(v2_sub(b, a), v2_sub(c, a));
}

/* Smallest positive area that is accepted for a triangle of a fan. */
static double least_area(vo_vec2 a, vo_vec2 b, vo_vec2 c) {
    double longest = vo_max(v2_length(v2_sub(b, a)), v2_length(v2_sub(c, a)));
    return MIN_FAN * longest * longest;
}

/* The polygon is star-shaped around its centre and around the target. */
static bool is_fan_valid(const vo_remesh_sector *s) {
    vo_vec2 target = s->u[s->target];
    for (int i = 0; i < s->count; i++) {
        vo_vec2 a = s->u[i], b = s->u[i + 1];
        if (!(fan_area(s->centre, a, b) > least_area(s->centre, a, b))) return false;
        if (is_kept(s, i) && !(fan_area(target, a, b) > least_area(target, a, b))) return false;
    }
    return true;
}

/* No edge that the collapse creates exists, or joins labelled nodes: those would make its midpoint
 * labelled. */
static bool are_new_edges_valid(const vo_remesh *r, const vo_remesh_star *star,
                                const vo_remesh_sector *s) {
    const int *label = r->mesh->node_label;
    int last = s->is_closed ? s->count - 1 : s->count;
    for (int i = 0; i <= last; i++) {
        int a = s->node[i];
        bool is_neighbour = a == star->target || i == s->target + 1 || i == s->target - 1 ||
                            (s->is_closed && i == s->count - 1);
        if (is_neighbour && s->count > 1) continue;
        if (vo_remesh_is_edge(r, star->target, a)) return false;
        bool is_curve = !s->is_closed && (i == 0 || i == s->count);
        if (label[a] != 0 && label[star->target] != 0 &&
            !(is_curve && label[star->node] == label[a]))
            return false;
    }
    return true;
}

static bool check_sector(const vo_remesh *r, vo_remesh_star *star, vo_remesh_sector *s) {
    s->target = s->node[0] == star->target ? 0 : s->count;
    if (s->node[s->target] != star->target) return false;
    if (s->count < (s->is_closed ? 3 : 2)) return false;
    return has_distinct_nodes(s) && is_fan_valid(s) && are_new_edges_valid(r, star, s);
}

/* Moves the centre of a sector to the chord; bounds the deviation of the joined curve. */
static void straighten(const vo_remesh *r, vo_remesh_star *star, vo_remesh_sector *s) {
    const vo_remesh_curve *c[2] = {&r->curve[r->node_curve[star->node][0]],
                                   &r->curve[r->node_curve[star->node][1]]};
    bool is_first = vo_remesh_other_end(c[0], star->node) == s->node[0];
    double split = c[!is_first]->length / (c[0]->length + c[1]->length);
    vo_vec2 chord = v2_sub(s->u[s->count], s->u[0]), old = s->centre;
    s->centre = v2_add(s->u[0], v2_scale(split, chord));
    double deviation = v2_length(v2_sub(old, s->centre)) + vo_max(c[0]->deviation, c[1]->deviation);
    if (!(deviation <= MAX_DEVIATION * v2_length(chord))) star->deviation = INFINITY;
    star->deviation = vo_max(star->deviation, deviation);
}

static bool find_curve_star(const vo_remesh *r, vo_remesh_star *star) {
    int end[2];
    for (int k = 0; k < 2; k++)
        end[k] = vo_remesh_other_end(&r->curve[r->node_curve[star->node][k]], star->node);
    if (end[0] == end[1] || (star->target != end[0] && star->target != end[1])) return false;
    for (int k = 0; k < 2; k++) {
        vo_remesh_sector *s = &star->sector[star->sector_count];
        if (!walk_sector(r, star->node, end[k], end[!k], s)) return false;
        if (s->count == 0) continue; /* beyond a border */
        straighten(r, star, s);
        star->sector_count++;
    }
    return star->deviation < INFINITY;
}

bool vo_remesh_find_star(const vo_remesh *r, int node, int target, vo_remesh_star *star) {
    int count = 0;
    star->node = node;
    star->target = target;
    star->sector_count = 0;
    star->deviation = 0;
    if (r->kind[node] == VO_REMESH_CURVE) {
        if (!find_curve_star(r, star)) return false;
    } else {
        star->sector_count = 1;
        if (!walk_sector(r, node, target, -1, &star->sector[0])) return false;
    }
    for (int i = 0; i < star->sector_count; i++) {
        count += star->sector[i].count;
        if (!check_sector(r, star, &star->sector[i])) return false;
    }
    return count > 0 && count == degree_of(r, node);
}

/* --- Cost ------------------------------------------------------------------------------------- */

static vo_vec3 normal_of(const vo_remesh *r, int a, int b, int c) {
    const vo_vec3 *x = r->mesh->node_x;
    return v3_cross(v3_sub(x[b], x[a]), v3_sub(x[c], x[a]));
}

/* Twice the area of a triangle over its squared longest side, which is written too. */
static double shape_of(vo_vec2 a, vo_vec2 b, vo_vec2 c, double *longest2) {
    const vo_vec2 side[3] = {v2_sub(b, a), v2_sub(c, b), v2_sub(a, c)};
    *longest2 = 0;
    for (int k = 0; k < 3; k++) *longest2 = vo_max(*longest2, v2_dot(side[k], side[k]));
    return fan_area(a, b, c) / *longest2;
}

/* New faces may be as bad as the worst one of the star, so that slivers of the input vanish. */
static double least_shape(const vo_remesh_star *star) {
    double least = MIN_SHAPE, longest2;
    for (int k = 0; k < star->sector_count; k++) {
        const vo_remesh_sector *s = &star->sector[k];
        for (int i = 0; i < s->count; i++)
            least = vo_min(least, shape_of(s->centre, s->u[i], s->u[i + 1], &longest2));
    }
    return least;
}

/* Squared longest side of a new face, its shape and turn; infinite for slivers and folds. */
static double face_cost(const vo_remesh *r, const vo_remesh_star *star, const vo_remesh_sector *s,
                        int i, double min_shape) {
    double longest2, shape = shape_of(s->u[s->target], s->u[i], s->u[i + 1], &longest2);
    vo_vec3 before = normal_of(r, star->node, s->node[i], s->node[i + 1]);
    vo_vec3 after = normal_of(r, star->target, s->node[i], s->node[i + 1]);
    double cosine = v3_dot(v3_normalize(before), v3_normalize(after));
    if (shape < min_shape || !(cosine > MIN_COSINE)) return INFINITY;
    return longest2 / sqrt(shape) * (1 + TURN_WEIGHT * (1 - cosine));
}

double vo_remesh_cost(const vo_remesh *r, const vo_remesh_star *star) {
    double cost = 0, min_shape = least_shape(star);
    if (degree_of(r, star->target) + degree_of(r, star->node) - 4 > MAX_DEGREE) return INFINITY;
    for (int k = 0; k < star->sector_count; k++) {
        const vo_remesh_sector *s = &star->sector[k];
        double chord = v2_length(v2_sub(s->u[s->count], s->u[0])), bend = 0;
        if (!s->is_closed) bend = CURVE_WEIGHT * star->deviation / chord;
        for (int i = 0; i < s->count; i++)
            if (is_kept(s, i))
                cost = vo_max(cost, face_cost(r, star, s, i, min_shape) * (1 + bend));
    }
    const vo_remesh_sector *first = &star->sector[0]; /* short edges first */
    return cost * v2_length(v2_sub(first->u[first->target], first->centre));
}

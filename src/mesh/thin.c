#include "mesh/thin.h"

#include "core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TURN    0.5  /* cosine between a face before and after, at least */
#define SHAPE   0.25 /* of a face, 1 being equilateral, at least, or not worse than before */
#define LONGEST 2.2  /* edges that come about, in those of even faces, at most */
#define BENDING 3    /* how much more a neighbour costs whose edge stands across the faces */
#define LOSS    10   /* what is lost costs so many times its depth */

enum {
    MOST_AROUND = 24, /* faces around a node, for it to go */
    A_ROUND = 8,      /* this part of the nodes goes in a round at most: prices change */
};

/* What a node would cost to be taken out, and where it would go. */
typedef struct offer {
    double cost;
    int node, to; /* to: -1: nowhere */
} offer;

typedef struct thinning {
    vo_context *ctx;
    int node_count, face_count;
    double longest; /* m, that an edge may become */
    const vo_vec3 *x;
    int (*face)[3];    /* [face_count] a node -1: gone */
    int *corner_start; /* [node_count + 1] */
    int *corner;       /* [3 face_count] faces around each node */
    offer *offers;     /* [node_count] */
    char *taken;       /* [node_count] is near a node that went in this round */
} thinning;

/* ---- around a node -------------------------------------------------------------------------- */

static bool has(const int face[3], int node) {
    return face[0] == node || face[1] == node || face[2] == node;
}

/* Faces around each node, of those that are left. */
static void find_corners(thinning *t) {
    int *start = t->corner_start;
    memset(start, 0, (size_t)(t->node_count + 1) * sizeof *start);
    for (int f = 0; f < t->face_count; f++)
        for (int k = 0; k < 3; k++) start[t->face[f][k] + 1]++;
    for (int n = 0; n < t->node_count; n++) start[n + 1] += start[n];
    for (int f = 0; f < t->face_count; f++)
        for (int k = 0; k < 3; k++) t->corner[start[t->face[f][k]]++] = f;
    for (int n = t->node_count; n > 0; n--) start[n] = start[n - 1];
    start[0] = 0;
}

static int faces_around(const thinning *t, int node) {
    return t->corner_start[node + 1] - t->corner_start[node];
}

/* The node that follows in a face. */
static int next_node(const int face[3], int node) {
    return face[0] == node ? face[1] : face[1] == node ? face[2] : face[0];
}

static bool are_neighbours(const thinning *t, int a, int b) {
    for (int i = t->corner_start[a]; i < t->corner_start[a + 1]; i++)
        if (has(t->face[t->corner[i]], b)) return true;
    return false;
}

/* Neighbours of u that are neighbours of v: each follows u in one face. Those beside the edge lose
 * a face, and must keep three. */
static bool may_merge(const thinning *t, int u, int v) {
    int common = 0;
    for (int i = t->corner_start[u]; i < t->corner_start[u + 1]; i++) {
        int w = next_node(t->face[t->corner[i]], u);
        if (w == v || !are_neighbours(t, w, v)) continue;
        if (++common > 2 || faces_around(t, w) < 4) return false;
    }
    return common == 2;
}

/* ---- prices --------------------------------------------------------------------------------- */

static vo_vec3 normal(vo_vec3 a, vo_vec3 b, vo_vec3 c) {
    return v3_cross(v3_sub(b, a), v3_sub(c, a));
}

/* 1 for an equilateral triangle, 0 for none: 4 sqrt(3) area / sum of squared edges. */
static double shape(vo_vec3 a, vo_vec3 b, vo_vec3 c) {
    double sum = v3_length2(v3_sub(b, a)) + v3_length2(v3_sub(c, b)) + v3_length2(v3_sub(a, c));
    return sum > 0 ? 2 * sqrt(3) * v3_length(normal(a, b, c)) / sum : 0;
}

/* Whether a face may have v in the place of u. */
static bool face_may(const thinning *t, const int face[3], int u, int v) {
    vo_vec3 old[3], new[3];
    for (int k = 0; k < 3; k++) {
        old[k] = t->x[face[k]];
        new[k] = t->x[face[k] == u ? v : face[k]];
    }
    vo_vec3 a = normal(old[0], old[1], old[2]), b = normal(new[0], new[1], new[2]);
    if (!(v3_dot(a, b) > TURN * v3_length(a) * v3_length(b))) return false;
    double quality = shape(new[0], new[1], new[2]);
    return quality >= SHAPE || quality >= shape(old[0], old[1], old[2]);
}

/* Sine of the angle between the edge and a face that it leaves, at most 1. */
static double across(const thinning *t, const int face[3], vo_vec3 edge) {
    vo_vec3 n = v3_normalize(normal(t->x[face[0]], t->x[face[1]], t->x[face[2]]));
    return fabs(v3_dot(n, edge)) / v3_length(edge);
}

/* m^3, the tetrahedron between a face and its place when u has gone along the edge: cut off the
 * inside if positive. */
static double cut_off(const thinning *t, const int face[3], vo_vec3 edge) {
    return -v3_dot(normal(t->x[face[0]], t->x[face[1]], t->x[face[2]]), edge) / 6;
}

/* The longest new edge, more where the surface bends, and how deep the cut is: its volume over the
 * square of that edge. Infinite: not allowed. */
static double price(const thinning *t, int u, int v) {
    vo_vec3 edge = v3_sub(t->x[v], t->x[u]);
    double longest = 0, bend = 0, lost = 0;
    if (!(v3_length2(edge) > 0) || !may_merge(t, u, v)) return INFINITY;
    for (int i = t->corner_start[u]; i < t->corner_start[u + 1]; i++) {
        const int *face = t->face[t->corner[i]];
        longest = fmax(longest, v3_distance(t->x[next_node(face, u)], t->x[v]));
        bend = fmax(bend, across(t, face, edge));
        lost += cut_off(t, face, edge);
        if (!has(face, v) && !face_may(t, face, u, v)) return INFINITY;
    }
    if (longest > t->longest) return INFINITY;
    return longest * (1 + BENDING * bend) + LOSS * fmax(lost, 0) / (longest * longest);
}

/* The best neighbour of a node. */
static offer offer_of(const thinning *t, int u) {
    offer best = {INFINITY, u, -1};
    if (faces_around(t, u) > MOST_AROUND) return best;
    for (int i = t->corner_start[u]; i < t->corner_start[u + 1]; i++) {
        int v = next_node(t->face[t->corner[i]], u);
        double cost = price(t, u, v);
        if (cost < best.cost || (cost == best.cost && v < best.to)) best = (offer){cost, u, v};
    }
    return best;
}

static int compare_offers(const void *a, const void *b) {
    const offer *p = a, *q = b;
    if (p->cost != q->cost) return p->cost < q->cost ? -1 : 1;
    return (p->node > q->node) - (p->node < q->node);
}

/* ---- rounds --------------------------------------------------------------------------------- */

/* A face that went has a node -1, and its others are taken: around a node that is not, all are
 * left. */
static bool is_near_taken(const thinning *t, int u) {
    if (t->taken[u]) return true;
    for (int i = t->corner_start[u]; i < t->corner_start[u + 1]; i++)
        for (int k = 0; k < 3; k++)
            if (t->taken[t->face[t->corner[i]][k]]) return true;
    return false;
}

static void merge(thinning *t, int u, int v) {
    for (int i = t->corner_start[u]; i < t->corner_start[u + 1]; i++)
        for (int k = 0; k < 3; k++) t->taken[t->face[t->corner[i]][k]] = 1;
    for (int i = t->corner_start[u]; i < t->corner_start[u + 1]; i++) {
        int *face = t->face[t->corner[i]];
        bool goes = has(face, v);
        for (int k = 0; k < 3; k++)
            if (face[k] == u) face[k] = goes ? -1 : v;
    }
}

/* Closes the gaps that faces left. */
static void close_up(thinning *t) {
    int count = 0;
    for (int f = 0; f < t->face_count; f++) {
        if (has(t->face[f], -1)) continue;
        if (count != f) memcpy(t->face[count], t->face[f], sizeof t->face[f]);
        count++;
    }
    t->face_count = count;
}

/* The cheapest nodes go; how many. */
static int take_round(thinning *t, int most) {
    int nodes = 0, gone = 0;
    find_corners(t);
    for (int n = 0; n < t->node_count; n++) {
        t->taken[n] = 0;
        t->offers[n] = offer_of(t, n);
        nodes += faces_around(t, n) > 0;
    }
    qsort(t->offers, (size_t)t->node_count, sizeof *t->offers, compare_offers);
    int limit = nodes / A_ROUND + 1;
    for (int i = 0; i < t->node_count && gone < limit; i++) {
        const offer *o = &t->offers[i];
        if (o->to < 0 || t->face_count - 2 * gone <= most) break;
        if (is_near_taken(t, o->node)) continue;
        merge(t, o->node, o->to);
        gone++;
    }
    close_up(t);
    return gone;
}

/* Edges of equilateral faces, so many for the whole surface: area = sqrt(3) / 4 edge^2 each. */
static double even_edge(const thinning *t, int faces) {
    double area = 0;
    for (int f = 0; f < t->face_count; f++) {
        const int *n = t->face[f];
        area += 0.5 * v3_length(normal(t->x[n[0]], t->x[n[1]], t->x[n[2]]));
    }
    return sqrt(4 / sqrt(3) * area / fmax(faces, 1));
}

vo_result vo_surface_thin(vo_context *ctx, int node_count, const vo_vec3 *x, int most,
                          int *face_count, int (*face)[3]) {
    int corners = 3 * *face_count;
    thinning t = {
        .ctx = ctx, .node_count = node_count, .face_count = *face_count, .x = x, .face = face};
    t.longest = LONGEST * even_edge(&t, most);
    t.corner_start = vo_new_array(ctx, int, node_count + 1);
    t.corner = vo_new_array(ctx, int, corners + 1);
    t.offers = vo_new_array(ctx, offer, node_count + 1);
    t.taken = vo_new_array(ctx, char, node_count + 1);
    bool had = t.corner_start && t.corner && t.offers && t.taken;
    while (had && t.face_count > most && take_round(&t, most) > 0) continue;
    *face_count = t.face_count;
    vo_free_array(ctx, t.corner_start, node_count + 1);
    vo_free_array(ctx, t.corner, corners + 1);
    vo_free_array(ctx, t.offers, node_count + 1);
    vo_free_array(ctx, t.taken, node_count + 1);
    return had ? VO_OK : vo_fail_memory(ctx, "thinning a surface");
}

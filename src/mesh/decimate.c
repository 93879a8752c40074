#include "mesh/decimate.h"

#include "core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIN_TURN_COSINE 0.5 /* between a face before and after a collapse */
#define MIN_SHAPE       0.25 /* quality of new faces, 1: equilateral; lower if not worse than before */
#define MAX_EDGE_RATIO  2.2 /* length of new edges, relative to even faces */
#define BENDING_COST    3   /* relative cost of an edge perpendicular to the faces */
#define VOLUME_COST     10  /* cost per depth of the removed volume */

enum {
    MAX_NODE_FACES = 24, /* nodes with more faces are kept */
    ROUND_FRACTION = 8,  /* at max_faces this fraction (1 / n) of the nodes deleted per round */
};

/* The cheapest collapse of a node. */
typedef struct collapse_candidate {
    double cost;
    int node, to; /* to: -1: none possible */
} collapse_candidate;

typedef struct decimation {
    vo_context *ctx;
    int node_count, face_count;
    double max_edge; /* m, largest length of a new edge */
    const vo_vec3 *x;
    int (*face)[3];                /* [face_count] a node -1: removed */
    int *corner_start;             /* [node_count + 1] CSR offsets into `corner` */
    int *corner;                   /* [3 face_count] faces around each node */
    collapse_candidate *candidate; /* [node_count] */
    char *blocked;                 /* [node_count] adjacent to a collapse of this round */
} decimation;

/* ---- around a node -------------------------------------------------------------------------- */

static bool has_node(const int face[3], int node) {
    return face[0] == node || face[1] == node || face[2] == node;
}

/* Lists the faces around each node. */
static void find_corners(decimation *t) {
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

static int faces_around(const decimation *t, int node) {
    return t->corner_start[node + 1] - t->corner_start[node];
}

/* The node after `node` in a face. */
static int next_node(const int face[3], int node) {
    return face[0] == node ? face[1] : face[1] == node ? face[2] : face[0];
}

static bool are_neighbours(const decimation *t, int a, int b) {
    for (int i = t->corner_start[a]; i < t->corner_start[a + 1]; i++)
        if (has_node(t->face[t->corner[i]], b)) return true;
    return false;
}

/* Link condition: exactly two nodes are adjacent to both u and v. They lose a face and must keep
 * three. */
static bool satisfies_link_condition(const decimation *t, int u, int v) {
    int common = 0;
    for (int i = t->corner_start[u]; i < t->corner_start[u + 1]; i++) {
        int w = next_node(t->face[t->corner[i]], u);
        if (w == v || !are_neighbours(t, w, v)) continue;
        if (++common > 2 || faces_around(t, w) < 4) return false;
    }
    return common == 2;
}

/* ---- costs ---------------------------------------------------------------------------------- */

static vo_vec3 normal(vo_vec3 a, vo_vec3 b, vo_vec3 c) {
    return v3_cross(v3_sub(b, a), v3_sub(c, a));
}

/* Triangle quality 4 sqrt(3) area / sum of squared edges: 1 equilateral, 0 degenerate. */
static double shape(vo_vec3 a, vo_vec3 b, vo_vec3 c) {
    double sum = v3_length2(v3_sub(b, a)) + v3_length2(v3_sub(c, b)) + v3_length2(v3_sub(a, c));
    return sum > 0 ? 2 * sqrt(3) * v3_length(normal(a, b, c)) / sum : 0;
}

/* True if the face stays valid when v replaces u. */
static bool can_replace_node(const decimation *t, const int face[3], int u, int v) {
    vo_vec3 old[3], new[3];
    for (int k = 0; k < 3; k++) {
        old[k] = t->x[face[k]];
        new[k] = t->x[face[k] == u ? v : face[k]];
    }
    vo_vec3 a = normal(old[0], old[1], old[2]), b = normal(new[0], new[1], new[2]);
    if (!(v3_dot(a, b) > MIN_TURN_COSINE * v3_length(a) * v3_length(b))) return false;
    double quality = shape(new[0], new[1], new[2]);
    return quality >= MIN_SHAPE || quality >= shape(old[0], old[1], old[2]);
}

/* Sine of the angle between the edge and the plane of a face. */
static double across(const decimation *t, const int face[3], vo_vec3 edge) {
    vo_vec3 n = v3_normalize(normal(t->x[face[0]], t->x[face[1]], t->x[face[2]]));
    return fabs(v3_dot(n, edge)) / v3_length(edge);
}

/* Volume, m^3, of the tetrahedron between a face and its position after the collapse; positive:
 * removed from the interior. */
static double removed_volume(const decimation *t, const int face[3], vo_vec3 edge) {
    return -v3_dot(normal(t->x[face[0]], t->x[face[1]], t->x[face[2]]), edge) / 6;
}

/* Cost of collapsing u onto v: the longest new edge, larger where the surface bends, plus the depth
 * of the removed volume (volume / edge^2). Infinite: not allowed. */
static double collapse_cost(const decimation *t, int u, int v) {
    vo_vec3 edge = v3_sub(t->x[v], t->x[u]);
    double longest = 0, bend = 0, removed = 0;
    if (!(v3_length2(edge) > 0) || !satisfies_link_condition(t, u, v)) return INFINITY;
    for (int i = t->corner_start[u]; i < t->corner_start[u + 1]; i++) {
        const int *face = t->face[t->corner[i]];
        longest = fmax(longest, v3_distance(t->x[next_node(face, u)], t->x[v]));
        bend = fmax(bend, across(t, face, edge));
        removed += removed_volume(t, face, edge);
        if (!has_node(face, v) && !can_replace_node(t, face, u, v)) return INFINITY;
    }
    if (longest > t->max_edge) return INFINITY;
    return longest * (1 + BENDING_COST * bend) +
           VOLUME_COST * fmax(removed, 0) / (longest * longest);
}

/* The cheapest collapse of a node. */
static collapse_candidate find_candidate(const decimation *t, int u) {
    collapse_candidate best = {INFINITY, u, -1};
    if (faces_around(t, u) > MAX_NODE_FACES) return best;
    for (int i = t->corner_start[u]; i < t->corner_start[u + 1]; i++) {
        int v = next_node(t->face[t->corner[i]], u);
        double cost = collapse_cost(t, u, v);
        if (cost < best.cost || (cost == best.cost && v < best.to))
            best = (collapse_candidate){cost, u, v};
    }
    return best;
}

static int compare_candidates(const void *a, const void *b) {
    const collapse_candidate *p = a, *q = b;
    if (p->cost != q->cost) return p->cost < q->cost ? -1 : 1;
    return (p->node > q->node) - (p->node < q->node);
}

/* ---- rounds --------------------------------------------------------------------------------- */

/* True if u or a neighbour is blocked. The remaining nodes of removed faces are blocked, so the
 * faces of an unblocked node are intact. */
static bool is_near_blocked(const decimation *t, int u) {
    if (t->blocked[u]) return true;
    for (int i = t->corner_start[u]; i < t->corner_start[u + 1]; i++)
        for (int k = 0; k < 3; k++)
            if (t->blocked[t->face[t->corner[i]][k]]) return true;
    return false;
}

static void collapse(decimation *t, int u, int v) {
    for (int i = t->corner_start[u]; i < t->corner_start[u + 1]; i++)
        for (int k = 0; k < 3; k++) t->blocked[t->face[t->corner[i]][k]] = 1;
    for (int i = t->corner_start[u]; i < t->corner_start[u + 1]; i++) {
        int *face = t->face[t->corner[i]];
        bool deleted = has_node(face, v);
        for (int k = 0; k < 3; k++)
            if (face[k] == u) face[k] = deleted ? -1 : v;
    }
}

/* Removes deleted faces from the array. */
static void remove_deleted_faces(decimation *t) {
    int count = 0;
    for (int f = 0; f < t->face_count; f++) {
        if (has_node(t->face[f], -1)) continue;
        if (count != f) memcpy(t->face[count], t->face[f], sizeof t->face[f]);
        count++;
    }
    t->face_count = count;
}

/* Makes the cheapest collapses of a round; returns their number. */
static int collapse_round(decimation *t, int max_faces) {
    int nodes = 0, gone = 0;
    find_corners(t);
    for (int n = 0; n < t->node_count; n++) {
        t->blocked[n] = 0;
        t->candidate[n] = find_candidate(t, n);
        nodes += faces_around(t, n) > 0;
    }
    qsort(t->candidate, (size_t)t->node_count, sizeof *t->candidate, compare_candidates);
    int limit = nodes / ROUND_FRACTION + 1;
    for (int i = 0; i < t->node_count && gone < limit; i++) {
        const collapse_candidate *o = &t->candidate[i];
        if (o->to < 0 || t->face_count - 2 * gone <= max_faces) break;
        if (is_near_blocked(t, o->node)) continue;
        collapse(t, o->node, o->to);
        gone++;
    }
    remove_deleted_faces(t);
    return gone;
}

/* Edge length of `faces` equilateral triangles with the area of the surface: sqrt(3) / 4 edge^2. */
static double even_edge(const decimation *t, int faces) {
    double area = 0;
    for (int f = 0; f < t->face_count; f++) {
        const int *n = t->face[f];
        area += 0.5 * v3_length(normal(t->x[n[0]], t->x[n[1]], t->x[n[2]]));
    }
    return sqrt(4 / sqrt(3) * area / fmax(faces, 1));
}

vo_result vo_surface_decimate(vo_context *ctx, int node_count, const vo_vec3 *x, int max_faces,
                              int *face_count, int (*face)[3]) {
    int corners = 3 * *face_count;
    decimation t = {
        .ctx = ctx, .node_count = node_count, .face_count = *face_count, .x = x, .face = face};
    t.max_edge = MAX_EDGE_RATIO * even_edge(&t, max_faces);
    t.corner_start = vo_new_array(ctx, int, node_count + 1);
    t.corner = vo_new_array(ctx, int, corners + 1);
    t.candidate = vo_new_array(ctx, collapse_candidate, node_count + 1);
    t.blocked = vo_new_array(ctx, char, node_count + 1);
    bool allocated = t.corner_start && t.corner && t.candidate && t.blocked;
    while (allocated && t.face_count > max_faces && collapse_round(&t, max_faces) > 0) continue;
    *face_count = t.face_count;
    vo_free_array(ctx, t.corner_start, node_count + 1);
    vo_free_array(ctx, t.corner, corners + 1);
    vo_free_array(ctx, t.candidate, node_count + 1);
    vo_free_array(ctx, t.blocked, node_count + 1);
    return allocated ? VO_OK : vo_fail_memory(ctx, "decimating a surface");
}

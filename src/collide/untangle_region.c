/* What a contour cuts off (Baraff, Witkin, Kass 2003, "Untangling cloth", section 4: flood fill of
 * the areas that intersection curves enclose).
 *
 * The contour crosses some edges of the surface; whoever walks along the other edges from one end
 * of a crossed edge either reaches the other end, then the contour is only a slit, or runs out of
 * nodes, then these lie on one side of it. Walking from both ends in turn, node by node, finds the
 * side with fewer nodes in the time that this side takes. */
#include "collide/untangle_private.h"

/* One of the two walks. */
typedef struct flood {
    int *node;
    int mark, count, next;
} flood;

/* Turns the marks of the contour's edges on the surface on, or off again; an edge that it crosses
 * twice is not crossed. Returns an edge that is, or -1. */
static int mark_edges(vo_untangler *u, const vo_contour *k, int surface) {
    const vo_contour_vertex *vertex = u->contours.vertex;
    for (int v = k->begin; v < k->end; v++)
        if (vertex[v].edge >= 0 && vertex[v].side == surface) u->edge_mark[vertex[v].edge] ^= 1;
    for (int v = k->begin; v < k->end; v++)
        if (vertex[v].edge >= 0 && vertex[v].side == surface && u->edge_mark[vertex[v].edge])
            return vertex[v].edge;
    return -1;
}

static void clear_edges(vo_untangler *u, const vo_contour *k) {
    const vo_contour_vertex *vertex = u->contours.vertex;
    for (int v = k->begin; v < k->end; v++)
        if (vertex[v].edge >= 0) u->edge_mark[vertex[v].edge] = 0;
}

static void start_flood(vo_untangler *u, flood *f, int node) {
    f->mark = ++u->mark;
    f->node[f->count++] = node;
    u->node_mark[node] = f->mark;
}

/* Visits one more node. False if the walk met the other one. */
static bool step_flood(vo_untangler *u, flood *f, int other_mark) {
    int n = f->node[f->next++];
    for (int i = u->node_start[n]; i < u->node_start[n + 1]; i++) {
        int e = u->node_edge[i];
        if (u->edge_mark[e]) continue;
        int m = vo_edge_other(u, e, n);
        if (u->node_mark[m] == other_mark) return false;
        if (u->node_mark[m] == f->mark) continue;
        u->node_mark[m] = f->mark;
        f->node[f->count++] = m;
    }
    return true;
}

/* Walks until one side is exhausted; returns which, or -1 if they are the same. */
static int run_floods(vo_untangler *u, flood f[2]) {
    for (int i = 0;; i ^= 1) {
        if (f[i].next == f[i].count) return i;
        if (!step_flood(u, &f[i], f[1 - i].mark)) return -1;
    }
}

static vo_region take_region(vo_untangler *u, const flood *f, int at) {
    vo_region r = {.separate = true, .begin = at, .end = at + f->count};
    for (int i = 0; i < f->count; i++) {
        u->region_node[at + i] = f->node[i];
        if (!vo_node_moves(u, f->node[i])) r.pinned = true;
    }
    return r;
}

vo_region vo_untangle_region(vo_untangler *u, const vo_contour *k, int surface, bool other,
                             int at) {
    int e = mark_edges(u, k, surface);
    vo_region r = {.begin = at, .end = at};
    if (e < 0) { /* it stays within faces: a closed one encloses no node */
        r.separate = k->closed;
        clear_edges(u, k);
        return r;
    }
    int n = u->def.soup.node_count;
    flood f[2] = {{.node = u->queue}, {.node = u->queue + n}};
    start_flood(u, &f[0], u->def.soup.edge[e][0]);
    start_flood(u, &f[1], u->def.soup.edge[e][1]);
    int side = run_floods(u, f);
    if (side >= 0 && other) {
        side = 1 - side;
        while (f[side].next < f[side].count && step_flood(u, &f[side], f[1 - side].mark)) {}
    }
    if (side >= 0) r = take_region(u, &f[side], at);
    clear_edges(u, k);
    return r;
}

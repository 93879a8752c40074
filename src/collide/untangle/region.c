/* Region bounded by a contour (Baraff, Witkin, Kass 2003, "Untangling cloth", section 4: flood fill
 * of the areas that intersection curves enclose).
 *
 *      . . . . . . .        The contour (=) crosses edges of the surface; each has a node to its
 *      l l l l . . .        left and one to its right. From these, two flood fills spread over the
 *     =========             edges that it does not cross, alternating ring by ring. The one that
 *      r r r r . . .        runs out of nodes without reaching the other has filled one side. If
 *      . . . . . . .        they meet, the contour is a slit, and they meet along its extension.
 *
 * A slit that ends just before the border is as good as a cut: two crossing squares produce them,
 * since one of two borders is always reached first. So the fills may meet, as long as that happens
 * in fewer places than there are crossed edges. */
#include "collide/untangle/untangle_private.h"

/* One of the two flood fills: its nodes, their mark, and the start of its last ring. */
typedef struct flood {
    int *node;
    int mark, count, next;
} flood;

static bool is_on(const vo_contour_vertex *v, int surface) {
    return v->edge >= 0 && v->side == surface;
}

/* Marks the edges of the surface that the contour crosses an odd number of times. Returns their
 * number. */
static int mark_edges(vo_untangler *u, const vo_contour *k, int surface) {
    const vo_contour_vertex *vertex = u->contours.vertex;
    int count = 0;
    for (int v = k->begin; v < k->end; v++)
        if (is_on(&vertex[v], surface)) count += (u->edge_mark[vertex[v].edge] ^= 1) ? 1 : -1;
    return count;
}

static void clear_edges(vo_untangler *u, const vo_contour *k) {
    const vo_contour_vertex *vertex = u->contours.vertex;
    for (int v = k->begin; v < k->end; v++)
        if (vertex[v].edge >= 0) u->edge_mark[vertex[v].edge] = 0;
}

/* Returns the left end of an edge, given that of the crossed edge before it. Both edges belong to
 * one face: their shared node keeps its side, the others are on the other side. */
static int next_left(const vo_soup *s, int before, int left, int e) {
    const int *p = s->edge[before], *q = s->edge[e];
    if (before == e) return q[0] == left ? q[1] : q[0];
    if (q[0] == left || q[1] == left) return left;
    int right = p[0] == left ? p[1] : p[0];
    return q[0] == right ? q[1] : q[0];
}

static void add_node(vo_untangler *u, flood *f, int node, int other_mark) {
    if (u->node_mark[node] == f->mark || u->node_mark[node] == other_mark) return;
    u->node_mark[node] = f->mark;
    f->node[f->count++] = node;
}

/* Starts the fills with the nodes to the left and right of the contour. */
static void start_floods(vo_untangler *u, const vo_contour *k, int surface, flood f[2]) {
    const vo_contour_vertex *vertex = u->contours.vertex;
    const vo_soup *s = &u->def.soup;
    int before = -1, left = -1;
    for (int v = k->begin; v < k->end; v++) {
        if (!is_on(&vertex[v], surface)) continue;
        int e = vertex[v].edge;
        left = before < 0 ? s->edge[e][0] : next_left(s, before, left, e);
        before = e;
        if (!u->edge_mark[e]) continue;
        add_node(u, &f[0], left, f[1].mark);
        add_node(u, &f[1], vo_edge_other(u, e, left), f[0].mark);
    }
}

/* Advances a fill by one ring. Returns the number of places where it met the other fill. */
static int step_flood(vo_untangler *u, flood *f, int other_mark) {
    int meetings = 0;
    for (int end = f->count; f->next < end; f->next++) {
        int n = f->node[f->next];
        for (int i = u->node_start[n]; i < u->node_start[n + 1]; i++) {
            int e = u->node_edge[i], m = vo_edge_other(u, e, n);
            if (u->edge_mark[e]) continue;
            meetings += u->node_mark[m] == other_mark;
            add_node(u, f, m, other_mark);
        }
    }
    return meetings;
}

/* Fills until one side is complete; returns which, or -1 for a slit. */
static int fill_alternately(vo_untangler *u, flood f[2], int max_meetings) {
    for (int i = 0, meetings = 0;; i ^= 1) {
        if (f[i].next == f[i].count) return i;
        meetings += step_flood(u, &f[i], f[1 - i].mark);
        if (meetings > max_meetings) return -1;
    }
}

static vo_contour_region store_region(vo_untangler *u, const flood *f, int at) {
    vo_contour_region r = {.separate = true, .begin = at, .end = at + f->count};
    for (int i = 0; i < f->count; i++) {
        u->region_node[at + i] = f->node[i];
        if (!vo_node_moves(u, f->node[i])) r.pinned = true;
    }
    return r;
}

vo_contour_region vo_untangle_find_region(vo_untangler *u, const vo_contour *k, int surface,
                                          bool larger, int at) {
    vo_contour_region r = {.begin = at, .end = at};
    int n = u->def.soup.node_count, crossed = mark_edges(u, k, surface);
    flood f[2] = {{.node = u->queue, .mark = u->mark + 1},
                  {.node = u->queue + n, .mark = u->mark + 2}};
    u->mark += 2;
    if (crossed > 0) {
        start_floods(u, k, surface, f);
        int side = fill_alternately(u, f, crossed / 2);
        if (side >= 0 && larger) {
            side = 1 - side;
            while (f[side].next < f[side].count) step_flood(u, &f[side], f[1 - side].mark);
        }
        if (side >= 0) r = store_region(u, &f[side], at);
    } else {
        r.separate = k->closed; /* inside a face: it encloses no node */
    }
    clear_edges(u, k);
    return r;
}

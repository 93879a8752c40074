/* Keeps the sewn garment manifold.
 *
 *     front  a---b     If an edge inside a panel joins two sewn nodes, and an edge of another panel
 *            |\  |     joins the same two, merging them would create one edge with four faces. Such
 *            | \ |     an edge is split at its midpoint, and so is an edge whose ends are sewn to
 *            c---d     each other. If it is part of the outline, the outline needs more points. */
#include "garment/pattern_mesh.h"
#include "mesh/data.h"

#include <stdlib.h>

typedef struct joined_side {
    int low, high;    /* groups of its ends */
    int face, corner; /* from this corner of the face to the next */
    int node[2];
} joined_side;

static int compare_sides(const void *a, const void *b) {
    const joined_side *p = a, *q = b;
    if (p->low != q->low) return p->low < q->low ? -1 : 1;
    if (p->high != q->high) return p->high < q->high ? -1 : 1;
    if (p->face != q->face) return p->face < q->face ? -1 : 1;
    return p->corner - q->corner;
}

static void list_sides(const vo_garment_mesher *t, joined_side *side) {
    const vo_mesh_data *d = &t->data;
    for (int f = 0; f < d->face_count; f++)
        for (int k = 0; k < 3; k++) {
            int a = d->face_vert[f][k], b = d->face_vert[f][(k + 1) % 3];
            int p = t->group[a], q = t->group[b];
            *side++ = (joined_side){vo_min_int(p, q), vo_max_int(p, q), f, k, {a, b}};
        }
    qsort(side - 3 * d->face_count, 3 * (size_t)d->face_count, sizeof *side, compare_sides);
}

/* Returns the other face of an edge inside a panel, among sides[begin, end); -1 on an outline. */
static int other_face(const joined_side *side, int begin, int end, int own) {
    for (int i = begin; i < end; i++)
        if (side[i].node[0] == side[own].node[1] && side[i].node[1] == side[own].node[0]) return i;
    return -1;
}

/* Splits a face at the midpoint m of its side; the new face takes the half beyond m. */
static void split_face(vo_mesh_data *d, const joined_side *side, int m) {
    int *v = d->face_vert[side->face], fresh = d->face_count++;
    int end = v[(side->corner + 1) % 3], top = v[(side->corner + 2) % 3];
    v[(side->corner + 1) % 3] = m;
    d->face_vert[fresh][0] = m;
    d->face_vert[fresh][1] = end;
    d->face_vert[fresh][2] = top;
    d->face_label[fresh] = d->face_label[side->face];
}

/* Splits a preserved line at m. */
static void split_line(vo_mesh_data *d, const int node[2], int m) {
    for (int e = 0; e < d->edge_count; e++) {
        int *n = d->edge_node[e];
        if (!((n[0] == node[0] && n[1] == node[1]) || (n[0] == node[1] && n[1] == node[0])))
            continue;
        d->edge_node[d->edge_count][0] = m;
        d->edge_node[d->edge_count][1] = n[1];
        d->edge_label[d->edge_count++] = d->edge_label[e];
        n[1] = m;
        return;
    }
}

static vo_result split(vo_garment_mesher *t, const joined_side *a, const joined_side *b) {
    vo_mesh_data *d = &t->data;
    int m = d->node_count;
    vo_vec2 middle = v2_scale(0.5, v2_add(t->flat[a->node[0]], t->flat[a->node[1]]));
    if (!vo_garment_mesher_add_node(t, t->panel[a->node[0]], middle) ||
        !vo_mesh_data_reserve_faces(t->ctx, d, d->face_count + 2) ||
        !vo_mesh_data_reserve_edges(t->ctx, d, d->edge_count + 1))
        return vo_fail_memory(t->ctx, "a garment");
    split_face(d, a, m);
    split_face(d, b, m);
    split_line(d, a->node, m);
    return VO_OK;
}

/* Splits one edge of a range of sides that merge into the same edge, if there are more than two. */
static vo_result split_duplicates(vo_garment_mesher *t, const joined_side *side, int begin, int end,
                                  bool *busy, bool *changed, bool *closes) {
    bool collapsed = side[begin].low == side[begin].high;
    if (end - begin <= 2 && !collapsed) return VO_OK;
    for (int i = end - 1; i >= begin; i--) {
        int twin = other_face(side, begin, end, i);
        if (twin < 0) continue;
        *changed = true;
        if (busy[side[i].face] || busy[side[twin].face]) return VO_OK;
        busy[side[i].face] = busy[side[twin].face] = true;
        return split(t, &side[i], &side[twin]);
    }
    *closes = false;
    return VO_OK;
}

/* Passes once over all edges; each face is split at most once. */
static vo_result split_pass(vo_garment_mesher *t, bool *changed, bool *closes) {
    int count = 3 * t->data.face_count, faces = t->data.face_count;
    joined_side *side = vo_new_array(t->ctx, joined_side, count);
    bool *busy = vo_alloc_zero(t->ctx, (size_t)faces);
    vo_result result = side && busy ? VO_OK : vo_fail_memory(t->ctx, "a garment");
    if (result == VO_OK) list_sides(t, side);
    for (int begin = 0, end; result == VO_OK && begin < count; begin = end) {
        for (end = begin + 1; end < count; end++)
            if (side[end].low != side[begin].low || side[end].high != side[begin].high) break;
        result = split_duplicates(t, side, begin, end, busy, changed, closes);
    }
    vo_free(t->ctx, busy, (size_t)faces);
    vo_free_array(t->ctx, side, count);
    return result;
}

enum { MAX_PASSES = 12 };

vo_result vo_garment_mesher_split_chords(vo_garment_mesher *t, const vo_garment *g, bool *closes) {
    bool changed = true;
    *closes = true;
    for (int i = 0; changed && *closes && i < MAX_PASSES; i++) {
        changed = false;
        VO_TRY(vo_garment_mesher_group(t, g));
        VO_TRY(split_pass(t, &changed, closes));
    }
    if (changed) *closes = false;
    return VO_OK;
}

#include "core/memory.h"
#include "remesh/remesh_local.h"

/* ---- the heap -------------------------------------------------------------------------------- */

/* Longest first; ties by index. */
static bool comes_before(vo_long_edge a, vo_long_edge b) {
    return a.size2 > b.size2 || (a.size2 == b.size2 && a.edge < b.edge);
}

vo_result vo_remesh_put_long(vo_remesher *r, int edge, double size2) {
    if (!vo_reserve(r->ctx, &r->heap, &r->heap_capacity, r->heap_count + 1))
        return vo_fail_memory(r->ctx, "remeshing");
    vo_long_edge added = {size2, edge};
    int i = r->heap_count++;
    while (i > 0 && comes_before(added, r->heap[(i - 1) / 2])) {
        r->heap[i] = r->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    r->heap[i] = added;
    return VO_OK;
}

/* Takes the first away. */
static void take_long(vo_remesher *r) {
    vo_long_edge moved = r->heap[--r->heap_count];
    int i = 0;
    for (;;) {
        int child = 2 * i + 1;
        if (child >= r->heap_count) break;
        if (child + 1 < r->heap_count && comes_before(r->heap[child + 1], r->heap[child])) child++;
        if (!comes_before(r->heap[child], moved)) break;
        r->heap[i] = r->heap[child];
        i = child;
    }
    r->heap[i] = moved;
}

/* ---- splitting ------------------------------------------------------------------------------- */

static bool is_void(const vo_remesher *r, vo_long_edge e) {
    return !vo_edit_has_edge(r->edit, e.edge) || vo_remesh_size2(r, e.edge) != e.size2;
}

static bool has_budget(const vo_remesher *r, int edge) {
    const vo_mesh *m = r->edit->mesh;
    if (r->def.face_budget <= 0) return true;
    int faces = m->face_count - r->edit->hole_count[VO_REMAP_FACE];
    return faces + 1 + (m->edge_face[edge][1] >= 0) <= r->def.face_budget;
}

/* Where to cut: so that as few pieces as possible, all alike, are short enough in the end. */
static double place_of(double size2) {
    double pieces = vo_max(2, ceil(sqrt(size2)));
    return pieces < 1e6 ? floor(0.5 * pieces) / pieces : 0.5;
}

/* Metrics of the new verts, by those at the ends. */
static void blend(const vo_remesher *r, int edge, double t, vo_sym2 middle[2]) {
    for (int side = 0; side < 2; side++) {
        int v[2];
        vo_mesh_edge_verts(r->edit->mesh, edge, side, v);
        if (v[0] >= 0)
            middle[side] =
                sym2_add(sym2_scale(1 - t, r->metric[v[0]]), sym2_scale(t, r->metric[v[1]]));
    }
}

/* What is known of a face holds for its parts. */
static void pass_on(vo_remesher *r, int node, int face, int part) {
    int points = -1;
    r->face_point[part] = -1;
    vo_pop_take(r, face, &points);
    vo_pop_put(r, points, (int[]){face, part}, 2);
    r->face_moved[part] = r->face_moved[face];
    r->face_watched[part] = r->face_watched[face];
    r->face_shift[part] = r->face_shift[face];
    r->node_moved[node] |= r->face_moved[face];
}

static vo_result touch_sides(vo_remesher *r, int edge, const vo_edit_pieces *p) {
    const vo_mesh *m = r->edit->mesh;
    r->node_moved[p->node] = 0;
    vo_calm_split(r, p->node, m->edge_node[edge][0], m->edge_node[p->edge[0]][1]);
    for (int side = 0; side < 2; side++) {
        int face = m->edge_face[edge][side];
        if (face < 0) continue;
        pass_on(r, p->node, face, p->face[side]);
        VO_TRY(vo_remesh_touch(r, face));
        VO_TRY(vo_remesh_touch(r, p->face[side]));
    }
    return VO_OK;
}

static vo_result split(vo_remesher *r, int edge, double t) {
    vo_sym2 middle[2];
    vo_edit_pieces p;
    blend(r, edge, t, middle);
    vo_edit_why why = vo_edit_split(r->edit, edge, t, &p);
    if (why == VO_EDIT_NO_MEMORY) return vo_fail_memory(r->ctx, "remeshing");
    if (why != VO_EDIT_ALLOWED) return VO_OK;
    r->report.splits++;
    VO_TRY(vo_remesh_follow(r));
    for (int side = 0; side < 2; side++)
        if (p.vert[side] >= 0) r->metric[p.vert[side]] = middle[side];
    VO_TRY(touch_sides(r, edge, &p));
    return vo_remesh_flip(r);
}

vo_result vo_remesh_split(vo_remesher *r) {
    while (r->heap_count > 0) {
        vo_long_edge first = r->heap[0];
        bool gone = is_void(r, first);
        if (!gone && !has_budget(r, first.edge)) {
            r->report.budget_met = false;
            return VO_OK;
        }
        take_long(r);
        if (!gone) VO_TRY(split(r, first.edge, place_of(first.size2)));
    }
    return VO_OK;
}

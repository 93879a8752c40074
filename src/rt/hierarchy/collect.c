/* Collects the edits of a major step.
 *
 * Splits are marked first, with the coarser edges that deferred ones need, and then listed by level
 * in a second pass over the range of the marked edges; the marks replace a sort. Split edges are
 * found by their midpoints, of which there are far fewer than edges. */
#include "rt/hierarchy/mesh_private.h"

/* Major steps before a split that was not permitted is demanded again, and up to two more. */
enum { SPLIT_WAIT = 3 };

static const vo_rt_triangle *structural_of(const vo_rt_mesh *mesh, int leaf) {
    const vo_rt_triangle *t = &mesh->triangle[leaf];
    return t->is_transitional ? &mesh->triangle[t->parent] : t;
}

/* Split edges of a triangle do not join in this call. */
static void hold_edges(vo_rt_mesh *mesh, const vo_rt_triangle *t) {
    for (int i = 0; i < 3; i++) {
        vo_rt_edge *e = &mesh->edge[t->edge[i]];
        if (e->child >= 0) e->flags |= VO_RT_EDGE_HELD;
    }
}

/* Keeps the leaves at the corners of a triangle that is going to be divided, now or later, from
 * becoming coarser than it, and coarser ones from losing split edges. */
static void hold_neighbours(vo_rt_mesh *mesh, int triangle) {
    const vo_rt_triangle *t = &mesh->triangle[triangle];
    if (t->level == 0) return;
    for (int k = 0; k < 3; k++)
        for (vo_rt_ring ring = vo_rt_ring_begin(mesh, triangle, t->vertex[k]); ring.leaf >= 0;
             vo_rt_ring_next(mesh, &ring)) {
            const vo_rt_triangle *other = structural_of(mesh, ring.leaf);
            if (other->level < t->level) hold_edges(mesh, other);
            if (other->level == t->level) hold_edges(mesh, &mesh->triangle[other->parent]);
        }
}

/* Value of the wait of an unsplit edge that is requested in this call. */
enum { REQUESTED = 255 };

typedef struct request_counts {
    int marked[VO_RT_MAX_LEVEL + 1]; /* edges that split in this major step, by level */
    int requested;                   /* marked edges and those that split later */
    int first, end;                  /* range of their indices */
} request_counts;

static bool request_split(vo_rt_mesh *mesh, int edge, request_counts *count);

/* Requests the unsplit edges of a triangle. */
static void request_division(vo_rt_mesh *mesh, const vo_rt_triangle *t, request_counts *count) {
    hold_edges(mesh, t);
    for (int i = 0; i < 3; i++)
        if (mesh->edge[t->edge[i]].child < 0) request_split(mesh, t->edge[i], count);
}

/* Requests the division of the leaves at the corners of a triangle that are coarser than it. */
static void request_neighbours(vo_rt_mesh *mesh, int triangle, request_counts *count) {
    const vo_rt_triangle *t = &mesh->triangle[triangle];
    for (int k = 0; k < 3; k++)
        for (vo_rt_ring ring = vo_rt_ring_begin(mesh, triangle, t->vertex[k]); ring.leaf >= 0;
             vo_rt_ring_next(mesh, &ring)) {
            const vo_rt_triangle *other = structural_of(mesh, ring.leaf);
            if (other->level < t->level) request_division(mesh, other, count);
        }
}

/* Marks an edge for a split, or the coarser edges that it needs first. Descends one level per call,
 * so it ends at level 0, whose edges can always split. */
static bool request_split(vo_rt_mesh *mesh, int edge, request_counts *count) {
    vo_rt_edge *e = &mesh->edge[edge];
    if (e->flags & VO_RT_EDGE_MARKED) return true;
    if (e->wait > 0) return false; /* requested, or its last split was not permitted */
    e->wait = REQUESTED;
    count->requested++;
    if (edge < count->first) count->first = edge;
    if (edge >= count->end) count->end = edge + 1;
    for (int s = 0; s < 2; s++) {
        int face = vo_rt_mesh_side(mesh, edge, s);
        if (face >= 0) hold_neighbours(mesh, face);
    }
    if (vo_rt_mesh_can_split(mesh, edge)) {
        e->flags |= VO_RT_EDGE_MARKED;
        count->marked[e->level]++;
        return true;
    }
    for (int s = 0; s < 2; s++) {
        if (e->face[s] < 0) continue;
        int face = vo_rt_mesh_side(mesh, edge, s);
        if (face < 0)
            request_division(mesh, &mesh->triangle[mesh->triangle[e->face[s]].parent], count);
        else if (vo_rt_mesh_blocks_division(mesh, edge, s))
            request_neighbours(mesh, face, count);
    }
    return false;
}

/* True if all edges of a triangle are split or requested. */
static bool is_division_requested(const vo_rt_mesh *mesh, int triangle) {
    for (int i = 0; i < 3; i++) {
        const vo_rt_edge *e = &mesh->edge[mesh->triangle[triangle].edge[i]];
        if (e->child < 0 && e->wait != REQUESTED) return false;
    }
    return true;
}

/* Requests are made one by one; together they may divide further triangles, whose neighbours must
 * be requested now for the bound on the number of steps to hold. Ends because requests descend. */
static void complete_requests(vo_rt_mesh *mesh, request_counts *count) {
    int before;
    do {
        before = count->requested;
        for (int i = count->first; i < count->end; i++) {
            const vo_rt_edge *e = &mesh->edge[i];
            if (e->child >= 0 || e->wait != REQUESTED) continue;
            for (int s = 0; s < 2; s++) {
                int face = vo_rt_mesh_side(mesh, i, s);
                if (face >= 0 && mesh->triangle[face].level > 0 &&
                    is_division_requested(mesh, face))
                    request_neighbours(mesh, face, count);
            }
        }
    } while (count->requested != before);
}

static bool is_waiting(vo_rt_edge *e) {
    if (e->wait == 0 || e->wait == REQUESTED) return false;
    e->wait--;
    return true;
}

static void mark_splits(vo_rt_mesh *mesh, vo_rt_demand_fn *demand, void *user, vo_rt_edits *edits,
                        request_counts *count) {
    for (int i = 0; i < mesh->edge_end; i++) {
        vo_rt_edge *e = &mesh->edge[i];
        if (!(e->flags & VO_RT_EDGE_USED) || (e->flags & VO_RT_EDGE_FIXED)) continue;
        if (e->child >= 0 || e->level >= mesh->max_level || is_waiting(e)) continue;
        if (demand(user, mesh, i, false) == VO_RT_SPLIT && !request_split(mesh, i, count))
            edits->deferred++;
    }
}

/* Positions of the levels in the list, limited by its capacity; counts the rest as rejected. */
static void place_levels(vo_rt_edits *edits, const int count[], int position[], int end[]) {
    int total = 0;
    for (int level = 0; level <= VO_RT_MAX_LEVEL; level++) {
        int room = edits->capacity - total, n = count[level] < room ? count[level] : room;
        position[level] = total;
        end[level] = total += n;
        edits->rejected += count[level] - n;
    }
    edits->split_count = total;
}

static bool is_testable(const vo_rt_mesh *mesh, const vo_rt_edge *e) {
    return mesh->edge[e->child].child < 0 && mesh->edge[e->child + 1].child < 0;
}

/* Counts down the wait of a split edge; lists it if its time has come and it may join. */
static void test_join(vo_rt_mesh *mesh, vo_rt_demand_fn *demand, void *user, vo_rt_edits *edits,
                      int edge, bool is_held) {
    vo_rt_edge *e = &mesh->edge[edge];
    if (e->wait > 0 && --e->wait > 0) return;
    if (!is_testable(mesh, e)) return;
    if (!is_held && edits->join_count < edits->capacity &&
        demand(user, mesh, edge, true) == VO_RT_JOIN && vo_rt_mesh_can_join(mesh, edge))
        edits->join[edits->join_count++] = edge;
    else
        vo_rt_mesh_restart_wait(mesh, edge);
}

/* Tests split edges for joining, by their midpoints. */
static void list_joins(vo_rt_mesh *mesh, vo_rt_demand_fn *demand, void *user, vo_rt_edits *edits) {
    for (int v = mesh->asset->vertex_count + 1; v < mesh->front.vertex_end; v++) {
        int edge = mesh->vertex_edge[v];
        if (edge < 0) continue;
        bool is_held = (mesh->edge[edge].flags & VO_RT_EDGE_HELD) != 0;
        mesh->edge[edge].flags &= (uint8_t)~VO_RT_EDGE_HELD;
        test_join(mesh, demand, user, edits, edge, is_held);
    }
}

/* Lists the marked edges; marks remain. */
static void list_splits(const vo_rt_mesh *mesh, const request_counts *count, vo_rt_edits *edits) {
    int position[VO_RT_MAX_LEVEL + 1], end[VO_RT_MAX_LEVEL + 1];
    place_levels(edits, count->marked, position, end);
    for (int i = count->first; i < count->end; i++) {
        const vo_rt_edge *e = &mesh->edge[i];
        if ((e->flags & VO_RT_EDGE_MARKED) && position[e->level] < end[e->level])
            edits->split[position[e->level]++] = i;
    }
}

static void clear_marks(vo_rt_mesh *mesh, const request_counts *count) {
    for (int i = count->first; i < count->end; i++) {
        vo_rt_edge *e = &mesh->edge[i];
        e->flags &= (uint8_t)~VO_RT_EDGE_MARKED;
        if (e->child < 0 && e->wait == REQUESTED) e->wait = 0;
    }
}

void vo_rt_mesh_collect(vo_rt_mesh *mesh, vo_rt_demand_fn *demand, void *user, vo_rt_edits *edits) {
    request_counts count = {.first = mesh->edge_end};
    edits->split_count = edits->join_count = edits->deferred = edits->rejected = 0;
    mark_splits(mesh, demand, user, edits, &count);
    if (edits->deferred > 0) complete_requests(mesh, &count);
    list_splits(mesh, &count, edits);
    list_joins(mesh, demand, user, edits);
    clear_marks(mesh, &count);
}

void vo_rt_mesh_reject_edit(vo_rt_mesh *mesh, int edge) {
    if (mesh->edge[edge].child >= 0)
        vo_rt_mesh_restart_wait(mesh, edge);
    else
        mesh->edge[edge].wait = (uint8_t)(SPLIT_WAIT + edge % 3);
}

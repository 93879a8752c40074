/* Collects the edits of a major step.
 *
 * Splits are marked first, with the coarser edges that deferred ones need, and then listed by level
 * in a second pass, which also tests split edges for joining. The marks replace a sort; a last pass
 * clears them. */
#include "rt/hierarchy/mesh_private.h"

static const vo_rt_triangle *structural_of(const vo_rt_mesh *mesh, int leaf) {
    const vo_rt_triangle *t = &mesh->triangle[leaf];
    return t->is_transitional ? &mesh->triangle[t->parent] : t;
}

static void hold_edges(vo_rt_mesh *mesh, const vo_rt_triangle *t) {
    for (int i = 0; i < 3; i++) mesh->edge[t->edge[i]].flags |= VO_RT_EDGE_HELD;
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

/* An unsplit edge has no wait of its own; this value marks it as requested in this call. */
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
    if (e->wait == REQUESTED) return false;
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

static void mark_splits(vo_rt_mesh *mesh, vo_rt_demand_fn *demand, void *user, vo_rt_edits *edits,
                        request_counts *count) {
    for (int i = 0; i < mesh->edge_end; i++) {
        const vo_rt_edge *e = &mesh->edge[i];
        if (!(e->flags & VO_RT_EDGE_USED) || (e->flags & VO_RT_EDGE_FIXED)) continue;
        if (e->child >= 0 || e->level >= mesh->max_level) continue;
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

/* Lists the marked edges and tests split ones for joining; marks remain. */
static void list_edits(vo_rt_mesh *mesh, vo_rt_demand_fn *demand, void *user, vo_rt_edits *edits,
                       int position[], const int end[]) {
    for (int i = 0; i < mesh->edge_end; i++) {
        const vo_rt_edge *e = &mesh->edge[i];
        if ((e->flags & VO_RT_EDGE_MARKED) && position[e->level] < end[e->level])
            edits->split[position[e->level]++] = i;
        if ((e->flags & VO_RT_EDGE_USED) && e->child >= 0)
            test_join(mesh, demand, user, edits, i, (e->flags & VO_RT_EDGE_HELD) != 0);
    }
}

static void clear_marks(vo_rt_mesh *mesh) {
    for (int i = 0; i < mesh->edge_end; i++) {
        vo_rt_edge *e = &mesh->edge[i];
        e->flags &= (uint8_t) ~(VO_RT_EDGE_MARKED | VO_RT_EDGE_HELD);
        if (e->child < 0) e->wait = 0;
    }
}

void vo_rt_mesh_collect(vo_rt_mesh *mesh, vo_rt_demand_fn *demand, void *user, vo_rt_edits *edits) {
    request_counts count = {.first = mesh->edge_end};
    int position[VO_RT_MAX_LEVEL + 1], end[VO_RT_MAX_LEVEL + 1];
    edits->split_count = edits->join_count = edits->deferred = edits->rejected = 0;
    mark_splits(mesh, demand, user, edits, &count);
    if (edits->deferred > 0) complete_requests(mesh, &count);
    place_levels(edits, count.marked, position, end);
    list_edits(mesh, demand, user, edits, position, end);
    clear_marks(mesh);
}

/* Collects the edits of a major step.
 *
 * Splits are marked first, with the coarser edges that deferred ones need, and then listed by level
 * in a second pass, which also tests split edges for joining. The marks replace a sort. */
#include "rt/hierarchy/mesh_private.h"

/* An edge that is going to split, now or later, keeps the edges of its parent triangles from
 * joining. */
static void hold_parents(vo_rt_mesh *mesh, int edge) {
    for (int s = 0; s < 2; s++) {
        int face = vo_rt_mesh_side(mesh, edge, s);
        int parent = face < 0 ? -1 : mesh->triangle[face].parent;
        if (parent < 0) continue;
        for (int i = 0; i < 3; i++)
            mesh->edge[mesh->triangle[parent].edge[i]].flags |= VO_RT_EDGE_HELD;
    }
}

/* Marks an edge for a split, or the coarser edges that it needs first. Descends one level per call,
 * so it ends at level 0, whose edges can always split. */
static bool request_split(vo_rt_mesh *mesh, int edge, int count[]) {
    vo_rt_edge *e = &mesh->edge[edge];
    if (e->flags & VO_RT_EDGE_MARKED) return true;
    hold_parents(mesh, edge);
    if (vo_rt_mesh_can_split(mesh, edge)) {
        e->flags |= VO_RT_EDGE_MARKED;
        count[e->level]++;
        return true;
    }
    for (int s = 0; s < 2; s++) {
        if (e->face[s] < 0 || vo_rt_mesh_side(mesh, edge, s) >= 0) continue;
        const vo_rt_triangle *t = &mesh->triangle[mesh->triangle[e->face[s]].parent];
        for (int i = 0; i < 3; i++) {
            vo_rt_edge *f = &mesh->edge[t->edge[i]];
            f->flags |= VO_RT_EDGE_HELD;
            if (f->child < 0) request_split(mesh, t->edge[i], count);
        }
    }
    return false;
}

static void mark_splits(vo_rt_mesh *mesh, vo_rt_demand_fn *demand, void *user, vo_rt_edits *edits,
                        int count[]) {
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

void vo_rt_mesh_collect(vo_rt_mesh *mesh, vo_rt_demand_fn *demand, void *user, vo_rt_edits *edits) {
    int count[VO_RT_MAX_LEVEL + 1] = {0}, position[VO_RT_MAX_LEVEL + 1], end[VO_RT_MAX_LEVEL + 1];
    edits->split_count = edits->join_count = edits->deferred = edits->rejected = 0;
    mark_splits(mesh, demand, user, edits, count);
    place_levels(edits, count, position, end);
    for (int i = 0; i < mesh->edge_end; i++) {
        vo_rt_edge *e = &mesh->edge[i];
        uint8_t flags = e->flags;
        e->flags &= (uint8_t) ~(VO_RT_EDGE_MARKED | VO_RT_EDGE_HELD);
        if ((flags & VO_RT_EDGE_MARKED) && position[e->level] < end[e->level])
            edits->split[position[e->level]++] = i;
        if ((flags & VO_RT_EDGE_USED) && e->child >= 0)
            test_join(mesh, demand, user, edits, i, (flags & VO_RT_EDGE_HELD) != 0);
    }
}

/* Leaf lists: keeps triangles, springs and bending elements in step with the leaves of the tree. */
#include "rt/hierarchy/mesh_private.h"

/* Shorter rest lengths count as this, m. */
static const float MIN_REST = 1e-6f;

void vo_rt_mesh_add_leaf(vo_rt_mesh *mesh, int triangle) {
    mesh->triangle[triangle].leaf = mesh->front.triangle_count++;
    vo_rt_write_leaf(mesh, triangle);
}

void vo_rt_mesh_remove_leaf(vo_rt_mesh *mesh, int triangle) {
    vo_rt_front *front = &mesh->front;
    int leaf = mesh->triangle[triangle].leaf, last = --front->triangle_count;
    mesh->triangle[triangle].leaf = -1;
    if (leaf == last) return;
    int moved = front->triangle_source[last];
    front->triangles[leaf] = front->triangles[last];
    front->triangle_source[leaf] = moved;
    mesh->triangle[moved].leaf = leaf;
}

static float adjacent_area(const vo_rt_mesh *mesh, const vo_rt_edge *e) {
    float area = 0;
    for (int s = 0; s < 2; s++)
        if (e->face[s] >= 0) area += mesh->triangle[e->face[s]].rest_area;
    return area;
}

float vo_rt_mesh_spring_width(const vo_rt_mesh *mesh, const vo_rt_edge *edge) {
    return adjacent_area(mesh, edge) / f_max(edge->rest, MIN_REST);
}

/* 3 l^2 / A times the mean factor of the ends (Grinspun et al. 2003). */
float vo_rt_mesh_bend_stiffness(const vo_rt_mesh *mesh, const vo_rt_edge *edge) {
    float area = adjacent_area(mesh, edge);
    float factor = 0.5f * (mesh->stiffness[edge->vertex[0]] + mesh->stiffness[edge->vertex[1]]);
    return area > 0 ? 3 * edge->rest * edge->rest / area * factor : 0;
}

static int opposite_vertex(const vo_rt_triangle *t, int edge) {
    return t->edge[0] == edge ? t->vertex[0] : t->edge[1] == edge ? t->vertex[1] : t->vertex[2];
}

bool vo_rt_mesh_bend_vertices(const vo_rt_mesh *mesh, int edge, int32_t opposite[2]) {
    const vo_rt_edge *e = &mesh->edge[edge];
    if (e->face[0] < 0 || e->face[1] < 0) return false;
    for (int s = 0; s < 2; s++) opposite[s] = opposite_vertex(&mesh->triangle[e->face[s]], edge);
    return opposite[0] != opposite[1];
}

static bool is_spring_stale(const vo_rt_mesh *mesh, const vo_rt_edge *e) {
    const vo_rt_spring_group *g = &mesh->front.springs[e->spring / VO_RT_LANES];
    int lane = e->spring % VO_RT_LANES;
    return e->child >= 0 || g->a[lane] != e->vertex[0] || g->b[lane] != e->vertex[1];
}

static bool is_bend_stale(const vo_rt_mesh *mesh, int edge) {
    const vo_rt_edge *e = &mesh->edge[edge];
    const vo_rt_bend_group *g = &mesh->front.bends[e->bend / VO_RT_LANES];
    int lane = e->bend % VO_RT_LANES;
    int32_t opposite[2];
    if (e->child >= 0 || !vo_rt_mesh_bend_vertices(mesh, edge, opposite)) return true;
    return g->a[lane] != e->vertex[0] || g->b[lane] != e->vertex[1] || g->c[lane] != opposite[0] ||
           g->d[lane] != opposite[1];
}

/* Negative value that names the group of a removed element until it is inserted again: most
 * elements change one vertex and fit there again, and the group is in the cache. */
static int hint_of(int lane) { return -2 - lane / VO_RT_LANES; }

static void remove_stale(vo_rt_mesh *mesh, int edge) {
    vo_rt_edge *e = &mesh->edge[edge];
    if (e->spring >= 0 && is_spring_stale(mesh, e)) {
        int hint = hint_of(e->spring);
        vo_rt_mesh_remove_spring(mesh, edge);
        e->spring = hint;
    }
    if (e->bend >= 0 && is_bend_stale(mesh, edge)) {
        int hint = hint_of(e->bend);
        vo_rt_mesh_remove_bend(mesh, edge);
        e->bend = hint;
    }
}

static void insert_elements(vo_rt_mesh *mesh, int edge) {
    vo_rt_edge *e = &mesh->edge[edge];
    int32_t opposite[2];
    bool is_leaf = e->child < 0;
    if (is_leaf) vo_rt_mesh_insert_spring(mesh, edge);
    if (is_leaf && vo_rt_mesh_bend_vertices(mesh, edge, opposite))
        vo_rt_mesh_insert_bend(mesh, edge, opposite);
    if (e->spring < 0) e->spring = -1;
    if (e->bend < 0) e->bend = -1;
}

/* All removals precede the insertions, so that the number of elements at a vertex, and with it the
 * number of groups that an insertion needs, stays within the reserved bound. */
void vo_rt_mesh_update_lists(vo_rt_mesh *mesh) {
    int n = 0;
    for (int i = 0; i < mesh->dirty_count; i++) {
        int edge = mesh->dirty[i];
        mesh->edge[edge].flags &= (uint8_t)~VO_RT_EDGE_DIRTY;
        if (!(mesh->edge[edge].flags & VO_RT_EDGE_USED)) continue;
        remove_stale(mesh, edge);
        mesh->dirty[n++] = edge;
    }
    for (int i = 0; i < n; i++) insert_elements(mesh, mesh->dirty[i]);
    mesh->dirty_count = 0;
    vo_rt_mesh_compact_lanes(mesh);
}

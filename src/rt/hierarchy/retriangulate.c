/* Changes the configuration of one triangle: applies the difference of two configurations to the
 * tree. Slots of removed interior triangles and edges are reused for created ones in place. */
#include "rt/hierarchy/mesh_private.h"

#include <string.h>

/* A structural triangle with its six local points and 15 local edges. */
typedef struct local_triangle {
    int index, level;
    int32_t vertex[6];               /* slots; 0: the edge is not split */
    int32_t edge[VO_RT_LOCAL_EDGES]; /* -1: does not exist */
    uint8_t side[VO_RT_LOCAL_EDGES]; /* of the triangle on its edges and their halves; 0 inside */
    vo_rt_vec2 coordinate[6];
} local_triangle;

/* Edges about to join still have their midpoint here; local.edge lists the target state. */
static void load(const vo_rt_mesh *mesh, int triangle, local_triangle *local) {
    const vo_rt_triangle *t = &mesh->triangle[triangle];
    memset(local->side + VO_RT_FIRST_INTERIOR, 0, VO_RT_INTERIOR_EDGES);
    local->index = triangle;
    local->level = t->level;
    for (int i = 0; i < 3; i++) {
        const vo_rt_edge *e = &mesh->edge[t->edge[i]];
        int next = i == 2 ? 0 : i + 1, side = e->vertex[0] != t->vertex[next];
        local->vertex[i] = t->vertex[i];
        local->vertex[3 + i] = e->child >= 0 ? e->middle : 0;
        local->edge[i] = t->edge[i];
        local->edge[3 + 2 * i] = e->child + side;
        local->edge[4 + 2 * i] = e->child + !side;
        local->side[i] = local->side[3 + 2 * i] = local->side[4 + 2 * i] = (uint8_t)side;
        local->coordinate[next] = e->coordinate[side][side];
    }
    if (mesh->asset->fine && t->level < mesh->asset->max_level) {
        vo_rt_asset_fine_middles(mesh->asset, t->level, t->address, local->coordinate + 3);
        return;
    }
    for (int i = 0; i < 3; i++)
        local->coordinate[3 + i] =
            f2_mid(local->coordinate[(i + 1) % 3], local->coordinate[(i + 2) % 3]);
}

static float current_length(const vo_rt_mesh *mesh, const local_triangle *t, int p, int q) {
    const vo_rt_vec4 *x = mesh->front.position;
    return f3_distance(f4_xyz(x[t->vertex[p]]), f4_xyz(x[t->vertex[q]]));
}

/* Normal curvature from p to q, 1/m: |(nq - np) . (xq - xp)| / |xq - xp|^2. */
static float curvature(const vo_rt_mesh *mesh, const local_triangle *t, int p, int q) {
    const vo_rt_front *f = &mesh->front;
    int a = t->vertex[p], b = t->vertex[q];
    vo_rt_vec3 d = f3_sub(f4_xyz(f->position[b]), f4_xyz(f->position[a]));
    vo_rt_vec3 n = f3_sub(f4_xyz(f->normal[b]), f4_xyz(f->normal[a]));
    float length2 = f3_length2(d);
    return length2 > 0 ? fabsf(f3_dot(n, d)) / length2 : 0;
}

/* Measure of the median that distinguishes a configuration of two split edges. */
static float tie_measure(const vo_rt_mesh *mesh, const local_triangle *t, int configuration) {
    int corner = vo_rt_lowest_bit(vo_rt_configurations[configuration].edges);
    switch (mesh->tie_rule) {
    case VO_RT_TIE_LENGTH:
        return current_length(mesh, t, corner, 3 + corner);
    case VO_RT_TIE_REST_LENGTH:
        return f2_length(f2_sub(t->coordinate[3 + corner], t->coordinate[corner]));
    case VO_RT_TIE_CURVATURE:
        return curvature(mesh, t, corner, 3 + corner);
    case VO_RT_TIE_DEFAULT:
        break;
    }
    return 0;
}

static int choose(const vo_rt_mesh *mesh, const local_triangle *t, int from, int state) {
    int to = vo_rt_transition_target(from, state);
    if (to >= 0) return to;
    int first = vo_rt_first_configuration[state];
    return tie_measure(mesh, t, first + 1) < tie_measure(mesh, t, first) ? first + 1 : first;
}

static void write_edge(vo_rt_mesh *mesh, const local_triangle *t, int edge, int local, bool fixed) {
    const uint8_t *end = vo_rt_interior_edges[local - VO_RT_FIRST_INTERIOR];
    vo_rt_edge *e = &mesh->edge[edge];
    vo_rt_vec2 a = t->coordinate[end[0]], b = t->coordinate[end[1]];
    uint8_t dirty = e->flags & VO_RT_EDGE_DIRTY;
    *e = (vo_rt_edge){.vertex = {t->vertex[end[0]], t->vertex[end[1]]},
                      .face = {-1, -1},
                      .coordinate = {{a, b}, {a, b}},
                      .parent = -1,
                      .child = -1,
                      .middle = -1,
                      .rest = f2_length(f2_sub(b, a)),
                      .spring = e->spring,
                      .bend = e->bend,
                      .level = (uint8_t)(t->level + 1),
                      .flags = (uint8_t)(VO_RT_EDGE_USED | VO_RT_EDGE_INTERIOR | dirty |
                                         (fixed ? VO_RT_EDGE_FIXED : 0))};
}

static int new_edge(vo_rt_mesh *mesh) {
    int edge = vo_rt_mesh_take_edge(mesh);
    mesh->edge[edge].spring = mesh->edge[edge].bend = -1;
    return edge;
}

static void remove_edge(vo_rt_mesh *mesh, int edge) {
    vo_rt_mesh_remove_spring(mesh, edge);
    vo_rt_mesh_remove_bend(mesh, edge);
    vo_rt_mesh_release_edge(mesh, edge);
}

/* Replaces the interior edges; fills local.edge[9..14]. */
static void change_edges(vo_rt_mesh *mesh, local_triangle *t, int from, int to) {
    vo_rt_transition change = vo_rt_transition_between(from, to);
    int32_t old[VO_RT_INTERIOR_EDGES], removed[3];
    int32_t *slot = mesh->triangle[t->index].interior;
    int n = 0, next = 0, removed_count = 0;
    bool fixed = to != VO_RT_ALL_SPLIT;
    for (unsigned set = vo_rt_configurations[from].edges; set; set &= set - 1)
        old[vo_rt_lowest_bit(set)] = slot[n++];
    for (unsigned set = change.removed_edges; set; set &= set - 1)
        removed[removed_count++] = old[vo_rt_lowest_bit(set)];
    n = 0;
    for (unsigned set = vo_rt_configurations[to].edges; set; set &= set - 1) {
        int bit = vo_rt_lowest_bit(set), local = VO_RT_FIRST_INTERIOR + bit, edge;
        if (change.kept_edges >> bit & 1) {
            edge = old[bit];
            uint8_t *flags = &mesh->edge[edge].flags;
            *flags = (uint8_t)((*flags & ~VO_RT_EDGE_FIXED) | (fixed ? VO_RT_EDGE_FIXED : 0));
        } else {
            edge = next < removed_count ? removed[next++] : new_edge(mesh);
            write_edge(mesh, t, edge, local, fixed);
        }
        slot[n++] = t->edge[local] = edge;
    }
    while (n < 3) slot[n++] = -1;
    while (next < removed_count) remove_edge(mesh, removed[next++]);
}

/* Address of interior triangle `local`; those of C10 are the last four. */
static int32_t address_of(const vo_rt_mesh *mesh, const local_triangle *t, int local, bool fixed) {
    int32_t parent = mesh->triangle[t->index].address;
    return fixed ? parent : 4 * parent + local - VO_RT_FIRST_CHILD;
}

/* Leaf triangle `index` becomes interior triangle `local`; its entry in the leaf lists is `leaf`.
 */
static void write_triangle(vo_rt_mesh *mesh, const local_triangle *t, int index, int local,
                           int leaf, bool fixed) {
    const vo_rt_interior_triangle *shape = &vo_rt_interior_triangles[local];
    const int32_t *v = t->vertex, *e = t->edge;
    const uint8_t *p = shape->point, *q = shape->edge;
    mesh->triangle[index] = (vo_rt_triangle){.vertex = {v[p[0]], v[p[1]], v[p[2]]},
                                             .edge = {e[q[0]], e[q[1]], e[q[2]]},
                                             .child = {-1, -1, -1, -1},
                                             .interior = {-1, -1, -1},
                                             .parent = t->index,
                                             .leaf = leaf,
                                             .address = address_of(mesh, t, local, fixed),
                                             .level = (uint8_t)(t->level + !fixed),
                                             .is_transitional = fixed,
                                             .is_used = 1,
                                             .rest_area = 0.25f * (float)shape->quarters *
                                                          mesh->triangle[t->index].rest_area};
    vo_rt_edge *edges = mesh->edge; /* local copies: stores of bytes may alias members */
    int32_t *dirty = mesh->dirty;
    int count = mesh->dirty_count;
    for (int k = 0; k < 3; k++) {
        int side = t->side[q[k]] | shape->side[k];
        vo_rt_edge *edge = &edges[e[q[k]]];
        edge->face[side] = index;
        dirty[count] = e[q[k]];
        count += !(edge->flags & VO_RT_EDGE_DIRTY);
        edge->flags |= VO_RT_EDGE_DIRTY;
    }
    mesh->dirty_count = count;
}

/* Slot for a created triangle, with an entry in the leaf lists: that of a removed triangle, of the
 * divided triangle, or a new one. */
static int take_slot(vo_rt_mesh *mesh, vo_rt_triangle *divided, const int32_t *removed,
                     int removed_count, int *next) {
    if (*next < removed_count) return removed[(*next)++];
    int slot = vo_rt_mesh_take_triangle(mesh);
    if (divided->leaf >= 0) {
        mesh->triangle[slot].leaf = divided->leaf;
        divided->leaf = -1;
    } else {
        mesh->triangle[slot].leaf = mesh->front.triangle_count++;
    }
    return slot;
}

/* The triangle is a leaf again; it takes over the leaf entry of an interior triangle. */
static void become_leaf(vo_rt_mesh *mesh, const local_triangle *t, int32_t from) {
    vo_rt_triangle *divided = &mesh->triangle[t->index];
    divided->leaf = mesh->triangle[from].leaf;
    mesh->triangle[from].leaf = -1;
    vo_rt_write_leaf(mesh, t->index);
    for (int i = 0; i < 3; i++) vo_rt_set_face(mesh, t->edge[i], t->side[i], t->index);
}

static void change_triangles(vo_rt_mesh *mesh, const local_triangle *t, int from, int to) {
    vo_rt_transition change = vo_rt_transition_between(from, to);
    int32_t old[VO_RT_INTERIOR_TRIANGLES], removed[4];
    vo_rt_triangle *divided = &mesh->triangle[t->index];
    int n = 0, next = 0, removed_count = 0;
    bool fixed = to != VO_RT_ALL_SPLIT;
    for (unsigned set = vo_rt_configurations[from].triangles; set; set &= set - 1)
        old[vo_rt_lowest_bit(set)] = divided->child[n++];
    for (unsigned set = change.removed_triangles; set; set &= set - 1)
        removed[removed_count++] = old[vo_rt_lowest_bit(set)];
    n = 0;
    for (unsigned set = vo_rt_configurations[to].triangles; set; set &= set - 1) {
        int bit = vo_rt_lowest_bit(set), child;
        if (change.kept_triangles >> bit & 1) {
            child = old[bit];
            mesh->triangle[child].level = (uint8_t)(t->level + !fixed);
            mesh->triangle[child].is_transitional = fixed;
            mesh->triangle[child].address = address_of(mesh, t, bit, fixed);
        } else {
            child = take_slot(mesh, divided, removed, removed_count, &next);
            write_triangle(mesh, t, child, bit, mesh->triangle[child].leaf, fixed);
            vo_rt_write_leaf(mesh, child);
        }
        divided->child[n++] = child;
    }
    while (n < 4) divided->child[n++] = -1;
    if (to == 0) become_leaf(mesh, t, removed[next]);
    for (; next < removed_count; next++) {
        if (mesh->triangle[removed[next]].leaf >= 0) vo_rt_mesh_remove_leaf(mesh, removed[next]);
        vo_rt_mesh_release_triangle(mesh, removed[next]);
    }
}

static void change(vo_rt_mesh *mesh, local_triangle *local, int from, int to) {
    vo_rt_mesh_move_mass(mesh, &mesh->triangle[local->index], local->vertex, from, to);
    change_edges(mesh, local, from, to);
    change_triangles(mesh, local, from, to);
    mesh->triangle[local->index].configuration = (uint8_t)to;
}

void vo_rt_mesh_change_configuration(vo_rt_mesh *mesh, int triangle, int to) {
    local_triangle local;
    load(mesh, triangle, &local);
    change(mesh, &local, mesh->triangle[triangle].configuration, to);
}

void vo_rt_mesh_retriangulate(vo_rt_mesh *mesh, int triangle) {
    const vo_rt_triangle *t = &mesh->triangle[triangle];
    int from = t->configuration, state = 0;
    for (int i = 0; i < 3; i++) state |= vo_rt_is_split(&mesh->edge[t->edge[i]]) << i;
    if (vo_rt_configurations[from].state == state) return;
    local_triangle local;
    load(mesh, triangle, &local);
    change(mesh, &local, from, choose(mesh, &local, from, state));
}

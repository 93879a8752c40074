/* Valid fronts: leaf triangles that share a vertex differ by at most one level (Jain et al. 2005,
 * property 1). A transitional triangle has the level of its parent, so the level at a point changes
 * only when a structural triangle of level n is divided into four, or united again:
 *
 *   division  raises the leaves at its corners to n + 1: no leaf there may be below n
 *   union     lowers the leaves at its corners and midpoints to n: no leaf there may be above n + 1
 *
 * Marked edges count as split: a division is expected if the last unsplit edge is marked, and a
 * union takes the divisions of the same major step into account. The leaves around a vertex are
 * those of one fan, connected by edges at the vertex. */
#include "rt/hierarchy/mesh_private.h"

static bool is_split_or_marked(const vo_rt_mesh *mesh, int edge) {
    const vo_rt_edge *e = &mesh->edge[edge];
    return e->child >= 0 || (e->flags & VO_RT_EDGE_MARKED) != 0;
}

/* True if all edges of a structural triangle are split or about to be, or are `edge`. */
static bool becomes_divided(const vo_rt_mesh *mesh, const vo_rt_triangle *t, int edge) {
    for (int i = 0; i < 3; i++)
        if (t->edge[i] != edge && !is_split_or_marked(mesh, t->edge[i])) return false;
    return true;
}

static int corner_of(const vo_rt_triangle *t, int vertex) {
    return t->vertex[0] == vertex   ? 0
           : t->vertex[1] == vertex ? 1
           : t->vertex[2] == vertex ? 2
                                    : -1;
}

/* Leaf of a structural triangle at one of its corners or midpoints. */
static int find_leaf_at(const vo_rt_mesh *mesh, int triangle, int vertex) {
    while (mesh->triangle[triangle].configuration != 0) {
        const int32_t *child = mesh->triangle[triangle].child;
        int k = 0;
        while (k < 3 && corner_of(&mesh->triangle[child[k]], vertex) < 0) k++;
        triangle = child[k];
    }
    return triangle;
}

/* Next leaf around a vertex, across the edge behind (turn 1) or in front of (turn 2) its corner;
 * -1 at a boundary. */
static int next_leaf(const vo_rt_mesh *mesh, int leaf, int vertex, int turn) {
    const vo_rt_triangle *t = &mesh->triangle[leaf];
    const vo_rt_edge *e = &mesh->edge[t->edge[(corner_of(t, vertex) + turn) % 3]];
    return e->face[0] == leaf ? e->face[1] : e->face[0];
}

vo_rt_ring vo_rt_ring_begin(const vo_rt_mesh *mesh, int triangle, int vertex) {
    int leaf = find_leaf_at(mesh, triangle, vertex);
    return (vo_rt_ring){.vertex = vertex, .first = leaf, .leaf = leaf, .turn = 1};
}

void vo_rt_ring_next(const vo_rt_mesh *mesh, vo_rt_ring *ring) {
    int leaf = next_leaf(mesh, ring->leaf, ring->vertex, ring->turn);
    if (leaf < 0 && ring->turn == 1) {
        ring->turn = 2;
        leaf = next_leaf(mesh, ring->first, ring->vertex, 2);
    }
    ring->leaf = leaf == ring->first ? -1 : leaf;
}

static int lowest_level(const vo_rt_mesh *mesh, int triangle, int vertex) {
    int lowest = VO_RT_MAX_LEVEL;
    for (vo_rt_ring ring = vo_rt_ring_begin(mesh, triangle, vertex); ring.leaf >= 0;
         vo_rt_ring_next(mesh, &ring))
        if (mesh->triangle[ring.leaf].level < lowest) lowest = mesh->triangle[ring.leaf].level;
    return lowest;
}

/* Level of a leaf after the marked splits. */
static int next_level(const vo_rt_mesh *mesh, int leaf) {
    const vo_rt_triangle *t = &mesh->triangle[leaf];
    const vo_rt_triangle *structural = t->is_transitional ? &mesh->triangle[t->parent] : t;
    return t->level + becomes_divided(mesh, structural, -1);
}

static int highest_next_level(const vo_rt_mesh *mesh, int triangle, int vertex) {
    int highest = 0;
    for (vo_rt_ring ring = vo_rt_ring_begin(mesh, triangle, vertex); ring.leaf >= 0;
         vo_rt_ring_next(mesh, &ring)) {
        int level = next_level(mesh, ring.leaf);
        if (level > highest) highest = level;
    }
    return highest;
}

bool vo_rt_mesh_blocks_division(const vo_rt_mesh *mesh, int edge, int side) {
    int face = vo_rt_mesh_side(mesh, edge, side);
    if (face < 0) return false;
    const vo_rt_triangle *t = &mesh->triangle[face];
    if (t->level == 0 || !becomes_divided(mesh, t, edge)) return false;
    for (int k = 0; k < 3; k++)
        if (lowest_level(mesh, face, t->vertex[k]) < t->level) return true;
    return false;
}

bool vo_rt_mesh_blocks_union(const vo_rt_mesh *mesh, int triangle) {
    const vo_rt_triangle *t = &mesh->triangle[triangle];
    if (t->configuration != VO_RT_ALL_SPLIT) return false;
    for (int k = 0; k < 3; k++) {
        int middle = mesh->edge[t->edge[k]].middle;
        if (highest_next_level(mesh, triangle, t->vertex[k]) > t->level + 1 ||
            highest_next_level(mesh, triangle, middle) > t->level + 1)
            return true;
    }
    return false;
}

const char *vo_rt_mesh_check_levels(const vo_rt_mesh *mesh) {
    for (int i = 0; i < mesh->front.triangle_count; i++) {
        int leaf = mesh->front.triangle_source[i];
        const vo_rt_triangle *t = &mesh->triangle[leaf];
        for (int k = 0; k < 3; k++)
            if (lowest_level(mesh, leaf, t->vertex[k]) < t->level - 1)
                return "levels of leaves at a vertex differ by more than one";
    }
    return NULL;
}

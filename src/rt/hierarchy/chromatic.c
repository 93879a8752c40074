/* Colours of the leaves and the check of constraints 1 and 2. */
#include "rt/hierarchy/mesh_private.h"

#include <string.h>

int vo_rt_mesh_colour(const vo_rt_mesh *mesh, int triangle) {
    const vo_rt_triangle *t = &mesh->triangle[triangle];
    int slot = 0;
    if (t->is_transitional)
        while (mesh->triangle[t->parent].child[slot] != triangle) slot++;
    return vo_rt_asset_colour(mesh->asset, t->level, t->address, slot);
}

static bool has_vertex(const vo_rt_triangle *t, int vertex) {
    return t->vertex[0] == vertex || t->vertex[1] == vertex || t->vertex[2] == vertex;
}

/* Neighbours of a leaf: those around corner 0, around corner 1 without corner 0, and so on, so that
 * each is visited once. */
typedef struct neighbours {
    const vo_rt_mesh *mesh;
    int leaf, corner;
    vo_rt_ring ring;
} neighbours;

static bool is_new(const neighbours *n) {
    const vo_rt_triangle *t = &n->mesh->triangle[n->leaf], *other;
    if (n->ring.leaf == n->leaf) return false;
    other = &n->mesh->triangle[n->ring.leaf];
    for (int k = 0; k < n->corner; k++)
        if (has_vertex(other, t->vertex[k])) return false;
    return true;
}

static neighbours neighbours_of(const vo_rt_mesh *mesh, int leaf) {
    return (neighbours){.mesh = mesh,
                        .leaf = leaf,
                        .ring = vo_rt_ring_begin(mesh, leaf, mesh->triangle[leaf].vertex[0])};
}

/* Advances to the next neighbour; -1 at the end. */
static int next_neighbour(neighbours *n) {
    for (;;) {
        if (n->ring.leaf >= 0) vo_rt_ring_next(n->mesh, &n->ring);
        if (n->ring.leaf < 0) {
            if (++n->corner == 3) return -1;
            n->ring =
                vo_rt_ring_begin(n->mesh, n->leaf, n->mesh->triangle[n->leaf].vertex[n->corner]);
        }
        if (is_new(n)) return n->ring.leaf;
    }
}

/* Finds a neighbour of `leaf` with this colour besides `except`; -1 if there is none. */
static int find_colour(const vo_rt_mesh *mesh, int leaf, int colour, int except) {
    neighbours n = neighbours_of(mesh, leaf);
    int other = next_neighbour(&n);
    while (other >= 0 && (other == except || vo_rt_mesh_colour(mesh, other) != colour))
        other = next_neighbour(&n);
    return other;
}

/* A set of colours by their remainders: reports no new colour as present unless another one has the
 * same remainder. */
enum { SET_BITS = 2048 };
typedef struct colour_set {
    uint64_t bits[SET_BITS / 64];
} colour_set;

/* True if the remainder was in the set. */
static bool insert(colour_set *set, int colour) {
    uint64_t *word = &set->bits[colour % SET_BITS / 64], bit = (uint64_t)1 << colour % 64;
    bool was = (*word & bit) != 0;
    *word |= bit;
    return was;
}

static bool check_leaf(const vo_rt_mesh *mesh, int leaf, int32_t conflict[3]) {
    colour_set set;
    neighbours n = neighbours_of(mesh, leaf);
    int own = vo_rt_mesh_colour(mesh, leaf);
    memset(&set, 0, sizeof set);
    insert(&set, own);
    for (int a = next_neighbour(&n); a >= 0; a = next_neighbour(&n)) {
        int colour = vo_rt_mesh_colour(mesh, a);
        if (!insert(&set, colour)) continue;
        int b = colour == own ? leaf : find_colour(mesh, leaf, colour, a);
        if (b < 0) continue;
        conflict[0] = a, conflict[1] = b, conflict[2] = leaf;
        return false;
    }
    return true;
}

bool vo_rt_mesh_check_colours(const vo_rt_mesh *mesh, int32_t conflict[3]) {
    for (int i = 0; i < mesh->front.triangle_count; i++)
        if (!check_leaf(mesh, mesh->front.triangle_source[i], conflict)) return false;
    return true;
}

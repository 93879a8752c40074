/* Colours of the faces: which pairs can be adjacent.
 *
 * By constraint 2 of the chromatic decomposition (asset/colour.c) a face has at most one neighbour
 * of each colour, so a set of colours describes its neighbours: a face whose colour is not in the
 * set shares no vertex with it, and vertices are not compared. Colours are reduced modulo 64. They
 * are multiples of the number of slots, 3, except those of transitional triangles, so that up to 64
 * colours of regular triangles have different bits. Equal bits only cause a comparison. */
#include "rt/self/self_private.h"

#include <string.h>

enum { WORD = 32 };

static void set_colour(vo_rt_self_set *set, int face, int colour) {
    for (int k = 0; k < 2; k++) {
        uint32_t bit = colour % (2 * WORD) / WORD == k ? (uint32_t)1 << colour % WORD : 0;
        set->lanes.colour[k][face] = (int32_t)bit;
    }
}

/* Faces in the order in which gather.c lists them. */
static int colour_leaves(vo_rt_self_set *set, const vo_rt_mesh *mesh, int triangle, int face) {
    const vo_rt_triangle *t = &mesh->triangle[triangle];
    if (t->configuration == 0) {
        set_colour(set, face, vo_rt_mesh_colour(mesh, triangle));
        return face + 1;
    }
    for (int k = 0; k < 4; k++)
        if (t->child[k] >= 0) face = colour_leaves(set, mesh, t->child[k], face);
    return face;
}

static void colour_faces(vo_rt_self_set *set) {
    int face = 0;
    for (int k = 0; k < set->member_count; k++) {
        const vo_rt_mesh *mesh = set->member[k].mesh;
        for (int i = 0; i < mesh->asset->triangle_count; i++)
            face = colour_leaves(set, mesh, i, face);
    }
    for (int k = 0; k < 2; k++)
        for (int i = face; i < set->lane_stride; i++) set->lanes.colour[k][i] = 0;
}

/* Colours around a vertex. */
typedef struct vertex_colours {
    uint32_t bits[2];
} vertex_colours;

void vo_rt_self_gather_colours(vo_rt_self_set *set) {
    vertex_colours *around = (vertex_colours *)set->move; /* not used yet */
    colour_faces(set);
    memset(around, 0, (size_t)set->cloth_vertex_count * sizeof *around);
    for (int i = 0; i < set->cloth_face_count; i++)
        for (int k = 0; k < 6; k++)
            around[set->face[i].vertex[k / 2]].bits[k % 2] |= (uint32_t)set->lanes.colour[k % 2][i];
    for (int i = 0; i < set->cloth_face_count; i++) {
        const int32_t *v = set->face[i].vertex;
        for (int k = 0; k < 2; k++)
            set->face[i].neighbours[k] =
                around[v[0]].bits[k] | around[v[1]].bits[k] | around[v[2]].bits[k];
    }
}

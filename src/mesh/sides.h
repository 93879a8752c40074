/* The sides of all faces, sorted so that those between the same two nodes lie together.
 *
 *      sides:   0   1   2   3   4   5 | 6          order:  0 | 1 4 6 | 2 | 3 | 5
 *              f0  f0  f0  f1  f1  f1 | e0                      ^ face 0 and face 1 meet here, and
 *                                                                 the file names this edge
 *
 * Side 3 f + i joins the nodes of corners i and i + 1 of face f; behind them come the edges that
 * the file names. Two counting passes sort them in time proportional to nodes and faces whatever
 * the input; a hash table would be as fast on good meshes and slow on bad ones. The order is
 * stable, so everything made from it depends on the faces alone. */
#ifndef VO_MESH_SIDES_H
#define VO_MESH_SIDES_H

#include "mesh/mesh.h"

typedef struct vo_sides {
    vo_context *ctx;
    int face_sides; /* 3 x faces: sides from here on are named edges */
    int total;      /* face_sides + named edges */
    int count;      /* how many of them are in `order` */
    int *low;       /* [total] the node with the smaller index */
    int *high;      /* [total] */
    int *order;     /* [count] sides by low, high, side */
} vo_sides;

/* Leaves out the faces marked in `skip` (NULL: none) and named edges with a node outside the mesh.
 * Faces not skipped have usable indices. */
vo_result vo_sides_create(vo_context *ctx, const vo_mesh_data *data, const uint8_t *skip,
                          vo_sides *out);
void vo_sides_free(vo_sides *sides);

/* End of the run of `order` that starts at `begin` and joins the same two nodes. */
int vo_sides_run_end(const vo_sides *sides, int begin);

/* The nodes a side leads from and to. */
void vo_sides_nodes(const vo_mesh_data *data, int side, int node[2]);

/* Reorders order[0..count) by key[order[i]], stably. Keys are in [0, key_count); `scratch` has room
 * for count, `start` for key_count + 1. */
void vo_sort_by_key(int count, int *order, const int *key, int key_count, int *scratch, int *start);

#endif

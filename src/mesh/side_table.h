/* Side table: the sides of all faces, sorted so that sides between the same two nodes are adjacent.
 *
 *      sides:   0   1   2   3   4   5 | 6          order:  0 | 1 4 6 | 2 | 3 | 5
 *              f0  f0  f0  f1  f1  f1 | e0                      ^ an edge of faces 0 and 1, which
 *                                                                 the file also lists
 *
 * Side 3 f + i joins the nodes of corners i and i + 1 of face f; the edges that the file lists
 * follow. Two counting sorts take linear time for any input; a hash table would be as fast on good
 * meshes and slow on bad ones. The order is stable, so all results depend on the faces alone. */
#ifndef VO_MESH_SIDE_TABLE_H
#define VO_MESH_SIDE_TABLE_H

#include "mesh/mesh.h"

typedef struct vo_side_table {
    vo_context *ctx;
    int face_sides; /* 3 x faces; later sides are listed edges */
    int total;      /* face_sides + listed edges */
    int count;      /* number of sides in `order` */
    int *low;       /* [total] the node with the smaller index */
    int *high;      /* [total] the node with the larger index */
    int *order;     /* [count] sides sorted by low, high, side */
} vo_side_table;

/* Skips the faces marked in `skip` (NULL: none) and listed edges with a node outside the mesh. The
 * other faces must have valid indices. */
vo_result vo_side_table_create(vo_context *ctx, const vo_mesh_data *data, const uint8_t *skip,
                               vo_side_table *out);
void vo_side_table_free(vo_side_table *sides);

/* End of the range of `order` that starts at `begin` and joins the same two nodes. */
int vo_side_table_group_end(const vo_side_table *sides, int begin);

/* The origin and target node of a side. */
void vo_side_table_nodes(const vo_mesh_data *data, int side, int node[2]);

/* Stable counting sort of order[0..count) by key[order[i]]. Keys are in [0, key_count); `scratch`
 * has the capacity count, `start` key_count + 1. */
void vo_sort_by_key(int count, int *order, const int *key, int key_count, int *scratch, int *start);

#endif

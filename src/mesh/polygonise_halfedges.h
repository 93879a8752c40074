/* Half-edge structure of a closed surface; internal to mesh/polygonise.h.
 *
 * Half-edge 3 f + k is the side of face f from its corner k to the next corner; its twin is the
 * same edge in the adjacent face, in the opposite direction. */
#ifndef VO_MESH_POLYGONISE_HALFEDGES_H
#define VO_MESH_POLYGONISE_HALFEDGES_H

#include "mesh/polygonise.h"

typedef struct vo_halfedge_mesh {
    vo_context *ctx;
    vo_field field;
    double cell;
    vo_surface_parts *s;
    int node_count, side_count; /* capacities of the arrays */
    int *twin;                  /* [3 faces] */
    int *first;                 /* [nodes + 1] offsets into `order` per node; only during pairing */
    int *order;                 /* [3 faces] half-edges by origin */
    int *out;                   /* [nodes] an outgoing half-edge */
    int *valence;               /* [nodes] */
    vo_vec3 *moved;             /* [nodes] */
} vo_halfedge_mesh;

/* Allocates the arrays and pairs the twins of the surface; free it also after a failure. */
vo_result vo_halfedge_mesh_create(vo_context *ctx, vo_field field, double cell, vo_surface_parts *s,
                                  vo_halfedge_mesh *out);
void vo_halfedge_mesh_free(vo_halfedge_mesh *m);

static inline int vo_hm_next(int h) { return h % 3 == 2 ? h - 2 : h + 1; }
static inline int vo_hm_origin(const vo_halfedge_mesh *m, int h) {
    return m->s->face[h / 3][h % 3];
}
static inline int vo_hm_target(const vo_halfedge_mesh *m, int h) {
    return vo_hm_origin(m, vo_hm_next(h));
}

/* The next half-edge with the same origin. */
static inline int vo_hm_rotate(const vo_halfedge_mesh *m, int h) {
    return m->twin[vo_hm_next(vo_hm_next(h))];
}

static inline void vo_hm_pair(vo_halfedge_mesh *m, int a, int b) {
    m->twin[a] = b;
    m->twin[b] = a;
}

/* True if an edge joins the two nodes. */
bool vo_hm_has_edge(const vo_halfedge_mesh *m, int a, int b);

/* Normal of a triangle; its length is twice the area. */
static inline vo_vec3 vo_hm_normal(vo_vec3 a, vo_vec3 b, vo_vec3 c) {
    return v3_cross(v3_sub(b, a), v3_sub(c, a));
}

/* One Newton step towards the surface, of at most half a cell. */
vo_vec3 vo_hm_project(const vo_halfedge_mesh *m, vo_vec3 p, vo_vec3 gradient);

#endif

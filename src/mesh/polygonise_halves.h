/* A closed surface by its half edges, for making it better; inside of mesh/polygonise.h.
 *
 * 3 f + k is the side of face f from its corner k to the next one; its twin runs the other way in
 * the face beyond. */
#ifndef VO_MESH_POLYGONISE_HALVES_H
#define VO_MESH_POLYGONISE_HALVES_H

#include "mesh/polygonise.h"

typedef struct vo_halves {
    vo_context *ctx;
    vo_field field;
    double cell;
    vo_surface_parts *s;
    int node_count, side_count; /* of the arrays */
    int *twin;                  /* [3 faces] */
    int *first;     /* [nodes + 1] while pairing, where a node's half edges begin in `order` */
    int *order;     /* [3 faces] half edges by the node they start from */
    int *out;       /* [nodes] one half edge that starts there */
    int *valence;   /* [nodes] */
    vo_vec3 *moved; /* [nodes] */
} vo_halves;

/* Room and twins for the surface as it is now; to be freed in any case. */
vo_result vo_halves_create(vo_context *ctx, vo_field field, double cell, vo_surface_parts *s,
                           vo_halves *out);
void vo_halves_free(vo_halves *m);

static inline int vo_half_next(int h) { return h % 3 == 2 ? h - 2 : h + 1; }
static inline int vo_half_start(const vo_halves *m, int h) { return m->s->face[h / 3][h % 3]; }
static inline int vo_half_finish(const vo_halves *m, int h) {
    return vo_half_start(m, vo_half_next(h));
}

/* The next half edge that starts at the same node, round about. */
static inline int vo_half_around(const vo_halves *m, int h) {
    return m->twin[vo_half_next(vo_half_next(h))];
}

static inline void vo_half_set_twins(vo_halves *m, int a, int b) {
    m->twin[a] = b;
    m->twin[b] = a;
}

/* Whether there is an edge between two nodes. */
bool vo_half_joined(const vo_halves *m, int a, int b);

/* Twice the area, along the normal. */
static inline vo_vec3 vo_half_normal(vo_vec3 a, vo_vec3 b, vo_vec3 c) {
    return v3_cross(v3_sub(b, a), v3_sub(c, a));
}

/* One step of Newton's method towards the surface, of at most half a cell. */
vo_vec3 vo_half_drawn(const vo_halves *m, vo_vec3 p, vo_vec3 gradient);

#endif

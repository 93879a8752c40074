/* The exact look at a state: gathers all meshes into one numbering, has intersections and insides
 * found (collide/crossings.h, collide/inside.h), and sorts the answers by cloth and obstacle.
 *
 * Positions are copied as they are, so what is judged is what frame files hold and exports show.
 * The numbering is made anew at every look: there is nothing to fall out of step when a topology
 * changes. Memory is kept. */
#ifndef VO_SIM_INSPECT_H
#define VO_SIM_INSPECT_H

#include "collide/crossings.h"
#include "collide/inside.h"
#include "mesh/mesh.h"

#include <voile/check.h>

/* A mesh to be looked at. Faces have usable indices. */
typedef struct vo_inspect_mesh {
    int node_count, face_count;
    const vo_vec3 *node_x;
    const int *vert_node;
    const int (*face_vert)[3];
} vo_inspect_mesh;

static inline vo_inspect_mesh vo_inspect_mesh_of(const vo_mesh *m) {
    return (vo_inspect_mesh){m->node_count, m->face_count, m->node_x, m->vert_node,
                             (const int(*)[3])m->face_vert};
}

/* Where a cloth or obstacle is in the common numbering. */
typedef struct vo_inspect_part {
    bool obstacle;
    int number;         /* of the cloth or obstacle */
    bool closed;        /* an obstacle with an inside */
    int node, node_end; /* [node, node_end) */
    int face, face_end;
} vo_inspect_part;

typedef struct vo_inspector {
    vo_context *ctx;
    int part_count, part_capacity;
    vo_inspect_part *part; /* cloths, then obstacles */
    int node_count, x_capacity, inside_capacity;
    vo_vec3 *x;         /* [node_count] m, as vo_exact_point makes them */
    uint8_t *is_inside; /* [node_count] of cloth: 1 inside a closed obstacle */
    int face_count, face_capacity;
    int (*face)[3]; /* [face_count] nodes */
    int piece_capacity;
    int *piece; /* [nodes of cloth] on the way to the first node of their piece */
    vo_crossings crossings;
    vo_inside inside;
} vo_inspector;

/* Starts a look; the meshes are added, cloths before obstacles, and the numbers found. Strain is
 * not among them. After a failure the next look may begin. */
void vo_inspector_begin(vo_inspector *in);
vo_result vo_inspector_add(vo_inspector *in, const vo_inspect_mesh *mesh, bool obstacle, int number,
                           bool closed);
vo_result vo_inspector_look(vo_inspector *in, vo_inspection *out);
void vo_inspector_free(vo_inspector *in);

/* Whether every edge has two faces; they then look to the same side (mesh/mesh.h). */
bool vo_mesh_is_closed(const vo_mesh *mesh);

/* picture.c: what was looked at last, as a PLY file with colours (see vo_check). */
vo_result vo_inspector_picture(vo_inspector *in, const char *path);

#endif

/* Exact inspection of a state: gathers all meshes into one numbering, finds intersections and nodes
 * inside obstacles (collide/intersections.h, collide/inside.h) and attributes them to cloths and
 * obstacles.
 *
 * Positions are copied unchanged, so the inspected state is the one in frame files and exports. The
 * numbering is rebuilt for every inspection; memory is reused. */
#ifndef VO_SIM_INSPECT_H
#define VO_SIM_INSPECT_H

#include "collide/inside.h"
#include "collide/intersections.h"
#include "mesh/mesh.h"

#include <voile/check.h>

/* A mesh to inspect. Its indices are valid. */
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

/* Solid of an obstacle, in which cloth must not be. */
typedef enum vo_inspect_solid {
    VO_INSPECT_OPEN,     /* the surface has holes: no solid */
    VO_INSPECT_ENCLOSED, /* the enclosed side, independent of face orientation: bodies of
                            characters, which importers may have mirrored */
    VO_INSPECT_ORIENTED, /* behind the faces: a surface turned inside out is a container */
} vo_inspect_solid;

/* Range of a cloth or obstacle in the common numbering. */
typedef struct vo_inspect_part {
    bool obstacle;
    int number; /* of the cloth or obstacle */
    vo_inspect_solid solid;
    int node, node_end; /* [node, node_end) */
    int face, face_end;
} vo_inspect_part;

typedef struct vo_inspector {
    vo_context *ctx;
    int part_count, part_capacity;
    vo_inspect_part *part; /* cloths, then obstacles */
    int node_count, x_capacity, inside_capacity;
    vo_vec3 *x;         /* [node_count] m, converted by vo_exact_point */
    uint8_t *is_inside; /* [node_count] of cloth: 1 inside a closed obstacle */
    int face_count, face_capacity;
    int (*face)[3]; /* [face_count] nodes */
    int component_capacity;
    int *component; /* [nodes of cloth] union-find parent within a connected component */
    int container_capacity;
    int (*container_face)[3]; /* nodes of the faces of all containers */
    vo_intersections intersections;
    vo_inside inside;
} vo_inspector;

/* Begins an inspection. Then add the meshes, cloths before obstacles, and run it. The result has no
 * strain. After a failure a new inspection may begin. */
void vo_inspector_begin(vo_inspector *in);
vo_result vo_inspector_add(vo_inspector *in, const vo_inspect_mesh *mesh, bool obstacle, int number,
                           vo_inspect_solid solid);
vo_result vo_inspector_inspect(vo_inspector *in, vo_inspection *out);
void vo_inspector_free(vo_inspector *in);

/* Returns true if every edge has two faces; their orientations then agree (mesh/mesh.h). */
bool vo_mesh_is_closed(const vo_mesh *mesh);

/* Returns true if an obstacle is a container: its surface is closed, its normals point inwards, and
 * it is not the body of a character. Its solid is everything outside. */
bool vo_sim_obstacle_is_container(const vo_sim *sim, int obstacle);

#endif

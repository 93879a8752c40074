/* Collision surface: nodes, edges and faces of all cloths, then of all obstacles, in one numbering.
 * Created once per topology; positions are set in every step.
 *
 *      cloth 0    cloth 1    obstacle 0   ...
 *     |-------- | --------- | ---------- |        nodes, edges and faces each
 *
 * Trajectories in a step are linear from x0 to x1. Invariant: x0 is free of intersections; it is
 * the result of the previous step, and the collision response preserves the invariant. Nodes of
 * obstacles and pinned nodes have inverse mass 0.
 *
 * Features. Contacts are between a node and a face, or between two edges, without a common node.
 * BVHs contain faces. To find each feature pair once although several face pairs contain it, each
 * node and each edge is owned by one of its faces (`owns`). A node-face pair is found at the pair
 * (face that owns the node, face), whatever nodes these two share: two faces with a common node
 * still have features without one. */
#ifndef VO_COLLIDE_SURFACE_H
#define VO_COLLIDE_SURFACE_H

#include "math/quat.h"
#include "mesh/mesh.h"

/* A cloth or an obstacle: its index ranges, and its state in this step. */
typedef struct vo_surface_part {
    int node_begin, node_end, edge_begin, edge_end, face_begin, face_end;
    bool obstacle;
    bool present;         /* false: an obstacle that is absent at this time */
    bool rigid;           /* node i is at pose * rest[i], in this step from pose[0] to pose[1] */
    vo_transform pose[2]; /* rigid: at x0 and x1, except for nodes that the fail-safe moved back */
    const vo_vec3 *rest;  /* [node_end - node_begin] obstacles: positions in the own frame, used for
                             clustering; NULL: the initial positions. Required if rigid */
} vo_surface_part;

enum { VO_OWNS_NODE = 1, VO_OWNS_EDGE = 8 }; /* shifted left by the corner or side index, 0 to 2 */

typedef struct vo_surface {
    vo_context *ctx;
    int part_count, node_count, edge_count, face_count;
    int cloth_node_count, cloth_face_count; /* cloths come first */
    vo_surface_part *part;
    int (*face)[3];             /* [face_count] nodes */
    int (*face_edge)[3];        /* [face_count] edges; side i runs from corner i to corner i + 1 */
    int (*edge)[2];             /* [edge_count] nodes */
    int *node_part;             /* [node_count] */
    int *face_part;             /* [face_count] */
    unsigned char *owns;        /* [face_count] VO_OWNS_* bits */
    double *max_self_thickness; /* [node_count] m: half of the smallest height, in material space,
                                   of the adjacent faces; infinite for obstacles. Caps the thickness
                                   between features of one cloth, so that a sheet whose faces are
                                   smaller than the thickness does not repel itself */
    vo_vec3 *x0, *x1;           /* [node_count] m */
    double *inverse_mass;       /* [node_count] 1/kg; 0: prescribed motion */
    double *area;               /* [node_count] m^2, rest area of cloth or obstacle around a node */
    int *ring_begin; /* [node_count + 1] obstacle nodes: start of their neighbours in `ring` */
    int (*ring)[2];  /* [2 obstacle edges] the neighbour, and the edge to it */
    int (*edge_opposite)[2]; /* [edge_count] obstacle edges: opposite nodes of the adjacent faces,
                                or -1 */
    int vert_count;          /* material space of the cloths, m */
    vo_vec2 *vert_u;         /* [vert_count] */
    int (*face_vert)[3];     /* [cloth_face_count]; faces on both sides of a seam share no vert */
} vo_surface;

typedef struct vo_surface_source {
    const vo_mesh *mesh;
    bool obstacle;
    bool rigid;
} vo_surface_source;

/* Creates the surface of `count` parts, cloths first. Positions are those of the meshes, inverse
 * masses are zero. `previous` may be NULL; otherwise it is a surface of the same obstacles, whose
 * obstacle data is copied with shifted indices instead of being computed again. */
vo_result vo_surface_create(vo_context *ctx, int count, const vo_surface_source *source,
                            const vo_surface *previous, vo_surface *out);
void vo_surface_free(vo_surface *surface);

/* Returns the first part that is an obstacle; part_count if there is none. */
static inline int vo_surface_first_obstacle(const vo_surface *s) {
    int p = 0;
    while (p < s->part_count && !s->part[p].obstacle) p++;
    return p;
}

#endif

/* Everything that can touch, in one numbering: the nodes, edges and faces of all cloths, then those
 * of all obstacles. Made once per topology; positions come with every step.
 *
 *      cloth 0    cloth 1    obstacle 0   ...
 *     |-------- | --------- | ---------- |        nodes, edges and faces each
 *
 * A step goes in straight lines from x0 to x1. At x0 nothing intersects: that is the state that the
 * step before left, and what the collide stage keeps true. Obstacles have no inverse mass; so have
 * pinned nodes.
 *
 * Features. Contact is between a node and a face, or between two edges, that have no node in
 * common. Trees hold faces. So that each pair of features is found once although several pairs of
 * faces contain it, each node and each edge belongs to one of its faces: `owns`. A pair (node,
 * face) is found at the pair (face that owns the node, face), whatever those two share: two faces
 * with a common node still hold features without one. */
#ifndef VO_COLLIDE_SURFACE_H
#define VO_COLLIDE_SURFACE_H

#include "math/quat.h"
#include "mesh/mesh.h"

/* A cloth or an obstacle: its ranges, and what it does in this step. */
typedef struct vo_surface_part {
    int node_begin, node_end, edge_begin, edge_end, face_begin, face_end;
    bool obstacle;
    bool present;         /* obstacles have a life; cloths always are */
    bool rigid;           /* node i is at pose * rest[i], in this step from pose[0] to pose[1] */
    vo_transform pose[2]; /* rigid: at x0 and x1, but for nodes that had to yield */
    const vo_vec3 *rest;  /* [node_end - node_begin] of obstacles: positions in its own frame, by
                             which it is clustered; NULL: those at the start. rigid: needed */
} vo_surface_part;

enum { VO_OWNS_NODE = 1, VO_OWNS_EDGE = 8 }; /* shifted left by the corner or side, 0 to 2 */

typedef struct vo_surface {
    vo_context *ctx;
    int part_count, node_count, edge_count, face_count;
    int cloth_node_count, cloth_face_count; /* the cloths' come first */
    vo_surface_part *part;
    int (*face)[3];       /* [face_count] nodes */
    int (*face_edge)[3];  /* [face_count] edges; side i runs from corner i to corner i + 1 */
    int (*edge)[2];       /* [edge_count] nodes */
    int *node_part;       /* [node_count] */
    int *face_part;       /* [face_count] */
    unsigned char *owns;  /* [face_count] VO_OWNS_* bits */
    double *reach;        /* [node_count] m: half of the smallest height, in material space, of the
                             faces around; infinite for obstacles. Features of one cloth are never
                             pushed further apart than this, or a sheet whose faces are smaller
                             than the thickness would repel itself */
    vo_vec3 *x0, *x1;     /* [node_count] m */
    double *inverse_mass; /* [node_count] 1/kg; 0: is moved by nothing but its motion */
    double *area;         /* [node_count] m^2 of cloth or obstacle around a node, at rest */
    int *ring_begin;      /* [node_count + 1] of obstacles' nodes: where their neighbours are */
    int (*ring)[2];       /* [2 obstacle edges] in `ring`: the neighbour, and the edge to it */
    int (*wing)[2];       /* [edge_count] of obstacles' edges: the third nodes of their faces, -1 */
    int vert_count;       /* the rest is of cloths only: their material space, m */
    vo_vec2 *vert_u;      /* [vert_count] */
    int (*face_vert)[3];  /* [cloth_face_count]; faces on both sides of a seam share no vert */
} vo_surface;

typedef struct vo_surface_source {
    const vo_mesh *mesh;
    bool obstacle;
    bool rigid;
} vo_surface_source;

/* Cloths first. Positions are the meshes' own, masses zero. */
vo_result vo_surface_create(vo_context *ctx, int count, const vo_surface_source *source,
                            vo_surface *out);
/* The same, after the meshes of cloths have changed: what belongs to the obstacles, which must be
 * those of `before` (NULL: none), is taken from there. Cloths come before them, so only numbers
 * are shifted. */
vo_result vo_surface_follow(vo_context *ctx, int count, const vo_surface_source *source,
                            const vo_surface *before, vo_surface *out);
void vo_surface_free(vo_surface *surface);

/* The first part that is an obstacle; part_count if there is none. */
static inline int vo_surface_first_obstacle(const vo_surface *s) {
    int p = 0;
    while (p < s->part_count && !s->part[p].obstacle) p++;
    return p;
}

#endif

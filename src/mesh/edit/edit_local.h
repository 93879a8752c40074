/* Internal helpers of the edits: half-edge lists, free slots, face validity, masses. */
#ifndef VO_MESH_EDIT_EDIT_LOCAL_H
#define VO_MESH_EDIT_EDIT_LOCAL_H

#include "mesh/corner.h"
#include "mesh/edit/edit.h"
#include "mesh/validate.h"

/* Index (0 to 2) of the face's corner at which the edge begins. */
static inline int vo_side_of(const vo_mesh *m, int face, int edge) {
    const int *side = m->face_edge[face];
    return side[0] == edge ? 0 : side[1] == edge ? 1 : 2;
}

static inline int vo_halfedge_origin(const vo_mesh *m, int half) {
    return m->edge_node[half >> 1][half & 1];
}
static inline int vo_halfedge_target(const vo_mesh *m, int half) {
    return m->edge_node[half >> 1][1 - (half & 1)];
}
static inline int vo_halfedge_face(const vo_mesh *m, int half) {
    return m->edge_face[half >> 1][half & 1];
}
static inline int vo_halfedge_next(const vo_edit *e, int half) {
    return e->edge_next[half >> 1][half & 1];
}

/* Inserts a half-edge at the head of its origin's list. */
static inline void vo_halfedge_link(vo_edit *e, int half) {
    int *head = &e->node_halfedge[vo_halfedge_origin(e->mesh, half)];
    e->edge_next[half >> 1][half & 1] = *head;
    *head = half;
}

/* The link that refers to a half-edge in the list of its origin. */
static inline int *vo_halfedge_find_link(vo_edit *e, int half) {
    int *link = &e->node_halfedge[vo_halfedge_origin(e->mesh, half)];
    while (*link != half) link = &e->edge_next[*link >> 1][*link & 1];
    return link;
}

static inline void vo_halfedge_unlink(vo_edit *e, int half) {
    int *link = vo_halfedge_find_link(e, half);
    *link = vo_halfedge_next(e, half);
}

/* Replaces one face of an edge. */
static inline void vo_change_face(vo_mesh *m, int edge, int from, int to) {
    m->edge_face[edge][m->edge_face[edge][0] == from ? 0 : 1] = to;
}

/* True if the triangle is valid with a margin over the limits of the validator. */
static inline bool vo_is_valid_triangle(vo_vec2 a, vo_vec2 b, vo_vec2 c) {
    vo_vec2 ab = v2_sub(b, a), ac = v2_sub(c, a), bc = v2_sub(c, b);
    double longest2 = vo_max(v2_dot(ab, ab), vo_max(v2_dot(ac, ac), v2_dot(bc, bc)));
    double cross = v2_cross(ab, ac);
    return cross > 4 * VO_MESH_MIN_AREA && cross > 1e-9 * longest2;
}

/* A third of the mass of a face, kg, given its material area. */
static inline double vo_edit_third_mass(const vo_edit *e, int face, double area) {
    if (!e->density) return area / 3;
    int label = e->mesh->face_label[face], last = e->def.density_count - 1;
    return e->density[label < 0 ? 0 : label > last ? last : label] * area / 3;
}

/* Adds `sign` times the mass of a face to its nodes. */
void vo_edit_add_mass(vo_edit *edit, int face, double sign);

/* Feature bits of an edge, from the current mesh. */
int vo_edit_classify_edge(const vo_mesh *m, int edge);

/* Builds half-edge and vert lists and feature bits of a mesh without free slots. */
void vo_edit_connect(vo_edit *edit);
/* Computes node masses from all faces. */
void vo_edit_compute_masses(vo_edit *edit);
/* Marks labelled nodes, corners and nodes with several fans as preserved. */
void vo_edit_mark_preserved(vo_edit *edit);

/* Permutes the editor's rows, as vo_mesh_permute. */
void vo_edit_permute(vo_edit *edit, int *const from[4], const int count[4], void *scratch);

/* Creates an element in a free slot or at the end; the capacity must suffice. */
int vo_edit_new_node(vo_edit *edit);
int vo_edit_new_vert(vo_edit *edit, int node);
int vo_edit_new_edge(vo_edit *edit);
int vo_edit_new_face(vo_edit *edit);
void vo_edit_free_node(vo_edit *edit, int node);
void vo_edit_free_vert(vo_edit *edit, int vert);
void vo_edit_free_edge(vo_edit *edit, int edge);
void vo_edit_free_face(vo_edit *edit, int face);

/* ---- momentum (mass.c) ------------------------------------------------------------------ */

enum { VO_STAR_MAX = 64 }; /* maximum number of faces around a node that can be collapsed */

/* Momentum and energy of the nodes whose masses an edit changes. */
typedef struct vo_local_momentum {
    int count;
    int node[VO_STAR_MAX + 4];
    double mass;
    vo_vec3 mean;     /* velocity before the edit; the rest is relative to it */
    vo_vec3 momentum; /* about zero before the edit */
    double energy;    /* twice the kinetic energy */
} vo_local_momentum;

/* Measures mass, momentum and energy of the nodes in motion->node. */
void vo_local_momentum_measure(const vo_edit *edit, vo_local_momentum *motion);
/* Restores mean velocity and limits the energy of the same nodes after their masses changed. */
void vo_local_momentum_restore(vo_edit *edit, const vo_local_momentum *motion);

#endif

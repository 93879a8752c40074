/* What the edits share: halves and lists, holes, soundness of faces, masses. */
#ifndef VO_MESH_EDIT_LOCAL_H
#define VO_MESH_EDIT_LOCAL_H

#include "mesh/edit.h"
#include "mesh/validate.h"

/* Corner of the face from which the edge leads on, 0 to 2. */
static inline int vo_side_of(const vo_mesh *m, int face, int edge) {
    const int *side = m->face_edge[face];
    return side[0] == edge ? 0 : side[1] == edge ? 1 : 2;
}

static inline int vo_after(int corner) { return corner == 2 ? 0 : corner + 1; }
static inline int vo_before(int corner) { return corner == 0 ? 2 : corner - 1; }

static inline int vo_half_node(const vo_mesh *m, int half) {
    return m->edge_node[half >> 1][half & 1];
}
static inline int vo_half_target(const vo_mesh *m, int half) {
    return m->edge_node[half >> 1][1 - (half & 1)];
}
static inline int vo_half_face(const vo_mesh *m, int half) {
    return m->edge_face[half >> 1][half & 1];
}
static inline int vo_half_next(const vo_edit *e, int half) {
    return e->edge_next[half >> 1][half & 1];
}

/* Puts a half at the head of its node's list. */
static inline void vo_link_half(vo_edit *e, int half) {
    int *head = &e->node_half[vo_half_node(e->mesh, half)];
    e->edge_next[half >> 1][half & 1] = *head;
    *head = half;
}

/* The place that points at a half in the list of its node. */
static inline int *vo_half_link(vo_edit *e, int half) {
    int *link = &e->node_half[vo_half_node(e->mesh, half)];
    while (*link != half) link = &e->edge_next[*link >> 1][*link & 1];
    return link;
}

static inline void vo_unlink_half(vo_edit *e, int half) {
    int *link = vo_half_link(e, half);
    *link = vo_half_next(e, half);
}

/* Tells an edge that one of its faces is now another. */
static inline void vo_change_face(vo_mesh *m, int edge, int from, int to) {
    m->edge_face[edge][m->edge_face[edge][0] == from ? 0 : 1] = to;
}

/* Twice the area in material space. */
static inline double vo_cross_of(vo_vec2 a, vo_vec2 b, vo_vec2 c) {
    return v2_cross(v2_sub(b, a), v2_sub(c, a));
}

/* A face well inside what the validator takes. */
static inline bool vo_is_sound(vo_vec2 a, vo_vec2 b, vo_vec2 c) {
    vo_vec2 ab = v2_sub(b, a), ac = v2_sub(c, a), bc = v2_sub(c, b);
    double longest2 = vo_max(v2_dot(ab, ab), vo_max(v2_dot(ac, ac), v2_dot(bc, bc)));
    double cross = v2_cross(ab, ac);
    return cross > 4 * VO_MESH_LEAST_AREA && cross > 1e-9 * longest2;
}

/* A third of the mass of a face of such area. */
static inline double vo_third_of(const vo_edit *e, int face, double area) {
    if (!e->density) return area / 3;
    int label = e->mesh->face_label[face], last = e->def.density_count - 1;
    return e->density[label < 0 ? 0 : label > last ? last : label] * area / 3;
}

/* Adds `sign` times the mass of a face to its nodes. */
void vo_edit_add_mass(vo_edit *edit, int face, double sign);

/* Why an edge is a line now. */
int vo_edit_line_of(const vo_mesh *m, int edge);

/* Builds lists and lines of a mesh without holes. */
void vo_edit_connect(vo_edit *edit);
/* Masses from all faces. */
void vo_edit_weigh(vo_edit *edit);
/* Marks the nodes that the mesh itself wants kept. */
void vo_edit_mark_preserved(vo_edit *edit);

/* Takes the editor's rows in another order, as vo_mesh_gather. */
void vo_edit_gather(vo_edit *edit, int *const from[4], const int count[4], void *scratch);

/* Makes an element in a hole or at the end; there must be room. */
int vo_edit_new_node(vo_edit *edit);
int vo_edit_new_vert(vo_edit *edit, int node);
int vo_edit_new_edge(vo_edit *edit);
int vo_edit_new_face(vo_edit *edit);
void vo_edit_free_node(vo_edit *edit, int node);
void vo_edit_free_vert(vo_edit *edit, int vert);
void vo_edit_free_edge(vo_edit *edit, int edge);
void vo_edit_free_face(vo_edit *edit, int face);

/* ---- momentum (edit_mass.c) ------------------------------------------------------------------ */

enum { VO_STAR_MAX = 64 }; /* faces around a node that may be collapsed */

/* Sums over the nodes that an edit changes the masses of. */
typedef struct vo_motion {
    int count;
    int node[VO_STAR_MAX + 4];
    double mass;
    vo_vec3 mean;     /* velocity before the edit; the rest is relative to it */
    vo_vec3 momentum; /* about zero before the edit */
    double energy;    /* twice the kinetic energy */
} vo_motion;

/* Remembers how these nodes move; the list is filled. */
void vo_motion_measure(const vo_edit *edit, vo_motion *motion);
/* Gives the same nodes, whose masses have changed, the same mean velocity and no more energy. */
void vo_motion_restore(vo_edit *edit, const vo_motion *motion);

#endif

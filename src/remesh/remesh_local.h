/* What the passes of remeshing share. */
#ifndef VO_REMESH_REMESH_LOCAL_H
#define VO_REMESH_REMESH_LOCAL_H

#include "mesh/edit_local.h"
#include "remesh/remesh.h"

/* An edge to be split, as it was when it was put into the heap. */
typedef struct vo_long_edge {
    double size2;
    int edge;
} vo_long_edge;

/* A point of the first surface. */
typedef struct vo_pop_point {
    vo_vec2 u;
    vo_vec3 x;
    int next; /* at the same face, -1; of a hole the next hole */
} vo_pop_point;

struct vo_remesher {
    vo_context *ctx;

    /* Of the present call. */
    vo_remesh_def def;
    vo_edit *edit;
    vo_guard *guard; /* may be NULL */
    int cloth;
    vo_remesh_report report;

    /* Elements have room here as they have in the mesh. A mark says that the index is on the list,
     * so no list is longer than there are elements; an element may go while it waits, and another
     * take its index, which is then looked at without need. */
    int vert_capacity;
    vo_sym2 *metric; /* of each vert, 1/m^2 */

    int edge_capacity;
    uint8_t *edge_waits;
    int *edges; /* to be looked at for flips and their size; the last comes first */
    int edge_count;

    int node_capacity;
    uint8_t *node_waits;
    int *nodes; /* to be looked at for collapses, in this order */
    int *round; /* those of the round under way */
    int node_count;

    uint8_t *node_warms; /* heat that it will have more (remesh_calm.c) */
    uint8_t *node_moved; /* it is not a point of the first surface */

    int face_capacity;
    uint8_t *face_moved; /* it has points that are not of the first surface */
    int *face_point;     /* first of the points that are followed, -1 */
    uint8_t *face_watched;
    double *face_shift; /* how far points of it have seemed to move, or would, were they watched;
                           at most, and beyond what is allowed just that it is beyond */

    /* Of the edit that is thought of, until it is decided: its faces; whether they are unwatched,
     * and how far their points have seemed to move before; a point that moves too far with it comes
     * into sight. */
    const int *edit_face;
    int edit_face_count;
    bool edit_hidden, edit_reveals;
    double edit_before;

    int point_capacity, point_count, point_hole; /* first hole, -1 */
    vo_pop_point *point;
    int pop_capacity, pop_count;
    vo_pop *pop;

    /* Edges with s > 1, the longest on top. An entry whose edge has another size by now is void:
     * whatever changed the edge has put it in again. */
    int heap_capacity, heap_count;
    vo_long_edge *heap;
};

/* ---- remesh.c -------------------------------------------------------------------------------- */

/* s^2 of an edge; on a seam the larger of both sides. */
double vo_remesh_size2(const vo_remesher *r, int edge);

/* Arrays follow the mesh, whose elements may have become more. */
vo_result vo_remesh_follow(vo_remesher *r);

void vo_remesh_put_edge(vo_remesher *r, int edge);
void vo_remesh_put_node(vo_remesher *r, int node);

/* To be called for each face that an edit made or gave other corners: its surroundings are looked
 * at again, and the guard is told. */
vo_result vo_remesh_touch(vo_remesher *r, int face);

/* Shape of the triangle of three verts, by the mean of their metrics: the cotangent of its smallest
 * angle, and 12 sqrt(3) area / perimeter^2, which is 1 for equal sides and 0 without area. */
double vo_remesh_cotangent(const vo_remesher *r, int a, int b, int c);
double vo_remesh_aspect(const vo_remesher *r, int a, int b, int c);

/* By how much a face between three verts is, or would be, stretched or compressed at most. */
double vo_remesh_strain(const vo_mesh *mesh, int a, int b, int c);

/* ---- remesh_flip.c, remesh_split.c, remesh_collapse.c ---------------------------------------- */

/* Flips until no edge waits. Edges with s > 1 that are met go into the heap. */
vo_result vo_remesh_flip(vo_remesher *r);

vo_result vo_remesh_put_long(vo_remesher *r, int edge, double size2);
/* Splits until the heap is empty or the budget used up. */
vo_result vo_remesh_split(vo_remesher *r);

/* Collapses until no node waits. */
vo_result vo_remesh_collapse(vo_remesher *r);

/* ---- remesh_calm.c --------------------------------------------------------------------------- */

/* A frame has passed; the frame's edits are done. */
void vo_calm_begin(vo_remesher *r);
void vo_calm_finish(vo_remesher *r);

/* To be told: a node was made between a and b; a node is about to go; an edge between the faces of
 * these verts is about to be flipped. */
void vo_calm_split(vo_remesher *r, int node, int a, int b);
void vo_calm_collapse(vo_remesher *r, int node);
void vo_calm_flip(vo_remesher *r, const int vert[4]);

/* What holds where edits have been taken back: for a node, and for the edge vert[0] vert[1]. */
double vo_calm_collapse_below(const vo_remesher *r, int node);
double vo_calm_flip_threshold(const vo_remesher *r, const int vert[4]);

/* ---- remesh_pop.c ----------------------------------------------------------------------------
 *
 * Points of the first surface, by face: an edit takes those of the faces it changes, adds the ones
 * that it moves most, if they are of the first surface, and puts all where they then are. A list is
 * -1 or its first point. */

void vo_pop_begin(vo_remesher *r);
vo_result vo_pop_finish(vo_remesher *r);

void vo_pop_take(vo_remesher *r, int face, int *list);
void vo_pop_put(vo_remesher *r, int list, const int *face, int count);

/* Adds where the diagonals cross: vert[0] vert[1] is the old one. */
vo_result vo_pop_of_flip(vo_remesher *r, const int vert[4], int *list);
/* Adds the place of a vert. */
vo_result vo_pop_of_node(vo_remesher *r, int vert, int *list);
/* Adds the worst crossing of the old edges from `from` with the new ones from `to`. */
vo_result vo_pop_of_spokes(vo_remesher *r, int from, int to, const int *spoke, int count,
                           int *list);

/* Where an old edge crosses a new one in material space, and where both are there. */
typedef struct vo_crossing {
    vo_vec2 u;
    vo_vec3 old, now;
} vo_crossing;
/* The old edge a-b and the new one c-d; false: they do not cross. */
bool vo_pop_cross(const vo_mesh *mesh, int a, int b, int c, int d, vo_crossing *out);
/* Shares of three verts at u, none negative: outside, those of a point of the border. Returns how
 * far inside u is. */
double vo_pop_shares(const vo_mesh *mesh, const int vert[3], vo_vec2 u, double share[3]);

/* ---- remesh_watch.c -------------------------------------------------------------------------- */

void vo_watch_begin(vo_remesher *r);

/* Whether any of these faces is watched. */
bool vo_watch_is_on(const vo_remesher *r, const int *face, int count);
/* How far points of these faces have seemed to move, at most, after an edit that moves some of them
 * by `shift` more. */
double vo_watch_sum(const vo_remesher *r, const int *face, int count, double shift);
/* To be asked before each edit is measured: whether it has to be. Somebody watches, and the faces
 * have not moved too far already, or may come into sight. */
bool vo_watch_measures(vo_remesher *r, const int *face, int count);
/* Whether it is too far for the edit of these faces just measured, which is counted: some are
 * watched, or come into sight. */
bool vo_watch_puts_off(vo_remesher *r, const int *face, int count, double sum);
/* Faces that the edit made: whether some that they were made of were watched, and how far they have
 * moved. */
void vo_watch_keep(vo_remesher *r, const int *face, int count, bool watched, double sum);

/* How far a flip seems to move the surface: v[0] v[1] is the old edge. */
double vo_watch_flip(vo_remesher *r, const int v[4]);
/* The same for a vert that goes to another, with `count` faces (to, b, c) left where they were
 * (from, b, c), and its old neighbours but `to`. */
double vo_watch_collapse(vo_remesher *r, int from, int to, int count, const int (*left)[3],
                         int spoke_count, const int *spoke);

#endif

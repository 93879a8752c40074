/* Internal interface of the remeshing passes.
 *
 *   remesh.c              driver: initial work queues, rounds of splits and collapses
 *   remesh_flip.c, remesh_split.c, remesh_collapse.c      the passes
 *   remesh_hysteresis.c, remesh_pop_limit.c, remesh_pop.c policies and measurement
 *   remesh_queue.c, remesh_measure.c                      state, queues, edge and face measures */
#ifndef VO_REMESH_REMESH_LOCAL_H
#define VO_REMESH_REMESH_LOCAL_H

#include "mesh/edit/edit_local.h"
#include "remesh/remesh.h"

/* An edge to split, with its size when it was pushed onto the heap. */
typedef struct vo_long_edge {
    double size2;
    int edge;
} vo_long_edge;

/* A tracked point of the surface before the edits. */
typedef struct vo_pop_point {
    vo_vec2 u; /* m, material position */
    vo_vec3 x; /* m, world position before the edits */
    int next;  /* next point of the same face, or next free entry; -1: none */
} vo_pop_point;

struct vo_remesher {
    vo_context *ctx;

    /* Arguments and result of the current call. */
    vo_remesh_def def;
    vo_edit *edit;
    vo_guard *guard; /* may be NULL */
    int cloth;
    vo_remesh_report report;

    /* Arrays per element have the mesh's capacity. The queued flags keep each index at most once in
     * its queue. An element may be removed while queued and its slot reused; the new element is
     * then visited unnecessarily, which is harmless. */
    int vert_capacity;
    vo_sym2 *metric; /* [vert_capacity] 1/m^2 */

    int edge_capacity;
    uint8_t *edge_queued;
    int *edges; /* stack of edges to test for flips and for their size */
    int edge_count;

    int node_capacity;
    uint8_t *node_queued;
    int *nodes; /* queue of nodes to test for collapses */
    int *round; /* the queue that the current round processes */
    int node_count;

    uint8_t *node_pending_penalty; /* penalty to add at the end of the call (remesh_hysteresis.c) */
    uint8_t *node_moved;           /* nonzero: not a point of the surface before the edits */

    int face_capacity;
    uint8_t *face_moved; /* nonzero: contains points that the edits have displaced */
    int *face_point;     /* first tracked point, -1 */
    uint8_t *face_limited;
    double *face_shift; /* upper bound on the screen displacement of its points, as if visible; only
                           known to exceed the limit where it does */

    /* The candidate edit: its faces, whether all of them are invisible, the largest face_shift
     * before it, and whether a point that it moves too far becomes visible. */
    const int *edit_face;
    int edit_face_count;
    bool edit_invisible, edit_becomes_visible;
    double edit_shift_before;

    int point_capacity, point_count, free_point; /* head of the free list, -1 */
    vo_pop_point *point;
    int pop_capacity, pop_count;
    vo_pop *pop;

    /* Max-heap of edges with s > 1. An entry whose edge has changed its size is stale and skipped;
     * the change has pushed the edge again. */
    int heap_capacity, heap_count;
    vo_long_edge *heap;
};

/* ---- remesh_queue.c -------------------------------------------------------------------------- */

/* Grows the arrays per element to the capacity of the mesh. */
vo_result vo_remesh_grow_arrays(vo_remesher *r);

/* Pushes an element unless it is queued already. */
void vo_remesh_push_edge(vo_remesher *r, int edge);
void vo_remesh_push_node(vo_remesher *r, int node);
void vo_remesh_push_face(vo_remesher *r, int face); /* its edges and nodes */

/* Call it for each face that an edit created or changed: pushes its edges and nodes and updates the
 * guard. */
vo_result vo_remesh_update_face(vo_remesher *r, int face);

/* The heap of long edges: largest size2 first, ties by index. */
vo_result vo_remesh_push_long_edge(vo_remesher *r, int edge, double size2);
void vo_remesh_pop_long_edge(vo_remesher *r);

/* ---- remesh_measure.c ------------------------------------------------------------------------ */

/* s^2 of an edge; on a seam the larger value of both sides. */
double vo_remesh_size2(const vo_remesher *r, int edge);

/* Shape of the triangle of three verts in the mean of their metrics: the cotangent of its smallest
 * angle, and its aspect 12 sqrt(3) area / perimeter^2 (1 equilateral, 0 degenerate). */
double vo_remesh_cotangent(const vo_remesher *r, int a, int b, int c);
double vo_remesh_aspect(const vo_remesher *r, int a, int b, int c);

/* Largest absolute principal strain of an existing or hypothetical face of three verts. */
double vo_remesh_strain(const vo_mesh *mesh, int a, int b, int c);

/* ---- remesh_flip.c, remesh_split.c, remesh_collapse.c ---------------------------------------- */

/* Flips edges until the edge stack is empty. Visited edges with s > 1 are pushed onto the heap. */
vo_result vo_remesh_flip(vo_remesher *r);

/* Splits edges until the heap is empty or the face budget is reached. */
vo_result vo_remesh_split(vo_remesher *r);

/* Collapses edges until the node queue is empty. */
vo_result vo_remesh_collapse(vo_remesher *r);

/* ---- remesh_hysteresis.c --------------------------------------------------------------------- */

/* Decays the node state at the beginning of a call; applies pending penalties at its end. */
void vo_hysteresis_begin(vo_remesher *r);
void vo_hysteresis_finish(vo_remesher *r);

/* Record an edit: after a split that made `node` between a and b; before the collapse of a node;
 * before the flip of the edge between the faces of these verts. */
void vo_hysteresis_split(vo_remesher *r, int node, int a, int b);
void vo_hysteresis_collapse(vo_remesher *r, int node);
void vo_hysteresis_flip(vo_remesher *r, const int vert[4]);

/* Thresholds tightened by the penalties of a node, and of the corners at the edge
 * vert[0] vert[1]. */
double vo_hysteresis_collapse_below(const vo_remesher *r, int node);
double vo_hysteresis_flip_threshold(const vo_remesher *r, const int vert[4]);

/* ---- remesh_pop.c ----------------------------------------------------------------------------
 *
 * Tracks points of the surface before the edits, in a list per face. An edit detaches the points of
 * the faces it changes, adds those that it moves most unless an earlier edit has moved them, and
 * attaches all of them to the new faces. A list is the index of its first point, or -1. */

void vo_pop_begin(vo_remesher *r);
vo_result vo_pop_finish(vo_remesher *r);

void vo_pop_detach(vo_remesher *r, int face, int *list);
void vo_pop_attach(vo_remesher *r, int list, const int *face, int count);

/* Adds the intersection of the diagonals; vert[0] vert[1] is the old one. */
vo_result vo_pop_add_flip(vo_remesher *r, const int vert[4], int *list);
/* Adds the position of a vert. */
vo_result vo_pop_add_node(vo_remesher *r, int vert, int *list);
/* Adds the intersection with the largest displacement between the old edges from `from` and the new
 * edges from `to`. */
vo_result vo_pop_add_collapse(vo_remesher *r, int from, int to, const int *spoke, int count,
                              int *list);

/* Intersection of an old and a new edge in material space, with its world position on each. */
typedef struct vo_edge_intersection {
    vo_vec2 u;
    vo_vec3 old, now;
} vo_edge_intersection;
/* Intersects the old edge a-b with the new edge c-d; false if they do not cross. */
bool vo_pop_intersect_edges(const vo_mesh *mesh, int a, int b, int c, int d,
                            vo_edge_intersection *out);
/* Barycentric coordinates of u in a triangle, clamped to it. Returns the smallest coordinate before
 * clamping: negative outside. */
double vo_pop_barycentric(const vo_mesh *mesh, const int vert[3], vo_vec2 u, double weight[3]);

/* ---- remesh_pop_limit.c ---------------------------------------------------------------------- */

void vo_pop_limit_begin(vo_remesher *r);

/* True if any of the faces is visible. */
bool vo_pop_limit_any_visible(const vo_remesher *r, const int *face, int count);
/* Bound on the total displacement of points of these faces after an edit that adds `shift`. */
double vo_pop_limit_total(const vo_remesher *r, const int *face, int count, double shift);
/* Starts a candidate edit of these faces. True if its displacement must be measured: there is a
 * limit, and it is not exceeded yet or the edit could move points into view. */
bool vo_pop_limit_begin_edit(vo_remesher *r, const int *face, int count);
/* Ends the measurement. True if the edit exceeds the limit and is visible; then counts it as
 * deferred. */
bool vo_pop_limit_should_defer(vo_remesher *r, const int *face, int count, double total);
/* Stores visibility and total displacement of the faces that an edit made. */
void vo_pop_limit_record(vo_remesher *r, const int *face, int count, bool visible, double total);

/* Screen displacement by a flip; v[0] v[1] is the old edge. */
double vo_pop_limit_flip(vo_remesher *r, const int v[4]);
/* Screen displacement by the collapse of vert `from` onto `to`: `count` faces (to, b, c) replace
 * the faces (from, b, c); `spoke` lists the old neighbours except `to`. */
double vo_pop_limit_collapse(vo_remesher *r, int from, int to, int count, const int (*left)[3],
                             int spoke_count, const int *spoke);

#endif

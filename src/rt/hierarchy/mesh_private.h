/* Parts of the adaptive mesh that only rt/hierarchy uses. */
#ifndef VO_RT_HIERARCHY_MESH_PRIVATE_H
#define VO_RT_HIERARCHY_MESH_PRIVATE_H

#include "rt/hierarchy/mesh.h"
#include "rt/hierarchy/transition.h"

/* --- Arrays (storage.c) -------------------------------------------------------------------- */

/* Arrays of one kind have the same number of elements. */
typedef enum vo_rt_array_kind {
    VO_RT_VERTICES,
    VO_RT_EDGES,
    VO_RT_TRIANGLES,
    VO_RT_LEAVES,
    VO_RT_SPRING_GROUPS,
    VO_RT_BEND_GROUPS,
    VO_RT_ARRAY_KINDS
} vo_rt_array_kind;

/* Numbers of elements, by kind. */
typedef struct vo_rt_mesh_counts {
    int of[VO_RT_ARRAY_KINDS];
} vo_rt_mesh_counts;

/* Every array: name, member, kind, saved in snapshots (the others are derived from those). */
#define VO_RT_ARRAYS(X)                                           \
    X(POSITION, front.position, VERTICES, true)                   \
    X(VELOCITY, front.velocity, VERTICES, true)                   \
    X(PREVIOUS, front.previous, VERTICES, true)                   \
    X(SHOWN, front.shown, VERTICES, true)                         \
    X(NORMAL, front.normal, VERTICES, true)                       \
    X(TARGET, front.target, VERTICES, true)                       \
    X(MASS, front.mass, VERTICES, false)                          \
    X(MAPS, front.maps, VERTICES, true)                           \
    X(FLAGS, front.flags, VERTICES, true)                         \
    X(LEVEL, front.level, VERTICES, true)                         \
    X(MASS_UNITS, mass_units, VERTICES, false)                    \
    X(VERTEX_EDGE, vertex_edge, VERTICES, true)                   \
    X(STIFFNESS, stiffness, VERTICES, true)                       \
    X(EDGE, edge, EDGES, true)                                    \
    X(DIRTY, dirty, EDGES, false)                                 \
    X(TRIANGLE, triangle, TRIANGLES, true)                        \
    X(TRIANGLES, front.triangles, LEAVES, false)                  \
    X(TRIANGLE_SOURCE, front.triangle_source, LEAVES, true)       \
    X(SPRINGS, front.springs, SPRING_GROUPS, false)               \
    X(SPRING_LANES_USED, spring_lanes.used, SPRING_GROUPS, false) \
    X(BENDS, front.bends, BEND_GROUPS, false)                     \
    X(BEND_LANES_USED, bend_lanes.used, BEND_GROUPS, false)
/* Arrays with an element per lane. */
#define VO_RT_LANE_ARRAYS(X)                                     \
    X(SPRING_LANES_EDGE, spring_lanes.edge, SPRING_GROUPS, true) \
    X(BEND_LANES_EDGE, bend_lanes.edge, BEND_GROUPS, true)       \
    X(BEND_COSINE, front.bend_cosine, BEND_GROUPS, false)

enum {
#define VO_RT_ARRAY_NAME(name, member, kind, saved) VO_RT_ARRAY_##name,
    VO_RT_ARRAYS(VO_RT_ARRAY_NAME) VO_RT_LANE_ARRAYS(VO_RT_ARRAY_NAME)
#undef VO_RT_ARRAY_NAME
        VO_RT_ARRAY_END
};
_Static_assert((int)VO_RT_ARRAY_END == (int)VO_RT_MESH_ARRAYS, "number of arrays");

/* One array of a mesh. */
typedef struct vo_rt_array {
    void *data;
    size_t size; /* bytes of an element */
    vo_rt_array_kind kind;
    bool is_saved;
} vo_rt_array;
vo_rt_array vo_rt_mesh_array(const vo_rt_mesh *mesh, int index);

/* Grows all arrays to at least the given numbers. On failure returns false; some may have grown. */
bool vo_rt_mesh_grow(vo_rt_mesh *mesh, vo_rt_heap *heap, const vo_rt_mesh_counts *need);
/* Elements in use: ends of the slots, and counts of the leaf lists. */
vo_rt_mesh_counts vo_rt_mesh_count(const vo_rt_mesh *mesh);
/* Groups that hold `springs` and `bends` elements in any order of insertion. */
int vo_rt_mesh_spring_groups(const vo_rt_mesh *mesh, int springs);
int vo_rt_mesh_bend_groups(const vo_rt_mesh *mesh, int bends);

/* --- Slots (slots.c); capacity must be reserved --------------------------------------------- */

/* First slot of the pairs: the number of base edges, rounded up to even. */
static inline int vo_rt_first_pair(const vo_rt_mesh *mesh) {
    return (mesh->asset->edge_count + 1) & ~1;
}
int vo_rt_mesh_take_edge_pair(vo_rt_mesh *mesh);
int vo_rt_mesh_take_edge(vo_rt_mesh *mesh);
void vo_rt_mesh_release_edge_pair(vo_rt_mesh *mesh, int edge);
void vo_rt_mesh_release_edge(vo_rt_mesh *mesh, int edge);
int vo_rt_mesh_take_triangle(vo_rt_mesh *mesh);
void vo_rt_mesh_release_triangle(vo_rt_mesh *mesh, int triangle);
int vo_rt_mesh_take_vertex(vo_rt_mesh *mesh);
void vo_rt_mesh_release_vertex(vo_rt_mesh *mesh, int vertex);
/* Forgets all slots above the base mesh, which must be free. */
void vo_rt_mesh_reset_slots(vo_rt_mesh *mesh);

/* --- Masses (mass.c) -------------------------------------------------------------------------- */

/* Rounds areas of base triangles so that all parts down to the finest level are whole units. */
void vo_rt_mesh_init_areas(vo_rt_mesh *mesh);
static inline int64_t vo_rt_mesh_area_units(const vo_rt_mesh *mesh, float area) {
    return (int64_t)((double)area * mesh->units_per_area);
}
/* Mass of a vertex per unit of mass_units, kg. */
static inline double vo_rt_mesh_unit_mass(const vo_rt_mesh *mesh) {
    return mesh->area_unit * (double)mesh->density * (1.0 / 3);
}
/* mass and inverse mass of a vertex from its mass_units. */
static inline void vo_rt_mesh_update_mass(vo_rt_mesh *mesh, int vertex) {
    vo_rt_front *front = &mesh->front;
    float mass = (float)((double)mesh->mass_units[vertex] * vo_rt_mesh_unit_mass(mesh));
    front->mass[vertex] = mass;
    bool is_free = mass > 0 && !(front->flags[vertex] & VO_RT_VERTEX_ATTACHED);
    front->position[vertex].w = is_free ? 1 / mass : 0;
}
/* Recomputes the masses of all vertices from the leaf triangles. */
void vo_rt_mesh_sum_masses(vo_rt_mesh *mesh);
/* Moves mass between the local points of a triangle (slots; 0 where a midpoint does not exist) for
 * a change of configuration. Conserves linear momentum. */
void vo_rt_mesh_move_mass(vo_rt_mesh *mesh, const vo_rt_triangle *triangle, const int32_t point[6],
                          int from, int to);
/* Gives the momentum of the middle of an edge relative to its ends to the ends. */
void vo_rt_mesh_merge_momentum(vo_rt_mesh *mesh, const vo_rt_edge *edge);

/* --- Tree (retriangulate.c) ------------------------------------------------------------------- */

/* Side of edge i at which a triangle lies: 0 if the edge runs from corner i + 1 to corner i + 2. */
static inline int vo_rt_side_in(const vo_rt_mesh *mesh, const vo_rt_triangle *t, int i) {
    return mesh->edge[t->edge[i]].vertex[0] != t->vertex[i == 2 ? 0 : i + 1];
}
static inline bool vo_rt_is_split(const vo_rt_edge *e) {
    return e->child >= 0 && !(e->flags & VO_RT_EDGE_JOINING);
}
/* Rest length of a child edge whose coordinates are set. */
static inline float vo_rt_child_rest(const vo_rt_asset *asset, const vo_rt_edge *parent,
                                     const vo_rt_edge *child) {
    if (!asset->fine) return 0.5f * parent->rest;
    const vo_rt_vec2 *c = child->coordinate[child->control];
    return f2_length(f2_sub(c[1], c[0]));
}
/* Changes the configuration of a structural triangle to the state of its edges. */
void vo_rt_mesh_retriangulate(vo_rt_mesh *mesh, int triangle);
/* The same to a given configuration of that state. */
void vo_rt_mesh_change_configuration(vo_rt_mesh *mesh, int triangle, int to);

/* --- Valid fronts (balance.c) ------------------------------------------------------------------
 */

/* Leaves around a vertex, beginning with one of a structural triangle that has the vertex as a
 * corner or midpoint. */
typedef struct vo_rt_ring {
    int vertex;
    int first, leaf; /* leaf is -1 at the end */
    int turn;
} vo_rt_ring;
vo_rt_ring vo_rt_ring_begin(const vo_rt_mesh *mesh, int triangle, int vertex);
void vo_rt_ring_next(const vo_rt_mesh *mesh, vo_rt_ring *ring);

/* True if splitting a leaf edge would divide its triangle on a side into four next to a leaf that
 * is too coarse. Marked edges count as split. */
bool vo_rt_mesh_blocks_division(const vo_rt_mesh *mesh, int edge, int side);
/* True if uniting the four parts of a triangle would put it next to a leaf that is too fine, before
 * or after the marked splits. False for triangles that are not divided into four. */
bool vo_rt_mesh_blocks_union(const vo_rt_mesh *mesh, int triangle);
/* NULL if leaves that share a vertex differ by at most one level. */
const char *vo_rt_mesh_check_levels(const vo_rt_mesh *mesh);

/* --- Phases of an edit (edit.c) ------------------------------------------------------------- */

/* Divides an edge; its triangles must be retriangulated afterwards. */
void vo_rt_mesh_divide_edge(vo_rt_mesh *mesh, int edge);
/* An edge counts as not split from begin_join on; its triangles must be retriangulated before
 * end_join releases its children. */
void vo_rt_mesh_begin_join(vo_rt_mesh *mesh, int edge);
void vo_rt_mesh_end_join(vo_rt_mesh *mesh, int edge);
/* Updates the leaf lists after the last edit. */
void vo_rt_mesh_finish(vo_rt_mesh *mesh);

/* Starts the wait of a split edge again (edit.c). */
void vo_rt_mesh_restart_wait(vo_rt_mesh *mesh, int edge);

/* --- Leaf lists (lists.c, lanes.c) --------------------------------------------------------------
 */

static inline void vo_rt_mark_dirty(vo_rt_mesh *mesh, int edge) {
    vo_rt_edge *e = &mesh->edge[edge];
    if (e->flags & VO_RT_EDGE_DIRTY) return;
    e->flags |= VO_RT_EDGE_DIRTY;
    mesh->dirty[mesh->dirty_count++] = edge;
}
/* Sets the leaf triangle beside an edge. */
static inline void vo_rt_set_face(vo_rt_mesh *mesh, int edge, int side, int triangle) {
    mesh->edge[edge].face[side] = triangle;
    vo_rt_mark_dirty(mesh, edge);
}
/* Lists a triangle as a new leaf, or removes it from the leaves. */
void vo_rt_mesh_add_leaf(vo_rt_mesh *mesh, int triangle);
void vo_rt_mesh_remove_leaf(vo_rt_mesh *mesh, int triangle);
/* Writes the entry of a leaf triangle. */
static inline void vo_rt_write_leaf(vo_rt_mesh *mesh, int triangle) {
    const vo_rt_triangle *t = &mesh->triangle[triangle];
    mesh->front.triangles[t->leaf] =
        (vo_rt_leaf_triangle){{t->vertex[0], t->vertex[1], t->vertex[2]}, t->rest_area};
    mesh->front.triangle_source[t->leaf] = triangle;
}

/* Values of the leaf lists for an edge. */
float vo_rt_mesh_spring_width(const vo_rt_mesh *mesh, const vo_rt_edge *edge);
float vo_rt_mesh_bend_stiffness(const vo_rt_mesh *mesh, const vo_rt_edge *edge);
/* Opposite vertices c and d; false if the edge has no bending element. */
bool vo_rt_mesh_bend_vertices(const vo_rt_mesh *mesh, int edge, int32_t opposite[2]);

/* Inserts the spring or bending element of an edge into a group, or removes it. A value of
 * edge.spring or .bend below -1 is a hint: the group -2 - value is tried first. */
void vo_rt_mesh_insert_spring(vo_rt_mesh *mesh, int edge);
void vo_rt_mesh_remove_spring(vo_rt_mesh *mesh, int edge);
void vo_rt_mesh_insert_bend(vo_rt_mesh *mesh, int edge, const int32_t opposite[2]);
void vo_rt_mesh_remove_bend(vo_rt_mesh *mesh, int edge);
/* Drops empty groups at the end, and moves elements of the last groups to free lanes if more than
 * an eighth of the lanes is free. */
void vo_rt_mesh_compact_lanes(vo_rt_mesh *mesh);
/* Writes all groups from the edges in their lanes. */
void vo_rt_mesh_rebuild_lanes(vo_rt_mesh *mesh);
/* Brings springs and bending elements up to date with the dirty edges. */
void vo_rt_mesh_update_lists(vo_rt_mesh *mesh);

#endif

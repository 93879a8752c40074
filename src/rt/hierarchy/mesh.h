/* The adaptive mesh of one cloth: a tree of edges and triangles over its base mesh.
 *
 * Simnett, Laycock and Day 2010, "Simulating Real-Time Cloth with Adaptive Edge-based Meshes",
 * sections 3 to 5. Edges split at their midpoint; triangles follow:
 *
 *   state          one bit per split edge (8 states)
 *   configuration  how the triangle is divided (11)
 *     C0           no edge split
 *     C1 C2 C3     edge 0, 1, 2 split: its midpoint is connected to the opposite corner
 *     C4 C5        edges 0 1 split: median of C1 or of C2, and the edge between the midpoints
 *     C6 C7        edges 1 2 split: median of C2 or of C3, likewise
 *     C8 C9        edges 2 0 split: median of C3 or of C1, likewise
 *     C10          all three split: 1-to-4 split
 *
 * The interior triangles and edges of every configuration are given by one constant table; the
 * difference between two rows is a transition (hierarchy/transition.h). Interior triangles of C1 to
 * C9 are transitional: their interior edges never split. The four of C10 are ordinary triangles of
 * the next level. The structural triangle of an edge on a side is the ordinary triangle that has
 * the edge as one of its three.
 *
 * The edits of a major step are made together: edges split or join first, then each structural
 * triangle beside them changes its configuration once, then the leaf lists follow.
 *
 * Cost, one core of an EPYC at 2 to 3 GHz (tests/rt/test_rt_hierarchy_speed.c prints the figures): a
 * transition takes 0.08 to 0.12 us; an adaption of 8,000 leaf triangles with 20 splits and joins
 * 0.04 ms including the leaf lists, collecting it 0.11 ms. Memory: about 430 bytes per leaf
 * triangle in use, up to a quarter more reserved.
 *
 * Invariants, checked by vo_rt_mesh_validate:
 *  1. The leaves form a conforming mesh: each leaf edge has one or two leaf triangles.
 *  2. A child edge splits only if both triangles adjacent to its parent are C10 (or the boundary),
 *     and the last edge of a triangle of level n only if no leaf at its corners is below level n
 *     (hierarchy/balance.c). Otherwise the split is deferred: the unsplit edges of these coarser
 *     triangles split instead, in this major step if they can, and the edge in a later one.
 *     Termination: an edge of level n is deferred only because of triangles of level n - 1, whose
 *     edges have level n - 1. Requests therefore descend in level, and edges of level 0 can always
 *     split, so a chain of requests ends after at most max_level of them. In each major step the
 *     coarsest request of a chain is carried out, and edges that a request depends on do not join
 *     while it lasts; a demand of level n that persists is met in the (n + 1)-th major step at the
 *     latest.
 *  3. An edge joins only if its children are not split and each adjacent triangle that is C10 has
 *     no split child or interior edge and no leaf more than one level finer at its six points.
 *  4. Leaf triangles that share a vertex differ by at most one level (a transitional triangle has
 *     the level of its parent): the front is valid in the sense of Jain et al. 2005. A major step
 *     changes the level at a point by at most one.
 *  5. Rest area and mass of the leaves equal those of the base mesh; each vertex carries a third of
 *     its leaf triangles. Masses are sums of integers (mass_units), so they do not drift.
 *  6. front (hierarchy/front.h) lists exactly the leaves. */
#ifndef VO_RT_HIERARCHY_MESH_H
#define VO_RT_HIERARCHY_MESH_H

#include "rt/asset/asset.h"
#include "rt/base/heap.h"
#include "rt/hierarchy/front.h"

/* 80 bytes. Children are allocated as a pair: child and child + 1, the first at vertex[0]. */
typedef struct vo_rt_edge {
    int32_t vertex[2]; /* slots */
    int32_t face[2];   /* adjacent triangle per side: a leaf (ordinary or transitional) if the
                          edge is a leaf, the split triangle otherwise; -1: boundary */
    vo_rt_vec2 coordinate[2][2]; /* m, per side and end */
    int32_t parent;              /* edge, or -1: base edge or interior edge */
    int32_t child;               /* -1: not split */
    int32_t middle;              /* slot of the midpoint */
    float rest;                  /* m, rest length of the control side */
    float rest_angle;            /* rad, of the base edge that it is a part of; interior: 0 */
    int32_t spring, bend;        /* group * 8 + lane in the leaf lists; -1: none */
    uint8_t level, control;
    uint8_t wait;  /* major steps until it is tested for joining, or for a split */
    uint8_t flags; /* VO_RT_EDGE_... */
} vo_rt_edge;

enum {
    VO_RT_EDGE_USED = 1,
    VO_RT_EDGE_INTERIOR = 2,
    VO_RT_EDGE_FIXED = 4, /* interior edge of a transitional configuration: never splits */
    /* Private to rt/hierarchy; clear between calls except VO_RT_EDGE_SINGLE. */
    VO_RT_EDGE_DIRTY = 8,    /* its entries in the leaf lists must be updated */
    VO_RT_EDGE_SINGLE = 16,  /* free slot whose neighbour in its pair is in use */
    VO_RT_EDGE_JOINING = 32, /* counts as not split; its children are about to be removed */
    VO_RT_EDGE_MARKED = 64,  /* listed for a split */
    VO_RT_EDGE_HELD = 128    /* a deferred split needs it split */
};

/* 72 bytes. Children and interior edges are listed by the configuration's row of the table; -1:
 * unused. */
typedef struct vo_rt_triangle {
    int32_t vertex[3], edge[3]; /* edge[i] is opposite vertex[i] */
    int32_t child[4], interior[3];
    int32_t parent;  /* -1: base triangle */
    int32_t leaf;    /* index in the leaf lists; -1: not a leaf */
    int32_t address; /* among the triangles of its level (asset.h); of a transitional triangle that
                        of its parent */
    uint8_t level, configuration;
    uint8_t is_transitional, is_used;
    float rest_area; /* m^2 */
} vo_rt_triangle;

/* Lanes of the spring or bend groups and the edges in them. */
typedef struct vo_rt_lanes {
    int32_t *edge; /* [8 group_capacity] edge in each lane; -1: unused */
    uint8_t *used; /* [group_capacity] bit set of lanes in use */
    int cursor;    /* group at which the next search starts */
} vo_rt_lanes;

enum { VO_RT_MESH_ARRAYS = 25 };

/* Tree and leaf lists of a cloth. Base edges and triangles keep their index in the asset. */
typedef struct vo_rt_mesh {
    const vo_rt_asset *asset;
    vo_rt_front front;
    int edge_end, edge_capacity; /* slots in use are below edge_end */
    int edge_free, single_free;  /* heads of the lists of free pairs and of free single slots */
    int pair_free_count, single_free_count;
    vo_rt_edge *edge;
    int triangle_end, triangle_capacity, triangle_free, triangle_free_count;
    vo_rt_triangle *triangle;
    int vertex_free;                      /* no slot below it is free */
    int finest_level;                     /* of any leaf edge */
    vo_rt_tie_rule tie_rule;              /* set by the caller */
    int max_level;                        /* edges of this level do not split; set by the caller */
    int join_wait;                        /* of the last vo_rt_mesh_apply; default 10 */
    uint32_t random;                      /* for staggered waits */
    int split_count[VO_RT_MAX_LEVEL + 1]; /* split edges per level */
    float density;                        /* kg/m^2 */
    double area_unit;                     /* m^2 of one unit of mass_units, a power of two */
    double units_per_area;                /* 1 / area_unit */
    int max_degree;                       /* edges at a base vertex */
    /* Per vertex slot, [vertex_capacity]. */
    int64_t *mass_units;  /* area of the adjacent leaf triangles */
    int32_t *vertex_edge; /* split edge whose middle it is; -1: base vertex or free */
    float *stiffness;     /* factor of the bending stiffness */
    /* Leaf lists. */
    vo_rt_lanes spring_lanes, bend_lanes;
    int32_t *dirty; /* [edge_capacity] edges whose entries must be updated */
    int dirty_count;
    int capacity[VO_RT_MESH_ARRAYS]; /* of each array in the heap */
} vo_rt_mesh;

/* Base level of the asset; positions are the rest pose. False if the heap is exhausted. */
bool vo_rt_mesh_init(vo_rt_mesh *mesh, const vo_rt_asset *asset, vo_rt_heap *heap);
void vo_rt_mesh_free(vo_rt_mesh *mesh, vo_rt_heap *heap);
/* Back to the base level in the rest pose; capacities, density and settings are kept. */
void vo_rt_mesh_reset(vo_rt_mesh *mesh);
/* Returns memory to the heap if no edge is split; does nothing otherwise. */
void vo_rt_mesh_trim(vo_rt_mesh *mesh, vo_rt_heap *heap);
/* Changes the mass per area, kg/m^2, of all vertices. */
void vo_rt_mesh_set_density(vo_rt_mesh *mesh, float density);
/* Sets the attachment weight of a vertex slot; 1 attaches it (inverse mass 0). */
void vo_rt_mesh_set_attachment(vo_rt_mesh *mesh, int vertex, float weight);

/* What a caller wants of an edge. */
typedef enum vo_rt_demand { VO_RT_KEEP, VO_RT_SPLIT, VO_RT_JOIN } vo_rt_demand;
/* Evaluates the criteria for a leaf edge that may split (is_split false), or for a split edge whose
 * children are leaves and whose wait is over (is_split true). */
typedef vo_rt_demand vo_rt_demand_fn(void *user, const vo_rt_mesh *mesh, int edge, bool is_split);

/* Edits of one major step, in two parts: demands are evaluated in parallel over cloths, memory is
 * reserved serially, edits are made in parallel. */
typedef struct vo_rt_edits {
    int split_count, join_count; /* out of vo_rt_mesh_collect */
    int32_t *split, *join;       /* edges; memory of the caller, [capacity] each */
    int capacity;
    int deferred, rejected; /* counters */
} vo_rt_edits;
/* Lists the edges to split, ordered by level and index, and to join, ordered by midpoint; the edges
 * of deferred splits are replaced by the coarser edges that they need. Splits have precedence over
 * joins that would prevent them. A split edge is tested for joining when its wait is over; a
 * rejected join restarts the wait. Must be called once per major step: counts down waits. Edges
 * that exceed the capacity are counted as rejected, the finest first. */
void vo_rt_mesh_collect(vo_rt_mesh *mesh, vo_rt_demand_fn *demand, void *user, vo_rt_edits *edits);
/* Starts the wait of an edge whose split or join was collected but is not permitted; the same edit
 * is collected again at the end of it: of a split after 4 to 6 calls. */
void vo_rt_mesh_reject_edit(vo_rt_mesh *mesh, int edge);
/* Marks of splits that the caller has permitted; all must be cleared before the edits are applied.
 */
static inline void vo_rt_mesh_mark(vo_rt_mesh *mesh, int edge, bool mark) {
    uint8_t *flags = &mesh->edge[edge].flags;
    *flags = (uint8_t)(mark ? *flags | VO_RT_EDGE_MARKED : *flags & ~VO_RT_EDGE_MARKED);
}
static inline bool vo_rt_mesh_is_marked(const vo_rt_mesh *mesh, int edge) {
    return (mesh->edge[edge].flags & VO_RT_EDGE_MARKED) != 0;
}
/* Reserves memory for the splits; drops the last ones that do not fit and counts them as rejected.
 */
void vo_rt_mesh_reserve(vo_rt_mesh *mesh, vo_rt_heap *heap, vo_rt_edits *edits);
/* Called for a new vertex, which lies at the middle of its edge with interpolated position,
 * velocity, previous, shown, normal, target and maps. It may move it (collision, 7.1). */
typedef void vo_rt_created_fn(void *user, vo_rt_mesh *mesh, int vertex, int edge);
/* Called for a vertex that is about to be removed, after its mass and momentum went to the ends. */
typedef void vo_rt_removed_fn(void *user, vo_rt_mesh *mesh, int vertex, int edge);
/* Joins and splits; entries that are not possible are skipped. Never allocates. `wait` is
 * vo_rt_adaption.join_wait. `created` is called when the mesh is complete, `removed` after the mass
 * moved; both may be NULL and must not edit the mesh. */
void vo_rt_mesh_apply(vo_rt_mesh *mesh, const vo_rt_edits *edits, int wait,
                      vo_rt_created_fn *created, vo_rt_removed_fn *removed, void *user);

/* Single edits. Capacity must be reserved: vo_rt_mesh_reserve with one split, or
 * vo_rt_mesh_reserve_splits. vo_rt_mesh_split and _join require can_split and can_join. */
bool vo_rt_mesh_reserve_splits(vo_rt_mesh *mesh, vo_rt_heap *heap, int count);
bool vo_rt_mesh_can_split(const vo_rt_mesh *mesh, int edge);
bool vo_rt_mesh_can_join(const vo_rt_mesh *mesh, int edge);
int vo_rt_mesh_split(vo_rt_mesh *mesh, int edge); /* returns the new vertex */
void vo_rt_mesh_join(vo_rt_mesh *mesh, int edge);

/* Structural triangle of the edge's level on a side; -1: boundary or not defined. */
int vo_rt_mesh_side(const vo_rt_mesh *mesh, int edge, int side);

/* Evaluates a point of a base triangle on the leaves: descends the tree by barycentric coordinates.
 * Writes the three slots of the leaf and the weights. */
void vo_rt_mesh_locate(const vo_rt_mesh *mesh, int base_triangle, const float weight[3],
                       int32_t slot[3], float leaf_weight[3]);

/* Bytes of memory in use by tree and leaf lists (capacities). */
size_t vo_rt_mesh_bytes(const vo_rt_mesh *mesh);

/* Colour of a leaf triangle (asset.h). */
int vo_rt_mesh_colour(const vo_rt_mesh *mesh, int triangle);
/* Checks constraints 1 and 2 of Jain et al. 2005 on the leaves: adjacent leaves and leaves with a
 * common neighbour have different colours. Returns true if they hold, otherwise writes two leaves
 * of one colour and the leaf that is adjacent to both, or one of the two if they are adjacent. */
bool vo_rt_mesh_check_colours(const vo_rt_mesh *mesh, int32_t conflict[3]);

/* Checks all invariants by brute force; for tests and debug builds. NULL if they hold, otherwise
 * the violated one. */
const char *vo_rt_mesh_validate(const vo_rt_mesh *mesh);

/* State for snapshots. Returns the bytes; writes if `data` is not NULL. */
size_t vo_rt_mesh_save(const vo_rt_mesh *mesh, void *data);
/* Restores a state saved from a mesh of the same asset; validates all indices first. False: the
 * data is invalid or the heap is exhausted, and the mesh is unchanged. */
bool vo_rt_mesh_restore(vo_rt_mesh *mesh, vo_rt_heap *heap, const void *data, size_t bytes);

#endif

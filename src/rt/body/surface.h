/* Closed triangle surfaces with a bounding volume hierarchy.
 *
 * A surface is constant topology; a pose is its vertices and the boxes of its tree. The tree is
 * built once over the bind pose and refitted to every other pose, so that triangles which are
 * neighbours on the surface stay together however it deforms.
 *
 *   node   8 children, boxes in structure-of-arrays form: 192 bytes, tested 8 wide
 *   leaf   8 triangles, gathered by index from the vertices of a pose and tested 8 wide
 *
 * Subtrees are full: every leaf except the last has 8 triangles, every lowest node except the last
 * has 8 leaves. The last leaf is filled by repeating a triangle. Triangles are numbered in leaf
 * order ("slots": leaf * 8 + lane) and vertices in the order in which the leaves use them, so that
 * a leaf's data is in few cache lines. Rejected: copies of the triangles' coordinates in the
 * leaves, which make queries slightly faster and quadruple the memory that a refit writes.
 *
 * The sign of a distance is that of the angle-weighted pseudonormal at the nearest feature
 * (Baerentzen and Aanaes 2005, "Signed distance computation using the angle weighted
 * pseudonormal"). It is computed on demand for the one feature that a query found: a refit of all
 * vertex and edge normals would cost more than the rest of the update. */
#ifndef VO_RT_BODY_SURFACE_H
#define VO_RT_BODY_SURFACE_H

#include "rt/base/vec.h"

enum { VO_RT_WIDTH = 8, VO_RT_STACK = 96 };

/* Boxes of the children of a node; unused lanes are empty boxes. */
typedef struct vo_rt_box8 {
    float low[3][VO_RT_WIDTH], high[3][VO_RT_WIDTH];
} vo_rt_box8;

/* Extent of a leaf or node in the bind pose: a bounding sphere and a cone of normals. */
typedef struct vo_rt_cone {
    vo_rt_vec3 center;
    float radius; /* m */
    vo_rt_vec3 axis;
    float threshold; /* cos(60 degrees - half angle of the cone): all normals are within 60 degrees
                        of a direction whose cosine with the axis is larger; 2: never */
} vo_rt_cone;

typedef struct vo_rt_surface {
    /* name            size                 contents */
    int vertex_count, triangle_count;
    int leaf_count, node_count;
    int32_t (*corner)[3][VO_RT_WIDTH]; /* [leaf_count] vertices of 8 triangles */
    int32_t *neighbour;                /* [3 * 8 leaf_count] slot across the edge from corner k to
                                          corner k + 1; not valid for repeated triangles */
    int32_t *source;                   /* [8 leaf_count] triangle of the definition */
    int32_t *vertex_source;            /* [vertex_count] vertex of the definition */
    int32_t (*child)[VO_RT_WIDTH];     /* [node_count] node, or ~leaf; parents precede children */
    int32_t *leaf_parent;              /* [leaf_count] node * 8 + lane */
    int32_t *node_parent;              /* [node_count] node * 8 + lane; -1 for the root, node 0 */
    vo_rt_vec4 *bind;                  /* [vertex_count] m */
    vo_rt_cone *leaf_cone;             /* [leaf_count] */
    vo_rt_cone *node_cone;             /* [node_count] */
    float volume;                      /* m^3, enclosed in the bind pose */
    void *memory;                      /* one block with all arrays */
    size_t memory_bytes;
} vo_rt_surface;

/* Vertices and boxes of a surface at some time. */
typedef struct vo_rt_surface_pose {
    vo_rt_vec4 *vertex; /* [vertex_count] m */
    vo_rt_box8 *box;    /* [node_count] */
} vo_rt_surface_pose;

/* Nearest triangle of a surface to a point. */
typedef struct vo_rt_surface_hit {
    int32_t slot;      /* -1: none within the bound */
    float distance2;   /* m^2 */
    vo_rt_vec3 point;  /* m, on the surface */
    vo_rt_vec3 normal; /* unit, outward: towards or away from the query point, or the pseudonormal
                          if the point is on the surface */
    float weight[3];   /* barycentric coordinates */
    float distance;    /* m, signed */
} vo_rt_surface_hit;

/* Builds a surface. VO_BAD_ARGUMENT: the mesh is not closed, not consistently oriented, inside out
 * or contains an invalid number; the message names the element. Temporary memory is released. */
vo_result vo_rt_surface_init(vo_rt_surface *surface, const vo_allocator *allocator,
                             int vertex_count, const vo_rt_vec3 *positions, int triangle_count,
                             const int32_t *triangles, vo_rt_message *message);
void vo_rt_surface_free(vo_rt_surface *surface, const vo_allocator *allocator);

/* Bytes of a pose, a multiple of 64; `set` divides a block of that size, aligned to 64. The boxes
 * are empty afterwards. */
size_t vo_rt_surface_pose_bytes(const vo_rt_surface *surface);
vo_rt_surface_pose vo_rt_surface_pose_set(const vo_rt_surface *surface, void *memory);

struct vo_rt_surface_kernels;
/* Finds the nearest point of the surface with distance^2 <= bound2, with its sign. The result does
 * not depend on `hint`, a slot or -1, which only makes the query faster. */
bool vo_rt_surface_find_nearest(const struct vo_rt_surface_kernels *kernels,
                                const vo_rt_surface *surface, vo_rt_surface_pose pose, vo_rt_vec3 x,
                                float bound2, int32_t hint, vo_rt_surface_hit *hit);
/* First point of the segment a-b at distance `radius` from the surface, reached from the outside;
 * hit->point is the point of the surface. False: none, or b moves away from the start. */
bool vo_rt_surface_cast(const vo_rt_surface *surface, vo_rt_surface_pose pose, vo_rt_vec3 a,
                        vo_rt_vec3 b, float radius, float *t, vo_rt_surface_hit *hit);

/* Nearest point of triangle `slot` to x: fills slot, point, weights, normal and signed distance. */
void vo_rt_surface_evaluate(const vo_rt_surface *surface, const vo_rt_vec4 *vertex, int32_t slot,
                            vo_rt_vec3 x, vo_rt_surface_hit *hit);

/* Descends from triangle `slot` to its neighbours while they are nearer to x: a local minimum of
 * the distance. False if the walk is long. */
bool vo_rt_surface_walk(const vo_rt_surface *surface, const vo_rt_vec4 *vertex, int32_t slot,
                        vo_rt_vec3 x, vo_rt_surface_hit *hit);

/* Leaves near the leaf `home` on the same sheet of the surface, by their distance and normals in
 * the bind pose: around home they form a height field, on which a walk finds the nearest point. */
bool vo_rt_surface_is_local(const vo_rt_cone *cone, const vo_rt_cone *home);
/* True if a walk that reached `leaf` is still in the part of the surface that is local to home. */
bool vo_rt_surface_is_home(const vo_rt_surface *surface, int32_t leaf, int32_t home);

static inline int32_t vo_rt_surface_corner(const vo_rt_surface *s, int32_t slot, int k) {
    return s->corner[slot / VO_RT_WIDTH][k][slot % VO_RT_WIDTH];
}

/* Adjacency (surface_check.c): neighbours of triangle edges; edge k of a triangle runs from corner
 * k to k + 1. VO_BAD_ARGUMENT: a boundary edge, or an edge used twice in the same direction.
 * `scratch` is [vertex_count + 1 + 6 triangle_count]. */
vo_result vo_rt_find_neighbours(int vertex_count, int triangle_count, const int32_t *triangles,
                                int32_t *neighbour, int32_t *scratch, vo_rt_message *message);
/* Checks numbers and indices of a mesh. */
vo_result vo_rt_check_mesh(int vertex_count, const vo_rt_vec3 *positions, int triangle_count,
                           const int32_t *triangles, vo_rt_message *message);

/* Tree (surface_tree.c): sorts the triangles into leaves. order [triangle_count] receives the
 * triangles in slot order; child and leaf_parent, node_parent as in vo_rt_surface. */
int vo_rt_tree_count_nodes(int leaf_count);
void vo_rt_tree_build(vo_rt_surface *surface, const vo_rt_vec3 *centroid, int32_t *order);
/* Computes the cones of leaves and nodes (surface_cone.c). */
void vo_rt_surface_init_cones(vo_rt_surface *surface);

#endif

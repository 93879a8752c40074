/* Self-collision: detection and intersection-free motion of a group of cloths.
 *
 * Jain, Kabul, Govindaraju, Manocha and Lin 2005, "Multi-Resolution Collision Handling for
 * Cloth-like Simulations": four stages on the leaves of the hierarchy. The response bounds
 * displacements between queries (compare Wu et al. 2020, "A Safe and Fast Repulsion Method for
 * GPU-based Cloth Self Collisions"), here around anchors that move with the cloth.
 *
 * A query (query.c) at the positions x0 finds, for each vertex v, an anchor x0 + s P_v, which moves
 * along the predicted displacement P_v while s runs from 0 to 1, and a bound b_v. The solver may do
 * anything as long as each vertex ends a substep within b_v of its anchor (vo_rt_self_clamp).
 *
 * Proof that no face passes through another. Two features (vertex and face, or two edges) that
 * share no vertex have a distance d at x0, and a unit vector n between their nearest points, from B
 * to A, with n . (a - b) >= d for all points a of A and b of B. Let alpha be the smallest n . P of
 * the vertices of A and beta the largest of B. At any s, the anchors of the features are separated
 * along n by at least
 *
 *     m = d - max(0, beta - alpha)
 *
 * since both sides are convex combinations of vertices. A point of a feature is displaced from its
 * anchor by at most the largest bound of its vertices. So if all b are below m / 2, the features
 * stay apart on the whole linear path, and at every state within the bounds: each state is
 * connected with x0 by a continuous motion without contact. Motion along the surfaces and motion
 * apart cost nothing; only the approach of the anchors is limited. P is a smoothed velocity field,
 * adjusted so that m stays above d / 2. Pairs that a query does not store have m >= r_a + r_b, the
 * query radii of their vertices, or disjoint boxes: these contain the paths of the anchors,
 * thickened by the radii. b_v < r_v, less the adjustment of P beyond the slack of the search. Two
 * triangles intersect only after such a pair has met, also if they share one or two vertices.
 * Bounds are 0.45 (m - g): the factor and the gap g cover rounding.
 *
 * Adjacent pairs (stage 4). If the triangles around an interior vertex a are oriented alike in the
 * projection along their mean normal, the projected star is embedded: its triangles are wedges
 * around a. Features of the star that share no vertex are separated by a whole triangle, so their
 * distance is at least the smallest projected height m_a of its triangles. Vertices with such a
 * star are calm: one bound replaces all pairs of faces that share the vertex. Pairs of faces that
 * share no calm vertex are tested exactly.
 *
 * Cloth that intersects at a query (a teleport, a pose that intersects itself) is tangled: vertices
 * of edges and faces that intersect are marked, pairs of marked features are exempt from bounds and
 * contacts, and the response (untangle.c) shortens the intersection contour until none is left.
 *
 * A group is solved by one thread, in one order, so results do not depend on the number of threads.
 * Nothing that influences results is carried over from one query to the next. */
#ifndef VO_RT_SELF_SELF_H
#define VO_RT_SELF_SELF_H

#include "rt/hierarchy/mesh.h"
#include "rt/solve/solve.h"

/* A cloth of a group. */
typedef struct vo_rt_self_member {
    vo_rt_mesh *mesh;
    float thickness; /* m, distance kept between layers of cloth */
    float friction;  /* Coulomb coefficient */
    int32_t layer;   /* cloths of higher layers lie outside those of lower ones */
    /* Box that the cloth must not leave: no cloth of another group enters it. */
    vo_rt_vec3 min, max;
    bool moves;      /* false: rests in this minor step, an obstacle for the others */
    bool has_begun;  /* the minor step has begun, without a substep: front.previous holds the state
                        at its start, front.position includes corrections of contacts */
    bool has_start;  /* front.velocity holds positions at the start of the substep */
    float scale;     /* displacement of the prediction = scale * velocity, or scale * (position -
                        front.velocity) if has_start */
    vo_rt_vec3 fall; /* m, added to the prediction of free vertices: effect of acceleration */
    float portion;   /* of the path that is left to the targets of prescribed vertices */
    /* Contacts with bodies: predictions stay outside their planes, `contact_time` seconds after the
     * start of the minor step. */
    const vo_rt_contact *contact;
    int contact_count;
    float contact_time;
    int32_t first; /* index of its slot 0 in the arrays of the set; query */
} vo_rt_self_member;

/* Flags of a vertex of the set. */
enum {
    VO_RT_SELF_BORDER = 1,  /* on the boundary of the cloth */
    VO_RT_SELF_SMOOTH = 2,  /* normals of its triangles are within a cone */
    VO_RT_SELF_CALM = 4,    /* smooth, interior: pairs in its star are covered by one bound */
    VO_RT_SELF_TANGLED = 8, /* of an edge or face that intersects */
    VO_RT_SELF_FIXED = 16   /* of a member that does not move */
};

/* Triangles around a vertex. */
typedef struct vo_rt_self_star {
    vo_rt_vec3 normal; /* unit, mean of the triangles */
    float cosine;      /* smallest, between the mean normal and that of a triangle */
    float height;      /* m, smallest height of a triangle */
    float shear;       /* m, largest difference of predicted displacements along an edge */
} vo_rt_self_star;

typedef struct vo_rt_self_face {
    int32_t vertex[3]; /* indices in the set */
    int16_t member;
    uint8_t owned; /* bit k: owns vertex k; bit 3 + k: owns the edge opposite vertex k */
    uint8_t unused;
} vo_rt_self_face;

/* Boxes and vertices of the faces, one array per value, for SIMD tests. The arrays are readable up
 * to seven elements behind the last face. */
typedef struct vo_rt_self_lanes {
    float *bound[6];    /* m, low x y z, high x y z */
    int32_t *vertex[3]; /* indices in the set */
} vo_rt_self_lanes;

enum { VO_RT_SELF_CLUSTER = 8 }; /* faces of a cluster */

/* A cluster in a cell of the voxel hash. */
typedef struct vo_rt_self_entry {
    uint32_t cell; /* three coordinates, 9 bits each; three bits: the cell is the lowest one of the
                      box along x, y, z */
    int32_t box;
} vo_rt_self_entry;

/* Voxel hash over boxes: buckets of entries, one entry per cell that a box overlaps. */
typedef struct vo_rt_self_hash {
    int32_t *bucket;         /* [table + 1] first entry of each bucket */
    vo_rt_self_entry *entry; /* [entry_capacity] */
    int table, table_capacity, entry_capacity;
    float inverse_cell; /* 1/m */
} vo_rt_self_hash;

/* Two features closer than the query radius. Side A are the first `count_a` vertices. 64 bytes. */
typedef struct vo_rt_self_pair {
    int32_t vertex[4]; /* indices in the set */
    float weight[4];   /* of the nearest points: those of A sum to 1, those of B to -1 */
    vo_rt_vec3 normal; /* unit, from B to A */
    float distance;    /* m, at the query */
    float gap;         /* m, distance that the contact keeps; 0: no contact */
    int16_t member[2]; /* of A and B */
    uint8_t count_a;   /* 1: vertex and face, 2: two edges */
    uint8_t is_joined; /* an edge joins the features: neighbours in the mesh */
    uint8_t unused[6];
} vo_rt_self_pair;

/* An edge that intersects a face. */
typedef struct vo_rt_self_hit {
    int32_t edge[2], face[3]; /* indices in the set */
    int16_t member[2];
    float weight[5];      /* of the point of intersection on the edge and on the face */
    vo_rt_vec3 direction; /* unit, of the edge relative to the face: shortens the contour */
} vo_rt_self_hit;

/* Counters of a query. */
typedef struct vo_rt_self_counts {
    int64_t cluster_pairs;  /* stages 1 and 2: pairs of clusters of faces from the voxel hash */
    int64_t face_pairs;     /* stage 2: faces of these clusters whose boxes overlap */
    int64_t adjacent_pairs; /* stage 4: pairs of faces that share a vertex */
    int64_t feature_pairs;  /* stage 3: pairs of features whose distance was computed */
    int64_t near_pairs;     /* stage 3: pairs closer than the query radius */
    int64_t contacts;
    int64_t intersections; /* edges that intersect a face */
    int64_t overflows;     /* queries whose pairs exceeded the memory */
} vo_rt_self_counts;

enum { VO_RT_SELF_ARRAYS = 23 };

/* Memory and results of the queries of a group. */
typedef struct vo_rt_self_set {
    /* name                      size             meaning */
    vo_rt_self_member *member; /* [member_count] caller */
    int member_count;

    int vertex_count;       /*                 slots of all members, including unused ones */
    vo_rt_vec4 *x;          /* [vertex_count]  m, at the query; w: inverse mass */
    vo_rt_vec4 *drift;      /* [vertex_count]  m, displacement P of the anchor, relative to the
                                               shift; w: inverse of the number of faces */
    vo_rt_vec3 *wanted;     /* [vertex_count]  m, the same before it was adjusted */
    vo_rt_vec4 *low, *high; /* [vertex_count]  m, box of the path, thickened; low.w: reach */
    float *radius;          /* [vertex_count]  m, query radius */
    float *bound;           /* [vertex_count]  m, of the displacement from the anchor */
    float *near;            /* [vertex_count]  m, distance from a feature that is no neighbour */
    vo_rt_self_star *star;  /* [vertex_count] */
    uint8_t *flags;         /* [vertex_count] */
    int32_t *star_begin;    /* [vertex_count + 1] first entry of star_face */
    int32_t *star_face;     /* [3 face_count]  faces of each vertex */

    int face_count;          /*                 in the order of the hierarchy */
    vo_rt_self_face *face;   /* [face_count] */
    vo_rt_vec3 *face_normal; /* [face_count]    unit */
    vo_rt_vec4 *face_box;    /* [2 face_count]  m, low and high; low.w: reach */
    vo_rt_self_lanes lanes;
    float *lane_bounds;     /* [6 lane_stride] memory of the lanes */
    int32_t *lane_vertices; /* [3 lane_stride] */
    int lane_stride;
    int cluster_count;       /*                 groups of consecutive faces */
    vo_rt_vec4 *cluster_box; /* [2 cluster_count] m, low and high */
    vo_rt_self_hash hash;
    vo_rt_self_pair *pair;                    /* [pair_count] */
    vo_rt_self_hit *hit;                      /* [hit_count] */
    int pair_count, contact_count, hit_count; /* contacts are the first pairs */
    int pair_capacity, hit_capacity;
    uint64_t topology; /* of the members when faces and stars were listed; 0: never */
    vo_rt_vec3 shift;  /* m, mean predicted displacement */
    float gap;         /* m, distance that bounds never give away */
    float drift_scale; /* of the predicted displacements; below 1: anchors would collide */
    bool is_static;    /* anchors do not move */

    int capacity[VO_RT_SELF_ARRAYS];
    vo_rt_self_counts counts; /* of all queries since the caller cleared them */
} vo_rt_self_set;

/* Memory for a group of cloths with the given numbers in total; serial part of a step. False if the
 * heap is exhausted. About 0.8 KB per face. */
bool vo_rt_self_reserve(vo_rt_self_set *set, vo_rt_heap *heap, int members, int vertices,
                        int faces);
void vo_rt_self_free(vo_rt_self_set *set, vo_rt_heap *heap);
/* The members may have changed without a change of their topology number: a cloth was restored or
 * created in the place of another. */
static inline void vo_rt_self_invalidate(vo_rt_self_set *set) { set->topology = 0; }

typedef struct vo_rt_self_query {
    bool is_static;           /* anchors stay at the positions of the query */
    bool finds_intersections; /* tests edges against faces; fills `hit` */
    bool use_avx2;
} vo_rt_self_query;

/* Finds anchors, bounds, near pairs and contacts of the members, whose number and descriptions the
 * caller has set. Memory must be reserved. Cost: about 0.5 us per face, four times as
 * much in a stack of six sheets. */
void vo_rt_self_find(vo_rt_self_set *set, const vo_rt_self_query *query);

/* Moves vertices to within their bounds of the anchors at fraction s of the prediction. Returns the
 * number of vertices that it moved. */
int vo_rt_self_clamp(vo_rt_self_set *set, float s);
/* Projects all contacts once, with friction, `h` seconds after the start of the substep, whose
 * positions are in front.velocity; then shortens intersection contours. */
void vo_rt_self_project(vo_rt_self_set *set, float h);

/* Bounds at the end of the minor step: an array per vertex slot of the member, centre of the sphere
 * and radius, m. Replaces set->x; the next call must be a query. */
void vo_rt_self_finish(vo_rt_self_set *set);
static inline const vo_rt_vec4 *vo_rt_self_spheres(const vo_rt_self_set *set, int member) {
    return set->x + set->member[member].first;
}

/* True if an edge of a member may split or join now: the surface of the triangles beside it changes
 * by less than its distance from other cloth. After a static query. */
bool vo_rt_self_permits_edit(const vo_rt_self_set *set, int member, int edge, bool use_avx2);
/* Limits the displacement of a vertex that was created in the middle of an edge, from `from`. */
vo_rt_vec3 vo_rt_self_limit_new(const float *bound, int a, int b, vo_rt_vec3 from, vo_rt_vec3 to);

#endif

/* Self-collision: detection and intersection-free motion of a group of cloths, and of the meshes of
 * bodies beside them.
 *
 * Jain, Kabul, Govindaraju, Manocha and Lin 2005, "Multi-Resolution Collision Handling for
 * Cloth-like Simulations": four stages on the leaves of the hierarchy. The response corrects the
 * displacements of several substeps at once, on separating planes (compare Bridson et al. 2002,
 * "Robust treatment of collisions, contact and friction for cloth animation", and Provot 1997).
 *
 *   vo_rt_self_find      at the positions x0, with predicted displacements P: lists all pairs of
 *                        features that can meet if each vertex v ends within R_v of x0 + P_v
 *   vo_rt_self_project   in each substep: contacts between listed pairs
 *   vo_rt_self_filter    corrects the displacements D = x1 - x0 of the solver so that no pair meets
 *
 * Proof that no face passes through another. Let n be a unit vector, for two features A and B
 * (vertex and face, or two edges) that share no vertex, with n . (a - b) >= d > 0 for all their
 * points at x0; n joins their nearest points. Let alpha be the smallest n . D of the vertices of A
 * and beta the largest of B. On the linear path x0 + s D, the features are separated along n by at
 * least
 *
 *     m = d - max(0, beta - alpha)
 *
 * since both sides are convex combinations of vertices. The filter keeps m above 0 for all listed
 * pairs, or, for pairs that turn, the volume of their four vertices above 0 all the way: features
 * meet only where it vanishes. Pairs that are not listed have m >= R_a + R_b with P in place of D,
 * or disjoint boxes, which contain the predicted paths thickened by R; a vertex that ends further
 * than R from its prediction is searched again, with P = D. Two triangles intersect only after two
 * of their features that share no vertex have met, also if the triangles share one or two vertices.
 * A gap g covers rounding. Vertices of bodies move as posed, and the filter never changes them.
 *
 * Adjacent pairs (stage 4). The area vector of a triangle on the linear path is a quadratic
 * polynomial of s. If its three Bernstein coefficients have positive projections on one vector for
 * all triangles around an interior vertex a, the star of a projects to wedges around a at every s:
 * no two features of the star meet. Such a vertex is calm, and pairs of faces that share it need no
 * test. The same holds for larger patches if their projected boundary is simple at every s
 * (patch.c). Pairs of faces that share neither a calm vertex nor a flat patch are tested exactly.
 *
 * Cloth that intersects at a query (a teleport, a pose that intersects itself, a body that leaves
 * no space) is tangled: vertices of edges and faces that intersect are marked, pairs of marked
 * features are exempt, and the response (untangle.c) shortens the intersection contour until none
 * is left.
 *
 * A group is solved by one thread, in one order, so results do not depend on the number of threads.
 * Nothing that influences results is carried over from one segment to the next. */
#ifndef VO_RT_SELF_SELF_H
#define VO_RT_SELF_SELF_H

#include "rt/body/shape.h"
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
    float duration;  /* s, of the segment */
    vo_rt_vec3 fall; /* m, added to the prediction of vertices that fall: effect of acceleration */
    float portion;   /* of the path that is left to the targets of prescribed vertices */
    /* Contacts with bodies: predictions stay outside their planes, `contact_time` seconds after the
     * start of the minor step. */
    const vo_rt_contact *contact;
    int contact_count;
    float contact_time;
    float body_thickness; /* m, distance from bodies besides their offset */
    uint64_t obstacles;   /* bit k: collides with obstacle k of the set */
    int32_t first;        /* index of its slot 0 in the arrays of the set; query */
    vo_rt_vec3 center;    /* m, mean of its vertices; query that finds intersections */
} vo_rt_self_member;

/* The mesh of a body beside the cloths. */
typedef struct vo_rt_self_obstacle {
    const vo_rt_surface *surface;
    const vo_rt_vec4 *vertex[2]; /* [vertex_count] at the start and at the end of the move */
    vo_rt_pose pose[2];          /* of these vertices */
    bool is_rigid;               /* false: the poses are the identity */
    float begin, end;            /* fractions of the move at the query and at its end */
    float offset;                /* m, of the shell that vertices collide with */
    float friction;              /* multiplied with the Coulomb coefficient of the cloth */
    int32_t first;               /* index of its first vertex in the arrays of the set; query */
} vo_rt_self_obstacle;
enum { VO_RT_SELF_MAX_OBSTACLES = 64 };

/* Flags of a vertex of the set. */
enum {
    VO_RT_SELF_BORDER = 1,       /* on the boundary of the cloth */
    VO_RT_SELF_SMOOTH = 2,       /* normals of its triangles are within a cone */
    VO_RT_SELF_CALM = 4,         /* interior: features of its star cannot meet */
    VO_RT_SELF_TANGLED = 8,      /* of an edge or face that intersects */
    VO_RT_SELF_FIXED = 16,       /* of a body, or of a member that does not move */
    VO_RT_SELF_RESTRAINED = 128, /* restrained; filter */
    VO_RT_SELF_MOVED = 32,       /* ends outside the range of the last search */
    VO_RT_SELF_PRESSED =
        64 /* of an edge or face that intersects a body, or has no space beside it */
};

/* Triangles around a vertex. */
typedef struct vo_rt_self_star {
    vo_rt_vec3 normal; /* unit, mean of the triangles at the start and at the end of the path */
    float cosine;      /* smallest, between the mean normal and a triangle's area vectors (Bernstein
                          coefficients of the path) */
    float height;      /* m, smallest height of a triangle at the start and at the end */
} vo_rt_self_star;

/* A face on its path. Zero if it is degenerate at the start or at the end. */
typedef struct vo_rt_self_path {
    vo_rt_vec3 normal[3]; /* Bernstein coefficients of the area vector, relative to their lengths:
                             unit at the start [0] and at the end [2], the mixed one [1] relative to
                             the geometric mean of the lengths of these */
    float height;         /* m, smallest at the start and at the end */
} vo_rt_self_path;

/* The leaves of a base triangle (patch.c). Fans and corners are numbered together: one fan per
 * vertex of a base mesh, in the order of the members. */
typedef struct vo_rt_self_cell {
    int32_t begin, end; /* faces */
    int32_t fan[3];     /* fans around its corners */
    int32_t flat[3];    /* the same, -1: the fan is not flat */
    int32_t side[4];    /* entries of side_vertex for the side opposite each corner, and the end */
    uint8_t boundary;   /* bit k: the side opposite corner k is on the boundary of the cloth */
    vo_rt_vec3 axis;    /* unit, mean normal */
    float cosine, sine; /* of the angle of a cone around the axis that has all normals */
} vo_rt_self_cell;

/* The cells around a vertex of a base mesh. */
typedef struct vo_rt_self_fan {
    vo_rt_vec3 axis; /* unit, mean normal */
    float cosine;    /* of the angle of a cone around the axis that has all normals on their paths;
                        0: at least 90 degrees */
    float clearance; /* m, smallest height of the triangles of the boundary with its centre */
    bool is_flat;    /* features of its faces cannot meet */
    bool is_refined; /* a cell has several faces */
} vo_rt_self_fan;

typedef struct vo_rt_self_face {
    int32_t vertex[3]; /* indices in the set */
    int16_t member;
    uint8_t owned;          /* bit k: owns vertex k; bit 3 + k: owns the edge opposite vertex k */
    uint8_t is_moved;       /* has a vertex with the flag MOVED */
    uint32_t neighbours[2]; /* colours of the faces that share a vertex with it, and its own */
} vo_rt_self_face;

/* Boxes and vertices of the faces, one array per value, for SIMD tests. The arrays are readable up
 * to seven elements behind the last face. */
typedef struct vo_rt_self_lanes {
    float *bound[6];    /* m, low x y z, high x y z */
    float *start[9];    /* m, corners at the query: x y z of each */
    float *end[9];      /* m, the same at the end of the predicted path */
    int32_t *vertex[3]; /* indices in the set */
    int32_t *colour[2]; /* a bit for the colour; 0: of an obstacle */
    int32_t *fan[3];    /* fans around the corners of the cell; -2: of an obstacle */
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
    int16_t member[2]; /* of A and B; member_count + k: obstacle k */
    uint8_t count_a;   /* 1: vertex and face, 2: two edges */
    uint8_t is_joined; /* an edge joins the features: neighbours in the mesh */
    uint8_t unused[6];
} vo_rt_self_pair;

/* An edge that intersects a face. */
typedef struct vo_rt_self_hit {
    int32_t edge[2], face[3]; /* indices in the set */
    int32_t own;              /* a face of the edge */
    int32_t next;             /* next one of an edge with the same smaller index; -1: none */
    int16_t member[2];
    float weight[5];      /* of the point of intersection on the edge and on the face */
    vo_rt_vec3 direction; /* at most 1, of the edge relative to the face: shortens the contour */
} vo_rt_self_hit;

/* Counters of a query. */
typedef struct vo_rt_self_counts {
    int64_t cluster_pairs; /* stages 1 and 2: pairs of clusters of faces from the voxel hash */
    int64_t face_pairs;    /* stage 2: faces of these clusters whose boxes overlap */
    int64_t
        compared_pairs; /* of these and of those in calm stars: colours permit a common vertex */
    int64_t adjacent_pairs; /* stage 4: pairs of faces that share a vertex */
    int64_t flat_pairs;     /* stages 1 and 2: pairs of clusters of flat patches, left out */
    int64_t feature_pairs;  /* stage 3: pairs of features whose distance was computed */
    int64_t near_pairs;     /* stage 3: pairs closer than the query radius */
    int64_t contacts;
    int64_t intersections; /* edges that intersect a face */
    int64_t overflows;     /* queries whose pairs exceeded the memory */
} vo_rt_self_counts;

enum { VO_RT_SELF_ARRAYS = 37 };

/* Memory and results of the queries of a group. Obstacles follow the cloths in the arrays of
 * vertices and faces. */
typedef struct vo_rt_self_set {
    /* name                          size             meaning */
    vo_rt_self_member *member;     /* [member_count] caller */
    vo_rt_self_obstacle *obstacle; /* [obstacle_count] caller */
    int member_count, obstacle_count;

    int vertex_count;       /*                 slots of all members, including unused ones, and
                                               vertices of obstacles */
    int cloth_vertex_count; /*                 slots of the members */
    vo_rt_vec4 *x;          /* [vertex_count]  m, at the query; w: inverse mass */
    vo_rt_vec4 *drift;      /* [vertex_count]  m, predicted displacement P, relative to the shift */
    vo_rt_vec4 *move;       /* [vertex_count]  m, displacement D, relative to the shift; filter */
    vo_rt_vec4 *target;     /* [cloth_vertex_count] m, position at the end of the segment that the
                               solver asks for; filter */
    vo_rt_vec4 *low, *high; /* [vertex_count]  m, box of the path, thickened by R; low.w: reach,
                                               R plus the length of the path; high.w: R */
    vo_rt_vec4 *sum;        /* [cloth_vertex_count] sums of the smoothing; w: weight */
    vo_rt_vec4 *support;    /* [cloth_vertex_count] m, displacement that needs no limit: that of the
                               body which supports the vertex; w: contacts on the way
                               to it, 255: none */
    uint8_t *pass;          /* [vertex_count]  last pass of the separation that moved the vertex */
    float *radius;          /* [vertex_count]  m, query radius */
    float *bound;           /* [vertex_count]  m, displacement that is free of collisions: from x0
                                               after a static query, from x0 + D after `finish` */
    float *near;            /* [vertex_count]  m, distance from a feature that is no neighbour */
    vo_rt_self_star *star;  /* [cloth_vertex_count] */
    uint8_t *flags;         /* [vertex_count] */
    int32_t *part;       /* [cloth_vertex_count] after a query with intersections: a vertex of the
                            part of its cloth between intersection contours; untangling */
    float *part_mass;    /* [cloth_vertex_count] kg, of the part with this vertex; untangling */
    int32_t *first_hit;  /* [cloth_vertex_count] by the smaller index of the edge; -1: none */
    int32_t *star_begin; /* [cloth_vertex_count + 1] first entry of star_face */
    int32_t *star_face;  /* [3 cloth_face_count] faces of each vertex */

    int cloth_face_count;  /*                 in the order of the hierarchy */
    int face_count;        /*                 end of the obstacles' faces, which begin with the
                                              first whole cluster behind those of the cloths */
    vo_rt_self_face *face; /* [face_count] */
    vo_rt_self_path *path; /* [cloth_face_count] */
    int32_t *face_cell;    /* [cloth_face_count] */
    int cell_count, fan_count;
    vo_rt_self_cell *cell; /* [cell_count] */
    vo_rt_self_fan *fan;   /* [fan_count] */
    int32_t *fan_begin;    /* [fan_count + 1] first entry of fan_cell */
    int32_t *fan_cell;     /* [3 cell_count] cells of each fan */
    int32_t *side_vertex;  /* vertices of the sides of the cells, from corner to corner */
    vo_rt_vec4 *face_box;  /* [2 face_count]  m, low and high; low.w: reach */
    vo_rt_self_lanes lanes;
    vo_rt_vec4 region[2];   /* m, box in which faces of obstacles are listed */
    float *lane_bounds;     /* [24 lane_stride] memory of the lanes */
    int32_t *lane_vertices; /* [8 lane_stride] with colours and fans */
    int lane_stride;
    int cloth_cluster_count; /*                 groups of consecutive faces of cloth */
    int cluster_count;       /*                 the same with those of obstacles */
    vo_rt_vec4 *cluster_box; /* [2 cluster_count] m, low and high; high.w: bits of moved faces */
    vo_rt_self_hash hash;
    vo_rt_self_pair *pair;                    /* [pair_count] */
    vo_rt_self_hit *hit;                      /* [hit_count] */
    int pair_count, contact_count, hit_count; /* contacts are the first pairs */
    int pair_capacity, hit_capacity;
    uint64_t topology;  /* of the members when faces and stars were listed; 0: never */
    vo_rt_vec3 shift;   /* m, mean predicted displacement */
    float gap;          /* m, distance that is never given away */
    float max_range;    /* m, largest R of a vertex */
    float max_radius;   /* m, largest query radius of this query */
    bool is_static;     /* the query has no displacements */
    bool is_full;       /* pairs exceed the memory */
    bool is_touching;   /* features without a distance were found */
    bool is_penetrated; /* a body left no space: cloth may intersect it */

    int capacity[VO_RT_SELF_ARRAYS];
    vo_rt_self_counts counts; /* of all queries since the caller cleared them */
} vo_rt_self_set;

/* Numbers of a group in total. */
typedef struct vo_rt_self_size {
    int members, vertices, faces;                     /* cloths */
    int cells, fans;                                  /* base triangles and vertices of cloths */
    int obstacles, obstacle_vertices, obstacle_faces; /* faces: 8 per leaf of the surface */
} vo_rt_self_size;

/* Memory for a group; serial part of a step. False if the heap is exhausted. About 0.9 KB per face
 * of cloth and 0.2 KB per face of an obstacle. */
bool vo_rt_self_reserve(vo_rt_self_set *set, vo_rt_heap *heap, const vo_rt_self_size *size);
void vo_rt_self_free(vo_rt_self_set *set, vo_rt_heap *heap);
/* The members may have changed without a change of their topology number: a cloth was restored or
 * created in the place of another. */
static inline void vo_rt_self_invalidate(vo_rt_self_set *set) { set->topology = 0; }

typedef struct vo_rt_self_query {
    float static_radius;      /* m, largest of a vertex without displacements; 0: 4 mm */
    bool is_static;           /* without displacements; fills `bound` */
    bool finds_intersections; /* tests edges against faces; fills `hit` */
    bool use_avx2;
} vo_rt_self_query;

/* Finds near pairs and contacts of the members and obstacles, whose number and descriptions the
 * caller has set. Memory must be reserved. Cost: about 1.4 us per face, four times
 * as much in a stack of six sheets. */
void vo_rt_self_find(vo_rt_self_set *set, const vo_rt_self_query *query);

/* Projects all contacts once, with friction, at the end of a substep of `h` seconds, the part from
 * s0 to s1 of the segment. front.velocity has the positions at the start of the substep. Then
 * shortens intersection contours. */
void vo_rt_self_project(vo_rt_self_set *set, float h, float s0, float s1);

/* Outcome of a filter. */
typedef struct vo_rt_self_filtered {
    int corrected;   /* vertices whose displacement was changed */
    int searches;    /* of pairs, for vertices far from their predictions */
    bool is_limited; /* no solution was found: all displacements were reduced */
} vo_rt_self_filtered;
/* Corrects the positions of the members at the end of a segment of `substeps` substeps, after a
 * query that was not static. */
vo_rt_self_filtered vo_rt_self_filter(vo_rt_self_set *set, const vo_rt_self_query *query,
                                      int substeps);

/* Displacements that are free of collisions after the filter: an array per vertex slot of the
 * member, centre of the sphere and radius, m. Replaces set->x; the next call must be a query. */
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

/* Parts shared by the files of self/. */
#ifndef VO_RT_SELF_SELF_PRIVATE_H
#define VO_RT_SELF_SELF_PRIVATE_H

#include "rt/self/self.h"

/* Part of half of a distance that a bound uses; the rest covers rounding. */
#define VO_RT_SELF_USE 0.45f
/* Part of R by which a vertex may end beside its prediction. */
#define VO_RT_SELF_RANGE 0.9f
/* Query radius of a vertex: fraction of its shortest edge at rest, and limits, m, in motion and
 * without (the default). Larger radii find more layers of a stack, smaller ones need more queries.
 */
#define VO_RT_SELF_RADIUS        0.2f
#define VO_RT_SELF_MAX_RADIUS    0.002f
#define VO_RT_SELF_STATIC_RADIUS 0.004f
/* Part of the radius by which the search of a query in motion exceeds it. */
#define VO_RT_SELF_SLACK 0.25f
/* Distance that bounds never give away, m, and per metre of the largest coordinate. */
#define VO_RT_SELF_GAP       2e-5f
#define VO_RT_SELF_GAP_SCALE 1e-6f

enum { VO_RT_SELF_BATCH = 8 };

/* Eight pairs of features in the order of detection, and their distances. */
typedef struct vo_rt_self_batch {
    int32_t vertex[4][VO_RT_SELF_BATCH];
    float limit[VO_RT_SELF_BATCH]; /* m, farther pairs are dropped */
    int32_t face[2][VO_RT_SELF_BATCH];
    int count;
    /* Results. */
    float distance[VO_RT_SELF_BATCH];
    float weight[4][VO_RT_SELF_BATCH]; /* see vo_rt_self_pair */
    float normal[3][VO_RT_SELF_BATCH];
} vo_rt_self_batch;

/* Extent of a face along a unit vector, at the query and at the end of the predicted path, m. */
typedef struct vo_rt_self_slab {
    float normal[3];
    float low[2], high[2];
    float distance; /* from which other faces are separated */
} vo_rt_self_slab;

/* Kernels; unused lanes of a batch refer to vertex 0. Return a bit per lane: closer than its limit.
 */
typedef struct vo_rt_self_kernels {
    unsigned (*measure_faces)(const vo_rt_vec4 *x, vo_rt_self_batch *batch); /* vertex, face */
    unsigned (*measure_edges)(const vo_rt_vec4 *x, vo_rt_self_batch *batch); /* edge, edge */
    /* Faces in [begin, end), at most 8, whose boxes overlap that of `face` and which have none of
     * the vertices `calm`: bit k for face begin + k; bit 8 + k if they share a vertex. Vertices are
     * compared only where a colour is among `neighbours`, those of the face: bit 16 + k. */
    unsigned (*find_faces)(const vo_rt_self_lanes *lanes, int face, const int32_t calm[3],
                           const uint32_t neighbours[2], int begin, int end);
    /* Faces in [begin, begin + 8) whose boxes overlap a box, low and high; bit per lane. */
    unsigned (*find_overlaps)(const vo_rt_self_lanes *lanes, const vo_rt_vec4 *low,
                              const vo_rt_vec4 *high, int begin);
    /* Faces in [begin, begin + 8) that stay apart from a slab on their paths, which are linear: on
     * one side of it at both ends; bit per lane. */
    unsigned (*find_separated)(const vo_rt_self_lanes *lanes, const vo_rt_self_slab *slab,
                               int begin);
    /* Faces in [begin, begin + 8) whose cells have one of these fans; bit per lane. */
    unsigned (*find_fans)(const vo_rt_self_lanes *lanes, const int32_t fan[3], int begin);
} vo_rt_self_kernels;
extern const vo_rt_self_kernels vo_rt_self_kernels_base, vo_rt_self_kernels_avx2;

static inline const vo_rt_self_kernels *vo_rt_self_select_kernels(bool use_avx2) {
#ifdef VO_HAVE_AVX2_KERNELS
    if (use_avx2) return &vo_rt_self_kernels_avx2;
#endif
    (void)use_avx2;
    return &vo_rt_self_kernels_base;
}

/* gather.c: vertices, displacements and faces of the members. */
void vo_rt_self_gather(vo_rt_self_set *set, bool is_static);
/* Boxes of the predicted paths, of all vertices or only of those flagged MOVED. */
void vo_rt_self_refit(vo_rt_self_set *set, bool moved_only);
/* Box of two boxes; the fourth value of `low` is the larger reach. */
void vo_rt_self_unite_boxes(vo_rt_vec4 out[2], const vo_rt_vec4 a[2], const vo_rt_vec4 b[2]);
/* Writes the box of a face from those of its vertices. */
void vo_rt_self_refit_face(vo_rt_self_set *set, int face);
/* obstacles.c: vertices of the obstacles on the part of their move from fraction `begin` to `end`
 * of that of the query, and their faces near the cloths. */
void vo_rt_self_gather_obstacles(vo_rt_self_set *set, float begin, float end);
void vo_rt_self_refit_obstacles(vo_rt_self_set *set, bool moved_only);

/* colours.c: colours of the faces, and of the neighbours of each. */
void vo_rt_self_gather_colours(vo_rt_self_set *set);

/* star.c: faces and triangles around the vertices, on the paths with the given displacements. */
void vo_rt_self_measure_stars(vo_rt_self_set *set, const vo_rt_vec4 *displacement);
/* Marks calm vertices. */
void vo_rt_self_find_calm(vo_rt_self_set *set);

/* patch.c: lists the cells, their sides and fans; after the faces. */
void vo_rt_self_gather_patches(vo_rt_self_set *set);
/* Finds flat fans on the paths of the query; after the stars were measured. */
void vo_rt_self_find_flat(vo_rt_self_set *set);
/* Measures the flat fans again, with the displacements of the last measurement of the stars. Calls
 * fn, if it is not NULL, for each one that is flat no longer; returns their number. */
typedef void vo_rt_self_fan_fn(vo_rt_self_set *set, int fan);
int vo_rt_self_measure_flat(vo_rt_self_set *set, const vo_rt_vec4 *displacement,
                            vo_rt_self_fan_fn *fn);
/* The fan is not flat. */
void vo_rt_self_unset_flat(vo_rt_self_set *set, int fan);
/* True if all faces of cells [a, a_end) lie in a common flat fan with each one of [b, b_end). */
bool vo_rt_self_are_flat(const vo_rt_self_set *set, int a, int a_end, int b, int b_end);
/* Displacement of the vertices of a face that leaves all flat fans of its cell flat, m. */
float vo_rt_self_flat_clearance(const vo_rt_self_set *set, int face);

/* hash.c: lists boxes, low and high of each, in the cells that they overlap. */
void vo_rt_self_hash_boxes(vo_rt_self_hash *hash, const vo_rt_vec4 *box, int count);
/* Calls fn for each pair of these boxes that overlap, once, except pairs of boxes from
 * `first_fixed` on. */
typedef void vo_rt_self_pair_fn(void *user, int a, int b);
void vo_rt_self_for_pairs(const vo_rt_self_hash *hash, const vo_rt_vec4 *box, int first_fixed,
                          vo_rt_self_pair_fn *fn, void *user);
/* Calls fn for each of these boxes that overlaps `query`, low and high, once. */
typedef void vo_rt_self_box_fn(void *user, int box);
void vo_rt_self_for_overlaps(const vo_rt_self_hash *hash, const vo_rt_vec4 *box,
                             const vo_rt_vec4 query[2], vo_rt_self_box_fn *fn, void *user);
/* Entries that a hash of `count` boxes may need. */
int vo_rt_self_hash_entries(int count);

/* features.c: finds all pairs of features, or adds those with a vertex that is flagged MOVED. Sets
 * is_full if they exceed the memory. */
void vo_rt_self_find_pairs(vo_rt_self_set *set, const vo_rt_self_query *query, bool moved_only);

/* query.c: all pairs for the positions and predictions of the set, within smaller radii if they do
 * not fit into the memory; stars and patches first. */
void vo_rt_self_search(vo_rt_self_set *set, const vo_rt_self_query *query);

/* bounds.c: displacements from x0 + `displacement` that are free of collisions. */
void vo_rt_self_find_bounds(vo_rt_self_set *set, const vo_rt_vec4 *displacement);
/* Approach of the features of a pair along its normal, m; negative: they separate. */
float vo_rt_self_approach(const vo_rt_vec4 *displacement, const vo_rt_self_pair *pair);
/* Smallest displacement of side A and largest of side B along the normal, m. */
void vo_rt_self_measure_sides(const vo_rt_vec4 *displacement, const vo_rt_self_pair *pair, float *a,
                              float *b);
static inline float vo_rt_self_clearance(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    return f_max(p->distance - set->gap, 0);
}

/* separate.c: corrections of the displacements `move`. True if there were any. */
bool vo_rt_self_separate(vo_rt_self_set *set, bool supported);
/* Finds which vertices are supported by bodies; before separations with support and restraint. */
void vo_rt_self_find_support(vo_rt_self_set *set);
/* Restrains the vertices of pairs that are still violated, more from round to round, from 0 on. */
void vo_rt_self_restrain(vo_rt_self_set *set, int round);
/* True if a pair comes too close. */
bool vo_rt_self_is_violated(const vo_rt_self_set *set, const vo_rt_self_pair *p);
bool vo_rt_self_is_separated(const vo_rt_self_set *set);

/* untangle.c */
/* Tests the edges that face a owns against face b; lists intersections and marks vertices. */
void vo_rt_self_intersect(vo_rt_self_set *set, int a, int b);
/* Finds the directions in which intersecting features move; after all intersections are listed. */
void vo_rt_self_direct_hits(vo_rt_self_set *set);
/* Moves intersecting features in these directions, in a substep of h seconds, the part from s0 to
 * s1 of the segment. */
void vo_rt_self_untangle(vo_rt_self_set *set, float h, float s0, float s1);

/* parts.c: divides the cloths along the listed intersection contours. */
void vo_rt_self_find_parts(vo_rt_self_set *set);
/* Direction of the edge of an intersection relative to the face by which the smaller part returns
 * to its cloth. False if the contour divides neither of both cloths. */
bool vo_rt_self_direct_part(const vo_rt_self_set *set, const vo_rt_self_hit *hit, vo_rt_vec3 *out);
/* Unit normal of a triangle at the query. */
vo_rt_vec3 vo_rt_self_normal(const vo_rt_self_set *set, const int32_t v[3]);

static inline bool vo_rt_self_is_obstacle(const vo_rt_self_set *set, int member) {
    return member >= set->member_count;
}

/* True if one of the sides of a pair is a body. */
static inline bool vo_rt_self_has_obstacle(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    return vo_rt_self_is_obstacle(set, p->member[0]) || vo_rt_self_is_obstacle(set, p->member[1]);
}

/* True if a pair is exempt: both of its features have a tangled vertex, or, beside a body, a
 * pressed one. */
static inline bool vo_rt_self_is_exempt(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    unsigned a = 0, b = 0;
    for (int k = 0; k < 4; k++) *(k < p->count_a ? &a : &b) |= set->flags[p->vertex[k]];
    if (vo_rt_self_has_obstacle(set, p)) return a & b & VO_RT_SELF_PRESSED;
    return a & b & VO_RT_SELF_TANGLED;
}

/* End of the faces of a cluster. */
static inline int vo_rt_self_cluster_end(const vo_rt_self_set *set, int cluster) {
    int end = (cluster + 1) * VO_RT_SELF_CLUSTER;
    bool is_cloth = cluster < set->cloth_cluster_count;
    return is_cloth && end > set->cloth_face_count ? set->cloth_face_count : end;
}

/* Position of a vertex of the set in the leaf lists of its member. */
static inline vo_rt_vec4 *vo_rt_self_position(const vo_rt_self_set *set, int member, int vertex) {
    const vo_rt_self_member *m = &set->member[member];
    return &m->mesh->front.position[vertex - m->first];
}

#endif

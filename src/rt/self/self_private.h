/* Parts shared by the files of self/. */
#ifndef VO_RT_SELF_SELF_PRIVATE_H
#define VO_RT_SELF_SELF_PRIVATE_H

#include "rt/self/self.h"

/* Part of half of a distance that a bound uses; the rest covers rounding. */
#define VO_RT_SELF_USE 0.45f
/* Query radius of a vertex: fraction of its shortest edge at rest, and limits, m, in motion and
 * without. Larger radii find more layers of a stack, smaller ones need more queries. */
#define VO_RT_SELF_RADIUS        0.2f
#define VO_RT_SELF_MAX_RADIUS    0.003f
#define VO_RT_SELF_STATIC_RADIUS 0.004f
/* Part of the radius by which the search exceeds it: adjustments of P up to this cost nothing. */
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

/* Kernels; unused lanes of a batch refer to vertex 0. Return a bit per lane: closer than its limit.
 */
typedef struct vo_rt_self_kernels {
    unsigned (*measure_faces)(const vo_rt_vec4 *x, vo_rt_self_batch *batch); /* vertex, face */
    unsigned (*measure_edges)(const vo_rt_vec4 *x, vo_rt_self_batch *batch); /* edge, edge */
    /* Faces in [begin, end), at most 8, whose boxes overlap that of `face` and which have none of
     * the vertices `calm`: bit k for face begin + k; bit 8 + k if they share a vertex. */
    unsigned (*find_faces)(const vo_rt_self_lanes *lanes, int face, const int32_t calm[3],
                           int begin, int end);
    /* Faces in [begin, begin + 8) whose boxes overlap a box, low and high; bit per lane. */
    unsigned (*find_overlaps)(const vo_rt_self_lanes *lanes, const vo_rt_vec4 *low,
                              const vo_rt_vec4 *high, int begin);
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
/* Keeps predictions outside the planes of contacts with bodies. */
void vo_rt_self_project_predictions(vo_rt_self_set *set);
/* Boxes of the paths of the anchors, for the present displacements. */
void vo_rt_self_refit(vo_rt_self_set *set);
/* star.c: triangles around the vertices. */
void vo_rt_self_measure_stars(vo_rt_self_set *set);
/* Recomputes `shear` of the stars after a change of the predicted displacements. */
void vo_rt_self_measure_shear(vo_rt_self_set *set);

/* hash.c: calls fn for each pair of boxes that overlap, once. `box` has low and high of each. */
typedef void vo_rt_self_pair_fn(void *user, int a, int b);
void vo_rt_self_for_pairs(vo_rt_self_hash *hash, const vo_rt_vec4 *box, int count,
                          vo_rt_self_pair_fn *fn, void *user);
/* Calls fn for each box of the last call that overlaps `query`, low and high, once. */
typedef void vo_rt_self_box_fn(void *user, int box);
void vo_rt_self_for_overlaps(const vo_rt_self_hash *hash, const vo_rt_vec4 *box,
                             const vo_rt_vec4 query[2], vo_rt_self_box_fn *fn, void *user);
/* Entries that a hash of `count` boxes may need. */
int vo_rt_self_hash_entries(int count);

/* features.c: finds all pairs of features; false if the memory for pairs is exhausted. */
bool vo_rt_self_find_pairs(vo_rt_self_set *set, const vo_rt_self_query *query);

/* predict.c: adjusts the displacements so that anchors keep a part of their distance. False if they
 * changed by more than the search allows for: it must be repeated. */
bool vo_rt_self_predict(vo_rt_self_set *set);
/* Restores the displacements before the last adjustment. */
void vo_rt_self_undo_adjustment(vo_rt_self_set *set);
/* Scales all displacements so that every pair and star keeps its distance. */
void vo_rt_self_limit_drift(vo_rt_self_set *set);
/* Bounds of all vertices: from radii, from stars, from one pair. */
void vo_rt_self_init_bounds(vo_rt_self_set *set);
/* After the adjustment of the displacements. */
void vo_rt_self_bound_by_drift(vo_rt_self_set *set);
void vo_rt_self_bound_by_stars(vo_rt_self_set *set);
void vo_rt_self_bound_by_pair(vo_rt_self_set *set, const vo_rt_self_pair *pair);
/* Approach of the anchors of a pair along its normal, m; negative: they separate. */
float vo_rt_self_approach(const vo_rt_self_set *set, const vo_rt_self_pair *pair);

/* untangle.c */
/* Tests the edges that face a owns against face b; lists intersections and marks vertices. */
void vo_rt_self_intersect(vo_rt_self_set *set, int a, int b);
/* Moves intersecting features in the direction that shortens the contour. */
void vo_rt_self_untangle(vo_rt_self_set *set, float h);

/* True if a pair is exempt: both of its features have a tangled vertex. */
static inline bool vo_rt_self_is_exempt(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    unsigned a = 0, b = 0;
    for (int k = 0; k < 4; k++)
        *(k < p->count_a ? &a : &b) |= set->flags[p->vertex[k]] & VO_RT_SELF_TANGLED;
    return a && b;
}

/* Position of a vertex of the set in the leaf lists of its member. */
static inline vo_rt_vec4 *vo_rt_self_position(const vo_rt_self_set *set, int member, int vertex) {
    const vo_rt_self_member *m = &set->member[member];
    return &m->mesh->front.position[vertex - m->first];
}

#endif

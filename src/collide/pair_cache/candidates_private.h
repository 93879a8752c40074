/* Implementation of candidates.h: the object, and the passes over active pairs. */
#ifndef VO_COLLIDE_PAIR_CACHE_CANDIDATES_PRIVATE_H
#define VO_COLLIDE_PAIR_CACHE_CANDIDATES_PRIVATE_H

#include "collide/candidates.h"
#include "collide/pair_cache/broad_phase.h"
#include "collide/pair_cache/pair_cache.h"

enum {
    VO_PAIR_CACHE_GRAIN = 1024,
    VO_MEASURE_BATCH = 64, /* pairs measured by one call of a kernel */
    VO_BATCHES_PER_PASS =
        8, /* batches of active entries processed before their results are merged */
};

struct vo_candidates {
    vo_context *ctx;
    const vo_surface *surface;
    double thickness;
    double swept_distance; /* m: pairs that come this close in a step are returned */
    vo_clusters clusters;
    vo_cluster_kinematics kinematics;
    vo_broad_phase broad_phase;
    vo_pair_cache cache;

    unsigned char *cluster_flags; /* [clusters] HAS_MARKED, HAS_MOVING (swept.c) */
    bool over_budget;             /* the last result is incomplete */
    int max_hits, max_swept;

    vo_proximity_hit *batch_hit; /* [VO_BATCHES_PER_PASS * VO_BATCH_PAIRS] results of each batch */
    vo_feature_key *batch_key;
    int batch_found[VO_BATCHES_PER_PASS];
    vo_proximity_hit *hit;
    int hit_count, hit_capacity;
    vo_proximity *proximity;
    int proximity_capacity;
    vo_feature_pair *swept;
    vo_feature_key *swept_key, *spare_key;
    int swept_count, swept_capacity, swept_key_capacity, spare_key_capacity;
    int32_t *order, *start;
    int order_capacity, start_count;
    vo_candidates_report report;
};

/* A pair whose cached distance bound has expired, so it must be measured in this query. */
typedef struct vo_active_pair {
    vo_feature_key key;
    int entry, slot; /* index in the pool of the cache */
} vo_active_pair;

struct vo_pair_pass;

/* Tests `count` active pairs. Writes results to batch_hit or batch_key from index `to` on; returns
 * their number. */
typedef int vo_pair_visit_fn(const struct vo_pair_pass *pass, int count,
                             const vo_active_pair *active, int to);
/* Appends the results of the first `batches` batches, up to the pair budget; returns false if out
 * of memory. */
typedef bool vo_pair_merge_fn(vo_candidates *c, int batches);

/* A pass over all active pairs of one kind, in groups of VO_BATCHES_PER_PASS batches. */
typedef struct vo_pair_pass {
    vo_candidates *c;
    vo_feature_kind kind;
    vo_pair_visit_fn *visit;
    vo_pair_merge_fn *merge;
    const unsigned char *moved; /* swept query: nodes to consider; NULL: all */
    int first_batch;
} vo_pair_pass;

/* Advances cached cluster poses and distance bounds to surface->x0. Must be called before the first
 * query of a step. */
void vo_candidates_sync(vo_candidates *c);
/* Updates the cluster motions of the step from x0 to x1. */
void vo_candidates_update_step(vo_candidates *c);
/* Updates the broad phase and merges its cluster pairs into the pair cache. */
vo_result vo_candidates_update_broad_phase(vo_candidates *c, bool swept, double distance);
/* Activates the entries of the pair cache and builds their lists; reduces the list margin if the
 * lists exceed their budget. *fits: the lists fit. */
vo_result vo_candidates_activate(vo_candidates *c, bool *fits);
/* Visits the active pairs of one kind; if the lists do not fit, in slices of entries. */
vo_result vo_candidates_visit_pairs(vo_pair_pass *pass, bool fits, vo_feature_kind kind);
/* Stores the updated expiries if the lists fit; discards them otherwise. */
void vo_candidates_commit(vo_candidates *c, bool fits);
/* Stores a measured distance bound as the expiry of the pair. */
void vo_candidates_set_expiry(vo_candidates *c, const vo_active_pair *p, double min_distance,
                              double thickness_offset);
/* Returns the thickness of an active pair (m) and its thickness offset (pair_cache.h). */
double vo_active_pair_thickness(const vo_candidates *c, const vo_active_pair *p, const int node[4],
                                double *thickness_offset);
/* Returns the number of results in the first `batches` batches. */
int vo_candidates_count_found(const vo_candidates *c, int batches);

#endif

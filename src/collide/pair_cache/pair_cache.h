/* Pair cache: cluster pairs found by the broad phase, with cached distance bounds of their feature
 * pairs (temporal coherence).
 *
 * Each entry has a motion sum: the sum of the approach bounds of its two clusters (cluster.h) since
 * the entry was reset. A distance shrinks by at most the increase of the motion sum since it was
 * measured. So a distance measured once stays a valid lower bound when stored as the motion sum at
 * which it expires:
 *
 *       motion_sum                  expiry of this pair
 *     ----|---------------------------|------------------->
 *         |<-- lower bound of now --->|
 *
 * A pair is culled while expiry > motion_sum + query_distance: it can neither be within the contact
 * thickness (query distance of the proximity query) nor collide in this step (query distance: the
 * approach bound of the step). Most entries are culled as a whole: next_expiry is the smallest
 * expiry of the listed pairs, unlisted_expiry a lower bound of the expiries of all other pairs. A
 * query reads these two values per entry, and single pairs only of entries that are active.
 *
 * Within a cloth, small faces have a smaller contact thickness than large ones (max_self_thickness
 * in surface.h). A pair that is thinner than its entry by a thickness offset may come closer by
 * that offset before it is within its thickness; the offset is added to its expiry. A query for
 * plain distances, in a step, adds the largest offset of the entry to the query distance.
 *
 * The list of an entry is built when its motion sum comes too close to unlisted_expiry, and
 * contains the pairs whose boxes are closer than the query distance plus a margin (a Verlet list).
 * The margin follows the recent motion of the entry, so that a list lasts for several steps. Lists
 * are rebuilt one by one, never all at once.
 *
 * The broad phase (broad_phase.h) determines the entries. A new entry has no list; the distance of
 * the boxes of its clusters is its unlisted_expiry.
 *
 * All lists together have a budget. If it is exceeded, lists are rebuilt with a smaller margin,
 * which is kept from then on. If that is not enough, lists are not cached at all: entries are
 * activated in slices and discarded again (candidates.c). This costs time, but no memory, and gives
 * the same results.
 *
 * Rejected: one list of face pairs with one margin, rebuilt when any node has moved by the margin.
 * A single flapping corner triggers a rebuild of the whole list, and within a sheet the list is
 * long (each face has a dozen neighbours within a thickness) although nothing collides there. */
#ifndef VO_COLLIDE_PAIR_CACHE_PAIR_CACHE_H
#define VO_COLLIDE_PAIR_CACHE_PAIR_CACHE_H

#include "collide/pair_cache/cluster.h"
#include "collide/pair_cache/distance_kernel.h"
#include "collide/pair_cache/pair.h"
#include "spatial/bvh.h"

/* Cached pairs per node and edge. Folded cloth has about 30. */
enum { VO_MAX_CACHED_PAIRS = 256 };

/* Listed pairs of active entries that a thread processes as one batch. No entry has more. */
enum { VO_BATCH_PAIRS = 4096 };

typedef struct vo_pair_cache_entry {
    int32_t a, b;            /* clusters, a <= b */
    int32_t begin;           /* first pair in the pool */
    int32_t count;           /* pairs in the list */
    int32_t node_face_count; /* the first pairs of the list are node-face pairs */
    float thickness;         /* m, largest of its pairs */
    float thickness_offset;  /* m, largest of its pairs; 0: all have the thickness of the scene */
    float next_expiry, unlisted_expiry; /* m, see above */
    float recent_motion;                /* m per step, decaying maximum of the approach bound */
    double motion_sum;                  /* m, see above */
} vo_pair_cache_entry;

/* Pairs of all lists; those of an entry are contiguous. */
typedef struct vo_pair_pool {
    vo_local_pair *pair;
    float *expiry;
    int pair_capacity, expiry_capacity;
} vo_pair_pool;

typedef struct vo_pair_cache {
    vo_context *ctx;
    const vo_surface *surface;
    const vo_clusters *clusters;
    double thickness;           /* m */
    double margin;              /* largest list margin, in units of the thickness of the entry */
    int max_pairs;              /* budget of all lists together */
    bool over_budget;           /* the budget was exceeded: all lists are discarded */
    vo_pair_cache_entry *entry; /* sorted by a, then b */
    int count, capacity;
    vo_pair_cache_entry *spare; /* scratch of the merge */
    int spare_capacity;
    vo_pair_pool pool, spare_pool;
    int used, live; /* pairs in the pool, and those that belong to an entry */

    /* The current query. */
    float *query_distance; /* [count] m; negative: skip the entry */
    int query_distance_capacity;
    bool add_thickness_offset; /* the query is for plain distances: add thickness_offset */
    int32_t *active;           /* active entries */
    int active_count, active_capacity;
    int32_t *stale; /* entries whose list must be rebuilt */
    int stale_count, stale_capacity;
    int32_t *batch_begin; /* [batch_count + 1] into `active`: at most VO_BATCH_PAIRS pairs each */
    int batch_count, batch_capacity;

    /* List building. */
    const vo_candidates_kernels *kernels;
    vo_box8 *feature_box; /* boxes at x0 of the features of all clusters, from box_begin[c] on */
    int *box_begin;
    int32_t *box_cluster; /* [box_cluster_count] clusters whose boxes are required, with a flag per
                             cluster */
    unsigned char *box_queued;
    int box_cluster_count;
    vo_pair_pool scratch; /* lists before they are copied to the pool */
    int *scratch_begin;   /* [LIST_BATCH] start of each list in `scratch` */
} vo_pair_cache;

vo_result vo_pair_cache_create(vo_context *ctx, const vo_surface *surface,
                               const vo_clusters *clusters, double thickness, vo_pair_cache *out);
void vo_pair_cache_free(vo_pair_cache *cache);

/* Replaces the entries by the given cluster pairs (a <= b, sorted, unique). Entries that existed
 * keep their state; new ones start with the distance of their boxes at x0 and the recent motion
 * from `motion`. */
vo_result vo_pair_cache_merge(vo_pair_cache *cache, int count, const vo_pair *pairs,
                              const vo_box *box, const vo_cluster_motion *motion);

/* Adds the approach bounds of a cluster motion to all motion sums. */
void vo_pair_cache_advance(vo_pair_cache *cache, const vo_cluster_motion *motion);

/* Reserves the query arrays; the caller fills query_distance[count]. */
vo_result vo_pair_cache_reserve_query(vo_pair_cache *cache);

/* Finds the active entries from `begin` to `end`: those with a pair whose distance at x0 may be
 * below its query distance. Rebuilds outdated lists; `box` are the boxes of the clusters at x0.
 * Sets `over_budget` if the lists become too long; then no entry is active. */
vo_result vo_pair_cache_activate(vo_pair_cache *cache, const vo_box *box, int begin, int end);

/* Discards all lists and distance bounds. */
void vo_pair_cache_invalidate(vo_pair_cache *cache);

/* Returns the end of the slice of entries that starts at `begin`, whose lists have a bounded
 * length. */
int vo_pair_cache_slice_end(const vo_pair_cache *cache, int begin);

/* Returns the motion sum at or below which pairs of entry i are active. */
static inline float vo_pair_cache_threshold(const vo_pair_cache *r, int i) {
    const vo_pair_cache_entry *e = &r->entry[i];
    double offset = r->add_thickness_offset ? (double)e->thickness_offset : 0;
    return vo_float_above(e->motion_sum + (double)r->query_distance[i] + offset);
}

/* Updates next_expiry of the entries of a batch from the expiries of their pairs. */
void vo_pair_cache_commit(vo_pair_cache *cache, int batch);

/* Pair lists (list.c): memory, and building the lists of all stale entries, up to the budget. */
vo_result vo_pair_cache_create_lists(vo_pair_cache *cache);
void vo_pair_cache_free_lists(vo_pair_cache *cache);
vo_result vo_pair_cache_build_lists(vo_pair_cache *cache, const vo_box *box);
/* Returns the number of feature pairs of an entry, which bounds the length of its list. */
int vo_pair_cache_entry_max_pairs(const vo_pair_cache *cache, const vo_pair_cache_entry *entry);

/* Returns the squared distance of two boxes. */
static inline double vo_box_gap2(const vo_box *a, const vo_box *b) {
    double x = vo_max(vo_max(a->min.x - b->max.x, b->min.x - a->max.x), 0);
    double y = vo_max(vo_max(a->min.y - b->max.y, b->min.y - a->max.y), 0);
    double z = vo_max(vo_max(a->min.z - b->max.z, b->min.z - a->max.z), 0);
    return x * x + y * y + z * z;
}

/* Returns the smallest of n expiries; infinity if n is 0. */
static inline float vo_min_expiry(const float *expiry, int n) {
    float min = INFINITY;
    for (int i = 0; i < n; i++) min = expiry[i] < min ? expiry[i] : min;
    return min;
}

/* Returns a float not above the distance whose square is given. */
static inline float vo_distance_below(double squared) {
    return vo_float_below(sqrt(squared) * (1 - 0x1p-40));
}

#endif

/* Runs: two clusters that are not far from each other, and what is known about the distances of
 * their features.
 *
 * Each run has a way: the sum of the travels of its clusters (candidates_cluster.h) since it began.
 * No distance of two features has shrunk by more than the way went on since it was measured. So a
 * distance measured once is a lower bound for all time, if it is stored as the point of the way
 * where it could be used up:
 *
 *        way                     low of this pair
 *     ----|---------------------------|------------------->
 *         |<-- least distance now --->|
 *
 * A pair whose low is further than `need` beyond the way is asleep: it is neither near (need: the
 * thickness), nor can it meet in this step (need: the step's travel). Most runs are asleep as a
 * whole: `wake` is the lowest low of the pairs in the list, `rest` the low of all pairs that are
 * not in it. A substep looks at two numbers for each of them, and at single pairs only where
 * something comes close.
 *
 * Within a cloth, small faces repel from less far than large ones do (surface.h, reach). A pair
 * that is thinner than its run by some `lead` may come that much closer before it is near; so its
 * low is put further along the way by the lead, and it sleeps on among the others. Where distances
 * count as they are, in a step, the largest lead of the run is added to the need.
 *
 * The list of a run is made when its way comes too near to `rest`, and holds the pairs whose boxes
 * are closer than the need and some slack; the slack follows the pace of the run, so that it lasts
 * for several steps. Nothing is ever made anew for all runs at once.
 *
 * Which pairs of clusters are runs is decided by trees (candidates_walk.h). A new run has no list:
 * the distance of the clusters' boxes is its `rest`.
 *
 * Lists have a bound for all of them together. Where it is reached, they are made again with less
 * slack, and from then on with that. If even that is too much, they are not kept at all: runs are
 * woken slice by slice, and forgotten again (candidates.c). That takes time, but no memory, and the
 * answers are the same.
 *
 * What was rejected: one list of pairs of faces with one slack, made anew when any node has used it
 * up. A single flapping corner lets all of it be made again, and within a sheet it is long (every
 * face has a dozen neighbours within a thickness) although nothing there ever meets. */
#ifndef VO_COLLIDE_CANDIDATES_RUN_H
#define VO_COLLIDE_CANDIDATES_RUN_H

#include "collide/candidates_cluster.h"
#include "collide/candidates_kernel.h"
#include "collide/candidates_pair.h"
#include "spatial/bvh.h"

/* Pairs in lists for each node and edge. Folded cloth has about 30. */
enum { VO_LIST_PAIRS = 256 };

/* Pairs in the lists of active runs that one thread looks through at a time. No run has more. */
enum { VO_SHARE_PAIRS = 4096 };

typedef struct vo_run {
    int32_t a, b;       /* clusters, a <= b */
    int32_t begin;      /* of its pairs in the pool */
    int32_t count;      /* of them */
    int32_t node_faces; /* so many of them, the first ones, are nodes with faces */
    float thickness;    /* the largest of its pairs' */
    float lead;         /* no pair has more; 0: all have the thickness of the scene */
    float wake, rest;   /* see above */
    float pace;         /* m a step, travelled lately */
    double way;         /* m */
} vo_run;

/* Pairs of all lists; those of a run lie together. */
typedef struct vo_pair_pool {
    vo_local_pair *pair;
    float *low;
    int pair_capacity, low_capacity;
} vo_pair_pool;

typedef struct vo_runs {
    vo_context *ctx;
    const vo_surface *surface;
    const vo_clusters *clusters;
    double thickness; /* m */
    double slack;     /* the most that lists get, in units of their run's thickness */
    int most;         /* pairs in all lists together */
    bool crowded;     /* there were more: all lists are forgotten */
    vo_run *run;      /* sorted by a, then b */
    int count, capacity;
    vo_run *spare; /* for the next merge */
    int spare_capacity;
    vo_pair_pool pool, spare_pool;
    int used, live; /* pairs in the pool, and those of them that belong to a run still */

    /* Of the present question. */
    float *need; /* [count] m; negative: not concerned */
    int need_capacity;
    bool leads;      /* needs are of distances as they are: leads are added */
    int32_t *active; /* runs that are awake */
    int active_count, active_capacity;
    int32_t *stale; /* runs whose list must be made */
    int stale_count, stale_capacity;
    int32_t *cut; /* [cut_count + 1] active runs, cut into shares of VO_SHARE_PAIRS at most */
    int cut_count, cut_capacity;

    /* For making lists. */
    const vo_candidates_kernels *kernels;
    vo_box8 *feature_box; /* of all clusters' features at x0; `box_begin` of each cluster */
    int *box_begin;
    int32_t *wanted; /* [wanted_count] clusters whose boxes are needed, and a mark for each */
    unsigned char *is_wanted;
    int wanted_count;
    vo_pair_pool scratch; /* lists before they are put into the pool */
    int *place;           /* [LIST_BATCH] of each list in it */
} vo_runs;

vo_result vo_runs_create(vo_context *ctx, const vo_surface *surface, const vo_clusters *clusters,
                         double thickness, vo_runs *runs);
void vo_runs_free(vo_runs *runs);

/* Takes the pairs of clusters (a <= b, sorted, each once) as runs: those that were runs before keep
 * what they know, the others begin at the distance of their boxes at x0, at the pace of `motion`.
 */
vo_result vo_runs_merge(vo_runs *runs, int count, const vo_pair *pairs, const vo_box *box,
                        const vo_cluster_motion *motion);

/* All clusters have moved: ways go on. */
void vo_runs_advance(vo_runs *runs, const vo_cluster_motion *motion);

/* Room for need[count]; the caller fills it in. */
vo_result vo_runs_reserve_need(vo_runs *runs);

/* Finds the runs from `begin` to `end` of which a pair's distance at x0 may be below the need: the
 * active ones. Makes lists where that takes one; `box` has the clusters' at x0. Sets `crowded` if
 * lists became too long; then no run is active. */
vo_result vo_runs_wake(vo_runs *runs, const vo_box *box, int begin, int end);

/* All lists are given up, and nothing is known of any distance. */
void vo_runs_forget(vo_runs *runs);

/* Where a slice of runs that begins here ends: what it wakes has some bounded length. */
int vo_runs_slice_end(const vo_runs *runs, int begin);

/* The point of the way of a run at which pairs wake up. */
static inline float vo_run_alarm(const vo_runs *r, int i) {
    const vo_run *run = &r->run[i];
    double lead = r->leads ? (double)run->lead : 0;
    return vo_float_above(run->way + (double)r->need[i] + lead);
}

/* Brings `wake` of a share of the active runs up to date, after their pairs' lows were. */
void vo_runs_settle(vo_runs *runs, int share);

/* Lists (candidates_list.c): their memory, and making those of all stale runs, unless they become
 * `crowded`. */
vo_result vo_runs_create_lists(vo_runs *runs);
void vo_runs_free_lists(vo_runs *runs);
vo_result vo_runs_make_lists(vo_runs *runs, const vo_box *box);
/* Pairs of a run, near or far. */
int vo_run_all_pairs(const vo_runs *runs, const vo_run *run);

/* Square of the distance of two boxes. */
static inline double vo_box_gap2(const vo_box *a, const vo_box *b) {
    double x = vo_max(vo_max(a->min.x - b->max.x, b->min.x - a->max.x), 0);
    double y = vo_max(vo_max(a->min.y - b->max.y, b->min.y - a->max.y), 0);
    double z = vo_max(vo_max(a->min.z - b->max.z, b->min.z - a->max.z), 0);
    return x * x + y * y + z * z;
}

/* The lowest of n lows. */
static inline float vo_lowest(const float *low, int n) {
    float least = INFINITY;
    for (int i = 0; i < n; i++) least = low[i] < least ? low[i] : least;
    return least;
}

/* A float below the distance whose square was computed. */
static inline float vo_low_distance(double squared) {
    return vo_float_below(sqrt(squared) * (1 - 0x1p-40));
}

#endif

/* What the files of candidates.h share: the object, and how awake pairs are looked at. */
#ifndef VO_COLLIDE_CANDIDATES_PRIVATE_H
#define VO_COLLIDE_CANDIDATES_PRIVATE_H

#include "collide/candidates.h"
#include "collide/candidates_run.h"
#include "collide/candidates_walk.h"

enum {
    VO_RUN_GRAIN = 1024,
    VO_HANDFUL = 64,    /* pairs that are measured together */
    VO_LOOK_SHARES = 8, /* shares of active runs before results are put together */
};

struct vo_candidates {
    vo_context *ctx;
    const vo_surface *surface;
    double thickness;
    double keep; /* m, see vo_candidates_swept */
    vo_clusters clusters;
    vo_places places;
    vo_walks walks;
    vo_runs runs;

    unsigned char *marked; /* [clusters] have a node that is marked as moved, and one that moves */
    bool crowded;          /* the last answer is not complete */
    int most_hits, most_swept;

    vo_near_hit *share_hit; /* [VO_LOOK_SHARES * VO_SHARE_PAIRS], and how many of each share */
    vo_feature_key *share_key;
    int share_count[VO_LOOK_SHARES];
    vo_near_hit *hit;
    int hit_count, hit_capacity;
    vo_near *near;
    int near_capacity;
    vo_feature_pair *swept;
    vo_feature_key *swept_key, *spare_key;
    int swept_count, swept_capacity, swept_key_capacity, spare_key_capacity;
    int32_t *order, *start;
    int order_capacity, start_count;
    vo_candidates_report report;
};

/* A pair that is awake. */
typedef struct vo_awake {
    vo_feature_key key;
    int run, place; /* in the pool */
} vo_awake;

struct vo_look_block;

/* Looks at a handful of awake pairs. What is found goes to share_hit or share_key, from `to` on;
 * returns how many there are. */
typedef int vo_look_fn(const struct vo_look_block *b, int count, const vo_awake *awake, int to);
/* Adds what so many shares have found, as far as there may be so many; false without memory. */
typedef bool vo_take_fn(vo_candidates *c, int shares);

/* A block of shares of which all pairs of one kind that are awake are looked at. */
typedef struct vo_look_block {
    vo_candidates *c;
    vo_feature_kind kind;
    vo_look_fn *look;
    vo_take_fn *take;
    const unsigned char *moved; /* swept: NULL or the marks */
    int first;
} vo_look_block;

/* Brings what is known to x0. */
void vo_candidates_arrive(vo_candidates *c);
/* Looks at the step from x0 to x1. */
void vo_candidates_step(vo_candidates *c);
/* Sees to it that all clusters that matter are runs. */
vo_result vo_candidates_cover(vo_candidates *c, bool swept, double distance);
/* Wakes all runs, with less slack where lists become too long. *fits: that was enough. */
vo_result vo_candidates_wake(vo_candidates *c, bool *fits);
/* Looks at the awake pairs of one kind. If they do not fit, slice by slice. */
vo_result vo_candidates_look(vo_look_block *b, bool fits, vo_feature_kind kind);
/* What was found is known from now on, if it can be kept. */
void vo_candidates_settle(vo_candidates *c, bool fits);
/* What a pair was measured to have becomes its low. */
void vo_candidates_note(vo_candidates *c, const vo_awake *p, double least, double lead);
/* The thickness of an awake pair, and its lead. */
double vo_awake_thickness(const vo_candidates *c, const vo_awake *p, const int node[4],
                          double *lead);
/* How many so many shares have found. */
int vo_candidates_found(const vo_candidates *c, int shares);

#endif

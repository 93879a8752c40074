/* Which pairs may meet during a step: vo_candidates_swept. */
#include "collide/candidates_private.h"
#include "core/memory.h"
#include "core/parallel.h"

#include <string.h>

static bool is_marked(const vo_feature_pair *p, const unsigned char *moved) {
    return !moved || moved[p->node[0]] | moved[p->node[1]] | moved[p->node[2]] | moved[p->node[3]];
}

static bool node_moves(const vo_surface *s, int n) {
    return memcmp(&s->x0[n], &s->x1[n], sizeof s->x0[n]) != 0;
}

static bool pair_moves(const vo_surface *s, const vo_feature_pair *p) {
    return node_moves(s, p->node[0]) || node_moves(s, p->node[1]) || node_moves(s, p->node[2]) ||
           node_moves(s, p->node[3]);
}

/* Tests pairs and collects those that are not cleared. What is known of a pair saves measuring it,
 * but only what was measured decides: so the answer depends on the state alone, however old the
 * lists are. */
static int look_swept(const vo_look_block *b, int count, const vo_awake *awake, int to) {
    vo_candidates *c = b->c;
    vo_feature_key *key = c->share_key + to;
    for (int i = 0; i < count; i++) {
        const vo_awake *p = &awake[i];
        const vo_run *run = &c->runs.run[p->run];
        vo_feature_pair pair = {.kind = b->kind};
        vo_pair_nodes(c->surface, b->kind, p->key, pair.node);
        if (!is_marked(&pair, b->moved)) continue;
        double lead, least;
        vo_awake_thickness(c, p, pair.node, &lead);
        double known = (double)c->runs.pool.low[p->place] - run->way - lead;
        double reach = vo_min(vo_pair_travel(c->surface, &pair) + c->keep, c->runs.need[p->run]);
        if (reach < known) continue;
        bool clear = vo_pair_is_clear(c->surface, &pair, c->keep, &least);
        vo_candidates_note(c, p, least, lead);
        *key = p->key;
        key += !clear && least <= reach && pair_moves(c->surface, &pair);
    }
    return (int)(key - (c->share_key + to));
}

static bool take_keys(vo_candidates *c, int shares) {
    int need = c->swept_count + vo_candidates_found(c, shares);
    if (!vo_reserve(c->ctx, &c->swept_key, &c->swept_key_capacity, need)) return false;
    for (int i = 0; i < shares; i++) {
        size_t keys = (size_t)c->share_count[i];
        if (keys)
            memcpy(c->swept_key + c->swept_count, c->share_key + (size_t)i * VO_SHARE_PAIRS,
                   keys * sizeof *c->swept_key);
        c->swept_count += c->share_count[i];
    }
    c->crowded = c->swept_count > c->most_swept;
    if (c->crowded) c->swept_count = c->most_swept;
    return true;
}

/* Sorts the keys from `first` on and writes their pairs. */
static bool place_swept(vo_candidates *c, int first, vo_feature_kind kind) {
    int n = c->swept_count - first;
    if (!vo_reserve(c->ctx, &c->spare_key, &c->spare_key_capacity, n) ||
        !vo_reserve(c->ctx, &c->swept, &c->swept_capacity, c->swept_count))
        return false;
    vo_sort_keys(n, c->swept_key + first, c->spare_key);
    for (int i = first; i < c->swept_count; i++) {
        c->swept[i].kind = kind;
        vo_pair_nodes(c->surface, kind, c->swept_key[i], c->swept[i].node);
    }
    return true;
}

enum { HAS_MARKED = 1, HAS_MOVING = 2 };

/* Marks the clusters that have a marked node (without marks, all), and those that have a node which
 * moves. */
static void mark_clusters(vo_candidates *c, const unsigned char *moved) {
    const vo_lists *of = &c->clusters.of_node;
    memset(c->marked, moved ? 0 : HAS_MARKED, (size_t)c->clusters.count);
    for (int n = 0; n < c->surface->node_count; n++) {
        int bits =
            (moved && moved[n] ? HAS_MARKED : 0) | (node_moves(c->surface, n) ? HAS_MOVING : 0);
        for (int i = of->begin[n]; bits && i < of->begin[n + 1]; i++)
            c->marked[of->item[i]] |= (unsigned char)bits;
    }
}

/* What is asked of a run in this step. */
static float find_need(const vo_candidates *c, const vo_run *run, vo_reach_memo *memo) {
    const vo_cluster_motion *a = &c->places.motion[run->a], *b = &c->places.motion[run->b];
    double reach = vo_walks_reach(&c->walks, run->a, run->b, c->keep, memo);
    if (reach < 0) return -1;
    float need = vo_float_above(vo_cluster_travel(a, b) + c->keep);
    return reach < need ? vo_float_below(reach) : need;
}

static void find_needs(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    vo_candidates *c = arg;
    vo_reach_memo memo = {-1, -1, 0};
    for (int i = begin; i < end; i++) {
        const vo_run *run = &c->runs.run[i];
        bool concerned = (c->marked[run->a] | c->marked[run->b]) == (HAS_MARKED | HAS_MOVING);
        c->runs.need[i] = concerned ? find_need(c, run, &memo) : -1;
    }
}

static vo_result answer_swept(vo_candidates *c, const unsigned char *moved) {
    bool fits;
    c->swept_count = 0;
    vo_candidates_arrive(c);
    vo_candidates_step(c);
    VO_TRY(vo_candidates_cover(c, true, c->keep));
    VO_TRY(vo_runs_reserve_need(&c->runs));
    mark_clusters(c, moved);
    vo_parallel_for(c->ctx, c->runs.count, VO_RUN_GRAIN, find_needs, c);
    c->runs.leads = true;
    VO_TRY(vo_candidates_wake(c, &fits));
    vo_look_block b = {.c = c, .look = look_swept, .take = take_keys, .moved = moved};
    for (int kind = VO_NODE_FACE; kind <= VO_EDGE_EDGE; kind++) {
        int first = c->swept_count;
        VO_TRY(vo_candidates_look(&b, fits, (vo_feature_kind)kind));
        if (!place_swept(c, first, (vo_feature_kind)kind))
            return vo_fail_memory(c->ctx, "candidates");
    }
    vo_candidates_settle(c, fits);
    return VO_OK;
}

vo_result vo_candidates_swept(vo_candidates *c, const unsigned char *moved, int *count,
                              const vo_feature_pair **pairs) {
    *count = 0;
    *pairs = NULL;
    vo_result result = answer_swept(c, moved);
    if (result != VO_OK) {
        vo_candidates_forget(c);
        return result;
    }
    *count = c->swept_count;
    *pairs = c->swept;
    return VO_OK;
}

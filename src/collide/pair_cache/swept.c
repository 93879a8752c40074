/* Swept query: pairs that may collide in a step (vo_candidates_find_swept_pairs). */
#include "collide/pair_cache/candidates_private.h"
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

/* Tests pairs and collects those that cannot be excluded. A cached bound only saves the
 * measurement: a pair is returned because of its measured distance, so the result depends on the
 * state alone, whatever the age of the lists. */
static int visit_swept(const vo_pair_pass *b, int count, const vo_active_pair *active, int to) {
    vo_candidates *c = b->c;
    vo_feature_key *key = c->batch_key + to;
    for (int i = 0; i < count; i++) {
        const vo_active_pair *p = &active[i];
        const vo_pair_cache_entry *e = &c->cache.entry[p->entry];
        vo_feature_pair pair = {.kind = b->kind};
        vo_pair_nodes(c->surface, b->kind, p->key, pair.node);
        if (!is_marked(&pair, b->moved)) continue;
        double thickness_offset, start_distance;
        vo_active_pair_thickness(c, p, pair.node, &thickness_offset);
        double known = (double)c->cache.pool.expiry[p->slot] - e->motion_sum - thickness_offset;
        double limit = vo_min(vo_pair_approach_bound(c->surface, &pair) + c->swept_distance,
                              c->cache.query_distance[p->entry]);
        if (limit < known) continue;
        bool clear = vo_pair_is_separated(c->surface, &pair, c->swept_distance, &start_distance);
        vo_candidates_set_expiry(c, p, start_distance, thickness_offset);
        *key = p->key;
        key += !clear && start_distance <= limit && pair_moves(c->surface, &pair);
    }
    return (int)(key - (c->batch_key + to));
}

static bool merge_keys(vo_candidates *c, int batches) {
    int need = c->swept_count + vo_candidates_count_found(c, batches);
    if (!vo_reserve(c->ctx, &c->swept_key, &c->swept_key_capacity, need)) return false;
    for (int i = 0; i < batches; i++) {
        size_t keys = (size_t)c->batch_found[i];
        if (keys)
            memcpy(c->swept_key + c->swept_count, c->batch_key + (size_t)i * VO_BATCH_PAIRS,
                   keys * sizeof *c->swept_key);
        c->swept_count += c->batch_found[i];
    }
    c->over_budget = c->swept_count > c->max_swept;
    if (c->over_budget) c->swept_count = c->max_swept;
    return true;
}

/* Sorts the keys from `first` on and writes their pairs. Returns false if out of memory. */
static bool sort_swept(vo_candidates *c, int first, vo_feature_kind kind) {
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

/* Flags the clusters with a marked node (all if `moved` is NULL) and those with a moving node. */
static void mark_clusters(vo_candidates *c, const unsigned char *moved) {
    const vo_csr *of = &c->clusters.node_clusters;
    memset(c->cluster_flags, moved ? 0 : HAS_MARKED, (size_t)c->clusters.count);
    for (int n = 0; n < c->surface->node_count; n++) {
        int bits =
            (moved && moved[n] ? HAS_MARKED : 0) | (node_moves(c->surface, n) ? HAS_MOVING : 0);
        for (int i = of->begin[n]; bits && i < of->begin[n + 1]; i++)
            c->cluster_flags[of->item[i]] |= (unsigned char)bits;
    }
}

/* Returns the query distance of an entry in this step; negative: it is skipped. */
static float entry_query_distance(const vo_candidates *c, const vo_pair_cache_entry *e,
                                  vo_query_distance_cache *cache) {
    const vo_cluster_motion *a = &c->kinematics.motion[e->a], *b = &c->kinematics.motion[e->b];
    double limit =
        vo_broad_phase_query_distance(&c->broad_phase, e->a, e->b, c->swept_distance, cache);
    if (limit < 0) return -1;
    float approach = vo_float_above(vo_cluster_approach_bound(a, b) + c->swept_distance);
    return limit < approach ? vo_float_below(limit) : approach;
}

static void set_query_distances(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    vo_candidates *c = arg;
    vo_query_distance_cache cache = {-1, -1, 0};
    for (int i = begin; i < end; i++) {
        const vo_pair_cache_entry *e = &c->cache.entry[i];
        bool is_queried =
            (c->cluster_flags[e->a] | c->cluster_flags[e->b]) == (HAS_MARKED | HAS_MOVING);
        c->cache.query_distance[i] = is_queried ? entry_query_distance(c, e, &cache) : -1;
    }
}

static vo_result find_swept(vo_candidates *c, const unsigned char *moved) {
    bool fits;
    c->swept_count = 0;
    vo_candidates_sync(c);
    vo_candidates_update_step(c);
    VO_TRY(vo_candidates_update_broad_phase(c, true, c->swept_distance));
    VO_TRY(vo_pair_cache_reserve_query(&c->cache));
    mark_clusters(c, moved);
    vo_parallel_for(c->ctx, c->cache.count, VO_PAIR_CACHE_GRAIN, set_query_distances, c);
    c->cache.add_thickness_offset = true;
    VO_TRY(vo_candidates_activate(c, &fits));
    vo_pair_pass b = {.c = c, .visit = visit_swept, .merge = merge_keys, .moved = moved};
    for (int kind = VO_NODE_FACE; kind <= VO_EDGE_EDGE; kind++) {
        int first = c->swept_count;
        VO_TRY(vo_candidates_visit_pairs(&b, fits, (vo_feature_kind)kind));
        if (!sort_swept(c, first, (vo_feature_kind)kind))
            return vo_fail_memory(c->ctx, "candidates");
    }
    vo_candidates_commit(c, fits);
    return VO_OK;
}

vo_result vo_candidates_find_swept_pairs(vo_candidates *c, const unsigned char *moved, int *count,
                                         const vo_feature_pair **pairs) {
    *count = 0;
    *pairs = NULL;
    vo_result result = find_swept(c, moved);
    if (result != VO_OK) {
        vo_candidates_invalidate(c);
        return result;
    }
    *count = c->swept_count;
    *pairs = c->swept;
    return VO_OK;
}

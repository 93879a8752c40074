#include "collide/pair_cache/broad_phase.h"

#include "collide/arrays.h"
#include "collide/dense_region.h"
#include "core/memory.h"

#include <string.h>

/* ---- memory --------------------------------------------------------------------------------- */

/* Returns half the mean extent of a cluster; the margin is proportional to it. */
static double mean_extent(const vo_clusters *k) {
    double sum = 0;
    for (int c = 0; c < k->cloth_count; c++) {
        vo_vec3 d = v3_sub(k->rest_box[c].max, k->rest_box[c].min);
        sum += vo_max(d.x, d.y);
    }
    return k->cloth_count ? sum / k->cloth_count / 2 : 0;
}

/* Builds the topology of the world-space trees and of the tree for rigid frames. */
static vo_result build_trees(vo_broad_phase *w) {
    const vo_clusters *k = w->kinematics->clusters;
    VO_TRY(vo_bvh_build(w->ctx, &w->cloth_tree, k->rest_box, k->cloth_count));
    VO_TRY(vo_bvh_copy(w->ctx, &w->cloth_tree, &w->posed_tree));
    if (w->obstacle_tree.box_count) return VO_OK;
    return vo_bvh_build(w->ctx, &w->obstacle_tree, k->rest_box + k->cloth_count,
                        k->count - k->cloth_count);
}

/* Moves the obstacle trees out of the cache. */
static void take_cached_trees(vo_broad_phase *w, vo_obstacle_cache *cache) {
    w->obstacle_tree = cache->world_tree;
    cache->world_tree = (vo_bvh){0};
    int first_part = w->kinematics->surface->part_count - cache->part_count;
    for (int p = 0; p < cache->part_count; p++) {
        w->rigid[first_part + p].tree = cache->rigid_tree[p].tree;
        w->rigid[first_part + p].rest = cache->rigid_tree[p].rest;
        cache->rigid_tree[p] = (vo_obstacle_cache_tree){0};
    }
}

vo_result vo_broad_phase_create(vo_context *ctx, const vo_cluster_kinematics *kinematics,
                                vo_obstacle_cache *cache, vo_broad_phase *w) {
    *w = (vo_broad_phase){
        .ctx = ctx, .kinematics = kinematics, .margin = mean_extent(kinematics->clusters) / 2};
    int n = kinematics->clusters->count, parts = kinematics->surface->part_count;
    w->tree_pairs.max_pairs = vo_pair_budget(VO_MAX_CLUSTER_PAIRS, n);
    bool ok = VO_PADDED_NEW(ctx, w->role, parts) && VO_PADDED_NEW(ctx, w->fat_box, n) &&
              VO_PADDED_NEW(ctx, w->rigid, parts) && VO_PADDED_NEW(ctx, w->start, n);
    if (ok && vo_obstacle_cache_matches(cache, kinematics->surface)) take_cached_trees(w, cache);
    return ok ? build_trees(w) : vo_fail_memory(ctx, "candidates");
}

static void free_pairs(vo_context *ctx, vo_cluster_pairs *p) {
    vo_free_array(ctx, p->pair, p->capacity);
}

void vo_broad_phase_free(vo_broad_phase *w) {
    vo_context *ctx = w->ctx;
    if (!ctx) return;
    int n = w->kinematics->clusters->count, parts = w->kinematics->surface->part_count;
    for (int p = 0; w->rigid && p < parts; p++) {
        vo_bvh_free(ctx, &w->rigid[p].tree);
        VO_PADDED_FREE(ctx, w->rigid[p].fat_box, w->kinematics->clusters->cloth_count);
        free_pairs(ctx, &w->rigid[p].pairs);
    }
    VO_PADDED_FREE(ctx, w->role, parts);
    VO_PADDED_FREE(ctx, w->fat_box, n);
    VO_PADDED_FREE(ctx, w->rigid, parts);
    VO_PADDED_FREE(ctx, w->start, n);
    vo_bvh_free(ctx, &w->cloth_tree);
    vo_bvh_free(ctx, &w->posed_tree);
    vo_bvh_free(ctx, &w->obstacle_tree);
    vo_pair_list_free(ctx, &w->tree_pairs);
    free_pairs(ctx, &w->world_pairs);
    free_pairs(ctx, &w->pairs);
    free_pairs(ctx, &w->spare);
    *w = (vo_broad_phase){0};
}

void vo_broad_phase_invalidate(vo_broad_phase *w) {
    w->valid = false;
    for (int p = 0; p < w->kinematics->surface->part_count; p++) w->rigid[p].valid = false;
}

/* ---- query ---------------------------------------------------------------------------------- */

/* Query: clusters closer than `distance` at x0 or, if `swept`, in the step. */
typedef struct query {
    bool swept;
    double distance;
} query;

static vo_part_role role_of(const vo_broad_phase *w, int p, const query *q) {
    const vo_part_motion *m = &w->kinematics->part[p];
    if (!w->kinematics->surface->part[p].present) return VO_PART_ABSENT;
    return (q->swept ? m->rigid : m->start_pose.rigid) ? VO_PART_RIGID : VO_PART_SOFT;
}

/* Returns true if b, enlarged by m, lies inside a; false for NaN. */
static bool contains(const vo_box *a, const vo_box *b, double m) {
    return a->min.x <= b->min.x - m && a->min.y <= b->min.y - m && a->min.z <= b->min.z - m &&
           a->max.x >= b->max.x + m && a->max.y >= b->max.y + m && a->max.z >= b->max.z + m;
}

/* Returns true unless two boxes are further apart than a distance along some axis. */
static bool boxes_are_close(const vo_box *a, const vo_box *b, double distance) {
    double x = vo_max(a->min.x - b->max.x, b->min.x - a->max.x);
    double y = vo_max(a->min.y - b->max.y, b->min.y - a->max.y);
    double z = vo_max(a->min.z - b->max.z, b->min.z - a->max.z);
    return !(x > distance || y > distance || z > distance);
}

static bool reserve(vo_broad_phase *w, vo_cluster_pairs *to, int64_t need) {
    return need <= INT32_MAX / 4 && vo_reserve(w->ctx, &to->pair, &to->capacity, (int)need);
}

/* Appends the pairs of a traversal; clusters of its second tree are numbered from `first_b`. */
static bool append_tree_pairs(vo_broad_phase *w, int first_b, vo_cluster_pairs *to) {
    if (!reserve(w, to, (int64_t)to->count + w->tree_pairs.count)) return false;
    for (int i = 0; i < w->tree_pairs.count; i++) {
        vo_pair p = w->tree_pairs.pairs[i];
        to->pair[to->count++] = (vo_pair){p.a, p.b + first_b};
    }
    return true;
}

/* ---- world space ---------------------------------------------------------------------------- */

static bool world_is_valid(const vo_broad_phase *w, const query *q) {
    const vo_cluster_kinematics *k = w->kinematics;
    const vo_box *box = q->swept ? k->swept_box : k->start_box;
    if (!w->valid) return false;
    for (int p = 0; p < k->surface->part_count; p++) {
        vo_part_role role = role_of(w, p, q);
        if (role != w->role[p]) return false;
        if (role != VO_PART_SOFT) continue;
        for (int c = k->clusters->part_begin[p]; c < k->clusters->part_begin[p + 1]; c++)
            if (!contains(&w->fat_box[c], &box[c], q->distance / 2)) return false;
    }
    return true;
}

static void fatten_world(vo_broad_phase *w, const query *q, double margin) {
    const vo_cluster_kinematics *k = w->kinematics;
    const vo_box *box = q->swept ? k->swept_box : k->start_box;
    double enlargement = q->distance / 2 + margin / 2;
    for (int p = 0; p < k->surface->part_count; p++) {
        w->role[p] = role_of(w, p, q);
        bool soft = w->role[p] == VO_PART_SOFT;
        for (int c = k->clusters->part_begin[p]; c < k->clusters->part_begin[p + 1]; c++)
            w->fat_box[c] = soft ? box_grow(box[c], enlargement) : box_empty();
    }
    vo_bvh_refit(w->ctx, &w->cloth_tree, w->fat_box);
    vo_bvh_refit(w->ctx, &w->obstacle_tree, w->fat_box + k->clusters->cloth_count);
}

static vo_result traverse_world(vo_broad_phase *w, const query *q, double margin) {
    int cloths = w->kinematics->clusters->cloth_count;
    w->valid = false;
    w->world_pairs.count = 0;
    fatten_world(w, q, margin);
    VO_TRY(vo_bvh_self_pairs(w->ctx, &w->cloth_tree, &w->tree_pairs));
    if (!append_tree_pairs(w, 0, &w->world_pairs)) return vo_fail_memory(w->ctx, "candidates");
    bool over_budget = w->tree_pairs.over_budget;
    VO_TRY(vo_bvh_tree_pairs(w->ctx, &w->cloth_tree, &w->obstacle_tree, &w->tree_pairs));
    if (!append_tree_pairs(w, cloths, &w->world_pairs)) return vo_fail_memory(w->ctx, "candidates");
    w->valid = !over_budget && !w->tree_pairs.over_budget;
    return VO_OK;
}

/* Retries without a margin: the margin must not decide whether the budget is exceeded, because a
 * run with older fat boxes would continue where a resumed one fails. Older fat boxes that are valid
 * yield all pairs of a traversal without a margin, so the result depends on the state alone. */
static vo_result update_world(vo_broad_phase *w, const query *q) {
    VO_TRY(traverse_world(w, q, w->margin));
    return w->valid ? VO_OK : traverse_world(w, q, 0);
}

/* ---- frame of a rigid part ------------------------------------------------------------------ */

/* Returns the bounds of a part from its poses alone, so that results do not depend on history. */
static vo_box part_box(const vo_broad_phase *w, int p, const query *q) {
    const vo_part_motion *part = &w->kinematics->part[p];
    vo_box_transform at = vo_box_transform_make(part->start_pose.pose);
    vo_box box = vo_box_transform_apply(&at, &part->rest_bounds);
    if (q->swept) box = box_join(box, vo_box_transform_apply(&part->end_frame, &part->rest_bounds));
    return box_grow(box, w->kinematics->rigid_tolerance);
}

/* Returns true if a cloth cluster may come close to the bounds of a part. */
static bool is_near(const vo_broad_phase *w, int c, int p, const query *q, double margin) {
    const vo_box *box = q->swept ? w->kinematics->swept_box : w->kinematics->start_box;
    return boxes_are_close(&box[c], &w->rigid[p].part_box, q->distance + margin);
}

/* Returns the distance at x0 within which a point of the part can come too close to a cloth cluster
 * (see the header). */
static double rigid_query_distance(const vo_broad_phase *w, int c, const vo_part_motion *part,
                                   const query *q) {
    if (!q->swept) return q->distance;
    const vo_cluster_motion *m = &w->kinematics->motion[c];
    double f = part->residual_ratio + 0x1p-40,
           deviation = part->start_pose.deviation + part->end_pose.deviation;
    double slip = v3_distance(m->translation, vo_part_displacement(part, m->centre)) +
                  v3_distance(m->rotation, part->rotation) * m->radius + m->residual + deviation;
    double size = 0x1p-46 * v3_length(m->centre);
    return (q->distance + slip + size + f * m->radius) / (1 - f);
}

/* Returns the enlargement of the box at x0 of a cloth cluster in the frame, in world units. */
static double rigid_enlargement(const vo_broad_phase *w, int c, const vo_part_motion *part,
                                const query *q) {
    return rigid_query_distance(w, c, part, q) + part->start_pose.deviation;
}

/* Returns the query box of a cloth cluster in the frame. */
static vo_box rigid_query_box(const vo_broad_phase *w, int c, const vo_part_motion *part,
                              const vo_box_transform *frame, const query *q) {
    vo_box box = vo_box_transform_apply(frame, &w->kinematics->start_box[c]);
    return box_grow(box, rigid_enlargement(w, c, part, q) * frame->t.scale);
}

static bool rigid_is_valid(const vo_broad_phase *w, int p, const query *q) {
    const vo_part_motion *part = &w->kinematics->part[p];
    vo_box_transform frame = vo_box_transform_make(part->inverse_pose);
    if (!w->rigid[p].valid || w->rigid[p].rest != part->rest_x) return false;
    for (int c = 0; c < w->kinematics->clusters->cloth_count; c++) {
        if (!is_near(w, c, p, q, 0)) continue;
        vo_box box = rigid_query_box(w, c, part, &frame, q);
        if (!contains(&w->rigid[p].fat_box[c], &box, 0)) return false;
    }
    return true;
}

static vo_result build_rigid_tree(vo_broad_phase *w, int p) {
    const vo_clusters *k = w->kinematics->clusters;
    vo_rigid_broad_phase *f = &w->rigid[p];
    if (f->rest == w->kinematics->part[p].rest_x) return VO_OK;
    int first = k->part_begin[p], end = k->part_begin[p + 1];
    VO_TRY(vo_bvh_build(w->ctx, &f->tree, w->kinematics->rest_box + first, end - first));
    f->rest = w->kinematics->part[p].rest_x;
    return VO_OK;
}

/* Allocates the fat boxes of a part at its first traversal: parts may become rigid after their
 * creation. */
static vo_result reserve_fat_boxes(vo_broad_phase *w, int p) {
    vo_rigid_broad_phase *f = &w->rigid[p];
    if (f->fat_box || VO_PADDED_NEW(w->ctx, f->fat_box, w->kinematics->clusters->cloth_count))
        return VO_OK;
    return vo_fail_memory(w->ctx, "candidates");
}

static vo_result traverse_rigid(vo_broad_phase *w, int p, const query *q, double margin) {
    const vo_part_motion *part = &w->kinematics->part[p];
    vo_rigid_broad_phase *f = &w->rigid[p];
    vo_box_transform frame = vo_box_transform_make(part->inverse_pose);
    f->valid = false;
    f->pairs.count = 0;
    VO_TRY(reserve_fat_boxes(w, p));
    VO_TRY(build_rigid_tree(w, p));
    for (int c = 0; c < w->kinematics->clusters->cloth_count; c++)
        f->fat_box[c] =
            is_near(w, c, p, q, margin)
                ? box_grow(rigid_query_box(w, c, part, &frame, q), margin * frame.t.scale)
                : box_empty();
    vo_bvh_refit(w->ctx, &w->posed_tree, f->fat_box);
    VO_TRY(vo_bvh_tree_pairs(w->ctx, &w->posed_tree, &f->tree, &w->tree_pairs));
    if (!append_tree_pairs(w, w->kinematics->clusters->part_begin[p], &f->pairs))
        return vo_fail_memory(w->ctx, "candidates");
    f->valid = !w->tree_pairs.over_budget;
    return VO_OK;
}

/* Like update_world. */
static vo_result update_rigid(vo_broad_phase *w, int p, const query *q) {
    VO_TRY(traverse_rigid(w, p, q, w->margin));
    return w->rigid[p].valid ? VO_OK : traverse_rigid(w, p, q, 0);
}

/* ---- union ---------------------------------------------------------------------------------- */

static int32_t key_of(vo_pair p, bool second) { return second ? p.b : p.a; }

/* Stable counting sort by one cluster of the pairs. */
static void sort_by(vo_broad_phase *w, bool second, const vo_cluster_pairs *from, vo_pair *to) {
    int n = w->kinematics->clusters->count;
    memset(w->start, 0, ((size_t)n + 1) * sizeof *w->start);
    for (int i = 0; i < from->count; i++) w->start[key_of(from->pair[i], second) + 1]++;
    for (int c = 0; c < n; c++) w->start[c + 1] += w->start[c];
    for (int i = 0; i < from->count; i++)
        to[w->start[key_of(from->pair[i], second)]++] = from->pair[i];
}

static void append(vo_cluster_pairs *to, const vo_cluster_pairs *from) {
    if (from->count == 0) return;
    memcpy(to->pair + to->count, from->pair, (size_t)from->count * sizeof *to->pair);
    to->count += from->count;
}

/* Merges the pairs of all traversals. */
static vo_result collect(vo_broad_phase *w) {
    int cloths = w->kinematics->clusters->cloth_count, parts = w->kinematics->surface->part_count;
    int64_t need = cloths + (int64_t)w->world_pairs.count;
    for (int p = 0; p < parts; p++)
        need += w->role[p] == VO_PART_RIGID ? w->rigid[p].pairs.count : 0;
    if (!reserve(w, &w->pairs, need) || !reserve(w, &w->spare, need))
        return vo_fail_memory(w->ctx, "candidates");
    w->pairs.count = 0;
    for (int c = 0; c < cloths; c++) w->pairs.pair[w->pairs.count++] = (vo_pair){c, c};
    append(&w->pairs, &w->world_pairs);
    for (int p = 0; p < parts; p++)
        if (w->role[p] == VO_PART_RIGID) append(&w->pairs, &w->rigid[p].pairs);
    w->spare.count = w->pairs.count;
    sort_by(w, true, &w->pairs, w->spare.pair);
    sort_by(w, false, &w->spare, w->pairs.pair);
    return VO_OK;
}

vo_result vo_broad_phase_update(vo_broad_phase *w, bool swept, double distance,
                                vo_broad_phase_report *report) {
    query q = {swept, distance};
    *report = (vo_broad_phase_report){.updated = !world_is_valid(w, &q)};
    if (report->updated) VO_TRY(update_world(w, &q));
    report->over_budget = !w->valid;
    for (int p = 0; p < w->kinematics->surface->part_count; p++) {
        if (role_of(w, p, &q) != VO_PART_RIGID) continue;
        w->rigid[p].part_box = part_box(w, p, &q);
        if (rigid_is_valid(w, p, &q)) continue;
        report->updated = true;
        VO_TRY(update_rigid(w, p, &q));
        report->over_budget |= !w->rigid[p].valid;
    }
    return report->updated && !report->over_budget ? collect(w) : VO_OK;
}

double vo_broad_phase_query_distance(const vo_broad_phase *w, int a, int b, double swept_distance,
                                     vo_query_distance_cache *cache) {
    const vo_cluster_kinematics *k = w->kinematics;
    int part = k->clusters->part[b];
    query q = {true, swept_distance};
    if (w->role[part] != VO_PART_RIGID)
        return boxes_are_close(&k->swept_box[a], &k->swept_box[b], swept_distance) ? INFINITY : -1;
    if (cache->a != a || cache->part != part)
        *cache = (vo_query_distance_cache){
            a, part,
            is_near(w, a, part, &q, 0) ? rigid_query_distance(w, a, &k->part[part], &q) : -1};
    return cache->query_distance;
}

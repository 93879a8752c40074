#include "collide/candidates_walk.h"

#include "collide/arrays.h"
#include "collide/clump.h"
#include "core/memory.h"

#include <string.h>

/* ---- memory --------------------------------------------------------------------------------- */

/* Half of what a cluster measures on average; the trees' slack is a part of it. */
static double mean_extent(const vo_clusters *k) {
    double sum = 0;
    for (int c = 0; c < k->cloth_count; c++) {
        vo_vec3 d = v3_sub(k->rest[c].max, k->rest[c].min);
        sum += vo_max(d.x, d.y);
    }
    return k->cloth_count ? sum / k->cloth_count / 2 : 0;
}

/* Shape of the trees; of those in the world, and of the cloths' in a frame. */
static vo_result build_trees(vo_walks *w) {
    const vo_clusters *k = w->places->clusters;
    VO_TRY(vo_bvh_build(w->ctx, &w->cloth, k->rest, k->cloth_count));
    VO_TRY(vo_bvh_copy(w->ctx, &w->cloth, &w->posed));
    if (w->obstacle.box_count) return VO_OK;
    return vo_bvh_build(w->ctx, &w->obstacle, k->rest + k->cloth_count, k->count - k->cloth_count);
}

/* Rooms for the walk in the frame of each part that may need one. */
static bool allocate_frames(vo_walks *w) {
    const vo_surface *s = w->places->surface;
    for (int p = 0; p < s->part_count; p++)
        if (s->part[p].obstacle && s->part[p].rigid &&
            !VO_PADDED_NEW(w->ctx, w->frame[p].list, w->places->clusters->cloth_count))
            return false;
    return true;
}

/* The trees of obstacles, in their own frames and in the world, as they were. */
static void take_kept(vo_walks *w, vo_kept_obstacles *kept) {
    w->obstacle = kept->world;
    kept->world = (vo_bvh){0};
    int first_part = w->places->surface->part_count - kept->part_count;
    for (int p = 0; p < kept->part_count; p++) {
        w->frame[first_part + p].tree = kept->tree[p].tree;
        w->frame[first_part + p].rest = kept->tree[p].rest;
        kept->tree[p] = (vo_kept_tree){0};
    }
}

vo_result vo_walks_create(vo_context *ctx, const vo_places *places, vo_kept_obstacles *kept,
                          vo_walks *w) {
    *w = (vo_walks){.ctx = ctx, .places = places, .slack = mean_extent(places->clusters) / 2};
    int n = places->clusters->count, parts = places->surface->part_count;
    w->walked.most = vo_clump_bound(VO_WALK_PAIRS, n);
    bool ok = VO_PADDED_NEW(ctx, w->role, parts) && VO_PADDED_NEW(ctx, w->list, n) &&
              VO_PADDED_NEW(ctx, w->frame, parts) && VO_PADDED_NEW(ctx, w->start, n) &&
              allocate_frames(w);
    if (ok && vo_kept_fits(kept, places->surface)) take_kept(w, kept);
    return ok ? build_trees(w) : vo_fail_memory(ctx, "candidates");
}

static void free_pairs(vo_context *ctx, vo_cluster_pairs *p) {
    vo_free_array(ctx, p->pair, p->capacity);
}

void vo_walks_free(vo_walks *w) {
    vo_context *ctx = w->ctx;
    if (!ctx) return;
    int n = w->places->clusters->count, parts = w->places->surface->part_count;
    for (int p = 0; w->frame && p < parts; p++) {
        vo_bvh_free(ctx, &w->frame[p].tree);
        VO_PADDED_FREE(ctx, w->frame[p].list, w->places->clusters->cloth_count);
        free_pairs(ctx, &w->frame[p].found);
    }
    VO_PADDED_FREE(ctx, w->role, parts);
    VO_PADDED_FREE(ctx, w->list, n);
    VO_PADDED_FREE(ctx, w->frame, parts);
    VO_PADDED_FREE(ctx, w->start, n);
    vo_bvh_free(ctx, &w->cloth);
    vo_bvh_free(ctx, &w->posed);
    vo_bvh_free(ctx, &w->obstacle);
    vo_pair_list_free(ctx, &w->walked);
    free_pairs(ctx, &w->found);
    free_pairs(ctx, &w->all);
    free_pairs(ctx, &w->spare);
    *w = (vo_walks){0};
}

void vo_walks_forget(vo_walks *w) {
    w->valid = false;
    for (int p = 0; p < w->places->surface->part_count; p++) w->frame[p].valid = false;
}

/* ---- the question --------------------------------------------------------------------------- */

/* What is asked for: closer than `distance` at x0, or in the step. */
typedef struct question {
    bool swept;
    double distance;
} question;

static vo_part_role role_of(const vo_walks *w, int p, const question *q) {
    const vo_part_motion *m = &w->places->part[p];
    if (!w->places->surface->part[p].present) return VO_PART_ABSENT;
    return (q->swept ? m->rigid : m->at.rigid) ? VO_PART_RIGID : VO_PART_SOFT;
}

/* Whether b, larger by a margin, lies inside a. NaN does not. */
static bool contains(const vo_box *a, const vo_box *b, double m) {
    return a->min.x <= b->min.x - m && a->min.y <= b->min.y - m && a->min.z <= b->min.z - m &&
           a->max.x >= b->max.x + m && a->max.y >= b->max.y + m && a->max.z >= b->max.z + m;
}

/* Whether two boxes are nowhere further apart than a distance. */
static bool boxes_meet(const vo_box *a, const vo_box *b, double distance) {
    double x = vo_max(a->min.x - b->max.x, b->min.x - a->max.x);
    double y = vo_max(a->min.y - b->max.y, b->min.y - a->max.y);
    double z = vo_max(a->min.z - b->max.z, b->min.z - a->max.z);
    return !(x > distance || y > distance || z > distance);
}

static bool reserve(vo_walks *w, vo_cluster_pairs *to, int64_t need) {
    return need <= INT32_MAX / 4 && vo_reserve(w->ctx, &to->pair, &to->capacity, (int)need);
}

/* Adds what a walk found; clusters of its second tree are numbered from `first_b`. */
static bool take_walked(vo_walks *w, int first_b, vo_cluster_pairs *to) {
    if (!reserve(w, to, (int64_t)to->count + w->walked.count)) return false;
    for (int i = 0; i < w->walked.count; i++) {
        vo_pair p = w->walked.pairs[i];
        to->pair[to->count++] = (vo_pair){p.a, p.b + first_b};
    }
    return true;
}

/* ---- in the world --------------------------------------------------------------------------- */

static bool holds_world(const vo_walks *w, const question *q) {
    const vo_places *k = w->places;
    const vo_box *box = q->swept ? k->hull : k->box;
    if (!w->valid) return false;
    for (int p = 0; p < k->surface->part_count; p++) {
        vo_part_role role = role_of(w, p, q);
        if (role != w->role[p]) return false;
        if (role != VO_PART_SOFT) continue;
        for (int c = k->clusters->part_begin[p]; c < k->clusters->part_begin[p + 1]; c++)
            if (!contains(&w->list[c], &box[c], q->distance / 2)) return false;
    }
    return true;
}

static void enlarge_world(vo_walks *w, const question *q, double slack) {
    const vo_places *k = w->places;
    const vo_box *box = q->swept ? k->hull : k->box;
    double margin = q->distance / 2 + slack / 2;
    for (int p = 0; p < k->surface->part_count; p++) {
        w->role[p] = role_of(w, p, q);
        bool soft = w->role[p] == VO_PART_SOFT;
        for (int c = k->clusters->part_begin[p]; c < k->clusters->part_begin[p + 1]; c++)
            w->list[c] = soft ? box_grow(box[c], margin) : box_empty();
    }
    vo_bvh_refit(w->ctx, &w->cloth, w->list);
    vo_bvh_refit(w->ctx, &w->obstacle, w->list + k->clusters->cloth_count);
}

static vo_result walk_world(vo_walks *w, const question *q, double slack) {
    int cloths = w->places->clusters->cloth_count;
    w->valid = false;
    w->found.count = 0;
    enlarge_world(w, q, slack);
    VO_TRY(vo_bvh_self_pairs(w->ctx, &w->cloth, &w->walked));
    if (!take_walked(w, 0, &w->found)) return vo_fail_memory(w->ctx, "candidates");
    bool crowded = w->walked.crowded;
    VO_TRY(vo_bvh_tree_pairs(w->ctx, &w->cloth, &w->obstacle, &w->walked));
    if (!take_walked(w, cloths, &w->found)) return vo_fail_memory(w->ctx, "candidates");
    w->valid = !crowded && !w->walked.crowded;
    return VO_OK;
}

/* Slack must not make a clump of what is none: then a run that still has an older walk would go on,
 * where a resumed one has too many pairs. An older walk that holds has all pairs of one without
 * slack, so whether that one is given up depends on the state alone. */
static vo_result search_world(vo_walks *w, const question *q) {
    VO_TRY(walk_world(w, q, w->slack));
    return w->valid ? VO_OK : walk_world(w, q, 0);
}

/* ---- in the frame of a rigid part ----------------------------------------------------------- */

/* The box round a part, by its poses alone: what follows from it must not depend on the past. */
static vo_box part_box(const vo_walks *w, int p, const question *q) {
    const vo_part_motion *part = &w->places->part[p];
    vo_frame at = vo_frame_of(part->at.pose);
    vo_box box = vo_frame_box(&at, &part->whole);
    if (q->swept) box = box_join(box, vo_frame_box(&part->end, &part->whole));
    return box_grow(box, w->places->stray);
}

/* Whether a cloth's cluster may come close to a part, given the box round it. */
static bool is_near(const vo_walks *w, int c, int p, const question *q, double slack) {
    const vo_box *box = q->swept ? w->places->hull : w->places->box;
    return boxes_meet(&box[c], &w->frame[p].whole, q->distance + slack);
}

/* How close a point of the part must be at x0 to matter to a cloth's cluster. */
static double frame_reach(const vo_walks *w, int c, const vo_part_motion *part, const question *q) {
    if (!q->swept) return q->distance;
    const vo_cluster_motion *m = &w->places->motion[c];
    double f = part->bend + 0x1p-40, stray = part->at.stray + part->to.stray;
    double slip = v3_distance(m->shift, vo_part_shift(part, m->centre)) +
                  v3_distance(m->turn, part->turn) * m->radius + m->rest + stray;
    double size = 0x1p-46 * v3_length(m->centre);
    return (q->distance + slip + size + f * m->radius) / (1 - f);
}

/* How much larger a cloth cluster's box at x0 must be in a frame, measured in the world. */
static double frame_margin(const vo_walks *w, int c, const vo_part_motion *part,
                           const question *q) {
    return frame_reach(w, c, part, q) + part->at.stray;
}

/* The box that is asked for of a cloth cluster, in the frame. */
static vo_box frame_box(const vo_walks *w, int c, const vo_part_motion *part, const vo_frame *frame,
                        const question *q) {
    vo_box box = vo_frame_box(frame, &w->places->box[c]);
    return box_grow(box, frame_margin(w, c, part, q) * frame->t.scale);
}

static bool holds_frame(const vo_walks *w, int p, const question *q) {
    const vo_part_motion *part = &w->places->part[p];
    vo_frame frame = vo_frame_of(part->back);
    if (!w->frame[p].valid || w->frame[p].rest != part->rest) return false;
    for (int c = 0; c < w->places->clusters->cloth_count; c++) {
        if (!is_near(w, c, p, q, 0)) continue;
        vo_box box = frame_box(w, c, part, &frame, q);
        if (!contains(&w->frame[p].list[c], &box, 0)) return false;
    }
    return true;
}

static vo_result build_frame(vo_walks *w, int p) {
    const vo_clusters *k = w->places->clusters;
    vo_frame_walk *f = &w->frame[p];
    if (f->rest == w->places->part[p].rest) return VO_OK;
    int first = k->part_begin[p], end = k->part_begin[p + 1];
    VO_TRY(vo_bvh_build(w->ctx, &f->tree, w->places->own_box + first, end - first));
    f->rest = w->places->part[p].rest;
    return VO_OK;
}

static vo_result walk_frame(vo_walks *w, int p, const question *q, double slack) {
    const vo_part_motion *part = &w->places->part[p];
    vo_frame_walk *f = &w->frame[p];
    vo_frame frame = vo_frame_of(part->back);
    f->valid = false;
    f->found.count = 0;
    VO_TRY(build_frame(w, p));
    for (int c = 0; c < w->places->clusters->cloth_count; c++)
        f->list[c] = is_near(w, c, p, q, slack)
                         ? box_grow(frame_box(w, c, part, &frame, q), slack * frame.t.scale)
                         : box_empty();
    vo_bvh_refit(w->ctx, &w->posed, f->list);
    VO_TRY(vo_bvh_tree_pairs(w->ctx, &w->posed, &f->tree, &w->walked));
    if (!take_walked(w, w->places->clusters->part_begin[p], &f->found))
        return vo_fail_memory(w->ctx, "candidates");
    f->valid = !w->walked.crowded;
    return VO_OK;
}

/* As search_world. */
static vo_result search_frame(vo_walks *w, int p, const question *q) {
    VO_TRY(walk_frame(w, p, q, w->slack));
    return w->frame[p].valid ? VO_OK : walk_frame(w, p, q, 0);
}

/* ---- all of them ---------------------------------------------------------------------------- */

static int32_t key_of(vo_pair p, bool second) { return second ? p.b : p.a; }

/* Sorts by one cluster of the pairs; what was in order stays so. */
static void sort_by(vo_walks *w, bool second, const vo_cluster_pairs *from, vo_pair *to) {
    int n = w->places->clusters->count;
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

/* Puts the pairs of all walks together. */
static vo_result collect(vo_walks *w) {
    int cloths = w->places->clusters->cloth_count, parts = w->places->surface->part_count;
    int64_t need = cloths + (int64_t)w->found.count;
    for (int p = 0; p < parts; p++)
        need += w->role[p] == VO_PART_RIGID ? w->frame[p].found.count : 0;
    if (!reserve(w, &w->all, need) || !reserve(w, &w->spare, need))
        return vo_fail_memory(w->ctx, "candidates");
    w->all.count = 0;
    for (int c = 0; c < cloths; c++) w->all.pair[w->all.count++] = (vo_pair){c, c};
    append(&w->all, &w->found);
    for (int p = 0; p < parts; p++)
        if (w->role[p] == VO_PART_RIGID) append(&w->all, &w->frame[p].found);
    w->spare.count = w->all.count;
    sort_by(w, true, &w->all, w->spare.pair);
    sort_by(w, false, &w->spare, w->all.pair);
    return VO_OK;
}

vo_result vo_walks_cover(vo_walks *w, bool swept, double distance, vo_walks_report *report) {
    question q = {swept, distance};
    *report = (vo_walks_report){.searched = !holds_world(w, &q)};
    if (report->searched) VO_TRY(search_world(w, &q));
    report->crowded = !w->valid;
    for (int p = 0; p < w->places->surface->part_count; p++) {
        if (role_of(w, p, &q) != VO_PART_RIGID) continue;
        w->frame[p].whole = part_box(w, p, &q);
        if (holds_frame(w, p, &q)) continue;
        report->searched = true;
        VO_TRY(search_frame(w, p, &q));
        report->crowded |= !w->frame[p].valid;
    }
    return report->searched && !report->crowded ? collect(w) : VO_OK;
}

double vo_walks_reach(const vo_walks *w, int a, int b, double keep, vo_reach_memo *memo) {
    const vo_places *k = w->places;
    int part = k->clusters->part[b];
    question q = {true, keep};
    if (w->role[part] != VO_PART_RIGID)
        return boxes_meet(&k->hull[a], &k->hull[b], keep) ? INFINITY : -1;
    if (memo->a != a || memo->part != part)
        *memo = (vo_reach_memo){
            a, part, is_near(w, a, part, &q, 0) ? frame_reach(w, a, &k->part[part], &q) : -1};
    return memo->reach;
}

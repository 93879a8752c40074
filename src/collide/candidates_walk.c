#include "collide/candidates_walk.h"

#include "core/memory.h"

#include <string.h>

/* Shape of the trees. */
static vo_result build_trees(vo_walks *w) {
    const vo_clusters *c = w->clusters;
    VO_TRY(vo_bvh_build(w->ctx, &w->cloth, c->rest, c->cloth_count));
    return vo_bvh_build(w->ctx, &w->obstacle, c->rest + c->cloth_count, c->count - c->cloth_count);
}

/* Half of what a cluster measures on average; the trees' slack is a part of it. */
static double mean_extent(const vo_clusters *c) {
    double sum = 0;
    for (int i = 0; i < c->cloth_count; i++) {
        vo_vec3 d = v3_sub(c->rest[i].max, c->rest[i].min);
        sum += vo_max(d.x, d.y);
    }
    return c->cloth_count ? sum / c->cloth_count / 2 : 0;
}

vo_result vo_walks_create(vo_context *ctx, const vo_surface *surface, const vo_clusters *clusters,
                          vo_walks *w) {
    *w = (vo_walks){.ctx = ctx, .surface = surface, .clusters = clusters};
    size_t n = (size_t)clusters->count + 1;
    w->slack = mean_extent(clusters) / 2;
    w->present = vo_alloc_zero(ctx, ((size_t)surface->part_count + 1) * sizeof *w->present);
    w->list = vo_alloc(ctx, n * sizeof *w->list);
    w->start = vo_alloc(ctx, n * sizeof *w->start);
    vo_result result =
        w->present && w->list && w->start ? build_trees(w) : vo_fail_memory(ctx, "candidates");
    if (result != VO_OK) vo_walks_free(w);
    return result;
}

void vo_walks_free(vo_walks *w) {
    vo_context *ctx = w->ctx;
    if (!ctx) return;
    size_t n = (size_t)w->clusters->count + 1;
    vo_free(ctx, w->present, ((size_t)w->surface->part_count + 1) * sizeof *w->present);
    vo_free(ctx, w->list, n * sizeof *w->list);
    vo_free(ctx, w->start, n * sizeof *w->start);
    vo_bvh_free(ctx, &w->cloth);
    vo_bvh_free(ctx, &w->obstacle);
    vo_pair_list_free(ctx, &w->found);
    vo_free_array(ctx, w->pairs, w->capacity);
    vo_free_array(ctx, w->spare, w->spare_capacity);
    *w = (vo_walks){0};
}

/* Whether b, larger by a margin, lies inside a. NaN does not. */
static bool contains(const vo_box *a, const vo_box *b, double m) {
    return a->min.x <= b->min.x - m && a->min.y <= b->min.y - m && a->min.z <= b->min.z - m &&
           a->max.x >= b->max.x + m && a->max.y >= b->max.y + m && a->max.z >= b->max.z + m;
}

bool vo_walks_hold(const vo_walks *w, const vo_box *box, double margin) {
    const vo_surface *s = w->surface;
    if (!w->valid) return false;
    for (int p = 0; p < s->part_count; p++) {
        if (s->part[p].present != w->present[p]) return false;
        if (!s->part[p].present) continue;
        for (int c = w->clusters->part_begin[p]; c < w->clusters->part_begin[p + 1]; c++)
            if (!contains(&w->list[c], &box[c], margin)) return false;
    }
    return true;
}

static void enlarge_boxes(vo_walks *w, const vo_box *box, double margin) {
    const vo_surface *s = w->surface;
    for (int p = 0; p < s->part_count; p++) {
        w->present[p] = s->part[p].present;
        for (int c = w->clusters->part_begin[p]; c < w->clusters->part_begin[p + 1]; c++)
            w->list[c] = w->present[p] ? box_grow(box[c], margin + w->slack / 2) : box_empty();
    }
    vo_bvh_refit(w->ctx, &w->cloth, w->list);
    vo_bvh_refit(w->ctx, &w->obstacle, w->list + w->clusters->cloth_count);
}

/* Adds what a walk found; clusters of its second tree are numbered from `first_b`. */
static bool take_found(vo_walks *w, int first_b) {
    int64_t need = (int64_t)w->count + w->found.count;
    if (need > INT32_MAX / 4 || !vo_reserve(w->ctx, &w->pairs, &w->capacity, (int)need) ||
        !vo_reserve(w->ctx, &w->spare, &w->spare_capacity, (int)need))
        return false;
    for (int i = 0; i < w->found.count; i++)
        w->pairs[w->count++] = (vo_pair){w->found.pairs[i].a, w->found.pairs[i].b + first_b};
    return true;
}

/* Each cluster of a cloth with itself. */
static bool add_selves(vo_walks *w) {
    int n = w->clusters->cloth_count;
    if (!vo_reserve(w->ctx, &w->pairs, &w->capacity, w->count + n) ||
        !vo_reserve(w->ctx, &w->spare, &w->spare_capacity, w->count + n))
        return false;
    for (int c = 0; c < n; c++) w->pairs[w->count++] = (vo_pair){c, c};
    return true;
}

static int32_t key_of(vo_pair p, bool second) { return second ? p.b : p.a; }

/* Sorts by one cluster of the pairs; what was in order stays so. */
static void sort_by(vo_walks *w, bool second, const vo_pair *from, vo_pair *to) {
    int n = w->clusters->count;
    memset(w->start, 0, ((size_t)n + 1) * sizeof *w->start);
    for (int i = 0; i < w->count; i++) w->start[key_of(from[i], second) + 1]++;
    for (int c = 0; c < n; c++) w->start[c + 1] += w->start[c];
    for (int i = 0; i < w->count; i++) to[w->start[key_of(from[i], second)]++] = from[i];
}

vo_result vo_walks_search(vo_walks *w, const vo_box *box, double margin) {
    w->valid = false;
    w->count = 0;
    enlarge_boxes(w, box, margin);
    VO_TRY(vo_bvh_self_pairs(w->ctx, &w->cloth, &w->found));
    if (!add_selves(w) || !take_found(w, 0)) return vo_fail_memory(w->ctx, "candidates");
    VO_TRY(vo_bvh_tree_pairs(w->ctx, &w->cloth, &w->obstacle, &w->found));
    if (!take_found(w, w->clusters->cloth_count)) return vo_fail_memory(w->ctx, "candidates");
    sort_by(w, true, w->pairs, w->spare);
    sort_by(w, false, w->spare, w->pairs);
    w->valid = true;
    return VO_OK;
}

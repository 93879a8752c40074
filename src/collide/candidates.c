#include "collide/candidates.h"

#include "collide/candidates_pair.h"
#include "core/memory.h"
#include "core/timer.h"
#include "spatial/bvh.h"

struct vo_candidates {
    vo_context *ctx;
    const vo_surface *surface;
    double thickness;
    bool built;
    vo_bvh cloth, obstacle; /* over all faces of all cloths, and of all obstacles */
    vo_box *box;            /* [face_count] */
    vo_pair_list pairs;
    vo_near_hit *hit;
    int hit_count, hit_capacity;
    vo_near *near;
    int near_capacity;
    vo_feature_pair *swept;
    int swept_count, swept_capacity;
    int32_t *order, *start;
    int order_capacity, start_count;
    vo_candidates_report report;
};

/* What to do with a pair of features; false without memory. */
typedef bool pair_fn(vo_candidates *c, const vo_feature_pair *pair, vo_feature_key key);

vo_result vo_candidates_create(vo_context *ctx, const vo_surface *surface, double thickness,
                               vo_candidates **out) {
    *out = NULL;
    vo_candidates *c = vo_new(ctx, vo_candidates);
    if (!c) return vo_fail_memory(ctx, "candidates");
    c->ctx = ctx;
    c->surface = surface;
    c->thickness = thickness;
    c->start_count = vo_max_int(surface->node_count, surface->edge_count) + 1;
    c->box = vo_alloc(ctx, ((size_t)surface->face_count + 1) * sizeof *c->box);
    c->start = vo_alloc(ctx, (size_t)c->start_count * sizeof *c->start);
    if (!c->box || !c->start) {
        vo_candidates_destroy(c);
        return vo_fail_memory(ctx, "candidates");
    }
    *out = c;
    return VO_OK;
}

void vo_candidates_destroy(vo_candidates *c) {
    if (!c) return;
    vo_context *ctx = c->ctx;
    vo_bvh_free(ctx, &c->cloth);
    vo_bvh_free(ctx, &c->obstacle);
    vo_free(ctx, c->box, ((size_t)c->surface->face_count + 1) * sizeof *c->box);
    vo_pair_list_free(ctx, &c->pairs);
    vo_free_array(ctx, c->hit, c->hit_capacity);
    vo_free_array(ctx, c->near, c->near_capacity);
    vo_free_array(ctx, c->swept, c->swept_capacity);
    vo_free_array(ctx, c->order, c->order_capacity);
    vo_free_array(ctx, c->start, c->start_count);
    vo_delete(ctx, c);
}

void vo_candidates_forget(vo_candidates *c) { c->built = false; }

vo_candidates_report vo_candidates_report_take(vo_candidates *c) {
    vo_candidates_report report = c->report;
    c->report = (vo_candidates_report){0};
    return report;
}

/* Boxes of all faces at x0, or along the way to x1. */
static void make_boxes(vo_candidates *c, bool swept, double margin) {
    const vo_surface *s = c->surface;
    for (int f = 0; f < s->face_count; f++) {
        const int *n = s->face[f];
        vo_box b = box_empty();
        if (s->part[s->face_part[f]].present) {
            b = box_triangle(s->x0[n[0]], s->x0[n[1]], s->x0[n[2]]);
            if (swept) b = box_join(b, box_triangle(s->x1[n[0]], s->x1[n[1]], s->x1[n[2]]));
            b = box_grow(b, margin);
        }
        c->box[f] = b;
    }
}

static vo_result fit_trees(vo_candidates *c) {
    const vo_surface *s = c->surface;
    int cloth = s->cloth_face_count, obstacle = s->face_count - cloth;
    if (!c->built) {
        VO_TRY(vo_bvh_build(c->ctx, &c->cloth, c->box, cloth));
        VO_TRY(vo_bvh_build(c->ctx, &c->obstacle, c->box + cloth, obstacle));
        c->built = true;
    }
    vo_bvh_refit(c->ctx, &c->cloth, c->box);
    vo_bvh_refit(c->ctx, &c->obstacle, c->box + cloth);
    return VO_OK;
}

/* The nodes of one face against the other face. */
static bool node_face_pairs(vo_candidates *c, int a, int b, pair_fn *visit) {
    const vo_surface *s = c->surface;
    for (int k = 0; k < 3; k++) {
        if (!(s->owns[a] & VO_OWNS_NODE << k)) continue;
        vo_feature_key key = {s->face[a][k], b};
        vo_feature_pair pair = {.kind = VO_NODE_FACE};
        if (vo_node_face_nodes(s, key, pair.node) && !visit(c, &pair, key)) return false;
    }
    return true;
}

static bool edge_edge_pairs(vo_candidates *c, int a, int b, pair_fn *visit) {
    const vo_surface *s = c->surface;
    for (int i = 0; i < 9; i++) {
        if (!(s->owns[a] & VO_OWNS_EDGE << i / 3 && s->owns[b] & VO_OWNS_EDGE << i % 3)) continue;
        int p = s->face_edge[a][i / 3], q = s->face_edge[b][i % 3];
        vo_feature_key key = {vo_min_int(p, q), vo_max_int(p, q)};
        vo_feature_pair pair = {.kind = VO_EDGE_EDGE};
        if (vo_edge_edge_nodes(s, key, pair.node) && !visit(c, &pair, key)) return false;
    }
    return true;
}

/* All pairs of features of the faces in the list; those of the second one start at `first_b`. */
static vo_result visit_features(vo_candidates *c, int first_b, pair_fn *visit) {
    for (int i = 0; i < c->pairs.count; i++) {
        int a = c->pairs.pairs[i].a, b = c->pairs.pairs[i].b + first_b;
        if (!node_face_pairs(c, a, b, visit) || !node_face_pairs(c, b, a, visit) ||
            !edge_edge_pairs(c, a, b, visit))
            return vo_fail_memory(c->ctx, "candidates");
    }
    return VO_OK;
}

static vo_result search(vo_candidates *c, bool swept, double margin, pair_fn *visit) {
    double start = vo_now();
    c->report.searched = true;
    make_boxes(c, swept, margin);
    VO_TRY(fit_trees(c));
    VO_TRY(vo_bvh_self_pairs(c->ctx, &c->cloth, &c->pairs));
    c->report.tree_s += vo_now() - start;
    c->report.pair_count = c->pairs.count;
    VO_TRY(visit_features(c, 0, visit));
    start = vo_now();
    VO_TRY(vo_bvh_tree_pairs(c->ctx, &c->cloth, &c->obstacle, &c->pairs));
    c->report.tree_s += vo_now() - start;
    c->report.pair_count += c->pairs.count;
    return visit_features(c, c->surface->cloth_face_count, visit);
}

static bool visit_near(vo_candidates *c, const vo_feature_pair *pair, vo_feature_key key) {
    double least;
    if (!vo_reserve(c->ctx, &c->hit, &c->hit_capacity, c->hit_count + 1)) return false;
    vo_near_hit *hit = &c->hit[c->hit_count];
    hit->key = key;
    c->hit_count += vo_measure_pair(c->surface, pair, c->thickness, &hit->near, &least);
    return true;
}

vo_result vo_candidates_near(vo_candidates *c, int *count, const vo_near **near) {
    *count = c->hit_count = 0;
    *near = NULL;
    VO_TRY(search(c, false, c->thickness / 2, visit_near));
    if (!vo_reserve(c->ctx, &c->near, &c->near_capacity, c->hit_count) ||
        !vo_reserve(c->ctx, &c->order, &c->order_capacity, c->hit_count))
        return vo_fail_memory(c->ctx, "candidates");
    *count = vo_select_near(c->surface, c->hit_count, c->hit, c->order, c->start, c->near);
    *near = c->near;
    return VO_OK;
}

static bool visit_swept(vo_candidates *c, const vo_feature_pair *pair, vo_feature_key key) {
    (void)key;
    double least;
    if (vo_pair_is_clear(c->surface, pair, &least)) return true;
    if (!vo_reserve(c->ctx, &c->swept, &c->swept_capacity, c->swept_count + 1)) return false;
    c->swept[c->swept_count++] = *pair;
    return true;
}

/* Keeps pairs of which a node is marked. */
static int keep_moved(int count, vo_feature_pair *pair, const unsigned char *moved) {
    int n = 0;
    for (int i = 0; i < count; i++) {
        const int *k = pair[i].node;
        if (moved[k[0]] | moved[k[1]] | moved[k[2]] | moved[k[3]]) pair[n++] = pair[i];
    }
    return n;
}

vo_result vo_candidates_swept(vo_candidates *c, const unsigned char *moved, int *count,
                              const vo_feature_pair **pairs) {
    *count = c->swept_count = 0;
    *pairs = NULL;
    VO_TRY(search(c, true, 0, visit_swept));
    if (moved) c->swept_count = keep_moved(c->swept_count, c->swept, moved);
    *count = c->swept_count;
    *pairs = c->swept;
    return VO_OK;
}

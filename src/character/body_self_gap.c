/* Self gap of moving bodies (character/self_gap.h).
 *
 * Offsets are computed at multiples of the sample interval, k * step, and interpolated linearly,
 * because computing them is expensive and they change slowly. Offsets are interpolated instead of
 * depths because normals of crumpled skin can flip quickly, which would move nodes discontinuously;
 * with interpolated offsets a node with inset d moves at most 2 d / step faster than the bare skin.
 *
 * An evaluator caches the two keys around its time, so a simulation computes one key per frame. A
 * key depends on k alone, so positions remain a function of time. */
#include "character/body_private.h"
#include "character/self_gap.h"
#include "core/memory.h"
#include "core/parallel.h"

#include <limits.h>
#include <string.h>

enum { NO_KEY = INT_MIN };

vo_result vo_body_gap_init(vo_body_evaluator *evaluator) {
    const vo_body *body = evaluator->body;
    const vo_mesh *rest = body->rest;
    if (!body->has_motion || body->self_gap == 0 || rest == NULL) return VO_OK;
    int n = rest->node_count, faces;
    evaluator->pose = vo_new_array(evaluator->ctx, vo_vec3, n);
    for (int i = 0; i < 2; i++)
        evaluator->gap_key[i] = (vo_body_gap_key){NO_KEY, vo_new_array(evaluator->ctx, vo_vec3, n)};
    if (!evaluator->pose || !evaluator->gap_key[0].offset || !evaluator->gap_key[1].offset)
        return vo_fail_memory(evaluator->ctx, "a moving body");
    vo_body_face *face = vo_body_faces(body, &faces);
    return vo_self_gap_create(evaluator->ctx, n, rest->node_x, faces, face, &evaluator->self_gap);
}

void vo_body_gap_free(vo_body_evaluator *evaluator) {
    int n = vo_body_node_count(evaluator->body);
    vo_self_gap_destroy(evaluator->self_gap);
    vo_free_array(evaluator->ctx, evaluator->pose, n);
    for (int i = 0; i < 2; i++) vo_free_array(evaluator->ctx, evaluator->gap_key[i].offset, n);
}

static void compute_key(vo_body_evaluator *evaluator, vo_body_gap_key *at) {
    int count = vo_body_node_count(evaluator->body);
    vo_body_eval_without_gap(evaluator, at->key * evaluator->body->sample_interval,
                             evaluator->pose);
    memcpy(at->offset, evaluator->pose, (size_t)count * sizeof *evaluator->pose);
    vo_self_gap_resolve(evaluator->self_gap, evaluator->body->self_gap, at->offset);
    for (int n = 0; n < count; n++) at->offset[n] = v3_sub(at->offset[n], evaluator->pose[n]);
}

/* Returns the offsets at a key. The cached key `other`, which is also needed, is kept. */
static const vo_vec3 *offsets_at(vo_body_evaluator *evaluator, int key, int other) {
    for (int i = 0; i < 2; i++)
        if (evaluator->gap_key[i].key == key) return evaluator->gap_key[i].offset;
    vo_body_gap_key *slot = &evaluator->gap_key[evaluator->gap_key[0].key == other];
    slot->key = key;
    compute_key(evaluator, slot);
    return slot->offset;
}

typedef struct offset_work {
    const vo_vec3 *a, *b;
    double fraction;
    vo_vec3 *x;
} offset_work;

static void add_offsets(void *arg, int begin, int end, int chunk) {
    const offset_work *s = arg;
    (void)chunk;
    for (int n = begin; n < end; n++)
        s->x[n] = v3_add(s->x[n], v3_lerp(s->a[n], s->b[n], s->fraction));
}

void vo_body_gap_apply(vo_body_evaluator *evaluator, double t, vo_vec3 *x) {
    if (!evaluator->self_gap) return;
    double at = vo_clamp(t / evaluator->body->sample_interval, -1e9, 1e9), nearest = round(at);
    /* times within a millionth of a frame snap to it, so that one key suffices */
    if (fabs(at - nearest) < 1e-6) at = nearest;
    int key = (int)floor(at), next = at == nearest ? key : key + 1;
    offset_work s = {.fraction = at - key, .x = x};
    s.a = offsets_at(evaluator, key, next);
    s.b = offsets_at(evaluator, next, key);
    vo_parallel_for(evaluator->ctx, vo_body_node_count(evaluator->body), 1024, add_offsets, &s);
}

/* Upsampling of a cloth once per world step (Kavan et al. 2011). */
#include "rt/detail/operator.h"

#include <string.h>

/* --- Memory --------------------------------------------------------------------------------- */

int vo_rt_upsample_rank(const vo_rt_asset *asset) {
    int rank = 0;
    for (int k = 0; k < asset->detail.operator_count; k++)
        if (asset->detail.operators[k].rank > rank) rank = asset->detail.operators[k].rank;
    return (int)vo_rt_strips(rank) * VO_RT_STRIP;
}

int vo_rt_upsample_history(const vo_rt_asset *asset) {
    int history = 0;
    for (int k = 0; k < asset->detail.operator_count; k++)
        if (asset->detail.operators[k].history > history)
            history = asset->detail.operators[k].history;
    return history;
}

/* Reserves points in the block; returns NULL while `memory` is NULL. */
static vo_rt_vec4 *take(vo_rt_upsample *u, size_t *used, size_t count) {
    void *array = u->memory ? (char *)u->memory + *used : NULL;
    *used += (count * sizeof(vo_rt_vec4) + 63) & ~(size_t)63;
    return array;
}

/* Sets the arrays; returns the size of the block. */
static size_t divide(vo_rt_upsample *u, const vo_rt_asset *asset) {
    size_t used = 0, nodes = (size_t)u->padded, vertices = (size_t)asset->vertex_count;
    size_t states = vertices * (size_t)(1 + u->history);
    u->current = take(u, &used, nodes);
    u->previous = take(u, &used, nodes);
    u->normal = take(u, &used, nodes);
    u->input = take(u, &used, states);
    u->scaled = take(u, &used, states);
    u->sample = take(u, &used, states);
    u->last = take(u, &used, vertices);
    u->product = take(u, &used, (size_t)vo_rt_upsample_rank(asset));
    u->tangent = take(u, &used, (size_t)asset->detail.vertex_count);
    return used;
}

bool vo_rt_upsample_init(vo_rt_upsample *u, const vo_allocator *allocator,
                         const vo_rt_asset *asset) {
    *u = (vo_rt_upsample){0};
    if (asset->detail.node_count == 0) return true;
    u->padded = (int)vo_rt_strips(asset->detail.node_count) * VO_RT_STRIP;
    u->history = vo_rt_upsample_history(asset);
    for (int k = 0; k < asset->detail.operator_count; k++)
        if (asset->detail.operators[k].history > 0)
            u->history_s = asset->detail.operators[k].history_s;
    u->memory_bytes = divide(u, asset);
    u->memory = allocator->allocate(allocator->user, u->memory_bytes, 64);
    if (!u->memory) return false;
    memset(u->memory, 0, u->memory_bytes);
    divide(u, asset);
    return true;
}

void vo_rt_upsample_free(vo_rt_upsample *u, const vo_allocator *allocator) {
    if (u->memory) allocator->release(allocator->user, u->memory, u->memory_bytes);
    *u = (vo_rt_upsample){0};
}

/* --- Publication ---------------------------------------------------------------------------- */

/* Amplitude of the modes for a wind relative to that of the training data: quadratic in weak wind,
 * like the pressure, limited in strong wind by the length of the cloth. */
static float amplitude(const vo_rt_operator_record *r, float wind) {
    if (!(r->mode_wind > 0)) return 1;
    float s = wind / r->mode_wind;
    return 2 * s * s / (1 + s * s);
}

/* Adds the modes of an operator; normals are those of the nodes without modes. */
static void add_modes(const vo_rt_upsample *u, const vo_rt_upsample_frame *f, int index,
                      vo_rt_vec4 *out) {
    const vo_rt_asset_detail *d = &f->asset->detail;
    const vo_rt_operator_record *r = &d->operators[index];
    float sine[VO_RT_MAX_OPERATOR_MODES], cosine[VO_RT_MAX_OPERATOR_MODES];
    float height = u->head.weight[index] * amplitude(r, u->head.wind);
    if (r->mode_count == 0 || !(height > 0)) return;
    for (int k = 0; k < r->mode_count; k++) {
        sine[k] = height * sinf(u->head.phase[index][k]);
        cosine[k] = height * cosf(u->head.phase[index][k]);
    }
    f->kernels->add_modes(d->node_count, r->mode_count, d->number + r->modes + VO_RT_STRIP, sine,
                          cosine, u->normal, out);
}

static void oscillate(vo_rt_upsample *u, const vo_rt_upsample_frame *f, vo_rt_vec4 *out) {
    const vo_rt_asset_detail *d = &f->asset->detail;
    bool has_modes = false;
    for (int k = 0; k < d->operator_count; k++)
        has_modes |= d->operators[k].mode_count > 0 && u->head.weight[k] > 0;
    if (!has_modes) return;
    f->kernels->compute_normals(d, out, u->normal);
    for (int k = 0; k < d->operator_count; k++) add_modes(u, f, k, out);
}

/* Back to world space. */
static void add_origin(const vo_rt_upsample *u, int count, vo_rt_vec4 *out) {
    vo_rt_vec4 origin = f4_make(u->origin, 0);
    for (int i = 0; i < count; i++) {
        out[i].x += origin.x;
        out[i].y += origin.y;
        out[i].z += origin.z;
        out[i].w = 0;
    }
}

static void measure_bounds(vo_rt_upsample *u, int count) {
    vo_rt_vec3 low = f4_xyz(u->current[0]), high = low;
    for (int i = 1; i < count; i++) {
        low = f3_min(low, f4_xyz(u->current[i]));
        high = f3_max(high, f4_xyz(u->current[i]));
    }
    u->head.min = low;
    u->head.max = high;
}

void vo_rt_upsample_begin(vo_rt_upsample *u, const vo_rt_upsample_frame *f) {
    const vo_rt_asset_detail *d = &f->asset->detail;
    vo_rt_vec4 *next = u->previous;
    vo_rt_upsample_sample(u, f);
    vo_rt_upsample_evaluate(f->kernels, f->asset, u->head.weight, u->input,
                            (vo_rt_upsample_scratch){u->product, u->scaled}, next);
    oscillate(u, f, next);
    add_origin(u, d->node_count, next);
    vo_rt_upsample_blend(u, f, next);
    u->previous = u->current;
    u->current = next;
    measure_bounds(u, d->node_count);
}

static void copy_to_previous(vo_rt_upsample *u) {
    memcpy(u->previous, u->current, (size_t)u->padded * sizeof *u->current);
}

void vo_rt_upsample_end(vo_rt_upsample *u, const vo_rt_upsample_frame *f) {
    u->pushed = u->inside = 0;
    if (f->body_count > 0) vo_rt_upsample_push(u, f);
    f->kernels->compute_normals(&f->asset->detail, u->current, u->normal);
    if (!u->head.has_output || u->head.was_skipped) copy_to_previous(u);
    u->head.has_output = 1;
    u->head.was_skipped = 0;
}

/* s after which weights and wind have settled. */
static const float SETTLING_TIME = 1;

static bool oscillates(const vo_rt_upsample *u, const vo_rt_asset *asset) {
    for (int k = 0; k < asset->detail.operator_count; k++) {
        const vo_rt_operator_record *r = &asset->detail.operators[k];
        if (r->mode_count > 0 && u->head.weight[k] * amplitude(r, u->head.wind) > 1e-4f)
            return true;
    }
    return false;
}

bool vo_rt_upsample_is_settled(vo_rt_upsample *u, const vo_rt_asset *asset, bool is_asleep,
                               float dt) {
    float limit = SETTLING_TIME + (float)u->history * u->history_s;
    u->head.still_time = is_asleep ? f_min(u->head.still_time + dt, 2 * limit) : 0;
    return u->head.still_time > limit && u->head.has_output && !u->head.was_skipped &&
           !oscillates(u, asset);
}

void vo_rt_upsample_hold(vo_rt_upsample *u) {
    copy_to_previous(u);
    u->pushed = u->inside = 0;
}

void vo_rt_upsample_skip(vo_rt_upsample *u, const vo_rt_upsample_frame *f) {
    vo_rt_upsample_sample(u, f);
    copy_to_previous(u);
    u->head.was_skipped = 1;
    u->pushed = u->inside = 0;
}

void vo_rt_upsample_reset(vo_rt_upsample *u) { u->head.has_output = 0; }

static void shift(vo_rt_vec4 *x, size_t count, vo_rt_vec3 offset) {
    for (size_t i = 0; i < count; i++) x[i] = f4_make(f3_sub(f4_xyz(x[i]), offset), x[i].w);
}

void vo_rt_upsample_shift(vo_rt_upsample *u, const vo_rt_asset *asset, vo_rt_vec3 offset) {
    if (!u->memory) return;
    size_t vertices = (size_t)asset->vertex_count, nodes = (size_t)asset->detail.node_count;
    shift(u->current, nodes, offset);
    shift(u->previous, nodes, offset);
    shift(u->sample, vertices * (size_t)(1 + u->history), offset);
    shift(u->last, vertices, offset);
    u->head.min = f3_sub(u->head.min, offset);
    u->head.max = f3_sub(u->head.max, offset);
}

#include "upsample/fit/evaluate.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 32, GRAIN = 64 }; /* frames evaluated at a time; vertices per task */

/* ---- positions ------------------------------------------------------------------------------ */

typedef struct block {
    const vo_upsample_products *products;
    const vo_upsample_operator *op;
    int first_frame, count;
    double *position;     /* [N][3 count] */
    double *partial;      /* [chunks][3]: squared error, squared error of the base, largest */
    double *normal;       /* [N][3] of one frame at a time */
    double *displacement; /* [N][frames] */
    int frame;            /* within the block */
} block;

/* B p_c of a vertex in a frame */
static void apply_base(const block *b, int frame, int i, double x[3]) {
    const vo_upsample_pairs *p = b->products->pairs;
    const vo_upsample_operator *op = b->op;
    const float *coarse = p->coarse_frames + (size_t)frame * (size_t)p->coarse.vertex_count * 3;
    x[0] = x[1] = x[2] = 0;
    for (int k = op->base_first[i]; k < op->base_first[i + 1]; k++)
        for (int c = 0; c < 3; c++)
            x[c] += (double)op->base_weight[k] * (double)coarse[3 * op->base_column[k] + c];
}

static void add_base(void *arg, int begin, int end, int chunk) {
    const block *b = arg;
    (void)chunk;
    for (int i = begin; i < end; i++)
        for (int f = 0; f < b->count; f++) {
            double x[3], *row = b->position + (size_t)i * 3 * (size_t)b->count + 3 * (size_t)f;
            apply_base(b, b->first_frame + f, i, x);
            for (int c = 0; c < 3; c++) row[c] += x[c];
        }
}

vo_result vo_upsample_evaluate(const vo_upsample_products *p, const vo_upsample_operator *op,
                               int first_frame, int count, double *out) {
    block b = {.products = p, .op = op, .first_frame = first_frame, .count = count};
    b.position = out;
    VO_TRY(vo_upsample_predict(p, op->residual, first_frame, count, out));
    vo_parallel_for(p->ctx, p->fine_count, GRAIN, add_base, &b);
    return VO_OK;
}

/* Evaluates the next block of frames; false at the end. */
static bool advance(block *b, vo_result *result) {
    int frames = b->products->pairs->frame_count;
    b->first_frame += b->count;
    b->count = frames - b->first_frame < BLOCK ? frames - b->first_frame : BLOCK;
    if (*result != VO_OK || b->count <= 0) return false;
    *result = vo_check_cancel(b->products->ctx);
    if (*result == VO_OK)
        *result = vo_upsample_evaluate(b->products, b->op, b->first_frame, b->count, b->position);
    return *result == VO_OK;
}

/* ---- errors --------------------------------------------------------------------------------- */

static double distance2(const double *a, const float *b) {
    double sum = 0;
    for (int c = 0; c < 3; c++) sum += (a[c] - (double)b[c]) * (a[c] - (double)b[c]);
    return sum;
}

static void sum_errors(void *arg, int begin, int end, int chunk) {
    const block *b = arg;
    const vo_upsample_pairs *p = b->products->pairs;
    double *partial = b->partial + 3 * (size_t)chunk;
    for (int i = begin; i < end; i++)
        for (int f = 0; f < b->count; f++) {
            size_t frame = (size_t)(b->first_frame + f);
            const float *fine =
                p->fine_frames + (frame * (size_t)p->fine.vertex_count + (size_t)i) * 3;
            double base[3];
            apply_base(b, (int)frame, i, base);
            double e =
                distance2(b->position + ((size_t)i * (size_t)b->count + (size_t)f) * 3, fine);
            partial[0] += e;
            partial[1] += distance2(base, fine);
            partial[2] = fmax(partial[2], e);
        }
}

static vo_upsample_error finish_errors(const block *b, int chunks) {
    double sum[3] = {0};
    double count = (double)b->products->fine_count * b->products->pairs->frame_count;
    for (int i = 0; i < chunks; i++) {
        sum[0] += b->partial[3 * i];
        sum[1] += b->partial[3 * i + 1];
        sum[2] = fmax(sum[2], b->partial[3 * i + 2]);
    }
    float rms = (float)sqrt(sum[0] / count);
    return (vo_upsample_error){rms, (float)sqrt(sum[2]), (float)sqrt(sum[1] / count), rms};
}

static vo_result measure(const vo_upsample_products *p, const vo_upsample_operator *op,
                         vo_upsample_error *error) {
    block b = {.products = p, .op = op};
    size_t size = (size_t)p->fine_count * 3 * BLOCK;
    int chunks = vo_chunk_count(p->fine_count, GRAIN);
    b.position = vo_new_array(p->ctx, double, size);
    b.partial = vo_alloc_zero(p->ctx, (size_t)chunks * 3 * sizeof(double));
    vo_result result =
        b.position && b.partial ? VO_OK : vo_fail_memory(p->ctx, "the error of an operator");
    while (advance(&b, &result)) vo_parallel_for(p->ctx, p->fine_count, GRAIN, sum_errors, &b);
    if (result == VO_OK) *error = finish_errors(&b, chunks);
    vo_free_array(p->ctx, b.position, size);
    vo_free_array(p->ctx, b.partial, 3 * (size_t)chunks);
    return result;
}

/* Frames between the states of the history. */
static int history_step(const vo_upsample_pairs *pairs, const vo_upsample_operator *op) {
    int step = pairs->frame_s > 0 ? (int)lroundf(op->history_s / pairs->frame_s) : 1;
    return step < 1 ? 1 : step;
}

vo_result vo_upsample_measure_error(const vo_upsample_pairs *pairs, const vo_upsample_operator *op,
                                    vo_upsample_error *error) {
    vo_upsample_products *products;
    if (pairs->fine.vertex_count != op->fine_count ||
        pairs->coarse.vertex_count != op->coarse_count)
        return vo_fail(pairs->ctx, VO_BAD_ARGUMENT,
                       "the operator maps %d to %d vertices, the frames have %d and %d",
                       op->coarse_count, op->fine_count, pairs->coarse.vertex_count,
                       pairs->fine.vertex_count);
    VO_TRY(vo_upsample_products_create(pairs, op->history, history_step(pairs, op), 0, &products));
    vo_result result = measure(products, op, error);
    vo_upsample_products_destroy(products);
    return result;
}

/* ---- residual along the normals ------------------------------------------------------------- */

static const double *position_of(const block *b, int i) {
    return b->position + ((size_t)i * (size_t)b->count + (size_t)b->frame) * 3;
}

/* Adds the area-weighted normal of a triangle to its vertices. */
static void add_normal(const block *b, const int32_t *t) {
    const double *p = position_of(b, t[0]), *q = position_of(b, t[1]), *r = position_of(b, t[2]);
    double u[3], v[3];
    for (int c = 0; c < 3; c++) u[c] = q[c] - p[c], v[c] = r[c] - p[c];
    double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) b->normal[3 * (size_t)t[k] + (size_t)c] += n[c];
}

static void project_frame(const block *b) {
    const vo_upsample_pairs *p = b->products->pairs;
    size_t n = (size_t)p->fine.vertex_count, frame = (size_t)(b->first_frame + b->frame);
    memset(b->normal, 0, n * 3 * sizeof *b->normal);
    for (int t = 0; t < p->fine.triangle_count; t++) add_normal(b, p->fine.triangle + 3 * t);
    for (size_t i = 0; i < n; i++) {
        const double *m = b->normal + 3 * i, *x = position_of(b, (int)i);
        const float *fine = p->fine_frames + (frame * n + i) * 3;
        double size = sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]), sum = 0;
        for (int c = 0; c < 3; c++) sum += m[c] * ((double)fine[c] - x[c]);
        b->displacement[i * (size_t)p->frame_count + frame] = size > 0 ? sum / size : 0;
    }
}

vo_result vo_upsample_normal_residual(const vo_upsample_products *p, const vo_upsample_operator *op,
                                      double *displacement) {
    block b = {.products = p, .op = op, .displacement = displacement};
    size_t size = (size_t)p->fine_count * 3;
    b.position = vo_new_array(p->ctx, double, size *BLOCK);
    b.normal = vo_new_array(p->ctx, double, size);
    vo_result result = b.position && b.normal ? VO_OK : vo_fail_memory(p->ctx, "residuals");
    while (advance(&b, &result))
        for (b.frame = 0; b.frame < b.count; b.frame++) project_frame(&b);
    vo_free_array(p->ctx, b.position, size * BLOCK);
    vo_free_array(p->ctx, b.normal, size);
    return result;
}

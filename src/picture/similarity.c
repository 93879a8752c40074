#include "picture/similarity.h"

#include "core/parallel.h"
#include "math/vec.h"

#include <stdlib.h>

enum { CHUNKS = 64 }; /* maximum number of row chunks */

typedef struct sums {
    int64_t pixels[2], both;
    double angle, depth;
} sums;

typedef struct pair {
    const vo_gbuffer *a, *b;
    sums sum[CHUNKS];
} pair;

static void add_pixel(const pair *p, size_t at, sums *sum) {
    double a = (double)p->a->depth[at], b = (double)p->b->depth[at];
    sum->pixels[0] += a > 0;
    sum->pixels[1] += b > 0;
    if (!(a > 0 && b > 0)) return;
    sum->both++;
    sum->angle += v3_unit_angle(vo_gbuffer_normal(p->a, at), vo_gbuffer_normal(p->b, at));
    sum->depth += fabs(a - b);
}

static void add_rows(void *arg, int begin, int end, int chunk) {
    pair *p = arg;
    size_t width = (size_t)p->a->width;
    sums sum = {0};
    for (size_t at = (size_t)begin * width; at < (size_t)end * width; at++) add_pixel(p, at, &sum);
    p->sum[chunk] = sum;
}

vo_similarity vo_similarity_measure(vo_context *ctx, const vo_gbuffer *a, const vo_gbuffer *b) {
    VO_REQUIRE(ctx, a->width == b->width && a->height == b->height);
    int grain = (a->height + CHUNKS - 1) / CHUNKS;
    pair p = {.a = a, .b = b};
    vo_parallel_for(ctx, a->height, grain, add_rows, &p);
    vo_similarity out = {0};
    for (int i = 0; i < vo_chunk_count(a->height, grain); i++) {
        for (int k = 0; k < 2; k++) out.pixels[k] += p.sum[i].pixels[k];
        out.both += p.sum[i].both;
        out.angle += p.sum[i].angle;
        out.depth += p.sum[i].depth;
    }
    double both = (double)out.both, either = (double)(out.pixels[0] + out.pixels[1]) - both;
    out.silhouette_iou = either > 0 ? both / either : NAN;
    out.angle = both > 0 ? out.angle / both : NAN;
    out.depth = both > 0 ? out.depth / both : NAN;
    return out;
}

/* ---- quantiles ------------------------------------------------------------------------------ */

double vo_quantile(int count, const double *sorted, double q) {
    if (count == 0) return NAN;
    double place = vo_clamp(q, 0, 1) * (count - 1);
    int at = vo_min_int((int)place, count - 1), next = vo_min_int(at + 1, count - 1);
    return sorted[at] + (place - at) * (sorted[next] - sorted[at]);
}

static int compare_reals(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void vo_sort_values(int count, double *value) {
    if (count) qsort(value, (size_t)count, sizeof *value, compare_reals);
}

/* Detail meshes with random operators for tests of upsampling. */
#ifndef VOILE_TESTS_RT_DETAIL_FIXTURE_H
#define VOILE_TESTS_RT_DETAIL_FIXTURE_H

#include "rt_fixture.h"

#include "core/random.h"
#include "rt/detail/operator.h"

enum { RT_FINE = 33, RT_FINE_NODES = RT_FINE * RT_FINE };

/* A detail mesh of RT_FINE^2 nodes for the sheet of rt_sheet, with its arrays. */
typedef struct rt_detail {
    vo_rt_detail_def def;
    vo_rt_operator_def op[VO_RT_MAX_OPERATORS];
    vo_rt_vec3 position[RT_FINE_NODES];
    vo_rt_vec2 uv[RT_FINE_NODES];
    float attachment[RT_FINE_NODES];
    int32_t triangle[6 * RT_FINE_NODES];
    int32_t first[RT_FINE_NODES + 1], column[3 * RT_FINE_NODES];
    float weight[3 * RT_FINE_NODES];
    void *memory[64]; /* of operators */
    int memory_count;
} rt_detail;

static inline void *rt_detail_alloc(rt_detail *d, size_t count, size_t size) {
    assert_true(d->memory_count < 64);
    void *memory = calloc(count ? count : 1, size);
    assert_non_null(memory);
    return d->memory[d->memory_count++] = memory;
}

static inline void rt_detail_free(rt_detail *d) {
    for (int i = 0; i < d->memory_count; i++) free(d->memory[i]);
    free(d);
}

/* Barycentric row of a fine node: the triangles of rt_grid_triangles are (a, a + n, b), (b, a + n,
 * b + n) for a cell with the upper corners a and b. */
static inline void rt_detail_add_row(rt_detail *d, int node, float u, float v) {
    int cells = RT_GRID - 1, j = (int)(u * (float)cells), i = (int)(v * (float)cells);
    j = j < cells ? j : cells - 1;
    i = i < cells ? i : cells - 1;
    float s = u * (float)cells - (float)j, t = v * (float)cells - (float)i;
    int a = i * RT_GRID + j, b = a + 1, below = a + RT_GRID;
    int32_t *column = d->column + 3 * node;
    float *weight = d->weight + 3 * node;
    bool upper = s + t <= 1;
    column[0] = upper ? a : below + 1, column[1] = b, column[2] = below;
    weight[1] = upper ? s : 1 - t, weight[2] = upper ? t : 1 - s;
    weight[0] = 1 - weight[1] - weight[2];
    d->first[node + 1] = 3 * (node + 1);
}

/* The sheet as of rt_sheet(size, lies, pins, ...), without operators. */
static inline rt_detail *rt_detail_create(const vo_rt_asset *asset) {
    rt_detail *d = calloc(1, sizeof *d);
    assert_non_null(d);
    for (int i = 0; i < RT_FINE; i++)
        for (int j = 0; j < RT_FINE; j++) {
            int node = i * RT_FINE + j;
            float u = (float)j / (RT_FINE - 1), v = (float)i / (RT_FINE - 1);
            rt_detail_add_row(d, node, u, v);
            d->uv[node] = f2(u, 1 - v);
            vo_rt_vec3 p = f3(0, 0, 0);
            for (int k = 3 * node; k < 3 * node + 3; k++) {
                p = f3_add_scaled(p, d->weight[k], asset->position[d->column[k]]);
                d->attachment[node] += d->weight[k] * asset->maps[d->column[k]].attachment;
            }
            d->attachment[node] = d->attachment[node] > 0.9999f ? 1 : 0;
            d->position[node] = p;
        }
    d->def = vo_rt_detail_def_default();
    d->def.node_count = d->def.vertex_count = RT_FINE_NODES;
    d->def.positions = d->position;
    d->def.uv = d->uv;
    d->def.triangle_count = rt_grid_triangles(RT_FINE, RT_FINE, false, d->triangle);
    d->def.triangles = d->triangle;
    d->def.base_first = d->first;
    d->def.base_columns = d->column;
    d->def.base_weights = d->weight;
    d->def.operators = d->op;
    return d;
}

/* Random matrix whose rows sum to 0 over each of `frames` groups of columns. */
static inline float *rt_detail_matrix(rt_detail *d, vo_random *random, int rows, int frames,
                                      int vertices, double size) {
    float *m = rt_detail_alloc(d, (size_t)(rows * frames * vertices), sizeof *m);
    for (int r = 0; r < rows * frames; r++) {
        float *row = m + (size_t)r * (size_t)vertices;
        double sum = 0;
        for (int j = 1; j < vertices; j++) {
            row[j] = (float)vo_random_real(random, -size, size);
            sum += (double)row[j];
        }
        row[0] = (float)-sum;
    }
    return m;
}

/* Adds an operator with random numbers. */
static inline vo_rt_operator_def *rt_detail_add(rt_detail *d, vo_random *random,
                                                vo_rt_operator_form form, int history, int rank,
                                                double size) {
    vo_rt_operator_def *op = &d->op[d->def.operator_count++];
    int frames = 1 + history;
    *op = vo_rt_operator_def_default();
    op->form = form;
    op->history = history;
    if (form == VO_RT_OPERATOR_DENSE) {
        op->residual = rt_detail_matrix(d, random, RT_FINE_NODES, frames, RT_GRID_VERTICES, size);
    } else if (form == VO_RT_OPERATOR_LOW_RANK) {
        float *left = rt_detail_alloc(d, (size_t)(RT_FINE_NODES * rank), sizeof *left);
        for (int i = 0; i < RT_FINE_NODES * rank; i++)
            left[i] = (float)vo_random_real(random, -1, 1);
        op->rank = rank;
        op->left = left;
        op->right = rt_detail_matrix(d, random, rank, frames, RT_GRID_VERTICES, size);
    } else {
        size_t most = (size_t)(RT_FINE_NODES * frames * rank);
        int32_t *first = rt_detail_alloc(d, RT_FINE_NODES + 1, sizeof *first);
        int32_t *column = rt_detail_alloc(d, most, sizeof *column);
        float *weight = rt_detail_alloc(d, most, sizeof *weight);
        for (int i = 0, at = 0; i < RT_FINE_NODES * frames; i++) {
            double sum = 0;
            int count = vo_random_int(random, rank + 1);
            for (int k = 0; k < count; k++, at++) {
                column[at] =
                    i % frames * RT_GRID_VERTICES + vo_random_int(random, RT_GRID_VERTICES);
                weight[at] =
                    k == count - 1 ? (float)-sum : (float)vo_random_real(random, -size, size);
                sum += (double)weight[at];
            }
            first[i / frames + 1] = at;
        }
        op->row_first = first;
        op->columns = column;
        op->weights = weight;
    }
    return op;
}

/* Adds random modes to an operator. */
static inline void rt_detail_add_modes(rt_detail *d, vo_random *random, vo_rt_operator_def *op,
                                       int count, double size) {
    size_t numbers = (size_t)count * RT_FINE_NODES;
    float *rate = rt_detail_alloc(d, (size_t)count, sizeof *rate);
    float *sine = rt_detail_alloc(d, numbers, sizeof *sine);
    float *cosine = rt_detail_alloc(d, numbers, sizeof *cosine);
    for (int k = 0; k < count; k++) rate[k] = (float)vo_random_real(random, 2, 20);
    for (size_t i = 0; i < numbers; i++) {
        sine[i] = (float)vo_random_real(random, -size, size);
        cosine[i] = (float)vo_random_real(random, -size, size);
    }
    op->mode_count = count;
    op->mode_rate = rate;
    op->mode_sine = sine;
    op->mode_cosine = cosine;
}

/* Asset with the detail mesh; the one without it is destroyed. */
static inline vo_rt_asset *rt_detail_finish(vo_rt_asset *asset, rt_detail *d) {
    vo_allocator allocator = rt_allocator(NULL);
    vo_rt_asset *out;
    vo_rt_message message = {{0}};
    if (vo_rt_asset_add_detail(&allocator, asset, &d->def, &out, &message) != VO_OK)
        fail_msg("%s", message.text);
    vo_rt_asset_destroy(asset);
    return out;
}

#endif

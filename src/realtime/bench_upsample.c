/* Upsampling in the size of the skirt of Kavan et al. 2011: 7,016 nodes from 196 base vertices. The
 * time does not depend on the numbers of an operator, so they are random. */
#include "realtime/bench.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/timer.h"
#include "math/simd_float.h"
#include "rt/detail/operator.h"

#include <stdio.h>
#include <string.h>

enum {
    COLUMNS = 14, /* of the base mesh; as many rows */
    VERTICES = COLUMNS * COLUMNS,
    FINE_COLUMNS = 84,
    NODES = 7016,
    FINE_TRIANGLES = 2 * (FINE_COLUMNS - 1) * (NODES / FINE_COLUMNS - 1),
    RANK = 48,
    ROW = 24, /* elements of a sparse row */
    EVALUATIONS = 40,
    CLOTH_STEPS = 60,
    CAPSULES = 15,
    EVICTED_BYTES = 96 << 20 /* more than the last level of the cache */
};

/* Arrays of a definition; about 14 MB. */
typedef struct arrays {
    vo_rt_vec3 base[VERTICES], position[NODES];
    int32_t base_triangle[6 * VERTICES], triangle[3 * FINE_TRIANGLES];
    int32_t first[NODES + 1], column[3 * NODES], row_first[NODES + 1], row_column[ROW * NODES];
    float weight[3 * NODES], row_weight[ROW * NODES], residual[NODES * VERTICES];
    float left[NODES * RANK], right[RANK * VERTICES];
    float attachment[VERTICES];
} arrays;

/* Triangles of a grid of `columns` by `rows` vertices; returns their number. */
static int add_grid(int columns, int rows, int32_t *out) {
    int count = 0;
    for (int i = 0; i + 1 < rows; i++)
        for (int j = 0; j + 1 < columns; j++) {
            int a = i * columns + j;
            const int32_t t[6] = {a, a + columns, a + 1, a + 1, a + columns, a + columns + 1};
            memcpy(out + 3 * count, t, sizeof t);
            count += 2;
        }
    return count;
}

/* Random rows that sum to 0. */
static void fill_rows(vo_random *random, float *matrix, int rows, int columns) {
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int j = 1; j < columns; j++) {
            float x = (float)vo_random_real(random, -1e-3, 1e-3);
            matrix[i * columns + j] = x;
            sum += (double)x;
        }
        matrix[i * columns] = (float)-sum;
    }
}

static void fill_node(arrays *a, int node) {
    float u = (float)(node % FINE_COLUMNS) / (FINE_COLUMNS - 1) * (COLUMNS - 1);
    float v = (float)(node / FINE_COLUMNS) / (FINE_COLUMNS - 1) * (COLUMNS - 1);
    int j = u < COLUMNS - 2 ? (int)u : COLUMNS - 2, i = v < COLUMNS - 2 ? (int)v : COLUMNS - 2;
    float s = u - (float)j, t = v - (float)i;
    const int32_t corner[3] = {i * COLUMNS + j, i * COLUMNS + j + 1, (i + 1) * COLUMNS + j};
    const float weight[3] = {1 - s - t, s, t};
    memcpy(a->column + 3 * node, corner, sizeof corner);
    memcpy(a->weight + 3 * node, weight, sizeof weight);
    a->position[node] = f3(u / (COLUMNS - 1), v / (COLUMNS - 1), 0);
    a->first[node + 1] = 3 * (node + 1);
    a->row_first[node + 1] = ROW * (node + 1);
}

static void fill(arrays *a) {
    vo_random random = vo_random_seed(1);
    for (int i = 0; i < VERTICES; i++) {
        a->base[i] = f3((float)(i % COLUMNS), (float)(i / COLUMNS), 0);
        a->base[i] = f3_scale(1.0f / (COLUMNS - 1), a->base[i]);
        a->attachment[i] = i < COLUMNS ? 1 : 0;
    }
    for (int i = 0; i < NODES; i++) fill_node(a, i);
    fill_rows(&random, a->residual, NODES, VERTICES);
    fill_rows(&random, a->right, RANK, VERTICES);
    fill_rows(&random, a->row_weight, NODES, ROW);
    for (int i = 0; i < NODES * RANK; i++) a->left[i] = (float)vo_random_real(&random, -1, 1);
    for (int i = 0; i < NODES * ROW; i++) a->row_column[i] = vo_random_int(&random, VERTICES);
}

/* Asset with one operator. */
static vo_result create_asset(vo_bench *b, arrays *a, vo_rt_operator_form form, vo_rt_asset **out) {
    vo_rt_operator_def op = vo_rt_operator_def_default();
    vo_rt_detail_def detail = vo_rt_detail_def_default();
    vo_rt_asset_def def = vo_rt_asset_def_default();
    vo_rt_message message = {{0}};
    vo_rt_asset *base = NULL;
    def.vertex_count = VERTICES;
    def.positions = a->base;
    def.triangle_count = add_grid(COLUMNS, COLUMNS, a->base_triangle);
    def.triangles = a->base_triangle;
    def.attachment = a->attachment;
    def.max_level = 0;
    op.form = form;
    op.residual = a->residual;
    op.rank = RANK;
    op.left = a->left;
    op.right = a->right;
    op.row_first = a->row_first;
    op.columns = a->row_column;
    op.weights = a->row_weight;
    detail.node_count = detail.vertex_count = NODES;
    detail.positions = a->position;
    detail.triangle_count = add_grid(FINE_COLUMNS, NODES / FINE_COLUMNS, a->triangle);
    detail.triangles = a->triangle;
    detail.base_first = a->first;
    detail.base_columns = a->column;
    detail.base_weights = a->weight;
    detail.operator_count = 1;
    detail.operators = &op;
    vo_result result = vo_rt_asset_create(&b->ctx->allocator, &def, &base, &message);
    if (result == VO_OK)
        result = vo_rt_asset_add_detail(&b->ctx->allocator, base, &detail, out, &message);
    vo_rt_asset_destroy(base);
    return result == VO_OK ? VO_OK : vo_bench_fail(b, result, message.text);
}

/* --- Operators -------------------------------------------------------------------------------- */

/* Memory of the evaluations. */
typedef struct rig {
    vo_rt_vec4 input[VERTICES], scaled[VERTICES], product[2 * VO_RT_STRIP];
    vo_rt_vec4 out[NODES + VO_RT_STRIP];
    char evicted[EVICTED_BYTES];
} rig;

static void evict(rig *r) {
    for (size_t i = 0; i < sizeof r->evicted; i += 64) r->evicted[i]++;
}

/* Best time of an evaluation, ms. */
static double time_operator(vo_bench *b, const vo_rt_asset *asset, rig *r, bool is_cold) {
    const vo_rt_operator_kernels *kernels = vo_rt_operator_select_kernels(vo_simd_has_avx2());
    const float one = 1;
    double best = 1e9;
    for (int i = 0; i < b->def->repeat * EVALUATIONS / (is_cold ? 4 : 1); i++) {
        if (is_cold) evict(r);
        double start = vo_now();
        vo_rt_upsample_evaluate(kernels, asset, &one, r->input,
                                (vo_rt_upsample_scratch){r->product, r->scaled}, r->out);
        double time = vo_now() - start;
        if (time < best) best = time;
    }
    return 1e3 * best;
}

static void report(vo_bench *b, const char *name, const char *text, double value, const char *unit,
                   double target, double paper, const char *limit) {
    vo_bench_report(b, (vo_bench_row){.name = name,
                                      .text = text,
                                      .value = value,
                                      .unit = unit,
                                      .target = target,
                                      .paper = paper,
                                      .limit = limit});
}

static vo_result report_dense(vo_bench *b, arrays *a, rig *r) {
    vo_rt_asset *asset;
    VO_TRY(create_asset(b, a, VO_RT_OPERATOR_DENSE, &asset));
    report(b, "upsampling-dense", "7,016 nodes from 196 vertices, dense operator in the cache",
           time_operator(b, asset, r, false), "ms", 0.10, 0.8, "multiplications, cache");
    report(b, "upsampling-cold", "the same with the caches overwritten in between",
           time_operator(b, asset, r, true), "ms", 0.35, 0.8, "memory");
    vo_rt_asset_destroy(asset);
    return VO_OK;
}

static vo_result report_compressed(vo_bench *b, arrays *a, rig *r) {
    vo_rt_asset *asset;
    VO_TRY(create_asset(b, a, VO_RT_OPERATOR_LOW_RANK, &asset));
    report(b, "upsampling-low-rank", "the same of rank 48, in half floats",
           time_operator(b, asset, r, false), "ms", 0.05, 0.8, "multiplications, conversion");
    report(b, "upsampling-bytes", "its size, with the base operator",
           (double)vo_rt_asset_get_info(asset).detail_bytes / 1024, "KB", 1024, (double)NAN,
           "rank");
    vo_rt_asset_destroy(asset);
    VO_TRY(create_asset(b, a, VO_RT_OPERATOR_SPARSE, &asset));
    report(b, "upsampling-sparse", "the same with 24 elements per row",
           time_operator(b, asset, r, false), "ms", (double)NAN, (double)NAN, "loads");
    vo_rt_asset_destroy(asset);
    return VO_OK;
}

/* --- Cloth ------------------------------------------------------------------------------------ */

/* A body of capsules in front of the hanging cloth. */
static vo_result add_capsules(vo_bench *b, vo_rt_world *world) {
    vo_rt_shape shapes[CAPSULES];
    for (int i = 0; i < CAPSULES; i++) {
        shapes[i] = vo_rt_shape_default(VO_RT_CAPSULE);
        shapes[i].radius = 0.08f;
        shapes[i].half_height = 0.12f;
        shapes[i].local.position = f3(0.2f * (float)(i % 5), -0.3f * (float)(i / 5), -0.07f);
    }
    vo_rt_body_def def = vo_rt_body_def_default();
    def.shapes = shapes;
    def.shape_count = CAPSULES;
    vo_rt_body *body;
    vo_result result = vo_rt_body_create(world, &def, &body);
    return result == VO_OK ? VO_OK : vo_bench_fail(b, result, vo_rt_world_message(world));
}

/* Mean of the best times of the stage, ms; `pushed`: nodes per step. */
static vo_result time_cloth(vo_bench *b, vo_rt_world *world, double *ms, double *pushed) {
    double best[CLOTH_STEPS];
    size_t bytes = vo_rt_world_save(world, NULL, 0);
    void *state = vo_alloc(b->ctx, bytes);
    if (!state) return vo_fail_memory(b->ctx, "a snapshot");
    vo_rt_world_save(world, state, bytes);
    *pushed = 0;
    for (int k = 0; k < CLOTH_STEPS; k++) best[k] = 1e9;
    for (int repeat = 0; repeat < b->def->repeat; repeat++) {
        (void)vo_rt_world_restore(world, state, bytes);
        for (int k = 0; k < CLOTH_STEPS; k++) {
            (void)vo_rt_world_step(world, 1 / 60.0f);
            vo_rt_stats stats = vo_rt_world_get_stats(world);
            if (stats.detail_s < best[k]) best[k] = stats.detail_s;
            if (repeat == 0) *pushed += (double)stats.detail_pushed / CLOTH_STEPS;
        }
    }
    vo_free(b->ctx, state, bytes);
    *ms = 1e3 * vo_bench_mean(best, CLOTH_STEPS);
    return VO_OK;
}

static vo_result report_cloth(vo_bench *b, arrays *a) {
    vo_rt_asset *asset = NULL;
    vo_rt_world *world = NULL;
    vo_rt_message message = {{0}};
    char text[120];
    double ms = 0, pushed = 0;
    VO_TRY(create_asset(b, a, VO_RT_OPERATOR_DENSE, &asset));
    vo_rt_world_def def = vo_bench_world_def(b, 1);
    def.gravity = f3(0, -9.81f, 0);
    vo_result result = vo_rt_world_create(&def, &world, &message);
    if (result == VO_OK) {
        vo_rt_cloth_def cloth_def = vo_rt_cloth_def_default();
        vo_rt_cloth *cloth;
        cloth_def.asset = asset;
        result = vo_rt_cloth_create(world, &cloth_def, &cloth);
    }
    if (result == VO_OK) result = vo_rt_world_set_wind(world, f3(0, 0, -4), 0.3f);
    result = result == VO_OK ? add_capsules(b, world) : vo_bench_fail(b, result, message.text);
    if (result == VO_OK) result = time_cloth(b, world, &ms, &pushed);
    snprintf(text, sizeof text,
             "stage of a cloth with the dense operator, %.0f nodes moved out of %d capsules, "
             "normals",
             pushed, CAPSULES);
    if (result == VO_OK)
        report(b, "upsampling-cloth", text, ms, "ms", (double)NAN, (double)NAN,
               "operator, normals");
    vo_rt_world_destroy(world);
    vo_rt_asset_destroy(asset);
    return result;
}

vo_result vo_bench_upsampling(vo_bench *b) {
    size_t bytes = sizeof(arrays) + sizeof(rig) + 128;
    char *memory = vo_alloc_zero(b->ctx, bytes);
    if (!memory) return vo_fail_memory(b->ctx, "operators");
    rig *r = (rig *)(void *)(memory + 63 - ((uintptr_t)memory + 63) % 64);
    arrays *a = (arrays *)(void *)(r + 1);
    fill(a);
    for (int i = 0; i < VERTICES; i++) r->input[i] = f4_make(a->base[i], 0);
    vo_result result = report_dense(b, a, r);
    if (result == VO_OK) result = report_compressed(b, a, r);
    if (result == VO_OK) result = report_cloth(b, a);
    vo_free(b->ctx, memory, bytes);
    return result;
}

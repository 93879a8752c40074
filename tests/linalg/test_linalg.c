/* Tests of patterns, products, the block factor and the numbering, each against brute force. */
#include "linalg_dense.h"

#include "linalg/block_factor.h"
#include "linalg/coarse.h"
#include "linalg/dissection.h"
#include "linalg/inverse3.h"
#include "linalg/ordering.h"

/* ---- pattern -------------------------------------------------------------------------------- */

enum { ROWS = 40, PAIRS = 90 };

static void random_pairs(int (*pairs)[2], uint64_t seed) {
    vo_random random = vo_random_seed(seed);
    for (int k = 0; k < PAIRS; k++) {
        pairs[k][0] = vo_random_int(&random, ROWS);
        pairs[k][1] = k % 7 == 0 ? pairs[k][0] : vo_random_int(&random, ROWS);
        if (k % 5 == 4) pairs[k][0] = pairs[k - 1][1], pairs[k][1] = pairs[k - 1][0];
    }
}

static void check_pattern(const vo_block_pattern *p, const int (*pairs)[2]) {
    bool coupled[ROWS][ROWS] = {{false}};
    for (int i = 0; i < ROWS; i++) coupled[i][i] = true;
    for (int k = 0; k < PAIRS; k++)
        coupled[pairs[k][0]][pairs[k][1]] = coupled[pairs[k][1]][pairs[k][0]] = true;
    int count = 0;
    for (int i = 0; i < ROWS; i++) {
        assert_int_equal(p->row_start[i], count);
        for (int j = 0; j < ROWS; j++) {
            int found = vo_block_pattern_find(p, i, j);
            assert_int_equal(found, coupled[i][j] ? count : -1);
            if (!coupled[i][j]) continue;
            assert_int_equal(p->column[count], j);
            assert_int_equal(p->transpose[count], vo_block_pattern_find(p, j, i));
            if (i == j) assert_int_equal(p->diagonal[i], count);
            count++;
        }
    }
    assert_int_equal(p->row_start[ROWS], count);
    assert_int_equal(p->block_count, count);
}

static void pattern_contains_all_pairs(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (uint64_t seed = 0; seed < 50; seed++) {
        int pairs[PAIRS][2];
        random_pairs(pairs, seed);
        vo_block_pattern p;
        assert_ok(ctx, vo_block_pattern_build(ctx, ROWS, PAIRS, (const int(*)[2])pairs, &p));
        check_pattern(&p, (const int(*)[2])pairs);
        assert_int_equal(vo_block_pattern_find(&p, -1, 0), -1);
        assert_int_equal(vo_block_pattern_find(&p, ROWS, 0), -1);
        assert_int_equal(vo_block_pattern_find(&p, 0, ROWS), -1);
        vo_block_pattern_free(&p);
    }
    vo_context_destroy(ctx);
}

static void pattern_rejects_invalid_rows(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const int high[][2] = {{0, 1}, {2, 3}}, low[][2] = {{-1, 0}};
    vo_block_pattern p;
    assert_int_equal(vo_block_pattern_build(ctx, 3, 2, high, &p), VO_BAD_ARGUMENT);
    assert_string_equal(vo_context_message(ctx), "block pattern: pair 1 names row 3 of 3");
    assert_int_equal(vo_block_pattern_build(ctx, 3, 1, low, &p), VO_BAD_ARGUMENT);
    assert_int_equal(vo_block_pattern_build(ctx, -1, 0, NULL, &p), VO_BAD_ARGUMENT);
    assert_int_equal(vo_block_pattern_build(ctx, 3, 2000000000, NULL, &p), VO_BAD_ARGUMENT);
    vo_block_pattern_free(&p);
    vo_context_destroy(ctx);
}

static void empty_matrix_is_valid(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    block_system s;
    make_system(&s, ctx, 0, 0, NULL);
    vo_block_matrix_symmetrise(ctx, &s.a);
    vo_block_matrix_multiply(ctx, &s.a, s.b, s.x);
    vo_pcg *pcg;
    assert_ok(ctx, vo_pcg_create(ctx, &s.pattern, &pcg));
    for (int p = 0; p < 2; p++) {
        vo_pcg_def def = {
            .preconditioner = (vo_preconditioner)p, .tolerance = 1e-3, .max_iterations = 10};
        assert_true(vo_pcg_solve(pcg, &def, &s.a, s.b, s.x).converged);
    }
    vo_pcg_destroy(pcg);
    free_system(&s);
    vo_context_destroy(ctx);
}

/* ---- product -------------------------------------------------------------------------------- */

static void check_product(const block_system *s, const vo_vec4 *y) {
    int n = 3 * s->pattern.row_count;
    double *d = dense_matrix(s), *x = dense_vector(s->b, s->pattern.row_count);
    double *expected = calloc((size_t)n, sizeof *expected);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) expected[i] += d[i * n + j] * x[j];
    assert_close(y, expected, s->pattern.row_count, 1e-14);
    for (int i = 0; i < s->pattern.row_count; i++) assert_true(y[i].w == 0);
    free(d), free(x), free(expected);
}

static void product_agrees_with_dense_matrix(void **state) {
    (void)state;
    vo_context *ctx = test_context(3);
    for (int avx2 = 0; avx2 < 2; avx2++) {
        if (avx2 && !ctx->use_avx2) break;
        bool had = ctx->use_avx2;
        ctx->use_avx2 = avx2;
        for (uint64_t seed = 0; seed < 4; seed++) {
            block_system s;
            make_random_system(&s, ctx, 1 + (int)seed * 130, 60, 0, seed);
            vo_block_matrix_multiply(ctx, &s.a, s.b, s.x);
            check_product(&s, s.x);
            free_system(&s);
        }
        ctx->use_avx2 = had;
    }
    vo_context_destroy(ctx);
}

/* Product and symmetrised matrix, by threads and instruction set. */
static void product_with(int threads, bool avx2, vo_vec4 *y, float *blocks, int rows) {
    vo_context *ctx = test_context(threads);
    ctx->use_avx2 = ctx->use_avx2 && avx2;
    block_system s;
    make_random_system(&s, ctx, rows, 60, 0, 9);
    vo_block_matrix_multiply(ctx, &s.a, s.b, y);
    memcpy(blocks, s.a.block, (size_t)s.pattern.block_count * VO_BLOCK_FLOATS * sizeof *blocks);
    free_system(&s);
    vo_context_destroy(ctx);
}

static void product_is_independent_of_kernel_and_threads(void **state) {
    (void)state;
    enum { MANY = 1500 };
    static vo_vec4 one[MANY], other[MANY];
    static float one_blocks[7 * MANY * VO_BLOCK_FLOATS], blocks[7 * MANY * VO_BLOCK_FLOATS];
    product_with(1, false, one, one_blocks, MANY);
    for (int threads = 1; threads <= 3; threads++) {
        memset(other, 1, sizeof other);
        product_with(threads, true, other, blocks, MANY);
        assert_memory_equal(one, other, sizeof one);
        assert_memory_equal(one_blocks, blocks, sizeof blocks);
    }
}

/* ---- inverse and coarse factor -------------------------------------------------------------- */

static void block_inverse_is_exact(void **state) {
    (void)state;
    vo_random random = vo_random_seed(3);
    for (int n = 0; n < 1000; n++) {
        double g[9], m[12] = {0}, inverse[12];
        for (int k = 0; k < 9; k++) g[k] = vo_random_real(&random, -1, 1);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) {
                m[4 * c + r] = r == c ? 1e-3 : 0;
                for (int k = 0; k < 3; k++) m[4 * c + r] += g[3 * r + k] * g[3 * c + k];
            }
        assert_true(vo_invert3(m, inverse));
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) {
                double sum = 0;
                for (int k = 0; k < 3; k++) sum += m[4 * k + r] * inverse[4 * c + k];
                assert_near(sum, r == c, 1e-8);
            }
        m[5] = -m[5];
        assert_false(vo_invert3(m, inverse));
        for (int k = 0; k < 12; k++) assert_true(inverse[k] == 0);
    }
    double bad[12] = {NAN, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, inverse[12];
    assert_false(vo_invert3(bad, inverse));
    double flat[12] = {1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0};
    assert_false(vo_invert3(flat, inverse));
}

static void check_permutation(const int *row_of, int count) {
    bool *seen = calloc((size_t)count + 1, sizeof *seen);
    for (int i = 0; i < count; i++) {
        assert_in_range(row_of[i], 0, count - 1);
        assert_false(seen[row_of[i]]);
        seen[row_of[i]] = true;
    }
    free(seen);
}

static void solve_by_factor(block_system *s, vo_dissection how, vo_float4 *x) {
    vo_block_factor f;
    vo_arena arena;
    bool fits;
    vo_arena_init(&arena, s->ctx);
    assert_ok(s->ctx, vo_block_factor_init(&arena, &s->pattern, how, 100000, &f, &fits));
    assert_true(fits);
    vo_block_factor_compute(&f, &s->a);
    for (int i = 0; i < s->pattern.row_count; i++)
        x[i] = (vo_float4){(float)s->b[i].x, (float)s->b[i].y, (float)s->b[i].z, 0};
    vo_block_factor_solve(&f, x, x);
    for (int i = 0; i < s->pattern.row_count; i++)
        s->x[i] = (vo_vec4){(double)x[i].x, (double)x[i].y, (double)x[i].z, 0};
    vo_arena_free(&arena);
}

static void factor_agrees_with_dense_cholesky(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    bool had = ctx->use_avx2;
    for (uint64_t seed = 0; seed < 12; seed++) {
        block_system s;
        int rows = 1 + (int)seed * 11;
        make_random_system(&s, ctx, rows, 5 + 3 * (int)seed, 1.01, seed);
        vo_float4 base[150], x[150];
        vo_dissection how = seed % 2 ? VO_DISSECT_GRAPH : VO_DISSECT_NUMBERED;
        ctx->use_avx2 = false;
        solve_by_factor(&s, how, base);
        ctx->use_avx2 = had;
        solve_by_factor(&s, how, x);
        assert_memory_equal(base, x, (size_t)rows * sizeof *x);
        double *d = dense_matrix(&s), *y = dense_vector(s.b, rows);
        dense_solve(d, y, 3 * rows);
        assert_close(s.x, y, rows, 1e-5);
        free(d), free(y);
        free_system(&s);
    }
    vo_context_destroy(ctx);
}

/* A row without a positive pivot is dropped: the others are solved as if it did not exist. */
static void factor_drops_invalid_pivot(void **state) {
    (void)state;
    enum { BAD = 7, N = 20 };
    vo_context *ctx = test_context(1);
    block_system s;
    make_random_system(&s, ctx, N, 4, 1.5, 1);
    memset(block_at(&s.a, s.pattern.diagonal[BAD]), 0, VO_BLOCK_FLOATS * sizeof(float));
    vo_float4 x[N];
    solve_by_factor(&s, VO_DISSECT_NUMBERED, x);
    assert_true(x[BAD].x == 0 && x[BAD].y == 0 && x[BAD].z == 0);
    /* The reference: that row and column replaced by the identity. */
    for (int k = s.pattern.row_start[BAD]; k < s.pattern.row_start[BAD + 1]; k++) {
        memset(block_at(&s.a, k), 0, VO_BLOCK_FLOATS * sizeof(float));
        memset(block_at(&s.a, s.pattern.transpose[k]), 0, VO_BLOCK_FLOATS * sizeof(float));
    }
    float *m = block_at(&s.a, s.pattern.diagonal[BAD]);
    m[0] = m[5] = m[10] = 1;
    s.b[BAD] = (vo_vec4){0, 0, 0, 0};
    double *d = dense_matrix(&s), *y = dense_vector(s.b, N);
    dense_solve(d, y, 3 * N);
    assert_close(s.x, y, N, 1e-5);
    free(d), free(y);
    free_system(&s);
    vo_context_destroy(ctx);
}

static void factor_reports_excess_size(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    block_system s;
    make_random_system(&s, ctx, 100, 99, 2, 5);
    vo_block_factor f;
    vo_arena arena;
    bool fits = true;
    vo_arena_init(&arena, ctx);
    assert_ok(ctx, vo_block_factor_init(&arena, &s.pattern, VO_DISSECT_NUMBERED, 300, &f, &fits));
    assert_false(fits);
    vo_arena_free(&arena);
    free_system(&s);
    vo_context_destroy(ctx);
}

/* A torus with random numbering: graph dissection finds short separators. */
static void dissection_of_random_numbering_is_sparse(void **state) {
    (void)state;
    enum { LONG = 60, SHORT = 5, N = LONG * SHORT };
    static int name[N], pairs[2 * N][2], step_of[N], scratch[3 * N];
    vo_random random = vo_random_seed(4);
    for (int i = 0; i < N; i++) name[i] = i;
    for (int i = N - 1; i > 0; i--) {
        int k = vo_random_int(&random, i + 1), t = name[i];
        name[i] = name[k], name[k] = t;
    }
    for (int i = 0; i < N; i++) {
        int a = i / SHORT, b = i % SHORT;
        pairs[2 * i][0] = pairs[2 * i + 1][0] = name[i];
        pairs[2 * i][1] = name[(a + 1) % LONG * SHORT + b];
        pairs[2 * i + 1][1] = name[a * SHORT + (b + 1) % SHORT];
    }
    vo_context *ctx = test_context(1);
    vo_block_pattern p;
    vo_block_factor f;
    vo_arena arena;
    bool fits;
    vo_arena_init(&arena, ctx);
    assert_ok(ctx, vo_block_pattern_build(ctx, N, 2 * N, (const int(*)[2])pairs, &p));
    vo_dissect_graph(&p, step_of, scratch);
    check_permutation(step_of, N);
    assert_ok(ctx, vo_block_factor_init(&arena, &p, VO_DISSECT_GRAPH, N * N, &f, &fits));
    assert_true(fits);
    print_message("%d blocks below the diagonal of L\n", f.block_count);
    assert_in_range(f.block_count, 2 * N, 10 * N); /* a band matrix would have 10 per row */
    vo_arena_free(&arena);
    vo_block_pattern_free(&p);
    vo_context_destroy(ctx);
}

/* Disconnected parts and isolated rows. */
static void dissection_handles_disconnected_graphs(void **state) {
    (void)state;
    enum { N = 90 };
    vo_context *ctx = test_context(1);
    for (int stride = 1; stride < 40; stride += 6) {
        int pairs[N][2], count = 0, step_of[N], scratch[3 * N];
        for (int i = 0; i + stride < N; i += 1 + (i % 5 == 0))
            pairs[count][0] = i, pairs[count++][1] = i + stride;
        vo_block_pattern p;
        assert_ok(ctx, vo_block_pattern_build(ctx, N, count, (const int(*)[2])pairs, &p));
        vo_dissect_graph(&p, step_of, scratch);
        check_permutation(step_of, N);
        vo_block_pattern_free(&p);
    }
    vo_context_destroy(ctx);
}

/* A numbering in which all aggregates are coupled must not make the coarse level dense. */
static void coarse_level_is_bounded_for_bad_numbering(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    block_system s;
    make_random_system(&s, ctx, 6000, 5999, 2, 5);
    vo_coarse c;
    assert_ok(ctx, vo_coarse_init(ctx, &s.pattern, &c));
    assert_true(c.size > VO_ORDER_LEAF);
    assert_true(c.factor.block_count <= s.pattern.block_count / 2 + 16);
    vo_coarse_free(&c);
    free_system(&s);
    vo_context_destroy(ctx);
}

/* Computes the sums and diagonal factors of all rows, then the coarse matrix. */
static void compute_coarse(vo_coarse *c, vo_row_tiles *tiles, const block_system *s) {
    int n = s->pattern.row_count;
    assert_ok(s->ctx, vo_row_tiles_init(s->ctx, &s->pattern, tiles));
    assert_ok(s->ctx, vo_coarse_init(s->ctx, &s->pattern, c));
    assert_int_equal(VO_DISPATCH(s->ctx, vo_row_tiles_factor)(tiles, &s->a, 0, n), 0);
    VO_DISPATCH(s->ctx, vo_coarse_sum)(c, &s->a, 0, n);
    vo_coarse_compute(c, tiles);
}

/* Zt A Z, summed directly. */
static void coarse_matrix_agrees_with_direct_sum(void **state) {
    (void)state;
    enum { N = 75, AGGREGATES = 5 };
    vo_context *ctx = test_context(2);
    block_system s;
    make_random_system(&s, ctx, N, 20, 2, 8);
    vo_coarse c;
    vo_row_tiles tiles;
    compute_coarse(&c, &tiles, &s);
    assert_int_equal(c.count, AGGREGATES);
    double *d = dense_matrix(&s), e[3 * AGGREGATES][3 * AGGREGATES] = {{0}};
    for (int i = 0; i < 3 * N; i++)
        for (int j = 0; j < 3 * N; j++)
            e[3 * (i / 3 / 16) + i % 3][3 * (j / 3 / 16) + j % 3] += d[i * 3 * N + j];
    for (int g = 0; g < AGGREGATES; g++)
        for (int h = 0; h < AGGREGATES; h++) {
            int k = vo_block_pattern_find(&c.coupling, g, h);
            for (int r = 0; r < 3; r++)
                for (int q = 0; q < 3; q++)
                    assert_near(k < 0 ? 0 : (double)block_at(&c.e, k)[4 * q + r],
                                e[3 * g + r][3 * h + q], 1e-3);
        }
    free(d);
    vo_coarse_free(&c);
    vo_row_tiles_free(&tiles);
    free_system(&s);
    vo_context_destroy(ctx);
}

/* Element (r, c) of H_i A_ij H_j^t, in double. */
static double scaled_element(const block_system *s, const vo_row_tiles *g, int i, int j, int r,
                             int c) {
    int k = vo_block_pattern_find(&s->pattern, i, j);
    double sum = 0;
    for (int p = 0; k >= 0 && p < 3; p++)
        for (int q = 0; q < 3; q++)
            sum += (double)g->inverse[VO_SCALE * i + 3 * p + r] *
                   (double)block_at(&s->a, k)[4 * q + p] *
                   (double)g->inverse[VO_SCALE * j + 3 * q + c];
    return sum;
}

/* Scaled diagonal blocks are the identity, and H inverts G. */
static void diagonal_blocks_are_scaled_to_the_identity(void **state) {
    (void)state;
    enum { N = 75 };
    vo_context *ctx = test_context(1);
    block_system s;
    make_random_system(&s, ctx, N, 20, 1.1, 8);
    vo_row_tiles g;
    assert_ok(ctx, vo_row_tiles_init(ctx, &s.pattern, &g));
    assert_int_equal(VO_DISPATCH(ctx, vo_row_tiles_factor)(&g, &s.a, 0, N), 0);
    for (int i = 0; i < N; i++)
        for (int e = 0; e < 9; e++) {
            static const int place[9] = {0, 3, 5, -1, 1, 4, -1, -1, 2}; /* of G, by columns */
            double product = 0;                                         /* H G */
            for (int k = 0; k < 3; k++) {
                int at = place[3 * (e / 3) + k];
                if (at >= 0)
                    product += (double)g.inverse[VO_SCALE * i + 3 * k + e % 3] *
                               (double)g.root[VO_ROOT * i + at];
            }
            assert_near(product, e % 4 == 0 ? 1 : 0, 1e-6);
            assert_near(scaled_element(&s, &g, i, i, e % 3, e / 3), e % 4 == 0 ? 1 : 0, 1e-6);
        }
    float *m = block_at(&s.a, s.pattern.diagonal[33]);
    m[5] = -m[5];
    m = block_at(&s.a, s.pattern.diagonal[N - 1]);
    m[0] = NAN;
    assert_int_equal(VO_DISPATCH(ctx, vo_row_tiles_factor)(&g, &s.a, 0, N), 2);
    for (int e = 0; e < 9; e++) assert_true(g.inverse[VO_SCALE * 33 + e] == 0);
    vo_row_tiles_free(&g);
    free_system(&s);
    vo_context_destroy(ctx);
}

/* The sweeps' product is the matrix product, block by block, and (I/w + L) y = r, (I/w + U) z = y/w
 * hold within half tiles. */
static void sweeps_solve_and_multiply(void **state) {
    (void)state;
    enum { N = 300 };
    vo_context *ctx = test_context(1);
    const double w = 1.3;
    block_system s;
    make_random_system(&s, ctx, N, 20, 1.1, 8);
    vo_row_tiles g;
    assert_ok(ctx, vo_row_tiles_init(ctx, &s.pattern, &g));
    VO_DISPATCH(ctx, vo_row_tiles_factor)(&g, &s.a, 0, N);
    VO_DISPATCH(ctx, vo_row_tiles_pack)(&g, &s.a, 0, N);
    static vo_float4 r[N], z[N], t[N];
    static double y[N][3], v[N][3];
    vo_random random = vo_random_seed(3);
    for (int i = 0; i < N; i++) {
        vo_vec4 a = random_vec4(&random);
        r[i] = (vo_float4){(float)a.x, (float)a.y, (float)a.z, 0};
    }
    vo_sweep_dots dots = {0, 0}, expected = {0, 0};
    for (int i = 0; i < N; i += VO_ROW_TILE) {
        vo_sweep_dots part = VO_DISPATCH(ctx, vo_row_tiles_sweep)(
            &g, (float)w, r, i, i + VO_ROW_TILE < N ? i + VO_ROW_TILE : N, z, t,
            i + VO_ROW_TILE < N ? i + VO_ROW_TILE : N);
        dots.rz += part.rz;
        dots.zt += part.zt;
    }
    for (int pass = 0; pass < 2; pass++)
        for (int n = 0; n < N; n++) {
            int i = pass ? N - 1 - n : n, begin = i / VO_HALF_TILE * VO_HALF_TILE;
            for (int e = 0; e < 3; e++) {
                double sum = 0;
                int first = pass ? i + 1 : begin, last = pass ? begin + VO_HALF_TILE : i;
                for (int j = first; j < last && j < N; j++)
                    for (int c = 0; c < 3; c++)
                        sum += scaled_element(&s, &g, i, j, e, c) * (pass ? v : y)[j][c];
                if (pass == 0) y[i][e] = w * ((double)(&r[i].x)[e] - sum);
                if (pass == 1) v[i][e] = y[i][e] - w * sum;
            }
        }
    for (int i = 0; i < N; i++)
        for (int e = 0; e < 3; e++) {
            double product = 0;
            for (int j = i / VO_HALF_TILE * VO_HALF_TILE;
                 j < N && j < (i / VO_HALF_TILE + 1) * VO_HALF_TILE; j++)
                for (int c = 0; c < 3; c++) product += scaled_element(&s, &g, i, j, e, c) * v[j][c];
            assert_near((double)(&z[i].x)[e], v[i][e], 1e-5);
            assert_near((double)(&t[i].x)[e], product, 1e-5);
            assert_true(z[i].w == 0 && t[i].w == 0);
            expected.rz += (double)(&r[i].x)[e] * v[i][e];
            expected.zt += product * v[i][e];
        }
    assert_near(dots.rz, expected.rz, 1e-4 * expected.rz);
    assert_near(dots.zt, expected.zt, 1e-4 * expected.zt);
    vo_row_tiles_free(&g);
    free_system(&s);
    vo_context_destroy(ctx);
}

/* ---- numbering ------------------------------------------------------------------------------ */

enum { SIDE = 40, ITEMS = SIDE * SIDE };

/* Mean squared distance of a leaf's items from their centre, for items on a grid. */
static double leaf_spread(const int *row_of) {
    double total = 0;
    for (int leaf = 0; leaf < ITEMS / VO_ORDER_LEAF; leaf++) {
        double x = 0, y = 0, squares = 0;
        for (int i = 0; i < ITEMS; i++) {
            if (row_of[i] / VO_ORDER_LEAF != leaf) continue;
            x += i % SIDE, y += i / SIDE;
            squares += (i % SIDE) * (i % SIDE) + (i / SIDE) * (i / SIDE);
        }
        total += squares - (x * x + y * y) / VO_ORDER_LEAF;
    }
    return total / ITEMS;
}

/* A square of 4 x 4 items has a spread of 2.5. */
static void ordering_makes_compact_leaves(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    static int row_of[ITEMS];
    static vo_vec3 at[ITEMS];
    for (int i = 0; i < ITEMS; i++) at[i] = (vo_vec3){0.01 * (i % SIDE), 0.01 * (i / SIDE), 0};
    assert_ok(ctx, vo_order_points(ctx, ITEMS, at, row_of));
    check_permutation(row_of, ITEMS);
    assert_true(leaf_spread(row_of) < 3.5);
    vo_context_destroy(ctx);
}

/* Scattered, single, coincident and NaN items. */
static void ordering_handles_degenerate_input(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    int counts[] = {0, 1, 2, 15, 16, 17, 33, 600};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        int n = counts[c], row_of[600];
        vo_vec3 at[600];
        vo_random random = vo_random_seed(c);
        for (int kind = 0; kind < 4; kind++) {
            for (int i = 0; i < n; i++) {
                at[i] = (vo_vec3){kind == 1 ? 0 : vo_random_real(&random, -1, 1), 0, 0};
                if (kind == 2) at[i].y = i % 3 == 0 ? NAN : i % 3 == 1 ? INFINITY : 1;
            }
            assert_ok(ctx, vo_order_points(ctx, n, at, row_of));
            check_permutation(row_of, n);
        }
    }
    for (int leaves = 2; leaves < 5000; leaves++) {
        assert_in_range(vo_order_split(leaves), (leaves + 2) / 3, leaves - leaves / 3);
        if (leaves >= 64) assert_int_equal(vo_order_split(leaves) % 16, 0);
    }
    vo_context_destroy(ctx);
}

/* ---- memory --------------------------------------------------------------------------------- */

static vo_result order_everything(vo_context *ctx, void *arg) {
    (void)arg;
    int row_of[ROWS];
    vo_vec3 at[ROWS] = {{0, 0, 0}};
    return vo_order_points(ctx, ROWS, at, row_of);
}

static vo_result build_everything(vo_context *ctx, void *arg) {
    int(*pairs)[2] = arg;
    vo_block_pattern p;
    vo_block_matrix m = {0};
    vo_coarse c = {0};
    vo_result result = vo_block_pattern_build(ctx, ROWS, PAIRS, (const int(*)[2])pairs, &p);
    if (result == VO_OK) result = vo_block_matrix_init(ctx, &p, &m);
    if (result == VO_OK) result = vo_coarse_init(ctx, &p, &c);
    vo_coarse_free(&c);
    vo_block_matrix_free(ctx, &m);
    vo_block_pattern_free(&p);
    return result;
}

static void allocation_failure_is_reported(void **state) {
    (void)state;
    int pairs[PAIRS][2];
    random_pairs(pairs, 1);
    test_every_allocation(order_everything, pairs);
    test_every_allocation(build_everything, pairs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pattern_contains_all_pairs),
        cmocka_unit_test(pattern_rejects_invalid_rows),
        cmocka_unit_test(empty_matrix_is_valid),
        cmocka_unit_test(product_agrees_with_dense_matrix),
        cmocka_unit_test(product_is_independent_of_kernel_and_threads),
        cmocka_unit_test(block_inverse_is_exact),
        cmocka_unit_test(factor_agrees_with_dense_cholesky),
        cmocka_unit_test(factor_drops_invalid_pivot),
        cmocka_unit_test(factor_reports_excess_size),
        cmocka_unit_test(dissection_of_random_numbering_is_sparse),
        cmocka_unit_test(dissection_handles_disconnected_graphs),
        cmocka_unit_test(coarse_level_is_bounded_for_bad_numbering),
        cmocka_unit_test(coarse_matrix_agrees_with_direct_sum),
        cmocka_unit_test(diagonal_blocks_are_scaled_to_the_identity),
        cmocka_unit_test(sweeps_solve_and_multiply),
        cmocka_unit_test(ordering_makes_compact_leaves),
        cmocka_unit_test(ordering_handles_degenerate_input),
        cmocka_unit_test(allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

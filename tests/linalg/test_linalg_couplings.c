/* Tests of couplings outside the pattern: their rows against brute force, and coupled systems
 * against dense Cholesky, CHOLMOD on the merged pattern, and two sheets in contact. */
#include "linalg_cloth.h"
#include "linalg_dense.h"

#include "linalg/coupled.h"
#include "linalg/ordering.h"

/* ---- two sheets in contact ------------------------------------------------------------------ */

/* Two copies of a sheet, 1 mm apart, shifted by a fraction of a cell. Rows of the second follow
 * those of the first. Every node of the upper sheet is in contact with the three nearest of the
 * lower one. */
typedef struct stack {
    cloth sheet;
    block_system s; /* both sheets, and blocks of contacts within the pattern */
    vo_couplings c; /* blocks outside it */
} stack;

enum { CORNERS = 3 };

typedef struct contact {
    int row[1 + CORNERS];
    double weight[1 + CORNERS];
    vo_vec3 normal;
} contact;

static void stack_pattern(stack *t, vo_context *ctx) {
    const vo_block_pattern *p = &t->sheet.pattern;
    int n = p->row_count, count = 0,
        (*pairs)[2] = malloc(2 * (size_t)p->block_count * sizeof *pairs);
    for (int i = 0; i < n; i++)
        for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++)
            for (int layer = 0; layer < 2; layer++, count++)
                pairs[count][0] = i + layer * n, pairs[count][1] = p->column[k] + layer * n;
    make_system(&t->s, ctx, 2 * n, count, (const int(*)[2])pairs);
    free(pairs);
}

static void stack_sheets(stack *t) {
    const vo_block_pattern *p = &t->sheet.pattern;
    int n = p->row_count;
    memcpy(t->s.a.block, t->sheet.a.block,
           (size_t)p->block_count * VO_BLOCK_FLOATS * sizeof(float));
    memcpy(t->s.a.block + (size_t)p->block_count * VO_BLOCK_FLOATS, t->sheet.a.block,
           (size_t)p->block_count * VO_BLOCK_FLOATS * sizeof(float));
    for (int i = 0; i < n; i++) {
        t->s.b[i] = t->s.b[n + i] = t->sheet.b[i];
        t->s.b[n + i].z *= 1.5; /* the layers separate and slide */
        t->s.b[n + i].x += 0.3 * t->sheet.b[i].z;
    }
    t->s.b[n].x = 0;
}

/* Barycentric weights of p in a face seen from above; false outside it. */
static bool find_weights(const cloth *sheet, const int *f, vo_vec3 p, double *weight) {
    vo_vec3 a = sheet->x[f[0]], b = sheet->x[f[1]], c = sheet->x[f[2]];
    double all = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    weight[1] = ((p.x - a.x) * (c.y - a.y) - (p.y - a.y) * (c.x - a.x)) / all;
    weight[2] = ((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x)) / all;
    weight[0] = 1 - weight[1] - weight[2];
    return weight[0] >= 0 && weight[1] >= 0 && weight[2] >= 0;
}

/* Finds the face of one sheet that node i of the other touches; false if none. */
static bool find_contact(const stack *t, int i, int side, contact *k) {
    const cloth *sheet = &t->sheet;
    int n = sheet->node_count;
    vo_vec3 at = v3_add_scaled(sheet->x[i], side ? -1 : 1, v3(0.003, 0.004, 0.001));
    *k = (contact){.row = {side ? i : n + i}, .weight = {1}};
    k->normal = v3_normalize(v3(0.1, -0.2, 1));
    for (int f = 0; f < sheet->face_count; f++) {
        double weight[CORNERS];
        if (!find_weights(sheet, sheet->face[f], at, weight)) continue;
        bool fixed = sheet->pinned[i];
        for (int c = 0; c < CORNERS; c++) {
            k->row[c + 1] = sheet->face[f][c] + (side ? n : 0);
            k->weight[c + 1] = -weight[c];
            fixed = fixed || sheet->pinned[sheet->face[f][c]];
        }
        return !fixed;
    }
    return false;
}

static void fill_block(float block[VO_BLOCK_FLOATS], double s, vo_vec3 normal) {
    double n[3] = {normal.x, normal.y, normal.z};
    memset(block, 0, VO_BLOCK_FLOATS * sizeof *block);
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) block[4 * c + r] = (float)(s * n[r] * n[c]);
}

/* Adds k (w n) (w n)t: between the sides as couplings, within them to A. */
static void add_contact(stack *t, const contact *k, double stiffness) {
    for (int i = 0; i <= CORNERS; i++)
        for (int j = i; j <= CORNERS; j++) {
            float block[VO_BLOCK_FLOATS];
            fill_block(block, stiffness * k->weight[i] * k->weight[j], k->normal);
            if (i == 0 && j > 0) {
                assert_ok(t->s.ctx, vo_couplings_add(t->s.ctx, &t->c, k->row[i], k->row[j], block));
                continue;
            }
            int at = vo_block_pattern_find(&t->s.pattern, k->row[i], k->row[j]);
            for (int e = 0; e < VO_BLOCK_FLOATS; e++) {
                block_at(&t->s.a, at)[e] += block[e];
                if (i != j) block_at(&t->s.a, t->s.pattern.transpose[at])[e] += block[e];
            }
        }
}

/* Adds contacts of the upper sheet's nodes with the lower one and, with two sides, vice versa. */
static void add_contacts(stack *t, int sides, double ratio) {
    const cloth *sheet = &t->sheet;
    double mass = sheet->fabric.density * sheet->spacing * sheet->spacing;
    vo_couplings_begin(&t->c, 2 * sheet->node_count);
    for (int side = 0; side < sides; side++)
        for (int i = 0; i < sheet->node_count; i++) {
            contact k;
            if (find_contact(t, i, side, &k)) add_contact(t, &k, ratio * mass);
        }
    assert_ok(t->s.ctx, vo_couplings_finish(t->s.ctx, &t->c));
}

static void make_sheet(vo_context *ctx, cloth *c, int side, cloth_fabric fabric) {
    cloth plain;
    int *row_of = calloc((size_t)side * (size_t)side, sizeof *row_of);
    cloth_make(ctx, &plain, side, fabric, false, NULL);
    vo_vec3 *at = calloc((size_t)plain.node_count, sizeof *at);
    for (int i = 0; i < plain.node_count; i++) at[i] = v3(plain.rest[i].x, plain.rest[i].y, 0);
    assert_ok(ctx, vo_order_points(ctx, plain.node_count, at, row_of));
    cloth_make(ctx, c, side, fabric, false, row_of);
    cloth_assemble(ctx, c);
    cloth_free(ctx, &plain);
    free(at), free(row_of);
}

static void make_stack(stack *t, vo_context *ctx, int side, cloth_fabric fabric, int sides,
                       double ratio) {
    memset(t, 0, sizeof *t);
    make_sheet(ctx, &t->sheet, side, fabric);
    stack_pattern(t, ctx);
    stack_sheets(t);
    add_contacts(t, sides, ratio);
}

static void free_stack(stack *t) {
    vo_context *ctx = t->s.ctx;
    vo_couplings_free(ctx, &t->c);
    free_system(&t->s);
    cloth_free(ctx, &t->sheet);
}

/* ---- the rows of couplings ------------------------------------------------------------------ */

static void random_block(vo_random *random, float block[VO_BLOCK_FLOATS]) {
    for (int e = 0; e < VO_BLOCK_FLOATS; e++)
        block[e] = e % 4 == 3 ? 0 : (float)vo_random_real(random, -1, 1);
}

/* Random pairs, some repeated often. */
static void add_random(vo_context *ctx, vo_couplings *c, int rows, int pairs, double scale,
                       uint64_t seed) {
    vo_random random = vo_random_seed(seed);
    vo_couplings_begin(c, rows);
    for (int k = 0; k < pairs; k++) {
        int a = vo_random_int(&random, rows), b = vo_random_int(&random, rows);
        if (k % 3 == 0) a = k % 7, b = 7 + k % 4;
        float block[VO_BLOCK_FLOATS];
        random_block(&random, block);
        for (int e = 0; e < VO_BLOCK_FLOATS; e++) block[e] *= (float)scale;
        if (a != b) assert_ok(ctx, vo_couplings_add(ctx, c, a, b, block));
    }
    assert_ok(ctx, vo_couplings_finish(ctx, c));
}

static void rows_sum_repeated_pairs(void **state) {
    (void)state;
    enum { ROWS = 30 };
    vo_context *ctx = test_context(1);
    vo_couplings c = {0};
    for (int pairs = 0; pairs < 400; pairs += 57) { /* reused, growing and shrinking */
        add_random(ctx, &c, ROWS, pairs % 250, 1, (uint64_t)pairs);
        static double sum[ROWS][ROWS][9];
        memset(sum, 0, sizeof sum);
        for (int k = 0; k < c.pair_count; k++)
            for (int e = 0; e < 9; e++) {
                int i = c.pair[k].row[0], j = c.pair[k].row[1];
                sum[i][j][e] += (double)c.pair[k].block[4 * (e / 3) + e % 3];
                sum[j][i][e] += (double)c.pair[k].block[4 * (e % 3) + e / 3];
            }
        int blocks = 0;
        for (int i = 0; c.block_count > 0 && i < ROWS; i++)
            for (int k = c.row_start[i]; k < c.row_start[i + 1]; k++, blocks++) {
                int j = c.column[k];
                if (k > c.row_start[i]) assert_true(c.column[k - 1] < j);
                for (int e = 0; e < 9; e++) {
                    float value = c.block[(size_t)k * VO_BLOCK_FLOATS + 4 * (e / 3) + e % 3];
                    assert_near((double)value, sum[i][j][e], 1e-5);
                    sum[i][j][e] = 0;
                }
            }
        assert_int_equal(blocks, c.block_count);
        for (int k = 0; k < ROWS * ROWS * 9; k++) assert_true((&sum[0][0][0])[k] == 0);
    }
    vo_couplings_free(ctx, &c);
    vo_context_destroy(ctx);
}

static const float *find_block(const vo_couplings *c, int i, int j) {
    for (int k = c->row_start[i]; k < c->row_start[i + 1]; k++)
        if (c->column[k] == j) return c->block + (size_t)k * VO_BLOCK_FLOATS;
    fail_msg("no block (%d, %d)", i, j);
    return NULL;
}

static void rows_are_exactly_symmetric(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_couplings c = {0};
    add_random(ctx, &c, 40, 500, 1, 3);
    for (int i = 0; i < 40; i++)
        for (int k = c.row_start[i]; k < c.row_start[i + 1]; k++) {
            const float *m = c.block + (size_t)k * VO_BLOCK_FLOATS;
            const float *other = find_block(&c, c.column[k], i);
            for (int e = 0; e < 9; e++)
                assert_true(m[4 * (e / 3) + e % 3] == other[4 * (e % 3) + e / 3]);
        }
    vo_couplings_free(ctx, &c);
    vo_context_destroy(ctx);
}

static void invalid_rows_are_rejected(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_couplings c = {0};
    float block[VO_BLOCK_FLOATS] = {0};
    vo_couplings_begin(&c, 5);
    const int wrong[][2] = {{-1, 2}, {2, -1}, {5, 2}, {2, 5}, {3, 3}};
    for (int k = 0; k < 5; k++)
        assert_int_equal(vo_couplings_add(ctx, &c, wrong[k][0], wrong[k][1], block),
                         VO_BAD_ARGUMENT);
    assert_ok(ctx, vo_couplings_finish(ctx, &c));
    assert_int_equal(c.block_count, 0);
    vo_couplings_free(ctx, &c);
    vo_context_destroy(ctx);
}

/* ---- correctness ---------------------------------------------------------------------------- */

static vo_solve_report solve_coupled(block_system *s, const vo_couplings *c,
                                     vo_preconditioner preconditioner, double tolerance, int most) {
    vo_pcg *pcg;
    vo_direct *direct = NULL;
    assert_ok(s->ctx, vo_pcg_create(s->ctx, &s->pattern, &pcg));
    if (preconditioner == VO_PRECONDITION_DIRECT) {
        assert_ok(s->ctx, vo_direct_create(s->ctx, &s->pattern, &direct));
        assert_true(vo_direct_factor(direct, &s->a));
    }
    vo_pcg_def def = {preconditioner, tolerance, most, c, direct};
    vo_solve_report report = vo_pcg_solve(pcg, &def, &s->a, s->b, s->x);
    vo_direct_destroy(direct);
    vo_pcg_destroy(pcg);
    return report;
}

static int preconditioners(void) { return vo_direct_available() ? 3 : 2; }

static void conjugate_gradients_agree_with_dense_cholesky(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    int sizes[] = {12, 40, 129, 300};
    for (int n = 0; n < 4; n++) {
        block_system s;
        vo_couplings c = {0};
        int rows = sizes[n];
        make_random_system(&s, ctx, rows, 9, 1.6, (uint64_t)n);
        add_random(ctx, &c, rows, rows, 0.2, (uint64_t)n);
        double *d = dense_matrix(&s), *y = dense_vector(s.b, rows);
        for (int i = 0; i < rows; i++)
            for (int k = c.row_start[i]; k < c.row_start[i + 1]; k++)
                for (int e = 0; e < 9; e++)
                    d[(size_t)(3 * i + e % 3) * 3 * (size_t)rows + 3 * c.column[k] + e / 3] +=
                        (double)c.block[(size_t)k * VO_BLOCK_FLOATS + 4 * (e / 3) + e % 3];
        dense_solve(d, y, 3 * rows);
        for (int p = 0; p < preconditioners(); p++) {
            memset(s.x, 0, (size_t)rows * sizeof *s.x);
            vo_solve_report report = solve_coupled(&s, &c, (vo_preconditioner)p, 1e-11, 500);
            assert_true(report.converged && report.residual <= 1e-11);
            assert_close(s.x, y, rows, 1e-9);
        }
        free(d), free(y);
        vo_couplings_free(ctx, &c);
        free_system(&s);
    }
    vo_context_destroy(ctx);
}

static void conjugate_gradients_agree_with_cholmod_on_the_merged_pattern(void **state) {
    (void)state;
    if (!vo_direct_available()) skip();
    vo_context *ctx = test_context(2);
    stack t;
    make_stack(&t, ctx, 20, CLOTH_SOFT, 2, 100);
    int rows = 2 * t.sheet.node_count;
    vo_vec4 *exact = calloc((size_t)rows, sizeof *exact);
    vo_solve_report report;
    assert_ok(ctx, vo_direct_solve_coupled(ctx, &t.s.a, &t.c, t.s.b, exact, &report));
    assert_true(report.converged && report.residual < 1e-11);
    double *y = dense_vector(exact, rows);
    for (int p = 0; p < 3; p++) {
        memset(t.s.x, 0, (size_t)rows * sizeof *t.s.x);
        assert_true(solve_coupled(&t.s, &t.c, (vo_preconditioner)p, 1e-10, 3000).converged);
        assert_close(t.s.x, y, rows, 1e-7);
    }
    free(y), free(exact);
    free_stack(&t);
    vo_context_destroy(ctx);
}

/* Subtracts each aggregate's mean from b, which the coarse level would solve at the start. */
static void balance_aggregates(const cloth *sheet, vo_vec4 *b) {
    int n = sheet->node_count;
    for (int begin = 0; begin < 2 * n; begin += VO_ORDER_LEAF) {
        vo_vec4 sum = {0, 0, 0, 0};
        int end = begin + VO_ORDER_LEAF < 2 * n ? begin + VO_ORDER_LEAF : 2 * n, free_rows = 0;
        for (int i = begin; i < end; i++) {
            if (sheet->pinned[i % n]) continue;
            free_rows++;
            sum.x += b[i].x, sum.y += b[i].y, sum.z += b[i].z;
        }
        for (int i = begin; i < end; i++) {
            if (sheet->pinned[i % n]) continue;
            b[i].x -= sum.x / free_rows, b[i].y -= sum.y / free_rows, b[i].z -= sum.z / free_rows;
        }
    }
}

/* One iteration from zero moves along B b, where B is the preconditioner. Three of them, for b1, b2
 * and b1 + b2, determine B b1 and B b2 up to one factor, and B is symmetric if b2 . B b1 = b1 . B
 * b2. The two-level B is symmetric for a balanced b. */
static void preconditioner_is_symmetric(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    stack t;
    make_stack(&t, ctx, 20, CLOTH_SOFT, 2, 100);
    int rows = 2 * t.sheet.node_count, n = 3 * rows;
    for (int p = 0; p < preconditioners(); p++) {
        double *b[3], *x[3];
        vo_random random = vo_random_seed(5);
        vo_vec4 *first = calloc((size_t)rows, sizeof *first);
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < rows; i++) {
                vo_vec4 r = random_vec4(&random), f = first[i];
                if (k == 0) first[i] = r;
                if (k == 2)
                    r = (vo_vec4){f.x + b[1][3 * i], f.y + b[1][3 * i + 1], f.z + b[1][3 * i + 2],
                                  0};
                t.s.b[i] = r;
            }
            balance_aggregates(&t.sheet, t.s.b);
            b[k] = dense_vector(t.s.b, rows);
            memset(t.s.x, 0, (size_t)rows * sizeof *t.s.x);
            assert_int_equal(solve_coupled(&t.s, &t.c, (vo_preconditioner)p, 1e-9, 1).iterations,
                             1);
            x[k] = dense_vector(t.s.x, rows);
        }
        double m[3] = {0}, right[2] = {0}, cross[2] = {0}; /* x2 = c0 x0 + c1 x1, least squares */
        for (int i = 0; i < n; i++) {
            m[0] += x[0][i] * x[0][i], m[1] += x[0][i] * x[1][i], m[2] += x[1][i] * x[1][i];
            right[0] += x[0][i] * x[2][i], right[1] += x[1][i] * x[2][i];
            cross[0] += b[1][i] * x[0][i], cross[1] += b[0][i] * x[1][i];
        }
        double determinant = m[0] * m[2] - m[1] * m[1];
        double c0 = (right[0] * m[2] - right[1] * m[1]) / determinant;
        double c1 = (right[1] * m[0] - right[0] * m[1]) / determinant;
        double self = 0;
        for (int i = 0; i < n; i++) self += c0 * b[0][i] * x[0][i];
        assert_near(c0 * cross[0] / self, c1 * cross[1] / self, 2e-5);
        assert_true(fabs(cross[0]) > 1e-3 * fabs(self));
        for (int k = 0; k < 3; k++) free(b[k]), free(x[k]);
        free(first);
    }
    free_stack(&t);
    vo_context_destroy(ctx);
}

/* Empty couplings give the same bits as none. */
static void empty_couplings_give_same_bits(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    block_system s;
    make_random_system(&s, ctx, 300, 9, 1.02, 1);
    vo_couplings c = {0};
    vo_couplings_begin(&c, 300);
    assert_ok(ctx, vo_couplings_finish(ctx, &c));
    static vo_vec4 plain[300];
    for (int p = 0; p < 2; p++) {
        memset(s.x, 0, 300 * sizeof *s.x);
        solve_coupled(&s, NULL, (vo_preconditioner)p, 1e-6, 100);
        memcpy(plain, s.x, sizeof plain);
        memset(s.x, 0, 300 * sizeof *s.x);
        solve_coupled(&s, &c, (vo_preconditioner)p, 1e-6, 100);
        assert_memory_equal(s.x, plain, sizeof plain);
    }
    vo_couplings_free(ctx, &c);
    free_system(&s);
    vo_context_destroy(ctx);
}

static void solve_on(int threads, bool avx2, int p, vo_vec4 *x, vo_solve_report *report) {
    vo_context *ctx = test_context(threads);
    ctx->use_avx2 = ctx->use_avx2 && avx2;
    stack t;
    make_stack(&t, ctx, 24, CLOTH_SOFT, 2, 30);
    *report = solve_coupled(&t.s, &t.c, (vo_preconditioner)p, 1e-5, 500);
    memcpy(x, t.s.x, 2 * 24 * 24 * sizeof *x);
    free_stack(&t);
    vo_context_destroy(ctx);
}

static void solution_is_independent_of_kernel_and_threads(void **state) {
    (void)state;
    static vo_vec4 one[2 * 24 * 24], other[2 * 24 * 24];
    for (int p = 0; p < preconditioners(); p++) {
        vo_solve_report base, report;
        solve_on(1, false, p, one, &base);
        assert_true(base.converged && base.iterations > 3);
        for (int threads = 1; threads <= 3; threads++) {
            solve_on(threads, true, p, other, &report);
            assert_int_equal(base.iterations, report.iterations);
            assert_memory_equal(one, other, sizeof one);
        }
    }
}

/* Zt (A + C) Z, summed directly, without rows that have no neighbours in A. */
static void coarse_matrix_includes_couplings(void **state) {
    (void)state;
    enum { N = 90, ALONE = 37, AGGREGATES = 6 };
    vo_context *ctx = test_context(2);
    block_system s;
    vo_couplings c = {0};
    make_random_system(&s, ctx, N, 9, 1.6, 3);
    for (int k = s.pattern.row_start[ALONE]; k < s.pattern.row_start[ALONE + 1]; k++) {
        if (s.pattern.column[k] == ALONE) continue;
        memset(block_at(&s.a, k), 0, VO_BLOCK_FLOATS * sizeof(float));
        memset(block_at(&s.a, s.pattern.transpose[k]), 0, VO_BLOCK_FLOATS * sizeof(float));
    }
    add_random(ctx, &c, N, 150, 0.2, 2);
    vo_row_tiles ranges;
    vo_coarse coarse;
    vo_coupled k = {0};
    vo_arena_init(&k.arena, ctx);
    assert_ok(ctx, vo_row_tiles_init(ctx, &s.pattern, &ranges));
    assert_ok(ctx, vo_coarse_init(ctx, &s.pattern, &coarse));
    VO_DISPATCH(ctx, vo_row_tiles_factor)(&ranges, &s.a, 0, N);
    VO_DISPATCH(ctx, vo_coarse_sum)(&coarse, &s.a, 0, N);
    vo_coarse_compute(&coarse, &ranges);
    assert_ok(ctx, vo_coupled_prepare(&k, &c, &ranges, &coarse));
    assert_ptr_equal(coarse.solver, &k.factor);
    double *d = dense_matrix(&s), e[3 * AGGREGATES][3 * AGGREGATES] = {{0}};
    for (int i = 0; i < N; i++)
        for (int n = c.row_start[i]; n < c.row_start[i + 1]; n++)
            for (int q = 0; q < 9; q++)
                d[(size_t)(3 * i + q % 3) * 3 * N + 3 * (size_t)c.column[n] + (size_t)(q / 3)] +=
                    (double)c.block[(size_t)n * VO_BLOCK_FLOATS + 4 * (q / 3) + q % 3];
    for (int i = 0; i < 3 * N; i++)
        for (int j = 0; j < 3 * N; j++)
            if (i / 3 != ALONE && j / 3 != ALONE)
                e[3 * (i / 3 / 16) + i % 3][3 * (j / 3 / 16) + j % 3] += d[i * 3 * N + j];
    for (int g = 0; g < AGGREGATES; g++)
        for (int h = 0; h < AGGREGATES; h++) {
            int at = vo_block_pattern_find(&k.pattern, g, h);
            for (int q = 0; q < 9; q++)
                assert_near(at < 0 ? 0 : (double)block_at(&k.e, at)[4 * (q / 3) + q % 3],
                            e[3 * g + q % 3][3 * h + q / 3], 1e-3);
        }
    free(d);
    vo_arena_free(&k.arena);
    vo_coarse_free(&coarse);
    vo_row_tiles_free(&ranges);
    vo_couplings_free(ctx, &c);
    free_system(&s);
    vo_context_destroy(ctx);
}

/* ---- convergence ---------------------------------------------------------------------------- */

/* Contacts up to ten times as stiff as m / dt^2 of the nodes cost little; beyond that the common
 * motion of both layers, which is soft, is stiff for the sweeps, and variation within an aggregate
 * is not covered by the coarse level: iterations grow with the square root of the stiffness. The
 * bounds are a fifth above the measured values. Sanitizer builds run the first three only. */
static void stiff_contacts_converge(void **state) {
    (void)state;
    static const int most[2][5] = {{16, 23, 64, 180, 482}, {28, 28, 47, 127, 356}};
    vo_context *ctx = test_context(2);
    for (int fabric = 0; fabric < 2; fabric++)
        for (int sides = 1; sides <= 2; sides++) {
            double ratio = 1;
            for (int k = 0; k < (TEST_SLOWNESS > 1 ? 3 : 5); k++, ratio *= 10) {
                stack t;
                make_stack(&t, ctx, 40, fabric ? CLOTH_STIFF : CLOTH_SOFT, sides, ratio);
                vo_solve_report r =
                    solve_coupled(&t.s, &t.c, VO_PRECONDITION_TWO_LEVEL, 1e-3, 1000);
                print_message("%s, %d sides, %g m / dt^2: %d iterations\n",
                              fabric ? "stiff" : "soft", sides, ratio, r.iterations);
                assert_true(r.converged);
                assert_in_range(r.iterations, 1, most[fabric][k]);
                free_stack(&t);
            }
        }
    vo_context_destroy(ctx);
}

/* Indefinite or NaN couplings: no convergence, and x stays finite. */
static void invalid_couplings_do_not_converge(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const double scale[] = {1e6, NAN, INFINITY};
    for (int k = 0; k < 3; k++)
        for (int p = 0; p < preconditioners(); p++) {
            block_system s;
            vo_couplings c = {0};
            make_random_system(&s, ctx, 60, 9, 1.02, 1);
            add_random(ctx, &c, 60, 90, scale[k], 1);
            assert_false(solve_coupled(&s, &c, (vo_preconditioner)p, 1e-6, 500).converged);
            assert_true(all_finite(s.x, 60));
            vo_couplings_free(ctx, &c);
            free_system(&s);
        }
    vo_context_destroy(ctx);
}

/* ---- memory --------------------------------------------------------------------------------- */

static void repeated_solve_allocates_nothing(void **state) {
    (void)state;
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(2, &memory);
    block_system s;
    vo_couplings c = {0};
    vo_pcg *pcg;
    make_random_system(&s, ctx, 400, 9, 1.6, 2);
    assert_ok(ctx, vo_pcg_create(ctx, &s.pattern, &pcg));
    long calls = 0;
    for (int round = 0; round < 6; round++) {
        if (round == 4) calls = memory.calls; /* buffers have grown by then */
        add_random(ctx, &c, 400, 420 - 70 * (round / 2), 0.2, (uint64_t)(round / 2));
        vo_pcg_def def = {.preconditioner = (vo_preconditioner)(round % 2),
                          .tolerance = 1e-8,
                          .max_iterations = 500,
                          .couplings = &c};
        memset(s.x, 0, 400 * sizeof *s.x);
        assert_true(vo_pcg_solve(pcg, &def, &s.a, s.b, s.x).converged);
    }
    assert_int_equal(memory.calls, calls);
    vo_pcg_destroy(pcg);
    vo_couplings_free(ctx, &c);
    free_system(&s);
    vo_context_destroy(ctx);
    assert_int_equal(memory.live, 0);
}

static vo_result couple_and_merge(vo_context *ctx, void *arg) {
    (void)arg;
    const int pairs[][2] = {{0, 1}, {1, 2}, {5, 20}};
    vo_block_pattern pattern, merged_pattern;
    vo_block_matrix a = {0}, merged;
    vo_couplings c = {0};
    vo_result result = vo_block_pattern_build(ctx, 40, 3, pairs, &pattern);
    if (result == VO_OK) result = vo_block_matrix_init(ctx, &pattern, &a);
    vo_couplings_begin(&c, 40);
    for (int k = 0; k < 100 && result == VO_OK; k++) {
        const float block[VO_BLOCK_FLOATS] = {(float)k};
        result = vo_couplings_add(ctx, &c, k % 39, 39, block);
    }
    if (result == VO_OK) result = vo_couplings_finish(ctx, &c);
    if (result == VO_OK) result = vo_couplings_merge(ctx, &c, &a, &merged_pattern, &merged);
    if (result == VO_OK) {
        assert_int_equal(merged_pattern.block_count, 40 + 2 * (3 + 39));
        vo_block_matrix_free(ctx, &merged);
        vo_block_pattern_free(&merged_pattern);
    }
    vo_couplings_free(ctx, &c);
    vo_block_matrix_free(ctx, &a);
    vo_block_pattern_free(&pattern);
    return result;
}

/* A solve without memory for its couplings reports no convergence. */
static vo_result couple_and_solve(vo_context *ctx, void *arg) {
    (void)arg;
    const int pairs[][2] = {{0, 1}, {1, 2}, {5, 20}, {30, 31}};
    vo_block_pattern pattern;
    vo_block_matrix a = {0};
    vo_couplings c = {0};
    vo_pcg *pcg = NULL;
    vo_result result = vo_block_pattern_build(ctx, 40, 4, pairs, &pattern);
    if (result == VO_OK) result = vo_block_matrix_init(ctx, &pattern, &a);
    if (result == VO_OK) result = vo_pcg_create(ctx, &pattern, &pcg);
    vo_couplings_begin(&c, 40);
    const float block[VO_BLOCK_FLOATS] = {-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1};
    if (result == VO_OK) result = vo_couplings_add(ctx, &c, 1, 31, block);
    if (result == VO_OK) result = vo_couplings_finish(ctx, &c);
    if (result == VO_OK) {
        vo_vec4 b[40], x[40] = {{0}};
        for (int i = 0; i < 40; i++) b[i] = (vo_vec4){1, i, 2, 0};
        for (int k = 0; k < pattern.block_count; k++) {
            float *m = block_at(&a, k);
            m[0] = m[5] = m[10] = -1;
        }
        for (int i = 0; i < 40; i++) {
            float *m = block_at(&a, pattern.diagonal[i]);
            m[0] = m[5] = m[10] = 4;
        }
        vo_pcg_def def = {.tolerance = 1e-6, .max_iterations = 50, .couplings = &c};
        vo_solve_report report = vo_pcg_solve(pcg, &def, &a, b, x);
        assert_true(report.converged == !report.no_memory);
        if (report.no_memory) result = VO_NO_MEMORY;
        assert_true(all_finite(x, 40));
    }
    vo_pcg_destroy(pcg);
    vo_couplings_free(ctx, &c);
    vo_block_matrix_free(ctx, &a);
    vo_block_pattern_free(&pattern);
    return result;
}

static void allocation_failure_is_reported(void **state) {
    (void)state;
    test_every_allocation(couple_and_merge, NULL);
    test_every_allocation(couple_and_solve, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_sum_repeated_pairs),
        cmocka_unit_test(rows_are_exactly_symmetric),
        cmocka_unit_test(invalid_rows_are_rejected),
        cmocka_unit_test(conjugate_gradients_agree_with_dense_cholesky),
        cmocka_unit_test(conjugate_gradients_agree_with_cholmod_on_the_merged_pattern),
        cmocka_unit_test(preconditioner_is_symmetric),
        cmocka_unit_test(empty_couplings_give_same_bits),
        cmocka_unit_test(solution_is_independent_of_kernel_and_threads),
        cmocka_unit_test(coarse_matrix_includes_couplings),
        cmocka_unit_test(stiff_contacts_converge),
        cmocka_unit_test(invalid_couplings_do_not_converge),
        cmocka_unit_test(repeated_solve_allocates_nothing),
        cmocka_unit_test(allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

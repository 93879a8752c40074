/* Dense products and Cholesky factors. */
#include "linalg/dense.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "linalg/dense_kernel.h"

#include <math.h>
#include <string.h>

enum {
    STRIP = VO_DENSE_STRIP,
    PANEL = VO_DENSE_PANEL,
    TASK_ROWS = 32, /* rows of the result per task */
    DEPTH = 256,    /* k per block: a panel and a strip of B and A stay in the first-level cache */
};

static void read_matrix(const void *operand, int first, int count, int begin, int depth, int stride,
                        double *out) {
    const vo_dense_matrix *m = operand;
    for (int i = 0; i < count; i++) {
        const double *line = m->value + (size_t)(first + i) * m->line_step;
        for (int k = 0; k < depth; k++)
            out[(size_t)k * (size_t)stride + (size_t)i] = line[(size_t)(begin + k) * m->depth_step];
    }
}

vo_dense_operand vo_dense_read_matrix(const vo_dense_matrix *matrix) {
    return (vo_dense_operand){read_matrix, matrix};
}

/* ---- product -------------------------------------------------------------------------------- */

typedef struct product {
    vo_context *ctx;
    int rows, columns, depth, panels;
    vo_dense_operand a, b;
    double *packed_b; /* [panels][depth][PANEL] */
    double *c;
} product;

/* Reads lines and fills the missing ones of the last strip or panel with zeros. */
static void read_lines(vo_dense_operand o, int first, int lines, int width, int begin, int depth,
                       double *out) {
    int count = lines - first < width ? lines - first : width;
    if (count < width) memset(out, 0, (size_t)depth * (size_t)width * sizeof *out);
    o.read(o.data, first, count, begin, depth, width, out);
}

static void pack_panel(void *arg, int begin, int end, int chunk) {
    const product *p = arg;
    (void)chunk;
    size_t size = (size_t)p->depth * PANEL;
    for (int i = begin; i < end; i++)
        read_lines(p->b, i * PANEL, p->columns, PANEL, 0, p->depth, p->packed_b + (size_t)i * size);
}

/* Adds a tile; those at the border go through a buffer. */
static void add_tile(const product *p, const double *a, const double *b, int depth, int row,
                     int column) {
    double buffer[STRIP * PANEL] = {0}, *c = p->c + (size_t)row * (size_t)p->columns + column;
    int rows = p->rows - row, columns = p->columns - column;
    if (rows >= STRIP && columns >= PANEL) {
        VO_DISPATCH(p->ctx, vo_dense_tile)(a, b, depth, c, (size_t)p->columns);
        return;
    }
    rows = rows < STRIP ? rows : STRIP;
    columns = columns < PANEL ? columns : PANEL;
    for (int r = 0; r < rows; r++)
        for (int j = 0; j < columns; j++) buffer[r * PANEL + j] = c[(size_t)r * p->columns + j];
    VO_DISPATCH(p->ctx, vo_dense_tile)(a, b, depth, buffer, PANEL);
    for (int r = 0; r < rows; r++)
        for (int j = 0; j < columns; j++) c[(size_t)r * p->columns + j] = buffer[r * PANEL + j];
}

/* One block of k for the rows of a task. */
static void multiply_block(const product *p, int begin, int end, int from, int depth,
                           double *packed) {
    for (int i = begin; i < end; i += STRIP)
        read_lines(p->a, i, p->rows, STRIP, from, depth,
                   packed + (size_t)(i - begin) * (size_t)DEPTH);
    for (int j = 0; j < p->panels; j++) {
        const double *b = p->packed_b + ((size_t)j * (size_t)p->depth + (size_t)from) * PANEL;
        for (int i = begin; i < end; i += STRIP)
            add_tile(p, packed + (size_t)(i - begin) * (size_t)DEPTH, b, depth, i, j * PANEL);
    }
}

static void multiply_rows(void *arg, int begin, int end, int chunk) {
    const product *p = arg;
    double packed[TASK_ROWS * DEPTH];
    (void)chunk;
    memset(p->c + (size_t)begin * (size_t)p->columns, 0,
           (size_t)(end - begin) * (size_t)p->columns * sizeof *p->c);
    for (int k = 0; k < p->depth; k += DEPTH)
        multiply_block(p, begin, end, k, p->depth - k < DEPTH ? p->depth - k : DEPTH, packed);
}

vo_result vo_dense_multiply(vo_context *ctx, int rows, int columns, int depth, vo_dense_operand a,
                            vo_dense_operand b, double *c) {
    product p = {ctx, rows, columns, depth, vo_chunk_count(columns, PANEL), a, b};
    p.c = c;
    size_t size = (size_t)p.panels * PANEL * (size_t)depth;
    p.packed_b = vo_new_array(ctx, double, size);
    if (size && !p.packed_b) return vo_fail_memory(ctx, "a matrix product");
    vo_parallel_for(ctx, p.panels, 1, pack_panel, &p);
    vo_parallel_for(ctx, rows, TASK_ROWS, multiply_rows, &p);
    vo_free_array(ctx, p.packed_b, size);
    return VO_OK;
}

vo_result vo_dense_multiply_nn(vo_context *ctx, int rows, int columns, int depth, const double *a,
                               const double *b, double *c) {
    vo_dense_matrix left = {a, (size_t)depth, 1}, right = {b, 1, (size_t)columns};
    return vo_dense_multiply(ctx, rows, columns, depth, vo_dense_read_matrix(&left),
                             vo_dense_read_matrix(&right), c);
}

vo_result vo_dense_multiply_tn(vo_context *ctx, int rows, int columns, int depth, const double *a,
                               const double *b, double *c) {
    vo_dense_matrix left = {a, 1, (size_t)rows}, right = {b, 1, (size_t)columns};
    return vo_dense_multiply(ctx, rows, columns, depth, vo_dense_read_matrix(&left),
                             vo_dense_read_matrix(&right), c);
}

vo_result vo_dense_multiply_nt(vo_context *ctx, int rows, int columns, int depth, const double *a,
                               const double *b, double *c) {
    vo_dense_matrix left = {a, (size_t)depth, 1}, right = {b, (size_t)depth, 1};
    return vo_dense_multiply(ctx, rows, columns, depth, vo_dense_read_matrix(&left),
                             vo_dense_read_matrix(&right), c);
}

/* ---- Cholesky factor ------------------------------------------------------------------------ */

static double row_product(const double *a, const double *b, int count) {
    double sum = 0;
    for (int k = 0; k < count; k++) sum += a[k] * b[k];
    return sum;
}

bool vo_dense_cholesky(int n, double *a) {
    for (int i = 0; i < n; i++) {
        double *row = a + (size_t)i * (size_t)n;
        for (int j = 0; j < i; j++) {
            const double *other = a + (size_t)j * (size_t)n;
            row[j] = (row[j] - row_product(row, other, j)) / other[j];
        }
        double pivot = row[i] - row_product(row, row, i);
        if (!(pivot > 0)) return false;
        row[i] = sqrt(pivot);
    }
    return true;
}

void vo_dense_cholesky_solve(int n, const double *factor, double *x) {
    for (int i = 0; i < n; i++) {
        const double *row = factor + (size_t)i * (size_t)n;
        x[i] = (x[i] - row_product(row, x, i)) / row[i];
    }
    for (int i = n - 1; i >= 0; i--) {
        double sum = x[i];
        for (int k = i + 1; k < n; k++) sum -= factor[(size_t)k * (size_t)n + (size_t)i] * x[k];
        x[i] = sum / factor[(size_t)i * (size_t)n + (size_t)i];
    }
}

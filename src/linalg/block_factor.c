#include "linalg/block_factor.h"

#include "core/memory.h"
#include "linalg/ordering.h"

#include <string.h>

/* ---- the order of elimination --------------------------------------------------------------- */

typedef struct dissection {
    const vo_block_pattern *graph;
    int *step_of; /* -1: not placed yet */
    int next;     /* steps are handed out from the last to the first */
} dissection;

enum { SMALL_PART = 4 };

/* The rows of [begin, middle) that are coupled to [middle, end) get the next (last) steps. */
static void place_separator(dissection *d, int begin, int middle, int end) {
    const vo_block_pattern *g = d->graph;
    for (int i = middle - 1; i >= begin; i--) {
        if (d->step_of[i] >= 0) continue;
        int k = g->diagonal[i];
        while (k < g->row_start[i + 1] && (g->column[k] < middle || d->step_of[g->column[k]] >= 0))
            k++;
        if (k < g->row_start[i + 1] && g->column[k] < end) d->step_of[i] = --d->next;
    }
}

static void dissect(dissection *d, int begin, int end) {
    if (end - begin <= SMALL_PART) {
        for (int i = end - 1; i >= begin; i--)
            if (d->step_of[i] < 0) d->step_of[i] = --d->next;
        return;
    }
    int middle = begin + vo_order_cut(end - begin);
    place_separator(d, begin, middle, end);
    dissect(d, middle, end);
    dissect(d, begin, middle);
}

/* ---- the pattern of L ----------------------------------------------------------------------- */

typedef struct symbolic {
    vo_block_factor *f;
    int *mark;        /* [count] the last column that listed a step */
    int *first_child; /* [count] columns whose first entry below the diagonal is this one */
    int *next_child;  /* [count] */
    int max_blocks;
} symbolic;

static bool list_step(symbolic *s, int column, int step) {
    vo_block_factor *f = s->f;
    if (step <= column || s->mark[step] == column) return true;
    s->mark[step] = column;
    if (!vo_reserve(f->ctx, &f->step, &f->block_capacity, f->block_count + 1)) return false;
    f->step[f->block_count++] = step;
    return true;
}

/* Insertion sort: lists are short, and mostly come in order. */
static void sort_steps(int *step, int count) {
    for (int i = 1; i < count; i++) {
        int value = step[i], k = i;
        for (; k > 0 && step[k - 1] > value; k--) step[k] = step[k - 1];
        step[k] = value;
    }
}

/* Column k of L: what row k is coupled to, and what the columns that end in k leave behind. */
static bool list_column(symbolic *s, int k) {
    vo_block_factor *f = s->f;
    const vo_block_pattern *a = f->pattern;
    int begin = f->block_count, row = f->row_at[k];
    for (int q = a->row_start[row]; q < a->row_start[row + 1]; q++)
        if (!list_step(s, k, f->step_of[a->column[q]])) return false;
    for (int c = s->first_child[k]; c >= 0; c = s->next_child[c])
        for (int q = f->column_start[c]; q < f->column_start[c + 1]; q++)
            if (!list_step(s, k, f->step[q])) return false;
    f->column_start[k + 1] = f->block_count;
    sort_steps(f->step + begin, f->block_count - begin);
    if (f->block_count > begin) {
        int parent = f->step[begin];
        s->next_child[k] = s->first_child[parent];
        s->first_child[parent] = k;
    }
    return true;
}

static vo_result list_columns(symbolic *s, bool *fits) {
    vo_block_factor *f = s->f;
    for (int k = 0; k < f->count; k++) s->mark[k] = s->first_child[k] = -1;
    f->column_start[0] = 0;
    for (int k = 0; k < f->count; k++) {
        if (!list_column(s, k)) return vo_fail_memory(f->ctx, "a coarse factor");
        *fits = f->block_count <= s->max_blocks;
        if (!*fits) return VO_OK;
    }
    return VO_OK;
}

/* Where block (i, j) of the matrix goes: among the pivots, or to its step in the column of j. */
static int find_slot(const vo_block_factor *f, int i, int j) {
    int step = f->step_of[i], k = f->step_of[j];
    if (step <= k) return step == k ? k : -1;
    int low = f->column_start[k], high = f->column_start[k + 1];
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (f->step[middle] <= step)
            low = middle;
        else
            high = middle;
    }
    return f->count + low;
}

static void find_slots(vo_block_factor *f) {
    const vo_block_pattern *p = f->pattern;
    for (int i = 0; i < f->count; i++)
        for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++)
            f->slot[k] = find_slot(f, i, p->column[k]);
}

static vo_result analyse(vo_block_factor *f, int max_blocks, bool *fits) {
    int n = f->count;
    dissection d = {f->pattern, f->step_of, n};
    for (int i = 0; i < n; i++) f->step_of[i] = -1;
    dissect(&d, 0, n);
    for (int i = 0; i < n; i++) f->row_at[f->step_of[i]] = i;

    int *memory = vo_new_array(f->ctx, int, 3 * (size_t)n);
    if (!memory) return vo_fail_memory(f->ctx, "a coarse factor");
    symbolic s = {f, memory, memory + n, memory + 2 * (size_t)n, max_blocks};
    vo_result result = list_columns(&s, fits);
    vo_free_array(f->ctx, memory, 3 * (size_t)n);
    if (result == VO_OK && *fits) find_slots(f);
    return result;
}

/* ---- memory --------------------------------------------------------------------------------- */

/* The arrays whose size is known before the analysis; one entry more, so that none is empty. */
static bool allocate_rows(vo_block_factor *f) {
    size_t n = (size_t)f->count + 1;
    f->row_at = vo_new_array(f->ctx, int, n);
    f->step_of = vo_new_array(f->ctx, int, n);
    f->column_start = vo_new_array(f->ctx, int, n);
    f->slot = vo_new_array(f->ctx, int, (size_t)f->pattern->block_count + 1);
    f->pivot = vo_new_array(f->ctx, float, n *VO_BLOCK_FLOATS);
    f->x = vo_new_array(f->ctx, vo_float4, n);
    return f->row_at && f->step_of && f->column_start && f->slot && f->pivot && f->x;
}

static size_t work_doubles(const vo_block_factor *f) {
    return ((size_t)f->count + 1 + (size_t)f->block_count) * VO_BLOCK_FLOATS;
}

static size_t factor_floats(const vo_block_factor *f) {
    return ((size_t)f->block_count + 1) * VO_BLOCK_FLOATS;
}

static bool allocate_blocks(vo_block_factor *f) {
    f->work = vo_new_array(f->ctx, double, work_doubles(f));
    f->block = vo_new_array(f->ctx, float, factor_floats(f));
    return f->work && f->block;
}

vo_result vo_block_factor_init(vo_context *ctx, const vo_block_pattern *pattern, int max_blocks,
                               vo_block_factor *out, bool *fits) {
    *out = (vo_block_factor){.ctx = ctx, .pattern = pattern, .count = pattern->row_count};
    *fits = true;
    if (!allocate_rows(out)) {
        vo_block_factor_free(out);
        return vo_fail_memory(ctx, "a coarse factor");
    }
    vo_result result = out->count > 0 ? analyse(out, max_blocks, fits) : VO_OK;
    if (result == VO_OK && *fits && !allocate_blocks(out))
        result = vo_fail_memory(ctx, "a coarse factor");
    if (result != VO_OK || !*fits) vo_block_factor_free(out);
    return result;
}

void vo_block_factor_free(vo_block_factor *f) {
    if (!f->ctx) return;
    size_t n = (size_t)f->count + 1;
    vo_free_array(f->ctx, f->row_at, n);
    vo_free_array(f->ctx, f->step_of, n);
    vo_free_array(f->ctx, f->column_start, n);
    vo_free_array(f->ctx, f->slot, (size_t)f->pattern->block_count + 1);
    vo_free_array(f->ctx, f->pivot, n * VO_BLOCK_FLOATS);
    vo_free_array(f->ctx, f->x, n);
    vo_free_array(f->ctx, f->step, f->block_capacity);
    vo_free_array(f->ctx, f->work, work_doubles(f));
    vo_free_array(f->ctx, f->block, factor_floats(f));
    *f = (vo_block_factor){0};
}

/* ---- numbers -------------------------------------------------------------------------------- */

/* Lays the lower triangle of A, in elimination order, into the work space. */
static void load_matrix(vo_block_factor *f, const vo_block_matrix *a) {
    double *column = f->work + (size_t)f->count * VO_BLOCK_FLOATS;
    memset(column, 0, (size_t)f->block_count * VO_BLOCK_FLOATS * sizeof *column);
    for (int k = 0; k < f->pattern->block_count; k++) {
        if (f->slot[k] < 0) continue;
        const float *from = a->block + (size_t)k * VO_BLOCK_FLOATS;
        double *to = f->work + (size_t)f->slot[k] * VO_BLOCK_FLOATS;
        for (int i = 0; i < VO_BLOCK_FLOATS; i++) to[i] = (double)from[i];
    }
}

void vo_block_factor_compute(vo_block_factor *f, const vo_block_matrix *a) {
    load_matrix(f, a);
    VO_DISPATCH(f->ctx, vo_factor_eliminate)(f);
}

void vo_block_factor_solve(vo_block_factor *f, const vo_float4 *b, vo_float4 *x) {
    for (int k = 0; k < f->count; k++) f->x[k] = b[f->row_at[k]];
    VO_DISPATCH(f->ctx, vo_factor_substitute)(f);
    for (int k = 0; k < f->count; k++) x[f->row_at[k]] = f->x[k];
}

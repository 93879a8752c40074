#include "linalg/block_factor.h"

#include "core/memory.h"
#include "linalg/dissection.h"

#include <string.h>

enum { RUN = 8 };

/* ---- symbolic ------------------------------------------------------------------------------- */

typedef struct symbolic {
    vo_block_factor *f;
    int *mark;        /* [count] last column that listed a step */
    int *first_child; /* [count] columns whose first entry below the diagonal is this one
                         (elimination tree) */
    int *next_child;  /* [count] */
    int max_blocks;
} symbolic;

static void list_step(symbolic *s, int column, int step) {
    vo_block_factor *f = s->f;
    if (step <= column || s->mark[step] == column) return;
    s->mark[step] = column;
    f->step[f->block_count++] = step;
}

/* Insertion sort: lists are short and mostly sorted. */
static void sort_steps(int *step, int count) {
    for (int i = 1; i < count; i++) {
        int value = step[i], k = i;
        for (; k > 0 && step[k - 1] > value; k--) step[k] = step[k - 1];
        step[k] = value;
    }
}

/* Lists column k of L: the couplings of row k and the entries of its children in the elimination
 * tree. */
static void list_column(symbolic *s, int k) {
    vo_block_factor *f = s->f;
    const vo_block_pattern *a = f->pattern;
    int begin = f->block_count, row = f->row_at[k];
    for (int q = a->row_start[row]; q < a->row_start[row + 1]; q++)
        list_step(s, k, f->step_of[a->column[q]]);
    for (int c = s->first_child[k]; c >= 0; c = s->next_child[c])
        for (int q = f->column_start[c]; q < f->column_start[c + 1]; q++)
            list_step(s, k, f->step[q]);
    f->column_start[k + 1] = f->block_count;
    sort_steps(f->step + begin, f->block_count - begin);
    if (f->block_count > begin) {
        int parent = f->step[begin];
        s->next_child[k] = s->first_child[parent];
        s->first_child[parent] = k;
    }
}

/* Returns false if there are too many entries. */
static bool list_columns(symbolic *s) {
    vo_block_factor *f = s->f;
    for (int k = 0; k < f->count; k++) s->mark[k] = s->first_child[k] = -1;
    f->column_start[0] = 0;
    for (int k = 0; k < f->count && f->block_count <= s->max_blocks; k++) list_column(s, k);
    return f->block_count <= s->max_blocks;
}

/* Returns the slot of block (i, j): a pivot, or a position in the column of j. */
static int find_slot(const vo_block_factor *f, int i, int j) {
    int step = f->step_of[i], k = f->step_of[j];
    if (step <= k) return step == k ? -1 - k : VO_NO_SLOT;
    int start = f->column_start[k], low = start, high = f->column_start[k + 1];
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (f->step[middle] <= step)
            low = middle;
        else
            high = middle;
    }
    return VO_PACKED * start + 3 * (low - start);
}

static void find_slots(vo_block_factor *f) {
    const vo_block_pattern *p = f->pattern;
    for (int i = 0; i < f->count; i++)
        for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++)
            f->slot[k] = find_slot(f, i, p->column[k]);
}

/* Orders the rows and lists the columns; `scratch` [3 count]. Returns false if L would be too
 * large. */
static bool analyse(vo_block_factor *f, vo_dissection how, int max_blocks, int *scratch) {
    int n = f->count;
    if (how == VO_DISSECT_GRAPH)
        vo_dissect_graph(f->pattern, f->step_of, scratch);
    else
        vo_dissect_numbered(f->pattern, f->step_of);
    for (int i = 0; i < n; i++) f->row_at[f->step_of[i]] = i;
    symbolic s = {f, scratch, scratch + n, scratch + 2 * (size_t)n, max_blocks};
    if (!list_columns(&s)) return false;
    find_slots(f);
    return true;
}

/* ---- memory --------------------------------------------------------------------------------- */

/* Allocates the arrays whose size is known before the analysis, with one spare entry. A column is
 * listed before it is counted and has at most `count` entries. */
static bool allocate_rows(vo_block_factor *f, vo_arena *arena, int max_blocks) {
    size_t n = (size_t)f->count + 1;
    f->row_at = vo_arena_array(arena, int, n);
    f->step_of = vo_arena_array(arena, int, n);
    f->column_start = vo_arena_array(arena, int, n);
    f->slot = vo_arena_array(arena, int, (size_t)f->pattern->block_count + 1);
    f->step = vo_arena_array(arena, int, (size_t)max_blocks + n);
    f->pivot = vo_arena_array(arena, double, n *VO_BLOCK_FLOATS);
    f->x = vo_arena_array(arena, vo_float4, n);
    return f->row_at && f->step_of && f->column_start && f->slot && f->step && f->pivot && f->x;
}

/* Padded, because loops over eight values may exceed the last column. */
static bool allocate_blocks(vo_block_factor *f, vo_arena *arena) {
    size_t n = (size_t)f->block_count * VO_PACKED;
    f->value = vo_arena_array(arena, float, n + RUN);
    if (f->value) memset(f->value + n, 0, RUN * sizeof *f->value);
    return f->value;
}

vo_result vo_block_factor_init(vo_arena *arena, const vo_block_pattern *pattern, vo_dissection how,
                               int max_blocks, vo_block_factor *out, bool *fits) {
    *out = (vo_block_factor){.ctx = arena->ctx, .pattern = pattern, .count = pattern->row_count};
    int *scratch = vo_arena_array(arena, int, 3 * (size_t)out->count + 1);
    bool all = scratch && allocate_rows(out, arena, max_blocks);
    *fits = all && analyse(out, how, max_blocks, scratch);
    if (*fits) all = allocate_blocks(out, arena);
    return all ? VO_OK : vo_fail_memory(arena->ctx, "a coarse factor");
}

/* ---- numeric -------------------------------------------------------------------------------- */

/* Stores a matrix block, whose column is eliminated in `step`, in its slot. */
static void load_block(vo_block_factor *f, const float *from, int slot, int step) {
    if (slot == VO_NO_SLOT) return;
    if (slot < 0) {
        double *pivot = f->pivot + (size_t)(-1 - slot) * VO_BLOCK_FLOATS;
        for (int i = 0; i < VO_BLOCK_FLOATS; i++) pivot[i] = (double)from[i];
        return;
    }
    size_t stride = 3 * (size_t)(f->column_start[step + 1] - f->column_start[step]);
    for (size_t c = 0; c < 3; c++)
        for (size_t r = 0; r < 3; r++) f->value[(size_t)slot + c * stride + r] = from[4 * c + r];
}

/* Stores the lower triangle of A, in elimination order, in the factor. */
static void load_matrix(vo_block_factor *f, const vo_block_matrix *a) {
    memset(f->value, 0, (size_t)f->block_count * VO_PACKED * sizeof *f->value);
    for (int k = 0; k < f->pattern->block_count; k++)
        load_block(f, a->block + (size_t)k * VO_BLOCK_FLOATS, f->slot[k],
                   f->step_of[f->pattern->column[k]]);
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

#include "linalg/dissection.h"

#include "linalg/ordering.h"

enum { SMALL_PART = 4 };

typedef struct dissection {
    const vo_block_pattern *graph;
    int *step_of; /* -1: not assigned yet */
    int next;     /* next step; assigned from last to first */
} dissection;

static void place(dissection *d, int row) { d->step_of[row] = --d->next; }

static dissection begin_dissection(const vo_block_pattern *graph, int *step_of) {
    for (int i = 0; i < graph->row_count; i++) step_of[i] = -1;
    return (dissection){graph, step_of, graph->row_count};
}

/* ---- numbered ------------------------------------------------------------------------------- */

/* Assigns the next (last) steps to the rows of [begin, middle) that are coupled to [middle, end).
 */
static void place_separator(dissection *d, int begin, int middle, int end) {
    const vo_block_pattern *g = d->graph;
    for (int i = middle - 1; i >= begin; i--) {
        if (d->step_of[i] >= 0) continue;
        int k = g->diagonal[i];
        while (k < g->row_start[i + 1] && (g->column[k] < middle || d->step_of[g->column[k]] >= 0))
            k++;
        if (k < g->row_start[i + 1] && g->column[k] < end) place(d, i);
    }
}

static void dissect(dissection *d, int begin, int end) {
    if (end - begin <= SMALL_PART) {
        for (int i = end - 1; i >= begin; i--)
            if (d->step_of[i] < 0) place(d, i);
        return;
    }
    int middle = begin + vo_order_split(end - begin);
    place_separator(d, begin, middle, end);
    dissect(d, middle, end);
    dissect(d, begin, middle);
}

void vo_dissect_numbered(const vo_block_pattern *graph, int *step_of) {
    dissection d = begin_dissection(graph, step_of);
    dissect(&d, 0, graph->row_count);
}

/* ---- graph ---------------------------------------------------------------------------------- */

/* Parts are contiguous ranges of `row`. Rows of different parts have different marks. */
typedef struct search {
    dissection d;
    int *row;   /* [count] rows, part by part */
    int *queue; /* [count] */
    int *mark;  /* [count] */
    int marks;  /* number of marks used */
} search;

/* Breadth-first search from `first` within its part: lists the rows by ascending distance and gives
 * them a new mark. Returns their number. */
static int search_from(search *s, int first) {
    const vo_block_pattern *g = s->d.graph;
    int part = s->mark[first], reached = ++s->marks, count = 0;
    s->queue[count++] = first;
    s->mark[first] = reached;
    for (int n = 0; n < count; n++)
        for (int k = g->row_start[s->queue[n]]; k < g->row_start[s->queue[n] + 1]; k++) {
            int row = g->column[k];
            if (s->mark[row] != part) continue;
            s->mark[row] = reached;
            s->queue[count++] = row;
        }
    return count;
}

static bool touches(const search *s, int row, int mark) {
    const vo_block_pattern *g = s->d.graph;
    for (int k = g->row_start[row]; k < g->row_start[row + 1]; k++)
        if (s->mark[g->column[k]] == mark) return true;
    return false;
}

/* Removes the rows in [begin, end) that touch the other half, whose mark is `far`, from their part
 * and assigns them steps. The others move to the front; returns their end. */
static int assign_separator(search *s, int begin, int end, int far) {
    int kept = begin;
    for (int n = begin; n < end; n++) {
        int row = s->row[n];
        if (touches(s, row, far)) {
            place(&s->d, row);
            s->mark[row] = -1;
        } else {
            s->row[kept++] = row;
        }
    }
    return kept;
}

static void search_part(search *s, int begin, int end);

/* Divides a connected part whose rows are listed by ascending distance from one of its ends. */
static void split_part(search *s, int begin, int end) {
    if (end - begin <= SMALL_PART) {
        for (int n = end - 1; n >= begin; n--) place(&s->d, s->row[n]);
        return;
    }
    int middle = begin + (end - begin) / 2, far = ++s->marks;
    for (int n = middle; n < end; n++) s->mark[s->row[n]] = far;
    int kept = assign_separator(s, begin, middle, far);
    search_part(s, middle, end);
    search_part(s, begin, kept);
}

/* Assigns steps to the rows of [begin, end), component by component. Each component is searched
 * twice: the row found last lies at an end. */
static void search_part(search *s, int begin, int end) {
    while (begin < end) {
        int count = search_from(s, s->row[begin]);
        count = search_from(s, s->queue[count - 1]);
        int mark = s->marks, rest = end;
        for (int n = end - 1; n >= begin; n--) /* unreached rows move to the back */
            if (s->mark[s->row[n]] != mark) s->row[--rest] = s->row[n];
        for (int n = 0; n < count; n++) s->row[begin + n] = s->queue[n];
        split_part(s, begin, begin + count);
        begin += count;
    }
}

void vo_dissect_graph(const vo_block_pattern *graph, int *step_of, int *scratch) {
    int n = graph->row_count;
    search s = {begin_dissection(graph, step_of), scratch, scratch + n, scratch + 2 * (size_t)n, 0};
    for (int i = 0; i < n; i++) s.row[i] = i, s.mark[i] = 0;
    search_part(&s, 0, n);
}

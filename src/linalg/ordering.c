#include "linalg/ordering.h"

#include "core/memory.h"
#include "core/random.h"
#include "linalg/block_matrix.h"

/* Items get a place in a space of DIMENSIONS coordinates: their position, or their distances, in
 * edges, from as many landmarks far from each other. Distances are whole numbers; smoothing them
 * over the neighbours makes them vary evenly, down to the scale of a leaf. */
enum { DIMENSIONS = 4, SMOOTHINGS = 6 };

typedef struct place {
    float at[DIMENSIONS];
} place;

/* Work space. `item` is the permutation that is being refined in place; parts are runs of it. */
typedef struct bisection {
    int *item;     /* [count] */
    float *key;    /* [count] the coordinate that a part is cut by, by item */
    place *layout; /* [count] */
    vo_random random;
} bisection;

/* ---- cutting -------------------------------------------------------------------------------- */

/* By key, then by number: a total order. */
static bool comes_before(const bisection *b, int i, int j) {
    return b->key[i] != b->key[j] ? b->key[i] < b->key[j] : i < j;
}

static void swap(int *a, int *b) {
    int t = *a;
    *a = *b;
    *b = t;
}

/* Moves the `first` items that come first to the front (quickselect). */
static void select_first(bisection *b, int *item, int count, int first) {
    int low = 0, high = count - 1; /* the cut lies within [low, high + 1] */
    while (low < high) {
        swap(item + low, item + low + vo_random_int(&b->random, high - low + 1));
        int pivot = item[low], end = low;
        for (int n = low + 1; n <= high; n++)
            if (comes_before(b, item[n], pivot)) swap(item + n, item + ++end);
        swap(item + low, item + end);
        if (end == first || end + 1 == first) return;
        if (end < first)
            low = end + 1;
        else
            high = end - 1;
    }
}

/* Sets the keys to the coordinate in which the items spread most. */
static void choose_axis(bisection *b, const int *item, int count) {
    int widest = 0;
    float width = -1;
    for (int d = 0; d < DIMENSIONS; d++) {
        float low = b->layout[item[0]].at[d], high = low;
        for (int n = 1; n < count; n++) {
            float x = b->layout[item[n]].at[d];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        if (high - low > width) width = high - low, widest = d;
    }
    for (int n = 0; n < count; n++) b->key[item[n]] = b->layout[item[n]].at[widest];
}

int vo_order_cut(int leaves) {
    enum { GROUP = 16 };
    int unit = 1;
    while (unit < GROUP && 4 * unit <= leaves) unit *= 2;
    return (leaves / 2 + unit / 2) / unit * unit;
}

/* Cuts the part [begin, end), whose leaves start at begin, and then its halves. The depth is the
 * logarithm of the size: halves of many leaves are at worst 2 : 3. */
static void bisect(bisection *b, int begin, int end) {
    if (end - begin < 2) return;
    int leaves = (end - begin - 1) / VO_ORDER_LEAF + 1;
    int middle =
        leaves > 1 ? begin + vo_order_cut(leaves) * VO_ORDER_LEAF : begin + (end - begin + 1) / 2;
    choose_axis(b, b->item + begin, end - begin);
    select_first(b, b->item + begin, end - begin, middle - begin);
    bisect(b, begin, middle);
    bisect(b, middle, end);
}

/* Places the items; `layout` is zero before. */
typedef vo_result layout_fn(vo_context *ctx, int count, const void *arg, place *layout);

static vo_result order(vo_context *ctx, int count, layout_fn *lay_out, const void *arg,
                       int *row_of) {
    if (count <= 0) return VO_OK;
    size_t n = (size_t)count,
           bytes = vo_array_bytes(n, sizeof(place) + sizeof(float) + sizeof(int));
    place *memory = vo_alloc_zero(ctx, bytes);
    if (!memory) return vo_fail_memory(ctx, "an ordering");
    bisection b = {.layout = memory, .random = vo_random_seed(n)};
    b.key = (float *)(b.layout + n);
    b.item = (int *)(b.key + n);
    for (int i = 0; i < count; i++) b.item[i] = i;
    vo_result result = lay_out(ctx, count, arg, b.layout);
    if (result == VO_OK) {
        bisect(&b, 0, count);
        for (int k = 0; k < count; k++) row_of[b.item[k]] = k;
    }
    vo_free(ctx, memory, bytes);
    return result;
}

/* ---- by position ---------------------------------------------------------------------------- */

/* What is not a number is taken for zero, so that there always is an order. */
static vo_result place_points(vo_context *ctx, int count, const void *arg, place *layout) {
    (void)ctx;
    const vo_vec3 *at = arg;
    for (int i = 0; i < count; i++) {
        double x[3] = {at[i].x, at[i].y, at[i].z};
        for (int d = 0; d < 3; d++) layout[i].at[d] = x[d] == x[d] ? (float)x[d] : 0;
    }
    return VO_OK;
}

vo_result vo_order_points(vo_context *ctx, int count, const vo_vec3 *at, int *row_of) {
    return order(ctx, count, place_points, at, row_of);
}

/* ---- by the graph --------------------------------------------------------------------------- */

typedef struct survey {
    const vo_block_pattern *graph;
    int *queue;    /* [count] */
    int *distance; /* [count] from the landmark in hand; -1: not reached */
    int *nearest;  /* [count] the least distance from any landmark so far */
    place *next;   /* [count] the layout after a smoothing */
} survey;

/* Breadth-first distances from `root`; lists what it reaches and returns how many that are. */
static int measure(survey *s, int root, int *queue) {
    const vo_block_pattern *g = s->graph;
    int head = 0, tail = 0;
    s->distance[root] = 0;
    queue[tail++] = root;
    while (head < tail) {
        int i = queue[head++];
        for (int k = g->row_start[i]; k < g->row_start[i + 1]; k++) {
            int j = g->column[k];
            if (s->distance[j] >= 0) continue;
            s->distance[j] = s->distance[i] + 1;
            queue[tail++] = j;
        }
    }
    return tail;
}

/* Places one connected component, the `count` items at `item` in the order measure() met them: the
 * last one is the first landmark, and each next one is the item farthest from all before. `offset`
 * keeps components apart. */
static void place_component(survey *s, int *item, int count, float offset, place *layout) {
    for (int n = 0; n < count; n++) s->nearest[item[n]] = count;
    int landmark = item[count - 1];
    for (int d = 0; d < DIMENSIONS; d++) {
        for (int n = 0; n < count; n++) s->distance[item[n]] = -1;
        measure(s, landmark, item);
        for (int n = 0; n < count; n++) {
            int i = item[n];
            layout[i].at[d] = offset + (float)s->distance[i];
            if (s->distance[i] < s->nearest[i]) s->nearest[i] = s->distance[i];
            if (s->nearest[i] > s->nearest[landmark]) landmark = i;
        }
    }
}

/* Every coordinate becomes the mean over the item and its neighbours. */
static void smooth(const survey *s, int count, const place *from, place *to) {
    const vo_block_pattern *g = s->graph;
    for (int i = 0; i < count; i++) {
        place sum = {{0}};
        for (int k = g->row_start[i]; k < g->row_start[i + 1]; k++)
            for (int d = 0; d < DIMENSIONS; d++) sum.at[d] += from[g->column[k]].at[d];
        float scale = 1 / (float)(g->row_start[i + 1] - g->row_start[i]);
        for (int d = 0; d < DIMENSIONS; d++) to[i].at[d] = scale * sum.at[d];
    }
}

/* Components are laid out side by side, each as far from the last as it has items. */
static void place_graph(survey *s, int count, place *layout) {
    float offset = 0;
    for (int i = 0; i < count; i++) s->distance[i] = -1;
    for (int root = 0, done = 0; root < count; root++) {
        if (s->distance[root] >= 0) continue;
        int size = measure(s, root, s->queue + done);
        place_component(s, s->queue + done, size, offset, layout);
        offset += 2 * (float)size;
        done += size;
    }
    for (int n = 0; n < SMOOTHINGS; n += 2) {
        smooth(s, count, layout, s->next);
        smooth(s, count, s->next, layout);
    }
}

static vo_result survey_graph(vo_context *ctx, int count, const void *arg, place *layout) {
    size_t n = (size_t)count, bytes = vo_array_bytes(n, sizeof(place) + 3 * sizeof(int));
    survey s = {.graph = arg, .next = vo_alloc(ctx, bytes)};
    if (!s.next) return vo_fail_memory(ctx, "an ordering");
    s.queue = (int *)(s.next + n);
    s.distance = s.queue + n;
    s.nearest = s.distance + n;
    place_graph(&s, count, layout);
    vo_free(ctx, s.next, bytes);
    return VO_OK;
}

vo_result vo_order_rows(vo_context *ctx, int count, int pair_count, const int (*pairs)[2],
                        int *row_of) {
    vo_block_pattern graph;
    VO_TRY(vo_block_pattern_build(ctx, count, pair_count, pairs, &graph));
    vo_result result = order(ctx, count, survey_graph, &graph, row_of);
    vo_block_pattern_free(&graph);
    return result;
}

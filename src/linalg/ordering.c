#include "linalg/ordering.h"

#include "core/memory.h"
#include "core/random.h"

enum { DIMENSIONS = 3 };

typedef struct position {
    float at[DIMENSIONS];
} position;

/* Work space. `item` is a permutation that is refined in position; parts are contiguous ranges of
 * it.
 */
typedef struct bisection {
    int *item;        /* [count] */
    float *key;       /* [count] coordinate by which a part is divided, by item */
    position *layout; /* [count] */
    vo_random random;
} bisection;

/* Total order by key, then by index. */
static bool is_less(const bisection *b, int i, int j) {
    return b->key[i] != b->key[j] ? b->key[i] < b->key[j] : i < j;
}

static void swap(int *a, int *b) {
    int t = *a;
    *a = *b;
    *b = t;
}

/* Moves the `first` smallest items to the front (quickselect). */
static void select_first(bisection *b, int *item, int count, int first) {
    int low = 0, high = count - 1; /* the split is within [low, high + 1] */
    while (low < high) {
        swap(item + low, item + low + vo_random_int(&b->random, high - low + 1));
        int pivot = item[low], end = low;
        for (int n = low + 1; n <= high; n++)
            if (is_less(b, item[n], pivot)) swap(item + n, item + ++end);
        swap(item + low, item + end);
        if (end == first || end + 1 == first) return;
        if (end < first)
            low = end + 1;
        else
            high = end - 1;
    }
}

/* Sets the keys to the coordinate of largest extent. */
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

int vo_order_split(int leaves) {
    enum { GROUP = 16 };
    int unit = 1;
    while (unit < GROUP && 4 * unit <= leaves) unit *= 2;
    return (leaves / 2 + unit / 2) / unit * unit;
}

/* Divides the part [begin, end), whose leaves start at begin, recursively. The depth is
 * logarithmic: halves of many leaves are at worst 2 : 3. */
static void bisect(bisection *b, int begin, int end) {
    if (end - begin < 2) return;
    int leaves = (end - begin - 1) / VO_ORDER_LEAF + 1;
    int middle =
        leaves > 1 ? begin + vo_order_split(leaves) * VO_ORDER_LEAF : begin + (end - begin + 1) / 2;
    choose_axis(b, b->item + begin, end - begin);
    select_first(b, b->item + begin, end - begin, middle - begin);
    bisect(b, begin, middle);
    bisect(b, middle, end);
}

/* Replaces NaN by zero, so that a total order exists. */
static void init_items(bisection *b, int count, const vo_vec3 *at) {
    for (int i = 0; i < count; i++) {
        double x[3] = {at[i].x, at[i].y, at[i].z};
        for (int d = 0; d < 3; d++) b->layout[i].at[d] = x[d] == x[d] ? (float)x[d] : 0;
        b->item[i] = i;
    }
}

vo_result vo_order_points(vo_context *ctx, int count, const vo_vec3 *at, int *row_of) {
    if (count <= 0) return VO_OK;
    size_t n = (size_t)count,
           bytes = vo_array_bytes(n, sizeof(position) + sizeof(float) + sizeof(int));
    position *memory = vo_alloc_zero(ctx, bytes);
    if (!memory) return vo_fail_memory(ctx, "an ordering");
    bisection b = {.layout = memory, .random = vo_random_seed(n)};
    b.key = (float *)(b.layout + n);
    b.item = (int *)(b.key + n);
    init_items(&b, count, at);
    bisect(&b, 0, count);
    for (int k = 0; k < count; k++) row_of[b.item[k]] = k;
    vo_free(ctx, memory, bytes);
    return VO_OK;
}

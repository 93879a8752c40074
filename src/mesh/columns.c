#include "mesh/columns.h"

#include <string.h>

enum { MAX_COLUMNS = 8 };

/* The array pointer of a column; copied as bytes, since its type is unknown here. */
static void *get_array(vo_column column) {
    void *array;
    memcpy(&array, column.slot, sizeof array);
    return array;
}

static void set_array(vo_column column, void *array) { memcpy(column.slot, &array, sizeof array); }

static bool is_absent(vo_column column) { return column.optional && !get_array(column); }

/* The grown capacity for `need` elements; -1 on overflow. */
static int grown_capacity(int capacity, int need) {
    int64_t grown = (int64_t)capacity + capacity / 2 + 16;
    if (capacity == 0 || grown < need) grown = need;
    return grown > INT32_MAX ? -1 : (int)grown;
}

static void free_blocks(vo_context *ctx, const vo_column *columns, void **block, int count,
                        int capacity) {
    for (int i = 0; i < count; i++) vo_free(ctx, block[i], (size_t)capacity * columns[i].size);
}

/* Allocates the larger arrays; on failure frees all of them. */
static bool allocate_blocks(vo_context *ctx, const vo_column *columns, void **block, int count,
                            int capacity) {
    for (int i = 0; i < count; i++) {
        block[i] = NULL;
        if (is_absent(columns[i])) continue;
        block[i] = vo_alloc(ctx, vo_array_bytes((size_t)capacity, columns[i].size));
        if (block[i]) continue;
        free_blocks(ctx, columns, block, i, capacity);
        return false;
    }
    return true;
}

/* Moves a column's contents into its new block and clears the rest. */
static void move_column(vo_context *ctx, vo_column column, char *block, int old, int capacity) {
    size_t used = (size_t)old * column.size;
    void *array = get_array(column);
    if (used) memcpy(block, array, used);
    memset(block + used, 0, (size_t)capacity * column.size - used);
    vo_free(ctx, array, used);
    set_array(column, block);
}

bool vo_columns_reserve(vo_context *ctx, const vo_column *columns, int count, int *capacity,
                        int need) {
    if (need <= *capacity) return true;
    int grown = grown_capacity(*capacity, need);
    void *block[MAX_COLUMNS];
    VO_REQUIRE(ctx, count <= MAX_COLUMNS);
    if (grown < 0 || !allocate_blocks(ctx, columns, block, count, grown)) return false;
    for (int i = 0; i < count; i++)
        if (block[i]) move_column(ctx, columns[i], block[i], *capacity, grown);
    *capacity = grown;
    return true;
}

bool vo_column_enable(vo_context *ctx, vo_column column, int capacity) {
    if (get_array(column) || capacity == 0) return true;
    void *array = vo_alloc_zero(ctx, vo_array_bytes((size_t)capacity, column.size));
    set_array(column, array);
    return array != NULL;
}

/* Copies rows to scratch memory and back. Common sizes are constants for the compiler. */
static void permute_rows(char *array, size_t size, const int *from, int rows, char *scratch) {
    size_t n = (size_t)rows;
    switch (size) {
    case 4:
        for (size_t i = 0; i < n; i++) memcpy(scratch + 4 * i, array + 4 * (size_t)from[i], 4);
        break;
    case 8:
        for (size_t i = 0; i < n; i++) memcpy(scratch + 8 * i, array + 8 * (size_t)from[i], 8);
        break;
    default:
        for (size_t i = 0; i < n; i++)
            memcpy(scratch + size * i, array + size * (size_t)from[i], size);
    }
    if (rows) memcpy(array, scratch, n * size);
}

void vo_columns_permute(const vo_column *columns, int count, const int *from, int rows,
                        void *scratch) {
    for (int i = 0; i < count; i++)
        if (get_array(columns[i]))
            permute_rows(get_array(columns[i]), columns[i].size, from, rows, scratch);
}

void vo_columns_free(vo_context *ctx, const vo_column *columns, int count, int *capacity) {
    for (int i = 0; i < count; i++) {
        vo_free(ctx, get_array(columns[i]), (size_t)*capacity * columns[i].size);
        set_array(columns[i], NULL);
    }
    *capacity = 0;
}

/* Voxel hash over boxes.
 *
 * Each box is listed in every cell that it overlaps; cells are hashed to buckets, and buckets are
 * filled by a counting sort, so the cost is linear in the number of cells. A pair is reported by
 * the cell that contains the lower corner of the intersection of its boxes, so once only. */
#include "rt/self/self_private.h"

#include <string.h>

/* Size of a cell relative to the mean size of the boxes. */
static const float CELL_SCALE = 1.2f;
/* Entries per box for which there is memory; cells grow until they fit. */
enum { CELL_BITS = 27, CELL_MASK = (1 << CELL_BITS) - 1 };
enum { ENTRIES_PER_BOX = 10, MAX_GROWTH = 24 };

typedef struct grid {
    const vo_rt_vec4 *box;
    float inverse_cell;
    int mask; /* of the table */
} grid;

typedef struct cells {
    int low[3], high[3];
} cells;

int vo_rt_self_hash_entries(int count) { return ENTRIES_PER_BOX * count + 256; }

static int cell_of(float x) {
    const float LIMIT = 1e9f;
    x = f_clamp(x, -LIMIT, LIMIT);
    int i = (int)x;
    return i - ((float)i > x);
}

static void corner_cells(const grid *g, vo_rt_vec4 a, int out[3]) {
    out[0] = cell_of(a.x * g->inverse_cell);
    out[1] = cell_of(a.y * g->inverse_cell);
    out[2] = cell_of(a.z * g->inverse_cell);
}

static cells cells_of(const grid *g, int box) {
    cells c;
    corner_cells(g, g->box[2 * box], c.low);
    corner_cells(g, g->box[2 * box + 1], c.high);
    return c;
}

static uint32_t cell_key(int x, int y, int z) {
    return ((uint32_t)x & 511) | ((uint32_t)y & 511) << 9 | ((uint32_t)z & 511) << 18;
}

static uint32_t bucket_of(const grid *g, uint32_t key) {
    uint32_t h = key * 0x9E3779B1u;
    return (h ^ h >> 15) & (uint32_t)g->mask;
}

static bool is_empty(const vo_rt_vec4 *box, int i) { return !(box[2 * i].x <= box[2 * i + 1].x); }

/* Mean extent of the boxes, m. */
static float mean_size(const vo_rt_vec4 *box, int count) {
    double sum = 0;
    int used = 0;
    for (int i = 0; i < count; i++) {
        if (is_empty(box, i)) continue;
        vo_rt_vec3 d = f3_sub(f4_xyz(box[2 * i + 1]), f4_xyz(box[2 * i]));
        sum += (double)f_max(f_max(d.x, d.y), d.z);
        used++;
    }
    return used > 0 ? (float)(sum / used) : 1;
}

static int64_t cell_count(const cells *c) {
    return (int64_t)(c->high[0] - c->low[0] + 1) * (c->high[1] - c->low[1] + 1) *
           (c->high[2] - c->low[2] + 1);
}

/* Cells of all boxes; stops beyond the limit. */
static int64_t count_entries(const grid *g, int count, int64_t limit) {
    int64_t sum = 0;
    for (int i = 0; i < count && sum <= limit; i++) {
        if (is_empty(g->box, i)) continue;
        cells c = cells_of(g, i);
        sum += cell_count(&c);
    }
    return sum;
}

/* Calls body with `key` for each cell of c. */
#define FOR_CELLS(c, key)                                      \
    for (int z_ = (c).low[2]; z_ <= (c).high[2]; z_++)         \
        for (int y_ = (c).low[1]; y_ <= (c).high[1]; y_++)     \
            for (int x_ = (c).low[0]; x_ <= (c).high[0]; x_++) \
                for (uint32_t key = cell_key(x_, y_, z_), once_ = 1; once_; once_ = 0)

/* Bits of an entry: the cell is the lowest one of the box along x, y, z. */
static uint32_t lowest_bits(const cells *c, int x, int y, int z) {
    uint32_t bits = (uint32_t)(x == c->low[0]) | (uint32_t)(y == c->low[1]) << 1 |
                    (uint32_t)(z == c->low[2]) << 2;
    return bits << CELL_BITS;
}

static void fill(vo_rt_self_hash *hash, const grid *g, int count) {
    int32_t *bucket = hash->bucket;
    memset(bucket, 0, (size_t)(hash->table + 1) * sizeof *bucket);
    for (int i = 0; i < count; i++) {
        if (is_empty(g->box, i)) continue;
        cells c = cells_of(g, i);
        FOR_CELLS(c, key) { bucket[bucket_of(g, key)]++; }
    }
    int sum = 0;
    for (int i = 0; i <= hash->table; i++) {
        sum += bucket[i];
        bucket[i] = sum; /* end of the bucket; its entries are filled from the back */
    }
    for (int i = count - 1; i >= 0; i--) {
        if (is_empty(g->box, i)) continue;
        cells c = cells_of(g, i);
        FOR_CELLS(c, key) {
            int at = --bucket[bucket_of(g, key)];
            hash->entry[at] = (vo_rt_self_entry){key | lowest_bits(&c, x_, y_, z_), i};
        }
    }
}

/* True for two entries of one cell that contains the lower corner of the intersection of their
 * boxes: along each axis, it is the lowest cell of one of them. */
static bool is_home(uint32_t a, uint32_t b) {
    return ((a ^ b) & CELL_MASK) == 0 && (a | b) >> CELL_BITS == 7;
}

static bool overlap(const vo_rt_vec4 *a, const vo_rt_vec4 *b) {
    return a[0].x <= b[1].x && b[0].x <= a[1].x && a[0].y <= b[1].y && b[0].y <= a[1].y &&
           a[0].z <= b[1].z && b[0].z <= a[1].z;
}

/* Entries of a bucket are sorted by box. */
static void visit_bucket(const vo_rt_self_entry *e, int count, int first_fixed, const grid *g,
                         vo_rt_self_pair_fn *fn, void *user) {
    for (int i = 0; i < count && e[i].box < first_fixed; i++)
        for (int j = i + 1; j < count; j++)
            if (is_home(e[i].cell, e[j].cell) &&
                overlap(&g->box[2 * e[i].box], &g->box[2 * e[j].box]))
                fn(user, e[i].box, e[j].box);
}

void vo_rt_self_hash_boxes(vo_rt_self_hash *hash, const vo_rt_vec4 *box, int count) {
    float cell = f_max(CELL_SCALE * mean_size(box, count), 1e-6f);
    int table = 64;
    while (table < count && 2 * table <= hash->table_capacity) table *= 2;
    hash->table = table;
    grid g = {box, 1 / cell, table - 1};
    int64_t limit = hash->entry_capacity;
    for (int k = 0; k < MAX_GROWTH && count_entries(&g, count, limit) > limit; k++)
        g.inverse_cell *= 0.6f;
    fill(hash, &g, count);
    hash->inverse_cell = g.inverse_cell;
}

void vo_rt_self_for_pairs(const vo_rt_self_hash *hash, const vo_rt_vec4 *box, int first_fixed,
                          vo_rt_self_pair_fn *fn, void *user) {
    grid g = {box, hash->inverse_cell, hash->table - 1};
    for (int i = 0; i < hash->table; i++)
        visit_bucket(hash->entry + hash->bucket[i], hash->bucket[i + 1] - hash->bucket[i],
                     first_fixed, &g, fn, user);
}

void vo_rt_self_for_overlaps(const vo_rt_self_hash *hash, const vo_rt_vec4 *box,
                             const vo_rt_vec4 query[2], vo_rt_self_box_fn *fn, void *user) {
    grid g = {query, hash->inverse_cell, hash->table - 1};
    cells c = cells_of(&g, 0);
    FOR_CELLS(c, key) {
        uint32_t own = key | lowest_bits(&c, x_, y_, z_), bucket = bucket_of(&g, key);
        for (int i = hash->bucket[bucket]; i < hash->bucket[bucket + 1]; i++) {
            const vo_rt_self_entry *e = &hash->entry[i];
            if (is_home(own, e->cell) && overlap(query, &box[2 * e->box])) fn(user, e->box);
        }
    }
}

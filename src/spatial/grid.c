#include "spatial/grid.h"

#include "core/memory.h"

#include <limits.h>
#include <string.h>

/* ---- cells ---------------------------------------------------------------------------------- */

int vo_grid_class(vo_box box) {
    double side = box_longest_side(box);
    return side > 0 ? ilogb(side) + 1 : VO_GRID_MIN_CLASS;
}

/* True for values whose differences are finite; false for NaN. */
static bool is_bounded(double x) { return fabs(x) <= VO_GRID_MAX_BOUND; }

static bool is_box(vo_box b) {
    return is_bounded(b.min.x) && is_bounded(b.min.y) && is_bounded(b.min.z) &&
           is_bounded(b.max.x) && is_bounded(b.max.y) && is_bounded(b.max.z) &&
           b.min.x <= b.max.x && b.min.y <= b.max.y && b.min.z <= b.max.z;
}

/* Layer of the boxes of a class. */
static int layer_of(const vo_grid *g, int class) {
    return class > g->finest ? class - g->finest : 0;
}

/* Coordinate in units of cells of a layer. Rounding is monotone: the order of coordinates is
 * preserved. */
static double in_cells(double x, double origin, double per_metre) {
    return (x - origin) * per_metre;
}

/* The cell of a point. */
static void cell_of(const vo_grid *g, vo_vec3 p, int layer, int cell[3]) {
    double s = g->per_metre[layer];
    cell[0] = (int)floor(in_cells(p.x, g->origin.x, s));
    cell[1] = (int)floor(in_cells(p.y, g->origin.y, s));
    cell[2] = (int)floor(in_cells(p.z, g->origin.z, s));
}

/* Bucket of a cell: multiplicative hash, upper bits. */
static int bucket_of(const vo_grid *g, const int cell[3], int layer) {
    uint64_t h = (uint64_t)(uint32_t)cell[0] * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 29) ^ (uint32_t)cell[1]) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 32) ^ (uint32_t)cell[2]) * 0x94d049bb133111ebu;
    h = (h ^ (h >> 31) ^ (uint32_t)layer) * 0x9e3779b97f4a7c15u;
    return (int)(h >> (64 - g->bucket_bits));
}

/* ---- building ------------------------------------------------------------------------------- */

/* Sets origin and finest class so that cell indices of every layer are small. */
static void set_frame(vo_grid *g, const vo_box *boxes, int n) {
    vo_box all = box_empty();
    for (int i = 0; i < n; i++) {
        if (!is_box(boxes[i])) continue;
        all = box_join(all, boxes[i]);
        g->count++;
    }
    g->origin = all.min;
    g->finest = g->count ? vo_grid_class(all) - (VO_GRID_LAYERS - 1) : 0;
    g->finest = vo_max_int(g->finest, -1000); /* the inverse of smaller cells would overflow */
    for (int i = 0; i < VO_GRID_LAYERS; i++) g->per_metre[i] = ldexp(1, -(g->finest + i + 1));
    g->bucket_bits = 1;
    while (g->bucket_bits < 30 && 1 << g->bucket_bits < 2 * g->count) g->bucket_bits++;
}

static bool reserve(vo_context *ctx, vo_grid *g) {
    return vo_reserve(ctx, &g->entry, &g->entry_capacity, g->count) &&
           vo_reserve(ctx, &g->box, &g->box_capacity, g->count) &&
           vo_reserve(ctx, &g->start, &g->start_capacity, (1 << g->bucket_bits) + 2);
}

static vo_grid_entry make_entry(const vo_grid *g, const vo_box *box, int id) {
    vo_grid_entry e = {.class = vo_grid_class(*box), .id = id};
    e.layer = layer_of(g, e.class);
    cell_of(g, box->min, e.layer, e.cell);
    return e;
}

/* Counts the entries of each bucket, shifted by two positions; see fill_entries. */
static void count_entries(vo_grid *g, const vo_box *boxes, int n) {
    memset(g->start, 0, ((size_t)2 + ((size_t)1 << g->bucket_bits)) * sizeof *g->start);
    for (int i = 0; i < n; i++) {
        if (!is_box(boxes[i])) continue;
        vo_grid_entry e = make_entry(g, &boxes[i], i);
        g->layers |= 1u << e.layer;
        g->start[bucket_of(g, e.cell, e.layer) + 2]++;
    }
    for (int b = 0; b < 1 << g->bucket_bits; b++) g->start[b + 2] += g->start[b + 1];
}

/* Counting sort: during filling, the end of each bucket is stored one position further on; when all
 * are full, it is the start of the next bucket. */
static void fill_entries(vo_grid *g, const vo_box *boxes, int n) {
    for (int i = 0; i < n; i++) {
        if (!is_box(boxes[i])) continue;
        vo_grid_entry e = make_entry(g, &boxes[i], i);
        int at = g->start[bucket_of(g, e.cell, e.layer) + 1]++;
        g->entry[at] = e;
        g->box[at] = boxes[i];
    }
}

vo_result vo_grid_build(vo_context *ctx, vo_grid *grid, const vo_box *boxes, int n) {
    VO_REQUIRE(ctx, n >= 0 && n <= VO_GRID_MAX_BOXES);
    grid->count = 0;
    grid->layers = 0;
    set_frame(grid, boxes, n);
    if (!reserve(ctx, grid)) {
        grid->count = 0;
        return vo_fail_memory(ctx, "the grid of boxes");
    }
    count_entries(grid, boxes, n);
    fill_entries(grid, boxes, n);
    return VO_OK;
}

void vo_grid_free(vo_context *ctx, vo_grid *grid) {
    vo_free_array(ctx, grid->entry, grid->entry_capacity);
    vo_free_array(ctx, grid->box, grid->box_capacity);
    vo_free_array(ctx, grid->start, grid->start_capacity);
    *grid = (vo_grid){0};
}

/* ---- searching ------------------------------------------------------------------------------ */

typedef struct search {
    const vo_grid *grid;
    const vo_box *box;
    int class, id;
    vo_grid_fn *fn;
    void *arg;
} search;

static bool is_cell(const vo_grid_entry *e, const int cell[3]) {
    return e->cell[0] == cell[0] && e->cell[1] == cell[1] && e->cell[2] == cell[2];
}

static bool comes_later(const vo_grid_entry *e, const search *s) {
    return e->class > s->class || (e->class == s->class && e->id >= s->id);
}

/* Branch-free box_overlaps: most boxes of a cell do not overlap, and the outcome is unpredictable.
 */
static inline bool overlap(const vo_box *a, const vo_box *b) {
    return (a->min.x <= b->max.x) & (b->min.x <= a->max.x) & (a->min.y <= b->max.y) &
           (b->min.y <= a->max.y) & (a->min.z <= b->max.z) & (b->min.z <= a->max.z);
}

/* Tests the entries of [begin, end) in a layer and, unless it is NULL, in a cell. Entries are
 * sorted by id; in a layer that contains only the queried class, smaller ids are skipped together.
 */
static bool search_entries(const search *s, int begin, int end, const int *cell, int layer) {
    const vo_grid *g = s->grid;
    const vo_box box = *s->box;
    int least_id = layer > 0 && layer == layer_of(g, s->class) ? s->id : 0;
    for (int i = end - 1; i >= begin && g->entry[i].id >= least_id; i--) {
        const vo_grid_entry *e = &g->entry[i];
        if (overlap(&g->box[i], &box) && comes_later(e, s) && e->layer == layer &&
            (!cell || is_cell(e, cell)) && !s->fn(s->arg, e->id))
            return false;
    }
    return true;
}

/* Range of cells in which boxes of a layer that overlap [min, max] may begin: boxes of the layer
 * are shorter than half a cell. The small number covers rounding, which is below 2^-25 of a cell.
 * Cells outside the layer are empty. */
static void find_cell_range(double min, double max, double origin, double per_metre, int range[2]) {
    const double last = 1 << VO_GRID_LAYERS;
    double from = in_cells(min, origin, per_metre) - (0.5 + 0x1p-20);
    double to = in_cells(max, origin, per_metre);
    range[0] = (int)floor(vo_clamp(from, 0, last));
    range[1] = to < 0 ? -1 : (int)floor(vo_min(to, last));
}

static bool search_cells(const search *s, const int x[2], const int y[2], const int z[2],
                         int layer) {
    const vo_grid *g = s->grid;
    int cell[3];
    for (cell[0] = x[0]; cell[0] <= x[1]; cell[0]++)
        for (cell[1] = y[0]; cell[1] <= y[1]; cell[1]++)
            for (cell[2] = z[0]; cell[2] <= z[1]; cell[2]++) {
                int bucket = bucket_of(g, cell, layer);
                if (!search_entries(s, g->start[bucket], g->start[bucket + 1], cell, layer))
                    return false;
            }
    return true;
}

/* Searches bucket by bucket, since ids are sorted within a bucket only. */
static bool search_all(const search *s, int layer) {
    const vo_grid *g = s->grid;
    for (int bucket = 0; bucket < 1 << g->bucket_bits; bucket++)
        if (!search_entries(s, g->start[bucket], g->start[bucket + 1], NULL, layer)) return false;
    return true;
}

/* A large box among small ones covers more cells than there are entries; then tests all entries. */
static bool search_layer(const search *s, int layer) {
    const vo_grid *g = s->grid;
    const vo_box *b = s->box;
    double per_metre = g->per_metre[layer];
    int x[2], y[2], z[2];
    find_cell_range(b->min.x, b->max.x, g->origin.x, per_metre, x);
    find_cell_range(b->min.y, b->max.y, g->origin.y, per_metre, y);
    find_cell_range(b->min.z, b->max.z, g->origin.z, per_metre, z);
    if (x[1] < x[0] || y[1] < y[0] || z[1] < z[0]) return true;
    double cells = (x[1] - x[0] + 1.0) * (y[1] - y[0] + 1.0) * (z[1] - z[0] + 1.0);
    if (cells > g->count + 27.0) return search_all(s, layer);
    return search_cells(s, x, y, z, layer);
}

void vo_grid_find(const vo_grid *grid, const vo_box *box, int class, int id, vo_grid_fn *fn,
                  void *arg) {
    if (grid->count == 0 || !is_box(*box)) return;
    search s = {grid, box, class, id, fn, arg};
    for (int layer = layer_of(grid, class); layer < VO_GRID_LAYERS; layer++)
        if (grid->layers >> layer & 1 && !search_layer(&s, layer)) return;
}

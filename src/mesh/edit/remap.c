#include "mesh/edit/remap.h"

#include "core/memory.h"
#include "mesh/columns.h"

#include <string.h>

/* ---- memory ---------------------------------------------------------------------------------- */

void vo_remap_init(vo_remap *map, vo_context *ctx) { *map = (vo_remap){.ctx = ctx}; }

#define RECORD_COLUMNS(l) \
    { VO_COLUMN((l)->blend), VO_COLUMN((l)->element) }
enum { RECORD_COLUMN_COUNT = 2 };

void vo_remap_free(vo_remap *map) {
    for (int k = 0; k < VO_REMAP_KINDS; k++) {
        vo_lineage *l = &map->of[k];
        vo_column records[] = RECORD_COLUMNS(l), elements[] = {VO_COLUMN(l->record)};
        vo_columns_free(map->ctx, records, RECORD_COLUMN_COUNT, &l->record_capacity);
        vo_columns_free(map->ctx, elements, 1, &l->capacity);
        *l = (vo_lineage){0};
    }
}

bool vo_lineage_reserve(vo_context *ctx, vo_lineage *l, int elements, int records) {
    if (records > INT32_MAX - l->record_count) return false;
    vo_column by_record[] = RECORD_COLUMNS(l), by_element[] = {VO_COLUMN(l->record)};
    return vo_columns_reserve(ctx, by_record, RECORD_COLUMN_COUNT, &l->record_capacity,
                              l->record_count + records) &&
           vo_columns_reserve(ctx, by_element, 1, &l->capacity, elements);
}

/* ---- recording ------------------------------------------------------------------------------- */

static void begin_lineage(vo_lineage *l, int count) {
    l->old_count = l->count = l->record_count = count;
    for (int i = 0; i < count; i++) {
        l->record[i] = i;
        l->element[i] = i;
    }
}

vo_result vo_remap_begin(vo_remap *map, const int count[VO_REMAP_KINDS]) {
    for (int k = 0; k < VO_REMAP_KINDS; k++) {
        map->of[k].record_count = 0;
        if (!vo_lineage_reserve(map->ctx, &map->of[k], count[k], count[k]))
            return vo_fail_memory(map->ctx, "the remap table");
    }
    for (int k = 0; k < VO_REMAP_KINDS; k++) begin_lineage(&map->of[k], count[k]);
    return VO_OK;
}

static void set_record(vo_lineage *l, int element, int record) {
    if (element >= l->count) l->count = element + 1;
    l->record[element] = record;
}

static int add_blend(vo_lineage *l, int a, int b, double t) {
    int r = l->record_count++;
    l->blend[r] = (vo_blend){{a, b}, t};
    l->element[r] = -1;
    return r;
}

void vo_lineage_blend(vo_lineage *l, int element, int a, int b, double t) {
    set_record(l, element, add_blend(l, l->record[a], l->record[b], t));
}

void vo_lineage_blend_pair(vo_lineage *l, int a, int b, double t) {
    int ra = l->record[a], rb = l->record[b];
    if (ra == rb) return; /* parts of one old element */
    l->record[a] = add_blend(l, ra, rb, t);
    l->record[b] = add_blend(l, ra, rb, t);
}

void vo_lineage_copy(vo_lineage *l, int element, int from) {
    set_record(l, element, from < 0 ? -1 : l->record[from]);
}

void vo_lineage_drop(vo_lineage *l, int element) { l->record[element] = -1; }

void vo_lineage_compact(vo_lineage *l, int count, const int *order, int *scratch) {
    for (int i = 0; i < count; i++) scratch[i] = l->record[order[i]];
    if (count) memcpy(l->record, scratch, (size_t)count * sizeof *scratch);
    l->count = count;
    for (int r = 0; r < l->record_count; r++) l->element[r] = -1;
    for (int i = count - 1; i >= 0; i--)
        if (l->record[i] >= 0) l->element[l->record[i]] = i;
}

/* ---- queries --------------------------------------------------------------------------------- */

int vo_remap_new_index(const vo_remap *map, vo_remap_kind kind, int old) {
    return map->of[kind].element[old];
}

#define PARENT_COLUMNS(p) \
    { VO_COLUMN((p)->index), VO_COLUMN((p)->weight) }

void vo_parents_free(vo_context *ctx, vo_parents *p) {
    vo_column columns[] = PARENT_COLUMNS(p);
    vo_columns_free(ctx, columns, 2, &p->capacity);
    p->count = 0;
}

/* Adds a weight to a list sorted by record. */
static bool add_weight(vo_context *ctx, vo_parents *p, int record, double weight) {
    int at = p->count;
    while (at > 0 && p->index[at - 1] >= record) at--;
    if (at < p->count && p->index[at] == record) {
        p->weight[at] += weight;
        return true;
    }
    vo_column columns[] = PARENT_COLUMNS(p);
    if (!vo_columns_reserve(ctx, columns, 2, &p->capacity, p->count + 1)) return false;
    for (int i = p->count++; i > at; i--) {
        p->index[i] = p->index[i - 1];
        p->weight[i] = p->weight[i - 1];
    }
    p->index[at] = record;
    p->weight[at] = weight;
    return true;
}

vo_result vo_remap_parents(const vo_remap *map, vo_remap_kind kind, int index, vo_parents *out) {
    const vo_lineage *l = &map->of[kind];
    out->count = 0;
    bool ok = l->record[index] < 0 || add_weight(map->ctx, out, l->record[index], 1);
    /* The newest record is last: its parents are older, so each record is expanded once. */
    while (ok && out->count > 0 && out->index[out->count - 1] >= l->old_count) {
        vo_blend blend = l->blend[out->index[--out->count]];
        double weight = out->weight[out->count];
        ok = add_weight(map->ctx, out, blend.from[0], (1 - blend.t) * weight) &&
             add_weight(map->ctx, out, blend.from[1], blend.t * weight);
    }
    return ok ? VO_OK : vo_fail_memory(map->ctx, "the parents of an element");
}

/* Row of a record: from the old array, or from the blended rows. */
static const double *row_of(const vo_lineage *l, int record, int width, const double *old,
                            const double *blended) {
    if (record < l->old_count) return old + (size_t)record * (size_t)width;
    return blended + (size_t)(record - l->old_count) * (size_t)width;
}

static void fill_blends(const vo_lineage *l, int width, const double *old, double *blended) {
    for (int r = l->old_count; r < l->record_count; r++) {
        vo_blend blend = l->blend[r];
        const double *a = row_of(l, blend.from[0], width, old, blended);
        const double *b = row_of(l, blend.from[1], width, old, blended);
        double *row = blended + (size_t)(r - l->old_count) * (size_t)width;
        for (int k = 0; k < width; k++) row[k] = (1 - blend.t) * a[k] + blend.t * b[k];
    }
}

vo_result vo_remap_transfer(const vo_remap *map, vo_remap_kind kind, int width, const double *old,
                            double *now) {
    const vo_lineage *l = &map->of[kind];
    size_t row = (size_t)width * sizeof *now;
    size_t bytes = vo_array_bytes((size_t)(l->record_count - l->old_count), row);
    double *blended = vo_alloc(map->ctx, bytes);
    if (!blended && l->record_count > l->old_count)
        return vo_fail_memory(map->ctx, "transferring an array to the new mesh");
    fill_blends(l, width, old, blended);
    for (int i = 0; i < l->count; i++) {
        double *to = now + (size_t)i * (size_t)width;
        if (l->record[i] >= 0)
            memcpy(to, row_of(l, l->record[i], width, old, blended), row);
        else
            memset(to, 0, row);
    }
    vo_free(map->ctx, blended, bytes);
    return VO_OK;
}

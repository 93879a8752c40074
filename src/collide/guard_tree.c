#include "collide/guard_tree.h"

#include "core/memory.h"

enum {
    CELLS = 1 << VO_GUARD_LEVELS,    /* of the deepest level, along an axis */
    STACK = 8 + 7 * VO_GUARD_LEVELS, /* one cube is taken off before its eight are put on */
};

static const vo_guard_cell EMPTY = {
    .min = {INFINITY, INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY, -INFINITY}, .first = -1};

static double longest_side(vo_box b) {
    vo_vec3 d = v3_sub(b.max, b.min);
    return vo_max(d.x, vo_max(d.y, d.z));
}

/* The least e with 2^e above a length; a point counts as a long one. */
static int exponent_above(double length) { return length > 0 ? ilogb(length) + 1 : 0; }

bool vo_guard_tree_start(vo_context *ctx, vo_guard_tree *t, vo_box all, int entries) {
    t->cell_count = t->entry_count = 0;
    t->hole = -1;
    bool room = vo_reserve(ctx, &t->cells, &t->cell_capacity, 1) &&
                vo_reserve(ctx, &t->entries, &t->entry_capacity, entries);
    if (!room) return false;
    t->cells[t->cell_count++] = EMPTY;
    t->exponent = exponent_above(longest_side(all));
    t->origin = all.min;
    t->per_metre = ldexp(CELLS, -t->exponent);
    t->filling = true;
    t->way_end = 0;
    return true;
}

void vo_guard_tree_free(vo_context *ctx, vo_guard_tree *t) {
    vo_free_array(ctx, t->cells, t->cell_capacity);
    vo_free_array(ctx, t->entries, t->entry_capacity);
    *t = (vo_guard_tree){0};
}

/* ---- adding and removing -------------------------------------------------------------------- */

/* Which cube of the deepest level a coordinate is in; the outermost one for all beyond. */
static int place_of(double low, double high, double origin, double per_metre) {
    double place = (0.5 * (low + high) - origin) * per_metre;
    return place > 0 ? place < CELLS - 1 ? (int)place : CELLS - 1 : 0;
}

/* How deep a face of such length lies. */
static int level_of(const vo_guard_tree *t, double length) {
    if (!(length > 0)) return VO_GUARD_LEVELS;
    int level = t->exponent - exponent_above(length);
    return vo_max_int(0, vo_min_int(level, VO_GUARD_LEVELS));
}

static inline void grow(vo_guard_cell *cell, const float min[3], const float max[3]) {
    for (int k = 0; k < 3; k++) {
        cell->min[k] = cell->min[k] < min[k] ? cell->min[k] : min[k];
        cell->max[k] = cell->max[k] > max[k] ? cell->max[k] : max[k];
    }
}

/* Children come after their parents. */
void vo_guard_tree_fit(vo_guard_tree *t) {
    for (int i = t->cell_count - 1; i >= 0; i--) {
        vo_guard_cell *cell = &t->cells[i];
        if (!cell->children) continue;
        for (int k = 0; k < 8; k++)
            grow(cell, t->cells[cell->children + k].min, t->cells[cell->children + k].max);
    }
    t->filling = false;
}

/* Gives a cube its eight halves. */
static bool divide(vo_context *ctx, vo_guard_tree *t, int cell) {
    if (!vo_reserve(ctx, &t->cells, &t->cell_capacity, t->cell_count + 8)) return false;
    t->cells[cell].children = t->cell_count;
    for (int i = 0; i < 8; i++) t->cells[t->cell_count++] = EMPTY;
    return true;
}

/* How many levels two places have in common. */
static int common_levels(const int a[3], const int b[3]) {
    unsigned differ = (unsigned)((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]));
    int levels = VO_GUARD_LEVELS;
    for (; differ; differ >>= 1) levels--;
    return levels;
}

/* Goes from the root, or from where the way to the last face turns off, to the cube of a level. */
static int descend(vo_context *ctx, vo_guard_tree *t, const int place[3], int level) {
    int at = vo_min_int(vo_min_int(t->way_end, level), common_levels(place, t->last));
    for (int k = 0; k < 3; k++) t->last[k] = place[k];
    for (t->way_end = at; at < level; t->way_end = ++at) {
        int cell = t->way[at], bit = VO_GUARD_LEVELS - 1 - at;
        if (!t->cells[cell].children && !divide(ctx, t, cell)) return -1;
        int octant =
            (place[0] >> bit & 1) | (place[1] >> bit & 1) << 1 | (place[2] >> bit & 1) << 2;
        t->way[at + 1] = t->cells[cell].children + octant;
    }
    return t->way[level];
}

/* Finds the cube of a face and makes it, or all on the way to it, contain the face. */
static int find_cell(vo_context *ctx, vo_guard_tree *t, vo_box box, const vo_guard_entry *e) {
    int place[3] = {place_of(box.min.x, box.max.x, t->origin.x, t->per_metre),
                    place_of(box.min.y, box.max.y, t->origin.y, t->per_metre),
                    place_of(box.min.z, box.max.z, t->origin.z, t->per_metre)};
    int level = level_of(t, longest_side(box)), cell = descend(ctx, t, place, level);
    if (cell < 0) return -1;
    for (int at = t->filling ? level : 0; at <= level; at++)
        grow(&t->cells[t->way[at]], e->min, e->max);
    return cell;
}

/* An entry that is in no list, -1 without memory. */
static int new_entry(vo_context *ctx, vo_guard_tree *t) {
    int id = t->hole;
    if (id >= 0) {
        t->hole = t->entries[id].next;
        return id;
    }
    if (!vo_reserve(ctx, &t->entries, &t->entry_capacity, t->entry_count + 1)) return -1;
    return t->entry_count++;
}

static void free_entry(vo_guard_tree *t, int id) {
    t->entries[id].cell = -1;
    t->entries[id].next = t->hole;
    t->hole = id;
}

static void link_entry(vo_guard_tree *t, int id, int cell) {
    vo_guard_entry *e = &t->entries[id];
    e->cell = cell;
    e->previous = -1;
    e->next = t->cells[cell].first;
    if (e->next >= 0) t->entries[e->next].previous = id;
    t->cells[cell].first = id;
}

static void set_box(vo_guard_entry *e, vo_box b) {
    e->min[0] = vo_float_below(b.min.x);
    e->min[1] = vo_float_below(b.min.y);
    e->min[2] = vo_float_below(b.min.z);
    e->max[0] = vo_float_above(b.max.x);
    e->max[1] = vo_float_above(b.max.y);
    e->max[2] = vo_float_above(b.max.z);
}

int vo_guard_tree_add(vo_context *ctx, vo_guard_tree *t, vo_box box, int surface, int face,
                      const int node[3]) {
    int id = new_entry(ctx, t);
    if (id < 0) return -1;
    vo_guard_entry *e = &t->entries[id];
    *e = (vo_guard_entry){.surface = surface, .face = face, .node = {node[0], node[1], node[2]}};
    set_box(e, box);
    int cell = find_cell(ctx, t, box, e);
    if (cell < 0) {
        free_entry(t, id);
        return -1;
    }
    link_entry(t, id, cell);
    return id;
}

void vo_guard_tree_remove(vo_guard_tree *t, int id) {
    vo_guard_entry *e = &t->entries[id];
    if (e->previous >= 0)
        t->entries[e->previous].next = e->next;
    else
        t->cells[e->cell].first = e->next;
    if (e->next >= 0) t->entries[e->next].previous = e->previous;
    free_entry(t, id);
}

/* ---- searching ------------------------------------------------------------------------------ */

typedef struct float_box {
    float min[3], max[3];
} float_box;

static inline bool overlaps(const float min[3], const float max[3], const float_box *b) {
    return (min[0] <= b->max[0]) & (b->min[0] <= max[0]) & (min[1] <= b->max[1]) &
           (b->min[1] <= max[1]) & (min[2] <= b->max[2]) & (b->min[2] <= max[2]);
}

/* The entries of one cube. */
static bool find_here(const vo_guard_tree *t, int first, const float_box *box, vo_guard_tree_fn *fn,
                      void *arg) {
    for (int id = first; id >= 0; id = t->entries[id].next) {
        const vo_guard_entry *e = &t->entries[id];
        if (overlaps(e->min, e->max, box) && !fn(arg, e)) return false;
    }
    return true;
}

bool vo_guard_tree_find(const vo_guard_tree *t, vo_box box, vo_guard_tree_fn *fn, void *arg) {
    float_box b = {
        {vo_float_below(box.min.x), vo_float_below(box.min.y), vo_float_below(box.min.z)},
        {vo_float_above(box.max.x), vo_float_above(box.max.y), vo_float_above(box.max.z)}};
    int stack[STACK], top = 0;
    if (t->cell_count > 0) stack[top++] = 0;
    while (top > 0) {
        const vo_guard_cell *cell = &t->cells[stack[--top]];
        if (!find_here(t, cell->first, &b, fn, arg)) return false;
        if (!cell->children) continue;
        for (int i = 0; i < 8; i++) {
            const vo_guard_cell *child = &t->cells[cell->children + i];
            stack[top] = cell->children + i;
            top += overlaps(child->min, child->max, &b);
        }
    }
    return true;
}

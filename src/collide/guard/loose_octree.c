#include "collide/guard/loose_octree.h"

#include "core/memory.h"
#include "math/simd.h"

#include <string.h>

enum {
    CELLS = 1 << VO_OCTREE_LEVELS,    /* cells of the deepest level along an axis */
    STACK = 8 + 7 * VO_OCTREE_LEVELS, /* a cell is popped before its eight children are pushed */
};

_Static_assert(sizeof(vo_octree_block) == 128 && sizeof(vo_octree_group) == 256,
               "whole cache lines");

/* ---- boxes ---------------------------------------------------------------------------------- */

typedef struct float_box {
    float min[3], max[3];
} float_box;

static const float_box EMPTY = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static float_box round_outward(vo_box b) {
    return (float_box){{vo_float_below(b.min.x), vo_float_below(b.min.y), vo_float_below(b.min.z)},
                       {vo_float_above(b.max.x), vo_float_above(b.max.y), vo_float_above(b.max.z)}};
}

static inline void set_box(vo_octree_boxes *boxes, int i, const float_box *b) {
    for (int k = 0; k < 3; k++) {
        boxes->min[k][i] = b->min[k];
        boxes->max[k][i] = b->max[k];
    }
}

static inline float_box get_box(const vo_octree_boxes *boxes, int i) {
    float_box b;
    for (int k = 0; k < 3; k++) {
        b.min[k] = boxes->min[k][i];
        b.max[k] = boxes->max[k][i];
    }
    return b;
}

static inline void grow(vo_octree_boxes *boxes, int i, const float_box *b) {
    for (int k = 0; k < 3; k++) {
        float *min = &boxes->min[k][i], *max = &boxes->max[k][i];
        *min = *min < b->min[k] ? *min : b->min[k];
        *max = *max > b->max[k] ? *max : b->max[k];
    }
}

static inline void grow_cell(vo_loose_octree *t, int cell, const float_box *b) {
    grow(&t->groups[cell >> 3].box[cell >> 2 & 1], cell & 3, b);
}

/* ---- construction --------------------------------------------------------------------------- */

/* Returns the smallest e with 2^e above a length; 0 for a point. */
static int exponent_above(double length) { return length > 0 ? ilogb(length) + 1 : 0; }

static bool new_group(vo_context *ctx, vo_loose_octree *t) {
    if (!vo_reserve(ctx, &t->groups, &t->group_capacity, t->group_count + 1)) return false;
    vo_octree_group *g = &t->groups[t->group_count++];
    for (int i = 0; i < 8; i++) {
        set_box(&g->box[i >> 2], i & 3, &EMPTY);
        g->first[i] = -1;
        g->children[i] = 0;
    }
    return true;
}

bool vo_loose_octree_start(vo_context *ctx, vo_loose_octree *t, vo_box all, int entries) {
    t->group_count = t->block_count = t->entry_count = t->path_end = 0;
    t->free_entry = t->free_block = -1;
    t->filling = true;
    t->exponent = exponent_above(box_longest_side(all));
    t->origin = all.min;
    t->per_metre = ldexp(CELLS, -t->exponent);
    return vo_reserve(ctx, &t->entries, &t->entry_capacity, entries) && new_group(ctx, t);
}

/* Children have higher indices than their parents. */
void vo_loose_octree_refit(vo_loose_octree *t) {
    for (int i = 8 * t->group_count - 1; i >= 0; i--) {
        int children = t->groups[i >> 3].children[i & 7];
        for (int k = 0; children && k < 8; k++) {
            float_box b = get_box(&t->groups[children].box[k >> 2], k & 3);
            grow_cell(t, i, &b);
        }
    }
    t->filling = false;
}

void vo_loose_octree_free(vo_context *ctx, vo_loose_octree *t) {
    vo_free_array(ctx, t->groups, t->group_capacity);
    vo_free_array(ctx, t->blocks, t->block_capacity);
    vo_free_array(ctx, t->entries, t->entry_capacity);
    *t = (vo_loose_octree){0};
}

/* ---- cell of a face ------------------------------------------------------------------------- */

/* Returns the cell of the deepest level that contains the centre of an interval, clamped to the
 * root. */
static int cell_coordinate(double low, double high, double origin, double per_metre) {
    double coord = (0.5 * (low + high) - origin) * per_metre;
    return coord > 0 ? coord < CELLS - 1 ? (int)coord : CELLS - 1 : 0;
}

/* Returns the level of a face with the given length. */
static int level_of(const vo_loose_octree *t, double length) {
    if (!(length > 0)) return VO_OCTREE_LEVELS;
    int level = t->exponent - exponent_above(length);
    return vo_max_int(0, vo_min_int(level, VO_OCTREE_LEVELS));
}

/* Returns the number of levels that the paths of two cells share. */
static int common_levels(const int a[3], const int b[3]) {
    unsigned differ = (unsigned)((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]));
    int levels = VO_OCTREE_LEVELS;
    for (; differ; differ >>= 1) levels--;
    return levels;
}

/* Returns the child group of a cell, created if missing; 0 if out of memory. */
static int get_children(vo_context *ctx, vo_loose_octree *t, int cell) {
    int *children = &t->groups[cell >> 3].children[cell & 7];
    if (*children) return *children;
    if (!new_group(ctx, t)) return 0;
    return t->groups[cell >> 3].children[cell & 7] = t->group_count - 1;
}

/* Descends from the root, or from the last common cell with the previous path, to a level. Returns
 * the cell, -1 if out of memory. */
static int descend(vo_context *ctx, vo_loose_octree *t, const int coord[3], int level) {
    int at = vo_min_int(vo_min_int(t->path_end, level), common_levels(coord, t->last));
    for (int k = 0; k < 3; k++) t->last[k] = coord[k];
    for (t->path_end = at; at < level; t->path_end = ++at) {
        int bit = VO_OCTREE_LEVELS - 1 - at, group = get_children(ctx, t, t->path[at]);
        if (!group) return -1;
        int octant =
            (coord[0] >> bit & 1) | (coord[1] >> bit & 1) << 1 | (coord[2] >> bit & 1) << 2;
        t->path[at + 1] = 8 * group + octant;
    }
    return t->path[level];
}

/* Finds the cell of a face and enlarges its box, and those on the path unless filling. */
static int find_cell(vo_context *ctx, vo_loose_octree *t, vo_box box, const float_box *rounded) {
    int coord[3] = {cell_coordinate(box.min.x, box.max.x, t->origin.x, t->per_metre),
                    cell_coordinate(box.min.y, box.max.y, t->origin.y, t->per_metre),
                    cell_coordinate(box.min.z, box.max.z, t->origin.z, t->per_metre)};
    int level = level_of(t, box_longest_side(box)), cell = descend(ctx, t, coord, level);
    if (cell < 0) return -1;
    for (int at = t->filling ? level : 0; at <= level; at++) grow_cell(t, t->path[at], rounded);
    return cell;
}

/* ---- adding and removing -------------------------------------------------------------------- */

static int *first_block(vo_loose_octree *t, int cell) {
    return &t->groups[cell >> 3].first[cell & 7];
}

/* Returns a block of a cell with a free slot, -1 if out of memory. */
static int get_free_block(vo_context *ctx, vo_loose_octree *t, int cell) {
    int *first = first_block(t, cell), block = *first;
    if (block >= 0 && t->blocks[block].count < 4) return block;
    block = t->free_block;
    if (block >= 0) {
        t->free_block = t->blocks[block].next;
    } else {
        if (!vo_reserve(ctx, &t->blocks, &t->block_capacity, t->block_count + 1)) return -1;
        block = t->block_count++;
    }
    vo_octree_block *b = &t->blocks[block];
    for (int i = 0; i < 4; i++) set_box(&b->box, i, &EMPTY);
    b->count = 0;
    b->next = *first;
    return *first = block;
}

/* Returns a free slot or the next entry, not yet in use; -1 if out of memory. */
static int get_free_entry(vo_context *ctx, vo_loose_octree *t) {
    if (t->free_entry >= 0) return t->free_entry;
    if (!vo_reserve(ctx, &t->entries, &t->entry_capacity, t->entry_count + 1)) return -1;
    return t->entry_count;
}

static void use_entry(vo_loose_octree *t, int id) {
    if (id == t->entry_count)
        t->entry_count++;
    else
        t->free_entry = t->entries[id].block;
}

int vo_loose_octree_add(vo_context *ctx, vo_loose_octree *t, vo_box box, int surface, int face,
                        const int node[3]) {
    float_box rounded = round_outward(box);
    int id = get_free_entry(ctx, t), cell = id < 0 ? -1 : find_cell(ctx, t, box, &rounded);
    int block = cell < 0 ? -1 : get_free_block(ctx, t, cell);
    if (block < 0) return -1;
    use_entry(t, id);
    vo_octree_block *b = &t->blocks[block];
    t->entries[id] =
        (vo_octree_entry){surface, face, {node[0], node[1], node[2]}, cell, block, b->count};
    set_box(&b->box, b->count, &rounded);
    b->entry[b->count++] = id;
    return id;
}

/* Moves the last face of the first block of a cell to a slot. */
static void refill(vo_loose_octree *t, vo_octree_block *first, int block, int slot) {
    int last = first->count - 1, id = first->entry[last];
    float_box box = get_box(&first->box, last);
    set_box(&t->blocks[block].box, slot, &box);
    t->blocks[block].entry[slot] = id;
    t->entries[id].block = block;
    t->entries[id].slot = slot;
}

void vo_loose_octree_remove(vo_loose_octree *t, int id) {
    vo_octree_entry *e = &t->entries[id];
    int *head = first_block(t, e->cell), index = *head;
    vo_octree_block *first = &t->blocks[index];
    refill(t, first, e->block, e->slot);
    set_box(&first->box, --first->count, &EMPTY);
    if (first->count == 0) {
        *head = first->next;
        first->next = t->free_block;
        t->free_block = index;
    }
    e->cell = -1;
    e->block = t->free_entry;
    t->free_entry = id;
}

/* ---- searching ------------------------------------------------------------------------------ */

/* A box replicated in all lanes. */
typedef struct wide_box {
    vo_f4 min[3], max[3];
} wide_box;

static wide_box widen(const float_box *b) {
    wide_box w;
    for (int k = 0; k < 3; k++) {
        w.min[k] = f4_set(b->min[k]);
        w.max[k] = f4_set(b->max[k]);
    }
    return w;
}

/* Writes -1 for each of four boxes that overlaps another, 0 otherwise. Returns false if none
 * does. */
static inline bool overlap(const vo_octree_boxes *boxes, const wide_box *b, int32_t out[4]) {
    vo_m4 hit = (f4_load(boxes->min[0]) <= b->max[0]) & (b->min[0] <= f4_load(boxes->max[0])) &
                (f4_load(boxes->min[1]) <= b->max[1]) & (b->min[1] <= f4_load(boxes->max[1])) &
                (f4_load(boxes->min[2]) <= b->max[2]) & (b->min[2] <= f4_load(boxes->max[2]));
    memcpy(out, &hit, sizeof hit);
    return out[0] | out[1] | out[2] | out[3];
}

/* Visits the overlapping faces of one cell. */
static bool visit_cell(const vo_loose_octree *t, int cell, const wide_box *b,
                       vo_loose_octree_fn *fn, void *arg) {
    int32_t hit[4];
    for (int i = t->groups[cell >> 3].first[cell & 7]; i >= 0; i = t->blocks[i].next) {
        if (!overlap(&t->blocks[i].box, b, hit)) continue;
        for (int k = 0; k < 4; k++)
            if (hit[k] && !fn(arg, &t->entries[t->blocks[i].entry[k]])) return false;
    }
    return true;
}

/* Pushes the overlapping cells of a group; returns the stack height. */
static inline int push_group(const vo_loose_octree *t, int group, const wide_box *b, int *stack,
                             int top) {
    int32_t hit[8];
    overlap(&t->groups[group].box[0], b, hit);
    overlap(&t->groups[group].box[1], b, hit + 4);
    for (int i = 0; i < 8; i++) {
        stack[top] = 8 * group + i;
        top -= hit[i];
    }
    return top;
}

bool vo_loose_octree_find(const vo_loose_octree *t, vo_box box, vo_loose_octree_fn *fn, void *arg) {
    float_box rounded = round_outward(box);
    wide_box b = widen(&rounded);
    int stack[STACK + 1], top = t->group_count > 0 ? push_group(t, 0, &b, stack, 0) : 0;
    while (top > 0) {
        int cell = stack[--top], children = t->groups[cell >> 3].children[cell & 7];
        if (!visit_cell(t, cell, &b, fn, arg)) return false;
        if (children) top = push_group(t, children, &b, stack, top);
    }
    return true;
}

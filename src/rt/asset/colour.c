/* Chromatic decomposition of all levels of the hierarchy.
 *
 * Jain, Kabul, Govindaraju, Manocha and Lin 2005, "Multi-Resolution Collision Handling for
 * Cloth-like Simulations". Triangles are adjacent if they share a vertex. On every valid front
 * (adjacent triangles differ by at most one level)
 *
 *   constraint 1  adjacent triangles have different colours
 *   constraint 2  the neighbours of a triangle have different colours
 *
 * Odd and even levels have separate palettes. Within a palette, triangles A and B conflict if
 *
 *   1. both have level k, and some triangle of level k is adjacent or equal to both. This covers
 *      a common neighbour of level k + 1 too: its parent is adjacent to both.
 *   2. both have level k and are adjacent to a triangle of level k - 1 that contains neither.
 *   3. they have the levels k and k - 2, and a triangle of level k - 1 that contains neither is
 *      adjacent to both. The paper excludes this by its property 3, which no front with three
 *      levels satisfies.
 *
 * Levels are coloured from the base mesh on, greedily, and then with fewer colours by local search,
 * within a fixed number of steps. In a regular mesh case 2 makes 18 triangles conflict with each
 * other: the neighbours of a triangle that is one level coarser. */
#include "rt/asset/asset_private.h"

#include <string.h>

enum {
    NO_COLOUR = VO_RT_MAX_COLOURS,
    MIN_STEPS = 2000,
    STEPS_PER_TRIANGLE = 1,
    AVOIDED_STEPS = 10 /* before a triangle may take back a colour that it lost */
};

/* A mark equals `stamp` if it was set since the last call of restart. */
typedef struct marker {
    int32_t *mark;
    int32_t stamp;
} marker;

/* Triangles of a level that wait for a colour, and the colour that each lost last. */
typedef struct waiting_list {
    int32_t *queue; /* [triangle_count] ring */
    int32_t *until; /* [triangle_count] step up to which the lost colour is avoided */
    uint16_t *lost; /* [triangle_count] */
    uint16_t *backup;
    int first, count, step;
    uint32_t random;
} waiting_list;

typedef struct colouring {
    const vo_rt_level *level[3]; /* k, k - 1 and k - 2; the last ones may be NULL */
    uint16_t *colour[3];         /* of their triangles */
    int32_t *conflict;           /* [conflict_count] triangles of level k, unique */
    int conflict_count;
    marker triangle, vertex; /* of level k */
    marker coarse, coarser;  /* triangles of level k - 1 and k - 2 */
    marker used;             /* colours of conflicting triangles of level k - 2 */
    int32_t *use_count;      /* [VO_RT_MAX_COLOURS + 1] conflicting triangles, by colour */
    waiting_list waiting;
} colouring;

static void restart(marker *m) { m->stamp++; }
/* Marks an element; false if it was marked before. */
static bool mark(marker *m, int i) {
    if (m->mark[i] == m->stamp) return false;
    m->mark[i] = m->stamp;
    return true;
}
static bool is_marked(const marker *m, int i) { return m->mark[i] == m->stamp; }

/* Triangles of a level at a point: a vertex of the level, or the middle of one of its edges. */
typedef struct triangle_range {
    const int32_t *begin, *end;
} triangle_range;

static triangle_range triangles_at(const vo_rt_level *level, int vertex) {
    if (vertex < level->vertex_count)
        return (triangle_range){level->star + level->star_begin[vertex],
                                level->star + level->star_begin[vertex + 1]};
    const int32_t *side = level->edge_triangle + 2 * (size_t)(vertex - level->vertex_count);
    return (triangle_range){side, side + (side[1] >= 0 ? 2 : 1)};
}

/* Lists the triangles at a vertex, except the children of a triangle. */
static void add_conflicts_at(colouring *c, int vertex, int except_parent) {
    triangle_range r = triangles_at(c->level[0], vertex);
    for (const int32_t *b = r.begin; b < r.end; b++)
        if ((except_parent < 0 || *b >> 2 != except_parent) && mark(&c->triangle, *b))
            c->conflict[c->conflict_count++] = *b;
}

/* Case 1: stars of all vertices of the triangles around the corners. */
static void add_level(colouring *c, int triangle) {
    const vo_rt_level *level = c->level[0];
    restart(&c->vertex);
    for (int i = 0; i < 3; i++) {
        triangle_range r = triangles_at(level, level->vertex[3 * triangle + i]);
        for (const int32_t *m = r.begin; m < r.end; m++)
            for (int k = 0; k < 3; k++) {
                int v = level->vertex[3 * *m + k];
                if (mark(&c->vertex, v)) add_conflicts_at(c, v, -1);
            }
    }
}

/* Case 2 for one triangle of level k - 1: stars of its six points, without its own children. */
static void add_around(colouring *c, int coarse) {
    const vo_rt_level *level = c->level[1];
    for (int i = 0; i < 3; i++) {
        add_conflicts_at(c, level->vertex[3 * coarse + i], coarse);
        add_conflicts_at(c, level->vertex_count + level->edge[3 * coarse + i], coarse);
    }
}

/* Marks the triangles of level k - 2 that contain a point of the triangle. */
static void mark_coarser(colouring *c, int triangle) {
    const vo_rt_level *fine = c->level[0], *middle = c->level[1], *coarse = c->level[2];
    restart(&c->coarser);
    mark(&c->coarser, triangle >> 4);
    for (int i = 0; i < 3; i++) {
        int v = fine->vertex[3 * triangle + i];
        if (v >= middle->vertex_count) { /* the middle of an edge of level k - 1 */
            int e = v - middle->vertex_count;
            if (e >= 2 * coarse->edge_count) continue; /* inside a triangle of level k - 2 */
            v = coarse->vertex_count + e / 2;
        }
        triangle_range r = triangles_at(coarse, v);
        for (const int32_t *p = r.begin; p < r.end; p++) mark(&c->coarser, *p);
    }
}

/* Case 3 for one triangle of level k - 1. Triangles of level k - 2 that touch the one being
 * coloured are marked; they cannot be on a front with it. */
static void use_coarser(colouring *c, int middle) {
    const vo_rt_level *level = c->level[1];
    for (int i = 0; i < 3; i++) {
        triangle_range r = triangles_at(c->level[2], level->vertex[3 * middle + i]);
        for (const int32_t *p = r.begin; p < r.end; p++)
            if (!is_marked(&c->coarser, *p)) mark(&c->used, c->colour[2][*p]);
    }
}

static void add_other_levels(colouring *c, int triangle) {
    restart(&c->coarse);
    mark(&c->coarse, triangle >> 2);
    if (c->level[2]) mark_coarser(c, triangle);
    for (int i = 0; i < 3; i++) {
        triangle_range r = triangles_at(c->level[1], c->level[0]->vertex[3 * triangle + i]);
        for (const int32_t *n = r.begin; n < r.end; n++) {
            if (!mark(&c->coarse, *n)) continue;
            add_around(c, *n);
            if (c->level[2]) use_coarser(c, *n);
        }
    }
}

/* Lists the conflicts of a triangle and counts the colours that they use. */
static void find_conflicts(colouring *c, int triangle) {
    restart(&c->triangle);
    restart(&c->used);
    mark(&c->triangle, triangle);
    c->conflict_count = 0;
    add_level(c, triangle);
    if (c->level[1]) add_other_levels(c, triangle);
    for (int i = 0; i < c->conflict_count; i++) c->use_count[c->colour[0][c->conflict[i]]]++;
}

static void clear_counts(colouring *c) {
    for (int i = 0; i < c->conflict_count; i++) c->use_count[c->colour[0][c->conflict[i]]] = 0;
}

/* Gives each triangle the lowest colour that no conflicting one has. Returns the number of colours,
 * -1 if there are too many. */
static int colour_greedily(colouring *c) {
    int most = 0;
    for (int t = 0; t < c->level[0]->triangle_count; t++) c->colour[0][t] = NO_COLOUR;
    for (int t = 0; t < c->level[0]->triangle_count; t++) {
        int colour = 0;
        find_conflicts(c, t);
        while (colour < NO_COLOUR && (c->use_count[colour] > 0 || is_marked(&c->used, colour)))
            colour++;
        clear_counts(c);
        if (colour == NO_COLOUR) return -1;
        c->colour[0][t] = (uint16_t)colour;
        if (colour >= most) most = colour + 1;
    }
    return most;
}

/* --- Fewer colours ---------------------------------------------------------------------------- */

static void add_waiting(colouring *c, int triangle, int avoided_steps) {
    waiting_list *w = &c->waiting;
    int n = c->level[0]->triangle_count;
    w->lost[triangle] = c->colour[0][triangle];
    w->until[triangle] = w->step + avoided_steps;
    c->colour[0][triangle] = NO_COLOUR;
    w->queue[(w->first + w->count++) % n] = triangle;
}

/* Colour below `limit` that takes the fewest triangles away; ties are broken at random. */
static int choose_colour(colouring *c, int triangle, int limit) {
    waiting_list *w = &c->waiting;
    int best = -1, fewest = INT32_MAX, ties = 0;
    for (int k = 0; k < limit; k++) {
        if (is_marked(&c->used, k) || c->use_count[k] > fewest) continue;
        if (c->use_count[k] > 0 && k == w->lost[triangle] && w->step < w->until[triangle]) continue;
        w->random = w->random * 1664525u + 1013904223u;
        ties = c->use_count[k] < fewest ? 1 : ties + 1;
        if (ties == 1 || (w->random >> 16) % (unsigned)ties == 0) best = k;
        fewest = c->use_count[k];
    }
    return best;
}

/* Colours the first waiting triangle; those that have its colour wait instead. */
static void colour_waiting(colouring *c, int limit) {
    waiting_list *w = &c->waiting;
    int t = w->queue[w->first], n = c->level[0]->triangle_count;
    w->first = (w->first + 1) % n;
    w->count--;
    w->step++;
    find_conflicts(c, t);
    int colour = choose_colour(c, t, limit);
    clear_counts(c);
    if (colour < 0) {
        add_waiting(c, t, 0);
        return;
    }
    c->colour[0][t] = (uint16_t)colour;
    for (int i = 0; i < c->conflict_count; i++)
        if (c->colour[0][c->conflict[i]] == colour)
            add_waiting(c, c->conflict[i], AVOIDED_STEPS + w->count);
}

/* Colours with `limit` colours: local search over partial colourings (Bloechliger and Zufferey
 * 2008). False, and nothing changes, if it does not succeed within the steps. */
static bool reduce_colours(colouring *c, int limit, int last_step) {
    int n = c->level[0]->triangle_count;
    memcpy(c->waiting.backup, c->colour[0], (size_t)n * sizeof(uint16_t));
    c->waiting.first = c->waiting.count = 0;
    for (int t = 0; t < n; t++)
        if (c->colour[0][t] >= limit) add_waiting(c, t, 0);
    while (c->waiting.count > 0 && c->waiting.step < last_step) colour_waiting(c, limit);
    if (c->waiting.count == 0) return true;
    memcpy(c->colour[0], c->waiting.backup, (size_t)n * sizeof(uint16_t));
    return false;
}

/* Colours the triangles of level k. False if there are more colours than fit. */
static bool colour_level(colouring *c) {
    int n = c->level[0]->triangle_count, count = colour_greedily(c);
    if (count < 0) return false;
    c->waiting.step = 0;
    c->waiting.random = 1;
    for (int t = 0; t < n; t++) c->waiting.until[t] = 0;
    while (count > 1 && reduce_colours(c, count - 1, MIN_STEPS + STEPS_PER_TRIANGLE * n)) count--;
    return true;
}

/* --- Levels --------------------------------------------------------------------------------- */

int vo_rt_coloured_levels(int triangle_count, int max_level) {
    int64_t total = triangle_count;
    int level = 0;
    while (level < max_level &&
           total + vo_rt_level_triangles(triangle_count, level + 1) <= VO_RT_MAX_COLOURED) {
        level++;
        total += vo_rt_level_triangles(triangle_count, level);
    }
    return level;
}

int64_t vo_rt_colour_offset(int triangle_count, int level) {
    int64_t total = 0;
    for (int i = 0; i < level; i++) total += vo_rt_level_triangles(triangle_count, i);
    return total;
}

/* Arrays for a level of `n` triangles, the finest one. */
static bool allocate_markers(colouring *c, vo_rt_scratch *scratch, size_t n) {
    c->triangle.mark = vo_rt_scratch_array(scratch, int32_t, n);
    c->vertex.mark = vo_rt_scratch_array(scratch, int32_t, 3 * n);
    c->coarse.mark = vo_rt_scratch_array(scratch, int32_t, n);
    c->coarser.mark = vo_rt_scratch_array(scratch, int32_t, n);
    c->used.mark = vo_rt_scratch_array(scratch, int32_t, VO_RT_MAX_COLOURS + 1);
    c->use_count = vo_rt_scratch_array(scratch, int32_t, VO_RT_MAX_COLOURS + 1);
    c->conflict = vo_rt_scratch_array(scratch, int32_t, n);
    c->waiting.queue = vo_rt_scratch_array(scratch, int32_t, n);
    c->waiting.until = vo_rt_scratch_array(scratch, int32_t, n);
    c->waiting.lost = vo_rt_scratch_array(scratch, uint16_t, n);
    c->waiting.backup = vo_rt_scratch_array(scratch, uint16_t, n);
    return !scratch->failed;
}

static vo_result fail_memory(vo_rt_message *message) {
    return vo_rt_fail(message, VO_NO_MEMORY, "no memory for the colours of the triangles");
}

static vo_result colour_levels(vo_rt_cook *cook, colouring *c, vo_rt_scratch scratch[3], int levels,
                               vo_rt_message *message) {
    const vo_rt_asset_def *def = cook->def;
    vo_rt_level level[3];
    for (int k = 0; k <= levels; k++) {
        vo_rt_level *fine = &level[k % 3];
        const vo_rt_level *coarse = &level[(k + 2) % 3];
        vo_rt_scratch_free(&scratch[k % 3]);
        bool ok = k == 0
                      ? vo_rt_level_init(fine, &scratch[0], def->vertex_count, def->triangle_count,
                                         cook->triangle, cook->edge_count, cook->edge)
                      : vo_rt_level_divide(coarse, fine, &scratch[k % 3]);
        if (!ok) return fail_memory(message);
        for (int i = 0; i < 3 && i <= k; i++) {
            c->level[i] = &level[(k + 3 - i) % 3];
            c->colour[i] = cook->colour + vo_rt_colour_offset(def->triangle_count, k - i);
        }
        if (!colour_level(c))
            return vo_rt_fail(message, VO_BAD_ARGUMENT,
                              "triangles: more than %d of them are close to each other, so that "
                              "they cannot be coloured; reduce the number of triangles at a vertex",
                              VO_RT_MAX_COLOURS);
    }
    return VO_OK;
}

vo_result vo_rt_cook_colours(vo_rt_cook *cook, vo_rt_message *message) {
    const vo_rt_asset_def *def = cook->def;
    int levels = vo_rt_coloured_levels(def->triangle_count, def->max_level);
    vo_rt_scratch scratch[4];
    colouring c = {.level = {NULL}};
    cook->colour_count = (int)vo_rt_colour_offset(def->triangle_count, levels + 1);
    cook->colour = vo_rt_scratch_array(&cook->scratch, uint16_t, cook->colour_count);
    if (!cook->colour) return fail_memory(message);
    for (int i = 0; i < 4; i++) scratch[i] = (vo_rt_scratch){.allocator = cook->scratch.allocator};
    vo_result result = allocate_markers(&c, &scratch[3],
                                        (size_t)vo_rt_level_triangles(def->triangle_count, levels))
                           ? colour_levels(cook, &c, scratch, levels, message)
                           : fail_memory(message);
    for (int i = 0; i < 4; i++) vo_rt_scratch_free(&scratch[i]);
    return result;
}

/* --- Access --------------------------------------------------------------------------------- */

void vo_rt_asset_count_colours(vo_rt_asset *asset) {
    asset->palette[0] = asset->palette[1] = 0;
    asset->coloured_levels = -1;
    for (int64_t i = 0, end = 0; end < asset->colour_count;) {
        int *palette = &asset->palette[++asset->coloured_levels % 2];
        end += vo_rt_level_triangles(asset->triangle_count, asset->coloured_levels);
        for (; i < end && i < asset->colour_count; i++)
            if (asset->colour[i] >= *palette) *palette = asset->colour[i] + 1;
    }
}

int vo_rt_asset_colour_sets(const vo_rt_asset *asset) {
    int sets = asset->palette[0] + asset->palette[1];
    int derived = asset->palette[asset->coloured_levels & 1];
    for (int level = asset->coloured_levels; level < asset->max_level; level++)
        sets += derived *= 4;
    return VO_RT_COLOUR_SLOTS * sets;
}

/* Children of triangles of one colour at one position have a colour of their own: if they
 * conflicted, so would their parents. */
static int derived_colour(const vo_rt_asset *asset, int level, int address) {
    int stored = asset->coloured_levels, depth = level - stored;
    int64_t offset = vo_rt_colour_offset(asset->triangle_count, stored);
    int first = asset->palette[0] + asset->palette[1], size = asset->palette[stored & 1];
    for (int i = 1; i < depth; i++) first += size << 2 * i;
    int parent = asset->colour[offset + (address >> 2 * depth)];
    return first + (parent << 2 * depth) + (address & ((1 << 2 * depth) - 1));
}

int vo_rt_asset_colour(const vo_rt_asset *asset, int level, int address, int slot) {
    int colour;
    if (level > asset->coloured_levels)
        colour = derived_colour(asset, level, address);
    else
        colour = asset->colour[vo_rt_colour_offset(asset->triangle_count, level) + address] +
                 (level & 1 ? asset->palette[0] : 0);
    return VO_RT_COLOUR_SLOTS * colour + slot;
}

#include "collide/crossings.h"

#include "collide/intersect.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "math/predicates.h"

#include <limits.h>
#include <string.h>

enum {
    FACES_PER_CHUNK = 128,
    REGION_CELLS = 64,
    GROUP_FACES = 8,  /* that ask the grids together */
    GROUP_FOUND = 256 /* boxes that may answer; beyond it each asks by itself */
};

/* ---- boxes ---------------------------------------------------------------------------------- */

typedef struct box_task {
    const vo_face_soup *soup;
    vo_crossings *c;
} box_task;

static void make_boxes(void *arg, int begin, int end, int chunk) {
    const box_task *t = arg;
    (void)chunk;
    for (int f = begin; f < end; f++) {
        const int *n = t->soup->face[f];
        vo_vec3 a = t->soup->x[n[0]], b = t->soup->x[n[1]], c = t->soup->x[n[2]];
        bool placed =
            vo_crossings_is_place(a) && vo_crossings_is_place(b) && vo_crossings_is_place(c);
        t->c->box[f] = placed ? box_triangle(a, b, c) : box_empty();
        t->c->class[f] = vo_grid_class(t->c->box[f]);
    }
}

/* Where cloth is, roughly: of the box around all of it, cut into cells, those that a box of a face
 * has part in. */
typedef struct region {
    vo_box box;
    vo_vec3 per_metre;                          /* cells */
    uint64_t taken[REGION_CELLS][REGION_CELLS]; /* bits along z, by x and y */
} region;

static int cell_of(double x, double low, double per_metre) {
    double at = (x - low) * per_metre;
    return at > 0 ? (int)vo_min(at, REGION_CELLS - 1) : 0; /* 0 also where there is no extent */
}

/* The cells that a box has part in: ranges along x and y, bits along z. Both ends are rounded
 * alike, so boxes that touch share a cell. */
typedef struct cells {
    int x[2], y[2];
    uint64_t z;
} cells;

static cells cells_of(const region *r, const vo_box *b) {
    const vo_vec3 *low = &r->box.min, *k = &r->per_metre;
    int z0 = cell_of(b->min.z, low->z, k->z), z1 = cell_of(b->max.z, low->z, k->z);
    return (cells){{cell_of(b->min.x, low->x, k->x), cell_of(b->max.x, low->x, k->x)},
                   {cell_of(b->min.y, low->y, k->y), cell_of(b->max.y, low->y, k->y)},
                   (~(uint64_t)0 << z0) & (~(uint64_t)0 >> (REGION_CELLS - 1 - z1))};
}

static void find_region(const vo_crossings *c, int count, region *r) {
    *r = (region){.box = box_empty()};
    for (int f = 0; f < count; f++) r->box = box_join(r->box, c->box[f]);
    vo_vec3 size = v3_sub(r->box.max, r->box.min);
    r->per_metre = v3(REGION_CELLS / size.x, REGION_CELLS / size.y, REGION_CELLS / size.z);
    for (int f = 0; f < count; f++) {
        if (!box_overlaps(c->box[f], c->box[f])) continue;
        cells k = cells_of(r, &c->box[f]);
        for (int x = k.x[0]; x <= k.x[1]; x++)
            for (int y = k.y[0]; y <= k.y[1]; y++) r->taken[x][y] |= k.z;
    }
}

static bool is_in_region(const region *r, const vo_box *b) {
    if (!box_overlaps(*b, r->box)) return false;
    cells k = cells_of(r, b);
    for (int x = k.x[0]; x <= k.x[1]; x++)
        for (int y = k.y[0]; y <= k.y[1]; y++)
            if (r->taken[x][y] & k.z) return true;
    return false;
}

/* Obstacle faces away from all cloth need not be looked at. */
static void drop_distant(vo_crossings *c, const vo_face_soup *soup) {
    region cloth;
    if (soup->face_count == soup->cloth_face_count) return;
    find_region(c, soup->cloth_face_count, &cloth);
    for (int f = soup->cloth_face_count; f < soup->face_count; f++)
        if (!is_in_region(&cloth, &c->box[f])) c->box[f] = box_empty();
}

/* ---- pairs ---------------------------------------------------------------------------------- */

/* Before the predicate proper is asked, most pairs are settled by a line or plane between the two
 * faces. Signs are exact here, too, so no pair is dropped that has a point in common other than
 * what it shares. */

/* A face without one coordinate. */
typedef struct flat_face {
    const int *node;
    vo_vec2 p[3];
} flat_face;

static flat_face flatten(const vo_vec3 *x, const int face[3], int axis) {
    flat_face f = {.node = face};
    for (int k = 0; k < 3; k++) {
        vo_vec3 p = x[face[k]];
        f.p[k] = axis == 0 ? v2(p.y, p.z) : axis == 1 ? v2(p.z, p.x) : v2(p.x, p.y);
    }
    return f;
}

/* The coordinate whose loss shows a face best. */
static int best_axis(const vo_vec3 *x, const int face[3]) {
    vo_vec3 n = v3_cross(v3_sub(x[face[1]], x[face[0]]), v3_sub(x[face[2]], x[face[0]]));
    double a = fabs(n.x), b = fabs(n.y), c = fabs(n.z);
    return c >= a && c >= b ? 2 : b >= a ? 1 : 0;
}

/* vo_orient2d, with its first step at hand: determinants above what rounding can do to them. */
static inline int turn_of(vo_vec2 a, vo_vec2 b, vo_vec2 c) {
    double left = (a.x - c.x) * (b.y - c.y), right = (a.y - c.y) * (b.x - c.x);
    double det = left - right, bound = 0x1p-50 * (fabs(left) + fabs(right)) + 0x1p-900;
    return det > bound ? 1 : det < -bound ? -1 : vo_orient2d(a, b, c);
}

/* Whether b lies across the line through corners i and j of a, strictly but for the corners that it
 * shares with that side. `turn` is the side on which a lies. */
static bool is_across_side(const flat_face *a, int i, int j, int turn, const flat_face *b) {
    for (int k = 0; k < 3; k++)
        if (b->node[k] != a->node[i] && b->node[k] != a->node[j] &&
            turn_of(a->p[i], a->p[j], b->p[k]) != -turn)
            return false;
    return true;
}

/* Whether a side of a does so. Where a has area, the line then holds nothing of a but that side,
 * and of b nothing but what it shares with it. */
static bool is_across(const flat_face *a, const flat_face *b) {
    int turn = turn_of(a->p[0], a->p[1], a->p[2]);
    return turn != 0 && (is_across_side(a, 0, 1, turn, b) || is_across_side(a, 1, 2, turn, b) ||
                         is_across_side(a, 2, 0, turn, b));
}

static bool is_corner(const int face[3], int node) {
    return face[0] == node || face[1] == node || face[2] == node;
}

/* Whether the corners of b that a does not have lie strictly on one side of the plane of a. */
static bool is_beside(const vo_vec3 *x, const int a[3], const int b[3]) {
    int side = 0;
    for (int k = 0; k < 3; k++) {
        if (is_corner(a, b[k])) continue;
        int s = vo_orient3d(x[a[0]], x[a[1]], x[a[2]], x[b[k]]);
        if (s == 0 || s == -side) return false;
        side = s;
    }
    return side != 0;
}

/* The search of one face: counts, and keeps what it finds where there is room. */
typedef struct search {
    const vo_face_soup *soup;
    int face;
    int axis;       /* along which it is seen best */
    flat_face flat; /* as it is seen then */
    int first;      /* of the faces that the grid at hand has as its ids from 0 */
    int (*pair)[2]; /* NULL: only counts */
    int found;
} search;

static bool intersects(const search *s, const int other[3]) {
    const vo_vec3 *x = s->soup->x;
    const int *face = s->soup->face[s->face];
    flat_face flat = flatten(x, other, s->axis);
    if (is_across(&s->flat, &flat) || is_across(&flat, &s->flat)) return false;
    return !is_beside(x, face, other) && vo_faces_intersect(x, face, other);
}

static bool try_pair(void *arg, int id) {
    search *s = arg;
    int other = s->first + id;
    if (!intersects(s, s->soup->face[other])) return true;
    if (s->pair) {
        s->pair[s->found][0] = vo_min_int(s->face, other);
        s->pair[s->found][1] = vo_max_int(s->face, other);
    }
    return ++s->found < VO_CROSSINGS_PER_FACE;
}

static search begin_search(const vo_face_soup *soup, int face, int (*pair)[2]) {
    const int *node = soup->face[face];
    int axis = best_axis(soup->x, node);
    return (search){.soup = soup,
                    .face = face,
                    .axis = axis,
                    .flat = flatten(soup->x, node, axis),
                    .pair = pair};
}

/* Every pair is found by the smaller of its faces; of two cloth faces of one size class by the one
 * that comes first, of a cloth's and an obstacle's by that of the cloth. */
static int search_face(const vo_crossings *c, const vo_face_soup *soup, int face, int (*pair)[2]) {
    const vo_box *box = &c->box[face];
    int class = c->class[face], cloths = soup->cloth_face_count;
    search s = begin_search(soup, face, pair);
    if (face >= cloths) {
        vo_grid_find(&c->cloth, box, class + 1, 0, try_pair, &s);
        return s.found;
    }
    vo_grid_find(&c->cloth, box, class, face + 1, try_pair, &s);
    s.first = cloths;
    if (s.found < VO_CROSSINGS_PER_FACE) vo_grid_find(&c->obstacle, box, class, 0, try_pair, &s);
    return s.found;
}

/* Consecutive faces lie side by side as a rule, and ask the grids for much the same: a group asks
 * once with the box around all of it, and its faces choose from what was found. */
typedef struct group {
    const vo_crossings *c;
    const vo_face_soup *soup;
    int begin, end;
    vo_box box;          /* around its faces */
    int class;           /* the least of its faces' */
    int found, first;    /* boxes that were found, and the face that has id 0 */
    int id[GROUP_FOUND]; /* of them */
    int found_class[GROUP_FOUND];
    vo_box found_box[GROUP_FOUND];
    bool full;
} group;

static bool is_placed(const vo_box *box) { return box->min.x <= box->max.x; }

static void begin_group(const vo_crossings *c, const vo_face_soup *soup, int begin, int end,
                        group *g) {
    g->c = c;
    g->soup = soup;
    g->begin = begin;
    g->end = end;
    g->box = box_empty();
    g->class = INT_MAX;
    for (int f = begin; f < end; f++) {
        if (!is_placed(&c->box[f])) continue;
        g->box = box_join(g->box, c->box[f]);
        g->class = vo_min_int(g->class, c->class[f]);
    }
}

/* Whether its faces are so close together that asking once is less work. */
static bool is_tight(const group *g) { return vo_grid_class(g->box) <= g->class + 3; }

static bool gather(void *arg, int id) {
    group *g = arg;
    g->full = g->found == GROUP_FOUND;
    if (g->full) return false;
    g->found_class[g->found] = g->c->class[g->first + id];
    g->found_box[g->found] = g->c->box[g->first + id];
    g->id[g->found++] = id;
    return true;
}

/* As box_overlaps, without branches: nobody can guess which boxes do. */
static inline bool overlap(const vo_box *a, const vo_box *b) {
    return (a->min.x <= b->max.x) & (b->min.x <= a->max.x) & (a->min.y <= b->max.y) &
           (b->min.y <= a->max.y) & (a->min.z <= b->max.z) & (b->min.z <= a->max.z);
}

/* The face's pairs among those found, whose class and number must be as vo_grid_find has them. */
static void choose(const group *g, search *s, int class, int id) {
    const vo_box box = g->c->box[s->face];
    for (int k = 0; k < g->found && s->found < VO_CROSSINGS_PER_FACE; k++) {
        int other = g->found_class[k];
        bool later = (other > class) | ((other == class) & (g->id[k] >= id));
        if (later & overlap(&g->found_box[k], &box)) try_pair(s, g->id[k]);
    }
}

/* Counts the pairs of all faces of the group with one grid; false if too many boxes were found. */
static bool count_group(group *g, const vo_grid *grid, int first, int found[GROUP_FACES]) {
    int cloths = g->soup->cloth_face_count;
    bool obstacles = g->begin >= cloths;
    g->found = 0;
    g->first = first;
    g->full = false;
    vo_grid_find(grid, &g->box, g->class + obstacles, 0, gather, g);
    for (int f = g->begin; f < g->end && !g->full; f++) {
        if (!is_placed(&g->c->box[f])) continue;
        int class = g->c->class[f];
        search s = begin_search(g->soup, f, NULL);
        s.first = first;
        s.found = found[f - g->begin];
        choose(g, &s, class + obstacles, obstacles || first ? 0 : f + 1);
        found[f - g->begin] = s.found;
    }
    return !g->full;
}

/* As many as search_face finds of each face from begin to end, all of cloth or all of obstacles. */
static void search_group(const vo_crossings *c, const vo_face_soup *soup, int begin, int end,
                         int found[GROUP_FACES]) {
    group g;
    begin_group(c, soup, begin, end, &g);
    int cloths = soup->cloth_face_count;
    memset(found, 0, GROUP_FACES * sizeof *found);
    if (!is_placed(&g.box)) return;
    if (is_tight(&g) && count_group(&g, &c->cloth, 0, found) &&
        (begin >= cloths || count_group(&g, &c->obstacle, cloths, found)))
        return;
    for (int f = begin; f < end; f++) found[f - begin] = search_face(c, soup, f, NULL);
}

typedef struct pair_task {
    vo_crossings *c;
    const vo_face_soup *soup;
} pair_task;

static void count_pairs(void *arg, int begin, int end, int chunk) {
    const pair_task *t = arg;
    int cloths = t->soup->cloth_face_count, found[GROUP_FACES];
    vo_crossings_chunk sum = {0, false};
    for (int f = begin, next; f < end; f = next) {
        next = vo_min_int(f + GROUP_FACES, end);
        if (f < cloths) next = vo_min_int(next, cloths);
        search_group(t->c, t->soup, f, next, found);
        for (int k = 0; k < next - f; k++) {
            sum.pairs += found[k];
            sum.stopped |= found[k] == VO_CROSSINGS_PER_FACE;
        }
    }
    t->c->chunk[chunk] = sum;
}

/* Chunks without pairs, usually all of them, are done already. */
static void keep_pairs(void *arg, int begin, int end, int chunk) {
    const pair_task *t = arg;
    int at = t->c->chunk[chunk].pairs, stop = t->c->chunk[chunk + 1].pairs;
    for (int f = begin; f < end && at < stop; f++)
        at += search_face(t->c, t->soup, f, t->c->pair + at);
}

/* From the number of pairs of each chunk to where they begin; their sum comes last. False if there
 * are too many to be counted. */
static bool place_chunks(vo_crossings *c, int chunks) {
    int64_t total = 0;
    c->complete = true;
    for (int i = 0; i < chunks; i++) {
        int count = c->chunk[i].pairs;
        c->complete &= !c->chunk[i].stopped;
        c->chunk[i].pairs = (int)total;
        total += count;
        if (total > INT32_MAX) return false;
    }
    c->chunk[chunks].pairs = (int)total;
    return true;
}

static bool is_after(const int a[2], const int b[2]) {
    return a[0] != b[0] ? a[0] > b[0] : a[1] > b[1];
}

static void swap_pairs(int a[2], int b[2]) {
    int t[2] = {a[0], a[1]};
    a[0] = b[0], a[1] = b[1];
    b[0] = t[0], b[1] = t[1];
}

/* Lets the pair at `root` sink to its place in the heap. */
static void sink(int (*pair)[2], int root, int count) {
    for (int child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && is_after(pair[child + 1], pair[child])) child++;
        if (!is_after(pair[child], pair[root])) return;
        swap_pairs(pair[child], pair[root]);
    }
}

/* A heap sort: in place, and never slow. */
static void sort_pairs(int (*pair)[2], int count) {
    for (int i = count / 2 - 1; i >= 0; i--) sink(pair, i, count);
    for (int last = count - 1; last > 0; last--) {
        swap_pairs(pair[0], pair[last]);
        sink(pair, 0, last);
    }
}

/* ---- all of it ------------------------------------------------------------------------------ */

static vo_result build_grids(vo_context *ctx, vo_crossings *c, const vo_face_soup *soup) {
    int cloths = soup->cloth_face_count;
    vo_parallel_for(ctx, soup->face_count, FACES_PER_CHUNK, make_boxes, &(box_task){soup, c});
    drop_distant(c, soup);
    VO_TRY(vo_grid_build(ctx, &c->cloth, c->box, cloths));
    return vo_grid_build(ctx, &c->obstacle, c->box + cloths, soup->face_count - cloths);
}

/* Counts first, since nobody knows how many there are; then, where there are any, once more. */
static vo_result find_pairs(vo_context *ctx, vo_crossings *c, const vo_face_soup *soup) {
    pair_task task = {c, soup};
    int chunks = vo_chunk_count(soup->face_count, FACES_PER_CHUNK);
    vo_parallel_for(ctx, soup->face_count, FACES_PER_CHUNK, count_pairs, &task);
    if (!place_chunks(c, chunks) ||
        !vo_reserve(ctx, &c->pair, &c->capacity, c->chunk[chunks].pairs))
        return vo_fail_memory(ctx, "the list of intersections");
    c->count = c->chunk[chunks].pairs;
    if (c->count == 0) return VO_OK;
    vo_parallel_for(ctx, soup->face_count, FACES_PER_CHUNK, keep_pairs, &task);
    sort_pairs(c->pair, c->count);
    return VO_OK;
}

vo_result vo_crossings_find(vo_context *ctx, vo_crossings *c, const vo_face_soup *soup) {
    c->count = 0;
    c->complete = true;
    if (soup->face_count == 0) return VO_OK;
    int chunks = vo_chunk_count(soup->face_count, FACES_PER_CHUNK);
    if (!vo_reserve(ctx, &c->box, &c->box_capacity, soup->face_count) ||
        !vo_reserve(ctx, &c->class, &c->class_capacity, soup->face_count) ||
        !vo_reserve(ctx, &c->chunk, &c->chunk_capacity, chunks + 1))
        return vo_fail_memory(ctx, "the boxes of faces");
    VO_TRY(build_grids(ctx, c, soup));
    return find_pairs(ctx, c, soup);
}

void vo_crossings_free(vo_context *ctx, vo_crossings *c) {
    vo_grid_free(ctx, &c->cloth);
    vo_grid_free(ctx, &c->obstacle);
    vo_free_array(ctx, c->box, c->box_capacity);
    vo_free_array(ctx, c->class, c->class_capacity);
    vo_free_array(ctx, c->chunk, c->chunk_capacity);
    vo_free_array(ctx, c->pair, c->capacity);
    *c = (vo_crossings){0};
}

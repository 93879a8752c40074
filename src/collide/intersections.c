#include "collide/intersections.h"

#include "collide/intersections_pair.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "math/simd.h"

enum { FACES_PER_CHUNK = 128, BLOCKS_PER_CHUNK = 16, OCCUPANCY_CELLS = 64 };

/* Largest extent of a block relative to the shortest of its faces. */
static const double MAX_BLOCK_RATIO = 8;

/* ---- boxes ---------------------------------------------------------------------------------- */

typedef struct box_task {
    const vo_face_soup *soup;
    vo_intersections *c;
} box_task;

static void make_boxes(void *arg, int begin, int end, int chunk) {
    const box_task *t = arg;
    (void)chunk;
    for (int f = begin; f < end; f++) {
        const int *n = t->soup->face[f];
        vo_vec3 a = t->soup->x[n[0]], b = t->soup->x[n[1]], c = t->soup->x[n[2]];
        bool placed = vo_position_is_valid(a) && vo_position_is_valid(b) && vo_position_is_valid(c);
        t->c->box[f] = placed ? box_triangle(a, b, c) : box_empty();
    }
}

/* Occupancy of cloth: the cells of its bounding box that contain the box of a face. */
typedef struct occupancy {
    vo_box box;
    vo_vec3 per_metre;                                   /* cells per metre */
    uint64_t occupied[OCCUPANCY_CELLS][OCCUPANCY_CELLS]; /* bits along z, by x and y */
} occupancy;

static int cell_of(double x, double low, double per_metre) {
    double at = (x - low) * per_metre;
    return at > 0 ? (int)vo_min(at, OCCUPANCY_CELLS - 1) : 0; /* 0 also for zero extent */
}

/* The cells that a box overlaps: ranges along x and y, bits along z. Both ends are rounded alike,
 * so boxes that touch share a cell. */
typedef struct cells {
    int x[2], y[2];
    uint64_t z;
} cells;

static cells cells_of(const occupancy *r, const vo_box *b) {
    const vo_vec3 *low = &r->box.min, *k = &r->per_metre;
    int z0 = cell_of(b->min.z, low->z, k->z), z1 = cell_of(b->max.z, low->z, k->z);
    return (cells){{cell_of(b->min.x, low->x, k->x), cell_of(b->max.x, low->x, k->x)},
                   {cell_of(b->min.y, low->y, k->y), cell_of(b->max.y, low->y, k->y)},
                   (~(uint64_t)0 << z0) & (~(uint64_t)0 >> (OCCUPANCY_CELLS - 1 - z1))};
}

static void find_occupancy(const vo_intersections *c, int count, occupancy *r) {
    *r = (occupancy){.box = box_empty()};
    for (int f = 0; f < count; f++) r->box = box_join(r->box, c->box[f]);
    vo_vec3 size = v3_sub(r->box.max, r->box.min);
    r->per_metre = v3(OCCUPANCY_CELLS / size.x, OCCUPANCY_CELLS / size.y, OCCUPANCY_CELLS / size.z);
    for (int f = 0; f < count; f++) {
        if (!box_overlaps(c->box[f], c->box[f])) continue;
        cells k = cells_of(r, &c->box[f]);
        for (int x = k.x[0]; x <= k.x[1]; x++)
            for (int y = k.y[0]; y <= k.y[1]; y++) r->occupied[x][y] |= k.z;
    }
}

static bool is_occupied(const occupancy *r, const vo_box *b) {
    if (!box_overlaps(*b, r->box)) return false;
    cells k = cells_of(r, b);
    for (int x = k.x[0]; x <= k.x[1]; x++)
        for (int y = k.y[0]; y <= k.y[1]; y++)
            if (r->occupied[x][y] & k.z) return true;
    return false;
}

/* Empties the boxes of obstacle faces that no cloth is close to. */
static void drop_distant(vo_intersections *c, const vo_face_soup *soup) {
    occupancy cloth;
    if (soup->face_count == soup->cloth_face_count) return;
    find_occupancy(c, soup->cloth_face_count, &cloth);
    for (int f = soup->cloth_face_count; f < soup->face_count; f++)
        if (!is_occupied(&cloth, &c->box[f])) c->box[f] = box_empty();
}

/* ---- blocks --------------------------------------------------------------------------------- */

static bool is_placed(const vo_box *box) { return box->min.x <= box->max.x; }

static void begin_block(vo_face_block *p) {
    p->count = 0;
    for (int axis = 0; axis < 3; axis++)
        for (int i = 0; i < VO_BLOCK_FACES; i++) {
            p->min[axis][i] = INFINITY;
            p->max[axis][i] = -INFINITY;
        }
}

static void add_face(vo_face_block *p, int face, const vo_box *box) {
    int i = p->count++;
    const double *min = &box->min.x, *max = &box->max.x;
    p->face[i] = face;
    for (int axis = 0; axis < 3; axis++) {
        p->min[axis][i] = vo_float_below(min[axis]);
        p->max[axis][i] = vo_float_above(max[axis]);
    }
}

/* Reserves one more block. */
static bool reserve_block(vo_context *ctx, vo_intersections *c) {
    int n = c->block_count + 1;
    return vo_reserve(ctx, &c->block, &c->block_capacity, n) &&
           vo_reserve(ctx, &c->block_box, &c->block_box_capacity, n);
}

/* Groups the faces from begin to end into blocks of consecutive, adjacent faces. */
static bool make_blocks(vo_context *ctx, vo_intersections *c, int begin, int end) {
    double min_extent = 0; /* smallest extent of a face of the open block; 0: none is open */
    for (int f = begin; f < end; f++) {
        const vo_box *box = &c->box[f];
        if (!is_placed(box)) continue;
        double side = box_longest_side(*box), shortest = vo_min(min_extent, side);
        int last = c->block_count - 1;
        vo_box joined = min_extent > 0 ? box_join(c->block_box[last], *box) : *box;
        bool fits = min_extent > 0 && c->block[last].count < VO_BLOCK_FACES &&
                    box_longest_side(joined) <= MAX_BLOCK_RATIO * shortest;
        if (!fits) {
            if (!reserve_block(ctx, c)) return false;
            begin_block(&c->block[last = c->block_count++]);
        }
        c->block_box[last] = fits ? joined : *box;
        min_extent = fits ? shortest : side;
        add_face(&c->block[last], f, box);
    }
    return true;
}

/* Returns one bit for each face of a block whose box overlaps a box. */
static unsigned overlaps(const vo_face_block *p, const float min[3], const float max[3]) {
    unsigned bits = 0;
    for (int half = 0; half < VO_BLOCK_FACES; half += 4) {
        vo_m4 meet = {-1, -1, -1, -1};
        for (int axis = 0; axis < 3; axis++)
            meet &= (f4_load(p->min[axis] + half) <= f4_set(max[axis])) &
                    (f4_load(p->max[axis] + half) >= f4_set(min[axis]));
        bits |= m4_bits(meet) << half;
    }
    return bits;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

/* Search of one block: counts the pairs of each of its faces, and stores them if `pair` is not
 * NULL. */
typedef struct search {
    const vo_intersections *c;
    const vo_face_soup *soup;
    const vo_face_block *block;
    float min[3], max[3]; /* of the block */
    int first;            /* block with id 0 in the current grid */
    int (*pair)[2];       /* NULL: count only */
    int pairs;            /* found */
    int found[VO_BLOCK_FACES];
    vo_flat_face flat[VO_BLOCK_FACES];
} search;

static void add_pair(search *s, int i, int other) {
    int face = s->block->face[i];
    if (s->pair) {
        s->pair[s->pairs][0] = vo_min_int(face, other);
        s->pair[s->pairs][1] = vo_max_int(face, other);
    }
    s->pairs++;
    s->found[i]++;
}

/* Tests face i against the faces of another block given by `bits`. */
static void test_faces(search *s, int i, const vo_face_block *other, unsigned bits) {
    for (; bits && s->found[i] < VO_MAX_FACE_INTERSECTIONS; bits &= bits - 1) {
        int face = other->face[__builtin_ctz(bits)];
        if (vo_flat_face_intersects(s->soup->x, &s->flat[i], s->soup->face[face]))
            add_pair(s, i, face);
    }
}

/* Tests all pairs with another block; within the block itself, each pair once. Returns false when
 * all faces have reached the limit. */
static bool test_block(void *arg, int id) {
    search *s = arg;
    const vo_face_block *p = s->block, *q = &s->c->block[s->first + id];
    unsigned near = overlaps(q, s->min, s->max);
    bool full = true;
    for (int i = 0; i < p->count; i++) {
        full &= s->found[i] == VO_MAX_FACE_INTERSECTIONS;
        if (!near) continue;
        float min[3] = {p->min[0][i], p->min[1][i], p->min[2][i]};
        float max[3] = {p->max[0][i], p->max[1][i], p->max[2][i]};
        unsigned bits = overlaps(q, min, max) & near;
        if (p == q) bits &= ~0u << (i + 1);
        test_faces(s, i, q, bits);
    }
    return !full;
}

static void begin_search(const vo_intersections *c, const vo_face_soup *soup, int block,
                         int (*pair)[2], search *s) {
    const vo_face_block *p = &c->block[block];
    const double *min = &c->block_box[block].min.x, *max = &c->block_box[block].max.x;
    s->c = c;
    s->soup = soup;
    s->block = p;
    s->first = s->pairs = 0;
    s->pair = pair;
    for (int axis = 0; axis < 3; axis++) {
        s->min[axis] = vo_float_below(min[axis]);
        s->max[axis] = vo_float_above(max[axis]);
    }
    for (int i = 0; i < p->count; i++) {
        s->found[i] = 0;
        s->flat[i] = vo_flat_face_make(soup->x, soup->face[p->face[i]]);
    }
}

/* Each pair of blocks is found by the smaller one; of two cloth blocks of one size class by the
 * first one, of a cloth and an obstacle block by that of the cloth. */
static void search_block(const vo_intersections *c, const vo_face_soup *soup, int block,
                         int (*pair)[2], search *s) {
    const vo_box *box = &c->block_box[block];
    int class = vo_grid_class(*box);
    begin_search(c, soup, block, pair, s);
    if (block >= c->cloth_block_count) {
        vo_grid_find(&c->cloth, box, class + 1, 0, test_block, s);
        return;
    }
    vo_grid_find(&c->cloth, box, class, block, test_block, s);
    s->first = c->cloth_block_count;
    vo_grid_find(&c->obstacle, box, class, 0, test_block, s);
}

typedef struct pair_task {
    vo_intersections *c;
    const vo_face_soup *soup;
} pair_task;

static void count_pairs(void *arg, int begin, int end, int chunk) {
    const pair_task *t = arg;
    vo_intersections_chunk sum = {0, false};
    search s;
    for (int p = begin; p < end; p++) {
        search_block(t->c, t->soup, p, NULL, &s);
        sum.pairs += s.pairs;
        for (int i = 0; i < s.block->count; i++)
            sum.truncated |= s.found[i] == VO_MAX_FACE_INTERSECTIONS;
    }
    t->c->chunk[chunk] = sum;
}

/* Stores the pairs; skips chunks without pairs, which is the usual case. */
static void store_pairs(void *arg, int begin, int end, int chunk) {
    const pair_task *t = arg;
    int at = t->c->chunk[chunk].pairs, stop = t->c->chunk[chunk + 1].pairs;
    search s;
    for (int p = begin; p < end && at < stop; p++) {
        search_block(t->c, t->soup, p, t->c->pair + at, &s);
        at += s.pairs;
    }
}

/* Converts the pair counts of the chunks to offsets; the total comes last. Returns false if it
 * overflows. */
static bool sum_chunks(vo_intersections *c, int chunks) {
    int64_t total = 0;
    c->complete = true;
    for (int i = 0; i < chunks; i++) {
        int count = c->chunk[i].pairs;
        c->complete &= !c->chunk[i].truncated;
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

/* Restores the heap order below `root`. */
static void sift_down(int (*pair)[2], int root, int count) {
    for (int child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && is_after(pair[child + 1], pair[child])) child++;
        if (!is_after(pair[child], pair[root])) return;
        swap_pairs(pair[child], pair[root]);
    }
}

/* Heap sort: in place, without a slow worst case. */
static void sort_pairs(int (*pair)[2], int count) {
    for (int i = count / 2 - 1; i >= 0; i--) sift_down(pair, i, count);
    for (int last = count - 1; last > 0; last--) {
        swap_pairs(pair[0], pair[last]);
        sift_down(pair, 0, last);
    }
}

/* ---- entry point ---------------------------------------------------------------------------- */

static vo_result build_blocks(vo_context *ctx, vo_intersections *c, const vo_face_soup *soup) {
    int faces = soup->face_count, cloths = soup->cloth_face_count;
    vo_parallel_for(ctx, faces, FACES_PER_CHUNK, make_boxes, &(box_task){soup, c});
    drop_distant(c, soup);
    c->block_count = 0;
    if (!make_blocks(ctx, c, 0, cloths)) return vo_fail_memory(ctx, "blocks of faces");
    c->cloth_block_count = c->block_count;
    if (!make_blocks(ctx, c, cloths, faces)) return vo_fail_memory(ctx, "blocks of faces");
    VO_TRY(vo_grid_build(ctx, &c->cloth, c->block_box, c->cloth_block_count));
    return vo_grid_build(ctx, &c->obstacle, c->block_box + c->cloth_block_count,
                         c->block_count - c->cloth_block_count);
}

/* Counts the pairs in a first pass and, if there are any, stores them in a second one. */
static vo_result find_pairs(vo_context *ctx, vo_intersections *c, const vo_face_soup *soup) {
    pair_task task = {c, soup};
    int chunks = vo_chunk_count(c->block_count, BLOCKS_PER_CHUNK);
    vo_parallel_for(ctx, c->block_count, BLOCKS_PER_CHUNK, count_pairs, &task);
    if (!sum_chunks(c, chunks) || !vo_reserve(ctx, &c->pair, &c->capacity, c->chunk[chunks].pairs))
        return vo_fail_memory(ctx, "the list of intersections");
    c->count = c->chunk[chunks].pairs;
    if (c->count == 0) return VO_OK;
    vo_parallel_for(ctx, c->block_count, BLOCKS_PER_CHUNK, store_pairs, &task);
    sort_pairs(c->pair, c->count);
    return VO_OK;
}

/* There are never more blocks than faces. */
static bool reserve(vo_context *ctx, vo_intersections *c, int faces) {
    int chunks = vo_chunk_count(faces, BLOCKS_PER_CHUNK);
    return vo_reserve(ctx, &c->box, &c->box_capacity, faces) &&
           vo_reserve(ctx, &c->chunk, &c->chunk_capacity, chunks + 1);
}

vo_result vo_intersections_find(vo_context *ctx, vo_intersections *c, const vo_face_soup *soup) {
    c->count = 0;
    c->complete = true;
    if (soup->face_count == 0) return VO_OK;
    if (!reserve(ctx, c, soup->face_count)) return vo_fail_memory(ctx, "the boxes of faces");
    VO_TRY(build_blocks(ctx, c, soup));
    return find_pairs(ctx, c, soup);
}

void vo_intersections_free(vo_context *ctx, vo_intersections *c) {
    vo_grid_free(ctx, &c->cloth);
    vo_grid_free(ctx, &c->obstacle);
    vo_free_array(ctx, c->box, c->box_capacity);
    vo_free_array(ctx, c->block, c->block_capacity);
    vo_free_array(ctx, c->block_box, c->block_box_capacity);
    vo_free_array(ctx, c->chunk, c->chunk_capacity);
    vo_free_array(ctx, c->pair, c->capacity);
    *c = (vo_intersections){0};
}

#include "collide/crossings.h"

#include "collide/crossings_pair.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "math/simd.h"

enum { FACES_PER_CHUNK = 128, PARCELS_PER_CHUNK = 16, REGION_CELLS = 64 };

/* A parcel is no longer than so many times the shortest of its faces. */
static const double LOOSE = 8;

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

/* ---- parcels -------------------------------------------------------------------------------- */

static bool is_placed(const vo_box *box) { return box->min.x <= box->max.x; }

static void begin_parcel(vo_parcel *p) {
    p->count = 0;
    for (int axis = 0; axis < 3; axis++)
        for (int i = 0; i < VO_PARCEL_FACES; i++) {
            p->min[axis][i] = INFINITY;
            p->max[axis][i] = -INFINITY;
        }
}

static void add_face(vo_parcel *p, int face, const vo_box *box) {
    int i = p->count++;
    const double *min = &box->min.x, *max = &box->max.x;
    p->face[i] = face;
    for (int axis = 0; axis < 3; axis++) {
        p->min[axis][i] = vo_float_below(min[axis]);
        p->max[axis][i] = vo_float_above(max[axis]);
    }
}

/* Room for one parcel more. */
static bool open_parcel(vo_context *ctx, vo_crossings *c) {
    int n = c->parcel_count + 1;
    return vo_reserve(ctx, &c->parcel, &c->parcel_capacity, n) &&
           vo_reserve(ctx, &c->parcel_box, &c->parcel_box_capacity, n);
}

/* Puts the faces from begin to end into parcels: as many as follow each other and stay together. */
static bool make_parcels(vo_context *ctx, vo_crossings *c, int begin, int end) {
    double least = 0; /* of the longest sides of the last parcel's faces; 0: none is open */
    for (int f = begin; f < end; f++) {
        const vo_box *box = &c->box[f];
        if (!is_placed(box)) continue;
        double side = box_longest_side(*box), shortest = vo_min(least, side);
        int last = c->parcel_count - 1;
        vo_box joined = least > 0 ? box_join(c->parcel_box[last], *box) : *box;
        bool fits = least > 0 && c->parcel[last].count < VO_PARCEL_FACES &&
                    box_longest_side(joined) <= LOOSE * shortest;
        if (!fits) {
            if (!open_parcel(ctx, c)) return false;
            begin_parcel(&c->parcel[last = c->parcel_count++]);
        }
        c->parcel_box[last] = fits ? joined : *box;
        least = fits ? shortest : side;
        add_face(&c->parcel[last], f, box);
    }
    return true;
}

/* Bits of the faces of a parcel whose boxes overlap a box. */
static unsigned overlaps(const vo_parcel *p, const float min[3], const float max[3]) {
    unsigned bits = 0;
    for (int half = 0; half < VO_PARCEL_FACES; half += 4) {
        vo_m4 meet = {-1, -1, -1, -1};
        for (int axis = 0; axis < 3; axis++)
            meet &= (f4_load(p->min[axis] + half) <= f4_set(max[axis])) &
                    (f4_load(p->max[axis] + half) >= f4_set(min[axis]));
        bits |= m4_bits(meet) << half;
    }
    return bits;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

/* The search of one parcel: counts the pairs of each of its faces, and keeps what it finds where
 * there is room. */
typedef struct search {
    const vo_crossings *c;
    const vo_face_soup *soup;
    const vo_parcel *parcel;
    float min[3], max[3]; /* of the parcel */
    int first;            /* parcel that the grid at hand has as its id 0 */
    int (*pair)[2];       /* NULL: only counts */
    int pairs;            /* found */
    int found[VO_PARCEL_FACES];
    vo_flat_face flat[VO_PARCEL_FACES];
} search;

static void take_pair(search *s, int i, int other) {
    int face = s->parcel->face[i];
    if (s->pair) {
        s->pair[s->pairs][0] = vo_min_int(face, other);
        s->pair[s->pairs][1] = vo_max_int(face, other);
    }
    s->pairs++;
    s->found[i]++;
}

/* Pairs of face i with those of another parcel that `bits` has. */
static void try_faces(search *s, int i, const vo_parcel *other, unsigned bits) {
    for (; bits && s->found[i] < VO_CROSSINGS_PER_FACE; bits &= bits - 1) {
        int face = other->face[__builtin_ctz(bits)];
        if (vo_flat_face_intersects(s->soup->x, &s->flat[i], s->soup->face[face]))
            take_pair(s, i, face);
    }
}

/* All pairs with another parcel; or of the parcel itself, each once. */
static bool try_parcel(void *arg, int id) {
    search *s = arg;
    const vo_parcel *p = s->parcel, *q = &s->c->parcel[s->first + id];
    unsigned near = overlaps(q, s->min, s->max);
    bool full = true;
    for (int i = 0; i < p->count; i++) {
        full &= s->found[i] == VO_CROSSINGS_PER_FACE;
        if (!near) continue;
        float min[3] = {p->min[0][i], p->min[1][i], p->min[2][i]};
        float max[3] = {p->max[0][i], p->max[1][i], p->max[2][i]};
        unsigned bits = overlaps(q, min, max) & near;
        if (p == q) bits &= ~0u << (i + 1);
        try_faces(s, i, q, bits);
    }
    return !full;
}

static void begin_search(const vo_crossings *c, const vo_face_soup *soup, int parcel,
                         int (*pair)[2], search *s) {
    const vo_parcel *p = &c->parcel[parcel];
    const double *min = &c->parcel_box[parcel].min.x, *max = &c->parcel_box[parcel].max.x;
    s->c = c;
    s->soup = soup;
    s->parcel = p;
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

/* Every pair of parcels is found by the smaller one; of two parcels of cloth of one size class by
 * the one that comes first, of a cloth's and an obstacle's by that of the cloth. */
static void search_parcel(const vo_crossings *c, const vo_face_soup *soup, int parcel,
                          int (*pair)[2], search *s) {
    const vo_box *box = &c->parcel_box[parcel];
    int class = vo_grid_class(*box);
    begin_search(c, soup, parcel, pair, s);
    if (parcel >= c->cloth_parcel_count) {
        vo_grid_find(&c->cloth, box, class + 1, 0, try_parcel, s);
        return;
    }
    vo_grid_find(&c->cloth, box, class, parcel, try_parcel, s);
    s->first = c->cloth_parcel_count;
    vo_grid_find(&c->obstacle, box, class, 0, try_parcel, s);
}

typedef struct pair_task {
    vo_crossings *c;
    const vo_face_soup *soup;
} pair_task;

static void count_pairs(void *arg, int begin, int end, int chunk) {
    const pair_task *t = arg;
    vo_crossings_chunk sum = {0, false};
    search s;
    for (int p = begin; p < end; p++) {
        search_parcel(t->c, t->soup, p, NULL, &s);
        sum.pairs += s.pairs;
        for (int i = 0; i < s.parcel->count; i++)
            sum.stopped |= s.found[i] == VO_CROSSINGS_PER_FACE;
    }
    t->c->chunk[chunk] = sum;
}

/* Chunks without pairs, usually all of them, are done already. */
static void keep_pairs(void *arg, int begin, int end, int chunk) {
    const pair_task *t = arg;
    int at = t->c->chunk[chunk].pairs, stop = t->c->chunk[chunk + 1].pairs;
    search s;
    for (int p = begin; p < end && at < stop; p++) {
        search_parcel(t->c, t->soup, p, t->c->pair + at, &s);
        at += s.pairs;
    }
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

static vo_result build_parcels(vo_context *ctx, vo_crossings *c, const vo_face_soup *soup) {
    int faces = soup->face_count, cloths = soup->cloth_face_count;
    vo_parallel_for(ctx, faces, FACES_PER_CHUNK, make_boxes, &(box_task){soup, c});
    drop_distant(c, soup);
    c->parcel_count = 0;
    if (!make_parcels(ctx, c, 0, cloths)) return vo_fail_memory(ctx, "parcels of faces");
    c->cloth_parcel_count = c->parcel_count;
    if (!make_parcels(ctx, c, cloths, faces)) return vo_fail_memory(ctx, "parcels of faces");
    VO_TRY(vo_grid_build(ctx, &c->cloth, c->parcel_box, c->cloth_parcel_count));
    return vo_grid_build(ctx, &c->obstacle, c->parcel_box + c->cloth_parcel_count,
                         c->parcel_count - c->cloth_parcel_count);
}

/* Counts first, since nobody knows how many there are; then, where there are any, once more. */
static vo_result find_pairs(vo_context *ctx, vo_crossings *c, const vo_face_soup *soup) {
    pair_task task = {c, soup};
    int chunks = vo_chunk_count(c->parcel_count, PARCELS_PER_CHUNK);
    vo_parallel_for(ctx, c->parcel_count, PARCELS_PER_CHUNK, count_pairs, &task);
    if (!place_chunks(c, chunks) ||
        !vo_reserve(ctx, &c->pair, &c->capacity, c->chunk[chunks].pairs))
        return vo_fail_memory(ctx, "the list of intersections");
    c->count = c->chunk[chunks].pairs;
    if (c->count == 0) return VO_OK;
    vo_parallel_for(ctx, c->parcel_count, PARCELS_PER_CHUNK, keep_pairs, &task);
    sort_pairs(c->pair, c->count);
    return VO_OK;
}

/* There are never more parcels than faces. */
static bool reserve(vo_context *ctx, vo_crossings *c, int faces) {
    int chunks = vo_chunk_count(faces, PARCELS_PER_CHUNK);
    return vo_reserve(ctx, &c->box, &c->box_capacity, faces) &&
           vo_reserve(ctx, &c->chunk, &c->chunk_capacity, chunks + 1);
}

vo_result vo_crossings_find(vo_context *ctx, vo_crossings *c, const vo_face_soup *soup) {
    c->count = 0;
    c->complete = true;
    if (soup->face_count == 0) return VO_OK;
    if (!reserve(ctx, c, soup->face_count)) return vo_fail_memory(ctx, "the boxes of faces");
    VO_TRY(build_parcels(ctx, c, soup));
    return find_pairs(ctx, c, soup);
}

void vo_crossings_free(vo_context *ctx, vo_crossings *c) {
    vo_grid_free(ctx, &c->cloth);
    vo_grid_free(ctx, &c->obstacle);
    vo_free_array(ctx, c->box, c->box_capacity);
    vo_free_array(ctx, c->parcel, c->parcel_capacity);
    vo_free_array(ctx, c->parcel_box, c->parcel_box_capacity);
    vo_free_array(ctx, c->chunk, c->chunk_capacity);
    vo_free_array(ctx, c->pair, c->capacity);
    *c = (vo_crossings){0};
}

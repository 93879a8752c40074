#include "mesh/polygonise.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <string.h>

enum { BLOCK = 16, MAX_CORNERS = 100000000 };

/* Corners of the lattice, x fastest. A cell has the index of its minimum corner. */
typedef struct lattice {
    vo_context *ctx;
    const vo_polygonise_def *def;
    vo_field field;
    int size[3]; /* corners along each axis; a multiple of BLOCK */
    int corner_count;
    int step[3];           /* index offset to the next corner along each axis */
    int offset[8];         /* index offsets of a cell's corners; bit k: along axis k */
    unsigned char *inside; /* [corner_count] 1: inside */
    int *node;             /* [corner_count] node of the cell, or -1 */
} lattice;

vo_polygonise_def vo_polygonise_def_default(void) {
    return (vo_polygonise_def){.slope = 2, .rounds = 8};
}

static vo_vec3 corner_place(const lattice *l, int i, int j, int k) {
    return v3_add_scaled(l->def->low, l->def->cell, v3(i, j, k));
}

static void sign_corners(lattice *l, const int first[3], int size, bool inside) {
    for (int k = first[2]; k < first[2] + size; k++)
        for (int j = first[1]; j < first[1] + size; j++)
            memset(&l->inside[first[0] + j * l->step[1] + k * l->step[2]], inside, (size_t)size);
}

/* Samples the signs of a block: at once if the surface is far away, otherwise recursively by
 * octants down to single corners. */
static void sign_block(lattice *l, const int first[3], int size) {
    const double half = 0.5 * (size - 1);
    vo_vec3 middle = v3_add_scaled(corner_place(l, first[0], first[1], first[2]), l->def->cell,
                                   v3(half, half, half));
    double value = l->field.value(l->field.arg, middle);
    if (size == 1 || fabs(value) > l->def->slope * half * sqrt(3) * l->def->cell) {
        sign_corners(l, first, size, value < 0);
        return;
    }
    int s = size / 2;
    for (int i = 0; i < 8; i++) {
        const int part[3] = {first[0] + (i & 1) * s, first[1] + (i >> 1 & 1) * s,
                             first[2] + (i >> 2) * s};
        sign_block(l, part, s);
    }
}

static void sign_blocks(void *arg, int begin, int end, int chunk) {
    lattice *l = arg;
    (void)chunk;
    int columns = l->size[0] / BLOCK, rows = l->size[1] / BLOCK;
    for (int b = begin; b < end; b++)
        sign_block(
            l,
            (int[3]){b % columns * BLOCK, b / columns % rows * BLOCK, b / columns / rows * BLOCK},
            BLOCK);
}

/* The eight signs of a cell as bits. */
static int cell_code(const lattice *l, int cell) {
    int code = 0;
    for (int c = 0; c < 8; c++) code |= l->inside[cell + l->offset[c]] << c;
    return code;
}

/* True if the corners in this set are connected by edges of the cube. */
static bool is_connected(int set) {
    int reached = set & -set, before = 0;
    while (reached != before) {
        before = reached;
        for (int c = 0; c < 8; c++)
            for (int axis = 0; axis < 3; axis++)
                if (before >> c & 1) reached |= set & 1 << (c ^ 1 << axis);
    }
    return reached == set;
}

static bool is_sound(int code) { return is_connected(code) && is_connected(255 & ~code); }

/* Number of cells from this one on whose corners all have one sign: 7, or 0 if not all of them. */
static int uniform_cells(const lattice *l, int cell) {
    uint64_t row[4];
    if (cell + l->offset[6] + (int)sizeof row[0] > l->corner_count) return 0;
    for (int i = 0; i < 4; i++) memcpy(&row[i], &l->inside[cell + l->offset[2 * i]], sizeof row[i]);
    bool alike = row[0] == row[1] && row[0] == row[2] && row[0] == row[3];
    return alike && (row[0] == 0 || row[0] == UINT64_C(0x0101010101010101)) ? 7 : 0;
}

/* Iterates over the cells that the surface may pass. The last planes have no complete cells. */
#define FOR_EACH_CELL(l, cell)                                     \
    for (int k_ = 0; k_ + 1 < (l)->size[2]; k_++)                  \
        for (int j_ = 0; j_ + 1 < (l)->size[1]; j_++)              \
            for (int cell = j_ * (l)->step[1] + k_ * (l)->step[2], \
                     last_ = cell + (l)->size[0] - 1, skip_ = 0;   \
                 cell < last_; cell += vo_max_int(skip_, 1))       \
                if ((skip_ = uniform_cells(l, cell)) > 0)          \
                    continue;                                      \
                else

/* Fills cells until inside and outside corners of every cell are connected. */
static void repair_signs(lattice *l) {
    bool sound[256], changed = true;
    for (int code = 0; code < 256; code++) sound[code] = is_sound(code);
    while (changed) {
        changed = false;
        FOR_EACH_CELL(l, cell) {
            if (sound[cell_code(l, cell)]) continue;
            for (int c = 0; c < 8; c++) l->inside[cell + l->offset[c]] = 1;
            changed = true;
        }
    }
}

/* True if a corner on the outermost planes is inside. */
static bool reaches_box(const lattice *l) {
    for (int c = 0; c < l->corner_count; c++) {
        if (!l->inside[c]) continue;
        int i = c % l->size[0], j = c / l->step[1] % l->size[1], k = c / l->step[2];
        if (i == 0 || j == 0 || k == 0 || i == l->size[0] - 1 || j == l->size[1] - 1 ||
            k == l->size[2] - 1)
            return true;
    }
    return false;
}

static vo_vec3 cell_place(const lattice *l, int cell) {
    return corner_place(l, cell % l->size[0], cell / l->step[1] % l->size[1], cell / l->step[2]);
}

/* Mean of the midpoints of the cell edges that cross the surface. */
static vo_vec3 node_position(const lattice *l, int cell, int code) {
    vo_vec3 sum = v3_zero();
    int count = 0;
    for (int c = 0; c < 8; c++)
        for (int axis = 0; axis < 3; axis++) {
            int other = c | 1 << axis;
            if (other == c || (code >> c & 1) == (code >> other & 1)) continue;
            vo_vec3 p = v3(c & 1, c >> 1 & 1, c >> 2),
                    q = v3(other & 1, other >> 1 & 1, other >> 2);
            sum = v3_add(sum, v3_lerp(p, q, 0.5));
            count++;
        }
    return v3_add_scaled(cell_place(l, cell), l->def->cell / count, sum);
}

/* Creates one node per cell that the surface passes. */
static vo_result add_nodes(lattice *l, vo_surface_parts *out) {
    FOR_EACH_CELL(l, cell) {
        int code = cell_code(l, cell);
        if (code == 0 || code == 255) continue;
        VO_TRY(vo_surface_parts_reserve(out, out->node_count + 1, 0));
        l->node[cell] = out->node_count;
        out->node_x[out->node_count++] = node_position(l, cell, code);
    }
    return VO_OK;
}

/* Adds the quadrilateral around the lattice edge from this corner along `axis`, split along its
 * shorter diagonal. `up`: from inside to outside. */
static vo_result add_quad(const lattice *l, int corner, int axis, bool up, vo_surface_parts *out) {
    int a = l->step[(axis + 1) % 3], b = l->step[(axis + 2) % 3];
    int n[4] = {l->node[corner - a - b], l->node[corner - b], l->node[corner], l->node[corner - a]};
    if (!up) {
        int swap = n[1];
        n[1] = n[3], n[3] = swap;
    }
    VO_TRY(vo_surface_parts_reserve(out, 0, out->face_count + 2));
    const vo_vec3 *x = out->node_x;
    int s = v3_distance(x[n[0]], x[n[2]]) <= v3_distance(x[n[1]], x[n[3]]) ? 0 : 1;
    vo_surface_parts_add_face(out, n[s], n[s + 1], n[s + 2]);
    vo_surface_parts_add_face(out, n[s], n[s + 2], n[(s + 3) % 4]);
    return VO_OK;
}

static vo_result add_faces(const lattice *l, vo_surface_parts *out) {
    FOR_EACH_CELL(l, corner) {
        for (int axis = 0; axis < 3; axis++) {
            bool inside = l->inside[corner], other = l->inside[corner + l->step[axis]];
            if (inside != other) VO_TRY(add_quad(l, corner, axis, inside, out));
        }
    }
    return VO_OK;
}

/* Computes the size of the lattice from the box; false if it is invalid. */
static bool set_lattice_size(lattice *l) {
    vo_vec3 extent = v3_sub(l->def->high, l->def->low);
    const double along[3] = {extent.x, extent.y, extent.z};
    double total = 1;
    for (int k = 0; k < 3; k++) {
        double blocks = ceil((along[k] / l->def->cell + 1) / BLOCK);
        if (!(blocks >= 1 && blocks < MAX_CORNERS)) return false;
        l->size[k] = (int)blocks * BLOCK;
        total *= l->size[k];
    }
    if (!(total <= MAX_CORNERS)) return false;
    l->corner_count = (int)total;
    l->step[0] = 1;
    l->step[1] = l->size[0];
    l->step[2] = l->size[0] * l->size[1];
    for (int c = 0; c < 8; c++)
        l->offset[c] = (c & 1) * l->step[0] + (c >> 1 & 1) * l->step[1] + (c >> 2) * l->step[2];
    return true;
}

/* Samples signs and creates nodes and faces in an allocated lattice. */
static vo_result extract_surface(lattice *l, vo_surface_parts *out) {
    memset(l->node, -1, (size_t)l->corner_count * sizeof *l->node);
    vo_parallel_for(l->ctx, l->corner_count / (BLOCK * BLOCK * BLOCK), 2, sign_blocks, l);
    repair_signs(l);
    if (reaches_box(l))
        return vo_fail(l->ctx, VO_BAD_DATA, "polygonise: the surface reaches the box around it");
    VO_TRY(add_nodes(l, out));
    if (out->node_count == 0)
        return vo_fail(l->ctx, VO_BAD_DATA, "polygonise: the function is nowhere negative");
    return add_faces(l, out);
}

vo_result vo_polygonise(vo_context *ctx, const vo_polygonise_def *def, vo_field field,
                        vo_surface_parts *out) {
    lattice l = {.ctx = ctx, .def = def, .field = field};
    if (!set_lattice_size(&l))
        return vo_fail(ctx, VO_BAD_ARGUMENT,
                       "polygonise: cells of %g m make no lattice in that box", def->cell);
    l.inside = vo_new_array(ctx, unsigned char, l.corner_count);
    l.node = vo_new_array(ctx, int, l.corner_count);
    vo_result result =
        l.inside && l.node ? extract_surface(&l, out) : vo_fail_memory(ctx, "a lattice of signs");
    vo_free_array(ctx, l.inside, l.corner_count);
    vo_free_array(ctx, l.node, l.corner_count);
    if (result == VO_OK && def->faces > 0)
        result = vo_polygonise_coarsen(ctx, field, def->cell, def->size, def->faces, out);
    if (result == VO_OK) result = vo_polygonise_improve(ctx, field, def->cell, def->rounds, out);
    return result;
}

#include "core/memory.h"
#include "integrate/system_local.h"
#include "linalg/ordering.h"
#include "mesh/patch.h"

#include <string.h>

/* ---- elements ------------------------------------------------------------------------------- */

static void count_elements(vo_system_builder *b) {
    for (int c = 0; c < b->cloth_count; c++) {
        const vo_mesh *mesh = b->cloth[c].mesh;
        b->system->row_count += mesh->node_count;
        b->edge_count += mesh->edge_count;
        b->system->face_count += mesh->face_count;
        for (int e = 0; e < mesh->edge_count; e++)
            b->system->hinge_count += mesh->edge_face[e][1] >= 0;
    }
}

static vo_system_element face_element(const vo_system_cloth *cloth, int c, int f) {
    vo_system_element e = {.cloth = c, .index = f};
    for (int i = 0; i < 3; i++) e.row[i] = cloth->first_node + vo_mesh_face_node(cloth->mesh, f, i);
    e.row[3] = e.row[0];
    return e;
}

static vo_system_element hinge_element(const vo_system_cloth *cloth, int c, int edge) {
    const vo_mesh *mesh = cloth->mesh;
    vo_system_element e = {.cloth = c, .index = edge};
    for (int i = 0; i < 2; i++) {
        e.row[i] = cloth->first_node + mesh->edge_node[edge][i];
        e.row[2 + i] = cloth->first_node + mesh->vert_node[vo_mesh_edge_opposite(mesh, edge, i)];
    }
    return e;
}

/* Collects faces and hinges; rows are global node numbers at this point. */
static void collect_elements(vo_system_builder *b) {
    int face = 0, hinge = 0;
    for (int c = 0; c < b->cloth_count; c++) {
        const vo_mesh *mesh = b->cloth[c].mesh;
        for (int f = 0; f < mesh->face_count; f++)
            b->face[face++] = face_element(&b->cloth[c], c, f);
        for (int e = 0; e < mesh->edge_count; e++)
            if (mesh->edge_face[e][1] >= 0) b->hinge[hinge++] = hinge_element(&b->cloth[c], c, e);
    }
}

/* ---- row numbering -------------------------------------------------------------------------- */

/* Returns an upper bound of the number of pairs: edge ends, opposite nodes and ties. */
static int64_t max_pairs(const vo_system_builder *b) {
    return 2 * (int64_t)b->edge_count + b->tie_count;
}

/* Lists each coupled pair once: edges, opposite nodes of hinges, and ties. */
static int list_pairs(const vo_system_builder *b, int (*pairs)[2]) {
    int n = 0;
    for (int c = 0; c < b->cloth_count; c++) {
        const vo_mesh *mesh = b->cloth[c].mesh;
        int first = b->cloth[c].first_node;
        for (int e = 0; e < mesh->edge_count; e++, n++)
            for (int k = 0; k < 2; k++) pairs[n][k] = first + mesh->edge_node[e][k];
    }
    for (int i = 0; i < b->system->hinge_count; i++, n++)
        for (int k = 0; k < 2; k++) pairs[n][k] = b->hinge[i].row[2 + k];
    for (int i = 0; i < b->tie_count; i++, n++) memcpy(pairs[n], b->ties[i], sizeof *pairs);
    return n;
}

static void renumber(vo_system_element *list, int count, const int *row_of) {
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 4; k++) list[i].row[k] = row_of[list[i].row[k]];
}

/* Sets the layout positions of a cloth's nodes: material coordinates, with each patch at a height
 * of its own, so that panels that overlap in material space stay separate. */
static vo_result place_cloth(const vo_system_builder *b, const vo_system_cloth *cloth,
                             double floor_height, vo_vec3 *at) {
    const vo_mesh *m = cloth->mesh;
    vo_mesh_data data = {.vert_count = m->vert_count,
                         .vert_u = m->vert_u,
                         .face_count = m->face_count,
                         .face_vert = m->face_vert};
    vo_patches patches;
    VO_TRY(vo_patches_create(b->ctx, &data, NULL, &patches));
    for (int v = m->vert_count - 1; v >= 0;
         v--) /* descending, so that the first vert of a node determines its position */
        at[cloth->first_node + m->vert_node[v]] = v3(
            m->vert_u[v].x, m->vert_u[v].y, floor_height * (cloth->first_node + patches.root[v]));
    vo_patches_free(&patches);
    return VO_OK;
}

static double widest_fabric(const vo_system_builder *b) {
    double low = 0, high = 0;
    for (int c = 0; c < b->cloth_count; c++)
        for (int v = 0; v < b->cloth[c].mesh->vert_count; v++) {
            vo_vec2 u = b->cloth[c].mesh->vert_u[v];
            low = vo_min(low, vo_min(u.x, u.y));
            high = vo_max(high, vo_max(u.x, u.y));
        }
    return high - low;
}

/* Orders the rows by recursive bisection; nodes without a face stay at the origin. */
static vo_result order_rows(vo_system_builder *b) {
    vo_system *s = b->system;
    size_t bytes = vo_array_bytes((size_t)s->row_count, sizeof(vo_vec3));
    vo_vec3 *at = vo_alloc_zero(b->ctx, bytes);
    if (!at) return vo_fail_memory(b->ctx, "the system's rows");
    vo_result result = VO_OK;
    double floor_height = 2 * widest_fabric(b);
    for (int c = 0; c < b->cloth_count && result == VO_OK; c++)
        result = place_cloth(b, &b->cloth[c], floor_height, at);
    if (result == VO_OK) result = vo_order_points(b->ctx, s->row_count, at, s->row_of);
    vo_free(b->ctx, at, bytes);
    return result;
}

/* Orders the rows for locality, renumbers the elements and builds the pattern. */
static vo_result order_and_build_pattern(vo_system_builder *b, int (*pairs)[2], int count) {
    vo_system *s = b->system;
    VO_TRY(order_rows(b));
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 2; k++) pairs[i][k] = s->row_of[pairs[i][k]];
    renumber(b->face, b->system->face_count, s->row_of);
    renumber(b->hinge, b->system->hinge_count, s->row_of);
    return vo_block_pattern_build(b->ctx, s->row_count, count, (const int(*)[2])pairs, &s->pattern);
}

static vo_result number_rows(vo_system_builder *b) {
    int64_t pair_bound = max_pairs(b);
    if (pair_bound > INT32_MAX / 4)
        return vo_fail(b->ctx, VO_BAD_DATA, "the scene has too many faces (%d) for one system",
                       b->system->face_count);
    size_t bytes = vo_array_bytes((size_t)pair_bound + 1, sizeof(int[2]));
    int(*pairs)[2] = vo_alloc(b->ctx, bytes);
    if (!pairs) return vo_fail_memory(b->ctx, "the system's pattern");
    vo_result result = order_and_build_pattern(b, pairs, list_pairs(b, pairs));
    vo_free(b->ctx, pairs, bytes);
    return result;
}

/* ---- sorting -------------------------------------------------------------------------------- */

static int lowest_row(const vo_system_element *e) {
    int low = e->row[0];
    for (int i = 1; i < 4; i++) low = e->row[i] < low ? e->row[i] : low;
    return low;
}

/* Stable counting sort of the elements by their lowest row. `place` [row_count + 1] and `sorted`
 * [count] are scratch. */
static void sort_elements(vo_system_element *list, int count, int row_count, int *place,
                          vo_system_element *sorted) {
    memset(place, 0, ((size_t)row_count + 1) * sizeof *place);
    for (int i = 0; i < count; i++) place[lowest_row(&list[i]) + 1]++;
    for (int r = 0; r < row_count; r++) place[r + 1] += place[r];
    for (int i = 0; i < count; i++) sorted[place[lowest_row(&list[i])]++] = list[i];
    memcpy(list, sorted, (size_t)count * sizeof *list);
}

static vo_result sort_all_elements(vo_system_builder *b) {
    vo_system *s = b->system;
    size_t max_elements = (size_t)vo_max_int(s->face_count, s->hinge_count) + 1;
    size_t rows = (size_t)s->row_count + 1;
    vo_system_element *sorted = vo_new_array(b->ctx, vo_system_element, max_elements);
    int *place = vo_new_array(b->ctx, int, rows);
    bool ok = sorted && place;
    if (ok) sort_elements(b->face, s->face_count, s->row_count, place, sorted);
    if (ok) sort_elements(b->hinge, s->hinge_count, s->row_count, place, sorted);
    vo_free_array(b->ctx, sorted, max_elements);
    vo_free_array(b->ctx, place, rows);
    return ok ? VO_OK : vo_fail_memory(b->ctx, "building the system");
}

/* ---- masses --------------------------------------------------------------------------------- */

/* Lumped masses: a third of each face's mass to each corner. */
static void set_masses(vo_system_builder *b) {
    vo_system *s = b->system;
    memset(s->mass, 0, (size_t)s->row_count * sizeof *s->mass);
    for (int i = 0; i < b->system->face_count; i++) {
        const vo_system_cloth *cloth = &b->cloth[b->face[i].cloth];
        int face = b->face[i].index;
        const vo_material *m = &cloth->material[cloth->mesh->face_label[face]];
        double mass = vo_mesh_face_area(cloth->mesh, face) * m->fabric->density * m->density_mult;
        for (int k = 0; k < 3; k++) s->mass[b->face[i].row[k]] += mass / 3;
    }
}

void vo_system_number(int cloth_count, vo_system_cloth *cloth) {
    for (int c = 0; c < cloth_count; c++) {
        const vo_system_cloth *before = c ? &cloth[c - 1] : NULL;
        cloth[c].first_node = before ? before->first_node + before->mesh->node_count : 0;
        cloth[c].first_edge = before ? before->first_edge + before->mesh->edge_count : 0;
        cloth[c].first_face = before ? before->first_face + before->mesh->face_count : 0;
    }
}

/* ---- construction --------------------------------------------------------------------------- */

static vo_result allocate_rows(vo_system_builder *b) {
    vo_system *s = b->system;
    s->chunk_count = vo_max_int(0, (s->row_count + VO_CHUNK_ROWS - 1) / VO_CHUNK_ROWS);
    s->row_of = vo_new_array(b->ctx, int, s->row_count);
    s->face_number = vo_new_array(b->ctx, int, s->face_count);
    s->mass = vo_new_array(b->ctx, double, s->row_count);
    s->chunk = vo_alloc_zero(b->ctx, (size_t)s->chunk_count * sizeof *s->chunk);
    bool ok = s->row_of && (s->face_number || !s->face_count) && s->mass && s->chunk;
    return ok ? VO_OK : vo_fail_memory(b->ctx, "the system's rows");
}

static vo_result build(vo_system_builder *b, int *chunk_scratch) {
    vo_system *s = b->system;
    collect_elements(b);
    VO_TRY(number_rows(b));
    VO_TRY(sort_all_elements(b));
    set_masses(b);
    VO_TRY(vo_system_pack_bending(b));
    return vo_system_pack(b, chunk_scratch, chunk_scratch + s->chunk_count);
}

vo_result vo_system_build(vo_context *ctx, int cloth_count, const vo_system_cloth *cloth,
                          int tie_count, const int (*ties)[2], vo_system *out) {
    *out = (vo_system){.ctx = ctx};
    vo_system_builder b = {.ctx = ctx,
                           .cloth_count = cloth_count,
                           .cloth = cloth,
                           .tie_count = tie_count,
                           .ties = ties,
                           .system = out};
    count_elements(&b);
    if (out->row_count == 0) return VO_OK;
    vo_result result = allocate_rows(&b);
    /* One spare element each, so that empty lists have an address. */
    int faces = out->face_count, hinges = out->hinge_count, chunks = out->chunk_count;
    b.face = vo_new_array(ctx, vo_system_element, faces + 1);
    b.hinge = vo_new_array(ctx, vo_system_element, hinges + 1);
    b.hinge_of_edge = vo_new_array(ctx, int, b.edge_count + 1);
    b.block_of_edge = vo_new_array(ctx, int, b.edge_count + 1);
    int *scratch = vo_new_array(ctx, int, 2 * chunks);
    if (result == VO_OK &&
        (!b.face || !b.hinge || !b.hinge_of_edge || !b.block_of_edge || !scratch))
        result = vo_fail_memory(ctx, "building the system");
    if (result == VO_OK) result = build(&b, scratch);
    vo_free_array(ctx, scratch, 2 * chunks);
    vo_free_array(ctx, b.block_of_edge, b.edge_count + 1);
    vo_free_array(ctx, b.hinge_of_edge, b.edge_count + 1);
    vo_free_array(ctx, b.hinge, hinges + 1);
    vo_free_array(ctx, b.face, faces + 1);
    if (result != VO_OK) vo_system_free(out);
    return result;
}

void vo_system_free(vo_system *s) {
    if (!s->ctx) return;
    vo_free_array(s->ctx, s->row_of, s->row_count);
    vo_free_array(s->ctx, s->face_number, s->face_count);
    vo_free_array(s->ctx, s->mass, s->row_count);
    vo_free_array(s->ctx, s->chunk, s->chunk_count);
    vo_free_array(s->ctx, s->face, s->face_packet_count);
    vo_free_array(s->ctx, s->hinge, s->hinge_packet_count);
    vo_free_array(s->ctx, s->angle, s->angle_packet_count);
    vo_free_array(s->ctx, s->bend, s->bend_packet_count);
    vo_block_pattern_free(&s->pattern);
    *s = (vo_system){0};
}

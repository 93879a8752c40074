#include "integrate/system.h"

#include "core/memory.h"
#include "linalg/ordering.h"
#include "material/bend.h"
#include "mesh/patch.h"

#include <string.h>

/* One element before it is packed: up to four rows, sorted views of them, and where it came from.
 */
typedef struct element {
    int row[4];       /* in the element's own order */
    int cloth, index; /* face or edge of which cloth */
} element;

/* What is needed while building and thrown away after. */
typedef struct builder {
    vo_context *ctx;
    int cloth_count;
    const vo_system_cloth *cloth;
    int tie_count;
    element *face, *hinge; /* sorted by their lowest row */
    int *hinge_of_edge;    /* [edges of all cloths] number in the list; hinge_count: no hinge */
    int *block_of_edge;    /* [edges of all cloths] of the pattern, above the diagonal */
    const int (*ties)[2];
    vo_system *system;
    int edge_count;
} builder;

static const unsigned char face_pair[VO_FACE_BLOCKS][2] = VO_FACE_PAIRS;
static const unsigned char hinge_pair[VO_HINGE_BLOCKS][2] = VO_HINGE_PAIRS;

/* ---- collecting the elements ---------------------------------------------------------------- */

static void count_elements(builder *b) {
    for (int c = 0; c < b->cloth_count; c++) {
        const vo_mesh *mesh = b->cloth[c].mesh;
        b->system->row_count += mesh->node_count;
        b->edge_count += mesh->edge_count;
        b->system->face_count += mesh->face_count;
        for (int e = 0; e < mesh->edge_count; e++)
            b->system->hinge_count += mesh->edge_face[e][1] >= 0;
    }
}

static element face_element(const vo_system_cloth *cloth, int c, int f) {
    element e = {.cloth = c, .index = f};
    for (int i = 0; i < 3; i++) e.row[i] = cloth->first_node + vo_mesh_face_node(cloth->mesh, f, i);
    e.row[3] = e.row[0];
    return e;
}

static element hinge_element(const vo_system_cloth *cloth, int c, int edge) {
    const vo_mesh *mesh = cloth->mesh;
    element e = {.cloth = c, .index = edge};
    for (int i = 0; i < 2; i++) {
        e.row[i] = cloth->first_node + mesh->edge_node[edge][i];
        e.row[2 + i] = cloth->first_node + mesh->vert_node[vo_mesh_edge_opposite(mesh, edge, i)];
    }
    return e;
}

/* Rows are still global node numbers here. */
static void collect_elements(builder *b) {
    int face = 0, hinge = 0;
    for (int c = 0; c < b->cloth_count; c++) {
        const vo_mesh *mesh = b->cloth[c].mesh;
        for (int f = 0; f < mesh->face_count; f++)
            b->face[face++] = face_element(&b->cloth[c], c, f);
        for (int e = 0; e < mesh->edge_count; e++)
            if (mesh->edge_face[e][1] >= 0) b->hinge[hinge++] = hinge_element(&b->cloth[c], c, e);
    }
}

/* ---- numbering the rows --------------------------------------------------------------------- */

/* Most pairs there can be: an edge's ends, the nodes opposite it, and the ties. */
static int64_t most_pairs(const builder *b) { return 2 * (int64_t)b->edge_count + b->tie_count; }

/* Every coupled pair once: sides of faces are edges, and so are those of a hinge but for the pair
 * of its opposite nodes. */
static int list_pairs(const builder *b, int (*pairs)[2]) {
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

static void renumber(element *list, int count, const int *row_of) {
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 4; k++) list[i].row[k] = row_of[list[i].row[k]];
}

/* Where the nodes of one cloth lie on the flat fabric, each patch on a floor of its own, so that
 * panels that overlap in material space are not mixed. */
static vo_result place_cloth(const builder *b, const vo_system_cloth *cloth, double floor_height,
                             vo_vec3 *at) {
    const vo_mesh *m = cloth->mesh;
    vo_mesh_data data = {.vert_count = m->vert_count,
                         .vert_u = m->vert_u,
                         .face_count = m->face_count,
                         .face_vert = m->face_vert};
    vo_patches patches;
    VO_TRY(vo_patches_create(b->ctx, &data, NULL, &patches));
    for (int v = m->vert_count - 1; v >= 0; v--) /* so that a node's first vert has the last word */
        at[cloth->first_node + m->vert_node[v]] = v3(
            m->vert_u[v].x, m->vert_u[v].y, floor_height * (cloth->first_node + patches.root[v]));
    vo_patches_free(&patches);
    return VO_OK;
}

static double widest_fabric(const builder *b) {
    double low = 0, high = 0;
    for (int c = 0; c < b->cloth_count; c++)
        for (int v = 0; v < b->cloth[c].mesh->vert_count; v++) {
            vo_vec2 u = b->cloth[c].mesh->vert_u[v];
            low = vo_min(low, vo_min(u.x, u.y));
            high = vo_max(high, vo_max(u.x, u.y));
        }
    return high - low;
}

/* Nodes without a face stay at the origin. */
static vo_result order_rows(builder *b) {
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
static vo_result order_and_build_pattern(builder *b, int (*pairs)[2], int count) {
    vo_system *s = b->system;
    VO_TRY(order_rows(b));
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 2; k++) pairs[i][k] = s->row_of[pairs[i][k]];
    renumber(b->face, b->system->face_count, s->row_of);
    renumber(b->hinge, b->system->hinge_count, s->row_of);
    return vo_block_pattern_build(b->ctx, s->row_count, count, (const int(*)[2])pairs, &s->pattern);
}

static vo_result number_rows(builder *b) {
    int64_t most = most_pairs(b);
    if (most > INT32_MAX / 4)
        return vo_fail(b->ctx, VO_BAD_DATA, "the scene has too many faces (%d) for one system",
                       b->system->face_count);
    size_t bytes = vo_array_bytes((size_t)most + 1, sizeof(int[2]));
    int(*pairs)[2] = vo_alloc(b->ctx, bytes);
    if (!pairs) return vo_fail_memory(b->ctx, "the system's pattern");
    vo_result result = order_and_build_pattern(b, pairs, list_pairs(b, pairs));
    vo_free(b->ctx, pairs, bytes);
    return result;
}

/* ---- chunks --------------------------------------------------------------------------------- */

static int lowest_row(const element *e) {
    int low = e->row[0];
    for (int i = 1; i < 4; i++) low = e->row[i] < low ? e->row[i] : low;
    return low;
}

/* Sorts the elements by their lowest row; those with the same stay in the order they come in.
 * `place` [row_count + 1] and `sorted` [count] are scratch. */
static void sort_elements(element *list, int count, int row_count, int *place, element *sorted) {
    memset(place, 0, ((size_t)row_count + 1) * sizeof *place);
    for (int i = 0; i < count; i++) place[lowest_row(&list[i]) + 1]++;
    for (int r = 0; r < row_count; r++) place[r + 1] += place[r];
    for (int i = 0; i < count; i++) sorted[place[lowest_row(&list[i])]++] = list[i];
    memcpy(list, sorted, (size_t)count * sizeof *list);
}

static vo_result sort_all_elements(builder *b) {
    vo_system *s = b->system;
    size_t most = (size_t)vo_max_int(s->face_count, s->hinge_count) + 1;
    size_t rows = (size_t)s->row_count + 1;
    element *sorted = vo_new_array(b->ctx, element, most);
    int *place = vo_new_array(b->ctx, int, rows);
    bool ok = sorted && place;
    if (ok) sort_elements(b->face, s->face_count, s->row_count, place, sorted);
    if (ok) sort_elements(b->hinge, s->hinge_count, s->row_count, place, sorted);
    vo_free_array(b->ctx, sorted, most);
    vo_free_array(b->ctx, place, rows);
    return ok ? VO_OK : vo_fail_memory(b->ctx, "building the system");
}

/* The different chunks that an element touches, at most four. */
static int touched_chunks(const element *e, int chunk[4]) {
    int count = 0;
    for (int i = 0; i < 4; i++) {
        int c = e->row[i] / VO_CHUNK_ROWS, known = 0;
        for (int k = 0; k < count; k++) known |= chunk[k] == c;
        if (!known) chunk[count++] = c;
    }
    return count;
}

static void count_per_chunk(const element *list, int count, int *per_chunk) {
    for (int i = 0; i < count; i++) {
        int touched[4], n = touched_chunks(&list[i], touched);
        for (int k = 0; k < n; k++) per_chunk[touched[k]]++;
    }
}

static int packets_for(int elements) { return (elements + VO_LANES - 1) / VO_LANES; }

/* Sets the chunks' packet ranges from the element counts; the counts become fill positions. */
static void lay_out_chunks(vo_system *s, int *faces, int *hinges) {
    for (int c = 0; c < s->chunk_count; c++) {
        vo_chunk *chunk = &s->chunk[c];
        chunk->row_begin = c * VO_CHUNK_ROWS;
        chunk->row_end = vo_min_int(chunk->row_begin + VO_CHUNK_ROWS, s->row_count);
        chunk->face_begin = s->face_packet_count;
        chunk->hinge_begin = s->hinge_packet_count;
        chunk->face_end = s->face_packet_count += packets_for(faces[c]);
        chunk->hinge_end = s->hinge_packet_count += packets_for(hinges[c]);
        faces[c] = chunk->face_begin * VO_LANES;
        hinges[c] = chunk->hinge_begin * VO_LANES;
    }
}

/* ---- packing -------------------------------------------------------------------------------- */

static bool owns(const vo_chunk *chunk, int row) {
    return row >= chunk->row_begin && row < chunk->row_end;
}

/* Block of a pair of rows on or above the diagonal. Few blocks of a row are, so they are tried in
 * turn. */
static int find_block(const vo_system *s, int a, int b) {
    int low = vo_min_int(a, b), high = vo_max_int(a, b);
    int k = s->pattern.diagonal[low], end = s->pattern.row_start[low + 1];
    while (k < end && s->pattern.column[k] != high) k++;
    return k < end ? k : -1;
}

/* Elements that share an edge share its block: each is looked for once. */
static void find_edge_blocks(builder *b) {
    for (int c = 0; c < b->cloth_count; c++) {
        const vo_mesh *mesh = b->cloth[c].mesh;
        const int *row_of = b->system->row_of + b->cloth[c].first_node;
        int *block = b->block_of_edge + b->cloth[c].first_edge;
        for (int e = 0; e < mesh->edge_count; e++)
            block[e] =
                find_block(b->system, row_of[mesh->edge_node[e][0]], row_of[mesh->edge_node[e][1]]);
    }
}

/* Blocks of all pairs of an element's nodes. */
typedef struct block_table {
    int of[4][4];
} block_table;

static void set_pair(block_table *t, int i, int j, int block) { t->of[i][j] = t->of[j][i] = block; }

static void find_face_blocks(const builder *b, const element *e, block_table *t) {
    const vo_system_cloth *cloth = &b->cloth[e->cloth];
    const int *block = b->block_of_edge + cloth->first_edge;
    for (int k = 0; k < 3; k++) {
        t->of[k][k] = b->system->pattern.diagonal[e->row[k]];
        set_pair(t, k, k == 2 ? 0 : k + 1, block[cloth->mesh->face_edge[e->index][k]]);
    }
}

/* The two sides that the face beside a hinge adds to it, from the ends of its edge to the node
 * opposite. */
static void find_wing_blocks(const builder *b, const element *e, int wing, block_table *t) {
    const vo_system_cloth *cloth = &b->cloth[e->cloth];
    const vo_mesh *mesh = cloth->mesh;
    const int *block = b->block_of_edge + cloth->first_edge;
    int face = mesh->edge_face[e->index][wing], k = 0;
    while (mesh->face_edge[face][k] != e->index) k++;
    int start = vo_mesh_face_node(mesh, face, k) != mesh->edge_node[e->index][0]; /* end there */
    set_pair(t, 1 - start, 2 + wing, block[mesh->face_edge[face][k == 2 ? 0 : k + 1]]);
    set_pair(t, start, 2 + wing, block[mesh->face_edge[face][k == 0 ? 2 : k - 1]]);
}

static void find_hinge_blocks(const builder *b, const element *e, block_table *t) {
    for (int k = 0; k < 4; k++) t->of[k][k] = b->system->pattern.diagonal[e->row[k]];
    set_pair(t, 0, 1, b->block_of_edge[b->cloth[e->cloth].first_edge + e->index]);
    for (int wing = 0; wing < 2; wing++) find_wing_blocks(b, e, wing, t);
    set_pair(t, 2, 3, find_block(b->system, e->row[2], e->row[3]));
}

/* Block of a pair of nodes, in the order of their rows, if the chunk owns it; else -1. */
static int target_block(const vo_chunk *chunk, const element *e, const block_table *t, int low,
                        int high) {
    return owns(chunk, e->row[low]) ? t->of[low][high] : -1;
}

/* Node positions 0 .. count - 1 ordered by row. */
static void sort_nodes(const int *row, int count, unsigned char *sorted) {
    for (int i = 0; i < count; i++) {
        int k = i;
        for (; k > 0 && row[sorted[k - 1]] > row[i]; k--) sorted[k] = sorted[k - 1];
        sorted[k] = (unsigned char)i;
    }
}

static void pack_face(const builder *b, const vo_chunk *chunk, const element *e,
                      vo_face_packet *packet, int lane) {
    const vo_system_cloth *cloth = &b->cloth[e->cloth];
    packet->number[lane] = (int)(e - b->face);
    const vo_mesh *mesh = cloth->mesh;
    unsigned char sorted[3];
    sort_nodes(e->row, 3, sorted);
    vo_vec2 u[3];
    for (int i = 0; i < 3; i++) {
        packet->row[i][lane] = e->row[sorted[i]];
        u[i] = mesh->vert_u[mesh->face_vert[e->index][sorted[i]]];
    }
    vo_vec2 e1 = v2_sub(u[1], u[0]), e2 = v2_sub(u[2], u[0]);
    vo_mat2 inverse = m2_inverse((vo_mat2){e1.x, e2.x, e1.y, e2.y});
    packet->inverse[0][lane] = inverse.a;
    packet->inverse[1][lane] = inverse.b;
    packet->inverse[2][lane] = inverse.c;
    packet->inverse[3][lane] = inverse.d;
    packet->area[lane] = vo_mesh_face_area(mesh, e->index);
    packet->material[lane] = &cloth->material[mesh->face_label[e->index]];
    block_table table;
    find_face_blocks(b, e, &table);
    for (int k = 0; k < VO_FACE_BLOCKS; k++)
        packet->target[k][lane] =
            target_block(chunk, e, &table, sorted[face_pair[k][0]], sorted[face_pair[k][1]]);
}

/* Number of a face's side (three a face) that is the given edge. */
static int side_of(const builder *b, int cloth, int edge, int which) {
    const vo_mesh *mesh = b->cloth[cloth].mesh;
    int face = mesh->edge_face[edge][which], k = 0;
    while (mesh->face_edge[face][k] != edge) k++;
    return 3 * b->system->face_number[b->cloth[cloth].first_face + face] + k;
}

static void pack_hinge(const builder *b, const vo_chunk *chunk, const element *e,
                       vo_hinge_packet *packet, int lane) {
    unsigned char *sorted = packet->sorted[lane];
    sort_nodes(e->row, 4, sorted);
    for (int i = 0; i < 4; i++) packet->row[i][lane] = e->row[i];
    for (int i = 0; i < 2; i++) packet->side[i][lane] = side_of(b, e->cloth, e->index, i);
    block_table table;
    find_hinge_blocks(b, e, &table);
    for (int k = 0; k < VO_HINGE_BLOCKS; k++)
        packet->target[k][lane] =
            target_block(chunk, e, &table, sorted[hinge_pair[k][0]], sorted[hinge_pair[k][1]]);
}

/* Lanes nobody fills: no area, no targets, rows that exist but that nothing is added to. */
static void clear_packets(vo_system *s, const vo_material *any) {
    for (int i = 0; i < s->face_packet_count; i++)
        for (int lane = 0; lane < VO_LANES; lane++) s->face[i].material[lane] = any;
    for (int i = 0; i < s->face_packet_count; i++)
        memset(s->face[i].target, -1, sizeof s->face[i].target);
    for (int i = 0; i < s->hinge_packet_count; i++)
        memset(s->hinge[i].target, -1, sizeof s->hinge[i].target);
}

/* `place` holds each chunk's next free lane. */
static void pack_faces(builder *b, int *place) {
    for (int i = 0; i < b->system->face_count; i++) {
        int touched[4], n = touched_chunks(&b->face[i], touched);
        for (int k = 0; k < n; k++) {
            int at = place[touched[k]]++;
            pack_face(b, &b->system->chunk[touched[k]], &b->face[i],
                      &b->system->face[at / VO_LANES], at % VO_LANES);
        }
    }
}

static void pack_hinges(builder *b, int *place) {
    for (int i = 0; i < b->system->hinge_count; i++) {
        int touched[4], n = touched_chunks(&b->hinge[i], touched);
        for (int k = 0; k < n; k++) {
            int at = place[touched[k]]++;
            pack_hinge(b, &b->system->chunk[touched[k]], &b->hinge[i],
                       &b->system->hinge[at / VO_LANES], at % VO_LANES);
        }
    }
}

/* ---- bending -------------------------------------------------------------------------------- */

/* Where each edge and face of the meshes stands in the sorted lists. */
static void number_elements(builder *b) {
    for (int i = 0; i < b->edge_count; i++) b->hinge_of_edge[i] = b->system->hinge_count;
    for (int i = 0; i < b->system->hinge_count; i++)
        b->hinge_of_edge[b->cloth[b->hinge[i].cloth].first_edge + b->hinge[i].index] = i;
    for (int i = 0; i < b->system->face_count; i++)
        b->system->face_number[b->cloth[b->face[i].cloth].first_face + b->face[i].index] = i;
}

static void pack_angle(const builder *b, int i) {
    const element *e = &b->hinge[i];
    vo_angle_packet *packet = &b->system->angle[i / VO_LANES];
    for (int k = 0; k < 4; k++) packet->row[k][i % VO_LANES] = e->row[k];
    packet->rest_angle[i % VO_LANES] = b->cloth[e->cloth].mesh->edge_rest_angle[e->index];
}

static void pack_bend(const builder *b, int i) {
    const element *e = &b->face[i];
    const vo_system_cloth *cloth = &b->cloth[e->cloth];
    const vo_mesh *mesh = cloth->mesh;
    vo_bend_packet *packet = &b->system->bend[i / VO_LANES];
    int lane = i % VO_LANES;
    vo_vec2 corner[3];
    for (int k = 0; k < 3; k++) corner[k] = mesh->vert_u[mesh->face_vert[e->index][k]];
    vo_bend_face face = vo_bend_face_make(corner);
    packet->area[lane] = face.area;
    packet->material[lane] = &cloth->material[mesh->face_label[e->index]];
    for (int k = 0; k < 3; k++) {
        packet->hinge[k][lane] = b->hinge_of_edge[cloth->first_edge + mesh->face_edge[e->index][k]];
        for (int c = 0; c < 3; c++) packet->basis[k][c][lane] = face.basis[k][c];
    }
}

static vo_result build_bending(builder *b) {
    vo_system *s = b->system;
    s->angle_packet_count = packets_for(s->hinge_count);
    s->bend_packet_count = packets_for(s->face_count);
    s->angle = vo_alloc_zero(b->ctx, (size_t)s->angle_packet_count * sizeof *s->angle);
    s->bend = vo_alloc_zero(b->ctx, (size_t)s->bend_packet_count * sizeof *s->bend);
    if ((s->angle_packet_count && !s->angle) || (s->bend_packet_count && !s->bend))
        return vo_fail_memory(b->ctx, "the system's hinges");
    number_elements(b);
    for (int i = 0; i < s->bend_packet_count; i++)
        for (int lane = 0; lane < VO_LANES; lane++)
            s->bend[i].material[lane] = b->cloth[0].material;
    for (int i = 0; i < s->hinge_count; i++) pack_angle(b, i);
    for (int i = 0; i < s->face_count; i++) pack_bend(b, i);
    return VO_OK;
}

static vo_result build_packets(builder *b, int *faces, int *hinges) {
    vo_system *s = b->system;
    memset(faces, 0, (size_t)s->chunk_count * sizeof *faces);
    memset(hinges, 0, (size_t)s->chunk_count * sizeof *hinges);
    count_per_chunk(b->face, b->system->face_count, faces);
    count_per_chunk(b->hinge, b->system->hinge_count, hinges);
    lay_out_chunks(s, faces, hinges);
    s->face = vo_alloc_zero(b->ctx, (size_t)s->face_packet_count * sizeof *s->face);
    s->hinge = vo_alloc_zero(b->ctx, (size_t)s->hinge_packet_count * sizeof *s->hinge);
    if ((s->face_packet_count && !s->face) || (s->hinge_packet_count && !s->hinge))
        return vo_fail_memory(b->ctx, "the system's elements");
    clear_packets(s, b->cloth_count ? b->cloth[0].material : NULL);
    find_edge_blocks(b);
    pack_faces(b, faces);
    pack_hinges(b, hinges);
    return VO_OK;
}

/* ---- masses --------------------------------------------------------------------------------- */

/* A third of each face's mass to each corner. */
static void set_masses(builder *b) {
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

/* ---- all of it ------------------------------------------------------------------------------ */

static vo_result allocate_rows(builder *b) {
    vo_system *s = b->system;
    s->chunk_count = vo_max_int(0, (s->row_count + VO_CHUNK_ROWS - 1) / VO_CHUNK_ROWS);
    s->row_of = vo_new_array(b->ctx, int, s->row_count);
    s->face_number = vo_new_array(b->ctx, int, s->face_count);
    s->mass = vo_new_array(b->ctx, double, s->row_count);
    s->chunk = vo_alloc_zero(b->ctx, (size_t)s->chunk_count * sizeof *s->chunk);
    bool ok = s->row_of && (s->face_number || !s->face_count) && s->mass && s->chunk;
    return ok ? VO_OK : vo_fail_memory(b->ctx, "the system's rows");
}

static vo_result build(builder *b, int *chunk_scratch) {
    vo_system *s = b->system;
    collect_elements(b);
    VO_TRY(number_rows(b));
    VO_TRY(sort_all_elements(b));
    set_masses(b);
    VO_TRY(build_bending(b));
    return build_packets(b, chunk_scratch, chunk_scratch + s->chunk_count);
}

vo_result vo_system_build(vo_context *ctx, int cloth_count, const vo_system_cloth *cloth,
                          int tie_count, const int (*ties)[2], vo_system *out) {
    *out = (vo_system){.ctx = ctx};
    builder b = {.ctx = ctx,
                 .cloth_count = cloth_count,
                 .cloth = cloth,
                 .tie_count = tie_count,
                 .ties = ties,
                 .system = out};
    count_elements(&b);
    if (out->row_count == 0) return VO_OK;
    vo_result result = allocate_rows(&b);
    /* One spare element each, so that an empty list still has an address. */
    int faces = out->face_count, hinges = out->hinge_count, chunks = out->chunk_count;
    b.face = vo_new_array(ctx, element, faces + 1);
    b.hinge = vo_new_array(ctx, element, hinges + 1);
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

/* Packs elements into packets of VO_LANES, chunk by chunk, with their target blocks. */
#include "core/memory.h"
#include "integrate/system_local.h"
#include "material/bend.h"

#include <string.h>

static const unsigned char face_pair[VO_FACE_BLOCKS][2] = VO_FACE_PAIRS;
static const unsigned char hinge_pair[VO_HINGE_BLOCKS][2] = VO_HINGE_PAIRS;

/* ---- chunks --------------------------------------------------------------------------------- */

/* Lists the distinct chunks that an element touches, at most four. */
static int touched_chunks(const vo_system_element *e, int chunk[4]) {
    int count = 0;
    for (int i = 0; i < 4; i++) {
        int c = e->row[i] / VO_CHUNK_ROWS, known = 0;
        for (int k = 0; k < count; k++) known |= chunk[k] == c;
        if (!known) chunk[count++] = c;
    }
    return count;
}

static void count_per_chunk(const vo_system_element *list, int count, int *per_chunk) {
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

/* Finds the block of a pair of rows on or above the diagonal by linear search, since a row has few
 * of them. */
static int find_block(const vo_system *s, int a, int b) {
    int low = vo_min_int(a, b), high = vo_max_int(a, b);
    int k = s->pattern.diagonal[low], end = s->pattern.row_start[low + 1];
    while (k < end && s->pattern.column[k] != high) k++;
    return k < end ? k : -1;
}

/* Finds the block of each edge once; elements that share an edge share its block. */
static void find_edge_blocks(vo_system_builder *b) {
    for (int c = 0; c < b->cloth_count; c++) {
        const vo_mesh *mesh = b->cloth[c].mesh;
        const int *row_of = b->system->row_of + b->cloth[c].first_node;
        int *block = b->block_of_edge + b->cloth[c].first_edge;
        for (int e = 0; e < mesh->edge_count; e++)
            block[e] =
                find_block(b->system, row_of[mesh->edge_node[e][0]], row_of[mesh->edge_node[e][1]]);
    }
}

/* Target blocks of all node pairs of an element. */
typedef struct block_table {
    int of[4][4];
} block_table;

static void set_pair(block_table *t, int i, int j, int block) { t->of[i][j] = t->of[j][i] = block; }

static void find_face_blocks(const vo_system_builder *b, const vo_system_element *e,
                             block_table *t) {
    const vo_system_cloth *cloth = &b->cloth[e->cloth];
    const int *block = b->block_of_edge + cloth->first_edge;
    for (int k = 0; k < 3; k++) {
        t->of[k][k] = b->system->pattern.diagonal[e->row[k]];
        set_pair(t, k, k == 2 ? 0 : k + 1, block[cloth->mesh->face_edge[e->index][k]]);
    }
}

/* Finds the blocks of the two sides of a hinge's face that connect the edge to the opposite node.
 */
static void find_side_blocks(const vo_system_builder *b, const vo_system_element *e, int wing,
                             block_table *t) {
    const vo_system_cloth *cloth = &b->cloth[e->cloth];
    const vo_mesh *mesh = cloth->mesh;
    const int *block = b->block_of_edge + cloth->first_edge;
    int face = mesh->edge_face[e->index][wing], k = 0;
    while (mesh->face_edge[face][k] != e->index) k++;
    int start = vo_mesh_face_node(mesh, face, k) !=
                mesh->edge_node[e->index][0]; /* the edge end at this side */
    set_pair(t, 1 - start, 2 + wing, block[mesh->face_edge[face][k == 2 ? 0 : k + 1]]);
    set_pair(t, start, 2 + wing, block[mesh->face_edge[face][k == 0 ? 2 : k - 1]]);
}

static void find_hinge_blocks(const vo_system_builder *b, const vo_system_element *e,
                              block_table *t) {
    for (int k = 0; k < 4; k++) t->of[k][k] = b->system->pattern.diagonal[e->row[k]];
    set_pair(t, 0, 1, b->block_of_edge[b->cloth[e->cloth].first_edge + e->index]);
    for (int wing = 0; wing < 2; wing++) find_side_blocks(b, e, wing, t);
    set_pair(t, 2, 3, find_block(b->system, e->row[2], e->row[3]));
}

/* Returns the block of a pair of nodes if the chunk owns it, else -1. */
static int target_block(const vo_chunk *chunk, const vo_system_element *e, const block_table *t,
                        int low, int high) {
    return owns(chunk, e->row[low]) ? t->of[low][high] : -1;
}

/* Sorts node positions 0 .. count - 1 by row. */
static void sort_nodes(const int *row, int count, unsigned char *sorted) {
    for (int i = 0; i < count; i++) {
        int k = i;
        for (; k > 0 && row[sorted[k - 1]] > row[i]; k--) sorted[k] = sorted[k - 1];
        sorted[k] = (unsigned char)i;
    }
}

static void pack_face(const vo_system_builder *b, const vo_chunk *chunk, const vo_system_element *e,
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

/* Returns the side (3 face + edge) of one of the two faces of an edge. */
static int side_of(const vo_system_builder *b, int cloth, int edge, int which) {
    const vo_mesh *mesh = b->cloth[cloth].mesh;
    int face = mesh->edge_face[edge][which], k = 0;
    while (mesh->face_edge[face][k] != edge) k++;
    return 3 * b->system->face_number[b->cloth[cloth].first_face + face] + k;
}

static void pack_hinge(const vo_system_builder *b, const vo_chunk *chunk,
                       const vo_system_element *e, vo_hinge_packet *packet, int lane) {
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

/* Initialises all lanes as unused: no area, no targets, valid rows. */
static void clear_packets(vo_system *s, const vo_material *any) {
    for (int i = 0; i < s->face_packet_count; i++)
        for (int lane = 0; lane < VO_LANES; lane++) s->face[i].material[lane] = any;
    for (int i = 0; i < s->face_packet_count; i++)
        memset(s->face[i].target, -1, sizeof s->face[i].target);
    for (int i = 0; i < s->hinge_packet_count; i++)
        memset(s->hinge[i].target, -1, sizeof s->hinge[i].target);
}

/* Packs the faces; `place` holds the next free lane per chunk. */
static void pack_faces(vo_system_builder *b, int *place) {
    for (int i = 0; i < b->system->face_count; i++) {
        int touched[4], n = touched_chunks(&b->face[i], touched);
        for (int k = 0; k < n; k++) {
            int at = place[touched[k]]++;
            pack_face(b, &b->system->chunk[touched[k]], &b->face[i],
                      &b->system->face[at / VO_LANES], at % VO_LANES);
        }
    }
}

static void pack_hinges(vo_system_builder *b, int *place) {
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

/* Sets the list index of each edge and face of the meshes. */
static void number_elements(vo_system_builder *b) {
    for (int i = 0; i < b->edge_count; i++) b->hinge_of_edge[i] = b->system->hinge_count;
    for (int i = 0; i < b->system->hinge_count; i++)
        b->hinge_of_edge[b->cloth[b->hinge[i].cloth].first_edge + b->hinge[i].index] = i;
    for (int i = 0; i < b->system->face_count; i++)
        b->system->face_number[b->cloth[b->face[i].cloth].first_face + b->face[i].index] = i;
}

static void pack_angle(const vo_system_builder *b, int i) {
    const vo_system_element *e = &b->hinge[i];
    vo_angle_packet *packet = &b->system->angle[i / VO_LANES];
    for (int k = 0; k < 4; k++) packet->row[k][i % VO_LANES] = e->row[k];
    packet->rest_angle[i % VO_LANES] = b->cloth[e->cloth].mesh->edge_rest_angle[e->index];
}

static void pack_bend(const vo_system_builder *b, int i) {
    const vo_system_element *e = &b->face[i];
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

vo_result vo_system_pack_bending(vo_system_builder *b) {
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

vo_result vo_system_pack(vo_system_builder *b, int *faces, int *hinges) {
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

#include "collide/surface.h"

#include "collide/arrays.h"
#include "core/memory.h"

#include <string.h>

/* Sets the counts and index ranges of all parts. */
static void number_parts(vo_surface *s, const vo_surface_source *source) {
    for (int p = 0; p < s->part_count; p++) {
        const vo_mesh *m = source[p].mesh;
        vo_surface_part *part = &s->part[p];
        *part = (vo_surface_part){
            .node_begin = s->node_count,
            .node_end = s->node_count += m->node_count,
            .edge_begin = s->edge_count,
            .edge_end = s->edge_count += m->edge_count,
            .face_begin = s->face_count,
            .face_end = s->face_count += m->face_count,
            .obstacle = source[p].obstacle,
            .present = true,
            .rigid = source[p].rigid,
            .pose = {xf_identity(), xf_identity()},
        };
        if (part->obstacle) continue;
        s->cloth_node_count = s->node_count;
        s->cloth_face_count = s->face_count;
        s->vert_count += m->vert_count;
    }
}

static bool allocate(vo_surface *s) {
    vo_context *ctx = s->ctx;
    return VO_PADDED_NEW(ctx, s->face, s->face_count) &&
           VO_PADDED_NEW(ctx, s->face_edge, s->face_count) &&
           VO_PADDED_NEW(ctx, s->edge, s->edge_count) &&
           VO_PADDED_NEW(ctx, s->node_part, s->node_count) &&
           VO_PADDED_NEW(ctx, s->face_part, s->face_count) &&
           VO_PADDED_NEW(ctx, s->owns, s->face_count) &&
           VO_PADDED_NEW(ctx, s->max_self_thickness, s->node_count) &&
           VO_PADDED_NEW(ctx, s->x0, s->node_count) && VO_PADDED_NEW(ctx, s->x1, s->node_count) &&
           VO_PADDED_NEW(ctx, s->inverse_mass, s->node_count) &&
           VO_PADDED_NEW(ctx, s->ring_begin, s->node_count) &&
           VO_PADDED_NEW(ctx, s->ring, 2 * s->edge_count) &&
           VO_PADDED_NEW(ctx, s->edge_opposite, s->edge_count) &&
           VO_PADDED_NEW(ctx, s->area, s->node_count) &&
           VO_PADDED_NEW(ctx, s->vert_u, s->vert_count) &&
           VO_PADDED_NEW(ctx, s->face_vert, s->cloth_face_count);
}

/* Copies nodes, edges and faces of one part. Edges keep their direction. */
static void copy_part(vo_surface *s, int p, const vo_mesh *m) {
    const vo_surface_part *part = &s->part[p];
    int n0 = part->node_begin, e0 = part->edge_begin, f0 = part->face_begin;
    for (int i = 0; i < m->node_count; i++) {
        s->node_part[n0 + i] = p;
        s->x0[n0 + i] = s->x1[n0 + i] = m->node_x[i];
        s->inverse_mass[n0 + i] = s->area[n0 + i] = 0;
        s->max_self_thickness[n0 + i] = INFINITY;
    }
    for (int e = 0; e < m->edge_count; e++)
        for (int k = 0; k < 2; k++) s->edge[e0 + e][k] = n0 + m->edge_node[e][k];
    for (int f = 0; f < m->face_count; f++) {
        s->face_part[f0 + f] = p;
        for (int k = 0; k < 3; k++) {
            s->face[f0 + f][k] = n0 + vo_mesh_face_node(m, f, k);
            s->face_edge[f0 + f][k] = e0 + m->face_edge[f][k];
        }
    }
}

/* Copies the material space of a cloth, whose verts start at `v0`. */
static void copy_material(vo_surface *s, int p, const vo_mesh *m, int v0) {
    for (int v = 0; v < m->vert_count; v++) s->vert_u[v0 + v] = m->vert_u[v];
    for (int f = 0; f < m->face_count; f++)
        for (int k = 0; k < 3; k++)
            s->face_vert[s->part[p].face_begin + f][k] = v0 + m->face_vert[f][k];
}

/* Computes node areas and max_self_thickness of a cloth, in material space. */
static void measure_cloth(vo_surface *s, const vo_surface_part *part) {
    for (int f = part->face_begin; f < part->face_end; f++) {
        vo_vec2 u[3];
        for (int k = 0; k < 3; k++) u[k] = s->vert_u[s->face_vert[f][k]];
        double area = fabs(v2_cross(v2_sub(u[1], u[0]), v2_sub(u[2], u[0]))) / 2, longest = 0;
        for (int k = 0; k < 3; k++)
            longest = vo_max(longest, v2_length(v2_sub(u[(k + 1) % 3], u[k])));
        double half_height = longest > 0 ? area / longest : 0;
        for (int k = 0; k < 3; k++) {
            int n = s->face[f][k];
            s->area[n] += area / 3;
            s->max_self_thickness[n] = vo_min(s->max_self_thickness[n], half_height);
        }
    }
}

static void measure_obstacle(vo_surface *s, const vo_surface_part *part) {
    for (int f = part->face_begin; f < part->face_end; f++) {
        const int *n = s->face[f];
        vo_vec3 a = s->x0[n[0]], b = v3_sub(s->x0[n[1]], a), c = v3_sub(s->x0[n[2]], a);
        double area = v3_length(v3_cross(b, c)) / 2;
        for (int k = 0; k < 3; k++) s->area[n[k]] += area / 3;
    }
}

/* Lists the neighbours of obstacle nodes, by counting sort. */
static void find_rings(vo_surface *s) {
    int *begin = s->ring_begin, first = s->cloth_node_count;
    for (int e = 0; e < s->edge_count; e++)
        for (int k = 0; k < 2; k++)
            if (s->edge[e][k] >= first) begin[s->edge[e][k] + 2]++;
    for (int n = 0; n < s->node_count; n++) begin[n + 2] += begin[n + 1];
    for (int e = 0; e < s->edge_count; e++)
        for (int k = 0; k < 2; k++)
            if (s->edge[e][k] >= first) {
                int *place = s->ring[begin[s->edge[e][k] + 1]++];
                place[0] = s->edge[e][1 - k];
                place[1] = e;
            }
}

/* Finds the opposite nodes of the faces at obstacle edges. */
static void find_edge_opposites(vo_surface *s) {
    for (int f = s->cloth_face_count; f < s->face_count; f++)
        for (int k = 0; k < 3; k++) {
            int *opposite = s->edge_opposite[s->face_edge[f][k]];
            opposite[opposite[0] >= 0] = s->face[f][(k + 2) % 3];
        }
}

/* ---- copies of obstacle data ---------------------------------------------------------------- */

/* to[i] = from[i] + shift, except for negative values. */
static void shift_copy(int count, const int *from, int shift, int *to) {
    for (int i = 0; i < count; i++) to[i] = from[i] < 0 ? from[i] : from[i] + shift;
}

/* Index offsets of the obstacles. */
typedef struct shifts {
    int part, node, edge, face;
} shifts;

/* Returns the first indices of the obstacles. */
static shifts obstacles_begin(const vo_surface *s) {
    int p = vo_surface_first_obstacle(s);
    bool any = p < s->part_count;
    return (shifts){p, s->cloth_node_count, any ? s->part[p].edge_begin : s->edge_count,
                    s->cloth_face_count};
}

static void copy_obstacle_nodes(vo_surface *s, const vo_surface *b, shifts at, shifts previous) {
    int count = s->node_count - at.node, part = at.part - previous.part;
    shift_copy(count, b->node_part + previous.node, part, s->node_part + at.node);
    memcpy(s->area + at.node, b->area + previous.node, (size_t)count * sizeof *s->area);
    memcpy(s->ring_begin + at.node, b->ring_begin + previous.node,
           (size_t)(count + 1) * sizeof *s->ring_begin);
    for (int i = at.node; i < s->node_count; i++) s->max_self_thickness[i] = INFINITY;
}

static void copy_obstacle_edges(vo_surface *s, const vo_surface *b, shifts at, shifts previous) {
    int count = s->edge_count - at.edge, node = at.node - previous.node,
        edge = at.edge - previous.edge;
    shift_copy(2 * count, b->edge[previous.edge], node, s->edge[at.edge]);
    shift_copy(2 * count, b->edge_opposite[previous.edge], node, s->edge_opposite[at.edge]);
    for (int i = 0; i < 2 * count; i++) {
        s->ring[i][0] = b->ring[i][0] + node;
        s->ring[i][1] = b->ring[i][1] + edge;
    }
}

static void copy_obstacle_faces(vo_surface *s, const vo_surface *b, shifts at, shifts previous) {
    int count = s->face_count - at.face;
    shift_copy(count, b->face_part + previous.face, at.part - previous.part,
               s->face_part + at.face);
    shift_copy(3 * count, b->face[previous.face], at.node - previous.node, s->face[at.face]);
    shift_copy(3 * count, b->face_edge[previous.face], at.edge - previous.edge,
               s->face_edge[at.face]);
    memcpy(s->owns + at.face, b->owns + previous.face, (size_t)count);
}

/* Copies the obstacle data of another surface with the same obstacles. */
static void copy_obstacles(vo_surface *s, const vo_surface *before,
                           const vo_surface_source *source) {
    shifts at = obstacles_begin(s), previous = obstacles_begin(before);
    copy_obstacle_nodes(s, before, at, previous);
    copy_obstacle_edges(s, before, at, previous);
    copy_obstacle_faces(s, before, at, previous);
    for (int p = at.part; p < s->part_count; p++) {
        size_t bytes = (size_t)source[p].mesh->node_count * sizeof *s->x0;
        if (bytes) memcpy(s->x0 + s->part[p].node_begin, source[p].mesh->node_x, bytes);
        if (bytes) memcpy(s->x1 + s->part[p].node_begin, source[p].mesh->node_x, bytes);
    }
}

/* Returns true if another surface may have the same obstacles. */
static bool has_obstacles_of(const vo_surface *s, const vo_surface *before) {
    if (!before) return false;
    shifts at = obstacles_begin(s), previous = obstacles_begin(before);
    return s->part_count - at.part == before->part_count - previous.part &&
           s->node_count - at.node == before->node_count - previous.node &&
           s->edge_count - at.edge == before->edge_count - previous.edge &&
           s->face_count - at.face == before->face_count - previous.face;
}

/* ---- entry point ---------------------------------------------------------------------------- */

/* Returns `bit` for the first claim of an element, 0 for later ones. */
static unsigned claim(unsigned char *claimed, int element, unsigned bit) {
    bool first = !claimed[element];
    claimed[element] = 1;
    return first ? bit : 0;
}

/* Assigns each node and each edge to the first of the first `faces` faces that contains it. */
static vo_result find_owners(vo_surface *s, int faces) {
    size_t bytes = (size_t)s->node_count + (size_t)s->edge_count + 1;
    unsigned char *claimed = vo_alloc_zero(s->ctx, bytes);
    if (!claimed) return vo_fail_memory(s->ctx, "the surface");
    for (int f = 0; f < faces; f++) {
        unsigned bits = 0;
        for (int k = 0; k < 3; k++) {
            bits |= claim(claimed, s->face[f][k], (unsigned)VO_OWNS_NODE << k);
            bits |= claim(claimed + s->node_count, s->face_edge[f][k], (unsigned)VO_OWNS_EDGE << k);
        }
        s->owns[f] = (unsigned char)bits;
    }
    vo_free(s->ctx, claimed, bytes);
    return VO_OK;
}

static void fill_cloths(vo_surface *s, const vo_surface_source *source) {
    int vert = 0;
    for (int p = 0; p < vo_surface_first_obstacle(s); p++) {
        copy_part(s, p, source[p].mesh);
        copy_material(s, p, source[p].mesh, vert);
        vert += source[p].mesh->vert_count;
        measure_cloth(s, &s->part[p]);
    }
}

static void fill_obstacles(vo_surface *s, const vo_surface_source *source) {
    for (int p = vo_surface_first_obstacle(s); p < s->part_count; p++) {
        copy_part(s, p, source[p].mesh);
        measure_obstacle(s, &s->part[p]);
    }
    find_rings(s);
    find_edge_opposites(s);
}

static vo_result fill(vo_surface *s, const vo_surface_source *source, const vo_surface *before) {
    fill_cloths(s, source);
    for (int e = 0; e < s->edge_count; e++) s->edge_opposite[e][0] = s->edge_opposite[e][1] = -1;
    if (has_obstacles_of(s, before)) {
        copy_obstacles(s, before, source);
        return find_owners(s, s->cloth_face_count);
    }
    fill_obstacles(s, source);
    return find_owners(s, s->face_count);
}

vo_result vo_surface_create(vo_context *ctx, int count, const vo_surface_source *source,
                            const vo_surface *before, vo_surface *out) {
    *out = (vo_surface){.ctx = ctx};
    for (int p = 1; p < count; p++) VO_REQUIRE(ctx, source[p].obstacle || !source[p - 1].obstacle);
    if (!VO_PADDED_NEW(ctx, out->part, count)) return vo_fail_memory(ctx, "the surface");
    out->part_count = count;
    number_parts(out, source);
    vo_result result =
        allocate(out) ? fill(out, source, before) : vo_fail_memory(ctx, "the surface");
    if (result != VO_OK) vo_surface_free(out);
    return result;
}

void vo_surface_free(vo_surface *s) {
    vo_context *ctx = s->ctx;
    VO_PADDED_FREE(ctx, s->part, s->part_count);
    VO_PADDED_FREE(ctx, s->face, s->face_count);
    VO_PADDED_FREE(ctx, s->face_edge, s->face_count);
    VO_PADDED_FREE(ctx, s->edge, s->edge_count);
    VO_PADDED_FREE(ctx, s->node_part, s->node_count);
    VO_PADDED_FREE(ctx, s->face_part, s->face_count);
    VO_PADDED_FREE(ctx, s->owns, s->face_count);
    VO_PADDED_FREE(ctx, s->max_self_thickness, s->node_count);
    VO_PADDED_FREE(ctx, s->x0, s->node_count);
    VO_PADDED_FREE(ctx, s->x1, s->node_count);
    VO_PADDED_FREE(ctx, s->inverse_mass, s->node_count);
    VO_PADDED_FREE(ctx, s->ring_begin, s->node_count);
    VO_PADDED_FREE(ctx, s->ring, 2 * s->edge_count);
    VO_PADDED_FREE(ctx, s->edge_opposite, s->edge_count);
    VO_PADDED_FREE(ctx, s->area, s->node_count);
    VO_PADDED_FREE(ctx, s->vert_u, s->vert_count);
    VO_PADDED_FREE(ctx, s->face_vert, s->cloth_face_count);
    *s = (vo_surface){0};
}

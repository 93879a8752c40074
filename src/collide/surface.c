#include "collide/surface.h"

#include "collide/arrays.h"
#include "core/memory.h"

#include <string.h>

/* Counts and ranges of all parts. */
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
           VO_PADDED_NEW(ctx, s->reach, s->node_count) &&
           VO_PADDED_NEW(ctx, s->x0, s->node_count) && VO_PADDED_NEW(ctx, s->x1, s->node_count) &&
           VO_PADDED_NEW(ctx, s->inverse_mass, s->node_count) &&
           VO_PADDED_NEW(ctx, s->ring_begin, s->node_count) &&
           VO_PADDED_NEW(ctx, s->ring, 2 * s->edge_count) &&
           VO_PADDED_NEW(ctx, s->wing, s->edge_count) &&
           VO_PADDED_NEW(ctx, s->area, s->node_count) &&
           VO_PADDED_NEW(ctx, s->vert_u, s->vert_count) &&
           VO_PADDED_NEW(ctx, s->face_vert, s->cloth_face_count);
}

/* Nodes, edges and faces of one part. Edges run as in the mesh. */
static void copy_part(vo_surface *s, int p, const vo_mesh *m) {
    const vo_surface_part *part = &s->part[p];
    int n0 = part->node_begin, e0 = part->edge_begin, f0 = part->face_begin;
    for (int i = 0; i < m->node_count; i++) {
        s->node_part[n0 + i] = p;
        s->x0[n0 + i] = s->x1[n0 + i] = m->node_x[i];
        s->inverse_mass[n0 + i] = s->area[n0 + i] = 0;
        s->reach[n0 + i] = INFINITY;
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

/* Material space of a cloth, whose verts start at `v0`. */
static void copy_material(vo_surface *s, int p, const vo_mesh *m, int v0) {
    for (int v = 0; v < m->vert_count; v++) s->vert_u[v0 + v] = m->vert_u[v];
    for (int f = 0; f < m->face_count; f++)
        for (int k = 0; k < 3; k++)
            s->face_vert[s->part[p].face_begin + f][k] = v0 + m->face_vert[f][k];
}

/* Area and reach of the nodes of a cloth, in material space. */
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
            s->reach[n] = vo_min(s->reach[n], half_height);
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

/* Neighbours of the obstacles' nodes, by counting and filling. */
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

/* The third nodes of the faces beside the obstacles' edges. */
static void find_wings(vo_surface *s) {
    for (int f = s->cloth_face_count; f < s->face_count; f++)
        for (int k = 0; k < 3; k++) {
            int *wing = s->wing[s->face_edge[f][k]];
            wing[wing[0] >= 0] = s->face[f][(k + 2) % 3];
        }
}

/* ---- obstacles as they were ----------------------------------------------------------------- */

/* to[i] = from[i] + shift, but for what is not there. */
static void shift_copy(int count, const int *from, int shift, int *to) {
    for (int i = 0; i < count; i++) to[i] = from[i] < 0 ? from[i] : from[i] + shift;
}

/* How far obstacles lie further on than they did. */
typedef struct shifts {
    int part, node, edge, face;
} shifts;

/* Where the obstacles begin. */
static shifts obstacles_begin(const vo_surface *s) {
    int p = vo_surface_first_obstacle(s);
    bool any = p < s->part_count;
    return (shifts){p, s->cloth_node_count, any ? s->part[p].edge_begin : s->edge_count,
                    s->cloth_face_count};
}

static void copy_obstacle_nodes(vo_surface *s, const vo_surface *b, shifts at, shifts was) {
    int count = s->node_count - at.node, part = at.part - was.part;
    shift_copy(count, b->node_part + was.node, part, s->node_part + at.node);
    memcpy(s->area + at.node, b->area + was.node, (size_t)count * sizeof *s->area);
    memcpy(s->ring_begin + at.node, b->ring_begin + was.node,
           (size_t)(count + 1) * sizeof *s->ring_begin);
    for (int i = at.node; i < s->node_count; i++) s->reach[i] = INFINITY;
}

static void copy_obstacle_edges(vo_surface *s, const vo_surface *b, shifts at, shifts was) {
    int count = s->edge_count - at.edge, node = at.node - was.node, edge = at.edge - was.edge;
    shift_copy(2 * count, b->edge[was.edge], node, s->edge[at.edge]);
    shift_copy(2 * count, b->wing[was.edge], node, s->wing[at.edge]);
    for (int i = 0; i < 2 * count; i++) {
        s->ring[i][0] = b->ring[i][0] + node;
        s->ring[i][1] = b->ring[i][1] + edge;
    }
}

static void copy_obstacle_faces(vo_surface *s, const vo_surface *b, shifts at, shifts was) {
    int count = s->face_count - at.face;
    shift_copy(count, b->face_part + was.face, at.part - was.part, s->face_part + at.face);
    shift_copy(3 * count, b->face[was.face], at.node - was.node, s->face[at.face]);
    shift_copy(3 * count, b->face_edge[was.face], at.edge - was.edge, s->face_edge[at.face]);
    memcpy(s->owns + at.face, b->owns + was.face, (size_t)count);
}

/* All that another surface has of the same obstacles. */
static void copy_obstacles(vo_surface *s, const vo_surface *before,
                           const vo_surface_source *source) {
    shifts at = obstacles_begin(s), was = obstacles_begin(before);
    copy_obstacle_nodes(s, before, at, was);
    copy_obstacle_edges(s, before, at, was);
    copy_obstacle_faces(s, before, at, was);
    for (int p = at.part; p < s->part_count; p++) {
        size_t bytes = (size_t)source[p].mesh->node_count * sizeof *s->x0;
        if (bytes) memcpy(s->x0 + s->part[p].node_begin, source[p].mesh->node_x, bytes);
        if (bytes) memcpy(s->x1 + s->part[p].node_begin, source[p].mesh->node_x, bytes);
    }
}

/* Whether another surface can have the same obstacles. */
static bool has_obstacles_of(const vo_surface *s, const vo_surface *before) {
    if (!before) return false;
    shifts at = obstacles_begin(s), was = obstacles_begin(before);
    return s->part_count - at.part == before->part_count - was.part &&
           s->node_count - at.node == before->node_count - was.node &&
           s->edge_count - at.edge == before->edge_count - was.edge &&
           s->face_count - at.face == before->face_count - was.face;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* `bit` for the first that asks for an element, 0 for all others. */
static unsigned claim(unsigned char *taken, int element, unsigned bit) {
    bool first = !taken[element];
    taken[element] = 1;
    return first ? bit : 0;
}

/* Each node and each edge belongs to the first face that has it; of the first `faces`. */
static vo_result find_owners(vo_surface *s, int faces) {
    size_t bytes = (size_t)s->node_count + (size_t)s->edge_count + 1;
    unsigned char *taken = vo_alloc_zero(s->ctx, bytes);
    if (!taken) return vo_fail_memory(s->ctx, "the surface");
    for (int f = 0; f < faces; f++) {
        unsigned bits = 0;
        for (int k = 0; k < 3; k++) {
            bits |= claim(taken, s->face[f][k], (unsigned)VO_OWNS_NODE << k);
            bits |= claim(taken + s->node_count, s->face_edge[f][k], (unsigned)VO_OWNS_EDGE << k);
        }
        s->owns[f] = (unsigned char)bits;
    }
    vo_free(s->ctx, taken, bytes);
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
    find_wings(s);
}

static vo_result fill(vo_surface *s, const vo_surface_source *source, const vo_surface *before) {
    fill_cloths(s, source);
    for (int e = 0; e < s->edge_count; e++) s->wing[e][0] = s->wing[e][1] = -1;
    if (has_obstacles_of(s, before)) {
        copy_obstacles(s, before, source);
        return find_owners(s, s->cloth_face_count);
    }
    fill_obstacles(s, source);
    return find_owners(s, s->face_count);
}

vo_result vo_surface_follow(vo_context *ctx, int count, const vo_surface_source *source,
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

vo_result vo_surface_create(vo_context *ctx, int count, const vo_surface_source *source,
                            vo_surface *out) {
    return vo_surface_follow(ctx, count, source, NULL, out);
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
    VO_PADDED_FREE(ctx, s->reach, s->node_count);
    VO_PADDED_FREE(ctx, s->x0, s->node_count);
    VO_PADDED_FREE(ctx, s->x1, s->node_count);
    VO_PADDED_FREE(ctx, s->inverse_mass, s->node_count);
    VO_PADDED_FREE(ctx, s->ring_begin, s->node_count);
    VO_PADDED_FREE(ctx, s->ring, 2 * s->edge_count);
    VO_PADDED_FREE(ctx, s->wing, s->edge_count);
    VO_PADDED_FREE(ctx, s->area, s->node_count);
    VO_PADDED_FREE(ctx, s->vert_u, s->vert_count);
    VO_PADDED_FREE(ctx, s->face_vert, s->cloth_face_count);
    *s = (vo_surface){0};
}

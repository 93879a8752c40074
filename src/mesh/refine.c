#include "mesh/refine.h"

#include "core/memory.h"
#include "mesh/data.h"
#include "mesh/validate.h"

#include <string.h>

enum { MOST_FACES = 4000000, MAX_LEVELS = 32 };

/* Working data of one subdivision level. */
typedef struct refiner {
    vo_context *ctx;
    const vo_mesh *mesh;
    vo_mesh_data data;
    int (*middle)[2]; /* [edges] the new vert in each of the two faces */
} refiner;

/* Mean length of the sides of all faces in material space, m. */
static double mean_side(const vo_mesh *m) {
    double sum = 0;
    for (int f = 0; f < m->face_count; f++)
        for (int i = 0; i < 3; i++) {
            vo_vec2 a = m->vert_u[m->face_vert[f][i]], b = m->vert_u[m->face_vert[f][(i + 1) % 3]];
            sum += v2_length(v2_sub(b, a));
        }
    return m->face_count ? sum / (3.0 * m->face_count) : 0;
}

int vo_mesh_refine_levels(const vo_mesh *m, double edge_length) {
    double mean = mean_side(m);
    int levels = 0;
    while (levels < MAX_LEVELS && mean > sqrt(2) * edge_length) {
        mean /= 2;
        levels++;
    }
    return levels;
}

static vo_vec3 middle3(vo_vec3 a, vo_vec3 b) { return v3_scale(0.5, v3_add(a, b)); }

static vo_result fill_nodes(refiner *r) {
    const vo_mesh *m = r->mesh;
    vo_mesh_data *d = &r->data;
    d->node_count = m->node_count + m->edge_count;
    if (!vo_mesh_data_reserve_nodes(r->ctx, d, d->node_count) ||
        (m->node_y && !vo_mesh_data_enable_embedding(r->ctx, d)))
        return vo_fail_memory(r->ctx, "a finer mesh");
    memcpy(d->node_x, m->node_x, (size_t)m->node_count * sizeof *m->node_x);
    memcpy(d->node_v, m->node_v, (size_t)m->node_count * sizeof *m->node_v);
    memcpy(d->node_label, m->node_label, (size_t)m->node_count * sizeof *m->node_label);
    if (m->node_y) memcpy(d->node_y, m->node_y, (size_t)m->node_count * sizeof *m->node_y);
    for (int e = 0; e < m->edge_count; e++) {
        int a = m->edge_node[e][0], b = m->edge_node[e][1], n = m->node_count + e;
        bool same = m->edge_face[e][1] < 0 && m->node_label[a] == m->node_label[b];
        d->node_x[n] = middle3(m->node_x[a], m->node_x[b]);
        d->node_v[n] = middle3(m->node_v[a], m->node_v[b]);
        d->node_label[n] = same ? m->node_label[a] : 0;
        if (m->node_y) d->node_y[n] = middle3(m->node_y[a], m->node_y[b]);
    }
    return VO_OK;
}

/* True if the faces on both sides of an edge share both of its verts. */
static bool is_smooth(const vo_mesh *m, int edge) {
    int one[2], other[2];
    if (m->edge_face[edge][1] < 0) return true;
    vo_mesh_edge_verts(m, edge, 0, one);
    vo_mesh_edge_verts(m, edge, 1, other);
    return one[0] == other[0] && one[1] == other[1];
}

static int add_vert(refiner *r, int edge, int side) {
    const vo_mesh *m = r->mesh;
    vo_mesh_data *d = &r->data;
    int end[2], v = d->vert_count++;
    vo_mesh_edge_verts(m, edge, side, end);
    d->vert_u[v] = v2_scale(0.5, v2_add(m->vert_u[end[0]], m->vert_u[end[1]]));
    d->vert_node[v] = m->node_count + edge;
    d->vert_label[v] = m->vert_label[end[0]] == m->vert_label[end[1]] ? m->vert_label[end[0]] : 0;
    return v;
}

static vo_result fill_verts(refiner *r) {
    const vo_mesh *m = r->mesh;
    vo_mesh_data *d = &r->data;
    r->middle = vo_alloc(r->ctx, vo_array_bytes((size_t)m->edge_count, sizeof *r->middle));
    if (!r->middle || !vo_mesh_data_reserve_verts(r->ctx, d, m->vert_count + 2 * m->edge_count))
        return vo_fail_memory(r->ctx, "a finer mesh");
    memcpy(d->vert_u, m->vert_u, (size_t)m->vert_count * sizeof *m->vert_u);
    memcpy(d->vert_node, m->vert_node, (size_t)m->vert_count * sizeof *m->vert_node);
    memcpy(d->vert_label, m->vert_label, (size_t)m->vert_count * sizeof *m->vert_label);
    d->vert_count = m->vert_count;
    for (int e = 0; e < m->edge_count; e++) {
        r->middle[e][0] = add_vert(r, e, 0);
        r->middle[e][1] = is_smooth(m, e) ? r->middle[e][0] : add_vert(r, e, 1);
    }
    return VO_OK;
}

/* Creates the four parts of a face: one at each corner, and the middle one. */
static void cut_face(refiner *r, int f) {
    const vo_mesh *m = r->mesh;
    const int *v = m->face_vert[f];
    int mid[3];
    for (int i = 0; i < 3; i++) {
        int e = m->face_edge[f][i];
        mid[i] = r->middle[e][m->edge_face[e][0] == f ? 0 : 1];
    }
    int piece[4][3] = {{v[0], mid[0], mid[2]},
                       {mid[0], v[1], mid[1]},
                       {mid[2], mid[1], v[2]},
                       {mid[0], mid[1], mid[2]}};
    memcpy(r->data.face_vert[4 * f], piece, sizeof piece);
}

static vo_result fill_faces(refiner *r) {
    const vo_mesh *m = r->mesh;
    vo_mesh_data *d = &r->data;
    d->face_count = 4 * m->face_count;
    if (!vo_mesh_data_reserve_faces(r->ctx, d, d->face_count) ||
        (m->face_curvature && !vo_mesh_data_enable_curvature(r->ctx, d)))
        return vo_fail_memory(r->ctx, "a finer mesh");
    for (int f = 0; f < m->face_count; f++) cut_face(r, f);
    for (int f = 0; f < d->face_count; f++) {
        d->face_label[f] = m->face_label[f / 4];
        d->face_damage[f] = m->face_damage[f / 4];
        if (m->face_curvature)
            memcpy(d->face_curvature[f], m->face_curvature[f / 4], sizeof *d->face_curvature);
    }
    return VO_OK;
}

static bool is_plain_edge(const vo_mesh *m, int e) {
    return m->edge_rest_angle[e] == 0 && m->edge_label[e] == 0 && m->edge_damage[e] == 0;
}

/* Lists both halves of the edges that have properties. */
static vo_result fill_edges(refiner *r) {
    const vo_mesh *m = r->mesh;
    vo_mesh_data *d = &r->data;
    int special = 0;
    for (int e = 0; e < m->edge_count; e++) special += !is_plain_edge(m, e);
    if (special && !vo_mesh_data_reserve_edges(r->ctx, d, 2 * special))
        return vo_fail_memory(r->ctx, "a finer mesh");
    for (int e = 0; e < m->edge_count; e++) {
        if (is_plain_edge(m, e)) continue;
        for (int half = 0; half < 2; half++) {
            int k = d->edge_count++;
            d->edge_node[k][0] = m->edge_node[e][half];
            d->edge_node[k][1] = m->node_count + e;
            d->edge_rest_angle[k] = m->edge_rest_angle[e];
            d->edge_label[k] = m->edge_label[e];
            d->edge_damage[k] = m->edge_damage[e];
        }
    }
    return VO_OK;
}

static vo_result turn_once(refiner *r, vo_mesh **out) {
    VO_TRY(fill_nodes(r));
    VO_TRY(fill_verts(r));
    VO_TRY(fill_faces(r));
    VO_TRY(fill_edges(r));
    VO_TRY(vo_mesh_build(r->ctx, &r->data, out));
    (*out)->use = r->mesh->use;
    return VO_OK;
}

static vo_result check_levels(const vo_mesh *m, int levels) {
    double pieces = pow(4, levels);
    if (m->face_count * pieces > MOST_FACES)
        return vo_fail(m->ctx, VO_BAD_ARGUMENT, "the refined mesh would have more than %d faces",
                       MOST_FACES);
    for (int f = 0; f < m->face_count; f++)
        if (!(vo_mesh_face_area(m, f) / pieces > VO_MESH_MIN_AREA))
            return vo_fail(m->ctx, VO_BAD_ARGUMENT, "the pieces of face %d would have no area", f);
    return VO_OK;
}

vo_result vo_mesh_refine(vo_mesh **mesh, int levels) {
    VO_TRY(check_levels(*mesh, levels));
    vo_mesh *fine = *mesh;
    vo_result result = VO_OK;
    for (int i = 0; i < levels && result == VO_OK; i++) {
        refiner r = {.ctx = fine->ctx, .mesh = fine};
        vo_mesh *next = NULL;
        result = turn_once(&r, &next);
        vo_mesh_data_free(r.ctx, &r.data);
        vo_free_array(r.ctx, r.middle, fine->edge_count);
        if (fine != *mesh) vo_mesh_destroy(fine);
        fine = next;
    }
    if (result != VO_OK) return result;
    if (fine != *mesh) vo_mesh_destroy(*mesh);
    *mesh = fine;
    return VO_OK;
}

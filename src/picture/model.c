#include "picture/model.h"

#include "core/memory.h"

#include <limits.h>

/* Cosines of the angle between faces from which an edge is sharp: 46 degrees for obstacles, 90 for
 * bodies, whose skin is round even where an elbow has few faces. */
static const double SHARP_COS = 0.7, BODY_SHARP_COS = 0;

void vo_model_clear(vo_model *m) {
    m->node_count = m->normal_count = m->vert_count = m->face_count = 0;
}

void vo_model_free(vo_model *m) {
    vo_free_array(m->ctx, m->x, m->node_capacity);
    vo_free_array(m->ctx, m->normal, m->normal_capacity);
    vo_free_array(m->ctx, m->u, m->vert_capacity);
    vo_free_array(m->ctx, m->face, m->face_capacity);
    *m = (vo_model){.ctx = m->ctx};
}

bool vo_model_reserve(vo_model *m, const vo_model_size *more) {
    const int limit = INT_MAX / 4;
    if (more->nodes > limit - m->node_count || more->normals > limit - m->normal_count ||
        more->verts > limit - m->vert_count || more->faces > limit - m->face_count)
        return false;
    vo_context *ctx = m->ctx;
    return vo_reserve(ctx, &m->x, &m->node_capacity, m->node_count + (int)more->nodes + 2) &&
           vo_reserve(ctx, &m->normal, &m->normal_capacity, m->normal_count + (int)more->normals) &&
           vo_reserve(ctx, &m->u, &m->vert_capacity, m->vert_count + (int)more->verts) &&
           vo_reserve(ctx, &m->face, &m->face_capacity, m->face_count + (int)more->faces);
}

void vo_model_grow(vo_model *m, const vo_model_size *more) {
    m->node_count += (int)more->nodes;
    m->normal_count += (int)more->normals;
    m->vert_count += (int)more->verts;
    m->face_count += (int)more->faces;
}

/* Faces around each node in CSR layout: those of node i are face[start[i]] to face[start[i + 1] -
 * 1]. */
typedef struct node_faces {
    int *start, *face;
    vo_vec3 *normal; /* [face_count] normals with twice the length of the area */
    double sharp;    /* cosine of the angle from which an edge is sharp */
} node_faces;

static bool allocate_rings(vo_context *ctx, const vo_mesh *mesh, node_faces *r) {
    r->start = vo_alloc_zero(ctx, ((size_t)mesh->node_count + 1) * sizeof *r->start);
    r->face = vo_new_array(ctx, int, 3 * (size_t)mesh->face_count);
    r->normal = vo_new_array(ctx, vo_vec3, mesh->face_count);
    return r->start && r->face && r->normal;
}

static void free_rings(vo_context *ctx, const vo_mesh *mesh, node_faces *r) {
    vo_free_array(ctx, r->start, (size_t)mesh->node_count + 1);
    vo_free_array(ctx, r->face, 3 * (size_t)mesh->face_count);
    vo_free_array(ctx, r->normal, mesh->face_count);
}

/* Counting sort of the corners by node. */
static void fill_node_faces(const vo_mesh *mesh, node_faces *r) {
    for (int f = 0; f < mesh->face_count; f++) {
        r->normal[f] = vo_mesh_face_normal(mesh, f);
        for (int k = 0; k < 3; k++) r->start[vo_mesh_face_node(mesh, f, k)]++;
    }
    int sum = 0;
    for (int i = 0; i <= mesh->node_count; i++) {
        sum += r->start[i];
        r->start[i] = sum;
    }
    for (int f = mesh->face_count - 1; f >= 0; f--)
        for (int k = 0; k < 3; k++) r->face[--r->start[vo_mesh_face_node(mesh, f, k)]] = f;
}

/* Returns the area-weighted mean normal of the faces around a node that are smooth with this one.
 */
static vo_vec3 corner_normal(const node_faces *r, int node, int face) {
    vo_vec3 own = r->normal[face], sum = v3_zero();
    double length = v3_length(own);
    for (int i = r->start[node]; i < r->start[node + 1]; i++) {
        vo_vec3 other = r->normal[r->face[i]];
        if (v3_dot(own, other) >= r->sharp * length * v3_length(other)) sum = v3_add(sum, other);
    }
    return v3_normalize(sum);
}

static void add_face(vo_model *m, const vo_mesh *mesh, const node_faces *r, int f) {
    vo_model_face *face = &m->face[m->face_count + f];
    for (int k = 0; k < 3; k++) {
        int node = vo_mesh_face_node(mesh, f, k);
        face->node[k] = m->node_count + node;
        face->vert[k] = m->vert_count + mesh->face_vert[f][k];
        face->normal[k] = m->normal_count + 3 * f + k;
        vo_model_store(m->normal[face->normal[k]], corner_normal(r, node, f));
    }
}

static vo_result add_by_angle(vo_model *m, const vo_mesh *mesh, const node_faces *r, int material) {
    vo_model_size size = {mesh->node_count, 3 * (int64_t)mesh->face_count, mesh->vert_count,
                          mesh->face_count};
    if (!vo_model_reserve(m, &size)) return vo_fail_memory(m->ctx, "a render model");
    for (int i = 0; i < mesh->node_count; i++)
        vo_model_store(m->x[m->node_count + i], v3_sub(mesh->node_x[i], m->origin));
    for (int f = 0; f < mesh->face_count; f++) {
        add_face(m, mesh, r, f);
        m->face[m->face_count + f].material = material;
    }
    vo_model_grow(m, &size);
    return VO_OK;
}

static vo_result add_shaded(vo_model *m, const vo_mesh *mesh, double sharp, int first_material) {
    node_faces r = {.sharp = sharp};
    if (mesh->face_count == 0) return VO_OK;
    vo_result result = VO_OK;
    if (allocate_rings(m->ctx, mesh, &r)) {
        fill_node_faces(mesh, &r);
        result = add_by_angle(m, mesh, &r, first_material);
    } else {
        result = vo_fail_memory(m->ctx, "a render model");
    }
    free_rings(m->ctx, mesh, &r);
    return result;
}

vo_result vo_model_add_obstacle(vo_model *m, const vo_mesh *mesh, int first_material) {
    return add_shaded(m, mesh, SHARP_COS, first_material);
}

static bool shows_back(const vo_model *m, const vo_model_face *face, vo_vec3 eye) {
    vo_vec3 a = vo_model_x(m, face->node[0]), b = vo_model_x(m, face->node[1]),
            c = vo_model_x(m, face->node[2]);
    return v3_dot(v3_cross(v3_sub(b, a), v3_sub(c, a)), v3_sub(eye, a)) < 0;
}

void vo_model_cull_back_faces(vo_model *m, int first_face, vo_vec3 eye) {
    int count = first_face;
    for (int f = first_face; f < m->face_count; f++)
        if (!shows_back(m, &m->face[f], eye)) m->face[count++] = m->face[f];
    m->face_count = count;
}

vo_result vo_model_add_body(vo_model *m, const vo_mesh *mesh, int first_material) {
    return add_shaded(m, mesh, BODY_SHARP_COS, first_material);
}

/* Subdivided cloth: each face becomes a lattice of smaller faces on the smooth surface.
 *
 *              0              Point (a, b), 0 <= b <= a <= subdivisions, has the weights
 *             / \             subdivisions - a, a - b and b of corners 0, 1 and 2, and the index
 *           10---11           a (a + 1) / 2 + b. Points on a side belong to the mesh edge, counted
 *           / \ / \           from its first node, so that both adjacent faces share them and no
 *         20--21--22          ray passes in between.
 *         1         2 */
#include "core/memory.h"
#include "mesh/smooth_normal.h"
#include "picture/model.h"

#define MIN_TILT_COSINE 0.5 /* 60 degrees */

typedef struct lattice {
    vo_model *model;
    const vo_mesh *mesh;
    const vo_smooth *smooth;
    const unsigned char *in_contact; /* by node, or NULL */
    int subdivisions;
    int points, inner; /* points per face: all, and inside */
} lattice;

static int point_number(int a, int b) { return a * (a + 1) / 2 + b; }

/* Returns the node at a number of steps from the first corner of a side. */
static int side_node(const lattice *l, int face, int side, int steps) {
    int edge = l->mesh->face_edge[face][side];
    bool forward = l->mesh->edge_node[edge][0] == vo_mesh_face_node(l->mesh, face, side);
    int at = forward ? steps : l->subdivisions - steps;
    return l->mesh->node_count + edge * (l->subdivisions - 1) + at - 1;
}

/* Returns the node of a lattice point, relative to the first node of this mesh. */
static int point_node(const lattice *l, int face, int a, int b) {
    int n = l->subdivisions;
    if (a == 0) return vo_mesh_face_node(l->mesh, face, 0);
    if (a == n && b == 0) return vo_mesh_face_node(l->mesh, face, 1);
    if (a == n && b == n) return vo_mesh_face_node(l->mesh, face, 2);
    if (b == 0) return side_node(l, face, 0, a);
    if (a == n) return side_node(l, face, 1, b);
    if (a == b) return side_node(l, face, 2, n - a);
    int edges = l->mesh->edge_count * (n - 1);
    return l->mesh->node_count + edges + face * l->inner + point_number(a - 2, b - 1);
}

/* Returns true if all nodes with a weight at a point are in contact: equal for both faces at an
 * edge. */
static bool is_in_contact(const lattice *l, const vo_face_location *location) {
    for (int k = 0; k < 3 && l->in_contact; k++)
        if (location->weight[k] > 0 &&
            !l->in_contact[vo_mesh_face_node(l->mesh, location->face, k)])
            return false;
    return l->in_contact;
}

/* Position of a lattice point; exactly the node at a corner. */
static vo_vec3 point_x(const lattice *l, const vo_face_location *location) {
    return l->subdivisions == 1 || is_in_contact(l, location)
               ? vo_face_location_point(l->mesh, location, l->mesh->node_x)
               : vo_smooth_point(l->smooth, location);
}

/* Returns the shading normal of a corner. Where the faces of a node are folded onto each other,
 * their common normal lies in the cloth and would make a dark spot, so the angle to the face normal
 * is limited. */
static vo_vec3 corner_normal(const lattice *l, int face, int corner) {
    vo_vec3 normal = l->smooth->normal[l->smooth->sector[face][corner]];
    vo_vec3 flat = v3_normalize(vo_mesh_face_normal(l->mesh, face));
    double along = v3_dot(normal, flat);
    if (along >= MIN_TILT_COSINE) return normal;
    vo_vec3 across = v3_normalize(v3_add_scaled(normal, -along, flat));
    double sine = sqrt(1 - MIN_TILT_COSINE * MIN_TILT_COSINE);
    return v3_add(v3_scale(MIN_TILT_COSINE, flat), v3_scale(sine, across));
}

static void add_point(const lattice *l, int face, const vo_vec3 corner[3], int a, int b) {
    vo_model *m = l->model;
    double n = l->subdivisions;
    vo_face_location location = {.face = face, .weight = {(n - a) / n, (a - b) / n, b / n}};
    int number = face * l->points + point_number(a, b);
    vo_vec3 normal = v3_zero();
    vo_vec2 u = {0, 0};
    for (int k = 0; k < 3; k++) {
        normal = v3_add_scaled(normal, location.weight[k], corner[k]);
        u = v2_add(u, v2_scale(location.weight[k], l->mesh->vert_u[l->mesh->face_vert[face][k]]));
    }
    vo_model_store(m->x[m->node_count + point_node(l, face, a, b)],
                   v3_sub(point_x(l, &location), m->origin));
    vo_model_store(m->normal[m->normal_count + number], v3_normalize(normal));
    m->u[m->vert_count + number][0] = (float)u.x;
    m->u[m->vert_count + number][1] = (float)u.y;
}

/* Adds a lattice face. */
static void add_triangle(const lattice *l, int face, int material, const int point[3][2],
                         vo_model_face *out) {
    const vo_model *m = l->model;
    for (int k = 0; k < 3; k++) {
        int a = point[k][0], b = point[k][1], number = face * l->points + point_number(a, b);
        out->node[k] = m->node_count + point_node(l, face, a, b);
        out->normal[k] = m->normal_count + number;
        out->vert[k] = m->vert_count + number;
    }
    out->material = material;
}

static void add_triangles(const lattice *l, int face, int material) {
    int n = l->subdivisions;
    vo_model_face *out = &l->model->face[l->model->face_count + face * n * n];
    for (int a = 0; a < n; a++)
        for (int b = 0; b <= a; b++) {
            add_triangle(l, face, material, (int[3][2]){{a, b}, {a + 1, b}, {a + 1, b + 1}}, out++);
            if (b == a) continue;
            add_triangle(l, face, material, (int[3][2]){{a, b}, {a + 1, b + 1}, {a, b + 1}}, out++);
        }
}

static vo_result add_lattice(const lattice *l, int first_material, int last_material) {
    const vo_mesh *mesh = l->mesh;
    vo_model *m = l->model;
    int64_t n = l->subdivisions, faces = mesh->face_count, points = faces * l->points;
    vo_model_size size = {mesh->node_count + mesh->edge_count * (n - 1) + faces * l->inner, points,
                          points, faces * n * n};
    if (!vo_model_reserve(m, &size)) return vo_fail_memory(m->ctx, "a render model");
    for (int i = 0; i < mesh->node_count; i++) /* also nodes without a face */
        vo_model_store(m->x[m->node_count + i], v3_sub(mesh->node_x[i], m->origin));
    for (int f = 0; f < mesh->face_count; f++) {
        vo_vec3 corner[3];
        for (int k = 0; k < 3; k++) corner[k] = corner_normal(l, f, k);
        for (int a = 0; a <= l->subdivisions; a++)
            for (int b = 0; b <= a; b++) add_point(l, f, corner, a, b);
        add_triangles(
            l, f, vo_min_int(first_material + vo_max_int(mesh->face_label[f], 0), last_material));
    }
    vo_model_grow(m, &size);
    return VO_OK;
}

/* The control points of the curved patches are computed only if faces are subdivided. */
static vo_result create_smooth(vo_context *ctx, const vo_mesh *mesh, int subdivisions,
                               vo_smooth *out) {
    if (subdivisions > 1) return vo_smooth_create(ctx, mesh, out);
    *out = (vo_smooth){.ctx = ctx, .mesh = mesh, .face_count = mesh->face_count};
    return vo_smooth_find_normals(out);
}

vo_result vo_model_add_cloth(vo_model *m, const vo_mesh *mesh, int subdivisions,
                             const unsigned char *in_contact, int first_material,
                             int last_material) {
    vo_smooth smooth;
    if (mesh->face_count == 0) return VO_OK;
    vo_result result = create_smooth(m->ctx, mesh, subdivisions, &smooth);
    lattice l = {m,
                 mesh,
                 &smooth,
                 in_contact,
                 subdivisions,
                 point_number(subdivisions + 1, 0),
                 (subdivisions - 1) * (subdivisions - 2) / 2};
    if (result == VO_OK) result = add_lattice(&l, first_material, last_material);
    vo_smooth_free(&smooth);
    return result;
}

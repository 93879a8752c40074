/* Handles whose nodes follow the surface of a body, for example the pins of garments.
 *
 * A binding has three numbers. z is the height above the plane of a face of the obstacle; x and y
 * are the barycentric weights of its second and third corner for the projection of the node, which
 * may lie outside the face. x also encodes the face: FACE * (face + 0.5) is added to the weight. */
#include "collide/distance.h"
#include "sim/sim.h"

static void corners(const vo_mesh *mesh, int face, const vo_vec3 *x, vo_vec3 out[3]) {
    for (int i = 0; i < 3; i++) out[i] = x[vo_mesh_face_node(mesh, face, i)];
}

static vo_vec3 normal_of(const vo_vec3 p[3]) {
    vo_vec3 n = v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0]));
    return v3_length(n) > 0 ? v3_normalize(n) : v3(0, 0, 0);
}

static const double FACE = 64;

/* Barycentric weights of corners 1 and 2 for the projection of x onto the plane. */
static vo_vec2 weights_of(const vo_vec3 p[3], vo_vec3 x) {
    vo_vec3 a = v3_sub(p[1], p[0]), b = v3_sub(p[2], p[0]), d = v3_sub(x, p[0]);
    double aa = v3_dot(a, a), ab = v3_dot(a, b), bb = v3_dot(b, b), det = aa * bb - ab * ab;
    if (!(det > 0)) return v2(0, 0);
    double da = v3_dot(d, a), db = v3_dot(d, b);
    return v2((bb * da - ab * db) / det, (aa * db - ab * da) / det);
}

vo_vec3 vo_mesh_bind_point(const vo_mesh *mesh, vo_vec3 x) {
    double nearest = INFINITY;
    int face = 0;
    vo_vec3 p[3];
    for (int f = 0; f < mesh->face_count; f++) {
        corners(mesh, f, mesh->node_x, p);
        double squared = vo_distance_vertex_face(x, p[0], p[1], p[2]).squared;
        if (squared < nearest) nearest = squared, face = f;
    }
    corners(mesh, face, mesh->node_x, p);
    vo_vec2 w = weights_of(p, x);
    double most = 0.49 * FACE;
    return v3(FACE * (face + 0.5) + vo_clamp(w.x, -most, most), vo_clamp(w.y, -most, most),
              v3_dot(normal_of(p), v3_sub(x, p[0])));
}

vo_vec3 vo_mesh_eval_binding(const vo_mesh *mesh, const vo_vec3 *x, vo_vec3 binding) {
    int face = (int)vo_clamp(floor(binding.x / FACE), 0, mesh->face_count - 1);
    double b = binding.x - FACE * (face + 0.5), c = binding.y;
    vo_vec3 p[3];
    corners(mesh, face, x, p);
    vo_vec3 at = v3_add(v3_scale(1 - b - c, p[0]), v3_add(v3_scale(b, p[1]), v3_scale(c, p[2])));
    return v3_add_scaled(at, binding.z, normal_of(p));
}

/* Writes published output into the buffers of the host. */
#include "rt/detail/output.h"

#include <string.h>

/* Element i of a buffer; it need not be aligned. */
static void write_floats(float *buffer, size_t stride, int i, const void *values, size_t bytes) {
    memcpy((char *)buffer + (size_t)i * (stride ? stride : bytes), values, bytes);
}

static void write_positions(const vo_rt_vec3 *positions, int count, float *buffer, size_t stride) {
    if (!buffer) return;
    for (int i = 0; i < count; i++)
        write_floats(buffer, stride, i, &positions[i], sizeof *positions);
}

static vo_rt_vec3 slot_position(const vo_rt_mesh *mesh, int slot) {
    return f4_xyz(mesh->front.position[slot]);
}

/* Normal of the leaf itself, or z: for vertices whose smooth normal vanishes. */
static vo_rt_vec3 leaf_normal(const vo_rt_mesh *mesh, const int32_t slot[3]) {
    vo_rt_vec3 a = slot_position(mesh, slot[0]);
    vo_rt_vec3 n = f3_normalize(
        f3_cross(f3_sub(slot_position(mesh, slot[1]), a), f3_sub(slot_position(mesh, slot[2]), a)));
    return f3_length2(n) > 0.5f ? n : f3(0, 0, 1);
}

/* Unit normal of an output vertex, interpolated from the vertices of its leaf. */
static vo_rt_vec3 output_normal(const vo_rt_detail *detail, const vo_rt_mesh *mesh, int i) {
    const vo_rt_binding *b = &detail->binding[i];
    vo_rt_vec3 n = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        n = f3_add_scaled(n, b->weight[k], f4_xyz(mesh->front.normal[b->slot[k]]));
    float length2 = f3_length2(n);
    if (!(length2 > 1e-12f) || !isfinite(length2)) return leaf_normal(mesh, b->slot);
    return f3_scale(1 / sqrtf(length2), n);
}

/* Derivative of the position by u on each output triangle, weighted by its area in the texture,
 * summed over the triangles of a vertex; w is the sum of signed areas (handedness). */
static void sum_tangents(const vo_rt_detail *detail, const vo_rt_asset *asset) {
    const vo_rt_vec3 *x = detail->current;
    for (int i = 0; i < asset->render_vertex_count; i++)
        detail->tangent[i] = f4_make(f3(0, 0, 0), 0);
    for (int t = 0; t < asset->render_triangle_count; t++) {
        const uint32_t *v = asset->render_triangle + 3 * t;
        vo_rt_vec2 p = f2_sub(asset->render_uv[v[1]], asset->render_uv[v[0]]);
        vo_rt_vec2 q = f2_sub(asset->render_uv[v[2]], asset->render_uv[v[0]]);
        float area = f2_cross(p, q), sign = area < 0 ? -1.0f : 1.0f;
        vo_rt_vec3 d = f3_sub(f3_scale(sign * q.y, f3_sub(x[v[1]], x[v[0]])),
                              f3_scale(sign * p.y, f3_sub(x[v[2]], x[v[0]])));
        for (int k = 0; k < 3; k++) {
            vo_rt_vec4 *sum = &detail->tangent[v[k]];
            *sum = f4_make(f3_add(f4_xyz(*sum), d), sum->w + area);
        }
    }
}

/* Some unit vector orthogonal to a unit vector. */
static vo_rt_vec3 orthogonal(vo_rt_vec3 n) {
    vo_rt_vec3 axis = fabsf(n.x) < 0.6f ? f3(1, 0, 0) : f3(0, 1, 0);
    return f3_normalize(f3_cross(f3_cross(n, axis), n));
}

/* Unit tangent orthogonal to n, and the sign of the bitangent. */
static vo_rt_vec4 output_tangent(const vo_rt_detail *detail, int i, vo_rt_vec3 n) {
    vo_rt_vec3 sum = f4_xyz(detail->tangent[i]);
    vo_rt_vec3 t = f3_add_scaled(sum, -f3_dot(sum, n), n);
    float length2 = f3_length2(t);
    bool is_valid = length2 > 1e-8f * f3_length2(sum) && length2 > 0 && isfinite(length2);
    t = is_valid ? f3_scale(1 / sqrtf(length2), t) : orthogonal(n);
    return f4_make(t, detail->tangent[i].w < 0 ? -1.0f : 1.0f);
}

static void write_frames(const vo_rt_detail *detail, const vo_rt_mesh *mesh,
                         const vo_rt_output *output) {
    if (!output->normals && !output->tangents) return;
    if (output->tangents) sum_tangents(detail, mesh->asset);
    for (int i = 0; i < mesh->asset->render_vertex_count; i++) {
        vo_rt_vec3 n = output_normal(detail, mesh, i);
        if (output->normals) write_floats(output->normals, output->normal_stride, i, &n, sizeof n);
        if (!output->tangents) continue;
        vo_rt_vec4 t = output_tangent(detail, i, n);
        write_floats(output->tangents, output->tangent_stride, i, &t, sizeof t);
    }
}

void vo_rt_detail_write(const vo_rt_detail *detail, const vo_rt_mesh *mesh,
                        const vo_rt_output *output) {
    int count = mesh->asset->render_vertex_count;
    write_positions(detail->current, count, output->positions, output->position_stride);
    write_positions(detail->previous, count, output->previous_positions, output->previous_stride);
    write_frames(detail, mesh, output);
}

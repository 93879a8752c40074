/* Output of a detail mesh into the buffers of the host, and snapshots. */
#include "rt/detail/operator.h"

#include <string.h>

/* --- Output ----------------------------------------------------------------------------------- */

/* Element i of a buffer; it need not be aligned. */
static void write_floats(float *buffer, size_t stride, int i, const void *values, size_t bytes) {
    memcpy((char *)buffer + (size_t)i * (stride ? stride : bytes), values, bytes);
}

static void write_points(const vo_rt_asset_detail *d, const vo_rt_vec4 *points, float *buffer,
                         size_t stride) {
    if (!buffer) return;
    for (int i = 0; i < d->vertex_count; i++)
        write_floats(buffer, stride, i, &points[d->node[i]], 3 * sizeof(float));
}

/* Unit normal of a vertex; z where the triangles of its node have no area. */
static vo_rt_vec3 vertex_normal(const vo_rt_upsample *u, int node) {
    vo_rt_vec3 n = f4_xyz(u->normal[node]);
    return f3_length2(n) > 0.5f ? n : f3(0, 0, 1);
}

static void write_normals(const vo_rt_upsample *u, const vo_rt_asset_detail *d,
                          const vo_rt_output *output) {
    for (int i = 0; output->normals && i < d->vertex_count; i++) {
        vo_rt_vec3 n = vertex_normal(u, d->node[i]);
        write_floats(output->normals, output->normal_stride, i, &n, sizeof n);
    }
}

/* Derivatives of the position by u, summed over the triangles of a vertex, weighted by their area
 * in the texture; w is the sum of signed areas. */
static void sum_tangents(const vo_rt_upsample *u, const vo_rt_asset_detail *d) {
    memset(u->tangent, 0, (size_t)d->vertex_count * sizeof *u->tangent);
    for (int t = 0; t < d->triangle_count; t++) {
        const uint32_t *v = d->triangle + 3 * t;
        vo_rt_vec3 a = f4_xyz(u->current[d->node[v[0]]]);
        vo_rt_vec3 x = f3_sub(f4_xyz(u->current[d->node[v[1]]]), a);
        vo_rt_vec3 y = f3_sub(f4_xyz(u->current[d->node[v[2]]]), a);
        vo_rt_vec2 p = f2_sub(d->uv[v[1]], d->uv[v[0]]), q = f2_sub(d->uv[v[2]], d->uv[v[0]]);
        float area = f2_cross(p, q), sign = area < 0 ? -1.0f : 1.0f;
        vo_rt_vec3 s = f3_sub(f3_scale(sign * q.y, x), f3_scale(sign * p.y, y));
        for (int k = 0; k < 3; k++) {
            vo_rt_vec4 *sum = &u->tangent[v[k]];
            *sum = f4_make(f3_add(f4_xyz(*sum), s), sum->w + area);
        }
    }
}

/* Some unit vector orthogonal to a unit vector. */
static vo_rt_vec3 orthogonal(vo_rt_vec3 n) {
    vo_rt_vec3 axis = fabsf(n.x) < 0.6f ? f3(1, 0, 0) : f3(0, 1, 0);
    return f3_normalize(f3_cross(f3_cross(n, axis), n));
}

/* Unit tangent orthogonal to n, and the sign of the bitangent. */
static vo_rt_vec4 vertex_tangent(vo_rt_vec4 sum, vo_rt_vec3 n) {
    vo_rt_vec3 s = f4_xyz(sum), t = f3_add_scaled(s, -f3_dot(s, n), n);
    float length2 = f3_length2(t);
    bool is_valid = length2 > 1e-8f * f3_length2(s) && length2 > 0 && isfinite(length2);
    t = is_valid ? f3_scale(1 / sqrtf(length2), t) : orthogonal(n);
    return f4_make(t, sum.w < 0 ? -1.0f : 1.0f);
}

static void write_tangents(const vo_rt_upsample *u, const vo_rt_asset_detail *d,
                           const vo_rt_output *output) {
    if (!output->tangents) return;
    sum_tangents(u, d);
    for (int i = 0; i < d->vertex_count; i++) {
        vo_rt_vec4 t = vertex_tangent(u->tangent[i], vertex_normal(u, d->node[i]));
        write_floats(output->tangents, output->tangent_stride, i, &t, sizeof t);
    }
}

void vo_rt_upsample_write(const vo_rt_upsample *u, const vo_rt_asset *asset,
                          const vo_rt_output *output) {
    const vo_rt_asset_detail *d = &asset->detail;
    write_points(d, u->current, output->positions, output->position_stride);
    write_points(d, u->previous, output->previous_positions, output->previous_stride);
    write_normals(u, d, output);
    write_tangents(u, d, output);
}

/* --- Snapshots -------------------------------------------------------------------------------- */

/* Positions without their fourth number, which is temporary. */
static char *save_points(char *to, const vo_rt_vec4 *x, size_t count) {
    for (size_t i = 0; i < count; i++, to += sizeof(vo_rt_vec3))
        memcpy(to, &x[i], sizeof(vo_rt_vec3));
    return to;
}

static const char *restore_points(const char *from, vo_rt_vec4 *x, size_t count) {
    for (size_t i = 0; i < count; i++, from += sizeof(vo_rt_vec3)) {
        vo_rt_vec3 p;
        memcpy(&p, from, sizeof p);
        x[i] = f4_make(f3_is_finite(p) ? p : f3(0, 0, 0), 0);
    }
    return from;
}

size_t vo_rt_upsample_save(const vo_rt_upsample *u, const vo_rt_asset *asset, void *data) {
    size_t nodes = (size_t)asset->detail.node_count, vertices = (size_t)asset->vertex_count;
    size_t states = vertices * (size_t)(1 + u->history);
    if (!u->memory) return 0;
    if (data) {
        char *to = data;
        memcpy(to, &u->head, sizeof u->head);
        to = save_points(to + sizeof u->head, u->current, nodes);
        to = save_points(to, u->previous, nodes);
        to = save_points(to, u->sample, states);
        (void)save_points(to, u->last, vertices);
    }
    return sizeof u->head + (2 * nodes + states + vertices) * sizeof(vo_rt_vec3);
}

static float finite_or_zero(float x, float low, float high) {
    return x >= low && x <= high ? x : 0;
}

/* Brings restored numbers into their range. */
static void repair_head(vo_rt_upsample *u) {
    vo_rt_upsample_head *h = &u->head;
    float *motion[] = {&h->wind, &h->motion.travel, &h->motion.deformation, &h->motion.wind};
    for (int i = 0; i < 4; i++) *motion[i] = finite_or_zero(*motion[i], 0, 1e6f);
    h->still_time = finite_or_zero(h->still_time, 0, 1e6f);
    h->sample_age = finite_or_zero(h->sample_age, 0, u->history_s);
    h->newest = h->newest >= 0 && h->newest <= u->history ? h->newest : 0;
    h->has_output = h->has_output != 0;
    h->was_skipped = h->was_skipped != 0;
    if (!f3_is_finite(h->min) || !f3_is_finite(h->max)) h->min = h->max = f3(0, 0, 0);
    for (int i = 0; i < VO_RT_MAX_OPERATORS; i++) {
        h->weight[i] = finite_or_zero(h->weight[i], 0, 1);
        for (int k = 0; k < VO_RT_MAX_OPERATOR_MODES; k++)
            h->phase[i][k] = finite_or_zero(h->phase[i][k], 0, 6.2831855f);
    }
}

void vo_rt_upsample_restore(vo_rt_upsample *u, const vo_rt_asset *asset, const void *data,
                            const vo_rt_operator_kernels *kernels) {
    size_t nodes = (size_t)asset->detail.node_count, vertices = (size_t)asset->vertex_count;
    if (!u->memory) return;
    memcpy(&u->head, data, sizeof u->head);
    repair_head(u);
    const char *from = restore_points((const char *)data + sizeof u->head, u->current, nodes);
    from = restore_points(from, u->previous, nodes);
    from = restore_points(from, u->sample, vertices * (size_t)(1 + u->history));
    (void)restore_points(from, u->last, vertices);
    kernels->compute_normals(&asset->detail, u->current, u->normal);
}

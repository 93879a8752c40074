#include "upsample/measure.h"

#include "core/memory.h"

#include <math.h>
#include <string.h>

/* ---- normals and areas ---------------------------------------------------------------------- */

static vo_rt_vec3 subtract(const float *a, const float *b) {
    return (vo_rt_vec3){a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

static vo_rt_vec3 cross(vo_rt_vec3 a, vo_rt_vec3 b) {
    return (vo_rt_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(vo_rt_vec3 a, vo_rt_vec3 b) {
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

/* Normal of a triangle; its length is twice the area. */
static vo_rt_vec3 triangle_normal(const int32_t *triangle, const float *x) {
    const float *a = x + 3 * (size_t)triangle[0];
    return cross(subtract(x + 3 * (size_t)triangle[1], a),
                 subtract(x + 3 * (size_t)triangle[2], a));
}

static vo_rt_vec3 normalize(vo_rt_vec3 a) {
    double length = sqrt(dot(a, a));
    if (!(length > 0)) return (vo_rt_vec3){0, 0, 0};
    float scale = (float)(1 / length);
    return (vo_rt_vec3){a.x * scale, a.y * scale, a.z * scale};
}

void vo_upsample_compute_normals(const vo_upsample_mesh *mesh, const float *positions,
                                 vo_rt_vec3 *normals) {
    memset(normals, 0, (size_t)mesh->vertex_count * sizeof *normals);
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int32_t *corner = &mesh->triangle[3 * t];
        vo_rt_vec3 n = triangle_normal(corner, positions);
        for (int k = 0; k < 3; k++) {
            vo_rt_vec3 *sum = &normals[corner[k]];
            *sum = (vo_rt_vec3){sum->x + n.x, sum->y + n.y, sum->z + n.z};
        }
    }
    for (int i = 0; i < mesh->vertex_count; i++) normals[i] = normalize(normals[i]);
}

void vo_upsample_compute_areas(const vo_upsample_mesh *mesh, float *areas) {
    memset(areas, 0, (size_t)mesh->vertex_count * sizeof *areas);
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int32_t *corner = &mesh->triangle[3 * t];
        vo_rt_vec3 n = triangle_normal(corner, (const float *)mesh->position);
        for (int k = 0; k < 3; k++) areas[corner[k]] += (float)(sqrt(dot(n, n)) / 6);
    }
}

/* ---- memory --------------------------------------------------------------------------------- */

vo_result vo_upsample_meter_create(vo_context *ctx, const vo_upsample_mesh *mesh, const float *area,
                                   int mode_count, const float *modes, vo_upsample_meter *out) {
    size_t n = (size_t)mesh->vertex_count, count = (size_t)mode_count;
    *out = (vo_upsample_meter){.ctx = ctx, .mesh = mesh, .mode_count = mode_count};
    out->area = vo_new_array(ctx, double, n);
    out->weighted_mode = vo_new_array(ctx, float, n *count);
    if (!out->area || (count && !out->weighted_mode)) {
        vo_upsample_meter_free(out);
        return vo_fail_memory(ctx, "the measures of a surface");
    }
    for (size_t i = 0; i < n; i++) {
        out->area[i] = (double)area[i];
        out->total_area += out->area[i];
        for (size_t k = 0; k < count; k++)
            out->weighted_mode[i * count + k] = area[i] * modes[k * n + i];
    }
    return VO_OK;
}

void vo_upsample_meter_free(vo_upsample_meter *meter) {
    if (!meter->ctx) return;
    size_t n = (size_t)meter->mesh->vertex_count;
    vo_free_array(meter->ctx, meter->area, n);
    vo_free_array(meter->ctx, meter->weighted_mode, n * (size_t)meter->mode_count);
    *meter = (vo_upsample_meter){0};
}

bool vo_upsample_meter_scratch_create(const vo_upsample_meter *meter,
                                      vo_upsample_meter_scratch *out) {
    int n = meter->mesh->vertex_count, modes = meter->mode_count;
    *out = (vo_upsample_meter_scratch){.vertex_count = n, .mode_count = modes};
    out->normal = vo_new_array(meter->ctx, vo_rt_vec3, n);
    out->reference_normal = vo_new_array(meter->ctx, vo_rt_vec3, n);
    out->coefficient = vo_new_array(meter->ctx, double, 6 * modes);
    if (out->normal && out->reference_normal && (out->coefficient || !modes)) return true;
    vo_upsample_meter_scratch_free(meter->ctx, out);
    return false;
}

void vo_upsample_meter_scratch_free(vo_context *ctx, vo_upsample_meter_scratch *scratch) {
    vo_free_array(ctx, scratch->normal, scratch->vertex_count);
    vo_free_array(ctx, scratch->reference_normal, scratch->vertex_count);
    vo_free_array(ctx, scratch->coefficient, 6 * scratch->mode_count);
    *scratch = (vo_upsample_meter_scratch){0};
}

/* ---- measures ------------------------------------------------------------------------------- */

static void measure_positions(const vo_upsample_meter *meter, const float *positions,
                              const float *reference, vo_upsample_frame_difference *out) {
    double sum = 0, most = 0;
    for (int i = 0; i < meter->mesh->vertex_count; i++) {
        vo_rt_vec3 d = subtract(positions + 3 * i, reference + 3 * i);
        double square = dot(d, d);
        sum += meter->area[i] * square;
        if (square > most) most = square;
    }
    out->position_square = sum / meter->total_area;
    out->position_max = sqrt(most);
}

static void measure_normals(const vo_upsample_meter *meter,
                            const vo_upsample_meter_scratch *scratch,
                            vo_upsample_frame_difference *out) {
    static const double degrees = 57.29577951308232;
    double sum = 0;
    for (int i = 0; i < meter->mesh->vertex_count; i++) {
        vo_rt_vec3 a = scratch->normal[i], b = scratch->reference_normal[i], c = cross(a, b);
        sum += meter->area[i] * atan2(sqrt(dot(c, c)), dot(a, b));
    }
    out->normal_angle = degrees * sum / meter->total_area;
}

/* Adds the coefficients of a vector field in the modes: c[axis][mode]. */
static void project(const vo_upsample_meter *meter, const vo_rt_vec3 *field, double *c) {
    size_t count = (size_t)meter->mode_count;
    memset(c, 0, 3 * count * sizeof *c);
    for (int i = 0; i < meter->mesh->vertex_count; i++) {
        const float *mode = meter->weighted_mode + (size_t)i * count;
        const double x = (double)field[i].x, y = (double)field[i].y, z = (double)field[i].z;
        for (size_t k = 0; k < count; k++) {
            c[k] += (double)mode[k] * x;
            c[count + k] += (double)mode[k] * y;
            c[2 * count + k] += (double)mode[k] * z;
        }
    }
}

/* Mean square of a field, given the sum of its squares, without its part in the modes. */
static double remainder_energy(const vo_upsample_meter *meter, double sum, const double *c) {
    for (int k = 0; k < 3 * meter->mode_count; k++) sum -= c[k] * c[k];
    return (sum > 0 ? sum : 0) / meter->total_area;
}

/* The modes are orthonormal, so the energy above them is the whole energy less that of the
 * coefficients. */
static void measure_wrinkles(const vo_upsample_meter *meter, vo_upsample_meter_scratch *scratch,
                             vo_upsample_frame_difference *out) {
    size_t count = 3 * (size_t)meter->mode_count;
    double *c = scratch->coefficient, *r = c + count, own = 0, other = 0, difference = 0;
    project(meter, scratch->normal, c);
    project(meter, scratch->reference_normal, r);
    for (int i = 0; i < meter->mesh->vertex_count; i++) {
        vo_rt_vec3 a = scratch->normal[i], b = scratch->reference_normal[i];
        own += meter->area[i] * dot(a, a);
        other += meter->area[i] * dot(b, b);
        vo_rt_vec3 d = subtract(&a.x, &b.x);
        difference += meter->area[i] * dot(d, d);
    }
    out->wrinkle_energy = remainder_energy(meter, own, c);
    out->reference_wrinkle_energy = remainder_energy(meter, other, r);
    for (size_t k = 0; k < count; k++) c[k] -= r[k];
    out->wrinkle_difference = remainder_energy(meter, difference, c);
}

vo_upsample_frame_difference vo_upsample_meter_compare(const vo_upsample_meter *meter,
                                                       const float *positions,
                                                       const float *reference,
                                                       vo_upsample_meter_scratch *scratch) {
    vo_upsample_frame_difference out;
    vo_upsample_compute_normals(meter->mesh, positions, scratch->normal);
    vo_upsample_compute_normals(meter->mesh, reference, scratch->reference_normal);
    measure_positions(meter, positions, reference, &out);
    measure_normals(meter, scratch, &out);
    measure_wrinkles(meter, scratch, &out);
    return out;
}

/* Affine maps and their decomposition. */
#include "character/import/import.h"

vo_affine vo_affine_identity(void) { return (vo_affine){m3_identity(), {0, 0, 0}}; }

vo_vec3 vo_affine_point(vo_affine a, vo_vec3 p) { return v3_add(m3_mul(a.linear, p), a.offset); }

/* Returns a b. */
static vo_mat3 product(vo_mat3 a, vo_mat3 b) {
    vo_mat3 t = m3_transpose(b), out;
    for (int i = 0; i < 3; i++) out.row[i] = m3_mul(t, a.row[i]);
    return out;
}

vo_affine vo_affine_mul(vo_affine a, vo_affine b) {
    return (vo_affine){product(a.linear, b.linear), vo_affine_point(a, b.offset)};
}

static double determinant(vo_mat3 m) { return v3_triple(m.row[0], m.row[1], m.row[2]); }

/* Returns the cofactor matrix: the transposed inverse times the determinant. */
static vo_mat3 cofactors(vo_mat3 m) {
    return (vo_mat3){
        {v3_cross(m.row[1], m.row[2]), v3_cross(m.row[2], m.row[0]), v3_cross(m.row[0], m.row[1])}};
}

/* Returns the largest row length, the scale for comparing determinants. */
static double max_row_length(vo_mat3 m) {
    return vo_max(v3_length(m.row[0]), vo_max(v3_length(m.row[1]), v3_length(m.row[2])));
}

bool vo_affine_inverse(vo_affine a, vo_affine *out) {
    double d = determinant(a.linear), size = max_row_length(a.linear);
    if (!(fabs(d) > 1e-9 * size * size * size)) return false;
    out->linear = m3_scale(1 / d, m3_transpose(cofactors(a.linear)));
    out->offset = v3_negate(m3_mul(out->linear, a.offset));
    return v3_is_finite(out->offset) && isfinite(max_row_length(out->linear));
}

vo_affine vo_affine_from_trs(vo_trs parts) {
    vo_vec3 x = q_rotate(parts.rotation, v3(parts.scale.x, 0, 0));
    vo_vec3 y = q_rotate(parts.rotation, v3(0, parts.scale.y, 0));
    vo_vec3 z = q_rotate(parts.rotation, v3(0, 0, parts.scale.z));
    return (vo_affine){m3_transpose((vo_mat3){{x, y, z}}), parts.translation};
}

/* Returns the quaternion of a rotation matrix. */
static vo_quat quaternion(vo_mat3 m) {
    vo_mat3 columns = m3_transpose(m);
    return q_from_axes(columns.row[0], columns.row[1], columns.row[2]);
}

/* Gram-Schmidt on the rows; missing or dependent rows are completed to a right-handed basis. */
static vo_mat3 orthonormal(vo_mat3 m) {
    vo_vec3 x = v3_normalize(m.row[0]);
    if (!(v3_length2(x) > 0.5)) x = v3(1, 0, 0);
    vo_vec3 y = v3_add_scaled(m.row[1], -v3_dot(m.row[1], x), x);
    if (!(v3_length(y) > 1e-12 * max_row_length(m)))
        y = fabs(x.x) < 0.9 ? v3(1, 0, 0) : v3(0, 1, 0);
    y = v3_normalize(v3_add_scaled(y, -v3_dot(y, x), x));
    return (vo_mat3){{x, y, v3_cross(x, y)}};
}

/* Polar decomposition by Higham's iteration (1986): the mean of a matrix and its transposed
 * inverse. */
vo_quat vo_affine_rotation(vo_affine a) {
    double size = max_row_length(a.linear);
    if (!(size > 0) || !isfinite(size)) return q_identity();
    vo_mat3 m = m3_scale(1 / size, a.linear);
    if (!(determinant(m) > 1e-9)) return quaternion(orthonormal(m));
    for (int i = 0; i < 60; i++) {
        vo_mat3 inverse = m3_scale(1 / determinant(m), cofactors(m));
        vo_mat3 next = m3_scale(0.5, m3_add(m, inverse));
        double change = max_row_length(m3_add(next, m3_scale(-1, m)));
        m = next;
        if (change < 1e-15) break;
    }
    return quaternion(m);
}

vo_trs vo_affine_to_trs(vo_affine a) {
    vo_trs parts = {a.offset, vo_affine_rotation(a), {1, 1, 1}};
    vo_mat3 column = m3_transpose(a.linear);
    parts.scale = v3(v3_dot(column.row[0], q_rotate(parts.rotation, v3(1, 0, 0))),
                     v3_dot(column.row[1], q_rotate(parts.rotation, v3(0, 1, 0))),
                     v3_dot(column.row[2], q_rotate(parts.rotation, v3(0, 0, 1))));
    return parts;
}

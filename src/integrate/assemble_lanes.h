/* SIMD helpers of the files *_kernel.c: gather four rows or faces, and add to rows and blocks. */
#ifndef VO_INTEGRATE_ASSEMBLE_LANES_H
#define VO_INTEGRATE_ASSEMBLE_LANES_H

#include "integrate/assemble.h"
#include "material/stretch_lanes.h"

#include <string.h>

/* Transposes four vectors into lanes x, y, z. */
VO_INLINE vo_p4 gather(const vo_vec4 *rows, const int index[VO_LANES]) {
    vo_d4 a = d4_load(&rows[index[0]].x), b = d4_load(&rows[index[1]].x);
    vo_d4 c = d4_load(&rows[index[2]].x), d = d4_load(&rows[index[3]].x);
    vo_d4 ab0 = __builtin_shufflevector(a, b, 0, 4, 2, 6); /* a0 b0 a2 b2 */
    vo_d4 ab1 = __builtin_shufflevector(a, b, 1, 5, 3, 7); /* a1 b1 a3 b3 */
    vo_d4 cd0 = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    vo_d4 cd1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    return (vo_p4){__builtin_shufflevector(ab0, cd0, 0, 1, 4, 5),
                   __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5),
                   __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7)};
}

/* Transposes lanes x, y, z into four vectors with w = 0. */
VO_INLINE void transpose_to_rows(vo_p4 p, vo_d4 out[VO_LANES]) {
    vo_d4 zero = d4_set(0);
    vo_d4 xy0 = __builtin_shufflevector(p.x, p.y, 0, 4, 2, 6); /* x0 y0 x2 y2 */
    vo_d4 xy1 = __builtin_shufflevector(p.x, p.y, 1, 5, 3, 7);
    vo_d4 z0 = __builtin_shufflevector(p.z, zero, 0, 4, 2, 6);
    vo_d4 z1 = __builtin_shufflevector(p.z, zero, 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(xy0, z0, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(xy1, z1, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(xy0, z0, 2, 3, 6, 7);
    out[3] = __builtin_shufflevector(xy1, z1, 2, 3, 6, 7);
}

VO_INLINE void add_f4(float *p, vo_f4 v) {
    vo_f4 sum;
    memcpy(&sum, p, sizeof sum);
    sum += v;
    memcpy(p, &sum, sizeof sum);
}

VO_INLINE void add_d4(vo_vec4 *p, vo_d4 v) { d4_store(&p->x, d4_load(&p->x) + v); }

/* Adds dt times four forces to those rows that the chunk owns. */
VO_INLINE void add_impulse(vo_vec4 *b, double dt, const vo_chunk *chunk, const int row[VO_LANES],
                           vo_p4 force) {
    vo_d4 lane[VO_LANES];
    transpose_to_rows(p4_scale(d4_set(dt), force), lane);
    for (int i = 0; i < VO_LANES; i++)
        if (row[i] >= chunk->row_begin && row[i] < chunk->row_end) add_d4(&b[row[i]], lane[i]);
}

/* Adds a column-major 3x3 block per lane to the lane's target block; -1: none. */
VO_INLINE void add_blocks(float *matrix, const int target[VO_LANES], const vo_d4 h[9],
                          vo_d4 scale) {
    for (int c = 0; c < 3; c++) {
        vo_f4 x = d4_to_f4(scale * h[3 * c]), y = d4_to_f4(scale * h[3 * c + 1]);
        vo_f4 z = d4_to_f4(scale * h[3 * c + 2]), zero = {0, 0, 0, 0};
        vo_f4 xy_low = __builtin_shufflevector(x, y, 0, 4, 1, 5); /* x0 y0 x1 y1 */
        vo_f4 xy_high = __builtin_shufflevector(x, y, 2, 6, 3, 7);
        vo_f4 z_low = __builtin_shufflevector(z, zero, 0, 4, 1, 5);
        vo_f4 z_high = __builtin_shufflevector(z, zero, 2, 6, 3, 7);
        vo_f4 lane[VO_LANES] = {__builtin_shufflevector(xy_low, z_low, 0, 1, 4, 5),
                                __builtin_shufflevector(xy_low, z_low, 2, 3, 6, 7),
                                __builtin_shufflevector(xy_high, z_high, 0, 1, 4, 5),
                                __builtin_shufflevector(xy_high, z_high, 2, 3, 6, 7)};
        for (int i = 0; i < VO_LANES; i++)
            if (target[i] >= 0)
                add_f4(matrix + (size_t)target[i] * VO_BLOCK_FLOATS + 4 * c, lane[i]);
    }
}

/* Loads one offset component of four faces, scaled by the fade factor. */
VO_INLINE vo_d4 load_offset(double fade, const double *first, const int number[VO_LANES]) {
    enum { STRIDE = sizeof(vo_strain_offset) / sizeof(double) };
    vo_d4 value;
    for (int i = 0; i < VO_LANES; i++) value[i] = fade * first[(size_t)number[i] * STRIDE];
    return value;
}

/* Loads the slack of four faces; unused lanes load that of face 0. */
VO_INLINE vo_d4 load_slack(const double *slack, const int number[VO_LANES]) {
    return (vo_d4){slack[number[0]], slack[number[1]], slack[number[2]], slack[number[3]]};
}

/* Loads the shapes and offsets of four faces; the stiffness is left to the caller. */
VO_INLINE void load_faces(const vo_face_packet *f, const vo_strain_offset *offset, double fade,
                          vo_stretch4 *in) {
    in->area = d4_load(f->area);
    for (int i = 0; i < 4; i++) in->inverse[i] = d4_load(f->inverse[i]);
    for (int i = 0; i < 3; i++)
        in->offset[i] = offset ? load_offset(fade, &offset->strain[i], f->number) : d4_set(0);
}

#endif

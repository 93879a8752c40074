/* Synthetic training pairs for the tests of learned upsampling. */
#ifndef VOILE_TESTS_UPSAMPLE_PAIRS_H
#define VOILE_TESTS_UPSAMPLE_PAIRS_H

#include "core/memory.h"
#include "upsample_meshes.h"

static inline void copy_mesh(const vo_upsample_mesh *from, vo_upsample_mesh *to) {
    size_t n = (size_t)from->vertex_count, corners = 3 * (size_t)from->triangle_count;
    memcpy(to->position, from->position, n * sizeof *to->position);
    memcpy(to->triangle, from->triangle, corners * sizeof *to->triangle);
    memcpy(to->coordinate, from->coordinate, corners * sizeof *to->coordinate);
    memcpy(to->mass, from->mass, n * sizeof *to->mass);
}

/* Pairs of two rectangles of 1 x 0.8 m at rest, in sequences of equal length. */
static inline vo_upsample_pairs *make_pairs(vo_context *ctx, int coarse_columns, int coarse_rows,
                                            int fine_columns, int fine_rows, int frames,
                                            int sequences) {
    vo_upsample_mesh coarse, fine;
    make_rectangle(&coarse, 1, 0.8, coarse_columns, coarse_rows);
    make_rectangle(&fine, 1, 0.8, fine_columns, fine_rows);
    vo_upsample_pairs_size size = {coarse.vertex_count,
                                   coarse.triangle_count,
                                   fine.vertex_count,
                                   fine.triangle_count,
                                   sequences,
                                   frames,
                                   0};
    vo_upsample_pairs *p;
    assert_ok(ctx, vo_upsample_pairs_create(ctx, &size, &p));
    copy_mesh(&coarse, &p->coarse), copy_mesh(&fine, &p->fine);
    free_mesh(&coarse), free_mesh(&fine);
    for (int i = 0; i <= sequences; i++) p->first_frame[i] = frames * i / sequences;
    p->frame_s = 1 / 60.0f;
    return p;
}

/* Displacement of a point of the cloth at a time: a few smooth waves with amplitudes that vary. */
static inline void smooth_motion(double u, double v, double t, double out[3]) {
    for (int c = 0; c < 3; c++) {
        out[c] = 0.3 * sin(0.05 * t * (c + 1)) + 2 * sin(0.011 * t);
        for (int k = 1; k < 6; k++)
            out[c] += 0.08 / k * sin(0.13 * t * k + c + k * (3.1 * u + 2.3 * v * (k % 3)));
    }
}

/* Fills frames with a smooth motion; fine vertices have wrinkles of the amplitude, bound to the
 * motion, and noise. */
static inline void fill_frames(vo_upsample_pairs *p, double wrinkles, double noise, uint64_t seed) {
    vo_random random = vo_random_seed(seed);
    for (int f = 0; f < p->frame_count; f++)
        for (int side = 0; side < 2; side++) {
            const vo_upsample_mesh *m = side ? &p->fine : &p->coarse;
            float *x = (side ? p->fine_frames : p->coarse_frames) + (size_t)f * m->vertex_count * 3;
            for (int i = 0; i < m->vertex_count; i++) {
                double u = (double)m->position[i].x, v = (double)m->position[i].z, d[3];
                smooth_motion(u, v, f, d);
                double fold = side ? wrinkles * sin(23 * u + 9 * v) * sin(0.13 * f + 3.1 * u) : 0;
                x[3 * i] = (float)(u + d[0]);
                x[3 * i + 1] = (float)(d[1] + fold);
                x[3 * i + 2] = (float)(v + d[2]);
                for (int c = 0; c < 3; c++)
                    x[3 * i + c] += (float)(noise * vo_random_real(&random, -1, 1));
            }
        }
}

/* Adds noise to the fine vertices. */
static inline void add_fine_noise(vo_upsample_pairs *p, double size, uint64_t seed) {
    vo_random random = vo_random_seed(seed);
    size_t count = (size_t)p->frame_count * (size_t)p->fine.vertex_count * 3;
    for (size_t i = 0; i < count; i++)
        p->fine_frames[i] += (float)(size * vo_random_real(&random, -1, 1));
}

#endif

/* Synthetic training pairs: two grids of one square metre, whose motion is a formula. */
#ifndef VOILE_TESTS_UPSAMPLE_FIXTURE_H
#define VOILE_TESTS_UPSAMPLE_FIXTURE_H

#include "support.h"

#include "upsample/pairs.h"

#include <math.h>

/* Fills a mesh of cells x cells squares in the plane z = 0, attached along x = 0, 0.2 kg/m^2. */
static inline void fill_grid(vo_upsample_mesh *m, int cells) {
    int row = cells + 1, t = 0;
    for (int i = 0; i < row * row; i++) {
        float x = (float)(i % row) / (float)cells, y = (float)(i / row) / (float)cells;
        m->position[i] = (vo_rt_vec3){x, y, 0};
        m->mass[i] = 0.2f / (float)(row * row);
        m->attachment[i] = i % row == 0 ? 1 : 0;
    }
    for (int j = 0; j < cells; j++)
        for (int i = 0; i < cells; i++) {
            int a = j * row + i, corners[6] = {a, a + 1, a + row + 1, a, a + row + 1, a + row};
            for (int k = 0; k < 6; k++) m->triangle[t++] = corners[k];
        }
    for (int k = 0; k < 3 * m->triangle_count; k++) {
        const vo_rt_vec3 *x = &m->position[m->triangle[k]];
        m->coordinate[k] = (vo_rt_vec2){x->x, x->y};
    }
}

/* A wave along x with a fold across it that follows its height. */
static inline void place_grid(const vo_upsample_mesh *m, double time, double fold, float *out) {
    for (int i = 0; i < m->vertex_count; i++) {
        double x = (double)m->position[i].x, y = (double)m->position[i].y;
        double height = 0.1 * x * sin(4 * x - 3 * time) + 0.05 * x * sin(1.7 * time + y);
        out[3 * i] = (float)(x - 0.1 * height);
        out[3 * i + 1] = (float)(y + 0.05 * sin(2.3 * time) * x);
        out[3 * i + 2] = (float)(height + fold * height * sin(25 * y));
    }
}

/* Pairs of grids with `coarse` and 4 `coarse` cells per side, `frames` frames in two sequences, an
 * asset of 100 bytes that is none. */
static inline vo_upsample_pairs *synthetic_pairs(vo_context *ctx, int coarse, int frames) {
    int fine = 4 * coarse;
    const vo_upsample_pairs_size size = {.coarse_vertices = (coarse + 1) * (coarse + 1),
                                         .coarse_triangles = 2 * coarse * coarse,
                                         .fine_vertices = (fine + 1) * (fine + 1),
                                         .fine_triangles = 2 * fine * fine,
                                         .sequences = 2,
                                         .frames = frames,
                                         .asset_bytes = 100};
    vo_upsample_pairs *p;
    assert_ok(ctx, vo_upsample_pairs_create(ctx, &size, &p));
    fill_grid(&p->coarse, coarse);
    fill_grid(&p->fine, fine);
    p->first_frame[1] = frames / 2;
    p->frame_s = 0.04f;
    p->test_function_count = 7;
    for (size_t i = 0; i < p->asset_bytes; i++) p->asset[i] = (unsigned char)(i * i);
    for (int f = 0; f < frames; f++) {
        place_grid(&p->coarse, 0.04 * f, 0,
                   p->coarse_frames + 3 * (size_t)f * (size_t)size.coarse_vertices);
        place_grid(&p->fine, 0.04 * f, 0.2,
                   p->fine_frames + 3 * (size_t)f * (size_t)size.fine_vertices);
        p->wind[3 * f] = 3 + 0.1f * (float)f;
        p->stats[f].strain = 0.01f * (float)f;
        p->stats[f].inside = (float)f;
    }
    return p;
}

#endif

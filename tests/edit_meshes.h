/* Small garments for the edit tests: sheets whose nodes are merged where their world positions
 * coincide, which makes a seam where the sheets differ. */
#ifndef VOILE_TESTS_EDIT_MESHES_H
#define VOILE_TESTS_EDIT_MESHES_H

#include "support.h"

#include "core/random.h"
#include "math/vec.h"
#include "mesh/data.h"
#include "mesh/validate.h"

#include <string.h>

typedef struct garment {
    vo_context *ctx;
    vo_mesh_data data;
} garment;

/* The node at a position, created if there is none. */
static inline int garment_node(garment *g, vo_vec3 x) {
    vo_mesh_data *d = &g->data;
    for (int n = 0; n < d->node_count; n++)
        if (v3_distance(d->node_x[n], x) < 1e-9) return n;
    assert_true(vo_mesh_data_reserve_nodes(g->ctx, d, d->node_count + 1));
    d->node_x[d->node_count] = x;
    return d->node_count++;
}

static inline int garment_vert(garment *g, vo_vec2 u, vo_vec3 x) {
    vo_mesh_data *d = &g->data;
    int node = garment_node(g, x);
    assert_true(vo_mesh_data_reserve_verts(g->ctx, d, d->vert_count + 1));
    d->vert_u[d->vert_count] = u;
    d->vert_node[d->vert_count] = node;
    return d->vert_count++;
}

static inline void garment_face(garment *g, int a, int b, int c, int label) {
    vo_mesh_data *d = &g->data;
    assert_true(vo_mesh_data_reserve_faces(g->ctx, d, d->face_count + 1));
    d->face_label[d->face_count] = label;
    memcpy(d->face_vert[d->face_count++], (int[]){a, b, c}, 3 * sizeof(int));
}

static inline void garment_edge(garment *g, int a, int b, double rest_angle, int label) {
    vo_mesh_data *d = &g->data;
    assert_true(vo_mesh_data_reserve_edges(g->ctx, d, d->edge_count + 1));
    memcpy(d->edge_node[d->edge_count], (int[]){a, b}, 2 * sizeof(int));
    d->edge_rest_angle[d->edge_count] = rest_angle;
    d->edge_label[d->edge_count++] = label;
}

/* World position of the point (s, t) of a sheet, 0 to 1 each. */
typedef vo_vec3 garment_place(double s, double t, void *arg);

/* Adds a sheet of size x size m at `corner` in material space, without the cells of `hole` (first
 * column, first row, columns, rows). */
static inline void garment_sheet(garment *g, int columns, int rows, vo_vec2 corner, vo_vec2 size,
                                 const int hole[4], int label, garment_place *put, void *arg) {
    int vert[33][33];
    for (int j = 0; j <= rows; j++)
        for (int i = 0; i <= columns; i++) {
            double s = (double)i / columns, t = (double)j / rows;
            bool inside =
                i > hole[0] && i < hole[0] + hole[2] && j > hole[1] && j < hole[1] + hole[3];
            if (inside) continue;
            vert[j][i] =
                garment_vert(g, v2(corner.x + s * size.x, corner.y + t * size.y), put(s, t, arg));
        }
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++) {
            if (i >= hole[0] && i < hole[0] + hole[2] && j >= hole[1] && j < hole[1] + hole[3])
                continue;
            int a = vert[j][i], b = vert[j][i + 1], c = vert[j + 1][i], e = vert[j + 1][i + 1];
            garment_face(g, a, b, (i + j) % 2 ? c : e, label);
            garment_face(g, e, c, (i + j) % 2 ? b : a, label);
        }
}

static const int NO_HOLE[4] = {-2, -2, 0, 0};

static inline vo_vec3 place_flat(double s, double t, void *arg) {
    const double *box = arg; /* corner x, y, size x, y */
    return v3(box[0] + s * box[2], box[1] + t * box[3], 0.1 * (box[0] + s * box[2]));
}

static inline vo_vec3 place_tube(double s, double t, void *arg) {
    const double *range = arg; /* angles at s = 0 and 1 */
    double angle = range[0] + s * (range[1] - range[0]);
    return v3(cos(angle), t, sin(angle));
}

/* A dome whose rim coincides with that of its mirror image. */
static inline vo_vec3 place_pillow(double s, double t, void *arg) {
    double side = *(const double *)arg;
    return v3(side > 0 ? s : 1 - s, t, side * s * (1 - s) * t * (1 - t));
}

/* A square with a square hole. */
static inline void make_holed(garment *g) {
    garment_sheet(g, 6, 6, v2(0.3, 0.7), v2(1, 1), (int[]){2, 2, 2, 2}, 0, place_flat,
                  (double[]){0, 0, 1, 1});
}

/* Two sheets sewn to a tube along two seams. */
static inline void make_tube(garment *g) {
    garment_sheet(g, 4, 4, v2(0, 0), v2(3, 1), NO_HOLE, 0, place_tube, (double[]){0, VO_PI});
    garment_sheet(g, 4, 4, v2(5, 1), v2(3.2, 1.1), NO_HOLE, 1, place_tube,
                  (double[]){VO_PI, 2 * VO_PI});
}

/* Three sheets around a node with three verts. */
static inline void make_junction(garment *g) {
    garment_sheet(g, 4, 2, v2(0, 0), v2(2, 1), NO_HOLE, 0, place_flat, (double[]){-1, -1, 2, 1});
    garment_sheet(g, 2, 2, v2(3, 0), v2(1, 1), NO_HOLE, 0, place_flat, (double[]){-1, 0, 1, 1});
    garment_sheet(g, 2, 2, v2(5, 0), v2(1, 1), NO_HOLE, 1, place_flat, (double[]){0, 0, 1, 1});
}

/* Two sheets sewn all around: no border. */
static inline void make_pillow(garment *g) {
    garment_sheet(g, 4, 4, v2(0, 0), v2(1, 1), NO_HOLE, 0, place_pillow, (double[]){1});
    garment_sheet(g, 4, 4, v2(2, 0), v2(1, 1), NO_HOLE, 0, place_pillow, (double[]){-1});
}

/* A sector of a disk, its straight sides sewn: a cone with one vert at its tip. */
static inline void make_cone(garment *g) {
    enum { RINGS = 3, SPOKES = 9 };
    const double angle = 5; /* of the sector */
    int vert[RINGS + 1][SPOKES + 1];
    int tip = garment_vert(g, v2(0, 0), v3(0, 0, 0));
    for (int j = 1; j <= RINGS; j++)
        for (int i = 0; i <= SPOKES; i++) {
            double a = angle * i / SPOKES, b = 2 * VO_PI * i / SPOKES, r = angle / (2 * VO_PI);
            vert[j][i] = garment_vert(g, v2(j * cos(a), j * sin(a)),
                                      v3(j * r * cos(b), j * r * sin(b), -j * sqrt(1 - r * r)));
        }
    for (int i = 0; i < SPOKES; i++) {
        garment_face(g, tip, vert[1][i], vert[1][i + 1], 0);
        for (int j = 1; j < RINGS; j++) {
            garment_face(g, vert[j][i], vert[j + 1][i], vert[j + 1][i + 1], 0);
            garment_face(g, vert[j][i], vert[j + 1][i + 1], vert[j][i + 1], 0);
        }
    }
}

/* A square of two materials with a crease from border to border, one that ends inside, labelled
 * nodes and verts, and rest angles. */
static inline void make_creased(garment *g) {
    garment_sheet(g, 6, 6, v2(0, 0), v2(1, 1), NO_HOLE, 0, place_flat, (double[]){0, 0, 1, 1});
    vo_mesh_data *d = &g->data;
    for (int f = 0; f < d->face_count; f++) d->face_label[f] = f / 12 >= 2;
    for (int i = 0; i < 6; i++) garment_edge(g, 28 + i, 29 + i, 0.1, 3); /* row 4 */
    for (int j = 4; j < 6; j++) garment_edge(g, 7 * j + 3, 7 * j + 10, 0, 4);
    for (int i = 0; i < 3; i++) garment_edge(g, 7 + i, 8 + i, -0.2, 5); /* row 1 */
    for (int i = 0; i < 6; i++) garment_edge(g, 35 + i, 36 + i, 0.05, 0);
    d->node_label[24] = 7;
    d->vert_label[9] = 2;
}

typedef void garment_fn(garment *g);
static garment_fn *const GARMENTS[] = {make_holed,  make_tube, make_junction,
                                       make_pillow, make_cone, make_creased};
enum { GARMENT_COUNT = sizeof GARMENTS / sizeof *GARMENTS };

/* Builds a garment with random node velocities. NULL without memory. */
static inline vo_mesh *garment_build(vo_context *ctx, int which, uint64_t seed) {
    garment g = {.ctx = ctx};
    vo_random r = vo_random_seed(seed);
    vo_mesh *m;
    GARMENTS[which](&g);
    for (int n = 0; n < g.data.node_count; n++)
        g.data.node_v[n] =
            v3(vo_random_real(&r, 4, 6), vo_random_real(&r, -1, 1), vo_random_real(&r, -1, 1));
    assert_ok(ctx, vo_mesh_build_validated(ctx, "garment", &g.data, VO_MESH_FOR_CLOTH, &m));
    vo_mesh_data_free(ctx, &g.data);
    return m;
}

#endif

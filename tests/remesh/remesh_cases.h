/* Remeshing test cases with metrics prescribed by formulas. */
#ifndef VOILE_TESTS_REMESH_CASES_H
#define VOILE_TESTS_REMESH_CASES_H

#include "edit_check.h"
#include "edit_meshes.h"
#include "mesh_checks.h"

#include "mesh/edit/edit.h"
#include "remesh/remesh.h"

/* Prescribed metric at a material position. */
typedef vo_sym2 prescribed_metric(vo_vec2 u, void *arg);

typedef struct remesh_case {
    vo_context *ctx;
    vo_mesh *mesh;
    vo_edit *edit;
    vo_sizing sizing;
    vo_remesher *remesher;
    vo_remesh_def def;
    vo_remesh_report report;
    vo_sym2 *metric; /* per vert after the last remeshing; NULL before */
} remesh_case;

/* Creates a case; takes ownership of the mesh. */
static inline vo_result case_open(remesh_case *c, vo_context *ctx, vo_mesh *mesh,
                                  double outline_tolerance) {
    vo_edit_def def = vo_edit_def_default();
    vo_sizing_def sizing = vo_sizing_def_default();
    def.outline_tolerance = outline_tolerance;
    *c = (remesh_case){.ctx = ctx, .mesh = mesh, .def = vo_remesh_def_default()};
    c->def.frame_time = 0.04;
    vo_sizing_init(&c->sizing, ctx, &sizing);
    VO_TRY(vo_edit_create(mesh, &def, &c->edit));
    return vo_remesher_create(ctx, &c->remesher);
}

static inline void case_close(remesh_case *c) {
    test_free(c->metric);
    vo_remesher_destroy(c->remesher);
    vo_sizing_free(&c->sizing);
    vo_edit_destroy(c->edit);
    vo_mesh_destroy(c->mesh);
}

/* Replaces the metrics of the sizing field and marks all verts as changed. */
static inline void case_prescribe(remesh_case *c, const vo_sym2 *metric) {
    memcpy(c->sizing.vert, metric, (size_t)c->mesh->vert_count * sizeof *metric);
    memset(c->sizing.vert_changed, 1, (size_t)c->mesh->vert_count);
    c->sizing.changed_verts = c->mesh->vert_count;
}

/* Remeshes and compacts one cloth. */
static inline vo_result remesh_cloth(remesh_case *c, vo_guard *guard, vo_remesh_report *report) {
    vo_result result = vo_remesh_edits(c->remesher, &c->def, c->edit, &c->sizing, guard, 0, report);
    return result == VO_OK ? vo_edit_finish(c->edit) : result;
}

/* Remeshes to sizing.vert and stores the transferred metrics in c->metric. */
static inline vo_result case_remesh(remesh_case *c) {
    int old = c->mesh->vert_count;
    vo_sym2 *before = test_malloc((size_t)old * sizeof *before);
    memcpy(before, c->sizing.vert, (size_t)old * sizeof *before);
    vo_result result = remesh_cloth(c, NULL, &c->report);
    if (result == VO_OK) {
        test_free(c->metric);
        c->metric = test_malloc((size_t)c->mesh->vert_count * sizeof *c->metric);
        result =
            vo_remap_transfer(&c->edit->remap, VO_REMAP_VERT, 3, &before[0].xx, &c->metric[0].xx);
    }
    test_free(before);
    return result;
}

/* Remeshes to a formula. */
static inline vo_result case_remesh_to(remesh_case *c, prescribed_metric *prescribed, void *arg) {
    VO_TRY(vo_sizing_update(&c->sizing, c->mesh, NULL));
    vo_sym2 *metric = test_malloc((size_t)c->mesh->vert_count * sizeof *metric);
    for (int v = 0; v < c->mesh->vert_count; v++) metric[v] = prescribed(c->mesh->vert_u[v], arg);
    case_prescribe(c, metric);
    test_free(metric);
    return case_remesh(c);
}

/* Remeshes again to the metrics of the last remeshing. */
static inline vo_result case_repeat(remesh_case *c) {
    VO_TRY(vo_sizing_update(&c->sizing, c->mesh, NULL));
    case_prescribe(c, c->metric);
    return case_remesh(c);
}

/* ---- formulas ------------------------------------------------------------------------------- */

/* Edges of a given length everywhere. */
static inline vo_sym2 uniform_metric(vo_vec2 u, void *arg) {
    double length = *(double *)arg;
    (void)u;
    return sym2_diagonal(1 / (length * length));
}

/* Edges that grow from 0.02 at the origin by a fifth of the distance from it. */
static inline vo_sym2 graded_metric(vo_vec2 u, void *arg) {
    double length = *(double *)arg + 0.2 * v2_length(u);
    return sym2_diagonal(1 / (length * length));
}

/* Faces five times as long as wide, along circles about the origin. */
static inline vo_sym2 rotating_metric(vo_vec2 u, void *arg) {
    double width = *(double *)arg, angle = atan2(u.y + 0.3, u.x + 0.4);
    vo_eigen2 e = {1 / (width * width), 1 / (25 * width * width), {cos(angle), sin(angle)}};
    return vo_metric_from_eigen(e);
}

/* ---- measures ------------------------------------------------------------------------------- */

typedef struct edge_sizes {
    int count, above_1, above_045,
        not_delaunay; /* edges that violate the criterion beyond the threshold */
    double largest, mean;
} edge_sizes;

/* True if the Delaunay criterion requires a flip of an interior edge that is not a feature. */
static inline bool should_flip_edge(const vo_mesh *m, const vo_sym2 *metric, int edge,
                                    double threshold) {
    int v[4];
    vo_vec2 u[4];
    vo_sym2 corner[4];
    vo_mesh_edge_verts(m, edge, 0, v);
    v[2] = vo_mesh_edge_opposite(m, edge, 0);
    v[3] = vo_mesh_edge_opposite(m, edge, 1);
    for (int i = 0; i < 4; i++) {
        u[i] = m->vert_u[v[i]];
        corner[i] = metric[v[i]];
    }
    return vo_metric_should_flip(u, corner, threshold);
}

static inline edge_sizes measure_sizes(const remesh_case *c, const vo_sym2 *metric) {
    const vo_mesh *m = c->mesh;
    edge_sizes sizes = {.count = m->edge_count};
    for (int e = 0; e < m->edge_count; e++) {
        double s = sqrt(vo_sizing_edge_size2(m, metric, e));
        sizes.above_1 += s > 1;
        sizes.above_045 += s > 0.45;
        sizes.largest = vo_max(sizes.largest, s);
        sizes.mean += s / m->edge_count;
        if (m->edge_face[e][1] >= 0 && !c->edit->edge_feature[e])
            sizes.not_delaunay += should_flip_edge(m, metric, e, c->def.flip_threshold);
    }
    return sizes;
}

static inline double total_area(const vo_mesh *m) {
    double area = 0;
    for (int f = 0; f < m->face_count; f++) area += vo_mesh_face_area(m, f);
    return area;
}

/* Asserts the invariants of editor and validator. */
static inline void check_mesh(const remesh_case *c) {
    vo_mesh_data d = mesh_data(c->mesh);
    vo_mesh_report report;
    assert_ok(c->ctx, check_edit(c->edit));
    assert_ok(c->ctx, vo_mesh_validate(c->ctx, &d, VO_MESH_FOR_CLOTH, &report));
    for (int i = 0; i < report.count; i++)
        assert_int_equal(report.defect[i].kind, VO_DEFECT_COLLAPSED_FACE);
    vo_mesh_report_free(&report);
}

#endif

/* Tests of remeshing with the sizing field of bent sheets and external garments: popping, the edit
 * guard, cost. */
#include "remesh_cases.h"

#include "collide/guard/guard.h"
#include "collide/intersections.h"

#include <stdio.h>

/* World position of a material point. */
typedef vo_vec3 shape_fn(vo_vec2 u, double time);

static vo_vec3 cylinder(vo_vec2 u, double time) {
    (void)time;
    return v3(0.2 * sin(u.x / 0.2), u.y, 0.2 * cos(u.x / 0.2));
}
static vo_vec3 waves(vo_vec2 u, double time) {
    double phase = 14 * u.x + 6 * u.y * u.y + 3 * time;
    return v3(u.x, u.y, 0.04 * sin(phase) * cos(8 * u.y + 0.5 * time));
}
static vo_vec3 hump(vo_vec2 u, double time) {
    vo_vec2 d = v2(u.x - 0.5, u.y - 0.5);
    (void)time;
    return v3(u.x, u.y, 0.1 * exp(-40 * v2_dot(d, d)));
}
static vo_vec3 fold(vo_vec2 u, double time) {
    (void)time;
    return v3(u.x, u.y, fabs(u.x + 0.3 * u.y - 0.6));
}

static void set_shape(vo_mesh *m, shape_fn *position, double time) {
    const double h = 0.01;
    for (int v = 0; v < m->vert_count; v++) {
        int n = m->vert_node[v];
        vo_vec3 before = position(m->vert_u[v], time - h), after = position(m->vert_u[v], time + h);
        m->node_x[n] = position(m->vert_u[v], time);
        m->node_v[n] = v3_scale(0.5 / h, v3_sub(after, before));
    }
}

/* Sets all velocities to zero. */
static void stop_motion(vo_mesh *m) {
    for (int n = 0; n < m->node_count; n++) m->node_v[n] = v3_zero();
}

static vo_sizing_def sizing_for(double refine_angle, double size_min, double size_max) {
    vo_sizing_def def = vo_sizing_def_default();
    def.refine_angle = refine_angle;
    def.size_min = size_min;
    def.size_max = size_max;
    def.aspect_min = 0.2;
    return def;
}

static void open_sheet(remesh_case *c, vo_context *ctx, int cells, shape_fn *position,
                       vo_sizing_def sizing) {
    vo_mesh *m = test_grid(ctx, 1, 1, cells, cells);
    set_shape(m, position, 0);
    assert_ok(ctx, case_open(c, ctx, m, 1e-3));
    vo_sizing_set(&c->sizing, &sizing);
    c->def.aspect_min = 0.2;
}

static int edits_of(const vo_remesh_report *r) { return r->flips + r->splits + r->collapses; }

/* Remeshes for one frame like a simulation. */
static void remesh_frame(remesh_case *c) {
    assert_ok(c->ctx, vo_sizing_update(&c->sizing, c->mesh, NULL));
    assert_ok(c->ctx, case_remesh(c));
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* Radius 0.2 m, 0.3 rad an edge: 0.06 m across and, by the aspect, 0.3 m along, so each edge is
 * shorter than 0.06 m across, and there are not many more than 1 / 0.06 x 1 / 0.3 nodes. */
static void cylinders_refine_across_and_not_along(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (int cells = 20; cells <= 80; cells *= 2) {
        remesh_case c;
        double across = 0, along = 0;
        open_sheet(&c, ctx, cells, cylinder, sizing_for(0.3, 0.005, 0.5));
        remesh_frame(&c);
        check_mesh(&c);
        for (int e = 0; e < c.mesh->edge_count; e++) {
            int v[2];
            vo_mesh_edge_verts(c.mesh, e, 0, v);
            vo_vec2 u = v2_sub(c.mesh->vert_u[v[1]], c.mesh->vert_u[v[0]]);
            across = vo_max(across, fabs(u.x));
            along = vo_max(along, fabs(u.y));
        }
        assert_true(across < 0.062 && along > 0.15);
        assert_in_range(c.mesh->face_count, 2 * 17 * 3, 2 * 33 * 6);
        case_close(&c);
    }
    vo_context_destroy(ctx);
}

/* Each remeshing changes the sizing field of the next one; the sequence must still terminate. */
static void sheets_at_rest_reach_a_fixed_point(void **state) {
    (void)state;
    static shape_fn *const SHAPES[] = {cylinder, waves, hump, fold};
    vo_context *ctx = test_context(1);
    for (int k = 0; k < 4; k++) {
        remesh_case c;
        int frames = 0;
        open_sheet(&c, ctx, 60, SHAPES[k], sizing_for(0.3, 0.01, 0.2));
        stop_motion(c.mesh);
        do {
            remesh_frame(&c);
            check_mesh(&c);
            assert_true(++frames < 20);
        } while (edits_of(&c.report) > 0);
        remesh_frame(&c);
        assert_int_equal(c.report.visited_edges, 0);
        assert_in_range(c.mesh->face_count, 100, 2000);
        case_close(&c);
    }
    vo_context_destroy(ctx);
}

static int count_hysteresis(const vo_edit *e) {
    int count = 0;
    for (int n = 0; n < e->mesh->node_count; n++)
        count += e->node_edit_penalty[n] || e->node_split_cooldown[n];
    return count;
}

/* Hysteresis is stored only with a frame time and is cleared where the cloth moves. */
static void hysteresis_applies_to_cloth_at_rest(void **state) {
    (void)state;
    static const double TIME[] = {0, 0.04, 0.04};
    vo_context *ctx = test_context(1);
    for (int k = 0; k < 3; k++) {
        remesh_case c;
        open_sheet(&c, ctx, 10, waves, sizing_for(0.3, 0.01, 0.2));
        c.def.frame_time = TIME[k];
        for (int frame = 0; frame < 4; frame++) {
            if (k < 2) stop_motion(c.mesh);
            remesh_frame(&c);
        }
        assert_true(edits_of(&c.report) > 0);
        if (k == 0) assert_int_equal(count_hysteresis(c.edit), 0);
        if (k == 1) assert_true(count_hysteresis(c.edit) > 20);
        vo_sizing_invalidate(&c.sizing);
        for (int n = 0; n < c.mesh->node_count; n++) c.mesh->node_v[n] = v3(10, 0, 0);
        c.def.face_budget = 1; /* no splits */
        remesh_frame(&c);
        assert_int_equal(count_hysteresis(c.edit), 0);
        case_close(&c);
    }
    vo_context_destroy(ctx);
}

/* A uniform size gives the initial mesh of a simulation without adaptivity. */
static void uniform_size_gives_a_uniform_mesh(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (int g = 0; g < GARMENT_COUNT; g++) {
        remesh_case c;
        const double size = 0.06;
        vo_sizing_def sizing = sizing_for(INFINITY, size, size);
        assert_ok(ctx, case_open(&c, ctx, garment_build(ctx, g, 1), 0));
        vo_sizing_set(&c.sizing, &sizing);
        remesh_frame(&c);
        check_mesh(&c);
        edge_sizes s = measure_sizes(&c, c.metric);
        for (int v = 0; v < c.mesh->vert_count; v++)
            assert_near(c.metric[v].xx * size * size, 1, 1e-12);
        assert_int_equal(s.above_1, 0);
        assert_true(s.above_045 > 0.9 * s.count && s.mean > 0.65);
        double ideal = total_area(c.mesh) / (sqrt(0.75) / 2 * size * size);
        assert_true(c.mesh->face_count < 2.2 * ideal);
        case_close(&c);
    }
    vo_context_destroy(ctx);
}

/* ---- external garments ----------------------------------------------------------------------- */

/* Invariants of remeshing: panels and seams. */
typedef struct pattern {
    double area, seam, border; /* m^2; m, both sides of seams */
    int euler;
} pattern;

static pattern pattern_of(const remesh_case *c) {
    const vo_mesh *m = c->mesh;
    pattern p = {.area = total_area(m), .euler = m->node_count - m->edge_count + m->face_count};
    for (int e = 0; e < m->edge_count; e++)
        for (int s = 0; s < 2; s++) {
            int v[2], line = c->edit->edge_feature[e];
            vo_mesh_edge_verts(m, e, s, v);
            if (v[0] < 0) continue;
            double length = v2_length(v2_sub(m->vert_u[v[1]], m->vert_u[v[0]]));
            if (line & VO_FEATURE_SEAM) p.seam += length;
            if (line & VO_FEATURE_BORDER) p.border += length;
        }
    return p;
}

static void compare_patterns(const pattern *a, const pattern *b) {
    assert_near(a->area, b->area, 1e-12 * b->area);
    assert_near(a->seam, b->seam, 1e-12 * b->seam);
    assert_near(a->border, b->border, 1e-12 * b->border);
    assert_int_equal(a->euler, b->euler);
}

static void check_garment(vo_context *ctx, const char *name, double fine) {
    char path[512];
    vo_mesh *m;
    remesh_case c;
    snprintf(path, sizeof path, "%s/arcsim/meshes/%s", test_data(), name);
    assert_ok(ctx, vo_mesh_load_obj(ctx, path, VO_MESH_FOR_CLOTH, &m));
    assert_ok(ctx, case_open(&c, ctx, m, 0));
    c.def.aspect_min = 0.2;
    pattern first = pattern_of(&c), now;
    int faces = m->face_count;
    for (int k = 0; k < 4; k++) {
        double size = k % 2 ? 10 : fine;
        assert_ok(ctx, case_remesh_to(&c, k == 2 ? rotating_metric : uniform_metric, &size));
        check_mesh(&c);
        now = pattern_of(&c);
        compare_patterns(&now, &first);
        assert_int_equal(measure_sizes(&c, c.metric).above_1, 0);
        assert_true(k % 2 ? m->face_count <= faces : m->face_count > 1000);
    }
    case_close(&c);
}

static void flags_and_dresses_keep_their_seams(void **state) {
    (void)state;
    if (!test_data()) skip();
    vo_context *ctx = test_context(1);
    check_garment(ctx, "flag.obj", 0.05);
    check_garment(ctx, "dress4.obj", 0.02);
    vo_context_destroy(ctx);
}

/* ---- popping --------------------------------------------------------------------------------- */

/* Returns the world position of a material point by brute force. */
static vo_vec3 find_position(const vo_mesh *m, vo_vec2 u) {
    for (int f = 0; f < m->face_count; f++) {
        const int *v = m->face_vert[f];
        double barycentric[3], sum = 0, smallest = 1;
        for (int i = 0; i < 3; i++) {
            vo_vec2 b = m->vert_u[v[(i + 1) % 3]], c = m->vert_u[v[(i + 2) % 3]];
            barycentric[i] = v2_cross(v2_sub(b, u), v2_sub(c, u));
            sum += barycentric[i];
            smallest = vo_min(smallest, barycentric[i]);
        }
        if (smallest < -1e-9 * sum) continue;
        vo_vec3 x = v3_zero();
        for (int i = 0; i < 3; i++)
            x = v3_add_scaled(x, barycentric[i] / sum, m->node_x[m->vert_node[v[i]]]);
        return x;
    }
    fail_msg("no face has %g, %g", u.x, u.y);
    return v3_zero();
}

/* Returns the displacement of a material point. */
static double moved_at(const vo_mesh *before, const vo_mesh *after, vo_vec2 u) {
    return v3_distance(find_position(before, u), find_position(after, u));
}

/* Compares sampled displacements with the reported popping: none is much larger, and one is as
 * large. */
static void compare_popping(remesh_case *c, double slack) {
    enum { SIDE = 61 };
    vo_mesh *before;
    double largest = 0;
    assert_ok(c->ctx, vo_sizing_update(&c->sizing, c->mesh, NULL));
    assert_ok(c->ctx, vo_mesh_copy(c->ctx, c->mesh, &before));
    assert_ok(c->ctx, case_remesh(c));
    for (int k = 0; k < SIDE * SIDE; k++) {
        vo_vec2 u = v2((k % SIDE + 0.5) / SIDE, (double)(k / SIDE) / (SIDE - 1));
        largest = vo_max(largest, moved_at(before, c->mesh, u));
    }
    for (int v = 0; v < before->vert_count; v++)
        largest = vo_max(largest, moved_at(before, c->mesh, before->vert_u[v]));
    for (int e = 0; e < before->edge_count; e++) {
        int v[2];
        vo_mesh_edge_verts(before, e, 0, v);
        vo_vec2 middle = v2_scale(0.5, v2_add(before->vert_u[v[0]], before->vert_u[v[1]]));
        largest = vo_max(largest, moved_at(before, c->mesh, middle));
    }
    int count;
    const vo_pop *pop = vo_remesher_pops(c->remesher, &count);
    double reported = 0;
    for (int i = 0; i < count; i++)
        reported = vo_max(reported, v3_distance(pop[i].from, pop[i].to));
    assert_true(reported == c->report.popping);
    assert_true(largest <= slack * reported + 1e-12);
    assert_true(reported <= 2 * largest + 1e-12);
    vo_mesh_destroy(before);
}

static void reported_popping_matches_displacements(void **state) {
    (void)state;
    static shape_fn *const SHAPES[] = {cylinder, waves, hump, fold};
    vo_context *ctx = test_context(1);
    for (int k = 0; k < 4; k++) {
        remesh_case c;
        open_sheet(&c, ctx, 24, SHAPES[k], sizing_for(0.3, 0.01, 0.2));
        compare_popping(&c, 1.15); /* strong coarsening */
        for (int frame = 1; frame < 4; frame++) {
            set_shape(c.mesh, SHAPES[k], 0.05 * frame);
            compare_popping(&c, 1.15);
        }
        case_close(&c);
    }
    vo_context_destroy(ctx);
}

/* A pyramid of height h over a square of four faces: flattened, its tip moves by h. */
static void collapsed_tip_moves_by_its_height(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const vo_vec3 x[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.4, 0.5, 0.1}};
    const int face[][3] = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}};
    vo_mesh *m;
    remesh_case c;
    double size = 10;
    assert_ok(ctx, vo_mesh_create(ctx, 5, x, 0, NULL, NULL, 4, face, VO_MESH_FOR_CLOTH, &m));
    assert_ok(ctx, case_open(&c, ctx, m, 0));
    assert_ok(ctx, case_remesh_to(&c, uniform_metric, &size));
    assert_int_equal(c.report.collapses, 1);
    assert_int_equal(m->face_count, 2);
    assert_near(c.report.popping, 0.1, 1e-15);
    case_close(&c);
    vo_context_destroy(ctx);
}

/* ---- the guard ------------------------------------------------------------------------------- */

/* Returns the number of intersecting face pairs of two meshes. */
static int count_intersections(vo_context *ctx, const vo_mesh *a, const vo_mesh *b) {
    int nodes = a->node_count + b->node_count, faces = a->face_count + b->face_count;
    vo_vec3 *x = test_malloc((size_t)nodes * sizeof *x);
    int(*face)[3] = test_malloc((size_t)faces * sizeof *face), count;
    for (int n = 0; n < nodes; n++)
        x[n] = n < a->node_count ? a->node_x[n] : b->node_x[n - a->node_count];
    for (int f = 0; f < faces; f++)
        for (int i = 0; i < 3; i++)
            face[f][i] = f < a->face_count
                             ? vo_mesh_face_node(a, f, i)
                             : vo_mesh_face_node(b, f - a->face_count, i) + a->node_count;
    vo_face_soup soup = {x, (const int(*)[3])face, faces, a->face_count};
    vo_intersections c = {0};
    assert_ok(ctx, vo_intersections_find(ctx, &c, &soup));
    count = c.count;
    vo_intersections_free(ctx, &c);
    test_free(x);
    test_free(face);
    return count;
}

/* Coarsens a sheet close above a hump; without a guard it would cut through the top. */
static int coarsen_over_hump(vo_context *ctx, bool guarded, vo_remesh_report *report) {
    remesh_case c;
    vo_mesh *obstacle;
    vo_guard *guard = NULL;
    open_sheet(&c, ctx, 30, hump, sizing_for(INFINITY, 0.5, 0.5));
    assert_ok(ctx, vo_mesh_copy(ctx, c.mesh, &obstacle));
    for (int n = 0; n < c.mesh->node_count; n++) c.mesh->node_x[n].z += 2e-3;
    assert_ok(ctx, vo_guard_create(ctx, &guard));
    assert_ok(ctx, vo_guard_begin(guard, 1, (const vo_edit *const *)&c.edit, 1,
                                  (const vo_mesh *const *)&obstacle, 0));
    assert_ok(ctx, vo_sizing_update(&c.sizing, c.mesh, NULL));
    assert_ok(ctx, remesh_cloth(&c, guarded ? guard : NULL, report));
    int crossings = count_intersections(ctx, c.mesh, obstacle);
    check_mesh(&c);
    vo_guard_destroy(guard);
    vo_mesh_destroy(obstacle);
    case_close(&c);
    return crossings;
}

static void guard_prevents_intersections(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_remesh_report report;
    assert_true(coarsen_over_hump(ctx, false, &report) > 0);
    assert_int_equal(report.rejected, 0);
    assert_int_equal(coarsen_over_hump(ctx, true, &report), 0);
    assert_true(report.rejected > 0 && report.collapses > 300);
    vo_context_destroy(ctx);
}

/* ---- cost ------------------------------------------------------------------------------------ */

/* Travelling waves: a few per cent of the edges change per frame. */
static void incremental_frames_visit_few_edges(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    remesh_case c;
    double seconds = 0, faces = 0, edges = 0, edits = 0;
    open_sheet(&c, ctx, 10, waves, sizing_for(0.08, 0.005, 0.2));
    for (int frame = 0; frame < 40; frame++) {
        set_shape(c.mesh, waves, frame / 40.0);
        assert_ok(ctx, vo_sizing_update(&c.sizing, c.mesh, NULL));
        double start = test_seconds();
        assert_ok(ctx, remesh_cloth(&c, NULL, &c.report));
        if (frame < 10) continue;
        seconds += test_seconds() - start;
        faces += c.mesh->face_count;
        edges += c.mesh->edge_count;
        edits += edits_of(&c.report);
    }
    check_mesh(&c);
    print_message("%.0f faces, %.1f %% of edges edited: %.3f us a face\n", faces / 30,
                  100 * edits / edges, 1e6 * seconds / faces);
    assert_true(edits > 0.03 * edges);
    assert_true(1e6 * seconds < 3 * TEST_SLOWNESS * faces);
    case_close(&c);
    vo_context_destroy(ctx);
}

/* Periodic waves: memory of the first period is reused. */
static void repeated_frames_allocate_nothing(void **state) {
    (void)state;
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(1, &memory);
    remesh_case c;
    long calls = 0;
    int edits = 0;
    open_sheet(&c, ctx, 10, waves, sizing_for(0.3, 0.01, 0.2));
    for (int frame = 0; frame < 80; frame++) {
        set_shape(c.mesh, waves, 0.05 * (frame % 2));
        if (frame == 60) calls = memory.calls;
        assert_ok(ctx, vo_sizing_update(&c.sizing, c.mesh, NULL));
        assert_ok(ctx, remesh_cloth(&c, NULL, &c.report));
        if (frame >= 60) edits += edits_of(&c.report);
    }
    assert_true(edits > 0);
    assert_int_equal(memory.calls, calls);
    case_close(&c);
    vo_context_destroy(ctx);
    assert_int_equal(memory.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cylinders_refine_across_and_not_along),
        cmocka_unit_test(sheets_at_rest_reach_a_fixed_point),
        cmocka_unit_test(hysteresis_applies_to_cloth_at_rest),
        cmocka_unit_test(uniform_size_gives_a_uniform_mesh),
        cmocka_unit_test(flags_and_dresses_keep_their_seams),
        cmocka_unit_test(reported_popping_matches_displacements),
        cmocka_unit_test(collapsed_tip_moves_by_its_height),
        cmocka_unit_test(guard_prevents_intersections),
        cmocka_unit_test(incremental_frames_visit_few_edges),
        cmocka_unit_test(repeated_frames_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

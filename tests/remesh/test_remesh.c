/* Tests of remeshing to metrics given by formulas or at random: the mesh conforms to the metric,
 * and remeshing it again changes nothing. */
#include "remesh_cases.h"

/* Asserts that a remeshed mesh conforms to the metrics of its verts. */
static void check_sizes(const remesh_case *c, const vo_sym2 *metric, double min_fraction) {
    edge_sizes s = measure_sizes(c, metric);
    check_mesh(c);
    assert_int_equal(s.above_1, 0);
    if (s.above_045 < min_fraction * s.count)
        fail_msg("%d of %d edges are above 0.45", s.above_045, s.count);
    assert_true(s.not_delaunay <= 0.02 * s.count);
}

/* Asserts that a second remeshing changes nothing. */
static void check_fixed_point(remesh_case *c) {
    uint64_t topology = c->mesh->topology;
    assert_ok(c->ctx, case_repeat(c));
    assert_int_equal(c->report.flips + c->report.splits + c->report.collapses, 0);
    assert_true(c->mesh->topology == topology);
    assert_true(c->report.popping == 0);
    assert_ok(c->ctx, vo_sizing_update(&c->sizing, c->mesh, NULL));
    assert_ok(c->ctx, case_remesh(c));
    assert_int_equal(c->report.visited_edges, 0);
}

/* A formula and edge lengths for it, coarser and finer than those of the garments. */
typedef struct formula {
    prescribed_metric *metric_fn;
    double coarse, fine;
} formula;
static const formula FORMULAS[] = {
    {uniform_metric, 0.3, 0.05}, {graded_metric, 0.2, 0.02}, {rotating_metric, 0.1, 0.02}};
enum { FORMULA_COUNT = sizeof FORMULAS / sizeof *FORMULAS };

/* Refines and checks, coarsens and checks. Material area and mass stay to round-off. */
static void refine_and_coarsen(vo_context *ctx, vo_mesh *m, const formula *f) {
    remesh_case c;
    double area = total_area(m), sizes[2] = {f->fine, f->coarse};
    assert_ok(ctx, case_open(&c, ctx, m, 0));
    c.def.aspect_min = 0.1;
    for (int k = 0; k < 2; k++) {
        assert_ok(ctx, case_remesh_to(&c, f->metric_fn, &sizes[k]));
        assert_true(k == 0 ? c.report.splits > 0 : c.report.collapses > 20);
        check_sizes(&c, c.metric, k == 0 ? 0.8 : 0);
        assert_near(total_area(m), area, 1e-12 * area);
        check_fixed_point(&c);
    }
    case_close(&c);
}

static void garments_conform_to_prescribed_metrics(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (int f = 0; f < FORMULA_COUNT; f++)
        for (int g = 0; g < GARMENT_COUNT; g++)
            refine_and_coarsen(ctx, garment_build(ctx, g, 1), &FORMULAS[f]);
    vo_context_destroy(ctx);
}

/* Starts from coarse and fine meshes, with the formula evaluated at each vert. */
static void remesh_to_formula(vo_context *ctx, int cells, const formula *f) {
    remesh_case c;
    double size = f->fine;
    int calls = 0;
    assert_ok(ctx, case_open(&c, ctx, test_grid(ctx, 1, 1, cells, cells), 1e-4));
    c.def.aspect_min = 0.1;
    do {
        assert_ok(ctx, case_remesh_to(&c, f->metric_fn, &size));
        assert_true(++calls < 6);
    } while (c.report.flips + c.report.splits + c.report.collapses > 0);
    check_sizes(&c, c.metric, 0.8);
    case_close(&c);
}

static void coarse_and_fine_meshes_reach_the_formula(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (int f = 0; f < FORMULA_COUNT; f++) {
        remesh_to_formula(ctx, 3, &FORMULAS[f]);
        remesh_to_formula(ctx, 60, &FORMULAS[f]);
    }
    vo_context_destroy(ctx);
}

/* Without size limits a square has two faces. */
static void flat_sheets_coarsen_to_two_faces(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (int cells = 2; cells <= 32; cells *= 2) {
        remesh_case c;
        double size = 10;
        assert_ok(ctx, case_open(&c, ctx, test_grid(ctx, 1, 1, cells, cells), 0));
        c.def.aspect_min = 0.2;
        assert_ok(ctx, case_remesh_to(&c, uniform_metric, &size));
        assert_int_equal(c.mesh->face_count, 2);
        assert_near(total_area(c.mesh), 1, 1e-15);
        assert_true(c.report.popping < 1e-12);
        check_fixed_point(&c);
        case_close(&c);
    }
    vo_context_destroy(ctx);
}

/* ---- random metrics -------------------------------------------------------------------------- */

/* Any metric: sizes over two decades, any direction, up to 30 times as long as wide. */
static vo_sym2 random_metric(vo_random *r) {
    double width = 0.03 * pow(100, vo_random_real(r, 0, 1)), angle = vo_random_real(r, 0, VO_PI);
    double ratio = pow(30, -2 * vo_random_real(r, 0, 1)), large = 1 / (width * width);
    return vo_metric_from_eigen((vo_eigen2){large, ratio * large, {cos(angle), sin(angle)}});
}

static void remesh_at_random(remesh_case *c, vo_random *r) {
    assert_ok(c->ctx, vo_sizing_update(&c->sizing, c->mesh, NULL));
    vo_sym2 *metric = test_malloc((size_t)c->mesh->vert_count * sizeof *metric);
    for (int v = 0; v < c->mesh->vert_count; v++) metric[v] = random_metric(r);
    case_prescribe(c, metric);
    test_free(metric);
    assert_ok(c->ctx, case_remesh(c));
}

static void random_metrics_are_reached(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (int g = 0; g < GARMENT_COUNT; g++) {
        remesh_case c;
        vo_random r = vo_random_seed((uint64_t)g);
        vo_mesh *m = garment_build(ctx, g, 3);
        double area = total_area(m);
        assert_ok(ctx, case_open(&c, ctx, m, 0));
        for (int round = 0; round < 12; round++) {
            c.def.aspect_min = round % 3 * 0.2;
            remesh_at_random(&c, &r);
            check_mesh(&c);
            assert_int_equal(measure_sizes(&c, c.metric).above_1, 0);
            assert_near(total_area(m), area, 1e-12 * area);
            check_fixed_point(&c);
        }
        case_close(&c);
    }
    vo_context_destroy(ctx);
}

/* ---- incremental updates --------------------------------------------------------------------- */

/* One vert requests smaller edges; distant edges are not visited. */
static void local_change_visits_nearby_edges_only(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    remesh_case c;
    double size = 0.05;
    assert_ok(ctx, case_open(&c, ctx, test_grid(ctx, 1, 1, 24, 24), 0));
    assert_ok(ctx, case_remesh_to(&c, uniform_metric, &size));
    assert_ok(ctx, vo_sizing_update(&c.sizing, c.mesh, NULL));
    case_prescribe(&c, c.metric);
    assert_ok(ctx, case_remesh(&c));
    int all = c.report.visited_edges, vert = c.mesh->vert_count / 2;
    vo_vec2 middle = c.mesh->vert_u[vert];
    assert_int_equal(all, c.mesh->edge_count);

    assert_ok(ctx, vo_sizing_update(&c.sizing, c.mesh, NULL));
    c.sizing.vert[vert] = sym2_diagonal(3000);
    c.sizing.vert_changed[vert] = 1;
    c.sizing.changed_verts = 1;
    assert_ok(ctx, case_remesh(&c));
    assert_true(c.report.splits > 0);
    assert_in_range(c.report.visited_edges, 12, all / 10);
    assert_int_equal(measure_sizes(&c, c.metric).above_1, 0);
    for (int v = 0; v < c.mesh->vert_count; v++) {
        vo_parents p = {0};
        assert_ok(ctx, vo_remap_parents(&c.edit->remap, VO_REMAP_VERT, v, &p));
        if (p.count > 1) assert_true(v2_length(v2_sub(c.mesh->vert_u[v], middle)) < 0.1);
        vo_parents_free(ctx, &p);
    }
    case_close(&c);
    vo_context_destroy(ctx);
}

/* The remap table is the identity, also after a frame with edits. */
static void remap_table_is_identity_at_rest(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    remesh_case c;
    double size = 1;
    assert_ok(ctx, case_open(&c, ctx, test_grid(ctx, 1, 1, 8, 8), 0));
    assert_ok(ctx, case_remesh_to(&c, uniform_metric, &size));
    assert_true(c.report.collapses > 0);
    assert_ok(ctx, vo_sizing_update(&c.sizing, c.mesh, NULL));
    assert_ok(ctx, vo_sizing_update(&c.sizing, c.mesh, NULL));
    assert_int_equal(c.sizing.changed_verts, 0);
    assert_ok(ctx, case_remesh(&c));
    assert_int_equal(c.edit->remap.of[VO_REMAP_NODE].old_count, c.mesh->node_count);
    for (int n = 0; n < c.mesh->node_count; n++)
        assert_int_equal(vo_remap_new_index(&c.edit->remap, VO_REMAP_NODE, n), n);
    case_close(&c);
    vo_context_destroy(ctx);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void face_budget_is_respected(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    remesh_case c;
    double fine = 0.02, coarse = 0.2;
    assert_ok(ctx, case_open(&c, ctx, test_grid(ctx, 1, 1, 2, 2), 0));
    c.def.face_budget = 300;
    assert_ok(ctx, case_remesh_to(&c, uniform_metric, &fine));
    assert_false(c.report.budget_met);
    assert_in_range(c.mesh->face_count, 290, 300);
    /* Longest edges are split first, so a uniform metric is approached evenly. */
    assert_true(measure_sizes(&c, c.metric).largest < 7);
    check_mesh(&c);
    check_fixed_point(&c);
    c.def.face_budget = 100000;
    assert_ok(ctx, case_remesh_to(&c, uniform_metric, &fine));
    assert_true(c.report.budget_met);
    assert_int_equal(measure_sizes(&c, c.metric).above_1, 0);
    /* A mesh beyond its budget is coarsened, then refined within it. */
    c.def.face_budget = 200;
    assert_ok(ctx, case_remesh_to(&c, uniform_metric, &coarse));
    assert_true(c.report.budget_met);
    assert_true(c.mesh->face_count <= 200);
    case_close(&c);
    vo_context_destroy(ctx);
}

/* Faces created by a collapse keep the smallest aspect in the metric. */
static void collapses_respect_aspect_min(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (int k = 1; k < 4; k++) {
        remesh_case c;
        double width = 0.05, min_aspect = INFINITY;
        assert_ok(ctx, case_open(&c, ctx, test_grid(ctx, 1, 1, 40, 40), 0));
        c.def.aspect_min = 0.2 * k;
        assert_ok(ctx, case_remesh_to(&c, rotating_metric, &width));
        assert_true(c.report.collapses > 500);
        for (int f = 0; f < c.mesh->face_count; f++) {
            const int *v = c.mesh->face_vert[f];
            vo_sym2 mean = sym2_add(sym2_add(c.metric[v[0]], c.metric[v[1]]), c.metric[v[2]]);
            double perimeter = 0, area = 2 * vo_mesh_face_area(c.mesh, f) * sqrt(sym2_det(mean));
            for (int i = 0; i < 3; i++) {
                vo_vec2 u = v2_sub(c.mesh->vert_u[v[(i + 1) % 3]], c.mesh->vert_u[v[i]]);
                perimeter += sqrt(sym2_dot(mean, u, u));
            }
            min_aspect = vo_min(min_aspect, 6 * sqrt(3) * area / (perimeter * perimeter));
        }
        /* Flips afterwards raise the smallest angle, not always the aspect. */
        assert_true(min_aspect > 0.85 * c.def.aspect_min);
        case_close(&c);
    }
    vo_context_destroy(ctx);
}

/* ---- momentum, memory, the same bits --------------------------------------------------------- */

/* Uses the lumped masses of the editor. */
static vo_vec3 momentum_of(const vo_edit *e, double *mass, double *energy) {
    vo_vec3 sum = v3_zero();
    *mass = *energy = 0;
    for (int n = 0; n < e->mesh->node_count; n++) {
        *mass += e->node_mass[n];
        *energy += 0.5 * e->node_mass[n] * v3_length2(e->mesh->node_v[n]);
        sum = v3_add_scaled(sum, e->node_mass[n], e->mesh->node_v[n]);
    }
    return sum;
}

static void mass_and_momentum_are_preserved(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (int g = 0; g < GARMENT_COUNT; g++) {
        remesh_case c;
        vo_random r = vo_random_seed(17);
        double mass, energy, mass_now, energy_now;
        assert_ok(ctx, case_open(&c, ctx, garment_build(ctx, g, 5), 0));
        vo_vec3 momentum = momentum_of(c.edit, &mass, &energy);
        for (int round = 0; round < 6; round++) {
            remesh_at_random(&c, &r);
            vo_vec3 now = momentum_of(c.edit, &mass_now, &energy_now);
            assert_near(mass_now, mass, 1e-12 * mass);
            assert_near(v3_distance(now, momentum), 0, 1e-11 * v3_length(momentum));
            assert_true(energy_now <= energy * (1 + 1e-12));
            energy = energy_now;
        }
        case_close(&c);
    }
    vo_context_destroy(ctx);
}

static void equal_inputs_give_equal_bits(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    remesh_case c[2];
    for (int k = 0; k < 2; k++) {
        vo_random r = vo_random_seed(5);
        assert_ok(ctx, case_open(&c[k], ctx, garment_build(ctx, 1, 5), 0.01));
        for (int round = 0; round < 5; round++) remesh_at_random(&c[k], &r);
    }
    const vo_mesh *a = c[0].mesh, *b = c[1].mesh;
    assert_int_equal(a->face_count, b->face_count);
    assert_memory_equal(a->face_vert, b->face_vert, (size_t)a->face_count * sizeof *a->face_vert);
    assert_memory_equal(a->vert_u, b->vert_u, (size_t)a->vert_count * sizeof *a->vert_u);
    assert_memory_equal(a->node_x, b->node_x, (size_t)a->node_count * sizeof *a->node_x);
    for (int k = 0; k < 2; k++) case_close(&c[k]);
    vo_context_destroy(ctx);
}

static vo_result remesh_twice(vo_context *ctx, void *arg) {
    remesh_case c = {.ctx = ctx};
    vo_mesh *m;
    double fine = 0.1, coarse = 0.5;
    (void)arg;
    VO_TRY(vo_mesh_create_grid(ctx, 1, 1, 2, 2, &m));
    vo_result result = case_open(&c, ctx, m, 0);
    if (result == VO_OK) result = case_remesh_to(&c, uniform_metric, &fine);
    if (result == VO_OK) result = case_remesh_to(&c, uniform_metric, &coarse);
    case_close(&c);
    return result;
}

static void allocation_failure_is_reported(void **state) {
    (void)state;
    test_every_allocation(remesh_twice, NULL);
}

/* ---- popping limit --------------------------------------------------------------------------- */

/* A sheet with bumps. */
static vo_mesh *make_bumps(vo_context *ctx) {
    vo_mesh *m = test_grid(ctx, 1, 1, 24, 24);
    for (int i = 0; i < m->node_count; i++) {
        vo_vec3 *x = &m->node_x[i];
        x->z = 0.03 * sin(9 * x->x) * cos(7 * x->y) + 0.004 * sin(60 * x->x + 40 * x->y);
    }
    return m;
}

/* Face and world position of a fabric point, by brute force. */
static int find_point(const vo_mesh *m, vo_vec2 u, vo_vec3 *x) {
    double best = -INFINITY;
    int found = -1;
    for (int f = 0; f < m->face_count; f++) {
        const int *v = m->face_vert[f];
        vo_vec2 a = m->vert_u[v[0]], b = m->vert_u[v[1]], c = m->vert_u[v[2]];
        double area = v2_cross(v2_sub(b, a), v2_sub(c, a));
        double s = v2_cross(v2_sub(u, a), v2_sub(c, a)) / area;
        double t = v2_cross(v2_sub(b, a), v2_sub(u, a)) / area;
        double inside = vo_min(1 - s - t, vo_min(s, t));
        if (!(inside > best)) continue;
        best = inside;
        found = f;
        vo_vec3 p = m->node_x[m->vert_node[v[0]]];
        *x = v3_add_scaled(v3_add_scaled(p, s, v3_sub(m->node_x[m->vert_node[v[1]]], p)), t,
                           v3_sub(m->node_x[m->vert_node[v[2]]], p));
    }
    return found;
}

static double height_difference(const void *user, vo_vec3 from, vo_vec3 to) {
    (void)user;
    return fabs(to.z - from.z);
}

enum { POINTS = 2000 };
typedef struct tracked_point {
    vo_vec2 u;
    vo_vec3 x;
    bool limited;
    int now; /* face that contains the point after remeshing */
    double moved;
} tracked_point;

/* Updates the points after a call and raises the maximum displacements of limited points, of all
 * others, and of all points on faces that now contain limited points. */
static void measure_moves(const vo_mesh *m, tracked_point *point, double moved[3]) {
    static bool has_limited[4 * 24 * 24];
    memset(has_limited, 0, sizeof has_limited);
    for (int i = 0; i < POINTS; i++) {
        tracked_point *p = &point[i];
        vo_vec3 x;
        p->now = find_point(m, p->u, &x);
        p->moved = fabs(x.z - p->x.z);
        has_limited[p->now] |= p->limited;
        moved[p->limited ? 0 : 1] = vo_max(moved[p->limited ? 0 : 1], p->moved);
    }
    for (int i = 0; i < POINTS; i++)
        if (has_limited[point[i].now]) moved[2] = vo_max(moved[2], point[i].moved);
}

/* Coarsens bumps whose left half is visible. */
static vo_remesh_report coarsen_bumps(vo_context *ctx, double limit, int calls, double moved[3]) {
    static tracked_point point[POINTS];
    static unsigned char limited[4 * 24 * 24];
    remesh_case c;
    vo_random r = vo_random_seed(5);
    double size = 0.25;
    vo_pop_limit pop_limit = {limited, height_difference, NULL, limit, NULL};
    assert_ok(ctx, case_open(&c, ctx, make_bumps(ctx), 0));
    c.def.pop_limit = &pop_limit;
    moved[0] = moved[1] = moved[2] = 0;
    for (int call = 0; call < calls; call++) {
        for (int f = 0; f < c.mesh->face_count; f++)
            limited[f] = c.mesh->vert_u[c.mesh->face_vert[f][0]].x < 0.5;
        for (int i = 0; i < POINTS; i++) {
            point[i].u = v2(vo_random_real(&r, 0, 1), vo_random_real(&r, 0, 1));
            point[i].limited = limited[find_point(c.mesh, point[i].u, &point[i].x)];
        }
        assert_ok(ctx, case_remesh_to(&c, uniform_metric, &size));
        check_mesh(&c);
        measure_moves(c.mesh, point, moved);
    }
    vo_remesh_report report = c.report;
    case_close(&c);
    return report;
}

/* No edit moves a limited point, or a point that now shares a face with one, beyond the limit of a
 * call; other points move further. Deferred edits are made by later calls where possible, and these
 * terminate too. */
static void visible_points_stay_within_the_limit(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    static const double LIMITS[] = {0, 1e-4, 1e-3, 5e-3};
    int collapses = -1;
    for (int i = 0; i < 4; i++) {
        double moved[3];
        vo_remesh_report report = coarsen_bumps(ctx, LIMITS[i], 1, moved);
        print_message("limit %g: moved %g, on the same faces %g, elsewhere %g; %d collapses, "
                      "%d deferred\n",
                      LIMITS[i], moved[0], moved[2], moved[1], report.collapses, report.deferred);
        assert_true(moved[0] <= LIMITS[i] + 1e-12);
        assert_true(moved[2] <= LIMITS[i] + 1e-12);
        assert_true(moved[1] > 0.01);
        assert_true(report.deferred > 0);
        assert_true(report.collapses > collapses);
        collapses = report.collapses;
        coarsen_bumps(ctx, LIMITS[i], 4, moved);
        assert_true(moved[0] <= LIMITS[i] + 1e-12);
        assert_true(moved[2] <= LIMITS[i] + 1e-12);
    }
    double moved[3];
    vo_remesh_report unlimited = coarsen_bumps(ctx, INFINITY, 1, moved);
    assert_int_equal(unlimited.deferred, 0);
    assert_true(moved[0] > 0.01);
    vo_context_destroy(ctx);
}

static bool is_in_right_half(const void *user, vo_vec3 point) {
    (void)user;
    return point.x > 0.5;
}

/* No face is limited, but points that end up in the right half are visible: these stay within the
 * limit, others move further. */
static void occluded_points_do_not_become_visible(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    static unsigned char limited[4 * 24 * 24];
    static const double LIMITS = 1e-3;
    remesh_case c;
    vo_random r = vo_random_seed(7);
    double size = 0.2, left = 0, right = 0;
    vo_pop_limit pop_limit = {limited, height_difference, NULL, LIMITS, is_in_right_half};
    vo_mesh *before = make_bumps(ctx);
    assert_ok(ctx, case_open(&c, ctx, make_bumps(ctx), 0));
    c.def.pop_limit = &pop_limit;
    assert_ok(ctx, case_remesh_to(&c, uniform_metric, &size));
    check_mesh(&c);
    for (int i = 0; i < POINTS; i++) {
        vo_vec3 from, to;
        vo_vec2 u = v2(vo_random_real(&r, 0, 1), vo_random_real(&r, 0, 1));
        find_point(before, u, &from);
        find_point(c.mesh, u, &to);
        if (u.x < 0.5) left = vo_max(left, fabs(to.z - from.z));
        if (u.x > 0.5 + size) right = vo_max(right, fabs(to.z - from.z));
    }
    print_message("moved %g where visible, %g elsewhere; %d deferred\n", right, left,
                  c.report.deferred);
    assert_true(right <= LIMITS + 1e-12);
    assert_true(left > 0.01);
    assert_true(c.report.deferred > 0);
    case_close(&c);
    vo_mesh_destroy(before);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(garments_conform_to_prescribed_metrics),
        cmocka_unit_test(coarse_and_fine_meshes_reach_the_formula),
        cmocka_unit_test(flat_sheets_coarsen_to_two_faces),
        cmocka_unit_test(random_metrics_are_reached),
        cmocka_unit_test(local_change_visits_nearby_edges_only),
        cmocka_unit_test(remap_table_is_identity_at_rest),
        cmocka_unit_test(face_budget_is_respected),
        cmocka_unit_test(collapses_respect_aspect_min),
        cmocka_unit_test(mass_and_momentum_are_preserved),
        cmocka_unit_test(equal_inputs_give_equal_bits),
        cmocka_unit_test(visible_points_stay_within_the_limit),
        cmocka_unit_test(occluded_points_do_not_become_visible),
        cmocka_unit_test(allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

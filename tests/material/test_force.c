/* Tests of wind and springs against finite differences and closed forms. */
#include "support.h"

#include "core/memory.h"
#include "core/random.h"
#include "force/wind.h"
#include "integrate/implicit.h"

#include <math.h>

/* ---- wind ----------------------------------------------------------------------------------- */

static vo_p4 all_lanes(vo_vec3 p) { return (vo_p4){d4_set(p.x), d4_set(p.y), d4_set(p.z)}; }

static vo_wind4 lanes(const vo_wind *wind, double area, const vo_vec3 x[3], vo_vec3 v) {
    vo_p4 x4[3], v4[3];
    for (int i = 0; i < 3; i++) {
        x4[i] = all_lanes(x[i]);
        v4[i] = all_lanes(v);
    }
    return vo_wind4_eval(wind, d4_set(area), x4, v4);
}

static void wind_lanes_agree_and_slope_is_derivative(void **state) {
    (void)state;
    vo_random random = vo_random_seed(5);
    for (int trial = 0; trial < 200; trial++) {
        vo_wind wind = {vo_random_real(&random, 0, 2), test_random_vec3(&random, 5),
                        vo_random_real(&random, 0, 1)};
        vo_vec3 x[3], v = test_random_vec3(&random, 3);
        for (int i = 0; i < 3; i++) x[i] = test_random_vec3(&random, 1);
        double area = vo_random_real(&random, 0.1, 1), h = 1e-6;
        vo_wind4 got = lanes(&wind, area, x, v);
        vo_vec3 force = vo_wind_force(&wind, area, x, v);
        vo_vec3 n = v3(got.normal.x[1], got.normal.y[1], got.normal.z[1]);
        assert_near(got.force.x[1], force.x, 1e-12);
        assert_near(got.force.y[2], force.y, 1e-12);
        assert_near(got.force.z[3], force.z, 1e-12);
        double un = v3_dot(v3_sub(v, wind.velocity), n);
        if (fabs(un) < 1e-3) continue; /* |un| has a kink at zero */
        vo_vec3 d = v3_normalize(test_random_vec3(&random, 1));
        vo_vec3 up = vo_wind_force(&wind, area, x, v3_add_scaled(v, h, d));
        vo_vec3 down = vo_wind_force(&wind, area, x, v3_add_scaled(v, -h, d));
        vo_vec3 slope = v3_scale(-0.5 / h, v3_sub(up, down));
        vo_vec3 claimed =
            v3_add(v3_scale(got.across[0] * v3_dot(n, d), n), v3_scale(got.along[0], d));
        assert_true(v3_distance(slope, claimed) < 1e-6 * (1 + v3_length(slope)));
    }
}

static void degenerate_face_has_no_wind(void **state) {
    (void)state;
    vo_wind wind = {1, {3, 2, 1}, 0};
    vo_vec3 x[3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    vo_wind4 got = lanes(&wind, 0.1, x, v3_zero());
    assert_near(got.force.x[0], 0, 0);
    assert_near(got.across[0], 0, 0);
}

/* ---- springs -------------------------------------------------------------------------------- */

/* Two separate triangles of one cloth, which move as two bodies of known mass. */
typedef struct pair {
    vo_context *ctx;
    vo_mesh *mesh;
    vo_fabric *fabric;
    vo_material material;
    vo_system_cloth cloth;
    vo_implicit implicit;
    vo_implicit_def def;
    double mass; /* kg, per node */
} pair;

static void open_pair(pair *p, const vo_vec3 velocity[2]) {
    *p = (pair){.ctx = test_context(1)};
    vo_vec3 x[6];
    int faces[2][3] = {{0, 1, 2}, {3, 4, 5}};
    for (int i = 0; i < 6; i++) x[i] = v3((i % 3 == 1) + 2 * (i / 3), i % 3 == 2, 0);
    assert_ok(p->ctx, vo_mesh_create(p->ctx, 6, x, 0, NULL, NULL, 2, (const int(*)[3])faces,
                                     VO_MESH_FOR_CLOTH, &p->mesh));
    vo_fabric_def fabric = vo_fabric_def_default();
    assert_ok(p->ctx, vo_fabric_create(p->ctx, &fabric, &p->fabric));
    p->material = (vo_material){p->fabric, 1, 1, 1, 0, -INFINITY, INFINITY};
    p->cloth = (vo_system_cloth){.mesh = p->mesh, .material = &p->material};
    int ties[3][2] = {{0, 3}, {1, 4}, {2, 5}};
    assert_ok(p->ctx,
              vo_implicit_create(p->ctx, 1, &p->cloth, 3, (const int(*)[2])ties, &p->implicit));
    for (int i = 0; i < 6; i++) {
        int row = p->implicit.system.row_of[i];
        vo_vec3 v = velocity[i / 3];
        p->implicit.x[row] = (vo_vec4){x[i].x, x[i].y, x[i].z, 0};
        p->implicit.v[row] = (vo_vec4){v.x, v.y, v.z, 0};
    }
    p->def = (vo_implicit_def){.dt = 0.01, .tolerance = 1e-10, .max_iterations = 500};
    p->mass = 0.5 * fabric.density / 3;
}

static void close_pair(pair *p) {
    vo_implicit_free(&p->implicit);
    vo_fabric_destroy(p->fabric);
    vo_mesh_destroy(p->mesh);
    vo_context_destroy(p->ctx);
}

/* m dv = -dt k (x + dt (v + dv) - p) for every node. */
static void anchor_force_is_exact(void **state) {
    (void)state;
    pair p;
    vo_vec3 velocity[2] = {{1, 2, 3}, {0, 0, 0}};
    open_pair(&p, velocity);
    vo_anchor anchor[3];
    double k = 7, dt = p.def.dt;
    for (int i = 0; i < 3; i++)
        anchor[i] =
            (vo_anchor){p.implicit.system.row_of[i], k, v3_add(p.mesh->node_x[i], v3(0, 0, 0.5))};
    vo_constraints c = {.anchor_count = 3, .anchor = anchor};
    vo_implicit_report report = vo_implicit_solve(&p.implicit, &p.def, &c);
    assert_int_equal(report.outcome, VO_STEP_SOLVED);
    double expected = -dt * k * (dt * 3 - 0.5) / (p.mass + dt * dt * k);
    for (int i = 0; i < 3; i++)
        assert_near(p.implicit.dv[p.implicit.system.row_of[i]].z, expected, 1e-5 * fabs(expected));
    assert_near(p.implicit.dv[p.implicit.system.row_of[4]].z, 0, 1e-9);
    close_pair(&p);
}

/* The two bodies are 2 m apart in x: m dv = dt k (2 + dt (1 - 2 dv)) towards each other. */
static void tie_force_is_symmetric(void **state) {
    (void)state;
    pair p;
    vo_vec3 velocity[2] = {{-0.5, 0, 0}, {0.5, 0, 0}};
    open_pair(&p, velocity);
    vo_tie tie[3];
    double k = 3, dt = p.def.dt;
    for (int i = 0; i < 3; i++)
        tie[i] = (vo_tie){{p.implicit.system.row_of[i], p.implicit.system.row_of[3 + i]}, k};
    vo_constraints c = {.tie_count = 3, .tie = tie};
    assert_int_equal(vo_implicit_solve(&p.implicit, &p.def, &c).outcome, VO_STEP_SOLVED);
    double expected = dt * k * (2 + dt) / (p.mass + 2 * dt * dt * k);
    for (int i = 0; i < 6; i++)
        assert_near(p.implicit.dv[p.implicit.system.row_of[i]].x, i < 3 ? expected : -expected,
                    1e-5 * expected);
    close_pair(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wind_lanes_agree_and_slope_is_derivative),
        cmocka_unit_test(degenerate_face_has_no_wind),
        cmocka_unit_test(anchor_force_is_exact),
        cmocka_unit_test(tie_force_is_symmetric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

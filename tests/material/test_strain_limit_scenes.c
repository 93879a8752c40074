/* Tests of strain limiting in simulations: hanging, flapping and caught sheets at several
 * resolutions. */
#include "support.h"

#include "mesh/mesh.h"

#include <voile/voile.h>

#include <math.h>

typedef struct sheet {
    int cells;
    double wind;  /* m/s */
    double speed; /* m/s, away from the held corners, at the start */
    bool limited;
    int threads;
} sheet;

/* A square metre of soft fabric, held at two corners. */
static void make_scene(vo_context *ctx, const sheet *s, vo_scene **scene) {
    vo_mesh *mesh = NULL;
    vo_fabric *fabric = NULL;
    vo_scene_def def = vo_scene_def_default();
    def.wind_velocity = v3(s->wind, 0.1 * s->wind, 0);
    assert_ok(ctx, vo_scene_create(ctx, &def, scene));
    mesh = test_grid(ctx, 1, 1, s->cells, s->cells);
    for (int i = 0; i < mesh->node_count; i++) mesh->node_v[i] = v3(0, s->speed, 0);
    vo_fabric_def soft = vo_fabric_def_default();
    assert_ok(ctx, vo_fabric_create(ctx, &soft, &fabric));
    vo_material_def material = vo_material_def_default();
    material.fabric = fabric;
    material.stretching_mult = 0.05;
    if (s->limited) material.stretch_min = 0.95, material.stretch_max = 1.05;
    vo_cloth_def cloth = vo_cloth_def_default();
    cloth.mesh = mesh;
    cloth.materials = &material;
    cloth.material_count = 1;
    assert_ok(ctx, vo_scene_add_cloth(*scene, &cloth, NULL));
    int corners[2] = {0, s->cells};
    vo_handle_def pins = vo_handle_def_default();
    pins.nodes = corners;
    pins.node_count = 2;
    assert_ok(ctx, vo_scene_add_handle(*scene, &pins, NULL));
    vo_fabric_destroy(fabric);
    vo_mesh_destroy(mesh);
}

/* Maxima over all frames, and the final state. */
typedef struct outcome {
    double strain, excess, speed; /* speed: at the end */
    int beyond, passes;
    uint64_t hash;
} outcome;

static outcome run(sheet s, int frames) {
    vo_context *ctx = test_context(s.threads ? s.threads : 1);
    vo_scene *scene = NULL;
    vo_sim *sim;
    outcome o = {0};
    make_scene(ctx, &s, &scene);
    assert_ok(ctx, vo_sim_create(ctx, scene, &sim));
    for (int i = 0; i < frames; i++) {
        assert_ok(ctx, vo_sim_step_frame(sim));
        vo_stats stats = vo_sim_get_stats(sim);
        o.strain = fmax(o.strain, fmax(stats.max_strain, -stats.min_strain));
        o.excess = fmax(o.excess, stats.limit_excess);
        o.beyond = stats.beyond_limits > o.beyond ? stats.beyond_limits : o.beyond;
        o.passes += stats.limit_passes;
        o.speed = stats.max_speed;
        assert_int_equal(stats.frozen_substeps + stats.step_halvings, 0);
    }
    o.hash = vo_sim_hash(sim);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
    print_message("%2d cells: strain %.4f, excess %.4f, at most %d faces beyond, %d passes\n",
                  s.cells, o.strain, o.excess, o.beyond, o.passes);
    return o;
}

static const int cells[] = {8, 16, 32};

static void hanging_sheet_stays_within_limits(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        outcome with = run((sheet){.cells = cells[i], .limited = true}, 12);
        outcome without = run((sheet){.cells = cells[i]}, 12);
        assert_true(without.strain > 0.1);
        assert_int_equal(without.passes + without.beyond, 0);
        assert_true(with.passes > 0);
        assert_near(with.excess, fmax(with.strain - 0.05, 0), 1e-6);
        assert_true(with.excess < 0.008);
    }
}

/* Up to the ninth frame, in which it collides with itself: collision response has priority over
 * limits, and the remaining excess then depends on rounding. */
static void flag_stays_within_limits(void **state) {
    (void)state;
    static const double wind[] = {9.8, 10, 10.2};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            outcome o = run((sheet){.cells = cells[i], .wind = wind[k], .limited = true}, 8);
            assert_true(o.excess < 0.02 && o.beyond <= 8);
        }
}

/* Falls at 6 m/s, 3 cm per step, when its corners become fixed. */
static void caught_sheet_stays_within_limits(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        outcome o = run((sheet){.cells = cells[i], .speed = 6, .limited = true}, 10);
        assert_true(o.excess < 0.02 && o.beyond <= 8);
    }
}

static void hanging_sheet_comes_to_rest(void **state) {
    (void)state;
    outcome o = run((sheet){.cells = 12, .limited = true}, 100);
    print_message("fastest node after 4 s: %.4f m/s\n", o.speed);
    assert_true(o.speed < 0.3);
}

static void result_is_independent_of_threads(void **state) {
    (void)state;
    sheet s = {.cells = 32, .wind = 10, .limited = true};
    uint64_t hash[3];
    for (int i = 0; i < 3; i++) {
        s.threads = i + 1;
        hash[i] = run(s, 3).hash;
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hanging_sheet_stays_within_limits),
        cmocka_unit_test(flag_stays_within_limits),
        cmocka_unit_test(caught_sheet_stays_within_limits),
        cmocka_unit_test(hanging_sheet_comes_to_rest),
        cmocka_unit_test(result_is_independent_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

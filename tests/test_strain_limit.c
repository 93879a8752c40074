/* Strain limiting by itself: what it must reach and what it must keep. */
#include "support.h"

#include "core/memory.h"
#include "core/random.h"
#include "integrate/strain_limit.h"

#include <math.h>
#include <string.h>

typedef struct fixture {
    vo_context *ctx;
    vo_mesh *mesh;
    vo_fabric *fabric;
    vo_material material;
    vo_system_cloth cloth;
    vo_system system;
    vo_limiter limiter;
    vo_vec4 *x, *v;
    unsigned char *fixed;
} fixture;

/* A sheet stretched unevenly by up to half its size. */
static void open_fixture(fixture *f, int threads, double low, double high) {
    *f = (fixture){.ctx = test_context(threads)};
    assert_ok(f->ctx, vo_mesh_create_grid(f->ctx, 1, 1, 30, 30, &f->mesh));
    vo_fabric_def def = vo_fabric_def_default();
    assert_ok(f->ctx, vo_fabric_create(f->ctx, &def, &f->fabric));
    f->material = (vo_material){f->fabric, 1, 1, 1, 0, low, high};
    f->cloth = (vo_system_cloth){.mesh = f->mesh, .material = &f->material};
    assert_ok(f->ctx, vo_system_build(f->ctx, 1, &f->cloth, 0, NULL, &f->system));
    assert_ok(f->ctx, vo_limiter_create(f->ctx, 1, &f->cloth, &f->system, &f->limiter));
    f->x = vo_new_array(f->ctx, vo_vec4, f->system.row_count);
    f->v = vo_alloc_zero(f->ctx, (size_t)f->system.row_count * sizeof *f->v);
    f->fixed = vo_alloc_zero(f->ctx, (size_t)f->system.row_count);
    vo_random random = vo_random_seed(3);
    for (int i = 0; i < f->system.row_count; i++) {
        vo_vec3 p = f->mesh->node_x[i];
        f->x[f->system.row_of[i]] =
            (vo_vec4){1.2 * p.x + 0.005 * vo_random_real(&random, -1, 1), p.y + 0.3 * p.x * p.y,
                      0.05 * sin(9 * p.x) + 0.005 * vo_random_real(&random, -1, 1), 0};
    }
}

static void close_fixture(fixture *f) {
    vo_free_array(f->ctx, f->x, f->system.row_count);
    vo_free_array(f->ctx, f->v, f->system.row_count);
    vo_free(f->ctx, f->fixed, (size_t)f->system.row_count);
    vo_limiter_free(&f->limiter);
    vo_system_free(&f->system);
    vo_fabric_destroy(f->fabric);
    vo_mesh_destroy(f->mesh);
    vo_context_destroy(f->ctx);
}

static void momentum(const fixture *f, vo_vec3 *linear, vo_vec3 *angular, const vo_vec4 *from) {
    *linear = *angular = v3_zero();
    for (int i = 0; i < f->system.row_count; i++) {
        vo_vec3 x = v3(from[i].x, from[i].y, from[i].z);
        vo_vec3 d = v3_scale(f->system.mass[i], v3_sub(v3(f->x[i].x, f->x[i].y, f->x[i].z), x));
        *linear = v3_add(*linear, d);
        *angular = v3_add(*angular, v3_cross(x, d));
    }
}

static void limits_are_reached_and_momentum_is_kept(void **state) {
    (void)state;
    fixture f;
    open_fixture(&f, 2, 0.9, 1.1);
    size_t bytes = (size_t)f.system.row_count * sizeof *f.x;
    vo_vec4 *before = vo_alloc(f.ctx, bytes);
    memcpy(before, f.x, bytes);
    vo_limit_def def = {.max_passes = 2000, .tolerance = 1e-4};
    vo_limit_report report =
        vo_limiter_apply(&f.limiter, &def, f.system.mass, f.fixed, 1, f.x, f.v);
    assert_true(report.passes > 1 && report.passes < 2000);
    assert_true(report.violation <= 1e-4);
    vo_limit_report again = vo_limiter_apply(&f.limiter, &def, f.system.mass, f.fixed, 1, f.x, f.v);
    assert_int_equal(again.passes, 1);
    vo_vec3 linear, angular;
    momentum(&f, &linear, &angular, before);
    double scale = f.fabric->density * 0.1; /* the sheet moved by about a tenth of a metre */
    assert_true(v3_length(linear) < 1e-10 * scale);
    assert_true(v3_length(angular) < 0.02 * scale);
    vo_free(f.ctx, before, bytes);
    close_fixture(&f);
}

static void fixed_nodes_stay(void **state) {
    (void)state;
    fixture f;
    open_fixture(&f, 1, -INFINITY, 1.05);
    int row = f.system.row_of[15 * 31 + 15]; /* the middle */
    f.fixed[row] = 1;
    vo_vec4 before = f.x[row];
    vo_limit_def def = {.max_passes = 2000, .tolerance = 1e-3};
    vo_limit_report report =
        vo_limiter_apply(&f.limiter, &def, f.system.mass, f.fixed, 1, f.x, f.v);
    assert_memory_equal(&before, &f.x[row], sizeof before);
    print_message("%d passes, %g left\n", report.passes, report.violation);
    assert_true(report.violation <= 1e-3);
    close_fixture(&f);
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
    (void)state;
    fixture f[3];
    for (int i = 0; i < 3; i++) {
        open_fixture(&f[i], i + 1, 0.95, 1.05);
        vo_limit_def def = {.max_passes = 20, .tolerance = 1e-6};
        vo_limiter_apply(&f[i].limiter, &def, f[i].system.mass, f[i].fixed, 1, f[i].x, f[i].v);
    }
    for (int i = 1; i < 3; i++)
        assert_memory_equal(f[0].x, f[i].x, (size_t)f[0].system.row_count * sizeof *f[0].x);
    for (int i = 0; i < 3; i++) close_fixture(&f[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_reached_and_momentum_is_kept),
        cmocka_unit_test(fixed_nodes_stay),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Capsules on the bones of a character: they cover its surface and follow its motion. */
#include "support.h"

#include "core/file.h"
#include "realtime/realtime_private.h"
#include "rt/body/body.h"
#include "sew/sew.h"

#include <math.h>
#include <stdio.h>

/* Bodies without cloth near by are not posed: the bounds of the sheet contain the walker. */
static const char scene_text[] =
    "{\"engine\": \"realtime\", \"fps\": 30, \"end_frame\": 20, \"preroll\": 0.2,\n"
    " \"characters\": [{\"body\": {\"faces\": 2000}, \"self_gap\": 0,\n"
    "   \"motion\": \"" VOILE_SOURCE_DIR "/assets/motions/walk.json\"}],\n"
    " \"cloths\": [{\"grid\": {\"width\": 4, \"height\": 3, \"columns\": 2, \"rows\": 2},\n"
    "   \"transform\": {\"translate\": [-2, -1.5, 0], \"rotate\": [45, 1, 0, 0]},\n"
    "   \"materials\": [{\"thickness\": 0.0005, \"density\": 300, \"elastic_modulus\": 1e6,\n"
    "                    \"poisson_ratio\": 0.2}]}],\n"
    " \"realtime\": {\"bodies\": \"capsules\", \"levels\": 0, \"offset\": 0}}\n";

typedef struct fixture {
    vo_context *ctx;
    vo_scene *scene;
    vo_sim *sim;
    vo_realtime *realtime;
} fixture;

static fixture set_up(void) {
    fixture f = {.ctx = test_context(1)};
    char path[VO_PATH_SIZE];
    snprintf(path, sizeof path, "%s/walker.json", test_folder());
    assert_ok(f.ctx, vo_file_write(f.ctx, path, scene_text, strlen(scene_text)));
    assert_ok(f.ctx, vo_scene_load(f.ctx, path, 0, NULL, &f.scene));
    assert_ok(f.ctx, vo_sim_create_sewn(f.ctx, f.scene, NULL, NULL, &f.sim));
    assert_ok(f.ctx, vo_realtime_create(f.sim, &f.realtime));
    return f;
}

static void tear_down(fixture *f) {
    vo_realtime_destroy(f->realtime);
    vo_sim_destroy(f->sim);
    vo_scene_destroy(f->scene);
    vo_context_destroy(f->ctx);
}

/* Distances of the nodes of the surface from the capsules: the mean of their magnitudes and the
 * fraction of nodes farther outside than 3 cm. */
static double measure(const fixture *f, double *outside) {
    const vo_mesh *mesh = f->sim->obstacle[0].mesh;
    double sum = 0;
    int far = 0;
    for (int n = 0; n < mesh->node_count; n++) {
        vo_rt_surface_point p;
        bool found = vo_rt_body_find_nearest(f->realtime->body[0].body, false,
                                             vo_rt_vec3_of(mesh->node_x[n]), 0.2f, -1, &p);
        double d = found ? (double)p.distance : 0.2;
        sum += fabs(d);
        far += d > 0.03;
    }
    *outside = (double)far / mesh->node_count;
    return sum / mesh->node_count;
}

static void capsules_cover_the_body_in_motion(void **state) {
    (void)state;
    fixture f = set_up();
    for (int i = 0; i < 20; i++) {
        double outside, mean = measure(&f, &outside);
        if (!(mean < 0.025 && outside < 0.15))
            fail_msg("frame %d: mean distance %g m, %g %% outside", i, mean, 100 * outside);
        assert_ok(f.ctx, vo_realtime_step_frame(f.realtime));
    }
    tear_down(&f);
}

static void shapes_are_bounded(void **state) {
    (void)state;
    fixture f = set_up();
    vo_rt_shape shape[512];
    int count = 0, few = 0;
    const vo_body *body = f.scene->obstacle[0].body;
    assert_ok(f.ctx, vo_realtime_fit_capsules(f.ctx, body, 512, shape, &count));
    assert_in_range(count, 15, 60);
    for (int i = 0; i < count; i++) {
        assert_true(shape[i].radius > 0.003f && shape[i].radius < 0.2f);
        assert_true(shape[i].half_height > 0 && shape[i].half_height < 0.4f);
        assert_in_range(shape[i].bone, 0, vo_body_bone_count(body) - 1);
    }
    assert_ok(f.ctx, vo_realtime_fit_capsules(f.ctx, body, 5, shape, &few));
    assert_int_equal(few, 5); /* the capacity is kept */
    tear_down(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capsules_cover_the_body_in_motion),
        cmocka_unit_test(shapes_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

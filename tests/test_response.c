/* The response by what physics says of single impacts. */
#include "response_scene.h"

/* A small light triangle, one corner down, over the middle of a face. */
static void corner_over_face(scene *s, double mass, double face_mass) {
    vo_vec3 low = v3(0.25, 0.25, 0.02);
    add_triangle(s, low, v3_add(low, v3(0.1, 0, 0.5)), v3_add(low, v3(0, 0.1, 0.5)), mass);
    add_triangle(s, v3(0, 0, 0), v3(1, 0, 0), v3(0, 1, 0), face_mass);
    scene_build(s);
}

static void a_corner_stops_above_an_obstacle(void **state) {
    (void)state;
    scene s = scene_open(1);
    corner_over_face(&s, 1, 0);
    s.surface.x1[0] = v3_add(s.surface.x0[0], v3(0.01, 0, -0.05));
    vo_response_def def = scene_def();
    respond(&s, &def);
    assert_near(s.surface.x1[0].z, 1e-3, 1e-12);
    assert_near(s.surface.x1[0].x, 0.26, 1e-15); /* no friction */
    assert_int_equal(s.report.impulses, 1);
    assert_int_equal(s.report.passes, 2);
    assert_int_equal(s.report.zones + s.report.cut_nodes + s.report.held_nodes, 0);
    assert_clean(&s);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_corner_stops_above_an_obstacle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The response by what physics says of single impacts. */
#include "response_scene.h"

/* A node that falls on the middle of a heavy or a light face. */
static int node_over_face(scene *s, double face_mass, double node_mass) {
    int node = add_node(s, v3(0.25, 0.25, 0.02), node_mass);
    int a = add_node(s, v3(0, 0, 0), face_mass), b = add_node(s, v3(1, 0, 0), face_mass);
    add_face(s, a, b, add_node(s, v3(0, 1, 0), face_mass));
    return node;
}

static void a_node_stops_above_an_obstacle(void **state) {
    (void)state;
    scene s = scene_open(1);
    int node = node_over_face(&s, 0, 1);
    move_by(&s, node, node + 1, v3(0.01, 0, -0.05));
    vo_response_def def = scene_def();
    respond(&s, &def);
    assert_near(s.surface.x1[node].z, 1e-3, 1e-12);
    assert_near(s.surface.x1[node].x, 0.26, 1e-15); /* no friction */
    assert_int_equal(s.report.impulses, 1);
    assert_int_equal(s.report.passes, 2);
    assert_int_equal(s.report.zones + s.report.cut_nodes + s.report.held_nodes, 0);
    assert_clean(&s);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_stops_above_an_obstacle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

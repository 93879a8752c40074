/* Constraints of the host in the substeps of the real-time library, and resistance to compression.
 */
#include "rt_fixture.h"

/* Holds the mean height of the free vertices. */
typedef struct holder {
    float height; /* m */
    double last;  /* s */
    int calls, moved_back, attached_moved;
    vo_rt_vec3 pole;
} holder;

static void hold_height(void *user, const vo_rt_substep_view *view) {
    holder *h = user;
    double sum = 0;
    int count = 0;
    for (int i = 0; i < view->vertex_count; i++)
        if (view->positions[4 * i + 3] > 0) sum += (double)view->positions[4 * i + 1], count++;
    float shift = h->height - (float)(sum / count);
    for (int i = 0; i < view->vertex_count; i++)
        if (view->positions[4 * i + 3] > 0) view->positions[4 * i + 1] += shift;
    h->moved_back += !(view->time > h->last);
    h->last = view->time;
    h->attached_moved += view->positions[4] != h->pole.x || view->positions[4 + 3] != 0;
    h->calls++;
}

static float mean_height(const vo_rt_cloth *c, int first, int stride) {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < RT_GRID_VERTICES; i++)
        if (i % stride >= first) sum += (double)vo_rt_cloth_get_vertex(c, i).y, count++;
    return (float)(sum / count);
}

static void test_constraint_holds_at_the_end_of_every_step(void **state) {
    (void)state;
    vo_rt_asset *asset = rt_sheet(1, false, RT_PIN_EDGE, 0);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 2, 0);
    holder h = {.height = 2.05f, .last = -1, .pole = vo_rt_cloth_get_vertex(c, 0)};
    vo_rt_cloth_set_constraint(c, hold_height, &h);
    for (int i = 0; i < 60; i++) {
        rt_run(w, 1);
        assert_true(fabsf(mean_height(c, 1, RT_GRID) - 2.05f) < 2e-6f);
        assert_true(fabs(h.last - vo_rt_world_time(w)) < 1e-6);
    }
    assert_true(h.calls >= 60 * 4); /* every substep */
    assert_int_equal(h.moved_back, 0);
    assert_int_equal(h.attached_moved, 0);
    vo_rt_cloth_set_constraint(c, NULL, NULL);
    int calls = h.calls;
    rt_run(w, 10);
    assert_int_equal(h.calls, calls);
    assert_true(mean_height(c, 1, RT_GRID) < 2.0f); /* falls */
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

/* Pushes every vertex into the sphere. */
static void attract(void *user, const vo_rt_substep_view *view) {
    (void)user;
    for (int i = 0; i < view->vertex_count; i++)
        if (view->positions[4 * i + 3] > 0) view->positions[4 * i + 1] -= 1e-3f;
}

static void test_constraint_leaves_no_vertex_inside_a_body(void **state) {
    (void)state;
    vo_rt_asset *asset = rt_sheet(1.2f, true, RT_FREE, 0);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0.45f, 0);
    rt_sphere(w, 0.4f, 0, 0, 0);
    vo_rt_cloth_set_constraint(c, attract, NULL);
    for (int i = 0; i < 60; i++) {
        rt_run(w, 1);
        assert_int_equal(rt_count_inside(c, f3(0, 0, 0), 0.4f), 0);
    }
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

/* Length along the middle row of a sheet without bending stiffness and weight, 1 s after its edge
 * was released that had been pushed in by 30 %. */
static float length_after_release(float compression) {
    vo_rt_asset *asset = rt_sheet(1, false, RT_PIN_EDGE, 0);
    vo_rt_world_def world = vo_rt_world_def_default();
    world.gravity = f3(0, 0, 0);
    vo_rt_world *w = rt_world(&world);
    vo_rt_cloth_def def = vo_rt_cloth_def_default();
    def.asset = asset;
    def.compression = compression;
    vo_rt_cloth *c;
    assert_rt_ok(w, vo_rt_cloth_create(w, &def, &c));
    vo_rt_fabric fabric = vo_rt_fabric_default();
    fabric.bend_stiffness = 0;
    assert_rt_ok(w, vo_rt_cloth_set_fabric(c, fabric));
    for (int i = 0; i <= 120; i++) {
        vo_rt_vec3 shift = f3(-0.3f * f_min((float)i / 30, 1), 0, 0);
        for (int k = RT_GRID - 1; k < RT_GRID_VERTICES; k += RT_GRID) {
            vo_rt_vec3 rest = f3(0.5f, 0.5f - (float)(k / RT_GRID) / (RT_GRID - 1), 0);
            float weight = i < 60 ? 1 : 0;
            assert_rt_ok(w, vo_rt_cloth_set_attachment(c, k, weight, f3_add(rest, shift)));
        }
        rt_run(w, 1);
    }
    float length = 0;
    for (int i = RT_GRID * (RT_GRID / 2), k = 0; k + 1 < RT_GRID; k++)
        length +=
            f3_distance(vo_rt_cloth_get_vertex(c, i + k), vo_rt_cloth_get_vertex(c, i + k + 1));
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
    return length;
}

static void test_compressed_cloth_expands_to_the_limit(void **state) {
    (void)state;
    float stiff = length_after_release(0), normal = length_after_release(0.1f);
    float soft = length_after_release(0.5f);
    if (!(stiff > 0.95f && normal > 0.89f && normal < stiff && soft < 0.8f))
        fail_msg("lengths %g, %g and %g m", (double)stiff, (double)normal, (double)soft);
}

static void test_compression_is_checked(void **state) {
    (void)state;
    vo_rt_asset *asset = rt_sheet(1, false, RT_FREE, 0);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth_def def = vo_rt_cloth_def_default();
    def.asset = asset;
    def.compression = -0.1f;
    vo_rt_cloth *c;
    assert_int_equal(vo_rt_cloth_create(w, &def, &c), VO_BAD_ARGUMENT);
    assert_non_null(strstr(vo_rt_world_message(w), "compression"));
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constraint_holds_at_the_end_of_every_step),
        cmocka_unit_test(test_constraint_leaves_no_vertex_inside_a_body),
        cmocka_unit_test(test_compressed_cloth_expands_to_the_limit),
        cmocka_unit_test(test_compression_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

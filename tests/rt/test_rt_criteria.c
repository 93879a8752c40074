/* Refinement criteria: mean curvature times length^2 in metres, proximity of other cloth, order of
 * refinement under a budget. */
#include "rt_fixture.h"

typedef struct scene {
    vo_rt_world *w;
    vo_rt_asset *asset;
} scene;

static scene make_scene(int level) {
    vo_rt_world_def def = vo_rt_world_def_default();
    def.gravity = f3(0, 0, 0);
    return (scene){rt_world(&def), rt_sheet(1, true, RT_FREE, level)};
}

static void destroy(scene *s) {
    vo_rt_world_destroy(s->w);
    vo_rt_asset_destroy(s->asset);
}

/* Only the named criterion is active. */
static vo_rt_adaption only(float max_deviation, float proximity) {
    vo_rt_adaption a = vo_rt_adaption_default();
    a.max_angle = 3.1f;
    a.max_deviation = max_deviation;
    a.max_length = 0;
    a.min_length = 0.001f;
    a.collision = false;
    a.proximity = proximity;
    return a;
}

static vo_rt_cloth *add_cloth(scene *s, vo_rt_adaption adaption, bool collides, float y) {
    vo_rt_cloth_def def = vo_rt_cloth_def_default();
    def.asset = s->asset;
    def.adaption = adaption;
    def.self_collision = collides;
    def.transform = rt_at(0, y, 0);
    vo_rt_cloth *cloth;
    assert_rt_ok(s->w, vo_rt_cloth_create(s->w, &def, &cloth));
    return cloth;
}

/* --- Curvature -------------------------------------------------------------------------------- */

/* Bends a lying sheet around the z axis: a cylinder of radius 1 / curvature, `scale` times as
 * large. Normals are those of the cylinder. */
static void bend(vo_rt_cloth *c, float radius, float scale) {
    vo_rt_front *f = &c->mesh.front;
    for (int i = 1; i < f->vertex_end; i++) {
        vo_rt_vec4 p = f->position[i];
        float angle = p.x / radius;
        vo_rt_vec3 n = f3(sinf(angle), cosf(angle), 0);
        vo_rt_vec3 x = f3(scale * radius * n.x, scale * radius * n.y, scale * p.z);
        f->position[i] = f4_make(x, p.w);
        f->normal[i] = f4_make(n, f->normal[i].w);
    }
}

/* Every edge splits exactly if curvature times length^2 / 8 exceeds the tolerance; on a cylinder
 * only the part of the edge across the axis counts. Returns the number of edges that split. */
static int check_cylinder(float radius, float scale, float tolerance, float detail_scale) {
    scene s = make_scene(3);
    vo_rt_cloth *c = add_cloth(&s, only(tolerance, 0), false, 0);
    int splits = 0;
    rt_run(s.w, 1);
    s.w->detail_scale = detail_scale;
    bend(c, radius, scale);
    vo_rt_criteria criteria = vo_rt_criteria_make(c);
    for (int e = 0; e < c->mesh.asset->edge_count; e++) {
        const vo_rt_edge *edge = &c->mesh.edge[e];
        vo_rt_vec3 a = f4_xyz(c->mesh.front.position[edge->vertex[0]]);
        vo_rt_vec3 d = f3_sub(f4_xyz(c->mesh.front.position[edge->vertex[1]]), a);
        float across2 = d.x * d.x + d.y * d.y, expected = across2 / (8 * scale * radius);
        float limit = tolerance * detail_scale;
        if (fabsf(expected - limit) < 1e-3f * limit) continue;
        vo_rt_demand demand = vo_rt_criteria_test(&criteria, &c->mesh, e, false);
        assert_int_equal(demand, expected > limit ? VO_RT_SPLIT : VO_RT_KEEP);
        splits += demand == VO_RT_SPLIT;
    }
    destroy(&s);
    return splits;
}

/* The tolerance is a length: it does not depend on the radius or the size of the edges. */
static void test_curvature_is_compared_in_metres(void **state) {
    (void)state;
    int some = 0;
    for (int k = 0; k < 8; k++) {
        float radius = 0.25f * (float)(1 + k);
        for (float tolerance = 2.5e-4f; tolerance < 0.02f; tolerance *= 1.7f) {
            int splits = check_cylinder(radius, 1, tolerance, 1);
            assert_int_equal(check_cylinder(radius, 3, 3 * tolerance, 1), splits);
            some += splits > 0;
        }
    }
    assert_true(some > 10);
}

/* A budget scales the tolerance, so that what exceeds it most stays refined. */
static void test_budget_keeps_the_largest_deviations(void **state) {
    (void)state;
    int previous = check_cylinder(0.5f, 1, 5e-4f, 1);
    assert_true(previous > 0);
    for (float scale = 2; scale <= 32; scale *= 2) {
        int splits = check_cylinder(0.5f, 1, 5e-4f, scale);
        assert_true(splits <= previous);
        previous = splits;
    }
    assert_int_equal(previous, 0);
}

/* --- Proximity -------------------------------------------------------------------------------- */

/* m */
static const float PROXIMITY = 0.02f;

static float longest_edge(const vo_rt_cloth *c) {
    const vo_rt_front *f = &c->mesh.front;
    float most = 0;
    for (int i = 0; i < f->triangle_count; i++)
        for (int k = 0; k < 3; k++) {
            int a = f->triangles[i].vertex[k], b = f->triangles[i].vertex[(k + 1) % 3];
            most = f_max(most, f3_distance(f4_xyz(f->position[a]), f4_xyz(f->position[b])));
        }
    return most;
}

/* Sheets that are nearer than the threshold are refined down to twice the threshold, others not; a
 * level per adaption; they coarsen again when the distance grows. */
static void check_near(float distance) {
    scene s = make_scene(3);
    vo_rt_adaption near = only(1, PROXIMITY);
    near.join_wait = 2;
    vo_rt_cloth *low = add_cloth(&s, near, true, 0);
    vo_rt_cloth *high = add_cloth(&s, near, true, distance);
    vo_rt_cloth *apart = add_cloth(&s, near, true, 3 * PROXIMITY);
    int base = vo_rt_cloth_get_info(low).triangles, level = 0;
    for (int i = 0; i < 40; i++) {
        rt_run(s.w, 1);
        int now = vo_rt_cloth_get_info(low).level;
        assert_true(now <= level + 1);
        level = now;
    }
    assert_true(longest_edge(low) <= 2 * PROXIMITY * 1.42f && longest_edge(high) < 0.1f);
    assert_true(vo_rt_cloth_get_info(low).triangles > 8 * base);
    assert_int_equal(vo_rt_cloth_get_info(apart).triangles, base);
    vo_rt_cloth_destroy(high);
    rt_run(s.w, 240);
    assert_int_equal(vo_rt_cloth_get_info(low).triangles, base);
    destroy(&s);
}

static void test_near_cloth_is_refined(void **state) {
    (void)state;
    check_near(0.3f * PROXIMITY);
    check_near(0.6f * PROXIMITY); /* beyond the default of 8 mm */
}

/* Triangles of two pairs of sheets, near each other and not quite so near, and the cost of a step.
 */
typedef struct pairs {
    int near, far;
    float cost; /* ms */
} pairs;

static pairs run_pairs(float budget) {
    scene s = make_scene(3);
    vo_rt_adaption near = only(1, PROXIMITY);
    near.join_wait = 2;
    vo_rt_cloth *c[4];
    for (int i = 0; i < 4; i++) {
        float distance = i < 2 ? 0.2f * PROXIMITY : 0.6f * PROXIMITY;
        c[i] = add_cloth(&s, near, true, (float)(i / 2) + (float)(i % 2) * distance);
    }
    if (budget > 0) assert_rt_ok(s.w, vo_rt_world_set_budget(s.w, VO_RT_BUDGET_COUNTED, budget));
    rt_run(s.w, 80);
    pairs p = {vo_rt_cloth_get_info(c[0]).triangles + vo_rt_cloth_get_info(c[1]).triangles,
               vo_rt_cloth_get_info(c[2]).triangles + vo_rt_cloth_get_info(c[3]).triangles,
               (float)vo_rt_world_get_stats(s.w).cost};
    destroy(&s);
    return p;
}

/* A budget makes edges longer where other cloth is near, first where it is farther away. */
static void test_budget_keeps_the_nearest(void **state) {
    (void)state;
    pairs all = run_pairs(0), some = run_pairs(0.6f * all.cost);
    print_message("triangles near %d, far %d; under a budget %d, %d\n", all.near, all.far,
                  some.near, some.far);
    assert_true(some.near + some.far < all.near + all.far);
    assert_true(some.far < some.near);
    assert_true(TEST_SLOWNESS > 1 || some.cost < 0.8f * all.cost);
}

/* Without self-collision, and with a threshold of 0, nothing is refined. */
static void test_proximity_can_be_switched_off(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        scene s = make_scene(3);
        vo_rt_cloth *low = add_cloth(&s, only(1, k ? PROXIMITY : 0), k == 0, 0);
        add_cloth(&s, only(1, k ? PROXIMITY : 0), k == 0, 0.3f * PROXIMITY);
        int base = vo_rt_cloth_get_info(low).triangles;
        rt_run(s.w, 30);
        assert_int_equal(vo_rt_cloth_get_info(low).triangles, base);
        destroy(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curvature_is_compared_in_metres),
        cmocka_unit_test(test_budget_keeps_the_largest_deviations),
        cmocka_unit_test(test_near_cloth_is_refined),
        cmocka_unit_test(test_budget_keeps_the_nearest),
        cmocka_unit_test(test_proximity_can_be_switched_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

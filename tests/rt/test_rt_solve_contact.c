/* Tests of the solver's constraints on single vertices: contacts, friction, attachments, limits,
 * tethers, links, and the air. */
#include "rt_sheet.h"

#include <math.h>

/* A sheet that lies on the plane through the origin with the given normal. */
typedef struct plane_scene {
    rt_sheet *sheet;
    vo_rt_contact *contacts;
    vo_rt_vec3 normal, point, velocity;
    float friction;
} plane_scene;

/* The plane is the one of the sheet, z = 0, and gravity is inclined by `angle`. */
static plane_scene create_incline(float angle, float friction) {
    plane_scene p = {.sheet = rt_sheet_create(4, 4, 0.2f, 0.2f), .friction = friction};
    p.normal = f3(0, 0, 1);
    p.contacts = calloc((size_t)p.sheet->front.vertex_end, sizeof *p.contacts);
    p.sheet->def.gravity = f3(9.81f * sinf(angle), 0, -9.81f * cosf(angle));
    p.sheet->def.fabric.damping = 0;
    return p;
}

static vo_rt_solve_result step_plane(plane_scene *p) {
    rt_sheet *s = p->sheet;
    int count = s->front.vertex_end - 1;
    for (int i = 0; i < count; i++)
        p->contacts[i] = (vo_rt_contact){.point = p->point,
                                         .normal = p->normal,
                                         .velocity = p->velocity,
                                         .friction = p->friction,
                                         .vertex = i + 1};
    vo_rt_solve_result r = vo_rt_solve_step(&s->asset, &s->front, p->contacts, count, &s->def);
    p->point = f3_add_scaled(p->point, s->def.dt, p->velocity);
    return r;
}

static void run_plane(plane_scene *p, float seconds) {
    for (int i = 0; i < (int)lroundf(seconds / p->sheet->def.dt); i++)
        assert_true(step_plane(p).is_finite);
}

static void destroy_incline(plane_scene *p) {
    free(p->contacts);
    rt_sheet_destroy(p->sheet);
}

static void test_friction_holds_below_its_angle(void **state) {
    (void)state;
    plane_scene p = create_incline(atanf(0.5f) - 0.03f, 0.5f);
    vo_rt_vec3 before = rt_sheet_position(p.sheet, 2, 2);
    run_plane(&p, 2);
    assert_near(f3_distance(before, rt_sheet_position(p.sheet, 2, 2)), 0, 1e-3);
    destroy_incline(&p);
}

/* a = g (sin - mu cos) above the friction angle. */
static void test_friction_slides_above_its_angle(void **state) {
    (void)state;
    static const float friction[] = {0, 0.3f, 0.6f};
    for (int k = 0; k < 3; k++) {
        float angle = atanf(friction[k]) + 0.2f;
        plane_scene p = create_incline(angle, friction[k]);
        float x = rt_sheet_position(p.sheet, 2, 2).x;
        run_plane(&p, 0.5f);
        float a = 9.81f * (sinf(angle) - friction[k] * cosf(angle));
        float v = p.sheet->front.velocity[rt_sheet_slot(p.sheet, 2, 2)].x;
        assert_near(v, a * 0.5f, 0.02 * a);
        assert_near(rt_sheet_position(p.sheet, 2, 2).x - x, a * 0.125f, 0.01 * a);
        destroy_incline(&p);
    }
}

/* The impulses of a resting sheet are its weight times the duration of the step. */
static void test_impulses_carry_the_weight(void **state) {
    (void)state;
    plane_scene p = create_incline(0.2f, 0.5f);
    run_plane(&p, 0.5f);
    vo_rt_vec3 sum = {0};
    float normal = 0, mass = 0.2f * 0.04f, dt = p.sheet->def.dt;
    for (int i = 0; i < p.sheet->front.vertex_end - 1; i++) {
        sum = f3_add(sum, p.contacts[i].force_impulse);
        normal += p.contacts[i].impulse;
    }
    assert_near(normal, mass * dt * 9.81f * cosf(0.2f), 0.02 * mass * dt * 9.81);
    assert_near(sum.x, -mass * dt * 9.81f * sinf(0.2f), 0.02 * mass * dt * 9.81);
    assert_near(sum.z, normal, 1e-3 * normal);
    destroy_incline(&p);
}

/* A plane that moves up carries the sheet; one that moves sideways drags it along. */
static void test_moving_plane_carries_the_sheet(void **state) {
    (void)state;
    plane_scene p = create_incline(0, 0.8f);
    p.velocity = f3(0.5f, 0, 0.3f);
    float x = rt_sheet_position(p.sheet, 2, 2).x;
    run_plane(&p, 1);
    vo_rt_vec3 end = rt_sheet_position(p.sheet, 2, 2);
    assert_near(end.z, 0.3, 1e-3);
    /* The impact at 0.3 m/s gives it mu 0.3 m/s; then it slides at mu g until 0.5 m/s. */
    double slip = 0.5 - 0.8 * 0.3;
    assert_near(end.x - x, 0.5 - 0.5 * slip * slip / (0.8 * 9.81), 1e-3);
    destroy_incline(&p);
}

static void test_penetration_is_resolved_without_velocity(void **state) {
    (void)state;
    plane_scene p = create_incline(0, 0.3f);
    p.point = f3(0, 0, 0.1f);
    vo_rt_solve_result r = step_plane(&p);
    assert_near(rt_sheet_position(p.sheet, 1, 1).z, 0.1, 1e-4);
    assert_near(r.max_speed, 0, 0.1);
    destroy_incline(&p);
}

/* Prescribed vertices are exactly at their targets, with the velocity of the motion. */
static void test_prescribed_vertices_reach_their_targets(void **state) {
    (void)state;
    rt_sheet *s = rt_sheet_create(6, 6, 0.3f, 0.3f);
    rt_sheet_attach_row(s, 0);
    for (int n = 0; n < 60; n++) {
        for (int i = 0; i <= s->columns; i++) s->front.target[rt_sheet_slot(s, i, 0)].x += 0.01f;
        rt_sheet_step(s);
        for (int i = 0; i <= s->columns; i++) {
            int slot = rt_sheet_slot(s, i, 0);
            vo_rt_vec3 x = f4_xyz(s->front.position[slot]), t = f4_xyz(s->front.target[slot]);
            assert_true(x.x == t.x && x.y == t.y && x.z == t.z);
            assert_near(s->front.velocity[slot].x, 0.01f / s->def.dt, 0.01);
        }
    }
    rt_sheet_destroy(s);
}

/* A released vertex falls again. */
static void test_released_vertex_falls(void **state) {
    (void)state;
    rt_sheet *s = rt_sheet_create(3, 3, 0.1f, 0.1f);
    rt_sheet_attach_row(s, 0);
    rt_sheet_run(s, 0.2f);
    for (int i = 0; i <= 3; i++) s->front.target[rt_sheet_slot(s, i, 0)].w = 0;
    rt_sheet_run(s, 0.5f);
    assert_true(rt_sheet_position(s, 0, 0).y < -0.5f);
    rt_sheet_destroy(s);
}

/* Depth below its target at which a sheet with attachments of weight w comes to rest. */
static float measure_sag(float weight, int substeps) {
    rt_sheet *s = rt_sheet_create(2, 2, 0.1f, 0.1f);
    s->def.substeps = substeps;
    s->def.fabric.damping = 5;
    for (int i = 1; i < s->front.vertex_end; i++) rt_sheet_attach(s, i, weight);
    rt_sheet_run(s, 4);
    float sag = s->front.target[rt_sheet_slot(s, 1, 1)].y - rt_sheet_position(s, 1, 1).y;
    rt_sheet_destroy(s);
    return sag;
}

/* g / omega^2 with omega = 60 w / (1 - w), for any number of substeps. */
static void test_attachment_weight_does_not_depend_on_substeps(void **state) {
    (void)state;
    static const float weight[] = {0.2f, 0.5f, 0.8f};
    for (int k = 0; k < 3; k++) {
        float omega = 60 * weight[k] / (1 - weight[k]), expected = 9.81f / (omega * omega);
        for (int substeps = 1; substeps <= 8; substeps *= 2)
            assert_near(measure_sag(weight[k], substeps), expected, 0.05 * expected + 2e-5);
    }
}

static void test_max_distance_limits_all_vertices(void **state) {
    (void)state;
    rt_sheet *s = rt_sheet_create(5, 5, 0.2f, 0.2f);
    for (int i = 1; i < s->front.vertex_end; i++) {
        rt_sheet_attach(s, i, 0);
        s->front.maps[i].max_distance = 0.05f;
    }
    rt_sheet_run(s, 1);
    for (int i = 1; i < s->front.vertex_end; i++) {
        float d = f3_distance(f4_xyz(s->front.target[i]), f4_xyz(s->front.position[i]));
        assert_near(d, 0.05, 1e-4);
    }
    rt_sheet_destroy(s);
}

/* Vertices blown backwards stop at the surface 2 cm behind their targets. */
static void test_backstop_stops_vertices(void **state) {
    (void)state;
    rt_sheet *s = rt_sheet_create(5, 5, 0.2f, 0.2f);
    s->def.gravity = f3(0, 0, -9.81f);
    for (int i = 1; i < s->front.vertex_end; i++) {
        rt_sheet_attach(s, i, 0);
        s->front.maps[i].backstop = 0.02f;
        s->front.maps[i].backstop_radius = 1;
    }
    rt_sheet_run(s, 0.5f);
    assert_near(rt_sheet_position(s, 2, 2).z, -0.02, 2e-3);
    assert_near(fabsf(s->front.normal[rt_sheet_slot(s, 2, 2)].z), 1, 0.01);
    rt_sheet_destroy(s);
}

static void test_tethers_limit_the_distance(void **state) {
    (void)state;
    rt_sheet *s = rt_sheet_create(4, 20, 0.2f, 1);
    s->def.fabric.stretch_compliance = 10; /* hardly any resistance */
    s->def.stretch_limit = 10;
    s->def.substeps = 2;
    rt_sheet_attach_row(s, 0);
    rt_sheet_add_tethers(s, 1, 1.02f);
    rt_sheet_run(s, 2);
    for (int i = 0; i <= 4; i++) assert_true(rt_sheet_position(s, i, 20).y > -1.0201f);
    assert_true(rt_sheet_position(s, 2, 20).y < -1.01f);
    rt_sheet_destroy(s);
}

/* Two sheets, linked along a side, close at limited speed and stay together. */
static void test_links_close_seams(void **state) {
    (void)state;
    rt_sheet *s = rt_sheet_create(6, 6, 0.3f, 0.3f);
    s->def.gravity = f3(0, 0, 0);
    s->links = calloc(7, sizeof *s->links);
    for (int j = 0; j <= 6; j++)
        s->links[j] = (vo_rt_link){rt_sheet_slot(s, 0, j) - 1, rt_sheet_slot(s, 6, j) - 1};
    s->asset.link = s->links;
    s->asset.link_count = 7;
    assert_true(rt_sheet_step(s).max_speed < 8);
    rt_sheet_run(s, 2);
    for (int j = 0; j <= 6; j++)
        assert_near(f3_distance(rt_sheet_position(s, 0, j), rt_sheet_position(s, 6, j)), 0, 2e-3);
    assert_true(vo_rt_solve_stretch(&s->front, 0.9f) < 0.05f);

    s->def.link_strength = 0; /* opens again: bending flattens the tube */
    s->def.fabric.bend_stiffness = 1e-3f;
    rt_sheet_run(s, 2);
    assert_true(f3_distance(rt_sheet_position(s, 0, 3), rt_sheet_position(s, 6, 3)) > 0.02f);
    rt_sheet_destroy(s);
}

/* A horizontal sheet falls at sqrt(2 rho_s g / (rho_air c_d)). */
static void test_drag_gives_terminal_velocity(void **state) {
    (void)state;
    rt_sheet *s = rt_sheet_create(4, 4, 0.2f, 0.2f);
    s->def.gravity = f3(0, 0, -9.81f);
    s->def.air = &s->air;
    s->def.fabric.damping = 0;
    rt_sheet_run(s, 2);
    float expected = sqrtf(2 * 0.2f * 9.81f / 1.2f);
    assert_near(-s->front.velocity[rt_sheet_slot(s, 2, 2)].z, expected, 0.05 * expected);
    rt_sheet_destroy(s);
}

/* An inclined face receives lift across the wind. */
static void test_lift_acts_across_the_wind(void **state) {
    (void)state;
    rt_sheet *s = rt_sheet_create(2, 2, 0.1f, 0.1f);
    s->def.gravity = f3(0, 0, 0);
    s->def.air = &s->air;
    s->air.wind = f3(0, -1, 1); /* 45 degrees to the normal z */
    s->def.fabric.drag = 0;
    s->def.fabric.lift = 1;
    rt_sheet_step(s);
    vo_rt_vec3 v = f4_xyz(s->front.velocity[rt_sheet_slot(s, 1, 1)]);
    assert_true(v.z > 1e-4f && v.y > 1e-4f);
    assert_near(f3_dot(v, s->air.wind), 0, 0.02 * v.z);
    rt_sheet_destroy(s);
}

static float blow(vo_rt_fan fan) {
    rt_sheet *s = rt_sheet_create(2, 2, 0.1f, 0.1f);
    s->def.gravity = f3(0, 0, 0);
    s->def.air = &s->air;
    s->air.fan_count = 1;
    s->air.fan[0] = fan;
    rt_sheet_step(s);
    float v = s->front.velocity[rt_sheet_slot(s, 1, 1)].z;
    rt_sheet_destroy(s);
    return v;
}

static void test_fans_blow_inside_their_cone(void **state) {
    (void)state;
    vo_rt_fan fan = {.position = {0.05f, -0.05f, -1}, .direction = {0, 0, 2}, .speed = 10};
    fan.angle = 0.3f;
    fan.range = 3;
    float centre = blow(fan);
    assert_true(centre > 0.01f);
    fan.position.x = 0.2f;
    float side = blow(fan);
    assert_true(side > 0 && side < 0.8f * centre);
    fan.position.x = 1;
    assert_true(blow(fan) == 0);
    fan.position.x = 0.05f;
    fan.position.z = -2;
    float far_away = blow(fan);
    assert_true(far_away > 0 && far_away < 0.5f * centre);
    fan.position.z = -4;
    assert_true(blow(fan) == 0);
    fan.position.z = 1; /* behind the fan */
    assert_true(blow(fan) == 0);
}

/* Never faster than the air, also in a single step of a storm. */
static void test_storm_accelerates_to_the_speed_of_the_air(void **state) {
    (void)state;
    rt_sheet *s = rt_sheet_create(8, 8, 0.4f, 0.4f);
    s->def.gravity = f3(0, 0, 0);
    s->def.air = &s->air;
    s->def.max_speed = 1000;
    s->air.wind = f3(0, 0, 200);
    for (int i = 0; i < 120; i++) {
        vo_rt_solve_result r = rt_sheet_step(s);
        assert_true(r.is_finite && r.max_speed < 201);
    }
    assert_true(rt_sheet_step(s).max_speed > 150);
    rt_sheet_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_friction_holds_below_its_angle),
        cmocka_unit_test(test_friction_slides_above_its_angle),
        cmocka_unit_test(test_impulses_carry_the_weight),
        cmocka_unit_test(test_moving_plane_carries_the_sheet),
        cmocka_unit_test(test_penetration_is_resolved_without_velocity),
        cmocka_unit_test(test_prescribed_vertices_reach_their_targets),
        cmocka_unit_test(test_released_vertex_falls),
        cmocka_unit_test(test_attachment_weight_does_not_depend_on_substeps),
        cmocka_unit_test(test_max_distance_limits_all_vertices),
        cmocka_unit_test(test_backstop_stops_vertices),
        cmocka_unit_test(test_tethers_limit_the_distance),
        cmocka_unit_test(test_links_close_seams),
        cmocka_unit_test(test_drag_gives_terminal_velocity),
        cmocka_unit_test(test_lift_acts_across_the_wind),
        cmocka_unit_test(test_fans_blow_inside_their_cone),
        cmocka_unit_test(test_storm_accelerates_to_the_speed_of_the_air),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

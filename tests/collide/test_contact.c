/* Repulsion and friction of a single contact: a node above a fixed face. */
#include "collide/contact.h"
#include "support.h"

#include <math.h>

/* One node of mass 1e-5 kg above the centre of a face in the plane z = 0. */
typedef struct particle {
    vo_vec3 x0[4], x1[4];
    double inverse_mass[4], area[4];
    vo_surface surface;
    vo_proximity proximity;
    vo_vec3 v;
    double normal_impulse; /* kg m/s, normal impulse of the last step */
} particle;

static const double H = 5e-3, DT = 5e-3, MASS = 1e-5;

static void init_particle(particle *g, double distance, vo_vec3 v) {
    *g = (particle){.v = v};
    g->x0[1] = v3(1, 0, 0), g->x0[2] = v3(-1, 1, 0), g->x0[3] = v3(-1, -1, 0);
    for (int i = 0; i < 4; i++) g->area[i] = i ? 1 : 1e-4;
    g->x0[0] = v3(-1.0 / 3, 0, distance);
    g->inverse_mass[0] = 1 / MASS;
    g->surface = (vo_surface){.node_count = 4,
                              .cloth_node_count = 1,
                              .x0 = g->x0,
                              .x1 = g->x1,
                              .inverse_mass = g->inverse_mass,
                              .area = g->area};
    g->proximity = (vo_proximity){.pair = {{0, 1, 2, 3}, VO_NODE_FACE},
                                  .weight = {1, -1.0 / 3, -1.0 / 3, -1.0 / 3},
                                  .normal = v3(0, 0, 1),
                                  .thickness = H};
}

/* Advances the particle by one implicit step under an acceleration; returns true if there was a
 * contact. */
static bool advance_particle(particle *g, double stiffness, double mu, vo_vec3 acceleration) {
    vo_contact_def def = {DT, stiffness, 9,
                          mu}; /* friction of cloth on cloth must have no effect */
    vo_contact c;
    g->proximity.distance = g->x0[0].z;
    for (int i = 0; i < 4; i++) g->x1[i] = i ? g->x0[i] : v3_add_scaled(g->x0[0], DT, g->v);
    bool touching =
        g->proximity.distance < H && vo_contact_make(&def, &g->surface, &g->proximity, &c);
    if (touching) vo_contact_set_friction(&c, vo_max(g->normal_impulse, 0));
    vo_vec3 b = v3_scale(DT * MASS, acceleration);
    double along = MASS, across = MASS;
    if (touching) {
        b = v3_add(b, v3_sub(v3_scale(c.impulse, c.normal), v3_scale(c.drag, c.slip)));
        along += c.normal_mass;
        across += c.drag * (1 - v3_length2(c.slide)); /* sliding is along x only */
    }
    g->v = v3_add(g->v, v3(b.x / across, 0, b.z / along));
    g->normal_impulse = touching ? c.impulse - c.normal_mass * b.z / along : 0;
    g->x0[0] = v3_add_scaled(g->x0[0], DT, g->v);
    return touching;
}

/* The formula for a stiff contact in contact.h. */
static void stiff_contact_ends_at_predicted_distance(void **state) {
    (void)state;
    const double distance[] = {4e-3, 1e-3, 1e-3, 1e-4}, end[] = {2e-3, 0.5e-3, -2e-3, -0.1};
    for (int i = 0; i < 4; i++) {
        particle g;
        init_particle(&g, distance[i], v3(0, 0, (end[i] - distance[i]) / DT));
        assert_true(advance_particle(&g, 1e9, 0, v3(0, 0, 0)));
        double expected = 0.8 * distance[i] + 0.1 * (vo_max(end[i], 0) + H);
        assert_near(g.x0[0].z, expected, 5e-3 * H);
    }
}

/* A pair that separates within the step has no contact. */
static void separating_pair_has_no_contact(void **state) {
    (void)state;
    particle g;
    init_particle(&g, 4e-3, v3(0, 0, 0.3));
    assert_false(advance_particle(&g, 1e9, 0.5, v3(0, 0, 0)));
}

/* A falling particle comes to rest without bouncing, where repulsion balances its weight: k a (h -
 * d)^2 / (2 h) = m g. */
static void fallen_particle_rests_at_its_weight(void **state) {
    (void)state;
    const double stiffness = 1e6;
    particle g;
    init_particle(&g, H, v3(0, 0, -0.5));
    double highest = 0;
    for (int i = 0; i < 400; i++) {
        advance_particle(&g, stiffness, 0.3, v3(0, 0, -9.81));
        if (i > 0) highest = vo_max(highest, g.x0[0].z);
    }
    assert_true(highest <= H);
    double violation = sqrt(2 * H * MASS * 9.81 / (stiffness * 1e-4));
    assert_near(g.x0[0].z, H - violation, 0.02 * violation);
    assert_true(fabs(g.v.z) < 1e-5);
}

/* Gravity as on an incline whose slope is `ratio` times the friction coefficient 0.5. Returns the
 * change of speed in the second second; the first is for the landing. */
static double slide_on_incline(double ratio) {
    const double mu = 0.5, angle = atan(ratio * mu), stiffness = 1e7;
    particle g;
    init_particle(&g, H, v3(0, 0, 0));
    vo_vec3 down = v3(9.81 * sin(angle), 0, -9.81 * cos(angle));
    for (int i = 0; i < 200; i++) advance_particle(&g, stiffness, mu, down);
    double before = g.v.x;
    for (int i = 0; i < 200; i++) advance_particle(&g, stiffness, mu, down);
    return g.v.x - before;
}

static void friction_below_its_angle_sticks(void **state) {
    (void)state;
    assert_true(fabs(slide_on_incline(0.9)) < 1e-6);
}

static void friction_above_its_angle_slides(void **state) {
    (void)state;
    const double angle = atan(1.1 * 0.5);
    double expected = 9.81 * (sin(angle) - 0.5 * cos(angle));
    assert_near(slide_on_incline(1.1), expected, 1e-3 * expected);
}

static void immovable_pair_has_no_contact(void **state) {
    (void)state;
    particle g;
    init_particle(&g, 1e-3, v3(0, 0, 0));
    for (int i = 0; i < 4; i++) g.inverse_mass[i] = 0;
    assert_false(advance_particle(&g, 1e9, 0.5, v3(0, 0, 0)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiff_contact_ends_at_predicted_distance),
        cmocka_unit_test(separating_pair_has_no_contact),
        cmocka_unit_test(fallen_particle_rests_at_its_weight),
        cmocka_unit_test(friction_below_its_angle_sticks),
        cmocka_unit_test(friction_above_its_angle_slides),
        cmocka_unit_test(immovable_pair_has_no_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

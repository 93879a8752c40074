/* Tests of buckling compensation in simulations: its effect, its stability, and independence of
 * remeshing, resuming and threads. */
#include "run_fixture.h"

#include "sim/sim.h"

/* A coarse or fine cloth in its own scene, without remeshing. */
typedef struct world {
    vo_context *ctx;
    vo_scene_def def;
    vo_cloth_def cloth;
    vo_fabric_def fabric;
    double damping; /* s */
    vo_mesh *mesh;
    vo_scene *scene;
    vo_sim *sim;
} world;

/* A fabric as soft as jersey. */
static world begin_world(int threads) {
    world w = {test_context(threads), vo_scene_def_default(), vo_cloth_def_default(),
               vo_fabric_def_default()};
    w.def.disable = VO_DISABLE_REMESHING;
    w.fabric = (vo_fabric_def){.density = 0.16,
                               .young_warp = 85,
                               .young_weft = 45,
                               .poisson = 0.5,
                               .shear = 32,
                               .bend_warp = 4.5e-6,
                               .bend_weft = 2.2e-6,
                               .bend_bias = 3e-6};
    w.damping = 0.002;
    w.cloth.remeshing.enabled = true;
    w.cloth.remeshing.size_min = 0.02;
    w.cloth.remeshing.size_max = 0.16;
    return w;
}

static void compensate(world *w) { w->cloth.remeshing.compensation = VO_COMPENSATE_ALL; }

static void add_cloth(world *w) {
    vo_fabric *fabric;
    vo_material_def material = vo_material_def_default();
    assert_ok(w->ctx, vo_fabric_create(w->ctx, &w->fabric, &fabric));
    material.fabric = fabric;
    material.damping = w->damping;
    w->cloth.mesh = w->mesh;
    w->cloth.materials = &material;
    w->cloth.material_count = 1;
    assert_ok(w->ctx, vo_scene_create(w->ctx, &w->def, &w->scene));
    assert_ok(w->ctx, vo_scene_add_cloth(w->scene, &w->cloth, NULL));
    vo_fabric_destroy(fabric);
}

static void add_sheet(world *w, double size, int cells) {
    w->mesh = test_grid(w->ctx, size, size, cells, cells);
    add_cloth(w);
}

static void start(world *w) { assert_ok(w->ctx, vo_sim_create(w->ctx, w->scene, &w->sim)); }

static void end_world(world *w) {
    vo_sim_destroy(w->sim);
    vo_scene_destroy(w->scene);
    vo_mesh_destroy(w->mesh);
    vo_context_destroy(w->ctx);
}

/* Fixes the nodes from `first` on, which move by `displacement` in the first second. */
static void fix_nodes(world *w, int first, int count, int stride, vo_vec3 displacement) {
    int nodes[64], motion;
    vo_keyframe key[2] = {{.pose = vo_pose_identity()}, {.time = 1, .pose = vo_pose_identity()}};
    key[1].pose.translate = displacement;
    for (int i = 0; i < count; i++) nodes[i] = first + i * stride;
    assert_ok(w->ctx, vo_scene_add_motion(w->scene, 2, key, &motion));
    vo_handle_def handle = vo_handle_def_default();
    handle.nodes = nodes;
    handle.node_count = count;
    handle.motion = motion;
    assert_ok(w->ctx, vo_scene_add_handle(w->scene, &handle, NULL));
}

static void step_frames(world *w, int count) {
    for (int i = 0; i < count; i++) assert_ok(w->ctx, vo_sim_step_frame(w->sim));
}

/* ---- figure 6 of the paper ------------------------------------------------------------------ */

enum { MOST_NODES = 1000, MOST_FACES = 2000 };
static const double RADIUS = 0.15, HEIGHT = 0.5;

/* An upright tube of triangle rows, each rotated by half an edge. */
static vo_mesh *make_tube(vo_context *ctx, int columns, int rows) {
    static vo_vec3 x[MOST_NODES];
    static vo_vec2 u[MOST_NODES];
    static int node[MOST_NODES], face[MOST_FACES][3];
    double width = 2 * columns * RADIUS * sin(VO_PI / columns);
    int wide = columns + 1, faces = 0;
    for (int j = 0; j <= rows; j++)
        for (int i = 0; i <= columns; i++) {
            double along = i + 0.5 * (j % 2), angle = 2 * VO_PI * along / columns;
            int k = j * columns + i % columns;
            node[j * wide + i] = k;
            u[j * wide + i] = v2(width * along / columns, HEIGHT * j / rows);
            if (i < columns) x[k] = v3(RADIUS * cos(angle), RADIUS * sin(angle), HEIGHT * j / rows);
        }
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++) {
            int a = j * wide + i, b = a + 1, c = a + wide, d = c + 1, odd = j % 2;
            const int pair[2][3] = {{a, b, odd ? d : c}, {odd ? a : b, d, c}};
            memcpy(face[faces], pair, sizeof pair);
            faces += 2;
        }
    vo_mesh *mesh;
    assert_ok(ctx, vo_mesh_create(ctx, columns * (rows + 1), x, wide * (rows + 1), u, node, faces,
                                  (const int(*)[3])face, VO_MESH_FOR_CLOTH, &mesh));
    return mesh;
}

typedef struct figure {
    double height, radius; /* m: mean height of the nodes, largest radius */
} figure;

/* A tube fixed at both rims and compressed to half its height. */
static figure compress_tube(int columns, int rows, bool compensated) {
    world w = begin_world(2);
    if (compensated) compensate(&w);
    w.mesh = make_tube(w.ctx, columns, rows);
    add_cloth(&w);
    fix_nodes(&w, 0, columns, 1, v3(0, 0, 0));
    fix_nodes(&w, columns * rows, columns, 1, v3(0, 0, -HEIGHT / 2));
    start(&w);
    step_frames(&w, 35);
    vo_mesh_view view = vo_sim_get_cloth(w.sim, 0);
    figure f = {0, 0};
    for (int i = 0; i < view.node_count; i++) {
        f.height += view.node_x[i].z / view.node_count;
        f.radius = fmax(f.radius, hypot(view.node_x[i].x, view.node_x[i].y));
    }
    vo_stats stats = vo_sim_get_stats(w.sim);
    assert_int_equal(stats.intersections, 0);
    end_world(&w);
    return f;
}

static void coarse_tube_sags_like_fine_one(void **state) {
    (void)state;
    if (TEST_SLOWNESS > 1) skip();
    figure fine = compress_tube(36, 21, false), plain = compress_tube(6, 5, false);
    figure compensated = compress_tube(6, 5, true);
    printf("a pressed tube: height %.4f m, radius %.4f m; coarse %.4f, %.4f; compensated %.4f, "
           "%.4f\n",
           fine.height, fine.radius, plain.height, plain.radius, compensated.height,
           compensated.radius);
    assert_near(compensated.height, fine.height, 0.04 * HEIGHT);
    assert_near(compensated.radius, fine.radius, 0.1 * RADIUS);
    /* without compensation it is supported by creases that it cannot form, which bulge out */
    assert_true(plain.height > fine.height + 0.07 * HEIGHT);
    assert_true(plain.radius > fine.radius + 0.15 * RADIUS);
}

/* ---- stability ------------------------------------------------------------------------------ */

static void assert_sound(const world *w) {
    vo_mesh_view view = vo_sim_get_cloth(w->sim, 0);
    for (int i = 0; i < view.node_count; i++) {
        assert_true(v3_length(view.node_x[i]) < 10);
        assert_true(v3_length(view.node_v[i]) < 10);
    }
}

static double total(vo_energy e) { return e.kinetic + e.stretch + e.bend; }

/* The same target for all faces. */
static double same_target(const void *user, int face) {
    (void)face;
    return *(const double *)user;
}

/* Opposite sides of a coarse sheet are pushed together to a fifth within 200 steps, in its plane.
 */
static void fully_slack_sheet_is_stable(void **state) {
    (void)state;
    world w = begin_world(1);
    w.def.gravity = v3(0, 0, 0);
    add_sheet(&w, 1, 4);
    fix_nodes(&w, 0, 5, 5, v3(0.4, 0, 0));
    fix_nodes(&w, 4, 5, 5, v3(-0.4, 0, 0));
    start(&w);
    double goal = 1;
    vo_implicit_set_slack_targets(&w.sim->implicit, same_target, &goal);
    for (int f = 0; f < 32; f++) vo_implicit_set_slack(&w.sim->implicit, f, 1);
    for (int i = 0; i < 200; i++) {
        assert_ok(w.ctx, vo_sim_step(w.sim));
        assert_sound(&w);
        vo_stats stats = vo_sim_get_stats(w.sim);
        assert_int_equal(stats.step_halvings + stats.frozen_substeps, 0);
        assert_true(stats.max_strain < 0.1);
    }
    assert_true(vo_sim_get_stats(w.sim).min_strain < -0.8);
    assert_near(total(vo_sim_get_energy(w.sim)), 0, 0.01); /* J */
    step_frames(&w, 50);
    double speed = vo_sim_get_stats(w.sim).max_speed;
    printf("a compressed sheet without resistance: %.4f m/s 2 s later\n", speed);
    assert_true(speed < 0.1);
    end_world(&w);
}

/* Compressed and thrown, without gravity, damping or contact: it moves by its own energy. */
static void flying_sheet_conserves_momentum(void **state) {
    (void)state;
    world w = begin_world(1);
    compensate(&w);
    w.cloth.remeshing.size_max = 0.3; /* alpha of about a tenth */
    w.def.gravity = v3(0, 0, 0);
    w.def.wind_density = 0;
    w.def.solver_tolerance = 1e-9;
    w.def.disable |= VO_DISABLE_PROXIMITY | VO_DISABLE_COLLISION;
    w.damping = 0;
    add_sheet(&w, 1, 8);
    start(&w);
    vo_mesh *m = w.sim->cloth[0].mesh;
    for (int i = 0; i < m->node_count; i++) {
        vo_vec3 x = m->node_x[i];
        m->node_x[i] = v3(0.9 * x.x, 0.8 * x.y, 0.02 * sin(9 * x.x + 5 * x.y));
        m->node_v[i] = v3(0.3, 0.5 * sin(8 * x.y), sin(7 * x.x + 2 * x.y));
    }
    w.sim->rows_current = false;
    const vo_system *s = &w.sim->implicit.system;
    vo_vec3 first = v3(0, 0, 0), last = v3(0, 0, 0);
    for (int i = 0; i < m->node_count; i++)
        first = v3_add_scaled(first, s->mass[s->row_of[i]], m->node_v[i]);
    double begin = total(vo_sim_get_energy(w.sim)), before = begin, worst = 0;
    for (int step = 0; step < 400; step++) {
        assert_ok(w.ctx, vo_sim_step(w.sim));
        double now = total(vo_sim_get_energy(w.sim));
        worst = fmax(worst, now - before);
        before = now;
    }
    for (int i = 0; i < m->node_count; i++)
        last = v3_add_scaled(last, s->mass[s->row_of[i]], m->node_v[i]);
    printf("a flying sheet: energy %.5f to %.5f J, worst gain of a step %.1e J, slack %.2f\n",
           begin, before, worst, vo_implicit_get_slack(&w.sim->implicit, 0));
    assert_near(v3_distance(first, last), 0, 1e-6 * v3_length(first));
    assert_true(before < begin && worst < 0.01 * begin);
    end_world(&w);
}

/* ---- remeshing ------------------------------------------------------------------------------ */

static double max_distance_from_target(const world *w) {
    double worst = 0;
    for (int f = 0; f < w->sim->cloth[0].mesh->face_count; f++)
        worst = fmax(worst, fabs(vo_implicit_get_slack(&w->sim->implicit, f) -
                                 vo_sim_slack_target(w->sim, 0, f)));
    return worst;
}

/* Slack of all faces of a sheet with cells of 0.25 m. */
static double slack_between(double size_min, double size_max, double power) {
    world w = begin_world(1);
    compensate(&w);
    w.cloth.remeshing.size_min = size_min;
    w.cloth.remeshing.size_max = size_max;
    w.cloth.remeshing.compensation_power = power;
    add_sheet(&w, 1, 4);
    start(&w);
    double slack = vo_implicit_get_slack(&w.sim->implicit, 0);
    for (int f = 1; f < 32; f++)
        assert_near(vo_implicit_get_slack(&w.sim->implicit, f), slack, 1e-12);
    assert_true(w.sim->implicit.has_slack == (slack > 0) && !w.sim->implicit.slack_is_fading);
    end_world(&w);
    return slack;
}

static void slack_depends_on_size(void **state) {
    (void)state;
    double area = 0.25 * 0.25 / 2, least = 0.25 * sqrt(3) * 0.01, most = 25 * least;
    for (int power = 1; power <= 10; power += 3) {
        double alpha = pow((most - area) / (most - least), power);
        assert_near(slack_between(0.1, 0.5, power), 1 - alpha, 1e-12);
    }
    assert_true(slack_between(0.3, 0.5, 10) == 0);     /* small ones */
    assert_true(slack_between(0.1, 0.25, 10) == 0.99); /* large ones */
    assert_true(slack_between(0.1, 50, 10) == 0);      /* below the threshold: none */
}

/* Coarse faces start with the slack of the fine faces they replace and approach their own; likewise
 * for split faces. */
static void new_faces_inherit_slack(void **state) {
    (void)state;
    world w = begin_world(1);
    compensate(&w);
    w.def.disable = VO_DISABLE_PROXIMITY | VO_DISABLE_COLLISION;
    w.def.gravity = v3(0, 0, 0);
    w.cloth.remeshing.size_min = 0.05;
    w.cloth.remeshing.size_max = 0.5;
    add_sheet(&w, 1, 20);
    start(&w);
    assert_true(w.sim->cloth[0].mesh->face_count < 200);
    double first = max_distance_from_target(&w);
    assert_true(first > 0.5); /* the initial faces had almost none */
    step_frames(&w, 1);
    double later = max_distance_from_target(&w);
    assert_true(later < 0.6 * first && later > 0.01);
    step_frames(&w, 15);
    assert_true(max_distance_from_target(&w) == 0 && !w.sim->implicit.slack_is_fading);
    assert_true(w.sim->implicit.has_slack);
    end_world(&w);
}

/* A target that changes at once, as when a camera turns, changes the effective slack gradually. */
static void slack_approaches_target_gradually(void **state) {
    (void)state;
    world w = begin_world(1);
    add_sheet(&w, 1, 4);
    start(&w);
    vo_implicit *s = &w.sim->implicit;
    assert_false(s->has_slack);
    double goal = 1, left = 1;
    vo_implicit_set_slack_targets(s, same_target, &goal);
    assert_false(s->has_slack);
    for (int i = 0; i < 10; i++) {
        assert_ok(w.ctx, vo_sim_step(w.sim));
        left *= exp(-w.sim->dt / 0.05);
        assert_near(vo_implicit_get_slack(s, 7), 1 - left, 1e-12);
    }
    for (int i = 0; i < 100; i++) assert_ok(w.ctx, vo_sim_step(w.sim));
    assert_true(vo_implicit_get_slack(s, 7) == 1 && s->has_slack && !s->slack_is_fading);
    goal = 0;
    vo_implicit_set_slack_targets(s, same_target, &goal);
    for (int i = 0; i < 100; i++) assert_ok(w.ctx, vo_sim_step(w.sim));
    assert_true(vo_implicit_get_slack(s, 7) == 0 && !s->has_slack && !s->slack_is_fading);
    end_world(&w);
}

/* ---- view-dependent slack ------------------------------------------------------------------- */

/* Target slack of a sheet with cells of 0.25 m at a frame, from -1 on, with a camera above it or
 * looking away. Nothing moves. `longest` is the maximum edge of its remeshing; 0: the default. */
static double limited_slack(vo_view_settings view, double longest, bool away, int frame) {
    world w = begin_world(1);
    if (longest > 0) w.cloth.remeshing.size_max = longest;
    vo_camera_key key = {.position = {0.5, 0.5, 5}, .has_target = true, .fov_y = 60};
    vo_camera_def camera = vo_camera_def_default();
    w.def.gravity = v3(0, 0, 0);
    w.def.adapt = VO_ADAPT_VIEW;
    w.def.view = view;
    w.def.preroll = w.def.frame_time;
    add_sheet(&w, 1, 4);
    key.target = v3(0.5, 0.5, away ? 9 : 0);
    camera.key_count = 1;
    camera.keys = &key;
    assert_ok(w.ctx, vo_scene_add_camera(w.scene, &camera, NULL));
    start(&w);
    step_frames(&w, frame + 1);
    vo_sim_update_slack_targets(w.sim);
    double goal = vo_sim_slack_target(w.sim, 0, 0);
    for (int f = 1; f < 32; f++) assert_near(vo_sim_slack_target(w.sim, 0, f), goal, 1e-12);
    end_world(&w);
    return goal;
}

static double viewed_slack(vo_view_settings view, bool away, int frame) {
    return limited_slack(view, 0, away, frame);
}

/* The maximum edge is the larger of the two limits; an infinite one disables compensation. */
static void max_edge_determines_compensation(void **state) {
    (void)state;
    vo_view_settings view = vo_view_settings_default();
    double goal[3], longest[3] = {0.1, INFINITY, 0.6};
    for (int i = 0; i < 3; i++) goal[i] = limited_slack(view, longest[i], true, 1);
    assert_true(goal[0] > 0.5);
    assert_near(goal[1], goal[0], 0);
    assert_true(goal[2] > 0 && goal[2] < goal[0] - 0.05);
}

static void visible_faces_have_their_own_power(void **state) {
    (void)state;
    vo_view_settings view = vo_view_settings_default();
    double area = 0.25 * 0.25 / 2, side = 0.25 * sqrt(3), least = side * 0.02 * 0.02;
    double share = (side * 0.3 * 0.3 - area) / (side * 0.3 * 0.3 - least);
    view.compensation_power = 2;
    assert_true(viewed_slack(view, false, 1) == 0);
    assert_near(viewed_slack(view, true, 1), 1 - pow(share, 2), 1e-12);
    view.visible_compensation_power = 1.5;
    assert_near(viewed_slack(view, false, 1), 1 - pow(share, 1.5), 1e-12);
    assert_near(viewed_slack(view, true, 1), 1 - pow(share, 2), 1e-12);
    assert_near(viewed_slack(view, false, 0), 1 - pow(share, 1.5), 1e-12);
    assert_true(viewed_slack(view, false, -1) == 0); /* the preroll ignores the camera */
    view.full_detail_preroll = false;                /* unless it is view-dependent too */
    assert_near(viewed_slack(view, false, -1), 1 - pow(share, 1.5), 1e-12);
    assert_near(viewed_slack(view, true, -1), 1 - pow(share, 2), 1e-12);
    view.full_detail_preroll = true;
    view.compensation = false;
    assert_true(viewed_slack(view, false, 1) == 0);
}

/* ---- determinism ---------------------------------------------------------------------------- */

static const char adaptive_text[] =
    "{ \"frame_time\": 0.04, \"frame_steps\": 4, \"end_frame\": 10,\n"
    "  \"cloths\": [{\"grid\": {\"width\": 1, \"height\": 1, \"columns\": 10, \"rows\": 10},\n"
    "    \"materials\": [{\"thickness\": 3e-4, \"density\": 500, \"elastic_modulus\": 1e6,\n"
    "                    \"poisson_ratio\": 0.3, \"strain_limits\": [0.9, 1.1]}],\n"
    "    \"remeshing\": {\"refine_angle\": 0.5, \"refine_velocity\": 0.5, \"size\": [0.05, 0.4],\n"
    "                  \"aspect_min\": 0.2, \"compensation\": \"all\"}}],\n"
    "  \"handles\": [{\"nodes\": [0]}, {\"nodes\": [10]}],\n"
    "  \"gravity\": [0, 0, -9.8], \"wind\": {\"velocity\": [1, 4, 0]} }\n";

/* Slack changes with a camera on a fixed mesh. */
static const char filmed_text[] =
    "{ \"frame_time\": 0.04, \"frame_steps\": 4, \"end_frame\": 10, \"adapt\": \"view\",\n"
    "  \"cloths\": [{\"grid\": {\"width\": 1, \"height\": 1, \"columns\": 10, \"rows\": 10},\n"
    "    \"materials\": [{\"thickness\": 3e-4, \"density\": 500, \"elastic_modulus\": 1e6,\n"
    "                    \"poisson_ratio\": 0.3}],\n"
    "    \"remeshing\": {\"size\": [0.02, 0.1]}}],\n"
    "  \"view\": {\"size_max\": 0.12, \"compensation_power\": 2},\n"
    "  \"camera\": {\"keys\": [{\"frame\": 0, \"position\": [0, 0, 5], \"target\": [0, 0, 0]},\n"
    "                       {\"frame\": 6, \"position\": [0, 0, 5], \"target\": [5, 0, 0]},\n"
    "                       {\"frame\": 9, \"position\": [0, 0, 5], \"target\": [0, 0, 0]}]},\n"
    "  \"handles\": [{\"nodes\": [0]}, {\"nodes\": [10]}], \"disable\": [\"remeshing\"],\n"
    "  \"gravity\": [0, 0, -9.8], \"wind\": {\"velocity\": [1, 4, 0]} }\n";

/* Coarse visible faces on a changing mesh. */
static const char seen_text[] =
    "{ \"frame_time\": 0.04, \"frame_steps\": 4, \"end_frame\": 10, \"adapt\": \"view\",\n"
    "  \"cloths\": [{\"grid\": {\"width\": 1, \"height\": 1, \"columns\": 10, \"rows\": 10},\n"
    "    \"materials\": [{\"thickness\": 3e-4, \"density\": 500, \"elastic_modulus\": 1e6,\n"
    "                    \"poisson_ratio\": 0.3}],\n"
    "    \"remeshing\": {\"refine_angle\": 0.5, \"refine_velocity\": 0.5, \"size\": [0.05, 0.4],\n"
    "                  \"aspect_min\": 0.2}}],\n"
    "  \"view\": {\"visible_compensation_power\": 20, \"back_facing\": 0.5},\n"
    "  \"camera\": {\"position\": [0, -2, 3], \"target\": [0, 0, 0]},\n"
    "  \"handles\": [{\"nodes\": [0]}, {\"nodes\": [10]}],\n"
    "  \"gravity\": [0, 0, -9.8], \"wind\": {\"velocity\": [1, 4, 0]} }\n";

static run_fixture open_scene_fixture(int threads, const char *text) {
    run_fixture p = open_run_fixture(threads);
    assert_ok(p.ctx, vo_file_write(p.ctx, p.scene, text, strlen(text)));
    return p;
}

static void assert_resumes(const char *text) {
    run_fixture whole = open_scene_fixture(1, text), parts = open_scene_fixture(3, text);
    assert_ok(whole.ctx, simulate(&whole, 1000));
    assert_int_equal(simulate(&parts, 2), VO_CANCELLED);
    for (int stop = 3; stop < 10; stop += 2)
        assert_int_equal(resume_until(&parts, NULL, stop), VO_CANCELLED);
    assert_ok(parts.ctx, resume(&parts, 0, NULL));
    assert_same_frames(&whole, &parts, 10);
    close_run_fixture(&whole);
    close_run_fixture(&parts);
}

static void resumed_run_gives_same_bits(void **state) {
    (void)state;
    assert_resumes(adaptive_text);
    assert_resumes(filmed_text);
    assert_resumes(seen_text);
}

static void invalid_settings_are_rejected(void **state) {
    (void)state;
    static const struct {
        const char *set, *says;
    } bad[] = {
        {"cloths[0].remeshing.compensation=some", "cloths[0].remeshing.compensation"},
        {"cloths[0].remeshing.compensation_power=0.5", "at least 1"},
        {"cloths[0].remeshing.compensation_power=-1", "cloths[0].remeshing.compensation_power"},
        {"cloths[0].remeshing.size=[0.1,\"inf\"]", "longest edge"},
        {"view.visible_compensation_power=0.5", "0, or between 1 and 1e6"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        run_fixture p = open_scene_fixture(1, adaptive_text);
        vo_run_def def = vo_run_def_default();
        def.folder = p.run;
        def.override_count = 1;
        def.overrides = &bad[i].set;
        assert_int_equal(vo_run_simulate(p.ctx, p.scene, &def), VO_BAD_DATA);
        assert_message_contains(p.ctx, bad[i].says);
        close_run_fixture(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coarse_tube_sags_like_fine_one),
        cmocka_unit_test(fully_slack_sheet_is_stable),
        cmocka_unit_test(flying_sheet_conserves_momentum),
        cmocka_unit_test(slack_depends_on_size),
        cmocka_unit_test(new_faces_inherit_slack),
        cmocka_unit_test(slack_approaches_target_gradually),
        cmocka_unit_test(max_edge_determines_compensation),
        cmocka_unit_test(visible_faces_have_their_own_power),
        cmocka_unit_test(resumed_run_gives_same_bits),
        cmocka_unit_test(invalid_settings_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

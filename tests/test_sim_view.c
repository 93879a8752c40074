/* Meshes that follow what cameras see, in simulations. */
#include "view_world.h"

#include "sim/render.h"
#include "view/camera.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Faces whose middle the scene's camera has in its picture now. */
static int faces_shown(const world *w) {
    const vo_mesh *mesh = w->sim->cloth[0].mesh;
    vo_camera camera = vo_scene_camera_at(w->scene, 0, vo_sim_time(w->sim));
    int count = 0;
    for (int f = 0; f < mesh->face_count; f++) {
        vo_vec3 sum = v3_zero();
        vo_vec2 pixel;
        for (int k = 0; k < 3; k++) sum = v3_add(sum, mesh->node_x[vo_mesh_face_node(mesh, f, k)]);
        count += vo_camera_project(&camera, v3_scale(1.0 / 3, sum), &pixel, NULL) && pixel.x >= 0 &&
                 pixel.y >= 0 && pixel.x <= camera.width && pixel.y <= camera.height;
    }
    return count;
}

/* Faces at each frame, in all and in the picture. */
typedef struct counts {
    int all[FRAMES + 1], shown[FRAMES + 1];
} counts;

static counts run(vo_adapt adapt, double anticipation) {
    world w = open_world(adapt, anticipation, true, 1);
    counts c;
    for (int f = 0; f <= FRAMES; f++) {
        c.all[f] = faces_of(&w);
        c.shown[f] = faces_shown(&w);
        assert_ok(w.ctx, vo_sim_step_frame(w.sim));
        assert_int_equal(w.sim->stats.intersections, 0);
    }
    close_world(&w);
    return c;
}

/* The first frame after the cut is as fine as if the camera had always been there. Without
 * anticipation it is not: what is flat has to fold before it is fine. */
static void a_cut_onto_unseen_cloth_finds_it_fine(void **state) {
    (void)state;
    counts full = run(VO_ADAPT_FULL, 5), view = run(VO_ADAPT_VIEW, 5), late = run(VO_ADAPT_VIEW, 0);
    print_message("faces at frames 8, %d and %d: full %d %d %d, view %d %d %d, without "
                  "anticipation %d %d %d\n",
                  CUT, CUT + 4, full.all[8], full.all[CUT], full.all[CUT + 4], view.all[8],
                  view.all[CUT], view.all[CUT + 4], late.all[8], late.all[CUT], late.all[CUT + 4]);
    assert_true(view.all[8] < full.all[8] / 4);
    assert_true(late.all[CUT - 1] < full.all[CUT - 1] / 4);
    for (int f = 0; f < CUT; f++)
        assert_int_equal(full.shown[f] + view.shown[f] + late.shown[f], 0);
    assert_int_equal(full.shown[CUT], full.all[CUT]);
    assert_true(view.shown[CUT] > 0.9 * full.shown[CUT] && view.shown[CUT] < 1.1 * full.shown[CUT]);
    assert_true(late.shown[CUT] < 0.6 * full.shown[CUT] && late.shown[CUT] < 0.6 * view.shown[CUT]);
    for (int f = CUT - 4; f < CUT; f++) assert_true(view.all[f] <= view.all[f + 1] * 1.05);
}

/* ---- several who look ----------------------------------------------------------------------- */

/* A camera or light before the curtain that stands still. */
typedef struct looker {
    const char *name;
    bool away, light; /* it looks away; it is a light */
    double front, far;
} looker;

static void add_looker(world *w, looker l) {
    vo_camera_key key = {.position = {0.5, -3, 0.5},
                         .has_target = true,
                         .target = {0.5, l.away ? -9 : 0, 0.5},
                         .field = 30};
    vo_camera_def camera = vo_camera_def_default();
    camera.name = l.name;
    camera.key_count = 1;
    camera.keys = &key;
    camera.light = l.light;
    if (l.front > 0) camera.front = l.front;
    if (l.far > 0) camera.far = l.far;
    assert_ok(w->ctx, vo_scene_add_camera(w->scene, &camera, NULL));
}

/* Faces at frames 8 and FRAMES. */
typedef struct scenery {
    int first, last;
} scenery;

static scenery run_lookers(int count, const looker *l, int shots, const vo_scene_shot *shot) {
    world w = open_world(VO_ADAPT_VIEW, 5, false, 1);
    vo_sim_destroy(w.sim);
    for (int i = 0; i < count; i++) add_looker(&w, l[i]);
    for (int i = 0; i < shots; i++)
        assert_ok(w.ctx, vo_scene_add_shot(w.scene, shot[i].time, shot[i].camera));
    assert_ok(w.ctx, vo_sim_create(w.ctx, w.scene, &w.sim));
    scenery s = {0};
    for (int f = 1; f <= FRAMES; f++) {
        assert_ok(w.ctx, vo_sim_step_frame(w.sim));
        if (f == 8) s.first = faces_of(&w);
    }
    s.last = faces_of(&w);
    close_world(&w);
    return s;
}

/* Without shots all cameras count; with them the one whose shot it is, and shortly before. */
static void shots_choose_among_cameras(void **state) {
    (void)state;
    looker two[2] = {{.name = "past it", .away = true}, {.name = "at it"}};
    vo_scene_shot film[2] = {{0, 0}, {CUT * FRAME, 1}}, back[2] = {{0, 1}, {CUT * FRAME, 0}};
    scenery alone = run_lookers(1, &two[1], 0, NULL), never = run_lookers(1, &two[0], 0, NULL);
    scenery both = run_lookers(2, two, 0, NULL);
    scenery there = run_lookers(2, two, 2, film), gone = run_lookers(2, two, 2, back);
    assert_int_equal(both.first, alone.first);
    assert_int_equal(both.last, alone.last);
    assert_int_equal(there.first, never.first);
    assert_true(there.last > 0.8 * alone.last && never.last < 0.1 * alone.last);
    assert_int_equal(gone.first, alone.first);
    assert_true(gone.last < 0.5 * alone.last);
}

/* A light counts as much as it says, whatever the film shows. */
static void a_light_counts_as_much_as_it_says(void **state) {
    (void)state;
    looker lit[2] = {{.name = "past it", .away = true}, {.name = "lamp", .light = true}};
    vo_scene_shot film = {0, 0};
    lit[1].front = 1;
    scenery bright = run_lookers(2, lit, 1, &film);
    lit[1].front = 0.3;
    scenery dim = run_lookers(2, lit, 1, &film), dark = run_lookers(1, lit, 1, &film);
    looker camera = {.name = "at it"};
    scenery seen = run_lookers(1, &camera, 0, NULL);
    print_message("faces: seen %d, lit %d, dimly %d, neither %d\n", seen.last, bright.last,
                  dim.last, dark.last);
    assert_true(fabs((double)bright.last / seen.last - 1) < 0.1);
    assert_true(dim.last < 0.5 * bright.last && dim.last > 2 * dark.last);
}

/* Beyond the far plane nothing is seen. */
static void what_is_too_far_is_not_seen(void **state) {
    (void)state;
    looker l = {.name = "at it", .far = 2}, away = {.name = "past it", .away = true};
    scenery beyond = run_lookers(1, &l, 0, NULL), never = run_lookers(1, &away, 0, NULL);
    assert_int_equal(beyond.last, never.last);
    vo_camera camera = vo_camera_look_at(v3_zero(), v3(0, 1, 0), v3(0, 0, 1), 40, 640, 480);
    vo_vec2 pixel;
    camera.near = 1, camera.far = 5;
    for (int depth = 0; depth < 7; depth++)
        assert_int_equal(vo_camera_shows(&camera, 0, v3(0, depth, 0), &pixel),
                         depth >= 1 && depth <= 5);
}

/* ---- what hides ----------------------------------------------------------------------------- */

/* A wall between the camera and the curtain, around the origin of its motion. */
static void add_wall(world *w, double end, int keys, const vo_keyframe *key) {
    vo_shape_def shape = vo_shape_def_default(VO_SHAPE_BOX);
    vo_mesh *mesh;
    shape.size = v3(1.2, 0.01, 1.2);
    assert_ok(w->ctx, vo_mesh_create_shape(w->ctx, &shape, &mesh));
    vo_obstacle_def wall = vo_obstacle_def_default();
    wall.mesh = mesh;
    wall.end = end;
    assert_ok(w->ctx, vo_scene_add_motion(w->scene, keys, key, &wall.motion));
    assert_ok(w->ctx, vo_scene_add_obstacle(w->scene, &wall, NULL));
    vo_mesh_destroy(mesh);
}

enum {
    GOES = 14,
    NOTICED = GOES - 5
}; /* frames: the wall is out of the way, and that is foreseen */

/* How many faces are hidden in frames up to NOTICED by a wall that is there until `end`, and, if it
 * turns, shows its edge to the camera from frame GOES on. */
static void run_wall(double end, bool turns, int hidden[NOTICED + 1]) {
    vo_pose before = vo_pose_identity();
    before.translate = v3(0.5, -1.5, 0.5);
    vo_pose after = before;
    after.axis = v3(0, 0, 1), after.degrees = turns ? 90 : 0;
    vo_keyframe key[2] = {{.time = (GOES - 1) * FRAME, .pose = before},
                          {.time = GOES * FRAME, .pose = after}};
    looker l = {.name = "at it"};
    world w = open_world(VO_ADAPT_VIEW, 5, false, 1);
    vo_sim_destroy(w.sim);
    w.scene->def.view.occlusion = true;
    add_looker(&w, l);
    add_wall(&w, end, 2, key);
    assert_ok(w.ctx, vo_sim_create(w.ctx, w.scene, &w.sim));
    for (int f = 1; f <= NOTICED; f++) {
        assert_ok(w.ctx, vo_sim_step_frame(w.sim));
        hidden[f] = w.sim->stats.hidden_faces;
    }
    close_world(&w);
}

/* What a wall hides is as fine as what is seen, as soon as it will be: five frames before the wall
 * is gone, or has turned. */
static void walls_that_go_hide_nothing(void **state) {
    (void)state;
    if (!vo_rays_available()) skip();
    int stays[NOTICED + 1], ends[NOTICED + 1], turns[NOTICED + 1];
    run_wall(INFINITY, false, stays);
    run_wall(GOES * FRAME - 1e-6, false, ends);
    run_wall(INFINITY, true, turns);
    for (int f = 1; f < NOTICED; f++) {
        assert_true(stays[f] > 50);
        assert_int_equal(ends[f], stays[f]);
        assert_int_equal(turns[f], stays[f]);
    }
    assert_true(stays[NOTICED] > 50);
    assert_int_equal(ends[NOTICED], 0);
    assert_true(turns[NOTICED] < 5); /* behind its edge */
}

static void without_a_camera_everything_is_seen(void **state) {
    (void)state;
    world full = open_world(VO_ADAPT_FULL, 5, false, 1),
          view = open_world(VO_ADAPT_VIEW, 5, false, 1);
    for (int f = 0; f < 6; f++) {
        assert_ok(full.ctx, vo_sim_step_frame(full.sim));
        assert_ok(view.ctx, vo_sim_step_frame(view.sim));
        assert_int_equal(faces_of(&full), faces_of(&view));
    }
    close_world(&full);
    close_world(&view);
}

static void threads_change_nothing(void **state) {
    (void)state;
    world a = open_world(VO_ADAPT_VIEW, 5, true, 1), b = open_world(VO_ADAPT_VIEW, 5, true, 3);
    for (int f = 0; f < FRAMES; f++) {
        assert_ok(a.ctx, vo_sim_step_frame(a.sim));
        assert_ok(b.ctx, vo_sim_step_frame(b.sim));
        assert_true(vo_sim_hash(a.sim) == vo_sim_hash(b.sim));
    }
    close_world(&a);
    close_world(&b);
}

/* Remeshing moves nothing in the picture by more than it may, and puts edits off for that; what
 * happens at the cut, nobody has seen before. Without a bound, points pop. */
static void what_is_seen_does_not_pop(void **state) {
    (void)state;
    double most[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        world w = open_world(VO_ADAPT_VIEW, 5, true, 1);
        w.scene->def.view.popping = k ? INFINITY : 0.5;
        int put_off = 0;
        for (int f = 0; f < FRAMES + 10; f++) {
            assert_ok(w.ctx, vo_sim_step_frame(w.sim));
            most[k] = vo_max(most[k], w.sim->stats.popping_px);
            put_off += w.sim->stats.put_off_edits;
            if (f + 1 <= CUT) assert_near(w.sim->stats.popping_px, 0, 0);
        }
        assert_true(k ? put_off == 0 : put_off > 0);
        close_world(&w);
    }
    print_message("popping of %.3g pixels, and %.3g where it may be any\n", most[0], most[1]);
    assert_true(most[0] <= 0.5 && most[1] > 1);
}

/* Nor does its back, which counts less but is in the picture all the same. */
static void a_back_that_is_seen_does_not_pop(void **state) {
    (void)state;
    double most[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        world w = open_world(VO_ADAPT_VIEW, 5, false, 1);
        w.scene->def.view.popping = k ? INFINITY : 0.5;
        w.scene->def.view.two_sided = false;
        for (int side = 0; side < 2; side++) {
            vo_camera camera =
                vo_camera_look_at((vo_vec3){0.5, side ? -3 : 3, 0.5}, (vo_vec3){0.5, 0, 0.5},
                                  (vo_vec3){0, 0, 1}, 30, 1280, 720);
            for (int f = 0; f < FRAMES; f++) {
                vo_sim_set_camera(w.sim, &camera, f == 0);
                assert_ok(w.ctx, vo_sim_step_frame(w.sim));
                most[k] = vo_max(most[k], w.sim->stats.popping_px);
            }
        }
        close_world(&w);
    }
    print_message("popping of %.3g pixels, and %.3g where it may be any\n", most[0], most[1]);
    assert_true(most[0] <= 0.5 && most[1] > 1);
}

/* Faces after some frames of a curtain that is seen from behind. */
static int faces_from_behind(bool scene, vo_sides cloth) {
    world w = open_world(VO_ADAPT_VIEW, 5, false, 1);
    w.scene->def.view.two_sided = scene;
    w.scene->cloth[0].sides = cloth;
    vo_camera camera = vo_camera_look_at((vo_vec3){0.5, 3, 0.5}, (vo_vec3){0.5, 0, 0.5},
                                         (vo_vec3){0, 0, 1}, 30, 1280, 720);
    for (int f = 0; f < FRAMES / 2; f++) {
        vo_sim_set_camera(w.sim, &camera, false);
        assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    }
    int faces = faces_of(&w);
    close_world(&w);
    return faces;
}

/* A cloth has its own say in how many sides it has. */
static void cloths_have_one_side_or_two(void **state) {
    (void)state;
    int one = faces_from_behind(false, VO_SIDES_SCENE),
        two = faces_from_behind(true, VO_SIDES_SCENE);
    print_message("a back has %d faces, and %d if it is a front\n", one, two);
    assert_true(two > 1.5 * one);
    assert_int_equal(faces_from_behind(false, VO_SIDES_TWO), two);
    assert_int_equal(faces_from_behind(false, VO_SIDES_ONE), one);
    assert_int_equal(faces_from_behind(true, VO_SIDES_ONE), one);
}

/* A camera that is given step by step and turns towards the cloth. */
static void a_camera_of_the_callers_counts(void **state) {
    (void)state;
    world w = open_world(VO_ADAPT_VIEW, 5, false, 1);
    vo_camera away = vo_camera_look_at((vo_vec3){0.5, -3, 0.5}, (vo_vec3){0.5, -9, 0.5},
                                       (vo_vec3){0, 0, 1}, 30, 640, 480);
    vo_camera there = vo_camera_look_at((vo_vec3){0.5, -3, 0.5}, (vo_vec3){0.5, 0, 0.5},
                                        (vo_vec3){0, 0, 1}, 30, 640, 480);
    for (int f = 0; f < 10; f++) {
        vo_sim_set_camera(w.sim, &away, false);
        assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    }
    int unseen = faces_of(&w);
    assert_int_equal(w.sim->stats.seen_faces, 0);
    for (int f = 0; f < 4; f++) {
        vo_sim_set_camera(w.sim, &there, f == 0);
        assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    }
    assert_true(faces_of(&w) > 4 * unseen);
    assert_true(w.sim->stats.seen_faces > 0);
    close_world(&w);
}

/* Where the first camera that counts at this frame looks. */
static vo_vec3 looks_along(world *w) {
    vo_sim_view_open(w->sim);
    assert_int_equal(w->sim->view.frustum_count, 1);
    return w->sim->view.frustum[0].forward;
}

/* A cut that is written with a few digits comes at the frame that it means: for the picture, for
 * the meshes and for what may pop. */
static void the_view_cuts_when_the_picture_does(void **state) {
    (void)state;
    static const double LATE[] = {0, 0.5e-6, 3e-6, 4e-5, 2e-4};
    for (int i = 0; i < 5; i++) {
        world w = open_world(VO_ADAPT_VIEW, i % 2 ? 5 : 0, true, 1);
        w.scene->camera[0].path.knot[1].time += LATE[i];
        for (int f = 0; f < CUT; f++) assert_ok(w.ctx, vo_sim_step_frame(w.sim));
        vo_render_def def = vo_render_def_default();
        vo_standpoint from;
        assert_ok(w.ctx, vo_standpoint_find(&def, w.scene, vo_sim_time(w.sim), &from));
        bool come = i < 4;
        assert_near(from.camera.forward.y, come ? 1 : -1, 1e-12);
        assert_near(looks_along(&w).y, come ? 1 : -1, 1e-12);
        assert_int_equal(w.sim->stats.seen_faces > 0, come || i % 2);
        assert_int_equal(w.sim->view.watcher_count, !come);
        close_world(&w);
    }
}

/* A camera that is told when a frame begins is looked through as it will be when the frame ends. */
static void a_camera_that_pans_is_where_it_will_be(void **state) {
    (void)state;
    world w = open_world(VO_ADAPT_VIEW, 1, false, 1);
    for (int f = 0; f < 12; f++) {
        double now = 2 * FRAME * f, then = 2 * FRAME * (f + 1); /* rad */
        vo_camera camera = vo_camera_look_at((vo_vec3){0.5, -3, 0.5},
                                             (vo_vec3){0.5 + 3 * sin(now), -3 + 3 * cos(now), 0.5},
                                             (vo_vec3){0, 0, 1}, 30, 640, 480);
        vo_sim_set_camera(w.sim, &camera, false);
        assert_ok(w.ctx, vo_sim_step_frame(w.sim));
        if (f == 0) continue; /* one pose says nothing about where it goes */
        vo_vec3 along = looks_along(&w);
        assert_near(along.x, sin(then), 1e-6);
        assert_near(along.y, cos(then), 1e-6);
        assert_near(w.sim->view.watcher[0].forward.x, sin(then), 1e-6);
    }
    close_world(&w);
}

/* A point that comes from behind the eye into the picture crosses it; what was never in it does
 * not pop. */
static void points_behind_the_eye(void **state) {
    (void)state;
    world w = open_world(VO_ADAPT_VIEW, 5, true, 1);
    for (int f = 0; f < CUT + 2; f++) assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    vo_pop pop[3] = {{{0.5, -4, 0.5}, {0.5, 0, 0.5}},
                     {{0.5, 0, 0.5}, {0.5, -4, 0.5}},
                     {{0.5, -4, 0.5}, {0.5, -5, 0.5}}};
    double diagonal = hypot(1920, 1080);
    for (int i = 0; i < 3; i++)
        assert_near(vo_sim_view_popping(w.sim, 1, &pop[i]), i < 2 ? diagonal : 0, 0);
    close_world(&w);
}

/* What untangling moves after remeshing pops as well as what remeshing moves. */
static void what_is_put_apart_pops(void **state) {
    (void)state;
    world w = open_world(VO_ADAPT_VIEW, 5, true, 1);
    vo_sim_destroy(w.sim);
    add_curtain(&w);
    for (int i = 0; i < 25; i++) w.scene->cloth[1].mesh->node_x[i].y += 0.05;
    w.scene->def.gravity = v3_zero();
    assert_ok(w.ctx, vo_sim_create(w.ctx, w.scene, &w.sim));
    for (int f = 0; f < CUT + 2; f++) assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    w.sim->stats.popping = w.sim->stats.popping_px = 0;
    assert_ok(w.ctx, vo_sim_untangle_edits(w.sim));
    assert_near(w.sim->stats.popping + w.sim->stats.popping_px, 0, 0); /* nothing to put apart */
    const vo_mesh *first = w.sim->cloth[0].mesh;
    vo_mesh *second = w.sim->cloth[1].mesh;
    vo_vec3 nearest = v3(INFINITY, 0, 0); /* middle of a face to which a corner is put through */
    for (int f = 0; f < first->face_count; f++) {
        vo_vec3 middle = v3_zero();
        for (int k = 0; k < 3; k++)
            middle = v3_add_scaled(middle, 1.0 / 3, first->node_x[vo_mesh_face_node(first, f, k)]);
        if (v3_distance(middle, second->node_x[0]) < v3_distance(nearest, second->node_x[0]))
            nearest = middle;
    }
    second->node_x[0] = v3_add(nearest, v3(0, -0.002, 0));
    assert_ok(w.ctx, vo_sim_untangle_edits(w.sim));
    print_message("put apart by %.3g m, %.3g pixels\n", w.sim->stats.popping,
                  w.sim->stats.popping_px);
    assert_true(w.sim->stats.popping > 1e-4);
    assert_true(w.sim->stats.popping_px > 0.1);
    close_world(&w);
}

/* Cameras that are none do no harm: they are refused by name, and what was told before counts. */
static void what_is_no_camera_is_refused(void **state) {
    (void)state;
    static const char *const part[] = {
        "position", "forward", "tan_y", "right", "far", "width", "up x right", "at most", "square",
    };
    enum { BAD = sizeof part / sizeof *part };
    vo_camera good = vo_camera_look_at((vo_vec3){0, -3, 0}, (vo_vec3){0, 0, 0}, (vo_vec3){0, 0, 1},
                                       30, 640, 480);
    vo_camera bad[BAD];
    for (int i = 0; i < BAD; i++) bad[i] = good;
    bad[0].position.x = NAN;
    bad[1].forward = (vo_vec3){0, 0, 0};
    bad[2].tan_y = 0;
    bad[3].right.z = INFINITY;
    bad[4].far = -1;
    bad[5].width = 0;
    bad[6].right = v3_negate(good.right);
    bad[7].width = 1 << 30, bad[7].tan_x = bad[7].tan_y * bad[7].width / bad[7].height;
    bad[8].tan_x *= 1.002;
    world w = open_world(VO_ADAPT_VIEW, 5, true, 1);
    for (int i = 0; i < BAD; i++) {
        assert_int_equal(vo_sim_set_camera(w.sim, &bad[i], false), VO_BAD_CALL);
        assert_non_null(strstr(vo_context_message(w.ctx), part[i]));
        assert_int_equal(w.sim->view.guide.count, 0);
    }
    assert_ok(w.ctx, vo_sim_set_camera(w.sim, &good, false));
    assert_int_equal(vo_sim_set_camera(w.sim, &bad[0], true), VO_BAD_CALL);
    assert_int_equal(w.sim->view.guide.count, 1);
    assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    close_world(&w);
}

/* The scene's camera looks away until the cut, and so does the curtain become coarse once the
 * caller's camera, which looks at it, is taken away. */
static void the_scenes_cameras_come_back(void **state) {
    (void)state;
    world w = open_world(VO_ADAPT_VIEW, 0, true, 1);
    vo_camera there = vo_camera_look_at((vo_vec3){0.5, -3, 0.5}, (vo_vec3){0.5, 0, 0.5},
                                        (vo_vec3){0, 0, 1}, 30, 640, 480);
    for (int f = 0; f < CUT / 2; f++) {
        assert_ok(w.ctx, vo_sim_set_camera(w.sim, &there, false));
        assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    }
    int seen = faces_of(&w);
    assert_true(w.sim->stats.seen_faces > 0);
    assert_ok(w.ctx, vo_sim_set_camera(w.sim, NULL, false));
    for (int f = CUT / 2; f < CUT - 2; f++) assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    assert_int_equal(w.sim->stats.seen_faces, 0);
    assert_true(faces_of(&w) < seen / 2);
    close_world(&w);
}

/* Before frame 0 a run with a camera is one without; the first picture has what it shows. */
static void the_first_picture_is_as_fine_as_it_shows(void **state) {
    (void)state;
    int faces[2][2]; /* full, view; before the last frame of the preroll, and after it */
    for (int k = 0; k < 2; k++) {
        world w = open_world(k ? VO_ADAPT_VIEW : VO_ADAPT_FULL, 5, true, 1);
        vo_sim_destroy(w.sim);
        w.scene->def.preroll = 0.2;
        assert_ok(w.ctx, vo_sim_create(w.ctx, w.scene, &w.sim));
        for (int f = 0; f < 4; f++) assert_ok(w.ctx, vo_sim_step_frame(w.sim));
        assert_int_equal(vo_sim_frame(w.sim), -1);
        faces[k][0] = faces_of(&w);
        assert_ok(w.ctx, vo_sim_step_frame(w.sim));
        faces[k][1] = faces_of(&w);
        close_world(&w);
    }
    assert_int_equal(faces[0][0], faces[1][0]);
    print_message("faces at frame 0: full %d, view %d\n", faces[0][1], faces[1][1]);
    assert_true(faces[1][1] < 0.75 * faces[0][1]); /* the camera looks past it */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cut_onto_unseen_cloth_finds_it_fine),
        cmocka_unit_test(shots_choose_among_cameras),
        cmocka_unit_test(a_light_counts_as_much_as_it_says),
        cmocka_unit_test(what_is_too_far_is_not_seen),
        cmocka_unit_test(walls_that_go_hide_nothing),
        cmocka_unit_test(without_a_camera_everything_is_seen),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(what_is_seen_does_not_pop),
        cmocka_unit_test(a_back_that_is_seen_does_not_pop),
        cmocka_unit_test(cloths_have_one_side_or_two),
        cmocka_unit_test(a_camera_of_the_callers_counts),
        cmocka_unit_test(the_view_cuts_when_the_picture_does),
        cmocka_unit_test(a_camera_that_pans_is_where_it_will_be),
        cmocka_unit_test(points_behind_the_eye),
        cmocka_unit_test(what_is_put_apart_pops),
        cmocka_unit_test(what_is_no_camera_is_refused),
        cmocka_unit_test(the_scenes_cameras_come_back),
        cmocka_unit_test(the_first_picture_is_as_fine_as_it_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests of view-dependent remeshing in simulations. */
#include "view_fixture.h"

#include "run/render.h"
#include "sim/inspect.h"
#include "view/camera.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Returns the number of faces whose centroid projects into the image of the scene's camera. */
static int count_faces_in_frustum(const world *w) {
    const vo_mesh *mesh = w->sim->cloth[0].mesh;
    vo_camera camera = vo_scene_eval_camera(w->scene, 0, vo_sim_time(w->sim));
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

/* Face counts per frame, in total and in the frustum. */
typedef struct counts {
    int all[FRAMES + 1], shown[FRAMES + 1];
} counts;

static counts run_curtain(vo_adapt adapt, double anticipation) {
    world w = open_world(adapt, anticipation, true, 1);
    counts c;
    for (int f = 0; f <= FRAMES; f++) {
        c.all[f] = faces_of(&w);
        c.shown[f] = count_faces_in_frustum(&w);
        assert_ok(w.ctx, vo_sim_step_frame(w.sim));
        assert_int_equal(w.sim->stats.intersections, 0);
    }
    close_world(&w);
    return c;
}

/* With anticipation the first frame after the cut is as fine as with adapt = full. Without it the
 * cloth is still coarse, because flat cloth must fold first. */
static void anticipation_refines_cloth_before_a_cut(void **state) {
    (void)state;
    counts full = run_curtain(VO_ADAPT_FULL, 5), view = run_curtain(VO_ADAPT_VIEW, 5),
           late = run_curtain(VO_ADAPT_VIEW, 0);
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

/* ---- several cameras and lights -------------------------------------------------------------- */

/* A static camera or light in front of the curtain. */
typedef struct viewpoint {
    const char *name;
    bool away, light; /* turned away from the curtain; a light */
    double front, far;
} viewpoint;

static void add_viewpoint(world *w, viewpoint l) {
    vo_camera_key key = {.position = {0.5, -3, 0.5},
                         .has_target = true,
                         .target = {0.5, l.away ? -9 : 0, 0.5},
                         .fov_y = 30};
    vo_camera_def camera = vo_camera_def_default();
    camera.name = l.name;
    camera.key_count = 1;
    camera.keys = &key;
    camera.light = l.light;
    if (l.front > 0) camera.weight = l.front;
    if (l.far > 0) camera.z_far = l.far;
    assert_ok(w->ctx, vo_scene_add_camera(w->scene, &camera, NULL));
}

/* Face counts at frames 8 and FRAMES. */
typedef struct face_counts {
    int first, last;
} face_counts;

static face_counts run_viewpoints(int count, const viewpoint *l, int shots,
                                  const vo_scene_shot *shot) {
    world w = open_world(VO_ADAPT_VIEW, 5, false, 1);
    vo_sim_destroy(w.sim);
    for (int i = 0; i < count; i++) add_viewpoint(&w, l[i]);
    for (int i = 0; i < shots; i++)
        assert_ok(w.ctx, vo_scene_add_shot(w.scene, shot[i].time, shot[i].camera));
    assert_ok(w.ctx, vo_sim_create(w.ctx, w.scene, &w.sim));
    face_counts s = {0};
    for (int f = 1; f <= FRAMES; f++) {
        assert_ok(w.ctx, vo_sim_step_frame(w.sim));
        if (f == 8) s.first = faces_of(&w);
    }
    s.last = faces_of(&w);
    close_world(&w);
    return s;
}

/* Without shots all cameras are active; with shots only that of the current shot and, within the
 * anticipation, of the next. */
static void shots_select_the_camera(void **state) {
    (void)state;
    viewpoint two[2] = {{.name = "past it", .away = true}, {.name = "at it"}};
    vo_scene_shot cut_to[2] = {{0, 0}, {CUT * FRAME, 1}}, cut_away[2] = {{0, 1}, {CUT * FRAME, 0}};
    face_counts alone = run_viewpoints(1, &two[1], 0, NULL),
                never = run_viewpoints(1, &two[0], 0, NULL);
    face_counts both = run_viewpoints(2, two, 0, NULL);
    face_counts turned_to = run_viewpoints(2, two, 2, cut_to),
                turned_away = run_viewpoints(2, two, 2, cut_away);
    assert_int_equal(both.first, alone.first);
    assert_int_equal(both.last, alone.last);
    assert_int_equal(turned_to.first, never.first);
    assert_true(turned_to.last > 0.8 * alone.last && never.last < 0.1 * alone.last);
    assert_int_equal(turned_away.first, alone.first);
    assert_true(turned_away.last < 0.5 * alone.last);
}

/* A light refines by its weight, in every shot. */
static void light_refines_by_its_weight(void **state) {
    (void)state;
    viewpoint lit[2] = {{.name = "past it", .away = true}, {.name = "lamp", .light = true}};
    vo_scene_shot shot = {0, 0};
    lit[1].front = 1;
    face_counts bright = run_viewpoints(2, lit, 1, &shot);
    lit[1].front = 0.3;
    face_counts dim = run_viewpoints(2, lit, 1, &shot), dark = run_viewpoints(1, lit, 1, &shot);
    viewpoint camera = {.name = "at it"};
    face_counts seen = run_viewpoints(1, &camera, 0, NULL);
    print_message("faces: in view %d, lit %d, dimly lit %d, neither %d\n", seen.last, bright.last,
                  dim.last, dark.last);
    assert_true(fabs((double)bright.last / seen.last - 1) < 0.1);
    assert_true(dim.last < 0.5 * bright.last && dim.last > 2 * dark.last);
}

/* Cloth beyond the far plane is not refined. */
static void cloth_beyond_far_plane_is_invisible(void **state) {
    (void)state;
    viewpoint l = {.name = "at it", .far = 2}, away = {.name = "past it", .away = true};
    face_counts beyond = run_viewpoints(1, &l, 0, NULL), never = run_viewpoints(1, &away, 0, NULL);
    assert_int_equal(beyond.last, never.last);
    vo_camera camera = vo_camera_look_at(v3_zero(), v3(0, 1, 0), v3(0, 0, 1), 40, 640, 480);
    vo_vec2 pixel;
    camera.z_near = 1, camera.z_far = 5;
    for (int depth = 0; depth < 7; depth++)
        assert_int_equal(vo_camera_contains(&camera, 0, v3(0, depth, 0), &pixel),
                         depth >= 1 && depth <= 5);
}

/* ---- occlusion ------------------------------------------------------------------------------- */

/* Adds a wall between the camera and the curtain, centred at the origin of its motion. */
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

/* Adds a box of 4 m around the curtain, with a wall between it and the camera. */
static void add_box_around(world *w, bool inward) {
    vo_shape_def shape = vo_shape_def_default(VO_SHAPE_BOX);
    vo_mesh *box, *mesh;
    shape.size = v3(4, 4, 4);
    assert_ok(w->ctx, vo_mesh_create_shape(w->ctx, &shape, &box));
    int(*face)[3] = test_calloc((size_t)box->face_count, sizeof *face);
    for (int f = 0; f < box->face_count; f++)
        for (int k = 0; k < 3; k++) face[f][inward ? 2 - k : k] = vo_mesh_face_node(box, f, k);
    assert_ok(w->ctx,
              vo_mesh_create(w->ctx, box->node_count, box->node_x, box->node_count, NULL, NULL,
                             box->face_count, (const int(*)[3])face, VO_MESH_FOR_OBSTACLE, &mesh));
    vo_obstacle_def obstacle = vo_obstacle_def_default();
    obstacle.mesh = mesh;
    obstacle.pose.translate = v3(0.5, 0, 0.5);
    assert_ok(w->ctx, vo_scene_add_obstacle(w->scene, &obstacle, NULL));
    vo_mesh_destroy(mesh);
    vo_mesh_destroy(box);
    test_free(face);
}

/* Returns the number of occluded faces in a box seen from outside. */
static int count_occluded_in_box(bool inward) {
    viewpoint l = {.name = "at it"};
    world w = open_world(VO_ADAPT_VIEW, 5, false, 1);
    vo_sim_destroy(w.sim);
    w.scene->def.view.occlusion = true;
    add_viewpoint(&w, l);
    add_box_around(&w, inward);
    assert_ok(w.ctx, vo_sim_create(w.ctx, w.scene, &w.sim));
    assert_int_equal(vo_sim_obstacle_is_container(w.sim, 0), inward);
    assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    int occluded = w.sim->stats.occluded_faces;
    close_world(&w);
    return occluded;
}

/* The walls of a container are not rendered in front of its content and do not occlude it. */
static void container_does_not_occlude_its_content(void **state) {
    (void)state;
    if (!vo_rays_available()) skip();
    assert_true(count_occluded_in_box(false) > 20);
    assert_int_equal(count_occluded_in_box(true), 0);
}

enum {
    WALL_GONE = 14,
    ANTICIPATED = WALL_GONE - 5
}; /* frames at which the wall stops occluding, and at which that is anticipated */

/* Records the number of faces occluded by a wall that exists until `end` and, if it turns, is edge-
 * on to the camera from frame WALL_GONE on. */
static void run_wall(double end, bool turns, int hidden[ANTICIPATED + 1]) {
    vo_pose before = vo_pose_identity();
    before.translate = v3(0.5, -1.5, 0.5);
    vo_pose after = before;
    after.axis = v3(0, 0, 1), after.degrees = turns ? 90 : 0;
    vo_keyframe key[2] = {{.time = (WALL_GONE - 1) * FRAME, .pose = before},
                          {.time = WALL_GONE * FRAME, .pose = after}};
    viewpoint l = {.name = "at it"};
    world w = open_world(VO_ADAPT_VIEW, 5, false, 1);
    vo_sim_destroy(w.sim);
    w.scene->def.view.occlusion = true;
    add_viewpoint(&w, l);
    add_wall(&w, end, 2, key);
    assert_ok(w.ctx, vo_sim_create(w.ctx, w.scene, &w.sim));
    for (int f = 1; f <= ANTICIPATED; f++) {
        assert_ok(w.ctx, vo_sim_step_frame(w.sim));
        hidden[f] = w.sim->stats.occluded_faces;
    }
    close_world(&w);
}

/* Occluded cloth is refined as soon as it will be visible: five frames before the wall is removed
 * or has turned. */
static void disappearing_wall_does_not_occlude(void **state) {
    (void)state;
    if (!vo_rays_available()) skip();
    int stays[ANTICIPATED + 1], ends[ANTICIPATED + 1], turns[ANTICIPATED + 1];
    run_wall(INFINITY, false, stays);
    run_wall(WALL_GONE * FRAME - 1e-6, false, ends);
    run_wall(INFINITY, true, turns);
    for (int f = 1; f < ANTICIPATED; f++) {
        assert_true(stays[f] > 50);
        assert_int_equal(ends[f], stays[f]);
        assert_int_equal(turns[f], stays[f]);
    }
    assert_true(stays[ANTICIPATED] > 50);
    assert_int_equal(ends[ANTICIPATED], 0);
    assert_true(turns[ANTICIPATED] < 5); /* behind the edge of the wall */
}

static void view_without_camera_equals_full(void **state) {
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

static void state_is_independent_of_threads(void **state) {
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

/* Remeshing moves no visible point by more than the limit and defers edits for that; the cut itself
 * reveals cloth that was invisible. Without a limit, points pop. */
static void visible_popping_stays_within_limit(void **state) {
    (void)state;
    double max_popping[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        world w = open_world(VO_ADAPT_VIEW, 5, true, 1);
        w.scene->def.view.max_popping = k ? INFINITY : 0.5;
        int deferred = 0;
        for (int f = 0; f < FRAMES + 10; f++) {
            assert_ok(w.ctx, vo_sim_step_frame(w.sim));
            max_popping[k] = vo_max(max_popping[k], w.sim->stats.popping_px);
            deferred += w.sim->stats.deferred_edits;
            if (f + 1 <= CUT) assert_near(w.sim->stats.popping_px, 0, 0);
        }
        assert_true(k ? deferred == 0 : deferred > 0);
        close_world(&w);
    }
    print_message("popping: %.3g pixels with a limit, %.3g without\n", max_popping[0],
                  max_popping[1]);
    assert_true(max_popping[0] <= 0.5 && max_popping[1] > 1);
}

/* Back-facing cloth has a lower view factor but the same popping limit. */
static void back_side_popping_stays_within_limit(void **state) {
    (void)state;
    double max_popping[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        world w = open_world(VO_ADAPT_VIEW, 5, false, 1);
        w.scene->def.view.max_popping = k ? INFINITY : 0.5;
        w.scene->def.view.two_sided = false;
        for (int side = 0; side < 2; side++) {
            vo_camera camera =
                vo_camera_look_at((vo_vec3){0.5, side ? -3 : 3, 0.5}, (vo_vec3){0.5, 0, 0.5},
                                  (vo_vec3){0, 0, 1}, 30, 1280, 720);
            for (int f = 0; f < FRAMES; f++) {
                vo_sim_set_camera(w.sim, &camera, f == 0);
                assert_ok(w.ctx, vo_sim_step_frame(w.sim));
                max_popping[k] = vo_max(max_popping[k], w.sim->stats.popping_px);
            }
        }
        close_world(&w);
    }
    print_message("popping: %.3g pixels with a limit, %.3g without\n", max_popping[0],
                  max_popping[1]);
    assert_true(max_popping[0] <= 0.5 && max_popping[1] > 1);
}

/* Returns the number of faces after some frames of a curtain whose back faces the camera. */
static int faces_from_behind(bool scene, vo_sidedness cloth) {
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

/* The sidedness of a cloth takes precedence over that of the scene. */
static void cloth_sidedness_overrides_the_scene(void **state) {
    (void)state;
    int one = faces_from_behind(false, VO_SIDEDNESS_INHERIT),
        two = faces_from_behind(true, VO_SIDEDNESS_INHERIT);
    print_message("%d faces one-sided, %d two-sided\n", one, two);
    assert_true(two > 1.5 * one);
    assert_int_equal(faces_from_behind(false, VO_SIDEDNESS_TWO), two);
    assert_int_equal(faces_from_behind(false, VO_SIDEDNESS_ONE), one);
    assert_int_equal(faces_from_behind(true, VO_SIDEDNESS_ONE), one);
}

/* An interactive camera turns towards the cloth. */
static void interactive_camera_refines_visible_cloth(void **state) {
    (void)state;
    world w = open_world(VO_ADAPT_VIEW, 5, false, 1);
    vo_camera away = vo_camera_look_at((vo_vec3){0.5, -3, 0.5}, (vo_vec3){0.5, -9, 0.5},
                                       (vo_vec3){0, 0, 1}, 30, 640, 480);
    vo_camera facing = vo_camera_look_at((vo_vec3){0.5, -3, 0.5}, (vo_vec3){0.5, 0, 0.5},
                                         (vo_vec3){0, 0, 1}, 30, 640, 480);
    for (int f = 0; f < 10; f++) {
        vo_sim_set_camera(w.sim, &away, false);
        assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    }
    int invisible_faces = faces_of(&w);
    assert_int_equal(w.sim->stats.visible_faces, 0);
    for (int f = 0; f < 4; f++) {
        vo_sim_set_camera(w.sim, &facing, f == 0);
        assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    }
    assert_true(faces_of(&w) > 4 * invisible_faces);
    assert_true(w.sim->stats.visible_faces > 0);
    close_world(&w);
}

/* Returns the viewing direction of the only active camera of this frame. */
static vo_vec3 view_direction(world *w) {
    vo_sim_view_open_frusta(w->sim);
    assert_int_equal(w->sim->view.frustum_count, 1);
    return w->sim->view.frustum[0].forward;
}

/* A cut time that is rounded to a few digits applies at its frame in the renderer, in the sizing
 * field and in the popping limit. */
static void rounded_cut_time_applies_at_its_frame(void **state) {
    (void)state;
    static const double DELAY[] = {0, 0.5e-6, 3e-6, 4e-5, 2e-4};
    for (int i = 0; i < 5; i++) {
        world w = open_world(VO_ADAPT_VIEW, i % 2 ? 5 : 0, true, 1);
        w.scene->camera[0].path.knot[1].time += DELAY[i];
        for (int f = 0; f < CUT; f++) assert_ok(w.ctx, vo_sim_step_frame(w.sim));
        vo_render_def def = vo_render_def_default();
        vo_frame_camera from;
        assert_ok(w.ctx, vo_frame_camera_find(&def, w.scene, vo_sim_time(w.sim), &from));
        bool cut_reached = i < 4;
        assert_near(from.camera.forward.y, cut_reached ? 1 : -1, 1e-12);
        assert_near(view_direction(&w).y, cut_reached ? 1 : -1, 1e-12);
        assert_int_equal(w.sim->stats.visible_faces > 0, cut_reached || i % 2);
        assert_int_equal(w.sim->view.pop_camera_count, !cut_reached);
        close_world(&w);
    }
}

/* A camera pose set at the start of a frame is extrapolated to the end of the frame. */
static void panning_camera_is_extrapolated(void **state) {
    (void)state;
    world w = open_world(VO_ADAPT_VIEW, 1, false, 1);
    for (int f = 0; f < 12; f++) {
        double now = 2 * FRAME * f, then = 2 * FRAME * (f + 1); /* rad */
        vo_camera camera = vo_camera_look_at((vo_vec3){0.5, -3, 0.5},
                                             (vo_vec3){0.5 + 3 * sin(now), -3 + 3 * cos(now), 0.5},
                                             (vo_vec3){0, 0, 1}, 30, 640, 480);
        vo_sim_set_camera(w.sim, &camera, false);
        assert_ok(w.ctx, vo_sim_step_frame(w.sim));
        if (f == 0) continue; /* one pose has no velocity */
        vo_vec3 along = view_direction(&w);
        assert_near(along.x, sin(then), 1e-6);
        assert_near(along.y, cos(then), 1e-6);
        assert_near(w.sim->view.pop_camera[0].forward.x, sin(then), 1e-6);
    }
    close_world(&w);
}

/* A point that moves from behind the camera into the image pops by the image diagonal; a point
 * that stays outside does not pop. */
static void point_behind_camera_pops_by_the_diagonal(void **state) {
    (void)state;
    world w = open_world(VO_ADAPT_VIEW, 5, true, 1);
    for (int f = 0; f < CUT + 2; f++) assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    vo_pop pop[3] = {{{0.5, -4, 0.5}, {0.5, 0, 0.5}},
                     {{0.5, 0, 0.5}, {0.5, -4, 0.5}},
                     {{0.5, -4, 0.5}, {0.5, -5, 0.5}}};
    double diagonal = hypot(1920, 1080);
    for (int i = 0; i < 3; i++)
        assert_near(vo_sim_view_measure_popping(w.sim, 1, &pop[i]), i < 2 ? diagonal : 0, 0);
    close_world(&w);
}

/* Displacements by untangling after remeshing are included in the popping statistics. */
static void untangling_after_remeshing_counts_as_popping(void **state) {
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
    assert_near(w.sim->stats.popping + w.sim->stats.popping_px, 0, 0); /* nothing to separate */
    const vo_mesh *first = w.sim->cloth[0].mesh;
    vo_mesh *second = w.sim->cloth[1].mesh;
    vo_vec3 nearest = v3(INFINITY, 0, 0); /* centroid of a face through which a corner is pushed */
    for (int f = 0; f < first->face_count; f++) {
        vo_vec3 middle = v3_zero();
        for (int k = 0; k < 3; k++)
            middle = v3_add_scaled(middle, 1.0 / 3, first->node_x[vo_mesh_face_node(first, f, k)]);
        if (v3_distance(middle, second->node_x[0]) < v3_distance(nearest, second->node_x[0]))
            nearest = middle;
    }
    second->node_x[0] = v3_add(nearest, v3(0, -0.002, 0));
    assert_ok(w.ctx, vo_sim_untangle_edits(w.sim));
    print_message("untangling moved %.3g m, %.3g pixels\n", w.sim->stats.popping,
                  w.sim->stats.popping_px);
    assert_true(w.sim->stats.popping > 1e-4);
    assert_true(w.sim->stats.popping_px > 0.1);
    close_world(&w);
}

/* Invalid cameras are rejected with the name of the bad member; the previous camera stays in
 * effect. */
static void invalid_camera_is_rejected(void **state) {
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
    bad[4].z_far = -1;
    bad[5].width = 0;
    bad[6].right = v3_negate(good.right);
    bad[7].width = 1 << 30, bad[7].tan_x = bad[7].tan_y * bad[7].width / bad[7].height;
    bad[8].tan_x *= 1.002;
    world w = open_world(VO_ADAPT_VIEW, 5, true, 1);
    for (int i = 0; i < BAD; i++) {
        assert_int_equal(vo_sim_set_camera(w.sim, &bad[i], false), VO_BAD_ARGUMENT);
        assert_message_contains(w.ctx, part[i]);
        assert_int_equal(w.sim->view.predictor.count, 0);
    }
    assert_ok(w.ctx, vo_sim_set_camera(w.sim, &good, false));
    assert_int_equal(vo_sim_set_camera(w.sim, &bad[0], true), VO_BAD_ARGUMENT);
    assert_int_equal(w.sim->view.predictor.count, 1);
    assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    close_world(&w);
}

/* The scene's camera looks away until the cut, so the curtain becomes coarse again once the
 * interactive camera is removed. */
static void removed_interactive_camera_restores_scene_cameras(void **state) {
    (void)state;
    world w = open_world(VO_ADAPT_VIEW, 0, true, 1);
    vo_camera facing = vo_camera_look_at((vo_vec3){0.5, -3, 0.5}, (vo_vec3){0.5, 0, 0.5},
                                         (vo_vec3){0, 0, 1}, 30, 640, 480);
    for (int f = 0; f < CUT / 2; f++) {
        assert_ok(w.ctx, vo_sim_set_camera(w.sim, &facing, false));
        assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    }
    int seen = faces_of(&w);
    assert_true(w.sim->stats.visible_faces > 0);
    assert_ok(w.ctx, vo_sim_set_camera(w.sim, NULL, false));
    for (int f = CUT / 2; f < CUT - 2; f++) assert_ok(w.ctx, vo_sim_step_frame(w.sim));
    assert_int_equal(w.sim->stats.visible_faces, 0);
    assert_true(faces_of(&w) < seen / 2);
    close_world(&w);
}

/* During the preroll adapt = view equals adapt = full; at frame 0 the mesh is view-dependent. */
static void preroll_ends_with_view_dependent_mesh(void **state) {
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
    assert_true(faces[1][1] < 0.75 * faces[0][1]); /* the cloth is outside the frustum */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anticipation_refines_cloth_before_a_cut),
        cmocka_unit_test(shots_select_the_camera),
        cmocka_unit_test(light_refines_by_its_weight),
        cmocka_unit_test(cloth_beyond_far_plane_is_invisible),
        cmocka_unit_test(container_does_not_occlude_its_content),
        cmocka_unit_test(disappearing_wall_does_not_occlude),
        cmocka_unit_test(view_without_camera_equals_full),
        cmocka_unit_test(state_is_independent_of_threads),
        cmocka_unit_test(visible_popping_stays_within_limit),
        cmocka_unit_test(back_side_popping_stays_within_limit),
        cmocka_unit_test(cloth_sidedness_overrides_the_scene),
        cmocka_unit_test(interactive_camera_refines_visible_cloth),
        cmocka_unit_test(rounded_cut_time_applies_at_its_frame),
        cmocka_unit_test(panning_camera_is_extrapolated),
        cmocka_unit_test(point_behind_camera_pops_by_the_diagonal),
        cmocka_unit_test(untangling_after_remeshing_counts_as_popping),
        cmocka_unit_test(invalid_camera_is_rejected),
        cmocka_unit_test(removed_interactive_camera_restores_scene_cameras),
        cmocka_unit_test(preroll_ends_with_view_dependent_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

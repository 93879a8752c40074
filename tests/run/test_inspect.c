/* Tests of the exact inspection of a simulation: intersecting pairs, enclosed nodes, statistics. */
#include "run/findings.h"
#include "sim/sim.h"
#include "soup.h"

#include <stdio.h>

/* ---- scenes --------------------------------------------------------------------------------- */

typedef struct stage {
    vo_context *ctx;
    vo_scene *scene;
    vo_fabric *fabric;
    vo_sim *sim;
} stage;

static stage open_stage(vo_context *ctx) {
    stage st = {.ctx = ctx};
    vo_scene_def def = vo_scene_def_default();
    vo_fabric_def weave = vo_fabric_def_default();
    def.disable = VO_DISABLE_PHYSICS;
    assert_ok(ctx, vo_scene_create(ctx, &def, &st.scene));
    assert_ok(ctx, vo_fabric_create(ctx, &weave, &st.fabric));
    return st;
}

/* Adds a cloth and frees the soup. Material coordinates are (x, y) of the nodes, or (x, z) if
 * upright. */
static void add_cloth(stage *st, soup *s, bool upright) {
    vo_mesh *mesh;
    vo_vec2 *uv = malloc((size_t)s->node_count * sizeof *uv);
    int *own = malloc((size_t)s->node_count * sizeof *own);
    assert_true(uv && own);
    for (int i = 0; i < s->node_count; i++) {
        uv[i] = v2(s->x[i].x + (upright ? s->x[i].y : 0), upright ? s->x[i].z : s->x[i].y);
        own[i] = i;
    }
    assert_ok(st->ctx,
              vo_mesh_create(st->ctx, s->node_count, s->x, s->node_count, uv, own, s->face_count,
                             (const int(*)[3])s->face, VO_MESH_FOR_CLOTH, &mesh));
    vo_material_def material = vo_material_def_default();
    vo_cloth_def cloth = vo_cloth_def_default();
    material.fabric = st->fabric;
    cloth.mesh = mesh;
    cloth.materials = &material;
    cloth.material_count = 1;
    assert_ok(st->ctx, vo_scene_add_cloth(st->scene, &cloth, NULL));
    vo_mesh_destroy(mesh);
    free(uv);
    free(own);
    soup_free(s);
}

/* Adds an obstacle that exists from `start` on and frees the soup. */
static void add_obstacle(stage *st, soup *s, double start) {
    vo_mesh *mesh;
    assert_ok(st->ctx,
              vo_mesh_create(st->ctx, s->node_count, s->x, s->node_count, NULL, NULL, s->face_count,
                             (const int(*)[3])s->face, VO_MESH_FOR_OBSTACLE, &mesh));
    vo_obstacle_def def = vo_obstacle_def_default();
    def.mesh = mesh;
    def.start = start;
    assert_ok(st->ctx, vo_scene_add_obstacle(st->scene, &def, NULL));
    vo_mesh_destroy(mesh);
    soup_free(s);
}

static vo_inspection inspect(stage *st) {
    vo_inspection i;
    if (!st->sim) assert_ok(st->ctx, vo_sim_create(st->ctx, st->scene, &st->sim));
    assert_ok(st->ctx, vo_sim_inspect(st->sim, &i));
    return i;
}

static void close_stage(stage *st) {
    vo_sim_destroy(st->sim);
    vo_fabric_destroy(st->fabric);
    vo_scene_destroy(st->scene);
}

/* Creates a horizontal square of cells x cells around (0, 0, z) with sides of `side`. */
static soup make_level_sheet(int cells, double side, double z) {
    soup s = {0};
    soup_sheet(&s, cells, cells, v3(-side / 2, -side / 2, z), v3(side, 0, 0), v3(0, side, 0));
    return s;
}

/* ---- counts --------------------------------------------------------------------------------- */

static void intersecting_pairs_are_counted_and_listed(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    stage st = open_stage(ctx);
    soup s = make_level_sheet(4, 1, 0);
    add_cloth(&st, &s, false);
    soup_sheet(&s, 1, 1, v3(0.1, 0.2, -0.5), v3(0, 0.02, 0), v3(0, 0, 1));
    add_cloth(&st, &s, true);
    soup_sphere(&s, 8, v3(-0.28, -0.27, 0.01), 0.08);
    add_obstacle(&st, &s, 0);
    vo_inspection i = inspect(&st);
    assert_int_equal(i.self_pairs, 0);
    assert_int_equal(i.cloth_pairs,
                     2); /* the two faces of the strip with one of the horizontal cloth */
    assert_true(i.obstacle_pairs > 0 && i.complete);
    assert_int_equal(vo_inspection_intersections(&i), 2 + i.obstacle_pairs);
    assert_false(vo_inspection_is_clean(&i));
    bool listed = false;
    assert_int_equal(i.pair_count, vo_min_int(VO_INSPECTION_PAIRS, 2 + i.obstacle_pairs));
    for (int k = 0; k < i.pair_count; k++) {
        const vo_face_pair *p = &i.pair[k];
        if (k > 0) assert_true(p->cloth > p[-1].cloth || p->face >= p[-1].face);
        if (p->with_obstacle) {
            assert_int_equal(p->other, 0);
            assert_true(v3_distance(p->position, v3(-0.28, -0.27, 0)) < 0.2);
        } else {
            listed = p->cloth == 0 && p->other == 1 && p->other_face < 2;
            assert_true(v3_distance(p->position, v3(0.1, 0.21, 0)) < 0.02);
        }
    }
    assert_true(listed || i.obstacle_pairs >= VO_INSPECTION_PAIRS);
    assert_int_equal(vo_sim_get_stats(st.sim).intersections, 2 + i.obstacle_pairs);
    close_stage(&st);
    vo_context_destroy(ctx);
}

/* A sheet rolled through itself. */
static void self_intersections_are_counted(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    stage st = open_stage(ctx);
    soup s = make_level_sheet(12, 1, 0);
    add_cloth(&st, &s, false);
    vo_inspection i = inspect(&st);
    assert_true(vo_inspection_is_clean(&i));
    assert_near(i.max_strain, 0, 1e-12);
    vo_mesh *mesh = st.sim->cloth[0].mesh;
    for (int k = 0; k < mesh->node_count; k++) {
        double turn = 7 * mesh->vert_u[k].x;
        mesh->node_x[k] = v3(0.14 * cos(turn), 0.14 * sin(turn) + 0.01, 2 * mesh->vert_u[k].y);
    }
    i = inspect(&st);
    assert_true(i.self_pairs > 0 && i.cloth_pairs == 0 && i.obstacle_pairs == 0);
    assert_near(i.max_strain, 1, 1e-9);
    assert_true(i.min_strain < 0 && i.min_strain > -0.1);
    close_stage(&st);
    vo_context_destroy(ctx);
}

/* ---- enclosed nodes -------------------------------------------------------------------------- */

/* A sheet through the middle of a sphere; all results follow from the distance to its centre. */
static void nodes_inside_a_sphere_are_counted(void **state) {
    (void)state;
    static const double scales[] = {1, 1e-6, 1e6};
    for (int k = 0; k < 3; k++) {
        vo_context *ctx = test_context(1 + k);
        stage st = open_stage(ctx);
        double size = scales[k], radius = 0.31 * size;
        soup s = make_level_sheet(40, size, 0.1 * size);
        add_cloth(&st, &s, false);
        soup_sphere(&s, 60, v3_zero(), radius);
        add_obstacle(&st, &s, 0);
        soup_sphere(&s, 10, v3(0, 0, 5 * size), radius);
        add_obstacle(&st, &s, 0);
        vo_inspection i = inspect(&st);
        double sag = 2e-3 * radius, deepest = 0;
        int min_count = 0, max_count = 0;
        vo_mesh_view view = vo_sim_get_cloth(st.sim, 0);
        for (int n = 0; n < view.node_count; n++) {
            double depth = radius - v3_length(view.node_x[n]);
            min_count += depth > sag;
            max_count += depth > 0;
            deepest = vo_max(deepest, depth);
        }
        assert_true(i.inside_nodes >= min_count && i.inside_nodes <= max_count);
        assert_near(i.max_depth, deepest, sag);
        assert_near(i.max_depth, 0.21 * size, sag);
        assert_int_equal(i.closed_obstacles, 2);
        assert_int_equal(i.deepest_obstacle, 0);
        assert_int_equal(i.deepest_cloth, 0);
        assert_near(v3_distance(i.deepest_position, v3(0, 0, 0.1 * size)), 0, 1e-12 * size);
        assert_near(v3_distance(i.deepest_position, view.node_x[i.deepest_node]), 0, 0);
        assert_true(i.obstacle_pairs > 20);
        close_stage(&st);
        vo_context_destroy(ctx);
    }
}

/* Cloth completely inside an obstacle: no pair intersects, but the state is not clean. */
static void enclosed_cloth_is_not_clean(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    stage st = open_stage(ctx);
    soup s = make_level_sheet(5, 0.2, 0);
    add_cloth(&st, &s, false);
    soup_box(&s, v3(-1, -1, -1), v3(1, 1, 2));
    add_obstacle(&st, &s, 0);
    vo_inspection i = inspect(&st);
    assert_int_equal(vo_inspection_intersections(&i), 0);
    assert_int_equal(i.inside_nodes, 36);
    assert_near(i.max_depth, 0.98, 1e-15); /* nodes nearest the centre, at a distance of 0.02 */
    assert_false(vo_inspection_is_clean(&i));
    assert_int_equal(vo_sim_get_stats(st.sim).inside_nodes, 36);
    close_stage(&st);
    vo_context_destroy(ctx);
}

/* The last of several components is inside the second obstacle; all others are beside it. */
static void enclosed_component_is_found(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    stage st = open_stage(ctx);
    soup s = make_level_sheet(5, 0.2, -2);
    soup_sheet(&s, 2, 2, v3(-0.1, -0.1, -2.5), v3(0.2, 0, 0), v3(0, 0.2, 0));
    add_cloth(&st, &s, false);
    s = make_level_sheet(3, 0.2, 0.5);
    add_cloth(&st, &s, false);
    soup_box(&s, v3(-1, -1, 4), v3(1, 1, 5));
    add_obstacle(&st, &s, 0);
    soup_box(&s, v3(-1, -1, -1), v3(1, 1, 2));
    add_obstacle(&st, &s, 0);
    vo_inspection i = inspect(&st);
    assert_int_equal(vo_inspection_intersections(&i), 0);
    assert_int_equal(i.inside_nodes, 16);
    assert_int_equal(i.closed_obstacles, 2);
    assert_int_equal(i.deepest_cloth, 1);
    assert_int_equal(i.deepest_obstacle, 1);
    close_stage(&st);
    vo_context_destroy(ctx);
}

/* Two obstacles that intersect: nodes inside both are counted once, and cloth beside both is
 * clean. */
static void overlapping_obstacles_count_nodes_once(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    stage st = open_stage(ctx);
    soup s = make_level_sheet(4, 0.2, 0);
    add_cloth(&st, &s, false);
    soup_sphere(&s, 20, v3(-0.2, 0, 0.3), 0.5);
    add_obstacle(&st, &s, 0);
    soup_sphere(&s, 20, v3(0.2, 0, 0.3), 0.5);
    add_obstacle(&st, &s, 0);
    vo_inspection i = inspect(&st);
    assert_int_equal(i.inside_nodes, 25);
    assert_int_equal(i.obstacle_pairs, 0);
    vo_mesh *mesh = st.sim->cloth[0].mesh;
    for (int n = 0; n < 25; n++) mesh->node_x[n].z = -0.21;
    i = inspect(&st);
    assert_true(vo_inspection_is_clean(&i));
    close_stage(&st);
    vo_context_destroy(ctx);
}

/* Open surfaces can be intersected but enclose nothing; absent obstacles are ignored. */
static void open_and_absent_obstacles_enclose_nothing(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    stage st = open_stage(ctx);
    soup s = make_level_sheet(4, 0.2, 0);
    add_cloth(&st, &s, false);
    soup_box(&s, v3(-1, -1, -1), v3(1, 1, 1));
    s.face_count--;
    add_obstacle(&st, &s, 0);
    soup_box(&s, v3(-1, -1, -1), v3(1, 1, 1));
    add_obstacle(&st, &s, 0.02);
    vo_inspection i = inspect(&st);
    assert_int_equal(i.closed_obstacles, 0);
    assert_int_equal(i.inside_nodes, 0);
    assert_true(vo_inspection_is_clean(&i));
    for (int k = 0; k < 5; k++) assert_ok(ctx, vo_sim_step(st.sim));
    i = inspect(&st);
    assert_int_equal(i.closed_obstacles, 1);
    assert_int_equal(i.inside_nodes, 25);
    assert_int_equal(i.deepest_obstacle, 1);
    close_stage(&st);
    vo_context_destroy(ctx);
}

/* ---- degenerate faces, lost nodes ------------------------------------------------------------ */

static void degenerate_faces_and_lost_nodes_are_counted(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    stage st = open_stage(ctx);
    soup s = make_level_sheet(3, 1, 0);
    add_cloth(&st, &s, false);
    vo_inspection i = inspect(&st);
    assert_int_equal(i.inverted_face, -1);
    vo_mesh *mesh = st.sim->cloth[0].mesh;
    mesh->node_x[0] = v3_lerp(mesh->node_x[1], mesh->node_x[5], 0.5); /* onto the opposite edge */
    i = inspect(&st);
    assert_int_equal(i.inverted_faces, 1);
    assert_int_equal(i.inverted_cloth, 0);
    assert_int_equal(i.inverted_face, 0);
    assert_false(vo_inspection_is_clean(&i));
    mesh->node_x[0].z += 1e-30; /* no longer degenerate */
    i = inspect(&st);
    assert_int_equal(i.inverted_faces, 0);
    mesh->node_x[15].y = NAN;
    i = inspect(&st);
    assert_int_equal(i.lost_nodes, 1);
    assert_false(vo_inspection_is_clean(&i));
    assert_true(isfinite(i.max_strain));
    for (int n = 0; n < mesh->node_count; n++) mesh->node_x[n] = v3(1e300, -1e300, INFINITY);
    i = inspect(&st);
    assert_int_equal(i.lost_nodes, 16);
    assert_int_equal(vo_inspection_intersections(&i), 0);
    close_stage(&st);
    vo_context_destroy(ctx);
}

/* ---- cost ------------------------------------------------------------------------------------ */

/* Creates a tangle that is the same for every call. */
static stage make_tangle(vo_context *ctx, int cells) {
    stage st = open_stage(ctx);
    soup s = make_level_sheet(cells, 1, 0);
    add_cloth(&st, &s, false);
    s = make_level_sheet(cells, 1, 0);
    add_cloth(&st, &s, false);
    soup_sphere(&s, 20, v3(0.1, 0, 0), 0.3);
    add_obstacle(&st, &s, 0);
    assert_ok(ctx, vo_sim_create(ctx, st.scene, &st.sim));
    vo_random r = vo_random_seed(9);
    for (int c = 0; c < 2; c++)
        for (int n = 0; n < st.sim->cloth[c].mesh->node_count; n++) {
            vo_vec3 *x = &st.sim->cloth[c].mesh->node_x[n];
            x->z = 0.1 * sin(7 * x->x + c) * cos(5 * x->y);
            *x = v3_add(*x, test_random_vec3(&r, 0.7 / cells));
        }
    return st;
}

static void result_is_independent_of_threads(void **state) {
    (void)state;
    vo_inspection first = {0};
    for (int threads = 1; threads <= 3; threads++) {
        vo_context *ctx = test_context(threads);
        stage st = make_tangle(ctx, 40);
        vo_inspection i;
        memset(&i, 0, sizeof i);
        assert_ok(ctx, vo_sim_inspect(st.sim, &i));
        assert_true(i.self_pairs > 20 && i.cloth_pairs > 20 && i.obstacle_pairs > 20 &&
                    i.inside_nodes > 20 && i.pair_count == VO_INSPECTION_PAIRS);
        if (threads == 1) first = i;
        assert_int_equal(i.self_pairs, first.self_pairs);
        assert_int_equal(i.cloth_pairs, first.cloth_pairs);
        assert_int_equal(i.obstacle_pairs, first.obstacle_pairs);
        assert_int_equal(i.inside_nodes, first.inside_nodes);
        assert_int_equal(i.deepest_node, first.deepest_node);
        assert_near(i.max_depth, first.max_depth, 0);
        for (int k = 0; k < i.pair_count; k++) {
            assert_int_equal(i.pair[k].face, first.pair[k].face);
            assert_int_equal(i.pair[k].other_face, first.pair[k].other_face);
            assert_near(v3_distance(i.pair[k].position, first.pair[k].position), 0, 0);
        }
        close_stage(&st);
        vo_context_destroy(ctx);
    }
}

static void repeated_inspection_allocates_nothing(void **state) {
    (void)state;
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(2, &memory);
    stage st = make_tangle(ctx, 20);
    vo_inspection i = inspect(&st);
    long calls = memory.calls;
    for (int k = 0; k < 5; k++) i = inspect(&st);
    for (int k = 0; k < 3; k++) assert_ok(ctx, vo_sim_step_frame(st.sim));
    assert_int_equal(memory.calls, calls);
    vo_stats stats = vo_sim_get_stats(st.sim);
    assert_int_equal(stats.intersections, vo_inspection_intersections(&i));
    assert_int_equal(stats.inside_nodes, i.inside_nodes);
    assert_true(stats.stage.inspect > 0 && stats.stage.inspect <= stats.wall_s);
    close_stage(&st);
    vo_context_destroy(ctx);
    assert_int_equal(memory.live, 0);
}

static vo_result inspect_once(vo_context *ctx, void *arg) {
    const soup *s = arg;
    static int own[2000];
    for (int i = 0; i < s->node_count; i++) own[i] = i;
    vo_inspect_mesh mesh = {s->node_count, 32, s->x, own, (const int(*)[3])s->face};
    vo_inspect_mesh body = {s->node_count, s->face_count - 32, s->x, own,
                            (const int(*)[3])s->face + 32};
    vo_inspector in = {.ctx = ctx};
    vo_inspection i;
    vo_result result = vo_inspector_add(&in, &mesh, false, 0, VO_INSPECT_OPEN);
    if (result == VO_OK) result = vo_inspector_add(&in, &body, true, 0, VO_INSPECT_ENCLOSED);
    if (result == VO_OK) result = vo_inspector_inspect(&in, &i);
    if (result == VO_OK) {
        assert_true(i.obstacle_pairs > 0 && i.inside_nodes > 0);
        char path[400];
        snprintf(path, sizeof path, "%s/inspection.ply", test_folder());
        result = vo_inspector_save_ply(&in, path);
    }
    vo_inspector_free(&in);
    return result;
}

static void allocation_failure_is_reported(void **state) {
    (void)state;
    soup s = {0};
    soup_sheet(&s, 4, 4, v3(-1, -1, 0), v3(2, 0, 0), v3(0, 2, 0));
    soup_sphere(&s, 5, v3(0.003, 0.002, 0), 0.6);
    test_every_allocation(inspect_once, &s);
    soup_free(&s);
}

/* Times a frame of 33,000 faces over a sphere, with everything that stats.jsonl needs. */
static void inspection_speed_is_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    stage st = open_stage(ctx);
    soup s = make_level_sheet(128, 2, 0);
    add_cloth(&st, &s, false);
    soup_sphere(&s, 40, v3_zero(), 0.5);
    add_obstacle(&st, &s, 0);
    assert_ok(ctx, vo_sim_create(ctx, st.scene, &st.sim));
    vo_mesh *mesh = st.sim->cloth[0].mesh;
    for (int n = 0; n < mesh->node_count; n++) { /* draped: a cap and hanging folds */
        vo_vec3 *x = &mesh->node_x[n];
        double far = hypot(x->x, x->y), turn = atan2(x->y, x->x), down = vo_max(0, far - 0.5);
        double out = vo_min(far, 0.5) * (1 + 0.3 * down * (1.1 + sin(12 * turn)));
        double cap = far < 0.5 ? sqrt(0.2601 - far * far) : sqrt(0.0101) - down;
        *x = v3(1.02 * out * cos(turn), 1.02 * out * sin(turn), cap);
    }
    vo_inspection i = inspect(&st);
    double best = INFINITY;
    for (int k = 0; k < 5; k++) {
        double start = test_seconds();
        i = inspect(&st);
        best = vo_min(best, test_seconds() - start);
    }
    print_message("%d faces: %.1f ms; %d pairs, %d nodes inside\n", mesh->face_count, best * 1e3,
                  vo_inspection_intersections(&i), i.inside_nodes);
    assert_true(vo_inspection_is_clean(&i));
    assert_true(best < 0.1 * TEST_SLOWNESS);
    close_stage(&st);
    vo_context_destroy(ctx);
}

/* ---- containers ----------------------------------------------------------------------------- */

/* Reverses the orientation of the faces. */
static void reverse_faces(soup *s) {
    for (int f = 0; f < s->face_count; f++) {
        int a = s->face[f][0];
        s->face[f][0] = s->face[f][1];
        s->face[f][1] = a;
    }
}

/* A sheet of 0.2 m at (x, 0, 0.01) and a sphere of radius 1 with inward faces; `ball` adds a solid
 * ball of radius 0.5 at (0.4, 0, 0) to the same obstacle. */
static vo_inspection inspect_container(vo_context *ctx, double x, bool ball) {
    stage st = open_stage(ctx);
    soup s = make_level_sheet(4, 0.2, 0.01);
    for (int i = 0; i < s.node_count; i++) s.x[i].x += x;
    add_cloth(&st, &s, false);
    soup_sphere(&s, 16, v3_zero(), 1);
    reverse_faces(&s);
    if (ball) soup_sphere(&s, 16, v3(0.4, 0, 0), 0.5);
    add_obstacle(&st, &s, 0);
    vo_inspection i = inspect(&st);
    close_stage(&st);
    return i;
}

static void inward_container_encloses_outside(void **state) {
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        vo_context *ctx = test_context(threads);
        vo_inspection i = inspect_container(ctx, 0, false);
        assert_int_equal(i.closed_obstacles, 1);
        assert_true(vo_inspection_is_clean(&i));
        i = inspect_container(ctx, 3, false); /* beyond the bounds of the obstacle */
        assert_int_equal(i.inside_nodes, 25);
        assert_true(i.deepest_outside_container);
        assert_near(i.max_depth, 2.1, 0.02);
        i = inspect_container(ctx, 1, false); /* through the wall */
        assert_true(i.obstacle_pairs > 0 && i.inside_nodes > 0 && i.inside_nodes < 25);
        i = inspect_container(ctx, 0.4, true); /* in a ball within the container */
        assert_int_equal(i.inside_nodes, 25);
        i = inspect_container(ctx, -0.5, true); /* between the two */
        assert_true(vo_inspection_is_clean(&i));
        vo_context_destroy(ctx);
    }
}

/* Sheets at x[0] and x[1], and containers of radius 1 about x = 0 and x = distance. */
static vo_inspection inspect_two_containers(vo_context *ctx, const double x[2], double distance) {
    stage st = open_stage(ctx);
    for (int c = 0; c < 2; c++) {
        soup s = make_level_sheet(4, 0.2, 0.01 + 0.1 * c);
        for (int i = 0; i < s.node_count; i++) s.x[i].x += x[c];
        add_cloth(&st, &s, false);
    }
    for (int c = 0; c < 2; c++) {
        soup s = {0};
        soup_sphere(&s, 16, v3(c * distance, 0, 0), 1);
        reverse_faces(&s);
        add_obstacle(&st, &s, 0);
    }
    vo_inspection i = inspect(&st);
    close_stage(&st);
    return i;
}

/* Cloth must be in one of the containers, not in all of them. */
static void containers_are_joined(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    vo_inspection i = inspect_two_containers(ctx, (double[]){0, 5}, 5); /* one sheet in each */
    assert_int_equal(i.closed_obstacles, 2);
    assert_true(vo_inspection_is_clean(&i));
    assert_int_equal(i.deepest_obstacle, -1);
    i = inspect_two_containers(ctx, (double[]){0.2, 0.8}, 1); /* overlapping */
    assert_true(vo_inspection_is_clean(&i));
    i = inspect_two_containers(ctx, (double[]){0, 3.5}, 5); /* the second is outside of both */
    assert_int_equal(i.inside_nodes, 25);
    assert_int_equal(i.deepest_cloth, 1);
    assert_int_equal(i.deepest_obstacle, 1);
    assert_true(i.deepest_outside_container);
    assert_near(i.max_depth, 0.6, 0.02);
    i = inspect_two_containers(ctx, (double[]){1, 4}, 5); /* through the walls */
    assert_true(i.obstacle_pairs > 0 && i.inside_nodes > 0 && i.inside_nodes < 50);
    vo_context_destroy(ctx);
}

/* Warnings of a simulation. */
typedef struct warnings {
    int count;
    char first[256];
} warnings;

/* A vo_log_fn: counts warnings. */
static void count_warning(void *user, vo_log_level level, const char *text) {
    warnings *w = user;
    if (level == VO_LOG_WARNING && w->count++ == 0) snprintf(w->first, sizeof w->first, "%s", text);
}

/* A sphere with inward faces. */
typedef struct container {
    double x, radius; /* m */
} container;

/* Returns the warnings at the start of a simulation with two crossing sheets at x, one sheet at
 * second_x, and containers. */
static warnings warnings_at_start(double x, double second_x, int count, const container *sphere) {
    warnings w = {0};
    vo_context *ctx;
    vo_context_def def = vo_context_def_default();
    def.log = count_warning;
    def.log_user = &w;
    assert_int_equal(vo_context_create(&def, &ctx), VO_OK);
    stage st = {.ctx = ctx};
    vo_fabric_def weave = vo_fabric_def_default();
    assert_ok(ctx, vo_scene_create(ctx, NULL, &st.scene));
    assert_ok(ctx, vo_fabric_create(ctx, &weave, &st.fabric));
    soup s = make_level_sheet(4, 0.2, 0.01);
    for (int i = 0; i < s.node_count; i++) s.x[i].x += x;
    add_cloth(&st, &s, false);
    soup_sheet(&s, 1, 1, v3(x, -0.05, -0.05), v3(0, 0.01, 0),
               v3(0, 0, 0.1)); /* crosses the first sheet */
    add_cloth(&st, &s, true);
    soup_sheet(&s, 1, 1, v3(second_x, -0.05, -0.2), v3(0.1, 0, 0), v3(0, 0.1, 0));
    add_cloth(&st, &s, false);
    for (int i = 0; i < count; i++) {
        soup wall = {0};
        soup_sphere(&wall, 16, v3(sphere[i].x, 0, 0), sphere[i].radius);
        reverse_faces(&wall);
        add_obstacle(&st, &wall, 0);
    }
    inspect(&st);
    close_stage(&st);
    vo_context_destroy(ctx);
    return w;
}

static void cloth_in_container_starts_without_warnings(void **state) {
    (void)state;
    const container apart[] = {{0.5, 1}, {4, 1}}, nested[] = {{0, 0.5}, {0, 2}};
    assert_int_equal(warnings_at_start(0, 0, 1, (container[]){{0, 1}}).count, 0);
    assert_int_equal(warnings_at_start(0.5, 4, 2, apart).count, 0); /* a cloth in each */
    assert_int_equal(warnings_at_start(0, 1, 2, nested).count, 0);
    assert_int_equal(warnings_at_start(1, 0, 2, nested).count, 0);
}

static void cloth_outside_all_containers_is_reported_once(void **state) {
    (void)state;
    const container apart[] = {{0.5, 1}, {4, 1}};
    warnings w = warnings_at_start(0.5, 5.5, 2, apart);
    assert_int_equal(w.count, 1);
    assert_non_null(strstr(w.first, "cloth 2 lies outside obstacle 1, a container"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inward_container_encloses_outside),
        cmocka_unit_test(containers_are_joined),
        cmocka_unit_test(cloth_in_container_starts_without_warnings),
        cmocka_unit_test(cloth_outside_all_containers_is_reported_once),
        cmocka_unit_test(intersecting_pairs_are_counted_and_listed),
        cmocka_unit_test(self_intersections_are_counted),
        cmocka_unit_test(nodes_inside_a_sphere_are_counted),
        cmocka_unit_test(enclosed_cloth_is_not_clean),
        cmocka_unit_test(enclosed_component_is_found),
        cmocka_unit_test(overlapping_obstacles_count_nodes_once),
        cmocka_unit_test(open_and_absent_obstacles_enclose_nothing),
        cmocka_unit_test(degenerate_faces_and_lost_nodes_are_counted),
        cmocka_unit_test(result_is_independent_of_threads),
        cmocka_unit_test(repeated_inspection_allocates_nothing),
        cmocka_unit_test(allocation_failure_is_reported),
        cmocka_unit_test(inspection_speed_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

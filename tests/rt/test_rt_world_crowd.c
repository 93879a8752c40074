/* Crowds: reduced rates, parking, distant poses, bodies in use, coarse cloth on capsules. */
#include "rt_fixture.h"

static const vo_rt_camera FAR_CAMERA = {.position = {0, 0.5f, 60},
                                        .rotation = {0, 0, 0, 1},
                                        .fov_y = 0.9f,
                                        .aspect = 1.5f,
                                        .height_pixels = 720};

static vo_rt_matrix matrix_at(float x, float y, float z) {
    return (vo_rt_matrix){{1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z}};
}

/* The wearer of a tube: a vertical capsule that follows bone 0. */
static vo_rt_body *create_wearer(vo_rt_world *w, float radius, float friction) {
    vo_rt_shape shape = vo_rt_shape_default(VO_RT_CAPSULE);
    shape.radius = radius;
    shape.half_height = 0.6f;
    shape.bone = 0;
    shape.local.position = f3(0, 0.5f, 0);
    vo_rt_body_def def = vo_rt_body_def_default();
    def.shape_count = 1;
    def.shapes = &shape;
    def.bone_count = 2;
    def.friction = friction;
    vo_rt_body *body;
    assert_rt_ok(w, vo_rt_body_create(w, &def, &body));
    return body;
}

static void set_place(vo_rt_world *w, vo_rt_body *body, vo_rt_cloth *cloth, float x) {
    vo_rt_matrix bones[2] = {matrix_at(x, 0, 0), matrix_at(x, 0, 0)};
    assert_rt_ok(w, vo_rt_body_set_bones(body, 2, bones));
    assert_rt_ok(w, vo_rt_cloth_set_bones(cloth, 2, bones));
}

typedef struct dressed {
    vo_rt_asset *asset;
    vo_rt_world *world;
    vo_rt_body *body;
    vo_rt_cloth *cloth;
    float x;
} dressed;

static dressed create_worn(const vo_rt_lod *lod, int threads, float radius, float friction) {
    dressed d = {.asset = rt_tube()};
    vo_rt_world_def def = vo_rt_world_def_default();
    if (lod) def.lod = *lod;
    def.threads = threads;
    d.world = rt_world(&def);
    d.body = create_wearer(d.world, radius, friction);
    d.cloth = rt_cloth(d.world, d.asset, 0, 0, 0);
    assert_rt_ok(d.world, vo_rt_world_set_cameras(d.world, 1, &FAR_CAMERA));
    return d;
}

static dressed create_dressed(const vo_rt_lod *lod, int threads) {
    return create_worn(lod, threads, 0.2f, 1);
}

static void destroy_dressed(dressed *d) {
    vo_rt_world_destroy(d->world);
    vo_rt_asset_destroy(d->asset);
}

static void walk(dressed *d, int frames, float speed) {
    for (int i = 0; i < frames; i++) {
        d->x += speed / 60;
        set_place(d->world, d->body, d->cloth, d->x);
        rt_run(d->world, 1);
    }
}

/* Largest distance of a vertex from the axis of the wearer. */
static float max_radius(const dressed *d, float x) {
    const vo_rt_front *f = &d->cloth->mesh.front;
    float most = 0;
    for (int i = 1; i < f->vertex_end; i++)
        if (f->flags[i] & VO_RT_VERTEX_USED)
            most = f_max(most, hypotf(f->position[i].x - x, f->position[i].z));
    return most;
}

/* Largest elongation of a spring. */
static float max_elongation(const vo_rt_cloth *c) { return vo_rt_solve_stretch(&c->mesh.front, 1); }

/* True if a row of the tube surrounds the axis of the wearer. */
static bool surrounds(const dressed *d, int row, float x) {
    float sum = 0;
    for (int j = 0; j < RT_TUBE_COLUMNS; j++) {
        vo_rt_vec3 a = vo_rt_cloth_get_vertex(d->cloth, row * RT_TUBE_COLUMNS + j);
        vo_rt_vec3 b =
            vo_rt_cloth_get_vertex(d->cloth, row * RT_TUBE_COLUMNS + (j + 1) % RT_TUBE_COLUMNS);
        a.x -= x, b.x -= x;
        sum += atan2f(a.x * b.z - a.z * b.x, a.x * b.x + a.z * b.z);
    }
    return fabsf(sum) > 6;
}

/* Contacts must carry a cloth with all of the motion since it moved last. */
static void test_far_cloth_stays_around_a_walking_body(void **state) {
    (void)state;
    dressed d = create_worn(NULL, 1, 0.05f, 1);
    assert_rt_ok(d.world, vo_rt_world_set_wind(d.world, f3(-10, 0, 0), 0));
    for (int i = 0; i < 120; i++) { /* the wind presses the cloth against the body */
        walk(&d, 1, 6);
        if (d.cloth->state.steps_since_move > 0) continue;
        assert_true(vo_rt_cloth_get_info(d.cloth).is_far);
        for (int row = 1; row < RT_TUBE_ROWS; row++) assert_true(surrounds(&d, row, d.x));
    }
    destroy_dressed(&d);
}

/* Output of a cloth at a reduced rate is extrapolated. */
static void test_far_output_does_not_lag(void **state) {
    (void)state;
    dressed d = create_dressed(NULL, 1);
    walk(&d, 60, 3);
    for (int i = 0; i < 8; i++) {
        walk(&d, 1, 3);
        vo_rt_vec3 sum = f3(0, 0, 0);
        int count = d.asset->render_vertex_count;
        for (int v = 0; v < count; v++) sum = f3_add(sum, d.cloth->detail.current[v]);
        assert_true(fabsf(sum.x / (float)count - d.x) < 0.06f); /* 3 m/s for 1/30 s are 0.1 m */
    }
    destroy_dressed(&d);
}

static void test_hidden_cloth_is_parked_and_returns(void **state) {
    (void)state;
    dressed d = create_dressed(NULL, 1);
    vo_rt_camera away = FAR_CAMERA;
    away.rotation = (vo_rt_quat){0, 1, 0, 0};
    walk(&d, 30, 1);
    assert_rt_ok(d.world, vo_rt_world_set_cameras(d.world, 1, &away));
    walk(&d, 60, 1);
    assert_true(d.cloth->state.is_parked);
    assert_int_equal(d.body->used, 0); /* no cloth collides with the wearer */
    uint64_t before = rt_hash(d.world);
    walk(&d, 120, 1);
    assert_true(before == rt_hash(d.world));
    assert_rt_ok(d.world, vo_rt_world_set_cameras(d.world, 1, &FAR_CAMERA));
    for (int i = 0; i < 60; i++) {
        walk(&d, 1, 1);
        assert_false(d.cloth->state.is_parked);
        assert_true(max_radius(&d, d.x) < 0.45f);
        assert_true(vo_rt_cloth_get_info(d.cloth).max_stretch < 0.2f);
    }
    assert_true(d.body->used != 0);
    destroy_dressed(&d);
}

static void test_parking_can_be_disabled(void **state) {
    (void)state;
    vo_rt_lod lod = vo_rt_world_def_default().lod;
    lod.park_off_screen = false;
    dressed d = create_dressed(&lod, 1);
    vo_rt_camera away = FAR_CAMERA;
    away.rotation = (vo_rt_quat){0, 1, 0, 0};
    assert_rt_ok(d.world, vo_rt_world_set_cameras(d.world, 1, &away));
    walk(&d, 120, 1);
    assert_false(d.cloth->state.is_parked);
    assert_true(max_radius(&d, d.x) < 0.45f);
    destroy_dressed(&d);
}

static void test_distant_cloth_follows_the_pose(void **state) {
    (void)state;
    vo_rt_lod lod = vo_rt_world_def_default().lod;
    lod.pose_distance = 40;
    dressed d = create_dressed(&lod, 1);
    walk(&d, 30, 1);
    assert_true(d.cloth->state.follows_pose);
    assert_true(max_radius(&d, d.x) < 0.3f);
    vo_rt_camera near = FAR_CAMERA;
    near.position.z = 10;
    assert_rt_ok(d.world, vo_rt_world_set_cameras(d.world, 1, &near));
    for (int i = 0; i < 60; i++) {
        walk(&d, 1, 1);
        assert_false(d.cloth->state.follows_pose);
        assert_true(max_radius(&d, d.x) < 0.45f);
    }
    destroy_dressed(&d);
}

/* Walks with the lower bone further down by a part of the length of the tube. */
static void walk_stretched(dressed *d, int frames, float part) {
    for (int i = 0; i < frames; i++) {
        vo_rt_matrix bones[2] = {matrix_at(d->x, 0, 0), matrix_at(d->x, -part, 0)};
        assert_rt_ok(d->world, vo_rt_body_set_bones(d->body, 2, bones));
        assert_rt_ok(d->world, vo_rt_cloth_set_bones(d->cloth, 2, bones));
        rt_run(d->world, 1);
    }
}

static void look_from(dressed *d, float z, bool away) {
    vo_rt_camera camera = FAR_CAMERA;
    camera.position.z = z;
    if (away) camera.rotation = (vo_rt_quat){0, 1, 0, 0};
    assert_rt_ok(d->world, vo_rt_world_set_cameras(d->world, 1, &camera));
}

/* Cloth whose pose is stretched is simulated only when the pose permits it, or after a second. */
static void test_stretched_pose_is_not_simulated(void **state) {
    (void)state;
    vo_rt_lod lod = vo_rt_world_def_default().lod;
    lod.pose_distance = 40;
    dressed d = create_dressed(&lod, 1);
    walk_stretched(&d, 30, 0.8f);
    look_from(&d, 10, false);
    walk_stretched(&d, 30, 0.8f);
    assert_true(d.cloth->state.follows_pose);
    walk_stretched(&d, 2, 0);
    assert_false(d.cloth->state.follows_pose);
    assert_true(max_elongation(d.cloth) < 0.25f);
    look_from(&d, 60, false);
    walk_stretched(&d, 10, 0.8f);
    look_from(&d, 10, false);
    walk_stretched(&d, 59, 0.8f);
    assert_true(d.cloth->state.follows_pose);
    walk_stretched(&d, 3, 0.8f);
    assert_false(d.cloth->state.follows_pose);
    destroy_dressed(&d);
}

/* The same for cloth that was parked. */
static void test_parked_cloth_waits_for_its_pose(void **state) {
    (void)state;
    dressed d = create_dressed(NULL, 1);
    look_from(&d, 10, true);
    walk_stretched(&d, 60, 0.8f);
    assert_true(d.cloth->state.is_parked);
    look_from(&d, 10, false);
    walk_stretched(&d, 10, 0.8f);
    assert_false(d.cloth->state.is_parked);
    assert_true(d.cloth->state.follows_pose);
    walk_stretched(&d, 2, 0);
    assert_false(d.cloth->state.follows_pose);
    assert_true(max_elongation(d.cloth) < 0.25f);
    destroy_dressed(&d);
}

/* Rates, parking and poses of bodies are part of the state. */
static void test_snapshots_and_threads(void **state) {
    (void)state;
    uint64_t hash[3];
    for (int run = 0; run < 3; run++) {
        dressed d = create_dressed(NULL, run == 1 ? 2 : 1);
        walk(&d, 41, 2);
        if (run == 2) {
            size_t bytes = vo_rt_world_save(d.world, NULL, 0);
            void *data = malloc(bytes);
            vo_rt_world_save(d.world, data, bytes);
            float x = d.x;
            walk(&d, 7, -3);
            assert_rt_ok(d.world, vo_rt_world_restore(d.world, data, bytes));
            d.x = x;
            free(data);
        }
        walk(&d, 20, 2);
        hash[run] = rt_hash(d.world);
        destroy_dressed(&d);
    }
    assert_true(hash[0] == hash[1]);
    assert_true(hash[0] == hash[2]);
}

/* z of the lowest edge of a column that crosses a height; -1: none does. */
static float depth_at_height(const vo_rt_cloth *c, int column, float y) {
    float z = -1;
    for (int row = 0; row + 1 < RT_GRID; row++) {
        vo_rt_vec3 a = vo_rt_cloth_get_vertex(c, row * RT_GRID + column);
        vo_rt_vec3 b = vo_rt_cloth_get_vertex(c, (row + 1) * RT_GRID + column);
        if ((a.y - y) * (b.y - y) > 0 || a.y == b.y) continue;
        z = a.z + (b.z - a.z) * (y - a.y) / (b.y - a.y);
    }
    return z;
}

/* A thin rod between the rows of a coarse sheet: the edges stop it. */
static void test_rods_do_not_pass_between_vertices(void **state) {
    (void)state;
    vo_rt_asset *asset = rt_sheet(1, false, RT_PIN_CORNERS, 0);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0, 0);
    vo_rt_shape shape = vo_rt_shape_default(VO_RT_CAPSULE);
    shape.radius = 0.03f;
    shape.half_height = 0.7f;
    shape.local.rotation = (vo_rt_quat){0, 0, 0.70710678f, 0.70710678f}; /* along x */
    vo_rt_body_def def = vo_rt_body_def_default();
    def.shape_count = 1;
    def.shapes = &shape;
    def.transform = rt_at(0, -0.19f, -0.3f);
    vo_rt_body *rod;
    assert_rt_ok(w, vo_rt_body_create(w, &def, &rod));
    for (int i = 0; i < 90; i++) {
        assert_rt_ok(w, vo_rt_body_set_transform(rod, rt_at(0, -0.19f, -0.3f + 0.006f * (float)i)));
        rt_run(w, 1);
    }
    /* The rod is at z = 0.234; every column of edges crosses its height in front of its axis. */
    for (int column = 1; column < RT_GRID - 1; column++)
        assert_true(depth_at_height(c, column, -0.19f) > 0.234f);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

/* A vertex on the wrong side of a body is not held there for ever. */
static void test_tangled_cloth_recovers(void **state) {
    (void)state;
    dressed d = create_worn(NULL, 1, 0.2f, 50);
    vo_rt_camera near = FAR_CAMERA;
    near.position.z = 5;
    assert_rt_ok(d.world, vo_rt_world_set_cameras(d.world, 1, &near));
    vo_rt_cloth *c = d.cloth;
    walk(&d, 30, 0);
    float before = max_elongation(c);
    int vertex = 1 + 4 * RT_TUBE_COLUMNS; /* base vertex at x = 0.25 */
    vo_rt_vec4 *x = &c->mesh.front.position[vertex];
    *x = f4_make(f3(-0.21f, x->y, 0), x->w);
    c->mesh.front.velocity[vertex] = f4_make(f3(0, 0, 0), 0);
    assert_true(max_elongation(c) > 2);
    walk(&d, 60, 0);
    assert_true(max_elongation(c) < before + 0.3f);
    destroy_dressed(&d);
}

static void test_unchanged_air_does_not_wake(void **state) {
    (void)state;
    vo_rt_asset *asset = rt_sheet(1, false, RT_PIN_CORNERS, 0);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth_def def = vo_rt_cloth_def_default();
    vo_rt_cloth *c;
    vo_rt_fan fan = {
        .position = {0, 0, 5}, .direction = {0, 0, -1}, .speed = 0, .angle = 1, .range = 1};
    def.asset = asset;
    def.sleep_speed = 5;
    assert_rt_ok(w, vo_rt_cloth_create(w, &def, &c));
    for (int i = 0; i < 120; i++) {
        assert_rt_ok(w, vo_rt_world_set_wind(w, f3(0, 0, 0.1f), 0));
        assert_rt_ok(w, vo_rt_world_set_gravity(w, f3(0, -9.81f, 0)));
        assert_rt_ok(w, vo_rt_world_set_fans(w, 1, &fan));
        rt_run(w, 1);
    }
    assert_true(vo_rt_cloth_get_info(c).is_sleeping);
    assert_rt_ok(w, vo_rt_world_set_wind(w, f3(0, 0, 0.2f), 0));
    rt_run(w, 1);
    assert_false(vo_rt_cloth_get_info(c).is_sleeping);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_far_cloth_stays_around_a_walking_body),
        cmocka_unit_test(test_far_output_does_not_lag),
        cmocka_unit_test(test_hidden_cloth_is_parked_and_returns),
        cmocka_unit_test(test_parking_can_be_disabled),
        cmocka_unit_test(test_distant_cloth_follows_the_pose),
        cmocka_unit_test(test_stretched_pose_is_not_simulated),
        cmocka_unit_test(test_parked_cloth_waits_for_its_pose),
        cmocka_unit_test(test_snapshots_and_threads),
        cmocka_unit_test(test_rods_do_not_pass_between_vertices),
        cmocka_unit_test(test_tangled_cloth_recovers),
        cmocka_unit_test(test_unchanged_air_does_not_wake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

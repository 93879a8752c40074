/* Nodes of detail meshes are outside all bodies after every step: shapes of all kinds, closed
 * meshes, moving and overlapping bodies. */
#include "rt_detail_fixture.h"

#include "math/simd_float.h"

enum { NODES = RT_FINE_NODES, SEGMENTS = 16, RINGS = 8 };

/* Noise of some centimetres, which reaches into every body below the cloth. */
static vo_rt_asset *noisy_asset(rt_pins pins, bool lies, bool blends) {
    vo_random random = vo_random_seed(31);
    vo_rt_asset *asset = rt_sheet(1, lies, pins, 2);
    rt_detail *d = rt_detail_create(asset);
    rt_detail_add(d, &random, VO_RT_OPERATOR_DENSE, 0, 0, 1.5e-2);
    if (blends) d->def.attachment = d->attachment;
    asset = rt_detail_finish(asset, d);
    rt_detail_free(d);
    return asset;
}

/* Nodes inside the surface of an enabled body, except attached ones. */
static int count_inside(const vo_rt_world *w, const vo_rt_cloth *c) {
    static vo_rt_vec3 x[NODES];
    const vo_rt_output output = {.positions = &x[0].x};
    int inside = 0;
    assert_int_equal(vo_rt_cloth_detail(c, &output), VO_OK);
    for (int i = 0; i < NODES; i++) {
        assert_true(f3_is_finite(x[i]));
        for (int k = 0; k < w->body_end; k++)
            if (w->body[k] && w->body[k]->is_enabled && !(c->upsample.current[i].w >= 1))
                inside += vo_rt_body_contains(w->body[k], false, x[i]);
    }
    return inside;
}

static vo_rt_body *add_body(vo_rt_world *w, const vo_rt_shape *shapes, int count, float offset) {
    vo_rt_body_def def = vo_rt_body_def_default();
    def.shapes = shapes;
    def.shape_count = count;
    def.offset = offset;
    vo_rt_body *body;
    assert_rt_ok(w, vo_rt_body_create(w, &def, &body));
    return body;
}

/* Distance from a torus-like bowl: a sphere of radius 0.35 m around the origin of the shape. */
static float ball_distance(void *user, vo_rt_vec3 x, vo_rt_vec3 *gradient) {
    (void)user;
    *gradient = f3_normalize(x);
    return f3_length(x) - 0.35f;
}

static const vo_rt_vec3 corners[8] = {
    {-0.3f, -0.2f, -0.3f}, {0.3f, -0.2f, -0.3f}, {0.3f, -0.2f, 0.3f}, {-0.3f, -0.2f, 0.3f},
    {-0.1f, 0.2f, -0.1f},  {0.1f, 0.2f, -0.1f},  {0.1f, 0.2f, 0.1f},  {-0.1f, 0.2f, 0.1f}};

static vo_rt_shape make_shape(vo_rt_shape_kind kind) {
    vo_rt_shape s = vo_rt_shape_default(kind);
    s.radius = 0.25f;
    s.end_radius = 0.1f;
    s.half_height = 0.3f;
    s.half_extents = f3(0.3f, 0.15f, 0.2f);
    s.point_count = 8;
    s.points = corners;
    s.distance = ball_distance;
    s.min = f3(-0.5f, -0.5f, -0.5f);
    s.max = f3(0.5f, 0.5f, 0.5f);
    if (kind != VO_RT_PLANE) s.local.rotation = (vo_rt_quat){0, 0, 0.6f, 0.8f};
    return s;
}

/* A sheet falls on a moving body; runs `frames` frames. */
static void drop_on(vo_rt_world *w, vo_rt_body *body, float speed, int frames) {
    static vo_rt_asset *asset;
    asset = noisy_asset(RT_FREE, true, false);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0.5f, 0);
    int64_t pushed = 0;
    for (int frame = 0; frame < frames; frame++) {
        float t = (float)frame / 60;
        vo_rt_transform pose = rt_at(0.1f * sinf(speed * t), 0.05f * sinf(1.7f * speed * t), 0);
        pose.rotation = (vo_rt_quat){0, sinf(0.3f * speed * t), 0, cosf(0.3f * speed * t)};
        assert_rt_ok(w, vo_rt_body_set_transform(body, pose));
        assert_rt_ok(w, vo_rt_world_step(w, frame % 3 ? 1 / 60.0f : 0.011f));
        vo_rt_stats stats = vo_rt_world_get_stats(w);
        assert_int_equal(stats.detail_inside, 0);
        assert_int_equal(count_inside(w, c), 0);
        pushed += stats.detail_pushed;
    }
    assert_true(pushed > 100);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

static void nodes_stay_outside_of_shapes(void **state) {
    (void)state;
    for (int kind = VO_RT_SPHERE; kind <= VO_RT_DISTANCE; kind++) {
        vo_rt_shape shape = make_shape((vo_rt_shape_kind)kind);
        vo_rt_world *w = rt_world(NULL);
        vo_rt_body *body = add_body(w, &shape, 1, kind % 2 ? 0.003f : 0.01f);
        drop_on(w, body, 3, 60);
    }
}

/* A person of capsules that overlap each other. */
static void nodes_stay_outside_of_overlapping_shapes(void **state) {
    (void)state;
    vo_rt_shape shapes[5];
    for (int i = 0; i < 5; i++) {
        shapes[i] = make_shape(i == 2 ? VO_RT_TAPERED_CAPSULE : VO_RT_CAPSULE);
        shapes[i].radius = 0.12f;
        shapes[i].local.position = f3(0.14f * (float)(i - 2), 0, 0.05f * (float)(i % 2));
        shapes[i].local.rotation = (vo_rt_quat){0.3f * (float)(i - 2), 0, 0, 0.8f};
    }
    vo_rt_world *w = rt_world(NULL);
    drop_on(w, add_body(w, shapes, 5, 0.003f), 2, 90);
}

/* More round shapes than fit in the list. */
static void nodes_stay_outside_of_many_shapes(void **state) {
    (void)state;
    enum { COUNT = 150 };
    vo_rt_shape shapes[COUNT];
    for (int i = 0; i < COUNT; i++) {
        shapes[i] = vo_rt_shape_default(VO_RT_SPHERE);
        shapes[i].radius = 0.06f;
        shapes[i].local.position =
            f3(0.1f * (float)(i % 12 - 6), 0.01f * (float)(i % 5), 0.1f * (float)(i / 12 - 6));
    }
    vo_rt_world *w = rt_world(NULL);
    drop_on(w, add_body(w, shapes, COUNT, 0.003f), 1, 30);
}

/* --- Meshes -------------------------------------------------------------------------------------
 */

/* A closed ellipsoid. */
static vo_rt_body *add_mesh(vo_rt_world *w, bool skinned) {
    enum { VERTICES = SEGMENTS * RINGS + 2, TRIANGLES = 2 * SEGMENTS * RINGS };
    static vo_rt_vec3 x[VERTICES];
    static int32_t t[3 * TRIANGLES];
    static uint16_t bones[4 * VERTICES];
    static float weights[4 * VERTICES];
    int count = 0, top = SEGMENTS * RINGS, bottom = top + 1;
    for (int i = 0; i < VERTICES; i++) {
        float a = 6.2831853f * (float)(i % SEGMENTS) / SEGMENTS;
        float b = 3.1415927f * (float)(i / SEGMENTS + 1) / (RINGS + 1);
        x[i] = i < top ? f3(0.3f * sinf(b) * cosf(a), 0.2f * cosf(b), -0.4f * sinf(b) * sinf(a))
                       : f3(0, i == top ? 0.2f : -0.2f, 0);
        bones[4 * i] = x[i].x > 0;
        weights[4 * i] = 1;
    }
    for (int j = 0; j < SEGMENTS; j++) {
        int k = (j + 1) % SEGMENTS, last = SEGMENTS * (RINGS - 1);
        const int32_t caps[6] = {top, j, k, bottom, last + k, last + j};
        memcpy(t + count, caps, sizeof caps);
        count += 6;
        for (int i = 0; i + 1 < RINGS; i++) {
            int a = i * SEGMENTS + j, b = i * SEGMENTS + k;
            const int32_t side[6] = {a, a + SEGMENTS, b, b, a + SEGMENTS, b + SEGMENTS};
            memcpy(t + count, side, sizeof side);
            count += 6;
        }
    }
    vo_rt_body_def def = vo_rt_body_def_default();
    def.vertex_count = VERTICES;
    def.positions = x;
    def.triangle_count = count / 3;
    def.triangles = t;
    if (skinned) {
        def.bone_count = 2;
        def.skin_bones = bones;
        def.skin_weights = weights;
    }
    vo_rt_body *body;
    assert_rt_ok(w, vo_rt_body_create(w, &def, &body));
    return body;
}

static void nodes_stay_outside_of_rigid_meshes(void **state) {
    (void)state;
    vo_rt_world *w = rt_world(NULL);
    drop_on(w, add_mesh(w, false), 3, 60);
}

/* Two halves that swing against each other. */
static void nodes_stay_outside_of_skinned_meshes(void **state) {
    (void)state;
    vo_rt_asset *asset = noisy_asset(RT_FREE, true, false);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_body *body = add_mesh(w, true);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0.4f, 0);
    int64_t pushed = 0;
    for (int frame = 0; frame < 60; frame++) {
        float s = 0.1f * sinf(0.1f * (float)frame);
        const vo_rt_matrix bones[2] = {{{1, 0, 0, 0, s, 1, 0, 0, 0, 0, 1, 0}},
                                       {{1, 0, 0, 0, -s, 1, 0, 0.1f * s, 0, 0, 1, 0}}};
        assert_rt_ok(w, vo_rt_body_set_bones(body, 2, bones));
        rt_run(w, 1);
        assert_int_equal(vo_rt_world_get_stats(w).detail_inside, 0);
        assert_int_equal(count_inside(w, c), 0);
        pushed += vo_rt_world_get_stats(w).detail_pushed;
    }
    assert_true(pushed > 100);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

/* --- Other cases
 * ---------------------------------------------------------------------------------- */

/* A fast ball hits a curtain; two planes form a wedge below the other corner. */
static void nodes_stay_outside_of_fast_bodies(void **state) {
    (void)state;
    vo_rt_asset *asset = noisy_asset(RT_PIN_CORNERS, false, true);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_body *ball = rt_sphere(w, 0.12f, 0, 0, 1);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0, 0);
    for (int frame = 0; frame < 90; frame++) {
        float t = (float)(frame % 30) / 30;
        vo_rt_transform pose = rt_at(0.2f * (float)(frame / 30 - 1), 0, 1 - 2 * t);
        assert_rt_ok(w, vo_rt_body_set_transform(ball, pose));
        if (frame % 30 == 0) assert_rt_ok(w, vo_rt_body_teleport(ball));
        rt_run(w, 1);
        vo_rt_stats stats = vo_rt_world_get_stats(w);
        if (stats.inside_vertices == 0) assert_int_equal(stats.detail_inside, 0);
        if (stats.detail_inside == 0) assert_int_equal(count_inside(w, c), 0);
    }
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

/* Between two boxes with a gap that is narrower than the folds. */
static void nodes_between_bodies_find_a_place(void **state) {
    (void)state;
    vo_rt_asset *asset = noisy_asset(RT_PIN_EDGE, false, true);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_shape box = make_shape(VO_RT_BOX);
    box.half_extents = f3(0.4f, 0.4f, 0.1f);
    box.local = vo_rt_transform_identity();
    vo_rt_body *sides[2] = {add_body(w, &box, 1, 0.003f), add_body(w, &box, 1, 0.003f)};
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0, 0);
    int64_t pushed = 0;
    for (int frame = 0; frame < 90; frame++) {
        float gap = f_max(0.1f - 0.002f * (float)frame, 0.012f);
        float sway = 0.15f * sinf(0.08f * (float)frame); /* noise in a plane stays in it */
        for (int k = 0; k < 2; k++)
            assert_rt_ok(w,
                         vo_rt_body_set_transform(
                             sides[k], rt_at(0.2f, 0, sway + (k ? -1.0f : 1.0f) * (0.1f + gap))));
        rt_run(w, 1);
        vo_rt_stats stats = vo_rt_world_get_stats(w);
        assert_int_equal(stats.detail_inside, 0);
        assert_int_equal(count_inside(w, c), 0);
        pushed += stats.detail_pushed;
    }
    assert_true(pushed > 1000);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

/* The kernel against the scalar distances of the body, in all variants. */
static void push_kernels_agree(void **state) {
    (void)state;
    vo_random random = vo_random_seed(32);
    for (int run = 0; run < 2000; run++) {
        vo_rt_push_shape shape[3];
        const vo_rt_push_shape *list[3] = {&shape[0], &shape[1], &shape[2]};
        vo_rt_vec4 x[2][8];
        for (int k = 0; k < 3; k++) {
            float sine = (float)vo_random_real(&random, -0.9, 0.9);
            shape[k] = (vo_rt_push_shape){
                .origin = f3((float)vo_random_real(&random, -1, 1),
                             (float)vo_random_real(&random, -1, 1), 0),
                .axis = f3_normalize(f3((float)vo_random_real(&random, -1, 1),
                                        (float)vo_random_real(&random, -1, 1), 0.5f)),
                .length = run % 5 ? (float)vo_random_real(&random, 0, 1) : k - 1.0f,
                .radius = (float)vo_random_real(&random, 0.5, 1),
                .slope = 0.4f * sine,
                .level = 0.01f};
            shape[k].tangent = -shape[k].slope / sqrtf(1 - shape[k].slope * shape[k].slope);
        }
        for (int i = 0; i < 8; i++)
            x[0][i] = x[1][i] = f4_make(f3((float)vo_random_real(&random, -2, 2),
                                           (float)vo_random_real(&random, -2, 2),
                                           (float)vo_random_real(&random, -2, 2)),
                                        i == 5 ? 1 : 0);
        vo_rt_vec4 before = x[0][5];
        vo_rt_push_bits a = vo_rt_operator_kernels_base.push(list, 3, 4, x[0]);
        vo_rt_push_bits b =
            vo_rt_operator_select_kernels(vo_simd_has_avx2())->push(list, 3, 4, x[1]);
        assert_memory_equal(x[0], x[1], sizeof x[0]);
        assert_int_equal(a.moved, b.moved);
        assert_int_equal(a.inside, b.inside);
        assert_memory_equal(&before, &x[0][5], sizeof before); /* attached */
        assert_false(a.moved >> 5 & 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_stay_outside_of_shapes),
        cmocka_unit_test(nodes_stay_outside_of_overlapping_shapes),
        cmocka_unit_test(nodes_stay_outside_of_many_shapes),
        cmocka_unit_test(nodes_stay_outside_of_rigid_meshes),
        cmocka_unit_test(nodes_stay_outside_of_skinned_meshes),
        cmocka_unit_test(nodes_stay_outside_of_fast_bodies),
        cmocka_unit_test(nodes_between_bodies_find_a_place),
        cmocka_unit_test(push_kernels_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

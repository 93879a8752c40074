/* Detail meshes of cloths in worlds: positions, motion vectors, history, modes, weights,
 * attachments, snapshots, threads, memory. */
#include "rt_detail_fixture.h"

enum { NODES = RT_FINE_NODES };

/* Buffers of an output. */
typedef struct shape {
    vo_rt_vec3 x[NODES], normal[NODES], previous[NODES];
    float tangent[4 * NODES];
} shape;

static void read_shape(vo_rt_world *w, const vo_rt_cloth *c, shape *s) {
    const vo_rt_output output = {.positions = &s->x[0].x,
                                 .normals = &s->normal[0].x,
                                 .tangents = s->tangent,
                                 .previous_positions = &s->previous[0].x};
    assert_rt_ok(w, vo_rt_cloth_detail(c, &output));
}

/* Hash of the output of a cloth. */
static uint64_t hash_shape(vo_rt_world *w, const vo_rt_cloth *c) {
    static shape s;
    read_shape(w, c, &s);
    return vo_rt_hash(0, &s, sizeof s);
}

/* The sheet with random operators that use all features. */
static vo_rt_asset *full_asset(rt_pins pins, int max_level) {
    vo_random random = vo_random_seed(21);
    vo_rt_asset *asset = rt_sheet(1, false, pins, max_level);
    rt_detail *d = rt_detail_create(asset);
    vo_rt_operator_def *op = rt_detail_add(d, &random, VO_RT_OPERATOR_DENSE, 2, 0, 2e-3);
    rt_detail_add_modes(d, &random, op, 3, 2e-3);
    op->mode_wind = 4;
    op = rt_detail_add(d, &random, VO_RT_OPERATOR_LOW_RANK, 1, 12, 1e-3);
    op->motion = (vo_rt_operator_motion){1, 2, 4};
    op = rt_detail_add(d, &random, VO_RT_OPERATOR_SPARSE, 0, 6, 1e-2);
    op->motion = (vo_rt_operator_motion){0.2f, 0.2f, 4};
    d->def.attachment = d->attachment;
    asset = rt_detail_finish(asset, d);
    rt_detail_free(d);
    return asset;
}

/* The sheet with the operators of `make`; the base operator alone if it is NULL. */
static vo_rt_asset *asset_with(rt_pins pins, int max_level, bool blends,
                               void (*make)(rt_detail *d)) {
    vo_rt_asset *asset = rt_sheet(1, false, pins, max_level);
    rt_detail *d = rt_detail_create(asset);
    if (make) make(d);
    if (blends) d->def.attachment = d->attachment;
    asset = rt_detail_finish(asset, d);
    rt_detail_free(d);
    return asset;
}

static vo_rt_vec3 base_point(const vo_rt_asset *a, const vo_rt_cloth *c, int node) {
    const vo_rt_asset_detail *d = &a->detail;
    vo_rt_vec3 sum = f3(0, 0, 0);
    for (int k = d->base_first[node]; k < d->base_first[node + 1]; k++)
        sum = f3_add_scaled(sum, d->base_weight[k], vo_rt_cloth_get_vertex(c, d->base_column[k]));
    return sum;
}

/* The base operator follows the base vertices, also while the cloth is refined. */
static void base_operator_interpolates_the_base_vertices(void **state) {
    (void)state;
    static shape s, last;
    vo_rt_asset *asset = asset_with(RT_PIN_CORNERS, 2, false, NULL);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0, 0);
    int refined = 0;
    assert_rt_ok(w, vo_rt_world_set_wind(w, f3(0, 0, 5), 0.3f));
    read_shape(w, c, &last);
    for (int frame = 0; frame < 60; frame++) {
        rt_run(w, 1);
        read_shape(w, c, &s);
        refined += vo_rt_cloth_get_info(c).triangles > 2 * (RT_GRID - 1) * (RT_GRID - 1);
        assert_memory_equal(s.previous, last.x, sizeof s.x);
        for (int i = 0; i < NODES; i++) {
            assert_true(f3_distance(s.x[i], base_point(asset, c, i)) < 1e-5f);
            assert_near(f3_length(s.normal[i]), 1, 1e-4);
        }
        last = s;
    }
    assert_true(refined > 20);
    assert_int_equal(vo_rt_world_get_stats(w).detail_nodes, NODES);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

/* Normals and tangents against sums over triangles in double precision. */
static void normals_are_those_of_the_fine_mesh(void **state) {
    (void)state;
    static shape s;
    static double normal[NODES][3];
    vo_rt_asset *asset = full_asset(RT_PIN_EDGE, 1);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0, 0);
    assert_rt_ok(w, vo_rt_world_set_wind(w, f3(3, 0, 3), 0.3f));
    rt_run(w, 30);
    read_shape(w, c, &s);
    memset(normal, 0, sizeof normal);
    const uint32_t *t = vo_rt_asset_get_detail_triangles(asset);
    for (int i = 0; i < asset->detail.triangle_count; i++, t += 3) {
        vo_rt_vec3 n = f3_cross(f3_sub(s.x[t[1]], s.x[t[0]]), f3_sub(s.x[t[2]], s.x[t[0]]));
        const double add[3] = {(double)n.x, (double)n.y, (double)n.z};
        for (int k = 0; k < 9; k++) normal[t[k / 3]][k % 3] += add[k % 3];
    }
    for (int i = 0; i < NODES; i++) {
        double length = sqrt(normal[i][0] * normal[i][0] + normal[i][1] * normal[i][1] +
                             normal[i][2] * normal[i][2]);
        assert_near((double)s.normal[i].x, normal[i][0] / length, 1e-4);
        assert_near((double)s.normal[i].z, normal[i][2] / length, 1e-4);
        vo_rt_vec3 tangent = f3(s.tangent[4 * i], s.tangent[4 * i + 1], s.tangent[4 * i + 2]);
        assert_near(f3_length(tangent), 1, 1e-4);
        assert_near(f3_dot(tangent, s.normal[i]), 0, 1e-4);
        assert_near(fabsf(s.tangent[4 * i + 3]), 1, 0);
    }
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

/* --- Rigid motions ---------------------------------------------------------------------------- */

/* Cloths that follow the animated pose exactly. */
static vo_rt_cloth *animated_cloth(vo_rt_world *w, const vo_rt_asset *asset) {
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0, 0);
    assert_rt_ok(w, vo_rt_cloth_set_blend(c, 0));
    return c;
}

static vo_rt_transform turned(vo_rt_vec3 position, float angle) {
    vo_rt_transform t = {position,
                         {0, 0.6f * sinf(angle / 2), 0.8f * sinf(angle / 2), cosf(angle / 2)}};
    return t;
}

static void add_dense_noise(rt_detail *d) {
    vo_random random = vo_random_seed(22);
    rt_detail_add(d, &random, VO_RT_OPERATOR_DENSE, 0, 0, 5e-3);
}

/* The shape moves rigidly with the cloth, also far from the origin. */
static void upsampling_is_invariant_to_rigid_motions(void **state) {
    (void)state;
    static shape s, rest;
    vo_rt_asset *asset = asset_with(RT_FREE, 0, false, add_dense_noise);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = animated_cloth(w, asset);
    rt_run(w, 3);
    read_shape(w, c, &rest);
    const vo_rt_transform places[] = {turned(f3(1, 2, 3), 1), turned(f3(-50, 8, 200), 2.5f),
                                      turned(f3(4000, -3000, 0), -2)};
    for (int k = 0; k < 3; k++) {
        assert_rt_ok(w, vo_rt_cloth_set_transform(c, places[k]));
        assert_rt_ok(w, vo_rt_cloth_teleport(c));
        rt_run(w, 3);
        read_shape(w, c, &s);
        float tolerance = 2e-5f + 4e-7f * f3_length(places[k].position);
        float wide = 0;
        for (int i = 0; i < NODES; i++) {
            assert_true(f3_distance(s.x[i], ft_apply(places[k], rest.x[i])) < 10 * tolerance);
            wide = f_max(wide, f3_distance(s.x[i], base_point(asset, c, i)));
        }
        assert_true(wide > 0.01f); /* the operator does something */
    }
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

/* D p = (B - 1/M) (p(t) - p(t - k history_s)) for k = 2. */
static void add_motion_operator(rt_detail *d) {
    enum { M = RT_GRID_VERTICES, COLUMNS = 3 * M };
    float *m = rt_detail_alloc(d, (size_t)NODES * COLUMNS, sizeof *m);
    for (int i = 0; i < NODES; i++) {
        for (int j = 0; j < M; j++) {
            m[i * COLUMNS + j] -= 1.0f / M;
            m[i * COLUMNS + 2 * M + j] += 1.0f / M;
        }
        for (int k = d->first[i]; k < d->first[i + 1]; k++) {
            m[i * COLUMNS + d->column[k]] += d->weight[k];
            m[i * COLUMNS + 2 * M + d->column[k]] -= d->weight[k];
        }
    }
    vo_rt_operator_def *op = &d->op[d->def.operator_count++];
    *op = vo_rt_operator_def_default();
    op->history = 2;
    op->history_s = 0.02f;
    op->residual = m;
}

/* Earlier states are those of 0.04 s ago for any sequence of frame times. */
static void history_does_not_depend_on_the_frame_rate(void **state) {
    (void)state;
    static shape s;
    const float frames[] = {0.01f, 0.02f, 0.0125f, 0.009f, 0.033f, 0.016f, 0.05f}, rate = 2;
    vo_rt_asset *asset = asset_with(RT_FREE, 0, false, add_motion_operator);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = animated_cloth(w, asset);
    float time = 0;
    for (int k = 0; k < 60; k++) {
        float dt = frames[(k * 5 + k / 7) % 7];
        time += dt;
        assert_rt_ok(w, vo_rt_cloth_set_transform(c, turned(f3(3 * time, 0, 0), rate * time)));
        assert_rt_ok(w, vo_rt_world_step(w, dt));
        if (time < 0.2f) continue;
        read_shape(w, c, &s);
        for (int i = 0; i < NODES; i += 7) {
            vo_rt_vec3 x = asset->detail.node_count ? base_point(asset, c, i) : f3(0, 0, 0);
            vo_rt_vec3 local = ft_apply_inverse(turned(f3(3 * time, 0, 0), rate * time), x);
            vo_rt_vec3 motion = f3_sub(ft_apply(turned(f3(0, 0, 0), rate * time), local),
                                       ft_apply(turned(f3(0, 0, 0), rate * (time - 0.04f)), local));
            /* samples are interpolated linearly: (rate h)^2 / 8 of the radius for each */
            assert_true(f3_distance(s.x[i], f3_add(x, motion)) < 2.5e-3f);
            if (f3_length(local) > 0.3f) assert_true(f3_length(motion) > 0.01f);
        }
    }
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

/* A teleport moves the shape without motion: no trace of the way in history or motion vectors. */
static void teleport_and_reset_leave_no_motion(void **state) {
    (void)state;
    static shape s, rest;
    vo_rt_asset *asset = asset_with(RT_PIN_EDGE, 0, false, add_motion_operator);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = animated_cloth(w, asset);
    rt_run(w, 30);
    read_shape(w, c, &rest);
    for (int k = 0; k < 2; k++) {
        vo_rt_transform place = turned(f3(7, 3, k ? 20.0f : -5.0f), k ? 1.5f : 0.7f);
        assert_rt_ok(w, vo_rt_cloth_set_transform(c, place));
        assert_rt_ok(w, k ? vo_rt_cloth_reset(c) : vo_rt_cloth_teleport(c));
        for (int frame = 0; frame < 4; frame++) {
            rt_run(w, 1);
            read_shape(w, c, &s);
            for (int i = 0; i < NODES; i++) {
                assert_true(f3_distance(s.x[i], ft_apply(place, rest.x[i])) < 1e-4f);
                assert_true(f3_distance(s.x[i], s.previous[i]) < 1e-5f);
            }
        }
    }
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

static void shifting_the_origin_moves_the_output(void **state) {
    (void)state;
    static shape a, b;
    vo_rt_asset *asset = full_asset(RT_PIN_EDGE, 0);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0, 0);
    vo_rt_vec3 offset = f3(2, -4, 8);
    rt_run(w, 10);
    read_shape(w, c, &a);
    assert_rt_ok(w, vo_rt_world_shift_origin(w, offset));
    read_shape(w, c, &b);
    for (int i = 0; i < NODES; i++) {
        assert_true(f3_distance(f3_add(b.x[i], offset), a.x[i]) < 1e-5f);
        assert_true(f3_distance(f3_add(b.previous[i], offset), a.previous[i]) < 1e-5f);
    }
    rt_run(w, 1);
    read_shape(w, c, &b);
    for (int i = 0; i < NODES; i++) assert_true(f3_distance(f3_add(b.x[i], offset), a.x[i]) < 0.1f);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

/* --- Modes and weights --------------------------------------------------------------------------
 */

/* One mode of 1 cm everywhere at 5 rad/s in wind of 4 m/s. */
static void add_uniform_mode(rt_detail *d) {
    static const float rate = 5;
    float *sine = rt_detail_alloc(d, NODES, sizeof *sine);
    float *none = rt_detail_alloc(d, NODES, sizeof *none);
    float *residual = rt_detail_alloc(d, (size_t)NODES * RT_GRID_VERTICES, sizeof *residual);
    for (int i = 0; i < NODES; i++) sine[i] = 0.01f;
    vo_rt_operator_def *op = &d->op[d->def.operator_count++];
    *op = vo_rt_operator_def_default();
    op->residual = residual;
    op->mode_count = 1;
    op->mode_rate = &rate;
    op->mode_sine = sine;
    op->mode_cosine = none;
    op->mode_wind = 4;
}

/* The phase advances by 5 s rad/s and the amplitude is 2 s^2 / (1 + s^2) cm, s: wind / 4 m/s. */
static void modes_follow_the_wind(void **state) {
    (void)state;
    static shape s;
    const float winds[] = {0, 2, 4, 8};
    vo_rt_asset *asset = asset_with(RT_FREE, 0, false, add_uniform_mode);
    for (int k = 0; k < 4; k++) {
        vo_rt_world *w = rt_world(NULL);
        vo_rt_cloth *c = animated_cloth(w, asset);
        float ratio = winds[k] / 4, height = 2 * ratio * ratio / (1 + ratio * ratio), most = 0;
        assert_rt_ok(w, vo_rt_world_set_wind(w, f3(winds[k], 0, 0), 0));
        rt_run(w, 180); /* the smoothed wind arrives */
        read_shape(w, c, &s);
        float phase = c->upsample.head.phase[0][0];
        for (int frame = 0; frame < 90; frame++) {
            rt_run(w, 1);
            read_shape(w, c, &s);
            phase += 5 * ratio / 60;
            for (int i = 0; i < NODES; i += 50) {
                float d = f3_dot(f3_sub(s.x[i], base_point(asset, c, i)), s.normal[i]);
                assert_near((double)d, 0.01 * (double)height * sin((double)phase), 2e-5);
                most = f_max(most, d);
            }
        }
        assert_true(most >= 0.009f * height);
        vo_rt_world_destroy(w);
    }
    vo_rt_asset_destroy(asset);
}

/* Operators for rest and for fast motion. */
static void add_two_motions(rt_detail *d) {
    vo_random random = vo_random_seed(23);
    rt_detail_add(d, &random, VO_RT_OPERATOR_SPARSE, 0, 6, 1e-2);
    rt_detail_add(d, &random, VO_RT_OPERATOR_SPARSE, 0, 6, 1e-2)->motion =
        (vo_rt_operator_motion){4, 0, 4};
}

static void weights_follow_the_motion(void **state) {
    (void)state;
    float weight[2];
    vo_rt_asset *asset = asset_with(RT_FREE, 0, false, add_two_motions);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = animated_cloth(w, asset);
    rt_run(w, 30);
    assert_int_equal(vo_rt_cloth_get_detail_weights(c, 2, weight), 2);
    assert_true(weight[0] > 0.95f);
    assert_near((double)weight[0] + (double)weight[1], 1, 1e-5);
    for (int frame = 1; frame <= 90; frame++) {
        assert_rt_ok(w, vo_rt_cloth_set_transform(c, rt_at(4 * (float)frame / 60, 0, 0)));
        float last = weight[1];
        rt_run(w, 1);
        vo_rt_cloth_get_detail_weights(c, 2, weight);
        assert_true(fabsf(weight[1] - last) < 0.3f); /* no jump */
    }
    assert_true(weight[1] > 0.95f);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

static void host_weights_replace_the_automatic_ones(void **state) {
    (void)state;
    float weight[3];
    const float one[2] = {0, 3}, bad[2] = {1, -1}, zero[2] = {0, 0};
    vo_rt_asset *asset = asset_with(RT_FREE, 0, false, add_two_motions);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = animated_cloth(w, asset);
    assert_int_equal(vo_rt_cloth_set_detail_weights(c, 1, one), VO_BAD_ARGUMENT);
    assert_int_equal(vo_rt_cloth_set_detail_weights(c, 2, NULL), VO_BAD_ARGUMENT);
    assert_int_equal(vo_rt_cloth_set_detail_weights(c, 2, bad), VO_BAD_ARGUMENT);
    assert_int_equal(vo_rt_cloth_set_detail_weights(c, 2, zero), VO_BAD_ARGUMENT);
    assert_rt_ok(w, vo_rt_cloth_set_detail_weights(c, 2, one));
    rt_run(w, 2);
    assert_int_equal(vo_rt_cloth_get_detail_weights(c, 3, weight), 2);
    assert_true(weight[0] == 0 && weight[1] == 1);
    assert_rt_ok(w, vo_rt_cloth_set_detail_weights(c, 0, NULL));
    rt_run(w, 30);
    vo_rt_cloth_get_detail_weights(c, 2, weight);
    assert_true(weight[0] > 0.9f);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

/* --- Attachments ------------------------------------------------------------------------------ */

static void add_wide_blend(rt_detail *d) {
    d->def.blend_distance = 0.1f;
    add_dense_noise(d);
}

/* Attached nodes are at the animated pose; the noise of the operator grows with the distance. */
static void nodes_blend_to_the_pose_near_attachments(void **state) {
    (void)state;
    static shape s;
    vo_rt_asset *asset = asset_with(RT_PIN_EDGE, 0, true, add_wide_blend);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = animated_cloth(w, asset);
    double noise[4] = {0, 0, 0, 0};
    for (int frame = 1; frame <= 20; frame++) {
        vo_rt_transform t = turned(f3(0.5f * (float)frame / 60, 0, 0), 0.01f * (float)frame);
        assert_rt_ok(w, vo_rt_cloth_set_transform(c, t));
        rt_run(w, 1);
        read_shape(w, c, &s);
        for (int i = 0; i < RT_FINE; i++) {
            vo_rt_vec3 rest = f3(-0.5f, 0.5f - (float)i / (RT_FINE - 1), 0);
            assert_true(f3_distance(s.x[i * RT_FINE], ft_apply(t, rest)) < 1e-5f);
            for (int k = 0; k < 4; k++)
                noise[k] += (double)f3_distance(s.x[i * RT_FINE + k],
                                                base_point(asset, c, i * RT_FINE + k));
        }
    }
    /* Weights at 0, 31, 62 and 94 mm of 100: 1, 0.77, 0.32, 0.01. */
    assert_true(noise[0] < 1e-4 * noise[3]);
    assert_true(noise[1] < 0.4 * noise[3] && noise[2] < 0.9 * noise[3]);
    assert_rt_ok(w, vo_rt_cloth_set_blend(c, 1));
    vo_rt_vec3 unused = f3(0, 0, 0);
    for (int i = 0; i < RT_GRID; i++)
        assert_rt_ok(w, vo_rt_cloth_set_attachment(c, i * RT_GRID, 0, unused));
    rt_run(w, 30);
    read_shape(w, c, &s);
    for (int i = 0; i < RT_FINE; i++) /* released: the nodes fall with the cloth */
        assert_true(f3_distance(s.x[i * RT_FINE], base_point(asset, c, i * RT_FINE)) < 0.2f);
    assert_true(s.x[0].y < 0.4f);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

/* Base vertices that the host moves take the attached nodes along. */
static void host_attachments_move_the_nodes(void **state) {
    (void)state;
    static shape s;
    vo_rt_asset *asset = asset_with(RT_PIN_EDGE, 0, true, NULL);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0, 0);
    for (int frame = 1; frame <= 30; frame++) {
        for (int i = 0; i < RT_GRID; i++)
            assert_rt_ok(w, vo_rt_cloth_set_attachment(
                                c, i * RT_GRID, 1,
                                f3(-0.5f, 0.5f - (float)i / (RT_GRID - 1), 0.01f * (float)frame)));
        rt_run(w, 1);
    }
    read_shape(w, c, &s);
    for (int i = 0; i < RT_FINE; i++) assert_near((double)s.x[i * RT_FINE].z, 0.3, 1e-4);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

/* A host that turns the attached edge by 90 degrees: nodes near it follow the cloth, which has
 * turned as well, not the pose, which has not. */
static void host_attachments_turn_the_nodes(void **state) {
    (void)state;
    static shape s;
    vo_rt_asset *asset = asset_with(RT_PIN_EDGE, 0, true, NULL);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0, 0);
    for (int frame = 1; frame <= 60; frame++) {
        float angle = 1.5708f * f_min((float)frame / 40, 1);
        for (int i = 0; i < RT_GRID; i++) {
            float y = 0.5f - (float)i / (RT_GRID - 1);
            assert_rt_ok(
                w, vo_rt_cloth_set_attachment(c, i * RT_GRID, 1,
                                              f3(-0.5f - y * sinf(angle), y * cosf(angle), 0)));
        }
        rt_run(w, 1);
    }
    read_shape(w, c, &s);
    for (int i = 0; i < RT_FINE * RT_FINE; i++) /* no residual: interpolation everywhere */
        assert_true(f3_distance(s.x[i], base_point(asset, c, i)) < 1e-4f);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

/* --- Guarantees ------------------------------------------------------------------------------- */

static void frame_inputs(vo_rt_world *w, vo_rt_cloth *c, int frame) {
    float t = (float)frame / 60;
    assert_rt_ok(w, vo_rt_cloth_set_transform(c, turned(f3(0.5f * sinf(2 * t), 0, 0), 0.3f * t)));
    assert_rt_ok(w, vo_rt_world_set_wind(w, f3(4 * sinf(t), 0, 3), 0.4f));
}

static vo_rt_world *full_world(const vo_rt_asset *asset, int threads, rt_memory *memory,
                               vo_rt_cloth **c) {
    vo_rt_world_def def = vo_rt_world_def_default();
    def.allocator = rt_allocator(memory);
    def.threads = threads;
    vo_rt_world *w = rt_world(&def);
    c[0] = rt_cloth(w, asset, 0, 0, 0);
    c[1] = rt_cloth(w, asset, 2, 0, 0);
    rt_sphere(w, 0.3f, 0.2f, -0.2f, 0.25f);
    return w;
}

static void results_do_not_depend_on_threads(void **state) {
    (void)state;
    uint64_t hash[3] = {0, 0, 0};
    vo_rt_asset *asset = full_asset(RT_PIN_EDGE, 2);
    for (int k = 0; k < 3; k++) {
        vo_rt_cloth *c[2];
        vo_rt_world *w = full_world(asset, k + 1, NULL, c);
        for (int frame = 0; frame < 40; frame++) {
            frame_inputs(w, c[0], frame);
            rt_run(w, 1);
            hash[k] += hash_shape(w, c[0]) * 31 + hash_shape(w, c[1]);
        }
        vo_rt_world_destroy(w);
    }
    assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
    vo_rt_asset_destroy(asset);
}

/* Also into a new world with the same objects; times that are not multiples of the step. */
static void snapshots_continue_bit_identically(void **state) {
    (void)state;
    uint64_t hash[20];
    vo_rt_asset *asset = full_asset(RT_PIN_EDGE, 2);
    vo_rt_cloth *c[2];
    vo_rt_world *w = full_world(asset, 1, NULL, c);
    for (int frame = 0; frame < 40; frame++) {
        frame_inputs(w, c[0], frame);
        assert_rt_ok(w, vo_rt_world_step(w, 0.013f));
    }
    size_t bytes = vo_rt_world_save(w, NULL, 0);
    void *data = malloc(bytes);
    assert_int_equal(vo_rt_world_save(w, data, bytes), bytes);
    uint64_t before = hash_shape(w, c[0]);
    for (int pass = 0; pass < 3; pass++) {
        if (pass == 2) {
            vo_rt_world_destroy(w);
            w = full_world(asset, 2, NULL, c);
        }
        if (pass > 0) {
            assert_rt_ok(w, vo_rt_world_restore(w, data, bytes));
            assert_true(hash_shape(w, c[0]) == before);
        }
        for (int frame = 0; frame < 20; frame++) {
            frame_inputs(w, c[0], 40 + frame);
            assert_rt_ok(w, vo_rt_world_step(w, 0.013f));
            uint64_t h = hash_shape(w, c[0]) * 31 + hash_shape(w, c[1]);
            if (pass == 0) hash[frame] = h;
            assert_true(hash[frame] == h);
        }
    }
    free(data);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

static void steps_do_not_allocate(void **state) {
    (void)state;
    rt_memory memory = {0, 0};
    vo_rt_asset *asset = full_asset(RT_PIN_EDGE, 2);
    vo_rt_cloth *c[2];
    vo_rt_world *w = full_world(asset, 1, &memory, c);
    long calls = memory.calls;
    for (int frame = 0; frame < 30; frame++) {
        frame_inputs(w, c[0], frame);
        rt_run(w, 1);
        hash_shape(w, c[0]);
    }
    assert_int_equal(memory.calls, calls);
    vo_rt_world_destroy(w);
    assert_int_equal(memory.live, 0);
    vo_rt_asset_destroy(asset);
}

static void disabled_detail_keeps_its_output(void **state) {
    (void)state;
    static shape a, b;
    vo_rt_asset *asset = full_asset(RT_PIN_EDGE, 0);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0, 0);
    rt_run(w, 5);
    read_shape(w, c, &a);
    assert_rt_ok(w, vo_rt_cloth_set_detail(c, false));
    rt_run(w, 10);
    read_shape(w, c, &b);
    assert_memory_equal(a.x, b.x, sizeof a.x);
    assert_memory_equal(b.x, b.previous, sizeof b.x);
    assert_int_equal(vo_rt_world_get_stats(w).detail_nodes, 0);
    assert_rt_ok(w, vo_rt_cloth_set_detail(c, true));
    rt_run(w, 1);
    read_shape(w, c, &b);
    assert_memory_equal(b.x, b.previous, sizeof b.x); /* no motion over the pause */
    assert_true(memcmp(a.x, b.x, sizeof a.x) != 0);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

/* Nodes of a cloth at rest are computed until all has settled; a body that comes near wakes it. */
static void resting_cloth_keeps_its_nodes(void **state) {
    (void)state;
    static shape a, b;
    vo_rt_asset *asset = full_asset(RT_PIN_EDGE, 0);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth_def def = vo_rt_cloth_def_default();
    vo_rt_cloth *c;
    def.asset = asset;
    def.sleep_speed = 0.05f;
    assert_rt_ok(w, vo_rt_cloth_create(w, &def, &c));
    vo_rt_body *ball = rt_sphere(w, 0.2f, 0, 0, 3);
    int frames = 0;
    for (; frames < 3000 && vo_rt_world_get_stats(w).sleeping_cloths == 0; frames++) rt_run(w, 1);
    assert_true(frames < 3000);
    assert_int_equal(vo_rt_world_get_stats(w).detail_nodes, NODES);
    rt_run(w, 90);
    read_shape(w, c, &a);
    assert_int_equal(vo_rt_world_get_stats(w).detail_nodes, 0);
    rt_run(w, 10);
    read_shape(w, c, &b);
    assert_memory_equal(&a, &b, sizeof a);
    assert_memory_equal(b.x, b.previous, sizeof b.x);
    assert_rt_ok(w, vo_rt_body_set_transform(ball, rt_at(0, 0, 0.22f)));
    rt_run(w, 3);
    assert_int_equal(vo_rt_world_get_stats(w).detail_nodes, NODES);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

static void assets_without_detail_report_it(void **state) {
    (void)state;
    vo_rt_asset *asset = rt_sheet(1, false, RT_FREE, 0);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0, 0);
    vo_rt_output output = {0};
    assert_int_equal(vo_rt_cloth_detail(c, &output), VO_BAD_ARGUMENT);
    assert_non_null(strstr(vo_rt_world_message(w), "no detail mesh"));
    assert_int_equal(vo_rt_cloth_detail(c, NULL), VO_BAD_ARGUMENT);
    assert_int_equal(vo_rt_asset_get_info(asset).detail_vertex_count, 0);
    rt_run(w, 2);
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
}

/* Vertices with texture coordinates of their own share the motion of their node. */
static void output_vertices_may_share_nodes(void **state) {
    (void)state;
    enum { VERTICES = NODES + RT_FINE };
    static vo_rt_vec3 x[VERTICES], n[VERTICES];
    static int32_t nodes[VERTICES];
    vo_rt_asset *asset = rt_sheet(1, false, RT_PIN_EDGE, 0);
    rt_detail *d = rt_detail_create(asset);
    for (int i = 0; i < VERTICES; i++) nodes[i] = i < NODES ? i : (i - NODES) * RT_FINE;
    d->def.vertex_count = VERTICES;
    d->def.nodes = nodes;
    d->def.uv = NULL;
    add_dense_noise(d);
    asset = rt_detail_finish(asset, d);
    vo_rt_world *w = rt_world(NULL);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0, 0);
    rt_run(w, 10);
    const vo_rt_output output = {.positions = &x[0].x, .normals = &n[0].x};
    assert_rt_ok(w, vo_rt_cloth_detail(c, &output));
    assert_int_equal(vo_rt_asset_get_info(asset).detail_vertex_count, VERTICES);
    for (int i = NODES; i < VERTICES; i++) {
        assert_memory_equal(&x[i], &x[nodes[i]], sizeof *x);
        assert_memory_equal(&n[i], &n[nodes[i]], sizeof *n);
    }
    vo_rt_world_destroy(w);
    vo_rt_asset_destroy(asset);
    rt_detail_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_operator_interpolates_the_base_vertices),
        cmocka_unit_test(normals_are_those_of_the_fine_mesh),
        cmocka_unit_test(upsampling_is_invariant_to_rigid_motions),
        cmocka_unit_test(history_does_not_depend_on_the_frame_rate),
        cmocka_unit_test(teleport_and_reset_leave_no_motion),
        cmocka_unit_test(shifting_the_origin_moves_the_output),
        cmocka_unit_test(modes_follow_the_wind),
        cmocka_unit_test(weights_follow_the_motion),
        cmocka_unit_test(host_weights_replace_the_automatic_ones),
        cmocka_unit_test(nodes_blend_to_the_pose_near_attachments),
        cmocka_unit_test(host_attachments_move_the_nodes),
        cmocka_unit_test(host_attachments_turn_the_nodes),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(snapshots_continue_bit_identically),
        cmocka_unit_test(steps_do_not_allocate),
        cmocka_unit_test(disabled_detail_keeps_its_output),
        cmocka_unit_test(resting_cloth_keeps_its_nodes),
        cmocka_unit_test(assets_without_detail_report_it),
        cmocka_unit_test(output_vertices_may_share_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

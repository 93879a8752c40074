/* Triangle mesh bodies: queries against exhaustive search, refit, motion, variants of kernels. */
#include "support.h"

#include "rt_body_fixture.h"

static void create(vo_rt_body *body, rt_memory *memory, const vo_rt_body_def *def) {
    vo_allocator allocator = rt_allocator(memory);
    vo_rt_message message = {{0}};
    if (vo_rt_body_init(body, &allocator, def, &message) != VO_OK)
        fail_msg("body: %s", message.text);
    body->message = NULL; /* of this function */
}

static void destroy(vo_rt_body *body, rt_memory *memory) {
    vo_allocator allocator = {memory, rt_allocate, rt_release};
    vo_rt_body_free(body, &allocator);
    assert_int_equal(memory->live, 0);
}

/* World positions of a rigid mesh. */
static vo_rt_vec3 *transform_mesh(const rt_mesh *m, vo_rt_transform t) {
    vo_rt_vec3 *x = malloc((size_t)m->vertex_count * sizeof *x);
    for (int i = 0; i < m->vertex_count; i++) x[i] = ft_apply(t, m->x[i]);
    return x;
}

/* Compares find_nearest, contains and the unsigned search with exhaustive search. */
static void check_nearest(const vo_rt_body *body, const rt_mesh *m, const vo_rt_vec3 *x,
                          double size, int count, uint64_t seed) {
    vo_random r = vo_random_seed(seed);
    for (int i = 0; i < count; i++) {
        vo_rt_vec3 p = f3_add(x[vo_random_int(&r, m->vertex_count)], rt_point(&r, size));
        double d = rt_exhaustive_distance(m, x, p);
        float radius = rt_real(&r, -0.1 * size, size);
        vo_rt_surface_point out;
        if (fabs(d - (double)body->offset - (double)radius) < 1e-5) continue;
        bool found = vo_rt_body_find_nearest(body, false, p, radius, -1, &out);
        if (found != (d - (double)body->offset < (double)radius))
            fail_msg("point %d: distance %g, radius %g: found %d", i, d, (double)radius, found);
        if (fabs(d) > 1e-5) assert_int_equal(vo_rt_body_contains(body, false, p), d < 0);
        if (!found) continue;
        assert_near((double)out.distance + (double)body->offset, d, 4e-6 + 1e-5 * fabs(d));
        assert_near((double)f3_length(out.normal), 1, 1e-5);
        vo_rt_vec3 on = f3_add_scaled(p, -out.distance, out.normal);
        if (fabs(d) > 1e-3) assert_near((double)f3_distance(on, out.point), 0, 2e-5);
        int32_t slots = body->surface.leaf_count * VO_RT_WIDTH;
        int32_t hints[] = {out.feature, vo_random_int(&r, slots), slots + 5};
        for (int k = 0; k < 3; k++) {
            vo_rt_surface_point again = {0};
            assert_true(vo_rt_body_find_nearest(body, false, p, radius, hints[k], &again));
            assert_int_equal(again.feature, out.feature);
            assert_true(again.distance == out.distance);
        }
    }
}

static void nearest_equals_exhaustive_search(void **state) {
    (void)state;
    rt_mesh meshes[] = {rt_sphere(7, 9, 0.3f, 0.2f, 1), rt_torus(12, 7, 0.4f, 0.15f, 0.3f, 2),
                        rt_plate(3, 0.5f, 0.01f), rt_sphere(40, 60, 0.5f, 0.01f, 3),
                        rt_sphere(2, 3, 0.3f, 0, 4)};
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
        vo_random r = vo_random_seed(i);
        vo_rt_body_def def = rt_mesh_def(&meshes[i]);
        def.offset = i % 2 ? 0.006f : 0;
        def.transform.position = rt_point(&r, 1);
        def.transform.rotation = rt_rotation(&r);
        vo_rt_body body;
        rt_memory memory;
        create(&body, &memory, &def);
        vo_rt_vec3 *x = transform_mesh(&meshes[i], def.transform);
        check_nearest(&body, &meshes[i], x, 0.3, 400, 10 + i);
        check_nearest(&body, &meshes[i], x, 0.02, 400, 20 + i);
        destroy(&body, &memory);
        free(x);
        rt_mesh_free(&meshes[i]);
    }
}

/* --- Deforming bodies ------------------------------------------------------------------------- */

/* Bends and stretches the mesh; a different shape for each phase. */
static void deform(const rt_mesh *m, double phase, vo_rt_vec3 *x) {
    for (int i = 0; i < m->vertex_count; i++) {
        vo_rt_vec3 p = m->x[i];
        double bend = 0.8 * sin(phase) * (double)p.y, scale = 1 + 0.2 * cos(2 * phase);
        double c = cos(bend), s = sin(bend);
        x[i] = f3((float)(scale * (double)p.x + 0.1 * phase),
                  (float)(c * (double)p.y - s * (double)p.z),
                  (float)(s * (double)p.y + c * (double)p.z));
    }
}

static void host_vertices_equal_exhaustive_search(void **state) {
    (void)state;
    rt_mesh m = rt_torus(30, 14, 0.4f, 0.12f, 0.1f, 5);
    vo_rt_body_def def = rt_mesh_def(&m);
    def.vertices_by_host = true;
    vo_rt_body body;
    rt_memory memory;
    create(&body, &memory, &def);
    long calls = memory.calls;
    size_t bytes = (size_t)m.vertex_count * sizeof(vo_rt_vec3);
    vo_rt_vec3 *from = malloc(bytes), *to = malloc(bytes), *x = malloc(bytes);
    memcpy(from, m.x, bytes);
    for (int step = 0; step < 4; step++) {
        deform(&m, 0.4 * step, to);
        assert_int_equal(vo_rt_body_set_vertices(&body, &to[0].x, sizeof *to), VO_OK);
        vo_rt_body_begin_step(&body, 1.0f / 60);
        static const float fractions[] = {0.25f, 0.5f, 0.9f, 1};
        for (int k = 0; k < 4; k++) {
            vo_rt_body_advance(&body, fractions[k]);
            for (int i = 0; i < m.vertex_count; i++) x[i] = f3_lerp(from[i], to[i], fractions[k]);
            check_nearest(&body, &m, x, 0.1, 60, (uint64_t)(10 * step + k));
        }
        memcpy(from, to, bytes);
    }
    assert_int_equal(memory.calls, calls); /* no allocation after creation */
    destroy(&body, &memory);
    free(from), free(to), free(x);
    rt_mesh_free(&m);
}

/* Two bones, blended along y. */
static vo_rt_body_def skinned_def(const rt_mesh *m, uint16_t *bones, float *weights) {
    for (int i = 0; i < m->vertex_count; i++) {
        float w = f_clamp(m->x[i].y + 0.5f, 0, 1);
        for (int k = 0; k < 4; k++) bones[4 * i + k] = (uint16_t)(k == 1), weights[4 * i + k] = 0;
        weights[4 * i] = 1 - w;
        weights[4 * i + 1] = w;
    }
    vo_rt_body_def def = rt_mesh_def(m);
    def.skin_bones = bones;
    def.skin_weights = weights;
    def.bone_count = 2;
    return def;
}

static vo_rt_matrix random_matrix(vo_random *r, double size) {
    vo_rt_matrix m = {{0}};
    for (int k = 0; k < 12; k++) m.m[k] = (k % 5 == 0 ? 1.0f : 0.0f) + rt_real(r, -size, size);
    return m;
}

static vo_rt_vec3 skin_point(vo_rt_vec3 p, const vo_rt_matrix bone[2]) {
    float w = f_clamp(p.y + 0.5f, 0, 1);
    return f3_lerp(fm_apply(&bone[0], p), fm_apply(&bone[1], p), w);
}

static void skinned_bodies_follow_their_bones(void **state) {
    (void)state;
    rt_mesh m = rt_sphere(20, 25, 0.4f, 0.1f, 6);
    uint16_t *bones = malloc(4 * (size_t)m.vertex_count * sizeof *bones);
    float *weights = malloc(4 * (size_t)m.vertex_count * sizeof *weights);
    vo_rt_body_def def = skinned_def(&m, bones, weights);
    vo_rt_body body;
    rt_memory memory;
    create(&body, &memory, &def);
    vo_random r = vo_random_seed(7);
    vo_rt_vec3 *x = malloc((size_t)m.vertex_count * sizeof *x);
    vo_rt_matrix from[2] = {{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
                            {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}}};
    for (int step = 0; step < 4; step++) {
        vo_rt_matrix to[2] = {random_matrix(&r, 0.2), random_matrix(&r, 0.2)};
        assert_int_equal(vo_rt_body_set_bones(&body, 2, to), VO_OK);
        vo_rt_body_begin_step(&body, 0.02f);
        for (int k = 1; k <= 2; k++) {
            vo_rt_body_advance(&body, 0.5f * (float)k);
            for (int i = 0; i < m.vertex_count; i++)
                x[i] = f3_lerp(skin_point(m.x[i], from), skin_point(m.x[i], to), 0.5f * (float)k);
            check_nearest(&body, &m, x, 0.1, 60, (uint64_t)(10 * step + k));
        }
        memcpy(from, to, sizeof from);
    }
    destroy(&body, &memory);
    free(bones), free(weights), free(x);
    rt_mesh_free(&m);
}

/* Boxes after a refit to a pose equal those of a body whose pose was always that one. */
static void refit_does_not_depend_on_history(void **state) {
    (void)state;
    rt_mesh m = rt_torus(25, 12, 0.4f, 0.1f, 0.1f, 8);
    vo_rt_body_def def = rt_mesh_def(&m);
    def.vertices_by_host = true;
    vo_rt_body a, b;
    rt_memory memory[2];
    create(&a, &memory[0], &def);
    create(&b, &memory[1], &def);
    vo_rt_vec3 *x = malloc((size_t)m.vertex_count * sizeof *x);
    for (int i = 0; i < 9; i++) {
        deform(&m, i, x);
        vo_rt_body_set_vertices(&a, &x[0].x, sizeof *x);
        vo_rt_body_begin_step(&a, 0.01f);
        vo_rt_body_advance(&a, 0.3f + 0.1f * (float)(i % 7));
        vo_rt_body_advance(&a, 1);
    }
    vo_rt_body_set_vertices(&b, &x[0].x, sizeof *x);
    vo_rt_body_teleport(&b);
    vo_rt_body_begin_step(&b, 0.01f);
    vo_rt_body_advance(&b, 1);
    assert_memory_equal(a.pose[a.current].box, b.pose[b.current].box,
                        (size_t)a.surface.node_count * sizeof(vo_rt_box8));
    destroy(&a, &memory[0]);
    destroy(&b, &memory[1]);
    free(x);
    rt_mesh_free(&m);
}

static void velocities_equal_finite_differences(void **state) {
    (void)state;
    rt_mesh m = rt_sphere(12, 16, 0.3f, 0.1f, 9);
    const float dt = 0.01f;
    for (int kind = 0; kind < 2; kind++) {
        vo_rt_body_def def = rt_mesh_def(&m);
        def.vertices_by_host = kind == 1;
        vo_rt_body body;
        rt_memory memory;
        create(&body, &memory, &def);
        vo_random r = vo_random_seed(10);
        vo_rt_transform to = {rt_point(&r, 0.05), {0.1f, 0.05f, -0.07f, 0.99f}};
        vo_rt_vec3 *x = malloc((size_t)m.vertex_count * sizeof *x);
        deform(&m, 0.1, x);
        assert_int_equal(kind ? vo_rt_body_set_vertices(&body, &x[0].x, sizeof *x)
                              : vo_rt_body_set_transform(&body, to),
                         VO_OK);
        vo_rt_body_begin_step(&body, dt);
        vo_rt_body_advance(&body, 0.5f);
        vo_rt_body_advance(&body, 1);
        for (int i = 0; i < 100; i++) {
            vo_rt_surface_point p;
            assert_true(vo_rt_body_find_nearest(&body, false, rt_point(&r, 0.4), 1, -1, &p));
            /* The material point beside p at the start of the last half step, by barycentric
             * coordinates of the same triangle. */
            vo_rt_surface_hit hit;
            vo_rt_pose pose = kind ? body.mesh_current : body.mesh_current;
            vo_rt_vec3 q = f3_add_scaled(p.point, -body.offset, p.normal);
            q = kind ? q : vo_rt_pose_apply_inverse(pose, q);
            vo_rt_surface_evaluate(&body.surface, body.pose[body.current].vertex, p.feature, q,
                                   &hit);
            vo_rt_vec3 before = f3(0, 0, 0);
            for (int k = 0; k < 3; k++) {
                int32_t v =
                    body.surface.vertex_source[vo_rt_surface_corner(&body.surface, p.feature, k)];
                vo_rt_vec3 half = kind ? f3_lerp(m.x[v], x[v], 0.5f)
                                       : vo_rt_pose_apply(body.mesh_previous, m.x[v]);
                before = f3_add_scaled(before, hit.weight[k], half);
            }
            vo_rt_vec3 now = f3_add_scaled(p.point, -body.offset, p.normal);
            vo_rt_vec3 expected = f3_scale(1 / (0.5f * dt), f3_sub(now, before));
            assert_near((double)f3_distance(expected, p.velocity), 0, 2e-3);
            assert_true(f3_length(p.velocity) > 0.1f);
        }
        vo_rt_body_begin_step(&body, dt);
        vo_rt_body_advance(&body, 1);
        vo_rt_surface_point p;
        assert_true(vo_rt_body_find_nearest(&body, false, f3(1, 1, 1), 3, -1, &p));
        assert_true(f3_length(p.velocity) == 0); /* no new pose: at rest */
        vo_rt_body_set_transform(&body, (vo_rt_transform){{5, 0, 0}, {0, 0, 0, 1}});
        for (int i = 0; i < m.vertex_count; i++) x[i].x += 5;
        if (kind) vo_rt_body_set_vertices(&body, &x[0].x, sizeof *x);
        vo_rt_body_teleport(&body);
        vo_rt_body_begin_step(&body, dt);
        vo_rt_body_advance(&body, 0.5f);
        assert_true(vo_rt_body_find_nearest(&body, false, f3(5, 1, 1), 3, -1, &p));
        assert_true(f3_length(p.velocity) == 0); /* a teleport has no velocity */
        assert_true(fabsf(p.point.x - 5) < 1);
        free(x);
        destroy(&body, &memory);
    }
    rt_mesh_free(&m);
}

/* --- Casts ------------------------------------------------------------------------------------ */

/* First parameter at which the exhaustive distance falls below `level`, by small steps. */
static double march(const rt_mesh *m, const vo_rt_vec3 *x, vo_rt_vec3 a, vo_rt_vec3 b, double level,
                    double *least) {
    double length = (double)f3_distance(a, b), t = 0;
    *least = 1e30;
    while (t <= 1) {
        double d = rt_exhaustive_distance(m, x, f3_lerp(a, b, (float)t)) - level;
        *least = fmin(*least, d);
        if (d <= 2e-6) return t;
        t += fmax(d, 2e-6) / length;
    }
    return 2;
}

static void casts_equal_marching(void **state) {
    (void)state;
    rt_mesh m = rt_torus(14, 8, 0.3f, 0.1f, 0.25f, 11);
    vo_rt_body_def def = rt_mesh_def(&m);
    vo_random r = vo_random_seed(12);
    def.transform.rotation = rt_rotation(&r);
    vo_rt_body body;
    rt_memory memory;
    create(&body, &memory, &def);
    vo_rt_vec3 *x = transform_mesh(&m, def.transform);
    int hits = 0, exits = 0;
    for (int i = 0; i < 400; i++) {
        vo_rt_vec3 a = rt_point(&r, 0.4), b = rt_point(&r, 0.5);
        double offset = (double)body.offset, start = rt_exhaustive_distance(&m, x, a), least;
        if (fabs(start - offset) < 1e-4) continue;
        vo_rt_surface_point p;
        float t = -1;
        bool found = vo_rt_body_cast(&body, false, a, b, &t, &p);
        if (start < offset) {
            assert_false(found);
            vo_rt_vec3 d = f3_normalize(f3_sub(b, a));
            if (!vo_rt_body_find_exit(&body, false, a, d, 1.5f, &p)) continue;
            exits++;
            /* on the shell, and no shell beyond it */
            vo_rt_vec3 end = f3_add_scaled(a, 1.5f, d);
            assert_near(rt_exhaustive_distance(&m, x, p.point), offset, 5e-6);
            vo_rt_vec3 line = f3_sub(p.point, a);
            assert_near((double)f3_length(f3_cross(line, d)), 0, 2e-5);
            assert_true(march(&m, x, f3_add_scaled(p.point, 1e-3f, d), end, offset - 2e-4, &least) >
                        1);
            continue;
        }
        double expected = march(&m, x, a, b, offset, &least);
        if (expected > 1 && least < 2e-5) continue; /* grazes */
        if (found != (expected <= 1))
            fail_msg("cast %d: found %d, expected %g", i, found, expected);
        if (!found) continue;
        hits++;
        assert_near((double)t, expected, 2e-4);
        assert_near((double)p.distance, 0, 1e-5);
    }
    if (hits < 40 || exits < 10) fail_msg("only %d hits and %d exits", hits, exits);
    free(x);
    destroy(&body, &memory);
    rt_mesh_free(&m);
}

/* --- Variants, snapshots, validation ---------------------------------------------------------- */

static void kernels_are_bit_identical(void **state) {
    (void)state;
#ifdef VO_HAVE_AVX2_KERNELS
    if (vo_rt_surface_kernels_select() == &vo_rt_surface_kernels_base) skip();
    rt_mesh m = rt_torus(60, 31, 0.4f, 0.1f, 0.2f, 13);
    uint16_t *bones = malloc(4 * (size_t)m.vertex_count * sizeof *bones);
    float *weights = malloc(4 * (size_t)m.vertex_count * sizeof *weights);
    vo_rt_body_def def = skinned_def(&m, bones, weights);
    vo_rt_body body[2];
    rt_memory memory[2];
    vo_random r = vo_random_seed(14);
    vo_rt_matrix to[2] = {random_matrix(&r, 0.2), random_matrix(&r, 0.2)};
    for (int i = 0; i < 2; i++) {
        create(&body[i], &memory[i], &def);
        body[i].kernels = i ? &vo_rt_surface_kernels_avx2 : &vo_rt_surface_kernels_base;
        vo_rt_body_set_bones(&body[i], 2, to);
        vo_rt_body_begin_step(&body[i], 0.01f);
        vo_rt_body_advance(&body[i], 0.37f);
    }
    vo_rt_surface_pose a = body[0].pose[body[0].current], b = body[1].pose[body[1].current];
    assert_memory_equal(a.vertex, b.vertex, (size_t)m.vertex_count * sizeof *a.vertex);
    assert_memory_equal(a.box, b.box, (size_t)body[0].surface.node_count * sizeof *a.box);
    for (int i = 0; i < 1000; i++) {
        vo_rt_vec3 p = rt_point(&r, 0.7);
        float bound[2] = {0.09f, 0.09f};
        int32_t hint = vo_random_int(&r, body[0].surface.leaf_count * 8), slot[2];
        for (int k = 0; k < 2; k++)
            slot[k] = body[k].kernels->find_nearest(&body[k].surface, body[k].pose[body[k].current],
                                                    p, hint, &bound[k]);
        assert_int_equal(slot[0], slot[1]);
        assert_memory_equal(&bound[0], &bound[1], sizeof bound[0]);
    }
    for (int i = 0; i < 2; i++) destroy(&body[i], &memory[i]);
    free(bones), free(weights);
    rt_mesh_free(&m);
#endif
}

static void restored_bodies_continue_identically(void **state) {
    (void)state;
    rt_mesh m = rt_sphere(10, 12, 0.3f, 0.1f, 15);
    vo_rt_body_def def = rt_mesh_def(&m);
    def.vertices_by_host = true;
    vo_rt_shape shape = vo_rt_shape_default(VO_RT_SPHERE);
    def.shapes = &shape;
    def.shape_count = 1;
    vo_rt_body a, b;
    rt_memory memory[2];
    create(&a, &memory[0], &def);
    create(&b, &memory[1], &def);
    vo_rt_vec3 *x = malloc((size_t)m.vertex_count * sizeof *x);
    deform(&m, 0.3, x);
    vo_rt_body_set_vertices(&a, &x[0].x, sizeof *x);
    vo_rt_body_set_transform(&a, (vo_rt_transform){{1, 2, 3}, {0, 0.6f, 0, 0.8f}});
    vo_rt_body_begin_step(&a, 0.01f);
    vo_rt_body_advance(&a, 1);
    deform(&m, 0.5, x);
    vo_rt_body_set_vertices(&a, &x[0].x, sizeof *x); /* an input that waits */
    vo_rt_body_set_friction(&a, 0.25f);
    size_t bytes = vo_rt_body_save(&a, NULL);
    void *data = malloc(bytes);
    assert_int_equal(vo_rt_body_save(&a, data), bytes);
    vo_rt_body_restore(&b, data);
    for (int i = 0; i < 2; i++) {
        vo_rt_body *body = i ? &b : &a;
        vo_rt_body_begin_step(body, 0.01f);
        vo_rt_body_advance(body, 0.4f);
    }
    assert_true(b.friction == 0.25f);
    vo_random r = vo_random_seed(16);
    for (int i = 0; i < 100; i++) {
        vo_rt_vec3 p = rt_point(&r, 0.5);
        vo_rt_surface_point u, v;
        for (int shapes = 0; shapes < 2; shapes++) {
            memset(&u, 0, sizeof u), memset(&v, 0, sizeof v);
            assert_true(vo_rt_body_find_nearest(&a, shapes, p, 9, -1, &u));
            assert_true(vo_rt_body_find_nearest(&b, shapes, p, 9, -1, &v));
            assert_memory_equal(&u, &v, sizeof u);
        }
    }
    free(data), free(x);
    destroy(&a, &memory[0]);
    destroy(&b, &memory[1]);
    rt_mesh_free(&m);
}

static void shifted_bodies_keep_their_shape(void **state) {
    (void)state;
    rt_mesh m = rt_sphere(10, 12, 0.3f, 0.1f, 15);
    for (int kind = 0; kind < 2; kind++) {
        vo_rt_body_def def = rt_mesh_def(&m);
        def.vertices_by_host = kind;
        vo_rt_body body;
        rt_memory memory;
        create(&body, &memory, &def);
        vo_rt_body_shift_origin(&body, f3(10, 0, 0));
        vo_rt_surface_point p;
        assert_true(vo_rt_body_find_nearest(&body, false, f3(-9, 0, 0), 2, -1, &p));
        assert_near((double)p.point.x, -9.7, 0.05);
        vo_rt_body_begin_step(&body, 0.01f);
        vo_rt_body_advance(&body, 1);
        assert_true(vo_rt_body_find_nearest(&body, false, f3(-9, 0, 0), 2, -1, &p));
        assert_true(f3_length(p.velocity) == 0);
        destroy(&body, &memory);
    }
    rt_mesh_free(&m);
}

static void expect_failure(const vo_rt_body_def *def, const char *text) {
    rt_memory memory;
    vo_allocator allocator = rt_allocator(&memory);
    vo_rt_message message = {{0}};
    vo_rt_body body;
    assert_int_equal(vo_rt_body_init(&body, &allocator, def, &message), VO_BAD_ARGUMENT);
    if (!strstr(message.text, text)) fail_msg("\"%s\" lacks \"%s\"", message.text, text);
    assert_int_equal(memory.live, 0);
}

static void invalid_meshes_are_rejected(void **state) {
    (void)state;
    rt_mesh m = rt_sphere(6, 8, 0.3f, 0, 17);
    vo_rt_body_def def = rt_mesh_def(&m);
    def.triangle_count--;
    expect_failure(&def, "is a boundary edge; close the mesh");
    def = rt_mesh_def(&m);
    int32_t t = m.t[1];
    m.t[1] = m.t[2], m.t[2] = t;
    expect_failure(&def, "is used in this direction by another triangle");
    for (int i = 1; i < m.triangle_count; i++) {
        t = m.t[3 * i + 1];
        m.t[3 * i + 1] = m.t[3 * i + 2], m.t[3 * i + 2] = t;
    }
    expect_failure(&def, "face inwards");
    m.t[5] = 1000;
    expect_failure(&def, "triangles[1]: corner 2 is vertex 1000");
    m.t[5] = m.t[4];
    expect_failure(&def, "triangles[1]: has vertices");
    m.x[3].y = NAN;
    expect_failure(&def, "positions[3]: is");
    def.triangles = NULL;
    expect_failure(&def, "triangles: is NULL");
    def = vo_rt_body_def_default();
    expect_failure(&def, "shape_count: is 0");
    rt_mesh_free(&m);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    rt_mesh m = rt_sphere(6, 8, 0.3f, 0, 18);
    vo_rt_vec3 points[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    vo_rt_shape shape = vo_rt_shape_default(VO_RT_HULL);
    shape.points = points;
    shape.point_count = 4;
    vo_rt_body_def def = rt_mesh_def(&m);
    def.shapes = &shape;
    def.shape_count = 1;
    vo_result result = VO_NO_MEMORY;
    for (long fail = 0; result != VO_OK; fail++) {
        rt_memory memory;
        vo_allocator allocator = rt_allocator(&memory);
        memory.fail_at = fail;
        vo_rt_body body;
        result = vo_rt_body_init(&body, &allocator, &def, NULL);
        assert_true(result == VO_OK || result == VO_NO_MEMORY);
        if (result == VO_OK) vo_rt_body_free(&body, &allocator);
        assert_int_equal(memory.live, 0);
        assert_true(fail < 100);
    }
    rt_mesh_free(&m);
}

static void invalid_poses_are_rejected(void **state) {
    (void)state;
    rt_mesh m = rt_sphere(6, 8, 0.3f, 0, 19);
    vo_rt_body_def def = rt_mesh_def(&m);
    def.vertices_by_host = true;
    def.bone_count = 1;
    vo_rt_body body;
    rt_memory memory;
    create(&body, &memory, &def);
    vo_rt_message message = {{0}};
    body.message = &message;
    vo_rt_transform t = {{0, NAN, 0}, {0, 0, 0, 1}};
    assert_int_equal(vo_rt_body_set_transform(&body, t), VO_BAD_ARGUMENT);
    assert_non_null(strstr(message.text, "transform.position"));
    t = (vo_rt_transform){{0, 0, 0}, {0, 0, 0, 0}};
    assert_int_equal(vo_rt_body_set_transform(&body, t), VO_BAD_ARGUMENT);
    vo_rt_matrix bone = {{0}};
    bone.m[7] = INFINITY;
    assert_int_equal(vo_rt_body_set_bones(&body, 1, &bone), VO_BAD_ARGUMENT);
    assert_non_null(strstr(message.text, "bones[0].m[7]"));
    assert_int_equal(vo_rt_body_set_bones(&body, 2, &bone), VO_BAD_ARGUMENT);
    m.x[4].z = INFINITY;
    assert_int_equal(vo_rt_body_set_vertices(&body, &m.x[0].x, sizeof m.x[0]), VO_BAD_ARGUMENT);
    assert_non_null(strstr(message.text, "vertices[4]"));
    assert_int_equal(vo_rt_body_set_friction(&body, -1), VO_BAD_ARGUMENT);
    vo_rt_body_begin_step(&body, NAN);
    vo_rt_body_advance(&body, NAN);
    vo_rt_surface_point p;
    assert_true(vo_rt_body_find_nearest(&body, false, f3(1, 0, 0), 1, -1, &p));
    assert_false(vo_rt_body_find_nearest(&body, false, f3(NAN, 0, 0), 1, -1, &p));
    destroy(&body, &memory);
    rt_mesh_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_equals_exhaustive_search),
        cmocka_unit_test(host_vertices_equal_exhaustive_search),
        cmocka_unit_test(skinned_bodies_follow_their_bones),
        cmocka_unit_test(refit_does_not_depend_on_history),
        cmocka_unit_test(velocities_equal_finite_differences),
        cmocka_unit_test(casts_equal_marching),
        cmocka_unit_test(kernels_are_bit_identical),
        cmocka_unit_test(restored_bodies_continue_identically),
        cmocka_unit_test(shifted_bodies_keep_their_shape),
        cmocka_unit_test(invalid_meshes_are_rejected),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(invalid_poses_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

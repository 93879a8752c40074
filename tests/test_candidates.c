/* Candidates against comparing every feature with every other, over many steps in which the lists
 * are kept. */
#include "contact_world.h"

#include "core/hash.h"

/* ---- comparisons ---- */

/* near is exactly what comparing everything gives, in its order. */
static int check_near(world *w, vo_candidates *c, double thickness) {
    const vo_near *near;
    world_near *expected;
    int count, n = world_all_near(&w->surface, thickness, &expected);
    assert_ok(w->ctx, vo_candidates_near(c, &count, &near));
    for (int i = 0; i < count && i < n; i++) {
        const int *p = near[i].pair.node, *q = expected[i].pair.node;
        if (near[i].pair.kind != expected[i].pair.kind || memcmp(p, q, sizeof near[i].pair.node))
            fail_msg("near %d of %d: %d %d %d %d, expected %d %d %d %d", i, n, p[0], p[1], p[2],
                     p[3], q[0], q[1], q[2], q[3]);
        assert_near(near[i].distance, expected[i].distance, 1e-14);
        assert_true(near[i].distance < near[i].thickness);
        assert_true(near[i].thickness == world_thickness(&w->surface, p, thickness));
        vo_vec3 offset = v3_zero();
        double sum = 0;
        for (int k = 0; k < 4; k++) {
            offset = v3_add_scaled(offset, near[i].weight[k], w->surface.x0[p[k]]);
            sum += near[i].weight[k];
        }
        assert_near(sum, 0, 1e-14);
        assert_near(v3_length(near[i].normal), 1, 1e-14);
        assert_near(v3_distance(offset, v3_scale(near[i].distance, near[i].normal)), 0, 1e-14);
    }
    assert_int_equal(count, n);
    free(expected);
    return n;
}

static int compare_swept(const void *x, const void *y) {
    const vo_feature_pair *p = x, *q = y;
    if (p->kind != q->kind) return p->kind < q->kind ? -1 : 1;
    for (int i = 0; i < 4; i++)
        if (p->node[i] != q->node[i]) return p->node[i] < q->node[i] ? -1 : 1;
    return 0;
}

static bool is_marked(const vo_feature_pair *p, const unsigned char *moved) {
    return !moved || moved[p->node[0]] | moved[p->node[1]] | moved[p->node[2]] | moved[p->node[3]];
}

/* Every pair that meets is in swept, none twice, and none that does not concern it. */
static int check_swept(world *w, vo_candidates *c, const unsigned char *moved) {
    const vo_surface *s = &w->surface;
    const vo_feature_pair *pairs;
    vo_feature_pair pair;
    int count, met = 0;
    assert_ok(w->ctx, vo_candidates_swept(c, moved, &count, &pairs));
    vo_feature_pair *sorted = malloc((size_t)(count + 1) * sizeof *sorted);
    if (count) memcpy(sorted, pairs, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_swept);
    for (int i = 0; i < count; i++) {
        assert_true(i == 0 || compare_swept(&sorted[i - 1], &sorted[i]) != 0);
        assert_true(is_marked(&sorted[i], moved));
        assert_true(
            world_relevant(s, s->node_part[sorted[i].node[0]], s->node_part[sorted[i].node[3]]));
    }
    for (long i = 0; i < world_pair_count(s); i++) {
        if (!world_pair(s, i, &pair) || !is_marked(&pair, moved) || !world_meets(s, &pair))
            continue;
        met++;
        if (!bsearch(&pair, sorted, (size_t)count, sizeof pair, compare_swept))
            fail_msg("pair %d %d %d %d of kind %d is missing", pair.node[0], pair.node[1],
                     pair.node[2], pair.node[3], (int)pair.kind);
    }
    free(sorted);
    return met;
}

/* ---- motions ---- */

/* A sheet that folds over itself with time, and the whole drifts. */
static vo_vec3 folding(double u, double v, double t, vo_vec3 drift) {
    double bend = 6 * t, r = bend > 1e-3 ? 1 / bend : 1e3;
    vo_vec3 p = v3(r * sin(u / r), v, r * (1 - cos(u / r)) + 0.03 * v * sin(7 * u + 3 * t));
    return v3_add(p, drift);
}

static vo_vec3 random_vector(vo_random *r, double size) {
    double x = vo_random_real(r, -size, size), y = vo_random_real(r, -size, size);
    return v3(x, y, vo_random_real(r, -size, size));
}

/* x1 becomes x0. */
static void arrive(vo_surface *s) {
    memcpy(s->x0, s->x1, (size_t)s->node_count * sizeof *s->x0);
    for (int p = 0; p < s->part_count; p++) s->part[p].pose[0] = s->part[p].pose[1];
}

/* A pose for the end of the step of a rigid part, and its nodes with it. */
static void place(vo_surface *s, int p, vo_transform pose, bool start) {
    vo_surface_part *part = &s->part[p];
    part->pose[1] = pose;
    for (int i = part->node_begin; i < part->node_end; i++)
        s->x1[i] = xf_point(pose, part->rest[i - part->node_begin]);
    if (!start) return;
    part->pose[0] = pose;
    memcpy(s->x0 + part->node_begin, s->x1 + part->node_begin,
           (size_t)(part->node_end - part->node_begin) * sizeof *s->x0);
}

/* Moves a few nodes at random, as a response would: marks them. */
static void disturb(vo_surface *s, vo_random *r, int nodes, double size, unsigned char *moved) {
    memset(moved, 0, (size_t)s->node_count);
    for (int i = 0; i < nodes; i++) {
        int n = vo_random_int(r, s->node_count);
        s->x1[n] = v3_add(s->x1[n], random_vector(r, size));
        moved[n] = 1;
    }
}

/* ---- tests ---- */

static void move_folding(vo_surface *s, const vo_mesh *m, double t) {
    vo_vec3 drift = v3(0.2 * t, -t, 3 * t * t);
    for (int i = 0; i < m->vert_count; i++)
        s->x1[m->vert_node[i]] = folding(m->vert_u[i].x, m->vert_u[i].y, t, drift);
}

/* One cloth that rolls up until its ends meet, slowly and fast. */
static void test_folding_sheet(void **state) {
    (void)state;
    for (int speed = 1; speed <= 3; speed++) {
        vo_context *ctx = test_context(2);
        world w = {.ctx = ctx};
        world_add(&w, world_sheet(ctx, 1, 12, 0), false, false);
        world_build(&w);
        vo_candidates *c;
        vo_random r = vo_random_seed((uint64_t)speed);
        unsigned char *moved = calloc((size_t)w.surface.node_count, 1);
        double thickness = 0.06;
        int near = 0, met = 0, steps = 60 / (speed * speed);
        assert_ok(ctx, vo_candidates_create(ctx, &w.surface, thickness, &c));
        move_folding(&w.surface, w.mesh[0], 0);
        arrive(&w.surface);
        for (int step = 0; step < steps; step++) {
            near += check_near(&w, c, thickness);
            move_folding(&w.surface, w.mesh[0], 1.2 * (step + 1) / steps);
            met += check_swept(&w, c, NULL);
            for (int pass = 0; pass < 3; pass++) {
                disturb(&w.surface, &r, 1 + pass, 0.02 * speed * pass, moved);
                met += check_swept(&w, c, moved);
            }
            arrive(&w.surface);
        }
        assert_true(near > 20 && met > 20);
        vo_candidates_destroy(c);
        world_free(&w);
        free(moved);
        vo_context_destroy(ctx);
    }
}

/* A sheet of random waves, a second one above, a ball that turns and rises, a static one. */
static void wave(vo_surface *s, const vo_mesh *m, int first, double t, double height) {
    for (int i = 0; i < m->vert_count; i++) {
        vo_vec2 u = m->vert_u[i];
        double z = 0.08 * sin(5 * u.x + 2 * t) * cos(4 * u.y - t) + height;
        s->x1[first + m->vert_node[i]] = v3(u.x - 0.5 + 0.1 * sin(t), u.y - 0.5, z);
    }
}

static void move_world(world *w, double t, bool start) {
    vo_surface *s = &w->surface;
    wave(s, w->mesh[0], s->part[0].node_begin, t, 0.1 - 0.05 * t);
    wave(s, w->mesh[1], s->part[1].node_begin, -t, 0.15 - 0.06 * t);
    vo_transform pose = {v3(0.1, 0.2, -0.4 + 0.1 * t), 1, q_axis_angle(v3(1, 2, 3), 2 * t)};
    place(s, 2, pose, start);
    place(s, 3, xf_identity(), start);
}

static world make_world(vo_context *ctx) {
    world w = {.ctx = ctx};
    world_add(&w, world_sheet(ctx, 1, 9, 0), false, false);
    world_add(&w, world_sheet(ctx, 1, 7, 0), false, false);
    world_add(&w, world_ball(ctx, 0.3, 6, v3_zero()), true, true);
    world_add(&w, world_ball(ctx, 0.2, 4, v3(-0.3, -0.3, -0.2)), true, true);
    world_build(&w);
    return w;
}

static void run_world(world *w, double thickness, double speed, int steps, int sums[2]) {
    vo_candidates *c;
    vo_random r = vo_random_seed(5);
    unsigned char *moved = calloc((size_t)w->surface.node_count, 1);
    assert_ok(w->ctx, vo_candidates_create(w->ctx, &w->surface, thickness, &c));
    move_world(w, 0, true);
    arrive(&w->surface);
    for (int step = 0; step < steps; step++) {
        sums[0] += check_near(w, c, thickness);
        move_world(w, speed * (step + 1), false);
        sums[1] += check_swept(w, c, NULL);
        for (int pass = 0; pass < 3; pass++) {
            disturb(&w->surface, &r, 1 + 3 * pass, 0.01 * pass * pass, moved);
            sums[1] += check_swept(w, c, moved);
        }
        arrive(&w->surface);
        if (step % 16 == 15) vo_candidates_forget(c);
        w->surface.part[3].present = step / 8 % 3 != 1;
    }
    vo_candidates_destroy(c);
    free(moved);
}

static void test_parts(void **state) {
    (void)state;
    static const double speeds[] = {1e-4, 0.01, 0.05, 0.3};
    for (int i = 0; i < 4; i++) {
        int sums[2] = {0};
        vo_context *ctx = test_context(2);
        world w = make_world(ctx);
        run_world(&w, 0.05, speeds[i], 30, sums);
        assert_true(sums[0] > 1000);
        assert_true(i == 0 || sums[1] > 100);
        world_free(&w);
        vo_context_destroy(ctx);
    }
}

/* Positions without any order, on a lattice so that everything touches and coincides. */
static void test_random_soup(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    vo_random r = vo_random_seed(8);
    for (int round = 0; round < 20; round++) {
        world w = {.ctx = ctx};
        world_add(&w, world_sheet(ctx, 1, 4, 0), false, false);
        world_add(&w, world_ball(ctx, 1, 3, v3_zero()), true, false);
        world_build(&w);
        vo_candidates *c;
        assert_ok(ctx, vo_candidates_create(ctx, &w.surface, 0.2, &c));
        for (int step = 0; step < 6; step++) {
            for (int i = 0; i < w.surface.node_count; i++) {
                vo_vec3 x = random_vector(&r, 2);
                if (round % 2) x = v3(floor(2 * x.x) / 2, floor(2 * x.y) / 2, floor(2 * x.z) / 2);
                if (vo_random_int(&r, 3)) w.surface.x1[i] = x;
            }
            check_swept(&w, c, NULL);
            arrive(&w.surface);
            if (round % 2 == 0) check_near(&w, c, 0.2);
        }
        vo_candidates_destroy(c);
        world_free(&w);
    }
    vo_context_destroy(ctx);
}

/* Fingerprint of all answers of a run. */
static uint64_t fingerprint(int threads) {
    vo_context *ctx = test_context(threads);
    world w = make_world(ctx);
    vo_candidates *c;
    uint64_t hash = 0;
    assert_ok(ctx, vo_candidates_create(ctx, &w.surface, 0.05, &c));
    move_world(&w, 0, true);
    arrive(&w.surface);
    for (int step = 0; step < 30; step++) {
        int count;
        const vo_near *near;
        const vo_feature_pair *pairs;
        assert_ok(ctx, vo_candidates_near(c, &count, &near));
        for (int i = 0; i < count; i++) {
            hash = vo_hash_more(hash, &near[i].pair, sizeof near[i].pair);
            hash = vo_hash_more(hash, &near[i].normal, sizeof near[i].normal);
        }
        move_world(&w, 0.02 * (step + 1), false);
        assert_ok(ctx, vo_candidates_swept(c, NULL, &count, &pairs));
        if (count) hash = vo_hash_more(hash, pairs, (size_t)count * sizeof *pairs);
        arrive(&w.surface);
    }
    vo_candidates_destroy(c);
    world_free(&w);
    vo_context_destroy(ctx);
    return hash;
}

static void test_threads(void **state) {
    (void)state;
    uint64_t one = fingerprint(1);
    for (int threads = 1; threads <= 3; threads++) assert_true(fingerprint(threads) == one);
}

static vo_result use_candidates(vo_context *ctx, void *arg) {
    world *w = arg;
    vo_candidates *c;
    int count;
    const vo_near *near;
    const vo_feature_pair *pairs;
    move_world(w, 0, true);
    arrive(&w->surface);
    VO_TRY(vo_candidates_create(ctx, &w->surface, 0.05, &c));
    vo_result result = vo_candidates_near(c, &count, &near);
    move_world(w, 0.3, false);
    if (result == VO_OK) result = vo_candidates_swept(c, NULL, &count, &pairs);
    arrive(&w->surface);
    if (result == VO_OK) result = vo_candidates_near(c, &count, &near);
    vo_candidates_destroy(c);
    return result;
}

static void test_allocations(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    world w = make_world(ctx);
    test_every_allocation(use_candidates, &w);
    world_free(&w);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folding_sheet), cmocka_unit_test(test_parts),
        cmocka_unit_test(test_random_soup),   cmocka_unit_test(test_threads),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Candidates compared with brute force over all feature pairs, over many steps with cached
 * state. */
#include "contact_fixture.h"

#include "codec/hash.h"
#include "core/context.h"

/* ---- comparisons ---- */

/* Asserts that the proximities equal the brute-force result, in the same order; returns their
 * number. */
static int check_proximities(contact_fixture *w, vo_candidates *c, double thickness) {
    const vo_proximity *proximity;
    reference_pair *expected;
    int count, n = find_proximities_brute_force(&w->surface, thickness, &expected);
    assert_ok(w->ctx, vo_candidates_find_proximities(c, &count, &proximity));
    for (int i = 0; i < count && i < n; i++) {
        const int *p = proximity[i].pair.node, *q = expected[i].pair.node;
        if (proximity[i].pair.kind != expected[i].pair.kind ||
            memcmp(p, q, sizeof proximity[i].pair.node))
            fail_msg("near %d of %d: %d %d %d %d, expected %d %d %d %d", i, n, p[0], p[1], p[2],
                     p[3], q[0], q[1], q[2], q[3]);
        assert_near(proximity[i].distance, expected[i].distance, 1e-14);
        assert_true(proximity[i].distance < proximity[i].thickness);
        assert_true(proximity[i].thickness == reference_thickness(&w->surface, p, thickness));
        vo_vec3 offset = v3_zero();
        double sum = 0;
        for (int k = 0; k < 4; k++) {
            offset = v3_add_scaled(offset, proximity[i].weight[k], w->surface.x0[p[k]]);
            sum += proximity[i].weight[k];
        }
        assert_near(sum, 0, 1e-14);
        assert_near(v3_length(proximity[i].normal), 1, 1e-14);
        assert_near(v3_distance(offset, v3_scale(proximity[i].distance, proximity[i].normal)), 0,
                    1e-14);
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

static bool pair_moves(const vo_surface *s, const vo_feature_pair *p) {
    for (int i = 0; i < 4; i++)
        if (!v3_equal(s->x0[p->node[i]], s->x1[p->node[i]])) return true;
    return false;
}

/* State of check_swept. */
typedef struct search {
    const vo_surface *s;
    double thickness;
    const unsigned char *moved;
    const vo_feature_pair *found; /* sorted */
    int count, colliding;
} search;

static void expect_found(void *arg, const vo_feature_pair *pair, int face) {
    (void)face;
    search *x = arg;
    if (!is_marked(pair, x->moved) || !pair_moves(x->s, pair)) return;
    if (!pair_comes_close(x->s, pair, x->thickness)) return;
    x->colliding++;
    if (!bsearch(pair, x->found, (size_t)x->count, sizeof *pair, compare_swept))
        fail_msg("pair %d %d %d %d of kind %d is missing", pair->node[0], pair->node[1],
                 pair->node[2], pair->node[3], (int)pair->kind);
}

/* Asserts that the swept pairs contain every pair that comes close, without duplicates or excluded
 * pairs; returns the number of close pairs. */
static int check_swept(contact_fixture *w, vo_candidates *c, double thickness,
                       const unsigned char *moved) {
    const vo_surface *s = &w->surface;
    const vo_feature_pair *pairs;
    search x = {.s = s, .thickness = thickness, .moved = moved};
    assert_ok(w->ctx, vo_candidates_find_swept_pairs(c, moved, &x.count, &pairs));
    vo_feature_pair *sorted = malloc((size_t)(x.count + 1) * sizeof *sorted);
    if (x.count) memcpy(sorted, pairs, (size_t)x.count * sizeof *sorted);
    qsort(sorted, (size_t)x.count, sizeof *sorted, compare_swept);
    for (int i = 0; i < x.count; i++) {
        const int *n = sorted[i].node;
        assert_true(i == 0 || compare_swept(&sorted[i - 1], &sorted[i]) != 0);
        assert_true(is_marked(&sorted[i], moved) && pair_moves(s, &sorted[i]));
        assert_true(parts_can_collide(s, s->node_part[n[0]], s->node_part[n[3]]));
    }
    x.found = sorted;
    for_each_pair(s, expect_found, &x);
    free(sorted);
    return x.colliding;
}

/* ---- motions ---- */

/* Position of a sheet that folds over itself with time and drifts. */
static vo_vec3 folding(double u, double v, double t, vo_vec3 drift) {
    double bend = 6 * t, r = bend > 1e-3 ? 1 / bend : 1e3;
    vo_vec3 p = v3(r * sin(u / r), v, r * (1 - cos(u / r)) + 0.03 * v * sin(7 * u + 3 * t));
    return v3_add(p, drift);
}

/* Makes x1 the next x0. */
static void advance_step(vo_surface *s) {
    memcpy(s->x0, s->x1, (size_t)s->node_count * sizeof *s->x0);
    for (int p = 0; p < s->part_count; p++) s->part[p].pose[0] = s->part[p].pose[1];
}

/* Sets the end pose of a rigid part and moves its nodes; with `start` also the start pose. */
static void set_pose(vo_surface *s, int p, vo_transform pose, bool start) {
    vo_surface_part *part = &s->part[p];
    part->pose[1] = pose;
    for (int i = part->node_begin; i < part->node_end; i++)
        s->x1[i] = xf_point(pose, part->rest[i - part->node_begin]);
    if (!start) return;
    part->pose[0] = pose;
    memcpy(s->x0 + part->node_begin, s->x1 + part->node_begin,
           (size_t)(part->node_end - part->node_begin) * sizeof *s->x0);
}

/* Moves a few random nodes, as a response does, and marks them. */
static void perturb_nodes(vo_surface *s, vo_random *r, int nodes, double size,
                          unsigned char *moved) {
    memset(moved, 0, (size_t)s->node_count);
    for (int i = 0; i < nodes; i++) {
        int n = vo_random_int(r, s->node_count);
        s->x1[n] = v3_add(s->x1[n], test_random_vec3(r, size));
        moved[n] = 1;
    }
}

/* Checks one step: the swept query to x1, repeated while single nodes are moved further, and the
 * proximity query at the new x0. */
static void check_step(contact_fixture *w, vo_candidates *c, double thickness, double jitter,
                       vo_random *r, int sums[2]) {
    unsigned char *moved = calloc((size_t)w->surface.node_count, 1);
    sums[1] += check_swept(w, c, thickness, NULL);
    for (int pass = 0; pass < 2; pass++) {
        perturb_nodes(&w->surface, r, 1 + 3 * pass, jitter * pass, moved);
        sums[1] += check_swept(w, c, thickness, moved);
    }
    free(moved);
    advance_step(&w->surface);
    sums[0] += check_proximities(w, c, thickness);
}

/* ---- one cloth ---- */

static void move_folding(vo_surface *s, const vo_mesh *m, double t) {
    vo_vec3 drift = v3(0.2 * t, -t, 3 * t * t);
    for (int i = 0; i < m->vert_count; i++)
        s->x1[m->vert_node[i]] = folding(m->vert_u[i].x, m->vert_u[i].y, t, drift);
}

/* A cloth rolls up until its ends touch, slowly and fast. */
static void folding_sheet_matches_brute_force(void **state) {
    (void)state;
    for (int speed = 1; speed <= 3; speed++) {
        vo_context *ctx = test_context(2);
        contact_fixture w = {.ctx = ctx};
        fixture_add(&w, make_sheet_mesh(ctx, 1, 10, 0), false, false);
        fixture_build(&w);
        vo_candidates *c;
        vo_random r = vo_random_seed((uint64_t)speed);
        int sums[2] = {0}, steps = 54 / (speed * speed);
        assert_ok(ctx, vo_candidates_create(ctx, &w.surface, 0.06, NULL, &c));
        move_folding(&w.surface, w.mesh[0], 0);
        advance_step(&w.surface);
        for (int step = 0; step < steps; step++) {
            move_folding(&w.surface, w.mesh[0], 1.2 * (step + 1) / steps);
            check_step(&w, c, 0.06, 0.02 * speed, &r, sums);
        }
        assert_true(sums[0] > 20 && sums[1] > 20);
        vo_candidates_destroy(c);
        fixture_free(&w);
        vo_context_destroy(ctx);
    }
}

/* ---- several parts ---- */

/* Sets the positions of a wavy sheet. */
static void wave(vo_surface *s, const vo_mesh *m, int first, double t, double height) {
    for (int i = 0; i < m->vert_count; i++) {
        vo_vec2 u = m->vert_u[i];
        double z = 0.08 * sin(5 * u.x + 2 * t) * cos(4 * u.y - t) + height;
        s->x1[first + m->vert_node[i]] = v3(u.x - 0.5 + 0.1 * sin(t), u.y - 0.5, z);
    }
}

/* Two sheets sink through each other onto a rotating and rising ball; another ball is at rest. */
static void move_fixture(contact_fixture *w, double t, bool start) {
    vo_surface *s = &w->surface;
    wave(s, w->mesh[0], s->part[0].node_begin, t, 0.1 - 0.05 * t);
    wave(s, w->mesh[1], s->part[1].node_begin, -t, 0.15 - 0.06 * t);
    vo_transform pose = {v3(0.1, 0.2, -0.4 + 0.1 * t), 0.5 + 0.01 * t,
                         q_axis_angle(v3(1, 2, 3), 2 * t)};
    set_pose(s, 2, pose, start);
    set_pose(s, 3, xf_identity(), start);
}

static contact_fixture make_fixture(vo_context *ctx) {
    contact_fixture w = {.ctx = ctx};
    fixture_add(&w, make_sheet_mesh(ctx, 1, 9, 0), false, false);
    fixture_add(&w, make_sheet_mesh(ctx, 1, 7, 0), false, false);
    fixture_add(&w, make_ball_mesh(ctx, 0.6, 5, v3(0.1, 0, 0)), true, true);
    fixture_add(&w, make_ball_mesh(ctx, 0.2, 4, v3(-0.3, -0.3, -0.2)), true, true);
    fixture_build(&w);
    return w;
}

/* Obstacles appear and disappear, and some of their nodes deviate from the pose. */
static void several_parts_match_brute_force(void **state) {
    (void)state;
    static const double speeds[] = {1e-4, 0.01, 0.05, 0.4, 2};
    for (int i = 0; i < 5; i++) {
        int sums[2] = {0};
        vo_context *ctx = test_context(2);
        contact_fixture w = make_fixture(ctx);
        vo_candidates *c;
        vo_random r = vo_random_seed(5);
        assert_ok(ctx, vo_candidates_create(ctx, &w.surface, 0.05, NULL, &c));
        move_fixture(&w, 0, true);
        advance_step(&w.surface);
        sums[0] += check_proximities(&w, c, 0.05);
        for (int step = 0; step < 16; step++) {
            move_fixture(&w, speeds[i] * (step + 1), false);
            check_step(&w, c, 0.05, step % 4 ? 0 : 0.01, &r, sums);
            if (step == 11) vo_candidates_invalidate(c);
            w.surface.part[3].present = step / 4 % 3 != 1;
        }
        assert_true(sums[0] > 100);
        assert_true(i < 2 || sums[1] > 20);
        vo_candidates_destroy(c);
        fixture_free(&w);
        vo_context_destroy(ctx);
    }
}

/* Two sheets and a ball approach slowly, so that every list expires. */
static void slow_approach_matches_brute_force(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    contact_fixture w = {.ctx = ctx};
    fixture_add(&w, make_sheet_mesh(ctx, 1, 10, 0.12), false, false);
    fixture_add(&w, make_sheet_mesh(ctx, 1, 5, 0), false, false);
    fixture_add(&w, make_ball_mesh(ctx, 0.3, 10, v3(0.5, 0.5, 0.55)), true, true);
    fixture_build(&w);
    vo_candidates *c;
    vo_surface *s = &w.surface;
    int proximity = 0;
    assert_ok(ctx, vo_candidates_create(ctx, s, 0.02, NULL, &c));
    for (int step = 0; step < 100; step++) {
        for (int i = 0; i < s->part[0].node_end; i++) s->x1[i].z -= 0.0011;
        set_pose(s, 2, (vo_transform){v3(0, 0, -0.0019 * step), 1, q_identity()}, false);
        if (step > 0) check_swept(&w, c, 0.02, NULL);
        advance_step(s);
        proximity += check_proximities(&w, c, 0.02);
    }
    assert_true(proximity > 1000);
    vo_candidates_destroy(c);
    fixture_free(&w);
    vo_context_destroy(ctx);
}

/* A rigid obstacle rotates in place close to a cloth at rest, slowly up to several revolutions per
 * step; then it teleports. */
static void spinning_obstacle_matches_brute_force(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    for (int speed = 0; speed < 5; speed++) {
        contact_fixture w = {.ctx = ctx};
        fixture_add(&w, make_sheet_mesh(ctx, 1, 6, 0), false, false);
        fixture_add(&w, make_ball_mesh(ctx, 0.5, 3, v3(0.2, 0, 0)), true, true);
        fixture_build(&w);
        vo_candidates *c;
        vo_random r = vo_random_seed(3);
        int sums[2] = {0};
        assert_ok(ctx, vo_candidates_create(ctx, &w.surface, 0.02, NULL, &c));
        vo_transform pose = {v3(0.4, 0.5, -0.5), 1, q_identity()};
        set_pose(&w.surface, 1, pose, true);
        for (int step = 1; step <= 12; step++) {
            pose.rotation = q_axis_angle(v3(1, 0.3, 0), pow(8, speed) * 1e-3 * step);
            if (step == 10) pose.translation.z = -0.3;
            set_pose(&w.surface, 1, pose, false);
            check_step(&w, c, 0.02, 0, &r, sums);
        }
        assert_true(sums[0] > 0 && sums[1] > 0);
        vo_candidates_destroy(c);
        fixture_free(&w);
    }
    vo_context_destroy(ctx);
}

/* A long rod rotates about its centre, and its ends move through a cloth of many clusters, further
 * per step than the width of a cluster. In one step, a node deviates from the pose. */
static void rotating_rod_matches_brute_force(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    for (int speed = 1; speed <= 4; speed++) {
        contact_fixture w = {.ctx = ctx};
        fixture_add(&w, make_sheet_mesh(ctx, 1, 18, 0), false, false);
        vo_mesh *rod = make_ball_mesh(ctx, 0.02, 8, v3_zero());
        for (int i = 0; i < rod->node_count; i++) rod->node_x[i].z *= 40;
        fixture_add(&w, rod, true, true);
        fixture_build(&w);
        vo_candidates *c;
        assert_ok(ctx, vo_candidates_create(ctx, &w.surface, 0.004, NULL, &c));
        vo_transform pose = {v3(0.45, 0.55, 0.5), 1, q_identity()};
        int colliding = 0, n = w.surface.part[1].node_begin + 20;
        set_pose(&w.surface, 1, pose, true);
        for (int step = 1; step <= 24 / speed; step++) {
            pose.rotation = q_axis_angle(v3(0.2, 1, 0), 0.06 * speed * step + 0.5);
            if (step == 24 / speed) pose.translation.z = -0.5;
            set_pose(&w.surface, 1, pose, false);
            if (step == 4) w.surface.x1[n].z += 0.05;
            int count;
            const vo_proximity *proximity;
            assert_ok(ctx, vo_candidates_find_proximities(c, &count, &proximity));
            colliding += check_swept(&w, c, 0.004, NULL);
            advance_step(&w.surface);
        }
        assert_true(colliding > 10);
        vo_candidates_destroy(c);
        fixture_free(&w);
    }
    vo_context_destroy(ctx);
}

/* Random positions, every second time on a lattice, so that features touch and coincide. */
static void random_positions_match_brute_force(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    vo_random r = vo_random_seed(8);
    for (int round = 0; round < 20; round++) {
        contact_fixture w = {.ctx = ctx};
        fixture_add(&w, make_sheet_mesh(ctx, 1, 4, 0), false, false);
        fixture_add(&w, make_ball_mesh(ctx, 1, 3, v3_zero()), true, false);
        fixture_build(&w);
        vo_candidates *c;
        assert_ok(ctx, vo_candidates_create(ctx, &w.surface, 0.2, NULL, &c));
        for (int step = 0; step < 6; step++) {
            for (int i = 0; i < w.surface.node_count; i++) {
                vo_vec3 x = test_random_vec3(&r, 2);
                if (round % 2) x = v3(floor(2 * x.x) / 2, floor(2 * x.y) / 2, floor(2 * x.z) / 2);
                if (vo_random_int(&r, 3)) w.surface.x1[i] = x;
            }
            check_swept(&w, c, 0.2, NULL);
            advance_step(&w.surface);
            if (round % 2 == 0) check_proximities(&w, c, 0.2);
        }
        vo_candidates_destroy(c);
        fixture_free(&w);
    }
    vo_context_destroy(ctx);
}

/* Adds the results of both queries to a hash; of the swept pairs, those that come close. */
static uint64_t hash_results(contact_fixture *w, vo_candidates *c, double thickness,
                             uint64_t hash) {
    int count;
    const vo_proximity *proximity;
    const vo_feature_pair *pairs;
    assert_ok(w->ctx, vo_candidates_find_proximities(c, &count, &proximity));
    for (int i = 0; i < count; i++) {
        hash = vo_hash_more(hash, &proximity[i].pair, sizeof proximity[i].pair);
        hash = vo_hash_more(hash, proximity[i].weight, sizeof proximity[i].weight);
        hash = vo_hash_more(hash, &proximity[i].normal, sizeof proximity[i].normal);
    }
    assert_ok(w->ctx, vo_candidates_find_swept_pairs(c, NULL, &count, &pairs));
    for (int i = 0; i < count; i++)
        if (thickness == 0 || pair_comes_close(&w->surface, &pairs[i], thickness))
            hash = vo_hash_more(hash, &pairs[i], sizeof pairs[i]);
    return hash;
}

/* Candidates with a history give the same results as new ones. */
static void results_do_not_depend_on_history(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    contact_fixture w = make_fixture(ctx);
    vo_candidates *c;
    assert_ok(ctx, vo_candidates_create(ctx, &w.surface, 0.05, NULL, &c));
    move_fixture(&w, 0, true);
    advance_step(&w.surface);
    for (int step = 1; step < 30; step++) {
        move_fixture(&w, 0.03 * step, false);
        vo_candidates *fresh;
        assert_ok(ctx, vo_candidates_create(ctx, &w.surface, 0.05, NULL, &fresh));
        assert_true(hash_results(&w, c, 0, 0) == hash_results(&w, fresh, 0, 0));
        vo_candidates_destroy(fresh);
        advance_step(&w.surface);
    }
    vo_candidates_destroy(c);
    fixture_free(&w);
    vo_context_destroy(ctx);
}

/* The same while everything rotates by up to half a revolution per step and moves far away. */
static void results_after_large_motions_do_not_depend_on_history(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    vo_random r = vo_random_seed(21);
    contact_fixture w = make_fixture(ctx);
    vo_surface *s = &w.surface;
    vo_candidates *c;
    int listed = 0;
    for (int p = 0; p < w.count; p++) s->part[p].rigid = false; /* nodes move freely */
    assert_ok(ctx, vo_candidates_create(ctx, s, 0.05, NULL, &c));
    move_fixture(&w, 0, true);
    advance_step(s);
    for (int step = 1; step < 40; step++) {
        vo_vec3 axis = v3_normalize(test_random_vec3(&r, 1));
        double angle = vo_random_real(&r, 0, step % 3 ? 0.2 : VO_PI);
        vo_transform t = xf_identity();
        t.rotation = q_axis_angle(axis, angle);
        t.translation = test_random_vec3(&r, step % 4 ? 0.01 : 3);
        for (int i = 0; i < s->node_count; i++)
            s->x1[i] = v3_add(xf_point(t, s->x0[i]), test_random_vec3(&r, 2e-3));
        vo_candidates *fresh;
        const vo_feature_pair *pairs;
        assert_ok(ctx, vo_candidates_create(ctx, s, 0.05, NULL, &fresh));
        assert_true(hash_results(&w, c, 0, 0) == hash_results(&w, fresh, 0, 0));
        int count;
        assert_ok(ctx, vo_candidates_find_swept_pairs(fresh, NULL, &count, &pairs));
        listed += count;
        vo_candidates_destroy(fresh);
        advance_step(s);
    }
    assert_true(listed > 1000);
    vo_candidates_destroy(c);
    fixture_free(&w);
    vo_context_destroy(ctx);
}

/* Returns a hash of all results of a run. */
static uint64_t fingerprint(int threads, bool avx2) {
    vo_context *ctx = test_context(threads);
    ctx->use_avx2 &= avx2;
    contact_fixture w = make_fixture(ctx);
    vo_candidates *c;
    uint64_t hash = 0;
    assert_ok(ctx, vo_candidates_create(ctx, &w.surface, 0.05, NULL, &c));
    move_fixture(&w, 0, true);
    advance_step(&w.surface);
    for (int step = 0; step < 30; step++) {
        move_fixture(&w, 0.02 * (step + 1), false);
        hash = hash_results(&w, c, 0, hash);
        advance_step(&w.surface);
    }
    vo_candidates_destroy(c);
    fixture_free(&w);
    vo_context_destroy(ctx);
    return hash;
}

static void results_do_not_depend_on_threads_or_avx2(void **state) {
    (void)state;
    uint64_t one = fingerprint(1, true);
    for (int threads = 1; threads <= 3; threads++) assert_true(fingerprint(threads, true) == one);
    assert_true(fingerprint(2, false) == one);
}

/* Positions that are not finite do not stop a run; pairs that are not proved to be apart are
 * returned. */
static void invalid_positions_are_returned_as_pairs(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    contact_fixture w = make_fixture(ctx);
    vo_candidates *c;
    vo_surface *s = &w.surface;
    assert_ok(ctx, vo_candidates_create(ctx, s, 0.05, NULL, &c));
    move_fixture(&w, 0, true);
    advance_step(s);
    static const double invalid[] = {NAN, INFINITY, -INFINITY, 1e300};
    for (int i = 0; i < 12; i++) {
        int count, face = s->part[1].face_begin + i, n = s->face[face][0], with_node = 0;
        const vo_proximity *proximity;
        const vo_feature_pair *pairs;
        move_fixture(&w, 0.01 * i, false);
        s->x1[n].y = invalid[i % 4];
        assert_ok(ctx, vo_candidates_find_swept_pairs(c, NULL, &count, &pairs));
        for (int k = 0; k < count; k++)
            for (int j = 0; j < 4; j++) with_node += pairs[k].node[j] == n;
        assert_true(with_node > 0);
        if (i % 3 == 0) advance_step(s);
        assert_ok(ctx, vo_candidates_find_proximities(c, &count, &proximity));
        for (int k = 0; k < count; k++) assert_true(proximity[k].distance < proximity[k].thickness);
        move_fixture(&w, 0.01 * i, true);
        advance_step(s);
        check_proximities(&w, c, 0.05);
    }
    vo_candidates_destroy(c);
    fixture_free(&w);
    vo_context_destroy(ctx);
}

/* After warm-up nothing is allocated. */
static void warm_queries_do_not_allocate(void **state) {
    (void)state;
    test_memory memory = {.fail_at = -1};
    vo_context *ctx = test_context_with(2, &memory);
    contact_fixture w = make_fixture(ctx);
    vo_candidates *c;
    long calls = 0;
    assert_ok(ctx, vo_candidates_create(ctx, &w.surface, 0.05, NULL, &c));
    for (int round = 0; round < 3; round++) {
        if (round == 2) calls = memory.calls;
        move_fixture(&w, 0, true);
        for (int step = 0; step < 30; step++) {
            advance_step(&w.surface);
            move_fixture(&w, 0.02 * (step + 1), false);
            hash_results(&w, c, 0, 0);
        }
        vo_candidates_invalidate(c);
    }
    assert_int_equal(memory.calls, calls);
    vo_candidates_destroy(c);
    fixture_free(&w);
    vo_context_destroy(ctx);
}

static vo_result use_candidates(vo_context *ctx, void *arg) {
    contact_fixture *w = arg;
    vo_candidates *c;
    int count;
    const vo_proximity *proximity;
    const vo_feature_pair *pairs;
    move_fixture(w, 0, true);
    advance_step(&w->surface);
    VO_TRY(vo_candidates_create(ctx, &w->surface, 0.05, NULL, &c));
    vo_result result = vo_candidates_find_proximities(c, &count, &proximity);
    move_fixture(w, 0.3, false);
    if (result == VO_OK) result = vo_candidates_find_swept_pairs(c, NULL, &count, &pairs);
    advance_step(&w->surface);
    if (result == VO_OK) result = vo_candidates_find_proximities(c, &count, &proximity);
    vo_candidates_destroy(c);
    return result;
}

static void failed_allocations_are_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    contact_fixture w = make_fixture(ctx);
    test_every_allocation(use_candidates, &w);
    fixture_free(&w);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_approach_matches_brute_force),
        cmocka_unit_test(folding_sheet_matches_brute_force),
        cmocka_unit_test(several_parts_match_brute_force),
        cmocka_unit_test(spinning_obstacle_matches_brute_force),
        cmocka_unit_test(rotating_rod_matches_brute_force),
        cmocka_unit_test(random_positions_match_brute_force),
        cmocka_unit_test(results_do_not_depend_on_history),
        cmocka_unit_test(results_after_large_motions_do_not_depend_on_history),
        cmocka_unit_test(results_do_not_depend_on_threads_or_avx2),
        cmocka_unit_test(invalid_positions_are_returned_as_pairs),
        cmocka_unit_test(warm_queries_do_not_allocate),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

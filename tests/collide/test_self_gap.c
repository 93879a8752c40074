/* Self gap: two slabs with a known solution, and the mannequin in all motions. */
#include "clip_files.h"

#include "character/mannequin.h"
#include "character/self_gap_private.h"
#include "collide/intersections.h"
#include "core/random.h"
#include "mesh/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GAP 0.006

/* ---- two slabs ------------------------------------------------------------------------------ */

/* Two boxes of 0.2 x 0.2 x 0.05 m, one 0.1 m above the other at rest; one surface of two
 * components. */
typedef struct slabs {
    vo_context *ctx;
    int node_count, face_count;
    vo_vec3 *rest, *x;
    int (*face)[3];
    double *depth;
    vo_self_gap *self_gap;
} slabs;

/* Adds a box at a height. */
static void add_box(slabs *s, double z) {
    vo_shape_def def = vo_shape_def_default(VO_SHAPE_BOX);
    vo_mesh *mesh;
    def.size = v3(0.2, 0.2, 0.05);
    def.edge_length = 0.0125;
    assert_ok(s->ctx, vo_mesh_create_shape(s->ctx, &def, &mesh));
    vo_mesh_view view = vo_mesh_get_view(mesh);
    int nodes = s->node_count + view.node_count, faces = s->face_count + view.face_count;
    s->rest = realloc(s->rest, (size_t)nodes * sizeof *s->rest);
    s->face = realloc(s->face, (size_t)faces * sizeof *s->face);
    assert_true(s->rest && s->face);
    for (int n = 0; n < view.node_count; n++)
        s->rest[s->node_count + n] = v3_add(view.node_x[n], v3(0, 0, z));
    for (int f = 0; f < view.face_count; f++)
        for (int k = 0; k < 3; k++)
            s->face[s->face_count + f][k] = s->node_count + mesh->vert_node[mesh->face_vert[f][k]];
    s->node_count = nodes;
    s->face_count = faces;
    vo_mesh_destroy(mesh);
}

static void open_slabs(slabs *s, vo_context *ctx) {
    *s = (slabs){.ctx = ctx};
    add_box(s, 0);
    add_box(s, 0.15);
    s->x = malloc((size_t)s->node_count * sizeof *s->x);
    s->depth = malloc((size_t)s->node_count * sizeof *s->depth);
    assert_true(s->x && s->depth);
    assert_ok(ctx, vo_self_gap_create(ctx, s->node_count, s->rest, s->face_count,
                                      (const int(*)[3])s->face, &s->self_gap));
}

static void close_slabs(slabs *s) {
    vo_self_gap_destroy(s->self_gap);
    free(s->rest);
    free(s->x);
    free(s->face);
    free(s->depth);
}

/* Lowers the upper box, with a small lateral offset, to the distance `apart`, m. */
static void pose_slabs(slabs *s, double distance) {
    for (int n = 0; n < s->node_count; n++) {
        s->x[n] = s->rest[n];
        if (n >= s->node_count / 2) s->x[n] = v3_add(s->x[n], v3(0.0031, 0.0017, distance - 0.1));
    }
}

/* Returns the smallest distance along z between the facing middles of the two, m. */
static double slab_gap(const slabs *s) {
    double top = -1, bottom = 1;
    for (int n = 0; n < s->node_count; n++) {
        if (fabs(s->rest[n].x) > 0.05 || fabs(s->rest[n].y) > 0.05) continue;
        bool upper = n >= s->node_count / 2;
        if (!upper) top = vo_max(top, s->x[n].z);
        if (upper) bottom = vo_min(bottom, s->x[n].z);
    }
    return bottom - top;
}

/* Within the depth limit the gap is as requested; larger gaps are unchanged. */
static void overlapping_slabs_get_the_gap(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    slabs s;
    open_slabs(&s, ctx);
    double room = 1;
    for (int n = 0; n < s.node_count; n++) room = vo_min(room, s.self_gap->limit[n]);
    for (double distance = -0.02; distance < 0.011; distance += 0.001) {
        pose_slabs(&s, distance);
        vo_self_gap_resolve(s.self_gap, 0.01, s.x);
        double most = vo_min(distance + 2 * room, 0.01);
        assert_near(slab_gap(&s), vo_max(distance, most), 1e-3);
    }
    close_slabs(&s);
    vo_context_destroy(ctx);
}

/* Deep overlaps are inset up to the limit, which keeps the slab from inverting. */
static void slab_depths_are_limited(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    slabs s;
    open_slabs(&s, ctx);
    for (double distance = -0.12; distance < -0.02; distance += 0.01) {
        pose_slabs(&s, distance);
        vo_self_gap_measure(s.self_gap, s.x, 0.01, s.depth);
        for (int n = 0; n < s.node_count; n++) {
            assert_true(isfinite(s.depth[n]) && s.depth[n] >= 0);
            assert_true(s.depth[n] <= s.self_gap->limit[n]);
            assert_true(s.self_gap->limit[n] <= 0.5 * 0.2);
        }
    }
    close_slabs(&s);
    vo_context_destroy(ctx);
}

/* Without overlap no bit changes, also after a rigid motion. */
static void separate_slabs_are_unchanged(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    slabs s;
    open_slabs(&s, ctx);
    vo_quat q = q_normalize((vo_quat){0.3, -0.7, 0.2, 0.5});
    for (int i = 0; i < 4; i++) {
        pose_slabs(&s, i < 2 ? 0.1 : 0.0101);
        for (int n = 0; n < s.node_count && i % 2; n++)
            s.x[n] = v3_add(q_rotate(q, s.x[n]), v3(1, 2, 3));
        vo_vec3 *copy = malloc((size_t)s.node_count * sizeof *copy);
        assert_non_null(copy);
        memcpy(copy, s.x, (size_t)s.node_count * sizeof *copy);
        vo_self_gap_measure(s.self_gap, s.x, 0.01, s.depth);
        for (int n = 0; n < s.node_count; n++) assert_true(s.depth[n] == 0);
        vo_self_gap_resolve(s.self_gap, 0.01, s.x);
        assert_memory_equal(copy, s.x, (size_t)s.node_count * sizeof *copy);
        free(copy);
    }
    close_slabs(&s);
    vo_context_destroy(ctx);
}

/* Invalid poses give finite depths, and valid nodes stay valid. */
static void invalid_poses_give_finite_depths(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    slabs s;
    open_slabs(&s, ctx);
    vo_random random = vo_random_seed(7);
    for (int i = 0; i < 30; i++) {
        pose_slabs(&s, -0.01);
        for (int k = 0; k < 5; k++) {
            int n = vo_random_int(&random, s.node_count);
            s.x[n].y = i % 3 == 0 ? NAN : i % 3 == 1 ? INFINITY : 1e200;
            if (i % 5 == 0) s.x[n] = s.x[0];
        }
        bool *fine = calloc((size_t)s.node_count, sizeof *fine);
        assert_non_null(fine);
        for (int n = 0; n < s.node_count; n++) fine[n] = v3_is_finite(s.x[n]);
        vo_self_gap_measure(s.self_gap, s.x, i % 7 == 0 ? NAN : 0.01, s.depth);
        for (int n = 0; n < s.node_count; n++) assert_true(isfinite(s.depth[n]) && s.depth[n] >= 0);
        vo_self_gap_resolve(s.self_gap, i % 7 == 0 ? NAN : 0.01, s.x);
        for (int n = 0; n < s.node_count; n++)
            if (fine[n]) assert_true(v3_is_finite(s.x[n]));
        free(fine);
    }
    close_slabs(&s);
    vo_context_destroy(ctx);
}

/* ---- mannequin ------------------------------------------------------------------------------ */

typedef struct body {
    vo_context *ctx;
    vo_mannequin m;
    vo_self_gap *self_gap;
    vo_vec3 *x, *y;
    double *depth;
} body;

static void open_body(body *b, vo_context *ctx, double build, int faces) {
    vo_mannequin_def def = vo_mannequin_def_default();
    def.build = def.figure = build;
    def.faces = faces;
    b->ctx = ctx;
    assert_ok(ctx, vo_mannequin_create(ctx, &def, &b->m));
    size_t n = (size_t)b->m.skin.node_count;
    b->x = malloc(n * sizeof *b->x);
    b->y = malloc(n * sizeof *b->y);
    b->depth = malloc(n * sizeof *b->depth);
    assert_true(b->x && b->y && b->depth);
    assert_ok(ctx, vo_self_gap_create(ctx, b->m.skin.node_count, b->m.skin.rest, b->m.face_count,
                                      (const int(*)[3])b->m.face, &b->self_gap));
}

static void close_body(body *b) {
    vo_self_gap_destroy(b->self_gap);
    vo_mannequin_free(b->ctx, &b->m);
    free(b->x);
    free(b->y);
    free(b->depth);
}

static void pose_body(body *b, const vo_clip *clip, double time) {
    vo_transform motion[VO_BONE_COUNT];
    vo_body_pose pose = vo_clip_pose(clip, &b->m.skeleton, time, NULL);
    vo_skeleton_motion(&b->m.skeleton, &pose, motion);
    vo_skin_eval(b->ctx, &b->m.skin, motion, b->x);
}

static int body_crossings(const body *b, const vo_vec3 *x) {
    vo_intersections c = {0};
    vo_face_soup soup = {x, (const int(*)[3])b->m.face, b->m.face_count, b->m.face_count};
    assert_ok(b->ctx, vo_intersections_find(b->ctx, &c, &soup));
    int count = c.count;
    vo_intersections_free(b->ctx, &c);
    return count;
}

/* Counts intersecting face pairs of all motions before; there are none after. Uses several
 * densities and times per build; fewer under sanitizers. */
static void count_intersections(int build, int *before) {
    const double pace = TEST_SLOWNESS > 1 ? 0.8 : 0.16;
    static const char *const clips[] = {"idle",   "walk",  "run",        "dance",         "karate",
                                        "boxing", "squat", "squat-jump", "jumping-jacks", NULL};
    vo_context *ctx = test_context(2);
    body b;
    open_body(&b, ctx, build, 10000 + 2000 * build);
    size_t bytes = (size_t)b.m.skin.node_count * sizeof *b.x;
    for (int c = 0; clips[c]; c++) {
        vo_clip *clip = load_clip(ctx, clips[c]);
        for (double t = 0.05 * (build + 1); t < clip->duration; t += pace) {
            pose_body(&b, clip, t);
            memcpy(b.y, b.x, bytes);
            vo_self_gap_resolve(b.self_gap, GAP, b.y);
            int were = body_crossings(&b, b.x), are = body_crossings(&b, b.y);
            if (are > 0) fail_msg("%s, %.2f s: %d crossings", clips[c], t, are);
            *before += were;
        }
        vo_clip_destroy(clip);
    }
    close_body(&b);
    vo_context_destroy(ctx);
}

static void motions_are_cleared(void **state) {
    (void)state;
    int before = 0;
    for (int build = -1; build <= 1; build++) count_intersections(build, &before);
    print_message("crossing pairs: %d before, none after\n", before);
}

/* Results are equal for any number of threads, and nothing is allocated. */
static void result_is_independent_of_threads(void **state) {
    (void)state;
    uint64_t first = 0;
    for (int threads = 1; threads <= 3; threads++) {
        test_memory memory = {.fail_at = -1};
        vo_context *ctx = test_context_with(threads, &memory);
        body b;
        open_body(&b, ctx, 1, 8000);
        vo_clip *clip = load_clip(ctx, "jumping-jacks");
        size_t bytes = (size_t)b.m.skin.node_count * sizeof *b.x;
        pose_body(&b, clip, 0);
        memcpy(b.y, b.x, bytes);
        long calls = memory.calls;
        vo_self_gap_resolve(b.self_gap, GAP, b.x);
        vo_self_gap_resolve(b.self_gap, GAP, b.y);
        assert_int_equal(memory.calls, calls);
        assert_memory_equal(b.x, b.y, bytes);
        uint64_t sum = 14695981039346656037u;
        const unsigned char *byte = (const unsigned char *)b.x;
        for (size_t i = 0; i < bytes; i++) sum = (sum ^ byte[i]) * 1099511628211u;
        if (threads == 1) first = sum;
        assert_true(sum == first);
        vo_clip_destroy(clip);
        close_body(&b);
        vo_context_destroy(ctx);
    }
}

/* The rest pose is unchanged to the bit, and so are parts of posed bodies without neighbours: feet,
 * head and the outer side of the forearms. */
static void parts_without_overlap_are_unchanged(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    body b;
    open_body(&b, ctx, 1, 8000);
    size_t bytes = (size_t)b.m.skin.node_count * sizeof *b.x;
    memcpy(b.y, b.m.skin.rest, bytes);
    vo_self_gap_resolve(b.self_gap, 0.01, b.y);
    assert_memory_equal(b.y, b.m.skin.rest, bytes);
    vo_clip *clip = load_clip(ctx, "idle");
    pose_body(&b, clip, 1);
    memcpy(b.y, b.x, bytes);
    vo_self_gap_resolve(b.self_gap, GAP, b.y);
    for (int n = 0; n < b.m.skin.node_count; n++) {
        int bone = b.m.skin.bone[n][0];
        bool far = bone == VO_BONE_HEAD || bone == VO_BONE_LEFT_FOOT || bone == VO_BONE_RIGHT_TOES;
        if (far) assert_true(v3_equal(b.x[n], b.y[n]));
    }
    vo_clip_destroy(clip);
    close_body(&b);
    vo_context_destroy(ctx);
}

/* Returns the largest displacement of a node per step of the clip, m, without and with the gap. */
static void largest_steps(body *b, const vo_clip *clip, double from, double step, double most[2]) {
    size_t n = (size_t)b->m.skin.node_count;
    vo_vec3 *last = malloc(2 * n * sizeof *last);
    assert_non_null(last);
    for (int i = 0; i <= 40; i++) {
        pose_body(b, clip, from + i * step);
        memcpy(b->y, b->x, n * sizeof *b->x);
        vo_self_gap_resolve(b->self_gap, GAP, b->y);
        for (size_t k = 0; k < n && i > 0; k++) {
            most[0] = vo_max(most[0], v3_distance(b->x[k], last[k]));
            most[1] = vo_max(most[1], v3_distance(b->y[k], last[n + k]));
        }
        memcpy(last, b->x, n * sizeof *b->x);
        memcpy(last + n, b->y, n * sizeof *b->x);
    }
    free(last);
}

/* Steps of a millisecond move nodes little more than the pose itself: insets are continuous. */
static void insets_are_continuous(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    body b;
    open_body(&b, ctx, 1, 8000);
    const char *const clips[] = {"jumping-jacks", "dance", "squat"};
    const double from[] = {0, 1.9, 1.2};
    for (int c = 0; c < 3; c++) {
        vo_clip *clip = load_clip(ctx, clips[c]);
        double most[2] = {0, 0};
        largest_steps(&b, clip, from[c], 0.001, most);
        print_message("%s: %.2f mm per millisecond, inset %.2f mm\n", clips[c], 1e3 * most[0],
                      1e3 * most[1]);
        assert_true(most[1] < most[0] + 0.0005);
        vo_clip_destroy(clip);
    }
    close_body(&b);
    vo_context_destroy(ctx);
}

static vo_result make_one(vo_context *ctx, void *arg) {
    const slabs *s = arg;
    vo_self_gap *self_gap;
    vo_result result = vo_self_gap_create(ctx, s->node_count, s->rest, s->face_count,
                                          (const int(*)[3])s->face, &self_gap);
    if (result != VO_OK) assert_null(self_gap);
    vo_self_gap_destroy(self_gap);
    return result;
}

static void allocation_failure_is_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    slabs s;
    open_slabs(&s, ctx);
    test_every_allocation(make_one, &s);
    close_slabs(&s);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlapping_slabs_get_the_gap),
        cmocka_unit_test(slab_depths_are_limited),
        cmocka_unit_test(separate_slabs_are_unchanged),
        cmocka_unit_test(invalid_poses_give_finite_depths),
        cmocka_unit_test(result_is_independent_of_threads),
        cmocka_unit_test(parts_without_overlap_are_unchanged),
        cmocka_unit_test(insets_are_continuous),
        cmocka_unit_test(allocation_failure_is_reported),
        cmocka_unit_test(motions_are_cleared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

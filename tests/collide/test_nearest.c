/* Nearest points on obstacles compared with testing every face. */
#include "support.h"

#include "collide/distance.h"
#include "collide/nearest.h"
#include "core/memory.h"

#include <math.h>

static vo_transform random_pose(vo_random *r) {
    vo_vec3 axis = test_random_vec3(r, 1);
    double angle = vo_random_real(r, -3, 3), s = sin(angle / 2);
    vo_vec3 n = v3_normalize(axis);
    return (vo_transform){v3(vo_random_real(r, -1, 1), vo_random_real(r, -1, 1), 0),
                          vo_random_real(r, 0.2, 2),
                          {cos(angle / 2), s * n.x, s * n.y, s * n.z}};
}

/* Returns the smallest distance of x to a face of the part in its pose. */
static double brute_force_distance(const vo_nearest_part *part, vo_vec3 x) {
    double best = INFINITY;
    const vo_mesh *m = part->mesh;
    for (int f = 0; f < m->face_count; f++) {
        vo_vec3 p[3];
        for (int k = 0; k < 3; k++)
            p[k] = xf_point(part->pose, part->x[vo_mesh_face_node(m, f, k)]);
        best = fmin(best, sqrt(vo_distance_vertex_face(x, p[0], p[1], p[2]).squared));
    }
    return best;
}

static void crumple(vo_mesh *m, vo_random *r) {
    for (int i = 0; i < m->node_count; i++)
        m->node_x[i] =
            v3_add(m->node_x[i], v3(vo_random_real(r, -0.05, 0.05), vo_random_real(r, -0.05, 0.05),
                                    vo_random_real(r, -0.2, 0.2)));
}

/* Returns deformed node positions. */
static vo_vec3 *deform(vo_context *ctx, const vo_mesh *m, vo_random *r) {
    vo_vec3 *x = vo_new_array(ctx, vo_vec3, m->node_count);
    assert_non_null(x);
    for (int i = 0; i < m->node_count; i++)
        x[i] = v3(m->node_x[i].x - 1, m->node_x[i].y,
                  sin(3 * m->node_x[i].x) + vo_random_real(r, 0, 0.1));
    return x;
}

/* Three obstacles, one of them absent and one deformed, and points around them. */
enum { PARTS = 3, POINTS = 600 };
static const double RANGE = 0.7;

typedef struct scene {
    vo_context *ctx;
    vo_mesh *mesh[PARTS];
    vo_nearest nearest;
    vo_vec3 *deformed, x[POINTS];
} scene;

static void make_scene(scene *s) {
    vo_random r = vo_random_seed(4);
    vo_context *ctx = s->ctx = test_context(2);
    for (int i = 0; i < PARTS; i++) {
        s->mesh[i] = test_grid(ctx, 1, 1, 9 + i, 7);
        crumple(s->mesh[i], &r);
    }
    vo_nearest *nearest = &s->nearest;
    assert_ok(ctx, vo_nearest_create(ctx, PARTS, (const vo_mesh *const *)s->mesh, nearest));
    vo_nearest_set_pose(nearest, 0, random_pose(&r));
    vo_nearest_set_pose(nearest, 1, random_pose(&r));
    vo_nearest_remove(nearest, 1);
    s->deformed = deform(ctx, s->mesh[2], &r);
    assert_ok(ctx, vo_nearest_set_positions(nearest, 2, s->mesh[2]->node_x)); /* twice */
    assert_ok(ctx, vo_nearest_set_positions(nearest, 2, s->deformed));
    for (int i = 0; i < POINTS; i++) s->x[i] = test_random_vec3(&r, 2);
}

static void free_scene(scene *s) {
    vo_nearest_free(&s->nearest);
    vo_free_array(s->ctx, s->deformed, s->mesh[2]->node_count);
    for (int i = 0; i < PARTS; i++) vo_mesh_destroy(s->mesh[i]);
    vo_context_destroy(s->ctx);
}

/* Checks the result of a point; returns true if an obstacle is within range. */
static bool check_point(const scene *s, vo_vec3 x, vo_vec3 nearest_point) {
    const vo_nearest_part *part = s->nearest.part;
    double best = fmin(brute_force_distance(&part[0], x), brute_force_distance(&part[2], x));
    if (best < RANGE)
        assert_near(v3_distance(x, nearest_point), best, 1e-9);
    else
        assert_true(isnan(nearest_point.x));
    return best < RANGE;
}

static void nearest_points_match_brute_force(void **state) {
    (void)state;
    scene s;
    make_scene(&s);
    vo_vec3 nearest_point[POINTS];
    vo_nearest_find(&s.nearest, POINTS, s.x, RANGE, nearest_point);
    int found = 0;
    for (int i = 0; i < POINTS; i++) found += check_point(&s, s.x[i], nearest_point[i]);
    assert_in_range(found, POINTS / 10, POINTS * 9 / 10);
    free_scene(&s);
}

/* Point counts that are not multiples of four, within a chunk and beyond; nothing is written beyond
 * the last point. */
static void any_count_is_bit_identical_with_avx2(void **state) {
    (void)state;
    const int counts[] = {0, 1, 2, 3, 4, 5, 6, 7, 127, 129, 130, 131, 385, POINTS - 1};
    scene s;
    make_scene(&s);
    bool had = s.ctx->use_avx2;
    for (int c = 0; c < (int)(sizeof counts / sizeof *counts); c++) {
        int count = counts[c], first = POINTS - count;
        vo_vec3 nearest_point[2][POINTS], mark = v3(11, 12, 13);
        for (int base = 0; base < 2; base++) {
            s.ctx->use_avx2 = had && !base;
            nearest_point[base][count] = mark;
            vo_nearest_find(&s.nearest, count, s.x + first, RANGE, nearest_point[base]);
            assert_memory_equal(&nearest_point[base][count], &mark, sizeof mark);
        }
        if (count)
            assert_memory_equal(nearest_point[0], nearest_point[1],
                                (size_t)count * sizeof **nearest_point);
        for (int i = 0; i < count; i++) check_point(&s, s.x[first + i], nearest_point[0][i]);
    }
    s.ctx->use_avx2 = had;
    free_scene(&s);
}

static void no_obstacles_give_nan(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_nearest nearest;
    assert_ok(ctx, vo_nearest_create(ctx, 0, NULL, &nearest));
    vo_vec3 x = v3(0, 0, 0), nearest_point = x;
    vo_nearest_find(&nearest, 1, &x, 1e9, &nearest_point);
    assert_true(isnan(nearest_point.x));
    vo_nearest_free(&nearest);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_points_match_brute_force),
        cmocka_unit_test(any_count_is_bit_identical_with_avx2),
        cmocka_unit_test(no_obstacles_give_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The nearest point of obstacles against trying every face. */
#include "support.h"

#include "collide/distance.h"
#include "collide/nearest.h"
#include "core/memory.h"
#include "core/random.h"

#include <math.h>

static vo_transform random_pose(vo_random *r) {
    vo_vec3 axis = v3(vo_random_real(r, -1, 1), vo_random_real(r, -1, 1), vo_random_real(r, -1, 1));
    double angle = vo_random_real(r, -3, 3), s = sin(angle / 2);
    vo_vec3 n = v3_normalize(axis);
    return (vo_transform){v3(vo_random_real(r, -1, 1), vo_random_real(r, -1, 1), 0),
                          vo_random_real(r, 0.2, 2),
                          {cos(angle / 2), s * n.x, s * n.y, s * n.z}};
}

/* The smallest distance of x to any face of the part where its pose has it. */
static double try_all(const vo_nearest_part *part, vo_vec3 x) {
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

/* Other places for its nodes. */
static vo_vec3 *bend(vo_context *ctx, const vo_mesh *m, vo_random *r) {
    vo_vec3 *x = vo_new_array(ctx, vo_vec3, m->node_count);
    assert_non_null(x);
    for (int i = 0; i < m->node_count; i++)
        x[i] = v3(m->node_x[i].x - 1, m->node_x[i].y,
                  sin(3 * m->node_x[i].x) + vo_random_real(r, 0, 0.1));
    return x;
}

static void it_is_what_trying_all_faces_finds(void **state) {
    (void)state;
    enum { PARTS = 3, POINTS = 600 };
    vo_context *ctx = test_context(2);
    vo_random r = vo_random_seed(4);
    vo_mesh *mesh[PARTS];
    for (int i = 0; i < PARTS; i++) {
        assert_ok(ctx, vo_mesh_create_grid(ctx, 1, 1, 9 + i, 7, &mesh[i]));
        crumple(mesh[i], &r);
    }
    vo_nearest nearest;
    assert_ok(ctx, vo_nearest_create(ctx, PARTS, (const vo_mesh *const *)mesh, &nearest));
    vo_nearest_place(&nearest, 0, random_pose(&r));
    vo_nearest_place(&nearest, 1, random_pose(&r));
    vo_nearest_remove(&nearest, 1);
    vo_vec3 *bent = bend(ctx, mesh[2], &r), x[POINTS], near[POINTS];
    assert_ok(ctx, vo_nearest_bend(&nearest, 2, mesh[2]->node_x)); /* once more, */
    assert_ok(ctx, vo_nearest_bend(&nearest, 2, bent));
    for (int i = 0; i < POINTS; i++)
        x[i] = v3(vo_random_real(&r, -2, 2), vo_random_real(&r, -2, 2), vo_random_real(&r, -2, 2));
    const double range = 0.7;
    vo_nearest_find(&nearest, POINTS, x, range, near);
    int found = 0;
    for (int i = 0; i < POINTS; i++) {
        double best = fmin(try_all(&nearest.part[0], x[i]), try_all(&nearest.part[2], x[i]));
        found += best < range;
        if (best < range)
            assert_near(v3_distance(x[i], near[i]), best, 1e-9);
        else
            assert_true(isnan(near[i].x));
    }
    assert_in_range(found, POINTS / 10, POINTS * 9 / 10);
    vo_nearest_free(&nearest);
    vo_free_array(ctx, bent, mesh[2]->node_count);
    for (int i = 0; i < PARTS; i++) vo_mesh_destroy(mesh[i]);
    vo_context_destroy(ctx);
}

static void nothing_is_near_without_obstacles(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_nearest nearest;
    assert_ok(ctx, vo_nearest_create(ctx, 0, NULL, &nearest));
    vo_vec3 x = v3(0, 0, 0), near = x;
    vo_nearest_find(&nearest, 1, &x, 1e9, &near);
    assert_true(isnan(near.x));
    vo_nearest_free(&nearest);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_what_trying_all_faces_finds),
        cmocka_unit_test(nothing_is_near_without_obstacles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests of frustum distances: points against optimality conditions, triangles against a numerical
 * search. */
#include "support.h"

#include "view/frustum.h"
#include "view_cases.h"

/* ---- references ----------------------------------------------------------------------------- */

/* Largest signed plane distance of a point; not positive inside. */
static double excess(const vo_frustum *f, vo_vec3 p) {
    double x = (fabs(p.x) - f->tan_x * p.z) * f->side_x;
    double y = (fabs(p.y) - f->tan_y * p.z) * f->side_y;
    return vo_max(vo_max(x, y), vo_max(f->z_near - p.z, p.z - f->z_far));
}

static double point_distance(const vo_frustum *f, vo_vec3 p) {
    return v3_distance(p, vo_frustum_closest_point(f, p));
}

static vo_vec3 within(const vo_vec3 p[3], double a, double b) {
    vo_vec3 q = v3_add_scaled(p[0], a, v3_sub(p[1], p[0]));
    return v3_add_scaled(q, b, v3_sub(p[2], p[0]));
}

/* Minimum distance along a line of the triangle, by ternary search; the distance is convex. */
static double search_line(const vo_frustum *f, const vo_vec3 p[3], double a) {
    double low = 0, high = 1 - a;
    for (int i = 0; i < 60; i++) {
        double l = low + (high - low) / 3, h = high - (high - low) / 3;
        if (point_distance(f, within(p, a, l)) < point_distance(f, within(p, a, h)))
            high = h;
        else
            low = l;
    }
    return point_distance(f, within(p, a, 0.5 * (low + high)));
}

/* Minimum distance of a triangle by nested search. */
static double search_triangle(const vo_frustum *f, const vo_vec3 p[3]) {
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        double l = low + (high - low) / 3, h = high - (high - low) / 3;
        if (search_line(f, p, l) < search_line(f, p, h))
            high = h;
        else
            low = l;
    }
    return search_line(f, p, 0.5 * (low + high));
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* Camera at the origin along z with a field of view of 90 degrees, from 1 to 3 m. */
static vo_frustum simple(void) {
    vo_camera c = {.right = {1, 0, 0}, .up = {0, 1, 0}, .forward = {0, 0, 1}};
    c.tan_x = c.tan_y = 1, c.z_near = 1, c.z_far = 3;
    return vo_frustum_make(&c);
}

static void distance_known_values(void **state) {
    (void)state;
    vo_frustum f = simple();
    for (int i = 0; i < 8; i++) {
        double z = i & 4 ? 3 : 1;
        assert_true(v3_equal(f.corner[i], v3(i & 1 ? z : -z, i & 2 ? z : -z, z)));
    }
    assert_near(point_distance(&f, v3(0.5, -1, 2)), 0, 0);
    assert_near(point_distance(&f, v3(4, 0, 2)), sqrt(2), 1e-15); /* the right plane */
    assert_near(point_distance(&f, v3(0, -4, 2)), sqrt(2), 1e-15);
    assert_near(point_distance(&f, v3(0.2, 0.3, 0)), 1, 0);
    assert_near(point_distance(&f, v3(-1, 2, 7)), 4, 0);
    assert_near(point_distance(&f, v3(4, 5, 3)), sqrt(1 + 4), 1e-15); /* a corner */
    assert_near(point_distance(&f, v3(3, 3, 0)), sqrt(6), 1e-15);     /* the edge x = y = z at 2 */
    /* A triangle through the frustum with its corners outside; one next to it; one around a corner.
     */
    vo_vec3 through[3] = {{-9, -9, 2}, {9, -9, 2}, {0, 9, 2}};
    vo_vec3 beside[3] = {{4, 0, 2}, {5, 1, 2}, {5, -1, 2}};
    vo_vec3 before[3] = {{-9, -9, 0.5}, {9, -9, 0.5}, {0, 9, 0.5}};
    assert_near(vo_frustum_triangle_distance(&f, through, INFINITY), 0, 0);
    assert_near(vo_frustum_triangle_distance(&f, beside, INFINITY), sqrt(2), 1e-15);
    assert_near(vo_frustum_triangle_distance(&f, before, INFINITY), 0.5, 1e-15);
    /* An edge that crosses the frustum edge x = y = z at right angles. */
    vo_vec3 across[3] = {{5, 1, 2}, {1, 5, 2}, {9, 9, 2}};
    assert_near(vo_frustum_triangle_distance(&f, across, INFINITY), sqrt(2.0 / 3), 1e-9);
}

/* q is the closest point to p of a convex body if it is inside and the body lies beyond the plane
 * through q normal to p - q. */
static void closest_point_is_optimal(void **state) {
    (void)state;
    vo_random r = vo_random_seed(1);
    for (int i = 0; i < 5000; i++) {
        vo_camera c = random_camera(&r);
        vo_frustum f = vo_frustum_make(&c);
        vo_vec3 p = test_random_vec3(&r, 10), q = vo_frustum_closest_point(&f, p);
        assert_true(excess(&f, q) <= 1e-12);
        assert_true(excess(&f, p) > 0 || v3_distance(p, q) <= 1e-12);
        for (int k = 0; k < 8; k++)
            assert_true(v3_dot(v3_sub(p, q), v3_sub(f.corner[k], q)) <= 1e-11);
    }
}

static void triangle_distance_agrees_with_search(void **state) {
    (void)state;
    vo_random r = vo_random_seed(2);
    int touching = 0, apart = 0;
    for (int i = 0; i < 1500; i++) {
        vo_camera c = random_camera(&r);
        vo_frustum f = vo_frustum_make(&c);
        double size = pow(10, vo_random_real(&r, -2, 1));
        vo_vec3 at = v3_add(test_random_vec3(&r, 5), v3(0, 0, 3)), p[3];
        for (int k = 0; k < 3; k++) p[k] = v3_add(at, test_random_vec3(&r, size));
        double d = vo_frustum_triangle_distance(&f, p, INFINITY), searched = search_triangle(&f, p);
        assert_near(d, searched, 1e-6);
        touching += d == 0, apart += d > 0;
        double reach = vo_random_real(&r, 0, 4), cut = vo_frustum_triangle_distance(&f, p, reach);
        assert_true(d < reach ? cut == d : cut >= reach && cut <= d + 1e-12);
    }
    assert_true(touching > 200 && apart > 200);
}

/* Distances are invariant under rotation of camera and world. */
static void distance_is_rotation_invariant(void **state) {
    (void)state;
    vo_random r = vo_random_seed(3);
    for (int i = 0; i < 200; i++) {
        vo_camera c = random_camera(&r);
        vo_frustum f = vo_frustum_make(&c);
        vo_vec3 p = test_random_vec3(&r, 5), q = vo_frustum_to_local(&f, p);
        assert_near(v3_length(q), v3_distance(p, c.position), 1e-12);
        assert_near(q.z, v3_dot(c.forward, v3_sub(p, c.position)), 1e-12);
    }
}

static void contained_ball_is_inside(void **state) {
    (void)state;
    vo_random r = vo_random_seed(4);
    int held = 0;
    for (int i = 0; i < 3000; i++) {
        vo_camera c = random_camera(&r);
        vo_frustum f = vo_frustum_make(&c);
        vo_vec3 centre = v3(vo_random_real(&r, -1, 1), vo_random_real(&r, -1, 1), 2);
        double radius = vo_random_real(&r, 0, 0.4);
        if (!vo_frustum_contains_ball(&f, centre, radius)) continue;
        held++;
        for (int k = 0; k < 20; k++) {
            vo_vec3 d = v3_scale(radius, v3_normalize(test_random_vec3(&r, 1)));
            assert_near(point_distance(&f, v3_add(centre, d)), 0, 1e-12);
        }
    }
    assert_true(held > 100);
}

/* Degenerate triangles, apexes, infinite frusta and NaN. */
static void degenerate_input_is_handled(void **state) {
    (void)state;
    vo_camera c = camera_at(v3_zero(), v3(0, 1, 0), 0.5, 0.3);
    c.z_near = 0, c.z_far = INFINITY;
    vo_frustum f = vo_frustum_make(&c);
    vo_vec3 dot[3] = {{0, 0, -2}, {0, 0, -2}, {0, 0, -2}};
    vo_vec3 needle[3] = {{-3, 0, -1}, {3, 0, -1}, {0, 0, -1}};
    assert_near(vo_frustum_triangle_distance(&f, dot, INFINITY), 2, 1e-15);
    assert_near(vo_frustum_triangle_distance(&f, needle, INFINITY), 1, 1e-12);
    vo_vec3 far_away[3] = {{0, 0, 1e5}, {1, 0, 1e5}, {0, 1, 1e5}};
    assert_near(vo_frustum_triangle_distance(&f, far_away, INFINITY), 0, 0);
    double odd[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308, 0, 5e-324};
    vo_random r = vo_random_seed(5);
    for (int i = 0; i < 20000; i++) {
        double v[9];
        for (int k = 0; k < 9; k++)
            v[k] = vo_random_int(&r, 3) ? vo_random_real(&r, -3, 3) : odd[vo_random_int(&r, 7)];
        vo_vec3 p[3] = {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, {v[6], v[7], v[8]}};
        double d = vo_frustum_triangle_distance(&f, p, 1);
        assert_true(isnan(d) || d >= 0);
    }
    c.tan_x = 0, c.tan_y = NAN, c.z_near = -1, c.z_far = -5;
    f = vo_frustum_make(&c);
    assert_true(f.tan_x > 0 && f.tan_y > 0 && f.z_near >= 0 && f.z_far >= f.z_near);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_known_values),
        cmocka_unit_test(closest_point_is_optimal),
        cmocka_unit_test(triangle_distance_agrees_with_search),
        cmocka_unit_test(distance_is_rotation_invariant),
        cmocka_unit_test(contained_ball_is_inside),
        cmocka_unit_test(degenerate_input_is_handled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The frustum: distances of points by what makes them least, of triangles against a search. */
#include "support.h"

#include "view/frustum.h"
#include "view_cases.h"

/* ---- references ----------------------------------------------------------------------------- */

/* How far a point sticks out of the frustum by its planes; not above 0 inside. */
static double excess(const vo_frustum *f, vo_vec3 p) {
    double x = (fabs(p.x) - f->tan_x * p.z) * f->side_x;
    double y = (fabs(p.y) - f->tan_y * p.z) * f->side_y;
    return vo_max(vo_max(x, y), vo_max(f->near - p.z, p.z - f->far));
}

static double point_distance(const vo_frustum *f, vo_vec3 p) {
    return v3_distance(p, vo_frustum_nearest(f, p));
}

static vo_vec3 within(const vo_vec3 p[3], double a, double b) {
    vo_vec3 q = v3_add_scaled(p[0], a, v3_sub(p[1], p[0]));
    return v3_add_scaled(q, b, v3_sub(p[2], p[0]));
}

/* Least distance along a line of the triangle; the distance is convex. */
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

/* Least distance of a triangle by a search within a search. */
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

/* A camera at the origin that looks along z with right angles, from 1 to 3 m. */
static vo_frustum simple(void) {
    vo_camera c = {.right = {1, 0, 0}, .up = {0, 1, 0}, .forward = {0, 0, 1}};
    c.tan_x = c.tan_y = 1, c.near = 1, c.far = 3;
    return vo_frustum_make(&c);
}

static void by_hand(void **state) {
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
    /* A triangle across the frame with its corners outside; one beside it; one around a corner. */
    vo_vec3 through[3] = {{-9, -9, 2}, {9, -9, 2}, {0, 9, 2}};
    vo_vec3 beside[3] = {{4, 0, 2}, {5, 1, 2}, {5, -1, 2}};
    vo_vec3 before[3] = {{-9, -9, 0.5}, {9, -9, 0.5}, {0, 9, 0.5}};
    assert_near(vo_frustum_distance(&f, through, INFINITY), 0, 0);
    assert_near(vo_frustum_distance(&f, beside, INFINITY), sqrt(2), 1e-15);
    assert_near(vo_frustum_distance(&f, before, INFINITY), 0.5, 1e-15);
    /* An edge across the edge x = y = z of the frustum, both at right angles to x = y. */
    vo_vec3 across[3] = {{5, 1, 2}, {1, 5, 2}, {9, 9, 2}};
    assert_near(vo_frustum_distance(&f, across, INFINITY), sqrt(2.0 / 3), 1e-9);
}

/* q is the nearest point to p of a convex body if it is in it and the body lies beyond the plane
 * through q across p - q. */
static void points_are_projected(void **state) {
    (void)state;
    vo_random r = vo_random_seed(1);
    for (int i = 0; i < 5000; i++) {
        vo_camera c = random_camera(&r);
        vo_frustum f = vo_frustum_make(&c);
        vo_vec3 p = random_point(&r, 10), q = vo_frustum_nearest(&f, p);
        assert_true(excess(&f, q) <= 1e-12);
        assert_true(excess(&f, p) > 0 || v3_distance(p, q) <= 1e-12);
        for (int k = 0; k < 8; k++)
            assert_true(v3_dot(v3_sub(p, q), v3_sub(f.corner[k], q)) <= 1e-11);
    }
}

static void triangles_are_searched(void **state) {
    (void)state;
    vo_random r = vo_random_seed(2);
    int touching = 0, apart = 0;
    for (int i = 0; i < 1500; i++) {
        vo_camera c = random_camera(&r);
        vo_frustum f = vo_frustum_make(&c);
        double size = pow(10, vo_random_real(&r, -2, 1));
        vo_vec3 at = v3_add(random_point(&r, 5), v3(0, 0, 3)), p[3];
        for (int k = 0; k < 3; k++) p[k] = v3_add(at, random_point(&r, size));
        double d = vo_frustum_distance(&f, p, INFINITY), searched = search_triangle(&f, p);
        assert_near(d, searched, 1e-6);
        touching += d == 0, apart += d > 0;
        double reach = vo_random_real(&r, 0, 4), cut = vo_frustum_distance(&f, p, reach);
        assert_true(d < reach ? cut == d : cut >= reach && cut <= d + 1e-12);
    }
    assert_true(touching > 200 && apart > 200);
}

/* The frame of the camera is where the world was turned to. */
static void the_world_may_turn(void **state) {
    (void)state;
    vo_random r = vo_random_seed(3);
    for (int i = 0; i < 200; i++) {
        vo_camera c = random_camera(&r);
        vo_frustum f = vo_frustum_make(&c);
        vo_vec3 p = random_point(&r, 5), q = vo_frustum_local(&f, p);
        assert_near(v3_length(q), v3_distance(p, c.position), 1e-12);
        assert_near(q.z, v3_dot(c.forward, v3_sub(p, c.position)), 1e-12);
    }
}

static void balls_are_held(void **state) {
    (void)state;
    vo_random r = vo_random_seed(4);
    int held = 0;
    for (int i = 0; i < 3000; i++) {
        vo_camera c = random_camera(&r);
        vo_frustum f = vo_frustum_make(&c);
        vo_vec3 centre = v3(vo_random_real(&r, -1, 1), vo_random_real(&r, -1, 1), 2);
        double radius = vo_random_real(&r, 0, 0.4);
        if (!vo_frustum_holds_ball(&f, centre, radius)) continue;
        held++;
        for (int k = 0; k < 20; k++) {
            vo_vec3 d = v3_scale(radius, v3_normalize(random_point(&r, 1)));
            assert_near(point_distance(&f, v3_add(centre, d)), 0, 1e-12);
        }
    }
    assert_true(held > 100);
}

/* Triangles without area, apexes, endless frusta and numbers that are none. */
static void odd_ones(void **state) {
    (void)state;
    vo_camera c = camera_at(v3_zero(), v3(0, 1, 0), 0.5, 0.3);
    c.near = 0, c.far = INFINITY;
    vo_frustum f = vo_frustum_make(&c);
    vo_vec3 dot[3] = {{0, 0, -2}, {0, 0, -2}, {0, 0, -2}};
    vo_vec3 needle[3] = {{-3, 0, -1}, {3, 0, -1}, {0, 0, -1}};
    assert_near(vo_frustum_distance(&f, dot, INFINITY), 2, 1e-15);
    assert_near(vo_frustum_distance(&f, needle, INFINITY), 1, 1e-12);
    vo_vec3 far_away[3] = {{0, 0, 1e5}, {1, 0, 1e5}, {0, 1, 1e5}};
    assert_near(vo_frustum_distance(&f, far_away, INFINITY), 0, 0);
    double odd[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308, 0, 5e-324};
    vo_random r = vo_random_seed(5);
    for (int i = 0; i < 20000; i++) {
        double v[9];
        for (int k = 0; k < 9; k++)
            v[k] = vo_random_int(&r, 3) ? vo_random_real(&r, -3, 3) : odd[vo_random_int(&r, 7)];
        vo_vec3 p[3] = {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, {v[6], v[7], v[8]}};
        double d = vo_frustum_distance(&f, p, 1);
        assert_true(isnan(d) || d >= 0);
    }
    c.tan_x = 0, c.tan_y = NAN, c.near = -1, c.far = -5;
    f = vo_frustum_make(&c);
    assert_true(f.tan_x > 0 && f.tan_y > 0 && f.near >= 0 && f.far >= f.near);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(points_are_projected),
        cmocka_unit_test(triangles_are_searched),
        cmocka_unit_test(the_world_may_turn),
        cmocka_unit_test(balls_are_held),
        cmocka_unit_test(odd_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

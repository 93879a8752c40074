#include "support.h"

#include "core/random.h"
#include "math/predicates.h"
#include "mesh/polygon.h"
#include "mesh/triangulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_POINTS = 400 };

typedef struct shape {
    int point_count, loop_count, line_count;
    vo_vec2 point[MAX_POINTS];
    int loop_end[8], line[8][2];
} shape;

static vo_planar_region region_of(const shape *s) {
    return (vo_planar_region){s->point_count, s->point,      s->loop_count,
                              s->loop_end,    s->line_count, s->line};
}

/* Adds a star-shaped loop of n points around c, with radii between low and high. */
static void add_ring(shape *s, vo_random *r, int n, vo_vec2 c, double low, double high, bool ccw) {
    for (int i = 0; i < n; i++) {
        double a = 2 * VO_PI * (i + vo_random_real(r, 0, 0.8)) / n * (ccw ? 1 : -1);
        double d = vo_random_real(r, low, high);
        s->point[s->point_count++] = v2(c.x + d * cos(a), c.y + d * sin(a));
    }
    s->loop_end[s->loop_count++] = s->point_count;
}

/* Returns an outline with up to four holes. */
static shape random_shape(vo_random *r) {
    shape s = {0};
    int holes = vo_random_int(r, 5);
    /* With eight or more points the holes are certainly inside. */
    add_ring(&s, r, (holes ? 8 : 3) + vo_random_int(r, 40), v2(0, 0), 1, 2, true);
    for (int i = 0; i < holes; i++) {
        vo_vec2 c = v2(0.28 * (i % 2 ? 1 : -1), 0.28 * (i / 2 ? 1 : -1));
        add_ring(&s, r, 3 + vo_random_int(r, 12), c, 0.04, 0.18, vo_random_int(r, 2));
    }
    return s;
}

/* Returns the area inside the outline minus the holes. */
static double area_of(const shape *s) {
    double area = 0;
    for (int i = 0, begin = 0; i < s->loop_count; begin = s->loop_end[i++]) {
        double own = fabs(vo_polygon_area(s->loop_end[i] - begin, s->point + begin));
        area += i ? -own : own;
    }
    return area;
}

static double area_of_faces(const vo_triangulation *t) {
    double area = 0;
    for (int f = 0; f < t->face_count; f++) {
        const int *v = t->face[f];
        vo_vec2 a = t->point[v[0]], b = t->point[v[1]], c = t->point[v[2]];
        assert_int_equal(vo_orient2d(a, b, c), 1);
        area += v2_cross(v2_sub(b, a), v2_sub(c, a)) / 2;
    }
    return area;
}

/* Returns the third corner of the face with the directed edge a-b; -1: none. */
static int third_corner(const vo_triangulation *t, int a, int b) {
    for (int f = 0; f < t->face_count; f++)
        for (int k = 0; k < 3; k++)
            if (t->face[f][k] == a && t->face[f][(k + 1) % 3] == b) return t->face[f][(k + 2) % 3];
    return -1;
}

static bool is_segment(const vo_planar_region *r, int a, int b) {
    for (int i = 0, begin = 0; i < r->loop_count; begin = r->loop_end[i++])
        for (int k = begin; k < r->loop_end[i]; k++) {
            int next = k + 1 < r->loop_end[i] ? k + 1 : begin;
            if ((a == k && b == next) || (a == next && b == k)) return true;
        }
    for (int i = 0; i < r->line_count; i++)
        if ((a == r->line[i][0] && b == r->line[i][1]) ||
            (a == r->line[i][1] && b == r->line[i][0]))
            return true;
    return false;
}

/* In-circle determinant of d and the circle of a, b, c, relative to the size of its terms. */
static double in_circle(vo_vec2 a, vo_vec2 b, vo_vec2 c, vo_vec2 d) {
    vo_vec2 e[3] = {v2_sub(a, d), v2_sub(b, d), v2_sub(c, d)};
    double det = 0, size = 0;
    for (int i = 0; i < 3; i++) {
        double term = v2_dot(e[i], e[i]) * v2_cross(e[(i + 1) % 3], e[(i + 2) % 3]);
        det += term;
        size += fabs(term);
    }
    return det / size;
}

/* Every edge is Delaunay with two faces, or a segment; every segment is an edge. */
static void check_edges(const vo_planar_region *r, const vo_triangulation *t) {
    for (int f = 0; f < t->face_count; f++)
        for (int k = 0; k < 3; k++) {
            int a = t->face[f][k], b = t->face[f][(k + 1) % 3], c = t->face[f][(k + 2) % 3];
            int d = third_corner(t, b, a);
            if (is_segment(r, a, b)) continue;
            assert_true(d >= 0);
            assert_true(in_circle(t->point[a], t->point[b], t->point[c], t->point[d]) < 1e-9);
        }
    for (int i = 0, begin = 0; i < r->loop_count; begin = r->loop_end[i++])
        for (int k = begin; k < r->loop_end[i]; k++) {
            int next = k + 1 < r->loop_end[i] ? k + 1 : begin;
            int sides = (third_corner(t, k, next) >= 0) + (third_corner(t, next, k) >= 0);
            assert_int_equal(sides, 1);
        }
    for (int i = 0; i < r->line_count; i++) {
        assert_true(third_corner(t, r->line[i][0], r->line[i][1]) >= 0);
        assert_true(third_corner(t, r->line[i][1], r->line[i][0]) >= 0);
    }
}

static void random_regions_are_constrained_delaunay(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_random r = vo_random_seed(7);
    for (int n = 0; n < 300; n++) {
        shape s = random_shape(&r);
        vo_planar_region region = region_of(&s);
        vo_triangulate_def def = vo_triangulate_def_default();
        vo_triangulation t;
        def.refine = false;
        assert_ok(ctx, vo_triangulate(ctx, &region, &def, &t));
        assert_int_equal(t.point_count, s.point_count);
        /* Euler: n points on the border of a region with h holes make n + 2 h - 2 triangles. */
        assert_int_equal(t.face_count, s.point_count + 2 * (s.loop_count - 1) - 2);
        assert_near(area_of_faces(&t), area_of(&s), 1e-12);
        check_edges(&region, &t);
        vo_triangulation_free(&t);
    }
    vo_context_destroy(ctx);
}

static void refined_regions_keep_outline_and_area(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_random r = vo_random_seed(11);
    for (int n = 0; n < 40; n++) {
        shape s = random_shape(&r);
        vo_planar_region region = region_of(&s);
        vo_triangulate_def def = vo_triangulate_def_default();
        vo_triangulation t;
        def.size = vo_random_real(&r, 0.15, 1);
        assert_ok(ctx, vo_triangulate(ctx, &region, &def, &t));
        assert_memory_equal(t.point, s.point, (size_t)s.point_count * sizeof *s.point);
        assert_near(area_of_faces(&t), area_of(&s), 1e-11);
        check_edges(&region, &t);
        vo_triangulation_free(&t);
    }
    vo_context_destroy(ctx);
}

/* A rectangle with evenly spaced points and a line in its middle. */
static shape make_rectangle(int columns, int rows, double edge) {
    shape s = {0};
    for (int i = 0; i < columns; i++) s.point[s.point_count++] = v2(i * edge, 0);
    for (int i = 0; i < rows; i++) s.point[s.point_count++] = v2(columns * edge, i * edge);
    for (int i = 0; i < columns; i++)
        s.point[s.point_count++] = v2((columns - i) * edge, rows * edge);
    for (int i = 0; i < rows; i++) s.point[s.point_count++] = v2(0, (rows - i) * edge);
    s.loop_end[s.loop_count++] = s.point_count;
    s.line[0][0] = s.point_count, s.line[0][1] = s.point_count + 1;
    s.line_count = 1;
    s.point[s.point_count++] = v2(0.37 * columns * edge, 0.5 * rows * edge);
    s.point[s.point_count++] = v2(0.37 * columns * edge + edge, 0.5 * rows * edge);
    return s;
}

static void evenly_sampled_outline_gives_good_triangles(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (int n = 4; n <= 24; n += 5) {
        shape s = make_rectangle(2 * n, n, 0.1);
        vo_planar_region region = region_of(&s);
        vo_triangulate_def def = vo_triangulate_def_default();
        vo_triangulation t;
        def.size = 0.1;
        assert_ok(ctx, vo_triangulate(ctx, &region, &def, &t));
        for (int f = 0; f < t.face_count; f++) {
            const int *v = t.face[f];
            assert_true(vo_triangle_min_angle(t.point[v[0]], t.point[v[1]], t.point[v[2]]) > 27);
        }
        /* Close to the number of equilateral triangles with that edge. */
        double ideal = 2 * n * n * 0.01 / (0.433 * 0.01);
        assert_true(t.face_count > 0.7 * ideal && t.face_count < 1.5 * ideal);
        check_edges(&region, &t);
        vo_triangulation_free(&t);
    }
    vo_context_destroy(ctx);
}

static void expect_error(vo_context *ctx, const shape *s, const char *part) {
    vo_planar_region region = region_of(s);
    vo_triangulate_def def = vo_triangulate_def_default();
    vo_triangulation t;
    assert_int_equal(vo_triangulate(ctx, &region, &def, &t), VO_BAD_DATA);
    assert_null(t.point);
    if (!strstr(vo_context_message(ctx), part)) fail_msg("%s", vo_context_message(ctx));
}

static void invalid_regions_are_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    shape bow = {.point_count = 4,
                 .loop_count = 1,
                 .point = {{0, 0}, {1, 1}, {1, 0}, {0, 1}},
                 .loop_end = {4}};
    expect_error(ctx, &bow, "cross or overlap");
    shape twice = {.point_count = 4,
                   .loop_count = 1,
                   .point = {{0, 0}, {1, 0}, {1, 0}, {0, 1}},
                   .loop_end = {4}};
    expect_error(ctx, &twice, "points 1 and 2 coincide");
    shape flat = {
        .point_count = 3, .loop_count = 1, .point = {{0, 0}, {1, 0}, {2, 0}}, .loop_end = {3}};
    expect_error(ctx, &flat, "cross or overlap");
    shape missing = {
        .point_count = 3, .loop_count = 1, .point = {{0, 0}, {NAN, 0}, {0, 1}}, .loop_end = {3}};
    expect_error(ctx, &missing, "point 1 is not a number");
    shape few = {.point_count = 2, .loop_count = 1, .point = {{0, 0}, {1, 0}}, .loop_end = {2}};
    expect_error(ctx, &few, "fewer than 3");
    shape out = make_rectangle(4, 4, 0.1);
    out.point[out.point_count - 1] = v2(3, 0.21);
    expect_error(ctx, &out, "cross or overlap");
    vo_context_destroy(ctx);
}

static vo_result triangulate_body(vo_context *ctx, void *arg) {
    vo_planar_region region = region_of(arg);
    vo_triangulate_def def = vo_triangulate_def_default();
    vo_triangulation t;
    def.size = 0.1;
    VO_TRY(vo_triangulate(ctx, &region, &def, &t));
    vo_triangulation_free(&t);
    return VO_OK;
}

static void allocation_failure_is_reported(void **state) {
    (void)state;
    shape s = make_rectangle(12, 6, 0.1);
    test_every_allocation(triangulate_body, &s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_regions_are_constrained_delaunay),
        cmocka_unit_test(refined_regions_keep_outline_and_area),
        cmocka_unit_test(evenly_sampled_outline_gives_good_triangles),
        cmocka_unit_test(invalid_regions_are_reported),
        cmocka_unit_test(allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Occlusion rays: comparison with brute force, single rays and batches. */
#include "support.h"

#include "core/random.h"
#include "math/vec.h"
#include "spatial/rays.h"

#include <string.h>

enum { FACES = 300, RAYS = 4000 };

typedef struct soup {
    float x[3 * FACES + 2][3]; /* padded as Embree requires */
    int face[FACES][3];
    vo_rays *rays;
} soup;

static void open_soup(soup *s, vo_context *ctx) {
    vo_random r = vo_random_seed(3);
    for (int f = 0; f < FACES; f++) {
        vo_vec3 middle = test_random_vec3(&r, 1);
        for (int k = 0; k < 3; k++) {
            vo_vec3 x = v3_add_scaled(middle, 0.15, test_random_vec3(&r, 1));
            s->face[f][k] = 3 * f + k;
            s->x[3 * f + k][0] = (float)x.x;
            s->x[3 * f + k][1] = (float)x.y;
            s->x[3 * f + k][2] = (float)x.z;
        }
    }
    vo_rays_def def = {3 * FACES, (const float(*)[3])s->x, FACES,
                       s->face,   sizeof *s->face,         .fast_build = false};
    assert_ok(ctx, vo_rays_create(ctx, &s->rays));
    assert_ok(ctx, vo_rays_build(s->rays, &def));
}

static vo_vec3 corner(const soup *s, int f, int k) {
    const float *x = s->x[s->face[f][k]];
    return v3((double)x[0], (double)x[1], (double)x[2]);
}

/* Where a ray meets a face: a + u (b - a) + v (c - a) = from + t direction; false within `margin`
 * of a side of the face or of the ray's end, where the result of single precision is undefined. */
static bool surely_meets(const soup *s, int f, const vo_ray *ray, double margin, bool *sure) {
    vo_vec3 a = corner(s, f, 0), ab = v3_sub(corner(s, f, 1), a), ac = v3_sub(corner(s, f, 2), a);
    vo_vec3 p = v3_cross(ray->direction, ac), to = v3_sub(ray->origin, a), q = v3_cross(to, ab);
    double det = v3_dot(ab, p), u = v3_dot(to, p) / det, v = v3_dot(ray->direction, q) / det;
    double t = v3_dot(ac, q) / det;
    double inside = vo_min(vo_min(u, v), vo_min(1 - u - v, vo_min(t, ray->t_max - t)));
    if (fabs(det) < 1e-6 || fabs(inside) < margin) *sure = false;
    return inside > 0;
}

static vo_ray random_ray(vo_random *r) {
    return (vo_ray){v3_scale(1.2, test_random_vec3(r, 1)), v3_normalize(test_random_vec3(r, 1)),
                    vo_random_int(r, 3) ? INFINITY : vo_random_real(r, 0.1, 1)};
}

static void occlusion_matches_brute_force(void **state) {
    (void)state;
    if (!vo_rays_available()) skip();
    vo_context *ctx = test_context(1);
    static soup s;
    vo_random r = vo_random_seed(17);
    int known = 0, met = 0;
    open_soup(&s, ctx);
    for (int i = 0; i < RAYS; i++) {
        vo_ray ray = random_ray(&r);
        bool any = false, sure = true;
        for (int f = 0; f < FACES; f++) any |= surely_meets(&s, f, &ray, 1e-4, &sure);
        if (!sure) continue;
        assert_int_equal(vo_rays_occluded(s.rays, &ray), any);
        known++;
        met += any;
    }
    assert_true(known > RAYS / 2 && met > known / 10 && met < known * 9 / 10);
    vo_rays_destroy(s.rays);
    vo_context_destroy(ctx);
}

/* A batch of up to eight rays gives the results of the single rays and does not write inactive
 * lanes. */
static void batch_matches_single_rays(void **state) {
    (void)state;
    if (!vo_rays_available()) skip();
    vo_context *ctx = test_context(1);
    static soup s;
    vo_random r = vo_random_seed(5);
    open_soup(&s, ctx);
    for (int i = 0; i < RAYS; i++) {
        vo_ray ray[VO_RAY_BATCH];
        unsigned mask = (unsigned)vo_random_int(&r, 256), alone = 0;
        bool alike = i % 2;
        ray[0] = random_ray(&r);
        for (int k = 1; k < VO_RAY_BATCH; k++) {
            ray[k] = alike ? ray[0] : random_ray(&r);
            if (alike)
                ray[k].direction =
                    v3_normalize(v3_add_scaled(ray[0].direction, 0.1, test_random_vec3(&r, 1)));
        }
        for (int k = 0; k < VO_RAY_BATCH; k++)
            if (mask >> k & 1) alone |= (unsigned)vo_rays_occluded(s.rays, &ray[k]) << k;
        assert_int_equal(vo_rays_occluded_batch(s.rays, ray, mask, alike), alone);
    }
    vo_rays_destroy(s.rays);
    vo_context_destroy(ctx);
}

/* A tree that is rebuilt for other faces gives the same results as a new tree. */
static void rebuilt_tree_matches_new_tree(void **state) {
    (void)state;
    if (!vo_rays_available()) skip();
    vo_context *ctx = test_context(3);
    static soup s, fresh;
    open_soup(&s, ctx);
    open_soup(&fresh, ctx);
    for (int round = 0; round < 6; round++) {
        int faces = (int[]){FACES, 0, 10, FACES, 1, 100}[round];
        vo_rays_def def = {3 * faces, (const float(*)[3])s.x, faces,
                           s.face,    sizeof *s.face,         .fast_build = round % 2};
        vo_random r = vo_random_seed(17);
        vo_rays_destroy(fresh.rays);
        assert_ok(ctx, vo_rays_create(ctx, &fresh.rays));
        assert_ok(ctx, vo_rays_build(fresh.rays, &def));
        assert_ok(ctx, vo_rays_build(s.rays, &def));
        for (int i = 0, met = 0; i < RAYS; i++) {
            vo_ray ray = random_ray(&r);
            met += vo_rays_occluded(s.rays, &ray);
            assert_int_equal(vo_rays_occluded(s.rays, &ray), vo_rays_occluded(fresh.rays, &ray));
            assert_true(i + 1 < RAYS || (met > 0) == (faces > 0));
        }
    }
    vo_rays_destroy(s.rays);
    vo_rays_destroy(fresh.rays);
    vo_context_destroy(ctx);
}

/* Embree rejects misaligned faces: an error that is neither out of memory nor an invalid argument.
 * The next tree is valid. */
static void embree_errors_are_reported(void **state) {
    (void)state;
    if (!vo_rays_available()) skip();
    vo_context *ctx = test_context(1);
    static soup s;
    open_soup(&s, ctx);
    vo_rays_def def = {3 * FACES, (const float(*)[3])s.x, FACES, s.face, sizeof *s.face + 1};
    assert_int_equal(vo_rays_build(s.rays, &def), VO_IO_FAILED);
    assert_message_contains(ctx, "building the tree failed");
    def.face_stride = sizeof *s.face;
    assert_ok(ctx, vo_rays_build(s.rays, &def));
    vo_rays_destroy(s.rays);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(occlusion_matches_brute_force),
        cmocka_unit_test(batch_matches_single_rays),
        cmocka_unit_test(rebuilt_tree_matches_new_tree),
        cmocka_unit_test(embree_errors_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

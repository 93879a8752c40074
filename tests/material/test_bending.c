/* Tests of face bending: curvature, energy and moments from the angles of three hinges, against
 * finite differences, surfaces of known curvature and invariants. */
#include "support.h"

#include "core/random.h"
#include "material/bend.h"

enum { TRIALS = 2000, CELLS = 4, NODES = (CELLS + 1) * (CELLS + 1), FACES = 2 * CELLS * CELLS };

/* A parallelogram of lattice cells, each divided along the same diagonal: every inner face and its
 * three neighbours are congruent, for which the curvature is exact. */
typedef struct patch {
    vo_vec2 uv[NODES];
    vo_vec3 x[NODES];
    int corner[FACES][3];
    int across[FACES][3]; /* node opposite edge k in the neighbour; -1 at the border */
} patch;

/* Third node of the face on the other side of the directed edge from a to b. */
static int node_across(const patch *p, int a, int b) {
    for (int f = 0; f < FACES; f++)
        for (int k = 0; k < 3; k++)
            if (p->corner[f][k] == b && p->corner[f][(k + 1) % 3] == a)
                return p->corner[f][(k + 2) % 3];
    return -1;
}

static patch make_patch(vo_vec2 along, vo_vec2 up) {
    patch p;
    int faces = 0;
    for (int n = 0; n < NODES; n++) {
        int i = n % (CELLS + 1), j = n / (CELLS + 1);
        p.uv[n] = v2_add(v2_scale(i - 0.5 * CELLS, along), v2_scale(j - 0.5 * CELLS, up));
        p.x[n] = v3(p.uv[n].x, p.uv[n].y, 0);
        if (i == CELLS || j == CELLS) continue;
        const int cell[2][3] = {{n, n + 1, n + CELLS + 1}, {n + CELLS + 2, n + CELLS + 1, n + 1}};
        for (int half = 0; half < 2; half++, faces++)
            for (int k = 0; k < 3; k++) p.corner[faces][k] = cell[half][(k + n) % 3];
    }
    for (int f = 0; f < FACES; f++)
        for (int k = 0; k < 3; k++)
            p.across[f][k] = node_across(&p, p.corner[f][k], p.corner[f][(k + 1) % 3]);
    return p;
}

static vo_vec2 turned(double angle, vo_vec2 a) {
    return v2(cos(angle) * a.x - sin(angle) * a.y, sin(angle) * a.x + cos(angle) * a.y);
}

/* Right, equilateral or slanted triangles, rotated by `angle`. */
static patch make_lattice(int kind, double size, double angle) {
    const vo_vec2 up[] = {v2(0, size), v2(0.5 * size, sqrt(0.75) * size),
                          v2(-0.3 * size, size / 2)};
    return make_patch(turned(angle, v2(size, 0)), turned(angle, up[kind]));
}

static bool is_inner(const patch *p, int f) {
    return p->across[f][0] >= 0 && p->across[f][1] >= 0 && p->across[f][2] >= 0;
}

static void hinge_nodes(const patch *p, int f, int k, int node[4]) {
    for (int i = 0; i < 3; i++) node[i] = p->corner[f][(k + i) % 3];
    node[3] = p->across[f][k];
}

static void hinge_points(const patch *p, int f, int k, vo_vec3 x[4]) {
    int node[4];
    hinge_nodes(p, f, k, node);
    for (int i = 0; i < 4; i++) x[i] = p->x[node[i]];
}

/* Bend angles at a face's edges with rest angle `rest`; zero at the border. */
static void face_angles(const patch *p, int f, double rest, double bend[3]) {
    for (int k = 0; k < 3; k++) {
        vo_vec3 x[4];
        bend[k] = 0;
        if (p->across[f][k] < 0) continue;
        hinge_points(p, f, k, x);
        bend[k] = vo_hinge_angle(x) - rest;
    }
}

static vo_bend_face face_of(const patch *p, int f) {
    vo_vec2 corner[3];
    for (int k = 0; k < 3; k++) corner[k] = p->uv[p->corner[f][k]];
    return vo_bend_face_make(corner);
}

static double patch_energy(const patch *p, const vo_plate *plate, double rest) {
    double sum = 0, bend[3];
    for (int f = 0; f < FACES; f++) {
        vo_bend_face face = face_of(p, f);
        face_angles(p, f, rest, bend);
        sum += vo_bend_energy(&face, plate, bend);
    }
    return sum;
}

/* Adds moment_k d angle_k / dx of one face. */
static void add_face_gradient(const patch *p, int f, const double moment[3], vo_vec3 *gradient) {
    for (int k = 0; k < 3; k++) {
        int node[4];
        vo_vec3 x[4], g[4];
        if (p->across[f][k] < 0) continue;
        hinge_nodes(p, f, k, node);
        hinge_points(p, f, k, x);
        vo_hinge_angle_gradient(x, g);
        for (int i = 0; i < 4; i++)
            gradient[node[i]] = v3_add_scaled(gradient[node[i]], moment[k], g[i]);
    }
}

static void patch_gradient(const patch *p, const vo_plate *plate, double rest, vo_vec3 *gradient) {
    for (int n = 0; n < NODES; n++) gradient[n] = v3_zero();
    for (int f = 0; f < FACES; f++) {
        double bend[3], moment[3];
        vo_bend_face face = face_of(p, f);
        face_angles(p, f, rest, bend);
        vo_bend_moments(&face, plate, bend, moment);
        add_face_gradient(p, f, moment, gradient);
    }
}

static double draw(vo_random *r, double size) { return vo_random_real(r, -size, size); }

/* Random corners of a face of good shape, from a millimetre to a metre. */
static void draw_corners(vo_random *r, vo_vec2 corner[3]) {
    double size = exp(vo_random_real(r, log(1e-3), 0)), area;
    do {
        for (int k = 0; k < 3; k++) {
            double u = draw(r, size);
            corner[k] = v2(u, draw(r, size));
        }
        area = fabs(v2_cross(v2_sub(corner[1], corner[0]), v2_sub(corner[2], corner[0])));
    } while (area < 0.02 * size * size);
}

/* Up to eight orders of magnitude between the rigidities. */
static vo_plate draw_plate(vo_random *r) {
    vo_plate plate;
    for (int c = 0; c < 3; c++) plate.d[c] = exp(vo_random_real(r, log(1e-8), 0));
    return plate;
}

static void draw_angles(vo_random *r, double bend[3]) {
    for (int k = 0; k < 3; k++) bend[k] = draw(r, 1);
}

/* The energy is quadratic, so central differences are exact for any step. */
static void moments_are_energy_derivative(void **state) {
    (void)state;
    vo_random r = vo_random_seed(1);
    for (int trial = 0; trial < TRIALS; trial++) {
        vo_vec2 corner[3];
        double bend[3], moment[3], weight[3], work = 0;
        draw_corners(&r, corner);
        draw_angles(&r, bend);
        vo_plate plate = draw_plate(&r);
        vo_bend_face face = vo_bend_face_make(corner);
        vo_bend_moments(&face, &plate, bend, moment);
        vo_bend_weights(&face, &plate, weight);
        double energy = vo_bend_energy(&face, &plate, bend);
        double size = weight[0] + weight[1] + weight[2];
        for (int k = 0; k < 3; k++) {
            double keep = bend[k], h = 0.5;
            bend[k] = keep + h;
            double up = vo_bend_energy(&face, &plate, bend);
            bend[k] = keep - h;
            double down = vo_bend_energy(&face, &plate, bend);
            bend[k] = keep;
            assert_near(moment[k], (up - down) / (2 * h), 1e-13 * size);
            work += 0.5 * moment[k] * bend[k];
        }
        assert_true(energy > 0);
        assert_near(work, energy, 1e-13 * size);
    }
}

/* Force and moment sums vanish. */
static void assert_balanced(const patch *p, const vo_vec3 *gradient) {
    vo_vec3 sum = v3_zero(), moment = v3_zero();
    double size = 0;
    for (int n = 0; n < NODES; n++) {
        sum = v3_add(sum, gradient[n]);
        moment = v3_add(moment, v3_cross(p->x[n], gradient[n]));
        size += v3_length(gradient[n]);
    }
    assert_true(size > 0);
    assert_near(v3_length(sum), 0, 1e-12 * size);
    assert_near(v3_length(moment), 0, 1e-12 * size);
}

static void patch_gradient_is_energy_derivative(void **state) {
    (void)state;
    vo_random r = vo_random_seed(2);
    for (int trial = 0; trial < 30; trial++) {
        patch p = make_lattice(trial % 3, 1, draw(&r, 3));
        vo_plate plate = {{vo_random_real(&r, 0, 1), vo_random_real(&r, 0, 1), draw(&r, 1) + 1}};
        double rest = draw(&r, 0.5);
        for (int n = 0; n < NODES; n++)
            p.x[n] = v3_add(p.x[n], v3(draw(&r, 0.05), draw(&r, 0.05), draw(&r, 0.2)));
        vo_vec3 gradient[NODES];
        patch_gradient(&p, &plate, rest, gradient);
        assert_balanced(&p, gradient);
        for (int n = 0; n < 3 * NODES; n++) {
            vo_vec3 *x = &p.x[n / 3], *g = &gradient[n / 3];
            double *coordinate[3] = {&x->x, &x->y, &x->z}, slope[3] = {g->x, g->y, g->z};
            double *c = coordinate[n % 3], keep = *c, h = 1e-5;
            *c = keep + h;
            double up = patch_energy(&p, &plate, rest);
            *c = keep - h;
            double down = patch_energy(&p, &plate, rest);
            *c = keep;
            assert_near(slope[n % 3], (up - down) / (2 * h), 1e-6 * (1 + fabs(slope[n % 3])));
        }
    }
}

/* d2E / d bend2; its columns are the moments of unit angles, since the energy is quadratic. */
static void exact_hessian(const vo_bend_face *face, const vo_plate *plate, double h[3][3]) {
    for (int k = 0; k < 3; k++) {
        double unit[3] = {k == 0, k == 1, k == 2};
        vo_bend_moments(face, plate, unit, h[k]);
    }
}

/* Positive semidefinite up to `tiny`: a Cholesky factor of m + tiny I exists. */
static void assert_psd(double m[3][3], double tiny) {
    double l[3][3] = {{0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double s = m[i][j] + (i == j ? tiny : 0);
            for (int k = 0; k < j; k++) s -= l[i][k] * l[j][k];
            if (i == j) assert_true(s > 0);
            l[i][j] = i == j ? sqrt(s) : s / l[j][j];
        }
}

static void weights_bound_second_derivative(void **state) {
    (void)state;
    vo_random r = vo_random_seed(3);
    for (int trial = 0; trial < 5 * TRIALS; trial++) {
        vo_vec2 corner[3];
        double weight[3], h[3][3], gap[3][3], trace = 0, sum = 0;
        draw_corners(&r, corner);
        vo_plate plate = draw_plate(&r);
        if (trial % 4 == 0) plate.d[trial / 4 % 3] = 0;
        vo_bend_face face = vo_bend_face_make(corner);
        vo_bend_weights(&face, &plate, weight);
        exact_hessian(&face, &plate, h);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) gap[i][j] = (i == j ? weight[i] : 0) - h[i][j];
            trace += h[i][i];
            sum += weight[i];
        }
        assert_psd(h, 1e-12 * trace);
        assert_psd(gap, 1e-12 * trace);
        /* and not far above: |h_ij| <= (h_ii + h_jj) / 2 */
        assert_true(sum >= trace * (1 - 1e-12) && sum <= 3 * trace * (1 + 1e-12));
    }
}

/* K = sum of basis_k bend_k */
static void tensor_of(const patch *p, int f, double k[3]) {
    double bend[3];
    vo_bend_face face = face_of(p, f);
    face_angles(p, f, 0, bend);
    for (int c = 0; c < 3; c++)
        k[c] = face.basis[0][c] * bend[0] + face.basis[1][c] * bend[1] + face.basis[2][c] * bend[2];
    double size = sqrt(k[0] * k[0] + k[1] * k[1] + 2 * k[2] * k[2]);
    assert_near(vo_bend_curvature(&face, bend), size, 1e-14 * size);
}

/* Faces are counterclockwise seen from +z, and a hinge that is convex from there is positive: the
 * tensor is minus the second derivative of the height. */
static void quadratic_surface_curvature_is_exact(void **state) {
    (void)state;
    vo_random r = vo_random_seed(4);
    for (int trial = 0; trial < TRIALS / 10; trial++) {
        double a = draw(&r, 0.01), b = draw(&r, 0.01), c = draw(&r, 0.01);
        const double expected[3] = {-a, -c, -b};
        patch p = make_lattice(trial % 3, 0.01, draw(&r, 3));
        for (int n = 0; n < NODES; n++) {
            double x = p.uv[n].x, y = p.uv[n].y;
            p.x[n].z = 0.5 * (a * x * x + 2 * b * x * y + c * y * y);
        }
        int inner = 0;
        for (int f = 0; f < FACES; f++) {
            double k[3];
            if (!is_inner(&p, f)) continue;
            tensor_of(&p, f, k);
            /* slopes are below 1e-3, and angles differ from slopes in the third order */
            for (int i = 0; i < 3; i++) assert_near(k[i], expected[i], 1e-7);
            inner++;
        }
        assert_true(inner >= 2 * (CELLS - 2) * (CELLS - 2));
    }
}

/* Rolls a patch up along the material direction `angle` without stretch. */
static void roll_up(patch *p, double angle, double curvature) {
    vo_vec2 along = v2(cos(angle), sin(angle));
    for (int n = 0; n < NODES; n++) {
        double s = v2_dot(p->uv[n], along), t = v2_cross(along, p->uv[n]);
        p->x[n] = v3(sin(curvature * s) / curvature, t, cos(curvature * s) / curvature);
    }
}

/* Effective rigidity: twice the energy per area and squared curvature of the inner faces. */
static double effective_rigidity(const patch *p, const vo_fabric *fabric, double curvature) {
    double energy = 0, area = 0, bend[3];
    for (int f = 0; f < FACES; f++) {
        if (!is_inner(p, f)) continue;
        vo_bend_face face = face_of(p, f);
        face_angles(p, f, 0, bend);
        assert_near(vo_bend_curvature(&face, bend), curvature, 1e-3 * curvature);
        vo_plate plate = vo_fabric_plate(fabric, vo_bend_curvature(&face, bend));
        energy += vo_bend_energy(&face, &plate, bend);
        area += face.area;
    }
    return 2 * energy / (area * curvature * curvature);
}

static void cylinder_has_rigidity_of_its_direction(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_fabric_def def = vo_fabric_def_default();
    def.bend_warp = 3e-5;
    def.bend_weft = 7e-6;
    def.bend_bias = 1.5e-5;
    vo_fabric *fabric;
    assert_ok(ctx, vo_fabric_create(ctx, &def, &fabric));
    const double curvature = 12;
    const double expected[] = {def.bend_warp, def.bend_bias, def.bend_weft, def.bend_bias};
    for (int kind = 0; kind < 3; kind++)
        for (int mesh_turn = 0; mesh_turn < 8; mesh_turn++)
            for (int n = 0; n < 8; n++) {
                patch p = make_lattice(kind, 0.002, 0.3 * mesh_turn);
                roll_up(&p, n * VO_PI / 4, curvature);
                assert_near(effective_rigidity(&p, fabric, curvature) / expected[n % 4], 1, 2e-3);
            }
    vo_fabric_destroy(fabric);
    vo_context_destroy(ctx);
}

/* A softening fabric has the rigidity of its current curvature, halfway between samples. */
static void cylinder_has_rigidity_of_its_curvature(void **state) {
    (void)state;
    vo_fabric fabric = {0};
    for (int k = 0; k < VO_BEND_CURVATURES; k++)
        for (int row = 0; row < VO_BEND_DIRECTIONS; row++) fabric.bend[row][k] = 10 - 2 * k;
    for (int n = 1; n < 11; n++) {
        patch p = make_lattice(n % 3, 1e-3, 0.4 * n);
        roll_up(&p, 0.7 * n, 5 * n);
        double expected = n < 8 ? 10 - n : 2;
        assert_near(effective_rigidity(&p, &fabric, 5 * n), expected, 5e-3 * expected);
    }
}

static const vo_plate isotropic = {{2, 2, 4}};

static void turn_corners(double angle, const vo_vec2 from[3], vo_vec2 to[3]) {
    for (int k = 0; k < 3; k++) to[k] = turned(angle, from[k]);
}

/* Energy, moments and weights of two faces agree for the same angles; edge k of the second is edge
 * `edge[k]` of the first. */
static void assert_alike(const vo_vec2 a[3], const vo_plate *plate_a, const vo_vec2 b[3],
                         const vo_plate *plate_b, const int edge[3], const double bend[3]) {
    vo_bend_face face[2] = {vo_bend_face_make(a), vo_bend_face_make(b)};
    double same[3] = {bend[edge[0]], bend[edge[1]], bend[edge[2]]};
    double moment[2][3], weight[2][3];
    vo_bend_moments(&face[0], plate_a, bend, moment[0]);
    vo_bend_moments(&face[1], plate_b, same, moment[1]);
    vo_bend_weights(&face[0], plate_a, weight[0]);
    vo_bend_weights(&face[1], plate_b, weight[1]);
    double size = weight[0][0] + weight[0][1] + weight[0][2];
    assert_near(vo_bend_energy(&face[1], plate_b, same), vo_bend_energy(&face[0], plate_a, bend),
                1e-11 * size);
    double curvature = vo_bend_curvature(&face[0], bend);
    assert_near(vo_bend_curvature(&face[1], same) * sqrt(face[1].area / face[0].area), curvature,
                1e-11 * curvature + 1e-12);
    for (int k = 0; k < 3; k++) {
        assert_near(moment[1][k], moment[0][edge[k]], 1e-11 * size);
        assert_near(weight[1][k], weight[0][edge[k]], 1e-11 * size);
    }
}

static void corner_order_is_irrelevant(void **state) {
    (void)state;
    vo_random r = vo_random_seed(5);
    for (int trial = 0; trial < TRIALS; trial++) {
        vo_vec2 a[3];
        double bend[3];
        draw_corners(&r, a);
        draw_angles(&r, bend);
        vo_plate plate = draw_plate(&r);
        const vo_vec2 next[3] = {a[1], a[2], a[0]}, reversed[3] = {a[1], a[0], a[2]};
        assert_alike(a, &plate, next, &plate, (const int[]){1, 2, 0}, bend);
        assert_alike(a, &plate, reversed, &plate, (const int[]){0, 2, 1}, bend);
    }
}

static void energy_is_rotation_and_scale_invariant(void **state) {
    (void)state;
    vo_random r = vo_random_seed(6);
    static const int same[3] = {0, 1, 2};
    for (int trial = 0; trial < TRIALS; trial++) {
        vo_vec2 a[3], b[3];
        double bend[3], scale = exp(draw(&r, 5));
        draw_corners(&r, a);
        draw_angles(&r, bend);
        turn_corners(draw(&r, 3), a, b);
        assert_alike(a, &isotropic, b, &isotropic, same, bend);
        vo_plate plate = draw_plate(&r), swapped = {{plate.d[1], plate.d[0], plate.d[2]}};
        turn_corners(VO_PI / 2, a, b);
        assert_alike(a, &plate, b, &swapped, same, bend);
        /* energy by angles is scale-invariant */
        for (int k = 0; k < 3; k++) b[k] = v2_scale(scale, v2_add(a[k], v2(1, 2)));
        assert_alike(a, &plate, b, &plate, same, bend);
    }
}

/* A single bent hinge curves across its edge: angle l / (2 area). */
static void single_hinge_bends_across_its_edge(void **state) {
    (void)state;
    const vo_vec2 corner[3] = {v2(0, 0), v2(0.2, 0), v2(0, 0.1)};
    vo_bend_face face = vo_bend_face_make(corner);
    assert_near(face.area, 0.01, 1e-17);
    assert_near(face.basis[0][0], 0, 0); /* along U: curves V */
    assert_near(face.basis[0][1], 0.2 / 0.02, 1e-13);
    assert_near(face.basis[0][2], 0, 0);
    assert_near(face.basis[2][0], 0.1 / 0.02, 1e-13); /* along V: curves U */
    assert_near(face.basis[2][1], 0, 0);
    assert_near(face.basis[2][2], 0, 0);
    double l = sqrt(0.05), nu = 1 / sqrt(5), nv = 2 / sqrt(5); /* normal of the diagonal */
    assert_near(face.basis[1][0], l / 0.02 * nu * nu, 1e-13);
    assert_near(face.basis[1][1], l / 0.02 * nv * nv, 1e-13);
    assert_near(face.basis[1][2], l / 0.02 * nu * nv, 1e-13);
}

static void degenerate_faces_do_not_bend(void **state) {
    (void)state;
    const vo_vec2 broken[][3] = {
        {v2(1, 1), v2(1, 1), v2(1, 1)},          {v2(0, 0), v2(1, 0), v2(2, 0)},
        {v2(0, 0), v2(0, 0), v2(1, 3)},          {v2(0, 0), v2(1e-200, 0), v2(0, 1e-200)},
        {v2(0, 0), v2(1e-160, 0), v2(0, 1e-80)}, {v2(NAN, 0), v2(1, 0), v2(0, 1)}};
    const double bend[3] = {1, -2, 3};
    for (size_t n = 0; n < sizeof broken / sizeof *broken; n++) {
        double moment[3], weight[3];
        vo_bend_face face = vo_bend_face_make(broken[n]);
        vo_bend_moments(&face, &isotropic, bend, moment);
        vo_bend_weights(&face, &isotropic, weight);
        assert_true(face.area == 0);
        assert_true(vo_bend_energy(&face, &isotropic, bend) == 0);
        assert_true(vo_bend_curvature(&face, bend) == 0);
        for (int k = 0; k < 3; k++) assert_true(moment[k] == 0 && weight[k] == 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_energy_derivative),
        cmocka_unit_test(patch_gradient_is_energy_derivative),
        cmocka_unit_test(weights_bound_second_derivative),
        cmocka_unit_test(quadratic_surface_curvature_is_exact),
        cmocka_unit_test(cylinder_has_rigidity_of_its_direction),
        cmocka_unit_test(cylinder_has_rigidity_of_its_curvature),
        cmocka_unit_test(corner_order_is_irrelevant),
        cmocka_unit_test(energy_is_rotation_and_scale_invariant),
        cmocka_unit_test(single_hinge_bends_across_its_edge),
        cmocka_unit_test(degenerate_faces_do_not_bend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests of the assembly kernels against a dense reference sum over elements in double precision. */
#include "support.h"

#include "core/memory.h"
#include "core/random.h"
#include "force/wind.h"
#include "integrate/assemble.h"
#include "material/bend.h"
#include "material/stretch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A rumpled sheet of two materials, large enough for several chunks. */
typedef struct fixture {
    vo_context *ctx;
    vo_mesh *mesh;
    vo_fabric *fabric;
    vo_material material[2];
    vo_system_cloth cloth;
    vo_system system;
    vo_vec4 *x, *v;
    vo_strain_offset *offset;
    double *slack;
    vo_assembly assembly;
    double *scratch;
} fixture;

static void open_fixture(fixture *f, int columns, int rows, int threads) {
    *f = (fixture){.ctx = test_context(threads)};
    f->mesh = test_grid(f->ctx, 1, 0.7, columns, rows);
    vo_fabric_def def = vo_fabric_def_default();
    def.poisson = 0.2;
    assert_ok(f->ctx, vo_fabric_create(f->ctx, &def, &f->fabric));
    for (int i = 0; i < 2; i++)
        f->material[i] =
            (vo_material){f->fabric, 1 + i, 1 + 2 * i, 1 + 3 * i, 0.01 * i, -INFINITY, INFINITY};
    vo_random random = vo_random_seed(7);
    for (int i = 0; i < f->mesh->face_count; i++)
        f->mesh->face_label[i] = vo_random_int(&random, 2);
    for (int i = 0; i < f->mesh->edge_count; i++)
        f->mesh->edge_rest_angle[i] = vo_random_real(&random, -0.1, 0.1);
    f->cloth = (vo_system_cloth){.mesh = f->mesh, .material = f->material};
    assert_ok(f->ctx, vo_system_build(f->ctx, 1, &f->cloth, 0, NULL, &f->system));
    int n = f->system.row_count;
    f->x = vo_new_array(f->ctx, vo_vec4, n);
    f->v = vo_new_array(f->ctx, vo_vec4, n);
    double cell = 1.0 / columns;
    f->offset = vo_new_array(f->ctx, vo_strain_offset, f->system.face_count);
    for (int i = 0; i < f->system.face_count; i++)
        for (int k = 0; k < 3; k++) {
            f->offset[i].strain[k] = vo_random_real(&random, -0.05, 0.05);
            f->offset[i].curvature[k] = vo_random_real(&random, -5, 5);
        }
    f->slack = vo_new_array(f->ctx, double, f->system.face_count);
    for (int i = 0; i < f->system.face_count; i++) /* packets with, without and with some slack */
        f->slack[i] =
            i / 20 % 3 == 0 || (i / 20 % 3 == 1 && i % 3) ? 0 : vo_random_real(&random, 0, 1);
    for (int i = 0; i < n; i++) {
        vo_vec3 p = f->mesh->node_x[i];
        int row = f->system.row_of[i];
        f->x[row] = (vo_vec4){p.x + cell * vo_random_real(&random, -0.2, 0.2),
                              p.y + cell * vo_random_real(&random, -0.2, 0.2),
                              cell * vo_random_real(&random, -0.4, 0.4), 0};
        f->v[row] = (vo_vec4){vo_random_real(&random, -1, 1), vo_random_real(&random, -1, 1),
                              vo_random_real(&random, -1, 1), 0};
    }
    f->assembly = (vo_assembly){.system = &f->system,
                                .dt = 0.005,
                                .gravity = {0, 1, -9.8},
                                .wind = {1.1, {3, 2, 1}, 0.2},
                                .x = f->x,
                                .v = f->v,
                                .offset = f->offset,
                                .fade = 0.7,
                                .slack = f->slack};
    f->assembly.block = vo_new_array(f->ctx, float, f->system.pattern.block_count *VO_BLOCK_FLOATS);
    f->assembly.b = vo_new_array(f->ctx, vo_vec4, n);
    f->scratch = vo_new_array(f->ctx, double, vo_assembly_scratch(&f->system));
    vo_assembly_set_scratch(&f->assembly, f->scratch);
}

static void close_fixture(fixture *f) {
    int n = f->system.row_count;
    vo_free_array(f->ctx, f->scratch, vo_assembly_scratch(&f->system));
    vo_free_array(f->ctx, f->assembly.b, n);
    vo_free_array(f->ctx, f->assembly.block, f->system.pattern.block_count * VO_BLOCK_FLOATS);
    vo_free_array(f->ctx, f->offset, f->system.face_count);
    vo_free_array(f->ctx, f->slack, f->system.face_count);
    vo_free_array(f->ctx, f->x, n);
    vo_free_array(f->ctx, f->v, n);
    vo_system_free(&f->system);
    vo_fabric_destroy(f->fabric);
    vo_mesh_destroy(f->mesh);
    vo_context_destroy(f->ctx);
}

/* ---- reference ------------------------------------------------------------------------------ */

typedef struct dense {
    int n; /* scalars */
    double *a, *b;
} dense;

static vo_vec3 xyz(vo_vec4 p) { return v3(p.x, p.y, p.z); }

static void add_vector(dense *d, int row, vo_vec3 p) {
    d->b[3 * row] += p.x;
    d->b[3 * row + 1] += p.y;
    d->b[3 * row + 2] += p.z;
}

static void add_matrix(dense *d, int row, int column, double scale, vo_mat3 m) {
    for (int r = 0; r < 3; r++) {
        double *a = d->a + (size_t)(3 * row + r) * d->n + 3 * column;
        a[0] += scale * m.row[r].x;
        a[1] += scale * m.row[r].y;
        a[2] += scale * m.row[r].z;
    }
}

/* Adds dt (f - tau K v) to the right-hand side and dt tau K to the matrix. */
static void add_element(dense *d, double dt, double tau, int count, const int *row,
                        const vo_vec3 *gradient, const vo_mat3 *hessian, const vo_vec3 *v) {
    for (int i = 0; i < count; i++) {
        vo_vec3 force = v3_negate(gradient[i]);
        for (int j = 0; j < count; j++) {
            vo_mat3 h = hessian[i * count + j];
            force = v3_add_scaled(force, -tau, m3_mul(h, v[j]));
            add_matrix(d, row[i], row[j], dt * tau, h);
        }
        add_vector(d, row[i], v3_scale(dt, force));
    }
}

static void add_wind_face(dense *d, const fixture *f, double area, const int row[3],
                          const vo_vec3 x[3], const vo_vec3 v[3]) {
    const vo_assembly *a = &f->assembly;
    vo_vec3 mean = v3_scale(1.0 / 3, v3_add(v[0], v3_add(v[1], v[2])));
    vo_vec3 n = v3_normalize(v3_cross(v3_sub(x[1], x[0]), v3_sub(x[2], x[0])));
    double un = v3_dot(v3_sub(mean, a->wind.velocity), n);
    double rub = area * a->wind.drag, across = 2 * area * a->wind.density * fabs(un) - rub;
    vo_mat3 slope = m3_add(m3_scale(across, m3_outer(n, n)), m3_scale(rub, m3_identity()));
    for (int i = 0; i < 3; i++) {
        add_vector(d, row[i], v3_scale(a->dt / 3, vo_wind_force(&a->wind, area, x, mean)));
        add_matrix(d, row[i], row[i], a->dt / 3, slope);
    }
}

/* Component k of a face's faded_offset strain or curvature offset. */
static double faded_offset(const fixture *f, int face, bool bending, int k) {
    const vo_strain_offset *o = &f->offset[f->system.face_number[face]];
    return f->assembly.fade * (bending ? o->curvature[k] : o->strain[k]);
}

static void add_face(dense *d, const fixture *f, int face) {
    const vo_mesh *m = f->mesh;
    const vo_material *mat = &f->material[m->face_label[face]];
    int row[3];
    vo_vec3 x[3], v[3], gradient[3];
    for (int i = 0; i < 3; i++) {
        row[i] = f->system.row_of[vo_mesh_face_node(m, face, i)];
        x[i] = xyz(f->x[row[i]]);
        v[i] = xyz(f->v[row[i]]);
    }
    vo_stretch_face shape = {m2_inverse(vo_mesh_face_dm(m, face)), vo_mesh_face_area(m, face)};
    shape.offset = (vo_sym2){faded_offset(f, face, false, 0), faded_offset(f, face, false, 1),
                             faded_offset(f, face, false, 2)};
    shape.slack = f->slack[f->system.face_number[face]];
    vo_sym2 seen = vo_buckle_strain(vo_green_strain(&shape, x), shape.slack);
    vo_stiffness c = vo_fabric_stiffness(mat->fabric, seen);
    for (int i = 0; i < 4; i++) c.c[i] *= mat->stretching_mult;
    vo_mat3 hessian[3][3];
    vo_stretch_gradient(&shape, &c, x, gradient);
    vo_stretch_hessian(&shape, &c, x, true, hessian);
    double dt = f->assembly.dt;
    add_element(d, dt, dt + mat->damping, 3, row, gradient, &hessian[0][0], v);
    add_wind_face(d, f, shape.area, row, x, v);
    double mass = shape.area * mat->fabric->density * mat->density_mult / 3;
    for (int i = 0; i < 3; i++) {
        add_matrix(d, row[i], row[i], mass, m3_identity());
        add_vector(d, row[i], v3_scale(dt * mass, f->assembly.gravity));
    }
}

static int hinge_rows(const fixture *f, int edge, int row[4]) {
    const vo_mesh *m = f->mesh;
    if (m->edge_face[edge][1] < 0) return 0;
    for (int i = 0; i < 2; i++) {
        row[i] = f->system.row_of[m->edge_node[edge][i]];
        row[2 + i] = f->system.row_of[m->vert_node[vo_mesh_edge_opposite(m, edge, i)]];
    }
    return 4;
}

/* Adds the bending of one face: moments about its edges, with the diagonal matrix on the left-hand
 * side and the coupled one on the right. */
static void add_bending(dense *d, const fixture *f, int face) {
    const vo_mesh *m = f->mesh;
    const vo_material *mat = &f->material[m->face_label[face]];
    int row[3][4], count[3];
    vo_vec3 gradient[3][4];
    vo_vec2 corner[3];
    double bent[3] = {0}, ahead[3] = {0}, moment[3], weight[3];
    double dt = f->assembly.dt, tau = dt + mat->damping;
    for (int k = 0; k < 3; k++) {
        vo_vec3 x[4];
        corner[k] = m->vert_u[m->face_vert[face][k]];
        count[k] = hinge_rows(f, m->face_edge[face][k], row[k]);
        if (!count[k]) continue;
        for (int i = 0; i < 4; i++) x[i] = xyz(f->x[row[k][i]]);
        vo_hinge_angle_gradient(x, gradient[k]);
        bent[k] = vo_hinge_angle(x) - m->edge_rest_angle[m->face_edge[face][k]];
        ahead[k] = bent[k];
        for (int i = 0; i < 4; i++) ahead[k] += tau * v3_dot(gradient[k][i], xyz(f->v[row[k][i]]));
    }
    vo_bend_face shape = vo_bend_face_make(corner);
    for (int k = 0; k < 3; k++) shape.offset[k] = faded_offset(f, face, true, k);
    vo_plate plate = vo_fabric_plate(mat->fabric, vo_bend_curvature(&shape, bent));
    for (int c = 0; c < 3; c++) plate.d[c] *= mat->bending_mult;
    vo_bend_moments(&shape, &plate, ahead, moment);
    vo_bend_weights(&shape, &plate, weight);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < count[k]; i++) {
            add_vector(d, row[k][i], v3_scale(-dt * moment[k], gradient[k][i]));
            for (int j = 0; j < 4; j++)
                add_matrix(d, row[k][i], row[k][j], dt * tau * weight[k],
                           m3_outer(gradient[k][i], gradient[k][j]));
        }
}

static double largest(const double *a, size_t count) {
    double value = 0;
    for (size_t i = 0; i < count; i++) value = fmax(value, fabs(a[i]));
    return value;
}

static void kernel_agrees_with_dense_sum(void **state) {
    (void)state;
    fixture f;
    open_fixture(&f, 24, 23, 2);
    assert_true(f.system.chunk_count > 1);
    int n = 3 * f.system.row_count;
    dense d = {n, calloc((size_t)n * (size_t)n, sizeof(double)), calloc((size_t)n, sizeof(double))};
    for (int i = 0; i < f.mesh->face_count; i++) add_face(&d, &f, i);
    for (int i = 0; i < f.mesh->face_count; i++) add_bending(&d, &f, i);
    vo_assemble(f.ctx, &f.assembly);
    double scale_b = largest(d.b, (size_t)n), scale_a = largest(d.a, (size_t)n * (size_t)n);
    const vo_block_pattern *p = &f.system.pattern;
    for (int row = 0; row < f.system.row_count; row++) {
        const vo_vec4 *b = &f.assembly.b[row];
        assert_near(b->x, d.b[3 * row], 1e-12 * scale_b);
        assert_near(b->y, d.b[3 * row + 1], 1e-12 * scale_b);
        assert_near(b->z, d.b[3 * row + 2], 1e-12 * scale_b);
        double seen = 0;
        for (int k = p->row_start[row]; k < p->row_start[row + 1]; k++) {
            if (p->column[k] < row) continue;
            for (int c = 0; c < 3; c++)
                for (int r = 0; r < 3; r++) {
                    double expected = d.a[(size_t)(3 * row + r) * n + 3 * p->column[k] + c];
                    assert_near(f.assembly.block[k * VO_BLOCK_FLOATS + 4 * c + r], expected,
                                1e-6 * scale_a);
                    seen += fabs(expected);
                }
        }
        double there = 0; /* no entry of the upper triangle is outside the pattern */
        for (int r = 0; r < 3; r++)
            for (int c = 3 * row; c < n; c++) there += fabs(d.a[(size_t)(3 * row + r) * n + c]);
        assert_near(seen, there, 1e-9 * there);
    }
    free(d.a);
    free(d.b);
    close_fixture(&f);
}

static void kernels_and_threads_give_same_bits(void **state) {
    (void)state;
    fixture f[4];
    for (int i = 0; i < 4; i++) {
        open_fixture(&f[i], 40, 31, i == 3 ? 3 : i + 1);
        if (i == 1) f[i].ctx->use_avx2 = false;
        vo_assemble(f[i].ctx, &f[i].assembly);
    }
    size_t blocks = (size_t)f[0].system.pattern.block_count * VO_BLOCK_FLOATS * sizeof(float);
    size_t rows = (size_t)f[0].system.row_count * sizeof(vo_vec4);
    for (int i = 1; i < 4; i++) {
        assert_memory_equal(f[0].assembly.block, f[i].assembly.block, blocks);
        assert_memory_equal(f[0].assembly.b, f[i].assembly.b, rows);
    }
    for (int i = 0; i < 4; i++) close_fixture(&f[i]);
}

/* Slack of zero gives the same bits as no slack. */
static void zero_slack_gives_same_bits(void **state) {
    (void)state;
    fixture f[2];
    for (int i = 0; i < 2; i++) {
        open_fixture(&f[i], 24, 23, 1);
        for (int k = 0; k < f[i].system.face_count; k++) f[i].slack[k] = 0;
        if (i) f[i].assembly.slack = NULL;
        vo_assemble(f[i].ctx, &f[i].assembly);
    }
    size_t blocks = (size_t)f[0].system.pattern.block_count * VO_BLOCK_FLOATS * sizeof(float);
    size_t rows = (size_t)f[0].system.row_count * sizeof(vo_vec4);
    assert_memory_equal(f[0].assembly.block, f[1].assembly.block, blocks);
    assert_memory_equal(f[0].assembly.b, f[1].assembly.b, rows);
    for (int i = 0; i < 2; i++) close_fixture(&f[i]);
}

static vo_result build_once(vo_context *ctx, void *arg) {
    (void)arg;
    vo_mesh *mesh = NULL;
    vo_fabric *fabric = NULL;
    vo_system system = {0};
    vo_fabric_def def = vo_fabric_def_default();
    vo_result result = vo_mesh_create_grid(ctx, 1, 1, 3, 3, &mesh);
    if (result == VO_OK) result = vo_fabric_create(ctx, &def, &fabric);
    if (result == VO_OK) {
        vo_material material = {fabric, 1, 1, 1, 0, -INFINITY, INFINITY};
        vo_system_cloth cloth = {.mesh = mesh, .material = &material};
        result = vo_system_build(ctx, 1, &cloth, 0, NULL, &system);
        vo_system_free(&system);
    }
    vo_fabric_destroy(fabric);
    vo_mesh_destroy(mesh);
    return result;
}

static void allocation_failure_is_reported(void **state) {
    (void)state;
    test_every_allocation(build_once, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_agrees_with_dense_sum),
        cmocka_unit_test(kernels_and_threads_give_same_bits),
        cmocka_unit_test(zero_slack_gives_same_bits),
        cmocka_unit_test(allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

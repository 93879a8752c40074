#include "integrate/implicit.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "core/timer.h"
#include "integrate/contacts.h"
#include "material/stretch_limit.h"

#include <stdatomic.h>
#include <string.h>

/* ---- creation ------------------------------------------------------------------------------- */

static vo_vec4 *new_rows(vo_context *ctx, int count) {
    return vo_alloc_zero(ctx, vo_array_bytes((size_t)count, sizeof(vo_vec4)));
}

static vo_result allocate_vectors(vo_implicit *s) {
    int n = s->system.row_count;
    s->x = new_rows(s->ctx, n);
    s->v = new_rows(s->ctx, n);
    s->b = new_rows(s->ctx, n);
    s->dv = new_rows(s->ctx, n);
    s->guess = new_rows(s->ctx, n);
    s->previous_dv = new_rows(s->ctx, n);
    s->fixed = vo_alloc_zero(s->ctx, (size_t)n);
    s->offset =
        vo_alloc_zero(s->ctx, vo_array_bytes((size_t)s->system.face_count + 1, sizeof *s->offset));
    size_t faces = vo_array_bytes((size_t)s->system.face_count + 1, sizeof *s->slack);
    s->slack = vo_alloc_zero(s->ctx, faces);
    s->slack_target = vo_alloc_zero(s->ctx, faces);
    s->scratch = vo_new_array(s->ctx, double, vo_assembly_scratch(&s->system));
    s->excess = vo_new_array(s->ctx, double, s->system.chunk_count);
    bool ok = s->offset && s->slack && s->slack_target && s->excess && s->scratch && s->x && s->v &&
              s->b && s->dv && s->guess && s->previous_dv && s->fixed;
    return ok ? VO_OK : vo_fail_memory(s->ctx, "the solver's vectors");
}

/* Returns the area of the largest cloth with a limited face, m^2. */
static double limited_area(int cloth_count, const vo_system_cloth *cloth) {
    double largest = 0;
    for (int c = 0; c < cloth_count; c++) {
        const vo_mesh *mesh = cloth[c].mesh;
        double area = 0;
        bool limited = false;
        for (int f = 0; f < mesh->face_count; f++) {
            area += vo_mesh_face_area(mesh, f);
            limited = limited || vo_material_is_limited(&cloth[c].material[mesh->face_label[f]]);
        }
        if (limited) largest = vo_max(largest, area);
    }
    return largest;
}

static vo_result create(vo_implicit *s, int cloth_count, const vo_system_cloth *cloth,
                        int tie_count, const int (*ties)[2]) {
    VO_TRY(vo_system_build(s->ctx, cloth_count, cloth, tie_count, ties, &s->system));
    if (s->system.row_count == 0) return VO_OK;
    VO_TRY(vo_block_matrix_init(s->ctx, &s->system.pattern, &s->matrix));
    s->limited_area = limited_area(cloth_count, cloth);
    VO_TRY(vo_pcg_create(s->ctx, &s->system.pattern, &s->pcg));
    return allocate_vectors(s);
}

vo_result vo_implicit_create(vo_context *ctx, int cloth_count, const vo_system_cloth *cloth,
                             int tie_count, const int (*ties)[2], vo_implicit *out) {
    *out = (vo_implicit){.ctx = ctx};
    vo_result result = create(out, cloth_count, cloth, tie_count, ties);
    if (result != VO_OK) vo_implicit_free(out);
    return result;
}

void vo_implicit_free(vo_implicit *s) {
    if (!s->ctx) return;
    int n = s->system.row_count;
    vo_free_array(s->ctx, s->x, n);
    vo_free_array(s->ctx, s->v, n);
    vo_free_array(s->ctx, s->b, n);
    vo_free_array(s->ctx, s->dv, n);
    vo_free_array(s->ctx, s->guess, n);
    vo_free_array(s->ctx, s->previous_dv, n);
    vo_free(s->ctx, s->fixed, (size_t)n);
    vo_free_array(s->ctx, s->offset, s->system.face_count + 1);
    vo_free_array(s->ctx, s->slack, s->system.face_count + 1);
    vo_free_array(s->ctx, s->slack_target, s->system.face_count + 1);
    vo_free_array(s->ctx, s->excess, s->system.chunk_count);
    vo_free_array(s->ctx, s->scratch, vo_assembly_scratch(&s->system));
    vo_couplings_free(s->ctx, &s->couplings);
    vo_direct_destroy(s->direct);
    vo_pcg_destroy(s->pcg);
    vo_block_matrix_free(s->ctx, &s->matrix);
    vo_system_free(&s->system);
    *s = (vo_implicit){0};
}

/* ---- constraints ---------------------------------------------------------------------------- */

static float *block_at(vo_implicit *s, int index) {
    return s->matrix.block + (size_t)index * VO_BLOCK_FLOATS;
}

static void add_to_diagonal(float *block, double value) {
    block[0] += (float)value;
    block[5] += (float)value;
    block[10] += (float)value;
}

/* b += scale * p */
static void add_to_b(vo_vec4 *b, double scale, vo_vec3 p) {
    b->x += scale * p.x;
    b->y += scale * p.y;
    b->z += scale * p.z;
}

static vo_vec3 xyz(vo_vec4 p) { return v3(p.x, p.y, p.z); }

/* Returns the position of row i at the end of the step at constant velocity. */
static vo_vec3 predicted_position(const vo_implicit *s, int i, double dt) {
    return v3_add_scaled(xyz(s->x[i]), dt, xyz(s->v[i]));
}

static void add_anchors(vo_implicit *s, double dt, const vo_constraints *c) {
    for (int i = 0; i < c->anchor_count; i++) {
        const vo_anchor *a = &c->anchor[i];
        add_to_diagonal(block_at(s, s->system.pattern.diagonal[a->row]), dt * dt * a->stiffness);
        vo_vec3 offset = v3_sub(predicted_position(s, a->row, dt), a->point);
        add_to_b(&s->b[a->row], -dt * a->stiffness, offset);
    }
}

static void add_ties(vo_implicit *s, double dt, const vo_constraints *c) {
    const vo_block_pattern *pattern = &s->system.pattern;
    for (int i = 0; i < c->tie_count; i++) {
        const vo_tie *t = &c->tie[i];
        double k = dt * dt * t->stiffness;
        int low = vo_min_int(t->row[0], t->row[1]), high = vo_max_int(t->row[0], t->row[1]);
        vo_vec3 difference =
            v3_sub(predicted_position(s, low, dt), predicted_position(s, high, dt));
        add_to_diagonal(block_at(s, pattern->diagonal[low]), k);
        add_to_diagonal(block_at(s, pattern->diagonal[high]), k);
        add_to_diagonal(block_at(s, vo_block_pattern_find(pattern, low, high)), -k);
        add_to_b(&s->b[low], -dt * t->stiffness, difference);
        add_to_b(&s->b[high], dt * t->stiffness, difference);
    }
}

/* Sets the velocities of pinned rows before the forces are evaluated; their velocity change is then
 * zero and they drop out of the system. */
static void set_pinned_velocities(vo_implicit *s, const vo_constraints *c) {
    for (int row = 0; row < s->system.row_count; row++) {
        s->fixed[row] = s->system.mass[row] == 0;
        if (s->fixed[row]) s->v[row] = (vo_vec4){0};
    }
    for (int i = 0; i < c->pin_count; i++) {
        vo_vec3 v = c->pin[i].velocity;
        s->fixed[c->pin[i].row] = 1;
        s->v[c->pin[i].row] = (vo_vec4){v.x, v.y, v.z, 0};
    }
}

/* Replaces a fixed row and its column by those of the identity. */
static void clear_row(vo_implicit *s, int row) {
    const vo_block_pattern *pattern = &s->system.pattern;
    for (int k = pattern->row_start[row]; k < pattern->row_start[row + 1]; k++) {
        memset(block_at(s, k), 0, VO_BLOCK_FLOATS * sizeof(float));
        memset(block_at(s, pattern->transpose[k]), 0, VO_BLOCK_FLOATS * sizeof(float));
    }
    add_to_diagonal(block_at(s, pattern->diagonal[row]), 1);
    s->b[row] = s->guess[row] = s->previous_dv[row] = (vo_vec4){0};
}

void vo_implicit_clear_fixed(vo_implicit *s) {
    for (int row = 0; row < s->system.row_count; row++)
        if (s->fixed[row]) clear_row(s, row);
}

/* ---- solution ------------------------------------------------------------------------------- */

static vo_result assemble(vo_implicit *s, const vo_implicit_def *def, const vo_constraints *c) {
    set_pinned_velocities(s, c);
    if (c->contact_count > 0) vo_implicit_drop_previous_dv(s);
    vo_assembly assembly = {.system = &s->system,
                            .dt = def->dt,
                            .gravity = def->gravity,
                            .wind = def->wind,
                            .x = s->x,
                            .v = s->v,
                            .offset = s->fade > 0 ? s->offset : NULL,
                            .fade = s->fade,
                            .slack = s->has_slack ? s->slack : NULL,
                            .block = s->matrix.block,
                            .b = s->b};
    vo_assembly_set_scratch(&assembly, s->scratch);
    vo_assemble(s->ctx, &assembly);
    add_anchors(s, def->dt, c);
    add_ties(s, def->dt, c);
    VO_TRY(vo_contacts_add(s, c->contact_count, c->contact));
    vo_block_matrix_symmetrise(s->ctx, &s->matrix);
    vo_implicit_clear_fixed(s);
    return VO_OK;
}

/* Warm start: the last dv, extrapolated by half of its last change; this saves one iteration in
 * eight. In contact the extrapolation would cost one in twenty, so previous_dv is discarded there.
 */
static void guess_rows(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    vo_implicit *s = arg;
    const double extrapolation = s->has_previous_dv ? 0.5 : 0;
    for (int i = begin; i < end; i++) {
        vo_vec4 g = s->guess[i], e = s->previous_dv[i];
        s->dv[i] = (vo_vec4){g.x + extrapolation * (g.x - e.x), g.y + extrapolation * (g.y - e.y),
                             g.z + extrapolation * (g.z - e.z), 0};
    }
}

static vo_solve_report solve_pcg(vo_implicit *s, const vo_implicit_def *def, int max_iterations) {
    vo_pcg_def pcg = {.preconditioner = VO_PRECONDITION_TWO_LEVEL,
                      .couplings = s->couplings.block_count ? &s->couplings : NULL,
                      .tolerance = def->tolerance,
                      .max_iterations = max_iterations};
    vo_parallel_for(s->ctx, s->system.row_count, VO_LIGHT_GRAIN, guess_rows, s);
    return vo_pcg_solve(s->pcg, &pcg, &s->matrix, s->b, s->dv);
}

vo_result vo_implicit_create_direct(vo_implicit *s) {
    if (s->direct || s->system.row_count == 0) return VO_OK;
    return vo_direct_create(s->ctx, &s->system.pattern, &s->direct);
}

/* Direct solve. Couplings change the pattern, which is then analysed for this solve. */
static vo_result solve_direct(vo_implicit *s, vo_solve_report *r) {
    if (s->couplings.block_count)
        return vo_direct_solve_coupled(s->ctx, &s->matrix, &s->couplings, s->b, s->dv, r);
    VO_TRY(vo_implicit_create_direct(s));
    *r = vo_direct_solve(s->direct, &s->matrix, s->b, s->dv);
    return VO_OK;
}

/* Upper limit of positions (m) and velocities (m/s); larger values indicate divergence. */
static const double MAX_MAGNITUDE = 1e12;

static double magnitude(vo_vec4 v) { return fabs(v.x) + fabs(v.y) + fabs(v.z); }

/* Returns false for NaN too. */
static bool is_bounded(vo_vec4 v) { return magnitude(v) <= MAX_MAGNITUDE; }

/* A predicate over all rows. Chunks only ever set `failed`, so their order does not matter. */
typedef struct row_test {
    const vo_implicit *s;
    double dt;
    atomic_bool failed;
} row_test;

static bool all_rows(const vo_implicit *s, double dt, vo_loop_fn *test) {
    row_test t = {.s = s, .dt = dt};
    vo_parallel_for(s->ctx, s->system.row_count, VO_LIGHT_GRAIN, test, &t);
    return !atomic_load(&t.failed);
}

static void test_right_side(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    row_test *t = arg;
    bool ok = true;
    for (int i = begin; i < end; i++) ok &= is_bounded(t->s->b[i]);
    if (!ok) atomic_store(&t->failed, true);
}

static void test_result(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    row_test *t = arg;
    const vo_implicit *s = t->s;
    bool ok = true;
    for (int i = begin; i < end; i++) {
        double speed = magnitude(s->v[i]) + magnitude(s->dv[i]);
        ok &= is_bounded(s->v[i]) & is_bounded(s->dv[i]);
        ok &= magnitude(s->x[i]) + t->dt * speed <= MAX_MAGNITUDE;
    }
    if (!ok) atomic_store(&t->failed, true);
}

bool vo_implicit_result_is_bounded(const vo_implicit *s, double dt) {
    return all_rows(s, dt, test_result);
}

/* Solver fallbacks: conjugate gradients, then the direct solver or, in a build without it,
 * conjugate gradients from zero with more iterations. If all fail, the caller shortens the step. */
static vo_solve_report solve_with_fallback(vo_implicit *s, const vo_implicit_def *def,
                                           vo_implicit_report *report) {
    vo_solve_report r = {0};
    if (!def->direct) r = solve_pcg(s, def, def->max_iterations);
    report->iterations = r.iterations;
    if (r.no_memory) {
        (void)vo_fail_memory(s->ctx, "the solver");
        report->outcome = VO_STEP_NO_MEMORY;
    }
    if (r.converged || r.no_memory) return r;
    report->fell_back = !def->direct;
    if (vo_direct_available()) {
        if (solve_direct(s, &r) != VO_OK) report->outcome = VO_STEP_NO_MEMORY;
        return r;
    }
    memset(s->guess, 0, (size_t)s->system.row_count * sizeof *s->guess);
    vo_implicit_drop_previous_dv(s);
    r = solve_pcg(s, def, 4 * def->max_iterations);
    report->iterations += r.iterations;
    return r;
}

static vo_implicit_report solve(vo_implicit *s, const vo_implicit_def *def) {
    vo_implicit_report report = {.outcome = VO_STEP_UNSOLVED};
    if (!all_rows(s, def->dt, test_right_side)) {
        report.outcome = VO_STEP_NOT_FINITE;
        return report;
    }
    vo_solve_report r = solve_with_fallback(s, def, &report);
    report.residual = r.residual;
    if (r.converged && vo_implicit_result_is_bounded(s, def->dt)) report.outcome = VO_STEP_SOLVED;
    return report;
}

vo_implicit_report vo_implicit_solve(vo_implicit *s, const vo_implicit_def *def,
                                     const vo_constraints *constraints) {
    if (s->system.row_count == 0) return (vo_implicit_report){.outcome = VO_STEP_SOLVED};
    double start = vo_now();
    vo_implicit_report report = {.outcome = VO_STEP_NO_MEMORY};
    if (assemble(s, def, constraints) != VO_OK) return report;
    double assembled = vo_now();
    report = solve(s, def);
    report.assemble_s = assembled - start;
    report.solve_s = vo_now() - assembled;
    return report;
}

typedef struct apply_job {
    vo_implicit *s;
    double dt;
} apply_job;

static void apply_rows(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    const apply_job *job = arg;
    vo_implicit *s = job->s;
    double dt = job->dt;
    for (int i = begin; i < end; i++) {
        vo_vec4 *x = &s->x[i], *v = &s->v[i];
        const vo_vec4 *dv = &s->dv[i];
        *v = (vo_vec4){v->x + dv->x, v->y + dv->y, v->z + dv->z, 0};
        *x = (vo_vec4){x->x + dt * v->x, x->y + dt * v->y, x->z + dt * v->z, 0};
        s->previous_dv[i] = s->guess[i];
        s->guess[i] = *dv;
    }
}

void vo_implicit_apply(vo_implicit *s, double dt) {
    apply_job job = {s, dt};
    vo_parallel_for(s->ctx, s->system.row_count, VO_LIGHT_GRAIN, apply_rows, &job);
    s->has_previous_dv = true;
}

void vo_implicit_drop_previous_dv(vo_implicit *s) { s->has_previous_dv = false; }

void vo_implicit_freeze(vo_implicit *s, double dt, const vo_constraints *constraints) {
    vo_implicit_drop_previous_dv(s);
    set_pinned_velocities(s, constraints);
    for (int i = 0; i < s->system.row_count; i++) {
        vo_vec4 *x = &s->x[i], *v = &s->v[i];
        s->guess[i] = (vo_vec4){0};
        if (!s->fixed[i] || !is_bounded(*v)) *v = (vo_vec4){0};
        *x = (vo_vec4){x->x + dt * v->x, x->y + dt * v->y, x->z + dt * v->z, 0};
    }
}

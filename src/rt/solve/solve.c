/* The minor step of one cloth. */
#include "rt/solve/solve.h"

#include "math/simd_float.h"
#include "rt/solve/constraints.h"
#include "rt/solve/kernels.h"
#include "rt/solve/levels.h"

enum { MAX_SUBSTEPS = 256 };
enum { PROVOT_PASSES = 4 };
/* Substeps are increased up to this factor to limit the elongation under the cloth's own weight. */
enum { MAX_SUBSTEP_FACTOR = 6 };

/* The elements 1/2 k (3 l^2 / A) theta^2 of a bent mesh add up to 1.5 times the energy of a plate
 * of stiffness k for equilateral triangles, and to twice that for halved squares. */
static const float BEND_CALIBRATION = 0.6f;
static const float PI2 = 9.8696044f; /* pi^2 */
/* Bending passes per second, at least, and the largest relative stiffness of a pass. */
static const float BEND_RATE = 120, MAX_BEND_RATIO = 1;
/* Springs beyond this fraction of the stretch limit are shortened to it; a finite number of passes
 * leaves some of them between it and the limit. The pass of each substep keeps the elongation from
 * growing, further ones in the last substeps reduce what is shown. Contacts are solved after each
 * of these: friction on a shoulder would otherwise undo all of them at the end. */
static const float LIMIT_TARGET = 0.6f;
enum { LIMIT_PASSES = 4, LAST_SUBSTEPS = 2 };
/* Internal damping, m^2/s: differences of velocity between vertices at distance l decay at the rate
 * INTERNAL_VISCOSITY / l^2. */
static const float INTERNAL_VISCOSITY = 1e-3f;

typedef vo_rt_minor_step minor_step;

static vo_rt_substep prepare_substep(const vo_rt_solve_def *def, int substeps) {
    float h = def->dt / (float)substeps;
    return (vo_rt_substep){.h = h,
                           .inverse_h = 1 / h,
                           .acceleration = f3_add(def->gravity, def->frame_acceleration),
                           .retention = expf(-f_max(def->fabric.damping, 0) * h),
                           .max_speed = def->max_speed};
}

/* Contacts with bodies at the end of a substep. */
static void solve_contacts(const minor_step *s, int index) {
    float time = (float)(index + 1) / (float)s->substeps * s->def->dt, h = s->substep.h;
    s->kernels->project_contacts(s->front, s->def->contact_groups, s->group_count, time, h);
    vo_rt_project_contacts(s->front, s->contacts + s->grouped, s->contact_count - s->grouped, time,
                           h);
}

/* Shortens springs beyond the limit, and keeps contacts. */
static void limit_stretch(const minor_step *s, int index, const vo_rt_spring_pass *pass) {
    if (s->substeps - index > LAST_SUBSTEPS) return;
    for (int k = 0; k < LIMIT_PASSES; k++) {
        if (k > 0) solve_contacts(s, index);
        s->kernels->limit_springs(s->front, pass);
    }
}

static void solve_springs(const minor_step *s, int index) {
    const vo_rt_solve_kernels *kernels = s->kernels;
    float h = s->substep.h;
    vo_rt_spring_pass pass = {.compliance = f_max(s->def->fabric.stretch_compliance, 0) / (h * h),
                              .limit = f_max(s->def->stretch_limit, 0),
                              .compression = f_max(s->def->compression, 0),
                              .buckling = PI2 * f_max(s->def->fabric.bend_stiffness, 0) * h * h};
    if (s->def->solver == VO_RT_SOLVER_XPBD) {
        pass.limit *= LIMIT_TARGET;
        kernels->project_springs(s->front, &pass);
        limit_stretch(s, index, &pass);
    } else {
        kernels->apply_spring_forces(s->front, &pass);
        for (int k = 0; k < PROVOT_PASSES; k++) kernels->limit_springs(s->front, &pass);
    }
}

/* Split edges do not stretch: the compliance of the fabric is that of the leaf springs. */
static void solve_levels(const minor_step *s) {
    if (!s->def->levels || s->def->solver != VO_RT_SOLVER_XPBD) return;
    vo_rt_levels_project(s->def->levels, s->front, s->def->use_avx2);
}

/* Substeps between bending passes. They are implicit (bend_kernel.c), so that any interval is
 * stable, but stiff elements lose stiffness: k sum w |grad|^2 t^2 of regular triangles with
 * vertices of mass m, which is about 16 k rho t^2 / m^2 for an interval t, is kept below
 * MAX_BEND_RATIO. */
static int choose_bend_interval(const minor_step *s, float mean_mass) {
    float stiffness = BEND_CALIBRATION * s->def->fabric.bend_stiffness, h = s->substep.h;
    float ratio = 16 * stiffness * s->def->fabric.density * h * h / (mean_mass * mean_mass);
    int interval = (int)((float)s->substeps / f_max(ceilf(s->def->dt * BEND_RATE - 0.01f), 1));
    while (interval > 1 && ratio * (float)(interval * interval) > MAX_BEND_RATIO)
        interval = (interval + 1) / 2;
    return interval > 1 ? interval : 1;
}

/* Stiffness of the split edges, which leaf elements do not transmit (levels.h). */
static void bend_levels(const minor_step *s, vo_rt_bend_pass pass, float stiffness) {
    if (!s->def->levels || vo_rt_levels_count(s->def->levels) == 0) return;
    pass.stiffness = stiffness;
    s->kernels->bend_levels(s->def->levels, s->front, &pass);
}

static void solve_bends(const minor_step *s, int index) {
    float stiffness = BEND_CALIBRATION * s->def->fabric.bend_stiffness;
    if (!(stiffness > 0) || index % s->bend_interval != 0) return;
    int left = s->substeps - index; /* the last interval may be shorter */
    int interval = left < s->bend_interval ? left : s->bend_interval;
    float duration = (float)interval * s->substep.h;
    vo_rt_bend_pass pass = {.stiffness = stiffness * duration * duration,
                            .scale = 1 / (float)interval,
                            .lookahead = (float)(interval - 1)};
    bend_levels(s, pass, s->def->fabric.bend_stiffness * duration * duration);
    s->kernels->project_bends(s->front, &pass);
}

static void solve_pose(const minor_step *s) {
    vo_rt_pull_attached(s->front, s->slots.pulled, s->substep.h);
    vo_rt_limit_distance(s->front, s->slots.limited);
    vo_rt_apply_backstops(s->front, s->slots.backstop);
}

/* Constraints of the host at the end of a substep. */
static void solve_host(const minor_step *s, float end) {
    if (!s->def->constraint) return;
    vo_rt_substep_view view = {s->front->vertex_end, &s->front->position[0].x,
                               s->def->time + (double)(end * s->def->dt)};
    s->def->constraint(s->def->constraint_user, &view);
}

/* Returns the number of clamped velocities. Bodies come last of the library's own constraints, so
 * that they prevail. */
static int run_substep(const minor_step *s, int index) {
    float end = (float)(index + 1) / (float)s->substeps;
    int clamped = s->kernels->predict(s->front, &s->substep, index == 0);
    vo_rt_move_prescribed(s->front, s->slots.prescribed, end);
    solve_bends(s, index);
    solve_levels(s);
    solve_springs(s, index);
    vo_rt_project_tethers(s->asset, s->front);
    vo_rt_project_links(s->asset, s->front, s->def->link_strength, s->substep.h);
    solve_pose(s);
    solve_contacts(s, index);
    solve_host(s, end);
    return clamped;
}

static void begin_step(minor_step *s) {
    vo_rt_begin_contacts(s->front, s->contacts, s->contact_count);
    if (s->def->contact_groups)
        s->group_count = vo_rt_group_contacts(s->def->contact_groups, s->contacts, s->contact_count,
                                              &s->grouped);
    if (s->slots.backstop.end > 0) s->kernels->compute_normals(s->front, s->front->target);
    const vo_rt_fabric *fabric = &s->def->fabric;
    if (s->def->air && s->def->air->density > 0 && (fabric->drag > 0 || fabric->lift > 0))
        s->kernels->apply_air(s->front, s->def->air, fabric, s->def->dt);
}

/* A step without duration: only measures the state. */
static vo_rt_solve_result measure(const vo_rt_front *front) {
    vo_rt_solve_result result = {.is_finite = true};
    for (int i = 0; i < front->vertex_end; i++) {
        vo_rt_vec3 v = f4_xyz(front->velocity[i]);
        result.is_finite &= f3_is_finite(f4_xyz(front->position[i])) && f3_is_finite(v);
        result.max_speed = f_max(f3_length(v), result.max_speed);
    }
    return result;
}

/* Acceleration that the constraints must resist: gravity, and half of the pressure of the wind. */
static float estimate_load(const vo_rt_solve_def *def) {
    float g = f3_length(f3_add(def->gravity, def->frame_acceleration));
    if (!def->air) return g;
    float pressure = 0.5f * def->air->density * f3_length2(def->air->wind) * def->fabric.drag;
    return g + 0.5f * pressure / def->fabric.density;
}

/* With one pass per substep, a hanging cloth of length L elongates by about 1.4 L g h^2 / l^2 at
 * the top, where l is the length of its springs; transients are up to twice as large. Substeps of
 * h = l / (SUBSTEP_RATE sqrt(L g)) keep the 99th percentile below 5 % in both cases. */
static const float SUBSTEP_RATE = 7.2f;

static int choose_substeps(const vo_rt_asset *asset, const vo_rt_solve_def *def, int vertex_count,
                           float mean_mass) {
    int least = def->substeps < 1 ? 1 : def->substeps < MAX_SUBSTEPS ? def->substeps : MAX_SUBSTEPS;
    int most = MAX_SUBSTEP_FACTOR * least;
    /* Split edges carry the weight of finer cloth (levels.h): base edges determine the substeps. */
    if (def->levels && vertex_count > asset->vertex_count)
        mean_mass *= (float)vertex_count / (float)asset->vertex_count;
    vo_rt_vec3 size = f3_sub(asset->max, asset->min);
    float length = f_max(f_max(size.x, size.y), size.z);
    /* Equilateral triangles: m = sqrt(3) / 2 rho l^2 */
    float spring2 = mean_mass / (0.866f * def->fabric.density);
    float need = SUBSTEP_RATE * def->dt * sqrtf(length * estimate_load(def) / spring2);
    if (!(need > (float)least)) return least; /* also if something is not finite */
    return need < (float)most ? (int)ceilf(need) : most;
}

void vo_rt_solve_set_substeps(vo_rt_minor_step *s, int substeps) {
    s->substeps = substeps;
    s->substep = prepare_substep(s->def, substeps);
    s->bend_interval = choose_bend_interval(s, s->slots.mean_mass);
}

void vo_rt_solve_begin(vo_rt_minor_step *s, const vo_rt_asset *asset, vo_rt_front *front,
                       vo_rt_contact *contacts, int contact_count, const vo_rt_solve_def *def) {
    *s = (vo_rt_minor_step){.asset = asset,
                            .front = front,
                            .contacts = contacts,
                            .contact_count = contact_count,
                            .own_def = *def,
                            .kernels = vo_rt_solve_select_kernels(def->use_avx2),
                            .slots = vo_rt_begin_vertices(front)};
    s->def = &s->own_def;
    if (!(def->dt > 1e-9f) || !isfinite(def->dt)) return;
    vo_rt_solve_set_substeps(s,
                             choose_substeps(asset, def, front->vertex_count, s->slots.mean_mass));
    begin_step(s);
}

void vo_rt_solve_run(vo_rt_minor_step *s, int index) { s->clamped += run_substep(s, index); }

vo_rt_solve_result vo_rt_solve_end(vo_rt_minor_step *s) {
    if (s->substeps == 0) return measure(s->front);
    vo_rt_solve_result result = s->kernels->finish(s->front, &s->substep);
    if (s->grouped > 0) vo_rt_store_impulses(s->def->contact_groups, s->contacts, s->grouped);
    s->kernels->damp_springs(s->front, INTERNAL_VISCOSITY * s->def->dt);
    result.clamped_velocities += s->clamped;
    if (s->slots.backstop.end > 0) s->kernels->compute_normals(s->front, s->front->position);
    return result;
}

vo_rt_solve_result vo_rt_solve_step(const vo_rt_asset *asset, vo_rt_front *front,
                                    vo_rt_contact *contacts, int contact_count,
                                    const vo_rt_solve_def *def) {
    vo_rt_minor_step s;
    vo_rt_solve_begin(&s, asset, front, contacts, contact_count, def);
    for (int k = 0; k < s.substeps; k++) vo_rt_solve_run(&s, k);
    return vo_rt_solve_end(&s);
}

void vo_rt_solve_normals(vo_rt_front *front) {
    vo_rt_solve_select_kernels(vo_simd_has_avx2())->compute_normals(front, front->position);
}

void vo_rt_solve_bend_cosines(vo_rt_front *front) {
    vo_rt_solve_select_kernels(vo_simd_has_avx2())->measure_bends(front);
}

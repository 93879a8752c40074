/* The quality step. Stage = function = timer = field of the statistics. */
#include "core/timer.h"
#include "sim/sim.h"

#include <string.h>

enum { MAX_CUTS = 5 }; /* a substep is halved at most this often before the cloth is held */

/* Forces are linear only as long as faces keep about their size: a step in which they alone move a
 * node by more than this many sizes of a mean face is halved, too. */
static const double LONGEST_LEAP = 3;

/* ---- stages --------------------------------------------------------------------------------- */

/* A step's times, s. `end` is begin + dt, but for rounding: the same moment always has the same
 * bits, also where the next step or a resumed run begins with it. */
typedef struct span {
    double begin, end, dt;
} span;

/* Obstacles and handles to where they are at the end. */
static void move(vo_sim *sim, span t) {
    double start = vo_now();
    vo_sim_obstacles_aim(sim, t.end, t.dt);
    vo_sim_handles_move(sim, t.begin, t.end, t.dt);
    sim->stats.stage.move += vo_now() - start;
}

/* Obstacles that are too fast to be followed are there already, with what they wear. */
static vo_result jump(vo_sim *sim, span t) {
    double start = vo_now();
    bool jumped;
    VO_TRY(vo_sim_jump(sim, t.end, t.dt, &jumped));
    sim->stats.stage.move += vo_now() - start;
    if (!jumped) return VO_OK;
    move(sim, t);
    sim->contact.appeared = true;
    return VO_OK;
}

/* An obstacle that appears may do so amidst cloth, which then starts this step beside it. */
static vo_result make_room(vo_sim *sim, span t) {
    VO_TRY(jump(sim, t));
    if (!sim->contact.appeared) return VO_OK;
    double start = vo_now();
    vo_sim_contact_aim(sim, t.dt);
    vo_result result = vo_sim_untangle(sim);
    vo_sim_load_rows(sim);
    sim->stats.stage.contact += vo_now() - start;
    return result;
}

/* Contacts between what is close. */
static vo_result contact(vo_sim *sim, double dt) {
    double start = vo_now();
    vo_result result = vo_sim_contact_find(sim, dt);
    sim->stats.stage.contact += vo_now() - start;
    return result;
}

/* One linearised backward Euler step, applied if it could be solved. */
static vo_step_outcome solve(vo_sim *sim, double dt) {
    const vo_scene_def *def = &sim->scene->def;
    vo_implicit_def step = {
        .dt = dt,
        .gravity = def->gravity,
        .wind = {def->wind_density, def->wind_velocity, def->wind_drag},
        .direct = def->solver == VO_SOLVER_DIRECT,
        .tolerance = def->solver_tolerance,
        .max_iterations = def->solver_max_iterations,
    };
    vo_implicit_report report = vo_implicit_solve(&sim->implicit, &step, &sim->constraints);
    vo_stats *stats = &sim->stats;
    stats->stage.assemble += report.assemble_s;
    stats->stage.solve += report.solve_s;
    stats->iterations += report.iterations;
    stats->direct_solves += report.fell_back;
    if (report.outcome == VO_STEP_SOLVED) {
        stats->solver_residual = vo_max(stats->solver_residual, report.residual);
        vo_implicit_apply(&sim->implicit, dt);
    }
    return report.outcome;
}

/* Brings stretches back within their limits. */
static void limit(vo_sim *sim, double dt) {
    if (sim->scene->def.disable & VO_DISABLE_STRAIN_LIMITING) return;
    double start = vo_now();
    vo_limit_report report = vo_strain_limit(&sim->implicit, dt);
    sim->stats.limit_passes += report.solves;
    sim->stats.iterations += report.iterations;
    sim->stats.stage.limit += vo_now() - start;
}

/* From the last state to the new one without passing through anything. */
static vo_result collide(vo_sim *sim, double dt) {
    double start = vo_now();
    vo_result result = vo_sim_contact_collide(sim, dt);
    sim->stats.stage.collide += vo_now() - start;
    return result;
}

/* What the frame came to, exactly. */
static vo_result inspect(vo_sim *sim) {
    double start = vo_now();
    VO_TRY(vo_sim_measure_frame(sim, &sim->stats));
    sim->stats.stage.inspect += vo_now() - start;
    return VO_OK;
}

/* What remeshing tangled in spite of its guard is put apart at once. */
static vo_result untangle(vo_sim *sim) {
    const vo_stats *stats = &sim->stats;
    bool edited = stats->splits + stats->collapses + stats->flips > 0;
    if (!edited || stats->intersections == 0) return VO_OK;
    double start = vo_now();
    VO_TRY(vo_sim_untangle_edits(sim));
    vo_sim_load_rows(sim);
    sim->stats.stage.remesh += vo_now() - start;
    vo_sim_buckle_aim(sim); /* faces are elsewhere, as a resumed run will have them */
    return inspect(sim);
}

/* ---- the substep ---------------------------------------------------------------------------- */

/* The new state is in the rows and in the surface: it becomes that of the meshes and handles. */
static void accept(vo_sim *sim, double dt) {
    vo_sim_settle_fade(sim, dt);
    vo_sim_handles_keep(sim);
    vo_sim_obstacles_keep(sim, dt);
    vo_sim_store_rows(sim);
}

/* Holds the cloth where it is: what is left when even the shortest step has no solution. */
static vo_step_outcome hold(vo_sim *sim, span t, vo_step_outcome reason) {
    sim->stats.held_steps++;
    move(sim, t);
    if (make_room(sim, t) != VO_OK) return VO_STEP_NO_MEMORY;
    vo_sim_contact_aim(sim, t.dt);
    vo_implicit_hold(&sim->implicit, t.dt, &sim->constraints);
    if (collide(sim, t.dt) != VO_OK) return VO_STEP_NO_MEMORY;
    accept(sim, t.dt);
    return reason;
}

/* In a clump (collide/clump.h) shorter steps would fail as well, and each takes long: one is enough
 * to know. The next substep tries again. */
static vo_step_outcome hold_clump(vo_sim *sim, span t) {
    vo_sim_contact_tell_held(sim);
    vo_step_outcome outcome = hold(sim, t, VO_STEP_UNSOLVED);
    return outcome == VO_STEP_UNSOLVED ? VO_STEP_SOLVED : outcome;
}

/* Whether the change of velocities moves a node too far for one step. */
static bool leaps(const vo_sim *sim, double dt) {
    const vo_implicit *s = &sim->implicit;
    double longest = LONGEST_LEAP * sim->face_size / dt;
    for (int i = 0; i < s->system.row_count; i++) {
        const vo_vec4 *dv = &s->dv[i];
        if (dv->x * dv->x + dv->y * dv->y + dv->z * dv->z > longest * longest) return true;
    }
    return false;
}

/* Contact, solve, limit and collide, without taking the result. */
static vo_step_outcome try_step(vo_sim *sim, span t, bool last_try) {
    move(sim, t);
    if (make_room(sim, t) != VO_OK || contact(sim, t.dt) != VO_OK) return VO_STEP_NO_MEMORY;
    vo_step_outcome outcome = solve(sim, t.dt);
    if (outcome != VO_STEP_SOLVED) return outcome;
    /* in a clump shorter steps leap as well, and each takes long: the response holds it */
    if (!last_try && !sim->contact.crowded && leaps(sim, t.dt)) return VO_STEP_UNSOLVED;
    vo_sim_friction_measure(sim, t.dt);
    limit(sim, t.dt);
    return collide(sim, t.dt) == VO_OK ? VO_STEP_SOLVED : VO_STEP_NO_MEMORY;
}

/* One step, halved where it cannot be solved. Returns the outcome of the last solve; once one has
 * failed for good, the cloth is held for the rest of the step. */
static vo_step_outcome advance(vo_sim *sim, span t, int cuts) {
    sim->stats.substeps++;
    vo_step_outcome outcome = try_step(sim, t, cuts == MAX_CUTS);
    if (outcome == VO_STEP_SOLVED) {
        accept(sim, t.dt);
        return outcome;
    }
    vo_sim_load_rows(sim);
    if (sim->contact.crowded && outcome == VO_STEP_UNSOLVED) return hold_clump(sim, t);
    if (outcome != VO_STEP_UNSOLVED || cuts == MAX_CUTS) return hold(sim, t, outcome);
    sim->stats.step_cuts++;
    vo_implicit_forget_earlier(&sim->implicit); /* of a step that leaps and is not taken */
    double middle = t.begin + t.dt / 2;
    span first = {t.begin, middle, t.dt / 2}, second = {middle, t.end, t.dt / 2};
    outcome = advance(sim, first, cuts + 1);
    if (outcome == VO_STEP_SOLVED) return advance(sim, second, cuts + 1);
    return hold(sim, second, outcome);
}

/* When the frame after the present one begins: frame 0 does at 0 sharp, whatever comes before. */
static double next_frame_time(const vo_sim *sim) {
    double frame_time = sim->scene->def.frame_time;
    return sim->frame < 0 ? (sim->frame + 1) * frame_time : sim->frame_start + frame_time;
}

/* When the substep after the present one begins. */
static double next_time(const vo_sim *sim) {
    if (sim->substep + 1 == sim->scene->def.frame_steps) return next_frame_time(sim);
    return sim->frame_start + (sim->substep + 1) * sim->dt;
}

static void count_substep(vo_sim *sim) {
    if (++sim->substep < sim->scene->def.frame_steps) return;
    sim->substep = 0;
    sim->frame_start = next_frame_time(sim);
    sim->frame++;
}

static void begin_frame(vo_sim *sim) {
    vo_sim_view_begin_frame(sim);
    vo_stats_begin(&sim->stats, sim->frame + 1, vo_sim_time(sim));
    sim->stats.untangled = sim->untangled;
    sim->untangled = 0;
}

/* Meshes follow the cloth. */
static vo_result end_frame(vo_sim *sim) {
    double start = vo_now();
    vo_result result = vo_sim_remesh_run(sim);
    sim->broken = result;
    sim->stats.wall_s += vo_now() - start;
    vo_sim_view_judge(sim);
    return result;
}

vo_result vo_sim_step(vo_sim *sim) {
    if (sim->broken != VO_OK)
        return vo_fail(sim->ctx, sim->broken, "a simulation whose remeshing failed cannot go on");
    /* the whole preroll is of frame 0, whose statistics began with the simulation */
    if (sim->substep == 0 && sim->frame >= 0) begin_frame(sim);
    if (sim->substep == 0) vo_implicit_forget_earlier(&sim->implicit);
    double start = vo_now();
    span t = {vo_sim_time(sim), next_time(sim), sim->dt};
    vo_step_outcome outcome = VO_STEP_SOLVED;
    if (sim->scene->def.disable & VO_DISABLE_PHYSICS) {
        vo_sim_obstacles_place(sim, t.end);
        vo_sim_handles_move(sim, t.begin, t.end, t.dt);
    } else {
        vo_sim_load_rows(sim);
        outcome = advance(sim, t, 0);
    }
    count_substep(sim);
    vo_result result = outcome == VO_STEP_NO_MEMORY ? VO_NO_MEMORY : VO_OK;
    sim->stats.time = vo_sim_time(sim);
    sim->stats.wall_s += vo_now() - start; /* now, since a budget of seconds looks at it */
    return result == VO_OK && sim->substep == 0 ? end_frame(sim) : result;
}

/* Once: the statistics count all of them. Clumps have been told of (contact.c). */
static void tell_held(vo_sim *sim) {
    const vo_stats *stats = &sim->stats;
    if (stats->held_steps == 0 || sim->held_told || sim->contact.clump_frame == sim->frame) return;
    sim->held_told = true;
    vo_log_line(sim->ctx, VO_LOG_WARNING,
                "frame %d: %d substeps have no solution, and the cloth was held still in them; are "
                "its size and place, its materials and the forces on it those of cloth in metres, "
                "kilograms and seconds? Later frames are counted (held_steps), not told",
                sim->frame, stats->held_steps);
}

/* No cloth is stretched to more than twice its length. */
static const double RUBBER = 1;

/* Once, and not of the preroll: the statistics have it of each frame. */
static void tell_strain(vo_sim *sim) {
    double strain = sim->stats.max_strain;
    if (!(strain > RUBBER) || sim->strain_told || sim->frame < 0) return;
    sim->strain_told = true;
    vo_log_line(
        sim->ctx, VO_LOG_WARNING,
        "frame %d: some cloth is stretched to %.3g times its length, which no fabric is; is "
        "something pulling it apart (handles, a body that is too large or too fast), or is "
        "its material too soft for its weight? max_strain of the statistics tells of later "
        "frames",
        sim->frame, 1 + strain);
}

vo_result vo_sim_step_frame(vo_sim *sim) {
    do {
        VO_TRY(vo_sim_step(sim));
    } while (sim->substep != 0);
    double start = vo_now();
    VO_TRY(inspect(sim));
    VO_TRY(untangle(sim));
    tell_held(sim);
    tell_strain(sim);
    sim->stats.wall_s += vo_now() - start;
    vo_sim_view_judge(sim);
    return VO_OK;
}

/* ---- before the first step ------------------------------------------------------------------ */

/* Beyond this strain cloth is not stretched but put together badly. */
static const double TORN = 0.5;

enum { MAX_RELAXING = 60 };

static double largest_strain(const vo_sim *sim) {
    double max = 0, min = 0;
    for (int c = 0; c < sim->cloth_count; c++) vo_mesh_strain(sim->cloth[c].mesh, &max, &min);
    return max;
}

static void stop(vo_sim *sim) {
    for (int c = 0; c < sim->cloth_count; c++) {
        vo_mesh *mesh = sim->cloth[c].mesh;
        for (int i = 0; i < mesh->node_count; i++) mesh->node_v[i] = v3(0, 0, 0);
    }
    vo_implicit *s = &sim->implicit;
    for (int i = 0; i < s->system.row_count; i++) s->guess[i] = (vo_vec4){0};
    vo_implicit_forget_earlier(s);
}

/* The velocities of the scene, whose meshes have the same nodes. */
static void set_off(vo_sim *sim) {
    for (int c = 0; c < sim->cloth_count; c++) {
        vo_mesh *mesh = sim->cloth[c].mesh;
        for (int i = 0; i < mesh->node_count; i++)
            mesh->node_v[i] = sim->scene->cloth[c].mesh->node_v[i];
    }
}

/* Takes back so much of the solver's step that no node moves by more than the size of a face. */
static void shorten(vo_sim *sim) {
    vo_implicit *s = &sim->implicit;
    double longest = 0;
    for (int i = 0; i < s->system.row_count; i++) {
        const vo_vec4 *v = &s->v[i];
        longest = vo_max(longest, v->x * v->x + v->y * v->y + v->z * v->z);
    }
    double part = vo_min(1, sim->face_size / (sim->dt * sqrt(longest)));
    for (int i = 0; i < s->system.row_count; i++) {
        vo_vec4 *x = &s->x[i], *v = &s->v[i];
        double back = sim->dt * (1 - part);
        *x = (vo_vec4){x->x - back * v->x, x->y - back * v->y, x->z - back * v->z, 0};
        *v = (vo_vec4){part * v->x, part * v->y, part * v->z, 0};
    }
}

/* One step without time, in which only cloth moves, and not far. */
static vo_step_outcome relax_once(vo_sim *sim) {
    span t = {vo_sim_time(sim), vo_sim_time(sim), sim->dt};
    stop(sim);
    vo_sim_load_rows(sim);
    move(sim, t);
    if (contact(sim, t.dt) != VO_OK) return VO_STEP_NO_MEMORY;
    vo_step_outcome outcome = solve(sim, t.dt);
    if (outcome != VO_STEP_SOLVED) return outcome;
    shorten(sim);
    if (collide(sim, t.dt) != VO_OK) return VO_STEP_NO_MEMORY;
    accept(sim, t.dt);
    return VO_STEP_SOLVED;
}

vo_result vo_sim_relax(vo_sim *sim) {
    double first = largest_strain(sim), strain = first, best = INFINITY;
    if (first <= TORN || (sim->scene->def.disable & VO_DISABLE_PHYSICS)) return VO_OK;
    int steps = 0;
    vo_step_outcome outcome = VO_STEP_SOLVED;
    for (int since = 0; steps < MAX_RELAXING && strain > TORN && since < 10; steps++, since++) {
        VO_TRY(vo_check_stop(sim->ctx));
        outcome = relax_once(sim);
        if (outcome != VO_STEP_SOLVED) break;
        strain = largest_strain(sim);
        if (strain < 0.99 * best) since = 0, best = strain;
    }
    if (outcome == VO_STEP_NO_MEMORY) return VO_NO_MEMORY;
    stop(sim);
    set_off(sim);
    int untangled = sim->stats.untangled;
    vo_stats_begin(&sim->stats, 0, vo_sim_time(sim));
    sim->stats.untangled = untangled;
    vo_log_line(sim->ctx, VO_LOG_INFO,
                "cloth was stretched by up to %.0f %% at the start; relaxed to %.0f %% in %d steps",
                100 * first, 100 * strain, steps);
    return VO_OK;
}

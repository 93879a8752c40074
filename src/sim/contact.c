/* Contact of cloths and obstacles: the common surface, contacts before the solve, and continuous
 * collision after it. */
#include "collide/dense_region.h"
#include "core/parallel.h"
#include "core/plural.h"
#include "sim/sim.h"

#include <string.h>

/* ---- making and freeing --------------------------------------------------------------------- */

static void free_previous_surface(vo_sim *sim) {
    if (sim->contact.previous_surface.ctx) vo_surface_free(&sim->contact.previous_surface);
}

static vo_result create_surface(vo_sim *sim) {
    int count = sim->cloth_count + sim->obstacle_count;
    vo_surface_source *source = vo_new_array(sim->ctx, vo_surface_source, count + 1);
    if (!source) return vo_fail_memory(sim->ctx, "the surface of contact");
    for (int c = 0; c < sim->cloth_count; c++)
        source[c] = (vo_surface_source){.mesh = sim->cloth[c].mesh};
    for (int i = 0; i < sim->obstacle_count; i++)
        source[sim->cloth_count + i] = (vo_surface_source){.mesh = sim->scene->obstacle[i].mesh,
                                                           .obstacle = true,
                                                           .rigid = sim->obstacle[i].rigid};
    vo_surface *surface = &sim->contact.surface;
    const vo_surface *before =
        sim->contact.previous_surface.ctx ? &sim->contact.previous_surface : NULL;
    vo_result result = vo_surface_create(sim->ctx, count, source, before, surface);
    vo_free_array(sim->ctx, source, count + 1);
    free_previous_surface(sim);
    for (int i = 0; i < sim->obstacle_count && result == VO_OK; i++)
        surface->part[sim->cloth_count + i].rest = sim->scene->obstacle[i].mesh->node_x;
    return result;
}

static vo_result create_rows(vo_sim *sim) {
    const vo_system *system = &sim->implicit.system;
    vo_sim_contact *c = &sim->contact;
    c->row_count = system->row_count;
    size_t bytes = vo_array_bytes((size_t)system->row_count, sizeof *c->node_normal_force);
    c->row_node = vo_new_array(sim->ctx, int, system->row_count);
    c->node_normal_force = vo_alloc_zero(sim->ctx, bytes);
    c->node_impulse_sum = vo_alloc_zero(sim->ctx, bytes);
    c->node_pressed = vo_alloc_zero(sim->ctx, (size_t)system->row_count);
    if (system->row_count &&
        (!c->row_node || !c->node_normal_force || !c->node_impulse_sum || !c->node_pressed))
        return vo_fail_memory(sim->ctx, "contacts");
    for (int i = 0; i < system->row_count; i++) c->row_node[system->row_of[i]] = i;
    return VO_OK;
}

vo_result vo_sim_contact_create(vo_sim *sim) {
    vo_sim_contact *c = &sim->contact;
    VO_TRY(create_surface(sim));
    VO_TRY(create_rows(sim));
    VO_TRY(vo_candidates_create(sim->ctx, &c->surface, sim->scene->def.repulsion_thickness,
                                &c->obstacle_cache, &c->candidates));
    return vo_response_create(sim->ctx, &c->surface, &c->response);
}

/* Frees everything except the data reused by the next rebuild, to which the surface is added. */
static void free_contact(vo_sim *sim) {
    vo_sim_contact *c = &sim->contact;
    vo_free_array(sim->ctx, c->contact, c->contact_capacity);
    vo_contact_cull_free(sim->ctx, &c->cull);
    vo_free_array(sim->ctx, c->row_node, c->row_count);
    vo_free_array(sim->ctx, c->node_normal_force, c->row_count);
    vo_free_array(sim->ctx, c->node_impulse_sum, c->row_count);
    vo_free(sim->ctx, c->node_pressed, (size_t)c->row_count);
    vo_response_destroy(c->response);
    vo_candidates_destroy(c->candidates);
    free_previous_surface(sim);
    *c = (vo_sim_contact){.previous_surface = c->surface, .obstacle_cache = c->obstacle_cache};
}

vo_result vo_sim_contact_drop(vo_sim *sim) {
    vo_sim_contact *c = &sim->contact;
    vo_result result =
        c->candidates ? vo_candidates_save_obstacles(c->candidates, &c->obstacle_cache) : VO_OK;
    free_contact(sim);
    return result;
}

void vo_sim_contact_free(vo_sim *sim) {
    free_contact(sim);
    free_previous_surface(sim);
    vo_obstacle_cache_free(sim->ctx, &sim->contact.obstacle_cache);
}

/* ---- before the solve ----------------------------------------------------------------------- */

static vo_vec3 xyz(vo_vec4 p) { return v3(p.x, p.y, p.z); }

/* A loop over the nodes of all cloths. */
typedef struct node_job {
    vo_sim *sim;
    double dt;
} node_job;

static void over_nodes(vo_sim *sim, double dt, vo_loop_fn *body) {
    node_job job = {sim, dt};
    vo_parallel_for(sim->ctx, sim->contact.surface.cloth_node_count, VO_LIGHT_GRAIN, body, &job);
}

static void aim_nodes(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    const node_job *job = arg;
    vo_surface *s = &job->sim->contact.surface;
    const vo_implicit *m = &job->sim->implicit;
    for (int i = begin; i < end; i++) {
        int row = m->system.row_of[i];
        double mass = m->system.mass[row];
        s->x0[i] = xyz(m->x[row]);
        s->x1[i] = v3_add_scaled(s->x0[i], job->dt, xyz(m->v[row]));
        s->inverse_mass[i] = mass > 0 ? 1 / mass : 0;
    }
}

void vo_sim_contact_set_targets(vo_sim *sim, double dt) {
    vo_surface *s = &sim->contact.surface;
    over_nodes(sim, dt, aim_nodes);
    for (int k = 0; k < sim->constraints.pin_count; k++) {
        const vo_pin *pin = &sim->constraints.pin[k];
        int i = sim->contact.row_node[pin->row];
        s->x1[i] = v3_add_scaled(s->x0[i], dt, pin->velocity);
        s->inverse_mass[i] = 0;
    }
}

static vo_result reserve_contacts(vo_sim *sim, int count) {
    vo_sim_contact *c = &sim->contact;
    bool ok = vo_reserve(sim->ctx, &c->contact, &c->contact_capacity, count);
    return ok ? VO_OK : vo_fail_memory(sim->ctx, "contacts");
}

vo_result vo_sim_contact_find(vo_sim *sim, double dt) {
    const vo_scene_def *def = &sim->scene->def;
    vo_contact_def contact = {.dt = dt,
                              .stiffness = def->collision_stiffness,
                              .friction = sim->environment.friction,
                              .obstacle_friction = sim->environment.obstacle_friction};
    const vo_proximity *near = NULL;
    int near_count = 0, count = 0;
    vo_sim_contact_set_targets(sim, dt);
    sim->constraints.contact_count = 0;
    sim->contact.over_budget = false;
    if (def->disable & VO_DISABLE_PROXIMITY) return VO_OK;
    VO_TRY(vo_candidates_find_proximities(sim->contact.candidates, &near_count, &near));
    VO_TRY(reserve_contacts(sim, near_count));
    VO_TRY(vo_contact_cull_select(sim->ctx, &sim->contact.surface, near_count, near,
                                  &sim->contact.cull));
    bool thin = sim->contact.cull.over_budget;
    sim->contact.over_budget = thin || vo_candidates_over_budget(sim->contact.candidates);
    for (int i = 0; i < near_count; i++)
        if (!thin || sim->contact.cull.keep[i])
            count += vo_contact_make(&contact, &sim->contact.surface, &near[i],
                                     &sim->contact.contact[count]);
    vo_friction_add(&sim->contact, count, sim->environment.gravity, dt);
    sim->constraints.contact = sim->contact.contact;
    sim->constraints.contact_count = count;
    sim->stats.contacts = vo_max_int(sim->stats.contacts, count);
    return VO_OK;
}

/* ---- after the solve ------------------------------------------------------------------------ */

static void count_search(vo_sim *sim) {
    vo_candidates_report report = vo_candidates_reset_report(sim->contact.candidates);
    sim->stats.broad_phase_updates += report.broad_phase_updated;
    sim->stats.broad_phase_s += report.broad_phase_s;
}

/* Logs the position where obstacles or pinned nodes first had to yield. */
static void warn_lag(vo_sim *sim, const vo_response_report *r) {
    const vo_surface *s = &sim->contact.surface;
    if (r->lagging_nodes == 0 || r->worst_node < 0) return;
    if (!vo_sim_count_warning(sim, VO_WARN_LAG, sim->frame + 1)) return;
    vo_vec3 x = s->x1[r->worst_node];
    int part = s->node_part[r->worst_node];
    bool pinned = part < sim->cloth_count;
    vo_log_line(sim->ctx, VO_LOG_WARNING,
                "frame %d: too little space for cloth at (%.4g, %.4g, %.4g) m, between %s %d and "
                "another moving object; %s: leave more space for the "
                "cloth there",
                sim->frame + 1, x.x, x.y, x.z, pinned ? "the pins of cloth" : "obstacle",
                pinned ? part : part - sim->cloth_count,
                vo_count_words(r->lagging_nodes, "node lags behind its motion",
                               "nodes lag behind their motion")
                    .s);
}

/* Returns a face of a node. */
static int face_of(const vo_surface *s, int node) {
    int f = 0;
    while (f < s->face_count - 1 && s->face[f][0] != node && s->face[f][1] != node &&
           s->face[f][2] != node)
        f++;
    return f;
}

/* Warns about the position of a region with more pairs than can be separated individually. */
static void warn_dense_region(vo_sim *sim, const vo_response_report *r) {
    const vo_surface *s = &sim->contact.surface;
    if (r->dense_nodes == 0 || !vo_sim_count_warning(sim, VO_WARN_DENSE_REGION, sim->frame + 1))
        return;
    int face = face_of(s, r->dense_node), part = s->face_part[face], cloths = sim->cloth_count;
    vo_dense_region clump =
        vo_dense_region_around(s->face_count, (const int(*)[3])s->face, face, s->x0);
    vo_log_line(sim->ctx, VO_LOG_WARNING,
                "frame %d: more comes together around face %d of %s %d than can be kept apart pair "
                "by pair: %d faces lie within %.3g mm of (%.4g, %.4g, %.4g) m, and something moves "
                "by %.3g m in a substep; %s in place",
                sim->frame + 1, face - s->part[part].face_begin,
                part < cloths ? "cloth" : "obstacle", part < cloths ? part : part - cloths,
                clump.face_count, 1e3 * clump.radius, clump.position.x, clump.position.y,
                clump.position.z, r->max_motion,
                vo_count_words(r->frozen_nodes + r->lagging_nodes, "node stays", "nodes stay").s);
}

void vo_sim_contact_warn_frozen_region(vo_sim *sim) {
    const vo_surface *s = &sim->contact.surface;
    vo_dense_region clump =
        vo_dense_region_find(s->face_count, (const int(*)[3])s->face, s->cloth_face_count, s->x0);
    if (clump.face < 0 || !vo_sim_count_warning(sim, VO_WARN_DENSE_REGION, sim->frame + 1)) return;
    int part = s->face_part[clump.face];
    vo_log_line(
        sim->ctx, VO_LOG_WARNING,
        "frame %d: around face %d of cloth %d, %d faces lie within %.3g mm of (%.4g, %.4g, "
        "%.4g) m, too many to be kept apart pair by pair; the cloth has collapsed there and "
        "cannot be moved: it is held where it is",
        sim->frame + 1, clump.face - s->part[part].face_begin, part, clump.face_count,
        1e3 * clump.radius, clump.position.x, clump.position.y, clump.position.z);
}

static void count_response(vo_stats *stats, const vo_response_report *r) {
    stats->impacts += r->impacts;
    stats->impulses += r->impulses;
    stats->zones += r->zones;
    stats->truncated_nodes += r->truncated_nodes;
    stats->frozen_nodes += r->frozen_nodes;
    stats->lagging_nodes += r->lagging_nodes;
}

/* Copies the solver's positions to surface.x1. */
static void load_solver_positions(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    vo_sim *sim = ((const node_job *)arg)->sim;
    for (int i = begin; i < end; i++)
        sim->contact.surface.x1[i] = xyz(sim->implicit.x[sim->implicit.system.row_of[i]]);
}

/* Stores the result of the response; updates the velocities of the nodes that it moved. */
static void store_response(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    const node_job *job = arg;
    const vo_surface *s = &job->sim->contact.surface;
    vo_implicit *m = &job->sim->implicit;
    for (int i = begin; i < end; i++) {
        int row = m->system.row_of[i];
        vo_vec3 x = s->x1[i], v = v3_scale(1 / job->dt, v3_sub(x, s->x0[i]));
        if (v3_equal(x, xyz(m->x[row]))) continue;
        m->x[row] = (vo_vec4){x.x, x.y, x.z, 0};
        m->v[row] = (vo_vec4){v.x, v.y, v.z, 0};
    }
}

vo_result vo_sim_contact_collide(vo_sim *sim, double dt) {
    const vo_scene_def *scene = &sim->scene->def;
    vo_surface *s = &sim->contact.surface;
    over_nodes(sim, dt, load_solver_positions);
    if (scene->disable & VO_DISABLE_COLLISION) {
        count_search(sim);
        return VO_OK;
    }
    vo_response_def def = {.thickness = scene->repulsion_thickness,
                           .friction = sim->environment.friction,
                           .obstacle_friction = sim->environment.obstacle_friction};
    vo_response_report report = {0};
    VO_TRY(vo_response_apply(sim->contact.response, &def, s, sim->contact.candidates, &report));
    count_search(sim);
    warn_lag(sim, &report);
    warn_dense_region(sim, &report);
    count_response(&sim->stats, &report);
    over_nodes(sim, dt, store_response);
    return VO_OK;
}

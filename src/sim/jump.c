/* Obstacles that jump: faster than anything that cloth could follow (`magic.jump_speed`).
 *
 * A motion with a jump in it, a cut between two recordings or a T-pose before the first step, says
 * nothing about the way from here to there. So there is none: the obstacle is elsewhere at once, at
 * the beginning of the substep in which it jumps, and rests there until the substep is over. Cloth
 * that it wears goes along (collide/carry.h); other cloth stays, wherever the obstacle would have
 * passed. What intersects then is put apart, as where an obstacle appears. Handles have the poses
 * of the end of that substep, too (handles.c).
 *
 * It wears a cloth of which many nodes are close to it, unless pins hold that cloth back. A cloth
 * that is close to several obstacles which jump goes with the one that is close to most of it. All
 * this follows from the state at the beginning of the substep and from the motions. */
#include "collide/carry.h"
#include "sim/sim.h"

#include <string.h>

/* m, how close a node is to what wears it, beside the thickness of contacts. */
static const double WORN_WITHIN = 0.03;
/* The part of a cloth's nodes that must be as close. */
static const double WORN_SHARE = 0.05;
/* Points of an obstacle that say how it jumps; more of them are thinned out. */
enum { MAX_SAMPLES = 4096 };

/* ---- who jumps ------------------------------------------------------------------------------ */

static const vo_surface_part *part_of(const vo_sim *sim, int obstacle) {
    return &sim->contact.surface.part[sim->cloth_count + obstacle];
}

/* The longest way of a node of an obstacle in the step that it is aimed for, m; 0 if it is not
 * there all the time, or has no way. */
static double way_of(const vo_sim *sim, int obstacle, int *node) {
    const vo_surface_part *part = part_of(sim, obstacle);
    const vo_surface *s = &sim->contact.surface;
    double longest = 0;
    if (!part->present || !sim->obstacle[obstacle].present) return 0;
    for (int i = part->node_begin; i < part->node_end; i++) {
        double way = v3_distance(s->x0[i], s->x1[i]);
        if (!isfinite(way)) return 0;
        if (way > longest) longest = way, *node = i;
    }
    return longest;
}

/* ---- what goes along ------------------------------------------------------------------------ */

/* Of one jump; arrays have room for the largest cloth and the largest obstacle. */
typedef struct jump {
    vo_sim *sim;
    double dt;
    unsigned char *jumps; /* [obstacle_count] */
    int *wearer;          /* [cloth_count] obstacle that each cloth goes with, -1: none */
    int *close;           /* [cloth_count] nodes that are close to it */
    vo_vec3 *x, *v;       /* of a cloth, carried; before that, points that are near */
    vo_vec3 *from, *to;   /* [MAX_SAMPLES] */
    int carried;          /* cloths */
} jump;

static int count_close(const vo_nearest *nearest, const vo_mesh *mesh, double range,
                       vo_vec3 *near) {
    int count = 0;
    vo_nearest_find(nearest, mesh->node_count, mesh->node_x, range, near);
    for (int i = 0; i < mesh->node_count; i++) count += v3_is_finite(near[i]);
    return count;
}

/* The tree of an obstacle, which is kept for its next jump, as it is now. */
static vo_result find_tree(vo_sim *sim, int obstacle, vo_nearest **out) {
    vo_context *ctx = sim->ctx;
    const vo_mesh *mesh = sim->obstacle[obstacle].mesh; /* where it was */
    vo_nearest **all = &sim->jumps.nearest;
    if (!*all) *all = vo_alloc_zero(ctx, vo_array_bytes((size_t)sim->obstacle_count, sizeof **all));
    if (!*all) return vo_fail_memory(ctx, "an obstacle that jumps");
    *out = &(*all)[obstacle];
    if (!(*out)->ctx) VO_TRY(vo_nearest_create(ctx, 1, &mesh, *out));
    return vo_nearest_bend(*out, 0, mesh->node_x);
}

/* Cloths that are closer to this obstacle than to those before it. */
static vo_result find_worn(jump *j, int obstacle) {
    vo_sim *sim = j->sim;
    double range = WORN_WITHIN + sim->scene->def.repulsion_thickness;
    vo_nearest *nearest = NULL;
    VO_TRY(find_tree(sim, obstacle, &nearest));
    for (int c = 0; c < sim->cloth_count; c++) {
        int close = count_close(nearest, sim->cloth[c].mesh, range, j->x);
        if (close <= j->close[c] || close < WORN_SHARE * sim->cloth[c].mesh->node_count) continue;
        j->close[c] = close;
        j->wearer[c] = obstacle;
    }
    return VO_OK;
}

/* Whether the pins of a cloth, if there are any, go about where it is carried, most of them. */
static bool pins_go_along(const jump *j, int cloth) {
    const vo_sim *sim = j->sim;
    const vo_mesh *mesh = sim->cloth[cloth].mesh;
    int with = 0, against = 0;
    for (int k = 0; k < sim->constraints.pin_count; k++) {
        const vo_pin *pin = &sim->constraints.pin[k];
        int i = sim->contact.node_of[pin->row] - sim->cloth[cloth].first_node;
        if (i < 0 || i >= mesh->node_count) continue;
        vo_vec3 target = v3_add_scaled(mesh->node_x[i], j->dt, pin->velocity);
        bool along = v3_distance(target, j->x[i]) <= 0.5 * v3_distance(mesh->node_x[i], j->x[i]);
        with += along;
        against += !along;
    }
    return with >= against;
}

static int gather_samples(jump *j, int obstacle) {
    const vo_surface_part *part = part_of(j->sim, obstacle);
    const vo_surface *s = &j->sim->contact.surface;
    int nodes = part->node_end - part->node_begin, count = vo_min_int(nodes, MAX_SAMPLES);
    for (int k = 0; k < count; k++) {
        int i = part->node_begin + (int)((int64_t)k * nodes / count);
        j->from[k] = s->x0[i];
        j->to[k] = s->x1[i];
    }
    return count;
}

static void carry_cloth(jump *j, int cloth) {
    vo_mesh *mesh = j->sim->cloth[cloth].mesh;
    size_t bytes = (size_t)mesh->node_count * sizeof *j->x;
    int samples = gather_samples(j, j->wearer[cloth]);
    memcpy(j->x, mesh->node_x, bytes);
    memcpy(j->v, mesh->node_v, bytes);
    vo_carry(j->sim->ctx, samples, j->from, j->to, mesh->node_count, j->x, j->v);
    if (!pins_go_along(j, cloth)) return;
    memcpy(mesh->node_x, j->x, bytes);
    memcpy(mesh->node_v, j->v, bytes);
    j->carried++;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static int most_nodes(const vo_sim *sim) {
    int most = 1;
    for (int c = 0; c < sim->cloth_count; c++)
        most = vo_max_int(most, sim->cloth[c].mesh->node_count);
    return most;
}

static vo_result carry_all(jump *j) {
    vo_sim *sim = j->sim;
    for (int c = 0; c < sim->cloth_count; c++) j->wearer[c] = -1, j->close[c] = 0;
    for (int i = 0; i < sim->obstacle_count; i++)
        if (j->jumps[i]) VO_TRY(find_worn(j, i));
    for (int c = 0; c < sim->cloth_count; c++)
        if (j->wearer[c] >= 0) carry_cloth(j, c);
    return VO_OK;
}

/* From the arena, which grows to the largest jump. */
static bool reserve(jump *j) {
    vo_arena *arena = &j->sim->jumps.arena;
    int nodes = most_nodes(j->sim), cloths = j->sim->cloth_count;
    vo_arena_reset(arena);
    j->jumps = vo_arena_array(arena, unsigned char, j->sim->obstacle_count);
    j->wearer = vo_arena_array(arena, int, cloths + 1);
    j->close = vo_arena_array(arena, int, cloths + 1);
    j->x = vo_arena_array(arena, vo_vec3, nodes);
    j->v = vo_arena_array(arena, vo_vec3, nodes);
    j->from = vo_arena_array(arena, vo_vec3, MAX_SAMPLES);
    j->to = vo_arena_array(arena, vo_vec3, MAX_SAMPLES);
    return j->jumps && j->wearer && j->close && j->x && j->v && j->from && j->to;
}

/* The first jump of a frame, to say where. */
static void tell(const jump *j, int obstacle, double way, vo_vec3 from) {
    vo_sim *sim = j->sim;
    if (sim->contact.jump_frame == sim->frame + 1) return;
    sim->contact.jump_frame = sim->frame + 1;
    vo_log_line(sim->ctx, VO_LOG_WARNING,
                "frame %d: obstacle %d jumps by %.3g m within %.3g s, from (%.4g, %.4g, %.4g) m; "
                "%d of %d cloths, which it wears, go along, and others stay as they are: mend the "
                "motion, or set magic.jump_speed above %.4g if it is meant to be as fast",
                sim->frame + 1, obstacle, way, j->dt, from.x, from.y, from.z, j->carried,
                sim->cloth_count, way / j->dt);
}

/* Marks who jumps; the one that goes furthest is in *out, -1: nobody does. */
static double find_jumps(jump *j, int *out, int *node) {
    const vo_sim *sim = j->sim;
    double longest = 0;
    *out = -1;
    for (int i = 0; i < sim->obstacle_count; i++) {
        int at = 0;
        double way = way_of(sim, i, &at);
        j->jumps[i] = way > sim->scene->def.jump_speed * j->dt;
        if (j->jumps[i] && way > longest) longest = way, *out = i, *node = at;
    }
    return longest;
}

static vo_result make_jump(jump *j, double end) {
    vo_sim *sim = j->sim;
    int obstacle, node;
    double way = find_jumps(j, &obstacle, &node);
    if (obstacle < 0) return VO_OK;
    vo_vec3 from = sim->contact.surface.x0[node];
    VO_TRY(carry_all(j));
    for (int i = 0; i < sim->obstacle_count; i++)
        if (j->jumps[i]) vo_sim_obstacle_put(sim, i, end);
    tell(j, obstacle, way, from);
    vo_candidates_forget(sim->contact.candidates);
    vo_sim_load_rows(sim);
    return VO_OK;
}

/* Whether any obstacle is fast enough, which is hardly ever so. */
static bool any_jumps(const vo_sim *sim, double dt) {
    for (int i = 0, node; i < sim->obstacle_count; i++)
        if (way_of(sim, i, &node) > sim->scene->def.jump_speed * dt) return true;
    return false;
}

vo_result vo_sim_jump(vo_sim *sim, double end, double dt, bool *jumped) {
    *jumped = !(sim->scene->def.disable & VO_DISABLE_COLLISION) && any_jumps(sim, dt);
    if (!*jumped) return VO_OK;
    jump j = {.sim = sim, .dt = dt};
    if (!reserve(&j)) return vo_fail_memory(sim->ctx, "an obstacle that jumps");
    return make_jump(&j, end);
}

void vo_sim_jumps_free(vo_sim *sim) {
    vo_nearest *all = sim->jumps.nearest;
    for (int i = 0; all && i < sim->obstacle_count; i++) vo_nearest_free(&all[i]);
    if (all) vo_free(sim->ctx, all, vo_array_bytes((size_t)sim->obstacle_count, sizeof *all));
    vo_arena_free(&sim->jumps.arena);
}

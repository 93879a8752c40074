/* Teleports: obstacles that move faster than cloth can follow (`magic.teleport_speed`).
 *
 * A discontinuity of a motion, such as a cut between two recordings or a T-pose before the first
 * frame, defines no path between its ends. The obstacle is therefore placed at its new pose at the
 * beginning of the substep and rests there until the substep ends. Cloth that it wears is carried
 * along (collide/mls_deform.h); other cloth stays, also where the obstacle would have passed.
 * Intersections that result are resolved as for an obstacle that appears. Handles use the poses of
 * the end of that substep, too (handles.c).
 *
 * An obstacle wears a cloth if many nodes are close to it, unless pins hold that cloth back. A
 * cloth that is close to several teleporting obstacles is carried by the one with the most
 * close nodes. All of this depends only on the state at the beginning of the substep and on the
 * motions. */
#include "collide/mls_deform.h"
#include "core/plural.h"
#include "sim/sim.h"

#include <string.h>

/* m, distance within which a node is worn, in addition to the contact thickness. */
static const double WORN_WITHIN = 0.03;
/* Fraction of a cloth's nodes that must be that close. */
static const double MIN_WORN_FRACTION = 0.05;
/* Sample points of an obstacle that define the deformation; larger obstacles are subsampled. */
enum { MAX_SAMPLES = 4096 };

/* ---- detection ------------------------------------------------------------------------------ */

static const vo_surface_part *part_of(const vo_sim *sim, int obstacle) {
    return &sim->contact.surface.part[sim->cloth_count + obstacle];
}

/* Largest displacement of a node of an obstacle in the step, m, and the node; 0 if the obstacle is
 * absent at its start or end or a displacement is not finite. */
static double max_displacement(const vo_sim *sim, int obstacle, int *node) {
    const vo_surface_part *part = part_of(sim, obstacle);
    const vo_surface *s = &sim->contact.surface;
    double longest = 0;
    if (!part->present || !sim->obstacle[obstacle].present) return 0;
    for (int i = part->node_begin; i < part->node_end; i++) {
        double displacement = v3_distance(s->x0[i], s->x1[i]);
        if (!isfinite(displacement)) return 0;
        if (displacement > longest) longest = displacement, *node = i;
    }
    return longest;
}

/* Returns true if an obstacle grows or shrinks by a motion with a scale of 0, by which it appears
 * or disappears. If it is faster than a teleport, it takes its new size at once, but carries no
 * cloth: that would be pulled into a point. */
static bool changes_size(const vo_sim *sim, int obstacle) {
    const vo_surface_part *part = part_of(sim, obstacle);
    int motion = sim->scene->obstacle[obstacle].motion;
    return motion >= 0 && sim->obstacle[obstacle].live.driver == VO_DRIVER_SCENE &&
           sim->scene->motion[motion].has_zero_scale && part->pose[0].scale != part->pose[1].scale;
}

/* ---- carried cloth -------------------------------------------------------------------------- */

/* The teleports of one substep; arrays have the size of the largest cloth. */
typedef struct teleport {
    vo_sim *sim;
    double dt;
    unsigned char *is_teleporting; /* [obstacle_count] */
    int *wearer;                   /* [cloth_count] obstacle that carries each cloth, -1: none */
    int *close;                    /* [cloth_count] number of nodes close to it */
    vo_vec3 *x, *v;                /* carried state of a cloth; earlier, nearest points */
    vo_vec3 *from, *to;            /* [MAX_SAMPLES] */
    int carried;                   /* number of carried cloths */
} teleport;

static int count_close(const vo_nearest *nearest, const vo_mesh *mesh, double range,
                       vo_vec3 *near) {
    int count = 0;
    vo_nearest_find(nearest, mesh->node_count, mesh->node_x, range, near);
    for (int i = 0; i < mesh->node_count; i++) count += v3_is_finite(near[i]);
    return count;
}

/* Returns the search tree of an obstacle with its current positions; trees are kept for later
 * teleports. */
static vo_result find_tree(vo_sim *sim, int obstacle, vo_nearest **out) {
    vo_context *ctx = sim->ctx;
    const vo_mesh *mesh = sim->obstacle[obstacle].mesh; /* at the start of the substep */
    vo_nearest **all = &sim->teleports.nearest;
    if (!*all) *all = vo_alloc_zero(ctx, vo_array_bytes((size_t)sim->obstacle_count, sizeof **all));
    if (!*all) return vo_fail_memory(ctx, "teleporting obstacles");
    *out = &(*all)[obstacle];
    if (!(*out)->ctx) VO_TRY(vo_nearest_create(ctx, 1, &mesh, *out));
    return vo_nearest_set_positions(*out, 0, mesh->node_x);
}

/* Assigns the cloths that have more nodes close to this obstacle than to the earlier ones. */
static vo_result find_worn(teleport *j, int obstacle) {
    vo_sim *sim = j->sim;
    double range = WORN_WITHIN + sim->scene->def.repulsion_thickness;
    vo_nearest *nearest = NULL;
    VO_TRY(find_tree(sim, obstacle, &nearest));
    for (int c = 0; c < sim->cloth_count; c++) {
        int close = count_close(nearest, sim->cloth[c].mesh, range, j->x);
        if (close <= j->close[c] || close < MIN_WORN_FRACTION * sim->cloth[c].mesh->node_count)
            continue;
        j->close[c] = close;
        j->wearer[c] = obstacle;
    }
    return VO_OK;
}

/* Returns true if at least half of the pins of a cloth move to about where the cloth is carried. */
static bool pins_go_along(const teleport *j, int cloth) {
    const vo_sim *sim = j->sim;
    const vo_mesh *mesh = sim->cloth[cloth].mesh;
    int with = 0, against = 0;
    for (int k = 0; k < sim->constraints.pin_count; k++) {
        const vo_pin *pin = &sim->constraints.pin[k];
        int i = sim->contact.row_node[pin->row] - sim->cloth[cloth].first_node;
        if (i < 0 || i >= mesh->node_count) continue;
        vo_vec3 target = v3_add_scaled(mesh->node_x[i], j->dt, pin->velocity);
        bool along = v3_distance(target, j->x[i]) <= 0.5 * v3_distance(mesh->node_x[i], j->x[i]);
        with += along;
        against += !along;
    }
    return with >= against;
}

static int gather_samples(teleport *j, int obstacle) {
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

static void carry_cloth(teleport *j, int cloth) {
    vo_mesh *mesh = j->sim->cloth[cloth].mesh;
    size_t bytes = (size_t)mesh->node_count * sizeof *j->x;
    int samples = gather_samples(j, j->wearer[cloth]);
    memcpy(j->x, mesh->node_x, bytes);
    memcpy(j->v, mesh->node_v, bytes);
    vo_mls_deform(j->sim->ctx, samples, j->from, j->to, mesh->node_count, j->x, j->v);
    if (!pins_go_along(j, cloth)) return;
    memcpy(mesh->node_x, j->x, bytes);
    memcpy(mesh->node_v, j->v, bytes);
    j->carried++;
}

/* ---- the substep ---------------------------------------------------------------------------- */

static int max_cloth_nodes(const vo_sim *sim) {
    int max_nodes = 1;
    for (int c = 0; c < sim->cloth_count; c++)
        max_nodes = vo_max_int(max_nodes, sim->cloth[c].mesh->node_count);
    return max_nodes;
}

static vo_result carry_all(teleport *j) {
    vo_sim *sim = j->sim;
    for (int c = 0; c < sim->cloth_count; c++) j->wearer[c] = -1, j->close[c] = 0;
    for (int i = 0; i < sim->obstacle_count; i++)
        if (j->is_teleporting[i] && !changes_size(sim, i)) VO_TRY(find_worn(j, i));
    for (int c = 0; c < sim->cloth_count; c++)
        if (j->wearer[c] >= 0) carry_cloth(j, c);
    return VO_OK;
}

/* Allocates the arrays from the arena, which keeps its size. Returns false if memory runs out. */
static bool reserve(teleport *j) {
    vo_arena *arena = &j->sim->teleports.arena;
    int nodes = max_cloth_nodes(j->sim), cloths = j->sim->cloth_count;
    vo_arena_reset(arena);
    j->is_teleporting = vo_arena_array(arena, unsigned char, j->sim->obstacle_count);
    j->wearer = vo_arena_array(arena, int, cloths + 1);
    j->close = vo_arena_array(arena, int, cloths + 1);
    j->x = vo_arena_array(arena, vo_vec3, nodes);
    j->v = vo_arena_array(arena, vo_vec3, nodes);
    j->from = vo_arena_array(arena, vo_vec3, MAX_SAMPLES);
    j->to = vo_arena_array(arena, vo_vec3, MAX_SAMPLES);
    return j->is_teleporting && j->wearer && j->close && j->x && j->v && j->from && j->to;
}

/* Logs the first teleport. */
static void warn_teleport(const teleport *j, int obstacle, double displacement, vo_vec3 from) {
    vo_sim *sim = j->sim;
    if (!vo_sim_count_warning(sim, VO_WARN_TELEPORT, sim->frame + 1)) return;
    vo_log_line(sim->ctx, VO_LOG_WARNING,
                "frame %d: obstacle %d teleports by %.3g m within %.3g s, from (%.4g, %.4g, %.4g) "
                "m; %d of %s carried along, the others stay: correct the motion, or set "
                "magic.teleport_speed above %.4g if the speed is intended",
                sim->frame + 1, obstacle, displacement, j->dt, from.x, from.y, from.z, j->carried,
                vo_count_words(sim->cloth_count, "cloth is", "cloths are").s, displacement / j->dt);
}

/* Marks the teleporting obstacles. Returns the largest displacement, m, of those that keep their
 * size, with its obstacle (-1: none) and node. */
static double find_teleports(teleport *j, int *out, int *node) {
    const vo_sim *sim = j->sim;
    double longest = 0;
    *out = -1;
    for (int i = 0; i < sim->obstacle_count; i++) {
        int at = 0;
        double displacement = max_displacement(sim, i, &at);
        j->is_teleporting[i] = displacement > sim->scene->def.teleport_speed * j->dt;
        if (j->is_teleporting[i] && displacement > longest && !changes_size(sim, i))
            longest = displacement, *out = i, *node = at;
    }
    return longest;
}

static vo_result apply_teleports(teleport *j, double end) {
    vo_sim *sim = j->sim;
    int obstacle, node = 0;
    double displacement = find_teleports(j, &obstacle, &node);
    vo_vec3 from = sim->contact.surface.x0[node];
    VO_TRY(carry_all(j));
    for (int i = 0; i < sim->obstacle_count; i++)
        if (j->is_teleporting[i]) vo_sim_teleport_obstacle(sim, i, end);
    if (obstacle >= 0) warn_teleport(j, obstacle, displacement, from);
    vo_candidates_invalidate(sim->contact.candidates);
    vo_sim_gather_state(sim);
    return VO_OK;
}

/* Returns true if any obstacle teleports, which is rare. */
static bool any_teleports(const vo_sim *sim, double dt) {
    for (int i = 0, node; i < sim->obstacle_count; i++)
        if (max_displacement(sim, i, &node) > sim->scene->def.teleport_speed * dt) return true;
    return false;
}

vo_result vo_sim_teleport_obstacles(vo_sim *sim, double end, double dt, bool *teleported) {
    *teleported = !(sim->scene->def.disable & VO_DISABLE_COLLISION) && any_teleports(sim, dt);
    if (!*teleported) return VO_OK;
    teleport j = {.sim = sim, .dt = dt};
    if (!reserve(&j)) return vo_fail_memory(sim->ctx, "teleporting obstacles");
    return apply_teleports(&j, end);
}

void vo_sim_teleports_free(vo_sim *sim) {
    vo_nearest *all = sim->teleports.nearest;
    for (int i = 0; all && i < sim->obstacle_count; i++) vo_nearest_free(&all[i]);
    if (all) vo_free(sim->ctx, all, vo_array_bytes((size_t)sim->obstacle_count, sizeof *all));
    vo_arena_free(&sim->teleports.arena);
}

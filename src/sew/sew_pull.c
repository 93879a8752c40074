/* Pull pass of sewing: stitches between linked nodes pull the panels together. */
#include "core/memory.h"
#include "sew/sew.h"
#include "sim/sim.h"

#include <stdio.h>

/* Force of the stitches, N per metre of seam: FIRST_PULL at first, multiplied by MORE_PULL whenever
 * the gaps do not shrink by a quarter within STALL_STEPS steps, up to LAST_PULL. */
static const double FIRST_PULL = 4, MORE_PULL = 3, LAST_PULL = 4000;
enum { STALL_STEPS = 25, MAX_STEPS = 900 };

/* Fraction of the velocity kept after each step; heavy damping keeps panels from overshooting. */
static const double VELOCITY_RETENTION = 0.7;

typedef struct pulling {
    vo_sewing *s;
    const vo_garment *garment;
    vo_scene *scene;
    vo_sim *sim;
    double pull;    /* N/m */
    double spacing; /* m, distance of neighbouring stitches along a seam */
    double goal;    /* m, largest gap of a closed seam */
    double sum;     /* m, sum of all gaps at the last test of progress */
} pulling;

static double gap_of(const pulling *p, int link) {
    const vo_vec3 *x = p->sim->cloth[0].mesh->node_x;
    const int *n = p->garment->stitch[link].node;
    return v3_distance(x[n[0]], x[n[1]]);
}

static double largest_gap(const pulling *p, int *worst) {
    double largest = 0;
    *worst = -1;
    for (int i = 0; i < p->garment->stitch_count; i++) {
        double gap = gap_of(p, i);
        if (gap > largest) largest = gap, *worst = i;
    }
    return largest;
}

static double sum_of_gaps(const pulling *p) {
    double sum = 0;
    for (int i = 0; i < p->garment->stitch_count; i++)
        sum += vo_max(gap_of(p, i) - 0.5 * p->goal, 0);
    return sum;
}

/* Sets stiffnesses that give a constant force at any distance above `goal`. */
static void set_stitch_stiffness(pulling *p) {
    for (int i = 0; i < p->garment->stitch_count; i++)
        p->scene->handle[i].def.stiffness = p->pull * p->spacing / vo_max(gap_of(p, i), p->goal);
}

static vo_result add_stitches(pulling *p) {
    for (int i = 0; i < p->garment->stitch_count; i++) {
        vo_handle_def stitch = vo_handle_def_default();
        stitch.kind = VO_HANDLE_GLUE;
        stitch.node_count = 2;
        stitch.nodes = p->garment->stitch[i].node;
        VO_TRY(vo_scene_add_handle(p->scene, &stitch, NULL));
    }
    return VO_OK;
}

static double slow_down(vo_sim *sim) {
    double fastest = 0;
    sim->rows_current = false;
    vo_mesh *mesh = sim->cloth[0].mesh;
    for (int i = 0; i < mesh->node_count; i++) {
        mesh->node_v[i] = v3_scale(VELOCITY_RETENTION, mesh->node_v[i]);
        fastest = vo_max(fastest, v3_length(mesh->node_v[i]));
    }
    return fastest;
}

static double seam_length(const vo_pattern *pattern) {
    double length = 0;
    for (int i = 0; i < pattern->seam_count; i++)
        length += vo_pattern_side_length(pattern, &pattern->seam[i], 0);
    return length;
}

/* Fails with the seam that stays open, its gap, the likely cause and the remedy. */
static vo_result fail_open_seam(const pulling *p, int worst, double gap) {
    const vo_sew_piece *piece = &p->s->task->piece[p->s->piece];
    const vo_pattern *pattern = piece->pattern;
    vo_context *ctx = p->s->task->ctx;
    int seam = p->garment->stitch[worst].seam;
    const vo_vec3 *x = p->sim->cloth[0].mesh->node_x;
    vo_vec3 at =
        v3_lerp(x[p->garment->stitch[worst].node[0]], x[p->garment->stitch[worst].node[1]], 0.5);
    if (seam < 0 || seam >= pattern->seam_count)
        return vo_fail(
            ctx, VO_BAD_DATA,
            "%s: two linked points stay %.3g m apart; place their panels closer together",
            pattern->file, gap);
    const vo_pattern_seam *s = &pattern->seam[seam];
    int twisted[64], twists = vo_garment_find_twists(p->garment, pattern, 64, twisted);
    bool is_twisted = false;
    for (int i = 0; i < twists && i < 64; i++) is_twisted = is_twisted || twisted[i] == seam;
    return vo_fail(
        ctx, VO_BAD_DATA,
        "%s: seam \"%s\" does not close: near (%.2f, %.2f, %.2f) m its sides stay %.1f cm "
        "apart. They are %.1f and %.1f cm long%s",
        pattern->file, s->name, at.x, at.y, at.z, 100 * gap,
        100 * vo_pattern_side_length(pattern, s, 0), 100 * vo_pattern_side_length(pattern, s, 1),
        is_twisted ? " and lie crosswise where the panels are placed; list the "
                     "corners of one side in the opposite order"
                   : "; the body, or other cloth, is between them where the panels are "
                     "placed, or the garment is too small for the body. Wrap the panels further "
                     "around the body (a smaller radius in their placement), or widen them");
}

/* Warns about seams that close although their sides are twisted, which turns a panel around. */
static void warn_of_twists(const pulling *p) {
    const vo_pattern *pattern = p->s->task->piece[p->s->piece].pattern;
    int twisted[8], twists = vo_garment_find_twists(p->garment, pattern, 8, twisted);
    for (int i = 0; i < twists && i < 8; i++)
        vo_log_line(p->s->task->ctx, VO_LOG_WARNING,
                    "%s: seam \"%s\" closes, but its sides lie crosswise where the panels are "
                    "placed; if that is not intended, list the corners of one side in the opposite "
                    "order, or name another edge",
                    pattern->file, pattern->seam[twisted[i]].name);
}

static vo_result close_seams(pulling *p, double *gap) {
    int worst, since = 0;
    *gap = largest_gap(p, &worst);
    p->sum = sum_of_gaps(p);
    for (int step = 0; *gap > p->goal && step < MAX_STEPS; step++) {
        set_stitch_stiffness(p);
        VO_TRY(vo_sim_step_uninspected(p->sim));
        double speed = slow_down(p->sim);
        *gap = largest_gap(p, &worst);
        VO_TRY(vo_sewing_report_progress(p->s, VO_SEW_PULLING, *gap, speed));
        if (++since < STALL_STEPS) continue;
        double sum = sum_of_gaps(p);
        if (sum > 0.75 * p->sum && p->pull >= LAST_PULL) break;
        if (sum > 0.75 * p->sum) p->pull *= MORE_PULL;
        p->sum = sum, since = 0;
    }
    return *gap <= p->goal ? VO_OK : fail_open_seam(p, worst, *gap);
}

static vo_result simulate_pulling(pulling *p, vo_mesh *mesh, double *gap) {
    const vo_sew_piece *piece = &p->s->task->piece[p->s->piece];
    VO_TRY(vo_sew_scene(p->s, v3(0, 0, 0), 0, &p->scene));
    for (int i = 0; i < p->s->piece; i++) {
        vo_obstacle_def below = vo_obstacle_def_default();
        below.mesh = p->s->sewn[i];
        VO_TRY(vo_scene_add_obstacle(p->scene, &below, NULL));
    }
    VO_TRY(vo_sew_add_cloth(p->s, p->scene, p->s->piece, VO_SEW_STARCH, INFINITY, mesh));
    VO_TRY(add_stitches(p));
    VO_TRY(vo_sim_create_at(p->s->task->ctx, p->scene, NULL, &p->sim));
    p->pull = FIRST_PULL;
    p->spacing = seam_length(piece->pattern) / vo_max_int(p->garment->stitch_count, 1);
    p->goal = 2 * p->s->task->thickness;
    VO_TRY(close_seams(p, gap));
    warn_of_twists(p);
    for (int n = 0; n < mesh->node_count; n++) {
        mesh->node_x[n] = p->sim->cloth[0].mesh->node_x[n];
        mesh->node_v[n] = v3(0, 0, 0);
    }
    return VO_OK;
}

vo_result vo_sew_pull(vo_sewing *s, vo_mesh *mesh, double *gap) {
    pulling p = {.s = s, .garment = s->task->piece[s->piece].garment};
    *gap = 0;
    s->progress.step = 0;
    vo_result result = p.garment->stitch_count ? simulate_pulling(&p, mesh, gap) : VO_OK;
    vo_sim_destroy(p.sim);
    vo_scene_destroy(p.scene);
    return result;
}

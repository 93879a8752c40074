/* Threads between linked nodes draw panels together. */
#include "core/memory.h"
#include "sim/sew.h"
#include "sim/sim.h"

#include <stdio.h>

/* Threads pull by so many newtons a metre of seam at first; when the gaps do not shrink by a
 * quarter within PATIENCE steps, three times as much. */
static const double FIRST_PULL = 4, MORE_PULL = 3, LAST_PULL = 4000;
enum { PATIENCE = 25, MAX_STEPS = 900 };

/* What is left of velocities after a step: cloth is drawn through syrup. */
static const double SYRUP = 0.7;

typedef struct pulling {
    vo_sewing *s;
    const vo_garment *garment;
    vo_scene *scene;
    vo_sim *sim;
    double pull;    /* N/m */
    double spacing; /* m, of threads */
    double goal;    /* m, gap that is narrow enough */
    double sum;     /* m, of all gaps, when it was last looked at */
} pulling;

static double gap_of(const pulling *p, int link) {
    const vo_vec3 *x = p->sim->cloth[0].mesh->node_x;
    const int *n = p->garment->link[link].node;
    return v3_distance(x[n[0]], x[n[1]]);
}

static double largest_gap(const pulling *p, int *worst) {
    double largest = 0;
    *worst = -1;
    for (int i = 0; i < p->garment->link_count; i++) {
        double gap = gap_of(p, i);
        if (gap > largest) largest = gap, *worst = i;
    }
    return largest;
}

static double sum_of_gaps(const pulling *p) {
    double sum = 0;
    for (int i = 0; i < p->garment->link_count; i++) sum += vo_max(gap_of(p, i) - 0.5 * p->goal, 0);
    return sum;
}

/* The same force at any distance, but for the last millimetres. */
static void set_threads(pulling *p) {
    for (int i = 0; i < p->garment->link_count; i++)
        p->scene->handle[i].def.stiffness = p->pull * p->spacing / vo_max(gap_of(p, i), p->goal);
}

static vo_result add_threads(pulling *p) {
    for (int i = 0; i < p->garment->link_count; i++) {
        vo_handle_def thread = vo_handle_def_default();
        thread.kind = VO_HANDLE_GLUE;
        thread.node_count = 2;
        thread.nodes = p->garment->link[i].node;
        VO_TRY(vo_scene_add_handle(p->scene, &thread, NULL));
    }
    return VO_OK;
}

static double slow_down(vo_sim *sim) {
    double fastest = 0;
    vo_mesh *mesh = sim->cloth[0].mesh;
    for (int i = 0; i < mesh->node_count; i++) {
        mesh->node_v[i] = v3_scale(SYRUP, mesh->node_v[i]);
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

/* Says which seam stays open, by how much, and what may be the reason. */
static vo_result tell_open(const pulling *p, int worst, double gap) {
    const vo_sew_piece *piece = &p->s->task->piece[p->s->piece];
    const vo_pattern *pattern = piece->pattern;
    vo_context *ctx = p->s->task->ctx;
    int seam = p->garment->link[worst].seam;
    const vo_vec3 *x = p->sim->cloth[0].mesh->node_x;
    vo_vec3 at =
        v3_lerp(x[p->garment->link[worst].node[0]], x[p->garment->link[worst].node[1]], 0.5);
    if (seam < 0 || seam >= pattern->seam_count)
        return vo_fail(ctx, VO_BAD_DATA, "%s: two linked points stay %.3g m apart", pattern->file,
                       gap);
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
        is_twisted ? " and lie crosswise where the panels are placed: one of them is "
                     "listed from the wrong end"
                   : "; the body, or other cloth, is between them where the panels are "
                     "placed, or the garment is too small for the body");
}

/* A seam may close although it lies crosswise: then a panel is turned around, which few mean. */
static void warn_of_twists(const pulling *p) {
    const vo_pattern *pattern = p->s->task->piece[p->s->piece].pattern;
    int twisted[8], twists = vo_garment_find_twists(p->garment, pattern, 8, twisted);
    for (int i = 0; i < twists && i < 8; i++)
        vo_log_line(p->s->task->ctx, VO_LOG_WARNING,
                    "%s: seam \"%s\" closes, but its sides lie crosswise where the panels are "
                    "placed: is one of them listed from the wrong end, or the wrong edge?",
                    pattern->file, pattern->seam[twisted[i]].name);
}

static vo_result pull(pulling *p, double *gap) {
    int worst, since = 0;
    *gap = largest_gap(p, &worst);
    p->sum = sum_of_gaps(p);
    for (int step = 0; *gap > p->goal && step < MAX_STEPS; step++) {
        set_threads(p);
        VO_TRY(vo_sim_step(p->sim));
        double speed = slow_down(p->sim);
        *gap = largest_gap(p, &worst);
        VO_TRY(vo_sewing_tell(p->s, VO_SEW_PULLING, *gap, speed));
        if (++since < PATIENCE) continue;
        double sum = sum_of_gaps(p);
        if (sum > 0.75 * p->sum && p->pull >= LAST_PULL) break;
        if (sum > 0.75 * p->sum) p->pull *= MORE_PULL;
        p->sum = sum, since = 0;
    }
    return *gap <= p->goal ? VO_OK : tell_open(p, worst, *gap);
}

static vo_result run(pulling *p, vo_mesh *mesh, double *gap) {
    const vo_sew_piece *piece = &p->s->task->piece[p->s->piece];
    VO_TRY(vo_sew_scene(p->s, v3(0, 0, 0), 0, &p->scene));
    for (int i = 0; i < p->s->piece; i++) {
        vo_obstacle_def below = vo_obstacle_def_default();
        below.mesh = p->s->sewn[i];
        VO_TRY(vo_scene_add_obstacle(p->scene, &below, NULL));
    }
    VO_TRY(vo_sew_add_cloth(p->s, p->scene, p->s->piece, VO_SEW_STARCH, INFINITY, mesh));
    VO_TRY(add_threads(p));
    VO_TRY(vo_sim_create(p->s->task->ctx, p->scene, &p->sim));
    p->pull = FIRST_PULL;
    p->spacing = seam_length(piece->pattern) / vo_max_int(p->garment->link_count, 1);
    p->goal = 2 * p->s->task->thickness;
    VO_TRY(pull(p, gap));
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
    vo_result result = p.garment->link_count ? run(&p, mesh, gap) : VO_OK;
    vo_sim_destroy(p.sim);
    vo_scene_destroy(p.scene);
    return result;
}

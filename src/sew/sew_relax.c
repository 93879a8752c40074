/* Relax pass of sewing: the garments settle under gravity, held by friction and pinned labels. */
#include "core/memory.h"
#include "core/plural.h"
#include "sew/sew.h"
#include "sim/sim.h"

/* First with stiffened bending, which removes creases of the pull pass, then with the fabric
 * itself.
 */
typedef struct phase {
    double starch;
    double at_rest; /* m/s, maximum speed of a node at rest */
    int min_steps, max_steps;
    bool pinned; /* pinned labels keep the positions of the previous phase */
} phase;
static const phase phases[] = {{VO_SEW_STARCH, 0.1, 30, 100, false}, {1, 0.02, 40, 300, true}};

static const double VELOCITY_RETENTION = 0.92, FRICTION = 0.4;

/* Limit of the principal stretch, so that soft fabrics still fit after settling. */
static const double MAX_STRETCH = 1.07;

/* Strain above which a garment is reported as tight, and rejected; speed, m/s, above which it
 * falls.
 */
static const double TIGHT = 0.1, TOO_TIGHT = 0.25, FALLING_SPEED = 0.3;

/* Pins the labels that the pattern pins, at their current positions. */
static vo_result add_pins(const vo_sewing *s, vo_scene *scene, int piece) {
    const vo_pattern *pattern = s->task->piece[piece].pattern;
    for (int i = 0; i < pattern->label_count; i++) {
        if (!pattern->label[i].pinned) continue;
        vo_handle_def pin = vo_handle_def_default();
        pin.cloth = piece;
        pin.label = i + 1;
        VO_TRY(vo_scene_add_handle(scene, &pin, NULL));
    }
    return VO_OK;
}

static double slow_down(vo_sim *sim) {
    double fastest = 0;
    sim->rows_current = false;
    for (int c = 0; c < sim->cloth_count; c++) {
        vo_mesh *mesh = sim->cloth[c].mesh;
        for (int i = 0; i < mesh->node_count; i++) {
            mesh->node_v[i] = v3_scale(VELOCITY_RETENTION, mesh->node_v[i]);
            fastest = vo_max(fastest, v3_length(mesh->node_v[i]));
        }
    }
    return fastest;
}

static double strain_of(const vo_sim *sim) {
    double max = 0, min = 0;
    for (int c = 0; c < sim->cloth_count; c++) vo_mesh_strain(sim->cloth[c].mesh, &max, &min);
    return max;
}

static double strain_of_face(const vo_mesh *mesh, int face) {
    vo_vec3 x[3];
    vo_stretch_face s = vo_mesh_stretch_face(mesh, face, x);
    return vo_mat32_svd(m32_mul_m2(v3_sub(x[1], x[0]), v3_sub(x[2], x[0]), s.inverse)).stretch[0] -
           1;
}

/* Location of the largest strain. */
typedef struct stretched {
    double strain;
    const vo_pattern *pattern;
    const char *panel;
    vo_vec3 at;
} stretched;

static stretched most_stretched(const vo_sewing *s) {
    int piece = 0, face = 0;
    double most = -1;
    for (int i = 0; i <= s->piece; i++)
        for (int f = 0; f < s->sewn[i]->face_count; f++) {
            double own = strain_of_face(s->sewn[i], f);
            if (own > most) most = own, piece = i, face = f;
        }
    const vo_mesh *mesh = s->sewn[piece];
    const vo_pattern *pattern = s->task->piece[piece].pattern;
    return (stretched){.strain = most,
                       .pattern = pattern,
                       .panel = pattern->panel[mesh->vert_patch[mesh->face_vert[face][0]]].name,
                       .at = mesh->node_x[vo_mesh_face_node(mesh, face, 0)]};
}

/* Returns the remedy for a tight garment that its fitting does not already include. */
static const char *fit_advice(const vo_sewing *s, const vo_pattern *pattern) {
    if (!s->task->body) return "";
    if (pattern->is_graded) return "set fit to false to keep the sizes of the pattern, ";
    if (pattern->body.height > 0) return "set fit to true to grade the pattern to the body, ";
    return "add the sizes of the body that the pattern was drawn for (body), so that it is graded "
           "to this one, ";
}

/* Warns about a tight garment; fails if it is too small for the body. */
static vo_result check_strain(const vo_sewing *s, const stretched *m) {
    if (m->strain <= TIGHT) return VO_OK;
    if (m->strain <= TOO_TIGHT) {
        vo_log_line(
            s->task->ctx, VO_LOG_WARNING,
            "%s: tight: panel %s is stretched by %.0f %% near (%.2f, %.2f, %.2f) m; widen it if "
            "that is not intended",
            m->pattern->file, m->panel, 100 * m->strain, m->at.x, m->at.y, m->at.z);
        return VO_OK;
    }
    return vo_fail(s->task->ctx, VO_BAD_DATA,
                   "%s: too tight: its seams close, but panel %s is stretched by %.0f %% near "
                   "(%.2f, %.2f, %.2f) m; widen the panel, %sor use shorter edges (edge_length) "
                   "that follow the body",
                   m->pattern->file, m->panel, 100 * m->strain, m->at.x, m->at.y, m->at.z,
                   fit_advice(s, m->pattern));
}

/* Fails for a garment that falls: it was never around the body, or it slipped off because it was
 * too tight when its seams closed. */
static vo_result fail_falling(const vo_sewing *s, const stretched *closed, double speed) {
    if (closed->strain > TOO_TIGHT) return check_strain(s, closed);
    return vo_fail(s->task->ctx, VO_BAD_DATA,
                   "%s: its seams close, but it is not held by the body: when it should be at "
                   "rest it moves by %.2f m/s; place its panels around the body, or pin a label "
                   "such as the waistband",
                   s->task->piece[s->piece].pattern->file, speed);
}

static vo_result hang(vo_sewing *s, const phase *f, vo_sim *sim, vo_sew_report *report) {
    for (int step = 0; step < f->max_steps; step++) {
        VO_TRY(vo_sim_step_uninspected(sim));
        report->speed = slow_down(sim);
        VO_TRY(vo_sewing_report_progress(s, VO_SEW_RELAXING, 0, report->speed));
        if (step > f->min_steps && report->speed < f->at_rest) break;
    }
    report->max_strain = strain_of(sim);
    return VO_OK;
}

static void copy_positions(const vo_sim *sim, vo_mesh **sewn) {
    for (int c = 0; c < sim->cloth_count; c++)
        for (int n = 0; n < sewn[c]->node_count; n++) {
            sewn[c]->node_x[n] = sim->cloth[c].mesh->node_x[n];
            sewn[c]->node_v[n] = v3(0, 0, 0);
        }
}

static vo_result simulate_phase(vo_sewing *s, const phase *f, vo_scene *scene, vo_sim **sim,
                                vo_sew_report *report) {
    for (int i = 0; i <= s->piece; i++) {
        VO_TRY(vo_sew_add_cloth(s, scene, i, f->starch, MAX_STRETCH, s->sewn[i]));
        if (f->pinned) VO_TRY(add_pins(s, scene, i));
    }
    VO_TRY(vo_sim_create_at(s->task->ctx, scene, NULL, sim));
    VO_TRY(hang(s, f, *sim, report));
    copy_positions(*sim, s->sewn);
    vo_inspection found;
    VO_TRY(vo_sim_inspect(*sim, &found));
    if (vo_inspection_is_clean(&found)) return VO_OK;
    return vo_fail(s->task->ctx, VO_BAD_DATA,
                   "%s: sewn, but %s and %s inside the body; use "
                   "shorter edges (edge_length), or widen the garment",
                   s->task->piece[s->piece].pattern->file,
                   vo_count_words(vo_inspection_intersections(&found), "pair of faces intersects",
                                  "pairs of faces intersect")
                       .s,
                   vo_count_words(found.inside_nodes, "node is", "nodes are").s);
}

static vo_result relax(vo_sewing *s, const phase *f, vo_sew_report *report) {
    vo_scene *scene = NULL;
    vo_sim *sim = NULL;
    vo_result result = vo_sew_scene(s, s->task->gravity, FRICTION, &scene);
    if (result == VO_OK) result = simulate_phase(s, f, scene, &sim, report);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    return result;
}

vo_result vo_sew_relax(vo_sewing *s, vo_sew_report *report) {
    stretched closed = most_stretched(s);
    s->progress.step = 0;
    VO_TRY(relax(s, &phases[0], report));
    bool last = s->piece + 1 == s->task->piece_count;
    if (!last) return VO_OK;
    VO_TRY(relax(s, &phases[1], report));
    if (report->speed > FALLING_SPEED) return fail_falling(s, &closed, report->speed);
    stretched now = most_stretched(s);
    VO_TRY(check_strain(s, &now));
    vo_sew_check_anchors(s);
    return VO_OK;
}

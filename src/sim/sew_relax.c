/* What is sewn comes to rest: it hangs in gravity, held by friction and by what is pinned. */
#include "core/memory.h"
#include "sim/sew.h"
#include "sim/sim.h"

/* First starched, so that what pulling crumpled comes out flat, then as the fabric is. */
typedef struct phase {
    double starch;
    double at_rest;  /* m/s, no node moves faster in the end */
    int least, most; /* steps */
    bool pinned;     /* what is pinned stays where the phase before left it */
} phase;
static const phase phases[] = {{VO_SEW_STARCH, 0.1, 30, 100, false}, {1, 0.02, 40, 300, true}};

static const double SYRUP = 0.92, FRICTION = 0.4;

/* Soft cloth gives way more where it hangs from few points; a garment at rest is to fit. */
static const double MOST_STRETCH = 1.07;

/* Strain that is told, and that is refused; and m/s: what moves faster in the end, falls. */
static const double TIGHT = 0.1, TOO_TIGHT = 0.25, FALLS = 0.3;

/* Pinned labels stay where sewing brought them. */
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
    for (int c = 0; c < sim->cloth_count; c++) {
        vo_mesh *mesh = sim->cloth[c].mesh;
        for (int i = 0; i < mesh->node_count; i++) {
            mesh->node_v[i] = v3_scale(SYRUP, mesh->node_v[i]);
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

/* Where garments are stretched most. */
typedef struct stretched {
    double strain;
    const char *file, *panel;
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
                       .file = pattern->file,
                       .panel = pattern->panel[mesh->vert_patch[mesh->face_vert[face][0]]].name,
                       .at = mesh->node_x[vo_mesh_face_node(mesh, face, 0)]};
}

/* A garment that cannot give way to its body is too small for it. */
static vo_result check_strain(const vo_sewing *s, const stretched *m) {
    if (m->strain <= TIGHT) return VO_OK;
    if (m->strain <= TOO_TIGHT) {
        vo_log_line(s->task->ctx, VO_LOG_WARNING,
                    "%s: tight: panel %s is stretched by %.0f %% near (%.2f, %.2f, %.2f) m",
                    m->file, m->panel, 100 * m->strain, m->at.x, m->at.y, m->at.z);
        return VO_OK;
    }
    return vo_fail(
        s->task->ctx, VO_BAD_DATA,
        "%s: too tight: its seams close, but panel %s is stretched by %.0f %% near "
        "(%.2f, %.2f, %.2f) m; the body is wider there than the cloth, or edges are too long "
        "to follow it",
        m->file, m->panel, 100 * m->strain, m->at.x, m->at.y, m->at.z);
}

/* What falls was never around the body, or came off it because it was too tight when its seams
 * closed. */
static vo_result tell_fall(const vo_sewing *s, const stretched *closed, double speed) {
    if (closed->strain > TOO_TIGHT) return check_strain(s, closed);
    return vo_fail(s->task->ctx, VO_BAD_DATA,
                   "%s: its seams close, but it is not held by the body: when it should be at "
                   "rest it moves by %.2f m/s. Do its panels start around the body?",
                   s->task->piece[s->piece].pattern->file, speed);
}

static vo_result hang(vo_sewing *s, const phase *f, vo_sim *sim, vo_sew_report *report) {
    for (int step = 0; step < f->most; step++) {
        VO_TRY(vo_sim_step(sim));
        report->speed = slow_down(sim);
        VO_TRY(vo_sewing_tell(s, VO_SEW_RELAXING, 0, report->speed));
        if (step > f->least && report->speed < f->at_rest) break;
    }
    report->max_strain = strain_of(sim);
    return VO_OK;
}

static void take(const vo_sim *sim, vo_mesh **sewn) {
    for (int c = 0; c < sim->cloth_count; c++)
        for (int n = 0; n < sewn[c]->node_count; n++) {
            sewn[c]->node_x[n] = sim->cloth[c].mesh->node_x[n];
            sewn[c]->node_v[n] = v3(0, 0, 0);
        }
}

static vo_result run(vo_sewing *s, const phase *f, vo_scene *scene, vo_sim **sim,
                     vo_sew_report *report) {
    for (int i = 0; i <= s->piece; i++) {
        VO_TRY(vo_sew_add_cloth(s, scene, i, f->starch, MOST_STRETCH, s->sewn[i]));
        if (f->pinned) VO_TRY(add_pins(s, scene, i));
    }
    VO_TRY(vo_sim_create(s->task->ctx, scene, sim));
    VO_TRY(hang(s, f, *sim, report));
    take(*sim, s->sewn);
    vo_inspection found;
    VO_TRY(vo_sim_inspect(*sim, &found));
    if (vo_inspection_is_clean(&found)) return VO_OK;
    return vo_fail(s->task->ctx, VO_BAD_DATA,
                   "%s: sewn, but %d pairs of faces intersect and %d nodes are inside the body",
                   s->task->piece[s->piece].pattern->file, vo_inspection_intersections(&found),
                   found.inside_nodes);
}

static vo_result relax(vo_sewing *s, const phase *f, vo_sew_report *report) {
    vo_scene *scene = NULL;
    vo_sim *sim = NULL;
    vo_result result = vo_sew_scene(s, s->task->gravity, FRICTION, &scene);
    if (result == VO_OK) result = run(s, f, scene, &sim, report);
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
    if (report->speed > FALLS) return tell_fall(s, &closed, report->speed);
    stretched now = most_stretched(s);
    return check_strain(s, &now);
}

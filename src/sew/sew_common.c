/* Helpers of the sewing passes: progress, and the scenes that they simulate. */
#include "core/memory.h"
#include "core/timer.h"
#include "sew/sew.h"

/* s, length of a sewing step */
static const double STEP = 0.01;

void vo_sew_report_work(const vo_context *ctx, double done) {
    vo_report_work(ctx, "sewing garments", (int)(1000 * vo_clamp(done, 0, 1)), 1000);
}

vo_result vo_sewing_report_progress(vo_sewing *s, vo_sew_phase phase, double gap, double speed) {
    vo_sew_progress *p = &s->progress;
    p->phase = phase;
    p->gap = gap;
    p->speed = speed;
    p->garment = s->piece;
    p->garments = s->task->piece_count;
    p->pattern = s->task->piece[s->piece].pattern->file;
    p->elapsed_s = vo_now() - s->start_s;
    p->step++;
    double part = phase == VO_SEW_PULLING ? 1 - exp(-p->step / 40.0) : 2 - exp(-p->step / 100.0);
    p->done = vo_max(p->done, (s->piece + 0.5 * part) / s->task->piece_count);
    VO_TRY(vo_check_cancel(s->task->ctx));
    if (!s->task->progress || s->task->progress(s->task->user, p)) return VO_OK;
    return vo_fail(s->task->ctx, VO_CANCELLED, "sewing was cancelled");
}

vo_result vo_sew_scene(const vo_sewing *s, vo_vec3 gravity, double friction, vo_scene **out) {
    vo_scene_def def = vo_scene_def_default();
    def.frame_time = STEP;
    def.frame_steps = 1;
    def.gravity = gravity;
    def.repulsion_thickness = s->task->thickness;
    def.friction = def.obstacle_friction = friction;
    VO_TRY(vo_scene_create(s->task->ctx, &def, out));
    (*out)->separation_advice = "place the panels of the pattern further apart, or use shorter "
                                "edges (edge_length)";
    if (!s->task->body) return VO_OK;
    vo_obstacle_def body = vo_obstacle_def_default();
    body.mesh = s->task->body;
    return vo_scene_add_obstacle(*out, &body, NULL);
}

vo_result vo_sew_add_cloth(const vo_sewing *s, vo_scene *scene, int piece, double stiff,
                           double stretch, const vo_mesh *mesh) {
    vo_context *ctx = s->task->ctx;
    const vo_sew_piece *p = &s->task->piece[piece];
    vo_material_def *materials = vo_new_array(ctx, vo_material_def, p->material_count);
    if (!materials) return vo_fail_memory(ctx, "sewing");
    for (int i = 0; i < p->material_count; i++) {
        const vo_material *m = &p->material[i];
        materials[i] = vo_material_def_default();
        materials[i].fabric = m->fabric;
        materials[i].density_mult = m->density_mult;
        materials[i].stretching_mult = m->stretching_mult;
        materials[i].bending_mult = stiff * m->bending_mult;
        materials[i].damping = VO_SEW_DAMPING;
        materials[i].stretch_max = stretch;
    }
    vo_cloth_def cloth = vo_cloth_def_default();
    cloth.mesh = mesh;
    cloth.material_count = p->material_count;
    cloth.materials = materials;
    vo_result result = vo_scene_add_cloth(scene, &cloth, NULL);
    vo_free_array(ctx, materials, p->material_count);
    return result;
}

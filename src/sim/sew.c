/* The passes of sewing, garment by garment. */
#include "sim/sew.h"

#include "core/memory.h"
#include "core/timer.h"
#include "sim/sim.h"

#include <string.h>

/* s, of one step while sewing. */
static const double STEP = 0.01;

vo_result vo_sewing_tell(vo_sewing *s, vo_sew_stage stage, double gap, double speed) {
    vo_sew_progress *p = &s->progress;
    p->stage = stage;
    p->gap = gap;
    p->speed = speed;
    p->garment = s->piece;
    p->garments = s->task->piece_count;
    p->pattern = s->task->piece[s->piece].pattern->file;
    p->elapsed_s = vo_now() - s->start_s;
    p->step++;
    double part = stage == VO_SEW_PULLING ? 1 - exp(-p->step / 40.0) : 2 - exp(-p->step / 100.0);
    p->done = vo_max(p->done, (s->piece + 0.5 * part) / s->task->piece_count);
    if (!s->task->progress || s->task->progress(s->task->user, p)) return VO_OK;
    return vo_fail(s->task->ctx, VO_STOPPED, "sewing was stopped");
}

vo_result vo_sew_scene(const vo_sewing *s, vo_vec3 gravity, double friction, vo_scene **out) {
    vo_scene_def def = vo_scene_def_default();
    def.frame_time = STEP;
    def.frame_steps = 1;
    def.gravity = gravity;
    def.repulsion_thickness = s->task->thickness;
    def.friction = def.obstacle_friction = friction;
    VO_TRY(vo_scene_create(s->task->ctx, &def, out));
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

/* Panels to one mesh, in the world where the seams closed. */
static vo_result sew_piece(vo_sewing *s, vo_mesh *panels, vo_sew_report *report) {
    const vo_garment *garment = s->task->piece[s->piece].garment;
    double gap;
    VO_TRY(vo_sew_place(s, panels->node_x));
    VO_TRY(vo_sew_pull(s, panels, &gap));
    VO_TRY(vo_pattern_merge(panels, garment->link_count, garment->link, &s->sewn[s->piece]));
    report->gap = vo_max(report->gap, gap);
    report->links += garment->link_count;
    report->seams += s->task->piece[s->piece].pattern->seam_count;
    report->faces += s->sewn[s->piece]->face_count;
    report->nodes += s->sewn[s->piece]->node_count;
    report->steps += s->progress.step;
    return vo_sew_relax(s, report);
}

static vo_result sew_all(vo_sewing *s, vo_sew_report *report) {
    const vo_sew_task *task = s->task;
    for (s->piece = 0; s->piece < task->piece_count; s->piece++) {
        vo_mesh *panels = NULL;
        vo_result result = vo_mesh_copy(task->ctx, task->piece[s->piece].garment->mesh, &panels);
        if (result == VO_OK) result = sew_piece(s, panels, report);
        vo_mesh_destroy(panels);
        VO_TRY(result);
        report->steps += s->progress.step;
    }
    return VO_OK;
}

vo_result vo_sew_outfit(const vo_sew_task *task, vo_mesh **sewn, vo_sew_report *report) {
    vo_sewing s = {.task = task, .sewn = sewn, .start_s = vo_now()};
    *report = (vo_sew_report){0};
    memset(sewn, 0, (size_t)task->piece_count * sizeof *sewn);
    vo_result result = sew_all(&s, report);
    report->wall_s = vo_now() - s.start_s;
    if (result == VO_OK) return VO_OK;
    for (int i = 0; i < task->piece_count; i++) {
        vo_mesh_destroy(sewn[i]);
        sewn[i] = NULL;
    }
    return result;
}

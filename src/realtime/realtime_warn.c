/* Warnings about the state of the cloth after a frame: implausible strain, once per cloth, and
 * intersections that untangling does not remove. Both are counted per frame afterwards. */
#include "core/plural.h"
#include "realtime/realtime_private.h"

/* s, within which cloth that intersects at the start is untangled. */
static const double UNTANGLING_TIME = 1;

static void warn_cloth_strain(vo_realtime *r, int c) {
    double max = 0, min = 0;
    if (r->cloth[c].warned_strain) return;
    vo_mesh_strain(r->sim->cloth[c].mesh, &max, &min);
    if (!(max > VO_MAX_PLAUSIBLE_STRAIN)) return;
    r->cloth[c].warned_strain = true;
    vo_log_line(r->ctx, VO_LOG_WARNING,
                "frame %d: cloth %d is stretched to %.3g times its length in one place, more than "
                "any fabric; raise realtime.rate or realtime.substeps, slow down the body, or "
                "leave the cloth more space. Later frames are in the statistics (max_strain)",
                r->sim->frame, c, 1 + max);
}

static void warn_strain(vo_realtime *r) {
    if (!(r->sim->stats.max_strain > VO_MAX_PLAUSIBLE_STRAIN)) return;
    (void)vo_sim_count_warning(r->sim, VO_WARN_STRAIN, r->sim->frame);
    for (int c = 0; c < r->sim->cloth_count; c++) warn_cloth_strain(r, c);
}

/* Names the first pair of faces. */
static void log_intersections(const vo_realtime *r, const vo_inspection *i) {
    const vo_face_pair *pair = &i->pair[0];
    vo_log_line(r->ctx, VO_LOG_WARNING,
                "frame %d: %s, the first at (%.4g, %.4g, %.4g) m between cloth %d and %s %d; the "
                "self-collision of the real-time engine has found intersections since frame %d and "
                "has not removed them; raise realtime.rate or realtime.substeps, slow down the "
                "body, or leave the cloth more space; voile check lists all frames",
                r->sim->frame,
                vo_count_words(vo_inspection_intersections(i), "pair of faces intersects",
                               "pairs of faces intersect")
                    .s,
                pair->position.x, pair->position.y, pair->position.z, pair->cloth,
                pair->with_obstacle ? "obstacle" : "cloth", pair->other,
                r->sim->frame - r->intersecting_frames + 1);
}

/* The engine counts edges that intersect a face where it untangles; an exact inspection confirms
 * the first warning. */
static vo_result warn_intersections(vo_realtime *r) {
    vo_inspection inspection;
    if (r->sim->warned[VO_WARN_TANGLE] == 0) {
        VO_TRY(vo_sim_inspect(r->sim, &inspection));
        if (inspection.pair_count == 0) return VO_OK;
        log_intersections(r, &inspection);
    }
    (void)vo_sim_count_warning(r->sim, VO_WARN_TANGLE, r->sim->frame);
    return VO_OK;
}

vo_result vo_realtime_warn_frame(vo_realtime *r) {
    bool intersects = vo_rt_world_get_stats(r->world).self_intersections > 0;
    warn_strain(r);
    r->intersecting_frames = intersects ? r->intersecting_frames + 1 : 0;
    bool lasts = r->intersecting_frames * r->sim->scene->def.frame_time >= UNTANGLING_TIME;
    return lasts ? warn_intersections(r) : VO_OK;
}

vo_result vo_realtime_warn_end(vo_realtime *r) {
    return r->intersecting_frames > 0 ? warn_intersections(r) : VO_OK;
}

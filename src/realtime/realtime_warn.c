/* Warnings about the state of the cloth after a frame: implausible strain, once per cloth, and
 * intersections that untangling does not remove. Both are counted per frame afterwards. */
#include "realtime/realtime_private.h"

#include <math.h>

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

/* A pair that self-collision is to prevent: not with a character made of capsules, whose surface
 * cloth may intersect. */
static bool is_unexpected(const vo_realtime *r, const vo_face_pair *pair) {
    return !pair->with_obstacle || !vo_realtime_has_capsules(r->sim->scene, pair->other);
}

/* Index of the first such pair among those listed; -1: none. */
static int find_unexpected(const vo_realtime *r, const vo_inspection *i) {
    for (int k = 0; k < i->pair_count; k++)
        if (is_unexpected(r, &i->pair[k])) return k;
    return -1;
}

static void log_intersections(const vo_realtime *r, const vo_face_pair *pair) {
    vo_log_line(r->ctx, VO_LOG_WARNING,
                "frame %d: faces intersect, the first at (%.4g, %.4g, %.4g) m between cloth %d and "
                "%s %d; the self-collision of the real-time engine has not removed the "
                "intersections for %d frames; raise realtime.rate or realtime.substeps, slow down "
                "the body, or leave the cloth more space; voile check lists all frames",
                r->sim->frame, pair->position.x, pair->position.y, pair->position.z, pair->cloth,
                pair->with_obstacle ? "obstacle" : "cloth", pair->other, r->intersecting_frames);
}

/* The engine counts edges that intersect a face where it untangles; an exact inspection confirms
 * the first warning. Without memory for it nothing is said: the frame is valid. */
static void warn_intersections(vo_realtime *r) {
    vo_inspection inspection;
    if (r->sim->warned[VO_WARN_TANGLE] == 0) {
        int first =
            vo_sim_inspect(r->sim, &inspection) == VO_OK ? find_unexpected(r, &inspection) : -1;
        if (first < 0) return;
        log_intersections(r, &inspection.pair[first]);
    }
    (void)vo_sim_count_warning(r->sim, VO_WARN_TANGLE, r->sim->frame);
}

void vo_realtime_warn_frame(vo_realtime *r) {
    bool intersects = vo_rt_world_get_stats(r->world).self_intersections > 0;
    double time = r->sim->scene->def.frame_time;
    int frames = (int)ceil(UNTANGLING_TIME / time - 1e-9);
    warn_strain(r);
    r->intersecting_frames = intersects ? r->intersecting_frames + 1 : 0;
    bool lasts = r->intersecting_frames >= frames;
    if (lasts && (r->sim->warned[VO_WARN_TANGLE] > 0 || r->intersecting_frames % frames == 0))
        warn_intersections(r);
}

void vo_realtime_warn_end(vo_realtime *r) {
    if (r->intersecting_frames > 0) warn_intersections(r);
}

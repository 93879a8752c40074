/* What cameras see of remeshing: who watches, how far points seem to move, and where they are seen.
 */
#include "sim/view_local.h"
#include "view/camera.h"

/* ---- who watches ---------------------------------------------------------------------------- */

/* Whether a camera that looks now did so a frame ago, in the same shot: only then can anybody see
 * what has changed since. */
static bool has_watched(const vo_sim *sim, int camera) {
    const vo_scene *scene = sim->scene;
    double now = vo_scene_time_meant(scene, camera, vo_sim_time(sim));
    double before = vo_scene_time_meant(scene, camera, vo_sim_time(sim) - scene->def.frame_time);
    return !scene->camera[camera].light && vo_scene_camera_counts(scene, camera, now) &&
           vo_scene_camera_cuts(scene, camera, before, now, 0, NULL) == 0;
}

/* Those in whose pictures remeshing may show. Up to frame 0 there are no pictures. */
static void list_watchers(vo_sim *sim) {
    vo_sim_view *view = &sim->view;
    view->watcher_count = 0;
    if (sim->frame <= 0) return;
    if (view->guide.count > 0) {
        if (view->guide.count > 1) view->watcher[view->watcher_count++] = vo_sim_guided_now(sim);
        return;
    }
    for (int i = 0; i < sim->scene->camera_count; i++)
        if (has_watched(sim, i)) vo_sim_camera_now(sim, i, &view->watcher[view->watcher_count++]);
}

vo_result vo_sim_view_find_watchers(vo_sim *sim) {
    vo_sim_view *view = &sim->view;
    list_watchers(sim);
    if (view->watcher_count == 0) return VO_OK;
    for (int c = 0; c < sim->cloth_count; c++) {
        int faces = sim->cloth[c].mesh->face_count;
        view->cloth_watched[c] = vo_arena_array(&sim->remesh.arena, unsigned char, faces + 1);
        if (!view->cloth_watched[c]) return vo_fail_memory(sim->ctx, "the view");
    }
    return vo_view_mark_seen(view->view, view->watcher_count, view->watcher, sim->cloth_count,
                             view->cloth, view->cloth_watched);
}

/* ---- how far points seem to move ------------------------------------------------------------ */

/* Around a picture, in widths or heights of it, whichever is more: of a face that is partly in it,
 * corners may be far out of it. */
static const double BESIDE = 1;

/* How far something that goes from a place to another seems to move, in pixels; 0 if it is in the
 * picture at neither. What comes from behind the eye, or goes there, has crossed the picture. */
static double pixels_between(const vo_camera *camera, double border, vo_vec3 from, vo_vec3 to) {
    vo_vec2 a = v2(NAN, NAN), b = a;
    bool before = vo_camera_shows(camera, border, from, &a);
    bool after = vo_camera_shows(camera, border, to, &b);
    if (!before && !after) return 0;
    double pixels = v2_length(v2_sub(b, a));
    return isfinite(pixels) ? pixels : hypot(camera->width, camera->height);
}

/* The same for all who watch (vo_watch), beside their pictures, too: what a corner there does, the
 * middle of its face does in the picture. */
static double seen_shift(const void *user, vo_vec3 from, vo_vec3 to) {
    const vo_sim_view *view = user;
    double most = 0;
    for (int i = 0; i < view->watcher_count; i++) {
        const vo_camera *camera = &view->watcher[i];
        double border = BESIDE * vo_max_int(camera->width, camera->height);
        most = vo_max(most, pixels_between(camera, border, from, to));
    }
    return most;
}

/* Whether any of them sees a point there (vo_watch). */
static bool is_seen(const void *user, vo_vec3 point) {
    const vo_sim_view *view = user;
    for (int i = 0; i < view->watcher_count; i++)
        if (vo_view_sees(view->view, &view->watcher[i], point)) return true;
    return false;
}

/* A budget that makes edges longer on the screen lets points move as much further. */
static double popping_allowed(const vo_sim *sim) {
    double popping = sim->scene->def.view.popping;
    if (!vo_sim_has_budget(sim)) return popping;
    return popping * vo_max(1, sim->view.pixels / vo_sim_least_pixels(sim));
}

bool vo_sim_view_watch_cloth(const vo_sim *sim, int cloth, vo_watch *out) {
    const vo_sim_view *view = &sim->view;
    if (!view->view || view->watcher_count == 0) return false;
    *out = (vo_watch){.face = view->cloth_watched[cloth],
                      .shift = seen_shift,
                      .user = view,
                      .most = popping_allowed(sim),
                      .sees = vo_view_has_occlusion(view->view) ? is_seen : NULL};
    return isfinite(out->most);
}

/* The most that a point seems to move in the picture, in pixels, where the view tells what is
 * hidden: only of what is seen before or after. */
static double popping_in(const vo_view *view, const vo_camera *camera, int count,
                         const vo_pop *pop) {
    double most = 0;
    for (int i = 0; i < count; i++) {
        double pixels = pixels_between(camera, 0, pop[i].from, pop[i].to);
        if (!(pixels > most)) continue;
        if (!view || vo_view_sees(view, camera, pop[i].from) ||
            vo_view_sees(view, camera, pop[i].to))
            most = pixels;
    }
    return most;
}

double vo_sim_view_popping(const vo_sim *sim, int count, const vo_pop *pop) {
    const vo_scene *scene = sim->scene;
    double most = 0;
    if (sim->view.view) {
        for (int i = 0; i < sim->view.watcher_count; i++)
            most = vo_max(most, popping_in(sim->view.view, &sim->view.watcher[i], count, pop));
        return most;
    }
    for (int i = 0; i < scene->camera_count && sim->frame > 0; i++) {
        vo_camera camera;
        if (!has_watched(sim, i) || !vo_sim_camera_now(sim, i, &camera)) continue;
        most = vo_max(most, popping_in(NULL, &camera, count, pop));
    }
    return most;
}

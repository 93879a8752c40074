/* The pop limit of remeshing: the cameras to which it applies, the screen-space displacement of
 * points, and their visibility. */
#include "sim/view_local.h"
#include "view/camera.h"

/* ---- cameras -------------------------------------------------------------------------------- */

/* Returns true if a camera shows the same shot as one frame ago: popping is visible only within a
 * shot. */
static bool continues_shot(const vo_sim *sim, int camera) {
    const vo_scene *scene = sim->scene;
    double now = vo_scene_snap_to_cut(scene, camera, vo_sim_now(sim));
    double before = vo_scene_snap_to_cut(scene, camera, vo_sim_now(sim) - scene->def.frame_time);
    return !scene->camera[camera].light && vo_scene_camera_is_active(scene, camera, now) &&
           vo_scene_camera_cuts(scene, camera, before, now, 0, NULL) == 0;
}

/* Lists the cameras in which remeshing may pop. Up to frame 0 no image exists. */
static void list_pop_cameras(vo_sim *sim) {
    vo_sim_view *view = &sim->view;
    view->pop_camera_count = 0;
    if (sim->frame <= 0) return;
    if (view->predictor.count > 0) {
        if (view->predictor.count > 1)
            view->pop_camera[view->pop_camera_count++] = vo_sim_interactive_camera(sim);
        return;
    }
    for (int i = 0; i < sim->scene->camera_count; i++)
        if (continues_shot(sim, i))
            vo_sim_current_camera(sim, i, &view->pop_camera[view->pop_camera_count++]);
}

vo_result vo_sim_view_find_pop_cameras(vo_sim *sim) {
    vo_sim_view *view = &sim->view;
    list_pop_cameras(sim);
    if (view->pop_camera_count == 0) return VO_OK;
    for (int c = 0; c < sim->cloth_count; c++) {
        int faces = sim->cloth[c].mesh->face_count;
        view->cloth_face_visible[c] = vo_arena_array(&sim->remesh.arena, unsigned char, faces + 1);
        if (!view->cloth_face_visible[c]) return vo_fail_memory(sim->ctx, "the view");
    }
    return vo_view_mark_visible(view->view, view->pop_camera_count, view->pop_camera,
                                sim->cloth_count, view->cloth, view->cloth_face_visible);
}

/* ---- screen-space displacement -------------------------------------------------------------- */

/* Border around an image, in units of its longer side: corners of a face that is partly in the
 * image may lie far outside it. */
static const double BORDER = 1;

/* Screen-space distance between two positions of a point, in pixels; 0 if neither is in the image.
 * A point that crosses the camera plane yields the diagonal of the image. */
static double pixels_between(const vo_camera *camera, double border, vo_vec3 from, vo_vec3 to) {
    vo_vec2 a = v2(NAN, NAN), b = a;
    bool before = vo_camera_contains(camera, border, from, &a);
    bool after = vo_camera_contains(camera, border, to, &b);
    if (!before && !after) return 0;
    double pixels = v2_length(v2_sub(b, a));
    return isfinite(pixels) ? pixels : hypot(camera->width, camera->height);
}

/* Maximum over all cameras (vo_pop_limit), with the border: a corner outside the image moves the
 * visible interior of its face. */
static double max_shift_px(const void *user, vo_vec3 from, vo_vec3 to) {
    const vo_sim_view *view = user;
    double max_pixels = 0;
    for (int i = 0; i < view->pop_camera_count; i++) {
        const vo_camera *camera = &view->pop_camera[i];
        double border = BORDER * vo_max_int(camera->width, camera->height);
        max_pixels = vo_max(max_pixels, pixels_between(camera, border, from, to));
    }
    return max_pixels;
}

/* Returns true if any camera sees the point (vo_pop_limit). */
static bool is_point_visible(const void *user, vo_vec3 point) {
    const vo_sim_view *view = user;
    for (int i = 0; i < view->pop_camera_count; i++)
        if (vo_view_point_is_visible(view->view, &view->pop_camera[i], point)) return true;
    return false;
}

/* Allowed displacement, pixels. It grows in proportion to the edges that a budget lengthens. */
static double allowed_popping(const vo_sim *sim) {
    double popping = sim->scene->def.view.max_popping;
    if (!vo_sim_has_budget(sim)) return popping;
    return popping * vo_max(1, sim->budget.min_edge_pixels / vo_sim_min_edge_pixels(sim));
}

bool vo_sim_view_make_pop_limit(const vo_sim *sim, int cloth, vo_pop_limit *out) {
    const vo_sim_view *view = &sim->view;
    if (!view->view || view->pop_camera_count == 0) return false;
    *out =
        (vo_pop_limit){.face_visible = view->cloth_face_visible[cloth],
                       .shift = max_shift_px,
                       .user = view,
                       .max_shift = allowed_popping(sim),
                       .is_visible = vo_view_has_occlusion(view->view) ? is_point_visible : NULL};
    return isfinite(out->max_shift);
}

/* Largest screen-space displacement, pixels. With a view, only of points that are visible before or
 * after it. */
static double camera_popping(const vo_view *view, const vo_camera *camera, int count,
                             const vo_pop *pop) {
    double max_pixels = 0;
    for (int i = 0; i < count; i++) {
        double pixels = pixels_between(camera, 0, pop[i].from, pop[i].to);
        if (!(pixels > max_pixels)) continue;
        if (!view || vo_view_point_is_visible(view, camera, pop[i].from) ||
            vo_view_point_is_visible(view, camera, pop[i].to))
            max_pixels = pixels;
    }
    return max_pixels;
}

double vo_sim_view_measure_popping(const vo_sim *sim, int count, const vo_pop *pop) {
    const vo_scene *scene = sim->scene;
    double max_pixels = 0;
    if (sim->view.view) {
        for (int i = 0; i < sim->view.pop_camera_count; i++)
            max_pixels = vo_max(
                max_pixels, camera_popping(sim->view.view, &sim->view.pop_camera[i], count, pop));
        return max_pixels;
    }
    for (int i = 0; i < scene->camera_count && sim->frame > 0; i++) {
        vo_camera camera;
        if (!continues_shot(sim, i) || !vo_sim_current_camera(sim, i, &camera)) continue;
        max_pixels = vo_max(max_pixels, camera_popping(NULL, &camera, count, pop));
    }
    return max_pixels;
}

/* The cameras that drive refinement: the interactive camera, the scene's cameras at the current
 * time, and the frusta of both. */
#include "sim/view_local.h"

/* m. Only the sign of the distance is used, so larger distances need not be exact. */
static const double DISTANCE_TOLERANCE = 1e-6;

/* Relative deviation of a host's pixels from squares, which admits rounding to floats. */
static const double MAX_PIXEL_SKEW = 1e-3;

/* Returns a description of the defect that begins with the name of the member; NULL if there is
 * none. */
static const char *camera_defect(const vo_camera *c) {
    const char *defect = vo_camera_defect(c);
    if (defect) return defect;
    if (c->width > VO_CAMERA_MAX_PIXELS || c->height > VO_CAMERA_MAX_PIXELS)
        return "width and height must be at most 16384 pixels";
    if (!(fabs(c->tan_x * c->height / (c->tan_y * c->width) - 1) <= MAX_PIXEL_SKEW))
        return "tan_x must equal tan_y x width / height within 0.1 %: pixels are square";
    return NULL;
}

vo_result vo_sim_set_camera(vo_sim *sim, const vo_camera *camera, bool is_cut) {
    vo_camera_predictor *predictor = &sim->view.predictor;
    const char *defect = camera ? camera_defect(camera) : NULL;
    if (defect) return vo_fail(sim->ctx, VO_BAD_ARGUMENT, "camera: %s", defect);
    if (is_cut || !camera) vo_camera_predictor_reset(predictor);
    if (camera) vo_camera_predictor_add(predictor, vo_sim_now(sim), camera);
    return VO_OK;
}

/* ---- cameras at the current time ------------------------------------------------------------ */

bool vo_sim_current_camera(const vo_sim *sim, int camera, vo_camera *out) {
    double time = vo_scene_snap_to_cut(sim->scene, camera, vo_sim_now(sim));
    *out = vo_scene_eval_camera(sim->scene, camera, time);
    return vo_scene_camera_is_active(sim->scene, camera, time);
}

vo_camera vo_sim_interactive_camera(const vo_sim *sim) {
    return vo_camera_predict(&sim->view.predictor, vo_sim_now(sim));
}

bool vo_sim_view_is_full_detail(const vo_sim *sim) {
    return sim->frame < 0 && sim->scene->def.view.full_detail_preroll &&
           sim->view.predictor.count == 0;
}

/* ---- frusta at the current time ------------------------------------------------------------- */

void vo_sim_view_open_frusta(vo_sim *sim) {
    vo_sim_view *view = &sim->view;
    view->frustum_count = 0;
    if (!view->view || vo_sim_view_is_full_detail(sim)) return;
    if (view->predictor.count > 0) {
        vo_camera camera = vo_sim_interactive_camera(sim);
        view->frustum[view->frustum_count++] = vo_frustum_make(&camera);
        return;
    }
    for (int i = 0; i < sim->scene->camera_count; i++) {
        vo_camera camera;
        if (vo_sim_current_camera(sim, i, &camera))
            view->frustum[view->frustum_count++] = vo_frustum_make(&camera);
    }
}

bool vo_sim_view_face_is_off_screen(const vo_sim *sim, int cloth, int face) {
    const vo_sim_view *view = &sim->view;
    const vo_mesh *mesh = sim->cloth[cloth].mesh;
    for (int i = 0; i < view->frustum_count; i++) {
        vo_vec3 p[3];
        for (int k = 0; k < 3; k++)
            p[k] = vo_frustum_to_local(&view->frustum[i],
                                       mesh->node_x[vo_mesh_face_node(mesh, face, k)]);
        if (!(vo_frustum_triangle_distance(&view->frustum[i], p, DISTANCE_TOLERANCE) > 0))
            return false;
    }
    return view->frustum_count > 0;
}

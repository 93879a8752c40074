/* View-dependent refinement: computes the visibility and the projected size of each face for the
 * sizing field (view/view.h).
 *
 * It runs at the end of each frame, before remeshing. The viewpoints are the scene's cameras and
 * lights, whose paths are known in advance, or an interactive camera that replaces them and whose
 * path is extrapolated (view/camera_predict.h). The result depends on the state and the scene only.
 *
 * Before frame 0 all faces are treated as visible, unless `full_detail_preroll` is off or an
 * interactive camera is set. The initial drape therefore does not depend on the cameras and equals
 * that of a run without a view. The remeshing at frame 0, the first image, applies the view. */
#include "core/parallel.h"
#include "core/timer.h"
#include "sim/inspect.h"
#include "sim/view_local.h"

enum {
    PREDICTED_SAMPLES = 6, /* of the window of an interactive camera */
    MAX_SAMPLES = 48       /* of one camera's window, without those required by cuts */
};

/* m/s and rad/s: change of velocity that an interactive camera may make at any time. */
static const double JITTER = 0.2;

/* ---- create and free ------------------------------------------------------------------------ */

/* Length of the anticipation window, s. */
static double window_length(const vo_sim *sim) {
    return sim->scene->def.view.anticipation * sim->scene->def.frame_time;
}

static vo_view_def view_def(const vo_sim *sim) {
    const vo_view_settings *v = &sim->scene->def.view;
    vo_view_def def = vo_view_def_default();
    def.factor.back_facing = v->back_facing;
    def.factor.occluded = v->occluded;
    def.factor.off_screen = v->off_screen;
    def.factor.margin = v->frustum_margin;
    def.screen.min_edge_pixels = v->min_edge_pixels;
    def.window = window_length(sim);
    def.silhouette_threshold = v->silhouette;
    def.occlusion = v->occlusion;
    def.occlusion_falloff = v->occluded_margin;
    return def;
}

vo_result vo_sim_view_create(vo_sim *sim) {
    vo_sim_view *view = &sim->view;
    view->predictor = vo_camera_predictor_init();
    sim->budget.min_edge_pixels = sim->scene->def.view.min_edge_pixels;
    vo_sim_view_set_density(sim, 0);
    if (sim->scene->def.adapt != VO_ADAPT_VIEW) return VO_OK;
    vo_view_def def = view_def(sim);
    view->cloth = vo_new_array(sim->ctx, vo_view_cloth, sim->cloth_count + 1);
    view->cloth_face_visible = vo_new_array(sim->ctx, unsigned char *, sim->cloth_count + 1);
    view->frustum = vo_new_array(sim->ctx, vo_frustum, sim->scene->camera_count + 1);
    view->pop_camera = vo_new_array(sim->ctx, vo_camera, sim->scene->camera_count + 1);
    if (!view->cloth || !view->cloth_face_visible || !view->frustum || !view->pop_camera)
        return vo_fail_memory(sim->ctx, "the view");
    return vo_view_create(sim->ctx, &def, &view->view);
}

void vo_sim_view_free(vo_sim *sim) {
    vo_view_destroy(sim->view.view);
    vo_free_array(sim->ctx, sim->view.cloth, sim->cloth_count + 1);
    vo_free_array(sim->ctx, sim->view.cloth_face_visible, sim->cloth_count + 1);
    vo_free_array(sim->ctx, sim->view.frustum, sim->scene->camera_count + 1);
    vo_free_array(sim->ctx, sim->view.pop_camera, sim->scene->camera_count + 1);
}

/* ---- viewpoints ----------------------------------------------------------------------------- */

/* The path of a camera of the scene. */
typedef struct camera_path {
    const vo_scene *scene;
    int camera;
} camera_path;

static bool camera_at(const void *path, double time, vo_camera *out) {
    const camera_path *p = path;
    *out = vo_scene_eval_camera(p->scene, p->camera, time);
    return vo_scene_camera_is_active(p->scene, p->camera, time);
}

/* Samples the anticipation window of a camera of the scene. Returns false if memory runs out. */
static bool sample_camera(vo_sim *sim, int camera, vo_viewpoint *viewpoint) {
    const vo_scene *scene = sim->scene;
    vo_arena *arena = &sim->remesh.arena;
    vo_window_def def = vo_window_def_default();
    def.time = vo_scene_snap_to_cut(scene, camera, vo_sim_now(sim));
    def.length = window_length(sim);
    def.step = 0.5 * scene->def.frame_time;
    double end = def.time + def.length + VO_CUT_TOLERANCE;
    def.cut_count = vo_scene_camera_cuts(scene, camera, def.time, end, 0, NULL);
    double *cut = vo_arena_array(arena, double, def.cut_count + 1);
    int capacity = MAX_SAMPLES + VO_WINDOW_MIN_SAMPLES(def.cut_count);
    vo_view_sample *sample = vo_arena_array(arena, vo_view_sample, capacity);
    if (!cut || !sample) return false;
    vo_scene_camera_cuts(scene, camera, def.time, end, def.cut_count, cut);
    def.cut = cut;
    camera_path path = {scene, camera};
    viewpoint->sample = sample;
    viewpoint->sample_count = vo_window_sample_path(&def, camera_at, &path, capacity, sample);
    viewpoint->front_factor = scene->camera[camera].front;
    return true;
}

/* Samples the predicted path of the interactive camera. Returns false if memory runs out. */
static bool sample_prediction(vo_sim *sim, vo_viewpoint *viewpoint) {
    vo_view_sample *sample = vo_arena_array(&sim->remesh.arena, vo_view_sample, PREDICTED_SAMPLES);
    if (!sample) return false;
    int count = vo_window_sample_prediction(&sim->view.predictor, vo_sim_now(sim),
                                            window_length(sim), JITTER, PREDICTED_SAMPLES, sample);
    *viewpoint = (vo_viewpoint){count, sample, 1};
    return true;
}

/* Lists all viewpoints and returns their number; -1 if memory runs out. */
static int list_viewpoints(vo_sim *sim, vo_viewpoint **out) {
    bool interactive = sim->view.predictor.count > 0;
    int count = interactive ? 1 : vo_sim_view_is_full_detail(sim) ? 0 : sim->scene->camera_count;
    vo_viewpoint *viewpoint = *out = vo_arena_array(&sim->remesh.arena, vo_viewpoint, count + 1);
    if (!viewpoint) return -1;
    if (interactive) return sample_prediction(sim, viewpoint) ? 1 : -1;
    for (int i = 0; i < count; i++)
        if (!sample_camera(sim, i, &viewpoint[i])) return -1;
    return count;
}

/* ---- view update ---------------------------------------------------------------------------- */

/* Mean velocity of the nodes of a mesh, m/s; zero without occlusion, which alone uses it. */
static vo_vec3 mean_velocity(const vo_sim *sim, const vo_mesh *mesh) {
    vo_vec3 sum = v3_zero();
    if (!vo_view_has_occlusion(sim->view.view)) return sum;
    for (int i = 0; i < mesh->node_count; i++) sum = v3_add(sum, mesh->node_v[i]);
    return v3_scale(1.0 / vo_max_int(mesh->node_count, 1), sum);
}

static void find_velocities(void *arg, int begin, int end, int chunk) {
    vo_sim *sim = arg;
    (void)chunk;
    for (int i = begin; i < end; i++)
        sim->view.obstacle_velocity[i] =
            sim->obstacle[i].present ? mean_velocity(sim, sim->obstacle[i].mesh) : v3_zero();
}

/* Computes the velocities of all obstacles. Returns false if memory runs out. */
static bool list_velocities(vo_sim *sim) {
    sim->view.obstacle_velocity =
        vo_arena_array(&sim->remesh.arena, vo_vec3, sim->obstacle_count + 1);
    if (!sim->view.obstacle_velocity) return false;
    vo_parallel_for(sim->ctx, sim->obstacle_count, 1, find_velocities, sim);
    return true;
}

/* Mean velocity of a cloth, m/s. A garment has the velocity of the body that wears it. */
static vo_vec3 cloth_velocity(const vo_sim *sim, int cloth) {
    const vo_scene *scene = sim->scene;
    const vo_scene_garment *garment = scene->cloth[cloth].garment;
    int body = garment ? scene->character[garment->character].obstacle : -1;
    bool worn = body >= 0 && sim->obstacle[body].present;
    return worn ? sim->view.obstacle_velocity[body] : mean_velocity(sim, sim->cloth[cloth].mesh);
}

static bool is_two_sided(const vo_scene *scene, int cloth) {
    vo_sidedness sides = scene->cloth[cloth].sides;
    return sides == VO_SIDEDNESS_INHERIT ? scene->def.view.two_sided : sides == VO_SIDEDNESS_TWO;
}

/* Shortest edge that the view may request, m; 0 with a budget, which needs the unclamped sizes. */
static double min_edge_of(const vo_sim *sim, int cloth) {
    return vo_sim_has_budget(sim) ? 0 : sim->scene->cloth[cloth].remeshing.size_min;
}

static bool list_cloths(vo_sim *sim) {
    vo_arena *arena = &sim->remesh.arena;
    for (int c = 0; c < sim->cloth_count; c++) {
        const vo_mesh *mesh = sim->cloth[c].mesh;
        sim->view.cloth[c] =
            (vo_view_cloth){.mesh = mesh,
                            .two_sided = is_two_sided(sim->scene, c),
                            .min_edge = min_edge_of(sim, c),
                            .velocity = cloth_velocity(sim, c),
                            .factor = vo_arena_array(arena, double, mesh->face_count + 1),
                            .bound = vo_arena_array(arena, vo_sym2, mesh->face_count + 1)};
        if (!sim->view.cloth[c].factor || !sim->view.cloth[c].bound) return false;
    }
    return true;
}

/* Returns an obstacle as an occluder. `displacement` stores its motion until the end of the window.
 * */
static vo_occluder make_obstacle_occluder(const vo_sim *sim, int i, vo_transform *displacement) {
    double end = vo_sim_now(sim) + window_length(sim);
    if (!sim->obstacle[i].present) return (vo_occluder){.mesh = NULL};
    return (vo_occluder){.mesh = sim->obstacle[i].mesh,
                         .absent_at_end = !vo_sim_obstacle_exists(sim, i, end),
                         .container = vo_sim_obstacle_is_container(sim, i),
                         .velocity = sim->view.obstacle_velocity[i],
                         .end_transform = vo_sim_obstacle_displacement(sim, i, end, displacement)
                                              ? displacement
                                              : NULL};
}

/* Lists all occluders; requires the list of cloths. Returns NULL if memory runs out. */
static const vo_occluder *list_occluders(vo_sim *sim) {
    int cloths = sim->cloth_count, obstacles = sim->obstacle_count;
    vo_occluder *occluder = vo_arena_array(&sim->remesh.arena, vo_occluder, cloths + obstacles + 1);
    vo_transform *displacement = vo_arena_array(&sim->remesh.arena, vo_transform, obstacles + 1);
    if (!occluder || !displacement) return NULL;
    for (int i = 0; i < cloths; i++)
        occluder[i] =
            (vo_occluder){.mesh = sim->cloth[i].mesh, .velocity = sim->view.cloth[i].velocity};
    for (int i = 0; i < obstacles; i++)
        occluder[cloths + i] = make_obstacle_occluder(sim, i, &displacement[i]);
    return occluder;
}

static vo_result update_view(vo_sim *sim) {
    vo_viewpoint *viewpoint;
    int viewpoint_count = list_viewpoints(sim, &viewpoint);
    bool listed = list_velocities(sim) && list_cloths(sim);
    const vo_occluder *occluder = listed ? list_occluders(sim) : NULL;
    if (viewpoint_count < 0 || !occluder) return vo_fail_memory(sim->ctx, "the view");
    vo_view_report report;
    vo_view_set_min_edge_pixels(sim->view.view, sim->budget.min_edge_pixels);
    VO_TRY(vo_view_update(sim->view.view, viewpoint_count, viewpoint, sim->cloth_count,
                          sim->view.cloth, sim->cloth_count + sim->obstacle_count, occluder,
                          &report));
    sim->stats.visible_faces = report.visible;
    sim->stats.occluded_faces = report.occluded;
    return VO_OK;
}

vo_result vo_sim_view_update(vo_sim *sim) {
    if (!sim->view.view) return VO_OK;
    double start = vo_now();
    vo_sim_view_begin_budget(sim);
    vo_result result = update_view(sim);
    if (result == VO_OK) result = vo_sim_view_find_pop_cameras(sim);
    sim->stats.stage.view += vo_now() - start;
    return result;
}

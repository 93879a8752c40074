/* What cameras see, for the sizing of meshes (view/view.h).
 *
 * Asked at the end of each frame, before the meshes follow the cloth. The eyes are the scene's
 * cameras and lights, whose paths tell the future; or, in their place, a camera that the caller
 * gives step by step, whose future is guessed (view/camera_predict.h). What comes out depends on
 * the state and the scene alone.
 *
 * Before frame 0 everything counts as seen, unless the scene (`whole_start`) or a camera given step
 * by step says otherwise: what a film begins with, the drape above all, does not depend on where
 * its camera stands, and is that of a run without one. At frame 0, which is the first picture,
 * meshes become as fine as it shows. */
#include "core/parallel.h"
#include "core/timer.h"
#include "sim/view_local.h"

enum {
    FOLLOWED = 6,     /* samples of a camera given step by step */
    MOST_SAMPLES = 48 /* of one camera's window, beside what its cuts take */
};

/* m: whether a face is in a picture or not is all that is asked, so distances beyond this need not
 * be exact. */
static const double NEAREST = 1e-6;

/* m/s and rad/s that somebody's camera may take up at any moment. */
static const double JITTER = 0.2;

/* ---- making and freeing --------------------------------------------------------------------- */

/* T, in s. */
static double window_of(const vo_sim *sim) {
    return sim->scene->def.view.anticipation * sim->scene->def.frame_time;
}

static vo_view_def view_def(const vo_sim *sim) {
    const vo_viewing *v = &sim->scene->def.view;
    vo_view_def def = vo_view_def_default();
    def.factor.back = v->back;
    def.factor.hidden = v->hidden;
    def.factor.out = v->out;
    def.factor.margin = v->margin;
    def.screen.pixels = v->pixels;
    def.window = window_of(sim);
    def.silhouette = v->silhouette;
    def.occlusion = v->occlusion;
    def.fringe = v->hidden_margin;
    return def;
}

vo_result vo_sim_view_create(vo_sim *sim) {
    vo_sim_view *view = &sim->view;
    view->guide = vo_camera_guide_begin();
    view->pixels = sim->scene->def.view.pixels;
    vo_sim_view_set_density(sim, 0);
    if (sim->scene->def.adapt != VO_ADAPT_VIEW) return VO_OK;
    vo_view_def def = view_def(sim);
    view->cloth = vo_new_array(sim->ctx, vo_view_cloth, sim->cloth_count + 1);
    view->cloth_watched = vo_new_array(sim->ctx, unsigned char *, sim->cloth_count + 1);
    view->frustum = vo_new_array(sim->ctx, vo_frustum, sim->scene->camera_count + 1);
    view->watcher = vo_new_array(sim->ctx, vo_camera, sim->scene->camera_count + 1);
    if (!view->cloth || !view->cloth_watched || !view->frustum || !view->watcher)
        return vo_fail_memory(sim->ctx, "the view");
    return vo_view_create(sim->ctx, &def, &view->view);
}

void vo_sim_view_free(vo_sim *sim) {
    vo_view_destroy(sim->view.view);
    vo_free_array(sim->ctx, sim->view.cloth, sim->cloth_count + 1);
    vo_free_array(sim->ctx, sim->view.cloth_watched, sim->cloth_count + 1);
    vo_free_array(sim->ctx, sim->view.frustum, sim->scene->camera_count + 1);
    vo_free_array(sim->ctx, sim->view.watcher, sim->scene->camera_count + 1);
}

/* How far a host's pixels may be from square: it may have floats and multiply them. */
static const double SKEW = 1e-3;

/* Beginning with the member's name; NULL: nothing is wrong. */
static const char *camera_defect(const vo_camera *c) {
    const char *defect = vo_camera_defect(c);
    if (defect) return defect;
    if (c->width > VO_CAMERA_MAX_PIXELS || c->height > VO_CAMERA_MAX_PIXELS)
        return "width and height must be at most 16384 pixels";
    if (!(fabs(c->tan_x * c->height / (c->tan_y * c->width) - 1) <= SKEW))
        return "tan_x must be tan_y x width / height, to a thousandth: pixels are square";
    return NULL;
}

vo_result vo_sim_set_camera(vo_sim *sim, const vo_camera *camera, bool jump) {
    vo_camera_guide *guide = &sim->view.guide;
    const char *defect = camera ? camera_defect(camera) : NULL;
    if (defect) return vo_fail(sim->ctx, VO_BAD_CALL, "camera: %s", defect);
    if (jump || !camera) vo_camera_guide_cut(guide);
    if (camera) vo_camera_guide_add(guide, vo_sim_time(sim), camera);
    return VO_OK;
}

/* ---- eyes ----------------------------------------------------------------------------------- */

/* A camera of the scene. */
typedef struct looker {
    const vo_scene *scene;
    int camera;
} looker;

static bool camera_at(const void *path, double time, vo_camera *out) {
    const looker *l = path;
    *out = vo_scene_camera_at(l->scene, l->camera, time);
    return vo_scene_camera_counts(l->scene, l->camera, time);
}

bool vo_sim_camera_now(const vo_sim *sim, int camera, vo_camera *out) {
    double time = vo_scene_time_meant(sim->scene, camera, vo_sim_time(sim));
    *out = vo_scene_camera_at(sim->scene, camera, time);
    return vo_scene_camera_counts(sim->scene, camera, time);
}

vo_camera vo_sim_guided_now(const vo_sim *sim) {
    return vo_camera_predict(&sim->view.guide, vo_sim_time(sim));
}

/* Samples of a camera's window; false without memory. */
static bool open_eye(vo_sim *sim, int camera, vo_view_eye *eye) {
    const vo_scene *scene = sim->scene;
    vo_arena *arena = &sim->remesh.arena;
    vo_window_def def = vo_window_def_default();
    def.time = vo_scene_time_meant(scene, camera, vo_sim_time(sim));
    def.length = window_of(sim);
    def.step = 0.5 * scene->def.frame_time;
    double end = def.time + def.length + VO_CAMERA_INSTANT;
    def.cut_count = vo_scene_camera_cuts(scene, camera, def.time, end, 0, NULL);
    double *cut = vo_arena_array(arena, double, def.cut_count + 1);
    int capacity = MOST_SAMPLES + VO_WINDOW_LEAST(def.cut_count);
    vo_view_sample *sample = vo_arena_array(arena, vo_view_sample, capacity);
    if (!cut || !sample) return false;
    vo_scene_camera_cuts(scene, camera, def.time, end, def.cut_count, cut);
    def.cut = cut;
    looker path = {scene, camera};
    eye->sample = sample;
    eye->sample_count = vo_window_sample(&def, camera_at, &path, capacity, sample);
    eye->front = scene->camera[camera].front;
    return true;
}

/* That of a camera given step by step. */
static bool follow_eye(vo_sim *sim, vo_view_eye *eye) {
    vo_view_sample *sample = vo_arena_array(&sim->remesh.arena, vo_view_sample, FOLLOWED);
    if (!sample) return false;
    int count = vo_window_follow(&sim->view.guide, vo_sim_time(sim), window_of(sim), JITTER,
                                 FOLLOWED, sample);
    *eye = (vo_view_eye){count, sample, 1};
    return true;
}

bool vo_sim_view_sees_all(const vo_sim *sim) {
    return sim->frame < 0 && sim->scene->def.view.whole_start && sim->view.guide.count == 0;
}

/* All eyes; -1 without memory. */
static int open_eyes(vo_sim *sim, vo_view_eye **out) {
    bool guided = sim->view.guide.count > 0;
    int count = guided ? 1 : vo_sim_view_sees_all(sim) ? 0 : sim->scene->camera_count;
    vo_view_eye *eye = *out = vo_arena_array(&sim->remesh.arena, vo_view_eye, count + 1);
    if (!eye) return -1;
    if (guided) return follow_eye(sim, eye) ? 1 : -1;
    for (int i = 0; i < count; i++)
        if (!open_eye(sim, i, &eye[i])) return -1;
    return count;
}

/* ---- looking -------------------------------------------------------------------------------- */

/* How a mesh moves as a whole, m/s. Only those who look for what hides what want to know. */
static vo_vec3 velocity_of(const vo_sim *sim, const vo_mesh *mesh) {
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
            sim->obstacle[i].present ? velocity_of(sim, sim->obstacle[i].mesh) : v3_zero();
}

/* Of all obstacles; false without memory. */
static bool list_velocities(vo_sim *sim) {
    sim->view.obstacle_velocity =
        vo_arena_array(&sim->remesh.arena, vo_vec3, sim->obstacle_count + 1);
    if (!sim->view.obstacle_velocity) return false;
    vo_parallel_for(sim->ctx, sim->obstacle_count, 1, find_velocities, sim);
    return true;
}

/* A garment goes where its body goes. */
static vo_vec3 cloth_velocity(const vo_sim *sim, int cloth) {
    const vo_scene *scene = sim->scene;
    const vo_scene_garment *garment = scene->cloth[cloth].garment;
    int body = garment ? scene->character[garment->character].obstacle : -1;
    bool worn = body >= 0 && sim->obstacle[body].present;
    return worn ? sim->view.obstacle_velocity[body] : velocity_of(sim, sim->cloth[cloth].mesh);
}

static bool is_two_sided(const vo_scene *scene, int cloth) {
    vo_sides sides = scene->cloth[cloth].sides;
    return sides == VO_SIDES_SCENE ? scene->def.view.two_sided : sides == VO_SIDES_TWO;
}

/* m; a budget must know what the screen asks for beyond that, too. */
static double finest_of(const vo_sim *sim, int cloth) {
    return vo_sim_has_budget(sim) ? 0 : sim->scene->cloth[cloth].remeshing.size_min;
}

static bool list_cloths(vo_sim *sim) {
    vo_arena *arena = &sim->remesh.arena;
    for (int c = 0; c < sim->cloth_count; c++) {
        const vo_mesh *mesh = sim->cloth[c].mesh;
        sim->view.cloth[c] =
            (vo_view_cloth){.mesh = mesh,
                            .two_sided = is_two_sided(sim->scene, c),
                            .finest = finest_of(sim, c),
                            .velocity = cloth_velocity(sim, c),
                            .factor = vo_arena_array(arena, double, mesh->face_count + 1),
                            .bound = vo_arena_array(arena, vo_sym2, mesh->face_count + 1)};
        if (!sim->view.cloth[c].factor || !sim->view.cloth[c].bound) return false;
    }
    return true;
}

/* `way` has room for where it goes. */
static vo_hiding obstacle_hiding(const vo_sim *sim, int i, vo_transform *way) {
    double end = vo_sim_time(sim) + window_of(sim);
    if (!sim->obstacle[i].present) return (vo_hiding){.mesh = NULL};
    return (vo_hiding){.mesh = sim->obstacle[i].mesh,
                       .gone = !vo_sim_obstacle_is_there(sim, i, end),
                       .velocity = sim->view.obstacle_velocity[i],
                       .then = vo_sim_obstacle_way(sim, i, end, way) ? way : NULL};
}

/* Everything that hides, after the cloths are listed; NULL without memory. */
static const vo_hiding *list_hiding(vo_sim *sim) {
    int cloths = sim->cloth_count, obstacles = sim->obstacle_count;
    vo_hiding *hiding = vo_arena_array(&sim->remesh.arena, vo_hiding, cloths + obstacles + 1);
    vo_transform *way = vo_arena_array(&sim->remesh.arena, vo_transform, obstacles + 1);
    if (!hiding || !way) return NULL;
    for (int i = 0; i < cloths; i++)
        hiding[i] =
            (vo_hiding){.mesh = sim->cloth[i].mesh, .velocity = sim->view.cloth[i].velocity};
    for (int i = 0; i < obstacles; i++) hiding[cloths + i] = obstacle_hiding(sim, i, &way[i]);
    return hiding;
}

static vo_result look(vo_sim *sim) {
    vo_view_eye *eye;
    int eyes = open_eyes(sim, &eye);
    bool listed = list_velocities(sim) && list_cloths(sim);
    const vo_hiding *hiding = listed ? list_hiding(sim) : NULL;
    if (eyes < 0 || !hiding) return vo_fail_memory(sim->ctx, "the view");
    vo_view_report report;
    vo_view_set_pixels(sim->view.view, sim->view.pixels);
    VO_TRY(vo_view_update(sim->view.view, eyes, eye, sim->cloth_count, sim->view.cloth,
                          sim->cloth_count + sim->obstacle_count, hiding, &report));
    sim->stats.seen_faces = report.seen;
    sim->stats.hidden_faces = report.hidden;
    return VO_OK;
}

vo_result vo_sim_view_look(vo_sim *sim) {
    if (!sim->view.view) return VO_OK;
    double start = vo_now();
    vo_sim_view_open_budget(sim);
    vo_result result = look(sim);
    if (result == VO_OK) result = vo_sim_view_find_watchers(sim);
    sim->stats.stage.view += vo_now() - start;
    return result;
}

/* ---- at one moment -------------------------------------------------------------------------- */

void vo_sim_view_open(vo_sim *sim) {
    vo_sim_view *view = &sim->view;
    view->frustum_count = 0;
    if (!view->view || vo_sim_view_sees_all(sim)) return;
    if (view->guide.count > 0) {
        vo_camera camera = vo_sim_guided_now(sim);
        view->frustum[view->frustum_count++] = vo_frustum_make(&camera);
        return;
    }
    for (int i = 0; i < sim->scene->camera_count; i++) {
        vo_camera camera;
        if (vo_sim_camera_now(sim, i, &camera))
            view->frustum[view->frustum_count++] = vo_frustum_make(&camera);
    }
}

bool vo_sim_view_misses(const vo_sim *sim, int cloth, int face) {
    const vo_sim_view *view = &sim->view;
    const vo_mesh *mesh = sim->cloth[cloth].mesh;
    for (int i = 0; i < view->frustum_count; i++) {
        vo_vec3 p[3];
        for (int k = 0; k < 3; k++)
            p[k] =
                vo_frustum_local(&view->frustum[i], mesh->node_x[vo_mesh_face_node(mesh, face, k)]);
        if (!(vo_frustum_distance(&view->frustum[i], p, NEAREST) > 0)) return false;
    }
    return view->frustum_count > 0;
}

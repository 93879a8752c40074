#include "core/memory.h"
#include "math/bounds.h"
#include "picture/palette.h"
#include "run/render.h"
#include "sim/inspect.h"
#include "view/camera.h"

#include <string.h>

/* An obstacle whose extent is this many times that of the cloth is a floor or a wall. */
static const double MAX_FRAMED_RATIO = 3;

static const double SMOOTH_FACES = 120000; /* coarser cloth is subdivided to about this number */

vo_render_options vo_render_options_default(void) {
    return (vo_render_options){.width = 1280,
                               .height = 720,
                               .azimuth = 35,
                               .elevation = 14,
                               .fov_long_side = 30,
                               .zoom = 1,
                               .samples = 8,
                               .ground = true,
                               .ground_height = NAN};
}

/* ---- validation of options ------------------------------------------------------------------ */

_Static_assert((int)VO_CAMERA_MAX_PIXELS <= (int)VO_MAX_PIXELS,
               "an image must be able to have the size of any camera of a scene");

static bool is_within(double x, double low, double high) { return x >= low && x <= high; }

/* Size and horizontal field of view come from the options. */
static const char *camera_defect(vo_camera c) {
    c.width = c.height = 1;
    c.tan_x = c.tan_y;
    return vo_camera_defect(&c);
}

/* The member and what is wrong with it; NULL if the options are valid. */
static const char *defect(const vo_render_options *s) {
    if (!is_within(s->width, 1, VO_MAX_PIXELS)) return "width: must be from 1 to 16384 pixels";
    if (!is_within(s->height, 1, VO_MAX_PIXELS)) return "height: must be from 1 to 16384 pixels";
    if (!vo_is_bounded(s->azimuth)) return "azimuth: must be a number of degrees";
    if (!is_within(s->elevation, -89, 89)) return "elevation: must be from -89 to 89 degrees";
    if (!is_within(s->fov_long_side, 1, 150)) return "fov_long_side: must be from 1 to 150 degrees";
    if (!is_within(s->zoom, 1e-3, 1e3)) return "zoom: must be from 0.001 to 1000";
    if (!is_within(s->samples, 1, 1024)) return "samples: must be from 1 to 1024";
    if (!isnan(s->ground_height) && !vo_is_bounded(s->ground_height))
        return "ground_height: must be within " VO_MAX_NUMBER_TEXT " m, or NaN: the lowest point";
    if (s->surface != VO_SURFACE_SMOOTH && s->surface != VO_SURFACE_FLAT)
        return "surface: is not a vo_surface_kind";
    if (s->colour_count < 0 || (s->colour_count > 0 && !s->colours))
        return "colours: colour_count is negative, or colours is NULL";
    return NULL;
}

vo_result vo_render_options_check(vo_context *ctx, const vo_render_options *options) {
    const char *text = defect(options),
               *camera = options->camera ? camera_defect(*options->camera) : NULL;
    if (text) return vo_fail(ctx, VO_BAD_ARGUMENT, "options.%s", text);
    return camera ? vo_fail(ctx, VO_BAD_ARGUMENT, "options.camera: %s", camera) : VO_OK;
}

/* ---- extent ------------------------------------------------------------------ */

/* The axis that is most nearly opposite to gravity; z without gravity. */
static vo_vec3 up_of(vo_vec3 gravity) {
    double x = fabs(gravity.x), y = fabs(gravity.y), z = fabs(gravity.z);
    if (x > y && x > z) return v3(gravity.x > 0 ? -1 : 1, 0, 0);
    if (y > z) return v3(0, gravity.y > 0 ? -1 : 1, 0);
    return v3(0, 0, gravity.z > 0 ? -1 : 1);
}

vo_extent vo_extent_begin(const vo_subject *subject, const vo_render_options *options) {
    vo_vec3 up = subject->sim ? up_of(subject->sim->scene->def.gravity) : v3(0, 0, 1);
    vo_extent e = {.up = up, .lowest = INFINITY};
    vo_camera_framing_def def = {.up = e.up,
                                 .azimuth = options->azimuth,
                                 .elevation = options->elevation,
                                 .fov_long_side = options->fov_long_side,
                                 .zoom = options->zoom,
                                 .width = options->width,
                                 .height = options->height};
    e.framing = vo_camera_framing_begin(&def);
    return e;
}

static void add_point(vo_extent *e, vo_vec3 x) {
    vo_camera_framing_add(&e->framing, x);
    e->low = e->any ? v3_min(e->low, x) : x;
    e->high = e->any ? v3_max(e->high, x) : x;
    e->any = true;
}

/* Nodes without a face are not rendered. */
static void add_mesh(vo_extent *e, const vo_mesh *mesh, bool shown) {
    for (int i = 0; i < mesh->vert_count; i++) {
        vo_vec3 x = mesh->node_x[mesh->vert_node[i]];
        if (!v3_is_finite(x)) continue;
        e->lowest = vo_min(e->lowest, v3_dot(x, e->up));
        if (shown) add_point(e, x);
    }
}

static double diagonal(const vo_mesh *mesh) {
    vo_vec3 low = v3_zero(), high = v3_zero();
    for (int i = 0; i < mesh->vert_count; i++) {
        vo_vec3 x = mesh->node_x[mesh->vert_node[i]];
        low = i ? v3_min(low, x) : x;
        high = i ? v3_max(high, x) : x;
    }
    return v3_distance(low, high);
}

void vo_extent_add(vo_extent *e, const vo_subject *subject) {
    const vo_sim *sim = subject->sim;
    if (!sim) {
        add_mesh(e, subject->mesh, true);
        return;
    }
    for (int c = 0; c < sim->cloth_count; c++) add_mesh(e, sim->cloth[c].mesh, true);
    double large = e->any ? MAX_FRAMED_RATIO * v3_distance(e->low, e->high) : INFINITY;
    for (int i = 0; i < sim->obstacle_count; i++)
        if (sim->obstacle[i].present)
            add_mesh(e, sim->obstacle[i].mesh, diagonal(sim->obstacle[i].mesh) <= large);
}

/* ---- session ------------------------------------------------------------------------------- */

vo_result vo_render_session_create(vo_context *ctx, const vo_render_options *options,
                                   vo_render_session *out) {
    *out = (vo_render_session){.ctx = ctx, .options = options, .model = {.ctx = ctx}};
    vo_arena_init(&out->arena, ctx);
    return vo_renderer_create(ctx, &out->renderer);
}

void vo_render_session_free(vo_render_session *s) {
    vo_model_free(&s->model);
    vo_nearest_free(&s->all);
    vo_arena_free(&s->arena);
    vo_renderer_free(&s->renderer);
    vo_free_array(s->ctx, s->material, s->material_count);
    *s = (vo_render_session){.ctx = s->ctx};
}

/* Number of cloth materials. */
static int material_count(const vo_subject *subject) {
    enum { MAX_LABELS = 256 };
    int count = 0;
    if (subject->sim) {
        const vo_scene *scene = subject->sim->scene;
        for (int c = 0; c < scene->cloth_count; c++) count += scene->cloth[c].material_count;
        return count;
    }
    const vo_mesh *mesh = subject->mesh;
    for (int f = 0; f < mesh->face_count; f++) count = vo_max_int(count, mesh->face_label[f]);
    return mesh->use == VO_MESH_FOR_CLOTH ? vo_min_int(count, MAX_LABELS - 1) + 1 : 0;
}

/* An obstacle mesh rendered alone may have a wireframe and a colour. */
static vo_render_material obstacle_material(const vo_render_session *s, const vo_subject *subject) {
    vo_render_material material = vo_render_material_obstacle();
    if (subject->sim) return material;
    material.wireframe = true;
    if (s->options->colour_count > 0)
        material.front = material.back = vo_srgb_to_linear(s->options->colours[0]);
    return material;
}

static vo_result update_materials(vo_render_session *s, const vo_subject *subject) {
    int count = material_count(subject) + 1;
    if (count != s->material_count) {
        vo_free_array(s->ctx, s->material, s->material_count);
        s->material_count = 0;
        s->material = vo_new_array(s->ctx, vo_render_material, count);
        if (!s->material) return vo_fail_memory(s->ctx, "the colours");
        s->material_count = count;
    }
    for (int i = 0; i < count - 1; i++) {
        bool given = i < s->options->colour_count;
        s->material[i] =
            vo_render_material_cloth(given ? s->options->colours[i] : vo_palette_colour(i));
    }
    s->material[count - 1] = obstacle_material(s, subject);
    return VO_OK;
}

/* `eye` is relative to the origin of the model. */
static vo_result add_obstacle(vo_render_session *s, const vo_sim *sim, int i, vo_vec3 eye) {
    const vo_mesh *mesh = sim->obstacle[i].mesh;
    int first_face = s->model.face_count, material = s->material_count - 1;
    if (sim->scene->obstacle[i].body) return vo_model_add_body(&s->model, mesh, material);
    VO_TRY(vo_model_add_obstacle(&s->model, mesh, material));
    if (vo_sim_obstacle_is_container(sim, i)) vo_model_cull_back_faces(&s->model, first_face, eye);
    return VO_OK;
}

/* Subdivisions of each edge that make silhouettes look smooth; 1 for a fine mesh. */
static int edge_subdivisions(const vo_render_session *s, double faces) {
    if (s->options->surface == VO_SURFACE_FLAT || s->options->wireframe) return 1;
    return (int)vo_clamp(sqrt(SMOOTH_FACES / (1 + faces)), 1, 4);
}

static vo_result add_state(vo_render_session *s, const vo_sim *sim, vo_vec3 eye) {
    double faces = 0;
    for (int c = 0; c < sim->cloth_count; c++) faces += sim->cloth[c].mesh->face_count;
    int paint = 0, parts = edge_subdivisions(s, faces);
    if (parts > 1) VO_TRY(vo_render_session_update_positions(s, sim));
    for (int c = 0; c < sim->cloth_count; c++) {
        int next = paint + sim->scene->cloth[c].material_count;
        const unsigned char *touches = NULL;
        if (parts > 1) VO_TRY(vo_render_session_find_touching(s, sim, c, &touches));
        VO_TRY(vo_model_add_cloth(&s->model, sim->cloth[c].mesh, parts, touches, paint, next - 1));
        paint = next;
    }
    s->cloth_nodes = s->model.node_count;
    s->cloth_faces = s->model.face_count;
    for (int i = 0; i < sim->obstacle_count; i++)
        if (sim->obstacle[i].present) VO_TRY(add_obstacle(s, sim, i, eye));
    return VO_OK;
}

static vo_result add_mesh_alone(vo_render_session *s, const vo_mesh *mesh) {
    int last = s->material_count - 1;
    if (mesh->use == VO_MESH_FOR_OBSTACLE) return vo_model_add_obstacle(&s->model, mesh, last);
    return vo_model_add_cloth(&s->model, mesh, edge_subdivisions(s, mesh->face_count), NULL, 0,
                              last - 1);
}

vo_result vo_render_session_fill(vo_render_session *s, const vo_subject *subject, vo_vec3 origin,
                                 vo_vec3 eye) {
    vo_model *m = &s->model;
    VO_TRY(update_materials(s, subject));
    vo_model_clear(m);
    vo_arena_reset(&s->arena);
    m->origin = origin;
    m->material = s->material;
    m->material_count = s->material_count;
    return subject->sim ? add_state(s, subject->sim, v3_sub(eye, origin))
                        : add_mesh_alone(s, subject->mesh);
}

/* The given camera with the size of the options, else one fitted to the extent. */
static vo_camera find_camera(const vo_render_options *options, const vo_frame_camera *given,
                             const vo_extent *e) {
    if (!given->given) return vo_camera_framing_end(&e->framing);
    vo_camera camera = given->camera;
    camera.width = options->width;
    camera.height = options->height;
    camera.tan_x = camera.tan_y * options->width / options->height;
    return camera;
}

vo_result vo_render_session_draw(vo_render_session *s, const vo_subject *subject,
                                 const vo_extent *e, const vo_frame_camera *given, vo_image *out) {
    vo_camera camera = find_camera(s->options, given, e);
    VO_TRY(vo_render_session_fill(s, subject, v3_lerp(e->low, e->high, 0.5), camera.position));
    double ground = isnan(s->options->ground_height) ? e->lowest : s->options->ground_height;
    vo_renderer_def def = {.model = &s->model,
                           .camera = camera,
                           .light_right = given->lights,
                           .up = e->up,
                           .has_ground = s->options->ground && isfinite(ground),
                           .ground = ground - v3_dot(s->model.origin, e->up),
                           .scale = vo_max(v3_distance(e->low, e->high), 1e-6),
                           .samples = s->options->samples,
                           .wireframe = s->options->wireframe};
    def.camera.position = v3_sub(def.camera.position, s->model.origin);
    return vo_renderer_render(&s->renderer, &def, out);
}

static vo_result draw_state(vo_render_session *s, const vo_sim *sim, uint8_t *rgb) {
    vo_image image;
    vo_subject subject = {.sim = sim};
    vo_frame_camera camera = vo_frame_camera_of(s->options);
    vo_extent extent = vo_extent_begin(&subject, s->options);
    vo_extent_add(&extent, &subject);
    VO_TRY(vo_render_session_draw(s, &subject, &extent, &camera, &image));
    memcpy(rgb, image.rgb, 3 * (size_t)image.width * (size_t)image.height);
    return VO_OK;
}

vo_result vo_sim_render_image(const vo_sim *sim, const vo_render_options *options, uint8_t *rgb) {
    vo_render_session session;
    VO_TRY(vo_render_options_check(sim->ctx, options));
    vo_result result = vo_render_session_create(sim->ctx, options, &session);
    if (result == VO_OK) result = draw_state(&session, sim, rgb);
    vo_render_session_free(&session);
    return result;
}

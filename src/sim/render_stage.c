#include "core/memory.h"
#include "math/bounds.h"
#include "picture/palette.h"
#include "sim/render.h"
#include "view/camera.h"

#include <string.h>

/* An obstacle this many times larger than the cloth is a floor or a wall. */
static const double TOO_LARGE = 3;

static const double FACES_DRAWN = 120000; /* of cloth, about, where the mesh is coarser */

vo_shot vo_shot_default(void) {
    return (vo_shot){.width = 1280,
                     .height = 720,
                     .azimuth = 35,
                     .elevation = 14,
                     .field = 30,
                     .zoom = 1,
                     .samples = 8,
                     .ground = true,
                     .ground_height = NAN};
}

/* ---- is it sensible? ------------------------------------------------------------------------- */

_Static_assert((int)VO_CAMERA_MAX_PIXELS <= (int)VO_MAX_PIXELS,
               "what a camera of a scene shows must fit into a picture");

static bool is_within(double x, double low, double high) { return x >= low && x <= high; }

/* The shot has its own pixels, and its own opening across. */
static const char *camera_defect(vo_camera c) {
    c.width = c.height = 1;
    c.tan_x = c.tan_y;
    return vo_camera_defect(&c);
}

/* What the sentence after the member's name is to be; NULL: nothing is wrong. */
static const char *defect(const vo_shot *s) {
    if (!is_within(s->width, 1, VO_MAX_PIXELS)) return "width: must be from 1 to 16384 pixels";
    if (!is_within(s->height, 1, VO_MAX_PIXELS)) return "height: must be from 1 to 16384 pixels";
    if (!vo_is_bounded(s->azimuth)) return "azimuth: must be a number of degrees";
    if (!is_within(s->elevation, -89, 89)) return "elevation: must be from -89 to 89 degrees";
    if (!is_within(s->field, 1, 150)) return "field: must be from 1 to 150 degrees";
    if (!is_within(s->zoom, 1e-3, 1e3)) return "zoom: must be from 0.001 to 1000";
    if (!is_within(s->samples, 1, 1024)) return "samples: must be from 1 to 1024";
    if (!isnan(s->ground_height) && !vo_is_bounded(s->ground_height))
        return "ground_height: must be within " VO_LARGEST_TEXT " m, or NaN: below everything";
    if (s->surface != VO_SURFACE_SMOOTH && s->surface != VO_SURFACE_FLAT)
        return "surface: there is no such kind";
    if (s->colour_count < 0 || (s->colour_count > 0 && !s->colours))
        return "colours: there are fewer than colour_count says";
    return NULL;
}

vo_result vo_shot_check(vo_context *ctx, const vo_shot *shot) {
    const char *text = defect(shot), *camera = shot->camera ? camera_defect(*shot->camera) : NULL;
    if (text) return vo_fail(ctx, VO_BAD_CALL, "the picture's %s", text);
    return camera ? vo_fail(ctx, VO_BAD_CALL, "the picture's camera: %s", camera) : VO_OK;
}

/* ---- what is in the picture ------------------------------------------------------------------ */

/* The axis that gravity points away from most; z without any. */
static vo_vec3 up_of(vo_vec3 gravity) {
    double x = fabs(gravity.x), y = fabs(gravity.y), z = fabs(gravity.z);
    if (x > y && x > z) return v3(gravity.x > 0 ? -1 : 1, 0, 0);
    if (y > z) return v3(0, gravity.y > 0 ? -1 : 1, 0);
    return v3(0, 0, gravity.z > 0 ? -1 : 1);
}

vo_extent vo_extent_begin(const vo_subject *subject, const vo_shot *shot) {
    vo_vec3 up = subject->sim ? up_of(subject->sim->scene->def.gravity) : v3(0, 0, 1);
    vo_extent e = {.up = up, .lowest = INFINITY};
    vo_fit_def def = {.up = e.up,
                      .azimuth = shot->azimuth,
                      .elevation = shot->elevation,
                      .field = shot->field,
                      .zoom = shot->zoom,
                      .width = shot->width,
                      .height = shot->height};
    e.fit = vo_fit_begin(&def);
    return e;
}

static void add_point(vo_extent *e, vo_vec3 x) {
    vo_fit_add(&e->fit, x);
    e->low = e->any ? v3_min(e->low, x) : x;
    e->high = e->any ? v3_max(e->high, x) : x;
    e->any = true;
}

/* Only nodes of faces are seen. */
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
    double large = e->any ? TOO_LARGE * v3_distance(e->low, e->high) : INFINITY;
    for (int i = 0; i < sim->obstacle_count; i++)
        if (sim->obstacle[i].present)
            add_mesh(e, sim->obstacle[i].mesh, diagonal(sim->obstacle[i].mesh) <= large);
}

/* ---- the stage ------------------------------------------------------------------------------- */

vo_result vo_stage_create(vo_context *ctx, const vo_shot *shot, vo_stage *out) {
    *out = (vo_stage){.ctx = ctx, .shot = shot, .model = {.ctx = ctx}};
    vo_arena_init(&out->arena, ctx);
    return vo_painter_create(ctx, &out->painter);
}

void vo_stage_free(vo_stage *s) {
    vo_model_free(&s->model);
    vo_nearest_free(&s->all);
    vo_arena_free(&s->arena);
    vo_painter_free(&s->painter);
    vo_free_array(s->ctx, s->paint, s->paint_count);
    *s = (vo_stage){.ctx = s->ctx};
}

/* How many kinds of cloth there are to be coloured. */
static int material_count(const vo_subject *subject) {
    enum { MOST_LABELS = 256 };
    int count = 0;
    if (subject->sim) {
        const vo_scene *scene = subject->sim->scene;
        for (int c = 0; c < scene->cloth_count; c++) count += scene->cloth[c].material_count;
        return count;
    }
    const vo_mesh *mesh = subject->mesh;
    for (int f = 0; f < mesh->face_count; f++) count = vo_max_int(count, mesh->face_label[f]);
    return mesh->use == VO_MESH_FOR_CLOTH ? vo_min_int(count, MOST_LABELS - 1) + 1 : 0;
}

/* An obstacle that is looked at by itself can have edges and a colour. */
static vo_paint paint_body(const vo_stage *s, const vo_subject *subject) {
    vo_paint paint = vo_paint_obstacle();
    if (subject->sim) return paint;
    paint.wire = true;
    if (s->shot->colour_count > 0) paint.front = paint.back = vo_colour_linear(s->shot->colours[0]);
    return paint;
}

static vo_result mix_paints(vo_stage *s, const vo_subject *subject) {
    int count = material_count(subject) + 1;
    if (count != s->paint_count) {
        vo_free_array(s->ctx, s->paint, s->paint_count);
        s->paint_count = 0;
        s->paint = vo_new_array(s->ctx, vo_paint, count);
        if (!s->paint) return vo_fail_memory(s->ctx, "the colours");
        s->paint_count = count;
    }
    for (int i = 0; i < count - 1; i++) {
        bool given = i < s->shot->colour_count;
        s->paint[i] = vo_paint_cloth(given ? s->shot->colours[i] : vo_palette(i));
    }
    s->paint[count - 1] = paint_body(s, subject);
    return VO_OK;
}

static vo_result add_obstacle(vo_stage *s, const vo_sim *sim, int i) {
    const vo_mesh *mesh = sim->obstacle[i].mesh;
    return sim->obstacle[i].goal ? vo_model_add_body(&s->model, mesh, s->paint_count - 1)
                                 : vo_model_add_obstacle(&s->model, mesh, s->paint_count - 1);
}

/* Sides of faces are cut into so many that outlines look round; not where the mesh is fine. */
static int parts_of(const vo_stage *s, double faces) {
    if (s->shot->surface == VO_SURFACE_FLAT || s->shot->wire) return 1;
    return (int)vo_clamp(sqrt(FACES_DRAWN / (1 + faces)), 1, 4);
}

static vo_result add_state(vo_stage *s, const vo_sim *sim) {
    double faces = 0;
    for (int c = 0; c < sim->cloth_count; c++) faces += sim->cloth[c].mesh->face_count;
    int paint = 0, parts = parts_of(s, faces);
    if (parts > 1) VO_TRY(vo_stage_meet(s, sim));
    for (int c = 0; c < sim->cloth_count; c++) {
        int next = paint + sim->scene->cloth[c].material_count;
        const unsigned char *touches = NULL;
        if (parts > 1) VO_TRY(vo_stage_touch(s, sim, c, &touches));
        VO_TRY(vo_model_add_cloth(&s->model, sim->cloth[c].mesh, parts, touches, paint, next - 1));
        paint = next;
    }
    s->cloth_nodes = s->model.node_count;
    s->cloth_faces = s->model.face_count;
    for (int i = 0; i < sim->obstacle_count; i++)
        if (sim->obstacle[i].present) VO_TRY(add_obstacle(s, sim, i));
    return VO_OK;
}

static vo_result add_alone(vo_stage *s, const vo_mesh *mesh) {
    int last = s->paint_count - 1;
    if (mesh->use == VO_MESH_FOR_OBSTACLE) return vo_model_add_obstacle(&s->model, mesh, last);
    return vo_model_add_cloth(&s->model, mesh, parts_of(s, mesh->face_count), NULL, 0, last - 1);
}

vo_result vo_stage_fill(vo_stage *s, const vo_subject *subject, vo_vec3 origin) {
    vo_model *m = &s->model;
    VO_TRY(mix_paints(s, subject));
    vo_model_clear(m);
    vo_arena_reset(&s->arena);
    m->origin = origin;
    m->paint = s->paint;
    m->paint_count = s->paint_count;
    return subject->sim ? add_state(s, subject->sim) : add_alone(s, subject->mesh);
}

/* In a picture of the shot's size. */
static vo_camera camera_of(const vo_shot *shot, const vo_standpoint *from, const vo_extent *e) {
    if (!from->given) return vo_fit_end(&e->fit);
    vo_camera camera = from->camera;
    camera.width = shot->width;
    camera.height = shot->height;
    camera.tan_x = camera.tan_y * shot->width / shot->height;
    return camera;
}

vo_result vo_stage_draw(vo_stage *s, const vo_subject *subject, const vo_extent *e,
                        const vo_standpoint *from, vo_image *out) {
    VO_TRY(vo_stage_fill(s, subject, v3_lerp(e->low, e->high, 0.5)));
    double ground = isnan(s->shot->ground_height) ? e->lowest : s->shot->ground_height;
    vo_picture_def def = {.model = &s->model,
                          .camera = camera_of(s->shot, from, e),
                          .lights = from->lights,
                          .up = e->up,
                          .has_ground = s->shot->ground && isfinite(ground),
                          .ground = ground - v3_dot(s->model.origin, e->up),
                          .scale = vo_max(v3_distance(e->low, e->high), 1e-6),
                          .samples = s->shot->samples,
                          .wire = s->shot->wire};
    def.camera.position = v3_sub(def.camera.position, s->model.origin);
    return vo_painter_draw(&s->painter, &def, out);
}

static vo_result draw_once(vo_stage *s, const vo_sim *sim, uint8_t *rgb) {
    vo_image image;
    vo_subject subject = {.sim = sim};
    vo_standpoint from = vo_standpoint_of(s->shot);
    vo_extent extent = vo_extent_begin(&subject, s->shot);
    vo_extent_add(&extent, &subject);
    VO_TRY(vo_stage_draw(s, &subject, &extent, &from, &image));
    memcpy(rgb, image.rgb, 3 * (size_t)image.width * (size_t)image.height);
    return VO_OK;
}

vo_result vo_sim_draw(const vo_sim *sim, const vo_shot *shot, uint8_t *rgb) {
    vo_stage stage;
    VO_TRY(vo_shot_check(sim->ctx, shot));
    vo_result result = vo_stage_create(sim->ctx, shot, &stage);
    if (result == VO_OK) result = draw_once(&stage, sim, rgb);
    vo_stage_free(&stage);
    return result;
}

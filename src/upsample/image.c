#include "upsample/image.h"

#include "core/memory.h"
#include "picture/palette.h"
#include "picture/renderer.h"
#include "upsample/harmonics/charts.h"
#include "upsample/measure.h"

#include <math.h>
#include <string.h>

enum { VALUE_COLOURS = 33 }; /* steps of the colours of values */

static const unsigned LOW_COLOUR = 0x2b5c9e, MIDDLE_COLOUR = 0xe8e4da, HIGH_COLOUR = 0xb5322b;

vo_upsample_image_def vo_upsample_image_def_default(void) {
    return (vo_upsample_image_def){.width = 480,
                                   .height = 480,
                                   .azimuth = 25,
                                   .elevation = 10,
                                   .fov_long_side = 25,
                                   .zoom = 1,
                                   .samples = 8,
                                   .ground = true};
}

/* ---- pixels --------------------------------------------------------------------------------- */

vo_result vo_upsample_image_create(vo_context *ctx, int width, int height, vo_image *out) {
    *out = (vo_image){.width = width, .height = height};
    out->rgb = vo_alloc_zero(ctx, 3 * (size_t)width * (size_t)height);
    return out->rgb ? VO_OK : vo_fail_memory(ctx, "an image");
}

void vo_upsample_image_free(vo_context *ctx, vo_image *image) {
    vo_free(ctx, image->rgb, 3 * (size_t)image->width * (size_t)image->height);
    *image = (vo_image){0};
}

void vo_upsample_image_paste(const vo_image *from, int x, int y, vo_image *to) {
    for (int row = 0; row < from->height; row++)
        memcpy(to->rgb + 3 * ((size_t)(y + row) * (size_t)to->width + (size_t)x),
               from->rgb + 3 * (size_t)row * (size_t)from->width, 3 * (size_t)from->width);
}

/* ---- one panel ------------------------------------------------------------------------------ */

/* Renderer and camera of all panels. Materials: VALUE_COLOURS of values, the colour of the panel,
 * the obstacles. */
typedef struct painter {
    vo_context *ctx;
    const vo_upsample_image_def *def;
    vo_renderer renderer;
    vo_model model;
    vo_render_material material[VALUE_COLOURS + 2];
    vo_camera camera;
    vo_vec3 low, high; /* m, bounds of everything except obstacles */
    double lowest;     /* m */
} painter;

static vo_vec3 point(const float *x) { return (vo_vec3){(double)x[0], (double)x[1], (double)x[2]}; }

static unsigned mix(unsigned a, unsigned b, double t) {
    unsigned out = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        double x = (double)(a >> shift & 255), y = (double)(b >> shift & 255);
        out |= (unsigned)lround(x + (y - x) * t) << shift;
    }
    return out;
}

static void fill_materials(painter *p) {
    for (int i = 0; i < VALUE_COLOURS; i++) {
        double t = 2.0 * i / (VALUE_COLOURS - 1) - 1;
        unsigned colour = mix(MIDDLE_COLOUR, t < 0 ? LOW_COLOUR : HIGH_COLOUR, fabs(t));
        p->material[i] = vo_render_material_cloth(colour);
        p->material[i].weave = 0;
    }
    p->material[VALUE_COLOURS + 1] = vo_render_material_obstacle();
}

/* Extends the bounds and the framing by points. */
static void extend(painter *p, vo_camera_framing *framing, const float *x, int count) {
    for (int i = 0; i < count; i++) {
        vo_vec3 at = point(x + 3 * i);
        vo_camera_framing_add(framing, at);
        p->low = (vo_vec3){fmin(p->low.x, at.x), fmin(p->low.y, at.y), fmin(p->low.z, at.z)};
        p->high = (vo_vec3){fmax(p->high.x, at.x), fmax(p->high.y, at.y), fmax(p->high.z, at.z)};
    }
}

static void place_camera(painter *p) {
    const vo_upsample_image_def *def = p->def;
    const vo_camera_framing_def framing_def = {.up = {0, 0, 1},
                                               .azimuth = def->azimuth,
                                               .elevation = def->elevation,
                                               .fov_long_side = def->fov_long_side,
                                               .zoom = def->zoom,
                                               .width = def->width,
                                               .height = def->height};
    vo_camera_framing framing = vo_camera_framing_begin(&framing_def);
    p->low = (vo_vec3){INFINITY, INFINITY, INFINITY};
    p->high = (vo_vec3){-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < def->panel_count; i++)
        extend(p, &framing, def->panels[i].positions, def->panels[i].mesh->vertex_count);
    extend(p, &framing, def->extent, def->extent_count);
    p->camera = vo_camera_framing_end(&framing);
    p->lowest = p->low.z;
    for (int i = 0; i < def->obstacle_count; i++)
        for (int k = 0; k < def->obstacles[i]->node_count; k++)
            p->lowest = fmin(p->lowest, def->obstacles[i]->node_x[k].z);
}

/* Labels the faces of a mesh by the mean value of their corners. */
static void label_faces(const vo_upsample_panel *panel, vo_mesh *mesh) {
    for (int f = 0; f < mesh->face_count; f++) {
        double sum = 0;
        for (int k = 0; k < 3; k++) sum += (double)panel->values[vo_mesh_face_node(mesh, f, k)] / 3;
        sum = fmin(fmax(sum, -1), 1);
        mesh->face_label[f] = (int)lround((sum + 1) / 2 * (VALUE_COLOURS - 1));
    }
}

/* Fills the model with a surface and the obstacles. */
static vo_result fill_model(painter *p, const vo_upsample_panel *panel, vo_mesh *mesh) {
    int last = panel->values ? VALUE_COLOURS - 1 : VALUE_COLOURS;
    p->material[VALUE_COLOURS] = vo_render_material_cloth(panel->colour);
    for (int i = 0; i <= VALUE_COLOURS; i++) p->material[i].wireframe = panel->wireframe;
    for (int i = 0; i < mesh->node_count; i++) mesh->node_x[i] = point(panel->positions + 3 * i);
    if (panel->values) label_faces(panel, mesh);
    vo_model_clear(&p->model);
    p->model.origin = v3_lerp(p->low, p->high, 0.5);
    p->model.material = p->material;
    p->model.material_count = VALUE_COLOURS + 2;
    VO_TRY(vo_model_add_cloth(&p->model, mesh, 1, NULL, panel->values ? 0 : last, last));
    for (int i = 0; i < p->def->obstacle_count; i++)
        VO_TRY(vo_model_add_body(&p->model, p->def->obstacles[i], VALUE_COLOURS + 1));
    return VO_OK;
}

static vo_result render_mesh(painter *p, const vo_upsample_panel *panel, vo_mesh *mesh,
                             vo_image *out) {
    VO_TRY(fill_model(p, panel, mesh));
    vo_renderer_def def = {.model = &p->model,
                           .camera = p->camera,
                           .up = {0, 0, 1},
                           .has_ground = p->def->ground,
                           .ground = p->lowest - p->model.origin.z,
                           .scale = fmax(v3_distance(p->low, p->high), 1e-6),
                           .samples = p->def->samples,
                           .wireframe = panel->wireframe};
    def.camera.position = v3_sub(def.camera.position, p->model.origin);
    return vo_renderer_render(&p->renderer, &def, out);
}

/* The image belongs to the renderer. */
static vo_result render_panel(painter *p, const vo_upsample_panel *panel, vo_image *out) {
    vo_upsample_charts charts;
    vo_mesh *mesh;
    VO_TRY(vo_upsample_charts_create(p->ctx, panel->mesh, &charts));
    vo_result result = vo_upsample_charts_create_mesh(&charts, panel->mesh, &mesh);
    vo_upsample_charts_free(&charts);
    if (result != VO_OK) return result;
    result = render_mesh(p, panel, mesh, out);
    vo_mesh_destroy(mesh);
    return result;
}

/* ---- a row of panels ------------------------------------------------------------------------ */

static vo_result render_row(painter *p, vo_image *row) {
    for (int i = 0; i < p->def->panel_count; i++) {
        vo_image image;
        VO_TRY(render_panel(p, &p->def->panels[i], &image));
        vo_upsample_image_paste(&image, i * p->def->width, 0, row);
    }
    return VO_OK;
}

static vo_result check(vo_context *ctx, const vo_upsample_image_def *def) {
    if (def->width < 1 || def->height < 1 || def->height > VO_MAX_PIXELS || def->panel_count < 1 ||
        def->width > VO_MAX_PIXELS / def->panel_count)
        return vo_fail(ctx, VO_BAD_ARGUMENT,
                       "an image has 1 to %d pixels per side, not %d x %d x %d", VO_MAX_PIXELS,
                       def->panel_count, def->width, def->height);
    return VO_OK;
}

vo_result vo_upsample_render_panels(vo_context *ctx, const vo_upsample_image_def *def,
                                    vo_image *out) {
    *out = (vo_image){0};
    VO_TRY(check(ctx, def));
    painter p = {.ctx = ctx, .def = def, .model.ctx = ctx};
    VO_TRY(vo_renderer_create(ctx, &p.renderer));
    fill_materials(&p);
    place_camera(&p);
    vo_result result =
        vo_upsample_image_create(ctx, def->width * def->panel_count, def->height, out);
    if (result == VO_OK) result = render_row(&p, out);
    if (result != VO_OK) vo_upsample_image_free(ctx, out);
    vo_model_free(&p.model);
    vo_renderer_free(&p.renderer);
    return result;
}

/* ---- height fields -------------------------------------------------------------------------- */

/* Positions in material space, as a plane. */
static void flatten(const vo_upsample_charts *charts, float *positions) {
    for (int i = 0; i < charts->vertex_count; i++) {
        float *x = positions + 3 * charts->node[i];
        x[0] = charts->coordinate[i].x;
        x[1] = charts->coordinate[i].y;
        x[2] = 0;
    }
}

vo_result vo_upsample_height_field(vo_context *ctx, const vo_upsample_mesh *mesh,
                                   const float *values, double scale, float *positions) {
    vo_upsample_charts charts;
    vo_rt_vec3 *normal = vo_new_array(ctx, vo_rt_vec3, mesh->vertex_count);
    if (!normal) return vo_fail_memory(ctx, "a height field");
    vo_result result = vo_upsample_charts_create(ctx, mesh, &charts);
    if (result == VO_OK) {
        memcpy(positions, mesh->position, (size_t)mesh->vertex_count * sizeof *mesh->position);
        if (charts.is_single) flatten(&charts, positions);
        vo_upsample_compute_normals(mesh, positions, normal);
        for (int i = 0; i < mesh->vertex_count; i++) {
            float height = (float)(scale * (double)values[i]);
            positions[3 * i] += height * normal[i].x;
            positions[3 * i + 1] += height * normal[i].y;
            positions[3 * i + 2] += height * normal[i].z;
        }
        vo_upsample_charts_free(&charts);
    }
    vo_free_array(ctx, normal, mesh->vertex_count);
    return result;
}

#include "picture/renderer.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "picture/sample.h"

enum { ROWS = 4 }; /* rows per chunk */

vo_result vo_renderer_create(vo_context *ctx, vo_renderer *out) {
    *out = (vo_renderer){.ctx = ctx};
    return vo_rays_create(ctx, &out->rays);
}

static void free_pixels(vo_renderer *p) {
    vo_free_array(p->ctx, p->pixel, p->pixel_count);
    vo_free(p->ctx, p->smooth, p->pixel_count * sizeof *p->smooth);
    vo_free(p->ctx, p->rgb, 3 * p->pixel_count);
    p->pixel = NULL;
    p->smooth = NULL;
    p->rgb = NULL;
    p->pixel_count = 0;
}

static void free_disc(vo_renderer *p) {
    vo_free_array(p->ctx, p->disc, p->disc_count);
    vo_free_array(p->ctx, p->to_key, p->disc_count);
    p->disc = NULL;
    p->to_key = NULL;
    p->disc_count = 0;
}

void vo_renderer_free(vo_renderer *p) {
    if (!p->ctx) return;
    free_pixels(p);
    free_disc(p);
    vo_rays_destroy(p->rays);
    *p = (vo_renderer){0};
}

static vo_result reserve_pixels(vo_renderer *p, size_t count) {
    if (p->pixel_count == count) return VO_OK;
    free_pixels(p);
    p->pixel_count = count;
    p->pixel = vo_new_array(p->ctx, vo_pixel, count);
    p->smooth = vo_alloc(p->ctx, count * sizeof *p->smooth);
    p->rgb = vo_alloc(p->ctx, 3 * count);
    if (p->pixel && p->smooth && p->rgb) return VO_OK;
    free_pixels(p);
    return vo_fail_memory(p->ctx, "a rendered image");
}

/* Computes the disc samples for the light rays. */
static vo_result reserve_disc(vo_renderer *p, int samples) {
    int count = VO_TILE * VO_TILE * samples;
    if (p->disc_count == count) return VO_OK;
    free_disc(p);
    p->disc_count = count;
    p->disc = vo_new_array(p->ctx, vo_vec2, count);
    p->to_key = vo_new_array(p->ctx, vo_vec3, count);
    if (!p->disc || !p->to_key) {
        free_disc(p);
        return vo_fail_memory(p->ctx, "a rendered image");
    }
    for (int i = 0; i < count; i++) p->disc[i] = vo_sample_disc(vo_sample(i));
    return VO_OK;
}

/* ---- passes --------------------------------------------------------------------------------- */

static void store_vec3(float out[3], vo_vec3 a) {
    out[0] = (float)a.x;
    out[1] = (float)a.y;
    out[2] = (float)a.z;
}

static void find_light(vo_render_target *c, int x, int y) {
    vo_pixel *pixel = &c->pixel[(size_t)y * (size_t)c->width + (size_t)x];
    vo_surface_hit surface;
    vo_light_sample lit = {1, 1};
    vo_lighting_trace(&c->lighting, x + 0.5, y + 0.5, &surface);
    if (surface.face != VO_HIT_BACKGROUND)
        lit = vo_lighting_eval(&c->lighting, &surface, vo_tile_index(x, y));
    *pixel = (vo_pixel){.face = surface.face,
                        .u = (float)surface.weight[1],
                        .v = (float)surface.weight[2],
                        .size = (float)surface.pixel,
                        .key = (float)lit.key,
                        .sky = (float)lit.sky};
    store_vec3(pixel->x, surface.x);
    store_vec3(pixel->normal, surface.normal);
}

static void find_rows(void *arg, int begin, int end, int chunk) {
    vo_render_target *c = arg;
    (void)chunk;
    for (int y = begin; y < end; y++)
        for (int x = 0; x < c->width; x++) find_light(c, x, y);
}

static void smooth_rows(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    vo_render_target_filter_light(arg, begin, end);
}

/* Returns the colour at a point of pixel (x, y). If no pixel around shows the same surface, light
 * rays are traced. */
static vo_vec3 colour_at(const vo_render_target *c, int x, int y, vo_vec2 place) {
    vo_surface_hit surface;
    vo_light_sample lit = {1, 1};
    vo_lighting_trace(&c->lighting, x + place.x, y + place.y, &surface);
    if (surface.face != VO_HIT_BACKGROUND && !vo_render_target_find_light(c, x, y, &surface, &lit))
        lit = vo_lighting_eval(&c->lighting, &surface, vo_tile_index(x, y));
    return vo_lighting_shade(&c->lighting, &surface, lit, x + place.x, y + place.y);
}

/* Returns the mean colour over a pixel. Highlights are clamped before averaging, or edges next to
 * them would stay jagged. */
static vo_vec3 outline_colour(const vo_render_target *c, int x, int y) {
    int count = 2 * c->lighting.samples;
    vo_vec3 sum = v3_zero();
    for (int i = 0; i < count; i++) {
        vo_vec3 colour = colour_at(c, x, y, vo_sample(i));
        sum = v3_add(sum, v3_min(colour, v3(1, 1, 1)));
    }
    return v3_scale(1.0 / count, sum);
}

static vo_vec3 inner_colour(const vo_render_target *c, int x, int y) {
    size_t at = (size_t)y * (size_t)c->width + (size_t)x;
    const vo_pixel *p = &c->pixel[at];
    vo_surface_hit surface = {.face = p->face};
    vo_ray_hit hit = {p->face, (double)p->u, (double)p->v,
                      (double)p->size / vo_pixel_size(&c->lighting.camera)};
    if (surface.face >= 0) vo_lighting_restore_hit(&c->lighting, x + 0.5, y + 0.5, &hit, &surface);
    vo_light_sample lit = {(double)c->smooth[at][0], (double)c->smooth[at][1]};
    return vo_lighting_shade(&c->lighting, &surface, lit, x + 0.5, y + 0.5);
}

static void colour_rows(void *arg, int begin, int end, int chunk) {
    const vo_render_target *c = arg;
    (void)chunk;
    for (int y = begin; y < end; y++)
        for (int x = 0; x < c->width; x++) {
            bool outline = vo_render_target_is_outline(c, x, y);
            vo_vec3 colour = outline ? outline_colour(c, x, y) : inner_colour(c, x, y);
            vo_tonemap(colour, x, y, c->rgb + 3 * ((size_t)y * (size_t)c->width + (size_t)x));
        }
}

/* ---- images --------------------------------------------------------------------------------- */

static vo_result set_rays(vo_renderer *p, const vo_model *m) {
    vo_rays_def def = {.vertex_count = m->node_count,
                       .x = (const float(*)[3])m->x,
                       .face_count = m->face_count,
                       .face = m->face_count ? m->face[0].node : NULL,
                       .face_stride = sizeof *m->face};
    return vo_rays_build(p->rays, &def);
}

static vo_render_target prepare(const vo_renderer *p, const vo_renderer_def *def) {
    vo_render_target c = {.lighting = {.model = def->model,
                                       .rays = p->rays,
                                       .camera = def->camera,
                                       .light_right = def->light_right,
                                       .up = def->up,
                                       .has_ground = def->has_ground,
                                       .ground = def->ground,
                                       .scale = def->scale,
                                       .samples = def->samples,
                                       .disc = p->disc,
                                       .to_key = p->to_key,
                                       .wireframe = def->wireframe},
                          .width = def->camera.width,
                          .height = def->camera.height,
                          .pixel = p->pixel,
                          .smooth = p->smooth,
                          .rgb = p->rgb};
    vo_lighting_prepare(&c.lighting);
    vo_lighting_sample_key(&c.lighting, p->disc_count, p->to_key);
    return c;
}

vo_result vo_renderer_render(vo_renderer *p, const vo_renderer_def *def, vo_image *out) {
    int width = def->camera.width, height = def->camera.height;
    VO_TRY(reserve_pixels(p, (size_t)width * (size_t)height));
    VO_TRY(reserve_disc(p, def->samples));
    VO_TRY(set_rays(p, def->model));
    vo_render_target c = prepare(p, def);
    vo_parallel_for(p->ctx, height, ROWS, find_rows, &c);
    vo_parallel_for(p->ctx, height, ROWS, smooth_rows, &c);
    vo_parallel_for(p->ctx, height, ROWS, colour_rows, &c);
    *out = (vo_image){width, height, p->rgb};
    return VO_OK;
}

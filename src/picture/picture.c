#include "picture/picture.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "picture/sample.h"

enum { ROWS = 4 }; /* of a chunk */

vo_result vo_painter_create(vo_context *ctx, vo_painter *out) {
    *out = (vo_painter){.ctx = ctx};
    return vo_rays_create(ctx, &out->rays);
}

static void free_pixels(vo_painter *p) {
    vo_free_array(p->ctx, p->pixel, p->pixel_count);
    vo_free(p->ctx, p->smooth, p->pixel_count * sizeof *p->smooth);
    vo_free(p->ctx, p->rgb, 3 * p->pixel_count);
    p->pixel = NULL;
    p->smooth = NULL;
    p->rgb = NULL;
    p->pixel_count = 0;
}

static void free_disc(vo_painter *p) {
    vo_free_array(p->ctx, p->disc, p->disc_count);
    vo_free_array(p->ctx, p->to_key, p->disc_count);
    p->disc = NULL;
    p->to_key = NULL;
    p->disc_count = 0;
}

void vo_painter_free(vo_painter *p) {
    if (!p->ctx) return;
    free_pixels(p);
    free_disc(p);
    vo_rays_destroy(p->rays);
    *p = (vo_painter){0};
}

static vo_result reserve_pixels(vo_painter *p, size_t count) {
    if (p->pixel_count == count) return VO_OK;
    free_pixels(p);
    p->pixel_count = count;
    p->pixel = vo_new_array(p->ctx, vo_pixel, count);
    p->smooth = vo_alloc(p->ctx, count * sizeof *p->smooth);
    p->rgb = vo_alloc(p->ctx, 3 * count);
    if (p->pixel && p->smooth && p->rgb) return VO_OK;
    free_pixels(p);
    return vo_fail_memory(p->ctx, "a picture");
}

/* The places on the disc that rays to lights are made from. */
static vo_result reserve_disc(vo_painter *p, int samples) {
    int count = VO_TILE * VO_TILE * samples;
    if (p->disc_count == count) return VO_OK;
    free_disc(p);
    p->disc_count = count;
    p->disc = vo_new_array(p->ctx, vo_vec2, count);
    p->to_key = vo_new_array(p->ctx, vo_vec3, count);
    if (!p->disc || !p->to_key) {
        free_disc(p);
        return vo_fail_memory(p->ctx, "a picture");
    }
    for (int i = 0; i < count; i++) p->disc[i] = vo_sample_disc(vo_sample(i));
    return VO_OK;
}

/* ---- the passes ------------------------------------------------------------------------------ */

static void put(float out[3], vo_vec3 a) {
    out[0] = (float)a.x;
    out[1] = (float)a.y;
    out[2] = (float)a.z;
}

static void find_light(vo_canvas *c, int x, int y) {
    vo_pixel *pixel = &c->pixel[(size_t)y * (size_t)c->width + (size_t)x];
    vo_seen seen;
    vo_lit lit = {1, 1};
    vo_studio_see(&c->studio, x + 0.5, y + 0.5, &seen);
    if (seen.face != VO_SEES_NOTHING)
        lit = vo_studio_light_at(&c->studio, &seen, vo_tile_index(x, y));
    *pixel = (vo_pixel){.face = seen.face,
                        .u = (float)seen.weight[1],
                        .v = (float)seen.weight[2],
                        .size = (float)seen.pixel,
                        .key = (float)lit.key,
                        .sky = (float)lit.sky};
    put(pixel->x, seen.x);
    put(pixel->normal, seen.normal);
}

static void find_rows(void *arg, int begin, int end, int chunk) {
    vo_canvas *c = arg;
    (void)chunk;
    for (int y = begin; y < end; y++)
        for (int x = 0; x < c->width; x++) find_light(c, x, y);
}

static void smooth_rows(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    vo_canvas_smooth(arg, begin, end);
}

/* What is seen through a place of pixel (x, y). Where no pixel around shows it, it gets rays of its
 * own. */
static vo_vec3 colour_at(const vo_canvas *c, int x, int y, vo_vec2 place) {
    vo_seen seen;
    vo_lit lit = {1, 1};
    vo_studio_see(&c->studio, x + place.x, y + place.y, &seen);
    if (seen.face != VO_SEES_NOTHING && !vo_canvas_borrow(c, x, y, &seen, &lit))
        lit = vo_studio_light_at(&c->studio, &seen, vo_tile_index(x, y));
    return vo_studio_shade(&c->studio, &seen, lit, x + place.x, y + place.y);
}

/* The mean over the pixel. Highlights are cut before, or the edge beside one would stay jagged. */
static vo_vec3 outline_colour(const vo_canvas *c, int x, int y) {
    int count = 2 * c->studio.samples;
    vo_vec3 sum = v3_zero();
    for (int i = 0; i < count; i++) {
        vo_vec3 colour = colour_at(c, x, y, vo_sample(i));
        sum = v3_add(sum, v3_min(colour, v3(1, 1, 1)));
    }
    return v3_scale(1.0 / count, sum);
}

static vo_vec3 inner_colour(const vo_canvas *c, int x, int y) {
    size_t at = (size_t)y * (size_t)c->width + (size_t)x;
    const vo_pixel *p = &c->pixel[at];
    vo_seen seen = {.face = p->face};
    vo_ray_hit hit = {p->face, (double)p->u, (double)p->v,
                      (double)p->size / vo_pixel_size(&c->studio.camera)};
    if (seen.face >= 0) vo_studio_recall(&c->studio, x + 0.5, y + 0.5, &hit, &seen);
    vo_lit lit = {(double)c->smooth[at][0], (double)c->smooth[at][1]};
    return vo_studio_shade(&c->studio, &seen, lit, x + 0.5, y + 0.5);
}

static void colour_rows(void *arg, int begin, int end, int chunk) {
    const vo_canvas *c = arg;
    (void)chunk;
    for (int y = begin; y < end; y++)
        for (int x = 0; x < c->width; x++) {
            bool outline = vo_canvas_outline(c, x, y);
            vo_vec3 colour = outline ? outline_colour(c, x, y) : inner_colour(c, x, y);
            vo_studio_develop(colour, x, y,
                              c->rgb + 3 * ((size_t)y * (size_t)c->width + (size_t)x));
        }
}

/* ---- a picture ------------------------------------------------------------------------------- */

static vo_result set_rays(vo_painter *p, const vo_model *m) {
    vo_rays_def def = {.vertex_count = m->node_count,
                       .x = (const float(*)[3])m->x,
                       .face_count = m->face_count,
                       .face = m->face_count ? m->face[0].node : NULL,
                       .face_stride = sizeof *m->face};
    return vo_rays_set(p->rays, &def);
}

static vo_canvas prepare(const vo_painter *p, const vo_picture_def *def) {
    vo_canvas c = {.studio = {.model = def->model,
                              .rays = p->rays,
                              .camera = def->camera,
                              .lights = def->lights,
                              .up = def->up,
                              .has_ground = def->has_ground,
                              .ground = def->ground,
                              .scale = def->scale,
                              .samples = def->samples,
                              .disc = p->disc,
                              .to_key = p->to_key,
                              .wire = def->wire},
                   .width = def->camera.width,
                   .height = def->camera.height,
                   .pixel = p->pixel,
                   .smooth = p->smooth,
                   .rgb = p->rgb};
    vo_studio_prepare(&c.studio);
    vo_studio_aim(&c.studio, p->disc_count, p->to_key);
    return c;
}

vo_result vo_painter_draw(vo_painter *p, const vo_picture_def *def, vo_image *out) {
    int width = def->camera.width, height = def->camera.height;
    VO_TRY(reserve_pixels(p, (size_t)width * (size_t)height));
    VO_TRY(reserve_disc(p, def->samples));
    VO_TRY(set_rays(p, def->model));
    vo_canvas c = prepare(p, def);
    vo_parallel_for(p->ctx, height, ROWS, find_rows, &c);
    vo_parallel_for(p->ctx, height, ROWS, smooth_rows, &c);
    vo_parallel_for(p->ctx, height, ROWS, colour_rows, &c);
    *out = (vo_image){width, height, p->rgb};
    return VO_OK;
}

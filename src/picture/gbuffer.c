#include "picture/gbuffer.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "picture/camera_ray.h"

#include <string.h>

enum { ROWS = 4, NODES = 256 }; /* per chunk */

vo_result vo_gbuffer_pass_create(vo_context *ctx, vo_gbuffer_pass *out) {
    *out = (vo_gbuffer_pass){.ctx = ctx};
    return vo_rays_create(ctx, &out->rays);
}

static void free_pixels(vo_gbuffer_pass *o) {
    vo_free_array(o->ctx, o->depth, o->pixel_count);
    for (int i = 0; i < 3; i++) {
        vo_free_array(o->ctx, o->normal[i], o->pixel_count);
        o->normal[i] = NULL;
    }
    o->depth = NULL;
    o->pixel_count = 0;
}

void vo_gbuffer_pass_free(vo_gbuffer_pass *o) {
    if (!o->ctx) return;
    free_pixels(o);
    vo_rays_destroy(o->rays);
    *o = (vo_gbuffer_pass){0};
}

static vo_result reserve_pixels(vo_gbuffer_pass *o, size_t count) {
    if (o->pixel_count == count) return VO_OK;
    free_pixels(o);
    o->pixel_count = count;
    o->depth = vo_new_array(o->ctx, float, count);
    for (int i = 0; i < 3; i++) o->normal[i] = vo_new_array(o->ctx, float, count);
    if (o->depth && o->normal[0] && o->normal[1] && o->normal[2]) return VO_OK;
    free_pixels(o);
    return vo_fail_memory(o->ctx, "a G-buffer");
}

static void clear_floats(float *value, size_t count) {
    if (value) memset(value, 0, count * sizeof *value);
}

/* The rendered part of the image, in pixels. */
typedef struct pixel_rect {
    double left, right, top, bottom;
} pixel_rect;

static pixel_rect rendered_rect(const vo_gbuffer_pass *o) {
    const vo_camera *c = &o->def.camera;
    double x = o->def.frame.x > 0 ? vo_max(0, (c->width - o->def.frame.x) / 2) : 0,
           y = o->def.frame.y > 0 ? vo_max(0, (c->height - o->def.frame.y) / 2) : 0;
    return (pixel_rect){x, c->width - x, y, c->height - y};
}

static bool is_within(pixel_rect b, vo_vec2 p) {
    return p.x >= b.left && p.x <= b.right && p.y >= b.top && p.y <= b.bottom;
}

/* ---- pixels --------------------------------------------------------------------------------- */

/* Pixels [left, right) of rows [top, bottom) that may contain cloth. */
typedef struct pixel_window {
    vo_gbuffer_pass *pass;
    int left, right, top, bottom;
} pixel_window;

/* Returns the pixels whose centres are within both rectangles, the first of which is inside the
 * image. */
static pixel_window intersect_rects(vo_gbuffer_pass *o, pixel_rect a, pixel_rect b) {
    return (pixel_window){o, (int)ceil(vo_clamp(b.left, a.left, a.right) - 0.5),
                          (int)floor(vo_clamp(b.right, a.left, a.right) + 0.5),
                          (int)ceil(vo_clamp(b.top, a.top, a.bottom) - 0.5),
                          (int)floor(vo_clamp(b.bottom, a.top, a.bottom) + 0.5)};
}

/* Returns the bounding pixel_window of everything that is stored if all of it is in front of the
 * camera; else the whole image. */
static pixel_window find_pixel_window(vo_gbuffer_pass *o) {
    const vo_camera *c = &o->def.camera;
    int count = o->def.include_obstacles ? o->def.model->node_count : o->def.cloth_nodes;
    pixel_rect all = rendered_rect(o), bounds = {c->width, 0, c->height, 0};
    for (int i = 0; i < count; i++) {
        vo_vec2 p;
        if (!vo_camera_project(c, vo_model_x(o->def.model, i), &p, NULL))
            return intersect_rects(o, all, all);
        bounds.left = vo_min(bounds.left, p.x - 1);
        bounds.right = vo_max(bounds.right, p.x + 1);
        bounds.top = vo_min(bounds.top, p.y - 1);
        bounds.bottom = vo_max(bounds.bottom, p.y + 1);
    }
    return intersect_rects(o, all, bounds);
}

static vo_vec3 flat_normal(const vo_model *m, const vo_model_face *face) {
    vo_vec3 a = vo_model_x(m, face->node[0]);
    return v3_normalize(
        v3_cross(v3_sub(vo_model_x(m, face->node[1]), a), v3_sub(vo_model_x(m, face->node[2]), a)));
}

/* Returns the normal at a hit, oriented towards the camera. */
static vo_vec3 normal_at(const vo_gbuffer_pass *o, const vo_ray_hit *hit, vo_vec3 direction) {
    const vo_model *m = o->def.model;
    const vo_model_face *face = &m->face[hit->face];
    vo_vec3 flat = flat_normal(m, face), normal = v3_zero();
    double w[3] = {1 - hit->u - hit->v, hit->u, hit->v};
    for (int i = 0; i < 3; i++)
        normal = v3_add_scaled(normal, w[i], vo_model_normal(m, face->normal[i]));
    normal = v3_normalize(normal);
    if (o->def.flat || v3_dot(normal, flat) < 0.1)
        normal = flat; /* or the interpolated normal is unusable */
    return v3_dot(flat, direction) > 0 ? v3_negate(normal) : normal;
}

static void trace_pixel(const vo_gbuffer_pass *o, int x, int y) {
    const vo_camera *c = &o->def.camera;
    vo_ray ray = vo_camera_ray_along(c, vo_camera_direction(c, v2(x + 0.5, y + 0.5)));
    vo_ray_hit hit;
    if (!vo_rays_intersect(o->rays, &ray, &hit)) return;
    bool cloth = hit.face < o->def.cloth_faces;
    if (!cloth && !o->def.include_obstacles) return;
    size_t at = (size_t)y * (size_t)c->width + (size_t)x;
    vo_vec3 normal = normal_at(o, &hit, ray.direction);
    double depth = hit.distance * v3_dot(ray.direction, c->forward);
    o->depth[at] = (float)(cloth ? depth : -depth);
    o->normal[0][at] = (float)normal.x;
    o->normal[1][at] = (float)normal.y;
    o->normal[2][at] = (float)normal.z;
}

static void trace_rows(void *arg, int begin, int end, int chunk) {
    const pixel_window *w = arg;
    (void)chunk;
    for (int y = w->top + begin; y < w->top + end; y++)
        for (int x = w->left; x < w->right; x++) trace_pixel(w->pass, x, y);
}

static vo_result set_rays(vo_gbuffer_pass *o) {
    const vo_model *m = o->def.model;
    vo_rays_def def = {.vertex_count = m->node_count,
                       .x = (const float(*)[3])m->x,
                       .face_count = m->face_count,
                       .face = m->face_count ? m->face[0].node : NULL,
                       .face_stride = sizeof *m->face};
    return vo_rays_build(o->rays, &def);
}

vo_result vo_gbuffer_render(vo_gbuffer_pass *o, const vo_gbuffer_pass_def *def) {
    int width = def->camera.width, height = def->camera.height;
    o->def = *def;
    VO_TRY(reserve_pixels(o, (size_t)width * (size_t)height));
    VO_TRY(set_rays(o));
    clear_floats(o->depth, o->pixel_count);
    for (int i = 0; i < 3; i++) clear_floats(o->normal[i], o->pixel_count);
    o->gbuffer = (vo_gbuffer){width, height, o->depth, {o->normal[0], o->normal[1], o->normal[2]}};
    pixel_window w = find_pixel_window(o);
    if (w.bottom > w.top) vo_parallel_for(o->ctx, w.bottom - w.top, ROWS, trace_rows, &w);
    return VO_OK;
}

/* ---- image-space motion --------------------------------------------------------------------- */

/* A point at depth z at an angle a from the optical axis moves by at most f / (z cos a) pixels per
 * metre, where f is the number of pixels per metre at depth 1 m: the length of the gradient of f x
 * / z. It may approach by `metres` during the motion. */
double vo_gbuffer_pass_max_shift(const vo_gbuffer_pass *o, double metres) {
    const vo_camera *c = &o->def.camera;
    double per_metre = c->width / (2 * c->tan_x), max_scale = 0;
    if (!(metres > 0)) return 0;
    for (int y = 0; y < c->height; y++)
        for (int x = 0; x < c->width; x++) {
            double z = (double)o->depth[(size_t)y * (size_t)c->width + (size_t)x];
            if (!(z > 0)) continue;
            double a = (2 * (x + 0.5) / c->width - 1) * c->tan_x,
                   b = (1 - 2 * (y + 0.5) / c->height) * c->tan_y;
            double min_depth = vo_max(z - metres, 1e-3 * z);
            max_scale = vo_max(max_scale, sqrt(1 + a * a + b * b) / min_depth);
        }
    return metres * per_metre * max_scale;
}

/* ---- edges ---------------------------------------------------------------------------------- */

typedef struct edge_query {
    const vo_gbuffer_pass *pass;
    const vo_mesh *mesh;
    vo_vec2 *pixel_position; /* [node_count] pixels; NaN: not in front of the camera */
    unsigned char *visible;  /* [node_count] */
} edge_query;

/* Returns true if a point in the image is not occluded. */
static bool is_unoccluded(const vo_gbuffer_pass *o, vo_vec3 x) {
    const vo_camera *c = &o->def.camera;
    vo_vec3 to_point = v3_sub(x, c->position);
    double distance = v3_length(to_point), pixel = 2 * c->tan_x / c->width * distance;
    vo_ray ray = vo_camera_ray_along(c, v3_normalize(to_point));
    vo_ray_hit hit;
    ray.t_max = distance;
    return !vo_rays_intersect(o->rays, &ray, &hit) || hit.distance >= distance - pixel;
}

static void project_nodes(void *arg, int begin, int end, int chunk) {
    const edge_query *s = arg;
    const vo_camera *c = &s->pass->def.camera;
    pixel_rect part = rendered_rect(s->pass);
    (void)chunk;
    for (int i = begin; i < end; i++) {
        vo_vec3 x = v3_sub(s->mesh->node_x[i], s->pass->def.model->origin);
        vo_vec2 p = v2(NAN, NAN);
        double depth = 0;
        (void)vo_camera_project(c, x, &p, &depth);
        s->pixel_position[i] = p;
        s->visible[i] =
            is_within(part, p) && vo_camera_depth_in_range(c, depth) && is_unoccluded(s->pass, x);
    }
}

static void append_edges(const edge_query *s, vo_edge_lengths *out) {
    for (int e = 0; e < s->mesh->edge_count; e++) {
        const int *node = s->mesh->edge_node[e];
        double length = v2_length(v2_sub(s->pixel_position[node[0]], s->pixel_position[node[1]]));
        if ((s->visible[node[0]] || s->visible[node[1]]) && isfinite(length))
            out->pixels[out->count++] = length;
    }
}

static void count_faces(const edge_query *s, vo_edge_lengths *out) {
    int corners = 0;
    for (int f = 0; f < s->mesh->face_count; f++)
        for (int k = 0; k < 3; k++) corners += s->visible[vo_mesh_face_node(s->mesh, f, k)];
    out->faces += corners / 3.0;
}

vo_result vo_gbuffer_pass_measure_edges(vo_gbuffer_pass *o, const vo_mesh *mesh,
                                        vo_edge_lengths *out) {
    int count = mesh->node_count;
    if (count == 0) return VO_OK;
    edge_query s = {o, mesh, vo_new_array(o->ctx, vo_vec2, count),
                    vo_new_array(o->ctx, unsigned char, count)};
    bool ok = s.pixel_position && s.visible &&
              vo_reserve(o->ctx, &out->pixels, &out->capacity, out->count + mesh->edge_count);
    if (ok) {
        vo_parallel_for(o->ctx, count, NODES, project_nodes, &s);
        append_edges(&s, out);
        count_faces(&s, out);
    }
    vo_free_array(o->ctx, s.pixel_position, count);
    vo_free_array(o->ctx, s.visible, count);
    return ok ? VO_OK : vo_fail_memory(o->ctx, "visible edges");
}

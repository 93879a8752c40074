#include "picture/observe.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "picture/sight.h"

#include <string.h>

enum { ROWS = 4, NODES = 256 }; /* of a chunk */

vo_result vo_observer_create(vo_context *ctx, vo_observer *out) {
    *out = (vo_observer){.ctx = ctx};
    return vo_rays_create(ctx, &out->rays);
}

static void free_pixels(vo_observer *o) {
    vo_free_array(o->ctx, o->depth, o->pixel_count);
    for (int i = 0; i < 3; i++) {
        vo_free_array(o->ctx, o->normal[i], o->pixel_count);
        o->normal[i] = NULL;
    }
    o->depth = NULL;
    o->pixel_count = 0;
}

void vo_observer_free(vo_observer *o) {
    if (!o->ctx) return;
    free_pixels(o);
    vo_rays_destroy(o->rays);
    *o = (vo_observer){0};
}

static vo_result reserve_pixels(vo_observer *o, size_t count) {
    if (o->pixel_count == count) return VO_OK;
    free_pixels(o);
    o->pixel_count = count;
    o->depth = vo_new_array(o->ctx, float, count);
    for (int i = 0; i < 3; i++) o->normal[i] = vo_new_array(o->ctx, float, count);
    if (o->depth && o->normal[0] && o->normal[1] && o->normal[2]) return VO_OK;
    free_pixels(o);
    return vo_fail_memory(o->ctx, "what a camera sees");
}

static void clear(float *value, size_t count) {
    if (value) memset(value, 0, count * sizeof *value);
}

/* The part of the picture that counts, in pixels. */
typedef struct border {
    double left, right, top, bottom;
} border;

static border find_border(const vo_observer *o) {
    const vo_camera *c = &o->def.camera;
    double x = o->def.frame.x > 0 ? vo_max(0, (c->width - o->def.frame.x) / 2) : 0,
           y = o->def.frame.y > 0 ? vo_max(0, (c->height - o->def.frame.y) / 2) : 0;
    return (border){x, c->width - x, y, c->height - y};
}

static bool is_within(border b, vo_vec2 p) {
    return p.x >= b.left && p.x <= b.right && p.y >= b.top && p.y <= b.bottom;
}

/* ---- pixels ---------------------------------------------------------------------------------- */

/* Pixels [left, right) of rows [top, bottom): no cloth is outside. */
typedef struct window {
    vo_observer *observer;
    int left, right, top, bottom;
} window;

/* Pixels whose middles are within two borders, of which the first is within the picture. */
static window join(vo_observer *o, border a, border b) {
    return (window){o, (int)ceil(vo_clamp(b.left, a.left, a.right) - 0.5),
                    (int)floor(vo_clamp(b.right, a.left, a.right) + 0.5),
                    (int)ceil(vo_clamp(b.top, a.top, a.bottom) - 0.5),
                    (int)floor(vo_clamp(b.bottom, a.top, a.bottom) + 0.5)};
}

/* Around all that is to be kept, if all of it is before the camera; else the whole picture. */
static window find_window(vo_observer *o) {
    const vo_camera *c = &o->def.camera;
    int count = o->def.everything ? o->def.model->node_count : o->def.cloth_nodes;
    border all = find_border(o), kept = {c->width, 0, c->height, 0};
    for (int i = 0; i < count; i++) {
        vo_vec2 p;
        if (!vo_camera_project(c, vo_model_x(o->def.model, i), &p, NULL)) return join(o, all, all);
        kept.left = vo_min(kept.left, p.x - 1);
        kept.right = vo_max(kept.right, p.x + 1);
        kept.top = vo_min(kept.top, p.y - 1);
        kept.bottom = vo_max(kept.bottom, p.y + 1);
    }
    return join(o, all, kept);
}

static vo_vec3 flat_normal(const vo_model *m, const vo_model_face *face) {
    vo_vec3 a = vo_model_x(m, face->node[0]);
    return v3_normalize(
        v3_cross(v3_sub(vo_model_x(m, face->node[1]), a), v3_sub(vo_model_x(m, face->node[2]), a)));
}

/* Towards the eye. */
static vo_vec3 normal_at(const vo_observer *o, const vo_ray_hit *hit, vo_vec3 direction) {
    const vo_model *m = o->def.model;
    const vo_model_face *face = &m->face[hit->face];
    vo_vec3 flat = flat_normal(m, face), normal = v3_zero();
    double w[3] = {1 - hit->u - hit->v, hit->u, hit->v};
    for (int i = 0; i < 3; i++)
        normal = v3_add_scaled(normal, w[i], vo_model_normal(m, face->normal[i]));
    normal = v3_normalize(normal);
    if (o->def.flat || v3_dot(normal, flat) < 0.1) normal = flat; /* or folded within a face */
    return v3_dot(flat, direction) > 0 ? v3_negate(normal) : normal;
}

static void look_through(const vo_observer *o, int x, int y) {
    const vo_camera *c = &o->def.camera;
    vo_ray ray = vo_sight_along(c, vo_camera_direction(c, v2(x + 0.5, y + 0.5)));
    vo_ray_hit hit;
    if (!vo_rays_hit(o->rays, &ray, &hit)) return;
    bool cloth = hit.face < o->def.cloth_faces;
    if (!cloth && !o->def.everything) return;
    size_t at = (size_t)y * (size_t)c->width + (size_t)x;
    vo_vec3 normal = normal_at(o, &hit, ray.direction);
    double depth = hit.distance * v3_dot(ray.direction, c->forward);
    o->depth[at] = (float)(cloth ? depth : -depth);
    o->normal[0][at] = (float)normal.x;
    o->normal[1][at] = (float)normal.y;
    o->normal[2][at] = (float)normal.z;
}

static void look_through_rows(void *arg, int begin, int end, int chunk) {
    const window *w = arg;
    (void)chunk;
    for (int y = w->top + begin; y < w->top + end; y++)
        for (int x = w->left; x < w->right; x++) look_through(w->observer, x, y);
}

static vo_result set_rays(vo_observer *o) {
    const vo_model *m = o->def.model;
    vo_rays_def def = {.vertex_count = m->node_count,
                       .x = (const float(*)[3])m->x,
                       .face_count = m->face_count,
                       .face = m->face_count ? m->face[0].node : NULL,
                       .face_stride = sizeof *m->face};
    return vo_rays_set(o->rays, &def);
}

vo_result vo_observer_look(vo_observer *o, const vo_observer_def *def) {
    int width = def->camera.width, height = def->camera.height;
    o->def = *def;
    VO_TRY(reserve_pixels(o, (size_t)width * (size_t)height));
    VO_TRY(set_rays(o));
    clear(o->depth, o->pixel_count);
    for (int i = 0; i < 3; i++) clear(o->normal[i], o->pixel_count);
    o->shown = (vo_shown){width, height, o->depth, {o->normal[0], o->normal[1], o->normal[2]}};
    window w = find_window(o);
    if (w.bottom > w.top) vo_parallel_for(o->ctx, w.bottom - w.top, ROWS, look_through_rows, &w);
    return VO_OK;
}

/* ---- points that move ------------------------------------------------------------------------ */

/* A point at depth z that is seen at an angle a from the view's axis moves by at most
 * f / (z cos a) pixels a metre, f being the pixels a metre at a depth of one metre: that is the
 * length of the gradient of f x / z. It may come nearer by `metres` on its way. */
double vo_observer_shift(const vo_observer *o, double metres) {
    const vo_camera *c = &o->def.camera;
    double per_metre = c->width / (2 * c->tan_x), most = 0;
    if (!(metres > 0)) return 0;
    for (int y = 0; y < c->height; y++)
        for (int x = 0; x < c->width; x++) {
            double z = (double)o->depth[(size_t)y * (size_t)c->width + (size_t)x];
            if (!(z > 0)) continue;
            double a = (2 * (x + 0.5) / c->width - 1) * c->tan_x,
                   b = (1 - 2 * (y + 0.5) / c->height) * c->tan_y;
            double near = vo_max(z - metres, 1e-3 * z);
            most = vo_max(most, sqrt(1 + a * a + b * b) / near);
        }
    return metres * per_metre * most;
}

/* ---- edges ----------------------------------------------------------------------------------- */

typedef struct search {
    const vo_observer *observer;
    const vo_mesh *mesh;
    vo_vec2 *place;      /* [node_count] pixels; NaN: not before the camera */
    unsigned char *seen; /* [node_count] */
} search;

/* Whether nothing is before a point that is in the picture. */
static bool is_open(const vo_observer *o, vo_vec3 x) {
    const vo_camera *c = &o->def.camera;
    vo_vec3 way = v3_sub(x, c->position);
    double distance = v3_length(way), pixel = 2 * c->tan_x / c->width * distance;
    vo_ray ray = vo_sight_along(c, v3_normalize(way));
    vo_ray_hit hit;
    ray.length = distance;
    return !vo_rays_hit(o->rays, &ray, &hit) || hit.distance >= distance - pixel;
}

static void find_nodes(void *arg, int begin, int end, int chunk) {
    const search *s = arg;
    const vo_camera *c = &s->observer->def.camera;
    border part = find_border(s->observer);
    (void)chunk;
    for (int i = begin; i < end; i++) {
        vo_vec3 x = v3_sub(s->mesh->node_x[i], s->observer->def.model->origin);
        vo_vec2 p = v2(NAN, NAN);
        double depth = 0;
        (void)vo_camera_project(c, x, &p, &depth);
        s->place[i] = p;
        s->seen[i] = is_within(part, p) && vo_sight_reaches(c, depth) && is_open(s->observer, x);
    }
}

static void add_edges(const search *s, vo_lengths *out) {
    for (int e = 0; e < s->mesh->edge_count; e++) {
        const int *node = s->mesh->edge_node[e];
        double length = v2_length(v2_sub(s->place[node[0]], s->place[node[1]]));
        if ((s->seen[node[0]] || s->seen[node[1]]) && isfinite(length))
            out->pixels[out->count++] = length;
    }
}

static void add_faces(const search *s, vo_lengths *out) {
    int corners = 0;
    for (int f = 0; f < s->mesh->face_count; f++)
        for (int k = 0; k < 3; k++) corners += s->seen[vo_mesh_face_node(s->mesh, f, k)];
    out->faces += corners / 3.0;
}

vo_result vo_observer_edges(vo_observer *o, const vo_mesh *mesh, vo_lengths *out) {
    int count = mesh->node_count;
    if (count == 0) return VO_OK;
    search s = {o, mesh, vo_new_array(o->ctx, vo_vec2, count),
                vo_new_array(o->ctx, unsigned char, count)};
    bool ok = s.place && s.seen &&
              vo_reserve(o->ctx, &out->pixels, &out->capacity, out->count + mesh->edge_count);
    if (ok) {
        vo_parallel_for(o->ctx, count, NODES, find_nodes, &s);
        add_edges(&s, out);
        add_faces(&s, out);
    }
    vo_free_array(o->ctx, s.place, count);
    vo_free_array(o->ctx, s.seen, count);
    return ok ? VO_OK : vo_fail_memory(o->ctx, "the edges that are seen");
}

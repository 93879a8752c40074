/* Rasterises once into a buffer of surface points, then adds up many small lights, each with a
 * shadow map: a cone of them for the key light, a dome of them for the sky. Their sum has soft
 * shadows and dark folds, which is what makes cloth readable. The samples of a pixel share the
 * lights out among themselves, so that many lights cost no more than a few. */
#include "preview.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_LIGHTS = 108, SKY_LIGHTS = 216, SMALLEST_MAP = 64, LARGEST_MAP = 768 };

static const double NEAR_PLANE = 1e-3;   /* of the distance to the middle */
static const double TRANSLUCENCY = 0.12; /* light that comes through from behind */

typedef struct surface {
    float depth; /* 1 / distance along the view; 0: nothing there */
    float position[3], normal[3], color[3], light[3];
} surface;

typedef struct camera {
    vo_vec3 eye, right, up, back; /* looks along -back */
    double focal;                 /* pixels at distance 1 */
    double near_plane;
} camera;

typedef struct light {
    vo_vec3 toward; /* unit */
    vo_vec3 color;
} light;

/* Depth seen from a light: an orthographic picture of the model's bounding sphere. */
typedef struct shadow_map {
    vo_vec3 right, up, toward, centre;
    double scale, texel; /* texels a metre and back */
    int size;
    float *depth; /* [size][size] along `toward` */
} shadow_map;

typedef struct scene {
    const model *m;
    const view *v;
    camera cam;
    vo_vec3 low, high, up;
    int width, height; /* in samples */
    surface *buffer;   /* [height][width] */
    vo_vec3 ground;    /* a point of it */
    bool has_ground;
} scene;

static vo_vec3 array_vec(const float p[3]) { return v3(p[0], p[1], p[2]); }

static void vec_array(vo_vec3 a, float p[3]) {
    p[0] = (float)a.x;
    p[1] = (float)a.y;
    p[2] = (float)a.z;
}

/* A right-handed frame whose third axis is `axis`. */
static void frame_of(vo_vec3 axis, vo_vec3 up, vo_vec3 *right, vo_vec3 *true_up) {
    *right = v3_cross(up, axis);
    if (v3_length2(*right) < 1e-12) *right = v3_cross(v3(1, 0, 0), axis);
    if (v3_length2(*right) < 1e-12) *right = v3_cross(v3(0, 1, 0), axis);
    *right = v3_normalize(*right);
    *true_up = v3_cross(axis, *right);
}

/* ---- framing -------------------------------------------------------------------------------- */

static void find_bounds(scene *s) {
    s->low = v3(INFINITY, INFINITY, INFINITY);
    s->high = v3(-INFINITY, -INFINITY, -INFINITY);
    for (int i = 0; i < s->m->node_count; i++) {
        s->low = v3_min(s->low, s->m->node[i]);
        s->high = v3_max(s->high, s->m->node[i]);
    }
}

static vo_vec3 box_corner(vo_vec3 low, vo_vec3 high, int i) {
    return v3(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
}

/* What the picture must hold: the nodes, or the corners of the given box. */
static int fit_count(const scene *s) { return s->v->fit_given ? 8 : s->m->node_count; }

static vo_vec3 fit_point(const scene *s, int i) {
    return s->v->fit_given ? box_corner(s->v->fit_low, s->v->fit_high, i) : s->m->node[i];
}

/* The smallest distance from `target` at which every point is inside the picture. */
static double fitting_distance(const scene *s, vo_vec3 target, double tan_x, double tan_y) {
    double distance = 0;
    for (int i = 0; i < fit_count(s); i++) {
        vo_vec3 p = v3_sub(fit_point(s, i), target);
        double toward = v3_dot(p, s->cam.back);
        distance = vo_max(distance, toward + fabs(v3_dot(p, s->cam.right)) / tan_x);
        distance = vo_max(distance, toward + fabs(v3_dot(p, s->cam.up)) / tan_y);
    }
    return vo_max(distance, 1e-6);
}

/* How far the middle of the points' picture is from the target's, in the plane of the target. */
static vo_vec3 centring_shift(const scene *s, vo_vec3 target, double distance) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < fit_count(s); i++) {
        vo_vec3 p = v3_sub(fit_point(s, i), target);
        double scale = distance / vo_max(distance - v3_dot(p, s->cam.back), 1e-9);
        double at[2] = {v3_dot(p, s->cam.right) * scale, v3_dot(p, s->cam.up) * scale};
        for (int k = 0; k < 2; k++) {
            low[k] = vo_min(low[k], at[k]);
            high[k] = vo_max(high[k], at[k]);
        }
    }
    return v3_add(v3_scale(0.5 * (low[0] + high[0]), s->cam.right),
                  v3_scale(0.5 * (low[1] + high[1]), s->cam.up));
}

static void place_camera(scene *s) {
    const view *v = s->v;
    double az = v->azimuth * VO_PI / 180, el = v->elevation * VO_PI / 180;
    vo_vec3 back = v3(sin(az) * cos(el), -cos(az) * cos(el), sin(el));
    if (v->y_up) back = v3(back.x, back.z, -back.y);
    s->cam.back = back;
    frame_of(back, s->up, &s->cam.right, &s->cam.up);

    double tan_y = tan(0.5 * v->field * VO_PI / 180);
    double tan_x = tan_y * v->width / v->height;
    double margin = 0.9 * v->zoom;
    vo_vec3 low = v->fit_given ? v->fit_low : s->low, high = v->fit_given ? v->fit_high : s->high;
    vo_vec3 target = v3_lerp(low, high, 0.5);
    double distance = fitting_distance(s, target, margin * tan_x, margin * tan_y);
    for (int i = 0; i < 4; i++) {
        target = v3_add(target, centring_shift(s, target, distance));
        distance = fitting_distance(s, target, margin * tan_x, margin * tan_y);
    }
    s->cam.eye = v3_add_scaled(target, distance, back);
    s->cam.focal = 0.5 * s->height / tan_y;
    s->cam.near_plane = NEAR_PLANE * distance;
}

/* ---- triangles to samples ------------------------------------------------------------------- */

typedef struct corner {
    double x, y, w; /* sample coordinates and 1 / distance (camera) or depth (light) */
} corner;

/* Where a triangle covers samples, and how its values run there. */
typedef struct coverage {
    int x0, x1, y0, y1;
    corner c[3];
    double inverse_area;
} coverage;

static double edge_side(corner a, corner b, double x, double y) {
    return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

/* False where the triangle covers no sample of a width x height picture. */
static bool cover(coverage *t, int width, int height) {
    double area = edge_side(t->c[0], t->c[1], t->c[2].x, t->c[2].y);
    if (!(fabs(area) > 1e-12)) return false;
    t->inverse_area = 1 / area;
    double low_x = vo_min(vo_min(t->c[0].x, t->c[1].x), t->c[2].x);
    double high_x = vo_max(vo_max(t->c[0].x, t->c[1].x), t->c[2].x);
    double low_y = vo_min(vo_min(t->c[0].y, t->c[1].y), t->c[2].y);
    double high_y = vo_max(vo_max(t->c[0].y, t->c[1].y), t->c[2].y);
    if (high_x < 0 || high_y < 0 || low_x > width || low_y > height) return false;
    t->x0 = (int)vo_max(0, floor(low_x));
    t->y0 = (int)vo_max(0, floor(low_y));
    t->x1 = (int)vo_min(width - 1, ceil(high_x));
    t->y1 = (int)vo_min(height - 1, ceil(high_y));
    return true;
}

/* Barycentric weights of a sample's middle; false outside. */
static bool weights_at(const coverage *t, int x, int y, double b[3]) {
    b[0] = edge_side(t->c[1], t->c[2], x + 0.5, y + 0.5) * t->inverse_area;
    b[1] = edge_side(t->c[2], t->c[0], x + 0.5, y + 0.5) * t->inverse_area;
    b[2] = 1 - b[0] - b[1];
    return b[0] >= 0 && b[1] >= 0 && b[2] >= 0;
}

static corner project(const scene *s, vo_vec3 p) {
    vo_vec3 d = v3_sub(p, s->cam.eye);
    double w = -1 / v3_dot(d, s->cam.back);
    return (corner){0.5 * s->width + s->cam.focal * w * v3_dot(d, s->cam.right),
                    0.5 * s->height - s->cam.focal * w * v3_dot(d, s->cam.up), w};
}

/* Distance in samples to the nearest edge, for the wire frame. */
static double edge_distance(const coverage *t, const double b[3]) {
    double nearest = INFINITY;
    for (int i = 0; i < 3; i++) {
        corner p = t->c[(i + 1) % 3], q = t->c[(i + 2) % 3];
        double length = hypot(q.x - p.x, q.y - p.y);
        if (length > 0) nearest = vo_min(nearest, b[i] / fabs(t->inverse_area) / length);
    }
    return nearest;
}

/* Weighs three corner values by perspective-correct weights. */
static vo_vec3 blend(const vo_vec3 value[3], const double b[3]) {
    return v3_add(v3_scale(b[0], value[0]),
                  v3_add(v3_scale(b[1], value[1]), v3_scale(b[2], value[2])));
}

static void fill_sample(const scene *s, int f, const coverage *t, const double b[3], surface *to) {
    double w = b[0] * t->c[0].w + b[1] * t->c[1].w + b[2] * t->c[2].w;
    if (w <= to->depth) return;
    double k[3];
    for (int i = 0; i < 3; i++) k[i] = b[i] * t->c[i].w / w;
    const int *n = s->m->face[f];
    vo_vec3 corner_x[3] = {s->m->node[n[0]], s->m->node[n[1]], s->m->node[n[2]]};
    vo_vec3 position = blend(corner_x, k);
    vo_vec3 normal = v3_normalize(blend(s->m->face_normal[f], k));
    vo_vec3 color = s->m->face_color[f];
    if (v3_dot(normal, v3_sub(position, s->cam.eye)) > 0) {
        normal = v3_negate(normal);
        color = v3_lerp(v3_scale(0.8, color), v3(0.35, 0.35, 0.35), 0.35); /* the wrong side */
    }
    if (s->v->wire && edge_distance(t, b) < 0.45 * s->v->samples) color = v3_scale(0.25, color);
    to->depth = (float)w;
    vec_array(position, to->position);
    vec_array(normal, to->normal);
    vec_array(color, to->color);
}

static void draw_faces(scene *s) {
    for (int f = 0; f < s->m->face_count; f++) {
        coverage t;
        bool in_front = true;
        for (int i = 0; i < 3; i++) {
            t.c[i] = project(s, s->m->node[s->m->face[f][i]]);
            in_front = in_front && t.c[i].w > 0 && t.c[i].w * s->cam.near_plane < 1;
        }
        if (!in_front || !cover(&t, s->width, s->height)) continue;
        for (int y = t.y0; y <= t.y1; y++)
            for (int x = t.x0; x <= t.x1; x++) {
                double b[3];
                if (weights_at(&t, x, y, b))
                    fill_sample(s, f, &t, b, &s->buffer[(size_t)y * (size_t)s->width + (size_t)x]);
            }
    }
}

/* The ground takes the background's colour and shows only as shadow. */
static void draw_ground(scene *s) {
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++) {
            surface *to = &s->buffer[(size_t)y * (size_t)s->width + (size_t)x];
            vo_vec3 ray = v3_add(v3_scale((x + 0.5 - 0.5 * s->width) / s->cam.focal, s->cam.right),
                                 v3_scale(-(y + 0.5 - 0.5 * s->height) / s->cam.focal, s->cam.up));
            ray = v3_sub(ray, s->cam.back);
            double down = v3_dot(ray, s->up);
            double distance = v3_dot(v3_sub(s->ground, s->cam.eye), s->up) / down;
            if (!(distance > 0 && down < 0) || 1 / distance <= to->depth) continue;
            to->depth = (float)(1 / distance);
            vec_array(v3_add_scaled(s->cam.eye, distance, ray), to->position);
            vec_array(s->up, to->normal);
            to->color[0] = -1; /* stands for the background */
        }
}

/* ---- light ---------------------------------------------------------------------------------- */

/* The i-th of n well-spread points of the unit square (additive recurrence of the plastic number).
 */
static void spread(int i, double *a, double *b) {
    *a = fmod(0.5 + 0.7548776662466927 * i, 1);
    *b = fmod(0.5 + 0.5698402909980532 * i, 1);
}

/* Direction at a given cosine and turn about `axis`. */
static vo_vec3 around(vo_vec3 axis, double cosine, double turn) {
    vo_vec3 right, up;
    frame_of(axis, v3(0.3, 0.5, 0.8), &right, &up);
    double sine = sqrt(vo_max(0, 1 - cosine * cosine));
    return v3_add(v3_scale(cosine, axis),
                  v3_add(v3_scale(sine * cos(turn), right), v3_scale(sine * sin(turn), up)));
}

static light make_light(const scene *s, int i) {
    double a, b;
    spread(i, &a, &b);
    if (i >= KEY_LIGHTS)
        return (light){around(s->up, 0.08 + 0.92 * a, 2 * VO_PI * b),
                       v3_scale(1.5 / SKY_LIGHTS, v3(0.92, 0.97, 1.06))};
    /* From the upper left, a little in front. */
    vo_vec3 key = v3_add(v3_scale(-0.55, s->cam.right),
                         v3_add(v3_scale(0.9, s->up), v3_scale(0.6, s->cam.back)));
    return (light){around(v3_normalize(key), 1 - 0.012 * a, 2 * VO_PI * b),
                   v3_scale(0.85 / KEY_LIGHTS, v3(1.05, 1.0, 0.93))};
}

static void clear_map(const scene *s, vo_vec3 toward, shadow_map *map) {
    map->toward = toward;
    frame_of(toward, s->up, &map->right, &map->up);
    map->centre = v3_lerp(s->low, s->high, 0.5);
    double radius = 0.5 * v3_distance(s->low, s->high) * 1.01 + 1e-9;
    map->texel = 2 * radius / map->size;
    map->scale = 1 / map->texel;
    for (size_t i = 0; i < (size_t)map->size * (size_t)map->size; i++) map->depth[i] = -INFINITY;
}

static corner map_project(const shadow_map *map, vo_vec3 p) {
    vo_vec3 d = v3_sub(p, map->centre);
    return (corner){0.5 * map->size + map->scale * v3_dot(d, map->right),
                    0.5 * map->size + map->scale * v3_dot(d, map->up), v3_dot(d, map->toward)};
}

static void draw_map(const scene *s, shadow_map *map) {
    for (int f = 0; f < s->m->face_count; f++) {
        coverage t;
        for (int i = 0; i < 3; i++) t.c[i] = map_project(map, s->m->node[s->m->face[f][i]]);
        if (!cover(&t, map->size, map->size)) continue;
        for (int y = t.y0; y <= t.y1; y++)
            for (int x = t.x0; x <= t.x1; x++) {
                double b[3];
                if (!weights_at(&t, x, y, b)) continue;
                float depth = (float)(b[0] * t.c[0].w + b[1] * t.c[1].w + b[2] * t.c[2].w);
                float *at = &map->depth[(size_t)y * (size_t)map->size + (size_t)x];
                if (depth > *at) *at = depth;
            }
    }
}

/* How much of the light reaches a point: 0 or 1, softened by the many lights. */
static double lit(const shadow_map *map, vo_vec3 p, vo_vec3 normal, double cosine) {
    double side = cosine < 0 ? -1 : 1;
    vo_vec3 lifted = v3_add_scaled(p, side * 1.5 * map->texel, normal);
    corner c = map_project(map, lifted);
    if (!(c.x >= 0 && c.y >= 0 && c.x < map->size && c.y < map->size)) return 1;
    double slope = vo_min(sqrt(vo_max(0, 1 - cosine * cosine)) / vo_max(fabs(cosine), 0.1), 4);
    float depth = map->depth[(size_t)c.y * (size_t)map->size + (size_t)c.x];
    return depth > c.w + map->texel * (1 + slope) ? 0 : 1;
}

static void light_sample(surface *to, const light *l, const shadow_map *map, double weight) {
    vo_vec3 normal = array_vec(to->normal);
    double cosine = v3_dot(normal, l->toward);
    double through = cosine > 0 ? cosine : -TRANSLUCENCY * cosine;
    double amount = weight * through * lit(map, array_vec(to->position), normal, cosine);
    to->light[0] += (float)(amount * l->color.x);
    to->light[1] += (float)(amount * l->color.y);
    to->light[2] += (float)(amount * l->color.z);
}

/* Lights the sample number `slot` of every pixel. */
static void add_light(scene *s, const light *l, const shadow_map *map, int slot) {
    int n = s->v->samples;
    for (int y = slot / n; y < s->height; y += n)
        for (int x = slot % n; x < s->width; x += n) {
            surface *to = &s->buffer[(size_t)y * (size_t)s->width + (size_t)x];
            if (to->depth > 0) light_sample(to, l, map, n * n);
        }
}

/* Adds every light; `open` (zero before) becomes what a free horizontal surface receives. */
static bool add_lights(scene *s, vo_vec3 *open) {
    int picture = vo_max_int(s->v->width, s->v->height);
    shadow_map map = {.size = vo_min_int(vo_max_int(picture, SMALLEST_MAP), LARGEST_MAP)};
    map.depth = malloc((size_t)map.size * (size_t)map.size * sizeof *map.depth);
    if (!map.depth) return complain("out of memory");
    for (int i = 0; i < KEY_LIGHTS + SKY_LIGHTS; i++) {
        light l = make_light(s, i);
        clear_map(s, l.toward, &map);
        draw_map(s, &map);
        add_light(s, &l, &map, i % (s->v->samples * s->v->samples));
        *open = v3_add_scaled(*open, v3_dot(s->up, l.toward), l.color);
    }
    free(map.depth);
    return true;
}

/* ---- samples to pixels ---------------------------------------------------------------------- */

static vo_vec3 sample_color(const scene *s, const surface *p, vo_vec3 open) {
    if (!(p->depth > 0)) return s->v->background;
    vo_vec3 received = array_vec(p->light);
    if (p->color[0] < 0) { /* one sample has only its share of the lights; the pixel has all */
        vo_vec3 b = s->v->background;
        return v3(b.x * received.x / open.x, b.y * received.y / open.y, b.z * received.z / open.z);
    }
    /* Light thrown back by the surroundings, most of it from below. */
    double bounce = 0.16 - 0.08 * v3_dot(array_vec(p->normal), s->up);
    return v3(p->color[0] * (received.x + bounce), p->color[1] * (received.y + bounce),
              p->color[2] * (received.z + bounce));
}

static unsigned char encode(double linear) {
    double x = vo_clamp(linear, 0, 1);
    double y = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055; /* sRGB */
    return (unsigned char)(255 * y + 0.5);
}

static void resolve(const scene *s, vo_vec3 open, unsigned char *rgb) {
    int n = s->v->samples;
    for (int y = 0; y < s->v->height; y++)
        for (int x = 0; x < s->v->width; x++) {
            vo_vec3 sum = v3_zero();
            for (int k = 0; k < n * n; k++) {
                size_t at = (size_t)(y * n + k / n) * (size_t)s->width + (size_t)(x * n + k % n);
                sum = v3_add(sum, sample_color(s, &s->buffer[at], open));
            }
            sum = v3_scale(1.0 / (n * n), sum);
            *rgb++ = encode(sum.x);
            *rgb++ = encode(sum.y);
            *rgb++ = encode(sum.z);
        }
}

bool render(const model *m, const view *v, unsigned char *rgb) {
    scene s = {.m = m, .v = v, .width = v->width * v->samples, .height = v->height * v->samples};
    s.up = v->y_up ? v3(0, 1, 0) : v3(0, 0, 1);
    s.buffer = calloc((size_t)s.width * (size_t)s.height, sizeof *s.buffer);
    if (!s.buffer) return complain("out of memory");
    find_bounds(&s);
    place_camera(&s);
    draw_faces(&s);
    if (v->ground) {
        bool lowest = isnan(v->ground_height);
        s.ground = lowest ? s.low : v3_scale(v->ground_height, s.up);
        draw_ground(&s);
    }
    vo_vec3 open = v3_zero();
    bool good = add_lights(&s, &open);
    if (good) resolve(&s, open, rgb);
    free(s.buffer);
    return good;
}

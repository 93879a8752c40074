/* Shading: colours of fabric, ground and backdrop, and tone mapping. */
#include "picture/lighting.h"
#include "picture/sample.h"

static const vo_vec3 KEY_COLOUR = {1.10, 1.04, 0.96}, SKY_COLOUR = {0.45, 0.475, 0.51};
static const vo_vec3 RIM_COLOUR = {0.16, 0.17, 0.19};
static const vo_vec3 PAPER_LIGHT = {0.74, 0.735, 0.72}, PAPER_DARK = {0.46, 0.465, 0.47};
static const vo_vec3 WIRE_COLOUR = {0.02, 0.02, 0.025};

static vo_vec3 times(vo_vec3 a, vo_vec3 b) { return v3(a.x * b.x, a.y * b.y, a.z * b.z); }

static double smooth_step(double low, double high, double x) {
    double t = vo_clamp((x - low) / (high - low), 0, 1);
    return t * t * (3 - 2 * t);
}

/* ---- fabric --------------------------------------------------------------------------------- */

static double hash01(int64_t n) {
    uint64_t z = (uint64_t)n * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9u;
    return (double)((z ^ (z >> 32)) & 0xffffff) / 0xffffff;
}

/* Brightness variation of parallel threads along y that differ in x. */
static double threads(double x, double y, double width, int64_t seed) {
    double i = floor(x / width), j = floor(y / (24 * width)), t = vo_fraction(y / (24 * width));
    int64_t at = (int64_t)i * 7919 + (int64_t)j * 104729 + seed;
    return (1 - t) * hash01(at) + t * hash01(at + 104729) - 0.5;
}

/* Weave pattern: warp and weft at several widths, each omitted where a pixel covers more than one
 * thread, so that grain is visible at any distance without aliasing. */
static double weave(vo_vec2 u, double pixel) {
    double sum = 0, width = 0.0008;
    for (int octave = 0; octave < 6; octave++, width *= 2) {
        double shows = smooth_step(0.7, 1.4, width / pixel) * smooth_step(5, 2, width / pixel);
        if (shows <= 0) continue;
        sum += shows *
               (threads(u.x, u.y, width, 11 + octave) + threads(u.y, u.x, width, 1000003 + octave));
    }
    return sum;
}

static double weave_at(const vo_lighting *s, const vo_surface_hit *hit) {
    const vo_model *m = s->model;
    const vo_model_face *face = &m->face[hit->face];
    vo_vec2 u = {0, 0};
    for (int i = 0; i < 3; i++) {
        const float *corner = m->u[face->vert[i]];
        u = v2_add(u, v2_scale(hit->weight[i], v2((double)corner[0], (double)corner[1])));
    }
    double facing = vo_max(0.15, -v3_dot(hit->normal, hit->direction));
    return weave(u, hit->pixel / facing);
}

/* Multi-bounce approximation (Jimenez et al. 2016, "Practical real-time strategies for accurate
 * indirect occlusion", eq. 10): light reflected by nearby surfaces of the same colour. */
static double multi_bounce(double open, double albedo) {
    double a = 2.0404 * albedo - 0.3324, b = -4.7951 * albedo + 0.6417,
           c = 2.7552 * albedo + 0.6903;
    double o = vo_min(open, 1);
    return open + vo_max(0, ((o * a + b) * o + c) * o - o);
}

static vo_vec3 sky_light(double open, vo_vec3 albedo) {
    return times(SKY_COLOUR, v3(multi_bounce(open, albedo.x), multi_bounce(open, albedo.y),
                                multi_bounce(open, albedo.z)));
}

static vo_vec3 key_light(const vo_lighting *s, const vo_surface_hit *hit, vo_light_sample lit) {
    double facing = v3_dot(hit->normal, s->key);
    double part = facing > 0 ? facing : -facing * hit->material->transmission;
    return v3_scale(part * lit.key, KEY_COLOUR);
}

/* Highlight and sheen along outlines. */
static vo_vec3 highlights(const vo_lighting *s, const vo_surface_hit *hit, vo_light_sample lit,
                          vo_vec3 base) {
    vo_vec3 to_eye = v3_negate(hit->direction);
    double glancing = 1 - vo_clamp(v3_dot(hit->normal, to_eye), 0, 1);
    vo_vec3 half = v3_normalize(v3_add(to_eye, s->key));
    double shine = pow(vo_max(0, v3_dot(hit->normal, half)), 24);
    double fuzz = hit->material->sheen * glancing * glancing * glancing;
    vo_vec3 light = v3_add(v3_scale(lit.sky, SKY_COLOUR), v3_scale(0.4 * lit.key, KEY_COLOUR));
    vo_vec3 tint = v3_lerp(base, v3(1, 1, 1), 0.3);
    double front = v3_dot(hit->normal, s->key) > 0 ? 1 : 0;
    return v3_add(v3_scale(fuzz, times(tint, light)),
                  v3_scale(hit->material->gloss * shine * lit.key * front, KEY_COLOUR));
}

/* Coverage of a point by the wireframe line of the closest edge. */
static double wireframe_coverage(const vo_lighting *s, const vo_surface_hit *hit, double x,
                                 double y) {
    const vo_model_face *face = &s->model->face[hit->face];
    vo_vec2 p[3];
    for (int i = 0; i < 3; i++)
        if (!vo_camera_project(&s->camera, vo_model_x(s->model, face->node[i]), &p[i], NULL))
            return 0;
    double nearest = INFINITY;
    for (int i = 0; i < 3; i++) {
        vo_vec2 edge = v2_sub(p[(i + 1) % 3], p[i]);
        double length = v2_length(edge);
        if (length > 0)
            nearest = vo_min(nearest, fabs(v2_cross(edge, v2_sub(v2(x, y), p[i]))) / length);
    }
    return 0.7 * (1 - smooth_step(0.2, 1.1, nearest));
}

static vo_vec3 shade_face(const vo_lighting *s, const vo_surface_hit *hit, vo_light_sample lit,
                          double x, double y) {
    const vo_render_material *material = hit->material;
    vo_vec3 base = hit->back ? material->back : material->front;
    if (material->weave > 0) base = v3_scale(1 + material->weave * weave_at(s, hit), base);
    if (s->wireframe && material->wireframe)
        base = v3_lerp(base, WIRE_COLOUR, wireframe_coverage(s, hit, x, y));
    vo_vec3 light = v3_add(key_light(s, hit, lit), sky_light(lit.sky, base));
    double rim = vo_max(0, v3_dot(hit->normal, s->rim));
    light = v3_add(light, v3_scale(rim * lit.sky, RIM_COLOUR));
    return v3_add(times(base, light), highlights(s, hit, lit, base));
}

/* ---- ground and backdrop -------------------------------------------------------------------- */

/* Backdrop colour, brightest behind the subject. */
static vo_vec3 backdrop(const vo_lighting *s, double x, double y) {
    double a = x / s->camera.width - 0.5, b = y / s->camera.height - 0.45;
    return v3_lerp(PAPER_LIGHT, PAPER_DARK, smooth_step(0, 1, 1.25 * sqrt(a * a + 1.1 * b * b)));
}

/* Ground colour: that of the backdrop, darkened by shadows only. */
static vo_vec3 shade_ground(const vo_lighting *s, vo_light_sample lit, vo_vec3 paper) {
    double facing = v3_dot(s->up, s->key);
    vo_vec3 full = v3_add(v3_scale(facing, KEY_COLOUR), SKY_COLOUR);
    vo_vec3 here = v3_add(v3_scale(facing * lit.key, KEY_COLOUR), v3_scale(lit.sky, SKY_COLOUR));
    return v3(paper.x * here.x / full.x, paper.y * here.y / full.y, paper.z * here.z / full.z);
}

vo_vec3 vo_lighting_shade(const vo_lighting *s, const vo_surface_hit *hit, vo_light_sample lit,
                          double x, double y) {
    if (hit->face >= 0) return shade_face(s, hit, lit, x, y);
    vo_vec3 paper = backdrop(s, x, y);
    return hit->face == VO_HIT_GROUND ? shade_ground(s, lit, paper) : paper;
}

/* ---- tone mapping --------------------------------------------------------------------------- */

/* Tone curve: linear for dark and mid tones, so colours are reproduced exactly; bright values
 * approach white asymptotically. */
static double tone(double x) {
    const double knee = 0.6;
    return x < knee ? vo_max(x, 0) : knee + (1 - knee) * (1 - exp(-(x - knee) / (1 - knee)));
}

/* IEC 61966-2-1 */
static double srgb(double x) {
    return x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
}

void vo_tonemap(vo_vec3 colour, int x, int y, uint8_t out[3]) {
    const double value[3] = {colour.x, colour.y, colour.z};
    double round_up = (vo_tile_index(x, y) + 0.5) / 16;
    for (int i = 0; i < 3; i++)
        out[i] = (uint8_t)vo_min(255, floor(255 * srgb(tone(value[i])) + round_up));
}

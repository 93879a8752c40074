/* Filtering and reuse of light between pixels of one surface. */
#include "picture/renderer.h"

static bool is_same_kind(int a, int b) { return (a >= 0) == (b >= 0) && (a >= 0 || a == b); }

/* Similarity weight of two points: 1 on the same plane, 0 on different surfaces. The ground is one
 * plane. */
static float surface_similarity(const vo_pixel *a, const float x[3], const float n[3], int face) {
    if (!is_same_kind(a->face, face)) return 0;
    if (face < 0) return 1;
    float aligned = a->normal[0] * n[0] + a->normal[1] * n[1] + a->normal[2] * n[2];
    if (aligned < 0.6f) return 0;
    float along = (a->x[0] - x[0]) * n[0] + (a->x[1] - x[1]) * n[1] + (a->x[2] - x[2]) * n[2];
    float off = along / (3 * a->size);
    if (fabsf(off) >= 1) return 0;
    return (aligned - 0.6f) / 0.4f * (1 - off * off);
}

static void filter_pixel(vo_render_target *c, int x, int y) {
    static const float weight[5] = {0.5f, 1, 1, 1, 0.5f};
    size_t at = (size_t)y * (size_t)c->width + (size_t)x;
    const vo_pixel *own = &c->pixel[at];
    float sum = 0, key = 0, sky = 0;
    if (own->face == VO_HIT_BACKGROUND) return;
    for (int j = vo_max_int(y - 2, 0); j <= vo_min_int(y + 2, c->height - 1); j++)
        for (int i = vo_max_int(x - 2, 0); i <= vo_min_int(x + 2, c->width - 1); i++) {
            const vo_pixel *p = &c->pixel[(size_t)j * (size_t)c->width + (size_t)i];
            float similarity = surface_similarity(p, own->x, own->normal, own->face);
            if (similarity <= 0) continue; /* see vo_render_target_find_light */
            float w = weight[j - y + 2] * weight[i - x + 2] * similarity;
            sum += w;
            key += w * p->key;
            sky += w * p->sky;
        }
    c->smooth[at][0] = key / sum;
    c->smooth[at][1] = sky / sum;
}

void vo_render_target_filter_light(vo_render_target *c, int begin, int end) {
    for (int y = begin; y < end; y++)
        for (int x = 0; x < c->width; x++) filter_pixel(c, x, y);
}

bool vo_render_target_find_light(const vo_render_target *c, int x, int y, const vo_surface_hit *hit,
                                 vo_light_sample *out) {
    double sum = 0, key = 0, sky = 0;
    const float position[3] = {(float)hit->x.x, (float)hit->x.y, (float)hit->x.z};
    const float normal[3] = {(float)hit->normal.x, (float)hit->normal.y, (float)hit->normal.z};
    for (int j = vo_max_int(y - 1, 0); j <= vo_min_int(y + 1, c->height - 1); j++)
        for (int i = vo_max_int(x - 1, 0); i <= vo_min_int(x + 1, c->width - 1); i++) {
            size_t at = (size_t)j * (size_t)c->width + (size_t)i;
            double w = (double)surface_similarity(&c->pixel[at], position, normal, hit->face);
            if (w <= 0) continue; /* background pixels hold no light values */
            sum += w;
            key += w * (double)c->smooth[at][0];
            sky += w * (double)c->smooth[at][1];
        }
    if (sum < 1e-3) return false;
    *out = (vo_light_sample){key / sum, sky / sum};
    return true;
}

bool vo_render_target_is_outline(const vo_render_target *c, int x, int y) {
    const vo_pixel *own = &c->pixel[(size_t)y * (size_t)c->width + (size_t)x];
    static const int step[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    for (int k = 0; k < 4; k++) {
        int i = x + step[k][0], j = y + step[k][1];
        if (i < 0 || j < 0 || i >= c->width || j >= c->height) continue;
        const vo_pixel *p = &c->pixel[(size_t)j * (size_t)c->width + (size_t)i];
        if (!is_same_kind(p->face, own->face)) return true;
        if (own->face < 0) continue;
        if (surface_similarity(p, own->x, own->normal, own->face) < 0.4f) return true;
        const vo_model_face *face = c->lighting.model->face;
        if (face[p->face].material != face[own->face].material) return true;
    }
    return false;
}

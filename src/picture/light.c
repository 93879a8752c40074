/* Light from pixel to pixel, within a surface. */
#include "picture/picture.h"

static vo_vec3 get(const float a[3]) { return v3((double)a[0], (double)a[1], (double)a[2]); }

static bool same_kind(int a, int b) { return (a >= 0) == (b >= 0) && (a >= 0 || a == b); }

/* How much two places belong to one surface: 1 for the same plane, 0 for another surface. */
static double kinship(const vo_pixel *a, vo_vec3 x, vo_vec3 normal, int face) {
    if (!same_kind(a->face, face)) return 0;
    double aligned = v3_dot(get(a->normal), normal);
    if (aligned < 0.6) return 0;
    double off = v3_dot(v3_sub(get(a->x), x), normal) / (3 * (double)a->size);
    if (fabs(off) >= 1) return 0;
    aligned = (aligned - 0.6) / 0.4;
    return aligned * (1 - off * off);
}

static void smooth_pixel(vo_canvas *c, int x, int y) {
    static const double weight[5] = {0.5, 1, 1, 1, 0.5};
    size_t at = (size_t)y * (size_t)c->width + (size_t)x;
    const vo_pixel *own = &c->pixel[at];
    double sum = 0, key = 0, sky = 0;
    if (own->face == VO_SEES_NOTHING) return;
    vo_vec3 place = get(own->x), normal = get(own->normal);
    for (int j = vo_max_int(y - 2, 0); j <= vo_min_int(y + 2, c->height - 1); j++)
        for (int i = vo_max_int(x - 2, 0); i <= vo_min_int(x + 2, c->width - 1); i++) {
            const vo_pixel *p = &c->pixel[(size_t)j * (size_t)c->width + (size_t)i];
            double w = weight[j - y + 2] * weight[i - x + 2] * kinship(p, place, normal, own->face);
            sum += w;
            key += w * (double)p->key;
            sky += w * (double)p->sky;
        }
    c->smooth[at][0] = (float)(key / sum);
    c->smooth[at][1] = (float)(sky / sum);
}

void vo_canvas_smooth(vo_canvas *c, int begin, int end) {
    for (int y = begin; y < end; y++)
        for (int x = 0; x < c->width; x++) smooth_pixel(c, x, y);
}

bool vo_canvas_borrow(const vo_canvas *c, int x, int y, const vo_seen *seen, vo_lit *out) {
    double sum = 0, key = 0, sky = 0;
    for (int j = vo_max_int(y - 1, 0); j <= vo_min_int(y + 1, c->height - 1); j++)
        for (int i = vo_max_int(x - 1, 0); i <= vo_min_int(x + 1, c->width - 1); i++) {
            size_t at = (size_t)j * (size_t)c->width + (size_t)i;
            double w = kinship(&c->pixel[at], seen->x, seen->normal, seen->face);
            sum += w;
            key += w * (double)c->smooth[at][0];
            sky += w * (double)c->smooth[at][1];
        }
    if (sum < 1e-3) return false;
    *out = (vo_lit){key / sum, sky / sum};
    return true;
}

bool vo_canvas_outline(const vo_canvas *c, int x, int y) {
    const vo_pixel *own = &c->pixel[(size_t)y * (size_t)c->width + (size_t)x];
    static const int step[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    for (int k = 0; k < 4; k++) {
        int i = x + step[k][0], j = y + step[k][1];
        if (i < 0 || j < 0 || i >= c->width || j >= c->height) continue;
        const vo_pixel *p = &c->pixel[(size_t)j * (size_t)c->width + (size_t)i];
        if (!same_kind(p->face, own->face)) return true;
        if (own->face < 0) continue;
        if (kinship(p, get(own->x), get(own->normal), own->face) < 0.4) return true;
        const vo_model_face *face = c->studio.model->face;
        if (face[p->face].paint != face[own->face].paint) return true;
    }
    return false;
}

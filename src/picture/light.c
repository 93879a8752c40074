/* Light from pixel to pixel, within a surface. */
#include "picture/picture.h"

static bool same_kind(int a, int b) { return (a >= 0) == (b >= 0) && (a >= 0 || a == b); }

/* How much two places belong to one surface: 1 for the same plane, 0 for another surface. The
 * ground is one plane. */
static float kinship(const vo_pixel *a, const float x[3], const float n[3], int face) {
    if (!same_kind(a->face, face)) return 0;
    if (face < 0) return 1;
    float aligned = a->normal[0] * n[0] + a->normal[1] * n[1] + a->normal[2] * n[2];
    if (aligned < 0.6f) return 0;
    float along = (a->x[0] - x[0]) * n[0] + (a->x[1] - x[1]) * n[1] + (a->x[2] - x[2]) * n[2];
    float off = along / (3 * a->size);
    if (fabsf(off) >= 1) return 0;
    return (aligned - 0.6f) / 0.4f * (1 - off * off);
}

static void smooth_pixel(vo_canvas *c, int x, int y) {
    static const float weight[5] = {0.5f, 1, 1, 1, 0.5f};
    size_t at = (size_t)y * (size_t)c->width + (size_t)x;
    const vo_pixel *own = &c->pixel[at];
    float sum = 0, key = 0, sky = 0;
    if (own->face == VO_SEES_NOTHING) return;
    for (int j = vo_max_int(y - 2, 0); j <= vo_min_int(y + 2, c->height - 1); j++)
        for (int i = vo_max_int(x - 2, 0); i <= vo_min_int(x + 2, c->width - 1); i++) {
            const vo_pixel *p = &c->pixel[(size_t)j * (size_t)c->width + (size_t)i];
            float near = kinship(p, own->x, own->normal, own->face);
            if (near <= 0) continue; /* as below */
            float w = weight[j - y + 2] * weight[i - x + 2] * near;
            sum += w;
            key += w * p->key;
            sky += w * p->sky;
        }
    c->smooth[at][0] = key / sum;
    c->smooth[at][1] = sky / sum;
}

void vo_canvas_smooth(vo_canvas *c, int begin, int end) {
    for (int y = begin; y < end; y++)
        for (int x = 0; x < c->width; x++) smooth_pixel(c, x, y);
}

bool vo_canvas_borrow(const vo_canvas *c, int x, int y, const vo_seen *seen, vo_lit *out) {
    double sum = 0, key = 0, sky = 0;
    const float place[3] = {(float)seen->x.x, (float)seen->x.y, (float)seen->x.z};
    const float normal[3] = {(float)seen->normal.x, (float)seen->normal.y, (float)seen->normal.z};
    for (int j = vo_max_int(y - 1, 0); j <= vo_min_int(y + 1, c->height - 1); j++)
        for (int i = vo_max_int(x - 1, 0); i <= vo_min_int(x + 1, c->width - 1); i++) {
            size_t at = (size_t)j * (size_t)c->width + (size_t)i;
            double w = (double)kinship(&c->pixel[at], place, normal, seen->face);
            if (w <= 0)
                continue; /* where nothing is seen there is no light, not even as a number */
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
        if (kinship(p, own->x, own->normal, own->face) < 0.4f) return true;
        const vo_model_face *face = c->studio.model->face;
        if (face[p->face].paint != face[own->face].paint) return true;
    }
    return false;
}

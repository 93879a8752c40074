/* Output topology of an asset without a render mesh: the base mesh refined to max_level. The
 * numbering is documented in asset.h. */
#include "rt/asset/asset_private.h"

typedef struct refiner {
    vo_rt_cook *cook;
    int n; /* segments per base edge */
} refiner;

static int inner_count(int n) { return (n - 1) * (n - 2) / 2; }

/* Inner points of the rows 1 to j - 1, which have n - 1 - row points each, and i - 1 of row j. */
static int inner_index(int n, int i, int j) { return (j - 1) * (n - 1) - j * (j - 1) / 2 + i - 1; }

/* Output vertex at point k of the edge opposite `corner`, counted from corner + 1. */
static uint32_t edge_point(const refiner *r, int t, int corner, int k) {
    const vo_rt_base_triangle *triangle = &r->cook->triangle[t];
    int e = triangle->edge[corner], from = triangle->vertex[(corner + 1) % 3];
    if (r->cook->edge[e].vertex[0] != from) k = r->n - k;
    return (uint32_t)(r->cook->def->vertex_count + e * (r->n - 1) + k - 1);
}

/* Output vertex with the weights (n - i - j, i, j) / n in triangle t. */
static uint32_t lattice_point(const refiner *r, int t, int i, int j) {
    const vo_rt_cook *cook = r->cook;
    int n = r->n, h = n - i - j;
    if (h == n || i == n || j == n)
        return (uint32_t)cook->triangle[t].vertex[h == n ? 0 : i == n ? 1 : 2];
    if (h == 0) return edge_point(r, t, 0, j);
    if (i == 0) return edge_point(r, t, 1, h);
    if (j == 0) return edge_point(r, t, 2, i);
    return (uint32_t)(cook->def->vertex_count + cook->edge_count * (n - 1) + t * inner_count(n) +
                      inner_index(n, i, j));
}

/* Binds the output vertex to the first triangle that contains it. */
static void add_point(const refiner *r, int t, int i, int j) {
    vo_rt_cook *cook = r->cook;
    vo_rt_render_vertex *out = &cook->render_vertex[lattice_point(r, t, i, j)];
    if (out->weight[0] + out->weight[1] + out->weight[2] > 0) return;
    float scale = 1.0f / (float)r->n;
    float w[3] = {scale * (float)(r->n - i - j), scale * (float)i, scale * (float)j};
    const vo_rt_vec2 *uv = cook->uv + 3 * t;
    *out = (vo_rt_render_vertex){t, {w[0], w[1], w[2]}, 0};
    cook->render_uv[lattice_point(r, t, i, j)] =
        f2(w[0] * uv[0].x + w[1] * uv[1].x + w[2] * uv[2].x,
           w[0] * uv[0].y + w[1] * uv[1].y + w[2] * uv[2].y);
}

static uint32_t *add_triangle(uint32_t *out, uint32_t a, uint32_t b, uint32_t c) {
    out[0] = a, out[1] = b, out[2] = c;
    return out + 3;
}

static void divide_triangle(const refiner *r, int t) {
    uint32_t *out = r->cook->render_triangle + 3 * (size_t)t * (size_t)(r->n * r->n);
    for (int j = 0; j < r->n; j++) {
        for (int i = 0; i + j < r->n; i++) {
            uint32_t b = lattice_point(r, t, i + 1, j), c = lattice_point(r, t, i, j + 1);
            out = add_triangle(out, lattice_point(r, t, i, j), b, c);
            if (i + j + 1 < r->n) out = add_triangle(out, b, lattice_point(r, t, i + 1, j + 1), c);
        }
    }
}

static vo_result fail_size(const vo_rt_asset_def *def, double triangles, vo_rt_message *message) {
    return vo_rt_fail(message, VO_BAD_ARGUMENT,
                      "max_level is %d: the refined base mesh would have %g output triangles, more "
                      "than %d; lower max_level or define a render mesh",
                      def->max_level, triangles, VO_RT_MAX_RENDER_TRIANGLES);
}

vo_result vo_rt_cook_refined_base(vo_rt_cook *cook, vo_rt_message *message) {
    const vo_rt_asset_def *def = cook->def;
    refiner r = {cook, vo_rt_refined_segments(def->max_level)};
    double triangles = (double)def->triangle_count * r.n * r.n;
    if (triangles > VO_RT_MAX_RENDER_TRIANGLES) return fail_size(def, triangles, message);
    cook->render_triangle_count = (int)triangles;
    cook->render_vertex_count =
        def->vertex_count + cook->edge_count * (r.n - 1) + def->triangle_count * inner_count(r.n);
    vo_rt_scratch *scratch = &cook->scratch;
    cook->render_vertex =
        vo_rt_scratch_array(scratch, vo_rt_render_vertex, cook->render_vertex_count);
    cook->render_uv = vo_rt_scratch_array(scratch, vo_rt_vec2, cook->render_vertex_count);
    cook->render_triangle = vo_rt_scratch_array(scratch, uint32_t, 3 * cook->render_triangle_count);
    if (scratch->failed)
        return vo_rt_fail(message, VO_NO_MEMORY, "no memory for the output topology");
    for (int t = 0; t < def->triangle_count; t++) {
        for (int j = 0; j <= r.n; j++)
            for (int i = 0; i + j <= r.n; i++) add_point(&r, t, i, j);
        divide_triangle(&r, t);
    }
    return VO_OK;
}

/* Binding of a render mesh to the base mesh: nearest triangle, weights, offset along the normal. */
#include "rt/asset/asset_private.h"

enum { PROJECTION_STEPS = 8 };

typedef struct binder {
    const vo_rt_cook *cook;
    vo_rt_triangle_tree tree;
    vo_rt_vec3 *normal; /* [shape_vertex_count] unit */
} binder;

static void compute_normals(binder *b) {
    const vo_rt_cook *cook = b->cook;
    for (int t = 0; t < cook->def->triangle_count; t++) {
        const int32_t *v = cook->shape_triangles + 3 * t;
        vo_rt_vec3 n = vo_rt_triangle_normal(
            cook->shape_positions[v[0]], cook->shape_positions[v[1]], cook->shape_positions[v[2]]);
        for (int i = 0; i < 3; i++) b->normal[v[i]] = f3_add(b->normal[v[i]], n);
    }
    for (int v = 0; v < cook->shape_vertex_count; v++) b->normal[v] = f3_normalize(b->normal[v]);
}

static vo_rt_vec3 interpolate(const vo_rt_vec3 *values, const int32_t *v, const float weight[3]) {
    return f3_add_scaled(f3_add_scaled(f3_scale(weight[0], values[v[0]]), weight[1], values[v[1]]),
                         weight[2], values[v[2]]);
}

/* Sets the offset of `bound` to the distance of p from its point along the interpolated normal.
 * Returns the squared distance that remains. */
static float set_offset(const binder *b, vo_rt_vec3 p, vo_rt_render_vertex *bound,
                        vo_rt_vec3 *normal) {
    const int32_t *v = b->cook->shape_triangles + 3 * bound->triangle;
    vo_rt_vec3 d = f3_sub(p, interpolate(b->cook->shape_positions, v, bound->weight));
    *normal = f3_normalize(interpolate(b->normal, v, bound->weight));
    bound->offset = f3_dot(d, *normal);
    return f3_length2(f3_add_scaled(d, -bound->offset, *normal));
}

/* Triangle on the other side of the edge opposite a corner; the same one at a boundary. */
static int find_neighbour(const vo_rt_cook *cook, int triangle, int corner) {
    const vo_rt_base_edge *edge = &cook->edge[cook->triangle[triangle].edge[corner]];
    int other = edge->triangle[0] == triangle ? edge->triangle[1] : edge->triangle[0];
    return other >= 0 ? other : triangle;
}

/* Nearest point of the bound triangle; if that is on an edge, of the triangle across it as well. */
static void project(const binder *b, vo_rt_vec3 p, vo_rt_render_vertex *bound) {
    const vo_rt_vec3 *x = b->cook->shape_positions;
    const int32_t *v = b->cook->shape_triangles + 3 * bound->triangle;
    float nearest = vo_rt_nearest_on_triangle(p, x[v[0]], x[v[1]], x[v[2]], bound->weight);
    for (int i = 0; i < 3; i++) {
        if (bound->weight[i] > 0) continue;
        vo_rt_render_vertex other = {.triangle = find_neighbour(b->cook, bound->triangle, i)};
        v = b->cook->shape_triangles + 3 * other.triangle;
        float d = vo_rt_nearest_on_triangle(p, x[v[0]], x[v[1]], x[v[2]], other.weight);
        if (!(d < nearest)) continue;
        *bound = other;
        return;
    }
}

/* Solves position(weight) + offset normal(weight) = p by fixed-point iteration: the point is moved
 * back along the normal, then projected onto the surface. The best iterate is kept. */
static void bind_vertex(const binder *b, vo_rt_vec3 p, vo_rt_render_vertex *out) {
    vo_rt_render_vertex bound = {0};
    vo_rt_vec3 normal;
    bound.triangle = vo_rt_triangle_tree_nearest(&b->tree, p, bound.weight);
    float best = set_offset(b, p, &bound, &normal);
    *out = bound;
    for (int step = 0; step < PROJECTION_STEPS && best > 0; step++) {
        project(b, f3_add_scaled(p, -bound.offset, normal), &bound);
        float rest = set_offset(b, p, &bound, &normal);
        if (!(rest < best)) continue;
        best = rest;
        *out = bound;
    }
}

static vo_rt_vec2 interpolate_uv(const vo_rt_cook *cook, const vo_rt_render_vertex *bound) {
    const vo_rt_vec2 *uv = cook->uv + 3 * bound->triangle;
    const float *w = bound->weight;
    return f2(w[0] * uv[0].x + w[1] * uv[1].x + w[2] * uv[2].x,
              w[0] * uv[0].y + w[1] * uv[1].y + w[2] * uv[2].y);
}

vo_result vo_rt_cook_render_mesh(vo_rt_cook *cook, vo_rt_message *message) {
    const vo_rt_asset_def *def = cook->def;
    vo_rt_scratch *scratch = &cook->scratch;
    int count = cook->render_vertex_count = def->render_vertex_count;
    cook->render_triangle_count = def->render_triangle_count;
    cook->render_vertex = vo_rt_scratch_array(scratch, vo_rt_render_vertex, count);
    cook->render_uv = vo_rt_scratch_array(scratch, vo_rt_vec2, count);
    cook->render_triangle = vo_rt_scratch_array(scratch, uint32_t, 3 * def->render_triangle_count);
    binder b = {.cook = cook,
                .normal = vo_rt_scratch_array(scratch, vo_rt_vec3, cook->shape_vertex_count)};
    if (!vo_rt_triangle_tree_build(&b.tree, scratch, cook->shape_positions, cook->shape_triangles,
                                   def->triangle_count))
        return vo_rt_fail(message, VO_NO_MEMORY, "no memory for the render mesh");
    compute_normals(&b);
    for (int i = 0; i < count; i++) {
        bind_vertex(&b, def->render_positions[i], &cook->render_vertex[i]);
        cook->render_uv[i] =
            def->render_uv ? def->render_uv[i] : interpolate_uv(cook, &cook->render_vertex[i]);
    }
    for (int i = 0; i < 3 * def->render_triangle_count; i++)
        cook->render_triangle[i] = (uint32_t)def->render_triangles[i];
    return VO_OK;
}

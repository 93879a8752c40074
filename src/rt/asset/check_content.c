/* Validation of every element of a loaded asset. After it, no code of the library needs to check an
 * index or a number of an asset again. */
#include "rt/asset/asset_private.h"

#include <float.h>

static bool in_range(float x, float low, float high) { return x >= low && x <= high; }
static bool is_coordinate(float x) { return in_range(x, -VO_RT_MAX_EXTENT, VO_RT_MAX_EXTENT); }
static bool is_index(int32_t i, int count) { return i >= 0 && i < count; }

static vo_result check_positions(const vo_rt_asset *asset, vo_rt_message *message) {
    for (int v = 0; v < asset->vertex_count; v++) {
        vo_rt_vec3 p = asset->position[v];
        if (!is_coordinate(p.x) || !is_coordinate(p.y) || !is_coordinate(p.z))
            return vo_rt_fail_element(VO_RT_SECTION_POSITION, v, "is not finite or too large",
                                      message);
    }
    return VO_OK;
}

static vo_result check_triangles(const vo_rt_asset *asset, vo_rt_message *message) {
    for (int t = 0; t < asset->triangle_count; t++) {
        const vo_rt_base_triangle *triangle = &asset->triangle[t];
        const int32_t *v = triangle->vertex, *e = triangle->edge;
        for (int i = 0; i < 3; i++)
            if (!is_index(v[i], asset->vertex_count) || !is_index(e[i], asset->edge_count))
                return vo_rt_fail_element(VO_RT_SECTION_TRIANGLE, t, "has an index out of range",
                                          message);
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0] || e[0] == e[1] || e[1] == e[2] ||
            e[2] == e[0])
            return vo_rt_fail_element(VO_RT_SECTION_TRIANGLE, t, "has equal corners or edges",
                                      message);
    }
    return VO_OK;
}

/* True if the triangle has the edge opposite a corner, running from `from` to `to`. */
static bool has_edge(const vo_rt_base_triangle *t, int edge, int32_t from, int32_t to) {
    for (int i = 0; i < 3; i++)
        if (t->edge[i] == edge)
            return t->vertex[(i + 1) % 3] == from && t->vertex[(i + 2) % 3] == to;
    return false;
}

static bool is_edge_connected(const vo_rt_asset *asset, int e) {
    const vo_rt_base_edge *edge = &asset->edge[e];
    int32_t a = edge->vertex[0], b = edge->vertex[1];
    if (!is_index(a, asset->vertex_count) || !is_index(b, asset->vertex_count)) return false;
    if (!is_index(edge->triangle[0], asset->triangle_count) ||
        !has_edge(&asset->triangle[edge->triangle[0]], e, a, b))
        return false;
    if (edge->triangle[1] == -1) return true;
    return is_index(edge->triangle[1], asset->triangle_count) &&
           edge->triangle[1] != edge->triangle[0] &&
           has_edge(&asset->triangle[edge->triangle[1]], e, b, a);
}

static bool are_edge_numbers_valid(const vo_rt_base_edge *edge) {
    for (int i = 0; i < 4; i++)
        if (!is_coordinate(edge->coordinate[i / 2][i % 2].x) ||
            !is_coordinate(edge->coordinate[i / 2][i % 2].y))
            return false;
    if (edge->control != 0 && (edge->control != 1 || edge->triangle[1] < 0)) return false;
    return in_range(edge->rest_angle, -3.1415929f, 3.1415929f);
}

static vo_result check_edges(const vo_rt_asset *asset, vo_rt_message *message) {
    int sides = 0;
    for (int e = 0; e < asset->edge_count; e++) {
        if (!is_edge_connected(asset, e))
            return vo_rt_fail_element(VO_RT_SECTION_EDGE, e,
                                      "does not match its vertices or triangles", message);
        if (!are_edge_numbers_valid(&asset->edge[e]))
            return vo_rt_fail_element(VO_RT_SECTION_EDGE, e, "has a number out of range", message);
        sides += asset->edge[e].triangle[1] < 0 ? 1 : 2;
    }
    if (sides == 3 * asset->triangle_count) return VO_OK;
    return vo_rt_fail_element(VO_RT_SECTION_TRIANGLE, 0,
                              "or another one has edges of other triangles", message);
}

/* The material coordinates of a triangle's three edges agree and span a positive area. */
static vo_result check_rest_shape(const vo_rt_asset *asset, vo_rt_message *message) {
    for (int t = 0; t < asset->triangle_count; t++) {
        const vo_rt_base_triangle *triangle = &asset->triangle[t];
        vo_rt_vec2 p[3];
        vo_rt_corner_coordinates(asset, t, p);
        for (int i = 0; i < 3; i++) { /* end of each edge, start of the next one */
            const vo_rt_base_edge *edge = &asset->edge[triangle->edge[i]];
            int side = edge->vertex[0] == triangle->vertex[(i + 1) % 3] ? 0 : 1;
            vo_rt_vec2 end = edge->coordinate[side][1 - side];
            if (end.x != p[(i + 2) % 3].x || end.y != p[(i + 2) % 3].y)
                return vo_rt_fail_element(VO_RT_SECTION_TRIANGLE, t,
                                          "has edges whose material coordinates do not agree",
                                          message);
        }
        if (vo_rt_is_degenerate(p) || f2_cross(f2_sub(p[1], p[0]), f2_sub(p[2], p[0])) <= 0)
            return vo_rt_fail_element(VO_RT_SECTION_TRIANGLE, t,
                                      "has almost no area or is mirrored", message);
    }
    return VO_OK;
}

static bool is_map_valid(const vo_rt_vertex_maps *m) {
    return in_range(m->attachment, 0, 1) &&
           (in_range(m->max_distance, 0, VO_RT_MAX_EXTENT) || m->max_distance == FLT_MAX) &&
           (is_coordinate(m->backstop) || m->backstop == -FLT_MAX) &&
           in_range(m->backstop_radius, 0, VO_RT_MAX_EXTENT);
}

static vo_result check_maps(const vo_rt_asset *asset, vo_rt_message *message) {
    for (int v = 0; v < asset->vertex_count; v++) {
        if (!is_map_valid(&asset->maps[v]))
            return vo_rt_fail_element(VO_RT_SECTION_MAPS, v, "has a value out of range", message);
        if (!in_range(asset->stiffness_factor[v], 0, 1e6f))
            return vo_rt_fail_element(VO_RT_SECTION_STIFFNESS, v, "is out of range", message);
    }
    return VO_OK;
}

/* Sorted by vertex, from a free vertex to an attached one. */
static vo_result check_tethers(const vo_rt_asset *asset, vo_rt_message *message) {
    for (int i = 0, last = 0; i < asset->tether_count; i++) {
        const vo_rt_tether *t = &asset->tether[i];
        if (!is_index(t->vertex, asset->vertex_count) ||
            !is_index(t->anchor, asset->vertex_count) || t->vertex < last ||
            (i >= VO_RT_MAX_TETHERS && asset->tether[i - VO_RT_MAX_TETHERS].vertex == t->vertex))
            return vo_rt_fail_element(VO_RT_SECTION_TETHER, i, "has an invalid vertex", message);
        if (asset->maps[t->anchor].attachment < 1 || asset->maps[t->vertex].attachment >= 1)
            return vo_rt_fail_element(VO_RT_SECTION_TETHER, i,
                                      "does not run from a free to an attached vertex", message);
        if (!in_range(t->length, FLT_MIN, FLT_MAX))
            return vo_rt_fail_element(VO_RT_SECTION_TETHER, i, "has an invalid length", message);
        last = t->vertex;
    }
    return VO_OK;
}

static vo_result check_links(const vo_rt_asset *asset, vo_rt_message *message) {
    for (int i = 0; i < asset->link_count; i++) {
        const vo_rt_link *l = &asset->link[i];
        if (!is_index(l->a, asset->vertex_count) || !is_index(l->b, asset->vertex_count) ||
            l->a >= l->b)
            return vo_rt_fail_element(VO_RT_SECTION_LINK, i, "has an invalid vertex", message);
    }
    return VO_OK;
}

static vo_result check_skin(const vo_rt_asset *asset, vo_rt_message *message) {
    int count = asset->bone_count > 0 ? asset->vertex_count : 0;
    for (int v = 0; v < count; v++) {
        float sum = 0;
        for (int i = VO_RT_BONES_PER_VERTEX * v; i < VO_RT_BONES_PER_VERTEX * (v + 1); i++) {
            if (asset->skin_bone[i] >= asset->bone_count)
                return vo_rt_fail_element(VO_RT_SECTION_SKIN_BONE, i, "is out of range", message);
            if (!in_range(asset->skin_weight[i], 0, 1.001f))
                return vo_rt_fail_element(VO_RT_SECTION_SKIN_WEIGHT, i, "is out of range", message);
            sum += asset->skin_weight[i];
        }
        if (!in_range(sum, 0.999f, 1.001f))
            return vo_rt_fail_element(VO_RT_SECTION_SKIN_WEIGHT, VO_RT_BONES_PER_VERTEX * v,
                                      "begins a vertex whose weights do not sum to 1", message);
    }
    return VO_OK;
}

static bool is_output_vertex_valid(const vo_rt_asset *asset, const vo_rt_render_vertex *r) {
    const float *w = r->weight, slack = 1e-3f;
    return is_index(r->triangle, asset->triangle_count) && in_range(w[0], -slack, 1 + slack) &&
           in_range(w[1], -slack, 1 + slack) && in_range(w[2], -slack, 1 + slack) &&
           in_range(w[0] + w[1] + w[2], 1 - slack, 1 + slack) &&
           in_range(r->offset, -4 * VO_RT_MAX_EXTENT, 4 * VO_RT_MAX_EXTENT);
}

static vo_result check_output(const vo_rt_asset *asset, vo_rt_message *message) {
    for (int i = 0; i < asset->render_vertex_count; i++) {
        if (!is_output_vertex_valid(asset, &asset->render_vertex[i]))
            return vo_rt_fail_element(VO_RT_SECTION_RENDER_VERTEX, i, "is out of range", message);
        vo_rt_vec2 uv = asset->render_uv[i];
        if (!in_range(uv.x, -2 * VO_RT_MAX_EXTENT, 2 * VO_RT_MAX_EXTENT) ||
            !in_range(uv.y, -2 * VO_RT_MAX_EXTENT, 2 * VO_RT_MAX_EXTENT))
            return vo_rt_fail_element(VO_RT_SECTION_RENDER_UV, i, "is out of range", message);
    }
    for (int i = 0; i < 3 * asset->render_triangle_count; i++)
        if (asset->render_triangle[i] >= (uint32_t)asset->render_vertex_count)
            return vo_rt_fail_element(VO_RT_SECTION_RENDER_TRIANGLE, i, "is out of range", message);
    if (!asset->output_is_refined_base) return VO_OK;
    int64_t n = vo_rt_refined_segments(asset->max_level);
    if (asset->render_triangle_count == asset->triangle_count * n * n &&
        asset->render_vertex_count == asset->vertex_count + asset->edge_count * (n - 1) +
                                          asset->triangle_count * ((n - 1) * (n - 2) / 2))
        return VO_OK;
    return vo_rt_fail_element(VO_RT_SECTION_INFO, 0, "describes another output topology", message);
}

static vo_result check_fine(const vo_rt_asset *asset, vo_rt_message *message) {
    int count = vo_rt_fine_points(asset->max_level);
    for (int t = 0; asset->fine && t < asset->triangle_count; t++) {
        vo_rt_vec2 corner[3];
        vo_rt_corner_coordinates(asset, t, corner);
        int invalid = vo_rt_find_invalid_fine(asset->fine + (size_t)t * (size_t)count, corner,
                                              asset->max_level);
        if (invalid == count)
            return vo_rt_fail_element(
                VO_RT_SECTION_FINE, t * count,
                "begins a triangle with parts that have almost no area or are "
                "mirrored",
                message);
        if (invalid >= 0)
            return vo_rt_fail_element(VO_RT_SECTION_FINE, t * count + invalid, "is out of range",
                                      message);
    }
    return VO_OK;
}

/* A palette has at most one colour per triangle of its levels. */
static vo_result check_colours(const vo_rt_asset *asset, vo_rt_message *message) {
    for (int i = 0; i < asset->colour_count; i++)
        if (asset->colour[i] >= VO_RT_MAX_COLOURS || asset->colour[i] >= asset->colour_count)
            return vo_rt_fail_element(VO_RT_SECTION_COLOUR, i, "is out of range", message);
    return VO_OK;
}

/* Every vertex belongs to a triangle, so that its mass is positive. */
static vo_result check_vertices_used(const vo_rt_asset *asset, vo_rt_message *message) {
    vo_rt_scratch scratch = {.allocator = &asset->allocator};
    uint8_t *used = vo_rt_scratch_array(&scratch, uint8_t, asset->vertex_count);
    if (!used) return vo_rt_fail(message, VO_NO_MEMORY, "no memory for checking the asset");
    for (int i = 0; i < 3 * asset->triangle_count; i++)
        used[asset->triangle[i / 3].vertex[i % 3]] = 1;
    int v = 0;
    while (v < asset->vertex_count && used[v]) v++;
    vo_rt_scratch_free(&scratch);
    if (v == asset->vertex_count) return VO_OK;
    return vo_rt_fail_element(VO_RT_SECTION_POSITION, v, "belongs to no triangle", message);
}

vo_result vo_rt_check_content(const vo_rt_asset *asset, vo_rt_message *message) {
    vo_result result = check_positions(asset, message);
    if (result == VO_OK) result = check_triangles(asset, message);
    if (result == VO_OK) result = check_vertices_used(asset, message);
    if (result == VO_OK) result = check_edges(asset, message);
    if (result == VO_OK) result = check_rest_shape(asset, message);
    if (result == VO_OK) result = check_maps(asset, message);
    if (result == VO_OK) result = check_tethers(asset, message);
    if (result == VO_OK) result = check_links(asset, message);
    if (result == VO_OK) result = check_skin(asset, message);
    if (result == VO_OK) result = check_output(asset, message);
    if (result == VO_OK) result = check_colours(asset, message);
    if (result == VO_OK) result = check_fine(asset, message);
    if (result == VO_OK) result = vo_rt_check_detail(asset, message);
    return result;
}

/* Validation of a definition: counts, pointers, indices, finite numbers, ranges. Connectivity is
 * checked where edges are built, degenerate triangles where rest coordinates are. */
#include "rt/asset/asset_private.h"

#include <float.h>

static bool in_range(float x, float low, float high) { return x >= low && x <= high; }

static vo_result check_number(const char *where, const char *name, float value, float low,
                              float high, vo_result code, vo_rt_message *message) {
    if (in_range(value, low, high)) return VO_OK;
    return vo_rt_fail(message, code, "%s%s is %g; set it to %g to %g", where, name, (double)value,
                      (double)low, (double)high);
}

vo_result vo_rt_check_fabric(const vo_rt_fabric *fabric, vo_result code, const char *where,
                             vo_rt_message *message) {
    const struct {
        const char *name;
        float value, low, high;
    } rows[] = {
        {"density", fabric->density, 1e-4f, 1e3f},
        {"stretch_compliance", fabric->stretch_compliance, 0, 1e6f},
        {"bend_stiffness", fabric->bend_stiffness, 0, 1e6f},
        {"damping", fabric->damping, 0, 1e6f},
        {"friction", fabric->friction, 0, 1e3f},
        {"thickness", fabric->thickness, 0, 1},
        {"drag", fabric->drag, 0, 1e3f},
        {"lift", fabric->lift, 0, 1e3f},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vo_result result = check_number(where, rows[i].name, rows[i].value, rows[i].low,
                                        rows[i].high, code, message);
        if (result != VO_OK) return result;
    }
    return VO_OK;
}

static vo_result check_count(const char *name, int count, int low, int high,
                             vo_rt_message *message) {
    if (count >= low && count <= high) return VO_OK;
    return vo_rt_fail(message, VO_BAD_ARGUMENT, "%s is %d; set it to %d to %d", name, count, low,
                      high);
}

static vo_result check_present(const char *name, const void *array, vo_rt_message *message) {
    if (array) return VO_OK;
    return vo_rt_fail(message, VO_BAD_ARGUMENT, "%s is NULL; set it to an array", name);
}

vo_result vo_rt_check_positions(const char *name, const vo_rt_vec3 *p, int count,
                                vo_rt_message *message) {
    for (int i = 0; i < count; i++) {
        const float m = VO_RT_MAX_EXTENT;
        if (in_range(p[i].x, -m, m) && in_range(p[i].y, -m, m) && in_range(p[i].z, -m, m)) continue;
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "%s[%d] is (%g, %g, %g); coordinates must be finite numbers of metres, "
                          "at most %g",
                          name, i, (double)p[i].x, (double)p[i].y, (double)p[i].z, (double)m);
    }
    return VO_OK;
}

static vo_result check_coordinates(const char *name, const vo_rt_vec2 *p, int count,
                                   vo_rt_message *message) {
    for (int i = 0; p && i < count; i++) {
        const float m = VO_RT_MAX_EXTENT;
        if (in_range(p[i].x, -m, m) && in_range(p[i].y, -m, m)) continue;
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "%s[%d] is (%g, %g); coordinates must be finite, at most %g", name, i,
                          (double)p[i].x, (double)p[i].y, (double)m);
    }
    return VO_OK;
}

static vo_result check_indices(const char *name, const int32_t *index, int count, int vertex_count,
                               vo_rt_message *message) {
    for (int i = 0; i < count; i++)
        if (index[i] < 0 || index[i] >= vertex_count)
            return vo_rt_fail(message, VO_BAD_ARGUMENT,
                              "%s[%d] is %d; vertex indices are 0 to %d, three per triangle", name,
                              i, (int)index[i], vertex_count - 1);
    return VO_OK;
}

static vo_result check_corners(const vo_rt_asset_def *def, vo_rt_message *message) {
    for (int t = 0; t < def->triangle_count; t++) {
        const int32_t *v = def->triangles + 3 * t;
        if (v[0] != v[1] && v[1] != v[2] && v[2] != v[0]) continue;
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "triangles[%d]: triangle %d has the vertices %d %d %d, two of which are "
                          "equal; remove it",
                          3 * t, t, (int)v[0], (int)v[1], (int)v[2]);
    }
    return VO_OK;
}

/* A painted map in [low, high]; `none` is allowed as well. */
static vo_result check_map(const char *name, const float *map, int count, float low, float high,
                           float none, vo_rt_message *message) {
    for (int i = 0; map && i < count; i++)
        if (!in_range(map[i], low, high) && map[i] != none)
            return vo_rt_fail(message, VO_BAD_ARGUMENT, "%s[%d] is %g; set it to %g to %g%s", name,
                              i, (double)map[i], (double)low, (double)high,
                              none == low       ? ""
                              : none == FLT_MAX ? ", or FLT_MAX for no limit"
                                                : ", or -FLT_MAX for no backstop");
    return VO_OK;
}

static vo_result check_maps(const vo_rt_asset_def *def, vo_rt_message *message) {
    const float extent = VO_RT_MAX_EXTENT;
    const struct {
        const char *name;
        const float *map;
        float low, high, none;
    } rows[] = {
        {"attachment", def->attachment, 0, 1, 0},
        {"max_distance", def->max_distance, 0, extent, FLT_MAX},
        {"backstop", def->backstop, -extent, extent, -FLT_MAX},
        {"backstop_radius", def->backstop_radius, 0, extent, 0},
        {"stiffness_factor", def->stiffness_factor, 0, 1e6f, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vo_result result = check_map(rows[i].name, rows[i].map, def->vertex_count, rows[i].low,
                                     rows[i].high, rows[i].none, message);
        if (result != VO_OK) return result;
    }
    return VO_OK;
}

static vo_result check_skin_vertex(const vo_rt_asset_def *def, int vertex, vo_rt_message *message) {
    float sum = 0;
    for (int i = VO_RT_BONES_PER_VERTEX * vertex; i < VO_RT_BONES_PER_VERTEX * (vertex + 1); i++) {
        if (def->skin_bones[i] >= def->bone_count)
            return vo_rt_fail(message, VO_BAD_ARGUMENT, "skin_bones[%d] is %d; bones are 0 to %d",
                              i, (int)def->skin_bones[i], def->bone_count - 1);
        if (!in_range(def->skin_weights[i], 0, 1.001f))
            return vo_rt_fail(message, VO_BAD_ARGUMENT, "skin_weights[%d] is %g; set it to 0 to 1",
                              i, (double)def->skin_weights[i]);
        sum += def->skin_weights[i];
    }
    if (in_range(sum, 0.999f, 1.001f)) return VO_OK;
    return vo_rt_fail(message, VO_BAD_ARGUMENT,
                      "skin_weights[%d]: the weights of vertex %d sum to %g; normalise them to 1",
                      VO_RT_BONES_PER_VERTEX * vertex, vertex, (double)sum);
}

static vo_result check_skin(const vo_rt_asset_def *def, vo_rt_message *message) {
    vo_result result = check_count("bone_count", def->bone_count, 0, VO_RT_MAX_BONES, message);
    if (result != VO_OK) return result;
    if (def->bone_count == 0) {
        if (!def->skin_bones && !def->skin_weights) return VO_OK;
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "bone_count is 0, but skin_bones or skin_weights are given; set the "
                          "number of bones");
    }
    result = check_present("skin_bones", def->skin_bones, message);
    if (result == VO_OK) result = check_present("skin_weights", def->skin_weights, message);
    for (int v = 0; v < def->vertex_count && result == VO_OK; v++)
        result = check_skin_vertex(def, v, message);
    return result;
}

static vo_result check_render_mesh(const vo_rt_asset_def *def, vo_rt_message *message) {
    vo_result result = check_count("render_vertex_count", def->render_vertex_count, 0,
                                   VO_RT_MAX_RENDER_VERTICES, message);
    if (result == VO_OK)
        result = check_count("render_triangle_count", def->render_triangle_count, 0,
                             VO_RT_MAX_RENDER_TRIANGLES, message);
    if (result != VO_OK) return result;
    if (def->render_vertex_count == 0) {
        if (def->render_triangle_count == 0) return VO_OK;
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "render_vertex_count is 0, but render_triangle_count is %d; set the "
                          "number of vertices",
                          def->render_triangle_count);
    }
    result = check_present("render_positions", def->render_positions, message);
    if (result == VO_OK && def->render_triangle_count > 0)
        result = check_present("render_triangles", def->render_triangles, message);
    if (result == VO_OK)
        result = vo_rt_check_positions("render_positions", def->render_positions,
                                       def->render_vertex_count, message);
    if (result == VO_OK)
        result = check_indices("render_triangles", def->render_triangles,
                               3 * def->render_triangle_count, def->render_vertex_count, message);
    if (result == VO_OK)
        result = check_coordinates("render_uv", def->render_uv, def->render_vertex_count, message);
    return result;
}

static vo_result check_base_mesh(const vo_rt_asset_def *def, vo_rt_message *message) {
    vo_result result =
        check_count("vertex_count", def->vertex_count, 3, VO_RT_MAX_BASE_VERTICES, message);
    if (result == VO_OK)
        result = check_count("triangle_count", def->triangle_count, 1, VO_RT_MAX_BASE_TRIANGLES,
                             message);
    if (result == VO_OK) result = check_present("positions", def->positions, message);
    if (result == VO_OK) result = check_present("triangles", def->triangles, message);
    if (result == VO_OK)
        result = vo_rt_check_positions("positions", def->positions, def->vertex_count, message);
    if (result == VO_OK)
        result = check_indices("triangles", def->triangles, 3 * def->triangle_count,
                               def->vertex_count, message);
    if (result == VO_OK) result = check_corners(def, message);
    if (result == VO_OK)
        result =
            check_coordinates("coordinates", def->coordinates, 3 * def->triangle_count, message);
    return result;
}

/* Values are checked where the points are copied. */
static vo_result check_fine(const vo_rt_asset_def *def, vo_rt_message *message) {
    if (!def->fine_positions && !def->fine_coordinates) return VO_OK;
    vo_result result = check_present("coordinates", def->coordinates, message);
    if (result == VO_OK) result = check_present("fine_positions", def->fine_positions, message);
    if (result == VO_OK) result = check_present("fine_coordinates", def->fine_coordinates, message);
    double points = (double)def->triangle_count * vo_rt_fine_points(def->max_level);
    if (result != VO_OK || points <= VO_RT_MAX_FINE_POINTS) return result;
    return vo_rt_fail(message, VO_BAD_ARGUMENT,
                      "max_level is %d: the finer levels have %g points, more than %d; lower "
                      "max_level or omit them",
                      def->max_level, points, VO_RT_MAX_FINE_POINTS);
}

vo_result vo_rt_check_def(const vo_rt_asset_def *def, vo_rt_message *message) {
    vo_result result = check_base_mesh(def, message);
    if (result == VO_OK)
        result = check_count("max_level", def->max_level, 0, VO_RT_MAX_LEVEL, message);
    if (result == VO_OK)
        result = vo_rt_check_fabric(&def->fabric, VO_BAD_ARGUMENT, "fabric.", message);
    if (result == VO_OK) result = check_maps(def, message);
    if (result == VO_OK)
        result = check_number("", "tether_scale", def->tether_scale, 0.01f, 100, VO_BAD_ARGUMENT,
                              message);
    if (result == VO_OK) result = check_fine(def, message);
    if (result == VO_OK) result = check_skin(def, message);
    if (result == VO_OK) result = check_render_mesh(def, message);
    return result;
}

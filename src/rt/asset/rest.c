/* Rest shape: material coordinates and rest angles. */
#include "rt/asset/asset_private.h"

static vo_rt_vec3 shape_corner(const vo_rt_cook *cook, int triangle, int corner) {
    return cook->shape_positions[cook->shape_triangles[3 * triangle + corner]];
}

/* Flattens a triangle of the shape: corner 0 at the origin, corner 1 on the x axis. */
static void flatten(const vo_rt_cook *cook, int t, vo_rt_vec2 out[3]) {
    vo_rt_vec3 a = shape_corner(cook, t, 0);
    vo_rt_vec3 u = f3_sub(shape_corner(cook, t, 1), a), v = f3_sub(shape_corner(cook, t, 2), a);
    float length = f3_length(u);
    vo_rt_vec3 axis = f3_normalize(u);
    out[0] = f2(0, 0);
    out[1] = f2(length, 0);
    out[2] = f2(f3_dot(v, axis), f3_length(f3_cross(axis, v)));
}

/* Twice the signed area, and the length of the longest edge. */
static double measure(const vo_rt_vec2 p[3], double *longest) {
    double ux = (double)p[1].x - p[0].x, uy = (double)p[1].y - p[0].y;
    double vx = (double)p[2].x - p[0].x, vy = (double)p[2].y - p[0].y;
    double wx = vx - ux, wy = vy - uy;
    double u = ux * ux + uy * uy, v = vx * vx + vy * vy, w = wx * wx + wy * wy;
    *longest = sqrt(u > v ? (u > w ? u : w) : (v > w ? v : w));
    return ux * vy - uy * vx;
}

bool vo_rt_is_degenerate(const vo_rt_vec2 p[3]) {
    double longest, area = fabs(measure(p, &longest));
    return !(longest >= VO_RT_MIN_TRIANGLE_SIZE &&
             area >= VO_RT_MIN_TRIANGLE_HEIGHT * longest * longest);
}

static vo_result fail_degenerate(const vo_rt_cook *cook, int t, vo_rt_message *message) {
    const int32_t *v = cook->shape_triangles + 3 * t;
    return vo_rt_fail(message, VO_BAD_ARGUMENT,
                      "%s[%d]: triangle %d with the vertices %d %d %d has almost no area; move or "
                      "merge its corners, or remove it",
                      cook->def->coordinates ? "coordinates" : "triangles", 3 * t, t, (int)v[0],
                      (int)v[1], (int)v[2]);
}

vo_result vo_rt_cook_coordinates(vo_rt_cook *cook, vo_rt_message *message) {
    int count = cook->def->triangle_count;
    cook->uv = vo_rt_scratch_array(&cook->scratch, vo_rt_vec2, 3 * count);
    cook->coordinates = vo_rt_scratch_array(&cook->scratch, vo_rt_vec2, 3 * count);
    if (cook->scratch.failed) return vo_rt_fail(message, VO_NO_MEMORY, "no memory for coordinates");
    for (int t = 0; t < count; t++) {
        vo_rt_vec2 *uv = cook->uv + 3 * t;
        if (!cook->def->coordinates) flatten(cook, t, uv);
        for (int i = 0; i < 3 && cook->def->coordinates; i++)
            uv[i] = cook->def->coordinates[3 * t + i];
        if (vo_rt_is_degenerate(uv)) return fail_degenerate(cook, t, message);
        double longest;
        float mirror = measure(uv, &longest) < 0 ? -1.0f : 1.0f;
        for (int i = 0; i < 3; i++) cook->coordinates[3 * t + i] = f2(mirror * uv[i].x, uv[i].y);
    }
    return VO_OK;
}

/* Corner of a triangle of the base mesh at a vertex. */
static int find_corner(const vo_rt_base_triangle *triangle, int vertex) {
    return triangle->vertex[0] == vertex ? 0 : triangle->vertex[1] == vertex ? 1 : 2;
}

/* Bend angle of an edge in the shape; 0 where the two sides are apart, as are pieces that a seam
 * joins later. */
static float shape_angle(const vo_rt_cook *cook, const vo_rt_base_edge *edge) {
    vo_rt_vec3 end[2][2], normal[2];
    for (int side = 0; side < 2; side++) {
        int t = edge->triangle[side];
        for (int k = 0; k < 2; k++)
            end[side][k] = shape_corner(cook, t, find_corner(&cook->triangle[t], edge->vertex[k]));
        normal[side] = vo_rt_triangle_normal(shape_corner(cook, t, 0), shape_corner(cook, t, 1),
                                             shape_corner(cook, t, 2));
    }
    vo_rt_vec3 direction = f3_sub(end[0][1], end[0][0]);
    float tolerance = 0.01f * f3_length(direction);
    for (int k = 0; k < 2; k++)
        if (f3_distance(end[0][k], end[1][k]) > tolerance) return 0;
    vo_rt_vec3 a = f3_normalize(normal[0]), b = f3_normalize(normal[1]);
    return atan2f(f3_dot(f3_cross(b, a), f3_normalize(direction)), f3_dot(a, b));
}

void vo_rt_cook_rest_angles(vo_rt_cook *cook) {
    if (cook->def->coordinates) return; /* patterns are flat */
    for (int e = 0; e < cook->edge_count; e++)
        if (cook->edge[e].triangle[1] >= 0)
            cook->edge[e].rest_angle = shape_angle(cook, &cook->edge[e]);
}

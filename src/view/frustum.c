#include "view/frustum.h"

enum { PLANES = 6, EDGES = 12 };
/* Corners of a clipped triangle: 9, with reserve for slivers that rounding makes concave. */
enum { MAX_CORNERS = 16 };

vo_frustum vo_frustum_make(const vo_camera *camera) {
    vo_frustum f = {.position = camera->position,
                    .right = camera->right,
                    .up = camera->up,
                    .forward = camera->forward,
                    .tan_x = vo_clamp(camera->tan_x, 1e-6, 1e6),
                    .tan_y = vo_clamp(camera->tan_y, 1e-6, 1e6),
                    .z_near = vo_clamp(camera->z_near, 0, VO_FRUSTUM_MAX_DEPTH)};
    f.z_far = vo_clamp(camera->z_far, f.z_near, VO_FRUSTUM_MAX_DEPTH);
    f.side_x = 1 / sqrt(1 + f.tan_x * f.tan_x);
    f.side_y = 1 / sqrt(1 + f.tan_y * f.tan_y);
    f.inverse_slant2 = 1 / (1 + f.tan_x * f.tan_x + f.tan_y * f.tan_y);
    for (int i = 0; i < 8; i++) {
        double z = i & 4 ? f.z_far : f.z_near;
        f.corner[i] = v3(i & 1 ? f.tan_x * z : -f.tan_x * z, i & 2 ? f.tan_y * z : -f.tan_y * z, z);
    }
    return f;
}

/* Returns the depth of the closest point to (x, y, z), x and y not negative (frustum.h). */
static double nearest_depth(const vo_frustum *f, double x, double y, double z) {
    double tx = f->tan_x, ty = f->tan_y;
    double depth = (z + tx * x + ty * y) * f->inverse_slant2;
    if (tx * depth > x || ty * depth > y) { /* a side plane limits the depth */
        if (x * ty > y * tx) {
            depth = (z + tx * x) * f->side_x * f->side_x;
            if (tx * depth > x) depth = z;
        } else {
            depth = (z + ty * y) * f->side_y * f->side_y;
            if (ty * depth > y) depth = z;
        }
    }
    return vo_clamp(depth, f->z_near, f->z_far);
}

vo_vec3 vo_frustum_closest_point(const vo_frustum *f, vo_vec3 p) {
    double x = fabs(p.x), y = fabs(p.y), z = nearest_depth(f, x, y, p.z);
    return v3(copysign(vo_min(x, f->tan_x * z), p.x), copysign(vo_min(y, f->tan_y * z), p.y), z);
}

bool vo_frustum_contains_ball(const vo_frustum *f, vo_vec3 centre, double radius) {
    return (f->tan_x * centre.z - fabs(centre.x)) * f->side_x >= radius &&
           (f->tan_y * centre.z - fabs(centre.y)) * f->side_y >= radius &&
           centre.z - radius >= f->z_near && centre.z + radius <= f->z_far;
}

/* ---- a triangle ----------------------------------------------------------------------------- */

/* Signed distances of a point from the six planes, positive outside. */
static void plane_distances(const vo_frustum *f, vo_vec3 p, double out[PLANES]) {
    double wide = f->tan_x * p.z, high = f->tan_y * p.z;
    out[0] = (p.x - wide) * f->side_x;
    out[1] = (-p.x - wide) * f->side_x;
    out[2] = (p.y - high) * f->side_y;
    out[3] = (-p.y - high) * f->side_y;
    out[4] = f->z_near - p.z;
    out[5] = p.z - f->z_far;
}

static double largest(const double d[PLANES]) {
    double result = d[0];
    for (int i = 1; i < PLANES; i++) result = vo_max(result, d[i]);
    return result;
}

/* Clips a convex polygon by one plane (Sutherland and Hodgman 1974). */
static int clip(const vo_frustum *f, int plane, int count, const vo_vec3 *from, vo_vec3 *to) {
    int kept = 0;
    for (int i = 0; i < count && kept + 2 <= MAX_CORNERS; i++) {
        vo_vec3 a = from[i], b = from[(i + 1) % count];
        double da[PLANES], db[PLANES];
        plane_distances(f, a, da);
        plane_distances(f, b, db);
        if (da[plane] <= 0) to[kept++] = a;
        if ((da[plane] <= 0) != (db[plane] <= 0))
            to[kept++] = v3_lerp(a, b, da[plane] / (da[plane] - db[plane]));
    }
    return kept;
}

/* Returns true if a part of the triangle is inside. */
static bool intersects_triangle(const vo_frustum *f, const vo_vec3 p[3]) {
    vo_vec3 polygon[2][MAX_CORNERS] = {{p[0], p[1], p[2]}};
    int count = 3;
    for (int i = 0; i < PLANES && count > 0; i++)
        count = clip(f, i, count, polygon[i % 2], polygon[(i + 1) % 2]);
    return count > 0;
}

/* Squared distance between the segments a0 a1 and b0 b1. */
static double segment_distance2(vo_vec3 a0, vo_vec3 a1, vo_vec3 b0, vo_vec3 b1) {
    vo_vec3 a = v3_sub(a1, a0), b = v3_sub(b1, b0), r = v3_sub(a0, b0);
    double aa = v3_dot(a, a), bb = v3_dot(b, b), ab = v3_dot(a, b);
    double ar = v3_dot(a, r), br = v3_dot(b, r);
    double det = aa * bb - ab * ab;
    /* parallel lines: any point of the first will do */
    double s = det > 1e-14 * aa * bb ? vo_clamp((ab * br - bb * ar) / det, 0, 1) : 0;
    double t = bb > 0 ? vo_clamp((ab * s + br) / bb, 0, 1) : 0;
    s = aa > 0 ? vo_clamp((ab * t - ar) / aa, 0, 1) : 0;
    vo_vec3 d = v3_add_scaled(v3_add_scaled(r, s, a), -t, b);
    return v3_dot(d, d);
}

/* Squared distance of a point from a triangle's plane if its projection is inside the triangle,
 * else infinite. */
static double interior_distance2(const vo_vec3 p[3], vo_vec3 normal, vo_vec3 from) {
    double length2 = v3_dot(normal, normal);
    for (int i = 0; i < 3; i++) {
        vo_vec3 edge = v3_sub(p[(i + 1) % 3], p[i]);
        if (!(v3_dot(v3_cross(normal, edge), v3_sub(from, p[i])) >= 0)) return INFINITY;
    }
    double height = v3_dot(normal, v3_sub(from, p[0]));
    return length2 > 0 ? height * height / length2 : INFINITY;
}

/* End points of a frustum edge: four edges per bit of the corner index. */
static void edge_ends(const vo_frustum *f, int edge, vo_vec3 end[2]) {
    int axis = edge / 4, bit = 1 << axis, rest = edge % 4;
    int low = (rest & (bit - 1)) | ((rest & ~(bit - 1)) << 1);
    end[0] = f->corner[low];
    end[1] = f->corner[low | bit];
}

/* Squared distance over all feature pairs except triangle corners, for a triangle outside. */
static double feature_distance2(const vo_frustum *f, const vo_vec3 p[3]) {
    vo_vec3 normal = v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0])), end[2];
    double min_distance2 = INFINITY;
    for (int i = 0; i < 8; i++)
        min_distance2 = vo_min(min_distance2, interior_distance2(p, normal, f->corner[i]));
    for (int e = 0; e < EDGES; e++) {
        edge_ends(f, e, end);
        for (int i = 0; i < 3; i++)
            min_distance2 =
                vo_min(min_distance2, segment_distance2(p[i], p[(i + 1) % 3], end[0], end[1]));
    }
    return min_distance2;
}

/* Distance of a triangle outside the frustum. */
static double outside_distance(const vo_frustum *f, const vo_vec3 p[3]) {
    vo_vec3 offset = {0};
    double min_distance2 = INFINITY;
    int nearest = 0;
    for (int i = 0; i < 3; i++) {
        vo_vec3 d = v3_sub(p[i], vo_frustum_closest_point(f, p[i]));
        double length2 = v3_dot(d, d);
        if (length2 < min_distance2) min_distance2 = length2, offset = d, nearest = i;
    }
    double length = sqrt(min_distance2), beyond = 0;
    for (int i = 0; i < 3; i++) beyond = vo_min(beyond, v3_dot(offset, v3_sub(p[i], p[nearest])));
    if (beyond >= -VO_FRUSTUM_TOLERANCE * length) return length;
    return sqrt(vo_min(min_distance2, feature_distance2(f, p)));
}

double vo_frustum_triangle_distance(const vo_frustum *f, const vo_vec3 p[3], double max_distance) {
    double d[3][PLANES], separation = -INFINITY;
    bool inside = false;
    for (int i = 0; i < 3; i++) {
        plane_distances(f, p[i], d[i]);
        inside = inside || largest(d[i]) <= 0;
    }
    if (inside) return 0;
    for (int k = 0; k < PLANES; k++)
        separation = vo_max(separation, vo_min(vo_min(d[0][k], d[1][k]), d[2][k]));
    if (separation >= max_distance) return separation;
    if (separation <= 0 && intersects_triangle(f, p)) return 0;
    return outside_distance(f, p);
}

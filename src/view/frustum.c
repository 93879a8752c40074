#include "view/frustum.h"

enum { PLANES = 6, EDGES = 12 };
/* Corners of a clipped triangle: 9, and some more where rounding makes a sliver wavy. */
enum { MOST_CORNERS = 16 };

vo_frustum vo_frustum_make(const vo_camera *camera) {
    vo_frustum f = {.eye = camera->position,
                    .right = camera->right,
                    .up = camera->up,
                    .forward = camera->forward,
                    .tan_x = vo_clamp(camera->tan_x, 1e-6, 1e6),
                    .tan_y = vo_clamp(camera->tan_y, 1e-6, 1e6),
                    .near = vo_clamp(camera->near, 0, VO_FRUSTUM_FARTHEST)};
    f.far = vo_clamp(camera->far, f.near, VO_FRUSTUM_FARTHEST);
    f.side_x = 1 / sqrt(1 + f.tan_x * f.tan_x);
    f.side_y = 1 / sqrt(1 + f.tan_y * f.tan_y);
    f.slant = 1 / (1 + f.tan_x * f.tan_x + f.tan_y * f.tan_y);
    for (int i = 0; i < 8; i++) {
        double z = i & 4 ? f.far : f.near;
        f.corner[i] = v3(i & 1 ? f.tan_x * z : -f.tan_x * z, i & 2 ? f.tan_y * z : -f.tan_y * z, z);
    }
    return f;
}

/* Depth of the point nearest to (x, y, z), where x and y are not negative: see frustum.h. */
static double nearest_depth(const vo_frustum *f, double x, double y, double z) {
    double tx = f->tan_x, ty = f->tan_y;
    double depth = (z + tx * x + ty * y) * f->slant;
    if (tx * depth > x || ty * depth > y) { /* deeper than one of the sides holds it back */
        if (x * ty > y * tx) {
            depth = (z + tx * x) * f->side_x * f->side_x;
            if (tx * depth > x) depth = z;
        } else {
            depth = (z + ty * y) * f->side_y * f->side_y;
            if (ty * depth > y) depth = z;
        }
    }
    return vo_clamp(depth, f->near, f->far);
}

vo_vec3 vo_frustum_nearest(const vo_frustum *f, vo_vec3 p) {
    double x = fabs(p.x), y = fabs(p.y), z = nearest_depth(f, x, y, p.z);
    return v3(copysign(vo_min(x, f->tan_x * z), p.x), copysign(vo_min(y, f->tan_y * z), p.y), z);
}

bool vo_frustum_holds_ball(const vo_frustum *f, vo_vec3 centre, double radius) {
    return (f->tan_x * centre.z - fabs(centre.x)) * f->side_x >= radius &&
           (f->tan_y * centre.z - fabs(centre.y)) * f->side_y >= radius &&
           centre.z - radius >= f->near && centre.z + radius <= f->far;
}

/* ---- a triangle ----------------------------------------------------------------------------- */

/* Distances of a point from the six planes, positive outside. */
static void plane_distances(const vo_frustum *f, vo_vec3 p, double out[PLANES]) {
    double wide = f->tan_x * p.z, high = f->tan_y * p.z;
    out[0] = (p.x - wide) * f->side_x;
    out[1] = (-p.x - wide) * f->side_x;
    out[2] = (p.y - high) * f->side_y;
    out[3] = (-p.y - high) * f->side_y;
    out[4] = f->near - p.z;
    out[5] = p.z - f->far;
}

static double largest(const double d[PLANES]) {
    double most = d[0];
    for (int i = 1; i < PLANES; i++) most = vo_max(most, d[i]);
    return most;
}

/* Cuts a convex polygon by one plane. */
static int clip(const vo_frustum *f, int plane, int count, const vo_vec3 *from, vo_vec3 *to) {
    int kept = 0;
    for (int i = 0; i < count && kept + 2 <= MOST_CORNERS; i++) {
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

/* Whether anything of the triangle is inside. */
static bool reaches_in(const vo_frustum *f, const vo_vec3 p[3]) {
    vo_vec3 polygon[2][MOST_CORNERS] = {{p[0], p[1], p[2]}};
    int count = 3;
    for (int i = 0; i < PLANES && count > 0; i++)
        count = clip(f, i, count, polygon[i % 2], polygon[(i + 1) % 2]);
    return count > 0;
}

/* Squared distance of the segments a0 a1 and b0 b1. */
static double segments_distance2(vo_vec3 a0, vo_vec3 a1, vo_vec3 b0, vo_vec3 b1) {
    vo_vec3 a = v3_sub(a1, a0), b = v3_sub(b1, b0), r = v3_sub(a0, b0);
    double aa = v3_dot(a, a), bb = v3_dot(b, b), ab = v3_dot(a, b);
    double ar = v3_dot(a, r), br = v3_dot(b, r);
    double det = aa * bb - ab * ab;
    /* On parallel lines any place of the first will do: its start. */
    double s = det > 1e-14 * aa * bb ? vo_clamp((ab * br - bb * ar) / det, 0, 1) : 0;
    double t = bb > 0 ? vo_clamp((ab * s + br) / bb, 0, 1) : 0;
    s = aa > 0 ? vo_clamp((ab * t - ar) / aa, 0, 1) : 0;
    vo_vec3 d = v3_add_scaled(v3_add_scaled(r, s, a), -t, b);
    return v3_dot(d, d);
}

/* Squared distance of a point from the plane of a triangle if its foot is inside; infinite else. */
static double foot_distance2(const vo_vec3 p[3], vo_vec3 normal, vo_vec3 from) {
    double length2 = v3_dot(normal, normal);
    for (int i = 0; i < 3; i++) {
        vo_vec3 edge = v3_sub(p[(i + 1) % 3], p[i]);
        if (!(v3_dot(v3_cross(normal, edge), v3_sub(from, p[i])) >= 0)) return INFINITY;
    }
    double height = v3_dot(normal, v3_sub(from, p[0]));
    return length2 > 0 ? height * height / length2 : INFINITY;
}

/* The ends of an edge of the frustum: four along each axis of its numbering. */
static void edge_ends(const vo_frustum *f, int edge, vo_vec3 end[2]) {
    int axis = edge / 4, bit = 1 << axis, rest = edge % 4;
    int low = (rest & (bit - 1)) | ((rest & ~(bit - 1)) << 1);
    end[0] = f->corner[low];
    end[1] = f->corner[low | bit];
}

/* Squared distance by all pairs of features but corners of the triangle, for a triangle outside. */
static double features_distance2(const vo_frustum *f, const vo_vec3 p[3]) {
    vo_vec3 normal = v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0])), end[2];
    double least = INFINITY;
    for (int i = 0; i < 8; i++) least = vo_min(least, foot_distance2(p, normal, f->corner[i]));
    for (int e = 0; e < EDGES; e++) {
        edge_ends(f, e, end);
        for (int i = 0; i < 3; i++)
            least = vo_min(least, segments_distance2(p[i], p[(i + 1) % 3], end[0], end[1]));
    }
    return least;
}

/* Distance of a triangle that is outside. */
static double outside_distance(const vo_frustum *f, const vo_vec3 p[3]) {
    vo_vec3 way = {0};
    double least = INFINITY;
    int nearest = 0;
    for (int i = 0; i < 3; i++) {
        vo_vec3 d = v3_sub(p[i], vo_frustum_nearest(f, p[i]));
        double length2 = v3_dot(d, d);
        if (length2 < least) least = length2, way = d, nearest = i;
    }
    double length = sqrt(least), beyond = 0;
    for (int i = 0; i < 3; i++) beyond = vo_min(beyond, v3_dot(way, v3_sub(p[i], p[nearest])));
    if (beyond >= -VO_FRUSTUM_FLAT * length) return length;
    return sqrt(vo_min(least, features_distance2(f, p)));
}

double vo_frustum_distance(const vo_frustum *f, const vo_vec3 p[3], double reach) {
    double d[3][PLANES], apart = -INFINITY;
    bool inside = false;
    for (int i = 0; i < 3; i++) {
        plane_distances(f, p[i], d[i]);
        inside = inside || largest(d[i]) <= 0;
    }
    if (inside) return 0;
    for (int k = 0; k < PLANES; k++)
        apart = vo_max(apart, vo_min(vo_min(d[0][k], d[1][k]), d[2][k]));
    if (apart >= reach) return apart;
    if (apart <= 0 && reaches_in(f, p)) return 0;
    return outside_distance(f, p);
}

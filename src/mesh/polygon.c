#include "mesh/polygon.h"

double vo_polygon_area(int n, const vo_vec2 *corner) {
    double twice = 0;
    for (int i = 2; i < n; i++)
        twice += v2_cross(v2_sub(corner[i - 1], corner[0]), v2_sub(corner[i], corner[0]));
    return twice / 2;
}

/* Sum of the fan's normals: twice the area vector, whichever corner the fan starts from. */
static vo_vec3 newell_normal(int n, const vo_vec3 *corner) {
    vo_vec3 normal = v3_zero();
    for (int i = 2; i < n; i++)
        normal = v3_add(normal,
                        v3_cross(v3_sub(corner[i - 1], corner[0]), v3_sub(corner[i], corner[0])));
    return v3_normalize(normal);
}

/* A unit vector perpendicular to the unit vector n. */
static vo_vec3 perpendicular(vo_vec3 n) {
    vo_vec3 axis = fabs(n.x) < 0.6 ? v3(1, 0, 0) : v3(0, 1, 0);
    return v3_normalize(v3_cross(axis, n));
}

void vo_polygon_flatten(int n, const vo_vec3 *corner, vo_vec2 *flat) {
    vo_vec3 normal = newell_normal(n, corner);
    vo_vec3 right = perpendicular(normal), up = v3_cross(normal, right);
    for (int i = 0; i < n; i++) flat[i] = v2(v3_dot(right, corner[i]), v3_dot(up, corner[i]));
}

/* Smallest angle of a triangle; zero or less unless it is counter-clockwise. */
static double smallest_angle(vo_vec2 a, vo_vec2 b, vo_vec2 c) {
    vo_vec2 ab = v2_sub(b, a), bc = v2_sub(c, b), ca = v2_sub(a, c);
    double cross = v2_cross(ab, bc), l_ab = v2_dot(ab, ab), l_bc = v2_dot(bc, bc),
           l_ca = v2_dot(ca, ca);
    if (!(cross > 0)) return cross < 0 ? -1 : 0;
    /* The smallest angle is opposite the shortest side. */
    double dot = l_ab <= l_bc && l_ab <= l_ca ? -v2_dot(bc, ca)
                 : l_bc <= l_ca               ? -v2_dot(ca, ab)
                                              : -v2_dot(ab, bc);
    return atan2(cross, dot);
}

static double fan_angle(int n, const vo_vec2 *corner, int root) {
    double smallest = VO_PI;
    for (int j = 2; j < n; j++)
        smallest = vo_min(smallest, smallest_angle(corner[root], corner[(root + j - 1) % n],
                                                   corner[(root + j) % n]));
    return smallest;
}

static void cut_fan(int n, int root, int (*triangle)[3]) {
    for (int j = 2; j < n; j++) {
        triangle[j - 2][0] = root;
        triangle[j - 2][1] = (root + j - 1) % n;
        triangle[j - 2][2] = (root + j) % n;
    }
}

/* Cuts the best fan; false if every fan has an inverted triangle. */
static bool cut_best_fan(int n, const vo_vec2 *corner, int (*triangle)[3]) {
    double best = 0;
    int best_root = -1;
    for (int root = 0; root < n; root++) {
        double angle = fan_angle(n, corner, root);
        if (angle <= best) continue;
        best = angle;
        best_root = root;
    }
    if (best_root < 0) return false;
    cut_fan(n, best_root, triangle);
    return true;
}

static bool is_inside(vo_vec2 p, vo_vec2 a, vo_vec2 b, vo_vec2 c) {
    return v2_cross(v2_sub(b, a), v2_sub(p, a)) >= 0 && v2_cross(v2_sub(c, b), v2_sub(p, b)) >= 0 &&
           v2_cross(v2_sub(a, c), v2_sub(p, c)) >= 0;
}

/* Smallest angle of the ear at position i of the remaining polygon; zero or less if none. */
static double ear_angle(int left, const int *index, const vo_vec2 *corner, int i) {
    int before = (i + left - 1) % left, after = (i + 1) % left;
    vo_vec2 a = corner[index[before]], b = corner[index[i]], c = corner[index[after]];
    double angle = smallest_angle(a, b, c);
    for (int j = 0; j < left && angle > 0; j++)
        if (j != before && j != i && j != after && is_inside(corner[index[j]], a, b, c)) return 0;
    return angle;
}

/* The best ear of the remaining polygon, or any corner if there is none (a polygon that crosses
 * itself).
 */
static int find_ear(int left, const int *index, const vo_vec2 *corner) {
    double best = 0;
    int ear = 0;
    for (int i = 0; i < left; i++) {
        double angle = ear_angle(left, index, corner, i);
        if (angle <= best) continue;
        best = angle;
        ear = i;
    }
    return ear;
}

static void cut_ears(int n, const vo_vec2 *corner, int *index, int (*triangle)[3]) {
    for (int i = 0; i < n; i++) index[i] = i;
    for (int left = n; left >= 3; left--) {
        int ear = left == 3 ? 1 : find_ear(left, index, corner);
        triangle[n - left][0] = index[(ear + left - 1) % left];
        triangle[n - left][1] = index[ear];
        triangle[n - left][2] = index[(ear + 1) % left];
        for (int i = ear; i + 1 < left; i++) index[i] = index[i + 1];
    }
}

/* Cuts from both ends towards the middle: 0 1 n-1, 1 n-2 n-1, 1 2 n-2, ... */
static void cut_zigzag(int n, int (*triangle)[3]) {
    int low = 0, high = n - 1;
    for (int t = 0; t < n - 2; t++) {
        int third = t % 2 ? high - 1 : low + 1;
        triangle[t][0] = low;
        triangle[t][1] = third;
        triangle[t][2] = high;
        if (t % 2)
            high = third;
        else
            low = third;
    }
}

void vo_polygon_triangulate(int n, const vo_vec2 *corner, int *scratch, int (*triangle)[3]) {
    if (n > VO_POLYGON_MAX_OPTIMISED)
        cut_zigzag(n, triangle);
    else if (!cut_best_fan(n, corner, triangle))
        cut_ears(n, corner, scratch, triangle);
}

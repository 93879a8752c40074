/* Exact queries of one feature: nearest point, pseudonormals, sign. */
#include "rt/body/surface.h"
#include "rt/body/surface_kernel.h"

#include "math/simd_float.h"

const vo_rt_surface_kernels *vo_rt_surface_kernels_select(void) {
#ifdef VO_HAVE_AVX2_KERNELS
    if (vo_simd_has_avx2()) return &vo_rt_surface_kernels_avx2;
#endif
    return &vo_rt_surface_kernels_base;
}

/* Corners of a triangle. */
typedef struct corners {
    vo_rt_vec3 p[3];
} corners;

static corners load_corners(const vo_rt_surface *s, const vo_rt_vec4 *vertex, int32_t slot) {
    corners t;
    for (int k = 0; k < 3; k++) t.p[k] = f4_xyz(vertex[vo_rt_surface_corner(s, slot, k)]);
    return t;
}

/* Feature of a triangle: 0 to 2 its corners, 3 to 5 its edges (3 + k: from corner k to k + 1), 6
 * its interior. */
enum { EDGE = 3, INTERIOR = 6 };
/* Bound on the number of triangles around a vertex that are visited. */
enum { MAX_FAN = 256 };

/* Nearest point of edge k to x, if nearer than *best. */
static void test_edge(const corners *t, int k, vo_rt_vec3 x, float *best, int *feature,
                      float weight[3]) {
    int next = (k + 1) % 3;
    vo_rt_vec3 d = f3_sub(t->p[next], t->p[k]), r = f3_sub(x, t->p[k]);
    float length2 = f3_length2(d);
    float s = length2 > 0 ? f_clamp(f3_dot(r, d) / length2, 0, 1) : 0;
    float distance2 = f3_length2(f3_add_scaled(r, -s, d));
    if (distance2 >= *best) return;
    *best = distance2;
    *feature = s <= 0 ? k : s >= 1 ? next : EDGE + k;
    weight[k] = 1 - s;
    weight[next] = s;
    weight[3 - k - next] = 0;
}

/* Nearest feature of a triangle to x and barycentric coordinates of the nearest point. */
static int nearest_feature(const corners *t, vo_rt_vec3 x, float weight[3]) {
    vo_rt_vec3 ab = f3_sub(t->p[1], t->p[0]), ac = f3_sub(t->p[2], t->p[0]);
    vo_rt_vec3 ap = f3_sub(x, t->p[0]), n = f3_cross(ab, ac);
    float nn = f3_length2(n);
    float v = f3_dot(n, f3_cross(ap, ac)), w = f3_dot(n, f3_cross(ab, ap));
    if (v >= 0 && w >= 0 && v + w <= nn && nn > 1e-30f) {
        weight[1] = v / nn;
        weight[2] = w / nn;
        weight[0] = 1 - weight[1] - weight[2];
        return INTERIOR;
    }
    int feature = 0;
    float best = INFINITY;
    weight[0] = 1;
    weight[1] = weight[2] = 0;
    for (int k = 0; k < 3; k++) test_edge(t, k, x, &best, &feature, weight);
    return feature;
}

static vo_rt_vec3 face_normal(const vo_rt_surface *s, const vo_rt_vec4 *vertex, int32_t slot) {
    corners t = load_corners(s, vertex, slot);
    return f3_normalize(f3_cross(f3_sub(t.p[1], t.p[0]), f3_sub(t.p[2], t.p[0])));
}

/* Corner of a triangle at a vertex; -1: none. */
static int corner_at(const vo_rt_surface *s, int32_t slot, int32_t vertex) {
    for (int k = 0; k < 3; k++)
        if (vo_rt_surface_corner(s, slot, k) == vertex) return k;
    return -1;
}

/* Angle between two edges in [0, pi], by a rational approximation (error below 0.004) that is
 * independent of the C library. It only weights normals. */
static float corner_angle(vo_rt_vec3 a, vo_rt_vec3 b) {
    float y = f3_length(f3_cross(a, b)), x = f3_dot(a, b), ax = fabsf(x);
    if (!(y + ax > 0)) return 0;
    float z = y < ax ? y / ax : ax / y;
    float arc = z * (0.78539816f + 0.273f * (1 - z));
    if (y > ax) arc = 1.57079633f - arc;
    return x < 0 ? 3.14159265f - arc : arc;
}

/* Sum of the normals of the triangles around a vertex, weighted by their angles there. */
static vo_rt_vec3 vertex_normal(const vo_rt_surface *s, const vo_rt_vec4 *vertex, int32_t slot,
                                int corner) {
    int32_t center = vo_rt_surface_corner(s, slot, corner), at = slot;
    vo_rt_vec3 sum = f3(0, 0, 0);
    for (int i = 0; i < MAX_FAN; i++) {
        int k = corner_at(s, at, center);
        if (k < 0) break;
        corners t = load_corners(s, vertex, at);
        vo_rt_vec3 a = f3_sub(t.p[(k + 1) % 3], t.p[k]), b = f3_sub(t.p[(k + 2) % 3], t.p[k]);
        sum = f3_add_scaled(sum, corner_angle(a, b), f3_normalize(f3_cross(a, b)));
        at = s->neighbour[3 * (size_t)at + (size_t)k];
        if (at == slot) break;
    }
    return sum;
}

static vo_rt_vec3 pseudonormal(const vo_rt_surface *s, const vo_rt_vec4 *vertex, int32_t slot,
                               int feature) {
    vo_rt_vec3 n = f3(0, 0, 0);
    if (feature < EDGE) n = vertex_normal(s, vertex, slot, feature);
    if (feature >= EDGE) n = face_normal(s, vertex, slot);
    if (feature >= EDGE && feature < INTERIOR) {
        int32_t other = s->neighbour[3 * (size_t)slot + (size_t)(feature - EDGE)];
        n = f3_add(n, face_normal(s, vertex, other));
    }
    return n;
}

/* Unit vector along n; some unit vector for a degenerate one. */
static vo_rt_vec3 unit(vo_rt_vec3 n) {
    float length = f3_length(n);
    return length > 1e-12f ? f3_scale(1 / length, n) : f3(0, 1, 0);
}

static vo_rt_vec3 blend(const corners *t, const float weight[3]) {
    vo_rt_vec3 p = f3_scale(weight[0], t->p[0]);
    p = f3_add_scaled(p, weight[1], t->p[1]);
    return f3_add_scaled(p, weight[2], t->p[2]);
}

/* Completes a hit whose weights are known. */
static void set_hit(const vo_rt_surface *s, const vo_rt_vec4 *vertex, int32_t slot,
                    const corners *t, int feature, vo_rt_vec3 x, vo_rt_surface_hit *hit) {
    vo_rt_vec3 p = blend(t, hit->weight);
    vo_rt_vec3 n = feature == INTERIOR
                       ? f3_cross(f3_sub(t->p[1], t->p[0]), f3_sub(t->p[2], t->p[0]))
                       : pseudonormal(s, vertex, slot, feature);
    vo_rt_vec3 r = f3_sub(x, p);
    float length = f3_length(r), side = f3_dot(r, n) < 0 ? -1.0f : 1.0f;
    hit->slot = slot;
    hit->point = p;
    hit->distance2 = length * length;
    hit->distance = side * length;
    /* On the surface x - p has no direction; near it, rounding spoils it. */
    hit->normal = feature == INTERIOR || length < 1e-6f ? unit(n) : f3_scale(side / length, r);
}

void vo_rt_surface_evaluate(const vo_rt_surface *s, const vo_rt_vec4 *vertex, int32_t slot,
                            vo_rt_vec3 x, vo_rt_surface_hit *hit) {
    corners t = load_corners(s, vertex, slot);
    int feature = nearest_feature(&t, x, hit->weight);
    set_hit(s, vertex, slot, &t, feature, x, hit);
}

/* --- Local search ------------------------------------------------------------------------------
 */

static float distance2_of(const vo_rt_surface *s, const vo_rt_vec4 *vertex, int32_t slot,
                          vo_rt_vec3 x) {
    float weight[3];
    corners t = load_corners(s, vertex, slot);
    nearest_feature(&t, x, weight);
    return f3_length2(f3_sub(x, blend(&t, weight)));
}

/* The triangle nearest to x of those that share the feature with `slot`, if it is nearer by more
 * than rounding; otherwise `slot`. */
static int32_t find_nearer_neighbour(const vo_rt_surface *s, const vo_rt_vec4 *vertex, int32_t slot,
                                     int feature, float distance2, vo_rt_vec3 x) {
    float best = distance2 * (1 - 1e-5f);
    if (feature >= EDGE) {
        int32_t other = s->neighbour[3 * (size_t)slot + (size_t)(feature - EDGE)];
        return distance2_of(s, vertex, other, x) < best ? other : slot;
    }
    int32_t center = vo_rt_surface_corner(s, slot, feature), at = slot, nearest = slot;
    for (int i = 0; i < MAX_FAN; i++) {
        int k = corner_at(s, at, center);
        if (k < 0) break;
        at = s->neighbour[3 * (size_t)at + (size_t)k];
        if (at == slot) break;
        float d2 = distance2_of(s, vertex, at, x);
        if (d2 < best) {
            best = d2;
            nearest = at;
        }
    }
    return nearest;
}

bool vo_rt_surface_walk(const vo_rt_surface *s, const vo_rt_vec4 *vertex, int32_t slot,
                        vo_rt_vec3 x, vo_rt_surface_hit *hit) {
    enum { MAX_STEPS = 8 };
    for (int i = 0; i < MAX_STEPS; i++) {
        corners t = load_corners(s, vertex, slot);
        int feature = nearest_feature(&t, x, hit->weight);
        int32_t next = slot;
        if (feature != INTERIOR) {
            float d2 = f3_length2(f3_sub(x, blend(&t, hit->weight)));
            next = find_nearer_neighbour(s, vertex, slot, feature, d2, x);
        }
        if (next == slot) {
            set_hit(s, vertex, slot, &t, feature, x, hit);
            return true;
        }
        slot = next;
    }
    return false;
}

/* --- Global search -----------------------------------------------------------------------------
 */

bool vo_rt_surface_find_nearest(const vo_rt_surface_kernels *kernels, const vo_rt_surface *surface,
                                vo_rt_surface_pose pose, vo_rt_vec3 x, float bound2, int32_t hint,
                                vo_rt_surface_hit *hit) {
    hit->slot = kernels->find_nearest(surface, pose, x, hint, &bound2);
    if (hit->slot < 0) return false;
    vo_rt_surface_evaluate(surface, pose.vertex, hit->slot, x, hit);
    return true;
}

/* Casting a segment against a surface with thickness: the set of points within `radius` of a
 * triangle is the union of a prism and, around its edges, three capsules. */
#include "rt/body/surface.h"

/* Casts thinner than this miss between triangles because of rounding, m. */
static const float MIN_RADIUS = 2e-6f;

typedef struct ray {
    vo_rt_vec3 origin, direction; /* the segment is origin + t direction, t in 0 to 1 */
    float radius;
} ray;

/* First t in [0, *t] at which the ray enters the sphere around c. */
static bool cast_sphere(const ray *r, vo_rt_vec3 c, float *t) {
    vo_rt_vec3 m = f3_sub(r->origin, c);
    float a = f3_length2(r->direction), b = f3_dot(m, r->direction);
    float k = f3_length2(m) - r->radius * r->radius;
    if (b >= 0) return false;
    if (k <= 0) {
        *t = 0;
        return true;
    }
    /* b^2 - a k without cancellation: |direction|^2 (radius^2 - |perpendicular|^2) */
    vo_rt_vec3 perpendicular = f3_add_scaled(m, -b / a, r->direction);
    float q = r->radius * r->radius - f3_length2(perpendicular);
    if (q < 0) return false;
    float at = k / (-b + sqrtf(a * q));
    if (!(at <= *t)) return false;
    *t = at;
    return true;
}

/* First t in [0, *t] at which the ray enters the cylinder around the segment from p along d. */
static bool cast_cylinder(const ray *r, vo_rt_vec3 p, vo_rt_vec3 d, float *t) {
    float dd = f3_length2(d);
    if (!(dd > 0)) return false;
    vo_rt_vec3 m = f3_sub(r->origin, p);
    vo_rt_vec3 mp = f3_add_scaled(m, -f3_dot(m, d) / dd, d);
    vo_rt_vec3 dp = f3_add_scaled(r->direction, -f3_dot(r->direction, d) / dd, d);
    float a = f3_length2(dp), b = f3_dot(mp, dp), k = f3_length2(mp) - r->radius * r->radius;
    if (b >= 0 || !(a > 0)) return false;
    float at = 0;
    if (k > 0) {
        vo_rt_vec3 perpendicular = f3_add_scaled(mp, -b / a, dp);
        float q = r->radius * r->radius - f3_length2(perpendicular);
        if (q < 0) return false;
        at = k / (-b + sqrtf(a * q));
    }
    float along = f3_dot(f3_add_scaled(m, at, r->direction), d);
    if (!(at <= *t) || along < 0 || along > dd) return false;
    *t = at;
    return true;
}

/* First t in [0, *t] at which the ray passes the front of the triangle, moved out by the radius. */
static bool cast_front(const ray *r, const vo_rt_vec3 p[3], float *t) {
    vo_rt_vec3 ab = f3_sub(p[1], p[0]), ac = f3_sub(p[2], p[0]), n = f3_cross(ab, ac);
    float nn = f3_length2(n);
    if (!(nn > 1e-30f)) return false;
    float length = sqrtf(nn), height = f3_dot(f3_sub(r->origin, p[0]), n) / length;
    float speed = f3_dot(r->direction, n) / length;
    if (speed >= 0 || height < 0) return false;
    float at = height > r->radius ? (r->radius - height) / speed : 0;
    if (!(at <= *t)) return false;
    vo_rt_vec3 ap = f3_sub(f3_add_scaled(r->origin, at, r->direction), p[0]);
    float v = f3_dot(n, f3_cross(ap, ac)), w = f3_dot(n, f3_cross(ab, ap));
    if (v < 0 || w < 0 || v + w > nn) return false;
    *t = at;
    return true;
}

static bool cast_triangle(const ray *r, const vo_rt_vec3 p[3], float *t) {
    bool found = cast_front(r, p, t);
    for (int k = 0; k < 3; k++) {
        if (cast_sphere(r, p[k], t)) found = true;
        if (cast_cylinder(r, p[k], f3_sub(p[(k + 1) % 3], p[k]), t)) found = true;
    }
    return found;
}

/* Interval of t inside a slab of one axis, widened for rounding; false if empty. */
static bool clip_slab(float origin, float direction, float low, float high, float *t0, float *t1) {
    if (fabsf(direction) < 1e-12f) return origin >= low && origin <= high;
    float a = (low - origin) / direction, b = (high - origin) / direction;
    *t0 = f_max(*t0, f_min(a, b) * (1 - 1e-6f));
    *t1 = f_min(*t1, f_max(a, b) * (1 + 1e-6f));
    return *t0 <= *t1;
}

static bool hits_box(const ray *r, const vo_rt_box8 *b, int k, float end) {
    float t0 = 0, t1 = end;
    float margin = r->radius * 1.0001f +
                   1e-6f * (1 + fabsf(r->origin.x) + fabsf(r->origin.y) + fabsf(r->origin.z));
    return clip_slab(r->origin.x, r->direction.x, b->low[0][k] - margin, b->high[0][k] + margin,
                     &t0, &t1) &&
           clip_slab(r->origin.y, r->direction.y, b->low[1][k] - margin, b->high[1][k] + margin,
                     &t0, &t1) &&
           clip_slab(r->origin.z, r->direction.z, b->low[2][k] - margin, b->high[2][k] + margin,
                     &t0, &t1);
}

static void cast_leaf(const vo_rt_surface *s, const vo_rt_vec4 *vertex, const ray *r, int leaf,
                      float *t, int32_t *slot) {
    for (int k = 0; k < VO_RT_WIDTH; k++) {
        vo_rt_vec3 p[3];
        for (int i = 0; i < 3; i++) p[i] = f4_xyz(vertex[s->corner[leaf][i][k]]);
        float at = *t;
        if (!cast_triangle(r, p, &at) || (at == *t && *slot >= 0)) continue;
        *t = at;
        *slot = leaf * VO_RT_WIDTH + k;
    }
}

bool vo_rt_surface_cast(const vo_rt_surface *surface, vo_rt_surface_pose pose, vo_rt_vec3 a,
                        vo_rt_vec3 b, float radius, float *t, vo_rt_surface_hit *hit) {
    ray r = {a, f3_sub(b, a), f_max(radius, MIN_RADIUS)};
    if (!(f3_length2(r.direction) > 0)) return false;
    int32_t stack[VO_RT_STACK], slot = -1;
    int top = 0;
    float end = 1;
    stack[top++] = 0;
    while (top > 0) {
        int32_t child = stack[--top];
        if (child < 0) {
            cast_leaf(surface, pose.vertex, &r, ~child, &end, &slot);
            continue;
        }
        for (int k = VO_RT_WIDTH - 1; k >= 0; k--)
            if (pose.box[child].low[0][k] <= pose.box[child].high[0][k] &&
                hits_box(&r, &pose.box[child], k, end))
                stack[top++] = surface->child[child][k];
    }
    if (slot < 0) return false;
    vo_rt_surface_evaluate(surface, pose.vertex, slot, f3_add_scaled(a, end, r.direction), hit);
    *t = end;
    return true;
}

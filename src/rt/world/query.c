/* Ray and overlap queries on the leaf triangles. */
#include "rt/world/world.h"

#include <float.h>

/* Segment parameter at which the line o + t d enters the box, if it does in [0, t_max]. */
static bool hits_box(vo_rt_vec3 o, vo_rt_vec3 d, vo_rt_vec3 min, vo_rt_vec3 max, float t_max) {
    const float from[3] = {o.x, o.y, o.z}, along[3] = {d.x, d.y, d.z};
    const float low[3] = {min.x, min.y, min.z}, high[3] = {max.x, max.y, max.z};
    float enter = 0, leave = t_max;
    for (int k = 0; k < 3; k++) {
        if (along[k] == 0) {
            if (from[k] < low[k] || from[k] > high[k]) return false;
            continue;
        }
        float a = (low[k] - from[k]) / along[k], b = (high[k] - from[k]) / along[k];
        enter = f_max(enter, f_min(a, b));
        leave = f_min(leave, f_max(a, b));
    }
    return enter <= leave;
}

/* Moeller and Trumbore 1997; both sides. */
static bool hits_triangle(vo_rt_vec3 o, vo_rt_vec3 d, vo_rt_vec3 a, vo_rt_vec3 b, vo_rt_vec3 c,
                          float *t) {
    vo_rt_vec3 e = f3_sub(b, a), f = f3_sub(c, a), p = f3_cross(d, f);
    float det = f3_dot(e, p);
    if (fabsf(det) < FLT_MIN) return false;
    vo_rt_vec3 s = f3_sub(o, a), q = f3_cross(s, e);
    float u = f3_dot(s, p) / det, v = f3_dot(d, q) / det, hit = f3_dot(f, q) / det;
    if (!(u >= 0 && v >= 0 && u + v <= 1 && hit >= 0 && hit < *t)) return false;
    *t = hit;
    return true;
}

static void corners(const vo_rt_front *f, int triangle, vo_rt_vec3 x[3]) {
    for (int k = 0; k < 3; k++) x[k] = f4_xyz(f->position[f->triangles[triangle].vertex[k]]);
}

static int nearest_base_vertex(const vo_rt_cloth *c, vo_rt_vec3 x) {
    int best = 0;
    float least = FLT_MAX;
    for (int i = 0; i < c->asset->vertex_count; i++) {
        float d = f3_distance(f4_xyz(c->mesh.front.position[i + 1]), x);
        if (d < least) {
            least = d;
            best = i;
        }
    }
    return best;
}

static bool cast_at_cloth(vo_rt_cloth *c, vo_rt_vec3 from, vo_rt_vec3 d, vo_rt_ray_hit *hit) {
    const vo_rt_front *f = &c->mesh.front;
    bool found = false;
    if (!hits_box(from, d, c->state.min, c->state.max, hit->t)) return false;
    for (int i = 0; i < f->triangle_count; i++) {
        vo_rt_vec3 x[3];
        corners(f, i, x);
        if (!hits_triangle(from, d, x[0], x[1], x[2], &hit->t)) continue;
        hit->normal = f3_normalize(f3_cross(f3_sub(x[1], x[0]), f3_sub(x[2], x[0])));
        found = true;
    }
    if (found) hit->cloth = c;
    return found;
}

bool vo_rt_world_cast_ray(const vo_rt_world *w, vo_rt_vec3 from, vo_rt_vec3 to,
                          vo_rt_ray_hit *hit) {
    vo_rt_ray_hit best = {.t = 1.0000001f};
    vo_rt_vec3 d = f3_sub(to, from);
    if (!vo_rt_is_coordinate(from) || !vo_rt_is_coordinate(to)) return false;
    for (int i = 0; i < w->cloth_end; i++)
        if (w->cloth[i].is_used && w->cloth[i].input.enabled)
            cast_at_cloth(&w->cloth[i], from, d, &best);
    if (!best.cloth) return false;
    best.position = f3_add_scaled(from, best.t, d);
    best.base_vertex = nearest_base_vertex(best.cloth, best.position);
    *hit = best;
    return true;
}

/* Nearest point of a triangle: Ericson 2005, 5.1.5. */
static vo_rt_vec3 nearest_point(vo_rt_vec3 p, vo_rt_vec3 a, vo_rt_vec3 b, vo_rt_vec3 c) {
    vo_rt_vec3 ab = f3_sub(b, a), ac = f3_sub(c, a), ap = f3_sub(p, a), bp = f3_sub(p, b);
    vo_rt_vec3 cp = f3_sub(p, c);
    float d1 = f3_dot(ab, ap), d2 = f3_dot(ac, ap), d3 = f3_dot(ab, bp), d4 = f3_dot(ac, bp);
    float d5 = f3_dot(ab, cp), d6 = f3_dot(ac, cp);
    if (d1 <= 0 && d2 <= 0) return a;
    if (d3 >= 0 && d4 <= d3) return b;
    if (d6 >= 0 && d5 <= d6) return c;
    float vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return f3_add_scaled(a, d1 / (d1 - d3), ab);
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return f3_add_scaled(a, d2 / (d2 - d6), ac);
    if (va <= 0 && d4 >= d3 && d5 >= d6)
        return f3_add_scaled(b, (d4 - d3) / ((d4 - d3) + (d5 - d6)), f3_sub(c, b));
    float sum = va + vb + vc;
    if (!(sum > 0)) return a;
    return f3_add_scaled(f3_add_scaled(a, vb / sum, ab), vc / sum, ac);
}

static bool overlaps_sphere(const vo_rt_cloth *c, vo_rt_vec3 center, float radius) {
    const vo_rt_front *f = &c->mesh.front;
    vo_rt_vec3 in_box = f3_max(c->state.min, f3_min(center, c->state.max));
    if (f3_distance(in_box, center) > radius) return false;
    for (int i = 0; i < f->triangle_count; i++) {
        vo_rt_vec3 x[3];
        corners(f, i, x);
        if (f3_distance(nearest_point(center, x[0], x[1], x[2]), center) <= radius) return true;
    }
    return false;
}

int vo_rt_world_overlap_sphere(const vo_rt_world *w, vo_rt_vec3 center, float radius, int capacity,
                               vo_rt_cloth **cloths) {
    int count = 0;
    if (!vo_rt_is_coordinate(center) || !(radius >= 0)) return 0;
    for (int i = 0; i < w->cloth_end; i++) {
        vo_rt_cloth *c = &w->cloth[i];
        if (!c->is_used || !c->input.enabled || !overlaps_sphere(c, center, radius)) continue;
        if (count < capacity) cloths[count] = c;
        count++;
    }
    return count;
}

#include "picture/studio.h"

#include "picture/sample.h"
#include "picture/sight.h"

static const double KEY_RADIUS = 0.14;   /* rad: 16 degrees across, a softbox */
static const double GROUND_LIGHT = 0.35; /* of the sky's, that the ground gives back */
static const double SKY_HORIZON = 0.6, SKY_ZENITH = 1.2;

/* Around the middle of the box around all nodes. */
static void find_ball(vo_studio *s) {
    const vo_model *m = s->model;
    vo_vec3 low = v3_zero(), high = v3_zero();
    for (int i = 0; i < m->node_count; i++) {
        vo_vec3 x = vo_model_x(m, i);
        low = i ? v3_min(low, x) : x;
        high = i ? v3_max(high, x) : x;
    }
    s->centre = v3_lerp(low, high, 0.5);
    s->radius = 0;
    for (int i = 0; i < m->node_count; i++)
        s->radius = vo_max(s->radius, v3_distance(s->centre, vo_model_x(m, i)));
    s->radius += s->nudge;
}

void vo_studio_prepare(vo_studio *s) {
    vo_vec3 right = v3_length2(s->lights) > 0 ? s->lights : s->camera.right;
    vo_vec3 ahead = v3_normalize(v3_cross(s->up, right));
    s->key = v3_normalize(
        v3_add(v3_add(v3_scale(-0.62, right), v3_scale(-0.55, ahead)), v3_scale(0.95, s->up)));
    s->rim = v3_normalize(
        v3_add(v3_add(v3_scale(0.75, right), v3_scale(0.8, ahead)), v3_scale(0.55, s->up)));
    s->nudge = 5e-5 * s->scale;
    find_ball(s);
}

/* ---- seeing ---------------------------------------------------------------------------------- */

static vo_vec3 mix(const double w[3], vo_vec3 a, vo_vec3 b, vo_vec3 c) {
    return v3_add(v3_add(v3_scale(w[0], a), v3_scale(w[1], b)), v3_scale(w[2], c));
}

/* Normals that turn away from the eye, as they do near outlines of coarse meshes, are bent back. */
static vo_vec3 bend_to_eye(vo_vec3 n, vo_vec3 to_eye) {
    double facing = v3_dot(n, to_eye);
    if (facing >= 0.02) return n;
    return v3_normalize(v3_add_scaled(n, 0.02 - facing, to_eye));
}

/* Hanika 2021, "Hacking the shadow terminator" (Ray Tracing Gems II, 4): each corner's tangent
 * plane lifts the point, as much as the corner counts there. Here along the face's normal only, not
 * where corners disagree with the face, as in sharp folds, and no further than half of the way to
 * the next layer of cloth. */
static double lift(const vo_studio *s, const vo_seen *seen, const vo_vec3 corner[3],
                   const vo_vec3 n[3]) {
    double height = 0, agreed = 1;
    for (int i = 0; i < 3; i++) {
        double along = v3_dot(n[i], seen->flat);
        double below = v3_dot(v3_sub(seen->x, corner[i]), n[i]);
        height += seen->weight[i] * vo_max(0, -below) * along;
        agreed = vo_min(agreed, along);
    }
    height *= vo_clamp((agreed - 0.6) / 0.3, 0, 1);
    if (height < 2 * s->nudge) return 0;
    vo_ray ray = {v3_add_scaled(seen->x, s->nudge, seen->flat), seen->flat, 2 * height};
    vo_ray_hit hit;
    return vo_rays_hit(s->rays, &ray, &hit) ? vo_min(height, hit.distance / 2) : height;
}

/* Where a ray meets a face. */
static void see_face(const vo_studio *s, const vo_ray_hit *hit, bool lifts, vo_seen *out) {
    const vo_model *m = s->model;
    const vo_model_face *face = &m->face[hit->face];
    vo_vec3 x[3], n[3];
    for (int i = 0; i < 3; i++) {
        x[i] = vo_model_x(m, face->node[i]);
        n[i] = vo_model_normal(m, face->normal[i]);
    }
    double w[3] = {1 - hit->u - hit->v, hit->u, hit->v};
    vo_vec3 flat = v3_normalize(v3_cross(v3_sub(x[1], x[0]), v3_sub(x[2], x[0])));
    out->back = v3_dot(flat, out->direction) > 0;
    for (int i = 0; i < 3; i++) {
        out->weight[i] = w[i];
        if (out->back) n[i] = v3_negate(n[i]);
    }
    out->face = hit->face;
    out->flat = out->back ? v3_negate(flat) : flat;
    vo_vec3 normal = v3_normalize(mix(w, n[0], n[1], n[2]));
    if (v3_dot(normal, out->flat) < 0.1) normal = out->flat; /* folded within a face, or none */
    out->normal = bend_to_eye(normal, v3_negate(out->direction));
    out->x = mix(w, x[0], x[1], x[2]);
    out->lifted = lifts ? v3_add_scaled(out->x, lift(s, out, x, n), out->flat) : out->x;
    out->paint = &m->paint[face->paint];
    out->pixel = hit->distance * vo_pixel_size(&s->camera);
}

/* The floor is only there from above. */
static bool see_ground(const vo_studio *s, double nearer_than, vo_seen *out) {
    double down = -v3_dot(out->direction, s->up);
    double height = v3_dot(s->camera.position, s->up) - s->ground;
    if (!s->has_ground || !(down > 1e-6) || !(height > 0) || height >= down * nearer_than)
        return false;
    double distance = height / down;
    out->face = VO_SEES_GROUND;
    out->x = out->lifted = v3_add_scaled(s->camera.position, distance, out->direction);
    out->flat = out->normal = s->up;
    out->pixel = distance * vo_pixel_size(&s->camera);
    return true;
}

void vo_studio_see(const vo_studio *s, double x, double y, vo_seen *out) {
    *out =
        (vo_seen){.face = VO_SEES_NOTHING, .direction = vo_camera_direction(&s->camera, v2(x, y))};
    vo_ray ray = vo_sight_along(&s->camera, out->direction);
    vo_ray_hit hit;
    bool met = vo_rays_hit(s->rays, &ray, &hit);
    if (!see_ground(s, met ? hit.distance : INFINITY, out) && met) see_face(s, &hit, true, out);
}

void vo_studio_recall(const vo_studio *s, double x, double y, const vo_ray_hit *hit, vo_seen *out) {
    *out = (vo_seen){.direction = vo_camera_direction(&s->camera, v2(x, y))};
    see_face(s, hit, false, out);
}

/* ---- light ----------------------------------------------------------------------------------- */

/* Whether a ray comes near anything at all. */
static bool may_be_blocked(const vo_studio *s, const vo_ray *ray) {
    vo_vec3 to = v3_sub(s->centre, ray->from);
    double along = v3_dot(to, ray->direction), far2 = v3_length2(to) - s->radius * s->radius;
    return far2 <= 0 || (along > 0 && far2 <= along * along);
}

/* Which of `count` rays something is in the way of, one a bit. */
static unsigned blocked(const vo_studio *s, int count, const vo_ray *ray, bool alike) {
    unsigned mask = 0;
    for (int i = 0; i < count; i++) mask |= (unsigned)may_be_blocked(s, &ray[i]) << i;
    return mask ? vo_rays_blocked_together(s->rays, ray, mask, alike) : 0;
}

/* An axis and two across. */
typedef struct frame {
    vo_vec3 axis, a, b;
} frame;

static frame frame_about(vo_vec3 axis) {
    frame f = {.axis = axis};
    vo_axes_across(axis, &f.a, &f.b);
    return f;
}

static vo_vec3 in_frame(const frame *f, vo_vec2 across, double along) {
    return v3_add(v3_add(v3_scale(across.x, f->a), v3_scale(across.y, f->b)),
                  v3_scale(along, f->axis));
}

void vo_studio_aim(const vo_studio *s, int count, vo_vec3 *to_key) {
    frame light = frame_about(s->key);
    for (int i = 0; i < count; i++)
        to_key[i] = v3_normalize(in_frame(&light, v2_scale(KEY_RADIUS, s->disc[i]), 1));
}

/* Light that falls on the other side of cloth is that which comes through. */
static double key_part(const vo_studio *s, const vo_seen *seen, int index) {
    bool behind = v3_dot(seen->normal, s->key) < 0;
    if (behind && (!seen->paint || seen->paint->through <= 0)) return 0;
    const vo_vec3 *to_key = s->to_key + index * s->samples;
    vo_vec3 from = behind ? v3_add_scaled(seen->x, -s->nudge, seen->flat)
                          : v3_add_scaled(seen->lifted, s->nudge, seen->flat);
    vo_ray ray[VO_RAYS_TOGETHER];
    int lit = 0;
    for (int first = 0; first < s->samples; first += VO_RAYS_TOGETHER) {
        int count = vo_min_int(s->samples - first, VO_RAYS_TOGETHER);
        for (int i = 0; i < count; i++) ray[i] = (vo_ray){from, to_key[first + i], INFINITY};
        lit += count - __builtin_popcount(blocked(s, count, ray, true));
    }
    return (double)lit / s->samples;
}

/* What comes along a ray if nothing is in its way. The ground is darker where something stands
 * close above it. */
static double open_light(const vo_studio *s, const vo_ray *ray) {
    double rise = v3_dot(ray->direction, s->up);
    if (rise >= 0) return SKY_HORIZON + (SKY_ZENITH - SKY_HORIZON) * rise;
    return GROUND_LIGHT * vo_min(1, ray->length / (0.25 * s->scale));
}

/* A ray towards the sky or the ground; none goes through the face itself. */
static vo_ray sky_ray(const vo_studio *s, const vo_seen *seen, vo_vec3 from, vo_vec3 direction) {
    double out = v3_dot(direction, seen->flat);
    if (out < 0) direction = v3_add_scaled(direction, -2 * out, seen->flat);
    double rise = v3_dot(direction, s->up);
    vo_ray ray = {from, direction, INFINITY};
    if (s->has_ground && rise < 0)
        ray.length = vo_max(0, (v3_dot(from, s->up) - s->ground) / -rise);
    return ray;
}

/* Directions as the cosine weighs them, so each counts the same. */
static double sky_part(const vo_studio *s, const vo_seen *seen, int index) {
    const vo_vec2 *disc = s->disc + index * s->samples;
    frame surface = frame_about(seen->normal);
    vo_vec3 from = v3_add_scaled(seen->lifted, s->nudge, seen->flat);
    vo_ray ray[VO_RAYS_TOGETHER];
    double sum = 0;
    for (int first = 0; first < s->samples; first += VO_RAYS_TOGETHER) {
        int count = vo_min_int(s->samples - first, VO_RAYS_TOGETHER);
        for (int i = 0; i < count; i++) {
            vo_vec2 at = disc[first + i];
            double along = sqrt(vo_max(0, 1 - v2_dot(at, at)));
            ray[i] = sky_ray(s, seen, from, in_frame(&surface, at, along));
        }
        unsigned shut = blocked(s, count, ray, false);
        for (int i = 0; i < count; i++)
            if (!(shut >> i & 1)) sum += open_light(s, &ray[i]);
    }
    /* An open field has the mean of a + b cos over the cosine, a + 2 b / 3. */
    return sum / s->samples / (SKY_HORIZON + (SKY_ZENITH - SKY_HORIZON) * 2 / 3);
}

vo_lit vo_studio_light_at(const vo_studio *s, const vo_seen *seen, int index) {
    return (vo_lit){key_part(s, seen, index), sky_part(s, seen, index)};
}

#include "picture/lighting.h"

#include "picture/camera_ray.h"
#include "picture/sample.h"

static const double KEY_RADIUS = 0.14; /* rad, angular radius: 16 degrees in diameter, a softbox */
static const double GROUND_LIGHT = 0.35; /* reflectance of the ground relative to the sky */
static const double SKY_HORIZON = 0.6, SKY_ZENITH = 1.2;

/* Computes the bounding ball, centred in the bounding box. */
static void compute_ball(vo_lighting *s) {
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
    s->radius += s->ray_bias;
}

void vo_lighting_prepare(vo_lighting *s) {
    vo_vec3 right = v3_length2(s->light_right) > 0 ? s->light_right : s->camera.right;
    vo_vec3 ahead = v3_normalize(v3_cross(s->up, right));
    s->key = v3_normalize(
        v3_add(v3_add(v3_scale(-0.62, right), v3_scale(-0.55, ahead)), v3_scale(0.95, s->up)));
    s->rim = v3_normalize(
        v3_add(v3_add(v3_scale(0.75, right), v3_scale(0.8, ahead)), v3_scale(0.55, s->up)));
    s->ray_bias = 5e-5 * s->scale;
    compute_ball(s);
}

/* ---- camera rays ---------------------------------------------------------------------------- */

static vo_vec3 interpolate(const double w[3], vo_vec3 a, vo_vec3 b, vo_vec3 c) {
    return v3_add(v3_add(v3_scale(w[0], a), v3_scale(w[1], b)), v3_scale(w[2], c));
}

/* Bends normals that point away from the camera back, as occurs near outlines of coarse meshes. */
static vo_vec3 bend_towards_camera(vo_vec3 n, vo_vec3 to_camera) {
    double facing = v3_dot(n, to_camera);
    if (facing >= 0.02) return n;
    return v3_normalize(v3_add_scaled(n, 0.02 - facing, to_camera));
}

/* Shadow terminator offset (Hanika 2021, "Hacking the shadow terminator", Ray Tracing Gems II, 4):
 * the tangent plane of each corner lifts the point by its barycentric weight. Here only along the
 * face normal, not where corner normals disagree with the face, as in sharp folds, and at most half
 * the distance to the next layer of cloth. */
static double terminator_offset(const vo_lighting *s, const vo_surface_hit *hit,
                                const vo_vec3 corner[3], const vo_vec3 n[3]) {
    double height = 0, alignment = 1;
    for (int i = 0; i < 3; i++) {
        double along = v3_dot(n[i], hit->flat);
        double below = v3_dot(v3_sub(hit->x, corner[i]), n[i]);
        height += hit->weight[i] * vo_max(0, -below) * along;
        alignment = vo_min(alignment, along);
    }
    height *= vo_clamp((alignment - 0.6) / 0.3, 0, 1);
    if (height < 2 * s->ray_bias) return 0;
    vo_ray ray = {v3_add_scaled(hit->x, s->ray_bias, hit->flat), hit->flat, 2 * height};
    vo_ray_hit layer;
    return vo_rays_intersect(s->rays, &ray, &layer) ? vo_min(height, layer.distance / 2) : height;
}

/* Fills a hit on a face. */
static void fill_face_hit(const vo_lighting *s, const vo_ray_hit *hit, bool apply_offset,
                          vo_surface_hit *out) {
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
    vo_vec3 normal = v3_normalize(interpolate(w, n[0], n[1], n[2]));
    if (v3_dot(normal, out->flat) < 0.1)
        normal = out->flat; /* the interpolated normal is unusable */
    out->normal = bend_towards_camera(normal, v3_negate(out->direction));
    out->x = interpolate(w, x[0], x[1], x[2]);
    out->lifted =
        apply_offset ? v3_add_scaled(out->x, terminator_offset(s, out, x, n), out->flat) : out->x;
    out->material = &m->material[face->material];
    out->pixel = hit->distance * vo_pixel_size(&s->camera);
}

/* Fills a hit on the ground if it is in front of `max_distance`; the ground is visible from above
 * only. */
static bool fill_ground_hit(const vo_lighting *s, double max_distance, vo_surface_hit *out) {
    double down = -v3_dot(out->direction, s->up);
    double height = v3_dot(s->camera.position, s->up) - s->ground;
    if (!s->has_ground || !(down > 1e-6) || !(height > 0) || height >= down * max_distance)
        return false;
    double distance = height / down;
    out->face = VO_HIT_GROUND;
    out->x = out->lifted = v3_add_scaled(s->camera.position, distance, out->direction);
    out->flat = out->normal = s->up;
    out->pixel = distance * vo_pixel_size(&s->camera);
    return true;
}

void vo_lighting_trace(const vo_lighting *s, double x, double y, vo_surface_hit *out) {
    *out = (vo_surface_hit){.face = VO_HIT_BACKGROUND,
                            .direction = vo_camera_direction(&s->camera, v2(x, y))};
    vo_ray ray = vo_camera_ray_along(&s->camera, out->direction);
    vo_ray_hit hit;
    bool is_hit = vo_rays_intersect(s->rays, &ray, &hit);
    if (!fill_ground_hit(s, is_hit ? hit.distance : INFINITY, out) && is_hit)
        fill_face_hit(s, &hit, true, out);
}

void vo_lighting_restore_hit(const vo_lighting *s, double x, double y, const vo_ray_hit *hit,
                             vo_surface_hit *out) {
    *out = (vo_surface_hit){.direction = vo_camera_direction(&s->camera, v2(x, y))};
    fill_face_hit(s, hit, false, out);
}

/* ---- light ---------------------------------------------------------------------------------- */

/* Returns true if a ray hits the bounding ball. */
static bool hits_ball(const vo_lighting *s, const vo_ray *ray) {
    vo_vec3 to = v3_sub(s->centre, ray->origin);
    double along = v3_dot(to, ray->direction), far2 = v3_length2(to) - s->radius * s->radius;
    return far2 <= 0 || (along > 0 && far2 <= along * along);
}

/* Returns the occluded rays of `count` as a bit mask. */
static unsigned occluded_rays(const vo_lighting *s, int count, const vo_ray *ray, bool coherent) {
    unsigned mask = 0;
    for (int i = 0; i < count; i++) mask |= (unsigned)hits_ball(s, &ray[i]) << i;
    return mask ? vo_rays_occluded_batch(s->rays, ray, mask, coherent) : 0;
}

/* An orthonormal frame. */
typedef struct frame {
    vo_vec3 axis, a, b;
} frame;

static frame frame_about(vo_vec3 axis) {
    frame f = {.axis = axis};
    vo_orthonormal_basis(axis, &f.a, &f.b);
    return f;
}

static vo_vec3 frame_vector(const frame *f, vo_vec2 across, double along) {
    return v3_add(v3_add(v3_scale(across.x, f->a), v3_scale(across.y, f->b)),
                  v3_scale(along, f->axis));
}

void vo_lighting_sample_key(const vo_lighting *s, int count, vo_vec3 *to_key) {
    frame light = frame_about(s->key);
    for (int i = 0; i < count; i++)
        to_key[i] = v3_normalize(frame_vector(&light, v2_scale(KEY_RADIUS, s->disc[i]), 1));
}

/* Unoccluded fraction of the key light; for light on the far side of cloth, the fraction that may
 * be transmitted. */
static double key_fraction(const vo_lighting *s, const vo_surface_hit *hit, int index) {
    bool behind = v3_dot(hit->normal, s->key) < 0;
    if (behind && (!hit->material || hit->material->transmission <= 0)) return 0;
    const vo_vec3 *to_key = s->to_key + index * s->samples;
    vo_vec3 from = behind ? v3_add_scaled(hit->x, -s->ray_bias, hit->flat)
                          : v3_add_scaled(hit->lifted, s->ray_bias, hit->flat);
    vo_ray ray[VO_RAY_BATCH];
    int lit = 0;
    for (int first = 0; first < s->samples; first += VO_RAY_BATCH) {
        int count = vo_min_int(s->samples - first, VO_RAY_BATCH);
        for (int i = 0; i < count; i++) ray[i] = (vo_ray){from, to_key[first + i], INFINITY};
        lit += count - __builtin_popcount(occluded_rays(s, count, ray, true));
    }
    return (double)lit / s->samples;
}

/* Radiance along an unoccluded ray. The ground is darker close below objects. */
static double unoccluded_radiance(const vo_lighting *s, const vo_ray *ray) {
    double rise = v3_dot(ray->direction, s->up);
    if (rise >= 0) return SKY_HORIZON + (SKY_ZENITH - SKY_HORIZON) * rise;
    return GROUND_LIGHT * vo_min(1, ray->t_max / (0.25 * s->scale));
}

/* Makes a ray to the sky or the ground, mirrored out of the face if necessary. */
static vo_ray sky_ray(const vo_lighting *s, const vo_surface_hit *hit, vo_vec3 from,
                      vo_vec3 direction) {
    double out = v3_dot(direction, hit->flat);
    if (out < 0) direction = v3_add_scaled(direction, -2 * out, hit->flat);
    double rise = v3_dot(direction, s->up);
    vo_ray ray = {from, direction, INFINITY};
    if (s->has_ground && rise < 0) ray.t_max = vo_max(0, (v3_dot(from, s->up) - s->ground) / -rise);
    return ray;
}

/* Sky light by cosine-weighted samples, which have equal weights. */
static double sky_fraction(const vo_lighting *s, const vo_surface_hit *hit, int index) {
    const vo_vec2 *disc = s->disc + index * s->samples;
    frame surface = frame_about(hit->normal);
    vo_vec3 from = v3_add_scaled(hit->lifted, s->ray_bias, hit->flat);
    vo_ray ray[VO_RAY_BATCH];
    double sum = 0;
    for (int first = 0; first < s->samples; first += VO_RAY_BATCH) {
        int count = vo_min_int(s->samples - first, VO_RAY_BATCH);
        for (int i = 0; i < count; i++) {
            vo_vec2 at = disc[first + i];
            double along = sqrt(vo_max(0, 1 - v2_dot(at, at)));
            ray[i] = sky_ray(s, hit, from, frame_vector(&surface, at, along));
        }
        unsigned occluded = occluded_rays(s, count, ray, false);
        for (int i = 0; i < count; i++)
            if (!(occluded >> i & 1)) sum += unoccluded_radiance(s, &ray[i]);
    }
    /* Normalised by the cosine-weighted mean of a + b cos over the hemisphere, a + 2 b / 3. */
    return sum / s->samples / (SKY_HORIZON + (SKY_ZENITH - SKY_HORIZON) * 2 / 3);
}

vo_light_sample vo_lighting_eval(const vo_lighting *s, const vo_surface_hit *hit, int index) {
    return (vo_light_sample){key_fraction(s, hit, index), sky_fraction(s, hit, index)};
}

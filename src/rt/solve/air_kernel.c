/* Aerodynamic drag and lift of the leaf triangles.
 *
 * u is the velocity of the air relative to the face, n its unit normal on the side to which u
 * points, and cos = n . u / |u|. Drag acts along u, lift across it in the plane of u and n:
 *     F = 1/2 rho A (n . u) ((c_d - c_l cos) u + c_l |u| n).
 * The impulse F dt is divided by 1 + |F| dt / (m |u|): the change of a face's velocity is less than
 * |u|, so air of any speed accelerates cloth at most to the speed of the air. A vertex receives the
 * mass-weighted mean of its faces' changes. */
#include "rt/solve/face_kernel.h"
#include "rt/solve/kernels.h"

typedef struct fan_constants {
    vo_v8 position, direction;
    vo_f8 speed, cosine, inverse_spread, inverse_range;
} fan_constants;

typedef struct air_constants {
    vo_v8 wind;
    int fan_count;
    fan_constants fan[VO_RT_MAX_FANS];
    vo_f8 quarter_density_dt, drag, lift, surface_density;
} air_constants;

/* False: the fan has no effect. */
static bool prepare_fan(const vo_rt_fan *fan, fan_constants *out) {
    vo_rt_vec3 direction = f3_normalize(fan->direction);
    if (!(fan->range > 0) || !(fan->angle > 0) || !(f3_length2(direction) > 0)) return false;
    float cosine = cosf(f_min(fan->angle, 3.14159265f));
    out->position = v8_set(fan->position.x, fan->position.y, fan->position.z);
    out->direction = v8_set(direction.x, direction.y, direction.z);
    out->speed = f8_set(fan->speed);
    out->cosine = f8_set(cosine);
    out->inverse_spread = f8_set(1 / f_max(1 - cosine, 1e-6f));
    out->inverse_range = f8_set(1 / fan->range);
    return true;
}

static void prepare_air(const vo_rt_air *air, const vo_rt_fabric *fabric, float dt,
                        air_constants *c) {
    c->wind = v8_set(air->wind.x, air->wind.y, air->wind.z);
    c->fan_count = 0;
    for (int i = 0; i < air->fan_count && i < VO_RT_MAX_FANS; i++)
        c->fan_count += prepare_fan(&air->fan[i], &c->fan[c->fan_count]);
    c->quarter_density_dt = f8_set(0.25f * air->density * dt);
    c->drag = f8_set(fabric->drag);
    c->lift = f8_set(fabric->lift);
    c->surface_density = f8_set(fabric->density);
}

/* The speed falls linearly with the cosine of the angle to the axis and with the distance. */
VO_INLINE vo_v8 eval_fan(const fan_constants *fan, vo_v8 x) {
    const vo_f8 zero = f8_set(0), one = f8_set(1);
    vo_v8 r = v8_sub(x, fan->position);
    vo_f8 distance = f8_sqrt(v8_dot(r, r));
    vo_f8 cosine = f8_divide(v8_dot(r, fan->direction), distance, 1e-12f);
    vo_f8 spread = f8_clamp((cosine - fan->cosine) * fan->inverse_spread, zero, one);
    vo_f8 reach = f8_max(one - distance * fan->inverse_range, zero);
    return v8_scale(fan->speed * spread * reach, fan->direction);
}

/* Impulse per unit of face mass: the change of the face's velocity. |F| / |u| is bounded by the sum
 * of the coefficients of the two parts, which saves a square root. */
VO_INLINE vo_v8 eval_change(const air_constants *c, vo_v8 u, vo_v8 area_normal, vo_f8 mass) {
    vo_f8 flow = v8_dot(area_normal, u), u2 = v8_dot(u, u);
    vo_f8 inverse = f8_divide(f8_set(1), f8_sqrt(v8_dot(area_normal, area_normal) * u2), 1e-18f);
    vo_f8 along = c->drag - c->lift * f8_abs(flow) * inverse;
    vo_f8 across = c->lift * u2 * inverse;
    vo_v8 n = v8_scale(f8_select(flow < f8_set(0), -across, across), area_normal);
    vo_f8 factor = c->quarter_density_dt * f8_abs(flow);
    vo_f8 bound = mass + factor * (f8_abs(along) + c->lift);
    return v8_scale(f8_divide(factor, bound, 1e-30f), v8_add_scaled(n, along, u));
}

VO_INLINE vo_v8 mean_of_corners(const vo_v8 p[3]) {
    return v8_scale(f8_set(1.0f / 3), v8_add(v8_add(p[0], p[1]), p[2]));
}

VO_INLINE void apply_to_faces(vo_rt_front *front, const air_constants *c, const face_lanes *f) {
    vo_v8 x[3], v[3];
    vo_f8 w[3], unused;
    for (int i = 0; i < 3; i++) x[i] = v8_gather(front->position, f->vertex[i], &w[i]);
    for (int i = 0; i < 3; i++) v[i] = v8_gather(front->velocity, f->vertex[i], &unused);
    vo_v8 air = c->wind, centre = mean_of_corners(x);
    for (int i = 0; i < c->fan_count; i++) air = v8_add(air, eval_fan(&c->fan[i], centre));
    vo_v8 normal = v8_cross(v8_sub(x[1], x[0]), v8_sub(x[2], x[0]));
    vo_f8 mass = c->surface_density * f8_load(f->area);
    vo_v8 change = eval_change(c, v8_sub(air, mean_of_corners(v)), normal, mass);
    /* Share of the face in the mass of its corners; at most 1, also if masses and density differ.
     */
    for (int i = 0; i < 3; i++) w[i] = f8_min(w[i] * mass * f8_set(1.0f / 3), f8_set(1));
    add_to_corners(front->velocity, f, change, w);
}

void VO_KERNEL(vo_rt_apply_air)(vo_rt_front *front, const vo_rt_air *air,
                                const vo_rt_fabric *fabric, float dt) {
    air_constants c;
    prepare_air(air, fabric, dt, &c);
    VO_RT_FOR_GROUPS(i, (front->triangle_count + VO_F8_LANES - 1) / VO_F8_LANES) {
        face_lanes f;
        load_faces(&f, front, i * VO_F8_LANES);
        apply_to_faces(front, &c, &f);
    }
}

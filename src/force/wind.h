/* Wind: aerodynamic forces normal and tangential to the cloth.
 *
 * With the velocity of a face relative to the air split into a normal part un n and a tangential
 * part ut, the force on a face of area a is f = -a (density |un| un n + drag ut). Its derivative by
 * velocity is part of the implicit step, lumped to the nodes, so light cloth in strong wind stays
 * stable; for uniform velocity the lumped form is exact. */
#ifndef VO_FORCE_WIND_H
#define VO_FORCE_WIND_H

#include "math/mat.h"
#include "math/simd.h"

typedef struct vo_wind {
    double density;   /* kg/m^3 */
    vo_vec3 velocity; /* m/s */
    double drag;      /* kg/(m^2 s) */
} vo_wind;

static inline bool vo_wind_is_active(const vo_wind *wind) {
    return wind->density != 0 || wind->drag != 0;
}

/* Returns the force on a face, N; `face_velocity` is the mean of its nodes' velocities. */
vo_vec3 vo_wind_force(const vo_wind *wind, double area, const vo_vec3 x[3], vo_vec3 face_velocity);

/* Wind on four faces: force, and its negative derivative by velocity as across n n^T + along I. */
typedef struct vo_wind4 {
    vo_p4 force, normal;
    vo_d4 across, along;
} vo_wind4;

VO_INLINE vo_wind4 vo_wind4_eval(const vo_wind *wind, vo_d4 area, const vo_p4 x[3],
                                 const vo_p4 v[3]) {
    vo_p4 n = p4_cross(p4_sub(x[1], x[0]), p4_sub(x[2], x[0]));
    vo_d4 length2 = p4_dot(n, n);
    vo_d4 inverse = d4_select(length2 > d4_set(0), d4_set(1) / d4_sqrt(length2), d4_set(0));
    n = p4_scale(inverse, n);
    vo_p4 mean = p4_scale(d4_set(1.0 / 3), p4_add(v[0], p4_add(v[1], v[2])));
    vo_p4 air = {d4_set(wind->velocity.x), d4_set(wind->velocity.y), d4_set(wind->velocity.z)};
    vo_p4 u = p4_sub(mean, air);
    vo_d4 un = p4_dot(u, n), speed = d4_abs(un);
    vo_p4 ut = p4_sub(u, p4_scale(un, n));
    vo_d4 pressure = area * d4_set(wind->density) * speed, friction = area * d4_set(wind->drag);
    vo_p4 f = p4_add(p4_scale(pressure * un, n), p4_scale(friction, ut));
    return (vo_wind4){p4_scale(d4_set(-1), f), n, d4_set(2) * pressure - friction, friction};
}

#endif

#include "force/wind.h"

vo_vec3 vo_wind_force(const vo_wind *wind, double area, const vo_vec3 x[3], vo_vec3 face_velocity) {
    vo_vec3 n = v3_normalize(v3_cross(v3_sub(x[1], x[0]), v3_sub(x[2], x[0])));
    vo_vec3 u = v3_sub(face_velocity, wind->velocity);
    double un = v3_dot(u, n);
    vo_vec3 ut = v3_add_scaled(u, -un, n);
    vo_vec3 press = v3_scale(wind->density * fabs(un) * un, n);
    return v3_scale(-area, v3_add_scaled(press, wind->drag, ut));
}

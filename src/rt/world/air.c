/* Air of a world: wind with turbulence, and fans. */
#include "rt/world/world.h"

/* Wind with turbulence: two incommensurate oscillations, the same for all cloths. */
void vo_rt_air_update(vo_rt_world *w) {
    const vo_rt_world_inputs *in = &w->input;
    float t = (float)fmod(w->time, 1000.0);
    float gust = in->turbulence * (0.6f * sinf(5.1f * t) + 0.4f * sinf(13.7f * t + 1.3f));
    w->air.wind = f3_scale(1 + gust, in->wind);
    w->air.density = 1.2f;
    w->air.fan_count = in->fan_count;
    for (int i = 0; i < in->fan_count; i++) w->air.fan[i] = in->fan[i];
}

/* Velocity of the air of a fan, as in solve/air_kernel.c. */
static vo_rt_vec3 fan_velocity(const vo_rt_fan *fan, vo_rt_vec3 x) {
    vo_rt_vec3 direction = f3_normalize(fan->direction), r = f3_sub(x, fan->position);
    float distance = f3_length(r), limit = cosf(f_min(fan->angle, 3.14159265f));
    if (!(distance < fan->range) || !(distance > 0)) return f3(0, 0, 0);
    float cosine = f3_dot(r, direction) / distance;
    float spread = f_clamp((cosine - limit) / f_max(1 - limit, 1e-6f), 0, 1);
    return f3_scale(fan->speed * spread * (1 - distance / fan->range), direction);
}

vo_rt_vec3 vo_rt_air_find(const vo_rt_cloth *c) {
    const vo_rt_air *air = &c->world->air;
    vo_rt_vec3 middle = f3_lerp(c->state.min, c->state.max, 0.5f), sum = air->wind;
    for (int i = 0; i < air->fan_count; i++) sum = f3_add(sum, fan_velocity(&air->fan[i], middle));
    return sum;
}

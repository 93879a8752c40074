/* Defaults of the definitions of worlds and cloths. */
#include "rt/world/world.h"

vo_rt_transform vo_rt_transform_identity(void) {
    return (vo_rt_transform){.rotation = {0, 0, 0, 1}};
}

vo_rt_adaption vo_rt_adaption_default(void) {
    return (vo_rt_adaption){.max_angle = 0.5f,
                            .max_deviation = 0.004f,
                            .min_length = 0.008f,
                            .collision = true,
                            .proximity = 0.008f,
                            .join_wait = 10,
                            .join_ratio = 0.6f};
}

vo_rt_world_def vo_rt_world_def_default(void) {
    return (vo_rt_world_def){.threads = 1,
                             .max_cloths = 64,
                             .max_bodies = 64,
                             .pool_bytes = (size_t)32 << 20,
                             .gravity = {0, -9.81f, 0},
                             .minor_rate = 120,
                             .minor_per_major = 4,
                             .substeps = 4,
                             .max_steps_per_call = 16,
                             .max_speed = 50,
                             .lod = {.edge_pixels = 6,
                                     .margin = 0.15f,
                                     .far_distance = 25,
                                     .far_rate_divisor = 4,
                                     .park_off_screen = true},
                             .max_contact_events = 256};
}

vo_rt_cloth_def vo_rt_cloth_def_default(void) {
    return (vo_rt_cloth_def){.transform = vo_rt_transform_identity(),
                             .adaption = vo_rt_adaption_default(),
                             .max_level = VO_RT_MAX_LEVEL,
                             .collision_mask = UINT32_MAX,
                             .stretch_limit = 0.05f,
                             .compression = 0.1f,
                             .self_thickness = 0.002f,
                             .linear_inertia = 1,
                             .angular_inertia = 1,
                             .centrifugal_inertia = 1};
}

/* Table of the kernels of one instruction set. */
#include "math/simd_float.h"

#include "rt/solve/kernels.h"

const vo_rt_solve_kernels VO_KERNEL(vo_rt_solve_kernels) = {
    .predict = VO_KERNEL(vo_rt_predict),
    .finish = VO_KERNEL(vo_rt_finish),
    .project_springs = VO_KERNEL(vo_rt_project_springs),
    .limit_springs = VO_KERNEL(vo_rt_limit_springs),
    .apply_spring_forces = VO_KERNEL(vo_rt_apply_spring_forces),
    .project_levels = VO_KERNEL(vo_rt_project_levels),
    .bend_levels = VO_KERNEL(vo_rt_bend_levels),
    .project_contacts = VO_KERNEL(vo_rt_project_contact_groups),
    .damp_springs = VO_KERNEL(vo_rt_damp_springs),
    .project_bends = VO_KERNEL(vo_rt_project_bends),
    .apply_air = VO_KERNEL(vo_rt_apply_air),
    .compute_normals = VO_KERNEL(vo_rt_compute_normals),
    .measure_bends = VO_KERNEL(vo_rt_measure_bends),
};

/* Hot loops of the solver, eight lanes wide, and the constants that they share.
 *
 * The *_kernel.c files of this folder are compiled once per instruction set; vo_rt_solve_kernels
 * lists the functions of a variant. During a substep front.velocity holds the positions at the
 * start of the substep: velocities are differences of positions, so no third array is needed. */
#ifndef VO_RT_SOLVE_KERNELS_H
#define VO_RT_SOLVE_KERNELS_H

#include "rt/solve/solve.h"

/* Constants of the substeps of a minor step. */
typedef struct vo_rt_substep vo_rt_substep;
struct vo_rt_levels;

/* One pass over the springs. */
typedef struct vo_rt_spring_pass {
    float compliance;  /* m s^-2/N per metre of width: compliance / h^2 */
    float limit;       /* elongation beyond which a spring is projected without compliance */
    float compression; /* fraction of the rest length, resisted with the force of buckling only */
    float buckling;    /* pi^2 * bend_stiffness * h^2, N m s^2 */
} vo_rt_spring_pass;

/* One pass over the bending elements. */
typedef struct vo_rt_bend_pass {
    float stiffness; /* bend_stiffness * interval^2, N m s^2 */
    float scale;     /* of the displacements: duration of a substep / interval */
    float lookahead; /* substeps from the end of this substep to the end of the interval */
} vo_rt_bend_pass;

typedef struct vo_rt_solve_kernels {
    /* Starts a substep. The first one of a step reads velocities, the others the differences of
     * positions left by the previous substep. Returns the number of clamped velocities. */
    int (*predict)(vo_rt_front *front, const vo_rt_substep *substep, bool is_first);
    /* Ends the last substep: velocities, speed and finite check. */
    vo_rt_solve_result (*finish)(vo_rt_front *front, const vo_rt_substep *substep);
    /* XPBD projection of stretch, with the stretch limit. */
    void (*project_springs)(vo_rt_front *front, const vo_rt_spring_pass *pass);
    /* Provot's correction: shortens springs beyond the limit to the limit. */
    void (*limit_springs)(vo_rt_front *front, const vo_rt_spring_pass *pass);
    /* Spring forces at the start of the substep, added to the predicted positions (Verlet). */
    void (*apply_spring_forces)(vo_rt_front *front, const vo_rt_spring_pass *pass);
    /* Coarse-to-fine projection of the split edges (levels.h). */
    void (*project_levels)(struct vo_rt_levels *levels, vo_rt_front *front);
    /* Coarse-to-fine bending of the split edges; pass->stiffness is that of the fabric. */
    void (*bend_levels)(struct vo_rt_levels *levels, vo_rt_front *front,
                        const vo_rt_bend_pass *pass);
    /* vo_rt_project_contacts for groups. */
    void (*project_contacts)(vo_rt_front *front, vo_rt_contact_group *groups, int count, float time,
                             float h);
    /* Internal damping: viscosity * dt, m^2. */
    void (*damp_springs)(vo_rt_front *front, float viscosity_dt);
    void (*project_bends)(vo_rt_front *front, const vo_rt_bend_pass *pass);
    /* Drag and lift of the leaf triangles during dt, added to the velocities. */
    void (*apply_air)(vo_rt_front *front, const vo_rt_air *air, const vo_rt_fabric *fabric,
                      float dt);
    /* Area-weighted unit normals of `position` [vertex_end] into front.normal; zero for vertices
     * without a triangle of positive area. */
    void (*compute_normals)(vo_rt_front *front, const vo_rt_vec4 *position);
    /* front.bend_cosine; 1 beside triangles without area and in unused lanes. */
    void (*measure_bends)(vo_rt_front *front);
} vo_rt_solve_kernels;

extern const vo_rt_solve_kernels vo_rt_solve_kernels_base, vo_rt_solve_kernels_avx2;

static inline const vo_rt_solve_kernels *vo_rt_solve_select_kernels(bool use_avx2) {
#ifdef VO_HAVE_AVX2_KERNELS
    if (use_avx2) return &vo_rt_solve_kernels_avx2;
#endif
    (void)use_avx2;
    return &vo_rt_solve_kernels_base;
}

/* Iterates over the groups in the fixed order of Gauss-Seidel passes: four interleaved quarters of
 * the list. Neighbouring groups often share vertices, so that each would wait for the results of
 * the previous one; groups of different quarters overlap in the processor (measured for springs: 33
 * in place of 39 us for 1,191 groups). The order must not alternate between substeps: that makes a
 * single pass per substep unstable. */
#define VO_RT_FOR_GROUPS(i, count)                                            \
    for (int quarter_ = ((count) + 3) / 4, row_ = 0; row_ < quarter_; row_++) \
        for (int i = row_; i < (count); i += quarter_)

/* Functions of the kernel files of one variant, for its table. */
#ifdef VO_KERNEL_SUFFIX
int VO_KERNEL(vo_rt_predict)(vo_rt_front *front, const vo_rt_substep *substep, bool is_first);
vo_rt_solve_result VO_KERNEL(vo_rt_finish)(vo_rt_front *front, const vo_rt_substep *substep);
void VO_KERNEL(vo_rt_project_springs)(vo_rt_front *front, const vo_rt_spring_pass *pass);
void VO_KERNEL(vo_rt_limit_springs)(vo_rt_front *front, const vo_rt_spring_pass *pass);
void VO_KERNEL(vo_rt_apply_spring_forces)(vo_rt_front *front, const vo_rt_spring_pass *pass);
void VO_KERNEL(vo_rt_project_levels)(struct vo_rt_levels *levels, vo_rt_front *front);
void VO_KERNEL(vo_rt_bend_levels)(struct vo_rt_levels *levels, vo_rt_front *front,
                                  const vo_rt_bend_pass *pass);
void VO_KERNEL(vo_rt_project_contact_groups)(vo_rt_front *front, vo_rt_contact_group *groups,
                                             int count, float time, float h);
void VO_KERNEL(vo_rt_damp_springs)(vo_rt_front *front, float viscosity_dt);
void VO_KERNEL(vo_rt_project_bends)(vo_rt_front *front, const vo_rt_bend_pass *pass);
void VO_KERNEL(vo_rt_apply_air)(vo_rt_front *front, const vo_rt_air *air,
                                const vo_rt_fabric *fabric, float dt);
void VO_KERNEL(vo_rt_compute_normals)(vo_rt_front *front, const vo_rt_vec4 *position);
void VO_KERNEL(vo_rt_measure_bends)(vo_rt_front *front);
#endif

#endif

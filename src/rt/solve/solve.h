/* Time stepping of one cloth on its leaf lists.
 *
 * XPBD with small substeps (Macklin et al. 2019): each substep predicts positions, projects every
 * group of constraints once, and updates velocities. Verlet (Simnett et al. 2010; Provot 1995):
 * spring forces, Verlet integration, then corrections of springs beyond the stretch limit.
 *
 * Stretch. A sheet of 1 m that hangs from one edge, 120 Hz, no tethers: 99th percentile of the
 * elongation at rest after 5 s, and the cost of a minor step without air relative to the first
 * column:
 *     substeps x passes          4 x 1        4 x 2        8 x 1       16 x 1
 *     33 rows, 2,178 faces    6.3 %  1.0   3.1 %  1.4   1.6 %  1.5   0.4 %  2.6
 *     56 rows, 6,272 faces   16.5 %  1.0   6.7 %  1.5   3.6 %  1.5   1.0 %  2.5
 * Elongation decreases with the square of the number of substeps but linearly with that of passes,
 * so there is one pass per substep, and fine meshes use more substeps than the definition: 6 for
 * the first sheet, 10 for the second (solve.c). The 99th percentile then stays below 5 % also while
 * the sheets are falling into place (4.2 % and 3.8 %). Cloth that hangs from single points carries
 * its weight with few springs: a flag of 0.35 m^2 held at two corners has 4 to 5 % at rest and up
 * to 10 % for a second after a fall. Over-relaxation (1.2) and an order of the groups that
 * alternates between substeps are unstable with one pass; two passes in opposite orders leave more
 * than twice the elongation of two in the same order. Tethers of 7 or 14 rows of base vertices
 * reduce the 16.5 % of the second sheet to 5.6 and 7.2 % at 4 substeps; those of 4 rows have no
 * effect.
 *
 * On a refined front the split edges carry the load (levels.h), so that base edges determine the
 * number of substeps; in the last substeps, passes of Provot's correction that alternate with
 * contacts shorten the leaf springs that are left beyond the limit. A T-shirt of 6,100 triangles
 * with edges of 8 to 100 mm on a body has 4.2 % of stretch at 4 substeps; 5.3 % if contacts are
 * solved at the end only.
 *
 * Compression. A spring resists with the force at which a strip of its length buckles, up to the
 * given compression (10 % by default), and fully beyond: stiffer springs lock coarse triangles, and
 * the length that is left over gathers in crumpled folds of the smallest ones.
 *
 * Bending passes are three times as expensive as spring passes. They run 120 times per second, and
 * more often if fine or stiff elements would lose their stiffness (solve.c).
 *
 * Cost on one core of 2.6 GHz with AVX2, 3,249 vertices, 9,520 springs, 9,296 bends, 6,272 faces:
 * spring pass 28 us, prediction 7 us, bending pass 88 us, air 60 us, normals 30 us, each about 20
 * to 60 % more while the other core is busy. A minor step without air takes 0.25 ms with 4 substeps
 * and 0.44 ms with the 10 that the sheet needs. */
#ifndef VO_RT_SOLVE_SOLVE_H
#define VO_RT_SOLVE_SOLVE_H

#include "rt/asset/asset.h"
#include "rt/hierarchy/front.h"

enum { VO_RT_MAX_AIR_FANS = VO_RT_MAX_FANS };

/* Air around a cloth. */
typedef struct vo_rt_air {
    vo_rt_vec3 wind; /* m/s, including turbulence at this time */
    int fan_count;
    vo_rt_fan fan[VO_RT_MAX_FANS];
    float density; /* kg/m^3; 1.2 */
} vo_rt_air;

/* Parameters of a minor step. */
typedef struct vo_rt_solve_def {
    float dt;     /* s, duration of the minor step */
    int substeps; /* at least 1; the solver uses up to six times as many for long cloth */
    vo_rt_solver solver;
    vo_rt_vec3 gravity;
    vo_rt_fabric fabric;
    float stretch_limit, compression;
    float max_speed;
    float link_strength;           /* 0 to 1 */
    vo_rt_vec3 frame_acceleration; /* m/s^2, fictitious acceleration of local-space inertia */
    struct vo_rt_levels *levels;   /* split edges (levels.h); NULL: none */
    /* [vo_rt_contact_group_limit(contact_count)] memory of the caller, used until the end of the
     * step; NULL: contacts are solved one at a time */
    struct vo_rt_contact_group *contact_groups;
    const vo_rt_air *air;            /* NULL: vacuum */
    vo_rt_constraint_fn *constraint; /* of the host; NULL: none */
    void *constraint_user;
    double time;   /* s, simulated time at the start, for the constraint */
    bool use_avx2; /* kernels for AVX2, bit-identical to the others; set it to vo_simd_has_avx2() */
} vo_rt_solve_def;

/* Contact of a vertex, or of a point between two, with a body, valid for a minor step: it
 * stays on the positive side of a plane that moves with the surface. */
typedef struct vo_rt_contact {
    vo_rt_vec3 point; /* m, at the start of the minor step */
    vo_rt_vec3 normal;
    vo_rt_vec3 velocity;      /* m/s */
    float friction;           /* combined coefficient */
    int32_t vertex;           /* slot */
    int32_t other;            /* slot of the second vertex; 0: none */
    float other_weight;       /* of the second vertex */
    int32_t body;             /* index in the world */
    int32_t feature;          /* hint */
    float impulse;            /* N s, normal impulse accumulated in the step; solver */
    vo_rt_vec3 force_impulse; /* N s, total impulse on the vertex; solver */
} vo_rt_contact;

/* Eight contacts of different vertices during a minor step, copied from the list. */
typedef struct vo_rt_contact_group {
    int32_t vertex[VO_RT_LANES]; /* slots; 0: unused lane */
    float point[3][VO_RT_LANES], normal[3][VO_RT_LANES], velocity[3][VO_RT_LANES];
    float friction[VO_RT_LANES];
    float impulse[VO_RT_LANES], force[3][VO_RT_LANES]; /* N s, accumulated */
} vo_rt_contact_group;

/* Groups that suffice for a number of contacts. */
static inline int vo_rt_contact_group_limit(int contacts) { return contacts / VO_RT_LANES + 2; }

/* Slots [begin, end) that contain all vertices with some property. */
typedef struct vo_rt_slots {
    int begin, end;
} vo_rt_slots;

typedef struct vo_rt_solve_result {
    int clamped_velocities;
    bool is_finite;  /* false: some position is not finite */
    float max_speed; /* m/s, of any vertex at the end */
} vo_rt_solve_result;

/* Advances the leaf lists by one minor step: forces, substeps, contacts with friction, attachments
 * (front.target at the end of the step), distance and backstop limits, tethers, links. `previous`
 * is set to the positions at the start. Never allocates. */
vo_rt_solve_result vo_rt_solve_step(const vo_rt_asset *asset, vo_rt_front *front,
                                    vo_rt_contact *contacts, int contact_count,
                                    const vo_rt_solve_def *def);

/* The same in parts, for cloths that collide with each other: begin, every substep of all cloths in
 * turn, end. The struct belongs to the caller and must
 * not move, its members to solve.c. */
typedef struct vo_rt_minor_step {
    const vo_rt_asset *asset;
    vo_rt_front *front;
    vo_rt_contact *contacts;
    int contact_count;
    int grouped, group_count; /* contacts that are in groups: the first ones of the list */
    vo_rt_solve_def own_def;
    const vo_rt_solve_def *def; /* own_def */
    const struct vo_rt_solve_kernels *kernels;
    int substeps;
    struct vo_rt_substep {
        float h, inverse_h;      /* s, 1/s */
        vo_rt_vec3 acceleration; /* m/s^2, of all free vertices */
        float retention;         /* exp(-damping h) */
        float max_speed;         /* m/s */
    } substep;
    struct vo_rt_pose_slots {
        vo_rt_slots prescribed; /* attachment weight 1 */
        vo_rt_slots pulled;     /* attachment weight between 0 and 1 */
        vo_rt_slots limited;    /* maximum distance */
        vo_rt_slots backstop;
        float mean_mass; /* kg, of all vertices */
    } slots;
    int bend_interval; /* substeps */
    int clamped;       /* velocities */
} vo_rt_minor_step;

/* Starts a minor step; the number of substeps that it needs is step->substeps, 0 if dt is 0. */
void vo_rt_solve_begin(vo_rt_minor_step *step, const vo_rt_asset *asset, vo_rt_front *front,
                       vo_rt_contact *contacts, int contact_count, const vo_rt_solve_def *def);
/* Sets the number of substeps, before the first. */
void vo_rt_solve_set_substeps(vo_rt_minor_step *step, int substeps);
/* Runs a substep, in ascending order of `index`. During the substeps, front.velocity holds the
 * positions at the start of the substep. */
void vo_rt_solve_run(vo_rt_minor_step *step, int index);
/* Ends the step: velocities. */
vo_rt_solve_result vo_rt_solve_end(vo_rt_minor_step *step);

/* Area-weighted unit normals of the leaf vertices. */
void vo_rt_solve_normals(vo_rt_front *front);
/* front.bend_cosine of the present positions. */
void vo_rt_solve_bend_cosines(vo_rt_front *front);

/* Elongation of springs at the given percentile (0 to 1) as a fraction, by histogram; never
 * negative. */
float vo_rt_solve_stretch(const vo_rt_front *front, float percentile);

#endif

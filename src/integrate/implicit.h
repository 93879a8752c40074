/* One linearised backward Euler step (Baraff and Witkin 1998, eq. 6):
 *
 *     (M + dt D + dt^2 K) dv = dt (f - dt K v - D v'),   v += dv,   x += dt v
 *
 * with K the positive semidefinite part of the elastic Hessian and stiffness-proportional damping.
 * The unknowns are the velocity changes of all nodes of all cloths; pinned rows are eliminated. */
#ifndef VO_INTEGRATE_IMPLICIT_H
#define VO_INTEGRATE_IMPLICIT_H

#include "collide/contact.h"
#include "force/springs.h"
#include "force/wind.h"
#include "integrate/assemble.h"
#include "linalg/couplings.h"
#include "linalg/solver.h"

typedef struct vo_implicit_def {
    double dt; /* s */
    vo_vec3 gravity;
    vo_wind wind;
    bool direct; /* uses the direct solver in every step */
    double tolerance;
    int max_iterations;
} vo_implicit_def;

/* Constraints of a step. */
typedef struct vo_constraints {
    int pin_count, anchor_count, tie_count, contact_count;
    const vo_pin *pin;
    const vo_anchor *anchor;
    const vo_tie *tie;         /* only between rows that are coupled in the system's pattern */
    const vo_contact *contact; /* node indices are the system's global nodes */
} vo_constraints;

typedef struct vo_implicit {
    vo_context *ctx;
    vo_system system;
    vo_block_matrix matrix;
    vo_couplings couplings; /* blocks of contacts between rows that the pattern does not couple */
    vo_pcg *pcg;
    vo_direct *direct;        /* created on first use */
    vo_vec4 *x;               /* [row_count] m */
    vo_vec4 *v;               /* [row_count] m/s */
    vo_vec4 *b;               /* [row_count] right-hand side, kg m/s */
    vo_vec4 *dv;              /* [row_count] result, m/s */
    vo_vec4 *guess;           /* [row_count] warm start: dv of the last successful step */
    vo_vec4 *previous_dv;     /* [row_count] dv of the step before that */
    bool has_previous_dv;     /* previous_dv is valid */
    vo_strain_offset *offset; /* [face_count] in the order of system.face_number; initially zero */
    double fade;              /* factor of the offsets; 0, the initial value: they are not read */
    double *slack; /* [face_count] of buckling compensation, in the same order; initially 0 */
    double *slack_target; /* [face_count] value that slack approaches */
    bool has_slack;       /* some face has slack; else slack is not read */
    bool slack_is_fading; /* some slack has not reached its target */
    double *scratch;      /* scratch of the assembly */
    double limited_area;  /* m^2, area of the largest cloth with strain limits; 0: none */
    double *excess;       /* [chunk_count] scratch of the strain limits */
    unsigned char *fixed; /* [row_count] 1: pinned in this step, or massless */
} vo_implicit;

typedef enum vo_step_outcome {
    VO_STEP_SOLVED,     /* dv solves the system and leads to a bounded state */
    VO_STEP_UNSOLVED,   /* not solved; a shorter step may succeed */
    VO_STEP_NOT_FINITE, /* forces or velocities are not finite; no step can succeed */
    VO_STEP_NO_MEMORY,  /* memory exhausted, for contacts or the direct solver */
} vo_step_outcome;

typedef struct vo_implicit_report {
    vo_step_outcome outcome;
    bool fell_back; /* conjugate gradients failed and the fallback solver was used */
    int iterations;
    double residual;
    double assemble_s, solve_s;
} vo_implicit_report;

vo_result vo_implicit_create(vo_context *ctx, int cloth_count, const vo_system_cloth *cloth,
                             int tie_count, const int (*ties)[2], vo_implicit *out);
void vo_implicit_free(vo_implicit *implicit);

/* Creates the direct solver in advance. */
vo_result vo_implicit_create_direct(vo_implicit *implicit);

/* Computes dv from x and v; changes v of pinned rows only. */
vo_implicit_report vo_implicit_solve(vo_implicit *implicit, const vo_implicit_def *def,
                                     const vo_constraints *constraints);
/* v += dv, x += dt v; stores dv as the next warm start. */
void vo_implicit_apply(vo_implicit *implicit, double dt);
/* Discards previous_dv, so that the next warm start is the last dv alone: at frames from which a
 * run may be resumed, which store only that, and after guess[] was changed. */
void vo_implicit_drop_previous_dv(vo_implicit *implicit);
/* Replaces fixed rows and columns by those of the identity. Requires a symmetrised matrix. */
void vo_implicit_clear_fixed(vo_implicit *implicit);
/* Returns true if dv leads to positions and velocities within bounds. */
bool vo_implicit_result_is_bounded(const vo_implicit *implicit, double dt);
/* slack.c: buckling compensation of a face, by its global number (first_face of its cloth plus its
 * index): 0 for full compression stiffness, 1 - alpha if it is reduced (material/buckle.h). Cloth
 * that is supported by its compression stiffness would drop if that changed at once, so slack
 * approaches a target at the rate at which offsets fade. */
typedef double vo_slack_target_fn(const void *user, int face);
void vo_implicit_set_slack_targets(vo_implicit *implicit, vo_slack_target_fn *target,
                                   const void *user);
void vo_implicit_set_slack(vo_implicit *implicit, int face, double now);
double vo_implicit_get_slack(const vo_implicit *implicit, int face);
/* Moves slack towards its targets; `left` = exp(-dt / fade time) of the difference remains. */
void vo_implicit_fade_slack(vo_implicit *implicit, double left);

/* Replaces a step: sets all velocities to zero except those of pinned rows, which move on. */
void vo_implicit_freeze(vo_implicit *implicit, double dt, const vo_constraints *constraints);

#endif

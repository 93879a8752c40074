/* One linearised backward Euler step (Baraff and Witkin 1998, eq. 6):
 *
 *     (M + dt D + dt^2 K) dv = dt (f - dt K v - D v'),   v += dv,   x += dt v
 *
 * with K the positive semidefinite part of the elastic Hessian and damping proportional to it. The
 * unknowns are the velocity changes of all nodes of all cloths; pinned rows are taken out. */
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
    bool direct; /* factorise at every step */
    double tolerance;
    int max_iterations;
} vo_implicit_def;

/* What holds the cloth during this step. */
typedef struct vo_constraints {
    int pin_count, anchor_count, tie_count, contact_count;
    const vo_pin *pin;
    const vo_anchor *anchor;
    const vo_tie *tie;         /* only between rows that were coupled when the system was built */
    const vo_contact *contact; /* the surface's cloth nodes are the system's global nodes */
} vo_constraints;

typedef struct vo_implicit {
    vo_context *ctx;
    vo_system system;
    vo_block_matrix matrix;
    vo_couplings couplings; /* of contacts, between rows that the pattern does not couple */
    vo_pcg *pcg;
    vo_direct *direct;    /* made when first needed */
    vo_vec4 *x;           /* [row_count] m */
    vo_vec4 *v;           /* [row_count] m/s */
    vo_vec4 *b;           /* [row_count] right side, kg m/s */
    vo_vec4 *dv;          /* [row_count] result, m/s */
    vo_vec4 *guess;       /* [row_count] dv of the last step that succeeded */
    vo_vec4 *earlier;     /* [row_count] what was in guess[] before that */
    bool has_earlier;     /* a step succeeded since vo_implicit_forget_earlier */
    vo_offset *offset;    /* [face_count] in the order of system.face_number; all zero at first */
    double fade;          /* what is left of the offsets: 0 at first, when they are not read */
    double *slack;        /* [face_count] of buckling compensation, likewise in that order; 0 at
                             first */
    double *slack_goal;   /* [face_count] what it goes to */
    bool loose;           /* a face has slack: else it is not read */
    bool slackens;        /* one is not yet at its goal */
    double *scratch;      /* of the assembly */
    double limited_area;  /* m^2, of the largest cloth with strain limits; 0: none has */
    double *excess;       /* [chunk_count] scratch of strain limits */
    unsigned char *fixed; /* [row_count] 1: pinned in this step, or without mass */
} vo_implicit;

typedef enum vo_step_outcome {
    VO_STEP_SOLVED,    /* dv solves the system and leads to a sane state */
    VO_STEP_UNSOLVED,  /* it does not; a shorter step may */
    VO_STEP_HOPELESS,  /* forces or velocities are not finite: no step will do */
    VO_STEP_NO_MEMORY, /* for contacts or for the direct solver */
} vo_step_outcome;

typedef struct vo_implicit_report {
    vo_step_outcome outcome;
    bool fell_back; /* conjugate gradients failed and the direct solver was asked */
    int iterations;
    double residual;
    double assemble_s, solve_s;
} vo_implicit_report;

vo_result vo_implicit_create(vo_context *ctx, int cloth_count, const vo_system_cloth *cloth,
                             int tie_count, const int (*ties)[2], vo_implicit *out);
void vo_implicit_free(vo_implicit *implicit);

/* Makes the direct solver now rather than when it is first needed. */
vo_result vo_implicit_need_direct(vo_implicit *implicit);

/* Fills dv from x and v; changes v only where rows are pinned. */
vo_implicit_report vo_implicit_solve(vo_implicit *implicit, const vo_implicit_def *def,
                                     const vo_constraints *constraints);
/* v += dv, x += dt v, and remembers dv for the next first guess. */
void vo_implicit_apply(vo_implicit *implicit, double dt);
/* The next first guess is the last dv alone: where a run may be resumed, since frames keep no more,
 * and where guess[] was changed. */
void vo_implicit_forget_earlier(vo_implicit *implicit);
/* Turns fixed rows and their columns into those of the identity, once blocks are mirrored. */
void vo_implicit_clear_fixed(vo_implicit *implicit);
/* Whether dv leads to positions and velocities within bounds. */
bool vo_implicit_leads_somewhere(const vo_implicit *implicit, double dt);
/* slack.c: buckling compensation of a face, by its global number (first_face of its cloth and on):
 * 0 for one that is as firm as its fabric, 1 - alpha for one that is not (material/buckle.h).
 * Cloth that compression holds up would drop if that changed at once, so there is a goal, which
 * the present value goes to as offsets fade. */
typedef double vo_slack_goal_fn(const void *user, int face);
void vo_implicit_aim_slack(vo_implicit *implicit, vo_slack_goal_fn *goal, const void *user);
void vo_implicit_set_slack(vo_implicit *implicit, int face, double now);
double vo_implicit_get_slack(const vo_implicit *implicit, int face);
/* By a step of which exp(-dt / fade time) is left. */
void vo_implicit_fade_slack(vo_implicit *implicit, double left);

/* In place of a step: everything stops where it is; only pinned rows move on. */
void vo_implicit_hold(vo_implicit *implicit, double dt, const vo_constraints *constraints);

#endif

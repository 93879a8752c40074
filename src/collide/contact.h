/* Repulsion and friction of one pair of close features, as the implicit step takes them in.
 *
 * Repulsion follows the potential E(d) = k a (h - d)^3 / (6 h) of the distance d below the
 * thickness h, with the stiffness k of the scene and the area a of the smaller feature (as ARCSim's
 * keys mean it): force and stiffness both begin at zero, so contacts come and go without a jerk. It
 * is linearised where the pair would be at the end of the step if velocities did not change, so
 * that what leaves anyway is not held back, and what comes in fast is met in time. A damping of
 * DAMPING steps makes contacts meet and part without bouncing:
 *
 *     a single stiff contact ends its step at 0.8 d + 0.1 (d' + h), with d' the distance it would
 *     have ended at (0 for what would have passed through): above zero, and at h after a while.
 *
 * Friction is Coulomb's; whoever makes contacts says how hard they press. What slides so fast that
 * friction will not stop it in this step gets that force and its exact derivative, which resists
 * only a change of direction. What is slower gets a drag: the force over the speed, taken
 * implicitly. Below the speed CREEP it is that of CREEP, so what should stick creeps, by less than
 * CREEP. */
#ifndef VO_COLLIDE_CONTACT_H
#define VO_COLLIDE_CONTACT_H

#include "collide/candidates.h"

typedef struct vo_contact_def {
    double dt;                /* s */
    double stiffness;         /* N/m for each m^2 */
    double friction;          /* cloth on cloth */
    double obstacle_friction; /* cloth on obstacles */
} vo_contact_def;

/* With w the weights, n the normal and s the direction of sliding the contact adds
 *     w wt (normal_mass n nt + drag (I - n nt - s st))      to the matrix, and
 *     w (impulse n - drag slip)                             to the right side. */
typedef struct vo_contact {
    int node[4];        /* of the surface */
    double weight[4];   /* their sum is 0 */
    vo_vec3 normal;     /* of length 1 */
    double normal_mass; /* kg */
    double impulse;     /* kg m/s */
    double drag;        /* kg */
    vo_vec3 slip;       /* m/s, velocity along the surface */
    vo_vec3 slide;      /* s: of length 1, or zero for what sticks or will */
    double share;    /* kg m/s, of repulsion alone: how contacts of a node share what presses it */
    double mass;     /* kg, that a push at the contact has to move */
    double friction; /* Coulomb's coefficient */
} vo_contact;

/* The contact of a near pair, without friction. In the surface, x1 is where the nodes would be with
 * the velocities they have; obstacles' nodes where they will be. False: nothing to add. */
bool vo_contact_make(const vo_contact_def *def, const vo_surface *surface, const vo_near *near,
                     vo_contact *out);

/* Gives it the friction of what is pressed with the impulse `push` in this step, kg m/s. */
void vo_contact_rub(vo_contact *contact, double push);

#endif

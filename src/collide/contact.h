/* Repulsion and friction of a proximity, linearised for the implicit step.
 *
 * The repulsion potential is E(d) = k a (h - d)^3 / (6 h) for a distance d below the thickness h,
 * with the stiffness k of the scene and the area a of the smaller feature (as ARCSim's keys define
 * it). Force and stiffness are zero at d = h, so contacts appear and vanish continuously. The
 * potential is linearised at the distance that the pair would have at the end of the step with
 * constant velocities, so that separating pairs are not held back and fast approaches are stopped
 * in time. A damping of DAMPING steps prevents bouncing:
 *
 *     a single stiff contact ends its step at 0.8 d + 0.1 (d' + h), where d' is the distance
 * without contact (0 if it would have passed through): above zero, and at h after some steps.
 *
 * Friction is Coulomb friction; the caller supplies the normal impulse. A pair that slides too fast
 * to be stopped within this step gets the friction force and its exact derivative, which resists
 * only changes of direction. A slower pair gets a viscous drag, friction force over speed, taken
 * implicitly. Below STICTION_SPEED the drag is that of STICTION_SPEED, so sticking contacts creep
 * at less than STICTION_SPEED. */
#ifndef VO_COLLIDE_CONTACT_H
#define VO_COLLIDE_CONTACT_H

#include "collide/candidates.h"

typedef struct vo_contact_def {
    double dt;                /* s */
    double stiffness;         /* N/m per m^2 */
    double friction;          /* cloth on cloth */
    double obstacle_friction; /* cloth on obstacles */
} vo_contact_def;

/* With w the weights, n the normal and s the direction of sliding the contact adds
 *     w wt (normal_mass n nt + drag (I - n nt - s st))      to the matrix, and
 *     w (impulse n - drag slip)                             to the right side. */
typedef struct vo_contact {
    int node[4];        /* surface nodes */
    double weight[4];   /* sum 0 */
    vo_vec3 normal;     /* unit vector */
    double normal_mass; /* kg */
    double impulse;     /* kg m/s */
    double drag;        /* kg */
    vo_vec3 slip;       /* m/s, tangential relative velocity */
    vo_vec3 slide;      /* s: unit vector; zero for contacts that stick or will stop in this step */
    double friction_weight; /* kg m/s, impulse of repulsion alone: weight by which the contacts of a
                               node divide its normal force */
    double mass;            /* kg, effective mass of the contact */
    double friction;        /* Coulomb's coefficient */
} vo_contact;

/* Computes the contact of a proximity, without friction. surface->x1 holds the positions after the
 * step with current velocities, and the end positions of obstacles. Returns false if the contact
 * exerts no force. */
bool vo_contact_make(const vo_contact_def *def, const vo_surface *surface,
                     const vo_proximity *proximity, vo_contact *out);

/* Sets friction and drag for a normal impulse in this step (kg m/s). */
void vo_contact_set_friction(vo_contact *contact, double normal_impulse);

#endif

/* Implicit primitives, from which bodies are composed by smooth unions and turned into meshes by
 * mesh/polygonise.h.
 *
 * A primitive is an ellipsoid or a *loft*: sections along the z axis of its frame, each with a
 * centre and three half sizes, joined by smooth curves. A loft with two sections is a tapered
 * capsule; one with ten sections is a thigh, a knee and a calf. Chains of capsules would need a
 * joint, and hence a bulge, wherever the girth changes its slope.
 *
 *        back  +y                  A section is a superellipse: round for square = 0, towards a
 *      .--+--.                     rectangle for 1. Front and back differ, as those of calves,
 *     (   |   )-- width, +x        chests and feet do; the curve is smooth across the middle.
 *      `--+--'
 *        front -y                                                                              */
#ifndef VO_MESH_IMPLICIT_H
#define VO_MESH_IMPLICIT_H

#include "math/quat.h"

enum { VO_IMPLICIT_MAX_SECTIONS = 16 };

/* Section of a loft, m. */
typedef struct vo_section {
    double z;                  /* ascending */
    double x, y;               /* centre */
    double width, front, back; /* half sizes */
} vo_section;

typedef struct vo_implicit_form {
    vo_transform placement; /* frame of the primitive -> body */
    double blend_radius;    /* m, of the smooth union with the previous primitives */

    vo_vec3 radii;     /* of an ellipsoid at the origin; x = 0: a loft */
    int section_count; /* sections of a loft */
    vo_section section[VO_IMPLICIT_MAX_SECTIONS];
    double square; /* 0 to 1 */
    double cap;    /* m, length of the rounded ends; positive */

    /* Set by vo_implicit_form_finish. */
    vo_section slope[VO_IMPLICIT_MAX_SECTIONS]; /* per metre of z */
    vo_vec3 bound_centre;                       /* centre of a bounding sphere, in the body */
    double bound_radius;                        /* m, radius of the bounding sphere */
} vo_implicit_form;

/* Computes the derived members of a primitive with placement, sizes and sections. */
void vo_implicit_form_finish(vo_implicit_form *form);

/* Returns the approximate signed distance to the primitive, m, negative inside; p in the body. */
double vo_implicit_form_value(const vo_implicit_form *form, vo_vec3 p);

/* Quadratic smooth minimum with blend radius k >= 0 (Quilez, "Smooth minimum", 2013), and the
 * corresponding maximum. */
double vo_smooth_min(double a, double b, double k);
double vo_smooth_max(double a, double b, double k);

/* Smooth union of a primitive and `value`. Skips primitives that are too far away to affect the
 * result near the surface (`bound`, an upper bound of the value of the whole body, limits it); deep
 * inside, where only the sign matters, the value may be inexact. */
double vo_implicit_form_blend(const vo_implicit_form *form, vo_vec3 p, double bound, double value);

#endif

/* The forms a mannequin's body is made of, as one function of space.
 *
 * A form is an ellipsoid or a *loft*: sections along the z axis of its frame, each with a middle
 * and three half sizes, joined by smooth curves. A loft with two sections is a tapered capsule;
 * with ten it is a thigh, a knee and a calf. Chains of plain capsules would need a joint, and so a
 * bulge, wherever the girth changes its course.
 *
 *        back  +y                  A section is a superellipse: round for square = 0, towards a
 *      .--+--.                     rectangle for 1. Front and back differ, as those of calves,
 *     (   |   )-- width, +x        chests and feet do; the curve is smooth across the middle.
 *      `--+--'
 *        front -y
 *
 * Forms stand in groups: the trunk, an arm, a leg. Those of a group melt into each other over a
 * length of their own, then the groups into one body. Only the left limbs are written down; the
 * right ones are the same function in the mirror. So the body is symmetric to the last bit. */
#ifndef VO_SCENE_MANNEQUIN_FORM_H
#define VO_SCENE_MANNEQUIN_FORM_H

#include "scene/skeleton.h"

enum { VO_FORM_SECTIONS = 16, VO_FORM_SPANS = 4, VO_FORM_MAX = 24 };

typedef enum vo_form_group {
    VO_FORM_TRUNK,
    VO_FORM_ARM,
    VO_FORM_LEG,
    VO_FORM_GROUPS
} vo_form_group;

/* Sizes at one place along a loft, m. */
typedef struct vo_section {
    double z;                  /* ascending */
    double x, y;               /* the middle */
    double width, front, back; /* half sizes */
} vo_section;

/* From `from` (along z) on the skin follows this bone; over `blend` to either side it follows this
 * one and the one before in shares. The first holds from minus infinity. */
typedef struct vo_form_span {
    vo_bone bone;
    double from, blend;
} vo_form_span;

typedef struct vo_form {
    vo_form_group group;
    bool paired;        /* a form of the trunk that is there on both sides */
    double melt;        /* m, over which it joins the forms before it in its group */
    vo_vec3 middle;     /* of a sphere around it in the body */
    double reach;       /* m, its radius */
    vo_transform place; /* from its frame to the body in the rest pose, left side */

    vo_vec3 radii;     /* of an ellipsoid around the origin; x = 0: a loft */
    int section_count; /* of a loft */
    vo_section section[VO_FORM_SECTIONS];
    vo_section slope[VO_FORM_SECTIONS]; /* per metre of z */
    double square;                      /* 0 to 1 */
    double cap;                         /* m, length of the rounded ends; positive */

    int span_count;
    vo_form_span span[VO_FORM_SPANS];
    bool shoulders; /* what follows the chest here follows the clavicles out there */
} vo_form;

/* A part of the left half that needs shorter edges than the rest. */
enum { VO_DETAILS = 6 };
typedef struct vo_detail {
    vo_vec3 middle;
    double radius; /* m, around the middle */
    double edge;   /* m, they are to be no longer than that */
    double least;  /* but no shorter than so many of the others */
} vo_detail;

typedef struct vo_body_form {
    int count;
    vo_form form[VO_FORM_MAX];     /* by group */
    int first[VO_FORM_GROUPS + 1]; /* form of each group, and the end of all */
    double join[VO_FORM_GROUPS];   /* m, over which a limb melts into the trunk */
    double height;                 /* m */
    double apart;                  /* m, over which a limb melts into its mirror image */
    double melt;                   /* m, the longest of these */
    double sole;                   /* m, over which soles are rounded off towards z = 0 */
    vo_vec3 low, high;             /* m, a box around all */
    vo_detail detail[VO_DETAILS];
} vo_body_form;

/* The body of these sizes (mannequin_figure.c). */
struct vo_mannequin_def;
void vo_body_form_make(const struct vo_mannequin_def *def, const vo_skeleton *skeleton,
                       vo_body_form *out);

/* Completes a body whose forms have their places, sizes and sections: all that follows from them.
 */
void vo_body_form_finish(vo_body_form *body);

/* About m from the form's surface, negative inside; p in the body, on the left. */
double vo_form_value(const vo_form *form, vo_vec3 p);

/* The body's function, a vo_field_fn; `body` is a vo_body_form. */
double vo_body_form_value(const void *body, vo_vec3 p);

/* 0 where x <= low, 1 where x >= high, smooth between: 3 t^2 - 2 t^3. */
static inline double vo_smooth_step(double x, double low, double high) {
    double t = vo_clamp((x - low) / (high - low), 0, 1);
    return t * t * (3 - 2 * t);
}

#endif

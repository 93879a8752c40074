/* Implicit surface of a mannequin: the smooth union of primitives.
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
 *        front -y
 *
 * Primitives form groups: trunk, arm, leg. A smooth union joins those of a group, each with its own
 * blend radius, and then the groups. Only the left limbs are specified; the right ones are the
 * mirrored function, so the body is exactly symmetric. */
#ifndef VO_CHARACTER_MANNEQUIN_IMPLICIT_H
#define VO_CHARACTER_MANNEQUIN_IMPLICIT_H

#include "character/skeleton.h"

enum { VO_PRIMITIVE_MAX_SECTIONS = 16, VO_PRIMITIVE_MAX_SPANS = 4, VO_BODY_MAX_PRIMITIVES = 24 };

typedef enum vo_implicit_group {
    VO_GROUP_TRUNK,
    VO_GROUP_ARM,
    VO_GROUP_LEG,
    VO_GROUP_COUNT
} vo_implicit_group;

/* Section of a loft, m. */
typedef struct vo_section {
    double z;                  /* ascending */
    double x, y;               /* centre */
    double width, front, back; /* half sizes */
} vo_section;

/* Beyond `from` (along z) the skin follows this bone; within `blend` on either side its weights
 * blend with those of the previous span. The first span begins at minus infinity. */
typedef struct vo_implicit_span {
    vo_bone bone;
    double from, blend;
} vo_implicit_span;

typedef struct vo_implicit_primitive {
    vo_implicit_group group;
    bool paired;            /* primitive of the trunk that exists on both sides */
    double blend_radius;    /* m, of the smooth union with the previous primitives of its group */
    vo_vec3 bound_centre;   /* centre of a bounding sphere, in the body */
    double bound_radius;    /* m, radius of the bounding sphere */
    vo_transform placement; /* frame of the primitive -> body in the rest pose, left side */

    vo_vec3 radii;     /* of an ellipsoid at the origin; x = 0: a loft */
    int section_count; /* sections of a loft */
    vo_section section[VO_PRIMITIVE_MAX_SECTIONS];
    vo_section slope[VO_PRIMITIVE_MAX_SECTIONS]; /* per metre of z */
    double square;                               /* 0 to 1 */
    double cap;                                  /* m, length of the rounded ends; positive */

    int span_count;
    vo_implicit_span span[VO_PRIMITIVE_MAX_SPANS];
    bool shoulders; /* weights of the chest are shared with the clavicles */
} vo_implicit_primitive;

/* Region of the left half that needs shorter edges. */
enum { VO_MAX_DETAILS = 6 };
typedef struct vo_detail {
    vo_vec3 centre;
    double radius;         /* m, around the centre */
    double max_edge;       /* m, maximum edge length */
    double min_edge_ratio; /* minimum edge length, relative to the edges elsewhere */
} vo_detail;

typedef struct vo_implicit_body {
    int count;
    vo_implicit_primitive primitive[VO_BODY_MAX_PRIMITIVES]; /* by group */
    int first[VO_GROUP_COUNT + 1];            /* first primitive of each group, and the end */
    double limb_blend_radius[VO_GROUP_COUNT]; /* m, smooth union of a limb and the trunk */
    double height;                            /* m */
    double mirror_blend_radius;               /* m, smooth union of a limb and its mirror image */
    double max_blend_radius;                  /* m, maximum of all blend radii */
    double sole;       /* m, radius with which soles are rounded off towards z = 0 */
    vo_vec3 low, high; /* m, bounding box */
    vo_detail detail[VO_MAX_DETAILS];
} vo_implicit_body;

/* Creates the body for these sizes (mannequin_figure.c). */
struct vo_mannequin_def;
void vo_implicit_body_make(const struct vo_mannequin_def *def, const vo_skeleton *skeleton,
                           vo_implicit_body *out);

/* Computes derived data of a body whose primitives have placements, sizes and sections. */
void vo_implicit_body_finish(vo_implicit_body *body);

/* Returns the approximate signed distance to the primitive, m, negative inside; p in the body, on
 * the left. */
double vo_implicit_primitive_value(const vo_implicit_primitive *primitive, vo_vec3 p);

/* Implicit function of the body, a vo_field_fn; `body` is a vo_implicit_body. */
double vo_implicit_body_value(const void *body, vo_vec3 p);

/* Smoothstep: 0 for x <= low, 1 for x >= high, 3 t^2 - 2 t^3 in between. */
static inline double vo_smooth_step(double x, double low, double high) {
    double t = vo_clamp((x - low) / (high - low), 0, 1);
    return t * t * (3 - 2 * t);
}

#endif

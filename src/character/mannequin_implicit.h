/* Implicit surface of a mannequin: the smooth union of primitives (mesh/implicit.h).
 *
 * Primitives form groups: trunk, arm, leg. A smooth union joins those of a group, each with its own
 * blend radius, and then the groups. Only the left limbs are specified; the right ones are the
 * mirrored function, so the body is exactly symmetric. */
#ifndef VO_CHARACTER_MANNEQUIN_IMPLICIT_H
#define VO_CHARACTER_MANNEQUIN_IMPLICIT_H

#include "character/skeleton.h"
#include "mesh/implicit.h"

enum { VO_PRIMITIVE_MAX_SPANS = 4, VO_BODY_MAX_PRIMITIVES = 24 };

typedef enum vo_implicit_group {
    VO_GROUP_TRUNK,
    VO_GROUP_ARM,
    VO_GROUP_LEG,
    VO_GROUP_COUNT
} vo_implicit_group;

/* Beyond `from` (along z) the skin follows this bone; within `blend` on either side its weights
 * blend with those of the previous span. The first span begins at minus infinity. */
typedef struct vo_implicit_span {
    vo_bone bone;
    double from, blend;
} vo_implicit_span;

typedef struct vo_implicit_primitive {
    vo_implicit_group group;
    bool paired;            /* primitive of the trunk that exists on both sides */
    vo_implicit_form shape; /* on the left side, in the rest pose */
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

/* Implicit function of the body, a vo_field_fn; `body` is a vo_implicit_body. */
double vo_implicit_body_value(const void *body, vo_vec3 p);

/* Smoothstep: 0 for x <= low, 1 for x >= high, 3 t^2 - 2 t^3 in between. */
static inline double vo_smooth_step(double x, double low, double high) {
    double t = vo_clamp((x - low) / (high - low), 0, 1);
    return t * t * (3 - 2 * t);
}

#endif

/* The body that wears a garment and the pattern fitted to it: the input of sewing.
 *
 * Garments are fitted and sewn in the wearer's frame, in which the body stands upright on the
 * origin, facing -y, in its own size, and are then transformed to the world. Therefore the same
 * garment on equal bodies is the same wherever they are. */
#ifndef VO_GARMENT_WEAR_H
#define VO_GARMENT_WEAR_H

#include "character/body.h"
#include "garment/pattern.h"

typedef struct vo_wearer {
    vo_mesh *mesh;         /* at rest, in the wearer's frame; NULL: no body */
    vo_transform to_world; /* wearer's frame -> world; its scale is 1 */
    vo_limb_axis axis[VO_LIMB_AXES];
    vo_body_sizes sizes;   /* height 0: the proportions are not human */
    char implausible[360]; /* warning about implausible sizes, without the source of the body; or ""
                            */
} vo_wearer;

/* On failure *out is zero. */
vo_result vo_wearer_create(vo_context *ctx, const vo_body *body, vo_wearer *out);
void vo_wearer_free(vo_wearer *wearer);
/* Returns to_world of a body. */
vo_transform vo_wearer_to_world(const vo_body *body);

typedef struct vo_fitted_pattern_def {
    double edge_length; /* m; 0: by face_target */
    int face_target;
    bool fit; /* grade the pattern to the wearer */
} vo_fitted_pattern_def;

/* A pattern and its panels around the wearer, before sewing. */
typedef struct vo_fitted_pattern {
    vo_pattern *pattern;
    vo_garment *garment;
    vo_limb_axis axis[VO_LIMB_AXES]; /* of the wearer */
} vo_fitted_pattern;

/* On failure *out is zero. */
vo_result vo_fitted_pattern_create(vo_context *ctx, const char *path, const vo_wearer *wearer,
                                   const vo_fitted_pattern_def *def, vo_fitted_pattern *out);
void vo_fitted_pattern_free(vo_fitted_pattern *cut);

#endif

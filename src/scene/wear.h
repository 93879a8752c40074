/* Who wears a garment, and the garment cut for him: what sewing starts from.
 *
 * Garments are cut and sewn in the wearer's frame, in which he stands upright on the origin and
 * faces -y in his own size; only then do they go to where he stands in the world. So the same
 * garment on equal bodies is the same, wherever they are. */
#ifndef VO_SCENE_WEAR_H
#define VO_SCENE_WEAR_H

#include "scene/body.h"
#include "scene/pattern.h"

typedef struct vo_wearer {
    vo_mesh *mesh;         /* at rest, in his frame; NULL: nobody */
    vo_transform to_world; /* his frame -> world; its scale is 1 */
    vo_pattern_axis axis[VO_PATTERN_AXES];
    vo_body_sizes sizes; /* height 0: he is not like a person */
    char odd[360];       /* the sentence about that, for whoever knows where he is from; or "" */
} vo_wearer;

/* On failure *out is zero. */
vo_result vo_wearer_create(vo_context *ctx, const vo_body *body, vo_wearer *out);
void vo_wearer_free(vo_wearer *wearer);
/* to_world of the one who is this body. */
vo_transform vo_wearer_place(const vo_body *body);

typedef struct vo_cut_def {
    double edge_length; /* m; 0: by face_target */
    int face_target;
    bool fit; /* redrawn for the wearer */
} vo_cut_def;

/* A pattern and its panels around the wearer, not sewn yet. */
typedef struct vo_cut {
    vo_pattern *pattern;
    vo_garment *garment;
    vo_pattern_axis axis[VO_PATTERN_AXES]; /* of the wearer */
} vo_cut;

/* On failure *out is zero. */
vo_result vo_cut_create(vo_context *ctx, const char *path, const vo_wearer *wearer,
                        const vo_cut_def *def, vo_cut *out);
void vo_cut_free(vo_cut *cut);

#endif

/* Skinning: node positions from weighted bone transforms.
 *
 * Dual quaternion blending (Kavan, Collins, Zara, O'Sullivan 2008, "Geometric skinning with
 * approximate dual quaternion blending") preserves the girth of a twisted forearm, which linear
 * blend skinning would collapse ("candy wrapper"). Imported characters, which are made for linear
 * blending, use character/import/skin.c. */
#ifndef VO_CHARACTER_SKIN_H
#define VO_CHARACTER_SKIN_H

#include "core/context.h"
#include "math/quat.h"

enum { VO_SKIN_MAX_BONES = 4 }; /* maximum number of bones of a node */

typedef struct vo_skin {
    int node_count;
    vo_vec3 *rest; /* [node_count] m, positions where all bone motions are the identity */
    int (*bone)[VO_SKIN_MAX_BONES]; /* [node_count] in descending order of the weights */
    double (
        *weight)[VO_SKIN_MAX_BONES]; /* [node_count] not negative, sum 1; unused entries are 0 */
} vo_skin;

vo_result vo_skin_create(vo_context *ctx, int node_count, vo_skin *out); /* all zero */
void vo_skin_free(vo_context *ctx, vo_skin *skin);

/* Sets the bones of a node from the weights of all `bone_count` bones: the four largest,
 * normalised; ties are broken by index. At least one must be positive. */
void vo_skin_set_node(vo_skin *skin, int node, int bone_count, const double *weights);

/* Computes node positions. motion[bone] maps the rest positions to those under this bone alone. x
 * must not overlap the arrays of the skin. */
void vo_skin_eval(vo_context *ctx, const vo_skin *skin, const vo_transform *motion, vo_vec3 *x);

#endif

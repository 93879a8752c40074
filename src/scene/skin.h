/* Skin: nodes that follow several bones in shares.
 *
 * Knows nothing of whose bones they are, so that the mannequin and imported characters share it.
 * Blending is by dual quaternions (Kavan, Collins, Zara, O'Sullivan 2008, "Geometric skinning with
 * approximate dual quaternion blending"), under which a twisted forearm keeps its girth; linear
 * blending, which pinches it like a sweet's wrapper, is there for characters made for it. */
#ifndef VO_SCENE_SKIN_H
#define VO_SCENE_SKIN_H

#include "core/context.h"
#include "math/quat.h"

enum { VO_SKIN_BONES = 4 }; /* that a node follows at most */

typedef enum vo_skinning { VO_SKINNING_DUAL_QUATERNION, VO_SKINNING_LINEAR } vo_skinning;

typedef struct vo_skin {
    int node_count;
    vo_vec3 *rest;                  /* [node_count] m, where the bones' motions are the identity */
    int (*bone)[VO_SKIN_BONES];     /* [node_count] the largest share first */
    double (*share)[VO_SKIN_BONES]; /* [node_count] not negative, 1 in all; 0 where there is none */
} vo_skin;

vo_result vo_skin_create(vo_context *ctx, int node_count, vo_skin *out); /* all zero */
void vo_skin_free(vo_context *ctx, vo_skin *skin);

/* Sets a node's bones from shares of all `bone_count`: the four largest, made to add up to 1; of
 * equals the first. At least one must be positive. */
void vo_skin_set_node(vo_skin *skin, int node, int bone_count, const double *shares);

/* Positions. motion[bone] takes the skin's rest to where the bone alone would carry it. x may not
 * overlap the skin's arrays. */
void vo_skin_place(vo_context *ctx, const vo_skin *skin, vo_skinning how,
                   const vo_transform *motion, vo_vec3 *x);

/* Mean velocities between two sets of motions `seconds` apart, and the positions at the second.
 * Over a step of a simulation these are what its collisions need; over a short time around t they
 * are the velocities at t. */
void vo_skin_move(vo_context *ctx, const vo_skin *skin, vo_skinning how, const vo_transform *before,
                  const vo_transform *after, double seconds, vo_vec3 *x, vo_vec3 *v);

#endif

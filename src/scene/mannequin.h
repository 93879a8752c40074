/* A human body made by code: the figure in a shop window.
 *
 *     sizes -> skeleton -> forms over the bones -> one function of space -> surface -> shares
 *              skeleton.h  mannequin_form.h        melted together    mesh/polygonise.h  skin.h
 *
 * The surface is closed, manifold, of one piece without a hole, in the rest pose of the skeleton
 * (axes there: z up, facing -y, standing on z = 0). The same sizes give the same bits. Posing it:
 *
 *     vo_transform motion[VO_BONE_COUNT];
 *     vo_skeleton_motion(&m.skeleton, &pose, motion);
 *     vo_skin_place(ctx, &m.skin, VO_SKINNING_DUAL_QUATERNION, motion, x);
 */
#ifndef VO_SCENE_MANNEQUIN_H
#define VO_SCENE_MANNEQUIN_H

#include "scene/skeleton.h"
#include "scene/skin.h"

#include <voile/character.h>
#include <voile/mesh.h>

/* From the lattice come bodies with fingers, of LEAST_FACES and more; coarser ones are thinned. */
enum {
    VO_MANNEQUIN_COARSEST = 1000,
    VO_MANNEQUIN_LEAST_FACES = 6000,
    VO_MANNEQUIN_MOST_FACES = 200000,
};

typedef struct vo_mannequin {
    vo_skeleton skeleton;
    vo_skin skin; /* its nodes are the surface's, by position in the rest pose */
    int face_count;
    int (*face)[3]; /* [face_count] nodes, counter-clockwise from outside */
} vo_mannequin;

/* VO_BAD_CALL names the member that is out of its range. On failure *out is empty. */
vo_result vo_mannequin_create(vo_context *ctx, const vo_mannequin_def *def, vo_mannequin *out);
/* Its bones alone, without a surface. */
vo_result vo_mannequin_create_bones(vo_context *ctx, const vo_mannequin_def *def,
                                    vo_mannequin *out);
vo_result vo_mannequin_copy(vo_context *ctx, const vo_mannequin *m, vo_mannequin *out);
void vo_mannequin_free(vo_context *ctx, vo_mannequin *m);

/* About so many faces instead of more, on some of the same nodes (mannequin_thin.c). On failure it
 * is as it was. */
vo_result vo_mannequin_thin(vo_context *ctx, vo_mannequin *m, int faces);

/* The bone that a face follows most: the sum of its nodes' shares, the first of equals. Faces of
 * one bone move all but rigidly. */
vo_bone vo_mannequin_face_bone(const vo_mannequin *m, int face);

/* A mesh of its own, VO_MESH_FOR_OBSTACLE, in a pose; nodes and faces keep their numbers. */
vo_result vo_mannequin_mesh(vo_context *ctx, const vo_mannequin *m, const vo_body_pose *pose,
                            vo_mesh **out);

/* Shares of every node in the bones (mannequin_weights.c); `x` in the rest pose. Fills the skin,
 * whose rest positions are set. */
struct vo_body_form;
vo_result vo_mannequin_weigh(vo_context *ctx, const struct vo_body_form *form, int face_count,
                             const int (*face)[3], vo_skin *skin);

#endif

/* Mannequin: a procedural human body.
 *
 *     sizes -> skeleton -> implicit primitives -> smooth union -> isosurface -> skinning weights
 *              skeleton.h  mannequin_implicit.h                   mesh/polygonise.h   skin.h
 *
 * The surface is closed, manifold and of genus 0, in the rest pose of the skeleton (z up, facing
 * -y, standing on z = 0). Equal sizes give bit-identical bodies. Posing:
 *
 *     vo_transform motion[VO_BONE_COUNT];
 *     vo_skeleton_motion(&m.skeleton, &pose, motion);
 *     vo_skin_eval(ctx, &m.skin, motion, x); */
#ifndef VO_CHARACTER_MANNEQUIN_H
#define VO_CHARACTER_MANNEQUIN_H

#include "character/skeleton.h"
#include "character/skin.h"

#include <voile/character.h>
#include <voile/mesh.h>

/* Bodies of at least MIN_LATTICE_FACES faces, which have fingers, are extracted directly; coarser
 * ones are decimated. */
enum {
    VO_MANNEQUIN_MIN_FACES = 1000,
    VO_MANNEQUIN_MIN_LATTICE_FACES = 6000,
    VO_MANNEQUIN_MAX_FACES = 200000,
};

typedef struct vo_mannequin {
    vo_skeleton skeleton;
    vo_skin skin; /* its nodes are those of the surface, in the rest pose */
    int face_count;
    int (*face)[3]; /* [face_count] nodes, counter-clockwise from outside */
} vo_mannequin;

/* VO_BAD_ARGUMENT names the member that is out of range. On failure *out is empty. */
vo_result vo_mannequin_create(vo_context *ctx, const vo_mannequin_def *def, vo_mannequin *out);
/* Creates the skeleton alone, without a surface. */
vo_result vo_mannequin_create_skeleton(vo_context *ctx, const vo_mannequin_def *def,
                                       vo_mannequin *out);
vo_result vo_mannequin_copy(vo_context *ctx, const vo_mannequin *m, vo_mannequin *out);
void vo_mannequin_free(vo_context *ctx, vo_mannequin *m);

/* Reduces the mannequin to about `faces` faces on a subset of its nodes (mannequin_decimate.c). On
 * failure it is unchanged. */
vo_result vo_mannequin_decimate(vo_context *ctx, vo_mannequin *m, int faces);

/* Computes the skinning weights of every node (mannequin_weights.c). The rest positions of the skin
 * must be set. */
struct vo_implicit_body;
vo_result vo_mannequin_compute_weights(vo_context *ctx, const struct vo_implicit_body *form,
                                       int face_count, const int (*face)[3], vo_skin *skin);

#endif

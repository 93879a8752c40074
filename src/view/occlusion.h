/* Occlusion: classifies faces as visible or occluded by bodies, garments and other characters, by
 * casting visibility rays.
 *
 * A face is occluded from a viewpoint if all its sample points are: its corners, its centroid and,
 * for the first and last frustum samples of a shot, a lattice inside whose density `spacing` and
 * `pixels` set. A visibility ray starts at the point and ends at the near plane. Only faces that
 * are front-facing and in the frustum are tested; for the others the result would not change the
 * view factor.
 *
 *                        .--------- body        a: visible
 *        camera  . ' ' '|   b                   b: all points behind the body: occluded
 *             ` ------- a   c                   d: one point visible: visible
 *                ` . . .|. .d. .                c: neighbour of d: visible (`rings`), so that the
 *                       '---------                 outline of the occluder may move a little
 *
 * A face that is visible at any tested time within the window is visible for the whole window. Two
 * motions are covered. Viewpoints move: rays are cast from a few frustum samples of each shot,
 * including the first and last. Occluders move: from the last sample of each shot rays are cast
 * again against the predicted positions (occluder.h), where a dancer may have stepped out from
 * behind another. Deformation of bodies and cloth within the window is ignored, and visibility only
 * between samples is missed; therefore the factor `occluded` is larger than `off_screen`.
 *
 * Corners are tested once for all faces around them, so most faces cost less than one ray. The
 * result is a function of the current state: nothing is carried over between frames.
 *
 * Cost: one ray-casting structure over all remaining occluders per update, a second one if an
 * occluded face exists and occluders move relative to each other, and about two rays per occluded
 * face and sample. Rejected: reusing results for several frames, which a resumed run would not
 * have; and depth maps, which miss details smaller than their pixels. */
#ifndef VO_VIEW_OCCLUSION_H
#define VO_VIEW_OCCLUSION_H

#include "view/occluder.h"

typedef struct vo_occlusion_def {
    double gap; /* [0.002] m, offset of the ray origin from the point, to skip the cloth itself */
    double spacing; /* [0.03] m between lattice points of a face; at most 15 points */
    double pixels; /* [4] minimum pixels between lattice points; smaller visible parts are missed */
    int rings;     /* [1] rings of faces around a visible one that are marked visible */
    int samples;   /* [3] frustum samples tested per shot, at least 2 */
    bool predict;  /* [true] also test the predicted positions of the occluders */
} vo_occlusion_def;

vo_occlusion_def vo_occlusion_def_default(void);

typedef struct vo_occlusion vo_occlusion;

/* VO_BAD_ARGUMENT if the build lacks ray casting (vo_rays_available). */
vo_result vo_occlusion_create(vo_context *ctx, vo_occlusion **out);
void vo_occlusion_destroy(vo_occlusion *o); /* NULL is allowed */

/* Sets the occluders; see vo_occluder_set_build. */
vo_result vo_occlusion_set_occluders(vo_occlusion *o, int count, const vo_occluder *occluders,
                                     const vo_ray_region *span);

enum {
    VO_OCCLUSION_VIEWPOINTS = 8
}; /* viewpoints with a bit of their own; all further ones share the last bit */

/* Returns the bit of a viewpoint. */
static inline unsigned char vo_occlusion_bit(int viewpoint) {
    return (unsigned char)(1u << vo_min_int(viewpoint, VO_OCCLUSION_VIEWPOINTS - 1));
}

/* A cloth whose faces are classified. */
typedef struct vo_occlusion_cloth {
    const vo_mesh *mesh; /* may also be an occluder */
    vo_vec3 velocity;    /* m/s, rigid */
    bool two_sided;
    unsigned char *candidate; /* [face_count] in: nonzero selects a face; out: bits of the
                                 viewpoints that see the face if nothing occludes it */
    unsigned char
        *visible; /* [face_count] out: bits of the viewpoints that see it or a face next to it */
} vo_occlusion_cloth;

/* Classifies the selected faces of all cloths for all frustum samples. */
vo_result vo_occlusion_classify(vo_occlusion *o, const vo_occlusion_def *def,
                                const vo_factor_def *factor, int sample_count,
                                const vo_frustum_sample *sample, int cloth_count,
                                const vo_occlusion_cloth *cloth);

/* Returns true if a point of a surface is visible; a point in front of the near plane is. */
bool vo_occlusion_point_is_visible(const vo_occlusion *o, const vo_occlusion_def *def,
                                   const vo_frustum_sample *sample, vo_vec3 point);

#endif

/* What a camera sees of cloth: one ray through the middle of each pixel.
 *
 * The measures of pictures (measure.h) need neither light nor colours, so they are made from this
 * and not from the pictures of picture.h. */
#ifndef VO_PICTURE_OBSERVE_H
#define VO_PICTURE_OBSERVE_H

#include "picture/measure.h"
#include "picture/model.h"
#include "spatial/rays.h"

#include <voile/camera.h>

typedef struct vo_observer_def {
    const vo_model *model;
    int cloth_nodes, cloth_faces; /* the model's first ones are cloth, the others stand before it */
    vo_camera camera;             /* relative to the model's origin */
    vo_vec2 frame; /* width and height in pixels of the middle part of the picture, beyond which
                      nothing is seen; 0: all of it */
    bool flat;     /* normals are those of the model's faces, not those for shading */
    bool
        everything; /* what stands before cloth, or beside it, is kept, too: with minus its depth */
} vo_observer_def;

typedef struct vo_observer {
    vo_context *ctx;
    vo_rays *rays;
    vo_observer_def def; /* of the last look */
    size_t pixel_count;
    float *depth, *normal[3]; /* [pixel_count] each */
    vo_shown shown;           /* the same, for measures */
} vo_observer;

/* VO_BAD_CALL where this build has no rays. */
vo_result vo_observer_create(vo_context *ctx, vo_observer *out);
void vo_observer_free(vo_observer *observer); /* one that was never created is fine */

/* Fills observer->shown. The model must stay until the last call about this look. */
vo_result vo_observer_look(vo_observer *observer, const vo_observer_def *def);

/* Pixels per metre for what is shown: the most that a point may move in the picture when it moves
 * by `metres`, in pixels. 0 where no cloth is shown. */
double vo_observer_shift(const vo_observer *observer, double metres);

/* Lengths in the picture of the edges of a mesh, in pixels, appended to an array of *count (grown
 * with the context's memory). An edge counts if one of its ends is seen at least: within the
 * picture and nothing nearer than a pixel's width before it; and if both are before the camera. The
 * nodes of the mesh are among those of the model. Faces are counted by the corners that are seen.
 */
typedef struct vo_lengths {
    double faces; /* thirds of them: corners that are seen */
    int count, capacity;
    double *pixels;
} vo_lengths;
vo_result vo_observer_edges(vo_observer *observer, const vo_mesh *mesh, vo_lengths *out);

#endif

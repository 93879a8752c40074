/* From the state of a simulation to a picture of it. */
#ifndef VO_SIM_RENDER_H
#define VO_SIM_RENDER_H

#include "picture/picture.h"
#include "sim/sim.h"

#include <voile/render.h>

/* What is to be in the picture, of any number of frames.
 *
 * Everything counts but obstacles that are much larger than all cloth (floors, walls): they are
 * shown as far as they reach into the picture. */
typedef struct vo_extent {
    vo_vec3 up;
    vo_fit fit;
    vo_vec3 low, high; /* m, a box around it */
    double lowest;     /* m along up, of everything, also of what is too large */
    bool any;
} vo_extent;

vo_extent vo_extent_begin(const vo_sim *sim, const vo_shot *shot);
void vo_extent_add(vo_extent *extent, const vo_sim *sim);

/* What draws one frame after another. */
typedef struct vo_stage {
    vo_context *ctx;
    const vo_shot *shot;
    vo_painter painter;
    vo_model model;
    int paint_count;
    vo_paint *paint; /* [paint_count] of the cloths' materials, then of obstacles */
} vo_stage;

/* VO_BAD_CALL names the member that is wrong. */
vo_result vo_shot_check(vo_context *ctx, const vo_shot *shot);

vo_result vo_stage_create(vo_context *ctx, const vo_shot *shot, vo_stage *out);
void vo_stage_free(vo_stage *stage);

/* The image belongs to the stage and holds until the next one. */
vo_result vo_stage_draw(vo_stage *stage, const vo_sim *sim, const vo_extent *extent, vo_image *out);

#endif

/* From the state of a simulation to a picture of it. */
#ifndef VO_SIM_RENDER_H
#define VO_SIM_RENDER_H

#include "collide/nearest.h"
#include "picture/picture.h"
#include "sim/sim.h"

#include <voile/render.h>

/* What is drawn: a simulation as it is, or one mesh. */
typedef struct vo_subject {
    const vo_sim *sim;   /* NULL: the mesh */
    const vo_mesh *mesh; /* of either use */
} vo_subject;

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

vo_extent vo_extent_begin(const vo_subject *subject, const vo_shot *shot);
void vo_extent_add(vo_extent *extent, const vo_subject *subject);

/* Where a frame is seen from. */
typedef struct vo_standpoint {
    bool given; /* false: from where everything is in the picture */
    vo_camera camera;
    vo_vec3 lights; /* as in vo_picture_def */
} vo_standpoint;

/* render_view.c: by the shot's camera or one of the scene. VO_BAD_CALL where the scene has none of
 * that name. */
vo_result vo_standpoint_find(const vo_render_def *def, const vo_scene *scene, double time,
                             vo_standpoint *out);
vo_standpoint vo_standpoint_of(const vo_shot *shot);

/* What draws one frame after another. */
typedef struct vo_stage {
    vo_context *ctx;
    const vo_shot *shot;
    vo_painter painter;
    vo_model model;
    int cloth_nodes, cloth_faces; /* so many of the model's first ones are of cloths */
    vo_arena arena;               /* of one frame */
    vo_nearest all;               /* cloths, then obstacles, as they are in it */
    int paint_count;
    vo_paint *paint; /* [paint_count] of the cloths' materials, then of obstacles */
} vo_stage;

/* VO_BAD_CALL names the member that is wrong. */
vo_result vo_shot_check(vo_context *ctx, const vo_shot *shot);

vo_result vo_stage_create(vo_context *ctx, const vo_shot *shot, vo_stage *out);
void vo_stage_free(vo_stage *stage);

/* render_touch.c: takes up where everything is; then tells which nodes of a cloth touch an obstacle
 * or another cloth. Holds until the next frame. */
vo_result vo_stage_meet(vo_stage *stage, const vo_sim *sim);
vo_result vo_stage_touch(vo_stage *stage, const vo_sim *sim, int cloth,
                         const unsigned char **touches);

/* Fills stage->model with what is drawn of it, relative to an origin. */
vo_result vo_stage_fill(vo_stage *stage, const vo_subject *subject, vo_vec3 origin);

/* The image belongs to the stage and holds until the next one; it has the size that the shot says.
 */
vo_result vo_stage_draw(vo_stage *stage, const vo_subject *subject, const vo_extent *extent,
                        const vo_standpoint *from, vo_image *out);

#endif

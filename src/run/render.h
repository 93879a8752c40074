/* Rendering of a simulation or a mesh: scene description for the renderer, framing, cameras. */
#ifndef VO_RUN_RENDER_H
#define VO_RUN_RENDER_H

#include "collide/nearest.h"
#include "picture/renderer.h"
#include "sim/sim.h"

#include <voile/render.h>

/* Content of an image: the current state of a simulation, or one mesh. */
typedef struct vo_subject {
    const vo_sim *sim;   /* NULL: the mesh */
    const vo_mesh *mesh; /* of either use */
} vo_subject;

/* Extent of the content over any number of frames, which a fitted camera shows.
 *
 * Obstacles that are much larger than all cloth (floors, walls) do not contribute: they are cut at
 * the border of the image. */
typedef struct vo_extent {
    vo_vec3 up;
    vo_camera_framing framing;
    vo_vec3 low, high; /* m, bounding box */
    double lowest;     /* m along up, of everything, large obstacles included */
    bool any;
} vo_extent;

vo_extent vo_extent_begin(const vo_subject *subject, const vo_render_options *options);
void vo_extent_add(vo_extent *extent, const vo_subject *subject);

/* Camera of a frame. */
typedef struct vo_frame_camera {
    bool given; /* false: the camera is fitted to the extent */
    vo_camera camera;
    vo_vec3 lights; /* as in vo_renderer_def.light_right */
} vo_frame_camera;

/* render_camera.c: the camera of the options, or one of the scene. VO_BAD_ARGUMENT if the scene has
 * no camera of the requested name. */
vo_result vo_frame_camera_find(const vo_render_def *def, const vo_scene *scene, double time,
                               vo_frame_camera *out);
vo_frame_camera vo_frame_camera_of(const vo_render_options *options);

/* Renderer with the memory that it reuses from frame to frame. */
typedef struct vo_render_session {
    vo_context *ctx;
    const vo_render_options *options;
    vo_renderer renderer;
    vo_model model;
    int cloth_nodes, cloth_faces; /* the model begins with those of cloths */
    vo_arena arena;               /* of one frame */
    vo_nearest all;               /* cloths, then obstacles, at their current positions */
    int material_count;
    vo_render_material *material; /* [material_count] those of cloths, then one for obstacles */
} vo_render_session;

/* VO_BAD_ARGUMENT, with the name of the invalid member. */
vo_result vo_render_options_check(vo_context *ctx, const vo_render_options *options);

vo_result vo_render_session_create(vo_context *ctx, const vo_render_options *options,
                                   vo_render_session *out);
void vo_render_session_free(vo_render_session *session);

/* render_touch.c: updates the positions of `all`; then marks the nodes of a cloth that touch an
 * obstacle or another cloth. *touches is valid until the next frame. */
vo_result vo_render_session_update_positions(vo_render_session *session, const vo_sim *sim);
vo_result vo_render_session_find_touching(vo_render_session *session, const vo_sim *sim, int cloth,
                                          const unsigned char **touches);

/* Fills session->model with the content, relative to an origin. Walls of containers are omitted
 * where `eye`, the position of the camera (m), is on their solid side: they would hide the
 * content. */
vo_result vo_render_session_fill(vo_render_session *session, const vo_subject *subject,
                                 vo_vec3 origin, vo_vec3 eye);

/* The image has the size of the options, belongs to the session and is valid until the next one. */
vo_result vo_render_session_draw(vo_render_session *session, const vo_subject *subject,
                                 const vo_extent *extent, const vo_frame_camera *camera,
                                 vo_image *out);

#endif

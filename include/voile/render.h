/* Voile: rendered images and movies of scenes, states and runs. Needs a build with Embree 3; files
 * also need libpng and libav (vo_features lists the available features). */
#ifndef VOILE_RENDER_H
#define VOILE_RENDER_H

#include <voile/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options of a rendered image; vo_render_options_default sets the values in square brackets: a view
 * from the front, slightly from the right and above, that contains everything. Up is opposite to
 * gravity; z for a mesh. */
typedef struct vo_render_options {
    int width, height; /* [1280, 720] pixels, 1 to 16384 */
    const vo_camera *
        camera; /* [NULL] camera to render from, between its near and far planes; overrides azimuth,
                   elevation, fov_long_side and zoom. If its aspect ratio differs from that of the
                   image, its vertical field of view is used. NULL: framed by those members */
    double azimuth;       /* [35] degrees by which the camera is rotated to the right; at 0 its view
                             direction is +y (-z if y is up) */
    double elevation;     /* [14] degrees above the horizon, -89 to 89 */
    double fov_long_side; /* [30] degrees, field of view along the longer side, 1 to 150 */
    double zoom;          /* [1] 1: everything fits; 2: half of it is in the image; 0.001 to 1000 */
    int samples; /* [8] rays per pixel and light, and twice as many camera rays per pixel at
                    outlines, 1 to 1024; more reduce noise and take longer */
    vo_surface_kind surface; /* [VO_SURFACE_SMOOTH] surface of cloth */
    bool wireframe;          /* [false] draws the edges of cloth; its faces are then flat-shaded */
    bool ground;             /* [true] a floor that receives shadows */
    double ground_height;    /* [NaN] m along up; NaN: at the lowest visible point */
    int colour_count;        /* [0] */
    const unsigned *colours; /* [NULL] sRGB 0xRRGGBB of the cloths' materials, those of cloth 0
                                first; further materials use default colours */
} vo_render_options;

/* Returns the defaults above. */
VO_API vo_render_options vo_render_options_default(void);

/* Renders the current state: `rgb` receives 3 width height bytes of sRGB, rows from the top. The
 * result is the same for any number of threads. Invalid options are VO_BAD_ARGUMENT with a message
 * that names the member. */
VO_API vo_result vo_sim_render_image(const vo_sim *sim, const vo_render_options *options,
                                     uint8_t *rgb);

/* Content that a framed camera must contain. */
typedef enum vo_framing_mode {
    VO_FRAMING_WHOLE_RUN, /* all rendered frames, with a fixed camera */
    VO_FRAMING_PER_FRAME, /* each frame separately */
} vo_framing_mode;

typedef struct vo_render_def {
    const char
        *input; /* folder of a run, a scene file (its initial state), a mesh (.obj) or a character
                   (.glb, .gltf, .fbx, .dae, .bvh): an image without a frame shows its rest
                   pose, everything else its first clip */
    const char *output; /* the extension selects the format: .png an image, .mp4 or .mov a movie
                           (H.264); a folder or a name without extension a folder of NNNN.png */
    int first, last;    /* [0, -1] frames of a run; last -1: to the end. An image shows the last
                           one */
    int frame;          /* [-1] renders only this frame of a run; -1: first to last */
    const char *camera; /* [NULL] name of a camera of the scene; NULL: the active one at the time of
                           the frame; "none": none. Without a camera, or if options.camera is set,
                           `options` define the view */
    bool override_size; /* [false] options.width and height also replace the image size of a scene
                           camera */
    vo_framing_mode framing; /* [VO_FRAMING_WHOLE_RUN] about sixty frames of a long run are sampled
                                for framing */
    vo_render_options options;
    vo_progress_fn *progress; /* [NULL] called after each frame; returns false to end the movie
                                 with this frame: VO_CANCELLED */
    void *user;               /* [NULL] for progress */
} vo_render_def;

/* Returns the defaults above. */
VO_API vo_render_def vo_render_def_default(void);

/* Renders to a file or folder. Files are written completely or not at all. */
VO_API vo_result vo_render(vo_context *ctx, const vo_render_def *def);

#ifdef __cplusplus
}
#endif
#endif

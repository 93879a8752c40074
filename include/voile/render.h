/* Voile: pictures and movies of scenes, states and runs (needs a build with Embree 3; for files
 * also libpng and libav; vo_features names what is there). */
#ifndef VOILE_RENDER_H
#define VOILE_RENDER_H

#include <voile/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How pictures are taken. In square brackets what vo_shot_default sets: from before, a little to
 * the right and above, everything in the picture. Up is against gravity; z for a mesh. */
typedef struct vo_shot {
    int width, height;       /* [1280, 720] pixels, 1 to 16384 */
    const vo_camera *camera; /* [NULL] looked through, whatever azimuth, elevation, field and zoom
                                say, from its near plane to its far one; where its pixels are not
                                of the same shape as the picture its vertical opening counts.
                                NULL: by them */
    double azimuth;          /* [35] degrees, by which the camera goes around to the right; at 0 it
                                looks along +y (along -z where y is up) */
    double elevation;        /* [14] degrees above the horizon, -89 to 89 */
    double field;            /* [30] degrees, opening along the longer side, 1 to 150 */
    double zoom;             /* [1] 1: what is to be seen just fits; 2: half of it; 0.001 to 1000 */
    int samples;             /* [8] rays a pixel to each light, and twice as many through pixels at
                             outlines, 1 to 1024: less grain for more time */
    vo_surface_kind surface; /* [VO_SURFACE_SMOOTH] of cloth */
    bool wire;               /* [false] draws the edges of cloth; its faces are then flat */
    bool ground;             /* [true] a floor that takes shadows */
    double ground_height;    /* [NaN] m along up; NaN: at the lowest point of what is shown */
    int colour_count;        /* [0] */
    const unsigned *colours; /* [NULL] 0xRRGGBB of the cloths' materials, those of cloth 0 first;
                                what has none gets the next of a list */
} vo_shot;

VO_API vo_shot vo_shot_default(void);

/* The present state, with everything in the picture: `rgb` gets 3 width height bytes of sRGB, rows
 * from the top. The same for any number of threads. Values that make no sense are VO_BAD_CALL with
 * a sentence that names the member. */
VO_API vo_result vo_sim_draw(const vo_sim *sim, const vo_shot *shot, uint8_t *rgb);

/* What the camera has in its picture. */
typedef enum vo_fit_kind {
    VO_FIT_ALL,  /* all frames that are rendered; the camera stands still */
    VO_FIT_EACH, /* each frame for itself */
} vo_fit_kind;

typedef struct vo_render_def {
    const char *input;  /* folder of a run, a scene file, which is shown as it starts, or a mesh
                           (.obj) */
    const char *output; /* by its name: .png one picture, .mp4 or .mov a movie (H.264), and without
                           an ending, or with a folder's name, a folder of NNNN.png */
    int first, last;    /* [0, -1] frames of a run; last -1: to the end. One picture shows the last
                           of them */
    int frame;          /* [-1] this frame of a run alone; -1: by first and last */
    const char *camera; /* [NULL] name of a camera of the scene; NULL: the one that the film shows
                           at the time of the frame; "none": none of them. Where there is none, and
                           where the shot has one, the shot says how to look */
    bool sized;         /* [false] the shot's width and height count also for a camera of the scene,
                           whose own they otherwise are */
    vo_fit_kind fit;    /* [VO_FIT_ALL] of many frames about sixty are looked at before */
    vo_shot shot;
    vo_progress_fn *progress; /* [NULL] false: a movie ends with this frame, VO_STOPPED */
    void *user;
} vo_render_def;

VO_API vo_render_def vo_render_def_default(void);

/* Files are whole or not there. */
VO_API vo_result vo_render(vo_context *ctx, const vo_render_def *def);

#ifdef __cplusplus
}
#endif
#endif

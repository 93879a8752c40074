/* Voile: comparison of several runs of one scene: images and cost (docs/comparing.md). Needs a
 * build with Embree 3. */
#ifndef VOILE_COMPARE_H
#define VOILE_COMPARE_H

#include <voile/render.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Measurements per frame: X(name, unit, meaning). Common pixels show cloth in this run and in the
 * reference; cloth behind bodies is excluded. */
#define VO_COMPARE_FIELDS(X)                                                                       \
    X(faces, "", "faces of all cloths")                                                            \
    X(verts, "", "verts of all cloths")                                                            \
    X(seconds, "s", "simulation time of the frame")                                                \
    X(cloth_pixels, "px", "pixels that show cloth")                                                \
    X(visible_faces, "", "visible faces: a third per visible corner")                              \
    X(speed, "m/s", "root mean square speed of the cloth, weighted by area")                       \
    X(silhouette_iou, "", "intersection over union of the silhouettes")                            \
    X(normal_angle, "deg", "mean angle between the normals, over common pixels")                   \
    X(depth_difference, "m", "mean difference of depth, over common pixels")                       \
    X(wrinkle_power, "", "mean square of the high-pass filtered normals, over common pixels")      \
    X(wrinkle_ratio, "", "wrinkle_power divided by that of the reference")                         \
    X(edge_5, "px", "5 % quantile of the image-space lengths of visible edges")                    \
    X(edge_25, "px", "25 % quantile")                                                              \
    X(edge_50, "px", "50 % quantile")                                                              \
    X(edge_75, "px", "75 % quantile")                                                              \
    X(edge_95, "px", "95 % quantile")                                                              \
    X(popping, "px",                                                                               \
      "largest image-space displacement of the surface by remeshing in the scene's cameras, from " \
      "the run's statistics, scaled to this image size")                                           \
    X(popping_bound, "px",                                                                         \
      "upper bound of that displacement: the popping of the statistics in metres, at the visible " \
      "point with the most pixels per metre")

/* Measurements of a frame; NaN: not measured or not defined. */
typedef struct vo_frame_comparison {
    int frame;
#define X(name, unit, meaning) double name;
    VO_COMPARE_FIELDS(X)
#undef X
} vo_frame_comparison;

/* Statistics over the measured frames; NaN if there are none. */
typedef struct vo_distribution {
    int frames;
    double min, max, mean;
    double p1, p99; /* 1 % and 99 % quantiles */
} vo_distribution;

enum { VO_COMPARE_LABEL = 24 };

typedef struct vo_run_comparison {
    char *folder, *name;
    char label[VO_COMPARE_LABEL + 1]; /* short name for tables and legends, unique per run */
    int frame_count;
    vo_frame_comparison *frame; /* frames that the reference has too; for the reference, all */
    struct {
#define X(name, unit, meaning) vo_distribution name;
        VO_COMPARE_FIELDS(X)
#undef X
    } all;
    vo_distribution slow_silhouette_iou; /* silhouette_iou over the frames in which the reference's
                                            cloth is slow */
    double seconds_total;                /* total over these frames */
    double
        speed_up; /* seconds of the reference divided by those of this run, for the same frames */
    int speed_up_frames; /* number of frames with times in both runs; frame 0 has none */
    int only_here_count, only_reference_count;
    int *only_here;      /* frames that the reference lacks */
    int *only_reference; /* frames of the reference that this run lacks */
} vo_run_comparison;

typedef struct vo_comparison {
    int run_count;
    int reference;          /* index of the reference; its measurements against itself are NaN */
    vo_run_comparison *run; /* in the order of the definition */
    int width, height;      /* image size, pixels */
    double wavelength;      /* pixels */
    double slow;            /* m/s, upper limit of slow cloth */
    bool framed;            /* the camera was framed around all runs */
} vo_comparison;

/* Definition of a comparison; vo_compare_def_default sets the values in square brackets. */
typedef struct vo_compare_def {
    int run_count;            /* [0] 2 to 16 */
    const char *const *runs;  /* [NULL] run folders; the second is the reference */
    const char *const *names; /* [NULL] names in plots and tables; NULL: the last components of the
                                 folders or, if these collide, the folders without their common
                                 leading components. A name equal to that of an earlier run gets
                                 its number appended: "name~2" */
    int first, last;          /* [0, -1] frames; last -1: to the end */
    int step;                 /* [1] compares every step-th of these frames */
    int width, height; /* [0, 0] image size in pixels, 1 to 16384; 0: that of the scene's camera, or
                          1920 x 1080. A camera of another aspect ratio is fitted into the image,
                          and pixels outside its own frame are excluded */
    const char *camera; /* [NULL] name of a camera of the scene; NULL: the active one; "none":
                           framed by `options` */
    vo_render_options options; /* view if the scene has no camera, or a camera of the caller;
                                  `surface` is used always, other members are ignored */
    double wavelength;         /* [0] pixels, upper wavelength limit of wrinkles, at most 1024; 0: a
                                  sixteenth of the shorter image side */
    double slow; /* [0.25] m/s, at least 0: slow_silhouette_iou includes the frames in which the
                    reference's cloth is not faster */
    const char
        *output; /* [NULL] folder for frames.csv, runs.csv, compare.json and plots; NULL: none
                  */
    bool images; /* [false] also writes difference images of each frame to `output` */
    vo_progress_fn *progress; /* [NULL] called after each frame; false cancels with VO_CANCELLED */
    void *user;
} vo_compare_def;

/* Returns the defaults above. */
VO_API vo_compare_def vo_compare_def_default(void);

/* Measures every frame that the runs have in common with the reference. The result is the same for
 * any number of threads. On failure *out is empty. */
VO_API vo_result vo_compare(vo_context *ctx, const vo_compare_def *def, vo_comparison *out);
/* Frees the contents of a comparison. */
VO_API void vo_comparison_free(vo_context *ctx, vo_comparison *comparison);

/* Returns the comparison as JSON, as in compare.json; NaN values are omitted. The caller frees the
 * text with vo_comparison_json_free. */
VO_API vo_result vo_comparison_to_json(vo_context *ctx, const vo_comparison *comparison,
                                       char **text);
VO_API void vo_comparison_json_free(vo_context *ctx, char *text);

#ifdef __cplusplus
}
#endif
#endif

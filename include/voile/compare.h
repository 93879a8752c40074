/* Voile: runs of one scene side by side: what they show, and what they cost (docs/comparing.md).
 * Needs a build with Embree 3. */
#ifndef VOILE_COMPARE_H
#define VOILE_COMPARE_H

#include <voile/render.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is measured of a frame: X(name, unit, meaning). "Pixels of both" are those in which this run
 * and the reference show cloth; cloth behind bodies does not count. */
#define VO_COMPARE_FIELDS(X)                                                                       \
    X(faces, "", "faces of all cloths")                                                            \
    X(verts, "", "verts of all cloths")                                                            \
    X(seconds, "s", "that the frame took to simulate")                                             \
    X(cloth_pixels, "px", "pixels that show cloth")                                                \
    X(seen_faces, "", "faces that are seen, by thirds: those of their corners that are")           \
    X(speed, "m/s", "of the cloth: root of the mean square over the fabric")                       \
    X(overlap, "", "of silhouettes: pixels of both over pixels of either")                         \
    X(normal_angle, "deg", "mean angle between the normals, over pixels of both")                  \
    X(depth_difference, "m", "mean difference of depth, over pixels of both")                      \
    X(wrinkle_power, "", "mean square of the normals' short waves, over pixels of both")           \
    X(wrinkle_ratio, "", "wrinkle_power over that of the reference")                               \
    X(edge_5, "px", "of the edges that are seen, 5 % are at most so long in the picture")          \
    X(edge_25, "px", "25 % are")                                                                   \
    X(edge_50, "px", "50 % are")                                                                   \
    X(edge_75, "px", "75 % are")                                                                   \
    X(edge_95, "px", "95 % are")                                                                   \
    X(popping, "px",                                                                               \
      "how far remeshing moved a point of the surface in the pictures of the scene's cameras, as " \
      "the run's statistics say, scaled to the size of these pictures")                            \
    X(popping_bound, "px",                                                                         \
      "at most, by how much remeshing moved a point of the surface in the picture: the popping "   \
      "of the statistics, taken for the place where a metre is most pixels")

/* A frame of a run; NaN: not measured, or there is nothing to measure. */
typedef struct vo_compared_frame {
    int frame;
#define X(name, unit, meaning) double name;
    VO_COMPARE_FIELDS(X)
#undef X
} vo_compared_frame;

/* Of the frames in which something could be measured; NaN without any. */
typedef struct vo_spread {
    int frames;
    double min, max, mean;
    double p1, p99; /* 1 % and 99 % of the frames have at most this */
} vo_spread;

typedef struct vo_compared_run {
    char *folder, *name;
    int frame_count;
    vo_compared_frame *frame; /* those that the reference has, too; of the reference all */
    struct {
#define X(name, unit, meaning) vo_spread name;
        VO_COMPARE_FIELDS(X)
#undef X
    } all;
    vo_spread slow_overlap; /* of those frames in which the reference's cloth is slow */
    double seconds_total;   /* of these frames */
    double speed_up; /* seconds of the reference over seconds of this run, for the same frames */
    int speed_up_frames; /* so many, which both have times of; frame 0 has none */
    int only_here_count, only_reference_count;
    int *only_here;      /* frames that the reference has not */
    int *only_reference; /* frames of the reference that this run has not */
} vo_compared_run;

typedef struct vo_comparison {
    int run_count;
    int reference;        /* which of them is the reference; its own measures against it are NaN */
    vo_compared_run *run; /* in the order of the call */
    int width, height;    /* of the pictures, pixels */
    double wavelength;    /* pixels */
    double slow;          /* m/s, below which cloth is slow */
    bool fitted;          /* the camera stands where all that the runs show is in its picture */
} vo_comparison;

/* In square brackets what vo_compare_def_default sets. */
typedef struct vo_compare_def {
    int run_count;            /* [0] 2 to 16 */
    const char *const *runs;  /* [NULL] folders; the second is the reference, all others are
                                 compared with it */
    const char *const *names; /* [NULL] for plots and tables; NULL: the last parts of the folders,
                                 or all of them where these are the same */
    int first, last;          /* [0, -1] frames; last -1: to the end */
    int step;                 /* [1] pictures of each step-th of these frames */
    int width, height;        /* [0, 0] pixels, 1 to 16384; 0: those of the scene's camera, or 1920
                                 x 1080. A camera of another aspect is fitted into them, and what
                                 is beyond its own frame is not measured */
    const char *camera; /* [NULL] name of one of the scene's cameras; NULL: what the film shows;
                           "none": one is fitted, as `shot` says */
    vo_shot shot;       /* how to look where the scene has no camera, or with a camera of the
                           caller's; `surface`: at which surface. The rest plays no part */
    double wavelength;  /* [0] pixels: waves of normals that are shorter count as wrinkles; at
                           most 1024. 0: a sixteenth of the picture's shorter side */
    double slow;        /* [0.25] m/s: overlaps are summed up also over the frames in which the
                           reference's cloth is not faster; at least 0 */
    const char *output; /* [NULL] folder for frames.csv, runs.csv, compare.json and plots; NULL:
                           nothing is written */
    bool pictures;      /* [false] also pictures of each frame, side by side, in `output` */
    vo_progress_fn *progress; /* [NULL] after each frame; false: VO_STOPPED */
    void *user;
} vo_compare_def;

VO_API vo_compare_def vo_compare_def_default(void);

/* Reads and looks at every frame that runs have in common with the reference. The same for any
 * number of threads. On failure *out is empty. */
VO_API vo_result vo_compare(vo_context *ctx, const vo_compare_def *def, vo_comparison *out);
VO_API void vo_comparison_free(vo_context *ctx, vo_comparison *comparison);

/* All of it as JSON, as in compare.json; what is NaN is left out. */
VO_API vo_result vo_comparison_json(vo_context *ctx, const vo_comparison *comparison, char **text);
VO_API void vo_comparison_json_free(vo_context *ctx, char *text);

#ifdef __cplusplus
}
#endif
#endif

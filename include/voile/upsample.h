/* Voile: learned upsampling (docs/upsampling.md; Kavan et al. 2011, "Physics-inspired upsampling
 * for cloth simulation in games").
 *
 *     train     simulates a coarse and a fine cloth of scenes together, or reads runs of both, and
 *               fits an operator that maps the vertices of one to those of the other; both go into
 *               a .vru file
 *     refit     fits another operator to the stored simulations, in seconds
 *     run       simulates the coarse cloth of any scene of the garment and upsamples it
 *     compare   measures upsampled cloth against the fine simulation of a scene
 *     show      draws columns of operators and mesh harmonics
 *
 * Scenes need the key `upsampling` (docs/scene-reference.md). The result for programs is a .vrt
 * file with a detail mesh (voile/rt.h). Training needs a build with ARPACK and LAPACK, images one
 * with Embree and libpng. Results do not depend on the number of threads. */
#ifndef VOILE_UPSAMPLE_H
#define VOILE_UPSAMPLE_H

#include <voile/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Parameters ---------------------------------------------------------------------------- */

/* Base operator B. */
typedef enum vo_upsample_base {
    VO_UPSAMPLE_BARYCENTRIC, /* interpolation in the nearest coarse triangle */
    VO_UPSAMPLE_LOOP,        /* Loop's limit surface at the same points */
    VO_UPSAMPLE_MEAN,        /* centroid of the coarse vertices: the whole operator is learned */
} vo_upsample_base;

/* Penalty gamma_n on the n-th harmonic of the residual, n = 1..N; lambda_n: normalised eigenvalue,
 * about (n - 1) / N. */
typedef enum vo_upsample_regularisation {
    VO_UPSAMPLE_HARMONIC,  /* a (1 + b (n - 1) / N)^c, from gamma_first, gamma_last and exponent */
    VO_UPSAMPLE_LAPLACIAN, /* alpha lambda_n */
    VO_UPSAMPLE_TIKHONOV,  /* alpha */
    VO_UPSAMPLE_LINEAR,    /* alpha + beta lambda_n */
    VO_UPSAMPLE_CUTOFF,    /* alpha up to the harmonic `cutoff`; higher ones are 0 */
    VO_UPSAMPLE_UNREGULARISED, /* 0: minimum-norm least squares */
} vo_upsample_regularisation;

/* Parameters of a fit; start from vo_upsample_fit_def_default(). Penalties are those of lengths
 * relative to the square root of the garment's area, so that they do not depend on the unit. */
typedef struct vo_upsample_fit_def {
    vo_upsample_regularisation regularisation;
    vo_upsample_base base;
    bool area_weighted;    /* errors are weighted by vertex areas; false: all vertices are equal */
    int harmonic_count;    /* harmonics of the residual; 0: automatic */
    double gamma_first;    /* penalty of the first harmonic, > 0 */
    double gamma_last;     /* penalty of the N-th harmonic, >= gamma_first */
    double exponent;       /* c > 0; larger values admit finer detail */
    double alpha, beta;    /* >= 0 */
    int cutoff;            /* harmonics that VO_UPSAMPLE_CUTOFF keeps */
    int history;           /* previous coarse states used as input */
    int history_step;      /* frames between them, >= 1 */
    int mode_count;        /* largest number of pairs of oscillatory modes */
    double mode_threshold; /* modes are added while one removes at least this fraction of the
                              energy of the residual along the normals */
} vo_upsample_fit_def;

VO_API vo_upsample_fit_def vo_upsample_fit_def_default(void);

/* Test functions of the tracking constraints, by which the fine cloth follows the coarse one. */
typedef enum vo_upsample_test_kind {
    VO_UPSAMPLE_TEST_HARMONIC,  /* the lowest harmonics of the fine mesh */
    VO_UPSAMPLE_TEST_CLUSTERED, /* masses of patches */
    VO_UPSAMPLE_TEST_NONE       /* the cloths have only the bodies in common */
} vo_upsample_test_kind;

typedef struct vo_upsample_progress {
    int scene, scene_count;
    int frame, frame_count;  /* of the scene; negative in the preroll */
    double coarse_s, fine_s; /* s of computing time, of the frame */
} vo_upsample_progress;
/* Called after each simulated frame. Returns false to cancel: the call ends with VO_CANCELLED. */
typedef bool vo_upsample_progress_fn(void *user, const vo_upsample_progress *progress);

/* --- Training ------------------------------------------------------------------------------ */

/* Compression adds at most a twentieth of the error that the operator has on its training frames,
 * unless the operator would exceed 1 MB with its base. */
enum { VO_UPSAMPLE_RANK_AUTO = -1 };

/* Where an operator is stored and what is written besides. Strings are read during the call. */
typedef struct vo_upsample_output {
    const char *file;  /* .vru file; required */
    const char *name;  /* [NULL] of the operator in the file, replaces one of that name; NULL:
                          "default" */
    const char *asset; /* [NULL] also writes the coarse garment with all operators of the file as
                          its detail: a .vrt file */
    int rank;          /* [0] rank of the operators in the asset, stored as half floats; 0: dense;
                          VO_UPSAMPLE_RANK_AUTO: chosen for each operator */
} vo_upsample_output;

typedef struct vo_upsample_train_def {
    /* Either scenes or runs of one garment, each scene or pair of runs a sequence of frames.
     *   scenes  coarse and fine cloth are simulated together; the fine one follows the coarse one
     *   runs    folders of existing runs (voile/run.h): a coarse and a fine one in turn, of either
     *           engine, sampled at the nodes of the original meshes */
    int scene_count;
    const char *const *scenes;
    int run_count;           /* [0] even */
    const char *const *runs; /* [NULL] */
    vo_upsample_output output;
    vo_upsample_test_kind test_kind; /* [harmonic] */
    int test_functions;              /* [-1] their number; -1: that of each scene */
    int max_frames;                  /* [0] of each scene; 0: all */
    int override_count;
    const char *const *overrides; /* "key=value", changes of all scenes */
    int save_interval;            /* [100] frames between saved states */
    bool restart;                 /* [false] discard the saved states of an interrupted call */
    vo_upsample_fit_def fit;
    bool choose_exponent;              /* [false] choose fit.exponent by cross-validation */
    vo_upsample_progress_fn *progress; /* [NULL] */
    void *user;
} vo_upsample_train_def;

VO_API vo_upsample_train_def vo_upsample_train_def_default(void);

/* Result of a fit, with the times of its parts. */
typedef struct vo_upsample_report {
    int fine_vertices, coarse_vertices, frames, sequences, test_functions;
    int harmonics;              /* of the fine mesh that were computed */
    bool harmonics_were_stored; /* read from the user's cache */
    int mode_count;             /* oscillatory modes that were found */
    vo_upsample_fit_def fit;    /* with automatic values resolved */
    double error_rms;           /* m, RMS distance from the fine cloth on the training data */
    double base_error_rms;      /* m, of the base operator alone */
    double mode_error_rms;      /* m, with oscillatory modes */
    double validated_rms;   /* m, of frames that the fit has not seen, by cross-validation without
                               oscillatory modes; 0: not computed */
    double max_strain;      /* 99th percentile, worst frame of the fine cloth */
    double max_penetration; /* m, of fine vertices in bodies, worst frame */
    double max_tracking_error; /* relative to the size of the garment, worst frame */
    double coarse_s, fine_s;   /* s per frame of simulation; 0: nothing was simulated */
    double simulation_s, harmonics_s, fit_s; /* s, elapsed */
    double compression_error; /* m, RMS of the operators in the asset against dense ones */
    size_t file_bytes, operator_bytes;
} vo_upsample_report;

/* Trains an operator. While it simulates, states are saved in the folder <file>.partial; a call
 * with the same scenes after an interruption continues from there and gives the same bytes. The
 * folder is removed at the end. `report` may be NULL. */
VO_API vo_result vo_upsample_train(vo_context *ctx, const vo_upsample_train_def *def,
                                   vo_upsample_report *report);

typedef struct vo_upsample_refit_def {
    const char *input;         /* .vru file; required, may be that of the output */
    vo_upsample_output output; /* file [NULL]: the input */
    /* [0, 0] sequences of the file to which the operator is fitted, in the order of the training
     * scenes; 0: all from the first one. A garment blends its operators by motion. */
    int first_sequence, sequence_count;
    vo_upsample_fit_def fit;
    bool choose_exponent; /* [false] choose fit.exponent by cross-validation */
    bool validate;        /* [false] report the error of the parameters by cross-validation */
} vo_upsample_refit_def;

VO_API vo_upsample_refit_def vo_upsample_refit_def_default(void);

/* Fits an operator to the frames of a file. */
VO_API vo_result vo_upsample_refit(vo_context *ctx, const vo_upsample_refit_def *def,
                                   vo_upsample_report *report);

/* --- Use ----------------------------------------------------------------------------------- */

/* Appearance of images of compare, run and show. */
typedef struct vo_upsample_view {
    int width, height;         /* [480, 480] pixels of each surface */
    double azimuth, elevation; /* [25, 10] degrees, as in vo_render_options */
    double zoom;               /* [1] */
    int samples;               /* [8] rays per pixel and light */
} vo_upsample_view;

VO_API vo_upsample_view vo_upsample_view_default(void);

typedef struct vo_upsample_run_def {
    const char *input;  /* .vru file; required */
    const char *scene;  /* required */
    const char *folder; /* [NULL] writes NNNN.obj, the fine mesh of each frame */
    const char *images; /* [NULL] folder of NNNN.png */
    int rank;           /* [0] of the operators, as half floats (vo_upsample_output); 0: dense */
    int every;          /* [1] writes every Nth frame */
    int max_frames;     /* [0] 0: all */
    int override_count;
    const char *const *overrides;
    vo_upsample_view view;
    vo_upsample_progress_fn *progress; /* [NULL] */
    void *user;
} vo_upsample_run_def;

VO_API vo_upsample_run_def vo_upsample_run_def_default(void);

typedef struct vo_upsample_run_report {
    int frames, fine_vertices, coarse_vertices;
    double simulation_s, detail_s; /* s per step of the world, mean: coarse cloth, its detail */
    double operator_s, operator_cold_s; /* s, shortest evaluation of the operators alone: in the
                                           cache, and with the caches overwritten before */
    size_t operator_bytes;              /* of the operators and the base operator at run time */
    int inside_vertices;                /* largest number of free fine vertices inside bodies */
    double max_depth;                   /* m, largest depth of a fine vertex */
} vo_upsample_run_report;

/* Simulates the coarse cloth of a scene with the operators of a file as its detail. */
VO_API vo_result vo_upsample_run(vo_context *ctx, const vo_upsample_run_def *def,
                                 vo_upsample_run_report *report);

/* Measures of a surface, over all frames: X(name, unit, meaning). */
#define VO_UPSAMPLE_MEASURES(X)                                                                   \
    X(position_rms, "m", "RMS distance of vertices, weighted by area")                            \
    X(position_max, "m", "largest distance of a vertex")                                          \
    X(normal_angle, "deg", "mean angle between normals")                                          \
    X(wrinkle_ratio, "", "energy of wrinkles, relative to the fine cloth")                        \
    X(wrinkle_error, "", "mean difference of the energy of wrinkles, relative to the fine cloth") \
    X(wrinkle_difference, "", "energy of the difference of wrinkles, relative to the fine cloth") \
    X(inside_vertices, "", "largest number of vertices inside bodies in a frame")                 \
    X(max_depth, "m", "largest depth of a vertex inside a body")

enum { VO_UPSAMPLE_MAX_SURFACES = 12, VO_UPSAMPLE_NAME = 64 };

typedef struct vo_upsample_surface_result {
    char name[VO_UPSAMPLE_NAME]; /* "barycentric", "loop", "run", "repeat" or the name of an
                                    operator */
#define VO_UPSAMPLE_MEASURE_MEMBER(name, unit, meaning) double name;
    VO_UPSAMPLE_MEASURES(VO_UPSAMPLE_MEASURE_MEMBER)
#undef VO_UPSAMPLE_MEASURE_MEMBER
} vo_upsample_surface_result;

/* Measures of a scene. */
typedef struct vo_upsample_comparison {
    int frames, surface_count;
    vo_upsample_surface_result surface[VO_UPSAMPLE_MAX_SURFACES];
    vo_upsample_surface_result fine; /* of the fine cloth: inside_vertices and max_depth only */
    double coarse_s, fine_s;         /* s per frame of simulation */
} vo_upsample_comparison;

typedef struct vo_upsample_compare_def {
    const char *input;  /* .vru file; required */
    const char *scene;  /* [NULL] scene to simulate; NULL: the stored frames */
    const char *images; /* [NULL] folder of NNNN.png: surfaces side by side */
    /* [0, NULL] names of the surfaces in images: "coarse", "fine" and those of the result; NULL:
     * coarse, loop, run, fine */
    int image_surface_count;
    const char *const *image_surfaces;
    int rank;                        /* [0] of the operators of "run", as half floats; 0: dense */
    int every;                       /* [1] frames between images */
    int first_image;                 /* [0] first frame with an image */
    int max_frames;                  /* [0] 0: all */
    vo_upsample_test_kind test_kind; /* [harmonic] */
    int test_functions;              /* [-1] -1: as many as in the training */
    bool noise_floor; /* [false] simulates the scene again with gravity of the fine cloth changed by
                         a millionth: the surface "repeat" is how far the fine cloth is from itself.
                         No operator can be closer than 0.7 of that on average */
    int override_count;
    const char *const *overrides;
    vo_upsample_view view;
    vo_upsample_progress_fn *progress; /* [NULL] */
    void *user;
} vo_upsample_compare_def;

VO_API vo_upsample_compare_def vo_upsample_compare_def_default(void);

/* Simulates a scene as in training and compares all operators of a file, Loop subdivision and
 * barycentric interpolation with the fine cloth. "run" is the output of the real-time library: all
 * operators blended, with oscillatory modes, outside of bodies; inside_vertices and max_depth are
 * those of "run" only, NaN for the others. Without a scene, "run" is missing if the files of the
 * training scenes are. */
VO_API vo_result vo_upsample_compare(vo_context *ctx, const vo_upsample_compare_def *def,
                                     vo_upsample_comparison *out);

typedef struct vo_upsample_show_def {
    const char *input;    /* .vru file; required */
    const char *name;     /* [NULL] operator; NULL: the first one */
    const char *image;    /* .png file; required */
    int column_count;     /* [0] columns of the operator to draw */
    const int *columns;   /* coarse vertices, from 0 */
    int harmonic_count;   /* [0] mesh harmonics to draw */
    const int *harmonics; /* from 1 */
    bool residual;        /* [false] draw D in place of U = B + D */
    vo_upsample_view view;
} vo_upsample_show_def;

VO_API vo_upsample_show_def vo_upsample_show_def_default(void);

/* Draws functions of the fine mesh side by side, as coloured height fields. */
VO_API vo_result vo_upsample_show(vo_context *ctx, const vo_upsample_show_def *def);

#ifdef __cplusplus
}
#endif
#endif

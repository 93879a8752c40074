/* Voile: learned upsampling (Kavan et al. 2011, "Physics-inspired upsampling for cloth simulation
 * in games"): parameters. */
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

#ifdef __cplusplus
}
#endif
#endif

/* Measurements of the real-time library: parts that the benchmarks share.
 *
 *     bench.c            rows, clocks, entry point
 *     bench_character.c  mannequin as a body, capsules, poses of a clip
 *     bench_hierarchy.c  transitions and leaf lists on meshes of their own
 *     bench_world.c      fronts of several sizes
 *     bench_tshirt.c     the T-shirt on the mannequin
 *     bench_crowd.c      walkers and parade
 *     bench_scene.c      the frames of a scene of the engine realtime
 *     bench_scenes.c     rows of the scenes with self-collision
 *     bench_upsample.c   upsampling of 7,016 nodes from 196 vertices
 *     bench_plot.c       plots of their times */
#ifndef VO_REALTIME_BENCH_H
#define VO_REALTIME_BENCH_H

#include "character/clip.h"
#include "character/mannequin.h"

#include <voile/bench.h>
#include <voile/rt.h>

#include <math.h>

typedef struct vo_bench {
    vo_context *ctx;
    const vo_bench_rt_def *def;
    int rows; /* reported so far */
} vo_bench;

/* Seconds of processor time of the calling thread, and of all threads of the process. */
double vo_bench_thread_time(void);
double vo_bench_process_time(void);

/* True if some row whose name begins with `prefix` is requested. */
bool vo_bench_wants(const vo_bench *b, const char *prefix);
/* Reports a row if it is requested; sets row->met. */
void vo_bench_report(vo_bench *b, vo_bench_row row);

/* Writes ASSETS/folder/name to path [VO_PATH_SIZE]. */
void vo_bench_path(const vo_bench *b, const char *folder, const char *name, char *path);
/* Sets the context's message from one of the real-time library; returns `result`. */
vo_result vo_bench_fail(vo_bench *b, vo_result result, const char *message);

/* --- Characters (bench_character.c) ---------------------------------------------------------- */

enum { VO_BENCH_MAX_SHAPES = 32 };

/* The mannequin in the form of vo_rt_body_def, and a clip. */
typedef struct vo_bench_character {
    vo_mannequin mannequin;
    vo_clip *clip;
    vo_rt_vec3 *positions; /* [vertex_count] */
    int32_t *triangles;    /* [3 face_count] */
    uint16_t *bones;       /* [4 vertex_count] */
    float *weights;        /* [4 vertex_count] */
    int vertex_count, face_count;
    int shape_count;
    vo_rt_shape shapes[VO_BENCH_MAX_SHAPES]; /* capsules in the bind pose */
} vo_bench_character;

/* A mannequin of about `faces` faces with the clip motions/walk.json. */
vo_result vo_bench_character_create(vo_bench *b, int faces, vo_bench_character *out);
void vo_bench_character_free(vo_bench *b, vo_bench_character *c);

/* Definition of a body; its arrays belong to the character. */
vo_rt_body_def vo_bench_character_body(const vo_bench_character *c, bool mesh, bool shapes);

enum { VO_BENCH_PREROLL = 1 }; /* s, from the rest pose into the clip */
/* Bone matrices at time t, s, of a character displaced by `offset` whose clip starts at `phase`. */
void vo_bench_character_pose(const vo_bench_character *c, double t, double phase, vo_vec3 offset,
                             vo_rt_matrix bones[VO_BONE_COUNT]);

/* Cooks garments/NAME; `faces` 0: the default of vo_cook. `coarse`: sewn with long edges, two
 * levels of refinement. */
vo_result vo_bench_cook(vo_bench *b, const char *name, int faces, bool coarse, vo_rt_asset **out);

/* A world with z up, for `threads` threads. */
vo_rt_world_def vo_bench_world_def(const vo_bench *b, int threads);

/* --- Steps (bench_world.c) ---------------------------------------------------------------------
 */

/* Steps whose inputs depend on their index alone. */
typedef struct vo_bench_steps {
    vo_rt_world *world;
    int warm_up, count; /* steps before and after the snapshot */
    float dt;
    double (*clock)(void);
    void (*set_inputs)(void *user, int step);  /* NULL: none; not timed */
    void (*take_inputs)(void *user, int step); /* NULL: none; timed */
    void (*inspect)(void *user, int step);     /* NULL: none; after each timed step */
    void *user;
} vo_bench_steps;

/* Runs the warm-up, then the steps def->repeat times from the same state. Writes the best time of
 * each step, s, to best [count]. */
vo_result vo_bench_run_steps(vo_bench *b, const vo_bench_steps *steps, double *best);
double vo_bench_mean(const double *values, int count);

/* --- Scenes (bench_scene.c) --------------------------------------------------------------------
 */

/* Times of a frame, ms: X(name, legend). */
#define VO_BENCH_TIMES(X)                     \
    X(frame, "frame")                         \
    X(simulation, "integration, constraints") \
    X(collision, "collisions")                \
    X(adaption, "hierarchy")

typedef enum vo_bench_time {
#define X(name, legend) VO_BENCH_TIME_##name,
    VO_BENCH_TIMES(X)
#undef X
        VO_BENCH_TIME_COUNT
} vo_bench_time;

/* Sums over all frames of one repetition. */
typedef struct vo_bench_scene_counts {
    double triangles;
    double queries;
    double face_pairs;     /* pairs of faces of a group and near bodies, of all queries */
    double cluster_pairs;  /* those in clusters whose boxes overlap */
    double box_pairs;      /* those whose own boxes overlap and that share no calm vertex */
    double compared_pairs; /* pairs of faces whose vertices were compared: colours permit that
                              they are adjacent */
    double feature_pairs;  /* distances computed */
    double near_pairs;     /* distances within the query radius */
} vo_bench_scene_counts;

/* Frames 1 to `count` of a scene, on one thread. */
typedef struct vo_bench_scene {
    int count;
    double *ms[VO_BENCH_TIME_COUNT]; /* [count] best of the repetitions, processor time */
    double stage_ms[7];              /* means, in the order of VO_RT_STAGES */
    double last_ms;                  /* mean of the last repetition */
    vo_bench_scene_counts counts;
    double pool_bytes;                        /* of the world at the end */
    double tree_bytes;                        /* of these, arrays that only the hierarchy needs */
    double list_bytes;                        /* leaf lists of all cloths */
    int even_colours, odd_colours, max_level; /* of the first asset */
} vo_bench_scene;

/* Runs scenes/NAME.json of the assets; `overrides` are changes of it. */
vo_result vo_bench_run_scene(vo_bench *b, const char *name, int repeat, int override_count,
                             const char *const *overrides, vo_bench_scene *out);
void vo_bench_scene_free(vo_bench *b, vo_bench_scene *s);

/* Writes NAME-frames.svg and NAME-frames.png to def->plots; `finest` may be NULL (bench_plot.c). */
vo_result vo_bench_plot_scene(vo_bench *b, const char *name, const vo_bench_scene *adaptive,
                              const vo_bench_scene *finest);

/* --- Benchmarks --------------------------------------------------------------------------------
 */

vo_result vo_bench_transitions(vo_bench *b);
vo_result vo_bench_lists(vo_bench *b);
vo_result vo_bench_upsampling(vo_bench *b);
vo_result vo_bench_linear(vo_bench *b);
vo_result vo_bench_tshirt(vo_bench *b);
vo_result vo_bench_walkers(vo_bench *b);
vo_result vo_bench_parade(vo_bench *b);
vo_result vo_bench_drape(vo_bench *b);
vo_result vo_bench_curtains(vo_bench *b);
vo_result vo_bench_trousers(vo_bench *b);

#endif

/* The inside of vo_compare: which frames, who looks at them, what is written.
 *
 *      compare.c           the call: lists of frames, loop over them
 *      compare_look.c      a frame of a run -> what the camera sees -> measures
 *      compare_scene.c     warns where the scenes of two runs differ
 *      compare_sum.c       spreads over the frames, speed-ups
 *      compare_write.c     frames.csv, runs.csv, compare.json
 *      compare_plots.c     time and fidelity over the frames
 */
#ifndef VO_SIM_COMPARE_H
#define VO_SIM_COMPARE_H

#include "picture/observe.h"
#include "sim/epoch.h"
#include "sim/folder.h"
#include "sim/render.h"

#include <voile/compare.h>

enum { VO_COMPARE_REFERENCE = 1, VO_COMPARE_MAX_RUNS = 16 };

/* The members of a frame that are measures, by their place in the list of fields. */
enum {
#define X(name, unit, meaning) VO_COMPARE_##name,
    VO_COMPARE_FIELDS(X)
#undef X
        VO_COMPARE_FIELD_COUNT
};
const char *vo_compare_field_name(int field);
double vo_compared_value(const vo_compared_frame *frame, int field);
vo_spread *vo_compared_spread(vo_compared_run *run, int field);

/* Who looks at one run: the frame at hand, what would be drawn of it, and what is seen. */
typedef struct vo_compare_eye {
    vo_context *ctx;
    vo_epoch epoch;
    vo_stage stage; /* for its model alone */
    vo_observer observer;
    vo_lengths edges;
} vo_compare_eye;

/* VO_BAD_CALL where this build cannot look. The shot, which says what surface is looked at, must
 * outlive it. */
vo_result vo_compare_eye_open(vo_context *ctx, const vo_shot *shot, vo_compare_eye *eye);
void vo_compare_eye_close(vo_compare_eye *eye);

/* How frames are looked at. */
typedef struct vo_compare_view {
    vo_camera camera;
    vo_vec2 frame;   /* pixels of the middle part that counts */
    vo_vec3 origin;  /* m; of what is drawn, the same for all runs of a frame */
    bool everything; /* bodies, too, where there is no cloth */
} vo_compare_view;

/* The middle of all cloth of the frame that the eye has read. */
vo_vec3 vo_compare_middle(const vo_compare_eye *eye);
/* Looks at the frame that it has read. */
vo_result vo_compare_eye_look(vo_compare_eye *eye, const vo_compare_view *view);
/* Measures of what it sees alone: pixels, edges, popping (m, of the statistics). */
vo_result vo_compare_measure_own(vo_compare_eye *eye, double popping, vo_compared_frame *out);
/* Measures against the reference. */
vo_result vo_compare_measure_pair(const vo_compare_eye *eye, const vo_compare_eye *reference,
                                  double wavelength, vo_compared_frame *out);

/* compare_scene.c: warns of what the scenes of two runs differ in, but for how they adapt. */
vo_result vo_compare_scenes(vo_context *ctx, const char *folder, const char *reference);

/* Spreads and speed-ups, from the frames. */
vo_result vo_comparison_sum(vo_context *ctx, vo_comparison *c);

/* Into a folder that is there. */
vo_result vo_comparison_write(vo_context *ctx, const vo_comparison *c, const char *folder);
vo_result vo_comparison_plot(vo_context *ctx, const vo_comparison *c, const char *folder);

#endif

/* Slack of faces: reduction of compression stiffness by buckling compensation, and its fading. */
#include "core/parallel.h"
#include "integrate/implicit.h"

#include <math.h>

/* Tolerance of slack and of the difference to its target. */
static const double MIN_SLACK = 1e-3;
enum { GRAIN = 256 };

static int number_of(const vo_implicit *s, int face) {
    VO_REQUIRE(s->ctx, face >= 0 && face < s->system.face_count);
    return s->system.face_number[face];
}

/* Arguments of set_targets. */
typedef struct target_args {
    vo_implicit *s;
    vo_slack_target_fn *target;
    const void *user;
} target_args;

static void set_targets(void *arg, int begin, int end, int chunk) {
    const target_args *a = arg;
    (void)chunk;
    for (int face = begin; face < end; face++) {
        double target = a->target(a->user, face);
        a->s->slack_target[number_of(a->s, face)] = target >= MIN_SLACK ? vo_min(target, 1) : 0;
    }
}

void vo_implicit_set_slack_targets(vo_implicit *s, vo_slack_target_fn *target, const void *user) {
    target_args a = {s, target, user};
    vo_parallel_for(s->ctx, s->system.face_count, GRAIN, set_targets, &a);
    for (int i = 0; i < s->system.face_count; i++)
        s->slack_is_fading = s->slack_is_fading || s->slack[i] != s->slack_target[i];
}

void vo_implicit_set_slack(vo_implicit *s, int face, double now) {
    int i = number_of(s, face);
    s->slack[i] = now > 0 ? vo_min(now, 1) : 0;
    s->has_slack = s->has_slack || s->slack[i] > 0;
    s->slack_is_fading = s->slack_is_fading || s->slack[i] != s->slack_target[i];
}

double vo_implicit_get_slack(const vo_implicit *s, int face) {
    return s->slack[number_of(s, face)];
}

void vo_implicit_fade_slack(vo_implicit *s, double left) {
    if (!s->slack_is_fading) return;
    s->has_slack = s->slack_is_fading = false;
    for (int i = 0; i < s->system.face_count; i++) {
        double remaining = left * (s->slack[i] - s->slack_target[i]);
        s->slack[i] = s->slack_target[i] + (fabs(remaining) >= MIN_SLACK ? remaining : 0);
        s->has_slack = s->has_slack || s->slack[i] > 0;
        s->slack_is_fading = s->slack_is_fading || s->slack[i] != s->slack_target[i];
    }
}

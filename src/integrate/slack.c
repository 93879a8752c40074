/* Which faces resist compression less than their fabric, and how they come to. */
#include "core/parallel.h"
#include "integrate/implicit.h"

#include <math.h>

/* Less is none: of slack, and of the way to its goal. */
static const double LEAST = 1e-3;
enum { GRAIN = 256 };

static int number_of(const vo_implicit *s, int face) {
    VO_REQUIRE(s->ctx, face >= 0 && face < s->system.face_count);
    return s->system.face_number[face];
}

/* Goals of all faces. */
typedef struct aim {
    vo_implicit *s;
    vo_slack_goal_fn *goal;
    const void *user;
} aim;

static void set_goals(void *arg, int begin, int end, int chunk) {
    const aim *a = arg;
    (void)chunk;
    for (int face = begin; face < end; face++) {
        double goal = a->goal(a->user, face);
        a->s->slack_goal[number_of(a->s, face)] = goal >= LEAST ? vo_min(goal, 1) : 0;
    }
}

void vo_implicit_aim_slack(vo_implicit *s, vo_slack_goal_fn *goal, const void *user) {
    aim a = {s, goal, user};
    vo_parallel_for(s->ctx, s->system.face_count, GRAIN, set_goals, &a);
    for (int i = 0; i < s->system.face_count; i++)
        s->slackens = s->slackens || s->slack[i] != s->slack_goal[i];
}

void vo_implicit_set_slack(vo_implicit *s, int face, double now) {
    int i = number_of(s, face);
    s->slack[i] = now > 0 ? vo_min(now, 1) : 0;
    s->loose = s->loose || s->slack[i] > 0;
    s->slackens = s->slackens || s->slack[i] != s->slack_goal[i];
}

double vo_implicit_get_slack(const vo_implicit *s, int face) {
    return s->slack[number_of(s, face)];
}

void vo_implicit_fade_slack(vo_implicit *s, double left) {
    if (!s->slackens) return;
    s->loose = s->slackens = false;
    for (int i = 0; i < s->system.face_count; i++) {
        double way = left * (s->slack[i] - s->slack_goal[i]);
        s->slack[i] = s->slack_goal[i] + (fabs(way) >= LEAST ? way : 0);
        s->loose = s->loose || s->slack[i] > 0;
        s->slackens = s->slackens || s->slack[i] != s->slack_goal[i];
    }
}

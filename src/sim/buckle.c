/* Buckling compensation of cloths (material/buckle.h): which faces have how much slack.
 *
 * Smallest and largest, between which alpha goes from 1 to 0, are the faces that the limits of edge
 * lengths allow, not those that the mesh has now: with those of the mesh, one edit would change
 * what all other faces resist, and cloth that is equally fine everywhere would be soft where its
 * faces happen to be the largest.
 *
 * What a face is to have is found at the end of each frame, from what a frame file holds: it is not
 * saved, and a resumed run finds the same. */
#include "core/timer.h"
#include "sim/sim.h"

#include <math.h>

/* Less is none, so that faces which are nearly the finest there are cost nothing. */
static const double LEAST = 0.01;
/* No face is without any resistance: its corners would drift into each other. */
static const double MOST = 0.99;

/* Of a face with three edges of this length. */
static double area_of(double edge) { return 0.25 * sqrt(3) * edge * edge; }

/* Slack of a face, if the longest edges are so long. */
static double slack_of(const vo_sim *sim, int cloth, int face, double longest, double power) {
    double area = vo_mesh_face_area(sim->cloth[cloth].mesh, face);
    double shortest = sim->scene->cloth[cloth].remeshing.size_min;
    double alpha = vo_buckle_alpha(area, area_of(shortest), area_of(longest), power);
    return 1 - alpha >= LEAST ? vo_min(1 - alpha, MOST) : 0;
}

/* The power that a camera gives a face; 0: none. Faces that are hidden are not told from those that
 * are seen: their size tells them apart well enough, and asks for no lines of sight. */
static double view_power(const vo_sim *sim, int cloth, int face) {
    const vo_viewing *v = &sim->scene->def.view;
    if (!v->compensation || sim->view.frustum_count == 0) return 0;
    return vo_sim_view_misses(sim, cloth, face) ? v->compensation_power : v->compensation_seen;
}

/* The longest edge of a cloth where nothing is seen, for which alpha is 0. Without a limit in its
 * remeshing, that of the view stands for it: faces that are larger yet give way as much. */
static double longest_unseen(const vo_sim *sim, int cloth) {
    double own = sim->scene->cloth[cloth].remeshing.size_max,
           unseen = sim->scene->def.view.size_max;
    return isinf(own) ? unseen : vo_max(own, unseen);
}

double vo_sim_buckle_goal(const vo_sim *sim, int cloth, int face) {
    const vo_remeshing *r = &sim->scene->cloth[cloth].remeshing;
    if (!r->on) return 0;
    if (r->compensation != VO_COMPENSATE_NONE)
        return slack_of(sim, cloth, face, r->size_max, r->compensation_power);
    double power = view_power(sim, cloth, face);
    return power > 0 ? slack_of(sim, cloth, face, longest_unseen(sim, cloth), power) : 0;
}

/* The cloth of a face by its global number. */
static int cloth_of(const vo_sim *sim, int face) {
    int low = 0, high = sim->cloth_count; /* the answer is in [low, high) */
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (sim->system_cloth[middle].first_face <= face)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* vo_slack_goal_fn */
static double goal_of(const void *user, int face) {
    const vo_sim *sim = user;
    int cloth = cloth_of(sim, face);
    return vo_sim_buckle_goal(sim, cloth, face - sim->system_cloth[cloth].first_face);
}

void vo_sim_buckle_aim(vo_sim *sim) {
    double start = vo_now();
    vo_sim_view_open(sim);
    vo_implicit_aim_slack(&sim->implicit, goal_of, sim);
    if (sim->view.view) sim->stats.stage.view += vo_now() - start;
}

void vo_sim_buckle_begin(vo_sim *sim) {
    vo_sim_buckle_aim(sim);
    vo_implicit_fade_slack(&sim->implicit, 0);
}

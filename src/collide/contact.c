#include "collide/contact.h"

/* A contact is damped as strongly as its stiffness acts over this many steps. */
static const double DAMPING = 4;
/* m/s, what sticks creeps by at most this. */
static const double CREEP = 2e-4;
/* A contact is stiffer than its nodes are inert by at most this: beyond, nothing changes but the
 * condition of the matrix. */
static const double STIFFEST = 1e3;

/* The smaller of the two features' shares of area. */
static double contact_area(const vo_surface *s, const vo_near *near) {
    double side[2] = {0, 0};
    for (int i = 0; i < 4; i++)
        side[near->weight[i] < 0] += fabs(near->weight[i]) * s->area[near->pair.node[i]];
    return vo_min(side[0], side[1]);
}

/* Mass that a push at the contact has to move; infinite if nothing gives way. */
static double effective_mass(const vo_surface *s, const vo_near *near) {
    double inverse = 0;
    for (int i = 0; i < 4; i++)
        inverse += near->weight[i] * near->weight[i] * s->inverse_mass[near->pair.node[i]];
    return inverse > 0 ? 1 / inverse : INFINITY;
}

/* How far the first point moves relative to the second, m. */
static vo_vec3 relative_motion(const vo_surface *s, const vo_near *near) {
    vo_vec3 sum = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        int node = near->pair.node[i];
        sum = v3_add_scaled(sum, near->weight[i], v3_sub(s->x1[node], s->x0[node]));
    }
    return sum;
}

/* E'' at distance d, N/m. */
static double stiffness_at(double k, double h, double d) { return k * vo_max(h - d, 0) / h; }

void vo_contact_rub(vo_contact *c, double push) {
    double speed = v3_length(c->slip);
    c->drag = vo_min(c->friction * push / vo_max(speed, CREEP), STIFFEST * c->mass);
    bool slides = speed > CREEP && c->drag < c->mass;
    c->slide = slides ? v3_scale(1 / speed, c->slip) : v3(0, 0, 0);
}

bool vo_contact_make(const vo_contact_def *def, const vo_surface *s, const vo_near *near,
                     vo_contact *out) {
    double mass = effective_mass(s, near), dt = def->dt, h = near->thickness;
    vo_vec3 motion = relative_motion(s, near);
    double approach = v3_dot(motion, near->normal), coasting = near->distance + approach;
    if (coasting >= h || !isfinite(mass)) return false;
    double d = vo_max(coasting, 0), ka = def->stiffness * contact_area(s, near);
    double stiffest = STIFFEST * mass / (dt * dt);
    double k = vo_min(stiffness_at(ka, h, d), stiffest), damping = DAMPING * dt * k;
    *out = (vo_contact){
        .normal = near->normal,
        .normal_mass = dt * dt * k + dt * damping,
        .impulse = dt * k * ((h - d) / 2 + d - coasting) - damping * approach,
        .slip = v3_scale(1 / dt, v3_add_scaled(motion, -approach, near->normal)),
        .share = dt * k * (h - d) / 2,
        .mass = mass,
        .friction =
            vo_pair_touches_obstacle(s, near->pair.node) ? def->obstacle_friction : def->friction,
    };
    for (int i = 0; i < 4; i++) {
        out->node[i] = near->pair.node[i];
        out->weight[i] = near->weight[i];
    }
    return true;
}

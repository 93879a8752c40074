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

/* ---- which way obstacles push ---------------------------------------------------------------- */

/* The nearest points of two features are not those of two surfaces. A cloth that slides over a flat
 * plate has edges a little before or behind those of the plate; the way between them leans, and a
 * cloth that goes on by several times its height above the plate seems to run into it. But beside
 * an edge or a node of an obstacle there are its faces, and a way that leans over one of them is
 * not the shortest: what leans is taken off, so that obstacles push along normals that they have.
 */

/* Without what leans towards a neighbour. */
static vo_vec3 upright(vo_vec3 way, vo_vec3 neighbour) {
    double lean = v3_dot(way, neighbour), length2 = v3_length2(neighbour);
    return lean > 0 && length2 > 0 ? v3_add_scaled(way, -lean / length2, neighbour) : way;
}

static vo_vec3 upright_on_edge(const vo_surface *s, int a, int b, vo_vec3 way) {
    vo_vec3 along = v3_sub(s->x0[b], s->x0[a]);
    double length2 = v3_length2(along);
    int i = s->ring_begin[a];
    while (i < s->ring_begin[a + 1] && s->ring[i][0] != b) i++;
    if (i == s->ring_begin[a + 1] || !(length2 > 0)) return way;
    for (int k = 0; k < 2; k++) {
        int wing = s->wing[s->ring[i][1]][k];
        if (wing < 0) continue;
        vo_vec3 across = v3_sub(s->x0[wing], s->x0[a]);
        across = v3_add_scaled(across, -v3_dot(across, along) / length2, along);
        way = upright(way, across);
    }
    return way;
}

static vo_vec3 upright_on_node(const vo_surface *s, int node, vo_vec3 way) {
    for (int pass = 0; pass < 2; pass++)
        for (int i = s->ring_begin[node]; i < s->ring_begin[node + 1]; i++)
            way = upright(way, v3_sub(s->x0[s->ring[i][0]], s->x0[node]));
    return way;
}

/* The pair with a normal that the obstacle has. False if hardly anything is left of it: then others
 * are nearer. Faces have but one normal, and cloth gives way. */
static bool stand_up(const vo_surface *s, vo_near *near) {
    const int *node = near->pair.node;
    int nodes = s->cloth_node_count;
    vo_vec3 way = near->normal;
    if (near->pair.kind == VO_EDGE_EDGE && node[2] >= nodes)
        way = upright_on_edge(s, node[2], node[3], way);
    else if (near->pair.kind == VO_NODE_FACE && node[0] >= nodes)
        way = v3_negate(upright_on_node(s, node[0], v3_negate(way)));
    else
        return true;
    double left = v3_length(way);
    if (!(left > 0.5)) return false;
    near->distance *= left;
    near->normal = v3_scale(1 / left, way);
    return true;
}

/* ---- contacts ------------------------------------------------------------------------------- */

/* E'' at distance d, N/m. */
static double stiffness_at(double k, double h, double d) { return k * vo_max(h - d, 0) / h; }

void vo_contact_rub(vo_contact *c, double push) {
    double speed = v3_length(c->slip);
    c->drag = vo_min(c->friction * push / vo_max(speed, CREEP), STIFFEST * c->mass);
    bool slides = speed > CREEP && c->drag < c->mass;
    c->slide = slides ? v3_scale(1 / speed, c->slip) : v3(0, 0, 0);
}

bool vo_contact_make(const vo_contact_def *def, const vo_surface *s, const vo_near *given,
                     vo_contact *out) {
    vo_near pair = *given, *near = &pair;
    if (!stand_up(s, near)) return false;
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

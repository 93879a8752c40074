#include "collide/contact.h"

/* Damping of a contact, as its stiffness times this number of steps. */
static const double DAMPING = 4;
/* m/s, largest creep of sticking contacts */
static const double STICTION_SPEED = 2e-4;
/* Largest contact stiffness relative to the inertia of its nodes: more changes nothing but the
 * condition number of the matrix. */
static const double MAX_STIFFNESS_RATIO = 1e3;

/* Returns the area of the smaller feature, m^2. */
static double contact_area(const vo_surface *s, const vo_proximity *proximity) {
    double side[2] = {0, 0};
    for (int i = 0; i < 4; i++)
        side[proximity->weight[i] < 0] +=
            fabs(proximity->weight[i]) * s->area[proximity->pair.node[i]];
    return vo_min(side[0], side[1]);
}

/* Returns the effective mass of the contact; infinite if nothing is movable. */
static double effective_mass(const vo_surface *s, const vo_proximity *proximity) {
    double inverse = 0;
    for (int i = 0; i < 4; i++)
        inverse +=
            proximity->weight[i] * proximity->weight[i] * s->inverse_mass[proximity->pair.node[i]];
    return inverse > 0 ? 1 / inverse : INFINITY;
}

/* Returns the motion of the first point relative to the second, m. */
static vo_vec3 relative_motion(const vo_surface *s, const vo_proximity *proximity) {
    vo_vec3 sum = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        int node = proximity->pair.node[i];
        sum = v3_add_scaled(sum, proximity->weight[i], v3_sub(s->x1[node], s->x0[node]));
    }
    return sum;
}

/* ---- internal edges of obstacles ------------------------------------------------------------ */

/* Internal-edge correction. The closest points of two features are not those of the two surfaces. A
 * cloth that slides over a flat plate has edges slightly ahead of or behind the edges of the plate;
 * the direction between them is tilted, and a cloth that moves by several times its height above
 * the plate seems to collide with it. But beside an edge or a node of an obstacle there are its
 * faces, and a direction tilted over one of them is not the shortest: the tilt is projected off, so
 * that obstacles push along their own normals. */

/* Removes the component of a direction towards a neighbour. */
static vo_vec3 project_off_neighbour(vo_vec3 direction, vo_vec3 neighbour) {
    double tilt = v3_dot(direction, neighbour), length2 = v3_length2(neighbour);
    return tilt > 0 && length2 > 0 ? v3_add_scaled(direction, -tilt / length2, neighbour)
                                   : direction;
}

static vo_vec3 project_off_edge(const vo_surface *s, int a, int b, vo_vec3 direction) {
    vo_vec3 along = v3_sub(s->x0[b], s->x0[a]);
    double length2 = v3_length2(along);
    int i = s->ring_begin[a];
    while (i < s->ring_begin[a + 1] && s->ring[i][0] != b) i++;
    if (i == s->ring_begin[a + 1] || !(length2 > 0)) return direction;
    for (int k = 0; k < 2; k++) {
        int opposite = s->edge_opposite[s->ring[i][1]][k];
        if (opposite < 0) continue;
        vo_vec3 across = v3_sub(s->x0[opposite], s->x0[a]);
        across = v3_add_scaled(across, -v3_dot(across, along) / length2, along);
        direction = project_off_neighbour(direction, across);
    }
    return direction;
}

static vo_vec3 project_off_node(const vo_surface *s, int node, vo_vec3 direction) {
    for (int pass = 0; pass < 2; pass++)
        for (int i = s->ring_begin[node]; i < s->ring_begin[node + 1]; i++)
            direction = project_off_neighbour(direction, v3_sub(s->x0[s->ring[i][0]], s->x0[node]));
    return direction;
}

/* Projects the normal of a pair onto those of the obstacle. Returns false if hardly anything
 * remains of it: then other features are nearer. Face normals are unique, and cloth is not
 * corrected. */
static bool correct_internal_edge(const vo_surface *s, vo_proximity *proximity) {
    const int *node = proximity->pair.node;
    int nodes = s->cloth_node_count;
    vo_vec3 direction = proximity->normal;
    if (proximity->pair.kind == VO_EDGE_EDGE && node[2] >= nodes)
        direction = project_off_edge(s, node[2], node[3], direction);
    else if (proximity->pair.kind == VO_NODE_FACE && node[0] >= nodes)
        direction = v3_negate(project_off_node(s, node[0], v3_negate(direction)));
    else
        return true;
    double remaining = v3_length(direction);
    if (!(remaining > 0.5)) return false;
    proximity->distance *= remaining;
    proximity->normal = v3_scale(1 / remaining, direction);
    return true;
}

/* ---- contacts ------------------------------------------------------------------------------- */

/* Returns E'' at distance d, N/m. */
static double stiffness_at(double k, double h, double d) { return k * vo_max(h - d, 0) / h; }

void vo_contact_set_friction(vo_contact *c, double normal_impulse) {
    double speed = v3_length(c->slip);
    c->drag = vo_min(c->friction * normal_impulse / vo_max(speed, STICTION_SPEED),
                     MAX_STIFFNESS_RATIO * c->mass);
    bool slides = speed > STICTION_SPEED && c->drag < c->mass;
    c->slide = slides ? v3_scale(1 / speed, c->slip) : v3(0, 0, 0);
}

bool vo_contact_make(const vo_contact_def *def, const vo_surface *s, const vo_proximity *given,
                     vo_contact *out) {
    vo_proximity pair = *given, *proximity = &pair;
    if (!correct_internal_edge(s, proximity)) return false;
    double mass = effective_mass(s, proximity), dt = def->dt, h = proximity->thickness;
    vo_vec3 motion = relative_motion(s, proximity);
    double approach = v3_dot(motion, proximity->normal),
           free_distance = proximity->distance + approach;
    if (free_distance >= h || !isfinite(mass)) return false;
    double d = vo_max(free_distance, 0), ka = def->stiffness * contact_area(s, proximity);
    double max_stiffness = MAX_STIFFNESS_RATIO * mass / (dt * dt);
    double k = vo_min(stiffness_at(ka, h, d), max_stiffness), damping = DAMPING * dt * k;
    *out = (vo_contact){
        .normal = proximity->normal,
        .normal_mass = dt * dt * k + dt * damping,
        .impulse = dt * k * ((h - d) / 2 + d - free_distance) - damping * approach,
        .slip = v3_scale(1 / dt, v3_add_scaled(motion, -approach, proximity->normal)),
        .friction_weight = dt * k * (h - d) / 2,
        .mass = mass,
        .friction = vo_pair_touches_obstacle(s, proximity->pair.node) ? def->obstacle_friction
                                                                      : def->friction,
    };
    for (int i = 0; i < 4; i++) {
        out->node[i] = proximity->pair.node[i];
        out->weight[i] = proximity->weight[i];
    }
    return true;
}

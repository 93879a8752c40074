/* Friction by the force that really pressed.
 *
 * How hard a contact presses is known only when the step is solved, and friction is part of what is
 * solved. So it is a step late: every node of cloth keeps the force with which its contacts pressed
 * it in the last step, and the contacts of the next step share that by their repulsion. Friction
 * then has in the long run the impulse of what presses, times Coulomb's coefficient, whatever the
 * number of contacts and however they come and go.
 *
 * The force of repulsion at the step's beginning is no measure. Contacts are damped over several
 * steps; while cloth settles, repulsion and damping are both a hundred times its weight, and only
 * their sum, which the solve makes, is the weight. A node on the boundary of many features has many
 * contacts, of which each by itself would have to carry it. */
#include "sim/sim.h"

/* Adds each contact's share to the nodes of cloth that it touches. */
static void add_shares(const vo_sim_contact *c, int count) {
    int nodes = c->surface.cloth_node_count;
    for (int i = 0; i < nodes; i++) c->sharing[i] = 0;
    for (int k = 0; k < count; k++) {
        const vo_contact *contact = &c->contact[k];
        for (int i = 0; i < 4; i++)
            if (contact->node[i] < nodes)
                c->sharing[contact->node[i]] += fabs(contact->weight[i]) * contact->share;
    }
}

/* The part of the force on its nodes that a contact has, N. The weights of a side add up to 1; of
 * two cloths each has its say. */
static double pressing_force(const vo_sim_contact *c, const vo_contact *contact) {
    int nodes = c->surface.cloth_node_count;
    double force = 0, weight = 0;
    for (int i = 0; i < 4; i++) {
        int node = contact->node[i];
        if (node >= nodes || contact->weight[i] == 0) continue;
        double w = fabs(contact->weight[i]);
        weight += w;
        if (c->sharing[node] > 0) force += w * contact->share * c->pressed[node] / c->sharing[node];
    }
    return weight > 0 ? vo_max(force / weight, 0) : 0;
}

/* Nothing is known of what presses a node that touched nothing in the last step. It is taken to be
 * its weight; what stops it in this step will be felt in the next, as ever. */
static void expect_weight(const vo_sim *sim, int count) {
    const vo_sim_contact *c = &sim->contact;
    for (int k = 0; k < count; k++) {
        const vo_contact *contact = &c->contact[k];
        double along = v3_dot(sim->scene->def.gravity, contact->normal);
        for (int i = 0; i < 4; i++) {
            int node = contact->node[i];
            double w = contact->weight[i];
            if (node >= c->surface.cloth_node_count || w == 0) continue;
            if (c->known[node] || c->surface.inverse_mass[node] == 0) continue;
            double weight = vo_max(w > 0 ? -along : along, 0) / c->surface.inverse_mass[node];
            c->pressed[node] = vo_max(c->pressed[node], weight);
        }
    }
}

void vo_sim_friction_add(vo_sim *sim, double dt, int count) {
    const vo_sim_contact *c = &sim->contact;
    for (int i = 0; i < c->surface.cloth_node_count; i++) c->known[i] = c->pressed[i] != 0;
    expect_weight(sim, count);
    add_shares(c, count);
    for (int k = 0; k < count; k++)
        vo_contact_rub(&c->contact[k], dt * pressing_force(c, &c->contact[k]));
}

/* How the step changed the speed at which the two sides part, m/s. */
static double change_of_speed(const vo_sim *sim, const vo_contact *contact) {
    const vo_implicit *s = &sim->implicit;
    double change = 0;
    for (int i = 0; i < 4; i++) {
        int node = contact->node[i];
        if (node >= s->system.row_count) continue;
        int row = s->system.row_of[node];
        if (s->fixed[row]) continue;
        vo_vec3 dv = v3(s->dv[row].x, s->dv[row].y, s->dv[row].z);
        change += contact->weight[i] * v3_dot(contact->normal, dv);
    }
    return change;
}

void vo_sim_friction_measure(vo_sim *sim, double dt) {
    const vo_sim_contact *c = &sim->contact;
    int nodes = c->surface.cloth_node_count;
    for (int i = 0; i < nodes; i++) c->pressed[i] = 0;
    for (int k = 0; k < sim->constraints.contact_count; k++) {
        const vo_contact *contact = &c->contact[k];
        double push = contact->impulse - contact->normal_mass * change_of_speed(sim, contact);
        for (int i = 0; i < 4; i++)
            if (contact->node[i] < nodes)
                c->pressed[contact->node[i]] += fabs(contact->weight[i]) * push / dt;
    }
}

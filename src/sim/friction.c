/* Friction from the measured normal force.
 *
 * The normal force of a contact is known only after the solve, which includes friction. It is
 * therefore lagged by one step: every cloth node stores the normal force of its contacts in the
 * last step, and the contacts of the next step divide it in proportion to their repulsion. On
 * average the friction impulse is Coulomb's coefficient times the normal impulse, independent of
 * the number of contacts.
 *
 * The repulsion at the start of a step is not a usable measure. Contacts are damped over several
 * steps; while cloth comes to rest, repulsion and damping are each a hundred times its weight, and
 * only their sum, known after the solve, is the weight. A node on the boundary of many features has
 * many contacts, each of which would carry the whole node. */
#include "sim/sim.h"

/* Sums the friction weights of the contacts of each cloth node. */
static void add_shares(const vo_sim_contact *c, int count) {
    int nodes = c->surface.cloth_node_count;
    for (int i = 0; i < nodes; i++) c->node_impulse_sum[i] = 0;
    for (int k = 0; k < count; k++) {
        const vo_contact *contact = &c->contact[k];
        for (int i = 0; i < 4; i++)
            if (contact->node[i] < nodes)
                c->node_impulse_sum[contact->node[i]] +=
                    fabs(contact->weight[i]) * contact->friction_weight;
    }
}

/* Normal force of a contact, N: its fraction of the forces of its nodes. The weights of a side sum
 * to 1; two cloths are averaged. */
static double pressing_force(const vo_sim_contact *c, const vo_contact *contact) {
    int nodes = c->surface.cloth_node_count;
    double force = 0, weight = 0;
    for (int i = 0; i < 4; i++) {
        int node = contact->node[i];
        if (node >= nodes || contact->weight[i] == 0) continue;
        double w = fabs(contact->weight[i]);
        weight += w;
        if (c->node_impulse_sum[node] > 0)
            force += w * contact->friction_weight * c->node_normal_force[node] /
                     c->node_impulse_sum[node];
    }
    return weight > 0 ? vo_max(force / weight, 0) : 0;
}

/* Estimates the normal force of a node without contact in the last step by its weight. */
static void expect_weight(const vo_sim_contact *c, int count, vo_vec3 gravity) {
    for (int k = 0; k < count; k++) {
        const vo_contact *contact = &c->contact[k];
        double along = v3_dot(gravity, contact->normal);
        for (int i = 0; i < 4; i++) {
            int node = contact->node[i];
            double w = contact->weight[i];
            if (node >= c->surface.cloth_node_count || w == 0) continue;
            if (c->node_pressed[node] || c->surface.inverse_mass[node] == 0) continue;
            double weight = vo_max(w > 0 ? -along : along, 0) / c->surface.inverse_mass[node];
            c->node_normal_force[node] = vo_max(c->node_normal_force[node], weight);
        }
    }
}

void vo_friction_add(const vo_sim_contact *c, int count, vo_vec3 gravity, double dt) {
    for (int i = 0; i < c->surface.cloth_node_count; i++)
        c->node_pressed[i] = c->node_normal_force[i] != 0;
    expect_weight(c, count, gravity);
    add_shares(c, count);
    for (int k = 0; k < count; k++)
        vo_contact_set_friction(&c->contact[k], dt * pressing_force(c, &c->contact[k]));
}

/* Change of the separating velocity of a contact in the step, m/s. */
static double change_of_speed(const vo_implicit *s, const vo_contact *contact) {
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

void vo_friction_measure(const vo_sim_contact *c, int count, const vo_implicit *solver, double dt) {
    int nodes = c->surface.cloth_node_count;
    for (int i = 0; i < nodes; i++) c->node_normal_force[i] = 0;
    for (int k = 0; k < count; k++) {
        const vo_contact *contact = &c->contact[k];
        double push = contact->impulse - contact->normal_mass * change_of_speed(solver, contact);
        for (int i = 0; i < 4; i++)
            if (contact->node[i] < nodes)
                c->node_normal_force[contact->node[i]] += fabs(contact->weight[i]) * push / dt;
    }
}

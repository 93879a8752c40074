#include "mesh/edit/edit_local.h"

#include <string.h>

void vo_edit_add_mass(vo_edit *e, int face, double sign) {
    double third = sign * vo_edit_third_mass(e, face, vo_mesh_face_area(e->mesh, face));
    for (int i = 0; i < 3; i++) e->node_mass[vo_mesh_face_node(e->mesh, face, i)] += third;
}

void vo_edit_compute_masses(vo_edit *e) {
    int nodes = e->mesh->node_count;
    if (nodes) memset(e->node_mass, 0, (size_t)nodes * sizeof *e->node_mass);
    for (int f = 0; f < e->mesh->face_count; f++)
        if (vo_edit_has_face(e, f)) vo_edit_add_mass(e, f, 1);
}

/* Sums, relative to the mean velocity, over the nodes whose masked flags equal `flags`. */
static void sum_momentum(const vo_edit *e, vo_local_momentum *sum, int mask, int flags) {
    sum->mass = sum->energy = 0;
    sum->momentum = v3_zero();
    for (int i = 0; i < sum->count; i++) {
        int n = sum->node[i];
        if ((e->node_flags[n] & mask) != flags) continue;
        double mass = e->node_mass[n];
        vo_vec3 v = v3_sub(e->mesh->node_v[n], sum->mean);
        sum->mass += mass;
        sum->momentum = v3_add_scaled(sum->momentum, mass, v);
        sum->energy += mass * v3_length2(v);
    }
}

void vo_local_momentum_measure(const vo_edit *e, vo_local_momentum *motion) {
    motion->mean = v3_zero();
    sum_momentum(e, motion, 0, 0);
    if (!(motion->mass > 0)) return;
    motion->mean = v3_scale(1 / motion->mass, motion->momentum);
    sum_momentum(e, motion, 0, 0);
}

/* Shifts the velocities of the free nodes so that the total momentum is `momentum`. */
static void restore_momentum(vo_edit *e, vo_local_momentum *now, vo_vec3 momentum) {
    vo_vec3 missing = v3_sub(momentum, now->momentum);
    sum_momentum(e, now, VO_NODE_PRESCRIBED, 0);
    if (!(now->mass > 0)) return;
    for (int i = 0; i < now->count; i++) {
        vo_vec3 *v = &e->mesh->node_v[now->node[i]];
        if (e->node_flags[now->node[i]] & VO_NODE_PRESCRIBED) continue;
        *v = v3_add_scaled(*v, 1 / now->mass, missing);
    }
}

/* Scales velocities towards their mean, which preserves momentum, until the energy is at most
 * `energy`. The mean alone has the smallest energy for this momentum. */
static void limit_energy(vo_edit *e, vo_local_momentum *now, double energy) {
    sum_momentum(e, now, VO_NODE_PRESCRIBED, VO_NODE_PRESCRIBED);
    energy -= now->energy;
    sum_momentum(e, now, VO_NODE_PRESCRIBED, 0);
    if (!(now->mass > 0) || now->energy <= energy) return;
    vo_vec3 mean = v3_scale(1 / now->mass, now->momentum);
    double least = now->mass * v3_length2(mean);
    double scale2 = now->energy > least ? (energy - least) / (now->energy - least) : 0;
    double scale = sqrt(vo_max(scale2, 0));
    mean = v3_add(mean, now->mean);
    for (int i = 0; i < now->count; i++) {
        vo_vec3 *v = &e->mesh->node_v[now->node[i]];
        if (e->node_flags[now->node[i]] & VO_NODE_PRESCRIBED) continue;
        *v = v3_add_scaled(mean, scale, v3_sub(*v, mean));
    }
}

void vo_local_momentum_restore(vo_edit *e, const vo_local_momentum *before) {
    vo_local_momentum now = *before;
    sum_momentum(e, &now, 0, 0);
    if (!(before->mass > 0) || !(now.mass > 0)) return;
    if (before->energy == 0 && now.energy == 0) return;
    double fraction = now.mass / before->mass; /* of the mass that remains */
    restore_momentum(e, &now, v3_scale(fraction, before->momentum));
    limit_energy(e, &now, fraction * before->energy);
}

#include "mesh/edit_local.h"

#include <string.h>

void vo_edit_add_mass(vo_edit *e, int face, double sign) {
    double third = sign * vo_third_of(e, face, vo_mesh_face_area(e->mesh, face));
    for (int i = 0; i < 3; i++) e->node_mass[vo_mesh_face_node(e->mesh, face, i)] += third;
}

void vo_edit_weigh(vo_edit *e) {
    int nodes = e->mesh->node_count;
    if (nodes) memset(e->node_mass, 0, (size_t)nodes * sizeof *e->node_mass);
    for (int f = 0; f < e->mesh->face_count; f++)
        if (vo_edit_has_face(e, f)) vo_edit_add_mass(e, f, 1);
}

/* Sums over those of the nodes whose flags, masked, are as given, seen by one who moves along. */
static void add_up(const vo_edit *e, vo_motion *sum, int mask, int flags) {
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

void vo_motion_measure(const vo_edit *e, vo_motion *motion) {
    motion->mean = v3_zero();
    add_up(e, motion, 0, 0);
    if (!(motion->mass > 0)) return;
    motion->mean = v3_scale(1 / motion->mass, motion->momentum);
    add_up(e, motion, 0, 0);
}

/* Shifts the nodes that are not held so that all together have the momentum. */
static void restore_momentum(vo_edit *e, vo_motion *now, vo_vec3 momentum) {
    vo_vec3 missing = v3_sub(momentum, now->momentum);
    add_up(e, now, VO_NODE_HELD, 0);
    if (!(now->mass > 0)) return;
    for (int i = 0; i < now->count; i++) {
        vo_vec3 *v = &e->mesh->node_v[now->node[i]];
        if (e->node_flags[now->node[i]] & VO_NODE_HELD) continue;
        *v = v3_add_scaled(*v, 1 / now->mass, missing);
    }
}

/* Draws velocities towards their mean, which keeps momentum, until they have no more energy than
 * before. The mean alone has the least energy that this momentum can have. */
static void limit_energy(vo_edit *e, vo_motion *now, double energy) {
    add_up(e, now, VO_NODE_HELD, VO_NODE_HELD);
    energy -= now->energy;
    add_up(e, now, VO_NODE_HELD, 0);
    if (!(now->mass > 0) || now->energy <= energy) return;
    vo_vec3 mean = v3_scale(1 / now->mass, now->momentum);
    double least = now->mass * v3_length2(mean);
    double scale2 = now->energy > least ? (energy - least) / (now->energy - least) : 0;
    double scale = sqrt(vo_max(scale2, 0));
    mean = v3_add(mean, now->mean);
    for (int i = 0; i < now->count; i++) {
        vo_vec3 *v = &e->mesh->node_v[now->node[i]];
        if (e->node_flags[now->node[i]] & VO_NODE_HELD) continue;
        *v = v3_add_scaled(mean, scale, v3_sub(*v, mean));
    }
}

void vo_motion_restore(vo_edit *e, const vo_motion *before) {
    vo_motion now = *before;
    add_up(e, &now, 0, 0);
    if (!(before->mass > 0) || !(now.mass > 0)) return;
    if (before->energy == 0 && now.energy == 0) return;
    double share = now.mass / before->mass; /* of the mass that is still there */
    restore_momentum(e, &now, v3_scale(share, before->momentum));
    limit_energy(e, &now, share * before->energy);
}

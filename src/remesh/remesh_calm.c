/* Keeping calm: remeshing must come to rest where the cloth does.
 *
 * By one metric, remeshing ends (remesh.h). But the metric is measured on the mesh, so each edit
 * changes it somewhat, by more than the hysteresis allows for where faces are few: a split in one
 * frame is taken back in the next, and so on for ever. So such edits leave heat behind, and heat
 * makes the next of the kind harder:
 *
 *      youth   of a node: frames until the split that made it is forgotten
 *      heat    of a node: grows when a young node around it is collapsed, and a little with each
 *              flip beside it; is passed on to nodes that splits make
 *
 * From the next frame on, a collapse of a node with heat may only make edges that are shorter
 * still, and a flip needs a larger excess. What goes to and fro gains heat until it stops; what
 * remains is the finer mesh of the two, since splits are always made.
 *
 * How a node moves in a frame, as a part of an edge of its, decides what is forgotten: where folds
 * pass (MOVING), edits are taken back with good reason, and heat is lost at once; where the cloth
 * creeps, heat decays; where nothing moves (STILL), it stays.
 *
 * This is state: what it leads to depends on edit->node_youth and edit->node_heat, which belong to
 * what is saved. Without a frame time there is none. */
#include "remesh/remesh_local.h"

#include <string.h>

enum {
    FORGET = 16, /* frames */
    TAKEN_BACK = 32,
    FLIPPED = 8, /* heat */
    MOST_HEAT = 255
};
#define STILL  1e-3
#define MOVING 2e-2

static uint8_t less(uint8_t value) { return (uint8_t)(value - (value > 0)); }

/* Square of how far a node moves, by the length of its first edge. */
static double motion2(const vo_remesher *r, int node) {
    const vo_edit *e = r->edit;
    const vo_mesh *m = e->mesh;
    if (e->node_half[node] < 0) return 0;
    int other = vo_half_target(m, e->node_half[node]);
    double length2 = v3_length2(v3_sub(m->node_x[other], m->node_x[node]));
    double moved2 = r->def.frame_time * r->def.frame_time * v3_length2(m->node_v[node]);
    return moved2 / vo_max(length2, 1e-30);
}

static void forget(const vo_remesher *r, int node) {
    vo_edit *e = r->edit;
    double motion = motion2(r, node);
    e->node_youth[node] = less(e->node_youth[node]);
    if (motion > STILL * STILL) e->node_heat[node] = less(e->node_heat[node]);
    if (motion > MOVING * MOVING) e->node_youth[node] = e->node_heat[node] = 0;
}

static bool is_calm(const vo_remesher *r) { return r->def.frame_time > 0; }

void vo_calm_begin(vo_remesher *r) {
    if (!is_calm(r)) return;
    int nodes = r->edit->mesh->node_count;
    memset(r->node_warms, 0, (size_t)nodes);
    for (int n = 0; n < nodes; n++) forget(r, n);
}

void vo_calm_finish(vo_remesher *r) {
    vo_edit *e = r->edit;
    for (int n = 0; n < e->mesh->node_count && is_calm(r); n++)
        if (r->node_warms[n] && vo_edit_has_node(e, n) && motion2(r, n) <= MOVING * MOVING)
            e->node_heat[n] = (uint8_t)vo_min_int(e->node_heat[n] + r->node_warms[n], MOST_HEAT);
}

static void warm(vo_remesher *r, int node, int heat) {
    r->node_warms[node] = (uint8_t)vo_max_int(r->node_warms[node], heat);
}

void vo_calm_split(vo_remesher *r, int node, int a, int b) {
    vo_edit *e = r->edit;
    r->node_warms[node] = 0;
    if (!is_calm(r)) return;
    e->node_youth[node] = FORGET + 1; /* more than FORGET: made by this call */
    e->node_heat[node] = (uint8_t)vo_max_int(e->node_heat[a], e->node_heat[b]);
}

void vo_calm_collapse(vo_remesher *r, int node) {
    vo_edit *e = r->edit;
    if (e->node_youth[node] == 0 || e->node_youth[node] > FORGET) return;
    for (int h = e->node_half[node]; h >= 0; h = vo_half_next(e, h))
        warm(r, vo_half_target(e->mesh, h), TAKEN_BACK);
}

void vo_calm_flip(vo_remesher *r, const int vert[4]) {
    for (int i = 0; i < 4; i++) warm(r, r->edit->mesh->vert_node[vert[i]], FLIPPED);
}

double vo_calm_collapse_below(const vo_remesher *r, int node) {
    return r->def.collapse_below * (1 - r->edit->node_heat[node] / 300.0);
}

double vo_calm_flip_threshold(const vo_remesher *r, const int vert[4]) {
    int heat = 0;
    for (int i = 0; i < 4; i++)
        heat = vo_max_int(heat, r->edit->node_heat[r->edit->mesh->vert_node[vert[i]]]);
    return r->def.flip_threshold + heat * heat / 65536.0;
}

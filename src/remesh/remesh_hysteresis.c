/* Edit hysteresis: remeshing of cloth at rest must reach a fixed point.
 *
 * For a fixed metric, remeshing terminates (remesh.h). The metric is measured on the mesh, however,
 * so each edit changes it, and on coarse meshes by more than the gap between splits and collapses:
 * a split of one frame would be undone in the next, forever. Each reversed edit adds a penalty to
 * nearby nodes; the penalty tightens the thresholds for further edits:
 *
 *      cooldown  of a node: frames during which its collapse counts as the undo of its split
 *      penalty   of a node: grows when a node with a cooldown next to it is collapsed, and a little
 *                with each flip beside it; inherited by nodes that splits create
 *
 * From the next frame on, the collapse of a node with a penalty may create shorter edges only, and
 * a flip needs a larger Delaunay excess. Alternating edits accumulate penalties until they stop;
 * the finer mesh remains, because splits are never penalised.
 *
 * The motion of a node per frame, relative to the length of one of its edges, controls the decay:
 * above MOVING (passing folds, where reversed edits are legitimate) cooldown and penalty are reset;
 * above STILL the penalty decays; below it is kept.
 *
 * edit->node_split_cooldown and edit->node_edit_penalty are simulation state and are saved. Without
 * a frame time the hysteresis is off. */
#include "remesh/remesh_local.h"

#include <string.h>

enum {
    COOLDOWN = 16, /* frames */
    UNDO_PENALTY = 32,
    FLIP_PENALTY = 8,
    MAX_PENALTY = 255
};
#define STILL  1e-3
#define MOVING 2e-2

static uint8_t decrement(uint8_t value) { return (uint8_t)(value - (value > 0)); }

/* Square of the motion of a node in a frame, relative to the length of its first edge. */
static double motion2(const vo_remesher *r, int node) {
    const vo_edit *e = r->edit;
    const vo_mesh *m = e->mesh;
    if (e->node_halfedge[node] < 0) return 0;
    int other = vo_halfedge_target(m, e->node_halfedge[node]);
    double length2 = v3_length2(v3_sub(m->node_x[other], m->node_x[node]));
    double moved2 = r->def.frame_time * r->def.frame_time * v3_length2(m->node_v[node]);
    return moved2 / vo_max(length2, 1e-30);
}

static void decay_node(const vo_remesher *r, int node) {
    vo_edit *e = r->edit;
    double motion = motion2(r, node);
    e->node_split_cooldown[node] = decrement(e->node_split_cooldown[node]);
    if (motion > STILL * STILL) e->node_edit_penalty[node] = decrement(e->node_edit_penalty[node]);
    if (motion > MOVING * MOVING) e->node_split_cooldown[node] = e->node_edit_penalty[node] = 0;
}

static bool is_enabled(const vo_remesher *r) { return r->def.frame_time > 0; }

void vo_hysteresis_begin(vo_remesher *r) {
    if (!is_enabled(r)) return;
    int nodes = r->edit->mesh->node_count;
    memset(r->node_pending_penalty, 0, (size_t)nodes);
    for (int n = 0; n < nodes; n++) decay_node(r, n);
}

void vo_hysteresis_finish(vo_remesher *r) {
    vo_edit *e = r->edit;
    for (int n = 0; n < e->mesh->node_count && is_enabled(r); n++)
        if (r->node_pending_penalty[n] && vo_edit_has_node(e, n) &&
            motion2(r, n) <= MOVING * MOVING)
            e->node_edit_penalty[n] = (uint8_t)vo_min_int(
                e->node_edit_penalty[n] + r->node_pending_penalty[n], MAX_PENALTY);
}

static void add_penalty(vo_remesher *r, int node, int penalty) {
    r->node_pending_penalty[node] = (uint8_t)vo_max_int(r->node_pending_penalty[node], penalty);
}

void vo_hysteresis_split(vo_remesher *r, int node, int a, int b) {
    vo_edit *e = r->edit;
    r->node_pending_penalty[node] = 0;
    if (!is_enabled(r)) return;
    e->node_split_cooldown[node] = COOLDOWN + 1; /* above COOLDOWN: created by this call */
    e->node_edit_penalty[node] =
        (uint8_t)vo_max_int(e->node_edit_penalty[a], e->node_edit_penalty[b]);
}

void vo_hysteresis_collapse(vo_remesher *r, int node) {
    vo_edit *e = r->edit;
    if (e->node_split_cooldown[node] == 0 || e->node_split_cooldown[node] > COOLDOWN) return;
    for (int h = e->node_halfedge[node]; h >= 0; h = vo_halfedge_next(e, h))
        add_penalty(r, vo_halfedge_target(e->mesh, h), UNDO_PENALTY);
}

void vo_hysteresis_flip(vo_remesher *r, const int vert[4]) {
    for (int i = 0; i < 4; i++) add_penalty(r, r->edit->mesh->vert_node[vert[i]], FLIP_PENALTY);
}

double vo_hysteresis_collapse_below(const vo_remesher *r, int node) {
    return r->def.collapse_below * (1 - r->edit->node_edit_penalty[node] / 300.0);
}

double vo_hysteresis_flip_threshold(const vo_remesher *r, const int vert[4]) {
    int penalty = 0;
    for (int i = 0; i < 4; i++)
        penalty =
            vo_max_int(penalty, r->edit->node_edit_penalty[r->edit->mesh->vert_node[vert[i]]]);
    return r->def.flip_threshold + penalty * penalty / 65536.0;
}

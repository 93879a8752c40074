/* Keeping calm: remeshing must come to rest where the cloth does.
 *
 * By one metric, remeshing ends (remesh.h). But the metric is measured on the mesh, so each edit
 * changes it somewhat, by more than the hysteresis allows for where faces are few: a split in one
 * frame is taken back in the next, and so on for ever. So edits that take back what was done a
 * short while ago leave heat behind, and heat makes the next edit of the kind harder:
 *
 *      youth   of a node, frames until its split is forgotten; of an edge, its flip
 *      heat    of a node: grows when a young node around it is collapsed or a young edge flipped
 *              again, decays a little each frame, is passed on to nodes that splits make
 *
 * From the next frame on, a collapse of a node with heat may only make edges that are shorter
 * still, and a flip needs a larger excess. Whatever goes to and fro once in FORGET frames or more
 * often gains more heat than it loses, until it stops; then nothing changes any more, the sizing
 * field is at rest, and heat stays where it is. Splits are always made, so what remains is the
 * finer mesh of the two.
 *
 * Where the cloth moves, folds pass and edits are taken back with good reason: nodes that move by
 * more than a small part of an edge a frame forget everything. */
#include "remesh/remesh_local.h"

#include <string.h>

enum {
    FORGET = 16, /* frames */
    GAIN = 32,   /* heat for an edit taken back; one a frame is lost */
    MOST_HEAT = 255
};
#define AT_REST 0.02 /* of an edge that a node may move in a frame */

/* Frames pass. */
static void decay(uint8_t *value, int count) {
    for (int i = 0; i < count; i++) value[i] = (uint8_t)(value[i] - (value[i] > 0));
}

/* Whether a node moves by a part of its first edge that counts. */
static bool is_moving(const vo_remesher *r, int node) {
    const vo_edit *e = r->edit;
    const vo_mesh *m = e->mesh;
    if (e->node_half[node] < 0) return false;
    int other = vo_half_target(m, e->node_half[node]);
    double length2 = v3_length2(v3_sub(m->node_x[other], m->node_x[node]));
    double moved2 = r->def.frame_time * r->def.frame_time * v3_length2(m->node_v[node]);
    return moved2 > AT_REST * AT_REST * length2;
}

void vo_calm_begin(vo_remesher *r) {
    vo_edit *e = r->edit;
    memset(r->node_warms, 0, (size_t)e->mesh->node_count);
    decay(e->node_youth, e->mesh->node_count);
    decay(e->node_heat, e->mesh->node_count);
    decay(e->edge_youth, e->mesh->edge_count);
    for (int n = 0; n < e->mesh->node_count; n++)
        if (is_moving(r, n)) e->node_youth[n] = e->node_heat[n] = 0;
}

void vo_calm_finish(vo_remesher *r) {
    vo_edit *e = r->edit;
    for (int n = 0; n < e->mesh->node_count; n++)
        if (r->node_warms[n] && vo_edit_has_node(e, n) && !is_moving(r, n))
            e->node_heat[n] = (uint8_t)vo_min_int(e->node_heat[n] + GAIN, MOST_HEAT);
}

/* Made before this call, but not long ago. */
static bool is_young(uint8_t youth) { return youth > 0 && youth <= FORGET; }

void vo_calm_split(vo_remesher *r, int node, int a, int b) {
    vo_edit *e = r->edit;
    r->node_warms[node] = 0;
    e->node_youth[node] = FORGET + 1;
    e->node_heat[node] = (uint8_t)vo_max_int(e->node_heat[a], e->node_heat[b]);
}

void vo_calm_collapse(vo_remesher *r, int node) {
    vo_edit *e = r->edit;
    if (!is_young(e->node_youth[node])) return;
    for (int h = e->node_half[node]; h >= 0; h = vo_half_next(e, h))
        r->node_warms[vo_half_target(e->mesh, h)] = 1;
}

void vo_calm_flip(vo_remesher *r, int edge, const int vert[4]) {
    vo_edit *e = r->edit;
    for (int i = 0; i < 4 && is_young(e->edge_youth[edge]); i++)
        r->node_warms[e->mesh->vert_node[vert[i]]] = 1;
    e->edge_youth[edge] = FORGET + 1;
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

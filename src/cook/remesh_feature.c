/* Features of the input that the base mesh keeps: borders, seams, labelled edges, boundaries
 * between face labels, labelled nodes and corners of curves. */
#include "cook/remesh.h"

#include <math.h>

/* Curves that turn by more than this have a corner, rad. */
#define CORNER_ANGLE 0.7

bool vo_cook_is_smooth_edge(const vo_mesh *m, int edge) {
    int a[2], b[2];
    const int *f = m->edge_face[edge];
    if (f[1] < 0 || m->edge_label[edge] != 0 || m->face_label[f[0]] != m->face_label[f[1]])
        return false;
    vo_mesh_edge_verts(m, edge, 0, a);
    vo_mesh_edge_verts(m, edge, 1, b);
    return a[0] == b[0] && a[1] == b[1];
}

/* Mean length of the sides of an edge in material space. */
static double material_length(const vo_mesh *m, int e) {
    double sum = 0;
    int sides = m->edge_face[e][1] < 0 ? 1 : 2;
    for (int s = 0; s < sides; s++) {
        int v[2];
        vo_mesh_edge_verts(m, e, s, v);
        sum += v2_length(v2_sub(m->vert_u[v[1]], m->vert_u[v[0]]));
    }
    return sum / sides;
}

static void add_piece(vo_remesh *r, int e, int *degree) {
    const vo_mesh *m = r->mesh;
    int c = r->curve_count++;
    r->curve[c] = (vo_remesh_curve){.node = {m->edge_node[e][0], m->edge_node[e][1]},
                                    .edge = e,
                                    .child = {-1, -1},
                                    .middle = -1,
                                    .length = material_length(m, e),
                                    .is_used = true};
    for (int k = 0; k < 2; k++) {
        int n = m->edge_node[e][k];
        if (degree[n] < 2) r->node_curve[n][degree[n]] = c;
        degree[n]++;
    }
}

/* Vert of a node in the face on a side of an edge. */
static int vert_at(const vo_mesh *m, int e, int side, int node) {
    int v[2];
    vo_mesh_edge_verts(m, e, side, v);
    return v[m->edge_node[e][1] == node];
}

static double turn2(vo_vec2 a, vo_vec2 b) { return fabs(atan2(v2_cross(a, b), v2_dot(a, b))); }

/* Largest angle between the two edges of a curve node, in the world and on each side in material
 * space. */
static double turn_at(const vo_remesh *r, int node) {
    const vo_mesh *m = r->mesh;
    int e[2], end[2];
    for (int k = 0; k < 2; k++) {
        e[k] = r->curve[r->node_curve[node][k]].edge;
        end[k] = m->edge_node[e[k]][m->edge_node[e[k]][0] == node];
    }
    vo_vec3 x = m->node_x[node];
    double turn = v3_unit_angle(v3_normalize(v3_sub(x, m->node_x[end[0]])),
                                v3_normalize(v3_sub(m->node_x[end[1]], x)));
    for (int s = 0; s < 4; s++) {
        int a = s & 1, b = s >> 1;
        if (m->edge_face[e[0]][a] < 0 || m->edge_face[e[1]][b] < 0) continue;
        int v = vert_at(m, e[0], a, node);
        if (v != vert_at(m, e[1], b, node)) continue;
        vo_vec2 in = v2_sub(m->vert_u[v], m->vert_u[vert_at(m, e[0], a, end[0])]);
        vo_vec2 out = v2_sub(m->vert_u[vert_at(m, e[1], b, end[1])], m->vert_u[v]);
        turn = vo_max(turn, turn2(in, out));
    }
    return turn;
}

/* A labelled node of a curve may be removed if its neighbours have the same label. */
static bool is_label_kept(const vo_remesh *r, int node) {
    const int *label = r->mesh->node_label;
    if (label[node] == 0) return true;
    for (int k = 0; k < 2; k++)
        if (label[vo_remesh_other_end(&r->curve[r->node_curve[node][k]], node)] != label[node])
            return false;
    return true;
}

static uint8_t classify(const vo_remesh *r, int node, int degree) {
    if (r->first_corner[node] < 0) return VO_REMESH_FIXED;
    if (degree == 0) return r->mesh->node_label[node] ? VO_REMESH_FIXED : VO_REMESH_INTERIOR;
    if (degree != 2 || turn_at(r, node) > CORNER_ANGLE || !is_label_kept(r, node))
        return VO_REMESH_FIXED;
    return VO_REMESH_CURVE;
}

vo_result vo_remesh_find_features(vo_remesh *r) {
    const vo_mesh *m = r->mesh;
    int features = 0;
    int *degree = vo_arena_array(&r->arena, int, m->node_count);
    r->kind = vo_arena_array(&r->arena, uint8_t, m->node_count);
    r->node_curve = vo_arena_alloc(&r->arena, (size_t)m->node_count * sizeof *r->node_curve);
    for (int e = 0; e < m->edge_count; e++) features += !vo_cook_is_smooth_edge(m, e);
    r->curve_capacity = 2 * features + 1; /* joining n pieces creates fewer than n */
    r->curve = vo_arena_array(&r->arena, vo_remesh_curve, r->curve_capacity);
    if (!degree || !r->kind || !r->node_curve || !r->curve)
        return vo_fail_memory(r->ctx, "a remeshed garment");
    for (int n = 0; n < m->node_count; n++) {
        degree[n] = 0;
        r->node_curve[n][0] = r->node_curve[n][1] = -1;
    }
    for (int e = 0; e < m->edge_count; e++)
        if (!vo_cook_is_smooth_edge(m, e)) add_piece(r, e, degree);
    for (int n = 0; n < m->node_count; n++) r->kind[n] = classify(r, n, degree[n]);
    return VO_OK;
}

vo_remesh_curve_point vo_remesh_locate_on_curve(const vo_remesh *r, int curve, double t) {
    const vo_remesh_curve *c = &r->curve[curve];
    bool is_reversed = false;
    while (c->edge < 0) {
        int k = t > c->split;
        double local = k ? (t - c->split) / (1 - c->split) : t / c->split;
        int start = k ? c->middle : c->node[0];
        const vo_remesh_curve *child = &r->curve[c->child[k]];
        bool flip = child->node[0] != start;
        t = flip ? 1 - local : local;
        is_reversed ^= flip;
        c = child;
    }
    return (vo_remesh_curve_point){c->edge, vo_clamp(t, 0, 1), is_reversed};
}

/* Conversion of pushes of single nodes into a motion of the cloth.
 *
 * Neighbours of pushed nodes follow with decreasing weight, so that cloth bends instead of tearing.
 * Then edges and faces beyond their strain limits are corrected. */
#include "collide/distance.h"
#include "collide/untangle/untangle_private.h"

#define MAX_STEP    0.6 /* relative to the face size */
#define MIN_STRETCH 0.75
#define MIN_HEIGHT  0.5 /* relative to the initial height */

enum { RINGS = 2, SWEEPS = 4, MAX_RINGS = 64 };

void vo_untangle_clear_pushes(vo_untangler *u) {
    for (int n = 0; n < u->def.soup.node_count; n++) {
        u->push[n] = v3_zero();
        u->follow_radius[n] = 0;
        u->driven[n] = 0;
        u->ring[n] = -1;
    }
}

void vo_untangle_push_node(vo_untangler *u, int node, vo_vec3 push, double follow_radius) {
    if (!vo_node_moves(u, node)) return;
    u->push[node] = v3_add(u->push[node], push);
    u->follow_radius[node] = vo_max(u->follow_radius[node], follow_radius);
    u->driven[node] = 1;
}

static void limit_push(vo_untangler *u, int n) {
    double max = MAX_STEP * u->node_size[n], length = v3_length(u->push[n]);
    if (length > max) u->push[n] = v3_scale(max / length, u->push[n]);
}

/* Writes the pushed nodes to the queue; returns their number. */
static int start_rings(vo_untangler *u) {
    int count = 0;
    for (int n = 0; n < u->def.soup.node_count; n++) {
        if (!u->driven[n]) continue;
        limit_push(u, n);
        u->ring[n] = 0;
        u->queue[count++] = n;
    }
    return count;
}

/* Sets the push of a node to the mean of its neighbours in the previous ring. */
static void inherit(vo_untangler *u, int n) {
    vo_vec3 sum = v3_zero();
    double follow_radius = 0;
    int count = 0;
    for (int k = u->node_start[n]; k < u->node_start[n + 1]; k++) {
        int m = vo_edge_other(u, u->node_edge[k], n);
        if (u->ring[m] < 0 || u->ring[m] >= u->ring[n]) continue;
        sum = v3_add(sum, u->push[m]);
        follow_radius = vo_max(follow_radius, u->follow_radius[m]);
        count++;
    }
    u->push[n] = v3_scale(1.0 / count, sum);
    u->follow_radius[n] = follow_radius;
}

/* Returns the number of rings that follow a node's push. */
static int rings_of(const vo_untangler *u, int n) {
    double rings =
        (RINGS + (1 << u->level)) + u->follow_radius[n] / vo_max(u->node_size[n], 1e-300);
    return rings < MAX_RINGS ? (int)rings : MAX_RINGS;
}

/* Spreads pushes outwards ring by ring. Returns the number of nodes in the queue. */
static int spread(vo_untangler *u, int count) {
    for (int i = 0; i < count; i++) {
        int n = u->queue[i];
        if (u->ring[n] > 0) inherit(u, n);
        if (u->ring[n] >= rings_of(u, n)) continue;
        for (int k = u->node_start[n]; k < u->node_start[n + 1]; k++) {
            int m = vo_edge_other(u, u->node_edge[k], n);
            if (u->ring[m] >= 0 || !vo_node_moves(u, m)) continue;
            u->ring[m] = u->ring[n] + 1;
            u->queue[count++] = m;
        }
    }
    return count;
}

/* Moves the nodes, with weights that decrease over the rings. */
static void apply(vo_untangler *u, vo_vec3 *x, int count) {
    for (int i = 0; i < count; i++) {
        int n = u->queue[i];
        double t = 1 - (double)u->ring[n] / (rings_of(u, n) + 1);
        x[n] = v3_add_scaled(x[n], t * t * (3 - 2 * t), u->push[n]);
    }
}

/* Moves an edge back to its stretch limits. */
static void limit_edge(const vo_untangler *u, vo_vec3 *x, int e) {
    int a = u->def.soup.edge[e][0], b = u->def.soup.edge[e][1];
    bool a_moves = vo_node_moves(u, a), b_moves = vo_node_moves(u, b);
    vo_vec3 d = v3_sub(x[b], x[a]);
    double length = v3_length(d), rest = u->edge_rest[e];
    double target = vo_clamp(length, MIN_STRETCH * rest, u->max_stretch * rest);
    if (target == length || length == 0 || !(a_moves || b_moves)) return;
    d = v3_scale((target - length) / length / (a_moves + b_moves), d);
    if (a_moves) x[a] = v3_sub(x[a], d);
    if (b_moves) x[b] = v3_add(x[b], d);
}

/* Keeps a face from degenerating: separates a corner from the longest side opposite. */
static void limit_face(const vo_untangler *u, vo_vec3 *x, int f) {
    const int *n = u->def.soup.face[f];
    int base = u->face_base[f], a = n[base], b = n[(base + 1) % 3], c = n[(base + 2) % 3];
    vo_edge_point p = vo_distance_vertex_edge(x[c], x[a], x[b]);
    double height = sqrt(p.squared), target = MIN_HEIGHT * u->face_height[f];
    if (!(height < target) || height == 0) return;
    vo_vec3 d = v3_scale(0.5 * (target - height) / height, p.offset);
    if (vo_node_moves(u, c)) x[c] = v3_sub(x[c], d);
    if (vo_node_moves(u, a)) x[a] = v3_add(x[a], d);
    if (vo_node_moves(u, b)) x[b] = v3_add(x[b], d);
}

double vo_untangle_strain_excess(const vo_untangler *u, const vo_vec3 *x) {
    double sum = 0;
    for (int e = 0; e < u->def.soup.edge_count; e++) {
        const int *n = u->def.soup.edge[e];
        if (u->edge_rest[e] == 0 || (v3_distance(x[n[0]], u->start_x[n[0]]) == 0 &&
                                     v3_distance(x[n[1]], u->start_x[n[1]]) == 0))
            continue;
        double q = v3_distance(x[n[0]], x[n[1]]) / u->edge_rest[e];
        double excess = q - vo_clamp(q, MIN_STRETCH, VO_UNTANGLE_MAX_STRETCH);
        sum += excess * excess;
    }
    return sum;
}

/* Limits all edges of a node, and the faces whose longest side they are. */
static void limit_around(const vo_untangler *u, vo_vec3 *x, int n) {
    for (int k = u->node_start[n]; k < u->node_start[n + 1]; k++) {
        int e = u->node_edge[k];
        limit_edge(u, x, e);
        for (int i = 0; i < 2; i++) {
            int f = u->edge_face[e][i];
            if (f >= 0 && u->def.soup.face_edge[f][u->face_base[f]] == e) limit_face(u, x, f);
        }
    }
}

void vo_untangle_limit_strain(vo_untangler *u, vo_vec3 *x, int count, int sweeps) {
    for (int sweep = 0; sweep < sweeps; sweep++)
        for (int j = 0; j < count; j++) limit_around(u, x, u->queue[sweep % 2 ? count - 1 - j : j]);
}

/* Returns a node position moved towards the mean of its neighbours; on a border, of its border
 * neighbours. */
static vo_vec3 smoothed_position(const vo_untangler *u, const vo_vec3 *x, int n, double amount) {
    vo_vec3 sum = v3_zero(), border_sum = v3_zero();
    int count = 0, border = 0;
    for (int k = u->node_start[n]; k < u->node_start[n + 1]; k++) {
        int e = u->node_edge[k], m = vo_edge_other(u, e, n);
        sum = v3_add(sum, x[m]);
        count++;
        if (u->edge_face[e][1] >= 0) continue;
        border_sum = v3_add(border_sum, x[m]);
        border++;
    }
    if (border > 0) {
        sum = border_sum;
        count = border;
    }
    return count > 0 ? v3_lerp(x[n], v3_scale(1.0 / count, sum), amount) : x[n];
}

/* Smooths the cloth around contours, which opens folds that pass through themselves. */
static void smooth(vo_untangler *u, vo_vec3 *x, int count, double amount) {
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < count; i++)
            u->scratch_x[u->queue[i]] = smoothed_position(u, x, u->queue[i], amount);
        for (int i = 0; i < count; i++)
            if (vo_node_moves(u, u->queue[i]) && u->inside_part[u->queue[i]] < 0)
                x[u->queue[i]] = u->scratch_x[u->queue[i]];
    }
}

void vo_untangle_move(vo_untangler *u, vo_vec3 *x) {
    int count = spread(u, start_rings(u));
    apply(u, x, count);
    if (u->level > 0) smooth(u, x, count, vo_min(0.1 * u->level, 0.5));
    vo_untangle_limit_strain(u, x, count, SWEEPS);
}

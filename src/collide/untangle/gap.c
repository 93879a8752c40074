/* Opens gaps between surfaces that no longer intersect.
 *
 * Nodes and faces, and edges and edges, closer than the gap are pushed apart. No push may cause an
 * intersection: the displacements of the nodes involved are halved, and after a few rounds set to
 * zero. Since the previous state is free of intersections, this terminates without intersections.
 */
#include "collide/distance.h"
#include "collide/untangle/untangle_private.h"

#include <string.h>

enum { GAP_ROUNDS = 24, RELAX_ROUNDS = 12, HALVINGS = 4, SWEEPS = 4 };

/* Nodes and weights of a pair: its offset is the weighted sum of positions. */
typedef struct stencil {
    int node[4];
    double weight[4]; /* positive: moves along the offset; negative: against it */
} stencil;

/* Returns the target distance of a pair, smaller for small faces. */
static double target_distance_of(const vo_untangler *u, const stencil *s) {
    double size = INFINITY;
    for (int i = 0; i < 4; i++) size = vo_min(size, u->node_size[s->node[i]]);
    return vo_min(u->def.gap, 0.2 * size);
}

/* Adds the displacement that brings a pair to its target distance, minimal in the mass norm.
 * Returns the current fraction of that distance, 1 if it is reached. */
static double push_stencil(vo_untangler *u, const stencil *s, vo_vec3 offset, double squared) {
    double target = target_distance_of(u, s), distance = sqrt(squared);
    if (!(distance < target) || distance == 0) return 1;
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += s->weight[i] * s->weight[i] * u->def.soup.inverse_mass[s->node[i]];
    if (sum == 0) return 1;
    vo_vec3 step = v3_scale((1.1 * target - distance) / (distance * sum), offset);
    for (int i = 0; i < 4; i++) {
        int n = s->node[i];
        double w = s->weight[i] * u->def.soup.inverse_mass[n];
        u->push[n] = v3_add_scaled(u->push[n], w, step);
        if (w != 0) u->ring[n]++;
    }
    return distance / target;
}

static double push_vertex_face(vo_untangler *u, const vo_vec3 *x, int n, const int f[3]) {
    vo_face_point p = vo_distance_vertex_face(x[n], x[f[0]], x[f[1]], x[f[2]]);
    stencil s = {{n, f[0], f[1], f[2]}, {-1, p.weight[0], p.weight[1], p.weight[2]}};
    return push_stencil(u, &s, p.offset, p.squared);
}

static double push_edges(vo_untangler *u, const vo_vec3 *x, const int a[2], const int b[2]) {
    vo_edge_pair p = vo_distance_edge_edge(x[a[0]], x[a[1]], x[b[0]], x[b[1]]);
    stencil s = {{a[0], a[1], b[0], b[1]}, {p.s - 1, -p.s, 1 - p.t, p.t}};
    return push_stencil(u, &s, p.offset, p.squared);
}

static bool share_node(const int a[3], const int b[3]) {
    for (int i = 0; i < 3; i++)
        if (a[i] == b[0] || a[i] == b[1] || a[i] == b[2]) return true;
    return false;
}

/* Pushes all feature pairs of two faces; returns the smallest fraction of a target distance. */
static double push_pair(vo_untangler *u, const vo_vec3 *x, int a, int b) {
    const vo_soup *s = &u->def.soup;
    const int *f = s->face[a], *g = s->face[b];
    double smallest = 1;
    if (share_node(f, g)) return smallest;
    for (int i = 0; i < 3; i++) {
        smallest = vo_min(smallest, push_vertex_face(u, x, f[i], g));
        smallest = vo_min(smallest, push_vertex_face(u, x, g[i], f));
        for (int j = 0; j < 3; j++)
            smallest = vo_min(smallest, push_edges(u, x, s->edge[s->face_edge[a][i]],
                                                   s->edge[s->face_edge[b][j]]));
    }
    return smallest;
}

/* Pushes all pairs that are too close, averaged per node. *smallest receives the smallest fraction
 * of a target distance, at most 1. */
static vo_result push_all(vo_untangler *u, const vo_vec3 *x, double *smallest) {
    vo_contours *c = &u->contours;
    VO_TRY(vo_contours_find_near(c, x, u->def.gap));
    for (int n = 0; n < u->def.soup.node_count; n++) {
        u->push[n] = v3_zero();
        u->ring[n] = 0;
        u->scale[n] = 1;
    }
    *smallest = c->over_budget ? 0 : 1;
    for (int list = 0; list < 2; list++)
        for (int i = 0; i < c->near_pairs[list].count; i++) {
            vo_pair p = c->near_pairs[list].pairs[i];
            *smallest = vo_min(*smallest, push_pair(u, x, c->face[0][p.a], c->face[list][p.b]));
        }
    for (int n = 0; n < u->def.soup.node_count; n++)
        if (u->ring[n] > 0) u->push[n] = v3_scale(vo_min(1, 2.0 / u->ring[n]), u->push[n]);
    return VO_OK;
}

/* Halves the displacement of the nodes of intersecting faces; after HALVINGS rounds sets it to
 * zero. */
static void reduce_intersecting(vo_untangler *u, int round) {
    const vo_contours *c = &u->contours;
    int mark = ++u->mark;
    for (int n = 0; n < c->soup.node_count && c->over_budget; n++) u->scale[n] = 0;
    for (int i = 0; i < c->pair_count; i++)
        for (int j = 0; j < 6; j++) {
            int f = j < 3 ? c->pair[i].a : c->pair[i].b, n = c->soup.face[f][j % 3];
            if (u->node_mark[n] == mark) continue;
            u->node_mark[n] = mark;
            u->scale[n] *= round < HALVINGS ? 0.5 : 0;
        }
}

/* Moves x by the pushes, as far as nothing intersects. */
static vo_result move_clean(vo_untangler *u, vo_vec3 *x) {
    int nodes = u->def.soup.node_count;
    for (int round = 0;; round++) {
        for (int n = 0; n < nodes; n++)
            u->scratch_x[n] = v3_add_scaled(x[n], u->scale[n], u->push[n]);
        VO_TRY(vo_contours_find(&u->contours, u->scratch_x));
        if (vo_untangle_is_clean(u)) break;
        reduce_intersecting(u, round);
    }
    if (nodes > 0) memcpy(x, u->scratch_x, (size_t)nodes * sizeof *x);
    return VO_OK;
}

int vo_untangle_list_moved(vo_untangler *u, const vo_vec3 *x) {
    int count = 0;
    for (int n = 0; n < u->def.soup.node_count; n++)
        if (v3_distance(x[n], u->start_x[n]) > 0) u->queue[count++] = n;
    return count;
}

/* Stores the displacement to the strain limits in u->push. Returns the largest one relative to the
 * face size. */
static double push_to_limits(vo_untangler *u, const vo_vec3 *x, int count) {
    int nodes = u->def.soup.node_count;
    double largest = 0;
    memcpy(u->scratch_x, x, (size_t)nodes * sizeof *x);
    vo_untangle_limit_strain(u, u->scratch_x, count, SWEEPS);
    for (int n = 0; n < nodes; n++) {
        u->push[n] = v3_sub(u->scratch_x[n], x[n]);
        u->scale[n] = 1;
        if (u->node_size[n] > 0) largest = vo_max(largest, v3_length(u->push[n]) / u->node_size[n]);
    }
    return largest;
}

vo_result vo_untangle_relax(vo_untangler *u, vo_vec3 *x) {
    int count = vo_untangle_list_moved(u, x);
    size_t bytes = (size_t)u->def.soup.node_count * sizeof *x;
    u->max_stretch = VO_UNTANGLE_MAX_STRETCH;
    for (int round = 0; round < RELAX_ROUNDS && count > 0; round++) {
        double before = vo_untangle_strain_excess(u, x);
        if (push_to_limits(u, x, count) < 0.01) break;
        VO_TRY(vo_untangle_poll_cancel(u));
        memcpy(u->clean_x, x, bytes);
        VO_TRY(move_clean(u, x));
        if (vo_untangle_strain_excess(u, x) < 0.99 * before) continue;
        memcpy(x, u->clean_x, bytes); /* nodes with reduced displacements strain their neighbours */
        break;
    }
    return VO_OK;
}

vo_result vo_untangle_open_gaps(vo_untangler *u, vo_vec3 *x, double *gap) {
    double smallest = 1, best = -1;
    for (int round = 0, since = 0; round < GAP_ROUNDS && u->def.gap > 0; round++) {
        VO_TRY(vo_untangle_poll_cancel(u));
        VO_TRY(push_all(u, x, &smallest));
        since = smallest > best ? 0 : since + 1;
        best = vo_max(best, smallest);
        if (smallest >= 1 || since > 5) break; /* no space */
        VO_TRY(move_clean(u, x));
    }
    *gap = smallest * u->def.gap;
    return VO_OK;
}

/* Improves the triangles of an extracted surface: relaxation and flips. */
#include "core/memory.h"
#include "core/parallel.h"
#include "mesh/polygonise_halfedges.h"

#include <string.h>

enum { MAX_UNFOLD_ROUNDS = 8 };

/* Short local names. */
typedef vo_halfedge_mesh halves;
static int next(int h) { return vo_hm_next(h); }
static int origin(const halves *m, int h) { return vo_hm_origin(m, h); }
static int target(const halves *m, int h) { return vo_hm_target(m, h); }
static int around(const halves *m, int h) { return vo_hm_rotate(m, h); }

/* Counting sort of half-edges by origin. */
static void sort_by_start(halves *m) {
    int nodes = m->s->node_count, count = 3 * m->s->face_count;
    memset(m->first, 0, (size_t)(nodes + 1) * sizeof *m->first);
    for (int h = 0; h < count; h++) m->first[origin(m, h) + 1]++;
    for (int n = 0; n < nodes; n++) m->first[n + 1] += m->first[n];
    memset(m->valence, 0, (size_t)nodes * sizeof *m->valence);
    for (int h = 0; h < count; h++) {
        int n = origin(m, h);
        m->order[m->first[n] + m->valence[n]++] = h;
        m->out[n] = h;
    }
}

/* Finds the twin of every half-edge. */
static void pair_twins(halves *m) {
    sort_by_start(m);
    for (int h = 0; h < 3 * m->s->face_count; h++) {
        int a = origin(m, h), b = target(m, h);
        m->twin[h] = -1;
        for (int i = m->first[b]; i < m->first[b + 1]; i++)
            if (target(m, m->order[i]) == a) m->twin[h] = m->order[i];
    }
}

bool vo_hm_has_edge(const halves *m, int a, int b) {
    int h = m->out[a];
    do {
        if (target(m, h) == b) return true;
        h = around(m, h);
    } while (h != m->out[a]);
    return false;
}

/* Cosine of the angle at p in the triangle p a b. */
static double cosine_at(vo_vec3 p, vo_vec3 a, vo_vec3 b) {
    return v3_dot(v3_normalize(v3_sub(a, p)), v3_normalize(v3_sub(b, p)));
}

/* True if the angles opposite the edge sum to more than 180 degrees, the surface there is nearly
 * flat before and after, and no node is left with fewer than four edges. */
static bool should_flip(const halves *m, int h) {
    int t = m->twin[h];
    int a = origin(m, h), b = target(m, h), c = target(m, next(h)), d = target(m, next(t));
    if (m->valence[a] <= 4 || m->valence[b] <= 4) return false;
    const vo_vec3 *x = m->s->node_x;
    if (cosine_at(x[c], x[a], x[b]) + cosine_at(x[d], x[a], x[b]) > -1e-3) return false;
    vo_vec3 old_0 = v3_normalize(vo_hm_normal(x[a], x[b], x[c]));
    vo_vec3 old_1 = v3_normalize(vo_hm_normal(x[b], x[a], x[d]));
    vo_vec3 new_0 = v3_normalize(vo_hm_normal(x[d], x[b], x[c]));
    vo_vec3 new_1 = v3_normalize(vo_hm_normal(x[a], x[d], x[c]));
    vo_vec3 mean = v3_normalize(v3_add(old_0, old_1));
    return v3_dot(old_0, old_1) > 0.8 && v3_dot(new_0, mean) > 0.8 && v3_dot(new_1, mean) > 0.8 &&
           !vo_hm_has_edge(m, c, d);
}

/*      c            c         Faces abc, bad become adc, bcd. The half-edge h, now from d to c,
 *     / \          /|\        keeps its index.
 *    a-h-b   ->   a | b
 *     \ /          \|/
 *      d            d      */
static void flip_edge(halves *m, int h) {
    int t = m->twin[h], f = h / 3, g = t / 3;
    int a = origin(m, h), b = target(m, h), c = target(m, next(h)), d = target(m, next(t));
    int bc = m->twin[next(h)], ca = m->twin[next(next(h))];
    int ad = m->twin[next(t)], db = m->twin[next(next(t))];
    memcpy(m->s->face[f], (int[3]){d, c, a}, sizeof m->s->face[f]);
    memcpy(m->s->face[g], (int[3]){c, d, b}, sizeof m->s->face[g]);
    vo_hm_pair(m, 3 * f, 3 * g);
    vo_hm_pair(m, 3 * f + 1, ca);
    vo_hm_pair(m, 3 * f + 2, ad);
    vo_hm_pair(m, 3 * g + 1, db);
    vo_hm_pair(m, 3 * g + 2, bc);
    m->out[a] = 3 * f + 2, m->out[b] = 3 * g + 2, m->out[c] = 3 * g, m->out[d] = 3 * f;
    m->valence[a]--, m->valence[b]--, m->valence[c]++, m->valence[d]++;
}

static void flip_all(halves *m) {
    for (int h = 0; h < 3 * m->s->face_count; h++)
        if (h < m->twin[h] && should_flip(m, h)) flip_edge(m, h);
}

vo_vec3 vo_field_gradient(vo_field field, vo_vec3 p, double step) {
    /* Directions to the corners of a tetrahedron sum to zero, so f(p) cancels. */
    static const vo_vec3 direction[4] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    vo_vec3 sum = v3_zero();
    for (int i = 0; i < 4; i++) {
        double f = field.value(field.arg, v3_add_scaled(p, step, direction[i]));
        sum = v3_add_scaled(sum, f / (4 * step), direction[i]);
    }
    return sum;
}

vo_vec3 vo_hm_project(const halves *m, vo_vec3 p, vo_vec3 gradient) {
    double f = m->field.value(m->field.arg, p);
    vo_vec3 step = v3_scale(-f / vo_max(v3_length2(gradient), 1e-4), gradient);
    double length = v3_length(step), most = 0.5 * m->cell;
    return v3_add_scaled(p, length > most ? most / length : 1, step);
}

/* Mean of the neighbours. */
static vo_vec3 mean_around(const halves *m, int n) {
    vo_vec3 sum = v3_zero();
    int h = m->out[n], count = 0;
    do {
        sum = v3_add(sum, m->s->node_x[target(m, h)]);
        count++;
        h = around(m, h);
    } while (h != m->out[n]);
    return v3_scale(1.0 / count, sum);
}

/* True if moving the node to x would turn one of its faces away from `normal`. */
static bool would_fold(const halves *m, int n, vo_vec3 x, vo_vec3 normal) {
    int h = m->out[n];
    do {
        vo_vec3 b = m->s->node_x[target(m, h)], c = m->s->node_x[target(m, next(h))];
        if (v3_dot(v3_normalize(vo_hm_normal(x, b, c)), normal) < 0.3) return true;
        h = around(m, h);
    } while (h != m->out[n]);
    return false;
}

/* Moves nodes towards the mean of their neighbours along the surface, then onto the surface. */
static void relax_nodes(void *arg, int begin, int end, int chunk) {
    halves *m = arg;
    (void)chunk;
    for (int n = begin; n < end; n++) {
        vo_vec3 x = m->s->node_x[n];
        vo_vec3 gradient = vo_field_gradient(m->field, x, 0.05 * m->cell);
        vo_vec3 normal = v3_normalize(gradient), direction = v3_sub(mean_around(m, n), x);
        direction = v3_add_scaled(direction, -v3_dot(direction, normal), normal);
        vo_vec3 there = vo_hm_project(m, v3_add_scaled(x, 0.7, direction), gradient);
        m->moved[n] = would_fold(m, n, there, normal) ? v3_add_scaled(x, 0.3, direction) : there;
    }
}

/* Projects nodes onto the surface unless that would fold it. */
static void project_nodes(void *arg, int begin, int end, int chunk) {
    halves *m = arg;
    (void)chunk;
    for (int n = begin; n < end; n++) {
        vo_vec3 x = m->s->node_x[n];
        vo_vec3 gradient = vo_field_gradient(m->field, x, 0.02 * m->cell);
        vo_vec3 there = vo_hm_project(m, x, gradient);
        m->moved[n] = would_fold(m, n, there, v3_normalize(gradient)) ? x : there;
    }
}

/* True if the face is turned far away from the surface at its centroid. */
static bool is_folded(const halves *m, const int face[3]) {
    vo_vec3 a = m->s->node_x[face[0]], b = m->s->node_x[face[1]], c = m->s->node_x[face[2]];
    vo_vec3 middle = v3_scale(1.0 / 3, v3_add(a, v3_add(b, c)));
    vo_vec3 gradient = vo_field_gradient(m->field, middle, 0.05 * m->cell);
    return v3_dot(v3_normalize(vo_hm_normal(a, b, c)), v3_normalize(gradient)) < 0.3;
}

/* Marks folded faces in `order`, which is unused after pairing. */
static void find_folded(void *arg, int begin, int end, int chunk) {
    halves *m = arg;
    (void)chunk;
    for (int f = begin; f < end; f++) m->order[f] = is_folded(m, m->s->face[f]);
}

/* Moves the nodes of folded faces towards the mean of their neighbours: where the surface is finer
 * than the cells, not all nodes can lie on it. Returns the number of folded faces. */
static int unfold(halves *m) {
    int folded = 0;
    vo_parallel_for(m->ctx, m->s->face_count, 256, find_folded, m);
    memcpy(m->moved, m->s->node_x, (size_t)m->s->node_count * sizeof *m->moved);
    for (int f = 0; f < m->s->face_count; f++) {
        if (!m->order[f]) continue;
        folded++;
        for (int k = 0; k < 3; k++) {
            int n = m->s->face[f][k];
            m->moved[n] = v3_lerp(m->s->node_x[n], mean_around(m, n), 0.5);
        }
    }
    memcpy(m->s->node_x, m->moved, (size_t)m->s->node_count * sizeof *m->moved);
    return folded;
}

static void update_positions(halves *m, vo_loop_fn *body) {
    vo_parallel_for(m->ctx, m->s->node_count, 256, body, m);
    memcpy(m->s->node_x, m->moved, (size_t)m->s->node_count * sizeof *m->moved);
}

static void improve(halves *m, int rounds) {
    for (int i = 0; i < 2; i++) update_positions(m, project_nodes);
    for (int i = 0; i < rounds; i++) {
        update_positions(m, relax_nodes);
        flip_all(m);
    }
    for (int i = 0; i < 3; i++) update_positions(m, project_nodes);
    for (int i = 0; i < MAX_UNFOLD_ROUNDS && unfold(m) > 0; i++) flip_all(m);
}

vo_result vo_halfedge_mesh_create(vo_context *ctx, vo_field field, double cell, vo_surface_parts *s,
                                  vo_halfedge_mesh *m) {
    int nodes = s->node_count, sides = 3 * s->face_count;
    *m = (halves){.ctx = ctx, .field = field, .cell = cell, .s = s};
    m->node_count = nodes;
    m->side_count = sides;
    m->twin = vo_new_array(ctx, int, sides);
    m->order = vo_new_array(ctx, int, sides);
    m->first = vo_new_array(ctx, int, nodes + 1);
    m->out = vo_new_array(ctx, int, nodes);
    m->valence = vo_new_array(ctx, int, nodes);
    m->moved = vo_new_array(ctx, vo_vec3, nodes);
    if (!m->twin || !m->order || !m->first || !m->out || !m->valence || !m->moved)
        return vo_fail_memory(ctx, "a surface's edges");
    pair_twins(m);
    return VO_OK;
}

void vo_halfedge_mesh_free(vo_halfedge_mesh *m) {
    vo_free_array(m->ctx, m->twin, m->side_count);
    vo_free_array(m->ctx, m->order, m->side_count);
    vo_free_array(m->ctx, m->first, m->node_count + 1);
    vo_free_array(m->ctx, m->out, m->node_count);
    vo_free_array(m->ctx, m->valence, m->node_count);
    vo_free_array(m->ctx, m->moved, m->node_count);
}

vo_result vo_polygonise_improve(vo_context *ctx, vo_field field, double cell, int rounds,
                                vo_surface_parts *s) {
    halves m;
    vo_result result = vo_halfedge_mesh_create(ctx, field, cell, s, &m);
    if (result == VO_OK) improve(&m, rounds);
    vo_halfedge_mesh_free(&m);
    return result;
}

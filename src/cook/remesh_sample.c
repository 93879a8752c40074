/* Points of the finer levels: lattice points of the base faces, mapped to the input by replaying
 * the collapses in reverse, and lattice points of feature edges, mapped along their curves. */
#include "cook/remesh.h"

#include <math.h>
#include <stdlib.h>

/* A point of the current mesh. */
typedef struct sample {
    int face;
    double weight[3]; /* of the corners of the face */
    int next;         /* in the list of its face, -1 */
    int target[2];    /* lattice points that it becomes; the second may be -1 */
} sample;

/* A curve of the base mesh, by its ends in ascending order. */
typedef struct curve_entry {
    int end[2], curve;
} curve_entry;

typedef struct resampler {
    vo_remesh *r;
    const int *face_of;
    vo_cook_levels *levels;
    int n, points;
    sample *sample;
    int sample_count;
    int *first;         /* [mesh->face_count] list of the samples of a face */
    curve_entry *curve; /* [curve_total] sorted */
    int curve_total;
} resampler;

/* --- Results ---------------------------------------------------------------------------------- */

static void set_point(const resampler *s, int at, vo_vec3 x, vo_vec2 u) {
    s->levels->positions[at] = (vo_rt_vec3){(float)x.x, (float)x.y, (float)x.z};
    s->levels->coordinates[at] = (vo_rt_vec2){(float)u.x, (float)u.y};
}

/* Lattice point of a base face by its weights, in n-ths. */
static int lattice_point(const resampler *s, int face, const int w[3]) {
    return face * s->points + vo_cook_lattice_index(s->n, w[1], w[2]);
}

static void set_corners(const resampler *s) {
    const vo_mesh *base = s->levels->base;
    for (int f = 0; f < base->face_count; f++)
        for (int k = 0; k < 3; k++) {
            int w[3] = {0, 0, 0}, v = base->face_vert[f][k];
            w[k] = s->n;
            set_point(s, lattice_point(s, f, w), base->node_x[base->vert_node[v]], base->vert_u[v]);
        }
}

static void set_samples(const resampler *s) {
    const vo_mesh *m = s->r->mesh;
    for (int i = 0; i < s->sample_count; i++) {
        const sample *p = &s->sample[i];
        vo_vec3 x = v3_zero();
        vo_vec2 u = v2(0, 0);
        for (int k = 0; k < 3; k++) {
            int v = m->face_vert[p->face][k];
            x = v3_add_scaled(x, p->weight[k], m->node_x[m->vert_node[v]]);
            u = v2_add(u, v2_scale(p->weight[k], m->vert_u[v]));
        }
        for (int k = 0; k < 2; k++)
            if (p->target[k] >= 0) set_point(s, p->target[k], x, u);
    }
}

/* --- Samples ---------------------------------------------------------------------------------- */

static void add_sample(resampler *s, int face, const int w[3], int second) {
    int i = s->sample_count++, f = s->face_of[face];
    s->sample[i] =
        (sample){.face = f, .next = s->first[f], .target = {lattice_point(s, face, w), second}};
    for (int k = 0; k < 3; k++) s->sample[i].weight[k] = (double)w[k] / s->n;
    s->first[f] = i;
}

static void add_inner_samples(resampler *s) {
    for (int f = 0; f < s->levels->base->face_count; f++)
        for (int j = 1; j < s->n; j++)
            for (int i = 1; i + j < s->n; i++) add_sample(s, f, (int[3]){s->n - i - j, i, j}, -1);
}

/* Weights of point k of an edge, counted from its first node, in its face on a side. */
static void edge_weights(const resampler *s, int edge, int side, int k, int w[3]) {
    const vo_mesh *base = s->levels->base;
    const int *e = base->face_edge[base->edge_face[edge][side]];
    int c = e[0] == edge ? 0 : e[1] == edge ? 1 : 2;
    int along = side == 0 ? k : s->n - k;
    w[0] = w[1] = w[2] = 0;
    w[c] = s->n - along;
    w[(c + 1) % 3] = along;
}

/* --- Curves ----------------------------------------------------------------------------------- */

static int by_ends(const void *a, const void *b) {
    const curve_entry *p = a, *q = b;
    if (p->end[0] != q->end[0]) return p->end[0] < q->end[0] ? -1 : 1;
    return p->end[1] < q->end[1] ? -1 : p->end[1] > q->end[1];
}

static curve_entry entry_of(int a, int b, int curve) {
    return (curve_entry){{vo_min_int(a, b), vo_max_int(a, b)}, curve};
}

static void sort_curves(resampler *s) {
    for (int c = 0; c < s->r->curve_count; c++) {
        const vo_remesh_curve *curve = &s->r->curve[c];
        if (curve->is_used)
            s->curve[s->curve_total++] = entry_of(curve->node[0], curve->node[1], c);
    }
    qsort(s->curve, (size_t)s->curve_total, sizeof *s->curve, by_ends);
}

/* Curve between two nodes of the input; -1 if there is none. */
static int find_curve(const resampler *s, int a, int b) {
    curve_entry key = entry_of(a, b, -1);
    const curve_entry *found = bsearch(&key, s->curve, (size_t)s->curve_total, sizeof key, by_ends);
    return found ? found->curve : -1;
}

/* Nodes of the input at the ends of a base edge. */
static void input_ends(const resampler *s, int edge, int end[2]) {
    const vo_mesh *base = s->levels->base;
    int f = base->edge_face[edge][0];
    const int *e = base->face_edge[f];
    int c = e[0] == edge ? 0 : e[1] == edge ? 1 : 2;
    end[0] = s->r->face[s->face_of[f]][c];
    end[1] = s->r->face[s->face_of[f]][(c + 1) % 3];
}

/* Points of a base edge on a curve, with the coordinates of each side. */
static void set_curve_points(const resampler *s, int edge, int curve, int start) {
    const vo_mesh *base = s->levels->base, *m = s->r->mesh;
    bool is_turned = s->r->curve[curve].node[0] != start;
    for (int k = 1; k < s->n; k++) {
        double t = (double)k / s->n;
        vo_remesh_curve_point p = vo_remesh_locate_on_curve(s->r, curve, is_turned ? 1 - t : t);
        const int *node = m->edge_node[p.edge];
        vo_vec3 x = v3_lerp(m->node_x[node[0]], m->node_x[node[1]], p.t);
        for (int side = 0; side < 2 && base->edge_face[edge][side] >= 0; side++) {
            int w[3], v[2], from = side ^ (is_turned != p.is_reversed);
            if (m->edge_face[p.edge][from] < 0) continue;
            vo_mesh_edge_verts(m, p.edge, from, v);
            edge_weights(s, edge, side, k, w);
            set_point(s, lattice_point(s, base->edge_face[edge][side], w), x,
                      v2_add(v2_scale(1 - p.t, m->vert_u[v[0]]), v2_scale(p.t, m->vert_u[v[1]])));
        }
    }
}

static void add_edge_samples(resampler *s) {
    const vo_mesh *base = s->levels->base;
    for (int e = 0; e < base->edge_count; e++) {
        int end[2];
        input_ends(s, e, end);
        int curve = find_curve(s, end[0], end[1]);
        if (curve >= 0) {
            set_curve_points(s, e, curve, end[0]);
            continue;
        }
        for (int k = 1; k < s->n; k++) {
            int w[2][3];
            for (int side = 0; side < 2; side++) edge_weights(s, e, side, k, w[side]);
            add_sample(s, base->edge_face[e][0], w[0],
                       lattice_point(s, base->edge_face[e][1], w[1]));
        }
    }
}

/* --- Replay ----------------------------------------------------------------------------------- */

static int corner_of(const int face[3], int node) {
    return face[0] == node ? 0 : face[1] == node ? 1 : 2;
}

static double triangle_area(vo_vec2 a, vo_vec2 b, vo_vec2 c) {
    return v2_cross(v2_sub(b, a), v2_sub(c, a));
}

/* Weights of p in the triangle (centre, u[i], u[i + 1]); returns the smallest. */
static double fan_weights(vo_vec2 centre, const vo_vec2 *u, int i, vo_vec2 p, double w[3]) {
    double total = triangle_area(centre, u[i], u[i + 1]);
    w[0] = triangle_area(p, u[i], u[i + 1]) / total;
    w[1] = triangle_area(p, u[i + 1], centre) / total;
    w[2] = triangle_area(p, centre, u[i]) / total;
    return vo_min(w[0], vo_min(w[1], w[2]));
}

/* Moves a sample to the triangle of the fan that contains p, or is nearest to it by weights. */
static void place_in_fan(resampler *s, const vo_remesh_packed *k, int node, int index, vo_vec2 p) {
    vo_remesh *r = s->r;
    const vo_vec2 *u = r->fan_u + k->first;
    double best = -INFINITY, chosen[3] = {1, 0, 0}, sum = 0;
    int at = 0;
    for (int i = 0; i < k->count && best < 0; i++) {
        double w[3], least = fan_weights(k->centre, u, i, p, w);
        if (!(least > best)) continue;
        best = least;
        at = i;
        for (int c = 0; c < 3; c++) chosen[c] = w[c];
    }
    sample *q = &s->sample[index];
    q->face = r->fan_face[k->first + at];
    int corner = corner_of(r->face[q->face], node);
    for (int c = 0; c < 3; c++) sum += vo_max(chosen[c], 0);
    for (int c = 0; c < 3; c++) q->weight[(corner + c) % 3] = vo_max(chosen[c], 0) / sum;
    q->next = s->first[q->face];
    s->first[q->face] = index;
}

/* Planar position of a sample of the coarse triangle (target, u[i], u[i + 1]). */
static vo_vec2 coarse_position(const resampler *s, const vo_remesh_packed *k, int i, int corner,
                               const sample *p) {
    const vo_vec2 *u = s->r->fan_u + k->first;
    vo_vec2 sum = v2_scale(p->weight[corner], u[k->target]);
    sum = v2_add(sum, v2_scale(p->weight[(corner + 1) % 3], u[i]));
    return v2_add(sum, v2_scale(p->weight[(corner + 2) % 3], u[i + 1]));
}

/* Restores the faces of a sector; samples of its coarse triangles are collected with their planar
 * positions, which their weights hold meanwhile. Returns the list. */
static int restore_sector(resampler *s, const vo_remesh_packed *k, int node, int target) {
    vo_remesh *r = s->r;
    int list = -1;
    for (int i = 0; i < k->count; i++) {
        int f = r->fan_face[k->first + i];
        if (r->fan_node[k->first + i] == target || r->fan_node[k->first + i + 1] == target)
            continue; /* was removed: its nodes are still those of the fan */
        int corner = corner_of(r->face[f], target);
        for (int p = s->first[f], next; p >= 0; p = next) {
            vo_vec2 at = coarse_position(s, k, i, corner, &s->sample[p]);
            next = s->sample[p].next;
            s->sample[p].weight[0] = at.x;
            s->sample[p].weight[1] = at.y;
            s->sample[p].next = list;
            list = p;
        }
        s->first[f] = -1;
        r->face[f][corner] = node;
    }
    return list;
}

/* Weights of p in a triangle; returns the smallest. */
static double triangle_weights(const vo_vec2 u[3], vo_vec2 p, double w[3]) {
    double total = triangle_area(u[0], u[1], u[2]);
    for (int k = 0; k < 3; k++) w[k] = triangle_area(p, u[(k + 1) % 3], u[(k + 2) % 3]) / total;
    return vo_min(w[0], vo_min(w[1], w[2]));
}

/* Planar position of a sample in a face whose corners are nodes of a flipped quad. */
static vo_vec2 quad_position(const resampler *s, const vo_remesh_packed *k, const sample *p) {
    vo_vec2 sum = v2(0, 0);
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 4; i++)
            if (s->r->face[p->face][c] == s->r->fan_node[k->first + i])
                sum = v2_add(sum, v2_scale(p->weight[c], s->r->fan_u[k->first + i]));
    return sum;
}

/* Moves a sample to the face (a, b, c) or (a, c, d) of a quad that contains p. */
static void place_in_quad(resampler *s, const vo_remesh_packed *k, int index, vo_vec2 p) {
    const vo_vec2 *u = s->r->fan_u + k->first;
    const vo_vec2 triangle[2][3] = {{u[0], u[1], u[2]}, {u[0], u[2], u[3]}};
    double w[2][3], sum = 0;
    bool second = triangle_weights(triangle[1], p, w[1]) > triangle_weights(triangle[0], p, w[0]);
    sample *q = &s->sample[index];
    q->face = s->r->fan_face[k->first + second];
    int corner = corner_of(s->r->face[q->face], s->r->fan_node[k->first]);
    for (int c = 0; c < 3; c++) sum += vo_max(w[second][c], 0);
    for (int c = 0; c < 3; c++) q->weight[(corner + c) % 3] = vo_max(w[second][c], 0) / sum;
    q->next = s->first[q->face];
    s->first[q->face] = index;
}

/* Restores the two faces of a flipped edge. */
static void replay_flip(resampler *s, const vo_remesh_packed *k) {
    vo_remesh *r = s->r;
    const int *n = r->fan_node + k->first, *f = r->fan_face + k->first;
    int list = -1;
    for (int i = 0; i < 2; i++) {
        for (int p = s->first[f[i]], next; p >= 0; p = next) {
            vo_vec2 at = quad_position(s, k, &s->sample[p]);
            next = s->sample[p].next;
            s->sample[p].weight[0] = at.x;
            s->sample[p].weight[1] = at.y;
            s->sample[p].next = list;
            list = p;
        }
        s->first[f[i]] = -1;
    }
    r->face[f[0]][corner_of(r->face[f[0]], n[3])] = n[2];
    r->face[f[1]][corner_of(r->face[f[1]], n[1])] = n[0];
    for (int p = list, next; p >= 0; p = next) {
        next = s->sample[p].next;
        place_in_quad(s, k, p, v2(s->sample[p].weight[0], s->sample[p].weight[1]));
    }
}

static void replay(resampler *s, const vo_remesh_collapse *c) {
    if (c->node < 0) {
        replay_flip(s, &s->r->sector[c->first_sector]);
        return;
    }
    for (int i = 0; i < c->sector_count; i++) {
        const vo_remesh_packed *k = &s->r->sector[c->first_sector + i];
        int list = restore_sector(s, k, c->node, c->target);
        for (int p = list, next; p >= 0; p = next) {
            next = s->sample[p].next;
            place_in_fan(s, k, c->node, p, v2(s->sample[p].weight[0], s->sample[p].weight[1]));
        }
    }
}

static bool allocate(resampler *s) {
    const vo_mesh *base = s->levels->base;
    vo_arena *a = &s->r->arena;
    size_t inner = (size_t)(s->n - 1) * (size_t)(s->n - 2 > 0 ? s->n - 2 : 0) / 2;
    size_t count = (size_t)base->face_count * inner + (size_t)base->edge_count * (size_t)s->n;
    s->sample = vo_arena_array(a, sample, count);
    s->first = vo_arena_array(a, int, s->r->mesh->face_count);
    s->curve = vo_arena_array(a, curve_entry, s->r->curve_count + 1);
    if (!s->sample || !s->first || !s->curve) return false;
    for (int f = 0; f < s->r->mesh->face_count; f++) s->first[f] = -1;
    return true;
}

vo_result vo_remesh_resample(vo_remesh *r, const int *face_of, vo_cook_levels *levels) {
    resampler s = {.r = r,
                   .face_of = face_of,
                   .levels = levels,
                   .n = 1 << levels->max_level,
                   .points = vo_cook_lattice_count(levels->max_level)};
    if (!allocate(&s)) return vo_fail_memory(r->ctx, "a remeshed garment");
    sort_curves(&s);
    set_corners(&s);
    add_edge_samples(&s);
    add_inner_samples(&s);
    for (int i = r->collapse_count - 1; i >= 0; i--) replay(&s, &r->collapse[i]);
    set_samples(&s);
    return VO_OK;
}

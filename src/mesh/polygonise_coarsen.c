/* Fewer triangles for the same surface, small ones where they are wanted.
 *
 * A lattice has one width of cells everywhere, and a body has fingers and a back. So the surface is
 * made fine enough for the finest part, and edges collapse where it may be coarser:
 *
 *        c                c
 *       /|\              /|       The edge from a to b goes, with the two faces beside it; b's
 *      / | \            / |       faces become a's, and a goes to the middle of the two, drawn
 *     a--h--b    ->    a  |       onto the surface. It stays closed and manifold if no node but c
 *      \ | /            \ |       and d is a neighbour of both, and none is left with fewer than
 *       \|/              \|       four edges.
 *        d                d */
#include "core/parallel.h"
#include "mesh/polygonise_halves.h"

#include <string.h>

/* Edges up to so many parts of their size go, in passes that go a little further each. */
#define SHORTEST 0.3
#define LONGEST  1.6
#define PASS     0.04
/* No edge may get longer than this against its size, and no face turn further than by this cosine.
 */
#define MOST    1.8
#define UPRIGHT 0.6

typedef struct coarsening {
    vo_halves m;
    vo_field size;
    int count;  /* faces that are left */
    int target; /* and are to be */
} coarsening;

static bool is_gone(const vo_halves *m, int face) { return m->s->face[face][0] < 0; }

/* Length against size. */
static double stretch(const coarsening *c, vo_vec3 a, vo_vec3 b) {
    return v3_distance(a, b) / c->size.value(c->size.arg, v3_lerp(a, b, 0.5));
}

/* True if c and d, beyond the edge's two faces, are the only nodes that have both its ends for
 * neighbours, and can spare an edge. */
static bool can_close(const vo_halves *m, int h) {
    int t = m->twin[h], a = vo_half_start(m, h), b = vo_half_finish(m, h);
    int c = vo_half_finish(m, vo_half_next(h)), d = vo_half_finish(m, vo_half_next(t));
    if (m->valence[c] <= 4 || m->valence[d] <= 4) return false;
    int valence = m->valence[a] + m->valence[b] - 4;
    if (valence < 4 || valence > 9) return false;
    for (int e = vo_half_around(m, t); e != t; e = vo_half_around(m, e)) {
        int n = vo_half_finish(m, e);
        if (n != c && n != d && vo_half_joined(m, a, n)) return false;
    }
    return true;
}

/* True if the faces around node n, which goes to x, stay upright and their sides short enough. The
 * two faces at half edge `h` are not looked at. */
static bool stays_sound(const coarsening *c, int n, vo_vec3 x, int h) {
    const vo_halves *m = &c->m;
    int e = m->out[n];
    do {
        if (e / 3 != h / 3 && e / 3 != m->twin[h] / 3) {
            vo_vec3 p = m->s->node_x[vo_half_finish(m, e)];
            vo_vec3 q = m->s->node_x[vo_half_finish(m, vo_half_next(e))];
            vo_vec3 old = v3_normalize(vo_half_normal(m->s->node_x[n], p, q));
            vo_vec3 new = v3_normalize(vo_half_normal(x, p, q));
            if (!(v3_dot(old, new) > UPRIGHT) || stretch(c, x, p) > MOST) return false;
        }
        e = vo_half_around(m, e);
    } while (e != m->out[n]);
    return true;
}

static vo_vec3 middle(const vo_halves *m, int h) {
    vo_vec3 a = m->s->node_x[vo_half_start(m, h)], b = m->s->node_x[vo_half_finish(m, h)];
    vo_vec3 x = v3_lerp(a, b, 0.5);
    return vo_half_drawn(m, x, vo_field_gradient(m->field, x, 0.05 * m->cell));
}

/* Its end goes into its start, which is at x now. */
static void collapse(coarsening *c, int h, vo_vec3 x) {
    vo_halves *m = &c->m;
    int t = m->twin[h], a = vo_half_start(m, h), b = vo_half_finish(m, h);
    int far = vo_half_finish(m, vo_half_next(h)), near = vo_half_finish(m, vo_half_next(t));
    int bc = m->twin[vo_half_next(h)], ca = m->twin[vo_half_next(vo_half_next(h))];
    int ad = m->twin[vo_half_next(t)], db = m->twin[vo_half_next(vo_half_next(t))];
    int e = t;
    do { /* twins say who is next, so names may change on the way */
        m->s->face[e / 3][e % 3] = a;
        e = vo_half_around(m, e);
    } while (e != t);
    vo_half_set_twins(m, bc, ca);
    vo_half_set_twins(m, ad, db);
    m->out[a] = ca, m->out[far] = bc, m->out[near] = ad;
    m->valence[a] += m->valence[b] - 4;
    m->valence[b] = 0;
    m->valence[far]--, m->valence[near]--;
    m->s->node_x[a] = x;
    m->s->face[h / 3][0] = m->s->face[t / 3][0] = -1;
    c->count -= 2;
}

/* Collapses what is shorter than `most` against its size. */
static void pass(coarsening *c, double most) {
    vo_halves *m = &c->m;
    for (int h = 0; h < m->side_count && c->count > c->target; h++) {
        if (is_gone(m, h / 3) || h > m->twin[h]) continue;
        int a = vo_half_start(m, h), b = vo_half_finish(m, h);
        if (stretch(c, m->s->node_x[a], m->s->node_x[b]) > most || !can_close(m, h)) continue;
        vo_vec3 x = middle(m, h);
        if (stays_sound(c, a, x, h) && stays_sound(c, b, x, h)) collapse(c, h, x);
    }
}

/* Nodes of a fresh net lie in steps, which say nothing of which way faces look. */
static void draw_nodes(void *arg, int begin, int end, int chunk) {
    const vo_halves *m = arg;
    (void)chunk;
    for (int n = begin; n < end; n++) {
        vo_vec3 x = m->s->node_x[n];
        m->moved[n] = vo_half_drawn(m, x, vo_field_gradient(m->field, x, 0.05 * m->cell));
    }
}

static void draw(vo_halves *m) {
    vo_parallel_for(m->ctx, m->s->node_count, 256, draw_nodes, m);
    memcpy(m->s->node_x, m->moved, (size_t)m->s->node_count * sizeof *m->moved);
}

/* Closes the holes in the arrays. */
static void compact(vo_halves *m) {
    vo_surface_parts *s = m->s;
    int nodes = 0, faces = 0;
    for (int n = 0; n < s->node_count; n++) {
        m->out[n] = nodes;
        if (m->valence[n] > 0) s->node_x[nodes++] = s->node_x[n];
    }
    for (int f = 0; f < s->face_count; f++) {
        if (is_gone(m, f)) continue;
        for (int k = 0; k < 3; k++) s->face[faces][k] = m->out[s->face[f][k]];
        faces++;
    }
    s->node_count = nodes;
    s->face_count = faces;
}

vo_result vo_polygonise_coarsen(vo_context *ctx, vo_field field, double cell, vo_field size,
                                int faces, vo_surface_parts *s) {
    coarsening c = {.size = size, .count = s->face_count, .target = faces};
    vo_result result = vo_halves_create(ctx, field, cell, s, &c.m);
    if (result == VO_OK) {
        draw(&c.m);
        for (double most = SHORTEST; most < LONGEST && c.count > faces; most += PASS)
            pass(&c, most);
        compact(&c.m);
    }
    vo_halves_free(&c.m);
    return result;
}

/* Coarsening of an extracted surface by edge collapses, with a sizing function.
 *
 * A lattice has one cell size, but a body has fingers and a back. So the surface is extracted fine
 * enough for the finest part, and edges are collapsed where it may be coarser:
 *
 *        c                c
 *       /|\              /|       The edge from a to b and its two faces are removed; the other
 *      / | \            / |       faces of b get a instead, and a moves to the midpoint of both,
 *     a--h--b    ->    a  |       projected onto the surface. It stays closed and manifold if only
 *      \ | /            \ |       c and d are adjacent to both ends and no node is left with fewer
 *       \|/              \|       than four edges.
 *        d                d */
#include "core/parallel.h"
#include "mesh/polygonise_halfedges.h"

#include <string.h>

/* Relative lengths up to which edges are collapsed: increasing from pass to pass. */
#define SHORTEST 0.3
#define LONGEST  1.6
#define PASS     0.04
/* Largest relative length of a new edge, and smallest cosine between face normals before and after.
 */
#define MOST    1.8
#define UPRIGHT 0.6

typedef struct coarsening {
    vo_halfedge_mesh m;
    vo_field size;
    int count;  /* remaining faces */
    int target; /* target number of faces */
} coarsening;

static bool is_gone(const vo_halfedge_mesh *m, int face) { return m->s->face[face][0] < 0; }

/* Length relative to the target size. */
static double relative_length(const coarsening *c, vo_vec3 a, vo_vec3 b) {
    return v3_distance(a, b) / c->size.value(c->size.arg, v3_lerp(a, b, 0.5));
}

/* Link condition: only c and d, opposite the edge, are adjacent to both ends, and both keep at
 * least four edges. */
static bool satisfies_link_condition(const vo_halfedge_mesh *m, int h) {
    int t = m->twin[h], a = vo_hm_origin(m, h), b = vo_hm_target(m, h);
    int c = vo_hm_target(m, vo_hm_next(h)), d = vo_hm_target(m, vo_hm_next(t));
    if (m->valence[c] <= 4 || m->valence[d] <= 4) return false;
    int valence = m->valence[a] + m->valence[b] - 4;
    if (valence < 4 || valence > 9) return false;
    for (int e = vo_hm_rotate(m, t); e != t; e = vo_hm_rotate(m, e)) {
        int n = vo_hm_target(m, e);
        if (n != c && n != d && vo_hm_has_edge(m, a, n)) return false;
    }
    return true;
}

/* True if the faces around node n keep their orientation and edge lengths when n moves to x. The
 * two faces at half-edge `h` are ignored. */
static bool keeps_faces_valid(const coarsening *c, int n, vo_vec3 x, int h) {
    const vo_halfedge_mesh *m = &c->m;
    int e = m->out[n];
    do {
        if (e / 3 != h / 3 && e / 3 != m->twin[h] / 3) {
            vo_vec3 p = m->s->node_x[vo_hm_target(m, e)];
            vo_vec3 q = m->s->node_x[vo_hm_target(m, vo_hm_next(e))];
            vo_vec3 old = v3_normalize(vo_hm_normal(m->s->node_x[n], p, q));
            vo_vec3 new = v3_normalize(vo_hm_normal(x, p, q));
            if (!(v3_dot(old, new) > UPRIGHT) || relative_length(c, x, p) > MOST) return false;
        }
        e = vo_hm_rotate(m, e);
    } while (e != m->out[n]);
    return true;
}

static vo_vec3 middle(const vo_halfedge_mesh *m, int h) {
    vo_vec3 a = m->s->node_x[vo_hm_origin(m, h)], b = m->s->node_x[vo_hm_target(m, h)];
    vo_vec3 x = v3_lerp(a, b, 0.5);
    return vo_hm_project(m, x, vo_field_gradient(m->field, x, 0.05 * m->cell));
}

/* Collapses a half-edge: merges its target into its origin, which moves to x. */
static void collapse(coarsening *c, int h, vo_vec3 x) {
    vo_halfedge_mesh *m = &c->m;
    int t = m->twin[h], a = vo_hm_origin(m, h), b = vo_hm_target(m, h);
    int far = vo_hm_target(m, vo_hm_next(h)), near = vo_hm_target(m, vo_hm_next(t));
    int bc = m->twin[vo_hm_next(h)], ca = m->twin[vo_hm_next(vo_hm_next(h))];
    int ad = m->twin[vo_hm_next(t)], db = m->twin[vo_hm_next(vo_hm_next(t))];
    int e = t;
    do { /* the rotation uses twins only, so nodes may be replaced during the loop */
        m->s->face[e / 3][e % 3] = a;
        e = vo_hm_rotate(m, e);
    } while (e != t);
    vo_hm_pair(m, bc, ca);
    vo_hm_pair(m, ad, db);
    m->out[a] = ca, m->out[far] = bc, m->out[near] = ad;
    m->valence[a] += m->valence[b] - 4;
    m->valence[b] = 0;
    m->valence[far]--, m->valence[near]--;
    m->s->node_x[a] = x;
    m->s->face[h / 3][0] = m->s->face[t / 3][0] = -1;
    c->count -= 2;
}

/* Collapses edges of a relative length below the limit. */
static void collapse_pass(coarsening *c, double max_length) {
    vo_halfedge_mesh *m = &c->m;
    for (int h = 0; h < m->side_count && c->count > c->target; h++) {
        if (is_gone(m, h / 3) || h > m->twin[h]) continue;
        int a = vo_hm_origin(m, h), b = vo_hm_target(m, h);
        if (relative_length(c, m->s->node_x[a], m->s->node_x[b]) > max_length ||
            !satisfies_link_condition(m, h))
            continue;
        vo_vec3 x = middle(m, h);
        if (keeps_faces_valid(c, a, x, h) && keeps_faces_valid(c, b, x, h)) collapse(c, h, x);
    }
}

/* Projects nodes onto the surface: those of a new net form steps with meaningless normals. */
static void project_nodes(void *arg, int begin, int end, int chunk) {
    const vo_halfedge_mesh *m = arg;
    (void)chunk;
    for (int n = begin; n < end; n++) {
        vo_vec3 x = m->s->node_x[n];
        m->moved[n] = vo_hm_project(m, x, vo_field_gradient(m->field, x, 0.05 * m->cell));
    }
}

static void project_onto_surface(vo_halfedge_mesh *m) {
    vo_parallel_for(m->ctx, m->s->node_count, 256, project_nodes, m);
    memcpy(m->s->node_x, m->moved, (size_t)m->s->node_count * sizeof *m->moved);
}

/* Removes deleted nodes and faces from the arrays. */
static void compact(vo_halfedge_mesh *m) {
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
    vo_result result = vo_halfedge_mesh_create(ctx, field, cell, s, &c.m);
    if (result == VO_OK) {
        project_onto_surface(&c.m);
        for (double most = SHORTEST; most < LONGEST && c.count > faces; most += PASS)
            collapse_pass(&c, most);
        compact(&c.m);
    }
    vo_halfedge_mesh_free(&c.m);
    return result;
}

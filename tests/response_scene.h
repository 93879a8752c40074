/* Small worlds for the tests of the collision response: parts made of grids and lists of triangles,
 * all pairs by exhaustive search, and judges that share nothing with the ladder: continuous
 * collision over every pair there is, and the exact test of every two faces. */
#ifndef VOILE_TESTS_RESPONSE_SCENE_H
#define VOILE_TESTS_RESPONSE_SCENE_H

#include "support.h"

#include "collide/intersect.h"
#include "collide/response.h"
#include "core/memory.h"
#include "core/random.h"
#include "spatial/aabb.h"

#include <stdlib.h>
#include <string.h>

enum { SCENE_NODES = 4096, SCENE_FACES = 8192, SCENE_EDGES = 12288 };

/* Exhaustive candidates: every two features whose swept boxes meet. */
struct vo_candidates {
    const vo_surface *surface;
    vo_feature_pair *pair;
    int count, capacity;
};

typedef struct scene {
    vo_context *ctx;
    vo_surface surface;
    vo_candidates all;
    vo_response *response;
    vo_response_report report;
} scene;

/* ---- making --------------------------------------------------------------------------------- */

static inline scene scene_open(int threads) {
    scene s = {.ctx = test_context(threads)};
    vo_surface *f = &s.surface;
    f->ctx = s.ctx;
    f->face = calloc(SCENE_FACES, sizeof *f->face);
    f->edge = calloc(SCENE_EDGES, sizeof *f->edge);
    f->x0 = calloc(SCENE_NODES, sizeof *f->x0);
    f->x1 = calloc(SCENE_NODES, sizeof *f->x1);
    f->inverse_mass = calloc(SCENE_NODES, sizeof *f->inverse_mass);
    return s;
}

static inline void scene_close(scene *s) {
    vo_response_destroy(s->response);
    free(s->all.pair);
    free(s->surface.face);
    free(s->surface.edge);
    free(s->surface.x0);
    free(s->surface.x1);
    free(s->surface.inverse_mass);
    vo_context_destroy(s->ctx);
}

/* Mass 0: an obstacle; these come last. Returns the node's index. */
static inline int add_node(scene *s, vo_vec3 x, double mass) {
    vo_surface *f = &s->surface;
    int i = f->node_count++;
    assert_true(i < SCENE_NODES);
    f->x0[i] = f->x1[i] = x;
    f->inverse_mass[i] = mass > 0 ? 1 / mass : 0;
    if (mass > 0) f->cloth_node_count = f->node_count;
    return i;
}

static inline void add_edge(scene *s, int a, int b) {
    vo_surface *f = &s->surface;
    for (int i = 0; i < f->edge_count; i++)
        if ((f->edge[i][0] == a && f->edge[i][1] == b) ||
            (f->edge[i][0] == b && f->edge[i][1] == a))
            return;
    assert_true(f->edge_count < SCENE_EDGES);
    f->edge[f->edge_count][0] = a;
    f->edge[f->edge_count++][1] = b;
}

static inline void add_face(scene *s, int a, int b, int c) {
    vo_surface *f = &s->surface;
    assert_true(f->face_count < SCENE_FACES);
    int *face = f->face[f->face_count++];
    face[0] = a, face[1] = b, face[2] = c;
    add_edge(s, a, b);
    add_edge(s, b, c);
    add_edge(s, c, a);
}

/* A sheet of n x m cells from `corner` along u and v; returns the first node. */
static inline int add_sheet(scene *s, vo_vec3 corner, vo_vec3 u, vo_vec3 v, int n, int m,
                            double mass) {
    int first = s->surface.node_count;
    for (int j = 0; j <= m; j++)
        for (int i = 0; i <= n; i++) {
            vo_vec3 x = v3_add_scaled(corner, (double)i / n, u);
            add_node(s, v3_add_scaled(x, (double)j / m, v), mass);
        }
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++) {
            int a = first + j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
            bool turned = (i + j) % 2;
            add_face(s, a, b, turned ? c : d);
            add_face(s, turned ? b : a, d, c);
        }
    return first;
}

/* A ball of 8 * 4^level faces; returns the first node. */
static inline void add_octant(scene *s, vo_vec3 centre, double radius, const vo_vec3 p[3], int level,
                              int first, double mass) {
    if (level > 0) {
        vo_vec3 m[3];
        for (int i = 0; i < 3; i++) m[i] = v3_normalize(v3_add(p[i], p[(i + 1) % 3]));
        add_octant(s, centre, radius, (vo_vec3[]){p[0], m[0], m[2]}, level - 1, first, mass);
        add_octant(s, centre, radius, (vo_vec3[]){m[0], p[1], m[1]}, level - 1, first, mass);
        add_octant(s, centre, radius, (vo_vec3[]){m[2], m[1], p[2]}, level - 1, first, mass);
        add_octant(s, centre, radius, m, level - 1, first, mass);
        return;
    }
    int node[3];
    for (int i = 0; i < 3; i++) {
        vo_vec3 x = v3_add_scaled(centre, radius, p[i]);
        node[i] = -1;
        for (int k = first; k < s->surface.node_count; k++)
            if (v3_distance(s->surface.x0[k], x) < 1e-9 * radius) node[i] = k;
        if (node[i] < 0) node[i] = add_node(s, x, mass);
    }
    add_face(s, node[0], node[1], node[2]);
}

static inline int add_ball(scene *s, vo_vec3 centre, double radius, int level, double mass) {
    int first = s->surface.node_count;
    for (int k = 0; k < 8; k++) {
        vo_vec3 p[3] = {v3(k & 1 ? -1 : 1, 0, 0), v3(0, k & 2 ? -1 : 1, 0), v3(0, 0, k & 4 ? -1 : 1)};
        add_octant(s, centre, radius, p, level, first, mass);
    }
    return first;
}

/* The end of the step for the nodes [begin, end). */
static inline void move_by(scene *s, int begin, int end, vo_vec3 by) {
    for (int i = begin; i < end; i++) s->surface.x1[i] = v3_add(s->surface.x0[i], by);
}

/* What was the end is the start of the next step. */
static inline void next_step(scene *s) {
    memcpy(s->surface.x0, s->surface.x1, (size_t)s->surface.node_count * sizeof(vo_vec3));
}

/* ---- exhaustive pairs ----------------------------------------------------------------------- */

static inline bool shares_node(const int *a, int n, const int *b, int m) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            if (a[i] == b[j]) return true;
    return false;
}

static inline vo_box swept_box(const vo_surface *f, const int *node, int count) {
    vo_box box = box_empty();
    for (int i = 0; i < count; i++)
        box = box_add(box_add(box, f->x0[node[i]]), f->x1[node[i]]);
    return box_grow(box, 1e-2 * v3_length(v3_sub(box.max, box.min)));
}

static inline void add_pair(vo_candidates *c, const unsigned char *moved, vo_feature_kind kind,
                            const int node[4]) {
    bool cloth = false, marked = !moved;
    for (int i = 0; i < 4; i++) {
        cloth |= node[i] < c->surface->cloth_node_count;
        marked |= moved && moved[node[i]];
    }
    if (!cloth || !marked) return;
    if (c->count == c->capacity) {
        c->capacity = 2 * c->capacity + 1024;
        c->pair = realloc(c->pair, (size_t)c->capacity * sizeof *c->pair);
    }
    vo_feature_pair *pair = &c->pair[c->count++];
    *pair = (vo_feature_pair){{node[0], node[1], node[2], node[3]}, kind};
}

vo_result vo_candidates_swept(vo_candidates *c, const unsigned char *moved, int *count,
                              const vo_feature_pair **pairs) {
    const vo_surface *f = c->surface;
    c->count = 0;
    vo_box *face = malloc((size_t)f->face_count * sizeof *face);
    vo_box *edge = malloc((size_t)f->edge_count * sizeof *edge);
    for (int i = 0; i < f->face_count; i++) face[i] = swept_box(f, f->face[i], 3);
    for (int i = 0; i < f->edge_count; i++) edge[i] = swept_box(f, f->edge[i], 2);
    for (int i = 0; i < f->node_count; i++) {
        vo_box box = swept_box(f, &i, 1);
        for (int k = 0; k < f->face_count; k++)
            if (box_overlaps(box, face[k]) && !shares_node(&i, 1, f->face[k], 3))
                add_pair(c, moved, VO_NODE_FACE,
                         (int[]){i, f->face[k][0], f->face[k][1], f->face[k][2]});
    }
    for (int i = 0; i < f->edge_count; i++)
        for (int k = 0; k < i; k++)
            if (box_overlaps(edge[i], edge[k]) && !shares_node(f->edge[i], 2, f->edge[k], 2))
                add_pair(c, moved, VO_EDGE_EDGE,
                         (int[]){f->edge[i][0], f->edge[i][1], f->edge[k][0], f->edge[k][1]});
    free(face);
    free(edge);
    *count = c->count;
    *pairs = c->pair;
    return VO_OK;
}

/* ---- the step and its judges ---------------------------------------------------------------- */

static inline vo_response_def scene_def(void) {
    return (vo_response_def){.dt = 0.005, .thickness = 1e-3};
}

static inline void respond(scene *s, const vo_response_def *def) {
    s->all.surface = &s->surface;
    if (!s->response) assert_ok(s->ctx, vo_response_create(s->ctx, &s->surface, &s->response));
    assert_ok(s->ctx, vo_respond(s->response, def, &s->surface, &s->all, &s->report));
}

/* Pairs that meet on the way, by continuous collision with its defaults. */
static inline int count_collisions(scene *s) {
    const vo_surface *f = &s->surface;
    const vo_feature_pair *pairs;
    int count, found = 0;
    s->all.surface = f;
    vo_candidates_swept(&s->all, NULL, &count, &pairs);
    for (int i = 0; i < count; i++) {
        vo_vec3 start[4], end[4];
        for (int k = 0; k < 4; k++) {
            start[k] = f->x0[pairs[i].node[k]];
            end[k] = f->x1[pairs[i].node[k]];
        }
        found += pairs[i].kind == VO_NODE_FACE ? vo_ccd_vertex_face(NULL, start, end, NULL)
                                               : vo_ccd_edge_edge(NULL, start, end, NULL);
    }
    return found;
}

/* Faces that intersect in the positions x, by the exact test; those of obstacles among each other
 * do not count. */
static inline int count_intersections(const scene *s, const vo_vec3 *x) {
    const vo_surface *f = &s->surface;
    int found = 0;
    for (int i = 0; i < f->face_count; i++) {
        const int *a = f->face[i];
        vo_box box = box_triangle(x[a[0]], x[a[1]], x[a[2]]);
        for (int k = 0; k < i; k++) {
            const int *b = f->face[k];
            bool cloth = a[0] < f->cloth_node_count || b[0] < f->cloth_node_count;
            if (cloth && box_overlaps(box, box_triangle(x[b[0]], x[b[1]], x[b[2]])))
                found += vo_faces_intersect(x, a, b);
        }
    }
    return found;
}

static inline void assert_clean(scene *s) {
    assert_int_equal(count_collisions(s), 0);
    assert_int_equal(count_intersections(s, s->surface.x1), 0);
}

static inline void print_report(const char *name, const vo_response_report *r) {
    print_message("%s: %d impacts, %d passes, %d impulses, %d zones, cut %d, held %d, yield %d\n",
                  name, r->impacts, r->passes, r->impulses, r->zones, r->cut_nodes, r->held_nodes,
                  r->yielded_nodes);
}

#endif

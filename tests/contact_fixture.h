/* Fixture for the contact tests: cloths and obstacles, and brute-force references over all feature
 * pairs. */
#ifndef VOILE_TESTS_CONTACT_FIXTURE_H
#define VOILE_TESTS_CONTACT_FIXTURE_H

#include "support.h"

#include "collide/candidates.h"
#include "collide/distance.h"
#include "mesh/mesh.h"

#include <stdlib.h>
#include <string.h>

enum { FIXTURE_PARTS = 6 };

typedef struct contact_fixture {
    vo_context *ctx;
    int count;
    vo_mesh *mesh[FIXTURE_PARTS];
    vo_surface_source source[FIXTURE_PARTS];
    vo_surface surface;
} contact_fixture;

static inline void fixture_add(contact_fixture *w, vo_mesh *mesh, bool obstacle, bool rigid) {
    assert_true(w->count < FIXTURE_PARTS);
    w->mesh[w->count] = mesh;
    w->source[w->count++] = (vo_surface_source){mesh, obstacle, rigid};
}

/* Creates a sheet in the plane z = height. */
static inline vo_mesh *make_sheet_mesh(vo_context *ctx, double size, int cells, double height) {
    vo_mesh *mesh = test_grid(ctx, size, size, cells, cells);
    for (int i = 0; i < mesh->node_count; i++) mesh->node_x[i].z += height;
    return mesh;
}

/* Creates a ball of 4 rings (rings - 1) faces. */
static inline vo_mesh *make_ball_mesh(vo_context *ctx, double radius, int rings, vo_vec3 centre) {
    int around = 2 * rings, nodes = around * (rings - 1) + 2, faces = 2 * around * (rings - 1);
    vo_vec3 *x = calloc((size_t)nodes, sizeof *x);
    int(*face)[3] = calloc((size_t)faces, sizeof *face), n = 0, f = 0;
    x[n++] = v3(0, 0, radius);
    for (int i = 1; i < rings; i++)
        for (int j = 0; j < around; j++) {
            double p = VO_PI * i / rings, q = VO_PI * j / rings;
            x[n++] = v3(radius * sin(p) * cos(q), radius * sin(p) * sin(q), radius * cos(p));
        }
    x[n++] = v3(0, 0, -radius);
    for (int j = 0, k = 1; j < around; j++, k = (j + 1) % around) {
        int last = nodes - 1 - around;
        memcpy(face[f++], (int[]){0, 1 + j, 1 + k}, sizeof *face);
        memcpy(face[f++], (int[]){nodes - 1, last + k, last + j}, sizeof *face);
        for (int i = 0; i + 2 < rings; i++) {
            int a = 1 + i * around;
            memcpy(face[f++], (int[]){a + j, a + around + j, a + k}, sizeof *face);
            memcpy(face[f++], (int[]){a + k, a + around + j, a + around + k}, sizeof *face);
        }
    }
    for (int i = 0; i < nodes; i++) x[i] = v3_add(x[i], centre);
    vo_mesh *mesh;
    assert_ok(ctx, vo_mesh_create(ctx, nodes, x, 0, NULL, NULL, f, (const int(*)[3])face,
                                  VO_MESH_FOR_OBSTACLE, &mesh));
    free(x);
    free(face);
    return mesh;
}

static inline void fixture_build(contact_fixture *w) {
    assert_ok(w->ctx, vo_surface_create(w->ctx, w->count, w->source, NULL, &w->surface));
    for (int p = 0; p < w->count; p++) w->surface.part[p].rest = w->mesh[p]->node_x;
    for (int i = 0; i < w->surface.cloth_node_count; i++) w->surface.inverse_mass[i] = 1;
}

static inline void fixture_free(contact_fixture *w) {
    vo_surface_free(&w->surface);
    for (int p = 0; p < w->count; p++) vo_mesh_destroy(w->mesh[p]);
}

/* ---- brute-force references ---- */

/* Returns true if features of two parts can be in contact. */
static inline bool parts_can_collide(const vo_surface *s, int p, int q) {
    return s->part[p].present && s->part[q].present &&
           !(s->part[p].obstacle && s->part[q].obstacle);
}

/* Visitor of a pair; `face` is that of a node-face pair, otherwise -1. */
typedef void pair_visit_fn(void *arg, const vo_feature_pair *pair, int face);

static inline void for_each_node_face(const vo_surface *s, pair_visit_fn *visit, void *arg) {
    for (int n = 0; n < s->node_count; n++)
        for (int f = 0; f < s->face_count; f++) {
            const int *k = s->face[f];
            vo_feature_pair pair = {{n, k[0], k[1], k[2]}, VO_NODE_FACE};
            if (k[0] != n && k[1] != n && k[2] != n &&
                parts_can_collide(s, s->node_part[n], s->face_part[f]))
                visit(arg, &pair, f);
        }
}

/* Visits all feature pairs without a common node in the order of the query results: node-face pairs
 * by node and face, then edge pairs. */
static inline void for_each_pair(const vo_surface *s, pair_visit_fn *visit, void *arg) {
    for_each_node_face(s, visit, arg);
    for (int a = 0; a < s->edge_count; a++)
        for (int b = a + 1; b < s->edge_count; b++) {
            const int *p = s->edge[a], *q = s->edge[b];
            vo_feature_pair pair = {{p[0], p[1], q[0], q[1]}, VO_EDGE_EDGE};
            if (p[0] != q[0] && p[0] != q[1] && p[1] != q[0] && p[1] != q[1] &&
                parts_can_collide(s, s->node_part[p[0]], s->node_part[q[0]]))
                visit(arg, &pair, -1);
        }
}

/* Returns true if the boxes of the two features, swept to x1, are further apart than a distance
 * along an axis: a conservative shortcut for most pairs. */
static inline bool boxes_are_separated(const vo_surface *s, const vo_vec3 *x1,
                                       const vo_feature_pair *p, double distance) {
    int firsts = p->kind == VO_NODE_FACE ? 1 : 2;
    for (int axis = 0; axis < 3; axis++) {
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < 4; i++) {
            double a = (&s->x0[p->node[i]].x)[axis], b = (&x1[p->node[i]].x)[axis];
            int side = i >= firsts;
            low[side] = vo_min(low[side], vo_min(a, b));
            high[side] = vo_max(high[side], vo_max(a, b));
        }
        if (vo_max(low[0] - high[1], low[1] - high[0]) > distance) return true;
    }
    return false;
}

/* Computes the distance at x0 and the direction from the second feature to the first; returns false
 * for edges whose closest points are at ends. */
static inline bool pair_distance(const vo_surface *s, const vo_feature_pair *p, double *distance,
                                 vo_vec3 *direction) {
    vo_vec3 x[4];
    for (int i = 0; i < 4; i++) x[i] = s->x0[p->node[i]];
    vo_edge_pair e = {0};
    vo_vec3 offset;
    if (p->kind == VO_NODE_FACE) {
        offset = vo_distance_vertex_face(x[0], x[1], x[2], x[3]).offset;
    } else {
        e = vo_distance_edge_edge(x[0], x[1], x[2], x[3]);
        offset = e.offset;
    }
    *distance = v3_length(offset);
    *direction = v3_scale(-1 / *distance, offset);
    return p->kind == VO_NODE_FACE || (e.s > 0 && e.s < 1 && e.t > 0 && e.t < 1);
}

static inline double reference_thickness(const vo_surface *s, const int node[4], double thickness) {
    if (s->node_part[node[0]] == s->node_part[node[3]])
        for (int i = 0; i < 4; i++) thickness = fmin(thickness, s->max_self_thickness[node[i]]);
    return thickness;
}

/* A pair of the reference result. */
typedef struct reference_pair {
    vo_feature_pair pair;
    int face;
    double distance;
    vo_vec3 direction;
} reference_pair;

static inline int compare_reference_pairs(const void *x, const void *y) {
    const reference_pair *p = x, *q = y;
    if (p->pair.kind != q->pair.kind) return p->pair.kind < q->pair.kind ? -1 : 1;
    if (p->pair.kind == VO_EDGE_EDGE) return 0; /* already sorted */
    if (p->pair.node[0] != q->pair.node[0]) return p->pair.node[0] < q->pair.node[0] ? -1 : 1;
    if (p->distance != q->distance) return p->distance < q->distance ? -1 : 1;
    return (p->face > q->face) - (p->face < q->face);
}

/* Pairs closer than their thickness. */
typedef struct reference_list {
    const vo_surface *s;
    double thickness;
    reference_pair *item;
    int count, faces, capacity;
} reference_list;

static inline void add_if_near(void *arg, const vo_feature_pair *pair, int face) {
    reference_list *l = arg;
    reference_pair item = {.pair = *pair, .face = face};
    if (boxes_are_separated(l->s, l->s->x0, pair, l->thickness) ||
        !pair_distance(l->s, pair, &item.distance, &item.direction) ||
        item.distance >= reference_thickness(l->s, pair->node, l->thickness))
        return;
    if (l->count == l->capacity)
        l->item = realloc(l->item, (size_t)(l->capacity *= 2) * sizeof *l->item);
    l->item[l->count++] = item;
    l->faces += pair->kind == VO_NODE_FACE;
}

/* Finds all proximities in the order of the query result. Returns their number; the caller frees
 * *out. */
static inline int find_proximities_brute_force(const vo_surface *s, double thickness,
                                               reference_pair **out) {
    reference_list l = {.s = s, .thickness = thickness, .capacity = 1024};
    l.item = malloc((size_t)l.capacity * sizeof *l.item);
    for_each_pair(s, add_if_near, &l);
    qsort(l.item, (size_t)l.faces, sizeof *l.item, compare_reference_pairs);
    int selected = 0;
    for (int i = 0; i < l.count; i++) {
        bool covered = false;
        const int *a = l.item[i].pair.node;
        for (int k = selected - 1; k >= 0 && i < l.faces && l.item[k].pair.node[0] == a[0]; k--)
            covered |= s->node_part[l.item[k].pair.node[1]] == s->node_part[a[1]] &&
                       v3_dot(l.item[k].direction, l.item[i].direction) > 0.5;
        if (!covered) l.item[selected++] = l.item[i];
    }
    *out = l.item;
    return selected;
}

/* Returns true if a pair comes so close in the step that the swept query must return it. */
static inline bool pair_comes_close(const vo_surface *s, const vo_feature_pair *p,
                                    double thickness) {
    double min_distance = thickness * VO_SWEPT_DISTANCE_RATIO, distance;
    vo_vec3 start[4], end[4], direction;
    if (boxes_are_separated(s, s->x1, p, min_distance)) return false;
    for (int i = 0; i < 4; i++) {
        start[i] = s->x0[p->node[i]];
        end[i] = s->x1[p->node[i]];
    }
    pair_distance(s, p, &distance, &direction);
    vo_ccd_def def = vo_ccd_def_default();
    def.thickness = 0.999 * fmin(0.9 * distance, min_distance);
    return p->kind == VO_NODE_FACE ? vo_ccd_vertex_face(&def, start, end, NULL)
                                   : vo_ccd_edge_edge(&def, start, end, NULL);
}

#endif

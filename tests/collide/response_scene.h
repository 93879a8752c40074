/* Scenes for the tests of the collision response, with references that share no code with it:
 * continuous collision detection over every feature pair, and the exact intersection test of every
 * face pair. */
#ifndef VOILE_TESTS_RESPONSE_SCENE_H
#define VOILE_TESTS_RESPONSE_SCENE_H

#include "support.h"

#include "collide/intersect.h"
#include "collide/response.h"
#include "core/memory.h"
#include "mesh/mesh.h"
#include "spatial/aabb.h"

#include <stdlib.h>
#include <string.h>

enum { SCENE_PARTS = 32 };

/* Parts are added, cloths first; then scene_build creates the surface. */
typedef struct scene {
    vo_context *ctx;
    int part_count;
    vo_surface_source source[SCENE_PARTS];
    vo_mesh *mesh[SCENE_PARTS];
    double mass[SCENE_PARTS]; /* kg per node; 0: an obstacle */
    vo_surface surface;
    vo_candidates *candidates;
    vo_response *response;
    vo_response_report report;
} scene;

/* ---- construction --------------------------------------------------------------------------- */

static inline scene scene_open(int threads) { return (scene){.ctx = test_context(threads)}; }

static inline void scene_close(scene *s) {
    vo_response_destroy(s->response);
    vo_candidates_destroy(s->candidates);
    vo_surface_free(&s->surface);
    for (int i = 0; i < s->part_count; i++) vo_mesh_destroy(s->mesh[i]);
    vo_context_destroy(s->ctx);
}

static inline int add_part(scene *s, vo_mesh *mesh, double mass) {
    int i = s->part_count++;
    assert_true(i < SCENE_PARTS);
    s->mesh[i] = mesh;
    s->mass[i] = mass;
    s->source[i] = (vo_surface_source){.mesh = mesh, .obstacle = mass == 0};
    return i;
}

/* Adds a sheet of n x m cells from `corner` along u and v. */
static inline int add_sheet(scene *s, vo_vec3 corner, vo_vec3 u, vo_vec3 v, int n, int m,
                            double mass) {
    vo_mesh *mesh = test_grid(s->ctx, v3_length(u), v3_length(v), n, m);
    for (int i = 0; i < mesh->node_count; i++) {
        vo_vec3 x = v3_add_scaled(corner, (double)(i % (n + 1)) / n, u);
        mesh->node_x[i] = v3_add_scaled(x, (double)(i / (n + 1)) / m, v);
    }
    return add_part(s, mesh, mass);
}

/* Adds one triangle. */
static inline int add_triangle(scene *s, vo_vec3 a, vo_vec3 b, vo_vec3 c, double mass) {
    vo_mesh *mesh;
    vo_vec3 x[3] = {a, b, c};
    vo_vec2 u[3] = {{0, 0}, {1, 0}, {0, 1}};
    int node[3] = {0, 1, 2}, face[1][3] = {{0, 1, 2}};
    assert_ok(s->ctx, vo_mesh_create(s->ctx, 3, x, 3, u, node, 1, (const int(*)[3])face,
                                     VO_MESH_FOR_CLOTH, &mesh));
    return add_part(s, mesh, mass);
}

/* Adds a closed ball of 2 n (n - 1) faces around the z axis. */
static inline int add_ball(scene *s, vo_vec3 centre, double radius, int n, double mass) {
    enum { MAX = 32 };
    vo_vec3 x[MAX * MAX];
    int face[2 * MAX * MAX][3], nodes = 2, faces = 0;
    assert_true(n >= 3 && n <= MAX && mass == 0);
    x[0] = v3_add(centre, v3(0, 0, radius));
    x[1] = v3_sub(centre, v3(0, 0, radius));
    for (int j = 1; j < n; j++)
        for (int i = 0; i < n; i++, nodes++) {
            double a = VO_PI * j / n, b = 2 * VO_PI * i / n;
            vo_vec3 d = v3(sin(a) * cos(b), sin(a) * sin(b), cos(a));
            x[nodes] = v3_add_scaled(centre, radius, d);
            int k = 2 + (j - 1) * n + (i + 1) % n;
            int up = j == 1 ? 0 : k - n, down = j == n - 1 ? 1 : nodes + n;
            memcpy(face[faces++], (int[]){up, nodes, k}, sizeof face[0]);
            memcpy(face[faces++], (int[]){down, k, nodes}, sizeof face[0]);
        }
    vo_mesh *mesh;
    assert_ok(s->ctx, vo_mesh_create(s->ctx, nodes, x, 0, NULL, NULL, faces, (const int(*)[3])face,
                                     VO_MESH_FOR_OBSTACLE, &mesh));
    return add_part(s, mesh, mass);
}

static inline void scene_build(scene *s) {
    vo_surface *f = &s->surface;
    assert_ok(s->ctx, vo_surface_create(s->ctx, s->part_count, s->source, NULL, f));
    for (int i = 0; i < f->cloth_node_count; i++) f->inverse_mass[i] = 1 / s->mass[f->node_part[i]];
    assert_ok(s->ctx, vo_candidates_create(s->ctx, f, 1e-3, NULL, &s->candidates));
    assert_ok(s->ctx, vo_response_create(s->ctx, f, &s->response));
}

/* Sets the end positions of a part. */
static inline void move_by(scene *s, int part, vo_vec3 by) {
    const vo_surface_part *p = &s->surface.part[part];
    for (int i = p->node_begin; i < p->node_end; i++)
        s->surface.x1[i] = v3_add(s->surface.x0[i], by);
}

/* Makes the end positions the start of the next step. */
static inline void next_step(scene *s) {
    memcpy(s->surface.x0, s->surface.x1, (size_t)s->surface.node_count * sizeof(vo_vec3));
}

/* Folds a sheet along x in a zigzag of length `pitch`, with layers `gap` apart. */
static inline void fold(scene *s, int part, double pitch, double gap) {
    const vo_surface_part *p = &s->surface.part[part];
    for (int i = p->node_begin; i < p->node_end; i++) {
        vo_vec3 *x = &s->surface.x0[i];
        double along = x->x / pitch, phase = along - 2 * floor(along / 2);
        double up = phase < 1 ? phase : 2 - phase;
        *x = v3(pitch * up, x->y, x->x * gap / pitch);
        s->surface.x1[i] = *x;
    }
}

/* Moves every cloth node by a random vector. */
static inline void random_motion(scene *s, vo_random *r, double size) {
    for (int i = 0; i < s->surface.cloth_node_count; i++)
        s->surface.x1[i] = v3_add(s->surface.x0[i], test_random_vec3(r, size));
}

static inline vo_response_def scene_def(void) { return (vo_response_def){.thickness = 1e-3}; }

static inline void apply_response(scene *s, const vo_response_def *def) {
    assert_ok(s->ctx, vo_response_apply(s->response, def, &s->surface, s->candidates, &s->report));
}

/* ---- references ----------------------------------------------------------------------------- */

static inline bool shares_node(const int *a, int n, const int *b, int m) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            if (a[i] == b[j]) return true;
    return false;
}

static inline vo_box swept_box(const vo_surface *f, const int *node, int count) {
    vo_box box = box_empty();
    for (int i = 0; i < count; i++) box = box_add(box_add(box, f->x0[node[i]]), f->x1[node[i]]);
    return box;
}

/* Returns true if two features collide in the step, by CCD with default parameters. Pairs of
 * obstacles are excluded. */
static inline bool features_collide(const vo_surface *f, bool edges, const int *a, const int *b) {
    int split = edges ? 2 : 1;
    vo_vec3 start[4], end[4];
    if (a[0] >= f->cloth_node_count && b[0] >= f->cloth_node_count) return false;
    if (shares_node(a, split, b, 4 - split)) return false;
    for (int k = 0; k < 4; k++) {
        int node = k < split ? a[k] : b[k - split];
        start[k] = f->x0[node];
        end[k] = f->x1[node];
    }
    return edges ? vo_ccd_edge_edge(NULL, start, end, NULL)
                 : vo_ccd_vertex_face(NULL, start, end, NULL);
}

static inline int count_collisions(const scene *s) {
    const vo_surface *f = &s->surface;
    int found = 0;
    vo_box *face = malloc((size_t)f->face_count * sizeof *face);
    vo_box *edge = malloc((size_t)f->edge_count * sizeof *edge);
    for (int i = 0; i < f->face_count; i++) face[i] = swept_box(f, f->face[i], 3);
    for (int i = 0; i < f->edge_count; i++) edge[i] = swept_box(f, f->edge[i], 2);
    for (int i = 0; i < f->node_count; i++) {
        vo_box box = swept_box(f, &i, 1);
        for (int k = 0; k < f->face_count; k++)
            if (box_overlaps(box, face[k])) found += features_collide(f, false, &i, f->face[k]);
    }
    for (int i = 0; i < f->edge_count; i++)
        for (int k = 0; k < i; k++)
            if (box_overlaps(edge[i], edge[k]))
                found += features_collide(f, true, f->edge[i], f->edge[k]);
    free(face);
    free(edge);
    return found;
}

/* Counts the face pairs that intersect at positions x, by the exact test, except pairs of
 * obstacles. */
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

#endif

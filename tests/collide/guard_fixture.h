/* Fixture for the edit-guard tests: cloths and obstacles close together, random edits, and a
 * brute-force reference. */
#ifndef VOILE_TESTS_GUARD_FIXTURE_H
#define VOILE_TESTS_GUARD_FIXTURE_H

#include "support.h"

#include "collide/distance.h"
#include "collide/guard/guard.h"
#include "collide/intersect.h"
#include "collide/intersections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIXTURE_CLOTHS = 12, FIXTURE_OBSTACLES = 2 };

typedef struct guard_fixture {
    vo_context *ctx;
    int cloth_count, obstacle_count;
    vo_mesh *mesh[FIXTURE_CLOTHS];
    vo_edit *edit[FIXTURE_CLOTHS];
    vo_mesh *obstacle[FIXTURE_OBSTACLES];
    vo_guard *guard;
    double clearance;
} guard_fixture;

/* Maps a material point, s and t from 0 to 1, to its position. */
typedef vo_vec3 placement_fn(double s, double t, const double *arg);

static inline void fixture_add_sheet(guard_fixture *w, double size, int cells, placement_fn *place,
                                     const double *arg) {
    assert_in_range(w->cloth_count, 0, FIXTURE_CLOTHS - 1);
    vo_mesh *m = test_grid(w->ctx, size, size, cells, cells);
    for (int n = 0; n < m->node_count; n++)
        m->node_x[n] = place(m->node_x[n].x / size, m->node_x[n].y / size, arg);
    vo_edit_def def = vo_edit_def_default();
    def.outline_tolerance = 0.02 * size;
    w->mesh[w->cloth_count] = m;
    assert_ok(w->ctx, vo_edit_create(m, &def, &w->edit[w->cloth_count]));
    w->cloth_count++;
}

static inline void fixture_begin(guard_fixture *w, double clearance) {
    w->clearance = clearance;
    if (!w->guard) assert_ok(w->ctx, vo_guard_create(w->ctx, &w->guard));
    assert_ok(w->ctx,
              vo_guard_begin(w->guard, w->cloth_count, (const vo_edit *const *)w->edit,
                             w->obstacle_count, (const vo_mesh *const *)w->obstacle, clearance));
}

static inline void fixture_free(guard_fixture *w) {
    vo_guard_destroy(w->guard);
    for (int i = 0; i < w->cloth_count; i++) {
        vo_edit_destroy(w->edit[i]);
        vo_mesh_destroy(w->mesh[i]);
    }
    for (int i = 0; i < w->obstacle_count; i++) vo_mesh_destroy(w->obstacle[i]);
    vo_context_destroy(w->ctx);
}

/* ---- scenes --------------------------------------------------------------------------------- */

/* Moves every node by up to `size`. */
static inline void fixture_jitter(guard_fixture *w, vo_random *r, double size) {
    for (int i = 0; i < w->cloth_count; i++)
        for (int n = 0; n < w->mesh[i]->node_count; n++)
            w->mesh[i]->node_x[n] = v3_add(w->mesh[i]->node_x[n], test_random_vec3(r, size));
}

/* arg[2] waves of amplitude arg[1] at height arg[0]. */
static inline vo_vec3 place_waves(double s, double t, const double *arg) {
    double k = 2 * VO_PI * arg[2];
    return v3(s, t, arg[0] + arg[1] * sin(k * s) * cos(k * t));
}

/* Pleats: straight segments of length arg[0], stacked at the distance arg[1] and joined by half
 * circles. */
static inline vo_vec3 place_pleats(double s, double t, const double *arg) {
    double turn = 0.5 * VO_PI * arg[1], period = arg[0] + turn;
    double layer = floor(s / period), along = s - layer * period, x = along, z = 0;
    if (along > arg[0]) {
        double angle = (along - arg[0]) / turn * VO_PI;
        x = arg[0] + 0.5 * arg[1] * sin(angle);
        z = 0.5 * arg[1] * (1 - cos(angle));
    }
    return v3(fmod(layer, 2) > 0 ? arg[0] - x : x, t, z + layer * arg[1]);
}

/* A cap of a sphere of radius arg[0]. */
static inline vo_vec3 place_cap(double s, double t, const double *arg) {
    vo_vec3 d = v3_normalize(v3(2 * s - 1, 2 * t - 1, 0.9));
    return v3_scale(arg[0], d);
}

/* A crumpled sheet with deep, irregular, overhanging folds. */
static inline vo_vec3 place_crumple(double s, double t, const double *arg) {
    double a = arg[0], x = 9 * s + 2 * sin(7 * t), y = 8 * t + 2 * sin(6 * s + 1);
    return v3(s + 0.6 * a * sin(2 * x), t + 0.5 * a * cos(2 * y), a * (sin(x) + cos(y + 0.5 * x)));
}

/* A small square of size arg[3] around a point. */
static inline vo_vec3 place_patch(double s, double t, const double *arg) {
    return v3(arg[0] + (s - 0.5) * arg[3], arg[1] + (t - 0.5) * arg[3], arg[2]);
}

/* Adds large faces with small pieces just above and below, which an edit must not pass through. */
static inline void add_pieces(guard_fixture *w, vo_random *r, double cell) {
    const double waves[3] = {0, 0.4 * cell, 2};
    fixture_add_sheet(w, 1, (int)(1 / cell + 0.5), place_waves, waves);
    while (w->cloth_count < FIXTURE_CLOTHS) {
        double s = vo_random_real(r, 0.2, 0.8), t = vo_random_real(r, 0.2, 0.8);
        double off = vo_random_real(r, 0.12, 0.2) * cell * (w->cloth_count % 2 ? 1 : -1);
        double z = place_waves(s, t, waves).z + off;
        fixture_add_sheet(w, 0.1, 2, place_patch, (double[]){s, t, z, 0.15 * cell});
    }
}

typedef enum fixture_kind {
    CRUMPLED,
    PLEATED,
    STACKED,
    AROUND,
    PIECES,
    FLAT,
    FIXTURE_KINDS
} fixture_kind;
static const char *const FIXTURE_NAME[] = {"crumpled", "pleated", "stacked",
                                           "around",   "pieces",  "flat"};

/* Creates a fixture with `cells` cells along a side of each cloth. Distances between layers are
 * `gap` times the cell size. */
static inline guard_fixture fixture_make(fixture_kind kind, int cells, double gap, uint64_t seed) {
    guard_fixture w = {.ctx = test_context(1)};
    vo_random r = vo_random_seed(seed);
    double cell = 1.0 / cells, h = gap * cell;
    if (kind == CRUMPLED) {
        fixture_add_sheet(&w, 1, cells, place_crumple, (double[]){0.06});
        fixture_jitter(&w, &r, 0.1 * cell);
    } else if (kind == PLEATED) {
        fixture_add_sheet(&w, 1, cells, place_pleats, (double[]){5.3 * cell, h});
        fixture_jitter(&w, &r, 0.4 * h);
    } else if (kind == STACKED) {
        for (int i = 0; i < 4; i++)
            fixture_add_sheet(&w, 1, cells, place_waves, (double[]){i * h, 0.4 * cell, 2});
        fixture_jitter(&w, &r, 0.2 * h);
    } else if (kind == AROUND) {
        vo_shape_def def = vo_shape_def_default(VO_SHAPE_SPHERE);
        def.radius = 0.5;
        def.edge_length = 1.5 * cell;
        assert_ok(w.ctx, vo_mesh_create_shape(w.ctx, &def, &w.obstacle[w.obstacle_count++]));
        for (int i = 0; i < 3; i++) {
            double sagitta = 2.2 * cell * cell;
            fixture_add_sheet(&w, 1, cells, place_cap, (double[]){0.5 + sagitta + (i + 1) * h});
        }
        fixture_jitter(&w, &r, 0.15 * h);
    } else if (kind == PIECES) {
        add_pieces(&w, &r, cell);
    } else {
        fixture_add_sheet(&w, 1, cells, place_waves, (double[]){0, 0.2 * cell, 1});
        fixture_jitter(&w, &r, 0.02 * cell);
    }
    return w;
}

/* ---- all faces ------------------------------------------------------------------------------ */

typedef struct all_faces {
    int node_count, face_count, cloth_face_count;
    vo_vec3 *x;
    int (*face)[3];
    int first_node[FIXTURE_CLOTHS + FIXTURE_OBSTACLES]; /* first node of each mesh */
} all_faces;

static inline void add_mesh(all_faces *a, const vo_mesh *m, int index) {
    a->first_node[index] = a->node_count;
    a->x = realloc(a->x, (size_t)(a->node_count + m->node_count) * sizeof *a->x);
    a->face = realloc(a->face, (size_t)(a->face_count + m->face_count) * sizeof *a->face);
    assert_non_null(a->x);
    assert_non_null(a->face);
    for (int f = 0; f < m->face_count; f++) {
        if (m->face_vert[f][0] < 0) continue;
        for (int k = 0; k < 3; k++)
            a->face[a->face_count][k] = a->node_count + vo_mesh_face_node(m, f, k);
        a->face_count++;
    }
    for (int n = 0; n < m->node_count; n++) a->x[a->node_count + n] = m->node_x[n];
    a->node_count += m->node_count;
}

static inline all_faces gather_all(const guard_fixture *w) {
    all_faces a = {0};
    for (int i = 0; i < w->cloth_count; i++) add_mesh(&a, w->mesh[i], i);
    a.cloth_face_count = a.face_count;
    for (int i = 0; i < w->obstacle_count; i++) add_mesh(&a, w->obstacle[i], w->cloth_count + i);
    return a;
}

static inline void free_all(all_faces *a) {
    free(a->x);
    free(a->face);
}

/* Counts intersecting face pairs, by the exact checker. */
static inline int count_intersections(const guard_fixture *w) {
    all_faces a = gather_all(w);
    vo_face_soup soup = {a.x, (const int(*)[3])a.face, a.face_count, a.cloth_face_count};
    vo_intersections c = {0};
    assert_ok(w->ctx, vo_intersections_find(w->ctx, &c, &soup));
    int count = c.count;
    vo_intersections_free(w->ctx, &c);
    free_all(&a);
    return count;
}

/* ---- edits ---------------------------------------------------------------------------------- */

typedef enum edit_kind { SPLIT, COLLAPSE, FLIP, EDIT_KINDS } edit_kind;

typedef struct edit_request {
    edit_kind kind;
    int cloth, edge, end;
} edit_request;

static inline bool edit_is_possible(const guard_fixture *w, edit_request e) {
    const vo_edit *edit = w->edit[e.cloth];
    return (e.kind == SPLIT      ? vo_edit_can_split(edit, e.edge, 0.5)
            : e.kind == COLLAPSE ? vo_edit_can_collapse(edit, e.edge, e.end)
                                 : vo_edit_can_flip(edit, e.edge)) == VO_EDIT_ALLOWED;
}

/* Returns a random edit that the mesh allows; splits only below `max_faces` faces in total. */
static inline edit_request random_edit(const guard_fixture *w, vo_random *r, int max_faces) {
    int faces = 0;
    for (int i = 0; i < w->cloth_count; i++)
        faces += w->mesh[i]->face_count - w->edit[i]->free_slot_count[VO_REMAP_FACE];
    for (;;) {
        edit_request e = {.cloth = vo_random_int(r, w->cloth_count), .end = vo_random_int(r, 2)};
        int kind = vo_random_int(r, 10);
        e.kind = kind < 3 && faces < max_faces ? SPLIT : kind < 6 ? COLLAPSE : FLIP;
        e.edge = vo_random_int(r, w->mesh[e.cloth]->edge_count);
        if (edit_is_possible(w, e)) return e;
    }
}

static inline bool guard_allows(guard_fixture *w, edit_request e) {
    return e.kind == SPLIT      ? true
           : e.kind == COLLAPSE ? vo_guard_can_collapse(w->guard, e.cloth, e.edge, e.end)
                                : vo_guard_can_flip(w->guard, e.cloth, e.edge);
}

static inline bool has_node(const vo_mesh *m, int face, int node) {
    return m->face_vert[face][0] >= 0 &&
           (vo_mesh_face_node(m, face, 0) == node || vo_mesh_face_node(m, face, 1) == node ||
            vo_mesh_face_node(m, face, 2) == node);
}

static inline vo_result apply_split(guard_fixture *w, edit_request e) {
    vo_edit_pieces p;
    const vo_mesh *m = w->mesh[e.cloth];
    int old[2] = {m->edge_face[e.edge][0], m->edge_face[e.edge][1]};
    if (vo_edit_split(w->edit[e.cloth], e.edge, 0.5, &p) != VO_EDIT_ALLOWED) return VO_NO_MEMORY;
    for (int i = 0; i < 2; i++) {
        if (old[i] >= 0) VO_TRY(vo_guard_update_face(w->guard, e.cloth, old[i]));
        if (p.face[i] >= 0) VO_TRY(vo_guard_update_face(w->guard, e.cloth, p.face[i]));
    }
    return VO_OK;
}

static inline vo_result apply_collapse(guard_fixture *w, edit_request e) {
    const vo_mesh *m = w->mesh[e.cloth];
    int u = m->edge_node[e.edge][e.end], star[64], count = 0;
    for (int f = 0; f < m->face_count; f++)
        if (has_node(m, f, u)) star[count++] = f;
    assert_int_equal(vo_edit_collapse(w->edit[e.cloth], e.edge, e.end), VO_EDIT_ALLOWED);
    for (int i = 0; i < count; i++)
        if (vo_edit_has_face(w->edit[e.cloth], star[i]))
            VO_TRY(vo_guard_update_face(w->guard, e.cloth, star[i]));
        else
            vo_guard_remove_face(w->guard, e.cloth, star[i]);
    return VO_OK;
}

static inline vo_result apply_flip(guard_fixture *w, edit_request e) {
    const vo_mesh *m = w->mesh[e.cloth];
    int face[2] = {m->edge_face[e.edge][0], m->edge_face[e.edge][1]};
    assert_int_equal(vo_edit_flip(w->edit[e.cloth], e.edge), VO_EDIT_ALLOWED);
    VO_TRY(vo_guard_update_face(w->guard, e.cloth, face[0]));
    return vo_guard_update_face(w->guard, e.cloth, face[1]);
}

/* Applies an edit and updates the guard. */
static inline vo_result apply_edit(guard_fixture *w, edit_request e) {
    return e.kind == SPLIT      ? apply_split(w, e)
           : e.kind == COLLAPSE ? apply_collapse(w, e)
                                : apply_flip(w, e);
}

/* ---- reference ------------------------------------------------------------------------------ */

/* Faces of an edit, before and after, and those that move in between: their last corner moves from
 * `from` to `to`. Nodes are those of all_faces. */
typedef struct motion {
    int old_count, new_count, move_count;
    int old_face[64][3], new_face[64][3], move_face[64][2];
    vo_vec3 from, to;
    int to_node; /* node of the corner at the end, -1: none */
} motion;

static inline void set_face(int to[3], int a, int b, int c) {
    to[0] = a;
    to[1] = b;
    to[2] = c;
}

static inline motion move_collapse(const guard_fixture *w, const all_faces *a, edit_request e) {
    const vo_mesh *m = w->mesh[e.cloth];
    int first = a->first_node[e.cloth];
    int u = m->edge_node[e.edge][e.end], v = m->edge_node[e.edge][1 - e.end];
    motion out = {.from = m->node_x[u], .to = m->node_x[v], .to_node = first + v};
    for (int f = 0; f < m->face_count; f++) {
        if (!has_node(m, f, u)) continue;
        int k = 0;
        while (vo_mesh_face_node(m, f, k) != u) k++;
        int p = vo_mesh_face_node(m, f, (k + 1) % 3), q = vo_mesh_face_node(m, f, (k + 2) % 3);
        set_face(out.old_face[out.old_count++], first + u, first + p, first + q);
        if (p == v || q == v) continue;
        set_face(out.new_face[out.new_count++], first + v, first + p, first + q);
        out.move_face[out.move_count][0] = first + p;
        out.move_face[out.move_count++][1] = first + q;
    }
    return out;
}

/* The midpoint of the edge moves to the midpoint of the flipped edge. */
static inline motion move_flip(const guard_fixture *w, const all_faces *all, edit_request e) {
    const vo_mesh *m = w->mesh[e.cloth];
    int first = all->first_node[e.cloth];
    int a = first + m->edge_node[e.edge][0], b = first + m->edge_node[e.edge][1];
    int c = first + m->vert_node[vo_mesh_edge_opposite(m, e.edge, 0)];
    int d = first + m->vert_node[vo_mesh_edge_opposite(m, e.edge, 1)];
    motion out = {.old_count = 2, .new_count = 2, .move_count = 4, .to_node = -1};
    set_face(out.old_face[0], a, b, c);
    set_face(out.old_face[1], b, a, d);
    set_face(out.new_face[0], a, d, c);
    set_face(out.new_face[1], b, c, d);
    const int side[4][2] = {{a, c}, {c, b}, {b, d}, {d, a}};
    memcpy(out.move_face, side, sizeof side);
    out.from = v3_lerp(all->x[a], all->x[b], 0.5);
    out.to = v3_lerp(all->x[c], all->x[d], 0.5);
    return out;
}

static inline bool is_same_face(const int a[3], const int b[3]) {
    int common = 0;
    for (int i = 0; i < 3; i++) common += a[i] == b[0] || a[i] == b[1] || a[i] == b[2];
    return common == 3;
}

static inline bool is_part_of(const motion *m, const int face[3]) {
    for (int i = 0; i < m->old_count; i++)
        if (is_same_face(m->old_face[i], face)) return true;
    return false;
}

static inline bool boxes_are_close(const vo_vec3 *x, const int a[3], const int b[3],
                                   double margin) {
    vo_box p = box_triangle(x[a[0]], x[a[1]], x[a[2]]), q = box_triangle(x[b[0]], x[b[1]], x[b[2]]);
    return box_overlaps(box_grow(p, margin), q);
}

/* Returns true if a face intersects the moving faces at a sampled time. The last node of `a` is
 * reserved for the moving corner. */
static inline bool passes(all_faces *a, const motion *m, const int face[3], int samples) {
    int corner = a->node_count;
    for (int i = 1; i < samples; i++) {
        a->x[corner] = v3_lerp(m->from, m->to, (double)i / samples);
        for (int k = 0; k < m->move_count; k++) {
            int moving[3] = {m->move_face[k][0], m->move_face[k][1], corner};
            if (boxes_are_close(a->x, moving, face, 0) && vo_faces_intersect(a->x, moving, face))
                return true;
        }
    }
    return false;
}

static inline double faces_distance2(const vo_vec3 *x, const int a[3], const int b[3]) {
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        best = vo_min(best, vo_distance_vertex_face(x[a[i]], x[b[0]], x[b[1]], x[b[2]]).squared);
        best = vo_min(best, vo_distance_vertex_face(x[b[i]], x[a[0]], x[a[1]], x[a[2]]).squared);
        for (int j = 0; j < 3; j++)
            best = vo_min(
                best, vo_distance_edge_edge(x[a[i]], x[a[(i + 1) % 3]], x[b[j]], x[b[(j + 1) % 3]])
                          .squared);
    }
    return best;
}

static inline double min_distance_to(const all_faces *a, const int (*face)[3], int count,
                                     const int other[3]) {
    double best = INFINITY;
    for (int i = 0; i < count; i++) best = vo_min(best, faces_distance2(a->x, face[i], other));
    return sqrt(best);
}

static inline bool comes_close(const all_faces *a, const motion *m, const int face[3],
                               double clearance) {
    for (int i = 0; i < m->old_count; i++)
        for (int k = 0; k < 3; k++)
            if (face[k] == m->old_face[i][0] || face[k] == m->old_face[i][1] ||
                face[k] == m->old_face[i][2])
                return false;
    bool is_close = false;
    for (int i = 0; i < m->new_count; i++)
        is_close |= boxes_are_close(a->x, m->new_face[i], face, clearance);
    if (!is_close) return false;
    double now = min_distance_to(a, (const int(*)[3])m->new_face, m->new_count, face);
    if (now >= clearance) return false;
    return now < (1 - 1e-8) * min_distance_to(a, (const int(*)[3])m->old_face, m->old_count, face);
}

typedef enum verdict { FINE, PASSES, INTERSECTS, CLOSE, VERDICTS } verdict;

static inline verdict judge_new(const all_faces *a, const motion *m) {
    for (int i = 0; i < m->new_count; i++)
        for (int j = i + 1; j < m->new_count; j++)
            if (vo_faces_intersect(a->x, m->new_face[i], m->new_face[j])) return INTERSECTS;
    return FINE;
}

static inline verdict judge_face(all_faces *a, const motion *m, const int face[3], double clearance,
                                 int samples) {
    if (is_part_of(m, face)) return FINE;
    for (int i = 0; i < m->new_count; i++)
        if (boxes_are_close(a->x, m->new_face[i], face, 0) &&
            vo_faces_intersect(a->x, m->new_face[i], face))
            return INTERSECTS;
    if (passes(a, m, face, samples)) return PASSES;
    return comes_close(a, m, face, clearance) ? CLOSE : FINE;
}

/* Classifies an edit by testing all faces at many times. */
static inline verdict judge_edit(const guard_fixture *w, edit_request e, int samples) {
    all_faces a = gather_all(w);
    a.x = realloc(a.x, (size_t)(a.node_count + 1) * sizeof *a.x);
    assert_non_null(a.x);
    motion m = e.kind == COLLAPSE ? move_collapse(w, &a, e) : move_flip(w, &a, e);
    verdict v = judge_new(&a, &m);
    for (int f = 0; f < a.face_count && v == FINE; f++)
        v = judge_face(&a, &m, a.face[f], w->clearance, samples);
    free_all(&a);
    return v;
}

#endif

/* Tests of popping_px in the statistics and of the limit view.popping against a brute-force
 * reference. The displacement between the meshes before and after remeshing is largest at a node of
 * either mesh or where an edge of one crosses an edge of the other; the reference evaluates all of
 * these points and tests their visibility against every face. */
#include "support.h"

#include "sim/sim.h"
#include "spatial/rays.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A curtain whose upper corners approach each other and separate again. The image shows only its
 * middle; a board occludes the left half of it. */
static const char scene_text[] =
    "{\"fps\": 25, \"frame_steps\": 4, \"end_frame\": 40, \"gravity\": [0, 0, -9.8],\n"
    "\"cloths\": [{\"grid\": {\"width\": 1, \"height\": 1, \"columns\": 4, \"rows\": 4},\n"
    "  \"transform\": {\"rotate\": [90, 1, 0, 0]},\n"
    "  \"materials\": [{\"thickness\": 4e-4, \"density\": 400, \"elastic_modulus\": 3e5,\n"
    "    \"poisson_ratio\": 0.3, \"damping\": 0.01}],\n"
    "  \"remeshing\": {\"refine_angle\": 0.3, \"refine_compression\": 0.01,\n"
    "    \"size\": [0.05, 0.3]}}],\n"
    "\"motions\": [[{\"time\": 0, \"transform\": {}},\n"
    "    {\"time\": 0.4, \"transform\": {\"translate\": [0.3, 0, 0]}},\n"
    "    {\"time\": 0.8, \"transform\": {\"translate\": [0.05, 0, 0]}}],\n"
    "  [{\"time\": 0, \"transform\": {}},\n"
    "    {\"time\": 0.4, \"transform\": {\"translate\": [-0.3, 0, 0]}},\n"
    "    {\"time\": 0.8, \"transform\": {\"translate\": [-0.05, 0, 0]}}]],\n"
    "\"handles\": [{\"corners\": [3], \"motion\": 0}, {\"corners\": [2], \"motion\": 1}],\n"
    "\"obstacles\": [{\"shape\": {\"type\": \"box\", \"size\": [0.5, 0.02, 2]},\n"
    "  \"transform\": {\"translate\": [0.25, -1.5, 0.5]}}],\n"
    "\"view\": {\"two_sided\": true, \"min_edge_pixels\": 0},\n"
    "\"camera\": {\"resolution\": [1280, 720], \"fov_y\": 12, \"keys\": [\n"
    "  {\"time\": 0, \"position\": [0.5, -3, 0.5], \"target\": [0.5, 0, 0.5]}]}}\n";
enum { FRAMES = 20 };

typedef struct world {
    vo_context *ctx;
    vo_scene *scene;
    vo_sim *sim;
} world;

static world open_world(int override_count, const char *const *overrides, double popping) {
    char path[600];
    snprintf(path, sizeof path, "%s/curtain.json", test_folder());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(scene_text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    world w = {.ctx = test_context(2)};
    assert_ok(w.ctx, vo_scene_load(w.ctx, path, override_count, overrides, &w.scene));
    w.scene->def.view.max_popping = popping;
    assert_ok(w.ctx, vo_sim_create(w.ctx, w.scene, &w.sim));
    return w;
}

static void close_world(world *w) {
    vo_sim_destroy(w->sim);
    vo_scene_destroy(w->scene);
    vo_context_destroy(w->ctx);
}

/* ---- surface in material space --------------------------------------------------------------- */

enum { MAX_ELEMENTS = 20000 };

/* Copy of a mesh with one panel, so that verts are nodes. */
typedef struct surface {
    int nodes, faces, edges;
    vo_vec2 u[MAX_ELEMENTS];
    vo_vec3 x[MAX_ELEMENTS];
    int face[MAX_ELEMENTS][3], edge[MAX_ELEMENTS][2];
} surface;

static void copy_mesh(surface *s, const vo_mesh *m) {
    assert_true(m->vert_count == m->node_count && m->edge_count < MAX_ELEMENTS);
    s->nodes = m->node_count;
    s->faces = m->face_count;
    s->edges = m->edge_count;
    for (int v = 0; v < m->vert_count; v++) {
        s->u[m->vert_node[v]] = m->vert_u[v];
        s->x[m->vert_node[v]] = m->node_x[m->vert_node[v]];
    }
    for (int f = 0; f < m->face_count; f++)
        for (int k = 0; k < 3; k++) s->face[f][k] = vo_mesh_face_node(m, f, k);
    memcpy(s->edge, m->edge_node, sizeof *s->edge * (size_t)m->edge_count);
}

static double twice_area(vo_vec2 a, vo_vec2 b, vo_vec2 c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* Returns the world position of a material point, from the face that contains it up to rounding. */
static vo_vec3 eval_position(const surface *s, vo_vec2 u) {
    double best = -INFINITY;
    vo_vec3 found = {0, 0, 0};
    for (int f = 0; f < s->faces; f++) {
        const int *n = s->face[f];
        double barycentric[3], smallest = INFINITY,
                               all = twice_area(s->u[n[0]], s->u[n[1]], s->u[n[2]]);
        for (int k = 0; k < 3; k++) {
            barycentric[k] = twice_area(u, s->u[n[(k + 1) % 3]], s->u[n[(k + 2) % 3]]) / all;
            smallest = fmin(smallest, barycentric[k]);
        }
        if (!(smallest > best)) continue;
        best = smallest;
        found = v3_scale(barycentric[0], s->x[n[0]]);
        for (int k = 1; k < 3; k++) found = v3_add_scaled(found, barycentric[k], s->x[n[k]]);
    }
    assert_true(best > -1e-6);
    return found;
}

/* ---- visibility ------------------------------------------------------------------------------ */

typedef struct reference_view {
    vo_camera camera;
    const surface *cloth; /* occluder; NULL: no occlusion */
    const vo_mesh *board;
} reference_view;

/* Returns true if a segment intersects a triangle (Moeller and Trumbore 1997). */
static bool crosses(vo_vec3 from, vo_vec3 to, vo_vec3 a, vo_vec3 b, vo_vec3 c) {
    vo_vec3 d = v3_sub(to, from), ab = v3_sub(b, a), ac = v3_sub(c, a), p = v3_cross(d, ac);
    double det = v3_dot(ab, p);
    if (det == 0) return false;
    vo_vec3 t = v3_sub(from, a), q = v3_cross(t, ab);
    double s = v3_dot(t, p) / det, r = v3_dot(d, q) / det, w = v3_dot(ac, q) / det;
    return s >= 0 && r >= 0 && s + r <= 1 && w >= 0 && w <= 1;
}

static bool is_occluded(const reference_view *f, vo_vec3 x) {
    vo_vec3 eye = f->camera.position, to_eye = v3_sub(eye, x);
    x = v3_add_scaled(x, 0.002 / v3_length(to_eye), to_eye);
    for (int i = 0; i < f->cloth->faces; i++) {
        const int *n = f->cloth->face[i];
        if (crosses(x, eye, f->cloth->x[n[0]], f->cloth->x[n[1]], f->cloth->x[n[2]])) return true;
    }
    for (int i = 0; i < f->board->face_count; i++) {
        vo_vec3 p[3];
        for (int k = 0; k < 3; k++) p[k] = f->board->node_x[vo_mesh_face_node(f->board, i, k)];
        if (crosses(x, eye, p[0], p[1], p[2])) return true;
    }
    return false;
}

/* Projects by a pinhole camera; pixels from the upper left corner. Returns false outside the
 * image. */
static bool is_in_image(const vo_camera *c, vo_vec3 x, vo_vec2 *pixel) {
    vo_vec3 d = v3_sub(x, c->position);
    double z = v3_dot(d, c->forward);
    pixel->x = c->width * 0.5 * (1 + v3_dot(d, c->right) / (z * c->tan_x));
    pixel->y = c->height * 0.5 * (1 - v3_dot(d, c->up) / (z * c->tan_y));
    return z > 0 && pixel->x >= 0 && pixel->y >= 0 && pixel->x <= c->width && pixel->y <= c->height;
}

/* Raises the maximum to the displacement in pixels if either end is visible. */
static void update_max_move(const reference_view *f, vo_vec3 from, vo_vec3 to, double *max_move) {
    vo_vec2 a, b;
    bool before = is_in_image(&f->camera, from, &a), after = is_in_image(&f->camera, to, &b);
    double pixels = hypot(b.x - a.x, b.y - a.y);
    if (!(before || after) || !(pixels > *max_move)) return;
    if (f->cloth && !(before && !is_occluded(f, from)) && !(after && !is_occluded(f, to))) return;
    *max_move = pixels;
}

static void update_max_crossing(const reference_view *f, const surface *s, const int e[2],
                                const surface *t, const int g[2], double *max_move) {
    vo_vec2 a = s->u[e[0]], b = s->u[e[1]], c = t->u[g[0]], d = t->u[g[1]];
    double ca = twice_area(c, d, a), cb = twice_area(c, d, b);
    double ac = twice_area(a, b, c), ad = twice_area(a, b, d);
    if (!(ca * cb < 0 && ac * ad < 0)) return;
    update_max_move(f, v3_lerp(s->x[e[0]], s->x[e[1]], ca / (ca - cb)),
                    v3_lerp(t->x[g[0]], t->x[g[1]], ac / (ac - ad)), max_move);
}

static double largest_move(const reference_view *f, const surface *old, const surface *now) {
    double max_move = 0;
    for (int n = 0; n < old->nodes; n++)
        update_max_move(f, old->x[n], eval_position(now, old->u[n]), &max_move);
    for (int n = 0; n < now->nodes; n++)
        update_max_move(f, eval_position(old, now->u[n]), now->x[n], &max_move);
    for (int e = 0; e < old->edges; e++)
        for (int g = 0; g < now->edges; g++)
            update_max_crossing(f, old, old->edge[e], now, now->edge[g], &max_move);
    return max_move;
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Steps a frame without remeshing, then remeshes; copies the mesh before and after. */
static void step_and_remesh(world *w, surface *old, surface *now) {
    w->scene->def.disable |= VO_DISABLE_REMESHING;
    assert_ok(w->ctx, vo_sim_step_frame(w->sim));
    w->scene->def.disable &= ~(unsigned)VO_DISABLE_REMESHING;
    copy_mesh(old, w->sim->cloth[0].mesh);
    assert_ok(w->ctx, vo_sim_remesh_cloths(w->sim));
    copy_mesh(now, w->sim->cloth[0].mesh);
}

/* Scales the image without changing the pixel size. */
static vo_camera resized(vo_camera camera, double scale) {
    camera.tan_x *= scale;
    camera.tan_y *= scale;
    camera.width = (int)(camera.width * scale);
    camera.height = (int)(camera.height * scale);
    return camera;
}

/* Numbers of frames in which the reported value equals the reference, and in which the reference
 * excludes a larger displacement outside the image or occluded. */
typedef struct tally {
    int exact, filtered;
} tally;

/* The reported value never exceeds the reference. It is lower in a few frames: where several edits
 * affect the same region, not every crossing is tracked (remesh.h). */
static void compare_with_reference(const char *adapt, bool occlusion) {
    const char *overrides[2] = {adapt, occlusion ? "view.occlusion=true" : "view.occlusion=false"};
    world w = open_world(2, overrides, INFINITY), combined = open_world(2, overrides, INFINITY);
    surface *old = malloc(sizeof *old), *now = malloc(sizeof *now);
    assert_true(old && now);
    vo_camera camera = vo_scene_eval_camera(w.scene, 0, 0);
    tally t = {0, 0};
    for (int i = 1; i <= FRAMES; i++) {
        step_and_remesh(&w, old, now);
        assert_ok(combined.ctx, vo_sim_step_frame(combined.sim));
        double reported = combined.sim->stats.popping_px;
        assert_near(w.sim->stats.popping_px, reported, 0);
        reference_view f = {camera, occlusion ? old : NULL, w.sim->obstacle[0].mesh};
        reference_view more = {occlusion ? camera : resized(camera, 4), NULL, NULL};
        double max_move = largest_move(&f, old, now);
        assert_true(reported <= max_move * (1 + 1e-6) && reported > 0.3 * max_move);
        t.exact += reported > max_move * (1 - 1e-6);
        t.filtered += largest_move(&more, old, now) > 1.2 * max_move;
    }
    print_message("%s%s: exact in %d of %d frames, larger without visibility in %d\n", adapt,
                  occlusion ? " with occlusion" : "", t.exact, FRAMES, t.filtered);
    free(old);
    free(now);
    close_world(&w);
    close_world(&combined);
    assert_true(t.exact > FRAMES / 2 && t.filtered > 0);
}

static void visible_popping_is_reported(void **state) {
    (void)state;
    compare_with_reference("adapt=full", false);
    compare_with_reference("adapt=view", false);
}

static void occluded_popping_is_not_reported(void **state) {
    (void)state;
    if (!vo_rays_available()) skip();
    compare_with_reference("adapt=view", true);
}

/* All edits of a frame together move no visible point by more than half a pixel, also at the image
 * border in partly visible faces. */
static void popping_stays_within_the_limit(void **state) {
    (void)state;
    double max_move = 0;
    for (int k = 0; k < (vo_rays_available() ? 2 : 1); k++) {
        const char *overrides[2] = {"adapt=view",
                                    k ? "view.occlusion=true" : "view.occlusion=false"};
        world w = open_world(2, overrides, 0.5);
        surface *old = malloc(sizeof *old), *now = malloc(sizeof *now);
        assert_true(old && now);
        vo_camera camera = vo_scene_eval_camera(w.scene, 0, 0);
        int deferred = 0;
        for (int i = 1; i <= FRAMES; i++) {
            step_and_remesh(&w, old, now);
            reference_view f = {camera, k ? old : NULL, w.sim->obstacle[0].mesh};
            max_move = fmax(max_move, largest_move(&f, old, now));
            deferred += w.sim->stats.deferred_edits;
        }
        assert_true(deferred > 0);
        free(old);
        free(now);
        close_world(&w);
    }
    print_message("limit 0.5 pixels, measured %.3g\n", max_move);
    assert_true(max_move > 0.3 && max_move <= 0.5 * (1 + 1e-6));
}

/* Splits of a flat sheet move no point; frames without a change of the sizing field make no
 * edits. */
static void refinement_of_flat_sheet_does_not_pop(void **state) {
    (void)state;
    static const char *const overrides[] = {"adapt=full", "gravity=[0, 0, 0]",
                                            "motions=[[{\"time\": 0}], [{\"time\": 0}]]"};
    world w = open_world(3, overrides, INFINITY);
    vo_sizing *size = &w.sim->cloth[0].sizing;
    int edits = 0, idle = 0;
    for (int i = 1; i <= 6; i++) {
        if (i == 4) size->limits = vo_metric_limits_make(0.05, 0.1, 0.2);
        assert_ok(w.ctx, vo_sim_step_frame(w.sim));
        const vo_stats *s = &w.sim->stats;
        bool none = s->splits + s->flips + s->collapses == 0;
        assert_near(s->popping_px, 0, none ? 0 : 1e-9);
        edits += s->splits;
        idle += none;
    }
    assert_true(edits > 100 && idle >= 3);
    close_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(visible_popping_is_reported),
        cmocka_unit_test(occluded_popping_is_not_reported),
        cmocka_unit_test(popping_stays_within_the_limit),
        cmocka_unit_test(refinement_of_flat_sheet_does_not_pop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

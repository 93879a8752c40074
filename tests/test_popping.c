/* popping_px of the statistics, and the bound view.popping, against a reference: between the meshes
 * before and after remeshing the surface has moved most at a node of one of them or where an edge
 * of one crosses an edge of the other; all of these are tried, and what hides them is found by
 * trying every face. */
#include "support.h"

#include "sim/sim.h"
#include "spatial/rays.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A curtain whose upper corners come together and part again. The picture has its middle only, and
 * a board before the left half of that. */
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
    "\"view\": {\"two_sided\": true, \"pixels\": 0},\n"
    "\"camera\": {\"resolution\": [1280, 720], \"field\": 12, \"keys\": [\n"
    "  {\"time\": 0, \"position\": [0.5, -3, 0.5], \"target\": [0.5, 0, 0.5]}]}}\n";
enum { FRAMES = 20 };

typedef struct world {
    vo_context *ctx;
    vo_scene *scene;
    vo_sim *sim;
} world;

static world open_world(int set_count, const char *const *sets, double popping) {
    char path[600];
    snprintf(path, sizeof path, "%s/curtain.json", test_folder());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(scene_text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    world w = {.ctx = test_context(2)};
    assert_ok(w.ctx, vo_scene_load(w.ctx, path, set_count, sets, &w.scene));
    w.scene->def.view.popping = popping;
    assert_ok(w.ctx, vo_sim_create(w.ctx, w.scene, &w.sim));
    return w;
}

static void close_world(world *w) {
    vo_sim_destroy(w->sim);
    vo_scene_destroy(w->scene);
    vo_context_destroy(w->ctx);
}

/* ---- a surface over the fabric --------------------------------------------------------------- */

enum { MOST = 20000 };

/* One panel, so that verts are nodes. */
typedef struct surface {
    int nodes, faces, edges;
    vo_vec2 u[MOST];
    vo_vec3 x[MOST];
    int face[MOST][3], edge[MOST][2];
} surface;

static void take(surface *s, const vo_mesh *m) {
    assert_true(m->vert_count == m->node_count && m->edge_count < MOST);
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

/* Where a point of the fabric is in the world: in the face that has it, or nearly. */
static vo_vec3 place(const surface *s, vo_vec2 u) {
    double best = -INFINITY;
    vo_vec3 found = {0, 0, 0};
    for (int f = 0; f < s->faces; f++) {
        const int *n = s->face[f];
        double share[3], least = INFINITY, all = twice_area(s->u[n[0]], s->u[n[1]], s->u[n[2]]);
        for (int k = 0; k < 3; k++) {
            share[k] = twice_area(u, s->u[n[(k + 1) % 3]], s->u[n[(k + 2) % 3]]) / all;
            least = fmin(least, share[k]);
        }
        if (!(least > best)) continue;
        best = least;
        found = v3_scale(share[0], s->x[n[0]]);
        for (int k = 1; k < 3; k++) found = v3_add_scaled(found, share[k], s->x[n[k]]);
    }
    assert_true(best > -1e-6);
    return found;
}

/* ---- what is seen ---------------------------------------------------------------------------- */

typedef struct film {
    vo_camera camera;
    const surface *cloth; /* that hides; NULL: nothing does */
    const vo_mesh *board;
} film;

/* Whether a segment passes through a triangle (Moeller and Trumbore 1997). */
static bool crosses(vo_vec3 from, vo_vec3 to, vo_vec3 a, vo_vec3 b, vo_vec3 c) {
    vo_vec3 d = v3_sub(to, from), ab = v3_sub(b, a), ac = v3_sub(c, a), p = v3_cross(d, ac);
    double det = v3_dot(ab, p);
    if (det == 0) return false;
    vo_vec3 t = v3_sub(from, a), q = v3_cross(t, ab);
    double s = v3_dot(t, p) / det, r = v3_dot(d, q) / det, w = v3_dot(ac, q) / det;
    return s >= 0 && r >= 0 && s + r <= 1 && w >= 0 && w <= 1;
}

static bool is_hidden(const film *f, vo_vec3 x) {
    vo_vec3 eye = f->camera.position, way = v3_sub(eye, x);
    x = v3_add_scaled(x, 0.002 / v3_length(way), way);
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

/* A pinhole by hand: pixels from the upper left corner. False: outside. */
static bool is_shown(const vo_camera *c, vo_vec3 x, vo_vec2 *pixel) {
    vo_vec3 d = v3_sub(x, c->position);
    double z = v3_dot(d, c->forward);
    pixel->x = c->width * 0.5 * (1 + v3_dot(d, c->right) / (z * c->tan_x));
    pixel->y = c->height * 0.5 * (1 - v3_dot(d, c->up) / (z * c->tan_y));
    return z > 0 && pixel->x >= 0 && pixel->y >= 0 && pixel->x <= c->width && pixel->y <= c->height;
}

/* The most so far becomes this move, if it is more and seen. */
static void try_move(const film *f, vo_vec3 from, vo_vec3 to, double *most) {
    vo_vec2 a, b;
    bool before = is_shown(&f->camera, from, &a), after = is_shown(&f->camera, to, &b);
    double pixels = hypot(b.x - a.x, b.y - a.y);
    if (!(before || after) || !(pixels > *most)) return;
    if (f->cloth && !(before && !is_hidden(f, from)) && !(after && !is_hidden(f, to))) return;
    *most = pixels;
}

static void try_crossing(const film *f, const surface *s, const int e[2], const surface *t,
                         const int g[2], double *most) {
    vo_vec2 a = s->u[e[0]], b = s->u[e[1]], c = t->u[g[0]], d = t->u[g[1]];
    double ca = twice_area(c, d, a), cb = twice_area(c, d, b);
    double ac = twice_area(a, b, c), ad = twice_area(a, b, d);
    if (!(ca * cb < 0 && ac * ad < 0)) return;
    try_move(f, v3_lerp(s->x[e[0]], s->x[e[1]], ca / (ca - cb)),
             v3_lerp(t->x[g[0]], t->x[g[1]], ac / (ac - ad)), most);
}

static double largest_move(const film *f, const surface *old, const surface *now) {
    double most = 0;
    for (int n = 0; n < old->nodes; n++) try_move(f, old->x[n], place(now, old->u[n]), &most);
    for (int n = 0; n < now->nodes; n++) try_move(f, place(old, now->u[n]), now->x[n], &most);
    for (int e = 0; e < old->edges; e++)
        for (int g = 0; g < now->edges; g++)
            try_crossing(f, old, old->edge[e], now, now->edge[g], &most);
    return most;
}

/* ---- the tests ------------------------------------------------------------------------------- */

/* A frame in two halves, without remeshing and remeshing alone. */
static void step_apart(world *w, surface *old, surface *now) {
    w->scene->def.disable |= VO_DISABLE_REMESHING;
    assert_ok(w->ctx, vo_sim_step_frame(w->sim));
    w->scene->def.disable &= ~(unsigned)VO_DISABLE_REMESHING;
    take(old, w->sim->cloth[0].mesh);
    assert_ok(w->ctx, vo_sim_remesh_run(w->sim));
    take(now, w->sim->cloth[0].mesh);
}

/* The same picture with more around it, or less. */
static vo_camera resized(vo_camera camera, double scale) {
    camera.tan_x *= scale;
    camera.tan_y *= scale;
    camera.width = (int)(camera.width * scale);
    camera.height = (int)(camera.height * scale);
    return camera;
}

/* How often what was told is the reference, and the reference less than it would be if all that is
 * beyond the picture, or hidden, counted, too. */
typedef struct tally {
    int exact, picked;
} tally;

/* It is never more than what the reference finds. It is less in few frames: where edits come after
 * others at the same place, not every crossing is followed (remesh.h). */
static void check(const char *adapt, bool occlusion) {
    const char *sets[2] = {adapt, occlusion ? "view.occlusion=true" : "view.occlusion=false"};
    world w = open_world(2, sets, INFINITY), plain = open_world(2, sets, INFINITY);
    surface *old = malloc(sizeof *old), *now = malloc(sizeof *now);
    assert_true(old && now);
    vo_camera camera = vo_scene_camera_at(w.scene, 0, 0);
    tally t = {0, 0};
    for (int i = 1; i <= FRAMES; i++) {
        step_apart(&w, old, now);
        assert_ok(plain.ctx, vo_sim_step_frame(plain.sim));
        double told = plain.sim->stats.popping_px;
        assert_near(w.sim->stats.popping_px, told, 0);
        film f = {camera, occlusion ? old : NULL, w.sim->obstacle[0].mesh};
        film more = {occlusion ? camera : resized(camera, 4), NULL, NULL};
        double most = largest_move(&f, old, now);
        assert_true(told <= most * (1 + 1e-6) && told > 0.3 * most);
        t.exact += told > most * (1 - 1e-6);
        t.picked += largest_move(&more, old, now) > 1.2 * most;
    }
    print_message("%s%s: exact in %d of %d frames, more than that in %d\n", adapt,
                  occlusion ? " with occlusion" : "", t.exact, FRAMES, t.picked);
    free(old);
    free(now);
    close_world(&w);
    close_world(&plain);
    assert_true(t.exact > FRAMES / 2 && t.picked > 0);
}

static void what_is_in_the_picture_counts(void **state) {
    (void)state;
    check("adapt=full", false);
    check("adapt=view", false);
}

static void what_is_hidden_does_not(void **state) {
    (void)state;
    if (!vo_rays_available()) skip();
    check("adapt=view", true);
}

/* Nothing that is seen moves by more than it may, by all edits of a frame together: half a pixel,
 * also at the border of the picture, in faces that are partly out of it. */
static void what_may_not_pop_does_not(void **state) {
    (void)state;
    double most = 0;
    for (int k = 0; k < (vo_rays_available() ? 2 : 1); k++) {
        const char *sets[2] = {"adapt=view", k ? "view.occlusion=true" : "view.occlusion=false"};
        world w = open_world(2, sets, 0.5);
        surface *old = malloc(sizeof *old), *now = malloc(sizeof *now);
        assert_true(old && now);
        vo_camera camera = vo_scene_camera_at(w.scene, 0, 0);
        int put_off = 0;
        for (int i = 1; i <= FRAMES; i++) {
            step_apart(&w, old, now);
            film f = {camera, k ? old : NULL, w.sim->obstacle[0].mesh};
            most = fmax(most, largest_move(&f, old, now));
            put_off += w.sim->stats.put_off_edits;
        }
        assert_true(put_off > 0);
        free(old);
        free(now);
        close_world(&w);
    }
    print_message("0.5 pixels allowed: %.3g\n", most);
    assert_true(most > 0.3 && most <= 0.5 * (1 + 1e-6));
}

/* A flat sheet is made finer, which moves nothing in the picture, and otherwise left alone. */
static void nothing_pops_where_nothing_moves(void **state) {
    (void)state;
    static const char *const sets[] = {"adapt=full", "gravity=[0, 0, 0]",
                                       "motions=[[{\"time\": 0}], [{\"time\": 0}]]"};
    world w = open_world(3, sets, INFINITY);
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
        cmocka_unit_test(what_is_in_the_picture_counts),
        cmocka_unit_test(what_is_hidden_does_not),
        cmocka_unit_test(what_may_not_pop_does_not),
        cmocka_unit_test(nothing_pops_where_nothing_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

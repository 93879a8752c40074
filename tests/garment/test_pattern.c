#include "support.h"

#include "collide/intersections.h"
#include "core/file.h"
#include "core/random.h"
#include "garment/pattern.h"
#include "mesh/triangulate.h"
#include "mesh/validate.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls `each` for each of the eleven shipped garments. */
static void for_every_garment(void (*each)(vo_context *, const char *)) {
    glob_t found;
    vo_context *ctx = test_context(1);
    assert_int_equal(glob(VOILE_SOURCE_DIR "/assets/garments/*.json", 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 11);
    for (size_t i = 0; i < found.gl_pathc; i++) each(ctx, found.gl_pathv[i]);
    globfree(&found);
    vo_context_destroy(ctx);
}

static vo_pattern *parse(vo_context *ctx, const char *text) {
    vo_pattern *p;
    assert_ok(ctx, vo_pattern_parse(ctx, "p.json", text, strlen(text), &p));
    return p;
}

static void expect_error(vo_context *ctx, const char *text, const char *message) {
    vo_pattern *p;
    assert_int_equal(vo_pattern_parse(ctx, "p.json", text, strlen(text), &p), VO_BAD_DATA);
    assert_null(p);
    assert_string_equal(vo_context_message(ctx), message);
}

static double least_angle(const vo_mesh *m, int *below) {
    double least = 180;
    *below = 0;
    for (int f = 0; f < m->face_count; f++) {
        const int *v = m->face_vert[f];
        double a = vo_triangle_min_angle(m->vert_u[v[0]], m->vert_u[v[1]], m->vert_u[v[2]]);
        least = vo_min(least, a);
        *below += a < 25;
    }
    return least;
}

static void check_areas(const vo_pattern *p, const vo_mesh *m, double tolerance) {
    for (int i = 0; i < p->panel_count; i++) {
        double area = 0, want = vo_pattern_panel_area(&p->panel[i]);
        for (int f = 0; f < m->face_count; f++)
            if (m->vert_patch[m->face_vert[f][0]] == i) {
                area += vo_mesh_face_area(m, f);
                assert_int_equal(m->face_label[f], p->panel[i].fabric);
            }
        if (fabs(area - want) > tolerance * want)
            fail_msg("%s: panel %s has %g of %g m^2", p->file, p->panel[i].name, area, want);
    }
}

/* Both sides of every seam are sampled at the same fractions, and their ends are stitched. */
static void check_stitches(const vo_pattern *p, const vo_garment *g) {
    for (int i = 0; i < g->stitch_count; i++) {
        const vo_stitch *l = &g->stitch[i];
        assert_true(l->node[0] != l->node[1]);
        assert_int_equal(g->node_group[l->node[0]], g->node_group[l->node[1]]);
    }
    for (int s = 0, i = 0; s < p->seam_count; s++) {
        double length[2] = {0, 0};
        int first = i;
        for (; i < g->stitch_count && g->stitch[i].seam == s; i++)
            for (int side = 0; side < 2 && i > first; side++)
                length[side] += v2_length(v2_sub(g->mesh->vert_u[g->stitch[i].node[side]],
                                                 g->mesh->vert_u[g->stitch[i - 1].node[side]]));
        assert_true(i > first);
        bool one_panel = p->seam[s].count[0] == 1 && p->seam[s].count[1] == 1;
        for (int side = 0; side < 2 && one_panel; side++) {
            double want = vo_pattern_side_length(p, &p->seam[s], side);
            assert_true(length[side] <= want * (1 + 1e-9));
        }
    }
}

/* Closing the seams gives a manifold surface of the same area with the expected number of nodes. */
static void check_merge(vo_context *ctx, const vo_garment *g) {
    vo_mesh *m;
    int groups = 0;
    assert_ok(ctx, vo_pattern_merge(g->mesh, g->stitch_count, g->stitch, &m));
    for (int n = 0; n < g->mesh->node_count; n++) groups += g->node_group[n] == n;
    assert_int_equal(m->node_count, groups);
    assert_int_equal(m->vert_count, g->mesh->vert_count);
    assert_int_equal(m->face_count, g->mesh->face_count);
    for (int f = 0; f < m->face_count; f++)
        assert_true(vo_mesh_face_area(m, f) == vo_mesh_face_area(g->mesh, f));
    for (int i = 0; i < g->stitch_count; i++) {
        const int *n = g->stitch[i].node;
        assert_int_equal(m->vert_node[n[0]], m->vert_node[n[1]]);
    }
    vo_mesh_destroy(m);
}

static void check_density(vo_context *ctx, const vo_pattern *p, double edge, double angle,
                          int most_below) {
    vo_panel_mesh_def def = vo_panel_mesh_def_default();
    vo_garment *g;
    int below, seams[4];
    def.edge_length = edge;
    assert_ok(ctx, vo_garment_create(p, &def, &g));
    double least = least_angle(g->mesh, &below);
    if (least < angle || below > most_below)
        fail_msg("%s: smallest angle %g, %d below 25", p->file, least, below);
    if (edge == 0 && (g->mesh->face_count < 100 || g->mesh->face_count > 600))
        fail_msg("%s: %d faces", p->file, g->mesh->face_count);
    check_areas(p, g->mesh, edge == 0 ? 0.04 : 0.4 * edge);
    check_stitches(p, g);
    check_merge(ctx, g);
    assert_int_equal(vo_garment_find_twists(g, p, 4, seams), 0);
    vo_garment_destroy(g);
}

static void check_garment(vo_context *ctx, const char *path) {
    vo_pattern *p;
    assert_ok(ctx, vo_pattern_load(ctx, path, &p));
    assert_ok(ctx, vo_pattern_check(p));
    check_density(ctx, p, 0, 19, 4);
    check_density(ctx, p, 0.06, 25, 0);
    check_density(ctx, p, 0.03, 25, 0);
    vo_pattern_destroy(p);
}

/* Placed panels do not intersect. */
static void check_panels_are_separate(vo_context *ctx, const char *path) {
    vo_pattern *p;
    vo_garment *g;
    vo_panel_mesh_def def = vo_panel_mesh_def_default();
    vo_intersections crossings = {0};
    def.edge_length = 0.05;
    assert_ok(ctx, vo_pattern_load(ctx, path, &p));
    assert_ok(ctx, vo_garment_create(p, &def, &g));
    const vo_mesh *m = g->mesh;
    /* node and vert indices are equal */
    vo_face_soup soup = {m->node_x, (const int(*)[3])m->face_vert, m->face_count, m->face_count};
    assert_ok(ctx, vo_intersections_find(ctx, &crossings, &soup));
    if (crossings.count > 0) {
        const int *pair = crossings.pair[0];
        fail_msg("%s: %d crossings, panels %s and %s", path, crossings.count,
                 p->panel[m->vert_patch[m->face_vert[pair[0]][0]]].name,
                 p->panel[m->vert_patch[m->face_vert[pair[1]][0]]].name);
    }
    vo_intersections_free(ctx, &crossings);
    vo_garment_destroy(g);
    vo_pattern_destroy(p);
}

static void placed_panels_do_not_touch(void **state) {
    (void)state;
    for_every_garment(check_panels_are_separate);
}

static void shipped_garments_become_meshes(void **state) {
    (void)state;
    for_every_garment(check_garment);
}

/* Number of boundary loops of the sewn surface: 2 - chi, for one component without handles. */
static int count_openings(vo_context *ctx, const char *name) {
    char path[512];
    vo_pattern *p;
    vo_garment *g;
    vo_mesh *m;
    vo_panel_mesh_def def = vo_panel_mesh_def_default();
    snprintf(path, sizeof path, "%s/assets/garments/%s.json", VOILE_SOURCE_DIR, name);
    assert_ok(ctx, vo_pattern_load(ctx, path, &p));
    assert_ok(ctx, vo_garment_create(p, &def, &g));
    assert_ok(ctx, vo_pattern_merge(g->mesh, g->stitch_count, g->stitch, &m));
    int openings = 2 - (m->node_count - m->edge_count + m->face_count);
    vo_mesh_destroy(m);
    vo_garment_destroy(g);
    vo_pattern_destroy(p);
    return openings;
}

static void sewn_garments_have_their_openings(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    assert_int_equal(count_openings(ctx, "tshirt"), 4);       /* neck, hem, sleeves */
    assert_int_equal(count_openings(ctx, "dress"), 4);        /* neck, hem, armholes */
    assert_int_equal(count_openings(ctx, "trousers"), 3);     /* waist, legs */
    assert_int_equal(count_openings(ctx, "skirt-pencil"), 2); /* waist, hem */
    assert_int_equal(count_openings(ctx, "skirt-wide"), 2);
    assert_int_equal(count_openings(ctx, "jacket"), 3); /* the whole border, sleeves */
    assert_int_equal(count_openings(ctx, "cape"), 2);   /* neck, and the border below the clasp */
    assert_int_equal(count_openings(ctx, "scarf"), 2);  /* above, and the border with both ends */
    vo_context_destroy(ctx);
}

static void garmentcode_shirt_is_read(void **state) {
    (void)state;
    char path[512];
    if (!test_data()) skip();
    vo_context *ctx = test_context(1);
    vo_pattern *p;
    snprintf(path, sizeof path, "%s/garments/shirt_mean_specification.json", test_data());
    assert_ok(ctx, vo_pattern_load(ctx, path, &p));
    assert_int_equal(p->panel_count, 8);
    assert_int_equal(p->seam_count, 18);
    /* sewn edges have equal lengths */
    for (int s = 0; s < p->seam_count; s++)
        assert_true(vo_pattern_seam_excess(p, &p->seam[s]) < 0.03);
    /* edges of 7 mm at the armholes leave one sharp corner each */
    check_density(ctx, p, 0, 4, 10);
    check_density(ctx, p, 0.03, 10, 10);
    vo_pattern_destroy(p);
    vo_context_destroy(ctx);
}

/* Length and area of a disk of two half arcs and a quarter hole. */
static void curves_have_their_lengths_and_areas(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_pattern *p =
        parse(ctx, "{\"panels\": {\"disk\": {\"outline\": [[1, 0], {\"to\": [-1, 0], "
                   "\"arc\": 1, \"name\": \"up\"}, {\"to\": [1, 0], \"arc\": 1}]},"
                   "\"parabola\": {\"outline\": [[-1, 1], {\"to\": [1, 1], \"name\": \"c\","
                   "\"curve\": [[0, -1]]}]}}}");
    assert_near(vo_pattern_panel_area(&p->panel[0]), VO_PI, 1e-7);
    assert_near(p->panel[0].edge[0].length, VO_PI, 1e-7);
    /* y = x^2: 4/3 between it and y = 1, length sqrt 5 + asinh(2) / 2 */
    assert_near(vo_pattern_panel_area(&p->panel[1]), 4.0 / 3, 1e-12);
    assert_near(p->panel[1].edge[0].length, sqrt(5) + asinh(2) / 2, 1e-6);
    vo_pattern_destroy(p);
    vo_context_destroy(ctx);
}

#define SQUARE                                                                     \
    "\"outline\": [[0, 0], {\"to\": [1, 0], \"name\": \"low\"}, "                  \
    "{\"to\": [1, 1], \"name\": \"right\"}, {\"to\": [0, 1], \"name\": \"top\"}, " \
    "{\"to\": [0, 0], \"name\": \"left\"}]"

static void folds_darts_and_twins_are_unfolded(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_pattern *p =
        parse(ctx, "{\"panels\": {\"a\": {" SQUARE ", \"fold\": \"left\", \"darts\": "
                   "[{\"edge\": \"top\", \"at\": 0.5, \"width\": 0.1, \"depth\": 0.3}]},"
                   "\"b\": {" SQUARE ", \"mirror\": \"c\", \"darts\": [{\"centre\": [0.5, 0.5], "
                   "\"width\": 0.1, \"up\": 0.2, \"down\": 0.3}]}}}");
    assert_int_equal(p->panel_count, 3);
    assert_int_equal(p->seam_count, 4); /* two halves of a dart, the diamond and its twin's */
    assert_near(vo_pattern_panel_area(&p->panel[0]), 2 - 2 * 0.5 * 0.1 * 0.3, 1e-12);
    assert_near(vo_pattern_panel_area(&p->panel[1]), 1 - 0.5 * 0.1 * 0.5, 1e-12);
    assert_near(vo_pattern_panel_area(&p->panel[2]), vo_pattern_panel_area(&p->panel[1]), 1e-12);
    for (int s = 0; s < 4; s++) assert_near(vo_pattern_seam_excess(p, &p->seam[s]), 0, 1e-9);
    vo_pattern_destroy(p);
    vo_context_destroy(ctx);
}

static void wrapping_keeps_lengths_and_turns_out(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const char *place[] = {"{\"around\": \"trunk\", \"radius\": 0.9, \"angle\": 30}",
                           "{\"around\": \"left_arm\", \"slope\": 40, \"anchor\": [0.5, 2]}",
                           "{\"at\": [1, 2, 3], \"turn\": [10, 20, 30]}"};
    for (int i = 0; i < 3; i++) {
        char text[1024];
        vo_panel_mesh_def def = vo_panel_mesh_def_default();
        vo_garment *g;
        snprintf(text, sizeof text, "{\"panels\": {\"a\": {" SQUARE ", \"place\": %s}}}", place[i]);
        vo_pattern *p = parse(ctx, text);
        def.edge_length = 0.02;
        assert_ok(ctx, vo_garment_create(p, &def, &g));
        for (int f = 0; f < g->mesh->face_count; f++) {
            double ratio =
                v3_length(vo_mesh_face_normal(g->mesh, f)) / 2 / vo_mesh_face_area(g->mesh, f);
            assert_near(ratio, 1, 1e-3);
            if (i == 0) {
                vo_vec3 x = g->mesh->node_x[vo_mesh_face_node(g->mesh, f, 0)];
                vo_vec3 n = vo_mesh_face_normal(g->mesh, f);
                assert_true(n.x * x.x + n.y * x.y > 0);
                assert_near(hypot(x.x, x.y), 0.9, 1e-12);
            }
        }
        vo_garment_destroy(g);
        vo_pattern_destroy(p);
    }
    vo_context_destroy(ctx);
}

static void errors_name_file_and_key(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    expect_error(ctx, "{}", "p.json: panels: is missing: the pieces of cloth");
    expect_error(ctx, "[]", "p.json: expected an object with panels and seams");
    expect_error(ctx, "{\"panels\": {}}", "p.json: panels: there is no panel");
    expect_error(ctx, "{\"units\": \"ell\", \"panels\": {}}",
                 "p.json: units: must be m, cm, mm or inch, not \"ell\"");
    expect_error(ctx, "{\"panels\": {\"a\": {\"outline\": [\"x\", \"y\"]}}}",
                 "p.json: panels.a.outline[0]: there is no point \"x\" in the panel's points");
    expect_error(ctx, "{\"panels\": {\"a\": {\"outline\": [[0, 0], [1, 0]]}}}",
                 "p.json: panels.a: an outline encloses no area");
    expect_error(ctx, "{\"panels\": {\"a\": {" SQUARE "}}, \"seams\": [{\"a\": \"b.low\"}]}",
                 "p.json: seams[0].a: there is no panel \"b\"");
    expect_error(ctx, "{\"panels\": {\"a\": {" SQUARE "}}, \"seams\": [{\"a\": \"a.lo\"}]}",
                 "p.json: seams[0].a: panel a has no edge \"lo\"");
    vo_pattern *p;
    const char *near = "{\"panels\": {\"a\": {\"outlines\": []}}}";
    assert_int_equal(vo_pattern_parse(ctx, "p.json", near, strlen(near), &p), VO_BAD_DATA);
    assert_message_contains(ctx, "panels.a");
    assert_message_contains(ctx, "outline");
    vo_context_destroy(ctx);
}

/* Two squares with this seam must be rejected with a message that contains `part`. */
static void check_garment_rejected(vo_context *ctx, const char *seam, const char *part) {
    char text[2048];
    vo_panel_mesh_def def = vo_panel_mesh_def_default();
    vo_garment *g;
    snprintf(text, sizeof text,
             "{\"panels\": {\"a\": {" SQUARE "}, \"b\": {\"outline\": [[0, 0], [2, 0], [2, 1], "
             "{\"to\": [0, 1], \"name\": \"top\"}]}}, \"seams\": [%s]}",
             seam);
    vo_pattern *p = parse(ctx, text);
    assert_int_equal(vo_garment_create(p, &def, &g), VO_BAD_DATA);
    assert_null(g);
    if (!strstr(vo_context_message(ctx), part)) fail_msg("%s", vo_context_message(ctx));
    vo_pattern_destroy(p);
}

static void seams_that_do_not_close_are_named(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    check_garment_rejected(ctx, "{\"name\": \"s\", \"a\": \"a.low\", \"b\": \"b.top\"}",
                           "seam \"s\" does not close: its sides are 100.0 and 200.0 cm");
    check_garment_rejected(ctx,
                           "{\"name\": \"s\", \"a\": \"a.low\", \"b\": \"a.top\", "
                           "\"orientation\": \"same\"}",
                           "seam \"s\" is twisted");
    check_garment_rejected(ctx,
                           "{\"name\": \"s\", \"a\": \"a.low\", \"b\": \"a.top\"}, "
                           "{\"name\": \"t\", \"a\": \"a.right\", \"b\": \"a.top\"}",
                           "edge a.top is in seam \"s\" and again in seam \"t\"");
    check_garment_rejected(ctx,
                           "{\"name\": \"s\", \"a\": [\"a.right\", \"a.low\"], \"b\": \"b.top\"}",
                           "seam \"s\": in a, a.right precedes a.low, but lies behind it");
    check_garment_rejected(ctx,
                           "{\"name\": \"s\", \"a\": \"b.top\", \"b\": [\"a.low\", \"a.right\"]}",
                           "seam \"s\": in b, a.low precedes a.right, but lies behind it");
    vo_context_destroy(ctx);
}

/* Exceeds the limit of a million points. */
static void millions_of_points_are_rejected(void **state) {
    (void)state;
    if (TEST_SLOWNESS > 1) skip();
    vo_context *ctx = test_context(1);
    vo_pattern *p = parse(ctx, "{\"panels\": {\"a\": {" SQUARE "}}}");
    vo_panel_mesh_def def = vo_panel_mesh_def_default();
    vo_garment *g;
    def.edge_length = 8e-4;
    assert_int_equal(vo_garment_create(p, &def, &g), VO_BAD_DATA);
    assert_null(g);
    const char *said = vo_context_message(ctx);
    if (!strstr(said, "panel a: it would have more than 1000000 points; make its edges longer"))
        fail_msg("%s", said);
    vo_pattern_destroy(p);
    vo_context_destroy(ctx);
}

/* A sheet rolled into a tube, so that two of its sides meet in the world. */
static void near_nodes_are_merged(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *m, *tube;
    m = test_grid(ctx, 2 * VO_PI, 1, 12, 2);
    for (int n = 0; n < m->node_count; n++) {
        vo_vec3 x = m->node_x[n];
        m->node_x[n] = v3(cos(x.x), sin(x.x), x.y);
    }
    assert_ok(ctx, vo_pattern_merge_near(m, 1e-6, &tube));
    assert_int_equal(tube->node_count, 12 * 3);
    assert_int_equal(tube->vert_count, 13 * 3);
    assert_int_equal(tube->node_count - tube->edge_count + tube->face_count, 0);
    vo_mesh_destroy(tube);
    assert_int_equal(vo_pattern_merge_near(m, 5, &tube), VO_BAD_DATA);
    vo_stitch wrong = {{0, 999}, 0};
    assert_int_equal(vo_pattern_merge(m, 1, &wrong, &tube), VO_BAD_ARGUMENT);
    vo_mesh_destroy(m);
    vo_context_destroy(ctx);
}

/* Replaces, removes or duplicates some bytes, or changes a number. */
static size_t mutate(vo_random *r, char *text, size_t size, size_t capacity) {
    for (int n = 1 + vo_random_int(r, 3); n > 0 && size > 8; n--) {
        size_t at = (size_t)vo_random_int(r, (int)size - 4);
        switch (vo_random_int(r, 4)) {
        case 0:
            text[at] = "0123456789-.[]{},:\"aem"[vo_random_int(r, 22)];
            break;
        case 1:
            memmove(text + at, text + at + 1, size - at - 1);
            size--;
            break;
        case 2:
            if (size + 1 < capacity) {
                memmove(text + at + 1, text + at, size - at);
                size++;
            }
            break;
        default:
            while (at < size && (text[at] < '0' || text[at] > '9')) at++;
            if (at < size) text[at] = (char)('0' + vo_random_int(r, 10));
        }
    }
    return size;
}

static void try_text(vo_context *ctx, const char *text, size_t size) {
    vo_pattern *p;
    vo_garment *g = NULL;
    vo_panel_mesh_def def = vo_panel_mesh_def_default();
    vo_result result = vo_pattern_parse(ctx, "fuzz.json", text, size, &p);
    def.face_target = 60;
    if (result == VO_OK) result = vo_garment_create(p, &def, &g);
    if (result == VO_OK) check_stitches(p, g);
    assert_true(result == VO_OK || result == VO_BAD_DATA || result == VO_BAD_ARGUMENT);
    if (result != VO_OK) assert_true(strlen(vo_context_message(ctx)) > 10);
    vo_garment_destroy(g);
    vo_pattern_destroy(p);
}

static void fuzz_file(vo_context *ctx, const char *path) {
    vo_bytes file;
    vo_random r = vo_random_seed(strlen(path));
    assert_ok(ctx, vo_file_read(ctx, path, &file));
    char *text = malloc(file.size + 16);
    assert_non_null(text);
    for (int i = 0; i < 60; i++) {
        memcpy(text, file.data, file.size);
        try_text(ctx, text, mutate(&r, text, file.size, file.size + 16));
    }
    for (size_t n = 0; n < file.size; n += 1 + file.size / 40) try_text(ctx, file.data, n);
    free(text);
    vo_bytes_free(ctx, &file);
}

static void broken_files_get_a_message(void **state) {
    (void)state;
    for_every_garment(fuzz_file);
    if (!test_data()) return;
    vo_context *ctx = test_context(1);
    char path[512];
    snprintf(path, sizeof path, "%s/garments/shirt_mean_specification.json", test_data());
    fuzz_file(ctx, path);
    vo_context_destroy(ctx);
}

static vo_result whole_way(vo_context *ctx, void *arg) {
    vo_pattern *p;
    vo_garment *g;
    vo_mesh *m = NULL;
    vo_panel_mesh_def def = vo_panel_mesh_def_default();
    char path[512];
    def.face_target = 40;
    snprintf(path, sizeof path, "%s/p.svg", test_folder());
    VO_TRY(vo_pattern_parse(ctx, "p.json", arg, strlen(arg), &p));
    vo_result result = vo_garment_create(p, &def, &g);
    if (result == VO_OK) result = vo_pattern_merge(g->mesh, g->stitch_count, g->stitch, &m);
    if (result == VO_OK) result = vo_pattern_save_svg(p, path);
    vo_mesh_destroy(m);
    vo_garment_destroy(g);
    vo_pattern_destroy(p);
    return result;
}

static void memory_may_fail_anywhere(void **state) {
    (void)state;
    char text[] = "{\"panels\": {\"a\": {" SQUARE ", \"fold\": \"left\", \"mirror\": \"c\", "
                  "\"lines\": [[[0.3, 0.3], [0.6, 0.6]]], \"darts\": [{\"edge\": \"top\", "
                  "\"width\": 0.1, \"depth\": 0.3}], \"place\": {\"around\": \"left_leg\", "
                  "\"radius\": 1}}}, \"seams\": [{\"a\": \"a.right\", \"b\": \"c.right\"}], "
                  "\"labels\": [{\"name\": \"l\", \"edges\": \"a.low\", \"pinned\": true}]}";
    test_every_allocation_forgiving(whole_way, text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_garments_become_meshes),
        cmocka_unit_test(placed_panels_do_not_touch),
        cmocka_unit_test(sewn_garments_have_their_openings),
        cmocka_unit_test(garmentcode_shirt_is_read),
        cmocka_unit_test(curves_have_their_lengths_and_areas),
        cmocka_unit_test(folds_darts_and_twins_are_unfolded),
        cmocka_unit_test(wrapping_keeps_lengths_and_turns_out),
        cmocka_unit_test(errors_name_file_and_key),
        cmocka_unit_test(seams_that_do_not_close_are_named),
        cmocka_unit_test(millions_of_points_are_rejected),
        cmocka_unit_test(near_nodes_are_merged),
        cmocka_unit_test(broken_files_get_a_message),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

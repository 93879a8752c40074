/* Every kind of defect, inserted in an otherwise valid mesh, is reported once, with its element,
 * line and position. */
#include "support.h"

#include "core/memory.h"
#include "core/random.h"
#include "mesh/data.h"
#include "mesh/validate.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS = 4, ROWS = 3, NODES = (COLUMNS + 1) * (ROWS + 1), FACES = 2 * COLUMNS * ROWS };

/* A flat sheet of unit cells with lines: node n on line 100 + n, vert v on 200 + v, face f on
 * 300 + f. Faces 2 k and 2 k + 1 share the diagonal of cell k. */
static vo_mesh_data sheet(vo_context *ctx) {
    vo_mesh_data d = {.node_count = NODES, .vert_count = NODES, .face_count = FACES};
    assert_true(vo_mesh_data_reserve_nodes(ctx, &d, NODES + 8));
    assert_true(vo_mesh_data_reserve_verts(ctx, &d, NODES + 8));
    assert_true(vo_mesh_data_reserve_faces(ctx, &d, FACES + 8));
    assert_true(vo_mesh_data_reserve_edges(ctx, &d, 8));
    for (int n = 0; n < NODES; n++) {
        d.node_x[n] = v3(n % (COLUMNS + 1), n / (COLUMNS + 1), 0);
        d.vert_u[n] = v2(d.node_x[n].x, d.node_x[n].y);
        d.vert_node[n] = n;
    }
    for (int n = 0; n < NODES + 8; n++) {
        d.node_line[n] = 100 + n;
        d.vert_line[n] = 200 + n;
    }
    for (int f = 0; f < FACES + 8; f++) d.face_line[f] = 300 + f;
    for (int k = 0; k < COLUMNS * ROWS; k++) {
        int a = k / COLUMNS * (COLUMNS + 1) + k % COLUMNS, b = a + 1, c = a + COLUMNS + 1;
        memcpy(d.face_vert[2 * k], (int[3]){a, b, c + 1}, sizeof d.face_vert[0]);
        memcpy(d.face_vert[2 * k + 1], (int[3]){a, c + 1, c}, sizeof d.face_vert[0]);
    }
    return d;
}

typedef struct expected {
    vo_mesh_defect_kind kind;
    vo_mesh_element what;
    int element, other, line;
    vo_vec3 position;
    const char *text; /* part of the message */
} expected;

static bool near(vo_vec3 a, vo_vec3 b) { return v3_distance(a, b) < 1e-12; }

/* Asserts that the report contains exactly these defects, in order. */
static void assert_report(vo_context *ctx, const vo_mesh_data *d, vo_mesh_use use, int count,
                          const expected *want) {
    vo_mesh_report report;
    assert_ok(ctx, vo_mesh_validate(ctx, d, use, &report));
    char text[400];
    for (int i = 0; i < report.count && report.count != count; i++) {
        vo_mesh_defect_text(&report.defect[i], text, sizeof text);
        print_message("found: %s\n", text);
    }
    assert_int_equal(report.count, count);
    for (int i = 0; i < count; i++) {
        const vo_mesh_defect *got = &report.defect[i];
        vo_mesh_defect_text(got, text, sizeof text);
        assert_int_equal(got->kind, want[i].kind);
        assert_int_equal(got->what, want[i].what);
        assert_int_equal(got->element, want[i].element);
        assert_int_equal(got->other, want[i].other);
        assert_int_equal(got->line, want[i].line);
        bool placed = v3_is_finite(want[i].position);
        assert_int_equal(v3_is_finite(got->position), placed);
        if (placed) assert_true(near(got->position, want[i].position));
        if (!strstr(text, want[i].text)) fail_msg("\"%s\" lacks \"%s\"", text, want[i].text);
    }
    vo_mesh_report_free(&report);
}

static const vo_vec3 NOWHERE = {NAN, NAN, NAN};

#define CHECK(change, ...)                                                                  \
    do {                                                                                    \
        vo_context *ctx = test_context(1);                                                  \
        vo_mesh_data d = sheet(ctx);                                                        \
        change;                                                                             \
        const expected want[] = {__VA_ARGS__};                                              \
        assert_report(ctx, &d, VO_MESH_FOR_CLOTH, (int)(sizeof want / sizeof *want), want); \
        vo_mesh_data_free(ctx, &d);                                                         \
        vo_context_destroy(ctx);                                                            \
    } while (0)

static void set_face(vo_mesh_data *d, int f, int a, int b, int c) {
    memcpy(d->face_vert[f], (int[3]){a, b, c}, sizeof d->face_vert[f]);
}

static void valid_mesh_has_no_defect(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh_data d = sheet(ctx);
    assert_report(ctx, &d, VO_MESH_FOR_CLOTH, 0, NULL);
    assert_report(ctx, &d, VO_MESH_FOR_OBSTACLE, 0, NULL);
    vo_mesh_data_free(ctx, &d);
    vo_context_destroy(ctx);
}

static void empty_mesh(void **state) {
    (void)state;
    CHECK((d.face_count = d.node_count = d.vert_count = 0),
          {VO_DEFECT_NO_FACES, VO_ELEMENT_MESH, 0, -1, 0, NOWHERE, "mesh: has no face"});
}

static void coordinates_must_be_finite(void **state) {
    (void)state;
    CHECK(d.node_x[7].y = NAN, {VO_DEFECT_NOT_FINITE, VO_ELEMENT_NODE, 7, -1, 107, NOWHERE,
                                "node 7 (line 107): has a coordinate that is not"});
    CHECK(d.node_v[7].z = INFINITY, {VO_DEFECT_NOT_FINITE,
                                     VO_ELEMENT_NODE,
                                     7,
                                     -1,
                                     107,
                                     {2, 1, 0},
                                     "node 7 (line 107), at (2, 1, 0)"});
    CHECK(d.vert_u[8].x = INFINITY, {VO_DEFECT_NOT_FINITE,
                                     VO_ELEMENT_VERT,
                                     8,
                                     -1,
                                     208,
                                     {3, 1, 0},
                                     "vt 8 (line 208), at (3, 1, 0)"});
    CHECK(d.node_x[7].z = -1e31, {VO_DEFECT_NOT_FINITE,
                                  VO_ELEMENT_NODE,
                                  7,
                                  -1,
                                  107,
                                  {2, 1, -1e31},
                                  "not finite or not below 1e30"});
    CHECK(d.face_damage[3] = NAN,
          {VO_DEFECT_NOT_FINITE, VO_ELEMENT_FACE, 3, -1, 303, {4 / 3., 2 / 3., 0}, "face 3"});
    CHECK((d.edge_count = 1, d.edge_node[0][1] = 1, d.edge_damage[0] = NAN, d.edge_line[0] = 9),
          {VO_DEFECT_NOT_FINITE, VO_ELEMENT_EDGE, 0, 1, 9, {0.5, 0, 0}, "edge 0-1 (line 9)"});
}

static void indices_must_be_in_range(void **state) {
    (void)state;
    CHECK(d.face_vert[5][1] = 99, {VO_DEFECT_BAD_INDEX,
                                   VO_ELEMENT_FACE,
                                   5,
                                   99,
                                   305,
                                   {2, 0.5, 0},
                                   "face 5 (line 305), at (2, 0.5, 0): refers to an element "
                                   "outside the mesh 99"});
    CHECK(d.face_vert[5][1] = -3,
          {VO_DEFECT_BAD_INDEX, VO_ELEMENT_FACE, 5, -3, 305, {2, 0.5, 0}, "-3"});
    CHECK((d.vert_count++, d.vert_node[NODES] = 1000),
          {VO_DEFECT_BAD_INDEX, VO_ELEMENT_VERT, NODES, 1000, 200 + NODES, NOWHERE, "vt 20"});
    CHECK((d.edge_count = 1, d.edge_node[0][1] = 44),
          {VO_DEFECT_BAD_INDEX, VO_ELEMENT_EDGE, 0, 44, 0, NOWHERE, "edge 0-44: refers"});
}

static void repeated_corner_is_reported(void **state) {
    (void)state;
    /* face 0 is a border face: node 1 has other faces */
    CHECK(set_face(&d, 0, 0, 6, 6), {VO_DEFECT_REPEATED_CORNER,
                                     VO_ELEMENT_FACE,
                                     0,
                                     -1,
                                     300,
                                     {2 / 3., 2 / 3., 0},
                                     "face 0 (line 300)"});
    /* two verts of one node are a repeated corner too */
    CHECK((d.vert_count++, d.vert_node[NODES] = 6, d.vert_u[NODES] = v2(9, 9),
           set_face(&d, 0, 0, NODES, 6)),
          {VO_DEFECT_REPEATED_CORNER,
           VO_ELEMENT_FACE,
           0,
           -1,
           300,
           {2 / 3., 2 / 3., 0},
           "uses one node twice"});
}

static void degenerate_faces_are_reported(void **state) {
    (void)state;
    /* corner 0 moved onto the diagonal of its faces' other corners: face 1 is (0, 6, 5) */
    CHECK(d.vert_u[1] = v2(0.5, 0.5), {VO_DEFECT_DEGENERATE_FACE,
                                       VO_ELEMENT_FACE,
                                       0,
                                       -1,
                                       300,
                                       {2 / 3., 1 / 3., 0},
                                       "has no area in material space"});
    CHECK(d.node_x[1] = v3(0.5, 0.5, 0), {VO_DEFECT_COLLAPSED_FACE,
                                          VO_ELEMENT_FACE,
                                          0,
                                          -1,
                                          300,
                                          {0.5, 0.5, 0},
                                          "has no area in the world"});
    /* if the area is lost because a coordinate is too large, that is reported */
    int corner = COLUMNS, f = 2 * COLUMNS - 2;
    CHECK(d.vert_u[corner] = v2(3e12, 3e12), {VO_DEFECT_LARGE_MATERIAL_FACE,
                                              VO_ELEMENT_FACE,
                                              f,
                                              -1,
                                              300 + f,
                                              {COLUMNS - 1 / 3., 1 / 3., 0},
                                              "has a material coordinate above 1e9 m"});
    CHECK(d.node_x[corner] = v3(0, 0, 3e12), {VO_DEFECT_LARGE_FACE,
                                              VO_ELEMENT_FACE,
                                              f,
                                              -1,
                                              300 + f,
                                              {(2 * COLUMNS - 1) / 3., 1 / 3., 1e12},
                                              "has a coordinate above 1e9 m"});
    /* slender but not degenerate: height 1e-6 */
    vo_context *ctx = test_context(1);
    vo_mesh_data d = sheet(ctx);
    d.vert_u[1] = v2(0.5 + 1e-6, 0.5 - 1e-6);
    assert_report(ctx, &d, VO_MESH_FOR_CLOTH, 0, NULL);
    vo_mesh_data_free(ctx, &d);
    vo_context_destroy(ctx);
}

static void degenerate_test_is_scale_invariant(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (int power = -7; power <= 6; power++) {
        vo_mesh_data d = sheet(ctx);
        for (int n = 0; n < NODES; n++) {
            d.vert_u[n] = v2_scale(pow(10, power), d.vert_u[n]);
            d.node_x[n] = v3_scale(pow(10, power), d.node_x[n]);
        }
        assert_report(ctx, &d, VO_MESH_FOR_CLOTH, 0, NULL);
        vo_mesh_data_free(ctx, &d);
    }
    vo_context_destroy(ctx);
}

static void inverted_faces_are_reported(void **state) {
    (void)state;
    CHECK(d.vert_u[1] = v2(0.2, 0.8), {VO_DEFECT_INVERTED_FACE,
                                       VO_ELEMENT_FACE,
                                       0,
                                       -1,
                                       300,
                                       {2 / 3., 1 / 3., 0},
                                       "inverted in material space"});
}

/* Asserts positive faces after building, and unchanged areas. */
static void assert_mirrored(vo_context *ctx, const vo_mesh_data *d) {
    vo_mesh *m;
    assert_ok(ctx, vo_mesh_build(ctx, d, &m));
    for (int f = 0; f < m->face_count; f++) assert_near(vo_mesh_face_area(m, f), 0.5, 1e-15);
    vo_mesh_destroy(m);
}

static void inverted_patches_are_mirrored(void **state) {
    (void)state;
    CHECK(for (int v = 0; v < NODES; v++) d.vert_u[v].x *= -1, {VO_DEFECT_MIRRORED_PATCH,
                                                                VO_ELEMENT_FACE,
                                                                0,
                                                                -1,
                                                                300,
                                                                {2 / 3., 1 / 3., 0},
                                                                "the patch is mirrored"});
    /* the last row as a separate mirrored patch; the others are unchanged */
    vo_context *ctx = test_context(1);
    vo_mesh_data d = sheet(ctx);
    assert_true(vo_mesh_data_enable_curvature(ctx, &d));
    memcpy(d.face_curvature[FACES - 1], (double[4]){1, 2, 3, 4}, 4 * sizeof(double));
    for (int i = 0; i < 2 * (COLUMNS + 1); i++) {
        int v = NODES - 2 * (COLUMNS + 1) + i;
        assert_true(vo_mesh_data_reserve_verts(ctx, &d, d.vert_count + 1));
        d.vert_node[d.vert_count] = v;
        d.vert_u[d.vert_count++] = v2(10 - d.vert_u[v].x, d.vert_u[v].y);
    }
    int moved = NODES - (NODES - 2 * (COLUMNS + 1));
    for (int f = FACES - 2 * COLUMNS; f < FACES; f++)
        for (int i = 0; i < 3; i++) d.face_vert[f][i] += moved;
    vo_mesh_report report;
    assert_ok(ctx, vo_mesh_validate(ctx, &d, VO_MESH_FOR_CLOTH, &report));
    assert_int_equal(report.fatal_count, 0);
    assert_int_equal(report.defect[0].kind, VO_DEFECT_MIRRORED_PATCH);
    assert_int_equal(report.defect[0].element, FACES - 2 * COLUMNS);
    vo_mesh_report_free(&report);
    assert_mirrored(ctx, &d);
    vo_mesh *m;
    assert_ok(ctx, vo_mesh_build(ctx, &d, &m));
    const double want[4] = {1, -2, -3, 4};
    assert_memory_equal(m->face_curvature[FACES - 1], want, sizeof want);
    vo_mesh_destroy(m);
    vo_mesh_data_free(ctx, &d);
    vo_context_destroy(ctx);
}

static void duplicate_faces_are_reported(void **state) {
    (void)state;
    CHECK((d.face_count++, set_face(&d, FACES, 6, 0, 1)),
          {VO_DEFECT_DUPLICATE_FACE,
           VO_ELEMENT_FACE,
           FACES,
           0,
           300 + FACES,
           {2 / 3., 1 / 3., 0},
           "joins the same nodes as face 0; remove one"});
    /* three copies: both duplicates name the first */
    CHECK((d.face_count += 2, set_face(&d, FACES, 6, 0, 1), set_face(&d, FACES + 1, 1, 6, 0)),
          {VO_DEFECT_DUPLICATE_FACE,
           VO_ELEMENT_FACE,
           FACES,
           0,
           300 + FACES,
           {2 / 3., 1 / 3., 0},
           "face 0"},
          {VO_DEFECT_DUPLICATE_FACE,
           VO_ELEMENT_FACE,
           FACES + 1,
           0,
           301 + FACES,
           {2 / 3., 1 / 3., 0},
           "face 0"});
}

static void nonmanifold_edges_are_reported(void **state) {
    (void)state;
    /* a fin on the edge 6-7, which already has two faces */
    CHECK((d.node_count++, d.node_x[NODES] = v3(1.5, 1, 1), d.vert_count++,
           d.vert_node[NODES] = NODES, d.vert_u[NODES] = v2(1.5, 2), d.face_count++,
           set_face(&d, FACES, 6, 7, NODES)),
          {VO_DEFECT_NONMANIFOLD_EDGE,
           VO_ELEMENT_EDGE,
           6,
           7,
           300 + FACES,
           {1.5, 1, 0},
           "edge 6-7 (line 324), at (1.5, 1, 0): has more than two faces; split the edge"});
}

static void inconsistent_orientation_is_reported(void **state) {
    (void)state;
    /* face 0 (0, 1, 6) with reversed orientation; its UVs are mirrored too, so material space is
     * valid */
    CHECK((d.vert_count += 3, d.vert_node[NODES] = 0, d.vert_node[NODES + 1] = 6,
           d.vert_node[NODES + 2] = 1, d.vert_u[NODES] = v2(0, 0), d.vert_u[NODES + 1] = v2(1, 0),
           d.vert_u[NODES + 2] = v2(0, 1), set_face(&d, 0, NODES, NODES + 1, NODES + 2)),
          {VO_DEFECT_ORIENTATION, VO_ELEMENT_EDGE, 0, 6, 301, {0.5, 0.5, 0}, "edge 0-6 (line 301)"},
          {VO_DEFECT_ORIENTATION,
           VO_ELEMENT_EDGE,
           1,
           6,
           303,
           {1, 0.5, 0},
           "of opposite orientation"});
}

static void unused_elements_are_reported(void **state) {
    (void)state;
    CHECK((d.node_count++, d.node_x[NODES] = v3(5, 6, 7)),
          {VO_DEFECT_ISOLATED_NODE,
           VO_ELEMENT_NODE,
           NODES,
           -1,
           100 + NODES,
           {5, 6, 7},
           "node 20 (line 120), at (5, 6, 7): belongs to no face"});
    CHECK((d.vert_count++, d.vert_node[NODES] = -1),
          {VO_DEFECT_UNUSED_VERT, VO_ELEMENT_VERT, NODES, -1, 200 + NODES, NOWHERE,
           "vt 20 (line 220): is used by no face"});
    CHECK((d.edge_count = 1, d.edge_node[0][0] = 7, d.edge_node[0][1] = 0, d.edge_line[0] = 4),
          {VO_DEFECT_STRAY_EDGE,
           VO_ELEMENT_EDGE,
           0,
           7,
           4,
           {1, 0.5, 0},
           "edge 0-7 (line 4), at (1, 0.5, 0): is listed, but belongs to no face"});
}

static void defects_are_reported_independently(void **state) {
    (void)state;
    CHECK(
        (d.vert_u[1] = v2(0.2, 0.8), d.node_v[3].x = NAN, d.face_vert[23][2] = 500, d.face_count++,
         set_face(&d, FACES, 7, 8, 13), d.node_count++, d.node_x[NODES] = v3(1, 1, 1)),
        {VO_DEFECT_NOT_FINITE, VO_ELEMENT_NODE, 3, -1, 103, {3, 0, 0}, "node 3"},
        {VO_DEFECT_BAD_INDEX, VO_ELEMENT_FACE, 23, 500, 323, {3.5, 2.5, 0}, "500"},
        {VO_DEFECT_INVERTED_FACE, VO_ELEMENT_FACE, 0, -1, 300, {2 / 3., 1 / 3., 0}, "face 0"},
        {VO_DEFECT_DUPLICATE_FACE, VO_ELEMENT_FACE, FACES, 12, 324, {8 / 3., 4 / 3., 0}, "face 12"},
        {VO_DEFECT_ISOLATED_NODE, VO_ELEMENT_NODE, NODES, -1, 120, {1, 1, 1}, "node 20"});
}

static void obstacles_are_validated_in_the_world_only(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh_data d = sheet(ctx);
    for (int v = 0; v < NODES; v++) d.vert_u[v] = v2(v == 3 ? NAN : 0, 0);
    d.face_count += 2;
    set_face(&d, FACES, 6, 0, 1);
    set_face(&d, FACES + 1, 6, 7, 19);
    vo_mesh_report report;
    assert_ok(ctx, vo_mesh_validate(ctx, &d, VO_MESH_FOR_OBSTACLE, &report));
    assert_int_equal(report.fatal_count, 0);
    assert_int_equal(report.count, 2); /* warnings: the duplicate and the edge with three faces */
    assert_int_equal(report.defect[0].kind, VO_DEFECT_DUPLICATE_FACE);
    assert_int_equal(report.defect[1].kind, VO_DEFECT_NONMANIFOLD_EDGE);
    vo_mesh_report_free(&report);
    vo_mesh *m;
    assert_ok(ctx, vo_mesh_build_validated(ctx, "test", &d, VO_MESH_FOR_OBSTACLE, &m));
    vo_mesh_destroy(m);
    vo_mesh_data_free(ctx, &d);
    vo_context_destroy(ctx);
}

static void error_contains_first_defect_and_number_of_others(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_vec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {NAN, 1, 0}};
    int face[2][3] = {{0, 1, 2}, {0, 2, 9}};
    vo_mesh *m;
    assert_int_equal(
        vo_mesh_create(ctx, 4, x, 0, NULL, NULL, 2, (const int(*)[3])face, VO_MESH_FOR_CLOTH, &m),
        VO_BAD_DATA);
    assert_null(m);
    assert_string_equal(
        vo_context_message(ctx),
        "mesh: node 3: has a coordinate that is not finite or not below 1e30; export the "
        "mesh again, or remove the element (and 2 other defects)");
    assert_int_equal(
        vo_mesh_create(ctx, -1, x, 0, NULL, NULL, 2, (const int(*)[3])face, VO_MESH_FOR_CLOTH, &m),
        VO_BAD_ARGUMENT);
    assert_int_equal(vo_mesh_create(ctx, 4, x, 4, (vo_vec2[4]){0}, NULL, 2, (const int(*)[3])face,
                                    VO_MESH_FOR_CLOTH, &m),
                     VO_BAD_ARGUMENT);
    assert_int_equal(vo_mesh_create(ctx, 4, NULL, 0, NULL, NULL, 2, (const int(*)[3])face,
                                    VO_MESH_FOR_CLOTH, &m),
                     VO_BAD_ARGUMENT);
    vo_context_destroy(ctx);
}

typedef struct log_lines {
    int count;
    char last[300];
} log_lines;

static void count_line(void *user, vo_log_level level, const char *text) {
    log_lines *lines = user;
    assert_int_equal(level, VO_LOG_WARNING);
    lines->count++;
    snprintf(lines->last, sizeof lines->last, "%s", text);
}

static void at_most_three_warnings_are_logged(void **state) {
    (void)state;
    log_lines lines = {0};
    vo_context_def def = vo_context_def_default();
    def.log = count_line;
    def.log_user = &lines;
    vo_context *ctx;
    assert_int_equal(vo_context_create(&def, &ctx), VO_OK);
    for (int extra = 0; extra <= 5; extra++) {
        vo_mesh_data d = sheet(ctx);
        vo_mesh *m;
        d.node_count += extra;
        lines.count = 0;
        assert_ok(ctx, vo_mesh_build_validated(ctx, "cape.obj", &d, VO_MESH_FOR_CLOTH, &m));
        assert_int_equal(lines.count, extra > 3 ? 4 : extra);
        assert_int_equal(m->node_count, NODES + extra);
        vo_mesh_destroy(m);
        vo_mesh_data_free(ctx, &d);
    }
    assert_string_equal(lines.last, "cape.obj: 2 more warnings are not shown");
    vo_context_destroy(ctx);
}

/* Random indices: the report is sorted and nothing is read out of bounds. */
static void random_indices_are_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_random r = vo_random_seed(7);
    for (int round = 0; round < 2000; round++) {
        vo_mesh_data d = sheet(ctx);
        d.edge_count = 4;
        for (int i = vo_random_int(&r, 30); i >= 0; i--) {
            int value =
                vo_random_int(&r, 40) ? vo_random_int(&r, NODES + 4) - 2 : (int)vo_random_u64(&r);
            int target = vo_random_int(&r, 3);
            if (target == 0) d.face_vert[vo_random_int(&r, FACES)][vo_random_int(&r, 3)] = value;
            if (target == 1) d.vert_node[vo_random_int(&r, NODES)] = value;
            if (target == 2) d.edge_node[vo_random_int(&r, 4)][vo_random_int(&r, 2)] = value;
        }
        for (int use = 0; use < 2; use++) {
            vo_mesh_report report;
            vo_mesh *m;
            assert_ok(ctx, vo_mesh_validate(ctx, &d, (vo_mesh_use)use, &report));
            for (int i = 1; i < report.count; i++) {
                const vo_mesh_defect *a = &report.defect[i - 1], *b = a + 1;
                assert_true(a->kind < b->kind || (a->kind == b->kind && a->what <= b->what));
                if (a->kind == b->kind && a->what == b->what && a->what != VO_ELEMENT_EDGE)
                    assert_true(a->element < b->element);
            }
            vo_result result = vo_mesh_build_validated(ctx, "x", &d, (vo_mesh_use)use, &m);
            assert_int_equal(result, report.fatal_count ? VO_BAD_DATA : VO_OK);
            vo_mesh_destroy(m);
            vo_mesh_report_free(&report);
        }
        vo_mesh_data_free(ctx, &d);
    }
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_mesh_has_no_defect),
        cmocka_unit_test(empty_mesh),
        cmocka_unit_test(coordinates_must_be_finite),
        cmocka_unit_test(indices_must_be_in_range),
        cmocka_unit_test(repeated_corner_is_reported),
        cmocka_unit_test(degenerate_faces_are_reported),
        cmocka_unit_test(degenerate_test_is_scale_invariant),
        cmocka_unit_test(inverted_faces_are_reported),
        cmocka_unit_test(inverted_patches_are_mirrored),
        cmocka_unit_test(duplicate_faces_are_reported),
        cmocka_unit_test(nonmanifold_edges_are_reported),
        cmocka_unit_test(inconsistent_orientation_is_reported),
        cmocka_unit_test(unused_elements_are_reported),
        cmocka_unit_test(defects_are_reported_independently),
        cmocka_unit_test(obstacles_are_validated_in_the_world_only),
        cmocka_unit_test(error_contains_first_defect_and_number_of_others),
        cmocka_unit_test(at_most_three_warnings_are_logged),
        cmocka_unit_test(random_indices_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

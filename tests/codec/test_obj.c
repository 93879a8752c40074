/* OBJ reader and writer: all keywords, exact round trips, and robustness against invalid files. */
#include "support.h"

#include "codec/obj.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/random.h"

#include <stdio.h>
#include <string.h>

static vo_mesh_data parse(vo_context *ctx, const char *text) {
    vo_mesh_data d;
    assert_ok(ctx, vo_obj_parse(ctx, "test.obj", text, strlen(text), &d));
    return d;
}

static void assert_rejected(const char *text, const char *message) {
    vo_context *ctx = test_context(1);
    vo_mesh_data d;
    /* a copy without NUL, so that sanitizers detect overruns */
    char *bytes = test_malloc(strlen(text) + !*text);
    memcpy(bytes, text, strlen(text));
    vo_result result = vo_obj_parse(ctx, "test.obj", bytes, strlen(text), &d);
    test_free(bytes);
    if (result != VO_BAD_DATA) fail_msg("accepted: %s", text);
    assert_string_equal(vo_context_message(ctx), message);
    assert_null(d.node_x);
    vo_context_destroy(ctx);
}

static vo_mesh *load_text(vo_context *ctx, const char *text, vo_mesh_use use) {
    vo_mesh_data d = parse(ctx, text);
    vo_mesh *m;
    assert_ok(ctx, vo_mesh_build_validated(ctx, "test.obj", &d, use, &m));
    vo_mesh_data_free(ctx, &d);
    return m;
}

static const char SEWN[] = "# two triangles, sewn\n"
                           "mtllib a.mtl\n"
                           "vt 0 0\nvl 3\nvt 1 0 0\nvt 0 1\nvt 5 0\nvt 6 0\nvt 5 1\n"
                           "v 0 0 0 1.0\nny 0 0 0.5\nnl 4\n"
                           "v 1 0 0 0.5 0.5 0.5\nnv 1e-3 -2 .5\n"
                           "v 0 1 0\nv 1 1 0.25\n"
                           "e 2 3\nea 0.125\ned 0.25\nel 7\n"
                           "usemtl cotton\ng left\ns off\n"
                           "f 1/1 2/2 3/3\ntl 2\nts 1 2 3 4\ntd 0.75\n"
                           "f 4/4/1 3/5/2 2/6/3\n";

static void all_keywords_of_arcsim_are_read(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *m = load_text(ctx, SEWN, VO_MESH_FOR_CLOTH);
    assert_int_equal(m->node_count, 4);
    assert_int_equal(m->vert_count, 6);
    assert_int_equal(m->face_count, 2);
    assert_int_equal(m->edge_count, 5);
    assert_int_equal(m->vert_label[0], 3);
    assert_int_equal(m->node_label[0], 4);
    assert_true(m->node_y[0].z == 0.5 && m->node_y[1].x == 1);
    assert_true(m->node_v[1].x == 1e-3 && m->node_v[1].y == -2 && m->node_v[1].z == 0.5);
    assert_int_equal(m->face_label[0], 2);
    assert_true(m->face_damage[0] == 0.75 && m->face_damage[1] == 0);
    assert_true(m->face_curvature[0][1] == 2 && m->face_curvature[0][2] == 3 &&
                m->face_curvature[1][0] == 0);
    int seam = m->face_edge[0][1]; /* nodes 1 and 2 */
    assert_int_equal(m->edge_face[seam][1], 1);
    assert_true(m->edge_rest_angle[seam] == -0.125 && m->edge_damage[seam] == 0.25);
    assert_int_equal(m->edge_label[seam], 7);
    int left[2], right[2];
    vo_mesh_edge_verts(m, seam, 0, left);
    vo_mesh_edge_verts(m, seam, 1, right);
    assert_true(left[0] == 1 && left[1] == 2 && right[0] == 5 && right[1] == 4);
    vo_mesh_destroy(m);
    vo_context_destroy(ctx);
}

static void keywords_of_arcsim_3_are_read(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *m = load_text(ctx,
                           "ms 0 0 0\nms 1 0 0\nms 0 1 0\nv 0 0 0\nv 1 0 0\nv 0 1 0\n"
                           "e 1 2\nep 5\nf 1/1 2/2 3/3\ntm 6\n"
                           "tp 1 2 0 3 4 0 0 0 0\nts 1 0 0 0 1 0 0 0 1\n",
                           VO_MESH_FOR_CLOTH);
    assert_true(m->vert_u[1].x == 1 && m->vert_u[2].y == 1);
    assert_int_equal(m->edge_label[0], 5);
    assert_int_equal(m->face_label[0], 6);
    const double want[4] = {1, 2, 3, 4};
    assert_memory_equal(m->face_curvature[0], want, sizeof want);
    vo_mesh_destroy(m);
    vo_context_destroy(ctx);
}

/* Equivalent notations of one triangle. */
static void equivalent_notations_give_the_same_mesh(void **state) {
    (void)state;
    static const char *const spellings[] = {
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
        "v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3\r\n",
        "\xef\xbb\xbfv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3",
        "  v\t0   0 0  \n\n\n\tv 1 0 0 # one\nv 0 1 0\nf\t1 2\t3 # all",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1//5 2//6 3//7",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/ 2/ 3//",
        "v 0 \\\n0 0\nv 1 0 \\\r\n 0\nv 0 1 0\nf 1 \\\n2 \\\n3\n",
        "# a comment ends with its line \\\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
        "o thing \\\nv 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 3\n",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 1 2 3 3 1\n",
        "vt 0 0\nvt 1 0\nvt 0 1\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/1/1 2/2/1 3/3/1\n",
        "v 0 0 0\nvt 0 0\nv 1 0 0\nvt 1 0\nv 0 1 0\nvt 0 1\nf -3/-3 -2/-2 -1/-1\n",
        "v +0.0 -0 0e5\nv 10e-1 0 0\nv 0 0.01E2 0\nf 1 2 3\n",
    };
    vo_context *ctx = test_context(1);
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        vo_mesh *m = load_text(ctx, spellings[i], VO_MESH_FOR_CLOTH);
        assert_int_equal(m->node_count, 3);
        assert_int_equal(m->vert_count, 3);
        assert_int_equal(m->face_count, 1);
        for (int n = 0; n < 3; n++) {
            assert_true(m->node_x[n].x == (n == 1) && m->node_x[n].y == (n == 2));
            assert_true(m->vert_u[n].x == (n == 1) && m->vert_u[n].y == (n == 2));
            assert_int_equal(m->face_vert[0][n], n);
        }
        vo_mesh_destroy(m);
    }
    vo_context_destroy(ctx);
}

static void syntax_error_names_line(void **state) {
    (void)state;
    assert_rejected("v 0 0 0\nv 1 x 0\n", "test.obj: line 2: expected a number, found \"x\"");
    assert_rejected("v 0 0", "test.obj: line 1: expected a number, found the end of the line");
    assert_rejected("v 0 0 nan\n", "test.obj: line 1: expected a number, found \"nan\"");
    assert_rejected("v 0 inf 0\n", "test.obj: line 1: expected a number, found \"inf\"");
    assert_rejected("v 0 1e999 0\n",
                    "test.obj: line 1: expected a number below 1.8e308, found \"1e999\"");
    assert_rejected("v 0,5 1 2\n", "test.obj: line 1: expected a number, found \"0,5\"");
    assert_rejected("v 1 2 \x01\xff\n", "test.obj: line 1: expected a number, found \"??\"");
    assert_rejected("v 0 0 0\nf 1 2 3\n",
                    "test.obj: line 2: v 2 does not exist: there is 1 v line before this line");
    assert_rejected("v 0 0 0\nf -2 1 1\n",
                    "test.obj: line 2: v -2 does not exist: there is 1 v line before this line");
    assert_rejected("v 0 0 0\nf 1/1 1/1 1/1\n",
                    "test.obj: line 2: vt 1 does not exist: there are 0 vt lines before this line");
    assert_rejected("v 0 0 0\nf 0 1 1\n",
                    "test.obj: line 2: index 0 is invalid; OBJ indices start at 1");
    assert_rejected("v 0 0 0\nf 1 1\n",
                    "test.obj: line 2: a face needs at least three corners, this one has 2");
    assert_rejected("v 0 0 0\nf 1 1 \\\n x\n", "test.obj: line 3: expected an index, found \"x\"");
    assert_rejected("v 0 0 0\nf 1 1 99999999999\n",
                    "test.obj: line 2: expected an index, found \"99999999999\"");
    assert_rejected("v 0 0 0\nf 1 1 1.5\n",
                    "test.obj: line 2: expected v, v/vt, v//vn or v/vt/vn, found \"1.5\"");
    assert_rejected("v 0 0 0\nf 1/ 1//x 1\n",
                    "test.obj: line 2: expected v, v/vt, v//vn or v/vt/vn, found \"1//x\"");
    assert_rejected("\n\nnl 3\n",
                    "test.obj: line 3: the line describes the last v line, but none precedes it");
    assert_rejected("vl 3\n",
                    "test.obj: line 1: the line describes the last vt line, but none precedes it");
    assert_rejected("ea 3\n",
                    "test.obj: line 1: the line describes the last e line, but none precedes it");
    assert_rejected("tl 3\n",
                    "test.obj: line 1: the line describes the last f line, but none precedes it");
    assert_rejected("v 0 0 0\nnl 1.5\n",
                    "test.obj: line 2: expected a whole number, found \"1.5\"");
    assert_rejected("v 0 0 0\nnl 3000000000\n",
                    "test.obj: line 2: expected a whole number, found \"3000000000\"");
    assert_rejected("v 0 0 0\ne 1 2\n",
                    "test.obj: line 2: v 2 does not exist: there is 1 v line before this line");
}

/* Messages contain file, line, element, position and remedy. */
static void defects_name_file_and_line(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    char path[600], want[900];
    snprintf(path, sizeof path, "%s/bad.obj", test_folder());
    const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 3 4\n";
    assert_ok(ctx, vo_file_write(ctx, path, text, sizeof text - 1));
    vo_mesh *m;
    assert_int_equal(vo_mesh_load_obj(ctx, path, VO_MESH_FOR_CLOTH, &m), VO_BAD_DATA);
    snprintf(want, sizeof want,
             "%s: face 1 (line 6), at (0.666667, 0.666667, 0): is inverted in material space, "
             "unlike its neighbours; unfold the UVs there, or unwrap the mesh if it has no UVs "
             "(and 1 other defect)",
             path);
    assert_string_equal(vo_context_message(ctx), want);
    assert_null(m);
    assert_ok(ctx, vo_file_write(ctx, path, "", 0));
    assert_int_equal(vo_mesh_load_obj(ctx, path, VO_MESH_FOR_CLOTH, &m), VO_BAD_DATA);
    assert_message_contains(ctx, "bad.obj: mesh: has no face");
    snprintf(path, sizeof path, "%s/missing.obj", test_folder());
    assert_int_equal(vo_mesh_load_obj(ctx, path, VO_MESH_FOR_CLOTH, &m), VO_IO_FAILED);
    assert_message_contains(ctx, "missing.obj");
    vo_context_destroy(ctx);
}

typedef struct log_lines {
    int count;
    char text[4][300];
} log_lines;

static void keep_line(void *user, vo_log_level level, const char *text) {
    log_lines *lines = user;
    assert_int_equal(level, VO_LOG_WARNING);
    snprintf(lines->text[lines->count++ % 4], sizeof lines->text[0], "%s", text);
}

static void unknown_keywords_are_warned_about_once(void **state) {
    (void)state;
    log_lines lines = {0};
    vo_context_def def = vo_context_def_default();
    def.log = keep_line;
    def.log_user = &lines;
    vo_context *ctx;
    assert_int_equal(vo_context_create(&def, &ctx), VO_OK);
    vo_mesh_data d =
        parse(ctx, "v 0 0 0\ncurv2 1 2 3\ng a\nvn 0 0 1\nvp 1\nl 1\np 1\no b\ncurv2 5\n"
                   "waytoolongforakeyword 3\nvv 0 0 0\ns 1\nusemtl x\nmtllib y\n");
    vo_mesh_data_free(ctx, &d);
    assert_int_equal(lines.count, 1);
    assert_string_equal(
        lines.text[0],
        "test.obj: line 2: unknown keyword \"curv2\" ignored (3 lines of this kind in the file)");
    vo_context_destroy(ctx);
}

/* Modelling tools map mirrored halves to the same vt; each node gets its own vert. */
static void vt_of_several_nodes_is_duplicated(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *m = load_text(ctx,
                           "vt 0 0\nvt 1 0\nvt 0 1\n"
                           "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 9\nv 1 0 9\nv 0 1 9\n"
                           "f 1/1 2/2 3/3\nf 4/1 5/2 6/3\n",
                           VO_MESH_FOR_CLOTH);
    assert_int_equal(m->vert_count, 6);
    for (int i = 0; i < 3; i++) {
        int a = m->face_vert[0][i], b = m->face_vert[1][i];
        assert_true(a == i && b == 3 + i);
        assert_int_equal(m->vert_node[b], 3 + i);
        assert_memory_equal(&m->vert_u[a], &m->vert_u[b], sizeof m->vert_u[a]);
    }
    vo_mesh_destroy(m);
    /* one dummy vt for all corners, as some exporters write: valid for obstacles, in linear time */
    enum { N = 60000 };
    char *text = test_malloc(64 * (size_t)N);
    size_t used = (size_t)sprintf(text, "vt 0 0\n");
    for (int i = 0; i < N; i++)
        used += (size_t)sprintf(text + used, "v %d %d 0\n", i, i % 7 * i % 11);
    for (int i = 0; i + 2 < N; i++)
        used += (size_t)sprintf(text + used, "f %d/1 %d/1 %d/1\n", i + 1, i + 2, i + 3);
    double start = test_seconds();
    m = load_text(ctx, text, VO_MESH_FOR_OBSTACLE);
    assert_true(test_seconds() - start < 2 * TEST_SLOWNESS);
    assert_int_equal(m->vert_count, N);
    vo_mesh_destroy(m);
    test_free(text);
    vo_context_destroy(ctx);
}

static void polygons_are_triangulated(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    /* a quad with the right diagonal, a concave pentagon, labels of all triangles */
    vo_mesh *m = load_text(ctx,
                           "v 0 0 0\nv 1 -3 0\nv 2 0 0\nv 1 3 0\n"
                           "v 10 0 0\nv 14 0 0\nv 14 4 0\nv 12 1 0\nv 10 4 0\n"
                           "f 1 2 3 4\ntl 3\nf 5 6 7 8 9\nfl 4\nts 1 0 0 1\n",
                           VO_MESH_FOR_CLOTH);
    assert_int_equal(m->face_count, 5);
    bool diagonal = false;
    double area = 0;
    for (int e = 0; e < m->edge_count; e++)
        diagonal |= vo_min_int(m->edge_node[e][0], m->edge_node[e][1]) == 0 &&
                    vo_max_int(m->edge_node[e][0], m->edge_node[e][1]) == 2;
    assert_true(diagonal);
    for (int f = 0; f < 5; f++) {
        area += vo_mesh_face_area(m, f);
        assert_int_equal(m->face_label[f], f < 2 ? 3 : 4);
        assert_true(m->face_curvature[f][0] == (f >= 2));
    }
    assert_near(area, 6 + 10, 1e-12);
    vo_mesh_destroy(m);
    vo_context_destroy(ctx);
}

static void assert_same_array(const void *a, const void *b, int count, size_t size) {
    assert_int_equal(a != NULL, b != NULL);
    if (a) assert_memory_equal(a, b, (size_t)count * size);
}

#define SAME(field, count) assert_same_array(a->field, b->field, a->count##_count, sizeof *a->field)

static void assert_same_mesh(const vo_mesh *a, const vo_mesh *b) {
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->vert_count, b->vert_count);
    assert_int_equal(a->edge_count, b->edge_count);
    assert_int_equal(a->face_count, b->face_count);
    SAME(node_x, node);
    SAME(node_v, node);
    SAME(node_y, node);
    SAME(node_label, node);
    SAME(vert_u, vert);
    SAME(vert_node, vert);
    SAME(vert_label, vert);
    SAME(edge_node, edge);
    SAME(edge_face, edge);
    SAME(edge_rest_angle, edge);
    SAME(edge_label, edge);
    SAME(edge_damage, edge);
    SAME(face_vert, face);
    SAME(face_edge, face);
    SAME(face_label, face);
    SAME(face_damage, face);
    SAME(face_curvature, face);
}

/* Sets all attributes to numbers of any magnitude. */
static void decorate(vo_mesh *m, vo_random *r) {
    for (int n = 0; n < m->node_count; n++) {
        m->node_x[n] = v3_add(m->node_x[n], v3(0, 0, pow(10, vo_random_real(r, -20, 3))));
        if (vo_random_int(r, 2)) m->node_v[n] = v3(vo_random_real(r, -1, 1), 0, -1e-9 / (n + 1));
        m->node_label[n] = vo_random_int(r, 3) - 1;
        m->node_y[n] = vo_random_int(r, 2) ? m->node_x[n] : v3(n, 0.1, 1e-7);
    }
    for (int v = 0; v < m->vert_count; v++) m->vert_label[v] = vo_random_int(r, 2);
    for (int e = 0; e < m->edge_count; e++) {
        if (vo_random_int(r, 3) == 0) m->edge_rest_angle[e] = vo_random_real(r, -3, 3);
        if (vo_random_int(r, 3) == 0) m->edge_label[e] = e;
        if (vo_random_int(r, 3) == 0) m->edge_damage[e] = vo_random_real(r, 0, 1);
    }
    for (int f = 0; f < m->face_count; f++) {
        m->face_label[f] = vo_random_int(r, 4);
        m->face_damage[f] = vo_random_int(r, 2) ? vo_random_real(r, 0, 1) : 0;
        for (int i = 0; i < 4; i++) m->face_curvature[f][i] = f % 2 ? vo_random_real(r, -9, 9) : 0;
    }
}

static void saved_mesh_is_loaded_unchanged(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    char path[600];
    snprintf(path, sizeof path, "%s/cloth.obj", test_folder());
    for (uint64_t seed = 0; seed < 20; seed++) {
        vo_random r = vo_random_seed(seed);
        vo_mesh *m, *back;
        m = test_grid(ctx, vo_random_real(&r, 0.1, 3), 1.0 / 3, 7, 9);
        assert_ok(ctx, vo_mesh_add_optional_arrays(m, true, true));
        decorate(m, &r);
        assert_ok(ctx, vo_mesh_save_obj(ctx, m, path));
        assert_ok(ctx, vo_mesh_load_obj(ctx, path, VO_MESH_FOR_CLOTH, &back));
        assert_same_mesh(m, back);
        vo_mesh_destroy(m);
        vo_mesh_destroy(back);
    }
    vo_mesh *m = load_text(ctx, SEWN, VO_MESH_FOR_CLOTH), *back;
    assert_ok(ctx, vo_obj_save(ctx, m, path));
    assert_ok(ctx, vo_obj_load(ctx, path, VO_MESH_FOR_CLOTH, &back));
    assert_same_mesh(m, back);
    vo_mesh_destroy(back);
    snprintf(path, sizeof path, "%s/no/such/folder.obj", test_folder());
    assert_int_equal(vo_obj_save(ctx, m, path), VO_IO_FAILED);
    vo_mesh_destroy(m);
    vo_context_destroy(ctx);
}

/* Order and keywords are those of ARCSim. */
static void saved_text_has_order_of_arcsim(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    char path[600];
    snprintf(path, sizeof path, "%s/cloth.obj", test_folder());
    vo_mesh *m = load_text(ctx, SEWN, VO_MESH_FOR_CLOTH);
    assert_ok(ctx, vo_obj_save(ctx, m, path));
    vo_bytes bytes;
    assert_ok(ctx, vo_file_read(ctx, path, &bytes));
    assert_string_equal(bytes.data, "vt 0 0\nvl 3\nvt 1 0\nvt 0 1\nvt 5 0\nvt 6 0\nvt 5 1\n"
                                    "v 0 0 0\nny 0 0 0.5\nnl 4\nv 1 0 0\nnv 0.001 -2 0.5\n"
                                    "v 0 1 0\nv 1 1 0.25\n"
                                    "e 2 3\nea 0.125\ned 0.25\nel 7\n"
                                    "f 1/1 2/2 3/3\ntl 2\nts 1 2 3 4\ntd 0.75\nf 4/4 3/5 2/6\n");
    vo_bytes_free(ctx, &bytes);
    vo_mesh_destroy(m);
    vo_context_destroy(ctx);
}

/* Parsing must give a mesh or a message. The text is copied to its exact size, so that sanitizers
 * detect overruns. */
static int try_bytes(vo_context *ctx, const char *text, size_t size) {
    char *bytes = test_malloc(size + !size);
    memcpy(bytes, text, size);
    vo_mesh_data d;
    vo_result result = vo_obj_parse(ctx, "mutant.obj", bytes, size, &d);
    test_free(bytes);
    if (result == VO_OK) {
        for (int use = 0; use < 2; use++) {
            vo_mesh *m;
            result = vo_mesh_build_validated(ctx, "mutant.obj", &d, (vo_mesh_use)use, &m);
            assert_int_equal(result == VO_OK, m != NULL);
            vo_mesh_destroy(m);
        }
        vo_mesh_data_free(ctx, &d);
    }
    assert_true(result == VO_OK || result == VO_BAD_DATA);
    if (result != VO_OK) assert_true(strncmp(vo_context_message(ctx), "mutant.obj: ", 12) == 0);
    return result == VO_OK;
}

static void truncated_file_gives_mesh_or_message(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    int accepted = 0;
    for (size_t size = 0; size < sizeof SEWN; size++) accepted += try_bytes(ctx, SEWN, size);
    assert_in_range(accepted, 2, 60);
    vo_context_destroy(ctx);
}

static size_t mutate(vo_random *r, char *text, size_t size) {
    static const char spice[] = "0123456789-+.eE/\\#\n\r\t vtflnyasd\0\xff";
    for (int i = 1 + vo_random_int(r, 6); i > 0; i--) {
        size_t at = (size_t)vo_random_int(r, (int)size);
        size_t length = (size_t)vo_random_int(r, 12);
        if (at + length > size) length = size - at;
        switch (vo_random_int(r, 4)) {
        case 0:
            text[at] = spice[vo_random_int(r, (int)sizeof spice)];
            break;
        case 1:
            text[at] ^= (char)(1 << vo_random_int(r, 8));
            break;
        case 2: /* cut a piece out */
            memmove(text + at, text + at + length, size - at - length);
            if (size - length > 1) size -= length;
            break;
        default: /* copy a piece elsewhere */
            memmove(text + at, text + vo_random_int(r, (int)(size - length) + 1), length);
        }
    }
    return size;
}

static void mutated_file_gives_mesh_or_message(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_random r = vo_random_seed(3);
    int accepted = 0;
    for (int i = 0; i < 10000; i++) {
        char text[sizeof SEWN];
        memcpy(text, SEWN, sizeof SEWN);
        accepted += try_bytes(ctx, text, mutate(&r, text, sizeof SEWN - 1));
    }
    assert_in_range(accepted, 100, 9900);
    vo_context_destroy(ctx);
}

static vo_result load_and_save(vo_context *ctx, void *arg) {
    const char *path = arg;
    char copy[700];
    vo_mesh *m;
    snprintf(copy, sizeof copy, "%s.copy", path);
    VO_TRY(vo_mesh_load_obj(ctx, path, VO_MESH_FOR_CLOTH, &m));
    vo_result result = vo_mesh_save_obj(ctx, m, copy);
    vo_mesh_destroy(m);
    return result;
}

static void failed_allocation_is_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    static const char quad[] = "v 2 0 0\nv 3 0 0\nv 3 1 0\nv 2 1 0\nf 5 6 7 8\n";
    char path[600], text[sizeof SEWN + sizeof quad];
    snprintf(path, sizeof path, "%s/cloth.obj", test_folder());
    snprintf(text, sizeof text, "%s%s", SEWN, quad);
    assert_ok(ctx, vo_file_write(ctx, path, text, strlen(text)));
    test_every_allocation(load_and_save, path);
    /* including a vt of two nodes */
    const char shared[] = "vt 0 0\nvt 1 0\nvt 0 1\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 9\nv 1 0 9\n"
                          "v 0 1 9\nf 1/1 2/2 3/3\nf 4/1 5/2 6/3\n";
    assert_ok(ctx, vo_file_write(ctx, path, shared, sizeof shared - 1));
    test_every_allocation(load_and_save, path);
    vo_context_destroy(ctx);
}

static void assert_loads(vo_context *ctx, const char *folder, const char *name, vo_mesh_use use,
                         int nodes, int verts, int faces) {
    char path[1200];
    vo_mesh *m;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_ok(ctx, vo_obj_load(ctx, path, use, &m));
    assert_int_equal(m->node_count, nodes);
    assert_int_equal(m->vert_count, verts);
    assert_int_equal(m->face_count, faces);
    vo_mesh_destroy(m);
}

static void meshes_of_arcsim_are_loaded(void **state) {
    (void)state;
    const char *data = test_data();
    if (!data) skip();
    char folder[1100];
    vo_context *ctx = test_context(1);
    snprintf(folder, sizeof folder, "%s/arcsim/meshes", data);
    assert_loads(ctx, folder, "square4.obj", VO_MESH_FOR_CLOTH, 5, 5, 4);
    assert_loads(ctx, folder, "flag.obj", VO_MESH_FOR_CLOTH, 58, 58, 97);
    assert_loads(ctx, folder, "dress4.obj", VO_MESH_FOR_CLOTH, 78, 104, 112);
    assert_loads(ctx, folder, "dress4m.obj", VO_MESH_FOR_CLOTH, 104, 118, 112);
    assert_loads(ctx, folder, "dress4w.obj", VO_MESH_FOR_CLOTH, 104, 118, 112);
    assert_loads(ctx, folder, "sphere.obj", VO_MESH_FOR_OBSTACLE, 642, 642, 1280);
    int faces = 0;
    for (int i = 0; i < 16; i++) {
        char path[1200];
        vo_mesh *m;
        snprintf(path, sizeof path, "%s/female-objs/body%04d.obj", folder, i);
        assert_ok(ctx, vo_obj_load(ctx, path, VO_MESH_FOR_OBSTACLE, &m));
        for (int e = 0; e < m->edge_count; e++) assert_true(m->edge_face[e][1] >= 0); /* closed */
        faces += m->face_count;
        vo_mesh_destroy(m);
    }
    assert_int_equal(faces, 26842); /* 26,648 triangles, and 12 caps of 16 to 32 corners */
    vo_context_destroy(ctx);
}

static void body_of_garmentcode_is_loaded(void **state) {
    (void)state;
    const char *data = test_data();
    if (!data) skip();
    char folder[1100];
    vo_context *ctx = test_context(1);
    snprintf(folder, sizeof folder, "%s/garments", data);
    assert_loads(ctx, folder, "mean_all.obj", VO_MESH_FOR_OBSTACLE, 23752, 23752, 47500);
    vo_context_destroy(ctx);
}

static void large_mesh_is_saved_and_loaded_quickly(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    char path[600];
    snprintf(path, sizeof path, "%s/large.obj", test_folder());
    vo_mesh *m, *back;
    m = test_grid(ctx, 1.0 / 3, 1.0 / 7, 400, 250);
    assert_int_equal(m->face_count, 200000);
    double start = test_seconds();
    assert_ok(ctx, vo_obj_save(ctx, m, path));
    double saved = test_seconds();
    assert_ok(ctx, vo_obj_load(ctx, path, VO_MESH_FOR_CLOTH, &back));
    double loaded = test_seconds();
    vo_bytes bytes;
    vo_mesh_data d;
    assert_ok(ctx, vo_file_read(ctx, path, &bytes));
    double parse_start = test_seconds();
    assert_ok(ctx, vo_obj_parse(ctx, path, bytes.data, bytes.size, &d));
    double parsed = test_seconds() - parse_start;
    print_message("%.1f MB: save %.3f s, load %.3f s, of which parsing %.3f s (%.0f MB/s)\n",
                  (double)bytes.size / 1e6, saved - start, loaded - saved, parsed,
                  (double)bytes.size / 1e6 / parsed);
    assert_same_mesh(m, back);
    assert_true(loaded - start < 5 * TEST_SLOWNESS); /* takes under a second */
    vo_mesh_data_free(ctx, &d);
    vo_bytes_free(ctx, &bytes);
    vo_mesh_destroy(m);
    vo_mesh_destroy(back);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_keywords_of_arcsim_are_read),
        cmocka_unit_test(keywords_of_arcsim_3_are_read),
        cmocka_unit_test(equivalent_notations_give_the_same_mesh),
        cmocka_unit_test(syntax_error_names_line),
        cmocka_unit_test(defects_name_file_and_line),
        cmocka_unit_test(unknown_keywords_are_warned_about_once),
        cmocka_unit_test(vt_of_several_nodes_is_duplicated),
        cmocka_unit_test(polygons_are_triangulated),
        cmocka_unit_test(saved_mesh_is_loaded_unchanged),
        cmocka_unit_test(saved_text_has_order_of_arcsim),
        cmocka_unit_test(truncated_file_gives_mesh_or_message),
        cmocka_unit_test(mutated_file_gives_mesh_or_message),
        cmocka_unit_test(failed_allocation_is_reported),
        cmocka_unit_test(meshes_of_arcsim_are_loaded),
        cmocka_unit_test(body_of_garmentcode_is_loaded),
        cmocka_unit_test(large_mesh_is_saved_and_loaded_quickly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

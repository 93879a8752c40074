/* Cooking of meshes: material coordinates, fabric, attachments, maps, seams, render meshes, errors
 * and damaged files. Patterns: test_cook_pattern.c. */
#include "support.h"

#include "cook/cook.h"
#include "core/file.h"
#include "rt/asset/asset.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- files ----------------------------------------------------------------------------------- */

static char path_text[8][600];

static const char *write_text(vo_context *ctx, int slot, const char *name, const char *text,
                              size_t size) {
    snprintf(path_text[slot], sizeof path_text[slot], "%s/%s", test_folder(), name);
    assert_ok(ctx, vo_file_write(ctx, path_text[slot], text, size));
    return path_text[slot];
}

/* Text of sheets of n x n cells of 0.1 m, one above the other by `gap`; vt from 0 to `uv`. Nodes of
 * the last row have the label 1. `curl` bends them. */
static char *sheet_text(int sheets, int n, double uv, double gap, double curl) {
    static char text[1 << 19];
    int at = 0, row = n + 1;
    for (int s = 0; s < sheets; s++)
        for (int i = 0; i < row * row; i++) {
            double x = 0.1 * (i % row), y = 0.1 * (i / row);
            at += snprintf(text + at, sizeof text - (size_t)at, "v %.9g %.9g %.9g\n%s", x, y,
                           gap * s + curl * sin(3 * x), i / row == n ? "nl 1\n" : "");
            at += snprintf(text + at, sizeof text - (size_t)at, "vt %.9g %.9g\n",
                           uv * (i % row) / n, uv * (i / row) / n);
        }
    for (int s = 0; s < sheets; s++)
        for (int c = 0; c < n * n; c++) {
            int a = s * row * row + c / n * row + c % n + 1, b = a + 1, d = a + row, e = d + 1;
            at += snprintf(text + at, sizeof text - (size_t)at,
                           "f %d/%d %d/%d %d/%d\nf %d/%d %d/%d %d/%d\n", a, a, b, b, e, e, a, a, e,
                           e, d, d);
        }
    assert_true(at < (int)sizeof text - 100);
    return text;
}

static const char *write_sheet(vo_context *ctx, int n, double uv, double curl) {
    char *text = sheet_text(1, n, uv, 0, curl);
    return write_text(ctx, 0, "sheet.obj", text, strlen(text));
}

static vo_rt_asset *cook(vo_context *ctx, const vo_cook_def *def, vo_cook_report *report) {
    vo_rt_asset *asset;
    assert_ok(ctx, vo_cook(ctx, def, &asset, report));
    return asset;
}

/* ---- meshes ---------------------------------------------------------------------------------- */

static void sheet_keeps_positions_and_is_scaled_to_its_area(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_cook_def def = vo_cook_def_default();
    vo_cook_report report;
    def.input = write_sheet(ctx, 4, 7, 0);
    def.max_level = 2;
    vo_rt_asset *asset = cook(ctx, &def, &report);
    vo_rt_asset_info info = vo_rt_asset_get_info(asset);
    assert_int_equal(info.vertex_count, 25);
    assert_int_equal(info.triangle_count, 32);
    assert_int_equal(info.max_level, 2);
    assert_int_equal(info.bone_count, 0);
    assert_int_equal(info.render_triangle_count, 32 * 16);
    assert_near(report.area, 0.16, 1e-9);
    assert_near(report.uv_scale, 0.4 / 7, 1e-9);
    assert_near(info.mass, 0.16 * 0.2, 1e-6);
    for (int v = 0; v < 25; v++) {
        assert_near(asset->position[v].x, 0.1 * (v % 5), 1e-7);
        assert_near(asset->position[v].y, 0.1 * (v / 5), 1e-7);
    }
    vo_rt_asset_destroy(asset);
    vo_cook_report_free(ctx, &report);
    vo_context_destroy(ctx);
}

static void uv_scale_and_fabric_apply(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_cook_def def = vo_cook_def_default();
    vo_cook_report report;
    vo_fabric *fabric;
    def.input = write_sheet(ctx, 4, 1, 0);
    def.uv_scale = 0.5;
    def.friction = 0.7;
    def.sew.fabric = VOILE_SOURCE_DIR "/assets/fabrics/denim.json";
    vo_rt_asset *asset = cook(ctx, &def, &report);
    assert_ok(ctx, vo_fabric_load(ctx, def.sew.fabric, &fabric));
    assert_near(vo_rt_asset_get_info(asset).mass, 0.25 * fabric->density, 1e-5);
    assert_near(asset->fabric.density, fabric->density, 1e-6);
    assert_near(asset->fabric.friction, 0.7, 1e-6);
    vo_fabric_destroy(fabric);
    vo_rt_asset_destroy(asset);
    vo_context_destroy(ctx);
}

/* The documented formulas, for a fabric with known moduli. */
static void fabric_follows_the_formulas(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_fabric_def def = vo_fabric_def_default();
    vo_fabric *fabric;
    def.density = 0.3;
    def.young_warp = 900;
    def.young_weft = 600;
    def.poisson = 0.2;
    def.bend_warp = 4e-5;
    def.bend_weft = 2e-5;
    def.bend_bias = 3e-5;
    assert_ok(ctx, vo_fabric_create(ctx, &def, &fabric));
    vo_rt_fabric rt = vo_cook_fabric(fabric);
    assert_near(rt.density, 0.3, 1e-7);
    assert_near(rt.stretch_compliance, 1 / 750.0, 1e-8);
    /* d2 = 4 bias - d0 - d1 */
    assert_near(rt.bend_stiffness, 3.0 / 8 * 6e-5 + 1.0 / 8 * 6e-5, 1e-10);
    vo_fabric_destroy(fabric);
    vo_context_destroy(ctx);
}

static void labels_attach_vertices(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const char *label = "1";
    vo_cook_def def = vo_cook_def_default();
    def.input = write_sheet(ctx, 4, 1, 0);
    def.attachment_count = 1;
    def.attachments = &label;
    vo_rt_asset *asset = cook(ctx, &def, NULL);
    assert_int_equal(asset->attached_count, 5);
    assert_true(asset->tether_count >= 20);
    for (int v = 0; v < 25; v++) assert_true(asset->maps[v].attachment == (v >= 20));
    vo_rt_asset_destroy(asset);
    def.tethers = false;
    label = "1=0.25";
    asset = cook(ctx, &def, NULL);
    assert_int_equal(asset->tether_count, 0);
    assert_near(asset->maps[24].attachment, 0.25, 0);
    vo_rt_asset_destroy(asset);
    vo_context_destroy(ctx);
}

#define MAPS                                                                    \
    "{\"max_distance\": [0, 0.1, 0.2, null], \"backstop\": [null, 0, -0.1, 1]," \
    " \"stiffness_factor\": [1, 2, 3, 0], \"attachment\": [0.5, 0, 1, 0]}"

static void painted_maps_are_read(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_cook_def def = vo_cook_def_default();
    def.input = write_sheet(ctx, 1, 1, 0);
    def.maps = write_text(ctx, 1, "maps.json", MAPS, strlen(MAPS));
    vo_rt_asset *asset = cook(ctx, &def, NULL);
    assert_near(asset->maps[1].max_distance, 0.1f, 0);
    assert_true(asset->maps[3].max_distance > 1e30f);
    assert_true(asset->maps[0].backstop < -1e30f);
    assert_near(asset->maps[2].backstop, -0.1f, 0);
    assert_near(asset->maps[0].attachment, 0.5, 0);
    assert_near(asset->maps[1].backstop_radius, 0.2f, 0);
    assert_near(asset->stiffness_factor[2], 3, 0);
    vo_rt_asset_destroy(asset);
    vo_context_destroy(ctx);
}

static void render_mesh_is_bound(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_cook_def def = vo_cook_def_default();
    char *text = sheet_text(1, 4, 1, 0, 0);
    def.render = write_text(ctx, 2, "render.obj", text, strlen(text));
    def.input = write_sheet(ctx, 4, 1, 0);
    vo_rt_asset *asset = cook(ctx, &def, NULL);
    vo_rt_asset_info info = vo_rt_asset_get_info(asset);
    assert_int_equal(info.render_vertex_count, 25);
    assert_int_equal(info.render_triangle_count, 32);
    for (int v = 0; v < 25; v++) assert_near(asset->render_vertex[v].offset, 0, 1e-6);
    assert_near(vo_rt_asset_get_uv(asset)[24].x, 1, 1e-6);
    vo_rt_asset_destroy(asset);
    vo_context_destroy(ctx);
}

/* A fine mesh becomes the render mesh of a coarse base mesh of the same area. */
static void large_meshes_are_coarsened(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_cook_def def = vo_cook_def_default();
    vo_cook_report report;
    def.input = write_sheet(ctx, 30, 3, 0.1);
    def.face_count = 200;
    vo_rt_asset *asset = cook(ctx, &def, &report);
    vo_rt_asset_info info = vo_rt_asset_get_info(asset);
    assert_true(info.triangle_count >= 170 && info.triangle_count <= 230);
    assert_int_equal(report.input_faces, 1800);
    assert_int_equal(info.render_triangle_count, 1800);
    vo_mesh *fine;
    assert_ok(ctx, vo_mesh_load_obj(ctx, def.input, VO_MESH_FOR_CLOTH, &fine));
    assert_near(report.area, vo_cook_area(fine) * report.uv_scale * report.uv_scale, 1e-6);
    vo_mesh_destroy(fine);
    vo_rt_asset_destroy(asset);
    vo_cook_report_free(ctx, &report);
    vo_context_destroy(ctx);
}

/* A tube whose uv are cut along a line keeps that line as a seam when it is coarsened. */
static void coarsening_keeps_seams(void **state) {
    (void)state;
    enum { AROUND = 24, ALONG = 12, ROW = AROUND + 1 };
    vo_context *ctx = test_context(1);
    vo_vec3 x[AROUND * (ALONG + 1)];
    vo_vec2 u[ROW * (ALONG + 1)];
    int node[ROW * (ALONG + 1)], face[2 * AROUND * ALONG][3];
    for (int j = 0; j <= ALONG; j++)
        for (int i = 0; i <= AROUND; i++) {
            double angle = 2 * 3.14159265358979 * i / AROUND;
            node[j * ROW + i] = j * AROUND + i % AROUND;
            u[j * ROW + i] = (vo_vec2){0.3 * 6.28 * i / AROUND, 0.1 * j};
            x[j * AROUND + i % AROUND] = (vo_vec3){0.3 * cos(angle), 0.3 * sin(angle), 0.1 * j};
        }
    for (int c = 0; c < AROUND * ALONG; c++) {
        int a = c / AROUND * ROW + c % AROUND,
            list[6] = {a, a + 1, a + ROW + 1, a, a + ROW + 1, a + ROW};
        for (int i = 0; i < 6; i++) face[2 * c + i / 3][i % 3] = list[i];
    }
    vo_mesh *mesh;
    vo_rt_asset *asset;
    assert_ok(ctx,
              vo_mesh_create(ctx, AROUND * (ALONG + 1), x, ROW * (ALONG + 1), u, node,
                             2 * AROUND * ALONG, (const int(*)[3])face, VO_MESH_FOR_CLOTH, &mesh));
    assert_ok(ctx, vo_cook_coarsen(ctx, 120, &mesh));
    assert_true(mesh->face_count < 180);
    assert_near(vo_cook_area(mesh), 0.3 * 6.28 * 1.2, 1e-3);
    assert_ok(ctx, vo_cook_mesh(ctx, mesh, NULL, &asset));
    vo_rt_asset_info info = vo_rt_asset_get_info(asset);
    assert_true(info.seam_edge_count >= 2);
    assert_int_equal(info.vertex_count - info.edge_count + info.triangle_count, 0); /* a tube */
    vo_rt_asset_destroy(asset);
    vo_mesh_destroy(mesh);
    vo_context_destroy(ctx);
}

/* Turns the faces of the second of two sheets over, so that the sheets face outwards when they are
 * joined to a tube. `first` is the first vertex of that sheet, from 1. */
static void turn_second_sheet(char *text, int first) {
    char start[32];
    snprintf(start, sizeof start, "\nf %d/%d", first, first);
    for (char *f = strstr(text, start); f; f = strstr(f + 1, "\nf ")) {
        char a[16], b[16], c[16], line[64];
        assert_int_equal(sscanf(f, "\nf %15s %15s %15s", a, b, c), 3);
        snprintf(line, sizeof line, "\nf %s %s %s", a, c, b);
        memcpy(f, line, strlen(line));
    }
}

/* Links of the left and right borders of two sheets of n x n cells. */
static const char *tube_links(int n) {
    static char text[4096];
    int at = snprintf(text, sizeof text, "# sides of a tube\n"), row = n + 1, all = row * row;
    for (int side = 0; side <= n; side += n)
        for (int j = 0; j < n; j++) {
            int a = j * row + side;
            at += snprintf(text + at, sizeof text - (size_t)at, "e %d %d %d %d\n", a, a + row,
                           a + all, a + row + all);
        }
    return text;
}

static vo_cook_def tube_def(vo_context *ctx, int n, double gap) {
    vo_cook_def def = vo_cook_def_default();
    char *text = sheet_text(2, n, 1, gap, 0);
    turn_second_sheet(text, (n + 1) * (n + 1) + 1);
    def.input = write_text(ctx, 0, "pieces.obj", text, strlen(text));
    def.links = write_text(ctx, 1, "links.txt", tube_links(n), strlen(tube_links(n)));
    return def;
}

static void links_merge_pieces(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_cook_def def = tube_def(ctx, 2, 0.001);
    vo_rt_asset *asset = cook(ctx, &def, NULL);
    vo_rt_asset_info info = vo_rt_asset_get_info(asset);
    assert_int_equal(info.vertex_count, 18 - 6);
    assert_int_equal(info.triangle_count, 16);
    assert_true(info.is_seamed);
    assert_int_equal(info.vertex_count - info.edge_count + info.triangle_count, 0); /* a tube */
    assert_near(asset->position[0].z, 0.0005, 1e-6);
    vo_rt_asset_destroy(asset);
    vo_context_destroy(ctx);
}

/* Largest length of an edge relative to its length at rest. */
static double max_stretch(const vo_rt_asset *asset) {
    double most = 0;
    for (int e = 0; e < asset->edge_count; e++) {
        const vo_rt_base_edge *edge = &asset->edge[e];
        vo_rt_vec3 a = asset->position[edge->vertex[0]], b = asset->position[edge->vertex[1]];
        const vo_rt_vec2 *u = edge->coordinate[edge->control];
        double length = sqrt(pow(b.x - a.x, 2) + pow(b.y - a.y, 2) + pow(b.z - a.z, 2));
        most = fmax(most, length / hypot(u[1].x - u[0].x, u[1].y - u[0].y));
    }
    return most;
}

/* Pieces 20 cm apart: merged where they are, edges of 10 cm would be stretched by 40 %. */
static void links_pull_pieces_together(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_cook_def def = tube_def(ctx, 4, 0.2);
    vo_rt_asset *asset = cook(ctx, &def, NULL);
    assert_int_equal(asset->vertex_count, 50 - 10);
    assert_true(max_stretch(asset) < 1.1);
    vo_rt_asset_destroy(asset);
    vo_context_destroy(ctx);
}

/* Two upright sheets in front of and behind the trunk are joined to a tube around it. */
static void pieces_are_pulled_around_the_body(void **state) {
    (void)state;
    enum { N = 8, ROW = N + 1 };
    vo_context *ctx = test_context(1);
    static char text[1 << 15];
    int at = 0;
    for (int i = 0; i < 2 * ROW * ROW; i++) {
        double x = 0.09 * (i % ROW - N / 2), z = 0.9 + 0.02 * (i / ROW % ROW);
        at += snprintf(text + at, sizeof text - (size_t)at, "v %g %g %g\nvt %g %g\n", x,
                       i < ROW * ROW ? -0.2 : 0.2, z, x, z);
    }
    const char *faces = strstr(sheet_text(2, N, 1, 0, 0), "\nf 1/1");
    assert_true(strlen(faces) < sizeof text - (size_t)at);
    strcpy(text + at, faces + 1);
    turn_second_sheet(text, ROW * ROW + 1);
    vo_cook_def def = vo_cook_def_default();
    def.input = write_text(ctx, 0, "pieces.obj", text, strlen(text));
    def.links = write_text(ctx, 1, "links.txt", tube_links(N), strlen(tube_links(N)));
    def.mesh_on_body = true;
    def.sew.mannequin.faces = 6000;
    vo_rt_asset *asset = cook(ctx, &def, NULL);
    assert_int_equal(asset->vertex_count, 2 * ROW * ROW - 2 * ROW);
    for (int v = 0; v < asset->vertex_count; v++)
        assert_true(hypot(asset->position[v].x, asset->position[v].y) > 0.06);
    vo_rt_asset_destroy(asset);
    vo_context_destroy(ctx);
}

static void meshes_on_a_mannequin_get_bones(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_cook_def def = vo_cook_def_default();
    vo_cook_report report;
    def.input = write_sheet(ctx, 2, 1, 0); /* on the floor, next to the feet */
    def.mesh_on_body = true;
    def.sew.mannequin.faces = 6000;
    vo_rt_asset *asset = cook(ctx, &def, &report);
    assert_int_equal(asset->bone_count, 21);
    assert_int_equal(report.bone_count, 21);
    assert_string_equal(report.bone_names[6], "left upper arm");
    for (int v = 0; v < asset->vertex_count; v++) {
        float sum = 0;
        for (int i = 0; i < 4; i++) sum += asset->skin_weight[4 * v + i];
        assert_near(sum, 1, 1e-5);
        const char *name = report.bone_names[asset->skin_bone[4 * v]];
        assert_true(strstr(name, "foot") || strstr(name, "toes") || strstr(name, "shin"));
    }
    vo_rt_asset_destroy(asset);
    vo_cook_report_free(ctx, &report);
    vo_context_destroy(ctx);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void files_are_read_back(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_cook_def def = vo_cook_def_default();
    vo_rt_asset *again;
    vo_mesh *base;
    char path[600];
    def.input = write_sheet(ctx, 4, 1, 0.1);
    vo_rt_asset *asset = cook(ctx, &def, NULL);
    snprintf(path, sizeof path, "%s/a.vrt", test_folder());
    assert_ok(ctx, vo_cook_save(ctx, asset, path));
    assert_ok(ctx, vo_cook_load(ctx, path, &again));
    size_t bytes[2];
    const void *data[2] = {vo_rt_asset_get_data(asset, &bytes[0]),
                           vo_rt_asset_get_data(again, &bytes[1])};
    assert_int_equal(bytes[0], bytes[1]);
    assert_memory_equal(data[0], data[1], bytes[0]);
    vo_rt_asset_destroy(again);
    /* The base mesh gives the same asset again. */
    snprintf(path, sizeof path, "%s/base.obj", test_folder());
    assert_ok(ctx, vo_cook_save_base(ctx, asset, path));
    assert_ok(ctx, vo_mesh_load_obj(ctx, path, VO_MESH_FOR_CLOTH, &base));
    assert_int_equal(base->node_count, 25);
    assert_int_equal(base->vert_count, 25);
    assert_int_equal(base->face_count, 32);
    for (int v = 0; v < 25; v++) assert_near(base->node_x[v].x, asset->position[v].x, 1e-6);
    for (int f = 0; f < 32; f++)
        assert_near(vo_mesh_face_area(base, f), 0.5 * vo_cook_area(base) / 16, 1e-6);
    vo_mesh_destroy(base);
    vo_rt_asset_destroy(asset);
    vo_context_destroy(ctx);
}

/* ---- failures -------------------------------------------------------------------------------- */

static void expect_failure(vo_context *ctx, const vo_cook_def *def, vo_result expected,
                           const char *text) {
    vo_rt_asset *asset = (vo_rt_asset *)ctx;
    vo_cook_report report;
    assert_int_equal(vo_cook(ctx, def, &asset, &report), expected);
    assert_null(asset);
    assert_message_contains(ctx, text);
}

static void errors_name_element_and_remedy(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const vo_cook_def none = vo_cook_def_default();
    const char *label = "9";
    vo_cook_def def = none;
    expect_failure(ctx, &def, VO_BAD_ARGUMENT, "input is NULL");
    def.input = "absent.obj";
    expect_failure(ctx, &def, VO_IO_FAILED, "absent.obj");
    def = none, def.input = write_sheet(ctx, 1, 1, 0);
    def.max_level = 9;
    expect_failure(ctx, &def, VO_BAD_ARGUMENT, "max_level is 9; set it to 0 to 6");
    def.max_level = 1, def.friction = NAN;
    expect_failure(ctx, &def, VO_BAD_ARGUMENT, "friction is");
    def.friction = 0, def.attachment_count = 1;
    expect_failure(ctx, &def, VO_BAD_ARGUMENT, "attachments is NULL");
    def.attachments = &label;
    expect_failure(ctx, &def, VO_BAD_DATA, "attachments[0]: no node has the label \"9\"; use");
    label = "1=nan";
    expect_failure(ctx, &def, VO_BAD_ARGUMENT, "the weight after = must be above 0");
    def.attachment_count = 0, def.maps = write_text(ctx, 1, "m.json", "{\"backstop\": [1]}", 17);
    expect_failure(ctx, &def, VO_BAD_DATA, "backstop: has 1 values, but the base mesh has 4");
    def.maps = write_text(ctx, 1, "m.json", "{\"attachment\": [0, 2, 0, 0]}", 28);
    expect_failure(ctx, &def, VO_BAD_DATA, "attachment[1]: is 2; set it to 0 to 1");
    def.maps = write_text(ctx, 1, "m.json", "{\"atachment\": []}", 17);
    expect_failure(ctx, &def, VO_BAD_DATA, "attachment");
    def.maps = NULL, def.links = write_text(ctx, 1, "l.txt", "v 0 77\n", 7);
    expect_failure(ctx, &def, VO_BAD_DATA, "l.txt: line 1: vertex 77 does not exist");
    def.face_count = 1;
    expect_failure(ctx, &def, VO_BAD_DATA, "set face_count to 2 or 0");
    def.face_count = 0, def.links = NULL;
    def.sew.fabric = "gauze";
    expect_failure(ctx, &def, VO_BAD_DATA, "there is no fabric \"gauze\"");
    def.sew.fabric = NULL;
    def.render = write_text(ctx, 1, "r.obj", "v 9 9 9\nv 9 8 9\nv 8 9 9\nf 1 2 3\n", 33);
    expect_failure(ctx, &def, VO_BAD_DATA, "export the render mesh in the pose of the base mesh");
    def.render = NULL;
    def.input = write_text(ctx, 0, "p.json", "{}", 2);
    def.uv_scale = 2;
    expect_failure(ctx, &def, VO_BAD_ARGUMENT, "uv_scale is set, but");
    vo_context_destroy(ctx);
}

static void obstacles_are_rejected(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_shape_def shape = vo_shape_def_default(VO_SHAPE_SPHERE);
    vo_mesh *mesh;
    vo_rt_asset *asset;
    shape.radius = 1;
    assert_ok(ctx, vo_mesh_create_shape(ctx, &shape, &mesh));
    assert_int_equal(vo_cook_mesh(ctx, mesh, NULL, &asset), VO_BAD_ARGUMENT);
    assert_message_contains(ctx, "load it for cloth");
    vo_mesh_destroy(mesh);
    vo_context_destroy(ctx);
}

/* Every prefix of every input is cooked or rejected with a message. */
static void truncated_inputs_are_handled(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    static char mesh_text[1 << 14];
    const char *links = "e 0 1 9 10\nv 2 11\n";
    const char *sheets = sheet_text(2, 2, 1, 0.01, 0);
    assert_true(strlen(sheets) < sizeof mesh_text);
    strcpy(mesh_text, sheets);
    const char *const text[3] = {mesh_text, MAPS, links};
    for (int k = 0; k < 3; k++)
        for (size_t size = 0; size <= strlen(text[k]); size += k == 0 ? 7 : 1) {
            vo_cook_def def = vo_cook_def_default();
            vo_rt_asset *asset;
            def.max_level = 0;
            def.input = write_text(ctx, 0, "m.obj", text[0], k == 0 ? size : strlen(text[0]));
            if (k == 1) def.maps = write_text(ctx, 1, "m.json", text[1], size);
            if (k == 2) def.links = write_text(ctx, 2, "l.txt", text[2], size);
            vo_result result = vo_cook(ctx, &def, &asset, NULL);
            assert_true(result == VO_OK || result == VO_BAD_DATA);
            assert_true((result == VO_OK) == (asset != NULL));
            if (result != VO_OK) assert_true(strlen(vo_context_message(ctx)) > 10);
            vo_rt_asset_destroy(asset);
        }
    vo_context_destroy(ctx);
}

static vo_result cook_everything(vo_context *ctx, void *arg) {
    vo_cook_report report;
    vo_rt_asset *asset;
    vo_result result = vo_cook(ctx, arg, &asset, &report);
    if (result != VO_OK) return result;
    vo_rt_asset_destroy(asset);
    vo_cook_report_free(ctx, &report);
    return VO_OK;
}

static void failed_allocations_are_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const char *label = "1";
    vo_cook_def def = vo_cook_def_default();
    char *text = sheet_text(1, 4, 1, 0, 0);
    def.render = write_text(ctx, 2, "render.obj", text, strlen(text));
    def.input = write_sheet(ctx, 4, 1, 0);
    def.face_count = 20;
    def.max_level = 1;
    def.attachment_count = 1;
    def.attachments = &label;
    def.sew.fabric = VOILE_SOURCE_DIR "/assets/fabrics/denim.json";
    vo_context_destroy(ctx);
    vo_cook_def coarse = def;
    coarse.render = NULL;
    test_every_allocation(cook_everything, &coarse);
    def.face_count = 0;
    test_every_allocation(cook_everything, &def);
    vo_context *again = test_context(1);
    vo_cook_def seamed = tube_def(again, 2, 0.001);
    vo_context_destroy(again);
    test_every_allocation(cook_everything, &seamed);
}

static bool cancel(void *user) { return --*(int *)user < 0; }

static void cooking_is_cancelled(void **state) {
    (void)state;
    vo_context_def how = vo_context_def_default();
    int polls = 1000;
    how.cancel = cancel;
    how.cancel_user = &polls;
    vo_context *ctx;
    assert_int_equal(vo_context_create(&how, &ctx), VO_OK);
    vo_cook_def def = vo_cook_def_default();
    vo_rt_asset *asset;
    def.input = write_sheet(ctx, 4, 1, 0);
    for (int i = 0; i < 4; i++) {
        polls = i;
        assert_int_equal(vo_cook(ctx, &def, &asset, NULL), VO_CANCELLED);
        assert_null(asset);
    }
    polls = 1000;
    assert_ok(ctx, vo_cook(ctx, &def, &asset, NULL));
    vo_rt_asset_destroy(asset);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sheet_keeps_positions_and_is_scaled_to_its_area),
        cmocka_unit_test(uv_scale_and_fabric_apply),
        cmocka_unit_test(fabric_follows_the_formulas),
        cmocka_unit_test(labels_attach_vertices),
        cmocka_unit_test(painted_maps_are_read),
        cmocka_unit_test(render_mesh_is_bound),
        cmocka_unit_test(large_meshes_are_coarsened),
        cmocka_unit_test(coarsening_keeps_seams),
        cmocka_unit_test(links_merge_pieces),
        cmocka_unit_test(links_pull_pieces_together),
        cmocka_unit_test(pieces_are_pulled_around_the_body),
        cmocka_unit_test(meshes_on_a_mannequin_get_bones),
        cmocka_unit_test(files_are_read_back),
        cmocka_unit_test(errors_name_element_and_remedy),
        cmocka_unit_test(obstacles_are_rejected),
        cmocka_unit_test(truncated_inputs_are_handled),
        cmocka_unit_test(failed_allocations_are_reported),
        cmocka_unit_test(cooking_is_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

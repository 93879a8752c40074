/* Hierarchies of meshes: detection of subdivision connectivity, remeshing within a tolerance,
 * seams, borders and labels, and errors (cook/levels.h, cook/remesh.h). */
#include "support.h"

#include "codec/obj.h"
#include "cook/levels.h"
#include "cook/remesh.h"
#include "rt/asset/asset.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- meshes ---------------------------------------------------------------------------------- */

enum { MAX_NODES = 1 << 16, MAX_FACES = 1 << 17 };
typedef struct mesh_arrays {
    int node_count, vert_count, face_count;
    vo_vec3 x[MAX_NODES];
    vo_vec2 u[MAX_NODES];
    int vert_node[MAX_NODES];
    int face[MAX_FACES][3];
} mesh_arrays;

static mesh_arrays arrays;

static void add_face(int a, int b, int c) {
    int *f = arrays.face[arrays.face_count++];
    f[0] = a, f[1] = b, f[2] = c;
}

static vo_mesh *build(vo_context *ctx) {
    vo_mesh *mesh;
    assert_true(arrays.node_count <= MAX_NODES && arrays.face_count <= MAX_FACES);
    assert_ok(ctx, vo_mesh_create(ctx, arrays.node_count, arrays.x, arrays.vert_count, arrays.u,
                                  arrays.vert_node, arrays.face_count, (const int(*)[3])arrays.face,
                                  VO_MESH_FOR_CLOTH, &mesh));
    return mesh;
}

static double wave(double x, double y) { return 0.05 * sin(7 * x) * cos(5 * y); }

/* Wavy sheet of 1 m x 1 m. Diagonals are parallel (0), alternating (1) or random (2); random also
 * moves the inner nodes. */
static vo_mesh *create_sheet(vo_context *ctx, int columns, int rows, int diagonals, double height) {
    vo_random random = vo_random_seed(4);
    int w = columns + 1;
    arrays.node_count = arrays.vert_count = w * (rows + 1);
    arrays.face_count = 0;
    for (int i = 0; i < arrays.node_count; i++) {
        double x = (double)(i % w) / columns, y = (double)(i / w) / rows;
        bool inner = i % w > 0 && i % w < columns && i / w > 0 && i / w < rows;
        if (diagonals == 2 && inner) {
            x += vo_random_real(&random, -0.25, 0.25) / columns;
            y += vo_random_real(&random, -0.25, 0.25) / rows;
        }
        arrays.x[i] = v3(x, y, height * wave(x, y));
        arrays.u[i] = v2(x, y);
        arrays.vert_node[i] = i;
    }
    for (int c = 0; c < columns * rows; c++) {
        int i = c % columns, j = c / columns, a = j * w + i, b = a + 1, d = a + w, e = d + 1;
        bool turned = diagonals == 1   ? (i + j) % 2 == 1
                      : diagonals == 2 ? vo_random_int(&random, 2) == 1
                                       : false;
        add_face(a, b, turned ? d : e);
        add_face(turned ? b : a, e, d);
    }
    return build(ctx);
}

/* Tube with a seam along its axis: circumference 1 m, n cells around it and m along. */
static vo_mesh *create_tube(vo_context *ctx, int n, int m) {
    vo_random random = vo_random_seed(8);
    double radius = 1 / (2 * 3.14159265358979);
    arrays.node_count = arrays.vert_count = arrays.face_count = 0;
    for (int j = 0; j <= m; j++)
        for (int i = 0; i <= n; i++) {
            double shift =
                i > 0 && i < n && j > 0 && j < m ? vo_random_real(&random, -0.2, 0.2) : 0;
            double s = (i + shift) / n, angle = s * 2 * 3.14159265358979;
            int v = arrays.vert_count++;
            if (i < n)
                arrays.x[arrays.node_count++] =
                    v3(radius * cos(angle), radius * sin(angle), (double)j / m);
            arrays.u[v] = v2(s, (double)j / m);
            arrays.vert_node[v] = j * n + i % n;
        }
    for (int c = 0; c < n * m; c++) {
        int a = c / n * (n + 1) + c % n, b = a + 1, d = a + n + 1, e = d + 1;
        bool turned = vo_random_int(&random, 2) == 1;
        add_face(a, b, turned ? d : e);
        add_face(turned ? b : a, e, d);
    }
    return build(ctx);
}

/* Disc of radius 0.5 m with a curved border. */
static vo_mesh *create_disc(vo_context *ctx, int rings, int sectors) {
    arrays.node_count = arrays.face_count = 0;
    arrays.x[arrays.node_count++] = v3(0, 0, 0);
    for (int r = 1; r <= rings; r++)
        for (int s = 0; s < sectors; s++) {
            double angle = (s + 0.5 * (r % 2)) * 2 * 3.14159265358979 / sectors;
            double radius = 0.5 * r / rings;
            arrays.x[arrays.node_count++] = v3(radius * cos(angle), radius * sin(angle), 0);
        }
    for (int s = 0; s < sectors; s++) add_face(0, 1 + s, 1 + (s + 1) % sectors);
    for (int r = 1; r < rings; r++)
        for (int s = 0; s < sectors; s++) {
            int a = 1 + (r - 1) * sectors + s, b = 1 + (r - 1) * sectors + (s + 1) % sectors;
            int c = a + sectors, d = b + sectors;
            if (r % 2 == 1)
                add_face(a, c, d), add_face(a, d, b);
            else
                add_face(a, c, b), add_face(b, c, d);
        }
    arrays.vert_count = arrays.node_count;
    for (int i = 0; i < arrays.node_count; i++) {
        arrays.u[i] = v2(arrays.x[i].x, arrays.x[i].y);
        arrays.vert_node[i] = i;
    }
    return build(ctx);
}

/* Divides all faces of a mesh into four; midpoints are raised at random. */
static vo_mesh *subdivide(vo_context *ctx, vo_mesh *mesh, vo_random *random) {
    int n = mesh->node_count;
    arrays.node_count = arrays.vert_count = n + mesh->edge_count;
    arrays.face_count = 0;
    assert_int_equal(mesh->vert_count, n); /* without seams */
    for (int v = 0; v < arrays.node_count; v++) arrays.vert_node[v] = v;
    for (int v = 0; v < n; v++) {
        arrays.x[mesh->vert_node[v]] = mesh->node_x[mesh->vert_node[v]];
        arrays.u[mesh->vert_node[v]] = mesh->vert_u[v];
    }
    for (int e = 0; e < mesh->edge_count; e++) {
        int v[2];
        vo_mesh_edge_verts(mesh, e, 0, v);
        arrays.x[n + e] =
            v3_lerp(mesh->node_x[mesh->edge_node[e][0]], mesh->node_x[mesh->edge_node[e][1]], 0.5);
        arrays.x[n + e].z += vo_random_real(random, -0.003, 0.003);
        arrays.u[n + e] = v2_scale(0.5, v2_add(mesh->vert_u[v[0]], mesh->vert_u[v[1]]));
    }
    for (int f = 0; f < mesh->face_count; f++) {
        const int *e = mesh->face_edge[f];
        for (int k = 0; k < 3; k++)
            add_face(n + e[k], vo_mesh_face_node(mesh, f, (k + 1) % 3), n + e[(k + 1) % 3]);
        add_face(n + e[1], n + e[2], n + e[0]);
    }
    vo_mesh_destroy(mesh);
    return build(ctx);
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* Every node of the mesh is a point of the levels, and each point is on the mesh. */
static void check_points(const vo_mesh *mesh, const vo_cook_levels *levels) {
    size_t points = levels->point_count;
    for (int n = 0; n < mesh->node_count; n++) {
        bool found = false;
        for (size_t i = 0; i < points && !found; i++) {
            vo_rt_vec3 p = levels->positions[i];
            found = v3_distance(mesh->node_x[n], v3((double)p.x, (double)p.y, (double)p.z)) < 1e-6;
        }
        assert_true(found);
    }
}

static vo_cook_error measure(vo_context *ctx, const vo_mesh *mesh, const vo_cook_levels *levels) {
    vo_cook_error error;
    assert_ok(ctx, vo_cook_measure_level(ctx, mesh, levels, levels->max_level, &error));
    return error;
}

/* ---- detection ------------------------------------------------------------------------------- */

static void expect_detection(vo_context *ctx, vo_mesh *mesh, int max_level, int expected_found,
                             int expected_faces) {
    vo_cook_levels levels;
    int found;
    assert_ok(ctx, vo_cook_detect_levels(ctx, mesh, max_level, &found, &levels));
    assert_int_equal(found, expected_found);
    if (found > 0) {
        assert_int_equal(levels.base->face_count, expected_faces);
        assert_true(vo_cook_levels_are_valid(&levels));
        check_points(mesh, &levels);
        assert_true(measure(ctx, mesh, &levels).max < 1e-6);
    }
    vo_cook_levels_free(ctx, &levels);
}

static void grids_are_detected(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const struct {
        int columns, rows, max_level, found, faces;
    } rows[] = {{8, 8, 6, 3, 2},   {16, 8, 6, 3, 4}, {8, 8, 2, 2, 8},
                {12, 8, 6, 2, 12}, {9, 8, 6, 0, 0},  {2, 2, 3, 1, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vo_mesh *mesh = create_sheet(ctx, rows[i].columns, rows[i].rows, 0, 1);
        expect_detection(ctx, mesh, rows[i].max_level, rows[i].found, rows[i].faces);
        vo_mesh_destroy(mesh);
    }
    vo_mesh *other = create_sheet(ctx, 8, 8, 1, 1);
    expect_detection(ctx, other, 6, 0, 0);
    vo_mesh_destroy(other);
    vo_context_destroy(ctx);
}

/* Subdivided irregular meshes: the levels reproduce the input exactly. */
static void subdivided_meshes_are_detected(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_random random = vo_random_seed(2);
    for (int kind = 0; kind < 3; kind++) {
        vo_mesh *mesh = kind == 0   ? create_sheet(ctx, 5, 3, 2, 1)
                        : kind == 1 ? create_disc(ctx, 1, 7)
                                    : create_disc(ctx, 3, 5);
        int faces = mesh->face_count;
        for (int level = 1; level <= 3; level++) {
            mesh = subdivide(ctx, mesh, &random);
            expect_detection(ctx, mesh, level, level, faces);
        }
        expect_detection(ctx, mesh, 4, 3, faces); /* the fourth level is interpolated */
        vo_mesh_destroy(mesh);
    }
    vo_context_destroy(ctx);
}

/* What a coarser mesh would lose prevents coarsening. */
static void features_inside_tiles_prevent_detection(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *mesh = create_sheet(ctx, 4, 4, 0, 1);
    for (int n = 0; n < 5; n++) mesh->node_label[n] = 1; /* a labelled border */
    expect_detection(ctx, mesh, 2, 2, 2);
    mesh->node_label[2] = 0; /* an odd node is labelled, but not both of its neighbours */
    expect_detection(ctx, mesh, 2, 0, 0);
    mesh->node_label[1] = mesh->node_label[3] = 0; /* midpoint of labelled nodes in level 2 */
    expect_detection(ctx, mesh, 2, 1, 8);
    mesh->node_label[0] = 0;
    mesh->node_label[7] = 2; /* an odd node */
    expect_detection(ctx, mesh, 2, 0, 0);
    mesh->node_label[7] = 0;
    mesh->face_label[3] = 1;
    expect_detection(ctx, mesh, 2, 0, 0);
    mesh->face_label[3] = 0;
    for (int e = 0; e < mesh->edge_count; e++) {
        mesh->edge_label[e] = 1;
        vo_cook_levels levels;
        int found;
        assert_ok(ctx, vo_cook_detect_levels(ctx, mesh, 1, &found, &levels));
        assert_int_equal(found, 0);
        vo_cook_levels_free(ctx, &levels);
        mesh->edge_label[e] = 0;
    }
    vo_mesh_destroy(mesh);
    vo_context_destroy(ctx);
}

/* Grids with other diagonals get parallel ones; random triangulations with moved nodes are no
 * grids. */
static void diagonals_of_grids_are_aligned(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (int diagonals = 0; diagonals < 3; diagonals++) {
        vo_mesh *mesh = create_sheet(ctx, 8, 16, diagonals, 0), *aligned;
        assert_ok(ctx, vo_cook_align_grid(ctx, mesh, &aligned));
        assert_int_equal(aligned != NULL, diagonals < 2);
        if (aligned) expect_detection(ctx, aligned, 6, 3, 4);
        vo_mesh_destroy(aligned);
        vo_mesh_destroy(mesh);
    }
    vo_context_destroy(ctx);
}

/* ---- remeshing ------------------------------------------------------------------------------- */

/* Points of a graph over the plane: positions follow from the coordinates. */
static void irregular_sheets_are_remeshed(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *mesh = create_sheet(ctx, 40, 40, 2, 1);
    vo_cook_levels levels;
    assert_ok(ctx, vo_cook_remesh(ctx, mesh, 60, 4, &levels));
    assert_in_range(levels.base->face_count, 20, 60);
    assert_true(vo_cook_levels_are_valid(&levels));
    for (size_t i = 0; i < levels.point_count; i++) {
        vo_rt_vec3 p = levels.positions[i];
        vo_rt_vec2 u = levels.coordinates[i];
        assert_near(p.x, u.x, 1e-6);
        assert_near(p.y, u.y, 1e-6);
        assert_near(p.z, wave((double)u.x, (double)u.y), 0.001);
    }
    double previous = INFINITY;
    for (int level = 0; level <= 4; level++) {
        vo_cook_error error;
        assert_ok(ctx, vo_cook_measure_level(ctx, mesh, &levels, level, &error));
        assert_true(error.max < previous && error.rms <= error.max);
        previous = error.max;
    }
    assert_true(previous < 0.002);
    vo_cook_levels_free(ctx, &levels);
    vo_mesh_destroy(mesh);
    vo_context_destroy(ctx);
}

/* Position on the tube of a point with these coordinates. */
static vo_vec3 tube_position(vo_rt_vec2 u) {
    double radius = 1 / (2 * 3.14159265358979), angle = (double)u.x * 2 * 3.14159265358979;
    return v3(radius * cos(angle), radius * sin(angle), (double)u.y);
}

/* Lattice point k of an edge in its face on a side, counted from the first node of the edge. */
static int edge_point(const vo_cook_levels *levels, int edge, int side, int k) {
    const vo_mesh *base = levels->base;
    int n = 1 << levels->max_level, f = base->edge_face[edge][side], w[3] = {0, 0, 0}, c = 0;
    while (base->face_edge[f][c] != edge) c++;
    w[c] = side == 0 ? n - k : k;
    w[(c + 1) % 3] = n - w[c];
    return f * vo_cook_lattice_count(levels->max_level) + vo_cook_lattice_index(n, w[1], w[2]);
}

/* Both sides of the seam of a tube have the same positions and opposite coordinates. */
static void check_seam_points(const vo_cook_levels *levels, int edge) {
    for (int k = 0; k <= 1 << levels->max_level; k++) {
        int a = edge_point(levels, edge, 0, k), b = edge_point(levels, edge, 1, k);
        assert_memory_equal(&levels->positions[a], &levels->positions[b], sizeof(vo_rt_vec3));
        assert_near(levels->coordinates[a].y, levels->coordinates[b].y, 1e-6);
        assert_near(fabs((double)(levels->coordinates[a].x - levels->coordinates[b].x)), 1, 1e-6);
    }
}

/* Each side of a seam keeps its coordinates, in the base mesh and in all points. */
static void seams_are_kept(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *mesh = create_tube(ctx, 48, 40);
    vo_cook_levels levels;
    assert_ok(ctx, vo_cook_remesh(ctx, mesh, 100, 3, &levels));
    assert_in_range(levels.base->face_count, 30, 100);
    assert_true(vo_cook_levels_are_valid(&levels));
    int left = 0, right = 0;
    for (size_t i = 0; i < levels.point_count; i++) {
        vo_rt_vec3 p = levels.positions[i];
        vo_rt_vec2 u = levels.coordinates[i];
        assert_true(v3_distance(tube_position(u), v3((double)p.x, (double)p.y, (double)p.z)) <
                    1e-3);
        left += u.x < 1e-6f;
        right += u.x > 1 - 1e-6f;
    }
    assert_true(left > 16 && right > 16);
    int seam_edges = 0, border_edges = 0;
    for (int e = 0; e < levels.base->edge_count; e++) {
        int a[2], b[2] = {-1, -1};
        border_edges += levels.base->edge_face[e][1] < 0;
        if (levels.base->edge_face[e][1] < 0) continue;
        vo_mesh_edge_verts(levels.base, e, 0, a);
        vo_mesh_edge_verts(levels.base, e, 1, b);
        if (a[0] == b[0] && a[1] == b[1]) continue;
        seam_edges++;
        check_seam_points(&levels, e);
    }
    assert_true(seam_edges >= 1 && border_edges >= 6);
    assert_true(measure(ctx, mesh, &levels).max < 0.002);
    vo_cook_levels_free(ctx, &levels);
    vo_mesh_destroy(mesh);
    vo_context_destroy(ctx);
}

/* Points of a curved border stay on it at every level, at equal arc lengths. */
static void curved_borders_are_followed(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *mesh = create_disc(ctx, 24, 96);
    vo_cook_levels levels;
    assert_ok(ctx, vo_cook_remesh(ctx, mesh, 60, 4, &levels));
    assert_in_range(levels.base->face_count, 6, 60);
    assert_true(vo_cook_levels_are_valid(&levels));
    const vo_mesh *base = levels.base;
    int n = 16, points = vo_cook_lattice_count(4), border = 0;
    for (int f = 0; f < base->face_count; f++)
        for (int k = 0; k < 3; k++) {
            if (base->edge_face[base->face_edge[f][k]][1] >= 0) continue;
            border++;
            for (int i = 1; i < n; i++) {
                int w[3] = {0, 0, 0};
                w[k] = n - i, w[(k + 1) % 3] = i;
                vo_rt_vec2 u =
                    levels.coordinates[f * points + vo_cook_lattice_index(n, w[1], w[2])];
                assert_near(hypot((double)u.x, (double)u.y), 0.5, 0.0005);
            }
        }
    assert_true(border >= 5);
    assert_true(measure(ctx, mesh, &levels).max < 0.002);
    vo_cook_levels_free(ctx, &levels);
    vo_mesh_destroy(mesh);
    vo_context_destroy(ctx);
}

static int count_labelled(const vo_mesh *mesh, int label) {
    int count = 0;
    for (int n = 0; n < mesh->node_count; n++) count += mesh->node_label[n] == label;
    return count;
}

/* Labelled nodes inside and labelled corners remain; of a labelled border as many as are needed.
 * No edge joins labelled nodes whose midpoint is not labelled. */
static void labels_are_kept(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *mesh = create_sheet(ctx, 30, 30, 2, 1);
    mesh->node_label[5 * 31 + 7] = 3;
    mesh->node_label[20 * 31 + 21] = 4;
    mesh->node_label[0] = mesh->node_label[30] = 5;
    for (int i = 0; i <= 30; i++) mesh->node_label[30 * 31 + i] = 1;
    for (int f = 0; f < mesh->face_count; f++) mesh->face_label[f] = f % 60 >= 30;
    vo_cook_levels levels;
    assert_ok(ctx, vo_cook_remesh(ctx, mesh, 40, 2, &levels));
    const vo_mesh *base = levels.base;
    assert_int_equal(count_labelled(base, 3), 1);
    assert_int_equal(count_labelled(base, 4), 1);
    assert_int_equal(count_labelled(base, 5), 2);
    assert_in_range(count_labelled(base, 1), 2, 10);
    for (int e = 0; e < base->edge_count; e++) {
        const int *n = base->edge_node[e];
        if (base->node_label[n[0]] == 0 || base->node_label[n[1]] == 0) continue;
        assert_true(base->node_label[n[0]] == 1 && base->node_label[n[1]] == 1);
        assert_true(base->node_x[n[0]].y == 1 && base->node_x[n[1]].y == 1);
    }
    double area[2] = {0, 0};
    for (int f = 0; f < base->face_count; f++)
        area[base->face_label[f]] += vo_mesh_face_area(base, f);
    assert_near(area[0], area[1], 0.02); /* the boundary between the labels is kept */
    assert_near(area[0] + area[1], 1, 1e-9);
    vo_cook_levels_free(ctx, &levels);
    vo_mesh_destroy(mesh);
    vo_context_destroy(ctx);
}

/* ---- assets ---------------------------------------------------------------------------------- */

static const char *save(vo_context *ctx, vo_mesh *mesh, const char *name) {
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", test_folder(), name);
    assert_ok(ctx, vo_obj_save(ctx, mesh, path));
    vo_mesh_destroy(mesh);
    return path;
}

/* The tolerance is met, the levels are in the asset, and its bytes do not depend on threads. */
static void assets_have_levels(void **state) {
    (void)state;
    size_t bytes[2];
    void *data[2];
    for (int k = 0; k < 2; k++) {
        vo_context *ctx = test_context(1 + 2 * k);
        vo_cook_def def = vo_cook_def_default();
        vo_cook_report report;
        vo_rt_asset *asset;
        def.input = save(ctx, create_disc(ctx, 20, 64), "disc.obj");
        def.tolerance = 0.0015;
        assert_ok(ctx, vo_cook(ctx, &def, &asset, &report));
        assert_int_equal(report.detected_levels, 0);
        assert_true(report.level_max_error[3] <= 0.0015 && report.level_max_error[0] > 0.0015);
        assert_true(report.level_rms_error[3] < report.level_rms_error[0]);
        assert_non_null(asset->fine);
        assert_int_equal(asset->render_triangle_count, report.input_faces);
        const void *block = vo_rt_asset_get_data(asset, &bytes[k]);
        data[k] = malloc(bytes[k]);
        memcpy(data[k], block, bytes[k]);
        char path[600];
        vo_mesh *level;
        snprintf(path, sizeof path, "%s/level.obj", test_folder());
        assert_ok(ctx, vo_cook_save_level(ctx, asset, 3, path));
        assert_ok(ctx, vo_obj_load(ctx, path, VO_MESH_FOR_CLOTH, &level));
        assert_int_equal(level->face_count, 64 * asset->triangle_count);
        assert_near(vo_cook_area(level), 3.14159 / 4, 0.002);
        assert_true(fabs(vo_cook_area(level) - 3.14159 / 4) < fabs(report.area - 3.14159 / 4));
        vo_mesh_destroy(level);
        assert_int_equal(vo_cook_save_level(ctx, asset, 4, path), VO_BAD_ARGUMENT);
        assert_message_contains(ctx, "level is 4; set it to 0 to 3");
        vo_rt_asset_destroy(asset);
        vo_cook_report_free(ctx, &report);
        vo_context_destroy(ctx);
    }
    assert_int_equal(bytes[0], bytes[1]);
    assert_memory_equal(data[0], data[1], bytes[0]);
    free(data[0]);
    free(data[1]);
}

/* A grid is used as it is; flat levels take no space in the asset. */
static void grids_are_used_as_they_are(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (int curved = 0; curved < 2; curved++)
        for (int diagonals = 0; diagonals < 2; diagonals++) {
            vo_cook_def def = vo_cook_def_default();
            vo_cook_report report;
            vo_rt_asset *asset;
            def.input = save(ctx, create_sheet(ctx, 32, 32, diagonals, curved), "grid.obj");
            def.tolerance = 0.001;
            def.uv_scale = 1;
            assert_ok(ctx, vo_cook(ctx, &def, &asset, &report));
            assert_int_equal(report.detected_levels, 3);
            assert_int_equal(asset->triangle_count, 32);
            assert_int_equal(asset->fine != NULL, curved);
            assert_true(report.level_max_error[3] < (curved && diagonals ? 0.001 : 1e-6));
            vo_rt_asset_destroy(asset);
            vo_cook_report_free(ctx, &report);
        }
    vo_context_destroy(ctx);
}

static void expect_failure(vo_context *ctx, const vo_cook_def *def, vo_result expected,
                           const char *text) {
    vo_rt_asset *asset;
    assert_int_equal(vo_cook(ctx, def, &asset, NULL), expected);
    assert_null(asset);
    assert_message_contains(ctx, text);
}

static void errors_name_the_remedy(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_cook_def def = vo_cook_def_default();
    def.input = save(ctx, create_sheet(ctx, 182, 182, 2, 1), "sheet.obj"); /* 66,248 faces */
    def.tolerance = -1;
    expect_failure(ctx, &def, VO_BAD_ARGUMENT, "tolerance is -1; set it to 0 to 1e+06");
    def.tolerance = 1e-9;
    def.face_count = 65535;
    def.max_level = 0;
    expect_failure(ctx, &def, VO_BAD_DATA, "raise max_level or the tolerance");
    def.links = "links.txt";
    expect_failure(ctx, &def, VO_BAD_ARGUMENT, "links refer to the vertices of the input mesh");
    def.links = NULL;
    def.input = "shirt.json";
    expect_failure(ctx, &def, VO_BAD_ARGUMENT, "the input is a pattern");
    vo_context_destroy(ctx);
}

static vo_result cook_levels(vo_context *ctx, void *user) {
    vo_cook_report report;
    vo_rt_asset *asset;
    VO_TRY(vo_cook(ctx, user, &asset, &report));
    vo_rt_asset_destroy(asset);
    vo_cook_report_free(ctx, &report);
    return VO_OK;
}

static void failed_allocations_are_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_cook_def def = vo_cook_def_default();
    char path[600];
    snprintf(path, sizeof path, "%s", save(ctx, create_sheet(ctx, 7, 6, 2, 1), "a.obj"));
    def.input = path;
    def.tolerance = 0.1;
    def.face_count = 24;
    def.max_level = 1;
    test_every_allocation(cook_levels, &def);
    snprintf(path, sizeof path, "%s", save(ctx, create_sheet(ctx, 4, 4, 1, 1), "b.obj"));
    test_every_allocation(cook_levels, &def);
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_are_detected),
        cmocka_unit_test(subdivided_meshes_are_detected),
        cmocka_unit_test(features_inside_tiles_prevent_detection),
        cmocka_unit_test(diagonals_of_grids_are_aligned),
        cmocka_unit_test(irregular_sheets_are_remeshed),
        cmocka_unit_test(seams_are_kept),
        cmocka_unit_test(curved_borders_are_followed),
        cmocka_unit_test(labels_are_kept),
        cmocka_unit_test(assets_have_levels),
        cmocka_unit_test(grids_are_used_as_they_are),
        cmocka_unit_test(errors_name_the_remedy),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

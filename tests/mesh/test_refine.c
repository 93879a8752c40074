/* Tests of midpoint subdivision: counts by Euler's formula, exact areas, seams, labels, and scenes
 * that request it. */
#include "mesh_checks.h"
#include "scene_files.h"

#include "core/random.h"
#include "mesh/data.h"
#include "mesh/refine.h"

/* Creates two patches in a row, sewn along adjacent sides, with random material and world
 * positions. */
static vo_mesh *sewn_patches(vo_context *ctx, uint64_t seed) {
    enum { ACROSS = 4, UP = 5 };
    vo_random r = vo_random_seed(seed);
    vo_vec3 x[2 * ACROSS * UP];
    vo_vec2 u[2 * ACROSS * UP];
    int vert_node[2 * ACROSS * UP], face[4 * (ACROSS - 1) * (UP - 1)][3], nodes = 0, faces = 0;
    for (int v = 0; v < 2 * ACROSS * UP; v++) {
        int patch = v / (ACROSS * UP), i = v % ACROSS, j = v / ACROSS % UP;
        u[v] =
            v2(i + 10 * patch + vo_random_real(&r, -0.2, 0.2), j + vo_random_real(&r, -0.2, 0.2));
        bool sewn = patch == 1 && i == 0;
        vert_node[v] = sewn ? vert_node[j * ACROSS + ACROSS - 1] : nodes++;
        x[vert_node[v]] = v3(i + (ACROSS - 1) * patch, j, vo_random_real(&r, -1, 1));
        if (i == ACROSS - 1 || j == UP - 1) continue;
        int rising[2][3] = {{v, v + 1, v + 1 + ACROSS}, {v, v + 1 + ACROSS, v + ACROSS}};
        memcpy(face[faces], rising, sizeof rising);
        faces += 2;
    }
    vo_mesh *m;
    assert_ok(ctx, vo_mesh_create(ctx, nodes, x, 2 * ACROSS * UP, u, vert_node, faces,
                                  (const int(*)[3])face, VO_MESH_FOR_CLOTH, &m));
    for (int n = 0; n < nodes; n++) m->node_v[n] = v3(vo_random_real(&r, -1, 1), n, 0);
    for (int f = 0; f < faces; f++) m->face_label[f] = f % 3;
    return m;
}

static int count_borders(const vo_mesh *m) {
    int count = 0;
    for (int e = 0; e < m->edge_count; e++) count += m->edge_face[e][1] < 0;
    return count;
}

static bool is_seam(const vo_mesh *m, int e) {
    int a[2], b[2];
    if (m->edge_face[e][1] < 0) return false;
    vo_mesh_edge_verts(m, e, 0, a);
    vo_mesh_edge_verts(m, e, 1, b);
    return a[0] != b[0] || a[1] != b[1];
}

static int count_seams(const vo_mesh *m) {
    int count = 0;
    for (int e = 0; e < m->edge_count; e++) count += is_seam(m, e);
    return count;
}

static double seam_length(const vo_mesh *m) {
    double length = 0;
    for (int e = 0; e < m->edge_count; e++)
        if (is_seam(m, e))
            length += v3_distance(m->node_x[m->edge_node[e][0]], m->node_x[m->edge_node[e][1]]);
    return length;
}

/* Asserts that each piece is its parent face at half the size. */
static void check_pieces(const vo_mesh *coarse, const vo_mesh *fine) {
    for (int f = 0; f < fine->face_count; f++) {
        int parent = f / 4, n[3], p[3];
        for (int i = 0; i < 3; i++) {
            n[i] = vo_mesh_face_node(fine, f, i);
            p[i] = vo_mesh_face_node(coarse, parent, i);
        }
        vo_vec3 edge = v3_sub(fine->node_x[n[1]], fine->node_x[n[0]]);
        int along = f % 4 == 3 ? 2 : 1; /* the middle piece is rotated by half a turn */
        vo_vec3 whole = v3_sub(coarse->node_x[p[along]], coarse->node_x[p[0]]);
        assert_near(v3_distance(edge, v3_scale(0.5, whole)), 0, 1e-14);
        assert_near(vo_mesh_face_area(fine, f), vo_mesh_face_area(coarse, parent) / 4, 1e-15);
        assert_int_equal(fine->face_label[f], coarse->face_label[parent]);
    }
}

/* Mean edge length of all faces in material space, m. */
static double mean_edge_length(const vo_mesh *m) {
    double sum = 0;
    for (int f = 0; f < m->face_count; f++)
        for (int i = 0; i < 3; i++) {
            const int *v = m->face_vert[f];
            sum += v2_length(v2_sub(m->vert_u[v[(i + 1) % 3]], m->vert_u[v[i]]));
        }
    return sum / (3.0 * m->face_count);
}

/* One level: N + E nodes, 2 E + 3 F edges, 4 F faces; twice as many border and seam edges. */
static void check_level(vo_context *ctx, const vo_mesh *a, const vo_mesh *b) {
    assert_int_equal(b->node_count, a->node_count + a->edge_count);
    assert_int_equal(b->edge_count, 2 * a->edge_count + 3 * a->face_count);
    assert_int_equal(b->face_count, 4 * a->face_count);
    assert_int_equal(b->vert_count, a->vert_count + a->edge_count + count_seams(a));
    assert_int_equal(count_borders(b), 2 * count_borders(a));
    assert_int_equal(count_seams(b), 2 * count_seams(a));
    assert_near(seam_length(b), seam_length(a), 1e-12);
    assert_near(mean_edge_length(b), mean_edge_length(a) / 2, 1e-13);
    assert_same_array(b->node_x, a->node_x, a->node_count);
    assert_same_array(b->node_v, a->node_v, a->node_count);
    assert_same_array(b->vert_u, a->vert_u, a->vert_count);
    check_valid(ctx, b, VO_MESH_FOR_CLOTH);
    check_pieces(a, b);
}

static void each_level_preserves_the_cloth(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (uint64_t seed = 0; seed < 8; seed++) {
        vo_mesh *a = sewn_patches(ctx, seed), *b;
        assert_int_equal(count_seams(a), 4);
        for (int turn = 0; turn < 3; turn++) {
            assert_ok(ctx, vo_mesh_copy(ctx, a, &b));
            assert_ok(ctx, vo_mesh_refine(&b, 1));
            check_level(ctx, a, b);
            vo_mesh_destroy(a);
            a = b;
        }
        vo_mesh_destroy(a);
    }
    vo_context_destroy(ctx);
}

static void levels_compose(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *a = sewn_patches(ctx, 3), *b;
    assert_ok(ctx, vo_mesh_copy(ctx, a, &b));
    assert_ok(ctx, vo_mesh_refine(&a, 3));
    for (int i = 0; i < 3; i++) assert_ok(ctx, vo_mesh_refine(&b, 1));
    assert_same_mesh(a, b);
    assert_ok(ctx, vo_mesh_refine(&b, 0));
    assert_same_mesh(a, b);
    vo_mesh_destroy(a);
    vo_mesh_destroy(b);
    vo_context_destroy(ctx);
}

/* Labels propagate along the border only; both halves of an edge inherit its fold angle. */
static void parts_inherit_properties(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *m = test_grid(ctx, 2, 2, 2, 2);
    int coarse = m->edge_count, inner = -1, border = -1;
    for (int n = 0; n < 3; n++) m->node_label[n] = 7; /* the lower side */
    m->node_label[4] = 7;                             /* and the centre */
    for (int e = 0; e < coarse; e++) {
        if (m->edge_face[e][1] >= 0 && m->edge_node[e][0] + m->edge_node[e][1] == 1 + 4) inner = e;
        if (m->edge_face[e][1] < 0) border = e;
    }
    assert_true(inner >= 0 && border >= 0);
    m->edge_rest_angle[inner] = 0.5;
    m->edge_label[inner] = 3;
    m->edge_damage[border] = 0.25;
    assert_ok(ctx, vo_mesh_add_optional_arrays(m, true, true));
    m->node_y[1] = v3(1, 0, 4);
    m->node_y[4] = v3(1, 1, 2);
    m->face_curvature[5][2] = 6;
    assert_ok(ctx, vo_mesh_refine(&m, 1));
    int labelled = 0, angles = 0, damaged = 0;
    for (int n = 9; n < m->node_count; n++) labelled += m->node_label[n] == 7;
    assert_int_equal(labelled, 2); /* not the midpoints of 0-4, 1-4 and 2-4 */
    assert_near(m->node_y[9 + inner].z, 3, 0);
    for (int e = 0; e < m->edge_count; e++) {
        angles += m->edge_rest_angle[e] == 0.5 && m->edge_label[e] == 3;
        damaged += m->edge_damage[e] == 0.25;
        bool of_inner = m->edge_node[e][0] == 9 + inner || m->edge_node[e][1] == 9 + inner;
        if (m->edge_rest_angle[e] != 0) assert_true(of_inner);
    }
    assert_int_equal(angles, 2);
    assert_int_equal(damaged, 2);
    for (int f = 0; f < m->face_count; f++)
        assert_true(m->face_curvature[f][2] == (f / 4 == 5 ? 6 : 0));
    vo_mesh_destroy(m);
    vo_context_destroy(ctx);
}

static void levels_match_the_edge_length(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *m = sewn_patches(ctx, 5);
    double mean = mean_edge_length(m);
    assert_int_equal(vo_mesh_refine_levels(m, 2 * mean), 0);
    assert_int_equal(vo_mesh_refine_levels(m, mean), 0);
    assert_int_equal(vo_mesh_refine_levels(m, mean / 1.41), 0);
    assert_int_equal(vo_mesh_refine_levels(m, mean / 1.42), 1);
    assert_int_equal(vo_mesh_refine_levels(m, mean / 2), 1);
    assert_int_equal(vo_mesh_refine_levels(m, mean / 8), 3);
    assert_int_equal(vo_mesh_refine_levels(m, 1e-300), 32);
    assert_int_equal(vo_mesh_refine(&m, 32), VO_BAD_ARGUMENT);
    assert_message_contains(ctx, "more than 4000000 faces");
    for (int v = 0; v < m->vert_count; v++) m->vert_u[v] = v2_scale(1e-8, m->vert_u[v]);
    assert_int_equal(vo_mesh_refine(&m, 4), VO_BAD_ARGUMENT);
    assert_message_contains(ctx, "would have no area");
    vo_mesh_destroy(m);
    vo_context_destroy(ctx);
}

static vo_result refine_twice(vo_context *ctx, void *arg) {
    (void)arg;
    vo_mesh *m;
    VO_TRY(vo_mesh_create_grid(ctx, 1, 1, 2, 2, &m));
    m->edge_rest_angle[4] = 1;
    vo_result result = vo_mesh_add_optional_arrays(m, true, true);
    if (result == VO_OK) result = vo_mesh_refine(&m, 2);
    vo_mesh_destroy(m);
    return result;
}

static void failed_allocation_keeps_the_mesh(void **state) {
    (void)state;
    test_every_allocation(refine_twice, NULL);
}

/* scene_full with its mesh refined: the sheet's edges of 1 and 0.7 m to 0.1 m, the grid
 * unchanged. */
static void scene_refines_its_cloths(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    const char *sets[] = {"magic.fixed_high_res_mesh=true",
                          "cloths[0].remeshing.size=[0.1, 1]",
                          "cloths[1].remeshing={\"size\": [0.25, 1]}",
                          "morphs=null",
                          "disable=[]",
                          "garments=[]",
                          "characters=[]"};
    vo_scene *plain = scene_files_expect(&files, scene_full, "disable=[]"), *scene;
    files.log[0] = 0;
    assert_ok(files.ctx, vo_scene_load(files.ctx, files.path, 7, sets, &scene));
    assert_string_equal(files.log, ""); /* refined without a warning */
    assert_int_equal(scene->cloth[0].mesh->face_count, 4 * 64);
    assert_int_equal(scene->cloth[1].mesh->face_count, 24 * 4);
    /* Handles on node numbers and corners are unchanged; labels and sides include the new nodes. */
    for (int i = 0; i < plain->handle_count; i++) {
        const vo_handle_def *a = &plain->handle[i].def, *b = &scene->handle[i].def;
        bool by_rim = a->kind == VO_HANDLE_CIRCLE || a->label >= 0 || i == 6;
        if (!by_rim) assert_same_handle(a, b);
    }
    assert_int_equal(plain->handle[1].def.node_count, 2);
    assert_int_equal(scene->handle[1].def.node_count, 9);
    assert_int_equal(plain->handle[6].def.node_count, 5);
    assert_int_equal(scene->handle[6].def.node_count, 9);
    for (int i = 0; i < 9; i++)
        assert_true(scene->cloth[1].mesh->node_x[scene->handle[6].nodes[i]].y == 1);
    vo_scene_destroy(plain);
    vo_scene_destroy(scene);
    scene_files_close(&files);
}

static void invalid_refinement_is_reported(void **state) {
    (void)state;
    scene_files files;
    scene_files_open(&files);
    vo_scene *scene;
    const char *unbounded[] = {"adapt=none", "cloths[0].remeshing={}"};
    vo_scene_destroy(scene_files_expect(&files, scene_least, NULL));
    assert_ok(files.ctx, vo_scene_load_at(files.ctx, files.path, 0, 2, unbounded, &scene));
    assert_non_null(
        strstr(files.log, "cloth 0 is not refined, since its remeshing has no shortest"));
    assert_int_equal(scene->cloth[0].mesh->face_count, 4);
    vo_scene_destroy(scene);
    const char *sets[] = {"magic.fixed_high_res_mesh=true", "cloths[0].remeshing.size=[1e-6, 1]"};
    assert_int_equal(vo_scene_load(files.ctx, files.path, 2, sets, &scene), VO_BAD_DATA);
    assert_message_contains(files.ctx, "cloths[0]: the refined");
    scene_files_close(&files);
}

static void arcsim_scenes_are_refined(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int faces;
    } cases[] = {{"sphere", 4 * 4096}, {"dress-blue", 112 * 256}};
    if (!test_data()) skip();
    vo_context *ctx = test_context(1);
    for (int i = 0; i < 2; i++) {
        char path[1200];
        const char *set = "magic.fixed_high_res_mesh=true";
        vo_scene *scene;
        snprintf(path, sizeof path, "%s/arcsim/conf/%s.json", test_data(), cases[i].name);
        if (!vo_file_exists(path)) continue;
        assert_ok(ctx, vo_scene_load(ctx, path, 1, &set, &scene));
        const vo_mesh *m = scene->cloth[0].mesh;
        assert_int_equal(m->face_count, cases[i].faces);
        double ratio = mean_edge_length(m) / scene->cloth[0].remeshing.size_min;
        assert_true(ratio > 0.7 && ratio < 1.42);
        check_valid(ctx, m, VO_MESH_FOR_CLOTH);
        vo_scene_destroy(scene);
    }
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_level_preserves_the_cloth),
        cmocka_unit_test(levels_compose),
        cmocka_unit_test(parts_inherit_properties),
        cmocka_unit_test(levels_match_the_edge_length),
        cmocka_unit_test(failed_allocation_keeps_the_mesh),
        cmocka_unit_test(scene_refines_its_cloths),
        cmocka_unit_test(invalid_refinement_is_reported),
        cmocka_unit_test(arcsim_scenes_are_refined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

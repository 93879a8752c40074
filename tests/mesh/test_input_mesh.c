/* Tests of the input mesh evaluated on remeshed cloth: in memory, in a simulation and in files. */
#include "run_fixture.h"
#include "scramble.h"

#include "codec/obj.h"
#include "mesh/refine.h"
#include "sim/input_mesh.h"
#include "sim/sim.h"

static vo_vec3 *new_vectors(int count) { return test_malloc((size_t)count * sizeof(vo_vec3)); }

static vo_mesh *copy_of(const vo_mesh *m) {
    vo_mesh *copy;
    assert_ok(m->ctx, vo_mesh_copy(m->ctx, m, &copy));
    return copy;
}

static void without_edits_nodes_are_copied(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_random r = vo_random_seed(1);
    for (int g = 0; g < GARMENT_COUNT; g++) {
        vo_mesh *input = garment_build(ctx, g, 3), *now = copy_of(input);
        for (int n = 0; n < now->node_count; n++)
            now->node_x[n] = v3(vo_random_real(&r, -1, 1), vo_random_real(&r, -1, 1), 1.0 / 3);
        vo_vec3 *x = new_vectors(input->node_count), *v = new_vectors(input->node_count);
        size_t bytes = (size_t)input->node_count * sizeof *x;
        for (int surface = 0; surface < 2; surface++) {
            assert_ok(ctx, vo_input_mesh_evaluate(ctx, input, now, surface, NULL, x, v));
            assert_memory_equal(x, now->node_x, bytes);
            assert_memory_equal(v, now->node_v, bytes);
        }
        test_free(x);
        test_free(v);
        vo_mesh_destroy(now);
        vo_mesh_destroy(input);
    }
    vo_context_destroy(ctx);
}

/* Splits random edges, which changes neither the surface nor existing nodes. */
static void split_all_over(vo_mesh *m, uint64_t seed, int count) {
    vo_random r = vo_random_seed(seed);
    vo_edit_def def = vo_edit_def_default();
    vo_edit *e;
    assert_ok(m->ctx, vo_edit_create(m, &def, &e));
    assert_ok(m->ctx, vo_edit_begin(e));
    for (int i = 0; i < count; i++)
        vo_edit_split(e, vo_random_int(&r, m->edge_count), vo_random_real(&r, 0.2, 0.8), NULL);
    assert_ok(m->ctx, vo_edit_finish(e));
    vo_edit_destroy(e);
}

static void remaining_nodes_are_reproduced_exactly(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (int g = 0; g < GARMENT_COUNT; g++) {
        vo_mesh *input = garment_build(ctx, g, 3), *now = copy_of(input);
        split_all_over(now, 5, 200);
        assert_true(now->node_count > input->node_count + 100);
        vo_vec3 *x = new_vectors(input->node_count), *v = new_vectors(input->node_count);
        for (int surface = 0; surface < 2; surface++) {
            assert_ok(ctx, vo_input_mesh_evaluate(ctx, input, now, surface, NULL, x, v));
            assert_memory_equal(x, input->node_x, (size_t)input->node_count * sizeof *x);
        }
        test_free(x);
        test_free(v);
        vo_mesh_destroy(now);
        vo_mesh_destroy(input);
    }
    vo_context_destroy(ctx);
}

/* Maps a vert of the two sheets of edit_meshes.h to the cylinder. */
static vo_vec3 on_tube(int patch, vo_vec2 u) {
    double angle = patch == 0 ? VO_PI * u.x / 3 : VO_PI + VO_PI * (u.x - 5) / 3.2;
    return v3(cos(angle), patch == 0 ? u.y : (u.y - 1) / 1.1, sin(angle));
}

static void set_tube_shape(vo_mesh *m) {
    for (int v = 0; v < m->vert_count; v++) {
        m->node_x[m->vert_node[v]] = on_tube(m->vert_patch[v], m->vert_u[v]);
        m->node_v[m->vert_node[v]] = v3(m->node_x[m->vert_node[v]].y, -2, 1);
    }
}

/* Two sewn sheets with different scales in material space, remeshed coarsely: the input mesh is
 * round, closed and moves correctly. */
static void coarse_sewn_tube_stays_round(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    garment g = {.ctx = ctx};
    garment_sheet(&g, 16, 8, v2(0, 0), v2(3, 1), NO_HOLE, 0, place_tube, (double[]){0, VO_PI});
    garment_sheet(&g, 16, 8, v2(5, 1), v2(3.2, 1.1), NO_HOLE, 1, place_tube,
                  (double[]){VO_PI, 2 * VO_PI});
    vo_mesh *input;
    assert_ok(ctx, vo_mesh_build_validated(ctx, "tube", &g.data, VO_MESH_FOR_CLOTH, &input));
    vo_mesh_data_free(ctx, &g.data);
    vo_vec3 *x = new_vectors(input->node_count), *v = new_vectors(input->node_count);
    for (int round = 0; round < 10; round++) {
        vo_mesh *now = copy_of(input);
        double worst[2] = {0, 0};
        scramble(now, (uint64_t)round, 700, 0);
        set_tube_shape(now);
        for (int surface = 0; surface < 2; surface++) {
            assert_ok(ctx, vo_input_mesh_evaluate(ctx, input, now, surface, NULL, x, v));
            for (int n = 0; n < input->node_count; n++) {
                double off = v3_distance(x[n], input->node_x[n]);
                worst[surface] = vo_max(worst[surface], off);
                assert_near(v3_distance(v[n], v3(input->node_x[n].y, -2, 1)), 0, 1e-12);
            }
        }
        if (!(worst[0] < worst[1] / 3 && worst[1] > 0.01))
            fail_msg("round %d: %g off, flat %g", round, worst[0], worst[1]);
        vo_mesh_destroy(now);
    }
    test_free(x);
    test_free(v);
    vo_mesh_destroy(input);
    vo_context_destroy(ctx);
}

/* A sheet folded by half a turn of radius 2 cm, oblique to its mesh; y is along the fold, the tip
 * is at x = 2 cm. */
static vo_vec3 on_fold(vo_vec2 u) {
    const double r = 0.02, turn = 0.35, half = VO_PI * r / 2;
    vo_vec2 p = v2_sub(u, v2(0.5, 0.5));
    double s = cos(turn) * p.x + sin(turn) * p.y, y = cos(turn) * p.y - sin(turn) * p.x;
    if (s < -half) return v3(s + half, y, -r);
    return s > half ? v3(half - s, y, r) : v3(r * cos(s / r), y, r * sin(s / r));
}

/* Returns the extent of the mesh across the fold at one y. */
static double extent_at(const vo_mesh *m, const vo_vec3 *x, double y) {
    double reach = -INFINITY;
    for (int e = 0; e < m->edge_count; e++) {
        vo_vec3 a = x[m->edge_node[e][0]], b = x[m->edge_node[e][1]];
        if ((a.y < y) != (b.y < y)) reach = vo_max(reach, v3_lerp(a, b, (y - a.y) / (b.y - a.y)).x);
    }
    return reach;
}

/* Standard deviation of the extent along the fold, which measures serration. */
static double serration(const vo_mesh *m, const vo_vec3 *x) {
    enum { PLACES = 200 };
    double sum = 0, square = 0;
    for (int i = 0; i < PLACES; i++) {
        double reach = extent_at(m, x, 0.6 * ((i + 0.5) / PLACES - 0.5));
        sum += reach / PLACES;
        square += reach * reach / PLACES;
    }
    return sqrt(vo_max(square - sum * sum, 0));
}

/* Edges of 7 cm cannot follow the fold, but the result must not be serrated. */
static void fold_finer_than_the_mesh_is_not_serrated(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    garment g = {.ctx = ctx};
    garment_sheet(&g, 14, 14, v2(0, 0), v2(1, 1), NO_HOLE, 0, place_tube, (double[]){0, 1});
    vo_mesh *input, *now;
    assert_ok(ctx, vo_mesh_build_validated(ctx, "sheet", &g.data, VO_MESH_FOR_CLOTH, &input));
    vo_mesh_data_free(ctx, &g.data);
    now = copy_of(input);
    assert_ok(ctx, vo_mesh_refine(&now, 3));
    for (int v = 0; v < now->vert_count; v++) {
        now->node_x[now->vert_node[v]] = on_fold(now->vert_u[v]);
        now->node_v[now->vert_node[v]] = v3(1, -2, 0.5);
    }
    vo_vec3 *x = new_vectors(input->node_count), *v = new_vectors(input->node_count);
    assert_ok(ctx, vo_input_mesh_evaluate(ctx, input, now, VO_SURFACE_FLAT, NULL, x, NULL));
    double before = serration(input, x);
    assert_ok(ctx, vo_input_mesh_evaluate(ctx, input, now, VO_SURFACE_SMOOTH, NULL, x, v));
    double is = serration(input, x);
    if (!(is < before / 2)) fail_msg("serrated by %g m, of %g", is, before);
    int moved = 0;
    for (int i = 0; i < input->vert_count; i++) {
        int n = input->vert_node[i];
        double off = v3_distance(x[n], on_fold(input->vert_u[i]));
        moved += off > 1e-12;
        assert_true(off < 0.04);
        assert_near(v3_distance(v[n], v3(1, -2, 0.5)), 0, 1e-9);
    }
    assert_in_range(moved, 10, input->node_count / 2); /* flat cloth is not moved */
    test_free(x);
    test_free(v);
    vo_mesh_destroy(now);
    vo_mesh_destroy(input);
    vo_context_destroy(ctx);
}

/* Fixed nodes stay exactly in place while the nodes around them are fitted to the fold. */
static void fixed_nodes_are_not_fitted(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *input, *now;
    input = test_grid(ctx, 1, 1, 7, 7);
    now = copy_of(input);
    assert_ok(ctx, vo_mesh_refine(&now, 3));
    for (int v = 0; v < now->vert_count; v++)
        now->node_x[now->vert_node[v]] = on_fold(now->vert_u[v]);
    vo_vec3 *x = new_vectors(input->node_count);
    unsigned char *held = test_calloc((size_t)input->node_count, 1);
    int moved[2] = {0};
    for (int fixed = 0; fixed < 2; fixed++) {
        assert_ok(ctx, vo_input_mesh_evaluate(ctx, input, now, VO_SURFACE_SMOOTH, held, x, NULL));
        for (int v = 0; v < input->vert_count; v++) {
            int n = input->vert_node[v];
            bool off = v3_distance(x[n], on_fold(input->vert_u[v])) > 1e-12;
            if (held[n]) assert_false(off);
            moved[fixed] += off;
            if (!fixed && moved[0] % 2) held[n] = off;
        }
    }
    assert_true(moved[0] > 10 && moved[1] > 3 && moved[1] < moved[0]);
    test_free(held);
    test_free(x);
    vo_mesh_destroy(now);
    vo_mesh_destroy(input);
    vo_context_destroy(ctx);
}

/* The rim of a disk is collapsed to a coarser polygon; the rim of the input mesh stays round. */
static void flat_disk_is_reproduced(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *input = make_disk(ctx, 4, 64, 1);
    vo_vec3 *x = new_vectors(input->node_count);
    for (int round = 0; round < 10; round++) {
        vo_mesh *now = copy_of(input);
        scramble(now, (uint64_t)round, 3000, 0.01);
        assert_ok(ctx, vo_input_mesh_evaluate(ctx, input, now, round % 2, NULL, x, NULL));
        for (int n = 0; n < input->node_count; n++)
            assert_near(v3_distance(x[n], input->node_x[n]), 0, 1e-12);
        vo_mesh_destroy(now);
    }
    test_free(x);
    vo_mesh_destroy(input);
    vo_context_destroy(ctx);
}

/* Two verts at each position of the slit, at different heights. */
static void sides_of_a_slit_stay_separate(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_mesh *input = make_slit(ctx);
    vo_vec3 *x = new_vectors(input->node_count);
    int seen = 0;
    for (int round = 0; round < 20; round++) {
        vo_mesh *now = copy_of(input);
        scramble(now, (uint64_t)round, 400, 0.01);
        assert_ok(ctx, vo_input_mesh_evaluate(ctx, input, now, VO_SURFACE_FLAT, NULL, x, NULL));
        for (int n = 0; n < input->node_count; n++) {
            vo_vec3 given = input->node_x[n];
            if (given.x != 0.5 || given.y > 0.4) continue;
            assert_true(given.z < 0 ? x[n].z < -0.1 : x[n].z > 0.1);
            seen++;
        }
        vo_mesh_destroy(now);
    }
    assert_int_equal(seen, 20 * 8);
    test_free(x);
    vo_mesh_destroy(input);
    vo_context_destroy(ctx);
}

static void isolated_nodes_stay(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_vec3 node[] = {{0, 0, 0}, {9, 9, 9}, {1, 0, 0}, {0, 1, 0}}, x[4], v[4];
    vo_vec2 uv[] = {{0, 0}, {1, 0}, {0, 1}};
    vo_mesh *input, *now;
    assert_ok(ctx, vo_mesh_create(ctx, 4, node, 3, uv, (int[]){0, 2, 3}, 1, (int[][3]){{0, 1, 2}},
                                  VO_MESH_FOR_CLOTH, &input));
    now = copy_of(input);
    split_all_over(now, 1, 20);
    for (int n = 0; n < now->node_count; n++) now->node_x[n].z += 5;
    assert_ok(ctx, vo_input_mesh_evaluate(ctx, input, now, VO_SURFACE_SMOOTH, NULL, x, v));
    assert_near(v3_distance(x[1], node[1]), 0, 0);
    assert_near(v3_distance(x[3], v3(0, 1, 5)), 0, 0);
    vo_mesh_destroy(now);
    vo_mesh_destroy(input);
    vo_context_destroy(ctx);
}

/* One, two and three threads. */
static void result_is_independent_of_threads(void **state) {
    (void)state;
    vo_vec3 *first = NULL;
    for (int threads = 1; threads <= 3; threads++) {
        vo_context *ctx = test_context(threads);
        vo_mesh *input, *now;
        input = test_grid(ctx, 1, 1, 40, 40);
        now = copy_of(input);
        scramble(now, 8, 3000, 0);
        put_on_surface(now, surface_saddle);
        vo_vec3 *x = new_vectors(input->node_count);
        assert_ok(ctx, vo_input_mesh_evaluate(ctx, input, now, VO_SURFACE_SMOOTH, NULL, x, NULL));
        if (first) assert_memory_equal(x, first, (size_t)input->node_count * sizeof *x);
        vo_mesh_destroy(now);
        vo_mesh_destroy(input);
        vo_context_destroy(ctx);
        if (first) test_free(x);
        if (!first) first = x;
    }
    test_free(first);
}

/* Patch indices of a corrupt frame are rejected or mapped to an existing patch. */
static void invalid_patches_are_handled(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_random r = vo_random_seed(4);
    vo_mesh *input = garment_build(ctx, 1, 1);
    vo_vec3 *x = new_vectors(input->node_count);
    int rejected = 0;
    for (int round = 0; round < 60; round++) {
        vo_mesh *now = copy_of(input);
        scramble(now, (uint64_t)round, 100, 0);
        for (int v = 0; v < now->vert_count; v++) {
            int forged = vo_random_int(&r, 5) - 1;
            now->vert_patch[v] = round % 3 == 0 ? forged : round % 3 == 1 ? INT32_MAX : 1;
            if (round % 4 == 3) now->vert_u[v] = v2(vo_random_real(&r, -9, 9), now->vert_u[v].y);
        }
        vo_result result =
            vo_input_mesh_evaluate(ctx, input, now, VO_SURFACE_SMOOTH, NULL, x, NULL);
        assert_true(result == VO_OK || result == VO_BAD_DATA);
        if (result == VO_BAD_DATA) assert_message_contains(ctx, "patch 0 of the cloth has no face");
        rejected += result == VO_BAD_DATA;
        vo_mesh_destroy(now);
    }
    assert_int_equal(rejected, 40);
    test_free(x);
    vo_mesh_destroy(input);
    vo_context_destroy(ctx);
}

static void load_data(vo_context *ctx, const char *name, vo_mesh **out) {
    char path[1200];
    snprintf(path, sizeof path, "%s/arcsim/meshes/%s", test_data(), name);
    assert_ok(ctx, vo_mesh_load_obj(ctx, path, VO_MESH_FOR_CLOTH, out));
}

static double longest_edge(const vo_mesh *m) {
    double longest = 0;
    for (int e = 0; e < m->edge_count; e++)
        longest = vo_max(longest,
                         v3_distance(m->node_x[m->edge_node[e][0]], m->node_x[m->edge_node[e][1]]));
    return longest;
}

/* ARCSim's garments: refined everywhere; then a fine mesh evaluated on a coarser one. */
static void external_garments_are_reproduced(void **state) {
    (void)state;
    static const char *const names[] = {"flag.obj", "dress4.obj", "dress4w.obj", "square4.obj"};
    if (!test_data()) {
        print_message("skipped: no data folder (VOILE_DATA)\n");
        skip();
    }
    vo_context *ctx = test_context(1);
    for (int k = 0; k < 4; k++) {
        vo_mesh *input;
        load_data(ctx, names[k], &input);
        vo_mesh *fine = copy_of(input), *coarse;
        assert_ok(ctx, vo_mesh_refine(&fine, 3));
        vo_vec3 *x = new_vectors(fine->node_count);
        assert_ok(ctx, vo_input_mesh_evaluate(ctx, input, fine, VO_SURFACE_SMOOTH, NULL, x, NULL));
        assert_memory_equal(x, input->node_x, (size_t)input->node_count * sizeof *x);
        coarse = copy_of(fine);
        scramble(coarse, 3, fine->face_count / 2, 0.001);
        assert_true(coarse->face_count < fine->face_count);
        double longest = longest_edge(coarse);
        for (int surface = 0; surface < 2; surface++) {
            assert_ok(ctx, vo_input_mesh_evaluate(ctx, fine, coarse, surface, NULL, x, NULL));
            for (int n = 0; n < fine->node_count; n++)
                assert_near(v3_distance(x[n], fine->node_x[n]), 0, 0.5 * longest);
        }
        test_free(x);
        vo_mesh_destroy(coarse);
        vo_mesh_destroy(fine);
        vo_mesh_destroy(input);
    }
    vo_context_destroy(ctx);
}

typedef struct pair {
    vo_mesh *input, *now;
} pair;

static vo_result evaluate_body(vo_context *ctx, void *arg) {
    const pair *p = arg;
    vo_vec3 x[400];
    return vo_input_mesh_evaluate(ctx, p->input, p->now, VO_SURFACE_SMOOTH, NULL, x, NULL);
}

static void allocation_failure_is_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    pair p = {.input = garment_build(ctx, 1, 1)};
    p.now = copy_of(p.input);
    scramble(p.now, 1, 60, 0);
    test_every_allocation(evaluate_body, &p);
    vo_mesh_destroy(p.now);
    vo_mesh_destroy(p.input);
    vo_context_destroy(ctx);
}

/* ---- simulations and files ------------------------------------------------------------------- */

/* Two quads with colours and normals in centimetres, with an isolated node; the second is mirrored
 * in material space and sewn to the first. */
static const char user_mesh[] = "# mine\n"
                                "vt 0 0\nvt 50 0\nvt 50 100\nvt 0 100\n"
                                "vt -50 0\nvt -100 0\nvt -100 100\nvt -50 100\n"
                                "v 0 0 0\nv 50 0 0 0.5 0.5 1\nv 50 100 0\nv 0 100 0\n"
                                "v 100 0 0\nnl 7\nv 100 100 0\nv 7 7 7\nvn 0 0 1\n"
                                "f 1/1/1 2/2/1 3/3/1 4/4/1\n"
                                "f 2/5/1 5/6/1 6/7/1 3/8/1 # mirrored\ntl 1\n";

static const char user_scene[] =
    "{\"frame_time\": 0.04, \"frame_steps\": 4, \"end_frame\": 3,\n"
    "  \"units\": \"cm\",\n"
    "  \"cloths\": [{\"mesh\": \"mine.obj\", \"transform\": {\"scale\": 2},\n"
    "    \"materials\": [{\"thickness\": 3e-2, \"density\": 500, \"elastic_modulus\": 1e6,\n"
    "                    \"poisson_ratio\": 0.3},\n"
    "                   {\"thickness\": 3e-2, \"density\": 500, \"elastic_modulus\": 1e6,\n"
    "                    \"poisson_ratio\": 0.3}]}],\n"
    "  \"handles\": [{\"nodes\": [0, 4]}], \"gravity\": [0, 0, -980]}\n";

static run_fixture open_user_fixture(void) {
    run_fixture p = open_run_fixture(1);
    char path[700];
    assert_ok(p.ctx, vo_file_write(p.ctx, p.scene, user_scene, strlen(user_scene)));
    vo_path_folder(path, sizeof path, p.scene);
    strcat(path, "/mine.obj");
    assert_ok(p.ctx, vo_file_write(p.ctx, path, user_mesh, strlen(user_mesh)));
    return p;
}

/* Removes the v and nv lines from the text. */
static void drop_nodes(char *text) {
    char *to = text;
    for (char *line = text, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        next += *next == '\n';
        if (strncmp(line, "v ", 2) == 0 || strncmp(line, "nv ", 3) == 0) continue;
        memmove(to, line, (size_t)(next - line));
        to += next - line;
    }
    *to = 0;
}

/* A simulation with a remeshed cloth, saved with the topology of the input mesh. */
static void remeshed_cloth_is_saved_with_input_topology(void **state) {
    (void)state;
    run_fixture p = open_user_fixture();
    vo_scene *scene;
    vo_sim *sim;
    assert_ok(p.ctx, vo_scene_load(p.ctx, p.scene, 0, NULL, &scene));
    assert_ok(p.ctx, vo_sim_create(p.ctx, scene, &sim));
    split_all_over(sim->cloth[0].mesh, 3, 100);
    for (int n = 0; n < sim->cloth[0].mesh->node_count; n++) sim->cloth[0].mesh->node_x[n].z = 0.25;
    char path[700];
    snprintf(path, sizeof path, "%s.obj", p.run);
    assert_ok(p.ctx, vo_input_mesh_save(sim, 0, VO_SURFACE_SMOOTH, path));
    vo_bytes text;
    vo_mesh_data data;
    assert_ok(p.ctx, vo_file_read(p.ctx, path, &text));
    assert_ok(p.ctx, vo_obj_parse(p.ctx, path, text.data, text.size, &data));
    assert_int_equal(data.node_count, 7);
    for (int n = 0; n < 6; n++) {
        assert_near(data.node_x[n].z, 0.25, 0);
        assert_near(data.node_x[n].x, scene->cloth[0].mesh->node_x[n].x, 0);
    }
    assert_near(data.node_x[1].x, 1, 1e-15); /* metres */
    assert_near(data.node_x[6].z, 0.14, 1e-15);
    assert_near(data.vert_u[5].x, -100, 0); /* as in the input file */
    assert_non_null(strstr(text.data, " 0.5 0.5 1\n"));
    drop_nodes(text.data);
    assert_string_equal(text.data, "# mine\n"
                                   "vt 0 0\nvt 50 0\nvt 50 100\nvt 0 100\n"
                                   "vt -50 0\nvt -100 0\nvt -100 100\nvt -50 100\n"
                                   "nl 7\n"
                                   "f 1/1 2/2 3/3 4/4\n"
                                   "f 2/5 5/6 6/7 3/8 # mirrored\ntl 1\n");
    vo_mesh_data_free(p.ctx, &data);
    vo_bytes_free(p.ctx, &text);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    close_run_fixture(&p);
}

static void export_keeps_the_input_mesh(void **state) {
    (void)state;
    run_fixture p = open_user_fixture();
    assert_ok(p.ctx, simulate(&p, 1000));
    char output[700], path[800];
    snprintf(output, sizeof output, "%s-obj", p.run);
    vo_export_def def = vo_export_def_default();
    def.folder = p.run;
    def.output = output;
    def.topology = VO_TOPOLOGY_ORIGINAL;
    assert_ok(p.ctx, vo_run_export_obj(p.ctx, &def));
    vo_mesh *first, *last;
    snprintf(path, sizeof path, "%s/0000_00.obj", output);
    assert_ok(p.ctx, vo_mesh_load_obj(p.ctx, path, VO_MESH_FOR_CLOTH, &first));
    snprintf(path, sizeof path, "%s/0003_00.obj", output);
    assert_ok(p.ctx, vo_mesh_load_obj(p.ctx, path, VO_MESH_FOR_CLOTH, &last));
    assert_int_equal(last->node_count, 7);
    assert_int_equal(last->face_count, 4);
    assert_memory_equal(first->vert_u, last->vert_u, 8 * sizeof *last->vert_u);
    assert_true(last->node_x[2].z < first->node_x[2].z - 0.01);
    assert_near(v3_distance(last->node_x[0], first->node_x[0]), 0, 1e-12);
    vo_mesh_destroy(first);
    vo_mesh_destroy(last);
    close_run_fixture(&p);
}

enum { SHEET = 4, ROW = SHEET + 1, SHEET_NODES = ROW * ROW };

/* Returns the node of a panel at a grid position. The third panel continues the first. */
static int panel_node(int sheet, int i, int j) {
    if (sheet == 2) return i == 0 ? panel_node(0, SHEET, j) : 2 * SHEET_NODES + SHEET * j + i;
    return sheet * SHEET_NODES + ROW * j + i + 1;
}

/* Writes three panels with the same material coordinates: two above each other, and one sewn to the
 * first, so that edits interleave their verts. */
static void write_coincident_panels(const run_fixture *p, const char *name) {
    char path[700], text[12000];
    size_t used = 0;
#define PUT(...) used += (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__)
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < SHEET_NODES; c++) {
            double s = c % ROW / 4.0, t = c / ROW / 4.0;
            PUT("vt %g %g\n", s, t);
            if (k < 2 || c % ROW > 0) PUT("v %g %g %d\n", k == 2 ? 1 + s : s, t, k == 1);
        }
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < SHEET * SHEET; c++) {
            int i = c % SHEET, j = c / SHEET, v = 1 + k * SHEET_NODES + ROW * j + i;
            PUT("f %d/%d %d/%d %d/%d %d/%d\n", panel_node(k, i, j), v, panel_node(k, i + 1, j),
                v + 1, panel_node(k, i + 1, j + 1), v + ROW + 1, panel_node(k, i, j + 1), v + ROW);
        }
#undef PUT
    vo_path_folder(path, sizeof path, p->scene);
    strcat(path, name);
    assert_ok(p->ctx, vo_file_write(p->ctx, path, text, used));
}

/* Remeshed, saved and read from the frames: each panel has its own positions. */
static void coincident_panels_are_distinguished(void **state) {
    (void)state;
    static const char scene[] =
        "{\"frame_time\": 0.04, \"frame_steps\": 4, \"end_frame\": 4,\n"
        "  \"cloths\": [{\"mesh\": \"twins.obj\",\n"
        "    \"materials\": [{\"thickness\": 3e-4, \"density\": 500, \"elastic_modulus\": 1e6,\n"
        "                    \"poisson_ratio\": 0.3}],\n"
        "    \"remeshing\": {\"refine_angle\": 0.3, \"size\": [0.02, 0.15]}}],\n"
        "  \"handles\": [{\"nodes\": [0, 4, 25, 29, 53]}], \"gravity\": [0, 0, -9.8]}\n";
    run_fixture p = open_run_fixture(1);
    assert_ok(p.ctx, vo_file_write(p.ctx, p.scene, scene, strlen(scene)));
    write_coincident_panels(&p, "/twins.obj");
    assert_ok(p.ctx, simulate(&p, 1000));
    char output[700], path[800];
    snprintf(output, sizeof output, "%s-obj", p.run);
    vo_export_def def = vo_export_def_default();
    def.folder = p.run;
    def.output = output;
    vo_mesh *mesh[2];
    for (int original = 0; original < 2; original++) {
        def.topology = original ? VO_TOPOLOGY_ORIGINAL : VO_TOPOLOGY_ADAPTIVE;
        assert_ok(p.ctx, vo_run_export_obj(p.ctx, &def));
        snprintf(path, sizeof path, "%s/0004_00.obj", output);
        assert_ok(p.ctx, vo_mesh_load_obj(p.ctx, path, VO_MESH_FOR_CLOTH, &mesh[original]));
    }
    assert_true(mesh[0]->face_count > 120);
    assert_int_equal(mesh[1]->face_count, 96);
    assert_int_equal(mesh[1]->node_count, 70);
    for (int n = 0; n < 25; n++) {
        vo_vec3 apart = v3_sub(mesh[1]->node_x[n + 25], mesh[1]->node_x[n]);
        assert_near(v3_distance(apart, v3(0, 0, 1)), 0, 0.1);
    }
    for (int n = 50; n < 70; n++) assert_true(mesh[1]->node_x[n].x > 1.1);
    assert_true(mesh[1]->node_x[24].z < -0.02);
    vo_mesh_destroy(mesh[0]);
    vo_mesh_destroy(mesh[1]);
    close_run_fixture(&p);
}

/* Two corners of a napkin are fixed while its folds become too tight for a mesh of four cells. */
static void nodes_of_handles_keep_their_positions(void **state) {
    (void)state;
    static const char text[] =
        "{\"frame_time\": 0.04, \"frame_steps\": 4,\n"
        "  \"cloths\": [{\"grid\": {\"width\": 1, \"height\": 1, \"columns\": 2, \"rows\": 2},\n"
        "    \"materials\": [{\"thickness\": 2e-4, \"density\": 500, \"elastic_modulus\": 1e5,\n"
        "                    \"poisson_ratio\": 0.3}],\n"
        "    \"remeshing\": {\"refine_angle\": 0.3, \"size\": [0.03, 0.3]}}],\n"
        "  \"handles\": [{\"nodes\": [6, 8]}], \"gravity\": [0, 0, -9.8]}\n";
    enum { NODES = 9 };
    run_fixture p = open_run_fixture(1);
    assert_ok(p.ctx, vo_file_write(p.ctx, p.scene, text, strlen(text)));
    vo_scene *scene;
    vo_sim *sim;
    assert_ok(p.ctx, vo_scene_load(p.ctx, p.scene, 0, NULL, &scene));
    assert_ok(p.ctx, vo_sim_create(p.ctx, scene, &sim));
    const vo_mesh *input = scene->cloth[0].mesh;
    double fitted = 0;
    for (int f = 0; f < 12; f++) {
        vo_vec3 x[NODES];
        assert_ok(p.ctx, vo_sim_step_frame(sim));
        assert_ok(p.ctx, vo_sim_sample_input_mesh(sim, 0, VO_SURFACE_SMOOTH, NODES, x, NULL));
        for (int n = 6; n < NODES; n += 2)
            assert_near(v3_distance(x[n], input->node_x[n]), 0, 1e-12);
        assert_ok(p.ctx, vo_input_mesh_evaluate(p.ctx, input, sim->cloth[0].mesh, VO_SURFACE_SMOOTH,
                                                NULL, x, NULL));
        for (int n = 6; n < NODES; n += 2)
            fitted = vo_max(fitted, v3_distance(x[n], input->node_x[n]));
    }
    if (!(fitted > 0.01)) fail_msg("fitting moves the nodes by at most %g m", fitted);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    close_run_fixture(&p);
}

/* A grid that was refined at the start is exported as the original grid. */
static void refined_grid_is_exported_coarse(void **state) {
    (void)state;
    run_fixture p = open_run_fixture(1);
    vo_run_def def = vo_run_def_default();
    const char *overrides[] = {"magic.fixed_high_res_mesh=true",
                               "cloths[0].remeshing.size=[0.03,1]"};
    def.folder = p.run;
    def.last_frame = 1;
    def.override_count = 2;
    def.overrides = overrides;
    assert_ok(p.ctx, vo_run_simulate(p.ctx, p.scene, &def));
    char output[700], path[800];
    snprintf(output, sizeof output, "%s-obj", p.run);
    vo_export_def export = vo_export_def_default();
    export.folder = p.run;
    export.output = output;
    int faces[2];
    for (int original = 0; original < 2; original++) {
        export.topology = original ? VO_TOPOLOGY_ORIGINAL : VO_TOPOLOGY_ADAPTIVE;
        assert_ok(p.ctx, vo_run_export_obj(p.ctx, &export));
        vo_mesh *mesh;
        snprintf(path, sizeof path, "%s/0001_00.obj", output);
        assert_ok(p.ctx, vo_mesh_load_obj(p.ctx, path, VO_MESH_FOR_CLOTH, &mesh));
        faces[original] = mesh->face_count;
        assert_near(mesh->vert_u[168].x, 1, 1e-15);
        vo_mesh_destroy(mesh);
    }
    assert_true(faces[0] > 4 * 288 - 1);
    assert_int_equal(faces[1], 288);
    close_run_fixture(&p);
}

static void sample_input_mesh_checks_arguments(void **state) {
    (void)state;
    run_fixture p = open_user_fixture();
    vo_scene *scene;
    vo_sim *sim;
    vo_vec3 x[7], v[7];
    assert_ok(p.ctx, vo_scene_load(p.ctx, p.scene, 0, NULL, &scene));
    assert_ok(p.ctx, vo_sim_create(p.ctx, scene, &sim));
    assert_ok(p.ctx, vo_sim_sample_input_mesh(sim, 0, VO_SURFACE_FLAT, 7, x, v));
    assert_ok(p.ctx, vo_sim_step_frame(sim));
    assert_ok(p.ctx, vo_sim_sample_input_mesh(sim, 0, VO_SURFACE_SMOOTH, 7, x, v));
    assert_memory_equal(x, vo_sim_get_cloth(sim, 0).node_x, sizeof x);
    assert_memory_equal(v, vo_sim_get_cloth(sim, 0).node_v, sizeof v);
    x[2] = v3(5, 5, 5);
    assert_ok(p.ctx, vo_sim_sample_input_mesh(sim, 0, VO_SURFACE_SMOOTH, 2, x, NULL));
    assert_near(x[2].x, 5, 0);
    assert_ok(p.ctx, vo_sim_sample_input_mesh(sim, 0, VO_SURFACE_SMOOTH, 0, NULL, NULL));
    assert_int_equal(vo_sim_sample_input_mesh(sim, 0, VO_SURFACE_SMOOTH, 8, x, v), VO_BAD_ARGUMENT);
    assert_message_contains(p.ctx, "8 nodes were requested, but cloth 0 has 7");
    assert_int_equal(vo_sim_sample_input_mesh(sim, 0, VO_SURFACE_SMOOTH, -1, x, v),
                     VO_BAD_ARGUMENT);
    assert_int_equal(vo_sim_sample_input_mesh(sim, 1, VO_SURFACE_SMOOTH, 1, x, v), VO_BAD_ARGUMENT);
    assert_int_equal(vo_sim_sample_input_mesh(sim, -1, VO_SURFACE_SMOOTH, 1, x, v),
                     VO_BAD_ARGUMENT);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    close_run_fixture(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_edits_nodes_are_copied),
        cmocka_unit_test(remaining_nodes_are_reproduced_exactly),
        cmocka_unit_test(coarse_sewn_tube_stays_round),
        cmocka_unit_test(fold_finer_than_the_mesh_is_not_serrated),
        cmocka_unit_test(fixed_nodes_are_not_fitted),
        cmocka_unit_test(flat_disk_is_reproduced),
        cmocka_unit_test(sides_of_a_slit_stay_separate),
        cmocka_unit_test(isolated_nodes_stay),
        cmocka_unit_test(result_is_independent_of_threads),
        cmocka_unit_test(invalid_patches_are_handled),
        cmocka_unit_test(external_garments_are_reproduced),
        cmocka_unit_test(allocation_failure_is_reported),
        cmocka_unit_test(remeshed_cloth_is_saved_with_input_topology),
        cmocka_unit_test(export_keeps_the_input_mesh),
        cmocka_unit_test(coincident_panels_are_distinguished),
        cmocka_unit_test(nodes_of_handles_keep_their_positions),
        cmocka_unit_test(refined_grid_is_exported_coarse),
        cmocka_unit_test(sample_input_mesh_checks_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

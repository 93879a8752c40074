/* Assets of the real-time library: connectivity, rest shape, maps, tethers, output topology. */
#include "rt_asset_cases.h"

static test_memory memory;

static int reset(void **state) {
    (void)state;
    memory = (test_memory){.fail_at = -1};
    return 0;
}

static int check_leaks(void **state) {
    (void)state;
    assert_int_equal(memory.live, 0);
    assert_int_equal(memory.bytes, 0);
    return 0;
}

static vo_rt_asset *make(rt_test_mesh *mesh) {
    vo_rt_asset *asset = rt_test_create(&memory, &mesh->def);
    free(mesh);
    return asset;
}

static void sheet_has_edges_mass_and_bounds(void **state) {
    (void)state;
    vo_rt_asset *asset = make(rt_test_sheet(4, 3));
    vo_rt_asset_info info = vo_rt_asset_get_info(asset);
    assert_int_equal(info.vertex_count, 20);
    assert_int_equal(info.triangle_count, 24);
    assert_int_equal(info.edge_count, 20 + 24 - 1); /* Euler: V - E + T = 1 */
    assert_int_equal(info.seam_edge_count, 0);
    assert_true(info.is_seamed);
    assert_near(info.mass, 0.2 * 0.4 * 0.3, 1e-7);
    assert_near(info.max.x, 0.4, 1e-6);
    assert_near(info.max.y, 0.3, 1e-6);
    assert_int_equal(info.max_level, 2);
    for (int e = 0; e < asset->edge_count; e++) {
        assert_true(asset->edge[e].rest_angle == 0);
        assert_int_equal(asset->edge[e].control, 0);
    }
    vo_rt_asset_destroy(asset);
}

/* Sides follow the direction of their triangle, and edge[i] is opposite vertex[i]. */
static void edges_match_their_triangles(void **state) {
    (void)state;
    vo_rt_asset *asset = make(rt_test_sheet(3, 3));
    for (int t = 0; t < asset->triangle_count; t++) {
        for (int i = 0; i < 3; i++) {
            const vo_rt_base_triangle *triangle = &asset->triangle[t];
            const vo_rt_base_edge *edge = &asset->edge[triangle->edge[i]];
            int from = triangle->vertex[(i + 1) % 3], to = triangle->vertex[(i + 2) % 3];
            int side = edge->vertex[0] == from ? 0 : 1;
            assert_int_equal(edge->vertex[side], from);
            assert_int_equal(edge->vertex[1 - side], to);
            assert_int_equal(edge->triangle[side], t);
            assert_true(edge->coordinate[side][side].x == asset->position[from].x);
            assert_true(edge->coordinate[side][side].y == asset->position[from].y);
            assert_true(edge->coordinate[side][1 - side].x == asset->position[to].x);
        }
    }
    vo_rt_asset_destroy(asset);
}

/* Without coordinates, rest lengths are distances and rest angles those of the positions. */
static void octahedron_keeps_its_shape(void **state) {
    (void)state;
    vo_rt_asset *asset = make(rt_test_octahedron());
    assert_int_equal(asset->edge_count, 12);
    for (int e = 0; e < asset->edge_count; e++) {
        const vo_rt_base_edge *edge = &asset->edge[e];
        for (int side = 0; side < 2; side++)
            assert_near(f2_length(f2_sub(edge->coordinate[side][1], edge->coordinate[side][0])),
                        sqrt(2), 1e-6);
        assert_near(edge->rest_angle, -acos(1.0 / 3), 1e-6); /* a ridge */
    }
    assert_near(asset->mass, 0.2 * 8 * sqrt(3) / 2, 1e-5);
    vo_rt_asset_destroy(asset);
}

/* Angle of a bending element a b c d as the solver measures it (solve/bend_kernel.c). */
static double solver_angle(vo_rt_vec3 a, vo_rt_vec3 b, vo_rt_vec3 c, vo_rt_vec3 d) {
    vo_rt_vec3 e = f3_sub(b, a), ad = f3_sub(d, a);
    vo_rt_vec3 n1 = f3_cross(e, f3_sub(c, a)), n2 = f3_cross(ad, e);
    return atan2(f3_length(e) * f3_dot(n1, ad), f3_dot(n1, n2));
}

static int opposite(const vo_rt_asset *asset, int triangle, int edge) {
    const vo_rt_base_triangle *t = &asset->triangle[triangle];
    return t->vertex[t->edge[0] == edge ? 0 : t->edge[1] == edge ? 1 : 2];
}

/* Rest angles of a rough surface are those at which the solver's elements are at rest. */
static void rest_angles_match_the_solver(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(6, 6);
    vo_random random = vo_random_seed(4);
    for (int v = 0; v < mesh->def.vertex_count; v++)
        mesh->positions[v].z = (float)vo_random_real(&random, -0.1, 0.1);
    mesh->def.coordinates = NULL;
    vo_rt_asset *asset = make(mesh);
    for (int e = 0; e < asset->edge_count; e++) {
        const vo_rt_base_edge *edge = &asset->edge[e];
        if (edge->triangle[1] < 0) continue;
        const vo_rt_vec3 *x = asset->position;
        assert_near(edge->rest_angle,
                    solver_angle(x[edge->vertex[0]], x[edge->vertex[1]],
                                 x[opposite(asset, edge->triangle[0], e)],
                                 x[opposite(asset, edge->triangle[1], e)]),
                    1e-4);
    }
    vo_rt_asset_destroy(asset);
}

/* Mirrored coordinates are stored with positive areas; texture coordinates keep them. */
static void mirrored_coordinates_are_accepted(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(2, 2);
    for (int i = 0; i < 3 * mesh->def.triangle_count; i++) mesh->coordinates[i].x *= -1;
    vo_rt_asset *asset = make(mesh);
    assert_int_equal(asset->seam_edge_count, 0);
    assert_true(asset->edge[0].coordinate[0][1].x == asset->position[asset->edge[0].vertex[1]].x);
    assert_true(vo_rt_asset_get_uv(asset)[1].x == -asset->position[1].x);
    vo_rt_asset_destroy(asset);
}

static void maps_have_defaults(void **state) {
    (void)state;
    vo_rt_asset *asset = make(rt_test_sheet(1, 1));
    assert_true(asset->maps[2].attachment == 0);
    assert_true(asset->maps[2].max_distance == 3.4028234663852886e38f);
    assert_true(asset->maps[2].backstop == -3.4028234663852886e38f);
    assert_true(asset->maps[2].backstop_radius == 0.2f);
    assert_true(asset->stiffness_factor[2] == 1);
    assert_int_equal(asset->bone_count, 0);
    vo_rt_asset_destroy(asset);
}

static void maps_and_skin_are_copied(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(3, 2);
    rt_test_add_options(mesh);
    vo_rt_asset *asset = rt_test_create(&memory, &mesh->def);
    for (int v = 0; v < asset->vertex_count; v++) {
        assert_true(asset->maps[v].attachment == mesh->attachment[v]);
        assert_true(asset->maps[v].max_distance == mesh->max_distance[v]);
        assert_true(asset->maps[v].backstop == mesh->backstop[v]);
        assert_true(asset->maps[v].backstop_radius == mesh->backstop_radius[v]);
        assert_true(asset->stiffness_factor[v] == mesh->stiffness[v]);
    }
    assert_memory_equal(asset->skin_bone, mesh->bones, 8 * (size_t)asset->vertex_count);
    assert_memory_equal(asset->skin_weight, mesh->weights, 16 * (size_t)asset->vertex_count);
    assert_int_equal(vo_rt_asset_get_info(asset).attached_count, 3);
    vo_rt_asset_destroy(asset);
    free(mesh);
}

/* Every point of the refined base lies on its lattice point, every triangle has the same area and
 * orientation as the base, and each inner edge is shared by two triangles. */
static void refined_base_is_a_conforming_mesh(void **state) {
    (void)state;
    for (int level = 0; level <= 4; level++) {
        rt_test_mesh *mesh = rt_test_sheet(3, 2);
        mesh->def.max_level = level;
        vo_rt_asset *asset = make(mesh);
        int n = 1 << level, count = asset->render_triangle_count;
        assert_int_equal(count, 12 * n * n);
        assert_int_equal(asset->render_vertex_count, (3 * n + 1) * (2 * n + 1));
        int32_t *table = malloc((size_t)vo_rt_edge_table_size(count) * sizeof *table);
        int32_t *twin = malloc(3 * (size_t)count * sizeof *twin);
        vo_rt_edge_conflict conflict;
        assert_true(vo_rt_pair_edges((const int32_t *)asset->render_triangle, count, table, twin,
                                     &conflict));
        int boundary = 0;
        for (int h = 0; h < 3 * count; h++) boundary += twin[h] < 0;
        assert_int_equal(boundary, 10 * n);
        for (int t = 0; t < count; t++) {
            const uint32_t *v = asset->render_triangle + 3 * t;
            const vo_rt_vec2 *uv = asset->render_uv;
            float area = f2_cross(f2_sub(uv[v[1]], uv[v[0]]), f2_sub(uv[v[2]], uv[v[0]]));
            assert_near(area, 0.01 / (n * n), 1e-7);
        }
        free(table);
        free(twin);
        vo_rt_asset_destroy(asset);
    }
}

/* The documented numbering of output vertices. */
static void refined_base_is_numbered_as_documented(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(2, 2);
    mesh->def.max_level = 3;
    vo_rt_asset *asset = make(mesh);
    int n = 8, inner = (n - 1) * (n - 2) / 2;
    int edges = asset->vertex_count, inside = edges + asset->edge_count * (n - 1);
    for (int v = 0; v < asset->vertex_count; v++) {
        assert_near(asset->render_uv[v].x, asset->position[v].x, 1e-6);
        assert_near(asset->render_uv[v].y, asset->position[v].y, 1e-6);
    }
    for (int e = 0; e < asset->edge_count; e++) {
        for (int k = 1; k < n; k++) {
            const int32_t *v = asset->edge[e].vertex;
            vo_rt_vec3 p = f3_lerp(asset->position[v[0]], asset->position[v[1]], (float)k / 8);
            assert_near(asset->render_uv[edges + e * (n - 1) + k - 1].x, p.x, 1e-6);
            assert_near(asset->render_uv[edges + e * (n - 1) + k - 1].y, p.y, 1e-6);
            assert_int_equal(asset->render_vertex[edges + e * (n - 1) + k - 1].triangle,
                             asset->edge[e].triangle[0]);
        }
    }
    for (int t = 0; t < asset->triangle_count; t++) {
        int index = inside + t * inner;
        for (int j = 1; j < n; j++) {
            for (int i = 1; i + j < n; i++, index++) {
                const vo_rt_render_vertex *r = &asset->render_vertex[index];
                assert_int_equal(r->triangle, t);
                assert_near(r->weight[0], (n - i - j) / 8.0, 0);
                assert_near(r->weight[1], i / 8.0, 0);
                assert_near(r->weight[2], j / 8.0, 0);
            }
        }
    }
    vo_rt_asset_destroy(asset);
}

/* --- Tethers -------------------------------------------------------------------------------- */

/* Distances on a flat sheet are straight: the result of marching is compared with them. */
static void tethers_are_geodesic(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(20, 20);
    int corner[4] = {0, 20, 20 * 21, 21 * 21 - 1};
    for (int i = 0; i < 4; i++) mesh->attachment[corner[i]] = 1;
    mesh->def.attachment = mesh->attachment;
    mesh->def.tether_scale = 1;
    mesh->def.max_level = 0;
    vo_rt_asset *asset = make(mesh);
    assert_int_equal(asset->tether_count, 4 * (21 * 21 - 4));
    for (int i = 0; i < asset->tether_count; i++) {
        const vo_rt_tether *t = &asset->tether[i];
        double straight = f3_distance(asset->position[t->vertex], asset->position[t->anchor]);
        assert_true(t->length > straight - 1e-4);
        assert_true(t->length < 1.02 * straight + 1e-4);
    }
    vo_rt_asset_destroy(asset);
}

/* A row of attached vertices is one island: each vertex is tethered to its nearest member. */
static void island_gives_one_tether(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(10, 10);
    for (int v = 0; v <= 10; v++) mesh->attachment[v] = 1;
    mesh->def.attachment = mesh->attachment;
    mesh->def.tether_scale = 1;
    vo_rt_asset *asset = make(mesh);
    assert_int_equal(asset->tether_count, 110);
    for (int i = 0; i < 110; i++) {
        const vo_rt_tether *t = &asset->tether[i];
        assert_int_equal(t->vertex, 11 + i);
        assert_near(t->length, 0.1 * (1 + i / 11), 1e-5);
        assert_int_equal(t->anchor, i % 11);
    }
    vo_rt_asset_destroy(asset);
}

/* Around the corner of an L the path is bent: longer than the straight distance. */
static void tethers_follow_the_surface(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(8, 8);
    int kept = 0;
    for (int t = 0; t < mesh->def.triangle_count; t++) { /* removes the upper right quarter */
        const int32_t *v = mesh->triangles + 3 * t;
        float x = 0, y = 0;
        for (int i = 0; i < 3; i++) x += mesh->positions[v[i]].x, y += mesh->positions[v[i]].y;
        if (x > 3 * 0.4f && y > 3 * 0.4f) continue;
        for (int i = 0; i < 3; i++) {
            mesh->triangles[3 * kept + i] = v[i];
            mesh->coordinates[3 * kept + i] = mesh->coordinates[3 * t + i];
        }
        kept++;
    }
    mesh->def.triangle_count = kept;
    int remap[81], count = 0;
    for (int v = 0; v < 81; v++) { /* without the vertices that are no longer used */
        remap[v] = count;
        bool used = mesh->positions[v].x < 0.41f || mesh->positions[v].y < 0.41f;
        if (used) mesh->positions[count++] = mesh->positions[v];
    }
    for (int i = 0; i < 3 * kept; i++) mesh->triangles[i] = remap[mesh->triangles[i]];
    mesh->def.vertex_count = count;
    mesh->attachment[count - 5] = 1; /* (0, 0.8) */
    mesh->def.attachment = mesh->attachment;
    mesh->def.tether_scale = 1;
    vo_rt_asset *asset = make(mesh);
    double expected = 2 * hypot(0.4, 0.4); /* to (0.8, 0) around (0.4, 0.4) is straight */
    assert_int_equal(asset->tether[8].vertex, 8);
    assert_near(asset->tether[8].length, expected, 0.02 * expected);
    double bent = hypot(0.4, 0.4) + 0.4; /* to (0.8, 0.4) */
    assert_int_equal(asset->tether[44].vertex, 44);
    assert_near(asset->tether[44].length, bent, 0.02 * bent);
    vo_rt_asset_destroy(asset);
}

static void tethers_can_be_disabled(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(2, 2);
    mesh->attachment[0] = 1;
    mesh->def.attachment = mesh->attachment;
    mesh->def.tethers = false;
    vo_rt_asset *asset = make(mesh);
    assert_int_equal(asset->tether_count, 0);
    vo_rt_asset_destroy(asset);
}

/* --- Render mesh ---------------------------------------------------------------------------- */

static vo_rt_vec3 evaluate(const vo_rt_asset *asset, const vo_rt_render_vertex *r,
                           const vo_rt_vec3 *normals) {
    vo_rt_vec3 p = {0, 0, 0}, n = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        int v = asset->triangle[r->triangle].vertex[i];
        p = f3_add_scaled(p, r->weight[i], asset->position[v]);
        n = f3_add_scaled(n, r->weight[i], normals[v]);
    }
    return f3_add_scaled(p, r->offset, f3_normalize(n));
}

/* Points around an octahedron, which its smooth normals cover, are reproduced by their binding. */
static void render_mesh_is_reproduced(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_octahedron();
    vo_random random = vo_random_seed(5);
    int count = 0;
    while (count < 500) {
        vo_vec3 d = test_random_vec3(&random, 1);
        float sum = (float)(fabs(d.x) + fabs(d.y) + fabs(d.z));
        if (sum < 0.1f) continue;
        float radius = 0.95f + 0.1f * (float)vo_random_real(&random, 0, 1);
        mesh->render_positions[count++] =
            f3_scale(radius / sum, f3((float)d.x, (float)d.y, (float)d.z));
    }
    mesh->def.render_vertex_count = count;
    mesh->def.render_positions = mesh->render_positions;
    vo_rt_asset *asset = rt_test_create(&memory, &mesh->def);
    assert_false(asset->output_is_refined_base);
    for (int i = 0; i < count; i++) {
        vo_rt_vec3 p = evaluate(asset, &asset->render_vertex[i], asset->position);
        assert_near(f3_distance(p, mesh->render_positions[i]), 0, 2e-3);
    }
    vo_rt_asset_destroy(asset);
    free(mesh);
}

/* The tree finds the same triangle as an exhaustive search. */
static void nearest_triangle_matches_brute_force(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(9, 7);
    vo_random random = vo_random_seed(9);
    for (int v = 0; v < mesh->def.vertex_count; v++)
        mesh->positions[v].z = 0.2f * (float)vo_random_real(&random, 0, 1);
    vo_allocator allocator = rt_test_allocator(&memory);
    vo_rt_scratch scratch = {.allocator = &allocator};
    vo_rt_triangle_tree tree;
    assert_true(vo_rt_triangle_tree_build(&tree, &scratch, mesh->positions, mesh->triangles,
                                          mesh->def.triangle_count));
    for (int i = 0; i < 2000; i++) {
        vo_vec3 r = test_random_vec3(&random, i % 2 ? 1 : 100);
        vo_rt_vec3 p = f3((float)r.x, (float)r.y, (float)r.z);
        float w[3], best = INFINITY;
        int expected = -1;
        for (int t = 0; t < mesh->def.triangle_count; t++) {
            const int32_t *v = mesh->triangles + 3 * t;
            float d = vo_rt_nearest_on_triangle(p, mesh->positions[v[0]], mesh->positions[v[1]],
                                                mesh->positions[v[2]], w);
            if (d < best) best = d, expected = t;
        }
        assert_int_equal(vo_rt_triangle_tree_nearest(&tree, p, w), expected);
        assert_near(w[0] + w[1] + w[2], 1, 1e-6);
    }
    vo_rt_scratch_free(&scratch);
    free(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, reset, check_leaks)
        CASE(sheet_has_edges_mass_and_bounds),
        CASE(edges_match_their_triangles),
        CASE(octahedron_keeps_its_shape),
        CASE(rest_angles_match_the_solver),
        CASE(mirrored_coordinates_are_accepted),
        CASE(maps_have_defaults),
        CASE(maps_and_skin_are_copied),
        CASE(refined_base_is_a_conforming_mesh),
        CASE(refined_base_is_numbered_as_documented),
        CASE(tethers_are_geodesic),
        CASE(island_gives_one_tether),
        CASE(tethers_follow_the_surface),
        CASE(tethers_can_be_disabled),
        CASE(render_mesh_is_reproduced),
        CASE(nearest_triangle_matches_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

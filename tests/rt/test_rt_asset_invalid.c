/* Invalid definitions of assets: each is rejected with a message that names the element. */
#include "rt_asset_cases.h"

static test_memory memory;

typedef void change(rt_test_mesh *mesh);

/* Applies a change to a sheet of 2 x 2 cells with all options and expects this message. */
static void expect(change *apply, const char *text) {
    memory = (test_memory){.fail_at = -1};
    rt_test_mesh *mesh = rt_test_sheet(2, 2);
    rt_test_add_options(mesh);
    rt_test_add_fine(mesh);
    apply(mesh);
    vo_allocator allocator = rt_test_allocator(&memory);
    vo_rt_asset *asset = (vo_rt_asset *)&memory;
    vo_rt_message message = {{0}};
    vo_result result = vo_rt_asset_create(&allocator, &mesh->def, &asset, &message);
    if (result != VO_BAD_ARGUMENT || strcmp(message.text, text) != 0)
        fail_msg("result %d, \"%s\", expected \"%s\"", (int)result, message.text, text);
    assert_null(asset);
    vo_rt_seaming *seaming;
    if (mesh->def.max_level != VO_RT_MAX_LEVEL) /* the size of the output is checked later */
        assert_int_equal(vo_rt_seaming_create(&allocator, &mesh->def, &seaming, NULL),
                         VO_BAD_ARGUMENT);
    assert_int_equal(memory.live, 0);
    free(mesh);
}

static void no_vertices(rt_test_mesh *m) { m->def.vertex_count = 2; }
static void many_triangles(rt_test_mesh *m) { m->def.triangle_count = 65536; }
static void no_positions(rt_test_mesh *m) { m->def.positions = NULL; }
static void no_triangles(rt_test_mesh *m) { m->def.triangles = NULL; }
static void nan_position(rt_test_mesh *m) { m->positions[4].y = NAN; }
static void far_position(rt_test_mesh *m) { m->positions[4].z = -2e6f; }
static void index_high(rt_test_mesh *m) { m->triangles[7] = 9; }
static void index_low(rt_test_mesh *m) { m->triangles[7] = -1; }
static void equal_corners(rt_test_mesh *m) { m->triangles[4] = m->triangles[3]; }
static void inf_coordinate(rt_test_mesh *m) { m->coordinates[5].x = INFINITY; }
static void flat_coordinates(rt_test_mesh *m) { m->coordinates[8] = m->coordinates[7]; }
static void flat_positions(rt_test_mesh *m) {
    m->def.coordinates = m->def.fine_coordinates = NULL;
    m->def.fine_positions = NULL;
    m->positions[4] = f3(0, 0, 0);
}
static void flipped(rt_test_mesh *m) {
    m->triangles[0] = 1;
    m->triangles[1] = 0;
}
static void three_triangles(rt_test_mesh *m) {
    int t = m->def.triangle_count++;
    const int v[3] = {4, 0, 2};
    for (int i = 0; i < 3; i++) {
        m->triangles[3 * t + i] = v[i];
        m->coordinates[3 * t + i] = m->coordinates[i];
    }
}
static void unused_vertex(rt_test_mesh *m) {
    m->def.vertex_count++;
    m->weights[4 * 9] = 1;
}
static void high_level(rt_test_mesh *m) { m->def.max_level = 7; }
static void negative_level(rt_test_mesh *m) { m->def.max_level = -1; }
static void zero_density(rt_test_mesh *m) { m->def.fabric.density = 0; }
static void nan_damping(rt_test_mesh *m) { m->def.fabric.damping = NAN; }
static void high_attachment(rt_test_mesh *m) { m->attachment[3] = 1.5f; }
static void negative_distance(rt_test_mesh *m) { m->max_distance[3] = -1; }
static void nan_backstop(rt_test_mesh *m) { m->backstop[8] = NAN; }
static void negative_radius(rt_test_mesh *m) { m->backstop_radius[0] = -0.5f; }
static void negative_stiffness(rt_test_mesh *m) { m->stiffness[1] = -2; }
static void zero_scale(rt_test_mesh *m) { m->def.tether_scale = 0; }
static void negative_bones(rt_test_mesh *m) { m->def.bone_count = -1; }
static void bones_without_count(rt_test_mesh *m) { m->def.bone_count = 0; }
static void count_without_bones(rt_test_mesh *m) { m->def.skin_weights = NULL; }
static void high_bone(rt_test_mesh *m) { m->bones[6] = 2; }
static void negative_weight(rt_test_mesh *m) { m->weights[9] = -0.5f; }
static void wrong_sum(rt_test_mesh *m) { m->weights[9] = 0.5f; }
static void nan_render_position(rt_test_mesh *m) { m->render_positions[2].x = NAN; }
static void render_index_high(rt_test_mesh *m) { m->def.render_vertex_count = 5; }
static void no_render_vertices(rt_test_mesh *m) { m->def.render_vertex_count = 0; }
static void no_render_positions(rt_test_mesh *m) { m->def.render_positions = NULL; }
static void no_render_triangles(rt_test_mesh *m) { m->def.render_triangles = NULL; }
static void negative_render_count(rt_test_mesh *m) { m->def.render_triangle_count = -4; }
static void fine_without_positions(rt_test_mesh *m) { m->def.fine_positions = NULL; }
static void fine_without_coordinates(rt_test_mesh *m) { m->def.coordinates = NULL; }
static void nan_fine_position(rt_test_mesh *m) { m->fine_positions[16].z = NAN; }
static void mirrored_fine(rt_test_mesh *m) { m->fine_coordinates[16].x -= 1; }
static void nan_render_uv(rt_test_mesh *m) { m->render_uv[8].y = NAN; }
static void large_output(rt_test_mesh *m) {
    m->def.render_vertex_count = m->def.render_triangle_count = 0;
    m->def.max_level = VO_RT_MAX_LEVEL;
    m->def.fine_positions = NULL;
    m->def.fine_coordinates = NULL;
    m->def.vertex_count = m->def.triangle_count = 0;
    rt_test_add_sheet(m, 31, 31, 0, 0, 0.1f); /* 1,922 triangles */
    rt_test_add_options(m);
    m->def.render_vertex_count = m->def.render_triangle_count = 0;
}

static void messages_name_the_element(void **state) {
    (void)state;
    const struct {
        change *apply;
        const char *text;
    } rows[] = {
        {no_vertices, "vertex_count is 2; set it to 3 to 196605"},
        {many_triangles, "triangle_count is 65536; set it to 1 to 65535"},
        {no_positions, "positions is NULL; set it to an array"},
        {no_triangles, "triangles is NULL; set it to an array"},
        {nan_position, "positions[4] is (0.1, nan, 0); coordinates must be finite numbers of "
                       "metres, at most 1e+06"},
        {far_position, "positions[4] is (0.1, 0.1, -2e+06); coordinates must be finite numbers of "
                       "metres, at most 1e+06"},
        {index_high, "triangles[7] is 9; vertex indices are 0 to 8, three per triangle"},
        {index_low, "triangles[7] is -1; vertex indices are 0 to 8, three per triangle"},
        {equal_corners, "triangles[3]: triangle 1 has the vertices 0 0 3, two of which are equal; "
                        "remove it"},
        {inf_coordinate, "coordinates[5] is (inf, 0.1); coordinates must be finite, at most 1e+06"},
        {flat_coordinates, "coordinates[6]: triangle 2 with the vertices 1 2 5 has almost no area; "
                           "move or merge its corners, or remove it"},
        {flat_positions,
         "triangles[0]: triangle 0 with the vertices 0 1 4 has almost no area; move "
         "or merge its corners, or remove it"},
        {flipped, "triangles[3]: the triangles 0 and 1 run along edge 0-4 in the same direction; "
                  "reverse the vertex order of one of them"},
        {three_triangles,
         "triangles[24]: edge 4-0 belongs to the triangles 0, 1 and 8; an edge may "
         "have two, so remove one or give it vertices of its own"},
        {unused_vertex, "positions[9]: vertex 9 belongs to no triangle; remove it"},
        {high_level, "max_level is 7; set it to 0 to 6"},
        {negative_level, "max_level is -1; set it to 0 to 6"},
        {zero_density, "fabric.density is 0; set it to 0.0001 to 1000"},
        {nan_damping, "fabric.damping is nan; set it to 0 to 1e+06"},
        {high_attachment, "attachment[3] is 1.5; set it to 0 to 1"},
        {negative_distance, "max_distance[3] is -1; set it to 0 to 1e+06, or FLT_MAX for no limit"},
        {nan_backstop,
         "backstop[8] is nan; set it to -1e+06 to 1e+06, or -FLT_MAX for no backstop"},
        {negative_radius, "backstop_radius[0] is -0.5; set it to 0 to 1e+06"},
        {negative_stiffness, "stiffness_factor[1] is -2; set it to 0 to 1e+06"},
        {zero_scale, "tether_scale is 0; set it to 0.01 to 100"},
        {negative_bones, "bone_count is -1; set it to 0 to 65535"},
        {bones_without_count, "bone_count is 0, but skin_bones or skin_weights are given; set the "
                              "number of bones"},
        {count_without_bones, "skin_weights is NULL; set it to an array"},
        {high_bone, "skin_bones[6] is 2; bones are 0 to 1"},
        {negative_weight, "skin_weights[9] is -0.5; set it to 0 to 1"},
        {wrong_sum, "skin_weights[8]: the weights of vertex 2 sum to 1.25; normalise them to 1"},
        {nan_render_position, "render_positions[2] is (nan, 0, 0.01); coordinates must be finite "
                              "numbers of metres, at most 1e+06"},
        {render_index_high,
         "render_triangles[8] is 5; vertex indices are 0 to 4, three per triangle"},
        {no_render_vertices, "render_vertex_count is 0, but render_triangle_count is 8; set the "
                             "number of vertices"},
        {no_render_positions, "render_positions is NULL; set it to an array"},
        {no_render_triangles, "render_triangles is NULL; set it to an array"},
        {negative_render_count, "render_triangle_count is -4; set it to 0 to 4194304"},
        {nan_render_uv, "render_uv[8] is (0.2, nan); coordinates must be finite, at most 1e+06"},
        {fine_without_positions, "fine_positions is NULL; set it to an array"},
        {fine_without_coordinates, "coordinates is NULL; set it to an array"},
        {nan_fine_position, "fine_positions[16] or fine_coordinates[16] is out of range; "
                            "coordinates must be finite, at most 1e+06"},
        {mirrored_fine, "fine_coordinates[15]: a part of triangle 1 has almost no area or is "
                        "mirrored in a finer level; move its points, or omit the finer levels"},
        {large_output, "max_level is 6: the refined base mesh would have 7.87251e+06 output "
                       "triangles, more than 4194304; lower max_level or define a render mesh"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) expect(rows[i].apply, rows[i].text);
}

static void missing_arguments_are_rejected(void **state) {
    (void)state;
    memory = (test_memory){.fail_at = -1};
    rt_test_mesh *mesh = rt_test_sheet(1, 1);
    vo_allocator allocator = rt_test_allocator(&memory), partial = allocator;
    partial.release = NULL;
    vo_rt_asset *asset;
    assert_int_equal(vo_rt_asset_create(NULL, &mesh->def, &asset, NULL), VO_BAD_ARGUMENT);
    assert_int_equal(vo_rt_asset_create(&partial, &mesh->def, &asset, NULL), VO_BAD_ARGUMENT);
    assert_int_equal(vo_rt_asset_create(&allocator, NULL, &asset, NULL), VO_BAD_ARGUMENT);
    assert_int_equal(vo_rt_asset_create(&allocator, &mesh->def, NULL, NULL), VO_BAD_ARGUMENT);
    assert_int_equal(vo_rt_asset_load(NULL, mesh, 4, &asset, NULL), VO_BAD_ARGUMENT);
    assert_int_equal(vo_rt_asset_load(&allocator, NULL, 4, &asset, NULL), VO_BAD_ARGUMENT);
    vo_rt_asset_destroy(NULL);
    vo_rt_seaming_destroy(NULL);
    free(mesh);
}

/* Every allocation of creation and loading fails once; nothing leaks. */
static void every_allocation_may_fail(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(4, 3);
    rt_test_add_options(mesh);
    rt_test_add_fine(mesh);
    for (int k = 0; k < 2; k++) {
        for (long n = 0;; n++) {
            memory = (test_memory){.fail_at = n};
            vo_allocator allocator = rt_test_allocator(&memory);
            vo_rt_asset *asset, *copy = NULL;
            vo_rt_message message = {{0}};
            vo_result result = vo_rt_asset_create(&allocator, &mesh->def, &asset, &message);
            if (result == VO_OK) {
                size_t bytes;
                const void *data = vo_rt_asset_get_data(asset, &bytes);
                result = vo_rt_asset_load(&allocator, data, bytes, &copy, &message);
            }
            bool failed = memory.calls > n;
            assert_int_equal(result, failed ? VO_NO_MEMORY : VO_OK);
            assert_int_equal(message.text[0] != 0, failed);
            vo_rt_asset_destroy(asset);
            vo_rt_asset_destroy(copy);
            assert_int_equal(memory.live, 0);
            if (!failed) break;
        }
        mesh->def.render_vertex_count = mesh->def.render_triangle_count = 0; /* refined base */
    }
    free(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_name_the_element),
        cmocka_unit_test(missing_arguments_are_rejected),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

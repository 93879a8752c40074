/* Seaming: links, their text, merged and unmerged assets (Simnett et al. 2010, section 4). */
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

static vo_rt_seaming *start(rt_test_mesh *mesh) {
    vo_allocator allocator = rt_test_allocator(&memory);
    vo_rt_seaming *seaming;
    vo_rt_message message;
    if (vo_rt_seaming_create(&allocator, &mesh->def, &seaming, &message) != VO_OK)
        fail_msg("%s", message.text);
    memset(mesh, 0xff, sizeof *mesh); /* the definition was copied */
    free(mesh);
    return seaming;
}

static void link_text(vo_rt_seaming *seaming, const char *text) {
    vo_rt_message message;
    if (vo_rt_seaming_read(seaming, text, strlen(text), &message) != VO_OK)
        fail_msg("%s", message.text);
}

static vo_rt_asset *finish(vo_rt_seaming *seaming, bool merge) {
    vo_rt_asset *asset;
    vo_rt_message message;
    if (vo_rt_seaming_create_asset(seaming, merge, NULL, &asset, &message) != VO_OK)
        fail_msg("%s", message.text);
    if (vo_rt_check_content(asset, &message) != VO_OK) fail_msg("%s", message.text);
    return asset;
}

/* The text must be rejected with a message that contains `part`, and change nothing. */
static void expect_rejected(vo_rt_seaming *seaming, const char *text, const char *part) {
    char before[2048], after[2048];
    vo_rt_message message;
    assert_true(vo_rt_seaming_write(seaming, before, sizeof before) < sizeof before);
    assert_int_equal(vo_rt_seaming_read(seaming, text, strlen(text), &message), VO_BAD_DATA);
    if (!strstr(message.text, part)) fail_msg("expected \"%s\" in \"%s\"", part, message.text);
    vo_rt_seaming_write(seaming, after, sizeof after);
    assert_string_equal(before, after);
}

static void expect_unmergeable(vo_rt_seaming *seaming, const char *part) {
    vo_rt_asset *asset;
    vo_rt_message message;
    assert_int_equal(vo_rt_seaming_create_asset(seaming, true, NULL, &asset, &message),
                     VO_BAD_ARGUMENT);
    assert_null(asset);
    if (!strstr(message.text, part)) fail_msg("expected \"%s\" in \"%s\"", part, message.text);
}

/* Edge between two vertices of a merged asset. */
static const vo_rt_base_edge *find_edge(const vo_rt_asset *asset, int a, int b) {
    for (int e = 0; e < asset->edge_count; e++) {
        const int32_t *v = asset->edge[e].vertex;
        if ((v[0] == a && v[1] == b) || (v[0] == b && v[1] == a)) return &asset->edge[e];
    }
    fail_msg("no edge %d-%d", a, b);
    return NULL;
}

static int count_boundary(const vo_rt_asset *asset) {
    int count = 0;
    for (int e = 0; e < asset->edge_count; e++) count += asset->edge[e].triangle[1] < 0;
    return count;
}

/* --- Merging -------------------------------------------------------------------------------- */

/* A sheet of 4 x 2 cells whose left border is seamed to its right one. */
static void sheet_becomes_a_cylinder(void **state) {
    (void)state;
    vo_rt_seaming *seaming = start(rt_test_sheet(4, 2));
    link_text(seaming, "# left border with right border\n"
                       "e 0 5 4 9\n"
                       "e 5 10 9 14 second # controlled by the right one\n");
    vo_rt_asset *asset = finish(seaming, true);
    assert_int_equal(asset->vertex_count, 12);
    assert_int_equal(asset->triangle_count, 16);
    assert_int_equal(asset->vertex_count - asset->edge_count + asset->triangle_count, 0);
    assert_int_equal(count_boundary(asset), 8);
    assert_int_equal(asset->seam_edge_count, 2);
    assert_int_equal(asset->link_count, 0);
    assert_true(vo_rt_asset_get_info(asset).is_seamed);
    assert_near(asset->mass, 0.2 * 0.4 * 0.2, 1e-7);
    const vo_rt_base_edge *edge = find_edge(asset, 0, 4); /* of the vertices 0 and 5 */
    for (int side = 0; side < 2; side++)
        assert_near(fabs((double)edge->coordinate[side][0].x - edge->coordinate[side][1].x), 0, 0);
    assert_near(fabs((double)edge->coordinate[0][0].x - edge->coordinate[1][0].x), 0.4, 1e-6);
    assert_true(edge->coordinate[edge->control][0].x == 0);
    edge = find_edge(asset, 4, 8);
    assert_near(edge->coordinate[edge->control][0].x, 0.4, 1e-6);
    assert_near(asset->position[0].x, 0.2, 1e-6); /* mean of 0 and 0.4 */
    vo_rt_asset_destroy(asset);
    vo_rt_seaming_destroy(seaming);
}

/* Two pieces; rest lengths on the sides differ, and the control side decides. */
static void seams_of_unequal_length_are_merged(void **state) {
    (void)state;
    for (int second = 0; second < 2; second++) {
        rt_test_mesh *mesh = rt_test_sheet(1, 1);
        int first = rt_test_add_sheet(mesh, 1, 1, 1, 0, 0.125f);
        assert_int_equal(first, 4);
        vo_rt_seaming *seaming = start(mesh);
        link_text(seaming, second ? "e 1 3 4 6 second" : "e 1 3 4 6");
        vo_rt_asset *asset = finish(seaming, true);
        assert_int_equal(asset->vertex_count, 6);
        assert_int_equal(asset->seam_edge_count, 1);
        const vo_rt_base_edge *edge = find_edge(asset, 1, 3);
        const vo_rt_vec2 *c = edge->coordinate[edge->control];
        assert_near(f2_length(f2_sub(c[1], c[0])), second ? 0.125 : 0.1, 1e-6);
        assert_near(asset->mass, 0.2 * (0.01 + 0.125 * 0.125), 1e-7);
        vo_rt_asset_destroy(asset);
        vo_rt_seaming_destroy(seaming);
    }
}

/* Figure 5: three pieces meet at a vertex, each with coordinates of its own. */
static void three_pieces_meet_at_a_vertex(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(1, 1);
    rt_test_add_sheet(mesh, 1, 1, 1, 0, 0.1f); /* vertices 4 to 7 */
    rt_test_add_sheet(mesh, 1, 1, 2, 0, 0.1f); /* 8 to 11 */
    vo_rt_seaming *seaming = start(mesh);
    /* Around the vertices 3, 6 and 8: right side of A with left of B, top of B with bottom of C,
     * left of C with top of A, in opposite directions along the borders. */
    link_text(seaming, "e 3 1 6 4\ne 6 7 8 9\n");
    link_text(seaming, "e 8 10 3 2\n");
    vo_rt_asset *asset = finish(seaming, true);
    assert_int_equal(asset->vertex_count, 12 - 2 - 3);
    assert_int_equal(asset->triangle_count, 6);
    assert_int_equal(asset->seam_edge_count, 3);
    assert_int_equal(asset->vertex_count - asset->edge_count + asset->triangle_count, 1);
    assert_near(asset->mass, 0.2 * 0.03, 1e-7);
    int ends = 0; /* all seams end at the common vertex, which is inside the surface */
    for (int e = 0; e < asset->edge_count; e++) {
        const vo_rt_base_edge *edge = &asset->edge[e];
        if (edge->vertex[0] != 3 && edge->vertex[1] != 3) continue;
        assert_true(edge->triangle[1] >= 0);
        ends += edge->coordinate[0][0].x != edge->coordinate[1][0].x;
    }
    assert_int_equal(ends, 3);
    vo_rt_asset_destroy(asset);
    vo_rt_seaming_destroy(seaming);
}

/* Linking vertices alone is sufficient for a seam; groups that share a vertex are united. */
static void vertex_links_pair_edges(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(1, 1);
    rt_test_add_sheet(mesh, 1, 1, 1, 0, 0.1f);
    vo_rt_seaming *seaming = start(mesh);
    link_text(seaming, "v 1 4\nv 3 6");
    vo_rt_asset *asset = finish(seaming, true);
    assert_int_equal(asset->vertex_count, 6);
    assert_int_equal(asset->seam_edge_count, 1);
    assert_int_equal(count_boundary(asset), 6);
    vo_rt_asset_destroy(asset);
    vo_rt_seaming_destroy(seaming);
}

/* Maps and skins of linked vertices become one. */
static void maps_of_a_group_are_merged(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(1, 1);
    rt_test_add_sheet(mesh, 1, 1, 1, 0, 0.1f);
    rt_test_add_options(mesh);
    mesh->def.bone_count = 8;
    for (int i = 0; i < 4; i++) { /* vertex 1: four bones, vertex 4: two of them and two others */
        mesh->bones[4 + i] = (uint16_t)i;
        mesh->weights[4 + i] = 0.25f;
        mesh->bones[16 + i] = (uint16_t)(i + 2);
        mesh->weights[16 + i] = i < 2 ? 0.45f : 0.05f;
    }
    mesh->backstop[4] = -3.4028235e38f;
    vo_rt_seaming *seaming = start(mesh);
    link_text(seaming, "v 1 4\nv 3 6");
    vo_rt_asset *asset = finish(seaming, true);
    assert_true(asset->maps[1].attachment == 1); /* of vertex 1; vertex 4 is free */
    assert_true(asset->maps[1].max_distance == 0.5f);
    assert_true(asset->maps[1].backstop == 0.01f);
    assert_near(asset->stiffness_factor[1], 3, 1e-6);
    const uint16_t *bone = asset->skin_bone + 4;
    const float *weight = asset->skin_weight + 4;
    for (int i = 0; i < 4; i++) assert_int_equal(bone[i], i);
    assert_near(weight[2], 0.7 / 1.9, 1e-6);
    assert_near(weight[0], 0.25 / 1.9, 1e-6);
    vo_rt_asset_destroy(asset);
    vo_rt_seaming_destroy(seaming);
}

/* The render mesh stays bound to its pieces where they were defined. */
static void given_positions_replace_the_pose(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(1, 1);
    rt_test_add_sheet(mesh, 1, 1, 1, 0, 0.1f);
    rt_test_add_options(mesh);
    vo_rt_vec3 moved[8], render[8];
    for (int v = 0; v < 8; v++) {
        moved[v] = f3_add(mesh->positions[v], f3(v < 4 ? 5.0f : 4.1f, 0, 0));
        render[v] = mesh->render_positions[v];
    }
    vo_rt_seaming *seaming = start(mesh);
    link_text(seaming, "v 1 4\nv 3 6");
    vo_rt_asset *asset;
    vo_rt_message message;
    assert_int_equal(vo_rt_seaming_create_asset(seaming, true, moved, &asset, &message), VO_OK);
    assert_near(asset->position[1].x, 5.1, 1e-5);
    assert_near(asset->max.x, 5.2, 1e-5);
    for (int v = 0; v < 8; v++) { /* pieces lie at x = 0 and x = 1 */
        assert_true((asset->render_vertex[v].triangle >= 2) == (render[v].x > 0.5f));
        assert_near(asset->render_vertex[v].offset, 0.01, 1e-6);
    }
    vo_rt_asset_destroy(asset);
    moved[3].y = NAN;
    assert_int_equal(vo_rt_seaming_create_asset(seaming, true, moved, &asset, &message),
                     VO_BAD_ARGUMENT);
    assert_non_null(strstr(message.text, "positions[3] is (5.1, nan, 0)"));
    vo_rt_seaming_destroy(seaming);
}

/* Pieces that already touch keep the angle between them; pieces apart are seamed flat. */
static void angles_at_seams(void **state) {
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        rt_test_mesh *mesh = rt_test_sheet(1, 1);
        rt_test_add_sheet(mesh, 1, 1, 0.1f, 0, 0.1f);
        for (int v = 4; v < 8; v++) { /* turns the second piece down by 90 degrees */
            float x = mesh->positions[v].x - 0.1f;
            mesh->positions[v] = f3(apart ? 1.0f : mesh->positions[1].x, mesh->positions[v].y, -x);
        }
        mesh->def.coordinates = NULL;
        vo_rt_seaming *seaming = start(mesh);
        link_text(seaming, "e 1 3 4 6");
        vo_rt_asset *asset = finish(seaming, true);
        assert_near(find_edge(asset, 1, 3)->rest_angle, apart ? 0 : -acos(0), 1e-5);
        vo_rt_asset_destroy(asset);
        vo_rt_seaming_destroy(seaming);
    }
}

/* --- Links ---------------------------------------------------------------------------------- */

static void unmerged_asset_has_links(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(1, 1);
    rt_test_add_sheet(mesh, 1, 1, 1, 0, 0.1f);
    vo_rt_seaming *seaming = start(mesh);
    link_text(seaming, "e 1 3 4 6\n");
    vo_rt_asset *asset = finish(seaming, false);
    vo_rt_asset_info info = vo_rt_asset_get_info(asset);
    assert_false(info.is_seamed);
    assert_int_equal(info.vertex_count, 8);
    assert_int_equal(info.max_level, 0);
    assert_int_equal(asset->link_count, 2);
    assert_int_equal(asset->link[0].a, 1);
    assert_int_equal(asset->link[0].b, 4);
    assert_int_equal(asset->link[1].a, 3);
    assert_int_equal(asset->link[1].b, 6);
    vo_rt_asset_destroy(asset);
    vo_rt_seaming_destroy(seaming);
}

static void links_are_written_and_read(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(1, 1);
    rt_test_add_sheet(mesh, 1, 1, 1, 0, 0.1f);
    rt_test_add_sheet(mesh, 1, 1, 2, 0, 0.1f);
    vo_rt_seaming *seaming = start(mesh);
    link_text(seaming, "\tv 10 3\r\n\n  # a comment\nv 6 3 6\ne 1 3 4 6 second#\n");
    const char *expected = "v 1 4\nv 3 6 10\ne 1 3 4 6 second\n";
    char text[256];
    assert_int_equal(vo_rt_seaming_write(seaming, text, sizeof text), strlen(expected));
    assert_string_equal(text, expected);
    for (size_t capacity = 1; capacity <= strlen(expected) + 1; capacity++) { /* truncated */
        memset(text, 'x', sizeof text);
        assert_int_equal(vo_rt_seaming_write(seaming, text, capacity), strlen(expected));
        assert_int_equal(strlen(text), capacity - 1);
        assert_memory_equal(text, expected, capacity - 1);
        assert_int_equal(text[capacity], 'x');
    }
    assert_int_equal(vo_rt_seaming_write(seaming, NULL, 0), strlen(expected));
    link_text(seaming, expected); /* links may be repeated */
    vo_rt_seaming_write(seaming, text, sizeof text);
    assert_string_equal(text, expected);
    vo_rt_seaming_destroy(seaming);
}

static void unlinking_removes_a_vertex(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(1, 1);
    rt_test_add_sheet(mesh, 1, 1, 1, 0, 0.1f);
    rt_test_add_sheet(mesh, 1, 1, 2, 0, 0.1f);
    vo_rt_seaming *seaming = start(mesh);
    vo_rt_message message;
    char text[256];
    link_text(seaming, "e 1 3 4 6\nv 1 8");
    assert_int_equal(vo_rt_seaming_unlink(seaming, 4, &message), VO_OK);
    vo_rt_seaming_write(seaming, text, sizeof text);
    assert_string_equal(text, "v 1 8\nv 3 6\n");
    assert_int_equal(vo_rt_seaming_unlink(seaming, 4, &message), VO_BAD_ARGUMENT);
    assert_string_equal(message.text, "vertex 4 is not linked; name a linked one");
    assert_int_equal(vo_rt_seaming_unlink(seaming, 12, &message), VO_BAD_ARGUMENT);
    assert_int_equal(vo_rt_seaming_unlink(seaming, 3, &message), VO_OK);
    assert_int_equal(vo_rt_seaming_unlink(seaming, 8, &message), VO_OK);
    assert_int_equal(vo_rt_seaming_write(seaming, text, sizeof text), 0);
    assert_string_equal(text, "");
    vo_rt_seaming_destroy(seaming);
}

static void invalid_links_are_rejected(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(2, 1); /* 0 1 2 / 3 4 5 */
    rt_test_add_sheet(mesh, 1, 1, 1, 0, 0.1f);
    rt_test_add_sheet(mesh, 1, 1, 2, 0, 0.1f);
    vo_rt_seaming *seaming = start(mesh);
    link_text(seaming, "e 2 5 6 8\n");
    const char *const rows[][2] = {
        {"v 1", "line 1: 1 vertices in the group; write `v VERTEX VERTEX...`"},
        {"\n\nv 1 x7", "line 3: \"x7\" is not a vertex; write its index"},
        {"v 1 99999999999", "\"99999999999\" is not a vertex"},
        {"v 1 -1", "\"-1\" is not a vertex"},
        {"v 1 14", "vertex 14 does not exist; vertices are 0 to 13"},
        {"w 1 2", "unknown \"w\"; lines begin with `v` (vertices), `e` (edges) or `#`"},
        {"e 1 2 3", "3 of 4 vertices; write `e A0 A1 B0 B1`"},
        {"e 0 3 10 12 third", "unexpected \"third\""},
        {"e 0 3 10 12 second 3", "unexpected \"3\""},
        {"v 0 6\nv 3 3\nv 0 1", "line 3: vertices 0 and 1 would become one, but both belong to "
                                "triangle 0; leave one of them out"},
        {"v 0 6\nv 6 10 1", "vertices 0 and 1 would become one"},
        {"e 1 4 10 12", "edge 1-4 is inside a piece, between the triangles 0 and 3"},
        {"e 0 5 10 12", "0-5 is not an edge; use two adjacent vertices of a border"},
        {"e 0 3 0 3", "edge 0-3 cannot be linked with itself"},
        {"e 0 3 10 12",
         "edges 0-3 and 10-12 run in the same direction along their borders, so that "
         "merging would flip a piece; link 0-3 with 12-10"},
        {"e 2 5 10 12", "edge 2-5 is already part of the link 2-5 with 6-8; unlink one of its "
                        "vertices first"},
        {"e 0 1 6 7", "edges 0-1 and 6-7 run in the same direction"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_rejected(seaming, rows[i][0], rows[i][1]);
    link_text(seaming, "e 2 5 6 8 second"); /* the same link: changes the control side */
    char text[256];
    vo_rt_seaming_write(seaming, text, sizeof text);
    assert_string_equal(text, "v 2 6\nv 5 8\ne 2 5 6 8 second\n");
    vo_rt_seaming_destroy(seaming);
}

/* The first pair of ends is united, the second fails: both stay as they were. */
static void half_an_edge_link_is_undone(void **state) {
    (void)state;
    vo_rt_seaming *seaming = start(rt_test_sheet(3, 1)); /* 0 1 2 3 / 4 5 6 7 */
    vo_rt_message message;
    char text[64];
    assert_int_equal(vo_rt_seaming_link_edges(seaming, 0, 4, 2, 1, false, &message),
                     VO_BAD_ARGUMENT);
    assert_int_equal(vo_rt_seaming_link_edges(seaming, 3, 7, 5, 6, false, &message),
                     VO_BAD_ARGUMENT);
    assert_non_null(strstr(message.text, "vertices 6 and 7 would become one"));
    assert_int_equal(vo_rt_seaming_write(seaming, text, sizeof text), 0);
    const int32_t group[3] = {0, 2, 3};
    assert_int_equal(vo_rt_seaming_link_vertices(seaming, 3, group, &message), VO_BAD_ARGUMENT);
    assert_int_equal(vo_rt_seaming_write(seaming, text, sizeof text), 0);
    assert_int_equal(vo_rt_seaming_link_vertices(seaming, 1, group, &message), VO_BAD_ARGUMENT);
    vo_rt_seaming_destroy(seaming);
}

static void impossible_merges_are_named(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(1, 1);
    rt_test_add_sheet(mesh, 1, 1, 1, 0, 0.1f);
    rt_test_add_sheet(mesh, 1, 1, 2, 0, 0.1f);
    vo_rt_seaming *seaming = start(mesh);
    link_text(seaming, "v 1 4 8\nv 3 6 10\n");
    expect_unmergeable(seaming, "edges 1-3, 6-4 and 10-8 would become one edge with the triangles "
                                "0, 3 and 5; an edge joins two, so unlink the vertices of one");
    vo_rt_seaming_destroy(seaming);

    mesh = rt_test_sheet(1, 1);
    rt_test_add_sheet(mesh, 1, 1, 1, 0, 0.1f);
    seaming = start(mesh);
    link_text(seaming, "v 1 5\nv 3 7\n"); /* both right borders */
    expect_unmergeable(seaming, "edges 1-3 and 5-7 would be merged in the same direction, which "
                                "flips triangle 0 or 2; link 1 with 7 and 3 with 5, or reverse the "
                                "triangles of a piece");
    vo_rt_seaming_destroy(seaming);
}

/* An unlinked, merged seaming is the same asset as the definition. */
static void seaming_without_links_changes_nothing(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(3, 3);
    rt_test_add_options(mesh);
    vo_rt_asset *plain = rt_test_create(&memory, &mesh->def);
    vo_rt_seaming *seaming = start(mesh);
    vo_rt_asset *merged = finish(seaming, true);
    size_t a, b;
    const void *x = vo_rt_asset_get_data(plain, &a), *y = vo_rt_asset_get_data(merged, &b);
    assert_int_equal(a, b);
    assert_memory_equal(x, y, a);
    vo_rt_asset_destroy(plain);
    vo_rt_asset_destroy(merged);
    vo_rt_seaming_destroy(seaming);
}

/* --- Memory --------------------------------------------------------------------------------- */

static vo_result seam_a_cylinder(const vo_allocator *allocator, const vo_rt_asset_def *def) {
    vo_rt_seaming *seaming;
    vo_rt_asset *asset;
    vo_rt_message message = {{0}};
    vo_result result = vo_rt_seaming_create(allocator, def, &seaming, &message);
    if (result != VO_OK) return result;
    static const char text[] = "v 0 4\nv 5 9\ne 0 5 4 9\ne 5 10 9 14\n";
    const int32_t group[3] = {0, 4, 0};
    result = vo_rt_seaming_read(seaming, text, sizeof text - 1, &message);
    if (result == VO_OK) result = vo_rt_seaming_link_vertices(seaming, 3, group, &message);
    for (int merge = 0; merge < 2 && result == VO_OK; merge++) {
        result = vo_rt_seaming_create_asset(seaming, merge != 0, NULL, &asset, &message);
        vo_rt_asset_destroy(asset);
    }
    if (result != VO_OK) assert_true(message.text[0] != 0);
    vo_rt_seaming_destroy(seaming);
    return result;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(4, 2);
    rt_test_add_options(mesh);
    for (long n = 0;; n++) {
        memory = (test_memory){.fail_at = n};
        vo_allocator allocator = rt_test_allocator(&memory);
        vo_result result = seam_a_cylinder(&allocator, &mesh->def);
        assert_int_equal(memory.live, 0);
        if (memory.calls <= n) {
            assert_int_equal(result, VO_OK);
            break;
        }
        assert_int_equal(result, VO_NO_MEMORY);
    }
    free(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, reset, check_leaks)
        CASE(sheet_becomes_a_cylinder),
        CASE(seams_of_unequal_length_are_merged),
        CASE(three_pieces_meet_at_a_vertex),
        CASE(vertex_links_pair_edges),
        CASE(maps_of_a_group_are_merged),
        CASE(given_positions_replace_the_pose),
        CASE(angles_at_seams),
        CASE(unmerged_asset_has_links),
        CASE(links_are_written_and_read),
        CASE(unlinking_removes_a_vertex),
        CASE(invalid_links_are_rejected),
        CASE(half_an_edge_link_is_undone),
        CASE(impossible_merges_are_named),
        CASE(seaming_without_links_changes_nothing),
        CASE(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

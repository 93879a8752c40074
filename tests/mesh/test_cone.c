/* Cloths cut as annular sectors: numbers of nodes, topology, strain, bounds of the definition. */
#include "support.h"

#include "mesh/mesh.h"

#include <math.h>

static vo_mesh *make(vo_context *ctx, const vo_cone_def *def) {
    vo_mesh *mesh;
    assert_ok(ctx, vo_mesh_create_cone(ctx, def, &mesh));
    return mesh;
}

static vo_cone_def skirt(int vertices) {
    vo_cone_def def = vo_cone_def_default();
    def.top_radius = 0.13;
    def.bottom_radius = 0.4;
    def.length = 0.6;
    def.vertices = vertices;
    return def;
}

static int count_border(const vo_mesh *mesh) {
    int count = 0;
    for (int e = 0; e < mesh->edge_count; e++) count += mesh->edge_face[e][1] < 0;
    return count;
}

static int count_label(const vo_mesh *mesh, int label) {
    int count = 0;
    for (int n = 0; n < mesh->node_count; n++) count += mesh->node_label[n] == label;
    return count;
}

/* Largest difference of an edge's length in the world from that in material space, relative. */
static double largest_strain(const vo_mesh *mesh) {
    double most = 0;
    for (int f = 0; f < mesh->face_count; f++)
        for (int i = 0; i < 3; i++) {
            int a = mesh->face_vert[f][i], b = mesh->face_vert[f][(i + 1) % 3];
            double rest = v2_length(v2_sub(mesh->vert_u[a], mesh->vert_u[b]));
            double length =
                v3_distance(mesh->node_x[mesh->vert_node[a]], mesh->node_x[mesh->vert_node[b]]);
            most = fmax(most, fabs(length / rest - 1));
        }
    return most;
}

static double shortest_side(const vo_mesh *mesh, double *longest) {
    double least = INFINITY;
    *longest = 0;
    for (int e = 0; e < mesh->edge_count; e++) {
        double length =
            v3_distance(mesh->node_x[mesh->edge_node[e][0]], mesh->node_x[mesh->edge_node[e][1]]);
        least = fmin(least, length);
        *longest = fmax(*longest, length);
    }
    return least;
}

static void closed_cones_have_the_given_number_of_nodes(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const int counts[] = {6, 7, 50, 196, 1000, 7016};
    for (int i = 0; i < 6; i++) {
        vo_cone_def def = skirt(counts[i]);
        vo_mesh *mesh = make(ctx, &def);
        assert_int_equal(mesh->node_count, counts[i]);
        int border = count_label(mesh, 1) + count_label(mesh, 2);
        assert_int_equal(count_border(mesh), border);
        /* Euler characteristic of a ring */
        assert_int_equal(mesh->node_count - mesh->edge_count + mesh->face_count, 0);
        vo_mesh_destroy(mesh);
    }
    vo_context_destroy(ctx);
}

static void open_cones_have_the_given_number_of_nodes(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const int counts[] = {6, 98, 777, 10162};
    for (int i = 0; i < 4; i++) {
        vo_cone_def def = skirt(counts[i]);
        def.angle = 200;
        vo_mesh *mesh = make(ctx, &def);
        assert_int_equal(mesh->node_count, counts[i]);
        assert_int_equal(mesh->vert_count, counts[i]);
        assert_int_equal(mesh->node_count - mesh->edge_count + mesh->face_count, 1);
        vo_mesh_destroy(mesh);
    }
    vo_context_destroy(ctx);
}

/* Chords of the circles in the world and of the arcs in the sector differ slightly. */
static void cones_have_no_strain(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    for (int i = 0; i < 3; i++) {
        vo_cone_def def = skirt(2000);
        if (i == 1) def.angle = 120;
        if (i == 2) def.bottom_radius = def.top_radius; /* a tube */
        vo_mesh *mesh = make(ctx, &def);
        assert_true(largest_strain(mesh) < 2e-3);
        vo_mesh_destroy(mesh);
    }
    vo_context_destroy(ctx);
}

static void triangles_are_well_shaped(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_cone_def def = skirt(7016);
    vo_mesh *mesh = make(ctx, &def);
    double longest, shortest = shortest_side(mesh, &longest);
    assert_true(longest < 2 * shortest);
    vo_mesh_destroy(mesh);
    def.rings = 11;
    mesh = make(ctx, &def);
    double z = 0;
    int rings = 1;
    for (int n = 1; n < mesh->node_count; n++) {
        if (mesh->node_x[n].z < z - 1e-6) rings++;
        z = fmin(z, mesh->node_x[n].z);
    }
    assert_int_equal(rings, 11);
    assert_int_equal(mesh->node_count, 7016);
    vo_mesh_destroy(mesh);
    vo_context_destroy(ctx);
}

/* The upper ring is an ellipse of the same circumference, with evenly spaced nodes. */
static void depth_keeps_the_circumference(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_cone_def def = skirt(7016);
    def.depth = 0.6;
    vo_mesh *mesh = make(ctx, &def);
    int count = count_label(mesh, 1);
    double sum = 0, least = INFINITY, most = 0, x = 0, y = 0;
    for (int i = 0; i < count; i++) {
        double length = v3_distance(mesh->node_x[i], mesh->node_x[(i + 1) % count]);
        sum += length;
        least = fmin(least, length);
        most = fmax(most, length);
        x = fmax(x, mesh->node_x[i].x);
        y = fmax(y, mesh->node_x[i].y);
    }
    assert_near(sum, 2 * 3.14159265 * 0.13, 1e-3);
    assert_true(most < 1.01 * least);
    assert_near(y / x, 0.6, 0.01);
    vo_mesh_destroy(mesh);
    vo_context_destroy(ctx);
}

static void invalid_definitions_are_rejected(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const char *names[] = {"top_radius", "bottom_radius", "length",   "angle",
                           "depth",      "rings",         "vertices", "vertices"};
    for (int i = 0; i < 8; i++) {
        vo_cone_def def = skirt(100);
        if (i == 0) def.top_radius = 0;
        if (i == 1) def.bottom_radius = 0.1;
        if (i == 2) def.length = 0.2;
        if (i == 3) def.angle = 361;
        if (i == 4) def.depth = 0;
        if (i == 5) def.rings = 1;
        if (i == 6) def.vertices = 5;
        if (i == 7) def.rings = 50;
        vo_mesh *mesh;
        assert_int_equal(vo_mesh_create_cone(ctx, &def, &mesh), VO_BAD_ARGUMENT);
        assert_null(mesh);
        assert_message_contains(ctx, names[i]);
    }
    vo_context_destroy(ctx);
}

static vo_result create(vo_context *ctx, void *arg) {
    vo_mesh *mesh;
    vo_result result = vo_mesh_create_cone(ctx, arg, &mesh);
    vo_mesh_destroy(mesh);
    return result;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    vo_cone_def def = skirt(60);
    test_every_allocation(create, &def);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_cones_have_the_given_number_of_nodes),
        cmocka_unit_test(open_cones_have_the_given_number_of_nodes),
        cmocka_unit_test(cones_have_no_strain),
        cmocka_unit_test(triangles_are_well_shaped),
        cmocka_unit_test(depth_keeps_the_circumference),
        cmocka_unit_test(invalid_definitions_are_rejected),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

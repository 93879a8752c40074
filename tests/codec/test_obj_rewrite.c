/* Rewriting of OBJ files with new positions: kept and removed lines, and invalid files. */
#include "support.h"

#include "codec/obj.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/random.h"

#include <stdio.h>
#include <string.h>

typedef struct place {
    vo_context *ctx;
    char from[400], to[400];
} place;

static place open_place(void) {
    place p = {.ctx = test_context(1)};
    const char *folder = test_folder();
    snprintf(p.from, sizeof p.from, "%s/in.obj", folder);
    snprintf(p.to, sizeof p.to, "%s/out.obj", folder);
    return p;
}

static vo_result rewrite(const place *p, const char *text, size_t size, int count, const vo_vec3 *x,
                         const vo_vec3 *v) {
    assert_ok(p->ctx, vo_file_write(p->ctx, p->from, text, size));
    return vo_obj_rewrite(p->ctx, p->from, count, x, v, p->to);
}

static const vo_vec3 X[] = {{1, 2, 3}, {0.1, 0, -5}, {7, 8, 9}};
static const vo_vec3 V[] = {{0, 0, 0}, {4, 0, 1}, {0, 0, 0}};

/* Rewrites a text with these positions and compares the result. */
static void expect(const char *text, const char *expected) {
    place p = open_place();
    vo_bytes out;
    assert_ok(p.ctx, rewrite(&p, text, strlen(text), 3, X, V));
    assert_ok(p.ctx, vo_file_read(p.ctx, p.to, &out));
    assert_string_equal(out.data, expected);
    vo_bytes_free(p.ctx, &out);
    vo_context_destroy(p.ctx);
}

static void other_lines_are_copied_unchanged(void **state) {
    (void)state;
    expect("# made by hand\n"
           "mtllib cloth.mtl\n\n"
           "g front\n"
           "vt 0.50 1e0   # corner\n"
           "vl 3\n"
           "v 0 0 0\n"
           "v 1 0 0 0.5 0.25 1\n"
           "nl 2\n"
           "f 1/1 2/1 3/1 4/2 # a quad\n"
           "tl 5\n"
           "e 1 2\n"
           "ea 0.5\n"
           "usemtl red\n"
           "s off\n",
           "# made by hand\n"
           "mtllib cloth.mtl\n\n"
           "g front\n"
           "vt 0.50 1e0   # corner\n"
           "vl 3\n"
           "v 1 2 3\n"
           "v 0.1 0 -5 0.5 0.25 1\n"
           "nv 4 0 1\n"
           "nl 2\n"
           "f 1/1 2/1 3/1 4/2 # a quad\n"
           "tl 5\n"
           "e 1 2\n"
           "ea 0.5\n"
           "usemtl red\n"
           "s off\n");
}

static void normals_and_old_velocities_are_removed(void **state) {
    (void)state;
    expect("v 0 0 0\nnv 9 9 9\nvn 0 0 1\nf 1//1 2/4/1 3/4/ -1\n", "v 1 2 3\nf 1 2/4 3/4 -1\n");
}

static void unusual_line_ends_are_read(void **state) {
    (void)state;
    expect("\xef\xbb\xbfv 0 0 0\r\nf 1 2 3\r\n", "v 1 2 3\r\nf 1 2 3\r\n");
    expect("v 0 \\\n 0 0\nv \\\r\n0 0 0\nvt 0 \\\n1\n",
           "v 1 2 3\nv 0.1 0 -5\nnv 4 0 1\nvt 0 \\\n1\n");
    expect("f 1/1/1 \\\n2/2/2 3", "f 1/1 \\\n2/2 3\n");
    expect("v 0 0 0", "v 1 2 3\n");
    expect("  v  0 0 0 # here\n\tvt 1 1", "v 1 2 3 # here\n\tvt 1 1\n");
    expect("", "");
    expect("# v 0 0 0\n#", "# v 0 0 0\n#\n");
}

static void file_with_too_many_nodes_is_rejected(void **state) {
    (void)state;
    static const char text[] = "v 0 0 0\nv 0 0 0\nvt 0 0\nv 0 0 0\nv 0 0 0\n";
    place p = open_place();
    assert_int_equal(rewrite(&p, text, strlen(text), 3, X, V), VO_BAD_DATA);
    assert_message_contains(p.ctx, "in.obj: line 5");
    assert_false(vo_file_exists(p.to));
    vo_context_destroy(p.ctx);
}

/* Rewriting a file with its own positions must preserve the mesh. */
static void expect_same(const place *p, const char *text, size_t size) {
    vo_mesh_data before, after;
    if (vo_obj_parse(p->ctx, "before", text, size, &before) != VO_OK) return;
    vo_vec3 none = {0, 0, 0};
    bool nodes = before.node_count > 0;
    assert_ok(p->ctx, rewrite(p, text, size, before.node_count, nodes ? before.node_x : &none,
                              nodes ? before.node_v : &none));
    vo_bytes out;
    assert_ok(p->ctx, vo_file_read(p->ctx, p->to, &out));
    assert_ok(p->ctx, vo_obj_parse(p->ctx, "after", out.data, out.size, &after));
#define SAME(count, member)                                                   \
    do {                                                                      \
        assert_int_equal(before.count, after.count);                          \
        if (before.count)                                                     \
            assert_memory_equal(before.member, after.member,                  \
                                (size_t)before.count * sizeof *after.member); \
    } while (0)
    SAME(node_count, node_x);
    SAME(node_count, node_v);
    SAME(node_count, node_label);
    SAME(vert_count, vert_u);
    SAME(vert_count, vert_node);
    SAME(vert_count, vert_label);
    SAME(face_count, face_vert);
    SAME(face_count, face_label);
    SAME(edge_count, edge_node);
    SAME(edge_count, edge_label);
    vo_bytes_free(p->ctx, &out);
    vo_mesh_data_free(p->ctx, &before);
    vo_mesh_data_free(p->ctx, &after);
}

static const char rich[] =
    "# rich\nvt 0 0\nvt 1 0\nvl 2\nvt 1 1\nvt 0 1\nv 0 0 0 1 0 0\nnv 1 2 3\nv 1 0 0\nnl 4\n"
    "v 1 1 \\\n 0.5\nv 0 1 0\nvn 0 0 1\nf 1/1/1 2/2/1 \\\n 3/3/1 4/4/1\ntl 2\nf 1 3 4#x\n"
    "e 1 2\nel 3\nny 0 0 1\n";

static void file_with_its_own_positions_is_the_same_mesh(void **state) {
    (void)state;
    place p = open_place();
    for (size_t size = 0; size < sizeof rich; size++) expect_same(&p, rich, size);
    vo_context_destroy(p.ctx);
}

static void mutated_file_is_rewritten_or_rejected(void **state) {
    (void)state;
    static const char letters[] = "v t n f e l 0 1 2 / \\ \n \r # - . s g";
    place p = open_place();
    vo_random r = vo_random_seed(77);
    vo_vec3 x[400] = {{0, 0, 0}};
    for (int round = 0; round < 150; round++) {
        char text[sizeof rich + 8];
        memcpy(text, rich, sizeof rich);
        for (int k = vo_random_int(&r, 6); k >= 0; k--)
            text[vo_random_int(&r, sizeof rich)] = round % 3
                                                       ? letters[vo_random_int(&r, sizeof letters)]
                                                       : (char)vo_random_int(&r, 256);
        assert_ok(p.ctx, rewrite(&p, text, sizeof rich, 400, x, x));
        expect_same(&p, text, sizeof rich);
    }
    vo_context_destroy(p.ctx);
}

static vo_result rewrite_body(vo_context *ctx, void *arg) {
    place *p = arg;
    return vo_obj_rewrite(ctx, p->from, 3, X, V, p->to);
}

static void failed_allocation_is_reported(void **state) {
    (void)state;
    place p = open_place();
    static const char text[] = "v 0 0 0\nv 0 0 0\nf 1 2 3\n";
    assert_ok(p.ctx, vo_file_write(p.ctx, p.from, text, strlen(text)));
    test_every_allocation(rewrite_body, &p);
    snprintf(p.to, sizeof p.to, "/proc/voile/out.obj");
    assert_int_equal(rewrite_body(p.ctx, &p), VO_IO_FAILED);
    vo_context_destroy(p.ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_lines_are_copied_unchanged),
        cmocka_unit_test(normals_and_old_velocities_are_removed),
        cmocka_unit_test(unusual_line_ends_are_read),
        cmocka_unit_test(file_with_too_many_nodes_is_rejected),
        cmocka_unit_test(file_with_its_own_positions_is_the_same_mesh),
        cmocka_unit_test(mutated_file_is_rewritten_or_rejected),
        cmocka_unit_test(failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

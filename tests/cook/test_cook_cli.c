/* The command cook, and info of garment files. */
#include "cli/command.h"

/* Two triangles; the second edge has the label 1. */
#define SQUARE                                                                         \
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nnl 1\nv 0 1 0\nnl 1\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n" \
    "f 1/1 2/2 3/3\nf 1/1 3/3 4/4\n"

static void mesh_is_cooked_and_described(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_text(in(folder, "square.obj"), SQUARE);
    expect_out(folder, "cook square.obj --attach 1 --levels 2 -o s.vrt --base-output base.obj", 0,
               "base faces       2");
    expect_out(folder, "info s.vrt", 0, "attached         2");
    expect_out(folder, "info s.vrt --json", 0, "\"levels\": 2");
    expect_out(folder, "check base.obj", 0, "mesh without defects");
    expect_out(folder, "cook square.obj -o t.vrt --json", 0, "\"bone_names\": []");
    expect_out(folder, "cook square.obj --uv-scale 2 -o t.vrt --json", 0, "\"area_m2\": 4");
    expect_out(folder,
               "cook square.obj --fabric " VOILE_SOURCE_DIR
               "/assets/fabrics/denim.json --friction 0.5 -o t.vrt --json",
               0, "\"friction\": 0.5");
}

/* A grid of 2 x 2 cells has one level. */
#define GRID                                                                                     \
    "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0.1\nv 2 1 0\nv 0 2 0\nv 1 2 0\nv 2 2 0\n"        \
    "vt 0 0\nvt 1 0\nvt 2 0\nvt 0 1\nvt 1 1\nvt 2 1\nvt 0 2\nvt 1 2\nvt 2 2\n"                   \
    "f 1/1 2/2 5/5\nf 1/1 5/5 4/4\nf 2/2 3/3 6/6\nf 2/2 6/6 5/5\nf 4/4 5/5 8/8\nf 4/4 8/8 7/7\n" \
    "f 5/5 6/6 9/9\nf 5/5 9/9 8/8\n"

static void levels_are_described(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_text(in(folder, "grid.obj"), GRID);
    expect_out(folder, "cook grid.obj --tolerance 0.01 --levels 1 -o g.vrt", 0,
               "subdivision connectivity: coarsened 1 times");
    expect_out(folder, "cook grid.obj --tolerance 0.01 --levels 1 -o g.vrt", 0,
               "level 1: at most 0.00 mm from the input");
    expect_out(folder, "cook grid.obj --tolerance 0.01 --levels 1 -o g.vrt --json", 0,
               "\"detected_levels\": 1");
    expect_out(folder,
               "cook grid.obj --tolerance 0.01 --levels 1 -o g.vrt --base-output l.obj "
               "--base-level 1",
               0, "base faces       2");
    expect_out(folder, "check l.obj", 0, "mesh without defects");
    expect_out(folder, "info g.vrt", 0, "colours");
}

static void usage_errors_are_reported_first(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_text(in(folder, "square.obj"), SQUARE);
    expect(folder, "cook square.obj", 2, "cook needs an output: -o FILE.vrt");
    expect(folder, "cook square.obj -o square.obj", 2, "is an input and would be overwritten");
    expect(folder, "cook square.obj -o a.vrt --base-output a.vrt", 2, "would be written twice");
    expect(folder, "cook gone.obj -o a.vrt", 1, "gone.obj");
    expect(folder, "cook square.obj -o gone/a.vrt", 3, "gone/a.vrt");
    expect(folder, "cook square.obj -o a.vrt --levels 7", 2, "--levels needs a number from 0 to 6");
    expect(folder, "cook square.obj -o a.vrt --levels 1.5", 2, "--levels needs a whole number");
    expect(folder, "cook square.obj -o a.vrt --tolerance 0", 2, "--tolerance needs a number from");
    expect(folder, "cook square.obj -o a.vrt --base-level 1", 2,
           "--base-level needs --base-output");
    expect(folder, "cook square.obj -o a.vrt --attach 1,,2", 2, "--attach needs LABEL,LABEL");
    expect(folder, "cook square.obj -o a.vrt --no-body --mannequin", 2, "--no-body excludes");
    expect(folder, "cook square.obj -o a.vrt --units cm", 2, "--units and --up describe");
    expect(folder, "cook square.obj -o a.vrt --maps gone.json", 1, "gone.json");
}

static void library_messages_name_the_option(void **state) {
    (void)state;
    const char *folder = test_folder();
    write_text(in(folder, "square.obj"), SQUARE);
    write_text(in(folder, "links.txt"), "v 0 2\n");
    expect(folder, "cook square.obj -o a.vrt --attach 5", 1, "--attach [0]: no node has the label");
    expect(folder, "cook square.obj -o a.vrt --links links.txt --faces 1", 1,
           "more than --faces 1");
    expect(folder, "cook square.obj -o a.vrt --links links.txt --tolerance 1", 2,
           "--tolerance is given, but links refer");
    write_text(in(folder, "bad.vrt"), "no garment");
    expect(folder, "info bad.vrt", 1, "bad.vrt: header: ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mesh_is_cooked_and_described),
        cmocka_unit_test(levels_are_described),
        cmocka_unit_test(usage_errors_are_reported_first),
        cmocka_unit_test(library_messages_name_the_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

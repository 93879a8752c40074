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
    write_text(in(folder, "bad.vrt"), "no garment");
    expect(folder, "info bad.vrt", 1, "bad.vrt: header: ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mesh_is_cooked_and_described),
        cmocka_unit_test(usage_errors_are_reported_first),
        cmocka_unit_test(library_messages_name_the_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

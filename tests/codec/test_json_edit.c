#include "json_text.h"

#include "core/memory.h"
#include "core/random.h"

#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Path, value, and the resulting document, from {"a":{"b":[1,{"c":2}]},"s":"x"}, in one line. */
static const char *const settings[][3] = {
    {"a.b[0]", "5", "{\"a\":{\"b\":[5,{\"c\":2}]},\"s\":\"x\"}"},
    {"a.b[1].c", "1e-3", "{\"a\":{\"b\":[1,{\"c\":0.001}]},\"s\":\"x\"}"},
    {"a.b[2]", "true", "{\"a\":{\"b\":[1,{\"c\":2},true]},\"s\":\"x\"}"},
    {"a.b[2].d[0].e", "null", "{\"a\":{\"b\":[1,{\"c\":2},{\"d\":[{\"e\":null}]}]},\"s\":\"x\"}"},
    {"s", "two words", "{\"a\":{\"b\":[1,{\"c\":2}]},\"s\":\"two words\"}"},
    {"s", "remeshing,collision",
     "{\"a\":{\"b\":[1,{\"c\":2}]},\"s\":[\"remeshing\",\"collision\"]}"},
    {"s", "0, 0,-9.80", "{\"a\":{\"b\":[1,{\"c\":2}]},\"s\":[0,0,-9.8]}"},
    {"s", "[1,2],[3],x", "{\"a\":{\"b\":[1,{\"c\":2}]},\"s\":[[1,2],[3],\"x\"]}"},
    {"s", "\"a,b\"", "{\"a\":{\"b\":[1,{\"c\":2}]},\"s\":\"a,b\"}"},
    {"s", "\"\"", "{\"a\":{\"b\":[1,{\"c\":2}]},\"s\":\"\"}"},
    {"s", "[remeshing", NULL},
    {"s", "{\"k\": [1, 2,],} // why", "{\"a\":{\"b\":[1,{\"c\":2}]},\"s\":{\"k\":[1,2]}}"},
    {"s", "inf", "{\"a\":{\"b\":[1,{\"c\":2}]},\"s\":\"inf\"}"},
    {"s", "12abc", "{\"a\":{\"b\":[1,{\"c\":2}]},\"s\":\"12abc\"}"},
    {"s", "meshes/a.obj", "{\"a\":{\"b\":[1,{\"c\":2}]},\"s\":\"meshes/a.obj\"}"},
    {"\"odd key\".\"x\\\"y\"[0]", "1",
     "{\"a\":{\"b\":[1,{\"c\":2}]},\"s\":\"x\",\"odd key\":{\"x\\\"y\":[1]}}"},
    {"new.er", "[]", "{\"a\":{\"b\":[1,{\"c\":2}]},\"s\":\"x\",\"new\":{\"er\":[]}}"},
    {"", "1", NULL},
    {".a", "1", NULL},
    {"a.", "1", NULL},
    {"a..b", "1", NULL},
    {"a[", "1", NULL},
    {"a[]", "1", NULL},
    {"a[x]", "1", NULL},
    {"a[-1]", "1", NULL},
    {"a[99999999999999999999]", "1", NULL},
    {"a]", "1", NULL},
    {"[0]", "1", NULL},
    {"\"a", "1", NULL},
    {"\"a\"b", "1", NULL},
    {"a.b[0]c", "1", NULL},
    {"a.b[3]", "1", NULL},
    {"a.new[1]", "1", NULL},
    {"a.b.c", "1", NULL},
    {"a[0]", "1", NULL},
    {"s.t", "1", NULL},
    {"s", "", NULL},
    {"s", "  ", NULL},
    {"s", "a,", NULL},
    {"s", "a,,b", NULL},
    {"s", "\"a", NULL},
    {"s", "{", NULL},
};

static void remove_blanks(char *text) {
    char *to = text;
    bool quoted = false;
    for (const char *p = text; *p; p++) {
        if (*p == '"' && (p == text || p[-1] != '\\')) quoted = !quoted;
        if (quoted || (*p != ' ' && *p != '\n')) *to++ = *p;
    }
    *to = 0;
}

static void override_sets_value_at_path(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const char *before = "{\"a\":{\"b\":[1,{\"c\":2}]},\"s\":\"x\"}";
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const char *const *set = settings[i];
        vo_json_doc doc = parse_json(ctx, before);
        vo_result result = vo_json_set(&doc, set[0], set[1]);
        if (result != (set[2] ? VO_OK : VO_BAD_ARGUMENT))
            fail_msg("%s=%s: result %d, %s", set[0], set[1], (int)result, vo_context_message(ctx));
        char *after = json_text(&doc);
        remove_blanks(after);
        assert_string_equal(after, set[2] ? set[2] : before); /* a failure changes nothing */
        free(after);
        vo_json_free(&doc);
    }
    vo_context_destroy(ctx);
}

static void expect_set_error(vo_context *ctx, const char *path, const char *text,
                             const char *message) {
    vo_json_doc doc = parse_json(ctx, "{\"a\":{\"b\":[1]},\"s\":\"x\"}");
    char whole[300];
    assert_int_equal(vo_json_set(&doc, path, text), VO_BAD_ARGUMENT);
    snprintf(whole, sizeof whole, "cannot set \"%s\": %s", path, message);
    expect_message(ctx, whole);
    vo_json_free(&doc);
}

static void message_about_override_names_its_origin(void **state) {
    (void)state;
    static const char *const known[] = {"a", "ab", "s", NULL};
    vo_context *ctx = test_context(1);
    vo_json_doc doc = parse_json(ctx, "{\"a\":{\"b\":[1]},\"ab\":1,\"s\":\"x\",\"t\":1}");
    assert_ok(ctx, vo_json_mark_overridden(&doc, "a"));
    assert_ok(ctx, vo_json_mark_overridden(&doc, "t"));
    vo_json_cursor root = vo_json_root(&doc), a = vo_json_get(&root, "a"), b = vo_json_get(&a, "b");
    vo_json_fail(a, "no");
    expect_message(ctx, "scene.json (overridden by the caller): a: no");
    vo_json_fail(vo_json_item(&b, 0), "no");
    expect_message(ctx, "scene.json (overridden by the caller): a.b[0]: no");
    vo_json_fail(vo_json_get(&root, "ab"), "no");
    expect_message(ctx, "scene.json: ab: no");
    vo_json_fail(root, "no");
    expect_message(ctx, "scene.json: no");
    assert_ok(ctx, vo_json_mark_overridden(&doc, "ab.c"));
    root = vo_json_root(&doc);
    vo_json_fail(vo_json_get(&root, "ab"), "no");
    expect_message(ctx, "scene.json (partly overridden by the caller): ab: no");
    assert_int_equal(vo_json_check_keys(root, known), VO_BAD_DATA);
    expect_message(ctx,
                   "scene.json (overridden by the caller): unknown key \"t\"; did you mean \"a\"?");
    vo_json_free(&doc);
    vo_context_destroy(ctx);
}

static void invalid_override_reports_reason(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    expect_set_error(ctx, "s", "caf\xe9.obj", "path or value is not UTF-8");
    expect_set_error(ctx, "caf\xe9", "1", "path or value is not UTF-8");
    expect_set_error(ctx, "a..b", "1", "a key is missing");
    expect_set_error(ctx, "a.b[", "1", "expected an index and ] after [");
    expect_set_error(ctx, "a.b[0]x", "1", "expected . or [ before \"x\"");
    expect_set_error(ctx, "\"a", "1", "a quoted key does not end");
    expect_set_error(ctx, "a.b[2]", "1", "a.b has 1 element, so index 2 is out of range");
    expect_set_error(ctx, "a.c[2]", "1", "a.c is new, so index 2 is out of range");
    expect_set_error(ctx, "a.b.c", "1", "a.b is an array, not an object");
    expect_set_error(ctx, "a[0]", "1", "a is an object, not an array");
    expect_set_error(ctx, "s.t.u", "1", "s is a string, not an object");
    expect_set_error(ctx, "s", "a,,b", "a value is missing (\"\" is an empty string)");
    expect_set_error(ctx, "s", "{1",
                     "value: line 1, column 2: expected a key in double quotes, found \"1\"");
    char deep[200];
    for (int i = 0; i < 65; i++) memcpy(deep + 2 * i, "k.", 2);
    deep[129] = 0;
    expect_set_error(ctx, deep, "1", "the path has more than 64 steps");
    deep[127] = 0;
    expect_set_error(ctx, deep, "[1]", "the document would have more than 64 levels");
    vo_json_doc doc = parse_json(ctx, "{}");
    assert_ok(ctx, vo_json_set(&doc, deep, "1"));
    vo_json_free(&doc);
    doc = parse_json(ctx, "[1]");
    assert_int_equal(vo_json_set(&doc, "a", "1"), VO_BAD_ARGUMENT);
    expect_message(ctx, "cannot set \"a\": the document is an array, not an object");
    vo_json_free(&doc);
    vo_context_destroy(ctx);
}

static vo_result build(vo_context *ctx, void *arg) {
    vo_json_doc doc, other;
    VO_TRY(vo_json_new(ctx, "built.json", &doc));
    vo_json_cursor root = vo_json_root(&doc), list, item;
    double v[3] = {0.1, -INFINITY, 1e22};
    vo_result result = vo_json_put_real(&root, "real", 1.0 / 3);
    if (result == VO_OK) result = vo_json_put_int(&root, "int", INT_MIN);
    if (result == VO_OK) result = vo_json_put_bool(&root, "bool", true);
    if (result == VO_OK) result = vo_json_put_string(&root, "string", "a\"\\\n\t\x01/\xc3\xa9");
    if (result == VO_OK) result = vo_json_put_reals(&root, "reals", v, 3);
    if (result == VO_OK) result = vo_json_put_array(&root, "list", &list);
    if (result == VO_OK) result = vo_json_put_object(&list, NULL, &item);
    if (result == VO_OK) result = vo_json_put_real(&item, "gone", 1);
    if (result == VO_OK) result = vo_json_put_real(&item, "kept", 2);
    if (result == VO_OK) result = vo_json_put_int(&list, NULL, 4);
    if (result == VO_OK) result = vo_json_put_string(&root, "bool", "replaced");
    if (result == VO_OK) {
        vo_json_remove(&item, "gone");
        vo_json_remove(&item, "never there");
        vo_json_remove(&list, "no object");
        result = vo_json_parse(ctx, "other", "{\"k\":[1e-3,{\"x\":null}]}", 23, &other);
    }
    if (result == VO_OK) {
        vo_json_cursor from = vo_json_root(&other);
        result = vo_json_put_copy(&root, "copy", vo_json_get(&from, "k"));
        if (result == VO_OK) result = vo_json_put_copy(&list, NULL, vo_json_get(&from, "k"));
        if (result == VO_OK) result = vo_json_put_copy(&root, "none", vo_json_get(&from, "absent"));
        vo_json_free(&other);
    }
    if (result == VO_OK) result = vo_json_set(&doc, "a.b[0]", "[1,{\"x\":2}],word");
    char *text;
    size_t size;
    if (result == VO_OK) result = vo_json_print(&doc, &text, &size);
    if (result == VO_OK && arg) snprintf(arg, 1000, "%s", text);
    if (result == VO_OK) vo_free(ctx, text, size + 1);
    vo_json_free(&doc);
    return result;
}

static void writers_build_document(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    char text[1000];
    assert_ok(ctx, build(ctx, text));
    assert_string_equal(text, "{\n"
                              "  \"real\": 0.3333333333333333,\n"
                              "  \"int\": -2147483648,\n"
                              "  \"bool\": \"replaced\",\n"
                              "  \"string\": \"a\\\"\\\\\\n\\t\\u0001/\xc3\xa9\",\n"
                              "  \"reals\": [0.1, \"-inf\", 1e+22],\n"
                              "  \"list\": [\n"
                              "    {\n"
                              "      \"kept\": 2\n"
                              "    },\n"
                              "    4,\n"
                              "    [\n"
                              "      0.001,\n"
                              "      {\n"
                              "        \"x\": null\n"
                              "      }\n"
                              "    ]\n"
                              "  ],\n"
                              "  \"copy\": [\n"
                              "    0.001,\n"
                              "    {\n"
                              "      \"x\": null\n"
                              "    }\n"
                              "  ],\n"
                              "  \"a\": {\n"
                              "    \"b\": [\n"
                              "      [\n"
                              "        [\n"
                              "          1,\n"
                              "          {\n"
                              "            \"x\": 2\n"
                              "          }\n"
                              "        ],\n"
                              "        \"word\"\n"
                              "      ]\n"
                              "    ]\n"
                              "  }\n"
                              "}\n");
    vo_context_destroy(ctx);
}

static void failed_allocation_is_reported(void **state) {
    (void)state;
    test_every_allocation(build, NULL);
}

static void value_in_wrong_container_is_rejected(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_json_doc doc = parse_json(ctx, "{\"a\":[],\"s\":\"x\"}");
    vo_json_cursor root = vo_json_root(&doc), a = vo_json_get(&root, "a"),
                   s = vo_json_get(&root, "s");
    vo_json_cursor none = vo_json_get(&root, "none");
    assert_int_equal(vo_json_put_string(&root, "k", "caf\xe9"), VO_BAD_DATA);
    expect_message(ctx, "scene.json: \"caf\xe9\" is not UTF-8");
    assert_int_equal(vo_json_put_int(&root, NULL, 1), VO_BAD_ARGUMENT);
    assert_int_equal(vo_json_put_int(&a, "k", 1), VO_BAD_ARGUMENT);
    expect_message(ctx, "scene.json: cannot put \"k\" into an array");
    assert_int_equal(vo_json_put_copy(&s, "k", a), VO_BAD_ARGUMENT);
    assert_int_equal(vo_json_put_object(&none, "k", &s), VO_BAD_ARGUMENT);
    vo_json_free(&doc);
    doc = parse_json(ctx, "[null]");
    root = vo_json_root(&doc);
    assert_int_equal(vo_json_put_copy(&root, "k", vo_json_item(&root, 0)), VO_BAD_ARGUMENT);
    assert_ok(ctx, vo_json_put_copy(&root, NULL, vo_json_item(&root, 0)));
    assert_int_equal(vo_json_length(root), 2);
    vo_json_free(&doc);
    vo_context_destroy(ctx);
}

/* Lines end before column 100 unless a single value is longer. */
static void long_arrays_are_wrapped(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_json_doc doc;
    assert_ok(ctx, vo_json_new(ctx, "long", &doc));
    vo_json_cursor root = vo_json_root(&doc), list;
    assert_ok(ctx, vo_json_put_array(&root, "nodes", &list));
    for (int i = 0; i < 500; i++) assert_ok(ctx, vo_json_put_int(&list, NULL, i * 10007));
    char *text = json_text(&doc);
    int lines = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++)
        assert_true(strlen(line) <= 100);
    assert_in_range(lines, 30, 80);
    free(text);
    vo_json_free(&doc);
    vo_context_destroy(ctx);
}

static void check_number(double value) {
    char text[32];
    int length = vo_json_format_real(value, text);
    assert_int_equal(length, strlen(text));
    char *end;
    double back = strtod(text, &end);
    assert_int_equal(*end, 0);
    assert_memory_equal(&back, &value, sizeof back);
}

static void printed_numbers_preserve_bits(void **state) {
    (void)state;
    char text[32];
    double edges[] = {0.0, -0.0, DBL_MIN, -DBL_MAX, DBL_TRUE_MIN, 0.1, 1.0 / 3, 1e22, 1e23, 5e-324};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) check_number(edges[i]);
    vo_random random = vo_random_seed(2);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = vo_random_u64(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) check_number(value);
    }
    vo_json_format_real(0.1, text);
    assert_string_equal(text, "0.1");
    vo_json_format_real(-9.8, text);
    assert_string_equal(text, "-9.8");
    vo_json_format_real(0.1 + 0.2, text);
    assert_string_equal(text, "0.30000000000000004");
    vo_json_format_real(INFINITY, text);
    assert_string_equal(text, "\"inf\"");
    vo_json_format_real(-INFINITY, text);
    assert_string_equal(text, "\"-inf\"");
    vo_json_format_real(NAN, text);
    assert_string_equal(text, "\"nan\"");
}

/* Printing, reading and printing again gives the same bytes. */
static void printed_document_is_parsed_unchanged(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const char *texts[] = {"null",
                           "3",
                           "\"x\"",
                           "[]",
                           "{}",
                           "[[],{}]",
                           "-0.0",
                           "[1.,-.5,10e-3,1e999]",
                           "{\"\":{\"a\\nb\":[true,false,null,\"\\u00e9\\/\\b\"]},\"z\":1,\"a\":2}",
                           "[123456789012345678,-123456789012345678,1e20,0.30000000000000004]"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        vo_json_doc doc = parse_json(ctx, texts[i]), again;
        char *first = json_text(&doc);
        assert_ok(ctx, vo_json_parse(ctx, "again", first, strlen(first), &again));
        expect_print(&again, first);
        free(first);
        vo_json_free(&doc);
        vo_json_free(&again);
    }
    vo_context_destroy(ctx);
}

static bool writes_commas(const char *locale) {
    if (setlocale(LC_ALL, locale) && strcmp(localeconv()->decimal_point, ",") == 0) return true;
    setlocale(LC_ALL, "C");
    return false;
}

/* Sets a locale with a decimal comma: an installed one, or one created for the test. */
static bool use_comma_locale(void) {
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "nl_NL.UTF-8", "ru_RU.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (writes_commas(names[i])) return true;
    char command[600];
    const char *folder = test_folder();
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/log 2>&1",
             folder, folder);
    if (system(command) != 0) return false;
    setenv("LOCPATH", folder, 1);
    return writes_commas("de_DE.UTF-8");
}

static void locale_has_no_effect(void **state) {
    (void)state;
    if (!use_comma_locale()) skip();
    vo_context *ctx = test_context(1);
    vo_json_doc doc = parse_json(ctx, "[1.5, 2.25e-3]");
    vo_json_cursor root = vo_json_root(&doc);
    double v[2] = {0};
    assert_ok(ctx, vo_json_read_reals(root, v, 2));
    assert_true(v[0] == 1.5 && v[1] == 2.25e-3);
    assert_ok(ctx, vo_json_put_real(&root, NULL, 0.1 + 0.2));
    expect_print(&doc, "[1.5, 0.00225, 0.30000000000000004]\n");
    vo_json_free(&doc);
    doc = parse_json(ctx, "{}");
    assert_ok(ctx, vo_json_set(&doc, "g", "0,-9.8"));
    expect_print(&doc, "{\n  \"g\": [0, -9.8]\n}\n");
    vo_json_free(&doc);
    vo_context_destroy(ctx);
    setlocale(LC_ALL, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(override_sets_value_at_path),
        cmocka_unit_test(invalid_override_reports_reason),
        cmocka_unit_test(message_about_override_names_its_origin),
        cmocka_unit_test(writers_build_document),
        cmocka_unit_test(failed_allocation_is_reported),
        cmocka_unit_test(value_in_wrong_container_is_rejected),
        cmocka_unit_test(long_arrays_are_wrapped),
        cmocka_unit_test(printed_numbers_preserve_bits),
        cmocka_unit_test(printed_document_is_parsed_unchanged),
        cmocka_unit_test(locale_has_no_effect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "json_text.h"

#include "core/file.h"
#include "core/memory.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parsing must fail with "scene.json: " and this message. */
static void expect_syntax_error(vo_context *ctx, const char *text, const char *message) {
    vo_json_doc doc;
    char whole[400];
    snprintf(whole, sizeof whole, "scene.json: %s", message);
    assert_int_equal(vo_json_parse(ctx, "scene.json", text, strlen(text), &doc), VO_BAD_DATA);
    assert_null(doc.root);
    assert_null(doc.file);
    expect_message(ctx, whole);
}

static void comments_and_trailing_commas_are_accepted(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const char *same[] = {
        "{\"a\":[1,2],\"b\":\"//\"}",
        "// before\n/* and */{\"a\":[1,2,],\"b\":\"//\",}// after",
        "\xef\xbb\xbf{\"a\" /* , */ : [ 1 , 2 /*,*/ , // last\n ], \"b\":\"//\"\r\n,\t}\n\n",
        "/**/{/***/\"a\":[1,/*[*/2]/* \" */,\"b\":\"//\"}/* * / */",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        vo_json_doc doc = parse_json(ctx, same[i]);
        expect_print(&doc, "{\n  \"a\": [1, 2],\n  \"b\": \"//\"\n}\n");
        vo_json_free(&doc);
    }
    vo_context_destroy(ctx);
}

static void syntax_errors_name_line_and_column(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    static const char *const cases[][2] = {
        {"", "the file is empty"},
        {" \n// only a comment", "the file is empty"},
        {"\xef\xbb\xbf", "the file is empty"},
        {"{\n  \"a\": 1\n  \"b\": 2\n}", "line 3, column 3: expected a comma or }, found \"\"\""},
        {"[1 2]", "line 1, column 4: expected a comma or ], found \"2\""},
        {"{\"a\" 1}", "line 1, column 6: expected a colon after the key, found \"1\""},
        {"{1: 2}", "line 1, column 2: expected a key in double quotes, found \"1\""},
        {"{\"a\": }", "line 1, column 7: unexpected \"}\""},
        {"[,]", "line 1, column 2: unexpected \",\""},
        {"[1,,]", "line 1, column 4: unexpected \",\""},
        {"{,}", "line 1, column 2: expected a key in double quotes, found \",\""},
        {"1,", "line 1, column 2: unexpected \",\""},
        {"[1] 2", "line 1, column 5: unexpected \"2\""},
        {"{} {}", "line 1, column 4: unexpected \"{\""},
        {"[1", "line 1, column 3: the text ends in the middle of a value"},
        {"{\"a\":\n", "line 2, column 1: the text ends in the middle of a value"},
        {"[1,\n /* x", "line 2, column 2: the comment does not end"},
        {"[1,\n / 2]", "line 2, column 2: unexpected \"/\""},
        {"[\"a, 1]", "line 1, column 2: the string does not end on its line"},
        {"[\"a\n\"]", "line 1, column 2: the string does not end on its line"},
        {"[\"a\\", "line 1, column 2: the string does not end on its line"},
        {"[\"\\q\"]", "line 1, column 3: unknown escape sequence in a string"},
        {"[\"\\u12g4\"]", "line 1, column 3: unknown escape sequence in a string"},
        {"[\"\\ud800\"]", "line 1, column 3: unknown escape sequence in a string"},
        {"[\"\\ud800\\u0041\"]", "line 1, column 3: unknown escape sequence in a string"},
        {"[\"\\udc00\"]", "line 1, column 3: unknown escape sequence in a string"},
        {"{\"\xc0\x80\": 1}", "line 1, column 3: the string is not UTF-8"},
        {"[\"\xed\xa0\x80\"]", "line 1, column 3: the string is not UTF-8"},
        {"[\"\xf4\x90\x80\x80\"]", "line 1, column 3: the string is not UTF-8"},
        {"[\"\xe0\x9f\xbf\"]", "line 1, column 3: the string is not UTF-8"},
        {"[\"\xc3\"]", "line 1, column 3: the string is not UTF-8"},
        {"[\"\xff\"]", "line 1, column 3: the string is not UTF-8"},
        {"[\"a\\u0000\"]", "line 1, column 4: a string may not contain \\u0000"},
        {"['a']", "line 1, column 2: strings must be in double quotes"},
        {"[NaN]", "line 1, column 2: JSON has no number NaN"},
        {"[-Infinity]", "line 1, column 2: JSON has no number -Infinity"},
        {"[inf]", "line 1, column 2: the word inf is not in double quotes"},
        {"[True]", "line 1, column 2: the word True is not in double quotes"},
        {"{a: 1}", "line 1, column 2: expected a key in double quotes, found \"a\""},
        {"[1e]", "line 1, column 2: 1e is not a number"},
        {"[01]", "line 1, column 2: 01 is not a number"},
        {"[-]", "line 1, column 2: - is not a number"},
        {"[.5]", "line 1, column 2: .5 is not a number"},
        {"[+1]", "line 1, column 2: +1 is not a number"},
        {"[1-2]", "line 1, column 2: 1-2 is not a number"},
        {"[0x10]", "line 1, column 2: 0x10 is not a number"},
        {"[1.2.3]", "line 1, column 2: 1.2.3 is not a number"},
        {"[\"\xc3\xa9\xc3\xa9\", x]", "line 1, column 8: the word x is not in double quotes"},
        {"{\"a\": 1,\n \"b\": {\"a\": 1},\n \"a\": 2}",
         "line 3, column 2: duplicate key \"a\" in this object"},
        {"[{\"b\": null, \"b\": null, \"b\": 1}]",
         "line 1, column 14: duplicate key \"b\" in this object"},
        {"{\"a\": 1, \"\\u0061\": 2}", "line 1, column 10: duplicate key \"a\" in this object"},
        {"[1, \x01]", "line 1, column 5: unexpected character"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_syntax_error(ctx, cases[i][0], cases[i][1]);
    char digits[2001];
    memset(digits, '7', 2000);
    digits[2000] = 0;
    expect_syntax_error(ctx, digits,
                        "line 1, column 1: the number has 2000 characters, too many to convert");
    vo_json_doc doc;
    assert_int_equal(vo_json_parse(ctx, "x", "[1\0]", 4, &doc), VO_BAD_DATA);
    expect_message(ctx, "x: line 1, column 3: zero byte; the file is not a text file");
    vo_context_destroy(ctx);
}

static void depth_is_limited(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    char text[400];
    int most = 0;
    for (int depth = 1; depth <= 150; depth++) {
        vo_json_doc doc;
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        vo_result result = vo_json_parse(ctx, "deep", text, 2 * (size_t)depth, &doc);
        if (result == VO_OK) most = depth;
        vo_json_free(&doc);
        if (depth > most) assert_int_equal(result, VO_BAD_DATA);
    }
    assert_int_equal(most, VO_JSON_DEPTH);
    assert_message_contains(ctx, "deep: line 1, column 65: ");
    assert_message_contains(ctx, "nested too deeply (more than 64 levels)");
    vo_context_destroy(ctx);
}

/* No prefix of an object is valid, and none may hang or leak. */
static void truncated_document_is_rejected(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    const char *text =
        "/* c */ {\"a\": [1, -2.5e-3, true, null, {\"b\\n\": \"\xc3\xa9\\u00e9\"},], // x\n"
        " \"c\": false}";
    vo_json_doc doc = parse_json(ctx, text);
    vo_json_free(&doc);
    for (size_t cut = 0; cut < strlen(text); cut++) {
        char *exact = malloc(cut ? cut : 1); /* exact size: sanitizers detect overruns */
        assert_non_null(exact);
        memcpy(exact, text, cut);
        assert_int_equal(vo_json_parse(ctx, "cut", exact, cut, &doc), VO_BAD_DATA);
        assert_int_equal(strncmp(vo_context_message(ctx), "cut: ", 5), 0);
        free(exact);
    }
    vo_context_destroy(ctx);
}

static void string_escapes_are_decoded(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_json_doc doc =
        parse_json(ctx, "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\", "
                        "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\", \"\"]");
    static const char *const expected[] = {"\"\\/\b\f\n\r\t",
                                           "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
                                           "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", ""};
    vo_json_cursor root = vo_json_root(&doc);
    for (int i = 0; i < 4; i++) {
        const char *text = NULL;
        assert_ok(ctx, vo_json_read_string(vo_json_item(&root, i), &text));
        assert_string_equal(text, expected[i]);
    }
    vo_json_free(&doc);
    vo_context_destroy(ctx);
}

/* Numbers equal the results of strtod. */
static void numbers_are_correctly_rounded(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    static const char *const texts[] = {
        "0",
        "-0",
        "-0.0",
        "1.",
        "-.5",
        "10e-3",
        "1E+5",
        "1e-400",
        "123456789012345678",
        "-999999999999999999",
        "100000000000000000000",
        "18446744073709551616",
        "0.1",
        "2.2250738585072011e-308",
        "9007199254740993",
        "1.7976931348623157e308",
        "0.00000000000000000000000000000000000000000000000000000000000000000000000000000000123"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        vo_json_doc doc = parse_json(ctx, texts[i]);
        double read = 7, expected = strtod(texts[i], NULL);
        assert_ok(ctx, vo_json_read_real(vo_json_root(&doc), &read));
        assert_memory_equal(&read, &expected, sizeof read);
        vo_json_free(&doc);
    }
    vo_context_destroy(ctx);
}

static void kind_and_presence_are_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_json_doc doc = parse_json(
        ctx, "{\"n\":null,\"b\":true,\"i\":1,\"r\":1.5,\"s\":\"\",\"a\":[null],\"o\":{}}");
    vo_json_cursor root = vo_json_root(&doc);
    static const struct {
        const char *key, *name;
        vo_json_type kind;
    } cases[] = {{"n", "null", VO_JSON_NULL},        {"b", "true or false", VO_JSON_BOOL},
                 {"i", "a number", VO_JSON_NUMBER},  {"r", "a number", VO_JSON_NUMBER},
                 {"s", "a string", VO_JSON_STRING},  {"a", "an array", VO_JSON_ARRAY},
                 {"o", "an object", VO_JSON_OBJECT}, {"x", "nothing", VO_JSON_ABSENT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vo_json_cursor at = vo_json_get(&root, cases[i].key);
        assert_int_equal(vo_json_kind(at), cases[i].kind);
        assert_string_equal(vo_json_kind_name(at), cases[i].name);
        assert_int_equal(vo_json_is_present(at), cases[i].kind > VO_JSON_NULL);
    }
    vo_json_cursor array = vo_json_get(&root, "a"), absent = vo_json_get(&root, "x");
    assert_int_equal(vo_json_length(array), 1);
    assert_int_equal(vo_json_length(root), 0);
    assert_int_equal(vo_json_length(absent), 0);
    assert_int_equal(vo_json_kind(vo_json_item(&array, 0)), VO_JSON_NULL);
    assert_int_equal(vo_json_kind(vo_json_item(&array, 1)), VO_JSON_ABSENT);
    assert_int_equal(vo_json_kind(vo_json_item(&array, -1)), VO_JSON_ABSENT);
    assert_int_equal(vo_json_kind(vo_json_get(&array, "k")), VO_JSON_ABSENT);
    assert_int_equal(vo_json_kind(vo_json_get(&absent, "k")), VO_JSON_ABSENT);
    assert_int_equal(vo_json_kind(vo_json_item(&absent, 0)), VO_JSON_ABSENT);
    vo_json_free(&doc);
    doc = parse_json(ctx, "null");
    assert_int_equal(vo_json_kind(vo_json_root(&doc)), VO_JSON_NULL);
    vo_json_free(&doc);
    vo_json_free(&doc);
    vo_context_destroy(ctx);
}

static void path_names_the_value(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_json_doc doc = parse_json(
        ctx, "{\"cloths\":[{\"materials\":[1,{\"damping\":2,\"a b\":{\"c\\\"\\\\\\n\":1}}]}]}");
    vo_json_cursor root = vo_json_root(&doc), cloths = vo_json_get(&root, "cloths");
    vo_json_cursor cloth = vo_json_item(&cloths, 0), materials = vo_json_get(&cloth, "materials");
    vo_json_cursor material = vo_json_item(&materials, 1), odd = vo_json_get(&material, "a b");
    char path[100], small[8];
    vo_json_path(root, path, sizeof path);
    assert_string_equal(path, "");
    vo_json_path(vo_json_get(&material, "damping"), path, sizeof path);
    assert_string_equal(path, "cloths[0].materials[1].damping");
    vo_json_path(vo_json_get(&odd, "c\"\\\n"), path, sizeof path);
    assert_string_equal(path, "cloths[0].materials[1].\"a b\".\"c\\\"\\\\?\"");
    vo_json_path(material, small, sizeof small);
    assert_string_equal(small, "cloths[");
    vo_json_path(material, small, 0);
    assert_int_equal(vo_json_fail(material, "is %d", 7), VO_BAD_DATA);
    expect_message(ctx, "scene.json: cloths[0].materials[1]: is 7");
    assert_int_equal(vo_json_fail(root, "is %s", "bad"), VO_BAD_DATA);
    expect_message(ctx, "scene.json: is bad");
    vo_json_free(&doc);
    vo_context_destroy(ctx);
}

static void readers_accept_valid_values(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_json_doc doc =
        parse_json(ctx, "{\"r\":10e-3,\"i\":-7,\"whole\":1.2e1,\"big\":123456789012345678,"
                        "\"dot\":1.,\"half\":-.5,\"t\":true,\"s\":\"caf\\u00e9\",\"v\":[1,2.5,-3],"
                        "\"inf\":\"-Infinity\",\"plus\":\"+inf\",\"over\":1e999,\"n\":null}");
    vo_json_cursor root = vo_json_root(&doc);
    double r = 0, v[3] = {0};
    int i = 0;
    bool t = false;
    const char *s = NULL;
    assert_ok(ctx, vo_json_read_real(vo_json_get(&root, "r"), &r));
    assert_true(r == 10e-3);
    assert_ok(ctx, vo_json_read_real(vo_json_get(&root, "big"), &r));
    assert_true(r == 123456789012345678.0);
    assert_ok(ctx, vo_json_read_real(vo_json_get(&root, "dot"), &r));
    assert_true(r == 1);
    assert_ok(ctx, vo_json_read_real(vo_json_get(&root, "half"), &r));
    assert_true(r == -0.5);
    assert_ok(ctx, vo_json_read_int(vo_json_get(&root, "i"), &i));
    assert_int_equal(i, -7);
    assert_ok(ctx, vo_json_read_int(vo_json_get(&root, "whole"), &i));
    assert_int_equal(i, 12);
    assert_ok(ctx, vo_json_read_bool(vo_json_get(&root, "t"), &t));
    assert_true(t);
    assert_ok(ctx, vo_json_read_string(vo_json_get(&root, "s"), &s));
    assert_string_equal(s, "caf\xc3\xa9");
    assert_ok(ctx, vo_json_read_reals(vo_json_get(&root, "v"), v, 3));
    assert_true(v[0] == 1 && v[1] == 2.5 && v[2] == -3);
    assert_ok(ctx, vo_json_read_real_or_inf(vo_json_get(&root, "inf"), &r));
    assert_true(r == -INFINITY);
    assert_ok(ctx, vo_json_read_real_or_inf(vo_json_get(&root, "plus"), &r));
    assert_true(r == INFINITY);
    assert_ok(ctx, vo_json_read_real_or_inf(vo_json_get(&root, "i"), &r));
    assert_true(r == -7);
    assert_ok(ctx, vo_json_read_real_or_inf(vo_json_get(&root, "over"), &r));
    assert_true(r == INFINITY);
    vo_json_free(&doc);
    vo_context_destroy(ctx);
}

static void absent_and_null_keep_the_default(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_json_doc doc = parse_json(ctx, "{\"n\":null}");
    vo_json_cursor root = vo_json_root(&doc);
    const char *keys[] = {"n", "x"};
    for (int k = 0; k < 2; k++) {
        vo_json_cursor at = vo_json_get(&root, keys[k]);
        double r = 3, v[2] = {4, 5};
        int i = 6;
        bool t = true;
        const char *s = "default";
        assert_ok(ctx, vo_json_read_real(at, &r));
        assert_ok(ctx, vo_json_read_real_or_inf(at, &r));
        assert_ok(ctx, vo_json_read_reals(at, v, 2));
        assert_ok(ctx, vo_json_read_int(at, &i));
        assert_ok(ctx, vo_json_read_bool(at, &t));
        assert_ok(ctx, vo_json_read_string(at, &s));
        assert_ok(ctx, vo_json_check_keys(at, (const char *const[]){NULL}));
        assert_true(r == 3 && v[0] == 4 && v[1] == 5 && i == 6 && t);
        assert_string_equal(s, "default");
    }
    vo_json_free(&doc);
    vo_context_destroy(ctx);
}

static void reader_with_wrong_type_names_expected_type(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_json_doc doc = parse_json(
        ctx, "{\"s\":\"1\",\"t\":true,\"f\":1.5,\"big\":3000000000,\"low\":-1e300,\"over\":-1e999,"
             "\"o\":{},\"v\":[1,\"x\"],\"w\":[1,null],\"u\":[1,1e999],\"one\":[1]}");
    vo_json_cursor root = vo_json_root(&doc);
    double r = 3, v[2] = {4, 5};
    int i = 6;
    bool t = true;
    const char *s = "default";
#define EXPECT(call, key, out, message)                                               \
    assert_int_equal(vo_json_read_##call(vo_json_get(&root, key), out), VO_BAD_DATA); \
    expect_message(ctx, "scene.json: " message)
    EXPECT(real, "s", &r, "s: expected a number, found a string");
    EXPECT(real, "t", &r, "t: expected a number, found true or false");
    EXPECT(real, "over", &r, "over: the number exceeds the range of a double");
    EXPECT(int, "f", &i, "f: expected a whole number, found 1.5");
    EXPECT(int, "s", &i, "s: expected a whole number, found a string");
    EXPECT(int, "big", &i,
           "big: expected a whole number from -2147483648 to 2147483647, found 3000000000");
    assert_int_equal(vo_json_read_int(vo_json_get(&root, "low"), &i), VO_BAD_DATA);
    assert_int_equal(vo_json_read_int(vo_json_get(&root, "over"), &i), VO_BAD_DATA);
    EXPECT(bool, "f", &t, "f: expected true or false, found a number");
    EXPECT(string, "o", &s, "o: expected a string, found an object");
    EXPECT(real_or_inf, "s", &r, "s: expected a number, \"inf\" or \"-inf\", found a string");
    EXPECT(real_or_inf, "v", &r, "v: expected a number, \"inf\" or \"-inf\", found an array");
    assert_int_equal(vo_json_read_reals(vo_json_get(&root, "v"), v, 2), VO_BAD_DATA);
    expect_message(ctx, "scene.json: v[1]: expected a number, found a string");
    assert_int_equal(vo_json_read_reals(vo_json_get(&root, "w"), v, 2), VO_BAD_DATA);
    expect_message(ctx, "scene.json: w[1]: expected a number, found null");
    assert_int_equal(vo_json_read_reals(vo_json_get(&root, "u"), v, 2), VO_BAD_DATA);
    expect_message(ctx, "scene.json: u[1]: the number exceeds the range of a double");
    assert_int_equal(vo_json_read_reals(vo_json_get(&root, "one"), v, 2), VO_BAD_DATA);
    expect_message(ctx, "scene.json: one: expected an array of 2 numbers, found 1");
    assert_int_equal(vo_json_read_reals(vo_json_get(&root, "o"), v, 1), VO_BAD_DATA);
    expect_message(ctx, "scene.json: o: expected an array of 1 number, found an object");
    assert_true(r == 3 && v[0] == 4 && v[1] == 5 && i == 6 && t);
    assert_string_equal(s, "default");
    vo_json_free(&doc);
    vo_context_destroy(ctx);
}

static void unknown_key_suggests_similar_key(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    static const char *const known[] = {"frame_time",   "frame_steps", "end_time", "wind",
                                        "obs_friction", "friction",    NULL};
    static const char *const cases[][2] = {
        {"framestep", "did you mean \"frame_steps\"?"},
        {"frame_tiem", "did you mean \"frame_time\"?"},
        {"WIND", "did you mean \"wind\"?"},
        {"wnid", "did you mean \"wind\"?"},
        {"frictoin", "did you mean \"friction\"?"},
        {"obs_frictio", "did you mean \"obs_friction\"?"},
        {"gravity", "known keys: frame_time, frame_steps, end_time, wind, obs_friction, friction"},
        {"x", "known keys: frame_time, frame_steps, end_time, wind, obs_friction, friction"},
        {"", "known keys: frame_time, frame_steps, end_time, wind, obs_friction, friction"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200], message[300];
        snprintf(text, sizeof text, "{\"wind\":0,\"o\":[{\"friction\":1,\"%s\":2}]}", cases[i][0]);
        snprintf(message, sizeof message, "scene.json: o[0]: unknown key \"%s\"; %s", cases[i][0],
                 cases[i][1]);
        vo_json_doc doc = parse_json(ctx, text);
        vo_json_cursor root = vo_json_root(&doc), o = vo_json_get(&root, "o");
        assert_int_equal(vo_json_check_keys(vo_json_item(&o, 0), known), VO_BAD_DATA);
        expect_message(ctx, message);
        assert_int_equal(vo_json_check_keys(o, known), VO_BAD_DATA);
        expect_message(ctx, "scene.json: o: expected an object, found an array");
        vo_json_free(&doc);
    }
    char *huge = malloc(100000);
    assert_non_null(huge);
    memset(huge, 'k', 100000);
    memcpy(huge, "{\"", 2);
    memcpy(huge + 99996, "\":1}", 4);
    vo_json_doc doc;
    assert_ok(ctx, vo_json_parse(ctx, "huge", huge, 100000, &doc));
    assert_int_equal(vo_json_check_keys(vo_json_root(&doc), known), VO_BAD_DATA);
    assert_message_contains(ctx, "known keys: frame_time");
    vo_json_free(&doc);
    free(huge);
    vo_context_destroy(ctx);
}

static void arcsim_files_are_read(void **state) {
    (void)state;
    if (!test_data()) skip();
    vo_context *ctx = test_context(1);
    int count = 0;
    const char *folders[] = {"conf", "materials"};
    for (int f = 0; f < 2; f++) {
        char pattern[1200];
        glob_t found;
        snprintf(pattern, sizeof pattern, "%s/arcsim/%s/*.json", test_data(), folders[f]);
        assert_int_equal(glob(pattern, 0, NULL, &found), 0);
        for (size_t i = 0; i < found.gl_pathc; i++, count++) {
            vo_json_doc doc;
            assert_ok(ctx, vo_json_load(ctx, found.gl_pathv[i], &doc));
            assert_int_equal(vo_json_kind(vo_json_root(&doc)), VO_JSON_OBJECT);
            vo_json_free(&doc);
        }
        globfree(&found);
    }
    assert_true(count > 10);
    vo_context_destroy(ctx);
}

static void unreadable_file_reports_reason(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_json_doc doc;
    assert_int_equal(vo_json_load(ctx, "/no/such/scene.json", &doc), VO_IO_FAILED);
    expect_message(ctx, "/no/such/scene.json: cannot read: No such file or directory");
    assert_null(doc.root);
    assert_int_equal(vo_json_load(ctx, "/", &doc), VO_IO_FAILED);
    vo_context_destroy(ctx);
}

static vo_result load_and_complain(vo_context *ctx, void *path) {
    vo_json_doc doc;
    static const char *const twins = "{\"a\":1,\"b\":{},\"a\":2}";
    VO_TRY(vo_json_load(ctx, path, &doc));
    vo_json_free(&doc);
    vo_result result = vo_json_parse(ctx, "twins", twins, strlen(twins), &doc);
    return result == VO_BAD_DATA ? VO_OK : result;
}

static void failed_allocation_is_reported(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    char path[512];
    snprintf(path, sizeof path, "%s/a.json", test_folder());
    assert_ok(ctx, vo_file_write(ctx, path, "{\"a\": [1, 2]}", 13));
    vo_context_destroy(ctx);
    test_every_allocation(load_and_complain, path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments_and_trailing_commas_are_accepted),
        cmocka_unit_test(syntax_errors_name_line_and_column),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(truncated_document_is_rejected),
        cmocka_unit_test(string_escapes_are_decoded),
        cmocka_unit_test(numbers_are_correctly_rounded),
        cmocka_unit_test(kind_and_presence_are_reported),
        cmocka_unit_test(path_names_the_value),
        cmocka_unit_test(readers_accept_valid_values),
        cmocka_unit_test(absent_and_null_keep_the_default),
        cmocka_unit_test(reader_with_wrong_type_names_expected_type),
        cmocka_unit_test(unknown_key_suggests_similar_key),
        cmocka_unit_test(arcsim_files_are_read),
        cmocka_unit_test(unreadable_file_reports_reason),
        cmocka_unit_test(failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

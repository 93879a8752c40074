/* Conversion of numbers: correctly rounded reading, exact writing, in any locale. */
#include "support.h"

#include "codec/number.h"
#include "core/random.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The result has the bits of strtod, and the whole text is read. */
static void assert_reads_like_strtod(const char *text) {
    double got = 0, want = strtod(text, NULL);
    const char *end = text + strlen(text), *after = vo_number_read(text, end, &got);
    if (after != end || memcmp(&got, &want, sizeof got) != 0)
        fail_msg("\"%s\": %.17g, expected %.17g", text, got, want);
}

static void reading_equals_strtod(void **state) {
    (void)state;
    static const char *const cases[] = {"0",
                                        "-0",
                                        "+0",
                                        "0.0",
                                        ".5",
                                        "5.",
                                        "-.5e1",
                                        "1e22",
                                        "1e23",
                                        "1e-22",
                                        "1e-23",
                                        "1E5",
                                        "9007199254740993",
                                        "9007199254740992.5",
                                        "9007199254740993.0000000000000000000001",
                                        "0.1",
                                        "0.30000000000000004",
                                        "123456789012345678901234567890",
                                        "1e308",
                                        "1.7976931348623157e308",
                                        "4.9e-324",
                                        "2.2250738585072011e-308",
                                        "1e-400",
                                        "1e999",
                                        "-1e999",
                                        "0e99999999999",
                                        "0.000000000000000000000000000000000000000000000001",
                                        "18446744073709551615",
                                        "1.00000000000000011102230246251565404236316680908203125",
                                        "1.00000000000000011102230246251565404236316680908203124",
                                        "1.00000000000000011102230246251565404236316680908203126",
                                        "00000000000000000000001.5",
                                        "7450580596923828125e27",
                                        "7450580596923828125e-27",
                                        "9999999999999999999"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) assert_reads_like_strtod(cases[i]);
    vo_random r = vo_random_seed(1);
    char text[64];
    for (int i = 0; i < 200000; i++) {
        int digits = 1 + vo_random_int(&r, 21), exponent = vo_random_int(&r, 70) - 35;
        int length = 0, point = vo_random_int(&r, digits + 1);
        if (vo_random_int(&r, 2)) text[length++] = '-';
        for (int d = 0; d < digits; d++) {
            if (d == point) text[length++] = '.';
            text[length++] = (char)('0' + vo_random_int(&r, 10));
        }
        if (vo_random_int(&r, 2))
            snprintf(text + length, 16, "e%d", exponent);
        else
            text[length] = 0;
        assert_reads_like_strtod(text);
    }
}

static void invalid_number_is_rejected(void **state) {
    (void)state;
    static const char *const cases[] = {"",     "-",        "+",   ".",   "-.",  "e5",
                                        ".e5",  "1e",       "1e+", "nan", "NaN", "inf",
                                        "-inf", "infinity", "x",   "--1", "- 1"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double x;
        assert_null(vo_number_read(cases[i], cases[i] + strlen(cases[i]), &x));
    }
    double x;
    const char *text = "1.5,2";
    assert_ptr_equal(vo_number_read(text, text + 5, &x), text + 3);
    /* does not read past the end */
    assert_null(vo_number_read(text, text, &x));
    text = "12345";
    assert_ptr_equal(vo_number_read(text, text + 2, &x), text + 2);
    assert_true(x == 12);
    /* hexadecimal numbers are not supported */
    text = "0x10";
    assert_ptr_equal(vo_number_read(text, text + 4, &x), text + 1);
}

/* Number of significant digits of a text. */
static int digits_of(const char *text) {
    int count = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (count == 0 && *text == '0')) continue;
        zeros = *text == '0' ? zeros + 1 : 0;
        count++;
    }
    return count - zeros;
}

static void assert_round_trip(double x) {
    char text[VO_NUMBER_TEXT + 1];
    text[VO_NUMBER_TEXT] = 0x55;
    size_t length = vo_number_write(x, text);
    double back = 0;
    assert_true(length < VO_NUMBER_TEXT && text[length] == 0 && text[VO_NUMBER_TEXT] == 0x55);
    const char *after = vo_number_read(text, text + length, &back);
    if (after != text + length || memcmp(&back, &x, sizeof x) != 0)
        fail_msg("%.17g written as \"%s\" reads as %.17g", x, text, back);
    for (int precision = 15; precision <= 17; precision++) {
        char reference[64];
        snprintf(reference, sizeof reference, "%.*g", precision, x);
        if (strtod(reference, NULL) != x) continue;
        assert_true(digits_of(text) <= precision);
        break;
    }
}

static void written_number_is_read_unchanged(void **state) {
    (void)state;
    double special[] = {0.0,
                        -0.0,
                        1,
                        -1,
                        0.1,
                        1e9,
                        1e15,
                        1e16,
                        1e17,
                        1e-5,
                        9.9999999999999995e-6,
                        1e-10,
                        9.9999999999999994e-11,
                        1e-11,
                        123456789.123,
                        5e-324,
                        1.7976931348623157e308,
                        2.2250738585072014e-308,
                        0.30000000000000004,
                        999999999999999.9,
                        99999.999999999985,
                        9999999999999998,
                        0.99999999999999989,
                        2147483647,
                        -2147483648.0,
                        1e22};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        assert_round_trip(special[i]);
        assert_round_trip(-special[i]);
        assert_round_trip(nextafter(special[i], 1e300));
        assert_round_trip(nextafter(special[i], -1e300));
    }
    vo_random r = vo_random_seed(2);
    for (int i = 0; i < 200000; i++) {
        assert_round_trip(vo_random_real(&r, -10, 10));
        assert_round_trip(floor(vo_random_real(&r, -1e6, 1e6)) / 1e5);
        assert_round_trip(pow(10, vo_random_real(&r, -12, 18)));
    }
    for (int i = 0; i < 100000; i++) { /* any bits at all */
        uint64_t bits = vo_random_u64(&r);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x)) assert_round_trip(x);
    }
}

static void assert_written(double x, const char *want) {
    char text[VO_NUMBER_TEXT];
    vo_number_write(x, text);
    assert_string_equal(text, want);
}

static void written_number_is_short(void **state) {
    (void)state;
    assert_written(0, "0");
    assert_written(-0.0, "-0");
    assert_written(0.1, "0.1");
    assert_written(-1234.5, "-1234.5");
    assert_written(1e-4, "0.0001");
    assert_written(1.5e-7, "1.5e-7");
    assert_written(0.1 + 0.2, "0.30000000000000004");
    assert_written(1.0 / 3, "0.3333333333333333");
    assert_written(1e15, "1000000000000000");
    char text[VO_NUMBER_TEXT];
    assert_int_equal(vo_number_write_int(INT32_MIN, text), 11);
    assert_string_equal(text, "-2147483648");
}

/* A locale with a decimal comma. */
static void locale_has_no_effect(void **state) {
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    const char *set = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !set; i++)
        set = setlocale(LC_ALL, names[i]);
    if (!set) skip();
    double x;
    const char *text = "1.25e-300";
    assert_ptr_equal(vo_number_read(text, text + 9, &x), text + 9);
    assert_true(x == 1.25e-300);
    assert_written(1.25e-300, "1.25e-300");
    assert_written(0.5, "0.5");
    setlocale(LC_ALL, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_equals_strtod),
        cmocka_unit_test(invalid_number_is_rejected),
        cmocka_unit_test(written_number_is_read_unchanged),
        cmocka_unit_test(written_number_is_short),
        cmocka_unit_test(locale_has_no_effect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

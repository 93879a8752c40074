#include "codec/number.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef __SIZEOF_INT128__
#error "codec/number.c needs the 128-bit integers of gcc or clang on 64-bit processors"
#endif
typedef unsigned __int128 wide;

enum {
    MAX_DIGITS = 19,       /* always fit 64 bits */
    MAX_POWER = 27,        /* 5^27 fits 63 bits */
    MAX_TOKEN = 1100,      /* 770 digits are enough to write any double exactly */
    MAX_EXPONENT = 100000, /* beyond it everything is zero or infinite */
    MANTISSA = 53          /* bits of a double */
};

/* clang-format off */
static const uint64_t power5[MAX_POWER + 1] = {
    1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125, 244140625,
    1220703125, 6103515625, 30517578125, 152587890625, 762939453125, 3814697265625, 19073486328125,
    95367431640625, 476837158203125, 2384185791015625, 11920928955078125, 59604644775390625,
    298023223876953125, 1490116119384765625, 7450580596923828125};
static const double power10[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
/* clang-format on */

static int bit_length(wide x) {
    uint64_t high = (uint64_t)(x >> 64), low = (uint64_t)x;
    if (high) return 128 - __builtin_clzll(high);
    return low ? 64 - __builtin_clzll(low) : 0;
}

/* x / 2^shift, rounded to nearest, ties to even. */
static wide shift_round(wide x, int shift) {
    if (shift <= 0) return x << -shift;
    wide floor = x >> shift, rest = x - (floor << shift), half = (wide)1 << (shift - 1);
    return floor + (rest > half || (rest == half && (floor & 1)));
}

/* x 2^exponent as the nearest double; x is not zero and the result is normal. */
static double to_double(wide x, int exponent) {
    int shift = bit_length(x) - MANTISSA;
    if (shift < 0) shift = 0;
    return ldexp((double)(uint64_t)shift_round(x, shift), exponent + shift);
}

/* digits 10^exponent as the nearest double; digits > 0, |exponent| <= MAX_POWER. */
static double scale(uint64_t digits, int exponent) {
    if (digits <= (uint64_t)1 << MANTISSA && abs(exponent) <= 22) /* both exact: one rounding */
        return exponent < 0 ? (double)digits / power10[-exponent]
                            : (double)digits * power10[exponent];
    if (exponent >= 0) return to_double((wide)digits * power5[exponent], exponent);
    /* The quotient gets more than 64 bits; its last bit is sticky (set if there is a remainder). */
    int shift = 64 + __builtin_clzll(digits);
    wide numerator = (wide)digits << shift, divisor = power5[-exponent];
    wide quotient = numerator / divisor;
    return to_double(quotient | (quotient * divisor != numerator), exponent - shift);
}

/* strtod in the C locale, which is set for this thread during the call. */
static double strtod_c(const char *text) {
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t old = c ? uselocale(c) : (locale_t)0;
    double x = strtod(text, NULL);
    if (c) {
        uselocale(old);
        freelocale(c);
    }
    return x;
}

/* Parsed decimal number. */
typedef struct decimal {
    uint64_t digits; /* the first MAX_DIGITS significant digits */
    int count;       /* number of these digits */
    int exponent;    /* of ten */
    bool truncated;  /* a further digit is not zero */
} decimal;

static bool is_digit(const char *at, const char *end) {
    return at < end && (unsigned char)(*at - '0') < 10;
}

/* Reads digits; `step` is the change of the exponent per digit: -1 after the point, 0 before. */
static const char *read_digits(const char *at, const char *end, int step, decimal *d) {
    for (; is_digit(at, end); at++) {
        unsigned digit = (unsigned)(*at - '0');
        if (d->count < MAX_DIGITS) {
            d->digits = 10 * d->digits + digit;
            d->count += d->digits > 0;
            d->exponent += step;
        } else {
            d->truncated |= digit != 0;
            d->exponent += step + 1;
        }
    }
    return at;
}

/* Reads e[+-]digits; NULL if the digits are missing. */
static const char *read_exponent(const char *at, const char *end, decimal *d) {
    if (at == end || (*at != 'e' && *at != 'E')) return at;
    at++;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    if (!is_digit(at, end)) return NULL;
    int exponent = 0;
    for (; is_digit(at, end); at++)
        if (exponent < MAX_EXPONENT) exponent = 10 * exponent + (*at - '0');
    d->exponent += negative ? -exponent : exponent;
    return at;
}

/* Fallback to strtod; NULL if the number has MAX_TOKEN characters or more. */
static const char *read_slowly(const char *begin, const char *after, double *out) {
    char token[MAX_TOKEN];
    size_t length = (size_t)(after - begin);
    if (length >= sizeof token) return NULL;
    memcpy(token, begin, length);
    token[length] = 0;
    *out = fabs(strtod_c(token));
    return after;
}

/* Converts the absolute value. */
static const char *read_magnitude(const decimal *d, const char *begin, const char *after,
                                  double *out) {
    if (d->digits == 0) {
        *out = 0;
        return after;
    }
    if (abs(d->exponent) > MAX_POWER) return read_slowly(begin, after, out);
    *out = scale(d->digits, d->exponent);
    /* Truncated: the number is between two that usually round to the same double. */
    if (d->truncated && scale(d->digits + 1, d->exponent) != *out)
        return read_slowly(begin, after, out);
    return after;
}

const char *vo_number_read(const char *at, const char *end, double *out) {
    const char *begin = at;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    decimal d = {0};
    const char *digits = at;
    at = read_digits(at, end, 0, &d);
    ptrdiff_t written = at - digits;
    if (at < end && *at == '.') {
        const char *point = ++at;
        at = read_digits(at, end, -1, &d);
        written += at - point;
    }
    if (written == 0 || written > INT32_MAX / 4) return NULL;
    at = read_exponent(at, end, &d);
    if (at) at = read_magnitude(&d, begin, at, out);
    if (at && negative) *out = -*out;
    return at;
}

size_t vo_number_write_int(int x, char *text) {
    char reversed[12];
    size_t count = 0, length = 0;
    unsigned rest = x < 0 ? 0u - (unsigned)x : (unsigned)x;
    do reversed[count++] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (x < 0) text[length++] = '-';
    while (count) text[length++] = reversed[--count];
    text[length] = 0;
    return length;
}

/* The 17 significant digits of x, rounded to nearest: x = digits 10^(exponent - 16). */
static uint64_t digits17(double x, int *exponent) {
    int binary;
    uint64_t mantissa = (uint64_t)ldexp(frexp(x, &binary), MANTISSA);
    binary -= MANTISSA;
    *exponent = (int)floor(log10(x));
    for (;;) {
        int power = 16 - *exponent; /* x 10^power = mantissa 5^power 2^(binary + power) */
        wide digits = shift_round((wide)mantissa * power5[power], -(binary + power));
        if (digits >= 100000000000000000u)
            ++*exponent;
        else if (digits < 10000000000000000u)
            --*exponent;
        else
            return (uint64_t)digits;
    }
}

/* The smallest of 15, 16 and 17 digits that preserves x, without trailing zeros. x = digits
 * 10^(exponent - count + 1). */
static uint64_t shortest_digits(double x, int *exponent, int *count) {
    static const struct {
        int count;
        uint64_t divisor, limit;
    } tries[] = {{15, 100, 1000000000000000u}, {16, 10, 10000000000000000u}};
    uint64_t all = digits17(x, exponent), digits = all;
    *count = 17;
    for (int i = 0; i < 2 && *count == 17; i++) {
        uint64_t divisor = tries[i].divisor, rounded = (all + divisor / 2) / divisor;
        int power = *exponent - tries[i].count + 1;
        /* A tie of the 17 digits may result from rounding; then the lower neighbour is nearer. */
        if (all % divisor == divisor / 2 && scale(rounded, power) != x) rounded--;
        if (scale(rounded, power) != x) continue;
        digits = rounded;
        *count = tries[i].count;
        if (rounded == tries[i].limit) { /* 99...9 became 100...0 */
            digits /= 10;
            ++*exponent;
        }
    }
    for (; digits % 10 == 0; --*count) digits /= 10;
    return digits;
}

/* Writes `count` digits with a decimal point; the first digit has the value 10^exponent. */
static size_t write_fixed(const char *digit, int count, int exponent, char *text) {
    size_t length = 0;
    if (exponent < 0) text[length++] = '0';
    for (int i = 0; i <= exponent; i++) text[length++] = i < count ? digit[i] : '0';
    if (exponent + 1 >= count) return length;
    text[length++] = '.';
    for (int i = exponent + 1; i < 0; i++) text[length++] = '0';
    for (int i = exponent < 0 ? 0 : exponent + 1; i < count; i++) text[length++] = digit[i];
    return length;
}

/* Fallback to the C library for very large, very small and non-finite numbers. */
static size_t write_slowly(double x, char *text) {
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t old = c ? uselocale(c) : (locale_t)0;
    int length = 0;
    for (int precision = 15; precision <= 17; precision++) {
        length = snprintf(text, VO_NUMBER_TEXT, "%.*g", precision, x);
        if (strtod(text, NULL) == x) break;
    }
    if (c) {
        uselocale(old);
        freelocale(c);
    }
    return (size_t)length;
}

/* d.ddde-7 */
static size_t write_with_exponent(const char *digit, int count, int exponent, char *text) {
    size_t length = write_fixed(digit, count, 0, text);
    text[length++] = 'e';
    return length + vo_number_write_int(exponent, text + length);
}

size_t vo_number_write(double x, char *text) {
    size_t length = 0;
    double size = fabs(x);
    if (size < 1e9 && x == (int)x && !(x == 0 && signbit(x)))
        return vo_number_write_int((int)x, text);
    if (!(size >= 1e-10 && size < 1e16)) return write_slowly(x, text);
    int exponent, count;
    char digit[MAX_DIGITS];
    uint64_t digits = shortest_digits(size, &exponent, &count);
    for (int i = count; i-- > 0; digits /= 10) digit[i] = (char)('0' + digits % 10);
    if (signbit(x)) text[length++] = '-';
    length += exponent < -5 ? write_with_exponent(digit, count, exponent, text + length)
                            : write_fixed(digit, count, exponent, text + length);
    text[length] = 0;
    return length;
}

#include "ccd_number.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 1536 bits: numerator or denominator of a double need at most 1074. */
enum { LIMBS = 48 };

/* A whole number in base 2^32, lowest limb first. */
typedef struct whole {
    int count;
    uint32_t limb[LIMBS];
} whole;

/* mantissa * 2^exponent; the mantissa is a whole number of at most 53 bits. */
typedef struct exact {
    double mantissa;
    int exponent;
} exact;

/* 10 w + digit; false if it does not fit. */
static bool append_digit(whole *w, uint32_t digit) {
    uint64_t carry = digit;
    for (int i = 0; i < w->count; i++) {
        carry += (uint64_t)w->limb[i] * 10;
        w->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry == 0) return true;
    if (w->count == LIMBS) return false;
    w->limb[w->count++] = (uint32_t)carry;
    return true;
}

static bool bit_of(const whole *w, int i) { return (w->limb[i / 32] >> (i % 32)) & 1; }

/* Removes trailing zero bits; false if more than 53 bits remain. */
static bool to_exact(const whole *w, exact *out) {
    int low = 0, high = 32 * w->count;
    *out = (exact){0, 0};
    while (high > 0 && !bit_of(w, high - 1)) high--;
    if (high == 0) return true;
    while (!bit_of(w, low)) low++;
    if (high - low > 53) return false;
    for (int i = high - 1; i >= low; i--) out->mantissa = 2 * out->mantissa + bit_of(w, i);
    out->exponent = low;
    return true;
}

/* Parses at least one digit; NULL with *problem set if there is none or the number is not exact. */
static const char *read_whole(const char *text, exact *out, const char **problem) {
    whole w = {0};
    const char *p = text;
    bool fits = true;
    for (; *p >= '0' && *p <= '9'; p++) fits = fits && append_digit(&w, (uint32_t)(*p - '0'));
    if (p == text) {
        *problem = "a whole number is missing";
        return NULL;
    }
    if (fits && to_exact(&w, out)) return p;
    *problem = "the number has more than 53 significant bits";
    return NULL;
}

/* Computes the quotient; false if it is not a double. fma gives the exact remainder. */
static bool divide(exact num, exact den, double *out) {
    double quotient = num.mantissa / den.mantissa;
    int exponent = num.exponent - den.exponent;
    *out = ldexp(quotient, exponent);
    return fma(quotient, den.mantissa, -num.mantissa) == 0 && isfinite(*out) &&
           ldexp(*out, -exponent) == quotient;
}

const char *ccd_fraction_read(const char *text, double *out, const char **problem) {
    exact num, den;
    bool negative = *text == '-';
    const char *p = read_whole(text + negative, &num, problem);
    if (!p) return NULL;
    if (*p != ',') {
        *problem = "a comma is missing after the numerator";
        return NULL;
    }
    p = read_whole(p + 1, &den, problem);
    if (!p) return NULL;
    if (den.mantissa == 0) {
        *problem = "the denominator is 0";
        return NULL;
    }
    if (!divide(num, den, out)) {
        *problem = "the fraction is not a double exactly";
        return NULL;
    }
    if (negative) *out = -*out;
    return p;
}

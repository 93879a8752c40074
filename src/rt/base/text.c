#include "rt/base/text.h"

#include <math.h>
#include <stdarg.h>

/* Text of limited length; characters beyond the end are dropped. */
typedef struct writer {
    char *text;
    size_t length, capacity; /* without the final zero */
} writer;

static void put(writer *w, char c) {
    if (w->length < w->capacity) w->text[w->length++] = c;
}

static void put_string(writer *w, const char *s) {
    for (s = s ? s : "(null)"; *s; s++) put(w, *s);
}

static void put_unsigned(writer *w, uint64_t value) {
    char digits[20];
    int count = 0;
    do digits[count++] = (char)('0' + value % 10);
    while (value /= 10);
    while (count > 0) put(w, digits[--count]);
}

static void put_int(writer *w, int value) {
    if (value < 0) put(w, '-');
    put_unsigned(w, value < 0 ? (uint64_t) - (int64_t)value : (uint64_t)value);
}

/* Six significant digits of x > 0: x is about digits * 10^(exponent - 5). */
static int scale_to_digits(double x, int *exponent) {
    int e = 0;
    while (x >= 1e10) x /= 1e10, e += 10;
    while (x < 1e-10) x *= 1e10, e -= 10;
    while (x >= 10) x /= 10, e++;
    while (x < 1) x *= 10, e--;
    int digits = (int)(x * 1e5 + 0.5);
    if (digits >= 1000000) digits /= 10, e++;
    *exponent = e;
    return digits;
}

/* Digits with a decimal point in front of digit `point`; zeros at the end are dropped. */
static void put_digits(writer *w, int digits, int point) {
    char text[6];
    int count = 6;
    for (int i = 5; i >= 0; i--, digits /= 10) text[i] = (char)('0' + digits % 10);
    while (count > 1 && text[count - 1] == '0') count--;
    if (point <= 0) put_string(w, "0.");
    for (int i = point; i < 0; i++) put(w, '0');
    for (int i = 0; i < count || i < point; i++) {
        if (i == point && i > 0) put(w, '.');
        put(w, i < count ? text[i] : '0');
    }
}

static void put_double(writer *w, double x) {
    if (isnan(x)) {
        put_string(w, "nan");
        return;
    }
    if (x < 0) put(w, '-');
    x = fabs(x);
    if (isinf(x)) {
        put_string(w, "inf");
    } else if (x == 0) {
        put(w, '0');
    } else {
        int exponent, digits = scale_to_digits(x, &exponent);
        bool fixed = exponent >= -4 && exponent < 6;
        put_digits(w, digits, fixed ? exponent + 1 : 1);
        if (!fixed) {
            put(w, 'e');
            put(w, exponent < 0 ? '-' : '+');
            if (exponent < 10 && exponent > -10) put(w, '0');
            put_unsigned(w, (uint64_t)(exponent < 0 ? -exponent : exponent));
        }
    }
}

static void put_argument(writer *w, char kind, va_list *args) {
    switch (kind) {
    case 's':
        put_string(w, va_arg(*args, const char *));
        break;
    case 'd':
        put_int(w, va_arg(*args, int));
        break;
    case 'u':
        put_unsigned(w, va_arg(*args, unsigned));
        break;
    case 'g':
        put_double(w, va_arg(*args, double));
        break;
    default:
        put(w, kind);
        break;
    }
}

vo_result vo_rt_fail(vo_rt_message *message, vo_result code, const char *format, ...) {
    if (!message) return code;
    writer w = {.text = message->text, .capacity = sizeof message->text - 1};
    va_list args;
    va_start(args, format);
    for (const char *f = format; *f; f++) {
        if (*f == '%' && f[1])
            put_argument(&w, *++f, &args);
        else
            put(&w, *f);
    }
    va_end(args);
    message->text[w.length] = 0;
    return code;
}

static uint64_t read_word(const uint8_t *p) {
    uint64_t word = 0;
    for (int i = 0; i < 8; i++) word |= (uint64_t)p[i] << (8 * i);
    return word;
}

uint64_t vo_rt_hash(uint64_t seed, const void *data, size_t bytes) {
    const uint64_t prime = 0x100000001b3u;
    const uint8_t *p = data;
    uint64_t hash = seed ^ 0xcbf29ce484222325u;
    for (; bytes >= 8; bytes -= 8, p += 8) {
        hash = (hash ^ read_word(p)) * prime;
        hash ^= hash >> 32; /* spreads the upper bytes of a word, which a multiplication cannot */
    }
    for (; bytes > 0; bytes--, p++) hash = (hash ^ *p) * prime;
    return hash ^ hash >> 29;
}

#include "codec/json_private.h"

#include "core/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was passed on the way, for the rules that look back. `last` and `before` are the first
 * characters of the latest two tokens. */
typedef struct scanner {
    const vo_json_text *in;
    size_t at;
    char last, before;
    size_t comma; /* where the latest comma stands */
    size_t values;
} scanner;

vo_result vo_json_syntax_error(const vo_json_text *text, size_t at, const char *format, ...) {
    int line = 1, column = 1;
    for (size_t i = 0; i < at && i < text->size; i++) {
        unsigned char c = (unsigned char)text->text[i];
        if (c == '\n')
            line++, column = 1;
        else if ((c & 0xc0) != 0x80) /* the first byte of a UTF-8 character */
            column++;
    }
    char sentence[512];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return vo_fail(text->ctx, VO_BAD_DATA, "%s: line %d, column %d: %s", text->file, line, column,
                   sentence);
}

void vo_json_quotable(char *out, size_t size, const char *text, size_t length) {
    if (length > size - 1) length = size - 1;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        out[i] = c < 0x20 || c == 0x7f ? '?' : text[i];
    }
    out[length] = 0;
}

/* Overwrites a stretch with blanks, so that lines and columns stay what they are. */
static void blank(const vo_json_text *in, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++)
        if (in->text[i] != '\n') in->text[i] = ' ';
}

/* s->at is on a slash. */
static vo_result pass_comment(scanner *s) {
    const char *begin = s->in->text + s->at, *end;
    if (begin[1] == '/') {
        end = strchr(begin, '\n');
        if (!end) end = s->in->text + s->in->size;
    } else if (begin[1] == '*') {
        end = strstr(begin + 2, "*/");
        if (!end) return vo_json_syntax_error(s->in, s->at, "the comment does not end");
        end += 2;
    } else {
        return vo_json_syntax_error(s->in, s->at, "unexpected \"/\"");
    }
    size_t stop = (size_t)(end - s->in->text);
    blank(s->in, s->at, stop);
    s->at = stop;
    return VO_OK;
}

/* s->at is on the opening quote. */
static vo_result pass_string(scanner *s) {
    const char *text = s->in->text;
    size_t i = s->at + 1;
    while (text[i] != '"') {
        if (text[i] == '\\' && strncmp(text + i + 1, "u0000", 5) == 0)
            return vo_json_syntax_error(s->in, i, "a string may not contain \\u0000");
        if (text[i] == '\\' && text[i + 1] && text[i + 1] != '\n') i++;
        if (text[i] == 0 || text[i] == '\n')
            return vo_json_syntax_error(s->in, s->at, "the string does not end on its line");
        i++;
    }
    s->at = i + 1;
    return VO_OK;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static bool is_word(char c) {
    return is_digit(c) || is_letter(c) || c == '_' || c == '+' || c == '-' || c == '.';
}

static size_t digits(const char *text) {
    size_t n = 0;
    while (is_digit(text[n])) n++;
    return n;
}

/* JSON's grammar for a number, with 1. and -.5 let through. Sets whether it is a plain integer and
 * how many digits stand before the point. */
static bool is_number(const char *word, size_t length, size_t *whole, bool *integer) {
    const char *p = word, *end = word + length;
    bool negative = *p == '-';
    if (negative) p++;
    *whole = digits(p);
    if (*whole > 1 && *p == '0') return false;
    p += *whole;
    *integer = p == end;
    size_t fraction = 0;
    if (*p == '.') fraction = digits(++p);
    p += fraction;
    if (*whole + fraction == 0 || (*whole == 0 && !negative)) return false;
    if (*p == 'e' || *p == 'E') {
        p++;
        if (*p == '+' || *p == '-') p++;
        size_t exponent = digits(p);
        if (exponent == 0) return false;
        p += exponent;
    }
    return p == end;
}

static bool word_is(const char *word, size_t length, const char *text) {
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

/* Why a word cannot stand in JSON. */
static vo_result refuse_word(const scanner *s, const char *word, size_t length) {
    char shown[48];
    vo_json_quotable(shown, sizeof shown, word, length);
    const char *letters = word[0] == '-' || word[0] == '+' ? word + 1 : word;
    if (strncmp(letters, "NaN", 3) == 0 || strncmp(letters, "Inf", 3) == 0)
        return vo_json_syntax_error(s->in, s->at, "JSON has no number %s", shown);
    if (is_letter(*letters) || *letters == '_')
        return vo_json_syntax_error(s->in, s->at, "the word %s is not in double quotes", shown);
    return vo_json_syntax_error(s->in, s->at, "%s is not a number", shown);
}

/* s->at is on the first character of a number or of a bare word. */
static vo_result pass_word(scanner *s) {
    const char *word = s->in->text + s->at;
    size_t length = 0, whole = 0;
    bool integer = false;
    while (is_word(word[length])) length++;
    bool known = word_is(word, length, "true") || word_is(word, length, "false") ||
                 word_is(word, length, "null");
    if (!known && !is_number(word, length, &whole, &integer)) return refuse_word(s, word, length);
    if (integer && whole > 18) /* json-c would quietly take the largest 64-bit number instead */
        return vo_json_syntax_error(
            s->in, s->at, "the number has %zu digits; write it with an exponent (1e20)", whole);
    s->at += length;
    return VO_OK;
}

/* A comma between a value and a closing bracket is taken out. */
static void drop_last_comma(const scanner *s) {
    if (s->last == ',' && s->before && !strchr("[{,:", s->before))
        blank(s->in, s->comma, s->comma + 1);
}

/* One token; punctuation is left to json-c. */
static vo_result pass_token(scanner *s) {
    char c = s->in->text[s->at];
    if (c == '\'') return vo_json_syntax_error(s->in, s->at, "strings stand in double quotes");
    if (c == ',') s->comma = s->at;
    if (c == ']' || c == '}') drop_last_comma(s);
    if (c == ':') s->values--; /* what stood before it was a key */
    if (c == '[' || c == '{' || c == '"' || is_word(c)) s->values++;
    s->before = s->last;
    s->last = c;
    if (c == '"') return pass_string(s);
    if (is_word(c)) return pass_word(s);
    s->at++;
    return VO_OK;
}

vo_result vo_json_scan(const vo_json_text *text, size_t *values) {
    const char *zero = memchr(text->text, 0, text->size);
    if (zero)
        return vo_json_syntax_error(text, (size_t)(zero - text->text),
                                    "a zero byte: this is not a text file");
    scanner s = {.in = text};
    while (s.at < text->size) {
        char c = text->text[s.at];
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
            s.at++;
        else if (c == '/')
            VO_TRY(pass_comment(&s));
        else
            VO_TRY(pass_token(&s));
    }
    if (!s.last) return vo_fail(text->ctx, VO_BAD_DATA, "%s: the file is empty", text->file);
    *values = s.values;
    return VO_OK;
}

/* A key in the text: the object it belongs to (where that opens) and where it stands. */
typedef struct key_place {
    const char *text;
    size_t object, begin, length;
} key_place;

static int compare_sizes(size_t a, size_t b) { return (a > b) - (a < b); }

/* The same object and the same letters side by side, in the order of the text. */
static int compare_keys(const void *pa, const void *pb) {
    const key_place *a = pa, *b = pb;
    if (a->object != b->object) return compare_sizes(a->object, b->object);
    if (a->length != b->length) return compare_sizes(a->length, b->length);
    int order = memcmp(a->text + a->begin, b->text + b->begin, a->length);
    return order ? order : compare_sizes(a->begin, b->begin);
}

static size_t string_end(const char *text, size_t at) {
    for (at++; text[at] != '"'; at++)
        if (text[at] == '\\') at++;
    return at + 1;
}

static bool is_key(const char *text, size_t end) {
    return text[end + strspn(text + end, " \t\r\n")] == ':';
}

/* Lists every key of a text known to be sound and blanked; false without memory. */
static bool list_keys(const vo_json_text *in, key_place **keys, int *capacity, int *count) {
    size_t open[256] = {0}; /* deeper than any text that json-c has taken */
    int depth = 0;
    for (size_t at = 0; at < in->size;) {
        char c = in->text[at];
        if (c == '"') {
            size_t end = string_end(in->text, at);
            if (is_key(in->text, end)) {
                if (!vo_reserve(in->ctx, keys, capacity, *count + 1)) return false;
                (*keys)[(*count)++] = (key_place){in->text, open[depth], at + 1, end - at - 2};
            }
            at = end;
            continue;
        }
        if ((c == '{' || c == '[') && depth < 255) open[++depth] = at;
        if ((c == '}' || c == ']') && depth > 0) depth--;
        at++;
    }
    return true;
}

/* The key that repeats an earlier one and comes first in the text; NULL if there is none. */
static const key_place *first_twin(key_place *keys, int count) {
    const key_place *first = NULL;
    qsort(keys, (size_t)count, sizeof *keys, compare_keys);
    for (int i = 1; i < count; i++) {
        const key_place *a = keys + i - 1, *b = keys + i;
        bool same = a->object == b->object && a->length == b->length &&
                    memcmp(a->text + a->begin, b->text + b->begin, a->length) == 0;
        if (same && (!first || b->begin < first->begin)) first = b;
    }
    return first;
}

vo_result vo_json_refuse_twins(const vo_json_text *text) {
    key_place *keys = NULL;
    int capacity = 0, count = 0;
    if (!list_keys(text, &keys, &capacity, &count)) {
        vo_free_array(text->ctx, keys, capacity);
        return vo_fail_memory(text->ctx, text->file);
    }
    vo_result result = VO_OK;
    const key_place *twin = count ? first_twin(keys, count) : NULL;
    if (twin) {
        char shown[64];
        vo_json_quotable(shown, sizeof shown, text->text + twin->begin, twin->length);
        result = vo_json_syntax_error(text, twin->begin - 1,
                                      "the key \"%s\" is already given in this object", shown);
    }
    vo_free_array(text->ctx, keys, capacity);
    return result;
}

/* Recursive-descent JSON parser that builds json-c values. json-c's own parser is not used: it
 * accepts invalid input, silently keeps the last of duplicate keys, and mishandles allocation
 * failures. */
#include "codec/json.h"
#include "codec/json_private.h"
#include "codec/number.h"
#include "core/file.h"
#include "core/memory.h"

#include <json-c/json.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
    vo_context *ctx;
    const char *file;
    const char *text;
    size_t size, at;
    int depth;  /* open brackets */
    char *word; /* last string or number, unescaped, NUL-terminated */
    int word_capacity, word_length;
} parser;

/* Returns 0 at the end; the text contains no 0. */
static char peek_at(const parser *p, size_t at) { return at < p->size ? p->text[at] : 0; }

static char peek(const parser *p) { return peek_at(p, p->at); }

/* Fails with "FILE: line L, column C: " and the formatted text; columns are characters. */
static vo_result fail_at(const parser *p, size_t at, const char *format, ...) VO_PRINTF(3, 4);
static vo_result fail_at(const parser *p, size_t at, const char *format, ...) {
    int line = 1, column = 1;
    for (size_t i = 0; i < at; i++) {
        unsigned char c = (unsigned char)p->text[i];
        if (c == '\n')
            line++, column = 1;
        else if ((c & 0xc0) != 0x80) /* the first byte of a UTF-8 character */
            column++;
    }
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return vo_fail(p->ctx, VO_BAD_DATA, "%s: line %d, column %d: %s", p->file, line, column,
                   message);
}

/* Fails at the current character; `expected` may be NULL. */
static vo_result fail_unexpected(const parser *p, const char *expected) {
    char c = peek(p);
    if (c == 0) return fail_at(p, p->at, "the text ends in the middle of a value");
    if (c < ' ' || c > '~') return fail_at(p, p->at, "unexpected character");
    if (!expected) return fail_at(p, p->at, "unexpected \"%c\"", c);
    return fail_at(p, p->at, "expected %s, found \"%c\"", expected, c);
}

static vo_result no_memory(const parser *p) { return vo_fail_memory(p->ctx, p->file); }

static vo_result skip_comment(parser *p) {
    size_t begin = p->at;
    char kind = peek_at(p, begin + 1);
    if (kind != '/' && kind != '*') return fail_unexpected(p, NULL);
    for (p->at += 2; peek(p); p->at++) {
        if (kind == '/' && peek(p) == '\n') return VO_OK;
        if (kind == '*' && peek(p) == '*' && peek_at(p, p->at + 1) == '/') {
            p->at += 2;
            return VO_OK;
        }
    }
    return kind == '/' ? VO_OK : fail_at(p, begin, "the comment does not end");
}

/* Skips white space and comments. */
static vo_result skip_blank(parser *p) {
    for (;;) {
        char c = peek(p);
        if (c == '/')
            VO_TRY(skip_comment(p));
        else if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
            p->at++;
        else
            return VO_OK;
    }
}

/* Value of the four hexadecimal digits at `at`; -1 if they are invalid. */
static int hex4(const parser *p, size_t at) {
    int value = 0;
    for (size_t i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdef0123456789ABCDEF", c = peek_at(p, at + i);
        const char *found = c ? strchr(digits, c) : NULL;
        if (!found) return -1;
        value = value * 16 + (int)(found - digits) % 16;
    }
    return value;
}

static void add_utf8(parser *p, unsigned code) {
    unsigned char *out = (unsigned char *)p->word + p->word_length;
    int length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (int i = length - 1; i > 0; i--, code >>= 6) out[i] = (unsigned char)(0x80 | (code & 0x3f));
    out[0] = (unsigned char)(lead[length] | code);
    p->word_length += length;
}

/* Decodes \uXXXX, or a surrogate pair of two escapes. */
static vo_result unescape_code(parser *p) {
    int code = hex4(p, p->at + 2), low = -1;
    bool high = code >= 0xd800 && code < 0xdc00;
    if (high && peek_at(p, p->at + 6) == '\\' && peek_at(p, p->at + 7) == 'u')
        low = hex4(p, p->at + 8);
    bool pair = high && low >= 0xdc00 && low < 0xe000;
    if (code < 0 || (!pair && code >= 0xd800 && code < 0xe000))
        return fail_at(p, p->at, "unknown escape sequence in a string");
    if (code == 0) return fail_at(p, p->at, "a string may not contain \\u0000");
    add_utf8(p, (unsigned)(pair ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : code));
    p->at += pair ? 12 : 6;
    return VO_OK;
}

static vo_result unescape(parser *p) {
    static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    char c = peek_at(p, p->at + 1);
    if (c == 'u') return unescape_code(p);
    const char *found = c ? strchr(names, c) : NULL;
    if (!found) return fail_at(p, p->at, "unknown escape sequence in a string");
    p->word[p->word_length++] = meanings[found - names];
    p->at += 2;
    return VO_OK;
}

/* Position of the closing quote of the current string; 0 if its line has none. */
static size_t closing_quote(const parser *p) {
    for (size_t i = p->at + 1; peek_at(p, i) && peek_at(p, i) != '\n'; i++) {
        if (peek_at(p, i) == '"') return i;
        if (peek_at(p, i) == '\\' && peek_at(p, i + 1) != '\n') i++;
    }
    return 0;
}

/* Parses a string from its opening quote into p->word, unescaped. */
static vo_result parse_string(parser *p) {
    size_t end = closing_quote(p);
    if (!end) return fail_at(p, p->at, "the string does not end on its line");
    /* An escape sequence is never shorter than its character. */
    if (!vo_reserve(p->ctx, &p->word, &p->word_capacity, (int)(end - p->at))) return no_memory(p);
    p->word_length = 0;
    p->at++;
    while (p->at < end) {
        size_t length = vo_json_char_length(p->text + p->at, end - p->at);
        if (length == 0) return fail_at(p, p->at, "the string is not UTF-8");
        if (peek(p) == '\\') {
            VO_TRY(unescape(p));
            continue;
        }
        memcpy(p->word + p->word_length, p->text + p->at, length);
        p->word_length += (int)length;
        p->at += length;
    }
    p->word[p->word_length] = 0;
    p->at = end + 1;
    return VO_OK;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static bool is_word(char c) {
    return is_digit(c) || is_letter(c) || (c && strchr("_+-.", c) != NULL);
}

static size_t count_digits(const char *text) { return strspn(text, "0123456789"); }

/* Matches JSON's grammar for numbers, extended by 1. and -.5. *integer: no point and no exponent.
 */
static bool is_number(const char *word, bool *integer) {
    const char *at = word[0] == '-' ? word + 1 : word;
    size_t whole = count_digits(at), fraction = 0;
    if (whole > 1 && *at == '0') return false;
    at += whole;
    *integer = *at == 0;
    if (*at == '.') fraction = count_digits(++at);
    at += fraction;
    if (whole == 0 && (fraction == 0 || word[0] != '-')) return false;
    if (*at == 'e' || *at == 'E') {
        at++;
        if (*at == '+' || *at == '-') at++;
        if (!is_digit(*at)) return false;
        at += count_digits(at);
    }
    return *at == 0;
}

/* Converts p->word to a number; integers of up to 18 digits stay integers for printing. */
static vo_result create_number(const parser *p, size_t begin, bool integer, json_object **out) {
    double real;
    if (integer && p->word_length <= 18 && strcmp(p->word, "-0") != 0)
        *out = json_object_new_int64(strtoll(p->word, NULL, 10));
    else if (vo_number_read(p->word, p->word + p->word_length, &real))
        *out = json_object_new_double(real);
    else
        return fail_at(p, begin, "the number has %d characters, too many to convert",
                       p->word_length);
    return *out ? VO_OK : no_memory(p);
}

/* Fails with the reason why p->word, at `begin`, is invalid. */
static vo_result fail_word(const parser *p, size_t begin) {
    char shown[48];
    vo_json_sanitise(shown, sizeof shown, p->word);
    const char *letters = p->word + (p->word[0] == '-' || p->word[0] == '+');
    if (strncmp(letters, "NaN", 3) == 0 || strncmp(letters, "Inf", 3) == 0)
        return fail_at(p, begin, "JSON has no number %s", shown);
    if (is_letter(*letters) || *letters == '_')
        return fail_at(p, begin, "the word %s is not in double quotes", shown);
    return fail_at(p, begin, "%s is not a number", shown);
}

/* Parses true, false, null or a number. */
static vo_result parse_word(parser *p, json_object **out) {
    size_t begin = p->at;
    while (is_word(peek(p))) p->at++;
    size_t length = p->at - begin;
    if (!vo_reserve(p->ctx, &p->word, &p->word_capacity, (int)length + 1)) return no_memory(p);
    memcpy(p->word, p->text + begin, length);
    p->word[length] = 0;
    p->word_length = (int)length;
    bool integer, yes = strcmp(p->word, "true") == 0;
    if (strcmp(p->word, "null") == 0) return VO_OK;
    if (is_number(p->word, &integer)) return create_number(p, begin, integer, out);
    if (!yes && strcmp(p->word, "false") != 0) return fail_word(p, begin);
    *out = json_object_new_boolean(yes);
    return *out ? VO_OK : no_memory(p);
}

static vo_result parse_value(parser *p, json_object **out);

/* Parses the comma after a value or the closing bracket, which sets *done. A comma before the
 * closing bracket is allowed. */
static vo_result parse_separator(parser *p, char close, const char *expected, bool *done) {
    VO_TRY(skip_blank(p));
    bool comma = peek(p) == ',';
    if (comma) {
        p->at++;
        VO_TRY(skip_blank(p));
    }
    *done = peek(p) == close;
    if (*done) p->at++;
    return comma || *done ? VO_OK : fail_unexpected(p, expected);
}

static vo_result parse_elements(parser *p, json_object *array) {
    bool done = peek(p) == ']';
    if (done) p->at++;
    while (!done) {
        json_object *item = NULL;
        vo_result result = parse_value(p, &item);
        if (result == VO_OK && !vo_json_attach(array, NULL, item)) return no_memory(p);
        if (result != VO_OK) return result;
        VO_TRY(parse_separator(p, ']', "a comma or ]", &done));
    }
    return VO_OK;
}

/* Parses the colon and the value of a key; `key` is a copy. */
static vo_result parse_member(parser *p, json_object *object, const char *key) {
    json_object *value = NULL;
    VO_TRY(skip_blank(p));
    if (peek(p) != ':') return fail_unexpected(p, "a colon after the key");
    p->at++;
    VO_TRY(parse_value(p, &value));
    return vo_json_attach(object, key, value) ? VO_OK : no_memory(p);
}

/* Parses a key and its value. */
static vo_result parse_key(parser *p, json_object *object) {
    size_t begin = p->at;
    if (peek(p) == '\'') return fail_at(p, begin, "strings must be in double quotes");
    if (peek(p) != '"') return fail_unexpected(p, "a key in double quotes");
    VO_TRY(parse_string(p));
    if (json_object_object_get_ex(object, p->word, NULL)) {
        char shown[64];
        vo_json_sanitise(shown, sizeof shown, p->word);
        return fail_at(p, begin, "duplicate key \"%s\" in this object", shown);
    }
    char *key = vo_copy_string(p->ctx, p->word);
    if (!key) return no_memory(p);
    vo_result result = parse_member(p, object, key);
    vo_free_string(p->ctx, key);
    return result;
}

static vo_result parse_members(parser *p, json_object *object) {
    bool done = peek(p) == '}';
    if (done) p->at++;
    while (!done) {
        VO_TRY(parse_key(p, object));
        VO_TRY(parse_separator(p, '}', "a comma or }", &done));
    }
    return VO_OK;
}

/* Parses an array or an object; *out is complete or NULL. */
static vo_result parse_container(parser *p, json_object **out) {
    bool is_array = peek(p) == '[';
    if (p->depth == VO_JSON_DEPTH)
        return fail_at(p, p->at, "brackets nested too deeply (more than %d levels)", VO_JSON_DEPTH);
    json_object *container = is_array ? json_object_new_array() : json_object_new_object();
    if (!container) return no_memory(p);
    p->at++;
    p->depth++;
    vo_result result = skip_blank(p);
    if (result == VO_OK)
        result = is_array ? parse_elements(p, container) : parse_members(p, container);
    p->depth--;
    if (result == VO_OK)
        *out = container;
    else
        json_object_put(container);
    return result;
}

/* Parses any value; *out is NULL for null and on failure. */
static vo_result parse_value(parser *p, json_object **out) {
    *out = NULL;
    VO_TRY(skip_blank(p));
    char c = peek(p);
    if (c == '[' || c == '{') return parse_container(p, out);
    if (is_word(c)) return parse_word(p, out);
    if (c == '\'') return fail_at(p, p->at, "strings must be in double quotes");
    if (c != '"') return fail_unexpected(p, NULL);
    VO_TRY(parse_string(p));
    *out = json_object_new_string_len(p->word, p->word_length);
    return *out ? VO_OK : no_memory(p);
}

/* Parses the whole text: one value. */
static vo_result parse_text(parser *p, json_object **root) {
    const char *zero = memchr(p->text, 0, p->size);
    if (zero) return fail_at(p, (size_t)(zero - p->text), "zero byte; the file is not a text file");
    VO_TRY(skip_blank(p));
    if (!peek(p)) return vo_fail(p->ctx, VO_BAD_DATA, "%s: the file is empty", p->file);
    VO_TRY(parse_value(p, root));
    VO_TRY(skip_blank(p));
    return peek(p) ? fail_unexpected(p, NULL) : VO_OK;
}

vo_result vo_json_parse(vo_context *ctx, const char *file, const char *text, size_t size,
                        vo_json_doc *out) {
    *out = (vo_json_doc){0};
    if (size == 0) text = "";
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3, size -= 3;
    if (size >= INT_MAX / 2) return vo_fail(ctx, VO_BAD_DATA, "%s: larger than 1 GB", file);
    parser p = {.ctx = ctx, .file = file, .text = text, .size = size};
    vo_json_doc doc = {.ctx = ctx};
    vo_result result = parse_text(&p, &doc.root);
    vo_free_array(ctx, p.word, p.word_capacity);
    if (result == VO_OK) doc.file = vo_copy_string(ctx, file);
    if (result == VO_OK && !doc.file) result = vo_fail_memory(ctx, file);
    if (result == VO_OK)
        *out = doc;
    else
        vo_json_free(&doc);
    return result;
}

vo_result vo_json_load(vo_context *ctx, const char *path, vo_json_doc *out) {
    *out = (vo_json_doc){0};
    vo_bytes bytes;
    VO_TRY(vo_file_read(ctx, path, &bytes));
    vo_result result = vo_json_parse(ctx, path, bytes.data, bytes.size, out);
    vo_bytes_free(ctx, &bytes);
    return result;
}

vo_result vo_json_parse_object(vo_context *ctx, const char *file, const char *text, size_t size,
                               vo_json_object_fn *create, void *out) {
    vo_json_doc doc;
    VO_TRY(vo_json_parse(ctx, file, text, size, &doc));
    vo_result result = create(&doc, out);
    vo_json_free(&doc);
    return result;
}

vo_result vo_json_load_object(vo_context *ctx, const char *path, vo_json_object_fn *create,
                              void *out) {
    vo_json_doc doc;
    VO_TRY(vo_json_load(ctx, path, &doc));
    vo_result result = create(&doc, out);
    vo_json_free(&doc);
    return result;
}

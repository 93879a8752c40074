/* Locates the syntax error of a BVH file that Assimp has rejected. Assimp decides whether a file is
 * valid; this parser only finds the position. */
#include "character/import/build.h"
#include "codec/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Tokeniser state. */
typedef struct tokenizer {
    const char *at, *end; /* remaining text */
    const char *word;     /* current word; NULL: end of file */
    int length, line;     /* length and line of the word */
    long long channels;   /* channels of all joints up to here: the numbers per frame */
    char *text;           /* resulting message */
    size_t size;
} tokenizer;

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Reads the next word. A brace at the beginning of a word is a word of its own, as in Assimp. */
static void next(tokenizer *w) {
    for (; w->at < w->end && is_space(*w->at); w->at++) w->line += *w->at == '\n';
    const char *begin = w->at;
    if (w->at < w->end && (*w->at == '{' || *w->at == '}'))
        w->at++;
    else
        while (w->at < w->end && !is_space(*w->at)) w->at++;
    w->word = w->at > begin ? begin : NULL;
    w->length = w->at - begin < 40 ? (int)(w->at - begin) : 40;
}

static bool is(const tokenizer *w, const char *word) {
    return w->word && w->at - w->word == (long)strlen(word) &&
           memcmp(w->word, word, strlen(word)) == 0;
}

VO_PRINTF(2, 3) static bool report(tokenizer *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(w->text, w->size, format, args);
    va_end(args);
    return true;
}

/* Reports that `expected` is missing. */
static bool report_missing(tokenizer *w, const char *expected) {
    if (!w->word) return report(w, "it ends where %s should be; it was truncated", expected);
    return report(w, "line %d: expected %s, found \"%.*s\"", w->line, expected, w->length, w->word);
}

/* Reads the next word; returns true if it is not this one. */
static bool expect_fails(tokenizer *w, const char *word) {
    next(w);
    return is(w, word) ? false : report_missing(w, word);
}

static bool number_is_missing(tokenizer *w, const char *what, double *out) {
    next(w);
    if (w->word && vo_number_read(w->word, w->at, out) == w->at) return false;
    return report_missing(w, what);
}

static bool bad_channels(tokenizer *w) {
    static const char *const names[] = {"Xposition", "Yposition", "Zposition",
                                        "Xrotation", "Yrotation", "Zrotation"};
    double count = 0;
    if (number_is_missing(w, "the number of channels", &count)) return true;
    if (!(count >= 0 && count <= 6))
        return report(w, "line %d: a joint has at most 6 channels, not %g", w->line, count);
    for (int i = 0; i < (int)count; i++) {
        bool known = false;
        next(w);
        for (int k = 0; k < 6; k++) known |= is(w, names[k]);
        if (!known)
            return report_missing(w, "a channel (Xposition to Zposition, Xrotation to Zrotation)");
    }
    w->channels += (int)count;
    return false;
}

static bool bad_offset(tokenizer *w) {
    double x;
    for (int i = 0; i < 3; i++)
        if (number_is_missing(w, "a number of OFFSET", &x)) return true;
    return false;
}

/* Skips a name up to its brace. Names may consist of several words, including keywords of the
 * following lines. */
static bool brace_is_missing(tokenizer *w) {
    static const char *const later[] = {"OFFSET", "CHANNELS", "JOINT", "End", "}", "MOTION"};
    for (int line = w->line;;) {
        next(w);
        if (is(w, "{")) return false;
        bool over = !w->word;
        for (int i = 0; i < 6; i++) over |= w->line > line && is(w, later[i]);
        if (over) return report_missing(w, "{");
    }
}

/* Detects a byte-order mark, which is invisible in messages. */
static bool has_byte_order_mark(tokenizer *w) {
    if (w->end - w->at < 3 || memcmp(w->at, "\xef\xbb\xbf", 3) != 0) return false;
    return report(w, "it begins with a byte-order mark, which BVH does not have; save it without");
}

/* Parses all joints, from ROOT to its closing brace. */
static bool joints_fail(tokenizer *w) {
    if (expect_fails(w, "HIERARCHY") || expect_fails(w, "ROOT") || brace_is_missing(w)) return true;
    for (long long depth = 1; depth > 0;) {
        bool bad = false;
        next(w);
        if (is(w, "}"))
            depth--;
        else if (is(w, "JOINT") || is(w, "End"))
            depth++, bad = brace_is_missing(w);
        else if (is(w, "OFFSET"))
            bad = bad_offset(w);
        else if (is(w, "CHANNELS"))
            bad = bad_channels(w);
        else
            bad = report_missing(w, "OFFSET, CHANNELS, JOINT, End Site or }");
        if (bad) return true;
    }
    return false;
}

static bool frames_fail(tokenizer *w, long long frames) {
    for (long long f = 0; f < frames; f++)
        for (long long i = 0; i < w->channels; i++) {
            double x;
            next(w);
            if (!w->word)
                return report(w,
                              "it ends within frame %lld of %lld, each with %lld numbers; "
                              "it was truncated",
                              f + 1, frames, w->channels);
            if (vo_number_read(w->word, w->at, &x) != w->at) return report_missing(w, "a number");
        }
    return false;
}

static bool motion_fails(tokenizer *w) {
    double frames = 0, time = 0;
    if (expect_fails(w, "MOTION") || expect_fails(w, "Frames:")) return true;
    if (number_is_missing(w, "the number of frames", &frames)) return true;
    if (!(frames >= 1 && frames < 1e9))
        return report(w, "line %d: there cannot be %g frames", w->line, frames);
    if (expect_fails(w, "Frame") || expect_fails(w, "Time:")) return true;
    if (number_is_missing(w, "the seconds of a frame", &time)) return true;
    return w->channels > 0 && frames_fail(w, (long long)frames);
}

bool vo_import_find_bvh_fault(const vo_bytes *bytes, char *text, size_t size) {
    tokenizer w = {.at = bytes->data, .end = bytes->data + bytes->size, .line = 1, .size = size};
    w.text = text;
    text[0] = 0;
    return has_byte_order_mark(&w) || joints_fail(&w) || motion_fails(&w);
}

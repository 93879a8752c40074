/* What is wrong with a BVH file that was refused, in words for whoever has to mend it. The reader
 * has the last word on what is a fault; this only looks for the place. */
#include "codec/number.h"
#include "scene/import_build.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A walk over the words of the file. */
typedef struct walk {
    const char *at, *end; /* what is left */
    const char *word;     /* the present one, NULL: the file has ended */
    int length, line;     /* of the word, and where it is */
    long long channels;   /* of all joints so far: the numbers of a frame */
    char *text;           /* what was found */
    size_t size;
} walk;

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* A brace at the beginning of a word is all of it, as for the reader. */
static void next(walk *w) {
    for (; w->at < w->end && is_space(*w->at); w->at++) w->line += *w->at == '\n';
    const char *begin = w->at;
    if (w->at < w->end && (*w->at == '{' || *w->at == '}'))
        w->at++;
    else
        while (w->at < w->end && !is_space(*w->at)) w->at++;
    w->word = w->at > begin ? begin : NULL;
    w->length = w->at - begin < 40 ? (int)(w->at - begin) : 40;
}

static bool is(const walk *w, const char *word) {
    return w->word && w->at - w->word == (long)strlen(word) &&
           memcmp(w->word, word, strlen(word)) == 0;
}

VO_PRINTF(2, 3) static bool found(walk *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(w->text, w->size, format, args);
    va_end(args);
    return true;
}

/* `expected` is not there. */
static bool missing(walk *w, const char *expected) {
    if (!w->word) return found(w, "it ends where %s should be; it was cut off", expected);
    return found(w, "line %d: expected %s, found \"%.*s\"", w->line, expected, w->length, w->word);
}

/* Goes to the next word, which must be this one. True: it is not. */
static bool lacks(walk *w, const char *word) {
    next(w);
    return is(w, word) ? false : missing(w, word);
}

static bool lacks_number(walk *w, const char *what, double *out) {
    next(w);
    if (w->word && vo_number_read(w->word, w->at, out) == w->at) return false;
    return missing(w, what);
}

static bool bad_channels(walk *w) {
    static const char *const names[] = {"Xposition", "Yposition", "Zposition",
                                        "Xrotation", "Yrotation", "Zrotation"};
    double count = 0;
    if (lacks_number(w, "the number of channels", &count)) return true;
    if (!(count >= 0 && count <= 6))
        return found(w, "line %d: a joint has at most 6 channels, not %g", w->line, count);
    for (int i = 0; i < (int)count; i++) {
        bool known = false;
        next(w);
        for (int k = 0; k < 6; k++) known |= is(w, names[k]);
        if (!known) return missing(w, "a channel (Xposition to Zposition, Xrotation to Zrotation)");
    }
    w->channels += (int)count;
    return false;
}

static bool bad_offset(walk *w) {
    double x;
    for (int i = 0; i < 3; i++)
        if (lacks_number(w, "a number of OFFSET", &x)) return true;
    return false;
}

/* Names may be several words, even such as have a meaning on the lines below. */
static bool lacks_brace(walk *w) {
    static const char *const later[] = {"OFFSET", "CHANNELS", "JOINT", "End", "}", "MOTION"};
    for (int line = w->line;;) {
        next(w);
        if (is(w, "{")) return false;
        bool over = !w->word;
        for (int i = 0; i < 6; i++) over |= w->line > line && is(w, later[i]);
        if (over) return missing(w, "{");
    }
}

/* It does not show in the word that follows it. */
static bool has_mark(walk *w) {
    if (w->end - w->at < 3 || memcmp(w->at, "\xef\xbb\xbf", 3) != 0) return false;
    return found(w, "it begins with a byte-order mark, which BVH does not have; save it without");
}

/* All joints, from ROOT to the brace that closes it. */
static bool bad_joints(walk *w) {
    if (lacks(w, "HIERARCHY") || lacks(w, "ROOT") || lacks_brace(w)) return true;
    for (long long depth = 1; depth > 0;) {
        bool bad = false;
        next(w);
        if (is(w, "}"))
            depth--;
        else if (is(w, "JOINT") || is(w, "End"))
            depth++, bad = lacks_brace(w);
        else if (is(w, "OFFSET"))
            bad = bad_offset(w);
        else if (is(w, "CHANNELS"))
            bad = bad_channels(w);
        else
            bad = missing(w, "OFFSET, CHANNELS, JOINT, End Site or }");
        if (bad) return true;
    }
    return false;
}

static bool bad_frames(walk *w, long long frames) {
    for (long long f = 0; f < frames; f++)
        for (long long i = 0; i < w->channels; i++) {
            double x;
            next(w);
            if (!w->word)
                return found(w,
                             "it ends within frame %lld of %lld, each of which has %lld numbers; "
                             "it was cut off",
                             f + 1, frames, w->channels);
            if (vo_number_read(w->word, w->at, &x) != w->at) return missing(w, "a number");
        }
    return false;
}

static bool bad_motion(walk *w) {
    double frames = 0, time = 0;
    if (lacks(w, "MOTION") || lacks(w, "Frames:")) return true;
    if (lacks_number(w, "the number of frames", &frames)) return true;
    if (!(frames >= 1 && frames < 1e9))
        return found(w, "line %d: there cannot be %g frames", w->line, frames);
    if (lacks(w, "Frame") || lacks(w, "Time:")) return true;
    if (lacks_number(w, "the seconds of a frame", &time)) return true;
    return w->channels > 0 && bad_frames(w, (long long)frames);
}

bool vo_import_find_bvh_fault(const vo_bytes *bytes, char *text, size_t size) {
    walk w = {.at = bytes->data, .end = bytes->data + bytes->size, .line = 1, .size = size};
    w.text = text;
    text[0] = 0;
    return has_mark(&w) || bad_joints(&w) || bad_motion(&w);
}

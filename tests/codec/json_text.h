/* Helpers that parse and print JSON documents. */
#ifndef VOILE_TESTS_JSON_TEXT_H
#define VOILE_TESTS_JSON_TEXT_H

#include "support.h"

#include "codec/json.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

static inline void expect_message(vo_context *ctx, const char *message) {
    assert_string_equal(vo_context_message(ctx), message);
}

static inline vo_json_doc parse_json(vo_context *ctx, const char *text) {
    vo_json_doc doc;
    assert_ok(ctx, vo_json_parse(ctx, "scene.json", text, strlen(text), &doc));
    return doc;
}

/* Prints a document; the caller frees the result with free(). */
static inline char *json_text(const vo_json_doc *doc) {
    char *text;
    size_t size;
    assert_ok(doc->ctx, vo_json_print(doc, &text, &size));
    assert_int_equal(strlen(text), size);
    char *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, text, size + 1);
    vo_free(doc->ctx, text, size + 1);
    return copy;
}

static inline void expect_print(const vo_json_doc *doc, const char *expected) {
    char *text = json_text(doc);
    assert_string_equal(text, expected);
    free(text);
}

#endif

/* Helpers that print JSON documents. */
#ifndef VOILE_TESTS_JSON_TEXT_H
#define VOILE_TESTS_JSON_TEXT_H

#include "support.h"

#include "codec/json.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

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

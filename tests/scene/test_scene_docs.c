/* docs/scene-reference.md equals the tables of keys: a section for each object, in it a row for
 * each key with its type, unit, default and meaning. */
#include "support.h"

#include "core/file.h"
#include "scene/keys.h"

#include <stdio.h>
#include <string.h>

static const char *kind_name(vo_key_kind kind) {
    static const char *const names[] = {
#define X(kind, name) name,
        VO_KEY_KINDS(X)
#undef X
    };
    return names[kind];
}

static void add(char *out, size_t size, const char *text) {
    size_t length = strlen(out);
    snprintf(out + length, size - length, "%s", text);
}

/* "`x`, `y`, `z`", or the name of the kind. */
static void add_type(char *out, size_t size, const vo_key *key) {
    if (!key->words) {
        add(out, size, kind_name(key->kind));
        return;
    }
    if (key->kind == VO_KEY_WORDS) add(out, size, "word or array of words: ");
    for (int i = 0; key->words[i]; i++) {
        if (i > 0) add(out, size, ", ");
        add(out, size, "`\"");
        add(out, size, key->words[i]);
        add(out, size, "\"`");
    }
}

static void add_fallback(char *out, size_t size, const vo_key *key) {
    if (key->required) add(out, size, "required");
    if (!key->fallback) return;
    add(out, size, "`");
    add(out, size, key->fallback);
    add(out, size, "`");
}

static void make_row(const vo_key *key, char *out, size_t size) {
    snprintf(out, size, "| `%s` | ", key->name);
    add_type(out, size, key);
    add(out, size, " | ");
    add(out, size, key->unit ? key->unit : "");
    add(out, size, " | ");
    add_fallback(out, size, key);
    add(out, size, " | ");
    add(out, size, key->meaning);
    if (key->unimplemented) add(out, size, " *Not implemented.*");
    add(out, size, " |\n");
}

/* The text from "## TITLE" to the next heading of that kind, in `section`. */
static void find_section(const char *page, const char *title, char *section, size_t size) {
    char heading[64];
    snprintf(heading, sizeof heading, "\n## %s\n", title);
    const char *start = strstr(page, heading);
    section[0] = 0;
    if (!start) return;
    start += strlen(heading);
    const char *end = strstr(start, "\n## ");
    size_t length = end ? (size_t)(end - start) : strlen(start);
    assert_true(length < size);
    memcpy(section, start, length);
    section[length] = 0;
}

static int count_missing(const vo_key_table *table, const char *section) {
    int missing = 0;
    for (const vo_key *key = table->keys; key->name; key++) {
        char row[1024];
        make_row(key, row, sizeof row);
        if (strstr(section, row)) continue;
        printf("%s: %s", table->title, row);
        missing++;
    }
    return missing;
}

static int count_rows(const char *section) {
    int count = 0;
    for (const char *at = section; (at = strstr(at, "\n| `")) != NULL; at++) count++;
    return count;
}

static int count_keys(const vo_key_table *table) {
    int count = 0;
    while (table->keys[count].name) count++;
    return count;
}

static void reference_lists_exactly_the_keys(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_bytes page;
    static char section[65536];
    int missing = 0;
    assert_ok(ctx, vo_file_read(ctx, VOILE_SOURCE_DIR "/docs/scene-reference.md", &page));
    for (const vo_key_table *table = vo_key_tables; table->title; table++) {
        find_section(page.data, table->title, section, sizeof section);
        missing += count_missing(table, section);
        if (count_rows(section) != count_keys(table))
            printf("%s: %d rows, %d keys\n", table->title, count_rows(section), count_keys(table));
        missing += count_rows(section) != count_keys(table);
    }
    vo_bytes_free(ctx, &page);
    vo_context_destroy(ctx);
    if (missing) fail_msg("docs/scene-reference.md lacks the rows above");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_lists_exactly_the_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

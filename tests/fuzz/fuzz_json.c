/* JSON: a valid document must be unchanged after printing and parsing; all readers accept any
 * value. */
#include "fuzz.h"

#include "codec/json.h"
#include "core/memory.h"

/* Calls all readers for a value and its children. */
static void read_all(vo_context *ctx, vo_json_cursor at) {
    static const char *const known[] = {"a", "frame_time", "materials", "cloths", NULL};
    double reals[3] = {0};
    int number = 0;
    bool truth = false;
    const char *string = "";
    char path[64];
    fuzz_check(ctx, vo_json_read_real(at, reals));
    fuzz_check(ctx, vo_json_read_real_or_inf(at, reals));
    fuzz_check(ctx, vo_json_read_reals(at, reals, 3));
    fuzz_check(ctx, vo_json_read_int(at, &number));
    fuzz_check(ctx, vo_json_read_bool(at, &truth));
    fuzz_check(ctx, vo_json_read_string(at, &string));
    fuzz_check(ctx, vo_json_check_keys(at, known));
    vo_json_path(at, path, sizeof path);
    int count = vo_json_length(at);
    for (int i = 0; i < count && i < 8; i++) read_all(ctx, vo_json_item(&at, i));
    for (int i = 0; known[i]; i++)
        if (vo_json_kind(at) == VO_JSON_OBJECT) read_all(ctx, vo_json_get(&at, known[i]));
}

static char *print(vo_context *ctx, const vo_json_doc *doc, size_t *size) {
    char *text = NULL;
    fuzz_require(vo_json_print(doc, &text, size) == VO_OK, vo_context_message(ctx));
    return text;
}

/* Printing, parsing and printing again must give the same text. */
static void check_print(vo_context *ctx, const vo_json_doc *doc) {
    size_t size, again_size;
    vo_json_doc again;
    char *text = print(ctx, doc, &size);
    fuzz_require(vo_json_parse(ctx, "printed", text, size, &again) == VO_OK,
                 vo_context_message(ctx));
    char *same = print(ctx, &again, &again_size);
    fuzz_require(size == again_size && memcmp(text, same, size) == 0, "printed differently");
    vo_json_free(&again);
    vo_free(ctx, text, size + 1);
    vo_free(ctx, same, again_size + 1);
}

/* Uses the input as path and value of an override, split at the first "=". */
static void check_set(vo_context *ctx, const char *text) {
    vo_json_doc doc;
    char path[256];
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text) / 2;
    snprintf(path, sizeof path, "%.*s", (int)(length < 200 ? length : 200), text);
    fuzz_require(vo_json_parse(ctx, "set", "{\"a\":[{\"b\":1}]}", 15, &doc) == VO_OK,
                 "no document");
    fuzz_check(ctx, vo_json_set(&doc, path, text + length + (equals != NULL)));
    fuzz_check(ctx, vo_json_set(&doc, "a[0].b", text));
    fuzz_check(ctx, vo_json_set(&doc, text, "1"));
    check_print(ctx, &doc);
    vo_json_free(&doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run run;
    vo_json_doc doc;
    vo_context *ctx = fuzz_begin(&run);
    if (fuzz_check(ctx, vo_json_parse(ctx, "input", (const char *)data, size, &doc)) == VO_OK) {
        read_all(ctx, vo_json_root(&doc));
        check_print(ctx, &doc);
        vo_json_free(&doc);
    }
    char *text = malloc(size + 1);
    fuzz_require(text != NULL, "no memory");
    if (size) memcpy(text, data, size);
    text[size] = 0;
    check_set(ctx, text);
    free(text);
    fuzz_end(&run);
    return 0;
}

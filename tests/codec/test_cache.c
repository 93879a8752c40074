/* Tests of the cache: what was written is read, everything else is not. */
#include "support.h"

#include "codec/cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char DATA[] = "position of a garment";
enum { SIZE = sizeof DATA };

static bool has(vo_context *ctx, const char *kind, uint64_t key) {
    vo_bytes file;
    size_t size;
    if (!vo_cache_read(ctx, kind, key, &file, &size)) return false;
    assert_int_equal(size, SIZE);
    assert_memory_equal(file.data, DATA, SIZE);
    vo_bytes_free(ctx, &file);
    return true;
}

static void results_are_found_by_kind_and_key(void **state) {
    (void)state;
    vo_context *ctx = test_context_cached(1, test_folder());
    vo_cache_write(ctx, "garment", 7, DATA, SIZE);
    assert_true(has(ctx, "garment", 7));
    assert_false(has(ctx, "garment", 8));
    assert_false(has(ctx, "harmonics", 7));
    vo_context_destroy(ctx);
}

static void damaged_and_exchanged_files_are_ignored(void **state) {
    (void)state;
    const char *folder = test_folder();
    vo_context *ctx = test_context_cached(1, folder);
    char path[VO_PATH_SIZE], other[VO_PATH_SIZE];
    vo_bytes file;
    vo_cache_write(ctx, "garment", 7, DATA, SIZE);
    snprintf(path, sizeof path, "%s/garment-0000000000000007.bin", folder);
    snprintf(other, sizeof other, "%s/garment-0000000000000008.bin", folder);
    assert_ok(ctx, vo_file_read(ctx, path, &file));
    for (size_t at = 0; at < file.size; at++) {
        file.data[at] ^= 1;
        assert_ok(ctx, vo_file_write(ctx, path, file.data, file.size));
        assert_false(has(ctx, "garment", 7));
        file.data[at] ^= 1;
        assert_ok(ctx, vo_file_write(ctx, path, file.data, at));
        assert_false(has(ctx, "garment", 7));
    }
    assert_ok(ctx, vo_file_write(ctx, other, file.data, file.size));
    assert_false(has(ctx, "garment", 8));
    vo_cache_write(ctx, "garment", 7, DATA, SIZE);
    assert_true(has(ctx, "garment", 7));
    vo_bytes_free(ctx, &file);
    vo_context_destroy(ctx);
}

static void oldest_files_are_removed(void **state) {
    (void)state;
    const char *folder = test_folder();
    vo_context *ctx = test_context_cached(1, folder);
    char path[VO_PATH_SIZE];
    for (int key = 0; key < 4; key++) {
        vo_cache_write(ctx, "garment", (uint64_t)key, DATA, SIZE);
        snprintf(path, sizeof path, "%s/garment-000000000000000%d.bin", folder, key);
        const struct timespec used[2] = {{1000 + key, 0}, {1000 + key, 0}};
        assert_int_equal(utimensat(AT_FDCWD, path, used, 0), 0);
    }
    snprintf(path, sizeof path, "%s/notes.txt", folder);
    assert_ok(ctx, vo_file_write(ctx, path, DATA, SIZE));
    assert_true(has(ctx, "garment", 0)); /* is now the newest */
    struct stat info;
    snprintf(path, sizeof path, "%s/garment-0000000000000001.bin", folder);
    assert_int_equal(stat(path, &info), 0);
    vo_cache_trim(ctx, 2 * (size_t)info.st_size);
    assert_true(has(ctx, "garment", 0) && has(ctx, "garment", 3));
    assert_false(has(ctx, "garment", 1) || has(ctx, "garment", 2));
    snprintf(path, sizeof path, "%s/notes.txt", folder);
    assert_true(vo_file_exists(path));
    vo_context_destroy(ctx);
}

static void disabled_cache_keeps_nothing(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    vo_cache_write(ctx, "garment", 7, DATA, SIZE);
    assert_false(has(ctx, "garment", 7));
    vo_context_destroy(ctx);
}

static void count_lines(void *user, vo_log_level level, const char *text) {
    *(int *)user += level == VO_LOG_WARNING && strstr(text, "not kept") != NULL;
}

static void unwritable_folder_is_a_warning(void **state) {
    (void)state;
    char path[VO_PATH_SIZE];
    int lines = 0;
    vo_context_def def = vo_context_def_default();
    vo_context *ctx;
    snprintf(path, sizeof path, "%s/file/cache", test_folder());
    def.cache_folder = path;
    def.log = count_lines;
    def.log_user = &lines;
    assert_int_equal(vo_context_create(&def, &ctx), VO_OK);
    char *file = strstr(path, "/cache");
    *file = 0;
    assert_ok(ctx, vo_file_write(ctx, path, DATA, SIZE)); /* where the folder would be */
    vo_fail(ctx, VO_BAD_DATA, "earlier message");
    vo_cache_write(ctx, "garment", 7, DATA, SIZE);
    assert_int_equal(lines, 1);
    assert_string_equal(vo_context_message(ctx), "earlier message");
    vo_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_found_by_kind_and_key),
        cmocka_unit_test(damaged_and_exchanged_files_are_ignored),
        cmocka_unit_test(oldest_files_are_removed),
        cmocka_unit_test(disabled_cache_keeps_nothing),
        cmocka_unit_test(unwritable_folder_is_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

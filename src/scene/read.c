/* Reads values of a checked document and reports failed calls at the keys that caused them. */
#include "scene/load/load.h"

#include <stdio.h>
#include <string.h>

double vo_get_real(const vo_json_cursor *object, const char *key) {
    double x = 0;
    (void)vo_json_read_real(vo_json_get(object, key), &x);
    return x;
}

double vo_get_limit(const vo_json_cursor *object, const char *key, double absent) {
    (void)vo_json_read_real_or_inf(vo_json_get(object, key), &absent);
    return absent;
}

int vo_get_int(const vo_json_cursor *object, const char *key, int absent) {
    (void)vo_json_read_int(vo_json_get(object, key), &absent);
    return absent;
}

const char *vo_get_string(const vo_json_cursor *object, const char *key) {
    const char *text = NULL;
    (void)vo_json_read_string(vo_json_get(object, key), &text);
    return text;
}

int vo_get_word(const vo_json_cursor *object, const char *key, const char *const *words) {
    const char *word = vo_get_string(object, key);
    for (int i = 0; word && words[i]; i++)
        if (strcmp(words[i], word) == 0) return i;
    return 0;
}

bool vo_get_bool(const vo_json_cursor *object, const char *key) {
    bool value = false;
    (void)vo_json_read_bool(vo_json_get(object, key), &value);
    return value;
}

vo_vec3 vo_get_vec3(const vo_json_cursor *object, const char *key) {
    double x[3] = {0};
    (void)vo_json_read_reals(vo_json_get(object, key), x, 3);
    return v3(x[0], x[1], x[2]);
}

bool vo_has(const vo_json_cursor *object, const char *key) {
    return vo_json_is_present(vo_json_get(object, key));
}

vo_pose vo_get_pose(const vo_json_cursor *object, const char *key) {
    vo_json_cursor at = vo_json_get(object, key);
    double turn[4] = {0};
    (void)vo_json_read_reals(vo_json_get(&at, "rotate"), turn, 4);
    return (vo_pose){vo_get_vec3(&at, "translate"), vo_get_real(&at, "scale"), turn[0],
                     v3(turn[1], turn[2], turn[3])};
}

vo_result vo_fail_member(vo_json_cursor at, const char *message) {
    char name[64];
    size_t length = strspn(message, "abcdefghijklmnopqrstuvwxyz_");
    const char *rest = message + length;
    if (length == 0 || length >= sizeof name || *rest == 0 || !strchr(" .:", *rest))
        return vo_json_fail(at, "%s", message);
    snprintf(name, sizeof name, "%.*s", (int)length, message);
    vo_json_cursor member = vo_json_get(&at, name);
    if (!vo_json_is_present(member)) return vo_json_fail(at, "%s", message);
    return vo_fail_member(member, rest + (rest[0] == ':' && rest[1] == ' ' ? 2 : 1));
}

vo_result vo_at_fault(vo_json_cursor at, vo_result result) {
    if (result == VO_OK || result == VO_NO_MEMORY) return result;
    if (result == VO_BAD_ARGUMENT) return vo_fail_member(at, at.ctx->message);
    (void)vo_json_fail(at, "%s", at.ctx->message);
    return result;
}

void vo_warn_ignored(const vo_json_cursor *object, const char *key, const char *reason) {
    char path[256];
    vo_json_cursor at = vo_json_get(object, key);
    vo_json_path(at, path, sizeof path);
    vo_log_line(at.ctx, VO_LOG_WARNING, "%s%s: %s: has no effect, since %s", at.file,
                vo_json_origin(at), path, reason);
}

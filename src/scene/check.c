/* Checks a scene document against the tables of keys and fills in defaults. */
#include "math/bounds.h"
#include "scene/keys.h"
#include "scene/load/load.h"

#include <stdio.h>
#include <string.h>

enum { MAX_KEYS = 64 };

typedef struct checker {
    vo_json_doc *doc;
    char *unimplemented;
    size_t unimplemented_size;
} checker;

static vo_result check_magnitude(vo_json_cursor at, double x) {
    if (!vo_is_bounded(x) && isfinite(x)) return vo_json_fail(at, "%g is too large", x);
    return VO_OK;
}

static vo_result check_real(vo_json_cursor at, vo_key_kind kind) {
    bool may_be_infinite = kind == VO_KEY_LIMIT || kind == VO_KEY_TIME;
    double x = 0;
    VO_TRY(may_be_infinite ? vo_json_read_real_or_inf(at, &x) : vo_json_read_real(at, &x));
    VO_TRY(check_magnitude(at, x));
    if (kind == VO_KEY_POSITIVE && !(x > 0)) return vo_json_fail(at, "must be positive, is %g", x);
    if (kind == VO_KEY_POSITIVE && x < VO_MIN_POSITIVE)
        return vo_json_fail(at, "%g is too small", x);
    if ((kind == VO_KEY_NONNEGATIVE || kind == VO_KEY_TIME) && !(x >= 0))
        return vo_json_fail(at, "must not be negative, is %g", x);
    return VO_OK;
}

static vo_result check_int(vo_json_cursor at, int min) {
    int x = min;
    VO_TRY(vo_json_read_int(at, &x));
    if (x < min) return vo_json_fail(at, "must be at least %d, is %d", min, x);
    return VO_OK;
}

static vo_result check_vector(vo_json_cursor at, int count) {
    double x[4] = {0};
    VO_TRY(vo_json_read_reals(at, x, count));
    for (int i = 0; i < count; i++) VO_TRY(check_magnitude(vo_json_item(&at, i), x[i]));
    return VO_OK;
}

/* An angle and an axis, which may be zero only if the angle is. */
static vo_result check_rotation(vo_json_cursor at) {
    double x[4] = {0};
    VO_TRY(check_vector(at, 4));
    VO_TRY(vo_json_read_reals(at, x, 4));
    if (x[0] == 0 || x[1] != 0 || x[2] != 0 || x[3] != 0) return VO_OK;
    return vo_json_fail(at,
                        "has an angle of %g, but a zero axis; give an axis, for example [%g, 0, 0, "
                        "1]",
                        x[0], x[0]);
}

static vo_result expect_array(vo_json_cursor at, bool nonempty, const char *what) {
    if (vo_json_kind(at) != VO_JSON_ARRAY)
        return vo_json_fail(at, "expected an array of %s, found %s", what, vo_json_kind_name(at));
    if (nonempty && vo_json_length(at) == 0)
        return vo_json_fail(at, "the array is empty; expected %s", what);
    return VO_OK;
}

static vo_result expect_present(vo_json_cursor at, const char *what) {
    if (vo_json_is_present(at)) return VO_OK;
    return vo_json_fail(at, "expected %s, found null", what);
}

static vo_result check_limits(vo_json_cursor at) {
    if (vo_json_kind(at) != VO_JSON_ARRAY || vo_json_length(at) != 2)
        return vo_json_fail(at, "expected an array of two limits, [min, max]");
    double x[2] = {0};
    for (int i = 0; i < 2; i++) {
        vo_json_cursor item = vo_json_item(&at, i);
        VO_TRY(expect_present(item, "a number"));
        VO_TRY(vo_json_read_real_or_inf(item, &x[i]));
        VO_TRY(check_magnitude(item, x[i]));
    }
    if (!(x[0] <= x[1]))
        return vo_json_fail(at, "%g is more than %g; the lower limit comes first", x[0], x[1]);
    return VO_OK;
}

static vo_result check_word(vo_json_cursor at, const char *const *words) {
    const char *word = "";
    VO_TRY(expect_present(at, "a word"));
    VO_TRY(vo_json_read_string(at, &word));
    char list[256] = "";
    for (int i = 0; words[i]; i++) {
        if (strcmp(word, words[i]) == 0) return VO_OK;
        size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s\"%s\"", length ? ", " : "", words[i]);
    }
    const char *similar = vo_json_find_similar(word, words);
    if (!similar) return vo_json_fail(at, "\"%.60s\" is none of %s", word, list);
    return vo_json_fail(at, "\"%.60s\" is none of %s; did you mean \"%s\"?", word, list, similar);
}

static vo_result check_words(vo_json_cursor at, const char *const *words) {
    if (vo_json_kind(at) == VO_JSON_STRING) return check_word(at, words);
    VO_TRY(expect_array(at, false, "words"));
    for (int i = 0; i < vo_json_length(at); i++) VO_TRY(check_word(vo_json_item(&at, i), words));
    return VO_OK;
}

static vo_result check_indices(vo_json_cursor at, bool nonempty) {
    VO_TRY(expect_array(at, nonempty, "whole numbers"));
    for (int i = 0; i < vo_json_length(at); i++) {
        vo_json_cursor item = vo_json_item(&at, i);
        VO_TRY(expect_present(item, "a whole number"));
        VO_TRY(check_int(item, 0));
    }
    return VO_OK;
}

static vo_result check_string(vo_json_cursor at, bool nonempty) {
    const char *text = "";
    VO_TRY(expect_present(at, "a string"));
    VO_TRY(vo_json_read_string(at, &text));
    if (nonempty && !text[0]) return vo_json_fail(at, "the string is empty");
    return VO_OK;
}

static vo_result check_strings(vo_json_cursor at) {
    VO_TRY(expect_array(at, false, "strings"));
    for (int i = 0; i < vo_json_length(at); i++) VO_TRY(check_string(vo_json_item(&at, i), true));
    return VO_OK;
}

static vo_result check_object(checker *c, vo_json_cursor at, const vo_key *keys, bool acted);

static vo_result check_objects(checker *c, vo_json_cursor at, const vo_key *keys, bool nonempty,
                               bool acted) {
    VO_TRY(expect_array(at, nonempty, "objects"));
    for (int i = 0; i < vo_json_length(at); i++)
        VO_TRY(check_object(c, vo_json_item(&at, i), keys, acted));
    return VO_OK;
}

/* Checks a path or an object. */
static vo_result check_file(checker *c, vo_json_cursor at, const vo_key *keys, bool acted) {
    if (vo_json_kind(at) == VO_JSON_STRING) return check_string(at, true);
    if (vo_json_kind(at) != VO_JSON_OBJECT)
        return vo_json_fail(at, "expected a path or an object, found %s", vo_json_kind_name(at));
    return check_object(c, at, keys, acted);
}

static vo_result check_motions(checker *c, vo_json_cursor at, bool acted) {
    if (vo_json_kind(at) == VO_JSON_OBJECT) return check_object(c, at, vo_motfile_keys, acted);
    VO_TRY(expect_array(at, false, "arrays of keyframes"));
    for (int i = 0; i < vo_json_length(at); i++)
        VO_TRY(check_objects(c, vo_json_item(&at, i), vo_keyframe_keys, true, acted));
    return VO_OK;
}

static vo_result check_obstacles(checker *c, vo_json_cursor at, bool acted) {
    if (vo_json_kind(at) == VO_JSON_STRING) return check_string(at, true);
    return check_objects(c, at, vo_obstacle_keys, false, acted);
}

static vo_result check_value(checker *c, vo_json_cursor at, const vo_key *key, bool acted) {
    switch (key->kind) {
    case VO_KEY_REAL:
    case VO_KEY_POSITIVE:
    case VO_KEY_NONNEGATIVE:
    case VO_KEY_LIMIT:
    case VO_KEY_TIME:
        return check_real(at, key->kind);
    case VO_KEY_COUNT:
        return check_int(at, 1);
    case VO_KEY_INDEX:
        return check_int(at, 0);
    case VO_KEY_CHOICE:
        return check_int(at, -1);
    case VO_KEY_BOOL:
        return vo_json_read_bool(at, &(bool){false});
    case VO_KEY_STRING:
        return check_string(at, false);
    case VO_KEY_PATH:
        return check_string(at, true);
    case VO_KEY_WORD:
        return check_word(at, key->words);
    case VO_KEY_WORDS:
        return check_words(at, key->words);
    case VO_KEY_VEC2:
        return check_vector(at, 2);
    case VO_KEY_VEC3:
        return check_vector(at, 3);
    case VO_KEY_VEC4:
        return strcmp(key->name, "rotate") == 0 ? check_rotation(at) : check_vector(at, 4);
    case VO_KEY_LIMITS:
        return check_limits(at);
    case VO_KEY_INDICES:
        return check_indices(at, key->nonempty);
    case VO_KEY_STRINGS:
        return check_strings(at);
    case VO_KEY_OBJECT:
        return check_object(c, at, key->object, acted);
    case VO_KEY_ARRAY:
        return check_objects(c, at, key->object, key->nonempty, acted);
    case VO_KEY_FILE:
        return check_file(c, at, key->object, acted);
    case VO_KEY_MOTIONS:
        return check_motions(c, at, acted);
    case VO_KEY_OBSTACLES:
        return check_obstacles(c, at, acted);
    case VO_KEY_ANY:
        return VO_OK;
    }
    return VO_OK;
}

/* cloths[3].materials[0] -> cloths[].materials[] */
static void drop_indices(char *path) {
    char *to = path;
    for (const char *from = path; *from; from++) {
        *to++ = *from;
        if (*from == '[')
            while (from[1] >= '0' && from[1] <= '9') from++;
    }
    *to = 0;
}

/* True if a list of names separated by ", " contains the name. */
static bool is_listed(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, ",");
        if (n == length && memcmp(at, name, n) == 0) return true;
        at += n;
        at += strspn(at, ", ");
    }
    return false;
}

static void note_unimplemented(checker *c, vo_json_cursor at) {
    char name[256];
    vo_json_path(at, name, sizeof name);
    drop_indices(name);
    size_t length = strlen(c->unimplemented);
    if (is_listed(c->unimplemented, name) || length + strlen(name) + 3 > c->unimplemented_size)
        return;
    snprintf(c->unimplemented + length, c->unimplemented_size - length, "%s%s", length ? ", " : "",
             name);
}

static vo_result fill_in(checker *c, const vo_json_cursor *object, const vo_key *key) {
    char path[256];
    vo_json_path(vo_json_get(object, key->name), path, sizeof path);
    VO_TRY(vo_json_set(c->doc, path, key->fallback));
    if (key->kind != VO_KEY_OBJECT && key->kind != VO_KEY_FILE) return VO_OK;
    return check_object(c, vo_json_get(object, key->name), key->object, true);
}

/* Checks one key of an object. `acted`: no object around it is unimplemented. */
static vo_result check_key(checker *c, const vo_json_cursor *object, const vo_key *key,
                           bool acted) {
    vo_json_cursor value = vo_json_get(object, key->name);
    bool acted_here = acted && !key->unimplemented;
    if (!vo_json_is_present(value)) {
        if (key->required) return vo_json_fail(value, "is missing");
        return acted_here && key->fallback ? fill_in(c, object, key) : VO_OK;
    }
    if (acted && key->unimplemented) note_unimplemented(c, value);
    return check_value(c, value, key, acted_here);
}

/* Fails on a key that has been renamed and names the new key. */
static vo_result check_former_names(vo_json_cursor at, const vo_key *keys) {
    for (; keys->name; keys++) {
        if (!keys->former || !vo_has(&at, keys->former)) continue;
        return vo_json_fail(vo_json_get(&at, keys->former), "unknown key; it is now named \"%s\"",
                            keys->name);
    }
    return VO_OK;
}

static vo_result check_object(checker *c, vo_json_cursor at, const vo_key *keys, bool acted) {
    const char *names[MAX_KEYS + 1] = {NULL};
    for (int i = 0; keys[i].name && i < MAX_KEYS; i++) names[i] = keys[i].name;
    VO_TRY(expect_present(at, "an object"));
    VO_TRY(check_former_names(at, keys));
    VO_TRY(vo_json_check_keys(at, names));
    for (; keys->name; keys++) VO_TRY(check_key(c, &at, keys, acted));
    return VO_OK;
}

vo_result vo_scene_check_part(vo_json_doc *doc, vo_json_cursor at, const vo_key *keys) {
    char unimplemented[2] = "";
    checker c = {doc, unimplemented, sizeof unimplemented};
    return check_object(&c, at, keys, true);
}

vo_result vo_scene_check_document(vo_json_doc *doc, const vo_key *keys) {
    return vo_scene_check_part(doc, vo_json_root(doc), keys);
}

vo_result vo_scene_check(vo_json_doc *doc, char *unimplemented, size_t size) {
    checker c = {doc, unimplemented, size};
    unimplemented[0] = 0;
    return check_object(&c, vo_json_root(doc), vo_scene_keys, true);
}

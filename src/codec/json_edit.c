/* Writers of JSON documents: set members, append elements. */
#include "codec/json.h"
#include "codec/json_private.h"
#include "codec/number.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool vo_json_attach(json_object *container, const char *key, json_object *value) {
    int failed = key ? json_object_object_add(container, key, value)
                     : json_object_array_add(container, value);
    if (failed) json_object_put(value);
    return !failed;
}

static vo_result no_memory(const vo_json_cursor *in) { return vo_fail_memory(in->ctx, in->file); }

static vo_result check_container(const vo_json_cursor *in, const char *key) {
    if (vo_json_kind(*in) == (key ? VO_JSON_OBJECT : VO_JSON_ARRAY)) return VO_OK;
    return vo_fail(in->ctx, VO_BAD_ARGUMENT, "%s: cannot put \"%s\" into %s", in->file,
                   key ? key : "[]", vo_json_kind_name(*in));
}

/* Takes ownership of a new value; NULL means that its allocation failed. */
static vo_result put_value(const vo_json_cursor *in, const char *key, json_object *value) {
    if (!value) return no_memory(in);
    vo_result result = check_container(in, key);
    if (result != VO_OK) {
        json_object_put(value);
        return result;
    }
    return vo_json_attach(in->value, key, value) ? VO_OK : no_memory(in);
}

int vo_json_format_real(double value, char out[32]) {
    if (isnan(value)) return snprintf(out, 32, "\"nan\"");
    if (isinf(value)) return snprintf(out, 32, value < 0 ? "\"-inf\"" : "\"inf\"");
    return (int)vo_number_write(value, out);
}

static json_object *new_real(double value) {
    if (isfinite(value)) return json_object_new_double(value);
    return json_object_new_string(isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
}

vo_result vo_json_put_real(const vo_json_cursor *in, const char *key, double value) {
    return put_value(in, key, new_real(value));
}

vo_result vo_json_put_int(const vo_json_cursor *in, const char *key, int value) {
    return put_value(in, key, json_object_new_int(value));
}

vo_result vo_json_put_bool(const vo_json_cursor *in, const char *key, bool value) {
    return put_value(in, key, json_object_new_boolean(value));
}

vo_result vo_json_put_string(const vo_json_cursor *in, const char *key, const char *value) {
    if (!vo_json_is_utf8(value, strlen(value)))
        return vo_fail(in->ctx, VO_BAD_DATA, "%s: \"%.200s\" is not UTF-8", in->file, value);
    return put_value(in, key, json_object_new_string(value));
}

vo_result vo_json_put_reals(const vo_json_cursor *in, const char *key, const double *value,
                            int count) {
    json_object *array = json_object_new_array();
    for (int i = 0; array && i < count; i++) {
        json_object *item = new_real(value[i]);
        if (item && vo_json_attach(array, NULL, item)) continue;
        json_object_put(array);
        return no_memory(in);
    }
    return put_value(in, key, array);
}

/* Puts a new container and sets *out to its cursor. */
static vo_result put_container(const vo_json_cursor *in, const char *key, json_object *value,
                               vo_json_cursor *out) {
    VO_TRY(put_value(in, key, value));
    *out = key ? vo_json_get(in, key) : vo_json_item(in, vo_json_length(*in) - 1);
    return VO_OK;
}

vo_result vo_json_put_object(const vo_json_cursor *in, const char *key, vo_json_cursor *out) {
    return put_container(in, key, json_object_new_object(), out);
}

vo_result vo_json_put_array(const vo_json_cursor *in, const char *key, vo_json_cursor *out) {
    return put_container(in, key, json_object_new_array(), out);
}

vo_result vo_json_put_copy(const vo_json_cursor *in, const char *key, vo_json_cursor source) {
    json_object *copy = NULL;
    if (vo_json_kind(source) == VO_JSON_ABSENT) return VO_OK;
    VO_TRY(check_container(in, key));
    if (!source.value) return vo_json_attach(in->value, key, NULL) ? VO_OK : no_memory(in);
    if (json_object_deep_copy(source.value, &copy, NULL) != 0) return no_memory(in);
    return put_value(in, key, copy);
}

void vo_json_remove(const vo_json_cursor *object, const char *key) {
    if (vo_json_kind(*object) == VO_JSON_OBJECT) json_object_object_del(object->value, key);
}

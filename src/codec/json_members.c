/* Iteration over the members of an object. */
#include "codec/json.h"

#include <json-c/json.h>

int vo_json_member_count(vo_json_cursor object) {
    if (!json_object_is_type(object.value, json_type_object)) return 0;
    return json_object_object_length(object.value);
}

vo_json_cursor vo_json_member(const vo_json_cursor *object, int index) {
    vo_json_cursor at = vo_json_get(object, "");
    at.value = NULL;
    if (!json_object_is_type(object->value, json_type_object)) return at;
    struct json_object_iterator i = json_object_iter_begin(object->value);
    struct json_object_iterator end = json_object_iter_end(object->value);
    for (; !json_object_iter_equal(&i, &end); json_object_iter_next(&i)) {
        if (index-- > 0) continue;
        at.key = json_object_iter_peek_name(&i);
        at.value = json_object_iter_peek_value(&i);
        break;
    }
    return at;
}

/* Values per base vertex: painted maps from a JSON file, attachments by label. */
#include "codec/json.h"
#include "cook/cook.h"
#include "core/memory.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    float low, high, none;
} map_info[] = {
#define X(name, low, high, none) {#name, (low), (high), (none)},
    VO_COOK_MAPS(X)
#undef X
};

/* Returns a map, created with its neutral value; NULL without memory. */
static float *need_map(vo_cooking *c, vo_cook_map map) {
    if (c->map[map]) return c->map[map];
    float *values = c->map[map] = vo_new_array(c->ctx, float, c->base->node_count);
    for (int n = 0; values && n < c->base->node_count; n++) values[n] = map_info[map].none;
    return values;
}

/* ---- painted maps ---------------------------------------------------------------------------- */

static vo_result read_map(vo_cooking *c, vo_json_cursor array, vo_cook_map map) {
    int count = c->base->node_count;
    if (!vo_json_is_present(array)) return VO_OK;
    if (vo_json_kind(array) != VO_JSON_ARRAY)
        return vo_json_fail(array, "expected an array of %d numbers, found %s", count,
                            vo_json_kind_name(array));
    if (vo_json_length(array) != count)
        return vo_json_fail(array,
                            "has %d values, but the base mesh has %d vertices; paint the map on "
                            "the base mesh of this garment",
                            vo_json_length(array), count);
    float *values = need_map(c, map);
    if (!values) return vo_fail_memory(c->ctx, "painted maps");
    for (int n = 0; n < count; n++) {
        vo_json_cursor item = vo_json_item(&array, n);
        double value = (double)map_info[map].none;
        if (!vo_json_is_present(item)) continue; /* null: the neutral value */
        VO_TRY(vo_json_read_real(item, &value));
        if (!(value >= (double)map_info[map].low && value <= (double)map_info[map].high))
            return vo_json_fail(item, "is %g; set it to %g to %g", value, (double)map_info[map].low,
                                (double)map_info[map].high);
        values[n] = (float)value;
    }
    return VO_OK;
}

static vo_result read_document(vo_cooking *c, const vo_json_doc *doc) {
    const char *keys[VO_COOK_MAP_COUNT + 1] = {NULL};
    vo_json_cursor root = vo_json_root(doc);
    for (int i = 0; i < VO_COOK_MAP_COUNT; i++) keys[i] = map_info[i].name;
    if (vo_json_kind(root) != VO_JSON_OBJECT)
        return vo_json_fail(root, "expected an object with painted maps, found %s",
                            vo_json_kind_name(root));
    VO_TRY(vo_json_check_keys(root, keys));
    for (int i = 0; i < VO_COOK_MAP_COUNT; i++)
        VO_TRY(read_map(c, vo_json_get(&root, keys[i]), (vo_cook_map)i));
    return VO_OK;
}

vo_result vo_cook_read_maps(vo_cooking *c) {
    vo_json_doc doc;
    if (!c->def->maps) return VO_OK;
    VO_TRY(vo_json_load(c->ctx, c->def->maps, &doc));
    vo_result result = read_document(c, &doc);
    vo_json_free(&doc);
    return result;
}

/* ---- attachments ----------------------------------------------------------------------------- */

/* Attaches the nodes of a label; returns their number, or -1 without memory. */
static int attach_label(vo_cooking *c, int label, float weight) {
    float *map = need_map(c, VO_COOK_MAP_attachment);
    int count = 0;
    if (!map) return -1;
    for (int n = 0; n < c->base->node_count; n++) {
        if (c->base->node_label[n] != label) continue;
        if (map[n] < weight) map[n] = weight;
        count++;
    }
    return count;
}

/* Splits "NAME=WEIGHT"; false if the weight is not in (0, 1]. */
static bool split_weight(const char *text, size_t *length, float *weight) {
    const char *equals = strrchr(text, '=');
    *length = equals ? (size_t)(equals - text) : strlen(text);
    *weight = 1;
    if (!equals) return true;
    char *end;
    double value = strtod(equals + 1, &end);
    *weight = (float)value;
    return end != equals + 1 && *end == 0 && value > 0 && value <= 1;
}

/* Index of a label by name (pattern) or number (mesh); 0: there is none. */
static int find_label(const vo_cooking *c, const char *name, size_t length) {
    for (int i = 0; i < c->label_count; i++)
        if (strlen(c->label[i]) == length && strncmp(c->label[i], name, length) == 0) return i + 1;
    if (c->is_pattern || length == 0 || length > 9) return 0;
    int number = 0;
    for (size_t i = 0; i < length; i++) {
        if (name[i] < '0' || name[i] > '9') return 0;
        number = 10 * number + (name[i] - '0');
    }
    return number;
}

static vo_result fail_label(const vo_cooking *c, int index) {
    char names[400] = "";
    size_t used = 0;
    for (int i = 0; i < c->label_count; i++) {
        size_t length = strlen(c->label[i]);
        if (used + length + 3 > sizeof names) break;
        if (used) names[used++] = ',', names[used++] = ' ';
        memcpy(names + used, c->label[i], length);
        used += length;
        names[used] = 0;
    }
    if (!c->is_pattern)
        return vo_fail(
            c->ctx, VO_BAD_DATA,
            "%s: attachments[%d]: no node has the label \"%.100s\"; use a number that an "
            "nl line of the file assigns",
            c->def->input, index, c->def->attachments[index]);
    return vo_fail(c->ctx, VO_BAD_DATA,
                   "%s: attachments[%d]: no node has the label \"%.100s\"; %s%s", c->def->input,
                   index, c->def->attachments[index],
                   used ? "its labels are " : "it has no labels, add one to \"labels\"", names);
}

/* Reads an attachment; *label is 0 if there is none of this name. */
static vo_result parse_attachment(const vo_cooking *c, int index, int *label, float *weight) {
    const char *text = c->def->attachments[index];
    size_t length;
    if (!text || !split_weight(text, &length, weight))
        return vo_fail(c->ctx, VO_BAD_ARGUMENT,
                       "attachments[%d] is \"%.100s\"; the weight after = must be above 0, up to 1",
                       index, text ? text : "");
    *label = find_label(c, text, length);
    return VO_OK;
}

vo_result vo_cook_check_attachments(const vo_cooking *c) {
    for (int i = 0; i < c->def->attachment_count; i++) {
        int label;
        float weight;
        VO_TRY(parse_attachment(c, i, &label, &weight));
        if (label == 0) return fail_label(c, i);
    }
    return VO_OK;
}

static vo_result attach_by_name(vo_cooking *c, int index) {
    int label;
    float weight;
    VO_TRY(parse_attachment(c, index, &label, &weight));
    int count = label > 0 ? attach_label(c, label, weight) : 0;
    if (count < 0) return vo_fail_memory(c->ctx, "attachments");
    return count > 0 ? VO_OK : fail_label(c, index);
}

vo_result vo_cook_attach(vo_cooking *c) {
    for (int i = 0; i < c->label_count; i++)
        if (c->pinned[i] && attach_label(c, i + 1, 1) < 0)
            return vo_fail_memory(c->ctx, "attachments");
    for (int i = 0; i < c->def->attachment_count; i++) VO_TRY(attach_by_name(c, i));
    return VO_OK;
}

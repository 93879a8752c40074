/* Finds the tracks of a glTF file with step interpolation. Assimp provides it only since 5.3, so
 * the JSON is parsed here. Unexpected content is ignored: this file does not validate. */
#include "character/import/build.h"
#include "codec/json.h"

#include <stdio.h>
#include <string.h>

/* Finds the JSON: the first chunk of a binary file, after headers of 12 and 8 bytes, or the whole
 * text. */
static void find_text(const vo_bytes *bytes, const char **text, size_t *size) {
    bool binary = bytes->size >= 20 && memcmp(bytes->data, "glTF", 4) == 0;
    *text = bytes->data + (binary ? 20 : 0);
    *size = bytes->size - (binary ? 20 : 0);
    if (!binary) return;
    const unsigned char *b = (const unsigned char *)bytes->data + 12;
    size_t length = b[0] | (size_t)b[1] << 8 | (size_t)b[2] << 16 | (size_t)b[3] << 24;
    if (length < *size) *size = length;
}

/* Quick test, since most files have no steps and may be large. */
static bool contains_steps(const char *text, size_t size) {
    static const char word[] = "\"STEP\"";
    const size_t length = sizeof word - 1;
    for (const char *at = text, *end = text + size; (size_t)(end - at) >= length; at++) {
        at = memchr(at, '"', (size_t)(end - at));
        if (!at || (size_t)(end - at) < length) return false;
        if (memcmp(at, word, length) == 0) return true;
    }
    return false;
}

static int read_index(const vo_json_cursor *object, const char *key) {
    int index = -1;
    (void)vo_json_read_int(vo_json_get(object, key), &index);
    return index;
}

static bool is_word(const vo_json_cursor *object, const char *key, const char *word) {
    const char *text = "";
    (void)vo_json_read_string(vo_json_get(object, key), &text);
    return strcmp(text, word) == 0;
}

/* Returns 0 for translation, 1 for rotation, 2 for scale, as in vo_raw_track; -1: other. */
static int read_kind(const vo_json_cursor *target) {
    static const char *const words[] = {"translation", "rotation", "scale"};
    for (int k = 0; k < 3; k++)
        if (is_word(target, "path", words[k])) return k;
    return -1;
}

/* Names a node as Assimp does if it has no name. */
static void name_node(const vo_json_cursor *root, int node, char *out, size_t size) {
    vo_json_cursor nodes = vo_json_get(root, "nodes");
    snprintf(out, size, "nodes[%d]", node);
    if (node < 0 || node >= vo_json_length(nodes)) return;
    vo_json_cursor at = vo_json_item(&nodes, node);
    const char *name = "";
    (void)vo_json_read_string(vo_json_get(&at, "name"), &name);
    if (name[0]) snprintf(out, size, "%s", name);
}

/* Marks the tracks of a node. Names may be repeated, and tracks without keys are skipped. */
static void mark_tracks(const vo_raw_file *file, const vo_raw_clip *clip, const char *node,
                        int kind) {
    for (int64_t i = 0; i < clip->track_count; i++) {
        vo_raw_track *track = &clip->track[i];
        if (track->node >= 0 && track->count[kind] > 0 &&
            strcmp(file->node[track->node].name, node) == 0)
            track->is_stepped[kind] = true;
    }
}

static void read_channel(const vo_json_cursor *root, const vo_json_cursor *animation,
                         const vo_json_cursor *channel, const vo_raw_file *file,
                         const vo_raw_clip *clip) {
    char name[1024];
    vo_json_cursor samplers = vo_json_get(animation, "samplers");
    int index = read_index(channel, "sampler");
    if (index < 0 || index >= vo_json_length(samplers)) return;
    vo_json_cursor sampler = vo_json_item(&samplers, index),
                   target = vo_json_get(channel, "target");
    int kind = read_kind(&target);
    if (kind < 0 || !is_word(&sampler, "interpolation", "STEP")) return;
    name_node(root, read_index(&target, "node"), name, sizeof name);
    mark_tracks(file, clip, name, kind);
}

/* Marks all stepped tracks; Assimp keeps the order of the animations. */
static void read_steps(const vo_json_cursor *root, const vo_raw_file *file) {
    vo_json_cursor animations = vo_json_get(root, "animations");
    if (vo_json_length(animations) != file->clip_count) return;
    for (int i = 0; i < file->clip_count; i++) {
        vo_json_cursor animation = vo_json_item(&animations, i);
        vo_json_cursor channels = vo_json_get(&animation, "channels");
        for (int k = 0; k < vo_json_length(channels); k++) {
            vo_json_cursor channel = vo_json_item(&channels, k);
            read_channel(root, &animation, &channel, file, &file->clip[i]);
        }
    }
}

vo_result vo_import_mark_stepped_tracks(vo_context *ctx, const char *path, vo_raw_file *file) {
    vo_bytes bytes;
    const char *text;
    size_t size;
    VO_TRY(vo_file_read(ctx, path, &bytes));
    find_text(&bytes, &text, &size);
    vo_json_doc doc = {0};
    vo_result result = VO_OK;
    if (contains_steps(text, size)) result = vo_json_parse(ctx, path, text, size, &doc);
    if (result == VO_OK && doc.root) {
        vo_json_cursor root = vo_json_root(&doc);
        read_steps(&root, file);
    }
    vo_json_free(&doc);
    vo_bytes_free(ctx, &bytes);
    return result == VO_NO_MEMORY ? result : VO_OK;
}

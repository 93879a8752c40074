#include "run/reader.h"

#include "core/memory.h"

#include <stdio.h>
#include <string.h>

/* ---- files ---------------------------------------------------------------------------------- */

static void free_files(vo_context *ctx, vo_run_files *files) {
    vo_free_array(ctx, files->segment, files->segment_capacity);
    vo_free_array(ctx, files->override_text, files->override_capacity);
    vo_frame_list_free(ctx, &files->frames);
    vo_stats_list_free(ctx, &files->stats);
    vo_json_free(&files->scene);
    vo_bytes_free(ctx, &files->scene_text);
    *files = (vo_run_files){0};
}

static vo_result read_scene(vo_context *ctx, const char *folder, vo_run_files *out) {
    char path[VO_PATH_SIZE];
    vo_folder_scene(path, sizeof path, folder);
    VO_TRY(vo_file_read(ctx, path, &out->scene_text));
    VO_TRY(vo_json_parse(ctx, path, out->scene_text.data, out->scene_text.size, &out->scene));
    vo_json_cursor root = vo_json_root(&out->scene);
    return vo_json_read_int(vo_json_get(&root, "start_frame"), &out->start_frame);
}

/* Begins a segment at a frame, unless the last one begins there. */
static vo_result begin_segment(vo_context *ctx, int frame, vo_run_files *out) {
    vo_segment *last = out->segment_count ? &out->segment[out->segment_count - 1] : NULL;
    if (last && last->first_frame == frame) return VO_OK;
    if (!vo_reserve(ctx, &out->segment, &out->segment_capacity, out->segment_count + 1))
        return vo_fail_memory(ctx, "the segments of the run");
    if (out->segment_count) out->segment[out->segment_count - 1].last_frame = frame - 1;
    out->segment[out->segment_count++] = (vo_segment){.first_frame = frame, .last_frame = -1};
    return VO_OK;
}

/* Adds the "set" list of an entry of "overrides" to the last segment. */
static vo_result add_overrides(vo_context *ctx, const vo_json_cursor *list, vo_run_files *out) {
    int count = vo_json_length(*list);
    if (!vo_reserve(ctx, &out->override_text, &out->override_capacity, out->override_count + count))
        return vo_fail_memory(ctx, "the overrides of the run");
    for (int i = 0; i < count; i++) {
        const char *text = "";
        VO_TRY(vo_json_read_string(vo_json_item(list, i), &text));
        out->override_text[out->override_count++] = text;
    }
    out->segment[out->segment_count - 1].override_count += count;
    return VO_OK;
}

static vo_result read_entry(vo_context *ctx, const vo_json_cursor *entry, vo_run_files *out) {
    int frame = 0, before = out->segment[out->segment_count - 1].first_frame;
    vo_json_cursor from = vo_json_get(entry, "from_frame"), list = vo_json_get(entry, "set");
    VO_TRY(vo_json_read_int(from, &frame));
    if (frame < before)
        return vo_json_fail(from, "is %d, but an earlier segment begins at frame %d", frame,
                            before);
    VO_TRY(begin_segment(ctx, frame, out));
    return add_overrides(ctx, &list, out);
}

static vo_result list_segments(vo_context *ctx, vo_run_files *out) {
    vo_json_cursor root = vo_json_root(&out->scene), list = vo_json_get(&root, "overrides");
    VO_TRY(begin_segment(ctx, out->start_frame, out));
    for (int i = 0; i < vo_json_length(list); i++) {
        vo_json_cursor entry = vo_json_item(&list, i);
        VO_TRY(read_entry(ctx, &entry, out));
    }
    const char *const *text = out->override_text; /* no longer reallocated */
    for (int i = 0; i < out->segment_count; i++) {
        out->segment[i].overrides = text;
        if (text) text += out->segment[i].override_count;
    }
    return VO_OK;
}

/* The statistics are read first: each line is written after its frame, so every line then has its
 * frame in the list. */
static vo_result read_files(vo_context *ctx, const char *folder, vo_run_files *out) {
    *out = (vo_run_files){0};
    vo_result result = vo_folder_need_run(ctx, folder);
    if (result == VO_OK) result = read_scene(ctx, folder, out);
    if (result == VO_OK) result = list_segments(ctx, out);
    if (result == VO_OK) result = vo_folder_read_stats(ctx, folder, &out->stats);
    if (result == VO_OK) result = vo_folder_list(ctx, folder, &out->frames);
    if (result != VO_OK) free_files(ctx, out);
    return result;
}

/* ---- open, refresh, close ------------------------------------------------------------------- */

vo_result vo_run_reader_open(vo_context *ctx, const char *folder, vo_run_reader **out) {
    if (out) *out = NULL;
    if (!ctx) return VO_BAD_ARGUMENT;
    if (!out) return vo_fail(ctx, VO_BAD_ARGUMENT, "out is NULL; it receives the reader");
    if (!folder) return vo_fail(ctx, VO_BAD_ARGUMENT, "folder is NULL; name the folder of a run");
    vo_run_reader *reader = vo_new(ctx, vo_run_reader);
    if (!reader) return vo_fail_memory(ctx, "a run reader");
    *reader = (vo_run_reader){.ctx = ctx, .frame = -1, .folder = vo_copy_string(ctx, folder)};
    vo_result result = reader->folder ? read_files(ctx, folder, &reader->files)
                                      : vo_fail_memory(ctx, "a run reader");
    if (result == VO_OK)
        *out = reader;
    else
        vo_run_reader_close(reader);
    return result;
}

void vo_run_reader_close(vo_run_reader *reader) {
    if (!reader) return;
    vo_run_segment_close(&reader->segment);
    free_files(reader->ctx, &reader->files);
    vo_free_string(reader->ctx, reader->folder);
    vo_delete(reader->ctx, reader);
}

static bool same_bytes(const vo_bytes *a, const vo_bytes *b) {
    return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

/* Segments follow from scene.json, so the loaded one remains valid while its text does. */
vo_result vo_run_reader_refresh(vo_run_reader *reader) {
    vo_run_files files;
    if (!reader) return VO_BAD_ARGUMENT;
    VO_TRY(read_files(reader->ctx, reader->folder, &files));
    if (!same_bytes(&files.scene_text, &reader->files.scene_text)) {
        vo_run_segment_close(&reader->segment);
        reader->frame = -1;
    }
    free_files(reader->ctx, &reader->files);
    reader->files = files;
    return VO_OK;
}

/* ---- contents ------------------------------------------------------------------------------- */

int vo_run_reader_frame_count(const vo_run_reader *reader) {
    return reader ? reader->files.frames.count : 0;
}

int vo_run_reader_frame_number(const vo_run_reader *reader, int i) {
    return i >= 0 && i < vo_run_reader_frame_count(reader) ? reader->files.frames.frame[i] : -1;
}

int vo_run_reader_find_frame(const vo_run_reader *reader, int frame) {
    return !reader ? -1 : vo_frame_list_find(&reader->files.frames, frame);
}

int vo_run_reader_start_frame(const vo_run_reader *reader) {
    return reader ? reader->files.start_frame : -1;
}

const vo_stats *vo_run_reader_find_stats(const vo_run_reader *reader, int frame) {
    return !reader ? NULL : vo_stats_list_find(&reader->files.stats, frame);
}

const char *vo_run_reader_scene_text(const vo_run_reader *reader) {
    return reader ? reader->files.scene_text.data : NULL;
}

int vo_run_reader_segment_count(const vo_run_reader *reader) {
    return reader ? reader->files.segment_count : 0;
}

vo_segment vo_run_reader_get_segment(const vo_run_reader *reader, int segment) {
    if (segment < 0 || segment >= vo_run_reader_segment_count(reader))
        return (vo_segment){.first_frame = -1, .last_frame = -1};
    return reader->files.segment[segment];
}

vo_result vo_run_reader_select_frames(const vo_run_reader *reader, int first, int last,
                                      vo_frame_list *out) {
    const vo_frame_list *all = &reader->files.frames;
    *out = (vo_frame_list){0};
    if (!vo_reserve(reader->ctx, &out->frame, &out->capacity, vo_max_int(all->count, 1)))
        return vo_fail_memory(reader->ctx, "the list of frames");
    for (int i = 0; i < all->count; i++)
        if (all->frame[i] >= first && (last < 0 || all->frame[i] <= last))
            out->frame[out->count++] = all->frame[i];
    if (out->count > 0) return VO_OK;
    vo_frame_list_free(reader->ctx, out);
    return vo_folder_fail_empty(reader->ctx, reader->folder, all->count);
}

/* ---- frames --------------------------------------------------------------------------------- */

static vo_result check_frame(const vo_run_reader *reader, int frame) {
    if (!reader) return VO_BAD_ARGUMENT;
    if (frame >= 0) return VO_OK;
    return vo_fail(reader->ctx, VO_BAD_ARGUMENT, "%s: frame must be at least 0, is %d",
                   reader->folder, frame);
}

/* Loads the scene of a frame; loading another segment discards the current frame. */
static vo_result seek(vo_run_reader *reader, int frame) {
    if (!vo_run_segment_contains(&reader->segment, frame)) reader->frame = -1;
    return vo_run_segment_seek(reader->ctx, reader->folder, frame, &reader->segment);
}

vo_result vo_run_reader_read_frame(vo_run_reader *reader, int frame) {
    VO_TRY(check_frame(reader, frame));
    VO_TRY(seek(reader, frame));
    reader->frame = -1;
    VO_TRY(vo_run_read_frame(reader->segment.sim, reader->folder, frame));
    reader->frame = frame;
    return VO_OK;
}

int vo_run_reader_current_frame(const vo_run_reader *reader) { return reader ? reader->frame : -1; }

double vo_run_reader_time(const vo_run_reader *reader) {
    return vo_run_reader_current_frame(reader) < 0 ? 0 : vo_sim_time(reader->segment.sim);
}

/* The simulation that holds the current frame, or NULL. */
static const vo_sim *current_sim(const vo_run_reader *reader) {
    return vo_run_reader_current_frame(reader) < 0 ? NULL : reader->segment.sim;
}

vo_mesh_view vo_run_reader_get_cloth(const vo_run_reader *reader, int cloth) {
    const vo_sim *sim = current_sim(reader);
    if (!sim || cloth < 0 || cloth >= sim->cloth_count) return (vo_mesh_view){0};
    return vo_sim_get_cloth(sim, cloth);
}

vo_mesh_view vo_run_reader_get_obstacle(const vo_run_reader *reader, int obstacle) {
    const vo_sim *sim = current_sim(reader);
    if (!sim || obstacle < 0 || obstacle >= sim->obstacle_count) return (vo_mesh_view){0};
    return vo_sim_get_obstacle(sim, obstacle);
}

vo_result vo_run_reader_sample_input_mesh(const vo_run_reader *reader, int cloth,
                                          vo_surface_kind surface, int count, vo_vec3 *positions,
                                          vo_vec3 *velocities) {
    if (!reader) return VO_BAD_ARGUMENT;
    if (reader->frame < 0)
        return vo_fail(reader->ctx, VO_BAD_ARGUMENT, "%s: no frame has been read; read one first",
                       reader->folder);
    return vo_sim_sample_input_mesh(reader->segment.sim, cloth, surface, count, positions,
                                    velocities);
}

/* ---- scene ---------------------------------------------------------------------------------- */

vo_result vo_run_reader_load_scene(vo_run_reader *reader, int frame, const vo_scene **out) {
    if (out) *out = NULL;
    VO_TRY(check_frame(reader, frame));
    if (!out) return vo_fail(reader->ctx, VO_BAD_ARGUMENT, "out is NULL; it receives the scene");
    VO_TRY(seek(reader, frame));
    *out = reader->segment.scene;
    return VO_OK;
}

/* Skips the number of an input of a run, which is stored as inputs/NUMBER-NAME. */
static const char *skip_number(const char *path, const char *name) {
    size_t digits = strspn(name, "0123456789");
    bool is_input = strncmp(path, "inputs/", 7) == 0 && digits > 0 && name[digits] == '-';
    return is_input ? name + digits + 1 : name;
}

/* The name of a file without folder and extension. */
static void copy_stem(const char *path, char *out, size_t size) {
    const char *slash = strrchr(path, '/');
    const char *name = skip_number(path, slash ? slash + 1 : path);
    const char *dot = strrchr(name, '.');
    int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    snprintf(out, size, "%.*s", length, name);
}

/* The text that names a value: itself, or `file` or `type` of an object. */
static vo_json_cursor find_name(const vo_json_cursor *value) {
    if (vo_json_kind(*value) != VO_JSON_OBJECT) return *value;
    vo_json_cursor file = vo_json_get(value, "file");
    return vo_json_kind(file) == VO_JSON_STRING ? file : vo_json_get(value, "type");
}

/* Names item `i` of an array of the scene by the first of `keys` whose value is a string, or an
 * object with a string `file` or `type`; false if there is none. */
static bool name_item(const vo_scene *scene, const char *array, int i, const char *const keys[],
                      char *out, size_t size) {
    vo_json_cursor root = vo_json_root(&scene->resolved), list = vo_json_get(&root, array);
    if (i < 0 || i >= vo_json_length(list)) return false;
    vo_json_cursor item = vo_json_item(&list, i);
    for (int k = 0; keys[k]; k++) {
        const char *text = "";
        vo_json_cursor value = vo_json_get(&item, keys[k]), at = find_name(&value);
        if (vo_json_kind(at) != VO_JSON_STRING || vo_json_read_string(at, &text) != VO_OK) continue;
        char stem[VO_PATH_SIZE];
        copy_stem(text, stem, sizeof stem);
        if (!stem[0]) continue; /* of a path that ends with a slash */
        snprintf(out, size, "%s", stem);
        return true;
    }
    return false;
}

static int item_count(const vo_scene *scene, const char *array) {
    vo_json_cursor root = vo_json_root(&scene->resolved);
    return vo_json_length(vo_json_get(&root, array));
}

/* Cloths are loaded first, then garments. */
const char *vo_run_reader_cloth_name(const vo_run_reader *reader, int cloth, char *out,
                                     size_t size) {
    static const char *const cloth_keys[] = {"mesh", NULL};
    static const char *const garment_keys[] = {"pattern", "mesh", NULL};
    const vo_scene *scene = reader ? reader->segment.scene : NULL;
    if (!out || size == 0) return out;
    snprintf(out, size, "cloth %d", cloth);
    if (scene && cloth < scene->cloth_count &&
        !name_item(scene, "cloths", cloth, cloth_keys, out, size))
        (void)name_item(scene, "garments", cloth - item_count(scene, "cloths"), garment_keys, out,
                        size);
    return out;
}

/* Obstacles are loaded first, then characters. */
const char *vo_run_reader_obstacle_name(const vo_run_reader *reader, int obstacle, char *out,
                                        size_t size) {
    static const char *const obstacle_keys[] = {"mesh", "shape", NULL};
    static const char *const character_keys[] = {"body", NULL};
    const vo_scene *scene = reader ? reader->segment.scene : NULL;
    if (!out || size == 0) return out;
    snprintf(out, size, "obstacle %d", obstacle);
    if (!scene || obstacle >= scene->obstacle_count) return out;
    int characters = obstacle - item_count(scene, "obstacles");
    if (characters < 0)
        (void)name_item(scene, "obstacles", obstacle, obstacle_keys, out, size);
    else
        (void)name_item(scene, "characters", characters, character_keys, out, size);
    return out;
}

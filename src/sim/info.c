/* What a run came to, from its statistics. Lines and frames are joined by their numbers: a line of
 * a frame that is not there says nothing about the run. */
#include "sim/folder.h"
#include "sim/sim.h"
#include "view/budget.h"

#include <voile/run.h>

#include <stdio.h>
#include <string.h>

static void add_to_range(vo_range *range, double value, int count_before) {
    if (count_before == 0) *range = (vo_range){value, value, 0};
    range->min = vo_min(range->min, value);
    range->max = vo_max(range->max, value);
    range->mean += (value - range->mean) / (count_before + 1);
}

/* A line that was made good after a crash has no times. */
static bool has_times(const vo_stats *s) { return s->wall_s > 0; }

static void add_frame_times(vo_run_info *info, const vo_stats *s, int count_before) {
    add_to_range(&info->wall_s, s->wall_s, count_before);
#define X(name, meaning) \
    info->stage_mean_s.name += (s->stage.name - info->stage_mean_s.name) / (count_before + 1);
    VO_STAGES(X)
#undef X
}

/* Frame 0 took what came before the film. */
static void add_times(vo_run_info *info, const vo_stats *s) {
    if (!has_times(s)) return;
    info->wall_total_s += s->wall_s;
    if (s->frame == 0)
        info->start_s = s->wall_s;
    else
        add_frame_times(info, s, info->timed++);
}

static void add_frames(vo_run_info *info, const vo_stats_list *list) {
    for (int i = 0; i < list->count; i++) {
        const vo_stats *s = &list->stats[i];
        add_to_range(&info->faces, s->faces, i);
        add_to_range(&info->nodes, s->nodes, i);
        add_to_range(&info->verts, s->verts, i);
        info->max_strain = vo_max(info->max_strain, s->max_strain);
        info->max_intersections = vo_max_int(info->max_intersections, s->intersections);
        info->max_inside_nodes = vo_max_int(info->max_inside_nodes, s->inside_nodes);
        add_times(info, s);
    }
    info->described = list->count;
}

/* Appends a copy of the text to an array of *count strings. */
static vo_result add_text(vo_context *ctx, int *count, char ***list, const char *text) {
    char **grown = vo_new_array(ctx, char *, *count + 1);
    char *copy = vo_copy_string(ctx, text);
    if (!grown || !copy) {
        vo_free_array(ctx, grown, *count + 1);
        vo_free_string(ctx, copy);
        return vo_fail_memory(ctx, "what is known of the run");
    }
    for (int i = 0; i < *count; i++) grown[i] = (*list)[i];
    vo_free_array(ctx, *list, *count);
    grown[(*count)++] = copy;
    *list = grown;
    return VO_OK;
}

static vo_result add_warning(vo_context *ctx, vo_run_info *info, const char *text) {
    return add_text(ctx, &info->warnings, &info->warning, text);
}

/* Counters that a user should know of when they are not zero: X(field, sentence). */
#define WORTH_A_WARNING(X)                                                             \
    X(held_steps, "substeps could not be solved; the cloth was held still in them")    \
    X(step_cuts, "substeps had to be cut in half")                                     \
    X(direct_solves, "systems did not converge and went to the direct solver")         \
    X(beyond_limits, "times a face ended a frame more than 0.01 beyond strain_limits") \
    X(cut_nodes, "times a node went only part of its way to avoid a collision")        \
    X(stopped_nodes, "times a node was held to avoid a collision")                     \
    X(yielded_nodes, "times a node of an obstacle had to fall behind, for want of room")

/* "1 frame", "2 frames" */
static const char *plural(long count) { return count == 1 ? "" : "s"; }

static vo_result warn_of_trouble(vo_context *ctx, vo_run_info *info, const vo_stats_list *list) {
#define X(field, sentence)                                                              \
    {                                                                                   \
        long total = 0, frames = 0;                                                     \
        char text[256];                                                                 \
        for (int i = 0; i < list->count; i++) {                                         \
            total += list->stats[i].field;                                              \
            frames += list->stats[i].field != 0;                                        \
        }                                                                               \
        snprintf(text, sizeof text, "%ld %s (in %ld frame%s)", total, sentence, frames, \
                 plural(frames));                                                       \
        if (total) VO_TRY(add_warning(ctx, info, text));                                \
    }
    WORTH_A_WARNING(X)
#undef X
    return VO_OK;
}

/* What a budget leaves alone is not worth a word. Where edges are at their longest no budget of
 * that size can be held; otherwise it was only late. */
static vo_result warn_of_budget(vo_context *ctx, vo_run_info *info, const vo_stats_list *list) {
    double most = 0, dead = vo_budget_def_default().dead;
    char text[256], rest[128] = "";
    int frames = 0, missed = 0;
    for (int i = 0; i < list->count; i++) {
        frames += list->stats[i].budget_excess > dead;
        missed += list->stats[i].budget_missed != 0;
        most = vo_max(most, list->stats[i].budget_excess);
    }
    if (missed)
        snprintf(rest, sizeof rest, "; %d of them with the longest edges that a budget asks for",
                 missed);
    snprintf(text, sizeof text,
             "%d frame%s above view.budget_faces or view.budget_seconds, by up to %.0f %%%s",
             frames, frames == 1 ? " is" : "s are", 100 * most, rest);
    return frames ? add_warning(ctx, info, text) : VO_OK;
}

/* ---- frames and their lines ----------------------------------------------------------------- */

/* Keeps the frames whose head and table are whole, and warns of the others. */
static vo_result keep_intact(vo_context *ctx, const char *folder, vo_frame_list *frames,
                             vo_run_info *info) {
    int kept = 0;
    for (int i = 0; i < frames->count; i++) {
        vo_vof_reader *reader;
        vo_result result = vo_folder_peek_frame(ctx, folder, frames->frame[i], &reader);
        vo_vof_close(reader);
        if (result == VO_NO_MEMORY) return result;
        if (result == VO_OK)
            frames->frame[kept++] = frames->frame[i];
        else
            VO_TRY(add_warning(ctx, info, ctx->message));
    }
    frames->count = kept;
    return VO_OK;
}

static int index_of_frame(const vo_frame_list *frames, int frame) {
    int low = 0, high = frames->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (frames->frame[middle] < frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low < frames->count && frames->frame[low] == frame ? low : -1;
}

/* One line for each frame that has any, in the order of the frames; of several the last. */
static void join_lines(const vo_frame_list *frames, const vo_stats_list *lines, int *line_of,
                       vo_stats_list *out) {
    for (int i = 0; i < frames->count; i++) line_of[i] = -1;
    for (int i = 0; i < lines->count; i++) {
        int at = index_of_frame(frames, lines->stats[i].frame);
        if (at >= 0) line_of[at] = i;
    }
    for (int i = 0; i < frames->count; i++)
        if (line_of[i] >= 0) out->stats[out->count++] = lines->stats[line_of[i]];
}

static vo_result join(vo_context *ctx, const vo_frame_list *frames, const vo_stats_list *lines,
                      vo_stats_list *out) {
    int count = frames->count;
    int *line_of = vo_new_array(ctx, int, count);
    bool ok = vo_reserve(ctx, &out->stats, &out->capacity, count) && (line_of || !count);
    if (ok) join_lines(frames, lines, line_of, out);
    vo_free_array(ctx, line_of, count);
    return ok ? VO_OK : vo_fail_memory(ctx, "the statistics");
}

static vo_result summarise(vo_context *ctx, const char *folder, vo_run_info *info,
                           const vo_frame_list *frames, const vo_stats_list *list) {
    int begin;
    VO_TRY(vo_folder_first_frame(ctx, folder, &begin));
    info->frames = frames->count;
    info->first_frame = frames->count ? frames->frame[0] : -1;
    info->last_frame = frames->count ? frames->frame[frames->count - 1] : -1;
    add_frames(info, list);
    char text[128];
    int missing = frames->count ? info->last_frame + 1 - begin - frames->count : 0;
    if (missing > 0) {
        snprintf(text, sizeof text,
                 "%d of the frames %d to %d are missing or damaged; "
                 "\"voile resume\" simulates them again",
                 missing, begin, info->last_frame);
        VO_TRY(add_warning(ctx, info, text));
    }
    if (list->count < frames->count) {
        int bare = frames->count - list->count;
        snprintf(text, sizeof text, "%d frame%s no line in stats.jsonl", bare,
                 bare == 1 ? " has" : "s have");
        VO_TRY(add_warning(ctx, info, text));
    }
    VO_TRY(warn_of_trouble(ctx, info, list));
    return warn_of_budget(ctx, info, list);
}

static vo_result read_frames(vo_context *ctx, const char *folder, vo_run_info *info) {
    vo_frame_list frames = {0};
    vo_stats_list lines = {0}, joined = {0};
    vo_result result = vo_folder_list(ctx, folder, &frames);
    if (result == VO_OK) result = keep_intact(ctx, folder, &frames, info);
    if (result == VO_OK) result = vo_folder_read_stats(ctx, folder, &lines);
    if (result == VO_OK) result = join(ctx, &frames, &lines, &joined);
    if (result == VO_OK) result = summarise(ctx, folder, info, &frames, &joined);
    vo_stats_list_free(ctx, &joined);
    vo_stats_list_free(ctx, &lines);
    vo_frame_list_free(ctx, &frames);
    return result;
}

/* ---- overrides ------------------------------------------------------------------------------ */

static vo_result add_override(vo_context *ctx, vo_run_info *info, int frame, const char *set) {
    size_t size = strlen(set) + 64;
    char *text = vo_alloc(ctx, size);
    if (!text) return vo_fail_memory(ctx, "the overrides");
    snprintf(text, size, "from frame %d: %s", frame, set);
    vo_result result = add_text(ctx, &info->overrides, &info->override_text, text);
    vo_free(ctx, text, size);
    return result;
}

static vo_result list_overrides(const vo_json_doc *scene, vo_run_info *info) {
    vo_json_at root = vo_json_root(scene), list = vo_json_get(&root, "overrides");
    for (int i = 0; i < vo_json_length(list); i++) {
        vo_json_at entry = vo_json_item(&list, i), sets = vo_json_get(&entry, "set");
        int frame = 0;
        VO_TRY(vo_json_read_int(vo_json_get(&entry, "from_frame"), &frame));
        for (int k = 0; k < vo_json_length(sets); k++) {
            const char *set = "";
            VO_TRY(vo_json_read_string(vo_json_item(&sets, k), &set));
            VO_TRY(add_override(scene->ctx, info, frame, set));
        }
    }
    return VO_OK;
}

/* What is wrong with scene.json is a warning here: the frames are there all the same. */
static vo_result read_overrides(vo_context *ctx, const char *folder, vo_run_info *info) {
    char path[VO_PATH_SIZE];
    vo_json_doc scene = {0};
    vo_folder_scene(path, sizeof path, folder);
    vo_result result = vo_json_load(ctx, path, &scene);
    if (result == VO_OK) result = list_overrides(&scene, info);
    vo_json_free(&scene);
    return result == VO_BAD_DATA ? add_warning(ctx, info, ctx->message) : result;
}

vo_result vo_run_get_info(vo_context *ctx, const char *folder, vo_run_info *out) {
    *out = (vo_run_info){0};
    VO_TRY(vo_folder_need_run(ctx, folder));
    vo_result result = read_frames(ctx, folder, out);
    if (result == VO_OK) result = read_overrides(ctx, folder, out);
    if (result != VO_OK) vo_run_info_free(ctx, out);
    return result;
}

static void free_texts(vo_context *ctx, int count, char **text) {
    for (int i = 0; i < count; i++) vo_free_string(ctx, text[i]);
    vo_free_array(ctx, text, count);
}

void vo_run_info_free(vo_context *ctx, vo_run_info *info) {
    free_texts(ctx, info->warnings, info->warning);
    free_texts(ctx, info->overrides, info->override_text);
    *info = (vo_run_info){0};
}

/* Summary of a run from its statistics. Lines of stats.jsonl without a frame are ignored. */
#include "core/memory.h"
#include "core/plural.h"
#include "run/frame_loop.h"
#include "run/reader.h"
#include "view/budget.h"

#include <voile/run.h>

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Updates minimum, maximum and running mean. */
static void add_to_range(vo_min_max_mean *range, double value, int count_before) {
    if (count_before == 0) *range = (vo_min_max_mean){value, value, 0};
    range->min = vo_min(range->min, value);
    range->max = vo_max(range->max, value);
    range->mean += (value - range->mean) / (count_before + 1);
}

/* A line that was restored after a crash has no timings. */
static bool has_times(const vo_stats *s) { return s->wall_s > 0; }

static void add_frame_times(vo_run_info *info, const vo_stats *s, int count_before) {
    add_to_range(&info->wall_s, s->wall_s, count_before);
#define X(name, meaning) \
    info->stage_mean_s.name += (s->stage.name - info->stage_mean_s.name) / (count_before + 1);
    VO_STAGES(X)
#undef X
}

/* The time of frame 0 is that of set-up and preroll. */
static void add_times(vo_run_info *info, const vo_stats *s) {
    if (!has_times(s)) return;
    info->wall_total_s += s->wall_s;
    if (s->frame == 0)
        info->setup_s = s->wall_s;
    else
        add_frame_times(info, s, info->frames_with_timings++);
}

/* Maximum of two counts; -1 (not counted) if one of them is. */
static int max_count(int a, int b) { return a < 0 || b < 0 ? -1 : vo_max_int(a, b); }

static void add_frame(vo_run_info *info, const vo_stats *s) {
    int before = info->frames_with_stats++;
    add_to_range(&info->faces, s->faces, before);
    add_to_range(&info->nodes, s->nodes, before);
    add_to_range(&info->verts, s->verts, before);
    info->max_strain = vo_max(info->max_strain, s->max_strain);
    info->max_intersections = max_count(info->max_intersections, s->intersections);
    info->max_inside_nodes = vo_max_int(info->max_inside_nodes, s->inside_nodes);
    add_times(info, s);
}

/* Appends a copy of the text to an array of *count strings. */
static vo_result add_text(vo_context *ctx, int *count, char ***list, const char *text) {
    char **grown = vo_new_array(ctx, char *, *count + 1);
    char *copy = vo_copy_string(ctx, text);
    if (!grown || !copy) {
        vo_free_array(ctx, grown, *count + 1);
        vo_free_string(ctx, copy);
        return vo_fail_memory(ctx, "the summary of the run");
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

/* Counters that deserve a warning if they are not zero: X(field, text for one, text for several).
 */
#define WARNED_COUNTERS(X)                                                                   \
    X(frozen_substeps, "substep had no solution; the cloth was frozen in it",                \
      "substeps had no solution; the cloth was frozen in them")                              \
    X(step_halvings, "substep was halved", "substeps were halved")                           \
    X(direct_solves, "linear system did not converge and used the direct solver",            \
      "linear systems did not converge and used the direct solver")                          \
    X(beyond_limits, "time a face ended a frame more than 0.01 beyond strain_limits",        \
      "times a face ended a frame more than 0.01 beyond strain_limits")                      \
    X(truncated_nodes, "time the motion of a node was truncated to avoid a collision",       \
      "times the motion of a node was truncated to avoid a collision")                       \
    X(frozen_nodes, "time a node was frozen to avoid a collision",                           \
      "times a node was frozen to avoid a collision")                                        \
    X(lagging_nodes, "time a node of an obstacle lagged behind its motion for lack of room", \
      "times a node of an obstacle lagged behind its motion for lack of room")

/* Sum of a counter, given by its offset in vo_stats, over all frames; *frames: those where it is
 * not zero. */
static int64_t sum_counter(const vo_stats_list *list, size_t offset, int64_t *frames) {
    int64_t total = 0;
    *frames = 0;
    for (int i = 0; i < list->count; i++) {
        int value = *(const int *)(const void *)((const char *)&list->stats[i] + offset);
        total += value;
        *frames += value != 0;
    }
    return total;
}

static vo_result warn_counters(vo_context *ctx, vo_run_info *info, const vo_stats_list *list) {
    static const struct {
        size_t offset;
        const char *one, *many;
    } counters[] = {
#define X(field, one, many) {offsetof(vo_stats, field), one, many},
        WARNED_COUNTERS(X)
#undef X
    };
    for (size_t k = 0; k < sizeof counters / sizeof *counters; k++) {
        char text[256];
        int64_t frames, total = sum_counter(list, counters[k].offset, &frames);
        snprintf(text, sizeof text, "%s (in %lld frame%s)",
                 vo_count_words(total, counters[k].one, counters[k].many).s, (long long)frames,
                 vo_plural(frames));
        if (total) VO_TRY(add_warning(ctx, info, text));
    }
    return VO_OK;
}

/* The strain that vo_sim_step warns about. */
static vo_result warn_strain(vo_context *ctx, vo_run_info *info, const vo_stats_list *list) {
    char text[256];
    int frames = 0, first = 0;
    for (int i = 0; i < list->count; i++) {
        if (!(list->stats[i].max_strain > VO_MAX_PLAUSIBLE_STRAIN)) continue;
        if (frames++ == 0) first = list->stats[i].frame;
    }
    snprintf(text, sizeof text,
             "%s cloth stretched to more than twice its length, up to %.3g times, from frame %d on",
             vo_count_words(frames, "frame has", "frames have").s, 1 + info->max_strain, first);
    return frames ? add_warning(ctx, info, text) : VO_OK;
}

/* Excesses within the tolerance of the controller are ignored. Where edges have their maximum
 * length the budget cannot be met; otherwise the controller was only late. */
static vo_result warn_budget(vo_context *ctx, vo_run_info *info, const vo_stats_list *list) {
    double max_excess = 0, tolerance = vo_budget_def_default().dead_band;
    char text[256], rest[128] = "";
    int frames = 0, missed = 0;
    for (int i = 0; i < list->count; i++) {
        frames += list->stats[i].budget_excess > tolerance;
        missed += list->stats[i].budget_missed != 0;
        max_excess = vo_max(max_excess, list->stats[i].budget_excess);
    }
    if (missed)
        snprintf(rest, sizeof rest, "; in %d of them edges have their maximum length", missed);
    snprintf(text, sizeof text,
             "%d frame%s above view.budget_faces or view.budget_seconds, by up to %.0f %%%s",
             frames, frames == 1 ? " is" : "s are", 100 * max_excess, rest);
    return frames ? add_warning(ctx, info, text) : VO_OK;
}

/* ---- frames --------------------------------------------------------------------------------- */

/* Adds a frame with intact header and section table and its statistics, or a warning. */
static vo_result add_listed(const vo_run_reader *reader, int frame, vo_run_info *info,
                            vo_stats_list *list) {
    vo_vof_reader *file;
    vo_result result = vo_folder_peek_frame(reader->ctx, reader->folder, frame, &file);
    vo_vof_close(file);
    if (result == VO_NO_MEMORY) return result;
    if (result != VO_OK) return add_warning(reader->ctx, info, reader->ctx->message);
    const vo_stats *stats = vo_run_reader_find_stats(reader, frame);
    if (info->frames++ == 0) info->first_frame = frame;
    info->last_frame = frame;
    if (!stats) return VO_OK;
    add_frame(info, stats);
    list->stats[list->count++] = *stats;
    return VO_OK;
}

static vo_result warn_gaps(vo_context *ctx, int start_frame, vo_run_info *info) {
    char text[128];
    int missing = info->frames ? info->last_frame + 1 - start_frame - info->frames : 0;
    int bare = info->frames - info->frames_with_stats;
    if (missing > 0) {
        snprintf(text, sizeof text,
                 "%d of the frames %d to %d %s missing or damaged; resume the run to simulate "
                 "%s again",
                 missing, start_frame, info->last_frame, missing == 1 ? "is" : "are",
                 missing == 1 ? "it" : "them");
        VO_TRY(add_warning(ctx, info, text));
    }
    snprintf(text, sizeof text, "%d frame%s no line in stats.jsonl", bare,
             bare == 1 ? " has" : "s have");
    return bare > 0 ? add_warning(ctx, info, text) : VO_OK;
}

/* `list` receives the statistics of intact frames. */
static vo_result add_frames(const vo_run_reader *reader, vo_run_info *info, vo_stats_list *list) {
    const vo_frame_list *frames = &reader->files.frames;
    vo_frame_loop loop = {.ctx = reader->ctx, .folder = reader->folder};
    info->first_frame = info->last_frame = -1;
    if (!vo_reserve(reader->ctx, &list->stats, &list->capacity, frames->count))
        return vo_fail_memory(reader->ctx, "the statistics");
    for (int i = 0; i < frames->count; i++) {
        VO_TRY(vo_frame_loop_begin_frame(&loop, frames->frame[i]));
        VO_TRY(add_listed(reader, frames->frame[i], info, list));
        vo_report_work(reader->ctx, "summarising frames", i + 1, frames->count);
    }
    if (frames->count == 0) vo_report_work(reader->ctx, "summarising frames", 1, 1);
    VO_TRY(warn_gaps(reader->ctx, reader->files.start_frame, info));
    VO_TRY(warn_counters(reader->ctx, info, list));
    VO_TRY(warn_strain(reader->ctx, info, list));
    return warn_budget(reader->ctx, info, list);
}

/* ---- overrides ------------------------------------------------------------------------------ */

static vo_result add_override(vo_context *ctx, vo_run_info *info, int frame, const char *override) {
    size_t size = strlen(override) + 64;
    char *text = vo_alloc(ctx, size);
    if (!text) return vo_fail_memory(ctx, "the overrides");
    snprintf(text, size, "from frame %d: %s", frame, override);
    vo_result result = add_text(ctx, &info->overrides, &info->override_text, text);
    vo_free(ctx, text, size);
    return result;
}

static vo_result add_overrides(const vo_run_reader *reader, vo_run_info *info) {
    for (int i = 0; i < vo_run_reader_segment_count(reader); i++) {
        vo_segment segment = vo_run_reader_get_segment(reader, i);
        for (int k = 0; k < segment.override_count; k++)
            VO_TRY(add_override(reader->ctx, info, segment.first_frame, segment.overrides[k]));
    }
    return VO_OK;
}

vo_result vo_run_get_info(vo_context *ctx, const char *folder, vo_run_info *out) {
    vo_run_reader *reader;
    vo_stats_list list = {0};
    *out = (vo_run_info){0};
    VO_TRY(vo_run_reader_open(ctx, folder, &reader));
    vo_result result = add_frames(reader, out, &list);
    if (result == VO_OK) result = add_overrides(reader, out);
    vo_stats_list_free(ctx, &list);
    vo_run_reader_close(reader);
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

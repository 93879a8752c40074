/* What a run came to, from its statistics. */
#include "sim/folder.h"
#include "sim/sim.h"

#include <voile/run.h>

#include <stdio.h>

static void add_to_range(vo_range *range, double value, int count_before) {
    if (count_before == 0) *range = (vo_range){value, value, 0};
    range->min = vo_min(range->min, value);
    range->max = vo_max(range->max, value);
    range->mean += (value - range->mean) / (count_before + 1);
}

static void add_frame(vo_run_info *info, const vo_stats *s, int count_before) {
    add_to_range(&info->faces, s->faces, count_before);
    add_to_range(&info->nodes, s->nodes, count_before);
    add_to_range(&info->verts, s->verts, count_before);
    add_to_range(&info->wall_s, s->wall_s, count_before);
    info->wall_total_s += s->wall_s;
    info->max_strain = vo_max(info->max_strain, s->max_strain);
#define X(name, meaning) \
    info->stage_mean_s.name += (s->stage.name - info->stage_mean_s.name) / (count_before + 1);
    VO_STAGES(X)
#undef X
}

static vo_result add_warning(vo_context *ctx, vo_run_info *info, const char *text) {
    char **grown = vo_new_array(ctx, char *, info->warnings + 1);
    char *copy = vo_copy_string(ctx, text);
    if (!grown || !copy) {
        vo_free_array(ctx, grown, info->warnings + 1);
        vo_free_string(ctx, copy);
        return vo_fail_memory(ctx, "the warnings");
    }
    for (int i = 0; i < info->warnings; i++) grown[i] = info->warning[i];
    vo_free_array(ctx, info->warning, info->warnings);
    grown[info->warnings++] = copy;
    info->warning = grown;
    return VO_OK;
}

/* Counters that a user should know of when they are not zero: X(field, sentence). */
#define WORTH_A_WARNING(X)                                                          \
    X(held_steps, "substeps could not be solved; the cloth was held still in them") \
    X(step_cuts, "substeps had to be cut in half")                                  \
    X(direct_solves, "systems did not converge and went to the direct solver")

static vo_result warn_of_trouble(vo_context *ctx, vo_run_info *info, const vo_stats_list *list) {
#define X(field, sentence)                                                              \
    {                                                                                   \
        long total = 0, frames = 0;                                                     \
        char text[256];                                                                 \
        for (int i = 0; i < list->count; i++) {                                         \
            total += list->stats[i].field;                                              \
            frames += list->stats[i].field != 0;                                        \
        }                                                                               \
        snprintf(text, sizeof text, "%ld %s (in %ld frames)", total, sentence, frames); \
        if (total) VO_TRY(add_warning(ctx, info, text));                                \
    }
    WORTH_A_WARNING(X)
#undef X
    return VO_OK;
}

static vo_result summarise(vo_context *ctx, vo_run_info *info, const vo_frame_list *frames,
                           const vo_stats_list *list) {
    info->frames = frames->count;
    info->first_frame = frames->count ? frames->frame[0] : -1;
    info->last_frame = frames->count ? frames->frame[frames->count - 1] : -1;
    for (int i = 0; i < list->count; i++) add_frame(info, &list->stats[i], i);
    if (list->count < frames->count) {
        char text[128];
        snprintf(text, sizeof text, "%d frames have no line in stats.jsonl",
                 frames->count - list->count);
        VO_TRY(add_warning(ctx, info, text));
    }
    return warn_of_trouble(ctx, info, list);
}

vo_result vo_run_get_info(vo_context *ctx, const char *folder, vo_run_info *out) {
    *out = (vo_run_info){0};
    char path[VO_PATH_SIZE];
    vo_folder_scene(path, sizeof path, folder);
    if (!vo_file_exists(path))
        return vo_fail(ctx, VO_BAD_DATA, "%s is not the folder of a run: it has no scene.json",
                       folder);
    vo_frame_list frames = {0};
    vo_stats_list list = {0};
    vo_result result = vo_folder_list(ctx, folder, &frames);
    if (result == VO_OK) result = vo_folder_read_stats(ctx, folder, &list);
    if (result == VO_OK) result = summarise(ctx, out, &frames, &list);
    vo_stats_list_free(ctx, &list);
    vo_frame_list_free(ctx, &frames);
    if (result != VO_OK) vo_run_info_free(ctx, out);
    return result;
}

void vo_run_info_free(vo_context *ctx, vo_run_info *info) {
    for (int i = 0; i < info->warnings; i++) vo_free_string(ctx, info->warning[i]);
    vo_free_array(ctx, info->warning, info->warnings);
    *info = (vo_run_info){0};
}

#include "codec/json.h"
#include "core/memory.h"
#include "core/string_builder.h"
#include "run/compare.h"

#include <string.h>

/* ---- CSV ------------------------------------------------------------------------------------- */

/* Adds a quoted field (RFC 4180). */
static void add_quoted(vo_string_builder *text, const char *field) {
    vo_string_builder_add(text, "\"");
    for (const char *p = field; *p; p++) vo_string_builder_add(text, *p == '"' ? "\"\"" : "%c", *p);
    vo_string_builder_add(text, "\"");
}

static void add_row(vo_string_builder *text, const vo_run_comparison *run,
                    const vo_frame_comparison *frame) {
    add_quoted(text, run->name);
    vo_string_builder_add(text, ",%d", frame->frame);
    for (int f = 0; f < VO_COMPARE_FIELD_COUNT; f++) {
        double value = vo_compare_field_value(frame, f);
        vo_string_builder_add(text, isfinite(value) ? ",%.9g" : ",", value);
    }
    vo_string_builder_add(text, "\n");
}

/* One line per run and frame; unknown values are empty. */
static vo_result write_csv(vo_context *ctx, const vo_comparison *c, const char *path) {
    vo_string_builder text = {.ctx = ctx};
    vo_string_builder_add(&text, "run,frame");
    for (int f = 0; f < VO_COMPARE_FIELD_COUNT; f++)
        vo_string_builder_add(&text, ",%s", vo_compare_field_name(f));
    vo_string_builder_add(&text, "\n");
    for (int i = 0; i < c->run_count; i++)
        for (int k = 0; k < c->run[i].frame_count; k++)
            add_row(&text, &c->run[i], &c->run[i].frame[k]);
    return vo_string_builder_save(&text, path);
}

static void add_distribution(vo_string_builder *text, const vo_run_comparison *run,
                             const char *name, const vo_distribution *s) {
    add_quoted(text, run->name);
    vo_string_builder_add(text, ",%s,%d", name, s->frames);
    const double value[] = {s->min, s->p1, s->mean, s->p99, s->max};
    for (int i = 0; i < 5; i++)
        vo_string_builder_add(text, isfinite(value[i]) ? ",%.9g" : ",", value[i]);
    vo_string_builder_add(text, "\n");
}

/* One line per run and measure; the speed-up has a mean only. */
static vo_result write_distributions(vo_context *ctx, const vo_comparison *c, const char *path) {
    vo_string_builder text = {.ctx = ctx};
    vo_string_builder_add(&text, "run,measure,frames,min,p1,mean,p99,max\n");
    for (int i = 0; i < c->run_count; i++) {
        vo_run_comparison *run = &c->run[i];
        for (int f = 0; f < VO_COMPARE_FIELD_COUNT; f++)
            add_distribution(&text, run, vo_compare_field_name(f),
                             vo_compare_field_distribution(run, f));
        vo_distribution speed = {run->speed_up_frames, NAN, NAN, run->speed_up, NAN, NAN};
        add_distribution(&text, run, "slow_silhouette_iou", &run->slow_silhouette_iou);
        add_distribution(&text, run, "speed_up", &speed);
    }
    return vo_string_builder_save(&text, path);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static vo_result put_finite(const vo_json_cursor *in, const char *key, double value) {
    return isfinite(value) ? vo_json_put_real(in, key, value) : VO_OK;
}

static vo_result put_distribution(const vo_json_cursor *in, const char *key,
                                  const vo_distribution *s) {
    vo_json_cursor at;
    if (s->frames == 0) return VO_OK;
    VO_TRY(vo_json_put_object(in, key, &at));
    VO_TRY(vo_json_put_int(&at, "frames", s->frames));
    VO_TRY(vo_json_put_real(&at, "min", s->min));
    VO_TRY(vo_json_put_real(&at, "p1", s->p1));
    VO_TRY(vo_json_put_real(&at, "mean", s->mean));
    VO_TRY(vo_json_put_real(&at, "p99", s->p99));
    return vo_json_put_real(&at, "max", s->max);
}

static vo_result put_numbers(const vo_json_cursor *in, const char *key, int count,
                             const int *number) {
    vo_json_cursor at;
    VO_TRY(vo_json_put_array(in, key, &at));
    for (int i = 0; i < count; i++) VO_TRY(vo_json_put_int(&at, NULL, number[i]));
    return VO_OK;
}

static vo_result put_frames(const vo_json_cursor *in, const vo_run_comparison *run) {
    vo_json_cursor list;
    VO_TRY(vo_json_put_array(in, "frames", &list));
    for (int i = 0; i < run->frame_count; i++) {
        vo_json_cursor at;
        VO_TRY(vo_json_put_object(&list, NULL, &at));
        VO_TRY(vo_json_put_int(&at, "frame", run->frame[i].frame));
        for (int f = 0; f < VO_COMPARE_FIELD_COUNT; f++)
            VO_TRY(put_finite(&at, vo_compare_field_name(f),
                              vo_compare_field_value(&run->frame[i], f)));
    }
    return VO_OK;
}

static vo_result put_run(const vo_json_cursor *in, vo_run_comparison *run) {
    vo_json_cursor at, all;
    VO_TRY(vo_json_put_object(in, NULL, &at));
    VO_TRY(vo_json_put_string(&at, "name", run->name));
    VO_TRY(vo_json_put_string(&at, "folder", run->folder));
    VO_TRY(vo_json_put_real(&at, "seconds_total", run->seconds_total));
    VO_TRY(put_finite(&at, "speed_up", run->speed_up));
    VO_TRY(vo_json_put_int(&at, "speed_up_frames", run->speed_up_frames));
    VO_TRY(put_distribution(&at, "slow_silhouette_iou", &run->slow_silhouette_iou));
    VO_TRY(put_numbers(&at, "only_here", run->only_here_count, run->only_here));
    VO_TRY(put_numbers(&at, "only_reference", run->only_reference_count, run->only_reference));
    VO_TRY(vo_json_put_object(&at, "all", &all));
    for (int f = 0; f < VO_COMPARE_FIELD_COUNT; f++)
        VO_TRY(put_distribution(&all, vo_compare_field_name(f),
                                vo_compare_field_distribution(run, f)));
    return put_frames(&at, run);
}

static vo_result put_comparison(const vo_json_doc *doc, const vo_comparison *c) {
    vo_json_cursor root = vo_json_root(doc), runs;
    VO_TRY(vo_json_put_string(&root, "reference", c->run[c->reference].name));
    VO_TRY(vo_json_put_int(&root, "width", c->width));
    VO_TRY(vo_json_put_int(&root, "height", c->height));
    VO_TRY(vo_json_put_real(&root, "wavelength", c->wavelength));
    VO_TRY(vo_json_put_real(&root, "slow", c->slow));
    VO_TRY(vo_json_put_bool(&root, "framed", c->framed));
    VO_TRY(vo_json_put_array(&root, "runs", &runs));
    for (int i = 0; i < c->run_count; i++) VO_TRY(put_run(&runs, &c->run[i]));
    return VO_OK;
}

vo_result vo_comparison_to_json(vo_context *ctx, const vo_comparison *c, char **text) {
    vo_json_doc doc;
    size_t size;
    *text = NULL;
    VO_TRY(vo_json_new(ctx, "compare.json", &doc));
    vo_result result = put_comparison(&doc, c);
    if (result == VO_OK) result = vo_json_print(&doc, text, &size);
    vo_json_free(&doc);
    return result;
}

void vo_comparison_json_free(vo_context *ctx, char *text) { vo_free_string(ctx, text); }

/* ---- files ----------------------------------------------------------------------------- */

vo_result vo_comparison_write(vo_context *ctx, const vo_comparison *c, const char *folder) {
    char path[VO_PATH_SIZE], *text;
    vo_path_join(path, sizeof path, folder, "frames.csv");
    VO_TRY(write_csv(ctx, c, path));
    vo_path_join(path, sizeof path, folder, "runs.csv");
    VO_TRY(write_distributions(ctx, c, path));
    VO_TRY(vo_comparison_to_json(ctx, c, &text));
    vo_path_join(path, sizeof path, folder, "compare.json");
    vo_result result = vo_file_write(ctx, path, text, strlen(text));
    vo_comparison_json_free(ctx, text);
    return result;
}

#include "codec/json.h"
#include "core/memory.h"
#include "core/text.h"
#include "sim/compare.h"

#include <string.h>

/* ---- CSV ------------------------------------------------------------------------------------- */

/* In quotes, as RFC 4180 has it. */
static void add_quoted(vo_text *text, const char *words) {
    vo_text_add(text, "\"");
    for (const char *p = words; *p; p++) vo_text_add(text, *p == '"' ? "\"\"" : "%c", *p);
    vo_text_add(text, "\"");
}

static void add_row(vo_text *text, const vo_compared_run *run, const vo_compared_frame *frame) {
    add_quoted(text, run->name);
    vo_text_add(text, ",%d", frame->frame);
    for (int f = 0; f < VO_COMPARE_FIELD_COUNT; f++) {
        double value = vo_compared_value(frame, f);
        vo_text_add(text, isfinite(value) ? ",%.9g" : ",", value);
    }
    vo_text_add(text, "\n");
}

/* A line a run and frame; what is not known is empty. */
static vo_result write_csv(vo_context *ctx, const vo_comparison *c, const char *path) {
    vo_text text = {.ctx = ctx};
    vo_text_add(&text, "run,frame");
    for (int f = 0; f < VO_COMPARE_FIELD_COUNT; f++)
        vo_text_add(&text, ",%s", vo_compare_field_name(f));
    vo_text_add(&text, "\n");
    for (int i = 0; i < c->run_count; i++)
        for (int k = 0; k < c->run[i].frame_count; k++)
            add_row(&text, &c->run[i], &c->run[i].frame[k]);
    return vo_text_save(&text, path);
}

static void add_spread(vo_text *text, const vo_compared_run *run, const char *name,
                       const vo_spread *s) {
    add_quoted(text, run->name);
    vo_text_add(text, ",%s,%d", name, s->frames);
    const double value[] = {s->min, s->p1, s->mean, s->p99, s->max};
    for (int i = 0; i < 5; i++) vo_text_add(text, isfinite(value[i]) ? ",%.9g" : ",", value[i]);
    vo_text_add(text, "\n");
}

/* A line a run and measure over all frames. The speed-up is one number. */
static vo_result write_spreads(vo_context *ctx, const vo_comparison *c, const char *path) {
    vo_text text = {.ctx = ctx};
    vo_text_add(&text, "run,measure,frames,min,p1,mean,p99,max\n");
    for (int i = 0; i < c->run_count; i++) {
        vo_compared_run *run = &c->run[i];
        for (int f = 0; f < VO_COMPARE_FIELD_COUNT; f++)
            add_spread(&text, run, vo_compare_field_name(f), vo_compared_spread(run, f));
        vo_spread speed = {run->speed_up_frames, NAN, NAN, run->speed_up, NAN, NAN};
        add_spread(&text, run, "slow_overlap", &run->slow_overlap);
        add_spread(&text, run, "speed_up", &speed);
    }
    return vo_text_save(&text, path);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static vo_result put_known(const vo_json_at *in, const char *key, double value) {
    return isfinite(value) ? vo_json_put_real(in, key, value) : VO_OK;
}

static vo_result put_spread(const vo_json_at *in, const char *key, const vo_spread *s) {
    vo_json_at at;
    if (s->frames == 0) return VO_OK;
    VO_TRY(vo_json_put_object(in, key, &at));
    VO_TRY(vo_json_put_int(&at, "frames", s->frames));
    VO_TRY(vo_json_put_real(&at, "min", s->min));
    VO_TRY(vo_json_put_real(&at, "p1", s->p1));
    VO_TRY(vo_json_put_real(&at, "mean", s->mean));
    VO_TRY(vo_json_put_real(&at, "p99", s->p99));
    return vo_json_put_real(&at, "max", s->max);
}

static vo_result put_numbers(const vo_json_at *in, const char *key, int count, const int *number) {
    vo_json_at at;
    VO_TRY(vo_json_put_array(in, key, &at));
    for (int i = 0; i < count; i++) VO_TRY(vo_json_put_int(&at, NULL, number[i]));
    return VO_OK;
}

static vo_result put_frames(const vo_json_at *in, const vo_compared_run *run) {
    vo_json_at list;
    VO_TRY(vo_json_put_array(in, "frames", &list));
    for (int i = 0; i < run->frame_count; i++) {
        vo_json_at at;
        VO_TRY(vo_json_put_object(&list, NULL, &at));
        VO_TRY(vo_json_put_int(&at, "frame", run->frame[i].frame));
        for (int f = 0; f < VO_COMPARE_FIELD_COUNT; f++)
            VO_TRY(put_known(&at, vo_compare_field_name(f), vo_compared_value(&run->frame[i], f)));
    }
    return VO_OK;
}

static vo_result put_run(const vo_json_at *in, vo_compared_run *run) {
    vo_json_at at, all;
    VO_TRY(vo_json_put_object(in, NULL, &at));
    VO_TRY(vo_json_put_string(&at, "name", run->name));
    VO_TRY(vo_json_put_string(&at, "folder", run->folder));
    VO_TRY(vo_json_put_real(&at, "seconds_total", run->seconds_total));
    VO_TRY(put_known(&at, "speed_up", run->speed_up));
    VO_TRY(vo_json_put_int(&at, "speed_up_frames", run->speed_up_frames));
    VO_TRY(put_spread(&at, "slow_overlap", &run->slow_overlap));
    VO_TRY(put_numbers(&at, "only_here", run->only_here_count, run->only_here));
    VO_TRY(put_numbers(&at, "only_reference", run->only_reference_count, run->only_reference));
    VO_TRY(vo_json_put_object(&at, "all", &all));
    for (int f = 0; f < VO_COMPARE_FIELD_COUNT; f++)
        VO_TRY(put_spread(&all, vo_compare_field_name(f), vo_compared_spread(run, f)));
    return put_frames(&at, run);
}

static vo_result put_comparison(const vo_json_doc *doc, const vo_comparison *c) {
    vo_json_at root = vo_json_root(doc), runs;
    VO_TRY(vo_json_put_string(&root, "reference", c->run[c->reference].name));
    VO_TRY(vo_json_put_int(&root, "width", c->width));
    VO_TRY(vo_json_put_int(&root, "height", c->height));
    VO_TRY(vo_json_put_real(&root, "wavelength", c->wavelength));
    VO_TRY(vo_json_put_real(&root, "slow", c->slow));
    VO_TRY(vo_json_put_bool(&root, "fitted", c->fitted));
    VO_TRY(vo_json_put_array(&root, "runs", &runs));
    for (int i = 0; i < c->run_count; i++) VO_TRY(put_run(&runs, &c->run[i]));
    return VO_OK;
}

vo_result vo_comparison_json(vo_context *ctx, const vo_comparison *c, char **text) {
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

/* ---- all of them ----------------------------------------------------------------------------- */

vo_result vo_comparison_write(vo_context *ctx, const vo_comparison *c, const char *folder) {
    char path[VO_PATH_SIZE], *text;
    vo_path_join(path, sizeof path, folder, "frames.csv");
    VO_TRY(write_csv(ctx, c, path));
    vo_path_join(path, sizeof path, folder, "runs.csv");
    VO_TRY(write_spreads(ctx, c, path));
    VO_TRY(vo_comparison_json(ctx, c, &text));
    vo_path_join(path, sizeof path, folder, "compare.json");
    vo_result result = vo_file_write(ctx, path, text, strlen(text));
    vo_comparison_json_free(ctx, text);
    return result;
}

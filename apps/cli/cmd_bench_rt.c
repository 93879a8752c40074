/* voile bench rt: the real-time library against its targets and against the paper. */
#include "cli.h"

#include "bench.h"
#include "json_out.h"
#include "message.h"

#include <voile/bench.h>

#include <math.h>
#include <stdlib.h>

typedef struct rt_printer {
    json_out json;
    bool is_json;
} rt_printer;

static void print_optional(double value, int width) {
    if (isnan(value))
        printf(" %*s", width, "-");
    else
        printf(" %*.4g", width, value);
}

static void print_row(const vo_bench_row *r) {
    printf("%-26s %10.4g %-6s", r->name, r->value, r->unit);
    print_optional(r->target, 8);
    print_optional(r->paper, 9);
    printf("  %-4s %s; limit: %s\n",
           isnan(r->target) ? ""
           : r->met         ? "yes"
                            : "NO",
           r->text, r->limit);
    fflush(stdout);
}

static void row_json(json_out *j, const vo_bench_row *r) {
    json_open(j, NULL, '{');
    json_text(j, "name", r->name);
    json_real(j, "value", r->value);
    json_text(j, "unit", r->unit);
    json_real(j, "target", r->target);
    json_bool(j, "is_minimum", r->is_minimum);
    json_real(j, "paper", r->paper);
    json_bool(j, "met", r->met);
    json_text(j, "text", r->text);
    json_text(j, "limit", r->limit);
    json_close(j, '}');
}

static void receive_row(void *user, const vo_bench_row *row) {
    rt_printer *p = user;
    if (p->is_json)
        row_json(&p->json, row);
    else
        print_row(row);
}

static void print_begin(rt_printer *p, int repeat) {
    if (p->is_json) {
        json_open(&p->json, NULL, '{');
        json_text(&p->json, "benchmark", "rt");
        json_int(&p->json, "repeat", repeat);
        json_open(&p->json, "rows", '[');
        return;
    }
    printf(
        "rt: %s\nbest of %d per step; paper: Simnett et al. 2010, Core i7 920; for drape, curtains "
        "and trousers Jain et al. 2005, 3.4 GHz; for upsampling Kavan et al. 2011\n\n",
        CLI_BENCH_RT, repeat);
    printf("%-26s %10s %-6s %8s %9s  %-4s %s\n", "name", "value", "unit", "target", "paper", "met",
           "");
}

static void print_end(rt_printer *p) {
    if (!p->is_json) return;
    json_close(&p->json, ']');
    json_close(&p->json, '}');
    json_end(&p->json);
}

int bench_rt(const cli_args *args) {
    const char *assets = getenv("VOILE_ASSETS");
    rt_printer printer = {.json = {stdout, false}, .is_json = args->json};
    vo_context *ctx = NULL;
    int code = cli_open(&(cli_args){.threads = args->threads, .memory = -1}, NULL, &ctx);
    if (code != CLI_DONE) return code;
    vo_bench_rt_def def = vo_bench_rt_def_default();
    if (assets && assets[0]) def.assets = assets;
    if (args->repeat) def.repeat = args->repeat;
    def.max_frames = args->max_frames;
    def.plots = args->plots;
    def.only = args->only;
    def.row = receive_row;
    def.user = &printer;
    print_begin(&printer, def.repeat);
    vo_result result = vo_bench_rt(ctx, &def);
    print_end(&printer);
    if (result != VO_OK) code = cli_fail_result(ctx, result);
    vo_context_destroy(ctx);
    if (code != CLI_DONE) return code;
    return cli_flush() ? CLI_DONE : CLI_SYSTEM_ERROR;
}

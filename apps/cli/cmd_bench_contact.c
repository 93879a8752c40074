/* voile bench contact: contact scenes at about 33,000 faces.
 *
 * Each scene is simulated once. A row of the table is a range of its frames: milliseconds per
 * substep in each stage, the cost of contact relative to the solve, and the highest stage of the
 * collision response that was used. */
#include "cli.h"

#include "bench.h"
#include "json_out.h"
#include "message.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SETS = 10, MAX_SPANS = 2 };

typedef struct frame_span {
    const char *what;
    int begin, end; /* frames begin + 1 to end */
} frame_span;

typedef struct contact_scene {
    const char *name;
    const char *sets[MAX_SETS];
    frame_span span[MAX_SPANS];
} contact_scene;

static const contact_scene scenes[] = {
    {"drape-sphere",
     {"cloths[0].grid={\"width\": 1, \"height\": 1, \"columns\": 128, \"rows\": 129}"},
     {{"falling", 0, 30}, {"at rest", 80, 90}}},
    {"funnel",
     {"cloths[0].grid={\"width\": 0.6, \"height\": 0.6, \"columns\": 129, \"rows\": 129}"},
     {{"all", 0, 30}}},
    {"towel",
     {"cloths[0].grid={\"width\": 1.2, \"height\": 0.12, \"columns\": 414, \"rows\": 40}"},
     {{"all", 0, 30}}},
    {"blade",
     {"cloths[0].grid={\"width\": 0.8, \"height\": 0.8, \"columns\": 129, \"rows\": 129}"},
     {{"all", 0, 20}}},
};
enum { SCENES = sizeof scenes / sizeof scenes[0] };

/* ---- measuring ------------------------------------------------------------------------------ */

/* The sum of a span's frames. */
typedef struct contact_sum {
    int faces, substeps, contacts, impacts, failsafe_nodes, intersections;
    double contact_s, trees_s, collide_s, assemble_s, solve_s, wall_s;
} contact_sum;

static void add_frame(contact_sum *sum, const vo_stats *s, double wall_s) {
    sum->faces = s->faces;
    sum->substeps += s->substeps;
    sum->contacts = s->contacts > sum->contacts ? s->contacts : sum->contacts;
    sum->impacts += s->impacts;
    sum->failsafe_nodes += s->truncated_nodes + s->frozen_nodes + s->lagging_nodes;
    sum->intersections += s->intersections;
    sum->contact_s += s->stage.contact;
    sum->collide_s += s->stage.collide;
    sum->assemble_s += s->stage.assemble;
    sum->solve_s += s->stage.solve;
    sum->trees_s += s->broad_phase_s;
    sum->wall_s += wall_s;
}

static vo_result run_frames(vo_sim *sim, const contact_scene *scene, contact_sum *sums) {
    int last = 0;
    for (int k = 0; k < MAX_SPANS; k++)
        last = scene->span[k].end > last ? scene->span[k].end : last;
    for (int frame = 1; frame <= last; frame++) {
        double start = text_clock();
        vo_result result = vo_sim_step_frame(sim);
        if (result != VO_OK) return result;
        vo_stats stats = vo_sim_get_stats(sim);
        for (int k = 0; k < MAX_SPANS; k++)
            if (frame > scene->span[k].begin && frame <= scene->span[k].end)
                add_frame(&sums[k], &stats, text_clock() - start);
    }
    return VO_OK;
}

static int count_sets(const contact_scene *scene) {
    int count = 0;
    while (count < MAX_SETS && scene->sets[count]) count++;
    return count;
}

static int measure(const contact_scene *scene, int threads, contact_sum *sums) {
    const char *assets = getenv("VOILE_ASSETS");
    char path[1024];
    vo_context *ctx = NULL;
    vo_scene *loaded = NULL;
    vo_sim *sim = NULL;
    snprintf(path, sizeof path, "%s/scenes/%s.json", assets ? assets : "assets", scene->name);
    int code = cli_open(&(cli_args){.threads = threads, .memory = -1}, NULL, &ctx);
    if (code != CLI_DONE) return code;
    vo_result result = vo_scene_load(ctx, path, count_sets(scene), scene->sets, &loaded);
    if (result == VO_OK) result = vo_sim_create(ctx, loaded, &sim);
    if (result == VO_OK) result = run_frames(sim, scene, sums);
    if (result != VO_OK) code = cli_fail_result(ctx, result);
    vo_sim_destroy(sim);
    vo_scene_destroy(loaded);
    vo_context_destroy(ctx);
    return code;
}

/* ---- the report ----------------------------------------------------------------------------- */

/* A line of the table: times in ms a substep. */
typedef struct contact_row {
    double contact, broad_phase, collide, assemble, solve, substep;
    double ratio; /* of contact and collide to assemble and solve */
    double share; /* of the broad phase in the substep */
} contact_row;

static contact_row make_row(const contact_sum *s) {
    double ms = 1e3 / (s->substeps ? s->substeps : 1);
    double solve = s->assemble_s + s->solve_s;
    return (contact_row){
        .contact = s->contact_s * ms,
        .broad_phase = s->trees_s * ms,
        .collide = s->collide_s * ms,
        .assemble = s->assemble_s * ms,
        .solve = s->solve_s * ms,
        .substep = s->wall_s * ms,
        .ratio = solve > 0 ? (s->contact_s + s->collide_s) / solve : 0,
        .share = s->wall_s > 0 ? s->trees_s / s->wall_s : 0,
    };
}

static void print_head(void) {
    printf("contact: %s\n\n", CLI_BENCH_CONTACT);
    printf("%-14s %-8s %8s %8s %8s %8s %8s %8s %8s %8s %6s %6s %8s %8s %9s\n", "scene", "frames",
           "faces", "contacts", "contact", "(broad)", "collide", "assemble", "solve", "substep",
           "ratio", "broad", "impacts", "failsafe", "intersect");
}

static void print_row(const contact_scene *scene, int k, const contact_sum *s) {
    contact_row r = make_row(s);
    printf("%-14s %-8s %8s %8d %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %6.2f %5.0f%% %8d %8d %9d\n",
           scene->name, scene->span[k].what, text_count(s->faces).s, s->contacts, r.contact,
           r.broad_phase, r.collide, r.assemble, r.solve, r.substep, r.ratio, 100 * r.share,
           s->impacts, s->failsafe_nodes, s->intersections);
    fflush(stdout);
}

static void row_json(json_out *j, const contact_scene *scene, int k, const contact_sum *s) {
    contact_row r = make_row(s);
    json_open(j, NULL, '{');
    json_text(j, "scene", scene->name);
    json_text(j, "frames", scene->span[k].what);
    json_int(j, "faces", s->faces);
    json_int(j, "contacts", s->contacts);
    json_real(j, "contact_ms", r.contact);
    json_real(j, "broad_phase_ms", r.broad_phase);
    json_real(j, "collide_ms", r.collide);
    json_real(j, "assemble_ms", r.assemble);
    json_real(j, "solve_ms", r.solve);
    json_real(j, "substep_ms", r.substep);
    json_real(j, "ratio", r.ratio);
    json_real(j, "broad_phase_share", r.share);
    json_int(j, "impacts", s->impacts);
    json_int(j, "failsafe_nodes", s->failsafe_nodes);
    json_int(j, "intersections", s->intersections);
    json_close(j, '}');
}

int bench_contact(const cli_args *args) {
    json_out j = {stdout, false};
    int code = CLI_DONE, threads = args->threads ? args->threads : 1;
    if (args->json) {
        json_open(&j, NULL, '{');
        json_text(&j, "benchmark", "contact");
        json_int(&j, "threads", threads);
        json_open(&j, "rows", '[');
    } else {
        print_head();
    }
    for (int i = 0; i < SCENES && code == CLI_DONE; i++) {
        contact_sum sums[MAX_SPANS] = {{0}};
        code = measure(&scenes[i], threads, sums);
        for (int k = 0; k < MAX_SPANS && code == CLI_DONE; k++) {
            if (!scenes[i].span[k].what) continue;
            if (args->json)
                row_json(&j, &scenes[i], k, &sums[k]);
            else
                print_row(&scenes[i], k, &sums[k]);
        }
    }
    if (args->json) {
        json_close(&j, ']');
        json_close(&j, '}');
        json_end(&j);
    }
    if (code != CLI_DONE) return code;
    return cli_flush() ? CLI_DONE : CLI_SYSTEM_ERROR;
}

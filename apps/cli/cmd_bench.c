/* voile bench: named benchmarks, through the public interface only.
 *
 * A benchmark is a list of cases. Each is simulated `repeat` times. The cases alternate frame by
 * frame, so that varying load of the machine affects all of them equally. Runs are deterministic:
 * frame k is the same work in every repetition, so the time of a case is the sum of the best times
 * of its frames. */
#include "cli.h"

#include "bench.h"
#include "json_out.h"
#include "message.h"
#include "text.h"

#include <math.h>
#include <string.h>

enum { SUBSTEPS = 8, MAX_CASES = 8, MAX_FRAMES = 24 };

static const double substep_s = 0.005;
static const double cell_m = 0.01;

/* One line of a benchmark: a square sheet of cells x cells, two faces per cell. */
typedef struct bench_case {
    int cells;
    int threads;
    vo_linear_solver solver;
} bench_case;

/* Seconds and iterations of one frame, or sums over several. */
typedef struct bench_sample {
    double wall_s, assemble_s, solve_s;
    int iterations;
} bench_sample;

typedef struct bench_result {
    int faces, nodes;
    bench_sample best[MAX_FRAMES];
} bench_result;

/* Value of the last column, which compares a case with the first. */
typedef double bench_ratio(const bench_sample *base, int base_faces, const bench_sample *now,
                           int faces);

typedef struct benchmark {
    const char *name, *text;
    int warm_up, frames; /* untimed, timed */
    int repeat;          /* default of --repeat */
    const char *ratio_name;
    bench_ratio *ratio;
    int case_count;
    bench_case cases[MAX_CASES];
} benchmark;

/* ---- one simulation ------------------------------------------------------------------------- */

typedef struct bench_rig {
    vo_context *ctx;
    vo_mesh *mesh;
    vo_fabric *fabric;
    vo_scene *scene;
    vo_sim *sim;
} bench_rig;

/* Destroys all parts; those not created are NULL. */
static void rig_destroy(bench_rig *rig) {
    vo_sim_destroy(rig->sim);
    vo_scene_destroy(rig->scene);
    vo_fabric_destroy(rig->fabric);
    vo_mesh_destroy(rig->mesh);
    vo_context_destroy(rig->ctx);
}

vo_result bench_add_cloth(vo_scene *scene, const vo_mesh *mesh, const vo_fabric *fabric) {
    vo_material_def material = vo_material_def_default();
    material.fabric = fabric;
    vo_cloth_def cloth = vo_cloth_def_default();
    cloth.mesh = mesh;
    cloth.material_count = 1;
    cloth.materials = &material;
    return vo_scene_add_cloth(scene, &cloth, NULL);
}

/* Holds the two corners at the sheet's first row. */
static vo_result add_pins(bench_rig *rig, int cells) {
    int corners[2] = {0, cells};
    vo_handle_def pins = vo_handle_def_default();
    pins.node_count = 2;
    pins.nodes = corners;
    return vo_scene_add_handle(rig->scene, &pins, NULL);
}

/* Creates a falling horizontal sheet, pinned at two corners. */
static vo_result rig_fill(bench_rig *rig, const bench_case *c) {
    double side = c->cells * cell_m;
    vo_scene_def scene = vo_scene_def_default();
    scene.frame_time = SUBSTEPS * substep_s;
    scene.frame_steps = SUBSTEPS;
    scene.gravity = (vo_vec3){0, 0, -9.81};
    scene.solver = c->solver;
    vo_fabric_def fabric = vo_fabric_def_default();
    vo_result result = vo_mesh_create_grid(rig->ctx, side, side, c->cells, c->cells, &rig->mesh);
    if (result == VO_OK) result = vo_fabric_create(rig->ctx, &fabric, &rig->fabric);
    if (result == VO_OK) result = vo_scene_create(rig->ctx, &scene, &rig->scene);
    if (result == VO_OK) result = bench_add_cloth(rig->scene, rig->mesh, rig->fabric);
    if (result == VO_OK) result = add_pins(rig, c->cells);
    if (result == VO_OK) result = vo_sim_create(rig->ctx, rig->scene, &rig->sim);
    return result;
}

/* Steps one frame and updates its best time. */
static vo_result time_frame(vo_sim *sim, bench_sample *best) {
    double start = text_clock();
    vo_result result = vo_sim_step_frame(sim);
    double wall = text_clock() - start;
    if (result != VO_OK || wall >= best->wall_s) return result;
    vo_stats stats = vo_sim_get_stats(sim);
    *best = (bench_sample){wall, stats.stage.assemble, stats.stage.solve, stats.iterations};
    return VO_OK;
}

/* Creates the simulation of a case. */
static int rig_open(bench_rig *rig, const bench_case *c) {
    int code = cli_open(&(cli_args){.threads = c->threads, .memory = -1}, NULL, &rig->ctx);
    if (code != CLI_DONE) return code;
    vo_result result = rig_fill(rig, c);
    return result == VO_OK ? CLI_DONE : cli_fail_result(rig->ctx, result);
}

/* Steps a frame of a case; the first b->warm_up frames are not timed. */
static int rig_step(bench_rig *rig, const benchmark *b, int frame, bench_result *out) {
    bool timed = frame >= b->warm_up;
    vo_result result =
        timed ? time_frame(rig->sim, &out->best[frame - b->warm_up]) : vo_sim_step_frame(rig->sim);
    vo_mesh_view view = vo_sim_get_cloth(rig->sim, 0);
    out->faces = view.face_count;
    out->nodes = view.node_count;
    return result == VO_OK ? CLI_DONE : cli_fail_result(rig->ctx, result);
}

/* Simulates all cases, alternating frame by frame. */
static int run_cases(const benchmark *b, bench_rig *rigs, bench_result *results) {
    int code = CLI_DONE;
    for (int c = 0; c < b->case_count && code == CLI_DONE; c++)
        code = rig_open(&rigs[c], &b->cases[c]);
    for (int f = 0; f < b->warm_up + b->frames; f++)
        for (int c = 0; c < b->case_count && code == CLI_DONE; c++)
            code = rig_step(&rigs[c], b, f, &results[c]);
    return code;
}

static int measure(const benchmark *b, int repeat, bench_result *results) {
    int code = CLI_DONE;
    for (int c = 0; c < b->case_count; c++)
        for (int f = 0; f < MAX_FRAMES; f++) results[c].best[f].wall_s = INFINITY;
    for (int r = 0; r < repeat && code == CLI_DONE; r++) {
        bench_rig rigs[MAX_CASES] = {0};
        code = run_cases(b, rigs, results);
        for (int c = 0; c < b->case_count; c++) rig_destroy(&rigs[c]);
    }
    return code;
}

/* ---- report --------------------------------------------------------------------------------- */

/* Mean of the frames' best times. */
static bench_sample mean_frame(const benchmark *b, const bench_result *result) {
    bench_sample sum = {0};
    for (int i = 0; i < b->frames; i++) {
        sum.wall_s += result->best[i].wall_s / b->frames;
        sum.assemble_s += result->best[i].assemble_s / b->frames;
        sum.solve_s += result->best[i].solve_s / b->frames;
        sum.iterations += result->best[i].iterations;
    }
    return sum;
}

/* Name in the table. */
static const char *solver_name(vo_linear_solver solver) {
    return solver == VO_SOLVER_PCG ? "pcg" : "direct";
}

/* A line of the table, in the units it is printed in. */
typedef struct bench_row {
    const char *solver;
    int threads, faces, nodes;
    double assemble_ms, solve_ms, substep_ms, frame_ms; /* the first three per substep */
    double face_us;                                     /* per face and substep */
    double iterations;                                  /* per substep */
    double ratio;
} bench_row;

/* Converts a case to the units of the table and compares it with the first. */
static bench_row make_row(const benchmark *b, const bench_result *results, int c) {
    bench_sample base = mean_frame(b, &results[0]), now = mean_frame(b, &results[c]);
    double per_substep = 1e3 / SUBSTEPS;
    return (bench_row){
        .solver = solver_name(b->cases[c].solver),
        .threads = b->cases[c].threads,
        .faces = results[c].faces,
        .nodes = results[c].nodes,
        .assemble_ms = now.assemble_s * per_substep,
        .solve_ms = now.solve_s * per_substep,
        .substep_ms = now.wall_s * per_substep,
        .frame_ms = now.wall_s * 1e3,
        .face_us = now.wall_s * 1e6 / SUBSTEPS / results[c].faces,
        .iterations = (double)now.iterations / b->frames / SUBSTEPS,
        .ratio = b->ratio(&base, results[0].faces, &now, results[c].faces),
    };
}

/* Prints the description and the names of the columns. */
static void print_head(const benchmark *b, int repeat) {
    printf("%s: %s\n%d frames after %d of warm-up, best of %d; times in ms, face in us per "
           "substep\n\n",
           b->name, b->text, b->frames, b->warm_up, repeat);
    printf("%9s %7s %7s %9s %9s %9s %9s %7s %10s %10s\n", "faces", "threads", "solver", "assemble",
           "solve", "substep", "frame", "face", "iterations", b->ratio_name);
}

/* Prints one case as a row of the table. */
static void print_row(const bench_row *r) {
    printf("%9s %7d %7s %9.2f %9.2f %9.2f %9.1f %7.3f %10.1f %10.2f\n", text_count(r->faces).s,
           r->threads, r->solver, r->assemble_ms, r->solve_ms, r->substep_ms, r->frame_ms,
           r->face_us, r->iterations, r->ratio);
}

/* Prints one case as a JSON object. */
static void row_json(json_out *j, const bench_row *r) {
    json_open(j, NULL, '{');
    json_int(j, "faces", r->faces);
    json_int(j, "nodes", r->nodes);
    json_int(j, "threads", r->threads);
    json_text(j, "solver", r->solver);
    json_real(j, "assemble_ms", r->assemble_ms);
    json_real(j, "solve_ms", r->solve_ms);
    json_real(j, "substep_ms", r->substep_ms);
    json_real(j, "frame_ms", r->frame_ms);
    json_real(j, "face_us", r->face_us);
    json_real(j, "iterations", r->iterations);
    json_real(j, "ratio", r->ratio);
    json_close(j, '}');
}

/* Prints a benchmark as one line of JSON. */
static void print_json(const benchmark *b, int repeat, const bench_result *results) {
    json_out j = {stdout, false};
    json_open(&j, NULL, '{');
    json_text(&j, "benchmark", b->name);
    json_int(&j, "repeat", repeat);
    json_int(&j, "warm_up_frames", b->warm_up);
    json_int(&j, "frames", b->frames);
    json_int(&j, "substeps", SUBSTEPS);
    json_text(&j, "ratio", b->ratio_name);
    json_open(&j, "rows", '[');
    for (int c = 0; c < b->case_count; c++) {
        bench_row row = make_row(b, results, c);
        row_json(&j, &row);
    }
    json_close(&j, ']');
    json_close(&j, '}');
    json_end(&j);
}

/* Prints a benchmark as a table. */
static void print_table(const benchmark *b, int repeat, const bench_result *results) {
    print_head(b, repeat);
    for (int c = 0; c < b->case_count; c++) {
        bench_row row = make_row(b, results, c);
        print_row(&row);
    }
    putchar('\n');
}

/* ---- benchmarks ----------------------------------------------------------------------------- */

/* Speed-up over the first case. */
static double ratio_speed(const bench_sample *base, int base_faces, const bench_sample *now,
                          int faces) {
    (void)base_faces, (void)faces;
    return base->wall_s / now->wall_s;
}

/* Cost per face relative to the first case; 1 is linear scaling. */
static double ratio_linear(const bench_sample *base, int base_faces, const bench_sample *now,
                           int faces) {
    return (now->wall_s / faces) / (base->wall_s / base_faces);
}

/* One thread and several. */
static void fill_sheet(benchmark *b, const cli_args *args) {
    b->warm_up = 8, b->frames = 8;
    b->ratio_name = "speed-up", b->ratio = ratio_speed;
    b->case_count = 2;
    b->cases[0] = (bench_case){100, 1, VO_SOLVER_PCG};
    b->cases[1] = (bench_case){100, args->threads ? args->threads : 2, VO_SOLVER_PCG};
}

/* Five sizes, each about twice the previous one, with cells of the same size. About a second is
 * timed, because the number of iterations per substep depends on the motion (falling, caught by the
 * pins, swinging), whose phases are shorter for small sheets. */
static void fill_scaling(benchmark *b, const cli_args *args) {
    static const int cells[] = {50, 71, 100, 141, 200};
    b->warm_up = 1, b->frames = 24, b->repeat = 3;
    b->ratio_name = "to linear", b->ratio = ratio_linear;
    b->case_count = sizeof cells / sizeof cells[0];
    for (int i = 0; i < b->case_count; i++)
        b->cases[i] = (bench_case){cells[i], args->threads ? args->threads : 1, VO_SOLVER_PCG};
}

/* The same sheet with both solvers. */
static void fill_solvers(benchmark *b, const cli_args *args) {
    int threads = args->threads ? args->threads : 1;
    b->warm_up = 4, b->frames = 4;
    b->ratio_name = "speed-up", b->ratio = ratio_speed;
    b->cases[0] = (bench_case){50, threads, VO_SOLVER_PCG};
    b->cases[1] = (bench_case){50, threads, VO_SOLVER_DIRECT};
    b->case_count = strstr(vo_features(), "cholmod") ? 2 : 1;
}

typedef struct bench_entry {
    const char *name, *text;
    void (*fill)(benchmark *b, const cli_args *args);
} bench_entry;

static const bench_entry entries[] = {
#define X(name, text) {#name, text, fill_##name},
    CLI_BENCHMARKS(X)
#undef X
};
enum { ENTRIES = sizeof entries / sizeof entries[0] };

/* Measures and prints one entry. */
static int run_benchmark(const bench_entry *entry, const cli_args *args) {
    static bench_result results[MAX_CASES];
    benchmark b = {.name = entry->name, .text = entry->text, .repeat = 5};
    entry->fill(&b, args);
    int repeat = args->repeat ? args->repeat : b.repeat;
    int code = measure(&b, repeat, results);
    if (code != CLI_DONE) return code;
    if (args->json)
        print_json(&b, repeat, results);
    else
        print_table(&b, repeat, results);
    return cli_flush() ? CLI_DONE : CLI_SYSTEM_ERROR;
}

/* Prints the names of the benchmarks. */
static int fail_benchmark(const char *name) {
    char names[256] = "";
    for (int i = 0; i < ENTRIES; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s, ", entries[i].name);
    }
    return cli_fail(CLI_USAGE_ERROR,
                    "unknown benchmark \"%s\"; the benchmarks are %sccd, contact, render and rt.",
                    name, names);
}

int cmd_bench(const cli_args *args) {
    if (args->operand && strcmp(args->operand, "ccd") == 0) return bench_ccd(args);
    if (args->operand && strcmp(args->operand, "contact") == 0) return bench_contact(args);
    if (args->operand && strcmp(args->operand, "render") == 0) return bench_render(args);
    if (args->operand && strcmp(args->operand, "rt") == 0) return bench_rt(args);
    if (args->only)
        return cli_fail(CLI_USAGE_ERROR,
                        "--only is for the benchmark rt: voile bench rt --only NAME.");
    if (args->queries)
        return cli_fail(CLI_USAGE_ERROR,
                        "--queries is for the benchmark ccd: voile bench ccd --queries DIR.");
    int code = CLI_DONE, ran = 0;
    for (int i = 0; i < ENTRIES && code == CLI_DONE; i++) {
        if (args->operand && strcmp(args->operand, entries[i].name) != 0) continue;
        code = run_benchmark(&entries[i], args);
        ran++;
    }
    return ran ? code : fail_benchmark(args->operand);
}

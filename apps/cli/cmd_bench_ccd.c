/* voile bench ccd: continuous collision detection on queries whose exact results are known. */
#include "bench.h"

#include "ccd_queries.h"
#include "json_out.h"
#include "text.h"

#include <math.h>
#include <string.h>

/* A row of the table: one file, or the sum of several. */
typedef struct ccd_row {
    const char *name, *kind;
    long queries, touching, false_negatives, false_positives;
    double seconds; /* best pass */
} ccd_row;

/* Runs one query; true: the elements touch. */
static bool run_query(const ccd_file *file, const ccd_query *q) {
    return file->edges ? vo_ccd_edge_edge(NULL, q->start, q->end, NULL)
                       : vo_ccd_vertex_face(NULL, q->start, q->end, NULL);
}

/* Path of a file relative to the folder of queries. */
static const char *name_below(const ccd_file *file, const char *folder) {
    const char *name = file->path + strlen(folder);
    return name + strspn(name, "/");
}

/* Counts correct and wrong results. */
static void count_results(const ccd_file *file, ccd_row *row) {
    for (int i = 0; i < file->count; i++) {
        const ccd_query *q = &file->queries[i];
        bool touch = run_query(file, q);
        row->queries++;
        row->touching += q->touch;
        row->false_negatives += q->touch && !touch;
        row->false_positives += touch && !q->touch;
    }
}

/* Seconds of one pass over a file. The results are summed, so that no query is optimised away. */
static double time_pass(const ccd_file *file, long *touching) {
    double start = text_clock();
    for (int i = 0; i < file->count; i++) *touching += run_query(file, &file->queries[i]);
    return text_clock() - start;
}

/* Measures a file: one pass of warm-up, which checks the results, then the best of `repeat`. */
static ccd_row measure_file(const ccd_file *file, const char *folder, int repeat) {
    ccd_row row = {.name = name_below(file, folder),
                   .kind = file->edges ? "edge-edge" : "vertex-face",
                   .seconds = INFINITY};
    long touching = 0;
    count_results(file, &row);
    for (int r = 0; r < repeat; r++) row.seconds = fmin(row.seconds, time_pass(file, &touching));
    long alarms = row.touching - row.false_negatives + row.false_positives;
    if (touching != alarms * repeat) row.seconds = NAN; /* results must be reproducible */
    return row;
}

/* Adds a file to a sum. */
static void add_row(ccd_row *sum, const ccd_row *row) {
    sum->queries += row->queries;
    sum->touching += row->touching;
    sum->false_negatives += row->false_negatives;
    sum->false_positives += row->false_positives;
    sum->seconds += row->seconds;
}

static double ns_per_query(const ccd_row *row) {
    return row->queries ? 1e9 * row->seconds / (double)row->queries : 0;
}

/* Prints the names of the columns. */
static void print_head(const char *folder, int repeat, int width) {
    printf("ccd: " CLI_BENCH_CCD "\n%s, best of %d\n\n", folder, repeat);
    printf("%-*s %11s %9s %9s %9s %9s %9s\n", width, "file", "kind", "queries", "touching",
           "false neg", "false pos", "ns/query");
}

/* Prints one row of the table. */
static void print_row(const ccd_row *row, int width) {
    printf("%-*s %11s %9s %9s %9s %9s %9.0f\n", width, row->name, row->kind,
           text_count(row->queries).s, text_count(row->touching).s,
           text_count(row->false_negatives).s, text_count(row->false_positives).s,
           ns_per_query(row));
}

/* Prints one row as a JSON object. */
static void row_json(json_out *j, const char *key, const ccd_row *row) {
    json_open(j, key, '{');
    if (!key) json_text(j, "file", row->name);
    if (!key) json_text(j, "kind", row->kind);
    json_int(j, "queries", row->queries);
    json_int(j, "touching", row->touching);
    json_int(j, "false_negatives", row->false_negatives);
    json_int(j, "false_positives", row->false_positives);
    json_real(j, "ns_per_query", ns_per_query(row));
    json_close(j, '}');
}

/* Sums over each kind and over all. */
typedef struct ccd_sums {
    ccd_row vertex_face, edge_edge, all;
} ccd_sums;

static void add_to_sums(ccd_sums *sums, const ccd_file *file, const ccd_row *row) {
    add_row(file->edges ? &sums->edge_edge : &sums->vertex_face, row);
    add_row(&sums->all, row);
}

/* Measures all files and prints a table. */
static void print_table(const ccd_set *set, const char *folder, int repeat, ccd_sums *sums) {
    size_t width = 10;
    for (int i = 0; i < set->count; i++) {
        size_t length = strlen(name_below(&set->files[i], folder));
        if (length > width) width = length;
    }
    print_head(folder, repeat, (int)width);
    for (int i = 0; i < set->count; i++) {
        ccd_row row = measure_file(&set->files[i], folder, repeat);
        add_to_sums(sums, &set->files[i], &row);
        print_row(&row, (int)width);
    }
    putchar('\n');
    print_row(&sums->vertex_face, (int)width);
    print_row(&sums->edge_edge, (int)width);
    print_row(&sums->all, (int)width);
}

/* Measures all files and prints one line of JSON. */
static void print_json(const ccd_set *set, const char *folder, int repeat, ccd_sums *sums) {
    json_out j = {stdout, false};
    json_open(&j, NULL, '{');
    json_text(&j, "benchmark", "ccd");
    json_text(&j, "queries_folder", folder);
    json_int(&j, "repeat", repeat);
    json_open(&j, "rows", '[');
    for (int i = 0; i < set->count; i++) {
        ccd_row row = measure_file(&set->files[i], folder, repeat);
        add_to_sums(sums, &set->files[i], &row);
        row_json(&j, NULL, &row);
    }
    json_close(&j, ']');
    row_json(&j, "vertex_face", &sums->vertex_face);
    row_json(&j, "edge_edge", &sums->edge_edge);
    row_json(&j, "total", &sums->all);
    json_close(&j, '}');
    json_end(&j);
}

/* Measures and prints; fails if a collision was missed. */
static int report(const ccd_set *set, const cli_args *args) {
    int repeat = args->repeat ? args->repeat : 3;
    ccd_sums sums = {{.name = "all", .kind = "vertex-face"},
                     {.name = "all", .kind = "edge-edge"},
                     {.name = "all", .kind = "both"}};
    (args->json ? print_json : print_table)(set, args->queries, repeat, &sums);
    if (!cli_flush()) return CLI_SYSTEM_ERROR;
    if (sums.all.false_negatives == 0) return CLI_DONE;
    return cli_fail(CLI_BAD_DATA, "%s: %ld of %ld collisions were missed", args->queries,
                    sums.all.false_negatives, sums.all.touching);
}

int bench_ccd(const cli_args *args) {
    if (!args->queries)
        return cli_fail(CLI_USAGE_ERROR,
                        "the benchmark ccd needs a folder of queries: voile bench ccd --queries "
                        "DIR.");
    ccd_set set;
    int code = ccd_set_read(args->queries, &set);
    if (code == CLI_DONE) code = report(&set, args);
    ccd_set_free(&set);
    return code;
}

#include "check_report.h"

#include "message.h"
#include "text.h"

#include <stdlib.h>

/* ---- as it goes ----------------------------------------------------------------------------- */

void check_report_begin(check_report *report) {
    if (!report->json) return;
    json_open(&report->out, NULL, '{');
    json_text(&report->out, "path", report->path);
    json_text(&report->out, "kind", report->kind);
    json_open(&report->out, "findings", '[');
}

void check_report_finding(void *user, bool fatal, const char *message) {
    check_report *report = user;
    char words[CLI_MESSAGE];
    cli_translate(message, words);
    *(fatal ? &report->fatal : &report->other) += 1;
    if (!report->json) {
        printf("%s: %s\n", fatal ? "error" : "warning", words);
        return;
    }
    json_open(&report->out, NULL, '{');
    json_bool(&report->out, "fatal", fatal);
    json_text(&report->out, "text", words);
    json_close(&report->out, '}');
}

static bool grow(check_report *report) {
    if (report->row_count < report->row_capacity) return true;
    int capacity = 2 * report->row_capacity + 64;
    check_row *row = realloc(report->row, (size_t)capacity * sizeof *row);
    if (!row) return false;
    report->row = row;
    report->row_capacity = capacity;
    return true;
}

void check_report_inspected(void *user, int frame, const vo_inspection *i) {
    check_report *report = user;
    if (!grow(report)) {
        report->out_of_memory = true;
        return;
    }
    report->row[report->row_count++] = (check_row){.frame = frame,
                                                   .self_pairs = i->self_pairs,
                                                   .cloth_pairs = i->cloth_pairs,
                                                   .obstacle_pairs = i->obstacle_pairs,
                                                   .inside_nodes = i->inside_nodes,
                                                   .max_depth = i->max_depth,
                                                   .max_strain = i->max_strain,
                                                   .min_strain = i->min_strain,
                                                   .inverted_faces = i->inverted_faces,
                                                   .lost_nodes = i->lost_nodes,
                                                   .lagging_nodes = i->lagging_nodes,
                                                   .max_lag = i->max_lag,
                                                   .frozen_substeps = i->frozen_substeps,
                                                   .complete = i->complete};
}

void check_report_free(check_report *report) { free(report->row); }

/* ---- the frames together -------------------------------------------------------------------- */

static bool is_clean(const check_row *r) {
    return r->self_pairs == 0 && r->cloth_pairs == 0 && r->obstacle_pairs == 0 &&
           r->inside_nodes == 0 && r->inverted_faces == 0 && r->lost_nodes == 0;
}

/* Sums that may be larger than those of a frame. */
typedef struct check_totals {
    int frames, clean_frames;
    long long self_pairs, cloth_pairs, obstacle_pairs, inside_nodes, inverted_faces, lost_nodes;
    long long lagging_nodes, frozen_substeps;
    double max_depth, max_lag, max_strain, min_strain;
    bool complete;
} check_totals;

static double larger(double a, double b) { return a > b ? a : b; }

static check_totals total_of(const check_report *report) {
    check_totals t = {.frames = report->row_count, .complete = true};
    for (int i = 0; i < report->row_count; i++) {
        const check_row *r = &report->row[i];
        t.clean_frames += is_clean(r);
        t.self_pairs += r->self_pairs;
        t.cloth_pairs += r->cloth_pairs;
        t.obstacle_pairs += r->obstacle_pairs;
        t.inside_nodes += r->inside_nodes;
        t.inverted_faces += r->inverted_faces;
        t.lost_nodes += r->lost_nodes;
        t.lagging_nodes += r->lagging_nodes;
        t.frozen_substeps += r->frozen_substeps;
        t.max_lag = larger(t.max_lag, r->max_lag);
        t.max_depth = larger(t.max_depth, r->max_depth);
        t.max_strain = larger(t.max_strain, r->max_strain);
        t.min_strain = -larger(-t.min_strain, -r->min_strain);
        t.complete &= r->complete;
    }
    return t;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

/* Writes the numbers that a frame and the totals have in common. */
static void numbers_json(json_out *j, const check_totals *t) {
    json_open(j, "intersections", '{');
    json_int(j, "self", t->self_pairs);
    json_int(j, "cloth", t->cloth_pairs);
    json_int(j, "obstacle", t->obstacle_pairs);
    json_close(j, '}');
    if (!t->complete) json_bool(j, "complete", false);
    json_open(j, "inside", '{');
    json_int(j, "nodes", t->inside_nodes);
    json_real(j, "max_depth_m", t->max_depth);
    json_close(j, '}');
    json_open(j, "lagging_nodes", '{');
    json_int(j, "nodes", t->lagging_nodes);
    json_real(j, "max_lag_m", t->max_lag);
    json_close(j, '}');
    json_int(j, "frozen_substeps", t->frozen_substeps);
    json_real(j, "max_strain", t->max_strain);
    json_real(j, "min_strain", t->min_strain);
    json_int(j, "inverted_faces", t->inverted_faces);
    json_int(j, "lost_nodes", t->lost_nodes);
}

static void row_json(json_out *j, const check_row *r) {
    check_totals t = {.self_pairs = r->self_pairs,
                      .cloth_pairs = r->cloth_pairs,
                      .obstacle_pairs = r->obstacle_pairs,
                      .inside_nodes = r->inside_nodes,
                      .inverted_faces = r->inverted_faces,
                      .lost_nodes = r->lost_nodes,
                      .lagging_nodes = r->lagging_nodes,
                      .max_lag = r->max_lag,
                      .frozen_substeps = r->frozen_substeps,
                      .max_depth = r->max_depth,
                      .max_strain = r->max_strain,
                      .min_strain = r->min_strain,
                      .complete = r->complete};
    json_open(j, NULL, '{');
    json_int(j, "frame", r->frame);
    numbers_json(j, &t);
    json_close(j, '}');
}

static void frames_json(check_report *report) {
    json_out *j = &report->out;
    check_totals t = total_of(report);
    json_open(j, "frames", '[');
    for (int i = 0; i < report->row_count; i++) row_json(j, &report->row[i]);
    json_close(j, ']');
    json_open(j, "totals", '{');
    json_int(j, "frames", t.frames);
    json_int(j, "clean_frames", t.clean_frames);
    json_int(j, "unreadable_frames", report->unread);
    numbers_json(j, &t);
    json_close(j, '}');
}

/* Writes the result of a mesh, which has no frames. */
static void mesh_json(check_report *report) {
    if (report->row_count == 0) return;
    json_int(&report->out, "intersections", report->row[0].self_pairs);
    if (!report->row[0].complete) json_bool(&report->out, "complete", false);
}

static void end_json(check_report *report, bool ok) {
    json_close(&report->out, ']');
    if (report->mesh)
        mesh_json(report);
    else
        frames_json(report);
    if (report->ply) json_text(&report->out, "ply", report->ply);
    json_bool(&report->out, "ok", ok);
    json_close(&report->out, '}');
    json_end(&report->out);
}

/* ---- for people ----------------------------------------------------------------------------- */

/* The sums over the frames of a run, or the first state of a scene. */
static void print_frames(const check_report *report) {
    check_totals t = total_of(report);
    long long pairs = t.self_pairs + t.cloth_pairs + t.obstacle_pairs;
    if (report->mesh || t.frames == 0) return;
    if (report->scene)
        printf("first state: ");
    else
        printf("%s of %s frame%s clean: ", text_count(t.clean_frames).s,
               text_count(t.frames + report->unread).s, text_plural(t.frames + report->unread));
    printf("%s intersection%s, %s node%s inside obstacles", text_count(pairs).s, text_plural(pairs),
           text_count(t.inside_nodes).s, text_plural(t.inside_nodes));
    if (t.inside_nodes) printf(" (at most %.3g m deep)", t.max_depth);
    if (t.lagging_nodes)
        printf(", %s node%s of obstacles behind (at most %.3g m)", text_count(t.lagging_nodes).s,
               text_plural(t.lagging_nodes), t.max_lag);
    if (t.frozen_substeps)
        printf(", %s frozen substep%s", text_count(t.frozen_substeps).s,
               text_plural(t.frozen_substeps));
    if (t.lost_nodes)
        printf(", %s node%s at no finite place", text_count(t.lost_nodes).s,
               text_plural(t.lost_nodes));
    printf(", %s inverted face%s, strain from %.3g to %.3g\n", text_count(t.inverted_faces).s,
           text_plural(t.inverted_faces), t.min_strain, t.max_strain);
}

static void print_end(const check_report *report) {
    print_frames(report);
    if (report->fatal + report->other == 0)
        printf("%s: %s without defects\n", report->path, report->kind);
    else
        printf("%s: %s with %d error%s and %d warning%s\n", report->path, report->kind,
               report->fatal, text_plural(report->fatal), report->other,
               text_plural(report->other));
}

void check_report_end(check_report *report, bool ok, bool aborted) {
    if (report->json)
        end_json(report, ok);
    else if (!aborted)
        print_end(report);
}

/* Text of mesh defects for messages and the log. */
#include "core/memory.h"
#include "core/plural.h"
#include "mesh/validate.h"

#include <stdio.h>

enum { MAX_LOGGED = 3 };

typedef struct defect_info {
    const char *wrong, *advice;
    bool fatal[2]; /* by vo_mesh_use */
} defect_info;

static const defect_info info[VO_DEFECT_KIND_COUNT] = {
#define X(name, wrong, advice, cloth, obstacle) {wrong, advice, {cloth, obstacle}},
    VO_MESH_DEFECTS(X)
#undef X
};

void vo_mesh_report_free(vo_mesh_report *report) {
    vo_free_array(report->ctx, report->defect, report->capacity);
    *report = (vo_mesh_report){.ctx = report->ctx};
}

bool vo_mesh_defect_is_fatal(vo_mesh_defect_kind kind, vo_mesh_use use) {
    return info[kind].fatal[use];
}

/* "face 12", "edge 3-7". */
static void element_text(const vo_mesh_defect *d, char *text, size_t size) {
    static const char *const noun[] = {"mesh", "node", "vt", "edge", "face"};
    if (d->what == VO_ELEMENT_MESH)
        snprintf(text, size, "mesh");
    else if (d->what == VO_ELEMENT_EDGE)
        snprintf(text, size, "edge %d-%d", d->element, d->other);
    else
        snprintf(text, size, "%s %d", noun[d->what], d->element);
}

/* " (line 3)" or nothing. */
static void line_text(const vo_mesh_defect *d, char *text, size_t size) {
    text[0] = 0;
    if (d->line > 0) snprintf(text, size, " (line %d)", d->line);
}

/* ", at (0, 1, 2)" or nothing. */
static void position_text(const vo_mesh_defect *d, char *text, size_t size) {
    text[0] = 0;
    if (v3_is_finite(d->position))
        snprintf(text, size, ", at (%g, %g, %g)", d->position.x, d->position.y, d->position.z);
}

/* The second element, which ends the description of the problem, or nothing. */
static void other_text(const vo_mesh_defect *d, char *text, size_t size) {
    text[0] = 0;
    if (d->what != VO_ELEMENT_EDGE && d->other != -1) snprintf(text, size, " %d", d->other);
}

void vo_mesh_defect_text(const vo_mesh_defect *d, char *text, size_t size) {
    char element[48], line[32], position[96], other[32];
    element_text(d, element, sizeof element);
    line_text(d, line, sizeof line);
    position_text(d, position, sizeof position);
    other_text(d, other, sizeof other);
    snprintf(text, size, "%s%s%s: %s%s; %s", element, line, position, info[d->kind].wrong, other,
             info[d->kind].advice);
}

/* Index of the first fatal defect; there is one. */
static int first_fatal(const vo_mesh_report *r) {
    int i = 0;
    while (!vo_mesh_defect_is_fatal(r->defect[i].kind, r->use)) i++;
    return i;
}

void vo_mesh_report_text(const vo_mesh_report *report, char *text, size_t size) {
    text[0] = 0;
    if (report->fatal_count == 0) return;
    char defect[400];
    vo_mesh_defect_text(&report->defect[first_fatal(report)], defect, sizeof defect);
    int others = report->fatal_count - 1;
    if (others == 0)
        snprintf(text, size, "%s", defect);
    else
        snprintf(text, size, "%s (and %d other defect%s)", defect, others, vo_plural(others));
}

void vo_mesh_report_log(const vo_mesh_report *report, const char *name) {
    int warnings = report->count - report->fatal_count, logged = 0;
    int limit = report->ctx->log_all ? warnings : MAX_LOGGED;
    for (int i = 0; i < report->count && logged < limit; i++) {
        if (vo_mesh_defect_is_fatal(report->defect[i].kind, report->use)) continue;
        char text[400];
        vo_mesh_defect_text(&report->defect[i], text, sizeof text);
        vo_log_line(report->ctx, VO_LOG_WARNING, "%s: %s", name, text);
        logged++;
    }
    if (warnings > logged)
        vo_log_line(report->ctx, VO_LOG_WARNING, "%s: %s not shown", name,
                    vo_count_words(warnings - logged, "more warning is", "more warnings are").s);
}

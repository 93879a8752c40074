/* Memory of a pattern, its lengths and areas, and the check of its seams. */
#include "garment/pattern.h"

#include "garment/pattern_build.h"

#include <string.h>

bool vo_pattern_grow(vo_pattern *p, void **array, int count, int *capacity, size_t size) {
    if (count >= *capacity) {
        int more = *capacity ? 2 * *capacity : 8;
        void *memory = vo_arena_alloc(&p->arena, vo_array_bytes((size_t)more, size));
        if (!memory) return false;
        if (count) memcpy(memory, *array, (size_t)count * size);
        *array = memory;
        *capacity = more;
    }
    memset((char *)*array + (size_t)count * size, 0, size);
    return true;
}

const char *vo_pattern_text(vo_pattern *p, const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = vo_arena_alloc(&p->arena, size);
    return copy ? memcpy(copy, text, size) : NULL;
}

void vo_pattern_destroy(vo_pattern *pattern) {
    if (!pattern) return;
    vo_arena_free(&pattern->arena);
    vo_delete(pattern->ctx, pattern);
}

double vo_pattern_loop_area(const vo_pattern_panel *panel, int loop) {
    double area = 0;
    for (int e = 0; e < panel->edge_count; e++)
        for (int i = 0; panel->edge[e].loop == loop && i < panel->edge[e].piece_count; i++)
            area += vo_bezier_area(&panel->edge[e].piece[i]);
    return area;
}

double vo_pattern_panel_area(const vo_pattern_panel *panel) {
    double area = 0;
    for (int loop = 0; loop < panel->loop_count; loop++) area += vo_pattern_loop_area(panel, loop);
    return area;
}

double vo_pattern_side_length(const vo_pattern *pattern, const vo_pattern_seam *seam, int side) {
    double length = 0;
    for (int i = 0; i < seam->count[side]; i++) {
        vo_pattern_ref r = seam->side[side][i];
        length += pattern->panel[r.panel].edge[r.edge].length;
    }
    return length;
}

double vo_pattern_seam_excess(const vo_pattern *pattern, const vo_pattern_seam *seam) {
    double a = vo_pattern_side_length(pattern, seam, 0);
    double b = vo_pattern_side_length(pattern, seam, 1);
    return vo_max(a, b) / vo_min(a, b) - 1;
}

int vo_pattern_find_panel(const vo_pattern *pattern, const char *name) {
    for (int i = 0; i < pattern->panel_count; i++)
        if (strcmp(pattern->panel[i].name, name) == 0) return i;
    return -1;
}

/* Returns the start or end of an edge in counter-clockwise direction of its outline. */
static vo_vec2 edge_end(const vo_pattern_edge *edge, bool last) {
    return last ? edge->piece[edge->piece_count - 1].p[3] : edge->piece[0].p[0];
}

/* Returns true if the second edge precedes the first one and does not follow it, in the direction
 * of the first side of seams (`forward`) or of the second. Edges that do not touch may come in any
 * order. */
static bool is_backward(const vo_pattern *p, vo_pattern_ref a, vo_pattern_ref b, bool forward) {
    if (a.panel != b.panel) return false;
    const vo_pattern_edge *edge = p->panel[a.panel].edge;
    double tolerance = 1e-9;
    bool after = v2_length(v2_sub(edge_end(&edge[a.edge], forward),
                                  edge_end(&edge[b.edge], !forward))) < tolerance;
    bool before = v2_length(v2_sub(edge_end(&edge[a.edge], !forward),
                                   edge_end(&edge[b.edge], forward))) < tolerance;
    return before && !after;
}

/* Fails unless the edges of each side follow each other from one end of the seam to the other. */
static vo_result check_order(const vo_pattern *p, const vo_pattern_seam *seam) {
    for (int s = 0; s < 2; s++)
        for (int i = 0; i + 1 < seam->count[s]; i++) {
            vo_pattern_ref a = seam->side[s][i], b = seam->side[s][i + 1];
            if (!is_backward(p, a, b, s == 0)) continue;
            const vo_pattern_panel *panel = &p->panel[a.panel];
            return vo_fail(p->ctx, VO_BAD_DATA,
                           "%s: seam \"%s\": in %s, %s.%s precedes %s.%s, but lies behind it: "
                           "edges of a are listed counter-clockwise around their panel, those of "
                           "b clockwise",
                           p->file, seam->name, s == 0 ? "a" : "b", panel->name,
                           panel->edge[a.edge].name, panel->name, panel->edge[b.edge].name);
        }
    return VO_OK;
}

static vo_result check_seam(const vo_pattern *p, const vo_pattern_seam *seam) {
    if (seam->is_twisted)
        return vo_fail(
            p->ctx, VO_BAD_DATA,
            "%s: seam \"%s\" is twisted: both sides run in the same direction around their panels, "
            "so one panel would be inside out; make its orientation \"opposite\"",
            p->file, seam->name);
    VO_TRY(check_order(p, seam));
    double excess = vo_pattern_seam_excess(p, seam);
    if (excess <= seam->ease) return VO_OK;
    return vo_fail(p->ctx, VO_BAD_DATA,
                   "%s: seam \"%s\" does not close: its sides are %.1f and %.1f cm long, a "
                   "difference of %.1f %% where its ease is %.1f %%; change an outline or the ease",
                   p->file, seam->name, 100 * vo_pattern_side_length(p, seam, 0),
                   100 * vo_pattern_side_length(p, seam, 1), 100 * excess, 100 * seam->ease);
}

vo_result vo_pattern_check(const vo_pattern *pattern) {
    for (int i = 0; i < pattern->seam_count; i++) VO_TRY(check_seam(pattern, &pattern->seam[i]));
    return VO_OK;
}

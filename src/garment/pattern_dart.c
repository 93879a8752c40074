/* Darts: gaps in a panel and the seams that close them. */
#include "garment/pattern_build.h"

#include <stdio.h>
#include <string.h>

/* Sews two edges or two pairs of edges of a panel: a follows its outline, b opposes it. */
static vo_result add_dart_seam(vo_pattern *p, int panel, const char *name, int count, const int *a,
                               const int *b) {
    vo_pattern_seam *seam;
    VO_TRY(vo_pattern_add_seam(p, name, count, count, &seam));
    for (int i = 0; i < count; i++) {
        seam->side[0][i] = (vo_pattern_ref){panel, a[i]};
        seam->side[1][i] = (vo_pattern_ref){panel, b[i]};
    }
    seam->count[0] = seam->count[1] = count;
    return VO_OK;
}

/* Adds `by` to all references to edges of the panel from `from` on. */
static void shift_references(vo_pattern *p, int panel, int from, int by) {
    vo_pattern_panel *own = &p->panel[panel];
    for (int i = 0; i < own->notch_count; i++)
        if (own->notch[i].edge >= from) own->notch[i].edge += by;
    for (int s = 0; s < p->seam_count; s++)
        for (int side = 0; side < 2; side++)
            for (int i = 0; i < p->seam[s].count[side]; i++) {
                vo_pattern_ref *r = &p->seam[s].side[side][i];
                if (r->panel == panel && r->edge >= from) r->edge += by;
            }
}

/* Moves notches beyond the gap to the part of the edge behind it. */
static void move_notches(vo_pattern_panel *panel, int edge, double end, double start) {
    for (int i = 0; i < panel->notch_count; i++) {
        vo_pattern_notch *n = &panel->notch[i];
        if (n->edge != edge || n->at <= end) continue;
        n->at = vo_max(0, n->at - start);
        n->edge += 3;
    }
}

/* Replaces an edge by its four parts, which were appended before. */
static void move_parts(vo_pattern *p, vo_pattern_panel *panel, int index, int edge) {
    vo_pattern_edge part[4];
    int n = panel->edge_count - 4;
    memcpy(part, panel->edge + n, sizeof part);
    shift_references(p, index, edge + 1, 3);
    memmove(panel->edge + edge + 4, panel->edge + edge + 1,
            (size_t)(n - edge - 1) * sizeof *panel->edge);
    memcpy(panel->edge + edge, part, sizeof part);
    panel->edge_count = n + 3;
}

vo_result vo_pattern_cut_dart(vo_pattern *p, int index, int edge, const char *name, double at,
                              double width, double depth) {
    vo_pattern_panel *panel = &p->panel[index];
    vo_pattern_edge old = panel->edge[edge];
    vo_bezier before[VO_PATTERN_PIECES], after[VO_PATTERN_PIECES], leg[2];
    double start = at - width / 2, end = at + width / 2;
    char text[256];
    int n = vo_chain_part(old.piece_count, old.piece, 0, start, before);
    int m = vo_chain_part(old.piece_count, old.piece, end, old.length, after);
    vo_vec2 a = before[n - 1].p[3], b = after[0].p[0], direction = v2_sub(b, a);
    /* inwards is to the left of the edge */
    vo_vec2 inwards = v2_scale(depth / v2_length(direction), v2(-direction.y, direction.x));
    vo_vec2 tip = v2_add(v2_scale(0.5, v2_add(a, b)), inwards);
    leg[0] = vo_bezier_line(a, tip), leg[1] = vo_bezier_line(tip, b);
    snprintf(text, sizeof text, "%.250s.1", name);
    VO_TRY(vo_pattern_add_edge(p, panel, old.name, old.loop, n, before));
    VO_TRY(vo_pattern_add_edge(p, panel, text, old.loop, 1, &leg[0]));
    text[strlen(text) - 1] = '2';
    VO_TRY(vo_pattern_add_edge(p, panel, text, old.loop, 1, &leg[1]));
    VO_TRY(vo_pattern_add_edge(p, panel, old.name, old.loop, m, after));
    move_parts(p, panel, index, edge);
    move_notches(panel, edge, start, end);
    return add_dart_seam(p, index, name, 1, (const int[]){edge + 1}, (const int[]){edge + 2});
}

vo_result vo_pattern_cut_diamond(vo_pattern *p, int index, const char *name, vo_vec2 centre,
                                 double width, double up, double down) {
    vo_pattern_panel *panel = &p->panel[index];
    vo_vec2 corner[5] = {{centre.x, centre.y - down},
                         {centre.x - width / 2, centre.y},
                         {centre.x, centre.y + up},
                         {centre.x + width / 2, centre.y},
                         {centre.x, centre.y - down}};
    int first = panel->edge_count, loop = panel->loop_count;
    for (int i = 0; i < 4; i++) {
        char text[256];
        vo_bezier line = vo_bezier_line(corner[i], corner[i + 1]);
        snprintf(text, sizeof text, "%.250s.%d", name, i + 1);
        VO_TRY(vo_pattern_add_edge(p, panel, text, loop, 1, &line));
    }
    return add_dart_seam(p, index, name, 2, (const int[]){first, first + 1},
                         (const int[]){first + 3, first + 2});
}

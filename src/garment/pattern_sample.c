#include "garment/pattern_sample.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BREAKS = 256, MAX_PARTS = 20000 }; /* per seam; per edge */

/* Corresponding positions on both sides of a seam, m from its start. */
typedef struct break_list {
    int count;
    double at[MAX_BREAKS][2];
} break_list;

static vo_result no_memory(const vo_samples *s) {
    return vo_fail_memory(s->pattern->ctx, "the points of a pattern");
}

static vo_result too_short(const vo_samples *s) {
    return vo_fail(s->pattern->ctx, VO_BAD_ARGUMENT,
                   "%s: an edge would have more than %d points: a longer edge length is needed, or "
                   "a panel is very long and narrow",
                   s->pattern->file, MAX_PARTS);
}

void vo_samples_free(vo_samples *s) {
    if (!s->pattern) return;
    vo_context *ctx = s->pattern->ctx;
    vo_free_array(ctx, s->base, s->pattern->panel_count + 1);
    vo_free_array(ctx, s->size, s->edge_count);
    vo_free_array(ctx, s->seam, s->edge_count);
    vo_free_array(ctx, s->first, s->edge_count + 1);
    vo_free_array(ctx, s->point, s->point_capacity);
    vo_free_array(ctx, s->pair, s->pair_capacity);
    *s = (vo_samples){0};
}

static const vo_pattern_edge *edge_of(const vo_samples *s, vo_pattern_ref r) {
    return &s->pattern->panel[r.panel].edge[r.edge];
}
static int number_of(const vo_samples *s, vo_pattern_ref r) { return s->base[r.panel] + r.edge; }

/* Sets the target distance of points. Narrow panels get shorter edges: twice the area over the
 * perimeter is the width of a ribbon. Curves turn by at most 35 degrees per edge. */
static void set_sizes(vo_samples *s, double length) {
    for (int i = 0; i < s->pattern->panel_count; i++) {
        const vo_pattern_panel *panel = &s->pattern->panel[i];
        double outline = 0, area = vo_pattern_panel_area(panel);
        for (int e = 0; e < panel->edge_count; e++) outline += panel->edge[e].length;
        double width = vo_max(2 * area / outline, 1e-4);
        for (int e = 0; e < panel->edge_count; e++) {
            double turning = 0;
            for (int k = 0; k < panel->edge[e].piece_count; k++)
                turning += vo_bezier_turning(&panel->edge[e].piece[k]);
            double size = vo_min(length, 1.6 * width);
            s->size[s->base[i] + e] =
                vo_min(size, panel->edge[e].length / ceil(turning / 0.6 + 1e-9));
        }
    }
}

static vo_result add_stop(vo_samples *s, vo_outline_point point) {
    if (!vo_reserve(s->pattern->ctx, &s->point, &s->point_capacity, s->point_count + 1))
        return no_memory(s);
    s->point[s->point_count++] = point;
    return VO_OK;
}

/* Returns the point at a distance along one side of a seam. */
static vo_outline_point locate_along_seam(const vo_samples *s, const vo_pattern_seam *seam,
                                          int side, double at) {
    bool against = side == 1 && !seam->is_twisted;
    for (int i = 0;; i++) {
        vo_pattern_ref r = seam->side[side][i];
        double length = edge_of(s, r)->length;
        if (at <= length || i + 1 == seam->count[side]) {
            at = vo_clamp(at, 0, length);
            return (vo_outline_point){number_of(s, r), against ? length - at : at};
        }
        at -= length;
    }
}

/* Returns the position of a notch along a side, negative if it is not on it. */
static double find_notch(const vo_samples *s, const vo_pattern_seam *seam, int side, int panel,
                         const vo_pattern_notch *notch) {
    double begin = 0;
    for (int i = 0; i < seam->count[side]; i++) {
        vo_pattern_ref r = seam->side[side][i];
        double length = edge_of(s, r)->length;
        if (r.panel == panel && r.edge == notch->edge)
            return begin + (side == 1 && !seam->is_twisted ? length - notch->at : notch->at);
        begin += length;
    }
    return -1;
}

static void add_break(break_list *list, double a, double b) {
    if (list->count == MAX_BREAKS) return;
    list->at[list->count][0] = a;
    list->at[list->count++][1] = b;
}

/* Pairs the notches of the same name on both sides. */
static void pair_notches(const vo_samples *s, const vo_pattern_seam *seam, break_list *list) {
    const vo_pattern *p = s->pattern;
    for (int i = 0; i < seam->count[0]; i++)
        for (int j = 0; j < seam->count[1]; j++) {
            int a = seam->side[0][i].panel, b = seam->side[1][j].panel;
            for (int m = 0; m < p->panel[a].notch_count; m++)
                for (int n = 0; n < p->panel[b].notch_count; n++) {
                    const vo_pattern_notch *x = &p->panel[a].notch[m], *y = &p->panel[b].notch[n];
                    if (!*x->name || strcmp(x->name, y->name) != 0) continue;
                    if (x->edge != seam->side[0][i].edge || y->edge != seam->side[1][j].edge)
                        continue;
                    add_break(list, find_notch(s, seam, 0, a, x), find_notch(s, seam, 1, b, y));
                }
        }
}

static int compare_breaks(const void *a, const void *b) {
    const double *p = a, *q = b;
    if (p[0] != q[0]) return p[0] < q[0] ? -1 : 1;
    return (p[1] > q[1]) - (p[1] < q[1]);
}

/* Maps a position on side `from` to the other side, by fraction between the sorted breaks. */
static double map_position(const break_list *list, int from, double at) {
    for (int i = 1; i < list->count; i++) {
        const double *low = list->at[i - 1], *high = list->at[i];
        if (at > high[from] && i + 1 < list->count) continue;
        double t = (at - low[from]) / (high[from] - low[from]);
        return low[1 - from] + t * (high[1 - from] - low[1 - from]);
    }
    return at;
}

/* Adds the corners between edges of both sides; a corner of b near one of a is merged with it. */
static void add_corners(const vo_samples *s, const vo_pattern_seam *seam, double tolerance,
                        break_list *list) {
    const break_list anchors = *list;
    for (int side = 0; side < 2; side++) {
        double at = 0;
        for (int i = 0; i + 1 < seam->count[side]; i++) {
            at += edge_of(s, seam->side[side][i])->length;
            double other = map_position(&anchors, side, at), best = tolerance;
            int join = -1;
            for (int k = anchors.count; side == 1 && k < list->count; k++)
                if (fabs(list->at[k][1] - at) < best) {
                    best = fabs(list->at[k][1] - at);
                    join = k;
                }
            if (join >= 0)
                list->at[join][1] = at;
            else
                add_break(list, side ? other : at, side ? at : other);
        }
    }
}

/* Sorts the breaks and removes duplicates; returns false if the order on the two sides differs. */
static bool sort_breaks(break_list *list) {
    qsort(list->at, (size_t)list->count, sizeof *list->at, compare_breaks);
    int kept = 1;
    for (int i = 1; i < list->count; i++) {
        const double *low = list->at[kept - 1];
        double a = list->at[i][0] - low[0], b = list->at[i][1] - low[1];
        if (fabs(a) < 1e-6 && fabs(b) < 1e-6) continue;
        if (a < 1e-6 || b < 1e-6) return false;
        memmove(list->at[kept++], list->at[i], sizeof *list->at);
    }
    list->count = kept;
    return true;
}

static vo_result add_pair(vo_samples *s, const vo_pattern_seam *seam, double a, double b) {
    vo_outline_point_pair pair = {
        {locate_along_seam(s, seam, 0, a), locate_along_seam(s, seam, 1, b)},
        (int)(seam - s->pattern->seam)};
    if (!vo_reserve(s->pattern->ctx, &s->pair, &s->pair_capacity, s->pair_count + 1))
        return no_memory(s);
    s->pair[s->pair_count++] = pair;
    VO_TRY(add_stop(s, pair.side[0]));
    return add_stop(s, pair.side[1]);
}

/* Adds the points of one interval of a seam, without its end. */
static vo_result divide_interval(vo_samples *s, const vo_pattern_seam *seam, const double low[2],
                                 const double high[2]) {
    double need = 1;
    for (int side = 0; side < 2; side++) {
        vo_outline_point middle = locate_along_seam(s, seam, side, 0.5 * (low[side] + high[side]));
        need = vo_max(need, ceil((high[side] - low[side]) / s->size[middle.edge] - 0.25));
    }
    if (need > MAX_PARTS) return too_short(s);
    for (int i = 0; i < (int)need; i++) {
        double t = i / need;
        VO_TRY(add_pair(s, seam, low[0] + t * (high[0] - low[0]), low[1] + t * (high[1] - low[1])));
    }
    return VO_OK;
}

static vo_result sample_seam(vo_samples *s, const vo_pattern_seam *seam) {
    const vo_pattern *p = s->pattern;
    break_list list = {0};
    double end[2] = {vo_pattern_side_length(p, seam, 0), vo_pattern_side_length(p, seam, 1)};
    double tolerance = 0.3 * s->size[number_of(s, seam->side[0][0])];
    add_break(&list, 0, 0);
    pair_notches(s, seam, &list);
    add_break(&list, end[0], end[1]);
    bool fine = sort_breaks(&list);
    if (fine) {
        add_corners(s, seam, tolerance, &list);
        fine = sort_breaks(&list);
    }
    if (!fine)
        return vo_fail(p->ctx, VO_BAD_DATA,
                       "%s: seam \"%s\": notches or corners come in another order on its two sides",
                       p->file, seam->name);
    for (int i = 1; i < list.count; i++)
        VO_TRY(divide_interval(s, seam, list.at[i - 1], list.at[i]));
    return add_pair(s, seam, end[0], end[1]);
}

/* Marks the edges of a seam; an edge may be in one seam only. */
static vo_result mark_seam(vo_samples *s, int index) {
    const vo_pattern *p = s->pattern;
    const vo_pattern_seam *seam = &p->seam[index];
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < seam->count[side]; i++) {
            vo_pattern_ref r = seam->side[side][i];
            int *own = &s->seam[number_of(s, r)];
            if (*own >= 0)
                return vo_fail(p->ctx, VO_BAD_DATA,
                               "%s: edge %s.%s is in seam \"%s\" and again in seam \"%s\"", p->file,
                               p->panel[r.panel].name, edge_of(s, r)->name, p->seam[*own].name,
                               seam->name);
            *own = index;
        }
    return VO_OK;
}

/* Adds the start of every edge, and evenly spaced points on edges without a seam. */
static vo_result sample_edges(vo_samples *s) {
    for (int i = 0; i < s->pattern->panel_count; i++)
        for (int e = 0; e < s->pattern->panel[i].edge_count; e++) {
            int number = s->base[i] + e;
            double length = s->pattern->panel[i].edge[e].length;
            double parts = vo_max(1, ceil(length / s->size[number] - 0.25));
            if (parts > MAX_PARTS) return too_short(s);
            if (s->seam[number] >= 0) parts = 1;
            for (int k = 0; k < (int)parts; k++)
                VO_TRY(add_stop(s, (vo_outline_point){number, k * length / parts}));
        }
    return VO_OK;
}

static int compare_stops(const void *a, const void *b) {
    const vo_outline_point *p = a, *q = b;
    if (p->edge != q->edge) return p->edge < q->edge ? -1 : 1;
    return (p->at > q->at) - (p->at < q->at);
}

static double length_of(const vo_samples *s, int number) {
    int panel = 0;
    while (s->base[panel + 1] <= number) panel++;
    return s->pattern->panel[panel].edge[number - s->base[panel]].length;
}

/* Sorts the points and merges duplicates; points at the end of an edge belong to the next edge. */
static void index_points(vo_samples *s) {
    int kept = 0, edge = -1;
    double length = 0;
    qsort(s->point, (size_t)s->point_count, sizeof *s->point, compare_stops);
    for (int i = 0; i < s->point_count; i++) {
        vo_outline_point point = s->point[i];
        if (point.edge != edge) {
            length = length_of(s, point.edge);
            while (edge < point.edge) s->first[++edge] = kept;
            s->point[kept++] = point; /* the start */
        } else if (point.at - s->point[kept - 1].at > 1e-6 && length - point.at > 1e-6) {
            s->point[kept++] = point;
        }
    }
    s->first[s->edge_count] = kept;
    s->point_count = kept;
}

int vo_samples_find(const vo_samples *s, vo_outline_point place) {
    int low = s->first[place.edge], high = s->first[place.edge + 1];
    if (length_of(s, place.edge) - place.at <= 1e-6) {
        int panel = 0;
        while (s->base[panel + 1] <= place.edge) panel++;
        int next = s->pattern->panel[panel].edge[place.edge - s->base[panel]].next;
        return s->first[s->base[panel] + next];
    }
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (s->point[middle].at <= place.at + 1e-6)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static vo_result allocate(vo_samples *s) {
    vo_context *ctx = s->pattern->ctx;
    int panels = s->pattern->panel_count;
    s->base = vo_new_array(ctx, int, panels + 1);
    if (!s->base) return no_memory(s);
    s->base[0] = 0;
    for (int i = 0; i < panels; i++) s->base[i + 1] = s->base[i] + s->pattern->panel[i].edge_count;
    s->edge_count = s->base[panels];
    s->size = vo_new_array(ctx, double, s->edge_count);
    s->seam = vo_new_array(ctx, int, s->edge_count);
    s->first = vo_new_array(ctx, int, s->edge_count + 1);
    if (!s->size || !s->seam || !s->first) return no_memory(s);
    for (int e = 0; e < s->edge_count; e++) s->seam[e] = -1;
    return VO_OK;
}

static vo_result sample(vo_samples *s, double length) {
    VO_TRY(allocate(s));
    set_sizes(s, length);
    for (int i = 0; i < s->pattern->seam_count; i++) VO_TRY(mark_seam(s, i));
    VO_TRY(sample_edges(s));
    for (int i = 0; i < s->pattern->seam_count; i++) VO_TRY(sample_seam(s, &s->pattern->seam[i]));
    index_points(s);
    return VO_OK;
}

vo_result vo_samples_create(const vo_pattern *pattern, double length, vo_samples *out) {
    *out = (vo_samples){.pattern = pattern};
    vo_result result = sample(out, length);
    if (result != VO_OK) vo_samples_free(out);
    return result;
}

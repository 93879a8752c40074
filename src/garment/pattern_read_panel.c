/* Reads panels of Voile's pattern format (docs/patterns.md): outlines, folds, notches, darts,
 * placements. */
#include "garment/pattern_read.h"

#include <stdio.h>
#include <string.h>

static vo_result no_memory(vo_pattern_reader *r) { return vo_fail_memory(r->p->ctx, "a pattern"); }

vo_result vo_pattern_require(vo_json_cursor at, const char *meaning) {
    return vo_json_is_present(at) ? VO_OK : vo_json_fail(at, "is missing: %s", meaning);
}

vo_result vo_pattern_read_between(vo_json_cursor at, double low, double high, double *out) {
    VO_TRY(vo_json_read_real(at, out));
    if (*out >= low && *out <= high) return VO_OK;
    return vo_json_fail(at, "must be between %g and %g, not %g", low, high, *out);
}

/* Reads a length in the file's units. */
static vo_result read_length(const vo_pattern_reader *r, vo_json_cursor at, double *out) {
    double value = *out / r->unit, limit = VO_PATTERN_LIMIT / r->unit;
    VO_TRY(vo_pattern_read_between(at, -limit, limit, &value));
    *out = value * r->unit;
    return VO_OK;
}

static vo_result read_size(const vo_pattern_reader *r, vo_json_cursor at, const char *meaning,
                           double *out) {
    VO_TRY(vo_pattern_require(at, meaning));
    VO_TRY(read_length(r, at, out));
    return *out > 1e-6 ? VO_OK : vo_json_fail(at, "must be positive");
}

static vo_result read_degrees(vo_json_cursor at, double *out) {
    double degrees = *out * 180 / VO_PI;
    VO_TRY(vo_pattern_read_between(at, -36000, 36000, &degrees));
    *out = degrees * VO_PI / 180;
    return VO_OK;
}

static vo_result read_pair(const vo_pattern_reader *r, vo_json_cursor at, vo_vec2 *out) {
    double xy[2] = {out->x / r->unit, out->y / r->unit};
    VO_TRY(vo_json_read_reals(at, xy, 2));
    *out = v2(xy[0] * r->unit, xy[1] * r->unit);
    if (fabs(out->x) < VO_PATTERN_LIMIT && fabs(out->y) < VO_PATTERN_LIMIT) return VO_OK;
    return vo_json_fail(at, "is more than 1000 m away");
}

/* Reads [x, y] or the name of a point of the panel. */
static vo_result read_point(const vo_pattern_reader *r, const vo_json_cursor *panel,
                            vo_json_cursor at, vo_vec2 *out) {
    const char *name = NULL;
    VO_TRY(vo_pattern_require(at, "a point: its name or [x, y]"));
    if (vo_json_kind(at) != VO_JSON_STRING) return read_pair(r, at, out);
    VO_TRY(vo_json_read_string(at, &name));
    vo_json_cursor points = vo_json_get(panel, "points"), point = vo_json_get(&points, name);
    if (!vo_json_is_present(point))
        return vo_json_fail(at, "there is no point \"%.80s\" in the panel's points", name);
    return read_pair(r, point, out);
}

/* Appends points to `out`; *count grows. */
static vo_result read_points(const vo_pattern_reader *r, const vo_json_cursor *panel,
                             vo_json_cursor at, int limit, vo_vec2 *out, int *count) {
    int n = vo_json_length(at);
    if (n < 1 || n > limit)
        return vo_json_fail(at, "expected an array of 1 to %d points, found %s of %d", limit,
                            vo_json_kind_name(at), n);
    for (int i = 0; i < n; i++)
        VO_TRY(read_point(r, panel, vo_json_item(&at, i), &out[(*count)++]));
    return VO_OK;
}

/* Reads the curve from `from` to `to`: "curve" (1 or 2 control points), "spline" (points) or "arc"
 * (bulge). */
static vo_result read_curve(const vo_pattern_reader *r, const vo_json_cursor *panel,
                            const vo_json_cursor *item, vo_vec2 from, vo_vec2 to,
                            vo_bezier out[VO_PATTERN_PIECES], int *count) {
    vo_json_cursor curve = vo_json_get(item, "curve"), spline = vo_json_get(item, "spline");
    vo_json_cursor arc = vo_json_get(item, "arc");
    vo_vec2 point[VO_PATTERN_PIECES + 1] = {from};
    int n = 1;
    *count = 1;
    if (vo_json_is_present(curve) + vo_json_is_present(spline) + vo_json_is_present(arc) > 1)
        return vo_json_fail(*item, "give one of curve, spline and arc");
    if (vo_json_is_present(curve)) {
        VO_TRY(read_points(r, panel, curve, 2, point, &n));
        out[0] = n == 2 ? vo_bezier_quadratic(from, point[1], to)
                        : (vo_bezier){{from, point[1], point[2], to}};
    } else if (vo_json_is_present(spline)) {
        VO_TRY(read_points(r, panel, spline, VO_PATTERN_PIECES - 1, point, &n));
        point[n++] = to;
        vo_bezier_spline(n, point, out);
        *count = n - 1;
    } else {
        double bulge = 0;
        VO_TRY(read_length(r, arc, &bulge));
        *count = vo_bezier_arc(from, to, bulge, out);
    }
    return VO_OK;
}

vo_result vo_pattern_read_name(vo_json_cursor at, const char **out) {
    VO_TRY(vo_json_read_string(at, out));
    if (vo_json_is_present(at) && (!**out || strlen(*out) > 80 || strpbrk(*out, "\r\n")))
        return vo_json_fail(at, "must be one line of 1 to 80 characters");
    return VO_OK;
}

/* Reads one entry of an outline: the edge from `from` to it. */
static vo_result read_edge(vo_pattern_reader *r, const vo_json_cursor *panel, vo_pattern_panel *out,
                           int loop, vo_json_cursor at, vo_vec2 *from) {
    static const char *const known[] = {"to", "name", "curve", "spline", "arc", NULL};
    vo_bezier piece[VO_PATTERN_PIECES];
    char fallback[32];
    const char *name = fallback;
    vo_vec2 to = *from;
    int count = 1;
    snprintf(fallback, sizeof fallback, "%d", out->edge_count);
    if (vo_json_kind(at) == VO_JSON_OBJECT) {
        VO_TRY(vo_json_check_keys(at, known));
        VO_TRY(vo_pattern_read_name(vo_json_get(&at, "name"), &name));
        VO_TRY(read_point(r, panel, vo_json_get(&at, "to"), &to));
        VO_TRY(read_curve(r, panel, &at, *from, to, piece, &count));
    } else {
        VO_TRY(read_point(r, panel, at, &to));
        piece[0] = vo_bezier_line(*from, to);
    }
    if (loop == 0 && vo_pattern_find_edges(out, name, &(int){0}))
        return vo_json_fail(at, "there are two edges called \"%.80s\"", name);
    *from = to;
    return vo_pattern_add_edge(r->p, out, name, loop, count, piece);
}

/* Reads a loop: a first point, then edges; an edge to the first point is added if the loop is
 * open. */
static vo_result read_loop(vo_pattern_reader *r, const vo_json_cursor *panel, vo_pattern_panel *out,
                           int loop, vo_json_cursor at) {
    vo_vec2 first = {0, 0}, from;
    int n = vo_json_length(at);
    if (n < 2 || n > 1000)
        return vo_json_fail(at, "expected an array: a first point, then up to 999 edges");
    VO_TRY(read_point(r, panel, vo_json_item(&at, 0), &first));
    from = first;
    for (int i = 1; i < n; i++) VO_TRY(read_edge(r, panel, out, loop, vo_json_item(&at, i), &from));
    if (from.x == first.x && from.y == first.y) return VO_OK;
    vo_bezier line = vo_bezier_line(from, first);
    char name[32];
    snprintf(name, sizeof name, "%d", out->edge_count);
    return vo_pattern_add_edge(r->p, out, name, loop, 1, &line);
}

/* Finds the edge named by member `key` of `object`. */
static vo_result read_edge_name(const vo_json_cursor *object, const char *key,
                                const vo_pattern_panel *panel, const char **name, int *edge) {
    vo_json_cursor at = vo_json_get(object, key);
    VO_TRY(vo_pattern_require(at, "the name of an edge"));
    VO_TRY(vo_json_read_string(at, name));
    if (vo_pattern_find_edges(panel, *name, edge)) return VO_OK;
    return vo_json_fail(at, "the panel has no edge \"%.80s\"", *name);
}

static vo_result read_notches(vo_pattern_reader *r, vo_json_cursor at, vo_pattern_panel *panel) {
    static const char *const known[] = {"edge", "at", "name", NULL};
    for (int i = 0; i < vo_json_length(at); i++) {
        vo_json_cursor item = vo_json_item(&at, i), place = vo_json_get(&item, "at");
        const char *name = "", *edge_name = NULL;
        int edge = 0;
        double fraction = 0;
        VO_TRY(vo_json_check_keys(item, known));
        VO_TRY(read_edge_name(&item, "edge", panel, &edge_name, &edge));
        VO_TRY(vo_pattern_require(place, "how far along the edge, 0 to 1"));
        VO_TRY(vo_pattern_read_between(place, 0.01, 0.99, &fraction));
        VO_TRY(vo_pattern_read_name(vo_json_get(&item, "name"), &name));
        if (!vo_pattern_more(r->p, &panel->notch, panel->notch_count, &panel->notch_capacity) ||
            !(name = vo_pattern_text(r->p, name)))
            return no_memory(r);
        const vo_pattern_edge *e = &panel->edge[edge];
        panel->notch[panel->notch_count++] =
            (vo_pattern_notch){name, edge, fraction * vo_chain_length(e->piece_count, e->piece)};
    }
    return VO_OK;
}

/* Reads interior lines: like outlines, but open. */
static vo_result read_line(vo_pattern_reader *r, const vo_json_cursor *panel, vo_json_cursor at,
                           vo_pattern_panel *out) {
    static const char *const known[] = {"to", "curve", "spline", "arc", NULL};
    vo_vec2 from = {0, 0};
    int n = vo_json_length(at);
    if (n < 2 || n > 100) return vo_json_fail(at, "expected an array of 2 to 100 points");
    VO_TRY(read_point(r, panel, vo_json_item(&at, 0), &from));
    for (int i = 1; i < n; i++) {
        vo_json_cursor item = vo_json_item(&at, i);
        vo_bezier piece[VO_PATTERN_PIECES];
        vo_vec2 to = from;
        int count = 1;
        bool object = vo_json_kind(item) == VO_JSON_OBJECT;
        if (object) VO_TRY(vo_json_check_keys(item, known));
        VO_TRY(read_point(r, panel, object ? vo_json_get(&item, "to") : item, &to));
        piece[0] = vo_bezier_line(from, to);
        if (object) VO_TRY(read_curve(r, panel, &item, from, to, piece, &count));
        if (!(vo_chain_length(count, piece) > 1e-6)) return vo_json_fail(item, "has no length");
        vo_bezier *copy = vo_arena_array(&r->p->arena, vo_bezier, count);
        if (!copy || !vo_pattern_more(r->p, &out->line, out->line_count, &out->line_capacity))
            return no_memory(r);
        memcpy(copy, piece, (size_t)count * sizeof *copy);
        out->line[out->line_count++] = (vo_pattern_line){count, copy};
        from = to;
    }
    return VO_OK;
}

/* Finds the part of an edge, possibly split by darts, at a fraction of its original length. */
static bool find_part(const vo_pattern_panel *panel, const char *name, double fraction,
                      double width, int *edge, double *at) {
    double whole = 0;
    for (int pass = 0; pass < 2; pass++) {
        double begin = 0;
        const vo_pattern_edge *last = NULL;
        for (int e = 0; e < panel->edge_count; e++) {
            const vo_pattern_edge *part = &panel->edge[e];
            if (strcmp(part->name, name) != 0) continue;
            if (last)
                begin +=
                    v2_length(v2_sub(part->piece[0].p[0], last->piece[last->piece_count - 1].p[3]));
            *edge = e;
            *at = fraction * whole - begin;
            if (pass && *at > width && *at < part->length - width) return true;
            begin += part->length;
            last = part;
        }
        whole = begin;
    }
    return false;
}

/* Reads a dart from an edge inwards, and its mirror image on a folded panel. */
static vo_result read_edge_dart(vo_pattern_reader *r, const vo_json_cursor *item, int index,
                                const char *name, double width, bool reversed) {
    vo_pattern_panel *panel = &r->p->panel[index];
    const char *edge_name = NULL;
    double fraction = 0.5, depth = 0, at = 0;
    int edge = 0;
    char mirrored[256];
    vo_json_cursor place = vo_json_get(item, "at");
    VO_TRY(read_edge_name(item, "edge", panel, &edge_name, &edge));
    VO_TRY(vo_pattern_read_between(place, 0, 1, &fraction));
    VO_TRY(read_size(r, vo_json_get(item, "depth"), "how far the tip is inwards", &depth));
    if (reversed) fraction = 1 - fraction;
    for (int half = 0; half < (panel->folded ? 2 : 1); half++) {
        if (half) {
            snprintf(mirrored, sizeof mirrored, "%.250s.m", edge_name);
            edge_name = mirrored;
            fraction = 1 - fraction;
        }
        if (!find_part(panel, edge_name, fraction, 0.6 * width, &edge, &at))
            return vo_json_fail(place, "the dart does not fit on its edge there");
        snprintf(mirrored, sizeof mirrored, "%.200s%s", name, half ? ".m" : "");
        VO_TRY(vo_pattern_cut_dart(r->p, index, edge, mirrored, at, width, depth));
        if (vo_pattern_finish_panel(panel))
            return vo_json_fail(*item, "leaves nothing of its edge");
    }
    return VO_OK;
}

/* Reads a diamond dart, and its mirror image about x = 0 on a folded panel. */
static vo_result read_diamond(vo_pattern_reader *r, const vo_json_cursor *item, int index,
                              const char *name, double width) {
    vo_pattern_panel *panel = &r->p->panel[index];
    vo_vec2 centre = {0, 0};
    double up = 0, down = 0;
    char text[256];
    VO_TRY(read_pair(r, vo_json_get(item, "centre"), &centre));
    VO_TRY(read_size(r, vo_json_get(item, "up"), "how far it reaches upwards", &up));
    VO_TRY(read_size(r, vo_json_get(item, "down"), "how far it reaches downwards", &down));
    for (int half = 0; half < (panel->folded ? 2 : 1); half++) {
        snprintf(text, sizeof text, "%.200s%s", name, half ? ".m" : "");
        VO_TRY(vo_pattern_cut_diamond(r->p, index, text, centre, width, up, down));
        if (vo_pattern_finish_panel(panel)) return vo_json_fail(*item, "is not a valid diamond");
        centre.x = -centre.x;
    }
    return VO_OK;
}

static vo_result read_darts(vo_pattern_reader *r, vo_json_cursor at, int index, bool reversed) {
    static const char *const known[] = {"name",   "edge", "at",   "width", "depth",
                                        "centre", "up",   "down", NULL};
    for (int i = 0; i < vo_json_length(at); i++) {
        vo_json_cursor item = vo_json_item(&at, i);
        char fallback[256];
        const char *name = fallback;
        double width = 0;
        snprintf(fallback, sizeof fallback, "%.80s.dart%d", r->p->panel[index].name, i + 1);
        VO_TRY(vo_json_check_keys(item, known));
        VO_TRY(vo_pattern_read_name(vo_json_get(&item, "name"), &name));
        VO_TRY(read_size(r, vo_json_get(&item, "width"), "how much cloth it takes in", &width));
        if (vo_json_is_present(vo_json_get(&item, "centre")))
            VO_TRY(read_diamond(r, &item, index, name, width));
        else
            VO_TRY(read_edge_dart(r, &item, index, name, width, reversed));
    }
    return VO_OK;
}

static vo_result read_flat(const vo_pattern_reader *r, const vo_json_cursor *at,
                           vo_panel_placement *out) {
    double where[3] = {0, 0, 0}, turn[3] = {0, 0, 0};
    VO_TRY(vo_json_read_reals(vo_json_get(at, "at"), where, 3));
    VO_TRY(vo_json_read_reals(vo_json_get(at, "turn"), turn, 3));
    for (int k = 0; k < 3; k++)
        if (!(fabs(where[k]) * r->unit < VO_PATTERN_LIMIT && fabs(turn[k]) < 36000))
            return vo_json_fail(*at, "is out of reach");
    const double d = VO_PI / 180;
    out->transform.translation = v3_scale(r->unit, v3(where[0], where[1], where[2]));
    /* rotations about x, then y, then z */
    out->transform.rotation = q_mul(
        q_axis_angle(v3(0, 0, 1), d * turn[2]),
        q_mul(q_axis_angle(v3(0, 1, 0), d * turn[1]), q_axis_angle(v3(1, 0, 0), d * turn[0])));
    return VO_OK;
}

static vo_result read_place(vo_pattern_reader *r, vo_json_cursor at, vo_panel_placement *out) {
    static const char *const flat[] = {"at", "turn", NULL};
    static const char *const known[] = {"around", "radius", "angle",  "height",
                                        "anchor", "slope",  "flutes", NULL};
    if (!vo_json_is_present(at)) return VO_OK;
    vo_json_cursor around = vo_json_get(&at, "around"), slope = vo_json_get(&at, "slope");
    vo_json_cursor flutes = vo_json_get(&at, "flutes");
    if (!vo_json_is_present(around)) {
        VO_TRY(vo_json_check_keys(at, flat));
        return read_flat(r, &at, out);
    }
    const char *axis = NULL;
    VO_TRY(vo_json_check_keys(at, known));
    VO_TRY(vo_pattern_read_name(around, &axis));
    if (!(out->axis = vo_pattern_text(r->p, axis))) return no_memory(r);
    VO_TRY(read_degrees(vo_json_get(&at, "angle"), &out->angle));
    VO_TRY(read_length(r, vo_json_get(&at, "height"), &out->height));
    VO_TRY(read_pair(r, vo_json_get(&at, "anchor"), &out->anchor));
    out->kind = vo_json_is_present(slope) ? VO_PLACEMENT_CONE : VO_PLACEMENT_WRAP;
    if (out->kind == VO_PLACEMENT_WRAP)
        return read_size(r, vo_json_get(&at, "radius"), "the radius of the cylinder", &out->radius);
    VO_TRY(vo_pattern_read_between(slope, 5, 90, &out->slope));
    out->slope *= VO_PI / 180;
    if (vo_json_is_present(flutes)) {
        double count = 0;
        VO_TRY(vo_pattern_read_between(flutes, 2, 100, &count));
        out->flutes = (int)count;
    }
    return read_length(r, vo_json_get(&at, "radius"), &out->radius);
}

/* Reads outline, holes, notches, lines, fold and darts, in this order. */
static vo_result read_shape(vo_pattern_reader *r, const vo_json_cursor *at, int index) {
    vo_pattern_panel *panel = &r->p->panel[index];
    vo_json_cursor fold = vo_json_get(at, "fold"), lines = vo_json_get(at, "lines");
    vo_json_cursor holes = vo_json_get(at, "holes");
    VO_TRY(vo_pattern_require(vo_json_get(at, "outline"), "a first point and edges"));
    VO_TRY(read_loop(r, at, panel, 0, vo_json_get(at, "outline")));
    VO_TRY(read_notches(r, vo_json_get(at, "notches"), panel));
    for (int i = 0; i < vo_json_length(lines); i++)
        VO_TRY(read_line(r, at, vo_json_item(&lines, i), panel));
    if (vo_json_is_present(fold)) {
        const char *name = NULL;
        int edge = 0;
        VO_TRY(read_edge_name(at, "fold", panel, &name, &edge));
        const vo_pattern_edge *e = &panel->edge[edge];
        double chord = v2_length(v2_sub(e->piece[0].p[0], e->piece[e->piece_count - 1].p[3]));
        if (panel->edge_count < 3 || !(chord > 1e-6) ||
            vo_chain_length(e->piece_count, e->piece) > chord * (1 + 1e-9))
            return vo_json_fail(fold, "a panel is folded along a straight edge");
        VO_TRY(vo_pattern_unfold(r->p, panel, edge));
    }
    bool reversed = vo_pattern_loop_area(panel, 0) < 0;
    for (int i = 0; i < vo_json_length(holes); i++)
        VO_TRY(read_loop(r, at, panel, i + 1, vo_json_item(&holes, i)));
    const char *wrong = vo_pattern_finish_panel(panel);
    if (wrong) return vo_json_fail(*at, "%s", wrong);
    panel->place.inner = vo_pattern_inner_radius(panel);
    return read_darts(r, vo_json_get(at, "darts"), index, reversed);
}

static vo_result check_panel_name(const vo_pattern_reader *r, vo_json_cursor at, const char *name) {
    if (!*name || strlen(name) > 80 || strpbrk(name, ".\r\n"))
        return vo_json_fail(at, "the name of a panel is 1 to 80 characters without a dot");
    if (vo_pattern_find_panel(r->p, name) >= 0)
        return vo_json_fail(at, "there are two panels called %s", name);
    return VO_OK;
}

vo_result vo_pattern_read_panel(vo_pattern_reader *r, vo_json_cursor at, const char *fabric) {
    static const char *const known[] = {"points", "outline", "holes", "fold",   "notches",
                                        "lines",  "darts",   "grain", "fabric", "layer",
                                        "place",  "mirror",  NULL};
    vo_pattern_panel *panel;
    vo_json_cursor mirror = vo_json_get(&at, "mirror"), layer = vo_json_get(&at, "layer");
    const char *twin = NULL;
    VO_TRY(vo_json_check_keys(at, known));
    VO_TRY(check_panel_name(r, at, at.key));
    VO_TRY(vo_pattern_add_panel(r->p, at.key, &panel));
    int index = r->p->panel_count - 1;
    VO_TRY(vo_json_read_string(vo_json_get(&at, "fabric"), &fabric));
    VO_TRY(vo_pattern_add_fabric(r->p, fabric, &panel->fabric));
    VO_TRY(vo_json_read_int(layer, &panel->layer));
    if (panel->layer < 0 || panel->layer > 99) return vo_json_fail(layer, "must be 0 to 99");
    VO_TRY(read_degrees(vo_json_get(&at, "grain"), &panel->grain));
    VO_TRY(read_place(r, vo_json_get(&at, "place"), &panel->place));
    VO_TRY(read_shape(r, &at, index));
    VO_TRY(vo_json_read_string(mirror, &twin));
    if (!twin) return VO_OK;
    VO_TRY(check_panel_name(r, mirror, twin));
    return vo_pattern_add_twin(r->p, index, twin);
}

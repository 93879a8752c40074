/* Reads patterns of GarmentCode (Korosteleva and Sorkine-Hornung 2023, "GarmentCode: programming
 * parametric sewing patterns"): *_specification.json.
 *
 * Its panels are placed by a translation and Euler angles, with y up and z to the front; this is
 * converted to z up and facing -y. The orientation of an outline determines which side faces
 * outwards, so a panel drawn clockwise is seen from behind: its x is mirrored, and its placement is
 * rotated about y by half a turn. Stitches always run in opposite directions. */
#include "garment/pattern_build.h"

#include <stdio.h>
#include <string.h>

enum { MAX_CORNERS = 1000 };

typedef struct code_panel {
    double unit;
    int corner_count;
    vo_vec2 *corner;
    double mirror; /* 1 or -1 */
} code_panel;

bool vo_garmentcode_detect(vo_json_cursor root) {
    vo_json_cursor pattern = vo_json_get(&root, "pattern");
    return vo_json_kind(pattern) == VO_JSON_OBJECT &&
           vo_json_is_present(vo_json_get(&pattern, "panels"));
}

/* Reads [x, y] relative to the edge from a to b: along it, and to its left. */
static vo_result read_relative(vo_json_cursor at, vo_vec2 a, vo_vec2 b, double mirror,
                               vo_vec2 *out) {
    double xy[2] = {0, 0};
    vo_vec2 d = v2_sub(b, a);
    if (!vo_json_is_present(at)) return vo_json_fail(at, "is missing: [x, y]");
    VO_TRY(vo_json_read_reals(at, xy, 2));
    *out = v2_add(a, v2_add(v2_scale(xy[0], d), v2_scale(mirror * xy[1], v2(-d.y, d.x))));
    return VO_OK;
}

/* Reads the parameters of a circle: radius, large-arc flag, right flag. */
static vo_result read_circle(vo_json_cursor params, const code_panel *c, vo_vec2 a, vo_vec2 b,
                             vo_bezier *out, int *count) {
    double number[3] = {0, 0, 0};
    VO_TRY(vo_json_read_reals(params, number, 3));
    double half = v2_length(v2_sub(b, a)) / 2, radius = fabs(number[0]) * c->unit;
    if (!(radius >= half * (1 - 1e-6) && radius < VO_PATTERN_LIMIT))
        return vo_json_fail(params,
                            "the radius is less than half of the distance between the ends");
    double rise = sqrt(vo_max(0, radius * radius - half * half));
    double bulge = number[1] != 0 ? radius + rise : radius - rise;
    *count = vo_bezier_arc(a, b, (number[2] != 0 ? bulge : -bulge) * c->mirror, out);
    return VO_OK;
}

static vo_result read_curvature(vo_json_cursor at, const code_panel *c, vo_vec2 a, vo_vec2 b,
                                vo_bezier *out, int *count) {
    const char *type = "";
    vo_vec2 handle[2];
    out[0] = vo_bezier_line(a, b);
    *count = 1;
    if (!vo_json_is_present(at)) return VO_OK;
    /* older form: a single control point of a quadratic curve */
    if (vo_json_kind(at) == VO_JSON_ARRAY) {
        VO_TRY(read_relative(at, a, b, c->mirror, &handle[0]));
        out[0] = vo_bezier_quadratic(a, handle[0], b);
        return VO_OK;
    }
    vo_json_cursor params = vo_json_get(&at, "params");
    VO_TRY(vo_json_read_string(vo_json_get(&at, "type"), &type));
    if (strcmp(type, "circle") == 0) {
        if (!vo_json_is_present(params)) return vo_json_fail(params, "is missing");
        return read_circle(params, c, a, b, out, count);
    }
    bool cubic = strcmp(type, "cubic") == 0;
    if (!cubic && strcmp(type, "quadratic") != 0)
        return vo_json_fail(vo_json_get(&at, "type"),
                            "must be quadratic, cubic or circle, not \"%.40s\"", type);
    for (int i = 0; i < 1 + cubic; i++)
        VO_TRY(read_relative(vo_json_item(&params, i), a, b, c->mirror, &handle[i]));
    out[0] =
        cubic ? (vo_bezier){{a, handle[0], handle[1], b}} : vo_bezier_quadratic(a, handle[0], b);
    return VO_OK;
}

static vo_result read_corners(vo_pattern *p, vo_json_cursor at, code_panel *c) {
    c->corner_count = vo_json_length(at);
    if (c->corner_count < 2 || c->corner_count > MAX_CORNERS)
        return vo_json_fail(at, "expected 2 to %d points", MAX_CORNERS);
    c->corner = vo_arena_array(&p->arena, vo_vec2, c->corner_count);
    if (!c->corner) return vo_fail_memory(p->ctx, "a pattern");
    for (int i = 0; i < c->corner_count; i++) {
        double xy[2] = {0, 0};
        VO_TRY(vo_json_read_reals(vo_json_item(&at, i), xy, 2));
        c->corner[i] = v2(xy[0] * c->unit, xy[1] * c->unit);
        if (!(v2_length(c->corner[i]) < VO_PATTERN_LIMIT))
            return vo_json_fail(vo_json_item(&at, i), "is more than 1000 m away");
    }
    return VO_OK;
}

/* Reads the two corners of an edge; edges must follow each other. */
static vo_result read_ends(const vo_json_cursor *edge, const code_panel *c, int ends[2]) {
    vo_json_cursor at = vo_json_get(edge, "endpoints");
    for (int k = 0; k < 2; k++) {
        ends[k] = -1;
        VO_TRY(vo_json_read_int(vo_json_item(&at, k), &ends[k]));
        if (ends[k] < 0 || ends[k] >= c->corner_count)
            return vo_json_fail(at, "expected two indices of vertices");
    }
    return VO_OK;
}

/* Computes twice the signed area of the corners in the order of the edges; its sign is the
 * orientation. */
static vo_result read_direction(const vo_json_cursor *edges, code_panel *c) {
    double area = 0;
    int last = -1, first = -1;
    for (int i = 0; i < vo_json_length(*edges); i++) {
        int ends[2];
        vo_json_cursor edge = vo_json_item(edges, i);
        VO_TRY(read_ends(&edge, c, ends));
        if (i > 0 && ends[0] != last)
            return vo_json_fail(edge, "does not start where the edge before it ends");
        if (i == 0) first = ends[0];
        last = ends[1];
        area += v2_cross(c->corner[ends[0]], c->corner[ends[1]]);
    }
    if (first != last) return vo_json_fail(*edges, "the outline is not closed");
    c->mirror = area < 0 ? -1 : 1;
    return VO_OK;
}

/* Converts to z up, facing -y: (x, y, z) -> (x, -z, y). */
static vo_result read_code_placement(const vo_json_cursor *at, const code_panel *c,
                                     vo_panel_placement *out) {
    double where[3] = {0, 0, 0}, turn[3] = {0, 0, 0};
    const double d = VO_PI / 180;
    VO_TRY(vo_json_read_reals(vo_json_get(at, "translation"), where, 3));
    VO_TRY(vo_json_read_reals(vo_json_get(at, "rotation"), turn, 3));
    for (int k = 0; k < 3; k++)
        if (!(fabs(where[k]) * c->unit < VO_PATTERN_LIMIT && fabs(turn[k]) < 36000))
            return vo_json_fail(*at, "its placement is out of range");
    vo_quat q = q_mul(
        q_axis_angle(v3(0, 0, 1), d * turn[2]),
        q_mul(q_axis_angle(v3(0, 1, 0), d * turn[1]), q_axis_angle(v3(1, 0, 0), d * turn[0])));
    if (c->mirror < 0) q = q_mul(q, q_axis_angle(v3(0, 1, 0), VO_PI));
    vo_transform up = {{0, 0, 0}, 1, q_axis_angle(v3(1, 0, 0), VO_PI / 2)};
    vo_transform own = {v3_scale(c->unit, v3(where[0], where[1], where[2])), 1, q};
    out->transform = xf_mul(up, own);
    return VO_OK;
}

static vo_result read_code_panel(vo_pattern *p, vo_json_cursor at, double unit) {
    code_panel c = {.unit = unit};
    vo_pattern_panel *panel;
    vo_json_cursor edges = vo_json_get(&at, "edges");
    VO_TRY(vo_pattern_add_panel(p, at.key, &panel));
    if (vo_json_length(edges) < 2 || vo_json_length(edges) > MAX_CORNERS)
        return vo_json_fail(edges, "expected an array of edges");
    VO_TRY(read_corners(p, vo_json_get(&at, "vertices"), &c));
    VO_TRY(read_direction(&edges, &c));
    VO_TRY(read_code_placement(&at, &c, &panel->place));
    for (int i = 0; i < c.corner_count; i++) c.corner[i].x *= c.mirror;
    for (int i = 0; i < vo_json_length(edges); i++) {
        vo_bezier piece[VO_PATTERN_PIECES];
        char name[32];
        int ends[2], count;
        vo_json_cursor edge = vo_json_item(&edges, i);
        snprintf(name, sizeof name, "%d", i);
        VO_TRY(read_ends(&edge, &c, ends));
        VO_TRY(read_curvature(vo_json_get(&edge, "curvature"), &c, c.corner[ends[0]],
                              c.corner[ends[1]], piece, &count));
        VO_TRY(vo_pattern_add_edge(p, panel, name, 0, count, piece));
    }
    if (vo_pattern_loop_area(panel, 0) <= 0)
        return vo_json_fail(edges, "the outline is inverted by its curves");
    const char *wrong = vo_pattern_finish_panel(panel);
    return wrong ? vo_json_fail(at, "%s", wrong) : VO_OK;
}

static vo_result read_stitch_side(const vo_pattern *p, const vo_json_cursor *stitch, int side,
                                  vo_pattern_ref *out) {
    vo_json_cursor at = vo_json_item(stitch, side);
    vo_json_cursor panel = vo_json_get(&at, "panel"), edge = vo_json_get(&at, "edge");
    const char *name = "";
    out->edge = -1;
    VO_TRY(vo_json_read_string(panel, &name));
    out->panel = vo_pattern_find_panel(p, name);
    if (out->panel < 0) return vo_json_fail(panel, "there is no panel \"%.80s\"", name);
    VO_TRY(vo_json_read_int(edge, &out->edge));
    if (out->edge < 0 || out->edge >= p->panel[out->panel].edge_count)
        return vo_json_fail(edge, "there is no such edge");
    return VO_OK;
}

static vo_result read_stitch(vo_pattern *p, vo_json_cursor at, int index) {
    vo_pattern_seam *seam;
    char name[200];
    vo_pattern_ref ref[2];
    for (int side = 0; side < 2; side++) VO_TRY(read_stitch_side(p, &at, side, &ref[side]));
    snprintf(name, sizeof name, "%d: %.60s.%d - %.60s.%d", index, p->panel[ref[0].panel].name,
             ref[0].edge, p->panel[ref[1].panel].name, ref[1].edge);
    VO_TRY(vo_pattern_add_seam(p, name, 1, 1, &seam));
    for (int side = 0; side < 2; side++) {
        seam->side[side][0] = ref[side];
        seam->count[side] = 1;
    }
    seam->ease = INFINITY; /* gathers have sides of unequal lengths */
    return VO_OK;
}

vo_result vo_garmentcode_read(vo_pattern *p, vo_json_cursor root) {
    vo_json_cursor pattern = vo_json_get(&root, "pattern"),
                   panels = vo_json_get(&pattern, "panels");
    vo_json_cursor stitches = vo_json_get(&pattern, "stitches");
    vo_json_cursor properties = vo_json_get(&root, "properties");
    vo_json_cursor units = vo_json_get(&properties, "units_in_meter");
    vo_json_cursor coordinates = vo_json_get(&properties, "curvature_coords");
    double per_metre = 100;
    const char *relative = "relative";
    int fabric;
    VO_TRY(vo_json_read_real(units, &per_metre));
    if (!(per_metre > 1e-3 && per_metre < 1e6))
        return vo_json_fail(units, "must be between 0.001 and 1e6");
    VO_TRY(vo_json_read_string(coordinates, &relative));
    if (strcmp(relative, "relative") != 0)
        return vo_json_fail(coordinates, "only relative coordinates are supported");
    VO_TRY(vo_pattern_add_fabric(p, "cotton-poplin", &fabric));
    if (vo_json_member_count(panels) < 1) return vo_json_fail(panels, "there is no panel");
    for (int i = 0; i < vo_json_member_count(panels); i++)
        VO_TRY(read_code_panel(p, vo_json_member(&panels, i), 1 / per_metre));
    for (int i = 0; i < vo_json_length(stitches); i++)
        VO_TRY(read_stitch(p, vo_json_item(&stitches, i), i));
    return VO_OK;
}

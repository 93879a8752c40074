/* Reads Voile's pattern format (docs/patterns.md): seams, labels, axes, and the whole file. */
#include "garment/pattern_read.h"

#include <stdio.h>
#include <string.h>

static vo_result no_memory(vo_pattern_reader *r) { return vo_fail_memory(r->p->ctx, "a pattern"); }

/* Adds the edges that "panel.edge" denotes, in outline order or `against` it. */
static vo_result read_ref(const vo_pattern_reader *r, vo_json_cursor at, bool against,
                          vo_pattern_ref *out, int max_count, int *count) {
    const char *text = NULL;
    char name[96];
    int first, panel;
    VO_TRY(vo_pattern_require(at, "\"panel.edge\""));
    VO_TRY(vo_json_read_string(at, &text));
    const char *dot = strchr(text, '.');
    if (!dot || (size_t)(dot - text) >= sizeof name)
        return vo_json_fail(at, "expected \"panel.edge\", found \"%.80s\"", text);
    memcpy(name, text, (size_t)(dot - text));
    name[dot - text] = 0;
    panel = vo_pattern_find_panel(r->p, name);
    if (panel < 0) return vo_json_fail(at, "there is no panel \"%s\"", name);
    const vo_pattern_panel *pn = &r->p->panel[panel];
    int n = vo_pattern_find_edges(pn, dot + 1, &first);
    if (n == 0) return vo_json_fail(at, "panel %s has no edge \"%.80s\"", name, dot + 1);
    if (*count + n > max_count) return vo_json_fail(at, "more than %d edges", max_count);
    int begin = *count;
    for (int e = 0; e < pn->edge_count; e++)
        if (strcmp(pn->edge[e].name, dot + 1) == 0) out[(*count)++] = (vo_pattern_ref){panel, e};
    for (int i = begin, j = *count - 1; against && i < j; i++, j--) {
        vo_pattern_ref other = out[i];
        out[i] = out[j], out[j] = other;
    }
    return VO_OK;
}

enum { MAX_CHAIN = 64 };

/* Reads "panel.edge" or an array of these. */
static vo_result read_chain(const vo_pattern_reader *r, vo_json_cursor at, bool against,
                            vo_pattern_ref out[MAX_CHAIN], int *count) {
    *count = 0;
    if (vo_json_kind(at) != VO_JSON_ARRAY) return read_ref(r, at, against, out, MAX_CHAIN, count);
    if (vo_json_length(at) == 0) return vo_json_fail(at, "names no edge");
    for (int i = 0; i < vo_json_length(at); i++)
        VO_TRY(read_ref(r, vo_json_item(&at, i), against, out, MAX_CHAIN, count));
    return VO_OK;
}

static vo_result read_seam(vo_pattern_reader *r, vo_json_cursor at, int index) {
    static const char *const known[] = {"name", "a", "b", "ease", "orientation", "mirror", NULL};
    vo_pattern_ref side[2][MAX_CHAIN];
    vo_pattern_seam *seam;
    char text[128];
    const char *name = text, *orientation = "opposite";
    int count[2];
    bool mirror = false;
    VO_TRY(vo_json_check_keys(at, known));
    snprintf(text, sizeof text, "seam %d", index);
    VO_TRY(vo_pattern_read_name(vo_json_get(&at, "name"), &name));
    VO_TRY(vo_json_read_string(vo_json_get(&at, "orientation"), &orientation));
    bool same = strcmp(orientation, "same") == 0;
    if (!same && strcmp(orientation, "opposite") != 0)
        return vo_json_fail(vo_json_get(&at, "orientation"), "must be opposite or same");
    VO_TRY(read_chain(r, vo_json_get(&at, "a"), false, side[0], &count[0]));
    VO_TRY(read_chain(r, vo_json_get(&at, "b"), !same, side[1], &count[1]));
    VO_TRY(vo_pattern_add_seam(r->p, name, count[0], count[1], &seam));
    for (int s = 0; s < 2; s++) {
        memcpy(seam->side[s], side[s], (size_t)count[s] * sizeof **side);
        seam->count[s] = count[s];
    }
    seam->is_twisted = same;
    VO_TRY(vo_pattern_read_between(vo_json_get(&at, "ease"), 0, 10, &seam->ease));
    VO_TRY(vo_json_read_bool(vo_json_get(&at, "mirror"), &mirror));
    if (!mirror) return VO_OK;
    char other[128];
    snprintf(other, sizeof other, "%.100s.m", name);
    return vo_pattern_mirror_seam(r->p, r->p->seam_count - 1, other);
}

static vo_result read_label(vo_pattern_reader *r, vo_json_cursor at) {
    static const char *const known[] = {"name", "edges", "pinned", "elastic", NULL};
    vo_pattern_ref edge[MAX_CHAIN];
    vo_pattern_label label = {.name = "", .elastic = 1};
    VO_TRY(vo_json_check_keys(at, known));
    VO_TRY(vo_pattern_read_name(vo_json_get(&at, "name"), &label.name));
    VO_TRY(vo_json_read_bool(vo_json_get(&at, "pinned"), &label.pinned));
    VO_TRY(vo_pattern_read_between(vo_json_get(&at, "elastic"), 0.1, 1, &label.elastic));
    VO_TRY(read_chain(r, vo_json_get(&at, "edges"), false, edge, &label.count));
    label.name = vo_pattern_text(r->p, label.name);
    label.edge = vo_arena_array(&r->p->arena, vo_pattern_ref, label.count);
    if (!label.name || !label.edge ||
        !vo_pattern_more(r->p, &r->p->label, r->p->label_count, &r->p->label_capacity))
        return no_memory(r);
    memcpy(label.edge, edge, (size_t)label.count * sizeof *edge);
    r->p->label[r->p->label_count++] = label;
    return VO_OK;
}

static vo_result read_axis(vo_pattern_reader *r, vo_json_cursor at) {
    static const char *const known[] = {"origin", "direction", "front", NULL};
    vo_limb_axis axis;
    double o[3] = {0, 0, 0}, d[3] = {0, 0, 1}, f[3] = {0, -1, 0};
    VO_TRY(vo_json_check_keys(at, known));
    VO_TRY(vo_json_read_reals(vo_json_get(&at, "origin"), o, 3));
    VO_TRY(vo_json_read_reals(vo_json_get(&at, "direction"), d, 3));
    VO_TRY(vo_json_read_reals(vo_json_get(&at, "front"), f, 3));
    axis.origin = v3_scale(r->unit, v3(o[0], o[1], o[2]));
    axis.direction = v3_normalize(v3(d[0], d[1], d[2]));
    vo_vec3 front = v3_normalize(v3(f[0], f[1], f[2]));
    front = v3_add_scaled(front, -v3_dot(front, axis.direction), axis.direction);
    axis.front = v3_normalize(front);
    if (!(v3_length(axis.origin) < VO_PATTERN_LIMIT && v3_length(axis.direction) > 0.5 &&
          v3_length(front) > 1e-3 && v3_length(axis.front) > 0.5))
        return vo_json_fail(at, "direction and front must be across each other, not zero");
    axis.name = vo_pattern_text(r->p, at.key);
    if (!axis.name || !vo_pattern_more(r->p, &r->p->axis, r->p->axis_count, &r->p->axis_capacity))
        return no_memory(r);
    r->p->axis[r->p->axis_count++] = axis;
    return VO_OK;
}

/* Reads the body that the pattern was drafted for. Missing levels get average proportions. */
static vo_result read_body(vo_pattern_reader *r, vo_json_cursor at) {
    static const char *const known[] = {
        "height",      "hip",           "waist",           "bust", "hip_height", "waist_height",
        "bust_height", "crotch_height", "shoulder_height", "neck", NULL};
    static const char *const level[] = {"hip_height", "waist_height", "bust_height"};
    static const double usual[] = {0.505, 0.61, 0.725};
    vo_body_sizes *body = &r->p->body;
    double max_count = 10 / r->unit;
    if (!vo_json_is_present(at)) return VO_OK;
    VO_TRY(vo_json_check_keys(at, known));
    for (int i = 0; i < 4; i++) VO_TRY(vo_pattern_require(vo_json_get(&at, known[i]), "a length"));
    VO_TRY(vo_pattern_read_between(vo_json_get(&at, "height"), 1e-3, max_count, &body->height));
    body->crotch = 0.471 * body->height;
    body->shoulder = 0.815 * body->height;
    body->neck = 0.225 * body->height;
    VO_TRY(
        vo_pattern_read_between(vo_json_get(&at, "crotch_height"), 1e-3, max_count, &body->crotch));
    VO_TRY(vo_pattern_read_between(vo_json_get(&at, "neck"), 1e-3, max_count, &body->neck));
    VO_TRY(vo_pattern_read_between(vo_json_get(&at, "shoulder_height"), 1e-3, max_count,
                                   &body->shoulder));
    for (int i = 0; i < VO_GIRTHS; i++) {
        body->level[i] = usual[i] * body->height;
        VO_TRY(vo_pattern_read_between(vo_json_get(&at, known[1 + i]), 1e-3, max_count,
                                       &body->girth[i]));
        VO_TRY(
            vo_pattern_read_between(vo_json_get(&at, level[i]), 1e-3, max_count, &body->level[i]));
    }
    for (int i = 0; i < VO_GIRTHS; i++) {
        double above = i + 1 < VO_GIRTHS ? body->level[i + 1] : body->shoulder;
        if (!(body->level[i] < above)) return vo_json_fail(at, "its heights are not in order");
        body->level[i] *= r->unit;
        body->girth[i] *= r->unit;
    }
    if (!(body->shoulder < body->height && body->crotch * r->unit < body->level[VO_GIRTH_HIP]))
        return vo_json_fail(at, "its heights are not in order");
    body->height *= r->unit;
    body->shoulder *= r->unit;
    body->neck *= r->unit;
    body->crotch *= r->unit;
    return VO_OK;
}

static vo_result read_units(vo_pattern_reader *r, vo_json_cursor at) {
    static const char *const word[] = {"m", "cm", "mm", "inch"};
    static const double metres[] = {1, 0.01, 0.001, 0.0254};
    const char *unit = "m";
    VO_TRY(vo_json_read_string(at, &unit));
    for (int i = 0; i < 4; i++)
        if (strcmp(unit, word[i]) == 0) {
            r->unit = metres[i];
            return VO_OK;
        }
    return vo_json_fail(at, "must be m, cm, mm or inch, not \"%.40s\"", unit);
}

static vo_result expect(vo_json_cursor at, vo_json_type kind, const char *what) {
    if (!vo_json_is_present(at) || vo_json_kind(at) == kind) return VO_OK;
    return vo_json_fail(at, "expected %s, found %s", what, vo_json_kind_name(at));
}

/* Fails for a scene, which its keys identify. */
static vo_result reject_scene(vo_json_cursor root) {
    static const char *const keys[] = {"cloths", "characters", "garments", "frame_time"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (vo_json_is_present(vo_json_get(&root, keys[i])))
            return vo_fail(root.ctx, VO_BAD_DATA, "%s: is a scene, not a pattern; simulate it",
                           root.file);
    return VO_OK;
}

vo_result vo_pattern_read(vo_pattern *p, vo_json_cursor root) {
    static const char *const known[] = {"description", "units", "fabric", "axes", "body",
                                        "panels",      "seams", "labels", NULL};
    vo_pattern_reader r = {p, 1};
    const char *text = "", *fabric = "cotton-poplin";
    if (vo_json_kind(root) != VO_JSON_OBJECT)
        return vo_json_fail(root, "expected an object with panels and seams");
    VO_TRY(reject_scene(root));
    VO_TRY(vo_json_check_keys(root, known));
    vo_json_cursor axes = vo_json_get(&root, "axes"), panels = vo_json_get(&root, "panels");
    vo_json_cursor seams = vo_json_get(&root, "seams"), labels = vo_json_get(&root, "labels");
    VO_TRY(vo_json_read_string(vo_json_get(&root, "description"), &text));
    VO_TRY(vo_json_read_string(vo_json_get(&root, "fabric"), &fabric));
    VO_TRY(read_units(&r, vo_json_get(&root, "units")));
    VO_TRY(expect(vo_json_get(&root, "body"), VO_JSON_OBJECT, "an object of sizes"));
    VO_TRY(read_body(&r, vo_json_get(&root, "body")));
    VO_TRY(vo_pattern_require(panels, "the pieces of cloth"));
    VO_TRY(expect(panels, VO_JSON_OBJECT, "an object of panels"));
    VO_TRY(expect(axes, VO_JSON_OBJECT, "an object of axes"));
    VO_TRY(expect(seams, VO_JSON_ARRAY, "an array of seams"));
    VO_TRY(expect(labels, VO_JSON_ARRAY, "an array of labels"));
    if (!(p->description = vo_pattern_text(p, text))) return no_memory(&r);
    for (int i = 0; i < vo_json_member_count(axes); i++)
        VO_TRY(read_axis(&r, vo_json_member(&axes, i)));
    for (int i = 0; i < vo_json_member_count(panels); i++)
        VO_TRY(vo_pattern_read_panel(&r, vo_json_member(&panels, i), fabric));
    if (p->panel_count == 0) return vo_json_fail(panels, "there is no panel");
    for (int i = 0; i < vo_json_length(seams); i++)
        VO_TRY(read_seam(&r, vo_json_item(&seams, i), i));
    for (int i = 0; i < vo_json_length(labels); i++)
        VO_TRY(read_label(&r, vo_json_item(&labels, i)));
    return VO_OK;
}

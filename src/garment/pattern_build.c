/* Panels from edges; folds, twins and darts are expanded here. */
#include "garment/pattern_build.h"

#include <stdio.h>
#include <string.h>

static vo_result no_memory(vo_pattern *p) { return vo_fail_memory(p->ctx, "a pattern"); }

vo_result vo_pattern_add_panel(vo_pattern *p, const char *name, vo_pattern_panel **out) {
    if (!vo_pattern_more(p, &p->panel, p->panel_count, &p->panel_capacity)) return no_memory(p);
    vo_pattern_panel *panel = &p->panel[p->panel_count];
    panel->name = vo_pattern_text(p, name);
    if (!panel->name) return no_memory(p);
    panel->grain = VO_PI / 2;
    panel->twin = -1;
    panel->place.transform = xf_identity();
    p->panel_count++;
    *out = panel;
    return VO_OK;
}

vo_result vo_pattern_add_edge(vo_pattern *p, vo_pattern_panel *panel, const char *name, int loop,
                              int count, const vo_bezier *piece) {
    if (!vo_pattern_more(p, &panel->edge, panel->edge_count, &panel->edge_capacity))
        return no_memory(p);
    vo_bezier *copy = vo_arena_array(&p->arena, vo_bezier, count);
    name = vo_pattern_text(p, name);
    if (!copy || !name) return no_memory(p);
    memcpy(copy, piece, (size_t)count * sizeof *copy);
    panel->edge[panel->edge_count++] =
        (vo_pattern_edge){.name = name, .piece_count = count, .piece = copy, .loop = loop};
    panel->loop_count = vo_max_int(panel->loop_count, loop + 1);
    return VO_OK;
}

vo_result vo_pattern_add_fabric(vo_pattern *p, const char *name, int *out) {
    for (*out = 0; *out < p->fabric_count; (*out)++)
        if (strcmp(p->fabric[*out], name) == 0) return VO_OK;
    if (!vo_pattern_more(p, &p->fabric, p->fabric_count, &p->fabric_capacity) ||
        !(p->fabric[p->fabric_count] = vo_pattern_text(p, name)))
        return no_memory(p);
    p->fabric_count++;
    return VO_OK;
}

vo_result vo_pattern_add_seam(vo_pattern *p, const char *name, int a, int b,
                              vo_pattern_seam **out) {
    if (!vo_pattern_more(p, &p->seam, p->seam_count, &p->seam_capacity)) return no_memory(p);
    vo_pattern_seam *seam = &p->seam[p->seam_count];
    seam->name = vo_pattern_text(p, name);
    seam->side[0] = vo_arena_array(&p->arena, vo_pattern_ref, a);
    seam->side[1] = vo_arena_array(&p->arena, vo_pattern_ref, b);
    if (!seam->name || !seam->side[0] || !seam->side[1]) return no_memory(p);
    seam->ease = 0.02;
    p->seam_count++;
    *out = seam;
    return VO_OK;
}

int vo_pattern_find_edges(const vo_pattern_panel *panel, const char *name, int *first) {
    int count = 0;
    for (int e = 0; e < panel->edge_count; e++)
        if (strcmp(panel->edge[e].name, name) == 0 && count++ == 0) *first = e;
    return count;
}

/* Reverses a chain of curves in place. */
static void reverse_pieces(int count, vo_bezier *piece) {
    for (int i = 0; i < count - 1 - i; i++) {
        vo_bezier other = piece[i];
        piece[i] = piece[count - 1 - i];
        piece[count - 1 - i] = other;
    }
    for (int i = 0; i < count; i++) piece[i] = vo_bezier_reversed(piece[i]);
}

/* Converts the positions of notches to distances from the other end of their edge. */
static void reverse_notches(vo_pattern_panel *panel, int edge, double length) {
    for (int i = 0; i < panel->notch_count; i++)
        if (panel->notch[i].edge == edge) panel->notch[i].at = length - panel->notch[i].at;
}

/* Reverses a loop: the order of its edges and each edge. */
static void reverse_loop(vo_pattern_panel *panel, int first, int count) {
    for (int i = 0; i < count; i++) {
        vo_pattern_edge *e = &panel->edge[first + i];
        reverse_pieces(e->piece_count, (vo_bezier *)(uintptr_t)e->piece);
        reverse_notches(panel, first + i, e->length);
    }
    for (int i = 0; i < count - 1 - i; i++) {
        vo_pattern_edge other = panel->edge[first + i];
        panel->edge[first + i] = panel->edge[first + count - 1 - i];
        panel->edge[first + count - 1 - i] = other;
    }
    for (int i = 0; i < panel->notch_count; i++) {
        int *e = &panel->notch[i].edge;
        if (*e >= first && *e < first + count) *e = 2 * first + count - 1 - *e;
    }
}

static bool is_point(vo_vec2 p) {
    return fabs(p.x) < VO_PATTERN_LIMIT && fabs(p.y) < VO_PATTERN_LIMIT;
}

/* Computes the lengths of the edges; returns the error, or NULL. */
static const char *measure_edges(vo_pattern_panel *panel) {
    for (int e = 0; e < panel->edge_count; e++) {
        vo_pattern_edge *edge = &panel->edge[e];
        for (int i = 0; i < edge->piece_count; i++)
            for (int k = 0; k < 4; k++)
                if (!is_point(edge->piece[i].p[k])) return "a point is more than 1000 m away";
        edge->length = vo_chain_length(edge->piece_count, edge->piece);
        if (!(edge->length > 1e-6)) return "an edge of the outline has no length";
    }
    return NULL;
}

double vo_pattern_inner_radius(const vo_pattern_panel *panel) {
    double least = INFINITY;
    for (int e = 0; e < panel->edge_count; e++)
        least = vo_min(least, v2_length(v2_sub(panel->edge[e].piece[0].p[0], panel->place.anchor)));
    return least;
}

const char *vo_pattern_finish_panel(vo_pattern_panel *panel) {
    const char *wrong = measure_edges(panel);
    if (wrong) return wrong;
    for (int loop = 0, first = 0; loop < panel->loop_count; loop++) {
        int count = 0;
        while (first + count < panel->edge_count && panel->edge[first + count].loop == loop)
            count++;
        double area = vo_pattern_loop_area(panel, loop);
        if (!(fabs(area) > 1e-9)) return "an outline encloses no area";
        if ((area > 0) != (loop == 0)) reverse_loop(panel, first, count);
        for (int i = 0; i < count; i++)
            panel->edge[first + i].next = first + (i + 1 < count ? i + 1 : 0);
        first += count;
    }
    return NULL;
}

/* Reflects p in the line from a to b. */
static vo_vec2 reflect(vo_vec2 p, vo_vec2 a, vo_vec2 b) {
    vo_vec2 d = v2_sub(b, a), r = v2_sub(p, a);
    double t = v2_dot(r, d) / v2_dot(d, d);
    return v2_sub(v2_add(a, v2_add(a, v2_scale(2 * t, d))), p);
}

/* Returns a reflected copy of curve pieces; NULL without memory. */
static vo_bezier *reflected(vo_pattern *p, int count, const vo_bezier *piece, vo_vec2 a,
                            vo_vec2 b) {
    vo_bezier *copy = vo_arena_array(&p->arena, vo_bezier, count);
    for (int i = 0; copy && i < count; i++)
        for (int k = 0; k < 4; k++) copy[i].p[k] = reflect(piece[i].p[k], a, b);
    return copy;
}

static vo_result reflect_line(vo_pattern *p, vo_pattern_panel *panel, int line, vo_vec2 a,
                              vo_vec2 b) {
    if (!vo_pattern_more(p, &panel->line, panel->line_count, &panel->line_capacity))
        return no_memory(p);
    vo_pattern_line old = panel->line[line];
    old.piece = reflected(p, old.piece_count, old.piece, a, b);
    if (!old.piece) return no_memory(p);
    panel->line[panel->line_count++] = old;
    return VO_OK;
}

static vo_result reflect_notch(vo_pattern *p, vo_pattern_panel *panel, int notch, int edge,
                               double at) {
    if (!vo_pattern_more(p, &panel->notch, panel->notch_count, &panel->notch_capacity))
        return no_memory(p);
    panel->notch[panel->notch_count++] = (vo_pattern_notch){panel->notch[notch].name, edge, at};
    return VO_OK;
}

/* Appends the reflected half of an edge with its notches to the panel. */
static vo_result unfold_edge(vo_pattern *p, vo_pattern_panel *panel, int edge, int notches,
                             vo_vec2 a, vo_vec2 b) {
    char name[256];
    vo_pattern_edge old = panel->edge[edge];
    snprintf(name, sizeof name, "%.250s.m", old.name);
    vo_bezier *copy = reflected(p, old.piece_count, old.piece, a, b);
    if (!copy) return no_memory(p);
    reverse_pieces(old.piece_count, copy);
    VO_TRY(vo_pattern_add_edge(p, panel, name, 0, old.piece_count, copy));
    double length = vo_chain_length(old.piece_count, old.piece);
    for (int i = 0; i < notches; i++)
        if (panel->notch[i].edge == edge)
            VO_TRY(reflect_notch(p, panel, i, panel->edge_count - 1, length - panel->notch[i].at));
    return VO_OK;
}

/* Moves the fold to the front and removes it: the outline begins and ends on it. */
static void remove_fold(vo_pattern_panel *panel, int fold) {
    int n = panel->edge_count;
    for (int turn = 0; turn < fold; turn++) {
        vo_pattern_edge first = panel->edge[0];
        memmove(panel->edge, panel->edge + 1, (size_t)(n - 1) * sizeof first);
        panel->edge[n - 1] = first;
    }
    memmove(panel->edge, panel->edge + 1, (size_t)(n - 1) * sizeof *panel->edge);
    panel->edge_count = n - 1;
    int kept = 0;
    for (int i = 0; i < panel->notch_count; i++) {
        if (panel->notch[i].edge == fold) continue;
        panel->notch[kept] = panel->notch[i];
        panel->notch[kept].edge = (panel->notch[i].edge - fold + n) % n - 1;
        kept++;
    }
    panel->notch_count = kept;
}

vo_result vo_pattern_unfold(vo_pattern *p, vo_pattern_panel *panel, int edge) {
    panel->folded = true;
    vo_vec2 a = panel->edge[edge].piece[0].p[0];
    vo_vec2 b = panel->edge[edge].piece[panel->edge[edge].piece_count - 1].p[3];
    remove_fold(panel, edge);
    int lines = panel->line_count, notches = panel->notch_count;
    for (int e = panel->edge_count - 1; e >= 0; e--)
        VO_TRY(unfold_edge(p, panel, e, notches, a, b));
    for (int i = 0; i < lines; i++) VO_TRY(reflect_line(p, panel, i, a, b));
    return VO_OK;
}

/* Returns right_arm for left_arm and vice versa; other names are unchanged. */
static const char *other_side(vo_pattern *p, const char *axis) {
    char name[256];
    if (strncmp(axis, "left", 4) == 0)
        snprintf(name, sizeof name, "right%.240s", axis + 4);
    else if (strncmp(axis, "right", 5) == 0)
        snprintf(name, sizeof name, "left%.240s", axis + 5);
    else
        return axis;
    return vo_pattern_text(p, name);
}

/* Mirrors a placement in the plane x = 0 of the body, for a panel whose x is mirrored, too. */
static vo_result reflect_placement(vo_pattern *p, vo_panel_placement *place) {
    place->anchor.x = -place->anchor.x;
    place->angle = -place->angle;
    place->transform.translation.x = -place->transform.translation.x;
    place->transform.rotation.y = -place->transform.rotation.y;
    place->transform.rotation.z = -place->transform.rotation.z;
    if (place->axis) place->axis = other_side(p, place->axis);
    return !place->axis && place->kind != VO_PLACEMENT_FLAT ? no_memory(p) : VO_OK;
}

/* Replaces an edge by its mirror image; returns false if there is none. */
static bool mirror_ref(const vo_pattern *p, vo_pattern_ref *ref) {
    const vo_pattern_panel *panel = &p->panel[ref->panel];
    int loop = panel->edge[ref->edge].loop, first = 0, count = 0;
    if (panel->twin < 0 && !(panel->folded && loop == 0)) return false;
    for (int e = 0; e < panel->edge_count; e++) {
        first += panel->edge[e].loop < loop;
        count += panel->edge[e].loop == loop;
    }
    ref->edge = 2 * first + count - 1 - ref->edge;
    if (panel->twin >= 0) ref->panel = panel->twin;
    return true;
}

vo_result vo_pattern_mirror_seam(vo_pattern *p, int index, const char *name) {
    vo_pattern_seam *seam, *old;
    VO_TRY(vo_pattern_add_seam(p, name, p->seam[index].count[1], p->seam[index].count[0], &seam));
    old = &p->seam[index];
    seam->ease = old->ease;
    seam->is_twisted = old->is_twisted;
    /* the mirror image reverses the direction of its outline, so the sides are exchanged */
    for (int side = 0; side < 2; side++) {
        seam->count[side] = old->count[1 - side];
        for (int i = 0; i < seam->count[side]; i++) {
            seam->side[side][i] = old->side[1 - side][i];
            if (!mirror_ref(p, &seam->side[side][i]))
                return vo_fail(p->ctx, VO_BAD_DATA,
                               "%s: seam \"%s\": panel %s is neither folded nor mirrored, so the "
                               "seam has no mirror image",
                               p->file, name, p->panel[seam->side[side][i].panel].name);
        }
    }
    return VO_OK;
}

/* Mirrors the darts of a panel for its twin. */
static vo_result mirror_own_seams(vo_pattern *p, int panel) {
    for (int s = 0, n = p->seam_count; s < n; s++)
        if (p->seam[s].side[0][0].panel == panel && p->seam[s].side[1][0].panel == panel) {
            char name[256];
            snprintf(name, sizeof name, "%.250s.m", p->seam[s].name);
            VO_TRY(vo_pattern_mirror_seam(p, s, name));
        }
    return VO_OK;
}

vo_result vo_pattern_add_twin(vo_pattern *p, int panel, const char *name) {
    const vo_vec2 a = v2(0, 0), b = v2(0, 1);
    vo_pattern_panel *twin;
    VO_TRY(vo_pattern_add_panel(p, name, &twin));
    vo_pattern_panel old = p->panel[panel];
    twin->fabric = old.fabric, twin->layer = old.layer;
    twin->grain = VO_PI - old.grain;
    twin->place = old.place;
    VO_TRY(reflect_placement(p, &twin->place));
    for (int e = 0; e < old.edge_count; e++) {
        const vo_pattern_edge *o = &old.edge[e];
        vo_bezier *copy = reflected(p, o->piece_count, o->piece, a, b);
        if (!copy) return no_memory(p);
        VO_TRY(vo_pattern_add_edge(p, twin, o->name, o->loop, o->piece_count, copy));
    }
    for (int i = 0; i < old.notch_count; i++) {
        VO_TRY(reflect_notch(p, twin, 0, old.notch[i].edge, old.notch[i].at));
        twin->notch[i].name = old.notch[i].name;
    }
    for (int i = 0; i < old.line_count; i++) {
        if (!vo_pattern_more(p, &twin->line, i, &twin->line_capacity)) return no_memory(p);
        vo_pattern_line line = old.line[i];
        line.piece = reflected(p, line.piece_count, line.piece, a, b);
        if (!line.piece) return no_memory(p);
        twin->line[twin->line_count++] = line;
    }
    twin->twin = panel;
    p->panel[panel].twin = p->panel_count - 1;
    if (vo_pattern_finish_panel(twin))
        return vo_fail(p->ctx, VO_BAD_DATA, "%s: panel %s cannot be mirrored", p->file, old.name);
    return mirror_own_seams(p, panel);
}

/* Grading: adapts a pattern to another body. */
#include "garment/pattern_build.h"
#include "garment/pattern_sample.h"

#include <string.h>

static double lerp(double a, double b, double t) { return a + t * (b - a); }

/* ---- dependence on height ------------------------------------------------------------------- */

enum { LEVELS = VO_GIRTHS + 4 };

/* Piecewise linear map along the trunk, from the floor up: heights of the draft to heights of the
 * body, and the ratios of the girths. Shoulders and above scale with the body height alone. */
typedef struct grading {
    double from[LEVELS], to[LEVELS]; /* m */
    double wider[LEVELS];
    double taller, neck;
} grading;

static grading make_grading(const vo_body_sizes *from, const vo_body_sizes *to) {
    grading g = {.taller = to->height / from->height};
    for (int i = 0; i < VO_GIRTHS; i++) {
        g.from[2 + i] = from->level[i];
        g.to[2 + i] = to->level[i];
        g.wider[2 + i] = to->girth[i] / from->girth[i];
    }
    g.from[1] = from->crotch, g.to[1] = to->crotch;
    g.wider[0] = g.wider[1] = g.wider[2];
    g.from[LEVELS - 2] = from->shoulder, g.to[LEVELS - 2] = to->shoulder;
    g.from[LEVELS - 1] = from->height, g.to[LEVELS - 1] = to->height;
    g.wider[LEVELS - 2] = g.wider[LEVELS - 1] = g.taller;
    g.neck = from->neck > 0 && to->neck > 0 ? to->neck / from->neck : g.taller;
    return g;
}

/* Linear interpolation between the levels, extrapolated at both ends. */
static double interpolate(const double *at, const double *value, double z) {
    int i = 0;
    while (i + 2 < LEVELS && z > at[i + 1]) i++;
    return lerp(value[i], value[i + 1], (z - at[i]) / (at[i + 1] - at[i]));
}

static double height_of(const grading *g, double z) { return interpolate(g->from, g->to, z); }

static double wider_at(const grading *g, double z) {
    return interpolate(g->from, g->wider, vo_min(vo_max(z, 0), g->from[LEVELS - 1]));
}

/* ---- panels --------------------------------------------------------------------------------- */

typedef enum part_kind { PART_TRUNK, PART_RING, PART_LIMB, PART_FREE } part_kind;

typedef struct graded_panel {
    part_kind kind;
    const grading *g;
    vo_panel_placement place; /* in the draft */
    double ring;              /* m, radius of the inner edge of a ring */
    double width;             /* factor of limbs */
    bool trunk, neck;         /* axis that it is placed around */
} graded_panel;

static graded_panel make_part(const grading *g, const vo_pattern_panel *panel) {
    graded_panel p = {.kind = PART_FREE, .g = g, .place = panel->place, .width = g->taller};
    p.trunk = p.place.axis && strcmp(p.place.axis, "trunk") == 0;
    p.neck = p.place.axis && strcmp(p.place.axis, "neck") == 0;
    if (p.place.kind == VO_PLACEMENT_WRAP) p.kind = p.trunk ? PART_TRUNK : PART_LIMB;
    if (p.place.kind == VO_PLACEMENT_CONE) p.kind = PART_RING;
    if (p.kind == PART_RING) p.ring = vo_pattern_inner_radius(panel);
    return p;
}

/* Returns the height of the inner edge of a ring in the draft, m. */
static double ring_height(const graded_panel *p) {
    return p->place.height - (p->place.flutes ? 0 : p->ring * cos(p->place.slope));
}

/* Returns the width factor of the inner edge of a ring. */
static double ring_width_factor(const graded_panel *p) {
    if (p->neck) return p->g->neck;
    return p->trunk ? wider_at(p->g, ring_height(p)) : p->g->taller;
}

static vo_vec2 part_point(const graded_panel *p, vo_vec2 q) {
    vo_vec2 d = v2_sub(q, p->place.anchor);
    double z = p->place.height + d.y, r = v2_length(d);
    switch (p->kind) {
    case PART_TRUNK:
        d = v2(wider_at(p->g, z) * d.x, height_of(p->g, z) - height_of(p->g, p->place.height));
        break;
    case PART_RING:
        r = r > 0 ? (p->ring * ring_width_factor(p) + p->g->taller * (r - p->ring)) / r : 1;
        d = v2_scale(r, d);
        break;
    case PART_LIMB:
        d = v2(p->width * d.x, p->g->taller * d.y);
        break;
    case PART_FREE:
        break;
    }
    return v2_add(p->place.anchor, d);
}

static vo_panel_placement part_place(const graded_panel *p) {
    vo_panel_placement place = p->place;
    double z = ring_height(p), wider = ring_width_factor(p);
    switch (p->kind) {
    case PART_TRUNK:
        place.radius *= wider_at(p->g, place.height);
        place.height = height_of(p->g, place.height);
        break;
    case PART_RING:
        place.height = p->trunk ? height_of(p->g, z) : p->g->taller * z;
        place.inner = p->ring * wider;
        if (!place.flutes) place.height += place.inner * cos(place.slope);
        place.radius *= wider;
        break;
    case PART_LIMB:
        place.height *= p->g->taller;
        place.radius *= p->width;
        break;
    case PART_FREE:
        break;
    }
    return place;
}

static double edge_length(const graded_panel *p, const vo_pattern_edge *edge) {
    double length = 0;
    for (int i = 0; i < edge->piece_count; i++) {
        vo_bezier b;
        for (int k = 0; k < 4; k++) b.p[k] = part_point(p, edge->piece[i].p[k]);
        length += vo_bezier_length(&b, 1);
    }
    return length;
}

/* ---- sleeves and collars: width of the edges to which they are sewn ------------------------- */

/* Returns the length of a side of a seam; NAN unless all of its edges belong to the panel or,
 * without `own`, to other panels. */
static double side_length(const vo_pattern *p, const graded_panel *parts,
                          const vo_pattern_seam *seam, int side, int panel, bool own) {
    double length = 0;
    for (int i = 0; i < seam->count[side]; i++) {
        vo_pattern_ref r = seam->side[side][i];
        if ((r.panel == panel) != own) return NAN;
        length += edge_length(&parts[r.panel], &p->panel[r.panel].edge[r.edge]);
    }
    return length;
}

/* Returns the excess length of the panel's sides of seams over the opposite sides, m. */
static double excess_length(const vo_pattern *p, const graded_panel *parts, int panel) {
    double sum = 0;
    for (int i = 0; i < p->seam_count; i++)
        for (int s = 0; s < 2; s++) {
            const vo_pattern_seam *seam = &p->seam[i];
            double own = side_length(p, parts, seam, s, panel, true);
            double other = side_length(p, parts, seam, 1 - s, panel, false);
            double ratio =
                vo_pattern_side_length(p, seam, s) / vo_pattern_side_length(p, seam, 1 - s);
            if (own > 0 && other > 0) sum += own - ratio * other;
        }
    return sum;
}

/* Bisection for the width without excess. */
static void match_width(const vo_pattern *p, graded_panel *parts, int panel) {
    double low = 0.5, high = 2;
    graded_panel *own = &parts[panel];
    own->width = high;
    if (!(excess_length(p, parts, panel) > 0)) {
        own->width = own->g->taller;
        return;
    }
    for (int i = 0; i < 40; i++) {
        own->width = 0.5 * (low + high);
        *(excess_length(p, parts, panel) > 0 ? &high : &low) = own->width;
    }
}

/* ---- pattern -------------------------------------------------------------------------------- */

static const vo_bezier *redraw(vo_pattern *p, const graded_panel *own, int count,
                               const vo_bezier *piece) {
    vo_bezier *out = vo_arena_array(&p->arena, vo_bezier, count);
    for (int i = 0; out && i < count; i++)
        for (int k = 0; k < 4; k++) out[i].p[k] = part_point(own, piece[i].p[k]);
    return out;
}

static bool redraw_panel(vo_pattern *p, const graded_panel *own, vo_pattern_panel *panel) {
    for (int e = 0; e < panel->edge_count; e++) {
        vo_pattern_edge *edge = &panel->edge[e];
        double before = edge->length;
        edge->piece = redraw(p, own, edge->piece_count, edge->piece);
        if (!edge->piece) return false;
        edge->length = vo_chain_length(edge->piece_count, edge->piece);
        for (int i = 0; i < panel->notch_count; i++)
            if (panel->notch[i].edge == e) panel->notch[i].at *= edge->length / before;
    }
    for (int i = 0; i < panel->line_count; i++) {
        panel->line[i].piece = redraw(p, own, panel->line[i].piece_count, panel->line[i].piece);
        if (!panel->line[i].piece) return false;
    }
    panel->place = part_place(own);
    return true;
}

/* Increases the ease of seams by the difference in length that grading added. */
static void increase_ease(vo_pattern *p) {
    for (int i = 0; i < p->seam_count; i++)
        p->seam[i].ease = vo_max(p->seam[i].ease, vo_pattern_seam_excess(p, &p->seam[i]) + 1e-6);
}

vo_result vo_pattern_fit(vo_pattern *p, const vo_body_sizes *body) {
    if (!(p->body.height > 0 && body->height > 0)) return VO_OK;
    VO_TRY(vo_pattern_check(p));
    grading g = make_grading(&p->body, body);
    graded_panel *parts = vo_arena_array(&p->arena, graded_panel, p->panel_count);
    if (!parts) return vo_fail_memory(p->ctx, "a pattern");
    for (int i = 0; i < p->panel_count; i++) parts[i] = make_part(&g, &p->panel[i]);
    for (int i = 0; i < p->panel_count; i++)
        if (parts[i].kind == PART_LIMB) match_width(p, parts, i);
    for (int i = 0; i < p->panel_count; i++)
        if (!redraw_panel(p, &parts[i], &p->panel[i])) return vo_fail_memory(p->ctx, "a pattern");
    increase_ease(p);
    p->body = *body;
    p->is_graded = true;
    return VO_OK;
}

/* Place pass of sewing: moves panels outwards until they intersect neither the body, nor inner
 * garments, nor each other. */
#include "garment/pattern_sample.h"
#include "sew/sew.h"
#include "sim/inspect.h"

#include <string.h>

/* Distance, m, by which an intersecting panel moves, and the maximum number of moves. */
static const double STEP = 0.01;
enum { MAX_MOVES = 80 };

typedef struct placing {
    const vo_sewing *s;
    const vo_sew_piece *piece;
    vo_inspector inspector;
    double *out;      /* [panels] m, by which each has moved */
    bool *intersects; /* [panels] */
    vo_vec3 *x;       /* [nodes] the result */
} placing;

/* Position of a vert on the flat panel in pattern coordinates. */
static vo_vec2 flat_point(const vo_pattern_panel *panel, vo_vec2 u) {
    vo_vec2 warp = v2(cos(panel->grain), sin(panel->grain));
    return v2(u.x * warp.x - u.y * warp.y, u.x * warp.y + u.y * warp.x);
}

/* Moves a cone around the neck: it first opens until it is flat, because a steep cone intersects
 * raised arms and broad shoulders, with its inner edge fixed; then it rises. */
static vo_panel_placement moved_cape(const vo_pattern_panel *panel, double out) {
    static const double OPENS = 4 * VO_PI / 180 / 0.01; /* rad/m: 4 degrees a move */
    vo_panel_placement place = panel->place;
    double flat = VO_PI / 2, inner = place.inner;
    double edge = place.height - (place.flutes ? 0 : inner * cos(place.slope));
    double opening = vo_min(OPENS * out, vo_max(flat - place.slope, 0));
    place.slope += opening;
    place.height = edge + out - opening / OPENS + (place.flutes ? 0 : inner * cos(place.slope));
    return place;
}

/* Placement of a panel moved outwards: cylinders grow, cones and flat panels move. */
static vo_panel_placement moved(const vo_pattern_panel *panel, double out) {
    vo_panel_placement place = panel->place;
    if (place.kind == VO_PLACEMENT_CONE && strcmp(place.axis, "neck") == 0)
        return moved_cape(panel, out);
    place.radius += out;
    if (place.kind != VO_PLACEMENT_FLAT) return place;
    vo_vec3 normal = xf_vector(place.transform, v3(0, 0, 1));
    place.transform.translation = v3_add_scaled(place.transform.translation, out, normal);
    return place;
}

static void place_all(placing *p) {
    const vo_pattern *pattern = p->piece->pattern;
    const vo_mesh *mesh = p->piece->garment->mesh;
    vo_panel_mesh_def def = {.axis_count = p->piece->axis_count, .axis = p->piece->axis};
    for (int n = 0; n < mesh->node_count; n++) {
        const vo_pattern_panel *panel = &pattern->panel[mesh->vert_patch[n]];
        vo_panel_placement place = moved(panel, p->out[mesh->vert_patch[n]]);
        const vo_limb_axis *axis =
            place.axis ? vo_pattern_find_axis(pattern, &def, place.axis) : NULL;
        p->x[n] = vo_panel_placement_map(&place, axis, flat_point(panel, mesh->vert_u[n]));
    }
}

static vo_result add_obstacles(placing *p) {
    const vo_sew_task *task = p->s->task;
    if (task->body) {
        vo_inspect_mesh body = vo_inspect_mesh_of(task->body);
        bool closed = vo_mesh_is_closed(task->body);
        VO_TRY(vo_inspector_add(&p->inspector, &body, true, 0,
                                closed ? VO_INSPECT_ENCLOSED : VO_INSPECT_OPEN));
    }
    for (int i = 0; i < p->s->piece; i++) {
        vo_inspect_mesh below = vo_inspect_mesh_of(p->s->sewn[i]);
        VO_TRY(vo_inspector_add(&p->inspector, &below, true, 1 + i, VO_INSPECT_OPEN));
    }
    return VO_OK;
}

static int panel_of_face(const placing *p, int face) {
    const vo_mesh *mesh = p->piece->garment->mesh;
    return mesh->vert_patch[mesh->face_vert[face][0]];
}

/* Selects which of two intersecting panels moves: the outer one, else the later one. */
static int outer_of(const placing *p, int a, int b) {
    const vo_pattern_panel *panel = p->piece->pattern->panel;
    if (panel[a].layer != panel[b].layer) return panel[a].layer > panel[b].layer ? a : b;
    return a > b ? a : b;
}

static void mark_intersecting(placing *p) {
    const vo_mesh *mesh = p->piece->garment->mesh;
    const vo_intersections *c = &p->inspector.intersections;
    for (int i = 0; i < c->count; i++) {
        int a = panel_of_face(p, c->pair[i][0]);
        bool own = c->pair[i][1] < mesh->face_count;
        int b = own ? panel_of_face(p, c->pair[i][1]) : a;
        p->intersects[own ? outer_of(p, a, b) : a] = true;
    }
    for (int n = 0; n < mesh->node_count; n++)
        if (p->inspector.is_inside[n]) p->intersects[mesh->vert_patch[n]] = true;
}

/* Inspects the current placement; *clear is false if a panel had to be moved. */
static vo_result inspect_placement(placing *p, bool *clear) {
    const vo_pattern *pattern = p->piece->pattern;
    vo_inspect_mesh own = vo_inspect_mesh_of(p->piece->garment->mesh);
    vo_inspection found;
    own.node_x = p->x;
    place_all(p);
    vo_inspector_begin(&p->inspector);
    VO_TRY(vo_inspector_add(&p->inspector, &own, false, 0, VO_INSPECT_OPEN));
    VO_TRY(add_obstacles(p));
    VO_TRY(vo_inspector_inspect(&p->inspector, &found));
    memset(p->intersects, 0, (size_t)pattern->panel_count * sizeof *p->intersects);
    mark_intersecting(p);
    *clear = true;
    for (int i = 0; i < pattern->panel_count; i++) {
        if (!p->intersects[i]) continue;
        p->out[i] += STEP;
        *clear = false;
    }
    return VO_OK;
}

static vo_result find_places(placing *p) {
    bool clear = false;
    for (int i = 0; i < MAX_MOVES && !clear; i++) VO_TRY(inspect_placement(p, &clear));
    return VO_OK;
}

vo_result vo_sew_place(const vo_sewing *s, vo_vec3 *x) {
    vo_context *ctx = s->task->ctx;
    placing p = {.s = s, .piece = &s->task->piece[s->piece], .inspector = {.ctx = ctx}, .x = x};
    int count = p.piece->pattern->panel_count;
    p.out = vo_alloc_zero(ctx, (size_t)count * sizeof *p.out);
    p.intersects = vo_alloc_zero(ctx, (size_t)count * sizeof *p.intersects);
    vo_result result = p.out && p.intersects ? find_places(&p) : vo_fail_memory(ctx, "sewing");
    vo_inspector_free(&p.inspector);
    vo_free_array(ctx, p.out, count);
    vo_free_array(ctx, p.intersects, count);
    return result;
}

/* Before sewing: panels move outwards, each in its own way, until they intersect neither the body
 * nor what is worn below nor each other. */
#include "scene/pattern_sample.h"
#include "sim/inspect.h"
#include "sim/sew.h"

#include <string.h>

/* A panel that is in the way moves by this much, m, and so often at most. */
static const double STEP = 0.01;
enum { MAX_MOVES = 80 };

typedef struct placing {
    const vo_sewing *s;
    const vo_sew_piece *piece;
    vo_inspector look;
    double *out;  /* [panels] m, by which each has moved */
    bool *in_way; /* [panels] */
    vo_vec3 *x;   /* [nodes] the result */
} placing;

/* A node's place on the flat panel, as the pattern draws it. */
static vo_vec2 flat_point(const vo_pattern_panel *panel, vo_vec2 u) {
    vo_vec2 warp = v2(cos(panel->grain), sin(panel->grain));
    return v2(u.x * warp.x - u.y * warp.y, u.x * warp.y + u.y * warp.x);
}

/* A cone around the neck lies on the shoulders: first it opens, until it is flat, since raised arms
 * and broad shoulders are in the way of a steep one; its inner edge stays. Then it rises. */
static vo_pattern_place moved_cape(const vo_pattern_panel *panel, double out) {
    static const double OPENS = 4 * VO_PI / 180 / 0.01; /* rad/m: 4 degrees a move */
    vo_pattern_place place = panel->place;
    double flat = VO_PI / 2, inner = place.inner;
    double edge = place.height - (place.flutes ? 0 : inner * cos(place.slope));
    double opening = vo_min(OPENS * out, vo_max(flat - place.slope, 0));
    place.slope += opening;
    place.height = edge + out - opening / OPENS + (place.flutes ? 0 : inner * cos(place.slope));
    return place;
}

/* The panel's place, moved outwards: cylinders grow, cones and flat panels move. */
static vo_pattern_place moved(const vo_pattern_panel *panel, double out) {
    vo_pattern_place place = panel->place;
    if (place.kind == VO_PLACE_CONE && strcmp(place.axis, "neck") == 0)
        return moved_cape(panel, out);
    place.radius += out;
    if (place.kind != VO_PLACE_FLAT) return place;
    vo_vec3 normal = xf_vector(place.transform, v3(0, 0, 1));
    place.transform.translation = v3_add_scaled(place.transform.translation, out, normal);
    return place;
}

static void place_all(placing *p) {
    const vo_pattern *pattern = p->piece->pattern;
    const vo_mesh *mesh = p->piece->garment->mesh;
    vo_garment_def def = {.axis_count = p->piece->axis_count, .axis = p->piece->axis};
    for (int n = 0; n < mesh->node_count; n++) {
        const vo_pattern_panel *panel = &pattern->panel[mesh->vert_patch[n]];
        vo_pattern_place place = moved(panel, p->out[mesh->vert_patch[n]]);
        const vo_pattern_axis *axis =
            place.axis ? vo_pattern_find_axis(pattern, &def, place.axis) : NULL;
        p->x[n] = vo_pattern_place_point(&place, axis, flat_point(panel, mesh->vert_u[n]));
    }
}

static vo_result add_obstacles(placing *p) {
    const vo_sew_task *task = p->s->task;
    if (task->body) {
        vo_inspect_mesh body = vo_inspect_mesh_of(task->body);
        VO_TRY(vo_inspector_add(&p->look, &body, true, 0, vo_mesh_is_closed(task->body)));
    }
    for (int i = 0; i < p->s->piece; i++) {
        vo_inspect_mesh below = vo_inspect_mesh_of(p->s->sewn[i]);
        VO_TRY(vo_inspector_add(&p->look, &below, true, 1 + i, false));
    }
    return VO_OK;
}

static int panel_of_face(const placing *p, int face) {
    const vo_mesh *mesh = p->piece->garment->mesh;
    return mesh->vert_patch[mesh->face_vert[face][0]];
}

/* Of two panels that meet, the one further out, then the later one, is in the way. */
static int outer_of(const placing *p, int a, int b) {
    const vo_pattern_panel *panel = p->piece->pattern->panel;
    if (panel[a].layer != panel[b].layer) return panel[a].layer > panel[b].layer ? a : b;
    return a > b ? a : b;
}

static void mark(placing *p) {
    const vo_mesh *mesh = p->piece->garment->mesh;
    const vo_crossings *c = &p->look.crossings;
    for (int i = 0; i < c->count; i++) {
        int a = panel_of_face(p, c->pair[i][0]);
        bool own = c->pair[i][1] < mesh->face_count;
        int b = own ? panel_of_face(p, c->pair[i][1]) : a;
        p->in_way[own ? outer_of(p, a, b) : a] = true;
    }
    for (int n = 0; n < mesh->node_count; n++)
        if (p->look.is_inside[n]) p->in_way[mesh->vert_patch[n]] = true;
}

/* Looks at the present places; *clear is false if a panel had to be moved. */
static vo_result look(placing *p, bool *clear) {
    const vo_pattern *pattern = p->piece->pattern;
    vo_inspect_mesh own = vo_inspect_mesh_of(p->piece->garment->mesh);
    vo_inspection found;
    own.node_x = p->x;
    place_all(p);
    vo_inspector_begin(&p->look);
    VO_TRY(vo_inspector_add(&p->look, &own, false, 0, false));
    VO_TRY(add_obstacles(p));
    VO_TRY(vo_inspector_look(&p->look, &found));
    memset(p->in_way, 0, (size_t)pattern->panel_count * sizeof *p->in_way);
    mark(p);
    *clear = true;
    for (int i = 0; i < pattern->panel_count; i++) {
        if (!p->in_way[i]) continue;
        p->out[i] += STEP;
        *clear = false;
    }
    return VO_OK;
}

static vo_result find_places(placing *p) {
    bool clear = false;
    for (int i = 0; i < MAX_MOVES && !clear; i++) VO_TRY(look(p, &clear));
    return VO_OK;
}

vo_result vo_sew_place(const vo_sewing *s, vo_vec3 *x) {
    vo_context *ctx = s->task->ctx;
    placing p = {.s = s, .piece = &s->task->piece[s->piece], .look = {.ctx = ctx}, .x = x};
    int count = p.piece->pattern->panel_count;
    p.out = vo_alloc_zero(ctx, (size_t)count * sizeof *p.out);
    p.in_way = vo_alloc_zero(ctx, (size_t)count * sizeof *p.in_way);
    vo_result result = p.out && p.in_way ? find_places(&p) : vo_fail_memory(ctx, "sewing");
    vo_inspector_free(&p.look);
    vo_free_array(ctx, p.out, count);
    vo_free_array(ctx, p.in_way, count);
    return result;
}

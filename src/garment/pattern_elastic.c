/* Elastic edges: the rest length of the cloth along them is shorter than in the pattern. */
#include "garment/pattern.h"

/* m, distance from the edge up to which the cloth is shortened fully, and beyond which it is
 * unchanged. */
static const double FULL_DISTANCE = 0.05, ZERO_DISTANCE = 0.2;

/* Straight line between the ends of the labelled edges of a panel. */
typedef struct band {
    vo_vec2 origin, along;
    double elastic;
} band;

static vo_vec2 to_material(const vo_pattern_panel *panel, vo_vec2 p) {
    vo_vec2 warp = v2(cos(panel->grain), sin(panel->grain));
    return v2(v2_dot(warp, p), v2_cross(warp, p));
}

static vo_vec2 tighten(const band *b, vo_vec2 u) {
    vo_vec2 d = v2_sub(u, b->origin);
    double along = v2_dot(b->along, d), away = fabs(v2_cross(b->along, d));
    double weight =
        1 - vo_min(vo_max((away - FULL_DISTANCE) / (ZERO_DISTANCE - FULL_DISTANCE), 0), 1);
    return v2_add(u, v2_scale((b->elastic - 1) * weight * along, b->along));
}

static void tighten_panel(vo_mesh *mesh, const vo_pattern *pattern, int panel, int edge,
                          double elastic) {
    const vo_pattern_panel *p = &pattern->panel[panel];
    const vo_pattern_edge *e = &p->edge[edge];
    vo_vec2 a = to_material(p, e->piece[0].p[0]);
    vo_vec2 b = to_material(p, e->piece[e->piece_count - 1].p[3]);
    double length = v2_length(v2_sub(b, a));
    if (!(length > 0)) return;
    band line = {v2_scale(0.5, v2_add(a, b)), v2_scale(1 / length, v2_sub(b, a)), elastic};
    for (int v = 0; v < mesh->vert_count; v++)
        if (mesh->vert_patch[v] == panel) mesh->vert_u[v] = tighten(&line, mesh->vert_u[v]);
}

void vo_garment_apply_elastic(vo_garment *garment, const vo_pattern *pattern) {
    for (int i = 0; i < pattern->label_count; i++)
        for (int k = 0; k < pattern->label[i].count && pattern->label[i].elastic < 1; k++)
            tighten_panel(garment->mesh, pattern, pattern->label[i].edge[k].panel,
                          pattern->label[i].edge[k].edge, pattern->label[i].elastic);
}

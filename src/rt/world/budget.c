/* Limit of the cost of a step.
 *
 * The cost is a count of operations, weighted by nanoseconds of a reference core, so that it does
 * not depend on the machine. A controller scales the refinement criteria; since an edge joins some
 * major steps after its criteria fail, the scale changes by a few percent per step only. */
#include "rt/world/world.h"

/* ns per element and substep; of bending elements per minor step, of triangles per move. */
static const double SPRING = 9.0, BEND = 12.0, VERTEX = 3.0, TRIANGLE = 10.0, CONTACT = 15.0;
/* Detection of contacts per vertex of a cloth near a triangle mesh, or near shapes. */
static const double MESH_VERTEX = 500.0, SHAPE_VERTEX = 200.0;
static const double ADAPT_EDGE = 35.0, OUTPUT_VERTEX = 4.5;
/* Of a detail mesh: per node, and per number of the operators that is read. */
static const double DETAIL_NODE = 25.0, DETAIL_NUMBER = 0.06;
/* A query for self-collision: per face, per pair of features; a contact, per substep. */
static const double QUERY_FACE = 150.0, QUERY_PAIR = 60.0, SELF_CONTACT = 25.0;

/* Of a vertex; the most expensive body counts. */
static double detection_cost(const vo_rt_cloth *c) {
    double cost = 0;
    for (int i = 0; i < c->near_count; i++) {
        double one =
            vo_rt_body_uses_shapes(c->near_body[i], c->near_shapes[i]) ? SHAPE_VERTEX : MESH_VERTEX;
        if (one > cost) cost = one;
    }
    return cost;
}

double vo_rt_budget_move_cost(const vo_rt_cloth *c) {
    const vo_rt_front *f = &c->mesh.front;
    int substeps = vo_rt_move_count_substeps(c);
    double per_substep = SPRING * f->spring_count + VERTEX * f->vertex_count;
    return substeps * (per_substep + CONTACT * c->contacts.count) + TRIANGLE * f->triangle_count +
           c->state.move_steps * BEND * f->bend_count + detection_cost(c) * f->vertex_count;
}

double vo_rt_budget_query_cost(const vo_rt_self_set *set) {
    return QUERY_FACE * set->face_count + QUERY_PAIR * (double)set->counts.feature_pairs;
}

double vo_rt_budget_self_cost(const vo_rt_self_set *set) {
    return SELF_CONTACT * set->contact_count;
}

double vo_rt_budget_adapt_cost(const vo_rt_cloth *c) {
    return ADAPT_EDGE * c->mesh.front.spring_count;
}

double vo_rt_budget_output_cost(const vo_rt_cloth *c) {
    return OUTPUT_VERTEX * c->asset->render_vertex_count;
}

double vo_rt_budget_detail_cost(const vo_rt_cloth *c) {
    const vo_rt_asset_detail *d = &c->asset->detail;
    return DETAIL_NODE * d->node_count +
           DETAIL_NUMBER * ((double)d->number_count + (double)d->half_count);
}

void vo_rt_budget_update(vo_rt_world *w) {
    static const float MAX_SCALE = 32;
    double ms = w->stats.cost;
    if (w->input.budget_mode == VO_RT_BUDGET_NONE) {
        w->detail_scale = 1;
        return;
    }
    if (w->input.budget_mode == VO_RT_BUDGET_CLOCK) ms = 1e3 * w->step.elapsed;
    float ratio = (float)ms / w->input.budget_ms;
    w->over_budget += ratio > 1;
    w->stats.over_budget = w->over_budget;
    if (ratio > 0.9f && ratio < 1) return;
    float factor = f_clamp(1 + 0.2f * (ratio - 0.95f), 0.97f, 1.1f);
    w->detail_scale = f_clamp(w->detail_scale * factor, 1, MAX_SCALE);
}

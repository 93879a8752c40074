/* Creates the mesh of a pattern before sewing: sample, triangulate, place, stitch. */
#include "garment/pattern_mesh.h"
#include "garment/pattern_groups.h"
#include "mesh/data.h"
#include "mesh/triangulate.h"
#include "mesh/validate.h"

#include <string.h>

vo_panel_mesh_def vo_panel_mesh_def_default(void) {
    return (vo_panel_mesh_def){.face_target = 300};
}

static vo_result no_memory(const vo_garment_mesher *t) {
    return vo_fail_memory(t->ctx, "a garment");
}

static void free_tailor(vo_garment_mesher *t) {
    vo_mesh_data_free(t->ctx, &t->data);
    vo_samples_free(&t->samples);
    vo_free_array(t->ctx, t->flat, t->flat_capacity);
    vo_free_array(t->ctx, t->panel, t->panel_capacity);
    vo_free_array(t->ctx, t->group, t->group_capacity);
    vo_free_array(t->ctx, t->point_node, t->point_capacity);
}

/* Loops and lines of a panel as points and segments. */
typedef struct panel_graph {
    int point_count, point_capacity;
    vo_vec2 *point;
    int loop_capacity;
    int *loop_end;
    int line_count, line_capacity;
    int (*line)[2];
} panel_graph;

static void free_plan(vo_context *ctx, panel_graph *graph) {
    vo_free_array(ctx, graph->point, graph->point_capacity);
    vo_free_array(ctx, graph->loop_end, graph->loop_capacity);
    vo_free_array(ctx, graph->line, graph->line_capacity);
}

/* Adds a point; lines share points with the outline and with each other where they meet. */
static bool add_point(vo_context *ctx, panel_graph *graph, vo_vec2 p, bool share, int *index) {
    for (int i = 0; share && i < graph->point_count; i++)
        if (v2_length(v2_sub(graph->point[i], p)) < 1e-6) {
            *index = i;
            return true;
        }
    if (!vo_reserve(ctx, &graph->point, &graph->point_capacity, graph->point_count + 1))
        return false;
    *index = graph->point_count;
    graph->point[graph->point_count++] = p;
    return true;
}

static bool plan_loops(vo_garment_mesher *t, int index, panel_graph *graph) {
    const vo_pattern_panel *panel = &t->pattern->panel[index];
    const vo_samples *s = &t->samples;
    if (!vo_reserve(t->ctx, &graph->loop_end, &graph->loop_capacity, panel->loop_count))
        return false;
    for (int e = 0; e < panel->edge_count; e++) {
        const vo_pattern_edge *edge = &panel->edge[e];
        int number = s->base[index] + e;
        for (int k = s->first[number]; k < s->first[number + 1]; k++) {
            vo_vec2 p = vo_chain_point(edge->piece_count, edge->piece, s->point[k].at);
            t->point_node[k] = t->data.node_count + graph->point_count;
            if (!add_point(t->ctx, graph, p, false, &(int){0})) return false;
        }
        graph->loop_end[edge->loop] = graph->point_count;
    }
    return true;
}

static bool plan_lines(vo_garment_mesher *t, int index, double size, panel_graph *graph) {
    const vo_pattern_panel *panel = &t->pattern->panel[index];
    for (int i = 0; i < panel->line_count; i++) {
        const vo_pattern_line *line = &panel->line[i];
        double length = vo_chain_length(line->piece_count, line->piece);
        int parts = vo_max_int(1, (int)vo_min(20000, ceil(length / size - 0.25))), last = -1;
        for (int k = 0; k <= parts; k++) {
            vo_vec2 p = vo_chain_point(line->piece_count, line->piece, k * length / parts);
            int point;
            if (!add_point(t->ctx, graph, p, k == 0 || k == parts, &point)) return false;
            if (k > 0 && point != last) {
                if (!vo_reserve(t->ctx, &graph->line, &graph->line_capacity, graph->line_count + 1))
                    return false;
                graph->line[graph->line_count][0] = last;
                graph->line[graph->line_count++][1] = point;
            }
            last = point;
        }
    }
    return true;
}

bool vo_garment_mesher_add_node(vo_garment_mesher *t, int panel, vo_vec2 p) {
    vo_mesh_data *d = &t->data;
    int n = d->node_count;
    if (!vo_mesh_data_reserve_nodes(t->ctx, d, n + 1) ||
        !vo_mesh_data_reserve_verts(t->ctx, d, n + 1) ||
        !vo_reserve(t->ctx, &t->flat, &t->flat_capacity, n + 1) ||
        !vo_reserve(t->ctx, &t->panel, &t->panel_capacity, n + 1))
        return false;
    const vo_pattern_panel *own = &t->pattern->panel[panel];
    const vo_limb_axis *axis =
        own->place.axis ? vo_pattern_find_axis(t->pattern, t->def, own->place.axis) : NULL;
    vo_vec2 warp = v2(cos(own->grain), sin(own->grain));
    t->flat[n] = p;
    t->panel[n] = panel;
    d->node_x[n] = vo_panel_placement_map(&own->place, axis, p);
    d->vert_u[n] = v2(v2_dot(warp, p), v2_cross(warp, p));
    d->vert_node[n] = n;
    d->node_count = d->vert_count = n + 1;
    return true;
}

/* Appends a triangulated panel to the mesh. */
static bool append_panel(vo_garment_mesher *t, int index, const panel_graph *graph,
                         const vo_triangulation *tri) {
    vo_mesh_data *d = &t->data;
    int base = d->node_count;
    for (int i = 0; i < tri->point_count; i++)
        if (!vo_garment_mesher_add_node(t, index, tri->point[i])) return false;
    if (!vo_mesh_data_reserve_faces(t->ctx, d, d->face_count + tri->face_count) ||
        !vo_mesh_data_reserve_edges(t->ctx, d, d->edge_count + graph->line_count))
        return false;
    for (int f = 0; f < tri->face_count; f++) {
        for (int k = 0; k < 3; k++) d->face_vert[d->face_count][k] = base + tri->face[f][k];
        d->face_label[d->face_count++] = t->pattern->panel[index].fabric;
    }
    for (int i = 0; i < graph->line_count; i++) {
        for (int k = 0; k < 2; k++) d->edge_node[d->edge_count][k] = base + graph->line[i][k];
        d->edge_label[d->edge_count++] = 1;
    }
    return true;
}

static vo_result mesh_plan(vo_garment_mesher *t, int index, double size, panel_graph *graph) {
    const vo_pattern_panel *panel = &t->pattern->panel[index];
    vo_triangulation tri;
    vo_triangulate_def def = vo_triangulate_def_default();
    def.size = size;
    def.max_points = 1000000;
    if (!plan_loops(t, index, graph) || !plan_lines(t, index, size, graph)) return no_memory(t);
    vo_planar_region region = {graph->point_count, graph->point,      panel->loop_count,
                               graph->loop_end,    graph->line_count, (const int(*)[2])graph->line};
    vo_result result = vo_triangulate(t->ctx, &region, &def, &tri);
    if (result == VO_NO_MEMORY) return result;
    if (result == VO_BAD_ARGUMENT)
        return vo_fail(t->ctx, VO_BAD_DATA,
                       "%s: panel %s: %s; make its edges longer (edge_length), or see whether the "
                       "body it is fitted to is in metres",
                       t->pattern->file, panel->name, vo_context_message(t->ctx));
    if (result != VO_OK) {
        char why[256];
        snprintf(why, sizeof why, "%.250s", vo_context_message(t->ctx));
        return vo_fail(t->ctx, result,
                       "%s: panel %s: its outline, holes, darts and lines cross or touch (%s)",
                       t->pattern->file, panel->name, why);
    }
    if (!append_panel(t, index, graph, &tri)) result = no_memory(t);
    vo_triangulation_free(&tri);
    return result;
}

static vo_result mesh_panel(vo_garment_mesher *t, int index) {
    const vo_pattern_panel *panel = &t->pattern->panel[index];
    panel_graph graph = {0};
    if (panel->place.axis && !vo_pattern_find_axis(t->pattern, t->def, panel->place.axis))
        return vo_fail(t->ctx, VO_BAD_DATA, "%s: panels.%s.place.around: there is no axis \"%s\"",
                       t->pattern->file, panel->name, panel->place.axis);
    double size = 0;
    for (int e = 0; e < panel->edge_count; e++)
        size = vo_max(size, t->samples.size[t->samples.base[index] + e]);
    vo_result result = mesh_plan(t, index, size, &graph);
    free_plan(t->ctx, &graph);
    return result;
}

/* Sets the labels of nodes on labelled edges; the first label takes precedence. */
static void label_nodes(vo_garment_mesher *t) {
    const vo_samples *s = &t->samples;
    for (int i = 0; i < t->pattern->label_count; i++)
        for (int k = 0; k < t->pattern->label[i].count; k++) {
            vo_pattern_ref r = t->pattern->label[i].edge[k];
            int number = s->base[r.panel] + r.edge;
            int next = s->base[r.panel] + t->pattern->panel[r.panel].edge[r.edge].next;
            for (int j = s->first[number]; j <= s->first[number + 1]; j++) {
                int stop = j < s->first[number + 1] ? j : s->first[next];
                int *label = &t->data.node_label[t->point_node[stop]];
                if (!*label) *label = i + 1;
            }
        }
}

static vo_result add_links(vo_garment_mesher *t, vo_garment *g) {
    const vo_samples *s = &t->samples;
    if (!vo_reserve(t->ctx, &g->stitch, &g->stitch_capacity, vo_max_int(1, s->pair_count)))
        return no_memory(t);
    g->stitch_count = 0;
    for (int i = 0; i < s->pair_count; i++) {
        int a = t->point_node[vo_samples_find(s, s->pair[i].side[0])];
        int b = t->point_node[vo_samples_find(s, s->pair[i].side[1])];
        if (a != b) g->stitch[g->stitch_count++] = (vo_stitch){{a, b}, s->pair[i].seam};
    }
    return VO_OK;
}

vo_result vo_garment_mesher_group(vo_garment_mesher *t, const vo_garment *g) {
    if (!vo_reserve(t->ctx, &t->group, &t->group_capacity, t->data.node_count)) return no_memory(t);
    vo_groups_init(t->data.node_count, t->group);
    for (int i = 0; i < g->stitch_count; i++)
        vo_union_find_join(t->group, g->stitch[i].node[0], g->stitch[i].node[1]);
    vo_groups_flatten(t->data.node_count, t->group);
    return VO_OK;
}

/* Creates the mesh up to the check of the seams; *closes is false if edges must be shorter. */
static vo_result create_mesh(vo_garment_mesher *t, vo_garment *g, bool *closes) {
    VO_TRY(vo_samples_create(t->pattern, g->edge_length, &t->samples));
    if (!vo_reserve(t->ctx, &t->point_node, &t->point_capacity, t->samples.point_count))
        return no_memory(t);
    for (int i = 0; i < t->pattern->panel_count; i++) VO_TRY(mesh_panel(t, i));
    label_nodes(t);
    VO_TRY(add_links(t, g));
    return vo_garment_mesher_split_chords(t, g, closes);
}

/* Returns the edge length for about this number of faces: an equilateral triangle has the area
 * sqrt(3)/4 times its squared edge. */
static double edge_length_for(const vo_pattern *p, int faces) {
    double area = 0;
    for (int i = 0; i < p->panel_count; i++) area += vo_pattern_panel_area(&p->panel[i]);
    return sqrt(vo_max(area, 1e-9) / (0.433 * faces));
}

static vo_result build_mesh(vo_garment_mesher *t, vo_garment *g) {
    VO_TRY(vo_garment_mesher_group(t, g));
    g->node_group = vo_new_array(t->ctx, int, t->data.node_count);
    if (!g->node_group) return no_memory(t);
    memcpy(g->node_group, t->group, (size_t)t->data.node_count * sizeof *g->node_group);
    t->data.vert_patch = t->panel;
    vo_result result =
        vo_mesh_build_validated(t->ctx, t->pattern->file, &t->data, VO_MESH_FOR_CLOTH, &g->mesh);
    t->data.vert_patch = NULL;
    if (result != VO_OK) vo_free_array(t->ctx, g->node_group, t->data.node_count);
    if (result != VO_OK) g->node_group = NULL;
    return result;
}

enum { MAX_TRIES = 8 };

/* Shortens the edges until the seams can be closed. */
static vo_result mesh_with_closing_seams(const vo_pattern *p, const vo_panel_mesh_def *def,
                                         vo_garment *g) {
    for (int i = 0; i < MAX_TRIES; i++, g->edge_length *= 0.8) {
        bool closes = false;
        vo_garment_mesher t = {.ctx = p->ctx, .pattern = p, .def = def};
        vo_result result = create_mesh(&t, g, &closes);
        if (result == VO_OK && closes) result = build_mesh(&t, g);
        free_tailor(&t);
        if (result != VO_OK || closes) return result;
    }
    return vo_fail(p->ctx, VO_BAD_DATA,
                   "%s: some seam joins neighbouring points of one edge, at any edge length; is an "
                   "edge sewn to itself?",
                   p->file);
}

vo_result vo_garment_create(const vo_pattern *pattern, const vo_panel_mesh_def *def,
                            vo_garment **out) {
    *out = NULL;
    VO_TRY(vo_pattern_check(pattern));
    if (!(def->edge_length >= 0) || (def->edge_length == 0 && def->face_target < 1))
        return vo_fail(pattern->ctx, VO_BAD_ARGUMENT, "a garment's edge length must be positive");
    vo_garment *g = vo_new(pattern->ctx, vo_garment);
    if (!g) return vo_fail_memory(pattern->ctx, "a garment");
    g->ctx = pattern->ctx;
    g->edge_length =
        def->edge_length > 0 ? def->edge_length : edge_length_for(pattern, def->face_target);
    vo_result result = mesh_with_closing_seams(pattern, def, g);
    if (result != VO_OK) {
        vo_garment_destroy(g);
        return result;
    }
    *out = g;
    return VO_OK;
}

void vo_garment_destroy(vo_garment *g) {
    if (!g) return;
    if (g->mesh) vo_free_array(g->ctx, g->node_group, g->mesh->node_count);
    vo_mesh_destroy(g->mesh);
    vo_free_array(g->ctx, g->stitch, g->stitch_capacity);
    vo_delete(g->ctx, g);
}

/* Returns true if the stitches from `first` to `last` are crossed. */
static bool is_crossed(const vo_garment *g, const vo_stitch *first, const vo_stitch *last) {
    const vo_vec3 *x = g->mesh->node_x;
    double straight = v3_distance(x[first->node[0]], x[first->node[1]]) +
                      v3_distance(x[last->node[0]], x[last->node[1]]);
    double crossed = v3_distance(x[first->node[0]], x[last->node[1]]) +
                     v3_distance(x[last->node[0]], x[first->node[1]]);
    return crossed < 0.9 * straight;
}

int vo_garment_find_twists(const vo_garment *g, const vo_pattern *pattern, int capacity,
                           int *seam) {
    int count = 0;
    for (int first = 0, last; first < g->stitch_count; first = last + 1) {
        for (last = first; last + 1 < g->stitch_count; last++)
            if (g->stitch[last + 1].seam != g->stitch[first].seam) break;
        if (g->stitch[first].seam >= pattern->seam_count) continue;
        if (!is_crossed(g, &g->stitch[first], &g->stitch[last])) continue;
        if (count < capacity) seam[count] = g->stitch[first].seam;
        count++;
    }
    return count;
}

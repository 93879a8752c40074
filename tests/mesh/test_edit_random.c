/* A hundred thousand random edits of garments with seams, holes, creases and several patches: brute
 * force checks of the invariants of mesh/edit/edit.h after each of them. */
#include "edit_check.h"
#include "edit_meshes.h"
#include "mesh_checks.h"

#include "mesh/edit/edit.h"

#include <stdlib.h>

enum { LABELS = 2, MAX_FACES = 260, ROUND = 400 };
static const double DENSITY[LABELS] = {0.2, 0.7};

/* Quantities that edits preserve. */
typedef struct totals {
    double area[LABELS];
    double mass, energy;
    vo_vec3 momentum;
    int euler, borders, patches;
} totals;

static double density_of(const vo_mesh *m, int f) { return DENSITY[m->face_label[f]]; }

/* Number of components: faces joined by common nodes. */
static int count_components(const vo_edit *e) {
    const vo_mesh *m = e->mesh;
    int *group = test_malloc((size_t)m->node_count * sizeof *group), count = 0;
    for (int n = 0; n < m->node_count; n++) group[n] = n;
    for (bool changed = true; changed;) {
        changed = false;
        for (int edge = 0; edge < m->edge_count; edge++) {
            if (!vo_edit_has_edge(e, edge)) continue;
            int a = m->edge_node[edge][0], b = m->edge_node[edge][1];
            int low = vo_min_int(group[a], group[b]);
            changed |= group[a] != low || group[b] != low;
            group[a] = group[b] = low;
        }
    }
    for (int n = 0; n < m->node_count; n++) count += vo_edit_has_node(e, n) && group[n] == n;
    test_free(group);
    return count;
}

static void add_motion(const vo_edit *e, totals *t) {
    const vo_mesh *m = e->mesh;
    double *mass = test_calloc((size_t)m->node_count, sizeof *mass);
    for (int f = 0; f < m->face_count; f++) {
        if (!vo_edit_has_face(e, f)) continue;
        double area = vo_mesh_face_area(m, f);
        t->area[m->face_label[f]] += area;
        for (int i = 0; i < 3; i++) mass[vo_mesh_face_node(m, f, i)] += density_of(m, f) * area / 3;
    }
    for (int n = 0; n < m->node_count; n++) {
        if (!vo_edit_has_node(e, n)) continue;
        assert_near(e->node_mass[n], mass[n], 1e-14);
        t->mass += mass[n];
        t->momentum = v3_add_scaled(t->momentum, mass[n], m->node_v[n]);
        t->energy += 0.5 * mass[n] * v3_length2(m->node_v[n]);
    }
    test_free(mass);
}

static totals measure(const vo_edit *e) {
    const vo_mesh *m = e->mesh;
    totals t = {.patches = count_components(e)};
    add_motion(e, &t);
    for (int n = 0; n < m->node_count; n++) t.euler += vo_edit_has_node(e, n);
    for (int f = 0; f < m->face_count; f++) t.euler += vo_edit_has_face(e, f);
    for (int k = 0; k < m->edge_count; k++) {
        if (!vo_edit_has_edge(e, k)) continue;
        t.euler--;
        if (m->edge_face[k][1] < 0) t.borders = 1;
    }
    return t;
}

static void compare(const totals *before, const totals *now, double area_tolerance) {
    for (int k = 0; k < LABELS; k++)
        assert_near(now->area[k], before->area[k], 1e-13 * (1 + before->area[k]) + area_tolerance);
    assert_near(now->mass, before->mass, 1e-13 * before->mass + area_tolerance);
    double speed = v3_length(before->momentum) / before->mass;
    assert_near(v3_distance(now->momentum, before->momentum), 0,
                (1e-13 * before->mass + area_tolerance) * speed);
    assert_true(now->energy <= before->energy * (1 + 1e-13) + area_tolerance * speed * speed);
    assert_int_equal(now->euler, before->euler);
    assert_int_equal(now->borders, before->borders);
    assert_int_equal(now->patches, before->patches);
}

/* Runs the validator on the edited mesh. */
static void validate(const vo_edit *e) {
    const vo_mesh *m = e->mesh;
    vo_mesh_data d = mesh_data(m);
    d.face_count = 0;
    d.face_vert = test_malloc((size_t)m->face_count * sizeof *d.face_vert);
    for (int f = 0; f < m->face_count; f++)
        if (vo_edit_has_face(e, f))
            memcpy(d.face_vert[d.face_count++], m->face_vert[f], sizeof *d.face_vert);
    vo_mesh_report report;
    assert_ok(e->ctx, vo_mesh_validate(e->ctx, &d, VO_MESH_FOR_CLOTH, &report));
    for (int i = 0; i < report.count; i++) {
        const vo_mesh_defect *defect = &report.defect[i];
        if (defect->kind == VO_DEFECT_COLLAPSED_FACE) continue;
        if (defect->kind == VO_DEFECT_ISOLATED_NODE && !vo_edit_has_node(e, defect->element))
            continue;
        if (defect->kind == VO_DEFECT_UNUSED_VERT && !vo_edit_has_vert(e, defect->element))
            continue;
        char text[512];
        vo_mesh_defect_text(defect, text, sizeof text);
        fail_msg("%s", text);
    }
    vo_mesh_report_free(&report);
    test_free(d.face_vert);
}

/* The transferred data is linear in material space, so its value at each vert is known. */
static void check_data(const vo_edit *e) {
    for (int v = 0; v < e->mesh->vert_count; v++) {
        if (!vo_edit_has_vert(e, v)) continue;
        const double *row = e->vert_data + 2 * v;
        assert_near(row[0], e->mesh->vert_u[v].x, 1e-13);
        assert_near(row[1], e->mesh->vert_u[v].y, 1e-13);
    }
    for (int n = 0; n < e->mesh->node_count; n++)
        if (vo_edit_has_node(e, n)) assert_near(e->node_data[n], e->mesh->node_x[n].y, 1e-13);
}

static void fill_data(vo_edit *e) {
    for (int v = 0; v < e->mesh->vert_count; v++) {
        e->vert_data[2 * v] = e->mesh->vert_u[v].x;
        e->vert_data[2 * v + 1] = e->mesh->vert_u[v].y;
    }
    for (int n = 0; n < e->mesh->node_count; n++) e->node_data[n] = e->mesh->node_x[n].y;
}

/* ---- outlines -------------------------------------------------------------------------------- */

/* The initial feature edges: both sides in material space, and their kind. */
typedef struct outline {
    int count;
    vo_vec2 (*end)[2];
    int *kind;
    double length; /* total length of all sides */
} outline;

static outline find_outline(const vo_edit *e) {
    const vo_mesh *m = e->mesh;
    outline o = {.end = test_malloc((size_t)(2 * m->edge_count) * sizeof *o.end),
                 .kind = test_malloc((size_t)(2 * m->edge_count) * sizeof *o.kind)};
    for (int k = 0; k < m->edge_count; k++) {
        if (!vo_edit_has_edge(e, k) || !e->edge_feature[k]) continue;
        for (int s = 0; s < 2; s++) {
            int v[2];
            vo_mesh_edge_verts(m, k, s, v);
            if (v[0] < 0) continue;
            o.end[o.count][0] = m->vert_u[v[0]];
            o.end[o.count][1] = m->vert_u[v[1]];
            o.length += v2_length(v2_sub(m->vert_u[v[1]], m->vert_u[v[0]]));
            o.kind[o.count++] = e->edge_feature[k] | m->edge_label[k] << 8;
        }
    }
    return o;
}

static void free_outline(outline *o) {
    test_free(o->end);
    test_free(o->kind);
}

static double distance_to(vo_vec2 p, const vo_vec2 end[2]) {
    vo_vec2 ab = v2_sub(end[1], end[0]), ap = v2_sub(p, end[0]);
    double t = vo_clamp(v2_dot(ap, ab) / v2_dot(ab, ab), 0, 1);
    return v2_length(v2_sub(ap, v2_scale(t, ab)));
}

/* One-sided Hausdorff distance from a to b, per kind of feature. */
static double one_sided_distance(const outline *a, const outline *b) {
    double worst = 0;
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k <= 4; k++) {
            vo_vec2 p =
                v2_add(v2_scale(1 - k / 4.0, a->end[i][0]), v2_scale(k / 4.0, a->end[i][1]));
            double best = INFINITY;
            for (int j = 0; j < b->count; j++)
                if (a->kind[i] == b->kind[j]) best = vo_min(best, distance_to(p, b->end[j]));
            worst = vo_max(worst, best);
        }
    return worst;
}

static void compare_outlines(const outline *first, const vo_edit *e, double tolerance) {
    outline now = find_outline(e);
    assert_true(one_sided_distance(first, &now) <= tolerance + 1e-12);
    assert_true(one_sided_distance(&now, first) <= tolerance + 1e-12);
    if (tolerance == 0) assert_near(now.length, first->length, 1e-12 * first->length);
    free_outline(&now);
}

/* ---- edits ----------------------------------------------------------------------------------- */

typedef struct tally {
    int split, collapse, flip;
    int why[16];
} tally;

/* Makes one allowed edit; vo_edit_can_* must agree with the edit. */
static void edit_once(vo_edit *e, vo_random *r, tally *t) {
    for (;;) {
        int edge = vo_random_int(r, e->mesh->edge_count), end = vo_random_int(r, 2);
        int what = vo_random_int(r, 10),
            faces = e->mesh->face_count - e->free_slot_count[VO_REMAP_FACE];
        double place = vo_random_real(r, 0.3, 0.7);
        vo_edit_status can, why;
        if (what < 3 && faces < MAX_FACES) {
            can = vo_edit_can_split(e, edge, place);
            why = vo_edit_split(e, edge, place, NULL);
            t->split += why == VO_EDIT_ALLOWED;
        } else if (what < 7) {
            can = vo_edit_can_collapse(e, edge, end);
            why = vo_edit_collapse(e, edge, end);
            t->collapse += why == VO_EDIT_ALLOWED;
        } else {
            can = vo_edit_can_flip(e, edge);
            why = vo_edit_flip(e, edge);
            t->flip += why == VO_EDIT_ALLOWED;
        }
        assert_int_equal(can, why);
        t->why[why]++;
        if (why == VO_EDIT_ALLOWED) return;
    }
}

static void check_after_edit(const vo_edit *e, totals *last, double area_tolerance) {
    assert_ok(e->ctx, check_edit(e));
    validate(e);
    totals now = measure(e);
    compare(last, &now, area_tolerance);
    *last = now;
}

/* Positions of verts and nodes must follow from the old ones by the remap table. */
typedef struct snapshot {
    vo_vec2 *u;
    vo_vec3 *x;
    int verts, nodes, edges, faces;
} snapshot;

static snapshot take_snapshot(const vo_mesh *m) {
    snapshot s = {test_malloc((size_t)m->vert_count * sizeof *s.u),
                  test_malloc((size_t)m->node_count * sizeof *s.x),
                  m->vert_count,
                  m->node_count,
                  m->edge_count,
                  m->face_count};
    memcpy(s.u, m->vert_u, (size_t)m->vert_count * sizeof *s.u);
    memcpy(s.x, m->node_x, (size_t)m->node_count * sizeof *s.x);
    return s;
}

static void check_carry(const vo_edit *e, const snapshot *s) {
    const vo_mesh *m = e->mesh;
    vo_vec2 *u = test_malloc((size_t)m->vert_count * sizeof *u);
    assert_ok(e->ctx, vo_remap_transfer(&e->remap, VO_REMAP_VERT, 2, &s->u[0].x, &u[0].x));
    for (int v = 0; v < m->vert_count; v++)
        assert_near(v2_length(v2_sub(u[v], m->vert_u[v])), 0, 1e-12);
    test_free(u);
}

static void check_parents(const vo_edit *e, const snapshot *s) {
    vo_parents p = {0};
    for (int n = 0; n < e->mesh->node_count; n++) {
        assert_ok(e->ctx, vo_remap_parents(&e->remap, VO_REMAP_NODE, n, &p));
        vo_vec3 x = v3_zero();
        double sum = 0;
        for (int i = 0; i < p.count; i++) {
            assert_in_range(p.index[i], 0, s->nodes - 1);
            if (i > 0) assert_true(p.index[i] > p.index[i - 1]);
            sum += p.weight[i];
            x = v3_add_scaled(x, p.weight[i], s->x[p.index[i]]);
        }
        assert_near(sum, 1, 1e-12);
        assert_near(v3_distance(x, e->mesh->node_x[n]), 0, 1e-12);
    }
    vo_parents_free(e->ctx, &p);
}

/* Surviving nodes are at their new index with their position; the others have no index. */
static void check_new_indices(const vo_edit *e, const snapshot *s) {
    const vo_mesh *m = e->mesh;
    for (int n = 0; n < s->nodes; n++) {
        int index = vo_remap_new_index(&e->remap, VO_REMAP_NODE, n);
        assert_in_range(index + 1, 0, m->node_count);
        if (index >= 0) assert_memory_equal(&m->node_x[index], &s->x[n], sizeof *s->x);
    }
    for (int v = 0; v < s->verts; v++)
        assert_in_range(vo_remap_new_index(&e->remap, VO_REMAP_VERT, v) + 1, 0, m->vert_count);
    for (int f = 0; f < s->faces; f++)
        assert_in_range(vo_remap_new_index(&e->remap, VO_REMAP_FACE, f) + 1, 0, m->face_count);
}

/* The compacted mesh equals the one built from its faces. */
static void check_rebuilt(const vo_mesh *m) {
    vo_mesh_data data = mesh_data(m);
    vo_mesh *again;
    assert_ok(m->ctx, vo_mesh_build(m->ctx, &data, &again));
    assert_int_equal(again->vert_count, m->vert_count);
    assert_int_equal(again->edge_count, m->edge_count);
    size_t pairs = (size_t)m->edge_count * sizeof *m->edge_node;
    assert_memory_equal(again->edge_node, m->edge_node, pairs);
    assert_memory_equal(again->edge_face, m->edge_face, pairs);
    assert_memory_equal(again->face_edge, m->face_edge,
                        (size_t)m->face_count * sizeof *m->face_edge);
    vo_mesh_destroy(again);
}

static void check_compact(const vo_edit *e) {
    const vo_mesh *m = e->mesh;
    check_rebuilt(m);
    for (int k = 0; k < VO_REMAP_KINDS; k++) assert_int_equal(e->free_slot_count[k], 0);
    for (int n = 0; n < m->node_count; n++) assert_true(vo_edit_has_node(e, n));
    for (int f = 0; f < m->face_count; f++) assert_true(vo_edit_has_face(e, f));
    for (int k = 0; k < m->edge_count; k++) assert_true(vo_edit_has_edge(e, k));
    for (int v = 0; v < m->vert_count; v++) assert_true(vo_edit_has_vert(e, v));
}

static void finish_round(vo_edit *e, snapshot *s, totals *last) {
    int preserved = 0, kept = 0;
    for (int n = 0; n < e->mesh->node_count; n++)
        preserved += (e->node_flags[n] & VO_NODE_PRESERVED) != 0;
    assert_ok(e->ctx, vo_edit_finish(e));
    for (int n = 0; n < e->mesh->node_count; n++)
        kept += (e->node_flags[n] & VO_NODE_PRESERVED) != 0;
    assert_int_equal(preserved, kept);
    check_compact(e);
    check_carry(e, s);
    check_parents(e, s);
    check_new_indices(e, s);
    check_data(e);
    check_after_edit(e, last, 0);
    test_free(s->u);
    test_free(s->x);
    *s = take_snapshot(e->mesh);
    assert_ok(e->ctx, vo_edit_begin(e));
}

static void run(int which, int edits, double tolerance, tally *t) {
    vo_context *ctx = test_context(1);
    vo_mesh *m = garment_build(ctx, which, 7);
    vo_edit_def def = vo_edit_def_default();
    def.density = DENSITY;
    def.density_count = LABELS;
    def.outline_tolerance = tolerance;
    def.node_width = 1;
    def.vert_width = 2;
    vo_edit *e;
    assert_ok(ctx, vo_edit_create(m, &def, &e));
    fill_data(e);
    outline first = find_outline(e);
    snapshot s = take_snapshot(m);
    totals last = measure(e);
    vo_random r = vo_random_seed((uint64_t)which + 100);
    for (int i = 1; i <= edits; i++) {
        edit_once(e, &r, t);
        check_after_edit(e, &last, tolerance * first.length);
        if (i % 16 == 0) check_data(e);
        if (i % 50 == 0) compare_outlines(&first, e, tolerance);
        if (i % ROUND == 0) finish_round(e, &s, &last);
    }
    free_outline(&first);
    test_free(s.u);
    test_free(s.x);
    vo_edit_destroy(e);
    vo_mesh_destroy(m);
    vo_context_destroy(ctx);
}

/* Collapses on feature lines must be among the edits. */
static void invariants_hold_after_every_edit(void **state) {
    (void)state;
    tally t = {0};
    for (int g = 0; g < GARMENT_COUNT; g++) run(g, 14000, 0, &t);
    assert_true(t.split > 10000 && t.collapse > 10000 && t.flip > 10000);
    for (int why = VO_EDIT_MISSING; why <= VO_EDIT_EAR; why++)
        if (why != VO_EDIT_OUTLINE) assert_true(t.why[why] > 0);
}

static void outlines_stay_within_tolerance(void **state) {
    (void)state;
    tally t = {0};
    for (int g = 0; g < GARMENT_COUNT; g++) run(g, 3000, 0.02, &t);
    assert_true(t.why[VO_EDIT_OUTLINE] > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invariants_hold_after_every_edit),
        cmocka_unit_test(outlines_stay_within_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Parts of the candidates: clusters, motions, SIMD kernels and pair lists, each compared with a
 * plain reference. */
#include "ccd_cases.h"
#include "contact_fixture.h"

#include "collide/pair_cache/kinematics.h"
#include "collide/pair_cache/pair_cache.h"
#include "core/context.h"

/* ---- clusters ---- */

static contact_fixture make_fixture(vo_context *ctx) {
    contact_fixture w = {.ctx = ctx};
    fixture_add(&w, make_sheet_mesh(ctx, 1, 13, 0), false, false);
    fixture_add(&w, make_sheet_mesh(ctx, 1, 5, 0.3), false, false);
    fixture_add(&w, make_ball_mesh(ctx, 0.4, 7, v3(0.1, 0, 0)), true, true);
    fixture_build(&w);
    return w;
}

/* Asserts that each item is in the list of exactly one cluster. */
static void check_partition(const vo_csr *lists, int clusters, int count) {
    int *count_of = calloc((size_t)count + 1, sizeof *count_of);
    for (int i = 0; i < lists->begin[clusters]; i++) count_of[lists->item[i]]++;
    for (int i = 0; i < count; i++) assert_int_equal(count_of[i], 1);
    free(count_of);
}

static void clusters_partition_all_features(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    contact_fixture w = make_fixture(ctx);
    const vo_surface *s = &w.surface;
    vo_clusters k;
    assert_ok(ctx, vo_clusters_create(ctx, s, NULL, &k));
    check_partition(&k.face, k.count, s->face_count);
    check_partition(&k.own_node, k.count, s->node_count);
    check_partition(&k.own_edge, k.count, s->edge_count);
    for (int c = 0; c < k.count; c++) {
        assert_in_range(k.face.begin[c + 1] - k.face.begin[c], 1, VO_CLUSTER_FACES);
        assert_true((c < k.cloth_count) == !s->part[k.part[c]].obstacle);
        assert_in_range(c, k.part_begin[k.part[c]], k.part_begin[k.part[c] + 1] - 1);
        for (int i = k.face.begin[c]; i < k.face.begin[c + 1]; i++)
            assert_int_equal(s->face_part[k.face.item[i]], k.part[c]);
        for (int i = k.node.begin[c]; i < k.node.begin[c + 1]; i++) {
            int n = k.node.item[i], found = 0;
            for (int j = k.node_clusters.begin[n]; j < k.node_clusters.begin[n + 1]; j++)
                found += k.node_clusters.item[j] == c;
            assert_int_equal(found, 1);
            assert_true(s->max_self_thickness[n] <= k.max_self_thickness[c]);
        }
    }
    vo_clusters_free(&k);
    fixture_free(&w);
    vo_context_destroy(ctx);
}

static void check_same_lists(const vo_csr *a, const vo_csr *b, int count) {
    assert_memory_equal(a->begin, b->begin, (size_t)(count + 1) * sizeof *a->begin);
    assert_memory_equal(a->item, b->item, (size_t)a->begin[count] * sizeof *a->item);
}

static void check_same_clusters(const vo_clusters *a, const vo_clusters *b) {
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->cloth_count, b->cloth_count);
    assert_memory_equal(a->part, b->part, (size_t)a->count * sizeof *a->part);
    assert_memory_equal(a->part_begin, b->part_begin,
                        (size_t)(a->part_count + 1) * sizeof *a->part_begin);
    assert_memory_equal(a->rest_box, b->rest_box, (size_t)a->count * sizeof *a->rest_box);
    assert_memory_equal(a->max_self_thickness, b->max_self_thickness,
                        (size_t)a->count * sizeof *a->max_self_thickness);
    assert_memory_equal(a->min_self_thickness, b->min_self_thickness,
                        (size_t)a->count * sizeof *a->max_self_thickness);
    check_same_lists(&a->face, &b->face, a->count);
    check_same_lists(&a->node, &b->node, a->count);
    check_same_lists(&a->own_node, &b->own_node, a->count);
    check_same_lists(&a->own_edge, &b->own_edge, a->count);
    check_same_lists(&a->node_clusters, &b->node_clusters, a->node_count);
}

/* Cached clusters of obstacles equal newly created ones. */
static void cached_clusters_equal_new_ones(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    contact_fixture w = make_fixture(ctx), v = {.ctx = ctx};
    vo_candidates *c;
    vo_obstacle_cache cache = {0};
    assert_ok(ctx, vo_candidates_create(ctx, &w.surface, 0.01, NULL, &c));
    assert_ok(ctx, vo_candidates_save_obstacles(c, &cache));
    vo_candidates_destroy(c);
    fixture_add(&v, make_sheet_mesh(ctx, 1, 9, 0), false, false);
    fixture_add(&v, make_ball_mesh(ctx, 0.4, 7, v3(0.1, 0, 0)), true, true);
    fixture_build(&v);
    vo_clusters from_cache, created;
    assert_true(vo_obstacle_cache_matches(&cache, &v.surface));
    assert_ok(ctx, vo_clusters_create(ctx, &v.surface, &cache, &from_cache));
    assert_ok(ctx, vo_clusters_create(ctx, &v.surface, NULL, &created));
    check_same_clusters(&from_cache, &created);
    vo_clusters_free(&from_cache);
    vo_clusters_free(&created);
    vo_obstacle_cache_free(ctx, &cache);
    fixture_free(&w);
    fixture_free(&v);
    vo_context_destroy(ctx);
}

/* Two pieces sewn together that overlap in material space: no cluster contains faces of both. */
static void clusters_do_not_span_patches(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    enum { N = 6 };
    vo_vec3 x[(N + 1) * 3];
    vo_vec2 u[(N + 1) * 4];
    int node[(N + 1) * 4], face[4 * N][3], f = 0;
    for (int i = 0; i <= N; i++)
        for (int row = 0; row < 4; row++) {
            int n = 3 * i + (row < 2 ? row : row - 1), v = 4 * i + row;
            x[n] = v3(i, row < 2 ? row : row - 1, 0);
            u[v] = v2(i, row % 2);
            node[v] = n;
        }
    for (int i = 0; i < N; i++)
        for (int row = 0; row < 4; row += 2) {
            int v = 4 * i + row;
            memcpy(face[f++], (int[]){v, v + 4, v + 1}, sizeof face[0]);
            memcpy(face[f++], (int[]){v + 1, v + 4, v + 5}, sizeof face[0]);
        }
    vo_mesh *mesh;
    assert_ok(ctx, vo_mesh_create(ctx, (N + 1) * 3, x, (N + 1) * 4, u, node, f,
                                  (const int(*)[3])face, VO_MESH_FOR_CLOTH, &mesh));
    contact_fixture w = {.ctx = ctx};
    fixture_add(&w, mesh, false, false);
    fixture_build(&w);
    vo_clusters k;
    assert_ok(ctx, vo_clusters_create(ctx, &w.surface, NULL, &k));
    for (int c = 0; c < k.count; c++)
        for (int i = k.face.begin[c]; i < k.face.begin[c + 1]; i++)
            assert_int_equal(k.face.item[i] / 2 % 2, k.face.item[k.face.begin[c]] / 2 % 2);
    vo_clusters_free(&k);
    fixture_free(&w);
    vo_context_destroy(ctx);
}

/* ---- motions ---- */

/* Creates a step in which everything rotates, bends and moves by random amounts. */
static void random_step(vo_surface *s, vo_random *r, int round) {
    vo_vec3 axis = test_random_vec3(r, 1), translation = test_random_vec3(r, 0.1);
    double angle = vo_random_real(r, 0, round % 3 ? 0.4 : 1e-3), noise = round % 2 ? 0.02 : 0;
    for (int i = 0; i < s->cloth_node_count; i++) {
        vo_vec3 x = s->x0[i];
        vo_vec3 bent = v3(0, 0, 0.1 * angle * sin(7 * x.x) * x.y);
        vo_vec3 y = v3_add(q_rotate(q_axis_angle(axis, angle), v3_add(x, bent)), translation);
        s->x1[i] = v3_add(y, test_random_vec3(r, noise));
    }
    vo_surface_part *ball = &s->part[2];
    ball->pose[1] = ball->pose[0];
    ball->pose[1].translation = v3_add(ball->pose[0].translation, test_random_vec3(r, 0.1));
    ball->pose[1].rotation = q_normalize(
        q_mul(q_axis_angle(test_random_vec3(r, 1), vo_random_real(r, 0, round % 5 ? 0.4 : 2)),
              ball->pose[0].rotation));
    if (round % 7 == 6) ball->pose[1].rotation = ball->pose[0].rotation;
    if (round % 6 == 5) ball->pose[1] = ball->pose[0];
    if (round % 4 == 3) ball->pose[1].scale *= vo_random_real(r, 0.95, 1.05);
    for (int i = ball->node_begin; i < ball->node_end; i++) {
        s->x1[i] = xf_point(ball->pose[1], ball->rest[i - ball->node_begin]);
        if (round % 7 == 6) s->x1[i] = v3_add(s->x1[i], test_random_vec3(r, 1e-6));
        if (round % 6 == 5) s->x1[i] = s->x0[i];
    }
}

/* Asserts that motions satisfy their definition, and boxes contain their nodes. */
static void check_motions(const vo_cluster_kinematics *p) {
    const vo_clusters *k = p->clusters;
    for (int c = 0; c < k->count; c++)
        for (int i = k->node.begin[c]; i < k->node.begin[c + 1]; i++) {
            const vo_cluster_motion *m = &p->motion[c];
            vo_vec3 x = p->x_start[k->node.item[i]], y = p->x_end[k->node.item[i]];
            vo_vec3 r = v3_sub(x, m->centre), d = v3_sub(v3_sub(y, x), m->translation);
            assert_true(v3_length(r) <= m->radius);
            assert_true(v3_length(v3_sub(d, v3_cross(m->rotation, r))) <= m->residual + 1e-15);
            vo_box at = box_add(p->start_box[c], x), all = box_add(box_add(p->swept_box[c], x), y);
            assert_memory_equal(&at, &p->start_box[c], sizeof at);
            assert_memory_equal(&all, &p->swept_box[c], sizeof all);
        }
}

/* Asserts that distances of nodes shrink by at most the approach bound of their clusters, at any
 * time. */
static void check_approach_bounds(const vo_cluster_kinematics *p, vo_random *r) {
    const vo_clusters *k = p->clusters;
    check_motions(p);
    for (int i = 0; i < 4000; i++) {
        int a = vo_random_int(r, k->count), b = vo_random_int(r, k->count);
        int m = k->node.begin[a] + vo_random_int(r, k->node.begin[a + 1] - k->node.begin[a]);
        int n = k->node.begin[b] + vo_random_int(r, k->node.begin[b + 1] - k->node.begin[b]);
        vo_vec3 x = p->x_start[k->node.item[m]], y = p->x_start[k->node.item[n]];
        vo_vec3 x1 = p->x_end[k->node.item[m]], y1 = p->x_end[k->node.item[n]];
        double t = vo_min(vo_random_real(r, 0, 1.2), 1);
        double approach = vo_cluster_approach_bound(&p->motion[a], &p->motion[b]);
        double after = v3_distance(v3_lerp(x, x1, t), v3_lerp(y, y1, t));
        assert_true(after >= v3_distance(x, y) - t * approach - 1e-13);
    }
}

static void approach_bounds_hold_at_all_times(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    contact_fixture w = make_fixture(ctx);
    vo_surface *s = &w.surface;
    vo_clusters k;
    vo_cluster_kinematics p;
    vo_random r = vo_random_seed(4);
    int rigid = 0;
    assert_ok(ctx, vo_clusters_create(ctx, s, NULL, &k));
    assert_ok(ctx, vo_cluster_kinematics_create(ctx, s, &k, 1e-5, &p));
    assert_true(vo_cluster_kinematics_sync(&p));
    for (int round = 0; round < 60; round++) {
        random_step(s, &r, round);
        vo_cluster_kinematics_update_step(&p);
        rigid += p.part[2].rigid;
        check_approach_bounds(&p, &r);
        /* A few nodes are moved further, including nodes of the obstacle. */
        for (int i = 0; i < 3; i++) {
            int n = vo_random_int(&r, s->node_count);
            s->x1[n] = v3_add(s->x1[n], test_random_vec3(&r, 0.01));
        }
        vo_cluster_kinematics_update_step(&p);
        check_approach_bounds(&p, &r);
        memcpy(s->x0, s->x1, (size_t)s->node_count * sizeof *s->x0);
        s->part[2].pose[0] = s->part[2].pose[1];
        assert_true(vo_cluster_kinematics_sync(&p));
        assert_false(vo_cluster_kinematics_sync(&p));
    }
    assert_in_range(rigid, 10, 55);
    vo_cluster_kinematics_free(&p);
    vo_clusters_free(&k);
    fixture_free(&w);
    vo_context_destroy(ctx);
}

/* A common rigid motion has a zero approach bound, however large it is. */
static void rigid_motion_has_no_approach(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    contact_fixture w = make_fixture(ctx);
    vo_surface *s = &w.surface;
    vo_clusters k;
    vo_cluster_kinematics p;
    assert_ok(ctx, vo_clusters_create(ctx, s, NULL, &k));
    assert_ok(ctx, vo_cluster_kinematics_create(ctx, s, &k, 1e-5, &p));
    vo_cluster_kinematics_sync(&p);
    vo_vec3 rotation = v3(0.01, -0.02, 0.005), translation = v3(5, 4, -3);
    for (int i = 0; i < s->node_count; i++)
        s->x1[i] = v3_add(s->x0[i], v3_add(translation, v3_cross(rotation, s->x0[i])));
    vo_cluster_kinematics_update_step(&p);
    for (int a = 0; a < k.count; a++)
        for (int b = 0; b < k.count; b++)
            assert_true(vo_cluster_approach_bound(&p.motion[a], &p.motion[b]) < 1e-12);
    vo_cluster_kinematics_free(&p);
    vo_clusters_free(&k);
    fixture_free(&w);
    vo_context_destroy(ctx);
}

static void transformed_boxes_contain_their_corners(void **state) {
    (void)state;
    vo_random r = vo_random_seed(9);
    for (int i = 0; i < 2000; i++) {
        vo_transform t = {test_random_vec3(&r, 10), vo_random_real(&r, 0.1, 3),
                          q_axis_angle(test_random_vec3(&r, 1), vo_random_real(&r, -4, 4))};
        vo_box box =
            box_add(box_add(box_empty(), test_random_vec3(&r, 1)), test_random_vec3(&r, 1));
        vo_box_transform frame = vo_box_transform_make(t);
        vo_box out = vo_box_transform_apply(&frame, &box);
        for (int corner = 0; corner < 8; corner++) {
            vo_vec3 x = v3(corner & 1 ? box.min.x : box.max.x, corner & 2 ? box.min.y : box.max.y,
                           corner & 4 ? box.min.z : box.max.z);
            vo_box with = box_add(out, xf_point(t, x));
            assert_memory_equal(&with, &out, sizeof out);
        }
        vo_vec3 before = v3_sub(box.max, box.min), after = v3_sub(out.max, out.min);
        double longest = t.scale * v3_length(before) + 1e-9;
        assert_true(after.x <= longest && after.y <= longest && after.z <= longest);
    }
}

/* ---- lanes ---- */

/* Returns the kernel versions that this processor runs. */
static int all_kernels(const vo_candidates_kernels *kernels[2]) {
    vo_context *ctx = test_context(1);
    kernels[0] = vo_candidates_kernels_for(ctx);
    ctx->use_avx2 = false;
    kernels[1] = vo_candidates_kernels_for(ctx);
    vo_context_destroy(ctx);
    return 2;
}

/* Asserts that a lane is bit-identical to collide/distance.h. */
static void check_measured(const ccd_case *c, const vo_distance_lanes *m, int lane) {
    double weight[4] = {1, 0, 0, 0}, squared;
    vo_vec3 offset;
    const vo_vec3 *x = c->start;
    if (c->edges) {
        vo_edge_pair e = vo_distance_edge_edge(x[0], x[1], x[2], x[3]);
        memcpy(weight, (double[]){1 - e.s, e.s, -(1 - e.t), -e.t}, sizeof weight);
        offset = v3_negate(e.offset);
        squared = e.squared;
    } else {
        vo_face_point f = vo_distance_vertex_face(x[0], x[1], x[2], x[3]);
        for (int i = 0; i < 3; i++) weight[1 + i] = -f.weight[i];
        offset = v3_negate(f.offset);
        squared = f.squared;
    }
    for (int i = 0; i < 4; i++) assert_true(weight[i] == m->weight[i][lane]);
    assert_true(offset.x == m->offset[0][lane] && offset.y == m->offset[1][lane] &&
                offset.z == m->offset[2][lane]);
    assert_true(squared == m->squared[lane]);
    assert_true(m->min_distance[lane] >= 0 && m->min_distance[lane] <= sqrt(squared));
}

static ccd_case some_case(vo_random *r, int i) {
    return i % 3 ? random_case(r, i % 2, 1) : lattice_case(r, i % 2, 1 + i % 2);
}

static void measured_lanes_equal_scalar_distances(void **state) {
    (void)state;
    enum { N = 31 };
    const vo_candidates_kernels *kernels[2];
    vo_random r = vo_random_seed(2);
    int copies = all_kernels(kernels), tight = 0;
    for (int round = 0; round < 400; round++) {
        ccd_case c[N];
        vo_vec3 x[4 * N + 1];
        int node[N][4];
        vo_distance_lanes m[2][(N + 3) / 4];
        vo_surface s = {.x0 = x};
        for (int i = 0; i < N; i++) {
            c[i] = some_case(&r, round % 2 + 2 * i);
            for (int k = 0; k < 4; k++) x[node[i][k] = 4 * i + k] = c[i].start[k];
        }
        vo_feature_kind kind = round % 2 ? VO_EDGE_EDGE : VO_NODE_FACE;
        for (int k = 0; k < copies; k++)
            kernels[k]->measure(&s, kind, N, (const int(*)[4])node, m[k]);
        assert_memory_equal(m[0], m[1], sizeof m[0]);
        for (int i = 0; i < N; i++) {
            check_measured(&c[i], &m[0][i / 4], i % 4);
            if (round >= 60) continue;
            double plain = plain_minimum(c[i].edges, c[i].start),
                   least = m[0][i / 4].min_distance[i % 4];
            assert_true(least <= plain + 1e-7);
            tight += least > 0.999 * plain;
        }
    }
    assert_true(tight > 1500); /* of 1860: the bound is tight except for features that touch */
}

/* ---- lists ---- */

static double plain_gap(const vo_surface *s, const int *a, int na, const int *b, int nb) {
    vo_box p = box_empty(), q = box_empty();
    for (int i = 0; i < na; i++) p = box_add(p, s->x0[a[i]]);
    for (int i = 0; i < nb; i++) q = box_add(q, s->x0[b[i]]);
    return sqrt(vo_box_gap2(&p, &q));
}

/* Returns the gap of the boxes of a pair. */
static double pair_gap(const vo_surface *s, bool edges, vo_feature_key key) {
    return edges ? plain_gap(s, s->edge[key.a], 2, s->edge[key.b], 2)
                 : plain_gap(s, &key.a, 1, s->face[key.b], 3);
}

/* Returns the thickness offset of a pair within a cloth. */
static double reference_offset(const vo_surface *s, const vo_list_rule *rule, const int node[4]) {
    double offset = 0;
    for (int i = 0; i < 4 && rule->one_part; i++)
        offset = vo_max(offset, (double)rule->thickness - s->max_self_thickness[node[i]]);
    return offset;
}

static vo_feature_key key_of(const vo_clusters *k, int a, int b, bool edges, vo_local_pair pair) {
    return edges ? vo_edge_edge_key(k, a, b, pair) : vo_node_face_key(k, a, b, pair);
}

/* Checks the list of two clusters: no pair beyond the limit, no expiry above gap plus offset. */
static int check_listed(const vo_surface *s, const vo_clusters *k, int a, int b, bool edges,
                        const vo_list_rule *rule, const vo_pair_output *l) {
    for (int i = 0; i < l->count; i++) {
        int node[4];
        vo_feature_key key = key_of(k, a, b, edges, l->pair[i]);
        assert_true(vo_pair_nodes(s, edges ? VO_EDGE_EDGE : VO_NODE_FACE, key, node));
        double expiry = pair_gap(s, edges, key) + reference_offset(s, rule, node);
        assert_true(expiry <= (double)rule->limit * (1 + 1e-5) + 1e-6);
        assert_true((double)l->expiry[i] <= expiry &&
                    (double)l->expiry[i] >= expiry - 1e-5 * expiry - 1e-6);
    }
    return l->count;
}

/* Counts the pairs of own nodes and faces, or of own edges, within the limit. */
static int count_reference(const vo_surface *s, const vo_clusters *k, int a, int b, bool edges,
                           const vo_list_rule *rule) {
    const vo_csr *p = edges ? &k->own_edge : &k->own_node, *q = edges ? p : &k->face;
    int count = 0, node[4];
    for (int i = p->begin[a]; i < p->begin[a + 1]; i++)
        for (int j = edges && a == b ? i + 1 : q->begin[b]; j < q->begin[b + 1]; j++) {
            vo_feature_key key = {p->item[i], q->item[j]};
            if (vo_pair_nodes(s, edges ? VO_EDGE_EDGE : VO_NODE_FACE, key, node))
                count += pair_gap(s, edges, key) + reference_offset(s, rule, node) <=
                         (double)rule->limit * (1 - 1e-5);
        }
    return count;
}

/* Returns the boxes of a cluster in the order of the kernels. */
static void cluster_boxes(const vo_clusters *k, int c, const vo_box8 *box,
                          vo_feature_boxes out[3]) {
    const vo_csr *list[3] = {&k->own_node, &k->face, &k->own_edge};
    const vo_box8 *whole = box++;
    for (int i = 0; i < 3; i++) {
        int n = list[i]->begin[c + 1] - list[i]->begin[c];
        out[i] = (vo_feature_boxes){box, whole, list[i]->item + list[i]->begin[c], n};
        box += vo_box8_count(n);
    }
}

/* Compares both kernel versions for node-face pairs (what 1: nodes of b, faces of a) or edge pairs
 * (what 2). */
static void check_lists(const vo_surface *s, const vo_clusters *k, int a, int b, int what,
                        const vo_list_rule *rule) {
    enum {
        BLOCKS = 1 + 3 * (VO_CLUSTER_NODES + 7) / 8,
        CAPACITY = VO_CLUSTER_NODES * VO_CLUSTER_NODES
    };
    const vo_candidates_kernels *kernels[2];
    static vo_local_pair pair[2][CAPACITY];
    static float expiry[2][CAPACITY];
    int count[2] = {0};
    for (int copy = 0; copy < all_kernels(kernels); copy++) {
        vo_box8 box[2][BLOCKS];
        vo_feature_boxes p[3], q[3];
        const vo_candidates_kernels *kernel = kernels[copy];
        kernel->fill_boxes(s, k, a, box[0]);
        kernel->fill_boxes(s, k, b, box[1]);
        cluster_boxes(k, a, box[0], p);
        cluster_boxes(k, b, box[a == b ? 0 : 1], q);
        vo_pair_output l = {pair[copy], expiry[copy], 0};
        if (what == 0) kernel->list_node_faces(s, &p[0], &q[1], false, rule, &l);
        if (what == 1) kernel->list_node_faces(s, &q[0], &p[1], true, rule, &l);
        if (what == 2) kernel->list_edges(s, &p[2], &q[2], rule, &l);
        count[copy] = check_listed(s, k, a, b, what == 2, rule, &l);
        assert_true(count[copy] >=
                    count_reference(s, k, what == 1 ? b : a, what == 1 ? a : b, what == 2, rule));
    }
    assert_int_equal(count[0], count[1]);
    assert_memory_equal(pair[0], pair[1], (size_t)count[0] * sizeof pair[0][0]);
    assert_memory_equal(expiry[0], expiry[1], (size_t)count[0] * sizeof expiry[0][0]);
}

static void pair_lists_match_brute_force(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    contact_fixture w = make_fixture(ctx);
    vo_random r = vo_random_seed(6);
    vo_clusters k;
    assert_ok(ctx, vo_clusters_create(ctx, &w.surface, NULL, &k));
    for (int i = 0; i < w.surface.node_count; i++)
        w.surface.x0[i] = v3_add(w.surface.x0[i], test_random_vec3(&r, 0.05));
    for (int a = 0; a < k.count; a++)
        for (int b = a; b < k.count; b++)
            for (int what = 0; what < 3; what++) {
                vo_list_rule rule = {0.02f * (float)(1 + a % 5), 0.05f, k.part[a] == k.part[b]};
                check_lists(&w.surface, &k, a, b, what, &rule);
            }
    vo_clusters_free(&k);
    fixture_free(&w);
    vo_context_destroy(ctx);
}

static void keys_are_sorted(void **state) {
    (void)state;
    vo_random r = vo_random_seed(1);
    for (int n = 0; n < 300; n++) {
        vo_feature_key key[300], spare[300];
        int64_t sum = 0;
        for (int i = 0; i < n; i++) {
            key[i] = (vo_feature_key){vo_random_int(&r, 1 + n / 3), vo_random_int(&r, 1 + n)};
            sum += key[i].a * 1000 + key[i].b;
        }
        vo_sort_keys(n, key, spare);
        for (int i = 0; i < n; i++) sum -= key[i].a * 1000 + key[i].b;
        assert_true(sum == 0);
        for (int i = 1; i < n; i++)
            assert_true(key[i - 1].a < key[i].a ||
                        (key[i - 1].a == key[i].a && key[i - 1].b <= key[i].b));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_partition_all_features),
        cmocka_unit_test(cached_clusters_equal_new_ones),
        cmocka_unit_test(clusters_do_not_span_patches),
        cmocka_unit_test(approach_bounds_hold_at_all_times),
        cmocka_unit_test(rigid_motion_has_no_approach),
        cmocka_unit_test(transformed_boxes_contain_their_corners),
        cmocka_unit_test(measured_lanes_equal_scalar_distances),
        cmocka_unit_test(pair_lists_match_brute_force),
        cmocka_unit_test(keys_are_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

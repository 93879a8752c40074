/* What candidates are made of: clusters, motions, lanes and lists, each against plain code. */
#include "ccd_cases.h"
#include "contact_world.h"

#include "collide/candidates_place.h"
#include "collide/candidates_run.h"
#include "core/context.h"

/* ---- clusters ---- */

static world make_world(vo_context *ctx) {
    world w = {.ctx = ctx};
    world_add(&w, world_sheet(ctx, 1, 13, 0), false, false);
    world_add(&w, world_sheet(ctx, 1, 5, 0.3), false, false);
    world_add(&w, world_ball(ctx, 0.4, 7, v3(0.1, 0, 0)), true, true);
    world_build(&w);
    return w;
}

/* Each item is in the lists of one cluster exactly. */
static void check_partition(const vo_lists *lists, int clusters, int count) {
    int *seen = calloc((size_t)count + 1, sizeof *seen);
    for (int i = 0; i < lists->begin[clusters]; i++) seen[lists->item[i]]++;
    for (int i = 0; i < count; i++) assert_int_equal(seen[i], 1);
    free(seen);
}

static void test_clusters(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    world w = make_world(ctx);
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
            for (int j = k.of_node.begin[n]; j < k.of_node.begin[n + 1]; j++)
                found += k.of_node.item[j] == c;
            assert_int_equal(found, 1);
            assert_true(s->reach[n] <= k.reach[c]);
        }
    }
    vo_clusters_free(&k);
    world_free(&w);
    vo_context_destroy(ctx);
}

static void check_same_lists(const vo_lists *a, const vo_lists *b, int count) {
    assert_memory_equal(a->begin, b->begin, (size_t)(count + 1) * sizeof *a->begin);
    assert_memory_equal(a->item, b->item, (size_t)a->begin[count] * sizeof *a->item);
}

static void check_same_clusters(const vo_clusters *a, const vo_clusters *b) {
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->cloth_count, b->cloth_count);
    assert_memory_equal(a->part, b->part, (size_t)a->count * sizeof *a->part);
    assert_memory_equal(a->part_begin, b->part_begin,
                        (size_t)(a->part_count + 1) * sizeof *a->part_begin);
    assert_memory_equal(a->rest, b->rest, (size_t)a->count * sizeof *a->rest);
    assert_memory_equal(a->reach, b->reach, (size_t)a->count * sizeof *a->reach);
    assert_memory_equal(a->least_reach, b->least_reach, (size_t)a->count * sizeof *a->reach);
    check_same_lists(&a->face, &b->face, a->count);
    check_same_lists(&a->node, &b->node, a->count);
    check_same_lists(&a->own_node, &b->own_node, a->count);
    check_same_lists(&a->own_edge, &b->own_edge, a->count);
    check_same_lists(&a->of_node, &b->of_node, a->node_count);
}

/* Clusters of obstacles that are handed on are those that would have been made. */
static void test_kept_clusters(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    world w = make_world(ctx), v = {.ctx = ctx};
    vo_candidates *c;
    vo_kept_obstacles kept = {0};
    assert_ok(ctx, vo_candidates_create(ctx, &w.surface, 0.01, NULL, &c));
    assert_ok(ctx, vo_candidates_keep(c, &kept));
    vo_candidates_destroy(c);
    world_add(&v, world_sheet(ctx, 1, 9, 0), false, false);
    world_add(&v, world_ball(ctx, 0.4, 7, v3(0.1, 0, 0)), true, true);
    world_build(&v);
    vo_clusters handed_on, made;
    assert_true(vo_kept_fits(&kept, &v.surface));
    assert_ok(ctx, vo_clusters_create(ctx, &v.surface, &kept, &handed_on));
    assert_ok(ctx, vo_clusters_create(ctx, &v.surface, NULL, &made));
    check_same_clusters(&handed_on, &made);
    vo_clusters_free(&handed_on);
    vo_clusters_free(&made);
    vo_kept_obstacles_free(ctx, &kept);
    world_free(&w);
    world_free(&v);
    vo_context_destroy(ctx);
}

/* Two pieces sewn together, on top of each other in the fabric: no cluster has faces of both. */
static void test_patches(void **state) {
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
    world w = {.ctx = ctx};
    world_add(&w, mesh, false, false);
    world_build(&w);
    vo_clusters k;
    assert_ok(ctx, vo_clusters_create(ctx, &w.surface, NULL, &k));
    for (int c = 0; c < k.count; c++)
        for (int i = k.face.begin[c]; i < k.face.begin[c + 1]; i++)
            assert_int_equal(k.face.item[i] / 2 % 2, k.face.item[k.face.begin[c]] / 2 % 2);
    vo_clusters_free(&k);
    world_free(&w);
    vo_context_destroy(ctx);
}

/* ---- motions ---- */

/* A step in which everything turns, stretches and shakes by amounts of its own. */
static void random_step(vo_surface *s, vo_random *r, int round) {
    vo_vec3 axis = random_point(r, 1), shift = random_point(r, 0.1);
    double turn = vo_random_real(r, 0, round % 3 ? 0.4 : 1e-3), noise = round % 2 ? 0.02 : 0;
    for (int i = 0; i < s->cloth_node_count; i++) {
        vo_vec3 x = s->x0[i];
        vo_vec3 bent = v3(0, 0, 0.1 * turn * sin(7 * x.x) * x.y);
        vo_vec3 y = v3_add(q_rotate(q_axis_angle(axis, turn), v3_add(x, bent)), shift);
        s->x1[i] = v3_add(y, random_point(r, noise));
    }
    vo_surface_part *ball = &s->part[2];
    ball->pose[1] = ball->pose[0];
    ball->pose[1].translation = v3_add(ball->pose[0].translation, random_point(r, 0.1));
    ball->pose[1].rotation = q_normalize(
        q_mul(q_axis_angle(random_point(r, 1), vo_random_real(r, 0, round % 5 ? 0.4 : 2)),
              ball->pose[0].rotation));
    if (round % 7 == 6) ball->pose[1].rotation = ball->pose[0].rotation;
    if (round % 6 == 5) ball->pose[1] = ball->pose[0];
    if (round % 4 == 3) ball->pose[1].scale *= vo_random_real(r, 0.95, 1.05);
    for (int i = ball->node_begin; i < ball->node_end; i++) {
        s->x1[i] = xf_point(ball->pose[1], ball->rest[i - ball->node_begin]);
        if (round % 7 == 6) s->x1[i] = v3_add(s->x1[i], random_point(r, 1e-6));
        if (round % 6 == 5) s->x1[i] = s->x0[i];
    }
}

/* Motions are what they are said to be, and boxes hold their nodes. */
static void check_motions(const vo_places *p) {
    const vo_clusters *k = p->clusters;
    for (int c = 0; c < k->count; c++)
        for (int i = k->node.begin[c]; i < k->node.begin[c + 1]; i++) {
            const vo_cluster_motion *m = &p->motion[c];
            vo_vec3 x = p->at[k->node.item[i]], y = p->to[k->node.item[i]];
            vo_vec3 r = v3_sub(x, m->centre), d = v3_sub(v3_sub(y, x), m->shift);
            assert_true(v3_length(r) <= m->radius);
            assert_true(v3_length(v3_sub(d, v3_cross(m->turn, r))) <= m->rest + 1e-15);
            vo_box at = box_add(p->box[c], x), all = box_add(box_add(p->hull[c], x), y);
            assert_memory_equal(&at, &p->box[c], sizeof at);
            assert_memory_equal(&all, &p->hull[c], sizeof all);
        }
}

/* Distances of nodes shrink by no more than the travel of their clusters, at any time. */
static void check_travel(const vo_places *p, vo_random *r) {
    const vo_clusters *k = p->clusters;
    check_motions(p);
    for (int i = 0; i < 4000; i++) {
        int a = vo_random_int(r, k->count), b = vo_random_int(r, k->count);
        int m = k->node.begin[a] + vo_random_int(r, k->node.begin[a + 1] - k->node.begin[a]);
        int n = k->node.begin[b] + vo_random_int(r, k->node.begin[b + 1] - k->node.begin[b]);
        vo_vec3 x = p->at[k->node.item[m]], y = p->at[k->node.item[n]];
        vo_vec3 x1 = p->to[k->node.item[m]], y1 = p->to[k->node.item[n]];
        double t = vo_min(vo_random_real(r, 0, 1.2), 1);
        double travel = vo_cluster_travel(&p->motion[a], &p->motion[b]);
        double after = v3_distance(v3_lerp(x, x1, t), v3_lerp(y, y1, t));
        assert_true(after >= v3_distance(x, y) - t * travel - 1e-13);
    }
}

static void test_travel(void **state) {
    (void)state;
    vo_context *ctx = test_context(2);
    world w = make_world(ctx);
    vo_surface *s = &w.surface;
    vo_clusters k;
    vo_places p;
    vo_random r = vo_random_seed(4);
    int rigid = 0;
    assert_ok(ctx, vo_clusters_create(ctx, s, NULL, &k));
    assert_ok(ctx, vo_places_create(ctx, s, &k, 1e-5, &p));
    assert_true(vo_places_arrive(&p));
    for (int round = 0; round < 60; round++) {
        random_step(s, &r, round);
        vo_places_step(&p);
        rigid += p.part[2].rigid;
        check_travel(&p, &r);
        /* A few nodes are moved further, of the obstacle too. */
        for (int i = 0; i < 3; i++) {
            int n = vo_random_int(&r, s->node_count);
            s->x1[n] = v3_add(s->x1[n], random_point(&r, 0.01));
        }
        vo_places_step(&p);
        check_travel(&p, &r);
        memcpy(s->x0, s->x1, (size_t)s->node_count * sizeof *s->x0);
        s->part[2].pose[0] = s->part[2].pose[1];
        assert_true(vo_places_arrive(&p));
        assert_false(vo_places_arrive(&p));
    }
    assert_in_range(rigid, 10, 55);
    vo_places_free(&p);
    vo_clusters_free(&k);
    world_free(&w);
    vo_context_destroy(ctx);
}

/* What moves as one body has no travel, however far and fast it goes. */
static void test_rigid_travel(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    world w = make_world(ctx);
    vo_surface *s = &w.surface;
    vo_clusters k;
    vo_places p;
    assert_ok(ctx, vo_clusters_create(ctx, s, NULL, &k));
    assert_ok(ctx, vo_places_create(ctx, s, &k, 1e-5, &p));
    vo_places_arrive(&p);
    vo_vec3 turn = v3(0.01, -0.02, 0.005), shift = v3(5, 4, -3);
    for (int i = 0; i < s->node_count; i++)
        s->x1[i] = v3_add(s->x0[i], v3_add(shift, v3_cross(turn, s->x0[i])));
    vo_places_step(&p);
    for (int a = 0; a < k.count; a++)
        for (int b = 0; b < k.count; b++)
            assert_true(vo_cluster_travel(&p.motion[a], &p.motion[b]) < 1e-12);
    vo_places_free(&p);
    vo_clusters_free(&k);
    world_free(&w);
    vo_context_destroy(ctx);
}

static void test_frames(void **state) {
    (void)state;
    vo_random r = vo_random_seed(9);
    for (int i = 0; i < 2000; i++) {
        vo_transform t = {random_point(&r, 10), vo_random_real(&r, 0.1, 3),
                          q_axis_angle(random_point(&r, 1), vo_random_real(&r, -4, 4))};
        vo_box box = box_add(box_add(box_empty(), random_point(&r, 1)), random_point(&r, 1));
        vo_frame frame = vo_frame_of(t);
        vo_box out = vo_frame_box(&frame, &box);
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

/* The copies of the kernels that this processor runs. */
static int all_kernels(const vo_candidates_kernels *kernels[2]) {
    vo_context *ctx = test_context(1);
    kernels[0] = vo_candidates_kernels_for(ctx);
    ctx->use_avx2 = false;
    kernels[1] = vo_candidates_kernels_for(ctx);
    vo_context_destroy(ctx);
    return 2;
}

/* Bits of a measured pair against those of collide/distance.h. */
static void check_measured(const ccd_case *c, const vo_measured *m, int lane) {
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
    assert_true(m->least[lane] >= 0 && m->least[lane] <= sqrt(squared));
}

static ccd_case some_case(vo_random *r, int i) {
    return i % 3 ? random_case(r, i % 2, 1) : lattice_case(r, i % 2, 1 + i % 2);
}

static void test_measure(void **state) {
    (void)state;
    enum { N = 31 };
    const vo_candidates_kernels *kernels[2];
    vo_random r = vo_random_seed(2);
    int copies = all_kernels(kernels), tight = 0;
    for (int round = 0; round < 400; round++) {
        ccd_case c[N];
        vo_vec3 x[4 * N + 1];
        int node[N][4];
        vo_measured m[2][(N + 3) / 4];
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
            double plain = plain_minimum(c[i].edges, c[i].start), least = m[0][i / 4].least[i % 4];
            assert_true(least <= plain + 1e-7);
            tight += least > 0.999 * plain;
        }
    }
    assert_true(tight > 1500); /* of 1860: the bound is the distance, but for parts that touch */
}

/* ---- lists ---- */

static double plain_gap(const vo_surface *s, const int *a, int na, const int *b, int nb) {
    vo_box p = box_empty(), q = box_empty();
    for (int i = 0; i < na; i++) p = box_add(p, s->x0[a[i]]);
    for (int i = 0; i < nb; i++) q = box_add(q, s->x0[b[i]]);
    return sqrt(vo_box_gap2(&p, &q));
}

/* The gap of the boxes of a pair. */
static double pair_gap(const vo_surface *s, bool edges, vo_feature_key key) {
    return edges ? plain_gap(s, s->edge[key.a], 2, s->edge[key.b], 2)
                 : plain_gap(s, &key.a, 1, s->face[key.b], 3);
}

/* By how much a pair within a cloth is thinner than the rule has it. */
static double plain_lead(const vo_surface *s, const vo_list_rule *rule, const int node[4]) {
    double lead = 0;
    for (int i = 0; i < 4 && rule->one_part; i++)
        lead = vo_max(lead, (double)rule->thickness - s->reach[node[i]]);
    return lead;
}

static vo_feature_key key_of(const vo_clusters *k, int a, int b, bool edges, vo_local_pair pair) {
    return edges ? vo_edge_edge_key(k, a, b, pair) : vo_node_face_key(k, a, b, pair);
}

/* Lists of two clusters: no pair further than the limit, no low above the gap and the lead. */
static int check_listed(const vo_surface *s, const vo_clusters *k, int a, int b, bool edges,
                        const vo_list_rule *rule, const vo_listed *l) {
    for (int i = 0; i < l->count; i++) {
        int node[4];
        vo_feature_key key = key_of(k, a, b, edges, l->pair[i]);
        assert_true(vo_pair_nodes(s, edges ? VO_EDGE_EDGE : VO_NODE_FACE, key, node));
        double low = pair_gap(s, edges, key) + plain_lead(s, rule, node);
        assert_true(low <= (double)rule->limit * (1 + 1e-5) + 1e-6);
        assert_true((double)l->low[i] <= low && (double)l->low[i] >= low - 1e-5 * low - 1e-6);
    }
    return l->count;
}

/* How many pairs of own nodes and faces, or of own edges, are closer than the limit. */
static int count_plain(const vo_surface *s, const vo_clusters *k, int a, int b, bool edges,
                       const vo_list_rule *rule) {
    const vo_lists *p = edges ? &k->own_edge : &k->own_node, *q = edges ? p : &k->face;
    int count = 0, node[4];
    for (int i = p->begin[a]; i < p->begin[a + 1]; i++)
        for (int j = edges && a == b ? i + 1 : q->begin[b]; j < q->begin[b + 1]; j++) {
            vo_feature_key key = {p->item[i], q->item[j]};
            if (vo_pair_nodes(s, edges ? VO_EDGE_EDGE : VO_NODE_FACE, key, node))
                count += pair_gap(s, edges, key) + plain_lead(s, rule, node) <=
                         (double)rule->limit * (1 - 1e-5);
        }
    return count;
}

/* The boxes of a cluster, in the order that the kernels write them. */
static void cluster_boxes(const vo_clusters *k, int c, const vo_box8 *box,
                          vo_feature_boxes out[3]) {
    const vo_lists *list[3] = {&k->own_node, &k->face, &k->own_edge};
    const vo_box8 *whole = box++;
    for (int i = 0; i < 3; i++) {
        int n = list[i]->begin[c + 1] - list[i]->begin[c];
        out[i] = (vo_feature_boxes){box, whole, list[i]->item + list[i]->begin[c], n};
        box += vo_box8_count(n);
    }
}

/* Nodes with faces (turned: of b with a), or edges, by both copies of the kernels. */
static void check_lists(const vo_surface *s, const vo_clusters *k, int a, int b, int what,
                        const vo_list_rule *rule) {
    enum {
        BLOCKS = 1 + 3 * (VO_CLUSTER_NODES + 7) / 8,
        ROOM = VO_CLUSTER_NODES * VO_CLUSTER_NODES
    };
    const vo_candidates_kernels *kernels[2];
    static vo_local_pair pair[2][ROOM];
    static float low[2][ROOM];
    int count[2] = {0};
    for (int copy = 0; copy < all_kernels(kernels); copy++) {
        vo_box8 box[2][BLOCKS];
        vo_feature_boxes p[3], q[3];
        const vo_candidates_kernels *kernel = kernels[copy];
        kernel->fill_boxes(s, k, a, box[0]);
        kernel->fill_boxes(s, k, b, box[1]);
        cluster_boxes(k, a, box[0], p);
        cluster_boxes(k, b, box[a == b ? 0 : 1], q);
        vo_listed l = {pair[copy], low[copy], 0};
        if (what == 0) kernel->list_node_faces(s, &p[0], &q[1], false, rule, &l);
        if (what == 1) kernel->list_node_faces(s, &q[0], &p[1], true, rule, &l);
        if (what == 2) kernel->list_edges(s, &p[2], &q[2], rule, &l);
        count[copy] = check_listed(s, k, a, b, what == 2, rule, &l);
        assert_true(count[copy] >=
                    count_plain(s, k, what == 1 ? b : a, what == 1 ? a : b, what == 2, rule));
    }
    assert_int_equal(count[0], count[1]);
    assert_memory_equal(pair[0], pair[1], (size_t)count[0] * sizeof pair[0][0]);
    assert_memory_equal(low[0], low[1], (size_t)count[0] * sizeof low[0][0]);
}

static void test_lists(void **state) {
    (void)state;
    vo_context *ctx = test_context(1);
    world w = make_world(ctx);
    vo_random r = vo_random_seed(6);
    vo_clusters k;
    assert_ok(ctx, vo_clusters_create(ctx, &w.surface, NULL, &k));
    for (int i = 0; i < w.surface.node_count; i++)
        w.surface.x0[i] = v3_add(w.surface.x0[i], random_point(&r, 0.05));
    for (int a = 0; a < k.count; a++)
        for (int b = a; b < k.count; b++)
            for (int what = 0; what < 3; what++) {
                vo_list_rule rule = {0.02f * (float)(1 + a % 5), 0.05f, k.part[a] == k.part[b]};
                check_lists(&w.surface, &k, a, b, what, &rule);
            }
    vo_clusters_free(&k);
    world_free(&w);
    vo_context_destroy(ctx);
}

static void test_sort_keys(void **state) {
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
        cmocka_unit_test(test_clusters),     cmocka_unit_test(test_kept_clusters),
        cmocka_unit_test(test_patches),      cmocka_unit_test(test_travel),
        cmocka_unit_test(test_rigid_travel), cmocka_unit_test(test_frames),
        cmocka_unit_test(test_measure),      cmocka_unit_test(test_lists),
        cmocka_unit_test(test_sort_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Random splits and joins of adaptive meshes against their invariants (rt/hierarchy/mesh.h). */
#include "rt_hierarchy_assets.h"

static bool is_long(void) {
    const char *value = getenv("VOILE_TEST_LONG");
    return value && strcmp(value, "1") == 0;
}

/* Assets of the random tests. */
static test_asset asset_of(int kind, int max_level, vo_random *random) {
    switch (kind) {
    case 0:
        return test_asset_sheet(1, 1, 0.5f, 0, false, max_level, random);
    case 1:
        return test_asset_sheet(6, 5, 0.1f, 0.3f, false, max_level, random);
    case 2:
        return test_asset_sheet(3, 4, 0.1f, 0.3f, true, max_level, random);
    case 3:
        return test_asset_sheet(2, 2, 0.1f, 0, true, max_level, random);
    default:
        return test_asset_pieces(max_level);
    }
}

/* Any edge of the mesh. */
static int random_edge(const vo_rt_mesh *mesh, vo_random *random) {
    return vo_random_int(random, mesh->edge_end);
}

/* Splits or joins a random edge if that is possible. */
static bool random_edit(vo_rt_mesh *mesh, vo_rt_heap *heap, double split_chance,
                        vo_random *random) {
    int edge = random_edge(mesh, random);
    if (!(mesh->edge[edge].flags & VO_RT_EDGE_USED)) return false;
    bool wants_split = vo_random_real(random, 0, 1) < split_chance;
    if (wants_split && vo_rt_mesh_can_split(mesh, edge) &&
        vo_rt_mesh_reserve_splits(mesh, heap, 1)) {
        vo_rt_mesh_split(mesh, edge);
        return true;
    }
    if (!wants_split && vo_rt_mesh_can_join(mesh, edge)) {
        vo_rt_mesh_join(mesh, edge);
        return true;
    }
    return false;
}

static void check_base(const vo_rt_mesh *mesh) {
    const vo_rt_asset *asset = mesh->asset;
    test_mesh_check(mesh);
    assert_int_equal(mesh->finest_level, 0);
    assert_int_equal(mesh->edge_end, (asset->edge_count + 1) / 2 * 2);
    assert_int_equal(mesh->triangle_end, asset->triangle_count);
    assert_int_equal(mesh->front.vertex_end, asset->vertex_count + 1);
    assert_int_equal(mesh->front.triangle_count, asset->triangle_count);
    assert_int_equal(mesh->front.spring_count, asset->edge_count);
    assert_true(mesh->front.spring_group_count <= asset->edge_count);
}

static void join_all(vo_rt_mesh *mesh) {
    for (int rounds = 0; mesh->finest_level > 0; rounds++) {
        assert_true(rounds < 4 * VO_RT_MAX_LEVEL);
        for (int i = 0; i < mesh->edge_end; i++)
            if (vo_rt_mesh_can_join(mesh, i)) vo_rt_mesh_join(mesh, i);
    }
}

/* Phases of refinement and coarsening; checks after each edit at first, later after batches. */
static void run_random_edits(int kind, vo_rt_tie_rule rule, int edits, vo_random *random) {
    test_mesh m;
    test_mesh_init(&m, asset_of(kind, 1 + vo_random_int(random, 5), random), 8 << 20);
    m.mesh.tie_rule = rule;
    test_random_velocities(&m.mesh, random);
    float mass = m.mesh.front.mass[1];
    int done = 0;
    for (int attempt = 0; done < edits && attempt < 40 * edits; attempt++) {
        double chance = attempt / 1500 % 2 == 0 ? 0.7 : 0.25;
        if (!random_edit(&m.mesh, &m.heap, chance, random)) continue;
        done++;
        if (done < 60 || done % 512 == 0) test_mesh_check(&m.mesh);
    }
    assert_true(done > edits / 2);
    join_all(&m.mesh);
    check_base(&m.mesh);
    assert_true(m.mesh.front.mass[1] == mass);
    test_mesh_free(&m);
}

static void test_random_edits(void **state) {
    (void)state;
    vo_random random = vo_random_seed(7);
    int edits = is_long() ? 400000 : 12000;
    for (int kind = 0; kind < 5; kind++)
        for (int rule = 0; rule < 4; rule++)
            run_random_edits(kind, (vo_rt_tie_rule)rule, edits / TEST_SLOWNESS, &random);
}

/* --- Mass and momentum ------------------------------------------------------------------------ */

static void test_momentum_is_conserved(void **state) {
    (void)state;
    vo_random random = vo_random_seed(3);
    for (int kind = 0; kind < 5; kind++) {
        test_mesh m;
        test_mesh_init(&m, asset_of(kind, 4, &random), 8 << 20);
        for (int round = 0; round < 40; round++) {
            test_random_velocities(&m.mesh, &random);
            test_momentum before = test_total(&m.mesh);
            for (int i = 0; i < 100; i++)
                random_edit(&m.mesh, &m.heap, round % 4 < 2 ? 0.8 : 0.3, &random);
            test_same_momentum(before, test_total(&m.mesh), 1e-5);
        }
        test_mesh_free(&m);
    }
}

/* A motion that is linear in the material stays so, and positions of other vertices do not
 * change. */
static void test_linear_motion_stays(void **state) {
    (void)state;
    vo_random random = vo_random_seed(4);
    test_mesh m;
    test_mesh_init(&m, test_asset_sheet(5, 5, 0.2f, 0.2f, false, 4, &random), 8 << 20);
    vo_rt_front *f = &m.mesh.front;
    for (int i = 1; i < f->vertex_end; i++) {
        f->position[i].z = 0;
        f->velocity[i] = (vo_rt_vec4){.x = -f->position[i].y, .y = f->position[i].x, .z = 1};
    }
    for (int i = 0; i < 4000; i++) random_edit(&m.mesh, &m.heap, i / 1000 % 2 ? 0.2 : 0.8, &random);
    for (int i = 1; i < f->vertex_end; i++) {
        if (!(f->flags[i] & VO_RT_VERTEX_USED)) continue;
        assert_near(f->velocity[i].x, -f->position[i].y, 1e-5);
        assert_near(f->velocity[i].y, f->position[i].x, 1e-5);
        assert_near(f->velocity[i].z, 1, 1e-5);
    }
    test_mesh_free(&m);
}

/* Attached vertices have no inverse mass, keep their velocity, and pass their weight on. */
static void test_attached_vertices(void **state) {
    (void)state;
    vo_random random = vo_random_seed(5);
    test_mesh m;
    test_asset a = test_asset_sheet(4, 4, 0.2f, 0, false, 3, &random);
    for (int i = 0; i < 5; i++) a.maps[i].attachment = 1;
    a.maps[0].max_distance = 0.5f;
    test_mesh_init(&m, a, 8 << 20);
    vo_rt_front *f = &m.mesh.front;
    for (int i = 1; i <= 5; i++) f->velocity[i].x = 3;
    for (int i = 0; i < 3000; i++) random_edit(&m.mesh, &m.heap, 0.6, &random);
    test_mesh_check(&m.mesh);
    int attached = 0;
    for (int i = 1; i < f->vertex_end; i++) {
        if (!(f->flags[i] & VO_RT_VERTEX_USED)) continue;
        bool is_attached = f->maps[i].attachment >= 1;
        attached += is_attached;
        assert_int_equal(is_attached, (f->flags[i] & VO_RT_VERTEX_ATTACHED) != 0);
        if (is_attached)
            assert_true(f->position[i].w == 0 && f->velocity[i].x == 3);
        else
            assert_near(f->position[i].w * f->mass[i], 1, 1e-6);
        assert_near(f->target[i].w, f->maps[i].attachment, 1e-6);
        assert_true(f->maps[i].max_distance == (i == 1 ? 0.5f : FLT_MAX));
        assert_true(f->maps[i].backstop == -FLT_MAX);
    }
    assert_true(attached > 5);
    vo_rt_mesh_set_attachment(&m.mesh, 1, 0);
    assert_true(f->position[1].w > 0);
    vo_rt_mesh_set_attachment(&m.mesh, 8, 1);
    assert_true(f->position[8].w == 0);
    vo_rt_mesh_set_density(&m.mesh, 0.4f);
    assert_near(f->mass[8] / (0.4f / 0.2f), f->mass[8] * 0.5f, 1e-9);
    test_mesh_check(&m.mesh);
    test_mesh_free(&m);
}

/* ---- Seams ---------------------------------------------------------------------------------- */

/* Material coordinates of both sides are midpoints of their own side, and springs have the rest
 * length of the control side. */
static void test_seams(void **state) {
    (void)state;
    vo_random random = vo_random_seed(6);
    test_mesh m;
    test_mesh_init(&m, test_asset_pieces(4), 8 << 20);
    for (int i = 0; i < 2000; i++) random_edit(&m.mesh, &m.heap, 0.7, &random);
    int seams = 0;
    for (int i = 0; i < m.mesh.edge_end; i++) {
        const vo_rt_edge *e = &m.mesh.edge[i];
        if (!(e->flags & VO_RT_EDGE_USED)) continue;
        const vo_rt_vec2 *c = e->coordinate[e->control], *o = e->coordinate[!e->control];
        assert_near(e->rest, f2_length(f2_sub(c[1], c[0])), 1e-5);
        if (e->face[0] < 0 || e->face[1] < 0) continue;
        seams += fabsf(f2_length(f2_sub(o[1], o[0])) - e->rest) > 0.001f;
    }
    assert_true(seams > 3);
    /* Areas of leaves match their material coordinates. */
    for (int i = 0; i < m.mesh.front.triangle_count; i++) {
        const vo_rt_triangle *t = &m.mesh.triangle[m.mesh.front.triangle_source[i]];
        vo_rt_vec2 corner[3];
        for (int k = 0; k < 3; k++) {
            int side = vo_rt_side_in(&m.mesh, t, k);
            corner[(k + 1) % 3] = m.mesh.edge[t->edge[k]].coordinate[side][side];
        }
        float area = 0.5f * f2_cross(f2_sub(corner[1], corner[0]), f2_sub(corner[2], corner[0]));
        assert_near(area, t->rest_area, 1e-5 * t->rest_area + 1e-7);
    }
    test_mesh_free(&m);
}

/* ---- Leaf lists against a traversal of the tree --------------------------------------------- */

typedef struct traversal {
    const vo_rt_mesh *mesh;
    int leaves, edges;
    double area;
} traversal;

static void visit_triangle(traversal *t, int triangle) {
    const vo_rt_triangle *tri = &t->mesh->triangle[triangle];
    if (tri->configuration == 0) {
        t->leaves++;
        t->area += (double)tri->rest_area;
        return;
    }
    for (int k = 0; k < 4; k++)
        if (tri->child[k] >= 0) visit_triangle(t, tri->child[k]);
    for (int k = 0; k < 3; k++)
        if (tri->interior[k] >= 0 && t->mesh->edge[tri->interior[k]].child < 0) t->edges++;
}

static void visit_edge(traversal *t, int edge) {
    int child = t->mesh->edge[edge].child;
    if (child < 0) {
        t->edges++;
        return;
    }
    visit_edge(t, child);
    visit_edge(t, child + 1);
}

static void test_lists_match_traversal(void **state) {
    (void)state;
    vo_random random = vo_random_seed(8);
    for (int kind = 0; kind < 5; kind++) {
        test_mesh m;
        test_mesh_init(&m, asset_of(kind, 5, &random), 8 << 20);
        for (int i = 0; i < 4000; i++) random_edit(&m.mesh, &m.heap, 0.7, &random);
        traversal t = {.mesh = &m.mesh};
        double area = 0;
        for (int i = 0; i < m.mesh.asset->triangle_count; i++) {
            visit_triangle(&t, i);
            area += (double)m.mesh.triangle[i].rest_area;
        }
        for (int i = 0; i < m.mesh.asset->edge_count; i++) visit_edge(&t, i);
        /* Split interior edges are visited as trees. */
        for (int i = m.mesh.asset->edge_count; i < m.mesh.edge_end; i++) {
            const vo_rt_edge *e = &m.mesh.edge[i];
            if ((e->flags & VO_RT_EDGE_INTERIOR) && (e->flags & VO_RT_EDGE_USED) && e->child >= 0)
                visit_edge(&t, i);
        }
        assert_int_equal(t.leaves, m.mesh.front.triangle_count);
        assert_int_equal(t.edges, m.mesh.front.spring_count);
        assert_near(t.area, area, 1e-12);
        double fill =
            m.mesh.front.spring_count / (double)(m.mesh.front.spring_group_count * VO_RT_LANES);
        if (m.mesh.front.spring_count > 500) assert_true(fill > 0.85);
        test_mesh_free(&m);
    }
}

/* ---- Major steps ---------------------------------------------------------------------------- */

/* Demands a level within a circle that moves over the sheet. */
typedef struct circle {
    float x, y, radius;
    int level;
    bool is_off;
    int split_tests, join_tests;
} circle;

static vo_rt_demand demand(void *user, const vo_rt_mesh *mesh, int edge, bool is_split) {
    circle *c = user;
    const vo_rt_edge *e = &mesh->edge[edge];
    vo_rt_vec4 a = mesh->front.position[e->vertex[0]], b = mesh->front.position[e->vertex[1]];
    float dx = 0.5f * (a.x + b.x) - c->x, dy = 0.5f * (a.y + b.y) - c->y;
    bool wants = !c->is_off && e->level < c->level && dx * dx + dy * dy < c->radius * c->radius;
    if (is_split) {
        assert_int_equal(e->wait, 0);
        assert_true(e->child >= 0);
        c->join_tests++;
        return wants ? VO_RT_KEEP : VO_RT_JOIN;
    }
    assert_true(e->child < 0 && !(e->flags & VO_RT_EDGE_FIXED));
    c->split_tests++;
    return wants ? VO_RT_SPLIT : VO_RT_KEEP;
}

typedef struct callbacks {
    int created, removed;
} callbacks;

static void on_created(void *user, vo_rt_mesh *mesh, int vertex, int edge) {
    callbacks *c = user;
    assert_int_equal(mesh->edge[edge].middle, vertex);
    assert_true(mesh->front.flags[vertex] & VO_RT_VERTEX_NEW);
    assert_true(mesh->front.mass[vertex] > 0);
    mesh->front.position[vertex].z += 0.001f;
    c->created++;
}

static void on_removed(void *user, vo_rt_mesh *mesh, int vertex, int edge) {
    callbacks *c = user;
    assert_int_equal(mesh->edge[edge].middle, vertex);
    assert_int_equal(mesh->mass_units[vertex], 0);
    c->removed++;
}

enum { EDIT_CAPACITY = 4096 };

static vo_rt_edits major_step(test_mesh *m, circle *c, callbacks *calls, int wait) {
    static int32_t split[EDIT_CAPACITY], join[EDIT_CAPACITY];
    vo_rt_edits edits = {.split = split, .join = join, .capacity = EDIT_CAPACITY};
    vo_rt_mesh_collect(&m->mesh, demand, c, &edits);
    for (int i = 1; i < edits.split_count; i++) {
        int a = split[i - 1], b = split[i];
        int la = m->mesh.edge[a].level, lb = m->mesh.edge[b].level;
        assert_true(la < lb || (la == lb && a < b));
    }
    for (int i = 0; i < edits.split_count; i++)
        assert_true(vo_rt_mesh_can_split(&m->mesh, split[i]));
    vo_rt_mesh_reserve(&m->mesh, &m->heap, &edits);
    callbacks before = *calls;
    test_momentum momentum = test_total(&m->mesh);
    vo_rt_mesh_apply(&m->mesh, &edits, wait, on_created, on_removed, calls);
    test_same_momentum(momentum, test_total(&m->mesh), 1e-5);
    /* Collected edits do not exclude each other. */
    assert_int_equal(calls->created - before.created, edits.split_count);
    assert_int_equal(calls->removed - before.removed, edits.join_count);
    return edits;
}

static void test_major_steps(void **state) {
    (void)state;
    vo_random random = vo_random_seed(9);
    for (int wrap = 0; wrap < 2; wrap++) {
        test_mesh m;
        test_mesh_init(&m, test_asset_sheet(6, 6, 0.2f, 0.2f, wrap, 4, &random), 16 << 20);
        circle c = {.radius = 0.3f, .level = 4};
        callbacks calls = {0, 0};
        int deferred = 0, finest = 0;
        for (int step = 0; step < 120; step++) {
            c.x = c.y = 0.01f * (float)step;
            test_random_velocities(&m.mesh, &random);
            deferred += major_step(&m, &c, &calls, 3).deferred;
            test_mesh_check(&m.mesh);
            if (m.mesh.finest_level > finest) finest = m.mesh.finest_level;
        }
        assert_true(calls.created > 500 && calls.removed > 300);
        assert_true(deferred > 0);
        assert_int_equal(finest, 4);
        c.is_off = true;
        for (int step = 0; step < 60 && m.mesh.finest_level > 0; step++) {
            major_step(&m, &c, &calls, 3);
            test_mesh_check(&m.mesh);
        }
        check_base(&m.mesh);
        assert_int_equal(calls.created, calls.removed);
        size_t used = m.heap.used;
        vo_rt_mesh_trim(&m.mesh, &m.heap);
        assert_true(m.heap.used < used);
        check_base(&m.mesh);
        test_mesh_free(&m);
    }
}

/* A demand for one level everywhere in a circle is met; nothing changes afterwards. */
static void test_refinement_ends(void **state) {
    (void)state;
    vo_random random = vo_random_seed(10);
    for (int level = 1; level <= VO_RT_MAX_LEVEL; level++) {
        test_mesh m;
        test_mesh_init(&m, test_asset_sheet(4, 4, 0.2f, 0.2f, false, level, &random), 32 << 20);
        circle c = {.x = 0.37f, .y = 0.41f, .radius = 0.2f, .level = level};
        callbacks calls = {0, 0};
        vo_rt_edits edits = {0};
        for (int step = 0; step <= 3 * level; step++) edits = major_step(&m, &c, &calls, 10);
        test_mesh_check(&m.mesh);
        assert_int_equal(edits.split_count, 0);
        assert_int_equal(edits.deferred, 0);
        assert_int_equal(m.mesh.finest_level, level);
        test_mesh_free(&m);
    }
}

/* Demands that one edge splits and that all others join. */
static vo_rt_demand demand_one(void *user, const vo_rt_mesh *mesh, int edge, bool is_split) {
    (void)mesh;
    if (is_split) return VO_RT_JOIN;
    return edge == *(const int *)user ? VO_RT_SPLIT : VO_RT_KEEP;
}

/* A deferred split of an edge of level n is made in the (n + 1)-th major step at the latest, also
 * if everything else joins as soon as it can. */
static void test_deferral_ends(void **state) {
    (void)state;
    vo_random random = vo_random_seed(18);
    static int32_t split[EDIT_CAPACITY], join[EDIT_CAPACITY];
    int deferrals = 0, longest = 0;
    for (int run = 0; run < 300; run++) {
        test_mesh m;
        test_mesh_init(&m, asset_of(1 + run % 4, 6, &random), 16 << 20);
        for (int i = 0; i < 1500; i++) random_edit(&m.mesh, &m.heap, 0.75, &random);
        int edge = -1;
        for (int i = 0; i < 1000 && edge < 0; i++) {
            int e = random_edge(&m.mesh, &random);
            const vo_rt_edge *x = &m.mesh.edge[e];
            bool is_ordinary = (x->flags & VO_RT_EDGE_USED) && !(x->flags & VO_RT_EDGE_FIXED);
            if (is_ordinary && x->child < 0 && x->level < 6 && !vo_rt_mesh_can_split(&m.mesh, e))
                edge = e;
        }
        if (edge < 0) {
            test_mesh_free(&m);
            continue;
        }
        int steps = 0, level = m.mesh.edge[edge].level;
        while (m.mesh.edge[edge].child < 0) {
            vo_rt_edits edits = {.split = split, .join = join, .capacity = EDIT_CAPACITY};
            assert_true(steps++ <= level);
            vo_rt_mesh_collect(&m.mesh, demand_one, &edge, &edits);
            vo_rt_mesh_reserve(&m.mesh, &m.heap, &edits);
            assert_int_equal(edits.rejected, 0);
            vo_rt_mesh_apply(&m.mesh, &edits, 0, NULL, NULL, NULL);
            test_mesh_check(&m.mesh);
        }
        deferrals++;
        if (steps > longest) longest = steps;
        test_mesh_free(&m);
    }
    assert_true(deferrals > 100);
    assert_true(longest >= 3);
}

/* No edge is tested for joining before its wait is over, and tests are spread over steps. */
static void test_waits_are_staggered(void **state) {
    (void)state;
    vo_random random = vo_random_seed(11);
    test_mesh m;
    test_mesh_init(&m, test_asset_sheet(6, 6, 0.2f, 0, false, 1, &random), 16 << 20);
    circle c = {.radius = 100, .level = 1};
    callbacks calls = {0, 0};
    int edges = m.mesh.asset->edge_count, steps_with_tests = 0, most = 0, total = 0;
    major_step(&m, &c, &calls, 10);
    assert_int_equal(calls.created, edges);
    for (int step = 1; step <= 40; step++) {
        c.join_tests = 0;
        major_step(&m, &c, &calls, 10);
        if (step < 10) assert_int_equal(c.join_tests, 0);
        steps_with_tests += c.join_tests > 0;
        total += c.join_tests;
        if (c.join_tests > most) most = c.join_tests;
    }
    /* Between 10 and 15 steps per test. */
    assert_true(total >= 2 * edges && total <= 4 * edges);
    assert_true(steps_with_tests > 12);
    assert_true(most < edges / 2);
    assert_int_equal(calls.removed, 0);
    test_mesh_free(&m);
}

/* An edit that is not permitted is collected again after a wait. */
static void test_rejected_edits_wait(void **state) {
    (void)state;
    vo_random random = vo_random_seed(12);
    test_mesh m;
    test_mesh_init(&m, test_asset_sheet(3, 3, 0.2f, 0, false, 1, &random), 16 << 20);
    int32_t split[EDIT_CAPACITY], join[EDIT_CAPACITY];
    int edge = 5, waits = 0;
    vo_rt_edits edits = {.split = split, .join = join, .capacity = EDIT_CAPACITY};
    vo_rt_mesh_collect(&m.mesh, demand_one, &edge, &edits);
    assert_int_equal(edits.split_count, 1);
    vo_rt_mesh_reject_edit(&m.mesh, edge);
    do {
        vo_rt_mesh_collect(&m.mesh, demand_one, &edge, &edits);
        waits++;
    } while (edits.split_count == 0 && waits < 20);
    assert_int_equal(split[0], edge);
    assert_true(waits >= 4 && waits <= 6);
    vo_rt_mesh_reserve(&m.mesh, &m.heap, &edits);
    vo_rt_mesh_apply(&m.mesh, &edits, 0, NULL, NULL, NULL);
    test_mesh_check(&m.mesh);
    m.mesh.join_wait = 20;
    vo_rt_mesh_reject_edit(&m.mesh, edge);
    assert_true(m.mesh.edge[edge].wait >= 20 && m.mesh.edge[edge].wait <= 30);
    test_mesh_free(&m);
}

/* Arbitrary lists: impossible entries are skipped and the mesh stays valid. */
static void test_apply_skips_impossible_edits(void **state) {
    (void)state;
    vo_random random = vo_random_seed(12);
    test_mesh m;
    test_mesh_init(&m, test_asset_sheet(4, 4, 0.2f, 0.2f, true, 3, &random), 16 << 20);
    for (int round = 0; round < 400; round++) {
        int32_t split[64], join[64];
        vo_rt_edits edits = {
            .split_count = 64, .join_count = 64, .split = split, .join = join, .capacity = 64};
        for (int i = 0; i < 64; i++) {
            split[i] = vo_random_int(&random, m.mesh.edge_end + 4) - 2;
            join[i] = vo_random_int(&random, m.mesh.edge_end + 4) - 2;
        }
        vo_rt_mesh_reserve(&m.mesh, &m.heap, &edits);
        test_random_velocities(&m.mesh, &random);
        test_momentum before = test_total(&m.mesh);
        vo_rt_mesh_apply(&m.mesh, &edits, 0, NULL, NULL, NULL);
        test_mesh_check(&m.mesh);
        test_same_momentum(before, test_total(&m.mesh), 1e-5);
    }
    test_mesh_free(&m);
}

/* Small lists: the finest splits are counted as rejected. */
static void test_small_capacity(void **state) {
    (void)state;
    vo_random random = vo_random_seed(13);
    test_mesh m;
    test_mesh_init(&m, test_asset_sheet(4, 4, 0.2f, 0.2f, false, 3, &random), 16 << 20);
    circle c = {.radius = 100, .level = 3};
    int32_t split[7], join[7];
    vo_rt_edits edits = {.split = split, .join = join, .capacity = 7};
    vo_rt_mesh_collect(&m.mesh, demand, &c, &edits);
    assert_int_equal(edits.split_count, 7);
    assert_int_equal(edits.rejected, m.mesh.asset->edge_count - 7);
    vo_rt_mesh_reserve(&m.mesh, &m.heap, &edits);
    vo_rt_mesh_apply(&m.mesh, &edits, 0, NULL, NULL, NULL);
    test_mesh_check(&m.mesh);
    test_mesh_free(&m);
}

/* ---- Memory --------------------------------------------------------------------------------- */

static void test_exhausted_heap(void **state) {
    (void)state;
    vo_random random = vo_random_seed(14);
    test_mesh m;
    test_mesh_init(&m, test_asset_sheet(6, 6, 0.2f, 0.2f, false, 6, &random), 600 << 10);
    circle c = {.radius = 100, .level = 6};
    callbacks calls = {0, 0};
    int rejected = 0;
    for (int step = 0; step < 20; step++) {
        rejected += major_step(&m, &c, &calls, 10).rejected;
        test_mesh_check(&m.mesh);
    }
    assert_true(rejected > 0);
    assert_true(calls.created > 100);
    test_mesh_free(&m);
    /* A heap without room for the base mesh. */
    vo_allocator allocator = {NULL, test_heap_allocate, test_heap_release};
    test_asset a = test_asset_sheet(6, 6, 0.2f, 0.2f, false, 6, &random);
    for (size_t bytes = 0; bytes < 64 << 10; bytes += 1 << 10) {
        vo_rt_heap heap;
        vo_rt_mesh mesh;
        assert_true(vo_rt_heap_init(&heap, &allocator, bytes));
        if (vo_rt_mesh_init(&mesh, &a.asset, &heap)) {
            test_mesh_check(&mesh);
            vo_rt_mesh_free(&mesh, &heap);
        }
        assert_int_equal(heap.used, 0);
        vo_rt_heap_free(&heap);
    }
    test_asset_free(&a);
}

/* A fan of many triangles at one vertex needs as many groups as triangles. */
static void test_high_degree(void **state) {
    (void)state;
    enum { N = 60 };
    vo_rt_vec3 x[N + 1] = {{0, 0, 0}};
    int triangle[3 * N];
    vo_rt_vec2 corner[3 * N];
    for (int i = 0; i < N; i++) {
        float angle = 6.2831853f * (float)i / N;
        x[1 + i] = f3(cosf(angle), sinf(angle), 0);
        triangle[3 * i] = 0, triangle[3 * i + 1] = 1 + i, triangle[3 * i + 2] = 1 + (i + 1) % N;
    }
    for (int i = 0; i < 3 * N; i++) corner[i] = f2(x[triangle[i]].x, x[triangle[i]].y);
    vo_random random = vo_random_seed(15);
    test_mesh m;
    test_mesh_init(&m, test_asset_build(N + 1, x, N, triangle, corner, 3), 16 << 20);
    for (int i = 0; i < 6000; i++) {
        random_edit(&m.mesh, &m.heap, i / 2000 == 1 ? 0.2 : 0.8, &random);
        if (i % 100 == 0) test_mesh_check(&m.mesh);
    }
    join_all(&m.mesh);
    check_base(&m.mesh);
    test_mesh_free(&m);
}

/* Degenerate triangles keep all masses positive and finite. */
static void test_degenerate_triangles(void **state) {
    (void)state;
    vo_random random = vo_random_seed(16);
    test_asset a = test_asset_sheet(3, 3, 0.2f, 0, false, 3, &random);
    for (int i = 0; i < a.asset.edge_count; i++)
        for (int s = 0; s < 4; s++)
            if (i % 3 == 0) a.edge[i].coordinate[s / 2][s % 2] = f2(0, i % 2 ? NAN : 0);
    test_mesh m;
    test_mesh_init(&m, a, 16 << 20);
    for (int i = 0; i < 2000; i++) random_edit(&m.mesh, &m.heap, 0.6, &random);
    for (int i = 1; i < m.mesh.front.vertex_end; i++)
        if (m.mesh.front.flags[i] & VO_RT_VERTEX_USED)
            assert_true(m.mesh.front.mass[i] > 0 && isfinite(m.mesh.front.position[i].w));
    test_mesh_free(&m);
}

/* ---- Points --------------------------------------------------------------------------------- */

static void test_locate(void **state) {
    (void)state;
    vo_random random = vo_random_seed(17);
    test_mesh m;
    test_mesh_init(&m, test_asset_sheet(4, 4, 0.2f, 0.2f, false, 5, &random), 16 << 20);
    for (int i = 0; i < 4000; i++) random_edit(&m.mesh, &m.heap, 0.7, &random);
    vo_rt_front *f = &m.mesh.front;
    for (int k = 0; k < 20000; k++) {
        int t = vo_random_int(&random, m.mesh.asset->triangle_count);
        float w[3] = {(float)vo_random_real(&random, 0, 1), 0, 0}, out[3];
        w[1] = (1 - w[0]) * (float)vo_random_real(&random, 0, 1);
        w[2] = 1 - w[0] - w[1];
        int32_t slot[3];
        vo_rt_vec3 expected = {0, 0, 0}, found = {0, 0, 0};
        vo_rt_mesh_locate(&m.mesh, t, w, slot, out);
        for (int i = 0; i < 3; i++) {
            assert_true(out[i] >= -1e-4f && out[i] <= 1.0001f);
            expected =
                f3_add_scaled(expected, w[i], f4_xyz(f->position[m.mesh.triangle[t].vertex[i]]));
            found = f3_add_scaled(found, out[i], f4_xyz(f->position[slot[i]]));
        }
        assert_near(f3_distance(expected, found), 0, 1e-5);
    }
    /* Weights that are not finite end at some leaf. */
    float bad[3] = {NAN, INFINITY, -1}, out[3];
    int32_t slot[3];
    vo_rt_mesh_locate(&m.mesh, 0, bad, slot, out);
    for (int i = 0; i < 3; i++) assert_true(slot[i] > 0 && slot[i] < f->vertex_end);
    test_mesh_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_edits),
        cmocka_unit_test(test_momentum_is_conserved),
        cmocka_unit_test(test_linear_motion_stays),
        cmocka_unit_test(test_attached_vertices),
        cmocka_unit_test(test_seams),
        cmocka_unit_test(test_lists_match_traversal),
        cmocka_unit_test(test_major_steps),
        cmocka_unit_test(test_refinement_ends),
        cmocka_unit_test(test_deferral_ends),
        cmocka_unit_test(test_waits_are_staggered),
        cmocka_unit_test(test_rejected_edits_wait),
        cmocka_unit_test(test_apply_skips_impossible_edits),
        cmocka_unit_test(test_small_capacity),
        cmocka_unit_test(test_exhausted_heap),
        cmocka_unit_test(test_high_degree),
        cmocka_unit_test(test_degenerate_triangles),
        cmocka_unit_test(test_locate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Public collision queries as worlds of two triangles: what the query moves into each other, the
 * response keeps apart. The benchmark of Wang, Ferguson et al. 2021 has the queries
 * (VOILE_DATA/ccd, docs/formats.md). */
#include "ccd_cases.h"
#include "rt_intersections.h"

#include <dirent.h>
#include <stdio.h>

static bool is_long(void) { return getenv("VOILE_TEST_LONG") != NULL; }

/* Largest displacement of a vertex relative to the mean, m: less than what a move divides into
 * segments, so that paths are linear. */
static const double LARGEST_STEP = 0.006;
/* Features that are nearer at the start have no side. */
static const double LEAST_DISTANCE = 2e-4;
static const double LEAST_EDGE = 5e-4, LARGEST_SIZE = 20; /* m, of the triangles */

/* --- Triangles of a query --------------------------------------------------------------------- */

/* Two triangles: x[0..2] and x[3..5]. */
typedef struct triangles {
    vo_vec3 x[6], move[6];
} triangles;

static vo_vec3 centre_of(const vo_vec3 *x, int count) {
    vo_vec3 sum = v3_zero();
    for (int i = 0; i < count; i++) sum = v3_add(sum, x[i]);
    return v3_scale(1.0 / count, sum);
}

/* Completes a feature of `count` vertices to a triangle that lies beyond it, seen from `other`. */
static void complete(vo_vec3 *x, vo_vec3 *move, int count, vo_vec3 other, double size) {
    vo_vec3 centre = centre_of(x, count);
    vo_vec3 away = v3_normalize(v3_sub(centre, other)), mean = centre_of(move, count);
    if (!(v3_length(away) > 0.5)) away = v3(0, 0, 1);
    vo_vec3 side = v3_cross(away, fabs(away.x) < 0.7 ? v3(1, 0, 0) : v3(0, 1, 0));
    side = v3_scale(0.3 * size, v3_normalize(side));
    for (int i = count; i < 3; i++) {
        vo_vec3 tip = v3_add_scaled(centre, size, away);
        x[i] = count == 2 ? tip : v3_add_scaled(tip, i == 1 ? 1 : -1, side);
        move[i] = mean;
    }
}

static double largest_length(const vo_vec3 *v, int count) {
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, v3_length(v[i]));
    return most;
}

/* Scales the query to the size of cloth and adds the missing vertices. */
static triangles make_triangles(const ccd_case *c) {
    triangles t;
    vo_vec3 x[4], move[4], centre = centre_of(c->start, 4), mean = v3_zero();
    for (int i = 0; i < 4; i++) mean = v3_add_scaled(mean, 0.25, v3_sub(c->end[i], c->start[i]));
    for (int i = 0; i < 4; i++) {
        x[i] = v3_sub(c->start[i], centre);
        move[i] = v3_sub(v3_sub(c->end[i], c->start[i]), mean);
    }
    double motion = largest_length(move, 4), scale = motion > 0 ? LARGEST_STEP / motion : 1;
    for (int i = 0; i < 4; i++) {
        x[i] = v3_scale(scale, x[i]);
        move[i] = v3_scale(scale, move[i]);
    }
    int count = c->edges ? 2 : 1;
    double size = fmax(largest_length(x, 4), 0.01);
    for (int i = 0; i < 4; i++) {
        int at = i < count ? i : 3 + i - count;
        t.x[at] = x[i];
        t.move[at] = move[i];
    }
    complete(t.x, t.move, count, centre_of(t.x + 3, 4 - count), size);
    complete(t.x + 3, t.move + 3, 4 - count, centre_of(t.x, count), size);
    return t;
}

/* Pairs of features: vertex and face, two edges. */
enum { FEATURES = 15 };
static bool get_features(int i, int v[4]) {
    if (i < 6) {
        int side = i / 3;
        v[0] = i;
        for (int k = 0; k < 3; k++) v[1 + k] = 3 * (1 - side) + k;
        return false;
    }
    int a = (i - 6) / 3, b = (i - 6) % 3;
    v[0] = a, v[1] = (a + 1) % 3, v[2] = 3 + b, v[3] = 3 + (b + 1) % 3;
    return true;
}

/* A pair of features that may touch on linear paths, -1 if there is none. */
static int find_touch(const vo_vec3 start[6], const vo_vec3 end[6]) {
    for (int i = 0; i < FEATURES; i++) {
        int v[4];
        ccd_case c = {.edges = get_features(i, v)};
        for (int k = 0; k < 4; k++) {
            c.start[k] = start[v[k]];
            c.end[k] = end[v[k]];
        }
        if (ccd_query(NULL, &c, NULL)) return i;
    }
    return -1;
}

static double find_distance(const triangles *t) {
    double least = INFINITY;
    for (int i = 0; i < FEATURES; i++) {
        int v[4];
        vo_vec3 x[4];
        bool edges = get_features(i, v);
        for (int k = 0; k < 4; k++) x[k] = t->x[v[k]];
        least = fmin(least, plain_minimum(edges, x));
    }
    return least;
}

static rt_corner corner_of(vo_vec3 x) { return (rt_corner){{x.x, x.y, x.z}}; }

/* True if an edge of one triangle passes through the other. */
static bool intersect(const triangles *t) {
    for (int side = 0; side < 2; side++) {
        rt_corner face[3], p, q;
        for (int k = 0; k < 3; k++) face[k] = corner_of(t->x[3 * (1 - side) + k]);
        for (int k = 0; k < 3; k++) {
            p = corner_of(t->x[3 * side + k]);
            q = corner_of(t->x[3 * side + (k + 1) % 3]);
            if (rt_pierces(&p, &q, face)) return true;
        }
    }
    return false;
}

static bool is_suitable(const triangles *t) {
    for (int i = 0; i < 6; i++) {
        double edge = v3_distance(t->x[i], t->x[i / 3 * 3 + (i + 1) % 3]);
        if (!(edge > LEAST_EDGE && edge < LARGEST_SIZE)) return false;
    }
    return !intersect(t) && find_distance(t) > LEAST_DISTANCE;
}

/* --- Worlds ----------------------------------------------------------------------------------- */

typedef struct pair_world {
    vo_rt_world *w;
    vo_rt_asset *asset[2];
    vo_rt_cloth *cloth[2];
} pair_world;

static bool create_asset(const vo_vec3 x[3], vo_rt_asset **out) {
    static const int32_t triangle[3] = {0, 1, 2};
    vo_allocator allocator = rt_allocator(NULL);
    vo_rt_vec3 positions[3];
    for (int k = 0; k < 3; k++) positions[k] = f3((float)x[k].x, (float)x[k].y, (float)x[k].z);
    vo_rt_asset_def def = vo_rt_asset_def_default();
    def.vertex_count = 3;
    def.positions = positions;
    def.triangle_count = 1;
    def.triangles = triangle;
    def.max_level = 0;
    def.tethers = false;
    return vo_rt_asset_create(&allocator, &def, out, NULL) == VO_OK;
}

static void destroy_world(pair_world *p) {
    vo_rt_world_destroy(p->w);
    for (int k = 0; k < 2; k++) vo_rt_asset_destroy(p->asset[k]);
}

/* False if a triangle is degenerate. */
static bool create_world(const triangles *t, pair_world *p) {
    vo_rt_world_def world = vo_rt_world_def_default();
    world.gravity = f3(0, 0, 0);
    world.pool_bytes = (size_t)1 << 20;
    *p = (pair_world){0};
    for (int k = 0; k < 2; k++)
        if (!create_asset(t->x + 3 * k, &p->asset[k])) return false;
    p->w = rt_world(&world);
    for (int k = 0; k < 2; k++) {
        vo_rt_cloth_def def = vo_rt_cloth_def_default();
        def.asset = p->asset[k];
        def.self_collision = true;
        assert_rt_ok(p->w, vo_rt_cloth_create(p->w, &def, &p->cloth[k]));
        for (int i = 0; i < 3; i++) {
            vo_vec3 v = v3_scale(120, t->move[3 * k + i]);
            p->cloth[k]->mesh.front.velocity[1 + i] =
                f4_make(f3((float)v.x, (float)v.y, (float)v.z), 0);
        }
    }
    return true;
}

static void get_positions(const pair_world *p, vo_vec3 x[6]) {
    for (int i = 0; i < 6; i++) {
        vo_rt_vec4 q = p->cloth[i / 3]->mesh.front.position[1 + i % 3];
        x[i] = v3((double)q.x, (double)q.y, (double)q.z);
    }
}

/* Steps the world with the motion of the query; false if features meet on their linear paths. */
static bool runs_apart(const triangles *t) {
    enum { STEPS = 3 };
    pair_world p;
    bool ok = true;
    if (create_world(t, &p))
        for (int i = 0; i < STEPS && ok; i++) {
            vo_vec3 before[6], after[6];
            get_positions(&p, before);
            assert_rt_ok(p.w, vo_rt_world_step(p.w, 1 / 120.0f));
            get_positions(&p, after);
            ok = find_touch(before, after) < 0 && rt_count_intersections(p.w) == 0;
        }
    destroy_world(&p);
    return ok;
}

/* --- Queries ---------------------------------------------------------------------------------- */

typedef struct counts {
    int queries, touching, run, met, failed; /* met: the features meet without response */
    char first[400];
} counts;

static void run_query(const ccd_case *c, const char *path, counts *n) {
    triangles t = make_triangles(c);
    vo_vec3 end[6];
    if (!is_suitable(&t)) return;
    for (int i = 0; i < 6; i++) end[i] = v3_add(t.x[i], t.move[i]);
    n->run++;
    n->met += find_touch(t.x, end) >= 0;
    if (runs_apart(&t)) return;
    if (n->failed++ == 0) snprintf(n->first, sizeof n->first, "%s, query %d", path, n->queries);
}

/* Reads a point: numerators and denominators; returns the truth, -1 at the end. */
static int read_row(FILE *file, vo_vec3 *x) {
    char line[4096], *at = line;
    double value[6];
    if (!fgets(line, sizeof line, file)) return -1;
    for (int k = 0; k < 6; k++) {
        value[k] = strtod(at, &at);
        assert_int_equal(*at++, ',');
    }
    *x = v3(value[0] / value[1], value[2] / value[3], value[4] / value[5]);
    return atoi(at);
}

static void run_file(const char *path, bool edges, int every, counts *n) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (;;) {
        ccd_case c = {.edges = edges};
        int truth = 0;
        for (int i = 0; i < 8 && truth >= 0; i++)
            truth = read_row(file, i < 4 ? &c.start[i] : &c.end[i - 4]);
        if (truth < 0) break;
        n->touching += truth;
        if (n->queries++ % every == 0) run_query(&c, path, n);
    }
    fclose(file);
}

static bool ends_with(const char *text, const char *end) {
    size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

static void run_folder(const char *folder, bool edges, int every, counts *n) {
    char path[2000];
    DIR *dir = opendir(folder);
    if (!dir) return;
    for (struct dirent *e; (e = readdir(dir));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (ends_with(e->d_name, ".csv"))
            run_file(path, edges, every, n);
        else if (e->d_name[0] != '.')
            run_folder(path, edges || strcmp(e->d_name, "edge-edge") == 0, every, n);
    }
    closedir(dir);
}

static void test_public_queries_are_kept_apart(void **state) {
    (void)state;
    const char *data = test_data();
    char folder[1100];
    counts n = {0};
    snprintf(folder, sizeof folder, "%s/ccd", data ? data : "");
    if (data) run_folder(folder, false, is_long() ? 1 : 3 * TEST_SLOWNESS, &n);
    if (n.queries == 0) {
        print_message("skipped: there is no folder ccd of queries in VOILE_DATA\n");
        skip();
    }
    print_message("%d queries, %d touching; %d as worlds, in %d features would meet; %d met\n",
                  n.queries, n.touching, n.run, n.met, n.failed);
    assert_true(n.met > 20 / TEST_SLOWNESS);
    if (n.failed > 0) fail_msg("%d worlds failed, the first of %s", n.failed, n.first);
}

/* The same with random features. */
static void test_random_queries_are_kept_apart(void **state) {
    (void)state;
    vo_random random = vo_random_seed(23);
    int count = (is_long() ? 20000 : 600) / TEST_SLOWNESS;
    counts n = {0};
    for (; n.queries < count; n.queries++) {
        ccd_case c = random_case(&random, n.queries % 2, 1 + n.queries % 3);
        run_query(&c, "random features", &n);
    }
    print_message("%d as worlds, in %d features would meet; %d met\n", n.run, n.met, n.failed);
    assert_true(n.met > count / 20);
    if (n.failed > 0) fail_msg("%d worlds failed, the first of %s", n.failed, n.first);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_public_queries_are_kept_apart),
        cmocka_unit_test(test_random_queries_are_kept_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

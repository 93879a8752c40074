/* Detection of self-collisions against exhaustive references: colours of neighbours, overlaps of
 * faces, and pairs of features that can meet on their predicted paths. */
#include "rt_self_fixture.h"
#include "surface_distance.h"

#include "math/simd_float.h"

static bool is_long(void) { return getenv("VOILE_TEST_LONG") != NULL; }

/* Rounds of a test that takes about a second with 4. */
static int count_rounds(void) { return (is_long() ? 200 : 4) / TEST_SLOWNESS + 1; }

static bool share_vertex(const int32_t *a, int count_a, const int32_t *b, int count_b) {
    for (int i = 0; i < count_a; i++)
        for (int k = 0; k < count_b; k++)
            if (a[i] == b[k]) return true;
    return false;
}

/* --- Colours ---------------------------------------------------------------------------------- */

static bool may_be_adjacent(const vo_rt_self_set *set, int a, int b) {
    uint32_t bits = 0;
    for (int k = 0; k < 2; k++)
        bits |= set->face[a].neighbours[k] & (uint32_t)set->lanes.colour[k][b];
    return bits != 0;
}

/* A face whose colour is not among those of the neighbours shares no vertex. Returns the pairs of
 * the same cloth that colours do not decide. */
static int64_t check_colours(const vo_rt_self_set *set) {
    int64_t undecided = 0;
    for (int a = 0; a < set->cloth_face_count; a++)
        for (int b = 0; b < set->cloth_face_count; b++) {
            if (a == b) continue;
            bool is_adjacent = share_vertex(set->face[a].vertex, 3, set->face[b].vertex, 3);
            bool may_be = may_be_adjacent(set, a, b);
            if (is_adjacent && !may_be) fail_msg("faces %d and %d: colours exclude them", a, b);
            undecided += may_be && !is_adjacent;
        }
    return undecided;
}

static bool boxes_overlap(const vo_rt_self_set *set, int a, int b) {
    const vo_rt_vec4 *p = &set->face_box[2 * a], *q = &set->face_box[2 * b];
    return p[0].x <= q[1].x && q[0].x <= p[1].x && p[0].y <= q[1].y && q[0].y <= p[1].y &&
           p[0].z <= q[1].z && q[0].z <= p[1].z;
}

/* Bits of vo_rt_self_kernels.find_faces without colours. */
static unsigned find_faces(const vo_rt_self_set *set, int face, const int32_t calm[3], int begin,
                           int end) {
    unsigned bits = 0;
    for (int b = begin; b < end; b++) {
        const int32_t *v = set->face[b].vertex;
        if (!boxes_overlap(set, face, b) || share_vertex(calm, 3, v, 3)) continue;
        bool is_adjacent = share_vertex(set->face[face].vertex, 3, v, 3);
        bits |= (is_adjacent ? 257u : 1u) << (b - begin);
    }
    return bits;
}

static void check_kernel(const vo_rt_self_set *set, bool use_avx2) {
    const vo_rt_self_kernels *kernels = vo_rt_self_select_kernels(use_avx2);
    for (int a = 0; a < set->cloth_face_count; a++)
        for (int begin = 0; begin < set->cloth_face_count; begin += VO_RT_SELF_CLUSTER) {
            int end = vo_rt_self_cluster_end(set, begin / VO_RT_SELF_CLUSTER);
            int32_t calm[3];
            for (int k = 0; k < 3; k++) {
                int v = set->face[a].vertex[k];
                calm[k] = set->flags[v] & VO_RT_SELF_CALM ? v : -1;
            }
            unsigned found =
                kernels->find_faces(&set->lanes, a, calm, set->face[a].neighbours, begin, end);
            if ((found & 0xffff) != find_faces(set, a, calm, begin, end))
                fail_msg("face %d, cluster at %d: %x", a, begin, found);
        }
}

static void test_colours_decide_adjacency(void **state) {
    (void)state;
    vo_random random = vo_random_seed(21);
    int64_t undecided = 0, pairs = 0;
    for (int round = 0; round < count_rounds(); round++) {
        rt_group t;
        rt_group_set_up(&t, &random, RT_FOLDED, 8);
        vo_rt_self_query query = {.is_static = round % 2};
        vo_rt_self_find(&t.set, &query);
        vo_rt_self_set *set = &t.set;
        undecided += check_colours(set);
        pairs += (int64_t)set->cloth_face_count * (set->cloth_face_count - 1);
        check_kernel(set, false);
        if (vo_simd_has_avx2()) check_kernel(set, true);
        assert_true(set->counts.compared_pairs >= set->counts.adjacent_pairs);
        rt_group_tear_down(&t);
    }
    print_message("colours leave %.1f %% of the pairs of faces\n",
                  100 * (double)undecided / (double)pairs);
    assert_true(undecided < pairs / 2);
}

/* --- Pairs that can meet ---------------------------------------------------------------------- */

/* Position of a vertex at fraction s of its predicted path, without the common motion. */
static point path_point(const vo_rt_self_set *set, int v, double s) {
    vo_rt_vec4 x = set->x[v], d = set->drift[v];
    return (point){{(double)x.x + s * (double)d.x, (double)x.y + s * (double)d.y,
                    (double)x.z + s * (double)d.z}};
}

/* Two features; side A are the first `count_a` vertices. */
typedef struct features {
    int32_t vertex[4];
    int count_a;
} features;

/* Smallest distance by which every point of a side may end beside its prediction, m. */
static double smallest_radius(const vo_rt_self_set *set, const int32_t *v, int count) {
    double r = INFINITY;
    for (int k = 0; k < count; k++) r = fmin(r, (double)set->radius[v[k]]);
    return VO_RT_SELF_RANGE * r;
}

/* True if the features meet when their vertices end within R of their predictions: at fraction s of
 * the path each vertex can be s R beside its predicted position. */
static bool can_meet(const vo_rt_self_set *set, const features *f) {
    enum { SAMPLES = 8 };
    const int32_t *v = f->vertex;
    double r =
        smallest_radius(set, v, f->count_a) + smallest_radius(set, v + f->count_a, 4 - f->count_a);
    for (int i = 0; i <= SAMPLES; i++) {
        double s = (double)i / SAMPLES;
        point x[4];
        for (int k = 0; k < 4; k++) x[k] = path_point(set, v[k], s);
        if ((f->count_a == 1 ? point_triangle(x[0], x + 1)
                             : segment_segment(x[0], x[1], x[2], x[3])) < s * r)
            return true;
    }
    return false;
}

static bool boxes_are_apart(const vo_rt_self_set *set, const features *f) {
    for (int axis = 0; axis < 3; axis++) {
        float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int k = 0; k < 4; k++) {
            int side = k >= f->count_a, v = f->vertex[k];
            low[side] = f_min(low[side], (&set->low[v].x)[axis]);
            high[side] = f_max(high[side], (&set->high[v].x)[axis]);
        }
        if (low[0] > high[1] || low[1] > high[0]) return true;
    }
    return false;
}

static bool is_same_side(const int32_t *a, const int32_t *b, int count) {
    for (int i = 0; i < count; i++)
        if (!share_vertex(a + i, 1, b, count)) return false;
    return true;
}

static bool is_listed(const vo_rt_self_set *set, const features *f) {
    int a = f->count_a, b = 4 - a;
    for (int i = 0; i < set->pair_count; i++) {
        const vo_rt_self_pair *p = &set->pair[i];
        if (p->count_a != a) continue;
        if (is_same_side(p->vertex, f->vertex, a) && is_same_side(p->vertex + a, f->vertex + a, b))
            return true;
        if (a == 2 && is_same_side(p->vertex, f->vertex + 2, 2) &&
            is_same_side(p->vertex + 2, f->vertex, 2))
            return true;
    }
    return false;
}

/* True if a face with all vertices of A and one with all of B share a calm vertex. */
static bool is_in_calm_star(const vo_rt_self_set *set, const features *f) {
    int a = f->count_a, b = 4 - a;
    for (int i = set->star_begin[f->vertex[0]]; i < set->star_begin[f->vertex[0] + 1]; i++)
        for (int j = set->star_begin[f->vertex[a]]; j < set->star_begin[f->vertex[a] + 1]; j++) {
            const int32_t *p = set->face[set->star_face[i]].vertex;
            const int32_t *q = set->face[set->star_face[j]].vertex;
            for (int k = 0; k < 3; k++)
                if ((set->flags[p[k]] & VO_RT_SELF_CALM) && share_vertex(p + k, 1, q, 3) &&
                    (a == 1 || share_vertex(f->vertex + 1, 1, p, 3)) &&
                    share_vertex(f->vertex + a + 1, 1, q, 3) &&
                    (b == 2 || share_vertex(f->vertex + 3, 1, q, 3)))
                    return true;
        }
    return false;
}

/* True if a face with all vertices of A and one with all of B are in cells of a flat fan. */
static bool is_in_flat_fan(const vo_rt_self_set *set, const features *f) {
    int a = f->count_a, b = 4 - a;
    for (int i = set->star_begin[f->vertex[0]]; i < set->star_begin[f->vertex[0] + 1]; i++)
        for (int j = set->star_begin[f->vertex[a]]; j < set->star_begin[f->vertex[a] + 1]; j++) {
            int p = set->star_face[i], q = set->star_face[j];
            const int32_t *vp = set->face[p].vertex, *vq = set->face[q].vertex;
            if (a == 2 && !share_vertex(f->vertex + 1, 1, vp, 3)) continue;
            if (!share_vertex(f->vertex + a + 1, 1, vq, 3)) continue;
            if (b == 3 && !share_vertex(f->vertex + 3, 1, vq, 3)) continue;
            const vo_rt_self_cell *cp = &set->cell[set->face_cell[p]];
            const vo_rt_self_cell *cq = &set->cell[set->face_cell[q]];
            for (int k = 0; k < 3; k++)
                if (cp->flat[k] >= 0 && share_vertex(&cp->flat[k], 1, cq->fan, 3)) return true;
        }
    return false;
}

/* Returns 1 if the features can meet: then they are listed, or belong to the star of a calm vertex
 * or to a flat fan. */
static int check_features(const vo_rt_self_set *set, const features *f) {
    const int32_t *v = f->vertex;
    if (share_vertex(v, f->count_a, v + f->count_a, 4 - f->count_a)) return 0;
    if (boxes_are_apart(set, f) || !can_meet(set, f)) return 0;
    if (!is_listed(set, f) && !is_in_calm_star(set, f) && !is_in_flat_fan(set, f))
        fail_msg("features %d %d %d %d (%d) can meet and are not listed", v[0], v[1], v[2], v[3],
                 f->count_a);
    return 1;
}

static int check_faces(const vo_rt_self_set *set, int i, int j) {
    const int32_t *p = set->face[i].vertex, *q = set->face[j].vertex;
    int count = 0;
    for (int k = 0; k < 3; k++) {
        count += check_features(set, &(features){{p[k], q[0], q[1], q[2]}, 1});
        count += check_features(set, &(features){{q[k], p[0], p[1], p[2]}, 1});
        for (int n = 0; n < 3; n++)
            count +=
                check_features(set, &(features){{p[k], p[(k + 1) % 3], q[n], q[(n + 1) % 3]}, 2});
    }
    return count;
}

/* Boxes of the paths of faces, from those of their vertices. */
static bool paths_overlap(const vo_rt_self_set *set, int i, int j) {
    for (int axis = 0; axis < 3; axis++) {
        float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int k = 0; k < 6; k++) {
            int v = set->face[k < 3 ? i : j].vertex[k % 3];
            low[k / 3] = f_min(low[k / 3], (&set->low[v].x)[axis]);
            high[k / 3] = f_max(high[k / 3], (&set->high[v].x)[axis]);
        }
        if (low[0] > high[1] || low[1] > high[0]) return false;
    }
    return true;
}

static void test_no_pair_is_missed(void **state) {
    (void)state;
    vo_random random = vo_random_seed(22);
    int count = 0;
    for (int round = 0; round < count_rounds(); round++) {
        rt_group t;
        rt_group_set_up(&t, &random, RT_FOLDED, 8);
        vo_rt_self_set *set = &t.set;
        for (int k = 0; k < 2; k++) /* from small motion to several edges */
            set->member[k].scale = (float)vo_random_real(&random, 0, 0.03);
        vo_rt_self_query query = {.use_avx2 = vo_simd_has_avx2() && round % 2};
        vo_rt_self_find(set, &query);
        assert_false(set->is_full);
        for (int i = 0; i < set->cloth_face_count; i++)
            for (int j = 0; j < i; j++)
                if (paths_overlap(set, i, j)) count += check_faces(set, i, j);
        rt_group_tear_down(&t);
    }
    print_message("%d pairs can meet\n", count);
    assert_true(count > 1000);
}

/* --- Flat patches ----------------------------------------------------------------------------- */

/* Shapes of a sheet of 1 m: waves, stretched around a vertex of its boundary beyond a turn, rolled
 * up, flat with noise. */
typedef enum shape { WAVES, RAMP, ROLL, NOISE, SHAPES } shape;

static vo_rt_vec3 bend_sheet(shape kind, vo_rt_vec3 x, const float size[3]) {
    float r = sqrtf(x.x * x.x + x.z * x.z), angle = atan2f(x.z, x.x);
    angle *= (angle > 0) == (size[1] > 0.5f) ? 1.7f : 1 + 2.8f * size[0];
    float turn = x.x * 30 * size[0], radius = 1 / (30 * size[0]);
    switch (kind) {
    case WAVES:
        return f3(x.x, 0.2f * size[0] * sinf(20 * size[1] * x.x + 9 * size[2] * x.z), x.z);
    case RAMP:
        return f3(r * cosf(angle), 0.001f * angle * size[2], r * sinf(angle));
    case ROLL:
        return f3(radius * sinf(turn), radius * (1 - cosf(turn)) + 0.05f * size[1] * x.z, x.z);
    default:
        return x;
    }
}

static void shape_mesh(vo_rt_mesh *mesh, vo_random *random, shape kind) {
    vo_rt_front *f = &mesh->front;
    float size[3], noise = (float)vo_random_real(random, 0, 0.01);
    for (int k = 0; k < 3; k++) size[k] = (float)vo_random_real(random, 0, 1);
    for (int i = 1; i < f->vertex_end; i++) {
        vo_rt_vec3 x = f3_add(f4_xyz(f->position[i]), f3(0.5f, 0, 0)); /* origin on the boundary */
        vo_rt_vec3 p = bend_sheet(kind, x, size);
        vo_rt_vec3 v = f3_scale(3, f3_sub(bend_sheet(kind, f3_add(x, f3(0.1f, 0, 0)), size), p));
        for (int k = 0; k < 3; k++) *(&p.x + k) += noise * (float)vo_random_real(random, -1, 1);
        for (int k = 0; k < 3; k++) *(&v.x + k) += (float)vo_random_real(random, -1, 1);
        f->position[i] = f4_make(p, f->position[i].w);
        f->velocity[i] = f4_make(f3_scale(size[2], v), 0);
    }
}

/* Features of two faces that share no vertex keep a distance on the predicted paths. */
static void check_faces_apart(const vo_rt_self_set *set, int a, int b, double s) {
    const int32_t *p = set->face[a].vertex, *q = set->face[b].vertex;
    point x[2][4];
    for (int k = 0; k < 4; k++) {
        x[0][k] = path_point(set, p[k % 3], s);
        x[1][k] = path_point(set, q[k % 3], s);
    }
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        if (!share_vertex(p + i, 1, q, 3)) least = fmin(least, point_triangle(x[0][i], x[1]));
        if (!share_vertex(q + i, 1, p, 3)) least = fmin(least, point_triangle(x[1][i], x[0]));
        for (int k = 0; k < 3; k++) {
            int32_t e[2] = {p[i], p[(i + 1) % 3]}, g[2] = {q[k], q[(k + 1) % 3]};
            if (!share_vertex(e, 2, g, 2))
                least = fmin(least, segment_segment(x[0][i], x[0][i + 1], x[1][k], x[1][k + 1]));
        }
    }
    if (!(least > 1e-6)) fail_msg("faces %d and %d of a flat fan meet at %g", a, b, s);
}

/* Faces of the cells of a flat fan do not meet on their paths. Returns the number of pairs. */
static int check_fan(const vo_rt_self_set *set, int fan) {
    int count = 0;
    for (int i = set->fan_begin[fan]; i < set->fan_begin[fan + 1]; i++)
        for (int j = set->fan_begin[fan]; j <= i; j++) {
            const vo_rt_self_cell *p = &set->cell[set->fan_cell[i]];
            const vo_rt_self_cell *q = &set->cell[set->fan_cell[j]];
            for (int a = p->begin; a < p->end; a++)
                for (int b = q->begin; b < q->end && (i != j || b < a); b++, count++)
                    for (int s = 0; s <= 4; s++) check_faces_apart(set, a, b, s / 4.0);
        }
    return count;
}

static bool test_fans_kernel(const vo_rt_self_set *set, bool use_avx2) {
    const vo_rt_self_kernels *kernels = vo_rt_self_select_kernels(use_avx2);
    for (int a = 0; a < set->cloth_face_count; a++)
        for (int b = 0; b < set->cloth_face_count; b++) {
            const int32_t *flat = set->cell[set->face_cell[a]].flat;
            int begin = b / VO_RT_SELF_CLUSTER * VO_RT_SELF_CLUSTER;
            bool is_common = kernels->find_fans(&set->lanes, flat, begin) >> (b - begin) & 1;
            if (is_common != share_vertex(flat, 3, set->cell[set->face_cell[b]].fan, 3))
                return false;
        }
    return true;
}

/* What is left out as flat cannot meet, whatever the shape; flat cloth is left out. */
static void test_flat_fans_do_not_collide(void **state) {
    (void)state;
    vo_random random = vo_random_seed(23);
    int flat[SHAPES] = {0}, fans[SHAPES] = {0}, pairs = 0;
    for (int round = 0; round < 16 * count_rounds(); round++) {
        rt_group t;
        shape kind = (shape)(round % SHAPES);
        rt_group_set_up(&t, &random, RT_FLAT, 1);
        shape_mesh(&t.mesh[0], &random, kind);
        t.set.member[0].scale = (float)vo_random_real(&random, 0, 0.05);
        vo_rt_self_query query = {.is_static = round % 5 == 4};
        t.set.member_count = 1;
        vo_rt_self_find(&t.set, &query);
        for (int i = 0; i < t.set.fan_count; i++) {
            fans[kind] += t.set.fan[i].is_refined;
            flat[kind] += t.set.fan[i].is_flat;
            if (t.set.fan[i].is_flat) pairs += check_fan(&t.set, i);
        }
        assert_true(test_fans_kernel(&t.set, false));
        if (vo_simd_has_avx2()) assert_true(test_fans_kernel(&t.set, true));
        rt_group_tear_down(&t);
    }
    print_message(
        "%d pairs of faces; flat of refined fans: waves %d of %d, ramps %d of %d, rolls %d "
        "of %d, noise %d of %d\n",
        pairs, flat[WAVES], fans[WAVES], flat[RAMP], fans[RAMP], flat[ROLL], fans[ROLL],
        flat[NOISE], fans[NOISE]);
    for (int k = 0; k < SHAPES; k++) assert_true(flat[k] > 0 && (k == NOISE || flat[k] < fans[k]));
    assert_true(flat[NOISE] > fans[NOISE] / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_colours_decide_adjacency),
        cmocka_unit_test(test_no_pair_is_missed),
        cmocka_unit_test(test_flat_fans_do_not_collide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

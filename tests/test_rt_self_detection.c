/* Detection of self-collisions against exhaustive references: colours of neighbours, overlaps of
 * faces, and pairs of features that can meet on their predicted paths. */
#include "rt_self_fixture.h"

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
        rt_group_set_up(&t, &random, 8);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_colours_decide_adjacency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

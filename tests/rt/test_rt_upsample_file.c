/* Detail meshes in .vrt files: round trip, damage at every byte, damage behind correct checksums;
 * definitions that are rejected; exhausted memory. */
#include "rt_asset_cases.h"
#include "rt_fixture.h"

#include "core/random.h"
#include "rt/detail/operator.h"

static test_memory memory;

/* A detail mesh of 9 nodes for a sheet of 2 x 2 vertices, with an operator of each form. */
enum { NODES = 9, VERTICES = 10, TRIANGLES = 8, BASE = 4 };
typedef struct small_detail {
    vo_rt_detail_def def;
    vo_rt_operator_def op[3];
    vo_rt_vec3 position[NODES];
    vo_rt_vec2 uv[VERTICES];
    int32_t node[VERTICES], triangle[3 * TRIANGLES];
    int32_t first[NODES + 1], column[4 * NODES];
    float weight[4 * NODES], attachment[NODES];
    uint16_t bones[4 * NODES];
    float bone_weight[4 * NODES];
    float residual[NODES * 2 * BASE], left[2 * NODES], right[2 * BASE];
    int32_t row_first[NODES + 1], row_column[2 * NODES];
    float row_weight[2 * NODES];
    float rate[2], sine[2 * NODES], cosine[2 * NODES];
} small_detail;

static void add_node(small_detail *d, int i) {
    float u = 0.5f * (float)(i % 3), v = 0.5f * (float)(i / 3);
    const float weight[4] = {(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v};
    d->position[i] = f3(0.1f * u, 0.1f * v, 0.001f * (float)i);
    d->first[i + 1] = 4 * (i + 1);
    d->row_first[i + 1] = 2 * (i + 1);
    for (int k = 0; k < 4; k++) {
        d->column[4 * i + k] = k;
        d->weight[4 * i + k] = weight[k];
        d->bone_weight[4 * i + k] = 0.25f;
        d->residual[8 * i + k] = 0.01f * (float)(k % 2 ? i : -i);
        d->residual[8 * i + 4 + k] = 0.01f * (float)(k < 2 ? 1 : -1);
    }
    for (int k = 0; k < 2; k++) {
        d->row_column[2 * i + k] = k;
        d->row_weight[2 * i + k] = k ? 0.1f : -0.1f;
        d->left[2 * i + k] = 0.3f * (float)(i - 4);
        d->sine[NODES * k + i] = 0.01f;
        d->cosine[NODES * k + i] = 0.02f;
    }
    d->attachment[i] = i < 3 ? 1 : 0;
}

static small_detail *make_detail(void) {
    small_detail *d = calloc(1, sizeof *d);
    assert_non_null(d);
    for (int i = 0; i < NODES; i++) add_node(d, i);
    for (int i = 0; i < VERTICES; i++) d->node[i] = i < NODES ? i : 4;
    for (int c = 0; c < 4; c++) {
        int a = c / 2 * 3 + c % 2;
        const int32_t t[6] = {a, a + 1, a + 3, a + 1, a + 4, a + 3};
        memcpy(d->triangle + 6 * c, t, sizeof t);
    }
    for (int k = 0; k < 8; k++) d->right[k] = k % 2 ? 1.5f : -1.5f;
    d->rate[0] = 3, d->rate[1] = 5;
    for (int k = 0; k < 3; k++) d->op[k] = vo_rt_operator_def_default();
    d->op[0].residual = d->residual;
    d->op[0].history = 1;
    d->op[0].mode_count = 2;
    d->op[0].mode_rate = d->rate;
    d->op[0].mode_sine = d->sine;
    d->op[0].mode_cosine = d->cosine;
    d->op[1].form = VO_RT_OPERATOR_LOW_RANK;
    d->op[1].rank = 2;
    d->op[1].left = d->left;
    d->op[1].right = d->right;
    d->op[2].form = VO_RT_OPERATOR_SPARSE;
    d->op[2].row_first = d->row_first;
    d->op[2].columns = d->row_column;
    d->op[2].weights = d->row_weight;
    d->def = vo_rt_detail_def_default();
    d->def.node_count = NODES;
    d->def.positions = d->position;
    d->def.vertex_count = VERTICES;
    d->def.nodes = d->node;
    d->def.uv = d->uv;
    d->def.triangle_count = TRIANGLES;
    d->def.triangles = d->triangle;
    d->def.base_first = d->first;
    d->def.base_columns = d->column;
    d->def.base_weights = d->weight;
    d->def.attachment = d->attachment;
    d->def.skin_bones = d->bones;
    d->def.skin_weights = d->bone_weight;
    d->def.operator_count = 3;
    d->def.operators = d->op;
    return d;
}

static vo_rt_asset *make_base(bool skinned) {
    rt_test_mesh *mesh = rt_test_sheet(1, 1);
    mesh->def.max_level = 1;
    if (skinned) rt_test_add_options(mesh);
    vo_rt_asset *asset = rt_test_create(&memory, &mesh->def);
    free(mesh);
    return asset;
}

static vo_rt_asset *make_asset(bool skinned) {
    vo_rt_asset *base = make_base(skinned), *asset;
    small_detail *d = make_detail();
    vo_allocator allocator = rt_test_allocator(&memory);
    vo_rt_message message = {{0}};
    if (vo_rt_asset_add_detail(&allocator, base, &d->def, &asset, &message) != VO_OK)
        fail_msg("%s", message.text);
    vo_rt_asset_destroy(base);
    free(d);
    return asset;
}

/* Copies the file of an asset; the caller frees it. */
static uint8_t *make_file(bool skinned, size_t *bytes) {
    vo_rt_asset *asset = make_asset(skinned);
    const void *data = vo_rt_asset_get_data(asset, bytes);
    uint8_t *copy = malloc(*bytes);
    memcpy(copy, data, *bytes);
    vo_rt_asset_destroy(asset);
    assert_int_equal(memory.live, 0);
    return copy;
}

/* Steps a cloth of an accepted asset and reads its detail mesh. */
static void use_asset(const vo_rt_asset *asset) {
    vo_rt_world_def def = vo_rt_world_def_default();
    def.allocator = rt_allocator(NULL);
    def.pool_bytes = (size_t)1 << 20;
    vo_rt_world *w = rt_world(&def);
    vo_rt_cloth *c = rt_cloth(w, asset, 0, 0, 0);
    rt_sphere(w, 0.05f, 0, 0, 0);
    rt_run(w, 2);
    if (asset->detail.node_count > 0) {
        size_t count = (size_t)vo_rt_asset_get_info(asset).detail_vertex_count;
        float *x = malloc(12 * count), *n = malloc(12 * count), *t = malloc(16 * count);
        const vo_rt_output output = {.positions = x, .normals = n, .tangents = t};
        assert_rt_ok(w, vo_rt_cloth_detail(c, &output));
        free(x), free(n), free(t);
    }
    vo_rt_world_destroy(w);
}

/* Loads data from a block of exactly its size. */
static vo_result load(const uint8_t *data, size_t bytes, bool uses) {
    vo_allocator allocator = rt_test_allocator(&memory);
    vo_rt_asset *asset;
    vo_rt_message message = {{0}};
    uint8_t *exact = malloc(bytes ? bytes : 1);
    memcpy(exact, data, bytes);
    vo_result result = vo_rt_asset_load(&allocator, exact, bytes, &asset, &message);
    free(exact);
    if (result == VO_OK) {
        assert_int_equal(vo_rt_check_content(asset, &message), VO_OK);
        if (uses) use_asset(asset);
    } else {
        assert_int_equal(result, VO_BAD_DATA);
        assert_true(message.text[0] != 0);
        assert_null(asset);
    }
    vo_rt_asset_destroy(asset);
    assert_int_equal(memory.live, 0);
    return result;
}

static int reset(void **state) {
    (void)state;
    memory = (test_memory){.fail_at = -1};
    return 0;
}

static void loaded_detail_equals_the_created_one(void **state) {
    (void)state;
    for (int skinned = 0; skinned < 2; skinned++) {
        vo_rt_asset *a = make_asset(skinned), *b;
        vo_allocator allocator = rt_test_allocator(&memory);
        size_t bytes, copied;
        const void *data = vo_rt_asset_get_data(a, &bytes);
        assert_int_equal(vo_rt_asset_load(&allocator, data, bytes, &b, NULL), VO_OK);
        assert_memory_equal(vo_rt_asset_get_data(b, &copied), data, bytes);
        vo_rt_asset_info info = vo_rt_asset_get_info(b);
        assert_int_equal(info.detail_vertex_count, VERTICES);
        assert_int_equal(info.detail_triangle_count, TRIANGLES);
        assert_int_equal(info.detail_operator_count, 3);
        assert_true(info.detail_bytes > 0 && info.detail_bytes < bytes);
        assert_memory_equal(a->detail.number, b->detail.number,
                            a->detail.number_count * sizeof(float));
        use_asset(b);
        vo_rt_asset_destroy(a);
        vo_rt_asset_destroy(b);
    }
}

/* Adding a detail mesh replaces the one of the asset; the rest of the file is the same. */
static void detail_may_be_replaced(void **state) {
    (void)state;
    vo_rt_asset *base = make_base(true), *one = make_asset(true), *two;
    small_detail *d = make_detail();
    vo_allocator allocator = rt_test_allocator(&memory);
    assert_int_equal(vo_rt_asset_add_detail(&allocator, one, &d->def, &two, NULL), VO_OK);
    size_t a, b;
    const void *x = vo_rt_asset_get_data(one, &a), *y = vo_rt_asset_get_data(two, &b);
    assert_int_equal(a, b);
    assert_memory_equal(x, y, a);
    assert_int_equal(two->edge_count, base->edge_count);
    assert_memory_equal(two->edge, base->edge, (size_t)base->edge_count * sizeof *base->edge);
    assert_true(two->mass == base->mass);
    vo_rt_asset_destroy(base);
    vo_rt_asset_destroy(one);
    vo_rt_asset_destroy(two);
    free(d);
}

static void truncation_and_flipped_bits_are_detected(void **state) {
    (void)state;
    size_t bytes;
    uint8_t *data = make_file(true, &bytes);
    for (size_t n = 0; n < bytes; n++) assert_int_equal(load(data, n, false), VO_BAD_DATA);
    for (size_t i = 0; i < bytes; i++) {
        data[i] ^= (uint8_t)(1 << i % 8);
        assert_int_equal(load(data, bytes, false), VO_BAD_DATA);
        data[i] ^= (uint8_t)(1 << i % 8);
    }
    assert_int_equal(load(data, bytes, true), VO_OK);
    free(data);
}

/* Damage of the detail sections that the checksums match: rejected, or assets that can be used. */
static void damage_behind_correct_checksums_is_harmless(void **state) {
    (void)state;
    static const uint32_t words[] = {0,          1,          0xffffffffu, 0x7fffffffu, 0x80000000u,
                                     0x7fc00000, 0x7f800000, 0x3f800000,  65536,       0x7f7fffff,
                                     2,          32,         64,          0x447a0000};
    size_t bytes;
    uint8_t *file = make_file(true, &bytes), *data = malloc(bytes);
    uint64_t begin; /* of the detail sections */
    memcpy(&begin,
           file + VO_RT_HEADER_BYTES + VO_RT_SECTION_DETAIL_FIRST * VO_RT_ENTRY_BYTES +
               VO_RT_ENTRY_OFFSET,
           8);
    size_t table = VO_RT_HEADER_BYTES + VO_RT_SECTION_DETAIL_FIRST * VO_RT_ENTRY_BYTES;
    size_t table_end = VO_RT_HEADER_BYTES + VO_RT_SECTION_COUNT * VO_RT_ENTRY_BYTES;
    vo_random random = vo_random_seed(41);
    int accepted = 0, runs = 6000;
    for (int run = 0; run < runs; run++) {
        memcpy(data, file, bytes);
        bool in_table = run % 6 == 0;
        size_t low = in_table ? table : (size_t)begin, high = in_table ? table_end : bytes;
        for (int n = 1 + vo_random_int(&random, 3); n > 0; n--) {
            size_t at = low + (size_t)vo_random_int(&random, (int)(high - low));
            if (run % 3 == 0)
                data[at] ^= (uint8_t)(1 << vo_random_int(&random, 8));
            else
                memcpy(data + at / 4 * 4, &words[vo_random_int(&random, 14)], 4);
        }
        vo_rt_block_seal(data, bytes);
        accepted += load(data, bytes, run % 8 == 1) == VO_OK;
    }
    assert_true(accepted > runs / 20 && accepted < runs * 19 / 20);
    free(file);
    free(data);
}

/* --- Definitions --------------------------------------------------------------------------------
 */

static vo_rt_asset *rejecting;

static void expect(const small_detail *d, const char *part) {
    vo_allocator allocator = rt_test_allocator(&memory);
    vo_rt_asset *out;
    vo_rt_message message = {{0}};
    assert_int_equal(vo_rt_asset_add_detail(&allocator, rejecting, &d->def, &out, &message),
                     VO_BAD_ARGUMENT);
    assert_null(out);
    if (!strstr(message.text, part)) fail_msg("expected \"%s\" in \"%s\"", part, message.text);
}

#define REJECT(change, part)             \
    do {                                 \
        small_detail *d = make_detail(); \
        change;                          \
        expect(d, part);                 \
        free(d);                         \
    } while (0)

static void invalid_meshes_are_rejected(void **state) {
    (void)state;
    rejecting = make_base(true);
    REJECT(d->def.node_count = 2, "node_count is 2");
    REJECT(d->def.vertex_count = 8, "vertex_count is 8");
    REJECT(d->def.triangle_count = 0, "triangle_count is 0");
    REJECT(d->def.positions = NULL, "positions is NULL");
    REJECT(d->position[3].y = NAN, "positions[3]");
    REJECT(d->node[9] = 9, "nodes[9] is 9");
    REJECT(d->triangle[5] = -1, "triangles[5] is -1");
    REJECT(d->uv[1].y = INFINITY, "uv[3]");
    REJECT(d->first[2] = 3, "base_first[2] is 3");
    REJECT(d->first[0] = 1, "base_first[0] is 1");
    REJECT(d->column[7] = 4, "base_columns[7] is 4");
    REJECT(d->weight[0] = 0.5f, "base_weights: row 0 sums to 0.5");
    REJECT(d->attachment[2] = 1.5f, "attachment[2] is 1.5");
    REJECT(d->def.blend_distance = -1, "blend_distance");
    REJECT(d->bones[5] = 2, "skin_bones[5] is 2");
    REJECT(d->bone_weight[4] = 0.5f, "skin_weights: those of node 1 sum to 1.25");
    REJECT(d->def.operator_count = 9, "operator_count is 9");
    REJECT(d->def.operators = NULL, "operators is NULL");
    vo_rt_asset_destroy(rejecting);
    assert_int_equal(memory.live, 0);
}

static void invalid_operators_are_rejected(void **state) {
    (void)state;
    rejecting = make_base(false);
    REJECT(d->op[1].history = 5, "operators[1].history is 5");
    REJECT(d->op[0].history_s = 0, "operators[0].history_s");
    REJECT((d->op[1].history = 1, d->op[1].history_s = 0.1f), "operators[1].history_s is 0.1");
    REJECT(d->op[0].residual = NULL, "operators[0].residual is NULL");
    REJECT(d->residual[12] = NAN, "operators[0].residual[12]");
    REJECT(d->residual[12] = 3, "operators[0].residual: row 1 sums to");
    REJECT(d->op[1].rank = 0, "operators[1].rank is 0");
    REJECT(d->op[1].left = NULL, "operators[1].left is NULL");
    REJECT(d->right[1] = 2, "operators[1].right: row 0 sums to");
    REJECT(d->row_first[4] = 1, "operators[2].row_first[4] is 1");
    REJECT(d->row_column[3] = 4, "operators[2].columns[3] is 4");
    REJECT(d->row_weight[3] = INFINITY, "operators[2].weights[3]");
    REJECT(d->row_weight[3] += 0.5f, "operators[2].weights: row ");
    REJECT(d->op[0].mode_count = 17, "operators[0].mode_count is 17");
    REJECT(d->op[0].mode_sine = NULL, "operators[0].mode_sine is NULL");
    REJECT(d->rate[1] = 0, "operators[0].mode_rate[1] is 0");
    REJECT(d->cosine[1] = NAN, "operators[0].mode_cosine[1]");
    REJECT(d->op[2].mode_wind = -1, "operators[2].mode_wind");
    REJECT(d->op[2].motion.wind = NAN, "operators[2].motion[2]");
    REJECT(d->op[2].form = (vo_rt_operator_form)3, "operators[2].form is 3");
    vo_rt_asset_destroy(rejecting);
    assert_int_equal(memory.live, 0);
}

/* The n-th allocation fails. */
static void exhausted_memory_is_reported(void **state) {
    (void)state;
    vo_rt_asset *base = make_base(true), *out = NULL;
    small_detail *d = make_detail();
    vo_allocator allocator = rt_test_allocator(&memory);
    long live = memory.live;
    int failures = 0;
    for (long n = 0; !out; n++) {
        memory.fail_at = memory.calls + n;
        vo_result result = vo_rt_asset_add_detail(&allocator, base, &d->def, &out, NULL);
        memory.fail_at = -1;
        if (result == VO_OK) break;
        assert_int_equal(result, VO_NO_MEMORY);
        assert_int_equal(memory.live, live);
        failures++;
    }
    assert_true(failures >= 8);
    vo_rt_asset_destroy(out);
    vo_rt_asset_destroy(base);
    free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(loaded_detail_equals_the_created_one, reset),
        cmocka_unit_test_setup(detail_may_be_replaced, reset),
        cmocka_unit_test_setup(truncation_and_flipped_bits_are_detected, reset),
        cmocka_unit_test_setup(damage_behind_correct_checksums_is_harmless, reset),
        cmocka_unit_test_setup(invalid_meshes_are_rejected, reset),
        cmocka_unit_test_setup(invalid_operators_are_rejected, reset),
        cmocka_unit_test_setup(exhausted_memory_is_reported, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

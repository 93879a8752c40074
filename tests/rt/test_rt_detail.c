/* Output on the stable topology: bindings, blending, normals, tangents, strides. */
#include "rt_asset_cases.h"

#include "rt/detail/output.h"

enum { LIST = 4096 };

static test_memory memory;

/* A cloth without a world. */
typedef struct fixture {
    vo_allocator allocator;
    vo_rt_heap heap;
    vo_rt_asset *asset;
    vo_rt_mesh mesh;
    vo_rt_detail detail;
} fixture;

static fixture *start(rt_test_mesh *mesh) {
    memory = (test_memory){.fail_at = -1};
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->allocator = rt_test_allocator(&memory);
    f->asset = rt_test_create(&memory, &mesh->def);
    free(mesh);
    assert_true(vo_rt_heap_init(&f->heap, &f->allocator, 8 << 20));
    assert_true(vo_rt_mesh_init(&f->mesh, f->asset, &f->heap));
    assert_true(vo_rt_detail_init(&f->detail, &f->allocator, f->asset));
    vo_rt_detail_rebind(&f->detail, &f->mesh);
    return f;
}

static void stop(fixture *f) {
    vo_rt_detail_free(&f->detail, &f->allocator, f->asset);
    vo_rt_mesh_free(&f->mesh, &f->heap);
    vo_rt_heap_free(&f->heap);
    vo_rt_asset_destroy(f->asset);
    free(f);
    assert_int_equal(memory.live, 0);
}

typedef struct demand {
    vo_random random;
    double split, join; /* probabilities */
} demand;

static vo_rt_demand decide(void *user, const vo_rt_mesh *mesh, int edge, bool is_split) {
    (void)mesh, (void)edge;
    demand *d = user;
    double x = vo_random_real(&d->random, 0, 1);
    if (is_split) return x < d->join ? VO_RT_JOIN : VO_RT_KEEP;
    return x < d->split ? VO_RT_SPLIT : VO_RT_KEEP;
}

static void ignore_vertex(void *user, vo_rt_mesh *mesh, int vertex, int edge) {
    (void)user, (void)mesh, (void)vertex, (void)edge;
}

/* One major step with random splits and joins; `rebinds`: and the bindings of its edits. */
static void adapt_and(fixture *f, double split, double join, uint64_t seed, bool rebinds) {
    int32_t *split_list = malloc(LIST * sizeof(int32_t)),
            *join_list = malloc(LIST * sizeof(int32_t));
    vo_rt_edits edits = {.split = split_list, .join = join_list, .capacity = LIST};
    demand d = {vo_random_seed(seed), split, join};
    vo_rt_mesh_collect(&f->mesh, decide, &d, &edits);
    vo_rt_mesh_reserve(&f->mesh, &f->heap, &edits);
    vo_rt_mesh_apply(&f->mesh, &edits, 0, ignore_vertex, ignore_vertex, NULL);
    if (rebinds) vo_rt_detail_rebind_edits(&f->detail, &f->mesh, &edits);
    free(split_list);
    free(join_list);
}

static void adapt(fixture *f, double split, double join, uint64_t seed) {
    adapt_and(f, split, join, seed, false);
}

/* Places leaf vertices on a paraboloid over their rest position, with its normals. */
static vo_rt_vec3 bend(vo_rt_vec3 p) { return f3(p.x, p.y, 2 * p.x * p.x - p.y * p.y); }
static void deform(fixture *f, const vo_rt_vec3 *rest) {
    for (int s = 1; s < f->mesh.front.vertex_end; s++) {
        f->mesh.front.position[s] = f4_make(bend(rest[s]), f->mesh.front.position[s].w);
        f->mesh.front.normal[s] = f4_make(f3_normalize(f3(-4 * rest[s].x, 2 * rest[s].y, 1)), 0);
    }
}

static void copy_rest(const fixture *f, vo_rt_vec3 *rest) {
    for (int s = 1; s < f->mesh.front.vertex_end; s++) rest[s] = f4_xyz(f->mesh.front.position[s]);
}

/* --- Bindings ------------------------------------------------------------------------------- */

/* On a flat cloth the output is the refined sheet, whatever the front. */
static void flat_output_does_not_depend_on_the_front(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(4, 4);
    mesh->def.max_level = 3;
    fixture *f = start(mesh);
    for (int step = 0; step < 20; step++) {
        vo_rt_detail_publish(&f->detail, &f->mesh, 1, 1.0f / 60);
        for (int i = 0; i < f->asset->render_vertex_count; i++) {
            assert_near(f->detail.current[i].x, f->asset->render_uv[i].x, 1e-6);
            assert_near(f->detail.current[i].y, f->asset->render_uv[i].y, 1e-6);
        }
        adapt(f, 0.4, step < 10 ? 0.1 : 0.8, (uint64_t)step);
        vo_rt_detail_rebind(&f->detail, &f->mesh);
    }
    stop(f);
}

/* Incremental bindings equal those that are located from scratch. */
static void bindings_match_a_full_search(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(5, 3);
    mesh->def.max_level = 3;
    fixture *f = start(mesh);
    for (int step = 0; step < 90; step++) {
        bool by_edits = step % 3 > 0; /* the others search all base triangles */
        adapt_and(f, step % 20 < 10 ? 0.2 : 0.02, step % 20 < 10 ? 0.02 : 0.4, 100 + (uint64_t)step,
                  by_edits);
        if (!by_edits) vo_rt_detail_rebind(&f->detail, &f->mesh);
        for (int i = 0; i < f->asset->render_vertex_count; i++) {
            const vo_rt_render_vertex *r = &f->asset->render_vertex[i];
            vo_rt_binding expected;
            vo_rt_mesh_locate(&f->mesh, r->triangle, r->weight, expected.slot, expected.weight);
            assert_memory_equal(&expected, &f->detail.binding[i], sizeof expected);
        }
    }
    stop(f);
}

/* A fully refined front has a leaf vertex at every output vertex. */
static void refined_front_gives_its_vertices(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(2, 2);
    fixture *f = start(mesh);
    for (int step = 0; step < 8; step++) adapt(f, 1, 0, 1);
    vo_rt_detail_rebind(&f->detail, &f->mesh);
    assert_int_equal(f->mesh.front.vertex_count, f->asset->render_vertex_count);
    vo_rt_vec3 rest[LIST];
    copy_rest(f, rest);
    deform(f, rest);
    vo_rt_detail_publish(&f->detail, &f->mesh, 1, 0);
    for (int i = 0; i < f->asset->render_vertex_count; i++) {
        vo_rt_vec2 uv = f->asset->render_uv[i];
        assert_near(f3_distance(f->detail.current[i], bend(f3(uv.x, uv.y, 0))), 0, 1e-5);
    }
    stop(f);
}

/* Render vertices keep their distance along the normal. */
static void offsets_follow_the_normal(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(3, 3);
    rt_test_add_options(mesh);
    fixture *f = start(mesh);
    for (int s = 1; s < f->mesh.front.vertex_end; s++) { /* stands on its side */
        vo_rt_vec4 p = f->mesh.front.position[s];
        f->mesh.front.position[s] = (vo_rt_vec4){.x = 0, .y = p.x, .z = p.y, .w = p.w};
        f->mesh.front.normal[s] = f4_make(f3(1, 0, 0), 0);
    }
    vo_rt_detail_publish(&f->detail, &f->mesh, 1, 0);
    for (int i = 0; i < f->asset->render_vertex_count; i++)
        assert_near(f->detail.current[i].x, 0.01, 1e-6);
    stop(f);
}

/* --- Time ----------------------------------------------------------------------------------- */

static void positions_are_interpolated(void **state) {
    (void)state;
    fixture *f = start(rt_test_sheet(1, 1));
    for (int s = 1; s < f->mesh.front.vertex_end; s++) f->mesh.front.position[s].z = 4;
    vo_rt_detail_publish(&f->detail, &f->mesh, 0.25f, 0.01f);
    assert_near(f->detail.current[0].z, 1, 1e-6);
    assert_near(f->detail.previous[0].z, 1, 1e-6); /* first publication */
    vo_rt_detail_publish(&f->detail, &f->mesh, 1, 0.01f);
    assert_near(f->detail.current[0].z, 4, 1e-6);
    assert_near(f->detail.previous[0].z, 1, 1e-6);
    vo_rt_detail_publish(&f->detail, &f->mesh, NAN, NAN);
    assert_near(f->detail.current[0].z, 4, 1e-6);
    vo_rt_detail_shift(&f->detail, f->asset, f3(0, 0, 1));
    assert_near(f->detail.current[0].z, 3, 1e-6);
    assert_near(f->detail.previous[0].z, 3, 1e-6);
    stop(f);
}

/* Joining edges of a bent cloth moves nothing at once; the change decays over 6 frames. */
static void changes_of_the_front_are_blended(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(3, 3);
    fixture *f = start(mesh);
    for (int step = 0; step < 8; step++) adapt(f, 1, 0, 1);
    vo_rt_detail_rebind(&f->detail, &f->mesh);
    vo_rt_vec3 rest[LIST], before[LIST];
    copy_rest(f, rest);
    deform(f, rest);
    memcpy(f->mesh.front.shown, f->mesh.front.position,
           (size_t)f->mesh.front.vertex_end * sizeof *f->mesh.front.shown);
    vo_rt_detail_publish(&f->detail, &f->mesh, 0.5f, 0);
    int count = f->asset->render_vertex_count;
    memcpy(before, f->detail.current, (size_t)count * sizeof *before);
    for (int step = 0; step < 8; step++) adapt(f, 0, 1, 1);
    assert_int_equal(f->mesh.front.vertex_count, f->asset->vertex_count);
    vo_rt_detail_rebind(&f->detail, &f->mesh);
    vo_rt_detail_publish(&f->detail, &f->mesh, 0.5f, 0);
    double largest = 0;
    for (int i = 0; i < count; i++) {
        assert_near(f3_distance(f->detail.current[i], before[i]), 0, 1e-6);
        largest = fmax(largest, f3_length(f->detail.blend[i]));
    }
    assert_true(largest > 1e-3);
    for (int frame = 0; frame < 6; frame++)
        vo_rt_detail_publish(&f->detail, &f->mesh, 0.5f, 1.0f / 60);
    double left = 0;
    for (int i = 0; i < count; i++) left = fmax(left, f3_length(f->detail.blend[i]));
    assert_near(left / largest, exp(-3), 1e-3);
    for (int frame = 0; frame < 60; frame++)
        vo_rt_detail_publish(&f->detail, &f->mesh, 0.5f, 1.0f / 60);
    for (int i = 0; i < count; i++) assert_true(f3_length2(f->detail.blend[i]) == 0);
    stop(f);
}

/* One step of 0.1 s leaves as much as six of 1/60 s. */
static void blending_is_independent_of_the_frame_rate(void **state) {
    (void)state;
    float left[2];
    for (int k = 0; k < 2; k++) {
        fixture *f = start(rt_test_sheet(1, 1));
        vo_rt_detail_publish(&f->detail, &f->mesh, 1, 0);
        f->detail.blend[0] = f3(1, 0, 0);
        f->detail.has_blend = true;
        for (int i = 0; i < (k ? 6 : 1); i++)
            vo_rt_detail_publish(&f->detail, &f->mesh, 1, k ? 1.0f / 60 : 0.1f);
        left[k] = f->detail.current[0].x;
        stop(f);
    }
    assert_near(left[0], left[1], 1e-5);
    assert_near(left[0], exp(-3), 1e-5);
}

static void reset_discards_blend_and_motion(void **state) {
    (void)state;
    fixture *f = start(rt_test_sheet(1, 1));
    vo_rt_detail_publish(&f->detail, &f->mesh, 1, 0);
    f->detail.blend[2] = f3(1, 2, 3);
    f->detail.has_blend = true;
    for (int s = 1; s < f->mesh.front.vertex_end; s++) f->mesh.front.position[s].x += 10;
    vo_rt_detail_reset(&f->detail);
    vo_rt_detail_publish(&f->detail, &f->mesh, 1, 0.01f);
    for (int i = 0; i < f->asset->render_vertex_count; i++)
        assert_near(f3_distance(f->detail.current[i], f->detail.previous[i]), 0, 0);
    assert_true(f->detail.current[2].x >= 10 && f->detail.current[2].x < 10.5f);
    stop(f);
}

static void snapshot_restores_output(void **state) {
    (void)state;
    fixture *f = start(rt_test_sheet(2, 2));
    vo_rt_detail_publish(&f->detail, &f->mesh, 0.5f, 0);
    f->detail.blend[3] = f3(0.5f, 0, 0);
    f->detail.has_blend = true;
    vo_rt_detail_publish(&f->detail, &f->mesh, 0.5f, 0.01f);
    size_t bytes = vo_rt_detail_save(&f->detail, f->asset, NULL);
    char *data = malloc(bytes);
    assert_int_equal(vo_rt_detail_save(&f->detail, f->asset, data), bytes);
    vo_rt_detail_publish(&f->detail, &f->mesh, 0.5f, 0.01f);
    vo_rt_vec3 expected = f->detail.current[3];
    vo_rt_detail_reset(&f->detail);
    assert_false(vo_rt_detail_restore(&f->detail, &f->mesh, data, bytes - 1));
    assert_true(vo_rt_detail_restore(&f->detail, &f->mesh, data, bytes));
    vo_rt_detail_publish(&f->detail, &f->mesh, 0.5f, 0.01f);
    assert_memory_equal(&expected, &f->detail.current[3], sizeof expected);
    free(data);
    stop(f);
}

/* --- Buffers -------------------------------------------------------------------------------- */

/* Interleaved buffers: position, normal, tangent and one value of the host's. */
typedef struct host_vertex {
    float position[3], normal[3], tangent[4], previous[3];
    uint32_t own;
} host_vertex;

static void buffers_have_strides(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(4, 4);
    mesh->def.max_level = 3;
    fixture *f = start(mesh);
    for (int step = 0; step < 8; step++) adapt(f, 1, 0, 1);
    vo_rt_detail_rebind(&f->detail, &f->mesh);
    vo_rt_vec3 rest[LIST];
    copy_rest(f, rest);
    deform(f, rest);
    vo_rt_detail_publish(&f->detail, &f->mesh, 1, 0);
    int count = f->asset->render_vertex_count;
    host_vertex *buffer = malloc((size_t)count * sizeof *buffer);
    memset(buffer, 0x5a, (size_t)count * sizeof *buffer);
    vo_rt_output output = {buffer->position, sizeof *buffer, buffer->normal,   sizeof *buffer,
                           buffer->tangent,  sizeof *buffer, buffer->previous, sizeof *buffer};
    vo_rt_detail_write(&f->detail, &f->mesh, &output);
    for (int i = 0; i < count; i++) {
        const host_vertex *v = &buffer[i];
        vo_rt_vec2 uv = f->asset->render_uv[i];
        vo_rt_vec3 n = f3(v->normal[0], v->normal[1], v->normal[2]);
        vo_rt_vec3 t = f3(v->tangent[0], v->tangent[1], v->tangent[2]);
        assert_memory_equal(v->position, &f->detail.current[i], 12);
        assert_memory_equal(v->previous, &f->detail.previous[i], 12);
        assert_int_equal(v->own, 0x5a5a5a5a);
        assert_near(f3_dot(n, f3_normalize(f3(-4 * uv.x, 2 * uv.y, 1))), 1, 1e-5);
        assert_near(f3_length(t), 1, 1e-5);
        assert_near(f3_dot(t, n), 0, 1e-5);
        assert_true(f3_dot(t, f3_normalize(f3(1, 0, 4 * uv.x))) > 0.99f); /* along u */
        assert_true(v->tangent[3] == 1);
    }
    free(buffer);
    stop(f);
}

/* Mirrored texture coordinates give the other handedness and direction. */
static void tangents_have_handedness(void **state) {
    (void)state;
    rt_test_mesh *mesh = rt_test_sheet(1, 1);
    for (int i = 0; i < 6; i++) mesh->coordinates[i].x *= -1;
    mesh->def.max_level = 0;
    fixture *f = start(mesh);
    for (int s = 1; s < f->mesh.front.vertex_end; s++)
        f->mesh.front.normal[s] = f4_make(f3(0, 0, 1), 0);
    vo_rt_detail_publish(&f->detail, &f->mesh, 1, 0);
    float tangent[4][4], position[4][3];
    vo_rt_output output = {.tangents = tangent[0], .positions = position[0]}; /* packed */
    vo_rt_detail_write(&f->detail, &f->mesh, &output);
    for (int i = 0; i < 4; i++) {
        assert_near(tangent[i][0], -1, 1e-6);
        assert_true(tangent[i][3] == -1);
        assert_memory_equal(position[i], &f->detail.current[i], 12);
    }
    stop(f);
}

/* Collapsed cloth and missing normals still give unit vectors. */
static void degenerate_cloth_has_unit_vectors(void **state) {
    (void)state;
    fixture *f = start(rt_test_sheet(2, 2));
    vo_rt_vec4 *normal = f->mesh.front.normal;
    for (int s = 1; s < f->mesh.front.vertex_end; s++) {
        f->mesh.front.position[s] = f4_make(f3(1, 2, 3), 1);
        normal[s] = f4_make(s % 3 ? f3(0, 0, 0) : f3(NAN, 0, INFINITY), 0);
    }
    vo_rt_detail_publish(&f->detail, &f->mesh, 1, 0);
    int count = f->asset->render_vertex_count;
    float *buffer = malloc(7 * sizeof(float) * (size_t)count);
    vo_rt_output output = {.normals = buffer, .tangents = buffer + 3 * count};
    vo_rt_detail_write(&f->detail, &f->mesh, &output);
    for (int i = 0; i < count; i++) {
        const float *n = buffer + 3 * i, *t = buffer + 3 * count + 4 * i;
        assert_near(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1, 1e-5);
        assert_near(t[0] * t[0] + t[1] * t[1] + t[2] * t[2], 1, 1e-5);
    }
    free(buffer);
    stop(f);
}

static void exhausted_memory_is_reported(void **state) {
    (void)state;
    memory = (test_memory){.fail_at = -1};
    rt_test_mesh *mesh = rt_test_sheet(2, 2);
    vo_rt_asset *asset = rt_test_create(&memory, &mesh->def);
    free(mesh);
    vo_allocator allocator = rt_test_allocator(&memory);
    vo_rt_detail detail;
    memory.fail_at = memory.calls;
    assert_false(vo_rt_detail_init(&detail, &allocator, asset));
    vo_rt_detail_free(&detail, &allocator, asset);
    vo_rt_asset_destroy(asset);
    assert_int_equal(memory.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_output_does_not_depend_on_the_front),
        cmocka_unit_test(bindings_match_a_full_search),
        cmocka_unit_test(refined_front_gives_its_vertices),
        cmocka_unit_test(offsets_follow_the_normal),
        cmocka_unit_test(positions_are_interpolated),
        cmocka_unit_test(changes_of_the_front_are_blended),
        cmocka_unit_test(blending_is_independent_of_the_frame_rate),
        cmocka_unit_test(reset_discards_blend_and_motion),
        cmocka_unit_test(snapshot_restores_output),
        cmocka_unit_test(buffers_have_strides),
        cmocka_unit_test(tangents_have_handedness),
        cmocka_unit_test(degenerate_cloth_has_unit_vectors),
        cmocka_unit_test(exhausted_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

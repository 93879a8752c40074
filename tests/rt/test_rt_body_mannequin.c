/* The mannequin as a skinned body: queries in several poses against exhaustive search. */
#include "support.h"

#include "character/mannequin.h"
#include "rt_body_fixture.h"

typedef struct character {
    vo_context *ctx;
    vo_mannequin mannequin;
    rt_mesh mesh;
    uint16_t *bones;
    float *weights;
} character;

static vo_rt_vec3 to_float(vo_vec3 p) { return f3((float)p.x, (float)p.y, (float)p.z); }

static character create_character(int faces) {
    character c = {.ctx = test_context(1)};
    vo_mannequin_def def = vo_mannequin_def_default();
    def.faces = faces;
    assert_ok(c.ctx, vo_mannequin_create(c.ctx, &def, &c.mannequin));
    const vo_skin *skin = &c.mannequin.skin;
    size_t n = (size_t)skin->node_count;
    c.mesh = (rt_mesh){skin->node_count, c.mannequin.face_count, malloc(n * sizeof *c.mesh.x),
                       malloc((size_t)c.mannequin.face_count * 3 * sizeof *c.mesh.t)};
    c.bones = malloc(4 * n * sizeof *c.bones);
    c.weights = malloc(4 * n * sizeof *c.weights);
    for (size_t i = 0; i < n; i++) {
        c.mesh.x[i] = to_float(skin->rest[i]);
        for (int k = 0; k < 4; k++) {
            c.bones[4 * i + (size_t)k] = (uint16_t)skin->bone[i][k];
            c.weights[4 * i + (size_t)k] = (float)skin->weight[i][k];
        }
    }
    for (int i = 0; i < c.mannequin.face_count; i++)
        for (int k = 0; k < 3; k++) c.mesh.t[3 * i + k] = c.mannequin.face[i][k];
    return c;
}

static void free_character(character *c) {
    free(c->bones), free(c->weights);
    rt_mesh_free(&c->mesh);
    vo_mannequin_free(c->ctx, &c->mannequin);
    vo_context_destroy(c->ctx);
}

/* A step of a walk: arms and legs swing. */
static void pose_bones(const character *c, double phase, vo_rt_matrix bones[VO_BONE_COUNT]) {
    vo_body_pose pose = vo_body_pose_rest(&c->mannequin.skeleton);
    for (int b = 1; b < VO_BONE_COUNT; b++) {
        double angle = 0.15 * sin(phase + 1.7 * b);
        vo_quat turn = {cos(angle / 2), sin(angle / 2), 0, 0};
        pose.rotation[b] = q_mul(pose.rotation[b], turn);
    }
    pose.translation.y += 0.05 * phase;
    vo_transform motion[VO_BONE_COUNT];
    vo_skeleton_motion(&c->mannequin.skeleton, &pose, motion);
    for (int b = 0; b < VO_BONE_COUNT; b++) {
        vo_vec3 columns[4] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
        vo_vec3 origin = xf_point(motion[b], columns[3]);
        for (int k = 0; k < 4; k++) {
            vo_vec3 p = xf_point(motion[b], columns[k]);
            if (k < 3) p = v3_sub(p, origin);
            bones[b].m[k] = (float)p.x, bones[b].m[4 + k] = (float)p.y,
            bones[b].m[8 + k] = (float)p.z;
        }
    }
}

static void skin_vertices(const character *c, const vo_rt_matrix *bones, vo_rt_vec3 *x) {
    for (int i = 0; i < c->mesh.vertex_count; i++) {
        x[i] = f3(0, 0, 0);
        for (int k = 0; k < 4; k++)
            x[i] = f3_add_scaled(x[i], c->weights[4 * i + k],
                                 fm_apply(&bones[c->bones[4 * i + k]], c->mesh.x[i]));
    }
}

/* Unsigned distances against all triangles; the sign where the skin does not intersect itself. */
static void check_queries(const character *c, const vo_rt_body *body, const vo_rt_vec3 *x,
                          bool is_rest, uint64_t seed) {
    vo_random r = vo_random_seed(seed);
    for (int i = 0; i < 40; i++) {
        double size = i % 2 ? 0.02 : 0.3;
        vo_rt_vec3 p = f3_add(x[vo_random_int(&r, c->mesh.vertex_count)], rt_point(&r, size));
        double d = rt_exhaustive_distance(&c->mesh, x, p);
        vo_rt_surface_point q;
        int32_t hint = vo_random_int(&r, body->surface.leaf_count * 8);
        if (!is_rest && d < 0) continue; /* skinned joints may fold into each other */
        assert_true(vo_rt_body_find_nearest(body, false, p, 1, hint, &q));
        assert_near((double)fabsf(q.distance + body->offset), fabs(d), 5e-6);
        if (is_rest && fabs(d) > 1e-5) assert_true((q.distance + body->offset > 0) == (d > 0));
        if (!is_rest) continue;
        assert_int_equal(vo_rt_body_contains(body, false, p), d < 0);
    }
}

static void mannequin_queries_equal_exhaustive_search(void **state) {
    (void)state;
    character c = create_character(20000);
    vo_rt_body_def def = rt_mesh_def(&c.mesh);
    def.skin_bones = c.bones;
    def.skin_weights = c.weights;
    def.bone_count = VO_BONE_COUNT;
    rt_memory memory;
    vo_allocator allocator = rt_allocator(&memory);
    vo_rt_message message = {{0}};
    vo_rt_body body;
    if (vo_rt_body_init(&body, &allocator, &def, &message) != VO_OK) fail_msg("%s", message.text);
    check_queries(&c, &body, c.mesh.x, true, 1);
    size_t bytes = (size_t)c.mesh.vertex_count * sizeof(vo_rt_vec3);
    vo_rt_vec3 *from = malloc(bytes), *to = malloc(bytes), *x = malloc(bytes);
    memcpy(from, c.mesh.x, bytes);
    for (int step = 1; step <= 3; step++) {
        vo_rt_matrix bones[VO_BONE_COUNT];
        pose_bones(&c, step, bones);
        assert_int_equal(vo_rt_body_set_bones(&body, VO_BONE_COUNT, bones), VO_OK);
        skin_vertices(&c, bones, to);
        vo_rt_body_begin_step(&body, 1.0f / 60);
        vo_rt_body_advance(&body, 0.5f);
        for (int i = 0; i < c.mesh.vertex_count; i++) x[i] = f3_lerp(from[i], to[i], 0.5f);
        check_queries(&c, &body, x, false, (uint64_t)(2 * step));
        vo_rt_body_advance(&body, 1);
        check_queries(&c, &body, to, false, (uint64_t)(2 * step + 1));
        memcpy(from, to, bytes);
    }
    vo_rt_body_free(&body, &allocator);
    assert_int_equal(memory.live, 0);
    free(from), free(to), free(x);
    free_character(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(mannequin_queries_equal_exhaustive_search)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

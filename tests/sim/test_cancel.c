/* Work and cancel callbacks: each operation is cancelled at every poll in turn, or at a sample of
 * them. It must return VO_CANCELLED with a message, release its memory, and succeed afterwards with
 * its work reported to the end. */
#include "run_fixture.h"
#include "untangle_cases.h"

#include "collide/untangle/untangle.h"
#include "core/context.h"
#include "scene/scene.h"

enum { MAX_OPERATIONS = 8 };

typedef struct reported_work {
    char operation[64];
    int done, total;
} reported_work;

typedef struct probe {
    test_memory memory;
    vo_context *ctx;
    int polls, cancel_at; /* poll that cancels, from 0; -1: none */
    int count;
    reported_work work[MAX_OPERATIONS];
} probe;

static bool poll(void *user) {
    probe *p = user;
    return p->polls++ == p->cancel_at;
}

static void record_work(void *user, const char *operation, int done, int total) {
    probe *p = user;
    int i = 0;
    assert_true(done >= 0 && done <= total && total > 0);
    while (i < p->count && strcmp(p->work[i].operation, operation) != 0) i++;
    assert_true(i < MAX_OPERATIONS);
    if (i == p->count) snprintf(p->work[p->count++].operation, 64, "%s", operation);
    p->work[i].done = done;
    p->work[i].total = total;
}

static void open_probe(probe *p) {
    *p = (probe){.memory.fail_at = -1, .cancel_at = -1};
    p->ctx = test_context_with(1, &p->memory);
    p->ctx->cancel = poll;
    p->ctx->cancel_user = p;
    p->ctx->work = record_work;
    p->ctx->work_user = p;
}

static void close_probe(probe *p) {
    vo_context_destroy(p->ctx);
    assert_int_equal(p->memory.live, 0);
}

/* The operation releases its results before it returns. */
typedef vo_result operation_fn(vo_context *ctx, const void *arg);

static void cancel_once(probe *p, operation_fn *run, const void *arg, int at) {
    long live = p->memory.live, bytes = p->memory.bytes;
    p->polls = 0;
    p->cancel_at = at;
    assert_int_equal(run(p->ctx, arg), VO_CANCELLED);
    assert_non_null(strstr(vo_context_message(p->ctx), "cancelled"));
    assert_int_equal(p->polls, at + 1); /* it ends at once */
    if (p->memory.live != live || p->memory.bytes != bytes)
        fail_msg("cancelled at poll %d: %ld blocks, %ld bytes left", at, p->memory.live - live,
                 p->memory.bytes - bytes);
}

/* Cancels at up to `samples` polls; the operation must have at least `min_polls` and report
 * `operation` to the end. */
static void check_operation(probe *p, operation_fn *run, const void *arg, int samples,
                            int min_polls, const char *operation) {
    p->polls = p->count = 0;
    p->cancel_at = -1;
    assert_ok(p->ctx, run(p->ctx, arg));
    int polls = p->polls, found = 0;
    assert_true(polls >= min_polls);
    for (int i = 0; i < p->count; i++) {
        assert_int_equal(p->work[i].done, p->work[i].total);
        found += operation && strcmp(p->work[i].operation, operation) == 0;
    }
    assert_int_equal(found, operation != NULL);
    int stride = polls > samples ? polls / samples : 1;
    for (int at = 0; at < polls; at += stride) cancel_once(p, run, arg, at);
    cancel_once(p, run, arg, polls - 1);
    p->cancel_at = -1;
    assert_ok(p->ctx, run(p->ctx, arg));
}

/* ---- creation of simulations ---------------------------------------------------------------- */

static vo_result create_sim(vo_context *ctx, const void *scene) {
    vo_sim *sim;
    vo_result result = vo_sim_create(ctx, scene, &sim);
    assert_true((sim != NULL) == (result == VO_OK));
    vo_sim_destroy(sim);
    return result;
}

/* Adds a sheet of side 0.4 m, stretched by a factor along x. */
static void add_sheet(vo_context *ctx, vo_scene *scene, vo_pose pose, double stretch) {
    vo_mesh *mesh = test_grid(ctx, 0.4, 0.4, 8, 8);
    for (int n = 0; n < mesh->node_count; n++) mesh->node_x[n].x *= stretch;
    vo_fabric *fabric;
    vo_fabric_def fabric_def = vo_fabric_def_default();
    assert_ok(ctx, vo_fabric_create(ctx, &fabric_def, &fabric));
    vo_material_def material = vo_material_def_default();
    material.fabric = fabric;
    vo_cloth_def cloth = vo_cloth_def_default();
    cloth.mesh = mesh;
    cloth.materials = &material;
    cloth.material_count = 1;
    cloth.pose = pose;
    assert_ok(ctx, vo_scene_add_cloth(scene, &cloth, NULL));
    vo_fabric_destroy(fabric);
    vo_mesh_destroy(mesh);
}

static void creation_with_untangling_is_cancelled(void **state) {
    (void)state;
    probe p;
    vo_scene *scene;
    vo_pose pose = vo_pose_identity();
    open_probe(&p);
    assert_ok(p.ctx, vo_scene_create(p.ctx, NULL, &scene));
    add_sheet(p.ctx, scene, pose, 1);
    int polls_without_tangle = 0;
    assert_ok(p.ctx, create_sim(p.ctx, scene));
    polls_without_tangle = p.polls;
    pose.degrees = 20;
    pose.axis = (vo_vec3){1, 0.3, 0};
    add_sheet(p.ctx, scene, pose, 1);
    check_operation(&p, create_sim, scene, 200, polls_without_tangle + 5,
                    "creating the simulation");
    vo_scene_destroy(scene);
    close_probe(&p);
}

static void creation_with_relaxing_is_cancelled(void **state) {
    (void)state;
    probe p;
    vo_scene *scene;
    open_probe(&p);
    assert_ok(p.ctx, vo_scene_create(p.ctx, NULL, &scene));
    add_sheet(p.ctx, scene, vo_pose_identity(), 2);
    check_operation(&p, create_sim, scene, 20, 8, "creating the simulation");
    vo_scene_destroy(scene);
    close_probe(&p);
}

static void creation_with_sewing_is_cancelled(void **state) {
    (void)state;
    probe p;
    vo_scene *scene;
    open_probe(&p);
    assert_ok(p.ctx, vo_scene_create(p.ctx, NULL, &scene));
    vo_character_def character = vo_character_def_default();
    character.mannequin.faces = 4000;
    vo_garment_def skirt = vo_garment_def_default();
    skirt.pattern = VOILE_SOURCE_DIR "/assets/garments/skirt-wide.json";
    skirt.edge_length = 0.1;
    assert_ok(p.ctx, vo_scene_add_character(scene, &character, &skirt.character));
    assert_ok(p.ctx, vo_scene_add_garment(scene, &skirt, NULL));
    check_operation(&p, create_sim, scene, 5, 20, "sewing garments");
    vo_scene_destroy(scene);
    close_probe(&p);
}

static vo_result sew_skirt(vo_context *ctx, const void *arg) {
    vo_mesh *garment, *body;
    vo_result result = vo_sew(ctx, arg, &garment, &body, NULL);
    assert_true((garment != NULL) == (result == VO_OK) && (body != NULL) == (result == VO_OK));
    vo_mesh_destroy(garment);
    vo_mesh_destroy(body);
    return result;
}

static void sewing_is_cancelled(void **state) {
    (void)state;
    probe p;
    vo_sew_def def = vo_sew_def_default();
    def.pattern = VOILE_SOURCE_DIR "/assets/garments/skirt-wide.json";
    def.mannequin.faces = 4000;
    def.edge_length = 0.1;
    open_probe(&p);
    check_operation(&p, sew_skirt, &def, 3, 20, "sewing garments");
    close_probe(&p);
}

/* ---- untangling ----------------------------------------------------------------------------- */

static vo_result untangle(vo_context *ctx, const void *arg) {
    const tangle_case *c = arg;
    vo_vec3 *x = malloc((size_t)c->nodes * sizeof *x);
    assert_non_null(x);
    memcpy(x, c->x, (size_t)c->nodes * sizeof *x);
    vo_untangle_def def = vo_untangle_def_default();
    def.soup = case_soup(c);
    def.can_cancel = true;
    vo_untangler *u;
    vo_untangle_report report;
    vo_result result = vo_untangler_create(ctx, &def, x, &u);
    if (result == VO_OK) result = vo_untangle(u, x, &report);
    vo_untangler_destroy(u);
    free(x);
    return result;
}

static void untangling_polls_in_every_step(void **state) {
    (void)state;
    probe p;
    tangle_case c;
    open_probe(&p);
    make_tangle(&c, 3);
    check_operation(&p, untangle, &c, 50, 5, NULL);
    case_free(&c);
    close_probe(&p);
}

/* ---- runs ----------------------------------------------------------------------------------- */

static vo_result get_info(vo_context *ctx, const void *folder) {
    vo_run_info info;
    vo_result result = vo_run_get_info(ctx, folder, &info);
    if (result == VO_OK) assert_int_equal(info.frames, 5);
    vo_run_info_free(ctx, &info);
    return result;
}

static void summary_of_a_run_is_cancelled(void **state) {
    (void)state;
    probe p;
    run_fixture run = open_run_fixture(1);
    open_probe(&p);
    assert_int_equal(simulate(&run, 4), VO_CANCELLED);
    check_operation(&p, get_info, run.run, 50, 5, "summarising frames");
    assert_int_equal(p.work[0].total, 5);
    close_probe(&p);
    close_run_fixture(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creation_with_untangling_is_cancelled),
        cmocka_unit_test(creation_with_relaxing_is_cancelled),
        cmocka_unit_test(creation_with_sewing_is_cancelled),
        cmocka_unit_test(sewing_is_cancelled),
        cmocka_unit_test(untangling_polls_in_every_step),
        cmocka_unit_test(summary_of_a_run_is_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Snapshots: the sections of a frame file, and those that a state between two substeps, live inputs
 * and statistics need in addition. Every stored member is listed once, for both directions. */
#include "sim/frame_file.h"

#include <voile/snapshot.h>

#include <string.h>

struct vo_snapshot {
    vo_context *ctx;
    void *bytes; /* a frame file */
    size_t size;
};

/* ---- records -------------------------------------------------------------------------------- */

/* A record is the content of one section: the members of a struct, one after the other. The same
 * function lists them for both directions. */
enum { MAX_RECORD = 4096 };

typedef struct record {
    bool loading; /* to the members; else from them */
    bool overrun; /* the members need more bytes than there are */
    size_t size;  /* bytes in total; loading: as found, saving: MAX_RECORD */
    size_t used;
    unsigned char bytes[MAX_RECORD];
} record;

static void transfer(record *r, void *member, size_t size) {
    if (size > r->size - r->used) {
        r->overrun = true;
        return;
    }
    if (r->loading)
        memcpy(member, r->bytes + r->used, size);
    else
        memcpy(r->bytes + r->used, member, size);
    r->used += size;
}

/* Size of a value without pointers and padding. Any other type, pointers included, does not
 * compile: structs are transferred by a function that lists their members. */
#define PLAIN_SIZE(value)                          \
    _Generic((value), bool                         \
             : sizeof(bool), int                   \
             : sizeof(int), double                 \
             : sizeof(double), vo_vec3             \
             : sizeof(vo_vec3), vo_quat            \
             : sizeof(vo_quat), vo_obstacle_driver \
             : sizeof(vo_obstacle_driver))
#define MEMBER(r, value) transfer((r), &(value), PLAIN_SIZE(value))

/* Does not compile if a struct of doubles has a member that its list does not contain. */
#define CHECK_DOUBLES(type, count) \
    _Static_assert(sizeof(type) == (count) * sizeof(double), "list all members of " #type)

CHECK_DOUBLES(vo_vec3, 3);
CHECK_DOUBLES(vo_quat, 4);
CHECK_DOUBLES(vo_transform, 8);
CHECK_DOUBLES(vo_wind, 5);
CHECK_DOUBLES(vo_sim_environment, 3 + 5 + 2);
CHECK_DOUBLES(vo_sim_budget, 6);
CHECK_DOUBLES(vo_camera_velocity, 7);
_Static_assert(sizeof(vo_camera) == 16 * sizeof(double) + 2 * sizeof(int),
               "list all members of vo_camera");

static void transfer_transform(record *r, vo_transform *t) {
    MEMBER(r, t->translation);
    MEMBER(r, t->scale);
    MEMBER(r, t->rotation);
}

static void transfer_environment(record *r, vo_sim_environment *e) {
    MEMBER(r, e->gravity);
    MEMBER(r, e->wind.density);
    MEMBER(r, e->wind.velocity);
    MEMBER(r, e->wind.drag);
    MEMBER(r, e->friction);
    MEMBER(r, e->obstacle_friction);
}

static void transfer_budget(record *r, vo_sim_budget *b) {
    MEMBER(r, b->min_edge_pixels);
    MEMBER(r, b->density);
    MEMBER(r, b->area);
    MEMBER(r, b->frame_s);
    MEMBER(r, b->steps_s);
    MEMBER(r, b->after_steps_s);
}

static void transfer_camera(record *r, vo_camera *c) {
    MEMBER(r, c->position);
    MEMBER(r, c->right);
    MEMBER(r, c->up);
    MEMBER(r, c->forward);
    MEMBER(r, c->tan_x);
    MEMBER(r, c->tan_y);
    MEMBER(r, c->z_near);
    MEMBER(r, c->z_far);
    MEMBER(r, c->width);
    MEMBER(r, c->height);
}

static void transfer_camera_velocity(record *r, vo_camera_velocity *v) {
    MEMBER(r, v->linear);
    MEMBER(r, v->angular);
    MEMBER(r, v->zoom);
}

static void transfer_predictor(record *r, vo_camera_predictor *p) {
    MEMBER(r, p->count);
    MEMBER(r, p->time);
    transfer_camera(r, &p->camera);
    transfer_camera_velocity(r, &p->velocity);
    MEMBER(r, p->step);
    MEMBER(r, p->acceleration);
    MEMBER(r, p->angular_acceleration);
    MEMBER(r, p->zoom_acceleration);
    MEMBER(r, p->previous.count);
    MEMBER(r, p->previous.time);
    transfer_camera(r, &p->previous.camera);
    transfer_camera_velocity(r, &p->previous.velocity);
    MEMBER(r, p->previous.step);
}

static void transfer_stats(record *r, vo_stats *s) {
#define X(name, type, format, meaning) MEMBER(r, s->name);
    VO_STAT_HEAD(X)
    VO_STAT_FIELDS(X)
#undef X
#define X(name, meaning) MEMBER(r, s->stage.name);
    VO_STAGES(X)
#undef X
}

/* The members of vo_sim marked [snapshot] in sim/state.h, except those of objects. */
static void transfer_sim(record *r, void *object) {
    vo_sim *sim = object;
    MEMBER(r, sim->substep);
    MEMBER(r, sim->frozen_substeps);
    MEMBER(r, sim->untangled);
    MEMBER(r, sim->remesh.edits);
    MEMBER(r, sim->implicit.has_previous_dv);
    MEMBER(r, sim->implicit.has_slack);
    MEMBER(r, sim->implicit.slack_is_fading);
    transfer_environment(r, &sim->environment);
    transfer_budget(r, &sim->budget);
    transfer_predictor(r, &sim->view.predictor);
    transfer_stats(r, &sim->stats);
}

/* vo_obstacle_state */
static void transfer_obstacle(record *r, void *object) {
    vo_obstacle_state *o = object;
    transfer_transform(r, &o->pose);
    MEMBER(r, o->deforms);
    MEMBER(r, o->live.driver);
    transfer_transform(r, &o->live.pose);
    MEMBER(r, o->live.has_velocities);
    MEMBER(r, o->live.rescaled);
}

/* vo_handle_live */
static void transfer_handle(record *r, void *object) {
    vo_handle_live *live = object;
    MEMBER(r, live->weight);
    MEMBER(r, live->has_target);
    transfer_transform(r, &live->pose);
    transfer_transform(r, &live->target);
}

/* vo_material without its fabric */
static void transfer_material(record *r, void *object) {
    vo_material *m = object;
    MEMBER(r, m->density_mult);
    MEMBER(r, m->stretching_mult);
    MEMBER(r, m->bending_mult);
    MEMBER(r, m->damping);
    MEMBER(r, m->stretch_min);
    MEMBER(r, m->stretch_max);
}

/* vo_fabric without its description, which simulations do not use, and its table */
static void transfer_fabric(record *r, void *object) {
    vo_fabric *f = object;
    MEMBER(r, f->density);
    for (int i = 0; i < 4; i++) MEMBER(r, f->linear.c[i]);
    for (int i = 0; i < VO_BEND_DIRECTIONS; i++)
        for (int k = 0; k < VO_BEND_CURVATURES; k++) MEMBER(r, f->bend[i][k]);
}

typedef void transfer_fn(record *r, void *object);

/* X(tag, array): vectors per node of obstacle i. */
#define OBSTACLE_ARRAYS(X)                    \
    X("obs_x", sim->obstacle[i].mesh->node_x) \
    X("obs_v", sim->obstacle[i].mesh->node_v)

#define VERTEX_ARRAYS(X)                   \
    X("obs_livx", sim->obstacle[i].live_x) \
    X("obs_livv", sim->obstacle[i].live_v)

/* ---- writing -------------------------------------------------------------------------------- */

static vo_result write_record(vo_context *ctx, vo_vof_writer *w, const char *tag, int i,
                              transfer_fn *members, void *object) {
    record r = {.size = MAX_RECORD};
    members(&r, object);
    VO_REQUIRE(ctx, !r.overrun);
    return vo_vof_add(w, tag, i, VO_VOF_U8, 1, (int)r.used, r.bytes);
}

/* The warm start before the last one, and the slack of all faces with its targets. */
static vo_result write_cloth(vo_sim *sim, vo_vof_writer *w, int c) {
    const vo_implicit *s = &sim->implicit;
    const vo_mesh *mesh = sim->cloth[c].mesh;
    vo_vec3 *dv = vo_arena_array(&sim->scratch, vo_vec3, mesh->node_count + 1);
    vo_vec2 *slack = vo_arena_array(&sim->scratch, vo_vec2, mesh->face_count + 1);
    if (!dv || !slack) return vo_fail_memory(sim->ctx, "the snapshot");
    for (int n = 0; n < mesh->node_count; n++) {
        const vo_vec4 *p = &s->previous_dv[s->system.row_of[sim->cloth[c].first_node + n]];
        dv[n] = v3(p->x, p->y, p->z);
    }
    for (int f = 0; f < mesh->face_count; f++) {
        int number = s->system.face_number[sim->system_cloth[c].first_face + f];
        slack[f] = v2(s->slack[number], s->slack_target[number]);
    }
    VO_TRY(vo_vof_add(w, "prev_dv", c, VO_VOF_F64, 3, mesh->node_count, dv));
    return vo_vof_add(w, "slack_ft", c, VO_VOF_F64, 2, mesh->face_count, slack);
}

static vo_result write_obstacle(vo_sim *sim, vo_vof_writer *w, int i) {
    int nodes = sim->obstacle[i].mesh->node_count;
    VO_TRY(write_record(sim->ctx, w, "obstacle", i, transfer_obstacle, &sim->obstacle[i]));
#define X(tag, array) VO_TRY(vo_vof_add(w, tag, i, VO_VOF_F64, 3, nodes, array));
    OBSTACLE_ARRAYS(X)
    if (sim->obstacle[i].live.driver == VO_DRIVER_VERTICES) {
        if (!sim->obstacle[i].live.has_velocities)
            memset(sim->obstacle[i].live_v, 0, (size_t)nodes * sizeof(vo_vec3));
        VERTEX_ARRAYS(X)
    }
#undef X
    return VO_OK;
}

/* One live material: its numbers and those of its fabric. */
static vo_result write_material(vo_context *ctx, vo_vof_writer *w, vo_material *m, int index) {
    VO_TRY(write_record(ctx, w, "material", index, transfer_material, m));
    VO_TRY(write_record(ctx, w, "fabric", index, transfer_fabric, m->fabric));
    if (!m->fabric->table) return VO_OK;
    return vo_vof_add(w, "fabr_tab", index, VO_VOF_F32, 4, VO_STRETCH_TABLE, m->fabric->table);
}

static vo_result write_materials(vo_sim *sim, vo_vof_writer *w) {
    int index = 0;
    for (int c = 0; c < sim->cloth_count; c++)
        for (int i = 0; i < sim->scene->cloth[c].material_count; i++, index++)
            if (sim->cloth[c].material_is_live[i])
                VO_TRY(write_material(sim->ctx, w, &sim->cloth[c].material[i], index));
    return VO_OK;
}

static vo_result write_all(vo_sim *sim, vo_vof_writer *w) {
    vo_arena_reset(&sim->scratch);
    vo_vof_begin(w, sim->frame, sim->frame_start);
    VO_TRY(vo_sim_write_sections(sim, w));
    VO_TRY(write_record(sim->ctx, w, "sim", 0, transfer_sim, sim));
    for (int c = 0; c < sim->cloth_count; c++) VO_TRY(write_cloth(sim, w, c));
    for (int i = 0; i < sim->handle_count; i++)
        VO_TRY(write_record(sim->ctx, w, "hnd_live", i, transfer_handle, &sim->handle[i].live));
    for (int i = 0; i < sim->obstacle_count; i++) VO_TRY(write_obstacle(sim, w, i));
    return write_materials(sim, w);
}

static vo_result copy_bytes(vo_context *ctx, vo_vof_writer *w, vo_snapshot **out) {
    const void *bytes;
    size_t size;
    VO_TRY(vo_vof_finish(w, &bytes, &size));
    vo_snapshot *snapshot = vo_new(ctx, vo_snapshot);
    void *copy = vo_alloc(ctx, size);
    if (!snapshot || !copy) {
        if (snapshot) vo_delete(ctx, snapshot);
        vo_free(ctx, copy, size);
        return vo_fail_memory(ctx, "the snapshot");
    }
    memcpy(copy, bytes, size);
    *snapshot = (vo_snapshot){ctx, copy, size};
    *out = snapshot;
    return VO_OK;
}

vo_result vo_sim_save_snapshot(vo_sim *sim, vo_snapshot **out) {
    vo_vof_writer *writer;
    if (out) *out = NULL;
    if (!sim) return VO_BAD_ARGUMENT;
    if (!out) return vo_fail(sim->ctx, VO_BAD_ARGUMENT, "out is NULL; it receives the snapshot");
    VO_TRY(vo_sim_check_intact(sim));
    VO_TRY(vo_vof_writer_create(sim->ctx, &writer));
    vo_result result = write_all(sim, writer);
    if (result == VO_OK) result = copy_bytes(sim->ctx, writer, out);
    vo_vof_writer_destroy(writer);
    return result;
}

/* ---- reading -------------------------------------------------------------------------------- */

static vo_result reject_other_scene(const vo_sim *sim) {
    return vo_fail(sim->ctx, VO_BAD_ARGUMENT,
                   "snapshot: it was saved from a simulation of another scene; restore it into a "
                   "simulation of the same scene");
}

static vo_result find(const vo_sim *sim, vo_vof_reader *r, const char *tag, int i, vo_vof_type type,
                      int columns, int count, const void **rows) {
    int found = 0;
    VO_TRY(vo_vof_find(r, tag, i, type, columns, &found, rows));
    return found == count ? VO_OK : reject_other_scene(sim);
}

static vo_result read_record(const vo_sim *sim, vo_vof_reader *reader, const char *tag, int i,
                             transfer_fn *members, void *object) {
    const void *rows = NULL;
    int found = 0;
    VO_TRY(vo_vof_find(reader, tag, i, VO_VOF_U8, 1, &found, &rows));
    if (found <= 0 || found > MAX_RECORD) return reject_other_scene(sim);
    record r = {.loading = true, .size = (size_t)found};
    memcpy(r.bytes, rows, (size_t)found);
    members(&r, object);
    return !r.overrun && r.used == r.size ? VO_OK : reject_other_scene(sim);
}

static vo_result read_vectors(const vo_sim *sim, vo_vof_reader *r, const char *tag, int i,
                              int count, vo_vec3 *out) {
    const void *rows = NULL;
    VO_TRY(find(sim, r, tag, i, VO_VOF_F64, 3, count, &rows));
    if (count) memcpy(out, rows, (size_t)count * sizeof *out);
    return VO_OK;
}

static vo_result read_cloth(vo_sim *sim, vo_vof_reader *r, int c) {
    vo_implicit *s = &sim->implicit;
    const vo_mesh *mesh = sim->cloth[c].mesh;
    const void *dv = NULL, *slack = NULL;
    VO_TRY(find(sim, r, "prev_dv", c, VO_VOF_F64, 3, mesh->node_count, &dv));
    VO_TRY(find(sim, r, "slack_ft", c, VO_VOF_F64, 2, mesh->face_count, &slack));
    for (int n = 0; n < mesh->node_count; n++) {
        vo_vec3 p = ((const vo_vec3 *)dv)[n];
        s->previous_dv[s->system.row_of[sim->cloth[c].first_node + n]] =
            (vo_vec4){p.x, p.y, p.z, 0};
    }
    for (int f = 0; f < mesh->face_count; f++) {
        int number = s->system.face_number[sim->system_cloth[c].first_face + f];
        s->slack[number] = ((const vo_vec2 *)slack)[f].x;
        s->slack_target[number] = ((const vo_vec2 *)slack)[f].y;
    }
    return VO_OK;
}

static vo_result read_obstacle(vo_sim *sim, vo_vof_reader *r, int i) {
    vo_obstacle_state *o = &sim->obstacle[i];
    int nodes = o->mesh->node_count;
    VO_TRY(read_record(sim, r, "obstacle", i, transfer_obstacle, o));
    if (o->live.driver == VO_DRIVER_VERTICES) VO_TRY(vo_sim_reserve_live_vertices(sim, i));
#define X(tag, array) VO_TRY(read_vectors(sim, r, tag, i, nodes, array));
    OBSTACLE_ARRAYS(X)
    if (o->live.driver == VO_DRIVER_VERTICES) {
        VERTEX_ARRAYS(X)
    }
#undef X
    o->present = vo_sim_obstacle_exists(sim, i, vo_sim_now(sim));
    o->rests_until = -INFINITY;
    return VO_OK;
}

static vo_result read_fabric(const vo_sim *sim, vo_vof_reader *r, int index, vo_fabric **out) {
    vo_context *ctx = sim->ctx;
    vo_fabric stored = {.ctx = ctx};
    const void *table = NULL;
    VO_TRY(read_record(sim, r, "fabric", index, transfer_fabric, &stored));
    if (vo_vof_count(r, "fabr_tab", index) >= 0)
        VO_TRY(find(sim, r, "fabr_tab", index, VO_VOF_F32, 4, VO_STRETCH_TABLE, &table));
    VO_TRY(vo_fabric_copy(ctx, &stored, out));
    if (!table) return VO_OK;
    (*out)->table = vo_new_array(ctx, vo_stiffness_sample, VO_STRETCH_TABLE);
    if (!(*out)->table) {
        vo_fabric_destroy(*out);
        return vo_fail_memory(ctx, "a fabric");
    }
    memcpy((*out)->table, table, VO_STRETCH_TABLE * sizeof *(*out)->table);
    return VO_OK;
}

static vo_result read_material(vo_sim *sim, vo_vof_reader *r, int c, int i, int index) {
    vo_material material = {0};
    if (vo_vof_count(r, "material", index) < 0) {
        vo_sim_replace_material(sim, c, i, NULL);
        return VO_OK;
    }
    VO_TRY(read_record(sim, r, "material", index, transfer_material, &material));
    VO_TRY(read_fabric(sim, r, index, &material.fabric));
    vo_sim_replace_material(sim, c, i, &material);
    return VO_OK;
}

static vo_result read_materials(vo_sim *sim, vo_vof_reader *r) {
    int index = 0;
    for (int c = 0; c < sim->cloth_count; c++)
        for (int i = 0; i < sim->scene->cloth[c].material_count; i++, index++)
            VO_TRY(read_material(sim, r, c, i, index));
    return VO_OK;
}

/* Gives all obstacles to the scene, so that restoring a frame can place them. */
static void follow_scene(vo_sim *sim) {
    for (int i = 0; i < sim->obstacle_count; i++) {
        sim->obstacle[i].live.driver = VO_DRIVER_SCENE;
        sim->obstacle[i].deforms = sim->scene->obstacle[i].body != NULL;
    }
}

static vo_result read_all(vo_sim *sim, vo_vof_reader *r) {
    follow_scene(sim);
    VO_TRY(read_materials(sim, r));
    VO_TRY(vo_sim_restore(sim, r, "snapshot"));
    VO_TRY(read_record(sim, r, "sim", 0, transfer_sim, sim));
    for (int c = 0; c < sim->cloth_count; c++) VO_TRY(read_cloth(sim, r, c));
    for (int i = 0; i < sim->handle_count; i++)
        VO_TRY(read_record(sim, r, "hnd_live", i, transfer_handle, &sim->handle[i].live));
    for (int i = 0; i < sim->obstacle_count; i++) VO_TRY(read_obstacle(sim, r, i));
    return VO_OK;
}

vo_result vo_sim_restore_snapshot(vo_sim *sim, const vo_snapshot *snapshot) {
    vo_vof_reader *reader;
    if (!sim) return VO_BAD_ARGUMENT;
    if (!snapshot)
        return vo_fail(sim->ctx, VO_BAD_ARGUMENT, "snapshot is NULL; save one before restoring it");
    VO_TRY(vo_vof_parse(sim->ctx, "snapshot", snapshot->bytes, snapshot->size, &reader));
    sim->broken = read_all(sim, reader);
    vo_vof_close(reader);
    /* A snapshot is never damaged, so invalid data belongs to another scene. */
    if (sim->broken == VO_BAD_DATA) sim->broken = reject_other_scene(sim);
    return sim->broken;
}

size_t vo_snapshot_size(const vo_snapshot *snapshot) { return snapshot ? snapshot->size : 0; }

void vo_snapshot_destroy(vo_snapshot *snapshot) {
    if (!snapshot) return;
    vo_free(snapshot->ctx, snapshot->bytes, snapshot->size);
    vo_delete(snapshot->ctx, snapshot);
}

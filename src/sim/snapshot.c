/* Snapshots: the sections of a frame file, and those that a state between two substeps, live inputs
 * and statistics need in addition. Both directions use the lists below. */
#include "sim/frame_file.h"

#include <voile/snapshot.h>

#include <string.h>

struct vo_snapshot {
    vo_context *ctx;
    void *bytes; /* a frame file */
    size_t size;
};

/* X(tag, lvalue): plain data of the simulation. */
#define SIM_BLOCKS(X)                            \
    X("sim_step", sim->substep)                  \
    X("sim_frzn", sim->frozen_substeps)          \
    X("sim_untg", sim->untangled)                \
    X("sim_edit", sim->remesh.edits)             \
    X("sim_env", sim->environment)               \
    X("sim_bdgt", sim->budget)                   \
    X("sim_cam", sim->view.predictor)            \
    X("sim_stat", sim->stats)                    \
    X("sim_prev", sim->implicit.has_previous_dv) \
    X("sim_slak", sim->implicit.has_slack)       \
    X("sim_fade", sim->implicit.slack_is_fading)

/* The same of obstacle i. */
#define OBSTACLE_BLOCKS(X)               \
    X("obs_pose", sim->obstacle[i].pose) \
    X("obs_live", sim->obstacle[i].live) \
    X("obs_dfrm", sim->obstacle[i].deforms)

/* X(tag, array): vectors per node of obstacle i. */
#define OBSTACLE_ARRAYS(X)                    \
    X("obs_x", sim->obstacle[i].mesh->node_x) \
    X("obs_v", sim->obstacle[i].mesh->node_v)

#define VERTEX_ARRAYS(X)                   \
    X("obs_livx", sim->obstacle[i].live_x) \
    X("obs_livv", sim->obstacle[i].live_v)

/* ---- writing -------------------------------------------------------------------------------- */

static vo_result add_block(vo_vof_writer *w, const char *tag, int i, size_t size,
                           const void *data) {
    return vo_vof_add(w, tag, i, VO_VOF_U8, 1, (int)size, data);
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
#define X(tag, value) VO_TRY(add_block(w, tag, i, sizeof(value), &(value)));
    OBSTACLE_BLOCKS(X)
#undef X
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
static vo_result write_material(vo_vof_writer *w, const vo_material *m, int index) {
    VO_TRY(add_block(w, "material", index, sizeof *m, m));
    VO_TRY(add_block(w, "fabric", index, sizeof *m->fabric, m->fabric));
    if (!m->fabric->table) return VO_OK;
    return vo_vof_add(w, "fabr_tab", index, VO_VOF_F32, 4, VO_STRETCH_TABLE, m->fabric->table);
}

static vo_result write_materials(vo_sim *sim, vo_vof_writer *w) {
    int index = 0;
    for (int c = 0; c < sim->cloth_count; c++)
        for (int i = 0; i < sim->scene->cloth[c].material_count; i++, index++)
            if (sim->cloth[c].material_is_live[i])
                VO_TRY(write_material(w, &sim->cloth[c].material[i], index));
    return VO_OK;
}

static vo_result write_all(vo_sim *sim, vo_vof_writer *w) {
    vo_arena_reset(&sim->scratch);
    vo_vof_begin(w, sim->frame, sim->frame_start);
    VO_TRY(vo_sim_write_sections(sim, w));
#define X(tag, value) VO_TRY(add_block(w, tag, 0, sizeof(value), &(value)));
    SIM_BLOCKS(X)
#undef X
    for (int c = 0; c < sim->cloth_count; c++) VO_TRY(write_cloth(sim, w, c));
    for (int i = 0; i < sim->handle_count; i++)
        VO_TRY(add_block(w, "hnd_live", i, sizeof sim->handle[i].live, &sim->handle[i].live));
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
    *out = NULL;
    VO_TRY(vo_sim_check_intact(sim));
    VO_TRY(vo_vof_writer_create(sim->ctx, &writer));
    vo_result result = write_all(sim, writer);
    if (result == VO_OK) result = copy_bytes(sim->ctx, writer, out);
    vo_vof_writer_destroy(writer);
    return result;
}

/* ---- reading -------------------------------------------------------------------------------- */

static vo_result find(const vo_sim *sim, vo_vof_reader *r, const char *tag, int i, vo_vof_type type,
                      int columns, int count, const void **rows) {
    int found = 0;
    VO_TRY(vo_vof_find(r, tag, i, type, columns, &found, rows));
    if (found == count) return VO_OK;
    return vo_fail(sim->ctx, VO_BAD_DATA,
                   "snapshot: it was saved from a simulation of another scene; restore it into a "
                   "simulation of the same scene");
}

static vo_result read_block(const vo_sim *sim, vo_vof_reader *r, const char *tag, int i,
                            size_t size, void *out) {
    const void *rows = NULL;
    VO_TRY(find(sim, r, tag, i, VO_VOF_U8, 1, (int)size, &rows));
    memcpy(out, rows, size);
    return VO_OK;
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
#define X(tag, value) VO_TRY(read_block(sim, r, tag, i, sizeof(value), &(value)));
    OBSTACLE_BLOCKS(X)
#undef X
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
    vo_fabric stored;
    const void *table = NULL;
    VO_TRY(read_block(sim, r, "fabric", index, sizeof stored, &stored));
    stored.description = NULL;
    stored.table = NULL;
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
    vo_material material;
    if (vo_vof_count(r, "material", index) < 0) {
        vo_sim_replace_material(sim, c, i, NULL);
        return VO_OK;
    }
    VO_TRY(read_block(sim, r, "material", index, sizeof material, &material));
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
#define X(tag, value) VO_TRY(read_block(sim, r, tag, 0, sizeof(value), &(value)));
    SIM_BLOCKS(X)
#undef X
    for (int c = 0; c < sim->cloth_count; c++) VO_TRY(read_cloth(sim, r, c));
    for (int i = 0; i < sim->handle_count; i++)
        VO_TRY(read_block(sim, r, "hnd_live", i, sizeof sim->handle[i].live, &sim->handle[i].live));
    for (int i = 0; i < sim->obstacle_count; i++) VO_TRY(read_obstacle(sim, r, i));
    return VO_OK;
}

vo_result vo_sim_restore_snapshot(vo_sim *sim, const vo_snapshot *snapshot) {
    vo_vof_reader *reader;
    VO_TRY(vo_vof_parse(sim->ctx, "snapshot", snapshot->bytes, snapshot->size, &reader));
    sim->broken = read_all(sim, reader);
    vo_vof_close(reader);
    return sim->broken;
}

size_t vo_snapshot_size(const vo_snapshot *snapshot) { return snapshot->size; }

void vo_snapshot_destroy(vo_snapshot *snapshot) {
    if (!snapshot) return;
    vo_free(snapshot->ctx, snapshot->bytes, snapshot->size);
    vo_delete(snapshot->ctx, snapshot);
}

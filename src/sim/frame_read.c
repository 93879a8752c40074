#include "core/plural.h"
#include "mesh/validate.h"
#include "sim/frame_file.h"

#include <string.h>

/* A frame file and the kind of object whose sections are read. */
typedef struct source {
    vo_context *ctx;
    vo_vof_reader *reader;
    const char *path;
    const char *owner; /* object that the section index counts: "cloth", "handle" */
} source;

/* Finds a section and checks its length (*count >= 0) or returns it (*count = -1). */
static vo_result find_section(const source *s, const char *tag, int index, vo_vof_type type,
                              int columns, int *count, const void **data) {
    int rows = 0;
    VO_TRY(vo_vof_find(s->reader, tag, index, type, columns, &rows, data));
    if (*count >= 0 && rows != *count)
        return vo_fail(s->ctx, VO_BAD_DATA, "%s: section %s of %s %d has %d rows instead of %d",
                       s->path, tag, s->owner, index, rows, *count);
    *count = rows;
    return VO_OK;
}

/* The arrays belong to the reader. */
static vo_result read_mesh_data(const source *s, int c, vo_mesh_data *data) {
    *data = (vo_mesh_data){.node_count = -1, .vert_count = -1, .face_count = -1, .edge_count = -1};
#define X(tag, member, type, columns, count, required)                                \
    if (required || vo_vof_count(s->reader, tag, c) >= 0) {                           \
        const void *rows = NULL;                                                      \
        VO_TRY(find_section(s, tag, c, VO_VOF_##type, columns, &data->count, &rows)); \
        data->member = (void *)rows;                                                  \
    }
    VO_MESH_SECTIONS(X)
#undef X
    return VO_OK;
}

static vo_result check_mesh_data(const source *s, int c, const vo_mesh_data *data) {
    vo_mesh_report report;
    char text[512];
    VO_TRY(vo_mesh_validate(s->ctx, data, VO_MESH_FOR_CLOTH, &report));
    int fatal = report.fatal_count;
    if (fatal) vo_mesh_defect_text(&report.defect[0], text, sizeof text);
    vo_mesh_report_free(&report);
    if (fatal) return vo_fail(s->ctx, VO_BAD_DATA, "%s: cloth %d: %s", s->path, c, text);
    return VO_OK;
}

static vo_result check_labels(const source *s, int c, int material_count,
                              const vo_mesh_data *data) {
    for (int f = 0; f < data->face_count; f++)
        if (data->face_label[f] < 0 || data->face_label[f] >= material_count)
            return vo_fail(s->ctx, VO_BAD_DATA,
                           "%s: face %d of cloth %d has the label %d, but the "
                           "scene has %d material%s for it",
                           s->path, f, c, data->face_label[f], material_count,
                           vo_plural(material_count));
    return VO_OK;
}

/* A cloth that was not remeshed must have the faces, verts and nodes of the scene's: handles name
 * nodes of that one. */
static vo_result check_topology(const source *s, int c, const vo_mesh *scene,
                                const vo_mesh_data *data) {
    if (data->node_count == scene->node_count && data->vert_count == scene->vert_count &&
        data->face_count == scene->face_count &&
        memcmp(data->vert_node, scene->vert_node,
               (size_t)scene->vert_count * sizeof *scene->vert_node) == 0 &&
        memcmp(data->face_vert, scene->face_vert,
               (size_t)scene->face_count * sizeof *scene->face_vert) == 0)
        return VO_OK;
    return vo_fail(s->ctx, VO_BAD_DATA,
                   "%s: cloth %d has %d nodes, %d verts and %d faces and is not the cloth of the "
                   "scene, which has %d, %d and %d; the geometry of a run (cloths[%d].mesh, "
                   "cloths[%d].grid, adapt) cannot be changed once it has frames",
                   s->path, c, data->node_count, data->vert_count, data->face_count,
                   scene->node_count, scene->vert_count, scene->face_count, c, c);
}

static vo_result read_mesh(const source *s, int c, const vo_scene_cloth *cloth, vo_mesh **out) {
    vo_mesh_data data;
    VO_TRY(read_mesh_data(s, c, &data));
    VO_TRY(check_mesh_data(s, c, &data));
    VO_TRY(check_labels(s, c, cloth->material_count, &data));
    if (vo_vof_count(s->reader, "node_org", c) < 0)
        VO_TRY(check_topology(s, c, cloth->mesh, &data));
    return vo_mesh_build(s->ctx, &data, out);
}

/* Checks the origins of the nodes: valid indices into the scene's mesh, each at most once. */
static vo_result check_origin(const source *s, int c, int scene_count, int count,
                              const int *origin) {
    uint8_t *seen = vo_alloc_zero(s->ctx, (size_t)scene_count + 1);
    if (!seen) return vo_fail_memory(s->ctx, "a frame");
    int bad = -1;
    for (int i = 0; i < count && bad < 0; i++) {
        bool known = origin[i] >= 0 && origin[i] < scene_count;
        if (origin[i] < -1 || origin[i] >= scene_count || (known && seen[origin[i]])) bad = i;
        if (known) seen[origin[i]] = 1;
    }
    vo_free(s->ctx, seen, (size_t)scene_count + 1);
    if (bad < 0) return VO_OK;
    return vo_fail(s->ctx, VO_BAD_DATA,
                   "%s: node %d of cloth %d refers to node %d of the scene's mesh, which has %d "
                   "nodes, each once; the geometry of a run cannot be changed once it has frames",
                   s->path, bad, c, origin[bad], scene_count);
}

static vo_result read_origin(vo_sim *sim, const source *s, int c) {
    vo_cloth_state *cloth = &sim->cloth[c];
    int count = cloth->mesh->node_count;
    const void *rows = NULL;
    vo_free_array(sim->ctx, cloth->origin, cloth->origin_count);
    cloth->origin = NULL;
    cloth->origin_count = 0;
    if (vo_vof_count(s->reader, "node_org", c) < 0) return VO_OK;
    VO_TRY(find_section(s, "node_org", c, VO_VOF_I32, 1, &count, &rows));
    VO_TRY(check_origin(s, c, sim->scene->cloth[c].mesh->node_count, count, rows));
    cloth->origin = vo_new_array(sim->ctx, int, count);
    if (!cloth->origin) return vo_fail_memory(sim->ctx, "a frame");
    cloth->origin_count = count;
    memcpy(cloth->origin, rows, (size_t)count * sizeof *cloth->origin);
    return VO_OK;
}

static vo_result read_cloths(vo_sim *sim, const source *s) {
    for (int c = 0; c < sim->cloth_count; c++) {
        vo_mesh *mesh = NULL;
        VO_TRY(read_mesh(s, c, &sim->scene->cloth[c], &mesh));
        vo_edit_destroy(sim->cloth[c].edit);
        vo_mesh_destroy(sim->cloth[c].mesh);
        sim->cloth[c].edit = NULL;
        sim->cloth[c].mesh = mesh;
        sim->system_cloth[c].mesh = mesh;
        VO_TRY(read_origin(sim, s, c));
    }
    if (vo_vof_count(s->reader, "node_x", sim->cloth_count) < 0) return VO_OK;
    return vo_fail(
        s->ctx, VO_BAD_DATA,
        "%s: has more cloths than the scene, which has %d; the cloths of a run cannot be "
        "changed once it has frames",
        s->path, sim->cloth_count);
}

static vo_result read_guess(vo_sim *sim, const source *s) {
    vo_implicit *m = &sim->implicit;
    for (int c = 0; c < sim->cloth_count; c++) {
        int count = sim->cloth[c].mesh->node_count;
        const void *rows = NULL;
        VO_TRY(find_section(s, "guess", c, VO_VOF_F64, 3, &count, &rows));
        const vo_vec3 *guess = rows;
        for (int i = 0; i < count; i++)
            m->guess[m->system.row_of[sim->cloth[c].first_node + i]] =
                (vo_vec4){guess[i].x, guess[i].y, guess[i].z, 0};
    }
    return VO_OK;
}

static vo_result read_pressed(vo_sim *sim, const source *s) {
    for (int c = 0; c < sim->cloth_count; c++) {
        double *pressed = sim->contact.node_normal_force + sim->cloth[c].first_node;
        int count = sim->cloth[c].mesh->node_count;
        const void *rows = NULL;
        if (vo_vof_count(s->reader, "pressed", c) < 0) continue;
        VO_TRY(find_section(s, "pressed", c, VO_VOF_F64, 1, &count, &rows));
        if (count) memcpy(pressed, rows, (size_t)count * sizeof *pressed);
    }
    return VO_OK;
}

/* Sets *same if the frame's handle i has the same type and nodes as the scene's. */
static vo_result holds_same(const vo_sim *sim, const source *s, int i, bool *same) {
    const vo_handle_def *def = &sim->scene->handle[i].def;
    int head[VO_HANDLE_IDENTITY_HEAD], nodes = vo_handle_identity_nodes(def), count = -1;
    const void *rows = NULL;
    *same = false;
    if (vo_vof_count(s->reader, "hold_who", i) != VO_HANDLE_IDENTITY_HEAD + nodes) return VO_OK;
    VO_TRY(find_section(s, "hold_who", i, VO_VOF_I32, 1, &count, &rows));
    const int *identity = rows;
    vo_handle_identity_head(def, head);
    *same = memcmp(identity, head, sizeof head) == 0 &&
            (nodes == 0 || memcmp(identity + VO_HANDLE_IDENTITY_HEAD, def->nodes,
                                  (size_t)nodes * sizeof *def->nodes) == 0);
    return VO_OK;
}

/* A handle holds each node once, and all that the scene names; glue holds just these. */
static vo_result check_held(const vo_sim *sim, const source *s, int i) {
    const vo_handle_def *def = &sim->scene->handle[i].def;
    const vo_handle_state *h = &sim->handle[i];
    const vo_cloth_state *cloth = &sim->cloth[def->cloth];
    uint8_t *held = vo_alloc_zero(sim->ctx, (size_t)cloth->mesh->node_count + 1);
    if (!held) return vo_fail_memory(sim->ctx, "a frame");
    int named = 0, twice = 0;
    for (int k = 0; k < h->count; k++) {
        twice += held[h->node[k]];
        held[h->node[k]] = 1;
    }
    for (int k = 0; k < def->node_count; k++) {
        int now = vo_sim_find_node(cloth, def->nodes[k]);
        named += now >= 0 && held[now];
    }
    vo_free(sim->ctx, held, (size_t)cloth->mesh->node_count + 1);
    bool sound = !twice && named == def->node_count &&
                 (def->kind != VO_HANDLE_GLUE || h->count == def->node_count);
    if (sound) return VO_OK;
    return vo_fail(s->ctx, VO_BAD_DATA,
                   "%s: the nodes that handle %d holds are not those that the scene names, each "
                   "once; delete the frame and resume",
                   s->path, i);
}

/* The nodes that a handle holds in a mesh that is not the scene's. */
static vo_result read_held(vo_sim *sim, const source *s, int i) {
    vo_handle_state *h = &sim->handle[i];
    int cloth = sim->scene->handle[i].def.cloth, nodes = sim->cloth[cloth].mesh->node_count;
    int count = -1;
    const void *rows = NULL;
    if (vo_vof_count(s->reader, "hold_nod", i) < 0) return VO_OK;
    VO_TRY(find_section(s, "hold_nod", i, VO_VOF_I32, 1, &count, &rows));
    VO_TRY(vo_sim_handle_reserve(sim, i, count));
    for (int k = 0; k < count; k++) {
        h->node[k] = ((const int *)rows)[k];
        if (h->node[k] < 0 || h->node[k] >= nodes)
            return vo_fail(s->ctx, VO_BAD_DATA,
                           "%s: handle %d holds node %d, but cloth %d has %d nodes", s->path, i,
                           h->node[k], cloth, nodes);
    }
    h->count = count;
    return check_held(sim, s, i);
}

/* Reads a handle. One that differs from the frame's stays inactive and attaches at the current
 * positions. */
static vo_result read_handle(vo_sim *sim, const source *s, int i) {
    vo_handle_state *h = &sim->handle[i];
    bool same = false;
    if (vo_vof_count(s->reader, "hold_who", i) >= 0) VO_TRY(holds_same(sim, s, i, &same));
    if (!same) return VO_OK;
    if (sim->scene->handle[i].def.kind != VO_HANDLE_SOFT) VO_TRY(read_held(sim, s, i));
    if (vo_vof_count(s->reader, "hold", i) < 0) return VO_OK;
    int count = h->count;
    const void *rows = NULL;
    VO_TRY(find_section(s, "hold", i, VO_VOF_F64, 3, &count, &rows));
    if (count) memcpy(h->attachment, rows, (size_t)count * sizeof *h->attachment);
    h->active = true;
    return VO_OK;
}

/* Reads the lag of an obstacle; zero if the obstacle differs from the frame's. */
static vo_result read_obstacle(vo_sim *sim, const source *s, int i) {
    vo_obstacle_state *o = &sim->obstacle[i];
    int count = o->mesh->node_count;
    const void *rows = NULL;
    if (vo_vof_count(s->reader, "behind", i) == count)
        VO_TRY(find_section(s, "behind", i, VO_VOF_F64, 3, &count, &rows));
    for (int k = 0; k < count; k++) o->lag[k] = rows ? ((const vo_vec3 *)rows)[k] : v3(0, 0, 0);
    return VO_OK;
}

static vo_result read_visible(vo_sim *sim, source *s) {
    s->owner = "cloth";
    VO_TRY(read_cloths(sim, s));
    s->owner = "handle";
    VO_TRY(vo_sim_handles_reset(sim));
    for (int i = 0; i < sim->handle_count; i++) VO_TRY(read_handle(sim, s, i));
    VO_TRY(vo_sim_handles_reserve(sim));
    s->owner = "obstacle";
    for (int i = 0; i < sim->obstacle_count; i++) VO_TRY(read_obstacle(sim, s, i));
    sim->frame = vo_vof_frame(s->reader);
    sim->frame_start = vo_vof_time(s->reader);
    sim->substep = 0;
    vo_sim_obstacles_place(sim, vo_sim_now(sim));
    return VO_OK;
}

/* Returns true if all values are within [least, most]. */
static bool are_sane(const double *value, int count, double least, double most) {
    for (int i = 0; i < count; i++)
        if (!(value[i] >= least && value[i] <= most)) return false;
    return true;
}

/* Creates the editor of a cloth and restores its state if the frame has it. */
static vo_result read_remeshing(vo_sim *sim, const source *s, int c) {
    vo_cloth_state *cloth = &sim->cloth[c];
    if (!sim->remesh.remesher) return VO_OK;
    VO_TRY(vo_sim_remesh_create_editor(sim, c));
    if (!cloth->origin || vo_vof_count(s->reader, "node_flg", c) < 0) return VO_OK;
    const void *flags = NULL, *cooldown = NULL, *penalty = NULL, *drift = NULL;
    int nodes = cloth->mesh->node_count, edges = cloth->mesh->edge_count;
    VO_TRY(find_section(s, "node_flg", c, VO_VOF_U8, 1, &nodes, &flags));
    VO_TRY(find_section(s, "node_yth", c, VO_VOF_U8, 1, &nodes, &cooldown));
    VO_TRY(find_section(s, "node_het", c, VO_VOF_U8, 1, &nodes, &penalty));
    VO_TRY(find_section(s, "edge_dft", c, VO_VOF_F64, 1, &edges, &drift));
    if (!are_sane(drift, edges, 0, 1e30))
        return vo_fail(s->ctx, VO_BAD_DATA,
                       "%s: the drift of an edge of cloth %d is negative or no number; delete the "
                       "frame and resume",
                       s->path, c);
    for (int n = 0; n < nodes; n++) {
        cloth->edit->node_flags[n] = ((const uint8_t *)flags)[n] & VO_NODE_PRESERVED;
        cloth->edit->node_split_cooldown[n] = ((const uint8_t *)cooldown)[n];
        cloth->edit->node_edit_penalty[n] = ((const uint8_t *)penalty)[n];
    }
    for (int e = 0; e < edges; e++) cloth->edit->edge_drift[e] = ((const double *)drift)[e];
    return VO_OK;
}

static vo_result read_offsets(vo_sim *sim, const source *s, int c) {
    enum { COLUMNS = sizeof(vo_strain_offset) / sizeof(double) };
    vo_implicit *m = &sim->implicit;
    int count = sim->cloth[c].mesh->face_count, one = 1;
    const void *rows = NULL, *fade = NULL;
    if (vo_vof_count(s->reader, "offset", c) < 0) return VO_OK;
    VO_TRY(find_section(s, "offset", c, VO_VOF_F64, COLUMNS, &count, &rows));
    VO_TRY(find_section(s, "fade", c, VO_VOF_F64, 1, &one, &fade));
    if (!are_sane(rows, COLUMNS * count, -1e9, 1e9))
        return vo_fail(
            s->ctx, VO_BAD_DATA,
            "%s: an offset of cloth %d is out of all bounds; delete the frame and resume", s->path,
            c);
    for (int f = 0; f < count; f++)
        m->offset[m->system.face_number[sim->system_cloth[c].first_face + f]] =
            ((const vo_strain_offset *)rows)[f];
    double left = *(const double *)fade;
    m->fade = left > 0 && left <= 1 ? left : 0;
    return VO_OK;
}

/* Reads one number if it exists and is in range. */
static vo_result read_number(const source *s, const char *tag, double most, double *out) {
    int one = 1;
    const void *number = NULL;
    if (vo_vof_count(s->reader, tag, 0) < 0) return VO_OK;
    VO_TRY(find_section(s, tag, 0, VO_VOF_F64, 1, &one, &number));
    double value = *(const double *)number;
    if (value > 0 && value < most) *out = value;
    return VO_OK;
}

/* Reads the state of the budget; without one the scene's values apply. */
static vo_result read_view(vo_sim *sim, const source *s) {
    double density = 0;
    sim->budget.min_edge_pixels = sim->scene->def.view.min_edge_pixels;
    if (!vo_sim_has_budget(sim)) return VO_OK;
    VO_TRY(read_number(s, "view_px", 1e6, &sim->budget.min_edge_pixels));
    VO_TRY(read_number(s, "view_fit", 1e3, &density));
    vo_sim_view_set_density(sim, density);
    return VO_OK;
}

static vo_result read_slack(vo_sim *sim, const source *s, int c) {
    int count = sim->cloth[c].mesh->face_count;
    const void *rows = NULL;
    if (vo_vof_count(s->reader, "slack", c) < 0) return VO_OK;
    VO_TRY(find_section(s, "slack", c, VO_VOF_F64, 1, &count, &rows));
    if (!are_sane(rows, count, 0, 1))
        return vo_fail(s->ctx, VO_BAD_DATA,
                       "%s: the slack of a face of cloth %d is not between 0 and 1; delete the "
                       "frame and resume",
                       s->path, c);
    for (int f = 0; f < count; f++)
        vo_implicit_set_slack(&sim->implicit, sim->system_cloth[c].first_face + f,
                              ((const double *)rows)[f]);
    return VO_OK;
}

static vo_result read_solver(vo_sim *sim, source *s) {
    s->owner = "cloth";
    VO_TRY(vo_sim_rebuild(sim));
    VO_TRY(read_guess(sim, s));
    VO_TRY(read_pressed(sim, s));
    for (int c = 0; c < sim->cloth_count; c++) {
        VO_TRY(read_offsets(sim, s, c));
        VO_TRY(read_slack(sim, s, c));
        VO_TRY(read_remeshing(sim, s, c));
    }
    return read_view(sim, s);
}

static vo_result read_frame(vo_sim *sim, vo_vof_reader *reader, const char *path, bool solver) {
    source s = {.ctx = sim->ctx, .reader = reader, .path = path};
    vo_result result = read_visible(sim, &s);
    if (result == VO_OK && solver) result = read_solver(sim, &s);
    vo_stats_begin(&sim->stats, sim->frame, vo_sim_now(sim));
    sim->budget.frame_s = 0;
    sim->frozen_substeps = sim->remesh.edits = 0;
    return result;
}

vo_result vo_sim_read_frame(vo_sim *sim, vo_vof_reader *reader, const char *path) {
    return read_frame(sim, reader, path, false);
}

vo_result vo_sim_restore(vo_sim *sim, vo_vof_reader *reader, const char *path) {
    return read_frame(sim, reader, path, true);
}

/* Frame files of the real-time engine. Sections besides the meshes:
 *
 *     tag       index   contents
 *     rt_world  0       snapshot of the world (vo_rt_world_save)
 *     rt_hold   handle  attachments of its base vertices, of an active handle
 *     rt_asset  asset   .vrt file, in the first frame of a run
 *     rt_face   asset   label and patch of each base triangle, likewise
 *     rt_node   asset   node of the scene's mesh and label of each base vertex, likewise
 *     rt_use    0       asset of each cloth, likewise */
#include "realtime/realtime_private.h"

#include <limits.h>
#include <string.h>

/* ---- writing -------------------------------------------------------------------------------- */

static vo_result write_asset(const vo_realtime_asset *a, int i, vo_vof_writer *w) {
    size_t bytes;
    const void *data = vo_rt_asset_get_data(a->asset, &bytes);
    VO_TRY(vo_vof_add(w, "rt_asset", i, VO_VOF_U8, 1, (int)bytes, data));
    VO_TRY(vo_vof_add(w, "rt_face", i, VO_VOF_I32, 2, a->face_count, a->face));
    return vo_vof_add(w, "rt_node", i, VO_VOF_I32, 2, a->node_count, a->node);
}

static vo_result write_assets(vo_realtime *r, vo_vof_writer *w) {
    int count = r->sim->cloth_count;
    int *use = vo_arena_array(&r->scratch, int, count);
    if (count && !use) return vo_fail_memory(r->ctx, "the frame");
    for (int c = 0; c < count; c++) use[c] = r->cloth[c].asset;
    VO_TRY(vo_vof_add(w, "rt_use", 0, VO_VOF_I32, 1, count, use));
    for (int i = 0; i < r->asset_count; i++) VO_TRY(write_asset(&r->asset[i], i, w));
    return VO_OK;
}

static vo_result write_world(vo_realtime *r, vo_vof_writer *w) {
    size_t bytes = vo_rt_world_save(r->world, NULL, 0);
    if (bytes > INT_MAX)
        return vo_fail(r->ctx, VO_BAD_DATA,
                       "the state of the real-time world has %zu bytes, more than a frame file can "
                       "store; simulate fewer cloths or bodies",
                       bytes);
    if (bytes > r->snapshot_capacity) {
        vo_free(r->ctx, r->snapshot, r->snapshot_capacity);
        r->snapshot_capacity = bytes + bytes / 4;
        r->snapshot = vo_alloc(r->ctx, r->snapshot_capacity);
        if (!r->snapshot) {
            r->snapshot_capacity = 0;
            return vo_fail_memory(r->ctx, "the frame");
        }
    }
    vo_rt_world_save(r->world, r->snapshot, r->snapshot_capacity);
    return vo_vof_add(w, "rt_world", 0, VO_VOF_U8, 1, (int)bytes, r->snapshot);
}

vo_result vo_realtime_save(vo_realtime *r, vo_vof_writer *w, bool with_assets, const char *path) {
    vo_arena_reset(&r->scratch);
    vo_vof_begin(w, r->sim->frame, vo_sim_now(r->sim));
    VO_TRY(vo_sim_write_meshes(r->sim, w));
    VO_TRY(write_world(r, w));
    for (int i = 0; i < r->sim->handle_count; i++)
        if (r->handle[i].is_active)
            VO_TRY(vo_vof_add(w, "rt_hold", i, VO_VOF_F64, 3, r->handle[i].count,
                              r->handle[i].attachment));
    if (with_assets) VO_TRY(write_assets(r, w));
    return vo_vof_save(w, path);
}

/* ---- reading -------------------------------------------------------------------------------- */

static vo_result fail_damaged(const vo_realtime *r, const char *path, const char *what) {
    return vo_fail(r->ctx, VO_BAD_DATA, "%s: %s; simulate the scene again", path, what);
}

static vo_result read_pairs(const vo_realtime *r, vo_vof_reader *reader, const char *tag, int i,
                            int count, const char *path, int (*out)[2]) {
    const void *rows = NULL;
    int found = 0;
    VO_TRY(vo_vof_find(reader, tag, i, VO_VOF_I32, 2, &found, &rows));
    if (found != count) return fail_damaged(r, path, "a section does not match its asset");
    if (count) memcpy(out, rows, (size_t)count * sizeof *out);
    return VO_OK;
}

static vo_result read_asset(vo_realtime *r, vo_vof_reader *reader, int i, const char *path) {
    const void *data = NULL;
    int bytes = 0;
    vo_rt_message message = {{0}};
    vo_rt_asset *asset;
    vo_realtime_asset *a;
    VO_TRY(vo_vof_find(reader, "rt_asset", i, VO_VOF_U8, 1, &bytes, &data));
    vo_result result = vo_rt_asset_load(&r->ctx->allocator, data, (size_t)bytes, &asset, &message);
    if (result == VO_NO_MEMORY) return vo_fail_memory(r->ctx, "an asset");
    if (result != VO_OK) return vo_fail(r->ctx, VO_BAD_DATA, "%s: %s", path, message.text);
    VO_TRY(vo_realtime_add_asset(r, asset, 0, &a));
    VO_TRY(read_pairs(r, reader, "rt_face", i, a->face_count, path, a->face));
    return read_pairs(r, reader, "rt_node", i, a->node_count, path, a->node);
}

static vo_result read_uses(vo_realtime *r, vo_vof_reader *reader, const char *path) {
    const void *rows = NULL;
    int count = 0;
    VO_TRY(vo_vof_find(reader, "rt_use", 0, VO_VOF_I32, 1, &count, &rows));
    if (count != r->sim->cloth_count)
        return fail_damaged(r, path, "the cloths of a run cannot be changed once it has frames");
    for (int c = 0; c < count; c++) {
        r->cloth[c].asset = ((const int *)rows)[c];
        if (r->cloth[c].asset < 0 || r->cloth[c].asset >= r->asset_count)
            return fail_damaged(r, path, "a cloth refers to an asset that does not exist");
    }
    return VO_OK;
}

vo_result vo_realtime_read_assets(vo_realtime *r, vo_vof_reader *reader, const char *path) {
    if (vo_vof_count(reader, "rt_use", 0) < 0)
        return vo_fail(r->ctx, VO_BAD_DATA,
                       "%s: was not computed by the engine realtime; the engine of a run cannot be "
                       "changed once it has frames",
                       path);
    for (int i = 0; i < r->sim->cloth_count && vo_vof_count(reader, "rt_asset", i) >= 0; i++)
        VO_TRY(read_asset(r, reader, i, path));
    return read_uses(r, reader, path);
}

static vo_result read_handle(vo_realtime *r, vo_vof_reader *reader, int i) {
    vo_realtime_handle *h = &r->handle[i];
    const void *rows = NULL;
    int count = 0;
    if (vo_vof_count(reader, "rt_hold", i) != h->count) return VO_OK;
    VO_TRY(vo_vof_find(reader, "rt_hold", i, VO_VOF_F64, 3, &count, &rows));
    if (count) memcpy(h->attachment, rows, (size_t)count * sizeof *h->attachment);
    h->is_active = true;
    h->is_held = vo_handle_strength(&r->sim->scene->handle[i].def, vo_sim_now(r->sim)) > 0;
    return VO_OK;
}

vo_result vo_realtime_read_state(vo_realtime *r, vo_vof_reader *reader, const char *path) {
    const void *data = NULL;
    int bytes = 0;
    VO_TRY(vo_vof_find(reader, "rt_world", 0, VO_VOF_U8, 1, &bytes, &data));
    vo_result result = vo_rt_world_restore(r->world, data, (size_t)bytes);
    if (result == VO_NO_MEMORY) return vo_fail_memory(r->ctx, "the real-time world");
    if (result != VO_OK)
        return vo_fail(r->ctx, VO_BAD_DATA, "%s: %s", path, vo_rt_world_message(r->world));
    for (int i = 0; i < r->sim->handle_count; i++) VO_TRY(read_handle(r, reader, i));
    return VO_OK;
}

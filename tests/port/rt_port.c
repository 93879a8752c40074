/* Test program of the ports of libvoile-rt: uses the public interface alone, without a test library
 * and without functions of libm, whose rounding differs between platforms.
 *
 * Prints one line per quantity: name, value and the tolerance for comparing ports: a number,
 * "exact", or "hash" for values that only have to be the same in each run of one port. Ends with
 * status 1 and a message on standard error if a check fails. */
#include "scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 120, EARLY_FRAME = 15, SAVED_FRAME = 90 };

static void print_number(const char *group, const char *name, double value, double tolerance) {
    printf("%s.%s %.6f %g\n", group, name, value, tolerance);
}

static void print_hash(const char *group, const char *name, uint64_t hash, const char *tolerance) {
    printf("%s.%s %08x%08x %s\n", group, name, (unsigned)(hash >> 32), (unsigned)hash, tolerance);
}

/* ---- State ---------------------------------------------------------------------------------- */

typedef struct summary {
    double mean[3], lowest;
    int triangles;
} summary;

/* Mean and lowest corner of the leaf triangles. */
static summary summarize(const vo_rt_cloth *cloth) {
    vo_rt_leaf_view view = vo_rt_cloth_get_leaves(cloth);
    summary s = {.lowest = 1e30, .triangles = view.triangle_count};
    for (int i = 0; i < 3 * view.triangle_count; i++) {
        const float *p = view.positions + 4 * view.triangles[4 * (i / 3) + i % 3];
        for (int k = 0; k < 3; k++) s.mean[k] += (double)p[k] / (3 * view.triangle_count);
        if ((double)p[1] < s.lowest) s.lowest = (double)p[1];
    }
    return s;
}

static uint64_t hash_cloth(uint64_t hash, const vo_rt_cloth *cloth) {
    vo_rt_leaf_view view = vo_rt_cloth_get_leaves(cloth);
    for (int i = 0; i < 3 * view.triangle_count; i++) {
        int32_t slot = view.triangles[4 * (i / 3) + i % 3];
        hash = hash_bytes(hash, &slot, sizeof slot);
        hash = hash_bytes(hash, view.positions + 4 * slot, 16);
        hash = hash_bytes(hash, view.velocities + 4 * slot, 12);
    }
    return hash;
}

static uint64_t hash_scene(const scene *s) {
    return hash_cloth(hash_cloth(HASH_START, s->cloth), s->second);
}

/* Hash of positions, normals and tangents of the output. */
static uint64_t hash_output(const vo_rt_cloth *cloth, const vo_rt_asset *asset) {
    int count = vo_rt_asset_get_info(asset).render_vertex_count;
    size_t stride = 10 * sizeof(float);
    float *buffer = calloc((size_t)count, stride);
    check(buffer != NULL, "out of memory");
    vo_rt_output output = {.positions = buffer,
                           .position_stride = stride,
                           .normals = buffer + 3,
                           .normal_stride = stride,
                           .tangents = buffer + 6,
                           .tangent_stride = stride};
    check_ok(vo_rt_cloth_write_output(cloth, &output), "vo_rt_cloth_write_output");
    uint64_t hash = hash_bytes(HASH_START, buffer, (size_t)count * stride);
    free(buffer);
    return hash;
}

/* ---- Simulation ----------------------------------------------------------------------------- */

/* Counts of a run. */
typedef struct totals {
    int64_t splits, joins, contacts, recovered, inside;
} totals;

static void run_frames(scene *s, int begin, int end, totals *sum) {
    for (int frame = begin; frame < end; frame++) {
        pose_scene(s, frame);
        check_ok(vo_rt_world_step(s->world, 1 / 60.0f), vo_rt_world_message(s->world));
        vo_rt_stats stats = vo_rt_world_get_stats(s->world);
        sum->splits += stats.splits, sum->joins += stats.joins, sum->contacts += stats.contacts;
        sum->recovered += stats.recovered_cloths, sum->inside = stats.inside_vertices;
    }
}

static void print_summary(const scene *s, int frame, double tolerance) {
    summary m = summarize(s->cloth);
    char name[32];
    for (int k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "mean_%c.%d", "xyz"[k], frame);
        print_number(s->name, name, m.mean[k], tolerance);
    }
    snprintf(name, sizeof name, "lowest.%d", frame);
    print_number(s->name, name, m.lowest, tolerance);
    snprintf(name, sizeof name, "triangles.%d", frame);
    print_number(s->name, name, m.triangles, frame <= EARLY_FRAME ? 8 : 0.25 * m.triangles);
}

/* Runs all frames and prints the results. The state after FRAMES must be the same after a return to
 * a snapshot. Returns the hash after EARLY_FRAME. */
static uint64_t run_scene(scene *s, totals *sum) {
    run_frames(s, 0, EARLY_FRAME, sum);
    print_summary(s, EARLY_FRAME, 1e-4);
    uint64_t early = hash_scene(s);
    run_frames(s, EARLY_FRAME, SAVED_FRAME, sum);
    size_t bytes = vo_rt_world_save(s->world, NULL, 0);
    void *saved = malloc(bytes);
    check(saved && vo_rt_world_save(s->world, saved, bytes) == bytes, "vo_rt_world_save");
    totals again = *sum;
    run_frames(s, SAVED_FRAME, FRAMES, sum);
    uint64_t hash = hash_scene(s), output = hash_output(s->cloth, s->asset);
    check_ok(vo_rt_world_restore(s->world, saved, bytes), vo_rt_world_message(s->world));
    run_frames(s, SAVED_FRAME, FRAMES, &again);
    check(hash_scene(s) == hash, "state after vo_rt_world_restore differs");
    check(hash_output(s->cloth, s->asset) == output, "output after vo_rt_world_restore differs");
    free(saved);
    print_summary(s, FRAMES, 0.05);
    print_hash(s->name, "state", hash, "hash");
    print_hash(s->name, "output", output, "hash");
    return early;
}

/* Runs a scene with one thread and returns its hash after EARLY_FRAME. */
static uint64_t test_scene(create_scene_fn *create) {
    scene s = create(1);
    totals sum = {0};
    uint64_t hash = run_scene(&s, &sum);
    check(sum.splits > 0 && sum.joins > 0, "the scene must split and join edges");
    check(sum.contacts > 0, "the scene must have contacts");
    check(sum.recovered == 0, "the state must stay finite");
    check(sum.inside == 0, "vertices must be outside bodies in the last frame");
    destroy_scene(&s);
    return hash;
}

/* The result does not depend on the number of threads. */
static void test_threads(create_scene_fn *create, uint64_t expected) {
    scene s = create(3);
    totals sum = {0};
    run_frames(&s, 0, EARLY_FRAME, &sum);
    check(hash_scene(&s) == expected, "the state depends on the number of threads");
    destroy_scene(&s);
}

/* ---- Assets --------------------------------------------------------------------------------- */

static vo_result load_copy(const void *data, size_t bytes, vo_rt_asset **out) {
    vo_allocator allocator = port_allocator();
    return vo_rt_asset_load(&allocator, data, bytes, out, NULL);
}

/* Loading what was saved gives the same file; a file with a changed byte is rejected. */
static void test_asset(const char *name, const vo_rt_asset *asset, const char *tolerance) {
    size_t bytes, loaded_bytes;
    const void *data = vo_rt_asset_get_data(asset, &bytes);
    vo_rt_asset *loaded;
    check_ok(load_copy(data, bytes, &loaded), "vo_rt_asset_load");
    const void *again = vo_rt_asset_get_data(loaded, &loaded_bytes);
    check(bytes == loaded_bytes && memcmp(data, again, bytes) == 0, "the loaded asset differs");
    vo_rt_asset_destroy(loaded);

    unsigned char *damaged = malloc(bytes);
    check(damaged != NULL, "out of memory");
    memcpy(damaged, data, bytes);
    damaged[bytes / 2] ^= 1;
    check(load_copy(damaged, bytes, &loaded) == VO_BAD_DATA && !loaded, "damage is not detected");
    free(damaged);
    print_number(name, "asset_bytes", (double)bytes, 0);
    print_hash(name, "asset", hash_bytes(HASH_START, data, bytes), tolerance);
}

static void test_assets(void) {
    vo_rt_asset *sheet = create_sheet_asset(), *shirt = create_shirt_asset();
    test_asset("sheet", sheet, "exact");
    test_asset("shirt", shirt, "hash"); /* its pieces were simulated */
    vo_rt_asset_destroy(sheet);
    vo_rt_asset_destroy(shirt);
}

int main(void) {
    test_assets();
    test_threads(create_drape, test_scene(create_drape));
    test_threads(create_shirt, test_scene(create_shirt));
    check(port_live_blocks() == 0, "memory was not released");
    return 0;
}

/* Assets and worlds for tests of the real-time library. */
#ifndef VOILE_TESTS_RT_FIXTURE_H
#define VOILE_TESTS_RT_FIXTURE_H

#include "support.h"

#include "rt/base/text.h"
#include "rt/world/world.h"

#include <stdlib.h>
#include <string.h>

/* Calls of the host's allocator. */
typedef struct rt_memory {
    long calls, live;
} rt_memory;

static inline void *rt_allocate(void *user, size_t bytes, size_t alignment) {
    rt_memory *memory = user;
    if (memory) memory->calls++, memory->live++;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static inline void rt_release(void *user, void *block, size_t bytes) {
    rt_memory *memory = user;
    (void)bytes;
    if (memory) memory->calls++, memory->live--;
    free(block);
}

static inline vo_allocator rt_allocator(rt_memory *memory) {
    return (vo_allocator){memory, rt_allocate, rt_release};
}

#define assert_rt_ok(world, call)                                                           \
    do {                                                                                    \
        vo_result result_ = (call);                                                         \
        if (result_ != VO_OK)                                                               \
            fail_msg("%s: result %d: %s", #call, (int)result_, vo_rt_world_message(world)); \
    } while (0)

enum { RT_GRID = 9, RT_GRID_VERTICES = RT_GRID * RT_GRID };
typedef enum rt_pins { RT_FREE, RT_PIN_EDGE, RT_PIN_CORNERS } rt_pins;

/* Triangles of a grid of `columns` by `rows` vertices. */
static inline int rt_grid_triangles(int columns, int rows, bool wraps, int32_t *out) {
    int count = 0;
    for (int i = 0; i + 1 < rows; i++)
        for (int j = 0; j + !wraps < columns; j++) {
            int a = i * columns + j, b = i * columns + (j + 1) % columns;
            int32_t t[6] = {a, a + columns, b, b, a + columns, b + columns};
            memcpy(out + count, t, sizeof t);
            count += 6;
        }
    return count / 3;
}

/* A square sheet in the plane z = 0 (hanging) or y = 0 (lying), with its centre at the origin. */
static inline vo_rt_asset *rt_sheet(float size, bool lies, rt_pins pins, int max_level) {
    vo_rt_vec3 x[RT_GRID_VERTICES];
    float attachment[RT_GRID_VERTICES] = {0};
    int32_t triangles[6 * RT_GRID_VERTICES];
    for (int i = 0; i < RT_GRID; i++)
        for (int j = 0; j < RT_GRID; j++) {
            float u = size * ((float)j / (RT_GRID - 1) - 0.5f);
            float v = size * (0.5f - (float)i / (RT_GRID - 1));
            x[i * RT_GRID + j] = lies ? f3(u, 0, -v) : f3(u, v, 0);
            bool corner = i == 0 && (j == 0 || j == RT_GRID - 1);
            if ((pins == RT_PIN_EDGE && j == 0) || (pins == RT_PIN_CORNERS && corner))
                attachment[i * RT_GRID + j] = 1;
        }
    vo_rt_asset_def def = vo_rt_asset_def_default();
    def.vertex_count = RT_GRID_VERTICES;
    def.positions = x;
    def.triangle_count = rt_grid_triangles(RT_GRID, RT_GRID, false, triangles);
    def.triangles = triangles;
    def.attachment = attachment;
    def.max_level = max_level;
    vo_allocator allocator = rt_allocator(NULL);
    vo_rt_asset *asset;
    vo_rt_message message;
    if (vo_rt_asset_create(&allocator, &def, &asset, &message) != VO_OK)
        fail_msg("%s", message.text);
    return asset;
}

/* A vertical tube of radius 0.25 m and height 1 m, skinned to two bones; its top is attached. */
enum { RT_TUBE_COLUMNS = 12, RT_TUBE_ROWS = 8, RT_TUBE_VERTICES = 96 };
static inline vo_rt_asset *rt_tube(void) {
    vo_rt_vec3 x[RT_TUBE_VERTICES];
    float attachment[RT_TUBE_VERTICES] = {0}, weights[4 * RT_TUBE_VERTICES] = {0};
    uint16_t bones[4 * RT_TUBE_VERTICES] = {0};
    int32_t triangles[6 * RT_TUBE_VERTICES];
    for (int i = 0; i < RT_TUBE_ROWS; i++)
        for (int j = 0; j < RT_TUBE_COLUMNS; j++) {
            int v = i * RT_TUBE_COLUMNS + j;
            float a = 6.2831853f * (float)j / RT_TUBE_COLUMNS, t = (float)i / (RT_TUBE_ROWS - 1);
            x[v] = f3(0.25f * cosf(a), 1 - t, -0.25f * sinf(a));
            attachment[v] = i == 0;
            bones[4 * v + 1] = 1;
            weights[4 * v] = 1 - t;
            weights[4 * v + 1] = t;
        }
    vo_rt_asset_def def = vo_rt_asset_def_default();
    def.vertex_count = RT_TUBE_VERTICES;
    def.positions = x;
    def.triangle_count = rt_grid_triangles(RT_TUBE_COLUMNS, RT_TUBE_ROWS, true, triangles);
    def.triangles = triangles;
    def.attachment = attachment;
    def.bone_count = 2;
    def.skin_bones = bones;
    def.skin_weights = weights;
    def.max_level = 2;
    vo_allocator allocator = rt_allocator(NULL);
    vo_rt_asset *asset;
    vo_rt_message message;
    if (vo_rt_asset_create(&allocator, &def, &asset, &message) != VO_OK)
        fail_msg("%s", message.text);
    return asset;
}

static inline vo_rt_world *rt_world(const vo_rt_world_def *def) {
    vo_rt_world_def d = def ? *def : vo_rt_world_def_default();
    if (!d.allocator.allocate) d.allocator = rt_allocator(NULL);
    vo_rt_world *world;
    vo_rt_message message;
    if (vo_rt_world_create(&d, &world, &message) != VO_OK) fail_msg("%s", message.text);
    return world;
}

static inline vo_rt_cloth *rt_cloth(vo_rt_world *world, const vo_rt_asset *asset, float x, float y,
                                    float z) {
    vo_rt_cloth_def def = vo_rt_cloth_def_default();
    def.asset = asset;
    def.transform.position = f3(x, y, z);
    vo_rt_cloth *cloth;
    assert_rt_ok(world, vo_rt_cloth_create(world, &def, &cloth));
    return cloth;
}

static inline vo_rt_transform rt_at(float x, float y, float z) {
    vo_rt_transform t = vo_rt_transform_identity();
    t.position = f3(x, y, z);
    return t;
}

static inline vo_rt_body *rt_sphere(vo_rt_world *world, float radius, float x, float y, float z) {
    vo_rt_shape shape = vo_rt_shape_default(VO_RT_SPHERE);
    shape.radius = radius;
    vo_rt_body_def def = vo_rt_body_def_default();
    def.shape_count = 1;
    def.shapes = &shape;
    def.transform = rt_at(x, y, z);
    vo_rt_body *body;
    assert_rt_ok(world, vo_rt_body_create(world, &def, &body));
    return body;
}

static inline void rt_run(vo_rt_world *world, int frames) {
    for (int i = 0; i < frames; i++) assert_rt_ok(world, vo_rt_world_step(world, 1 / 60.0f));
}

/* Hash of positions, velocities and triangles of all cloths. */
static inline uint64_t rt_hash(const vo_rt_world *world) {
    uint64_t hash = 0;
    for (int i = 0; i < world->cloth_end; i++) {
        if (!world->cloth[i].is_used) continue;
        const vo_rt_front *f = &world->cloth[i].mesh.front;
        for (int v = 1; v < f->vertex_end; v++) {
            if (!(f->flags[v] & VO_RT_VERTEX_USED)) continue;
            hash = vo_rt_hash(hash, &f->position[v], sizeof *f->position);
            hash = vo_rt_hash(hash, &f->velocity[v], 3 * sizeof(float));
        }
        hash = vo_rt_hash(hash, f->triangles, (size_t)f->triangle_count * sizeof *f->triangles);
    }
    return hash;
}

static inline bool rt_is_finite(const vo_rt_cloth *cloth) {
    const vo_rt_front *f = &cloth->mesh.front;
    for (int v = 1; v < f->vertex_end; v++)
        if ((f->flags[v] & VO_RT_VERTEX_USED) &&
            !(f3_is_finite(f4_xyz(f->position[v])) && f3_is_finite(f4_xyz(f->velocity[v]))))
            return false;
    return true;
}

/* Vertices nearer to a point than a distance. */
static inline int rt_count_inside(const vo_rt_cloth *cloth, vo_rt_vec3 center, float radius) {
    const vo_rt_front *f = &cloth->mesh.front;
    int count = 0;
    for (int v = 1; v < f->vertex_end; v++)
        count += (f->flags[v] & VO_RT_VERTEX_USED) &&
                 f3_distance(f4_xyz(f->position[v]), center) < radius;
    return count;
}

#endif

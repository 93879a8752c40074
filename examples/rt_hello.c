/* Real-time library: a sheet of one square metre falls onto a sphere and drapes over it. */
#include <voile/rt.h>

#include <stdio.h>
#include <stdlib.h>

static void *allocate(void *user, size_t bytes, size_t alignment) {
    (void)user;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void release(void *user, void *memory, size_t bytes) {
    (void)user, (void)bytes;
    free(memory);
}

/* Exits with Voile's message if a call failed. */
static void need(vo_result result, const char *message) {
    if (result == VO_OK) return;
    fprintf(stderr, "rt_hello: %s\n", message);
    exit(1);
}

/* A horizontal sheet of N x N vertices, one metre wide, with its centre at the origin. */
static vo_rt_asset *create_sheet(const vo_allocator *allocator) {
    enum { N = 9 };
    vo_rt_vec3 positions[N * N];
    int32_t triangles[6 * (N - 1) * (N - 1)], *t = triangles;
    for (int i = 0; i < N * N; i++) {
        vo_rt_vec3 x = {(float)(i % N) / (N - 1) - 0.5f, 0, (float)(i / N) / (N - 1) - 0.5f};
        positions[i] = x;
        if (i % N == N - 1 || i / N == N - 1) continue;
        *t++ = i, *t++ = i + N, *t++ = i + 1;
        *t++ = i + 1, *t++ = i + N, *t++ = i + N + 1;
    }
    vo_rt_asset_def def = vo_rt_asset_def_default();
    def.vertex_count = N * N;
    def.positions = positions;
    def.triangle_count = 2 * (N - 1) * (N - 1);
    def.triangles = triangles;
    vo_rt_asset *asset;
    vo_rt_message message;
    need(vo_rt_asset_create(allocator, &def, &asset, &message), message.text);
    return asset;
}

int main(void) {
    vo_rt_world_def world_def = vo_rt_world_def_default();
    vo_allocator allocator = {NULL, allocate, release};
    world_def.allocator = allocator;
    vo_rt_world *world;
    vo_rt_message message;
    need(vo_rt_world_create(&world_def, &world, &message), message.text);

    vo_rt_shape ball = vo_rt_shape_default(VO_RT_SPHERE);
    ball.radius = 0.3f;
    vo_rt_body_def body_def = vo_rt_body_def_default();
    body_def.shapes = &ball;
    body_def.shape_count = 1;
    vo_rt_body *body;
    need(vo_rt_body_create(world, &body_def, &body), vo_rt_world_message(world));

    vo_rt_asset *asset = create_sheet(&allocator);
    vo_rt_cloth_def cloth_def = vo_rt_cloth_def_default();
    cloth_def.asset = asset;
    cloth_def.transform.position.y = 0.5f;
    vo_rt_cloth *cloth;
    need(vo_rt_cloth_create(world, &cloth_def, &cloth), vo_rt_world_message(world));

    /* A game passes the time of its frame. */
    for (int frame = 0; frame < 120; frame++)
        need(vo_rt_world_step(world, 1 / 60.0f), vo_rt_world_message(world));

    int lowest = 0;
    for (int i = 1; i < vo_rt_asset_get_info(asset).vertex_count; i++)
        if (vo_rt_cloth_get_vertex(cloth, i).y < vo_rt_cloth_get_vertex(cloth, lowest).y)
            lowest = i;
    vo_rt_vec3 x = vo_rt_cloth_get_vertex(cloth, lowest);
    vo_rt_stats stats = vo_rt_world_get_stats(world);
    printf("The lowest vertex is at (%.2f, %.2f, %.2f) m.\n", x.x, x.y, x.z);
    printf("%d triangles, %d contacts, %d vertices inside the sphere, stretch %.1f %%, %.3f ms\n",
           (int)stats.triangles, (int)stats.contacts, (int)stats.inside_vertices,
           100 * stats.max_stretch,
           1e3 * (stats.pose_s + stats.adapt_s + stats.solve_s + stats.collide_s + stats.output_s));

    vo_rt_world_destroy(world); /* with its bodies and cloths */
    vo_rt_asset_destroy(asset);
    return 0;
}

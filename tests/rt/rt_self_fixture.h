/* A group of two folded sheets of random resolution, for queries without a world. */
#ifndef VOILE_TESTS_RT_SELF_FIXTURE_H
#define VOILE_TESTS_RT_SELF_FIXTURE_H

#include "rt_fixture.h"

#include "rt/self/self_private.h"

/* A group of two meshes on a heap of its own. */
typedef struct rt_group {
    vo_rt_heap heap;
    vo_rt_asset *asset;
    vo_rt_mesh mesh[2];
    vo_rt_self_set set;
} rt_group;

/* Splits random edges until the mesh has about `count` triangles. */
static inline void rt_refine(vo_rt_mesh *mesh, vo_rt_heap *heap, vo_random *random, int count) {
    for (int i = 0; i < 20 * count && mesh->front.triangle_count < count; i++) {
        int edge = vo_random_int(random, mesh->edge_end);
        assert_true(vo_rt_mesh_reserve_splits(mesh, heap, 1));
        if (vo_rt_mesh_can_split(mesh, edge)) vo_rt_mesh_split(mesh, edge);
    }
}

/* Rolls and folds a sheet of 1 m: layers come within millimetres of each other. */
static inline void rt_fold(vo_rt_mesh *mesh, vo_random *random, float offset) {
    vo_rt_front *f = &mesh->front;
    float pitch = (float)vo_random_real(random, 0.002, 0.02);
    float wave = (float)vo_random_real(random, 0, 0.03),
          noise = (float)vo_random_real(random, 0, 0.002);
    for (int i = 1; i < f->vertex_end; i++) {
        vo_rt_vec3 x = f4_xyz(f->position[i]);
        float u = x.x + 0.5f, angle = 12 * u, radius = 0.04f + pitch * angle * 0.16f;
        vo_rt_vec3 p = f3(radius * cosf(angle) + offset, radius * sinf(angle),
                          0.3f * x.z + wave * sinf(25 * u + 9 * x.z));
        for (int k = 0; k < 3; k++) *(&p.x + k) += noise * (float)vo_random_real(random, -1, 1);
        f->position[i] = f4_make(p, f->position[i].w);
        vo_rt_vec3 v = f3(p.y, -p.x, 0.3f);
        f->velocity[i] = f4_make(f3_add(f3_scale(2, v), f3((float)vo_random_real(random, -1, 1), 0,
                                                           (float)vo_random_real(random, -1, 1))),
                                 0);
    }
}

/* Two sheets that lie on each other, 1 to 4 mm apart, without intersections. */
static inline void rt_layer(vo_rt_mesh *mesh, vo_random *random, int layer) {
    vo_rt_front *f = &mesh->front;
    float height = (float)vo_random_real(random, 0.001, 0.004) * (float)layer;
    for (int i = 1; i < f->vertex_end; i++) {
        vo_rt_vec3 x = f4_xyz(f->position[i]);
        x.y = height + (float)vo_random_real(random, 0, 4e-4);
        f->position[i] = f4_make(x, f->position[i].w);
        for (int k = 0; k < 3; k++)
            *(&f->velocity[i].x + k) = 0.5f * (float)vo_random_real(random, -1, 1);
    }
}

typedef enum rt_shape { RT_FOLDED, RT_LAYERED, RT_FLAT } rt_shape;

/* `memory` scales that of the pairs. */
static inline void rt_group_set_up(rt_group *t, vo_random *random, rt_shape shape, int memory) {
    vo_allocator allocator = rt_allocator(NULL);
    assert_true(vo_rt_heap_init(&t->heap, &allocator, (size_t)64 << 20));
    t->asset = rt_sheet(1, true, RT_FREE, 3);
    int vertices = 0, faces = 0, cells = 0, fans = 0;
    for (int k = 0; k < 2; k++) {
        assert_true(vo_rt_mesh_init(&t->mesh[k], t->asset, &t->heap));
        t->mesh[k].max_level = 3;
        rt_refine(&t->mesh[k], &t->heap, random, k == 0 ? 500 : 200);
        if (shape == RT_FOLDED) rt_fold(&t->mesh[k], random, 0.02f * (float)k);
        if (shape == RT_LAYERED) rt_layer(&t->mesh[k], random, k);
        vertices += t->mesh[k].front.vertex_end;
        faces += t->mesh[k].front.triangle_count;
        cells += t->asset->triangle_count;
        fans += t->asset->vertex_count;
    }
    t->set = (vo_rt_self_set){0};
    vo_rt_self_size size = {
        .members = 2, .vertices = vertices, .faces = memory * faces, .cells = cells, .fans = fans};
    assert_true(vo_rt_self_reserve(&t->set, &t->heap, &size));
    t->set.member_count = 2;
    for (int k = 0; k < 2; k++)
        t->set.member[k] = (vo_rt_self_member){.mesh = &t->mesh[k],
                                               .thickness = 0.002f,
                                               .friction = 0.3f,
                                               .min = {-1e9f, -1e9f, -1e9f},
                                               .max = {1e9f, 1e9f, 1e9f},
                                               .moves = true,
                                               .scale = 1 / 120.0f};
}

static inline void rt_group_tear_down(rt_group *t) {
    vo_rt_heap_free(&t->heap);
    vo_rt_asset_destroy(t->asset);
}

#endif

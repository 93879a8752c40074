#include "scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <malloc.h>
#endif

/* ---- Support -------------------------------------------------------------------------------- */

void check(bool condition, const char *text) {
    if (condition) return;
    fprintf(stderr, "rt_port: %s\n", text);
    exit(1);
}

void check_ok(vo_result result, const char *text) {
    if (result == VO_OK) return;
    fprintf(stderr, "rt_port: result %d: ", (int)result);
    check(false, text);
}

static long live_blocks;

static void *allocate(void *user, size_t bytes, size_t alignment) {
    (void)user;
    live_blocks++;
#ifdef _WIN32
    return _aligned_malloc(bytes, alignment);
#else
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
#endif
}

static void release(void *user, void *memory, size_t bytes) {
    (void)user, (void)bytes;
    live_blocks--;
#ifdef _WIN32
    _aligned_free(memory);
#else
    free(memory);
#endif
}

vo_allocator port_allocator(void) { return (vo_allocator){NULL, allocate, release}; }
long port_live_blocks(void) { return live_blocks; }

uint64_t hash_bytes(uint64_t hash, const void *data, size_t bytes) {
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* ---- Assets --------------------------------------------------------------------------------- */

/* Two triangles per cell of a grid of `columns` x `rows` vertices from vertex `first` on. */
static int add_grid(int first, int columns, int rows, bool flip, int32_t *out) {
    int count = 0;
    for (int i = 0; i + 1 < rows; i++)
        for (int j = 0; j + 1 < columns; j++) {
            int a = first + i * columns + j, b = a + 1, c = a + columns, d = c + 1;
            const int32_t t[2][6] = {{a, c, b, b, c, d}, {a, b, c, b, d, c}};
            memcpy(out + count, t[flip], sizeof t[flip]);
            count += 6;
        }
    return count / 3;
}

vo_rt_asset *create_sheet_asset(void) {
    enum { N = 7 };
    vo_rt_vec3 x[N * N];
    int32_t triangles[6 * N * N];
    for (int i = 0; i < N * N; i++)
        x[i] = (vo_rt_vec3){0.16f * (float)(i % N) - 0.48f, 0, 0.16f * (float)(i / N) - 0.48f};
    vo_rt_asset_def def = vo_rt_asset_def_default();
    def.vertex_count = N * N;
    def.positions = x;
    def.triangle_count = add_grid(0, N, N, false, triangles);
    def.triangles = triangles;
    def.max_level = 2;
    vo_allocator allocator = port_allocator();
    vo_rt_asset *asset;
    vo_rt_message message;
    check_ok(vo_rt_asset_create(&allocator, &def, &asset, &message), message.text);
    return asset;
}

/* Front and back of a shirt: rows of vertices from the shoulders down, 0.72 m x 0.72 m. */
enum { COLUMNS = 7, ROWS = 7, PIECE = COLUMNS * ROWS, NECK_BEGIN = 2, NECK_END = 4, ARM_END = 2 };

typedef struct shirt {
    vo_rt_vec3 positions[2 * PIECE];
    int32_t triangles[12 * PIECE];
    float attachment[2 * PIECE], weights[8 * PIECE];
    uint16_t bones[8 * PIECE];
} shirt;

/* Shoulders follow bone 0; the hem follows bone 1, which applies to the animated pose only. */
static void fill_shirt(shirt *s) {
    for (int v = 0; v < 2 * PIECE; v++) {
        int piece = v / PIECE, i = v % PIECE / COLUMNS, j = v % COLUMNS;
        float lower = (float)i / (ROWS - 1);
        s->positions[v] = (vo_rt_vec3){0.12f * (float)(j - COLUMNS / 2), 1.4f - 0.12f * (float)i,
                                       piece == 0 ? 0.2f : -0.2f};
        s->attachment[v] = i == 0 ? 1 : 0;
        s->bones[4 * v + 1] = 1;
        s->weights[4 * v] = 1 - lower;
        s->weights[4 * v + 1] = lower;
    }
}

static vo_rt_asset_def define_shirt(shirt *s) {
    memset(s, 0, sizeof *s);
    fill_shirt(s);
    vo_rt_asset_def def = vo_rt_asset_def_default();
    def.vertex_count = 2 * PIECE;
    def.positions = s->positions;
    def.triangle_count = add_grid(0, COLUMNS, ROWS, false, s->triangles);
    def.triangle_count +=
        add_grid(PIECE, COLUMNS, ROWS, true, s->triangles + 3 * def.triangle_count);
    def.triangles = s->triangles;
    def.attachment = s->attachment;
    def.bone_count = 2;
    def.skin_bones = s->bones;
    def.skin_weights = s->weights;
    def.max_level = 1;
    return def;
}

static void link_edge(vo_rt_seaming *seaming, int a, int b) {
    vo_rt_message message;
    check_ok(vo_rt_seaming_link_edges(seaming, a, b, PIECE + a, PIECE + b, false, &message),
             message.text);
}

/* Side seams below the sleeves and shoulder seams on both sides of the neck. */
static void link_shirt(vo_rt_seaming *seaming) {
    for (int i = ARM_END; i + 1 < ROWS; i++) {
        link_edge(seaming, i * COLUMNS, (i + 1) * COLUMNS);
        link_edge(seaming, (i + 1) * COLUMNS - 1, (i + 2) * COLUMNS - 1);
    }
    for (int j = 0; j + 1 < COLUMNS; j++)
        if (j < NECK_BEGIN || j >= NECK_END) link_edge(seaming, j, j + 1);
}

static vo_rt_world *create_world(int threads) {
    vo_rt_world_def def = vo_rt_world_def_default();
    def.allocator = port_allocator();
    def.threads = threads;
    def.pool_bytes = 8 << 20;
    vo_rt_world *world;
    vo_rt_message message;
    check_ok(vo_rt_world_create(&def, &world, &message), message.text);
    return world;
}

static vo_rt_cloth *create_cloth(vo_rt_world *world, const vo_rt_asset *asset, float x, float y) {
    vo_rt_cloth_def def = vo_rt_cloth_def_default();
    def.asset = asset;
    def.transform.position.x = x, def.transform.position.y = y;
    vo_rt_cloth *cloth;
    check_ok(vo_rt_cloth_create(world, &def, &cloth), vo_rt_world_message(world));
    return cloth;
}

/* Pulls the linked pieces together without gravity; writes the positions of the base vertices. */
static void pull_together(const vo_rt_asset *linked, vo_rt_vec3 positions[2 * PIECE]) {
    vo_rt_world *world = create_world(1);
    vo_rt_cloth *cloth = create_cloth(world, linked, 0, 0);
    check_ok(vo_rt_world_set_gravity(world, (vo_rt_vec3){0}), vo_rt_world_message(world));
    for (int v = 0; v < 2 * PIECE; v++)
        check_ok(vo_rt_cloth_set_attachment(cloth, v, 0, (vo_rt_vec3){0}),
                 vo_rt_world_message(world));
    for (int frame = 0; frame < 30; frame++)
        check_ok(vo_rt_world_step(world, 1 / 60.0f), vo_rt_world_message(world));
    for (int v = 0; v < 2 * PIECE; v++) positions[v] = vo_rt_cloth_get_vertex(cloth, v);
    vo_rt_world_destroy(world);
}

vo_rt_asset *create_shirt_asset(void) {
    static shirt s;
    vo_rt_asset_def def = define_shirt(&s);
    vo_allocator allocator = port_allocator();
    vo_rt_seaming *seaming;
    vo_rt_asset *linked, *merged;
    vo_rt_message message;
    check_ok(vo_rt_seaming_create(&allocator, &def, &seaming, &message), message.text);
    link_shirt(seaming);
    check_ok(vo_rt_seaming_create_asset(seaming, false, NULL, &linked, &message), message.text);
    pull_together(linked, s.positions);
    vo_rt_asset_destroy(linked);
    check_ok(vo_rt_seaming_create_asset(seaming, true, s.positions, &merged, &message),
             message.text);
    vo_rt_seaming_destroy(seaming);
    check(vo_rt_asset_get_info(merged).is_seamed, "the shirt is not seamed");
    return merged;
}

/* ---- Bodies --------------------------------------------------------------------------------- */

static void add_body(scene *s, vo_rt_body_def def) {
    check_ok(vo_rt_body_create(s->world, &def, &s->body[s->body_count++]),
             vo_rt_world_message(s->world));
}

static void add_shape(scene *s, vo_rt_shape shape, float x, float y, float z) {
    vo_rt_body_def def = vo_rt_body_def_default();
    def.shape_count = 1;
    def.shapes = &shape;
    def.transform.position = (vo_rt_vec3){x, y, z};
    add_body(s, def);
}

/* An octahedron of radius r. */
static void add_octahedron(scene *s, float r, float x, float y, float z) {
    const vo_rt_vec3 p[6] = {{r, 0, 0}, {-r, 0, 0}, {0, r, 0}, {0, -r, 0}, {0, 0, r}, {0, 0, -r}};
    const int32_t t[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    vo_rt_body_def def = vo_rt_body_def_default();
    def.vertex_count = 6;
    def.positions = p;
    def.triangle_count = 8;
    def.triangles = t;
    def.transform.position = (vo_rt_vec3){x, y, z};
    add_body(s, def);
}

/* Points of the unit circle at multiples of 30 degrees: x in [0, 1], y in [1, 1]. */
static vo_rt_vec2 circle_point(int i) {
    static const float cosine[12] = {1,  0.8660254f,  0.5f,  0, -0.5f, -0.8660254f,
                                     -1, -0.8660254f, -0.5f, 0, 0.5f,  0.8660254f};
    return (vo_rt_vec2){cosine[i % 12], cosine[(i + 9) % 12]};
}

/* A closed torso of 12 x RINGS vertices and two poles, skinned to two bones. */
enum { RINGS = 8, TORSO_VERTICES = 12 * RINGS + 2, TORSO_TRIANGLES = 24 * RINGS };
typedef struct torso {
    vo_rt_vec3 positions[TORSO_VERTICES];
    int32_t triangles[3 * TORSO_TRIANGLES];
    uint16_t bones[4 * TORSO_VERTICES];
    float weights[4 * TORSO_VERTICES];
    int triangle_count;
} torso;

static void add_triangle(torso *t, int a, int b, int c) {
    int32_t *v = t->triangles + 3 * t->triangle_count++;
    v[0] = a, v[1] = b, v[2] = c;
}

static void fill_torso(torso *t) {
    memset(t, 0, sizeof *t);
    for (int i = 0; i < TORSO_VERTICES; i++) {
        vo_rt_vec2 c = circle_point(i);
        int ring = i / 12; /* from the top; the poles come last */
        float y = 1.3f - 0.12f * (float)ring;
        t->positions[i] = (vo_rt_vec3){0.2f * c.x, y, -0.12f * c.y};
        if (i >= 12 * RINGS) t->positions[i] = (vo_rt_vec3){0, i == 12 * RINGS ? 1.33f : 0.43f, 0};
        float lower = t->positions[i].y > 1 ? 0.0f : t->positions[i].y < 0.7f ? 1.0f : 0.5f;
        t->bones[4 * i + 1] = 1;
        t->weights[4 * i] = 1 - lower, t->weights[4 * i + 1] = lower;
    }
    for (int j = 0; j < 12; j++) {
        int k = (j + 1) % 12, last = 12 * (RINGS - 1);
        add_triangle(t, 12 * RINGS, j, k);
        add_triangle(t, 12 * RINGS + 1, last + k, last + j);
        for (int r = 0; r + 1 < RINGS; r++) {
            add_triangle(t, 12 * r + j, 12 * r + 12 + j, 12 * r + k);
            add_triangle(t, 12 * r + k, 12 * r + 12 + j, 12 * r + 12 + k);
        }
    }
}

static void add_torso(scene *s) {
    static torso t;
    fill_torso(&t);
    vo_rt_body_def def = vo_rt_body_def_default();
    def.vertex_count = TORSO_VERTICES;
    def.positions = t.positions;
    def.triangle_count = t.triangle_count;
    def.triangles = t.triangles;
    def.skin_bones = t.bones;
    def.skin_weights = t.weights;
    def.bone_count = 2;
    add_body(s, def);
}

/* ---- Scenes --------------------------------------------------------------------------------- */

/* Triangle wave of period 1 between -1 and 1, 0 at 0. */
static float wave(float t) {
    t += 0.25f;
    t -= (float)(int)t;
    return t < 0.5f ? 4 * t - 1 : 3 - 4 * t;
}

/* Rotation by 2 atan(t) about z as a quaternion, for small |t| without a square root. */
static vo_rt_quat turn(float t) {
    float w = 1 - 0.5f * t * t, n = 1 - 0.5f * (t * t + w * w - 1);
    return (vo_rt_quat){0, 0, t * n, w * n};
}

/* The sphere moves sideways, the octahedron turns, gusts blow along x. */
static void pose_drape(scene *s, float time) {
    vo_rt_transform sphere = vo_rt_transform_identity(), mesh = sphere;
    sphere.position = (vo_rt_vec3){-0.25f + 0.05f * wave(time), 0.6f, -0.2f};
    mesh.position = (vo_rt_vec3){0.25f, 0.6f, 0.25f};
    mesh.rotation = turn(0.2f * wave(0.5f * time));
    check_ok(vo_rt_body_set_transform(s->body[0], sphere), vo_rt_world_message(s->world));
    check_ok(vo_rt_body_set_transform(s->body[1], mesh), vo_rt_world_message(s->world));
    vo_rt_vec3 wind = {3 * wave(0.7f * time), 0, 1};
    check_ok(vo_rt_world_set_wind(s->world, wind, 0.3f), vo_rt_world_message(s->world));
}

static float tilted_slab(void *user, vo_rt_vec3 point, vo_rt_vec3 *gradient) {
    (void)user;
    *gradient = (vo_rt_vec3){0.6f, 0.8f, 0};
    return 0.6f * point.x + 0.8f * point.y;
}

static void add_shapes(scene *s) {
    vo_rt_shape sphere = vo_rt_shape_default(VO_RT_SPHERE);
    sphere.radius = 0.15f;
    add_shape(s, sphere, -0.25f, 0.6f, -0.2f);
    add_octahedron(s, 0.2f, 0.25f, 0.6f, 0.25f);
    vo_rt_shape capsule = vo_rt_shape_default(VO_RT_CAPSULE);
    capsule.radius = 0.06f, capsule.half_height = 0.1f;
    capsule.local.rotation = (vo_rt_quat){0.6f, 0, 0, 0.8f};
    add_shape(s, capsule, 0.25f, 0.55f, -0.25f);
    vo_rt_shape tapered = vo_rt_shape_default(VO_RT_TAPERED_CAPSULE);
    tapered.radius = 0.1f, tapered.end_radius = 0.05f, tapered.half_height = 0.12f;
    add_shape(s, tapered, -0.25f, 0.5f, 0.25f);
    vo_rt_shape box = vo_rt_shape_default(VO_RT_BOX);
    box.half_extents = (vo_rt_vec3){0.1f, 0.05f, 0.1f};
    add_shape(s, box, 0, 0.4f, 0);
    vo_rt_shape slab = vo_rt_shape_default(VO_RT_DISTANCE);
    slab.distance = tilted_slab;
    slab.min = (vo_rt_vec3){-0.2f, -0.2f, -0.2f}, slab.max = (vo_rt_vec3){0.2f, 0.2f, 0.2f};
    add_shape(s, slab, -0.5f, 0.3f, 0);
    add_shape(s, vo_rt_shape_default(VO_RT_PLANE), 0, 0, 0);
}

scene create_drape(int threads) {
    scene s = {.name = "drape", .world = create_world(threads), .pose = pose_drape};
    s.asset = create_sheet_asset();
    s.cloth = create_cloth(s.world, s.asset, 0, 0.85f);
    s.second = create_cloth(s.world, s.asset, 3, 0.3f);
    add_shapes(&s);
    return s;
}

/* The lower bone swings about the waist; the fan moves from side to side. */
static void pose_shirt(scene *s, float time) {
    float t = 0.15f * wave(time), c = (1 - t * t) / (1 + t * t), d = 2 * t / (1 + t * t);
    const float waist = 0.9f;
    const vo_rt_matrix bones[2] = {{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
                                   {{c, -d, 0, d * waist, d, c, 0, waist - c * waist, 0, 0, 1, 0}}};
    check_ok(vo_rt_body_set_bones(s->body[0], 2, bones), vo_rt_world_message(s->world));
    check_ok(vo_rt_cloth_set_bones(s->cloth, 2, bones), vo_rt_world_message(s->world));
    vo_rt_matrix beside[2] = {bones[0], bones[1]};
    beside[0].m[3] += 3, beside[1].m[3] += 3;
    check_ok(vo_rt_cloth_set_bones(s->second, 2, beside), vo_rt_world_message(s->world));
    vo_rt_fan fan = {.position = {0.5f * wave(0.6f * time), 1, 1.5f},
                     .direction = {0, 0, -1},
                     .speed = 8,
                     .angle = 0.6f,
                     .range = 3};
    check_ok(vo_rt_world_set_fans(s->world, 1, &fan), vo_rt_world_message(s->world));
}

scene create_shirt(int threads) {
    scene s = {.name = "shirt", .world = create_world(threads), .pose = pose_shirt};
    s.asset = create_shirt_asset();
    s.cloth = create_cloth(s.world, s.asset, 0, 0);
    s.second = create_cloth(s.world, s.asset, 3, 0);
    add_torso(&s);
    return s;
}

void pose_scene(scene *s, int frame) { s->pose(s, (float)(frame + 1) / 60); }

void destroy_scene(scene *s) {
    vo_rt_world_destroy(s->world);
    vo_rt_asset_destroy(s->asset);
}

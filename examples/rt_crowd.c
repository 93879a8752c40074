/* Real-time library: a crowd in skirts walks past a camera for 2 s. All characters share one
 * garment; their bodies are capsules on bones. The level of detail follows the camera, a counted
 * budget limits the cost, and tasks run on a thread pool of the host.
 *
 *   rt_crowd [CHARACTERS [THREADS]] */
#include <voile/rt.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---- Host: memory, errors, clock, thread pool ----------------------------------------------- */

static void *allocate(void *user, size_t bytes, size_t alignment) {
    (void)user;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void release(void *user, void *memory, size_t bytes) {
    (void)user, (void)bytes;
    free(memory);
}

static void need(vo_result result, const char *message) {
    if (result == VO_OK) return;
    fprintf(stderr, "rt_crowd: %s\n", message);
    exit(1);
}

static double now_ms(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

enum { MAX_THREADS = 16 };

typedef struct pool {
    pthread_t thread[MAX_THREADS];
    pthread_mutex_t mutex;
    pthread_cond_t start, done;
    int thread_count; /* besides the caller */
    bool quits;
    /* The loop in progress. */
    vo_task_fn *task;
    void *data;
    int count, next, unfinished;
} pool;

/* Runs tasks until none is left to start. The mutex is locked before and after. */
static void run_available(pool *p) {
    while (p->next < p->count) {
        int index = p->next++;
        vo_task_fn *task = p->task;
        void *data = p->data;
        pthread_mutex_unlock(&p->mutex);
        task(data, index);
        pthread_mutex_lock(&p->mutex);
        if (--p->unfinished == 0) pthread_cond_signal(&p->done);
    }
}

static void *run_worker(void *user) {
    pool *p = user;
    pthread_mutex_lock(&p->mutex);
    while (!p->quits) {
        run_available(p);
        if (!p->quits) pthread_cond_wait(&p->start, &p->mutex);
    }
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

/* The host's vo_run_tasks_fn: an engine calls its job system here. */
static void run_tasks(void *user, int count, vo_task_fn *task, void *data) {
    pool *p = user;
    pthread_mutex_lock(&p->mutex);
    p->task = task;
    p->data = data;
    p->next = 0;
    p->count = p->unfinished = count;
    pthread_cond_broadcast(&p->start);
    run_available(p);
    while (p->unfinished > 0) pthread_cond_wait(&p->done, &p->mutex);
    pthread_mutex_unlock(&p->mutex);
}

static void start_pool(pool *p, int threads) {
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->start, NULL);
    pthread_cond_init(&p->done, NULL);
    while (p->thread_count < threads - 1 &&
           pthread_create(&p->thread[p->thread_count], NULL, run_worker, p) == 0)
        p->thread_count++;
}

static void stop_pool(pool *p) {
    pthread_mutex_lock(&p->mutex);
    p->quits = true;
    pthread_cond_broadcast(&p->start);
    pthread_mutex_unlock(&p->mutex);
    for (int i = 0; i < p->thread_count; i++) pthread_join(p->thread[i], NULL);
    pthread_cond_destroy(&p->done);
    pthread_cond_destroy(&p->start);
    pthread_mutex_destroy(&p->mutex);
}

/* ---- Character: three bones, y up, walking along +z ----------------------------------------- */

enum { PELVIS, LEFT_LEG, RIGHT_LEG, BONES };
static const float HIP_X[BONES] = {0, 0.09f, -0.09f};
static const float HIP_Y = 0.9f, WALKING_SPEED = 1.3f;

/* Places of the crowd: rows of 20, 1.2 m apart. */
static vo_rt_vec3 get_root(int character, double time) {
    vo_rt_vec3 root = {1.2f * (float)(character % 20) - 11.4f, 0, -1.5f * (float)(character / 20)};
    root.z += WALKING_SPEED * (float)time;
    return root;
}

/* Matrices from the bind pose to the world; legs swing about their hips. */
static void pose_bones(int character, double time, vo_rt_matrix bones[BONES]) {
    vo_rt_vec3 root = get_root(character, time);
    for (int i = 0; i < BONES; i++) {
        float swing = 0.45f * sinf(7 * (float)time + (float)character);
        float a = i == PELVIS ? 0 : i == LEFT_LEG ? swing : -swing, c = cosf(a), s = sinf(a);
        vo_rt_matrix m = {{1, 0, 0, root.x,                      /* x */
                           0, c, -s, root.y + HIP_Y - c * HIP_Y, /* y */
                           0, s, c, root.z - s * HIP_Y}};        /* z */
        bones[i] = m;
    }
}

/* Shapes are placed in the bind pose; `bone` moves them. */
static vo_rt_body *create_body(vo_rt_world *world) {
    vo_rt_shape shapes[BONES];
    shapes[PELVIS] = vo_rt_shape_default(VO_RT_CAPSULE);
    shapes[PELVIS].radius = 0.14f;
    shapes[PELVIS].half_height = 0.2f;
    shapes[PELVIS].local.position.y = 1.15f;
    for (int i = LEFT_LEG; i <= RIGHT_LEG; i++) {
        shapes[i] = vo_rt_shape_default(VO_RT_TAPERED_CAPSULE);
        shapes[i].radius = 0.05f;     /* ankle */
        shapes[i].end_radius = 0.08f; /* hip */
        shapes[i].half_height = 0.4f;
        shapes[i].local.position.x = HIP_X[i];
        shapes[i].local.position.y = HIP_Y - 0.4f;
    }
    for (int i = 0; i < BONES; i++) shapes[i].bone = i;
    vo_rt_body_def def = vo_rt_body_def_default();
    def.shapes = shapes;
    def.shape_count = def.bone_count = BONES;
    vo_rt_body *body;
    need(vo_rt_body_create(world, &def, &body), vo_rt_world_message(world));
    return body;
}

/* A skirt: its waistband is attached to the pelvis, its hem may move 0.35 m from the pose. */
static vo_rt_asset *create_skirt(const vo_allocator *allocator) {
    enum { COLUMNS = 16, ROWS = 6, VERTICES = COLUMNS * ROWS };
    vo_rt_vec3 positions[VERTICES];
    float attachment[VERTICES], max_distance[VERTICES], weights[4 * VERTICES] = {0};
    uint16_t bones[4 * VERTICES] = {PELVIS};
    int32_t triangles[6 * COLUMNS * (ROWS - 1)], *t = triangles;
    for (int i = 0; i < VERTICES; i++) {
        int row = i / COLUMNS, next = i % COLUMNS == COLUMNS - 1 ? i + 1 - COLUMNS : i + 1;
        float down = (float)row / (ROWS - 1), radius = 0.165f + 0.17f * down;
        float angle = 6.2831853f * (float)(i % COLUMNS) / COLUMNS;
        vo_rt_vec3 x = {radius * cosf(angle), 1.05f - 0.45f * down, -radius * sinf(angle)};
        positions[i] = x;
        attachment[i] = row == 0;
        max_distance[i] = 0.35f * down;
        weights[4 * i] = 1;
        if (row == ROWS - 1) continue;
        *t++ = i, *t++ = i + COLUMNS, *t++ = next;
        *t++ = next, *t++ = i + COLUMNS, *t++ = next + COLUMNS;
    }
    vo_rt_asset_def def = vo_rt_asset_def_default();
    def.vertex_count = VERTICES;
    def.positions = positions;
    def.triangle_count = 2 * COLUMNS * (ROWS - 1);
    def.triangles = triangles;
    def.attachment = attachment;
    def.max_distance = max_distance;
    def.bone_count = BONES;
    def.skin_bones = bones;
    def.skin_weights = weights;
    def.max_level = 2;
    vo_rt_asset *asset;
    vo_rt_message message;
    need(vo_rt_asset_create(allocator, &def, &asset, &message), message.text);
    return asset;
}

/* ---- Crowd ---------------------------------------------------------------------------------- */

typedef struct crowd {
    int count;
    vo_rt_world *world;
    vo_rt_asset *skirt;
    vo_rt_body **body;
    vo_rt_cloth **cloth;
} crowd;

static vo_rt_world *create_world(const vo_allocator *allocator, pool *p, int characters) {
    vo_rt_world_def def = vo_rt_world_def_default();
    def.allocator = *allocator;
    def.run_tasks = run_tasks;
    def.run_tasks_user = p;
    def.threads = p->thread_count + 1;
    def.max_cloths = def.max_bodies = characters;
    def.pool_bytes = (size_t)characters << 19; /* 0.5 MiB per character */
    def.budget_mode = VO_RT_BUDGET_COUNTED;
    def.budget_ms = 8;
    def.lod.far_distance = 12;
    vo_rt_world *world;
    vo_rt_message message;
    need(vo_rt_world_create(&def, &world, &message), message.text);
    return world;
}

static void pose_crowd(crowd *c, double time) {
    for (int i = 0; i < c->count; i++) {
        vo_rt_matrix bones[BONES];
        vo_rt_transform root = vo_rt_transform_identity(); /* frame of the inertia of the cloth */
        root.position = get_root(i, time);
        pose_bones(i, time, bones);
        const char *message = vo_rt_world_message(c->world);
        need(vo_rt_body_set_transform(c->body[i], root), message);
        need(vo_rt_body_set_bones(c->body[i], BONES, bones), message);
        need(vo_rt_cloth_set_transform(c->cloth[i], root), message);
        need(vo_rt_cloth_set_bones(c->cloth[i], BONES, bones), message);
    }
}

static crowd create_crowd(const vo_allocator *allocator, pool *p, int count) {
    crowd c = {.count = count};
    c.world = create_world(allocator, p, count);
    c.skirt = create_skirt(allocator);
    c.body = calloc((size_t)count, sizeof(vo_rt_body *));
    c.cloth = calloc((size_t)count, sizeof(vo_rt_cloth *));
    if (!c.body || !c.cloth) need(VO_NO_MEMORY, "out of memory");
    for (int i = 0; i < count; i++) {
        vo_rt_cloth_def def = vo_rt_cloth_def_default();
        def.asset = c.skirt;
        def.linear_inertia = def.angular_inertia = 0.5f;
        def.adaption.min_length = 0.02f;
        c.body[i] = create_body(c.world);
        need(vo_rt_cloth_create(c.world, &def, &c.cloth[i]), vo_rt_world_message(c.world));
    }
    /* Both start in the first pose, without a motion that leads there. */
    pose_crowd(&c, 0);
    for (int i = 0; i < count; i++) {
        vo_rt_body_teleport(c.body[i]);
        vo_rt_cloth_reset(c.cloth[i]);
    }
    return c;
}

static void destroy_crowd(crowd *c) {
    vo_rt_world_destroy(c->world);
    vo_rt_asset_destroy(c->skirt);
    free(c->body);
    free(c->cloth);
}

/* The camera stands in front of the crowd and turns from left to right. */
static void set_camera(vo_rt_world *world, double time) {
    float angle = 0.5f - 0.5f * (float)time;
    vo_rt_camera camera = {0};
    camera.position.y = 1.6f;
    camera.position.z = 7;
    camera.rotation.y = sinf(0.5f * angle);
    camera.rotation.w = cosf(0.5f * angle);
    camera.fov_y = 0.8f;
    camera.aspect = 16 / 9.0f;
    camera.height_pixels = 1080;
    need(vo_rt_world_set_cameras(world, 1, &camera), vo_rt_world_message(world));
}

/* Vertex buffer of a renderer. */
typedef struct vertex {
    float position[3], normal[3];
} vertex;

/* Writes the visible cloths into the vertex buffer, where a renderer would draw them. */
static int write_visible(const crowd *c, vertex *vertices) {
    int visible = 0;
    vo_rt_output output = {0};
    output.positions = vertices->position;
    output.normals = vertices->normal;
    output.position_stride = output.normal_stride = sizeof *vertices;
    for (int i = 0; i < c->count; i++) {
        if (!vo_rt_cloth_get_info(c->cloth[i]).is_visible) continue;
        need(vo_rt_cloth_write_output(c->cloth[i], &output), vo_rt_world_message(c->world));
        visible++;
    }
    return visible;
}

/* Runs the frames of 2 s, or as many as 2 s of real time permit; false if a cloth had to be reset
 * or is inside a body. */
static bool run(crowd *c) {
    enum { FRAMES = 120 };
    size_t count = (size_t)vo_rt_asset_get_info(c->skirt).render_vertex_count;
    vertex *vertices = malloc(count * sizeof *vertices);
    if (!vertices) need(VO_NO_MEMORY, "out of memory");
    double begin = now_ms(), total = 0, worst = 0;
    int64_t recovered = 0, inside = 0;
    int frames = 0;
    for (; frames < FRAMES && now_ms() - begin < 2000; frames++) {
        double start = now_ms(), time = frames / 60.0;
        pose_crowd(c, time);
        set_camera(c->world, time);
        need(vo_rt_world_step(c->world, 1 / 60.0f), vo_rt_world_message(c->world));
        int visible = write_visible(c, vertices);
        double ms = now_ms() - start;
        vo_rt_stats stats = vo_rt_world_get_stats(c->world);
        total += ms;
        worst = fmax(worst, ms);
        recovered += stats.recovered_cloths;
        inside += stats.inside_vertices;
        if (frames % 20 == 19)
            printf("frame %3d: %6.2f ms, %3d visible, %6d triangles, counted cost %5.2f ms, "
                   "detail scale %.2f\n",
                   frames + 1, ms, visible, (int)stats.triangles, stats.cost, stats.detail_scale);
    }
    free(vertices);
    printf("%d characters: mean %.2f ms, worst %.2f ms per frame (%d frames), pools %.1f MB\n",
           c->count, total / frames, worst, frames,
           1e-6 * (double)vo_rt_world_get_stats(c->world).pool_peak);
    return recovered == 0 && inside == 0;
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 60, threads = argc > 2 ? atoi(argv[2]) : 2;
    if (count < 1 || count > 2000 || threads < 1 || threads > MAX_THREADS) {
        fprintf(stderr, "usage: rt_crowd [1 to 2000 characters [1 to %d threads]]\n", MAX_THREADS);
        return 2;
    }
    vo_allocator allocator = {NULL, allocate, release};
    pool workers = {.thread_count = 0};
    start_pool(&workers, threads);
    crowd c = create_crowd(&allocator, &workers, count);
    bool is_good = run(&c);
    destroy_crowd(&c);
    stop_pool(&workers);
    if (!is_good) fprintf(stderr, "rt_crowd: a cloth was reset or is inside a body\n");
    return is_good ? 0 : 1;
}

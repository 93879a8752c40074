/* voile bench render: time of one image of 1280 x 720 pixels.
 *
 * The scene is a mannequin in a pleated skirt that is generated without simulation. The measured
 * time is that of vo_sim_render_image: surfaces, bounding volume hierarchy, lighting, shading. */
#include "cli.h"

#include "bench.h"
#include "json_out.h"
#include "message.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#define TURN 6.283185307179586

enum { AROUND = 250, DOWN = 100, BODY_FACES = 12000, WIDTH = 1280, HEIGHT = 720, PLEATS = 24 };
enum { NODES = AROUND * (DOWN + 1), VERTS = (AROUND + 1) * (DOWN + 1), FACES = 2 * AROUND * DOWN };

typedef struct skirt {
    vo_vec3 x[NODES];
    vo_vec2 uv[VERTS];
    int vert_node[VERTS], face[FACES][3];
} skirt;

typedef struct render_rig {
    vo_context *ctx;
    vo_mesh *mesh;
    vo_fabric *fabric;
    vo_scene *scene;
    vo_sim *sim;
    uint8_t *rgb;
} render_rig;

typedef struct render_time {
    double wall_s, processor_s;
} render_time;

/* ---- scene ---------------------------------------------------------------------------------- */

/* Returns a point, m, of a bell-shaped skirt whose pleats deepen towards the hem. */
static vo_vec3 skirt_point(int i, int j) {
    double s = (double)j / DOWN, angle = TURN * i / AROUND;
    double pleat = sin(PLEATS * angle + 0.6 * sin(3 * angle));
    double radius = 0.17 + 0.3 * pow(s, 0.8) + 0.03 * s * pleat;
    return (vo_vec3){radius * cos(angle), radius * sin(angle), 1.1 - 0.8 * s};
}

static void fill_skirt(skirt *k) {
    for (int j = 0; j <= DOWN; j++)
        for (int i = 0; i <= AROUND; i++) {
            int vert = j * (AROUND + 1) + i;
            k->vert_node[vert] = j * AROUND + i % AROUND;
            k->x[k->vert_node[vert]] = skirt_point(i % AROUND, j);
            k->uv[vert] = (vo_vec2){2.5 * i / AROUND, -0.9 * j / DOWN};
        }
    for (int j = 0; j < DOWN; j++)
        for (int i = 0; i < AROUND; i++) {
            int a = j * (AROUND + 1) + i, c = a + AROUND + 1;
            int *face = k->face[2 * (j * AROUND + i)];
            face[0] = a, face[1] = c, face[2] = c + 1;
            face[3] = a, face[4] = c + 1, face[5] = a + 1;
        }
}

static vo_result make_mesh(render_rig *rig) {
    skirt *k = malloc(sizeof *k);
    if (!k) return VO_NO_MEMORY;
    fill_skirt(k);
    vo_result result = vo_mesh_create(rig->ctx, NODES, k->x, VERTS, k->uv, k->vert_node, FACES,
                                      (const int(*)[3])k->face, VO_MESH_FOR_CLOTH, &rig->mesh);
    free(k);
    return result;
}

static vo_result add_body(render_rig *rig) {
    vo_character_def body = vo_character_def_default();
    body.mannequin.figure = 1;
    body.mannequin.faces = BODY_FACES;
    return vo_scene_add_character(rig->scene, &body, NULL);
}

static vo_result rig_fill(render_rig *rig) {
    vo_scene_def scene = vo_scene_def_default();
    scene.gravity = (vo_vec3){0, 0, -9.81};
    scene.disable =
        VO_DISABLE_PHYSICS | VO_DISABLE_COLLISION | VO_DISABLE_PROXIMITY | VO_DISABLE_SEPARATION;
    vo_fabric_def fabric = vo_fabric_def_default();
    vo_result result = make_mesh(rig);
    if (result == VO_OK) result = vo_fabric_create(rig->ctx, &fabric, &rig->fabric);
    if (result == VO_OK) result = vo_scene_create(rig->ctx, &scene, &rig->scene);
    if (result == VO_OK) result = bench_add_cloth(rig->scene, rig->mesh, rig->fabric);
    if (result == VO_OK) result = add_body(rig);
    if (result == VO_OK) result = vo_sim_create(rig->ctx, rig->scene, &rig->sim);
    rig->rgb = malloc((size_t)3 * WIDTH * HEIGHT);
    return rig->rgb ? result : VO_NO_MEMORY;
}

static void rig_destroy(render_rig *rig) {
    free(rig->rgb);
    vo_sim_destroy(rig->sim);
    vo_scene_destroy(rig->scene);
    vo_fabric_destroy(rig->fabric);
    vo_mesh_destroy(rig->mesh);
    vo_context_destroy(rig->ctx);
}

/* ---- measurement ---------------------------------------------------------------------------- */

/* Returns the processor time of all threads of this process, s. */
static double processor_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Renders one warm-up image and `repeat` measured ones; *best receives the smallest times. */
static vo_result measure_images(const render_rig *rig, int repeat, render_time *best) {
    vo_render_options options = vo_render_options_default();
    options.width = WIDTH;
    options.height = HEIGHT;
    options.zoom = 2.2;
    *best = (render_time){INFINITY, INFINITY};
    for (int i = 0; i <= repeat; i++) {
        render_time start = {text_clock(), processor_time()};
        vo_result result = vo_sim_render_image(rig->sim, &options, rig->rgb);
        if (result != VO_OK) return result;
        if (i == 0) continue;
        best->wall_s = fmin(best->wall_s, text_clock() - start.wall_s);
        best->processor_s = fmin(best->processor_s, processor_time() - start.processor_s);
    }
    return VO_OK;
}

static int measure(int threads, int repeat, render_time *best) {
    render_rig rig = {0};
    int code = cli_open(&(cli_args){.threads = threads, .memory = -1}, NULL, &rig.ctx);
    if (code != CLI_DONE) return code;
    vo_result result = rig_fill(&rig);
    if (result == VO_OK) result = measure_images(&rig, repeat, best);
    if (result != VO_OK) code = cli_fail_result(rig.ctx, result);
    rig_destroy(&rig);
    return code;
}

/* ---- report --------------------------------------------------------------------------------- */

static void print_json(int threads, int repeat, const render_time *best) {
    json_out j = {stdout, false};
    json_open(&j, NULL, '{');
    json_text(&j, "benchmark", "render");
    json_int(&j, "repeat", repeat);
    json_int(&j, "width", WIDTH);
    json_int(&j, "height", HEIGHT);
    json_int(&j, "cloth_faces", FACES);
    json_int(&j, "body_faces", BODY_FACES);
    json_int(&j, "threads", threads);
    json_real(&j, "image_s", best->wall_s);
    json_real(&j, "processor_s", best->processor_s);
    json_close(&j, '}');
    json_end(&j);
}

static void print_table(int threads, int repeat, const render_time *best) {
    printf("render: %s\nbest of %d after a warm-up\n\n", CLI_BENCH_RENDER, repeat);
    printf("%9s %9s %11s %7s %9s %11s\n", "cloth", "body", "pixels", "threads", "image s",
           "processor s");
    printf("%9s %9s %6d x %d %7d %9.2f %11.2f\n\n", text_count(FACES).s, text_count(BODY_FACES).s,
           WIDTH, HEIGHT, threads, best->wall_s, best->processor_s);
}

int bench_render(const cli_args *args) {
    int threads = args->threads ? args->threads : 2, repeat = args->repeat ? args->repeat : 3;
    render_time best;
    int code = measure(threads, repeat, &best);
    if (code != CLI_DONE) return code;
    if (args->json)
        print_json(threads, repeat, &best);
    else
        print_table(threads, repeat, &best);
    return cli_flush() ? CLI_DONE : CLI_SYSTEM_ERROR;
}

/* A host program that animates its own skinned character and drapes live cloth over it.
 *
 * The character is an arm: a closed tube along x, skinned to two bones that meet at the elbow.
 * Before each substep the program poses the bones for the end of that substep, skins the tube and
 * passes the vertices to the simulation (<voile/live.h>). */
#include <voile/voile.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    RINGS = 41, /* along the arm, from x = -0.5 m to x = 0.5 m; the elbow is at x = 0 */
    SIDES = 16,
    NODES = RINGS * SIDES + 2, /* and the two ends */
    FACES = 2 * SIDES * (RINGS - 1) + 2 * SIDES,
    FRAMES = 50
};

static const double PI = 3.14159265358979323846;
static const double RADIUS = 0.06; /* m */

/* Exits with Voile's message if a call failed. */
static void need(vo_context *ctx, vo_result result) {
    if (result == VO_OK) return;
    fprintf(stderr, "character: %s\n", vo_context_message(ctx));
    exit(1);
}

/* ---- the character -------------------------------------------------------------------------- */

typedef struct arm {
    vo_vec3 rest[NODES];  /* m, bind pose */
    double weight[NODES]; /* skinning weight of the forearm; the rest is that of the upper arm */
    int face[FACES][3];   /* counter-clockwise from outside */
    vo_vec3 x[NODES];     /* m, skinned */
} arm;

/* Smooth transition of the skinning weight from the upper arm to the forearm. */
static double forearm_weight(double x) {
    double t = fmin(fmax((x + 0.1) / 0.2, 0), 1);
    return t * t * (3 - 2 * t);
}

static void add_face(arm *a, int *count, int i, int j, int k) {
    a->face[*count][0] = i;
    a->face[*count][1] = j;
    a->face[*count][2] = k;
    ++*count;
}

static void make_arm(arm *a) {
    int count = 0, left = RINGS * SIDES, right = left + 1;
    for (int r = 0; r < RINGS; r++)
        for (int s = 0; s < SIDES; s++) {
            double angle = 2 * PI * s / SIDES, x = -0.5 + (double)r / (RINGS - 1);
            a->rest[r * SIDES + s] = (vo_vec3){x, RADIUS * cos(angle), RADIUS * sin(angle)};
        }
    a->rest[left] = (vo_vec3){-0.5 - RADIUS, 0, 0};
    a->rest[right] = (vo_vec3){0.5 + RADIUS, 0, 0};
    for (int n = 0; n < NODES; n++) a->weight[n] = forearm_weight(a->rest[n].x);
    for (int s = 0; s < SIDES; s++) {
        int next = (s + 1) % SIDES, end = (RINGS - 1) * SIDES;
        for (int r = 0; r + 1 < RINGS; r++) {
            int i = r * SIDES;
            add_face(a, &count, i + s, i + next, i + SIDES + s);
            add_face(a, &count, i + next, i + SIDES + next, i + SIDES + s);
        }
        add_face(a, &count, left, next, s);
        add_face(a, &count, right, end + s, end + next);
    }
}

/* Linear blend skinning: the upper arm stands still, the forearm turns about the elbow (the y axis)
 * by up to 60 degrees within a second. */
static void pose_arm(arm *a, double time) {
    double bend = PI / 3 * 0.5 * (1 - cos(PI * fmin(fmax(time, 0), 1)));
    for (int n = 0; n < NODES; n++) {
        vo_vec3 p = a->rest[n];
        double w = a->weight[n];
        vo_vec3 turned = {cos(bend) * p.x - sin(bend) * p.z, p.y,
                          sin(bend) * p.x + cos(bend) * p.z};
        a->x[n] = (vo_vec3){(1 - w) * p.x + w * turned.x, p.y, (1 - w) * p.z + w * turned.z};
    }
}

/* ---- the scene ------------------------------------------------------------------------------ */

static void add_arm(vo_context *ctx, vo_scene *scene, const arm *a) {
    vo_mesh *mesh;
    int node[NODES];
    vo_vec2 uv[NODES];
    for (int n = 0; n < NODES; n++) node[n] = n, uv[n] = (vo_vec2){a->rest[n].x, a->rest[n].y};
    need(ctx, vo_mesh_create(ctx, NODES, a->rest, NODES, uv, node, FACES, (const int(*)[3])a->face,
                             VO_MESH_FOR_OBSTACLE, &mesh));
    vo_obstacle_def obstacle = vo_obstacle_def_default();
    obstacle.mesh = mesh;
    need(ctx, vo_scene_add_obstacle(scene, &obstacle, NULL));
    vo_mesh_destroy(mesh);
}

/* A towel of 50 x 40 cm above the arm. */
static void add_towel(vo_context *ctx, vo_scene *scene) {
    vo_mesh *mesh;
    vo_fabric *cotton;
    vo_fabric_def weave = vo_fabric_def_default();
    need(ctx, vo_mesh_create_grid(ctx, 0.5, 0.4, 25, 20, &mesh));
    need(ctx, vo_fabric_create(ctx, &weave, &cotton));
    vo_material_def material = vo_material_def_default();
    material.fabric = cotton;
    material.damping = 0.01;
    vo_cloth_def cloth = vo_cloth_def_default();
    cloth.mesh = mesh;
    cloth.pose.translate = (vo_vec3){-0.25, -0.2, 0.07};
    cloth.materials = &material;
    cloth.material_count = 1;
    need(ctx, vo_scene_add_cloth(scene, &cloth, NULL));
    vo_fabric_destroy(cotton);
    vo_mesh_destroy(mesh);
}

static double mean_height(const vo_sim *sim) {
    vo_mesh_view towel = vo_sim_get_cloth(sim, 0);
    double sum = 0;
    for (int n = 0; n < towel.node_count; n++) sum += towel.node_x[n].z;
    return sum / towel.node_count;
}

int main(void) {
    static arm a;
    vo_context *ctx;
    vo_scene *scene;
    vo_sim *sim;
    make_arm(&a);
    if (vo_context_create(NULL, &ctx) != VO_OK) return 1;
    need(ctx, vo_scene_create(ctx, NULL, &scene));
    add_arm(ctx, scene, &a);
    add_towel(ctx, scene);
    need(ctx, vo_sim_create(ctx, scene, &sim));

    vo_scene_def def = vo_scene_get_def(scene);
    double dt = def.frame_time / def.frame_steps;
    int intersections = 0;
    for (int frame = 0; frame < FRAMES; frame++) {
        for (int step = 0; step < def.frame_steps; step++) {
            pose_arm(&a, vo_sim_time(sim) + dt - 0.5); /* the arm bends after half a second */
            need(ctx, vo_sim_set_obstacle_vertices(sim, 0, NODES, a.x, NULL));
            need(ctx, vo_sim_step(sim));
        }
        intersections += vo_sim_get_stats(sim).intersections;
    }
    printf("after %.1f s: mean height of the towel %.3f m, %d intersections\n", vo_sim_time(sim),
           mean_height(sim), intersections);
    vo_sim_destroy(sim);
    vo_scene_destroy(scene);
    vo_context_destroy(ctx);
    return 0;
}

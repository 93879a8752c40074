/* Characters of the benchmarks: the mannequin as a skinned mesh and as capsules, poses of a clip,
 * cooked garments. */
#include "realtime/bench.h"

#include "core/file.h"
#include "core/memory.h"

#include <voile/cook.h>

static vo_rt_vec3 to_float(vo_vec3 p) { return (vo_rt_vec3){(float)p.x, (float)p.y, (float)p.z}; }

static void fill_skin(vo_bench_character *c) {
    const vo_skin *skin = &c->mannequin.skin;
    for (int i = 0; i < skin->node_count; i++) {
        c->positions[i] = to_float(skin->rest[i]);
        for (int k = 0; k < 4; k++) {
            c->bones[4 * i + k] = (uint16_t)skin->bone[i][k];
            c->weights[4 * i + k] = (float)skin->weight[i][k];
        }
    }
    for (int i = 0; i < 3 * c->face_count; i++) c->triangles[i] = c->mannequin.face[i / 3][i % 3];
}

/* Rotation from the y axis to a unit vector. */
static vo_rt_quat rotation_from_y(vo_vec3 d) {
    double w = 1 + d.y, x = d.z, z = -d.x; /* (0, 1, 0) x d = (d.z, 0, -d.x) */
    if (w < 1e-9) return (vo_rt_quat){1, 0, 0, 0};
    double n = sqrt(w * w + x * x + z * z);
    return (vo_rt_quat){(float)(x / n), 0, (float)(z / n), (float)(w / n)};
}

/* Mean distance from an axis of the nodes whose first bone is `bone`; 0: none. */
static double mean_radius(const vo_skin *skin, int bone, vo_vec3 from, vo_vec3 axis) {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < skin->node_count; i++) {
        if (skin->bone[i][0] != bone) continue;
        vo_vec3 d = v3_sub(skin->rest[i], from);
        sum += v3_length(v3_sub(d, v3_scale(v3_dot(d, axis), axis)));
        count++;
    }
    return count ? sum / count : 0;
}

/* One capsule per bone, from its joint to its tip in the rest pose. */
static void make_shapes(vo_bench_character *c) {
    const vo_skeleton *s = &c->mannequin.skeleton;
    vo_body_pose rest = vo_body_pose_rest(s);
    vo_transform world[VO_BONE_COUNT];
    vo_skeleton_world(s, &rest, world);
    for (int b = 0; b < VO_BONE_COUNT; b++) {
        vo_vec3 from = world[b].translation, to = xf_point(world[b], s->tip[b]);
        double length = v3_length(v3_sub(to, from));
        if (length < 1e-3) continue;
        vo_vec3 axis = v3_scale(1 / length, v3_sub(to, from));
        double radius = mean_radius(&c->mannequin.skin, b, from, axis);
        if (!(radius > 1e-3)) continue;
        vo_rt_shape shape = vo_rt_shape_default(VO_RT_CAPSULE);
        shape.bone = b;
        shape.radius = (float)radius;
        shape.half_height = (float)fmax(0.5 * length - 0.3 * radius, 0.005);
        shape.local.position = to_float(v3_scale(0.5, v3_add(from, to)));
        shape.local.rotation = rotation_from_y(axis);
        c->shapes[c->shape_count++] = shape;
    }
}

static vo_result create_arrays(vo_bench *b, vo_bench_character *c) {
    int n = c->mannequin.skin.node_count;
    c->vertex_count = n;
    c->face_count = c->mannequin.face_count;
    c->positions = vo_new_array(b->ctx, vo_rt_vec3, n);
    c->triangles = vo_new_array(b->ctx, int32_t, 3 * c->face_count);
    c->bones = vo_new_array(b->ctx, uint16_t, 4 * n);
    c->weights = vo_new_array(b->ctx, float, 4 * n);
    if (c->positions && c->triangles && c->bones && c->weights) return VO_OK;
    return vo_fail_memory(b->ctx, "a character");
}

static vo_result fill_character(vo_bench *b, int faces, vo_bench_character *c) {
    char path[VO_PATH_SIZE];
    vo_mannequin_def def = vo_mannequin_def_default();
    def.faces = faces;
    VO_TRY(vo_mannequin_create(b->ctx, &def, &c->mannequin));
    vo_bench_path(b, "motions", "walk.json", path);
    VO_TRY(vo_clip_load(b->ctx, path, &c->clip));
    VO_TRY(create_arrays(b, c));
    fill_skin(c);
    make_shapes(c);
    return VO_OK;
}

vo_result vo_bench_character_create(vo_bench *b, int faces, vo_bench_character *out) {
    *out = (vo_bench_character){0};
    vo_result result = fill_character(b, faces, out);
    if (result != VO_OK) vo_bench_character_free(b, out);
    return result;
}

void vo_bench_character_free(vo_bench *b, vo_bench_character *c) {
    vo_free_array(b->ctx, c->positions, c->vertex_count);
    vo_free_array(b->ctx, c->triangles, 3 * c->face_count);
    vo_free_array(b->ctx, c->bones, 4 * c->vertex_count);
    vo_free_array(b->ctx, c->weights, 4 * c->vertex_count);
    vo_clip_destroy(c->clip);
    vo_mannequin_free(b->ctx, &c->mannequin);
    *c = (vo_bench_character){0};
}

vo_rt_body_def vo_bench_character_body(const vo_bench_character *c, bool mesh, bool shapes) {
    vo_rt_body_def def = vo_rt_body_def_default();
    def.bone_count = VO_BONE_COUNT;
    if (shapes) {
        def.shape_count = c->shape_count;
        def.shapes = c->shapes;
    }
    if (!mesh) return def;
    def.vertex_count = c->vertex_count;
    def.positions = c->positions;
    def.triangle_count = c->face_count;
    def.triangles = c->triangles;
    def.skin_bones = c->bones;
    def.skin_weights = c->weights;
    return def;
}

static vo_rt_matrix to_matrix(vo_transform t) {
    vo_vec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    vo_rt_matrix m;
    for (int k = 0; k < 4; k++) {
        vo_vec3 p = k < 3 ? xf_vector(t, axis[k]) : t.translation;
        m.m[k] = (float)p.x, m.m[4 + k] = (float)p.y, m.m[8 + k] = (float)p.z;
    }
    return m;
}

void vo_bench_character_pose(const vo_bench_character *c, double t, double phase, vo_vec3 offset,
                             vo_rt_matrix bones[VO_BONE_COUNT]) {
    const vo_skeleton *s = &c->mannequin.skeleton;
    double moving = fmax(t - VO_BENCH_PREROLL, 0), blend = fmin(t / VO_BENCH_PREROLL, 1);
    vo_body_pose rest = vo_body_pose_rest(s);
    vo_body_pose pose = vo_clip_pose(c->clip, s, phase + moving, NULL);
    vo_body_pose start = vo_clip_pose(c->clip, s, phase, NULL);
    pose.translation.y -= start.translation.y; /* the walk starts at the origin */
    rest.translation.y = 0;
    pose = vo_body_pose_blend(&rest, &pose, blend * blend * (3 - 2 * blend));
    pose.translation = v3_add(pose.translation, offset);
    vo_transform motion[VO_BONE_COUNT];
    vo_skeleton_motion(s, &pose, motion);
    for (int b = 0; b < VO_BONE_COUNT; b++) bones[b] = to_matrix(motion[b]);
}

vo_result vo_bench_cook(vo_bench *b, const char *name, int faces, bool coarse, vo_rt_asset **out) {
    char path[VO_PATH_SIZE];
    vo_cook_def def = vo_cook_def_default();
    vo_bench_path(b, "garments", name, path);
    def.input = path;
    def.face_count = faces;
    if (coarse) {
        def.sew.edge_length = 0.045;
        def.sew.mannequin.faces = 6000;
    }
    return vo_cook(b->ctx, &def, out, NULL);
}

vo_rt_world_def vo_bench_world_def(const vo_bench *b, int threads) {
    vo_rt_world_def def = vo_rt_world_def_default();
    def.allocator = b->ctx->allocator;
    def.threads = threads;
    def.gravity = (vo_rt_vec3){0, 0, -9.81f};
    def.pool_bytes = (size_t)64 << 20;
    return def;
}

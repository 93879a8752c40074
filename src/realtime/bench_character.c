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

/* --- Capsules ------------------------------------------------------------------------------------
 *
 * Limbs are tapered capsules through the centres of their ends. A trunk is wider than deep: it is a
 * stack of horizontal capsules, each as wide and as deep as the body at its height. Head, hands and
 * toes, which no garment reaches, have no shape. */

enum { TRUNK_SLICES = 9 };
/* Shapes are thinner than the body by this, m. They are fitted to the mean of its surface; where
 * they protrude from it, tight garments would stretch. */
static const double INSET = 0.015;

static bool is_trunk(int bone) {
    return bone == VO_BONE_HIPS || bone == VO_BONE_SPINE || bone == VO_BONE_CHEST;
}

/* True if a node moves with the trunk, at least in part, as the tops of the thighs do. */
static bool follows_trunk(const vo_skin *skin, int node) {
    double sum = 0;
    for (int k = 0; k < 4; k++)
        if (is_trunk(skin->bone[node][k])) sum += skin->weight[node][k];
    return sum > 0.25;
}

static bool is_limb(int bone) {
    static const int bones[] = {VO_BONE_NECK,         VO_BONE_LEFT_CLAVICLE, VO_BONE_LEFT_UPPER_ARM,
                                VO_BONE_LEFT_FOREARM, VO_BONE_LEFT_THIGH,    VO_BONE_LEFT_SHIN,
                                VO_BONE_LEFT_FOOT};
    for (size_t i = 0; i < sizeof bones / sizeof *bones; i++)
        if (bone == bones[i] || bone == (int)vo_bone_mirror((vo_bone)bones[i])) return true;
    return false;
}

static void add_capsule(vo_bench_character *c, int bone, vo_vec3 from, vo_vec3 to, double radius,
                        double end_radius) {
    vo_vec3 d = v3_sub(to, from);
    double length = v3_length(d);
    if (!(radius > INSET + 1e-3 && end_radius > INSET + 1e-3) ||
        c->shape_count == VO_BENCH_MAX_SHAPES)
        return;
    vo_rt_shape shape = vo_rt_shape_default(VO_RT_TAPERED_CAPSULE);
    shape.bone = bone;
    shape.radius = (float)(radius - INSET);
    shape.end_radius = (float)(end_radius - INSET);
    shape.half_height = (float)(0.5 * length);
    shape.local.position = to_float(v3_scale(0.5, v3_add(from, to)));
    shape.local.rotation =
        rotation_from_y(length > 1e-9 ? v3_scale(1 / length, d) : (vo_vec3){0, 1, 0});
    c->shapes[c->shape_count++] = shape;
}

/* Nodes of a bone between two places along its axis, which begins at `from`. */
typedef struct slab {
    int count;
    vo_vec3 center;
    double radius; /* mean distance from the line along the axis through the centre */
} slab;

static bool is_in_slab(const vo_skin *skin, int node, int bone, vo_vec3 from, vo_vec3 axis,
                       double low, double high) {
    double t = v3_dot(v3_sub(skin->rest[node], from), axis);
    return skin->bone[node][0] == bone && t >= low && t <= high;
}

static slab measure_slab(const vo_skin *skin, int bone, vo_vec3 from, vo_vec3 axis, double low,
                         double high) {
    slab s = {0};
    for (int i = 0; i < skin->node_count; i++) {
        if (!is_in_slab(skin, i, bone, from, axis, low, high)) continue;
        s.center = v3_add(s.center, skin->rest[i]);
        s.count++;
    }
    if (s.count == 0) return s;
    s.center = v3_scale(1.0 / s.count, s.center);
    for (int i = 0; i < skin->node_count; i++) {
        if (!is_in_slab(skin, i, bone, from, axis, low, high)) continue;
        vo_vec3 d = v3_sub(skin->rest[i], s.center);
        s.radius += v3_length(v3_sub(d, v3_scale(v3_dot(d, axis), axis))) / s.count;
    }
    return s;
}

/* A line through the nodes of a bone and its distance from them, which changes along the bone. */
typedef struct limb_fit {
    vo_vec3 center, slope; /* slope: per length along the axis */
    double radius, taper;  /* at the centre, per length */
} limb_fit;

/* Fits the first and the last third of a bone. A bone with nodes in one of them only, like the
 * clavicle, whose other end is inside the trunk, is fitted there by a parallel to its axis. */
static bool fit_limb(const vo_skin *skin, int bone, vo_vec3 from, vo_vec3 axis, double length,
                     limb_fit *fit) {
    slab a = measure_slab(skin, bone, from, axis, 0, length / 3);
    slab b = measure_slab(skin, bone, from, axis, 2 * length / 3, length);
    const slab *only = a.count > 0 ? &a : &b;
    if (only->count == 0) return false;
    *fit = (limb_fit){only->center, axis, only->radius, 0};
    if (a.count == 0 || b.count == 0) return true;
    double span = v3_dot(v3_sub(b.center, a.center), axis);
    if (!(span > 0.1 * length)) return false;
    fit->slope = v3_scale(1 / span, v3_sub(b.center, a.center));
    fit->taper = (b.radius - a.radius) / span;
    return true;
}

/* A capsule along a bone, between its joints. */
static void add_limb(vo_bench_character *c, int bone, vo_vec3 from, vo_vec3 to) {
    double length = v3_length(v3_sub(to, from));
    limb_fit fit;
    if (length < 1e-3) return;
    vo_vec3 axis = v3_scale(1 / length, v3_sub(to, from));
    if (!fit_limb(&c->mannequin.skin, bone, from, axis, length, &fit)) return;
    double before = v3_dot(v3_sub(fit.center, from), axis), behind = length - before;
    add_capsule(c, bone, v3_sub(fit.center, v3_scale(before, fit.slope)),
                v3_add(fit.center, v3_scale(behind, fit.slope)),
                fmax(fit.radius - fit.taper * before, 0.02),
                fmax(fit.radius + fit.taper * behind, 0.02));
}

/* Extent of the trunk between two heights, and the bone of most of its nodes. */
typedef struct slice {
    vo_vec3 min, max;
    int count[VO_BONE_COUNT];
} slice;

static slice measure_slice(const vo_skin *skin, double low, double high) {
    slice s = {.min = {INFINITY, INFINITY, low}, .max = {-INFINITY, -INFINITY, high}};
    for (int i = 0; i < skin->node_count; i++) {
        vo_vec3 x = skin->rest[i];
        if (!follows_trunk(skin, i) || x.z < low || x.z > high) continue;
        s.min.x = fmin(s.min.x, x.x), s.max.x = fmax(s.max.x, x.x);
        s.min.y = fmin(s.min.y, x.y), s.max.y = fmax(s.max.y, x.y);
        s.count[skin->bone[i][0]]++;
    }
    return s;
}

/* Mean distance of the nodes of a slice from a stadium, in the horizontal plane. */
static double mean_gap(const vo_skin *skin, double low, double high, vo_vec3 center, double half,
                       double radius) {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < skin->node_count; i++) {
        vo_vec3 x = skin->rest[i];
        if (!follows_trunk(skin, i) || x.z < low || x.z > high) continue;
        double along = fmax(fabs(x.x - center.x) - half, 0);
        sum += hypot(along, x.y - center.y) - radius;
        count++;
    }
    return count ? sum / count : 0;
}

static void add_slice(vo_bench_character *c, double low, double high) {
    const vo_skin *skin = &c->mannequin.skin;
    slice s = measure_slice(skin, low, high);
    int bone = VO_BONE_HIPS;
    if (s.count[VO_BONE_SPINE] > s.count[bone]) bone = VO_BONE_SPINE;
    if (s.count[VO_BONE_CHEST] > s.count[bone]) bone = VO_BONE_CHEST;
    if (s.count[bone] == 0) return;
    vo_vec3 center = v3_scale(0.5, v3_add(s.min, s.max));
    double width = 0.5 * (s.max.x - s.min.x), radius = fmin(0.5 * (s.max.y - s.min.y), width);
    for (int pass = 0; pass < 8; pass++) /* the front and the back fit, the sides give way */
        width = fmax(width + 2 * mean_gap(skin, low, high, center, width - radius, radius), radius);
    vo_vec3 side = {width - radius, 0, 0};
    add_capsule(c, bone, v3_sub(center, side), v3_add(center, side), radius, radius);
}

static void make_shapes(vo_bench_character *c) {
    const vo_skeleton *s = &c->mannequin.skeleton;
    const vo_skin *skin = &c->mannequin.skin;
    vo_body_pose rest = vo_body_pose_rest(s);
    vo_transform world[VO_BONE_COUNT];
    vo_skeleton_world(s, &rest, world);
    for (int b = 0; b < VO_BONE_COUNT; b++)
        if (is_limb(b)) add_limb(c, b, world[b].translation, xf_point(world[b], s->tip[b]));
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < skin->node_count; i++) {
        if (!follows_trunk(skin, i)) continue;
        low = fmin(low, skin->rest[i].z), high = fmax(high, skin->rest[i].z);
    }
    double step = (high - low) / TRUNK_SLICES;
    for (int i = 1; i < TRUNK_SLICES; i++) /* the lowest is between the legs */
        add_slice(c, low + i * step, low + (i + 1) * step);
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
        def.max_level = 2;
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

/* Skinning weights of the mannequin.
 *
 * A node follows the bones of the primitives it lies on, whose spans assign bones along their axes.
 * The weights are then diffused along the surface, not through space, so that the thighs do not
 * influence each other and primitives leave no borders. */
#include "character/mannequin.h"
#include "character/mannequin_implicit.h"
#include "core/memory.h"

#include <string.h>

/* m at a height of 1.75: distance at which primitives contribute to a node; diffusion lengths
 * everywhere, and where limbs are thick. The latter keeps armpits, groins and knees from folding:
 * skin inside a bend must have the length of the arc into which it is compressed, about the
 * distance from the joint times the angle. */
#define PRIMITIVE_RADIUS 0.004
#define SPREAD           0.018
#define WIDE             0.057
#define BEYOND           0.08 /* extent of a leg into the other half */

typedef double weights[VO_BONE_COUNT];

/* Adds the weights of the spans of a primitive at this height of its frame. */
static void add_spans(const vo_implicit_primitive *primitive, double z, double weight,
                      bool mirrored, weights to) {
    double rest = weight; /* weight left for the remaining spans */
    for (int i = 0; i < primitive->span_count; i++) {
        const vo_implicit_span *after =
            i + 1 < primitive->span_count ? &primitive->span[i + 1] : NULL;
        double over =
            after ? vo_smooth_step(z, after->from - after->blend, after->from + after->blend) : 0;
        vo_bone bone = primitive->span[i].bone;
        to[mirrored ? vo_bone_mirror(bone) : bone] += rest * (1 - over);
        rest *= over;
    }
}

/* Shoulders: moves weight from the chest to the clavicle, increasingly outwards and upwards. */
static void blend_shoulders(double unit, vo_vec3 local, bool mirrored, weights to) {
    double out = vo_smooth_step(fabs(local.x), 0.03 * unit, 0.16 * unit);
    double up = vo_smooth_step(local.z, 1.30 * unit, 1.44 * unit);
    vo_bone bone = (local.x < 0) != mirrored ? VO_BONE_RIGHT_CLAVICLE : VO_BONE_LEFT_CLAVICLE;
    double part = out * up * to[VO_BONE_CHEST];
    to[VO_BONE_CHEST] -= part;
    to[bone] += part;
}

static void add_form(const vo_implicit_primitive *primitive, double unit, vo_vec3 p, bool mirrored,
                     weights sum) {
    if (mirrored) p.x = -p.x;
    double distance = vo_max(vo_implicit_form_value(&primitive->shape, p), 0);
    double weight = exp(-distance / (PRIMITIVE_RADIUS * unit));
    if (!(weight > 1e-12)) return;
    weights own = {0};
    vo_vec3 local = q_rotate(q_conjugate(primitive->shape.placement.rotation),
                             v3_sub(p, primitive->shape.placement.translation));
    add_spans(primitive, local.z, weight, mirrored, own);
    if (primitive->shoulders) blend_shoulders(unit, local, mirrored, own);
    for (int b = 0; b < VO_BONE_COUNT; b++) sum[b] += own[b];
}

static void normalize(weights s) {
    double sum = 0;
    for (int b = 0; b < VO_BONE_COUNT; b++) sum += s[b];
    for (int b = 0; b < VO_BONE_COUNT; b++) s[b] /= sum;
}

/* Computes the weights of a point from the primitives near it. The hips get a small weight, for
 * points near none. */
static void compute_point_weights(const vo_implicit_body *body, double unit, vo_vec3 p,
                                  weights out) {
    memset(out, 0, sizeof(weights));
    out[VO_BONE_HIPS] = 1e-9;
    for (int i = 0; i < body->count; i++) {
        const vo_implicit_primitive *primitive = &body->primitive[i];
        add_form(primitive, unit, p, false, out);
        if (primitive->group != VO_GROUP_TRUNK || primitive->paired)
            add_form(primitive, unit, p, true, out);
    }
    normalize(out);
}

/* One pass of diffusion: the mean of a node and its neighbours, each of which occurs twice in the
 * faces around the node. */
static void diffuse(int nodes, int faces, const int (*face)[3], const weights *from, weights *to) {
    for (int n = 0; n < nodes; n++)
        for (int b = 0; b < VO_BONE_COUNT; b++) to[n][b] = 6 * from[n][b];
    for (int f = 0; f < faces; f++)
        for (int k = 0; k < 3; k++) {
            const double *a = from[face[f][(k + 1) % 3]], *c = from[face[f][(k + 2) % 3]];
            double *own = to[face[f][k]];
            for (int b = 0; b < VO_BONE_COUNT; b++) own[b] += a[b] + c[b];
        }
    for (int n = 0; n < nodes; n++) normalize(to[n]);
}

/* Returns the number of passes, an even one, that diffuse weights over `radius` at the mean edge
 * length: each pass covers about half an edge. */
static int count_passes(double radius, int faces, const int (*face)[3], const vo_vec3 *x) {
    double sum = 0, all = 0;
    for (int f = 0; f < faces; f++) {
        vo_vec3 a = x[face[f][0]], ab = v3_sub(x[face[f][1]], a), ac = v3_sub(x[face[f][2]], a);
        double area = v3_length(v3_cross(ab, ac));
        sum += area * v3_length(ab);
        all += area;
    }
    double edges = radius / (0.5 * sum / all);
    return 2 * (int)ceil(0.5 * edges * edges);
}

/* Returns the weight of a node in the wide diffusion: 0 for hands and feet, whose soles would
 * lift. */
static double diffusion_weight(const double *s) {
    double ends = s[VO_BONE_HEAD];
    for (int side = 0; side < 2; side++) {
        int to = side * (VO_BONE_RIGHT_CLAVICLE - VO_BONE_LEFT_CLAVICLE);
        ends += s[VO_BONE_LEFT_HAND + to] + s[VO_BONE_LEFT_FOOT + to] + s[VO_BONE_LEFT_TOES + to];
    }
    return 1 - vo_min(2 * ends, 1);
}

/* Surface along which weights are diffused, and working memory. */
typedef struct diffusion {
    int nodes, faces;
    const int (*face)[3];
    const double *open; /* [nodes] 0 to 1; NULL: all 1 */
    weights *now, *then;
} diffusion;

static void spread_over(const diffusion *s, int rounds) {
    for (int i = 0; i < rounds; i++) {
        diffuse(s->nodes, s->faces, s->face, (const weights *)s->now, s->then);
        for (int n = 0; n < s->nodes; n++) {
            double part = s->open ? s->open[n] : 1;
            for (int b = 0; b < VO_BONE_COUNT; b++)
                s->now[n][b] += part * (s->then[n][b] - s->now[n][b]);
        }
    }
}

/* Limits legs to their half of the body: weights beyond, around the crotch, go to the hips. */
static void limit_legs(double unit, vo_vec3 p, weights s) {
    for (int side = 0; side < 2; side++) {
        double beyond = vo_smooth_step(side ? p.x : -p.x, 0, BEYOND * unit);
        int to = side * (VO_BONE_RIGHT_CLAVICLE - VO_BONE_LEFT_CLAVICLE);
        for (int b = VO_BONE_LEFT_THIGH + to; b <= VO_BONE_LEFT_TOES + to; b++) {
            s[VO_BONE_HIPS] += beyond * s[b];
            s[b] -= beyond * s[b];
        }
    }
}

vo_result vo_mannequin_compute_weights(vo_context *ctx, const vo_implicit_body *primitive,
                                       int face_count, const int (*face)[3], vo_skin *skin) {
    int nodes = skin->node_count;
    double unit = primitive->height / 1.75;
    weights *now = vo_new_array(ctx, weights, nodes), *then = vo_new_array(ctx, weights, nodes);
    double *open = vo_new_array(ctx, double, nodes);
    bool had = now && then && open;
    if (had) {
        diffusion s = {nodes, face_count, face, NULL, now, then};
        for (int n = 0; n < nodes; n++)
            compute_point_weights(primitive, unit, skin->rest[n], now[n]);
        spread_over(&s, count_passes(SPREAD * unit, face_count, face, skin->rest));
        for (int n = 0; n < nodes; n++) open[n] = diffusion_weight(now[n]);
        s.open = open;
        spread_over(&s, count_passes(WIDE * unit, face_count, face, skin->rest));
        for (int n = 0; n < nodes; n++) limit_legs(unit, skin->rest[n], now[n]);
        for (int n = 0; n < nodes; n++) vo_skin_set_node(skin, n, VO_BONE_COUNT, now[n]);
    }
    vo_free_array(ctx, now, nodes);
    vo_free_array(ctx, then, nodes);
    vo_free_array(ctx, open, nodes);
    return had ? VO_OK : vo_fail_memory(ctx, "skinning weights");
}

/* Which bones the skin of the mannequin follows.
 *
 * A node follows the bones of the forms it lies on: each form says along its axis where one bone
 * takes over from another. Then shares are spread along the surface, never through the air, so
 * that thighs do not pull at each other and forms have no borders. */
#include "core/memory.h"
#include "scene/mannequin.h"
#include "scene/mannequin_form.h"

#include <string.h>

/* m at a height of 1.75: forms count by how near a node they are; shares spread so far everywhere,
 * and then so far where limbs are thick. The wide one is what keeps armpits, groins and knees from
 * folding through themselves: skin on the inside of a bend must have the length of the arc it is
 * pressed into, about its distance from the joint times the angle. */
#define NEARNESS 0.004
#define SPREAD   0.018
#define WIDE     0.057
#define BEYOND   0.08 /* how far a leg reaches into the other half */

typedef double shares[VO_BONE_COUNT];

/* Adds the bones that a form gives to this height of its frame. */
static void add_spans(const vo_form *form, double z, double weight, bool mirrored, shares to) {
    double rest = weight; /* what the spans from here on share */
    for (int i = 0; i < form->span_count; i++) {
        const vo_form_span *after = i + 1 < form->span_count ? &form->span[i + 1] : NULL;
        double over =
            after ? vo_smooth_step(z, after->from - after->blend, after->from + after->blend) : 0;
        vo_bone bone = form->span[i].bone;
        to[mirrored ? vo_bone_mirror(bone) : bone] += rest * (1 - over);
        rest *= over;
    }
}

/* Shoulders: the further out and up, the more of the chest's share goes to the clavicle. */
static void lift_shoulders(double unit, vo_vec3 local, bool mirrored, shares to) {
    double out = vo_smooth_step(fabs(local.x), 0.03 * unit, 0.16 * unit);
    double up = vo_smooth_step(local.z, 1.30 * unit, 1.44 * unit);
    vo_bone bone = (local.x < 0) != mirrored ? VO_BONE_RIGHT_CLAVICLE : VO_BONE_LEFT_CLAVICLE;
    double part = out * up * to[VO_BONE_CHEST];
    to[VO_BONE_CHEST] -= part;
    to[bone] += part;
}

static void add_form(const vo_form *form, double unit, vo_vec3 p, bool mirrored, shares sum) {
    if (mirrored) p.x = -p.x;
    double distance = vo_max(vo_form_value(form, p), 0);
    double weight = exp(-distance / (NEARNESS * unit));
    if (!(weight > 1e-12)) return;
    shares own = {0};
    vo_vec3 local = q_rotate(q_conjugate(form->place.rotation), v3_sub(p, form->place.translation));
    add_spans(form, local.z, weight, mirrored, own);
    if (form->shoulders) lift_shoulders(unit, local, mirrored, own);
    for (int b = 0; b < VO_BONE_COUNT; b++) sum[b] += own[b];
}

static void normalize(shares s) {
    double sum = 0;
    for (int b = 0; b < VO_BONE_COUNT; b++) sum += s[b];
    for (int b = 0; b < VO_BONE_COUNT; b++) s[b] /= sum;
}

/* Shares of a point by the forms near it. The hips have a little of everything, for a point that
 * is near none. */
static void weigh_point(const vo_body_form *body, double unit, vo_vec3 p, shares out) {
    memset(out, 0, sizeof(shares));
    out[VO_BONE_HIPS] = 1e-9;
    for (int i = 0; i < body->count; i++) {
        const vo_form *form = &body->form[i];
        add_form(form, unit, p, false, out);
        if (form->group != VO_FORM_TRUNK || form->paired) add_form(form, unit, p, true, out);
    }
    normalize(out);
}

/* One round of spreading: to the mean of a node and its neighbours, which the faces around it name
 * twice each. */
static void spread(int nodes, int faces, const int (*face)[3], const shares *from, shares *to) {
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

/* As many rounds as carry shares over `reach` where edges are as long as on most of the surface:
 * each spreads them over about half an edge. Even. */
static int round_count(double reach, int faces, const int (*face)[3], const vo_vec3 *x) {
    double sum = 0, all = 0;
    for (int f = 0; f < faces; f++) {
        vo_vec3 a = x[face[f][0]], ab = v3_sub(x[face[f][1]], a), ac = v3_sub(x[face[f][2]], a);
        double area = v3_length(v3_cross(ab, ac));
        sum += area * v3_length(ab);
        all += area;
    }
    double edges = reach / (0.5 * sum / all);
    return 2 * (int)ceil(0.5 * edges * edges);
}

/* How much a node takes part in the wide spreading: hands and feet do not, or soles would lift. */
static double openness(const double *s) {
    double ends = s[VO_BONE_HEAD];
    for (int side = 0; side < 2; side++) {
        int to = side * (VO_BONE_RIGHT_CLAVICLE - VO_BONE_LEFT_CLAVICLE);
        ends += s[VO_BONE_LEFT_HAND + to] + s[VO_BONE_LEFT_FOOT + to] + s[VO_BONE_LEFT_TOES + to];
    }
    return 1 - vo_min(2 * ends, 1);
}

/* The surface that shares spread along, and room for them. */
typedef struct spreading {
    int nodes, faces;
    const int (*face)[3];
    const double *open; /* [nodes] 0 to 1; NULL: all 1 */
    shares *now, *then;
} spreading;

static void spread_over(const spreading *s, int rounds) {
    for (int i = 0; i < rounds; i++) {
        spread(s->nodes, s->faces, s->face, (const shares *)s->now, s->then);
        for (int n = 0; n < s->nodes; n++) {
            double part = s->open ? s->open[n] : 1;
            for (int b = 0; b < VO_BONE_COUNT; b++)
                s->now[n][b] += part * (s->then[n][b] - s->now[n][b]);
        }
    }
}

/* Legs end where the other half of the body begins: what spread beyond, around the crotch, is the
 * hips'. */
static void part_legs(double unit, vo_vec3 p, shares s) {
    for (int side = 0; side < 2; side++) {
        double beyond = vo_smooth_step(side ? p.x : -p.x, 0, BEYOND * unit);
        int to = side * (VO_BONE_RIGHT_CLAVICLE - VO_BONE_LEFT_CLAVICLE);
        for (int b = VO_BONE_LEFT_THIGH + to; b <= VO_BONE_LEFT_TOES + to; b++) {
            s[VO_BONE_HIPS] += beyond * s[b];
            s[b] -= beyond * s[b];
        }
    }
}

vo_result vo_mannequin_weigh(vo_context *ctx, const vo_body_form *form, int face_count,
                             const int (*face)[3], vo_skin *skin) {
    int nodes = skin->node_count;
    double unit = form->height / 1.75;
    shares *now = vo_new_array(ctx, shares, nodes), *then = vo_new_array(ctx, shares, nodes);
    double *open = vo_new_array(ctx, double, nodes);
    bool had = now && then && open;
    if (had) {
        spreading s = {nodes, face_count, face, NULL, now, then};
        for (int n = 0; n < nodes; n++) weigh_point(form, unit, skin->rest[n], now[n]);
        spread_over(&s, round_count(SPREAD * unit, face_count, face, skin->rest));
        for (int n = 0; n < nodes; n++) open[n] = openness(now[n]);
        s.open = open;
        spread_over(&s, round_count(WIDE * unit, face_count, face, skin->rest));
        for (int n = 0; n < nodes; n++) part_legs(unit, skin->rest[n], now[n]);
        for (int n = 0; n < nodes; n++) vo_skin_set_node(skin, n, VO_BONE_COUNT, now[n]);
    }
    vo_free_array(ctx, now, nodes);
    vo_free_array(ctx, then, nodes);
    vo_free_array(ctx, open, nodes);
    return had ? VO_OK : vo_fail_memory(ctx, "shares of skin in bones");
}

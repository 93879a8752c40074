#include "view/camera_path.h"

#include "core/memory.h"
#include "math/bounds.h"

#define SHORTEST_SPAN 1e-9 /* s between two keys; less overflows the rates */

vo_camera_def vo_camera_def_default(void) {
    return (vo_camera_def){.name = "",
                           .up = {0, 0, 1},
                           .ease = true,
                           .width = 1920,
                           .height = 1080,
                           .near = 0.01,
                           .far = 1000,
                           .motion = -1,
                           .front = 1};
}

/* ---- is it sensible? ------------------------------------------------------------------------- */

static bool is_size(int pixels) { return pixels >= 1 && pixels <= VO_CAMERA_MAX_PIXELS; }

/* What is wrong with the camera itself, beginning with the member's name; NULL: nothing is. */
static const char *defect(const vo_camera_def *d) {
    if (!is_size(d->width)) return "width must be from 1 to 16384 pixels";
    if (!is_size(d->height)) return "height must be from 1 to 16384 pixels";
    if (!vo_is_positive(d->near)) return "near must be positive, up to " VO_LARGEST_TEXT;
    if (!vo_is_positive(d->far) || !(d->far > d->near))
        return "far must be more than near, up to " VO_LARGEST_TEXT;
    if (!v3_is_bounded(d->up) || !(v3_length(d->up) > VO_SMALLEST)) return "up must be a direction";
    if (!(d->front > 0 && d->front <= 1)) return "front must be above 0 and at most 1";
    if (d->key_count < 1 || !d->keys) return "a camera needs at least one key";
    return NULL;
}

static const char *rotation_defect(const vo_camera_key *k) {
    double length2 = 0;
    for (int i = 0; i < 4; i++) {
        if (!vo_is_bounded(k->rotation[i])) return "rotation must be four numbers";
        length2 += k->rotation[i] * k->rotation[i];
    }
    return length2 > 1e-12 ? NULL : "rotation must be a quaternion w, x, y, z, not all zero";
}

static const char *aim_defect(const vo_camera_key *k) {
    if (!k->has_target) return rotation_defect(k);
    if (!v3_is_bounded(k->target)) return "target must be three numbers up to " VO_LARGEST_TEXT;
    if (v3_distance(k->target, k->position) > SHORTEST_SPAN) return NULL;
    return "target is where the camera stands, which is no direction to look in";
}

const char *vo_camera_key_defect(const vo_camera_key *keys, int k) {
    const vo_camera_key *key = &keys[k];
    if (!vo_is_bounded(key->time)) return "time must be a number up to " VO_LARGEST_TEXT;
    double since = k > 0 ? key->time - keys[k - 1].time : INFINITY;
    if (key->cut && since < 0) return "its time is before that of the key before";
    if (!key->cut && !(since >= SHORTEST_SPAN))
        return "its time is not later than that of the key before";
    if (!v3_is_bounded(key->position))
        return "position must be three numbers up to " VO_LARGEST_TEXT;
    if (!(key->field >= 0.001 && key->field <= 179))
        return "field must be from 0.001 to 179 degrees";
    return aim_defect(key);
}

static vo_result check(vo_context *ctx, const vo_camera_def *def) {
    const char *text = defect(def);
    if (text) return vo_fail(ctx, VO_BAD_CALL, "%s", text);
    for (int k = 0; k < def->key_count; k++) {
        text = vo_camera_key_defect(def->keys, k);
        if (text) return vo_fail(ctx, VO_BAD_CALL, "key %d: %s", k, text);
    }
    return VO_OK;
}

/* ---- curves ---------------------------------------------------------------------------------- */

/* The sum of four poses with weights, component by component. */
static vo_camera_pose mix(const vo_camera_pose *const p[4], const double w[4]) {
    vo_camera_pose sum = {0};
    for (int i = 0; i < 4; i++) {
        sum.position = v3_add_scaled(sum.position, w[i], p[i]->position);
        sum.target = v3_add_scaled(sum.target, w[i], p[i]->target);
        sum.rotation = q_add(sum.rotation, q_scale(w[i], p[i]->rotation));
        sum.zoom += w[i] * p[i]->zoom;
    }
    return sum;
}

/* Weights of a cubic Hermite curve for two values and two rates, each value before its rate. */
static vo_camera_pose blend(const vo_camera_knot *a, const vo_camera_knot *b, double time) {
    double span = b->time - a->time, s = (time - a->time) / span, s2 = s * s, s3 = s2 * s;
    double w[4] = {2 * s3 - 3 * s2 + 1, (s3 - 2 * s2 + s) * span, 3 * s2 - 2 * s3,
                   (s3 - s2) * span};
    const vo_camera_pose *part[4] = {&a->pose, &a->rate, &b->pose, &b->rate};
    return mix(part, w);
}

/* x (b - a) + y c */
static vo_camera_pose slope(const vo_camera_pose *a, const vo_camera_pose *b, double x,
                            const vo_camera_pose *c, double y) {
    const vo_camera_pose *part[4] = {a, b, c, a};
    return mix(part, (double[4]){-x, x, y, 0});
}

static bool is_first(const vo_camera_path *p, int k) { return p->knot[k].cut; }
static bool is_last(const vo_camera_path *p, int k) {
    return k + 1 == p->knot_count || p->knot[k + 1].cut;
}

/* Rates inside shots: central differences. */
static void rate_inside(vo_camera_path *p, int k) {
    vo_camera_knot *n = &p->knot[k];
    if (is_first(p, k) || is_last(p, k)) return;
    n->rate = slope(&n[-1].pose, &n[1].pose, 1 / (n[1].time - n[-1].time), &n->pose, 0);
}

/* Rates at both ends of a shot that does not ease: those of the parabola that meets the next key
 * with its rate, or of a line where there are only two keys. */
static void rate_at_end(vo_camera_path *p, int k) {
    bool first = is_first(p, k), last = is_last(p, k);
    if (first == last) return;
    vo_camera_knot *a = &p->knot[first ? k : k - 1], *b = a + 1;
    const vo_camera_knot *inner = first ? b : a;
    bool alone = first ? is_last(p, k + 1) : is_first(p, k - 1);
    double secant = 1 / (b->time - a->time);
    p->knot[k].rate = alone ? slope(&a->pose, &b->pose, secant, &a->pose, 0)
                            : slope(&a->pose, &b->pose, 2 * secant, &inner->rate, -1);
}

static void find_rates(vo_camera_path *p, bool ease) {
    for (int k = 0; k < p->knot_count; k++) rate_inside(p, k);
    for (int k = 0; !ease && k < p->knot_count; k++) rate_at_end(p, k);
}

/* ---- from keys to a path --------------------------------------------------------------------- */

static vo_camera_knot make_knot(const vo_camera_key *key, vo_vec3 up) {
    const double *q = key->rotation;
    vo_camera_pose pose = {.position = key->position,
                           .target = key->target,
                           .rotation = q_normalize((vo_quat){q[0], q[1], q[2], q[3]}),
                           .zoom = log(vo_camera_tangent(key->field))};
    vo_camera camera = {0};
    if (key->has_target && vo_camera_aim(&camera, v3_sub(key->target, key->position), up))
        pose.rotation = vo_camera_rotation(&camera);
    if (!key->has_target) pose.target = key->position; /* not used, and within bounds */
    return (vo_camera_knot){
        .time = key->time, .pose = pose, .cut = key->cut, .aims = key->has_target};
}

/* A shot follows targets if all of its keys have one; and of q and -q each key has the one that is
 * nearer to the key before. */
static void join_shot(vo_camera_knot *knot, int count) {
    bool aims = true;
    for (int k = 0; k < count; k++) aims = aims && knot[k].aims;
    for (int k = 0; k < count; k++) {
        knot[k].aims = aims;
        if (k > 0 && q_dot(knot[k - 1].pose.rotation, knot[k].pose.rotation) < 0)
            knot[k].pose.rotation = q_scale(-1, knot[k].pose.rotation);
    }
}

static void join_shots(vo_camera_path *p) {
    for (int k = 0, end; k < p->knot_count; k = end) {
        for (end = k + 1; end < p->knot_count && !p->knot[end].cut;) end++;
        join_shot(&p->knot[k], end - k);
    }
}

vo_result vo_camera_path_create(vo_context *ctx, const vo_camera_def *def, vo_camera_path *out) {
    *out = (vo_camera_path){0};
    VO_TRY(check(ctx, def));
    vo_camera_path path = {.knot_count = def->key_count,
                           .knot = vo_new_array(ctx, vo_camera_knot, def->key_count),
                           .up = v3_normalize(def->up),
                           .near = def->near,
                           .far = def->far,
                           .width = def->width,
                           .height = def->height};
    if (!path.knot) return vo_fail_memory(ctx, "the path of a camera");
    for (int k = 0; k < def->key_count; k++) path.knot[k] = make_knot(&def->keys[k], path.up);
    path.knot[0].cut = true;
    join_shots(&path);
    find_rates(&path, def->ease);
    *out = path;
    return VO_OK;
}

void vo_camera_path_free(vo_context *ctx, vo_camera_path *path) {
    vo_free_array(ctx, path->knot, path->knot_count);
    *path = (vo_camera_path){0};
}

/* ---- at a time ------------------------------------------------------------------------------- */

/* The last knot that is not after a time; the first one before that, and for a time that is none.
 */
static int knot_before(const vo_camera_path *p, double time) {
    int low = 0, high = p->knot_count; /* the answer is in [low, high) */
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (p->knot[middle].time <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

vo_camera vo_camera_path_at(const vo_camera_path *p, double time) {
    const vo_camera_knot *n = &p->knot[knot_before(p, time)];
    bool held = is_last(p, (int)(n - p->knot)) || !(time > n->time);
    vo_camera_pose pose = held ? n->pose : blend(&n[0], &n[1], time);
    vo_camera camera = {.position = pose.position,
                        .near = p->near,
                        .far = p->far,
                        .width = p->width,
                        .height = p->height};
    vo_camera_open(&camera, exp(pose.zoom));
    bool aimed = n->aims && vo_camera_aim(&camera, v3_sub(pose.target, pose.position), p->up);
    if (!aimed) vo_camera_turn(&camera, q_normalize(n->aims ? n->pose.rotation : pose.rotation));
    return camera;
}

int vo_camera_path_cuts(const vo_camera_path *p, double from, double to, int capacity,
                        double *out) {
    int count = 0;
    for (int k = vo_max_int(1, knot_before(p, from)); k < p->knot_count; k++) {
        double time = p->knot[k].time;
        if (time > to) break;
        if (!p->knot[k].cut || !(time > from)) continue;
        if (count < capacity) out[count] = time;
        count++;
    }
    return count;
}

double vo_camera_path_shot(const vo_camera_path *p, double time) {
    int k = knot_before(p, time);
    while (!p->knot[k].cut) k--;
    return p->knot[k].time;
}

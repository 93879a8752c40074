#include "view/camera_path.h"

#include "core/memory.h"
#include "math/bounds.h"

#define MIN_KEY_SPAN \
    1e-9 /* s, minimum distance between two keys; shorter ones overflow the derivatives */

vo_camera_def vo_camera_def_default(void) {
    return (vo_camera_def){.name = "",
                           .up = {0, 0, 1},
                           .ease = true,
                           .width = 1920,
                           .height = 1080,
                           .z_near = 0.01,
                           .z_far = 1000,
                           .motion = -1,
                           .weight = 1};
}

/* ---- validation ----------------------------------------------------------------------------- */

static bool is_size(int pixels) { return pixels >= 1 && pixels <= VO_CAMERA_MAX_PIXELS; }

/* Returns the defect of the definition except its keys, beginning with the member's name, or
 * NULL. */
static const char *def_defect(const vo_camera_def *d) {
    if (!is_size(d->width)) return "width must be from 1 to 16384 pixels";
    if (!is_size(d->height)) return "height must be from 1 to 16384 pixels";
    if (!vo_is_positive(d->z_near)) return "z_near must be positive, up to " VO_MAX_NUMBER_TEXT;
    if (!vo_is_positive(d->z_far) || !(d->z_far > d->z_near))
        return "z_far must be greater than z_near, up to " VO_MAX_NUMBER_TEXT;
    if (!v3_is_bounded(d->up) || !(v3_length(d->up) > VO_MIN_POSITIVE))
        return "up must be a direction";
    if (!(d->weight > 0 && d->weight <= 1)) return "weight must be above 0 and at most 1";
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
    if (!v3_is_bounded(k->target)) return "target must be three numbers up to " VO_MAX_NUMBER_TEXT;
    if (v3_distance(k->target, k->position) > MIN_KEY_SPAN) return NULL;
    return "target equals position and gives no viewing direction";
}

const char *vo_camera_key_defect(const vo_camera_key *keys, int k) {
    const vo_camera_key *key = &keys[k];
    if (!vo_is_bounded(key->time)) return "time must be a number up to " VO_MAX_NUMBER_TEXT;
    double since = k > 0 ? key->time - keys[k - 1].time : INFINITY;
    if (key->cut && since < 0) return "time must not be before that of the previous key";
    if (!key->cut && !(since >= MIN_KEY_SPAN))
        return "time must be at least 1e-9 s later than that of the previous key";
    if (!v3_is_bounded(key->position))
        return "position must be three numbers up to " VO_MAX_NUMBER_TEXT;
    if (!(key->fov_y >= 0.001 && key->fov_y <= 179))
        return "fov_y must be from 0.001 to 179 degrees";
    return aim_defect(key);
}

static vo_result validate(vo_context *ctx, const vo_camera_def *def) {
    const char *text = def_defect(def);
    if (text) return vo_fail(ctx, VO_BAD_ARGUMENT, "%s", text);
    for (int k = 0; k < def->key_count; k++) {
        text = vo_camera_key_defect(def->keys, k);
        if (text) return vo_fail(ctx, VO_BAD_ARGUMENT, "key %d: %s", k, text);
    }
    return VO_OK;
}

/* ---- curves --------------------------------------------------------------------------------- */

/* Returns the weighted sum of four poses, component by component. */
static vo_camera_pose weighted_sum(const vo_camera_pose *const p[4], const double w[4]) {
    vo_camera_pose sum = {0};
    for (int i = 0; i < 4; i++) {
        sum.position = v3_add_scaled(sum.position, w[i], p[i]->position);
        sum.target = v3_add_scaled(sum.target, w[i], p[i]->target);
        sum.rotation = q_add(sum.rotation, q_scale(w[i], p[i]->rotation));
        sum.zoom += w[i] * p[i]->zoom;
    }
    return sum;
}

/* Evaluates the cubic Hermite curve between two knots. */
static vo_camera_pose eval_hermite(const vo_camera_knot *a, const vo_camera_knot *b, double time) {
    double span = b->time - a->time, s = (time - a->time) / span, s2 = s * s, s3 = s2 * s;
    double w[4] = {2 * s3 - 3 * s2 + 1, (s3 - 2 * s2 + s) * span, 3 * s2 - 2 * s3,
                   (s3 - s2) * span};
    const vo_camera_pose *part[4] = {&a->pose, &a->rate, &b->pose, &b->rate};
    return weighted_sum(part, w);
}

/* x (b - a) + y c */
static vo_camera_pose combine(const vo_camera_pose *a, const vo_camera_pose *b, double x,
                              const vo_camera_pose *c, double y) {
    const vo_camera_pose *part[4] = {a, b, c, a};
    return weighted_sum(part, (double[4]){-x, x, y, 0});
}

static bool is_first(const vo_camera_path *p, int k) { return p->knot[k].cut; }
static bool is_last(const vo_camera_path *p, int k) {
    return k + 1 == p->knot_count || p->knot[k + 1].cut;
}

/* Sets the derivative at an inner knot of a shot by central differences. */
static void set_inner_rate(vo_camera_path *p, int k) {
    vo_camera_knot *n = &p->knot[k];
    if (is_first(p, k) || is_last(p, k)) return;
    n->rate = combine(&n[-1].pose, &n[1].pose, 1 / (n[1].time - n[-1].time), &n->pose, 0);
}

/* Sets the derivative at the ends of a shot without easing: that of the parabola that matches the
 * next knot and its derivative, or of a line if the shot has only two knots. */
static void set_end_rate(vo_camera_path *p, int k) {
    bool first = is_first(p, k), last = is_last(p, k);
    if (first == last) return;
    vo_camera_knot *a = &p->knot[first ? k : k - 1], *b = a + 1;
    const vo_camera_knot *inner = first ? b : a;
    bool alone = first ? is_last(p, k + 1) : is_first(p, k - 1);
    double secant = 1 / (b->time - a->time);
    p->knot[k].rate = alone ? combine(&a->pose, &b->pose, secant, &a->pose, 0)
                            : combine(&a->pose, &b->pose, 2 * secant, &inner->rate, -1);
}

static void set_rates(vo_camera_path *p, bool ease) {
    for (int k = 0; k < p->knot_count; k++) set_inner_rate(p, k);
    for (int k = 0; !ease && k < p->knot_count; k++) set_end_rate(p, k);
}

/* ---- construction --------------------------------------------------------------------------- */

static vo_camera_knot make_knot(const vo_camera_key *key, vo_vec3 up) {
    const double *q = key->rotation;
    vo_camera_pose pose = {.position = key->position,
                           .target = key->target,
                           .rotation = q_normalize((vo_quat){q[0], q[1], q[2], q[3]}),
                           .zoom = log(vo_camera_half_fov_tangent(key->fov_y))};
    vo_camera camera = {0};
    if (key->has_target && vo_camera_set_direction(&camera, v3_sub(key->target, key->position), up))
        pose.rotation = vo_camera_get_rotation(&camera);
    if (!key->has_target) pose.target = key->position; /* unused, but must be finite */
    return (vo_camera_knot){
        .time = key->time, .pose = pose, .cut = key->cut, .has_target = key->has_target};
}

/* Makes has_target uniform over a shot (true if all keys have a target) and selects the sign of
 * each quaternion that is closer to the previous key's. */
static void unify_shot(vo_camera_knot *knot, int count) {
    bool aims = true;
    for (int k = 0; k < count; k++) aims = aims && knot[k].has_target;
    for (int k = 0; k < count; k++) {
        knot[k].has_target = aims;
        if (k > 0 && q_dot(knot[k - 1].pose.rotation, knot[k].pose.rotation) < 0)
            knot[k].pose.rotation = q_scale(-1, knot[k].pose.rotation);
    }
}

static void unify_shots(vo_camera_path *p) {
    for (int k = 0, end; k < p->knot_count; k = end) {
        for (end = k + 1; end < p->knot_count && !p->knot[end].cut;) end++;
        unify_shot(&p->knot[k], end - k);
    }
}

vo_result vo_camera_path_create(vo_context *ctx, const vo_camera_def *def, vo_camera_path *out) {
    *out = (vo_camera_path){0};
    VO_TRY(validate(ctx, def));
    vo_camera_path path = {.knot_count = def->key_count,
                           .knot = vo_new_array(ctx, vo_camera_knot, def->key_count),
                           .up = v3_normalize(def->up),
                           .z_near = def->z_near,
                           .z_far = def->z_far,
                           .width = def->width,
                           .height = def->height};
    if (!path.knot) return vo_fail_memory(ctx, "the path of a camera");
    for (int k = 0; k < def->key_count; k++) path.knot[k] = make_knot(&def->keys[k], path.up);
    path.knot[0].cut = true;
    unify_shots(&path);
    set_rates(&path, def->ease);
    *out = path;
    return VO_OK;
}

void vo_camera_path_free(vo_context *ctx, vo_camera_path *path) {
    vo_free_array(ctx, path->knot, path->knot_count);
    *path = (vo_camera_path){0};
}

/* ---- evaluation ----------------------------------------------------------------------------- */

/* Returns the last knot at or before a time; the first knot for earlier times and for NaN. */
static int find_knot(const vo_camera_path *p, double time) {
    int low = 0, high = p->knot_count; /* the result is in [low, high) */
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (p->knot[middle].time <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

vo_camera vo_camera_path_eval(const vo_camera_path *p, double time) {
    const vo_camera_knot *n = &p->knot[find_knot(p, time)];
    bool is_constant = is_last(p, (int)(n - p->knot)) || !(time > n->time);
    vo_camera_pose pose = is_constant ? n->pose : eval_hermite(&n[0], &n[1], time);
    vo_camera camera = {.position = pose.position,
                        .z_near = p->z_near,
                        .z_far = p->z_far,
                        .width = p->width,
                        .height = p->height};
    vo_camera_set_fov(&camera, exp(pose.zoom));
    bool aimed = n->has_target &&
                 vo_camera_set_direction(&camera, v3_sub(pose.target, pose.position), p->up);
    if (!aimed)
        vo_camera_set_rotation(&camera,
                               q_normalize(n->has_target ? n->pose.rotation : pose.rotation));
    return camera;
}

int vo_camera_path_find_cuts(const vo_camera_path *p, double from, double to, int capacity,
                             double *out) {
    int count = 0;
    for (int k = vo_max_int(1, find_knot(p, from)); k < p->knot_count; k++) {
        double time = p->knot[k].time;
        if (time > to) break;
        if (!p->knot[k].cut || !(time > from)) continue;
        if (count < capacity) out[count] = time;
        count++;
    }
    return count;
}

double vo_camera_path_shot_start(const vo_camera_path *p, double time) {
    int k = find_knot(p, time);
    while (!p->knot[k].cut) k--;
    return p->knot[k].time;
}

/* What is hidden: by hand with plates and holes, and against many lines of sight by plain
 * arithmetic. */
#include "support.h"

#include "core/memory.h"
#include "view/view.h"
#include "view_cases.h"

#include <stdio.h>
#include <string.h>

enum { MOST_FACES = 20000 };

/* ---- a stage -------------------------------------------------------------------------------- */

/* A sheet of n x n cells, 1 m wide, upright at y = 0, its front towards -y; and plates. */
typedef struct stage {
    vo_context *ctx;
    vo_mesh *sheet;
    vo_mesh *plate[8];
    vo_vec3 velocity[8], sheet_velocity; /* of the plates, m/s */
    const vo_transform *then[8];         /* of the plates; NULL: by their velocities */
    int plates;
    double factor[MOST_FACES];
    vo_sym2 bound[MOST_FACES];
    vo_view_report report;
} stage;

static stage *make_stage(int threads, int n) {
    stage *s = test_calloc(1, sizeof *s);
    s->ctx = test_context(threads);
    assert_ok(s->ctx, vo_mesh_create_grid(s->ctx, 1, 1, n, n, &s->sheet));
    assert_true(s->sheet->face_count <= MOST_FACES);
    for (int i = 0; i < s->sheet->node_count; i++) {
        vo_vec3 p = s->sheet->node_x[i];
        s->sheet->node_x[i] = v3(p.x - 0.5, 0, p.y - 0.5);
    }
    return s;
}

static void free_stage(stage *s) {
    vo_mesh_destroy(s->sheet);
    for (int i = 0; i < s->plates; i++) vo_mesh_destroy(s->plate[i]);
    vo_context_destroy(s->ctx);
    test_free(s);
}

/* Two triangles at a depth y. */
static void add_plate(stage *s, double y, double left, double right, double low, double high) {
    vo_vec3 x[4] = {{left, y, low}, {right, y, low}, {right, y, high}, {left, y, high}};
    int face[2][3] = {{0, 1, 2}, {0, 2, 3}};
    assert_ok(s->ctx, vo_mesh_create(s->ctx, 4, x, 4, NULL, NULL, 2, (const int(*)[3])face,
                                     VO_MESH_FOR_OBSTACLE, &s->plate[s->plates++]));
}

static vo_view_def view_def(void) {
    vo_view_def def = vo_view_def_default();
    def.silhouette = INFINITY;
    def.occlusion = true;
    def.factor.hidden = 0.2;
    return def;
}

static void look_with(stage *s, const vo_view_def *def, int eyes, const vo_view_eye *eye) {
    vo_hiding hiding[9] = {{.mesh = s->sheet, .velocity = s->sheet_velocity}};
    vo_view_cloth looked = {
        .mesh = s->sheet, .velocity = s->sheet_velocity, .factor = s->factor, .bound = s->bound};
    vo_view *view;
    for (int i = 0; i < s->plates; i++)
        hiding[1 + i] =
            (vo_hiding){.mesh = s->plate[i], .velocity = s->velocity[i], .then = s->then[i]};
    assert_ok(s->ctx, vo_view_create(s->ctx, def, &view));
    assert_ok(s->ctx,
              vo_view_update(view, eyes, eye, 1, &looked, 1 + s->plates, hiding, &s->report));
    vo_view_destroy(view);
}

/* From one camera that stands still. */
static void look(stage *s, vo_camera camera) {
    vo_view_def def = view_def();
    vo_view_sample sample = {.camera = camera};
    vo_view_eye eye = {1, &sample, 1};
    look_with(s, &def, 1, &eye);
}

static vo_camera before_it(double distance) {
    return camera_at(v3(0, -distance, 0), v3_zero(), 0.5, 0.5);
}

static vo_vec3 middle(const stage *s, int face) {
    vo_vec3 sum = v3_zero();
    for (int k = 0; k < 3; k++)
        sum = v3_add(sum, s->sheet->node_x[vo_mesh_face_node(s->sheet, face, k)]);
    return v3_scale(1.0 / 3, sum);
}

/* Skips the test in builds without rays. */
static void need_rays(void) {
    if (!vo_rays_available()) skip();
}

/* ---- by hand -------------------------------------------------------------------------------- */

static void nothing_before_it(void **state) {
    (void)state;
    need_rays();
    stage *s = make_stage(1, 20);
    look(s, before_it(3));
    for (int f = 0; f < s->sheet->face_count; f++) assert_near(s->factor[f], 1, 0);
    assert_int_equal(s->report.hidden, 0);
    assert_int_equal(s->report.seen, s->sheet->face_count);
    add_plate(s, 0.5, -9, 9, -9, 9); /* behind it */
    look(s, before_it(3));
    assert_int_equal(s->report.hidden, 0);
    free_stage(s);
}

/* A plate half way before the left half: its shadow ends at x = 0. Faces there within a ring of
 * what is seen count as seen. */
static void half_of_it_hidden(void **state) {
    (void)state;
    need_rays();
    stage *s = make_stage(1, 20);
    add_plate(s, -1.5, -9, 0, -9, 9);
    look(s, before_it(3));
    int hidden = 0;
    for (int f = 0; f < s->sheet->face_count; f++) {
        double x = middle(s, f).x;
        if (x > -0.05) assert_near(s->factor[f], 1, 0);
        if (x < -0.15) assert_near(s->factor[f], 0.2, 0);
        hidden += s->factor[f] == 0.2;
    }
    assert_int_equal(s->report.hidden, hidden);
    assert_int_equal(s->report.seen, s->sheet->face_count - hidden);
    free_stage(s);
}

/* A hole between four plates shows the middle; near plates before the near plane hide nothing. */
static void holes_and_near_planes(void **state) {
    (void)state;
    need_rays();
    stage *s = make_stage(1, 30);
    add_plate(s, -1, -9, -0.1, -9, 9);
    add_plate(s, -1, 0.1, 9, -9, 9);
    add_plate(s, -1, -0.1, 0.1, -9, -0.1);
    add_plate(s, -1, -0.1, 0.1, 0.1, 9);
    look(s, before_it(3));
    for (int f = 0; f < s->sheet->face_count; f++) { /* the hole is 0.15 m from the middle there */
        vo_vec3 m = middle(s, f);
        double off = vo_max(fabs(m.x), fabs(m.z));
        if (off < 0.15) assert_near(s->factor[f], 1, 0);
        if (off > 0.15 + 0.09) assert_near(s->factor[f], 0.2, 0);
    }
    assert_true(s->report.hidden > 0);
    vo_camera c = before_it(3);
    c.near = 2.1; /* the plates are 2 m away */
    look(s, c);
    assert_int_equal(s->report.hidden, 0);
    free_stage(s);
}

/* A hole that shows nothing but the inside of a coarse face. */
static void inside_of_a_face(void **state) {
    (void)state;
    need_rays();
    stage *s = make_stage(1, 2);
    add_plate(s, -0.05, -9, 0.1, -9, 9);
    add_plate(s, -0.05, 0.4, 9, -9, 9);
    add_plate(s, -0.05, 0.1, 0.4, -9, 0.1);
    add_plate(s, -0.05, 0.1, 0.4, 0.4, 9);
    vo_view_def def = view_def();
    vo_view_sample sample = {.camera = before_it(9)};
    vo_view_eye eye = {1, &sample, 1};
    def.rays.rings = 0;
    look_with(s, &def, 1, &eye);
    for (int f = 0; f < s->sheet->face_count; f++) {
        vo_vec3 m = middle(s, f);
        assert_near(s->factor[f], m.x > 0 && m.z > 0 ? 1 : 0.2, 0);
    }
    def.rays.rings = 1; /* all have the node in the middle in common */
    look_with(s, &def, 1, &eye);
    assert_true(s->report.hidden < 6);
    free_stage(s);
}

/* A camera that will look around the plate, at any moment of the window; one that cuts away; and
 * another camera from the side. */
static void the_window_counts(void **state) {
    (void)state;
    need_rays();
    stage *s = make_stage(1, 10);
    add_plate(s, -1, -0.45, 0.45, -9, 9);
    vo_view_def def = view_def();
    vo_view_sample sample[3] = {{.camera = before_it(3)}, {.ahead = 0.1}, {.ahead = 0.15}};
    vo_view_eye eye[2] = {{1, sample, 1}, {1, &sample[1], 1}};
    look_with(s, &def, 1, eye);
    int alone = s->report.hidden;
    assert_true(alone > 100);
    sample[1].camera = camera_at(v3(3, -3, 0), v3_zero(), 0.5, 0.5);
    sample[2].camera = sample[0].camera;
    eye[0].sample_count = 3; /* there and back again: seen in between */
    look_with(s, &def, 1, eye);
    assert_true(s->report.hidden < alone / 2);
    eye[0].sample_count = 2;
    sample[1].cut = true;
    look_with(s, &def, 1, eye);
    assert_true(s->report.hidden < alone / 2);
    eye[0].sample_count = 1;
    look_with(s, &def, 2, eye); /* at the same time */
    assert_true(s->report.hidden < alone / 2);
    sample[1].camera = camera_at(v3(0, 3, 0), v3_zero(), 0.5, 0.5);
    look_with(s, &def, 2, eye); /* from behind it sees backs only */
    assert_int_equal(s->report.hidden, alone);
    free_stage(s);
}

/* A camera that stands still, and hidden faces as plates and sheet go on. */
static int hidden_from(stage *s, const vo_view_def *def, vo_vec3 sheet, vo_vec3 plate) {
    vo_view_sample sample = {.camera = before_it(3)};
    vo_view_eye eye = {1, &sample, 1};
    s->sheet_velocity = sheet, s->velocity[0] = plate;
    look_with(s, def, 1, &eye);
    return s->report.hidden;
}

/* A plate that will have gone by the end of the window, 0.2 s, hides nothing; without a window
 * nothing goes anywhere. */
static void what_hides_may_go(void **state) {
    (void)state;
    need_rays();
    stage *s = make_stage(1, 20);
    add_plate(s, -1, -0.5, 0.5, -0.5, 0.5);
    vo_view_def def = view_def();
    vo_vec3 none = v3_zero();
    int still = hidden_from(s, &def, none, none);
    assert_true(still > 300);
    assert_int_equal(hidden_from(s, &def, none, v3(0.01, 0, 0)), still); /* hardly moves */
    int left = hidden_from(s, &def, none, v3(3, 0, 0));
    assert_true(left > 0 && left < still / 2);
    for (int f = 0; f < s->sheet->face_count; f++)
        if (middle(s, f).x < 0) assert_near(s->factor[f], 1, 0); /* what it leaves behind */
    assert_int_equal(hidden_from(s, &def, none, v3(0, 0, 20)), 0);
    def.rays.foresee = false;
    assert_int_equal(hidden_from(s, &def, none, v3(0, 0, 20)), still);
    def.rays.foresee = true, def.window = 0;
    assert_int_equal(hidden_from(s, &def, none, v3(0, 0, 20)), still);
    free_stage(s);
}

/* A plate that turns about its middle goes nowhere, and is edge-on by the end of the window; one
 * that is known to stay does, whatever its velocity. */
static void what_hides_may_turn(void **state) {
    (void)state;
    need_rays();
    stage *s = make_stage(1, 20);
    add_plate(s, -1, -0.5, 0.5, -0.5, 0.5);
    vo_view_def def = view_def();
    vo_vec3 none = v3_zero(), middle_of_it = v3(0, -1, 0);
    int still = hidden_from(s, &def, none, none);
    vo_transform way = xf_identity();
    s->then[0] = &way;
    assert_int_equal(hidden_from(s, &def, none, v3(0, 0, 20)), still);
    way.rotation = q_axis_angle(v3(0, 0, 1), VO_PI / 2);
    way.translation = v3_sub(middle_of_it, q_rotate(way.rotation, middle_of_it));
    int turned = hidden_from(s, &def, none, none);
    assert_true(turned < still / 10);
    s->then[0] = NULL;
    assert_int_equal(hidden_from(s, &def, none, none), still);
    free_stage(s);
}

/* Plate and sheet that go the same way: towards the depth one stays behind the other, across the
 * view it comes out on one side. So it does where something else stands still, for which another
 * world is made. */
static void what_goes_together_passes_the_eye(void **state) {
    (void)state;
    need_rays();
    stage *s = make_stage(1, 20);
    add_plate(s, -1, -0.5, 0.5, -0.5, 0.5);
    vo_view_def def = view_def();
    vo_vec3 none = v3_zero(), away = v3(0, 0.5, 0), across = v3(4, 0, 0);
    int still = hidden_from(s, &def, none, none), passing = hidden_from(s, &def, across, across);
    assert_int_equal(hidden_from(s, &def, away, away), still);
    assert_true(passing < 0.9 * still && passing > 0.2 * still);
    add_plate(s, 2, -0.1, 0.1, -0.1, 0.1);
    assert_int_equal(hidden_from(s, &def, away, away), still);
    assert_int_equal(hidden_from(s, &def, across, across), passing);
    free_stage(s);
}

/* A sheet twice, behind a plate that covers its middle; what it comes to with so wide a fringe. */
static void look_at_two(int threads, double fringe, double factor[2][MOST_FACES],
                        vo_sym2 bound[2][MOST_FACES]) {
    stage *s = make_stage(threads, 20);
    add_plate(s, -1, -0.3, 0.3, -0.3, 0.3);
    vo_view_def def = view_def();
    vo_view_sample sample = {.camera = before_it(3)};
    vo_view_eye eye = {1, &sample, 1};
    vo_view_cloth cloth[2];
    vo_hiding hiding[2] = {{.mesh = s->sheet}, {.mesh = s->plate[0]}};
    vo_view *view;
    def.screen.pixels = 4, def.fringe = fringe;
    for (int i = 0; i < 2; i++)
        cloth[i] = (vo_view_cloth){.mesh = s->sheet, .factor = factor[i], .bound = bound[i]};
    assert_ok(s->ctx, vo_view_create(s->ctx, &def, &view));
    assert_ok(s->ctx, vo_view_update(view, 1, &eye, 2, cloth, 2, hiding, &s->report));
    vo_view_destroy(view);
    free_stage(s);
}

/* Factors fall from what is seen to `hidden`, bounds with their squares, of each cloth for itself
 * and for any number of threads. */
static void hidden_faces_have_a_fringe(void **state) {
    (void)state;
    need_rays();
    static double sudden[2][MOST_FACES], factor[2][MOST_FACES], again[2][MOST_FACES];
    static vo_sym2 plain[2][MOST_FACES], bound[2][MOST_FACES], other[2][MOST_FACES];
    int between = 0, least = 0, faces = 2 * 20 * 20;
    look_at_two(1, 0, sudden, plain);
    look_at_two(1, 0.1, factor, bound);
    for (int f = 0; f < faces; f++) {
        double q = factor[0][f] / sudden[0][f];
        assert_true(factor[0][f] >= sudden[0][f]);
        between += factor[0][f] > 0.2 && factor[0][f] < 1;
        least += factor[0][f] == 0.2;
        assert_near(bound[0][f].xx, q * q * plain[0][f].xx, 1e-9 * bound[0][f].xx);
        assert_near(bound[0][f].yy, q * q * plain[0][f].yy, 1e-9 * bound[0][f].yy);
    }
    assert_true(between > 20 && least > 20);
    assert_memory_equal(factor[0], factor[1], (size_t)faces * sizeof factor[0][0]);
    for (int threads = 2; threads <= 3; threads++) {
        look_at_two(threads, 0.1, again, other);
        assert_memory_equal(again, factor, sizeof factor);
        assert_memory_equal(other, bound, sizeof bound);
    }
}

/* What is hidden from a camera and lit counts as much as the light says. */
static void hidden_from_one_eye(void **state) {
    (void)state;
    need_rays();
    stage *s = make_stage(1, 20);
    add_plate(s, -1, -0.5, 0.5, -0.5, 0.5);
    vo_view_sample camera = {.camera = before_it(3)};
    vo_view_sample light = {.camera = camera_at(v3(3, -3, 0), v3_zero(), 0.5, 0.5)};
    vo_view_eye eye[2] = {{1, &camera, 1}, {1, &light, 0.3}};
    vo_view_def def = view_def();
    look_with(s, &def, 1, eye);
    int covered = s->report.hidden, lit = 0;
    static double alone[MOST_FACES];
    memcpy(alone, s->factor, sizeof alone);
    assert_true(covered > 100);
    look_with(s, &def, 2, eye);
    assert_true(s->report.hidden < covered / 4);
    for (int f = 0; f < s->sheet->face_count; f++) {
        assert_true(s->factor[f] >= alone[f]);
        if (alone[f] == 1) continue;
        assert_true(s->factor[f] == 0.3 || s->factor[f] == 0.2);
        lit += s->factor[f] == 0.3;
    }
    assert_true(lit > 100);
    free_stage(s);
}

/* A back that is in the picture stays what it is, whatever covers the front after a cut. */
static void backs_are_not_hidden(void **state) {
    (void)state;
    need_rays();
    stage *s = make_stage(1, 20);
    add_plate(s, -1.5, -9, 9, -9, 9);
    vo_view_sample sample[2] = {{.camera = camera_at(v3(0, 3, 0), v3_zero(), 0.5, 0.5)},
                                {.ahead = 0.02, .camera = before_it(3), .cut = true}};
    vo_view_eye eye = {2, sample, 1};
    vo_view_def def = view_def();
    def.factor.back = 0.5;
    def.factor.hidden = 0.1;
    look_with(s, &def, 1, &eye);
    assert_int_equal(s->report.hidden, s->sheet->face_count);
    for (int f = 0; f < s->sheet->face_count; f++) assert_near(s->factor[f], 0.5, 0);
    eye = (vo_view_eye){1, &sample[1], 1};
    sample[1].ahead = 0;
    look_with(s, &def, 1, &eye);
    for (int f = 0; f < s->sheet->face_count; f++) assert_near(s->factor[f], 0.1, 0);
    free_stage(s);
}

/* Eyes beyond the last bit are as one: what one of them sees is hidden from none. */
static void many_eyes(void **state) {
    (void)state;
    need_rays();
    stage *s = make_stage(1, 20);
    add_plate(s, -1, -0.5, 0.5, -0.5, 0.5);
    vo_view_sample sample[10];
    vo_view_eye eye[10];
    for (int i = 0; i < 10; i++) {
        sample[i] = (vo_view_sample){.camera = camera_at(v3(0, -3, 9), v3(0, -9, 9), 0.1, 0.1)};
        eye[i] = (vo_view_eye){1, &sample[i], 1};
    }
    vo_view_def def = view_def();
    sample[8].camera = before_it(3); /* behind the plate */
    look_with(s, &def, 10, eye);
    int covered = s->report.hidden;
    assert_true(covered > 100);
    sample[9].camera = camera_at(v3(3, -3, 0), v3_zero(), 0.5, 0.5);
    eye[9].front = 0.3;
    look_with(s, &def, 10, eye);
    assert_true(s->report.hidden < covered / 4);
    int whole = 0;
    for (int f = 0; f < s->sheet->face_count; f++) {
        assert_true(s->factor[f] == 1 || s->factor[f] == 0.2);
        whole += s->factor[f] == 1;
    }
    assert_true(whole > covered / 2);
    free_stage(s);
}

/* What is seen in a picture does not depend on which lines of sight were asked for before. */
static void pictures_take_over_what_is_known(void **state) {
    (void)state;
    need_rays();
    stage *s = make_stage(1, 30);
    add_plate(s, -1, -0.2, 0.5, -0.3, 0.3);
    vo_camera cameras[3] = {camera_at(v3(1, -3, 0.3), v3_zero(), 0.5, 0.5), before_it(3),
                            before_it(3)};
    cameras[2].forward = v3_normalize(v3(0.05, 1, 0));
    cameras[2].right = v3_normalize(v3(1, -0.05, 0));
    vo_hiding hiding[2] = {{.mesh = s->sheet}, {.mesh = s->plate[0]}};
    vo_view_cloth cloth = {.mesh = s->sheet, .factor = s->factor, .bound = s->bound};
    static unsigned char watched[3][MOST_FACES];
    vo_view_def def = view_def();
    int seen = 0;
    for (int k = 0; k < 3; k++) { /* asked before from elsewhere, from there, and turned */
        vo_view_sample sample[2] = {{.camera = cameras[k]}, {.camera = cameras[1]}};
        vo_view_eye eye[2] = {{1, &sample[0], 1}, {1, &sample[1], 1}};
        unsigned char *out = watched[k];
        vo_view *view;
        assert_ok(s->ctx, vo_view_create(s->ctx, &def, &view));
        assert_ok(s->ctx, vo_view_update(view, 2, eye, 1, &cloth, 2, hiding, NULL));
        assert_ok(s->ctx, vo_view_mark_seen(view, 1, &cameras[1], 1, &cloth, &out));
        vo_view_destroy(view);
        assert_memory_equal(watched[k], watched[0], (size_t)s->sheet->face_count);
    }
    for (int f = 0; f < s->sheet->face_count; f++) seen += watched[0][f];
    assert_true(seen > 500 && seen < s->sheet->face_count - 300);
    free_stage(s);
}

/* The back of a bowl hides its front; the cloth itself is in the way. */
static void cloth_hides_cloth(void **state) {
    (void)state;
    need_rays();
    stage *s = make_stage(1, 40);
    for (int i = 0; i < s->sheet->node_count; i++) { /* a U of three parts, 2 pieces face -y */
        vo_vec3 *x = &s->sheet->node_x[i];
        double along = x->x + 0.5;
        vo_vec3 fold[3] = {
            {along, 0, x->z}, {0.4, along - 0.4, x->z}, {0.4 - (along - 0.5), 0.1, x->z}};
        *x = fold[along <= 0.4 ? 0 : along <= 0.5 ? 1 : 2];
    }
    vo_camera c = camera_at(v3(0.2, 3, 0), v3(0.2, 0, 0), 0.5, 0.5); /* at the last part's front */
    look(s, c);
    int shown = 0, hidden = 0;
    for (int f = 0; f < s->sheet->face_count; f++) {
        vo_vec3 m = middle(s, f);
        if (m.y > 0.099) shown += s->factor[f] == 1;
        if (m.y < 0.001) hidden += s->factor[f] <= 0.2;
    }
    assert_true(shown > 1500 && hidden > 1200); /* half of 3,200; the first part shows its back */
    vo_view_def def = view_def();
    vo_view_sample sample = {.camera = c};
    vo_view_eye eye = {1, &sample, 1};
    vo_view_cloth looked = {
        .mesh = s->sheet, .factor = s->factor, .bound = s->bound, .two_sided = true};
    vo_hiding hiding[1] = {{.mesh = s->sheet}};
    vo_view *view;
    assert_ok(s->ctx, vo_view_create(s->ctx, &def, &view));
    assert_ok(s->ctx, vo_view_update(view, 1, &eye, 1, &looked, 1, hiding, &s->report));
    vo_view_destroy(view);
    assert_true(s->report.hidden > 1000);
    free_stage(s);
}

/* ---- against plain arithmetic --------------------------------------------------------------- */

/* Whether the way between two points passes through a triangle. */
static bool passes(vo_vec3 from, vo_vec3 to, const vo_vec3 t[3]) {
    vo_vec3 d = v3_sub(to, from), a = v3_sub(t[1], t[0]), b = v3_sub(t[2], t[0]);
    vo_vec3 h = v3_cross(d, b), s = v3_sub(from, t[0]), q = v3_cross(s, a);
    double det = v3_dot(a, h);
    if (fabs(det) < 1e-12) return false;
    double u = v3_dot(s, h) / det, v = v3_dot(d, q) / det, w = v3_dot(b, q) / det;
    return u >= 0 && v >= 0 && u + v <= 1 && w > 1e-3 && w < 1;
}

static bool is_blocked(const stage *s, vo_vec3 from, vo_vec3 to) {
    for (int i = 0; i < s->plates; i++)
        for (int f = 0; f < s->plate[i]->face_count; f++) {
            vo_vec3 t[3];
            for (int k = 0; k < 3; k++)
                t[k] = s->plate[i]->node_x[vo_mesh_face_node(s->plate[i], f, k)];
            if (passes(from, to, t)) return true;
        }
    return false;
}

/* Part of a face that is in sight. */
static double sight_of(const stage *s, vo_vec3 eye, int face) {
    vo_vec3 x[3];
    int open = 0, all = 0;
    for (int k = 0; k < 3; k++) x[k] = s->sheet->node_x[vo_mesh_face_node(s->sheet, face, k)];
    for (int i = 0; i <= 12; i++)
        for (int j = 0; i + j <= 12; j++, all++) {
            vo_vec3 p = v3_add_scaled(x[0], i / 12.0, v3_sub(x[1], x[0]));
            p = v3_add_scaled(p, j / 12.0, v3_sub(x[2], x[0]));
            open += !is_blocked(s, p, eye);
        }
    return (double)open / all;
}

/* Random plates: nothing that is hidden is in sight from any moment, and what is out of sight of
 * all and not near what is in sight is hidden. */
static void as_many_lines_of_sight(void **state) {
    (void)state;
    need_rays();
    vo_random r = vo_random_seed(3);
    int hidden = 0;
    for (int round = 0; round < 12; round++) {
        stage *s = make_stage(1, 12);
        for (int i = 0; i < 3; i++) {
            double x = vo_random_real(&r, -0.4, 0.4), z = vo_random_real(&r, -0.4, 0.4);
            double w = vo_random_real(&r, 0.15, 0.5), h = vo_random_real(&r, 0.15, 0.5);
            add_plate(s, vo_random_real(&r, -1, -0.3), x - w, x + w, z - h, z + h);
        }
        vo_view_sample sample[2] = {{.camera = before_it(4)}, {.ahead = 0.1}};
        sample[1].camera = camera_at(v3(0.3, -4, 0.1), v3_zero(), 0.5, 0.5);
        vo_view_eye eye = {2, sample, 1};
        vo_view_def def = view_def();
        look_with(s, &def, 1, &eye);
        for (int f = 0; f < s->sheet->face_count; f++) {
            double sight = vo_max(sight_of(s, sample[0].camera.position, f),
                                  sight_of(s, sample[1].camera.position, f));
            if (s->factor[f] < 1) assert_near(sight, 0, 0.05);
            hidden += s->factor[f] < 1;
        }
        def.rays.rings = 0;
        look_with(s, &def, 1, &eye);
        for (int f = 0; f < s->sheet->face_count; f++)
            if (sight_of(s, sample[0].camera.position, f) == 0 &&
                sight_of(s, sample[1].camera.position, f) == 0)
                assert_near(s->factor[f], 0.2, 0);
        free_stage(s);
    }
    assert_true(hidden > 300);
}

/* ---- several cloths, and what is left out ---------------------------------------------------- */

/* Each of several cloths is judged as it is alone. */
static void together_as_alone(void **state) {
    (void)state;
    need_rays();
    static const int CELLS[3] = {40, 7, 1};
    stage *s[3];
    vo_view_def def = vo_view_def_default();
    vo_view_sample sample[2] = {{.camera = before_it(4)}, {.ahead = 0.1}};
    sample[1].camera = camera_at(v3(0.3, -4, 0.1), v3_zero(), 0.5, 0.5);
    vo_view_eye eye = {2, sample, 1};
    vo_context *ctx = test_context(2);
    vo_view *view;
    def.occlusion = true;
    assert_ok(ctx, vo_view_create(ctx, &def, &view));
    for (int i = 0; i < 3; i++) {
        s[i] = make_stage(1, CELLS[i]);
        for (int k = 0; k < s[i]->sheet->node_count; k++) s[i]->sheet->node_x[k].y += 0.4 * i;
    }
    add_plate(s[0], -1, -0.2, 0.5, -0.3, 0.3);
    vo_hiding hiding[5] = {{.mesh = s[0]->sheet},
                           {.mesh = s[1]->sheet},
                           {.mesh = NULL},
                           {.mesh = s[2]->sheet},
                           {.mesh = s[0]->plate[0]}};
    static double factor[3][MOST_FACES];
    static vo_sym2 bound[3][MOST_FACES];
    vo_view_cloth cloth[3];
    int seen = 0, hidden = 0;
    for (int i = 0; i < 3; i++) {
        cloth[i] = (vo_view_cloth){.mesh = s[i]->sheet, .finest = 0.001 * i};
        cloth[i].factor = s[i]->factor, cloth[i].bound = s[i]->bound;
        assert_ok(ctx, vo_view_update(view, 1, &eye, 1, &cloth[i], 5, hiding, &s[i]->report));
        seen += s[i]->report.seen, hidden += s[i]->report.hidden;
        cloth[i].factor = factor[i], cloth[i].bound = bound[i];
    }
    vo_view_report report;
    assert_ok(ctx, vo_view_update(view, 1, &eye, 3, cloth, 5, hiding, &report));
    for (int i = 0; i < 3; i++) {
        size_t faces = (size_t)s[i]->sheet->face_count;
        assert_memory_equal(factor[i], s[i]->factor, faces * sizeof(double));
        assert_memory_equal(bound[i], s[i]->bound, faces * sizeof(vo_sym2));
    }
    assert_int_equal(report.seen, seen);
    assert_int_equal(report.hidden, hidden);
    assert_true(hidden > 500 && seen > 500);
    vo_view_destroy(view);
    for (int i = 0; i < 3; i++) free_stage(s[i]);
    vo_context_destroy(ctx);
}

/* The moments of a camera that goes from a random place to another and looks at some point. */
static int random_moments(vo_random *r, double aim, vo_moment moment[3]) {
    vo_camera any = random_camera(r);
    vo_camera c = camera_at(any.position, random_point(r, aim), any.tan_x, any.tan_y);
    c.near = any.near;
    vo_vec3 way = random_point(r, 0.5), axis = v3_normalize(random_point(r, 1));
    double angle = vo_random_real(r, 0, 0.3);
    vo_view_sample sample[3];
    for (int i = 0; i < 3; i++)
        sample[i] = (vo_view_sample){.ahead = 0.05 * i,
                                     .camera = camera_between(&c, way, axis, angle, 1.1, 0.5 * i)};
    vo_view_eye eye = {3, sample, 1};
    return vo_moments_make(&eye, 0, 0.2, moment);
}

/* What cannot be between a face and an eye changes nothing, and is left out. */
static void left_out_is_not_missed(void **state) {
    (void)state;
    need_rays();
    vo_random r = vo_random_seed(29);
    vo_factor_def factor = vo_factor_def_default();
    vo_occlusion_def rays = vo_occlusion_def_default();
    int left_out = 0, hidden = 0;
    for (int round = 0; round < 300; round++) {
        stage *s = make_stage(1, 4);
        for (int i = 0; i < 8; i++) {
            double w = i % 2 ? 1 : 6, x = vo_random_real(&r, -w, w), z = vo_random_real(&r, -w, w);
            add_plate(s, vo_random_real(&r, -3, 3), x - 0.7, x + 0.6, z - 0.8, z + 0.5);
        }
        vo_occlusion *o;
        assert_ok(s->ctx, vo_occlusion_create(s->ctx, &o));
        vo_moment moment[3];
        factor.margin = round % 3 ? vo_random_real(&r, 0, 0.6) : 0;
        vo_hiding_span span = {&factor, random_moments(&r, 1, moment), moment, 0.25 * sqrt(2), 0.1};
        vo_hiding hiding[8];
        for (int i = 0; i < 8; i++)
            hiding[i] = (vo_hiding){.mesh = s->plate[i], .velocity = random_point(&r, 1)};
        unsigned char asked[2][32], seen[2][32];
        int faces[2], count = 0;
        rays.foresee = round % 2, rays.rings = 0;
        for (int k = 0; k < 2; k++) {
            memset(asked[k], 1, sizeof asked[k]);
            vo_occlusion_cloth cloth = {s->sheet, v3(0.3, 0, 0), true, asked[k], seen[k]};
            vo_hiding_span all = span;
            if (!k) all.longest = 1e3;
            assert_ok(s->ctx, vo_occlusion_set(o, 8, hiding, &all));
            assert_ok(s->ctx,
                      vo_occlusion_judge(o, &rays, &factor, span.moment_count, moment, 1, &cloth));
            faces[k] = vo_occlusion_face_count(o);
        }
        for (int i = 0; i < 32; i++) count += asked[0][i] && !seen[0][i];
        assert_int_equal(faces[0], 16);
        assert_memory_equal(asked[0], asked[1], sizeof asked[0]);
        assert_memory_equal(seen[0], seen[1], sizeof seen[0]);
        left_out += faces[0] - faces[1];
        hidden += count > 0 && count < 32;
        vo_occlusion_destroy(o);
        free_stage(s);
    }
    assert_true(left_out > 300);
    assert_true(hidden > 30);
}

/* A plate of 2 mm on the way from a corner of a face near the frame to the eye is never left out,
 * however long the face is. */
static void what_is_on_the_way_stays(void **state) {
    (void)state;
    need_rays();
    vo_random r = vo_random_seed(31);
    vo_factor_def factor = vo_factor_def_default();
    int asked = 0, left_out = 0;
    for (int round = 0; round < 4000; round++) {
        vo_moment moment[3];
        int count = random_moments(&r, 3, moment);
        vo_view_face face = {.two_sided = true};
        vo_vec3 middle = random_point(&r, 3);
        double longest2 = 0;
        for (int k = 0; k < 3; k++) face.x[k] = v3_add(middle, random_point(&r, 0.4));
        for (int k = 0; k < 3; k++)
            longest2 = vo_max(longest2, v3_length2(v3_sub(face.x[(k + 1) % 3], face.x[k])));
        const vo_moment *m = &moment[round % count];
        bool near = vo_factor_look(&factor, m, &face).near;
        vo_vec3 x = v3_lerp(m->frustum.eye, face.x[0], vo_random_real(&r, 0, 1));
        stage *s = make_stage(1, 1);
        add_plate(s, x.y, x.x - 1e-3, x.x + 1e-3, x.z - 1e-3, x.z + 1e-3);
        vo_occlusion *o;
        vo_hiding_span span = {&factor, count, moment, sqrt(longest2), 0};
        vo_hiding hiding = {.mesh = s->plate[0]};
        assert_ok(s->ctx, vo_occlusion_create(s->ctx, &o));
        assert_ok(s->ctx, vo_occlusion_set(o, 1, &hiding, &span));
        if (near) assert_int_equal(vo_occlusion_face_count(o), 2);
        asked += near;
        left_out += vo_occlusion_face_count(o) == 0;
        vo_occlusion_destroy(o);
        free_stage(s);
    }
    assert_true(asked > 500 && left_out > 100);
}

/* ---- threads, builds, time ------------------------------------------------------------------ */

static void threads_make_no_difference(void **state) {
    (void)state;
    need_rays();
    stage *s[3];
    for (int i = 0; i < 3; i++) {
        s[i] = make_stage(i + 1, 70); /* enough for all threads to make the tree */
        add_plate(s[i], -1, -0.2, 0.15, -0.3, 0.2);
        look(s[i], before_it(3));
        assert_true(s[i]->report.hidden > 100);
        assert_int_equal(s[i]->report.hidden, s[0]->report.hidden);
        assert_memory_equal(s[i]->factor, s[0]->factor, sizeof s[0]->factor);
        assert_memory_equal(s[i]->bound, s[0]->bound, sizeof s[0]->bound);
    }
    for (int i = 0; i < 3; i++) free_stage(s[i]);
}

static void note(void *user, vo_log_level level, const char *text) {
    if (level == VO_LOG_WARNING && strstr(text, "Embree")) ++*(int *)user;
}

/* A build without rays says so once and hides nothing. */
static void builds_without_rays_say_so(void **state) {
    (void)state;
    int notes = 0;
    vo_context_def def = vo_context_def_default();
    def.log = note, def.log_user = &notes, def.threads = 1;
    vo_context *ctx;
    vo_view *view;
    vo_view_def view_with = view_def();
    assert_int_equal(vo_context_create(&def, &ctx), VO_OK);
    assert_ok(ctx, vo_view_create(ctx, &view_with, &view));
    assert_int_equal(notes, !vo_rays_available());
    vo_view_destroy(view);
    vo_context_destroy(ctx);
}

/* 10,000 faces of cloth, half of it hidden, behind a body of 20,000: 10 ms on a quiet machine. */
static void ten_thousand_faces(void **state) {
    (void)state;
    need_rays();
    stage *s = make_stage(1, 70);
    vo_shape_def shape = vo_shape_def_default(VO_SHAPE_SPHERE);
    shape.radius = 0.3, shape.edge_length = 0.0105;
    assert_ok(s->ctx, vo_mesh_create_shape(s->ctx, &shape, &s->plate[s->plates++]));
    for (int i = 0; i < s->plate[0]->node_count; i++) s->plate[0]->node_x[i].y -= 0.5;
    vo_view_sample sample[4];
    for (int i = 0; i < 4; i++)
        sample[i] = (vo_view_sample){.ahead = 0.05 * i,
                                     .camera = camera_at(v3(0.03 * i, -3, 0), v3_zero(), 0.5, 0.5)};
    vo_view_eye eye = {4, sample, 1};
    vo_view_def def = view_def();
    vo_view_cloth looked = {.mesh = s->sheet, .factor = s->factor, .bound = s->bound};
    vo_hiding hiding[2] = {{.mesh = s->sheet}, {.mesh = s->plate[0]}};
    vo_view *view;
    double best = 1;
    def.screen.pixels = 2;
    assert_ok(s->ctx, vo_view_create(s->ctx, &def, &view));
    for (int i = 0; i < 10; i++) {
        double start = test_seconds();
        assert_ok(s->ctx, vo_view_update(view, 1, &eye, 1, &looked, 2, hiding, &s->report));
        best = vo_min(best, test_seconds() - start);
    }
    printf("%d faces, %d hidden, before them %d: %.2f ms\n", s->sheet->face_count, s->report.hidden,
           s->plate[0]->face_count, 1e3 * best);
    assert_true(best < 0.06 * TEST_SLOWNESS);
    vo_view_destroy(view);
    free_stage(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_before_it),
        cmocka_unit_test(half_of_it_hidden),
        cmocka_unit_test(holes_and_near_planes),
        cmocka_unit_test(inside_of_a_face),
        cmocka_unit_test(the_window_counts),
        cmocka_unit_test(cloth_hides_cloth),
        cmocka_unit_test(as_many_lines_of_sight),
        cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(builds_without_rays_say_so),
        cmocka_unit_test(ten_thousand_faces),
        cmocka_unit_test(together_as_alone),
        cmocka_unit_test(left_out_is_not_missed),
        cmocka_unit_test(what_is_on_the_way_stays),
        cmocka_unit_test(what_hides_may_go),
        cmocka_unit_test(what_hides_may_turn),
        cmocka_unit_test(hidden_faces_have_a_fringe),
        cmocka_unit_test(hidden_from_one_eye),
        cmocka_unit_test(backs_are_not_hidden),
        cmocka_unit_test(many_eyes),
        cmocka_unit_test(what_goes_together_passes_the_eye),
        cmocka_unit_test(pictures_take_over_what_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests of occlusion: known cases with plates and holes, and brute-force visibility rays. */
#include "support.h"

#include "core/memory.h"
#include "view/view.h"
#include "view_cases.h"

#include <stdio.h>
#include <string.h>

enum { MAX_FACES = 20000 };

/* ---- fixture -------------------------------------------------------------------------------- */

/* A sheet of n x n cells, 1 m wide, upright at y = 0 with its front towards -y, and rectangular
 * occluders (plates). */
typedef struct stage {
    vo_context *ctx;
    vo_mesh *sheet;
    vo_mesh *plate[8];
    vo_vec3 velocity[8], sheet_velocity; /* of the plates, m/s */
    const vo_transform *then[8];         /* of the plates; NULL: moved by their velocities */
    bool wall[8];                        /* plates that are walls of a container */
    int plates;
    double factor[MAX_FACES];
    vo_sym2 bound[MAX_FACES];
    vo_view_report report;
} stage;

static stage *make_stage(int threads, int n) {
    stage *s = test_calloc(1, sizeof *s);
    s->ctx = test_context(threads);
    s->sheet = test_grid(s->ctx, 1, 1, n, n);
    assert_true(s->sheet->face_count <= MAX_FACES);
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
    def.silhouette_threshold = INFINITY;
    def.occlusion = true;
    def.factor.occluded = 0.2;
    return def;
}

static void look_with(stage *s, const vo_view_def *def, int eyes, const vo_viewpoint *eye) {
    vo_occluder hiding[9] = {{.mesh = s->sheet, .velocity = s->sheet_velocity}};
    vo_view_cloth looked = {
        .mesh = s->sheet, .velocity = s->sheet_velocity, .factor = s->factor, .bound = s->bound};
    vo_view *view;
    for (int i = 0; i < s->plates; i++)
        hiding[1 + i] = (vo_occluder){.mesh = s->plate[i],
                                      .container = s->wall[i],
                                      .velocity = s->velocity[i],
                                      .end_transform = s->then[i]};
    assert_ok(s->ctx, vo_view_create(s->ctx, def, &view));
    assert_ok(s->ctx,
              vo_view_update(view, eyes, eye, 1, &looked, 1 + s->plates, hiding, &s->report));
    vo_view_destroy(view);
}

/* Updates the view for one static camera. */
static void look(stage *s, vo_camera camera) {
    vo_view_def def = view_def();
    vo_view_sample sample = {.camera = camera};
    vo_viewpoint eye = {1, &sample, 1};
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

/* Skips the test in builds without ray casting. */
static void skip_without_rays(void) {
    if (!vo_rays_available()) skip();
}

/* ---- known cases ---------------------------------------------------------------------------- */

static void no_occluder_leaves_all_visible(void **state) {
    (void)state;
    skip_without_rays();
    stage *s = make_stage(1, 20);
    look(s, before_it(3));
    for (int f = 0; f < s->sheet->face_count; f++) assert_near(s->factor[f], 1, 0);
    assert_int_equal(s->report.occluded, 0);
    assert_int_equal(s->report.visible, s->sheet->face_count);
    add_plate(s, 0.5, -9, 9, -9, 9); /* behind it */
    look(s, before_it(3));
    assert_int_equal(s->report.occluded, 0);
    free_stage(s);
}

/* A plate halfway in front of the left half: its shadow ends at x = 0. Faces there within a ring of
 * visible ones are visible. */
static void plate_occludes_half(void **state) {
    (void)state;
    skip_without_rays();
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
    assert_int_equal(s->report.occluded, hidden);
    assert_int_equal(s->report.visible, s->sheet->face_count - hidden);
    free_stage(s);
}

/* The wall of a container occludes from its front only. A plate's front is towards the camera. */
static void container_wall_occludes_from_its_front(void **state) {
    (void)state;
    skip_without_rays();
    stage *s = make_stage(1, 20);
    add_plate(s, -1.5, -9, 9, -9, 9);
    s->wall[0] = true;
    look(s, before_it(3));
    assert_int_equal(s->report.occluded, s->sheet->face_count);
    vo_mesh_destroy(s->plate[--s->plates]);
    add_plate(s, -1.5, 9, -9, -9, 9);
    look(s, before_it(3));
    assert_int_equal(s->report.occluded, 0);
    s->velocity[0] = v3(0, 0, 0.5); /* both before and after its motion */
    look(s, before_it(3));
    assert_int_equal(s->report.occluded, 0);
    s->wall[0] = false;
    look(s, before_it(3));
    assert_int_equal(s->report.occluded, s->sheet->face_count);
    free_stage(s);
}

/* A hole between four plates shows the centre; plates in front of the near plane occlude nothing.
 */
static void hole_shows_centre_and_near_plane_clips(void **state) {
    (void)state;
    skip_without_rays();
    stage *s = make_stage(1, 30);
    add_plate(s, -1, -9, -0.1, -9, 9);
    add_plate(s, -1, 0.1, 9, -9, 9);
    add_plate(s, -1, -0.1, 0.1, -9, -0.1);
    add_plate(s, -1, -0.1, 0.1, 0.1, 9);
    look(s, before_it(3));
    for (int f = 0; f < s->sheet->face_count;
         f++) { /* the hole extends 0.15 m from the centre there */
        vo_vec3 m = middle(s, f);
        double off = vo_max(fabs(m.x), fabs(m.z));
        if (off < 0.15) assert_near(s->factor[f], 1, 0);
        if (off > 0.15 + 0.09) assert_near(s->factor[f], 0.2, 0);
    }
    assert_true(s->report.occluded > 0);
    vo_camera c = before_it(3);
    c.z_near = 2.1; /* the plates are 2 m away */
    look(s, c);
    assert_int_equal(s->report.occluded, 0);
    free_stage(s);
}

/* A hole through which only the interior of a coarse face is visible. */
static void face_interior_is_tested(void **state) {
    (void)state;
    skip_without_rays();
    stage *s = make_stage(1, 2);
    add_plate(s, -0.05, -9, 0.1, -9, 9);
    add_plate(s, -0.05, 0.4, 9, -9, 9);
    add_plate(s, -0.05, 0.1, 0.4, -9, 0.1);
    add_plate(s, -0.05, 0.1, 0.4, 0.4, 9);
    vo_view_def def = view_def();
    vo_view_sample sample = {.camera = before_it(9)};
    vo_viewpoint eye = {1, &sample, 1};
    def.rays.rings = 0;
    look_with(s, &def, 1, &eye);
    for (int f = 0; f < s->sheet->face_count; f++) {
        vo_vec3 m = middle(s, f);
        assert_near(s->factor[f], m.x > 0 && m.z > 0 ? 1 : 0.2, 0);
    }
    def.rays.rings = 1; /* all share the central node */
    look_with(s, &def, 1, &eye);
    assert_true(s->report.occluded < 6);
    free_stage(s);
}

/* A camera that will see past the plate within the window; one that cuts away; and a second camera
 * from the side. */
static void motion_within_window_is_anticipated(void **state) {
    (void)state;
    skip_without_rays();
    stage *s = make_stage(1, 10);
    add_plate(s, -1, -0.45, 0.45, -9, 9);
    vo_view_def def = view_def();
    vo_view_sample sample[3] = {{.camera = before_it(3)}, {.ahead = 0.1}, {.ahead = 0.15}};
    vo_viewpoint eye[2] = {{1, sample, 1}, {1, &sample[1], 1}};
    look_with(s, &def, 1, eye);
    int alone = s->report.occluded;
    assert_true(alone > 100);
    sample[1].camera = camera_at(v3(3, -3, 0), v3_zero(), 0.5, 0.5);
    sample[2].camera = sample[0].camera;
    eye[0].sample_count = 3; /* moves there and back: visible in between */
    look_with(s, &def, 1, eye);
    assert_true(s->report.occluded < alone / 2);
    eye[0].sample_count = 2;
    sample[1].cut = true;
    look_with(s, &def, 1, eye);
    assert_true(s->report.occluded < alone / 2);
    eye[0].sample_count = 1;
    look_with(s, &def, 2, eye); /* at the same time */
    assert_true(s->report.occluded < alone / 2);
    sample[1].camera = camera_at(v3(0, 3, 0), v3_zero(), 0.5, 0.5);
    look_with(s, &def, 2, eye); /* from behind only backs are visible */
    assert_int_equal(s->report.occluded, alone);
    free_stage(s);
}

/* Number of occluded faces for a static camera, with velocities of sheet and plate. */
static int occluded_count_with(stage *s, const vo_view_def *def, vo_vec3 sheet, vo_vec3 plate) {
    vo_view_sample sample = {.camera = before_it(3)};
    vo_viewpoint eye = {1, &sample, 1};
    s->sheet_velocity = sheet, s->velocity[0] = plate;
    look_with(s, def, 1, &eye);
    return s->report.occluded;
}

/* A plate that leaves within the window of 0.2 s occludes nothing; without a window there is no
 * prediction. */
static void moving_occluder_reveals(void **state) {
    (void)state;
    skip_without_rays();
    stage *s = make_stage(1, 20);
    add_plate(s, -1, -0.5, 0.5, -0.5, 0.5);
    vo_view_def def = view_def();
    vo_vec3 none = v3_zero();
    int still = occluded_count_with(s, &def, none, none);
    assert_true(still > 300);
    assert_int_equal(occluded_count_with(s, &def, none, v3(0.01, 0, 0)), still); /* hardly moves */
    int left = occluded_count_with(s, &def, none, v3(3, 0, 0));
    assert_true(left > 0 && left < still / 2);
    for (int f = 0; f < s->sheet->face_count; f++)
        if (middle(s, f).x < 0) assert_near(s->factor[f], 1, 0); /* faces that become visible */
    assert_int_equal(occluded_count_with(s, &def, none, v3(0, 0, 20)), 0);
    def.rays.predict = false;
    assert_int_equal(occluded_count_with(s, &def, none, v3(0, 0, 20)), still);
    def.rays.predict = true, def.window = 0;
    assert_int_equal(occluded_count_with(s, &def, none, v3(0, 0, 20)), still);
    free_stage(s);
}

/* A plate that rotates about its centre is edge-on at the end of the window; one with a known
 * static transform stays, whatever its velocity. */
static void rotating_occluder_reveals(void **state) {
    (void)state;
    skip_without_rays();
    stage *s = make_stage(1, 20);
    add_plate(s, -1, -0.5, 0.5, -0.5, 0.5);
    vo_view_def def = view_def();
    vo_vec3 none = v3_zero(), middle_of_it = v3(0, -1, 0);
    int still = occluded_count_with(s, &def, none, none);
    vo_transform way = xf_identity();
    s->then[0] = &way;
    assert_int_equal(occluded_count_with(s, &def, none, v3(0, 0, 20)), still);
    way.rotation = q_axis_angle(v3(0, 0, 1), VO_PI / 2);
    way.translation = v3_sub(middle_of_it, q_rotate(way.rotation, middle_of_it));
    int turned = occluded_count_with(s, &def, none, none);
    assert_true(turned < still / 10);
    s->then[0] = NULL;
    assert_int_equal(occluded_count_with(s, &def, none, none), still);
    free_stage(s);
}

/* Plate and sheet with the same velocity: along the view one stays behind the other, across the
 * view the sheet becomes visible on one side; also with a third, static object, which requires a
 * second structure. */
static void common_motion_is_predicted(void **state) {
    (void)state;
    skip_without_rays();
    stage *s = make_stage(1, 20);
    add_plate(s, -1, -0.5, 0.5, -0.5, 0.5);
    vo_view_def def = view_def();
    vo_vec3 none = v3_zero(), away = v3(0, 0.5, 0), across = v3(4, 0, 0);
    int still = occluded_count_with(s, &def, none, none),
        passing = occluded_count_with(s, &def, across, across);
    assert_int_equal(occluded_count_with(s, &def, away, away), still);
    assert_true(passing < 0.9 * still && passing > 0.2 * still);
    add_plate(s, 2, -0.1, 0.1, -0.1, 0.1);
    assert_int_equal(occluded_count_with(s, &def, away, away), still);
    assert_int_equal(occluded_count_with(s, &def, across, across), passing);
    free_stage(s);
}

/* Two sheets behind a plate that covers their centre, with a given falloff width. */
static void update_two_sheets(int threads, double fringe, double factor[2][MAX_FACES],
                              vo_sym2 bound[2][MAX_FACES]) {
    stage *s = make_stage(threads, 20);
    add_plate(s, -1, -0.3, 0.3, -0.3, 0.3);
    vo_view_def def = view_def();
    vo_view_sample sample = {.camera = before_it(3)};
    vo_viewpoint eye = {1, &sample, 1};
    vo_view_cloth cloth[2];
    vo_occluder hiding[2] = {{.mesh = s->sheet}, {.mesh = s->plate[0]}};
    vo_view *view;
    def.screen.min_edge_pixels = 4, def.occlusion_falloff = fringe;
    for (int i = 0; i < 2; i++)
        cloth[i] = (vo_view_cloth){.mesh = s->sheet, .factor = factor[i], .bound = bound[i]};
    assert_ok(s->ctx, vo_view_create(s->ctx, &def, &view));
    assert_ok(s->ctx, vo_view_update(view, 1, &eye, 2, cloth, 2, hiding, &s->report));
    vo_view_destroy(view);
    free_stage(s);
}

/* Factors fall gradually from visible to `occluded`, bounds with their squares, per cloth and for
 * any number of threads. */
static void falloff_is_gradual(void **state) {
    (void)state;
    skip_without_rays();
    static double sudden[2][MAX_FACES], factor[2][MAX_FACES], again[2][MAX_FACES];
    static vo_sym2 plain[2][MAX_FACES], bound[2][MAX_FACES], other[2][MAX_FACES];
    int between = 0, least = 0, faces = 2 * 20 * 20;
    update_two_sheets(1, 0, sudden, plain);
    update_two_sheets(1, 0.1, factor, bound);
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
        update_two_sheets(threads, 0.1, again, other);
        assert_memory_equal(again, factor, sizeof factor);
        assert_memory_equal(other, bound, sizeof bound);
    }
}

/* A face that is occluded from a camera but lit has the factor of the light. */
static void occluded_from_one_viewpoint(void **state) {
    (void)state;
    skip_without_rays();
    stage *s = make_stage(1, 20);
    add_plate(s, -1, -0.5, 0.5, -0.5, 0.5);
    vo_view_sample camera = {.camera = before_it(3)};
    vo_view_sample light = {.camera = camera_at(v3(3, -3, 0), v3_zero(), 0.5, 0.5)};
    vo_viewpoint eye[2] = {{1, &camera, 1}, {1, &light, 0.3}};
    vo_view_def def = view_def();
    look_with(s, &def, 1, eye);
    int covered = s->report.occluded, lit = 0;
    static double alone[MAX_FACES];
    memcpy(alone, s->factor, sizeof alone);
    assert_true(covered > 100);
    look_with(s, &def, 2, eye);
    assert_true(s->report.occluded < covered / 4);
    for (int f = 0; f < s->sheet->face_count; f++) {
        assert_true(s->factor[f] >= alone[f]);
        if (alone[f] == 1) continue;
        assert_true(s->factor[f] == 0.3 || s->factor[f] == 0.2);
        lit += s->factor[f] == 0.3;
    }
    assert_true(lit > 100);
    free_stage(s);
}

/* A back-facing face keeps its factor even if its front is occluded after a cut. */
static void back_facing_keeps_factor(void **state) {
    (void)state;
    skip_without_rays();
    stage *s = make_stage(1, 20);
    add_plate(s, -1.5, -9, 9, -9, 9);
    vo_view_sample sample[2] = {{.camera = camera_at(v3(0, 3, 0), v3_zero(), 0.5, 0.5)},
                                {.ahead = 0.02, .camera = before_it(3), .cut = true}};
    vo_viewpoint eye = {2, sample, 1};
    vo_view_def def = view_def();
    def.factor.back_facing = 0.5;
    def.factor.occluded = 0.1;
    look_with(s, &def, 1, &eye);
    assert_int_equal(s->report.occluded, s->sheet->face_count);
    for (int f = 0; f < s->sheet->face_count; f++) assert_near(s->factor[f], 0.5, 0);
    eye = (vo_viewpoint){1, &sample[1], 1};
    sample[1].ahead = 0;
    look_with(s, &def, 1, &eye);
    for (int f = 0; f < s->sheet->face_count; f++) assert_near(s->factor[f], 0.1, 0);
    free_stage(s);
}

/* Viewpoints beyond the last bit share it: a face visible to one of them is occluded from none. */
static void many_viewpoints_share_a_bit(void **state) {
    (void)state;
    skip_without_rays();
    stage *s = make_stage(1, 20);
    add_plate(s, -1, -0.5, 0.5, -0.5, 0.5);
    vo_view_sample sample[10];
    vo_viewpoint eye[10];
    for (int i = 0; i < 10; i++) {
        sample[i] = (vo_view_sample){.camera = camera_at(v3(0, -3, 9), v3(0, -9, 9), 0.1, 0.1)};
        eye[i] = (vo_viewpoint){1, &sample[i], 1};
    }
    vo_view_def def = view_def();
    sample[8].camera = before_it(3); /* behind the plate */
    look_with(s, &def, 10, eye);
    int covered = s->report.occluded;
    assert_true(covered > 100);
    sample[9].camera = camera_at(v3(3, -3, 0), v3_zero(), 0.5, 0.5);
    eye[9].front_factor = 0.3;
    look_with(s, &def, 10, eye);
    assert_true(s->report.occluded < covered / 4);
    int whole = 0;
    for (int f = 0; f < s->sheet->face_count; f++) {
        assert_true(s->factor[f] == 1 || s->factor[f] == 0.2);
        whole += s->factor[f] == 1;
    }
    assert_true(whole > covered / 2);
    free_stage(s);
}

/* Visible faces of an image do not depend on earlier visibility rays. */
static void mark_visible_is_independent_of_cache(void **state) {
    (void)state;
    skip_without_rays();
    stage *s = make_stage(1, 30);
    add_plate(s, -1, -0.2, 0.5, -0.3, 0.3);
    vo_camera cameras[3] = {camera_at(v3(1, -3, 0.3), v3_zero(), 0.5, 0.5), before_it(3),
                            before_it(3)};
    cameras[2].forward = v3_normalize(v3(0.05, 1, 0));
    cameras[2].right = v3_normalize(v3(1, -0.05, 0));
    vo_occluder hiding[2] = {{.mesh = s->sheet}, {.mesh = s->plate[0]}};
    vo_view_cloth cloth = {.mesh = s->sheet, .factor = s->factor, .bound = s->bound};
    static unsigned char watched[3][MAX_FACES];
    vo_view_def def = view_def();
    int seen = 0;
    for (int k = 0; k < 3; k++) { /* tested before from elsewhere, from there, and rotated */
        vo_view_sample sample[2] = {{.camera = cameras[k]}, {.camera = cameras[1]}};
        vo_viewpoint eye[2] = {{1, &sample[0], 1}, {1, &sample[1], 1}};
        unsigned char *out = watched[k];
        vo_view *view;
        assert_ok(s->ctx, vo_view_create(s->ctx, &def, &view));
        assert_ok(s->ctx, vo_view_update(view, 2, eye, 1, &cloth, 2, hiding, NULL));
        assert_ok(s->ctx, vo_view_mark_visible(view, 1, &cameras[1], 1, &cloth, &out));
        vo_view_destroy(view);
        assert_memory_equal(watched[k], watched[0], (size_t)s->sheet->face_count);
    }
    for (int f = 0; f < s->sheet->face_count; f++) seen += watched[0][f];
    assert_true(seen > 500 && seen < s->sheet->face_count - 300);
    free_stage(s);
}

/* Self-occlusion: the back of a bowl occludes its front. */
static void cloth_occludes_itself(void **state) {
    (void)state;
    skip_without_rays();
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
    vo_viewpoint eye = {1, &sample, 1};
    vo_view_cloth looked = {
        .mesh = s->sheet, .factor = s->factor, .bound = s->bound, .two_sided = true};
    vo_occluder hiding[1] = {{.mesh = s->sheet}};
    vo_view *view;
    assert_ok(s->ctx, vo_view_create(s->ctx, &def, &view));
    assert_ok(s->ctx, vo_view_update(view, 1, &eye, 1, &looked, 1, hiding, &s->report));
    vo_view_destroy(view);
    assert_true(s->report.occluded > 1000);
    free_stage(s);
}

/* ---- against plain arithmetic --------------------------------------------------------------- */

/* Returns true if the segment between two points intersects a triangle. */
static bool segment_hits(vo_vec3 from, vo_vec3 to, const vo_vec3 t[3]) {
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
            if (segment_hits(from, to, t)) return true;
        }
    return false;
}

/* Visible fraction of a face. */
static double visible_fraction(const stage *s, vo_vec3 eye, int face) {
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

/* Random plates: no occluded face is visible from any sample, and faces that are invisible from all
 * and not near visible ones are occluded. */
static void result_agrees_with_brute_force(void **state) {
    (void)state;
    skip_without_rays();
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
        vo_viewpoint eye = {2, sample, 1};
        vo_view_def def = view_def();
        look_with(s, &def, 1, &eye);
        for (int f = 0; f < s->sheet->face_count; f++) {
            double sight = vo_max(visible_fraction(s, sample[0].camera.position, f),
                                  visible_fraction(s, sample[1].camera.position, f));
            if (s->factor[f] < 1) assert_near(sight, 0, 0.05);
            hidden += s->factor[f] < 1;
        }
        def.rays.rings = 0;
        look_with(s, &def, 1, &eye);
        for (int f = 0; f < s->sheet->face_count; f++)
            if (visible_fraction(s, sample[0].camera.position, f) == 0 &&
                visible_fraction(s, sample[1].camera.position, f) == 0)
                assert_near(s->factor[f], 0.2, 0);
        free_stage(s);
    }
    assert_true(hidden > 300);
}

/* ---- several cloths, culling ---------------------------------------------------------------- */

/* Several cloths give the same result as each alone. */
static void cloths_are_independent(void **state) {
    (void)state;
    skip_without_rays();
    static const int CELLS[3] = {40, 7, 1};
    stage *s[3];
    vo_view_def def = vo_view_def_default();
    vo_view_sample sample[2] = {{.camera = before_it(4)}, {.ahead = 0.1}};
    sample[1].camera = camera_at(v3(0.3, -4, 0.1), v3_zero(), 0.5, 0.5);
    vo_viewpoint eye = {2, sample, 1};
    vo_context *ctx = test_context(2);
    vo_view *view;
    def.occlusion = true;
    assert_ok(ctx, vo_view_create(ctx, &def, &view));
    for (int i = 0; i < 3; i++) {
        s[i] = make_stage(1, CELLS[i]);
        for (int k = 0; k < s[i]->sheet->node_count; k++) s[i]->sheet->node_x[k].y += 0.4 * i;
    }
    add_plate(s[0], -1, -0.2, 0.5, -0.3, 0.3);
    vo_occluder hiding[5] = {{.mesh = s[0]->sheet},
                             {.mesh = s[1]->sheet},
                             {.mesh = NULL},
                             {.mesh = s[2]->sheet},
                             {.mesh = s[0]->plate[0]}};
    static double factor[3][MAX_FACES];
    static vo_sym2 bound[3][MAX_FACES];
    vo_view_cloth cloth[3];
    int seen = 0, hidden = 0;
    for (int i = 0; i < 3; i++) {
        cloth[i] = (vo_view_cloth){.mesh = s[i]->sheet, .min_edge = 0.001 * i};
        cloth[i].factor = s[i]->factor, cloth[i].bound = s[i]->bound;
        assert_ok(ctx, vo_view_update(view, 1, &eye, 1, &cloth[i], 5, hiding, &s[i]->report));
        seen += s[i]->report.visible, hidden += s[i]->report.occluded;
        cloth[i].factor = factor[i], cloth[i].bound = bound[i];
    }
    vo_view_report report;
    assert_ok(ctx, vo_view_update(view, 1, &eye, 3, cloth, 5, hiding, &report));
    for (int i = 0; i < 3; i++) {
        size_t faces = (size_t)s[i]->sheet->face_count;
        assert_memory_equal(factor[i], s[i]->factor, faces * sizeof(double));
        assert_memory_equal(bound[i], s[i]->bound, faces * sizeof(vo_sym2));
    }
    assert_int_equal(report.visible, seen);
    assert_int_equal(report.occluded, hidden);
    assert_true(hidden > 500 && seen > 500);
    vo_view_destroy(view);
    for (int i = 0; i < 3; i++) free_stage(s[i]);
    vo_context_destroy(ctx);
}

/* Frustum samples of a camera that moves between random positions and looks at a point. */
static int random_samples(vo_random *r, double aim, vo_frustum_sample moment[3]) {
    vo_camera any = random_camera(r);
    vo_camera c = camera_at(any.position, test_random_vec3(r, aim), any.tan_x, any.tan_y);
    c.z_near = any.z_near;
    vo_vec3 way = test_random_vec3(r, 0.5), axis = v3_normalize(test_random_vec3(r, 1));
    double angle = vo_random_real(r, 0, 0.3);
    vo_view_sample sample[3];
    for (int i = 0; i < 3; i++)
        sample[i] = (vo_view_sample){.ahead = 0.05 * i,
                                     .camera = camera_between(&c, way, axis, angle, 1.1, 0.5 * i)};
    vo_viewpoint eye = {3, sample, 1};
    return vo_frustum_samples_make(&eye, 0, 0.2, moment);
}

/* Number of occluder faces that remain after culling. */
static int count_occluder_faces(vo_context *ctx, int count, const vo_occluder *occluders,
                                const vo_ray_region *span) {
    vo_occluder_set *set;
    assert_ok(ctx, vo_occluder_set_create(ctx, &set));
    assert_ok(ctx, vo_occluder_set_build(set, count, occluders, span));
    int faces = vo_occluder_set_face_count(set);
    vo_occluder_set_destroy(set);
    return faces;
}

/* Culled occluders do not change the result. */
static void culling_changes_no_result(void **state) {
    (void)state;
    skip_without_rays();
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
        vo_frustum_sample moment[3];
        factor.margin = round % 3 ? vo_random_real(&r, 0, 0.6) : 0;
        vo_ray_region span = {&factor, random_samples(&r, 1, moment), moment, 0.25 * sqrt(2), 0.1};
        vo_occluder hiding[8];
        for (int i = 0; i < 8; i++)
            hiding[i] = (vo_occluder){.mesh = s->plate[i], .velocity = test_random_vec3(&r, 1)};
        unsigned char asked[2][32], seen[2][32];
        int faces[2], count = 0;
        rays.predict = round % 2, rays.rings = 0;
        for (int k = 0; k < 2; k++) {
            memset(asked[k], 1, sizeof asked[k]);
            vo_occlusion_cloth cloth = {s->sheet, v3(0.3, 0, 0), true, asked[k], seen[k]};
            vo_ray_region all = span;
            if (!k) all.max_edge = 1e3;
            assert_ok(s->ctx, vo_occlusion_set_occluders(o, 8, hiding, &all));
            assert_ok(s->ctx, vo_occlusion_classify(o, &rays, &factor, span.sample_count, moment, 1,
                                                    &cloth));
            faces[k] = count_occluder_faces(s->ctx, 8, hiding, &all);
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

/* A plate of 2 mm on a visibility ray of a face near the frustum is never culled, however long the
 * face is. */
static void occluder_on_ray_is_not_culled(void **state) {
    (void)state;
    skip_without_rays();
    vo_random r = vo_random_seed(31);
    vo_factor_def factor = vo_factor_def_default();
    int near_count = 0, culled = 0;
    for (int round = 0; round < 4000; round++) {
        vo_frustum_sample moment[3];
        int count = random_samples(&r, 3, moment);
        vo_view_face face = {.two_sided = true};
        vo_vec3 middle = test_random_vec3(&r, 3);
        double longest2 = 0;
        for (int k = 0; k < 3; k++) face.x[k] = v3_add(middle, test_random_vec3(&r, 0.4));
        for (int k = 0; k < 3; k++)
            longest2 = vo_max(longest2, v3_length2(v3_sub(face.x[(k + 1) % 3], face.x[k])));
        const vo_frustum_sample *m = &moment[round % count];
        bool near = vo_factor_eval_face(&factor, m, &face).near_frame;
        vo_vec3 x = v3_lerp(m->frustum.position, face.x[0], vo_random_real(&r, 0, 1));
        stage *s = make_stage(1, 1);
        add_plate(s, x.y, x.x - 1e-3, x.x + 1e-3, x.z - 1e-3, x.z + 1e-3);
        vo_ray_region span = {&factor, count, moment, sqrt(longest2), 0};
        vo_occluder occluder = {.mesh = s->plate[0]};
        int faces = count_occluder_faces(s->ctx, 1, &occluder, &span);
        if (near) assert_int_equal(faces, 2);
        near_count += near;
        culled += faces == 0;
        free_stage(s);
    }
    assert_true(near_count > 500 && culled > 100);
}

/* ---- threads, builds, time ------------------------------------------------------------------ */

static void result_is_independent_of_threads(void **state) {
    (void)state;
    skip_without_rays();
    stage *s[3];
    for (int i = 0; i < 3; i++) {
        s[i] = make_stage(i + 1, 70); /* large enough for a parallel build */
        add_plate(s[i], -1, -0.2, 0.15, -0.3, 0.2);
        look(s[i], before_it(3));
        assert_true(s[i]->report.occluded > 100);
        assert_int_equal(s[i]->report.occluded, s[0]->report.occluded);
        assert_memory_equal(s[i]->factor, s[0]->factor, sizeof s[0]->factor);
        assert_memory_equal(s[i]->bound, s[0]->bound, sizeof s[0]->bound);
    }
    for (int i = 0; i < 3; i++) free_stage(s[i]);
}

static void note(void *user, vo_log_level level, const char *text) {
    if (level == VO_LOG_WARNING && strstr(text, "Embree")) ++*(int *)user;
}

/* A build without ray casting warns once and disables occlusion. */
static void missing_rays_warn_once(void **state) {
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

/* 10,000 faces of cloth, half of it occluded, behind a body of 20,000: 10 ms on an idle machine. */
static void update_time_of_10000_faces(void **state) {
    (void)state;
    skip_without_rays();
    stage *s = make_stage(1, 70);
    vo_shape_def shape = vo_shape_def_default(VO_SHAPE_SPHERE);
    shape.radius = 0.3, shape.edge_length = 0.0105;
    assert_ok(s->ctx, vo_mesh_create_shape(s->ctx, &shape, &s->plate[s->plates++]));
    for (int i = 0; i < s->plate[0]->node_count; i++) s->plate[0]->node_x[i].y -= 0.5;
    vo_view_sample sample[4];
    for (int i = 0; i < 4; i++)
        sample[i] = (vo_view_sample){.ahead = 0.05 * i,
                                     .camera = camera_at(v3(0.03 * i, -3, 0), v3_zero(), 0.5, 0.5)};
    vo_viewpoint eye = {4, sample, 1};
    vo_view_def def = view_def();
    vo_view_cloth looked = {.mesh = s->sheet, .factor = s->factor, .bound = s->bound};
    vo_occluder hiding[2] = {{.mesh = s->sheet}, {.mesh = s->plate[0]}};
    vo_view *view;
    double best = 1;
    def.screen.min_edge_pixels = 2;
    assert_ok(s->ctx, vo_view_create(s->ctx, &def, &view));
    for (int i = 0; i < 10; i++) {
        double start = test_seconds();
        assert_ok(s->ctx, vo_view_update(view, 1, &eye, 1, &looked, 2, hiding, &s->report));
        best = vo_min(best, test_seconds() - start);
    }
    printf("%d faces, %d occluded, %d occluder faces: %.2f ms\n", s->sheet->face_count,
           s->report.occluded, s->plate[0]->face_count, 1e3 * best);
    assert_true(best < 0.06 * TEST_SLOWNESS);
    vo_view_destroy(view);
    free_stage(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_occluder_leaves_all_visible),
        cmocka_unit_test(plate_occludes_half),
        cmocka_unit_test(container_wall_occludes_from_its_front),
        cmocka_unit_test(hole_shows_centre_and_near_plane_clips),
        cmocka_unit_test(face_interior_is_tested),
        cmocka_unit_test(motion_within_window_is_anticipated),
        cmocka_unit_test(cloth_occludes_itself),
        cmocka_unit_test(result_agrees_with_brute_force),
        cmocka_unit_test(result_is_independent_of_threads),
        cmocka_unit_test(missing_rays_warn_once),
        cmocka_unit_test(update_time_of_10000_faces),
        cmocka_unit_test(cloths_are_independent),
        cmocka_unit_test(culling_changes_no_result),
        cmocka_unit_test(occluder_on_ray_is_not_culled),
        cmocka_unit_test(moving_occluder_reveals),
        cmocka_unit_test(rotating_occluder_reveals),
        cmocka_unit_test(falloff_is_gradual),
        cmocka_unit_test(occluded_from_one_viewpoint),
        cmocka_unit_test(back_facing_keeps_factor),
        cmocka_unit_test(many_viewpoints_share_a_bit),
        cmocka_unit_test(common_motion_is_predicted),
        cmocka_unit_test(mark_visible_is_independent_of_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Contacts with bodies: no particle is inside a body or passes it, at any speed. */
#include "support.h"

#include "rt/base/heap.h"
#include "rt/contact/contact.h"
#include "rt_body_fixture.h"

enum { MAX_BODIES = 4 };

typedef struct scene {
    rt_memory memory;
    vo_allocator allocator;
    vo_rt_heap heap;
    vo_rt_front front;
    vo_rt_contact_set set;
    int body_count;
    vo_rt_body storage[MAX_BODIES], *body[MAX_BODIES];
    int32_t index[MAX_BODIES];
    bool use_shapes[MAX_BODIES];
    float friction[MAX_BODIES];
    vo_rt_contact_bodies bodies;
} scene;

static const float THICKNESS = 0.001f;

static void init_scene(scene *s, int particles) {
    *s = (scene){0};
    s->allocator = rt_allocator(&s->memory);
    assert_true(vo_rt_heap_init(&s->heap, &s->allocator, 8 << 20));
    vo_rt_front *f = &s->front;
    f->vertex_end = f->vertex_capacity = particles + 1;
    f->vertex_count = particles;
    size_t n = (size_t)particles + 1;
    f->position = calloc(n, sizeof *f->position);
    f->velocity = calloc(n, sizeof *f->velocity);
    f->previous = calloc(n, sizeof *f->previous);
    f->flags = calloc(n, sizeof *f->flags);
    assert_true(vo_rt_contact_reserve(&s->set, &s->heap, f));
    s->bodies = (vo_rt_contact_bodies){.body = s->body,
                                       .index = s->index,
                                       .use_shapes = s->use_shapes,
                                       .friction = s->friction,
                                       .set = &s->set};
    for (int i = 1; i <= particles; i++) {
        f->position[i].w = 100;
        f->flags[i] = VO_RT_VERTEX_USED;
    }
}

static vo_rt_body *add_body(scene *s, const vo_rt_body_def *def) {
    vo_rt_message message = {{0}};
    int i = s->body_count++;
    if (vo_rt_body_init(&s->storage[i], &s->allocator, def, &message) != VO_OK)
        fail_msg("%s", message.text);
    s->storage[i].message = NULL;
    s->body[i] = &s->storage[i];
    s->index[i] = 7 + i;
    s->friction[i] = 1;
    s->bodies.count = s->body_count;
    return s->body[i];
}

static void free_scene(scene *s) {
    for (int i = 0; i < s->body_count; i++) vo_rt_body_free(s->body[i], &s->allocator);
    vo_rt_contact_free(&s->set, &s->heap);
    assert_int_equal(s->heap.used, 0);
    vo_rt_heap_free(&s->heap);
    assert_int_equal(s->memory.live, 0);
    free(s->front.position), free(s->front.velocity);
    free(s->front.previous), free(s->front.flags);
}

static void set_particle(scene *s, int i, vo_rt_vec3 x, vo_rt_vec3 v) {
    s->front.position[i] = f4_make(x, 100);
    s->front.velocity[i] = f4_make(v, 0);
}

/* A grid of n^3 particles around the origin. */
static void place_grid(scene *s, int n, float size) {
    for (int i = 0; i < n * n * n; i++)
        set_particle(s, i + 1,
                     f3(size * ((float)(i % n) / (float)(n - 1) - 0.5f),
                        size * ((float)(i / n % n) / (float)(n - 1) - 0.5f),
                        size * ((float)(i / n / n) / (float)(n - 1) - 0.5f)),
                     f3(0, 0, 0));
}

/* Explicit integration; with `obeys` particles are projected onto the planes of their contacts. */
static void solve(scene *s, float dt, bool obeys) {
    vo_rt_front *f = &s->front;
    for (int i = 1; i < f->vertex_end; i++) {
        f->previous[i] = f->position[i];
        vo_rt_vec3 x = f3_add_scaled(f4_xyz(f->position[i]), dt, f4_xyz(f->velocity[i]));
        f->position[i] = f4_make(x, f->position[i].w);
    }
    for (int i = 0; obeys && i < s->set.count; i++) {
        const vo_rt_contact *c = &s->set.contact[i];
        vo_rt_vec3 x = f4_xyz(f->position[c->vertex]);
        vo_rt_vec3 plane = f3_add_scaled(c->point, dt, c->velocity);
        float depth = f3_dot(c->normal, f3_sub(plane, x));
        if (depth > 0) f->position[c->vertex] = f4_make(f3_add_scaled(x, depth, c->normal), 100);
    }
    for (int i = 1; obeys && i < f->vertex_end; i++)
        f->velocity[i] =
            f4_make(f3_scale(1 / dt, f3_sub(f4_xyz(f->position[i]), f4_xyz(f->previous[i]))), 0);
}

/* One world step of `minor` minor steps. */
static void step(scene *s, int minor, float dt, bool obeys) {
    for (int i = 0; i < s->body_count; i++) vo_rt_body_begin_step(s->body[i], dt * (float)minor);
    for (int k = 1; k <= minor; k++) {
        for (int i = 0; i < s->body_count; i++)
            vo_rt_body_advance(s->body[i], (float)k / (float)minor);
        vo_rt_contact_find(&s->set, &s->front, &s->bodies, THICKNESS, 0.5f, dt);
        solve(s, dt, obeys);
        vo_rt_contact_verify(&s->set, &s->front, &s->bodies, THICKNESS, dt);
    }
}

/* No particle is inside a surface except trapped ones. Returns the number of those in contact. */
static int check_outside(const scene *s, const char *name) {
    int touching = 0, trapped = 0;
    for (int i = 1; i < s->front.vertex_end; i++) {
        vo_rt_vec3 x = f4_xyz(s->front.position[i]);
        bool is_trapped = s->front.flags[i] & VO_RT_VERTEX_TRAPPED;
        assert_true(f3_is_finite(x));
        touching += (s->front.flags[i] & VO_RT_VERTEX_CONTACT) != 0;
        trapped += is_trapped;
        for (int k = 0; k < s->body_count && !is_trapped; k++) {
            vo_rt_surface_point p;
            if (vo_rt_body_find_nearest(s->body[k], s->use_shapes[k], x, 0, -1, &p) &&
                p.distance < -s->body[k]->offset - 2e-5f)
                fail_msg("%s: particle %d is %g m inside body %d", name, i,
                         (double)(-p.distance - s->body[k]->offset), k);
        }
    }
    assert_int_equal(trapped, s->set.trapped);
    assert_true(s->set.inside <= s->set.trapped);
    return touching;
}

/* --- Moving bodies ---------------------------------------------------------------------------- */

static vo_rt_transform random_pose(vo_random *r, vo_rt_transform from, float distance) {
    vo_rt_vec3 d = f3_scale(distance, f3_normalize(rt_point(r, 1)));
    vo_rt_vec3 x = f3_add(from.position, d);
    float n = f3_length(x);
    if (n > 0.5f) x = f3_scale(0.5f / n, x); /* stay near the particles */
    vo_rt_quat q = from.rotation, t = {rt_real(r, -0.2, 0.2), rt_real(r, -0.2, 0.2), 0, 1};
    return (vo_rt_transform){x, fq_mul(t, q)};
}

static void run_rigid(const vo_rt_body_def *def, const char *name) {
    static const float speeds[] = {0.1f, 1, 5, 20, 50};
    for (int k = 0; k < 10; k++) {
        scene s;
        init_scene(&s, 343);
        vo_rt_body_def moved = *def;
        moved.transform.position = f3(-0.8f, 0, 0); /* no particle is inside at first */
        vo_rt_body *body = add_body(&s, &moved);
        place_grid(&s, 7, 0.4f);
        vo_random r = vo_random_seed((uint64_t)k);
        vo_rt_transform pose = moved.transform;
        int touching = 0;
        for (int i = 0; i < 60; i++) {
            pose = random_pose(&r, pose, speeds[k / 2] / 60);
            pose.position = f3_lerp(pose.position, f3(0, 0, 0), 0.05f);
            assert_int_equal(vo_rt_body_set_transform(body, pose), VO_OK);
            step(&s, 1 + i % 3, 1.0f / 120, k % 2);
            touching += check_outside(&s, name);
            assert_int_equal(s.set.trapped, 0);
        }
        if (k >= 2) assert_true(touching > 0);
        free_scene(&s);
    }
}

static void rigid_shapes_push_particles(void **state) {
    (void)state;
    static const vo_rt_shape_kind kinds[] = {VO_RT_SPHERE, VO_RT_CAPSULE, VO_RT_TAPERED_CAPSULE,
                                             VO_RT_BOX, VO_RT_HULL};
    vo_rt_vec3 points[6] = {{0.2f, 0, 0},  {-0.2f, 0, 0}, {0, 0.1f, 0},
                            {0, -0.1f, 0}, {0, 0, 0.15f}, {0, 0, -0.15f}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        vo_rt_shape shape = vo_rt_shape_default(kinds[k]);
        shape.points = points;
        shape.point_count = 6;
        shape.end_radius = 0.05f;
        vo_rt_body_def def = vo_rt_body_def_default();
        def.shapes = &shape;
        def.shape_count = 1;
        run_rigid(&def, "shape");
    }
}

static void rigid_meshes_push_particles(void **state) {
    (void)state;
    rt_mesh torus = rt_torus(24, 12, 0.2f, 0.06f, 0.1f, 1);
    vo_rt_body_def def = rt_mesh_def(&torus);
    run_rigid(&def, "torus");
    rt_mesh_free(&torus);
    rt_mesh plate = rt_plate(8, 0.25f, 0.004f);
    def = rt_mesh_def(&plate);
    run_rigid(&def, "plate");
    rt_mesh_free(&plate);
}

static void deforming_meshes_push_particles(void **state) {
    (void)state;
    rt_mesh m = rt_torus(24, 12, 0.2f, 0.06f, 0.05f, 2);
    vo_rt_vec3 *x = malloc((size_t)m.vertex_count * sizeof *x);
    static const double speeds[] = {0.5, 3, 10};
    for (int k = 0; k < 6; k++) {
        scene s;
        init_scene(&s, 343);
        vo_rt_body_def def = rt_mesh_def(&m);
        def.vertices_by_host = true;
        def.transform.position = f3(-0.8f, 0, 0);
        vo_rt_body *body = add_body(&s, &def);
        place_grid(&s, 7, 0.3f);
        int touching = 0;
        for (int i = 0; i < 120; i++) {
            double time = i / 60.0, phase = speeds[k / 2] * time;
            for (int v = 0; v < m.vertex_count; v++) {
                vo_rt_vec3 p = m.x[v];
                double a = 0.5 * sin(3 * phase) * (1 + 2 * (double)p.x), c = cos(a), b = sin(a);
                x[v] = f3((float)((double)p.x - 0.8 + 0.8 * fmin(phase, 1)),
                          (float)(c * (double)p.y - b * (double)p.z),
                          (float)(b * (double)p.y + c * (double)p.z));
            }
            assert_int_equal(vo_rt_body_set_vertices(body, &x[0].x, sizeof *x), VO_OK);
            step(&s, 2, 1.0f / 120, k % 2);
            touching += check_outside(&s, "deforming torus");
        }
        assert_true(touching > 0);
        free_scene(&s);
    }
    free(x);
    rt_mesh_free(&m);
}

/* --- Thin bodies ------------------------------------------------------------------------------ */

/* A plate sweeps up through particles at rest, or particles fall onto it: all stay above. */
static void thin_bodies_are_not_passed(void **state) {
    (void)state;
    static const float speeds[] = {0.5f, 5, 50, 400};
    rt_mesh m = rt_plate(6, 1.5f, 0.002f);
    vo_rt_shape box = vo_rt_shape_default(VO_RT_BOX);
    box.half_extents = f3(1.5f, 0.001f, 1.5f);
    for (int k = 0; k < 48; k++) {
        scene s;
        init_scene(&s, 64);
        vo_rt_body_def def = vo_rt_body_def_default();
        int kind = k % 3, moves = k / 3 % 2, obeys = k / 6 % 2;
        if (kind == 0) {
            def.shapes = &box;
            def.shape_count = 1;
        } else {
            def = rt_mesh_def(&m);
            def.vertices_by_host = kind == 2;
        }
        float speed = speeds[k / 12];
        def.transform.position = f3(0, -0.3f, 0);
        vo_rt_body *body = add_body(&s, &def);
        place_grid(&s, 4, 0.5f);
        if (!moves)
            for (int i = 1; i <= 64; i++)
                s.front.velocity[i] = f4_make(f3(0.3f * speed, -speed, 0), 0);
        float y = -0.3f;
        vo_rt_vec3 *x = malloc((size_t)m.vertex_count * sizeof *x);
        for (int i = 0; i < 12; i++) {
            if (moves) y += speed / 60;
            for (int v = 0; v < m.vertex_count; v++) x[v] = f3_add(m.x[v], f3(0, y, 0));
            vo_rt_body_set_transform(body, (vo_rt_transform){{0, y, 0}, {0, 0, 0, 1}});
            if (kind == 2) vo_rt_body_set_vertices(body, &x[0].x, sizeof *x);
            step(&s, 2, 1.0f / 120, obeys);
            check_outside(&s, "plate");
            for (int p = 1; p <= 64; p++) {
                vo_rt_vec3 at = f4_xyz(s.front.position[p]);
                if (fabsf(at.x) < 1.4f && at.y < y)
                    fail_msg("case %d, step %d: particle %d at %g passed the plate at %g", k, i, p,
                             (double)at.y, (double)y);
            }
        }
        free(x);
        free_scene(&s);
    }
    rt_mesh_free(&m);
}

/* --- Trapped particles ------------------------------------------------------------------------ */

/* Two boxes close until they overlap and open again: the particles between them are trapped, and
 * end between them. */
static void trapped_particles_stay_on_their_side(void **state) {
    (void)state;
    rt_mesh m = rt_plate(4, 0.5f, 0.1f);
    vo_rt_shape box = vo_rt_shape_default(VO_RT_BOX);
    box.half_extents = f3(0.5f, 0.05f, 0.5f);
    for (int k = 0; k < 4; k++) {
        scene s;
        init_scene(&s, 25);
        for (int i = 0; i < 2; i++) {
            vo_rt_body_def def = vo_rt_body_def_default();
            def.shapes = &box;
            def.shape_count = 1;
            if (k / 2) def = rt_mesh_def(&m);
            def.transform.position = f3(0, i ? 0.15f : -0.15f, 0);
            add_body(&s, &def);
        }
        for (int i = 0; i < 25; i++)
            set_particle(&s, i + 1,
                         f3(0.1f * (float)(i % 5) - 0.2f, 0, 0.1f * (float)(i / 5) - 0.2f),
                         f3(0, 0, 0));
        int most = 0;
        for (int i = 0; i < 240; i++) {
            /* the gap between the surfaces: 0.2 m, down to -0.08 m (deeper than half of a box), and
             * back */
            float phase = fabsf((float)i / 120 - 1), gap = -0.08f + 0.28f * phase;
            for (int b = 0; b < 2; b++) {
                float y = (b ? 1 : -1) * (0.05f + 0.5f * gap);
                vo_rt_body_set_transform(s.body[b], (vo_rt_transform){{0, y, 0}, {0, 0, 0, 1}});
            }
            step(&s, 2, 1.0f / 120, k % 2);
            check_outside(&s, "boxes");
            if (s.set.trapped > most) most = s.set.trapped;
            if (gap < -0.005f) assert_int_equal(s.set.trapped, 25);
        }
        assert_int_equal(most, 25);
        assert_int_equal(s.set.trapped, 0);
        for (int i = 1; i <= 25; i++) {
            assert_true(fabsf(s.front.position[i].y) < 0.1f); /* between the boxes */
            assert_true(fabsf(s.front.position[i].x) < 0.4f);
        }
        free_scene(&s);
    }
    rt_mesh_free(&m);
}

/* --- Sudden changes --------------------------------------------------------------------------- */

static void bodies_that_appear_push_particles_out(void **state) {
    (void)state;
    rt_mesh m = rt_sphere(20, 30, 0.3f, 0, 3);
    for (int k = 0; k < 3; k++) {
        scene s;
        init_scene(&s, 343);
        vo_rt_body_def def = rt_mesh_def(&m);
        def.vertices_by_host = k == 1;
        def.transform.position = f3(5, 0, 0);
        vo_rt_body *body = add_body(&s, &def);
        place_grid(&s, 7, 0.5f);
        step(&s, 2, 1.0f / 120, true);
        if (k == 2) vo_rt_body_set_enabled(body, false);
        vo_rt_body_set_transform(body, vo_rt_transform_identity());
        if (k == 1) vo_rt_body_set_vertices(body, &m.x[0].x, sizeof *m.x);
        if (k < 2) vo_rt_body_teleport(body);
        if (k == 2) {
            s.bodies.count = 0; /* the world does not list disabled bodies */
            step(&s, 2, 1.0f / 120, true);
            s.bodies.count = 1;
            vo_rt_body_set_enabled(body, true);
        }
        step(&s, 1, 1.0f / 120, k != 0);
        check_outside(&s, "sphere");
        for (int i = 1; i < s.front.vertex_end; i++)
            assert_true(f3_length(f4_xyz(s.front.position[i])) > 0.29f);
        free_scene(&s);
    }
    rt_mesh_free(&m);
}

/* Cloth that the host or the frame moved into a body. */
static void cloth_moved_into_bodies_is_pushed_out(void **state) {
    (void)state;
    rt_mesh m = rt_sphere(20, 30, 0.3f, 0, 4);
    scene s;
    init_scene(&s, 343);
    vo_rt_body_def def = rt_mesh_def(&m);
    add_body(&s, &def);
    place_grid(&s, 7, 0.5f);
    for (int i = 1; i < s.front.vertex_end; i++) s.front.position[i].x += 1.0f;
    step(&s, 2, 1.0f / 120, true);
    for (int i = 1; i < s.front.vertex_end; i++) s.front.position[i].x -= 1.0f;
    step(&s, 1, 1.0f / 120, true);
    check_outside(&s, "sphere");
    free_scene(&s);
    rt_mesh_free(&m);
}

/* --- Contacts --------------------------------------------------------------------------------- */

/* The plane of a contact ends at thickness outside the shell and moves with the surface. */
static void contact_planes_follow_the_surface(void **state) {
    (void)state;
    scene s;
    init_scene(&s, 2);
    vo_rt_shape shape = vo_rt_shape_default(VO_RT_PLANE);
    vo_rt_body_def def = vo_rt_body_def_default();
    def.shapes = &shape;
    def.shape_count = 1;
    vo_rt_body *body = add_body(&s, &def);
    s.friction[0] = 0.5f;
    set_particle(&s, 1, f3(0, 0.008f, 0), f3(0, 0, 0));
    set_particle(&s, 2, f3(0, 1, 0), f3(0, 0, 0));
    vo_rt_body_set_transform(body, (vo_rt_transform){{0, 0.01f, 0}, {0, 0, 0, 1}});
    vo_rt_body_begin_step(body, 0.01f);
    vo_rt_body_advance(body, 1);
    vo_rt_contact_find(&s.set, &s.front, &s.bodies, THICKNESS, 0.4f, 0.01f);
    assert_int_equal(s.set.count, 1);
    const vo_rt_contact *c = &s.set.contact[0];
    assert_int_equal(c->vertex, 1);
    assert_int_equal(c->body, 7);
    assert_near((double)c->velocity.y, 1, 1e-4);
    assert_near((double)c->point.y, 0.004, 1e-6); /* offset 0.003 and thickness 0.001 */
    assert_near((double)c->normal.y, 1, 1e-6);
    assert_near((double)c->friction, 0.2, 1e-6);
    solve(&s, 0.01f, true);
    vo_rt_contact_verify(&s.set, &s.front, &s.bodies, THICKNESS, 0.01f);
    assert_near((double)s.front.position[1].y, 0.014, 1e-5);
    assert_true(s.front.flags[1] & VO_RT_VERTEX_CONTACT);
    assert_false(s.front.flags[2] & VO_RT_VERTEX_CONTACT);
    free_scene(&s);
}

/* In a corner of two shapes a vertex has two contacts; prescribed vertices have none. */
static void corners_give_two_contacts(void **state) {
    (void)state;
    scene s;
    init_scene(&s, 2);
    vo_rt_shape shapes[3] = {vo_rt_shape_default(VO_RT_PLANE), vo_rt_shape_default(VO_RT_BOX),
                             vo_rt_shape_default(VO_RT_BOX)};
    shapes[1].local.position = f3(0.11f, 0.1f, 0);
    shapes[2].local.position = f3(0, 0.1f, 0.113f);
    vo_rt_body_def def = vo_rt_body_def_default();
    def.shapes = shapes;
    def.shape_count = 3;
    add_body(&s, &def);
    set_particle(&s, 1, f3(0.003f, 0.007f, 0.004f), f3(0, 0, 0));
    set_particle(&s, 2, f3(0.003f, 0.007f, 0.004f), f3(0, 0, 0));
    s.front.position[2].w = 0;
    vo_rt_body_begin_step(s.body[0], 0.01f);
    vo_rt_body_advance(s.body[0], 1);
    vo_rt_contact_find(&s.set, &s.front, &s.bodies, THICKNESS, 0.4f, 0.01f);
    assert_int_equal(s.set.count, 2);
    assert_int_equal(s.set.contact[0].vertex, 1);
    assert_true(fabsf(f3_dot(s.set.contact[0].normal, s.set.contact[1].normal)) < 0.1f);
    free_scene(&s);
}

static void new_vertices_are_placed_outside(void **state) {
    (void)state;
    scene s;
    init_scene(&s, 100);
    rt_mesh m = rt_sphere(20, 30, 0.3f, 0.02f, 5);
    vo_rt_body_def def = rt_mesh_def(&m);
    add_body(&s, &def);
    vo_random r = vo_random_seed(6);
    for (int i = 1; i <= 100; i++) {
        vo_rt_vec3 n = f3_normalize(rt_point(&r, 1)), x = f3_scale(rt_real(&r, 0.25, 0.33), n);
        set_particle(&s, i, x, f3(1, 2, 3));
        s.front.previous[i] = f4_make(f3_sub(x, f3(0.01f, 0.02f, 0.03f)), 0);
        vo_rt_vec3 d = i % 3 == 0 ? f3(0, 0, 0) : i % 3 == 1 ? f3_scale(-1, n) : n;
        d = f3_add_scaled(d, 0.2f, rt_point(&r, 1));
        vo_rt_surface_point p;
        bool was_inside = vo_rt_body_find_nearest(s.body[0], false, x, 0, -1, &p);
        vo_rt_contact_place_vertex(&s.front, &s.bodies, i, d, THICKNESS);
        vo_rt_vec3 to = f4_xyz(s.front.position[i]);
        assert_false(vo_rt_body_find_nearest(s.body[0], false, to, -1e-5f, -1, &p));
        if (!was_inside) assert_true(f3_distance(x, to) == 0);
        vo_rt_vec3 step_after = f3_sub(to, f4_xyz(s.front.previous[i]));
        assert_near((double)f3_distance(step_after, f3(0.01f, 0.02f, 0.03f)), 0, 1e-6);
        assert_true(s.front.velocity[i].y == 2); /* preserved */
    }
    free_scene(&s);
    rt_mesh_free(&m);
}

/* Chords of a sphere's shell collide if they are long, with and without cached normals. */
static void edges_that_cut_the_shell_collide(void **state) {
    (void)state;
    scene s;
    init_scene(&s, 2);
    vo_rt_shape shape = vo_rt_shape_default(VO_RT_SPHERE);
    shape.radius = 0.3f;
    vo_rt_body_def def = vo_rt_body_def_default();
    def.shapes = &shape;
    def.shape_count = 1;
    add_body(&s, &def);
    for (int k = 0; k < 40; k++) {
        float radius = 0.304f, angle = 0.01f + 0.02f * (float)k; /* shell and thickness */
        set_particle(&s, 1, f3(0, radius, 0), f3(0, 0, 0));
        set_particle(&s, 2, f3(radius * sinf(angle), radius * cosf(angle), 0), f3(0, 0, 0));
        s.set.hint[1] = s.set.hint[2] = -1;
        vo_rt_contact_find(&s.set, &s.front, &s.bodies, THICKNESS, 0.4f, 0.01f);
        float dip = 0.303f - radius * cosf(angle / 2);
        if (fabsf(dip) < 6e-4f) continue;
        s.bodies.set = k % 2 ? &s.set : NULL;
        assert_int_equal(vo_rt_contact_edge_collides(&s.front, &s.bodies, 1, 2), dip > 0);
    }
    set_particle(&s, 1, f3(-1, 0.31f, 0), f3(0, 0, 0));
    set_particle(&s, 2, f3(1, 0.31f, 0), f3(0, 0, 0));
    assert_false(vo_rt_contact_edge_collides(&s.front, &s.bodies, 1, 2));
    set_particle(&s, 2, f3(1, 0.2f, 0), f3(0, 0, 0));
    assert_true(vo_rt_contact_edge_collides(&s.front, &s.bodies, 1, 2));
    free_scene(&s);
}

/* Contacts do not depend on what was cached, except for the hints themselves. */
static void results_do_not_depend_on_hints(void **state) {
    (void)state;
    rt_mesh m = rt_torus(24, 12, 0.2f, 0.06f, 0.1f, 7);
    scene s;
    init_scene(&s, 343);
    vo_rt_body_def def = rt_mesh_def(&m);
    add_body(&s, &def);
    place_grid(&s, 7, 0.55f);
    step(&s, 2, 1.0f / 120, true);
    vo_rt_contact *first = malloc((size_t)s.set.capacity * sizeof *first);
    for (int k = 0; k < 3; k++) {
        vo_random r = vo_random_seed((uint64_t)k);
        for (int i = 1; i < s.front.vertex_end && k == 1; i++) s.set.hint[i] = -1;
        for (int i = 1; i < s.front.vertex_end && k == 2; i++) {
            s.set.hint[i] = vo_random_int(&r, 400);
            s.set.anchor[i].w = 0;
            s.set.hint_body[i] = 7;
        }
        vo_rt_contact_find(&s.set, &s.front, &s.bodies, THICKNESS, 0.5f, 0.01f);
        assert_true(s.set.count > 10);
        if (k == 0) memcpy(first, s.set.contact, (size_t)s.set.count * sizeof *first);
        assert_memory_equal(first, s.set.contact, (size_t)s.set.count * sizeof *first);
    }
    free(first);
    free_scene(&s);
    rt_mesh_free(&m);
}

/* A deforming sphere with particles on its shell; vertices of step i. */
static void pulse(const rt_mesh *m, int i, vo_rt_vec3 *x) {
    float s = 1 + 0.05f * sinf(0.3f * (float)i), turn = 0.02f * (float)i;
    for (int v = 0; v < m->vertex_count; v++) {
        vo_rt_vec3 p = m->x[v];
        x[v] = f3(s * (cosf(turn) * p.x - sinf(turn) * p.z), p.y + 0.01f * (float)i,
                  s * (sinf(turn) * p.x + cosf(turn) * p.z));
    }
}

static vo_rt_body *init_sphere_scene(scene *s, const rt_mesh *m, int particles) {
    init_scene(s, particles);
    vo_rt_body_def def = rt_mesh_def(m);
    def.vertices_by_host = true;
    vo_rt_body *body = add_body(s, &def);
    vo_random r = vo_random_seed(9);
    for (int i = 1; i <= particles; i++)
        set_particle(s, i, f3_scale(rt_real(&r, 0.307, 0.315), f3_normalize(rt_point(&r, 1))),
                     f3(0, 0, 0));
    return body;
}

/* Contacts found by walks from the last triangle are those of a search without any history. */
static void tracked_contacts_equal_searched_ones(void **state) {
    (void)state;
    rt_mesh m = rt_sphere(60, 90, 0.3f, 0.0005f, 8);
    vo_rt_vec3 *x = malloc((size_t)m.vertex_count * sizeof *x);
    scene s;
    vo_rt_body *body = init_sphere_scene(&s, &m, 500);
    vo_rt_contact *tracked = malloc((size_t)s.set.capacity * sizeof *tracked);
    int anchors = 0, compared = 0;
    for (int i = 0; i < 40; i++) {
        pulse(&m, i, x);
        vo_rt_body_set_vertices(body, &x[0].x, sizeof *x);
        step(&s, 2, 1.0f / 120, true);
        check_outside(&s, "sphere");
        vo_rt_body_set_still(body);
        vo_rt_contact_find(&s.set, &s.front, &s.bodies, THICKNESS, 0.5f, 1.0f / 120);
        int count = s.set.count;
        memcpy(tracked, s.set.contact, (size_t)count * sizeof *tracked);
        size_t bytes = vo_rt_contact_save(&s.set, s.front.vertex_end, NULL);
        void *saved = malloc(bytes);
        vo_rt_contact_save(&s.set, s.front.vertex_end, saved);
        for (int k = 1; k < s.front.vertex_end; k++)
            anchors += s.set.hint[k] >= 0 && (double)s.set.anchor[k].w > body->motion_sum;
        vo_rt_contact_reset(&s.set);
        vo_rt_contact_find(&s.set, &s.front, &s.bodies, THICKNESS, 0.5f, 1.0f / 120);
        assert_int_equal(s.set.count, count);
        for (int k = 0; k < count; k++) {
            const vo_rt_contact *a = &tracked[k], *b = &s.set.contact[k];
            assert_int_equal(a->vertex, b->vertex);
            /* bumps of the sphere: another local minimum may be slightly nearer */
            vo_rt_vec3 p = f4_xyz(s.front.position[a->vertex]);
            float da = f3_dot(a->normal, f3_sub(p, a->point));
            float db = f3_dot(b->normal, f3_sub(p, b->point));
            assert_near((double)da, (double)db, 5e-4);
            assert_near((double)f3_dot(a->normal, b->normal), 1, 3e-2);
            compared++;
        }
        vo_rt_contact_restore(&s.set, s.front.vertex_end, saved);
        free(saved);
    }
    if (compared < 1500 || anchors < 1500) /* walks must be possible */
        fail_msg("%d contacts, %d anchors", compared, anchors);
    free(tracked), free(x);
    free_scene(&s);
    rt_mesh_free(&m);
}

static void restored_contacts_continue_identically(void **state) {
    (void)state;
    rt_mesh m = rt_sphere(60, 90, 0.3f, 0.002f, 8);
    vo_rt_vec3 *x = malloc((size_t)m.vertex_count * sizeof *x);
    scene s[2];
    vo_rt_body *body[2] = {init_sphere_scene(&s[0], &m, 200), init_sphere_scene(&s[1], &m, 200)};
    for (int i = 0; i < 30; i++) {
        pulse(&m, i, x);
        if (i == 15) { /* the second scene continues from a snapshot of the first */
            size_t bytes = vo_rt_body_save(body[0], NULL);
            void *data = malloc(bytes + vo_rt_contact_save(&s[0].set, 201, NULL));
            vo_rt_body_save(body[0], data);
            vo_rt_contact_save(&s[0].set, 201, (char *)data + bytes);
            vo_rt_body_restore(body[1], data);
            vo_rt_contact_restore(&s[1].set, 201, (char *)data + bytes);
            memcpy(s[1].front.position, s[0].front.position, 201 * sizeof *s[0].front.position);
            memcpy(s[1].front.velocity, s[0].front.velocity, 201 * sizeof *s[0].front.velocity);
            memcpy(s[1].front.flags, s[0].front.flags, 201);
            free(data);
        }
        vo_rt_body_set_vertices(body[0], &x[0].x, sizeof *x);
        step(&s[0], 2, 1.0f / 120, true);
        if (i < 15) continue;
        vo_rt_body_set_vertices(body[1], &x[0].x, sizeof *x);
        step(&s[1], 2, 1.0f / 120, true);
        assert_memory_equal(s[0].front.position, s[1].front.position,
                            201 * sizeof *s[0].front.position);
        assert_memory_equal(s[0].set.hint + 1, s[1].set.hint + 1, 200 * sizeof *s[0].set.hint);
    }
    free(x);
    free_scene(&s[0]);
    free_scene(&s[1]);
    rt_mesh_free(&m);
}

/* Bodies move while the cloth is not simulated, or were not near it. */
static void bodies_that_moved_unseen_push_particles(void **state) {
    (void)state;
    rt_mesh m = rt_sphere(60, 90, 0.3f, 0.002f, 8);
    vo_rt_vec3 *x = malloc((size_t)m.vertex_count * sizeof *x);
    for (int k = 0; k < 2; k++) {
        scene s;
        vo_rt_body *body = init_sphere_scene(&s, &m, 300);
        step(&s, 2, 1.0f / 120, true);
        for (int i = 1; i <= 20; i++) {
            for (int v = 0; v < m.vertex_count; v++)
                x[v] = f3_add(m.x[v], f3(0.004f * (float)i, 0, 0));
            vo_rt_body_set_vertices(body, &x[0].x, sizeof *x);
            vo_rt_body_begin_step(body, 1.0f / 60);
            if (k) vo_rt_body_advance(body, 0.5f);
            vo_rt_body_advance(body, 1);
        }
        step(&s, 1, 1.0f / 120, k);
        check_outside(&s, "sphere");
        free_scene(&s);
    }
    free(x);
    rt_mesh_free(&m);
}

/* A cloth that moves once in four minor steps is carried with the motion of all four, by round
 * shapes, boxes and rigid meshes, which move by more than their thickness. */
static void slow_cloth_is_carried_by_the_whole_motion(void **state) {
    (void)state;
    const vo_rt_shape_kind kinds[] = {VO_RT_SPHERE, VO_RT_CAPSULE, VO_RT_TAPERED_CAPSULE,
                                      VO_RT_BOX};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        scene s;
        init_scene(&s, 1);
        vo_rt_shape shape = vo_rt_shape_default(kinds[k]);
        shape.radius = shape.end_radius = 0.03f;
        shape.half_extents = f3(0.03f, 0.2f, 0.2f);
        vo_rt_body_def def = vo_rt_body_def_default();
        def.shape_count = 1;
        def.shapes = &shape;
        vo_rt_body *body = add_body(&s, &def);
        set_particle(&s, 1, f3(0.05f, 0, 0), f3(0, 0, 0));
        step(&s, 1, 0.01f, true);
        s.bodies.span = 4;
        for (int round = 1; round <= 5; round++) {
            vo_rt_transform t = vo_rt_transform_identity();
            t.position = f3(0.2f * (float)round, 0, 0);
            assert_int_equal(vo_rt_body_set_transform(body, t), VO_OK);
            vo_rt_body_begin_step(body, 0.04f);
            for (int m = 1; m <= 4; m++) vo_rt_body_advance(body, 0.25f * (float)m);
            vo_rt_contact_find(&s.set, &s.front, &s.bodies, THICKNESS, 0.5f, 0.04f);
            solve(&s, 0.04f, true);
            vo_rt_contact_verify(&s.set, &s.front, &s.bodies, THICKNESS, 0.04f);
            assert_true(s.front.position[1].x > t.position.x + 0.03f);
        }
        free_scene(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_shapes_push_particles),
        cmocka_unit_test(rigid_meshes_push_particles),
        cmocka_unit_test(deforming_meshes_push_particles),
        cmocka_unit_test(thin_bodies_are_not_passed),
        cmocka_unit_test(trapped_particles_stay_on_their_side),
        cmocka_unit_test(bodies_that_appear_push_particles_out),
        cmocka_unit_test(cloth_moved_into_bodies_is_pushed_out),
        cmocka_unit_test(contact_planes_follow_the_surface),
        cmocka_unit_test(corners_give_two_contacts),
        cmocka_unit_test(new_vertices_are_placed_outside),
        cmocka_unit_test(edges_that_cut_the_shell_collide),
        cmocka_unit_test(results_do_not_depend_on_hints),
        cmocka_unit_test(tracked_contacts_equal_searched_ones),
        cmocka_unit_test(restored_contacts_continue_identically),
        cmocka_unit_test(bodies_that_moved_unseen_push_particles),
        cmocka_unit_test(slow_cloth_is_carried_by_the_whole_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

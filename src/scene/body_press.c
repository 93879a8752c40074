/* Parts of a body that press into each other, drawn in (scene/press.h).
 *
 * How far nodes are drawn in is found at the times of frames only, k * step, and blended linearly
 * between: looking is dear, and it changes slowly. It is the offsets that are blended, not the
 * depths: normals of crumpled skin turn over within a moment, which would be a jump of the node; so
 * a node that is drawn in by d never moves faster than 2 d / step beside the bare skin.
 *
 * A follower keeps the two frames that it is between, so a simulation looks once a frame. What is
 * found at k depends on k alone: places stay functions of time whatever was asked before. */
#include "core/memory.h"
#include "core/parallel.h"
#include "scene/body_private.h"
#include "scene/press.h"

#include <limits.h>
#include <string.h>

enum { NO_KEY = INT_MIN };

vo_result vo_body_press_follow(vo_body_follower *f) {
    const vo_body *body = f->body;
    const vo_mesh *rest = body->rest;
    if (!body->moves || body->gap == 0 || rest == NULL) return VO_OK;
    int n = rest->node_count, faces;
    f->pose = vo_new_array(f->ctx, vo_vec3, n);
    for (int i = 0; i < 2; i++)
        f->pressed[i] = (vo_body_pressed){NO_KEY, vo_new_array(f->ctx, vo_vec3, n)};
    if (!f->pose || !f->pressed[0].offset || !f->pressed[1].offset)
        return vo_fail_memory(f->ctx, "a moving body");
    vo_body_face *face = vo_body_faces(body, &faces);
    return vo_press_create(f->ctx, n, rest->node_x, faces, face, &f->press);
}

void vo_body_press_free(vo_body_follower *f) {
    int n = vo_body_node_count(f->body);
    vo_press_destroy(f->press);
    vo_free_array(f->ctx, f->pose, n);
    for (int i = 0; i < 2; i++) vo_free_array(f->ctx, f->pressed[i].offset, n);
}

static void look(vo_body_follower *f, vo_body_pressed *at) {
    int count = vo_body_node_count(f->body);
    vo_body_place_bare(f, at->key * f->body->step, f->pose);
    memcpy(at->offset, f->pose, (size_t)count * sizeof *f->pose);
    vo_press_draw_in(f->press, f->body->gap, at->offset);
    for (int n = 0; n < count; n++) at->offset[n] = v3_sub(at->offset[n], f->pose[n]);
}

/* The offsets at a key. Those of another key that is needed, too, are left alone. */
static const vo_vec3 *offsets_at(vo_body_follower *f, int key, int other) {
    for (int i = 0; i < 2; i++)
        if (f->pressed[i].key == key) return f->pressed[i].offset;
    vo_body_pressed *slot = &f->pressed[f->pressed[0].key == other];
    slot->key = key;
    look(f, slot);
    return slot->offset;
}

typedef struct shifting {
    const vo_vec3 *a, *b;
    double part;
    vo_vec3 *x;
} shifting;

static void shift(void *arg, int begin, int end, int chunk) {
    const shifting *s = arg;
    (void)chunk;
    for (int n = begin; n < end; n++) s->x[n] = v3_add(s->x[n], v3_lerp(s->a[n], s->b[n], s->part));
}

void vo_body_press(vo_body_follower *f, double t, vo_vec3 *x) {
    if (!f->press) return;
    double at = vo_clamp(t / f->body->step, -1e9, 1e9), near = round(at);
    /* a moment within a millionth of a frame's is that frame's, so that one look is enough */
    if (fabs(at - near) < 1e-6) at = near;
    int key = (int)floor(at), next = at == near ? key : key + 1;
    shifting s = {.part = at - key, .x = x};
    s.a = offsets_at(f, key, next);
    s.b = offsets_at(f, next, key);
    vo_parallel_for(f->ctx, vo_body_node_count(f->body), 1024, shift, &s);
}

/* Debug drawing by lines. */
#include "rt/world/world.h"

typedef struct pen {
    vo_rt_draw_line_fn *draw;
    void *user;
} pen;

static void line(const pen *p, vo_rt_vec3 a, vo_rt_vec3 b, uint32_t rgba) {
    p->draw(p->user, a, b, rgba);
}

/* Each leaf edge is drawn by the spring that represents it. */
static void draw_leaves(const vo_rt_cloth *c, const pen *p) {
    static const uint32_t color[VO_RT_MAX_LEVEL + 1] = {
        0x4060c0ffu, 0x30a0a0ffu, 0x40b040ffu, 0xb0b030ffu, 0xd08030ffu, 0xd04040ffu, 0xc040c0ffu};
    const vo_rt_front *f = &c->mesh.front;
    for (int e = 0; e < c->mesh.edge_end; e++) {
        const vo_rt_edge *edge = &c->mesh.edge[e];
        if (!(edge->flags & VO_RT_EDGE_USED) || edge->child >= 0) continue;
        int level = edge->level < VO_RT_MAX_LEVEL ? edge->level : VO_RT_MAX_LEVEL;
        line(p, f4_xyz(f->position[edge->vertex[0]]), f4_xyz(f->position[edge->vertex[1]]),
             color[level]);
    }
}

static void draw_contacts(const vo_rt_cloth *c, const pen *p) {
    for (int i = 0; i < c->contacts.count; i++) {
        const vo_rt_contact *contact = &c->contacts.contact[i];
        line(p, contact->point, f3_add_scaled(contact->point, 0.02f, contact->normal), 0xff2020ffu);
    }
}

static void draw_box(const pen *p, vo_rt_vec3 min, vo_rt_vec3 max, uint32_t rgba) {
    for (int i = 0; i < 8; i++)
        for (int axis = 0; axis < 3; axis++) {
            if (i >> axis & 1) continue;
            int j = i | 1 << axis;
            line(p, f3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z),
                 f3(j & 1 ? max.x : min.x, j & 2 ? max.y : min.y, j & 4 ? max.z : min.z), rgba);
        }
}

static void draw_tethers(const vo_rt_cloth *c, const pen *p) {
    const vo_rt_front *f = &c->mesh.front;
    for (int i = 0; i < c->asset->tether_count; i++) {
        const vo_rt_tether *t = &c->asset->tether[i];
        line(p, f4_xyz(f->position[t->vertex + 1]), f4_xyz(f->position[t->anchor + 1]),
             0x808080ffu);
    }
}

static void draw_cloth(const vo_rt_cloth *c, unsigned flags, const pen *p) {
    if (flags & VO_RT_DRAW_LEAVES) draw_leaves(c, p);
    if (flags & VO_RT_DRAW_CONTACTS) draw_contacts(c, p);
    if (flags & VO_RT_DRAW_BOUNDS) draw_box(p, c->state.min, c->state.max, 0xffffffffu);
    if (flags & VO_RT_DRAW_TETHERS) draw_tethers(c, p);
}

void vo_rt_world_debug_draw(const vo_rt_world *w, unsigned flags, vo_rt_draw_line_fn *draw,
                            void *user) {
    pen p = {draw, user};
    for (int i = 0; i < w->cloth_end; i++)
        if (w->cloth[i].is_used && w->cloth[i].input.enabled) draw_cloth(&w->cloth[i], flags, &p);
    if (!(flags & VO_RT_DRAW_BODIES)) return;
    for (int i = 0; i < w->body_end; i++) {
        if (!w->body[i]) continue;
        vo_rt_vec3 min, max;
        vo_rt_body_get_bounds(w->body[i], &min, &max);
        draw_box(&p, min, max, 0x909090ffu);
    }
}

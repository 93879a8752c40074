/* Recovery of cloth on the wrong side of a body.
 *
 * A vertex that was put on the far side of an arm or into a fold of a body is held there by its
 * contacts, however far its neighbours are. Springs at more than twice their rest length between
 * vertices in contact do not occur otherwise: their ends are tangled. They ignore bodies until
 * their springs have contracted; then their side is found again. */
#include "rt/contact/contact.h"

/* Elongations at which a vertex becomes tangled, and below which it is released. */
static const float TANGLED = 1, RELEASED = 0.25f;
/* Marks during the search. */
enum { FOUND = 64, KEPT = 128 };

static void mark_spring(vo_rt_front *f, int a, int b, float rest) {
    float limit2 = (1 + RELEASED) * (1 + RELEASED) * rest * rest;
    float length2 = f3_length2(f3_sub(f4_xyz(f->position[a]), f4_xyz(f->position[b])));
    if (!(length2 > limit2)) return;
    uint8_t both = f->flags[a] | f->flags[b];
    if (f->flags[a] & VO_RT_VERTEX_TANGLED) f->flags[a] |= KEPT;
    if (f->flags[b] & VO_RT_VERTEX_TANGLED) f->flags[b] |= KEPT;
    if (length2 > (1 + TANGLED) * (1 + TANGLED) * rest * rest && (both & VO_RT_VERTEX_CONTACT)) {
        f->flags[a] |= FOUND;
        f->flags[b] |= FOUND;
    }
}

void vo_rt_contact_find_tangles(vo_rt_front *f) {
    for (int i = 0; i < f->spring_group_count; i++) {
        const vo_rt_spring_group *g = &f->springs[i];
        for (int k = 0; k < VO_RT_LANES; k++)
            if (g->a[k] != g->b[k]) mark_spring(f, g->a[k], g->b[k], g->rest[k]);
    }
    for (int i = 1; i < f->vertex_end; i++) {
        bool is_tangled = f->flags[i] & (FOUND | KEPT);
        f->flags[i] &= (uint8_t) ~(FOUND | KEPT | VO_RT_VERTEX_TANGLED);
        if (is_tangled) f->flags[i] |= VO_RT_VERTEX_TANGLED;
    }
}

/* Meshes of bodies beside a group of cloths that collide with each other: their edges and faces
 * collide with those of the cloths. Vertices of cloth also collide with the shells of all bodies
 * (contact/contact.h). */
#include "rt/world/world.h"

typedef struct body_list {
    const vo_rt_body *body[VO_RT_SELF_MAX_OBSTACLES];
    float friction[VO_RT_SELF_MAX_OBSTACLES];
    int count;
} body_list;

static bool has_mesh(const vo_rt_cloth *c, int near) {
    return !c->near_shapes[near] && c->near_body[near]->mesh_kind != VO_RT_MESH_NONE;
}

/* Index of a body in the list, to which it is added; -1: the list is full. */
static int add_body(body_list *list, const vo_rt_body *body, float friction) {
    for (int i = 0; i < list->count; i++)
        if (list->body[i] == body) return i;
    if (list->count == VO_RT_SELF_MAX_OBSTACLES) return -1;
    list->body[list->count] = body;
    list->friction[list->count] = friction;
    return list->count++;
}

/* Lists the meshes near the members; `member` (may be NULL) receives
 * a mask of those near each member. */
static void list_bodies(const vo_rt_cloth *leader, body_list *list, vo_rt_self_member *member) {
    list->count = 0;
    for (const vo_rt_cloth *c = leader; c; c = c->next_member) {
        uint64_t mask = 0;
        for (int k = 0; k < c->near_count; k++) {
            int i = has_mesh(c, k) ? add_body(list, c->near_body[k], c->near_friction[k]) : -1;
            if (i >= 0) mask |= (uint64_t)1 << i;
        }
        if (member) (member++)->obstacles = mask;
    }
}

void vo_rt_groups_count_bodies(const vo_rt_cloth *leader, vo_rt_self_size *size) {
    body_list list;
    list_bodies(leader, &list, NULL);
    size->obstacles = list.count;
    for (int i = 0; i < list.count; i++) {
        size->obstacle_vertices += list.body[i]->surface.vertex_count;
        size->obstacle_faces += VO_RT_WIDTH * list.body[i]->surface.leaf_count;
    }
}

/* Calls of vo_rt_body_advance that the move of the group lasts. */
static int count_advances(const vo_rt_cloth *leader) {
    int advances = 1;
    for (const vo_rt_cloth *c = leader; c; c = c->next_member)
        if (c->moves && c->state.move_advances > advances) advances = c->state.move_advances;
    return advances;
}

static vo_rt_self_obstacle describe_body(const vo_rt_body *b, float friction, int advances) {
    bool is_rigid = b->mesh_kind == VO_RT_MESH_RIGID;
    return (vo_rt_self_obstacle){
        .surface = &b->surface,
        .vertex = {b->pose[b->previous].vertex, b->pose[b->current].vertex},
        .pose = {vo_rt_part_before(b, VO_RT_PART_MESH, advances), b->mesh_current},
        .is_rigid = is_rigid,
        .offset = b->offset,
        .friction = friction};
}

void vo_rt_groups_describe_bodies(vo_rt_cloth *leader) {
    vo_rt_self_set *set = &leader->self;
    body_list list;
    int advances = count_advances(leader);
    list_bodies(leader, &list, set->member);
    set->obstacle_count = list.count;
    for (int i = 0; i < list.count; i++) {
        set->obstacle[i] = describe_body(list.body[i], list.friction[i], advances);
        for (vo_rt_cloth *c = leader; c && list.body[i]->is_teleported; c = c->next_member)
            c->state.may_intersect = true; /* it may have appeared inside cloth */
    }
}

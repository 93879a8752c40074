/* Snapshot of a world: a header with a checksum, the state of the world, of bodies and of cloths.
 *
 * The state is native memory; a snapshot is read by the same program on the same kind of machine
 * only, which the header verifies. The world must have the same objects when it is restored. */
#include "rt/world/world.h"

#include <string.h>

typedef struct snapshot_header {
    uint64_t magic;    /* "VRTSNAP1" */
    uint64_t layout;   /* sizes of the structs that are stored */
    uint64_t bytes;    /* of the whole snapshot */
    uint64_t checksum; /* of everything behind the header */
} snapshot_header;

static const uint64_t MAGIC = 0x3150414e53545256u;

/* State of the world itself. */
typedef struct world_state {
    vo_rt_world_inputs next, input;
    double time, lead;
    int64_t minors, over_budget;
    float alpha, detail_scale;
    int32_t cloth_count, body_count;
} world_state;

/* In front of the data of a cloth. */
typedef struct cloth_header {
    int32_t index, vertex_count, bone_count, render_vertex_count, hint_count, unused;
    uint64_t asset_bytes, mesh_bytes;
    vo_rt_cloth_inputs next, input;
    vo_rt_cloth_state state;
} cloth_header;

/* Writes to memory, or only counts bytes. Every part is padded to 16 bytes. */
typedef struct writer {
    uint8_t *data; /* NULL: counts */
    size_t bytes;
} writer;

static size_t padded(size_t bytes) { return (bytes + 15) / 16 * 16; }

static void *reserve(writer *w, size_t bytes) {
    void *place = w->data ? w->data + w->bytes : NULL;
    w->bytes += padded(bytes);
    if (place) memset(place, 0, padded(bytes));
    return place;
}

static void write(writer *w, const void *data, size_t bytes) {
    void *place = reserve(w, bytes);
    if (place && bytes > 0) memcpy(place, data, bytes);
}

typedef struct reader {
    const uint8_t *data;
    size_t bytes, position;
} reader;

/* NULL if the data ends before. */
static const void *take(reader *r, size_t bytes) {
    if (bytes > SIZE_MAX - 16 || r->bytes - r->position < padded(bytes)) return NULL;
    const void *place = r->data + r->position;
    r->position += padded(bytes);
    return place;
}

static uint64_t layout_of_structs(void) {
    return (uint64_t)sizeof(world_state) ^ (uint64_t)sizeof(cloth_header) << 16 ^
           (uint64_t)sizeof(vo_rt_edge) << 32 ^ (uint64_t)sizeof(vo_rt_triangle) << 40 ^
           (uint64_t)sizeof(void *) << 48 ^ (uint64_t)sizeof(vo_rt_upsample_head) << 52;
}

static void write_cloth(writer *w, const vo_rt_cloth *c) {
    const vo_rt_asset *a = c->asset;
    size_t vertices = (size_t)a->vertex_count;
    cloth_header *h = reserve(w, sizeof *h);
    size_t mesh_bytes = vo_rt_mesh_save(&c->mesh, NULL);
    int hints = c->mesh.front.vertex_end;
    if (h)
        *h = (cloth_header){.index = c->index,
                            .vertex_count = a->vertex_count,
                            .bone_count = a->bone_count,
                            .render_vertex_count = a->render_vertex_count,
                            .hint_count = hints,
                            .asset_bytes = a->bytes,
                            .mesh_bytes = mesh_bytes,
                            .next = c->next,
                            .input = c->input,
                            .state = c->state};
    write(w, c->bones, (size_t)a->bone_count * sizeof *c->bones);
    write(w, c->attachments, vertices * sizeof *c->attachments);
    write(w, c->pose_start, vertices * sizeof *c->pose_start);
    write(w, c->pose_end, vertices * sizeof *c->pose_end);
    void *contacts = reserve(w, vo_rt_contact_save(&c->contacts, hints, NULL));
    if (contacts) vo_rt_contact_save(&c->contacts, hints, contacts);
    write(w, c->contacts.shell, (size_t)hints * sizeof *c->contacts.shell);
    void *detail = reserve(w, vo_rt_detail_save(&c->detail, a, NULL));
    if (detail) vo_rt_detail_save(&c->detail, a, detail);
    void *upsample = reserve(w, vo_rt_upsample_save(&c->upsample, a, NULL));
    if (upsample) vo_rt_upsample_save(&c->upsample, a, upsample);
    void *mesh = reserve(w, mesh_bytes);
    if (mesh) vo_rt_mesh_save(&c->mesh, mesh);
}

/* State of a body in the world. */
typedef struct saved_slot {
    uint64_t pose_hash;
    vo_rt_vec3 end_min, end_max;
} saved_slot;

static void write_body(writer *w, const vo_rt_world *world, int index) {
    const vo_rt_body *body = world->body[index];
    uint64_t header[2] = {(uint64_t)index, vo_rt_body_save(body, NULL)};
    write(w, header, sizeof header);
    const vo_rt_body_slot *slot = vo_rt_body_get_slot(body);
    saved_slot saved = {slot->pose_hash, slot->end_min, slot->end_max};
    write(w, &saved, sizeof saved);
    void *place = reserve(w, (size_t)header[1]);
    if (place) vo_rt_body_save(body, place);
}

static void count_objects(const vo_rt_world *w, int32_t *cloths, int32_t *bodies) {
    *cloths = *bodies = 0;
    for (int i = 0; i < w->cloth_end; i++) *cloths += w->cloth[i].is_used;
    for (int i = 0; i < w->body_end; i++) *bodies += w->body[i] != NULL;
}

static void write_world(writer *out, const vo_rt_world *w) {
    reserve(out, sizeof(snapshot_header));
    world_state *s = reserve(out, sizeof *s);
    if (s) {
        s->next = w->next;
        s->input = w->input;
        s->time = w->time;
        s->lead = w->lead;
        s->minors = w->minors;
        s->alpha = w->alpha;
        s->detail_scale = w->detail_scale;
        s->over_budget = w->over_budget;
        count_objects(w, &s->cloth_count, &s->body_count);
    }
    for (int i = 0; i < w->body_end; i++)
        if (w->body[i]) write_body(out, w, i);
    for (int i = 0; i < w->cloth_end; i++)
        if (w->cloth[i].is_used) write_cloth(out, &w->cloth[i]);
}

size_t vo_rt_world_save(const vo_rt_world *w, void *data, size_t capacity) {
    writer count = {0};
    write_world(&count, w);
    if (!data || capacity < count.bytes) return count.bytes;
    writer out = {.data = data};
    write_world(&out, w);
    size_t behind = sizeof(snapshot_header);
    snapshot_header h = {MAGIC, layout_of_structs(), out.bytes,
                         vo_rt_hash(0, (uint8_t *)data + behind, out.bytes - behind)};
    memcpy(data, &h, sizeof h);
    return out.bytes;
}

/* Positions of the parts of a cloth in a snapshot. */
typedef struct cloth_parts {
    vo_rt_cloth *cloth;
    cloth_header header;
    const void *bones, *attachments, *pose_start, *pose_end, *contacts, *shell;
    const void *detail, *upsample, *mesh;
} cloth_parts;

static bool read_cloth(reader *r, vo_rt_world *w, cloth_parts *p) {
    const void *header = take(r, sizeof p->header);
    if (!header) return false;
    memcpy(&p->header, header, sizeof p->header);
    const cloth_header *h = &p->header;
    if (h->index < 0 || h->index >= w->cloth_end || !w->cloth[h->index].is_used) return false;
    p->cloth = &w->cloth[h->index];
    const vo_rt_asset *a = p->cloth->asset;
    if (h->vertex_count != a->vertex_count || h->bone_count != a->bone_count ||
        h->render_vertex_count != a->render_vertex_count || h->asset_bytes != a->bytes ||
        h->hint_count <= a->vertex_count || h->mesh_bytes > r->bytes)
        return false;
    size_t vertices = (size_t)a->vertex_count;
    p->bones = take(r, (size_t)a->bone_count * sizeof(vo_rt_matrix));
    p->attachments = take(r, vertices * sizeof(vo_rt_attachment));
    p->pose_start = take(r, vertices * sizeof(vo_rt_vec4));
    p->pose_end = take(r, vertices * sizeof(vo_rt_vec4));
    p->contacts = take(r, vo_rt_contact_save(&p->cloth->contacts, h->hint_count, NULL));
    p->shell = take(r, (size_t)h->hint_count * sizeof(vo_rt_vec4));
    p->detail = take(r, vo_rt_detail_save(&p->cloth->detail, a, NULL));
    p->upsample = take(r, vo_rt_upsample_save(&p->cloth->upsample, a, NULL));
    p->mesh = take(r, (size_t)h->mesh_bytes);
    return p->bones && p->attachments && p->pose_start && p->pose_end && p->contacts && p->shell &&
           p->detail && p->upsample && p->mesh;
}

static bool counts_are_valid(const cloth_header *h) {
    const vo_rt_cloth_state *s = &h->state;
    return s->touch_count >= 0 && s->touch_count <= VO_RT_MAX_NEAR_BODIES &&
           s->touched_count >= 0 && s->touched_count <= VO_RT_MAX_NEAR_BODIES;
}

static void copy(void *to, const void *from, size_t bytes) {
    if (bytes > 0) memcpy(to, from, bytes);
}

static void restore_contacts(vo_rt_cloth *c, const cloth_parts *p) {
    vo_rt_contact_set *set = &c->contacts;
    size_t count = (size_t)c->mesh.front.vertex_end;
    for (size_t i = 0; i < count; i++) /* as after vo_rt_contact_verify */
        set->safe[i] = f4_make(f4_xyz(c->mesh.front.position[i]), 0);
    vo_rt_contact_restore(set, (int)count, p->contacts);
    copy(set->shell, p->shell, count * sizeof *set->shell);
}

/* Mesh first: it is validated, and unchanged if it is rejected. */
static bool restore_cloth(const cloth_parts *p) {
    vo_rt_cloth *c = p->cloth;
    vo_rt_world *w = c->world;
    size_t vertices = (size_t)c->asset->vertex_count;
    if (!vo_rt_mesh_restore(&c->mesh, &w->heap, p->mesh, (size_t)p->header.mesh_bytes))
        return false;
    if (p->header.hint_count != c->mesh.front.vertex_end ||
        !vo_rt_contact_reserve(&c->contacts, &w->heap, &c->mesh.front) ||
        !vo_rt_levels_reserve(&c->levels, &w->heap, &c->mesh)) {
        vo_rt_cloth_reset_state(c);
        return false;
    }
    c->next = p->header.next;
    c->input = p->header.input;
    c->state = p->header.state;
    c->needs_recovery = false;
    copy(c->bones, p->bones, (size_t)c->asset->bone_count * sizeof *c->bones);
    copy(c->attachments, p->attachments, vertices * sizeof *c->attachments);
    copy(c->pose_start, p->pose_start, vertices * sizeof *c->pose_start);
    copy(c->pose_end, p->pose_end, vertices * sizeof *c->pose_end);
    vo_rt_self_invalidate(&c->self);
    restore_contacts(c, p);
    vo_rt_levels_update(&c->levels, &c->mesh);
    vo_rt_upsample_restore(&c->upsample, c->asset, p->upsample,
                           vo_rt_operator_select_kernels(w->use_avx2));
    return vo_rt_detail_restore(&c->detail, &c->mesh, p->detail,
                                vo_rt_detail_save(&c->detail, c->asset, NULL));
}

static bool read_body(reader *r, vo_rt_world *w, bool restores) {
    const void *start = take(r, 2 * sizeof(uint64_t));
    if (!start) return false;
    uint64_t header[2];
    memcpy(header, start, sizeof header);
    if (header[0] >= (uint64_t)w->body_end || !w->body[header[0]]) return false;
    vo_rt_body *body = w->body[header[0]];
    if (header[1] != vo_rt_body_save(body, NULL)) return false;
    const void *saved = take(r, sizeof(saved_slot)), *data = take(r, (size_t)header[1]);
    if (!saved || !data) return false;
    if (restores) {
        vo_rt_body_slot *slot = vo_rt_body_get_slot(body);
        saved_slot s;
        memcpy(&s, saved, sizeof s);
        slot->pose_hash = s.pose_hash;
        slot->end_min = s.end_min;
        slot->end_max = s.end_max;
        vo_rt_body_restore(body, data);
        slot->origin = body->input.transform.position;
        vo_rt_body_get_bounds(body, &slot->min, &slot->max);
    }
    return true;
}

static void restore_world(vo_rt_world *w, const world_state *s) {
    w->next = s->next;
    w->input = s->input;
    w->time = s->time;
    w->lead = s->lead;
    w->minors = s->minors;
    w->alpha = s->alpha;
    w->detail_scale = s->detail_scale;
    w->over_budget = s->over_budget;
    w->event_count = 0;
}

/* Reads all parts behind the state of the world; restores them or only verifies their form. */
static bool read_parts(reader r, vo_rt_world *w, const world_state *s, bool restores) {
    for (int i = 0; i < s->body_count; i++)
        if (!read_body(&r, w, restores)) return false;
    for (int i = 0; i < s->cloth_count; i++) {
        cloth_parts p;
        if (!read_cloth(&r, w, &p) || !counts_are_valid(&p.header)) return false;
        if (restores && !restore_cloth(&p)) return false;
    }
    return r.position == r.bytes;
}

static bool read_header(reader *r, size_t bytes, world_state *s) {
    const uint8_t *start = take(r, sizeof(snapshot_header));
    snapshot_header h;
    if (!start) return false;
    memcpy(&h, start, sizeof h);
    if (h.magic != MAGIC || h.layout != layout_of_structs() || h.bytes != bytes) return false;
    if (h.checksum != vo_rt_hash(0, start + sizeof h, bytes - sizeof h)) return false;
    const void *state = take(r, sizeof *s);
    if (state) memcpy(s, state, sizeof *s);
    return state != NULL;
}

static bool has_same_objects(const vo_rt_world *w, const world_state *s) {
    int32_t cloths, bodies;
    count_objects(w, &cloths, &bodies);
    return cloths == s->cloth_count && bodies == s->body_count;
}

vo_result vo_rt_world_restore(vo_rt_world *w, const void *data, size_t bytes) {
    reader r = {.data = data, .bytes = bytes};
    world_state s;
    if (w->step.is_begun)
        return vo_rt_fail(&w->message, VO_BAD_ARGUMENT,
                          "a step is in progress; call vo_rt_world_end_step first");
    if (!read_header(&r, bytes, &s))
        return vo_rt_fail(&w->message, VO_BAD_DATA,
                          "the snapshot is damaged or of another version; save it again");
    if (!has_same_objects(w, &s) || !read_parts(r, w, &s, false))
        return vo_rt_fail(&w->message, VO_BAD_DATA,
                          "the snapshot has other bodies or cloths; create the same ones");
    if (!read_parts(r, w, &s, true))
        return vo_rt_fail(&w->message, VO_NO_MEMORY,
                          "the pool is exhausted, or the snapshot is damaged; raise pool_bytes");
    restore_world(w, &s);
    return VO_OK;
}

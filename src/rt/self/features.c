/* Stages 1 to 4: pairs of base triangles, of faces, of features. */
#include "rt/self/self_private.h"

/* Contact distance of a pair relative to its query radius, and of features joined by an edge. */
static const float MAX_GAP = 0.8f, MAX_JOINED_GAP = 0.3f;

typedef struct search {
    vo_rt_self_set *set;
    const vo_rt_self_query *query;
    const vo_rt_self_kernels *kernels;
    vo_rt_self_batch faces, edges; /* vertex and face; edge and edge */
    bool is_full;                  /* the memory for pairs is exhausted */
} search;

/* --- Pairs ------------------------------------------------------------------------------------ */

static bool shares_vertex(const vo_rt_self_face *f, const int32_t *v, int count) {
    for (int k = 0; k < count; k++)
        if (f->vertex[0] == v[k] || f->vertex[1] == v[k] || f->vertex[2] == v[k]) return true;
    return false;
}

/* True if a face has vertices of both sides of a pair: an edge joins them. */
static bool is_joined(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    for (int k = 0; k < p->count_a; k++) {
        int v = p->vertex[k];
        for (int i = set->star_begin[v]; i < set->star_begin[v + 1]; i++)
            if (shares_vertex(&set->face[set->star_face[i]], p->vertex + p->count_a,
                              4 - p->count_a))
                return true;
    }
    return false;
}

/* Sum of the largest radii of both sides, m. */
static float pair_radius(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    float a = 0, b = 0;
    for (int k = 0; k < 4; k++)
        if (k < p->count_a)
            a = f_max(a, set->radius[p->vertex[k]]);
        else
            b = f_max(b, set->radius[p->vertex[k]]);
    return a + b;
}

static void set_gap(const vo_rt_self_set *set, vo_rt_self_pair *p) {
    const vo_rt_self_member *a = &set->member[p->member[0]], *b = &set->member[p->member[1]];
    float limit = (p->is_joined ? MAX_JOINED_GAP : MAX_GAP) * pair_radius(set, p);
    p->gap = f_min(0.5f * (a->thickness + b->thickness), limit);
}

static void note_distance(vo_rt_self_set *set, const vo_rt_self_pair *p) {
    if (p->is_joined) return;
    for (int k = 0; k < 4; k++)
        set->near[p->vertex[k]] = f_min(set->near[p->vertex[k]], p->distance);
}

/* Largest thickness of the boxes of both sides, summed, m. */
static float search_radius(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    float a = 0, b = 0;
    for (int k = 0; k < 4; k++)
        if (k < p->count_a)
            a = f_max(a, set->high[p->vertex[k]].w);
        else
            b = f_max(b, set->high[p->vertex[k]].w);
    return a + b;
}

static void add_pair(search *s, const vo_rt_self_batch *b, int lane, int count_a) {
    vo_rt_self_set *set = s->set;
    vo_rt_self_pair spare, *p = &spare;
    if (set->pair_count < set->pair_capacity) p = &set->pair[set->pair_count];
    for (int k = 0; k < 4; k++) {
        p->vertex[k] = b->vertex[k][lane];
        p->weight[k] = b->weight[k][lane];
    }
    p->normal = f3(b->normal[0][lane], b->normal[1][lane], b->normal[2][lane]);
    p->distance = b->distance[lane];
    p->count_a = (uint8_t)count_a;
    if (p->distance - f_max(vo_rt_self_approach(set, p), 0) >= search_radius(set, p)) return;
    if (p == &spare)
        s->is_full = true;
    else
        set->pair_count++;
    p->member[0] = set->face[b->face[0][lane]].member;
    p->member[1] = set->face[b->face[1][lane]].member;
    p->is_joined = p->member[0] == p->member[1] && is_joined(set, p);
    set_gap(set, p);
    note_distance(set, p);
    if (p == &spare) vo_rt_self_bound_by_pair(set, p);
}

static void flush(search *s, vo_rt_self_batch *b, int count_a) {
    if (b->count == 0) return;
    for (int lane = b->count; lane < VO_RT_SELF_BATCH; lane++)
        for (int k = 0; k < 4; k++) b->vertex[k][lane] = 0;
    const vo_rt_vec4 *x = s->set->x;
    unsigned near =
        count_a == 1 ? s->kernels->measure_faces(x, b) : s->kernels->measure_edges(x, b);
    s->set->counts.feature_pairs += b->count;
    for (; near; near &= near - 1) add_pair(s, b, __builtin_ctz(near), count_a);
    b->count = 0;
}

/* --- Features of two faces -------------------------------------------------------------------- */

static bool boxes_overlap(vo_rt_vec4 al, vo_rt_vec4 ah, vo_rt_vec4 bl, vo_rt_vec4 bh) {
    return al.x <= bh.x && bl.x <= ah.x && al.y <= bh.y && bl.y <= ah.y && al.z <= bh.z &&
           bl.z <= ah.z;
}

static float face_reach(const vo_rt_self_set *set, const vo_rt_self_face *f) {
    return f_max(set->low[f->vertex[0]].w,
                 f_max(set->low[f->vertex[1]].w, set->low[f->vertex[2]].w));
}

/* Vertices that face a owns against face b. */
static void test_vertices(search *s, int a, int b) {
    vo_rt_self_set *set = s->set;
    const vo_rt_self_face *fa = &set->face[a], *fb = &set->face[b];
    const vo_rt_vec4 *box = &set->box[2 * b];
    for (int k = 0; k < 3; k++) {
        int v = fa->vertex[k];
        if (!(fa->owned >> k & 1) || shares_vertex(fb, &v, 1)) continue;
        if (!boxes_overlap(set->low[v], set->high[v], box[0], box[1])) continue;
        vo_rt_self_batch *batch = &s->faces;
        int lane = batch->count++;
        batch->vertex[0][lane] = v;
        for (int i = 0; i < 3; i++) batch->vertex[1 + i][lane] = fb->vertex[i];
        batch->limit[lane] = set->low[v].w + face_reach(set, fb);
        batch->face[0][lane] = a;
        batch->face[1][lane] = b;
        if (batch->count == VO_RT_SELF_BATCH) flush(s, batch, 1);
    }
}

/* Ends of an edge of a face, and its box. */
typedef struct edge_box {
    int32_t v[2];
    vo_rt_vec4 low, high;
    float reach;
} edge_box;

static edge_box get_edge(const vo_rt_self_set *set, const vo_rt_self_face *f, int k) {
    int a = f->vertex[k == 2 ? 0 : k + 1], b = f->vertex[k == 0 ? 2 : k - 1];
    const vo_rt_vec4 *low = set->low, *high = set->high;
    return (edge_box){{a, b},
                      f4_make(f3_min(f4_xyz(low[a]), f4_xyz(low[b])), 0),
                      f4_make(f3_max(f4_xyz(high[a]), f4_xyz(high[b])), 0),
                      f_max(low[a].w, low[b].w)};
}

static void add_edges(search *s, int a, int b, const edge_box *ea, const edge_box *eb) {
    vo_rt_self_batch *batch = &s->edges;
    int lane = batch->count++;
    for (int i = 0; i < 2; i++) {
        batch->vertex[i][lane] = ea->v[i];
        batch->vertex[2 + i][lane] = eb->v[i];
    }
    batch->limit[lane] = ea->reach + eb->reach;
    batch->face[0][lane] = a;
    batch->face[1][lane] = b;
    if (batch->count == VO_RT_SELF_BATCH) flush(s, batch, 2);
}

static bool edges_share(const edge_box *a, const edge_box *b) {
    return a->v[0] == b->v[0] || a->v[0] == b->v[1] || a->v[1] == b->v[0] || a->v[1] == b->v[1];
}

/* Edges that the faces own. */
static void test_edges(search *s, int a, int b) {
    const vo_rt_self_set *set = s->set;
    const vo_rt_self_face *fa = &set->face[a], *fb = &set->face[b];
    if (!(fa->owned >> 3) || !(fb->owned >> 3)) return;
    edge_box eb[3];
    int count = 0;
    for (int k = 0; k < 3; k++)
        if (fb->owned >> (3 + k) & 1) eb[count++] = get_edge(set, fb, k);
    for (int k = 0; k < 3; k++) {
        if (!(fa->owned >> (3 + k) & 1)) continue;
        edge_box ea = get_edge(set, fa, k);
        for (int j = 0; j < count; j++)
            if (boxes_overlap(ea.low, ea.high, eb[j].low, eb[j].high) && !edges_share(&ea, &eb[j]))
                add_edges(s, a, b, &ea, &eb[j]);
    }
}

/* Number of common vertices of two faces; *calm: one of them is calm. */
static int count_common(const vo_rt_self_set *set, const vo_rt_self_face *a,
                        const vo_rt_self_face *b, bool *calm) {
    int count = 0;
    for (int k = 0; k < 3; k++) {
        if (!shares_vertex(b, &a->vertex[k], 1)) continue;
        count++;
        if (set->flags[a->vertex[k]] & VO_RT_SELF_CALM) *calm = true;
    }
    return count;
}

static void test_faces(void *user, int a, int b) {
    search *s = user;
    vo_rt_self_set *set = s->set;
    const vo_rt_self_face *fa = &set->face[a], *fb = &set->face[b];
    bool calm = false;
    set->counts.face_pairs++;
    int common = fa->member == fb->member ? count_common(set, fa, fb, &calm) : 0;
    if (calm) return;
    set->counts.adjacent_pairs += common > 0;
    test_vertices(s, a, b);
    test_vertices(s, b, a);
    test_edges(s, a, b);
    if (s->query->finds_intersections) {
        vo_rt_self_intersect(set, a, b);
        vo_rt_self_intersect(set, b, a);
    }
}

/* --- Stage 1 ---------------------------------------------------------------------------------- */

/* Base triangles are tested if they move, or if one that moves is near. */
static void test_bases(void *user, int a, int b) {
    vo_rt_self_set *set = user;
    set->counts.base_pairs++;
    uint8_t moves = (set->base_active[a] | set->base_active[b]) & 1;
    set->base_active[a] |= (uint8_t)(2 * moves);
    set->base_active[b] |= (uint8_t)(2 * moves);
}

static void cull_bases(vo_rt_self_set *set, const vo_rt_self_kernels *kernels) {
    int base = 0;
    for (int k = 0; k < set->member_count; k++) {
        int count = set->member[k].mesh->asset->triangle_count;
        for (int i = 0; i < count; i++) set->base_active[base++] = set->member[k].moves;
    }
    vo_rt_self_for_pairs(&set->hash, kernels, set->base_box, set->base_count, test_bases, set);
    for (int i = 0; i < set->face_count; i++)
        if (!set->base_active[set->face[i].base])
            set->box[2 * i].x = INFINITY; /* an empty box: left out of the hash */
}

bool vo_rt_self_find_pairs(vo_rt_self_set *set, const vo_rt_self_query *query) {
    search s = {.set = set, .query = query, .kernels = vo_rt_self_select_kernels(query->use_avx2)};
    set->pair_count = set->hit_count = 0;
    vo_rt_self_refit(set);
    cull_bases(set, s.kernels);
    vo_rt_self_for_pairs(&set->hash, s.kernels, set->box, set->face_count, test_faces, &s);
    flush(&s, &s.faces, 1);
    flush(&s, &s.edges, 2);
    set->counts.near_pairs += set->pair_count;
    return !s.is_full;
}

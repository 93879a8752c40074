/* Stages 1 to 4: pairs of clusters, of faces, of features.
 *
 * A cluster is eight consecutive leaves in the order of the hierarchy. Rejected: a voxel hash over
 * single faces. Two thirds of its pairs are adjacent faces, which the SIMD test of two clusters
 * drops at a tenth of the cost (0.2 ms in place of 1.1 ms for 2,900 faces). */
#include "math/simd.h"

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

static bool boxes_overlap(const vo_rt_vec4 *al, const vo_rt_vec4 *ah, const vo_rt_vec4 *b) {
    vo_m4 hit = (f4_load(al) <= f4_load(&b[1])) & (f4_load(&b[0]) <= f4_load(ah));
    return (m4_bits(hit) & 7) == 7;
}

static void add_vertex(search *s, int v, int a, int b) {
    const vo_rt_self_face *fb = &s->set->face[b];
    if (shares_vertex(fb, &v, 1)) return;
    vo_rt_self_batch *batch = &s->faces;
    int lane = batch->count++;
    batch->vertex[0][lane] = v;
    for (int i = 0; i < 3; i++) batch->vertex[1 + i][lane] = fb->vertex[i];
    batch->limit[lane] = s->set->low[v].w + s->set->face_box[2 * b].w;
    batch->face[0][lane] = a;
    batch->face[1][lane] = b;
    if (batch->count == VO_RT_SELF_BATCH) flush(s, batch, 1);
}

/* The edge of a face opposite corner k, with its box. */
typedef struct edge {
    int32_t v[2];
    vo_rt_vec4 low, high;
} edge;

static inline void get_edge(const vo_rt_self_set *set, const vo_rt_self_face *f, unsigned k,
                            edge *out) {
    int a = f->vertex[k == 2 ? 0 : k + 1], b = f->vertex[k == 0 ? 2 : k - 1];
    out->v[0] = a;
    out->v[1] = b;
    f4_store(&out->low, -f4_max(-f4_load(&set->low[a]), -f4_load(&set->low[b])));
    f4_store(&out->high, f4_max(f4_load(&set->high[a]), f4_load(&set->high[b])));
}

static float edge_reach(const vo_rt_self_set *set, const edge *e) {
    return f_max(set->low[e->v[0]].w, set->low[e->v[1]].w);
}

static void add_edges(search *s, int a, int b, const edge *ea, const edge *eb) {
    vo_rt_self_batch *batch = &s->edges;
    if (ea->v[0] == eb->v[0] || ea->v[0] == eb->v[1] || ea->v[1] == eb->v[0] ||
        ea->v[1] == eb->v[1])
        return;
    int lane = batch->count++;
    for (int i = 0; i < 2; i++) {
        batch->vertex[i][lane] = ea->v[i];
        batch->vertex[2 + i][lane] = eb->v[i];
    }
    batch->limit[lane] = edge_reach(s->set, ea) + edge_reach(s->set, eb);
    batch->face[0][lane] = a;
    batch->face[1][lane] = b;
    if (batch->count == VO_RT_SELF_BATCH) flush(s, batch, 2);
}

/* --- Rows: a face and the faces of a cluster -------------------------------------------------- */

/* Faces [begin, begin + 8) that are tested against one face: bit per lane. */
typedef struct row {
    int face, begin;
    unsigned hits;
} row;

/* Loop over the numbers i of the bits of a set. */
#define FOR_BITS(i, bits)                   \
    for (unsigned i##_left = (bits), i = 0; \
         i##_left && (i = (unsigned)__builtin_ctz(i##_left), 1); i##_left &= i##_left - 1)

/* Edges that the face owns against those that the faces of the row own. */
static void test_edges(search *s, const row *r) {
    const vo_rt_self_set *set = s->set;
    const vo_rt_self_face *fa = &set->face[r->face];
    FOR_BITS(i, (unsigned)fa->owned >> 3) {
        edge ea;
        get_edge(set, fa, i, &ea);
        unsigned hits = s->kernels->find_overlaps(&set->lanes, &ea.low, &ea.high, r->begin);
        FOR_BITS(k, hits & r->hits) {
            int b = r->begin + (int)k;
            const vo_rt_self_face *fb = &set->face[b];
            FOR_BITS(j, (unsigned)fb->owned >> 3) {
                edge eb;
                get_edge(set, fb, j, &eb);
                if (boxes_overlap(&ea.low, &ea.high, &eb.low)) add_edges(s, r->face, b, &ea, &eb);
            }
        }
    }
}

/* Vertices that the face owns against the faces of the row, and the reverse. */
static void test_vertices(search *s, const row *r) {
    const vo_rt_self_set *set = s->set;
    const vo_rt_self_face *fa = &set->face[r->face];
    FOR_BITS(i, fa->owned & 7u) {
        int v = fa->vertex[i];
        unsigned hits =
            s->kernels->find_overlaps(&set->lanes, &set->low[v], &set->high[v], r->begin);
        FOR_BITS(k, hits & r->hits) { add_vertex(s, v, r->face, r->begin + (int)k); }
    }
    FOR_BITS(k, r->hits) {
        const vo_rt_self_face *fb = &set->face[r->begin + (int)k];
        FOR_BITS(i, fb->owned & 7u) {
            int v = fb->vertex[i];
            if (boxes_overlap(&set->low[v], &set->high[v], &set->face_box[2 * r->face]))
                add_vertex(s, v, r->begin + (int)k, r->face);
        }
    }
}

static void test_intersections(vo_rt_self_set *set, const row *r) {
    FOR_BITS(k, r->hits) {
        vo_rt_self_intersect(set, r->face, r->begin + (int)k);
        vo_rt_self_intersect(set, r->begin + (int)k, r->face);
    }
}

/* Leaves out faces of cloths that do not move, if that of the row does not either. */
static unsigned drop_fixed(const vo_rt_self_set *set, const row *r) {
    unsigned hits = r->hits;
    if (set->member[set->face[r->face].member].moves) return hits;
    FOR_BITS(k, r->hits) {
        if (!set->member[set->face[r->begin + (int)k].member].moves) hits &= ~(1u << k);
    }
    return hits;
}

static int count_bits(unsigned set) {
    set -= set >> 1 & 0x55;
    set = (set & 0x33) + (set >> 2 & 0x33);
    return (int)((set + (set >> 4)) & 15);
}

/* Tests face a against the faces [begin, end) of a cluster; faces that share a calm vertex with it
 * are left out. */
static void test_row(search *s, int a, int begin, int end) {
    vo_rt_self_set *set = s->set;
    int32_t calm[3];
    for (int k = 0; k < 3; k++) {
        int v = set->face[a].vertex[k];
        calm[k] = set->flags[v] & VO_RT_SELF_CALM ? v : -1;
    }
    unsigned found = s->kernels->find_faces(&set->lanes, a, calm, begin, end);
    row r = {a, begin, found & 255};
    if (found == 0) return;
    r.hits = drop_fixed(set, &r);
    set->counts.face_pairs += count_bits(r.hits);
    set->counts.adjacent_pairs += count_bits(found >> 8);
    test_vertices(s, &r);
    test_edges(s, &r);
    if (s->query->finds_intersections) test_intersections(set, &r);
}

/* --- Clusters --------------------------------------------------------------------------------- */

static int cluster_end(const vo_rt_self_set *set, int cluster) {
    int end = (cluster + 1) * VO_RT_SELF_CLUSTER;
    return end < set->face_count ? end : set->face_count;
}

static void test_clusters(void *user, int a, int b) {
    search *s = user;
    s->set->counts.cluster_pairs++;
    int begin = b * VO_RT_SELF_CLUSTER, end = cluster_end(s->set, b);
    for (int i = a * VO_RT_SELF_CLUSTER; i < cluster_end(s->set, a); i++)
        test_row(s, i, begin, end);
}

/* Pairs of faces inside a cluster. */
static void test_inside(search *s, int cluster) {
    int end = cluster_end(s->set, cluster);
    for (int i = cluster * VO_RT_SELF_CLUSTER; i + 1 < end; i++) test_row(s, i, i + 1, end);
}

bool vo_rt_self_find_pairs(vo_rt_self_set *set, const vo_rt_self_query *query) {
    search s = {.set = set, .query = query, .kernels = vo_rt_self_select_kernels(query->use_avx2)};
    set->pair_count = set->hit_count = 0;
    vo_rt_self_refit(set);
    for (int i = 0; i < set->cluster_count; i++) test_inside(&s, i);
    vo_rt_self_for_pairs(&set->hash, set->cluster_box, set->cluster_count, test_clusters, &s);
    flush(&s, &s.faces, 1);
    flush(&s, &s.edges, 2);
    set->counts.near_pairs += set->pair_count;
    return !s.is_full;
}

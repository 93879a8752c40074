#include "sim/input_mesh_filter.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "mesh/smooth_normal.h"

#include <string.h>

/* Weight of smoothness, and the deviation of the faces, in edge lengths, at which filtering begins
 * and is complete. */
static const double SMOOTHNESS = 0.3, OFF_NONE = 1.0 / 30, OFF_ALL = 0.1;

/* A field over the nodes, with its face integrals. */
typedef struct field {
    vo_vec3 *node;      /* [nodes] sampled, then filtered values */
    vo_vec3 (*load)[3]; /* [faces] integral of phi_i X */
} field;

/* The second difference along the border at a node: its neighbours there; -1: none. */
typedef struct border {
    int node[2];
} border;

typedef struct fit {
    vo_context *ctx;
    const vo_mesh *m;
    vo_simulated_surface surface;
    const unsigned char *held; /* [nodes] nonzero: the node keeps its position; NULL: none */
    int samples;               /* subdivisions of a side of a face */
    double same, mix; /* of hat functions: mean of phi_i^2 - phi_i phi_j, and of phi_i phi_j */
    double *off; /* [faces] edges, largest distance of the face from the surface, curved or flat */
    double (*cot)[3]; /* [faces] half the cotangent opposite of side i, i + 1 */
    double *area;     /* [nodes] m^2 */
    double *weight;   /* [nodes] of the filtered position; 0: the node is not moved */
    double *scale;    /* [nodes] diagonal of the matrix */
    border *border;   /* [nodes] */
    field field[2];   /* places, velocities */
    vo_vec3 *work[5]; /* [nodes] */
} fit;

static int after(int i) { return i == 2 ? 0 : i + 1; }

static int node_of(const fit *f, int face, int corner) {
    return vo_mesh_face_node(f->m, face, corner);
}

/* ---- the surface over a face ----------------------------------------------------------------- */

/* Weights of sample s of n^2: middles of the small triangles of a face. */
static void sample_weights(int n, int s, double w[3]) {
    int row = 0;
    while ((row + 1) * (row + 1) <= s) row++;
    int k = s - row * row, up = k % 2 == 0;
    double i = n - 1 - row, j = k / 2; /* of w[0] and w[1], from the far corner */
    w[0] = (i + (up ? 1.0 : 2.0) / 3) / n;
    w[1] = (j + (up ? 1.0 : 2.0) / 3) / n;
    w[2] = 1 - w[0] - w[1];
}

/* Means over a face of products of hat functions, as the samples have them. */
static void measure_hats(fit *f) {
    int count = f->samples * f->samples;
    double square = 0, product = 0;
    for (int s = 0; s < count; s++) {
        double w[3];
        sample_weights(f->samples, s, w);
        for (int i = 0; i < 3; i++) {
            square += w[i] * w[i] / (3.0 * count);
            product += w[i] * w[after(i)] / (3.0 * count);
        }
    }
    f->same = square - product;
    f->mix = product;
}

/* Adds one sample to the integrals of a face. */
static void add_sample(fit *f, int face, const double w[3], double area) {
    const int *vert = f->m->face_vert[face];
    const vo_mesh *now = f->surface.now;
    vo_vec2 u = {0, 0}, middle = {0, 0};
    vo_vec3 own = v3_zero();
    for (int i = 0; i < 3; i++) {
        u = v2_add(u, v2_scale(w[i], f->m->vert_u[vert[i]]));
        middle = v2_add(middle, v2_scale(1.0 / 3, f->m->vert_u[vert[i]]));
        own = v3_add_scaled(own, w[i], f->field[0].node[node_of(f, face, i)]);
    }
    vo_face_location spot = vo_locate(f->surface.locator, f->m->vert_patch[vert[0]], u, middle);
    vo_vec3 beyond = vo_face_location_extrapolate(now, &spot);
    vo_vec3 flat = v3_add(vo_face_location_point(now, &spot, now->node_x), beyond);
    vo_vec3 x = v3_add(vo_smooth_point(f->surface.smooth, &spot), beyond);
    f->off[face] = vo_max(f->off[face], vo_min(v3_distance(flat, own), v3_distance(x, own)));
    for (int i = 0; i < 3; i++)
        f->field[0].load[face][i] = v3_add_scaled(f->field[0].load[face][i], area * w[i], x);
    if (!f->field[1].node) return;
    vo_vec3 v = vo_face_location_point(now, &spot, now->node_v);
    for (int i = 0; i < 3; i++)
        f->field[1].load[face][i] = v3_add_scaled(f->field[1].load[face][i], area * w[i], v);
}

static void sample_faces(void *arg, int begin, int end, int chunk) {
    fit *f = arg;
    int count = f->samples * f->samples;
    (void)chunk;
    for (int face = begin; face < end; face++) {
        for (int s = 0; s < count; s++) {
            double w[3];
            sample_weights(f->samples, s, w);
            add_sample(f, face, w, vo_mesh_face_area(f->m, face) / count);
        }
        double edge = vo_mesh_face_longest_side(f->m, face);
        f->off[face] = edge > 0 ? f->off[face] / edge : 0;
    }
}

/* Chooses enough samples to hit every face of the surface if both meshes are uniform. */
static int samples_for(const vo_mesh *input, const vo_mesh *now) {
    double finer = sqrt((double)now->face_count / vo_max_int(input->face_count, 1));
    return (int)vo_clamp(ceil(2 * finer), 2, 6);
}

/* ---- the mesh -------------------------------------------------------------------------------- */

static void find_cotangents(fit *f, int face) {
    const int *vert = f->m->face_vert[face];
    double area = 2 * vo_mesh_face_area(f->m, face);
    for (int i = 0; i < 3; i++) {
        vo_vec2 top = f->m->vert_u[vert[after(after(i))]];
        vo_vec2 a = v2_sub(f->m->vert_u[vert[i]], top);
        vo_vec2 b = v2_sub(f->m->vert_u[vert[after(i)]], top);
        f->cot[face][i] = area > 0 ? 0.5 * v2_dot(a, b) / area : 0;
    }
}

static void find_shares(fit *f) {
    for (int face = 0; face < f->m->face_count; face++) {
        find_cotangents(f, face);
        double weight = vo_clamp((f->off[face] - OFF_NONE) / (OFF_ALL - OFF_NONE), 0, 1);
        for (int i = 0; i < 3; i++) {
            int n = node_of(f, face, i);
            f->area[n] += vo_mesh_face_area(f->m, face) / 3;
            f->weight[n] = vo_max(f->weight[n], weight);
        }
    }
}

/* Creases stay sharp: their nodes are not moved, and nothing is smooth across them. */
static void keep_creases(fit *f) {
    for (int e = 0; e < f->m->edge_count; e++)
        for (int end = 0; end < 2 && vo_smooth_is_crease(f->m, e); end++) {
            int n = f->m->edge_node[e][end];
            f->weight[n] = 0;
            f->border[n] = (border){{n, n}};
        }
}

/* Held nodes are not moved. */
static void keep_held(fit *f) {
    for (int n = 0; f->held && n < f->m->node_count; n++)
        if (f->held[n]) f->weight[n] = 0;
}

/* Returns true at a corner: the border of the panel turns by more than 30 degrees. */
static bool is_corner(const fit *f, int node, const int edge[2]) {
    vo_vec2 direction[2];
    int patch[2];
    for (int k = 0; k < 2; k++) {
        int face = f->m->edge_face[edge[k]][0], here = -1, there = -1;
        for (int i = 0; i < 3; i++) {
            int n = node_of(f, face, i), v = f->m->face_vert[face][i];
            if (n == node)
                here = v;
            else if (n == f->m->edge_node[edge[k]][0] || n == f->m->edge_node[edge[k]][1])
                there = v;
        }
        if (here < 0 || there < 0) return true;
        direction[k] = v2_sub(f->m->vert_u[there], f->m->vert_u[here]);
        patch[k] = f->m->vert_patch[here];
    }
    double both = v2_length(direction[0]) * v2_length(direction[1]);
    return patch[0] == patch[1] && v2_dot(direction[0], direction[1]) > -cos(VO_PI / 6) * both;
}

/* Border nodes get their two neighbours along it; ends, corners and crossings none. */
static vo_result find_borders(fit *f) {
    const vo_mesh *m = f->m;
    int(*edge)[2] = vo_alloc_zero(f->ctx, vo_array_bytes((size_t)m->node_count, sizeof *edge));
    int *count = vo_alloc_zero(f->ctx, vo_array_bytes((size_t)m->node_count, sizeof *count));
    bool ok = edge && count;
    for (int e = 0; ok && e < m->edge_count; e++)
        for (int end = 0; end < 2 && m->edge_face[e][1] < 0; end++) {
            int n = m->edge_node[e][end], c = count[n]++;
            if (c < 2) edge[n][c] = e, f->border[n].node[c] = m->edge_node[e][1 - end];
        }
    for (int n = 0; ok && n < m->node_count; n++) {
        bool plain = count[n] == 0;
        if (plain)
            f->border[n] = (border){{-1, -1}};
        else if (count[n] != 2 || is_corner(f, n, edge[n]))
            f->border[n] = (border){{n, n}};
    }
    vo_free_array(f->ctx, edge, m->node_count);
    vo_free_array(f->ctx, count, m->node_count);
    return ok ? VO_OK : vo_fail_memory(f->ctx, "the original mesh");
}

/* ---- the matrix ------------------------------------------------------------------------------ */

static bool on_border(const fit *f, int node) { return f->border[node].node[0] >= 0; }

/* y = L x inside, the second difference along borders, 0 at their corners. */
static void laplacian(const fit *f, const vo_vec3 *x, vo_vec3 *y) {
    memset(y, 0, (size_t)f->m->node_count * sizeof *y);
    for (int face = 0; face < f->m->face_count; face++)
        for (int i = 0; i < 3; i++) {
            int a = node_of(f, face, i), b = node_of(f, face, after(i));
            vo_vec3 d = v3_scale(f->cot[face][i], v3_sub(x[a], x[b]));
            if (!on_border(f, a)) y[a] = v3_add(y[a], d);
            if (!on_border(f, b)) y[b] = v3_sub(y[b], d);
        }
    for (int n = 0; n < f->m->node_count; n++)
        if (on_border(f, n)) {
            const int *k = f->border[n].node;
            y[n] = v3_sub(v3_scale(2, x[n]), v3_add(x[k[0]], x[k[1]]));
        }
}

/* y += L^T x. */
static void add_transposed(const fit *f, const vo_vec3 *x, vo_vec3 *y) {
    for (int face = 0; face < f->m->face_count; face++)
        for (int i = 0; i < 3; i++) {
            int a = node_of(f, face, i), b = node_of(f, face, after(i));
            vo_vec3 d = v3_zero();
            if (!on_border(f, a)) d = v3_add(d, x[a]);
            if (!on_border(f, b)) d = v3_sub(d, x[b]);
            d = v3_scale(f->cot[face][i], d);
            y[a] = v3_add(y[a], d);
            y[b] = v3_sub(y[b], d);
        }
    for (int n = 0; n < f->m->node_count; n++)
        if (on_border(f, n)) {
            const int *k = f->border[n].node;
            y[n] = v3_add_scaled(y[n], 2, x[n]);
            for (int i = 0; i < 2; i++) y[k[i]] = v3_sub(y[k[i]], x[n]);
        }
}

/* y = (M + k L^T A L) x, where M is the mass matrix of the samples. */
static void multiply(const fit *f, const vo_vec3 *x, vo_vec3 *y) {
    vo_vec3 *bent = f->work[4];
    laplacian(f, x, bent);
    for (int n = 0; n < f->m->node_count; n++) {
        bent[n] = v3_scale(SMOOTHNESS * f->area[n], bent[n]);
        y[n] = v3_zero();
    }
    add_transposed(f, bent, y);
    for (int face = 0; face < f->m->face_count; face++) {
        double area = vo_mesh_face_area(f->m, face);
        vo_vec3 sum = v3_zero();
        for (int i = 0; i < 3; i++) sum = v3_add(sum, x[node_of(f, face, i)]);
        for (int i = 0; i < 3; i++) {
            vo_vec3 own = v3_add_scaled(v3_scale(f->mix, sum), f->same, x[node_of(f, face, i)]);
            y[node_of(f, face, i)] = v3_add_scaled(y[node_of(f, face, i)], area, own);
        }
    }
}

/* Approximate diagonal: that of M, plus the squared diagonal of L. */
static void find_scale(fit *f) {
    for (int face = 0; face < f->m->face_count; face++)
        for (int i = 0; i < 3; i++) {
            f->scale[node_of(f, face, i)] += f->cot[face][i];
            f->scale[node_of(f, face, after(i))] += f->cot[face][i];
        }
    for (int n = 0; n < f->m->node_count; n++) {
        double own = on_border(f, n) ? 2 : f->scale[n];
        f->scale[n] = f->area[n] * (3 * (f->same + f->mix) + 1.5 * SMOOTHNESS * own * own);
    }
}

/* ---- solving --------------------------------------------------------------------------------- */

static double dot(const fit *f, const vo_vec3 *a, const vo_vec3 *b) {
    double sum = 0;
    for (int n = 0; n < f->m->node_count; n++) sum += v3_dot(a[n], b[n]);
    return sum;
}

/* Residual at the nodes that may move. */
static void find_residual(const fit *f, const field *own, const vo_vec3 *x, vo_vec3 *r) {
    multiply(f, x, r);
    for (int n = 0; n < f->m->node_count; n++) r[n] = v3_scale(-1, r[n]);
    for (int face = 0; face < f->m->face_count; face++)
        for (int i = 0; i < 3; i++)
            r[node_of(f, face, i)] = v3_add(r[node_of(f, face, i)], own->load[face][i]);
    for (int n = 0; n < f->m->node_count; n++)
        if (!(f->weight[n] > 0)) r[n] = v3_zero();
}

static void precondition(const fit *f, const vo_vec3 *r, vo_vec3 *z) {
    for (int n = 0; n < f->m->node_count; n++)
        z[n] = f->scale[n] > 0 ? v3_scale(1 / f->scale[n], r[n]) : v3_zero();
}

/* Conjugate gradients over the nodes that may move, starting at the sampled values. */
static void solve_field(fit *f, const field *own, vo_vec3 *x) {
    enum { MOST = 200 };
    vo_vec3 *r = f->work[1], *d = f->work[2], *z = f->work[3];
    find_residual(f, own, x, r);
    precondition(f, r, d);
    double rz = dot(f, r, d), enough = 1e-14 * rz;
    for (int step = 0; step < MOST && rz > enough; step++) {
        multiply(f, d, z);
        double dz = 0;
        for (int n = 0; n < f->m->node_count; n++) {
            if (!(f->weight[n] > 0)) z[n] = v3_zero();
            dz += v3_dot(d[n], z[n]);
        }
        if (!(dz > 0)) return;
        double along = rz / dz, before = rz;
        for (int n = 0; n < f->m->node_count; n++) {
            x[n] = v3_add_scaled(x[n], along, d[n]);
            r[n] = v3_add_scaled(r[n], -along, z[n]);
        }
        precondition(f, r, z);
        rz = dot(f, r, z);
        for (int n = 0; n < f->m->node_count; n++) d[n] = v3_add_scaled(z[n], rz / before, d[n]);
    }
}

static void fit_field(fit *f, field *own) {
    vo_vec3 *x = f->work[0];
    memcpy(x, own->node, (size_t)f->m->node_count * sizeof *x);
    solve_field(f, own, x);
    for (int n = 0; n < f->m->node_count; n++)
        if (f->weight[n] > 0 && v3_is_finite(x[n]))
            own->node[n] = v3_lerp(own->node[n], x[n], f->weight[n]);
}

/* ---- entry point ----------------------------------------------------------------------------- */

static vo_result allocate(fit *f) {
    size_t nodes = (size_t)f->m->node_count, faces = (size_t)f->m->face_count;
    vo_context *ctx = f->ctx;
    f->off = vo_alloc_zero(ctx, vo_array_bytes(faces, sizeof *f->off));
    f->cot = vo_alloc_zero(ctx, vo_array_bytes(faces, sizeof *f->cot));
    f->area = vo_alloc_zero(ctx, vo_array_bytes(nodes, sizeof *f->area));
    f->weight = vo_alloc_zero(ctx, vo_array_bytes(nodes, sizeof *f->weight));
    f->scale = vo_alloc_zero(ctx, vo_array_bytes(nodes, sizeof *f->scale));
    f->border = vo_alloc_zero(ctx, vo_array_bytes(nodes, sizeof *f->border));
    bool ok = f->off && f->cot && f->area && f->weight && f->scale && f->border;
    for (int i = 0; i < 2; i++) {
        field *own = &f->field[i];
        if (own->node) own->load = vo_alloc_zero(ctx, vo_array_bytes(faces, sizeof *own->load));
        ok = ok && (!own->node || own->load);
    }
    for (int i = 0; i < 5; i++) {
        f->work[i] = vo_new_array(ctx, vo_vec3, nodes);
        ok = ok && f->work[i];
    }
    return ok ? VO_OK : vo_fail_memory(ctx, "the original mesh");
}

static void release(fit *f) {
    size_t nodes = (size_t)f->m->node_count, faces = (size_t)f->m->face_count;
    vo_context *ctx = f->ctx;
    vo_free_array(ctx, f->off, faces);
    vo_free_array(ctx, f->cot, faces);
    vo_free_array(ctx, f->area, nodes);
    vo_free_array(ctx, f->weight, nodes);
    vo_free_array(ctx, f->scale, nodes);
    vo_free_array(ctx, f->border, nodes);
    for (int i = 0; i < 2; i++) vo_free_array(ctx, f->field[i].load, faces);
    for (int i = 0; i < 5; i++) vo_free_array(ctx, f->work[i], nodes);
}

static vo_result fit_fields(fit *f) {
    enum { GRAIN = 64 };
    bool any = false;
    VO_TRY(allocate(f));
    measure_hats(f);
    vo_parallel_for(f->ctx, f->m->face_count, GRAIN, sample_faces, f);
    find_shares(f);
    VO_TRY(find_borders(f));
    keep_creases(f);
    keep_held(f);
    for (int n = 0; n < f->m->node_count; n++) any = any || f->weight[n] > 0;
    if (!any) return VO_OK;
    find_scale(f);
    for (int i = 0; i < 2; i++)
        if (f->field[i].node) fit_field(f, &f->field[i]);
    return VO_OK;
}

vo_result vo_input_mesh_filter(vo_context *ctx, const vo_mesh *input,
                               const vo_simulated_surface *surface, const unsigned char *held,
                               vo_vec3 *x, vo_vec3 *v) {
    fit f = {.ctx = ctx,
             .m = input,
             .surface = *surface,
             .held = held,
             .samples = samples_for(input, surface->now),
             .field = {{.node = x}, {.node = v}}};
    vo_result result = fit_fields(&f);
    release(&f);
    return result;
}

/* Operators of a detail mesh in the memory of a device. */
#include "opencl/opencl_private.h"
#include "rt/detail/operator.h"

#include <string.h>

/* Buffers of the device: X(name, array of vo_rt_asset_detail, elements). */
#define CONSTANT_BUFFERS(X)                                 \
    X(base_first, d->base_first, (size_t)d->node_count + 1) \
    X(base_column, d->base_column, d->base_count)           \
    X(base_weight, d->base_weight, d->base_count)           \
    X(number, d->number, d->number_count)                   \
    X(half_number, d->half, d->half_count)                  \
    X(index, d->index, d->index_count)                      \
    X(column, d->column, d->column_count)

struct vo_opencl_detail {
    vo_opencl *cl;
    const vo_rt_asset *asset;
    int frames, rank; /* largest rank */
    vo_rt_vec3 origin;
#define MEMBER(name, array, count) cl_mem name;
    CONSTANT_BUFFERS(MEMBER)
#undef MEMBER
    cl_mem input, product, out;
    size_t host_bytes;
    vo_rt_vec4 *host; /* larger one of the input and the result */
};

/* At least one element, since OpenCL has no empty buffers. */
static cl_mem create_buffer(const vo_opencl *cl, cl_mem_flags flags, const void *data, size_t bytes,
                            cl_int *error) {
    if (*error != CL_SUCCESS) return NULL;
    if (bytes == 0) return clCreateBuffer(cl->context, flags, 16, NULL, error);
    if (data) flags |= CL_MEM_COPY_HOST_PTR;
    return clCreateBuffer(cl->context, flags, bytes, (void *)(uintptr_t)data, error);
}

static cl_int create_buffers(vo_opencl_detail *o) {
    const vo_rt_asset_detail *d = &o->asset->detail;
    cl_int error = CL_SUCCESS;
#define CREATE(name, array, count) \
    o->name = create_buffer(o->cl, CL_MEM_READ_ONLY, array, (count) * sizeof *(array), &error);
    CONSTANT_BUFFERS(CREATE)
#undef CREATE
    size_t states = (size_t)o->asset->vertex_count * (size_t)o->frames;
    o->input = create_buffer(o->cl, CL_MEM_READ_ONLY, NULL, states * sizeof *o->host, &error);
    o->product =
        create_buffer(o->cl, CL_MEM_READ_WRITE, NULL, (size_t)o->rank * sizeof *o->host, &error);
    o->out = create_buffer(o->cl, CL_MEM_READ_WRITE, NULL, (size_t)d->node_count * sizeof *o->host,
                           &error);
    return error;
}

static void measure_operators(vo_opencl_detail *o) {
    const vo_rt_asset_detail *d = &o->asset->detail;
    for (int k = 0; k < d->operator_count; k++) {
        if (1 + d->operators[k].history > o->frames) o->frames = 1 + d->operators[k].history;
        if (d->operators[k].rank > o->rank) o->rank = d->operators[k].rank;
    }
    size_t states = (size_t)o->asset->vertex_count * (size_t)o->frames;
    size_t nodes = (size_t)d->node_count;
    o->host_bytes = (states > nodes ? states : nodes) * sizeof *o->host;
}

vo_result vo_opencl_detail_create(vo_opencl *cl, const vo_rt_asset *asset, vo_opencl_detail **out,
                                  vo_rt_message *message) {
    const vo_allocator *a = &cl->allocator;
    *out = NULL;
    if (asset->detail.node_count == 0)
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "the asset has no detail mesh; add one with vo_rt_asset_add_detail");
    vo_opencl_detail *o = a->allocate(a->user, sizeof *o, 64);
    if (!o) return vo_rt_fail(message, VO_NO_MEMORY, "out of memory for the detail mesh");
    *o = (vo_opencl_detail){.cl = cl, .asset = asset, .frames = 1};
    measure_operators(o);
    o->host = a->allocate(a->user, o->host_bytes, 64);
    cl_int error = o->host ? create_buffers(o) : CL_OUT_OF_HOST_MEMORY;
    if (error != CL_SUCCESS) {
        vo_opencl_detail_destroy(o);
        return vo_opencl_fail(message, "clCreateBuffer", error);
    }
    *out = o;
    return VO_OK;
}

void vo_opencl_detail_destroy(vo_opencl_detail *o) {
    if (!o) return;
    const vo_allocator *a = &o->cl->allocator;
#define RELEASE(name, array, count) \
    if (o->name) clReleaseMemObject(o->name);
    CONSTANT_BUFFERS(RELEASE)
#undef RELEASE
    if (o->input) clReleaseMemObject(o->input);
    if (o->product) clReleaseMemObject(o->product);
    if (o->out) clReleaseMemObject(o->out);
    if (o->host) a->release(a->user, o->host, o->host_bytes);
    a->release(a->user, o, sizeof *o);
}

int vo_opencl_detail_count_frames(const vo_opencl_detail *detail) { return detail->frames; }

/* --- Evaluation ------------------------------------------------------------------------------- */

/* An argument of a kernel. */
typedef struct argument {
    size_t bytes;
    const void *value;
} argument;
#define ARGUMENT(x) ((argument){sizeof(x), &(x)})

/* Queues a kernel with one work item per row. */
static cl_int run(const vo_opencl *cl, cl_kernel kernel, int rows, const argument *arguments,
                  int count) {
    size_t items = (size_t)rows;
    cl_int error = CL_SUCCESS;
    for (int i = 0; i < count && error == CL_SUCCESS; i++)
        error = clSetKernelArg(kernel, (cl_uint)i, arguments[i].bytes, arguments[i].value);
    if (error != CL_SUCCESS) return error;
    return clEnqueueNDRangeKernel(cl->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}
#define RUN(cl, kernel, rows, arguments) \
    run(cl, (cl)->kernel, rows, arguments, (int)(sizeof(arguments) / sizeof *(arguments)))

static cl_int run_base(vo_opencl_detail *o) {
    int rows = o->asset->detail.node_count;
    const argument list[] = {ARGUMENT(rows),           ARGUMENT(o->base_first),
                             ARGUMENT(o->base_column), ARGUMENT(o->base_weight),
                             ARGUMENT(o->input),       ARGUMENT(o->out)};
    return RUN(o->cl, apply_base, rows, list);
}

static cl_int run_dense(vo_opencl_detail *o, int rows, int columns, uint32_t at, float scale,
                        float keep, cl_mem out) {
    const argument list[] = {ARGUMENT(rows),     ARGUMENT(columns), ARGUMENT(o->number),
                             ARGUMENT(at),       ARGUMENT(scale),   ARGUMENT(keep),
                             ARGUMENT(o->input), ARGUMENT(out)};
    return RUN(o->cl, add_dense, rows, list);
}

static cl_int run_low_rank(vo_opencl_detail *o, const vo_rt_operator_record *r, int columns,
                           float scale) {
    int rows = o->asset->detail.node_count;
    cl_int error = run_dense(o, r->rank, columns, r->numbers, scale, 0, o->product);
    const argument list[] = {ARGUMENT(rows),      ARGUMENT(r->rank),    ARGUMENT(o->half_number),
                             ARGUMENT(r->halves), ARGUMENT(o->product), ARGUMENT(o->out)};
    return error == CL_SUCCESS ? RUN(o->cl, add_half, rows, list) : error;
}

static cl_int run_sparse(vo_opencl_detail *o, const vo_rt_operator_record *r, float scale) {
    int rows = o->asset->detail.node_count;
    const argument list[] = {ARGUMENT(rows),       ARGUMENT(o->index),   ARGUMENT(r->indices),
                             ARGUMENT(o->column),  ARGUMENT(r->columns), ARGUMENT(o->number),
                             ARGUMENT(r->numbers), ARGUMENT(scale),      ARGUMENT(o->input),
                             ARGUMENT(o->out)};
    return RUN(o->cl, add_sparse, rows, list);
}

static cl_int run_operator(vo_opencl_detail *o, int index, float weight) {
    const vo_rt_operator_record *r = &o->asset->detail.operators[index];
    int columns = o->asset->vertex_count * (1 + r->history);
    if (r->form == VO_RT_OPERATOR_DENSE)
        return run_dense(o, o->asset->detail.node_count, columns, r->numbers, weight, 1, o->out);
    if (r->form == VO_RT_OPERATOR_LOW_RANK) return run_low_rank(o, r, columns, weight);
    return run_sparse(o, r, weight);
}

/* Writes the base vertices relative to their mean, as on the CPU. */
static cl_int write_input(vo_opencl_detail *o, const vo_rt_vec3 *base) {
    int vertices = o->asset->vertex_count, states = vertices * o->frames;
    vo_rt_vec3 sum = f3(0, 0, 0);
    for (int i = 0; i < vertices; i++) sum = f3_add(sum, f3_sub(base[i], base[0]));
    o->origin = f3_add_scaled(base[0], 1 / (float)vertices, sum);
    for (int i = 0; i < states; i++) o->host[i] = f4_make(f3_sub(base[i], o->origin), 0);
    return clEnqueueWriteBuffer(o->cl->queue, o->input, CL_TRUE, 0,
                                (size_t)states * sizeof *o->host, o->host, 0, NULL, NULL);
}

static cl_int read_output(vo_opencl_detail *o, vo_rt_vec3 *positions) {
    const vo_rt_asset_detail *d = &o->asset->detail;
    cl_int error =
        clEnqueueReadBuffer(o->cl->queue, o->out, CL_TRUE, 0,
                            (size_t)d->node_count * sizeof *o->host, o->host, 0, NULL, NULL);
    for (int i = 0; i < d->vertex_count && error == CL_SUCCESS; i++)
        positions[i] = f3_add(f4_xyz(o->host[d->node[i]]), o->origin);
    return error;
}

vo_result vo_opencl_detail_evaluate(vo_opencl_detail *o, const vo_rt_vec3 *base,
                                    const float *weights, vo_rt_vec3 *positions,
                                    vo_rt_message *message) {
    const vo_rt_asset_detail *d = &o->asset->detail;
    cl_int error = write_input(o, base);
    if (error == CL_SUCCESS) error = run_base(o);
    for (int k = 0; k < d->operator_count && error == CL_SUCCESS; k++)
        if (weights[k] >= VO_RT_MIN_OPERATOR_WEIGHT) error = run_operator(o, k, weights[k]);
    if (error == CL_SUCCESS) error = clFlush(o->cl->queue);
    if (error == CL_SUCCESS && positions) error = read_output(o, positions);
    return error == CL_SUCCESS ? VO_OK
                               : vo_opencl_fail(message, "evaluation of the operators", error);
}

void *vo_opencl_detail_get_buffer(const vo_opencl_detail *detail, vo_rt_vec3 *origin) {
    *origin = detail->origin;
    return detail->out;
}

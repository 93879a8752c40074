/* Operators by OpenCL against those of libvoile-rt. Skipped without a device. */
#include "rt_detail_fixture.h"

#include <stdio.h>

#ifdef VO_HAVE_OPENCL
#include "math/simd_float.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <voile/opencl.h>

enum { NODES = RT_FINE_NODES, VERTICES = RT_GRID_VERTICES };

static vo_opencl *open_first(void) {
    vo_opencl_def def = vo_opencl_def_default();
    def.allocator = rt_allocator(NULL);
    vo_opencl *cl;
    vo_rt_message message = {{0}};
    if (vo_opencl_create(&def, &cl, &message) != VO_OK) fail_msg("%s", message.text);
    return cl;
}

static vo_rt_asset *make_asset(rt_detail **detail) {
    vo_random random = vo_random_seed(51);
    vo_rt_asset *asset = rt_sheet(1, false, RT_PIN_EDGE, 0);
    rt_detail *d = *detail = rt_detail_create(asset);
    rt_detail_add(d, &random, VO_RT_OPERATOR_DENSE, 2, 0, 0.1);
    rt_detail_add(d, &random, VO_RT_OPERATOR_LOW_RANK, 0, 37, 0.05);
    rt_detail_add(d, &random, VO_RT_OPERATOR_SPARSE, 1, 11, 0.1);
    return rt_detail_finish(asset, d);
}

/* Result of the kernels of libvoile-rt. */
static void evaluate(const vo_rt_asset *asset, const float *weight, const vo_rt_vec3 *base,
                     int frames, vo_rt_vec4 *out) {
    static vo_rt_vec4 input[VERTICES * 5], scaled[VERTICES * 5], product[256];
    for (int i = 0; i < VERTICES * frames; i++) input[i] = f4_make(base[i], 0);
    vo_rt_upsample_evaluate(vo_rt_operator_select_kernels(vo_simd_has_avx2()), asset, weight, input,
                            (vo_rt_upsample_scratch){product, scaled}, out);
}

static void results_equal_those_of_the_processor(void **state) {
    (void)state;
    static vo_rt_vec4 expected[NODES + VO_RT_STRIP];
    static vo_rt_vec3 base[3 * VERTICES], x[NODES];
    const float weights[][3] = {{1, 0, 0},          {0, 1, 0}, {0, 0, 1},
                                {0.5f, 0.2f, 0.3f}, {0, 0, 0}, {0.9f, 5e-4f, 0.1f}};
    rt_detail *d;
    vo_rt_asset *asset = make_asset(&d);
    vo_opencl *cl = open_first();
    vo_opencl_detail *detail;
    vo_rt_message message = {{0}};
    vo_random random = vo_random_seed(52);
    assert_int_equal(vo_opencl_detail_create(cl, asset, &detail, &message), VO_OK);
    assert_int_equal(vo_opencl_detail_count_frames(detail), 3);
    for (int run = 0; run < 5; run++) {
        for (int i = 0; i < 3 * VERTICES; i++)
            base[i] =
                f3((float)vo_random_real(&random, -1, 1), (float)vo_random_real(&random, -1, 1),
                   (float)vo_random_real(&random, -1, 1));
        evaluate(asset, weights[run], base, 3, expected);
        assert_int_equal(vo_opencl_detail_evaluate(detail, base, weights[run], x, &message), VO_OK);
        for (int i = 0; i < NODES; i++) assert_true(f3_distance(x[i], f4_xyz(expected[i])) < 3e-5f);
    }
    vo_opencl_detail_destroy(detail);
    vo_opencl_destroy(cl);
    vo_rt_asset_destroy(asset);
    rt_detail_free(d);
}

/* A context and a queue of the host; the result stays on the device. */
static void context_of_the_host_is_shared(void **state) {
    (void)state;
    static vo_rt_vec3 base[3 * VERTICES], x[NODES];
    static vo_rt_vec4 nodes[NODES];
    const float weights[3] = {0.2f, 0.3f, 0.5f};
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    assert_int_equal(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    assert_int_equal(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), CL_SUCCESS);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    assert_int_equal(error, CL_SUCCESS);
    rt_detail *d;
    vo_rt_asset *asset = make_asset(&d);
    vo_opencl_def def = vo_opencl_def_default();
    def.allocator = rt_allocator(NULL);
    def.context = context;
    def.queue = queue;
    vo_opencl *cl;
    vo_opencl_detail *detail;
    vo_rt_vec3 origin;
    assert_int_equal(vo_opencl_create(&def, &cl, NULL), VO_OK);
    assert_int_equal(vo_opencl_detail_create(cl, asset, &detail, NULL), VO_OK);
    for (int i = 0; i < 3 * VERTICES; i++) base[i] = f3((float)(i % 9), (float)(i % 7), 5);
    assert_int_equal(vo_opencl_detail_evaluate(detail, base, weights, x, NULL), VO_OK);
    assert_int_equal(vo_opencl_detail_evaluate(detail, base, weights, NULL, NULL), VO_OK);
    cl_mem buffer = vo_opencl_detail_get_buffer(detail, &origin);
    assert_int_equal(
        clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof nodes, nodes, 0, NULL, NULL),
        CL_SUCCESS);
    for (int i = 0; i < NODES; i++)
        assert_true(f3_distance(f3_add(f4_xyz(nodes[i]), origin), x[i]) < 1e-5f);
    vo_opencl_detail_destroy(detail);
    vo_opencl_destroy(cl);
    assert_int_equal(clReleaseCommandQueue(queue), CL_SUCCESS); /* still alive */
    assert_int_equal(clReleaseContext(context), CL_SUCCESS);
    vo_rt_asset_destroy(asset);
    rt_detail_free(d);
}

static void errors_are_reported(void **state) {
    (void)state;
    vo_opencl_def def = vo_opencl_def_default();
    vo_opencl *cl;
    vo_opencl_detail *detail;
    vo_rt_message message = {{0}};
    assert_int_equal(vo_opencl_create(&def, &cl, &message), VO_BAD_ARGUMENT);
    def.allocator = rt_allocator(NULL);
    def.device = vo_opencl_count_devices();
    assert_int_equal(vo_opencl_create(&def, &cl, &message), VO_BAD_ARGUMENT);
    assert_non_null(strstr(message.text, "OpenCL devices were found"));
    def.queue = &def;
    assert_int_equal(vo_opencl_create(&def, &cl, &message), VO_BAD_ARGUMENT);
    assert_null(cl);
    cl = open_first();
    assert_true(vo_opencl_get_device_name(cl)[0] != 0);
    vo_rt_asset *asset = rt_sheet(1, false, RT_FREE, 0);
    assert_int_equal(vo_opencl_detail_create(cl, asset, &detail, &message), VO_BAD_ARGUMENT);
    assert_non_null(strstr(message.text, "no detail mesh"));
    vo_rt_asset_destroy(asset);
    vo_opencl_destroy(cl);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_equal_those_of_the_processor),
        cmocka_unit_test(context_of_the_host_is_shared),
        cmocka_unit_test(errors_are_reported),
    };
    if (vo_opencl_count_devices() == 0) {
        printf("skipped: there is no OpenCL device; install pocl-opencl-icd\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
    printf("skipped: this build has no OpenCL\n");
    return 0;
}
#endif

/* Devices and compiled kernels. */
#include "opencl/kernels.h"
#include "opencl/opencl_private.h"

#include <string.h>

enum { MAX_PLATFORMS = 16, MAX_DEVICES = 64 };

vo_result vo_opencl_fail(vo_rt_message *message, const char *call, cl_int error) {
    bool is_memory = error == CL_OUT_OF_HOST_MEMORY || error == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
                     error == CL_OUT_OF_RESOURCES || error == CL_INVALID_BUFFER_SIZE;
    return vo_rt_fail(message, is_memory ? VO_NO_MEMORY : VO_IO_FAILED,
                      "%s failed with OpenCL error %d; %s", call, (int)error,
                      is_memory ? "free memory of the device" : "update the driver of the device");
}

vo_opencl_def vo_opencl_def_default(void) { return (vo_opencl_def){.device = 0}; }

/* Lists the devices of all platforms; returns their number. */
static int list_devices(cl_device_id device[MAX_DEVICES]) {
    cl_platform_id platform[MAX_PLATFORMS];
    cl_uint platforms = 0, count = 0;
    int total = 0;
    if (clGetPlatformIDs(MAX_PLATFORMS, platform, &platforms) != CL_SUCCESS) return 0;
    for (cl_uint i = 0; i < platforms && i < MAX_PLATFORMS && total < MAX_DEVICES; i++) {
        cl_uint room = (cl_uint)(MAX_DEVICES - total);
        if (clGetDeviceIDs(platform[i], CL_DEVICE_TYPE_ALL, room, device + total, &count) !=
            CL_SUCCESS)
            continue;
        total += (int)(count < room ? count : room);
    }
    return total;
}

int vo_opencl_count_devices(void) {
    cl_device_id device[MAX_DEVICES];
    return list_devices(device);
}

/* --- Creation ------------------------------------------------------------------------------- */

/* Uses the context and the queue of the host. */
static vo_result share_context(vo_opencl *cl, const vo_opencl_def *def, vo_rt_message *message) {
    cl->context = def->context;
    cl->queue = def->queue;
    cl_int error = clRetainContext(cl->context);
    if (error != CL_SUCCESS) {
        cl->context = NULL;
        cl->queue = NULL;
        return vo_opencl_fail(message, "clRetainContext", error);
    }
    error = clRetainCommandQueue(cl->queue);
    if (error != CL_SUCCESS) {
        cl->queue = NULL;
        return vo_opencl_fail(message, "clRetainCommandQueue", error);
    }
    error = clGetCommandQueueInfo(cl->queue, CL_QUEUE_DEVICE, sizeof cl->device, &cl->device, NULL);
    return error == CL_SUCCESS ? VO_OK : vo_opencl_fail(message, "clGetCommandQueueInfo", error);
}

static vo_result open_device(vo_opencl *cl, int index, vo_rt_message *message) {
    cl_device_id device[MAX_DEVICES];
    cl_int error;
    int count = list_devices(device);
    if (index < 0 || index >= count)
        return vo_rt_fail(message, VO_BAD_ARGUMENT,
                          "device is %d, but %d OpenCL devices were found; install a driver or use "
                          "another index",
                          index, count);
    cl->device = device[index];
    cl->context = clCreateContext(NULL, 1, &cl->device, NULL, NULL, &error);
    if (error != CL_SUCCESS) return vo_opencl_fail(message, "clCreateContext", error);
    cl->queue = clCreateCommandQueue(cl->context, cl->device, 0, &error);
    return error == CL_SUCCESS ? VO_OK : vo_opencl_fail(message, "clCreateCommandQueue", error);
}

static vo_result create_kernels(vo_opencl *cl, vo_rt_message *message) {
    const char *source = vo_opencl_source;
    cl_int error;
    cl->program = clCreateProgramWithSource(cl->context, 1, &source, NULL, &error);
    if (error != CL_SUCCESS) return vo_opencl_fail(message, "clCreateProgramWithSource", error);
    error = clBuildProgram(cl->program, 1, &cl->device, "-cl-std=CL1.2", NULL, NULL);
    if (error != CL_SUCCESS) return vo_opencl_fail(message, "clBuildProgram", error);
#define CREATE(kernel)                                         \
    cl->kernel = clCreateKernel(cl->program, #kernel, &error); \
    if (error != CL_SUCCESS) return vo_opencl_fail(message, "clCreateKernel", error);
    VO_OPENCL_KERNELS(CREATE)
#undef CREATE
    return VO_OK;
}

vo_result vo_opencl_create(const vo_opencl_def *def, vo_opencl **out, vo_rt_message *message) {
    if (!out) return vo_rt_fail(message, VO_BAD_ARGUMENT, "out is NULL; set it to a pointer");
    *out = NULL;
    if (!def || !def->allocator.allocate || !def->allocator.release || !def->context != !def->queue)
        return vo_rt_fail(message, VO_BAD_ARGUMENT, "%s",
                          !def                           ? "def is NULL; set it"
                          : !def->context != !def->queue ? "set both context and queue, or neither"
                                                         : "allocator is incomplete; set it");
    const vo_allocator *a = &def->allocator;
    vo_opencl *cl = a->allocate(a->user, sizeof *cl, 64);
    if (!cl) return vo_rt_fail(message, VO_NO_MEMORY, "out of memory for the device");
    *cl = (vo_opencl){.allocator = *a};
    vo_result result =
        def->context ? share_context(cl, def, message) : open_device(cl, def->device, message);
    if (result == VO_OK) result = create_kernels(cl, message);
    if (result != VO_OK) {
        vo_opencl_destroy(cl);
        return result;
    }
    if (clGetDeviceInfo(cl->device, CL_DEVICE_NAME, sizeof cl->name, cl->name, NULL) != CL_SUCCESS)
        memcpy(cl->name, "unknown", sizeof "unknown");
    *out = cl;
    return VO_OK;
}

void vo_opencl_destroy(vo_opencl *cl) {
    if (!cl) return;
    vo_allocator a = cl->allocator;
#define RELEASE(kernel) \
    if (cl->kernel) clReleaseKernel(cl->kernel);
    VO_OPENCL_KERNELS(RELEASE)
#undef RELEASE
    if (cl->program) clReleaseProgram(cl->program);
    if (cl->queue) clReleaseCommandQueue(cl->queue);
    if (cl->context) clReleaseContext(cl->context);
    a.release(a.user, cl, sizeof *cl);
}

const char *vo_opencl_get_device_name(const vo_opencl *cl) { return cl->name; }

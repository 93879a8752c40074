/* Objects of the OpenCL module. */
#ifndef VO_OPENCL_OPENCL_PRIVATE_H
#define VO_OPENCL_OPENCL_PRIVATE_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "rt/asset/asset.h"
#include "rt/base/text.h"

#include <voile/opencl.h>

/* Kernels: X(name). */
#define VO_OPENCL_KERNELS(X) X(apply_base) X(add_sparse) X(add_dense) X(add_half)

struct vo_opencl {
    vo_allocator allocator;
    cl_context context;
    cl_command_queue queue;
    cl_device_id device;
    cl_program program;
#define VO_OPENCL_KERNEL(name) cl_kernel name;
    VO_OPENCL_KERNELS(VO_OPENCL_KERNEL)
#undef VO_OPENCL_KERNEL
    char name[128]; /* of the device */
};

/* Message about a failed OpenCL call; returns its result. */
vo_result vo_opencl_fail(vo_rt_message *message, const char *call, cl_int error);

#endif

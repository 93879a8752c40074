/* Learned upsampling by OpenCL: evaluates the operators of a detail mesh (voile/rt.h) on a device.
 * An optional library of its own, libvoile-opencl (CMake option VOILE_OPENCL); link it with
 * libvoile-rt and OpenCL 1.2 or later.
 *
 * The result is B p + sum of w_k D_k p as in vo_rt_detail_def, equal to that of libvoile-rt within
 * rounding. Oscillatory modes, the blend to the animated pose and the push out of bodies belong to
 * libvoile-rt. Objects are used by one thread at a time. Units are metres. The library does not
 * print; functions that can fail return vo_result and set the message. */
#ifndef VOILE_OPENCL_H
#define VOILE_OPENCL_H

#include <voile/rt.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vo_opencl vo_opencl;               /* a device with its compiled kernels */
typedef struct vo_opencl_detail vo_opencl_detail; /* operators of an asset in its memory */

typedef struct vo_opencl_def {
    vo_allocator allocator; /* required; drivers allocate by themselves */
    int device;             /* index among the devices of all platforms; default 0 */
    /* A cl_context and a cl_command_queue of the host, of one device, in place of `device`; both or
     * neither. They are retained until vo_opencl_destroy. */
    void *context, *queue;
} vo_opencl_def;

VO_API vo_opencl_def vo_opencl_def_default(void);

/* Devices of all platforms; 0 if no driver is installed. */
VO_API int vo_opencl_count_devices(void);

/* Opens a device and compiles the kernels, which takes up to some seconds if the driver has not
 * stored them. VO_BAD_ARGUMENT: there is no such device. `message` may be NULL. */
VO_API vo_result vo_opencl_create(const vo_opencl_def *def, vo_opencl **out,
                                  vo_rt_message *message);
/* Its details must be destroyed first. NULL is allowed. */
VO_API void vo_opencl_destroy(vo_opencl *cl);
/* Name of the device; owned by the object. */
VO_API const char *vo_opencl_get_device_name(const vo_opencl *cl);

/* Copies the operators of an asset with a detail mesh to the device. The asset must outlive the
 * detail. */
VO_API vo_result vo_opencl_detail_create(vo_opencl *cl, const vo_rt_asset *asset,
                                         vo_opencl_detail **out, vo_rt_message *message);
VO_API void vo_opencl_detail_destroy(vo_opencl_detail *detail);

/* Frames of base vertices that the operators read: 1 + the largest history. */
VO_API int vo_opencl_detail_count_frames(const vo_opencl_detail *detail);

/* Computes the output vertices. `base` [frames][vertex_count] m: positions of the base vertices,
 * those of the current frame first, earlier ones behind. `weights` [operator_count]. `positions`
 * [detail_vertex_count] m receives the result, NULL: it stays on the device. Waits for the result
 * only if it is copied. */
VO_API vo_result vo_opencl_detail_evaluate(vo_opencl_detail *detail, const vo_rt_vec3 *base,
                                           const float *weights, vo_rt_vec3 *positions,
                                           vo_rt_message *message);
/* The cl_mem of the result: 4 floats per node, relative to the mean of the current base vertices,
 * which is written to *origin. Valid until the next evaluation. */
VO_API void *vo_opencl_detail_get_buffer(const vo_opencl_detail *detail, vo_rt_vec3 *origin);

#ifdef __cplusplus
}
#endif

#endif

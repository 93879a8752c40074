/* Source of the OpenCL kernels. */
#ifndef VO_OPENCL_KERNELS_H
#define VO_OPENCL_KERNELS_H

/* One work item per row. Strips of 32 rows, one column after the other, as in rt/asset/asset.h:
 * neighbouring items read neighbouring elements. Products are added in the order of the columns,
 * without fused multiply-add, as on the CPU. */
static const char vo_opencl_source[] =
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "__kernel void apply_base(int rows, __global const int *first, __global const ushort *column,\n"
    "                         __global const float *weight, __global const float4 *input,\n"
    "                         __global float4 *out) {\n"
    "    int i = get_global_id(0);\n"
    "    if (i >= rows) return;\n"
    "    float4 sum = (float4)(0);\n"
    "    for (int k = first[i]; k < first[i + 1]; k++) sum += weight[k] * input[column[k]];\n"
    "    out[i] = sum;\n"
    "}\n"
    "__kernel void add_sparse(int rows, __global const int *first, uint first_at,\n"
    "                         __global const ushort *column, uint column_at,\n"
    "                         __global const float *number, uint number_at, float scale,\n"
    "                         __global const float4 *input, __global float4 *out) {\n"
    "    int i = get_global_id(0);\n"
    "    if (i >= rows) return;\n"
    "    float4 sum = (float4)(0);\n"
    "    for (int k = first[first_at + i]; k < first[first_at + i + 1]; k++)\n"
    "        sum += number[number_at + k] * (scale * input[column[column_at + k]]);\n"
    "    out[i] += sum;\n"
    "}\n"
    "__kernel void add_dense(int rows, int columns, __global const float *number, uint at,\n"
    "                        float scale, float keep, __global const float4 *input,\n"
    "                        __global float4 *out) {\n"
    "    int i = get_global_id(0);\n"
    "    if (i >= rows) return;\n"
    "    __global const float *a = number + at + (size_t)(i / 32) * columns * 32 + i % 32;\n"
    "    float4 sum = (float4)(0);\n"
    "    for (int j = 0; j < columns; j++) sum += a[(size_t)j * 32] * (scale * input[j]);\n"
    "    out[i] = keep > 0 ? out[i] + sum : sum;\n"
    "}\n"
    "__kernel void add_half(int rows, int columns, __global const half *number, uint at,\n"
    "                       __global const float4 *input, __global float4 *out) {\n"
    "    int i = get_global_id(0);\n"
    "    if (i >= rows) return;\n"
    "    size_t a = at + (size_t)(i / 32) * columns * 32 + i % 32;\n"
    "    float4 sum = (float4)(0);\n"
    "    for (int j = 0; j < columns; j++) sum += vload_half(a + (size_t)j * 32, number) * "
    "input[j];\n"
    "    out[i] += sum;\n"
    "}\n";

#endif

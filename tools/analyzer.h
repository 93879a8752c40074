/* Included by clang-tidy before each file of src/ (tools/lint), never by a compiler. States the
 * return values of the functions that report failures: the analyzer processes one file at a time
 * and would otherwise follow paths on which they return VO_OK. */
#include "codec/json.h"
#include "codec/obj_reader.h"
#include "core/context.h"

#define vo_fail(ctx, code, ...)   ((void)vo_fail((ctx), (code), __VA_ARGS__), (code))
#define vo_fail_memory(ctx, what) ((void)vo_fail_memory((ctx), (what)), VO_NO_MEMORY)
#define vo_json_fail(at, ...)     ((void)vo_json_fail((at), __VA_ARGS__), VO_BAD_DATA)
#define vo_obj_fail(r, ...)       ((void)vo_obj_fail((r), __VA_ARGS__), VO_BAD_DATA)

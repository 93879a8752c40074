/* Damaged run folders. The first byte of an input selects the file that the rest replaces in a
 * small valid run:
 *
 *     s    scene.json
 *     t    stats.jsonl
 *     f    frames/0001.vof, with its checksums made valid
 *     p    frames/0001.vof with patched arrays: records of section, offset and value
 *
 * Checksums reject nearly every mutation of a frame file, so patches reach the validation of the
 * arrays behind them. */
#define _GNU_SOURCE
#include "fuzz.h"
#include "vof_checksum.h"

#include "codec/hash.h"
#include "codec/vof.h"
#include "codec/vof_private.h"
#include "sim/frame_file.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *count, char ***list);

static char folder[200];
static uint8_t *original[3];
static size_t original_size[3];
static const char *const names[3] = {"run/scene.json", "run/stats.jsonl", "run/frames/0001.vof"};
static pid_t owner;

static const char scene_text[] =
    "{\"frame_time\": 0.04, \"frame_steps\": 1, \"end_frame\": 2,\n"
    " \"cloths\": [{\"grid\": {\"width\": 1, \"height\": 1, \"columns\": 2, \"rows\": 2},\n"
    "  \"materials\": [{\"thickness\": 3e-4, \"density\": 500, \"elastic_modulus\": 1e6,\n"
    "                  \"poisson_ratio\": 0.3}]}],\n"
    " \"obstacles\": [{\"shape\": {\"type\": \"box\", \"size\": [1, 1, 0.1],\n"
    "                \"edge_length\": 1}, \"transform\": {\"translate\": [0, 0, -1]}}],\n"
    " \"handles\": [{\"nodes\": [0, 2]}]}\n";

/* ---- files ---------------------------------------------------------------------------------- */

static const char *path_of(const char *name) {
    static char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_bytes(const char *name, const void *data, size_t size) {
    FILE *file = fopen(path_of(name), "wb");
    fuzz_require(file && fwrite(data, 1, size, file) == size && fclose(file) == 0, "write failed");
}

static uint8_t *read_bytes(const char *name, size_t *size) {
    FILE *file = fopen(path_of(name), "rb");
    uint8_t *data = malloc(1 << 20);
    fuzz_require(file && data, "read failed");
    *size = fread(data, 1, 1 << 20, file);
    fclose(file);
    return data;
}

static void remove_folder(void) {
    char command[300];
    for (int i = 0; i < 3; i++) free(original[i]);
    if (getpid() != owner) return; /* a child process of the driver */
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0) fprintf(stderr, "fuzz: %s is left over\n", folder);
}

/* Simulates the valid run. */
int LLVMFuzzerInitialize(int *count, char ***list) {
    (void)count, (void)list;
    fuzz_run run;
    snprintf(folder, sizeof folder, "/tmp/voile-fuzz-XXXXXX");
    fuzz_require(mkdtemp(folder) != NULL, "no temporary folder");
    owner = getpid();
    atexit(remove_folder);
    vo_context *ctx = fuzz_begin(&run);
    write_bytes("scene.json", scene_text, sizeof scene_text - 1);
    vo_run_def def = vo_run_def_default();
    char output[400], scene[400];
    snprintf(output, sizeof output, "%s", path_of("run"));
    snprintf(scene, sizeof scene, "%s", path_of("scene.json"));
    def.folder = output;
    fuzz_require(vo_run_simulate(ctx, scene, &def) == VO_OK, vo_context_message(ctx));
    fuzz_end(&run);
    for (int i = 0; i < 3; i++) original[i] = read_bytes(names[i], &original_size[i]);
    return 0;
}

/* ---- frames --------------------------------------------------------------------------------- */

static void write_signed(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size ? size : 1);
    fuzz_require(copy != NULL, "no memory");
    memcpy(copy, data, size);
    fix_checksums(copy, size);
    write_bytes(names[2], copy, size);
    free(copy);
}

typedef struct section {
    const char *tag;
    vo_vof_type type;
    int columns;
} section;

static const section sections[] = {
#define X(tag, member, type, columns, count, required) {tag, VO_VOF_##type, columns},
    VO_MESH_SECTIONS(X)
#undef X
};

enum { SECTIONS = sizeof sections / sizeof *sections, RECORD = 7 };

/* Overwrites numbers of one section by the records that name it; an integer is taken as it is, of
 * doubles a few special values are used. The number of rows may shrink. */
static void patch_rows(int s, const uint8_t *record, size_t records, void *rows, int *count) {
    static const double special[] = {0, -1, 1e300, -1e-310, NAN, INFINITY, 0.5, 1e31};
    for (size_t i = 0; i < records; i++, record += RECORD) {
        uint16_t at;
        int32_t value;
        memcpy(&at, record + 1, 2);
        memcpy(&value, record + 3, 4);
        if (record[0] % SECTIONS != s || *count == 0) continue;
        int number = at % (*count * sections[s].columns);
        if (at == 0xffff)
            *count = (int)((unsigned)value % (unsigned)*count);
        else if (sections[s].type == VO_VOF_F64)
            ((double *)rows)[number] = special[(unsigned)value % 8];
        else
            ((int32_t *)rows)[number] = value;
    }
}

static void add_section(vo_vof_reader *reader, vo_vof_writer *writer, int s, const uint8_t *record,
                        size_t records) {
    const section *x = &sections[s];
    int count;
    const void *rows;
    if (vo_vof_count(reader, x->tag, 0) < 0) return;
    fuzz_require(vo_vof_find(reader, x->tag, 0, x->type, x->columns, &count, &rows) == VO_OK,
                 "the valid frame has a section of another type");
    size_t size = (size_t)count * (size_t)x->columns * (x->type == VO_VOF_F64 ? 8 : 4);
    void *copy = malloc(size + 1);
    fuzz_require(copy != NULL, "no memory");
    if (size) memcpy(copy, rows, size);
    patch_rows(s, record, records, copy, &count);
    fuzz_require(vo_vof_add(writer, x->tag, 0, x->type, x->columns, count, copy) == VO_OK,
                 "a section cannot be written");
    free(copy);
}

static void write_patched(vo_context *ctx, const uint8_t *data, size_t size) {
    vo_vof_reader *reader;
    vo_vof_writer *writer;
    const void *bytes;
    size_t written;
    fuzz_require(vo_vof_parse(ctx, "valid", original[2], original_size[2], &reader) == VO_OK,
                 "the valid frame cannot be read");
    fuzz_require(vo_vof_writer_create(ctx, &writer) == VO_OK, "no writer");
    vo_vof_begin(writer, 1, vo_vof_time(reader));
    for (int s = 0; s < SECTIONS; s++) add_section(reader, writer, s, data, size / RECORD);
    fuzz_require(vo_vof_finish(writer, &bytes, &written) == VO_OK, "the frame cannot be written");
    write_bytes(names[2], bytes, written);
    vo_vof_writer_destroy(writer);
    vo_vof_close(reader);
}

/* ---- reading -------------------------------------------------------------------------------- */

static void check_view(const vo_mesh_view *v) {
    for (int i = 0; i < v->node_count; i++)
        fuzz_require(isfinite(v->node_x[i].x) && isfinite(v->node_v[i].z), "a node is not finite");
    for (int i = 0; i < v->vert_count; i++)
        fuzz_require(v->vert_node[i] >= 0 && v->vert_node[i] < v->node_count, "vert_node");
    for (int i = 0; i < v->face_count; i++)
        for (int k = 0; k < 3; k++)
            fuzz_require(v->face_vert[i][k] >= 0 && v->face_vert[i][k] < v->vert_count,
                         "face_vert");
}

/* Mutated scenes may request too much memory, which is a valid failure. */
static bool succeeds(vo_context *ctx, vo_result result) {
    if (result == VO_OK || result == VO_NO_MEMORY) return result == VO_OK;
    return fuzz_check(ctx, result) == VO_OK;
}

static void read_frame(vo_context *ctx, vo_run_reader *reader, int frame) {
    const vo_scene *scene;
    char name[40];
    if (!succeeds(ctx, vo_run_reader_load_scene(reader, frame, &scene))) return;
    int cloths = vo_scene_cloth_count(scene), obstacles = vo_scene_obstacle_count(scene);
    bool read = succeeds(ctx, vo_run_reader_read_frame(reader, frame));
    fuzz_require((vo_run_reader_current_frame(reader) == frame) == read, "current frame");
    for (int c = 0; c < cloths; c++) {
        vo_mesh_view view = vo_run_reader_get_cloth(reader, c);
        fuzz_require((view.node_count > 0) == read, "a view without a frame");
        check_view(&view);
        vo_run_reader_cloth_name(reader, c, name, sizeof name);
    }
    for (int i = 0; i < obstacles; i++) {
        vo_mesh_view view = vo_run_reader_get_obstacle(reader, i);
        check_view(&view);
        vo_run_reader_obstacle_name(reader, i, name, sizeof name);
    }
}

static void read_run(vo_context *ctx) {
    vo_run_reader *reader;
    vo_result result = vo_run_reader_open(ctx, path_of("run"), &reader);
    fuzz_require((result == VO_OK) == (reader != NULL), "a reader after a failure");
    if (!succeeds(ctx, result)) return;
    for (int i = 0; i < vo_run_reader_segment_count(reader); i++) {
        vo_segment segment = vo_run_reader_get_segment(reader, i);
        for (int k = 0; k < segment.override_count; k++)
            fuzz_require(segment.overrides[k] != NULL, "an override without text");
    }
    for (int i = 0; i < vo_run_reader_frame_count(reader); i++) {
        int frame = vo_run_reader_frame_number(reader, i);
        const vo_stats *stats = vo_run_reader_find_stats(reader, frame);
        fuzz_require(!stats || stats->frame == frame, "statistics of another frame");
        read_frame(ctx, reader, frame);
    }
    (void)succeeds(ctx, vo_run_reader_refresh(reader));
    vo_run_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    int file = data[0] == 's' ? 0 : data[0] == 't' ? 1 : 2;
    vo_context *ctx;
    vo_context_def def = vo_context_def_default();
    def.threads = 1;
    def.memory_limit = 1 << 28;
    fuzz_require(vo_context_create(&def, &ctx) == VO_OK, "no context");
    if (file < 2)
        write_bytes(names[file], data + 1, size - 1);
    else if (data[0] == 'p')
        write_patched(ctx, data + 1, size - 1);
    else
        write_signed(data + 1, size - 1);
    read_run(ctx);
    write_bytes(names[file], original[file], original_size[file]);
    vo_context_destroy(ctx);
    return 0;
}

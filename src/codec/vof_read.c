#include "codec/vof.h"

#include "codec/hash.h"
#include "codec/vof_private.h"
#include "core/file.h"
#include "core/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

/* Bytes of a file that are in memory, and the size of the file. */
typedef struct source {
    const unsigned char *bytes;
    uint64_t available, size;
} source;

struct vo_vof_reader {
    vo_context *ctx;
    const vo_vof_format *format;
    char *name;
    int frame;
    double time;
    uint64_t file_size; /* according to the header */
    int count;
    vof_section *section; /* [count] */
    unsigned char **data; /* [count], each section[i].raw bytes; NULL after a peek */
    int next;             /* start of the search for a section: after the last one found */
};

const vo_vof_format vo_vof_frame_format = {
    .magic = "VOILEVOF",
    .version = 1,
    .noun = "frame file",
    .remedy = "resume the run from an earlier frame to compute it again"};

vo_result vo_vof_fail_damaged(const vo_vof_reader *reader, const char *format, ...) {
    char defect[400];
    va_list args;
    va_start(args, format);
    vsnprintf(defect, sizeof defect, format, args);
    va_end(args);
    return vo_fail(reader->ctx, VO_BAD_DATA, "%.500s: %s; %s", reader->name, defect,
                   reader->format->remedy);
}

static vo_result fail_truncated(const vo_vof_reader *reader, uint64_t expected, uint64_t found) {
    return vo_vof_fail_damaged(reader, "truncated (expected %llu bytes, found %llu)",
                               (unsigned long long)expected, (unsigned long long)found);
}

static uint64_t table_end(const vo_vof_reader *reader) {
    return VOF_HEAD + (uint64_t)reader->count * VOF_ENTRY;
}

static vo_result read_head(vo_vof_reader *reader, const source *in) {
    uint32_t version, sections, zero;
    size_t letters = in->available < 8 ? in->available : 8;
    if (letters && memcmp(in->bytes, reader->format->magic, letters) != 0)
        return vo_vof_fail_damaged(reader, "not a Voile %s", reader->format->noun);
    if (in->available < VOF_HEAD) return fail_truncated(reader, VOF_HEAD, in->size);
    const unsigned char *at = in->bytes + letters;
    vof_load(&at, &version, 4);
    vof_load(&at, &sections, 4);
    vof_load(&at, &reader->frame, 4);
    vof_load(&at, &zero, 4);
    vof_load(&at, &reader->time, 8);
    vof_load(&at, &reader->file_size, 8);
    if (version != (uint32_t)reader->format->version)
        return vo_vof_fail_damaged(reader,
                                   "format version %lu; this version of Voile reads version %d",
                                   (unsigned long)version, reader->format->version);
    if (sections > VO_VOF_MAX_SECTIONS || zero != 0)
        return vo_vof_fail_damaged(reader, "the header is damaged");
    reader->count = (int)sections;
    return VO_OK;
}

/* Validates the checksum of header and table before they are used. */
static vo_result check_head(const vo_vof_reader *reader, const source *in) {
    uint64_t end = table_end(reader), hash;
    if (in->available < end + VOF_HASH) {
        uint64_t min_size = end + 2 * VOF_HASH;
        return fail_truncated(reader, reader->file_size > min_size ? reader->file_size : min_size,
                              in->size);
    }
    memcpy(&hash, in->bytes + end, sizeof hash);
    if (hash != vo_hash(in->bytes, end))
        return vo_vof_fail_damaged(reader, "the header does not match its checksum");
    if (in->size < reader->file_size) return fail_truncated(reader, reader->file_size, in->size);
    if (in->size > reader->file_size)
        return vo_vof_fail_damaged(reader, "too long (expected %llu bytes, found %llu)",
                                   (unsigned long long)reader->file_size,
                                   (unsigned long long)in->size);
    return VO_OK;
}

static void read_section(const unsigned char *at, vof_section *out) {
    *out = (vof_section){0};
    vof_load(&at, out->tag, VO_VOF_MAX_TAG);
    vof_load(&at, &out->index, 4);
    vof_load(&at, &out->type, 1);
    vof_load(&at, &out->filter, 1);
    vof_load(&at, &out->columns, 2);
    vof_load(&at, &out->count, 8);
    vof_load(&at, &out->raw, 8);
    vof_load(&at, &out->stored, 8);
    vof_load(&at, &out->hash, 8);
}

/* Validates an entry: a correct checksum does not exclude a malicious file. */
static bool section_is_valid(const vof_section *s) {
    if (!vof_tag_is_valid(s->tag) || vof_type_size(s->type) == 0 ||
        s->filter > VOF_FILTER_DELTA_SHUFFLE)
        return false;
    if (s->filter == VOF_FILTER_DELTA_SHUFFLE && s->type == VO_VOF_U8) return false;
    if (s->columns < 1 || s->columns > VO_VOF_MAX_COLUMNS || s->count > INT_MAX) return false;
    if (s->raw != s->count * s->columns * vof_type_size(s->type)) return false;
    return (s->raw == 0) == (s->stored == 0) && s->index <= INT_MAX;
}

static vo_result read_table(vo_vof_reader *reader, const source *in) {
    uint64_t stored = 0, raw = 0, fixed = table_end(reader) + 2 * VOF_HASH;
    if (reader->file_size < fixed) return vo_vof_fail_damaged(reader, "the header is damaged");
    uint64_t payload = reader->file_size - fixed;
    if (reader->count == 0) return VO_OK;
    reader->section = vo_new_array(reader->ctx, vof_section, reader->count);
    if (!reader->section) return vo_fail_memory(reader->ctx, reader->name);
    for (int i = 0; i < reader->count; i++) {
        vof_section *s = &reader->section[i];
        read_section(in->bytes + VOF_HEAD + (size_t)i * VOF_ENTRY, s);
        if (!section_is_valid(s) || s->stored > payload - stored)
            return vo_vof_fail_damaged(reader, "entry %d of the table is damaged", i);
        stored += s->stored;
        raw += s->raw;
    }
    if (stored != payload || !vof_ratio_is_plausible(raw, reader->file_size))
        return vo_vof_fail_damaged(reader, "the table does not match the file size");
    return VO_OK;
}

/* Reads header and table. */
static vo_result read_front(vo_vof_reader *reader, const source *in) {
    VO_TRY(read_head(reader, in));
    VO_TRY(check_head(reader, in));
    return read_table(reader, in);
}

static vo_result fail_section(const vo_vof_reader *reader, const vof_section *section) {
    return vo_vof_fail_damaged(reader, "section %s[%lu] does not match its checksum", section->tag,
                               (unsigned long)section->index);
}

/* Reusable memory for decompression. */
typedef struct decoder {
    ZSTD_DCtx *zstd;
    vof_buffer scratch;
} decoder;

/* Decompresses a section, undoes its filter and verifies its checksum. */
static vo_result decode_section(const vo_vof_reader *reader, decoder *d, const vof_section *section,
                                const unsigned char *stored, unsigned char *out) {
    bool plain = section->filter == VOF_FILTER_NONE;
    if (!plain && !vof_buffer_reserve(reader->ctx, &d->scratch, section->raw))
        return vo_fail_memory(reader->ctx, reader->name);
    size_t size = ZSTD_decompressDCtx(d->zstd, plain ? out : d->scratch.data, section->raw, stored,
                                      section->stored);
    if (size != section->raw) return fail_section(reader, section);
    if (!plain) vof_filter_undo(section, d->scratch.data, out);
    if (vo_hash(out, section->raw) != section->hash) return fail_section(reader, section);
    return VO_OK;
}

static vo_result decode_all(vo_vof_reader *reader, decoder *d, const source *in) {
    const unsigned char *stored = in->bytes + table_end(reader) + VOF_HASH;
    for (int i = 0; i < reader->count; i++) {
        const vof_section *section = &reader->section[i];
        if (section->raw == 0) continue;
        if (ZSTD_getFrameContentSize(stored, section->stored) != section->raw)
            return fail_section(reader, section);
        reader->data[i] = vo_alloc(reader->ctx, section->raw);
        if (!reader->data[i]) return vo_fail_memory(reader->ctx, reader->name);
        VO_TRY(decode_section(reader, d, section, stored, reader->data[i]));
        stored += section->stored;
    }
    return VO_OK;
}

/* Reads all sections before the checksum of the file, so that messages name the damaged one. */
static vo_result read_sections(vo_vof_reader *reader, const source *in) {
    decoder d = {.zstd = ZSTD_createDCtx()};
    size_t bytes = (size_t)reader->count * sizeof *reader->data;
    if (bytes) reader->data = vo_alloc_zero(reader->ctx, bytes);
    vo_result result = VO_OK;
    if (!d.zstd || (bytes && !reader->data))
        result = vo_fail_memory(reader->ctx, reader->name);
    else
        result = decode_all(reader, &d, in);
    ZSTD_freeDCtx(d.zstd);
    vof_buffer_free(reader->ctx, &d.scratch);
    return result;
}

static vo_result check_file(const vo_vof_reader *reader, const source *in) {
    uint64_t hash, end = in->size - VOF_HASH;
    memcpy(&hash, in->bytes + end, sizeof hash);
    if (hash == vo_hash(in->bytes, end)) return VO_OK;
    return vo_vof_fail_damaged(reader, "the file does not match its checksum");
}

static vo_result read_whole(vo_vof_reader *reader, const source *in) {
    VO_TRY(read_front(reader, in));
    VO_TRY(read_sections(reader, in));
    return check_file(reader, in);
}

static vo_result create_reader(vo_context *ctx, const vo_vof_format *format, const char *name,
                               vo_vof_reader **out) {
    vo_vof_reader *reader = *out = vo_new(ctx, vo_vof_reader);
    if (!reader) return vo_fail_memory(ctx, name);
    reader->ctx = ctx;
    reader->format = format;
    reader->name = vo_copy_string(ctx, name);
    if (reader->name) return VO_OK;
    vo_vof_close(reader);
    *out = NULL;
    return vo_fail_memory(ctx, name);
}

/* Sets *out to the reader, or closes it if reading failed. */
static vo_result return_reader(vo_vof_reader *reader, vo_result result, vo_vof_reader **out) {
    if (result == VO_OK)
        *out = reader;
    else
        vo_vof_close(reader);
    return result;
}

vo_result vo_vof_parse(vo_context *ctx, const char *name, const void *bytes, size_t size,
                       vo_vof_reader **out) {
    return vo_vof_parse_format(ctx, &vo_vof_frame_format, name, bytes, size, out);
}

vo_result vo_vof_parse_format(vo_context *ctx, const vo_vof_format *format, const char *name,
                              const void *bytes, size_t size, vo_vof_reader **out) {
    *out = NULL;
    vo_vof_reader *reader;
    VO_TRY(create_reader(ctx, format, name, &reader));
    source in = {bytes, size, size};
    return return_reader(reader, read_whole(reader, &in), out);
}

vo_result vo_vof_open(vo_context *ctx, const char *path, vo_vof_reader **out) {
    return vo_vof_open_format(ctx, &vo_vof_frame_format, path, out);
}

vo_result vo_vof_open_format(vo_context *ctx, const vo_vof_format *format, const char *path,
                             vo_vof_reader **out) {
    *out = NULL;
    vo_bytes bytes;
    VO_TRY(vo_file_read(ctx, path, &bytes));
    vo_result result = vo_vof_parse_format(ctx, format, path, bytes.data, bytes.size, out);
    vo_bytes_free(ctx, &bytes);
    return result;
}

/* Reads up to `size` bytes from the start of a file; fewer if the file is shorter. */
static bool read_beginning(int fd, unsigned char *out, size_t size, uint64_t *got) {
    *got = 0;
    while (*got < size) {
        ssize_t n = pread(fd, out + *got, size - *got, (off_t)*got);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        if (n == 0) break;
        *got += (uint64_t)n;
    }
    return true;
}

static vo_result fail_read(vo_context *ctx, const char *path, const char *why) {
    return vo_fail(ctx, VO_IO_FAILED, "%s: cannot read: %s", path, why);
}

/* Reads enough for 32 sections; reads again if the table is longer. */
static vo_result peek_into(vo_vof_reader *reader, int fd, vof_buffer *buffer) {
    struct stat info;
    if (fstat(fd, &info) != 0) return fail_read(reader->ctx, reader->name, strerror(errno));
    if (!S_ISREG(info.st_mode)) return fail_read(reader->ctx, reader->name, "not a regular file");
    source in = {.size = (uint64_t)info.st_size};
    uint64_t needed = VOF_HEAD + 32 * VOF_ENTRY + VOF_HASH;
    for (int pass = 0; pass < 2; pass++) {
        if (needed > in.size) needed = in.size;
        if (needed <= in.available && in.bytes) break;
        if (!vof_buffer_reserve(reader->ctx, buffer, needed + 1))
            return vo_fail_memory(reader->ctx, reader->name);
        if (!read_beginning(fd, buffer->data, needed, &in.available))
            return fail_read(reader->ctx, reader->name, strerror(errno));
        in.bytes = buffer->data;
        VO_TRY(read_head(reader, &in));
        needed = table_end(reader) + VOF_HASH;
    }
    return read_front(reader, &in);
}

vo_result vo_vof_peek(vo_context *ctx, const char *path, vo_vof_reader **out) {
    *out = NULL;
    vo_vof_reader *reader;
    VO_TRY(create_reader(ctx, &vo_vof_frame_format, path, &reader));
    vof_buffer buffer = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    vo_result result =
        fd < 0 ? fail_read(ctx, path, strerror(errno)) : peek_into(reader, fd, &buffer);
    vof_buffer_free(ctx, &buffer);
    if (fd >= 0) close(fd);
    return return_reader(reader, result, out);
}

void vo_vof_close(vo_vof_reader *reader) {
    if (!reader) return;
    vo_context *ctx = reader->ctx;
    for (int i = 0; reader->data && i < reader->count; i++)
        vo_free(ctx, reader->data[i], reader->section[i].raw);
    vo_free_array(ctx, reader->data, reader->data ? reader->count : 0);
    vo_free_array(ctx, reader->section, reader->section ? reader->count : 0);
    vo_free_string(ctx, reader->name);
    vo_delete(ctx, reader);
}

int vo_vof_frame(const vo_vof_reader *reader) { return reader->frame; }

double vo_vof_time(const vo_vof_reader *reader) { return reader->time; }

/* Index of a section in the table, -1 if there is none. Cyclic search after the last one found. */
static int find_section(vo_vof_reader *reader, const char *tag, int index) {
    for (int tried = 0; tried < reader->count; tried++) {
        int i = reader->next < reader->count ? reader->next : 0;
        const vof_section *section = &reader->section[i];
        reader->next = i + 1;
        if (section->index == (uint32_t)index && strcmp(section->tag, tag) == 0) return i;
    }
    return -1;
}

int vo_vof_count(vo_vof_reader *reader, const char *tag, int index) {
    int i = find_section(reader, tag, index);
    return i < 0 ? -1 : (int)reader->section[i].count;
}

vo_result vo_vof_find(vo_vof_reader *reader, const char *tag, int index, vo_vof_type type,
                      int columns, int *count, const void **data) {
    static const char *const names[] = {"?", "u8", "i32", "i64", "f32", "f64"};
    int i = find_section(reader, tag, index);
    if (i < 0) return vo_vof_fail_damaged(reader, "section %s[%d] is missing", tag, index);
    const vof_section *section = &reader->section[i];
    if (section->type != type || section->columns != columns)
        return vo_vof_fail_damaged(reader, "section %s[%d] has type %s[%d], expected %s[%d]", tag,
                                   index, names[section->type], section->columns, names[type],
                                   columns);
    VO_REQUIRE(reader->ctx, reader->data != NULL); /* a peek has no data */
    *count = (int)section->count;
    *data = reader->data ? reader->data[i] : NULL;
    return VO_OK;
}

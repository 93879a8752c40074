#include "codec/movie.h"

#include "core/file.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Supported formats: X(extension, name in libavformat). */
#define MOVIE_KINDS(X) \
    X(".mp4", "mp4")   \
    X(".mov", "mov")

/* libavformat's name of the format of a file; NULL if not supported. */
static const char *format_name(const char *path) {
    const char *dot = strrchr(path, '.');
    if (!dot) return NULL;
#define X(extension, name) \
    if (strcasecmp(dot, extension) == 0) return name;
    MOVIE_KINDS(X)
#undef X
    return NULL;
}

bool vo_movie_supports_path(const char *path) { return format_name(path) != NULL; }

#ifdef VO_HAVE_LIBAV

#include <errno.h>
#include <fcntl.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <unistd.h>

/* libav writes through callbacks to our own file descriptor, so that system errors are reported and
 * nothing is printed. */
struct vo_movie {
    vo_context *ctx;
    vo_movie_def def;
    char temporary[4096];
    int fd; /* -1: not open */
    int io_error;
    AVFormatContext *format;
    AVCodecContext *codec;
    AVFrame *frame;
    AVPacket *packet;
    AVStream *stream; /* the format's */
    int count;        /* images added */
};

enum {
    IO_BUFFER = 1 << 16,
    SILENT = 128,       /* log level offset that suppresses all messages of the encoder */
    INDEX_BASE = 16384, /* bytes of the index without images */
    INDEX_FRAME = 64,   /* bytes per image; 20 are typical */
};

bool vo_movie_available(void) { return true; }

/* ---- failures -------------------------------------------------------------------------------- */

static vo_result fail_io(const vo_movie *m) {
    return vo_fail(m->ctx, VO_IO_FAILED, "%s: cannot write: %s", m->def.path,
                   strerror(m->io_error));
}

/* Fails with the message of a libav error code. */
static vo_result fail_libav(const vo_movie *m, const char *doing, int code) {
    char text[AV_ERROR_MAX_STRING_SIZE] = "";
    if (m->io_error) return fail_io(m);
    if (code == AVERROR(ENOMEM)) return vo_fail_memory(m->ctx, m->def.path);
    av_strerror(code, text, sizeof text);
    return vo_fail(m->ctx, VO_IO_FAILED, "%s: %s failed: %s", m->def.path, doing, text);
}

/* ---- the file -------------------------------------------------------------------------------- */

static int write_bytes(void *user, uint8_t *data, int size) {
    vo_movie *m = user;
    for (int done = 0; done < size;) {
        ssize_t n = write(m->fd, data + done, (size_t)(size - done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            if (!m->io_error) m->io_error = errno;
            return AVERROR(m->io_error);
        }
        done += (int)n;
    }
    return size;
}

static int64_t seek_bytes(void *user, int64_t offset, int whence) {
    const vo_movie *m = user;
    if (whence & AVSEEK_SIZE) return AVERROR(ENOSYS);
    off_t at = lseek(m->fd, (off_t)offset, whence & ~AVSEEK_FORCE);
    return at < 0 ? AVERROR(errno) : at;
}

static vo_result open_file(vo_movie *m) {
    int length = snprintf(m->temporary, sizeof m->temporary, "%s.tmp", m->def.path);
    if (length < 0 || (size_t)length >= sizeof m->temporary)
        return vo_fail(m->ctx, VO_BAD_ARGUMENT, "%.200s...: the path is too long", m->def.path);
    m->fd = open(m->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (m->fd >= 0) return VO_OK;
    m->io_error = errno;
    return fail_io(m);
}

static vo_result open_format(vo_movie *m) {
    int code = avformat_alloc_output_context2(&m->format, NULL, format_name(m->def.path), NULL);
    if (code < 0) return fail_libav(m, "opening the file", code);
    uint8_t *buffer = av_malloc(IO_BUFFER);
    if (!buffer) return vo_fail_memory(m->ctx, m->def.path);
    m->format->pb = avio_alloc_context(buffer, IO_BUFFER, 1, m, NULL, write_bytes, seek_bytes);
    if (m->format->pb) return VO_OK;
    av_free(buffer);
    return vo_fail_memory(m->ctx, m->def.path);
}

/* ---- the encoder ----------------------------------------------------------------------------- */

static const AVCodec *find_encoder(void) {
    static const char *const names[] = {"libx264", "libopenh264"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const AVCodec *codec = avcodec_find_encoder_by_name(names[i]);
        if (codec) return codec;
    }
    return NULL;
}

/* Sets the encoder options; CRF 17 instead of 23 preserves small wrinkles of cloth. */
static void configure_encoder(vo_movie *m) {
    AVCodecContext *c = m->codec;
    c->log_level_offset = SILENT;
    c->width = m->def.width;
    c->height = m->def.height;
    c->pix_fmt = AV_PIX_FMT_YUV420P;
    c->time_base = av_d2q(m->def.frame_time, 100000);
    c->framerate = av_inv_q(c->time_base);
    c->gop_size = 25;
    c->thread_count = 1;
    c->color_range = AVCOL_RANGE_MPEG;
    c->colorspace = AVCOL_SPC_BT709;
    c->color_primaries = AVCOL_PRI_BT709;
    c->color_trc = AVCOL_TRC_BT709;
    c->bit_rate = (int64_t)(0.2 * c->width * c->height / m->def.frame_time);
    if (m->format->oformat->flags & AVFMT_GLOBALHEADER) c->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    if (strcmp(c->codec->name, "libx264") != 0) return;
    c->bit_rate = 0;
    av_opt_set(c->priv_data, "preset", "medium", 0);
    av_opt_set(c->priv_data, "crf", "17", 0);
    /* Works around reads of uninitialised memory in its lookahead with AVX-512. */
    av_opt_set(c->priv_data, "x264-params", "cpu-independent=1", 0);
}

static vo_result open_encoder(vo_movie *m) {
    const AVCodec *codec = find_encoder();
    if (!codec)
        return vo_fail(
            m->ctx, VO_BAD_ARGUMENT,
            "%s: the installed libavcodec has no H.264 encoder; install one with libx264 or "
            "libopenh264",
            m->def.path);
    m->codec = avcodec_alloc_context3(codec);
    m->frame = av_frame_alloc();
    m->packet = av_packet_alloc();
    m->stream = avformat_new_stream(m->format, NULL);
    if (!m->codec || !m->frame || !m->packet || !m->stream)
        return vo_fail_memory(m->ctx, m->def.path);
    configure_encoder(m);
    int code = avcodec_open2(m->codec, codec, NULL);
    if (code < 0) return fail_libav(m, "opening the encoder", code);
    m->frame->format = m->codec->pix_fmt;
    m->frame->width = m->codec->width;
    m->frame->height = m->codec->height;
    code = av_frame_get_buffer(m->frame, 0);
    return code < 0 ? fail_libav(m, "allocating an image", code) : VO_OK;
}

/* Writes the header and reserves space for the index after it. */
static vo_result write_header(vo_movie *m) {
    AVDictionary *options = NULL;
    int code = avcodec_parameters_from_context(m->stream->codecpar, m->codec);
    m->stream->time_base = m->codec->time_base;
    m->stream->avg_frame_rate = m->codec->framerate;
    int64_t index_bytes = INDEX_BASE + (int64_t)INDEX_FRAME * m->def.frame_count;
    if (code >= 0) code = av_dict_set_int(&options, "moov_size", index_bytes, 0);
    if (code >= 0) code = av_dict_set(&options, "fflags", "+bitexact", 0);
    if (code >= 0) code = avformat_write_header(m->format, &options);
    av_dict_free(&options);
    return code < 0 ? fail_libav(m, "writing the header", code) : VO_OK;
}

/* ---- images ---------------------------------------------------------------------------------- */

/* Writes the packets that the encoder has completed. */
static vo_result write_packets(vo_movie *m) {
    for (;;) {
        int code = avcodec_receive_packet(m->codec, m->packet);
        if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return VO_OK;
        if (code < 0) return fail_libav(m, "encoding", code);
        m->packet->duration = 1;
        av_packet_rescale_ts(m->packet, m->codec->time_base, m->stream->time_base);
        code = av_interleaved_write_frame(m->format, m->packet);
        if (code < 0 || m->io_error) return fail_libav(m, "writing an image", code);
    }
}

vo_result vo_movie_add(vo_movie *m, const vo_image *image) {
    VO_REQUIRE(m->ctx, image->width == m->def.width && image->height == m->def.height);
    VO_REQUIRE(m->ctx, m->count < m->def.frame_count);
    int code = av_frame_make_writable(m->frame);
    if (code < 0) return fail_libav(m, "allocating an image", code);
    vo_planes planes;
    for (int i = 0; i < 3; i++) {
        planes.data[i] = m->frame->data[i];
        planes.stride[i] = m->frame->linesize[i];
    }
    vo_image_to_yuv420(image, &planes);
    m->frame->pts = m->count++;
    code = avcodec_send_frame(m->codec, m->frame);
    return code < 0 ? fail_libav(m, "encoding", code) : write_packets(m);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void close_all(vo_movie *m) {
    av_packet_free(&m->packet);
    av_frame_free(&m->frame);
    avcodec_free_context(&m->codec);
    if (m->format && m->format->pb) {
        av_freep(&m->format->pb->buffer);
        avio_context_free(&m->format->pb);
    }
    avformat_free_context(m->format);
    if (m->fd >= 0) close(m->fd);
}

void vo_movie_discard(vo_movie *m) {
    if (!m) return;
    bool created = m->fd >= 0;
    close_all(m);
    if (created) unlink(m->temporary);
    vo_delete(m->ctx, m);
}

static vo_result check_def(vo_context *ctx, const vo_movie_def *def) {
    VO_REQUIRE(ctx,
               vo_movie_supports_path(def->path) && def->frame_count > 0 && def->frame_time > 0);
    if (def->width % 2 == 0 && def->height % 2 == 0 && def->width > 0 && def->height > 0)
        return VO_OK;
    return vo_fail(ctx, VO_BAD_ARGUMENT,
                   "%s: width and height of a movie must be even, not %d x %d", def->path,
                   def->width, def->height);
}

vo_result vo_movie_open(vo_context *ctx, const vo_movie_def *def, vo_movie **out) {
    *out = NULL;
    VO_TRY(check_def(ctx, def));
    vo_movie *m = vo_new(ctx, vo_movie);
    if (!m) return vo_fail_memory(ctx, def->path);
    m->ctx = ctx;
    m->def = *def;
    m->fd = -1;
    vo_result result = open_file(m);
    if (result == VO_OK) result = open_format(m);
    if (result == VO_OK) result = open_encoder(m);
    if (result == VO_OK) result = write_header(m);
    if (result == VO_OK)
        *out = m;
    else
        vo_movie_discard(m);
    return result;
}

static vo_result write_trailer(vo_movie *m) {
    int code = avcodec_send_frame(m->codec, NULL);
    if (code < 0) return fail_libav(m, "encoding", code);
    VO_TRY(write_packets(m));
    code = av_write_trailer(m->format);
    if (code < 0 || m->io_error) return fail_libav(m, "writing the index", code);
    if (fsync(m->fd) == 0 && rename(m->temporary, m->def.path) == 0) return VO_OK;
    m->io_error = errno;
    return fail_io(m);
}

vo_result vo_movie_finish(vo_movie *m) {
    vo_result result = write_trailer(m);
    if (result != VO_OK) {
        vo_movie_discard(m);
        return result;
    }
    close_all(m);
    vo_delete(m->ctx, m);
    return VO_OK;
}

#else

bool vo_movie_available(void) { return false; }

vo_result vo_movie_open(vo_context *ctx, const vo_movie_def *def, vo_movie **out) {
    *out = NULL;
    return vo_fail(ctx, VO_BAD_ARGUMENT,
                   "%s: this build cannot write movies; rebuild it with libavcodec and libavformat",
                   def->path);
}

vo_result vo_movie_add(vo_movie *movie, const vo_image *image) {
    (void)movie, (void)image;
    return VO_BAD_ARGUMENT;
}

vo_result vo_movie_finish(vo_movie *movie) {
    (void)movie;
    return VO_BAD_ARGUMENT;
}

void vo_movie_discard(vo_movie *movie) { (void)movie; }

#endif

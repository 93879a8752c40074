#include "upsample/fit/oscillation.h"

#include "core/memory.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

static const double TWO_PI = 6.283185307179586;

enum { MIN_PERIOD = 3 }; /* frames: shorter waves cannot be told from noise */

typedef struct search {
    vo_context *ctx;
    const vo_oscillation_def *def;
    int frames;
    double *gram;        /* [frames][frames] of displacements without means, deflated */
    double *wave;        /* [2][frames] orthonormal basis of the wave at the frequency tried */
    double *image;       /* [2][frames] gram times wave */
    double *phase;       /* [frames] theta t + phase of the sequence */
    double *delta;       /* [sequence_count] phases */
    double *product;     /* [frames] by lag: sum of d(t) . d(t + lag) within sequences */
    double *correlation; /* [frames] the same relative to the energies of the frames, -1 to 1 */
    double *modes;       /* [max_modes][2][frames] orthonormal waves of the modes found */
} search;

/* ---- memory --------------------------------------------------------------------------------- */

static bool allocate(search *s) {
    size_t n = (size_t)s->frames;
    s->gram = vo_new_array(s->ctx, double, n *n);
    s->wave = vo_new_array(s->ctx, double, 2 * n);
    s->image = vo_new_array(s->ctx, double, 2 * n);
    s->phase = vo_new_array(s->ctx, double, n);
    s->delta = vo_alloc_zero(s->ctx, (size_t)s->def->sequence_count * sizeof(double));
    s->product = vo_new_array(s->ctx, double, n);
    s->correlation = vo_new_array(s->ctx, double, n);
    s->modes = vo_new_array(s->ctx, double, 2 * n * (size_t)s->def->max_modes);
    return s->gram && s->wave && s->image && s->phase && s->delta && s->product && s->correlation &&
           s->modes;
}

static void release(search *s) {
    size_t n = (size_t)s->frames;
    vo_free_array(s->ctx, s->gram, n * n);
    vo_free_array(s->ctx, s->wave, 2 * n);
    vo_free_array(s->ctx, s->image, 2 * n);
    vo_free_array(s->ctx, s->phase, n);
    vo_free_array(s->ctx, s->delta, s->def->sequence_count);
    vo_free_array(s->ctx, s->product, n);
    vo_free_array(s->ctx, s->correlation, n);
    vo_free_array(s->ctx, s->modes, 2 * n * (size_t)s->def->max_modes);
}

/* ---- products of frames --------------------------------------------------------------------- */

static int sequence_begin(const search *s, int q) { return s->def->first_frame[q]; }
static int sequence_end(const search *s, int q) { return s->def->first_frame[q + 1]; }

/* Removes the mean over each sequence from a row or column of the matrix. */
static void remove_means(const search *s, double *value, size_t step) {
    for (int q = 0; q < s->def->sequence_count; q++) {
        int begin = sequence_begin(s, q), end = sequence_end(s, q);
        double mean = 0;
        for (int t = begin; t < end; t++) mean += value[(size_t)t * step];
        mean /= end - begin;
        for (int t = begin; t < end; t++) value[(size_t)t * step] -= mean;
    }
}

static vo_result make_gram(search *s) {
    size_t n = (size_t)s->frames;
    const double *d = s->def->displacement;
    VO_TRY(vo_dense_multiply_tn(s->ctx, s->frames, s->frames, s->def->vertex_count, d, d, s->gram));
    for (size_t t = 0; t < n; t++) remove_means(s, s->gram + t * n, 1);
    for (size_t t = 0; t < n; t++) remove_means(s, s->gram + t, n);
    return VO_OK;
}

static double total_energy(const search *s) {
    double sum = 0;
    for (size_t t = 0; t < (size_t)s->frames; t++) sum += s->gram[t * (size_t)s->frames + t];
    return sum;
}

/* ---- waves ---------------------------------------------------------------------------------- */

/* image = gram wave, for both rows */
static void apply_gram(search *s) {
    size_t n = (size_t)s->frames;
    memset(s->image, 0, 2 * n * sizeof *s->image);
    for (size_t t = 0; t < n; t++)
        for (size_t u = 0; u < n; u++) {
            s->image[t] += s->gram[t * n + u] * s->wave[u];
            s->image[n + t] += s->gram[t * n + u] * s->wave[n + u];
        }
}

static double dot(const double *a, const double *b, int begin, int end) {
    double sum = 0;
    for (int t = begin; t < end; t++) sum += a[t] * b[t];
    return sum;
}

static void fill_phases(search *s, double theta) {
    for (int q = 0; q < s->def->sequence_count; q++)
        for (int t = sequence_begin(s, q); t < sequence_end(s, q); t++)
            s->phase[t] = theta * t + s->delta[q];
}

static void fill_waves(search *s) {
    for (int t = 0; t < s->frames; t++) {
        s->wave[t] = sin(s->phase[t]);
        s->wave[s->frames + t] = cos(s->phase[t]);
    }
}

static int longest_sequence(const search *s) {
    int best = 0;
    for (int q = 1; q < s->def->sequence_count; q++)
        if (sequence_end(s, q) - sequence_begin(s, q) >
            sequence_end(s, best) - sequence_begin(s, best))
            best = q;
    return best;
}

/* Chooses the phases of the sequences: the amplitude of sequence q at the frequency is
 * Z_q = sum_t d(t) exp(-i theta t), a field, and the phase is the argument of its product with that
 * of the longest sequence. */
static void align_sequences(search *s, double theta) {
    int reference = longest_sequence(s), begin = sequence_begin(s, reference);
    int end = sequence_end(s, reference);
    if (s->def->sequence_count == 1) return;
    memset(s->delta, 0, (size_t)s->def->sequence_count * sizeof *s->delta);
    fill_phases(s, theta);
    memset(s->wave, 0, 2 * (size_t)s->frames * sizeof *s->wave);
    for (int t = begin; t < end; t++) {
        s->wave[t] = cos(s->phase[t]);
        s->wave[s->frames + t] = -sin(s->phase[t]);
    }
    apply_gram(s); /* products of every frame with the real and imaginary part of Z_reference */
    for (int q = 0; q < s->def->sequence_count; q++) {
        double real = 0, imaginary = 0;
        for (int t = sequence_begin(s, q); t < sequence_end(s, q); t++) {
            double c = cos(s->phase[t]), i = -sin(s->phase[t]);
            real += c * s->image[t] + i * s->image[s->frames + t];
            imaginary += i * s->image[t] - c * s->image[s->frames + t];
        }
        s->delta[q] = atan2(imaginary, real);
    }
}

/* Makes the waves orthonormal and orthogonal to the means of the sequences. */
static void orthonormalise(search *s) {
    double *a = s->wave, *b = s->wave + s->frames;
    int n = s->frames;
    remove_means(s, a, 1);
    remove_means(s, b, 1);
    double size = sqrt(dot(a, a, 0, n));
    for (int t = 0; t < n && size > 0; t++) a[t] /= size;
    double along = dot(a, b, 0, n);
    for (int t = 0; t < n; t++) b[t] -= along * a[t];
    size = sqrt(dot(b, b, 0, n));
    for (int t = 0; t < n && size > 0; t++) b[t] /= size;
}

/* Energy that the regression on a frequency removes. */
static double captured_energy(search *s, double theta) {
    align_sequences(s, theta);
    fill_phases(s, theta);
    fill_waves(s);
    orthonormalise(s);
    apply_gram(s);
    return dot(s->wave, s->image, 0, 2 * s->frames);
}

/* ---- period --------------------------------------------------------------------------------- */

static void correlate(search *s, int lag) {
    size_t n = (size_t)s->frames;
    double product = 0, early = 0, late = 0;
    for (int q = 0; q < s->def->sequence_count; q++)
        for (int t = sequence_begin(s, q); t + lag < sequence_end(s, q); t++) {
            size_t a = (size_t)t, b = (size_t)(t + lag);
            product += s->gram[a * n + b];
            early += s->gram[a * n + a];
            late += s->gram[b * n + b];
        }
    s->product[lag] = product;
    s->correlation[lag] = early > 0 && late > 0 ? product / sqrt(early * late) : 0;
}

/* Largest lag: half the longest sequence, so that two periods are seen. */
static int max_lag(const search *s) {
    int q = longest_sequence(s);
    return (sequence_end(s, q) - sequence_begin(s, q)) / 2;
}

/* Peaks this high relative to the highest are taken as the same period; the shortest one counts,
 * because multiples of a period correlate as well. */
static const double SAME_PEAK = 0.85;

static bool is_peak(const double *r, int lag) {
    return r[lag] > r[lag - 1] && r[lag] >= r[lag + 1];
}

/* Lag of the strongest period; 0: there is none. */
static int find_period(search *s) {
    int last = max_lag(s) < s->frames - 2 ? max_lag(s) : s->frames - 2;
    const double *r = s->correlation;
    double highest = 0;
    for (int lag = 0; lag < s->frames; lag++) correlate(s, lag);
    for (int lag = MIN_PERIOD; lag <= last; lag++)
        if (is_peak(r, lag)) highest = fmax(highest, r[lag]);
    for (int lag = MIN_PERIOD; lag <= last && highest > 0; lag++)
        if (is_peak(r, lag) && r[lag] >= SAME_PEAK * highest) return lag;
    return 0;
}

/* Energy of the displacements at a frequency, up to a factor: the Fourier transform of the
 * autocorrelation. */
static double periodogram(const search *s, double theta) {
    double sum = s->product[0];
    for (int lag = 1; lag < s->frames; lag++) sum += 2 * s->product[lag] * cos(theta * lag);
    return sum;
}

/* Highest lobe between two frequencies. */
static void search_lobe(const search *s, double low, double high, double step, double *best,
                        double *most) {
    int samples = (int)((high - low) / step) + 1;
    for (int i = 0; i <= samples; i++) {
        double theta = low + (high - low) * i / samples, energy = periodogram(s, theta);
        if (energy > *most) *most = energy, *best = theta;
    }
}

/* Frequency of the highest lobe between those of the neighbouring lags. A lag at which several
 * waves correlate is a multiple of the period of each, so its fractions are searched as well. */
static double find_lobe(const search *s, int lag, double step) {
    double best = TWO_PI / lag, most = -1;
    for (int k = 1; k * MIN_PERIOD <= lag; k++)
        search_lobe(s, TWO_PI * k / (lag + 1), TWO_PI * k / (lag - 1), step, &best, &most);
    return best;
}

/* Refines the frequency between whole lags: finds the lobe, whose width is 2 pi / frames, then
 * maximises the energy of the regression by golden section. */
static double refine(search *s, int lag) {
    const double ratio = 0.6180339887498949;
    int q = longest_sequence(s);
    double step = TWO_PI / (6.0 * (sequence_end(s, q) - sequence_begin(s, q)));
    double lobe = find_lobe(s, lag, step), a = lobe - step, b = lobe + step;
    double c = b - ratio * (b - a), d = a + ratio * (b - a);
    double at_c = captured_energy(s, c), at_d = captured_energy(s, d);
    for (int i = 0; i < 30; i++) {
        if (at_c > at_d) {
            b = d, d = c, at_d = at_c, c = b - ratio * (b - a), at_c = captured_energy(s, c);
        } else {
            a = c, c = d, at_c = at_d, d = a + ratio * (b - a), at_d = captured_energy(s, d);
        }
    }
    return (a + b) / 2;
}

/* ---- modes ---------------------------------------------------------------------------------- */

/* gram = (I - W^T W) gram (I - W^T W), for the orthonormal waves W and their image. */
static void deflate(search *s) {
    size_t n = (size_t)s->frames;
    for (int w = 0; w < 2; w++) {
        const double *wave = s->wave + (size_t)w * n;
        for (int side = 0; side < 2; side++)
            for (size_t t = 0; t < n; t++) {
                double *line = s->gram + (side ? t : t * n), along = 0;
                size_t step = side ? n : 1;
                for (size_t u = 0; u < n; u++) along += line[u * step] * wave[u];
                for (size_t u = 0; u < n; u++) line[u * step] -= along * wave[u];
            }
    }
}

/* Projects out the waves of earlier modes, in reverse order: the product of a displacement with the
 * result is that of the deflated displacement with the wave. */
static void remove_modes(const search *s, int count, double *wave) {
    for (int k = 2 * count - 1; k >= 0; k--) {
        const double *mode = s->modes + (size_t)k * (size_t)s->frames;
        double along = dot(mode, wave, 0, s->frames);
        for (int t = 0; t < s->frames; t++) wave[t] -= along * mode[t];
    }
}

/* Fields of mode k by regression of the deflated displacements on the waves without means; phases
 * are those of its frequency. */
static void regress(search *s, int k, double *sine, double *cosine) {
    int n = s->frames;
    double *a = s->wave, *b = s->wave + n;
    fill_waves(s);
    remove_means(s, a, 1);
    remove_means(s, b, 1);
    double aa = dot(a, a, 0, n), ab = dot(a, b, 0, n), bb = dot(b, b, 0, n);
    double determinant = aa * bb - ab * ab;
    remove_modes(s, k, a);
    remove_modes(s, k, b);
    for (int i = 0; i < s->def->vertex_count; i++) {
        const double *d = s->def->displacement + (size_t)i * (size_t)n;
        double x = dot(d, a, 0, n), y = dot(d, b, 0, n);
        sine[i] = (bb * x - ab * y) / determinant;
        cosine[i] = (aa * y - ab * x) / determinant;
    }
}

/* Adds one mode; false if none removes enough energy. */
static bool find_mode(search *s, vo_oscillation *o) {
    size_t n = (size_t)s->def->vertex_count, k = (size_t)o->mode_count;
    int lag = find_period(s);
    if (!lag) return false;
    double theta = refine(s, lag), energy = captured_energy(s, theta);
    if (!(energy >= s->def->threshold * o->energy)) return false;
    memcpy(s->modes + 2 * k * (size_t)s->frames, s->wave, 2 * (size_t)s->frames * sizeof(double));
    deflate(s);
    regress(s, (int)k, o->sine + k * n, o->cosine + k * n);
    o->theta[k] = theta;
    o->fraction[k] = energy / o->energy;
    o->mode_count++;
    return true;
}

static vo_result find_modes(search *s, vo_oscillation *o) {
    VO_TRY(make_gram(s));
    o->energy = total_energy(s);
    if (!(o->energy > 0)) return VO_OK;
    while (o->mode_count < s->def->max_modes) {
        VO_TRY(vo_check_cancel(s->ctx));
        if (!find_mode(s, o)) break;
    }
    return VO_OK;
}

vo_result vo_oscillation_find(vo_context *ctx, const vo_oscillation_def *def, vo_oscillation *out) {
    search s = {.ctx = ctx, .def = def, .frames = def->frame_count};
    out->mode_count = 0;
    out->energy = 0;
    if (def->frame_count < 2 * MIN_PERIOD || def->max_modes < 1) return VO_OK;
    vo_result result =
        allocate(&s) ? find_modes(&s, out) : vo_fail_memory(ctx, "oscillatory modes");
    release(&s);
    return result;
}

/* Measures the cost of recording samples of 64 series, and events, in a results file in $TMPDIR.
 *
 * Half of the series are queues that packets of 1500 bytes fill and drain, some of them partial;
 * the other half are counters of sent bytes.  A value is one number of one series: one row of
 * (time, series, value) in a plain table. */

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "record/record.h"
#include "weir/engine.h"

enum { N_SERIES = 64, N_SAMPLES = 300000, N_EVENTS = 1000000, N_ROUNDS = 3 };

static double
now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool
tell_samples(struct rec *r, struct err *err)
{
    uint64_t values[N_SERIES] = { 0 }, random = 1;

    for (int i = 0; i < N_SERIES; i++) {
        const struct rec_series s = { .quantity = "queue", .unit = "bytes", .object = "port" };
        if (!rec_add_series(r, &s, err)) {
            return false;
        }
    }
    for (int64_t row = 0; row < N_SAMPLES; row++) {
        for (int i = 0; i < N_SERIES; i += 2) {
            uint64_t chance = weir_random(&random);
            uint64_t out = chance % 9 * 1500, in = (chance >> 8) % 9 * 1500 + (chance >> 60) / 15;
            values[i] += in;
            values[i] -= out < values[i] ? out : values[i];
            values[i + 1] += out;
        }
        if (!rec_sample(r, row * 1000000, values, err)) {
            return false;
        }
    }
    return true;
}

static bool
tell_events(struct rec *r, struct err *err)
{
    for (uint32_t i = 0; i < N_EVENTS; i++) {
        const struct rec_event e = { .at_ps = (weir_ps)i * 1000000,
                                     .kind = i % 2 ? "resume" : "pause",
                                     .node = i % 20,
                                     .port = i % 100,
                                     .cls = 3,
                                     .flow = REC_NO_ID,
                                     .value = REC_NONE };
        if (!rec_add_event(r, &e, err)) {
            return false;
        }
    }
    return true;
}

struct measured {
    double seconds;
    double bytes;
};

static bool
measure(bool (*tell)(struct rec *, struct err *), struct measured *m, struct err *err)
{
    const char *dir = getenv("TMPDIR");
    char path[300];
    struct stat file;

    snprintf(path, sizeof path, "%s/weir-bench-%d.db", dir ? dir : "/tmp", (int)getpid());
    struct rec *r = rec_open(path, err);
    if (!r) {
        return false;
    }
    const struct rec_run run = {
        .name = "", .scenario = "", .engines = "", .arbitration = "", .build = "", .started_at = ""
    };
    double start = now_s();
    bool good = rec_begin(r, &run, err) && tell(r, err) && rec_end(r, &(struct rec_end){ 0 }, err);
    m->seconds = now_s() - start;
    good = rec_close(r, err) && good && stat(path, &file) == 0;
    m->bytes = good ? (double)file.st_size : 0;
    remove(path);
    return good;
}

static bool
show_cost(const char *what, bool (*tell)(struct rec *, struct err *), double n)
{
    struct measured best = { 0 }, m;
    struct err err;

    for (int i = 0; i < N_ROUNDS; i++) {
        if (!measure(tell, &m, &err)) {
            fprintf(stderr, "bench-record: %s\n", err.text);
            return false;
        }
        best = !i || m.seconds < best.seconds ? m : best;
    }
    printf("record %-8s %6.1f M/s %6.2f bytes each\n", what, n / best.seconds / 1e6,
           best.bytes / n);
    return true;
}

int
main(void)
{
    return show_cost("values", tell_samples, (double)N_SAMPLES * N_SERIES) &&
                   show_cost("events", tell_events, N_EVENTS)
               ? 0
               : 1;
}

/* The distributions of workloads/. To add one, add a file there, and its name here and in the
 * build.
 */

#include "workload/sizes.h"

extern const char wl_web_search[], wl_hadoop[], wl_google_rpc[], wl_ali_storage[], wl_enterprise[];

const struct wl_named wl_named_sizes[] = {
    { "web-search", wl_web_search }, { "hadoop", wl_hadoop },
    { "google-rpc", wl_google_rpc }, { "ali-storage", wl_ali_storage },
    { "enterprise", wl_enterprise }, { 0 },
};

// libavfilter, loaded on first use, because it loads three dozen more libraries. A process without filters should not
// load those (docs/design/decisions/frames.md).
#ifndef RECORDER_CFFMPEG_FILTERS_H
#define RECORDER_CFFMPEG_FILTERS_H
#include <dlfcn.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavfilter/version.h>
#include <libavutil/macros.h>

// The library of the version whose headers were used for this build. Other versions may have different structs.
static const char CFFMPEG_FILTER_LIBRARY[] = "libavfilter.so." AV_STRINGIFY(LIBAVFILTER_VERSION_MAJOR);

struct cffmpeg_filters {
    AVFilterGraph *(*graph_alloc)(void);
    void (*graph_free)(AVFilterGraph **graph);
    const AVFilter *(*get_by_name)(const char *name);
    int (*create_filter)(AVFilterContext **made, const AVFilter *filter, const char *name, const char *arguments,
                         void *opaque, AVFilterGraph *graph);
    int (*link)(AVFilterContext *source, unsigned source_pad, AVFilterContext *target, unsigned target_pad);
    int (*config)(AVFilterGraph *graph, void *log_context);
    int (*add_frame)(AVFilterContext *source, AVFrame *frame, int flags);
    int (*get_frame)(AVFilterContext *sink, AVFrame *frame);
};

// Loads libavfilter. Returns NULL, or the dynamic linker's message about the missing library or function.
static inline const char *cffmpeg_load_filters(struct cffmpeg_filters *filters) {
    void *library = dlopen(CFFMPEG_FILTER_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (!library) return dlerror();
    const struct { const char *name; void **place; } functions[] = {
        {"avfilter_graph_alloc", (void **)&filters->graph_alloc},
        {"avfilter_graph_free", (void **)&filters->graph_free},
        {"avfilter_get_by_name", (void **)&filters->get_by_name},
        {"avfilter_graph_create_filter", (void **)&filters->create_filter},
        {"avfilter_link", (void **)&filters->link},
        {"avfilter_graph_config", (void **)&filters->config},
        {"av_buffersrc_add_frame_flags", (void **)&filters->add_frame},
        {"av_buffersink_get_frame", (void **)&filters->get_frame},
    };
    for (unsigned index = 0; index < sizeof functions / sizeof *functions; index++) {
        *functions[index].place = dlsym(library, functions[index].name);
        if (!*functions[index].place) return dlerror();
    }
    return NULL;
}
#endif

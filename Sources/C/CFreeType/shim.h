// FreeType and fontconfig, loaded on first use: a recorder without text in its frames does not need them
// (docs/design/decisions/stamp.md). The declarations are the beginnings of FreeType's structs (FT_FaceRec, FT_SizeRec,
// FT_GlyphSlotRec, FT_Bitmap), which are the same in every release of libfreetype.so.6.
#ifndef RECORDER_CFREETYPE_SHIM_H
#define RECORDER_CFREETYPE_SHIM_H
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

struct cfreetype_bitmap {
    unsigned int rows, width;
    int pitch;
    unsigned char *buffer;
    unsigned short gray_count;
    unsigned char pixel_mode, palette_mode;
    void *palette;
};

struct cfreetype_slot {
    void *library, *face, *next;
    unsigned int glyph_index;
    void *generic[2];
    long metrics[8];
    long linear_advance[2];
    long advance_x, advance_y;
    int format;
    struct cfreetype_bitmap bitmap;
    int bitmap_left, bitmap_top;
};

struct cfreetype_size {
    void *face;
    void *generic[2];
    unsigned short x_ppem, y_ppem;
    long x_scale, y_scale, ascender, descender, height, max_advance;
};

struct cfreetype_face {
    long face_count, face_index, face_flags, style_flags, glyph_count;
    char *family_name, *style_name;
    int fixed_size_count;
    void *fixed_sizes;
    int charmap_count;
    void *charmaps;
    void *generic[2];
    long bounding_box[4];
    unsigned short units_per_em;
    short metrics[7];
    struct cfreetype_slot *glyph;
    struct cfreetype_size *size;
};

static const long CFREETYPE_SCALABLE = 1;                 // FT_FACE_FLAG_SCALABLE
static const int CFREETYPE_RENDER = 1 << 2 | 1 << 3;      // FT_LOAD_RENDER | FT_LOAD_NO_BITMAP
static const unsigned char CFREETYPE_GRAY = 2;            // FT_PIXEL_MODE_GRAY

struct cfreetype {
    int (*make_library)(void **library);
    int (*open_font)(void *library, const unsigned char *bytes, long count, long index, struct cfreetype_face **face);
    int (*set_size)(struct cfreetype_face *face, unsigned int width, unsigned int height);
    int (*load_character)(struct cfreetype_face *face, unsigned long character, int flags);
    int (*close_font)(struct cfreetype_face *face);
    int (*free_library)(void *library);
};

// Loads FreeType. Returns NULL, or the dynamic linker's message about the missing library or function.
static inline const char *cfreetype_load(struct cfreetype *functions) {
    void *library = dlopen("libfreetype.so.6", RTLD_LAZY | RTLD_LOCAL);
    if (!library) return dlerror();
    const struct { const char *name; void **place; } names[] = {
        {"FT_Init_FreeType", (void **)&functions->make_library},
        {"FT_New_Memory_Face", (void **)&functions->open_font},
        {"FT_Set_Pixel_Sizes", (void **)&functions->set_size},
        {"FT_Load_Char", (void **)&functions->load_character},
        {"FT_Done_Face", (void **)&functions->close_font},
        {"FT_Done_FreeType", (void **)&functions->free_library},
    };
    for (unsigned index = 0; index < sizeof names / sizeof *names; index++) {
        *names[index].place = dlsym(library, names[index].name);
        if (!*names[index].place) return dlerror();
    }
    return NULL;
}

enum cfontconfig_result { CFONTCONFIG_FOUND, CFONTCONFIG_MISSING, CFONTCONFIG_NO_LIBRARY };

// Returns whether a family name means a kind of font, such as "monospace". fontconfig chooses a font of that kind.
static inline int cfontconfig_is_generic(const char *family) {
    return !strcasecmp(family, "monospace") || !strcasecmp(family, "mono") || !strcasecmp(family, "sans")
        || !strcasecmp(family, "sans-serif") || !strcasecmp(family, "serif");
}

// Finds the font file for a fontconfig pattern, such as "DejaVu Sans Mono:bold". fontconfig always returns some font; a
// font of another family counts as missing. Reads fontconfig's configuration and caches.
static inline enum cfontconfig_result cfontconfig_find(
    const char *pattern, char *path, size_t capacity, int *index) {
    void *library = dlopen("libfontconfig.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!library) return CFONTCONFIG_NO_LIBRARY;
    void *(*make_config)(void) = (void *(*)(void))dlsym(library, "FcInitLoadConfigAndFonts");
    void (*free_config)(void *) = (void (*)(void *))dlsym(library, "FcConfigDestroy");
    void *(*parse)(const char *) = (void *(*)(const char *))dlsym(library, "FcNameParse");
    int (*substitute)(void *, void *, int) = (int (*)(void *, void *, int))dlsym(library, "FcConfigSubstitute");
    void (*complete)(void *) = (void (*)(void *))dlsym(library, "FcDefaultSubstitute");
    void *(*match)(void *, void *, int *) = (void *(*)(void *, void *, int *))dlsym(library, "FcFontMatch");
    int (*text)(void *, const char *, int, char **) =
        (int (*)(void *, const char *, int, char **))dlsym(library, "FcPatternGetString");
    int (*number)(void *, const char *, int, int *) =
        (int (*)(void *, const char *, int, int *))dlsym(library, "FcPatternGetInteger");
    void (*free_pattern)(void *) = (void (*)(void *))dlsym(library, "FcPatternDestroy");
    if (!make_config || !free_config || !parse || !substitute || !complete || !match || !text || !number
        || !free_pattern)
        return CFONTCONFIG_NO_LIBRARY;
    enum cfontconfig_result result = CFONTCONFIG_MISSING;
    void *config = make_config(), *wanted = parse(pattern), *found = NULL;
    char *family = NULL, *name = NULL, *file = NULL;
    char asked[256] = "";
    int ignored = 0;
    if (config && wanted && !text(wanted, "family", 0, &family) && strlen(family) < sizeof asked) {
        strcpy(asked, family);
        substitute(config, wanted, 0);
        complete(wanted);
        found = match(config, wanted, &ignored);
    }
    int is_right = cfontconfig_is_generic(asked);
    for (int at = 0; found && !is_right && !text(found, "family", at, &name); at++) is_right = !strcasecmp(name, asked);
    if (found && is_right && !text(found, "file", 0, &file) && strlen(file) < capacity) {
        strcpy(path, file);
        if (number(found, "index", 0, index)) *index = 0;
        result = CFONTCONFIG_FOUND;
    }
    if (found) free_pattern(found);
    if (wanted) free_pattern(wanted);
    if (config) free_config(config);
    return result;
}
#endif

import CoreGraphics

/// The functions of Pango 1.50 or later, and the functions of Cairo and GObject that are needed for text.
///
/// The libraries are loaded when a program uses its first font or text, as `CGContext` loads Cairo. The declarations
/// correspond to those in the libraries' headers. The libraries' types are opaque here.
struct PangoCalls: @unchecked Sendable {
    // Unchecked: pointers to functions of libraries that stay loaded.
    typealias Call = @convention(c) (OpaquePointer) -> Void
    typealias Make = @convention(c) () -> OpaquePointer?
    typealias MakeFrom = @convention(c) (OpaquePointer) -> OpaquePointer?
    typealias Integer = @convention(c) (OpaquePointer) -> Int32
    typealias Text = @convention(c) (OpaquePointer) -> UnsafePointer<CChar>?
    typealias SetInteger = @convention(c) (OpaquePointer, Int32) -> Void
    typealias SetNumber = @convention(c) (OpaquePointer, Double) -> Void
    typealias SetNumbers = @convention(c) (OpaquePointer, UnsafePointer<Double>?) -> Void
    typealias SetObject = @convention(c) (OpaquePointer, OpaquePointer) -> Void
    typealias SetText = @convention(c) (OpaquePointer, UnsafePointer<CChar>?) -> Void
    typealias Glyphs = @convention(c) (OpaquePointer, OpaquePointer, OpaquePointer) -> Void

    // Objects of GObject.
    let retain: MakeFrom
    let release: Call
    // Fonts.
    let makeFontMap: Make
    let makeContext: MakeFrom
    let setFontOptions: SetObject
    let setRoundsPositions: SetInteger
    let makeDescription: Make
    let freeDescription: Call
    let setFamily: SetText
    let setAbsoluteSize: SetNumber
    let setWeight: SetInteger
    let setStyle: SetInteger
    let setCondensation: SetInteger
    /// The function takes a font map, a context and a description.
    let loadFont: @convention(c) (OpaquePointer, OpaquePointer, OpaquePointer) -> OpaquePointer?
    let describe: MakeFrom
    let family: Text
    let face: MakeFrom
    let faceName: Text
    let metrics: @convention(c) (OpaquePointer, OpaquePointer?) -> OpaquePointer?
    let releaseMetrics: Call
    let ascent: Integer
    let descent: Integer
    let height: Integer
    // Attributes: they give parts of a text their own font, color or spacing.
    let makeAttributes: Make
    let releaseAttributes: Call
    let insertAttribute: SetObject
    let fontAttribute: MakeFrom
    let colorAttribute: @convention(c) (UInt16, UInt16, UInt16) -> OpaquePointer?
    let spacingAttribute: @convention(c) (Int32) -> OpaquePointer?
    // Layouts: the lines of a paragraph.
    let makeLayout: MakeFrom
    let setText: @convention(c) (OpaquePointer, UnsafePointer<CChar>?, Int32) -> Void
    let setAttributes: SetObject
    let setWidth: SetInteger
    let setWrap: SetInteger
    let setJustify: SetInteger
    let lineCount: Integer
    let line: @convention(c) (OpaquePointer, Int32) -> OpaquePointer?
    let lineDirection: Integer
    /// The function takes glyphs, their font, and two rectangles of four numbers.
    let extents:
        @convention(c) (
            OpaquePointer, OpaquePointer, UnsafeMutablePointer<Int32>?, UnsafeMutablePointer<Int32>?
        ) -> Void
    // Glyphs on a Cairo context. The functions take the context, the font and the glyphs.
    let addPath: Glyphs
    let show: Glyphs
    // Cairo.
    let scaledFont: MakeFrom
    let fontExtents: @convention(c) (OpaquePointer, UnsafeMutablePointer<Double>?) -> Void
    let makeFontOptions: Make
    let freeFontOptions: Call
    let setHintStyle: SetInteger
    let setHintMetrics: SetInteger
    let makeSurface: @convention(c) (UnsafeMutableRawPointer, Int32, Int32, Int32, Int32) -> OpaquePointer?
    let flushSurface: Call
    let destroySurface: Call
    let makeCairo: MakeFrom
    let destroyCairo: Call
    let setMatrix: SetNumbers
    let move: @convention(c) (OpaquePointer, Double, Double) -> Void
    let copyPath: MakeFrom
    let destroyPath: Call

    /// - Parameter name: the file name of PangoCairo. The names of the other libraries are fixed.
    init(pangoCairo name: String = "libpangocairo-1.0.so.0") throws(LoadedLibrary.Missing) {
        let pangoCairo = try LoadedLibrary(name)
        let pango = try LoadedLibrary("libpango-1.0.so.0")
        let objects = try LoadedLibrary("libgobject-2.0.so.0")
        let cairo = try LoadedLibrary("libcairo.so.2")
        retain = try objects.find("g_object_ref")
        release = try objects.find("g_object_unref")
        makeFontMap = try pangoCairo.find("pango_cairo_font_map_new")
        makeContext = try pango.find("pango_font_map_create_context")
        setFontOptions = try pangoCairo.find("pango_cairo_context_set_font_options")
        setRoundsPositions = try pango.find("pango_context_set_round_glyph_positions")
        makeDescription = try pango.find("pango_font_description_new")
        freeDescription = try pango.find("pango_font_description_free")
        setFamily = try pango.find("pango_font_description_set_family")
        setAbsoluteSize = try pango.find("pango_font_description_set_absolute_size")
        setWeight = try pango.find("pango_font_description_set_weight")
        setStyle = try pango.find("pango_font_description_set_style")
        setCondensation = try pango.find("pango_font_description_set_stretch")
        loadFont = try pango.find("pango_font_map_load_font")
        describe = try pango.find("pango_font_describe")
        family = try pango.find("pango_font_description_get_family")
        face = try pango.find("pango_font_get_face")
        faceName = try pango.find("pango_font_face_get_face_name")
        metrics = try pango.find("pango_font_get_metrics")
        releaseMetrics = try pango.find("pango_font_metrics_unref")
        ascent = try pango.find("pango_font_metrics_get_ascent")
        descent = try pango.find("pango_font_metrics_get_descent")
        height = try pango.find("pango_font_metrics_get_height")
        makeAttributes = try pango.find("pango_attr_list_new")
        releaseAttributes = try pango.find("pango_attr_list_unref")
        insertAttribute = try pango.find("pango_attr_list_insert")
        fontAttribute = try pango.find("pango_attr_font_desc_new")
        colorAttribute = try pango.find("pango_attr_foreground_new")
        spacingAttribute = try pango.find("pango_attr_letter_spacing_new")
        makeLayout = try pango.find("pango_layout_new")
        setText = try pango.find("pango_layout_set_text")
        setAttributes = try pango.find("pango_layout_set_attributes")
        setWidth = try pango.find("pango_layout_set_width")
        setWrap = try pango.find("pango_layout_set_wrap")
        setJustify = try pango.find("pango_layout_set_justify")
        lineCount = try pango.find("pango_layout_get_line_count")
        line = try pango.find("pango_layout_get_line_readonly")
        lineDirection = try pango.find("pango_layout_line_get_resolved_direction")
        extents = try pango.find("pango_glyph_string_extents")
        addPath = try pangoCairo.find("pango_cairo_glyph_string_path")
        show = try pangoCairo.find("pango_cairo_show_glyph_string")
        scaledFont = try pangoCairo.find("pango_cairo_font_get_scaled_font")
        fontExtents = try cairo.find("cairo_scaled_font_extents")
        makeFontOptions = try cairo.find("cairo_font_options_create")
        freeFontOptions = try cairo.find("cairo_font_options_destroy")
        setHintStyle = try cairo.find("cairo_font_options_set_hint_style")
        setHintMetrics = try cairo.find("cairo_font_options_set_hint_metrics")
        makeSurface = try cairo.find("cairo_image_surface_create_for_data")
        flushSurface = try cairo.find("cairo_surface_flush")
        destroySurface = try cairo.find("cairo_surface_destroy")
        makeCairo = try cairo.find("cairo_create")
        destroyCairo = try cairo.find("cairo_destroy")
        setMatrix = try cairo.find("cairo_set_matrix")
        move = try cairo.find("cairo_move_to")
        copyPath = try cairo.find("cairo_copy_path")
        destroyPath = try cairo.find("cairo_path_destroy")
    }

    /// PANGO_SCALE: the number of Pango's units in one unit of length.
    static let scale = 1024.0
    /// PANGO_WRAP_CHAR and PANGO_WRAP_WORD_CHAR.
    static let wrapsCharacters: Int32 = 1
    static let wrapsWords: Int32 = 2
    /// PANGO_DIRECTION_RTL.
    static let rightToLeft: Int32 = 1
    /// CAIRO_HINT_STYLE_NONE and CAIRO_HINT_METRICS_OFF.
    static let none: Int32 = 1
    /// CAIRO_FORMAT_ARGB32.
    static let argb: Int32 = 0
}

import Foundation

/// The functions of Cairo 1.16 or later. `CGContext` draws with Cairo.
///
/// The library is loaded when a program creates its first context, so that other programs do not need it. The
/// declarations correspond to those in cairo.h. Cairo's types are opaque here, and a matrix is six numbers.
struct Cairo: @unchecked Sendable {
    // Unchecked: pointers to functions of a library that stays loaded.
    typealias Call = @convention(c) (OpaquePointer) -> Void
    typealias Make = @convention(c) (OpaquePointer) -> OpaquePointer?
    typealias Status = @convention(c) (OpaquePointer) -> Int32
    typealias SetInteger = @convention(c) (OpaquePointer, Int32) -> Void
    typealias SetNumber = @convention(c) (OpaquePointer, Double) -> Void
    typealias SetNumbers = @convention(c) (OpaquePointer, UnsafePointer<Double>?) -> Void
    typealias SetObject = @convention(c) (OpaquePointer, OpaquePointer) -> Void
    typealias Point = @convention(c) (OpaquePointer, Double, Double) -> Void

    // Surfaces: images in memory.
    let makeSurface: @convention(c) (UnsafeMutableRawPointer, Int32, Int32, Int32, Int32) -> OpaquePointer?
    let surfaceStatus: Status
    let markDirty: Call
    let flush: Call
    let finishSurface: Call
    let destroySurface: Call
    // Contexts.
    let makeContext: Make
    let contextStatus: Status
    let destroyContext: Call
    let save: Call
    let restore: Call
    let setIdentity: Call
    let setMatrix: SetNumbers
    let setOperator: SetInteger
    let setAntialias: SetInteger
    let setSource: SetObject
    let setColor: @convention(c) (OpaquePointer, Double, Double, Double, Double) -> Void
    let pushGroup: Call
    let popGroupToSource: Call
    // Paths.
    let newPath: Call
    let move: Point
    let line: Point
    let curve: @convention(c) (OpaquePointer, Double, Double, Double, Double, Double, Double) -> Void
    let closePath: Call
    let setFillRule: SetInteger
    let setLineWidth: SetNumber
    let setLineCap: SetInteger
    let setLineJoin: SetInteger
    let setMiterLimit: SetNumber
    let setDash: @convention(c) (OpaquePointer, UnsafePointer<Double>?, Int32, Double) -> Void
    // Drawing.
    let fill: Call
    let stroke: Call
    let paint: Call
    let paintWithAlpha: SetNumber
    let clip: Call
    let resetClip: Call
    let clipExtents:
        @convention(c) (
            OpaquePointer, UnsafeMutablePointer<Double>, UnsafeMutablePointer<Double>, UnsafeMutablePointer<Double>,
            UnsafeMutablePointer<Double>
        ) -> Void
    // Patterns: images as a source of color.
    let makePattern: Make
    let destroyPattern: Call
    let setPatternMatrix: SetNumbers
    let setFilter: SetInteger
    let setExtend: SetInteger

    typealias Missing = LoadedLibrary.Missing

    /// The library; nil if it is not installed. In that case, a message is printed once on standard error.
    static let loaded: Cairo? = {
        do throws(Missing) {
            return try Cairo(library: "libcairo.so.2")
        } catch {
            LoadedLibrary.report("CGContext: cannot load Cairo: \(error.reason); run `apt install libcairo2`")
            return nil
        }
    }()

    init(library name: String) throws(Missing) {
        let library = try LoadedLibrary(name)
        makeSurface = try library.find("cairo_image_surface_create_for_data")
        surfaceStatus = try library.find("cairo_surface_status")
        markDirty = try library.find("cairo_surface_mark_dirty")
        flush = try library.find("cairo_surface_flush")
        finishSurface = try library.find("cairo_surface_finish")
        destroySurface = try library.find("cairo_surface_destroy")
        makeContext = try library.find("cairo_create")
        contextStatus = try library.find("cairo_status")
        destroyContext = try library.find("cairo_destroy")
        save = try library.find("cairo_save")
        restore = try library.find("cairo_restore")
        setIdentity = try library.find("cairo_identity_matrix")
        setMatrix = try library.find("cairo_set_matrix")
        setOperator = try library.find("cairo_set_operator")
        setAntialias = try library.find("cairo_set_antialias")
        setSource = try library.find("cairo_set_source")
        setColor = try library.find("cairo_set_source_rgba")
        pushGroup = try library.find("cairo_push_group")
        popGroupToSource = try library.find("cairo_pop_group_to_source")
        newPath = try library.find("cairo_new_path")
        move = try library.find("cairo_move_to")
        line = try library.find("cairo_line_to")
        curve = try library.find("cairo_curve_to")
        closePath = try library.find("cairo_close_path")
        setFillRule = try library.find("cairo_set_fill_rule")
        setLineWidth = try library.find("cairo_set_line_width")
        setLineCap = try library.find("cairo_set_line_cap")
        setLineJoin = try library.find("cairo_set_line_join")
        setMiterLimit = try library.find("cairo_set_miter_limit")
        setDash = try library.find("cairo_set_dash")
        fill = try library.find("cairo_fill")
        stroke = try library.find("cairo_stroke")
        paint = try library.find("cairo_paint")
        paintWithAlpha = try library.find("cairo_paint_with_alpha")
        clip = try library.find("cairo_clip")
        resetClip = try library.find("cairo_reset_clip")
        clipExtents = try library.find("cairo_clip_extents")
        makePattern = try library.find("cairo_pattern_create_for_surface")
        destroyPattern = try library.find("cairo_pattern_destroy")
        setPatternMatrix = try library.find("cairo_pattern_set_matrix")
        setFilter = try library.find("cairo_pattern_set_filter")
        setExtend = try library.find("cairo_pattern_set_extend")
    }

    /// The values of cairo_format_t.
    enum SurfaceFormat: Int32 {
        /// 32-bit words with premultiplied alpha in the highest byte, then red, green and blue.
        case argb = 0
        /// The same words, but with an unused highest byte.
        case rgb = 1
    }

    /// The values of cairo_filter_t.
    enum Filter: Int32 {
        case good = 1
        case best = 2
        case nearest = 3
        case bilinear = 4
    }

    /// The values of cairo_antialias_t.
    enum Antialias: Int32 {
        case standard = 0
        case none = 1
    }

    /// CAIRO_EXTEND_PAD: a point outside an image has the color of the image's nearest pixel.
    static let extendPad: Int32 = 3
    /// CAIRO_OPERATOR_CLEAR.
    static let operatorClear: Int32 = 0
    /// The maximum width and height of an image in pixels.
    static let longestSide = 32_767
    /// The largest coordinate. Coordinates are 24.8 fixed-point numbers, so larger ones would overflow.
    static let largestCoordinate = 4_194_304.0
    /// The maximum line width in pixels: several times the longest side of an image.
    static let widestLine = 262_144.0
}

extension CGAffineTransform {
    /// The transform as a cairo_matrix_t. nil if it cannot be inverted, because such a matrix would make Cairo's
    /// context unusable.
    var cairoMatrix: [Double]? {
        let numbers = [a, b, c, d, tx, ty].map { Double($0) }
        let determinant = numbers[0] * numbers[3] - numbers[1] * numbers[2]
        guard numbers.allSatisfy({ $0.isFinite }), determinant.isFinite, determinant != 0 else { return nil }
        return numbers
    }
}

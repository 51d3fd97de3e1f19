/// The settings of a context that `saveGState` stores and `restoreGState` restores.
struct DrawingState {
    var ctm = CGAffineTransform.identity
    var fill = Ink.black
    var stroke = Ink.black
    var alpha = 1.0
    var blendMode = CGBlendMode.normal
    var interpolationQuality = CGInterpolationQuality.default
    var antialiases = true
    var lineWidth = 1.0
    var lineCap = CGLineCap.butt
    var lineJoin = CGLineJoin.miter
    var miterLimit = 10.0
    var dashLengths: [Double] = []
    var dashPhase = 0.0
    var textDrawingMode = CGTextDrawingMode.fill
    /// Cairo's clips. They are stored to set them again after an error.
    private(set) var clips: [Clip] = []

    /// Records a clip that was added to the existing clips.
    mutating func add(_ clip: Clip) {
        guard clips.last != clip else { return }
        // The number is limited, so that a program that only adds clips does not fill the memory. After an error in
        // Cairo, a context with too many clips draws nothing, because it must not draw outside its clips.
        if clips.count == Self.mostClips { clips = [.nothing] }
        clips.append(clip)
    }

    mutating func removeClips() { clips = [] }

    private static let mostClips = 256
}

/// A path that limits drawing to its inside.
struct Clip: Equatable {
    let path: PathSteps
    let rule: CGPathFillRule
    let antialiases: Bool

    /// The clip in which nothing can be drawn.
    static let nothing = Clip(path: PathSteps(), rule: .winding, antialiases: true)
}

/// A color in the space of a context, with its opacity, from 0 to 1.
struct Ink: Equatable {
    let red: Double
    let green: Double
    let blue: Double
    let alpha: Double

    static let black = Ink(red: 0, green: 0, blue: 0, alpha: 1)

    private init(red: Double, green: Double, blue: Double, alpha: Double) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// - Parameter asGray: true to replace the color by its luma.
    init(_ color: CGColor, asGray: Bool) {
        let color = color.rgba
        guard asGray, color.red != color.green || color.green != color.blue else {
            self.init(red: color.red, green: color.green, blue: color.blue, alpha: color.alpha)
            return
        }
        // The same weights as in `PixelBytes.luma`.
        let luma = (77 * color.red + 150 * color.green + 29 * color.blue) / 256
        self.init(red: luma, green: luma, blue: luma, alpha: color.alpha)
    }
}

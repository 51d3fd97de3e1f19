public import Foundation

extension CGContext {
    /// The transform from the program's coordinates to the bitmap's. The bitmap's origin is its lower left corner.
    public var ctm: CGAffineTransform { state.ctm }
    public var userSpaceToDeviceSpaceTransform: CGAffineTransform { state.ctm }

    /// Adds a translation, which is applied to a point before the existing transform.
    public func translateBy(x tx: CGFloat, y ty: CGFloat) { state.ctm = state.ctm.translatedBy(x: tx, y: ty) }

    /// Adds a scaling, which is applied to a point before the existing transform.
    public func scaleBy(x sx: CGFloat, y sy: CGFloat) { state.ctm = state.ctm.scaledBy(x: sx, y: sy) }

    /// Adds a rotation, which is applied to a point before the existing transform.
    ///
    /// - Parameter angle: radians, counterclockwise.
    public func rotate(by angle: CGFloat) { state.ctm = state.ctm.rotated(by: angle) }

    /// Adds a transform, which is applied to a point before the existing one.
    public func concatenate(_ transform: CGAffineTransform) { state.ctm = transform.concatenating(state.ctm) }

    /// Sets a factor from 0 to 1, by which the opacity of everything drawn is multiplied.
    public func setAlpha(_ alpha: CGFloat) {
        guard !alpha.isNaN else { return }
        state.alpha = min(max(0, Double(alpha)), 1)
    }

    public func setBlendMode(_ mode: CGBlendMode) { state.blendMode = mode }

    /// The quality of scaled and rotated images.
    public var interpolationQuality: CGInterpolationQuality {
        get { state.interpolationQuality }
        set { state.interpolationQuality = newValue }
    }

    /// Sets whether the edges of shapes are softened. By default, they are.
    public func setShouldAntialias(_ shouldAntialias: Bool) { state.antialiases = shouldAntialias }

    public func setFillColor(_ color: CGColor) { state.fill = Ink(color, asGray: memory.form.isGray) }
    public func setStrokeColor(_ color: CGColor) { state.stroke = Ink(color, asGray: memory.form.isGray) }

    public func setFillColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        setFillColor(CGColor(red: red, green: green, blue: blue, alpha: alpha))
    }

    public func setStrokeColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        setStrokeColor(CGColor(red: red, green: green, blue: blue, alpha: alpha))
    }

    public func setFillColor(gray: CGFloat, alpha: CGFloat) { setFillColor(CGColor(gray: gray, alpha: alpha)) }
    public func setStrokeColor(gray: CGFloat, alpha: CGFloat) { setStrokeColor(CGColor(gray: gray, alpha: alpha)) }

    /// Sets the width of lines before the transform is applied. Does nothing if the width is not positive.
    public func setLineWidth(_ width: CGFloat) {
        guard width > 0, width.isFinite else { return }
        state.lineWidth = Double(width)
    }

    public func setLineCap(_ cap: CGLineCap) { state.lineCap = cap }
    public func setLineJoin(_ join: CGLineJoin) { state.lineJoin = join }

    /// Sets the maximum length of a mitered corner's tip, as a multiple of the line width.
    public func setMiterLimit(_ limit: CGFloat) {
        guard limit >= 1, limit.isFinite else { return }
        state.miterLimit = Double(limit)
    }

    /// Sets the lengths of dashes and gaps, which alternate. Lines are solid if there are no lengths, if one is
    /// negative, or if all are 0.
    ///
    /// - Parameter phase: the position in the dash pattern at which a line begins.
    public func setLineDash(phase: CGFloat, lengths: [CGFloat]) {
        let numbers = lengths.map { Double($0) }
        let isValid = phase.isFinite && numbers.allSatisfy { $0 >= 0 && $0.isFinite } && numbers.contains { $0 > 0 }
        state.dashLengths = isValid ? numbers : []
        state.dashPhase = isValid ? Double(phase) : 0
    }
}

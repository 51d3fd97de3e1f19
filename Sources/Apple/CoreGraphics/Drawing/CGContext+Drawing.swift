import Foundation

// The steps that the public functions share. They are in Cairo's coordinates: the origin is the upper left corner, and
// y points down.
extension CGContext {
    /// The transform from the bitmap's coordinates to Cairo's.
    var flip: CGAffineTransform { CGAffineTransform(a: 1, b: 0, c: 0, d: -1, tx: 0, ty: CGFloat(height)) }

    /// The bounds of the clip; nil if nothing can be drawn.
    var clipBounds: CGRect? {
        recoverFromError()
        cairo.save(context)
        defer { cairo.restore(context) }
        cairo.setIdentity(context)
        var edges = [0.0, 0, 0, 0]
        edges.withUnsafeMutableBufferPointer { edges in
            guard let start = edges.baseAddress else { return }
            cairo.clipExtents(context, start, start + 1, start + 2, start + 3)
        }
        guard edges[0] < edges[2], edges[1] < edges[3] else { return nil }
        return CGRect(x: edges[0], y: edges[1], width: edges[2] - edges[0], height: edges[3] - edges[1])
    }

    /// Prepares Cairo, calls `body` to draw, and updates the memory. Cairo gets the current pixels before, and the
    /// memory has the new pixels afterwards.
    ///
    /// - Parameter bounds: the rectangle that may change; nil for everything inside the clip.
    func draw(within bounds: CGRect?, _ body: () -> Void) {
        guard let clip = clipBounds, var region = PixelRegion(clip, width: width, height: height) else { return }
        if let bounds {
            guard let part = PixelRegion(bounds, width: width, height: height)?.intersection(region) else { return }
            region = part
        }
        memory.load(region)
        cairo.save(context)
        cairo.setIdentity(context)
        cairo.setOperator(context, state.blendMode.cairoOperator)
        setAntialias(state.antialiases)
        body()
        cairo.restore(context)
        memory.store(region)
    }

    func fill(_ path: PathSteps, _ rule: CGPathFillRule) {
        guard let bounds = path.bounds, path.isFinite else { return }
        draw(within: bounds.applying(flip)) {
            emit(path, rule)
            use(state.fill)
            if state.blendMode.changesOutside {
                cairo.clip(context)
                cairo.paint(context)
            } else {
                cairo.fill(context)
            }
        }
    }

    func stroke(_ path: PathSteps) {
        guard let bounds = path.bounds, path.isFinite, let matrix = state.ctm.concatenating(flip).cairoMatrix else {
            return
        }
        let pen = pen
        draw(within: state.blendMode.changesOutside ? nil : widened(bounds.applying(flip))) {
            emit(path, .winding)
            use(state.stroke)
            // The current transform determines only the shape of the pen, because the points of the path were already
            // transformed.
            matrix.withUnsafeBufferPointer { cairo.setMatrix(context, $0.baseAddress) }
            cairo.setLineWidth(context, pen.width)
            cairo.setLineCap(context, state.lineCap.rawValue)
            cairo.setLineJoin(context, state.lineJoin.rawValue)
            cairo.setMiterLimit(context, pen.miterLimit)
            state.dashLengths.withUnsafeBufferPointer {
                cairo.setDash(context, $0.baseAddress, Int32(clamping: $0.count), state.dashPhase)
            }
            cairo.stroke(context)
        }
    }

    func clear(_ path: PathSteps) {
        guard let bounds = path.bounds, path.isFinite else { return }
        draw(within: bounds.applying(flip)) {
            emit(path, .winding)
            cairo.setOperator(context, Cairo.operatorClear)
            cairo.fill(context)
        }
    }

    /// Limits drawing to the inside of a path; if the path encloses no area, nothing can be drawn.
    func clip(to path: PathSteps, _ rule: CGPathFillRule) {
        recoverFromError()
        let clip = Clip(path: path.isFinite ? path : PathSteps(), rule: rule, antialiases: state.antialiases)
        state.add(clip)
        set(clip)
    }

    /// Adds a clip to Cairo's clips.
    func set(_ clip: Clip) {
        cairo.setIdentity(context)
        setAntialias(clip.antialiases)
        emit(clip.path, clip.rule)
        cairo.clip(context)
    }

    /// Passes a path to Cairo.
    func emit(_ path: PathSteps, _ rule: CGPathFillRule) {
        cairo.newPath(context)
        cairo.setFillRule(context, rule == .winding ? 0 : 1)
        let flip = flip
        func place(_ point: CGPoint) -> (x: Double, y: Double) {
            let point = point.applying(flip)
            let limit = Cairo.largestCoordinate
            return (min(max(-limit, Double(point.x)), limit), min(max(-limit, Double(point.y)), limit))
        }
        for step in path.steps {
            switch step {
            case .move(let point):
                let to = place(point)
                cairo.move(context, to.x, to.y)
            case .line(let point):
                let to = place(point)
                cairo.line(context, to.x, to.y)
            case .curve(let control1, let control2, let end):
                let (first, second, to) = (place(control1), place(control2), place(end))
                cairo.curve(context, first.x, first.y, second.x, second.y, to.x, to.y)
            case .close: cairo.closePath(context)
            }
        }
    }

    private func use(_ ink: Ink) { cairo.setColor(context, ink.red, ink.green, ink.blue, ink.alpha * state.alpha) }

    private func setAntialias(_ antialiases: Bool) {
        cairo.setAntialias(context, (antialiases ? Cairo.Antialias.standard : .none).rawValue)
    }

    /// An upper limit for the scale: the number of pixels that one unit of the program's coordinates covers in any
    /// direction.
    private var largestScale: Double {
        [state.ctm.a, state.ctm.b, state.ctm.c, state.ctm.d].reduce(0.0) { $0 + abs(Double($1)) }
    }

    /// The line width and the miter limit, reduced to values that Cairo can draw. With larger values, Cairo's
    /// coordinates would overflow, and the round corners of a very wide line would take gigabytes and minutes.
    private var pen: (width: Double, miterLimit: Double) {
        let width = min(state.lineWidth, Cairo.widestLine / largestScale)
        return (width, min(state.miterLimit, Cairo.largestCoordinate / (width * largestScale)))
    }

    /// Returns a rectangle extended on each side by the distance that the pen can reach.
    func widened(_ bounds: CGRect) -> CGRect {
        let pen = pen
        let tip = state.lineJoin == .miter ? max(pen.miterLimit, 2) : 2
        let reach = CGFloat(min(pen.width / 2 * tip * largestScale, Cairo.largestCoordinate))
        return CGRect(
            x: bounds.minX - reach, y: bounds.minY - reach, width: bounds.width + 2 * reach,
            height: bounds.height + 2 * reach)
    }
}

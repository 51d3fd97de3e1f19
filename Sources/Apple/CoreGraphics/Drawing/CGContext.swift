/// Draws into the pixels of a bitmap in memory.
///
/// The origin is at the lower left corner, and y points up. The first row in memory is the top one. Bitmaps have eight
/// bits per component and one of three forms: gray in one byte, alpha in one byte, or red, green and blue in four
/// bytes. In the last form, premultiplied alpha or an unused byte comes before or after the colors, in either byte
/// order. For example, `kCVPixelFormatType_32BGRA` is `premultipliedFirst` with `byteOrder32Little`. Colors are
/// converted only to gray, never between color spaces.
///
/// The memory is current after each call, and the program may change it between calls. Only one thread at a time may
/// use a context. Cairo does the drawing. It is loaded for the first context (`libcairo2` in Debian).
public final class CGContext {
    public let bitsPerComponent: Int
    public let bitsPerPixel: Int
    public let bitmapInfo: CGBitmapInfo
    public let colorSpace: CGColorSpace?
    let cairo: Cairo
    private(set) var context: OpaquePointer
    let memory: BitmapMemory
    var state = DrawingState()
    private var savedStates: [DrawingState] = []
    /// The current path, in the coordinates of the bitmap: `ctm` was applied when its points were added.
    var path = PathSteps()
    /// The transform from a text's coordinates to the program's. It is applied to a point before `ctm`. Its translation
    /// is `textPosition`. As in Core Graphics, `saveGState` does not store it.
    public var textMatrix = CGAffineTransform.identity

    /// Creates a context that draws into memory.
    ///
    /// - Parameters:
    ///   - data: memory of at least `bytesPerRow * height` bytes, which must outlive the context; nil to let the
    ///     context allocate memory, with all bytes 0.
    ///   - bytesPerRow: the distance from one row to the next; without `data`, 0 lets the context choose it.
    ///   - bitmapInfo: a `CGImageAlphaInfo`, with a `CGBitmapInfo` for the byte order.
    /// - Returns: nil if the size, the row length or the combination of the other parameters is not supported, or if
    ///   Cairo is not installed.
    public convenience init?(
        data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int,
        space: CGColorSpace, bitmapInfo: UInt32
    ) {
        self.init(
            data: data, width: width, height: height, bitsPerComponent: bitsPerComponent, bytesPerRow: bytesPerRow,
            space: space, bitmapInfo: bitmapInfo, releaseCallback: nil, releaseInfo: nil)
    }

    /// Creates a context that draws into memory. `releaseCallback` releases the memory afterwards.
    ///
    /// - Parameter releaseCallback: a function that is called once, with `releaseInfo` and `data`, when the context is
    ///   released. It is not called if the initializer returns nil.
    public init?(
        data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int,
        space: CGColorSpace, bitmapInfo: UInt32, releaseCallback: CGBitmapContextReleaseDataCallback?,
        releaseInfo: UnsafeMutableRawPointer?
    ) {
        let info = CGBitmapInfo(rawValue: bitmapInfo)
        let sides = 1...Cairo.longestSide
        guard bitsPerComponent == 8, sides.contains(width), sides.contains(height),
            let form = PixelBytes(drawable: info, space: space), let cairo = Cairo.loaded
        else { return nil }
        let least = width * form.count
        let rowBytes = data == nil && bytesPerRow == 0 ? (least + 63) / 64 * 64 : bytesPerRow
        guard rowBytes >= least, !rowBytes.multipliedReportingOverflow(by: height).overflow,
            let memory = BitmapMemory(
                data: data, width: width, height: height, bytesPerRow: rowBytes, form: form, cairo: cairo),
            let context = cairo.makeContext(memory.surface)
        else { return nil }
        guard cairo.contextStatus(context) == 0 else {
            cairo.destroyContext(context)
            return nil
        }
        self.bitsPerComponent = bitsPerComponent
        bitsPerPixel = 8 * form.count
        self.bitmapInfo = info
        colorSpace = form.hasColor ? space : nil
        self.cairo = cairo
        self.context = context
        self.memory = memory
        if let data, let releaseCallback { memory.whenReleased { releaseCallback(releaseInfo, data) } }
    }

    deinit { cairo.destroyContext(context) }

    public var width: Int { memory.width }
    public var height: Int { memory.height }
    public var bytesPerRow: Int { memory.bytesPerRow }
    /// The pixels, from the top row; valid while the context exists.
    public var data: UnsafeMutableRawPointer? { memory.bytes }

    public var alphaInfo: CGImageAlphaInfo {
        CGImageAlphaInfo(rawValue: bitmapInfo.intersection(.alphaInfoMask).rawValue) ?? .none
    }

    /// Stores the transform, the clip and all settings, but not the path.
    public func saveGState() {
        savedStates.append(state)
        cairo.save(context)
    }

    /// Restores what the last `saveGState` stored. Does nothing if nothing is stored.
    public func restoreGState() {
        guard let saved = savedStates.popLast() else { return }
        state = saved
        cairo.restore(context)
    }

    /// Replaces Cairo's context and surface after an error, such as lack of memory. After an error, Cairo would ignore
    /// all calls.
    ///
    /// The transform, the clip and all settings are kept. Only the shape or image of the failed call is missing.
    func recoverFromError() {
        guard cairo.contextStatus(context) != 0 || cairo.surfaceStatus(memory.surface) != 0,
            memory.replaceSurface(), let fresh = cairo.makeContext(memory.surface)
        else { return }
        cairo.destroyContext(context)
        context = fresh
        for saved in savedStates {
            cairo.resetClip(context)
            for clip in saved.clips { set(clip) }
            cairo.save(context)
        }
        cairo.resetClip(context)
        for clip in state.clips { set(clip) }
    }

    /// Does nothing, because the memory is always current.
    public func flush() {}
    /// Does nothing, because the memory is always current.
    public func synchronize() {}
}

public typealias CGBitmapContextReleaseDataCallback =
    @convention(c) (_ releaseInfo: UnsafeMutableRawPointer?, _ data: UnsafeMutableRawPointer?) -> Void

extension PixelBytes {
    /// Returns nil for pixels that a context does not support, such as pixels with alpha that is not premultiplied.
    fileprivate init?(drawable info: CGBitmapInfo, space: CGColorSpace) {
        let known = CGBitmapInfo.alphaInfoMask.union(.byteOrderMask)
        guard info.isSubset(of: known),
            let alpha = CGImageAlphaInfo(rawValue: info.intersection(.alphaInfoMask).rawValue),
            let order = CGImageByteOrderInfo(rawValue: info.intersection(.byteOrderMask).rawValue)
        else { return nil }
        switch (alpha, space.model) {
        case (.alphaOnly, _), (.none, .monochrome):
            self.init(bitsPerPixel: 8, alphaInfo: alpha, byteOrder: order, model: space.model)
        case (.premultipliedFirst, .rgb), (.premultipliedLast, .rgb), (.noneSkipFirst, .rgb), (.noneSkipLast, .rgb):
            self.init(bitsPerPixel: 32, alphaInfo: alpha, byteOrder: order, model: .rgb)
        default: return nil
        }
    }
}

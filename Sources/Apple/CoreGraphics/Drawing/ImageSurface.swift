import Glibc

/// A surface with an image, from which Cairo draws. It shares the image's memory if the image is in Cairo's form, and
/// otherwise copies the pixels.
final class ImageSurface {
    let surface: OpaquePointer
    private let cairo: Cairo
    /// The image, which is retained because the surface may share its memory.
    private let image: CGImage
    private let copy: UnsafeMutableRawPointer?

    /// - Parameter asGray: true to replace colors by their luma.
    /// - Returns: nil for an image that cannot be drawn, and if there is not enough memory.
    init?(_ image: CGImage, asGray: Bool, cairo: Cairo) {
        let (width, height, bytesPerRow) = (image.width, image.height, image.bytesPerRow)
        guard let form = image.pixelBytes, let bytes = image.dataProvider?.bytes, let start = bytes.baseAddress,
            (1...Cairo.longestSide).contains(width), (1...Cairo.longestSide).contains(height),
            bytes.count >= (height - 1) * bytesPerRow + width * form.count
        else { return nil }
        var copy: UnsafeMutableRawPointer?
        var stride = bytesPerRow
        let isShared =
            form.isCairos && !asGray && bytesPerRow % 4 == 0 && bytesPerRow <= Int(Int32.max)
            && UInt(bitPattern: start) % 4 == 0
        if !isShared {
            stride = width * 4
            copy = malloc(stride * height)
            guard let words = copy?.assumingMemoryBound(to: UInt32.self) else { return nil }
            for row in 0..<height {
                form.read(
                    (start + row * bytesPerRow).assumingMemoryBound(to: UInt8.self), count: width, asGray: asGray,
                    into: words + row * width)
            }
        }
        // The pointer may be made mutable, because Cairo only reads the memory of a source.
        let created = cairo.makeSurface(
            copy ?? UnsafeMutableRawPointer(mutating: start),
            (form.alpha == nil ? Cairo.SurfaceFormat.rgb : .argb).rawValue, Int32(width), Int32(height), Int32(stride))
        guard let surface = created, cairo.surfaceStatus(surface) == 0 else {
            if let created { cairo.destroySurface(created) }
            free(copy)
            return nil
        }
        self.surface = surface
        self.cairo = cairo
        self.image = image
        self.copy = copy
    }

    deinit {
        cairo.finishSurface(surface)
        cairo.destroySurface(surface)
        free(copy)
    }
}

import Glibc

/// The memory of a bitmap context, and the surface on which Cairo draws.
///
/// If the pixels are in Cairo's form (blue, green, red, alpha), the surface uses the bitmap's memory. Otherwise it uses
/// a copy. Before each operation, the pixels that it may change are copied from the memory. After it, they are copied
/// back, so that the memory is always current.
final class BitmapMemory {
    let bytes: UnsafeMutableRawPointer
    let width: Int
    let height: Int
    let bytesPerRow: Int
    let form: PixelBytes
    private(set) var surface: OpaquePointer
    private let shape: Shape
    private let cairo: Cairo
    /// The copy in Cairo's form, row after row; nil if Cairo draws in the memory itself.
    private let copy: UnsafeMutablePointer<UInt32>?
    private let ownsBytes: Bool
    private var release: (() -> Void)?

    /// - Parameters:
    ///   - data: the caller's memory; nil to allocate memory, with all bytes 0.
    ///   - bytesPerRow: the distance from one row to the next. The caller has checked it, like the width and the
    ///     height.
    /// - Returns: nil if there is not enough memory.
    init?(
        data: UnsafeMutableRawPointer?, width: Int, height: Int, bytesPerRow: Int, form: PixelBytes, cairo: Cairo
    ) {
        guard let bytes = data ?? calloc(height, bytesPerRow) else { return nil }
        let isDirect =
            form.isCairos && bytesPerRow % 4 == 0 && bytesPerRow <= Int(Int32.max) && UInt(bitPattern: bytes) % 4 == 0
        let copy: UnsafeMutableRawPointer? = isDirect ? nil : calloc(width * height, 4)
        let shape = Shape(width: width, height: height, bytesPerRow: isDirect ? bytesPerRow : width * 4)
        guard isDirect || copy != nil, let surface = shape.surface(of: copy ?? bytes, form, cairo) else {
            free(copy)
            if data == nil { free(bytes) }
            return nil
        }
        self.bytes = bytes
        self.width = width
        self.height = height
        self.bytesPerRow = bytesPerRow
        self.form = form
        self.cairo = cairo
        self.copy = copy?.assumingMemoryBound(to: UInt32.self)
        self.shape = shape
        self.surface = surface
        ownsBytes = data == nil
    }

    deinit {
        cairo.finishSurface(surface)
        cairo.destroySurface(surface)
        free(copy)
        if ownsBytes { free(bytes) }
        release?()
    }

    /// Replaces the surface, because a surface cannot be used after an error in Cairo.
    ///
    /// - Returns: false if there is not enough memory; the surface is then kept.
    func replaceSurface() -> Bool {
        let memory: UnsafeMutableRawPointer = copy.map { UnsafeMutableRawPointer($0) } ?? bytes
        guard let fresh = shape.surface(of: memory, form, cairo) else { return false }
        cairo.finishSurface(surface)
        cairo.destroySurface(surface)
        surface = fresh
        return true
    }

    /// Sets a function that is called once, after the last use of the caller's memory.
    func whenReleased(_ release: @escaping () -> Void) { self.release = release }

    /// Passes the current pixels of a region to Cairo, because the program may have changed them.
    func load(_ region: PixelRegion) {
        if let copy {
            for row in region.rows {
                form.read(
                    pixel(row, region), count: region.columns.count, asGray: false,
                    into: copy + (row * width + region.columns.lowerBound))
            }
        }
        cairo.markDirty(surface)
    }

    /// Writes a region's pixels to the memory after Cairo has drawn them.
    func store(_ region: PixelRegion) {
        cairo.flush(surface)
        guard let copy else { return }
        for row in region.rows {
            form.write(
                copy + (row * width + region.columns.lowerBound), count: region.columns.count, into: pixel(row, region))
        }
    }

    /// The size of a surface, and the distance between its rows.
    private struct Shape {
        let width: Int
        let height: Int
        let bytesPerRow: Int

        /// Creates a surface over memory; nil if Cairo has not enough memory.
        func surface(of memory: UnsafeMutableRawPointer, _ form: PixelBytes, _ cairo: Cairo) -> OpaquePointer? {
            let format = form.alpha == nil ? Cairo.SurfaceFormat.rgb : .argb
            let made = cairo.makeSurface(memory, format.rawValue, Int32(width), Int32(height), Int32(bytesPerRow))
            guard let surface = made, cairo.surfaceStatus(surface) == 0 else {
                if let made { cairo.destroySurface(made) }
                return nil
            }
            return surface
        }
    }

    private func pixel(_ row: Int, _ region: PixelRegion) -> UnsafeMutablePointer<UInt8> {
        (bytes + (row * bytesPerRow + region.columns.lowerBound * form.count)).assumingMemoryBound(to: UInt8.self)
    }
}

public import Foundation
import MediaTypes
import RealTime

public typealias CVBuffer = CVPixelBuffer
public typealias CVImageBuffer = CVPixelBuffer
public typealias CVReturn = Int32
public typealias CVOptionFlags = UInt64

/// A frame in memory. Its owner may change the pixels.
///
/// As with Core Video, a program must not change the pixels after it has passed the buffer to a writer, because the
/// encoder reads the same memory. Any thread may read and set the attachments.
public final class CVPixelBuffer: @unchecked Sendable {
    // Unchecked: only the owner writes the pixels, as in Core Video; everything else is constant or locked.
    private struct State {
        var color: ColorDescription
        var attachments: [String: (value: Any, mode: CVAttachmentMode)] = [:]
    }

    let layout: PixelLayout
    private let data: MediaData
    private let state: Locked<State>
    /// The attributes with which the buffer was created.
    let creationAttributes: [String: Any]

    init(_ pixels: PixelBuffer, creationAttributes: [String: Any] = [:]) {
        layout = pixels.layout
        data = pixels.data
        state = Locked(State(color: pixels.color))
        self.creationAttributes = creationAttributes
    }

    /// The same frame in the library's form, without a copy.
    var pixels: PixelBuffer { PixelBuffer(layout: layout, color: color, data: data) }

    var color: ColorDescription { state.withLock { $0.color } }
    var pixelFormatType: OSType { layout.format.code(isFullRange: color.isFullRange) }
    var isPlanar: Bool { layout.planes.count > 1 }
    var dataSize: Int { layout.byteCount }

    /// Returns the address of a plane's first row; nil for a plane that does not exist.
    func baseAddress(ofPlane index: Int) -> UnsafeMutableRawPointer? {
        guard layout.planes.indices.contains(index), let start = data.bytes.baseAddress else { return nil }
        return UnsafeMutableRawPointer(mutating: start + layout.planes[index].offset)
    }

    func attachment(_ key: String) -> (value: Any, mode: CVAttachmentMode)? {
        state.withLock { state in
            if let set = state.attachments[key] { return set }
            return ColorNames.attachments(of: state.color)[key].map { ($0, .shouldPropagate) }
        }
    }

    func attachments(_ mode: CVAttachmentMode) -> [String: Any] {
        state.withLock { state in
            var all = state.attachments.filter { $0.value.mode == mode }.mapValues(\.value)
            guard mode == .shouldPropagate else { return all }
            all.merge(ColorNames.attachments(of: state.color)) { set, _ in set }
            return all
        }
    }

    func set(_ value: Any, _ mode: CVAttachmentMode, for key: String) {
        state.withLock { state in
            if let color = ColorNames.color(state.color, with: value, for: key) { state.color = color }
            state.attachments[key] = (value, mode)
        }
    }

    func removeAttachment(_ key: String) {
        state.withLock { state in
            if let color = ColorNames.color(state.color, with: "", for: key) { state.color = color }
            state.attachments[key] = nil
        }
    }

    func removeAllAttachments() {
        for key in attachments(.shouldPropagate).keys { removeAttachment(key) }
        for key in attachments(.shouldNotPropagate).keys { removeAttachment(key) }
    }
}

extension CVPixelBuffer: Hashable {
    public static func == (a: CVPixelBuffer, b: CVPixelBuffer) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

public struct CVPixelBufferLockFlags: OptionSet, Sendable {
    public let rawValue: CVOptionFlags
    public init(rawValue: CVOptionFlags) { self.rawValue = rawValue }
    public static let readOnly = CVPixelBufferLockFlags(rawValue: 1)
}

/// Does nothing and always succeeds, because the memory never moves.
@discardableResult
public func CVPixelBufferLockBaseAddress(_ buffer: CVPixelBuffer, _ flags: CVPixelBufferLockFlags) -> CVReturn {
    kCVReturnSuccess
}
@discardableResult
public func CVPixelBufferUnlockBaseAddress(_ buffer: CVPixelBuffer, _ flags: CVPixelBufferLockFlags) -> CVReturn {
    kCVReturnSuccess
}

public func CVPixelBufferGetWidth(_ buffer: CVPixelBuffer) -> Int { buffer.layout.width }
public func CVPixelBufferGetHeight(_ buffer: CVPixelBuffer) -> Int { buffer.layout.height }
public func CVPixelBufferGetPixelFormatType(_ buffer: CVPixelBuffer) -> OSType { buffer.pixelFormatType }
public func CVPixelBufferGetDataSize(_ buffer: CVPixelBuffer) -> Int { buffer.dataSize }
public func CVPixelBufferIsPlanar(_ buffer: CVPixelBuffer) -> Bool { buffer.isPlanar }
/// Returns the number of planes; 0 for a non-planar buffer, as in Core Video.
public func CVPixelBufferGetPlaneCount(_ buffer: CVPixelBuffer) -> Int {
    buffer.isPlanar ? buffer.layout.planes.count : 0
}
/// Returns the row length of the first plane.
public func CVPixelBufferGetBytesPerRow(_ buffer: CVPixelBuffer) -> Int { buffer.layout.planes.first?.bytesPerRow ?? 0 }
/// Returns the address of the first plane. For planar buffers Core Video returns an unused descriptor instead.
public func CVPixelBufferGetBaseAddress(_ buffer: CVPixelBuffer) -> UnsafeMutableRawPointer? {
    buffer.baseAddress(ofPlane: 0)
}
public func CVPixelBufferGetBaseAddressOfPlane(_ buffer: CVPixelBuffer, _ index: Int) -> UnsafeMutableRawPointer? {
    buffer.baseAddress(ofPlane: index)
}
public func CVPixelBufferGetBytesPerRowOfPlane(_ buffer: CVPixelBuffer, _ index: Int) -> Int {
    buffer.layout.planes.indices.contains(index) ? buffer.layout.planes[index].bytesPerRow : 0
}
public func CVPixelBufferGetHeightOfPlane(_ buffer: CVPixelBuffer, _ index: Int) -> Int {
    buffer.layout.planes.indices.contains(index) ? buffer.layout.planes[index].rows : 0
}
/// Returns the width in pixels. For chroma planes, this is half of the frame's width.
public func CVPixelBufferGetWidthOfPlane(_ buffer: CVPixelBuffer, _ index: Int) -> Int {
    guard buffer.layout.planes.indices.contains(index) else { return 0 }
    return index == 0 ? buffer.layout.width : (buffer.layout.width + 1) / 2
}
public func CVPixelBufferGetExtendedPixels(
    _ buffer: CVPixelBuffer, _ left: UnsafeMutablePointer<Int>?, _ right: UnsafeMutablePointer<Int>?,
    _ top: UnsafeMutablePointer<Int>?, _ bottom: UnsafeMutablePointer<Int>?
) {
    for side in [left, right, top, bottom] { side?.pointee = 0 }
}
@discardableResult
public func CVPixelBufferFillExtendedPixels(_ buffer: CVPixelBuffer) -> CVReturn { kCVReturnSuccess }
public func CVPixelBufferCopyCreationAttributes(_ buffer: CVPixelBuffer) -> CFDictionary {
    buffer.creationAttributes as NSDictionary
}
public func CVPixelBufferGetTypeID() -> UInt { 1 }

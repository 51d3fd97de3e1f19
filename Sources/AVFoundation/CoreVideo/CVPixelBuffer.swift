public import Foundation
import MediaTypes
import RealTime

public typealias CVBuffer = CVPixelBuffer
public typealias CVImageBuffer = CVPixelBuffer
public typealias CVReturn = Int32
public typealias CVOptionFlags = UInt64

/// A picture in memory that its owner may draw into.
///
/// Who hands it to a writer must not change it any more, as with Core Video: the encoder reads the same memory. Its
/// attachments may be read and set from any thread.
public final class CVPixelBuffer: @unchecked Sendable {
    // Unchecked: the pixels are written by their owner alone, as Core Video's are; all else is constant or locked.
    private struct State {
        var color: ColorDescription
        var attachments: [String: (value: Any, mode: CVAttachmentMode)] = [:]
    }

    let layout: PixelLayout
    private let data: MediaData
    private let state: Locked<State>
    /// What it was created with.
    let creationAttributes: [String: Any]

    init(_ pixels: PixelBuffer, creationAttributes: [String: Any] = [:]) {
        layout = pixels.layout
        data = pixels.data
        state = Locked(State(color: pixels.color))
        self.creationAttributes = creationAttributes
    }

    /// The same picture for the engine, which does not copy it.
    var pixels: PixelBuffer { PixelBuffer(layout: layout, color: color, data: data) }

    var color: ColorDescription { state.withLock { $0.color } }
    var pixelFormatType: OSType { layout.format.code(isFullRange: color.isFullRange) }
    var isPlanar: Bool { layout.planes.count > 1 }
    var dataSize: Int { layout.byteCount }

    /// Where a plane's first row stands; nil for a plane that is not there.
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

/// The memory stays where it is, so that there is nothing to lock; the calls are there, and succeed.
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
/// 0 for what is in one piece, as Core Video has it.
public func CVPixelBufferGetPlaneCount(_ buffer: CVPixelBuffer) -> Int {
    buffer.isPlanar ? buffer.layout.planes.count : 0
}
/// Of the first plane.
public func CVPixelBufferGetBytesPerRow(_ buffer: CVPixelBuffer) -> Int { buffer.layout.planes.first?.bytesPerRow ?? 0 }
/// Of the first plane; of planar pictures Core Video gives a description here, which nobody reads.
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
/// In pixels: of a plane with both colours half of the picture's.
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

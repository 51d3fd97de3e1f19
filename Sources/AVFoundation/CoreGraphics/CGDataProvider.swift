public import Foundation
import MediaTypes

/// The bytes of a picture.
public final class CGDataProvider: Sendable {
    let bytes: MediaData

    init(_ bytes: MediaData) { self.bytes = bytes }

    /// Bytes as they are now.
    public convenience init?(data: CFData) {
        let copy = Data(referencing: data)
        self.init(copy.withUnsafeBytes { MediaData(copying: $0) })
    }

    /// Memory that others own.
    ///
    /// - Parameter releaseData: called on any thread when nobody needs the memory any more.
    public convenience init?(
        dataInfo info: UnsafeMutableRawPointer?, data: UnsafeRawPointer, size: Int,
        releaseData: @escaping CGDataProviderReleaseDataCallback
    ) {
        guard size >= 0 else { return nil }
        nonisolated(unsafe) let (info, data) = (info, data)
        self.init(
            MediaData(borrowing: UnsafeRawBufferPointer(start: data, count: size)) { releaseData(info, data, size) })
    }

    /// The bytes, not copied; they live as long as the data does.
    public var data: CFData? {
        let bytes = bytes
        guard let start = bytes.bytes.baseAddress else { return NSData() }
        return NSData(bytesNoCopy: UnsafeMutableRawPointer(mutating: start), length: bytes.count) { _, _ in
            withExtendedLifetime(bytes) {}
        }
    }
}

public typealias CGDataProviderReleaseDataCallback =
    @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer, Int) -> Void

public import AVFoundation
public import Foundation
import RealTime
import Synchronization

/// The settings of one photo. Each photo needs an object of its own.
open class AVCapturePhotoSettings: NSObject, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    private static let count = Atomic<Int64>(0)
    private let flash = Locked(AVCaptureDevice.FlashMode.off)

    /// A number that no other settings of this process have.
    public let uniqueID = AVCapturePhotoSettings.count.wrappingAdd(1, ordering: .relaxed).newValue
    /// A codec under `AVVideoCodecKey`, or a pixel format; nil means JPEG.
    public let format: [String: Any]?

    /// The flash for this photo. With anything but `.off` the photo fails: V4L2 has no flash.
    open var flashMode: AVCaptureDevice.FlashMode {
        get { flash.withLock { $0 } }
        set { flash.withLock { $0 = newValue } }
    }

    public convenience override init() { self.init(format: nil) }

    public init(format: [String: Any]?) {
        self.format = format
        super.init()
    }
}

/// The properties of one photo. Immutable.
open class AVCaptureResolvedPhotoSettings: NSObject, @unchecked Sendable {
    // Unchecked: immutable.
    /// The number of the settings that the photo was requested with.
    public let uniqueID: Int64
    public let photoDimensions: CMVideoDimensions
    /// Always 1.
    open var expectedPhotoCount: Int { 1 }

    init(uniqueID: Int64, photoDimensions: CMVideoDimensions) {
        self.uniqueID = uniqueID
        self.photoDimensions = photoDimensions
        super.init()
    }
}

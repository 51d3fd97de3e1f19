public import AVFoundation
public import Foundation
import RealTime
import Synchronization

/// The settings of one photo. Each photo needs its own object.
open class AVCapturePhotoSettings: NSObject, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    private static let count = Atomic<Int64>(0)
    private let flash = Locked(AVCaptureDevice.FlashMode.off)

    /// A number that is unique among all photo settings of this process.
    public let uniqueID = AVCapturePhotoSettings.count.wrappingAdd(1, ordering: .relaxed).newValue
    /// A codec under `AVVideoCodecKey`, or a pixel format; nil means JPEG.
    public let format: [String: Any]?

    /// The flash mode for this photo. The photo fails with every mode except `.off`, because V4L2 has no flash.
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
    /// The `uniqueID` of the settings with which the photo was requested.
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

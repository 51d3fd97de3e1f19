// Cameras are in a module of their own here; the program imports AVFoundation alone.
@_exported import AVCapture
import Foundation

// Declarations in UIKit, and in files of the program that are not compiled here.

public final class UIImage {
    public let cgImage: CGImage

    public init(cgImage: CGImage) { self.cgImage = cgImage }
}

enum NextLevel {
    static var assetWriterMetadata: [AVMutableMetadataItem] {
        let software = AVMutableMetadataItem()
        software.keySpace = AVMetadataKeySpace.common
        software.key = AVMetadataKey.commonKeySoftware as (NSCopying & NSObjectProtocol)
        software.value = "NextLevel" as NSString
        return [software]
    }
}

enum NextLevelError: Error {
    case unknown
    case notReadyToRecord
}

extension AVCapturePhotoSettings {
    /// The Objective-C name of the list, which Swift hides. There are no previews.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    var __availablePreviewPhotoPixelFormatTypes: [NSNumber] { [] }
}

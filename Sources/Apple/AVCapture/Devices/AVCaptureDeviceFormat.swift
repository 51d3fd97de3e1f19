public import AVFoundation
public import Foundation
import MediaTypes

extension AVCaptureDevice {
    /// One format of a device. A device keeps the same objects, so programs can compare them. Immutable.
    open class Format: NSObject, @unchecked Sendable {
        // Unchecked: immutable.
        let device: DeviceFormat
        /// The frame size and the codec or pixel format of a camera, or the rate and the channels of a microphone.
        public let formatDescription: CMFormatDescription
        /// The frame rates; empty for a microphone, and if the driver does not report them.
        public let videoSupportedFrameRateRanges: [AVFrameRateRange]
        /// The largest zoom factor of the camera; 1 without a zoom.
        public let videoMaxZoomFactor: CGFloat
        /// The shortest and the longest exposure time, in units of 100 µs; nil if the time cannot be set.
        let exposureTimes: ClosedRange<Int64>?

        init(_ device: DeviceFormat, _ rules: ControlRules) {
            self.device = device
            videoMaxZoomFactor = CGFloat(rules.largestZoom)
            exposureTimes = rules.exposureTimes
            formatDescription = CMFormatDescription(device.description)
            videoSupportedFrameRateRanges = device.rates.map { AVFrameRateRange($0) }
            super.init()
        }

        open var mediaType: AVMediaType { device.description.mediaType == .audio ? .audio : .video }

        open override var description: String {
            switch device.description {
            case .video(let video):
                let name = device.pixelFormat?.rawValue ?? video.codec.rawValue
                let rates = videoSupportedFrameRateRanges.map(\.description).joined(separator: ", ")
                return "\(video.width)×\(video.height) \(name)" + (rates.isEmpty ? "" : ", \(rates)")
            case .audio(let audio):
                return "\(audio.sampleRate) Hz, \(audio.channelCount) channels, \(audio.pcm?.rawValue ?? "")"
            case .timecode, .text, .metadata: return ""
            }
        }
    }
}

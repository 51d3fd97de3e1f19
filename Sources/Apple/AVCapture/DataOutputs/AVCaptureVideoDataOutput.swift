public import AVFoundation
public import Foundation
import MediaCodecs
import MediaTypes
import RealTime

/// Delivers the frames of a camera to a delegate.
///
/// A frame is the camera's own memory, lent until the last user of its sample buffer releases it. Appending the buffer
/// to a writer's input keeps the memory lent, and copies nothing. A frame's time is the kernel's timestamp, on the host
/// clock. A frame is copied only if the settings convert it, or if the connection rotates or mirrors it. The copy is
/// made on the delegate's queue.
open class AVCaptureVideoDataOutput: AVCaptureOutput, SynchronizableOutput, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    private struct State {
        weak var delegate: (any AVCaptureVideoDataOutputSampleBufferDelegate)?
        var queue: DispatchQueue?
        /// The path to a synchronizer, which replaces the delegate.
        var path: SynchronizedPath?
        var settings: [String: Any]?
        var discardsLate = true
        var fault: MediaError?
    }

    private let state = Locked(State())
    let delivery = Delivery(WaitingSamples(.latest, reportsDrops: true))

    public override init() { super.init() }

    /// The limits for the number and the total bytes of waiting frames, used if late frames are not discarded.
    static let patience = WaitingSamples.Limit.samples(count: 16, bytes: 96 << 20)

    // MARK: The delegate

    open var sampleBufferDelegate: (any AVCaptureVideoDataOutputSampleBufferDelegate)? {
        state.withLock { $0.delegate }
    }
    open var sampleBufferCallbackQueue: DispatchQueue? { state.withLock { $0.queue } }

    /// Sets the delegate that receives the frames. The output does not retain the delegate.
    ///
    /// - Parameter sampleBufferCallbackQueue: A serial queue, or nil for a private one. If the delegate is slow, frames
    ///   are dropped and reported to it as late. The camera is never delayed.
    open func setSampleBufferDelegate(
        _ sampleBufferDelegate: (any AVCaptureVideoDataOutputSampleBufferDelegate)?,
        queue sampleBufferCallbackQueue: DispatchQueue?
    ) {
        state.withLock { state in
            state.delegate = sampleBufferDelegate
            state.queue =
                sampleBufferDelegate == nil
                ? nil : sampleBufferCallbackQueue ?? DispatchQueue(label: "recorder.video-data-output")
        }
        restart()
    }

    private func restart() {
        let (own, path, words) = state.withLock { state in
            (state.delegate == nil ? nil : state.queue, state.path, state.settings)
        }
        guard let queue = path?.queue ?? own, let settings = try? FrameSettings(words) else { return delivery.end() }
        let preparer = FramePreparer(settings)
        delivery.begin(on: queue) { [weak self] item in self?.deliver(item, preparer, along: path) ?? .missed }
    }

    /// Calls the delegate or the synchronizer, on the queue that was set with it.
    private func deliver(
        _ item: WaitingSamples.Item, _ preparer: FramePreparer, along path: SynchronizedPath?
    ) -> Delivery.Outcome {
        let delegate = path == nil ? sampleBufferDelegate : nil
        guard path != nil || delegate != nil, let connection = connections.first else { return .missed }
        func report(_ format: FormatDescription, _ time: MediaTime, _ reason: WaitingSamples.Reason, isLoss: Bool) {
            let buffer = CMSampleBuffer(dropped: format, at: time, reason: reason.constant)
            delegate?.captureOutput(self, didDrop: buffer, from: connection)
            path?.receive(SynchronizedPath.Item(buffer: buffer, time: time, reason: reason, isLoss: isLoss))
        }
        switch item {
        case .sample(let sample):
            let time = sample.presentationTime
            guard let frame = try? preparer.prepare(sample, connection.orientation) else {
                report(sample.format, time, .lost(count: 1), isLoss: false)
                return .failed
            }
            let buffer = CMSampleBuffer(frame)
            delegate?.captureOutput(self, didOutput: buffer, from: connection)
            path?.receive(SynchronizedPath.Item(buffer: buffer, time: time, reason: nil))
        case .dropped(let drop):
            if let format = drop.format { report(format, drop.time, drop.reason, isLoss: drop.isLoss) }
        }
        return .delivered
    }

    // MARK: The form of the frames

    /// The form of the delivered frames: the pixel format under `kCVPixelBufferPixelFormatTypeKey`, and the size under
    /// the keys of width and height. If nil, frames are raw, in the camera's own format, and JPEG is decoded. If empty,
    /// JPEG is not decoded. A camera's H.264 is always delivered as packets.
    open var videoSettings: [String: Any]! {
        get { state.withLock { $0.settings } }
        set {
            state.withLock { state in
                state.settings = newValue
                state.fault = nil
                do throws(MediaError) { _ = try FrameSettings(newValue) } catch { state.fault = error }
            }
            restart()
        }
    }

    /// True if a frame that still waits is dropped when the next one comes. If false, up to 16 frames wait, with at
    /// most 96 MiB. A frame above this limit is dropped, with "out of buffers" as the reason.
    open var alwaysDiscardsLateVideoFrames: Bool {
        get { state.withLock { $0.discardsLate } }
        set {
            state.withLock { $0.discardsLate = newValue }
            delivery.setLimit(newValue ? .latest : Self.patience)
        }
    }

    /// The pixel formats that `videoSettings` accepts. The camera's own is first if the camera delivers raw frames.
    open var availableVideoPixelFormatTypes: [OSType] {
        let converted = [
            kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_420YpCbCr8Planar,
            kCVPixelFormatType_422YpCbCr8, kCVPixelFormatType_32BGRA, kCVPixelFormatType_32ARGB,
            kCVPixelFormatType_32RGBA,
        ]
        guard let video = videoFormat, let own = video.pixelFormat?.code(isFullRange: video.color.isFullRange) else {
            return converted
        }
        return [own] + converted.filter { $0 != own }
    }

    /// The codecs in which frames can be delivered. Always empty, because the output does not encode.
    open var availableVideoCodecTypes: [AVVideoCodecType] { [] }

    private var videoFormat: VideoFormat? {
        connections.first?.inputPorts.first?.device.activeFormat.device.description.video
    }

    // MARK: Settings for a writer

    open func availableVideoCodecTypesForAssetWriter(writingTo outputFileType: AVFileType) -> [AVVideoCodecType] {
        switch outputFileType {
        case .mov: [.h264, .hevc, .jpeg, .proRes422]
        case .mp4, .m4v: [.h264, .hevc]
        default: []
        }
    }

    /// Returns settings for H.264 in the size of the delivered frames; nil for a file type that is not a movie's.
    open func recommendedVideoSettingsForAssetWriter(writingTo outputFileType: AVFileType) -> [String: Any]? {
        recommendedVideoSettings(forVideoCodecType: .h264, assetWriterOutputFileType: outputFileType)
    }

    /// Returns settings for a codec, in the size of the delivered frames. Returns nil for a codec that files of this
    /// type cannot contain, and before the output belongs to a session.
    open func recommendedVideoSettings(
        forVideoCodecType videoCodecType: AVVideoCodecType, assetWriterOutputFileType outputFileType: AVFileType
    ) -> [String: Any]? {
        guard availableVideoCodecTypesForAssetWriter(writingTo: outputFileType).contains(videoCodecType),
            let video = videoFormat, video.width > 0, video.height > 0
        else { return nil }
        let swapsSides = connections.first?.orientation.swapsSides ?? false
        let delivered =
            swapsSides ? FrameSize(video.height, video.width) : FrameSize(video.width, video.height)
        let size = (try? FrameSettings(videoSettings))?.size ?? delivered
        var settings: [String: Any] = [
            AVVideoCodecKey: videoCodecType.rawValue, AVVideoWidthKey: size.width, AVVideoHeightKey: size.height,
        ]
        if let rate = connections.first?.expectedFrameRate {
            settings[AVVideoCompressionPropertiesKey] = [AVVideoExpectedSourceFrameRateKey: rate]
        }
        return settings
    }

    // MARK: The session's side

    override func accepts(_ mediaType: AVMediaType, beside connections: [AVCaptureConnection]) -> Bool {
        mediaType == .video && connections.isEmpty
    }

    override func sink(for connection: AVCaptureConnection) -> (any CaptureSink)? { delivery }
    override var fault: MediaError? { state.withLock { $0.fault } }

    /// Returns true for frames that are delivered raw.
    override func canTurn(_ codec: VideoCodec) -> Bool {
        codec == .raw || codec == .mjpeg && (try? FrameSettings(videoSettings))?.isNative != true
    }

    override func sessionIsRunning(_ isRunning: Bool) {
        state.withLock { $0.path }?.sessionIsRunning(isRunning)
    }

    func follow(_ path: SynchronizedPath) {
        state.withLock { $0.path = path }
        restart()
    }

    func leave(_ path: SynchronizedPath) {
        let isLeft = state.withLock { state in
            guard state.path === path else { return false }
            state.path = nil
            return true
        }
        if isLeft { restart() }
    }
}

extension WaitingSamples.Reason {
    /// The value of `kCMSampleBufferAttachmentKey_DroppedFrameReason`.
    var constant: String {
        switch self {
        case .late: kCMSampleBufferDroppedFrameReason_FrameWasLate
        case .full: kCMSampleBufferDroppedFrameReason_OutOfBuffers
        case .lost: kCMSampleBufferDroppedFrameReason_Discontinuity
        }
    }
}

/// The receiver of a video output's frames. Both methods are called on the queue that was passed with the delegate, one
/// call at a time.
public protocol AVCaptureVideoDataOutputSampleBufferDelegate: NSObjectProtocol {
    func captureOutput(
        _ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection)

    /// Called for a frame that the delegate does not get. The buffer has no image; its attachment
    /// `kCMSampleBufferAttachmentKey_DroppedFrameReason` has the reason. If the camera itself lost frames, the method
    /// is called once for all of them, with the time of the next frame.
    func captureOutput(
        _ output: AVCaptureOutput, didDrop sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection)
}

extension AVCaptureVideoDataOutputSampleBufferDelegate {
    public func captureOutput(
        _ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection
    ) {}

    public func captureOutput(
        _ output: AVCaptureOutput, didDrop sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection
    ) {}
}

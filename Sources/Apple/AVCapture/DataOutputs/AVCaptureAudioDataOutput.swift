public import AVFoundation
public import Foundation
import MediaTypes
import RealTime

/// Delivers the audio of a microphone to a delegate, in the microphone's own format.
///
/// A block lasts 20 to 60 ms. Its time is that of its first frame, from the kernel's timestamp, on the host clock.
open class AVCaptureAudioDataOutput: AVCaptureOutput, SynchronizableOutput, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    private struct State {
        weak var delegate: (any AVCaptureAudioDataOutputSampleBufferDelegate)?
        var queue: DispatchQueue?
        /// The path to a synchronizer, which replaces the delegate.
        var path: SynchronizedPath?
    }

    private let state = Locked(State())
    /// Ten seconds of the shortest blocks. Audio beyond that is dropped, counted, and missing in the times.
    let delivery = Delivery(WaitingSamples(.samples(count: 512, bytes: 32 << 20), reportsDrops: true))

    public override init() { super.init() }

    open var sampleBufferDelegate: (any AVCaptureAudioDataOutputSampleBufferDelegate)? {
        state.withLock { $0.delegate }
    }
    open var sampleBufferCallbackQueue: DispatchQueue? { state.withLock { $0.queue } }

    /// Sets the receiver of the audio, which is not retained.
    ///
    /// - Parameter sampleBufferCallbackQueue: A serial queue; nil: one of the output's own. Ten seconds wait for a
    ///   delegate that is slow on it.
    open func setSampleBufferDelegate(
        _ sampleBufferDelegate: (any AVCaptureAudioDataOutputSampleBufferDelegate)?,
        queue sampleBufferCallbackQueue: DispatchQueue?
    ) {
        let queue =
            sampleBufferDelegate == nil
            ? nil : sampleBufferCallbackQueue ?? DispatchQueue(label: "recorder.audio-data-output")
        state.withLock { state in
            state.delegate = sampleBufferDelegate
            state.queue = queue
        }
        restart()
    }

    private func restart() {
        let (own, path) = state.withLock { state in (state.delegate == nil ? nil : state.queue, state.path) }
        guard let queue = path?.queue ?? own else { return delivery.end() }
        delivery.begin(on: queue) { [weak self] item in self?.deliver(item, along: path) ?? .missed }
    }

    /// Calls the delegate, on its queue, or the synchronizer, on that one's. Only the latter gets reports of drops.
    private func deliver(_ item: WaitingSamples.Item, along path: SynchronizedPath?) -> Delivery.Outcome {
        switch item {
        case .sample(let sample):
            let buffer = CMSampleBuffer(sample)
            if let path {
                path.receive(SynchronizedPath.Item(buffer: buffer, time: sample.presentationTime, reason: nil))
            } else if let delegate = sampleBufferDelegate, let connection = connections.first {
                delegate.captureOutput(self, didOutput: buffer, from: connection)
            } else {
                return .missed
            }
        case .dropped(let drop):
            guard let path, let format = drop.format else { break }
            let buffer = CMSampleBuffer(dropped: format, at: drop.time, reason: drop.reason.constant)
            path.receive(
                SynchronizedPath.Item(buffer: buffer, time: drop.time, reason: drop.reason, isLoss: drop.isLoss))
        }
        return .delivered
    }

    /// Returns AAC in the microphone's rate and channels; nil for other files than movies, before the output belongs to
    /// a session, and for more than two channels, whose layout the program must choose.
    open func recommendedAudioSettingsForAssetWriter(writingTo outputFileType: AVFileType) -> [String: Any]? {
        guard [.mov, .mp4, .m4v, .m4a].contains(outputFileType),
            let audio = connections.first?.inputPorts.first?.device.activeFormat.device.description.audio,
            audio.channelCount <= 2
        else { return nil }
        return [
            AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: Double(audio.sampleRate),
            AVNumberOfChannelsKey: audio.channelCount,
        ]
    }

    // MARK: The session's side

    override func accepts(_ mediaType: AVMediaType, beside connections: [AVCaptureConnection]) -> Bool {
        mediaType == .audio && connections.isEmpty
    }

    override func sink(for connection: AVCaptureConnection) -> (any CaptureSink)? { delivery }

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

/// The receiver of an audio output's blocks, called on the queue that was set with the delegate.
public protocol AVCaptureAudioDataOutputSampleBufferDelegate: NSObjectProtocol {
    func captureOutput(
        _ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection)
}

extension AVCaptureAudioDataOutputSampleBufferDelegate {
    public func captureOutput(
        _ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection
    ) {}
}

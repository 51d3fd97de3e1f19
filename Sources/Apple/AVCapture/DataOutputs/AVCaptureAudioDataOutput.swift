public import AVFoundation
public import Foundation
import MediaCodecs
import MediaTypes
import RealTime

/// Delivers the audio of a microphone to a delegate, in the microphone's own format or in the one that `audioSettings`
/// describes.
///
/// A block lasts 20 to 60 ms. Its time is the capture time of its first audio frame, computed from the kernel's
/// timestamp, on the host clock.
open class AVCaptureAudioDataOutput: AVCaptureOutput, SynchronizableOutput, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    private struct State {
        weak var delegate: (any AVCaptureAudioDataOutputSampleBufferDelegate)?
        var queue: DispatchQueue?
        /// The path to a synchronizer, which replaces the delegate.
        var path: SynchronizedPath?
        var settings: [String: Any]?
        var fault: MediaError?
    }

    private let state = Locked(State())
    /// Holds ten seconds of the shortest blocks. If more audio waits, it is dropped and counted, and leaves a gap in
    /// the times.
    let delivery = Delivery(WaitingSamples(.samples(count: 512, bytes: 32 << 20), reportsDrops: true))

    public override init() { super.init() }

    open var sampleBufferDelegate: (any AVCaptureAudioDataOutputSampleBufferDelegate)? {
        state.withLock { $0.delegate }
    }
    open var sampleBufferCallbackQueue: DispatchQueue? { state.withLock { $0.queue } }

    /// Sets the delegate that receives the audio. The output does not retain the delegate.
    ///
    /// - Parameter sampleBufferCallbackQueue: A serial queue, or nil for a private one. Up to ten seconds of audio wait
    ///   for a slow delegate.
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
        let (own, path, words) = state.withLock { state in
            (state.delegate == nil ? nil : state.queue, state.path, state.settings)
        }
        guard let queue = path?.queue ?? own, let preparer = try? AudioPreparer(words) else { return delivery.end() }
        delivery.begin(on: queue) { [weak self] item in self?.deliver(item, preparer, along: path) ?? .missed }
    }

    /// Calls the delegate or the synchronizer, on the queue that was set with it. Only the synchronizer gets reports of
    /// drops.
    private func deliver(
        _ item: WaitingSamples.Item, _ preparer: AudioPreparer, along path: SynchronizedPath?
    ) -> Delivery.Outcome {
        let (delegate, connection) = (path == nil ? sampleBufferDelegate : nil, connections.first)
        guard path != nil || delegate != nil && connection != nil else { return .missed }
        func send(_ blocks: [SampleBuffer]) {
            for block in blocks {
                let buffer = CMSampleBuffer(block)
                if let connection { delegate?.captureOutput(self, didOutput: buffer, from: connection) }
                path?.receive(SynchronizedPath.Item(buffer: buffer, time: block.presentationTime, reason: nil))
            }
        }
        func report(_ format: FormatDescription, _ time: MediaTime, _ reason: WaitingSamples.Reason, isLoss: Bool) {
            let buffer = CMSampleBuffer(dropped: format, at: time, reason: reason.constant)
            path?.receive(SynchronizedPath.Item(buffer: buffer, time: time, reason: reason, isLoss: isLoss))
        }
        switch item {
        case .sample(let sample):
            guard let blocks = try? preparer.prepare(sample) else {
                let count = Int64(sample.sampleCount)
                report(sample.format, sample.presentationTime, .lost(count: count), isLoss: false)
                return .failed
            }
            send(blocks)
        case .dropped(let drop):
            // Audio is missing here, so the converter need not wait for more. The frames that it holds back are
            // delivered first.
            send(preparer.finish())
            if let format = drop.format { report(format, drop.time, drop.reason, isLoss: drop.isLoss) }
        }
        return .delivered
    }

    // MARK: The form of the audio

    /// The form of the audio, with the keys and rules of a reader's output: `AVFormatIDKey` must be linear PCM, and
    /// other keys set the rate, the channels and the sample format. Channels are mixed only if `AVNumberOfChannelsKey`
    /// or `AVChannelLayoutKey` differs from the microphone's channels. If nil, blocks have the microphone's own form.
    ///
    /// Audio is converted on the delegate's queue. If the rate is changed, each block begins with the last audio frames
    /// of the microphone's previous block, about 16. The block's time is that of the first of these frames. Before a
    /// gap, these frames are delivered as a separate block.
    open var audioSettings: [String: Any]! {
        get { state.withLock { $0.settings } }
        set {
            state.withLock { state in
                state.settings = newValue
                state.fault = nil
                do throws(MediaError) { _ = try AudioPreparer(newValue) } catch { state.fault = error }
            }
            restart()
        }
    }

    /// Returns settings for AAC with the rate and the channels of the blocks.
    ///
    /// Returns nil if the file type is not a movie's, or if the output does not belong to a session yet. Also returns
    /// nil if AAC does not support the rate, and for more than two channels, because the program must choose their
    /// layout.
    open func recommendedAudioSettingsForAssetWriter(writingTo outputFileType: AVFileType) -> [String: Any]? {
        guard [.mov, .mp4, .m4v, .m4a].contains(outputFileType),
            let source = connections.first?.inputPorts.first?.device.activeFormat.device.description.audio,
            let audio = try? AudioPreparer(audioSettings).format(for: source), audio.channelCount <= 2,
            AudioSettingsRules.aacRates.contains(audio.sampleRate)
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
    override var fault: MediaError? { state.withLock { $0.fault } }

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

/// The receiver of an audio output's blocks, called on the queue that was passed with the delegate.
public protocol AVCaptureAudioDataOutputSampleBufferDelegate: NSObjectProtocol {
    func captureOutput(
        _ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection)
}

extension AVCaptureAudioDataOutputSampleBufferDelegate {
    public func captureOutput(
        _ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection
    ) {}
}

public import AVFoundation
public import Foundation
import MediaTypes
import RealTime

/// An output that records to a file; `AVCaptureMovieFileOutput` is the only kind here.
open class AVCaptureFileOutput: AVCaptureOutput, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    struct Current: Sendable {
        let recording: MovieRecording
        let recipient: Recipient
        let connections: [AVCaptureConnection]
    }

    struct State: Sendable {
        var current: Current?
        var limits = RecordingLimits()
        /// The accounts of the recording that finished last.
        var finished = Ledgers()
    }

    struct Ledgers: Sendable {
        var video: Ledger?
        var audio: Ledger?
    }

    /// The delegate of one recording, retained until the recording has finished.
    struct Recipient: @unchecked Sendable {
        // Unchecked: called on the output's queue only.
        let delegate: any AVCaptureFileOutputRecordingDelegate
    }

    let state = Locked(State())
    /// The queue on which the delegate is called. The delegate may block it.
    let callbacks = DispatchQueue(label: "recorder.file-output")

    deinit { state.withLock { $0.current }?.recording.stop(.stopped) }

    // MARK: Recording

    /// Starts a recording. The delegate is called when the first frame is recorded. If no recording can start, it is
    /// called with the reason.
    ///
    /// - Parameters:
    ///   - outputFileURL: A file that does not exist yet. During the recording it is named `NAME.recording.mov`.
    ///   - delegate: Retained until the recording has finished.
    open func startRecording(
        to outputFileURL: URL, recordingDelegate delegate: any AVCaptureFileOutputRecordingDelegate
    ) {
        let (recipient, connections) = (Recipient(delegate: delegate), connections.filter(\.isActive))
        do throws(MediaError) {
            guard state.withLock({ $0.current == nil }) else {
                return refuse(
                    AVError(.recordingAlreadyInProgress), outputFileURL, recipient, connections)
            }
            let recording = try makeRecording(to: outputFileURL, connections) { [weak self] recording, event in
                self?.handle(event, of: recording)
            }
            let isFirst = state.withLock { state in
                guard state.current == nil else { return false }
                state.current = Current(recording: recording, recipient: recipient, connections: connections)
                return true
            }
            // Another thread started a recording first. This one has recorded nothing, so its file is removed. The
            // delegate is called once, with the refusal.
            guard isFirst else {
                recording.stop(.stopped)
                return refuse(AVError(.recordingAlreadyInProgress), outputFileURL, recipient, connections)
            }
            // The session has stopped meanwhile. No frame will come, and no call will end the recording, so it is ended
            // here.
            if connections.allSatisfy({ $0.sourceFormat == nil }) { stopRecording() }
        } catch {
            let code: AVError.Code? = error.code == .invalidState ? .sessionNotRunning : nil
            refuse(code.map { AVError($0, error) } ?? AVError(capturing: error), outputFileURL, recipient, connections)
        }
    }

    /// Creates a recording of these connections. Subclasses override this.
    func makeRecording(
        to url: URL, _ connections: [AVCaptureConnection], report: @escaping MovieRecording.Report
    ) throws(MediaError) -> MovieRecording {
        throw MediaError(.unsupported, "cannot record to \(url.path)", reason: "the output has no file format")
    }

    private func refuse(
        _ error: AVError, _ url: URL, _ recipient: Recipient, _ connections: [AVCaptureConnection]
    ) {
        callbacks.async {
            recipient.delegate.fileOutput(self, didFinishRecordingTo: url, from: connections, error: error)
        }
    }

    /// Ends the recording. The delegate is called when the movie is finalized, even if the output was released before.
    open func stopRecording() { recording?.stop(.stopped, keeping: self) }

    /// Pauses the recording: later samples are not recorded until `resumeRecording`.
    open func pauseRecording() { recording?.pause() }

    open func resumeRecording() { recording?.resume() }

    var recording: MovieRecording? { state.withLock { $0.current?.recording } }

    /// Called on the recording's queue.
    private func handle(_ event: MovieRecording.Event, of recording: MovieRecording) {
        guard let current = state.withLock({ $0.current }), current.recording === recording else { return }
        let (url, delegate) = (recording.url, current.recipient)
        switch event {
        case .started(let time):
            callbacks.async {
                delegate.delegate.fileOutput(
                    self, didStartRecordingTo: url, startPTS: CMTime(time), from: current.connections)
            }
        case .paused:
            callbacks.async {
                delegate.delegate.fileOutput(self, didPauseRecordingTo: url, from: current.connections)
            }
        case .resumed:
            callbacks.async {
                delegate.delegate.fileOutput(self, didResumeRecordingTo: url, from: current.connections)
            }
        case .finished(let end, let result):
            let ledgers = Ledgers(video: recording.ledger(.video), audio: recording.ledger(.audio))
            state.withLock { state in
                state.current = nil
                state.finished = ledgers
            }
            let error = Self.error(end, result)
            callbacks.async {
                delegate.delegate.fileOutput(self, didFinishRecordingTo: url, from: current.connections, error: error)
            }
        }
    }

    /// Returns the error for the way in which a recording ended; nil if the program ended it.
    static func error(_ end: RecordingLimits.End, _ result: Result<Void, MediaError>) -> AVError? {
        if case .failure(let error) = result { return AVError(error, recordingIsFinished: false) }
        switch end {
        case .stopped: return nil
        case .maximumDuration:
            return AVError(endedEarly: .maximumDurationReached, reason: "maxRecordedDuration was reached")
        case .maximumFileSize:
            return AVError(endedEarly: .maximumFileSizeReached, reason: "maxRecordedFileSize was reached")
        case .diskFull:
            return AVError(endedEarly: .diskFull, reason: "the disk has less than minFreeDiskSpaceLimit left")
        case .configurationChanged(let reason):
            return AVError(endedEarly: .sessionConfigurationChanged, reason: reason)
        case .failed(let error): return AVError(error, recordingIsFinished: true)
        }
    }

    // MARK: State

    /// The file of the recording in progress.
    open var outputFileURL: URL? { recording?.url }
    open var isRecording: Bool { recording != nil }
    open var isRecordingPaused: Bool { recording?.isPaused ?? false }
    /// The duration of the movie so far.
    open var recordedDuration: CMTime { recording.map { CMTime($0.recorded) } ?? .zero }
    /// The bytes in the file so far.
    open var recordedFileSize: Int64 { recording?.byteCount ?? 0 }

    // MARK: Limits

    /// The duration at which a recording ends automatically; `.invalid` if there is no limit.
    open var maxRecordedDuration: CMTime {
        get { CMTime(state.withLock { $0.limits.duration }) }
        set { limit { $0.duration = newValue.media } }
    }
    /// The file size in bytes at which a recording ends automatically; 0 if there is no limit. The recording ends with
    /// the fragment that exceeds the limit.
    open var maxRecordedFileSize: Int64 {
        get { state.withLock { $0.limits.fileSize } }
        set { limit { $0.fileSize = newValue } }
    }
    /// The number of free bytes on the disk below which a recording ends automatically; 0 if there is no limit.
    ///
    /// The free space is checked once a second.
    open var minFreeDiskSpaceLimit: Int64 {
        get { state.withLock { $0.limits.freeSpace } }
        set { limit { $0.freeSpace = newValue } }
    }

    private func limit(_ change: (inout RecordingLimits) -> Void) {
        let (recording, limits) = state.withLock { state in
            change(&state.limits)
            return (state.current?.recording, state.limits)
        }
        recording?.setLimits(limits)
    }

    // MARK: The session's side

    override func sessionIsRunning(_ isRunning: Bool) {
        guard isRunning else { return stopRecording() }
        guard let current = state.withLock({ $0.current }) else { return }
        let left = current.connections.filter { connection in !connections.contains { $0 === connection } }
        guard let type = left.first?.mediaType else { return }
        current.recording.stop(
            .configurationChanged("the connection of its \(type == .audio ? "audio" : "video") was removed"),
            keeping: self)
    }
}

/// The receiver of a recording's events, called on a queue of the output, one call at a time. Its methods may block.
public protocol AVCaptureFileOutputRecordingDelegate: NSObjectProtocol {
    /// Called when the first frame is recorded.
    func fileOutput(
        _ output: AVCaptureFileOutput, didStartRecordingTo fileURL: URL, from connections: [AVCaptureConnection])

    /// Called instead of the method without `startPTS`. The default implementation calls the method without it.
    func fileOutput(
        _ output: AVCaptureFileOutput, didStartRecordingTo fileURL: URL, startPTS: CMTime,
        from connections: [AVCaptureConnection])

    func fileOutput(
        _ output: AVCaptureFileOutput, didPauseRecordingTo fileURL: URL, from connections: [AVCaptureConnection])

    func fileOutput(
        _ output: AVCaptureFileOutput, didResumeRecordingTo fileURL: URL, from connections: [AVCaptureConnection])

    /// Called when the movie is finalized. The error is nil if the program ended the recording. Otherwise it is the
    /// reason, for example a limit that was reached or a full disk. The error's `recordingSuccessfullyFinished` is true
    /// if the movie can be played.
    func fileOutput(
        _ output: AVCaptureFileOutput, didFinishRecordingTo outputFileURL: URL, from connections: [AVCaptureConnection],
        error: (any Error)?)
}

extension AVCaptureFileOutputRecordingDelegate {
    public func fileOutput(
        _ output: AVCaptureFileOutput, didStartRecordingTo fileURL: URL, from connections: [AVCaptureConnection]
    ) {}

    public func fileOutput(
        _ output: AVCaptureFileOutput, didStartRecordingTo fileURL: URL, startPTS: CMTime,
        from connections: [AVCaptureConnection]
    ) {
        fileOutput(output, didStartRecordingTo: fileURL, from: connections)
    }

    public func fileOutput(
        _ output: AVCaptureFileOutput, didPauseRecordingTo fileURL: URL, from connections: [AVCaptureConnection]
    ) {}

    public func fileOutput(
        _ output: AVCaptureFileOutput, didResumeRecordingTo fileURL: URL, from connections: [AVCaptureConnection]
    ) {}
}

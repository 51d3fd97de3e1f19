package import MediaTypes

/// What the owner of a capture process can ask of it: the process itself, behind the control interface.
///
/// A moment is of the devices' clock, `CLOCK_MONOTONIC`; nil, and one that has passed, is the moment of the call: so that several
/// recorders do the same at the same instant. Any thread may call. Nothing here waits for a disk or an encoder but what is `async`. What the state does not allow
/// throws `invalidState`, with the way out.
package protocol RecordingControl: Sendable {
    /// How things stand. Asks the file system for its free space.
    var status: RecordingStatus { get }

    /// What a meter shows. Asked ten times a second for each one who looks: no file system, no waiting.
    var levels: RecordingLevels { get }

    /// What a monitoring system asks for every few seconds.
    var metrics: RecorderMetrics { get }

    /// Begins a recording, with the pre-roll before it. Returns when the first sample is in the file.
    ///
    /// - Parameter moment: it begins there exactly, as far back as packets are kept; nil: with the whole pre-roll.
    /// - Throws: `invalidState` unless armed; what prevents the beginning.
    func record(at moment: MediaTime?) async throws(MediaError) -> RecordingStatus

    /// Ends the recording, as of this moment, and returns when the file is whole. An armed process goes on waiting, any
    /// other ends.
    ///
    /// - Parameter disarms: an armed process ends too, whether it records or not.
    /// - Throws: `invalidState` when nothing is being recorded.
    func stop(disarms: Bool, at moment: MediaTime?) async throws(MediaError) -> RecordingStatus

    /// Leaves out what follows, on both tracks from the same instant.
    func pause(at moment: MediaTime?) throws(MediaError) -> RecordingStatus

    func resume(at moment: MediaTime?) throws(MediaError) -> RecordingStatus

    /// Closes this file before the next key frame, which is asked for at once, and goes on in the next one. Returns when the
    /// closed file is whole.
    ///
    /// - Returns: the closed file.
    func split() async throws(MediaError) -> RecordingStatus.Segment

    /// Writes the last so much of what is kept in memory into a file of its own, beside the recording.
    ///
    /// - Parameters:
    ///   - duration: nil for all of it.
    ///   - path: nil for a name after the recording's pattern.
    func save(last duration: MediaTime?, to path: String?) async throws(MediaError) -> RecordingStatus.Segment

    /// The same file, for somebody who is not the owner: only where recordings go. Asks the file system.
    ///
    /// - Parameter path: absolute.
    /// - Returns: its path without links.
    /// - Throws: `notPermitted` for one that lies elsewhere.
    func memberPath(_ path: String) throws(MediaError) -> String

    /// Puts a chapter at this moment.
    func mark(_ title: String, at moment: MediaTime?) throws(MediaError)

    /// The newest picture.
    func snapshot(_ format: StillImageFormat) async throws(MediaError) -> MediaData

    /// What comes behind the encoders from now on, beginning with the newest key frame; also while nothing is recorded.
    ///
    /// - Parameter limit: bytes that may wait for whoever takes them.
    /// - Returns: the formats too, as far as they are known.
    /// - Throws: `deviceLost` before the devices are open.
    func watch(limit: Int) throws(MediaError) -> (watch: LiveWatch, formats: [FormatDescription])

    /// Reads the configuration file again.
    ///
    /// - Returns: one line for each setting that changed: what it is now, or that it needs a restart.
    /// - Throws: with file, line and key; everything stays as it was.
    func reload() async throws(MediaError) -> [String]
}

/// The same at this moment.
extension RecordingControl {
    func record() async throws(MediaError) -> RecordingStatus { try await record(at: nil) }

    func stop(disarms: Bool) async throws(MediaError) -> RecordingStatus { try await stop(disarms: disarms, at: nil) }

    func pause() throws(MediaError) -> RecordingStatus { try pause(at: nil) }

    func resume() throws(MediaError) -> RecordingStatus { try resume(at: nil) }

    func mark(_ title: String) throws(MediaError) { try mark(title, at: nil) }
}

extension RecordingControl {
    package var levels: RecordingLevels { RecordingLevels(status) }
}

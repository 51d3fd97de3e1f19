package import MediaTypes
package import RecorderStorage

/// The operations of a capture process that its owner can request. The control interface offers them; the process
/// implements them.
///
/// A `moment` is a time of the devices' clock, `CLOCK_MONOTONIC`, so that several recorders can act at the same time.
/// nil, or a past time, means the time of the call. Thread-safe. Only `async` operations wait for a disk or an encoder.
/// An operation that the current state does not allow throws `invalidState`, with advice for the user.
package protocol RecordingControl: Sendable {
    /// The current status. Asks the file system for its free space.
    var status: RecordingStatus { get }

    /// The values for a meter. This property is read ten times per second for each client, so its getter must not block
    /// or use the file system.
    var levels: RecordingLevels { get }

    /// The values that a monitoring system reads every few seconds.
    var metrics: RecorderMetrics { get }

    /// Begins a recording, preceded by the pre-roll. Returns when the first sample is in the file.
    ///
    /// - Parameter moment: The exact start, which may be as early as the oldest kept packet; nil for the beginning of
    ///   the pre-roll.
    /// - Throws: `invalidState` if the process is not armed; otherwise the error that prevents the recording.
    func record(at moment: MediaTime?) async throws(MediaError) -> RecordingStatus

    /// Ends the recording now, and returns when the file is finalized. An armed process then waits for the next
    /// recording; any other process ends.
    ///
    /// - Parameter disarms: True to end an armed process too, whether it is recording or not.
    /// - Throws: `invalidState` if nothing is being recorded.
    func stop(disarms: Bool, at moment: MediaTime?) async throws(MediaError) -> RecordingStatus

    /// Pauses the recording, on both tracks at the same time.
    func pause(at moment: MediaTime?) throws(MediaError) -> RecordingStatus

    func resume(at moment: MediaTime?) throws(MediaError) -> RecordingStatus

    /// Requests a keyframe, closes the open file before that keyframe, and continues in the next file. Returns when the
    /// closed file is finalized.
    ///
    /// - Returns: The closed file.
    func split() async throws(MediaError) -> RecordingStatus.Segment

    /// Saves the last part of the pre-roll in a separate file, while the recording continues.
    ///
    /// - Parameters:
    ///   - duration: The duration to save; nil for the entire pre-roll.
    ///   - path: The path of the file; nil for a name from the recording's pattern.
    func save(last duration: MediaTime?, to path: String?) async throws(MediaError) -> RecordingStatus.Segment

    /// Checks the path to which a member of the control group wants to save: it must be in a directory of this
    /// recorder's recordings. Reads the file system.
    ///
    /// - Parameter path: An absolute path.
    /// - Returns: The path with its symbolic links resolved.
    /// - Throws: `notPermitted` for any other directory.
    func memberPath(_ path: String) throws(MediaError) -> String

    /// Sets a chapter mark at this time.
    func mark(_ title: String, at moment: MediaTime?) throws(MediaError)

    /// Returns the newest frame as an image.
    func snapshot(_ format: StillImageFormat) async throws(MediaError) -> MediaData

    /// Returns the encoded packets from now on, beginning with the newest keyframe, even while nothing is recorded.
    ///
    /// - Parameter limit: Maximum bytes that may wait for the viewer.
    /// - Returns: The viewer's registration, and the formats that are already known.
    /// - Throws: `deviceLost` before the devices are open.
    func watch(limit: Int) throws(MediaError) -> (watch: LiveWatch, formats: [FormatDescription])

    /// Returns the packets of the sub-stream from the next frame on. That frame is a keyframe.
    ///
    /// - Parameter limit: Same as for `watch`.
    /// - Throws: `invalidState` without a sub-stream; `unsupported` if the camera's packets are not decoded;
    ///   `deviceLost` before the devices are open; an error of the sub-stream's encoder.
    func watchSubstream(limit: Int) throws(MediaError) -> (watch: LiveWatch, formats: [FormatDescription])

    /// Reads the configuration file again.
    ///
    /// - Returns: One line for each setting that changed: the new value, or a note that the setting needs a restart.
    /// - Throws: An error with file, line and key. After an error, the configuration is unchanged.
    func reload() async throws(MediaError) -> [String]
}

/// The same operations at the current time.
extension RecordingControl {
    func record() async throws(MediaError) -> RecordingStatus { try await record(at: nil) }

    func stop(disarms: Bool) async throws(MediaError) -> RecordingStatus { try await stop(disarms: disarms, at: nil) }

    func pause() throws(MediaError) -> RecordingStatus { try pause(at: nil) }

    func resume() throws(MediaError) -> RecordingStatus { try resume(at: nil) }

    func mark(_ title: String) throws(MediaError) { try mark(title, at: nil) }
}

extension RecordingControl {
    package var levels: RecordingLevels { RecordingLevels(status) }

    package func watchSubstream(limit: Int) throws(MediaError) -> (watch: LiveWatch, formats: [FormatDescription]) {
        throw MediaError(.invalidState, "cannot show the sub-stream", reason: "there is none")
    }
}

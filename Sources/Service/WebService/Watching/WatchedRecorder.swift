import FileSystem
import Foundation
import MediaTypes
package import RecorderStorage

/// A recorder, as the server describes it to the page.
package struct WatchedRecorder: Encodable, Sendable, Equatable {
    /// The state that a recorder reports. If the recorder has ended, is not running or does not respond, this server
    /// sets the state instead.
    package enum State: String, Encodable, Sendable, CaseIterable {
        case armed, starting, recording, paused, stopping, failed, died, diskFull, notRunning, unreachable
    }

    /// An action that a client can request.
    package enum Action: String, Codable, Sendable, CaseIterable {
        case record, stop, pause, resume, split, mark, save, snapshot, acknowledge
    }

    package let number: UInt16
    package let name: String
    package let state: State
    package let allowed: [Action]
    @OrNull private(set) var status: RecordingStatus?
    /// How the recorder ended, without directories; nil if the user stopped it.
    @OrNull private(set) var ended: RecorderEnd?
    let isRunning: Bool

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - status: The status; nil if the recorder does not respond.
    ///   - ended: How the recorder ended; nil if the user stopped it.
    package init(
        number: UInt16, name: String, isRunning: Bool, status: RecordingStatus?, ended: RecorderEnd? = nil
    ) {
        self.number = number
        self.name = name
        self.isRunning = isRunning
        let end = isRunning ? nil : ended.map(Self.withoutDirectories)
        self.ended = end
        guard isRunning, let status else {
            let early = end.map { State(rawValue: $0.state.rawValue) ?? .failed }
            state = isRunning ? .unreachable : early ?? .notRunning
            allowed = early == nil ? [] : [.acknowledge]
            self.status = nil
            return
        }
        state = State(rawValue: status.state.rawValue) ?? .unreachable
        allowed = Self.allowed(status)
        self.status = Self.withoutDirectories(status)
    }

    private static func allowed(_ status: RecordingStatus) -> [Action] {
        let kept: [Action] = status.preRoll == nil ? [] : [.save]
        let seen: [Action] = status.video == nil ? [] : [.snapshot]
        return switch status.state {
        case .armed: [.record] + kept + seen
        case .starting: [.stop]
        case .recording: [.stop, .pause, .split, .mark] + kept + seen
        case .paused: [.stop, .resume] + kept + seen
        case .stopping, .failed: []
        }
    }

    private static func withoutDirectories(_ end: RecorderEnd) -> RecorderEnd {
        var end = end.withoutDirectories
        (end.error, end.wayOut) = (PublicWords.withoutPaths(end.error), PublicWords.withoutPaths(end.wayOut))
        return end
    }

    /// Removes directories, because remote clients must not learn where files are stored.
    private static func withoutDirectories(_ status: RecordingStatus) -> RecordingStatus {
        let words = PublicWords(status)
        var status = status
        status.error = status.error.map(words.text)
        status.warning = status.warning.map { PublicWords.withoutOptions(words.text($0)) }
        func name(_ path: String) -> String { path.lastComponent }
        status.file = status.file.map(name)
        for index in status.segments.indices {
            let path = status.segments[index].file
            status.segments[index].file = name(path)
        }
        status.mirror = status.mirror.map { copies in
            copies.map { copy in
                var copy = copy
                copy.file = name(copy.file)
                copy.error = copy.error.map(words.text)
                return copy
            }
        }
        if var retention = status.retention {
            retention.directory = nil
            retention.error = retention.error.map(words.text)
            retention.removed.named = named(retention.removed.named)
            if let planned = retention.planned { retention.planned?.named = named(planned.named) }
            status.retention = retention
        }
        if let warning = status.kept?.warning {
            // The mount point of a disk is a directory too.
            status.kept?.warning = PublicWords.withoutOptions(words.text(warning))
        }
        if var copies = status.copies {
            copies.remote = "the remote"
            copies.error = copies.error.map(words.text)
            if let path = copies.sending?.file { copies.sending?.file = name(path) }
            status.copies = copies
        }
        return status
    }

    private static func named(_ removals: [RetentionAccount.Removal]) -> [RetentionAccount.Removal] {
        removals.map { removal in
            var removal = removal
            removal.file = removal.file.lastComponent
            return removal
        }
    }

    private enum CodingKeys: CodingKey { case number, name, state, allowed, status, ended }
}

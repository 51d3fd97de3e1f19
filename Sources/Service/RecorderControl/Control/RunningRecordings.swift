package import CommandInterface
import FileSystem
import Foundation
package import MediaTypes
import RealTime
package import RecorderStorage

/// Finds the recording that a command refers to.
package struct RunningRecordings: Sendable {
    package let directory: RuntimeDirectory
    private let ends: RecorderEnds
    private let environment: [String: String]
    /// The recorder that runs this process as a hook; nil if this process is not a hook.
    private let hookOf: String?

    package init(
        in directory: RuntimeDirectory = RuntimeDirectory(),
        environment: [String: String] = ProcessText.environment
    ) {
        self.directory = directory
        self.environment = environment
        ends = RecorderEnds(in: StateDirectory(environment: environment), directory)
        hookOf = environment["RECORDER_EVENT"] == nil ? nil : environment["RECORDER_NAME"]
    }

    package var names: [RecordingName] { directory.running() }

    /// Returns the recorder with that name; without a name, the only running recorder.
    ///
    /// - Throws: The error message for the user: no recorder runs, the named recorder does not run, or several run and
    ///   the user named none.
    package func choose(_ name: RecordingName?) throws(OptionError) -> RecordingName {
        do throws(MediaError) { _ = try directory.owner() } catch { throw OptionError(error.description) }
        let names = names
        if let name {
            guard names.contains(name) else {
                if let other = ends.elsewhere(name) { throw OptionError(other.text) }
                if let end = ends.end(of: name) { throw OptionError(end.text) }
                let meant = Spelling.nearest(to: name.description, in: names.map(\.description))
                throw OptionError("\(name) is not recording" + (meant.map { "; did you mean “\($0)”?" } ?? ""))
            }
            return name
        }
        guard let first = names.first else {
            let others = ends.allElsewhere.map(\.text)
            let nothing = others.isEmpty ? ["nothing is recording"] : others
            throw OptionError((nothing + ends.all.map(\.text)).joined(separator: "\n"))
        }
        guard names.count == 1 else {
            throw OptionError(
                "several recorders are running; name one: " + names.map(\.description).joined(separator: ", "))
        }
        return first
    }

    /// The running recorders that a command refers to.
    package struct Choice: Sendable {
        package var names: [RecordingName]
        /// An error for each recorder that may belong to a group, but does not answer.
        package var unknown: [MediaError] = []

        package init(names: [RecordingName] = []) { self.names = names }
    }

    /// Returns the named recorders in the order of the names, each once; `@stage` names a group. Without names, returns
    /// the only running recorder.
    ///
    /// - Throws: Same as for the other `choose`; also an error for a group without a running member.
    package func choose(_ subjects: [RecorderSubject]) async throws(OptionError) -> Choice {
        guard !subjects.isEmpty else { return Choice(names: [try choose(RecordingName?.none)]) }
        var seen: Set<RecordingName> = []
        var chosen = Choice()
        for subject in subjects {
            switch subject {
            case .recorder(let name): chosen.names.append(try choose(name))
            case .group(let group):
                let members = await members(of: group)
                if members.names.isEmpty, members.unknown.isEmpty {
                    throw OptionError("no recorder in group \(group) is recording")
                }
                chosen.names += members.names
                chosen.unknown += members.unknown
            }
        }
        chosen.names = chosen.names.filter { seen.insert($0).inserted }
        return chosen
    }

    /// Returns the named recorders, whether they run or not, each once. A group consists of its running and its
    /// configured members.
    ///
    /// - Throws: An error for a group without members.
    package func named(_ subjects: [RecorderSubject]) async throws(OptionError) -> [RecordingName] {
        var seen: Set<RecordingName> = []
        var names: [RecordingName] = []
        for subject in subjects {
            switch subject {
            case .recorder(let name): names.append(name)
            case .group(let group):
                let configured = ConfigurationSource(.standard, environment: environment).members(of: group)
                let members = await members(of: group).names + configured
                guard !members.isEmpty else { throw OptionError("no recorder belongs to group \(group)") }
                names += members.sorted { $0.description < $1.description }
            }
        }
        return names.filter { seen.insert($0).inserted }
    }

    /// Returns the running recorders whose status names the group. If a recorder does not answer, its configuration
    /// decides; without a group there, it is unknown whether the recorder is a member.
    package func members(of group: String) async -> Choice {
        var members = Choice()
        let answers = await SeveralRecordings.ask(names) { (name) async throws(MediaError) in
            try await client(name).status().group
        }
        for (name, answer) in answers {
            switch answer {
            case .success(let found): if found == group { members.names.append(name) }
            case .failure(let error):
                // It has just ended.
                if error.code == .notFound { continue }
                let configured = try? ConfigurationSource(name, environment: environment).load()
                guard let found = configured?.group else {
                    members.unknown.append(
                        MediaError(
                            error.code, "cannot tell whether \(name) belongs to group \(group)", reason: error.reason,
                            underlying: error.underlying, wayOut: error.wayOut))
                    continue
                }
                if found == group { members.names.append(name) }
            }
        }
        return members
    }

    package func client(_ name: RecordingName) -> ControlClient { ControlClient(name, in: directory) }

    /// Ends a recording, and returns when its file is finalized. If the process ends too, the call returns once the
    /// hooks of the process have ended and its name is free again.
    ///
    /// - Parameter disarms: True to end an armed process too, which would otherwise wait for the next recording.
    package func stop(
        _ name: RecordingName, disarms: Bool = false, at moment: MediaTime? = nil
    ) async throws(MediaError) -> RecordingStatus {
        let status = try await client(name).stop(disarms: disarms, at: moment)
        // The process waits for its hooks, so a hook must not wait for the process.
        guard status.state != .armed, hookOf != name.description else { return status }
        let directory = directory
        await blockingCall("await-end") {
            let clock = MonotonicClock()
            let begin = clock.nanoseconds
            // The wait for the lock needs no short deadline. The process only closes its connections and waits for its
            // hooks, and both have time limits.
            while directory.isRunning(name), clock.nanoseconds - begin < Self.longestEnd {
                let pause: Int64 = clock.nanoseconds - begin < 1_000_000_000 ? 2_000_000 : 50_000_000
                clock.sleep(until: clock.nanoseconds + pause)
            }
        }
        return status
    }

    /// The maximum wait for the end of a process, in nanoseconds: longer than any `hook-time-limit`.
    private static let longestEnd: Int64 = 3_700_000_000_000
}

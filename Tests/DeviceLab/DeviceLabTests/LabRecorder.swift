import Foundation
import Glibc
import TestSupport

/// A `recorder run` next to the test, with a runtime and a state directory of its own.
final class LabRecorder {
    static let name = "lab"
    let name: String
    let process: LabCommand
    /// The file to which its messages are appended.
    let log: String
    private let runtime: String
    private let variables: [String]

    /// - Parameters:
    ///   - place: directory of its runtime and state directories and its log.
    ///   - state: another state directory.
    ///   - name: name of the recorder.
    ///   - environment: additional variables, as `NAME=VALUE`.
    init(
        _ arguments: [String], in place: TemporaryDirectory, state: String? = nil, name: String = LabRecorder.name,
        environment: [String] = []
    ) {
        self.name = name
        log = place.path(name == Self.name ? "recorder.log" : "\(name).log")
        runtime = place.path("runtime")
        let state = state ?? place.path("state")
        variables = ["XDG_RUNTIME_DIR=\(runtime)", "XDG_STATE_HOME=\(state)"]
        let words = ["exec", "env"] + variables + environment + [Program.recorder, "run", name] + arguments
        process = LabCommand("mkdir -p \(runtime) \(state); \(words.joined(separator: " ")) >> \(log) 2>&1")
    }

    var pid: pid_t { process.process }

    func signal(_ number: Int32) { kill(pid, number) }

    /// All messages up to now.
    var messages: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

    /// Waits until the first sample is in a file, so that the newest recording can be played. Returns false if the
    /// recorder ended.
    func waitsForStart(atMost seconds: Double = 30) -> Bool {
        eventually(within: seconds) { process.isOver() || status?.bytes ?? 0 > 0 } && !process.isOver()
    }

    // MARK: Its control interface

    /// Returns the HTTP status of the answer; 0 without an answer.
    func post(_ path: String) throws -> Int {
        let result = try Program.run(
            "curl",
            [
                "-s", "-o", "/dev/null", "-w", "%{http_code}", "-X", "POST", "--unix-socket",
                "\(runtime)/recorder/\(name).sock", "http://recorder/v1/\(path)",
            ])
        return Int(result.text) ?? 0
    }

    var status: RecorderAnswer? {
        let result = try? Program.run(
            "curl",
            ["-s", "--unix-socket", "\(runtime)/recorder/\(name).sock", "http://recorder/v1/status"])
        return (result?.output).flatMap { try? JSONDecoder().decode(RecorderAnswer.self, from: $0) }
    }

    /// Stops the recording as a user does.
    func stop() throws -> RecorderAnswer? {
        let result = try Program.run("env", variables + [Program.recorder, "stop", name, "--json"])
        return try? JSONDecoder().decode(RecorderAnswer.self, from: result.output)
    }

    // MARK: Its memory

    /// The peak memory of the process, in bytes (proc(5), VmHWM).
    var peakMemory: Int? {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.split(separator: " ")[1]) }.map { $0 * 1024 }
    }
}

/// The parts of a status that the tests read.
struct RecorderAnswer: Decodable {
    struct Track: Decodable {
        var captured: Int64
        var written: Int64
        var dropped: [String: Int64]
        var paused: Int64?
        var droppedInAll: Int64 { dropped.values.reduce(0, +) }
    }

    struct Segment: Decodable {
        var file: String
        var duration: Double?
    }

    struct Copy: Decodable {
        var file: String
        var state: String
        var missing: Int64
    }

    var state: String
    var mirror: [Copy]?
    var segments: [Segment]
    var bytes: Int64?
    var video: Track?
    var audio: Track?
    var error: String?
}

import CommandInterface
import Foundation
package import MediaTypes
import NIOCore
import NIOHTTP1
package import RecorderStorage

/// Sends requests to one capture process, as described in `docs/reference/openapi.yaml`. Each request has its own
/// connection and a deadline.
///
/// Every call throws `notFound` if no process of that name is running, even if a dead process left its socket. An error
/// that the process reports is thrown with its code.
package struct ControlClient: Sendable {
    private let name: RecordingName
    private let directory: RuntimeDirectory
    private let purpose: ControlServer.Purpose
    private var path: String { purpose == .control ? directory.socket(name) : directory.liveSocket(name) }

    /// Creates a client for one recorder.
    ///
    /// - Parameter looksOnly: True to use the read-only socket `NAME.live`, which more users may open.
    package init(_ name: RecordingName, in directory: RuntimeDirectory, looksOnly: Bool = false) {
        self.name = name
        self.directory = directory
        purpose = looksOnly ? .live : .control
    }

    /// Returns the status.
    package func status() async throws(MediaError) -> RecordingStatus {
        try await ask(.GET, "/v1/status", within: .seconds(5))
    }

    /// Begins a recording; returns when its first sample is in the file.
    ///
    /// - Parameter moment: Same as for `RecordingControl`; the other calls have this parameter too.
    package func record(at moment: MediaTime? = nil) async throws(MediaError) -> RecordingStatus {
        try await ask(.POST, "/v1/record", Self.fields(at: moment), within: .seconds(40))
    }

    /// Ends the recording; returns when the file is finalized. Finalizing may take some time on a slow disk, so the
    /// deadline is two minutes.
    ///
    /// - Parameter disarms: True to end an armed process too, instead of letting it wait for the next recording.
    package func stop(
        disarms: Bool = false, at moment: MediaTime? = nil
    ) async throws(MediaError) -> RecordingStatus {
        var fields = Self.fields(at: moment)
        if disarms { fields["disarm"] = .flag(true) }
        return try await ask(.POST, "/v1/stop", fields, within: .minutes(2))
    }

    package func pause(at moment: MediaTime? = nil) async throws(MediaError) -> RecordingStatus {
        try await ask(.POST, "/v1/pause", Self.fields(at: moment), within: .seconds(10))
    }

    package func resume(at moment: MediaTime? = nil) async throws(MediaError) -> RecordingStatus {
        try await ask(.POST, "/v1/resume", Self.fields(at: moment), within: .seconds(10))
    }

    private static func fields(at moment: MediaTime?) -> [String: Field] {
        moment.map { ["at": .seconds($0.seconds)] } ?? [:]
    }

    /// Continues in a new file. Returns the closed file once it is finalized.
    package func split() async throws(MediaError) -> RecordingStatus.Segment {
        try await ask(.POST, "/v1/split", within: .minutes(2))
    }

    /// Saves the last part of the pre-roll.
    ///
    /// - Parameters:
    ///   - duration: The duration to save; nil for the entire pre-roll.
    ///   - file: An absolute path; nil for a name from the recording's pattern.
    package func save(
        last duration: MediaTime?, to file: String?
    ) async throws(MediaError) -> RecordingStatus.Segment {
        var fields: [String: Field] = [:]
        if let duration { fields["last"] = .seconds(duration.seconds) }
        if let file { fields["file"] = .text(file) }
        return try await ask(.POST, "/v1/save", fields, within: .minutes(2))
    }

    /// Sets a chapter mark at a time; by default, at the current time.
    package func mark(_ title: String, at moment: MediaTime? = nil) async throws(MediaError) -> RecordingStatus {
        let fields = Self.fields(at: moment).merging(["title": .text(title)]) { $1 }
        return try await ask(.POST, "/v1/mark", fields, within: .seconds(10))
    }

    /// Returns the newest frame as an image.
    package func snapshot(_ format: StillImageFormat) async throws(MediaError) -> MediaData {
        // The approximate size of a lossless image of 8192 × 4320.
        let answer = try await send(
            .GET, "/v1/snapshot?format=\(format.rawValue)", body: nil, within: .seconds(30), largestAnswer: 128 << 20)
        return answer.body.withUnsafeReadableBytes { MediaData(copying: $0) }
    }

    /// Reads the configuration file again. Returns one line for each setting that changed.
    package func reload() async throws(MediaError) -> [String] {
        let answer: ReloadAnswer = try await ask(.POST, "/v1/reload", within: .seconds(30))
        return answer.changes
    }

    /// Returns the metrics in Prometheus' text format.
    ///
    /// - Parameter time: The maximum wait for the answer, in nanoseconds.
    package func metrics(within time: Int64) async throws(MediaError) -> String {
        // A recorder's metrics take about 12 KiB.
        let answer = try await send(.GET, "/metrics", body: nil, within: .nanoseconds(time), largestAnswer: 64 << 10)
        return String(decoding: answer.body.readableBytesView, as: UTF8.self)
    }

    /// Opens a stream that lasts until either side closes it: `/v1/live`, `/v1/levels`.
    ///
    /// - Returns: The stream, once its headers have arrived. A caller that does not read the stream to its end must
    ///   close it.
    package func stream(_ uri: String) async throws(MediaError) -> ControlStream {
        let deadline = TimeAmount.seconds(10)
        guard let owner = try directory.owner() else { throw Self.notRunning(name) }
        let stream: ControlStream
        do { stream = try await ControlStream.open(uri, path: path, owner: owner, within: deadline) } catch {
            throw refusal(error, deadline)
        }
        guard stream.status != .ok else { return stream }
        let body = await stream.rest(upTo: 65_536)
        let said = try? JSONDecoder().decode(ControlErrorBody.self, from: Data(body.readableBytesView))
        throw said?.mediaError ?? noUse("HTTP status \(stream.status.code)")
    }

    /// A value in a request's body.
    private enum Field: Encodable {
        case flag(Bool)
        case seconds(Double)
        case text(String)

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .flag(let value): try container.encode(value)
            case .seconds(let value): try container.encode(value)
            case .text(let value): try container.encode(value)
            }
        }
    }

    private func ask<Answer: Decodable & Sendable>(
        _ method: HTTPMethod, _ uri: String, _ fields: [String: Field] = [:], within deadline: TimeAmount
    ) async throws(MediaError) -> Answer {
        let body = fields.isEmpty ? nil : Data(JSONText.line(fields).utf8)
        let answer = try await send(method, uri, body: body, within: deadline)
        do { return try JSONDecoder().decode(Answer.self, from: Data(answer.body.readableBytesView)) } catch {
            throw noUse("\(error)")
        }
    }

    private func send(
        _ method: HTTPMethod, _ uri: String, body: Data?, within deadline: TimeAmount, largestAnswer: Int = 1 << 20
    ) async throws(MediaError) -> ControlExchange.Answer {
        guard let owner = try directory.owner() else { throw Self.notRunning(name) }
        var exchange = ControlExchange(path: path, owner: owner)
        exchange.largestAnswer = largestAnswer
        let answer: ControlExchange.Answer
        do {
            answer = try await exchange.send(method, uri, body: body, within: deadline)
        } catch {
            throw refusal(error, deadline)
        }
        guard answer.status != .ok else { return answer }
        let said = try? JSONDecoder().decode(ControlErrorBody.self, from: Data(answer.body.readableBytesView))
        throw said?.mediaError ?? noUse("HTTP status \(answer.status.code)")
    }

    /// Describes a failed connection. If there is no socket, or if no process listens on it, the recorder is not
    /// running.
    private func refusal(_ error: any Error, _ deadline: TimeAmount) -> MediaError {
        if error is ControlExchange.NoAnswer {
            return noUse(reason: "no answer within \(deadline.nanoseconds / 1_000_000_000) s")
        }
        if let error = error as? MediaError { return error }
        switch (error as? IOError)?.errnoCode {
        case ENOENT, ECONNREFUSED, ENOTDIR: return Self.notRunning(name)
        case EAGAIN:
            return MediaError(
                .busy, "cannot talk to \(name)", reason: "too many programs connect to \(path)",
                underlying: .errno(EAGAIN),
                wayOut: "try again")
        case let number?: return MediaError(errno: number, "cannot talk to \(name) through \(path)")
        case nil: return noUse("\(error)")
        }
    }

    private func noUse(_ why: String) -> MediaError { noUse(reason: "invalid answer (\(why))") }

    private func noUse(reason: String) -> MediaError {
        MediaError(
            .ioFailure, "cannot talk to \(name)", reason: reason,
            wayOut: "see its log: \(StateDirectory().log(name))")
    }

    static func notRunning(_ name: RecordingName) -> MediaError {
        MediaError(.notFound, "\(name)", reason: "not recording", wayOut: "`recorder start \(name)` starts it")
    }
}

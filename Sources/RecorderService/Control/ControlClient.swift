import CommandInterface
import Foundation
package import MediaTypes
import NIOCore
import NIOHTTP1

/// Talks to one capture process: what `docs/openapi.yaml` describes, one request a connection, each with a deadline.
///
/// Every call throws `notFound` when no process of that name runs, whatever socket it left behind, and what the process
/// itself says went wrong, with its code.
package struct ControlClient: Sendable {
    private let name: RecordingName
    private let directory: RuntimeDirectory
    private let purpose: ControlServer.Purpose
    private var path: String { purpose == .control ? directory.socket(name) : directory.liveSocket(name) }

    /// - Parameter looksOnly: asks the socket `NAME.live`, which more people may open, and which only shows.
    package init(_ name: RecordingName, in directory: RuntimeDirectory, looksOnly: Bool = false) {
        self.name = name
        self.directory = directory
        purpose = looksOnly ? .live : .control
    }

    /// How things stand.
    package func status() async throws(MediaError) -> RecordingStatus {
        try await ask(.GET, "/v1/status", within: .seconds(5))
    }

    /// Begins a recording; returns when its first sample is in the file.
    ///
    /// - Parameter moment: as of `RecordingControl`, whose other calls take one too.
    package func record(at moment: MediaTime? = nil) async throws(MediaError) -> RecordingStatus {
        try await ask(.POST, "/v1/record", Self.fields(at: moment), within: .seconds(40))
    }

    /// Ends the recording; returns when the file is whole. A slow disk may need a while, so this waits for two minutes.
    ///
    /// - Parameter disarms: a process that is armed ends too.
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

    /// Goes on in a new file; returns the closed one, once it is whole.
    package func split() async throws(MediaError) -> RecordingStatus.Segment {
        try await ask(.POST, "/v1/split", within: .minutes(2))
    }

    /// Writes the last so much of what is kept in memory.
    ///
    /// - Parameters:
    ///   - last: nil for all of it.
    ///   - file: an absolute path; nil for a name after the recording's pattern.
    package func save(
        last duration: MediaTime?, to file: String?
    ) async throws(MediaError) -> RecordingStatus.Segment {
        var fields: [String: Field] = [:]
        if let duration { fields["last"] = .seconds(duration.seconds) }
        if let file { fields["file"] = .text(file) }
        return try await ask(.POST, "/v1/save", fields, within: .minutes(2))
    }

    /// Puts a chapter at a moment, by default at this one.
    package func mark(_ title: String, at moment: MediaTime? = nil) async throws(MediaError) -> RecordingStatus {
        let fields = Self.fields(at: moment).merging(["title": .text(title)]) { $1 }
        return try await ask(.POST, "/v1/mark", fields, within: .seconds(10))
    }

    /// The newest picture.
    package func snapshot(_ format: StillImageFormat) async throws(MediaError) -> MediaData {
        // Without loss, a picture of 8192 × 4320 is about so large.
        let answer = try await send(
            .GET, "/v1/snapshot?format=\(format.rawValue)", body: nil, within: .seconds(30), largestAnswer: 128 << 20)
        return answer.body.withUnsafeReadableBytes { MediaData(copying: $0) }
    }

    /// Reads the configuration file again; a line for each setting that changed.
    package func reload() async throws(MediaError) -> [String] {
        let answer: ReloadAnswer = try await ask(.POST, "/v1/reload", within: .seconds(30))
        return answer.changes
    }

    /// Opens a stream that lasts as long as both sides like: `/v1/live`, `/v1/levels`.
    ///
    /// - Returns: once its head is there. Whoever does not read it to its end closes it.
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

    /// No socket, or nobody behind it: not running. Anything else is worth a word.
    private func refusal(_ error: any Error, _ deadline: TimeAmount) -> MediaError {
        if error is ControlExchange.NoAnswer {
            return noUse("none came within \(deadline.nanoseconds / 1_000_000_000) s")
        }
        if let error = error as? MediaError { return error }
        switch (error as? IOError)?.errnoCode {
        case ENOENT, ECONNREFUSED, ENOTDIR: return Self.notRunning(name)
        case EAGAIN:
            return MediaError(
                .busy, "cannot talk to \(name)", reason: "too many others connect to \(path)",
                underlying: .errno(EAGAIN),
                wayOut: "try again")
        case let number?: return MediaError(errno: number, "cannot talk to \(name) through \(path)")
        case nil: return noUse("\(error)")
        }
    }

    private func noUse(_ why: String) -> MediaError {
        MediaError(
            .ioFailure, "cannot talk to \(name)", reason: "no usable answer (\(why))",
            wayOut: "its log says more: \(StateDirectory().log(name))")
    }

    static func notRunning(_ name: RecordingName) -> MediaError {
        MediaError(.notFound, "\(name)", reason: "not recording", wayOut: "`recorder start \(name)` begins it")
    }
}

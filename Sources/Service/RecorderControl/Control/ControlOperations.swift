import CommandInterface
import Hummingbird
import MediaTypes
import NIOCore
import RealTime
import RecorderStorage

/// Carries out each request: reads its fields, calls the recording, and returns the answer.
///
/// Operations that may wait for a file system run on separate threads. Otherwise, a slow disk would block the few
/// threads that the session also needs.
struct ControlOperations: Sendable {
    private let control: any RecordingControl
    private let limits: ControlLimits
    private let clock = MonotonicClock()
    private let streams: Slots
    private let frames: Slots
    private let isClosing: @Sendable () -> Bool

    /// Creates the operations of one recorder.
    ///
    /// - Parameter isClosing: Returns true once the server is closing; level streams then end.
    init(_ control: any RecordingControl, limits: ControlLimits, isClosing: @escaping @Sendable () -> Bool) {
        self.control = control
        self.limits = limits
        self.isClosing = isClosing
        streams = Slots(limits.levelStreams)
        frames = Slots(limits.snapshots)
    }

    func status(_ request: ControlRequest) async throws -> Response {
        try request.allowQuery()
        return await statusNow()
    }

    func record(_ request: ControlRequest) async throws -> Response {
        let moment = try request.fields(MomentFields.self).moment(now: clock.nanoseconds)
        return ControlAnswer.json(try await control.record(at: moment))
    }

    func stop(_ request: ControlRequest) async throws -> Response {
        let fields = try request.fields(StopFields.self)
        let moment = try MomentFields.moment(fields.at, now: clock.nanoseconds)
        return ControlAnswer.json(try await control.stop(disarms: fields.disarm ?? false, at: moment))
    }

    func pause(_ request: ControlRequest) async throws -> Response {
        let moment = try request.fields(MomentFields.self).moment(now: clock.nanoseconds)
        return ControlAnswer.json(try control.pause(at: moment))
    }

    func resume(_ request: ControlRequest) async throws -> Response {
        let moment = try request.fields(MomentFields.self).moment(now: clock.nanoseconds)
        return ControlAnswer.json(try control.resume(at: moment))
    }

    func split(_ request: ControlRequest) async throws -> Response {
        _ = try request.fields(NoFields.self)
        return ControlAnswer.json(try await control.split())
    }

    func save(_ request: ControlRequest) async throws -> Response {
        let fields = try request.fields(SaveFields.self)
        let (duration, path) = (try fields.duration(), try fields.path())
        guard let path, request.peer != .owner else {
            return ControlAnswer.json(try await control.save(last: duration, to: path))
        }
        // Members of the control group may not write to all directories of the owner.
        let control = control
        let place = await blockingCall("look-at-place") {
            Result { () throws(MediaError) in try control.memberPath(path) }
        }
        return ControlAnswer.json(try await control.save(last: duration, to: place.get()))
    }

    func mark(_ request: ControlRequest) async throws -> Response {
        let fields = try request.fields(MarkFields.self)
        try control.mark(fields.text(), at: MomentFields.moment(fields.at, now: clock.nanoseconds))
        return await statusNow()
    }

    func snapshot(_ request: ControlRequest) async throws -> Response {
        try request.allowQuery("format")
        guard let format = StillImageFormat(rawValue: request.query["format"] ?? "jpeg") else {
            throw ControlError.badRequest("cannot take a snapshot: “format” must be jpeg or png")
        }
        guard let slot = frames.take() else { throw ControlError.tooMany("snapshots", limit: limits.snapshots) }
        defer { withExtendedLifetime(slot) {} }
        return ControlAnswer.data(try await control.snapshot(format), type: "image/\(format.rawValue)")
    }

    func levels(_ request: ControlRequest) async throws -> Response {
        try request.allowQuery()
        guard let slot = streams.take() else {
            throw ControlError.tooMany("level streams", limit: limits.levelStreams)
        }
        let (control, interval, isClosing) = (control, limits.levelInterval, isClosing)
        let body = ResponseBody { writer in
            try await withTaskExecutorPreference(ControlLoop.executor) {
                // Writing waits for the reader, so no lines queue up. A slow reader gets fewer lines, but each line is
                // current.
                while !isClosing() {
                    let levels = control.levels
                    try await writer.write(ByteBuffer(string: JSONText.line(levels) + "\n"))
                    if levels.state == .failed || levels.state == .stopping { break }
                    try await ControlLoop.executor.wait(for: interval)
                }
            }
            withExtendedLifetime(slot) {}
            try await writer.finish(nil)
        }
        return Response(
            status: .ok, headers: [.contentType: "application/x-ndjson", .cacheControl: "no-store"], body: body)
    }

    func reload(_ request: ControlRequest) async throws -> Response {
        _ = try request.fields(NoFields.self)
        return ControlAnswer.json(ReloadAnswer(changes: try await control.reload()))
    }

    func metrics(_ request: ControlRequest) async throws -> Response {
        try request.allowQuery()
        let control = control
        let text = await blockingCall("metrics") { control.metrics.prometheusText }
        return ControlAnswer.text(text, type: RecorderMetrics.prometheusContentType)
    }

    private func statusNow() async -> Response {
        let control = control
        return ControlAnswer.json(await blockingCall("status") { control.status })
    }
}

/// Limits the number of simultaneous uses.
package final class Slots: Sendable {
    private let free: Locked<Int>

    package init(_ count: Int) { free = Locked(count) }

    /// Returns a slot; nil if all are in use. A slot is released with the last reference to it, even after an error.
    package func take() -> Slot? {
        let isTaken = free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
        return isTaken ? Slot(of: self) : nil
    }

    package final class Slot: Sendable {
        private let slots: Slots

        fileprivate init(of slots: Slots) { self.slots = slots }

        deinit { slots.free.withLock { $0 += 1 } }
    }
}

import HTTPTypes
import Hummingbird
import MediaTypes
import NIOCore

/// Implements `/v1/live`: frames and audio from the encoders, until the client disconnects.
struct LiveOperations: Sendable {
    private let control: any RecordingControl
    private let limits: ControlLimits
    private let streams: Slots

    init(_ control: any RecordingControl, limits: ControlLimits) {
        self.control = control
        self.limits = limits
        streams = Slots(limits.liveStreams)
    }

    func live(_ request: ControlRequest) async throws -> Response {
        try request.allowQuery("sound", "stream")
        guard let hasAudio = [nil: true, "yes": true, "no": false][request.query["sound"]] else {
            throw ControlError.badRequest("cannot show live video: “sound” must be yes or no")
        }
        guard let isSmall = [nil: false, "main": false, "sub": true][request.query["stream"]] else {
            throw ControlError.badRequest("cannot show live video: “stream” must be main or sub")
        }
        guard let slot = streams.take() else { throw ControlError.tooMany("live streams", limit: limits.liveStreams) }
        let limit = limits.liveBytes
        let (watch, formats) = try isSmall ? control.watchSubstream(limit: limit) : control.watch(limit: limit)
        var stream = LiveStream(hasAudio: hasAudio, formats: formats, wallClock: watch.watcher.wallClock)
        let beginning = try await begin(&stream, watch.watcher)
        var headers: HTTPFields = [
            .contentType: "video/mp4; codecs=\"\(stream.codecs ?? "")\"", .cacheControl: "no-store",
        ]
        for refusal in stream.refusals.values { headers[.leftOut] = refusal.description }
        let silence = limits.liveSilence
        let body = ResponseBody { [stream] writer in
            var stream = stream
            // Only a write detects that the client has disconnected, but no packets arrive during a pause. This task
            // therefore causes writes.
            let nudges = Task {
                while true {
                    try await Task.sleep(for: silence)
                    watch.watcher.nudge()
                }
            }
            defer { nudges.cancel() }
            try await withTaskExecutorPreference(ControlLoop.executor) {
                try await writer.write(ByteBuffer(bytes: beginning))
                // Writing waits for the reader. Meanwhile, packets wait in the viewer's queue, up to the queue's limit.
                while let packets = await watch.watcher.next() {
                    var bytes = ByteBuffer(bytes: packets.isEmpty ? LiveStream.nothing : [])
                    for packet in packets { bytes.writeBytes(stream.bytes(of: packet)) }
                    if bytes.readableBytes > 0 { try await writer.write(bytes) }
                }
            }
            withExtendedLifetime((slot, watch)) {}
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    /// Waits for the first packets, and returns the header and the first fragments. The first packets show which tracks
    /// can be sent.
    private func begin(_ stream: inout LiveStream, _ watcher: LiveWatcher) async throws(MediaError) -> [UInt8] {
        let patience = Task { [limits] in
            try await Task.sleep(for: limits.livePatience)
            watcher.end()
        }
        defer { patience.cancel() }
        var bytes: [UInt8] = []
        while bytes.isEmpty {
            guard let packets = await watcher.next() else {
                throw MediaError(
                    .deviceLost, "cannot show live video", reason: "no data arrived within \(limits.livePatience)",
                    wayOut: "`recorder status` shows which device is disconnected")
            }
            for packet in packets { bytes += stream.bytes(of: packet) }
            if bytes.isEmpty, let refusal = stream.refusals[.video] ?? stream.refusals[.audio] {
                throw MediaError(
                    .unsupported, "cannot show live video", reason: refusal.description,
                    wayOut: "record with --codec h264 and --audio-codec aac, or take an image with `recorder snapshot`")
            }
        }
        return bytes
    }
}

extension HTTPField.Name {
    /// The HTTP header with the reason why a track is missing in a live stream.
    fileprivate static let leftOut = HTTPField.Name("Recorder-Left-Out")!
}

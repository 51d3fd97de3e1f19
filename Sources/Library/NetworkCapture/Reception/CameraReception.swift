package import MediaTypes
package import RTSP

/// Turns the packets of a camera into samples on the monotonic clock. A value that one thread uses: it has no sockets,
/// and times are passed in.
///
/// Call `deliver` after all packets that have arrived, not after each one. If the thread could not run for a while, it
/// reads several packets at once, and only the last of them has just arrived. The arrival of that packet then
/// determines the times of all their samples.
package struct CameraReception: Sendable {
    private var streams: [StreamReception] = []
    private var clock: CameraClock
    private let writer: RTCPWriter
    private var clockNotices: Int64 = 0

    /// - Parameters:
    ///   - mostDelay: The maximum wait for a missing packet in nanoseconds; 0 within a TCP connection.
    ///   - source: A random number that identifies this receiver in reports.
    ///   - keepsOpus: True to deliver audio in Opus in packets; false to decode it.
    ///   - keyframeInterval: The time between two keyframes in nanoseconds, as an earlier connection of the camera
    ///     found it; nil if unknown.
    package init(
        _ streams: [SessionStream], mostDelay: Int64, source: UInt32, keepsOpus: Bool = false,
        keyframeInterval: Int64? = nil
    ) throws(MediaError) {
        for (index, stream) in streams.enumerated() {
            self.streams.append(
                try StreamReception(
                    stream, index: index, mostDelay: mostDelay, keepsOpus: keepsOpus, keyframeInterval: keyframeInterval
                ))
        }
        clock = CameraClock(clockRates: streams.map { max(1, $0.format.clockRate) })
        writer = RTCPWriter(source: source, name: "recorder")
    }

    /// Accepts the beginnings of the streams, as the response to PLAY states them; nil for a stream that the response
    /// does not mention.
    package mutating func begin(at beginnings: [RTPInfo.Stream?]) {
        for (index, beginning) in zip(streams.indices, beginnings) { streams[index].beginning = beginning }
    }

    /// Accepts a packet. Its samples follow with `deliver`.
    ///
    /// - Parameters:
    ///   - now: The arrival of the packet, in nanoseconds of the monotonic clock.
    ///   - wall: The wall clock, in seconds since 1970.
    package mutating func receive(
        _ packet: [UInt8], stream: Int, isControl: Bool, at now: Int64, wall: Int64
    ) {
        guard streams.indices.contains(stream) else { return }
        if isControl {
            streams[stream].receiveControl(packet, at: now, wall: wall, &clock)
        } else {
            streams[stream].receive(packet, at: now, &clock)
        }
    }

    /// Continues without packets that have been missing for long enough. Their samples follow with `deliver`.
    package mutating func poll(now: Int64) {
        for index in streams.indices { streams[index].poll(now: now, &clock) }
    }

    /// Appends the results of the packets since the last call. Each stream's samples are in order.
    package mutating func deliver(_ output: inout [ReceptionOutput]) {
        for index in streams.indices { streams[index].deliver(&clock, &output) }
        takeNotices(&output)
    }

    /// The time at which `poll` has something to do; nil if no packet is queued.
    package var deadline: Int64? {
        var earliest: Int64?
        for stream in streams {
            if let deadline = stream.deadline { earliest = min(earliest ?? deadline, deadline) }
        }
        return earliest
    }

    /// The number of streams.
    package var count: Int { streams.count }

    /// Returns the receiver report for a stream.
    package mutating func report(stream: Int, now: Int64) -> [UInt8] {
        guard streams.indices.contains(stream), let block = streams[stream].reportBlock(now: now) else {
            return writer.receiverReport()
        }
        return writer.receiverReport([block])
    }

    package func format(of type: MediaType) -> FormatDescription? {
        streams.first { $0.type == type }?.format
    }

    /// Returns the format that the camera describes for a stream that has had no samples yet; nil if the camera
    /// describes none.
    package func describedFormat(of type: MediaType) -> FormatDescription? {
        streams.first { $0.type == type }?.describedFormat
    }

    /// The encoding of the camera's audio that is decoded here; nil if it is delivered as it is.
    package var decodedAudio: String? { streams.first { $0.type == .audio }?.decoded }

    package func has(_ type: MediaType) -> Bool { streams.contains { $0.type == type } }

    /// Returns the reason why a stream has no samples, if it is not supported.
    package func problem(of type: MediaType) -> String? { streams.first { $0.type == type }?.problem }

    /// The account of all packets so far.
    package var figures: ReceptionFigures {
        var figures = ReceptionFigures()
        for (index, stream) in streams.enumerated() {
            var counts = ReceptionFigures.Stream()
            (counts.packets, counts.lost) = (stream.account.delivered, stream.account.lost)
            (counts.late, counts.duplicates) = (stream.account.late, stream.account.duplicates)
            counts.driftPPM = clock.drift(stream: index)
            counts.keyframeInterval = stream.keyframeInterval
            if stream.type == .audio { figures.audio = counts } else { figures.video = counts }
        }
        figures.clockNotices = clockNotices
        return figures
    }

    /// The packets that did not arrive, in one line; nil if all did.
    package var losses: String? {
        let parts = streams.compactMap { stream -> String? in
            let account = stream.account
            guard account.lost > 0 else { return nil }
            let late = account.late > 0 ? ", \(account.late) too late" : ""
            return "\(stream.type.rawValue): \(account.lost) of \(account.expected) packets lost\(late)"
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    private mutating func takeNotices(_ output: inout [ReceptionOutput]) {
        for notice in clock.takeNotices() {
            clockNotices += 1
            output.append(.notice(text(of: notice)))
        }
    }

    private func text(of notice: ClockNotice) -> String {
        func name(_ stream: Int) -> String { streams.indices.contains(stream) ? streams[stream].type.rawValue : "?" }
        func text(_ seconds: Double) -> String {
            let milliseconds = Int64(clamping: (seconds * 1000).rounded())
            return "\(milliseconds) ms"
        }
        switch notice {
        case .timesJumped(let stream, let seconds):
            return "the camera's times of \(name(stream)) jumped by \(text(seconds))"
        case .reportsJumped(let stream, let seconds):
            return "the reports of \(name(stream)) show that the camera's clock was set by \(text(seconds))"
        case .reportsContradictPackets(let stream, let seconds):
            return "the camera's reports of \(name(stream)) differ from its packets by \(text(seconds)), "
                + "and are not used"
        case .beginningsDisagree(let stream, let seconds):
            return "according to the response to PLAY, the camera's \(name(stream)) is late by \(text(seconds)); its "
                + "arrival is used instead"
        case .streamsDisagree(let stream, let seconds):
            return "according to its reports, the camera's \(name(stream)) is off by \(text(seconds)); its arrival is "
                + "used instead"
        case .reportsUnsteady(let stream): return "the camera's reports of \(name(stream)) contradict each other"
        case .reportsStandStill(let stream): return "the camera's clock in the reports of \(name(stream)) does not run"
        case .withoutWallClock(let stream): return "the camera's reports of \(name(stream)) have no clock"
        case .wrongDate(let seconds):
            return "the camera's date is wrong by \(seconds / 86_400) days; recordings use this machine's date"
        }
    }
}

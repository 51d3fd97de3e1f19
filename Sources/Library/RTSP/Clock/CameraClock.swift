package import MediaTypes

/// The clock of one network camera: maps the RTP times of its streams to the monotonic clock. A pure value.
///
/// Three sources of information are used, from the most to the least certain. The arrival of packets gives each
/// stream's time and drift, except for the delay of the encoder and the network (`ArrivalLine`). Sender reports relate
/// the streams to each other by the camera's wall clock. Then the delay of the fastest stream applies to all streams,
/// and audio and video are in sync. Before the first reports, the response to PLAY relates the streams
/// (`StreamBeginnings`). The resulting times are smoothed, and never decrease (`SampleTimeline`).
///
/// Reports and responses that contradict the packets are not used, and `takeNotices` returns a notice about them.
package struct CameraClock: Sendable {
    /// Reports move a stream by at most these seconds. Real delays differ less.
    private static let mostLead = 1.0
    /// The maximum difference in seconds between a report's RTP time and those of the packets.
    private static let mostContradiction = 2.0
    /// The largest change of a report's offset that is not a jump: these seconds, plus this fraction of the time since
    /// the last report.
    private static let mostStep = 0.1
    private static let mostStepRate = 0.001
    /// The time in nanoseconds for which a report is compared with those of other streams.
    private static let reportAge: Int64 = 60_000_000_000
    /// The fraction of a correction that each report applies.
    private static let gain = 0.25
    /// Seconds in a day: a camera's date that is off by more is reported.
    private static let day: Int64 = 86_400
    private static let mostNotices = 32

    private struct Report: Sendable {
        var time: NTPTime
        var ticks: Int64
        var arrival: Int64
        /// The wall clock minus the RTP time, in seconds.
        var offset: Double
        /// The monotonic time according to the arrival, minus the wall clock, in seconds.
        var difference: Double
    }

    private struct Stream: Sendable {
        let clockRate: Int
        var line: ArrivalLine
        var timeline: SampleTimeline
        var latest: (ticks: Int64, arrival: Int64)?
        var report: Report?
        /// The offset of a report after a jump. The next report must confirm it.
        var pending: Double?
        /// The seconds by which the reports move the stream; at most 0. nil without reports.
        var lead: Double?
        var isContradicted = false
        var isDisagreeing = false
        var standsStill = false
        var isUnsteady = false
    }

    private var streams: [Stream]
    private var beginnings: StreamBeginnings
    private var notices: [ClockNotice] = []
    /// The time of the first report (`reference`) and the arrival of the first packet (`origin`), from which seconds
    /// are counted.
    private var reference: NTPTime?
    private var origin: Int64?
    private var hasWrongDate = false
    private var isWithoutWallClock = false

    /// - Parameter clockRates: The RTP clock rate of each stream; streams are numbered in this order.
    package init(clockRates: [Int]) {
        streams = clockRates.map {
            Stream(clockRate: $0, line: ArrivalLine(clockRate: $0), timeline: SampleTimeline(clockRate: $0))
        }
        beginnings = StreamBeginnings(clockRates: clockRates)
    }

    /// Records the arrival of a packet.
    ///
    /// - Parameters:
    ///   - ticks: The packet's RTP time, counted beyond 32 bits.
    ///   - arrival: Nanoseconds of the monotonic clock.
    /// - Returns: True if the RTP times jumped: this one is not related to the earlier ones.
    @discardableResult
    package mutating func observe(_ ticks: Int64, stream: Int, at arrival: Int64) -> Bool {
        guard streams.indices.contains(stream) else { return false }
        if origin == nil { origin = arrival }
        streams[stream].latest = (ticks, arrival)
        guard let jump = streams[stream].line.record(ticks, at: arrival) else { return false }
        noteJump(stream, seconds: jump)
        return true
    }

    /// Records a jump of the RTP times that is too small for `observe`.
    ///
    /// - Parameters:
    ///   - ticks: The first RTP time after the jump.
    ///   - arrival: The arrival of its packet, in nanoseconds of the monotonic clock.
    package mutating func jump(to ticks: Int64, stream: Int, at arrival: Int64) {
        guard streams.indices.contains(stream), let before = streams[stream].line.time(of: ticks) else { return }
        streams[stream].line.restart()
        _ = streams[stream].line.record(ticks, at: arrival)
        noteJump(stream, seconds: Double(before &- arrival) / 1e9)
    }

    private mutating func noteJump(_ stream: Int, seconds: Double) {
        streams[stream].timeline.restart()
        // The reports so far were about the RTP times before the jump.
        (streams[stream].report, streams[stream].pending) = (nil, nil)
        beginnings.forget(stream: stream)
        note(.timesJumped(stream: stream, seconds: seconds))
    }

    /// Records the RTP time with which a stream begins, as the response to PLAY states it. Call it after `observe` for
    /// a packet of the stream.
    package mutating func begin(at timestamp: UInt32, stream: Int) {
        guard streams.indices.contains(stream), let latest = streams[stream].latest else { return }
        beginnings.begin(at: timestamp, stream: stream, latest: latest.ticks)
    }

    /// Returns the time of capture of a sample, as far as it is known. The time is never after the arrival of the
    /// latest packet, except while an earlier error is removed.
    ///
    /// Call it once for each sample, after `observe` for its packets. `invalid` before the first packet.
    package mutating func time(of ticks: Int64, stream: Int) -> MediaTime {
        guard streams.indices.contains(stream), let latest = streams[stream].latest,
            let arrived = streams[stream].line.time(of: ticks)
        else { return .invalid }
        measureDelays()
        let lead = Int64(clamping: (streams[stream].lead ?? beginnings.leads[stream]) * 1e9)
        let target = min(arrived &+ lead, latest.arrival)
        let isStarting = streams[stream].line.isStarting
        return MediaTime(nanoseconds: streams[stream].timeline.place(ticks, target: target, isStarting: isStarting))
    }

    /// Begins a stream again. Its RTP times are not related to the earlier ones (`ReceiverEvent.began`).
    package mutating func restart(stream: Int) {
        guard streams.indices.contains(stream) else { return }
        streams[stream].line.restart()
        streams[stream].timeline.restart()
        (streams[stream].latest, streams[stream].report, streams[stream].pending) = (nil, nil, nil)
        beginnings.forget(stream: stream)
    }

    /// Measures and compares the delays of the streams, until all lines of arrival have started.
    private mutating func measureDelays() {
        guard beginnings.isMeasuring, let origin else { return }
        for (index, stream) in streams.enumerated() {
            guard let latest = stream.latest, let time = stream.line.time(of: latest.ticks) else { continue }
            beginnings.measure(latest.ticks, stream: index, at: Double(time &- origin) / 1e9)
        }
        let isFinal = !streams.contains { $0.line.isStarting }
        guard let refused = beginnings.update(isFinal: isFinal) else { return }
        note(.beginningsDisagree(stream: refused.stream, seconds: refused.seconds))
    }

    /// Returns the drift of a stream's clock in ppm, positive if the clock is fast; nil until the drift is known.
    package func drift(stream: Int) -> Double? {
        streams.indices.contains(stream) ? streams[stream].line.driftPPM : nil
    }

    /// Returns the notices since the last call.
    package mutating func takeNotices() -> [ClockNotice] {
        defer { notices = [] }
        return notices
    }

    private mutating func note(_ notice: ClockNotice) {
        if notices.count < Self.mostNotices { notices.append(notice) }
    }

    /// Records a sender report.
    ///
    /// - Parameters:
    ///   - arrival: Nanoseconds of the monotonic clock.
    ///   - wall: This machine's wall clock, in seconds since 1970; nil to compare no dates.
    package mutating func report(
        _ report: RTCPPacket.SenderReport, stream: Int, at arrival: Int64, wall: Int64? = nil
    ) {
        guard streams.indices.contains(stream), let latest = streams[stream].latest else { return }
        guard !report.time.isUnknown else {
            if !isWithoutWallClock { note(.withoutWallClock(stream: stream)) }
            isWithoutWallClock = true
            return
        }
        compareDates(report.time, wall)
        let ahead = Int32(bitPattern: report.timestamp &- UInt32(truncatingIfNeeded: latest.ticks))
        let ticks = latest.ticks &+ Int64(ahead)
        guard runs(report.time, ticks, stream) else { return }
        // While the line starts, packets may still come from a buffer in the camera.
        guard !streams[stream].line.isUncertain, let time = streams[stream].line.time(of: ticks), let origin else {
            return
        }
        guard isConsistent(seconds: Double(arrival - time) / 1e9, stream) else { return }
        let reference = reference ?? report.time
        self.reference = reference
        let wallSeconds = report.time.seconds(since: reference)
        let accepted = Report(
            time: report.time, ticks: ticks, arrival: arrival,
            offset: wallSeconds - Double(ticks) / Double(max(1, streams[stream].clockRate)),
            difference: Double(time - origin) / 1e9 - wallSeconds)
        guard isSteady(accepted, stream) else { return }
        streams[stream].report = accepted
        align(stream, accepted)
    }

    private mutating func compareDates(_ time: NTPTime, _ wall: Int64?) {
        guard let wall else { return }
        let difference = time.unixSeconds - wall
        let isWrong = difference.magnitude > UInt64(Self.day)
        if isWrong, !hasWrongDate { note(.wrongDate(seconds: difference)) }
        hasWrongDate = isWrong
    }

    /// Returns false if the wall clock is the same as in the last report, but the RTP time is not.
    private mutating func runs(_ time: NTPTime, _ ticks: Int64, _ stream: Int) -> Bool {
        guard let last = streams[stream].report, last.time == time else {
            streams[stream].standsStill = false
            return true
        }
        if last.ticks != ticks, !streams[stream].standsStill {
            streams[stream].standsStill = true
            note(.reportsStandStill(stream: stream))
        }
        return false
    }

    /// Returns true if a report's times match its arrival. Some cameras report the times of another stream.
    private mutating func isConsistent(seconds: Double, _ stream: Int) -> Bool {
        let isContradicted = seconds.magnitude > Self.mostContradiction
        if isContradicted, !streams[stream].isContradicted {
            note(.reportsContradictPackets(stream: stream, seconds: seconds))
        }
        streams[stream].isContradicted = isContradicted
        return !isContradicted
    }

    /// Returns true if a report continues the last one, or confirms a jump.
    private mutating func isSteady(_ report: Report, _ stream: Int) -> Bool {
        guard let last = streams[stream].report else { return true }
        let most = Self.mostStep + Self.mostStepRate * max(0, Double(report.arrival - last.arrival) / 1e9)
        let pending = streams[stream].pending
        streams[stream].pending = nil
        guard (report.offset - last.offset).magnitude > most else {
            streams[stream].isUnsteady = false
            return true
        }
        guard let pending, (report.offset - pending).magnitude <= most else {
            if pending != nil, !streams[stream].isUnsteady {
                streams[stream].isUnsteady = true
                note(.reportsUnsteady(stream: stream))
            }
            streams[stream].pending = report.offset
            return false
        }
        note(.reportsJumped(stream: stream, seconds: report.offset - last.offset))
        // The other streams' reports are from before the jump.
        for other in streams.indices where other != stream {
            (streams[other].report, streams[other].pending) = (nil, nil)
        }
        return true
    }

    /// Moves a stream so that the least delay of all streams applies to it.
    private mutating func align(_ stream: Int, _ report: Report) {
        let others = streams.indices.filter { $0 != stream }.compactMap { streams[$0].report }
            .filter { report.arrival - $0.arrival <= Self.reportAge }
        let agreeing = others.filter { ($0.difference - report.difference).magnitude <= Self.mostLead }
        guard let other = others.first else { return }
        guard !agreeing.isEmpty else {
            if !streams[stream].isDisagreeing {
                note(.streamsDisagree(stream: stream, seconds: report.difference - other.difference))
            }
            streams[stream].isDisagreeing = true
            return
        }
        streams[stream].isDisagreeing = false
        let wanted = agreeing.map { $0.difference - report.difference }.reduce(0, min)
        if let lead = streams[stream].lead {
            streams[stream].lead = lead + (wanted - lead) * Self.gain
        } else {
            streams[stream].lead = wanted
        }
    }
}

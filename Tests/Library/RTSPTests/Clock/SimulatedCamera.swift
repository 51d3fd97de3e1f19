import MediaTypes
import RTSP
import TestSupport

/// A camera in virtual time: video and audio whose RTP clocks are the camera's clock, a network with jitter, and sender
/// reports every 5 s. Times are seconds; the true capture times are known.
struct SimulatedCamera {
    /// The least delay from capture to arrival.
    static let videoDelay = 0.030
    static let audioDelay = 0.004
    /// The time at which the virtual time begins, on the monotonic clock and on the camera's wall clock.
    private static let hostStart = 1000.0
    var wallStart: UInt32 = 3_900_000_000

    var driftPPM = 0.0
    var jitter = 0.01
    /// Samples in a second of each stream.
    var rate = 2.0
    var duration = 600.0
    /// The seconds that are added to the wall clock in reports, by time and stream.
    var wallError: (Double, Int) -> Double = { _, _ in 0 }
    /// The seconds that are added to the RTP times, by time and stream.
    var tickError: (Double, Int) -> Double = { _, _ in 0 }
    /// The seconds that are added to the RTP times of reports alone.
    var reportTickError: (Double, Int) -> Double = { _, _ in 0 }
    /// A further delay of the network, by time.
    var congestion: (Double) -> Double = { _ in 0 }
    var sendsReports = true
    /// The seconds by which the response to PLAY states the beginning of each stream too late; nil for a response that
    /// does not state it.
    var beginningError: ((Int) -> Double)?

    struct Result {
        var clock: CameraClock
        var notices: [ClockNotice] = []
        /// The largest error after the first minute, for each stream, against the time of capture plus the least delay.
        var worst = [0.0, 0.0]
        /// The error of the last sample of each stream.
        var last = [0.0, 0.0]
        /// True if a later RTP time never had an earlier or equal time.
        var isMonotone = true
    }

    func run(seed: UInt64 = 1) -> Result {
        var random = SeededRandom(seed: seed)
        let clockRates = [90_000.0, 8000.0]
        var result = Result(clock: CameraClock(clockRates: [90_000, 8000]))
        var previous: [(ticks: Int64, time: Int64)?] = [nil, nil]
        var nextReport = [1.0, 1.7]
        for index in 0..<Int(clamping: duration * rate) {
            for stream in 0..<2 {
                let time = Double(index) / rate + (stream == 0 ? 0 : 0.1)
                let camera = time * (1 + driftPPM * 1e-6)
                // The RTP times wrap at 32 bits in the first second.
                let base = 4_294_967_296 - clockRates[stream]
                let ticks = Int64(clamping: (camera + tickError(time, stream)) * clockRates[stream] + base)
                let delay = (stream == 0 ? Self.videoDelay : Self.audioDelay) + congestion(time)
                let late = Double.random(in: 0..<1, using: &random)
                let arrival = nanoseconds(time + delay + late * late * late * jitter * 8)
                result.clock.observe(ticks, stream: stream, at: arrival)
                if index == 0, let beginningError {
                    let beginning = Int64(clamping: beginningError(stream) * clockRates[stream] + base)
                    result.clock.begin(at: UInt32(truncatingIfNeeded: beginning), stream: stream)
                }
                if sendsReports, time > nextReport[stream] {
                    nextReport[stream] += 5
                    let wall = camera + wallError(time, stream) + Double.random(in: -0.002...0.002, using: &random)
                    let shift = Int64(clamping: reportTickError(time, stream) * clockRates[stream])
                    result.clock.report(
                        report(wall, ticks + shift), stream: stream, at: arrival,
                        wall: 1_691_011_200 + Int64(clamping: time))
                }
                let placed = result.clock.time(of: ticks, stream: stream).nanoseconds
                if let last = previous[stream], ticks > last.ticks, placed <= last.time { result.isMonotone = false }
                previous[stream] = (ticks, placed)
                let error = Double(placed - nanoseconds(time + Self.audioDelay)) / 1e9
                result.last[stream] = error
                if time > 60 { result.worst[stream] = max(result.worst[stream], error.magnitude) }
            }
            result.notices += result.clock.takeNotices()
        }
        return result
    }

    private func nanoseconds(_ time: Double) -> Int64 { Int64(clamping: (Self.hostStart + time) * 1e9) }

    private func report(_ wall: Double, _ ticks: Int64) -> RTCPPacket.SenderReport {
        let units = Int64(clamping: wall * 4_294_967_296)
        let time = NTPTime((UInt64(wallStart) << 32) &+ UInt64(bitPattern: units))
        return RTCPPacket.SenderReport(
            source: 1, time: time, timestamp: UInt32(truncatingIfNeeded: ticks), packetCount: 0, byteCount: 0)
    }
}

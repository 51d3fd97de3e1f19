import MediaTypes
import Testing

@testable import LibcameraCapture

@Suite struct FrameLossesTests {
    private let interval: Int64 = 20_000_000

    @Test func losses_gapInTimeAlone_areCounted() {
        var losses = FrameLosses(fixedInterval: interval)
        var lost: [Int64] = []
        // A request came 340 ms late: the sequence has no gap.
        for time in [0, 20, 40, 400, 420] as [Int64] {
            lost.append(losses.count(at: time * 1_000_000, duration: nil, skipped: 0, wasEmpty: time == 400))
        }
        #expect(lost == [0, 0, 0, 17, 0])
    }

    @Test func losses_gapInSequenceAndTime_areCountedOnce() {
        var losses = FrameLosses(fixedInterval: interval)
        _ = losses.count(at: 0, duration: nil, skipped: 0, wasEmpty: false)
        let both = losses.count(at: 4 * interval, duration: nil, skipped: 3, wasEmpty: false)
        let sequence = losses.count(at: 5 * interval, duration: nil, skipped: 2, wasEmpty: false)
        let time = losses.count(at: 8 * interval, duration: nil, skipped: 1, wasEmpty: false)
        #expect(both == 3 && sequence == 2 && time == 2)
    }

    @Test func losses_jitterOfAFixedRate_areNone() {
        var losses = FrameLosses(fixedInterval: interval)
        var (time, lost): (Int64, Int64) = (0, 0)
        for index in 0..<200 as Range<Int64> {
            time += interval + (index % 7 - 3) * 4_000_000
            lost += losses.count(at: time, duration: nil, skipped: 0, wasEmpty: false)
        }
        #expect(lost == 0)
    }

    @Test func losses_exposureThatGrows_areNone() {
        // The camera makes its frames longer as it gets dark, and reports that; then it is light again.
        var losses = FrameLosses(fixedInterval: nil)
        var (time, lost): (Int64, Int64) = (0, 0)
        for duration in [20, 20, 40, 80, 200, 200, 20, 20] as [Int64] {
            lost += losses.count(at: time * 1_000_000, duration: duration * 1_000_000, skipped: 0, wasEmpty: false)
            time += duration
        }
        #expect(lost == 0)
    }

    @Test func losses_unknownRate_areCountedOnlyWithoutBuffers() {
        var losses = FrameLosses(fixedInterval: nil)
        var times: [Int64] = (0..<20).map { $0 * 20_000_000 }
        var lost: Int64 = 0
        for time in times { lost += losses.count(at: time, duration: nil, skipped: 0, wasEmpty: false) }
        #expect(lost == 0)
        // 100 and 200 ms after the last frame. A slow camera loses nothing; one that had no buffer does.
        times = [480_000_000, 580_000_000]
        let slow = losses.count(at: times[0], duration: nil, skipped: 0, wasEmpty: false)
        let starved = losses.count(at: times[1], duration: nil, skipped: 0, wasEmpty: true)
        #expect(slow == 0 && starved == 4)
    }

    @Test func losses_extremeTimes_neverTrap() {
        var losses = FrameLosses(fixedInterval: 1)
        let far: Int64 = 1 << 60
        for time in [0, far, 1, 2 * far] {
            _ = losses.count(at: time, duration: far, skipped: 0, wasEmpty: true)
        }
        #expect(losses.expectedInterval == far)
    }
}

@Suite struct FrameTimingTests {
    private static let second: Int64 = 1_000_000_000
    private let start = 100 * Self.second
    private let interval = Self.second / 50

    private func frame(sequence: UInt32, sensor: Int64, timestamp: Int64? = nil) throws -> FrameMessage {
        var message = HelperBytes.frame(0, sequence: sequence, sensor: sensor)
        if let timestamp { message = message.with(long: UInt64(timestamp), at: MessageLayout.timestampAt) }
        guard case .frame(let frame) = try HelperMessage(message.bytes, descriptors: 0) else {
            throw MessageFault.kind(0)
        }
        return frame
    }

    /// Judges frames that arrive 5 ms after they were due, 20 ms apart, with these sensor timestamps. None is lost.
    private func judge(_ stamps: [Int64], suspended: Int64 = 0) throws -> [Int64] {
        var timing = FrameTiming(start: start, fixedInterval: interval)
        var times: [Int64] = []
        for (index, stamp) in stamps.enumerated() {
            let now = start + Int64(index) * interval + 5_000_000
            let judgement = timing.judge(
                try frame(sequence: UInt32(index), sensor: stamp), at: now, suspended: suspended, wasEmpty: false)
            times.append(judgement.time.nanoseconds)
            #expect(judgement.lost == 0, "frame \(index)")
        }
        return times
    }

    @Test func time_sensorTimestamp_isUsedAsItIs() throws {
        #expect(try judge([start, start + interval]) == [start, start + interval])
    }

    @Test func time_withoutSensorTimestamp_isOneIntervalBeforeTheBuffers() throws {
        var timing = FrameTiming(start: start, fixedInterval: interval)
        let message = try frame(sequence: 0, sensor: 0, timestamp: start + interval)
        let judgement = timing.judge(message, at: start + interval, suspended: 0, wasEmpty: false)
        #expect(judgement.time.nanoseconds == start)
    }

    @Test func time_zeroBackwardsOrOfAnotherClock_isReplaced() throws {
        let wall: Int64 = 1_764_000_000 * Self.second
        for wrong in [0, 1, start - 10 * Self.second, wall, Int64.max - 1] {
            let times = try judge([start, start + interval, wrong, start + 3 * interval])
            #expect(times[0] == start && times[1] == start + interval)
            // One interval after the last one, so that the next valid timestamp is still later.
            #expect(times[2] == start + 2 * interval)
            #expect(times[3] == start + 3 * interval)
        }
    }

    @Test func time_onlyWrongTimestamps_isThatOfTheArrival() throws {
        let times = try judge([Int64](repeating: 1, count: 10))
        for (index, time) in times.enumerated() {
            #expect(time == start + Int64(index) * interval + 5_000_000)
        }
    }

    @Test func time_zeroWithoutSensorTimestamps_isReplaced() throws {
        var timing = FrameTiming(start: start, fixedInterval: interval)
        // Of the ends of frames that began at the start and one interval apart.
        for (index, isZero) in [false, false, true, false, true, true, false].enumerated() {
            let begin = start + Int64(index) * interval
            let message = try frame(sequence: UInt32(index), sensor: 0, timestamp: isZero ? 0 : begin + interval)
            let judgement = timing.judge(message, at: begin + interval, suspended: 0, wasEmpty: false)
            #expect(judgement.time.nanoseconds == begin && judgement.lost == 0, "frame \(index)")
        }
        #expect(timing.replacedStamps == 3)
    }

    @Test func losses_durationThatNoCameraHas_areNone() throws {
        for duration in [1, 1_000, 900_000, 4_000_000] as [UInt64] {
            // 100 frames a second at most, and 50 are delivered.
            var timing = FrameTiming(start: start, fixedInterval: nil, shortestInterval: 10_000_000)
            for index in 0..<10 as Range<Int64> {
                let time = start + index * interval
                let message = HelperBytes.frame(0, sequence: UInt32(index), sensor: time)
                    .with(long: duration, at: MessageLayout.durationAt)
                guard case .frame(let frame) = try HelperMessage(message.bytes, descriptors: 0) else {
                    throw MessageFault.kind(0)
                }
                let lost = timing.judge(frame, at: time, suspended: 0, wasEmpty: false).lost
                #expect(lost == 0, "frame \(index) of \(duration) ns")
            }
        }
    }

    @Test func time_ofTheBootClock_isMovedByTheSuspension() throws {
        let suspended = 3_600 * Self.second
        let stamps = (0..<4).map { start + Int64($0) * interval }
        #expect(try judge(stamps.map { $0 + suspended }, suspended: suspended) == stamps)
        // A pipeline that uses the monotonic clock is not moved.
        #expect(try judge(stamps, suspended: suspended) == stamps)
    }

    @Test func time_ofTheBootClockAndLate_isMovedByTheSuspension() throws {
        let suspended = 3 * Self.second
        var timing = FrameTiming(start: start, fixedInterval: interval)
        for index in 0..<20 as Range<Int64> {
            let time = start + index * interval
            // From the fifth frame on they wait for the recorder, for longer than the machine was suspended.
            let now = index < 5 ? time + 5_000_000 : start + 5 * Self.second
            let message = try frame(sequence: UInt32(index), sensor: time + suspended)
            let judgement = timing.judge(message, at: now, suspended: suspended, wasEmpty: false)
            #expect(judgement.time.nanoseconds == time && judgement.lost == 0, "frame \(index)")
        }
        #expect(timing.replacedStamps == 0)
    }

    @Test func time_ofTheMonotonicClock_survivesOneOfTheBootClock() throws {
        let suspended = 3 * Self.second
        var timing = FrameTiming(start: start, fixedInterval: interval)
        for index in 0..<10 as Range<Int64> {
            let time = start + index * interval
            let message = try frame(sequence: UInt32(index), sensor: index == 4 ? time + suspended : time)
            let judgement = timing.judge(message, at: time + 5_000_000, suspended: suspended, wasEmpty: false)
            #expect(judgement.time.nanoseconds == time && judgement.lost == 0, "frame \(index)")
        }
    }

    @Test func losses_sequenceThatRestarts_areNone() throws {
        var timing = FrameTiming(start: start, fixedInterval: interval)
        var lost: [Int64] = []
        for (index, sequence) in [100, 101, 102, 0, 1, 4].enumerated() {
            // Two frames are missing before the last one.
            let time = start + Int64(index == 5 ? 7 : index) * interval
            let message = try frame(sequence: UInt32(sequence), sensor: time)
            lost.append(timing.judge(message, at: time + 1_000_000, suspended: 0, wasEmpty: false).lost)
        }
        #expect(lost == [0, 0, 0, 0, 0, 2])
    }
}

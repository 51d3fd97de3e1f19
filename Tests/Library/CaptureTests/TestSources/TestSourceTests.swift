import MediaTypes
import RealTime
import Testing

@testable import Capture

private let second: Int64 = 1_000_000_000

@Suite struct TestSourceTimingTests {
    @Test(arguments: [FrameRate(30), FrameRate(25), FrameRate(60), FrameRate(30_000, per: 1001), FrameRate(1, per: 3)])
    func timing_anyFrameNumber_isExact(rate: FrameRate) {
        let timing = TestSourceTiming(rate: rate, now: 1234 * second + 567)
        #expect(timing.origin == 1234 * second)
        for index in [0, 1, 2, 29, 30, 1_000_000, 5_184_000 * 100] as [Int64] {
            let exact =
                MediaTime(value: 1234, timescale: 1)
                + MediaTime(value: index * Int64(rate.seconds), timescale: rate.frames)
            #expect(timing.nanoseconds(of: index) == exact.nanoseconds)
            #expect(timing.time(of: index) == exact.converted(to: 1_000_000))
        }
    }

    @Test(arguments: [FrameRate(30), FrameRate(30_000, per: 1001), FrameRate(7)])
    func timing_time_findsItsFrame(rate: FrameRate) {
        let timing = TestSourceTiming(rate: rate, now: 10 * second)
        for index in -3...200 as ClosedRange<Int64> {
            let time = timing.nanoseconds(of: index)
            #expect(timing.index(atOrBefore: time) == index)
            #expect(timing.index(atOrAfter: time) == index)
            #expect(timing.index(atOrBefore: time + 1) == index)
            #expect(timing.index(atOrAfter: time + 1) == index + 1)
        }
    }

    @Test(arguments: [FrameRate(30), FrameRate(25), FrameRate(120), FrameRate(1)])
    func flash_integerRate_isOnEachFullSecond(rate: FrameRate) {
        let timing = TestSourceTiming(rate: rate, now: 10 * second)
        for index in 0..<1000 as Range<Int64> {
            #expect(timing.containsFullSecond(index) == (timing.nanoseconds(of: index) % second == 0))
        }
    }

    @Test func flash_fractionalRate_isOncePerFullSecond() {
        let rate = FrameRate(30_000, per: 1001)
        let timing = TestSourceTiming(rate: rate, now: 10 * second)
        let flashes = (0..<(3 * 3003 as Int64)).filter { timing.containsFullSecond($0) }
        // 9009 frames are 300.6003 s.
        #expect(flashes.count == 301)
        for index in flashes {
            let next = (timing.nanoseconds(of: index) + second - 1) / second * second
            #expect(next <= timing.nanoseconds(of: index + 1))
        }
    }

    @Test func timing_slightlyLateReceiver_getsTheLateFrame() {
        let clock = ManualClock(nanoseconds: 10 * second)
        let timing = TestSourceTiming(rate: FrameRate(10), now: clock.nanoseconds)
        clock.advance(by: 150_000_000)
        var next = timing.next(after: 0, now: clock.nanoseconds)
        #expect(next == (1, 0))
        next = timing.next(after: 1, now: clock.nanoseconds)
        #expect(next == (2, 0))
        #expect(timing.nanoseconds(of: 2) > clock.nanoseconds)
    }

    @Test func timing_framesTooLate_areDroppedAndCounted() {
        let clock = ManualClock(nanoseconds: 10 * second)
        let timing = TestSourceTiming(rate: FrameRate(10), now: clock.nanoseconds)
        clock.advance(by: 470_000_000)
        #expect(timing.next(after: 0, now: clock.nanoseconds) == (4, 3))
        #expect(timing.next(after: 4, now: clock.nanoseconds) == (5, 0))
    }

    @Test func timing_withinPatience_dropsNoFrame() {
        let timing = TestSourceTiming(rate: FrameRate(50), now: 10 * second)
        #expect(timing.next(after: 0, now: 10 * second + 400_000_000, patience: 25) == (1, 0))
        #expect(timing.next(after: 0, now: 10 * second + 600_000_000, patience: 25) == (30, 29))
    }
}

@Suite struct TestPatternTests {
    @Test(arguments: [(64, 32), (320, 180), (1280, 720), (1922, 1082)])
    func testPattern_frameNumber_canBeReadBack(width: Int, height: Int) {
        let pattern = TestPattern(width: width, height: height)
        for number in [0, 1, 2, 0x5555_5555, 0xFFFF_FFFF, 108_000] as [Int64] {
            for isFlash in [false, true] {
                let frame = pattern.draw(number: number, time: 12_345_678_901_234, isFlash: isFlash)
                #expect(TestCamera.frameNumber(in: frame) == number)
            }
        }
    }

    @Test func testPattern_flash_isWhite() {
        let pattern = TestPattern(width: 640, height: 360)
        func brightness(_ frame: PixelBuffer) -> Int {
            frame.plane(0).reduce(0) { $0 + Int($1) } / frame.plane(0).count
        }
        #expect(brightness(pattern.draw(number: 3, time: 5 * second, isFlash: true)) > 190)
        #expect(brightness(pattern.draw(number: 3, time: 5 * second, isFlash: false)) < 130)
    }

    @Test func testPattern_consecutiveFrames_differ() {
        let pattern = TestPattern(width: 640, height: 360)
        let frames = (0..<5 as Range<Int64>).map { index -> [UInt8] in
            let frame = pattern.draw(number: 7, time: index * 33_333_333, isFlash: false)
            return withExtendedLifetime(frame) { Array(frame.plane(0)) }
        }
        for index in frames.indices.dropFirst() {
            let isSame = frames[index] == frames[index - 1]
            #expect(!isSame, "frame \(index)")
        }
    }

    @Test func testPattern_frameInUse_isNotOverwritten() {
        let pattern = TestPattern(width: 64, height: 32)
        let first = pattern.draw(number: 1, time: 0, isFlash: false)
        let others = (2...20 as ClosedRange<Int64>).map { pattern.draw(number: $0, time: 0, isFlash: false) }
        #expect(TestCamera.frameNumber(in: first) == 1)
        #expect(others.enumerated().allSatisfy { TestCamera.frameNumber(in: $1) == Int64($0 + 2) })
    }
}

@Suite struct TestToneTests {
    private func samples(_ data: MediaData) -> [Int16] { data.bytes.bindMemory(to: Int16.self).map { $0 } }

    @Test(arguments: [48_000, 44_100, 11_025])
    func testTone_click_startsOnTheSecondAndLasts10ms(rate: Int) {
        let format = AudioFormat(pcm: .s16, sampleRate: rate, channelCount: 1)
        let tone = TestTone(format: format, blockFrames: 960)
        let whole = samples(tone.block(from: 0, frames: rate))
        let loud = whole.indices.filter { abs(Int(whole[$0])) > 2_000 }
        #expect(loud.first == 0)
        #expect(loud.last.map { Double($0) / Double(rate) < 0.010 } == true)
        #expect(abs(Int(whole[0])) > 16_000)
    }

    @Test func testTone_blocksAcrossASecond_areContinuous() {
        let format = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 2)
        let tone = TestTone(format: format, blockFrames: 960)
        let crossing = samples(tone.block(from: 47_900, frames: 960))
        let before = samples(tone.block(from: 47_900, frames: 100))
        let after = samples(tone.block(from: 0, frames: 860))
        #expect(crossing == before + after)
    }
}

@Suite struct TestSourcesTests {
    @Test(arguments: [(1281, 721, "1280x720"), (10, 10, "64x32"), (10_000, 100, "8192x100"), (-4, 32, "64x32")])
    func testCamera_unsupportedSize_isRefusedWithTheNearest(width: Int, height: Int, nearest: String) {
        let error = #expect(throws: MediaError.self) { try TestCamera(width: width, height: height) }
        #expect(error?.description.hasSuffix("nearest is \(nearest)") == true)
    }

    @Test func testMicrophone_unsupportedFormat_isRefused() {
        #expect(throws: MediaError.self) { try TestMicrophone(sampleRate: 1_000) }
        #expect(throws: MediaError.self) { try TestMicrophone(channelCount: 0) }
        #expect(throws: MediaError.self) { try TestMicrophone(sampleFormat: .s24) }
    }

    /// The test runs in real time on any machine: late frames are skipped and counted, so only sums are certain.
    @Test func testCamera_framesPlusDrops_equalAllFramesOfTheTime() throws {
        let camera = try TestCamera(width: 64, height: 32, frameRate: FrameRate(100))
        let seen = Locked<(times: [MediaTime], numbers: [Int64], lost: Int64)>(([], [], 0))
        try camera.start { event in
            seen.withLock { seen in
                switch event {
                case .sample(let sample):
                    seen.times.append(sample.presentationTime)
                    if case .pixels(let frame) = sample.content {
                        seen.numbers.append(TestCamera.frameNumber(in: frame) ?? -1)
                    }
                case .lost(let count, _, _): seen.lost += count
                case .gone, .back: Issue.record("a test camera does not fail")
                }
            }
            seen.broadcast()
        }
        let isEnough: Void? = seen.waiting(atMost: 20 * second) { $0.times.count >= 50 ? () : nil }
        #expect(isEnough != nil)
        camera.stop()
        let (times, numbers, lost) = seen.withLock { $0 }
        #expect(times.allSatisfy { $0.value % 10_000 == 0 && $0.timescale == 1_000_000 })
        #expect(Int64(times.count) + lost == numbers[numbers.count - 1] + 1)
        for (time, number) in zip(times, numbers) {
            #expect(time == times[0] + MediaTime(value: number - numbers[0], timescale: 100))
        }
    }

    @Test func testMicrophone_blocks_haveNoGaps() throws {
        let microphone = try TestMicrophone(sampleRate: 44_100, channelCount: 1)
        let seen = Locked<[SampleBuffer]>([])
        try microphone.start { event in
            if case .sample(let sample) = event { seen.withLock { $0.append(sample) } }
            seen.broadcast()
        }
        let isEnough: Void? = seen.waiting(atMost: 20 * second) { $0.count >= 60 ? () : nil }
        #expect(isEnough != nil)
        microphone.stop()
        let blocks = seen.withLock { $0 }
        var clicks = 0
        for (block, next) in zip(blocks, blocks.dropFirst()) {
            #expect(abs((next.presentationTime - block.presentationTime).seconds - 0.02) < 1e-6)
            guard case .data(let data) = block.content else { continue }
            let values = data.bytes.bindMemory(to: Int16.self)
            guard let loud = values.firstIndex(where: { abs(Int($0)) > 10_000 }) else { continue }
            // The loud part begins at a full second of the clock, to the sample.
            let time = block.presentationTime + MediaTime(value: Int64(loud), timescale: 44_100)
            #expect(abs(time.seconds - time.seconds.rounded()) < 0.0001)
            clicks += 1
        }
        #expect(clicks >= 1)
    }

    @Test func testCamera_stopped_deliversNothing() throws {
        let camera = try TestCamera(width: 64, height: 32, frameRate: FrameRate(1, per: 100))
        let count = Locked<Int>(0)
        try camera.start { _ in count.withLock { $0 += 1 } }
        camera.stop()
        #expect(count.withLock { $0 } == 0)
        #expect(throws: MediaError.self) { try camera.start { _ in } }
    }
}

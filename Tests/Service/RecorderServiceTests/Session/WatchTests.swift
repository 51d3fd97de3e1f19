import AssetIO
import MediaTypes
import RealTime
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

@Suite struct DiskWatchTests {
    @Test func diskWatch_looksTwiceASecond() {
        var watch = DiskWatch(reserve: 100)
        let due = [0, 100, 499, 500, 999, 1000, 5000].map { watch.isDue(at: $0 * 1_000_000) }
        #expect(due == [true, false, false, true, false, true, true])
    }

    @Test func diskWatch_lowSpace_isReportedOnceUntilMoreIsFree() {
        var watch = DiskWatch(reserve: 100)
        let verdicts = [201, 200, 150, 101, 201, 180].map { watch.look(free: $0) }
        #expect(verdicts == [.enough, .low(free: 200), .enough, .enough, .enough, .low(free: 180)])
    }

    @Test func diskWatch_reserveReached_isFull() {
        var watch = DiskWatch(reserve: 100)
        #expect(watch.look(free: 100) == .full(free: 100))
        #expect(watch.look(free: -5) == .full(free: -5))
        #expect(watch.refusal(free: 100, in: "/d")?.code == .diskFull)
        #expect(watch.refusal(free: 101, in: "/d") == nil)
        #expect(watch.refusal(free: 100, in: "/d")?.description.contains("/d") == true)
    }

    @Test func diskWatch_noReserveOrUnknownSpace_reportsEnough() {
        var none = DiskWatch(reserve: 0)
        #expect(none.look(free: 0) == .enough && none.refusal(free: 0, in: "/") == nil)
        var watch = DiskWatch(reserve: 100)
        #expect(watch.look(free: nil) == .enough && watch.refusal(free: nil, in: "/") == nil)
        var huge = DiskWatch(reserve: .max)
        #expect(huge.look(free: .max - 1) == .full(free: .max - 1))
    }
}

@Suite struct OverloadWatchTests {
    @Test func overload_continuing_isReportedOnceAMinute() {
        var watch = OverloadWatch()
        func look(_ dropped: Int64, _ second: Int64) -> Bool { watch.isNew(dropped, at: second * 1_000_000_000) }
        #expect(!look(0, 0))
        #expect(look(3, 1))
        #expect(!look(9, 2))
        #expect(!look(9, 62))
        #expect(look(10, 63))
        #expect(!look(11, 100))
        #expect(look(12, 124))
    }

    @Test func losses_ofAnEncoder_areTheCauseUntilReported() {
        var watch = OverloadWatch()
        func look(_ counts: Int64...) -> Bool {
            for count in counts { watch.recordLost(count) }
            return watch.takeLoss()
        }
        #expect(!look(0))
        #expect(look(2))
        #expect(!look(2, 2))
        // Seen once, and reported later.
        #expect(look(5, 5, 5))
        // Another encoder begins to count.
        #expect(!look(0))
        #expect(look(1))
    }

    @Test func copyReasons_ofSeveralEncoders_areReportedOnce() {
        var watch = OverloadWatch()
        func look(_ reason: String?) -> String? {
            watch.takeCopyReason(reason.map { MediaError(.unsupported, "cannot import", reason: $0) })?.reason
        }
        #expect(look(nil) == nil)
        #expect(look("refused") == "refused")
        #expect(look("refused") == nil && look(nil) == nil && look("other memory") == nil)
    }

    @Test func reducedEffort_andItsEnd_areReportedOnce() {
        var watch = OverloadWatch()
        func look(_ step: Int, _ second: Int64) -> OverloadWatch.News? {
            watch.news(EncodingEffort(step: step, steps: 3, summary: "x"), at: second * 1_000_000_000)
        }
        #expect(watch.news(nil, at: 0) == nil && look(0, 0) == nil)
        #expect(look(1, 1) == .eased(EncodingEffort(step: 1, steps: 3, summary: "x")))
        #expect(look(2, 2) == nil && look(1, 20) == nil)
        #expect(look(0, 30) == .full)
        // An oscillation is reported once.
        #expect(look(1, 40) == nil && look(0, 50) == nil)
        #expect(look(1, 70) != nil)
    }
}

@Suite struct DamageWatchTests {
    private let error = MediaError(.corruptData, "cannot decode a JPEG image", reason: "it ends before its end")

    /// Returns the seconds at which the camera is rejected.
    ///
    /// - Parameter looks: the second of each look, and the number of damaged frames since the last intact one.
    private func rejections(_ looks: [(second: Int64, count: Int64)]) -> [Int64] {
        var watch = DamageWatch()
        return looks.filter { look in
            let damage = look.count > 0 ? DamagedSamples(count: look.count, error: error) : nil
            return watch.look(damage, at: look.second * 1_000_000_000) != nil
        }.map(\.second)
    }

    @Test func damage_forTenSeconds_rejectsTheCameraOnce() {
        #expect(rejections([(1, 1), (5, 100), (10, 240), (11, 250), (12, 280), (20, 500), (22, 520)]) == [11, 22])
    }

    @Test func damage_intactFrameBetween_countsFromTheNextDamagedOne() {
        #expect(rejections([(1, 1), (8, 200), (9, 0), (10, 1), (19, 200), (20, 220)]) == [20])
        #expect(rejections([(1, 1), (8, 200), (10, 5), (19, 200), (20, 220)]) == [20], "the intact frame was not seen")
    }

    @Test func damage_withoutNewFrames_waitsForOne() {
        #expect(rejections([(1, 10), (11, 10), (60, 10), (61, 11)]) == [61])
    }

    @Test func damage_ofFewFrames_isTolerated() {
        #expect(rejections([(1, 1), (3600, 2), (7200, 3)]) == [7200])
    }

    @Test func rejection_untilTheCameraIsBack_isKnown() {
        var watch = DamageWatch()
        let rejection = watch.reject("a camera", error)
        #expect(rejection.code == .deviceLost)
        #expect(
            rejection.description
                == "cannot record a camera: no frame could be used for 10 s: cannot decode a JPEG image: it ends before "
                + "its end")
        #expect(watch.rejection == rejection)
        watch.recordReturn()
        #expect(watch.rejection == nil)
    }
}

@Suite struct EncoderProofTests {
    private func sample(_ milliseconds: Int64, width: Int) -> SampleBuffer {
        SampleBuffer(
            format: .video(VideoFormat(pixelFormat: .nv12, width: width, height: 32)), content: .data(MediaData([0])),
            presentationTime: MediaTime(value: milliseconds, timescale: 1000))
    }

    @Test func proof_sameFormat_isTriedAgainOnlyAfterAWhile() {
        let tried = Locked<[Int]>([])
        let proof = EncoderProof { format in
            tried.withLock { $0.append(format.video?.width ?? 0) }
            return format.video?.width == 128
        }
        let given = [(0, 64), (40, 64), (4999, 64), (5000, 64), (5040, 128), (5080, 128)].map { time, width in
            proof.isGiven(by: sample(time, width: width))
        }
        #expect(given == [false, false, false, false, true, false])
        #expect(tried.withLock { $0 } == [64, 64, 128])
    }
}

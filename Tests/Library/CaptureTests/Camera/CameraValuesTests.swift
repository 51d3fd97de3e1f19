import MediaTypes
import Testing

@testable import Capture

@Suite struct FieldLayoutTests {
    /// The numbers of enum v4l2_field.
    @Test(
        arguments: [
            (0, 480, FieldLayout.progressive), (1, 576, .progressive), (2, 240, .separate), (3, 288, .separate),
            (4, 480, .woven(isUpperFirst: false)), (4, 576, .woven(isUpperFirst: true)),
            (4, 1080, .woven(isUpperFirst: true)), (5, 576, .separate), (6, 480, .separate), (7, 576, .separate),
            (8, 480, .woven(isUpperFirst: true)), (9, 576, .woven(isUpperFirst: false)), (77, 576, .separate),
        ] as [(UInt32, Int, FieldLayout)])
    func fields_ofADriver_areKnown(field: UInt32, height: Int, layout: FieldLayout) {
        #expect(FieldLayout(field, height: height) == layout)
    }

    @Test func order_wovenFields_isStated() {
        #expect(FieldLayout.progressive.order == nil && FieldLayout.separate.order == nil)
        #expect(FieldLayout.woven(isUpperFirst: true).order?.showsUpperFirst == true)
        #expect(FieldLayout.woven(isUpperFirst: false).order?.showsUpperFirst == false)
    }
}

@Suite struct RequestedExposureTests {
    private func seconds(_ controls: (name: String, value: Int64)...) -> Double? {
        RequestedExposure.time(controls)?.seconds
    }

    @Test func exposure_ofControls_isInUnitsOf100Microseconds() {
        #expect(seconds(("exposure_absolute", 80_000)) == 8)
        #expect(seconds(("exposure_auto", 1), ("exposure_time_absolute", 300_000), ("gain", 3)) == 30)
        #expect(seconds() == nil && seconds(("exposure_auto", 1)) == nil && seconds(("exposure_absolute", 0)) == nil)
        #expect(seconds(("exposure_absolute", .max)) == 3600)
    }

    @Test func patience_longExposure_isThreeExposures() {
        let usual = MediaTime(value: 5, timescale: 1)
        #expect(RequestedExposure.patience(usual, nil) == usual)
        #expect(RequestedExposure.patience(usual, MediaTime(value: 1, timescale: 1)) == usual)
        #expect(RequestedExposure.patience(usual, MediaTime(value: 8, timescale: 1)).seconds == 24)
    }
}

@Suite struct FrameAccountTests {
    @Test func frameAccount_gapInSequence_countsDroppedFrames() {
        var account = FrameAccount(start: 0)
        #expect(account.framesLost(before: 7) == 0)
        #expect(account.framesLost(before: 8) == 0)
        #expect(account.framesLost(before: 11) == 2)
    }

    @Test func frameAccount_sequenceWraps_countsCorrectly() {
        var account = FrameAccount(start: 0)
        #expect(account.framesLost(before: .max - 1) == 0)
        #expect(account.framesLost(before: .max) == 0)
        #expect(account.framesLost(before: 0) == 0)
        #expect(account.framesLost(before: 3) == 2)
    }

    /// One number is 100 million too high, and so are all later ones.
    @Test(arguments: [33_333_333, nil] as [Int64?]) func frameAccount_jumpOfTheSequence_isLimitedByTheTime(
        interval: Int64?
    ) {
        var account = FrameAccount(start: 0, interval: interval)
        let lost = (0..<10 as Range<UInt32>).map { index in
            let sequence = index < 5 ? index : index + 100_000_000
            return account.framesLost(before: sequence, at: MediaTime(value: Int64(index), timescale: 30))
        }
        #expect(lost[5] > 0 && lost[5] <= 34)
        #expect(lost.filter { $0 != 0 }.count == 1)
    }

    /// The camera is four times as fast as its driver says.
    @Test func frameAccount_wrongRate_countsEachLoss() {
        var account = FrameAccount(start: 0, interval: 33_333_333)
        let numbers: [UInt32] = [0, 1, 2, 3, 7, 8, 10]
        let lost = numbers.map { account.framesLost(before: $0, at: MediaTime(value: Int64($0), timescale: 120)) }
        #expect(lost == [0, 0, 0, 0, 3, 0, 1])
    }

    @Test func frameAccount_driverWithoutSequence_countsNoDrops() {
        var account = FrameAccount(start: 0)
        for _ in 0..<3 { #expect(account.framesLost(before: 0) == 0) }
        #expect(account.framesLost(before: 5) == 4)
        #expect(account.framesLost(before: 0) == 0)
    }

    @Test func frameTime_validStamp_isTheKernelsStamp() {
        var account = FrameAccount(start: 10_000_000_000)
        #expect(
            account.time(stamp: 10_033_333, now: 10_040_000_000) == MediaTime(value: 10_033_333, timescale: 1_000_000))
        #expect(account.replacedStamps == 0)
    }

    @Test func frameTime_impossibleStamp_isReplacedByTheClock() {
        var account = FrameAccount(start: 10_000_000_000)
        let now = MediaTime(value: 10_040_000, timescale: 1_000_000)
        // Wall-clock time, no time at all, a time before the stream.
        #expect(account.time(stamp: 1_700_000_000_000_000, now: 10_040_000_000) == now)
        #expect(account.time(stamp: nil, now: 10_080_000_000).value == 10_080_000)
        #expect(account.time(stamp: 1_000_000, now: 10_120_000_000).value == 10_120_000)
        #expect(account.replacedStamps == 3)
    }

    @Test func frameTime_repeatedOrEarlierStamps_alwaysIncreases() {
        var account = FrameAccount(start: 0)
        let first = account.time(stamp: 5_000_000, now: 5_010_000_000)
        let second = account.time(stamp: 5_000_000, now: 5_020_000_000)
        let third = account.time(stamp: 4_000_000, now: 5_000_000_000)
        #expect(first < second && second < third)
    }

    @Test func frameTime_readLate_keepsItsStamp() {
        // The program was stopped for a minute; its ring was full all along.
        var account = FrameAccount(start: 0)
        #expect(account.time(stamp: 1_000_000, now: 61_000_000_000).value == 1_000_000)
        #expect(account.time(stamp: 1_033_333, now: 61_000_100_000).value == 1_033_333)
    }

    /// The times of twenty frames at 30 fps that waited for a minute, one of them with another timestamp.
    private func times(ofFramesThatWaitedWith bad: Int64) -> [Int64] {
        var account = FrameAccount(start: 0, interval: 33_333_333)
        return (0..<20).map { index in
            let stamp = index == 10 ? bad : 1_000_000 + Int64(index) * 33_333
            return account.time(stamp: stamp, now: 61_000_000_000 + Int64(index) * 100_000).value
        }
    }

    @Test(arguments: [0, 1, 900_000, 5_000_000_000, 30_000_000, 59_000_000, .max, .min] as [Int64])
    func frameTime_afterOneBadStamp_isCorrect(bad: Int64) {
        let expected: [Int64] = (0..<20).map { 1_000_000 + $0 * 33_333 }
        #expect(times(ofFramesThatWaitedWith: bad) == expected)
    }

    @Test func frameTime_longStep_isAcceptedWhenTheNextFrameConfirms() {
        var account = FrameAccount(start: 0, interval: 33_333_333)
        let now: Int64 = 61_000_000_000
        #expect(account.time(stamp: 1_000_000, now: now).value == 1_000_000)
        // Frames from half a minute later, all read late.
        #expect(account.time(stamp: 31_000_000, now: now).value == 1_033_333)
        #expect(account.time(stamp: 31_033_333, now: now).value == 31_033_333)
        #expect(account.replacedStamps == 1)
    }

    @Test func frameTime_longStepToNow_isAcceptedAtOnce() {
        var account = FrameAccount(start: 0, interval: 33_333_333)
        #expect(account.time(stamp: 1_000_000, now: 1_010_000_000).value == 1_000_000)
        #expect(account.time(stamp: 61_000_000, now: 61_010_000_000).value == 61_000_000)
        #expect(account.replacedStamps == 0)
    }

    @Test func frameTime_manyBadStamps_followsTheClock() {
        var account = FrameAccount(start: 0, interval: 33_333_333)
        #expect(account.time(stamp: 1_000_000, now: 1_010_000_000).value == 1_000_000)
        let times = (1...30).map { account.time(stamp: 5, now: 1_010_000_000 + Int64($0) * 40_000_000).value }
        // The first frame arrived 10 ms after its timestamp.
        let taken: [Int64] = (11...30).map { 1_000_000 + Int64($0) * 40_000 }
        #expect(Array(times.suffix(20)) == taken)
    }

    /// The times of 30 frames that arrive 50 ms after their timestamps, which is more than an interval.
    private func times(ofLateFramesWithStamps stamp: (_ index: Int64, _ taken: Int64) -> Int64) -> [Int64] {
        var account = FrameAccount(start: 10_000_000_000, interval: 33_333_000)
        let times = (0..<30).map { index -> Int64 in
            let taken = 10_000_000 + Int64(index) * 33_333
            return account.time(stamp: stamp(Int64(index), taken), now: (taken + 50_000) * 1_000).value
        }
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        return times
    }

    @Test(arguments: [(0, 1), (0, 5), (10, 11), (10, 14), (10, 20)] as [(Int64, Int64)])
    func frameTime_afterBadStampsOfALateCamera_isTheStamp(first: Int64, end: Int64) {
        let times = times(ofLateFramesWithStamps: { index, taken in (first..<end).contains(index) ? 0 : taken })
        let expected: [Int64] = (25..<30).map { 10_000_000 + $0 * 33_333 }
        #expect(Array(times.suffix(5)) == expected)
        // After a good timestamp the camera's delay is known, so the replacements are exact too.
        let all: [Int64] = (0..<30).map { 10_000_000 + $0 * 33_333 }
        #expect(first == 0 || times == all)
    }

    @Test func frameTime_afterAStepBackOfTheStamps_isTheStamp() {
        let times = times(ofLateFramesWithStamps: { index, taken in index < 10 ? taken : taken - 40_000 })
        let expected: [Int64] = (25..<30).map { 9_960_000 + $0 * 33_333 }
        #expect(Array(times.suffix(5)) == expected)
    }

    @Test func frameAccount_rateChanges_countsNoDrops() {
        // Low light: 30 fps, then 15; the driver counts the frames that it delivers.
        var account = FrameAccount(start: 0, interval: 33_333_333)
        var lost: Int64 = 0
        var stamp: Int64 = 1_000_000
        for index in 0..<60 {
            let time = account.time(stamp: stamp, now: (stamp + 5_000) * 1_000)
            #expect(time.value == stamp)
            lost += account.framesLost(before: UInt32(index), at: time)
            stamp += index < 30 ? 33_333 : 66_667
        }
        #expect(lost == 0)
    }
}

@Suite struct ControlNamesTests {
    @Test func controlName_title_isSpelledAsByV4L2Ctl() {
        #expect(ControlNames.normalised("Exposure, Auto") == "exposure_auto")
        #expect(ControlNames.normalised("White Balance Temperature, Auto") == "white_balance_temperature_auto")
        #expect(ControlNames.normalised("Focus (absolute)") == "focus_absolute")
        #expect(ControlNames.normalised("Brightness") == "brightness")
    }

    @Test func nearestNames_misspelledName_findsTheMeantOne() {
        let names = ["brightness", "exposure_auto", "exposure_absolute", "focus_absolute", "gain"]
        #expect(ControlNames.nearest(to: "brightnes", among: names).first == "brightness")
        #expect(ControlNames.nearest(to: "auto_exposure", among: names).first == "exposure_auto")
        #expect(ControlNames.nearest(to: "zzzzzz", among: names).isEmpty)
    }
}

@Suite struct CameraControlTests {
    // Numbers of v4l2-controls.h: 0x980900 is the base of user controls, 0x9a0900 that of camera controls.
    @Test(
        arguments: [
            (0x9a_090c, CameraControl.Role.automaticFocus), (0x9a_090a, .focus), (0x9a_091c, .focusOnce),
            (0x9a_0901, .exposureMode), (0x9a_0902, .exposureTime), (0x9a_0913, .exposureBias),
            (0x98_090c, .automaticWhiteBalance), (0x98_090d, .whiteBalanceOnce), (0x98_091a, .whiteBalanceTemperature),
            (0x9a_090d, .zoom),
        ] as [(UInt32, CameraControl.Role)])
    func controlRole_v4l2Number_isTheControls(number: UInt32, role: CameraControl.Role) {
        #expect(CameraControl.Role(v4l2: number) == role)
    }

    @Test func controlRole_otherNumber_isNone() { #expect(CameraControl.Role(v4l2: 0x98_0900) == nil) }
}

@Suite struct V4L2ColorTests {
    // Numbers of videodev2.h: 1 SMPTE170M, 3 REC709, 7 JPEG, 8 SRGB, 10 BT2020; quantization 1 full, 2 limited.
    @Test func v4l2Color_webcam_isSRGBWithBT601Matrix() {
        #expect(V4L2Color(colorspace: 8).description == ColorDescription(primaries: 1, transfer: 13, matrix: 6))
        #expect(V4L2Color(colorspace: 0).description == V4L2Color(colorspace: 8).description)
    }

    @Test func v4l2Color_noDetails_followsTheColorspace() {
        #expect(V4L2Color(colorspace: 3).description == .bt709)
        #expect(V4L2Color(colorspace: 1).description == .bt601)
        #expect(V4L2Color(colorspace: 10).description == ColorDescription(primaries: 9, transfer: 14, matrix: 9))
        #expect(V4L2Color(colorspace: 7).description.isFullRange)
    }

    @Test func v4l2Color_driverValues_overrideDefaults() {
        let color = V4L2Color(colorspace: 8, transfer: 1, encoding: 2, quantization: 1).description
        #expect(color == ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: true))
    }

    @Test func v4l2Color_jpeg_isFullRangeDespiteDriver() {
        let color = V4L2Color(colorspace: 8, quantization: 2, isJPEG: true).description
        #expect(color.isFullRange && color.matrix == 6)
    }
}

@Suite struct CameraPixelFormatTests {
    @Test(arguments: [
        ("YUYV", CameraPixelFormat.yuyv), ("yuyv422", .yuyv), ("MJPG", .mjpeg), ("jpeg", .mjpeg), ("YU12", .i420),
        ("NV12", .nv12), ("UYVY", .uyvy), ("H264", .h264),
        ("hevc", .hevc), ("H.265", .hevc), ("h265", .hevc),
    ])
    func pixelFormat_namesOfOtherPrograms_areAccepted(name: String, format: CameraPixelFormat) {
        #expect(CameraPixelFormat(name: name) == format)
    }
}

import MediaTypes
import Testing

@testable import Capture

/// The signal at an input: the rate of its timings, the mode that follows from it, and the reason of a change.
@Suite struct InputSignalTests {
    private static func timings(
        _ width: Int, _ height: Int, total: (UInt64, UInt64), clock: UInt64, isInterlaced: Bool = false,
        isReduced: Bool = false
    ) -> VideoTimings {
        VideoTimings(
            size: FrameSize(width, height), totalWidth: total.0, totalHeight: total.1, pixelClock: clock,
            isInterlaced: isInterlaced, isReduced: isReduced)
    }

    private static let hd60 = timings(1280, 720, total: (1650, 750), clock: 74_250_000)
    private static let hd50 = timings(1280, 720, total: (1980, 750), clock: 74_250_000)
    private static let fullHD = timings(1920, 1080, total: (2200, 1125), clock: 148_500_000)

    // MARK: Timings

    @Test func frameRate_standardTimings_isExact() {
        #expect(Self.hd60.frameRate == FrameRate(60))
        #expect(Self.hd50.frameRate == FrameRate(50))
        #expect(Self.fullHD.frameRate == FrameRate(60))
        let vga = Self.timings(640, 480, total: (800, 525), clock: 25_175_000)
        #expect(vga.frameRate == FrameRate(60_000, per: 1001))
    }

    @Test func frameRate_interlaced_countsFramesNotFields() {
        let timings = Self.timings(1920, 1080, total: (2640, 1125), clock: 74_250_000, isInterlaced: true)
        #expect(timings.frameRate == FrameRate(25))
    }

    @Test func frameRate_reducedClock_isDividedBy1001() {
        var timings = Self.fullHD
        timings.isReduced = true
        #expect(timings.frameRate == FrameRate(60_000, per: 1001))
    }

    @Test func frameRate_measuredClock_isTheUsualRate() {
        var timings = Self.fullHD
        timings.pixelClock = 148_503_217
        #expect(timings.frameRate == FrameRate(60))
        timings.pixelClock = 148_351_648
        #expect(timings.frameRate == FrameRate(60_000, per: 1001))
    }

    @Test func frameRate_unusualTimings_isTheirRatio() {
        // CVT with reduced blanking, 1920×1200: 59.95 fps.
        let timings = Self.timings(1920, 1200, total: (2080, 1235), clock: 154_000_000)
        #expect(timings.frameRate == FrameRate(192_500, per: 3211))
    }

    @Test func frameRate_invalidTimings_isNil() {
        #expect(Self.timings(0, 0, total: (0, 0), clock: 1).frameRate == nil)
        #expect(Self.timings(1, 1, total: (1, 1), clock: 0).frameRate == nil)
        #expect(Self.timings(1, 1, total: (1, 1), clock: .max).frameRate == nil)
        #expect(InputSignal(Self.timings(0, 720, total: (1650, 750), clock: 74_250_000)) == nil)
    }

    @Test(arguments: [(4_294_967_295, 720, 74_250_000), (1280, 4_294_967_295, 74_250_000), (1280, 720, 100_000)])
    func signal_implausibleTimings_isNone(width: Int, height: Int, clock: Int) {
        #expect(InputSignal(Self.timings(width, height, total: (1650, 750), clock: UInt64(clock))) == nil)
    }

    // MARK: Readings

    private static func reading(
        _ timings: VideoTimings = Self.hd60, areDetected: Bool = true, code: Int32 = 0, refusal: Int32 = 0
    ) -> SignalReading {
        SignalReading(timings, areDetected: areDetected, code: code, refusal: refusal)
    }

    @Test func reading_validTimings_areTheSignal() throws {
        let signal = try #require(InputSignal(Self.hd60))
        #expect(Self.reading() == .present(signal))
        #expect(Self.reading(areDetected: false) == .present(signal))
        // ENOTTY: the driver cannot set timings, so it follows the signal by itself.
        #expect(Self.reading(refusal: 25) == .present(signal))
    }

    @Test func reading_inputWithoutTimings_isUnknown() {
        // EINVAL, ENOTTY, ENODATA.
        for code: Int32 in [22, 25, 61] { #expect(Self.reading(code: code) == .unknown) }
    }

    @Test func reading_errorOfTheDriver_isAFailure() {
        // EIO, EBUSY, EINVAL.
        #expect(Self.reading(code: 5) == .failed(errno: 5))
        #expect(Self.reading(refusal: 16) == .failed(errno: 16))
        #expect(Self.reading(refusal: 22) == .failed(errno: 22))
    }

    @Test func reading_fault_isAbsentWithItsCode() {
        #expect(Self.reading(code: 67) == .absent(.noSignal, .errno(67)))
    }

    @Test func reading_timingsOfZero_areUnstableOrUnknown() {
        let zero = Self.timings(0, 0, total: (0, 0), clock: 0)
        #expect(Self.reading(zero) == .absent(.unstable, nil))
        #expect(Self.reading(zero, areDetected: false) == .unknown)
    }

    // MARK: Analog standards

    /// Bits of NTSC-M and PAL-B, and both families.
    private static let (ntsc, pal): (UInt64, UInt64) = (0x1000, 0x1)
    private static let families: (UInt64, UInt64) = (0xF900, 0xFF_00FF)

    @Test func standard_noneDetected_isAbsent() {
        #expect(AnalogStandard(detected: 0, current: Self.pal, families: Self.families) == .absent)
    }

    @Test func standard_fitsOrIsUndecided_isUnchanged() {
        for detected: UInt64? in [nil, Self.pal | 2, Self.pal | Self.ntsc] {
            #expect(
                AnalogStandard(detected: detected, current: Self.pal, families: Self.families) == .unchanged(Self.pal))
        }
    }

    @Test func standard_otherFamily_isChanged() {
        #expect(
            AnalogStandard(detected: Self.ntsc, current: Self.pal, families: Self.families) == .changed(Self.ntsc))
    }

    /// v4l2loopback can be built to report every standard, for frames that have none.
    @Test func standard_everyOne_isUnknown() {
        let all = Self.families.0 | Self.families.1
        for detected: UInt64? in [nil, all, Self.pal | Self.ntsc] {
            #expect(AnalogStandard(detected: detected, current: all, families: Self.families) == .unknown)
        }
        #expect(AnalogStandard(detected: nil, current: 0, families: Self.families) == .unknown)
    }

    @Test func standard_detectedAmongAllCurrent_isTheDetectedOne() {
        let all = Self.families.0 | Self.families.1
        #expect(
            AnalogStandard(detected: Self.pal, current: all, families: Self.families) == .unchanged(Self.pal))
    }

    @Test func signal_analog_hasTheSizeAndRateOfItsLines() {
        let (short, long) = (InputSignal(has525Lines: true), InputSignal(has525Lines: false))
        #expect(short.size == FrameSize(720, 480) && short.frameRate == FrameRate(30_000, per: 1001))
        #expect(long.size == FrameSize(720, 576) && long.frameRate == FrameRate(25) && long.isInterlaced)
    }

    // MARK: Changes

    @Test func signal_change_isDescribed() throws {
        let before = try #require(InputSignal(Self.hd60))
        let other = try #require(InputSignal(Self.fullHD))
        let slower = try #require(InputSignal(Self.hd50))
        #expect(other.reason(before: before) == "the input's signal changed to 1920x1080")
        #expect(slower.reason(before: before) == "the input's signal changed to 1280x720 at 50 fps")
        #expect(before.reason(before: before) == "the input's signal was interrupted")
    }

    // MARK: Modes

    private static let scaler = CameraCapabilities(formats: [
        .init(.nv12, sizes: [.init(widths: .init(16, 7680, step: 2), heights: .init(16, 4320, step: 2))])
    ])
    private static let fixed = CameraCapabilities(formats: [
        .init(.yuyv, sizes: [.init(FrameSize(1280, 720), .unknown)])
    ])

    @Test func mode_noRequest_isThatOfTheSignal() throws {
        let signal = try #require(InputSignal(Self.hd50))
        let mode = CameraMode(.nv12, size: FrameSize(1280, 720), frameRate: FrameRate(50))
        #expect(try Self.scaler.mode(for: CameraRequest(), signal: signal, device: "/dev/video0") == mode)
    }

    @Test func mode_signalSizeNotOffered_isTheCameras() throws {
        let signal = try #require(InputSignal(Self.fullHD))
        let mode = try Self.fixed.mode(for: CameraRequest(), signal: signal, device: "/dev/video0")
        #expect(mode == CameraMode(.yuyv, size: FrameSize(1280, 720), frameRate: FrameRate(60)))
    }

    @Test func mode_requestedSize_isScaled() throws {
        let signal = try #require(InputSignal(Self.fullHD))
        let request = CameraRequest(size: FrameSize(640, 360))
        let mode = try Self.scaler.mode(for: request, signal: signal, device: "/dev/video0")
        #expect(mode.size == FrameSize(640, 360) && mode.frameRate == FrameRate(60))
    }

    @Test func mode_requestedRateOfNoSignal_isRefused() throws {
        let signal = try #require(InputSignal(Self.hd50))
        let error = #expect(throws: MediaError.self) {
            try Self.scaler.mode(for: CameraRequest(frameRate: FrameRate(30)), signal: signal, device: "/dev/video0")
        }
        #expect(error?.code == .deviceUnsuitable && error?.wayOut == "nearest is 50 fps")
    }

    @Test func request_afterADisconnect_followsTheSignalOrTheMode() {
        var request = CameraRequest(frameRate: FrameRate(60))
        request.input = "HDMI"
        let mode = CameraMode(.nv12, size: FrameSize(1280, 720), frameRate: FrameRate(60))
        let following = request.asBefore(mode, followsSignal: true)
        #expect(following.size == nil && following.pixelFormat == .nv12 && following.input == "HDMI")
        let fixed = request.asBefore(mode, followsSignal: false)
        #expect(fixed.size == mode.size && fixed.input == "HDMI")
    }
}

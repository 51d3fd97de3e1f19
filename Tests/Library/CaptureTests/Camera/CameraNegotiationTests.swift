import Capture
import MediaTypes
import Testing

/// A typical camera: raw frames at low rates, MJPEG at the full rate.
private let webcam = CameraCapabilities(formats: [
    .init(
        .yuyv,
        sizes: [
            .init(FrameSize(640, 480), .listed([FrameRate(15), FrameRate(30)])),
            .init(FrameSize(1280, 720), .listed([FrameRate(5), FrameRate(10)])),
            .init(FrameSize(1920, 1080), .listed([FrameRate(5)])),
        ]),
    .init(
        .mjpeg,
        sizes: [
            .init(FrameSize(640, 480), .listed([FrameRate(30), FrameRate(60)])),
            .init(FrameSize(1280, 720), .listed([FrameRate(30), FrameRate(60)])),
            .init(FrameSize(1920, 1080), .listed([FrameRate(30)])),
            .init(FrameSize(3840, 2160), .listed([FrameRate(30)])),
        ]),
    .init(.h264, sizes: [.init(FrameSize(1920, 1080), .listed([FrameRate(30)]))]),
])

private func mode(
    _ capabilities: CameraCapabilities, _ size: String? = nil, _ rate: String? = nil, _ format: CameraPixelFormat? = nil
) throws -> CameraMode {
    let request = CameraRequest(
        size: size.flatMap { FrameSize($0) }, frameRate: rate.flatMap { FrameRate($0) }, pixelFormat: format)
    return try capabilities.mode(for: request, device: "/dev/video0")
}

private func message(
    _ capabilities: CameraCapabilities, _ size: String? = nil, _ rate: String? = nil, _ format: CameraPixelFormat? = nil
) -> String {
    let error = #expect(throws: MediaError.self) { try mode(capabilities, size, rate, format) }
    #expect(error?.code == .deviceUnsuitable)
    return error?.description ?? ""
}

@Suite struct CameraNegotiationTests {
    @Test func cameraMode_noRequest_isFullHDAt30FPS() throws {
        #expect(try mode(webcam) == CameraMode(.mjpeg, size: FrameSize(1920, 1080), frameRate: FrameRate(30)))
    }

    @Test func cameraMode_rawReachesTheRate_prefersRaw() throws {
        #expect(try mode(webcam, "640x480").pixelFormat == .yuyv)
        #expect(try mode(webcam, "1280x720").pixelFormat == .mjpeg)
        #expect(try mode(webcam, "1280x720", "10").pixelFormat == .yuyv)
        #expect(try mode(webcam, "640x480", "60").pixelFormat == .mjpeg)
    }

    @Test func cameraMode_noRequest_prefersRateOverSize() throws {
        let slow = CameraCapabilities(formats: [
            .init(
                .yuyv,
                sizes: [
                    .init(FrameSize(640, 480), .listed([FrameRate(30)])),
                    .init(FrameSize(1920, 1080), .listed([FrameRate(5)])),
                ])
        ])
        #expect(try mode(slow).size == FrameSize(640, 480))
        #expect(try mode(slow, "1920x1080").frameRate == FrameRate(5))
    }

    @Test func cameraMode_noRequest_prefers30FPSThenFasterThenSlower() throws {
        func only(_ rates: FrameRate...) -> CameraCapabilities {
            CameraCapabilities(formats: [.init(.nv12, sizes: [.init(FrameSize(640, 480), .listed(rates))])])
        }
        #expect(try mode(only(FrameRate(15), FrameRate(30), FrameRate(60))).frameRate == FrameRate(30))
        #expect(try mode(only(FrameRate(15), FrameRate(60))).frameRate == FrameRate(60))
        #expect(try mode(only(FrameRate(5), FrameRate(15))).frameRate == FrameRate(15))
        #expect(try mode(only(FrameRate(25), FrameRate(50))).frameRate == FrameRate(25))
    }

    @Test func cameraMode_nominalRate_matchesBroadcastRate() throws {
        let camera = CameraCapabilities(formats: [
            .init(.nv12, sizes: [.init(FrameSize(640, 480), .listed([FrameRate(30_000, per: 1001)]))])
        ])
        #expect(try mode(camera, nil, "30").frameRate == FrameRate(30_000, per: 1001))
        #expect(try mode(camera, nil, "29.97").frameRate == FrameRate(30_000, per: 1001))
    }

    @Test func cameraMode_unsupportedSize_isRefusedWithTheNearest() {
        let text = message(webcam, "1281x721")
        #expect(text.hasPrefix("cannot record 1281x721 from /dev/video0: "))
        #expect(text.hasSuffix("nearest is 1280x720"))
    }

    @Test func cameraMode_unsupportedRate_isRefusedWithNearestAndFormat() {
        #expect(message(webcam, "1920x1080", "60").hasSuffix("nearest is 30 fps"))
        let text = message(webcam, "1280x720", "30", .yuyv)
        #expect(text.contains("nearest is 10 fps") && text.hasSuffix("or 30 fps in mjpeg"))
        #expect(message(webcam, nil, "240").hasSuffix("nearest is 60 fps"))
    }

    @Test func cameraMode_unsupportedFormat_isRefusedWithTheSupported() {
        let text = message(webcam, nil, nil, .nv12)
        #expect(text.contains("yuyv, mjpeg, h264"))
    }

    @Test func cameraMode_HEVC_isUsedOnlyIfItIsRequestedOrAlone() throws {
        let large = CameraCapabilities.Format(.hevc, sizes: [.init(FrameSize(1920, 1080), .listed([FrameRate(30)]))])
        let small = CameraCapabilities.Format(.yuyv, sizes: [.init(FrameSize(640, 480), .listed([FrameRate(30)]))])
        #expect(try mode(CameraCapabilities(formats: [large, small])).pixelFormat == .yuyv)
        #expect(try mode(CameraCapabilities(formats: [large, small]), nil, nil, .hevc).size == FrameSize(1920, 1080))
        #expect(try mode(CameraCapabilities(formats: [large])).pixelFormat == .hevc)
    }

    @Test func cameraMode_noUsableFormat_reportsWhatTheCameraOffers() {
        let camera = CameraCapabilities(formats: [], unreadFormats: ["BA81"])
        #expect(message(camera).contains("it offers only BA81"))
    }

    @Test func cameraMode_emulatedFormat_isTheLastResort() throws {
        let emulated = CameraCapabilities.Format(
            .i420, isEmulated: true, sizes: [.init(FrameSize(1920, 1080), .listed([FrameRate(30)]))])
        let native = CameraCapabilities.Format(.mjpeg, sizes: [.init(FrameSize(640, 480), .listed([FrameRate(30)]))])
        #expect(try mode(CameraCapabilities(formats: [emulated, native])).pixelFormat == .mjpeg)
        #expect(try mode(CameraCapabilities(formats: [emulated])).isEmulated)
        #expect(try mode(CameraCapabilities(formats: [emulated, native]), nil, nil, .i420).isEmulated)
    }

    @Test func cameraMode_stepwiseSizes_acceptsEveryStepAndNamesTheNearest() throws {
        let grid = CameraCapabilities(formats: [
            .init(
                .nv12,
                sizes: [
                    .init(
                        widths: .init(32, 2592, step: 16), heights: .init(16, 1944, step: 8),
                        rates: [
                            FrameSize(1920, 1080): .range(slowest: FrameRate(1), fastest: FrameRate(30)),
                            FrameSize(2592, 1944): .range(slowest: FrameRate(1), fastest: FrameRate(15)),
                        ])
                ])
        ])
        #expect(try mode(grid).size == FrameSize(1920, 1080))
        #expect(try mode(grid, "1600x1000").frameRate == FrameRate(30))
        #expect(try mode(grid, "1600x1000", "12.5").frameRate == FrameRate("12.5"))
        #expect(try mode(grid, "2560x1440").frameRate == FrameRate(15))
        #expect(message(grid, "1281x721").hasSuffix("nearest is 1280x720"))
        #expect(message(grid, "5000x5000").hasSuffix("nearest is 2592x1944"))
        #expect(message(grid, "1920x1080", "60").hasSuffix("nearest is 30 fps"))
    }

    @Test func cameraMode_driverReportsNoRates_usesTheRequestedRate() throws {
        let camera = CameraCapabilities(formats: [.init(.uyvy, sizes: [.init(FrameSize(720, 576), .unknown)])])
        #expect(try mode(camera).frameRate == nil)
        #expect(try mode(camera, nil, "25").frameRate == FrameRate(25))
    }

    @Test func cameraMode_onlySizesAboveFullHD_usesTheSmallest() throws {
        let camera = CameraCapabilities(formats: [
            .init(
                .mjpeg,
                sizes: [
                    .init(FrameSize(3840, 2160), .listed([FrameRate(30)])),
                    .init(FrameSize(2560, 1440), .listed([FrameRate(30)])),
                ])
        ])
        #expect(try mode(camera).size == FrameSize(2560, 1440))
    }
}

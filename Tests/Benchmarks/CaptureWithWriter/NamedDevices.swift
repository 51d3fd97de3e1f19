import AVCapture
import Capture
import MediaTypes

/// Devices by the names that the recorder knows them by: searches find only those of the machine, and the benchmark's
/// camera is none.
extension AVCaptureDevice {
    static func camera(_ name: String, _ size: FrameSize, _ rate: FrameRate) throws -> AVCaptureDevice {
        guard name != "test" else { return try testCamera(size, rate) }
        let format = DeviceFormat(
            .video(VideoFormat(pixelFormat: .yuyv, width: size.width, height: size.height)), pixelFormat: .yuyv,
            rates: [RateSpan(rate, rate)])
        return AVCaptureDevice(
            FoundDevice(.camera, uniqueID: name, modelID: name, name: name, formats: [format]) { mode, _ in
                let request = CameraRequest(
                    size: mode.size, frameRate: mode.frameRate, pixelFormat: mode.pixelFormat)
                let camera = ReconnectingCamera(name, request: request, controls: { [] }, isPassthrough: false)
                return { () throws(MediaError) in try camera.open() }
            })
    }

    private static func testCamera(_ size: FrameSize, _ rate: FrameRate) throws -> AVCaptureDevice {
        includesTestDevices = true
        guard let camera = AVCaptureDevice.default(for: .video) else { throw AVError(.deviceNotConnected) }
        let fitting = camera.formats.first { format in
            let own = CMVideoFormatDescriptionGetDimensions(format.formatDescription)
            return Int(own.width) == size.width && Int(own.height) == size.height
        }
        guard let format = fitting else { throw AVError(.unsupportedDeviceActiveFormat) }
        try camera.lockForConfiguration()
        camera.activeFormat = format
        camera.activeVideoMinFrameDuration = CMTime(rate.interval)
        camera.unlockForConfiguration()
        return camera
    }

    static func microphone(_ name: String) -> AVCaptureDevice {
        let format = DeviceFormat(.audio(AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 2)))
        return AVCaptureDevice(
            FoundDevice(.microphone, uniqueID: name, modelID: name, name: name, formats: [format]) { _, _ in
                let microphone = ReconnectingMicrophone(
                    name, request: MicrophoneRequest(sampleRate: 48_000, channels: 2, format: .s16))
                return { () throws(MediaError) in try microphone.open() }
            })
    }
}

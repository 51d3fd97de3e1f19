package import Capture
import MediaTypes

/// The output of `recorder devices`, as text and as JSON.
package struct DeviceList: Encodable, Sendable {
    struct Camera: Encodable, Sendable {
        let device: String
        let name: String
        let driver: String
        let bus: String
        let stableNames: [String]
        /// The mode that is chosen by default; null if the camera has no usable mode.
        @OrNull var defaultMode: Mode?
        let formats: [Format]
        let inputs: [Input]
        @OrNull var problem: String?
    }

    /// One input, such as an HDMI socket.
    struct Input: Encodable, Sendable {
        /// The number that `--camera-input` accepts.
        let index: Int
        let name: String
        /// "camera", "tuner", "digital video" or "analog video".
        let type: String
        /// True if the camera captures from it now.
        let isCurrent: Bool
        /// "present", or the fault: `noPower`, `noSignal`, `unstable`. Null for an input that is not the current one,
        /// and for an input without a signal, such as a sensor.
        @OrNull var signal: String?
    }

    struct Mode: Codable, Equatable, Sendable {
        let pixelFormat: String
        let width: Int
        let height: Int
        @OrNull var frameRate: Double?
    }

    struct Format: Encodable, Sendable {
        let pixelFormat: String
        let isEmulated: Bool
        let sizes: [Size]
    }

    /// One size; or, with different minimum and maximum, a grid of sizes.
    struct Size: Encodable, Sendable {
        let minimum: String
        let maximum: String
        /// Frames per second; empty if the driver does not report them.
        let frameRates: [Double]
        /// True if `frameRates` has a minimum and a maximum, and any rate between them is possible.
        let isRange: Bool
    }

    struct Microphone: Encodable, Sendable {
        let device: String
        let name: String
        let isHardware: Bool
        let formats: [String]
        let sampleRates: [Int]
        let channels: [Int]
        @OrNull var problem: String?
    }

    /// A hardware encoder.
    struct Encoder: Encodable, Sendable {
        let device: String
        let name: String
        let driver: String
        /// The codecs by their V4L2 codes, such as `H264`.
        let codecs: [String]
        /// The pixel formats for frames by their V4L2 codes, such as `NV12`.
        let formats: [String]
        /// The largest frame, such as `1920x1080`; null if the driver does not report it.
        @OrNull var largestFrame: String?
        /// True if `--encoder v4l2` can use it.
        let isUsable: Bool
    }

    let cameras: [Camera]
    let microphones: [Microphone]
    let encoders: [Encoder]

    /// Lists the devices. Asks the drivers, so it blocks for some milliseconds per device.
    package static func discover() -> DeviceList {
        DeviceList(
            cameras: CameraDiscovery.cameras(), microphones: MicrophoneDiscovery.microphones(),
            encoders: EncoderDiscovery.encoders())
    }

    package init(cameras: [CameraDevice], microphones: [MicrophoneDevice], encoders: [EncoderDevice] = []) {
        self.cameras = cameras.map(Camera.init)
        self.microphones = microphones.map { device in
            Microphone(
                device: device.name, name: device.title, isHardware: device.isHardware,
                formats: device.capabilities?.formats.map(\.rawValue) ?? [],
                sampleRates: device.capabilities?.sampleRates ?? [], channels: device.capabilities?.channels ?? [],
                problem: device.problem?.description)
        }
        self.encoders = encoders.map { device in
            Encoder(
                device: device.path, name: device.name, driver: device.driver, codecs: device.codecs,
                formats: device.frameFormats, largestFrame: device.largestFrame.map { "\($0)" },
                isUsable: device.encodesH264)
        }
    }
}

extension DeviceList.Camera {
    init(_ device: CameraDevice) {
        self.init(
            device: device.path, name: device.name, driver: device.driver, bus: device.bus,
            stableNames: device.stableNames,
            defaultMode: device.defaultMode.map { mode in
                DeviceList.Mode(
                    pixelFormat: mode.pixelFormat.rawValue, width: mode.size.width, height: mode.size.height,
                    frameRate: mode.frameRate?.framesPerSecond)
            },
            formats: device.capabilities.formats.map { format in
                DeviceList.Format(
                    pixelFormat: format.pixelFormat.rawValue, isEmulated: format.isEmulated,
                    sizes: format.sizes.map(DeviceList.Size.init))
            }, inputs: device.inputs.map(DeviceList.Input.init), problem: device.problem?.description)
    }
}

extension DeviceList.Input {
    init(_ input: CameraInput) {
        let isKnown = input.isCurrent && input.hasSignal
        self.init(
            index: input.index, name: input.name, type: input.kind.rawValue, isCurrent: input.isCurrent,
            signal: isKnown ? input.fault?.rawValue ?? "present" : nil)
    }
}

extension DeviceList.Size {
    init(_ range: CameraCapabilities.SizeRange) {
        let largest = FrameSize(range.widths.maximum, range.heights.maximum)
        let (rates, isRange): ([FrameRate], Bool) =
            switch range.rates[largest] ?? range.rates.values.first {
            case .listed(let rates): (rates.sorted(by: >), false)
            case .range(let slowest, let fastest): ([slowest, fastest], true)
            case .unknown, nil: ([], false)
            }
        self.init(
            minimum: "\(range.widths.minimum)x\(range.heights.minimum)", maximum: "\(largest)",
            frameRates: rates.map(\.framesPerSecond), isRange: isRange)
    }
}

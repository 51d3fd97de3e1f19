package import Capture
import LibcameraCapture
import MediaTypes
import RecorderStorage

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
        /// The controls that can be set.
        let controls: [Control]
        /// The V4L2 nodes that a camera behind libcamera consists of; empty for other cameras.
        let nodes: [String]
        @OrNull var problem: String?
    }

    /// One control, for `--control`.
    struct Control: Encodable, Sendable {
        let name: String
        let minimum: Double
        let maximum: Double
        /// The value that a camera behind libcamera begins with; null for other cameras.
        @OrNull var initial: Double?
        /// The valid values, if only some are valid.
        let choices: [Choice]
    }

    struct Choice: Encodable, Sendable {
        let value: Double
        /// The meaning of the value; empty if unknown.
        let name: String
    }

    /// One input, such as an HDMI socket.
    struct Input: Encodable, Sendable {
        /// The number that `--camera-input` accepts.
        let index: Int
        let name: String
        /// "camera", "tuner", "digital video" or "analog video".
        let type: String
        /// True if the camera captures from this input now.
        let isCurrent: Bool
        /// "present", or the fault: `noPower`, `noSignal`, `unstable`. Null for an input that is not the current one,
        /// and for an input that does not receive a signal, such as a sensor.
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

    /// One size, or a grid of sizes if minimum and maximum differ.
    struct Size: Encodable, Sendable {
        let minimum: String
        let maximum: String
        /// Frames per second; empty if the driver does not report them.
        let frameRates: [Double]
        /// True if `frameRates` contains only a minimum and a maximum, and any rate between them is possible.
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
        /// The V4L2 codes of the codecs, such as `H264`.
        let codecs: [String]
        /// The V4L2 codes of the pixel formats of frames, such as `NV12`.
        let formats: [String]
        /// The largest frame, such as `1920x1080`; null if the driver does not report it.
        @OrNull var largestFrame: String?
        /// True if `--encoder v4l2` can use the encoder.
        let isUsable: Bool
    }

    let cameras: [Camera]
    let microphones: [Microphone]
    let encoders: [Encoder]

    /// Lists the devices. Blocks for some milliseconds per device, because it queries the drivers, and for a second if
    /// libcamera is used.
    package static func discover() -> DeviceList {
        let nodes = CameraDiscovery.search()
        let libcamera = LibcameraCameras.search(LibcameraProgram(), besides: nodes)
        return DeviceList(
            cameras: nodes.cameras, microphones: MicrophoneDiscovery.microphones(),
            encoders: EncoderDiscovery.encoders(), libcamera: libcamera, parts: nodes.parts)
    }

    /// - Parameter parts: The nodes that are only parts of a camera.
    package init(
        cameras: [CameraDevice], microphones: [MicrophoneDevice], encoders: [EncoderDevice] = [],
        libcamera: LibcameraCameras = LibcameraCameras(), parts: [String] = []
    ) {
        var entries = cameras.map { Camera($0) }
        for device in libcamera.cameras {
            entries.append(Camera(device, among: libcamera.cameras, parts: parts))
        }
        if let problem = libcamera.problem { entries.append(Camera(problem)) }
        self.cameras = entries
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
            }, inputs: device.inputs.map(DeviceList.Input.init),
            controls: device.controls.filter { !$0.isReadOnly }.map { control in
                DeviceList.Control(
                    name: control.name, minimum: Double(control.minimum), maximum: Double(control.maximum),
                    initial: nil,
                    choices: control.choices.keys.sorted().map { DeviceList.Choice(value: Double($0), name: "") })
            }, nodes: [], problem: device.problem?.description)
    }

    /// Creates the entry of a camera behind libcamera.
    ///
    /// - Parameter all: All cameras that libcamera lists. The model can be used as a name only if no other camera has
    ///   the same model.
    fileprivate init(_ device: LibcameraDevice, among all: [LibcameraDevice], parts: [String]) {
        let listing = device.listing
        let same = all.filter { $0.listing.model == listing.model }
        let hasModel = !listing.model.isEmpty && listing.model != listing.identifier && same.count == 1
        let nodes = parts.filter { path in
            guard let number = CameraDiscovery.number(of: path) else { return false }
            return device.nodes.contains(number)
        }
        self.init(
            device: LibcameraName.prefix + listing.identifier,
            name: listing.model.isEmpty ? listing.identifier : listing.model, driver: "libcamera", bus: "",
            stableNames: hasModel ? [LibcameraName.prefix + listing.model] : [], defaultMode: nil, formats: [],
            inputs: [], controls: device.controls.map { DeviceList.Control($0) }, nodes: nodes, problem: nil)
    }

    /// Creates the entry for cameras that libcamera could not list.
    fileprivate init(_ problem: MediaError) {
        self.init(
            device: "libcamera", name: "cameras behind libcamera", driver: "libcamera", bus: "", stableNames: [],
            defaultMode: nil, formats: [], inputs: [], controls: [], nodes: [], problem: problem.description)
    }
}

extension DeviceList.Control {
    fileprivate init(_ control: LibcameraDevice.Control) {
        self.init(
            name: control.listing.name, minimum: control.listing.minimum, maximum: control.listing.maximum,
            initial: control.listing.initial,
            choices: control.choices.map { DeviceList.Choice(value: $0.value, name: $0.name) })
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

import Capture
import MediaTypes

/// The cameras and microphones of this machine; if test devices were requested, they come first.
struct MachineHardware: CaptureHardware {
    func devices(_ kind: DeviceKind) -> [FoundDevice] {
        let tests = TestDevices.areIncluded ? [TestDevices.device(kind)] : []
        switch kind {
        case .camera: return tests + cameras()
        case .microphone: return tests + microphones()
        }
    }

    private func cameras() -> [FoundDevice] {
        let found = CameraDiscovery.cameras()
        let usable = found.filter { $0.defaultMode != nil }
        var taken: Set<String> = []
        return (usable + found.filter { $0.defaultMode == nil }).map { camera in
            let id = uniqueID(camera, besides: taken)
            taken.insert(id)
            // A link still identifies the camera if the number of its node has changed since the search.
            let name = camera.stableNames.contains(id) ? id : camera.path
            return FoundDevice(
                .camera, uniqueID: id, modelID: camera.driver.isEmpty ? camera.name : "\(camera.driver) \(camera.name)",
                name: camera.name, formats: Self.formats(camera.capabilities), problem: camera.problem,
                controls: camera.controls, access: Self.access(to: name)
            ) { mode, controls in
                let device = ReconnectingCamera(
                    name,
                    request: CameraRequest(
                        size: mode.size, frameRate: mode.frameRate, pixelFormat: mode.pixelFormat),
                    controls: { Self.pairs(controls()) }, isPassthrough: mode.pixelFormat == .h264)
                return { () throws(MediaError) in try device.open() }
            }
        }
    }

    private static func access(to camera: String) -> ControlAccess {
        ControlAccess { () throws(MediaError) in
            try CameraControlAccess.values(of: camera)
        } set: { controls throws(MediaError) in
            try CameraControlAccess.set(pairs(controls), of: camera)
        }
    }

    private static func pairs(_ controls: [DeviceControl]) -> [(name: String, value: Int64)] {
        controls.map { (name: $0.name, value: $0.value) }
    }

    /// Returns a name for the socket of the camera: the link in `/dev/v4l/by-path`, else the bus address, else the
    /// node. As on Apple's systems, a camera that is plugged into another socket is another device. A serial number
    /// would not do, because cameras of one model often share it.
    private func uniqueID(_ camera: CameraDevice, besides taken: Set<String>) -> String {
        let links = camera.stableNames.filter { !$0.hasPrefix("usb-") } + camera.stableNames
        let names = links + (camera.bus.isEmpty ? [] : [camera.bus]) + [camera.path]
        return names.first { !taken.contains($0) } ?? camera.path
    }

    /// Returns each size of each format. Formats that libv4l2 converts are included only if there are no others. HEVC
    /// is never included, because no output can use it.
    static func formats(_ capabilities: CameraCapabilities) -> [DeviceFormat] {
        let usable = capabilities.formats.filter { $0.pixelFormat != .hevc }
        let native = usable.filter { !$0.isEmulated }
        return (native.isEmpty ? usable : native).flatMap { format in
            format.sizes.flatMap { range in
                let listed = range.rates.keys.filter(range.contains).sorted { $0.area > $1.area }
                let sizes = listed.isEmpty ? [FrameSize(range.widths.maximum, range.heights.maximum)] : listed
                return sizes.map { size in
                    DeviceFormat(
                        .video(videoFormat(format.pixelFormat, size)), pixelFormat: format.pixelFormat,
                        rates: spans(range.rates[size] ?? .unknown))
                }
            }
        }
    }

    private static func videoFormat(_ pixels: CameraPixelFormat, _ size: FrameSize) -> VideoFormat {
        if let raw = pixels.raw { return VideoFormat(pixelFormat: raw, width: size.width, height: size.height) }
        return VideoFormat(codec: pixels.codec, width: size.width, height: size.height)
    }

    private static func spans(_ rates: CameraCapabilities.FrameRates) -> [RateSpan] {
        switch rates {
        case .listed(let rates): rates.sorted().map { RateSpan($0, $0) }
        case .range(let slowest, let fastest): [RateSpan(slowest, fastest)]
        case .unknown: []
        }
    }

    /// Returns free sound cards, then ALSA's `default`, then the rest.
    private func microphones() -> [FoundDevice] {
        let found = MicrophoneDiscovery.microphones()
        func rank(_ device: MicrophoneDevice) -> Int {
            if device.isHardware { return device.problem == nil ? 0 : 2 }
            return device.name == "default" ? 1 : 3
        }
        return (0...3).flatMap { place in found.filter { rank($0) == place } }.map { device in
            FoundDevice(
                .microphone, uniqueID: device.name, modelID: device.title, name: device.title,
                formats: Self.formats(device), problem: device.problem
            ) { mode, _ in
                let microphone = ReconnectingMicrophone(
                    device.name,
                    request: MicrophoneRequest(
                        sampleRate: mode.audio?.sampleRate, channels: mode.audio?.channelCount,
                        format: mode.audio?.pcm))
                return { () throws(MediaError) in try microphone.open() }
            }
        }
    }

    /// Returns a format for each rate with each channel count, in the preferred sample format.
    private static func formats(_ device: MicrophoneDevice) -> [DeviceFormat] {
        guard let offered = device.capabilities,
            let choices = try? offered.choices(for: MicrophoneRequest(), device: device.name), let first = choices.first
        else { return [] }
        return choices.filter { $0.pcm == first.pcm }.prefix(64).map { DeviceFormat(.audio($0)) }
    }
}

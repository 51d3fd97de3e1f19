import Capture
import MediaTypes
import RecorderStorage

/// The devices of a session: the factory that opens them, the open devices, and the tracks that have failed.
///
/// A value that only `CaptureSession` changes. It does not close devices itself, but returns each device once, so that
/// the caller closes it.
struct SessionDevices: Sendable {
    private(set) var camera: DeviceKeeper?
    private(set) var microphone: DeviceKeeper?
    /// The time at which the devices were started, in nanoseconds of the clock.
    private(set) var startedAt: Int64 = 0

    private let opener: any DeviceFactory
    private var isOpen = false
    private var isCameraOpen = false
    private var failedTracks: Set<MediaType> = []

    init(opener: any DeviceFactory) { self.opener = opener }

    /// The camera and the microphone, if there are any.
    var all: [DeviceKeeper] { [camera, microphone].compactMap(\.self) }

    /// Returns the device of a track.
    func keeper(of type: MediaType) -> DeviceKeeper? { type == .video ? camera : microphone }

    /// Returns the description of the device of a track.
    func summary(of type: MediaType) -> String? { keeper(of: type)?.summary }

    // MARK: Opening and closing

    /// Returns this value with opened devices, which are not started yet. Blocks for as long as the drivers take.
    func opened(_ configuration: RecordingConfiguration) throws(MediaError) -> Self {
        let (camera, microphone) = try opener.openKeepers(configuration)
        var devices = self
        devices.camera = camera
        devices.microphone = microphone
        devices.isOpen = true
        devices.isCameraOpen = camera != nil
        return devices
    }

    mutating func recordStart(at now: Int64) { startedAt = now }

    /// Returns the camera, so that the caller closes it; nil if it was returned before.
    mutating func takeCamera() -> DeviceKeeper? {
        guard isCameraOpen else { return nil }
        isCameraOpen = false
        return camera
    }

    /// Returns the devices, so that the caller closes them; nil if they were returned before.
    mutating func takeAll() -> [DeviceKeeper]? {
        guard isOpen else { return nil }
        isOpen = false
        isCameraOpen = false
        return all
    }

    // MARK: Failures

    /// Records that the encoder of a track has failed.
    ///
    /// - Returns: true if all of the given tracks have failed.
    mutating func recordFailure(of type: MediaType, among tracks: [MediaType]) -> Bool {
        failedTracks.insert(type)
        return failedTracks.isSuperset(of: tracks)
    }

    /// Records that the device of a track is back, with another encoder.
    mutating func recordReturn(of type: MediaType) { failedTracks.remove(type) }

    /// Returns the error for devices that have not delivered any sample for some time.
    func silence(after patience: MediaTime) -> MediaError {
        let name = all.first?.summary ?? "the device"
        return MediaError(
            .deviceLost, "cannot record \(name)", reason: "it delivered nothing within \(patience.ticks(in: 1)) s",
            wayOut: "unplug it and plug it in again, or choose another one from `recorder devices`")
    }
}

import MediaTypes

/// The state of a camera or microphone that a recorder would use.
enum DeviceState: Sendable, Equatable {
    /// The recorder has no such track.
    case unused
    /// The test source.
    case test
    /// The recorder names no device, and none is connected.
    case missing
    /// The recorder cannot use the device, because of this error.
    case failed(MediaError)
    case present(name: String, title: String)
}

/// The size and the rate of a camera's frames.
struct FrameFacts: Sendable, Equatable {
    var size: FrameSize
    /// Frames per second.
    var rate: Double
}

/// The devices of one recorder.
struct DeviceFacts: Sendable, Equatable {
    var camera: DeviceState
    var microphone: DeviceState
    /// The size and rate of the frames that the camera would deliver; nil if unknown.
    var frames: FrameFacts?
    /// The hardware encoder; `unused` with x264.
    var encoder = DeviceState.unused
}

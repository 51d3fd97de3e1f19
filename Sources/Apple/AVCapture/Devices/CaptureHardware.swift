package import Capture
package import MediaTypes

/// Finds devices. Tests provide their own devices instead of the machine's.
package protocol CaptureHardware: Sendable {
    /// Returns the connected devices of one kind, the default one first. Blocks until the drivers answer.
    func devices(_ kind: DeviceKind) -> [FoundDevice]
}

package enum DeviceKind: Sendable, Hashable, CaseIterable { case camera, microphone }

/// A connected device as its hardware describes it.
package struct FoundDevice: Sendable {
    package var kind: DeviceKind
    /// A name that stays the same after a restart of the machine.
    package var uniqueID: String
    package var modelID: String
    package var name: String
    /// The offered formats; empty if they are unknown.
    package var formats: [DeviceFormat]
    /// The reason why the device cannot be used; nil if it can be used.
    package var problem: MediaError?
    package var controls: [CameraControl]
    /// Reads and sets the controls; nil for a device without controls.
    package var access: ControlAccess?
    /// Returns a function that opens the device in a mode. Each call of that function opens the same device again, then
    /// calls the second argument of `opener`, a closure, and sets the controls that this closure returns.
    package var opener: @Sendable (DeviceMode, @escaping @Sendable () -> [DeviceControl]) -> DeviceKeeper.Open

    package init(
        _ kind: DeviceKind, uniqueID: String, modelID: String, name: String, formats: [DeviceFormat],
        problem: MediaError? = nil, controls: [CameraControl] = [], access: ControlAccess? = nil,
        opener: @escaping @Sendable (DeviceMode, @escaping @Sendable () -> [DeviceControl]) -> DeviceKeeper.Open
    ) {
        self.kind = kind
        self.uniqueID = uniqueID
        self.modelID = modelID
        self.name = name
        self.formats = formats
        self.problem = problem
        self.controls = controls
        self.access = access
        self.opener = opener
    }
}

/// Reads and sets the controls of a connected camera, even while the camera streams. Blocks until the camera's driver
/// responds.
package struct ControlAccess: Sendable {
    /// Returns the current values of all controls that have a role.
    package var read: @Sendable () throws(MediaError) -> [CameraControl.Role: Int64]
    /// Sets controls in the order of the array.
    package var set: @Sendable ([DeviceControl]) throws(MediaError) -> Void

    package init(
        read: @escaping @Sendable () throws(MediaError) -> [CameraControl.Role: Int64],
        set: @escaping @Sendable ([DeviceControl]) throws(MediaError) -> Void
    ) {
        self.read = read
        self.set = set
    }
}

/// One format of a device, with the frame rates that the device supports in this format.
package struct DeviceFormat: Sendable, Hashable {
    package var description: FormatDescription
    /// The camera's own name of the format; nil for audio.
    package var pixelFormat: CameraPixelFormat?
    package var rates: [RateSpan]

    package init(_ description: FormatDescription, pixelFormat: CameraPixelFormat? = nil, rates: [RateSpan] = []) {
        self.description = description
        self.pixelFormat = pixelFormat
        self.rates = rates
    }

    package var size: FrameSize? { description.video.map { FrameSize($0.width, $0.height) } }
    package var fastest: FrameRate? { rates.map(\.fastest).max() }

    /// The rate that is used if none is requested. It is the rate nearest to 30 fps among the rates of at least 24 fps.
    /// If all rates are lower, it is the fastest rate.
    package var preferredRate: FrameRate? {
        let wanted = FrameRate(30)
        let possible: [FrameRate] = rates.map { min(max(wanted, $0.slowest), $0.fastest) }
        let nearest = possible.filter { $0 >= FrameRate(24) }
            .min { abs($0.framesPerSecond - 30) < abs($1.framesPerSecond - 30) }
        return nearest ?? fastest
    }

    /// Returns true if the format has a rate within 0.5 % of this one.
    package func offers(_ rate: FrameRate) -> Bool {
        rates.contains { min(max(rate, $0.slowest), $0.fastest).isNear(rate) }
    }
}

/// A range of frame rates. Its slowest and its fastest rate may be equal.
package struct RateSpan: Sendable, Hashable {
    package var slowest: FrameRate
    package var fastest: FrameRate

    package init(_ slowest: FrameRate, _ fastest: FrameRate) {
        self.slowest = slowest
        self.fastest = fastest
    }
}

/// The mode in which a device is opened; for a property that is nil, the device chooses.
package struct DeviceMode: Sendable, Hashable {
    package var size: FrameSize?
    package var frameRate: FrameRate?
    package var pixelFormat: CameraPixelFormat?
    package var audio: AudioFormat?

    package init() {}
}

/// A value for a control of a camera, and the name that the driver has for the control.
package struct DeviceControl: Sendable, Hashable {
    package var name: String
    package var value: Int64

    package init(name: String, value: Int64) {
        self.name = name
        self.value = value
    }
}

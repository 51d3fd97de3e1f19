import CV4L2
import Glibc
import MediaTypes

/// The signal at the selected input of an open camera: it is adopted before the format is set, and watched while frames
/// arrive.
///
/// Source: the Linux media API, "Digital Video (DV) Timings", "Video Standards" and VIDIOC_DQEVENT
/// (V4L2_EVENT_SOURCE_CHANGE).
struct V4L2Signal {
    private let device: V4L2Device
    private let input: CameraInput
    /// The signal to which the camera is set.
    let format: InputSignal
    /// True if the driver reports changes, by POLLPRI.
    let isWatched: Bool

    /// Reads the signal and sets the camera to it.
    ///
    /// - Returns: nil for an input that has no signal to read, such as a sensor.
    /// - Throws: `deviceLost` if there is no usable signal, `busy`, or the error that the driver reports.
    init?(_ device: V4L2Device, input: CameraInput?) throws(MediaError) {
        guard let input, input.hasSignal else { return nil }
        // Subscribed before the signal is read, so that no change is missed.
        let isWatched = cv4l2_watch_signal(device.descriptor, UInt32(clamping: input.index)) == 0
        let action = "cannot record from \(device.path)"
        switch Self.read(device, input, sets: true) {
        case .present(let signal): format = signal
        case .unknown: return nil
        case .absent(let fault, let cause): throw fault.error(action, input: input.name, cause: cause)
        case .failed(let code):
            if code == EBUSY || code == ENODEV { throw V4L2Device.openError(code, path: device.path) }
            throw MediaError(
                .ioFailure, action, reason: "the driver cannot adopt the signal at its input \"\(input.name)\"",
                underlying: .errno(code), wayOut: "set the source to another size or rate")
        }
        self.device = device
        self.input = input
        self.isWatched = isWatched
    }

    /// Discards the events that setting up the camera has caused. Call it before streaming starts.
    ///
    /// - Throws: `deviceLost` if the signal is no longer the one to which the camera is set.
    func settle(_ action: String) throws(MediaError) {
        guard isWatched, hasChanged() else { return }
        if case .present(let now) = Self.read(device, input, sets: false), now.isSame(as: format) { return }
        throw loss(action)
    }

    /// Returns true if the driver reported a change since the last call. Never waits.
    ///
    /// A change ends the stream even if the timings are the same: many receivers need a new start after any
    /// interruption (V4L2_EVENT_SRC_CH_RESOLUTION).
    func hasChanged() -> Bool { cv4l2_signal_has_changed(device.descriptor) != 0 }

    /// Returns the error of a stream that ended because its signal changed. The error names the current signal.
    func loss(_ action: String) -> MediaError {
        if let absence = absence(action) { return absence }
        guard case .present(let now) = Self.read(device, input, sets: false) else {
            return MediaError(.deviceLost, action, reason: "the input's signal changed")
        }
        return MediaError(.deviceLost, action, reason: now.reason(before: format))
    }

    /// Returns the error of a camera whose input has no usable signal now; nil if it has one.
    func absence(_ action: String) -> MediaError? {
        guard case .absent(let fault, let cause) = Self.read(device, input, sets: false) else { return nil }
        return fault.error(action, input: input.name, cause: cause)
    }

    // MARK: Reading

    private static func read(_ device: V4L2Device, _ input: CameraInput, sets: Bool) -> SignalReading {
        // A driver may report both capabilities for every input. It answers ENODATA to a query of the wrong kind.
        if input.hasTimings {
            let timings = readTimings(device, sets: sets)
            if case .unknown = timings {} else { return timings }
        }
        let status = V4L2Inputs(device: device).status(of: input)
        if let fault = SignalFault(status: status) {
            return .absent(fault, .other("input status", Int32(bitPattern: status)))
        }
        return input.hasStandards ? readStandard(device, sets: sets) : .unknown
    }

    private static func readTimings(_ device: V4L2Device, sets: Bool) -> SignalReading {
        var found = cv4l2_timings()
        var refusal: Int32 = 0
        let code = cv4l2_query_timings(device.descriptor, sets ? 1 : 0, &found, &refusal)
        return SignalReading(
            VideoTimings(found), areDetected: found.are_detected != 0, code: code, refusal: refusal)
    }

    private static func readStandard(_ device: V4L2Device, sets: Bool) -> SignalReading {
        var current: UInt64 = 0
        guard device.call(CV4L2_G_STD, &current) == 0 else { return .unknown }
        var detected: UInt64 = 0
        let canDetect = device.call(CV4L2_QUERYSTD, &detected) == 0
        let choice = AnalogStandard(
            detected: canDetect ? detected : nil, current: current, families: (CV4L2_STD_525, CV4L2_STD_625))
        switch choice {
        case .absent: return .absent(.noSignal, nil)
        case .unknown: return .unknown
        case .unchanged(let standard): return .present(InputSignal(has525Lines: standard & CV4L2_STD_525 != 0))
        case .changed(var standard):
            if sets {
                let code = device.call(CV4L2_S_STD, &standard)
                guard code == 0 else { return .failed(errno: code) }
            }
            return .present(InputSignal(has525Lines: standard & CV4L2_STD_525 != 0))
        }
    }
}

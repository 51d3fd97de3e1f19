package import MediaTypes

/// One input of a camera, such as an HDMI socket, as its driver describes it.
///
/// Source: the Linux media API, VIDIOC_ENUMINPUT and VIDIOC_G_INPUT.
package struct CameraInput: Sendable, Hashable {
    /// The kind of signal that an input accepts.
    package enum Kind: String, Sendable, Hashable {
        /// A sensor, or any other source without a signal that can be missing.
        case camera
        /// A receiver of television channels.
        case tuner
        /// HDMI, DVI, SDI and the like: a signal with timings.
        case digital = "digital video"
        /// Composite, S-Video and the like: a signal of an analog standard.
        case analog = "analog video"
    }

    /// The number by which the driver selects the input.
    package var index: Int
    package var name: String
    /// True if the input is a television receiver (V4L2_INPUT_TYPE_TUNER).
    package var isTuner: Bool
    /// True if the input's signal has timings (V4L2_IN_CAP_DV_TIMINGS).
    package var hasTimings: Bool
    /// True if the input's signal has an analog standard (V4L2_IN_CAP_STD).
    package var hasStandards: Bool
    /// True if the camera currently captures from the input.
    package var isCurrent: Bool
    /// The driver's status flags, which are valid only for the current input.
    package var status: UInt32

    package init(
        _ index: Int, _ name: String, isTuner: Bool = false, hasTimings: Bool = false, hasStandards: Bool = false,
        isCurrent: Bool = false, status: UInt32 = 0
    ) {
        self.index = index
        self.name = name
        self.isTuner = isTuner
        self.hasTimings = hasTimings
        self.hasStandards = hasStandards
        self.isCurrent = isCurrent
        self.status = status
    }

    package var kind: Kind {
        if hasTimings { return .digital }
        if isTuner { return .tuner }
        return hasStandards ? .analog : .camera
    }

    /// True if the driver reports whether the input has a signal.
    package var hasSignal: Bool { hasTimings || hasStandards }

    /// The fault that the status reports; nil if there is none, or if the driver does not report one for this input.
    package var fault: SignalFault? { isCurrent && hasSignal ? SignalFault(status: status) : nil }

    /// Returns the input that `text` means: the input's number, its name, or a part of its name that no other input
    /// has.
    ///
    /// - Parameter device: The camera's name, for the message.
    /// - Throws: `invalidSettings`, with a list of the inputs.
    package static func chosen(
        _ text: String, among inputs: [CameraInput], device: String
    ) throws(MediaError) -> CameraInput {
        if let number = Int(text), let input = inputs.first(where: { $0.index == number }) { return input }
        let wanted = text.lowercased()
        if let same = inputs.first(where: { $0.name.lowercased() == wanted }) { return same }
        let alike = inputs.filter { !wanted.isEmpty && $0.name.lowercased().contains(wanted) }
        if alike.count == 1 { return alike[0] }
        let action = "cannot select the input \"\(text)\" of \(device)"
        guard !inputs.isEmpty else {
            throw MediaError(
                .invalidSettings, action, reason: "its driver reports no inputs", wayOut: "remove --camera-input")
        }
        let list = inputs.map { "\($0.index) (\($0.name))" }.joined(separator: ", ")
        throw MediaError(
            .invalidSettings, action,
            reason: alike.isEmpty ? "it has no such input" : "several inputs have that name",
            wayOut: "it has \(list)")
    }
}

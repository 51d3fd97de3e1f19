/// A camera control and its value, written `exposure_auto=1`.
public struct CameraControl: Sendable, Hashable {
    /// V4L2's name of the control, as `v4l2-ctl --list-ctrls` shows it.
    public let name: String
    public let value: Int64

    public init(name: String, value: Int64) {
        self.name = name
        self.value = value
    }

    public init(parsing text: String) throws(OptionError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let value = Int64(parts[1]), !parts[0].isEmpty,
            parts[0].utf8.allSatisfy({ $0 == 0x5F || 0x30...0x39 ~= $0 || 0x61...0x7A ~= $0 || 0x41...0x5A ~= $0 })
        else { throw OptionError(text, isNot: "a control and its value", write: "exposure_auto=1") }
        self.init(name: String(parts[0]), value: value)
    }
}

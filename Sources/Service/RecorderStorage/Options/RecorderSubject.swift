package import CommandInterface

/// The recorders that a command refers to: one recorder, or a group, such as `@stage`.
package enum RecorderSubject: Sendable, Hashable {
    case recorder(RecordingName)
    case group(String)

    package init(parsing text: String) throws(OptionError) {
        guard text.hasPrefix("@") else {
            self = .recorder(try RecordingName(parsing: text))
            return
        }
        self = .group(try RecordingName(parsing: String(text.dropFirst())).description)
    }
}

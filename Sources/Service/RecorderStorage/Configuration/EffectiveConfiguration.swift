import CommandInterface
import FileSystem
import Foundation
package import MediaTypes

/// The settings that a recorder uses, and the origin of each.
package struct EffectiveConfiguration: Sendable {
    /// One line of `recorder config show`.
    package struct Line: Sendable, Encodable, Equatable {
        package let key: String
        /// The value, or `NAME=VALUE` for an entry; nil if it is not set.
        @OrNull package var value: String?
        /// The origin: "default", "/etc/recorder/front.yaml:7", "RECORDER_SEGMENT" or "--segment".
        package let from: String
    }

    package let configuration: RecordingConfiguration
    /// The file that was read, if there is one.
    package let file: String?
    /// True if there is no file, or no setting in it.
    let isFileEmpty: Bool
    /// Every setting, in the order of `RecordingSetting.all`.
    package let lines: [Line]
    /// True if there is no configuration file and every setting has its default.
    package var isUndecided: Bool { file == nil && lines.allSatisfy { $0.from == SettingOrigin.standard.description } }

    /// Combines the assignments, the weakest source first: the file's.
    ///
    /// - Throws: An error for an invalid text, or for contradictory settings. The stage is `usage` if only options are
    ///   wrong, else `configuration`.
    static func resolve(
        _ layers: [[SettingAssignment]], name: RecordingName, file: String?
    ) throws(RecordingFailure) -> EffectiveConfiguration {
        var draft = RecordingDraft()
        draft.configuration.name = name
        var origins: [String: SettingOrigin] = [:]
        for assignment in effective(layers) {
            // Overridden texts must still be valid.
            var scratch = draft
            do throws(OptionError) {
                try assignment.assignment.setting.read(assignment.assignment.text, &scratch)
            } catch {
                throw RecordingFailure(
                    assignment.assignment.origin.isTyped ? .usage : .configuration,
                    MediaError(.invalidSettings, assignment.assignment.subject, reason: error.description))
            }
            try checkPassword(scratch.configuration, assignment.assignment)
            guard !assignment.isDisplaced else { continue }
            draft = scratch
            origins[assignment.assignment.place] = assignment.assignment.origin
        }
        do throws(OptionError) {
            let configuration = try draft.finished()
            return EffectiveConfiguration(
                configuration: configuration, file: file, isFileEmpty: layers.first?.isEmpty ?? true,
                lines: lines(configuration, origins))
        } catch {
            throw contradiction(error, name, origins)
        }
    }

    /// Refuses a camera's URL that contains a password if other users or programs could read the password.
    private static func checkPassword(
        _ configuration: RecordingConfiguration, _ assignment: SettingAssignment
    ) throws(RecordingFailure) {
        guard assignment.setting.key == RecordingSetting.camera.key,
            configuration.networkCamera?.credentials != nil
        else { return }
        let reason: String
        let wayOut: String
        switch assignment.origin {
        case .file(let path, _):
            var status = stat()
            // A group may have access: the service's user does not own the file, and reads it as a member of the group.
            guard stat(path, &status) != 0 || status.st_mode & 0o007 != 0 else { return }
            reason = "the URL has a password, and other users can read this file"
            wayOut =
                "run `chmod o-rwx \(path)`, or use camera-credentials; change the password if another user may know it"
        case .environment:
            reason = "the URL has a password, which every program that the recorder starts could read"
            wayOut = "write USER:PASSWORD into a file, and name it with camera-credentials"
        case .flag, .standard:
            reason = "the URL has a password, which every user of this machine can read in the list of processes"
            wayOut = "write USER:PASSWORD into a file, and use --camera-credentials FILE"
        }
        throw RecordingFailure(
            assignment.origin.isTyped ? .usage : .configuration,
            MediaError(.notPermitted, assignment.subject, reason: reason, wayOut: wayOut))
    }

    private static func effective(
        _ layers: [[SettingAssignment]]
    ) -> [(assignment: SettingAssignment, isDisplaced: Bool)] {
        var result: [(assignment: SettingAssignment, isDisplaced: Bool)] = []
        for layer in layers {
            let displaced = Set(layer.flatMap { $0.setting.displaces($0.text) })
            for index in result.indices where displaced.contains(result[index].assignment.setting.key) {
                result[index].isDisplaced = true
            }
            result += layer.map { ($0, false) }
        }
        return result
    }

    private static func contradiction(
        _ error: OptionError, _ name: RecordingName, _ origins: [String: SettingOrigin]
    ) -> RecordingFailure {
        let involved = origins.filter { place, _ in
            error.settings.contains { place == $0 || place.hasPrefix($0 + ".") }
        }
        let isTyped = involved.values.allSatisfy(\.isTyped)
        let places = involved.filter { !$0.value.isTyped }.sorted { $0.key < $1.key }
            .map { "\($0.key) is set by \($0.value)" }.joined(separator: ", ")
        return RecordingFailure(
            isTyped ? .usage : .configuration,
            MediaError(.invalidSettings, "cannot record \(name)", reason: error.description, wayOut: places))
    }

    private static func lines(
        _ configuration: RecordingConfiguration, _ origins: [String: SettingOrigin]
    ) -> [Line] {
        RecordingSetting.all.flatMap { setting in
            let texts = setting.show(configuration)
            let own = (origins[setting.key] ?? .standard).description
            guard !texts.isEmpty else { return [Line(key: setting.key, value: nil, from: own)] }
            return texts.map { text in
                let place = SettingAssignment(setting, text, from: .standard).place
                return Line(key: setting.key, value: text, from: (origins[place] ?? .standard).description)
            }
        }
    }
}

extension EffectiveConfiguration {
    /// One line per setting, such as `segment              10m          /etc/recorder/front.yaml:7`.
    package var text: String {
        let keys = lines.map(\.key.count).max() ?? 0
        // One long command must not move the last column far to the right.
        let values = min(32, lines.map { ($0.value ?? "").count }.max() ?? 0)
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        return lines.map { line in
            let value = (line.value ?? "–").trimmingCharacters(in: .newlines).replacing("\n", with: "\\n")
            return "\(padded(line.key, keys))  \(padded(value, values))  \(line.from)"
        }.joined(separator: "\n")
    }
}

import MediaTypes
import Yams

/// A recorder's YAML file: a mapping with the options' names as keys.
///
/// Every scalar is used as text; YAML's own types for numbers, dates and booleans are ignored.
enum ConfigurationFile {
    /// Reads a file.
    ///
    /// - Returns: The file's assignments in order; nil if there is no such file.
    /// - Throws: An error with file, line and key, and advice for the user.
    static func assignments(_ path: String) throws(MediaError) -> [SettingAssignment]? {
        guard let (text, doubt) = try ConfigurationText.read(path) else { return nil }
        let assignments = try parse(text, path: path)
        if let doubt, let hook = assignments.first(where: { $0.setting.key == RecordingSetting.hook.key }) {
            throw ConfigurationText.refusal(
                "\(hook.origin)", "hooks are not allowed in this file: \(doubt.reason)", doubt.wayOut)
        }
        return assignments
    }

    static func parse(_ text: String, path: String) throws(MediaError) -> [SettingAssignment] {
        if let line = ConfigurationText.firstAnchor(text) {
            throw ConfigurationText.refusal(
                "\(path):\(line)", "anchors and aliases are not supported", "write the value again")
        }
        guard let root = try compose(text, path) else { return [] }
        guard case .mapping(let mapping) = root else {
            if case .scalar(let scalar) = root, isNothing(scalar) { return [] }
            throw refusal(path, root, "not a valid configuration", "write lines such as “camera: /dev/video0”")
        }
        var assignments: [SettingAssignment] = []
        for (key, value) in mapping { assignments += try read(key, value, path) }
        return assignments
    }

    private static func compose(_ text: String, _ path: String) throws(MediaError) -> Node? {
        do {
            return try Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot()
        } catch let error as YamlError {
            throw YAMLProblem.explain(error, text, path)
        } catch {
            throw ConfigurationText.refusal("cannot use \(path)", "\(error)")
        }
    }

    private static func read(_ key: Node, _ value: Node, _ path: String) throws(MediaError) -> [SettingAssignment] {
        guard case .scalar(let name) = key else {
            throw refusal(path, key, "a key must be one word", "write lines such as “camera: /dev/video0”")
        }
        guard let setting = RecordingSetting.named(name.string) else {
            let known = RecordingSetting.all.map(\.key)
            throw refusal(
                path, key, "unknown key “\(name.string.prefix(80))”",
                Spelling.nearest(to: name.string, in: known).map { "did you mean “\($0)”?" }
                    ?? "`recorder config show` lists the keys")
        }
        switch (setting.shape, value) {
        case (.value, .scalar(let scalar)), (.flag, .scalar(let scalar)):
            return [try assignment(setting, scalar, entry: nil, at: key, path)]
        case (.entries, .mapping(let entries)):
            var assignments: [SettingAssignment] = []
            for (entry, value) in entries {
                guard case .scalar(let entry) = entry, case .scalar(let scalar) = value else {
                    throw refusal(path, entry, "every entry of “\(setting.key)” needs one value", example(of: setting))
                }
                assignments.append(try assignment(setting, scalar, entry: entry.string, at: .scalar(entry), path))
            }
            return assignments
        case (.entries, _):
            throw refusal(path, key, "“\(setting.key)” needs entries, not one value", example(of: setting))
        case (.value, _), (.flag, _):
            throw refusal(
                path, key, "“\(setting.key)” takes one value, not several", "write “\(setting.key): …” on one line")
        }
    }

    private static func assignment(
        _ setting: RecordingSetting, _ scalar: Node.Scalar, entry: String?, at key: Node, _ path: String
    ) throws(MediaError) -> SettingAssignment {
        guard !isNothing(scalar) else {
            throw refusal(path, key, "“\(entry ?? setting.key)” has no value", "write one, or remove the line")
        }
        if setting.key == RecordingSetting.output.key, !scalar.string.hasPrefix("/"), scalar.string != "none" {
            throw refusal(
                path, key, "output: “\(scalar.string.prefix(80))” is relative, but a service has no working directory",
                "write an absolute path")
        }
        return SettingAssignment(
            setting, entry.map { "\($0)=\(scalar.string)" } ?? scalar.string,
            from: .file(path, line: key.mark?.line ?? 1))
    }

    /// Returns true for a key without a value, as in `camera:`, and for YAML's words for null.
    private static func isNothing(_ scalar: Node.Scalar) -> Bool {
        scalar.style == .plain && ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    private static func example(of setting: RecordingSetting) -> String {
        switch setting.key {
        case RecordingSetting.hook.key: "write “hook: {stop: …}”"
        case RecordingSetting.mask.key: "write “mask: {door: \"0,0 40,0 40,25 0,25\"}”"
        default: "write “\(setting.key): {focus_absolute: 30}”"
        }
    }

    private static func refusal(_ path: String, _ node: Node, _ reason: String, _ wayOut: String) -> MediaError {
        ConfigurationText.refusal("\(path):\(node.mark?.line ?? 1)", reason, wayOut)
    }
}

/// Formats libyaml's errors as one line with the position.
enum YAMLProblem {
    static func explain(_ error: YamlError, _ text: String, _ path: String) -> MediaError {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _):
            let isTab = line(mark.line, of: text).prefix { $0 == " " || $0 == "\t" }.contains("\t")
            return refusal(
                "\(path):\(mark.line):\(mark.column)", problem,
                isTab
                    ? "indent with spaces; YAML does not allow tabs" : "check for a missing quote, colon or bracket")
        case .composer(_, let problem, let mark, _):
            return refusal(
                "\(path):\(mark.line):\(mark.column)", problem, "write one document, without anchors and aliases"
            )
        case .duplicatedKeysInMapping(let keys, let context):
            return refusal(
                "\(path):\(context.mark.line)", "“\(keys.first.map { $0.prefix(80) } ?? "")” occurs twice",
                "remove one")
        case .reader(let problem, let offset, _, _):
            let line = 1 + text.utf8.prefix(offset ?? 0).count { $0 == UInt8(ascii: "\n") }
            return refusal("\(path):\(line)", problem, "save the file as plain UTF-8 text")
        case .memory: return refusal("cannot use \(path)", "not enough memory", "make it smaller")
        default: return refusal("cannot use \(path)", "it is not YAML", "write lines such as “camera: /dev/video0”")
        }
    }

    private static func line(_ number: Int, of text: String) -> Substring {
        var lines = text.split(separator: "\n", maxSplits: max(0, number), omittingEmptySubsequences: false)[...]
        lines = lines.dropFirst(max(0, number - 1))
        return lines.first ?? ""
    }

    private static func refusal(_ place: String, _ problem: String, _ wayOut: String) -> MediaError {
        ConfigurationText.refusal(place, problem.isEmpty ? "it is not YAML" : problem, wayOut)
    }
}

import MediaTypes
import Yams

/// What libyaml has to say, in one line with the place.
enum YAMLProblem {
    static func explain(_ error: YamlError, _ text: String, _ path: String) -> MediaError {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _):
            let isTab = line(mark.line, of: text).prefix { $0 == " " || $0 == "\t" }.contains("\t")
            return refusal(
                "\(path):\(mark.line):\(mark.column)", problem,
                isTab
                    ? "indent with spaces, YAML takes no tabs" : "see whether a quote, a colon or a bracket is missing")
        case .composer(_, let problem, let mark, _):
            return refusal(
                "\(path):\(mark.line):\(mark.column)", problem, "one document without anchors and aliases is understood"
            )
        case .duplicatedKeysInMapping(let keys, let context):
            return refusal(
                "\(path):\(context.mark.line)", "“\(keys.first.map { $0.prefix(80) } ?? "")” is there twice",
                "leave one out")
        case .reader(let problem, let offset, _, _):
            let line = 1 + text.utf8.prefix(offset ?? 0).count { $0 == UInt8(ascii: "\n") }
            return refusal("\(path):\(line)", problem, "only text is understood")
        case .memory: return refusal("cannot use \(path)", "there is no memory for it", "make it smaller")
        default: return refusal("cannot use \(path)", "it is no YAML", "write lines as “camera: /dev/video0”")
        }
    }

    private static func line(_ number: Int, of text: String) -> Substring {
        var lines = text.split(separator: "\n", maxSplits: max(0, number), omittingEmptySubsequences: false)[...]
        lines = lines.dropFirst(max(0, number - 1))
        return lines.first ?? ""
    }

    private static func refusal(_ place: String, _ problem: String, _ wayOut: String) -> MediaError {
        ConfigurationText.refusal(place, problem.isEmpty ? "it is no YAML" : problem, wayOut)
    }
}

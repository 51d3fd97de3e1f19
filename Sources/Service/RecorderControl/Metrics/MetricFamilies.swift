/// The metrics of several recorders, merged by family. Both text formats require that all samples of a family are
/// together.
///
/// Reads the text of each recorder (`RecorderMetrics.prometheusText`). Another version of the program may have written
/// the text, so lines in any other format are left out. Each sample gets the label `recorder` instead of the recorder's
/// own `name`.
package struct MetricFamilies: Sendable, Equatable {
    private struct Family: Equatable {
        let kind: PrometheusText.Kind
        /// The help text as it was read, with backslashes and line feeds escaped.
        let help: String
        var samples: [String] = []
    }

    /// The maximum number of families; a recorder has about fifty.
    private static let most = 256

    private var families: [String: Family] = [:]
    /// The names of the families in the order in which they were added.
    private var order: [String] = []

    package init() {}

    /// Adds one sample of a family that recorders do not send themselves. A name that ends in `_total` is a counter,
    /// any other a gauge.
    package mutating func add(
        _ name: String, _ help: String, _ value: Int64, of recorder: String, _ key: String? = nil,
        _ keyValue: String = ""
    ) {
        var text = PrometheusText(label: ("name", recorder), capacity: 256)
        text.family(name, name.hasSuffix("_total") ? .counter : .gauge, help)
        text.sample(name, value, key, keyValue)
        add(text.text, of: recorder)
    }

    /// Adds the metrics of one recorder.
    package mutating func add(_ text: String, of recorder: String) {
        var help: (name: Substring, words: Substring) = ("", "")
        var family: String?
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# HELP ") {
                let words = line.dropFirst("# HELP ".count).split(separator: " ", maxSplits: 1)
                help = words.count == 2 ? (words[0], words[1]) : ("", "")
            } else if line.hasPrefix("# TYPE ") {
                let words = line.dropFirst("# TYPE ".count).split(separator: " ")
                family = words.count == 2 ? begin(words[0], words[1], help.name == words[0] ? help.words : "") : nil
            } else if let family, let sample = relabeled(line, of: family, recorder) {
                families[family]?.samples.append(sample)
            }
        }
    }

    /// Begins a family, or continues the family with that name.
    ///
    /// - Returns: The family's name; nil if it cannot be added.
    private mutating func begin(_ word: Substring, _ kindWord: Substring, _ help: Substring) -> String? {
        let name = String(word)
        guard let kind = PrometheusText.Kind(rawValue: String(kindWord)), Self.isName(name),
            kind != .counter || name.hasSuffix("_total")
        else { return nil }
        if let known = families[name] { return known.kind == kind ? name : nil }
        guard order.count < Self.most else { return nil }
        families[name] = Family(kind: kind, help: String(help))
        order.append(name)
        return name
    }

    /// Returns a sample with the label `recorder`; nil if the line is not a sample of this family and this recorder.
    private func relabeled(_ line: Substring, of family: String, _ recorder: String) -> String? {
        let label = "{name=\"\(recorder)\""
        guard let brace = line.firstIndex(of: "{"), line[brace...].hasPrefix(label),
            let space = line.lastIndex(of: " "), Double(line[line.index(after: space)...]) != nil
        else { return nil }
        let name = line[..<brace]
        let rest = line[brace...].dropFirst(label.count)
        guard rest.startIndex < space, name.hasPrefix(family) else { return nil }
        let suffix = String(name.dropFirst(family.count))
        let suffixes = families[family]?.kind == .histogram ? ["_bucket", "_sum", "_count"] : [""]
        let labels = rest[..<space]
        guard suffixes.contains(suffix), labels.hasSuffix("}"), Self.areLabels(labels.dropLast()) else { return nil }
        return "\(name){recorder=\"\(recorder)\"\(rest)"
    }

    private static func isName(_ text: String) -> Bool {
        text.hasPrefix("recorder_") && text.utf8.count <= 128 && text.utf8.allSatisfy(isNameByte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    /// Returns true for labels such as `,cause="disk"`, and for an empty text.
    private static func areLabels(_ text: Substring) -> Bool {
        var (isQuoted, isEscaped) = (false, false)
        for byte in text.utf8 {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if isQuoted {
                isEscaped = byte == UInt8(ascii: "\\")
            } else if byte != UInt8(ascii: ","), byte != UInt8(ascii: "="), !isNameByte(byte) {
                return false
            }
        }
        return !isQuoted
    }

    /// Returns all metrics as text.
    package func text(_ format: MetricFormat) -> String {
        var text = ""
        for name in order {
            guard let family = families[name], !family.samples.isEmpty else { continue }
            let isOpen = format == .openMetrics
            // In OpenMetrics, the suffix belongs to the sample, not to the family. Quotation marks in the help text are
            // escaped as in a label.
            let title = isOpen && family.kind == .counter ? String(name.dropLast("_total".count)) : name
            text += "# HELP \(title) \(isOpen ? family.help.replacing("\"", with: "\\\"") : family.help)\n"
            text += "# TYPE \(title) \(family.kind.rawValue)\n"
            if isOpen, let unit = Self.units.first(where: { title.hasSuffix("_" + $0) }) {
                text += "# UNIT \(title) \(unit)\n"
            }
            for sample in family.samples {
                text += sample
                text += "\n"
            }
        }
        return format == .openMetrics ? text + "# EOF\n" : text
    }

    /// The base units in the names of metrics.
    private static let units = ["seconds", "bytes", "ratio"]
}

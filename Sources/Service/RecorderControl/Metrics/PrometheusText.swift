import RealTime

/// Formats metrics in Prometheus' text format, version 0.0.4 (prometheus.io, "Exposition formats").
///
/// Each sample is one line: `name{label="value"} number`. Two lines that describe a family precede its samples.
struct PrometheusText {
    enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    private(set) var text = ""
    /// The label of every sample.
    private let label: (name: String, value: String)

    /// Creates an empty text.
    ///
    /// - Parameter capacity: The initial capacity in bytes, so that the text is allocated once.
    init(label: (name: String, value: String), capacity: Int) {
        self.label = label
        text.reserveCapacity(capacity)
    }

    /// Begins a family. Its samples must follow.
    mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP "
        text += name
        text += " "
        appendEscaped(help, quotes: false)
        text += "\n# TYPE "
        text += name
        text += " "
        text += kind.rawValue
        text += "\n"
    }

    mutating func sample(_ name: String, _ value: Int64, _ key: String? = nil, _ keyValue: String = "") {
        begin(name, "", key, keyValue)
        text += String(value)
        text += "\n"
    }

    mutating func sample(_ name: String, _ value: Double, _ key: String? = nil, _ keyValue: String = "") {
        begin(name, "", key, keyValue)
        append(value)
        text += "\n"
    }

    /// Adds a family with one sample.
    mutating func metric(_ name: String, _ kind: Kind, _ help: String, _ value: Int64) {
        family(name, kind, help)
        sample(name, value)
    }

    mutating func metric(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        family(name, kind, help)
        sample(name, value)
    }

    /// Adds a family with one histogram. Prometheus' buckets are cumulative.
    mutating func histogram(_ name: String, _ help: String, _ histogram: LatencyHistogram) {
        family(name, .histogram, help)
        var total: Int64 = 0
        for (index, count) in histogram.counts.enumerated() {
            total += count
            let isLast = index == LatencyHistogram.bounds.count
            begin(name, "_bucket", "le", isLast ? "+Inf" : String(LatencyHistogram.bounds[index]))
            text += String(total)
            text += "\n"
        }
        begin(name, "_sum", nil, "")
        append(histogram.sum)
        text += "\n"
        begin(name, "_count", nil, "")
        text += String(histogram.count)
        text += "\n"
    }

    private mutating func begin(_ name: String, _ suffix: String, _ key: String?, _ value: String) {
        text += name
        text += suffix
        text += "{"
        append(label.name, label.value)
        if let key {
            text += ","
            append(key, value)
        }
        text += "} "
    }

    private mutating func append(_ name: String, _ value: String) {
        text += name
        text += "=\""
        appendEscaped(value, quotes: true)
        text += "\""
    }

    /// Escapes backslashes and line feeds everywhere, and quotation marks only in labels.
    private mutating func appendEscaped(_ value: String, quotes: Bool) {
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\"" where quotes: text += "\\\""
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    private mutating func append(_ value: Double) {
        if value.isFinite {
            text += value.description
        } else {
            text += value.isNaN ? "NaN" : value > 0 ? "+Inf" : "-Inf"
        }
    }
}

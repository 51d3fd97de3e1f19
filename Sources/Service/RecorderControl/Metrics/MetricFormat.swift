import Foundation

/// A text format for metrics.
package enum MetricFormat: Sendable {
    /// Prometheus' text format 0.0.4 (prometheus.io, "Exposition formats").
    case prometheus
    /// OpenMetrics 1.0.0 (openmetrics.io).
    case openMetrics

    /// Chooses the format that a client prefers by its header `Accept` (RFC 9110, 12.5.1); Prometheus' own format if
    /// the header names neither.
    package init(accepting header: String?) {
        var (open, plain) = (0.0, 0.0)
        for range in (header ?? "").split(separator: ",") {
            let words = range.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            let weight = words.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst("q=".count)) }
            let isCurrent = words.allSatisfy { !$0.hasPrefix("version=") || $0 == "version=1.0.0" }
            switch words.first ?? "" {
            case "application/openmetrics-text" where isCurrent: open = max(open, weight ?? 1)
            case "text/plain", "text/*", "*/*": plain = max(plain, weight ?? 1)
            default: break
            }
        }
        self = open > 0 && open >= plain ? .openMetrics : .prometheus
    }

    package var contentType: String {
        switch self {
        case .prometheus: RecorderMetrics.prometheusContentType
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }
}

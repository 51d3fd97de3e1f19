import Foundation

/// How much happened in a recording file, from 0 to 100 for each second, or for each `step` seconds of a long file.
///
/// Its memory is limited: when it is full, each pair of neighboring values is replaced by the larger one.
package struct ActivitySeries: Sendable, Hashable {
    /// The maximum number of values: one for each second of a day.
    package static let most = 86_400

    /// The number of seconds of one value.
    package private(set) var step: Int
    package private(set) var values: [UInt8]
    /// The number of seconds that the series covers.
    package private(set) var seconds: Int

    package init() {
        step = 1
        values = []
        seconds = 0
    }

    /// Creates a series from its stored form; nil if the stored form is invalid.
    package init?(step: Int, text: String) {
        guard step > 0, step <= 1 << 20, let data = Data(base64Encoded: text), data.count <= Self.most else {
            return nil
        }
        self.step = step
        values = data.map { min($0, 100) }
        seconds = values.count * step
    }

    /// The values as base64, one byte each, as the catalogue stores them.
    package var text: String { Data(values).base64EncodedString() }

    /// The largest value; nil for an empty series.
    package var peak: Int? { values.max().map { Int($0) } }

    /// Sets the value of a second, counted from the start.
    ///
    /// The seconds after the last set second and before this second get the value 0; such a gap is limited to a day. If
    /// this second is already set, it keeps the larger value.
    package mutating func set(_ value: Int, at second: Int) {
        let value = UInt8(clamping: max(0, min(100, value)))
        let second = min(max(0, second), seconds + Self.most)
        guard second >= seconds else {
            let index = second / step
            if values.indices.contains(index) { values[index] = max(values[index], value) }
            return
        }
        while seconds < second { append(0) }
        append(value)
    }

    private mutating func append(_ value: UInt8) {
        if seconds % step == 0 {
            if values.count == Self.most { halve() }
        }
        if seconds % step == 0 {
            values.append(value)
        } else if let last = values.indices.last {
            values[last] = max(values[last], value)
        }
        seconds += 1
    }

    private mutating func halve() {
        values = stride(from: 0, to: values.count, by: 2).map { index in
            max(values[index], index + 1 < values.count ? values[index + 1] : 0)
        }
        step *= 2
    }
}

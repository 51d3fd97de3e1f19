import Foundation
import MediaTypes

/// Numbers for users. They are the same in every locale, because scripts and bug reports quote them.
package enum NumberText {
    /// Formats an integer: "111,815".
    package static func grouped(_ number: Int64) -> String {
        let digits = String(number.magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return number < 0 ? "−" + text : text
    }

    /// Formats a size in powers of 1000: "2.1 GB".
    package static func bytes(_ count: Int64) -> String {
        if count < 1000 { return "\(count) B" }
        var value = Double(count)
        for unit in ["kB", "MB", "GB"] {
            value /= 1000
            if value < 999.5 { return "\(significant(value)) \(unit)" }
        }
        return "\(significant(value / 1000)) TB"
    }

    /// Formats a duration: "1 h 02 min 11 s", "2 min 05 s", "9.97 s".
    package static func duration(_ seconds: Double) -> String {
        guard seconds >= 60 else { return "\(fixed(seconds, places: 2)) s" }
        let whole = Int64(clamping: seconds.rounded())
        let tail = "\(padded(whole / 60 % 60)) min \(padded(whole % 60)) s"
        return whole >= 3600 ? "\(whole / 3600) h \(tail)" : "\(whole / 60) min \(padded(whole % 60)) s"
    }

    /// Formats a duration in whole seconds, for values that need no fraction: "9 s".
    package static func wholeSeconds(_ seconds: Double) -> String {
        seconds >= 60 ? duration(seconds.rounded(.down)) : "\(max(0, Int64(clamping: seconds))) s"
    }

    /// Formats a duration as a clock shows it: "01:02:11".
    package static func clock(_ seconds: Double) -> String {
        let whole = Int64(clamping: seconds)
        let (hours, minutes) = (abs(whole / 3600), abs(whole / 60 % 60))
        return "\(whole < 0 ? "-" : "")\(padded(hours)):\(padded(minutes)):\(padded(abs(whole % 60)))"
    }

    /// Formats a frame rate: "30 fps", "29.97 fps". A measured rate is never exactly an integer, so one within 0.02 %
    /// of an integer is rounded. NTSC rates differ from an integer by five times as much.
    package static func frameRate(_ rate: Double) -> String {
        let whole = rate.rounded()
        return "\(trimmed(abs(rate - whole) <= whole * 0.0002 ? whole : rate, places: 2)) fps"
    }

    /// Formats a sample rate: "48 kHz", "44.1 kHz".
    package static func sampleRate(_ rate: Int) -> String { "\(trimmed(Double(rate) / 1000, places: 3)) kHz" }

    /// Formats a channel count: "mono", "stereo", "6 channels".
    package static func channels(_ count: Int) -> String {
        switch count {
        case 1: "mono"
        case 2: "stereo"
        default: "\(count) channels"
        }
    }

    /// Formats a number with a true minus sign and exactly `places` decimal places: "−12.3".
    package static func fixed(_ value: Double, places: Int, sign: Bool = false) -> String {
        let text = String(format: "%.\(places)f", value.magnitude)
        let isZero = Double(text) == 0
        return (value < 0 && !isZero ? "−" : sign && !isZero ? "+" : "") + text
    }

    private static func trimmed(_ value: Double, places: Int) -> String {
        var text = fixed(value, places: places)
        guard text.contains(".") else { return text }
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
    }

    private static func significant(_ value: Double) -> String { fixed(value, places: value < 99.95 ? 1 : 0) }

    private static func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : String(number) }
}

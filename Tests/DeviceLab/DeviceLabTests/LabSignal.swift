import Foundation
import RealTime
import Testing

/// The signals at the inputs of vivid, as its controls simulate them: 0 is a webcam, 1 S-Video, 2 HDMI.
enum LabSignal {
    static let path = "/dev/video0"

    /// Selects an input, whose controls can be changed from here on.
    static func select(_ input: Int) throws { try control(["-i", "\(input)"]) }

    /// Shows a signal at the HDMI input, such as "1280x720p50".
    static func show(_ timings: String) throws {
        try select(2)
        let menus = try Program.run("v4l2-ctl", ["-d", path, "-L"]).text
        let line = try #require(menus.split(separator: "\n").first { $0.hasSuffix(": \(timings)") }, "\(menus)")
        let number = try #require(Int(line.prefix { $0 != ":" }.trimmingCharacters(in: .whitespaces)))
        // Both in one call, for which the driver sends one event.
        try control(["-c", "dv_timings=\(number),dv_timings_signal_mode=4"])
    }

    /// Makes the HDMI signal unusable: 1 none, 2 without a lock, 3 out of range.
    static func lose(_ mode: Int = 1) throws {
        try select(2)
        try control(["-c", "dv_timings_signal_mode=\(mode)"])
    }

    /// Shows PAL at the S-Video input. The camera must not stream.
    static func showPAL() throws {
        try select(1)
        try control(["-s", "pal"])
        try control(["-c", "standard_signal_mode=0"])
    }

    /// Shows NTSC-M at the S-Video input.
    static func showNTSC() throws {
        try select(1)
        try control(["-c", "standard=0,standard_signal_mode=4"])
    }

    /// Shows nothing at the S-Video input.
    static func loseAnalog() throws {
        try select(1)
        try control(["-c", "standard_signal_mode=1"])
    }

    /// Reports a change of the HDMI signal whose timings stay the same. The camera must be set to them.
    static func interrupt() throws {
        try select(2)
        try control(["-c", "dv_timings_signal_mode=0"])
    }

    private static func control(_ words: [String]) throws {
        let result = try Program.run("v4l2-ctl", ["-d", path] + words)
        try #require(result.status == 0, "\(words) \(result.errors)")
    }

    /// Leaves the signal as it is for some time. This is the time that a test records or counts, not a wait for a
    /// condition; the kernel's cameras have the same clock.
    static func hold(seconds: Int64) {
        let clock = MonotonicClock()
        clock.sleep(until: clock.nanoseconds + seconds * 1_000_000_000)
    }
}

import Foundation
import Testing

/// The complete claps of a movie, each a flash and a beep.
///
/// A clap that a fault cut is ignored, because the fault decides where its remainder begins.
struct ClapMeasure {
    /// The offsets in seconds; positive if the flash is seen after the beep begins.
    let offsets: [Double]
    let flashes: [Double]
    let beeps: [Double]

    /// - Parameters:
    ///   - frame: seconds from one frame to the next.
    ///   - length: seconds of a flash and of a beep.
    init(_ movie: URL, frame: Double, length: Double) throws {
        let result = try Program.run(
            "ffmpeg",
            [
                "-v", "info", "-nostats", "-i", movie.path, "-fps_mode", "passthrough", "-enc_time_base:v", "1:1000000",
                "-vf",
                "signalstats,metadata=mode=print:key=lavfi.signalstats.YAVG:file=-", "-af",
                "silencedetect=n=-30dB:d=0.05", "-f", "null", "-",
            ])
        flashes = Self.flashes(result.text, frame: frame, length: length)
        beeps = Self.beeps(result.errors, length: length)
        let beeps = beeps
        offsets = flashes.compactMap { flash in
            beeps.min { abs($0 - flash) < abs($1 - flash) }.map { flash - $0 }
        }.filter { abs($0) < 0.7 }
    }

    private static func flashes(_ text: String, frame: Double, length: Double) -> [Double] {
        var flashes: [Double] = []
        var start: Double?
        var time = -Double.infinity
        var before = -Double.infinity
        var wasWhite = true
        for line in text.split(separator: "\n") {
            if let range = line.range(of: "pts_time:") {
                before = time
                time = Double(line[range.upperBound...].prefix { $0 != " " }) ?? time
            } else if let value = line.split(separator: "=").last.flatMap({ Double($0) }) {
                let isWhite = value > 200
                let isHole = time - before > frame * 1.5
                if isHole { start = nil }
                if isWhite, !wasWhite, !isHole { start = time }
                if !isWhite, let flash = start {
                    if abs(time - flash - length) < frame { flashes.append(flash) }
                    start = nil
                }
                wasWhite = isWhite
            }
        }
        return flashes
    }

    private static func beeps(_ text: String, length: Double) -> [Double] {
        var beeps: [Double] = []
        var start: Double?
        for line in text.split(separator: "\n") {
            func time(_ key: String) -> Double? {
                line.range(of: key).flatMap { Double(line[$0.upperBound...].prefix { $0 != " " }) }
            }
            if let end = time("silence_end: ") { start = end }
            if let silence = time("silence_start: "), let beep = start {
                if abs(silence - beep - length) < 0.02 { beeps.append(beep) }
                start = nil
            }
        }
        return beeps
    }
}

import Foundation
import MediaTypes
import TestSupport
import Testing

/// Measures a finished movie with FFmpeg's programs, not with our own.
struct MovieMeasure {
    let url: URL

    /// Presentation times of the packets of a kind of track (`v` or `a`), rising, in seconds.
    func packetTimes(_ kind: String) throws -> [Double] {
        let result = try Probe.ask(url.path, "packet=pts_time", of: kind)
        #expect(result.status == 0 && result.errors == "")
        return result.text.split(separator: "\n").compactMap { Double($0.prefix { $0 != "," }) }.sorted()
    }

    /// How many packets of a kind of track are shown: not those that are stored for others to lean on.
    func shownPackets(_ kind: String) throws -> Int {
        let result = try Probe.ask(url.path, "packet=flags", of: kind)
        return result.text.split(separator: "\n").count { !$0.contains("D") }
    }

    /// Seconds of a kind of track.
    func duration(_ kind: String) throws -> Double {
        let result = try Probe.ask(url.path, "stream=duration", of: kind)
        return Double(result.text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? .nan
    }

    /// What FFmpeg complains about when it decodes everything; empty for a sound movie.
    func decodingErrors() throws -> String {
        try Program.run(
            "ffmpeg",
            [
                "-v", "warning", "-xerror", "-i", url.path, "-fps_mode", "passthrough", "-enc_time_base", "-1", "-f",
                "null", "-",
            ]
        ).errors
    }

    /// The account that the recorder left in the movie.
    func ledger() throws -> [String: Ledger] { try #require(try storedLedger(), "\(url.path) has no ledger") }

    /// The same; nil where there is none, as in what was repaired.
    func storedLedger() throws -> [String: Ledger]? {
        let result = try Probe.ask(url.path, "format_tags=recorder.ledger", as: "default=nw=1:nk=1")
        guard result.text.contains("{") else { return nil }
        return try JSONDecoder().decode([String: Ledger].self, from: Data(result.text.utf8))
    }

    /// Moments at which the picture turns white, seconds.
    func flashes() throws -> [Double] {
        let graph = "movie=\(url.path),signalstats"
        let result = try Probe.ask(
            graph, "frame=pts_time:frame_tags=lavfi.signalstats.YAVG", options: ["-f", "lavfi"])
        var flashes: [Double] = []
        var wasWhite = false
        for line in result.text.split(separator: "\n") {
            let fields = line.split(separator: ",").compactMap { Double($0) }
            guard fields.count == 2 else { continue }
            let isWhite = fields[1] > 128
            if isWhite && !wasWhite { flashes.append(fields[0]) }
            wasWhite = isWhite
        }
        return flashes
    }

    /// Moments at which a sound begins after silence, seconds, to the sample.
    func beeps() throws -> [Double] {
        let length = try duration("a")
        // In pieces: silencedetect prints six digits, so from 1,000 s on hundredths of a second.
        return try stride(from: 0, to: length, by: 900).flatMap { start in
            let graph = "atrim=start=\(start):end=\(start + 900),asetpts=PTS-STARTPTS,silencedetect=n=-30dB:d=0.05"
            let result = try Program.run(
                "ffmpeg", ["-v", "info", "-i", url.path, "-map", "0:a", "-af", graph, "-f", "null", "-"])
            return result.errors.split(separator: "\n").compactMap { line -> Double? in
                guard let range = line.range(of: "silence_end: ") else { return nil }
                return Double(line[range.upperBound...].prefix { $0 != " " }).map { start + $0 }
            }
        }
    }
}

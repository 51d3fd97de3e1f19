import Foundation
import MediaTypes
import TestSupport
import Testing

/// Measurements of a finished movie by FFmpeg's programs, not by this project.
struct MovieMeasure {
    let url: URL

    /// Returns the presentation times of the packets of a kind of track (`v` or `a`), rising, in seconds.
    func packetTimes(_ kind: String) throws -> [Double] {
        let result = try Probe.ask(url.path, "packet=pts_time", of: kind)
        #expect(result.status == 0 && result.errors == "")
        return result.text.split(separator: "\n").compactMap { Double($0.prefix { $0 != "," }) }.sorted()
    }

    /// Returns the number of shown packets of a kind of track, without those that are stored only for decoding others.
    func shownPackets(_ kind: String) throws -> Int {
        let result = try Probe.ask(url.path, "packet=flags", of: kind)
        return result.text.split(separator: "\n").count { !$0.contains("D") }
    }

    /// Returns the seconds of a kind of track.
    func duration(_ kind: String) throws -> Double {
        let result = try Probe.ask(url.path, "stream=duration", of: kind)
        return Double(result.text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? .nan
    }

    /// Returns FFmpeg's errors when it decodes everything; empty for an intact movie.
    func decodingErrors() throws -> String {
        try Program.run(
            "ffmpeg",
            [
                "-v", "warning", "-xerror", "-i", url.path, "-fps_mode", "passthrough", "-enc_time_base:v", "1:1000000",
                "-f",
                "null", "-",
            ]
        ).errors
    }

    /// Returns the drop counts that the recorder stored in the movie.
    func ledger() throws -> [String: Ledger] { try #require(try storedLedger(), "\(url.path) has no ledger") }

    /// Returns the stored drop counts; nil if there are none, as in a repaired movie.
    func storedLedger() throws -> [String: Ledger]? {
        let result = try Probe.ask(url.path, "format_tags=recorder.ledger", as: "default=nw=1:nk=1")
        guard result.text.contains("{") else { return nil }
        return try JSONDecoder().decode([String: Ledger].self, from: Data(result.text.utf8))
    }

    /// Returns the times at which the video turns white, in seconds.
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

    /// Returns the times at which audio begins after silence, in seconds, to the sample.
    func beeps() throws -> [Double] {
        let length = try duration("a")
        // The audio is split: silencedetect prints six digits, so only hundredths of a second from 1,000 s on.
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

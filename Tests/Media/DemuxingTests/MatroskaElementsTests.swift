import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import Demuxing

/// Tests that content of a Matroska file that libavformat omits silently is reported.
@Suite struct MatroskaElementsTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func movie(_ name: String, _ options: [String]) throws -> URL {
        let url = URL(fileURLWithPath: directory.path(name))
        let made = try Command.run(
            [
                "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=s=160x90:r=15:d=6", "-f", "lavfi", "-i",
                "sine=d=6:sample_rate=48000", "-c:v", "libvpx", "-deadline", "realtime", "-g", "15", "-c:a", "libopus",
            ] + options + [url.path])
        try #require(made.status == 0, "\(made.errors)")
        return url
    }

    private func read(_ url: URL, from start: Double? = nil) throws -> (frames: Int, faults: [MediaError]) {
        let demuxer = try MovieDemuxer(path: url.path)
        if let start {
            #expect(demuxer.seek(to: MediaTime(seconds: start, timescale: 1000), track: 0))
        }
        var (frames, faults) = (0, [MediaError]())
        while !demuxer.isAtEnd {
            do throws(MediaError) {
                guard let packet = try demuxer.next() else { break }
                if packet.track == 0 { frames += 1 }
            } catch { faults.append(error) }
        }
        return (frames, faults)
    }

    private static let forms: [[String]] = [
        ["movie.webm"], ["movie.mkv"], ["front.webm", "-cues_to_front", "1"],
        ["short.mkv", "-cluster_time_limit", "300"],
        ["live.webm", "-live", "1"],
        ["facts.mkv", "-metadata", "title=A walk", "-attach", "/etc/hostname", "-metadata:s:2", "mimetype=text/plain"],
    ]

    @Test(arguments: forms) func read_intactFile_reportsNoFault(_ form: [String]) throws {
        let url = try movie(form[0], Array(form.dropFirst()))
        let (frames, faults) = try read(url)
        #expect(frames == 90 && faults.isEmpty, "\(form): \(frames), \(faults)")
        #expect(try read(url, from: 3.5).faults.isEmpty)
    }

    @Test(arguments: ["movie.webm", "movie.mkv"], [0.35, 0.5]) func read_overwrittenBytes_reportsOneFaultAndContinues(
        _ name: String, _ share: Double
    ) throws {
        let url = try movie(name, ["-cluster_time_limit", "1000"])
        var bytes = try Data(contentsOf: url)
        let start = Int(Double(bytes.count) * share)
        bytes.replaceSubrange(start..<(start + bytes.count / 4), with: Data(SyntheticMedia.noise(bytes.count / 4)))
        try bytes.write(to: url)
        let (frames, faults) = try read(url)
        #expect((20..<80).contains(frames) && faults.count == 1, "\(frames), \(faults)")
        #expect(faults.first?.code == .corruptData && faults.first?.reason.contains("not a Matroska element") == true)
    }

    @Test func reachedEnd_packetAfterDamage_isIncluded() throws {
        let url = try movie("movie.mkv", ["-cluster_time_limit", "1000"])
        var bytes = try Data(contentsOf: url)
        let (start, count) = (bytes.count / 2, bytes.count / 4)
        bytes.replaceSubrange(start..<(start + count), with: Data(SyntheticMedia.noise(count)))
        try bytes.write(to: url)
        let demuxer = try MovieDemuxer(path: url.path)
        var faults = 0
        while !demuxer.isAtEnd {
            do throws(MediaError) {
                guard let packet = try demuxer.next() else { break }
                let end = packet.sample.presentationTime + (packet.sample.duration ?? .zero)
                let reached = demuxer.reachedEnd(of: packet.track) ?? .negativeInfinity
                #expect(reached >= end, "packet at \(packet.sample.presentationTime) after \(faults) faults")
            } catch { faults += 1 }
        }
        #expect(faults == 1)
    }

    @Test func read_overwrittenBytesInASingleCluster_reportsTheFault() throws {
        let url = try movie("movie.webm", ["-cluster_time_limit", "10000", "-cluster_size_limit", "10M"])
        var bytes = try Data(contentsOf: url)
        let start = bytes.count / 3
        bytes.replaceSubrange(start..<(2 * start), with: Data(SyntheticMedia.noise(start)))
        try bytes.write(to: url)
        #expect(try read(url).faults.count == 1)
    }

    @Test func read_bytesAfterTheEnd_reportsNoFault() throws {
        let url = try movie("movie.mkv", [])
        try (try Data(contentsOf: url) + Data(SyntheticMedia.noise(5000))).write(to: url)
        #expect(try read(url).faults.isEmpty)
    }

    @Test func seek_pastTheDamage_reportsNoFault() throws {
        let url = try movie("movie.mkv", ["-cluster_time_limit", "1000"])
        var bytes = try Data(contentsOf: url)
        let start = bytes.count * 2 / 10
        bytes.replaceSubrange(start..<(start + bytes.count / 10), with: Data(SyntheticMedia.noise(bytes.count / 10)))
        try bytes.write(to: url)
        #expect(try read(url).faults.count == 1)
        #expect(try read(url, from: 4.5).faults.isEmpty)
    }

    @Test func read_noise_isReadOrReportedAsDamage() throws {
        let url = try movie("movie.webm", [])
        let whole = try Data(contentsOf: url)
        for number in 0..<60 {
            var bytes = whole
            let start = 300 + number * (whole.count - 400) / 60
            for place in start..<min(whole.count, start + 1 + number * 7) {
                bytes[place] = UInt8(truncatingIfNeeded: place &* 31)
            }
            try bytes.write(to: url)
            do {
                let faults = try read(url).faults
                #expect(faults.allSatisfy { $0.code == .corruptData }, "damage \(number): \(faults)")
            } catch {
                // Its header is unreadable.
                #expect((error as? MediaError)?.code == .corruptData, "damage \(number): \(error)")
            }
        }
    }
}

import Glibc
import MediaTypes
import TestSupport
import Testing

@testable import Demuxing

/// Tests of packets that libavformat finds and does not read.
@Suite struct UnreadPacketsTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func movie(_ name: String, _ arguments: [String]) throws -> String {
        let path = directory.path(name)
        let made = try Command.run(
            [
                "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=128x96:r=25:d=3", "-f", "lavfi", "-i",
                "sine=d=3",
            ]
                + arguments + [path])
        #expect(made.errors == "")
        return path
    }

    private func packets(_ path: String, track: Int, from start: MediaTime?, unread: Bool) throws
        -> [MovieDemuxer.Packet]
    {
        // Passthrough opens a file for the second time, as an export does.
        let passage = unread ? MovieDemuxer.Passage(track, of: try MovieDemuxer(path: path).tracks) : nil
        let demuxer = try MovieDemuxer(path: path, passage: passage)
        demuxer.select([track])
        if let start { #expect(demuxer.seek(to: start, track: track)) }
        var packets: [MovieDemuxer.Packet] = []
        while let packet = try demuxer.next() { packets.append(packet) }
        return packets
    }

    @Test(arguments: [
        ["-c:v", "libx264", "-c:a", "aac"], ["-c:v", "libx265", "-x265-params", "log-level=error", "-c:a", "alac"],
        ["-c:v", "prores", "-c:a", "aac"],
    ]) func packets_notRead_equalThoseThatAreRead(arguments: [String]) throws {
        let path = try movie("a.mov", arguments)
        for track in 0...1 {
            for start in [nil, MediaTime(value: 3, timescale: 2)] {
                let read = try packets(path, track: track, from: start, unread: false)
                let unread = try packets(path, track: track, from: start, unread: true)
                #expect(read.count == unread.count && read.count > 15)
                for (one, other) in zip(read, unread) {
                    guard case .data(let bytes) = one.sample.content, case .data(let view) = other.sample.content else {
                        Issue.record("no packet")
                        continue
                    }
                    #expect(bytes.place == nil && view.place != nil)
                    #expect(Array(bytes.bytes) == Array(view.bytes))
                    #expect(one.sample.presentationTime == other.sample.presentationTime)
                    #expect(one.sample.decodeTime == other.sample.decodeTime)
                    #expect(one.sample.duration == other.sample.duration)
                    #expect(one.sample.isKeyframe == other.sample.isKeyframe && one.isDiscarded == other.isDiscarded)
                    #expect(one.skippedFrames == other.skippedFrames && one.position == other.position)
                }
            }
        }
    }

    @Test func packets_thatMustBeParsed_areRead() throws {
        let fragmented = try movie(
            "fragmented.mp4", ["-c:v", "libx264", "-g", "25", "-c:a", "aac", "-movflags", "frag_keyframe+empty_moov"])
        let other = try movie("a.mkv", ["-c:v", "libx264", "-c:a", "aac"])
        let parsed = try movie("a.mov", ["-c:v", "mpeg1video", "-c:a", "ac3"])
        for path in [fragmented, other, parsed] {
            for track in 0...1 {
                let all = try packets(path, track: track, from: nil, unread: true)
                #expect(all.count > 15)
                for packet in all {
                    guard case .data(let data) = packet.sample.content else {
                        Issue.record("no packet")
                        continue
                    }
                    #expect(data.place == nil && data.count > 0)
                }
            }
        }
    }

    @Test func packets_truncatedFile_endWithTheSameError() throws {
        let path = try movie("a.mov", ["-c:v", "libx264", "-c:a", "aac", "-movflags", "faststart"])
        #expect(truncate(path, 60_000) == 0)
        func outcome(unread: Bool) throws -> (Int, MediaError?) {
            let passage = unread ? MovieDemuxer.Passage(0, of: try MovieDemuxer(path: path).tracks) : nil
            let demuxer = try MovieDemuxer(path: path, passage: passage)
            demuxer.select([0])
            var count = 0
            do throws(MediaError) {
                while try demuxer.next() != nil { count += 1 }
            } catch { return (count, error) }
            return (count, nil)
        }
        let (read, unread) = (try outcome(unread: false), try outcome(unread: true))
        #expect(read.0 == unread.0 && read.1 == unread.1 && read.1 != nil)
    }
}

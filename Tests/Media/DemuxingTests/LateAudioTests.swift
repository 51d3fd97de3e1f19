import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import Demuxing

/// Streams whose audio begins later than libavformat searches for it.
@Suite struct LateAudioTests {
    @Test(arguments: ["late.ts", "late.mpg"])
    func open_audioBeginsAfterTwentySeconds_findsItsFormat(name: String) throws {
        let directory = try TemporaryDirectory()
        let made = try Command.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=160x120:r=25:d=22", "-itsoffset", "20", "-f",
            "lavfi", "-i", "sine=d=2", "-c:v", "mpeg2video", "-c:a", "mp2", directory.path(name))
        try #require(made.status == 0, "\(made.errors)")
        let demuxer = try MovieDemuxer(path: directory.path(name))
        let audio = try #require(demuxer.tracks.first { $0.mediaType == .audio })
        #expect(audio.format?.audio?.sampleRate == 44_100 && audio.format?.audio?.channelCount == 1)
        var packets = [0, 0]
        while let packet = try demuxer.next() { packets[packet.track] += 1 }
        #expect(packets[audio.index] > 70 && packets[1 - audio.index] == 550)
    }
}

import MediaTypes
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Packets go only to files with a track of their format, and every other packet is counted as dropped.
@Suite struct RouterFormatTests {
    private static let otherAudio = FormatDescription.audio(
        AudioFormat(codec: .aac, sampleRate: 44_100, channelCount: 2))
    private static let otherVideo = FormatDescription.video(VideoFormat(codec: .h264, width: 128, height: 64))

    /// Returns a recording whose microphone returns with another format. The frames lag, so the audio after 480 ms
    /// still waits. A keyframe follows at 1000 ms.
    private func benchWithOtherMicrophone() -> RouterBench {
        var bench = RouterBench()
        bench.change { $0.begin(at: nil, into: &$1) }
        bench.run(milliseconds: 500)
        bench.run(milliseconds: 1100, video: false)
        bench.change { $0.trackEnded(.audio, into: &$1) }
        bench.blockFormat = Self.otherAudio
        bench.change { $0.trackBegan(.audio, format: Self.otherAudio, into: &$1) }
        return bench
    }

    @Test func microphone_returnsWithOtherFormat_earlierAudioIsInTheEarlierFileOnly() {
        var bench = benchWithOtherMicrophone()
        let earlier = bench.blocks
        bench.run(milliseconds: 2500)
        // The packets of the second file do not wait until those of the first one are overdue.
        #expect(bench.packets(.audio, in: 2).count > 50)
        // Releases all audio.
        bench.change { $0.trackEnded(.video, into: &$1) }
        #expect(bench.openings.map(\.audio) == [RouterBench.audioFormat, Self.otherAudio])
        #expect(bench.misplaced == 0)
        // The packets from 0 ms to 1003 ms. Of those after it, no file has the format.
        #expect(bench.packets(.audio, in: 1).count == 47)
        #expect(bench.losses(.audio) == [.queue: Int64(earlier - 47) * 1024])
        #expect(bench.packets(.audio, in: 2).count == bench.blocks - earlier)
        #expect(bench.counted(.audio) == Int64(bench.blocks) * 1024)
    }

    @Test func cameraDisconnects_afterTheCut_earlierAudioBeginsNoFile() {
        var bench = benchWithOtherMicrophone()
        let earlier = bench.blocks
        bench.run(milliseconds: 1020, audio: false)
        bench.run(milliseconds: 1300, video: false)
        #expect(bench.openings.count == 2)
        bench.change { $0.trackEnded(.video, into: &$1) }
        bench.run(milliseconds: 2000, video: false)
        #expect(bench.openings.map(\.audio) == [RouterBench.audioFormat, Self.otherAudio])
        #expect(bench.misplaced == 0)
        #expect(bench.packets(.audio, in: 2).count == bench.blocks - earlier)
        #expect(bench.losses(.audio) == [.queue: Int64(earlier - 47) * 1024])
        #expect(bench.counted(.audio) == Int64(bench.blocks) * 1024)
    }

    @Test func cameraDisconnects_beforeTheCut_firstPacketOfTheOtherFormatCuts() {
        var bench = benchWithOtherMicrophone()
        let earlier = bench.blocks
        bench.run(milliseconds: 1300, video: false)
        bench.change { $0.trackEnded(.video, into: &$1) }
        bench.run(milliseconds: 2000, video: false)
        #expect(bench.openings.map(\.audio) == [RouterBench.audioFormat, Self.otherAudio])
        #expect(bench.misplaced == 0 && bench.losses(.audio) == [:])
        #expect(bench.packets(.audio, in: 1).count == earlier)
        #expect(bench.packets(.audio, in: 2).count == bench.blocks - earlier)
        #expect(bench.openings.last?.start == bench.packets(.audio, in: 2).first?.presentationTime)
    }

    /// A camera returns while the open file has no video, or video of another size. The recording ends before the first
    /// frame comes out of the encoder, so no file begins with it.
    @Test(arguments: [false, true]) func camera_returnsBeforeTheEnd_lateFramesAreCountedAsDropped(hasOther: Bool) {
        var bench = RouterBench()
        bench.change { $0.begin(at: nil, into: &$1) }
        bench.run(milliseconds: 1500)
        let stored = Int64(bench.frames)
        bench.change { $0.trackEnded(.video, into: &$1) }
        if hasOther { bench.frameFormat = Self.otherVideo } else { bench.change { $0.cut(soon: &$1) } }
        bench.run(milliseconds: 4000, video: false)
        #expect(bench.openings.last.map { $0.video == nil } == !hasOther)
        bench.skipFrames(to: 4000)
        let format = bench.frameFormat
        bench.change { $0.trackBegan(.video, format: format, into: &$1) }
        bench.change { $0.end(at: MediaTime(value: 4200, timescale: 1000), into: &$1) }
        bench.run(milliseconds: 4500)
        #expect(bench.hasEnded && bench.misplaced == 0)
        // The frames from 4000 to 4160 ms. Those at the end and after it are not part of the recording.
        #expect(bench.losses(.video) == [.queue: 5])
        #expect(bench.count(.video) == stored && bench.counted(.video) == stored + 5)
    }

    /// The microphone is connected while the file has no audio, and a keyframe cuts at 1000 ms, within its second block.
    /// The file cuts the block to the audio frame.
    @Test func pcm_acrossTheStartOfItsFirstFile_theEarlierPartIsCountedAsDropped() {
        let format = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 1)
        let described = FormatDescription.audio(format)
        var bench = RouterBench(audio: false)
        bench.change { $0.begin(at: nil, into: &$1) }
        bench.run(milliseconds: 900, audio: false)
        bench.change { $0.trackBegan(.audio, format: described, into: &$1) }
        for time in [890, 990, 1090] as [Int64] {
            let block = SampleBuffer(
                pcm: MediaData([UInt8](repeating: 0, count: 9600)), format: format,
                presentationTime: MediaTime(value: time, timescale: 1000))
            bench.change { $0.accept(block, backlog: 0, into: &$1) }
        }
        bench.run(milliseconds: 1200, audio: false)
        #expect(bench.openings.map(\.audio) == [nil, described])
        let stored = bench.packets(.audio, in: 2).filter { $0.ledgerCount > 0 }
        #expect(stored.map { $0.presentationTime.ticks(in: 1000) } == [990, 1090])
        // A block of 100 ms, and 10 ms of the next one.
        #expect(bench.losses(.audio) == [.queue: 4800 + 480])
    }

    @Test func closingFile_cutShortWithNothingUnwritten_lateAudioIsCountedAsDropped() {
        var bench = RouterBench()
        bench.change { $0.begin(at: nil, into: &$1) }
        bench.run(milliseconds: 1500)
        bench.change { $0.cut(soon: &$1) }
        // Audio lags while the frames continue past the cut.
        bench.run(milliseconds: 2200, audio: false)
        #expect(bench.openings.count == 2 && bench.ends[1] == nil)
        let stored = bench.packets(.audio, in: 1).count
        bench.change { $0.moveOn(from: 1, UnwrittenRest(), end: nil, into: &$1) }
        bench.run(milliseconds: 4000)
        // Releases all audio.
        bench.change { $0.trackEnded(.video, into: &$1) }
        #expect(bench.packets(.audio, in: 1).count == stored && bench.misplaced == 0)
        #expect(Array(bench.losses(.audio, in: 2).keys) == [.queue])
        #expect(bench.counted(.audio) == Int64(bench.blocks) * 1024)
    }
}

import Foundation
import MediaTypes
import MovieFile
import TestSupport
import Testing

@testable import Signing

/// Tests of a gap of hours in which a device was disconnected. Edits bridge it, and present only what is presented
/// anyway.
@Suite struct SignedGapTests {
    enum Kind: CaseIterable {
        case frames, packets, pcm

        var format: FormatDescription {
            switch self {
            case .frames: .video(VideoFormat(codec: .mjpeg, width: 64, height: 48))
            case .packets:
                .audio(
                    AudioFormat(codec: .aac, sampleRate: 44_100, channelCount: 2, decoderConfiguration: [0x12, 0x10]))
            case .pcm: .audio(AudioFormat(pcm: .s16, sampleRate: 44_100, channelCount: 1))
            }
        }

        var track: MovieTrack {
            MovieTrack(
                id: 1, mediaType: self == .frames ? .video : .audio, format: format,
                timeScale: self == .frames ? 1_000_000 : 44_100)
        }

        /// A second of the track.
        func fragment(at second: Int64) -> [TrackSample] {
            switch self {
            case .frames:
                (0..<25).map { sample(second * 25 + $0, in: 25, lasting: 1) }
            case .packets: (0..<43).map { sample(second * 44_100 + $0 * 1024, in: 44_100, lasting: 1024) }
            case .pcm: [sample(second * 44_100, in: 44_100, lasting: 44_100)]
            }
        }

        private func sample(_ time: Int64, in scale: Int32, lasting duration: Int64) -> TrackSample {
            let start = MediaTime(value: time, timescale: scale)
            let bytes = [UInt8](
                repeating: UInt8(truncatingIfNeeded: time / 7), count: self == .pcm ? Int(duration) * 2 : 9)
            if self == .pcm, case .audio(let format) = format {
                return TrackSample(
                    track: 0, sample: SampleBuffer(pcm: MediaData(bytes), format: format, presentationTime: start))
            }
            return TrackSample(
                track: 0,
                sample: SampleBuffer(
                    format: format, content: .data(MediaData(bytes)), presentationTime: start,
                    duration: MediaTime(value: duration, timescale: scale),
                    sampleCount: self == .packets ? Int(duration) : 1))
        }
    }

    @Test(arguments: Kind.allCases, [1_000_000, 1000] as [Int32])
    func gap_bridgedByEdits_isGenuine(kind: Kind, movieScale: Int32) throws {
        let hours: Int64 = 3600 * 3
        let storage = MemoryStorage()
        let sealing = SignedMovie.signer().file(begun: SignedMovie.begun)
        let writer = MovieFileWriter(
            storage: storage, timeScale: movieScale, creationTime: 0, metadata: [], tracks: [kind.track],
            sessionStart: .zero, sealing: sealing)
        for second in [0, 1, hours, hours + 1, hours * 2] { try writer.writeFragment(kind.fragment(at: second)) }
        try MovieFinisher.finish(storage)
        let answer = try SignedMovie.verify(storage.bytes)
        #expect(answer.verdict == .genuine && answer.fragments == 5, "\(answer.problems)")
        var walk = try SealedFragments(storage)
        while try walk.next() != nil {}
        let tracks = try #require(walk.header?.tracks { _ in kind == .pcm })
        #expect(tracks[0].edits.count > 2)
        let temporary = try TemporaryDirectory()
        let directory = temporary.url.path
        do {
            try Data(SignedMovie.key.publicKey.pem.utf8).write(to: URL(fileURLWithPath: directory + "/key.pub"))
            try Data(storage.bytes).write(to: URL(fileURLWithPath: directory + "/gap.mov"))
            let other = try PythonJudge.run("signature.py", directory + "/key.pub", directory + "/gap.mov")
            #expect(other.text.contains("genuine"), "\(other.text)")
        }
    }
}

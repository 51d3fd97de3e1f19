import Foundation
import MediaCodecs
package import MediaTypes
package import MovieFile

/// A short recording with H.264 and AAC, as the packets that the encoders send to the file writer.
package struct Recording {
    package var tracks: [MovieTrack]
    /// Fragments of a second, audio and video in the order of their times.
    package var fragments: [[TrackSample]]
    package var sessionStart: MediaTime
    package var audioEnd: MediaTime

    package var facts: FinishingInfo { FinishingInfo(trackEnds: [2: audioEnd - sessionStart]) }
    package var frameCount: Int { fragments.joined().reduce(0) { $0 + ($1.track == 0 ? 1 : 0) } }

    /// Three seconds at 30 fps, 64×48.
    package static let short = try! Recording(seconds: 3)

    package init(seconds: Int, audioDelay: MediaTime = .zero) throws {
        let start = MediaTime(value: 77_000_123, timescale: 1_000_000)
        let encoder = try H264Encoder(
            settings: VideoSettings(width: 64, height: 48, expectedFrameRate: 30), color: .bt601,
            timeScale: 1_000_000, isRealTime: true)
        var video: [SampleBuffer] = []
        for number in 0..<(seconds * 30) {
            let time = start + MediaTime(value: Int64(number), timescale: 30).converted(to: 1_000_000)
            try encoder.encode(SyntheticMedia.frame(number, width: 64, height: 48), at: time) { video.append($0) }
        }
        try encoder.finish { video.append($0) }

        let audioEncoder = try AudioEncoders.open(AudioSettings(), input: SyntheticMedia.pcm)
        audioEncoder.setAnchor(start + audioDelay)
        var audio: [SampleBuffer] = []
        for second in 0..<seconds {
            let block = SyntheticMedia.tone(from: second * 48_000, count: 48_000, at: .zero)
            guard case .data(let data) = block.content else { continue }
            try audioEncoder.encode(data.bytes) { audio.append($0) }
        }
        try audioEncoder.finish { audio.append($0) }

        sessionStart = start
        audioEnd = start + audioDelay + MediaTime(value: Int64(seconds), timescale: 1)
        tracks = [
            MovieTrack(id: 1, mediaType: .video, format: .video(encoder.format), timeScale: 1_000_000),
            MovieTrack(
                id: 2, mediaType: .audio, format: .audio(audioEncoder.format), timeScale: 48_000,
                primingFrames: audioEncoder.primingFrames),
        ]
        let all = video.map { TrackSample(track: 0, sample: $0) } + audio.map { TrackSample(track: 1, sample: $0) }
        fragments = (0...seconds).map { second in
            all.filter { packet in
                let time = packet.sample.decodeTime ?? packet.sample.presentationTime
                let index = (time - start).ticks(in: 1, rounding: .down)
                return min(max(0, index), Int64(seconds)) == second
            }
        }.filter { !$0.isEmpty }
    }

    package func makeWriter(_ storage: any MovieStorage, metadata: [MetadataItem] = []) -> MovieFileWriter {
        MovieFileWriter(
            storage: storage, timeScale: 1_000_000, creationTime: 1_700_000_000, metadata: metadata, tracks: tracks,
            sessionStart: sessionStart)
    }

    /// Writes every fragment and does not finalize the file.
    @discardableResult
    package func write(to storage: any MovieStorage, metadata: [MetadataItem] = []) throws(MediaError)
        -> MovieFileWriter
    {
        let writer = makeWriter(storage, metadata: metadata)
        for (index, fragment) in fragments.enumerated() {
            try writer.writeFragment(fragment, next: index + 1 < fragments.count ? fragments[index + 1].first : nil)
        }
        return writer
    }

    /// Returns the bytes of the unfinished recording.
    package func bytes() throws -> [UInt8] {
        let storage = MemoryStorage()
        try write(to: storage)
        return storage.bytes
    }
}

/// Writes bytes into a file for other programs to judge.
package func judge<Result>(_ bytes: [UInt8], name: String = "movie.mov", _ body: (String) throws -> Result) throws
    -> Result
{
    let directory = try TemporaryDirectory()
    try Data(bytes).write(to: directory.file(name))
    return try body(directory.path(name))
}

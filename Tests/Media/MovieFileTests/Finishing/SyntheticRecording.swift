import MediaTypes
import Testing

@testable import MovieFile

/// Recordings of any length and shape, without encoders: their packets are only read by demuxers.
struct SyntheticRecording {
    static let frame = VideoFormat(codec: .mjpeg, width: 64, height: 48)
    static let packet = AudioFormat(
        codec: .aac, sampleRate: 48_000, channelCount: 2, decoderConfiguration: [0x11, 0x90])
    static let pcm = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 1)

    static func videoTrack(_ id: UInt32 = 1) -> MovieTrack {
        MovieTrack(id: id, mediaType: .video, format: .video(frame), timeScale: 1_000_000)
    }
    static func audioTrack(_ id: UInt32 = 1, _ format: AudioFormat = packet) -> MovieTrack {
        MovieTrack(id: id, mediaType: .audio, format: .audio(format), timeScale: 48_000)
    }

    /// A frame at a time in milliseconds.
    static func frame(_ time: Int64, track: Int = 0, size: Int = 4) -> TrackSample {
        TrackSample(
            track: track,
            sample: SampleBuffer(
                format: .video(frame), content: .data(MediaData([UInt8](repeating: 7, count: size))),
                presentationTime: MediaTime(value: time, timescale: 1000),
                duration: MediaTime(value: 40, timescale: 1000)))
    }

    /// A packet of 1024 audio frames that begins at an audio frame.
    static func audio(_ frame: Int64, track: Int = 0) -> TrackSample {
        TrackSample(
            track: track,
            sample: SampleBuffer(
                format: .audio(packet), content: .data(MediaData([1, 2, 3, UInt8(truncatingIfNeeded: frame / 1024)])),
                presentationTime: MediaTime(value: frame, timescale: 48_000),
                duration: MediaTime(value: 1024, timescale: 48_000), sampleCount: 1024))
    }

    /// A block of PCM that begins at an audio frame.
    static func block(_ frame: Int64, count: Int, track: Int = 0) -> TrackSample {
        TrackSample(
            track: track,
            sample: SampleBuffer(
                pcm: MediaData([UInt8](repeating: 9, count: count * 2)), format: pcm,
                presentationTime: MediaTime(value: frame, timescale: 48_000)))
    }

    /// Writes a recording with one fragment for each batch.
    @discardableResult
    static func write(
        _ tracks: [MovieTrack], _ batches: [[TrackSample]], to storage: any MovieStorage, timeScale: Int32 = 1_000_000
    ) throws -> MovieFileWriter {
        let writer = MovieFileWriter(
            storage: storage, timeScale: timeScale, creationTime: 0, metadata: [], tracks: tracks, sessionStart: .zero)
        for batch in batches { try writer.writeFragment(batch) }
        return writer
    }
}

/// Storage that counts the reads and writes of a file.
final class CountingStorage: MovieStorage {
    private let file: any MovieStorage
    private(set) var readCount = 0
    private(set) var largestRead = 0
    private(set) var largestWrite = 0

    init(_ file: any MovieStorage) { self.file = file }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(MediaError) {
        largestWrite = max(largestWrite, bytes.count)
        try file.write(bytes, at: offset)
    }

    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MediaError) -> Int {
        readCount += 1
        largestRead = max(largestRead, bytes.count)
        return try file.read(into: bytes, at: offset)
    }

    func size() throws(MediaError) -> UInt64 { try file.size() }
    func truncate(to size: UInt64) throws(MediaError) { try file.truncate(to: size) }
    func synchronize() throws(MediaError) { try file.synchronize() }
}

/// The `moov` of a finalized file.
func finalHeader(of storage: any MovieStorage) throws -> Atom {
    var atoms = try TopLevelAtoms(storage)
    var header = try #require(try atoms.header(at: 0))
    while header.type != "moov" { header = try #require(try atoms.header(at: header.end)) }
    let bytes = try #require(try atoms.contents(of: header))
    return try #require(Atom(parsing: bytes))
}

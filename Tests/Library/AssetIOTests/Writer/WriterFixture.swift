import Foundation
import MediaTypes
import TestSupport

@testable import AssetIO

/// A writer with live tracks in a directory of its own.
struct WriterFixture {
    static let start = MediaTime(value: 1_000_000_123, timescale: 1_000_000)

    let directory: TemporaryDirectory
    let writer: AssetWriter
    var path: String { writer.outputURL.path }

    /// - Parameter prepare: replaces the disk, the encoders or the clock.
    init(
        name: String = "movie.mov", fileType: FileType? = nil,
        prepare: (inout WriterCore.Foundations) -> Void = { _ in }
    ) throws {
        directory = try TemporaryDirectory()
        var foundations = WriterCore.Foundations()
        prepare(&foundations)
        writer = try AssetWriter(outputURL: directory.file(name), fileType: fileType, foundations: foundations)
    }

    /// Adds a live track that refuses nothing unless `budget` limits it.
    func add(
        _ type: MediaType, _ settings: OutputSettings?, hint: FormatDescription? = nil,
        budget: RealTimeBudget = RealTimeBudget(duration: MediaTime(value: 3600, timescale: 1), bytes: 1 << 30)
    ) throws -> AssetWriterInput {
        let input = try AssetWriterInput(mediaType: type, outputSettings: settings, sourceFormatHint: hint)
        try input.configure {
            $0.expectsMediaDataInRealTime = true
            $0.realTimeBudget = budget
        }
        try writer.add(input)
        return input
    }

    func addVideo(width: Int = 64, height: Int = 48, rate: Double? = 30) throws -> AssetWriterInput {
        try add(.video, .video(VideoSettings(width: width, height: height, expectedFrameRate: rate)))
    }

    func addAudio(_ settings: AudioSettings = AudioSettings(), _ format: AudioFormat = SyntheticMedia.pcm) throws
        -> AssetWriterInput
    {
        try add(.audio, .audio(settings), hint: .audio(format))
    }

    /// Starts writing and the session, at `start`.
    func begin() throws {
        try writer.startWriting()
        try writer.startSession(atSourceTime: Self.start)
    }

    /// The time some seconds after the session's start, in microseconds as a camera counts.
    static func time(_ seconds: Double) -> MediaTime { start + MediaTime(seconds: seconds) }

    /// Appends frames at 30 fps with these numbers.
    func appendFrames(_ numbers: Range<Int>, to input: AssetWriterInput) throws {
        for number in numbers {
            try input.append(
                SyntheticMedia.videoSample(number, at: Self.time(Double(number) / 30), width: 64, height: 48))
        }
    }

    /// Appends a tone in blocks of 1,600 audio frames, a thirtieth of a second each.
    func appendTone(_ blocks: Range<Int>, to input: AssetWriterInput) throws {
        for block in blocks {
            let time = Self.start + MediaTime(value: Int64(block) * 1600, timescale: 48_000)
            try input.append(SyntheticMedia.tone(from: block * 1600, count: 1600, at: time))
        }
    }
}

extension Ledger {
    /// Every captured sample is either written or dropped for a cause.
    var isBalanced: Bool { captured == written + droppedInAll }
}

/// The code of the error that `body` throws; nil if it throws none.
func code(_ body: () throws -> Void) -> MediaError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? MediaError)?.code
    }
}

extension SharedAdmission {
    var isReady: Bool { readiness.value == .ready }

    /// Admits a sample, without an encoder that takes it.
    func append(_ sample: SampleBuffer) throws(MediaError) -> Bool {
        try admit(sample, mayWait: false).isAccepted
    }
}

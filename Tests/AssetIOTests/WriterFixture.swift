import Foundation
import MediaTypes
import MovieFile
import RealTime
import TestSupport

@testable import AssetIO

/// A writer with live tracks in a directory of its own.
struct WriterFixture {
    static let start = MediaTime(value: 1_000_000_123, timescale: 1_000_000)

    let directory: TemporaryDirectory
    let writer: AssetWriter
    var path: String { writer.outputURL.path }

    init(name: String = "movie.mov", openFile: WriterCore.OpenFile? = nil) throws {
        directory = try TemporaryDirectory()
        if let openFile {
            writer = try AssetWriter(outputURL: directory.file(name), openFile: openFile)
        } else {
            writer = try AssetWriter(outputURL: directory.file(name))
        }
    }

    /// A live track that refuses nothing unless `budget` says so.
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

    /// Seconds after the session's start, in microseconds as a camera counts.
    static func time(_ seconds: Double) -> MediaTime { start + MediaTime(seconds: seconds) }

    /// Appends pictures of 30 a second, the first with this number.
    func appendPictures(_ numbers: Range<Int>, to input: AssetWriterInput) throws {
        for number in numbers {
            try input.append(SyntheticMedia.frame(number, at: Self.time(Double(number) / 30), width: 64, height: 48))
        }
    }

    /// Appends a tone in blocks of 1,600 frames, a thirtieth of a second each.
    func appendTone(_ blocks: Range<Int>, to input: AssetWriterInput) throws {
        for block in blocks {
            let time = Self.start + MediaTime(value: Int64(block) * 1600, timescale: 48_000)
            try input.append(SyntheticMedia.tone(from: block * 1600, count: 1600, at: time))
        }
    }
}

/// A disk that can fail, fill up or stand still.
final class FaultyDisk: MovieStorage, @unchecked Sendable {
    // Unchecked: `file` is used by the writer's thread alone; the rest is behind the lock.
    private struct State {
        var writes = 0
        var failingWrite: Int?
        var isStalled = false
        var failure: Int32 = ENOSPC
    }

    private let file: DiskFile
    private let state: Locked<State>

    /// - Parameters:
    ///   - failingWrite: the write, from 1, from which on every one fails, after half of its bytes.
    ///   - failure: its errno.
    init(_ path: String, failingWrite: Int? = nil, failure: Int32 = ENOSPC) throws(MediaError) {
        file = try DiskFile(path: path, mode: .create)
        state = Locked(State(failingWrite: failingWrite, failure: failure))
    }

    var writeCount: Int { state.withLock { $0.writes } }

    func stall() { state.withLock { $0.isStalled = true } }

    func goOn() {
        state.withLock { $0.isStalled = false }
        state.broadcast()
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(MediaError) {
        let failure: Int32? = state.waiting { state in
            guard !state.isStalled else { return nil }
            state.writes += 1
            return .some(state.failingWrite.map { state.writes >= $0 } == true ? state.failure : nil)
        }
        if let failure {
            try file.write(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]), at: offset)
            throw MediaError(errno: failure, "cannot write the movie")
        }
        try file.write(bytes, at: offset)
    }

    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MediaError) -> Int {
        try file.read(into: bytes, at: offset)
    }

    func size() throws(MediaError) -> UInt64 { try file.size() }
    func truncate(to size: UInt64) throws(MediaError) { try file.truncate(to: size) }
    func synchronize() throws(MediaError) { try file.synchronize() }
    func close() { file.close() }
}

extension Ledger {
    /// Every captured sample is written or dropped for a cause.
    var isBalanced: Bool { captured == written + droppedInAll }
}

/// The code of the error that `body` throws; nil when it throws none.
func code(_ body: () throws -> Void) -> MediaError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? MediaError)?.code
    }
}

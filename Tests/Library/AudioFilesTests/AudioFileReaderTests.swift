import AudioFiles
import Foundation
import MediaTypes
import TestSupport
import Testing

/// Tests that every frame of a file is read once, wherever reading begins.
@Suite struct AudioFileReaderTests {
    static let files = InputMatrix.audioFiles

    static func isLossless(_ file: InputFile) -> Bool {
        let codec = file.audio.first?.codec ?? ""
        return codec.hasPrefix("pcm") || codec == "flac" || codec == "alac"
    }

    private func read(_ reader: AudioFileReader, _ frames: Int = .max, by step: Int = 4000) throws -> Data {
        var (data, left) = (Data(), frames)
        while left > 0 {
            let count = try reader.read(min(step, left)) { data.append(contentsOf: $0) }
            guard count > 0 else { break }
            left -= count
        }
        return data
    }

    @Test(arguments: files) func read_anyFile_equalsFFmpegsDecoding(_ file: InputFile) throws {
        let url = try file.url()
        let reader = try AudioFileReader(url: url, pcm: .float32)
        let given = try read(reader)
        let wanted = try Probe.decodedAudio(url.path, as: "f32le")
        let frameSize = try #require(reader.output.bytesPerFrame)
        // FFmpeg keeps the rest of the last packet, which the file's edit list leaves out.
        let slack = Self.isLossless(file) ? 0 : 1200
        #expect(abs(given.count - wanted.count) <= slack * frameSize, "\(given.count) \(wanted.count)")
        let common = min(given.count, wanted.count)
        #expect(given.prefix(common) == wanted.prefix(common))
        #expect(try reader.countFrames() == Int64(given.count / frameSize))
        #expect(reader.position == Int64(given.count / frameSize))
    }

    @Test(arguments: files) func seek_anyFile_continuesWithThatFrame(_ file: InputFile) throws {
        let reader = try AudioFileReader(url: try file.url(), pcm: .s16)
        let whole = try read(reader)
        let frameSize = try #require(reader.output.bytesPerFrame)
        let count = whole.count / frameSize
        for frame in [count - 1, 1, count / 2, 0, count] {
            try reader.seek(to: Int64(frame))
            #expect(reader.position == Int64(frame))
            let rest = try read(reader)
            #expect(rest.count == (count - frame) * frameSize, "from frame \(frame)")
            // A decoder that started elsewhere rounds differently.
            if Self.isLossless(file) { #expect(rest == whole.suffix(rest.count), "from frame \(frame)") }
        }
        // Forward, from the middle of what was read.
        for frame in [0, count / 3, count / 2] {
            try reader.seek(to: Int64(frame))
            let wanted = min(100, count - frame)
            let part = try read(reader, wanted)
            #expect(part.count == wanted * frameSize && reader.position == Int64(frame + wanted))
            if Self.isLossless(file) { #expect(part == whole.dropFirst(frame * frameSize).prefix(part.count)) }
        }
        try reader.seek(to: -5)
        #expect(reader.position == 0)
        try reader.seek(to: .max)
        #expect(reader.position == Int64(count))
        #expect(try reader.read(10) { _ in } == 0)
    }

    @Test(arguments: ["pcm-s16.wav", "flac.flac", "alac.caf", "aac.m4a"])
    func read_truncatedFile_returnsTheRestThenFails(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let bytes = try Data(contentsOf: try InputMatrix[name].url())
        let whole = try read(try AudioFileReader(url: try InputMatrix[name].url(), pcm: .s16))
        for part in [0, 1, 10, 50, 90, 99] {
            let url = directory.file("\(part)-\(name)")
            try bytes.prefix(bytes.count * part / 100).write(to: url)
            var got = Data()
            let error = #expect(throws: MediaError.self) {
                let reader = try AudioFileReader(url: url, pcm: .s16)
                while try reader.read(1000, { got.append(contentsOf: $0) }) > 0 {}
                // Not every cut can be noticed: only a WAVE file states its size.
                if !name.hasSuffix("wav") {
                    throw MediaError(.corruptData, "cannot read", reason: "it has ended early")
                }
            }
            let isRefused = error?.code == .corruptData || error?.code == .unsupported
            #expect(isRefused, "\(part) %: \(String(describing: error))")
            if name.hasSuffix("wav") { #expect(got == whole.prefix(got.count)) }
        }
    }

    @Test func open_fileWithoutAudio_isRefused() throws {
        let directory = try TemporaryDirectory()
        let missing = #expect(throws: MediaError.self) {
            try AudioFileReader(url: directory.file("missing.wav"), pcm: .s16)
        }
        #expect(missing?.code == .notFound)
        let silent = #expect(throws: MediaError.self) {
            try AudioFileReader(url: try InputMatrix["h264-alone.mov"].url(), pcm: .s16)
        }
        #expect(silent?.code == .unsupported)
    }
}

import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of `SharedMetadata`, the facts that joined movies share.
@Suite struct SharedMetadataTests {
    private let format = TimecodeFormat(frameDuration: MediaTime(value: 1, timescale: 25), framesPerSecond: 25)

    private func timecode(_ numbers: [UInt32?]) -> UInt32? {
        var facts = SharedMetadata()
        for (index, number) in numbers.enumerated() {
            facts.take(
                [], number.map { AssetTimecode(format: format, frameNumber: $0) },
                at: MediaTime(value: Int64(index) * 10, timescale: 1))
        }
        return facts.timecode?.frameNumber
    }

    @Test func timecode_continuous_isKept() {
        #expect(timecode([100, 350, 601]) == 100)
        // Past midnight.
        #expect(timecode([2_159_900, 150]) == 2_159_900)
        #expect(timecode([100, 360]) == nil)
        #expect(timecode([100, nil]) == nil && timecode([nil, 100]) == nil)
    }

    @Test func ledger_everySegmentHasOne_isTheSum() throws {
        func item(_ captured: Int64) throws -> [MetadataItem] {
            var ledger = Ledger()
            (ledger.captured, ledger.written) = (captured, captured)
            let json = String(decoding: try JSONEncoder().encode(["video": ledger]), as: UTF8.self)
            return [MetadataItem(key: MetadataItem.ledgerKey, value: json)]
        }
        var facts = SharedMetadata()
        facts.take(try item(10), nil, at: .zero)
        facts.take(try item(5), nil, at: MediaTime(value: 1, timescale: 1))
        let sum = try #require(facts.ledger?.value)
        #expect(try JSONDecoder().decode([String: Ledger].self, from: Data(sum.utf8))["video"]?.captured == 15)
        facts.take([], nil, at: MediaTime(value: 2, timescale: 1))
        #expect(facts.ledger == nil)
    }

    @Test func export_joinedFiles_keepsAContinuousTimecode() async throws {
        let directory = try TemporaryDirectory()
        var assets: [Asset] = []
        for (name, start) in [("a.mov", "10:00:00:00"), ("b.mov", "10:00:01:00")] {
            let made = try Command.run(
                "ffmpeg", "-v", "error", "-i", try InputMatrix["h264-alone.mov"].url().path, "-c", "copy", "-timecode",
                start, directory.path(name))
            try #require(made.status == 0, "\(made.errors)")
            assets.append(Asset(url: directory.file(name)))
        }
        let joined = Asset(try await Composition.joining(assets))
        #expect(try await joined.load(.timecode)?.text == "10:00:00:00")
        let copy = try await ExportedCopy(of: joined, in: directory, preset: .passthrough)
        #expect(try await Asset(url: copy.url).load(.timecode)?.text == "10:00:00:00")
        let swapped = Asset(try await Composition.joining(assets.reversed()))
        #expect(try await swapped.load(.timecode) == nil)
    }
}

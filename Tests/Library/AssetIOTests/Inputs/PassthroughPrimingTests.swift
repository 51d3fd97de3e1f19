import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of audio packets that only prime the decoder.
@Suite struct PassthroughPrimingTests {
    private typealias Fixture = CompositionFixture

    /// The header has the duration of the priming before the movie's start, whichever track's packets come first.
    @Test(arguments: [MediaType.video, .audio]) func passthrough_eitherTrackFirst_hidesPriming(
        _ first: MediaType
    ) async throws {
        let fixture = try CompositionFixture()
        let asset = try fixture.movie("movie.mov", audio: ["-c:a", "aac"])
        let url = fixture.files.directory.file("copy.mov")
        let writer = try AssetWriter(outputURL: url)
        let packets = [
            MediaType.video: try await AssetReader.samples(asset, .video, nil),
            .audio: try await AssetReader.samples(asset, .audio, nil),
        ]
        #expect(packets[.audio]?.first?.presentationTime == Fixture.time(-1024, 48_000))
        var inputs: [MediaType: AssetWriterInput] = [:]
        for type in [MediaType.video, .audio] {
            let input = try AssetWriterInput(
                mediaType: type, outputSettings: nil, sourceFormatHint: packets[type]?.first?.format)
            try writer.add(input)
            inputs[type] = input
        }
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        // One track is fed as far as it goes without the other, and its packets have time to reach the file.
        var left = packets
        func append(_ type: MediaType) throws {
            guard let input = inputs[type] else { return }
            while input.isReadyForMoreMediaData, let sample = left[type]?.first {
                #expect(try input.append(sample))
                left[type]?.removeFirst()
            }
            if left[type]?.isEmpty == true { input.markAsFinished() }
        }
        try append(first)
        #expect(eventually { inputs[first]?.isReadyForMoreMediaData == false || left[first]?.isEmpty == true })
        #expect(
            eventually {
                for type in [MediaType.audio, .video] where left[type]?.isEmpty == false { try? append(type) }
                return left.values.allSatisfy(\.isEmpty)
            })
        try writer.endSession(atSourceTime: Fixture.time(1, 1))
        try await writer.finishWriting()
        let probe = try Probe(url.path)
        #expect(probe.complaints == "" && probe.audio?.start == 0, "\(probe.complaints)")
        let (copied, original) = (
            try await AssetReader.samples(Asset(url: url), .audio, nil), packets[.audio] ?? []
        )
        #expect(copied.map(\.presentationTime) == original.map(\.presentationTime))
        #expect(copied.audio == original.audio)
    }
}

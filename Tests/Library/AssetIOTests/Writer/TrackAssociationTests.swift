import Foundation
import MediaTypes
import MovieFile
import TestSupport
import Testing

@testable import AssetIO

/// Tests of references between tracks, and of groups of alternative tracks.
@Suite struct TrackAssociationTests {
    private static let timecodeFormat = TimecodeFormat(
        frameDuration: MediaTime(value: 1, timescale: 30), framesPerSecond: 30)
    private static let metadataFormat = MetadataFormat(keys: [
        MetadataFormat.Key(id: 1, name: Array("a.b".utf8), dataType: .wellKnown(1))
    ])

    private static func input(_ type: MediaType) throws -> AssetWriterInput {
        switch type {
        case .video:
            try AssetWriterInput(mediaType: .video, outputSettings: .video(VideoSettings(width: 64, height: 48)))
        case .audio:
            try AssetWriterInput(
                mediaType: .audio, outputSettings: .audio(AudioSettings(sampleRate: 48_000, channelCount: 2)))
        case .timecode:
            try AssetWriterInput(
                mediaType: .timecode, outputSettings: nil, sourceFormatHint: .timecode(timecodeFormat))
        case .metadata:
            try AssetWriterInput(mediaType: .metadata, outputSettings: nil, sourceFormatHint: .metadata(metadataFormat))
        case .text:
            try AssetWriterInput(mediaType: .text, outputSettings: nil, sourceFormatHint: .text(TextFormat()))
        }
    }

    private static let possible: [TrackAssociation: Set<[MediaType]>] = [
        .timecode: [[.video, .timecode], [.audio, .timecode]],
        .chapterList: [[.video, .text], [.audio, .text]],
        .selectionFollower: [[.audio, .text], [.text, .audio]],
        .audioFallback: [[.audio, .audio]],
        .metadataReferent: [[.metadata, .video], [.metadata, .audio]],
        .forcedSubtitlesOnly: [[.text, .text]],
        TrackAssociation(rawValue: "what"): [],
    ]

    @Test(arguments: Array(possible.keys)) func association_otherMediaTypes_throws(type: TrackAssociation) throws {
        for from in MediaType.allCases {
            for to in MediaType.allCases {
                let (a, b) = (try Self.input(from), try Self.input(to))
                let isPossible = Self.possible[type]?.contains([from, to]) == true
                #expect(a.canAddTrackAssociation(withTrackOf: b, type: type) == isPossible, "\(from) to \(to)")
                let failure = code { try a.addTrackAssociation(withTrackOf: b, type: type) }
                #expect(failure == (isPossible ? nil : .invalidSettings))
                #expect(a.associations.count == (isPossible ? 1 : 0))
            }
        }
    }

    @Test func association_withItself_throws() throws {
        let audio = try Self.input(.audio)
        #expect(!audio.canAddTrackAssociation(withTrackOf: audio, type: .audioFallback))
        #expect(code { try audio.addTrackAssociation(withTrackOf: audio, type: .audioFallback) } == .invalidSettings)
    }

    @Test func association_intoAnotherWriter_failsTheStart() throws {
        let (first, second) = (try WriterFixture(), try WriterFixture())
        let (video, timecode) = (try Self.input(.video), try Self.input(.timecode))
        try video.addTrackAssociation(withTrackOf: timecode, type: .timecode)
        try first.writer.add(video)
        try second.writer.add(timecode)
        #expect(code { try first.writer.startWriting() } == .invalidSettings)
        #expect(first.directory.names == [] && first.writer.status == .failed)
    }

    @Test func association_afterTheStart_throws() throws {
        let fixture = try WriterFixture()
        let (video, timecode) = (try Self.input(.video), try Self.input(.timecode))
        try fixture.writer.add(video)
        try fixture.writer.add(timecode)
        #expect(video.canAddTrackAssociation(withTrackOf: timecode, type: .timecode))
        try fixture.writer.startWriting()
        #expect(!video.canAddTrackAssociation(withTrackOf: timecode, type: .timecode))
        #expect(code { try video.addTrackAssociation(withTrackOf: timecode, type: .timecode) } == .invalidState)
        fixture.writer.cancelWriting()
    }

    /// The track descriptions that the file's writer receives.
    private func tracks(_ inputs: [AssetWriterInput], _ groups: [InputGroup] = []) throws -> [MovieTrack] {
        MovieTrack.tracks(
            of: inputs, encoders: inputs.map { PassthroughTrackEncoder(hint: $0.sourceFormatHint, timeScale: 600) },
            groups: groups)
    }

    @Test func associations_areStoredByTrackNumber() throws {
        let inputs = try [.video, .audio, .timecode, .text].map(Self.input)
        try inputs[0].addTrackAssociation(withTrackOf: inputs[2], type: .timecode)
        try inputs[1].addTrackAssociation(withTrackOf: inputs[2], type: .timecode)
        try inputs[0].addTrackAssociation(withTrackOf: inputs[3], type: .chapterList)
        try inputs[0].addTrackAssociation(withTrackOf: inputs[3], type: .chapterList)
        let tracks = try tracks(inputs)
        #expect(tracks[0].references == [.timecode: [3], .chapterList: [4]])
        #expect(tracks[1].references == [.timecode: [3]] && tracks[2].references.isEmpty)
        #expect(tracks[2].timeScale == 30)
    }

    @Test func inputGroup_isAnAlternateGroupWithOneEnabledTrack() throws {
        let fixture = try WriterFixture()
        let inputs = try [.video, .audio, .audio].map(Self.input)
        for input in inputs { try fixture.writer.add(input) }
        let group = try InputGroup(inputs: Array(inputs[1...]), defaultInput: inputs[2])
        #expect(fixture.writer.canAdd(group))
        try fixture.writer.add(group)
        #expect(fixture.writer.inputGroups.count == 1)
        let tracks = try tracks(inputs, fixture.writer.inputGroups)
        #expect(tracks.map(\.alternateGroup) == [0, 1, 1] && tracks.map(\.isEnabled) == [true, false, true])
        // Without a default each input's own setting counts.
        let open = try self.tracks(inputs, [InputGroup(inputs: Array(inputs[1...]))])
        #expect(open.map(\.isEnabled) == [true, true, true])
    }

    @Test func inputGroup_foreignOrGroupedInput_isRefused() throws {
        let fixture = try WriterFixture()
        let inputs = try [.audio, .audio, .audio].map(Self.input)
        let stranger = try Self.input(.audio)
        for input in inputs { try fixture.writer.add(input) }
        let mixed = try InputGroup(inputs: [inputs[0], stranger])
        #expect(!fixture.writer.canAdd(mixed) && code { try fixture.writer.add(mixed) } == .invalidState)
        try fixture.writer.add(InputGroup(inputs: [inputs[0], inputs[1]]))
        let second = try InputGroup(inputs: [inputs[1], inputs[2]])
        #expect(!fixture.writer.canAdd(second) && code { try fixture.writer.add(second) } == .invalidState)
        try fixture.writer.startWriting()
        let late = try InputGroup(inputs: [inputs[2], stranger])
        #expect(!fixture.writer.canAdd(late) && code { try fixture.writer.add(late) } == .invalidState)
        fixture.writer.cancelWriting()
    }

    @Test func inputGroup_invalidInputs_throws() throws {
        let (audio, other, video) = (try Self.input(.audio), try Self.input(.audio), try Self.input(.video))
        #expect(code { _ = try InputGroup(inputs: [audio]) } == .invalidSettings)
        #expect(code { _ = try InputGroup(inputs: [audio, audio]) } == .invalidSettings)
        #expect(code { _ = try InputGroup(inputs: [audio, video]) } == .invalidSettings)
        #expect(code { _ = try InputGroup(inputs: [audio, other], defaultInput: video) } == .invalidSettings)
    }
}

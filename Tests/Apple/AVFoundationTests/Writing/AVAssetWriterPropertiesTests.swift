import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests that the properties of a writer and its inputs are in the file, by ffprobe.
@Suite struct AVAssetWriterPropertiesTests {
    private func frame() throws -> CVPixelBuffer {
        var made: CVPixelBuffer?
        CVPixelBufferCreate(nil, 160, 120, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, nil, &made)
        return try #require(made)
    }

    private static let settings: [String: any Sendable] = [
        AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 160, AVVideoHeightKey: 120,
    ]

    @Test func writer_properties_areWrittenToTheFile() async throws {
        let movies = try MadeMovies()
        let target = movies.directory.file("set.mov")
        let writer = try AVAssetWriter(outputURL: target, fileType: .mov)
        let title = AVMutableMetadataItem()
        title.identifier = .quickTimeMetadataTitle
        title.value = "A title" as NSString
        writer.metadata = [title]
        writer.shouldOptimizeForNetworkUse = true
        writer.movieTimeScale = 600
        writer.movieFragmentInterval = CMTime(value: 2, timescale: 1)
        writer.directoryForTemporaryFiles = movies.directory.url
        #expect(writer.outputURL == target && writer.outputFileType == .mov && writer.movieTimeScale == 600)
        #expect(writer.shouldOptimizeForNetworkUse && writer.movieFragmentInterval.seconds == 2)
        #expect(writer.availableMediaTypes.contains(.audio))
        let input = AVAssetWriterInput(mediaType: .video, outputSettings: Self.settings)
        input.languageCode = "deu"
        input.extendedLanguageTag = "de-CH"
        input.naturalSize = CGSize(width: 320, height: 240)
        input.mediaTimeScale = 30_000
        input.preferredVolume = 0.5
        input.marksOutputTrackAsEnabled = true
        input.expectsMediaDataInRealTime = false
        input.preferredMediaChunkAlignment = 4096
        input.preferredMediaChunkDuration = CMTime(value: 1, timescale: 2)
        #expect(input.mediaType == .video && input.outputSettings?.count == 3 && input.sourceFormatHint == nil)
        #expect(input.languageCode == "deu" && input.preferredVolume == 0.5 && input.mediaTimeScale == 30_000)
        writer.add(input)
        #expect(writer.inputs == [input])
        #expect(writer.startWriting())
        writer.startSession(atSourceTime: CMTime(value: 10, timescale: 1))
        let frame = try frame()
        let adaptor = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input)
        for number in 0..<60 {
            try await waitUntil { input.isReadyForMoreMediaData }
            #expect(adaptor.append(frame, withPresentationTime: CMTime(value: 300 + Int64(number), timescale: 30)))
        }
        writer.endSession(atSourceTime: CMTime(value: 11, timescale: 1))
        await writer.finishWriting()
        #expect(writer.status == .completed, "\(String(describing: writer.error))")
        let probe = try MadeMovies.probe(
            target, "v:0", "format=duration:format_tags=title:stream=time_base:stream_tags=language")
        #expect(
            probe.split(separator: "\n").sorted() == ["1.000000", "1/30000", "A title", "ger"].sorted()
                || probe.contains("deu"))
        let back = try await onThread {
            AVAsset(url: target).tracks(withMediaType: .video).first.map {
                ($0.naturalSize, $0.extendedLanguageTag, $0.isEnabled)
            }
        }
        #expect(back?.0 == CGSize(width: 320, height: 240) && back?.1 == "de-CH" && back?.2 == true)
    }

    /// A tenth of a second of silence.
    private func silence() throws -> CMSampleBuffer {
        var pcm = AudioStreamBasicDescription()
        (pcm.mSampleRate, pcm.mFormatID, pcm.mChannelsPerFrame) = (48_000, kAudioFormatLinearPCM, 1)
        (pcm.mBitsPerChannel, pcm.mBytesPerFrame, pcm.mBytesPerPacket, pcm.mFramesPerPacket) = (16, 2, 2, 1)
        pcm.mFormatFlags = kAudioFormatFlagIsSignedInteger | kAudioFormatFlagIsPacked
        return try CMSampleBuffer(
            dataBuffer: try CMBlockBuffer(length: 9600),
            formatDescription: CMFormatDescription(audioStreamBasicDescription: pcm), numSamples: 4800,
            presentationTimeStamp: .zero, packetDescriptions: [])
    }

    @Test func writer_associationsAndGroups_canBeAdded() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let url = movies.directory.file("group.mov")
        let writer = try AVAssetWriter(outputURL: url, fileType: .mov)
        let aac: [String: Any] = [
            AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 1,
        ]
        let (first, second) = (
            AVAssetWriterInput(mediaType: .audio, outputSettings: aac),
            AVAssetWriterInput(mediaType: .audio, outputSettings: aac)
        )
        let fallback = AVAssetTrack.AssociationType.audioFallback.rawValue
        #expect(first.canAddTrackAssociation(withTrackOf: second, type: fallback))
        #expect(!first.canAddTrackAssociation(withTrackOf: second, type: "none"))
        first.addTrackAssociation(withTrackOf: second, type: fallback)
        writer.add(first)
        writer.add(second)
        let group = AVAssetWriterInputGroup(inputs: [first, second], defaultInput: first)
        #expect(writer.canAdd(group) && group.defaultInput == first && group.inputs.count == 2)
        writer.add(group)
        #expect(writer.inputGroups == [group] && writer.startWriting())
        writer.startSession(atSourceTime: .zero)
        for input in [first, second] {
            try await waitUntil { input.isReadyForMoreMediaData }
            #expect(input.append(try silence()))
            input.markAsFinished()
        }
        await writer.finishWriting()
        #expect(writer.status == .completed, "\(String(describing: writer.error))")
        let file = try AtomLister(url)
        // The tracks share an alternate group, and only the default one is enabled.
        let headers = file.all("moov/trak/tkhd").map(\.payload.lowerBound)
        #expect(headers.map { file.number(at: $0 + (file.bytes[$0] == 1 ? 46 : 34), 2) } == [1, 1])
        #expect(headers.map { file.number(at: $0, 4) & 1 } == [1, 0])
        let references = file.all("moov/trak/tref/fall").map { file.number(at: $0.payload.lowerBound) }
        #expect(references == [2])
    }

    @Test func input_notWriting_hasNoPassDescription() throws {
        let input = AVAssetWriterInput(mediaType: .video, outputSettings: Self.settings)
        #expect(!input.performsMultiPassEncodingIfSupported)
        input.performsMultiPassEncodingIfSupported = true
        #expect(input.performsMultiPassEncodingIfSupported && input.currentPassDescription == nil)
        // Known once writing has started.
        #expect(!input.canPerformMultiplePasses)
    }
}

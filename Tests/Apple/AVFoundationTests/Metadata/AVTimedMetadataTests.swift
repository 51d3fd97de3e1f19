import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests of timed metadata: formats, groups, and the adaptors that write and read them.
@Suite(.timeLimit(.minutes(10))) struct AVTimedMetadataTests {
    private static let count = "mdta/com.example.count"
    private static let place = AVMetadataIdentifier.quickTimeMetadataLocationISO6709.rawValue

    private static func format(_ specifications: [[String: Any]]) throws -> CMMetadataFormatDescription {
        var made: CMMetadataFormatDescription?
        let status = CMMetadataFormatDescriptionCreateWithMetadataSpecifications(
            allocator: nil, metadataType: kCMMetadataFormatType_Boxed,
            metadataSpecifications: specifications as CFArray,
            formatDescriptionOut: &made)
        #expect(status == noErr)
        return try #require(made)
    }

    private static func specification(_ identifier: String, _ type: String, _ language: String? = nil) -> [String: Any]
    {
        var specification: [String: Any] = [
            kCMMetadataFormatDescriptionMetadataSpecificationKey_Identifier as String: identifier,
            kCMMetadataFormatDescriptionMetadataSpecificationKey_DataType as String: type,
        ]
        if let language {
            specification[kCMMetadataFormatDescriptionMetadataSpecificationKey_ExtendedLanguageTag] = language
        }
        return specification
    }

    private static func usualFormat() throws -> CMMetadataFormatDescription {
        try format([
            specification(count, kCMMetadataBaseDataType_SInt8),
            specification(place, kCMMetadataDataType_QuickTimeMetadataLocation_ISO6709),
            specification("mdta/com.example.name", kCMMetadataBaseDataType_UTF8, "de"),
        ])
    }

    private static func item(
        _ identifier: String, _ value: any NSCopying & NSObjectProtocol, _ type: String? = nil,
        _ language: String? = nil
    ) -> AVMetadataItem {
        let item = AVMutableMetadataItem()
        item.identifier = AVMetadataIdentifier(rawValue: identifier)
        item.value = value
        item.dataType = type
        item.extendedLanguageTag = language
        return item
    }

    private static func time(_ seconds: Double) -> CMTime { CMTime(seconds: seconds, preferredTimescale: 600) }

    private static func group(_ items: [AVMetadataItem], _ start: Double, _ seconds: Double?) -> AVTimedMetadataGroup {
        AVTimedMetadataGroup(
            items: items, timeRange: CMTimeRange(start: time(start), duration: seconds.map { time($0) } ?? .invalid))
    }

    private static func frame() throws -> CVPixelBuffer {
        var frame: CVPixelBuffer?
        CVPixelBufferCreate(nil, 160, 120, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, nil, &frame)
        return try #require(frame)
    }

    /// A writer with a metadata input, and a video track of one frame that is complete.
    private struct Writing {
        let writer: AVAssetWriter
        let input: AVAssetWriterInput
        let adaptor: AVAssetWriterInputMetadataAdaptor

        init(_ url: URL, hint: CMMetadataFormatDescription) async throws {
            writer = try AVAssetWriter(outputURL: url, fileType: .mov)
            input = AVAssetWriterInput(mediaType: .metadata, outputSettings: nil, sourceFormatHint: hint)
            adaptor = AVAssetWriterInputMetadataAdaptor(assetWriterInput: input)
            #expect(writer.canAdd(input) && adaptor.assetWriterInput === input)
            let video = AVAssetWriterInput(mediaType: .video, outputSettings: MadeMovies.h264)
            writer.add(video)
            writer.add(input)
            #expect(writer.startWriting(), "\(String(describing: writer.error))")
            writer.startSession(atSourceTime: .zero)
            let frames = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: video)
            try await waitUntil { video.isReadyForMoreMediaData }
            #expect(frames.append(try AVTimedMetadataTests.frame(), withPresentationTime: .zero))
            video.markAsFinished()
        }

        func append(_ group: AVTimedMetadataGroup) async throws -> Bool {
            try await waitUntil { input.isReadyForMoreMediaData }
            return adaptor.append(group)
        }
    }

    /// Reads the groups of a file's metadata track.
    private static func groups(_ url: URL) async throws -> [AVTimedMetadataGroup] {
        let asset = AVURLAsset(url: url)
        let track = try #require(try await asset.loadTracks(withMediaType: .metadata).first)
        let reader = try AVAssetReader(asset: asset)
        let output = AVAssetReaderTrackOutput(track: track, outputSettings: nil)
        let adaptor = AVAssetReaderOutputMetadataAdaptor(assetReaderTrackOutput: output)
        #expect(adaptor.assetReaderTrackOutput === output && reader.canAdd(output))
        reader.add(output)
        #expect(reader.startReading(), "\(String(describing: reader.error))")
        var groups: [AVTimedMetadataGroup] = []
        while let group = adaptor.nextTimedMetadataGroup() { groups.append(group) }
        #expect(reader.status == .completed, "\(String(describing: reader.error))")
        return groups
    }

    @Test func adaptor_groups_areReadBackWithTheirTimesAndItems() async throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("groups.mov")
        let writing = try await Writing(url, hint: Self.usualFormat())
        let written = [
            Self.group([Self.item(Self.count, -1 as NSNumber, kCMMetadataBaseDataType_SInt8)], 0, 1),
            // A second without metadata comes first. This one lasts until the next one.
            Self.group(
                [
                    Self.item(Self.place, "+47.3769+008.5417/" as NSString, nil),
                    Self.item("mdta/com.example.name", "Zürich" as NSString, kCMMetadataBaseDataType_UTF8, "de"),
                ], 2, nil),
            Self.group([Self.item(Self.count, 7 as NSNumber)], 3, 0.5),
        ]
        for group in written { #expect(try await writing.append(group)) }
        writing.input.markAsFinished()
        await writing.writer.finishWriting()
        #expect(writing.writer.status == .completed, "\(String(describing: writing.writer.error))")

        let found = try await Self.groups(url)
        #expect(found.map(\.timeRange.start.seconds) == [0, 1, 2, 3])
        #expect(found.map(\.timeRange.duration.seconds) == [1, 1, 1, 0.5])
        try #require(found.count == 4)
        #expect(found[0].items.first?.numberValue == -1 && found[3].items.first?.numberValue == 7)
        #expect(found[1].items.isEmpty && found[2].items.map(\.stringValue) == ["+47.3769+008.5417/", "Zürich"])
        let place = try #require(found[2].items.first)
        #expect(place.identifier == .quickTimeMetadataLocationISO6709 && place.keySpace == .quickTimeMetadata)
        #expect(place.dataType == kCMMetadataDataType_QuickTimeMetadataLocation_ISO6709)
        #expect(place.time == found[2].timeRange.start && place.duration == found[2].timeRange.duration)
        #expect(found[2].items[1].extendedLanguageTag == "de")
    }

    /// The numbers of QTFF, "Well-known types", by their values.
    @Test func adaptor_everyDataType_isReadBack() async throws {
        let values: [(type: String, value: any NSCopying & NSObjectProtocol)] = [
            (kCMMetadataBaseDataType_SInt8, -128 as NSNumber), (kCMMetadataBaseDataType_SInt16, -32_768 as NSNumber),
            (kCMMetadataBaseDataType_SInt32, -5 as NSNumber),
            (kCMMetadataBaseDataType_SInt64, NSNumber(value: Int64.min)),
            (kCMMetadataBaseDataType_UInt8, 255 as NSNumber), (kCMMetadataBaseDataType_UInt16, 65_535 as NSNumber),
            (kCMMetadataBaseDataType_UInt32, NSNumber(value: UInt32.max)),
            (kCMMetadataBaseDataType_UInt64, NSNumber(value: UInt64.max)),
            (kCMMetadataBaseDataType_Float32, 0.5 as NSNumber), (kCMMetadataBaseDataType_Float64, -0.1 as NSNumber),
            (kCMMetadataBaseDataType_UTF8, "Ä" as NSString), (kCMMetadataBaseDataType_UTF16, "Ä𝄞" as NSString),
            (kCMMetadataBaseDataType_RawData, NSData(data: Data([0, 1, 255]))),
            ("com.example.type", NSData(data: Data([9]))),
        ]
        let directory = try TemporaryDirectory()
        let url = directory.file("types.mov")
        let hint = try Self.format(values.indices.map { Self.specification("mdta/v\($0)", values[$0].type) })
        #expect(hint.identifiers == values.indices.map { "mdta/v\($0)" })
        let writing = try await Writing(url, hint: hint)
        let items = values.enumerated().map { Self.item("mdta/v\($0.offset)", $0.element.value, $0.element.type) }
        #expect(try await writing.append(Self.group(items, 0, 1)))
        writing.input.markAsFinished()
        await writing.writer.finishWriting()
        let found = try #require(try await Self.groups(url).first?.items)
        try #require(found.count == values.count)
        for (item, value) in zip(found, values) {
            #expect(item.value?.isEqual(value.value) == true, "\(value.type): \(String(describing: item.value))")
            #expect(item.dataType == value.type)
        }
    }

    @Test func adaptor_itemThatTheFormatDoesNotDescribe_failsTheWriter() async throws {
        let directory = try TemporaryDirectory()
        let refused = [
            Self.group([Self.item("mdta/com.example.other", 1 as NSNumber)], 0, 1),
            Self.group([Self.item(Self.count, 128 as NSNumber)], 0, 1),
            Self.group([Self.item(Self.count, 1 as NSNumber, kCMMetadataBaseDataType_SInt16)], 0, 1),
            Self.group([Self.item(Self.count, 1 as NSNumber, nil, "de")], 0, 1),
            Self.group([AVMutableMetadataItem()], 0, 1),
            AVTimedMetadataGroup(items: [], timeRange: .invalid), Self.group([], 0, 0),
        ]
        for (number, group) in refused.enumerated() {
            let writing = try await Writing(directory.file("refused\(number).mov"), hint: Self.usualFormat())
            #expect(try await !writing.append(group))
            #expect(writing.writer.status == .failed && writing.writer.error != nil, "\(number)")
        }
    }

    @Test func adaptor_inputOrOutputOfAnotherMediaType_isRefused() async throws {
        let movies = try MadeMovies()
        let input = AVAssetWriterInput(mediaType: .video, outputSettings: MadeMovies.h264)
        _ = AVAssetWriterInputMetadataAdaptor(assetWriterInput: input)
        let writer = try AVAssetWriter(outputURL: movies.directory.file("video.mov"), fileType: .mov)
        #expect(!writer.canAdd(input))
        let bare = AVAssetWriterInput(mediaType: .metadata, outputSettings: nil)
        #expect(!writer.canAdd(bare))

        let asset = AVURLAsset(url: try movies.movie(seconds: 0.2))
        let track = try #require(try await asset.loadTracks(withMediaType: .video).first)
        let reader = try AVAssetReader(asset: asset)
        let output = AVAssetReaderTrackOutput(track: track, outputSettings: nil)
        let adaptor = AVAssetReaderOutputMetadataAdaptor(assetReaderTrackOutput: output)
        reader.add(output)
        #expect(reader.startReading() && adaptor.nextTimedMetadataGroup() == nil && reader.status == .failed)
    }

    @Test func input_metadataReferent_isStoredInTheTrackReference() async throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("reference.mov")
        let writer = try AVAssetWriter(outputURL: url, fileType: .mov)
        let video = AVAssetWriterInput(mediaType: .video, outputSettings: MadeMovies.h264)
        let metadata = AVAssetWriterInput(
            mediaType: .metadata, outputSettings: nil, sourceFormatHint: try Self.usualFormat())
        let type = AVAssetTrack.AssociationType.metadataReferent.rawValue
        #expect(metadata.canAddTrackAssociation(withTrackOf: video, type: type))
        #expect(!video.canAddTrackAssociation(withTrackOf: metadata, type: type))
        metadata.addTrackAssociation(withTrackOf: video, type: type)
        writer.add(video)
        writer.add(metadata)
        #expect(writer.availableMediaTypes.contains(.metadata) && writer.startWriting())
        writer.startSession(atSourceTime: .zero)
        let adaptor = AVAssetWriterInputMetadataAdaptor(assetWriterInput: metadata)
        try await waitUntil { metadata.isReadyForMoreMediaData }
        #expect(adaptor.append(Self.group([Self.item(Self.count, 1 as NSNumber)], 0, 1)))
        metadata.markAsFinished()
        let frames = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: video)
        for number in 0..<30 {
            try await waitUntil { video.isReadyForMoreMediaData }
            let time = CMTime(value: Int64(number), timescale: 30)
            #expect(frames.append(try Self.frame(), withPresentationTime: time))
        }
        video.markAsFinished()
        await writer.finishWriting()
        #expect(writer.status == .completed, "\(String(describing: writer.error))")
        let file = try AtomLister(url)
        #expect(file.all("moov/trak/tref/cdsc").map { file.number(at: $0.payload.lowerBound) } == [1])
        let asset = AVURLAsset(url: url)
        let track = try #require(try await asset.loadTracks(withMediaType: .metadata).first)
        #expect(track.associatedTracks(ofType: .metadataReferent).map(\.mediaType) == [.video])
    }

    @Test func metadataFormat_specifications_areItsIdentifiers() throws {
        let format = try Self.usualFormat()
        #expect(
            format.mediaType == .metadata && CMFormatDescriptionGetMediaSubType(format) == kCMMetadataFormatType_Boxed)
        let identifiers = [Self.count, Self.place, "mdta/com.example.name"]
        #expect(format.identifiers == identifiers)
        #expect(CMMetadataFormatDescriptionGetIdentifiers(format) as? [String] == identifiers)
        let text = try CMFormatDescription(mediaType: .text, mediaSubType: .init(string: "text"))
        #expect(text.identifiers.isEmpty && CMMetadataFormatDescriptionGetIdentifiers(text) == nil)
        #expect(kCMMetadataIdentifier_QuickTimeMetadataLocation_ISO6709 == Self.place)
    }

    @Test func metadataFormat_invalidSpecifications_isRefused() {
        func status(_ type: CMMetadataFormatType, _ specifications: [[String: Any]]) -> OSStatus {
            var made: CMMetadataFormatDescription?
            let status = CMMetadataFormatDescriptionCreateWithMetadataSpecifications(
                allocator: nil, metadataType: type, metadataSpecifications: specifications as CFArray,
                formatDescriptionOut: &made)
            #expect((made == nil) == (status != noErr))
            return status
        }
        let valid = Self.specification(Self.count, kCMMetadataBaseDataType_SInt8)
        #expect(status(kCMMetadataFormatType_Boxed, [valid]) == noErr)
        #expect(status(kCMMetadataFormatType_ID3, [valid]) == kCMFormatDescriptionError_InvalidParameter)
        for invalid in [
            [], [[:]], [Self.specification("noslash", kCMMetadataBaseDataType_SInt8)],
            [Self.specification("mdta/", kCMMetadataBaseDataType_SInt8)], [Self.specification(Self.count, "")],
            [Self.specification("toolong/a", kCMMetadataBaseDataType_SInt8)],
        ] as [[[String: Any]]] {
            #expect(status(kCMMetadataFormatType_Boxed, invalid) == kCMFormatDescriptionError_InvalidParameter)
        }
    }

    @Test func group_copyFormatDescription_describesItsItems() throws {
        let items = [
            Self.item(Self.count, 1 as NSNumber, kCMMetadataBaseDataType_SInt8),
            Self.item(Self.count, 2 as NSNumber, kCMMetadataBaseDataType_SInt8),
            Self.item(Self.place, "+1+1/" as NSString),
        ]
        let format = try #require(Self.group(items, 0, 1).copyFormatDescription())
        #expect(format.identifiers == [Self.count, Self.place])
        #expect(Self.group([], 0, 1).copyFormatDescription() == nil)
        #expect(Self.group([AVMutableMetadataItem()], 0, 1).copyFormatDescription() == nil)
    }

    @Test func group_fromASampleBuffer_hasItsItems() throws {
        let format = try Self.usualFormat()
        let bytes: [UInt8] = [0, 0, 0, 9, 0, 0, 0, 1, 0xFE]
        let block = try CMBlockBuffer(length: bytes.count)
        try bytes.withUnsafeBytes { try block.replaceDataBytes(with: $0) }
        let sample = try CMSampleBuffer(
            dataBuffer: block, formatDescription: format, numSamples: 1,
            sampleTimings: [
                CMSampleTimingInfo(
                    duration: Self.time(2), presentationTimeStamp: Self.time(1), decodeTimeStamp: .invalid)
            ], sampleSizes: [bytes.count])
        let group = try #require(AVTimedMetadataGroup(sampleBuffer: sample))
        #expect(group.items.map(\.numberValue) == [-2] && group.timeRange.start == Self.time(1))
        #expect(group.timeRange.duration == Self.time(2))
        #expect(AVMutableTimedMetadataGroup(sampleBuffer: sample)?.items.count == 1)
    }
}

import AVFoundation
import Foundation
import TestSupport
import Testing
import UniformTypeIdentifiers

/// A delegate that keeps the segments of a writer.
private final class SegmentKeeper: NSObject, AVAssetWriterDelegate, @unchecked Sendable {
    // Unchecked: the lock protects it.
    private let lock = NSLock()
    private var kept: [(data: Data, type: AVAssetSegmentType, report: AVAssetSegmentReport?)] = []

    var segments: [(data: Data, type: AVAssetSegmentType, report: AVAssetSegmentReport?)] { lock.withLock { kept } }
    var data: Data { segments.reduce(Data()) { $0 + $1.data } }
    /// The video reports of all segments but the first.
    var videoReports: [AVAssetSegmentTrackReport] {
        segments.compactMap { $0.report?.trackReports.first { $0.mediaType == .video } }
    }

    func assetWriter(
        _ writer: AVAssetWriter, didOutputSegmentData segmentData: Data, segmentType: AVAssetSegmentType,
        segmentReport: AVAssetSegmentReport?
    ) {
        lock.withLock { kept.append((segmentData, segmentType, segmentReport)) }
    }
}

/// A delegate that implements only the shorter of the two methods.
private final class PlainKeeper: NSObject, AVAssetWriterDelegate, @unchecked Sendable {
    // Unchecked: the lock protects it.
    private let lock = NSLock()
    private var kept: [AVAssetSegmentType] = []
    var types: [AVAssetSegmentType] { lock.withLock { kept } }

    func assetWriter(
        _ writer: AVAssetWriter, didOutputSegmentData segmentData: Data, segmentType: AVAssetSegmentType
    ) {
        lock.withLock { kept.append(segmentType) }
    }
}

/// Tests of a writer's movie in segments, as for HTTP Live Streaming.
@Suite struct AVAssetWriterDelegateTests {
    private static let video: [String: any Sendable] = [
        AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 160, AVVideoHeightKey: 120,
        AVVideoCompressionPropertiesKey: [AVVideoMaxKeyFrameIntervalDurationKey: 1.0] as [String: any Sendable],
    ]

    private func makeWriter(_ delegate: any AVAssetWriterDelegate, interval: CMTime) -> AVAssetWriter {
        let writer = AVAssetWriter(contentType: UTType(AVFileType.mp4.rawValue)!)
        writer.delegate = delegate
        writer.outputFileTypeProfile = .mpeg4AppleHLS
        writer.preferredOutputSegmentInterval = interval
        writer.initialSegmentStartTime = .zero
        return writer
    }

    /// Encodes frames at 30 fps, the first at `start`, and calls `after` after each.
    private func record(
        _ writer: AVAssetWriter, from start: CMTime, count: Int, after: (Int) -> Void = { _ in }
    ) throws {
        let input = AVAssetWriterInput(mediaType: .video, outputSettings: Self.video)
        let adaptor = AVAssetWriterInputPixelBufferAdaptor(
            assetWriterInput: input,
            sourcePixelBufferAttributes: [
                kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange,
                kCVPixelBufferWidthKey as String: 160, kCVPixelBufferHeightKey as String: 120,
            ])
        #expect(writer.canAdd(input))
        writer.add(input)
        try #require(writer.startWriting(), "\(String(describing: writer.error))")
        writer.startSession(atSourceTime: start)
        let pool = try #require(adaptor.pixelBufferPool)
        for number in 0..<count {
            #expect(eventually { input.isReadyForMoreMediaData })
            var made: CVPixelBuffer?
            #expect(CVPixelBufferPoolCreatePixelBuffer(nil, pool, &made) == kCVReturnSuccess)
            let buffer = try #require(made)
            CVPixelBufferLockBaseAddress(buffer, [])
            for plane in 0...1 {
                let bytes = try #require(CVPixelBufferGetBaseAddressOfPlane(buffer, plane))
                let length =
                    CVPixelBufferGetBytesPerRowOfPlane(buffer, plane) * CVPixelBufferGetHeightOfPlane(buffer, plane)
                memset(bytes, plane == 0 ? Int32(16 + number % 200) : 128, length)
            }
            CVPixelBufferUnlockBaseAddress(buffer, [])
            let time = CMTimeAdd(start, CMTime(value: CMTimeValue(number), timescale: 30))
            #expect(adaptor.append(buffer, withPresentationTime: time))
            after(number)
        }
        input.markAsFinished()
        #expect(writer.finishWriting(), "\(String(describing: writer.error))")
    }

    @Test func segments_joined_containEveryFrameAndTheAudio() async throws {
        let movies = try MadeMovies()
        let (source, keeper) = (try movies.movie(seconds: 4), SegmentKeeper())
        try await onThread {
            let asset = AVAsset(url: source)
            let writer = makeWriter(keeper, interval: CMTime(value: 1, timescale: 1))
            #expect(writer.outputFileType == .mp4 && writer.status == .unknown)
            let group = DispatchGroup()
            var pairs: [(AVAssetReaderTrackOutput, AVAssetWriterInput)] = []
            let reader = try AVAssetReader(asset: asset)
            let pixels = kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
            let forms: [(AVMediaType, [String: Any], [String: Any])] = [
                (.video, [kCVPixelBufferPixelFormatTypeKey as String: pixels], Self.video),
                (
                    .audio, [AVFormatIDKey: kAudioFormatLinearPCM],
                    [AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 2]
                ),
            ]
            for (type, decoded, encoded) in forms {
                let track = try #require(asset.tracks(withMediaType: type).first)
                let output = AVAssetReaderTrackOutput(track: track, outputSettings: decoded)
                let input = AVAssetWriterInput(mediaType: type, outputSettings: encoded)
                reader.add(output)
                writer.add(input)
                pairs.append((output, input))
            }
            #expect(writer.startWriting() && reader.startReading())
            writer.startSession(atSourceTime: .zero)
            for (output, input) in pairs {
                group.enter()
                input.requestMediaDataWhenReady(on: DispatchQueue(label: "feed")) {
                    while input.isReadyForMoreMediaData {
                        guard let sample = output.copyNextSampleBuffer(), input.append(sample) else {
                            input.markAsFinished()
                            group.leave()
                            return
                        }
                    }
                }
            }
            #expect(group.wait(timeout: .now() + 60) == .success)
            #expect(writer.finishWriting() && writer.status == .completed)
        }
        let segments = keeper.segments
        #expect(segments.map(\.type) == [.initialization, .separable, .separable, .separable, .separable])
        #expect(segments[0].report == nil && segments.dropFirst().allSatisfy { $0.report?.trackReports.count == 2 })
        try keeper.data.write(to: movies.directory.file("whole.mp4"))
        let whole = try Probe(movies.directory.path("whole.mp4"), decodes: true)
        #expect(whole.complaints == "" && whole.video?.frames == 120 && whole.audio?.codecName == "aac")

        // A playlist in the form of Apple's example: each segment lasts until the first frame of the next one.
        var lines = ["#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:1", "#EXT-X-MAP:URI=\"0.mp4\""]
        let reports = keeper.videoReports
        for (number, segment) in segments.enumerated() {
            try segment.data.write(to: movies.directory.file("\(number).mp4"))
            guard number > 0 else { continue }
            #expect(abs(reports[number - 1].earliestPresentationTimeStamp.seconds - Double(number - 1)) < 0.001)
            #expect(abs(reports[number - 1].duration.seconds - 1) < 0.001)
            lines += ["#EXTINF:\(reports[number - 1].duration.seconds),", "\(number).mp4"]
        }
        let playlist = movies.directory.file("movie.m3u8")
        try (lines + ["#EXT-X-ENDLIST", ""]).joined(separator: "\n").write(
            to: playlist, atomically: true, encoding: .utf8)
        let played = try Probe(playlist.path, decodes: true)
        #expect(played.complaints == "" && played.video?.frames == 120 && abs(played.format.seconds - 4) < 0.1)
    }

    @Test func segmentReports_useSampleTimesAndLocateTheFirstFrame() async throws {
        let keeper = SegmentKeeper()
        let start = CMTime(value: 10, timescale: 1)
        try await onThread {
            let writer = makeWriter(keeper, interval: CMTime(value: 1, timescale: 1))
            writer.initialSegmentStartTime = start
            try record(writer, from: start, count: 75)
        }
        let reports = keeper.videoReports
        #expect(reports.count == 3 && reports.first?.earliestPresentationTimeStamp.seconds == 10)
        var end = 10.0
        for report in reports {
            #expect(abs(report.earliestPresentationTimeStamp.seconds - end) < 0.001)
            end += report.duration.seconds
        }
        #expect(abs(end - 12.5) < 0.001)
        let directory = try TemporaryDirectory()
        try keeper.data.write(to: directory.file("movie.mp4"))
        let packets = try Probe.ask(directory.path("movie.mp4"), "packet=pos,size,flags", of: "v:0").text
        let places = packets.split(separator: "\n").map(String.init)
        var begin = 0
        for segment in keeper.segments {
            defer { begin += segment.data.count }
            guard let track = segment.report?.trackReports.first else { continue }
            let sample = try #require(track.firstVideoSampleInformation)
            #expect(track.trackID == 1 && track.mediaType == .video)
            #expect(sample.isSyncSample && sample.presentationTimeStamp == track.earliestPresentationTimeStamp)
            #expect(
                places.contains { $0.hasPrefix("\(sample.length),\(begin + sample.offset),K") },
                "\(sample.length) bytes at \(begin + sample.offset)")
        }
        #expect(places.count == 75)
    }

    @Test func flushSegment_noInterval_endsASegmentAfterTheLastFrame() async throws {
        let keeper = SegmentKeeper()
        try await onThread {
            let writer = makeWriter(keeper, interval: .indefinite)
            try record(writer, from: .zero, count: 60) { if $0 == 6 || $0 == 39 { writer.flushSegment() } }
        }
        #expect(keeper.videoReports.map { ($0.duration.seconds * 30).rounded() } == [7, 33, 20])
        // Outside a session the call fails the writer, with the reason.
        let writer = makeWriter(keeper, interval: .indefinite)
        writer.flushSegment()
        #expect(writer.status == .failed && writer.error != nil)
    }

    @Test func delegate_withoutReportMethod_receivesEverySegment() async throws {
        let keeper = PlainKeeper()
        try await onThread { try record(makeWriter(keeper, interval: .invalid), from: .zero, count: 30) }
        #expect(keeper.types == [.initialization, .separable])
    }

    @Test func cmafProfile_acceptsOneTrackAndWritesItsBrand() async throws {
        let keeper = SegmentKeeper()
        try await onThread {
            let writer = makeWriter(keeper, interval: CMTime(value: 1, timescale: 1))
            writer.outputFileTypeProfile = .mpeg4CMAFCompliant
            try record(writer, from: .zero, count: 30)
        }
        let directory = try TemporaryDirectory()
        try keeper.data.write(to: directory.file("movie.mp4"))
        let probe = try Probe(directory.path("movie.mp4"), decodes: true)
        #expect(probe.format.tags?["compatible_brands"]?.contains("cmfc") == true && probe.video?.frames == 30)

        let writer = makeWriter(keeper, interval: CMTime(value: 1, timescale: 1))
        writer.outputFileTypeProfile = .mpeg4CMAFCompliant
        for _ in 0...1 { writer.add(AVAssetWriterInput(mediaType: .video, outputSettings: Self.video)) }
        #expect(!writer.startWriting() && writer.error?.localizedDescription.contains("one track") == true)
    }

    @Test func writer_invalidSegmentSettings_failsWithTheReason() throws {
        let keeper = SegmentKeeper()
        func failure(_ type: UTType = .mpeg4Movie, _ change: (AVAssetWriter) -> Void) -> String {
            let writer = AVAssetWriter(contentType: type)
            writer.delegate = keeper
            writer.add(AVAssetWriterInput(mediaType: .video, outputSettings: Self.video))
            change(writer)
            #expect(!writer.startWriting() && writer.status == .failed)
            return writer.error?.localizedDescription ?? ""
        }
        #expect(failure { $0.delegate = nil }.contains("delegate"))
        #expect(failure(.quickTimeMovie) { _ in }.contains("com.apple.quicktime-movie"))
        #expect(failure { $0.preferredOutputSegmentInterval = .zero }.contains("preferredOutputSegmentInterval"))
        #expect(failure { $0.outputFileTypeProfile = AVFileTypeProfile("none") }.contains("outputFileTypeProfile"))
        // A movie in one file has no segments to end.
        let directory = try TemporaryDirectory()
        let file = try AVAssetWriter(outputURL: directory.file("a.mp4"), fileType: .mp4)
        file.flushSegment()
        #expect(file.status == .failed && directory.names == [])
    }

    @Test func utType_isFoundByIdentifierExtensionAndMIMEType() {
        #expect(UTType("public.mpeg-4") == .mpeg4Movie && UTType(filenameExtension: "MOV") == .quickTimeMovie)
        #expect(UTType(mimeType: "image/png") == .png && UTType("no.such.type") == nil)
        #expect(UTType.mpeg4Movie.conforms(to: .movie) && UTType.mpeg4Movie.conforms(to: .data))
        #expect(!UTType.mpeg4Audio.conforms(to: .movie) && UTType.mpeg4Audio.conforms(to: .audio))
        #expect(UTType.jpeg.preferredFilenameExtension == "jpeg" && UTType.mpeg4Movie.preferredMIMEType == "video/mp4")
    }
}

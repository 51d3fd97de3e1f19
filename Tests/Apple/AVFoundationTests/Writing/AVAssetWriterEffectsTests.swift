import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests of the effects of a writer's and its inputs' properties on the atoms of the file.
@Suite struct AVAssetWriterEffectsTests {
    private static let settings: [String: any Sendable] = [
        AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 160, AVVideoHeightKey: 120,
    ]

    private func frame(_ number: Int) throws -> CVPixelBuffer {
        var made: CVPixelBuffer?
        CVPixelBufferCreate(nil, 160, 120, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, nil, &made)
        let frame = try #require(made)
        if let start = CVPixelBufferGetBaseAddress(frame) {
            for row in 0..<120 {
                memset(start + row * CVPixelBufferGetBytesPerRow(frame), Int32((number * 7 + row) % 200), 160)
            }
        }
        return frame
    }

    /// Writes two seconds of frames, then runs `check` before finishing.
    private func write(
        _ url: URL, _ configure: (AVAssetWriter, AVAssetWriterInput) -> Void,
        then check: (AVAssetWriter) async throws -> Void = { _ in }
    ) async throws -> AtomLister {
        let writer = try AVAssetWriter(outputURL: url, fileType: .mov)
        let input = AVAssetWriterInput(mediaType: .video, outputSettings: Self.settings)
        configure(writer, input)
        writer.add(input)
        try writer.start()
        writer.startSession(atSourceTime: .zero)
        let adaptor = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input)
        for number in 0..<120 {
            try await waitUntil { input.isReadyForMoreMediaData }
            #expect(
                adaptor.append(
                    try frame(number), withPresentationTime: CMTime(value: Int64(number), timescale: 30)))
        }
        try await check(writer)
        input.markAsFinished()
        await writer.finishWriting()
        #expect(writer.status == .completed, "\(String(describing: writer.error))")
        return try AtomLister(url)
    }

    @Test func writer_optimizedForNetwork_storesTheHeaderBeforeTheMedia() async throws {
        let movies = try MadeMovies()
        let file = try await write(movies.directory.file("network.mov")) { writer, _ in
            writer.shouldOptimizeForNetworkUse = true
        }
        let order = file.atoms().map(\.type)
        let (header, media) = (try #require(order.firstIndex(of: "moov")), try #require(order.firstIndex(of: "mdat")))
        #expect(header < media)
        let other = try await write(movies.directory.file("disk.mov")) { _, _ in }.atoms().map(\.type)
        #expect(try #require(other.firstIndex(of: "mdat")) < #require(other.firstIndex(of: "moov")))
    }

    @Test func writer_chunkDurationAndAlignment_areApplied() async throws {
        let movies = try MadeMovies()
        let short = try await write(movies.directory.file("short.mov")) { _, input in
            input.preferredMediaChunkDuration = CMTime(value: 1, timescale: 4)
            input.preferredMediaChunkAlignment = 4096
        }
        let long = try await write(movies.directory.file("long.mov")) { _, input in
            input.preferredMediaChunkDuration = CMTime(value: 2, timescale: 1)
        }
        #expect(short.chunkOffsets.count > long.chunkOffsets.count && !long.chunkOffsets.isEmpty)
        #expect(short.chunkOffsets.allSatisfy { $0 % 4096 == 0 }, "\(short.chunkOffsets)")
    }

    @Test func writer_preferredVolume_isStoredInTheTrackHeader() async throws {
        let movies = try MadeMovies()
        let url = movies.directory.file("quiet.mov")
        let writer = try AVAssetWriter(outputURL: url, fileType: .mov)
        let input = AVAssetWriterInput(
            mediaType: .audio,
            outputSettings: [AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 1])
        input.preferredVolume = 0.5
        writer.add(input)
        try writer.start()
        writer.startSession(atSourceTime: .zero)
        var pcm = AudioStreamBasicDescription()
        (pcm.mSampleRate, pcm.mFormatID, pcm.mChannelsPerFrame) = (48_000, kAudioFormatLinearPCM, 1)
        (pcm.mBitsPerChannel, pcm.mBytesPerFrame, pcm.mBytesPerPacket, pcm.mFramesPerPacket) = (16, 2, 2, 1)
        pcm.mFormatFlags = kAudioFormatFlagIsSignedInteger | kAudioFormatFlagIsPacked
        let sample = try CMSampleBuffer(
            dataBuffer: try CMBlockBuffer(length: 9600),
            formatDescription: CMFormatDescription(audioStreamBasicDescription: pcm), numSamples: 4800,
            presentationTimeStamp: .zero, packetDescriptions: [])
        #expect(input.append(sample))
        input.markAsFinished()
        await writer.finishWriting()
        #expect(try AtomLister(url).trackVolume == 128)
    }

    @Test func writer_initialFragmentInterval_writesTheFirstFragmentEarly() async throws {
        let movies = try MadeMovies()
        func holdsAFragment(_ name: String) -> Bool {
            let url = movies.directory.file("\(name).recording.mov")
            return (try? AtomLister(url))?.atoms().contains { $0.type == "moof" } ?? false
        }
        _ = try await write(movies.directory.file("early.mov")) { writer, _ in
            writer.movieFragmentInterval = CMTime(value: 60, timescale: 1)
            writer.initialMovieFragmentInterval = CMTime(value: 1, timescale: 2)
            #expect(writer.initialMovieFragmentInterval.seconds == 0.5)
        } then: { _ in
            try await waitUntil { holdsAFragment("early") }
        }
        _ = try await write(movies.directory.file("usual.mov")) { writer, _ in
            writer.movieFragmentInterval = CMTime(value: 1, timescale: 2)
        } then: { _ in
            try await waitUntil { holdsAFragment("usual") }
        }
    }

    @Test func writer_multiPass_encodesInTwoPasses() async throws {
        let movies = try MadeMovies()
        let url = movies.directory.file("passes.mov")
        let writer = try AVAssetWriter(outputURL: url, fileType: .mov)
        let settings: [String: Any] = [
            AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 160, AVVideoHeightKey: 120,
            AVVideoCompressionPropertiesKey: [AVVideoAverageBitRateKey: 100_000],
        ]
        let input = AVAssetWriterInput(mediaType: .video, outputSettings: settings)
        input.performsMultiPassEncodingIfSupported = true
        writer.add(input)
        let adaptor = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input)
        let frames = try (0..<60).map { try frame($0) }
        final class Passes: @unchecked Sendable {
            // Unchecked: used on one queue only.
            var ranges: [[CMTimeRange]] = []
            var next = 0
        }
        let (passes, queue, done) = (Passes(), DispatchQueue(label: "passes"), Gate())
        input.respondToEachPassDescription(on: queue) {
            guard let pass = input.currentPassDescription else {
                input.markAsFinished()
                return done.open()
            }
            passes.ranges.append(pass.sourceTimeRanges.map(\.timeRangeValue))
            passes.next = 0
            input.requestMediaDataWhenReady(on: queue) {
                while input.isReadyForMoreMediaData {
                    guard passes.next < frames.count else { return input.markCurrentPassAsFinished() }
                    let time = CMTime(value: Int64(passes.next), timescale: 30)
                    guard adaptor.append(frames[passes.next], withPresentationTime: time) else { return done.open() }
                    passes.next += 1
                }
            }
        }
        try writer.start()
        #expect(input.canPerformMultiplePasses)
        writer.startSession(atSourceTime: .zero)
        #expect(try await onThread { done.wait() })
        await writer.finishWriting()
        #expect(writer.status == .completed, "\(String(describing: writer.error))")
        #expect(passes.ranges.count == 2 && passes.ranges.allSatisfy { $0.first?.start == .zero })
        #expect(try MadeMovies.probe(url, "v:0", "stream=nb_read_frames") == "60")
    }

    @Test func start_fails_throws() throws {
        let movies = try MadeMovies()
        let writer = try AVAssetWriter(outputURL: movies.directory.file("none.mov"), fileType: .mov)
        let fault = #expect(throws: AVError.self) { try writer.start() }
        #expect(writer.status == .failed && fault == writer.error as? AVError)
        let asset = AVAsset(url: try movies.movie(seconds: 1))
        let reader = try AVAssetReader(asset: asset)
        reader.add(AVAssetReaderTrackOutput(track: try #require(asset.tracks.first), outputSettings: nil))
        try reader.start()
        #expect(reader.status == .reading)
        let second = #expect(throws: AVError.self) { try reader.start() }
        #expect(reader.status == .failed && second == reader.error as? AVError)
    }
}

import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests of the uses of readers and writers in AVFoundation's guide, and of those that it forbids.
@Suite struct AVAssetWriterTests {
    @Test func writer_videoAndAudioInputs_reencodeAMovie() async throws {
        let movies = try MadeMovies()
        let (source, target) = (try movies.movie(), movies.directory.file("out.mov"))
        try await onThread {
            let asset = AVAsset(url: source)
            let reader = try AVAssetReader(asset: asset)
            let writer = try AVAssetWriter(outputURL: target, fileType: .mov)
            let video = try #require(asset.tracks(withMediaType: .video).first)
            let audio = try #require(asset.tracks(withMediaType: .audio).first)
            let frames = AVAssetReaderTrackOutput(
                track: video,
                outputSettings: [
                    kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
                ])
            let pcm = AVAssetReaderTrackOutput(track: audio, outputSettings: [AVFormatIDKey: kAudioFormatLinearPCM])
            let videoInput = AVAssetWriterInput(
                mediaType: .video,
                outputSettings: [
                    AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 80, AVVideoHeightKey: 60,
                    AVVideoScalingModeKey: AVVideoScalingModeResize,
                    AVVideoCompressionPropertiesKey: [
                        AVVideoAverageBitRateKey: 200_000, AVVideoProfileLevelKey: AVVideoProfileLevelH264HighAutoLevel,
                    ],
                ])
            videoInput.transform = CGAffineTransform(rotationAngle: .pi / 2)
            let audioInput = AVAssetWriterInput(
                mediaType: .audio,
                outputSettings: [
                    AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 2,
                    AVEncoderBitRateKey: 96_000,
                ])
            for output in [frames, pcm] {
                #expect(reader.canAdd(output))
                reader.add(output)
            }
            for input in [videoInput, audioInput] {
                #expect(writer.canAdd(input))
                writer.add(input)
            }
            #expect(writer.startWriting() && reader.startReading())
            writer.startSession(atSourceTime: .zero)
            let group = DispatchGroup()
            for (output, input) in [(frames, videoInput), (pcm, audioInput)] {
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
            let gate = Gate()
            writer.finishWriting { gate.open() }
            #expect(gate.wait())
            #expect(writer.status == .completed && writer.error == nil && reader.status == .completed)
        }
        #expect(try MadeMovies.probe(target, "v:0", "stream=width,height,nb_read_frames") == "80\n60\n60")
        #expect(try MadeMovies.probe(target, "v:0", "stream_side_data=rotation").contains("-90"))
        #expect(try MadeMovies.probe(target, "a:0", "stream=codec_name,channels") == "aac\n2")
        #expect(abs(try #require(Double(try MadeMovies.probe(target, "v:0", "format=duration"))) - 2) < 0.05)
    }

    @Test func writer_passthrough_keepsEveryByte() async throws {
        let movies = try MadeMovies()
        let (source, target) = (try movies.movie(), movies.directory.file("out.mov"))
        try await onThread {
            let asset = AVAsset(url: source)
            let writer = try AVAssetWriter(url: target, fileType: .mov)
            var pairs: [(AVAssetReader, AVAssetReaderTrackOutput, AVAssetWriterInput)] = []
            for track in asset.tracks {
                let reader = try AVAssetReader(asset: asset)
                let output = AVAssetReaderTrackOutput(track: track, outputSettings: nil)
                reader.add(output)
                let hint = track.formatDescriptions.first.map { $0 as! CMFormatDescription }
                let input = AVAssetWriterInput(mediaType: track.mediaType, outputSettings: nil, sourceFormatHint: hint)
                writer.add(input)
                reader.startReading()
                pairs.append((reader, output, input))
            }
            #expect(writer.startWriting())
            writer.startSession(atSourceTime: .zero)
            let group = DispatchGroup()
            for (_, output, input) in pairs {
                group.enter()
                input.requestMediaDataWhenReady(on: DispatchQueue(label: "feed")) {
                    while input.isReadyForMoreMediaData {
                        guard let sample = output.copyNextSampleBuffer() else {
                            input.markAsFinished()
                            return group.leave()
                        }
                        #expect(input.append(sample))
                    }
                }
            }
            #expect(group.wait(timeout: .now() + 60) == .success)
            #expect(writer.finishWriting())
        }
        func hashes(_ url: URL) throws -> String {
            let result = try Command.run([
                "ffmpeg", "-v", "error", "-i", url.path, "-map", "0", "-c", "copy", "-f", "streamhash", "-",
            ])
            return String(decoding: result.output, as: UTF8.self)
        }
        #expect(try hashes(source) == hashes(target))
    }

    /// Calls that raise an exception in Apple's AVFoundation.
    @Test func writer_callsInTheWrongState_failIt() async throws {
        let movies = try MadeMovies()
        func started(_ name: String) throws -> (AVAssetWriter, AVAssetWriterInput) {
            let writer = try AVAssetWriter(outputURL: movies.directory.file(name), fileType: .mov)
            let input = AVAssetWriterInput(mediaType: .video, outputSettings: MadeMovies.h264)
            writer.add(input)
            #expect(writer.startWriting())
            return (writer, input)
        }
        var made: CVPixelBuffer?
        CVPixelBufferCreate(nil, 160, 120, kCVPixelFormatType_32BGRA, nil, &made)
        let frame = try #require(made)
        func append(_ input: AVAssetWriterInput, at second: Int64) -> Bool {
            AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input).append(
                frame, withPresentationTime: CMTime(value: second, timescale: 1))
        }

        let (early, earlyInput) = try started("early.mov")
        #expect(!append(earlyInput, at: 0))
        #expect(early.status == .failed && early.error != nil)

        let (late, lateInput) = try started("late.mov")
        lateInput.transform = CGAffineTransform(rotationAngle: 1)
        #expect(late.status == .failed)

        let (order, orderInput) = try started("order.mov")
        order.startSession(atSourceTime: .zero)
        #expect(append(orderInput, at: 2) && !append(orderInput, at: 1))
        #expect(order.status == .failed)

        let (finished, finishedInput) = try started("finished.mov")
        finished.startSession(atSourceTime: .zero)
        #expect(append(finishedInput, at: 0))
        finishedInput.markAsFinished()
        #expect(!append(finishedInput, at: 1) && finished.status == .failed)

        let (twice, _) = try started("twice.mov")
        #expect(!twice.startWriting() && twice.status == .failed)

        let none = try AVAssetWriter(outputURL: movies.directory.file("none.mov"), fileType: .mov)
        #expect(!none.startWriting() && none.status == .failed)

        try await waitUntil { movies.directory.names.isEmpty }
    }

    /// A started writer with one video input, and an adaptor for its frames.
    private func started(_ url: URL, isLive: Bool) throws -> (AVAssetWriter, AVAssetWriterInputPixelBufferAdaptor) {
        let writer = try AVAssetWriter(outputURL: url, fileType: .mov)
        let input = AVAssetWriterInput(mediaType: .video, outputSettings: MadeMovies.h264)
        input.expectsMediaDataInRealTime = isLive
        writer.add(input)
        #expect(writer.startWriting())
        return (writer, AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input))
    }

    private func frame() throws -> CVPixelBuffer {
        var made: CVPixelBuffer?
        CVPixelBufferCreate(nil, 160, 120, kCVPixelFormatType_32BGRA, nil, &made)
        return try #require(made)
    }

    /// The last frame of a capture queue, and a second tap on the stop button.
    @Test(arguments: [true, false]) func finishWriting_laterCalls_doNotAffectTheMovie(isLive: Bool) async throws {
        let movies = try MadeMovies()
        let target = movies.directory.file("kept.mov")
        let (writer, adaptor) = try started(target, isLive: isLive)
        let (input, frame) = (adaptor.assetWriterInput, try frame())
        writer.startSession(atSourceTime: .zero)
        for number in 0..<60 {
            try await waitUntil { input.isReadyForMoreMediaData }
            #expect(adaptor.append(frame, withPresentationTime: CMTime(value: Int64(number), timescale: 30)))
        }
        let (first, second) = (Gate(), Gate())
        writer.finishWriting { first.open() }
        #expect(!adaptor.append(frame, withPresentationTime: CMTime(value: 2, timescale: 1)))
        writer.finishWriting { second.open() }
        input.transform = CGAffineTransform(rotationAngle: 1)
        writer.movieTimeScale = 600
        writer.startSession(atSourceTime: CMTime(value: 5, timescale: 1))
        #expect(try await onThread { first.wait() && second.wait() })
        #expect(writer.status == .completed && writer.error == nil)
        #expect(try MadeMovies.probe(target, "v:0", "stream=nb_read_frames") == "60")
        #expect(movies.directory.names == ["kept.mov"])
    }

    @Test func append_liveInputIsFinished_returnsFalseAlone() async throws {
        let movies = try MadeMovies()
        let (writer, adaptor) = try started(movies.directory.file("live.mov"), isLive: true)
        let frame = try frame()
        writer.startSession(atSourceTime: .zero)
        #expect(adaptor.append(frame, withPresentationTime: .zero))
        adaptor.assetWriterInput.markAsFinished()
        #expect(!adaptor.append(frame, withPresentationTime: CMTime(value: 1, timescale: 30)))
        #expect(writer.status == .writing)
        await writer.finishWriting()
        #expect(writer.status == .completed && movies.directory.names == ["live.mov"])
    }

    /// A recording that is stopped before the camera has delivered a frame.
    @Test(arguments: [true, false]) func liveWriter_failsBeforeTheFirstFrame_freesItsName(appends: Bool) async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let target = movies.directory.file("name.mov")
        let (writer, adaptor) = try started(target, isLive: true)
        if appends { #expect(!adaptor.append(try frame(), withPresentationTime: .zero)) }
        await writer.finishWriting()
        #expect(writer.status == .failed && movies.directory.names.isEmpty)
        let (again, _) = try started(target, isLive: true)
        again.cancelWriting()
    }

    @Test func writer_existingFile_isUnchanged() throws {
        let movies = try MadeMovies()
        let target = movies.directory.file("there.mov")
        try Data("precious".utf8).write(to: target)
        let writer = try AVAssetWriter(outputURL: target, fileType: .mov)
        writer.add(AVAssetWriterInput(mediaType: .video, outputSettings: MadeMovies.h264))
        #expect(!writer.startWriting())
        #expect((writer.error as? AVError)?.code == .fileAlreadyExists)
        #expect(try Data(contentsOf: target) == Data("precious".utf8))
        #expect(throws: (any Error).self) {
            try AVAssetWriter(outputURL: URL(fileURLWithPath: "/nowhere/at/all.mov"), fileType: .mov)
        }
        #expect(throws: (any Error).self) { try AVAssetWriter(outputURL: target, fileType: .wav) }
    }

    @Test func cancelWriting_leavesNothing() async throws {
        let movies = try MadeMovies()
        let writer = try AVAssetWriter(outputURL: movies.directory.file("gone.mov"), fileType: .mov)
        let input = AVAssetWriterInput(mediaType: .video, outputSettings: MadeMovies.h264)
        writer.add(input)
        writer.startWriting()
        writer.startSession(atSourceTime: .zero)
        writer.cancelWriting()
        #expect(writer.status == .cancelled && writer.error == nil)
        try await waitUntil { movies.directory.names.isEmpty }
    }
}

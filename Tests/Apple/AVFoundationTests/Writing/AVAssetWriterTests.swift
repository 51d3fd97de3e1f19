import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests of the uses of readers and writers in AVFoundation's guide, and of those that it forbids.
@Suite struct AVAssetWriterTests {
    private static let h264: [String: any Sendable] = [
        AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 160, AVVideoHeightKey: 120,
    ]

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

    /// The set-up of a camera app: frames arrive by a clock, and are dropped if the input is not ready.
    @Test func liveInput_readyWithSlowEncoder_refusesNoFrame() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let target = movies.directory.file("live.mov")
        try await onThread {
            let writer = try AVAssetWriter(outputURL: target, fileType: .mov)
            let input = AVAssetWriterInput(
                mediaType: .video,
                outputSettings: [
                    AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 3840, AVVideoHeightKey: 2160,
                ])
            input.expectsMediaDataInRealTime = true
            let adaptor = AVAssetWriterInputPixelBufferAdaptor(
                assetWriterInput: input,
                sourcePixelBufferAttributes: [
                    kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange,
                    kCVPixelBufferWidthKey as String: 3840, kCVPixelBufferHeightKey as String: 2160,
                ])
            writer.add(input)
            #expect(writer.startWriting())
            writer.startSession(atSourceTime: .zero)
            var frame: CVPixelBuffer?
            CVPixelBufferPoolCreatePixelBuffer(nil, try #require(adaptor.pixelBufferPool), &frame)
            let image = try #require(frame)
            // Twice the rate that fills the queue's 96 MiB, so that slow and fast machines both drop frames.
            let tick = DispatchSemaphore(value: 0)
            let clock = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "clock"))
            clock.schedule(deadline: .now(), repeating: .milliseconds(4))
            clock.setEventHandler { tick.signal() }
            clock.resume()
            defer { clock.cancel() }
            var counts = (ready: 0, refused: 0, notReady: 0)
            for number in 0..<100 {
                tick.wait()
                guard input.isReadyForMoreMediaData else {
                    counts.notReady += 1
                    continue
                }
                counts.ready += 1
                let time = CMTime(value: Int64(number), timescale: 30)
                if !adaptor.append(image, withPresentationTime: time) { counts.refused += 1 }
            }
            #expect(counts.refused == 0 && counts.ready > 0 && counts.notReady > 0, "\(counts)")
            #expect(writer.status == .writing && writer.error == nil)
            writer.cancelWriting()
        }
    }

    /// 4:2:0 stores even sizes: a column and a row are added, and the clean aperture excludes them.
    @Test(arguments: [(161, 121), (160, 121), (161, 120)])
    func frames_ofOddSize_areStoredWithACleanAperture(width: Int, height: Int) async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let target = movies.directory.file("odd.mov")
        try await onThread {
            let writer = try AVAssetWriter(outputURL: target, fileType: .mov)
            let input = AVAssetWriterInput(
                mediaType: .video,
                outputSettings: [
                    AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: width, AVVideoHeightKey: height,
                    AVVideoCompressionPropertiesKey: [AVVideoQualityKey: 1],
                ])
            let adaptor = AVAssetWriterInputPixelBufferAdaptor(
                assetWriterInput: input,
                sourcePixelBufferAttributes: [kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA])
            #expect(writer.canAdd(input))
            writer.add(input)
            #expect(writer.startWriting())
            writer.startSession(atSourceTime: .zero)
            for number in 0..<3 {
                var frame: CVPixelBuffer?
                CVPixelBufferPoolCreatePixelBuffer(nil, try #require(adaptor.pixelBufferPool), &frame)
                let image = try #require(frame)
                #expect(CVPixelBufferGetWidth(image) == width && CVPixelBufferGetHeight(image) == height)
                CVPixelBufferLockBaseAddress(image, [])
                // White, so that black beside it would be visible.
                memset(CVPixelBufferGetBaseAddress(image)!, 255, CVPixelBufferGetDataSize(image))
                CVPixelBufferUnlockBaseAddress(image, [])
                #expect(eventually { input.isReadyForMoreMediaData })
                #expect(adaptor.append(image, withPresentationTime: CMTime(value: Int64(number), timescale: 30)))
            }
            input.markAsFinished()
            #expect(writer.finishWriting() && writer.status == .completed)
            let track = try #require(AVURLAsset(url: target).tracks.first)
            #expect(track.naturalSize == CGSize(width: width, height: height))
            let format = try #require(track.formatDescriptions.first) as! CMFormatDescription
            #expect(
                CMVideoFormatDescriptionGetCleanAperture(format, originIsAtTopLeft: true)
                    == CGRect(x: 0, y: 0, width: width, height: height))
        }
        let (even, high) = (width + width % 2, height + height % 2)
        #expect(
            try MadeMovies.probe(target, "v:0", "stream=width,height,nb_read_frames") == "\(even)\n\(high)\n3")
        // From NUT, which stores no clean aperture: FFmpeg 7 crops the frames of a movie to it.
        let packets = try Command.run(["ffmpeg", "-v", "error", "-i", target.path, "-c", "copy", "-f", "nut", "-"])
        let result = try Command.run(
            [
                "ffmpeg", "-v", "error", "-f", "nut", "-i", "-", "-frames:v", "1", "-pix_fmt", "gray", "-f", "rawvideo",
                "-",
            ], input: packets.output)
        #expect(result.output.count == even * high && result.output.allSatisfy { $0 > 225 })
    }

    @Test func adaptor_onAudioInput_makesItUnusable() throws {
        let settings: [String: Any] = [
            AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 1,
        ]
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let writer = try AVAssetWriter(
            outputURL: movies.directory.file("adaptor.mov"), fileType: .mov)
        let input = AVAssetWriterInput(mediaType: .audio, outputSettings: settings)
        #expect(writer.canAdd(input))
        _ = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input, sourcePixelBufferAttributes: nil)
        #expect(!writer.canAdd(input))
        let added = AVAssetWriterInput(mediaType: .audio, outputSettings: settings)
        writer.add(added)
        _ = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: added, sourcePixelBufferAttributes: nil)
        #expect(writer.status == .failed)
        #expect((writer.error as? AVError)?.code == .unsupportedOutputSettings && !writer.startWriting())
    }

    @Test func append_decreasingTimestamp_failsWithUnknownCode() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let target = movies.directory.file("back.mov")
        try await onThread {
            let writer = try AVAssetWriter(outputURL: target, fileType: .mov)
            let input = AVAssetWriterInput(mediaType: .video, outputSettings: Self.h264)
            let adaptor = AVAssetWriterInputPixelBufferAdaptor(
                assetWriterInput: input, sourcePixelBufferAttributes: [:])
            writer.add(input)
            #expect(writer.startWriting())
            writer.startSession(atSourceTime: .zero)
            var frame: CVPixelBuffer?
            CVPixelBufferPoolCreatePixelBuffer(nil, try #require(adaptor.pixelBufferPool), &frame)
            let image = try #require(frame)
            #expect(eventually { input.isReadyForMoreMediaData })
            #expect(adaptor.append(image, withPresentationTime: CMTime(value: 2, timescale: 30)))
            #expect(eventually { input.isReadyForMoreMediaData })
            #expect(!adaptor.append(image, withPresentationTime: CMTime(value: 1, timescale: 30)))
            let error = try #require(writer.error as? AVError)
            #expect(writer.status == .failed && error.code == .unknown)
            #expect(error.localizedDescription.contains("is not after"))
        }
    }

    @Test func settings_ofAnotherTrackKind_areRefused() throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let writer = try AVAssetWriter(outputURL: movies.directory.file("kinds.mov"), fileType: .mov)
        var video: [String: Any] = Self.h264
        #expect(writer.canApply(outputSettings: video, forMediaType: .video))
        video[AVSampleRateKey] = 48_000
        #expect(!writer.canApply(outputSettings: video, forMediaType: .video))
        var audio: [String: Any] = [
            AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 1,
            AVEncoderAudioQualityKey: AVAudioQuality.high.rawValue,
        ]
        #expect(writer.canApply(outputSettings: audio, forMediaType: .audio))
        audio[AVSampleRateConverterAudioQualityKey] = AVAudioQuality.high.rawValue
        #expect(!writer.canApply(outputSettings: audio, forMediaType: .audio))
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

    @Test func adaptor_framesFromItsPool_areWritten() async throws {
        let movies = try MadeMovies()
        let target = movies.directory.file("drawn.mp4")
        let writer = try AVAssetWriter(outputURL: target, fileType: .mp4)
        let input = AVAssetWriterInput(mediaType: .video, outputSettings: Self.h264)
        let adaptor = AVAssetWriterInputPixelBufferAdaptor(
            assetWriterInput: input,
            sourcePixelBufferAttributes: [
                kCVPixelBufferPixelFormatTypeKey as String: Int(kCVPixelFormatType_32ARGB) as NSNumber
            ])
        writer.add(input)
        #expect(adaptor.pixelBufferPool == nil)
        #expect(writer.startWriting())
        writer.startSession(atSourceTime: .zero)
        let pool = try #require(adaptor.pixelBufferPool)
        for number in 0..<30 {
            try await waitUntil { input.isReadyForMoreMediaData }
            var made: CVPixelBuffer?
            #expect(CVPixelBufferPoolCreatePixelBuffer(nil, pool, &made) == kCVReturnSuccess)
            let frame = try #require(made)
            CVPixelBufferLockBaseAddress(frame, [])
            let start = try #require(CVPixelBufferGetBaseAddress(frame)).assumingMemoryBound(to: UInt8.self)
            let stride = CVPixelBufferGetBytesPerRow(frame)
            for y in 0..<120 {
                for x in 0..<160 {
                    let pixel = start + y * stride + x * 4
                    (pixel[0], pixel[1], pixel[2], pixel[3]) = (255, 200, 30, 30)
                }
            }
            CVPixelBufferUnlockBaseAddress(frame, [])
            #expect(adaptor.append(frame, withPresentationTime: CMTime(value: Int64(number), timescale: 30)))
        }
        input.markAsFinished()
        await writer.finishWriting()
        #expect(writer.status == .completed, "\(String(describing: writer.error))")
        let result = try Command.run([
            "ffmpeg", "-v", "error", "-i", target.path, "-frames:v", "1", "-vf", "scale=1:1", "-f", "rawvideo",
            "-pix_fmt",
            "rgb24", "-",
        ])
        let color = Array(result.output)
        try #require(color.count == 3)
        #expect(abs(Int(color[0]) - 200) < 8 && abs(Int(color[1]) - 30) < 8 && abs(Int(color[2]) - 30) < 8)
        #expect(try MadeMovies.probe(target, "v:0", "stream=nb_read_frames") == "30")
    }

    @Test(arguments: [
        [AVVideoCodecKey: "nonsense", AVVideoWidthKey: 160, AVVideoHeightKey: 120] as [String: any Sendable],
        [AVVideoCodecKey: AVVideoCodecType.h264.rawValue],
        [AVVideoCodecKey: AVVideoCodecType.h264.rawValue, AVVideoWidthKey: 0, AVVideoHeightKey: 120],
        [AVVideoCodecKey: AVVideoCodecType.h264.rawValue, AVVideoWidthKey: "wide", AVVideoHeightKey: 120],
        [AVVideoCodecKey: AVVideoCodecType.h264.rawValue, AVVideoWidthKey: -2, AVVideoHeightKey: 120],
        [
            AVVideoCodecKey: AVVideoCodecType.h264.rawValue, AVVideoWidthKey: 160, AVVideoHeightKey: 120,
            AVVideoCompressionPropertiesKey: "none",
        ],
    ])
    func input_invalidSettings_cannotBeAdded(_ settings: [String: any Sendable]) throws {
        let movies = try MadeMovies()
        let target = movies.directory.file("bad.mov")
        let writer = try AVAssetWriter(outputURL: target, fileType: .mov)
        #expect(!writer.canApply(outputSettings: settings, forMediaType: .video))
        let input = AVAssetWriterInput(mediaType: .video, outputSettings: settings)
        #expect(!writer.canAdd(input))
        writer.add(input)
        #expect(!writer.startWriting() && writer.status == .failed)
        #expect((writer.error as? AVError)?.localizedDescription.isEmpty == false)
        #expect(movies.directory.names.isEmpty)
    }

    @Test(arguments: [CGFloat(160), 160.0 as Double, Float(160), NSNumber(value: 160), Int32(160)] as [any Sendable])
    func settings_numberOfAnyType_isAccepted(_ width: any Sendable) throws {
        let movies = try MadeMovies()
        let writer = try AVAssetWriter(outputURL: movies.directory.file("number.mov"), fileType: .mov)
        let settings: [String: Any] = [
            AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: width, AVVideoHeightKey: 120,
        ]
        #expect(writer.canApply(outputSettings: settings, forMediaType: .video))
    }

    /// Calls that raise an exception in Apple's AVFoundation.
    @Test func writer_callsInTheWrongState_failIt() async throws {
        let movies = try MadeMovies()
        func started(_ name: String) throws -> (AVAssetWriter, AVAssetWriterInput) {
            let writer = try AVAssetWriter(outputURL: movies.directory.file(name), fileType: .mov)
            let input = AVAssetWriterInput(mediaType: .video, outputSettings: Self.h264)
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

    @Test func writer_existingFile_isUnchanged() throws {
        let movies = try MadeMovies()
        let target = movies.directory.file("there.mov")
        try Data("precious".utf8).write(to: target)
        let writer = try AVAssetWriter(outputURL: target, fileType: .mov)
        writer.add(AVAssetWriterInput(mediaType: .video, outputSettings: Self.h264))
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
        let input = AVAssetWriterInput(mediaType: .video, outputSettings: Self.h264)
        writer.add(input)
        writer.startWriting()
        writer.startSession(atSourceTime: .zero)
        writer.cancelWriting()
        #expect(writer.status == .cancelled && writer.error == nil)
        try await waitUntil { movies.directory.names.isEmpty }
    }

    /// A program that ignores the result of `startWriting`.
    @Test func requestMediaData_writerFailed_callsTheClosure() async throws {
        let movies = try MadeMovies()
        let target = movies.directory.file("there.mov")
        try Data("precious".utf8).write(to: target)
        let writer = try AVAssetWriter(outputURL: target, fileType: .mov)
        let input = AVAssetWriterInput(mediaType: .video, outputSettings: Self.h264)
        writer.add(input)
        writer.startWriting()
        writer.startSession(atSourceTime: .zero)
        let calls = CallCounter()
        input.requestMediaDataWhenReady(on: DispatchQueue(label: "feed")) {
            _ = calls.count()
            while input.isReadyForMoreMediaData {
                input.markAsFinished()
                calls.end()
            }
        }
        try await waitUntil { calls.ends == 1 }
        #expect(writer.status == .failed && calls.count() == 2)
    }

    @Test func requestMediaData_writerFailsDuringIt_notifiesOnce() async throws {
        let movies = try MadeMovies()
        let writer = try AVAssetWriter(outputURL: movies.directory.file("fails.mov"), fileType: .mov)
        let input = AVAssetWriterInput(mediaType: .video, outputSettings: Self.h264)
        writer.add(input)
        writer.startWriting()
        let calls = CallCounter()
        let gate = Gate()
        input.requestMediaDataWhenReady(on: DispatchQueue(label: "feed")) {
            if calls.count() == 1 { gate.open() }
            while input.isReadyForMoreMediaData {
                guard writer.status == .writing else {
                    input.markAsFinished()
                    return calls.end()
                }
                _ = input.append(CMSampleBuffer.withoutData)
            }
        }
        writer.startSession(atSourceTime: .zero)
        #expect(gate.wait())
        try await waitUntil { calls.ends == 1 }
        #expect(writer.status == .failed && calls.ends == 1)
    }
}

private final class CallCounter: @unchecked Sendable {
    private let lock = NSLock()
    private var (calls, ended) = (0, 0)
    func count() -> Int {
        lock.withLock {
            calls += 1
            return calls
        }
    }
    func end() { lock.withLock { ended += 1 } }
    var ends: Int { lock.withLock { ended } }
}

extension CMSampleBuffer {
    fileprivate static var withoutData: CMSampleBuffer {
        var sample: CMSampleBuffer?
        CMSampleBufferCreate(
            allocator: nil, dataBuffer: nil, dataReady: true, makeDataReadyCallback: nil, refcon: nil,
            formatDescription: nil, sampleCount: 0, sampleTimingEntryCount: 0, sampleTimingArray: nil,
            sampleSizeEntryCount: 0, sampleSizeArray: nil, sampleBufferOut: &sample)
        return sample!
    }
}

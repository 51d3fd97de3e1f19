import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests of frames that a program hands over as pixel buffers.
@Suite struct AVAssetWriterPixelBufferAdaptorTests {
    @Test func adaptor_framesFromItsPool_areWritten() async throws {
        let movies = try MadeMovies()
        let target = movies.directory.file("drawn.mp4")
        let writer = try AVAssetWriter(outputURL: target, fileType: .mp4)
        let input = AVAssetWriterInput(mediaType: .video, outputSettings: MadeMovies.h264)
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

    private static let unsupported: [(key: String, value: OSType)] = [
        (kCVPixelBufferPixelFormatTypeKey, kCVPixelFormatType_64RGBAHalf), (kCVPixelBufferWidthKey, 0),
        (kCVPixelBufferBytesPerRowAlignmentKey, 48),
    ]

    @Test(arguments: unsupported) func adaptor_attributesThatAreNotSupported_refusesTheInput(key: String, value: OSType)
        throws
    {
        let movies = try MadeMovies()
        let writer = try AVAssetWriter(outputURL: movies.directory.file("no.mov"), fileType: .mov)
        let input = AVAssetWriterInput(mediaType: .video, outputSettings: MadeMovies.h264)
        #expect(writer.canAdd(input))
        let adaptor = AVAssetWriterInputPixelBufferAdaptor(
            assetWriterInput: input, sourcePixelBufferAttributes: [key: NSNumber(value: value)])
        #expect(!writer.canAdd(input))
        writer.add(input)
        #expect(!writer.startWriting() && adaptor.pixelBufferPool == nil)
        #expect(writer.error?.localizedDescription.contains(key) == true, "\(String(describing: writer.error))")
    }

    @Test func adaptor_severalFormats_usesTheFirstThatIsSupported() throws {
        let movies = try MadeMovies()
        let writer = try AVAssetWriter(outputURL: movies.directory.file("some.mov"), fileType: .mov)
        let input = AVAssetWriterInput(mediaType: .video, outputSettings: MadeMovies.h264)
        let formats = [kCVPixelFormatType_64RGBAHalf, kCVPixelFormatType_32BGRA].map { NSNumber(value: $0) }
        let adaptor = AVAssetWriterInputPixelBufferAdaptor(
            assetWriterInput: input, sourcePixelBufferAttributes: [kCVPixelBufferPixelFormatTypeKey: formats])
        writer.add(input)
        #expect(writer.startWriting())
        var frame: CVPixelBuffer?
        CVPixelBufferPoolCreatePixelBuffer(nil, try #require(adaptor.pixelBufferPool), &frame)
        #expect(CVPixelBufferGetPixelFormatType(try #require(frame)) == kCVPixelFormatType_32BGRA)
        writer.cancelWriting()
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
            let input = AVAssetWriterInput(mediaType: .video, outputSettings: MadeMovies.h264)
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
}

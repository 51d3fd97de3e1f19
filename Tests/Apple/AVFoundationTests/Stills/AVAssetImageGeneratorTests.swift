import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests of the uses of image generators in AVFoundation's guide: the frame at the time, once for each request.
@Suite struct AVAssetImageGeneratorTests {
    /// Ten frames a second with a keyframe every five; frame n has the brightness 20·n + 20.
    private static func steps(_ movies: MadeMovies, _ more: [String] = []) throws -> AVURLAsset {
        let url = movies.directory.file("steps.mov")
        try MadeFile.copy(
            of: [
                "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i",
                "color=c=black:s=96x64:r=10:d=1,geq=lum='20*N+20':cb=128:cr=128", "-c:v", "libx264", "-qp", "4", "-g",
                "5",
                "-pix_fmt", "yuv420p", "-color_range", "tv",
            ] + more, to: url)
        return AVURLAsset(url: url)
    }

    /// The number of an image, from its brightness in full range, as RGB has it.
    private static func number(_ image: CGImage) throws -> Int {
        let bytes = try #require(image.dataProvider?.data as Data?)
        let row = image.height / 2 * image.bytesPerRow
        let value = Int(bytes[row + image.width / 2 * image.bitsPerPixel / 8 + 1])
        return Int(((Double(value) * 219 / 255 + 16 - 20) / 20).rounded())
    }

    @Test func guideListing_zeroTolerance_returnsTheShownFrame() async throws {
        let movies = try MadeMovies()
        let asset = try Self.steps(movies)
        let generator = AVAssetImageGenerator(asset: asset)
        #expect(generator.asset === asset && !generator.appliesPreferredTrackTransform)
        #expect(generator.requestedTimeToleranceBefore == .positiveInfinity && generator.maximumSize == .zero)
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        try await onThread {
            var actual = CMTime.invalid
            let image = try generator.copyCGImage(at: seconds(0.33), actualTime: &actual)
            #expect(try Self.number(image) == 3 && abs(actual.seconds - 0.3) < 0.001)
            #expect(image.width == 96 && image.height == 64)
            _ = try generator.copyCGImage(at: .zero, actualTime: nil)
        }
        let (image, actualTime) = try await generator.image(at: seconds(0.75))
        #expect(try Self.number(image) == 7 && abs(actualTime.seconds - 0.7) < 0.001)
        // With these tolerances the preceding keyframe is near enough.
        generator.requestedTimeToleranceBefore = .positiveInfinity
        let near = try await generator.image(at: seconds(0.75))
        #expect(try Self.number(near.image) == 5)
    }

    @Test func imageGenerator_severalTimes_answersEachOnceInOrder() async throws {
        let movies = try MadeMovies()
        let generator = AVAssetImageGenerator(asset: try Self.steps(movies))
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        let times = [0.0, 0.25, 7, 0.95].map(seconds)
        let (gate, answers) = (Gate(), Answers())
        generator.generateCGImagesAsynchronously(forTimes: times.map(NSValue.init(time:))) {
            requested, image, actual, result, error in
            answers.add(
                .init(
                    time: requested.seconds, number: image.flatMap { try? Self.number($0) }, actual: actual,
                    result: result, error: error as NSError?))
            if requested == times.last { gate.open() }
        }
        #expect(try await onThread { gate.wait() })
        let all = answers.all
        #expect(all.map(\.time) == [0, 0.25, 7, 0.95] && all.map(\.number) == [0, 2, nil, 9])
        #expect(all.map(\.result) == [.succeeded, .succeeded, .failed, .succeeded])
        #expect(
            all[2].error?.domain == AVFoundationErrorDomain && all[2].error?.code == AVError.Code.noImageAtTime.rawValue
        )
        #expect(all[2].error?.userInfo[NSUnderlyingErrorKey] != nil && !all[2].actual.isValid && all[0].error == nil)
        let single = Gate()
        generator.generateCGImageAsynchronously(for: seconds(0.45)) { image, actual, error in
            #expect(image != nil && abs(actual.seconds - 0.4) < 0.001 && error == nil)
            single.open()
        }
        #expect(try await onThread { single.wait() })
        var seen: [Int?] = []
        for await result in generator.images(for: times) { seen.append(try? Self.number(result.image)) }
        #expect(seen == [0, 2, nil, 9])
        for await result in generator.images(for: [seconds(7)]) {
            #expect(throws: AVError.self) { try result.actualTime }
            #expect(result.requestedTime == seconds(7))
        }
    }

    @Test func imageGenerator_cancelled_reportsTheRestAsCancelled() async throws {
        let movies = try MadeMovies()
        let generator = AVAssetImageGenerator(asset: try Self.steps(movies))
        let (gate, first, answers) = (Gate(), Gate(), Answers())
        let times = (0..<10).map { NSValue(time: seconds(Double($0) / 10)) }
        generator.generateCGImagesAsynchronously(forTimes: times) { requested, image, _, result, error in
            // The first callback waits until all requests are cancelled.
            if requested == .zero {
                generator.cancelAllCGImageGeneration()
                first.open()
            }
            answers.add(
                .init(time: requested.seconds, number: nil, actual: .zero, result: result, error: error as NSError?))
            #expect((image != nil) == (result == .succeeded))
            if answers.all.count == 10 { gate.open() }
        }
        #expect(try await onThread { first.wait() && gate.wait() })
        #expect(answers.all.map(\.result) == [.succeeded] + Array(repeating: .cancelled, count: 9))
        // Later requests are not cancelled.
        #expect(try await generator.image(at: .zero).image.width == 96)
    }

    @Test func imageGenerator_transformAndMaximumSize_areApplied() async throws {
        let movies = try MadeMovies()
        let generator = AVAssetImageGenerator(
            asset: AVURLAsset(url: try CompositionJudge().turned(try Self.steps(movies).url)))
        #expect(try await generator.image(at: .zero).image.width == 96)
        generator.appliesPreferredTrackTransform = true
        let upright = try await generator.image(at: .zero).image
        #expect(upright.width == 64 && upright.height == 96)
        generator.maximumSize = CGSize(width: 32, height: 32)
        let small = try await generator.image(at: .zero).image
        #expect(small.width <= 32 && small.height == 32)
        generator.maximumSize = CGSize(width: 16, height: 0)
        #expect(try await generator.image(at: .zero).image.width == 16)
    }

    @Test func imageGenerator_cleanAperture_isCroppedUnlessDisabled() async throws {
        let movies = try MadeMovies()
        let (source, cut) = (try movies.movie(seconds: 1), movies.directory.file("cut.mov"))
        let aperture: [String: any Sendable] = [
            AVVideoCleanApertureWidthKey: 120, AVVideoCleanApertureHeightKey: 100,
            AVVideoCleanApertureHorizontalOffsetKey: 0, AVVideoCleanApertureVerticalOffsetKey: 0,
        ]
        try await onThread {
            let asset = AVURLAsset(url: source)
            let track = try #require(asset.tracks(withMediaType: .video).first)
            let (reader, writer) = (try AVAssetReader(asset: asset), try AVAssetWriter(outputURL: cut, fileType: .mov))
            let output = AVAssetReaderTrackOutput(
                track: track,
                outputSettings: [
                    kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
                ])
            let input = AVAssetWriterInput(
                mediaType: .video,
                outputSettings: [
                    AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 160, AVVideoHeightKey: 120,
                    AVVideoCleanApertureKey: aperture,
                ])
            reader.add(output)
            writer.add(input)
            #expect(reader.startReading() && writer.startWriting())
            writer.startSession(atSourceTime: .zero)
            let gate = Gate()
            input.requestMediaDataWhenReady(on: DispatchQueue(label: "feed")) {
                while input.isReadyForMoreMediaData {
                    guard let sample = output.copyNextSampleBuffer(), input.append(sample) else {
                        input.markAsFinished()
                        return writer.finishWriting { gate.open() }
                    }
                }
            }
            #expect(gate.wait() && writer.status == .completed)
        }
        let generator = AVAssetImageGenerator(asset: AVURLAsset(url: cut))
        let image = try await generator.image(at: .zero).image
        #expect(image.width == 120 && image.height == 100)
        generator.apertureMode = .productionAperture
        #expect(try await generator.image(at: .zero).image.width == 160)
        generator.apertureMode = .cleanAperture
        generator.maximumSize = CGSize(width: 60, height: 60)
        let small = try await generator.image(at: .zero).image
        #expect(small.width == 60 && small.height == 50)
    }

    @Test func imageGenerator_videoComposition_isRendered() async throws {
        let judge = try CompositionJudge()
        let asset = AVURLAsset(url: try judge.movie("a.mov", gray: 60))
        let drawing = AVMutableVideoComposition(propertiesOf: asset)
        let layer = AVMutableVideoCompositionLayerInstruction(assetTrack: try #require(asset.tracks.first))
        layer.setOpacity(0, at: seconds(0.5))
        let instruction = AVMutableVideoCompositionInstruction()
        instruction.timeRange = range(0, 1)
        instruction.layerInstructions = [layer]
        instruction.backgroundColor = .white
        drawing.instructions = [instruction]
        let generator = AVAssetImageGenerator(asset: asset)
        generator.videoComposition = drawing
        func brightness(_ time: Double) async throws -> Int {
            let image = try await generator.image(at: seconds(time)).image
            return Int(try #require(image.dataProvider?.data as Data?)[1])
        }
        #expect(try await brightness(0.2) < 80)
        #expect(try await brightness(0.7) > 230)
        generator.maximumSize = CGSize(width: 48, height: 48)
        #expect(try await generator.image(at: .zero).image.width == 48)
        // As without a composition, the tolerance decides whether a time after the last frame has an image.
        let times = [seconds(1), seconds(9), CMTime(value: .max, timescale: 1)]
        for late in times {
            let actual = try await generator.image(at: late).actualTime
            #expect(abs(actual.seconds - 29.0 / 30) < 0.001)
        }
        generator.requestedTimeToleranceBefore = .zero
        for late in times { await #expect(throws: AVError.self) { try await generator.image(at: late) } }
    }

    @Test func imageGenerator_noFrameAtTheTime_fails() async throws {
        let movies = try MadeMovies()
        for asset in [AVURLAsset(url: movies.directory.file("none.mov")), AVMutableComposition()] as [AVAsset] {
            let generator = AVAssetImageGenerator(asset: asset)
            let error = await #expect(throws: AVError.self) { try await generator.image(at: .zero) }
            #expect((error as NSError?)?.domain == AVFoundationErrorDomain)
        }
        let generator = AVAssetImageGenerator(asset: try Self.steps(movies))
        for time in [CMTime.invalid, .indefinite, .positiveInfinity, seconds(-1)] {
            await #expect(throws: AVError.self) { try await generator.image(at: time) }
        }
    }
}

/// The callbacks that a handler received, from any thread.
private final class Answers: @unchecked Sendable {
    struct Answer {
        var time: Double
        var number: Int?
        var actual: CMTime
        var result: AVAssetImageGenerator.Result
        var error: NSError?
    }
    private let lock = NSLock()
    private var answers: [Answer] = []
    func add(_ answer: Answer) { lock.withLock { answers.append(answer) } }
    var all: [Answer] { lock.withLock { answers } }
}

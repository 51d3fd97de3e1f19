import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests of how frames of several tracks are composed and tracks are mixed, verified in the exported movie.
@Suite struct AVVideoCompositionTests {
    /// Two movies over each other: track 1 dark, track 2 bright.
    private static func stack(_ judge: CompositionJudge) async throws -> AVMutableComposition {
        let composition = AVMutableComposition()
        for (name, gray) in [("a.mov", 60), ("b.mov", 180)] {
            let asset = AVURLAsset(url: try judge.movie(name, gray: gray))
            let source = try #require(try await asset.loadTracks(withMediaType: .video).first)
            let track = composition.addMutableTrack(withMediaType: .video, preferredTrackID: 0)
            try track?.insertTimeRange(range(0, 1), of: source, at: .zero)
        }
        return composition
    }

    @Test func guideListing_pictureInPicture_isRendered() async throws {
        let judge = try CompositionJudge()
        let stack = try await Self.stack(judge)
        let small = AVMutableVideoCompositionLayerInstruction(assetTrack: stack.tracks[1])
        small.setTransform(CGAffineTransform(scaleX: 0.5, y: 0.5).translatedBy(x: 96, y: 64), at: .zero)
        small.setOpacity(0, at: seconds(0.8))
        let large = AVMutableVideoCompositionLayerInstruction(assetTrack: stack.tracks[0])
        large.setCropRectangle(CGRect(x: 0, y: 0, width: 96, height: 32), at: .zero)
        let instruction = AVMutableVideoCompositionInstruction()
        instruction.timeRange = CMTimeRange(start: .zero, duration: stack.duration)
        instruction.layerInstructions = [small, large]
        instruction.backgroundColor = CGColor(red: 1, green: 1, blue: 1, alpha: 1)
        let drawing = AVMutableVideoComposition()
        drawing.instructions = [instruction]
        drawing.frameDuration = CMTime(value: 1, timescale: 10)
        drawing.renderSize = CGSize(width: 96, height: 64)
        let target = judge.file("out.mov")
        let session = try await CompositionJudge.export(stack, to: target) { $0.videoComposition = drawing }
        #expect(session.status == .completed, "\(String(describing: session.error))")
        #expect(try Probe(target.path, decodes: true).video?.frames == 10)
        let before = try CompositionJudge.frame(target, at: 0.3, width: 96)
        #expect((50...75).contains(before[10][10]) && before[50][10] > 220 && (165...195).contains(before[50][80]))
        let after = try CompositionJudge.frame(target, at: 0.9, width: 96)
        #expect(after[50][80] > 220)
    }

    /// Programs often set an instruction of a minute, whatever the movie's length.
    @Test(arguments: [true, false]) func export_instructionLongerThanTheAsset_endsWithIt(setsRange: Bool) async throws {
        let judge = try CompositionJudge()
        let asset = AVURLAsset(url: try judge.movie("a.mov", gray: 180))
        let target = judge.file("out.mov")
        let session = try await CompositionJudge.export(asset, to: target) { session in
            let drawing = AVMutableVideoComposition(propertiesOf: session.asset)
            let first = drawing.instructions.first as? AVVideoCompositionInstruction
            guard let instruction = first?.mutableCopy() as? AVMutableVideoCompositionInstruction else {
                Issue.record("the composition has no instruction")
                return
            }
            instruction.timeRange = range(0, 60)
            drawing.instructions = [instruction]
            session.videoComposition = drawing
            if setsRange { session.timeRange = CMTimeRange(start: .zero, duration: session.asset.duration) }
        }
        #expect(session.status == .completed, "\(String(describing: session.error))")
        let brightness = try Probe.brightness(target.path)
        #expect(brightness.count == 30 && brightness.allSatisfy { $0 > 150 })
        #expect(abs(try Probe(target.path).format.seconds - 1) < 0.05)
    }

    @Test func opacityRamp_fadesEvenly() async throws {
        let judge = try CompositionJudge()
        let stack = try await Self.stack(judge)
        let upper = AVMutableVideoCompositionLayerInstruction(assetTrack: stack.tracks[1])
        upper.setOpacityRamp(fromStartOpacity: 1, toEndOpacity: 0, timeRange: range(0, 1))
        let lower = AVMutableVideoCompositionLayerInstruction(assetTrack: stack.tracks[0])
        let instruction = AVMutableVideoCompositionInstruction()
        instruction.timeRange = range(0, 1)
        instruction.layerInstructions = [upper, lower]
        #expect(instruction.containsTweening && instruction.requiredSourceTrackIDs?.count == 2)
        let drawing = AVMutableVideoComposition()
        drawing.instructions = [instruction]
        drawing.frameDuration = CMTime(value: 1, timescale: 30)
        drawing.renderSize = CGSize(width: 96, height: 64)
        let target = judge.file("out.mov")
        #expect(
            try await CompositionJudge.export(stack, to: target) { $0.videoComposition = drawing }.status == .completed)
        let brightness = try Probe.brightness(target.path)
        #expect(brightness.count == 30 && brightness[0] > 150 && brightness[29] < 80)
        #expect((105...130).contains(brightness[15]))
        #expect(zip(brightness, brightness.dropFirst()).allSatisfy { $0 >= $1 })
    }

    @Test func ramps_areReturnedAsSet() {
        let layer = AVMutableVideoCompositionLayerInstruction()
        var (start, end, timeRange): (Float, Float, CMTimeRange) = (-1, -1, .invalid)
        func ask(_ time: Double) -> Bool {
            layer.getOpacityRamp(for: seconds(time), startOpacity: &start, endOpacity: &end, timeRange: &timeRange)
        }
        #expect(!ask(0) && start == -1)
        layer.setOpacityRamp(fromStartOpacity: 0.25, toEndOpacity: 0.75, timeRange: range(1, 2))
        layer.setOpacity(1, at: seconds(3))
        #expect(ask(0.5) && (start, end) == (1, 1) && timeRange == range(0, 1))
        #expect(ask(1.5) && (start, end) == (0.25, 0.75) && timeRange == range(1, 2))
        #expect(ask(2.5) && (start, end) == (0.75, 0.75) && timeRange == range(2, 3))
        #expect(ask(9) && (start, end) == (1, 1) && timeRange.start == seconds(3))
        #expect(layer.getOpacityRamp(for: seconds(1), startOpacity: nil, endOpacity: nil, timeRange: nil))
        layer.setTransformRamp(
            fromStart: .identity, toEnd: CGAffineTransform(translationX: 5, y: 6), timeRange: range(0, 1))
        var (from, to) = (CGAffineTransform(), CGAffineTransform())
        #expect(layer.getTransformRamp(for: seconds(0.5), start: &from, end: &to, timeRange: nil))
        #expect(from.isIdentity && to.ty == 6)
        #expect(!layer.getTransformRamp(for: seconds(1), start: &from, end: &to, timeRange: nil))
        layer.setCropRectangleRamp(
            fromStartCropRectangle: CGRect(x: 0, y: 0, width: 4, height: 4),
            toEndCropRectangle: CGRect(x: 2, y: 2, width: 4, height: 4), timeRange: range(0, 1))
        var rectangle = CGRect.zero
        #expect(
            layer.getCropRectangleRamp(
                for: .zero, startCropRectangle: nil, endCropRectangle: &rectangle, timeRange: nil))
        #expect(rectangle.origin.x == 2)
        let copy = layer.copy() as? AVVideoCompositionLayerInstruction
        layer.setOpacity(0, at: seconds(0.5))
        #expect(copy?.getOpacityRamp(for: .zero, startOpacity: &start, endOpacity: &end, timeRange: nil) == true)
        #expect(start == 1)
    }

    @Test func propertiesOfAsset_rotatedMovie_rendersUpright() async throws {
        let judge = try CompositionJudge()
        let asset = AVURLAsset(url: try judge.turned(try judge.movie("a.mov", gray: 60)))
        let drawing = try await AVVideoComposition.videoComposition(withPropertiesOf: asset)
        #expect(drawing.renderSize == CGSize(width: 64, height: 96))
        #expect(drawing.frameDuration == CMTime(value: 1, timescale: 30))
        #expect(drawing.instructions.count == 1 && drawing.instructions[0].timeRange.duration.seconds == 1)
        let blocking = try await onThread { AVMutableVideoComposition(propertiesOf: asset) }
        #expect(blocking.renderSize == drawing.renderSize)
        let prototype = AVMutableVideoCompositionInstruction()
        prototype.backgroundColor = .white
        let made = AVMutableVideoComposition(propertiesOf: asset, prototypeInstruction: prototype)
        #expect((made.instructions[0] as? AVVideoCompositionInstruction)?.backgroundColor == .white)
        let target = judge.file("out.mov")
        let copy = try #require(drawing.copy() as? AVVideoComposition)
        #expect(
            try await CompositionJudge.export(asset, to: target) { $0.videoComposition = copy }.status == .completed)
        let video = try #require(try Probe(target.path).video)
        #expect(video.width == 64 && video.height == 96)
        #expect(try CompositionJudge.frame(target, at: 0.5, width: 64)[48][32] < 80)
        let audio = AVURLAsset(url: judge.file("none.mov"))
        await #expect(throws: AVError.self) { try await AVVideoComposition.videoComposition(withPropertiesOf: audio) }
        #expect(AVMutableVideoComposition(propertiesOf: audio).instructions.isEmpty)
    }

    private final class Findings: NSObject, AVVideoCompositionValidationHandling {
        var keys: [String] = []
        var gaps: [CMTimeRange] = []
        var badTimes = 0
        var badTracks = 0
        func videoComposition(
            _ videoComposition: AVVideoComposition, shouldContinueValidatingAfterFindingInvalidValueForKey key: String
        ) -> Bool {
            keys.append(key)
            return true
        }
        func videoComposition(
            _ videoComposition: AVVideoComposition,
            shouldContinueValidatingAfterFindingEmptyTimeRange timeRange: CMTimeRange
        ) -> Bool {
            gaps.append(timeRange)
            return true
        }
        func videoComposition(
            _ videoComposition: AVVideoComposition,
            shouldContinueValidatingAfterFindingInvalidTimeRangeIn videoCompositionInstruction:
                any AVVideoCompositionInstructionProtocol
        ) -> Bool {
            badTimes += 1
            return true
        }
        func videoComposition(
            _ videoComposition: AVVideoComposition,
            shouldContinueValidatingAfterFindingInvalidTrackIDIn videoCompositionInstruction:
                any AVVideoCompositionInstructionProtocol, layerInstruction: AVVideoCompositionLayerInstruction,
            asset: AVAsset
        ) -> Bool {
            badTracks += 1
            return true
        }
    }

    @Test func validation_reportsExactlyTheFaults() async throws {
        let judge = try CompositionJudge()
        let stack = try await Self.stack(judge)
        let good = AVMutableVideoComposition(propertiesOf: stack)
        #expect(good.isValid(for: stack, timeRange: range(0, 1), validationDelegate: nil))
        let whole = CMTimeRange(start: .zero, duration: .positiveInfinity)
        #expect(try await good.isValid(for: stack, timeRange: whole, validationDelegate: nil))
        #expect(!good.isValid(for: stack, timeRange: range(0, 2), validationDelegate: nil))
        #expect(good.isValid(for: stack.tracks, assetDuration: seconds(1), timeRange: whole, validationDelegate: nil))
        let bad = AVMutableVideoComposition()
        let layer = AVMutableVideoCompositionLayerInstruction()
        layer.trackID = 99
        let (first, second) = (AVMutableVideoCompositionInstruction(), AVMutableVideoCompositionInstruction())
        first.timeRange = range(0, 0.5)
        second.timeRange = range(0.75, 1)
        first.layerInstructions = [layer]
        bad.instructions = [first, second, AVMutableVideoCompositionInstruction()]
        let findings = Findings()
        #expect(!bad.isValid(for: stack, timeRange: range(0, 2), validationDelegate: findings))
        #expect(findings.keys == ["frameDuration", "renderSize"])
        #expect(findings.gaps == [range(0.5, 0.75), range(1, 2)])
        #expect(findings.badTimes == 1 && findings.badTracks == 1)
    }

    private final class Foreign: NSObject, AVVideoCompositionInstructionProtocol {
        var timeRange: CMTimeRange { range(0, 1) }
        var enablePostProcessing: Bool { false }
        var containsTweening: Bool { false }
        var requiredSourceTrackIDs: [NSValue]? { nil }
        var passthroughTrackID: CMPersistentTrackID { kCMPersistentTrackID_Invalid }
    }

    @Test func export_invalidVideoComposition_failsWithTheReason() async throws {
        let judge = try CompositionJudge()
        let stack = try await Self.stack(judge)
        func export(_ change: @Sendable (AVMutableVideoComposition) -> Void) async throws -> NSError? {
            let drawing = AVMutableVideoComposition(propertiesOf: stack)
            change(drawing)
            let sent = try #require(drawing.copy() as? AVVideoComposition)
            let session = try await CompositionJudge.export(stack, to: judge.file("out.mov")) {
                $0.videoComposition = sent
            }
            #expect(session.status == .failed)
            return session.error as NSError?
        }
        let foreign = try await export { $0.instructions = [Foreign()] }
        #expect(
            foreign?.localizedDescription.contains("compositor") == true && foreign?.domain == AVFoundationErrorDomain)
        #expect(try await export { $0.renderScale = 2 }?.localizedDescription.contains("renderScale") == true)
        #expect(try await export { $0.colorPrimaries = "mauve" }?.localizedDescription.contains("mauve") == true)
        #expect(try await export { $0.renderSize = .zero }?.localizedDescription.contains("renderSize") == true)
        #expect(try await export { $0.instructions = [] }?.localizedDescription.contains("instructions") == true)
        let turned = try await export { drawing in
            let layer = AVMutableVideoCompositionLayerInstruction()
            layer.trackID = 1
            layer.setTransform(CGAffineTransform(rotationAngle: 0.5), at: .zero)
            let instruction = AVMutableVideoCompositionInstruction()
            instruction.timeRange = range(0, 1)
            instruction.layerInstructions = [layer]
            drawing.instructions = [instruction]
        }
        #expect(turned?.localizedDescription.contains("90°") == true)
        #expect(!FileManager.default.fileExists(atPath: judge.file("out.mov").path))
    }

    @Test func export_colorProperties_areWrittenAsColorTags() async throws {
        let judge = try CompositionJudge()
        let stack = try await Self.stack(judge)
        let drawing = AVMutableVideoComposition(propertiesOf: stack)
        drawing.colorPrimaries = AVVideoColorPrimaries_ITU_R_709_2
        drawing.colorTransferFunction = AVVideoTransferFunction_ITU_R_709_2
        drawing.colorYCbCrMatrix = AVVideoYCbCrMatrix_ITU_R_709_2
        let sent = try #require(drawing.copy() as? AVVideoComposition)
        let target = judge.file("out.mov")
        #expect(
            try await CompositionJudge.export(stack, to: target) { $0.videoComposition = sent }.status == .completed)
        let answer = try Probe.ask(target.path, "stream=color_space,color_transfer,color_primaries", of: "v:0").text
        #expect(answer.components(separatedBy: "bt709").count == 4, "\(answer)")
    }

    // MARK: Audio

    @Test func guideListing_audioMixWithRamp_isApplied() async throws {
        let judge = try CompositionJudge()
        let composition = AVMutableComposition()
        for (name, tone) in [("a.mov", 440), ("b.mov", 1760)] {
            let asset = AVURLAsset(url: try judge.movie(name, gray: 60, tone: tone))
            let source = try #require(try await asset.loadTracks(withMediaType: .audio).first)
            let track = composition.addMutableTrack(withMediaType: .audio, preferredTrackID: 0)
            try track?.insertTimeRange(range(0, 1), of: source, at: .zero)
        }
        let first = AVMutableAudioMixInputParameters(track: composition.tracks[0])
        first.setVolumeRamp(fromStartVolume: 0, toEndVolume: 1, timeRange: range(0, 1))
        let second = AVMutableAudioMixInputParameters()
        second.trackID = composition.tracks[1].trackID
        second.setVolume(0, at: .zero)
        let mix = AVMutableAudioMix()
        mix.inputParameters = [first, second]
        let sent = try #require(mix.copy() as? AVAudioMix)
        let target = judge.file("out.m4a")
        let session = try await CompositionJudge.export(
            composition, to: target, preset: AVAssetExportPresetAppleM4A, as: .m4a
        ) { $0.audioMix = sent }
        #expect(session.status == .completed, "\(String(describing: session.error))")
        let heard = try CompositionJudge.audio(target)
        #expect(abs(CompositionJudge.frequency(heard[22_050..<40_000]) - 440) < 5)
        let (early, late) = (CompositionJudge.peak(heard[4_000..<5_000]), CompositionJudge.peak(heard[39_000..<40_000]))
        #expect(early > 0.005 && abs(late / early - 39.5 / 4.5) < 1.5)
        var (start, end): (Float, Float) = (-1, -1)
        #expect(
            sent.inputParameters[0].getVolumeRamp(
                for: seconds(0.5), startVolume: &start, endVolume: &end, timeRange: nil))
        #expect((start, end) == (0, 1))
        #expect(!first.getVolumeRamp(for: seconds(2), startVolume: &start, endVolume: &end, timeRange: nil))
    }

    @Test func export_volumeNaN_fails() async throws {
        let judge = try CompositionJudge()
        let asset = AVURLAsset(url: try judge.movie("a.mov", gray: 60))
        let track = try #require(try await asset.loadTracks(withMediaType: .audio).first)
        let parameters = AVMutableAudioMixInputParameters(track: track)
        parameters.setVolume(.nan, at: .zero)
        let mix = AVMutableAudioMix()
        mix.inputParameters = [parameters]
        let sent = try #require(mix.copy() as? AVAudioMix)
        let session = try await CompositionJudge.export(asset, to: judge.file("out.mov")) { $0.audioMix = sent }
        #expect(session.status == .failed && session.error?.localizedDescription.contains("volume") == true)
    }

    @Test func export_sourceTrackForFrameTiming_setsTheFrameRate() async throws {
        let judge = try CompositionJudge()
        let stack = try await Self.stack(judge)
        let gate = Gate()
        AVVideoComposition.videoComposition(withPropertiesOf: stack) { made, error in
            #expect(made?.instructions.count == 1 && error == nil)
            gate.open()
        }
        #expect(try await onThread { gate.wait() })
        let drawing: AVMutableVideoComposition = try await AVMutableVideoComposition.videoComposition(
            withPropertiesOf: stack)
        drawing.frameDuration = CMTime(value: 1, timescale: 5)
        drawing.sourceTrackIDForFrameTiming = stack.tracks[0].trackID
        drawing.sourceSampleDataTrackIDs = [1]
        #expect(drawing.sourceSampleDataTrackIDs == [1])
        let sent = try #require(drawing.copy() as? AVVideoComposition)
        let target = judge.file("out.mov")
        let session = try await CompositionJudge.export(stack, to: target) { $0.videoComposition = sent }
        #expect(session.status == .completed)
        #expect(try Probe(target.path, decodes: true).video?.frames == 30)
        let prototype = AVMutableVideoCompositionInstruction()
        (prototype.backgroundColor, prototype.enablePostProcessing) = (.white, false)
        prototype.requiredSourceSampleDataTrackIDs = [7]
        let like = try await AVMutableVideoComposition.videoComposition(
            withPropertiesOf: stack, prototypeInstruction: prototype)
        let instruction = try #require(like.instructions.first as? AVVideoCompositionInstruction)
        #expect(instruction.backgroundColor == .white && !instruction.enablePostProcessing)
        #expect(instruction.requiredSourceSampleDataTrackIDs == [7])
        #expect(instruction.passthroughTrackID == kCMPersistentTrackID_Invalid)
    }
}

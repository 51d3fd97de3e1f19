import Foundation
import MediaCodecs
import MediaTypes
import Testing

@testable import AssetIO

/// Tests that a composition's instructions are understood, or refused by name.
@Suite struct VideoCompositionTests {
    private func seconds(_ value: Double) -> MediaTime { MediaTime(seconds: value, timescale: 1000) }

    private func range(_ start: Double, _ end: Double) -> TimeRange {
        TimeRange(start: seconds(start), end: seconds(end))
    }

    // MARK: Orientation

    @Test(arguments: FrameOrientation.all) func orientation_matrix_isRecognized(_ orientation: FrameOrientation) {
        // The orientation follows from where a matrix moves the points right of and below the origin.
        var matrix = AffineTransform.identity
        if orientation.isMirrored { matrix.append(AffineTransform(m11: -1, m12: 0, m21: 0, m22: 1, tX: 0, tY: 0)) }
        for _ in 0..<orientation.quarterTurns {
            // Clockwise with y pointing down: right becomes down, down becomes left.
            matrix.append(AffineTransform(m11: 0, m12: 1, m21: -1, m22: 0, tX: 0, tY: 0))
        }
        #expect(FrameOrientation(matrix) == orientation)
        matrix.append(AffineTransform(m11: 2.5, m12: 0, m21: 0, m22: 0.5, tX: 100, tY: -3))
        #expect(FrameOrientation(matrix) == orientation)
    }

    @Test(arguments: FrameOrientation.all) func orientation_itsMatrix_keepsTheCorner(_ orientation: FrameOrientation) {
        let matrix = orientation.transform(of: CGSize(width: 64, height: 32))
        #expect(FrameOrientation(matrix) == orientation)
        let (width, height): (Double, Double) = orientation.swapsSides ? (32, 64) : (64, 32)
        let shown = matrix.box(CGRect(x: 0, y: 0, width: 64, height: 32))
        #expect(shown == CGRect(x: 0, y: 0, width: width, height: height))
    }

    @Test func orientation_otherMatrix_isNil() {
        #expect(FrameOrientation(AffineTransform(rotationByDegrees: 45)) == nil)
        #expect(FrameOrientation(AffineTransform(m11: 1, m12: 0, m21: 0.2, m22: 1, tX: 0, tY: 0)) == nil)
        #expect(FrameOrientation(AffineTransform(scaleByX: 1, byY: 0)) == nil)
        #expect(FrameOrientation(AffineTransform(scaleByX: 0, byY: 0)) == nil)
        #expect(FrameOrientation(AffineTransform(scaleByX: .nan, byY: 1)) == nil)
        #expect(FrameOrientation(AffineTransform(scaleByX: .infinity, byY: 1)) == nil)
    }

    // MARK: Ramps

    @Test func ramp_isLinearAndHoldsItsEnd() {
        var layer = VideoCompositionLayerInstruction(trackID: 1)
        #expect(layer.opacity(at: seconds(5)) == 1 && layer.transform(at: .zero) == .identity)
        #expect(layer.crop(at: .zero) == nil)
        layer.setOpacityRamp(from: 0.2, to: 0.8, timeRange: range(2, 4))
        layer.setOpacity(0.5, at: seconds(6))
        let values = [1, 2, 3, 4, 5, 5.999, 6, 100].map { layer.opacity(at: seconds($0)) }
        for (value, expected) in zip(values, [1, 0.2, 0.5, 0.8, 0.8, 0.8, 0.5, 0.5]) {
            #expect(abs(value - expected) < 1e-9)
        }
        layer.setTransformRamp(
            from: AffineTransform(translationByX: 10, byY: 0), to: AffineTransform(scaleByX: 3, byY: 3),
            timeRange: range(0, 10))
        #expect(
            layer.transform(at: seconds(5)) == AffineTransform(m11: 2, m12: 0, m21: 0, m22: 2, tX: 5, tY: 0))
        layer.setCropRectangleRamp(
            from: CGRect(x: 0, y: 0, width: 10, height: 10), to: CGRect(x: 20, y: 0, width: 30, height: 10),
            timeRange: range(0, 10))
        #expect(layer.crop(at: seconds(5)) == CGRect(x: 10, y: 0, width: 20, height: 10))
        // A value set again at a time replaces the earlier one.
        layer.setOpacity(0.9, at: seconds(6))
        #expect(layer.opacity(at: seconds(7)) == 0.9)
        #expect(layer.fault == nil)
    }

    // MARK: Faults

    /// The tracks of a movie with two video tracks and one audio track.
    private func tracks() async throws -> [AssetTrack] {
        let fixture = try ReadingFixture()
        let url = try fixture.make(
            "two.mov", ["color=red:s=64x48:r=10:d=1", "color=blue:s=64x48:r=10:d=1", ReadingFixture.tone],
            ["-map", "0", "-map", "1", "-map", "2", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac"])
        return try await Asset(url: url).load(.tracks)
    }

    @Test func composition_invalidValues_areNamed() async throws {
        let all = try await tracks()
        let video = all.filter { $0.mediaType == .video }
        let good = VideoComposition(
            renderSize: CGSize(width: 64, height: 48), frameDuration: seconds(0.04),
            instructions: [
                VideoCompositionInstruction(
                    timeRange: range(0, 1), layerInstructions: [VideoCompositionLayerInstruction(track: video[0])])
            ])
        #expect(good.fault(tracks: video) == nil)
        func refuse(
            _ words: String, tracks: [AssetTrack]? = nil, _ change: (inout VideoComposition) -> Void
        ) {
            var bad = good
            change(&bad)
            let error = #expect(throws: MediaError.self) {
                try VideoCompositionOutput(videoTracks: tracks ?? video, videoComposition: bad)
            }
            #expect(error?.code == .invalidSettings)
            #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        }
        func layer(_ change: @escaping (inout VideoCompositionLayerInstruction) -> Void) -> (inout VideoComposition) ->
            Void
        {
            { change(&$0.instructions[0].layerInstructions[0]) }
        }
        func instruction(_ start: Double, _ end: Double) -> VideoCompositionInstruction {
            VideoCompositionInstruction(timeRange: range(start, end), layerInstructions: [])
        }
        refuse("renderSize 0.0×48.0") { $0.renderSize.width = 0 }
        refuse("renderSize") { $0.renderSize.height = .infinity }
        refuse("renderSize") { $0.renderSize.height = 47.5 }
        refuse("renderSize") { $0.renderSize.height = 1e9 }
        refuse("frameDuration") { $0.frameDuration = .zero }
        refuse("frameDuration") { $0.frameDuration = .positiveInfinity }
        refuse("no instructions") { $0.instructions = [] }
        refuse("from 0.00 s to the start of instruction 1") { $0.instructions[0].timeRange = self.range(0.5, 1) }
        refuse("from 1.00 s to the start of instruction 2") { $0.instructions.append(instruction(1.5, 2)) }
        refuse("instruction 2 begins before 1.00 s") { $0.instructions.append(instruction(0.5, 2)) }
        refuse("instruction 2 has an invalid time range") { $0.instructions.append(instruction(1, 1)) }
        refuse("instruction 1 has an invalid time range") { $0.instructions[0].timeRange.duration = .positiveInfinity }
        refuse("backgroundColor") { $0.instructions[0].backgroundColor.red = 1.5 }
        refuse("backgroundColor") { $0.instructions[0].backgroundColor.green = .nan }
        refuse("track 77") { $0.instructions[0].layerInstructions = [VideoCompositionLayerInstruction(trackID: 77)] }
        refuse("track \(all[2].id) is audio", tracks: all) { _ in }
        refuse("no tracks", tracks: []) { _ in }
        refuse("90°", layer { $0.setTransform(AffineTransform(rotationByDegrees: 30), at: .zero) })
        refuse("not finite", layer { $0.setTransform(AffineTransform(translationByX: .nan, byY: 0), at: .zero) })
        refuse(
            "changes the orientation",
            layer {
                $0.setTransformRamp(
                    from: .identity, to: AffineTransform(rotationByDegrees: 90), timeRange: self.range(0, 1))
            })
        refuse("an opacity", layer { $0.setOpacity(1.1, at: .zero) })
        refuse("crop rectangle", layer { $0.setCropRectangle(CGRect(x: 0, y: 0, width: -5, height: 5), at: .zero) })
        refuse(
            "overlap at 0.50 s",
            layer {
                $0.setOpacityRamp(from: 0, to: 1, timeRange: self.range(0, 1))
                $0.setOpacity(1, at: self.seconds(0.5))
            })
        refuse("a ramp has an invalid time range", layer { $0.setOpacity(1, at: .invalid) })
        // A frame may grow from size zero.
        var growing = good
        growing.instructions[0].layerInstructions[0].setTransformRamp(
            from: AffineTransform(scaleByX: 0, byY: 0), to: .identity, timeRange: range(0, 1))
        #expect(growing.fault(tracks: video) == nil)
    }
}

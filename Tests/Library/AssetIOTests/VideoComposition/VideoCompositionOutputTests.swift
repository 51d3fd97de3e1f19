import Foundation
import MediaCodecs
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests that composed frames show the right frames of their tracks at the right places.
@Suite struct VideoCompositionOutputTests {
    /// Files that live as long as the test.
    private let fixture: ReadingFixture

    init() throws { fixture = try ReadingFixture() }

    private func seconds(_ value: Double) -> MediaTime { MediaTime(seconds: value, timescale: 1000) }

    private func range(_ start: Double, _ end: Double) -> TimeRange {
        TimeRange(start: seconds(start), end: seconds(end))
    }

    private static let lossless = ["-c:v", "libx264", "-qp", "0", "-bf", "0", "-pix_fmt", "yuv420p"]

    /// A pattern whose brightness encodes the frame number: `first`, `first` + `step`, …
    private static func counting(_ first: Int, _ step: Int, rate: String, duration: Double) -> String {
        "nullsrc=s=160x120:r=\(rate):d=\(duration),geq=lum='\(first)+N*\(step)':cb=128:cr=128"
    }

    /// Two tracks: one with ten frames a second for two seconds, brightness 40, 48, …; one with five for one second,
    /// brightness 200, 190, ….
    private func twoTracks(_ name: String = "two.mov") async throws -> (Asset, [AssetTrack]) {
        let url = try fixture.make(
            name,
            [Self.counting(40, 8, rate: "10", duration: 2), Self.counting(200, -10, rate: "5", duration: 1)],
            ["-map", "0", "-map", "1"] + Self.lossless)
        let asset = Asset(url: url)
        return (asset, try await asset.tracks(withMediaType: .video))
    }

    private func read(
        _ asset: Asset, _ tracks: [AssetTrack], _ composition: VideoComposition, _ format: PixelFormat = .i420,
        in range: TimeRange? = nil
    ) throws -> [SampleBuffer] {
        let output = try VideoCompositionOutput(
            videoTracks: tracks, pixelFormat: format, videoComposition: composition)
        let reader = try AssetReader(asset: asset)
        if let range { try reader.configure { $0.timeRange = range } }
        try reader.add(output)
        try reader.startReading()
        let samples = output.all()
        #expect(reader.status == .completed && reader.error == nil, "\(String(describing: reader.error))")
        return samples
    }

    private func frame(_ sample: SampleBuffer) throws -> PixelBuffer {
        guard case .pixels(let frame) = sample.content else { throw MediaError(.invalidSample, "", reason: "") }
        return frame
    }

    private func luma(_ sample: SampleBuffer, _ x: Int, _ y: Int) throws -> Int {
        let frame = try frame(sample)
        return Int(frame.plane(0)[y * frame.layout.planes[0].bytesPerRow + x])
    }

    /// A composition of the second track, at a quarter of its size, over the first.
    private func pictureInPicture(_ tracks: [AssetTrack], _ end: Double = 2) -> VideoComposition {
        var inset = VideoCompositionLayerInstruction(track: tracks[1])
        inset.setTransform(AffineTransform(m11: 0.25, m12: 0, m21: 0, m22: 0.25, tX: 110, tY: 10), at: .zero)
        return VideoComposition(
            renderSize: CGSize(width: 160, height: 120), frameDuration: seconds(0.04),
            instructions: [
                VideoCompositionInstruction(
                    timeRange: range(0, end),
                    layerInstructions: [inset, VideoCompositionLayerInstruction(track: tracks[0])])
            ])
    }

    // MARK: Shown frames

    @Test func composition_twoTracks_showTheirLatestFrames() async throws {
        let (asset, tracks) = try await twoTracks()
        let samples = try read(asset, tracks, pictureInPicture(tracks))
        #expect(samples.count == 50)
        for (number, sample) in samples.enumerated() {
            #expect(sample.presentationTime == MediaTime(value: Int64(number), timescale: 25))
            #expect(sample.duration == MediaTime(value: 1, timescale: 25))
            let below = 40 + number * 4 / 10 * 8
            let inset = number < 25 ? 200 - number * 4 / 20 * 10 : below
            #expect(try luma(sample, 50, 90) == below && luma(sample, 130, 25) == inset, "frame \(number)")
            #expect(try luma(sample, 108, 25) == below && luma(sample, 151, 25) == below)
            #expect(try luma(sample, 130, 8) == below && luma(sample, 130, 41) == below)
        }
    }

    @Test func composition_timeRange_beginsWithTheHeldFrame() async throws {
        // A frame every two seconds.
        let url = try fixture.make(
            "slow.mov", [Self.counting(40, 20, rate: "1/2", duration: 12)],
            Self.lossless)
        let asset = Asset(url: url)
        let tracks = try await asset.tracks(withMediaType: .video)
        let composition = try await VideoComposition(propertiesOf: asset)
        #expect(composition.frameDuration == MediaTime(value: 2, timescale: 1))
        #expect(composition.duration == seconds(12))
        var fine = composition
        fine.frameDuration = seconds(0.5)
        let samples = try read(asset, tracks, fine, in: range(7.2, 9.1))
        #expect(samples.map(\.presentationTime) == [7.2, 7.7, 8.2, 8.7].map(seconds))
        #expect(samples.last?.duration == seconds(0.4))
        #expect(try samples.map { try luma($0, 80, 60) } == [100, 100, 120, 120])
    }

    /// A layer that is inserted twice, with a gap between, over a layer without a gap. Both have two frames a second.
    @Test func composition_gapOfATrack_showsTheLayerBelow() async throws {
        let main = try fixture.make("main.mov", [Self.counting(40, 8, rate: "2", duration: 4)], Self.lossless)
        let inset = try fixture.make("inset.mov", [Self.counting(200, -10, rate: "2", duration: 1)], Self.lossless)
        var composition = Composition()
        let below = try composition.addTrack(mediaType: .video)
        let above = try composition.addTrack(mediaType: .video)
        for (file, time, id) in [(main, 0, below), (inset, 0.5, above), (inset, 2.5, above)] {
            let source = Asset(url: file)
            let track = try #require(try await source.tracks(withMediaType: .video).first)
            try composition.insertTimeRange(
                TimeRange(start: .zero, end: .positiveInfinity), of: track, from: source, at: seconds(time), into: id)
        }
        let layers = [above, below].map { VideoCompositionLayerInstruction(trackID: $0) }
        let drawn = VideoComposition(
            renderSize: CGSize(width: 160, height: 120), frameDuration: seconds(0.25),
            instructions: [VideoCompositionInstruction(timeRange: range(0, 4), layerInstructions: layers)])
        let asset = Asset(composition)
        let tracks = try await asset.tracks(withMediaType: .video)
        func shown(_ range: TimeRange? = nil) throws -> [Int] {
            try read(asset, tracks, drawn, in: range).map { try luma($0, 80, 60) }
        }
        #expect(
            try shown() == [40, 40, 200, 200, 190, 190, 64, 64, 72, 72, 200, 200, 190, 190, 96, 96])
        // Reading may also begin in the gap, and after it.
        #expect(try shown(range(1.75, 3)) == [64, 72, 72, 200, 200] && shown(range(2.75, 3)) == [200])
        // A composition of the composition has the same gap, at its own time.
        let track = try #require(tracks.last)
        var outer = Composition()
        let id = try outer.addTrack(mediaType: .video)
        try outer.insertTimeRange(range(1, 3.5), of: track, from: asset, at: seconds(0.5), into: id)
        #expect(asset.gaps(of: track) == [range(0, 0.5), range(1.5, 2.5)])
        #expect(outer.track(withID: id)?.gaps == [range(0, 0.5), range(1, 2)])
    }

    @Test func composition_instructions_followEachOther() async throws {
        let (asset, tracks) = try await twoTracks()
        var composition = pictureInPicture(tracks, 0.4)
        composition.instructions += [
            VideoCompositionInstruction(
                timeRange: range(0.4, 0.8), backgroundColor: .white, layerInstructions: []),
            VideoCompositionInstruction(
                timeRange: range(0.8, 1.2), layerInstructions: [VideoCompositionLayerInstruction(track: tracks[1])]),
        ]
        let samples = try read(asset, tracks, composition)
        #expect(samples.count == 30)
        #expect(try luma(samples[9], 50, 90) == 64 && luma(samples[9], 130, 25) == 190)
        #expect(try luma(samples[10], 50, 90) == 235 && luma(samples[19], 50, 90) == 235)
        #expect(try luma(samples[20], 50, 90) == 160)
        // The second track has ended at 1 s.
        #expect(try luma(samples[24], 50, 90) == 160 && luma(samples[25], 50, 90) == 16)
    }

    /// The duration of a Matroska file is an estimate.
    @Test(arguments: ["two.mov", "two.mkv"])
    func composition_instructionLongerThanTheAsset_endsWithIt(name: String) async throws {
        let (asset, tracks) = try await twoTracks(name)
        let samples = try read(asset, tracks, pictureInPicture(tracks, 60))
        #expect(samples.count == 50)
        #expect(try luma(try #require(samples.last), 50, 90) == 192)
    }

    @Test func composition_ramps_moveAndFade() async throws {
        let (asset, tracks) = try await twoTracks()
        var layer = VideoCompositionLayerInstruction(track: tracks[1])
        layer.setTransformRamp(
            from: AffineTransform(m11: 0.25, m12: 0, m21: 0, m22: 0.25, tX: 0, tY: 0),
            to: AffineTransform(m11: 0.25, m12: 0, m21: 0, m22: 0.25, tX: 100, tY: 50), timeRange: range(0, 1))
        layer.setOpacityRamp(from: 1, to: 0, timeRange: range(0, 1))
        let composition = VideoComposition(
            renderSize: CGSize(width: 160, height: 120), frameDuration: seconds(0.1),
            instructions: [VideoCompositionInstruction(timeRange: range(0, 1), layerInstructions: [layer])])
        let samples = try read(asset, tracks, composition)
        for (number, sample) in samples.enumerated() {
            let (x, y) = (number * 10, number * 5)
            let (level, share) = (Double(200 - number / 2 * 10 - 16), Double(10 - number) / 10)
            let expected = 16 + level * share
            #expect(abs(Double(try luma(sample, x + 2, y + 2)) - expected) <= 1.5, "frame \(number)")
            #expect(abs(Double(try luma(sample, x + 37, y + 27)) - expected) <= 1.5, "frame \(number)")
            #expect(try luma(sample, x + 41, y + 10) == 16)
            if x > 0 { #expect(try luma(sample, x - 2, y + 10) == 16) }
        }
    }

    @Test func composition_crop_staysInPlace() async throws {
        let (asset, tracks) = try await twoTracks()
        var layer = VideoCompositionLayerInstruction(track: tracks[0])
        layer.setCropRectangle(CGRect(x: 40, y: 30, width: 80, height: 60), at: .zero)
        let composition = VideoComposition(
            renderSize: CGSize(width: 160, height: 120), frameDuration: seconds(0.1),
            instructions: [VideoCompositionInstruction(timeRange: range(0, 0.3), layerInstructions: [layer])])
        let sample = try #require(try read(asset, tracks, composition).first)
        #expect(try luma(sample, 40, 30) == 40 && luma(sample, 119, 89) == 40)
        #expect(try luma(sample, 38, 60) == 16 && luma(sample, 121, 60) == 16 && luma(sample, 80, 92) == 16)
    }

    @Test(arguments: [PixelFormat.bgra, .nv12, .i420, .yuyv, .i010, .argb, .rgba, .rgb24])
    func composition_pixelFormat_isTheRequestedOne(format: PixelFormat) async throws {
        let url = try fixture.make(
            "red.mov", ["color=red:s=160x120:r=10:d=0.3"],
            ["-vf", "scale=out_color_matrix=bt709,\(ColorTags.filter(matrix: "bt709"))"] + Self.lossless)
        let asset = Asset(url: url)
        let composition = try await VideoComposition(propertiesOf: asset)
        let samples = try read(asset, try await asset.tracks(withMediaType: .video), composition, format)
        #expect(samples.count == 3)
        let first = try frame(try #require(samples.first))
        #expect(first.format == format)
        if format.isRGB {
            let pixel: [UInt8] =
                switch format {
                case .bgra: [0, 0, 255, 255]
                case .argb: [255, 255, 0, 0]
                case .rgba: [255, 0, 0, 255]
                default: [255, 0, 0]
                }
            #expect(zip(first.plane(0), pixel).allSatisfy { abs(Int($0) - Int($1)) <= 3 })
        } else {
            #expect(first.color.matrix == 1)
        }
    }

    // MARK: Compositions made from an asset

    @Test(arguments: [0, 90, 180, 270]) func composition_rotatedAsset_isShownAsInPlayers(degrees: Int) async throws {
        let plain = try fixture.make("plain.mov", ["testsrc2=s=128x96:r=10:d=0.5"], Self.lossless)
        let url = try fixture.remake(plain, "turned.mov", ["-c", "copy"])
        try MovieRotation.set(clockwise: degrees, in: url)
        // ffmpeg rotates frames as the file declares.
        let expected = try ReadingFixture.decoded(url, ["-f", "rawvideo", "-pix_fmt", "yuv420p"])
        let asset = Asset(url: url)
        let composition = try await VideoComposition(propertiesOf: asset)
        let size = degrees % 180 == 0 ? CGSize(width: 128, height: 96) : CGSize(width: 96, height: 128)
        #expect(composition.renderSize == size)
        #expect(composition.frameDuration == seconds(0.1))
        let samples = try read(asset, try await asset.tracks(withMediaType: .video), composition)
        #expect(samples.reduce(into: Data()) { $0 += $1.visible } == expected)
    }

    @Test func composition_nonSquarePixels_becomeSquare() async throws {
        let url = try fixture.make(
            "pal.mov", ["testsrc2=s=144x96:r=10:d=0.2"], ["-vf", "setsar=4/3"] + Self.lossless)
        let asset = Asset(url: url)
        let composition = try await VideoComposition(propertiesOf: asset)
        #expect(composition.renderSize == CGSize(width: 192, height: 96))
        let tracks = try await asset.tracks(withMediaType: .video)
        // The same as a layer that uses the display size, with the identity; the stored frame is narrower.
        var layer = VideoCompositionLayerInstruction(track: tracks[0])
        var drawn = composition
        drawn.instructions[0].layerInstructions = [layer]
        let stored = try #require(try read(asset, tracks, drawn).first)
        layer.usesDisplaySize = true
        drawn.instructions[0].layerInstructions = [layer]
        let displayed = try #require(try read(asset, tracks, drawn).first)
        let whole = try #require(try read(asset, tracks, composition).first)
        #expect(displayed.visible == whole.visible && displayed.visible != stored.visible)
        #expect(try luma(stored, 150, 50) == 16 && luma(stored, 190, 50) == 16)
    }

    @Test func composition_assetWithoutVideo_throws() async throws {
        let url = try fixture.make("audio.m4a", [ReadingFixture.tone], ["-c:a", "aac"])
        let error = await #expect(throws: MediaError.self) { try await VideoComposition(propertiesOf: Asset(url: url)) }
        #expect(error?.code == .unsupported)
    }

    // MARK: Reading

    @Test func composition_steadyState_reusesMemory() async throws {
        let (asset, tracks) = try await twoTracks()
        let output = try VideoCompositionOutput(
            videoTracks: tracks, pixelFormat: .nv12, videoComposition: pictureInPicture(tracks))
        let reader = try AssetReader(asset: asset)
        try reader.add(output)
        try reader.startReading()
        for _ in 0..<30 { _ = output.copyNextSampleBuffer() }
        let before = output.allocationCount
        while output.copyNextSampleBuffer() != nil {}
        #expect(before > 0)
        #expect(output.allocationCount == before)
    }

    @Test func composition_randomAccess_readsRangesAgain() async throws {
        let (asset, tracks) = try await twoTracks()
        let output = try VideoCompositionOutput(videoTracks: tracks, videoComposition: pictureInPicture(tracks))
        try output.configure { $0.supportsRandomAccess = true }
        let reader = try AssetReader(asset: asset)
        try reader.configure { $0.timeRange = self.range(1, 1.2) }
        try reader.add(output)
        try reader.startReading()
        #expect(try output.all().map { try luma($0, 50, 90) } == [120, 120, 120, 128, 128])
        try output.reset(forReadingTimeRanges: [range(0, 0.1), range(1.9, 5)])
        #expect(try output.all().map { try luma($0, 50, 90) } == [40, 40, 40, 192, 192, 192])
        #expect(reader.status == .reading)
        output.markConfigurationAsFinal()
        #expect(reader.status == .completed)
    }

    @Test func composition_damagedTrack_failsTheReader() async throws {
        let (asset, tracks) = try await twoTracks()
        var data = try Data(contentsOf: #require(asset.url))
        let start = data.count / 3
        for index in start..<(start + data.count / 3) { data[index] = UInt8(truncatingIfNeeded: index &* 31) }
        try data.write(to: #require(asset.url))
        let output = try VideoCompositionOutput(videoTracks: tracks, videoComposition: pictureInPicture(tracks))
        let reader = try AssetReader(asset: asset)
        try reader.add(output)
        do {
            try reader.startReading()
            _ = output.all()
        } catch { #expect(error.code == .corruptData) }
        #expect(reader.status == .failed && reader.error?.code == .corruptData)
    }

    @Test func composition_tracksOfAnotherAsset_areRefused() async throws {
        let (asset, _) = try await twoTracks()
        let (_, others) = try await twoTracks("other.mov")
        let output = try VideoCompositionOutput(videoTracks: others, videoComposition: pictureInPicture(others))
        let reader = try AssetReader(asset: asset)
        #expect(!reader.canAdd(output))
        #expect(throws: MediaError.self) { try reader.add(output) }
    }
}

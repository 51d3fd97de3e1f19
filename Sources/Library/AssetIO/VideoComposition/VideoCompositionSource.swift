import DequeModule
import Foundation
import MediaCodecs
import MediaTypes

/// Composes frames, range by range. It keeps at most one frame of each track.
final class VideoCompositionSource: SampleSource, @unchecked Sendable {
    // Unchecked: the thread that has the output's turn uses it, one at a time.
    private let composition: VideoComposition
    private let pixelFormat: PixelFormat
    private let tracks: [Int: FrameAtTime]
    private let compositor: FrameCompositor
    private let formats = PixelConverter()
    /// The end of the composed frames.
    private let end: MediaTime
    /// The asset's end, if it is only an estimate. From then on, frames are composed only while a track shows one.
    private let estimatedEnd: MediaTime?
    private var ranges: Deque<TimeRange>
    private var range = TimeRange(start: .zero, duration: .zero)
    private var number: Int64 = 0

    var allocationCount: Int {
        tracks.values.reduce(compositor.allocationCount + formats.allocationCount) { $0 + $1.allocationCount }
    }

    /// Opens the tracks.
    ///
    /// - Parameter configuration: the configuration of the output.
    /// - Throws: the errors of opening a track.
    init(
        asset: Asset, tracks: [AssetTrack], composition: VideoComposition, pixelFormat: PixelFormat,
        ranges: [TimeRange], configuration: ReaderOutputConfiguration
    ) throws(MediaError) {
        self.composition = composition
        self.pixelFormat = pixelFormat
        self.ranges = Deque(ranges)
        let used = Set(composition.instructions.flatMap { $0.layerInstructions.map(\.trackID) })
        self.tracks = Dictionary(
            tracks.filter { used.contains($0.id) }.map {
                ($0.id, FrameAtTime(asset: asset, track: $0, configuration))
            },
            uniquingKeysWith: { first, _ in first })
        compositor = try FrameCompositor(
            // in range: the output has checked the composition
            width: Int(composition.renderSize.width), height: Int(composition.renderSize.height),
            color: composition.renderColor(tracks))
        let isPrecise = try asset.loadNow(.providesPreciseDurationAndTiming)
        let composedEnd = try composition.end(in: asset)
        end = isPrecise ? composedEnd : composition.duration
        estimatedEnd = isPrecise ? nil : composedEnd
        // The first range is opened here, so that a fault of a file is reported when reading starts.
        if let first = self.ranges.popFirst() { try begin(first) }
    }

    func restart(ranges: [TimeRange]) {
        self.ranges = Deque(ranges)
        range = TimeRange(start: .zero, duration: .zero)
    }

    func next() throws(MediaError) -> SampleBuffer? {
        while true {
            let time = range.start + composition.frameDuration.times(number)
            if time < range.end, try !isOver(at: time) {
                number += 1
                return try compose(time)
            }
            guard let next = ranges.popFirst() else { return nil }
            try begin(next)
        }
    }

    private func begin(_ range: TimeRange) throws(MediaError) {
        self.range = range.intersection(TimeRange(start: .zero, end: end))
        number = 0
        guard !self.range.isEmpty else { return }
        for track in tracks.values { try track.begin(self.range) }
    }

    /// Returns true if a time is after the asset's end, whose header states only an estimate.
    private func isOver(at time: MediaTime) throws(MediaError) -> Bool {
        guard let estimatedEnd, time >= estimatedEnd else { return false }
        for track in tracks.values {
            if try !track.hasEnded(by: time) { return false }
        }
        return true
    }

    private func compose(_ time: MediaTime) throws(MediaError) -> SampleBuffer? {
        guard let instruction = composition.instruction(at: time) else { return nil }
        var layers: [FrameLayer] = []
        for layer in instruction.layerInstructions.reversed() {
            let opacity = layer.opacity(at: time)
            guard opacity > 0, let track = tracks[layer.trackID], let frame = try track.frame(at: time),
                let laid = layer.lay(
                    frame, displayed: layer.usesDisplaySize ? track.geometry : nil, at: time, opacity: opacity)
            else { continue }
            layers.append(laid)
        }
        let color = instruction.backgroundColor
        let composed = try compositor.compose(layers, over: (color.red, color.green, color.blue))
        return SampleBuffer(
            pixels: try formats.convert(composed, to: pixelFormat), presentationTime: time,
            duration: min(composition.frameDuration, range.end - time))
    }
}

extension VideoCompositionLayerInstruction {
    /// Returns a frame with its placement; nil if no part of it is visible.
    ///
    /// - Parameter geometry: how the frame is displayed; nil if transforms and crop rectangles apply to the stored frame.
    func lay(
        _ frame: PixelBuffer, displayed geometry: FrameGeometry? = nil, at time: MediaTime, opacity: Double
    ) -> FrameLayer? {
        var transform = transform(at: time)
        let shown = geometry?.visible ?? PixelRectangle(frame)
        if let geometry {
            let size = geometry.displaySize
            var display = AffineTransform(
                m11: size.width / Double(shown.width), m12: 0, m21: 0, m22: size.height / Double(shown.height),
                tX: -Double(shown.x) * size.width / Double(shown.width),
                tY: -Double(shown.y) * size.height / Double(shown.height))
            display.append(transform)
            transform = display
        }
        guard let orientation = FrameOrientation(transform) else { return nil }
        var crop = shown == PixelRectangle(frame) ? nil : shown
        if let rectangle = self.crop(at: time) {
            crop = PixelRectangle(rectangle, in: shown)
            if crop == nil { return nil }
        }
        let part = crop ?? PixelRectangle(frame)
        let box = transform.box(CGRect(x: part.x, y: part.y, width: part.width, height: part.height))
        return FrameLayer(
            frame, crop: crop, orientation: orientation,
            place: FrameLayer.Place(
                x: box.origin.x, y: box.origin.y, width: box.size.width, height: box.size.height), opacity: opacity)
    }
}

extension PixelRectangle {
    /// Creates the pixel rectangle nearest to the part of a rectangle that is inside an area; nil if it is empty.
    ///
    /// - Parameter rectangle: the rectangle, relative to the area's corner.
    fileprivate init?(_ rectangle: CGRect, in area: PixelRectangle) {
        func range(_ start: Double, _ length: Double, _ limit: Int) -> Range<Int>? {
            let first = min(Double(limit), max(0, start.rounded()))
            let last = min(Double(limit), max(0, (start + length).rounded()))
            return last > first ? Int(clamping: first)..<Int(clamping: last) : nil
        }
        guard let columns = range(rectangle.origin.x, rectangle.size.width, area.width),
            let rows = range(rectangle.origin.y, rectangle.size.height, area.height)
        else { return nil }
        self.init(
            x: area.x + columns.lowerBound, y: area.y + rows.lowerBound, width: columns.count, height: rows.count)
    }
}

extension VideoComposition {
    /// Returns the color tags to compose in. A missing matrix is set if players would assume a different matrix for the
    /// new size.
    func renderColor(_ tracks: [AssetTrack]) -> ColorDescription {
        if let color { return color }
        guard let video = tracks.first?.formatDescription?.video else { return ColorDescription() }
        var color = video.color
        // The color tags of RGB frames name no matrix for luma and chroma.
        if color.matrix == 0 { (color.matrix, color.isFullRange) = (2, false) }
        if color.matrix == 2, (video.height >= 720) != (renderSize.height >= 720) {
            color.matrix = video.height >= 720 ? 1 : 6
        }
        return color
    }
}

extension MediaTime {
    /// Returns the time multiplied by a count.
    fileprivate func times(_ count: Int64) -> MediaTime {
        let (product, isTooLong) = value.multipliedReportingOverflow(by: count)
        return isTooLong ? .positiveInfinity : MediaTime(value: product, timescale: timescale)
    }
}

import AssetIO
import Dispatch
import Foundation
import MediaCodecs
import MediaTypes
import RealTime

/// Generates the images of an image generator, either from one track or by composing several tracks.
final class StillSource: Sendable {
    /// The settings of one request.
    struct Terms: @unchecked Sendable {
        // Unchecked: the composition is a copy that never changes.
        var cropsToCleanAperture: Bool
        var composition: AVVideoComposition?
        var generation: Int
        var settings: Settings
    }

    struct Settings: Sendable {
        var maximumSize: CGSize
        var appliesTransform: Bool
        var toleranceBefore: MediaTime
        var toleranceAfter: MediaTime
    }

    /// Stores the current options. Each request uses a copy of them, so later changes do not affect it.
    let generator: FrameGenerator
    /// Generates images, and keeps the file and the decoder open. Used only on `queue`.
    private let worker: FrameGenerator
    /// The queue on which the program's handlers are called. A handler may request more images.
    let callbacks = DispatchQueue(label: "recorder.image-generator.callbacks")
    /// The queue on which images are generated, one at a time.
    private let queue = DispatchQueue(label: "recorder.image-generator")
    private let asset: Asset
    private let counter = Locked(0)

    init(_ asset: Asset) {
        self.asset = asset
        generator = FrameGenerator(asset: asset)
        generator.appliesPreferredTrackTransform = false
        worker = FrameGenerator(asset: asset)
        worker.pixelFormat = .bgra
    }

    /// A number that each cancellation increments. Requests with a smaller number are cancelled.
    var generation: Int { counter.withLock { $0 } }

    var settings: Settings {
        Settings(
            maximumSize: generator.maximumSize, appliesTransform: generator.appliesPreferredTrackTransform,
            toleranceBefore: generator.requestedTimeToleranceBefore,
            toleranceAfter: generator.requestedTimeToleranceAfter)
    }

    func cancelAll() {
        counter.withLock { $0 += 1 }
        worker.cancelAllImageGeneration()
    }

    /// Returns an image; blocks the calling thread.
    func image(at time: MediaTime, _ terms: Terms) throws(MediaError) -> (CGImage, MediaTime) {
        let result = queue.sync { Result { () throws(MediaError) in try self.make(time, terms) } }
        return try result.get()
    }

    /// Returns an image. Cancelling the task cancels the request.
    func imageLater(at time: MediaTime, _ terms: Terms) async throws(MediaError) -> (CGImage, MediaTime) {
        let result: Result<(CGImage, MediaTime), MediaError> = await queue.cancellableResult { isCancelled in
            if isCancelled() { return .failure(Self.cancellation) }
            return Result { () throws(MediaError) in try self.make(time, terms) }
        }
        return try result.get()
    }

    private static var cancellation: MediaError {
        MediaError(.cancelled, "cannot extract a frame", reason: "it was cancelled")
    }

    /// Generates an image. Called on the queue.
    private func make(_ time: MediaTime, _ terms: Terms) throws(MediaError) -> (CGImage, MediaTime) {
        guard terms.generation == generation else { throw Self.cancellation }
        let (still, actualTime): (PixelBuffer, MediaTime)
        var part: StillCrop?
        if let composition = terms.composition {
            (still, actualTime) = try composed(composition, at: time, terms.settings)
        } else {
            part = terms.cropsToCleanAperture ? try stillCrop(terms.settings) : nil
            worker.appliesPreferredTrackTransform = terms.settings.appliesTransform
            worker.requestedTimeToleranceBefore = terms.settings.toleranceBefore
            worker.requestedTimeToleranceAfter = terms.settings.toleranceAfter
            worker.maximumSize = part?.enlarged(terms.settings.maximumSize) ?? terms.settings.maximumSize
            (still, actualTime) = try worker.imageNow(at: time)
        }
        guard terms.generation == generation else { throw Self.cancellation }
        guard let whole = CGImage(still) else {
            throw MediaError(.codecFailure, "cannot extract a frame", reason: "its pixels are not RGB")
        }
        guard let part else { return (whole, actualTime) }
        return (whole.cropping(to: part.rectangle(width: whole.width, height: whole.height)) ?? whole, actualTime)
    }

    /// Returns the part of the frame that is shown; nil if it is the entire frame.
    private func stillCrop(_ settings: Settings) throws(MediaError) -> StillCrop? {
        guard
            let track = try asset.loadNow(.tracks).presented(.video),
            let video = track.formatDescription?.video, let aperture = video.cleanAperture
        else { return nil }
        return StillCrop(
            aperture, width: video.width, height: video.height,
            transform: settings.appliesTransform ? track.preferredTransform : .identity)
    }

    private func composed(
        _ composition: AVVideoComposition, at time: MediaTime, _ settings: Settings
    ) throws(MediaError) -> (PixelBuffer, MediaTime) {
        let action = "cannot extract a composed frame"
        guard time.isNumeric, time >= .zero else {
            throw MediaError(.invalidSettings, action, reason: "invalid time \(time)")
        }
        let tracks = try asset.loadNow(.tracks).filter { $0.mediaType == .video && $0.formatDescription != nil }
        let drawing = try composition.engine(for: tracks)
        // The composed frame that is shown at `time` begins at a multiple of the frame duration.
        let frame = drawing.frameDuration
        guard frame.isNumeric, frame > .zero else {
            throw MediaError(.invalidSettings, action, reason: "frameDuration must be greater than zero")
        }
        let number = (time.seconds / frame.seconds + 1e-6).rounded(.down)
        // No frame begins at or after the end of the last instruction, so all such times are the same.
        let start = drawing.start(ofFrame: min((drawing.duration.seconds / frame.seconds).rounded(.up), number))
        var sample = try start.isNumeric ? composedFrame(drawing, of: tracks, at: start) : nil
        if sample == nil {
            // As without a composition, the last frame is the image of a later time if the tolerance reaches it.
            let end = try drawing.end(in: asset)
            let last = drawing.start(ofFrame: max(0, (end.seconds / frame.seconds - 1e-6).rounded(.up) - 1))
            if last < start, last >= time - settings.toleranceBefore {
                sample = try composedFrame(drawing, of: tracks, at: last)
            }
        }
        guard let sample, case .pixels(var still) = sample.content else {
            throw MediaError(.invalidSettings, action, reason: "no frame is composed at \(time.seconds) s")
        }
        let size = settings.maximumSize
        let scale = min(
            1, size.width > 0 ? size.width / Double(still.width) : 1,
            size.height > 0 ? size.height / Double(still.height) : 1)
        if scale < 1 {
            still = try FrameScaler().scale(
                still, width: max(1, Int(clamping: (Double(still.width) * scale).rounded())),
                height: max(1, Int(clamping: (Double(still.height) * scale).rounded())))
        }
        return (try PixelConverter().convert(still, to: .bgra), sample.presentationTime)
    }

    /// Returns the composed frame that begins at a time; nil for a time after the end.
    private func composedFrame(
        _ drawing: VideoComposition, of tracks: [AssetTrack], at start: MediaTime
    ) throws(MediaError) -> SampleBuffer? {
        let reader = try AssetReader(asset: asset)
        try reader.configure { $0.timeRange = TimeRange(start: start, duration: drawing.frameDuration) }
        let output = try VideoCompositionOutput(videoTracks: tracks, pixelFormat: .i420, videoComposition: drawing)
        try reader.add(output)
        try reader.startReading()
        defer { reader.cancelReading() }
        let sample = output.copyNextSampleBuffer()
        if let error = reader.error { throw error }
        return sample
    }
}

extension VideoComposition {
    /// Returns the start of a composed frame, counted from 0; infinite if the time is too large.
    fileprivate func start(ofFrame number: Double) -> MediaTime {
        let (ticks, isTooLate) = Int64(clamping: number).multipliedReportingOverflow(by: frameDuration.value)
        return isTooLate ? .positiveInfinity : MediaTime(value: ticks, timescale: frameDuration.timescale)
    }
}

/// The part of a frame that a clean aperture shows, as fractions of its sides. A pure rule.
struct StillCrop: Equatable {
    /// The rectangle in the shown frame. The frame's upper left corner is (0, 0), and its lower right corner is (1, 1).
    var box: CGRect

    /// - Parameter transform: the transform of the track.
    init?(_ aperture: CleanAperture, width: Int, height: Int, transform: AffineTransform) {
        let (fullWidth, fullHeight) = (Double(max(1, width)), Double(max(1, height)))
        let part = CGSize(width: Double(aperture.width) / fullWidth, height: Double(aperture.height) / fullHeight)
        guard part.width > 0, part.height > 0, part.width <= 1, part.height <= 1, part.width < 1 || part.height < 1
        else { return nil }
        let origin = CGPoint(
            x: (1 - part.width) / 2 + Double(aperture.horizontalOffset) / fullWidth,
            y: (1 - part.height) / 2 + Double(aperture.verticalOffset) / fullHeight)
        // Rotates around the center. The rotation is the track's matrix without its scale.
        func sign(_ number: Double) -> Double { number.magnitude < 1e-3 ? 0 : number < 0 ? -1 : 1 }
        let turn = CGAffineTransform(
            a: sign(transform.m11), b: sign(transform.m12), c: sign(transform.m21), d: sign(transform.m22), tx: 0, ty: 0
        )
        let upright = turn.b == 0 && turn.c == 0 || turn.a == 0 && turn.d == 0 ? turn : .identity
        let turned = CGRect(x: origin.x - 0.5, y: origin.y - 0.5, width: part.width, height: part.height)
            .applying(upright)
        box = CGRect(x: turned.minX + 0.5, y: turned.minY + 0.5, width: turned.width, height: turned.height)
    }

    func rectangle(width: Int, height: Int) -> CGRect {
        let (x, y) = ((box.minX * Double(width)).rounded(), (box.minY * Double(height)).rounded())
        return CGRect(
            x: x, y: y, width: max(1, (box.width * Double(width)).rounded()),
            height: max(1, (box.height * Double(height)).rounded()))
    }

    /// Returns the size of the entire frame, given the size of the shown part. 0 remains 0, which means unlimited.
    func enlarged(_ size: CGSize) -> CGSize {
        CGSize(width: size.width / max(0.001, box.width), height: size.height / max(0.001, box.height))
    }
}

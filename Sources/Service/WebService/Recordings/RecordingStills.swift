import AssetIO
import Foundation
import MediaTypes
import RealTime
import RecorderStorage

/// Makes images of recordings, and keeps the images that were requested recently. Makes only a few at the same time.
/// Thread-safe.
final class RecordingStills: Sendable {
    private struct Key: Hashable {
        let id: String
        let identity: FinishedRecording.Identity
        /// The position in milliseconds; nil for a representative image.
        let at: Int64?
        let width: Int
        let isExact: Bool
    }

    private struct State {
        var images: [Key: (image: MediaData, used: Int)] = [:]
        var bytes = 0
        var uses = 0
    }

    private let state = Locked(State())
    private let semaphore: AsyncSemaphore
    private let mostBytes: Int

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - decoders: The maximum number of decoders at the same time.
    ///   - waiting: The maximum number of requests that may wait for a decoder; further requests are refused.
    ///   - bytes: The maximum size of all kept images, in bytes.
    init(decoders: Int = 2, waiting: Int = 64, bytes: Int = 32 << 20) {
        semaphore = AsyncSemaphore(decoders, waiting: waiting)
        mostBytes = bytes
    }

    /// Returns a frame as a JPEG.
    ///
    /// - Parameters:
    ///   - at: The position in seconds; nil for a representative frame of the recording.
    ///   - width: The image's width in pixels; nil for the movie's own.
    ///   - isExact: True for the frame at exactly that time; false for the keyframe before it, which is faster.
    /// - Throws: `busy` if there are too many requests; the errors of reading. The messages contain no directories.
    func still(of recording: IndexedRecording, at: Double?, width: Int?, isExact: Bool = false) async throws(MediaError)
        -> MediaData
    {
        let file = try await DiskCall.run { () throws(MediaError) in try OpenRecordingFile(recording) }
        let key = Key(
            id: recording.id, identity: file.identity, at: at.map { Int64(clamping: ($0 * 1000).rounded()) },
            width: width ?? 0,
            isExact: isExact)
        if let image = cached(key) { return image }
        guard await semaphore.wait() else {
            throw MediaError(
                .busy, "cannot make an image of \(recording.file)", reason: "too many images are being made",
                wayOut: "try again later")
        }
        defer { semaphore.signal() }
        // Another request may have made the same image in the meantime.
        if let image = cached(key) { return image }
        do throws(MediaError) {
            let image = try await make(file, at: at ?? recording.duration / 10, width: width, isExact)
            cache(image, key)
            return image
        } catch {
            // `invalidSettings` means a time after the end. The request is valid, but there is no frame.
            throw MediaError(
                error.code == .invalidSettings ? .notFound : error.code,
                "cannot make an image of \(recording.file)", reason: error.reason,
                underlying: error.underlying, wayOut: error.wayOut)
        }
    }

    private func make(_ file: OpenRecordingFile, at: Double, width: Int?, _ isExact: Bool) async throws(MediaError)
        -> MediaData
    {
        defer { withExtendedLifetime(file) {} }
        let (asset, time) = (Asset(url: URL(fileURLWithPath: file.path)), MediaTime(seconds: at))
        let generator = FrameGenerator(asset: asset)
        let end = try await asset.load(.duration)
        // There is no frame after the end. Without a tolerance, the generator reports an error for such a time instead
        // of returning the last frame.
        if isExact || time >= end {
            generator.requestedTimeToleranceBefore = .zero
            generator.requestedTimeToleranceAfter = .zero
        }
        if let width { generator.maximumSize = CGSize(width: Double(width), height: 0) }
        let (image, _) = try await generator.image(at: time)
        return try await DiskCall.run("still") { () throws(MediaError) in
            try image.encoded(as: .jpeg, quality: isExact ? 92 : 82)
        }
    }

    private func cached(_ key: Key) -> MediaData? {
        state.withLock { state in
            state.uses += 1
            state.images[key]?.used = state.uses
            return state.images[key]?.image
        }
    }

    private func cache(_ image: MediaData, _ key: Key) {
        state.withLock { state in
            guard image.count <= mostBytes, state.images[key] == nil else { return }
            state.uses += 1
            state.images[key] = (image, state.uses)
            state.bytes += image.count
            guard state.bytes > mostBytes else { return }
            // A quarter of the images is removed at once, so that this step is rare.
            for (key, entry) in state.images.sorted(by: { $0.value.used < $1.value.used }) {
                guard state.bytes > mostBytes * 3 / 4 else { return }
                state.images[key] = nil
                state.bytes -= entry.image.count
            }
        }
    }
}

import AssetIO
import Dispatch
import Foundation
import MediaTypes

/// Re-encodes the first video and the first audio track of a movie. A reader and a writer work in tandem, and each
/// track has its own serial queue.
///
///     let reencoder = Reencoder(asset: Asset(url: input), outputURL: output)
///     reencoder.start { result in … }
///
/// Safe to call from any thread.
final class Reencoder: @unchecked Sendable {
    // Unchecked: mutable state is used on `mainQueue` alone.
    let mainQueue = DispatchQueue(label: "reencode.main")
    private let asset: Asset
    private let outputURL: URL
    private let preset: ExportPreset
    private let size: FrameSize?
    private var reader: AssetReader?
    private var writer: AssetWriter?
    private(set) var tracks: [TrackReencoder] = []
    private var isCancelled = false
    private var failure: MediaError?
    private var completion: (@Sendable (Result<Void, MediaError>) -> Void)?

    /// - Parameter size: the frame size of the copy, to which the writer scales; nil for the size that the preset
    ///   chooses.
    init(asset: Asset, outputURL: URL, preset: ExportPreset = .highQuality, size: FrameSize? = nil) {
        self.asset = asset
        self.outputURL = outputURL
        self.preset = preset
        self.size = size
    }

    /// Starts the work. Must be called only once.
    ///
    /// - Parameter completion: a handler called exactly once, on a private queue. It gets success if the movie is
    ///   complete. Otherwise there is no movie, and it gets the error, which is `cancelled` after `cancel`.
    func start(completion: @escaping @Sendable (Result<Void, MediaError>) -> Void) {
        mainQueue.async { self.completion = completion }
        Task {
            // Loads the file's properties without blocking the caller.
            let facts: Result<([AssetTrack], [MetadataItem]), MediaError>
            do throws(MediaError) {
                facts = .success(try await asset.load(.tracks, .metadata))
            } catch {
                facts = .failure(error)
            }
            mainQueue.async { self.begin(facts) }
        }
    }

    /// Ends the work soon, at any stage. Does nothing once the movie is being finalized.
    func cancel() {
        asset.cancelLoading()
        mainQueue.async {
            self.isCancelled = true
            for track in self.tracks { track.cancel() }
        }
    }

    // MARK: On the main queue

    private func begin(_ facts: Result<([AssetTrack], [MetadataItem]), MediaError>) {
        do throws(MediaError) {
            if isCancelled { throw Self.cancelled }
            let (tracks, metadata) = try facts.get()
            try setUpReaderAndWriter(tracks, metadata)
            try startReaderAndWriter()
        } catch {
            fail(error)
        }
    }

    private func setUpReaderAndWriter(_ tracks: [AssetTrack], _ metadata: [MetadataItem]) throws(MediaError) {
        let reader = try AssetReader(asset: asset)
        let writer = try AssetWriter(outputURL: outputURL)
        let items = MetadataItem.movieItems(fromStored: metadata, for: writer.fileType)
        try writer.configure { $0.metadata = items }
        (self.reader, self.writer) = (reader, writer)
        for mediaType in [MediaType.audio, .video] {
            guard let track = tracks.first(where: { $0.mediaType == mediaType }) else { continue }
            self.tracks.append(try TrackReencoder(track, preset: preset, size: size, from: reader, to: writer))
        }
    }

    private func startReaderAndWriter() throws(MediaError) {
        guard let reader, let writer else { return }
        try reader.startReading()
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)
        let group = DispatchGroup()
        for track in tracks {
            group.enter()
            track.start { failure in
                if let failure {
                    self.mainQueue.async {
                        // The first failure counts, and cancels the other tracks.
                        self.failure = self.failure ?? failure
                        for other in self.tracks { other.cancel() }
                    }
                }
                group.leave()
            }
        }
        group.notify(queue: mainQueue) { self.finishReaderAndWriter() }
    }

    /// Finishes after every track has ended.
    private func finishReaderAndWriter() {
        // Outputs return nil after a failure of the reader, too.
        if let failure = failure ?? reader?.error { return fail(failure) }
        writer?.finishWriting { result in
            self.mainQueue.async {
                switch result {
                case .success: self.complete(.success(()))
                case .failure(let error): self.fail(error)
                }
            }
        }
    }

    private func fail(_ error: MediaError) {
        reader?.cancelReading()
        writer?.cancelWriting()
        // A failed writer leaves its unfinished file, which could be repaired. This program deletes it, because the
        // source still exists.
        if let writer, writer.status == .failed { try? FileManager.default.removeItem(at: writer.temporaryURL) }
        complete(.failure(error))
    }

    private func complete(_ result: Result<Void, MediaError>) {
        let completion = completion
        self.completion = nil
        tracks = []
        completion?(result)
    }

    static var cancelled: MediaError {
        MediaError(.cancelled, "cannot re-encode the movie", reason: "it was cancelled")
    }
}

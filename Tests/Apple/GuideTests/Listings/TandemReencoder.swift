import AVFoundation

/// Re-encodes the first audio track and the first video track of an asset, each on a queue of its own (listings 13
/// to 18).
final class TandemReencoder: @unchecked Sendable {
    // Unchecked: after `start` was called, only the main queue uses what changes.
    enum Outcome: Sendable {
        case completed
        case cancelled
        case failed(any Error)
    }

    enum Failure: Error {
        case tracksNotLoaded
        case cannotRead
        case cannotWrite
    }

    let asset: AVAsset
    let url: URL
    private(set) var paths: [TrackPath] = []
    /// Called on the queue of the video track, with the number of frames that were appended.
    var didAppendFrame: (@Sendable (Int) -> Void)?

    private let mainQueue: DispatchQueue
    private let audioQueue: DispatchQueue
    private let videoQueue: DispatchQueue
    private let group = DispatchGroup()
    private var reader: AVAssetReader?
    private var writer: AVAssetWriter?
    private var isCancelled = false

    /// Listing 13: the queues.
    init(_ asset: AVAsset, to url: URL) {
        self.asset = asset
        self.url = url
        let name = "tandem to \(url.lastPathComponent)"
        mainQueue = DispatchQueue(label: "\(name), main queue")
        audioQueue = DispatchQueue(label: "\(name), audio queue")
        videoQueue = DispatchQueue(label: "\(name), video queue")
    }

    /// Listing 14: loads the tracks, removes an earlier file, and starts.
    ///
    /// - Parameter completion: called once, on the main queue.
    func start(completion: @escaping @Sendable (Outcome) -> Void) {
        asset.loadValuesAsynchronously(forKeys: ["tracks"]) { [self] in
            mainQueue.async { [self] in
                if isCancelled { return completion(.cancelled) }
                do {
                    try checkTracks()
                    if FileManager.default.fileExists(atPath: url.path) { try FileManager.default.removeItem(at: url) }
                    try setUp()
                    try startPaths(completion)
                } catch { completion(fail(error)) }
            }
        }
    }

    private func checkTracks() throws {
        var reason: NSError?
        guard asset.statusOfValue(forKey: "tracks", error: &reason) == .loaded else {
            if let reason { throw reason }
            throw Failure.tracksNotLoaded
        }
    }

    /// Listing 15: the reader, the writer, and the path of each track.
    private func setUp() throws {
        let reader = try AVAssetReader(asset: asset)
        let writer = try AVAssetWriter(outputURL: url, fileType: .mov)
        (self.reader, self.writer) = (reader, writer)
        if let track = asset.tracks(withMediaType: .audio).first {
            let settings: [String: Any] = [AVFormatIDKey: NSNumber(value: kAudioFormatLinearPCM)]
            let output = AVAssetReaderTrackOutput(track: track, outputSettings: settings)
            let input = AVAssetWriterInput(mediaType: track.mediaType, outputSettings: TrackWriter.stereoSettings)
            paths.append(try connect(output, reader, input, writer, audioQueue))
        }
        if let track = asset.tracks(withMediaType: .video).first {
            let settings: [String: Any] = [
                kCVPixelBufferPixelFormatTypeKey as String: NSNumber(value: kCVPixelFormatType_422YpCbCr8),
                kCVPixelBufferIOSurfacePropertiesKey as String: NSDictionary(),
            ]
            let output = AVAssetReaderTrackOutput(track: track, outputSettings: settings)
            let input = AVAssetWriterInput(
                mediaType: track.mediaType, outputSettings: SourceFormat(track).videoSettings)
            let path = try connect(output, reader, input, writer, videoQueue)
            path.didAppend = didAppendFrame
            paths.append(path)
        }
    }

    private func connect(
        _ output: AVAssetReaderOutput, _ reader: AVAssetReader, _ input: AVAssetWriterInput, _ writer: AVAssetWriter,
        _ queue: DispatchQueue
    ) throws -> TrackPath {
        guard reader.canAdd(output) else { throw Failure.cannotRead }
        guard writer.canAdd(input) else { throw Failure.cannotWrite }
        reader.add(output)
        writer.add(input)
        return TrackPath(output, input, queue, group)
    }

    /// Listing 16: starts both, and waits for all tracks without blocking a thread.
    private func startPaths(_ completion: @escaping @Sendable (Outcome) -> Void) throws {
        guard let reader, reader.startReading() else { throw self.reader?.error ?? Failure.cannotRead }
        guard let writer, writer.startWriting() else { throw self.writer?.error ?? Failure.cannotWrite }
        writer.startSession(atSourceTime: .zero)
        for path in paths { path.start() }
        group.notify(queue: mainQueue) { [self] in completion(conclude(reader, writer)) }
    }

    /// Listing 17: finalizes the movie, or cancels both.
    private func conclude(_ reader: AVAssetReader, _ writer: AVAssetWriter) -> Outcome {
        if isCancelled {
            reader.cancelReading()
            writer.cancelWriting()
            return .cancelled
        }
        if reader.status == .failed { return fail(reader.error ?? Failure.cannotRead) }
        if !writer.finishWriting() { return fail(writer.error ?? Failure.cannotWrite) }
        return .completed
    }

    private func fail(_ error: any Error) -> Outcome {
        reader?.cancelReading()
        writer?.cancelWriting()
        return .failed(error)
    }

    /// Listing 18: ends both tracks; the completion handler follows.
    func cancel() {
        mainQueue.async { [self] in
            isCancelled = true
            for path in paths { path.cancel() }
        }
    }
}

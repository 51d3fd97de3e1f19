import AssetIO
import Dispatch
public import Foundation
import MediaTypes
import RealTime

/// An output of a reader's samples. Safe to call from any thread; concurrent calls run one after the other.
open class AVAssetReaderOutput: NSObject, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    private struct State {
        var engine: (any AssetReaderOutput)?
        weak var reader: AVAssetReader?
        var isBound = false
        var alwaysCopiesSampleData = true
        var supportsRandomAccess = false
    }

    private let state = Locked(State())
    /// The error if the initializer got invalid parameters.
    let fault: MediaError?
    let sourceTracks: [AVAssetTrack]
    /// The requested form of frames, used on `shaping`; nil if frames stay as they are decoded.
    private let frames: RequestedFrames?
    private let shaping = DispatchQueue(label: "recorder.reader-output.frames")

    /// - Parameter attributes: the requested attributes of frames; nil for other media.
    init(tracks: [AVAssetTrack], fault: MediaError?, attributes: PixelAttributes? = nil) {
        sourceTracks = tracks
        self.fault = fault
        frames = attributes.flatMap { $0.changesFrames ? RequestedFrames($0) : nil }
        super.init()
    }

    open var mediaType: AVMediaType { sourceTracks.first?.mediaType ?? .video }

    /// Creates the library's output with the current settings.
    func makeEngine() throws(MediaError) -> any AssetReaderOutput {
        throw MediaError(.unsupported, "cannot read", reason: "this kind of output has no samples")
    }

    open var alwaysCopiesSampleData: Bool {
        get { state.withLock { $0.alwaysCopiesSampleData } }
        set {
            guard mayChange("alwaysCopiesSampleData") else { return }
            state.withLock { $0.alwaysCopiesSampleData = newValue }
        }
    }

    open var supportsRandomAccess: Bool {
        get { state.withLock { $0.supportsRandomAccess } }
        set {
            guard mayChange("supportsRandomAccess") else { return }
            state.withLock { $0.supportsRandomAccess = newValue }
        }
    }

    /// Returns the next sample buffer. Blocks while it is read and decoded. Returns nil at the end, after a failure,
    /// and before reading has started. The reader's `status` distinguishes these cases.
    open func copyNextSampleBuffer() -> CMSampleBuffer? {
        guard let sample = state.withLock({ $0.engine })?.copyNextSampleBuffer() else { return nil }
        guard let frames else { return CMSampleBuffer(sample) }
        let result = shaping.sync { Result { () throws(MediaError) in try frames.shaped(sample) } }
        switch result {
        case .success(let shaped): return CMSampleBuffer(shaped)
        case .failure(let error):
            reader?.fail(error)
            return nil
        }
    }

    /// - Parameter timeRanges: values of `CMTimeRange`, in order of time. The reader fails if a range cannot be read
    ///   again.
    open func reset(forReadingTimeRanges timeRanges: [NSValue]) {
        let ranges = timeRanges.map(\.timeRangeValue.media)
        do throws(MediaError) {
            guard let engine = state.withLock({ $0.engine }) else {
                throw MediaError(.invalidState, "cannot read again", reason: "reading has not started")
            }
            try engine.reset(forReadingTimeRanges: ranges)
        } catch {
            reader?.fail(error)
        }
    }

    open func markConfigurationAsFinal() { state.withLock { $0.engine }?.markConfigurationAsFinal() }

    // MARK: The reader's side

    var reader: AVAssetReader? { state.withLock { $0.reader } }

    func bind(to reader: AVAssetReader) -> Bool {
        state.withLock { state in
            guard !state.isBound else { return false }
            state.isBound = true
            state.reader = reader
            return true
        }
    }

    func open() throws(MediaError) -> any AssetReaderOutput {
        let engine = try makeEngine()
        let (copies, isRandom) = state.withLock { ($0.alwaysCopiesSampleData, $0.supportsRandomAccess) }
        try engine.configure { configuration in
            configuration.alwaysCopiesSampleData = copies
            configuration.supportsRandomAccess = isRandom
        }
        state.withLock { $0.engine = engine }
        return engine
    }

    /// Returns true if settings may change. After reading has started, returns false and makes the reader fail.
    func mayChange(_ name: String) -> Bool {
        let (isOpen, reader) = state.withLock { ($0.engine != nil, $0.reader) }
        if isOpen { reader?.fail(AVAssetReader.late(name)) }
        return !isOpen
    }
}

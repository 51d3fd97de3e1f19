import AssetIO
public import Foundation
import MediaTypes
import RealTime

/// Where a reader's samples come out. Any thread may call; two that read at once take turns.
open class AVAssetReaderOutput: NSObject, @unchecked Sendable {
    // Unchecked: what changes is behind the lock.
    private struct State {
        var engine: (any AssetReaderOutput)?
        weak var reader: AVAssetReader?
        var isBound = false
        var alwaysCopiesSampleData = true
        var supportsRandomAccess = false
    }

    private let state = Locked(State())
    /// What its maker did wrong.
    let fault: MediaError?
    let sourceTracks: [AVAssetTrack]

    init(tracks: [AVAssetTrack], fault: MediaError?) {
        sourceTracks = tracks
        self.fault = fault
        super.init()
    }

    open var mediaType: AVMediaType { sourceTracks.first?.mediaType ?? .video }

    /// The engine's output with all that was set until now.
    func makeEngine() throws(MediaError) -> any AssetReaderOutput {
        throw MediaError(.unsupported, "cannot read", reason: "this kind of output gives nothing")
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

    /// The next sample; blocks while it is read and decoded. nil at the end, after a failure and before reading has begun:
    /// the reader's `status` says which.
    open func copyNextSampleBuffer() -> CMSampleBuffer? {
        state.withLock { $0.engine }?.copyNextSampleBuffer().map { CMSampleBuffer($0) }
    }

    /// - Parameter timeRanges: of `CMTimeRange`, in order. What cannot be read again fails the reader.
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

    /// What is set too late fails the reader.
    func mayChange(_ name: String) -> Bool {
        let (isOpen, reader) = state.withLock { ($0.engine != nil, $0.reader) }
        if isOpen { reader?.fail(AVAssetReader.late(name)) }
        return !isOpen
    }
}

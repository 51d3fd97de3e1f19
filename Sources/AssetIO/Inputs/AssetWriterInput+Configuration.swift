public import Foundation
public import MediaTypes
package import MovieFile
import RealTime

extension AssetWriterInput {
    /// What can be set before writing starts.
    public struct Configuration: Sendable, Hashable {
        /// The samples come from a live source: `append` never waits, and refuses what does not fit `realTimeBudget`.
        ///
        /// Set it for every source that cannot wait, and for no other: live tracks are not held together, so a file read
        /// by such inputs is interleaved as badly as it happens to be read.
        public var expectsMediaDataInRealTime = false
        /// How much a real-time input keeps for its encoder.
        public var realTimeBudget = RealTimeBudget()
        /// Encode in several passes where the encoder gains by it; see `canPerformMultiplePasses`. For sources that can
        /// be read again.
        public var performsMultiPassEncodingIfSupported = false
        /// Ticks per second of the track's times; 0 lets the writer choose. Not for audio, which counts in its samples.
        public var mediaTimeScale: Int32 = 0
        /// ISO 639-2/T.
        public var languageCode = "und"
        /// BCP 47, as `de-CH`, where three letters say too little; nil for none.
        public var extendedLanguageTag: String?
        /// Facts about the track.
        public var metadata: [MetadataItem] = []
        /// How the stored pictures are turned to be shown; visual tracks only.
        public var transform = AffineTransform.identity
        /// Pixels in which the movie shows the track; zero: those of its format. Visual tracks only.
        public var naturalSize = CGSize.zero
        /// The longest stretch of the track that stands together in the file; nil: what a fragment holds.
        public var preferredMediaChunkDuration: MediaTime?
        /// Bytes at whose multiples the track's chunks begin; 0 for any place.
        public var preferredMediaChunkAlignment = 0
        public var marksOutputTrackAsEnabled = true
        /// 1.0 is full volume.
        public var preferredVolume: Float = 1
        /// Its packets go on in the order of all, though it is text, which nobody waits for as a rule.
        package var keepsOrder = false
        /// Where the last real sample of packets ends, where that is not where the last packet does.
        package var presentedEnd: MediaTime?
        /// The frame that is on screen at the session's start is moved there; packets wait until it is known.
        package var movesHeldFrame = true
        /// Of packets: which of them the movie shows when, both in the times of samples. Every packet is stored. Empty: the movie
        /// shows what lies in the session.
        package var edits: [TrackEdit] = []
        /// Pictures before and behind are encoded, and not stored: those of the range begin with a key frame and lean on none of the
        /// others, and are as if all had been stored. nil: all are.
        package var stored: TimeRange?

        public init() {}
    }

    public var configuration: Configuration { state.withLock { $0.configuration } }

    /// Changes the set-up.
    ///
    /// - Throws: `invalidState` once the writer has started; `invalidSettings` for what contradicts the media type or
    ///   itself, naming it. Nothing is changed then.
    public func configure(_ change: (inout Configuration) -> Void) throws(MediaError) {
        try state.withLock { state throws(MediaError) in
            guard state.track == nil else {
                throw MediaError(.invalidState, "cannot configure an input", reason: "writing has started already")
            }
            var changed = state.configuration
            change(&changed)
            if let fault = changed.fault(for: mediaType) {
                throw MediaError(.invalidSettings, "cannot configure the \(mediaType) input", reason: fault)
            }
            state.configuration = changed
        }
    }
}

extension AssetWriterInput.Configuration {
    /// What cannot be, in words that name the property.
    fileprivate func fault(for mediaType: MediaType) -> String? {
        if mediaTimeScale != 0, mediaType == .audio {
            return "mediaTimeScale is the sample rate for audio and cannot be set"
        }
        if mediaTimeScale < 0 { return "mediaTimeScale must not be negative" }
        if !(0...127).contains(preferredVolume) {
            return "preferredVolume of \(preferredVolume) is not between 0 and 127"
        }
        if let refusal = LanguageCode.refusal(of: languageCode) {
            return "languageCode “\(languageCode)”: \(refusal.reason); \(refusal.wayOut)"
        }
        if let tag = extendedLanguageTag, !LanguageCode.isValidExtendedTag(tag) {
            return "extendedLanguageTag “\(tag)” is not a tag as in BCP 47"
        }
        if !naturalSize.width.isFinite || !naturalSize.height.isFinite || naturalSize.width < 0
            || naturalSize.height < 0 || naturalSize.width > 32_767 || naturalSize.height > 32_767
        {
            return "naturalSize \(naturalSize) is not between 0 and 32767"
        }
        let numbers = [transform.m11, transform.m12, transform.m21, transform.m22, transform.tX, transform.tY]
        if !numbers.allSatisfy({ $0.isFinite && abs($0) < 32_768 }) {
            return "transform does not fit a track matrix, whose numbers are below 32768"
        }
        if let duration = preferredMediaChunkDuration, !(duration.isNumeric && duration > .zero) {
            return "preferredMediaChunkDuration must be positive"
        }
        if !(0...(1 << 24)).contains(preferredMediaChunkAlignment) {
            return "preferredMediaChunkAlignment of \(preferredMediaChunkAlignment) is not between 0 and 16 MiB"
        }
        if realTimeBudget.bytes < 0 || realTimeBudget.duration < .zero { return "realTimeBudget must not be negative" }
        if performsMultiPassEncodingIfSupported, expectsMediaDataInRealTime {
            return "performsMultiPassEncodingIfSupported contradicts expectsMediaDataInRealTime: "
                + "a live source cannot be read again"
        }
        return visualFault(for: mediaType)
    }

    private func visualFault(for mediaType: MediaType) -> String? {
        guard mediaType == .audio else { return nil }
        if transform != .identity { return "transform is for visual tracks" }
        return naturalSize != .zero ? "naturalSize is for visual tracks" : nil
    }
}

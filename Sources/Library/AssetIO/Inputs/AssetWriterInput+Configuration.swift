public import Foundation
public import MediaTypes
package import MovieFile
import RealTime

extension AssetWriterInput {
    /// The settings that can be changed before writing starts.
    public struct Configuration: Sendable, Hashable {
        /// True if the samples come from a live source: `append` never waits, and refuses samples beyond
        /// `realTimeBudget`.
        ///
        /// Set it for every source that cannot wait, and only for those. Live tracks do not wait for each other. If
        /// samples that are read from a file are appended to such inputs, the result is interleaved only by chance.
        public var expectsMediaDataInRealTime = false
        /// The limits of a real-time input's queue for its encoder.
        public var realTimeBudget = RealTimeBudget()
        /// True to encode in several passes if the encoder benefits from it; see `canPerformMultiplePasses`. Only for
        /// sources that can be read again.
        public var performsMultiPassEncodingIfSupported = false
        /// Ticks per second of the track's times; 0 lets the writer choose. Not for audio, because its time scale is
        /// the sample rate.
        public var mediaTimeScale: Int32 = 0
        /// The language as ISO 639-2/T code.
        public var languageCode = "und"
        /// The language as BCP 47 tag such as `de-CH`, if `languageCode` is not precise enough; nil for none.
        public var extendedLanguageTag: String?
        /// Metadata of the track.
        public var metadata: [MetadataItem] = []
        /// The rotation to apply to the stored frames for display; visual tracks only.
        public var transform = AffineTransform.identity
        /// The display size in pixels, or zero for the size of the track's format. Visual tracks only.
        public var naturalSize = CGSize.zero
        /// The longest time range of the track that is stored contiguously in the file. If nil, the track's part of
        /// each fragment is stored contiguously.
        public var preferredMediaChunkDuration: MediaTime?
        /// The alignment of the track's chunks in bytes, or 0 for none.
        public var preferredMediaChunkAlignment = 0
        public var marksOutputTrackAsEnabled = true
        /// The volume; 1.0 is full volume.
        public var preferredVolume: Float = 1
        /// True if this text track takes part in the common order of packets. Other tracks then wait for it. Normally
        /// they do not wait for text.
        package var keepsOrder = false
        /// The end of the last real sample, if it differs from the end of the last packet. Only for inputs of packets.
        package var presentedEnd: MediaTime?
        /// True if packets are stored as a signature covers them. If false, the frame that is on screen at the
        /// session's start is moved to the start, and packets wait until this frame is known. The leading frames of a
        /// keyframe at the start are then left out.
        package var keepsSignedForm = false
        /// The edit list for packets: which time ranges of the packets the movie shows, and when. All times are on the
        /// samples' clock. Every packet is stored. If the list is empty, the movie shows the packets in the session.
        package var edits: [TrackEdit] = []
        /// The time range of the encoded frames that are stored; nil if all are stored. Frames before and after it are
        /// encoded but not stored. The stored frames begin with a keyframe, do not depend on the others, and are the
        /// same as if all had been stored.
        package var stored: TimeRange?

        public init() {}
    }

    public var configuration: Configuration { state.withLock { $0.configuration } }

    /// Changes the configuration.
    ///
    /// - Throws: `invalidState` once the writer has started; `invalidSettings`, with the name of the property, for a
    ///   property that contradicts the media type or another property. The configuration is then unchanged.
    public func configure(_ change: (inout Configuration) -> Void) throws(MediaError) {
        try state.withLock { state throws(MediaError) in
            guard state.path == nil else {
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
    /// Returns the fault of the configuration, in words that name the property; nil if there is none.
    fileprivate func fault(for mediaType: MediaType) -> String? {
        if mediaTimeScale != 0, mediaType == .audio {
            return "mediaTimeScale cannot be set for audio; it is the sample rate"
        }
        if mediaTimeScale < 0 { return "mediaTimeScale must not be negative" }
        if !(0...127).contains(preferredVolume) {
            return "preferredVolume of \(preferredVolume) is not between 0 and 127"
        }
        if let refusal = LanguageCode.refusal(of: languageCode) {
            return "languageCode “\(languageCode)”: \(refusal.reason); \(refusal.wayOut)"
        }
        if let tag = extendedLanguageTag, !LanguageCode.isValidExtendedTag(tag) {
            return "extendedLanguageTag “\(tag)” is not a valid BCP 47 tag"
        }
        if !naturalSize.width.isFinite || !naturalSize.height.isFinite || naturalSize.width < 0
            || naturalSize.height < 0 || naturalSize.width > 32_767 || naturalSize.height > 32_767
        {
            return "naturalSize \(naturalSize) is not between 0 and 32767"
        }
        let numbers = [transform.m11, transform.m12, transform.m21, transform.m22, transform.tX, transform.tY]
        if !numbers.allSatisfy({ $0.isFinite && abs($0) < 32_768 }) {
            return "transform does not fit a track matrix, whose values are below 32768"
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
        if transform != .identity { return "transform is only for visual tracks" }
        return naturalSize != .zero ? "naturalSize is only for visual tracks" : nil
    }
}

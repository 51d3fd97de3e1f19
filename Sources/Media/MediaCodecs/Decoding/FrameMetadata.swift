import CFFmpeg
import RealTime

/// Metadata inside coded frames that changes from frame to frame. It is not part of a decoded frame, so re-encoding
/// loses it.
package struct FrameMetadata: OptionSet, Sendable, Hashable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// CEA-608 and CEA-708 captions, carried according to ATSC A/53, part 4, 6.2.3.
    package static let captions = Self(rawValue: 1)
    /// The metadata of SMPTE ST 2094-40.
    package static let hdr10Plus = Self(rawValue: 2)
    /// Dolby Vision's reference processing units.
    package static let dolbyVision = Self(rawValue: 4)

    /// The names of the kinds for users, one line for each kind.
    package var lines: [String] {
        [
            (Self.captions, "the captions in its frames (CEA-608, CEA-708)"),
            (.hdr10Plus, "the light metadata of each frame (HDR10+)"),
            (.dolbyVision, "Dolby Vision"),
        ].compactMap { contains($0.0) ? $0.1 : nil }
    }

    /// Reads the metadata of a decoder's frame.
    init(_ frame: UnsafePointer<AVFrame>) {
        self = []
        guard frame.pointee.nb_side_data > 0 else { return }
        for index in 0..<Int(frame.pointee.nb_side_data) {
            switch frame.pointee.side_data[index]?.pointee.type {
            case AV_FRAME_DATA_A53_CC: insert(.captions)
            case AV_FRAME_DATA_DYNAMIC_HDR_PLUS: insert(.hdr10Plus)
            case AV_FRAME_DATA_DOVI_METADATA, AV_FRAME_DATA_DOVI_RPU_BUFFER: insert(.dolbyVision)
            default: break
            }
        }
    }
}

/// The metadata found so far in the frames of a track. The track's decoder adds metadata; any thread may read it.
package final class FrameMetadataLog: Sendable, Hashable {
    private let state = Locked<FrameMetadata>([])

    package init() {}

    package var found: FrameMetadata { state.withLock { $0 } }

    func add(_ metadata: FrameMetadata) {
        guard !metadata.isEmpty else { return }
        state.withLock { $0.formUnion(metadata) }
    }

    package static func == (a: FrameMetadataLog, b: FrameMetadataLog) -> Bool { a === b }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

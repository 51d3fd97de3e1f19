import CFFmpeg
import RealTime

/// What stands inside of coded pictures beside the picture, changes from one to the next, and is not in a decoded one: whoever
/// encodes those anew has lost it.
package struct PictureMetadata: OptionSet, Sendable, Hashable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// CEA-608 and CEA-708 captions as ATSC A/53, part 4, 6.2.3 carries them.
    package static let captions = Self(rawValue: 1)
    /// SMPTE ST 2094-40.
    package static let hdr10Plus = Self(rawValue: 2)
    /// Its reference processing units.
    package static let dolbyVision = Self(rawValue: 4)

    /// One line for each thing, for people.
    package var lines: [String] {
        [
            (Self.captions, "the captions inside of its pictures (CEA-608, CEA-708)"),
            (.hdr10Plus, "the light of each picture (HDR10+)"),
            (.dolbyVision, "Dolby Vision"),
        ].compactMap { contains($0.0) ? $0.1 : nil }
    }

    /// Of a picture that a decoder gave.
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

/// What the pictures of a track had up to now. Its decoder writes, anybody reads; any thread.
package final class PictureMetadataLog: Sendable, Hashable {
    private let state = Locked<PictureMetadata>([])

    package init() {}

    package var found: PictureMetadata { state.withLock { $0 } }

    func add(_ metadata: PictureMetadata) {
        guard !metadata.isEmpty else { return }
        state.withLock { $0.formUnion(metadata) }
    }

    package static func == (a: PictureMetadataLog, b: PictureMetadataLog) -> Bool { a === b }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

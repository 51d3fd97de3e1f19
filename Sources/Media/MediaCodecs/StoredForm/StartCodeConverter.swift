import MediaTypes

/// Converts H.264 and HEVC with start codes to samples of a movie file (ISO/IEC 14496-15). In a movie file, lengths
/// precede the NAL units, and parameter sets are in a record. A plain value.
///
/// Parameter sets of a keyframe are moved to the record. Sets that change between keyframes stay in their sample,
/// because decoders read them there in order.
struct StartCodeConverter {
    private enum Sets {
        case h264(AVCConfiguration)
        case hevc(HEVCParameterSets)
    }

    private var sets: Sets
    private let scratch = ScratchMemory()
    private let packets = MediaDataPool(byteCount: 32 << 10, capacity: 64)
    /// The payload of `avcC` or `hvcC` for the samples since the latest keyframe; empty until all kinds of sets are
    /// known.
    private(set) var record: [UInt8] = []
    /// The frame size in the sets, in pixels; nil if the sets cannot be read.
    private(set) var frameSize: (width: Int, height: Int)?

    /// - Parameter header: parameter sets after start codes, or no bytes.
    /// - Returns: nil for other codecs.
    init?(_ codec: VideoCodec, header: [UInt8]) {
        switch codec {
        case .h264: sets = .h264(AVCConfiguration())
        case .hevc: sets = .hevc(HEVCParameterSets())
        default: return nil
        }
        header.withUnsafeBytes { bytes in AnnexB.forEachUnit(bytes) { _ = take($0) } }
        update()
    }

    /// Returns true if bytes begin with a start code.
    static func beginsWithStartCode(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let first = bytes.firstIndex(where: { $0 != 0 }) else { return false }
        return first >= 2 && bytes[first] == 1
    }

    /// Converts one access unit. Returns nil if nothing is left for a sample, because the access unit contains only
    /// delimiters, and parameter sets that are already known or belong to the record.
    mutating func convert(_ accessUnit: UnsafeRawBufferPointer, isKeyframe: Bool) -> MediaData? {
        // Each unit has at least four bytes: a start code of three, and one more. It grows by one byte, because its
        // length has four bytes.
        let target = scratch.bytes(accessUnit.count + accessUnit.count / 4 + 4)
        var count = 0
        AnnexB.forEachUnit(accessUnit) { unit in
            if isDelimiter(unit) { return }
            if isSet(unit) {
                let isNew = take(unit)
                if isKeyframe || !isNew { return }
            }
            target.storeBytes(of: UInt32(clamping: unit.count).bigEndian, toByteOffset: count, as: UInt32.self)
            UnsafeMutableRawBufferPointer(rebasing: target[(count + 4)...]).copyMemory(from: unit)
            count += 4 + unit.count
        }
        if isKeyframe { update() }
        guard count > 0 else { return nil }
        return packets.copy(UnsafeRawBufferPointer(rebasing: target[..<count]))
    }

    private mutating func take(_ unit: UnsafeRawBufferPointer) -> Bool {
        switch sets {
        case .h264(var configuration):
            let isNew = configuration.changes(with: unit)
            if isNew { sets = .h264(configuration) }
            return isNew
        case .hevc(var list):
            let isNew = list.changes(with: unit)
            if isNew { sets = .hevc(list) }
            return isNew
        }
    }

    private mutating func update() {
        switch sets {
        case .h264(let configuration):
            if record != configuration.bytes { frameSize = configuration.frameSize }
            record = configuration.bytes
        case .hevc(let list):
            if record != list.bytes { frameSize = list.frameSize }
            record = list.bytes
        }
    }

    private func isSet(_ unit: UnsafeRawBufferPointer) -> Bool {
        switch sets {
        case .h264: [7, 8].contains(unit[0] & 0x1F)
        case .hevc: HEVCParameterSets.isSet(unit)
        }
    }

    /// Returns true for access unit delimiters. A movie file does not store them (ISO/IEC 14496-15, 5.4.5 and 8.3.2).
    private func isDelimiter(_ unit: UnsafeRawBufferPointer) -> Bool {
        switch sets {
        case .h264: unit[0] & 0x1F == 9
        case .hevc: unit[0] >> 1 & 0x3F == 35
        }
    }
}

import MediaCodecs
import MediaTypes

/// Collects the NAL units of each access unit, for H.264 and HEVC.
///
/// An access unit ends with the marker of its last packet, or when the RTP time changes. Some cameras set the marker on
/// every packet or slice, or never. So the RTP time ends the first units. Markers end units once a complete unit had its
/// only marker on its last packet. If more of the same frame follows a marker, only the RTP time counts from then on. A
/// marker before the first slice is ignored.
struct AccessUnitAssembler: Sendable {
    /// The meaning of this camera's markers.
    private enum Markers { case unknown, endUnits, meanNothing }

    private struct Fragment: Sendable {
        var bytes: [UInt8]
        var time: Int64
        /// True if the latest packet had the marker. Then the NAL unit may be complete, although its end was not stated.
        var endsWithMarker = false
    }

    private struct Unit: Sendable {
        var time: Int64
        var arrival: Int64
        var lost: Int64
        /// The packets that arrived before the unit, but were no part of a frame.
        var unused: Int64
        /// The packets of the unit that arrived.
        var packets: Int64 = 1
        /// The packets from the first slice on that had the marker.
        var markers = 0
        /// True if the latest packet had the marker.
        var endsWithMarker = false
        /// The NAL units, each after its length.
        var bytes: [UInt8] = []
        var hasSlice = false
        var isKeyframe = false
        var isDamaged = false
        var isTooLarge = false
        /// Parameter sets in this unit that differ from the earlier ones.
        var newSets: [[UInt8]] = []
    }

    private var sets: VideoSets
    private var unit: Unit?
    /// The NAL unit whose fragments are being received.
    private var fragment: Fragment?
    /// The record of the format that was reported last.
    private var reported: [UInt8] = []
    /// The reorder depth of that format.
    private var reorderDepth: Int?
    /// The time of a unit that ended with a marker.
    private var endedTime: Int64?
    private var markers = Markers.unknown
    /// True until the first slice, which may be in the middle of a frame.
    private var isAtStart = true
    /// Lost packets that belong to no unit yet.
    private var pendingLost: Int64 = 0
    /// Packets that arrived and belong to no frame, such as those of a frame whose first packet is missing.
    private var pendingUnused: Int64 = 0
    /// The numbers of the frames of H.264; nil for other streams, and if the numbers cannot be read.
    private var numbers: H264FrameNumbers?
    /// The smallest number of packets of a keyframe so far.
    private var leastKeyframe: Int64?
    /// The memory for samples. Except for keyframes, few frames are larger than 32 KiB.
    private let packets = MediaDataPool(byteCount: 32 << 10, capacity: 64)

    /// - Parameter units: The parameter sets of the session description.
    init(_ sets: VideoSets, units: [[UInt8]]) {
        self.sets = sets
        for set in units { add(set[...]) }
    }

    /// Begins a packet. Ends the unit before it if the time changed.
    mutating func begin(_ packet: ReceivedPacket, to output: inout [DepacketizedItem]) {
        if packet.lostBefore > 0 { fragment?.endsWithMarker = false }
        if let fragment, packet.lostBefore > 0 || packet.time != fragment.time { endFragment() }
        if unit?.time == packet.time {
            unit?.lost += packet.lostBefore
            unit?.packets += 1
            unit?.endsWithMarker = false
            if packet.lostBefore > 0 { unit?.isDamaged = true }
            return
        }
        // Without a marker, the end of the unit may be among the lost packets.
        if packet.lostBefore > 0 { unit?.isDamaged = true }
        close(to: &output)
        if packet.time == endedTime { markers = .meanNothing }
        unit = Unit(
            time: packet.time, arrival: packet.arrival, lost: packet.lostBefore + pendingLost, unused: pendingUnused)
        (pendingLost, pendingUnused) = (0, 0)
    }

    /// Marks the current unit as damaged.
    mutating func damage() { unit?.isDamaged = true }

    /// Adds a NAL unit. If a camera left start codes within it, they separate several units.
    mutating func add(_ bytes: ArraySlice<UInt8>) {
        let kind = sets.kind(of: bytes)
        let beginsWithStartCode = bytes.starts(with: [0, 0, 1]) || bytes.starts(with: [0, 0, 0, 1])
        guard beginsWithStartCode || kind == .parameterSet || kind == .other else { return append(bytes, kind) }
        var parts: [ArraySlice<UInt8>] = []
        let coded: [UInt8] = beginsWithStartCode ? Array(bytes) : [0, 0, 1] + bytes
        coded.withUnsafeBytes { all in AnnexB.forEachUnit(all) { parts.append(Array($0)[...]) } }
        for part in parts { append(part, sets.kind(of: part)) }
    }

    /// Adds a fragment of a NAL unit.
    ///
    /// - Parameter header: The header of the unit if this is its first fragment, else nil.
    mutating func addFragment(_ bytes: ArraySlice<UInt8>, header: [UInt8]?, isEnd: Bool, time: Int64) {
        if let header {
            endFragment()
            fragment = Fragment(bytes: header, time: time)
        }
        guard var open = fragment else { return damage() }
        // Makes `open` the only reference to the bytes, so that they are not copied for each fragment.
        fragment = nil
        open.bytes.append(contentsOf: bytes)
        open.endsWithMarker = false
        guard open.bytes.count <= SampleLimits.mostBytes else { return damage() }
        if isEnd { add(open.bytes[...]) } else { fragment = open }
    }

    /// Ends the NAL unit whose fragments are being received, if there is one. Some cameras do not set the end bit of the
    /// last fragment, so the marker ends it too. Otherwise fragments are missing, and the NAL unit is discarded.
    mutating func endFragment() {
        guard let open = fragment else { return }
        fragment = nil
        if open.endsWithMarker { add(open.bytes[...]) } else { damage() }
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>, _ kind: VideoUnitKind) {
        switch kind {
        case .ignored: return
        case .parameterSet:
            guard bytes.count <= SampleLimits.mostSetBytes else {
                unit?.isDamaged = true
                return
            }
            guard sets.take(bytes), let count = unit?.newSets.count else { return }
            if count < SampleLimits.mostNewSets { unit?.newSets.append(Array(bytes)) } else { unit?.isTooLarge = true }
            return
        case .slice(let isFirst, let isKeyframe):
            guard let open = unit else { return }
            // Without its first slice, the frame began among the lost packets or before the first packet.
            if !open.hasSlice, !isFirst, open.lost > 0 || isAtStart { unit?.isDamaged = true }
            isAtStart = false
            unit?.hasSlice = true
            if isKeyframe { unit?.isKeyframe = true }
        case .other: break
        }
        guard let count = unit?.bytes.count else { return }
        guard count + bytes.count + 4 <= SampleLimits.mostBytes else {
            unit?.isTooLarge = true
            return
        }
        unit?.bytes.appendBigEndian(UInt32(bytes.count))
        unit?.bytes.append(contentsOf: bytes)
    }

    /// Ends a packet: ends the unit if the packet has the marker.
    mutating func end(marker: Bool, to output: inout [DepacketizedItem]) {
        guard marker, let unit, unit.hasSlice || fragment != nil else { return }
        self.unit?.markers += 1
        self.unit?.endsWithMarker = true
        fragment?.endsWithMarker = true
        guard markers == .endUnits else { return }
        endFragment()
        guard self.unit?.hasSlice == true else { return }
        close(to: &output)
        endedTime = unit.time
    }

    /// Learns from a unit that ends what this camera's markers mean.
    private mutating func learnMarkers(_ unit: Unit) {
        guard markers == .unknown else { return }
        if unit.markers > 1 { markers = .meanNothing }
        if unit.markers == 1, unit.endsWithMarker, !unit.isDamaged { markers = .endUnits }
    }

    /// Ends the unit, and delivers it.
    mutating func close(to output: inout [DepacketizedItem]) {
        guard var unit else { return }
        self.unit = nil
        learnMarkers(unit)
        guard unit.hasSlice else {
            pendingLost += unit.lost
            pendingUnused += unit.unused + unit.packets
            return
        }
        guard unit.time != endedTime else {
            // This is the rest of a frame that a marker ended too early.
            return output.append(.dropped(count: 1, .damaged, time: unit.time))
        }
        guard !unit.isTooLarge else { return output.append(.dropped(count: 1, .tooLarge, time: unit.time)) }
        if unit.isKeyframe || reported.isEmpty {
            if sets.record != reported, let format = sets.format {
                (reported, reorderDepth) = (sets.record, sets.reorderDepth)
                (numbers, leastKeyframe) = (sets.frameNumbers, nil)
                output.append(.format(.video(format)))
            }
        } else if !unit.newSets.isEmpty {
            // Between keyframes, a decoder reads changed parameter sets from the sample.
            var head: [UInt8] = []
            for set in unit.newSets {
                head.appendBigEndian(UInt32(set.count))
                head += set
            }
            unit.bytes.insert(contentsOf: head, at: 0)
        }
        guard !reported.isEmpty else {
            return output.append(.dropped(count: 1, .withoutFormat, time: unit.time))
        }
        if unit.isKeyframe, !unit.isDamaged, unit.lost == 0 {
            leastKeyframe = min(leastKeyframe ?? unit.packets, unit.packets)
        }
        output.append(
            .sample(
                NetworkSample(
                    unit.bytes.withUnsafeBytes { packets.copy($0) }, time: unit.time, arrival: unit.arrival,
                    isKeyframe: unit.isKeyframe, isDamaged: unit.isDamaged, lostPackets: unit.lost,
                    mayMissKeyframe: mayMissKeyframe(before: unit), reorderDepth: unit.isKeyframe ? reorderDepth : nil))
        )
    }

    /// Returns true if a keyframe may be among the missing packets of a unit. The frame numbers of H.264 begin again at
    /// a keyframe, and each missing frame lacks at least one packet. Otherwise the number of packets is compared with
    /// that of the smallest keyframe, and later keyframes may have half of it.
    private func mayMissKeyframe(before unit: Unit) -> Bool {
        guard unit.lost > 0 else { return false }
        if let number = unit.bytes.withUnsafeBytes({ numbers?.number(of: $0) }), number > unit.lost { return false }
        return (unit.lost + unit.unused) * 2 >= leastKeyframe ?? 0
    }

    /// Ends the unit, because its rest will not arrive. The packets that follow belong to an unrelated stream.
    mutating func flush(to output: inout [DepacketizedItem]) {
        fragment = nil
        unit?.isDamaged = true
        close(to: &output)
        (endedTime, leastKeyframe) = (nil, nil)
        isAtStart = true
    }
}

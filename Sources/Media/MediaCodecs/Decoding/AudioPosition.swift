import MediaTypes

/// The position of decoded audio on the timeline. It is counted in audio frames, because times in a file are rounded
/// and frame counts are exact.
struct AudioPosition {
    let sampleRate: Int32
    /// The maximum error that results from the rounding of the file's times.
    private let tolerance: Int64
    /// The position of the next audio frame; nil until the first time is known.
    private(set) var next: Int64?

    /// The packet length in audio frames, if it is fixed and the file's times are coarser than audio frames; otherwise
    /// 0. Packets begin at multiples of this length, counted from the first packet.
    private let packetLength: Int64
    private let firstPacket: Int64
    private let rounding: Int64

    /// - Parameters:
    ///   - framesPerPacket: the packet length in audio frames; 0 or 1 if it varies.
    ///   - initialPadding: priming frames before time 0.
    init(sampleRate: Int, timeScale: Int32, framesPerPacket: Int = 0, initialPadding: Int = 0) {
        self.sampleRate = Int32(clamping: sampleRate)
        // The tolerance is two ticks of the file. A tick is a thousandth of a second in Matroska.
        tolerance = max(1, 2 * Int64(sampleRate) / Int64(max(1, timeScale)) + 1)
        let isCoarse = Int(timeScale) < sampleRate
        packetLength = isCoarse && framesPerPacket > 1 ? Int64(clamping: framesPerPacket) : 0
        firstPacket = -Int64(clamping: max(0, initialPadding))
        rounding = isCoarse ? Int64(sampleRate) / Int64(max(1, timeScale)) + 1 : 0
    }

    /// Updates the position for audio with this time. While the time agrees with the count, counting continues. If
    /// audio frames are missing, the position changes to the time.
    mutating func meet(_ time: MediaTime?) {
        guard let time, time.isNumeric else {
            next = next ?? 0
            return
        }
        // No recording is longer than this limit. The limit prevents an overflow for an invalid time.
        let stated = min(max(time.ticks(in: sampleRate), -(1 << 60)), 1 << 60)
        if let next, (stated &- next).magnitude <= UInt64(tolerance) { return }
        next = nearestPacket(stated)
    }

    /// Returns the exact start of a packet whose time is rounded in the file.
    private func nearestPacket(_ stated: Int64) -> Int64 {
        if (stated - firstPacket).magnitude <= UInt64(rounding) { return firstPacket }
        guard packetLength > 0 else { return stated }
        let behind = stated - firstPacket
        let count = (behind + (behind < 0 ? -packetLength : packetLength) / 2) / packetLength
        let exact = firstPacket + count * packetLength
        return (exact - stated).magnitude <= UInt64(rounding) ? exact : stated
    }

    /// Moves the first audible frame to 0 if its distance from 0 is within the rounding error.
    mutating func settle() {
        if let next, next.magnitude <= UInt64(tolerance) { self.next = 0 }
    }

    mutating func advance(_ frames: Int) { next = (next ?? 0) &+ Int64(frames) }

    mutating func reset() { next = nil }
}

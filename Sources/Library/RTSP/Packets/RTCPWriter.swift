/// Makes the RTCP packets that a receiver sends (RFC 3550, 6.4.2 to 6.6).
///
/// The packets are compound, as the standard demands: a report first, then the canonical name.
package struct RTCPWriter: Sendable {
    /// The number of this receiver as a source.
    package let source: UInt32
    private let name: [UInt8]

    /// - Parameters:
    ///   - source: A random number.
    ///   - name: The canonical name, at most 255 bytes; it should not identify the machine.
    package init(source: UInt32, name: String) {
        self.source = source
        self.name = Array(name.utf8.prefix(255))
    }

    /// Returns a receiver report. A report without blocks only keeps the session alive, and its path through routers
    /// open.
    package func receiverReport(_ blocks: [ReceptionBlock] = []) -> [UInt8] {
        let blocks = blocks.prefix(31)
        var bytes: [UInt8] = [0x80 | UInt8(blocks.count), 201]
        bytes.appendBigEndian(UInt16(1 + blocks.count * 6))
        bytes.appendBigEndian(source)
        for block in blocks {
            bytes.appendBigEndian(block.source)
            bytes.appendBigEndian(UInt32(block.fractionLost) << 24 | UInt32(bitPattern: block.lost) & 0xFF_FFFF)
            bytes.appendBigEndian(block.highestSequence)
            bytes.appendBigEndian(block.jitter)
            bytes.appendBigEndian(block.lastReport)
            bytes.appendBigEndian(block.delay)
        }
        return bytes + sourceDescription
    }

    /// Returns the packet for the end of the session.
    package func goodbye() -> [UInt8] {
        var bytes = receiverReport()
        bytes += [0x81, 203, 0, 1]
        bytes.appendBigEndian(source)
        return bytes
    }

    private var sourceDescription: [UInt8] {
        var items: [UInt8] = []
        items.appendBigEndian(source)
        items += [1, UInt8(name.count)] + name + [0]
        while items.count % 4 != 0 { items.append(0) }
        var bytes: [UInt8] = [0x81, 202]
        bytes.appendBigEndian(UInt16(items.count / 4))
        return bytes + items
    }
}

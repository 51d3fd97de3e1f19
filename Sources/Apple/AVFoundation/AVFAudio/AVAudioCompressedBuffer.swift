public import Foundation
import MediaTypes

/// Packets of compressed audio in memory.
open class AVAudioCompressedBuffer: AVAudioBuffer {
    public let packetCapacity: AVAudioPacketCount
    /// The size of the largest packet in bytes.
    public let maximumPacketSize: Int
    /// The packets, one after the other.
    public let data: UnsafeMutableRawPointer
    /// The offset and size of each packet in `data`; nil if all packets have the same size.
    public let packetDescriptions: UnsafeMutablePointer<AudioStreamPacketDescription>?
    private let capacity: Int
    private var packets: AVAudioPacketCount = 0

    /// Allocates memory for packets of different sizes.
    public init(format: AVAudioFormat, packetCapacity: AVAudioPacketCount, maximumPacketSize: Int) {
        self.packetCapacity = packetCapacity
        self.maximumPacketSize = max(0, maximumPacketSize)
        // A list of buffers counts bytes in 32 bits.
        let (size, overflow) = Int(packetCapacity).multipliedReportingOverflow(by: max(0, maximumPacketSize))
        capacity = overflow ? Int(UInt32.max) : min(size, Int(UInt32.max))
        data = .allocate(byteCount: max(capacity, 1), alignment: 64)
        if format.streamDescription.pointee.mBytesPerPacket == 0 {
            let descriptions = UnsafeMutablePointer<AudioStreamPacketDescription>.allocate(
                capacity: max(1, Int(packetCapacity)))
            descriptions.initialize(repeating: AudioStreamPacketDescription(), count: max(1, Int(packetCapacity)))
            packetDescriptions = descriptions
        } else {
            packetDescriptions = nil
        }
        super.init(format: format, bufferCount: 1)
        list[0] = AudioBuffer(
            mNumberChannels: format.channelCount, mDataByteSize: 0, mData: data)
    }

    /// Allocates memory for packets that all have the size that the format states.
    public convenience init(format: AVAudioFormat, packetCapacity: AVAudioPacketCount) {
        self.init(
            format: format, packetCapacity: packetCapacity,
            maximumPacketSize: Int(format.streamDescription.pointee.mBytesPerPacket))
    }

    deinit {
        data.deallocate()
        packetDescriptions?.deallocate()
    }

    /// The number of packets. Values above the capacity are reduced to it.
    open var packetCount: AVAudioPacketCount {
        get { packets }
        set { packets = min(newValue, packetCapacity) }
    }

    open var byteCapacity: UInt32 { UInt32(clamping: capacity) }

    /// The number of valid bytes. Values above the capacity are reduced to it.
    open var byteLength: UInt32 {
        get { min(list[0].mDataByteSize, byteCapacity) }
        set { list[0].mDataByteSize = min(newValue, byteCapacity) }
    }

    /// Returns a buffer with the same packets in its own memory.
    override open func copy(with zone: NSZone? = nil) -> Any {
        let copy = AVAudioCompressedBuffer(
            format: format, packetCapacity: packetCapacity, maximumPacketSize: maximumPacketSize)
        copy.byteLength = byteLength
        copy.packetCount = packetCount
        copy.data.copyMemory(from: data, byteCount: Int(byteLength))
        if let source = packetDescriptions, let target = copy.packetDescriptions {
            for index in 0..<Int(packetCount) { target[index] = source[index] }
        }
        return copy
    }

    /// Returns the byte ranges of the packets in `data`, without empty packets.
    ///
    /// - Throws: `corruptData` for a packet that is not inside the valid bytes.
    func packetRanges() throws(MediaError) -> [Range<Int>] {
        let size = Int(format.streamDescription.pointee.mBytesPerPacket)
        let length = Int(byteLength)
        var ranges: [Range<Int>] = []
        for index in 0..<Int(packetCount) {
            let packet = packetDescriptions?[index]
            let start = packet.map { Int(clamping: $0.mStartOffset) } ?? index * size
            let bytes = packet.map { Int($0.mDataByteSize) } ?? size
            guard start >= 0, start <= length - bytes else {
                throw MediaError(
                    .corruptData, "cannot decode packet \(index) of a buffer",
                    reason: "its \(bytes) bytes begin at byte \(start), but the buffer has only \(length) bytes",
                    wayOut: "set byteLength, and the description of each packet")
            }
            if bytes > 0 { ranges.append(start..<(start + bytes)) }
        }
        return ranges
    }

    /// Appends a packet. Returns false if the packet does not fit.
    func append(_ packet: UnsafeRawBufferPointer) -> Bool {
        let start = Int(byteLength)
        guard packets < packetCapacity, packet.count <= capacity - start, let source = packet.baseAddress else {
            return false
        }
        (data + start).copyMemory(from: source, byteCount: packet.count)
        packetDescriptions?[Int(packets)] = AudioStreamPacketDescription(
            mStartOffset: Int64(start), mVariableFramesInPacket: 0, mDataByteSize: UInt32(clamping: packet.count))
        packets += 1
        byteLength = UInt32(clamping: start + packet.count)
        return true
    }
}

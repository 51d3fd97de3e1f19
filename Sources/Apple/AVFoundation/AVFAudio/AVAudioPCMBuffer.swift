public import Foundation

/// Frames of linear PCM in memory. Interleaved frames are in one buffer; otherwise each channel has a buffer.
open class AVAudioPCMBuffer: AVAudioBuffer {
    public let frameCapacity: AVAudioFrameCount
    /// The start of each channel's samples.
    private let channels: UnsafeMutablePointer<UnsafeMutableRawPointer>
    private let channelTotal: Int
    /// Frees the caller's memory when this object is released. nil if this object allocated the memory.
    private let deallocator: ((UnsafePointer<AudioBufferList>) -> Void)?

    /// Allocates memory for silent frames, and sets `frameLength` to 0.
    ///
    /// - Returns: nil for a format that is not linear PCM, and if one buffer would exceed 4 GiB.
    public init?(pcmFormat format: AVAudioFormat, frameCapacity: AVAudioFrameCount) {
        let description = format.streamDescription.pointee
        let (size, overflow) = Int(frameCapacity).multipliedReportingOverflow(by: Int(description.mBytesPerFrame))
        guard !overflow, description.mFormatID == kAudioFormatLinearPCM, description.mBytesPerFrame > 0,
            (1...1024).contains(description.mChannelsPerFrame), size <= Int(UInt32.max)
        else { return nil }
        self.frameCapacity = frameCapacity
        channelTotal = Int(description.mChannelsPerFrame)
        channels = .allocate(capacity: channelTotal)
        deallocator = nil
        super.init(format: format, bufferCount: description.bufferCount)
        for index in list.indices {
            // Programs that use vector instructions expect aligned memory.
            let memory = UnsafeMutableRawPointer.allocate(byteCount: max(size, 1), alignment: 64)
            _ = memory.initializeMemory(as: UInt8.self, repeating: 0, count: max(size, 1))
            list[index] = AudioBuffer(
                mNumberChannels: description.isApart ? 1 : description.mChannelsPerFrame, mDataByteSize: 0,
                mData: memory)
        }
        findChannels()
    }

    /// Creates a buffer that uses the memory of a list. The sizes in the list determine the capacity. All frames are
    /// valid.
    ///
    /// - Parameter deallocator: called to free the memory when this object is released; if nil, the memory must exist
    ///   at least as long as this object.
    /// - Returns: nil for a format that is not linear PCM, and for a list that does not fit the format.
    public init?(
        pcmFormat format: AVAudioFormat, bufferListNoCopy bufferList: UnsafePointer<AudioBufferList>,
        deallocator: ((UnsafePointer<AudioBufferList>) -> Void)? = nil
    ) {
        let description = format.streamDescription.pointee
        let given = UnsafeMutableAudioBufferListPointer(UnsafeMutablePointer(mutating: bufferList))
        guard description.mFormatID == kAudioFormatLinearPCM, description.mBytesPerFrame > 0,
            (1...1024).contains(description.mChannelsPerFrame), given.count == description.bufferCount,
            given.allSatisfy({ $0.mData != nil && $0.mDataByteSize == given[0].mDataByteSize })
        else { return nil }
        frameCapacity = given[0].mDataByteSize / description.mBytesPerFrame
        channelTotal = Int(description.mChannelsPerFrame)
        channels = .allocate(capacity: channelTotal)
        self.deallocator = deallocator ?? { _ in }
        super.init(format: format, bufferCount: description.bufferCount)
        for index in list.indices { list[index] = given[index] }
        frameLength = frameCapacity
        findChannels()
    }

    deinit {
        if let deallocator {
            deallocator(list.unsafePointer)
        } else {
            // The pointers in the list are not used, because the caller may have changed them.
            for index in 0..<format.streamDescription.pointee.bufferCount { channels[index].deallocate() }
        }
        channels.deallocate()
    }

    private func findChannels() {
        let description = format.streamDescription.pointee
        let sampleSize = Int(description.mBytesPerFrame) / (description.isApart ? 1 : channelTotal)
        for index in 0..<channelTotal {
            let buffer = list[description.isApart ? index : 0]
            guard let data = buffer.mData else { continue }
            (channels + index).initialize(to: description.isApart ? data : data + index * sampleSize)
        }
    }

    /// The number of valid frames. Values above the capacity are reduced to it.
    open var frameLength: AVAudioFrameCount {
        // The caller may have changed the sizes in the list, so the value is limited.
        get { min(list[0].mDataByteSize / format.streamDescription.pointee.mBytesPerFrame, frameCapacity) }
        set {
            let size = min(newValue, frameCapacity) * format.streamDescription.pointee.mBytesPerFrame
            for index in list.indices { list[index].mDataByteSize = size }
        }
    }

    /// The distance, in samples, from one sample of a channel to its next one.
    open var stride: Int { format.isInterleaved ? channelTotal : 1 }

    /// The samples of each channel, `stride` apart; nil if the format is not 32-bit floating point.
    open var floatChannelData: UnsafePointer<UnsafeMutablePointer<Float>>? { data(.pcmFormatFloat32) }
    open var int16ChannelData: UnsafePointer<UnsafeMutablePointer<Int16>>? { data(.pcmFormatInt16) }
    open var int32ChannelData: UnsafePointer<UnsafeMutablePointer<Int32>>? { data(.pcmFormatInt32) }

    private func data<Sample>(_ wanted: AVAudioCommonFormat) -> UnsafePointer<UnsafeMutablePointer<Sample>>? {
        guard format.commonFormat == wanted else { return nil }
        return UnsafeRawPointer(channels).assumingMemoryBound(to: UnsafeMutablePointer<Sample>.self)
    }

    /// Returns a buffer with the same frames in its own memory.
    override open func copy(with zone: NSZone? = nil) -> Any {
        guard let copy = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: frameCapacity) else { return self }
        copy.frameLength = frameLength
        let size = Int(copy.list[0].mDataByteSize)
        for index in list.indices {
            guard let target = copy.list[index].mData, let source = list[index].mData else { continue }
            target.copyMemory(from: source, byteCount: size)
        }
        return copy
    }
}

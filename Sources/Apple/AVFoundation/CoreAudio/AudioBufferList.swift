import Foundation

/// The samples of one channel, or of several interleaved channels.
public struct AudioBuffer {
    public var mNumberChannels: UInt32
    public var mDataByteSize: UInt32
    public var mData: UnsafeMutableRawPointer?

    public init() { self.init(mNumberChannels: 0, mDataByteSize: 0, mData: nil) }
    public init(mNumberChannels: UInt32, mDataByteSize: UInt32, mData: UnsafeMutableRawPointer?) {
        self.mNumberChannels = mNumberChannels
        self.mDataByteSize = mDataByteSize
        self.mData = mData
    }

    /// Wraps borrowed memory as samples of `numberOfChannels` channels.
    public init<Element>(_ samples: UnsafeMutableBufferPointer<Element>, numberOfChannels: Int) {
        self.init(
            mNumberChannels: UInt32(clamping: numberOfChannels),
            mDataByteSize: UInt32(clamping: samples.count * MemoryLayout<Element>.stride),
            mData: UnsafeMutableRawPointer(samples.baseAddress))
    }
}

extension UnsafeBufferPointer {
    /// Creates a pointer to the buffer's memory as samples of this type.
    public init(_ buffer: AudioBuffer) {
        self.init(UnsafeMutableBufferPointer(buffer))
    }
}

extension UnsafeMutableBufferPointer {
    /// Creates a pointer to the buffer's memory as samples of this type; if the buffer has no memory, the pointer is
    /// empty.
    public init(_ buffer: AudioBuffer) {
        let count = buffer.mData == nil ? 0 : Int(buffer.mDataByteSize) / MemoryLayout<Element>.stride
        self.init(start: buffer.mData?.assumingMemoryBound(to: Element.self), count: count)
    }
}

/// A list of audio buffers: one if the channels are interleaved, otherwise one for each channel.
///
/// The structure contains the first buffer; the others follow in memory. `UnsafeMutableAudioBufferListPointer` provides
/// access to all of them.
public struct AudioBufferList {
    public var mNumberBuffers: UInt32
    public var mBuffers: AudioBuffer

    public init() { self.init(mNumberBuffers: 0, mBuffers: AudioBuffer()) }
    public init(mNumberBuffers: UInt32, mBuffers: AudioBuffer) {
        self.mNumberBuffers = mNumberBuffers
        self.mBuffers = mBuffers
    }

    /// Returns the size in bytes of a list with this number of buffers.
    ///
    /// - Precondition: at least one buffer.
    public static func sizeInBytes(maximumBuffers: Int) -> Int {
        precondition(maximumBuffers > 0, "a list needs at least one buffer")
        return MemoryLayout<AudioBufferList>.size + (maximumBuffers - 1) * MemoryLayout<AudioBuffer>.stride
    }

    /// Allocates a list with this number of empty buffers, using `malloc`. Free it with
    /// `free(list.unsafeMutablePointer)`.
    ///
    /// - Precondition: at least one buffer.
    public static func allocate(maximumBuffers: Int) -> UnsafeMutableAudioBufferListPointer {
        let size = sizeInBytes(maximumBuffers: maximumBuffers)
        guard let memory = calloc(1, size) else { fatalError("cannot allocate \(size) bytes") }
        let list = UnsafeMutableAudioBufferListPointer(memory.bindMemory(to: AudioBufferList.self, capacity: 1))
        list.count = maximumBuffers
        return list
    }
}

/// The buffers of a list as a collection.
public struct UnsafeMutableAudioBufferListPointer: RandomAccessCollection, MutableCollection {
    public let unsafeMutablePointer: UnsafeMutablePointer<AudioBufferList>

    public init(_ list: UnsafeMutablePointer<AudioBufferList>) { unsafeMutablePointer = list }
    public init?(_ list: UnsafeMutablePointer<AudioBufferList>?) {
        guard let list else { return nil }
        self.init(list)
    }

    public var unsafePointer: UnsafePointer<AudioBufferList> { UnsafePointer(unsafeMutablePointer) }

    /// The number of buffers. It can be set, for lists whose memory can hold more buffers.
    public var count: Int {
        get { Int(unsafeMutablePointer.pointee.mNumberBuffers) }
        nonmutating set { unsafeMutablePointer.pointee.mNumberBuffers = UInt32(clamping: newValue) }
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { count }

    public subscript(index: Int) -> AudioBuffer {
        get { buffer(index).pointee }
        nonmutating set { buffer(index).pointee = newValue }
    }

    private func buffer(_ index: Int) -> UnsafeMutablePointer<AudioBuffer> {
        precondition(index >= 0 && index < count, "index \(index) is out of range; the list has \(count) buffers")
        let offset = MemoryLayout<AudioBufferList>.offset(of: \.mBuffers) ?? MemoryLayout<UInt64>.size
        let first = UnsafeMutableRawPointer(unsafeMutablePointer) + offset
        return (first + index * MemoryLayout<AudioBuffer>.stride).assumingMemoryBound(to: AudioBuffer.self)
    }
}

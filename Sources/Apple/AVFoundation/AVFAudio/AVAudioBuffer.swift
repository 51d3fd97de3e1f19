public import Foundation

/// Audio in memory, with its format. A buffer may be used by only one thread at a time.
open class AVAudioBuffer: NSObject, NSCopying, NSMutableCopying {
    public let format: AVAudioFormat
    let list: UnsafeMutableAudioBufferListPointer

    /// Creates a list of empty buffers. Subclasses allocate the buffers' memory.
    init(format: AVAudioFormat, bufferCount: Int) {
        self.format = format
        list = AudioBufferList.allocate(maximumBuffers: max(1, bufferCount))
        super.init()
    }

    deinit { free(list.unsafeMutablePointer) }

    /// The list of buffers; valid while this object lives.
    open var audioBufferList: UnsafePointer<AudioBufferList> { list.unsafePointer }
    open var mutableAudioBufferList: UnsafeMutablePointer<AudioBufferList> { list.unsafeMutablePointer }

    open func copy(with zone: NSZone? = nil) -> Any { self }
    open func mutableCopy(with zone: NSZone? = nil) -> Any { copy(with: zone) }
}

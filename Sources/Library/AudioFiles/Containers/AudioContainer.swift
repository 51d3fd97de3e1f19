import MediaTypes

/// The bytes of an audio file before and after its audio. A plain value, made for one format.
///
/// The file consists of a head, the audio and a tail. The head always has the same length, and is written again at the
/// end.
protocol AudioContainer: Sendable {
    /// The largest number of bytes of audio that the file can store; nil if there is no limit.
    var largestByteCount: UInt64? { get }

    /// Returns the head.
    ///
    /// - Parameter extent: the amount of audio in the file; nil while it is being written. A head for nil makes
    ///   programs read up to the end of the file. So a file that was left by a crash is readable, unless programs need
    ///   its tail.
    func head(_ extent: AudioExtent?) -> [UInt8]

    /// Returns the bytes after the audio.
    func tail(_ extent: AudioExtent) -> [UInt8]

    /// Changes samples from the encoder's form to the form in the file.
    func adapt(_ bytes: inout [UInt8])
}

extension AudioContainer {
    var largestByteCount: UInt64? { nil }
    func tail(_ extent: AudioExtent) -> [UInt8] { [] }
    func adapt(_ bytes: inout [UInt8]) {}
}

extension AudioFormat {
    /// True for ordinary mono or stereo, whose loudspeakers need no description.
    var isPlainMonoOrStereo: Bool {
        let usual: ChannelLayout = channelCount == 1 ? .mono : .stereo
        return channelCount <= 2 && statedLayout == usual
    }
}

/// The amount of audio in a file.
struct AudioExtent: Sendable, Hashable {
    var byteCount: UInt64 = 0
    /// The number of frames, without priming and without the unused end of the last packet.
    var frameCount: Int64 = 0
    /// The sizes of the packets of compressed audio, in bytes.
    var packetSizes: [UInt32] = []

    mutating func add(_ bytes: Int, frames: Int64, isPacket: Bool) {
        byteCount += UInt64(bytes)
        frameCount += frames
        if isPacket { packetSizes.append(UInt32(clamping: bytes)) }
    }
}

import MediaTypes

/// Conversion from and to interleaved frames, which the library uses.
extension AVAudioPCMBuffer {
    /// The size in bytes of one sample of one channel.
    private var sampleSize: Int {
        let size = Int(format.streamDescription.pointee.mBytesPerFrame)
        return format.isInterleaved ? size / max(1, Int(format.channelCount)) : size
    }

    /// The size of an interleaved frame in bytes.
    var frameSize: Int { sampleSize * Int(format.channelCount) }

    /// Passes the valid frames to a closure, interleaved.
    func withFrames<Result>(
        _ body: (UnsafeRawBufferPointer) throws(MediaError) -> Result
    ) throws(MediaError) -> Result {
        let count = Int(frameLength)
        if format.isInterleaved || format.channelCount == 1 {
            return try body(UnsafeRawBufferPointer(start: list[0].mData, count: count * frameSize))
        }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count * frameSize, alignment: 64)
        defer { memory.deallocate() }
        for channel in list.indices {
            guard let source = list[channel].mData, let target = memory.baseAddress else { continue }
            Self.copySamples(
                count, sampleSize, from: source, apart: sampleSize, to: target + channel * sampleSize, apart: frameSize)
        }
        return try body(UnsafeRawBufferPointer(memory))
    }

    /// Stores interleaved frames in the buffer, beginning at the frame with the index `place`. Frames above the
    /// capacity are ignored. `frameLength` does not change.
    func store(_ frames: UnsafeRawBufferPointer, at place: Int) {
        let count = min(frames.count / max(1, frameSize), Int(frameCapacity) - place)
        guard count > 0, let source = frames.baseAddress else { return }
        if format.isInterleaved || format.channelCount == 1 {
            if let target = list[0].mData {
                (target + place * frameSize).copyMemory(from: source, byteCount: count * frameSize)
            }
            return
        }
        for channel in list.indices {
            guard let target = list[channel].mData else { continue }
            Self.copySamples(
                count, sampleSize, from: source + channel * sampleSize, apart: frameSize,
                to: target + place * sampleSize, apart: sampleSize)
        }
    }

    /// Copies samples whose starts are `sourceStep` bytes apart in the source and `targetStep` bytes apart in the
    /// target.
    private static func copySamples(
        _ count: Int, _ size: Int, from source: UnsafeRawPointer, apart sourceStep: Int,
        to target: UnsafeMutableRawPointer, apart targetStep: Int
    ) {
        switch size {
        case 2: copyWords(UInt16.self, count, from: source, sourceStep, to: target, targetStep)
        case 4: copyWords(UInt32.self, count, from: source, sourceStep, to: target, targetStep)
        case 8: copyWords(UInt64.self, count, from: source, sourceStep, to: target, targetStep)
        default:
            for index in 0..<count {
                (target + index * targetStep).copyMemory(from: source + index * sourceStep, byteCount: size)
            }
        }
    }

    private static func copyWords<Word: BitwiseCopyable>(
        _: Word.Type, _ count: Int, from source: UnsafeRawPointer, _ sourceStep: Int,
        to target: UnsafeMutableRawPointer, _ targetStep: Int
    ) {
        for index in 0..<count {
            let word = source.loadUnaligned(fromByteOffset: index * sourceStep, as: Word.self)
            target.storeBytes(of: word, toByteOffset: index * targetStep, as: Word.self)
        }
    }
}

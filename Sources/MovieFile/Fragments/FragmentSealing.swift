package import MediaTypes

/// Gives each fragment of a file a seal: bytes that stand in front of its samples, where no player looks. One thread, that of the
/// file, calls it; it may take as long as going through the samples does.
package protocol FragmentSealing: AnyObject, Sendable {
    /// - Returns: the seal, laid out as `FragmentSeal` says.
    func seal(_ fragment: FragmentContents) -> [UInt8]
    /// The fragment sealed last is in the file.
    func fragmentWritten()
    /// What the finished movie says about its end: after this no fragment comes.
    ///
    /// - Parameters:
    ///   - movieEnd: where the presentation ends, from the session start; nil: with the last sample.
    ///   - trackEnds: the same of tracks, by their ids.
    ///   - metadata: what the header says besides.
    func end(movieEnd: MediaTime?, trackEnds: [UInt32: MediaTime], metadata: [MetadataItem]) -> MetadataItem?
}

/// What a seal is about: the samples of a fragment, the same whether they are about to be written or were read back.
package struct FragmentContents {
    /// What stands about a sample in the fragment's head. Of PCM sound all samples that a fragment has of the track are one.
    package struct Sample {
        /// In ticks since the track's zero.
        package var decodeTime: UInt64
        package var compositionOffset: Int32
        package var isKeyFrame: Bool
        /// How many there are; 1 but for PCM.
        package var count: UInt32

        package init(decodeTime: UInt64, compositionOffset: Int32, isKeyFrame: Bool, count: UInt32) {
            self.decodeTime = decodeTime
            self.compositionOffset = compositionOffset
            self.isKeyFrame = isKeyFrame
            self.count = count
        }
    }

    package struct Track {
        package var id: UInt32
        /// No fragment before has samples of it: the header tells how they are to be understood.
        package var isNew: Bool
        package var decodeTime: UInt64
        /// All samples together are one.
        package var isOne: Bool
        let runs: [FragmentBuilder.Run]

        /// Goes through the samples in the order of decoding.
        ///
        /// - Parameters:
        ///   - sample: begins with each.
        ///   - data: gets its bytes, in one piece or several.
        package func forEach(sample: (Sample) -> Void, data: (UnsafeRawBufferPointer) -> Void) {
            if isOne {
                let count = runs.reduce(0) { $0 &+ $1.count }
                sample(Sample(decodeTime: decodeTime, compositionOffset: 0, isKeyFrame: true, count: count))
                for run in runs { data(run.bytes) }
                return
            }
            var time = decodeTime
            for run in runs {
                sample(
                    Sample(
                        decodeTime: time, compositionOffset: run.compositionOffset, isKeyFrame: run.isKeyFrame,
                        count: run.count))
                data(run.bytes)
                time &+= UInt64(run.duration) &* UInt64(run.count)
            }
        }
    }

    /// Counts the fragments of the file, from 1.
    package var number: UInt32
    package var tracks: [Track]
    /// Everything in front of the first fragment, as it is now.
    package var leadingHeader: [UInt8]
}

/// How a seal is laid out, as it stands at the beginning of a fragment's media data: its length (32 bits, with itself), `rcsl`, its
/// version (32 bits), the length of the head (32 bits), the head, and what proves it.
package struct FragmentSeal: Equatable, Sendable {
    static let signature: FourCharCode = "rcsl"
    static let version: UInt32 = 1
    static let headerSize = 16
    /// Longer than any: what a file says must not fill the memory.
    package static let largest = 1 << 20

    package var head: [UInt8]
    package var proof: [UInt8]

    package init(head: [UInt8], proof: [UInt8]) {
        self.head = head
        self.proof = proof
    }

    package var bytes: [UInt8] {
        var writer = AtomWriter()
        writer.atom(Self.signature) { seal in
            seal.u32(Self.version)
            seal.u32(UInt32(clamping: head.count))
            seal.raw(head)
            seal.raw(proof)
        }
        return writer.bytes
    }

    /// nil where the bytes begin with no seal.
    package init?(_ bytes: some Collection<UInt8>) {
        var reader = ByteReader(Array(bytes.prefix(Self.largest)))
        guard let size = reader.u32(), reader.code() == Self.signature, reader.u32() == Self.version,
            let length = reader.u32(), size >= Self.headerSize, let head = reader.slice(Int(length)),
            let proof = reader.slice(Int(size) - Self.headerSize - Int(length))
        else { return nil }
        self.init(head: Array(head), proof: Array(proof))
    }

    /// How many bytes a seal has that begins so; nil for none.
    static func length(_ start: [UInt8]) -> Int? {
        var reader = ByteReader(start)
        guard let size = reader.u32(), reader.code() == signature, size >= headerSize, size <= largest else {
            return nil
        }
        return Int(size)
    }
}

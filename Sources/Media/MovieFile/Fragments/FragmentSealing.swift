package import MediaTypes

/// Creates a seal for each fragment of a file: bytes that are stored before the fragment's samples, where players do
/// not look. Called only on the file's thread. A call may take as long as reading all samples.
package protocol FragmentSealing: AnyObject, Sendable {
    /// Creates the seal of the next fragment.
    ///
    /// - Returns: the seal, in the format of `FragmentSeal`.
    func seal(_ fragment: FragmentContents) -> [UInt8]
    /// Records that the last sealed fragment is in the file.
    func fragmentWritten()
    /// Returns the metadata item about the end of the finalized movie. Called after the last fragment.
    ///
    /// - Parameters:
    ///   - movieEnd: the end of the presentation, from the session start; if nil, it ends with the last sample.
    ///   - trackEnds: the ends of tracks, by their IDs.
    ///   - metadata: the other metadata of the header.
    func end(movieEnd: MediaTime?, trackEnds: [UInt32: MediaTime], metadata: [MetadataItem]) -> MetadataItem?
}

/// The sealed contents: the samples of a fragment, identical whether they are about to be written or were read back.
package struct FragmentContents {
    /// A sample's values from the fragment's head. All PCM samples of a track in a fragment count as one.
    package struct Sample {
        /// The decode time on the track's timeline, in ticks.
        package var decodeTime: UInt64
        package var compositionOffset: Int32
        package var isKeyframe: Bool
        /// The number of samples; greater than 1 only for PCM.
        package var count: UInt32

        package init(decodeTime: UInt64, compositionOffset: Int32, isKeyframe: Bool, count: UInt32) {
            self.decodeTime = decodeTime
            self.compositionOffset = compositionOffset
            self.isKeyframe = isKeyframe
            self.count = count
        }
    }

    package struct Track {
        package var id: UInt32
        /// True if no previous fragment has samples of the track. The header then contains the information for
        /// interpreting them.
        package var isNew: Bool
        package var decodeTime: UInt64
        /// True if all samples of the track count as one, as for PCM.
        package var isOne: Bool
        let runs: [FragmentBuilder.Run]

        /// Iterates over the samples in decode order.
        ///
        /// - Parameters:
        ///   - sample: called at the start of each sample.
        ///   - data: called with the sample's bytes, in one or more pieces.
        package func forEach(sample: (Sample) -> Void, data: (UnsafeRawBufferPointer) -> Void) {
            if isOne {
                let count = runs.reduce(0) { $0 &+ $1.count }
                sample(Sample(decodeTime: decodeTime, compositionOffset: 0, isKeyframe: true, count: count))
                for run in runs { data(run.bytes) }
                return
            }
            var time = decodeTime
            for run in runs {
                sample(
                    Sample(
                        decodeTime: time, compositionOffset: run.compositionOffset, isKeyframe: run.isKeyframe,
                        count: run.count))
                data(run.bytes)
                time &+= UInt64(run.duration) &* UInt64(run.count)
            }
        }
    }

    /// The number of the fragment in the file, from 1.
    package var number: UInt32
    package var tracks: [Track]
    /// Everything before the first fragment, in its current state.
    package var leadingHeader: [UInt8]
}

/// The format of a seal at the start of a fragment's media data: its length (32 bits, including itself), `rcsl`, its
/// version (32 bits), the length of the head (32 bits), the head, and the proof.
package struct FragmentSeal: Equatable, Sendable {
    static let signature: FourCharCode = "rcsl"
    static let version: UInt32 = 1
    static let headerSize = 16
    /// The maximum size of a seal. Prevents a false length from filling the memory.
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

    /// Parses a seal. Returns nil if the bytes do not begin with one.
    package init?(_ bytes: some Collection<UInt8>) {
        var reader = ByteReader(Array(bytes.prefix(Self.largest)))
        guard let size = reader.u32(), reader.code() == Self.signature, reader.u32() == Self.version,
            let length = reader.u32(), size >= Self.headerSize, let head = reader.slice(Int(length)),
            let proof = reader.slice(Int(size) - Self.headerSize - Int(length))
        else { return nil }
        self.init(head: Array(head), proof: Array(proof))
    }

    /// Returns the size of the seal that begins with these bytes; nil if it is not a seal.
    static func length(_ start: [UInt8]) -> Int? {
        var reader = ByteReader(start)
        guard let size = reader.u32(), reader.code() == signature, size >= headerSize, size <= largest else {
            return nil
        }
        return Int(size)
    }
}

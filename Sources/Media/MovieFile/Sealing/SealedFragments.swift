package import MediaTypes

/// Iterates over the fragments of one of our recordings in any state: still growing, truncated, repaired, finalized. A
/// finalized movie contains them unchanged inside its media data. After damage, a search finds the next fragment.
///
/// Meant for callers that read all fragments. Only one fragment at a time is in memory.
package struct SealedFragments {
    package struct Fragment {
        /// The range from the start of the fragment's head to the end of its media data, or to the end of the file.
        package var range: Range<UInt64>
        /// The fragment's sequence number; 0 if unknown.
        package var number: UInt32
        /// True if some of the fragment's samples are not in the file.
        package var isTorn: Bool
        /// The fragment's seal; nil if it has none.
        package var seal: FragmentSeal?
        package var tracks: [Track]
    }

    /// The samples of one track in a fragment, and their positions in the file.
    package struct Track {
        package let id: UInt32
        package let decodeTime: UInt64
        fileprivate let chunks: [FragmentReader.Chunk]
        fileprivate let fragment: UInt64

        /// Returns the samples in decode order.
        ///
        /// - Parameter isOne: true if all samples count as one, as for PCM.
        package func samples(isOne: Bool) -> [Sample] {
            var samples: [Sample] = []
            var pieces: [Piece] = []
            var (time, count) = (decodeTime, UInt32(0))
            for chunk in chunks {
                var place = fragment &+ UInt64(clamping: chunk.dataOffset)
                if isOne {
                    pieces.append(
                        Piece(
                            range: place..<max(place, place &+ chunk.byteCount),
                            start: Int64(clamping: time &- decodeTime), span: chunk.span))
                }
                for run in chunk.runs {
                    count &+= run.count
                    guard !isOne else {
                        time &+= UInt64(run.duration) &* UInt64(run.count)
                        continue
                    }
                    for _ in 0..<run.count {
                        let end = place &+ UInt64(run.size)
                        samples.append(
                            Sample(
                                contents: .init(
                                    decodeTime: time, compositionOffset: run.compositionOffset,
                                    isKeyframe: run.isKeyframe, count: 1),
                                pieces: [Piece(range: place..<max(place, end), start: 0, span: 0)]))
                        place = end
                        time &+= UInt64(run.duration)
                    }
                }
            }
            guard isOne else { return samples }
            let contents = FragmentContents.Sample(
                decodeTime: decodeTime, compositionOffset: 0, isKeyframe: true, count: count)
            return [Sample(contents: contents, pieces: pieces)]
        }
    }

    package struct Sample {
        package let contents: FragmentContents.Sample
        package let pieces: [Piece]
    }

    /// Contiguous bytes of a sample. Only PCM has several pieces.
    package struct Piece {
        package let range: Range<UInt64>
        /// Ticks from the start of the sample to the start of the piece.
        package let start: Int64
        package let span: Int64
    }

    /// The movie's header; nil if it was not found yet.
    package private(set) var header: MovieTracks?
    /// True if there is an unreadable header, or a second one.
    package private(set) var hasBadHeader = false
    /// True if a player could treat other data than the header and the media as part of the movie. Known at the end of
    /// the file.
    package private(set) var holdsStrangeAtoms = false
    /// True if there are copies of heads among the fragments.
    package private(set) var holdsCopies = false
    /// True if fragments are inside media data, as in a finalized movie, whose header follows them.
    package private(set) var isFinished = false
    /// True if unknown data follows the last known piece.
    package private(set) var endsInDamage = false
    /// True if all of the file was read.
    private var isDone = false
    /// The offsets of the headers that were found.
    private var headers: Set<UInt64> = []

    private let storage: any MovieStorage
    private var atoms: TopLevelAtoms
    private var position: UInt64 = 0
    /// The number of bytes that may still be read while searching for fragments. Limits the duration of the search,
    /// whatever the file contains.
    private var patience: UInt64
    /// The maximum number of samples in a fragment, far more than ours have. Prevents a false count from filling the
    /// memory.
    private static let mostSamples: UInt64 = 1 << 22
    /// The minimum number of bytes that a search reads.
    private static let searchCost: UInt64 = 1 << 20

    /// The header of a finalized movie, or the leading one of a recording.
    package struct MovieTracks {
        let moov: Atom
        let fileSize: UInt64
        /// The length that the header states.
        let byteCount: UInt64
        /// The end of the header in the file.
        package let end: UInt64
        /// True if samples are described by fragments, not by the header's tables.
        package let isLeading: Bool

        /// The header's values for presenting the movie, without dates and the duration.
        package var movie: [UInt8] { TrackDescriptions(moov).movie }

        /// Ticks per second of the movie's edits.
        package var timeScale: UInt32 { UInt32(clamping: FinalHeader.timeScale(moov["mvhd"]) ?? 1000) }

        /// Returns the tracks according to the tables; nil if those contradict themselves.
        package func tracks(isOne: (UInt32) -> Bool) -> [StoredTrack]? {
            StoredTrack.all(moov, byteCount: byteCount, fileSize: fileSize, isOne: isOne)
        }

        /// Returns the value of a key in the movie's metadata; nil if there is none, or several.
        package func metadata(_ key: String) -> String? {
            let values = metadataValues(key)
            return values.count == 1 ? values[0] : nil
        }

        /// Returns all values of a key. Players differ in which of several they use.
        package func metadataValues(_ key: String) -> [String] {
            MovieMetadata.read(from: moov).filter { $0.key == key }.map(\.value)
        }
    }

    package init(_ storage: any MovieStorage) throws(MediaError) {
        self.storage = storage
        atoms = try TopLevelAtoms(storage)
        patience = 16 * min(atoms.fileSize, 1 << 50) + 256 * Self.searchCost
    }

    /// Returns true if the first fragment has a seal. Reads only the beginning, and never searches a file that is not
    /// one of our recordings.
    package static func begin(_ storage: any MovieStorage) throws(MediaError) -> Bool {
        var fragments = try SealedFragments(storage)
        var (place, isInside) = (UInt64(0), false)
        for _ in 0..<64 {
            guard let atom = try fragments.atoms.header(at: place) else { return false }
            switch atom.type {
            case "moof": return try fragments.fragment(atom)?.seal != nil
            case "mdat" where isInside: return false
            case "mdat":
                isInside = true
                place = atom.offset + atom.headerSize
            default: place = atom.end
            }
        }
        return false
    }

    /// Returns the next fragment; nil at the end of the file. A fragment whose head has a form that no recorder writes
    /// is returned too, but proves nothing.
    package mutating func next() throws(MediaError) -> Fragment? {
        while position < atoms.fileSize {
            guard let atom = try atoms.header(at: position) else {
                guard try skipDamage() else { break }
                continue
            }
            switch atom.type {
            case "moof":
                if let fragment = try fragment(atom) { return fragment }
                _ = try skipDamage()
                return Self.refused(atom)
            case "mdat":
                isFinished = true
                position = atom.offset + atom.headerSize
            case "moov":
                try record(atom)
                position = atom.end
            case "free":
                if !holdsCopies { holdsCopies = try HeadCopy(atom, &atoms) != nil }
                position = atom.end
            default: position = Self.isPlausible(atom.type) ? atom.end : try afterDamage()
            }
        }
        position = atoms.fileSize
        if !isDone { try recordPlayerAtoms() }
        isDone = true
        return nil
    }

    /// Records the headers that players find. Players go from atom to atom and do not look into media data, so they may
    /// find a header that this search does not find.
    private mutating func recordPlayerAtoms() throws(MediaError) {
        let isTabled = header.map { !$0.isLeading } ?? isFinished
        let outer = try OuterAtoms(storage, isFinished: isTabled)
        for atom in outer.headers where !headers.contains(atom.offset) { try record(atom) }
        if let header, !outer.headers.contains(where: { $0.end == header.end }) { hasBadHeader = true }
        holdsStrangeAtoms = !outer.isPlain
    }

    /// Returns an empty, unsigned fragment, for a head that contradicts itself or has another form than a recorder
    /// writes. Players may still show its samples.
    private static func refused(_ atom: TopLevelAtoms.Header) -> Fragment {
        Fragment(range: atom.offset..<atom.end, number: 0, isTorn: false, seal: nil, tracks: [])
    }

    private mutating func record(_ atom: TopLevelAtoms.Header) throws(MediaError) {
        headers.insert(atom.offset)
        let bytes = try atoms.contents(of: atom)
        guard let bytes, let moov = Atom(parsing: bytes), header == nil else {
            hasBadHeader = true
            return
        }
        header = MovieTracks(
            moov: moov, fileSize: atoms.fileSize, byteCount: atom.size, end: atom.end, isLeading: moov["mvex"] != nil)
    }

    /// Returns true if all four bytes of a type are printable. Any other type is damage.
    private static func isPlausible(_ type: FourCharCode) -> Bool {
        (0..<4).allSatisfy { 0x20...0x7E ~= UInt8(truncatingIfNeeded: type.rawValue >> ($0 * 8)) }
    }

    private mutating func afterDamage() throws(MediaError) -> UInt64 {
        guard try skipDamage() else { return atoms.fileSize }
        return position
    }

    /// - Returns: true if a known piece follows.
    private mutating func skipDamage() throws(MediaError) -> Bool {
        guard patience > Self.searchCost else {
            position = atoms.fileSize
            endsInDamage = true
            return false
        }
        patience -= Self.searchCost
        var search = try FragmentSearch(storage, tracks: nil)
        guard let piece = try search.next(from: position + 1) else {
            position = atoms.fileSize
            endsInDamage = true
            return false
        }
        position = piece.start
        return true
    }

    private mutating func fragment(_ atom: TopLevelAtoms.Header) throws(MediaError) -> Fragment? {
        guard let head = try atoms.contents(of: atom), PlainFragment.isPlain(head),
            let parts = FragmentReader.tracks(inMovieFragment: head),
            let mediaSize = FoundFragment.mediaSize(try atoms.bytes(at: atom.end, count: 16)[...]), atom.size < 1 << 31
        else { return nil }
        let end = atom.end.addingReportingOverflow(mediaSize).partialValue
        let isTorn = end > atoms.fileSize || end < atom.end
        guard parts.reduce(0, { $0 &+ $1.sampleCount }) <= Self.mostSamples else { return nil }
        let limit = isTorn ? atoms.fileSize : end
        let media = atom.size..<(limit - atom.offset)
        // Even in a truncated fragment, no sample may begin before the fragment's own media data. Otherwise, players
        // would show earlier samples again.
        guard isTorn ? Self.begin(parts, behind: media.lowerBound) : FragmentReader.arePlausible(parts, media: media)
        else { return nil }
        let kept = isTorn ? FragmentReader.cut(parts, media: media).tracks : parts
        let isLong = try atoms.bytes(at: atom.end, count: 4) == [0, 0, 0, 1]
        let seal = try seal(at: atom.end + (isLong ? 16 : 8))
        position = limit
        return Fragment(
            range: atom.offset..<limit, number: FragmentReader.sequenceNumber(inMovieFragment: head) ?? 0,
            isTorn: isTorn, seal: seal,
            tracks: kept.map {
                Track(id: $0.id, decodeTime: $0.decodeTime, chunks: $0.chunks, fragment: atom.offset)
            })
    }

    private static func begin(_ tracks: [FragmentReader.Track], behind place: UInt64) -> Bool {
        tracks.allSatisfy { $0.chunks.allSatisfy { $0.dataOffset >= Int64(clamping: place) } }
    }

    private mutating func seal(at offset: UInt64) throws(MediaError) -> FragmentSeal? {
        guard let length = FragmentSeal.length(try atoms.bytes(at: offset, count: 16)) else { return nil }
        return FragmentSeal(try atoms.bytes(at: offset, count: length))
    }

    /// Passes the bytes of a range of the file to `take`, in pieces.
    ///
    /// - Returns: true if all bytes exist.
    package func read(_ range: Range<UInt64>, _ take: (UnsafeRawBufferPointer) -> Void) throws(MediaError) -> Bool {
        var position = range.lowerBound
        while position < range.upperBound {
            let bytes = try storage.read(Int(min(1 << 20, range.upperBound - position)), at: position)
            guard !bytes.isEmpty else { return false }
            bytes.withUnsafeBytes(take)
            position += UInt64(bytes.count)
        }
        return true
    }
}

extension FragmentReader.Chunk {
    /// Ticks from the first sample to the last.
    fileprivate var span: Int64 {
        let all = runs.reduce(UInt64(0)) { $0 &+ UInt64($1.duration) &* UInt64($1.count) }
        return Int64(clamping: all &- min(all, UInt64(runs.last?.duration ?? 0)))
    }
}

package import MediaTypes

/// Goes through the fragments of a recording of ours in whatever state it is: still growing, torn, repaired, finished. A finished
/// movie holds them untouched inside its media data. Behind a damaged place the next one is searched for.
///
/// For whoever reads everything; memory holds one fragment at a time.
package struct SealedFragments {
    package struct Fragment {
        /// Where its head begins, and where its media data ends or the file does.
        package var range: Range<UInt64>
        /// Its number, by itself; 0 where nobody knows.
        package var number: UInt32
        /// Its samples are not all in the file.
        package var isTorn: Bool
        /// nil where it has none.
        package var seal: FragmentSeal?
        package var tracks: [Track]
    }

    /// What a fragment has of a track, and where in the file.
    package struct Track {
        package let id: UInt32
        package let decodeTime: UInt64
        fileprivate let chunks: [FragmentReader.Chunk]
        fileprivate let fragment: UInt64

        /// The samples in the order of decoding.
        ///
        /// - Parameter isOne: all are one, as of PCM sound.
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
                                    isKeyFrame: run.isKeyFrame, count: 1),
                                pieces: [Piece(range: place..<max(place, end), start: 0, span: 0)]))
                        place = end
                        time &+= UInt64(run.duration)
                    }
                }
            }
            guard isOne else { return samples }
            let contents = FragmentContents.Sample(
                decodeTime: decodeTime, compositionOffset: 0, isKeyFrame: true, count: count)
            return [Sample(contents: contents, pieces: pieces)]
        }
    }

    package struct Sample {
        package let contents: FragmentContents.Sample
        package let pieces: [Piece]
    }

    /// Bytes of a sample that follow each other. Only PCM sound has several.
    package struct Piece {
        package let range: Range<UInt64>
        /// Ticks from the sample's beginning to the piece's, and from there to the last that it holds.
        package let start: Int64
        package let span: Int64
    }

    /// The movie's header, as far as it has been met.
    package private(set) var header: MovieTracks?
    /// There is one that cannot be read, or a second one.
    package private(set) var hasBadHeader = false
    /// Beside the header and the media is something that a player could take for a part of the movie. Known at the end.
    package private(set) var holdsStrangeAtoms = false
    /// Among the fragments are copies of their heads.
    package private(set) var holdsCopies = false
    /// Fragments are inside media data, as in a finished movie, whose header comes behind them.
    package private(set) var isFinished = false
    /// Behind the last fragment, or what is known else, is something that is not.
    package private(set) var endsInDamage = false
    /// All of the file was looked at.
    private var isDone = false
    /// Where headers begin that were met.
    private var headers: Set<UInt64> = []

    private let storage: any MovieStorage
    private var atoms: TopLevelAtoms
    private var position: UInt64 = 0
    /// Bytes that may still be read in search of a fragment: no file makes that take for ever.
    private var patience: UInt64
    /// No fragment of ours has nearly as many samples; keeps one that lies from filling the memory.
    private static let mostSamples: UInt64 = 1 << 22
    /// What a search reads at least.
    private static let searchCost: UInt64 = 1 << 20

    /// The header of a finished movie, or the leading one of a recording.
    package struct MovieTracks {
        let moov: Atom
        let fileSize: UInt64
        /// The length that it states.
        let byteCount: UInt64
        /// Where it ends in the file.
        package let end: UInt64
        /// Samples stand in fragments, and not in the header's tables.
        package let isLeading: Bool

        /// What it says about showing the movie, without dates and the duration.
        package var movie: [UInt8] { TrackDescriptions(moov).movie }

        /// Ticks per second of the movie's edits.
        package var timeScale: UInt32 { UInt32(clamping: FinalHeader.timeScale(moov["mvhd"]) ?? 1000) }

        /// What the tables say; nil where they contradict themselves.
        package func tracks(isOne: (UInt32) -> Bool) -> [StoredTrack]? {
            StoredTrack.all(moov, byteCount: byteCount, fileSize: fileSize, isOne: isOne)
        }

        /// The value of a key among the movie's metadata; nil where it has none, or several.
        package func metadata(_ key: String) -> String? {
            let values = metadataValues(key)
            return values.count == 1 ? values[0] : nil
        }

        /// All that it says by that key: which of several a player takes nobody knows.
        package func metadataValues(_ key: String) -> [String] {
            MovieMetadata.read(from: moov).filter { $0.key == key }.map(\.value)
        }
    }

    package init(_ storage: any MovieStorage) throws(MediaError) {
        self.storage = storage
        atoms = try TopLevelAtoms(storage)
        patience = 16 * min(atoms.fileSize, 1 << 50) + 256 * Self.searchCost
    }

    /// Whether the first fragment has a seal. Looks at the beginning alone: of what is no recording of ours nothing is searched.
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

    /// The next fragment, or head of one that proves nothing; nil at the end of the file.
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
                try note(atom)
                position = atom.end
            case "free":
                if !holdsCopies { holdsCopies = try HeadCopy(atom, &atoms) != nil }
                position = atom.end
            default: position = Self.isPlausible(atom.type) ? atom.end : try afterDamage()
            }
        }
        position = atoms.fileSize
        if !isDone { try noteWhatPlayersMeet() }
        isDone = true
        return nil
    }

    /// Players go from atom to atom and do not look into media data: they may find another header than the search for fragments.
    private mutating func noteWhatPlayersMeet() throws(MediaError) {
        let isTabled = header.map { !$0.isLeading } ?? isFinished
        let outer = try OuterAtoms(storage, isFinished: isTabled)
        for atom in outer.headers where !headers.contains(atom.offset) { try note(atom) }
        if let header, !outer.headers.contains(where: { $0.end == header.end }) { hasBadHeader = true }
        holdsStrangeAtoms = !outer.isPlain
    }

    /// A head that is not laid out as ours are, or contradicts itself. Players may make something of it: nobody signed that.
    private static func refused(_ atom: TopLevelAtoms.Header) -> Fragment {
        Fragment(range: atom.offset..<atom.end, number: 0, isTorn: false, seal: nil, tracks: [])
    }

    private mutating func note(_ atom: TopLevelAtoms.Header) throws(MediaError) {
        headers.insert(atom.offset)
        let bytes = try atoms.contents(of: atom)
        guard let bytes, let moov = Atom(parsing: bytes), header == nil else {
            hasBadHeader = true
            return
        }
        header = MovieTracks(
            moov: moov, fileSize: atoms.fileSize, byteCount: atom.size, end: atom.end, isLeading: moov["mvex"] != nil)
    }

    /// Types of atoms are printable; what is not lies in damage.
    private static func isPlausible(_ type: FourCharCode) -> Bool {
        (0..<4).allSatisfy { 0x20...0x7E ~= UInt8(truncatingIfNeeded: type.rawValue >> ($0 * 8)) }
    }

    private mutating func afterDamage() throws(MediaError) -> UInt64 {
        guard try skipDamage() else { return atoms.fileSize }
        return position
    }

    /// - Returns: whether something known follows.
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
        // Of a torn one as well nothing is in front of its own media data: it would be shown again.
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

    /// Hands on the bytes of a stretch of the file, in pieces.
    ///
    /// - Returns: whether all were there.
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

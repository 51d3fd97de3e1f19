import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MovieFile
@testable import Signing

/// Tests of attacks by a person who knows how players read movies: each changes what some player shows, and two
/// verifiers that share no code find it.
@Suite(.timeLimit(.minutes(10))) struct TamperingTests {
    private static let tamperings: [(name: String, bytes: @Sendable () throws -> [UInt8])] = [
        ("a second mvhd that turns the frames", { try header { $0.children.append(turned($0["mvhd"])) } }),
        (
            "an mvhd among the texts",
            { try header { $0.children.append(Atom("udta", bytes: bytes(turned($0["mvhd"])))) } }
        ),
        (
            "an mvhd deep in a track's texts",
            {
                try header { moov in
                    let inner = Atom("wave", bytes: bytes(turned(moov["mvhd"])))
                    try track(&moov) { $0.children.append(Atom("udta", bytes: bytes(inner))) }
                }
            }
        ),
        ("a table among the texts of the tables", { try header { try hiddenTable(&$0) } }),
        (
            "a track twice",
            { try header { moov in moov.children.insert(try #require(moov["trak"]), at: 1) } }
        ),
        ("two lists of texts", { try header { $0.children += [Atom("udta", bytes: []), Atom("udta", bytes: [])] } }),
        ("a part shown again", { try edits { $0 + $0 } }),
        ("nothing but an empty edit", { try edits { [.init(duration: $0[0].duration, mediaTime: -1)] } }),
        ("an edit from before everything", { try edits { [.init(duration: 5, mediaTime: -2)] + $0 } }),
        ("an edit from long before everything", { try edits { [.init(duration: 5, mediaTime: -1 << 40)] + $0 } }),
        (
            "edits that last for ever",
            { try edits { [.init(duration: .max, mediaTime: -1), .init(duration: 2, mediaTime: -1)] + $0 } }
        ),
        ("a frame held in the place of another", { try edits { try held($0) } }),
        ("the account of losses twice", { try header { try secondLedger(&$0) } }),
        ("data that count from elsewhere", { try fragment("tfhd", 4) { $0 & ~0x02_0000 } }),
        ("a second description", { try fragment("tfhd", 4) { $0 | 0x01_0000 } }),
        ("a run of another version", { try fragment("trun", 4) { $0 & 0xFF_FFFF } }),
        ("an atom of no fragment", { try fragment("tfdt", 0) { _ in FourCharCode("mvhd").rawValue } }),
        ("data that count from elsewhere at the end", { try fragment("tfhd", 4, last: true) { $0 & ~0x02_0000 } }),
        ("less media data than samples at the end", { try fragment("mdat", -4, last: true) { $0 - 300 } }),
        (
            "the same behind what is no atom",
            {
                var movie = try fragment("tfhd", 4, last: true) { $0 & ~0x02_0000 }
                let place = try #require(try SignedMovie.fragments(SignedMovie.one.growing).last).lowerBound
                movie.insert(contentsOf: [0, 0, 0, 8, 1, 2, 3, 4], at: place)
                return movie
            }
        ),
        ("another last fragment, whose head is no longer one", { try lastFragment() }),
    ]

    @Test func tampering_changesWhatPlayersShow_isFound() throws {
        let temporary = try TemporaryDirectory()
        let directory = temporary.url.path
        do {
            try Data(SignedMovie.key.publicKey.pem.utf8).write(to: URL(fileURLWithPath: directory + "/key.pub"))
            let files = try Self.tamperings.enumerated().map { index, tampering in
                let path = directory + "/\(index).mov"
                let bytes = try tampering.bytes()
                try Data(bytes).write(to: URL(fileURLWithPath: path))
                let answer = try SignedMovie.verify(bytes)
                #expect(answer.verdict == .altered, "\(tampering.name)")
                return path
            }
            let python = Project.path(".build/judges/bin/python")
            let result = try Command.run(
                [python, Project.path("Tests/Judges/signature.py"), directory + "/key.pub"] + files)
            let lines = result.text.split(separator: "\n")
            #expect(lines.count == files.count, "\(result.errors)")
            for (line, (name, _)) in zip(lines, Self.tamperings) {
                #expect(line.contains("\"altered\""), "\(name): the other verifier says \(line)")
            }
        }
    }

    @Test func movie_writtenAgainUnchanged_isGenuine() throws {
        #expect(try SignedMovie.verify(Self.header { _ in }).verdict == .genuine)
        #expect(try SignedMovie.verify(Self.edits { $0 }).verdict == .genuine)
        #expect(try SignedMovie.verify(Self.fragment("tfhd", 4) { $0 }).verdict == .genuine)
    }

    // MARK: Helpers

    /// The finalized movie with another header, which is stored at its end.
    private static func header(_ change: (inout Atom) throws -> Void) throws -> [UInt8] {
        let movie = SignedMovie.one.finished
        var atoms = try TopLevelAtoms(MemoryStorage(movie))
        var place: UInt64 = 0
        while let atom = try atoms.header(at: place) {
            if atom.type == "moov" {
                let contents = try #require(try atoms.contents(of: atom))
                var moov = try #require(Atom(parsing: contents))
                try change(&moov)
                return Array(movie[..<Int(place)]) + bytes(moov) + movie[Int(atom.end)...]
            }
            place = atom.end
        }
        throw MediaError(.corruptData, "cannot alter the test's movie", reason: "it has no header")
    }

    private static func bytes(_ atom: Atom) -> [UInt8] {
        var writer = AtomWriter()
        atom.write(into: &writer)
        return writer.bytes
    }

    /// A movie header with the matrix of a quarter turn.
    private static func turned(_ mvhd: Atom?) -> Atom {
        var payload = mvhd?.payload ?? []
        let start = payload.count - 64
        for (index, value) in [0, 1 << 16, 0, -1 << 16, 0, 0].enumerated() {
            for byte in 0..<4 {
                payload[start + index * 4 + byte] = UInt8(truncatingIfNeeded: value >> (24 - 8 * byte))
            }
        }
        return Atom("mvhd", bytes: payload)
    }

    private static func track(_ moov: inout Atom, _ change: (inout Atom) throws -> Void) throws {
        var trak = try #require(moov["trak"])
        try change(&trak)
        moov["trak"] = trak
    }

    private static func hiddenTable(_ moov: inout Atom) throws {
        try track(&moov) { trak in
            var mdia = try #require(trak["mdia"])
            var minf = try #require(mdia["minf"])
            var stbl = try #require(minf["stbl"])
            let table = try #require(stbl["stts"])
            stbl.children.append(Atom("udta", bytes: bytes(table)))
            minf["stbl"] = stbl
            mdia["minf"] = minf
            trak["mdia"] = mdia
        }
    }

    private static func secondLedger(_ moov: inout Atom) throws {
        var writer = AtomWriter()
        KeyedMetadata.write(
            [MetadataItem(key: MetadataItem.ledgerKey, value: "{}")], dialect: .mpeg4, into: &writer)
        moov.children.append(Atom("udta", bytes: writer.bytes))
    }

    private static func edits(_ change: ([EditList.Entry]) throws -> [EditList.Entry]) throws -> [UInt8] {
        try header { moov in
            try track(&moov) { trak in
                let list = try #require(trak.find("edts", "elst").flatMap { EditList(payload: $0.payload) })
                let new = EditList(try change(list.entries))
                trak["edts"] = Atom("edts", children: [Atom("elst", bytes: Array(new.atom().dropFirst(8)))])
            }
        }
    }

    /// The first frame for one tick of the movie, then the frame of a second later, held until the next is due.
    private static func held(_ entries: [EditList.Entry]) throws -> [EditList.Entry] {
        let first = try #require(entries.first)
        let later = EditList.Entry(duration: 20_000, mediaTime: first.mediaTime + 90_100)
        return [
            .init(duration: 5_000, mediaTime: first.mediaTime), later,
            .init(duration: first.duration - 25_000, mediaTime: first.mediaTime + 25 * 90),
        ]
    }

    /// The growing movie with another word next to the first occurrence of an atom type in its second fragment, or its
    /// last.
    private static func fragment(
        _ type: FourCharCode, _ distance: Int, last: Bool = false, _ change: (UInt32) -> UInt32
    ) throws -> [UInt8] {
        var movie = SignedMovie.one.growing
        let fragments = try SignedMovie.fragments(movie)
        let fragment = fragments[last ? fragments.count - 1 : 1]
        var found = false
        for place in fragment.lowerBound..<(fragment.upperBound - 4)
        where movie[place..<(place + 4)].elementsEqual(type.bytes) {
            let word = movie[(place + distance)..<(place + distance + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let new = change(word)
            for byte in 0..<4 { movie[place + distance + byte] = UInt8(truncatingIfNeeded: new >> (24 - 8 * byte)) }
            found = true
            break
        }
        #expect(found)
        return movie
    }

    /// Other samples at the end, with nothing left there that a search for fragments finds.
    private static func lastFragment() throws -> [UInt8] {
        var movie = SignedMovie.one.finished
        let last = try #require(try SignedMovie.fragments(movie).last)
        movie[last.lowerBound + 4] ^= 1
        movie[last.upperBound - 100] ^= 1
        // The bytes that follow up to the header: copies and blocks of the index.
        for place in last.upperBound..<movie.count
        where movie[place..<min(place + 3, movie.count)].elementsEqual(Array("rcf".utf8)) {
            movie[place] ^= 1
        }
        return movie
    }
}

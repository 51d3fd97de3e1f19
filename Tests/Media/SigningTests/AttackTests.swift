import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MovieFile
@testable import Signing

/// Tests of the list of attacks in docs/reference/signature.md, under their names there. Both verifiers report each of
/// them as altered.
@Suite(.timeLimit(.minutes(10))) struct AttackTests {
    private static let attacks: [(name: String, bytes: @Sendable () throws -> [UInt8])] = [
        // An atom at another level.
        (
            "an edit list in mdia",
            { try header { try $0.inTrack("mdia") { $0.children.append(edits(media: 45_000)) } } }
        ),
        ("an edit list in minf", { try header { try $0.inMinf { $0.children.append(edits(media: 45_000)) } } }),
        ("sample tables in trak", { try header { try $0.inTrack { $0.children += try shiftedTables($0) } } }),
        ("sample tables in mdia", { try header { try $0.inTrack("mdia") { $0.children += try shiftedTables($0) } } }),
        ("sample tables in minf", { try header { try $0.inMinf { $0.children += try shiftedTables($0) } } }),
        ("a second table after the first", { try header { try $0.inStbl { $0.children += $0.all("stts") } } }),
        (
            "both tables of chunks",
            { try header { try $0.inStbl { $0.children.append(Atom("co64", bytes: [0, 0, 0, 0, 0, 0, 0, 0])) } } }
        ),
        ("tables in another order", { try header { try $0.inStbl { $0.children.reverse() } } }),
        ("four bytes after the tables", { try tail() }),
        (
            "a track header after the media",
            { try header { try $0.inTrack { $0.children.append($0.children.removeFirst()) } } }
        ),
        ("a removed edit list", { try header { try $0.inTrack { $0["edts"] = nil } } }),
        // Tracks.
        ("a track after the header", { try file { $0 + bytes(try track(9)) } }),
        ("a track before the media", { try file { Array($0[..<20]) + bytes(try track(9)) + $0[20...] } }),
        ("an additional track", { try header { $0.children.insert(try track(9), at: 1) } }),
        ("tracks in another order", { try header { $0.children.swapAt(1, 2) } }),
        ("a second header", { try file { $0 + bytes(try moov()) } }),
        ("a compressed header", { try header { $0.children.append(Atom("cmov", bytes: [])) } }),
        (
            "a header in hoov",
            { try file { $0 + bytes(Atom("hoov", bytes: bytes(try moov()).suffix(from: 8).map { $0 })) } }
        ),
        ("a header after an atom that covers it", { try coveredHeader() }),
        // References.
        ("chapters that are the audio", { try reference("chap", to: 2) }),
        ("a timecode that is the audio", { try reference("tmcd", to: 2) }),
        ("a reference of another kind", { try reference("sync", to: 2) }),
        ("chapters in a missing track", { try reference("chap", to: 77) }),
        // The presentation of a track.
        ("a disabled track", { try header { try $0.inTrack { $0.flip("tkhd", 3, 1) } } }),
        ("another alternate group", { try header { try $0.inTrack { $0.flip("tkhd", 47, 1) } } }),
        ("a layer", { try header { try $0.inTrack { $0.flip("tkhd", 45, 1) } } }),
        ("a rotated track", { try header { try $0.inTrack { $0.flip("tkhd", 54, 1) } } }),
        ("another size", { try header { try $0.inTrack { $0.flip("tkhd", 89, 2) } } }),
        ("another version of a track header", { try header { try $0.inTrack { $0.flip("tkhd", 0, 2) } } }),
        ("a reserved field", { try header { try $0.inTrack { $0.flip("tkhd", 26, 2) } } }),
        ("another rate", { try header { $0.flip("mvhd", 33, 2) } }),
        ("another time scale of the movie", { try header { $0.flip("mvhd", 22, 1) } }),
        ("another duration of the movie", { try header { $0.flip("mvhd", 30, 1) } }),
        ("another duration of a track", { try header { try $0.inTrack { $0.flip("tkhd", 34, 1) } } }),
        ("another duration of the media", { try header { try $0.inTrack("mdia") { $0.flip("mdhd", 30, 1) } } }),
        ("another time scale of the media", { try header { try $0.inTrack("mdia") { $0.flip("mdhd", 22, 1) } } }),
        ("another handler", { try header { try $0.inTrack("mdia") { $0.flip("hdlr", 11, 1) } } }),
        ("another name of the handler", { try header { try $0.inTrack("mdia") { $0.flip("hdlr", 26, 1) } } }),
        ("a second description", { try header { try $0.inStbl { $0.flip("stsd", 7, 3) } } }),
        ("another decoder configuration", { try header { try $0.inStbl { $0.flip("stsd", 120, 1) } } }),
        ("another file type", { try file { Array($0[..<8]) + Array("isom".utf8) + $0[12...] } }),
        // Fragments and indices.
        ("a fragment after the header", { try file { $0 + $0[try #require(SignedMovie.fragments($0).first)] } }),
        ("an index of fragments", { try file { $0 + bytes(Atom("sidx", bytes: [UInt8](repeating: 0, count: 24))) } }),
        ("an index after the header", { try file { $0 + bytes(Atom("mfra", bytes: [])) } }),
        ("a header of fragments", { try header { $0.children.append(Atom("mvex", children: [])) } }),
        (
            "an atom of another program",
            { try file { $0 + bytes(Atom("uuid", bytes: [UInt8](repeating: 7, count: 16))) } }
        ),
        (
            "an atom of another program in a track",
            { try header { try $0.inTrack { $0.children.append(Atom("uuid", bytes: [])) } } }
        ),
        ("a last fragment with a larger stated length", { try longerFragment() }),
        ("bytes after the movie", { try file { $0 + [1, 2, 3, 4] } }),
        // Among titles.
        ("a cover", { try header { $0.add(texts(Atom("covr", bytes: data))) } }),
        ("a cover without a list", { try header { $0.add(Atom("covr", bytes: data)) } }),
        ("audio that is skipped", { try header { $0.add(texts(gaps)) } }),
        ("a configuration among titles", { try header { $0.add(texts(Atom("glbl", bytes: data))) } }),
        ("a handler among titles", { try header { $0.add(texts(Atom("hdlr", bytes: data))) } }),
        ("chapters among titles", { try header { $0.add(Atom("chpl", bytes: data)) } }),
        (
            "titles in a track's tables",
            { try header { try $0.inStbl { $0.children.append(Atom("udta", bytes: [])) } } }
        ),
        // In an unfinished recording.
        ("a track at the end of a growing file", { bytes(try track(9), behind: SignedMovie.one.growing) }),
        (
            "a torn track at the end of a growing file",
            { Array(bytes(try track(9), behind: SignedMovie.one.growing).dropLast(3)) }
        ),
        (
            "media without a head in a growing file",
            { bytes(Atom("mdat", bytes: data), behind: SignedMovie.one.growing) }
        ),
        ("a torn head that shows samples again", { try tornHead() }),
    ]

    @Test func attack_ofTheList_isFoundByBothVerifiers() throws {
        let temporary = try TemporaryDirectory()
        let directory = temporary.url.path
        try Data(SignedMovie.key.publicKey.pem.utf8).write(to: URL(fileURLWithPath: directory + "/key.pub"))
        let files = try Self.attacks.enumerated().map { index, attack in
            let bytes = try attack.bytes()
            #expect(bytes != SignedMovie.one.finished && bytes != SignedMovie.one.growing, "\(attack.name)")
            #expect(try SignedMovie.verify(bytes).verdict == .altered, "\(attack.name)")
            let path = directory + "/\(index).mov"
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            return path
        }
        let python = Project.path(".build/judges/bin/python")
        let judge = [python, Project.path("Tests/Judges/signature.py"), directory + "/key.pub"]
        let result = try Command.run(judge + files)
        let lines = result.text.split(separator: "\n")
        #expect(lines.count == files.count, "\(result.errors)")
        for (line, attack) in zip(lines, Self.attacks) {
            #expect(line.contains("\"altered\""), "\(attack.name): the other verifier says \(line)")
        }
    }

    /// The helpers alone, without a change, do not alter the movie.
    @Test func header_writtenAsItWas_isGenuine() throws {
        #expect(try SignedMovie.verify(Self.header { try $0.inTrack { try $0.inStbl { _ in } } }).verdict == .genuine)
        #expect(try SignedMovie.verify(Self.file { $0 }).verdict == .genuine)
        let title = Atom("data", bytes: [0, 0, 0, 1, 0, 0, 0, 0] + Array("a title".utf8))
        let item = Atom(FourCharCode(rawValue: 0xA96E_616D), bytes: Self.bytes(title))
        #expect(try SignedMovie.verify(Self.header { $0.add(Self.texts(item)) }).verdict == .genuine)
    }

    @Test func attack_ofTheList_isInTheDocumentation() throws {
        let (tested, documented) = (Self.attacks.map(\.name), try DocumentedAttacks().movies)
        #expect(Set(tested).symmetricDifference(documented).isEmpty, "only in one of the two lists")
        #expect(tested.count == Set(tested).count && documented.count == tested.count, "a name occurs twice")
    }

    // MARK: Helpers

    private static let data: [UInt8] = bytes(Atom("data", bytes: [0, 0, 0, 13, 0, 0, 0, 0, 0xFF, 0xD8, 0xFF, 0xE0]))
    private static var gaps: Atom {
        Atom(
            "----",
            bytes: bytes(Atom("mean", bytes: [0, 0, 0, 0] + Array("com.apple.iTunes".utf8)))
                + bytes(Atom("name", bytes: [0, 0, 0, 0] + Array("iTunSMPB".utf8)))
                + bytes(Atom("data", bytes: [0, 0, 0, 1, 0, 0, 0, 0] + Array(" 00000000 00000840 00000000".utf8))))
    }

    /// iTunes' list with one item.
    private static func texts(_ item: Atom) -> Atom {
        let handler = Atom(
            "hdlr", bytes: [0, 0, 0, 0, 0, 0, 0, 0] + Array("mdirappl".utf8) + [UInt8](repeating: 0, count: 9))
        return Atom("meta", bytes: [0, 0, 0, 0] + bytes(handler) + bytes(Atom("ilst", bytes: bytes(item))))
    }

    private static func edits(media: Int64) -> Atom {
        let list = EditList([.init(duration: 2_000_000, mediaTime: media)])
        return Atom("edts", children: [Atom("elst", bytes: Array(list.atom().dropFirst(8)))])
    }

    private static func bytes(_ atom: Atom) -> [UInt8] {
        var writer = AtomWriter()
        atom.write(into: &writer)
        return writer.bytes
    }

    private static func bytes(_ atom: Atom, behind movie: [UInt8]) -> [UInt8] { movie + bytes(atom) }

    private static func file(_ change: ([UInt8]) throws -> [UInt8]) throws -> [UInt8] {
        try change(SignedMovie.one.finished)
    }

    private static func place() throws -> Range<Int> {
        var atoms = try TopLevelAtoms(MemoryStorage(SignedMovie.one.finished))
        var place: UInt64 = 0
        while let atom = try atoms.header(at: place) {
            if atom.type == "moov" { return Int(place)..<Int(atom.end) }
            place = atom.end
        }
        throw MediaError(.corruptData, "cannot alter the test's movie", reason: "it has no header")
    }

    private static func moov() throws -> Atom { try #require(Atom(parsing: SignedMovie.one.finished[try place()])) }

    /// The finalized movie with another header, which is stored at its end.
    private static func header(_ change: (inout Atom) throws -> Void) throws -> [UInt8] {
        var moov = try moov()
        try change(&moov)
        let place = try place()
        return SignedMovie.one.finished[..<place.lowerBound] + bytes(moov)
            + SignedMovie.one.finished[place.upperBound...]
    }

    /// A copy of the first track with another ID.
    private static func track(_ id: UInt8) throws -> Atom {
        var trak = try #require(try moov()["trak"])
        var header = try #require(trak["tkhd"]).payload
        header[23] = id
        trak["tkhd"] = Atom("tkhd", bytes: header)
        return trak
    }

    /// Tables that exchange the first two chunks, and make the first run of samples one tick longer.
    private static func shiftedTables(_ parent: Atom) throws -> [Atom] {
        let tables = try #require(try moov().find("trak", "mdia", "minf", "stbl"))
        var (times, places) = (try #require(tables["stts"]).payload, try #require(tables["stco"]).payload)
        times[15] &+= 1
        if places.count >= 16 { places.replaceSubrange(8..<16, with: places[12..<16] + places[8..<12]) }
        return [Atom("stts", bytes: times), Atom("stco", bytes: places)]
    }

    /// Zeros at the end of the tables, as QuickTime ends a list of user data.
    private static func tail() throws -> [UInt8] {
        var header = bytes(try moov())
        let place = try place()
        let first = try #require(try moov()["trak"])
        // From the innermost outwards: the first track follows `mvhd`, and its tables end with it.
        var start = 8 + 120
        let end = start + first.byteCount
        let pathEnds = ["trak", "mdia", "minf", "stbl"]
        header.insert(contentsOf: [0, 0, 0, 0], at: end)
        for _ in pathEnds {
            Self.lengthen(&header, at: start)
            let inner = Array(header[(start + 8)..<(end + 4)])
            guard let last = Self.lastChild(of: inner) else { break }
            start += 8 + last
        }
        Self.lengthen(&header, at: 0)
        var movie = SignedMovie.one.finished
        movie.replaceSubrange(place, with: header)
        return movie
    }

    private static func lengthen(_ bytes: inout [UInt8], at place: Int) {
        let size = bytes.number(at: place) + 4
        bytes.replaceSubrange(place..<(place + 4), with: size.bytes)
    }

    private static func lastChild(of bytes: [UInt8]) -> Int? {
        var (place, last) = (0, Int?.none)
        while bytes.count - place >= 12, case let size = Int(bytes.number(at: place)), size >= 8,
            size <= bytes.count - place
        {
            last = place
            place += size
        }
        return last
    }

    private static func reference(_ kind: FourCharCode, to id: UInt32) throws -> [UInt8] {
        try header { moov in
            try moov.inTrack { trak in
                let tref = Atom("tref", bytes: bytes(Atom(kind, bytes: id.bytes)))
                let index = try #require(trak.children.firstIndex { $0.type == "mdia" })
                trak.children.insert(tref, at: index)
            }
        }
    }

    /// A movie whose media ends with an atom that, to our walk, covers the header after the media; players find another
    /// header there.
    private static func coveredHeader() throws -> [UInt8] {
        let movie = SignedMovie.one.finished
        let place = try place()
        let real = Array(movie[place])
        var forged = try moov()
        try forged.inTrack { $0.children.insert(edits(media: 45_000), at: 1) }
        let other = bytes(forged)
        let cover = UInt32(8 + other.count).bytes + Array("free".utf8)
        var result = Array(movie[..<place.lowerBound]) + real + cover
        // The media data now ends with the real header and the beginning of the cover.
        let length = UInt32(result.count - 28)
        result.replaceSubrange(28..<32, with: length.bytes)
        return result + other
    }

    /// Other samples in the last fragment, whose media data claims to extend past the end of the file.
    private static func longerFragment() throws -> [UInt8] {
        var movie = SignedMovie.one.finished
        let last = try #require(try SignedMovie.fragments(movie).last)
        let data = last.lowerBound + Int(movie.number(at: last.lowerBound))
        movie.replaceSubrange(data..<(data + 4), with: UInt32(movie.count).bytes)
        movie[last.upperBound - 100] ^= 1
        return movie
    }

    /// A truncated fragment header, whose samples come before it.
    private static func tornHead() throws -> [UInt8] {
        let movie = SignedMovie.one.growing
        let first = try #require(try SignedMovie.fragments(movie).first)
        let size = Int(movie.number(at: first.lowerBound))
        var head = Array(movie[first.lowerBound..<(first.lowerBound + size)])
        let back = Int32(first.lowerBound + size + 8 - movie.count)
        for place in 0..<(head.count - 16) where head[place..<(place + 4)].elementsEqual("trun".utf8) {
            head.replaceSubrange((place + 12)..<(place + 16), with: back.bytes)
        }
        head.replaceSubrange(0..<4, with: UInt32(size + 8).bytes)
        return movie + head
    }
}

/// The names of the attacks that docs/reference/signature.md lists: on movies, and on cuts.
struct DocumentedAttacks {
    let movies: [String]
    let cuts: [String]

    init() throws {
        let text = try String(contentsOfFile: Project.path("docs/reference/signature.md"), encoding: .utf8)
        let heading = "What attackers do\n"
        let section = try #require(text.components(separatedBy: "\n## ").first { $0.hasPrefix(heading) })
        let parts = section.components(separatedBy: "\nIn a cut (")
        try #require(parts.count == 2)
        (movies, cuts) = (Self.names(parts[0]), Self.names(parts[1]))
    }

    private static func names(_ text: String) -> [String] {
        text.components(separatedBy: "\n").filter { $0.hasPrefix("- ") }.map { String($0.dropFirst(2)) }
    }
}

extension Atom {
    /// Adds user data before the metadata.
    fileprivate mutating func add(_ atom: Atom) {
        var writer = AtomWriter()
        atom.write(into: &writer)
        children.insert(Atom("udta", bytes: writer.bytes), at: children.count - 1)
    }

    fileprivate mutating func inTrack(_ change: (inout Atom) throws -> Void) throws { try inside("trak", change) }

    fileprivate mutating func inTrack(_ child: FourCharCode, _ change: (inout Atom) throws -> Void) throws {
        try inside("trak") { try $0.inside(child, change) }
    }

    fileprivate mutating func inMinf(_ change: (inout Atom) throws -> Void) throws {
        try inTrack("mdia") { try $0.inside("minf", change) }
    }

    /// Changes the `stbl` of a movie's first track, or of a track.
    fileprivate mutating func inStbl(_ change: (inout Atom) throws -> Void) throws {
        if type == "moov" { return try inMinf { try $0.inside("stbl", change) } }
        try inside("mdia") { try $0.inside("minf") { try $0.inside("stbl", change) } }
    }

    private mutating func inside(_ child: FourCharCode, _ change: (inout Atom) throws -> Void) throws {
        var atom = try #require(self[child])
        try change(&atom)
        self[child] = atom
    }

    /// Flips bits of a byte of a child's payload.
    fileprivate mutating func flip(_ child: FourCharCode, _ place: Int, _ bits: UInt8) {
        guard var bytes = self[child]?.payload, bytes.indices.contains(place) else { return }
        bytes[place] ^= bits
        self[child] = Atom(child, bytes: bytes)
    }
}

import Foundation
import TestSupport

@testable import Signing

/// An attack on a signed movie by a person who knows how players read atoms, chosen by a seed: tables and edits at
/// wrong levels, added tracks, covers and fragments, references, and random changes of the header. In a cut, the
/// statement is forged too.
struct Forgery {
    private(set) var text = ""
    private(set) var bytes: [UInt8] = []

    private var random: SeededRandom
    private var root: [Box]
    private var names: [String] = []

    init(_ seed: UInt64, of original: [UInt8]) {
        random = SeededRandom(seed: seed)
        root = Box.all(original[...]) ?? []
        let start = Self.mediaStart(root)
        for _ in 0..<(Int.random(in: 0..<4, using: &random) == 0 ? 2 : 1) { alter() }
        // A forger who moves the media corrects the tables.
        let shift = Self.mediaStart(root) - start
        if shift != 0 { for box in root.flatMap(\.tree) where box.name == "stco" { Self.move(box, by: shift) } }
        bytes = root.flatMap(\.bytes)
        text = names.joined(separator: ", then ") + " (seed \(seed))"
    }

    private static func mediaStart(_ root: [Box]) -> Int {
        root.prefix { $0.name != "mdat" }.reduce(0) { $0 + $1.bytes.count }
    }

    private static func move(_ table: Box, by shift: Int) {
        for place in stride(from: 8, to: table.payload.count - 3, by: 4) {
            let moved = UInt32(truncatingIfNeeded: Int(table.payload.number(at: place)) + shift)
            table.payload.replaceSubrange(place..<(place + 4), with: moved.bytes)
        }
    }

    // MARK: Changes

    private mutating func alter() {
        // The statement of a cut is not signed.
        if let box = statement, Int.random(in: 0..<3, using: &random) == 0, state(in: box) { return }
        switch Int.random(in: 0..<16, using: &random) {
        case 0, 1: insert("a forged copy", forgedCopy(), into: anywhere())
        case 2: insert("an atom moved", taken(), into: anywhere())
        case 3: insert("an invented atom", invented(), into: anywhere())
        case 4: change("a number", in: leaf(of: nil))
        case 5: retype()
        case 6: remove()
        case 7: swap()
        case 8: insert("a track", track(), into: flip() ? nil : moov)
        case 9: insert("a reference", reference(), into: flip() ? trak : tref)
        case 10: insert("an edit list", edits(), into: flip() ? trak : anywhere())
        case 11: insert("a cover or what a title hides", hidden(), into: texts())
        case 12: insert("fragments", fragment(), into: nil)
        case 13: change("a table", in: leaf(of: ["stts", "stsc", "stsz", "stco", "ctts", "stss", "elst"]))
        case 14: change("a header", in: leaf(of: ["tkhd", "mdhd", "mvhd", "hdlr", "stsd", "vmhd", "smhd", "keys"]))
        default: media()
        }
    }

    private var statement: Box? { root.first { $0.name == "uuid" && $0.payload.count > 16 } }

    private mutating func state(in box: Box) -> Bool {
        guard let own = CutStatement(Array(box.payload[16...])) else { return false }
        var lie = StatementLie(own, media: root.first { $0.name == "mdat" }?.payload ?? [])
        lie.tell(using: &random)
        names.append("a statement: \(lie.text)")
        box.payload.replaceSubrange(16..., with: lie.statement.bytes)
        // A false statement usually hides a change of the media.
        if flip() { media() }
        return true
    }

    private mutating func flip() -> Bool { Bool.random(using: &random) }

    private var all: [Box] { root.flatMap(\.tree) }
    private var moov: Box? { root.first { $0.name == "moov" } }
    private var trak: Box? { moov?.children?.first { $0.name == "trak" } }
    private var tref: Box? { all.first { $0.name == "tref" } }

    /// A random container; nil is the file itself.
    private mutating func anywhere() -> Box? {
        let containers = all.filter { $0.children != nil }
        let index = Int.random(in: 0...max(1, containers.count), using: &random)
        return index < containers.count ? containers[index] : nil
    }

    private mutating func texts() -> Box? {
        all.filter { ["udta", "meta", "ilst"].contains($0.name) }.randomElement(using: &random) ?? moov
    }

    private mutating func leaf(of names: Set<String>?) -> Box? {
        (moov?.tree ?? []).filter { $0.children == nil && names?.contains($0.name) ?? true }.randomElement(
            using: &random)
    }

    private mutating func insert(_ name: String, _ box: Box?, into parent: Box?) {
        guard let box else { return }
        names.append("\(name), \(box.name) in \(parent?.name ?? "the file")")
        if let parent {
            var children = parent.children ?? []
            let index = Int.random(in: 0...children.count, using: &random)
            children.insert(box, at: flip() ? index : children.count)
            parent.children = children
        } else {
            root.insert(box, at: flip() ? root.count : Int.random(in: 0...root.count, using: &random))
        }
    }

    private mutating func change(_ name: String, in box: Box?) {
        guard let box, box.payload.count >= 4 else { return media() }
        names.append("\(name) changed in \(box.name)")
        let place = Int.random(in: 0...(box.payload.count - 4), using: &random)
        let old = box.payload.number(at: place)
        let new = [
            old &+ 1, old &- 1, 0, old << 1, old >> 1, .max, UInt32.random(in: 0..<1 << 16, using: &random),
            old ^ 1 << UInt32.random(in: 0..<32, using: &random),
        ].randomElement(using: &random)
        box.payload.replaceSubrange(place..<(place + 4), with: (new ?? old).bytes)
    }

    private mutating func forgedCopy() -> Box? {
        guard let box = leaf(of: nil)?.copy else { return nil }
        for place in stride(from: 8, to: box.payload.count - 3, by: 4) where Int.random(in: 0..<3, using: &random) == 0
        {
            let old = box.payload.number(at: place)
            box.payload.replaceSubrange(place..<(place + 4), with: (flip() ? old &+ 1 : old << 1).bytes)
        }
        guard flip(), box.name == "elst" else { return box }
        return Box("edts", children: [box])
    }

    private mutating func taken() -> Box? {
        let parents = (moov?.tree ?? []).filter { $0.children?.isEmpty == false }
        guard let parent = parents.randomElement(using: &random), let count = parent.children?.count else { return nil }
        return parent.children?.remove(at: Int.random(in: 0..<count, using: &random))
    }

    private static let inventions = [
        "uuid", "sidx", "mfra", "mvex", "cmov", "rmra", "hoov", "glbl", "pasp", "clap", "colr", "fiel", "esds", "avcC",
        "hvcC", "chan", "wave", "alac", "dfLa", "SA3D", "st3d", "sv3d", "sbgp", "sgpd", "cslg", "stps", "sdtp", "elng",
        "tapt",
        "load", "kind", "pssh", "sinf", "senc", "prft", "emsg", "styp", "skip", "wide", "free", "mdcv", "clli", "gama",
        "ID32",
    ]

    private mutating func invented() -> Box {
        let name = Self.inventions.randomElement(using: &random) ?? "uuid"
        let count = [0, 8, 16, 40].randomElement(using: &random) ?? 8
        var body = (0..<count).map { _ in UInt8.random(in: 0...3, using: &random) }
        // FFmpeg reads one of these as a header.
        if ["free", "hoov"].contains(name), let moov { body = moov.children?.flatMap(\.bytes) ?? [] }
        if name == "mvex" {
            body = Box("trex", UInt32(0).bytes + UInt32(1).bytes + [UInt8](repeating: 0, count: 16)).bytes
        }
        return Box(name, body)
    }

    private mutating func retype() {
        guard let box = (moov?.tree ?? []).randomElement(using: &random),
            let other = (moov?.tree ?? []).randomElement(using: &random)
        else { return media() }
        names.append("\(box.name) called \(other.name)")
        box.type = other.type
    }

    private mutating func remove() {
        guard let box = taken() else { return media() }
        names.append("\(box.name) removed")
    }

    private mutating func swap() {
        let parents = (moov?.tree ?? []).filter { $0.children?.count ?? 0 > 1 }
        guard let parent = parents.randomElement(using: &random), let count = parent.children?.count else {
            return media()
        }
        let (a, b) = (Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random))
        names.append("children of \(parent.name) exchanged")
        parent.children?.swapAt(a, b)
    }

    private mutating func track() -> Box? {
        guard let box = moov?.children?.filter({ $0.name == "trak" }).randomElement(using: &random)?.copy,
            let header = box.children?.first(where: { $0.name == "tkhd" }), header.payload.count > 24
        else { return nil }
        if flip() { header.payload[23] = UInt8.random(in: 1...9, using: &random) }
        let inner = box.tree.filter { $0.children == nil }
        if let table = inner.filter({ ["stco", "stsz", "stts"].contains($0.name) }).randomElement(using: &random) {
            Self.move(table, by: Int.random(in: 0..<50, using: &random))
        }
        return box
    }

    private mutating func reference() -> Box {
        let kinds = ["chap", "tmcd", "sync", "scpt", "ssrc", "hint", "cdsc", "subt", "fall", "folw", "auxl"]
        let inner = Box(kinds.randomElement(using: &random) ?? "chap", UInt32.random(in: 1...5, using: &random).bytes)
        return tref == nil || flip() ? Box("tref", children: [inner]) : inner
    }

    private mutating func edits() -> Box {
        let count = Int.random(in: 1...3, using: &random)
        var body = UInt32(0).bytes + UInt32(count).bytes
        for _ in 0..<count {
            body += UInt32.random(in: 0..<4_000_000, using: &random).bytes
            body += (flip() ? UInt32.random(in: 0..<90_000, using: &random) : .max).bytes + UInt32(0x1_0000).bytes
        }
        return Box("edts", children: [Box("elst", body)])
    }

    private mutating func hidden() -> Box {
        let frame = Box(
            "data", UInt32(13).bytes + UInt32(0).bytes + [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF".utf8))
        let gaps = Box(
            "----",
            children: [
                Box("mean", UInt32(0).bytes + Array("com.apple.iTunes".utf8)),
                Box("name", UInt32(0).bytes + Array("iTunSMPB".utf8)),
                Box(
                    "data",
                    UInt32(1).bytes + UInt32(0).bytes + Array(" 00000000 00000840 00000000 0000000000010000".utf8)),
            ])
        let component = UInt32(0).bytes + Array("mhlrsoun".utf8) + [UInt8](repeating: 0, count: 13)
        let choice = [
            Box("covr", children: [frame]), gaps, Box("hdlr", component), invented(),
            Box("chpl", [1, 0, 0, 0, 0, 0, 0, 0, 1] + UInt64(5_000_000).bytes + [3] + Array("new".utf8)),
        ].randomElement(using: &random)
        return choice ?? gaps
    }

    private mutating func fragment() -> Box? {
        guard let media = root.first(where: { $0.name == "mdat" })?.payload,
            let first = Box.all(media[...])?.drop(while: { $0.name != "moof" })
        else { return nil }
        let boxes = Array(first.prefix(2))
        if let data = boxes.last { root.append(data) }
        return boxes.first
    }

    private mutating func media() {
        guard let box = root.filter({ $0.name == "mdat" && $0.payload.count > 200 }).randomElement(using: &random)
        else { return }
        names.append("media changed")
        let place = Int.random(in: 0..<(box.payload.count - 64), using: &random)
        let other = Int.random(in: 0..<(box.payload.count - 64), using: &random)
        if flip() {
            box.payload[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        } else {
            box.payload.replaceSubrange(place..<(place + 64), with: Array(box.payload[other..<(other + 64)]))
        }
    }
}

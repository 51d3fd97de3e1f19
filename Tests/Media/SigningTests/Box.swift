import TestSupport

/// An atom of a movie to forge: a tree without any rules.
class Box {
    var type: [UInt8]
    /// The payload; for a container, the bytes before its children.
    var payload: [UInt8]
    var children: [Box]?

    private static let containers: Set<String> = [
        "moov", "trak", "edts", "mdia", "minf", "stbl", "dinf", "udta", "meta", "ilst", "tref", "gmhd",
    ]

    init(_ type: String, _ payload: [UInt8] = [], children: [Box]? = nil) {
        (self.type, self.payload, self.children) = (Array(type.utf8), payload, children)
    }

    var name: String { String(decoding: type, as: UTF8.self) }

    /// The atoms in a range of bytes; nil if they do not fill it.
    static func all(_ bytes: ArraySlice<UInt8>, isOutermost: Bool = true) -> [Box]? {
        var boxes: [Box] = []
        let places = AtomPlaces.atoms(of: bytes, in: bytes.indices)
        for place in places {
            let box = Box("free", Array(bytes[place.payload]))
            // A code such as `©nam` is not UTF-8.
            box.type = Array(bytes[(place.start + 4)..<(place.start + 8)])
            if containers.contains(box.name), !isOutermost || box.name == "moov" { box.open() }
            boxes.append(box)
        }
        let rest = bytes[(places.last?.end ?? bytes.startIndex)...]
        if !rest.isEmpty {
            guard isOutermost else { return nil }
            boxes.append(Rest(Array(rest)))
        }
        return boxes
    }

    private func open() {
        for start in [0, 4] where payload.count >= start {
            if let children = Box.all(payload[start...], isOutermost: false) {
                (self.children, payload) = (children, Array(payload[..<start]))
                return
            }
        }
    }

    var bytes: [UInt8] {
        let body = payload + (children ?? []).flatMap(\.bytes)
        return UInt32(truncatingIfNeeded: body.count + 8).bytes + type + body
    }

    var copy: Box {
        let box = Box("free", payload, children: children?.map(\.copy))
        box.type = type
        return box
    }

    /// This atom and all its descendants.
    var tree: [Box] { [self] + (children ?? []).flatMap(\.tree) }

    /// The bytes at the end of a truncated file.
    private final class Rest: Box {
        init(_ bytes: [UInt8]) { super.init("rest", bytes) }

        override var bytes: [UInt8] { payload }
    }
}

extension Collection<UInt8> where Index == Int {
    func number(at place: Int) -> UInt32 { self[place..<(place + 4)].reduce(0) { $0 << 8 | UInt32($1) } }
}

extension FixedWidthInteger {
    var bytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

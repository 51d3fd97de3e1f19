import MediaTypes

/// A header in memory as a tree. Containers have children; all other atoms keep their payload unchanged.
///
/// `MovieFinisher` uses it to turn the leading header of a recording into the final one. Unknown atoms pass through
/// unchanged. Only headers are read like this, never media data.
struct Atom: Equatable, Sendable {
    enum Content: Equatable, Sendable {
        case bytes([UInt8])
        case children([Atom])
    }

    var type: FourCharCode
    var content: Content

    /// Atoms that contain only atoms (QTFF, "Movie Atoms").
    private static let containers: Set<FourCharCode> = [
        "moov", "trak", "edts", "mdia", "minf", "stbl", "mvex", "moof", "traf",
    ]
    /// The maximum depth, more than any real header has. Prevents hostile input from exhausting the stack.
    private static let deepest = 8
    /// The maximum number of atoms, more than any real header has. Prevents hostile input from filling the memory.
    private static let most = 1 << 16

    init(_ type: FourCharCode, bytes: [UInt8]) {
        self.type = type
        content = .bytes(bytes)
    }

    init(_ type: FourCharCode, children: [Atom]) {
        self.type = type
        content = .children(children)
    }

    /// Parses one atom with its header; nil if lengths contradict each other.
    init?(parsing bytes: some Collection<UInt8>) {
        var left = Self.most
        guard let atoms = Self.parseAll(Array(bytes)[...], depth: 0, left: &left), atoms.count == 1 else { return nil }
        self = atoms[0]
    }

    private static func parseAll(_ bytes: ArraySlice<UInt8>, depth: Int, left: inout Int) -> [Atom]? {
        guard depth < deepest else { return nil }
        var reader = ByteReader(bytes)
        var atoms: [Atom] = []
        while reader.remaining >= 8 {
            guard let size = reader.u32(), let type = reader.code(), size >= 8, let body = reader.slice(Int(size) - 8)
            else { return nil }
            left -= 1
            guard left >= 0 else { return nil }
            if containers.contains(type) {
                guard let children = parseAll(body, depth: depth + 1, left: &left) else { return nil }
                atoms.append(Atom(type, children: children))
            } else {
                atoms.append(Atom(type, bytes: Array(body)))
            }
        }
        // QuickTime permits four zero bytes at the end of a list.
        return reader.remaining == 0 || reader.remaining == 4 ? atoms : nil
    }

    func write(into writer: inout AtomWriter) {
        writer.atom(type) { body in
            switch content {
            case .bytes(let bytes): body.raw(bytes)
            case .children(let children): for child in children { child.write(into: &body) }
            }
        }
    }

    /// The size including the header, as `write` writes it.
    var byteCount: Int {
        switch content {
        case .bytes(let bytes): 8 + bytes.count
        case .children(let children): children.reduce(8) { $0 + $1.byteCount }
        }
    }

    var payload: [UInt8] {
        if case .bytes(let bytes) = content { bytes } else { [] }
    }

    var children: [Atom] {
        get { if case .children(let atoms) = content { atoms } else { [] } }
        set { content = .children(newValue) }
    }

    func all(_ type: FourCharCode) -> [Atom] { children.filter { $0.type == type } }

    /// The first child of a type. Setting an atom replaces that child, or appends the atom. Setting nil removes all
    /// children of that type.
    subscript(type: FourCharCode) -> Atom? {
        get { children.first { $0.type == type } }
        set {
            var atoms = children
            if let newValue {
                if let index = atoms.firstIndex(where: { $0.type == type }) {
                    atoms[index] = newValue
                } else {
                    atoms.append(newValue)
                }
            } else {
                atoms.removeAll { $0.type == type }
            }
            content = .children(atoms)
        }
    }

    /// Returns a descendant by its path of types.
    func find(_ path: FourCharCode...) -> Atom? {
        var atom = self
        for type in path {
            guard let next = atom[type] else { return nil }
            atom = next
        }
        return atom
    }
}

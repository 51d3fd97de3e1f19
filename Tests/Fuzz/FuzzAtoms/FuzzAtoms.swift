@testable import MovieFile

/// libFuzzer's entry point: any bytes are read as an atom with its contents. The result is written and read again, and
/// must be the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAtoms(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    _ = EditList(payload: bytes)
    _ = MovieMetadata.read(bytes)
    _ = FragmentReader.tracks(inMovieFragment: bytes)
    guard let atom = Atom(parsing: bytes) else { return 0 }
    read(atom)
    var writer = AtomWriter()
    atom.write(into: &writer)
    precondition(Atom(parsing: writer.bytes) == atom, "the written atom reads differently")
    return 0
}

private func read(_ atom: Atom) {
    switch atom.type {
    case "elst": _ = EditList(payload: atom.payload)
    case "meta": _ = MovieMetadata.read(atom.payload)
    case "mvhd", "mdhd": _ = FinalHeader.timeScale(atom)
    case "trak": _ = FinalHeader.trackID(atom)
    default: break
    }
    for child in atom.children { read(child) }
}

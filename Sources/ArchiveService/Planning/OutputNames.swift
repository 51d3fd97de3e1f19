/// What the copies are called: as the films, with the container's ending. Where two films of a directory would get one name,
/// as `a.mkv` and `a.avi` do, all but the first keep their own ending too: `a.avi.mov`.
struct OutputNames {
    private let container: String
    private var directory: RawPath?
    private var taken: Set<[UInt8]> = []

    init(container: String) { self.container = container }

    /// - Parameters:
    ///   - directory: where the copy goes; films of one directory come one after the other.
    mutating func output(for name: [UInt8], in directory: RawPath) -> RawPath {
        if directory != self.directory { (self.directory, taken) = (directory, []) }
        let ending = Array(".\(container)".utf8)
        let stem = name.lastIndex(of: UInt8(ascii: ".")).map { $0 > 0 ? Array(name[..<$0]) : name } ?? name
        var candidate = stem + ending
        // `a.avi.mov` may be a film's own name too.
        if taken.contains(candidate) { candidate = name + ending }
        while taken.contains(candidate) { candidate = candidate.dropLast(ending.count) + Array("-2".utf8) + ending }
        taken.insert(candidate)
        return directory.appending(candidate)
    }
}

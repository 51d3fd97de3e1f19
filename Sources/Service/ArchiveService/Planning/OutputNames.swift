/// Chooses the names of the copies: the movie's name with the container's extension. If several movies of a directory
/// would get the same name, such as `a.mkv` and `a.avi`, all except the first also keep their own extension:
/// `a.avi.mov`.
struct OutputNames {
    private let container: String
    private var directory: RawPath?
    private var taken: Set<[UInt8]> = []

    init(container: String) { self.container = container }

    /// Returns the path of a movie's copy.
    ///
    /// - Parameters:
    ///   - directory: The directory of the copy. All names in one directory must be requested before those in the next
    ///     one.
    mutating func output(for name: [UInt8], in directory: RawPath) -> RawPath {
        if directory != self.directory { (self.directory, taken) = (directory, []) }
        let ending = Array(".\(container)".utf8)
        let stem = name.lastIndex(of: UInt8(ascii: ".")).map { $0 > 0 ? Array(name[..<$0]) : name } ?? name
        var candidate = stem + ending
        // Another movie may already have the name `a.avi.mov`.
        if taken.contains(candidate) { candidate = name + ending }
        while taken.contains(candidate) { candidate = candidate.dropLast(ending.count) + Array("-2".utf8) + ending }
        taken.insert(candidate)
        return directory.appending(candidate)
    }
}

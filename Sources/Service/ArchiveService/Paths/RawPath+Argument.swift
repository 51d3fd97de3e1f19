import CommandInterface

extension RawPath {
    /// Creates an absolute path from an argument, without a trailing slash, which would be duplicated when names are
    /// appended.
    ///
    /// - Parameter text: An argument of `ProcessText`.
    package init(argument text: String) {
        var path = FilePath.absolute(text)
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.init(path)
    }
}

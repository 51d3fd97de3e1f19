import CommandInterface

extension RawPath {
    /// Creates an absolute path from an argument. Removes trailing slashes, because a slash is added before each name
    /// that is appended.
    ///
    /// - Parameter text: An argument of `ProcessText`.
    package init(argument text: String) {
        var path = FilePath.absolute(text)
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.init(path)
    }
}

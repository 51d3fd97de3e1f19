import CommandInterface
import Glibc

extension RawPath {
    /// A path that somebody typed, from the root on and without a slash at its end, which would come between it and the names in it.
    ///
    /// - Parameters:
    ///   - text: as the program's arguments were read, in which each byte that is no UTF-8 became U+FFFD.
    ///   - arguments: as the system gave them: the bytes are there.
    package init(argument text: String, arguments: @autoclosure () -> [[UInt8]] = Self.arguments) {
        guard text.unicodeScalars.contains("\u{FFFD}"), let typed = Self.bytes(of: text, in: arguments()) else {
            var path = FilePath.absolute(text)
            while path.count > 1, path.hasSuffix("/") { path.removeLast() }
            self.init(path)
            return
        }
        let slash = UInt8(ascii: "/")
        let whole = typed.first == slash ? typed : Self.currentDirectory + [slash] + typed
        let parts = whole.split(separator: slash).filter { $0 != [UInt8(ascii: ".")] }
        self.init(bytes: parts.isEmpty ? [slash] : parts.flatMap { [slash] + $0 })
    }

    /// The argument that was read so, or what stands behind its `=`.
    private static func bytes(of text: String, in arguments: [[UInt8]]) -> [UInt8]? {
        for argument in arguments {
            let value = argument.firstIndex(of: UInt8(ascii: "=")).map { Array(argument[($0 + 1)...]) }
            for bytes in [argument, value ?? argument] where String(decoding: bytes, as: UTF8.self) == text {
                return bytes
            }
        }
        return nil
    }

    private static var currentDirectory: [UInt8] {
        guard let path = getcwd(nil, 0) else { return [] }
        defer { free(path) }
        return Array(UnsafeRawBufferPointer(start: path, count: strlen(path)))
    }

    /// This process', without its name.
    package static var arguments: [[UInt8]] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            CommandLine.unsafeArgv[index].map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        }
    }
}

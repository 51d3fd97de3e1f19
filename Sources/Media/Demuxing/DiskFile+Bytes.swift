import MovieFile

extension DiskFile {
    /// Returns the bytes at an offset: fewer at the end of the file, none if it cannot be read.
    func bytes(at offset: UInt64, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = bytes.withUnsafeMutableBytes { (try? self.read(into: $0, at: offset)) ?? 0 }
        return Array(bytes.prefix(read))
    }
}

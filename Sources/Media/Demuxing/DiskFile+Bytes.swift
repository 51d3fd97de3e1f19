import MovieFile

extension DiskFile {
    /// Returns the bytes at an offset. Returns fewer bytes at the end of the file, and none if the file cannot be read.
    func bytes(at offset: UInt64, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = bytes.withUnsafeMutableBytes { (try? self.read(into: $0, at: offset)) ?? 0 }
        return Array(bytes.prefix(read))
    }
}

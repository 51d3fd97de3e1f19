import Glibc
import TestSupport
import Testing

@testable import FileSystem

@Suite struct ProcessTextTests {
    /// Returns the variables of an environment with these entries.
    private func variables(_ entries: [[UInt8]]) -> [String: String] {
        var list: [UnsafeMutablePointer<CChar>?] = entries.map { entry in
            let text = UnsafeMutablePointer<CChar>.allocate(capacity: entry.count + 1)
            for (index, byte) in (entry + [0]).enumerated() { text[index] = CChar(bitPattern: byte) }
            return text
        }
        defer { for text in list { text?.deallocate() } }
        list.append(nil)
        return list.withUnsafeMutableBufferPointer { ProcessText.variables($0.baseAddress) }
    }

    @Test func environment_valueThatIsNotUTF8_keepsEveryByte() {
        let found = variables([Array("HOME=/h".utf8) + [0xE9], Array("EMPTY=".utf8), Array("A=b=c".utf8)])
        #expect(found.count == 3)
        #expect(found["HOME"].map { PathText.bytes($0) } == Array("/h".utf8) + [0xE9])
        #expect(found["EMPTY"] == "" && found["A"] == "b=c")
    }

    @Test func environment_namedTwice_hasTheFirst() {
        #expect(variables([Array("A=1".utf8), Array("A=2".utf8), Array("nothing".utf8)]) == ["A": "1"])
        #expect(ProcessText.variables(nil).isEmpty)
    }

    @Test func environment_ofThisProcess_isWhatGetenvReturns() {
        #expect(ProcessText.environment["PATH"] == getenv("PATH").map { PathText.text(UnsafePointer($0)) })
    }

    @Test func homeDirectory_relativeOrMissing_isThatOfTheAccount() {
        #expect(ProcessText.homeDirectory(in: ["HOME": "/home/x"]) == "/home/x")
        let home = ProcessText.homeDirectory(in: [:])
        #expect(home.hasPrefix("/") && ProcessText.homeDirectory(in: ["HOME": "x"]) == home)
    }

    @Test func fileContents_anyFile_areItsBytes() throws {
        let owner = try TemporaryDirectory()
        defer { withExtendedLifetime(owner) {} }
        let path = owner.url.path + "/" + PathText.text([0xFF, 0x61])
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        try #require(file >= 0)
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        #expect(write(file, bytes, bytes.count) == bytes.count)
        close(file)
        #expect(FileContents.bytes(of: path) == bytes)
        #expect(FileContents.bytes(of: path + "b") == nil)
    }
}

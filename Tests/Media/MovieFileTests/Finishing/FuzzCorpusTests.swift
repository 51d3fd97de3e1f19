import Foundation
import TestSupport
import Testing

@testable import MovieFile

/// Tests that run the fuzzing corpus through the same code, without the fuzzer.
@Suite struct FuzzCorpusTests {
    private static func corpus(_ name: String) throws -> [URL] {
        let files = try FileManager.default.contentsOfDirectory(
            at: Project.file("Tests/Fuzz/Corpus/\(name)"), includingPropertiesForKeys: nil)
        return files.sorted { $0.path < $1.path }
    }

    @Test func finalize_fuzzCorpus_isFinalizedOnceOrRefused() throws {
        let files = try Self.corpus("finisher")
        #expect(files.count > 100)
        var finished = 0
        for file in files {
            let storage = MemoryStorage([UInt8](try Data(contentsOf: file)))
            _ = try? MovieFinisher.health(of: storage)
            guard (try? MovieFinisher.finish(storage)) != nil else { continue }
            finished += 1
            let whole = storage.bytes
            #expect(try MovieFinisher.finish(storage).wasFinishedAlready, "\(file.lastPathComponent)")
            #expect(storage.bytes == whole, "\(file.lastPathComponent)")
        }
        // A corpus that is refused at once proves nothing.
        #expect(finished > 10)
    }

    @Test func atom_fuzzCorpus_isRefusedOrWrittenBack() throws {
        let files = try Self.corpus("atoms")
        #expect(files.count > 100)
        for file in files {
            let bytes = [UInt8](try Data(contentsOf: file))
            _ = FragmentReader.tracks(inMovieFragment: bytes)
            guard let atom = Atom(parsing: bytes) else { continue }
            var writer = AtomWriter()
            atom.write(into: &writer)
            #expect(Atom(parsing: writer.bytes) == atom, "\(file.lastPathComponent)")
        }
    }
}

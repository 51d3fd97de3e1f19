import Foundation
import MediaTypes
import MovieFile
import TestSupport
import Testing

@testable import AssetIO

@Suite struct FileDestinationTests {
    /// Movies of the same name in different directories, e.g. of several cameras.
    @Test func open_sameNameInOneTemporaryDirectory_usesAnotherFile() throws {
        let directory = try TemporaryDirectory()
        var configuration = MuxerConfiguration(.mp4)
        configuration.shouldOptimizeForNetworkUse = true
        configuration.directoryForTemporaryFiles = directory.url
        var destinations: [FileDestination] = []
        for name in ["left", "right"] {
            try FileManager.default.createDirectory(at: directory.file(name), withIntermediateDirectories: false)
            let path = directory.path("\(name)/clip.mp4")
            let destination = FileDestination(
                finalPath: path, temporaryPath: directory.path("\(name)/clip.recording.mp4"),
                openFile: { path throws(MediaError) in try DiskFile(path: path, mode: .create) })
            try destination.open(configuration)
            destinations.append(destination)
        }
        let files = directory.names.filter { $0 != "left" && $0 != "right" }
        #expect(files.count == 2 && Set(destinations.map(\.temporaryPath)) == Set(files.map(directory.path)))
        for file in files {
            // After a crash, the file can be repaired like any other.
            let final = try #require(RecordingFileName(recording: file)).final
            #expect(final.hasPrefix("clip.") && final.hasSuffix(".mp4"))
        }
        for destination in destinations { destination.discard() }
        #expect(directory.names == ["left", "right"])
    }
}

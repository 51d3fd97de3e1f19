import Cryptography
import FileSystem
import Foundation
package import MediaTypes
import NIOCore

/// The files of the page. They are read once at the start, so no name from a request reaches the file system.
package struct PageFiles: Sendable {
    package struct File: Sendable {
        /// The content. All answers share its memory.
        let content: ByteBuffer
        package let type: String
        /// The entity tag of its content (RFC 9110, 8.8.3).
        package let tag: String
    }

    /// The files by their paths below the directory.
    package let files: [String: File]

    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "svg": "image/svg+xml", "webmanifest": "application/manifest+json",
    ]
    /// The maximum total size of the files, in bytes.
    private static let most = 1 << 20

    /// Reads the page's files.
    ///
    /// - Throws: `notFound` if there is no page.
    package init(in directory: String) throws(MediaError) {
        var files: [String: File] = [:]
        var bytes = 0
        for path in FileManager.default.enumerator(atPath: directory)?.compactMap({ $0 as? String }) ?? [] {
            guard let type = Self.types[path.fileExtension],
                let content = FileManager.default.contents(atPath: directory + "/" + path)
            else { continue }
            bytes += content.count
            guard bytes <= Self.most else {
                throw MediaError(.invalidSettings, "cannot show the page in \(directory)", reason: "it is too large")
            }
            let tag = SHA256.hash(data: content).prefix(12).map { String($0, radix: 16) }.joined()
            files[path] = File(content: ByteBuffer(bytes: content), type: type, tag: "\"\(tag)\"")
        }
        guard files["index.html"] != nil else {
            throw MediaError(
                .notFound, "cannot show the page", reason: "there is no index.html in \(directory)",
                wayOut: "reinstall recorder, or choose another directory with --page DIR")
        }
        self.files = files
    }

    /// Returns the directory of the page. It is `../share/recorder/page`, relative to the program's directory. For a
    /// program built from source, it is `Sources/Service/WebPage` of the project.
    package static func directory(of program: String) -> String {
        let place = program.parentDirectory
        let installed = place.parentDirectory + "/share/recorder/page"
        guard !FileManager.default.fileExists(atPath: installed + "/index.html"),
            let build = place.range(of: "/.build")
        else { return installed }
        return place[..<build.lowerBound] + "/Sources/Service/WebPage"
    }
}

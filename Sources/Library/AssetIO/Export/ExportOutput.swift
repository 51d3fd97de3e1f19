import FileSystem
import Foundation
import MediaTypes

/// Checks the output of an export.
enum ExportOutput {
    /// Checks that the output can be written.
    ///
    /// - Throws: `outputExists` for a file that may not be replaced, and always for the asset's own files and for kept
    ///   files; `cannotCreate` for a URL that is not a file; the errors of `OutputPath.check`.
    static func check(_ url: URL, of asset: Asset, overwrites: Bool) throws(MediaError) {
        guard url.isFileURL else {
            throw MediaError(
                .cannotCreate, "cannot write \(url)", reason: "it is not a file but a “\(url.scheme ?? "")” URL")
        }
        for source in sources(of: asset) where isSame(url, source) {
            throw MediaError(
                .outputExists, "cannot write \(url.path)", reason: "it is the input itself",
                wayOut: "choose another name")
        }
        let isKept = PinFile.isThere(url.path)
        if isKept || !overwrites, OutputPath.exists(url.path) {
            throw MediaError(
                .outputExists, "cannot write \(url.path)",
                reason: "the file exists already" + (isKept ? ", and `recorder keep` protects it" : ""),
                wayOut: "choose another name")
        }
        try OutputPath.check(url.path)
    }

    /// Returns the files that would be lost if they were overwritten.
    private static func sources(of asset: Asset) -> [URL] {
        switch asset.origin {
        case .file(let url): [url]
        case .composition(let composition): composition.assets.flatMap(sources)
        }
    }

    private static func isSame(_ one: URL, _ other: URL) -> Bool {
        PathIdentity.areSame(one.path, other.path) || one.standardizedFileURL == other.standardizedFileURL
    }
}

public import Foundation
public import MediaTypes
import MovieFile

extension MovieSummary {
    /// Reads a movie file's summary. Blocks while it reads the headers.
    ///
    /// - Throws: `notFound`, `notPermitted`, or `corruptData` for what is no movie.
    public init(contentsOf url: URL) throws(MediaError) { self = try MovieInspector.summary(ofFileAt: url.path) }
}

import AssetIO
import Foundation
import MediaTypes
import MovieFile
import RealTime

/// One track of a movie file. The properties in its header can be changed; they are written together with the movie's
/// header.
open class AVMutableMovieTrack: AVMovieTrack, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    private let header: Locked<HeaderEditor>
    private let number: Int

    init(_ track: AssetTrack, of movie: AVMutableMovie) {
        header = movie.header
        number = track.id
        super.init(track, of: movie)
    }

    private var stored: EditedTrack? { header.withLock { $0.track(number) } }
    private func change(_ body: (inout EditedTrack) -> Void) { header.withLock { $0.edit(number, body) } }

    open override var isEnabled: Bool {
        get { stored?.isEnabled ?? super.isEnabled }
        set { change { $0.isEnabled = newValue } }
    }
    open override var alternateGroupID: Int {
        get { stored?.alternateGroup ?? super.alternateGroupID }
        set { change { $0.alternateGroup = newValue } }
    }
    open override var languageCode: String? {
        get { stored?.language.map { LanguageCode.terminological($0) ?? $0 } }
        set { change { $0.language = newValue == "und" ? nil : newValue } }
    }
    open override var extendedLanguageTag: String? {
        get { stored?.extendedLanguage }
        set { change { $0.extendedLanguage = newValue } }
    }
    open override var preferredTransform: CGAffineTransform {
        get {
            guard let matrix = stored?.matrix else { return super.preferredTransform }
            return CGAffineTransform(
                a: matrix[0], b: matrix[1], c: matrix[3], d: matrix[4], tx: matrix[6], ty: matrix[7])
        }
        set {
            change {
                $0.matrix = [newValue.a, newValue.b, 0, newValue.c, newValue.d, 0, newValue.tx, newValue.ty, 1]
                    .map { Double($0) }
            }
        }
    }
}

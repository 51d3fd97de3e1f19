import Foundation
package import MediaCodecs
package import MediaTypes

extension AssetWriterInput {
    /// Sets the transform with which players show the stored frames in an orientation. The frames are not changed.
    ///
    /// - Throws: the errors of `configure`; `invalidSettings` for an input of audio, unless the orientation is upright.
    package func setOrientation(_ orientation: FrameOrientation) throws(MediaError) {
        let hint = sourceFormatHint?.video
        var size = (width: hint?.width, height: hint?.height)
        if case .video(let settings)? = outputSettings { size = TrackFrames.size(settings, hint: hint) }
        let transform = orientation.transform(of: CGSize(width: size.width ?? 0, height: size.height ?? 0))
        try configure { $0.transform = transform }
    }
}

import AVFoundation
import Foundation

// Gifski FILE …: prints for each file its size, rate, length in seconds and audio tracks, or why it is refused
for path in CommandLine.arguments.dropFirst() {
    do {
        let (asset, metadata) = try await VideoValidator.validate(URL(fileURLWithPath: path))
        let audios = try await asset.loadTracks(withMediaType: .audio).count
        let (rate, seconds) = (Int(metadata.frameRate.rounded()), (metadata.duration * 10).rounded() / 10)
        print("\(metadata.dimensions.formatted) \(rate) \(seconds) \(audios)")
    } catch {
        print("refused: \(error.localizedDescription)")
    }
}

import AVFoundation

/// Images of single frames (listings 25 and 26).
final class Stills: @unchecked Sendable {
    // Unchecked: the lock protects what changes.
    /// The answer to one request.
    struct Answer: Sendable {
        let requestedTime: String
        let actualTime: String
        let result: AVAssetImageGenerator.Result
        let width: Int?
        let error: String?
    }

    private let asset: AVAsset
    private let generator: AVAssetImageGenerator
    private let lock = NSLock()
    private var answers: [Answer] = []

    init(_ asset: AVAsset) {
        self.asset = asset
        generator = AVAssetImageGenerator(asset: asset)
    }

    /// Listing 25: the frame in the middle, and the times that were asked for and found.
    func middle() throws -> (image: CGImage, requestedTime: String, actualTime: String) {
        let seconds = CMTimeGetSeconds(asset.duration)
        let middle = CMTimeMakeWithSeconds(seconds / 2, preferredTimescale: 600)
        var actualTime = CMTime.zero
        let image = try generator.copyCGImage(at: middle, actualTime: &actualTime)
        return (image, Self.text(middle), Self.text(actualTime))
    }

    /// Listing 26: the frames at the start, after each third, and at the end.
    ///
    /// - Parameter completion: called once, with the answers in their order.
    func thirds(completion: @escaping @Sendable ([Answer]) -> Void) {
        let seconds = CMTimeGetSeconds(asset.duration)
        let times = [0, seconds / 3, seconds * 2 / 3, seconds].map {
            NSValue(time: CMTimeMakeWithSeconds($0, preferredTimescale: 600))
        }
        let count = times.count
        generator.generateCGImagesAsynchronously(forTimes: times) { [self] requested, image, actual, result, error in
            let answer = Answer(
                requestedTime: Self.text(requested), actualTime: Self.text(actual), result: result,
                width: image?.width, error: error?.localizedDescription)
            lock.lock()
            answers.append(answer)
            let all = answers
            lock.unlock()
            if all.count == count { completion(all) }
        }
    }

    private static func text(_ time: CMTime) -> String {
        (CMTimeCopyDescription(allocator: nil, time: time) as String?) ?? ""
    }
}

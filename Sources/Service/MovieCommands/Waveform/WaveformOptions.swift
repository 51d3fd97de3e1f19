package import CommandInterface
package import MediaTypes

/// The request of `recorder waveform`.
package struct WaveformOptions: Sendable {
    package var file: String
    /// The track's number in the file; nil for the first audio track.
    package var track: Int?
    package var start: MediaTime?
    package var end: MediaTime?
    /// The number of buckets; nil for one per column of the image, or 1000 without an image.
    package var bucketCount: Int?
    /// The image's size; nil for an image that is 1600 pixels wide, and as high as the channels need.
    package var size: FrameSize?
    package var output: String?
    package var overwrite = false
    /// True if the numbers are printed. An image is then made only if `output` is set.
    package var isJSON = false

    package init(file: String) { self.file = file }

    static let greatestBucketCount = 1_000_000
    private static let numberCount = 1000

    var makesImage: Bool { !isJSON || output != nil }
    var imageWidth: Int { size?.width ?? 1600 }
    var buckets: Int { bucketCount ?? (makesImage ? imageWidth : Self.numberCount) }

    /// Checks the options.
    ///
    /// - Throws: An error if options contradict each other.
    package func validate() throws(OptionError) {
        if let bucketCount, !(1...Self.greatestBucketCount).contains(bucketCount) {
            throw OptionError("--buckets \(bucketCount) is out of range: 1 to \(Self.greatestBucketCount)")
        }
        if let start, let end, end <= start {
            throw OptionError("--to must come after --from")
        }
        if let size, size.width < 16 || size.height < 16 || max(size.width, size.height) > 16_000 {
            throw OptionError("--size \(size) is out of range: 16x16 to 16000x16000")
        }
        if size != nil, !makesImage {
            throw OptionError("--size needs an image: add --output, or omit --json")
        }
    }
}

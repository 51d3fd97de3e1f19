package import CommandInterface
package import MediaTypes

/// What `recorder waveform` was asked for.
package struct WaveformOptions: Sendable {
    package var file: String
    /// The number that the file gives the track; nil: the first sound track.
    package var track: Int?
    package var start: MediaTime?
    package var end: MediaTime?
    /// nil: one for each column of the picture, and 1000 for the numbers alone.
    package var bucketCount: Int?
    /// Of the picture; nil: 1600 wide, and as high as the channels need.
    package var size: FrameSize?
    package var output: String?
    package var overwrite = false
    /// The numbers are wanted; then a picture is made only where it was given a name.
    package var isJSON = false

    package init(file: String) { self.file = file }

    static let greatestBucketCount = 1_000_000
    private static let numberCount = 1000

    var makesPicture: Bool { !isJSON || output != nil }
    var pictureWidth: Int { size?.width ?? 1600 }
    var buckets: Int { bucketCount ?? (makesPicture ? pictureWidth : Self.numberCount) }

    /// - Throws: for options that mean nothing together.
    package func validate() throws(OptionError) {
        if let bucketCount, !(1...Self.greatestBucketCount).contains(bucketCount) {
            throw OptionError("--buckets \(bucketCount) is no usable number: 1 to \(Self.greatestBucketCount)")
        }
        if let start, let end, end <= start {
            throw OptionError("--to is not after --from: nothing is left")
        }
        if let size, size.width < 16 || size.height < 16 || max(size.width, size.height) > 16_000 {
            throw OptionError("--size \(size) is no usable size: 16x16 to 16000x16000")
        }
        if size != nil, !makesPicture {
            throw OptionError("--size belongs to a picture: give --output too, or leave --json out")
        }
    }
}

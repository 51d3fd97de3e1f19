public import Capture
public import MediaTypes

/// What `recorder waveform` was asked for.
public struct WaveformOptions: Sendable {
    public var file: String
    /// The number that the file gives the track; nil: the first sound track.
    public var track: Int?
    public var start: MediaTime?
    public var end: MediaTime?
    /// nil: one for each column of the picture, and 1000 for the numbers alone.
    public var bucketCount: Int?
    /// Of the picture; nil: 1600 wide, and as high as the channels need.
    public var size: FrameSize?
    public var output: String?
    public var overwrite = false
    /// The numbers are wanted; then a picture is made only where it was given a name.
    public var isJSON = false

    public init(file: String) { self.file = file }

    static let greatestBucketCount = 1_000_000
    private static let numberCount = 1000

    var makesPicture: Bool { !isJSON || output != nil }
    var pictureWidth: Int { size?.width ?? 1600 }
    var buckets: Int { bucketCount ?? (makesPicture ? pictureWidth : Self.numberCount) }

    /// - Throws: for options that mean nothing together.
    public func validate() throws(OptionError) {
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

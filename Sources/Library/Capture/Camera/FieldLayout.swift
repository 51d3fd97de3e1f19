import CV4L2
import MediaTypes

/// The position of the fields in the frames of a driver. A plain value.
///
/// Source: the Linux media API, enum v4l2_field.
enum FieldLayout: Hashable {
    /// The frames are progressive, or the driver does not know whether they are.
    case progressive
    /// Each frame has the lines of both fields.
    case woven(isUpperFirst: Bool)
    /// Each buffer has a single field, or both fields one below the other.
    case separate

    /// - Parameters:
    ///   - field: v4l2_format's `field`.
    ///   - height: the lines of a frame.
    init(_ field: UInt32, height: Int) {
        switch field {
        case V4L2_FIELD_ANY.rawValue, V4L2_FIELD_NONE.rawValue: self = .progressive
        // Standards with 525 lines send the lower field first, all others the upper field.
        case V4L2_FIELD_INTERLACED.rawValue: self = .woven(isUpperFirst: height != 480 && height != 486)
        case V4L2_FIELD_INTERLACED_TB.rawValue: self = .woven(isUpperFirst: true)
        case V4L2_FIELD_INTERLACED_BT.rawValue: self = .woven(isUpperFirst: false)
        default: self = .separate
        }
    }

    /// The field order of raw frames; nil if they are not interlaced.
    var order: FieldOrder? {
        guard case .woven(let isUpperFirst) = self else { return nil }
        return isUpperFirst ? .upperFirstInterleaved : .lowerFirstInterleaved
    }
}

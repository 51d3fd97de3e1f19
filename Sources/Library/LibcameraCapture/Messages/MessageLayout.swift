/// The numbers of the messages: sizes, offsets and limits. `messages.h` has the same numbers under the same names.
///
/// Offsets are in bytes from the start of a message. All numbers in a message are little-endian.
enum MessageLayout {
    static let messageSize = 256
    static let magic: UInt32 = 0x4D43_4C52
    static let version: UInt16 = 1

    static let magicAt = 0
    static let versionAt = 4
    static let kindAt = 6
    static let descriptorsAt = 8
    static let reservedAt = 12

    static let textAt = 96
    static let textSize = 160
    static let shortTextAt = 32
    static let shortTextSize = 64

    static let cameraLocationAt = 16
    static let cameraRotationAt = 20
    static let countAt = 16
    static let deviceAt = 16

    static let controlTypeAt = 16
    static let controlMinimumAt = 24
    static let controlMaximumAt = 32
    static let controlInitialAt = 40
    static let choiceValueAt = 24
    static let setValueAt = 24

    static let widthAt = 16
    static let heightAt = 20
    static let formatAt = 24
    static let buffersAt = 28
    static let strideAt = 32
    static let orientationAt = 36
    static let shortestIntervalAt = 40
    static let longestIntervalAt = 48
    static let primariesAt = 56
    static let transferAt = 60
    static let matrixAt = 64
    static let rangeAt = 68

    static let bufferAt = 16
    static let planesAt = 20
    static let planeAt = 24
    static let planeSize = 12

    static let statusAt = 24
    static let sequenceAt = 28
    static let usedAt = 32
    static let timestampAt = 48
    static let sensorAt = 56
    static let durationAt = 64
    static let exposureAt = 72
    static let queuedAt = 76

    static let causeAt = 16
    static let errnoAt = 20

    static let mostPlanes = 3
    static let mostBuffers = 16
}

/// The kinds of messages that the helper sends.
enum HelperKind: UInt16, CaseIterable {
    case hello = 1
    case camera = 2
    case listed = 3
    case control = 4
    case choice = 5
    case described = 6
    case configured = 7
    case buffer = 8
    case started = 9
    case frame = 10
    case failure = 11
    case device = 12
}

/// The kinds of messages that the recorder sends.
enum RecorderKind: UInt16, CaseIterable {
    case list = 101
    case describe = 102
    case open = 103
    case set = 104
    case start = 105
    case returned = 106
}

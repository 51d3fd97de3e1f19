/// A message to the helper.
package enum RecorderMessage: Sendable, Hashable {
    /// Requests the list of cameras.
    case list
    /// Requests the controls of a camera.
    case describe(camera: String)
    case open(StreamRequest)
    /// Sets a control. Before `start`, the value is for the first frame; later, it is for the next frame.
    case set(control: String, value: Double)
    case start
    /// Returns a buffer, which the camera may fill again.
    case returned(buffer: Int)

    /// Returns the bytes of the message; nil if a text is too long, or a number is out of range.
    package func encoded() -> [UInt8]? {
        var message = MessageBytes(kind: kind.rawValue)
        return write(to: &message) ? message.bytes : nil
    }

    /// Writes the message over another one, so that a message for each frame allocates nothing.
    ///
    /// - Returns: False if a text is too long, or a number is out of range. The memory then contains no valid message.
    func write(to message: inout MessageBytes) -> Bool {
        message.begin(kind: kind.rawValue)
        switch self {
        case .list, .start: return true
        case .describe(let camera): return message.putName(camera)
        case .open(let request): return request.write(to: &message)
        case .set(let control, let value):
            guard value.isFinite, message.putName(control) else { return false }
            message.put(value, at: MessageLayout.setValueAt)
        case .returned(let buffer):
            guard (0..<MessageLayout.mostBuffers).contains(buffer) else { return false }
            message.put(UInt32(buffer), at: MessageLayout.bufferAt)
        }
        return true
    }

    private var kind: RecorderKind {
        switch self {
        case .list: .list
        case .describe: .describe
        case .open: .open
        case .set: .set
        case .start: .start
        case .returned: .returned
        }
    }
}

/// A request for one camera's frames. The helper chooses each number that is 0, and the format if it is nil.
package struct StreamRequest: Sendable, Hashable {
    /// libcamera's identifier of the camera, or its model if no other camera has the same model.
    package var camera: String
    package var width: Int
    package var height: Int
    package var format: FrameFormat?
    package var bufferCount: Int
    /// The orientation of the frames as in Exif, 1 to 8; 1 is upright.
    package var orientation: Int
    /// The shortest and the longest time between two frames, in nanoseconds.
    package var shortestInterval: Int64
    package var longestInterval: Int64

    package init(
        camera: String, width: Int = 0, height: Int = 0, format: FrameFormat? = nil, bufferCount: Int = 8,
        orientation: Int = 1, shortestInterval: Int64 = 0, longestInterval: Int64 = 0
    ) {
        self.camera = camera
        self.width = width
        self.height = height
        self.format = format
        self.bufferCount = bufferCount
        self.orientation = orientation
        self.shortestInterval = shortestInterval
        self.longestInterval = longestInterval
    }

    fileprivate func write(to message: inout MessageBytes) -> Bool {
        typealias Layout = MessageLayout
        guard message.putName(camera), let width = UInt32(exactly: width), let height = UInt32(exactly: height),
            (0...Layout.mostBuffers).contains(bufferCount), (1...8).contains(orientation),
            shortestInterval >= 0, longestInterval >= shortestInterval
        else { return false }
        message.put(width, at: Layout.widthAt)
        message.put(height, at: Layout.heightAt)
        message.put(format?.rawValue ?? 0, at: Layout.formatAt)
        message.put(UInt32(bufferCount), at: Layout.buffersAt)
        message.put(UInt32(orientation), at: Layout.orientationAt)
        message.put(shortestInterval, at: Layout.shortestIntervalAt)
        message.put(longestInterval, at: Layout.longestIntervalAt)
        return true
    }
}

extension MessageBytes {
    /// Writes the name of a camera or a control, which must not be empty.
    fileprivate mutating func putName(_ name: String) -> Bool {
        !name.isEmpty && put(name, at: MessageLayout.textAt, size: MessageLayout.textSize)
    }
}

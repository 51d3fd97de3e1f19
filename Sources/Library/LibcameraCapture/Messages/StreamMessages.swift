/// The format of the frames, as the helper configured the camera.
package struct StreamConfiguration: Sendable, Hashable {
    package var width: Int
    package var height: Int
    package var format: FrameFormat
    /// The number of buffers that follow.
    package var bufferCount: Int
    /// Bytes per row of the first plane; 0 for compressed frames.
    package var stride: Int
    /// The orientation as in Exif, 1 to 8.
    package var orientation: Int
    /// The shortest and the longest time between two frames, in nanoseconds; 0 if unknown.
    package var shortestInterval: Int64
    package var longestInterval: Int64
    /// The codes of ITU-T H.273; 0 if unknown.
    package var primaries: UInt8
    package var transfer: UInt8
    package var matrix: UInt8
    /// True for full range, false for limited range; nil if unknown.
    package var isFullRange: Bool?
}

/// The layout of one buffer's planes in the dma-bufs that come with the message.
package struct BufferDescription: Sendable, Hashable {
    package struct Plane: Sendable, Hashable {
        /// The index of the plane's dma-buf among those of the message.
        package var descriptor: Int
        package var offset: Int
        package var length: Int
    }

    /// The number of the buffer.
    package var index: Int
    package var planes: [Plane]
    /// The number of dma-bufs, at least 1.
    package var descriptorCount: Int
}

/// A buffer that the camera filled. It belongs to the recorder until it is returned.
package struct FrameMessage: Sendable, Hashable {
    package enum Status: UInt32, Sendable, Hashable {
        case good, damaged
        /// The camera stopped before it filled the buffer, or filled it before the exposure had settled.
        case cancelled
    }

    package var buffer: Int
    package var status: Status
    /// The camera's count of frames; wraps at 2³².
    package var sequence: UInt32
    package var planeCount: Int
    /// The bytes that were written to each plane; 0 for planes that do not exist.
    package var used0: Int
    package var used1: Int
    package var used2: Int
    /// The buffer's own time, in nanoseconds of an unknown clock. It may be any number.
    package var timestamp: Int64
    /// SensorTimestamp, in nanoseconds; nil if there is none.
    package var sensorTimestamp: Int64?
    /// FrameDuration, in nanoseconds; nil if there is none.
    package var duration: Int64?
    /// ExposureTime, in microseconds; nil if there is none.
    package var exposure: Int64?
    /// The number of buffers that the camera has left. Only the helper knows it, because messages may wait in the
    /// socket.
    package var queuedCount: Int

    /// Returns the bytes that were written to a plane.
    package func used(_ plane: Int) -> Int {
        // Separate properties are used because an array would be an allocation for each frame.
        switch plane {
        case 0: used0
        case 1: used1
        default: used2
        }
    }
}

/// An error that the helper reports. The helper ends after that, unless it only refused a control.
package struct HelperFailure: Sendable, Hashable {
    package enum Cause: UInt32, Sendable, Hashable, CaseIterable {
        case notFound = 1
        case busy, notPermitted, unsuitable, lost, failed, invalidControl
    }

    package var cause: Cause
    /// The errno; 0 if there is none.
    package var errno: Int32
    package var reason: String

    package init(_ cause: Cause, errno: Int32 = 0, reason: String) {
        self.cause = cause
        self.errno = errno
        self.reason = reason
    }
}

/// A message from the helper, decoded and checked.
package enum HelperMessage: Sendable, Hashable {
    /// The helper runs. The text is libcamera's version.
    case hello(String)
    case camera(CameraListing)
    /// The number of a video node (`st_rdev` of stat(2)) that is part of the camera in the latest `camera` message.
    case device(UInt64)
    /// The end of the list of cameras. The value is the number of cameras.
    case listed(Int)
    case control(ControlListing)
    /// One valid value of the control in the latest `control` message.
    case choice(ControlChoice)
    /// The end of the list of controls. The value is the number of controls.
    case described(Int)
    case configured(StreamConfiguration)
    case buffer(BufferDescription)
    case started
    case frame(FrameMessage)
    case failure(HelperFailure)

    /// Decodes a message.
    ///
    /// - Parameters:
    ///   - bytes: The message as it was received, of any size.
    ///   - descriptors: The number of file descriptors that came with it.
    /// - Throws: The first fault. The helper must be ended then, since nothing it sends later can be trusted.
    package init(_ bytes: [UInt8], descriptors: Int) throws(MessageFault) {
        let message = try MessageBytes(bytes)
        guard let kind = HelperKind(rawValue: message.kind) else { throw .kind(message.kind) }
        let stated = message.number(UInt32.self, at: MessageLayout.descriptorsAt)
        let allowed = kind == .buffer ? 1...MessageLayout.mostPlanes : 0...0
        guard Int(stated) == descriptors, allowed.contains(descriptors) else {
            throw .descriptors(stated: stated, arrived: descriptors)
        }
        switch kind {
        case .hello: self = .hello(try message.longText())
        case .camera: self = .camera(try CameraListing(message))
        case .device: self = .device(message.number(UInt64.self, at: MessageLayout.deviceAt))
        case .listed: self = .listed(try message.number(at: MessageLayout.countAt, in: 0...65_535, "count"))
        case .control: self = .control(try ControlListing(message))
        case .choice: self = .choice(try ControlChoice(message))
        case .described: self = .described(try message.number(at: MessageLayout.countAt, in: 0...65_535, "count"))
        case .configured: self = .configured(try StreamConfiguration(message))
        case .buffer: self = .buffer(try BufferDescription(message, descriptors: descriptors))
        case .started: self = .started
        case .frame: self = .frame(try FrameMessage(message))
        case .failure: self = .failure(try HelperFailure(message))
        }
    }
}

extension HelperMessage {
    /// The name of the message, for an error.
    var name: String {
        switch self {
        case .hello: "a greeting"
        case .camera, .device, .listed: "a list of cameras"
        case .control, .choice, .described: "a list of controls"
        case .configured: "a configuration"
        case .buffer: "a buffer"
        case .started: "a start"
        case .frame: "a frame"
        case .failure: "an error"
        }
    }
}

extension MessageBytes {
    fileprivate func longText() throws(MessageFault) -> String {
        try text(at: MessageLayout.textAt, size: MessageLayout.textSize)
    }

    /// Returns a name, which must not be empty.
    fileprivate func name() throws(MessageFault) -> String {
        let name = try longText()
        guard !name.isEmpty else { throw .text }
        return name
    }

    fileprivate func finite(at offset: Int, _ field: String) throws(MessageFault) -> Double {
        let value = float(at: offset)
        guard value.isFinite else { throw .number(field: field) }
        return value
    }
}

extension CameraListing {
    fileprivate init(_ message: MessageBytes) throws(MessageFault) {
        let side = message.number(UInt32.self, at: MessageLayout.cameraLocationAt)
        guard let location = Location(rawValue: side) else { throw .number(field: "location") }
        let rotation = message.number(Int32.self, at: MessageLayout.cameraRotationAt)
        guard (-359...359).contains(rotation) else { throw .number(field: "rotation") }
        self.init(
            identifier: try message.name(),
            model: try message.text(at: MessageLayout.shortTextAt, size: MessageLayout.shortTextSize),
            location: location, rotation: Int(rotation))
    }
}

extension ControlListing {
    fileprivate init(_ message: MessageBytes) throws(MessageFault) {
        let type = message.number(UInt32.self, at: MessageLayout.controlTypeAt)
        guard let kind = Kind(rawValue: type) else { throw .number(field: "control type") }
        let minimum = try message.finite(at: MessageLayout.controlMinimumAt, "minimum")
        let maximum = try message.finite(at: MessageLayout.controlMaximumAt, "maximum")
        guard minimum <= maximum else { throw .number(field: "maximum") }
        let initial = message.float(at: MessageLayout.controlInitialAt)
        self.init(
            name: try message.name(), kind: kind, minimum: minimum, maximum: maximum,
            initial: initial.isFinite ? initial : nil)
    }
}

extension ControlChoice {
    fileprivate init(_ message: MessageBytes) throws(MessageFault) {
        self.init(
            value: try message.finite(at: MessageLayout.choiceValueAt, "choice"), name: try message.longText())
    }
}

extension StreamConfiguration {
    /// The largest width and height, as in `PixelLayout.holdsWholeFrame`.
    private static let lengths = 1...((1 << 24) - 1)

    fileprivate init(_ message: MessageBytes) throws(MessageFault) {
        typealias Layout = MessageLayout
        width = try message.number(at: Layout.widthAt, in: Self.lengths, "width")
        height = try message.number(at: Layout.heightAt, in: Self.lengths, "height")
        guard let format = FrameFormat(rawValue: message.number(UInt32.self, at: Layout.formatAt)) else {
            throw .number(field: "pixel format")
        }
        self.format = format
        bufferCount = try message.number(at: Layout.buffersAt, in: 1...Layout.mostBuffers, "number of buffers")
        stride = try message.number(at: Layout.strideAt, in: 0...(1 << 26), "stride")
        orientation = try message.number(at: Layout.orientationAt, in: 1...8, "orientation")
        shortestInterval = try message.nanoseconds(at: Layout.shortestIntervalAt, "shortest frame interval")
        longestInterval = try message.nanoseconds(at: Layout.longestIntervalAt, "longest frame interval")
        guard shortestInterval <= longestInterval else { throw .number(field: "longest frame interval") }
        primaries = UInt8(try message.number(at: Layout.primariesAt, in: 0...255, "color primaries"))
        transfer = UInt8(try message.number(at: Layout.transferAt, in: 0...255, "transfer function"))
        matrix = UInt8(try message.number(at: Layout.matrixAt, in: 0...255, "color matrix"))
        let range = try message.number(at: Layout.rangeAt, in: 0...2, "color range")
        if range > 0 { isFullRange = range == 2 }
    }
}

extension BufferDescription {
    fileprivate init(_ message: MessageBytes, descriptors: Int) throws(MessageFault) {
        typealias Layout = MessageLayout
        index = try message.number(at: Layout.bufferAt, in: 0...(Layout.mostBuffers - 1), "buffer")
        let count = try message.number(at: Layout.planesAt, in: 1...Layout.mostPlanes, "number of planes")
        descriptorCount = descriptors
        planes = []
        for plane in 0..<count {
            let start = Layout.planeAt + plane * Layout.planeSize
            planes.append(
                Plane(
                    descriptor: try message.number(at: start, in: 0...(descriptors - 1), "plane's dma-buf"),
                    offset: Int(message.number(UInt32.self, at: start + 4)),
                    length: Int(message.number(UInt32.self, at: start + 8))))
        }
    }
}

extension FrameMessage {
    fileprivate init(_ message: MessageBytes) throws(MessageFault) {
        typealias Layout = MessageLayout
        buffer = try message.number(at: Layout.bufferAt, in: 0...(Layout.mostBuffers - 1), "buffer")
        planeCount = try message.number(at: Layout.planesAt, in: 1...Layout.mostPlanes, "number of planes")
        let state = message.number(UInt32.self, at: Layout.statusAt)
        guard let status = Status(rawValue: state) else { throw .number(field: "status") }
        self.status = status
        sequence = message.number(UInt32.self, at: Layout.sequenceAt)
        used0 = Int(message.number(UInt32.self, at: Layout.usedAt))
        used1 = Int(message.number(UInt32.self, at: Layout.usedAt + 4))
        used2 = Int(message.number(UInt32.self, at: Layout.usedAt + 8))
        // The clock is unknown, so the timestamp may be any number. It is judged later, and never ends the helper.
        timestamp = Int64(clamping: message.number(UInt64.self, at: Layout.timestampAt))
        let sensor = Int64(clamping: message.number(UInt64.self, at: Layout.sensorAt))
        sensorTimestamp = sensor == 0 ? nil : sensor
        let duration = try message.nanoseconds(at: Layout.durationAt, "frame duration")
        self.duration = duration == 0 ? nil : duration
        let exposure = Int64(message.number(UInt32.self, at: Layout.exposureAt))
        self.exposure = exposure == 0 ? nil : exposure
        queuedCount = try message.number(at: Layout.queuedAt, in: 0...Layout.mostBuffers, "number of queued buffers")
    }
}

extension HelperFailure {
    fileprivate init(_ message: MessageBytes) throws(MessageFault) {
        let code = message.number(UInt32.self, at: MessageLayout.causeAt)
        guard let cause = Cause(rawValue: code) else { throw .number(field: "cause") }
        self.init(
            cause, errno: message.number(Int32.self, at: MessageLayout.errnoAt), reason: try message.longText())
    }
}

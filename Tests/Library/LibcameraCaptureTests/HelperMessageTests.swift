import TestSupport
import Testing

@testable import LibcameraCapture

@Suite struct HelperMessageTests {
    private func decode(_ message: HelperBytes, descriptors: Int = 0) throws(MessageFault) -> HelperMessage {
        try HelperMessage(message.bytes, descriptors: descriptors)
    }

    @Test func message_eachKind_hasItsFields() throws {
        #expect(try decode(.hello()) == .hello("0.4.0"))
        #expect(try decode(HelperBytes(.started)) == .started)
        #expect(try decode(HelperBytes(.listed).with(2, at: MessageLayout.countAt)) == .listed(2))
        let device = HelperBytes(.device).with(long: 0x5103, at: MessageLayout.deviceAt)
        #expect(try decode(device) == .device(0x5103))
        let failure = HelperBytes.failure(.busy, errno: 16, "in use")
        #expect(try decode(failure) == .failure(HelperFailure(.busy, errno: 16, reason: "in use")))
        guard case .frame(let frame) = try decode(.frame(3, sequence: 7, sensor: 5_000)) else {
            Issue.record("not a frame")
            return
        }
        #expect(frame.buffer == 3 && frame.sequence == 7 && frame.sensorTimestamp == 5_000)
        #expect(frame.used(0) == 1280 * 720 && frame.used(1) == 1280 * 360 && frame.used(2) == 0)
        #expect(frame.duration == nil && frame.exposure == nil && frame.status == .good && frame.queuedCount == 3)
    }

    @Test func camera_withRotation_isListed() throws {
        let message = HelperBytes(.camera).with(text: "/base/soc/i2c0mux/i2c@1/imx708@1a")
            .with(2, at: MessageLayout.cameraLocationAt)
            .with(UInt32(bitPattern: -90), at: MessageLayout.cameraRotationAt)
        let expected = CameraListing(
            identifier: "/base/soc/i2c0mux/i2c@1/imx708@1a", model: "", location: .back, rotation: -90)
        #expect(try decode(message) == .camera(expected))
    }

    @Test func control_withoutInitialValue_isListed() throws {
        let message = HelperBytes(.control).with(text: "AnalogueGain").with(3, at: MessageLayout.controlTypeAt)
            .with(long: (1.0).bitPattern, at: MessageLayout.controlMinimumAt)
            .with(long: (16.0).bitPattern, at: MessageLayout.controlMaximumAt)
            .with(long: Double.nan.bitPattern, at: MessageLayout.controlInitialAt)
        let expected = ControlListing(name: "AnalogueGain", kind: .float, minimum: 1, maximum: 16)
        #expect(try decode(message) == .control(expected))
    }

    @Test func header_anythingWrong_isAFault() {
        let good = HelperBytes.hello()
        #expect(throws: MessageFault.size(255)) { try HelperMessage(Array(good.bytes.dropLast()), descriptors: 0) }
        #expect(throws: MessageFault.size(257)) { try HelperMessage(good.bytes + [0], descriptors: 0) }
        #expect(throws: MessageFault.size(0)) { try HelperMessage([], descriptors: 0) }
        #expect(throws: MessageFault.magic(1)) { try decode(good.with(1, at: MessageLayout.magicAt)) }
        var other = good.bytes
        other[MessageLayout.versionAt] = 2
        #expect(throws: MessageFault.version(2)) { try HelperMessage(other, descriptors: 0) }
        // A message of the recorder is none of the helper.
        var foreign = good.bytes
        foreign[MessageLayout.kindAt] = UInt8(RecorderKind.start.rawValue)
        #expect(throws: MessageFault.kind(RecorderKind.start.rawValue)) {
            try HelperMessage(foreign, descriptors: 0)
        }
        #expect(throws: MessageFault.reserved) { try decode(good.with(1, at: MessageLayout.reservedAt)) }
    }

    @Test func descriptors_missingOrUnexpected_areAFault() {
        #expect(throws: MessageFault.descriptors(stated: 1, arrived: 0)) { try decode(.buffer(0)) }
        #expect(throws: MessageFault.descriptors(stated: 1, arrived: 2)) { try decode(.buffer(0), descriptors: 2) }
        #expect(throws: MessageFault.descriptors(stated: 0, arrived: 1)) { try decode(.hello(), descriptors: 1) }
        let none = HelperBytes.buffer(0, descriptors: 0)
        #expect(throws: MessageFault.descriptors(stated: 0, arrived: 0)) { try decode(none) }
        let many = HelperBytes.buffer(0, descriptors: 4)
        #expect(throws: MessageFault.descriptors(stated: 4, arrived: 4)) { try decode(many, descriptors: 4) }
    }

    @Test func numbers_outOfRange_areAFault() {
        let buffer = HelperBytes.buffer(0).plane(1, descriptor: 1, offset: 0, length: 1)
        #expect(throws: MessageFault.number(field: "plane's dma-buf")) { try decode(buffer, descriptors: 1) }
        #expect(throws: MessageFault.number(field: "buffer")) { try decode(.frame(16, sequence: 0, sensor: 1)) }
        let status = HelperBytes.frame(0, sequence: 0, sensor: 1).with(3, at: MessageLayout.statusAt)
        #expect(throws: MessageFault.number(field: "status")) { try decode(status) }
        let queued = HelperBytes.frame(0, sequence: 0, sensor: 1).with(17, at: MessageLayout.queuedAt)
        #expect(throws: MessageFault.number(field: "number of queued buffers")) { try decode(queued) }
        let long = HelperBytes.frame(0, sequence: 0, sensor: 1).with(long: .max, at: MessageLayout.durationAt)
        #expect(throws: MessageFault.number(field: "frame duration")) { try decode(long) }
        let width = HelperBytes.configured().with(0, at: MessageLayout.widthAt)
        #expect(throws: MessageFault.number(field: "width")) { try decode(width) }
        let format = HelperBytes.configured().with(0x2020_2020, at: MessageLayout.formatAt)
        #expect(throws: MessageFault.number(field: "pixel format")) { try decode(format) }
        let interval = HelperBytes.configured().with(long: 1, at: MessageLayout.longestIntervalAt)
        #expect(throws: MessageFault.number(field: "longest frame interval")) { try decode(interval) }
        let cause = HelperBytes.failure(.failed, "").with(8, at: MessageLayout.causeAt)
        #expect(throws: MessageFault.number(field: "cause")) { try decode(cause) }
    }

    @Test func timestamp_anyNumber_isNoFault() throws {
        let message = HelperBytes.frame(0, sequence: 0, sensor: 0).with(long: .max, at: MessageLayout.timestampAt)
        guard case .frame(let frame) = try decode(message) else {
            Issue.record("not a frame")
            return
        }
        #expect(frame.timestamp == .max && frame.sensorTimestamp == nil)
    }

    @Test func text_invalid_isAFault() {
        for byte in [UInt8(0xFF), 0x1B, 0x0A] {
            var bytes = HelperBytes.hello().bytes
            bytes[MessageLayout.textAt] = byte
            #expect(throws: MessageFault.text) { try HelperMessage(bytes, descriptors: 0) }
        }
        // Something after the padding.
        var late = HelperBytes.hello().bytes
        late[255] = 0x41
        #expect(throws: MessageFault.text) { try HelperMessage(late, descriptors: 0) }
        #expect(throws: MessageFault.text) { try decode(HelperBytes(.camera)) }
    }

    @Test func message_randomBytes_neverTraps() {
        var random = SeededRandom(seed: 38)
        let kinds = HelperKind.allCases.map(\.rawValue) + [0, 13, .max]
        for round in 0..<20_000 {
            var bytes = (0..<MessageLayout.messageSize).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            // A valid header, so that the fields are read.
            bytes.replaceSubrange(0..<16, with: MessageBytes(kind: kinds[round % kinds.count]).bytes[0..<16])
            bytes[MessageLayout.descriptorsAt] = UInt8(round % 4)
            // Half of the texts are valid, and some of the numbers small.
            if round % 2 == 0 { for index in 96..<256 { bytes[index] = 0 } }
            if round % 3 == 0 { for index in 16..<96 where index % 4 != 0 { bytes[index] = 0 } }
            _ = try? HelperMessage(bytes, descriptors: round % 4)
        }
    }
}

@Suite struct RecorderMessageTests {
    @Test func message_ofTheRecorder_hasItsBytes() throws {
        let returned = try #require(RecorderMessage.returned(buffer: 5).encoded())
        #expect(returned.count == MessageLayout.messageSize)
        // Little-endian: "RLCM", version 1, kind 106, buffer 5.
        #expect(Array(returned[0..<8]) == [0x52, 0x4C, 0x43, 0x4D, 1, 0, 106, 0])
        #expect(Array(returned[16..<20]) == [5, 0, 0, 0])
        #expect(returned[20...].allSatisfy { $0 == 0 })
        let set = try #require(RecorderMessage.set(control: "Brightness", value: -0.5).encoded())
        #expect(Array(set[24..<32]) == [0, 0, 0, 0, 0, 0, 0xE0, 0xBF])
        #expect(Array(set[96..<107]) == Array("Brightness".utf8) + [0])
    }

    @Test func open_request_hasItsNumbers() throws {
        let request = StreamRequest(
            camera: "imx708", width: 1920, height: 1080, format: .yuv420, bufferCount: 8, orientation: 3,
            shortestInterval: 20_000_000, longestInterval: 20_000_000)
        let message = try MessageBytes(try #require(RecorderMessage.open(request).encoded()))
        #expect(message.kind == RecorderKind.open.rawValue)
        #expect(message.number(UInt32.self, at: MessageLayout.widthAt) == 1920)
        #expect(message.number(UInt32.self, at: MessageLayout.formatAt) == FrameFormat.yuv420.rawValue)
        #expect(message.number(UInt64.self, at: MessageLayout.longestIntervalAt) == 20_000_000)
        #expect(try message.text(at: MessageLayout.textAt, size: MessageLayout.textSize) == "imx708")
    }

    @Test func message_overALongerOne_isTheSameInTheSameMemory() {
        var message = MessageBytes(kind: 0)
        #expect(RecorderMessage.open(StreamRequest(camera: "imx708", width: 1920, height: 1080)).write(to: &message))
        let before = message.bytes.withUnsafeBytes { $0.baseAddress }
        #expect(RecorderMessage.returned(buffer: 5).write(to: &message))
        #expect(message.bytes.withUnsafeBytes { $0.baseAddress } == before)
        #expect(message.bytes == RecorderMessage.returned(buffer: 5).encoded())
    }

    @Test func message_thatDoesNotFit_isNone() {
        let long = String(repeating: "a", count: MessageLayout.textSize + 1)
        #expect(RecorderMessage.describe(camera: long).encoded() == nil)
        #expect(RecorderMessage.describe(camera: "").encoded() == nil)
        #expect(RecorderMessage.describe(camera: "a\0b").encoded() == nil)
        #expect(RecorderMessage.set(control: "a", value: .nan).encoded() == nil)
        #expect(RecorderMessage.returned(buffer: 16).encoded() == nil)
        #expect(RecorderMessage.open(StreamRequest(camera: "a", width: -1)).encoded() == nil)
        #expect(RecorderMessage.open(StreamRequest(camera: "a", orientation: 9)).encoded() == nil)
    }
}

import MediaTypes

@testable import LibcameraCapture

/// A record of the input: the number of dma-bufs, the time since the record before in 10 ms, two unused bytes, the size
/// of each dma-buf in 32 bits, and the bytes of a message.
private let recordSize = 8 + MessageLayout.messageSize

/// libFuzzer's entry point: a session and an inquiry accept any messages of a helper. The session ends with a cause, or
/// its buffers and times are valid.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLibcamera(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
    var now: Int64 = 1_000_000_000_000
    var session = HelperSession(StreamRequest(camera: "fuzz"), pageSize: 4096, at: now)
    var inquiry = CameraInquiry(at: now)
    var lastTime: MediaTime?
    var place = 0
    while place + 8 <= input.count {
        let record = input[place..<min(place + recordSize, input.count)]
        place += recordSize
        now += Int64(record[record.startIndex + 1]) * 10_000_000
        let size = record.dropFirst(4).prefix(4).reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let sizes = [Int64](repeating: size, count: Int(record[record.startIndex] % 5))
        _ = session.passed(now)
        if session.phase == .ready { _ = session.start(at: now) }
        let message = Array(record.dropFirst(8))
        if case .done = inquiry.received(message, descriptors: sizes.count, at: now) {
            precondition(inquiry.deadline == nil, "a deadline after the end")
        }
        let action = session.received(message, sizes: sizes, at: now, suspended: size)
        switch action {
        case .map(_, let plan), .mapLast(_, let plan): check(plan)
        case .deliver(let frame), .damaged(let frame):
            precondition(frame.lost >= 0, "a negative loss")
            if let lastTime { precondition(frame.time > lastTime, "times do not increase") }
            lastTime = frame.time
            _ = session.returned(frame.buffer, at: now)
        case .giveBack(let buffer): _ = session.returned(buffer, at: now)
        case .end(let cause):
            let error = cause.error("lost the camera fuzz", camera: "fuzz")
            precondition(!error.reason.isEmpty, "an end without a reason")
            precondition(session.deadline == nil, "a deadline after the end")
        case .nothing, .send, .controlRefused: break
        }
    }
    return 0
}

private func check(_ plan: BufferPlan) {
    precondition(plan.byteCount <= BufferPlan.mostBytes && plan.byteCount % 4096 == 0, "an invalid range")
    for segment in plan.segments {
        precondition(segment.start >= 0 && segment.start + segment.byteCount <= plan.byteCount, "outside of the range")
    }
    for plane in plan.planes { precondition(plane.upperBound <= plan.byteCount, "a plane outside of the range") }
    if let layout = plan.layout {
        precondition(layout.holdsWholeFrame && layout.byteCount <= plan.byteCount, "a layout outside of the range")
    }
}

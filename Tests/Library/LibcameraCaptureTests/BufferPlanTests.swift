import MediaTypes
import Testing

@testable import LibcameraCapture

@Suite struct BufferPlanTests {
    private let whole = HelperBytes.frameBytes

    private func makePlan(
        _ buffer: HelperBytes, sizes: [Int64], _ configured: HelperBytes = .configured(), pageSize: Int = 4096
    ) throws -> BufferPlan {
        guard case .configured(let configuration) = try HelperMessage(configured.bytes, descriptors: 0),
            case .buffer(let description) = try HelperMessage(buffer.bytes, descriptors: sizes.count)
        else { throw MessageFault.kind(0) }
        return try BufferPlan(description, sizes: sizes, configuration: configuration, pageSize: pageSize)
    }

    @Test func plan_planesInOneBuffer_areOneLayout() throws {
        let plan = try makePlan(.buffer(0), sizes: [whole])
        #expect(plan.segments == [BufferPlan.Segment(descriptor: 0, start: 0, byteCount: 1_382_400)])
        #expect(plan.layout == PixelLayout(format: .nv12, width: 1280, height: 720))
        #expect(plan.needed == [1280 * 720, 1280 * 360])
        #expect(plan.byteCount == 1_384_448)
    }

    @Test func plan_planesInTwoBuffers_areMappedOneAfterTheOther() throws {
        let buffer = HelperBytes.buffer(0, descriptors: 2)
            .plane(0, descriptor: 1, offset: 100, length: 1280 * 720)
            .plane(1, descriptor: 0, offset: 0, length: 1280 * 360)
        // 360 rows of 1280 bytes, and 720 of them behind 100 bytes.
        let sizes: [Int64] = [460_800, 921_700]
        for pageSize in [4096, 16_384, 65_536] {
            let plan = try makePlan(buffer, sizes: sizes, pageSize: pageSize)
            let second = (1280 * 360 + pageSize - 1) / pageSize * pageSize
            #expect(plan.segments.map(\.start) == [0, second])
            #expect(plan.layout?.planes.map(\.offset) == [second + 100, 0])
            #expect(plan.byteCount % pageSize == 0)
        }
    }

    @Test func plan_paddedRows_keepTheStride() throws {
        // 1280 samples in rows of 1536, chroma in half of that, as on a Raspberry Pi.
        let buffer = HelperBytes.buffer(0).with(3, at: MessageLayout.planesAt)
            .plane(0, descriptor: 0, offset: 0, length: 1536 * 720)
            .plane(1, descriptor: 0, offset: 1536 * 720, length: 768 * 360)
            .plane(2, descriptor: 0, offset: 1536 * 720 + 768 * 360, length: 768 * 360)
        // One and a half times 720 rows of 1536 bytes.
        let size: Int64 = 1_658_880
        let plan = try makePlan(buffer, sizes: [size], .configured(.yuv420, stride: 1536))
        #expect(plan.layout?.planes.map(\.bytesPerRow) == [1536, 768, 768])
        // The padding of the last row may be missing.
        #expect(plan.needed == [1536 * 719 + 1280, 768 * 359 + 640, 768 * 359 + 640])
    }

    @Test func plan_onePlaneForAll_followsTheFormat() throws {
        let buffer = HelperBytes.buffer(0).with(1, at: MessageLayout.planesAt)
            .plane(0, descriptor: 0, offset: 4096, length: UInt32(whole))
        let plan = try makePlan(buffer, sizes: [4096 + whole])
        #expect(plan.layout?.planes.map(\.offset) == [4096, 4096 + 1280 * 720])
        #expect(plan.needed == [Int(whole)])
    }

    @Test func plan_compressedFrames_haveNoLayout() throws {
        let buffer = HelperBytes.buffer(0).with(1, at: MessageLayout.planesAt)
            .plane(0, descriptor: 0, offset: 0, length: 500_000)
        let plan = try makePlan(buffer, sizes: [500_000], .configured(.mjpeg, stride: 0))
        #expect(plan.layout == nil && plan.planes == [0..<500_000])
        #expect(throws: BufferFault.planes(buffer: 0, count: 2)) {
            try makePlan(.buffer(0), sizes: [whole], .configured(.mjpeg, stride: 0))
        }
    }

    @Test func plan_memorySmallerThanStated_isAFault() {
        #expect(throws: BufferFault.tooSmall(buffer: 0, stated: Int(whole), actual: Int(whole) - 1)) {
            try makePlan(.buffer(0), sizes: [whole - 1])
        }
        #expect(throws: BufferFault.size(buffer: 0, bytes: 0)) { try makePlan(.buffer(0), sizes: [0]) }
        #expect(throws: BufferFault.size(buffer: 0, bytes: -1)) { try makePlan(.buffer(0), sizes: [-1]) }
        #expect(throws: BufferFault.size(buffer: 0, bytes: .max)) { try makePlan(.buffer(0), sizes: [.max]) }
        // The largest numbers that a message can have.
        let far = HelperBytes.buffer(0).plane(1, descriptor: 0, offset: .max, length: .max)
        #expect(throws: BufferFault.self) { try makePlan(far, sizes: [whole]) }
    }

    @Test func plan_planeTooShortForItsRows_isAFault() {
        let short = HelperBytes.buffer(0).plane(1, descriptor: 0, offset: 1280 * 720, length: 1280 * 359)
        #expect(throws: BufferFault.tooSmall(buffer: 0, stated: 1280 * 360, actual: 1280 * 359)) {
            try makePlan(short, sizes: [whole])
        }
    }

    @Test func plan_strideThatDoesNotFit_isAFault() {
        for stride in [0, 1279] {
            #expect(throws: BufferFault.stride(stride, needed: 1280)) {
                try makePlan(.buffer(0), sizes: [whole], .configured(stride: stride))
            }
        }
        // Rows that would be longer than the memory.
        #expect(throws: BufferFault.self) { try makePlan(.buffer(0), sizes: [whole], .configured(stride: 1281)) }
        // Half of an odd stride is not a row of chroma.
        let odd = HelperBytes.buffer(0).with(3, at: MessageLayout.planesAt)
            .plane(0, descriptor: 0, offset: 0, length: 1_000_000).plane(1, descriptor: 0, offset: 0, length: 1_000_000)
            .plane(2, descriptor: 0, offset: 0, length: 1_000_000)
        let small = HelperBytes.configured(.yuv420, stride: 641).with(641, at: MessageLayout.widthAt)
        #expect(throws: BufferFault.stride(641, needed: 641)) { try makePlan(odd, sizes: [1_000_000], small) }
    }

    @Test func plan_wrongNumberOfPlanes_isAFault() {
        let three = HelperBytes.buffer(0).with(3, at: MessageLayout.planesAt)
            .plane(2, descriptor: 0, offset: 0, length: 1)
        #expect(throws: BufferFault.planes(buffer: 0, count: 3)) { try makePlan(three, sizes: [whole]) }
    }
}

@Suite struct BufferTableTests {
    @Test func buffer_eachOwner_isChecked() {
        var table = BufferTable()
        let added = [table.add(0), table.add(15), table.add(0), table.add(16), table.add(-1)]
        #expect(added == [true, true, false, false, false])
        let taken = [table.take(0), table.take(0), table.take(1)]
        #expect(taken == [true, false, false])
        #expect(table.queuedCount == 1)
        let given = [table.giveBack(0), table.giveBack(0), table.giveBack(15)]
        #expect(given == [true, false, false])
        #expect(table.queuedCount == 2)
    }
}
